"""Texts by name, so that a chapter changes its corpus by one variable.

    corpus = load("berkeley")
    corpus.splits["train"][0]     ['about', 'the', ...]
    corpus.vocabulary             the types of the training split, sorted
    corpus.floor("test")          what no model can beat, where that is known
    corpus.describe()             counts, a Zipf plot, a histogram of lengths

Embedded corpora load in well under a second. Real ones (`REAL`) are fetched when they are first asked for.
"""

import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Literal, Protocol, overload

from lmkit import real
from lmkit.paths import DATA

if TYPE_CHECKING:
    import pandas as pd

Sentence = list[str]


class Floor(Protocol):
    """Cross-entropy of the true distribution on a text, per predicted token; `..._error` is the standard error."""

    @property
    def tokens(self) -> int: ...
    @property
    def nats(self) -> float: ...
    @property
    def nats_error(self) -> float: ...
    @property
    def bits(self) -> float: ...
    @property
    def bits_error(self) -> float: ...
    @property
    def perplexity(self) -> float: ...
    @property
    def perplexity_error(self) -> float: ...


@dataclass(frozen=True)
class Corpus:
    """A text split into sentences of tokens, without boundary symbols.

    `about` is its datasheet in one paragraph; `data/README.md` says more.
    `splits` maps "train", and "valid" and "test" where there are such, to lists of sentences (or of documents).
    `tags` has the same shape and holds the part of speech of each token, or is None.
    `unit` says what a token is, "word" or "character", and `part` what the lists hold.
    """

    name: str
    about: str
    splits: dict[str, list[Sentence]]
    tags: dict[str, list[Sentence]] | None = None
    unit: str = "word"
    part: str = "sentence"
    known_floor: Callable[[str], Floor] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def vocabulary(self) -> list[str]:
        """The types of the training split, sorted; "<s>", "</s>" and "<UNK>" are yours to add."""
        return sorted(set(chain.from_iterable(self.splits["train"])))

    def floor(self, split: str = "test") -> Floor | None:
        """What the best possible model reaches on that split, or None where the true distribution is not known.

        In nats, bits and perplexity per token, with standard errors; the end of a text counts as a token.
        Raises ValueError for a split that there is not.
        """
        if split not in self.splits:
            raise ValueError(f"{self.name} has no split {split!r}; choose one of: {', '.join(self.splits)}.")
        return self.known_floor(split) if self.known_floor else None

    def describe(self, plot: bool = True) -> "pd.DataFrame":
        """One row for each split: parts, tokens, types, mean length, share of tokens that training never showed.

        Draws two panels: how often the r-th most frequent type occurs (Zipf), and how long sentences are.
        """
        import pandas as pd

        from lmkit.plots import plural

        known = set(self.vocabulary)
        rows = {}
        for split, parts in self.splits.items():
            counts = Counter(chain.from_iterable(parts))
            tokens = counts.total()
            rows[split] = {
                plural(self.part): len(parts),
                "tokens": tokens,
                "types": len(counts),
                "mean length": round(tokens / max(len(parts), 1), 2),
                "unseen tokens, %": round(
                    100 * sum(n for word, n in counts.items() if word not in known) / max(tokens, 1), 2
                ),
            }
        if plot:
            self._plot()
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("split")

    def _plot(self) -> None:
        import matplotlib.pyplot as plt

        from lmkit import plots

        training = self.splits["train"]
        _, (left, right) = plt.subplots(1, 2)
        plots.zipf(Counter(chain.from_iterable(training)), left, unit=self.unit)
        plots.lengths([len(part) for part in training], right, unit=self.unit, part=self.part)
        left.set_title(f"{self.name}: frequencies", loc="left")
        right.set_title("lengths", loc="left")


@dataclass(frozen=True)
class ParallelCorpus(Corpus):
    """Sentence pairs: `targets[split][i]` is one valid translation of `splits[split][i]`."""

    targets: dict[str, list[Sentence]] = field(default_factory=dict)

    @cached_property
    def target_vocabulary(self) -> list[str]:
        """The types of the target side of the training split, sorted."""
        return sorted(set(chain.from_iterable(self.targets["train"])))

    def references(self, split: str = "test") -> list[list[Sentence]]:
        """For each sentence of the split, every valid translation (about 2 ms a sentence)."""
        from lmkit import translation

        return [translation.references(source) for source in self.splits[split]]


