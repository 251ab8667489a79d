"""Texts by name, so that a chapter changes its corpus by one variable.

    corpus = load("berkeley")           or "names", "shakespeare", "path/to/my.txt", "mine" for what is in work/texts/
    corpus.splits["train"][0]     ['about', 'the', ...]
    corpus.vocabulary             the types of the training split, sorted
    corpus.floor("test")          what no model can beat, where that is known
    corpus.describe()             counts, a Zipf plot, a histogram of lengths

Embedded corpora load in well under a second. Real ones (`REAL`) are fetched when they are first asked for.
`load("glove")` gives no text, but `Vectors` of 10,000 words.
"""

import csv
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from lmkit import real
from lmkit.budgets import is_grading
from lmkit.corpora import own
from lmkit.paths import DATA, own_folder

if TYPE_CHECKING:
    import pandas as pd

Sentence = list[str]
Unit = Literal["word", "character"]
WORD = re.compile(r"[\w'<>-]+|[^\w\s]")  # a word, or one sign


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

    def in_unit(self, unit: Unit) -> "Corpus":
        """The text in words or in characters; itself if it has that unit. Tags and the like are left out.

        Characters of words: a blank between words, a line end behind each part. Words of characters: one line is
        one part; punctuation is a word of its own. A floor is shared among the characters, the line ends for `</s>`.
        Raises ValueError for any other unit. For bytes, and for what is between letters and words, see `lmkit.bpe`.
        """
        if unit == self.unit:
            return self
        if unit == "character":
            splits = {name: [list(" ".join(part) + "\n") for part in parts] for name, parts in self.splits.items()}
            floor = self._floor_of_characters if self.known_floor else None
            return Corpus(self.name, self.about, splits, unit=unit, part=self.part, known_floor=floor)
        if unit == "word":
            lines = {
                name: [line for part in parts for line in "".join(part).splitlines()]
                for name, parts in self.splits.items()
            }
            splits = {name: [words for line in found if (words := WORD.findall(line))] for name, found in lines.items()}
            return Corpus(self.name, self.about, splits, unit=unit, part="line")
        raise ValueError(f"A text can be had by word or by character, not by {unit!r}.")

    def _floor_of_characters(self, split: str) -> Floor:
        from lmkit.kitchen import Floor as Measured

        floor = self.floor(split)
        assert floor is not None
        characters = sum(len(" ".join(part)) + 1 for part in self.splits[split])
        share = floor.tokens / characters
        return Measured(characters, floor.nats * share, floor.nats_error * share)

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


@dataclass(frozen=True)
class NameCorpus(Corpus):
    """First names as characters: `girls[split][i]` and `boys[split][i]` got the i-th name of that split."""

    girls: dict[str, list[int]] = field(default_factory=dict)
    boys: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Vectors:
    """Word vectors: row i of `matrix`, [V, 100] float32, belongs to `words[i]`; frequent words come first."""

    about: str
    words: list[str]  # V of them
    matrix: NDArray[np.float32]  # [V, 100]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Word -> its row."""
        return {word: number for number, word in enumerate(self.words)}

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """The vector of a word, [100]. Raises KeyError if it has none."""
        if word not in self.numbers:
            raise KeyError(f"There is no vector for {word!r}: only {len(self.words):,} lower-case words have one.")
        return np.asarray(self.matrix[self.numbers[word]])


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


def _names() -> NameCorpus:
    """Of each ten names in the order of their frequency the ninth is for validation, the tenth for the test."""
    with (DATA / "names" / "names.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    places = {
        "train": [i for i in range(len(rows)) if i % 10 < 8],
        "valid": range(8, len(rows), 10),
        "test": range(9, len(rows), 10),
    }
    return NameCorpus(
        "names",
        _about("names"),
        {split: [list(rows[i]["name"]) for i in chosen] for split, chosen in places.items()},
        unit="character",
        part="name",
        girls={split: [int(rows[i]["girls"]) for i in chosen] for split, chosen in places.items()},
        boys={split: [int(rows[i]["boys"]) for i in chosen] for split, chosen in places.items()},
    )


def _glove() -> Vectors:
    with np.load(DATA / "glove" / "glove.npz", allow_pickle=False) as file:
        return Vectors(_about("glove"), file["words"].tolist(), file["vectors"].astype(np.float32))


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


