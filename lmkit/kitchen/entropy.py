"""The floor: no model of this language can do better than the language itself."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lmkit.kitchen.frozen import split
from lmkit.kitchen.reader import next_word_distribution, read
from lmkit.kitchen.sampler import Document

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Floor:
    """Cross-entropy of the true distribution on a text, per token ("</s>" counts), with standard errors.

    Compare a model with the floor of *the same text*; the standard error says how far another text
    of this size may lie from it.
    """

    tokens: int
    nats: float
    nats_error: float

    @property
    def bits(self) -> float:
        return self.nats / math.log(2)

    @property
    def bits_error(self) -> float:
        return self.nats_error / math.log(2)

    @property
    def perplexity(self) -> float:
        return math.exp(self.nats)

    @property
    def perplexity_error(self) -> float:
        return self.perplexity * self.nats_error

    def __str__(self) -> str:
        return (
            f"{self.nats:.4f} ± {self.nats_error:.4f} nats = {self.bits:.4f} ± {self.bits_error:.4f} bits"
            f" per token; perplexity {self.perplexity:.3f} ± {self.perplexity_error:.3f}"
            f" ({self.tokens:,} tokens)"
        )


def log_probabilities(document: Document, vocabulary: Collection[str] | None = None) -> Sequence[float]:
    """ln P(token | all tokens before it) for every token.

    With a `vocabulary`, all words outside it count as one word, `<UNK>`: its probability is the
    true probability that *some* word outside comes next.
    """
    exact = document.log_probabilities or read(document.tokens).log_probabilities
    if vocabulary is None:
        return exact
    merged = list(exact)
    for position, word in enumerate(document.tokens):
        if word not in vocabulary:
            truth = next_word_distribution(document.tokens[:position])
            merged[position] = math.log(math.fsum(p for other, p in truth.items() if other not in vocabulary))
    return merged


def floor(documents: Sequence[Document] | str, vocabulary: Collection[str] | None = None) -> Floor:
    """The floor of documents, or of a frozen split by its name ("train", "valid", "test").

    The standard error takes whole documents as the independent draws (a ratio estimate).
    """
    if isinstance(documents, str):
        documents = split(documents)
    surprisals = [-math.fsum(log_probabilities(d, vocabulary)) for d in documents]
    sizes = [len(document) for document in documents]
    tokens = sum(sizes)
    nats = math.fsum(surprisals) / tokens
    squares = math.fsum((s - nats * n) ** 2 for s, n in zip(surprisals, sizes, strict=True))
    return Floor(tokens, nats, math.sqrt(squares) / tokens)


def nats_of_characters(name: str) -> Values:
    """What each character of a frozen split costs the language itself, [characters]: the floor of any stretch of it.

    The text is the stories with a blank between words and a line end behind each. A word's nats are shared equally
    among its characters and the blank or line end behind it; those of the end of a story fall on its line end.
    """
    found: list[float] = []
    for document in split(name):
        for word, log in zip(document.tokens, log_probabilities(document), strict=True):
            if word == "</s>":
                found[-1] -= log
            else:
                found += [-log / (len(word) + 1)] * (len(word) + 1)
    return np.array(found)
