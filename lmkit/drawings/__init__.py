"""The machines of the chapters, drawn: `drawings.lstm_cell()` as the last line of a cell shows the picture."""

from lmkit.drawings.attention import cross_attention, masks, soft_lookup, two_heads
from lmkit.drawings.chain import chain_rule
from lmkit.drawings.counting import backing_off, good_turing_leave_one_out, interpolation, ngram_tables, ngram_window
from lmkit.drawings.course import course_map
from lmkit.drawings.recurrent import (
    joined_lstms,
    lstm_cell,
    lstm_gates,
    stacked_and_bidirectional,
    truncated_bptt,
    unrolled_rnn,
)
from lmkit.drawings.tokens import patches, shared_vocabulary
from lmkit.drawings.transformer import (
    encoder_decoder,
    encoder_heads,
    kv_cache,
    masked_language_model,
    reach,
    transformer_block,
    transformer_stack,
)
from lmkit.drawings.vectors import look_up, negative_sampling
from lmkit.drawings.windows import bengio_network, skip_gram, window_classifier

__all__ = [
    "backing_off",
    "bengio_network",
    "chain_rule",
    "course_map",
    "cross_attention",
    "encoder_decoder",
    "encoder_heads",
    "good_turing_leave_one_out",
    "interpolation",
    "joined_lstms",
    "kv_cache",
    "look_up",
    "lstm_cell",
    "lstm_gates",
    "masked_language_model",
    "masks",
    "negative_sampling",
    "ngram_tables",
    "ngram_window",
    "patches",
    "reach",
    "shared_vocabulary",
    "skip_gram",
    "soft_lookup",
    "stacked_and_bidirectional",
    "transformer_block",
    "transformer_stack",
    "truncated_bptt",
    "two_heads",
    "unrolled_rnn",
    "window_classifier",
]