def _text(name: str, files: Sequence[str], texts: Sequence[str]) -> Corpus:
    """A learner's own text, as characters."""
    size = own.checked_size(name, texts)
    about = (
        f"Your own text: {', '.join(files)}, {size:,} characters. Of each file the last tenth is the test split, the"
        " tenth before it the validation split. The parts are paragraphs; joined, they are the text."
    )
    return Corpus(name, about, own.split(texts), unit="character", part="paragraph")


def _shakespeare(why: str = "") -> Corpus:
    """Tiny Shakespeare, or kitchen text where it cannot be had; `why` begins the line that says which.

    Prints no line if it is asked for (no `why`) and had.
    """
    name = "tiny-shakespeare"
    if own.offline() and not real.is_cached(real.registry()[name]):
        problem = "may not be fetched (LMKIT_OFFLINE is set)"
    else:
        try:
            corpus = _real(name)
            if why:
                print(f"{why}, so this is tiny Shakespeare.")
            return corpus
        except real.FetchError:
            problem = f"cannot be fetched (python -m lmkit.corpora fetch {name} says why)"
    print(
        f"{why + ', and tiny' if why else 'Tiny'} Shakespeare {problem}, so this is kitchen text, made for the course."
    )
    return _kitchen().in_unit("character")


def _mine() -> Corpus:
    """All files .txt in work/texts/; without one, tiny Shakespeare or kitchen text. Prints one line that says which.

    Where the course itself runs a chapter (grading, builds), it is the kitchen text, whatever lies there.
    """
    if is_grading():
        print("The course's own run reads the kitchen text; on your machine, this is your text.")
        return _kitchen().in_unit("character")
    files, texts = own.mine()
    folder = own_folder("texts")
    if not files:
        return _shakespeare(f"There is no .txt file in {folder}")
    corpus = _text(f"What is in {folder}", files, texts)
    print(f"Your own text: {', '.join(files)} from {folder}, {sum(map(len, texts)):,} characters.")
    return replace(corpus, name="mine")


def _file(path: Path) -> Corpus:
    """The file of that name, here or in work/texts/."""
    beside = own_folder("texts") / path
    text = own.read(beside if not path.exists() and beside.is_file() else path)
    return _text(path.name, [path.name], [text])


_LOADERS: dict[str, Callable[[], Corpus]] = {
    "berkeley": _berkeley,
    "kitchen": _kitchen,
    "translation": _translation,
    "retrieval": _retrieval,
    "names": _names,
}
_OWN: dict[str, Callable[[], Corpus]] = {"mine": _mine, "shakespeare": _shakespeare}
TOYS = ("toy-house", "toy-fox", "toy-san", "toy-increase", "toy-animals", "toy-coffee")
REAL = tuple(real.registry())
EMBEDDED = (*_LOADERS, *TOYS)
NAMES = (*EMBEDDED, *_OWN, *REAL)


@overload
def load(name: Literal["glove"]) -> Vectors: ...  # type: ignore[overload-overlap]
@overload
def load(name: Literal["translation"]) -> ParallelCorpus: ...
@overload
def load(name: Literal["retrieval"]) -> RetrievalCorpus: ...
@overload
def load(name: Literal["names"]) -> NameCorpus: ...
@overload
def load(name: str | Path, unit: Unit | None = None) -> Corpus: ...
def load(name: str | Path, unit: Unit | None = None) -> Any:
    """The text of that name, in its own unit or in the one given (see `Corpus.in_unit`).

    - one of EMBEDDED, which comes with the course;
    - one of REAL, which is fetched if it is not in the cache;
    - "shakespeare": tiny Shakespeare, or kitchen text (said in one line) where there is no network;
    - "mine": all files .txt in work/texts/; without one, what "shakespeare" gives. One line says which text it is;
    - the path of a text file in UTF-8, also as a `Path`; a file in work/texts/ needs no folder;
    - "glove": no text but `Vectors` of 10,000 words.

    Raises ValueError, with the names there are, for any other, and if a file cannot be used;
    FileNotFoundError if there is no such file; `lmkit.real.FetchError` if a real corpus cannot be had.
    """
    if name == "glove":
        return _glove()
    corpus = _file(Path(name)) if isinstance(name, Path) or own.is_path(name) else _named(name)
    return corpus if unit is None else corpus.in_unit(unit)


def _named(name: str) -> Corpus:
    if loader := _LOADERS.get(name) or _OWN.get(name):
        return loader()
    if name in TOYS:
        return _toy(name.removeprefix("toy-"))
    if name in REAL:
        return _real(name)
    raise ValueError(
        f"There is no corpus {name!r}; choose one of: {', '.join(NAMES)}, or give the path of a text file, such as"
        " 'my.txt'."
    )
