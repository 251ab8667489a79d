"""Kitchen stories for training: fresh ones for every step, none read twice."""

import hashlib
import time
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, islice

import numpy as np
import torch
from torch import Tensor, nn

from lmkit import kitchen
from lmkit.kitchen import Document
from lmkit.models import encode
from lmkit.ngrams import END, UNKNOWN

SEED = 1_000_000  # of the first shard; the frozen splits have 1, 2 and 3, probes 13
SHARD = 1_024  # stories
NO_TARGET = -100  # what torch's cross-entropy leaves out
VOCABULARY_TOKENS = 1_000_000


def shard(number: int, count: int = SHARD) -> list[Document]:
    """The stories of a shard, the same on every machine."""
    return list(islice(kitchen.stream(SEED + number), count))


def spelled(document: Document | Sequence[str], level: str) -> list[str]:
    """A story as tokens, its end among them: words, or the characters of the words with blanks between."""
    words = list(document.tokens if isinstance(document, Document) else document)
    if level == "word":
        return words
    return [*" ".join(words[:-1]), END]


@lru_cache
def vocabulary(level: str) -> tuple[str, ...]:
    """What a model can predict, sorted: all that occurs at least twice in the first million words of training."""
    counts: Counter[str] = Counter()
    number = 0
    while counts.total() < VOCABULARY_TOKENS:
        counts.update(chain.from_iterable(spelled(document, level) for document in shard(number)))
        number += 1
    return (UNKNOWN, *sorted(symbol for symbol, count in counts.items() if count > 1))


class Stories:
    """Batch number i: inputs and targets, [B, T] each, of whole stories of similar length.

    Before the first token of a story stands `</s>`; behind its last one there is padding. Every seed of a run reads
    stories of its own. `seconds` is the CPU time spent here, which is no part of training.
    """

    def __init__(self, symbols: Sequence[str], level: str, size: int, seed: int) -> None:
        self.symbols, self.level, self.size, self.seed = list(symbols), level, size, seed
        self.end = self.symbols.index(END)
        self.seconds = 0.0
        self._number, self._batches = -1, list[tuple[Tensor, Tensor]]()

    def __call__(self, step: int) -> tuple[Tensor, Tensor]:
        begin = time.process_time()
        number, place = divmod(step, SHARD // self.size)
        if number != self._number:
            self._number, self._batches = number, self._made(number)
        self.seconds += time.process_time() - begin
        return self._batches[place]

    def _made(self, number: int) -> list[tuple[Tensor, Tensor]]:
        stories = shard(self.seed * 100_000 + number)
        texts = encode(self.symbols, [spelled(story, self.level) for story in stories])
        texts.sort(key=len)
        order = np.random.default_rng([self.seed, number]).permutation(SHARD // self.size)
        return [pair(texts[i * self.size : (i + 1) * self.size], self.end) for i in order]


def pair(texts: Sequence[Tensor], end: int) -> tuple[Tensor, Tensor]:
    """Texts, [T_i] each -> what is read and what is to be predicted, [B, T] each."""
    targets = nn.utils.rnn.pad_sequence(list(texts), batch_first=True, padding_value=NO_TARGET)
    begin = targets.new_full((len(targets), 1), end)
    inputs = torch.cat([begin, targets[:, :-1]], dim=1)
    return inputs.masked_fill(inputs == NO_TARGET, end), targets


def digest(documents: Sequence[Document]) -> str:
    """SHA-256 of stories, one a line."""
    return hashlib.sha256("".join(" ".join(document.tokens) + "\n" for document in documents).encode()).hexdigest()