@dataclass(frozen=True)
class RetrievalCorpus(Corpus):
    """Documents to search: `splits["train"]` holds the documents, all of them.

    `queries` maps "train" (to choose a smoothing weight on) and "test" to lists of queries, as lists of words.
    `relevance[split][q]` maps the index of a document to its grade for the q-th query: 2 all that was asked for,
    1 only the first thing asked for. Documents that are not listed have grade 0.
    """

    queries: dict[str, list[Sentence]] = field(default_factory=dict)
    relevance: dict[str, list[dict[int, int]]] = field(default_factory=dict)


def _about(name: str) -> str:
    """The datasheet paragraph of an embedded corpus."""
    return str(tomllib.loads((DATA / "about.toml").read_text(encoding="utf-8"))[name])


def _berkeley() -> Corpus:
    from lmkit import berkeley

    train, test = berkeley.split()
    return Corpus("berkeley", _about("berkeley"), {"train": train, "test": test})


def _kitchen() -> Corpus:
    from lmkit import kitchen

    splits: dict[str, list[Sentence]] = {}
    tags: dict[str, list[Sentence]] = {}
    for split in ("train", "valid", "test"):
        documents = kitchen.split(split)
        splits[split] = [document.tokens[:-1] for document in documents]  # without "</s>"
        tags[split] = [document.tags[:-1] for document in documents]
    return Corpus("kitchen", _about("kitchen"), splits, tags, part="document", known_floor=kitchen.floor)


def _translation() -> ParallelCorpus:
    from lmkit import translation

    splits: dict[str, list[Sentence]] = {}
    targets: dict[str, list[Sentence]] = {}
    for split in translation.SPLITS:
        splits[split], targets[split] = translation.split(split)
    return ParallelCorpus("translation", _about("translation"), splits, targets=targets)


def _retrieval() -> RetrievalCorpus:
    from lmkit import retrieval

    made = retrieval.frozen()
    half = len(made.queries) // 2
    return RetrievalCorpus(
        "retrieval",
        _about("retrieval"),
        {"train": made.documents},
        part="document",
        queries={"train": made.queries[:half], "test": made.queries[half:]},
        relevance={"train": made.relevance[:half], "test": made.relevance[half:]},
    )


def _toy(name: str) -> Corpus:
    table = tomllib.loads((DATA / "toys.toml").read_text(encoding="utf-8"))[name]
    return Corpus(
        f"toy-{name}",
        table["about"],
        {"train": [line.split() for line in table["text"].strip().splitlines()]},
        {"train": [line.split() for line in table["tags"].strip().splitlines()]} if "tags" in table else None,
    )


def _real(name: str) -> Corpus:
    entry = real.registry()[name]
    return Corpus(name, entry.about, real.splits(name), unit=entry.unit, part=entry.part)


_LOADERS: dict[str, Callable[[], Corpus]] = {
    "berkeley": _berkeley,
    "kitchen": _kitchen,
    "translation": _translation,
    "retrieval": _retrieval,
}
TOYS = ("toy-house", "toy-fox", "toy-san", "toy-increase", "toy-animals", "toy-coffee")
REAL = tuple(real.registry())
EMBEDDED = (*_LOADERS, *TOYS)
NAMES = (*EMBEDDED, *REAL)


@overload
def load(name: Literal["translation"]) -> ParallelCorpus: ...
@overload
def load(name: Literal["retrieval"]) -> RetrievalCorpus: ...
@overload
def load(name: str) -> Corpus: ...
def load(name: str) -> Corpus:
    """The corpus of that name: one of EMBEDDED, or one of REAL, which is fetched if it is not in the cache.

    Raises ValueError, with the names there are, for any other, and `lmkit.real.FetchError` if a
    real corpus cannot be had.
    """
    if name in _LOADERS:
        return _LOADERS[name]()
    if name in TOYS:
        return _toy(name.removeprefix("toy-"))
    if name in REAL:
        return _real(name)
    raise ValueError(f"There is no corpus {name!r}; choose one of: {', '.join(NAMES)}.")
