"""Networks that read one sequence and write another: an encoder and a decoder, each of them an LSTM or a Transformer.

    model = build_pair("transformer", "transformer", source_words=257, target_words=719)
    memory = model.encode(source)                     once for a source, [B, m] -> Memory
    scores, past = model.decode(memory, tokens)       as often as you like, [B, n] -> [B, n, V]
    model(source, inputs)                             both, for training
    translate(model, source, limit=30)                greedy, a batch at a time

Letters: B pairs, m and n words of source and target, C width of embeddings, M width of the encoder's states, H of the
decoder's LSTM, V words of the target. Word numbers begin with PAD = 0, BOS = 1, EOS = 2, UNK = 3; a source ends with
EOS, a target that is read begins with BOS.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from lmkit.transformer import rotary_angles

PAD, BOS, EOS, UNK = range(4)
SPECIAL = ["<PAD>", "<s>", "</s>", "<UNK>"]
Past = Any  # what a decoder keeps of the words it has read: nested tuples of tensors whose first axis is B


class Vocabulary:
    """Numbers for the words of one language; the most frequent word comes first, after the four special ones."""

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        counts = Counter(word for sentence in sentences for word in sentence)
        self.words = SPECIAL + sorted(counts, key=lambda word: (-counts[word], word))
        self.number = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, sentences: Sequence[Sequence[str]], begin: bool = False, end: bool = True) -> Tensor:
        """Sentences -> numbers [B, T], filled up with PAD; with BOS in front if `begin`, with EOS behind if `end`."""
        rows = [
            [BOS] * begin + [self.number.get(word, UNK) for word in sentence] + [EOS] * end for sentence in sentences
        ]
        return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)

    def decode(self, tokens: Tensor) -> list[list[str]]:
        """Numbers [B, T] -> sentences: what stands before the first EOS, without PAD and BOS."""
        found = []
        for row in tokens.tolist():
            row = row[: row.index(EOS)] if EOS in row else row
            found.append([self.words[number] for number in row if number not in (PAD, BOS)])
        return found


@dataclass(frozen=True)
class Memory:
    """What an encoder hands over."""

    states: Tensor  # [B, m, M], one for each word of the source
    seen: Tensor  # [B, m], True where there is a word and not padding
    last: tuple[Tensor, Tensor]  # two vectors [B, M] for the whole source: h and c of an LSTM after its last word


class LSTMEncoder(nn.Module):
    """Reads from left to right; its last h and c stand for the whole source."""

    def __init__(self, vocabulary: int, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.embedding, self.dropout = nn.Embedding(vocabulary, width), nn.Dropout(dropout)
        self.lstm = nn.LSTM(width, hidden, batch_first=True)
        self.width = hidden

    def forward(self, source: Tensor) -> Memory:
        """[B, m] -> Memory"""
        seen = source != PAD
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.embedding(source)), seen.sum(1).cpu(), batch_first=True, enforce_sorted=False
        )  # so that the last state is the one after the last word, not after the padding
        states, (h, c) = self.lstm(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        return Memory(self.dropout(states), seen, (h[0], c[0]))


class TransformerEncoder(nn.Module):
    """Every word sees every other; the mean of all states stands for the whole source."""

    def __init__(self, vocabulary: int, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.embedding, self.dropout = _as_large_as_places(vocabulary, width), nn.Dropout(dropout)
        self.layers = nn.ModuleList(EncoderLayer(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.width = width

    def forward(self, source: Tensor) -> Memory:
        """[B, m] -> Memory"""
        seen = source != PAD
        x = self.dropout(_with_places(self.embedding(source)))
        for layer in self.layers:
            x = layer(x, seen[:, None])
        x = self.norm(x)
        mean = (x * seen[..., None]).sum(1) / seen.sum(1, keepdim=True)
        return Memory(x, seen, (mean, torch.zeros_like(mean)))


class Decoder(nn.Module):
    """Words in, scores of words out; `weights` [B, n, m] says where the last call looked, if it looked."""

    weights: Tensor | None = None

    def __init__(self, embedding: nn.Embedding, dropout: float) -> None:
        super().__init__()
        self.embedding, self.dropout = embedding, nn.Dropout(dropout)
        # Weights of its own: with those of the embedding an LSTM learns several times slower here.
        self.unembedding = nn.Linear(embedding.embedding_dim, embedding.num_embeddings)

    def forward(self, memory: Memory, tokens: Tensor, past: Past | None = None) -> tuple[Tensor, Past]:
        """Words [B, n] that follow what is in `past` -> scores [B, n, V] for the word after each, and a new past."""
        raise NotImplementedError

    def scores(self, x: Tensor) -> Tensor:
        """[B, n, C] -> [B, n, V]"""
        result: Tensor = self.unembedding(self.dropout(x))
        return result


class LSTMDecoder(Decoder):
    """Starts from the encoder's last state; with attention, each word also looks at all states of the source."""

    def __init__(
        self, vocabulary: int, width: int, memory_width: int, hidden: int, attention: bool, dropout: float
    ) -> None:
        super().__init__(nn.Embedding(vocabulary, width), dropout)
        self.lstm = nn.LSTM(width, hidden, batch_first=True)
        same = memory_width == hidden
        self.bridge = nn.Identity() if same else nn.Linear(memory_width, hidden)
        self.query = nn.Linear(hidden, memory_width, bias=False) if attention else None
        self.out = nn.Linear(hidden + (memory_width if attention else 0), width)

    def forward(self, memory: Memory, tokens: Tensor, past: Past | None = None) -> tuple[Tensor, Past]:
        h, c = past or (self.bridge(memory.last[0]), self.bridge(memory.last[1]))
        x = self.dropout(self.embedding(tokens))
        x, (h, c) = self.lstm(x, (h[None].contiguous(), c[None].contiguous()))  # [B, n, H]
        if self.query is not None:
            found = self.query(x) @ memory.states.transpose(1, 2) / memory.states.shape[2] ** 0.5
            self.weights = found.masked_fill(~memory.seen[:, None], -torch.inf).softmax(-1)  # [B, n, m]
            x = torch.cat([x, self.weights @ memory.states], dim=2)
        return self.scores(torch.tanh(self.out(self.dropout(x)))), (h[0], c[0])


