"""Forward: documents with their tags, exact log probabilities and derivations."""

import math
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from lmkit.kitchen.grammar import Grammar
from lmkit.kitchen.tables import Table


@dataclass(frozen=True)
class Mark:
    """A token worth a probe: `position` in the document, and words of the wrong kind there."""

    position: int
    kind: str
    distance: int
    rivals: tuple[str, ...]


@dataclass
class Document:
    """A text of the kitchen language, token by token. It ends with "</s>".

    `log_probabilities[i]` is ln P(tokens[i] | tokens[:i]), exactly. `choices` is the derivation: each
    free choice as (place, option), in order.
    """

    tokens: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    log_probabilities: list[float] = field(default_factory=list)
    choices: list[tuple[str, str]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def log_probability(self) -> float:
        """ln P of the whole document."""
        return math.fsum(self.log_probabilities)

    @property
    def text(self) -> str:
        """The document as people write it."""
        return readable(self.tokens, self.tags)


class Sampler:
    """The teller that throws dice, and writes down what it did."""

    def __init__(self, random_source: random.Random):
        self.uniform = random_source.random
        self.document = Document()
        self.position = 0
        self._pending = 0.0  # ln P of the choices since the last word

    def choose(self, place: str, weights: Mapping[str, float]) -> str:
        options = [option for option, weight in weights.items() if weight > 0.0]
        if len(options) == 1:
            return options[0]
        total = sum(weights.values())
        left = self.uniform() * total
        for option in options:
            left -= weights[option]
            if left < 0.0:
                break
        self._pending += math.log(weights[option] / total)
        self.document.choices.append((place, option))
        return option

    def draw(self, table: Table, excluding: Collection[str] = ()) -> str:
        if excluding and table.mass(excluding) < 1e-9:
            raise ValueError(f"every word of a table is excluded: {table.words}")
        word = table.sample(self.uniform())
        while word in excluding:
            word = table.sample(self.uniform())
        self._pending += math.log(table.probability(word, excluding))
        self.say(word, table.tag(word))
        return word

    def say(self, word: str, tag: str) -> None:
        document = self.document
        document.tokens.append(word)
        document.tags.append(tag)
        document.log_probabilities.append(self._pending)
        self._pending = 0.0
        self.position += 1

    def retag(self, position: int, tag: str) -> None:
        self.document.tags[position] = tag

    def mark(self, kind: str, distance: int = 0, rivals: Collection[str] = ()) -> None:
        self.document.marks.append(Mark(self.position - 1, kind, distance, tuple(rivals)))


def stream(seed: int) -> Iterator[Document]:
    """Documents without end. The same seed gives the same documents on every machine."""
    source = random.Random(seed)
    while True:
        sampler = Sampler(source)
        Grammar(sampler).document()
        yield sampler.document


def documents(count: int | None = None, *, tokens: int | None = None, seed: int = 0) -> list[Document]:
    """`count` documents, or as many as it takes to reach that many `tokens` ("</s>" counts)."""
    if (count is None) == (tokens is None):
        raise ValueError("Give either count or tokens.")
    if count is not None:
        return list(islice(stream(seed), count))
    made: list[Document] = []
    size = 0
    for document in stream(seed):
        if size >= (tokens or 0):
            break
        made.append(document)
        size += len(document)
    return made


def readable(tokens: Sequence[str], tags: Sequence[str] | None = None) -> str:
    """Tokens as people write them: no blanks around marks, capitals after full stops, no "</s>".

    Names are capitalised only if the tags are given: "cook" alone may be a person or a name.
    """
    line = ""
    starts = True
    for word, tag in zip(tokens, tags or [""] * len(tokens), strict=True):
        if word == "</s>":
            break
        glued = not line or word in ".,”»)" or line[-1] in "“«("
        capital = starts or tag == "PROPN" or word == "i"
        line += ("" if glued else " ") + (word.capitalize() if capital else word)
        starts = word in (".", "“", "«") or (starts and not word[0].isalpha())
    return line