class TransformerDecoder(Decoder):
    """Each layer looks back at what is written, then at the source, whose keys and values are computed only once."""

    def __init__(self, vocabulary: int, width: int, memory_width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__(_as_large_as_places(vocabulary, width), dropout)
        self.layers = nn.ModuleList(DecoderLayer(width, memory_width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, memory: Memory, tokens: Tensor, past: Past | None = None) -> tuple[Tensor, Past]:
        begin = 0 if past is None else past[0][0].shape[2]
        x = self.dropout(_with_places(self.embedding(tokens), begin))
        kept = []
        for number, layer in enumerate(self.layers):
            x, more = layer(x, memory, None if past is None else past[number])
            kept.append(more)
        self.weights = self.layers[-1].across.weights  # type: ignore[union-attr, assignment]
        return self.scores(self.norm(x)), tuple(kept)


class Attention(nn.Module):
    """Several heads; queries may come from one sequence, keys and values from another. Keeps its weights, unmixed."""

    weights: Tensor | None = None  # [B, n, m], the mean over heads

    def __init__(self, width: int, memory_width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.key, self.value = nn.Linear(memory_width, width), nn.Linear(memory_width, width)

    def split(self, x: Tensor) -> Tensor:
        """[B, n, C] -> [B, heads, n, C / heads]"""
        result: Tensor = x.unflatten(2, (self.heads, -1)).transpose(1, 2)
        return result

    def keys_and_values(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """[B, m, M] -> twice [B, heads, m, C / heads]"""
        return self.split(self.key(y)), self.split(self.value(y))

    def forward(self, x: Tensor, k: Tensor, v: Tensor, seen: Tensor | None) -> Tensor:
        """x [B, n, C], seen [B or 1, n or 1, m] (None: all) -> [B, n, C]"""
        q = self.split(self.query(x))
        found = q @ k.transpose(2, 3) / q.shape[3] ** 0.5
        if seen is not None:
            found = found.masked_fill(~seen[:, None], -torch.inf)
        weights = found.softmax(-1)
        self.weights = weights.mean(1).detach()
        result: Tensor = self.out((weights @ v).transpose(1, 2).flatten(2))
        return result


def _feed_forward(width: int) -> nn.Module:
    return nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


class EncoderLayer(nn.Module):
    """Pre-norm: attention among the words of the source, then feed-forward."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.norms, self.dropout = nn.ModuleList(nn.LayerNorm(width) for _ in range(2)), nn.Dropout(dropout)
        self.inside, self.feed = Attention(width, width, heads), _feed_forward(width)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        """x [B, m, C], seen [B, 1, m] -> [B, m, C]"""
        y = self.norms[0](x)
        x = x + self.dropout(self.inside(y, *self.inside.keys_and_values(y), seen))
        result: Tensor = x + self.dropout(self.feed(self.norms[1](x)))
        return result


class DecoderLayer(nn.Module):
    """Pre-norm: attention to what is written so far, attention to the source, feed-forward."""

    def __init__(self, width: int, memory_width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.norms, self.dropout = nn.ModuleList(nn.LayerNorm(width) for _ in range(3)), nn.Dropout(dropout)
        self.inside, self.across = Attention(width, width, heads), Attention(width, memory_width, heads)
        self.feed = _feed_forward(width)

    def forward(self, x: Tensor, memory: Memory, past: Past | None) -> tuple[Tensor, Past]:
        """x [B, n, C] -> the same shape, and keys and values: of the target so far (2), of the source (2)."""
        n = x.shape[1]
        y = self.norms[0](x)
        k, v = self.inside.keys_and_values(y)
        if past is None:
            across = self.across.keys_and_values(memory.states)
        else:
            k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
            across = past[2:]
        length = k.shape[2]
        causal = torch.ones(n, length, dtype=torch.bool, device=x.device).tril(length - n)
        x = x + self.dropout(self.inside(y, k, v, causal[None]))
        x = x + self.dropout(self.across(self.norms[1](x), *across, memory.seen[:, None]))
        x = x + self.dropout(self.feed(self.norms[2](x)))
        return x, (k, v, *across)


class EncoderDecoder(nn.Module):
    """An encoder and a decoder that know of each other only through a `Memory`."""

    def __init__(self, encoder: LSTMEncoder | TransformerEncoder, decoder: Decoder) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def encode(self, source: Tensor) -> Memory:
        """[B, m], filled up with PAD -> Memory"""
        memory: Memory = self.encoder(source)
        return memory

    def decode(self, memory: Memory, tokens: Tensor, past: Past | None = None) -> tuple[Tensor, Past]:
        """Words [B, n] after those in `past` (None: they begin with BOS) -> scores [B, n, V], and a new past."""
        result: tuple[Tensor, Past] = self.decoder(memory, tokens, past)
        return result

    def forward(self, source: Tensor, inputs: Tensor) -> Tensor:
        """[B, m] and the target from BOS on [B, n] -> scores [B, n, V] for the word after each."""
        return self.decode(self.encode(source), inputs)[0]


def build_pair(
    encoder: str,
    decoder: str,
    source_words: int,
    target_words: int,
    *,
    width: int = 64,
    hidden: int = 128,
    layers: int = 2,
    heads: int = 4,
    dropout: float = 0.1,
) -> EncoderDecoder:
    """Encoder "lstm" or "transformer"; decoder "vector" (an LSTM without attention), "lstm" (with) or "transformer".

    `width` is that of all embeddings and of a Transformer, `hidden` that of an LSTM.
    """
    reader: LSTMEncoder | TransformerEncoder
    if encoder == "lstm":
        reader = LSTMEncoder(source_words, width, hidden, dropout)
    elif encoder == "transformer":
        reader = TransformerEncoder(source_words, width, layers, heads, dropout)
    else:
        raise ValueError(f"There is no encoder {encoder!r}; choose one of: lstm, transformer.")
    writer: Decoder
    if decoder in ("vector", "lstm"):
        writer = LSTMDecoder(target_words, width, reader.width, hidden, decoder == "lstm", dropout)
    elif decoder == "transformer":
        writer = TransformerDecoder(target_words, width, reader.width, layers, heads, dropout)
    else:
        raise ValueError(f"There is no decoder {decoder!r}; choose one of: vector, lstm, transformer.")
    return EncoderDecoder(reader, writer)


@torch.no_grad()
def translate(model: EncoderDecoder, source: Tensor, limit: int = 30) -> Tensor:
    """The most probable next word, again and again: sources [B, m] -> targets [B, n], n <= limit, without BOS.

    A text ends with its first EOS; behind it stands PAD. The source is read once. Texts that run to the limit have no
    EOS.
    """
    training = model.training
    model.eval()
    memory, past = model.encode(source), None
    new, over = torch.full((len(source), 1), BOS, device=source.device), torch.zeros(len(source), 1, dtype=torch.bool)
    over, written = over.to(source.device), []
    for _ in range(limit):
        scores, past = model.decode(memory, new, past)
        new = scores.argmax(-1).masked_fill(over, PAD)  # [B, 1]
        written.append(new)
        over = over | (new == EOS)
        if over.all():
            break
    model.train(training)
    return torch.cat(written, dim=1)


PLACES = 0.4  # size of the cosines and sines of a place, and of the numbers of an embedding beside them


def _as_large_as_places(vocabulary: int, width: int) -> nn.Embedding:
    embedding = nn.Embedding(vocabulary, width)
    nn.init.normal_(embedding.weight, std=PLACES)
    return embedding


def _with_places(x: Tensor, begin: int = 0) -> Tensor:
    """x [B, n, C] plus cosines and sines of the places from `begin` on."""
    n, C = x.shape[1:]
    angles = rotary_angles(begin + n, C)[:, begin:].to(x.device)  # [2, n, C / 2]
    return x + PLACES * angles.permute(1, 2, 0).flatten(1)
