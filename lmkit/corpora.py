"""Texts by name, so that a chapter changes its corpus by one variable."""

from dataclasses import dataclass

from lmkit.paths import DATA

Sentence = list[str]


@dataclass(frozen=True)
class Corpus:
    """A text that has been split into sentences of word tokens, without boundary symbols.

    `splits` maps "train" and "test" to lists of sentences.
    """

    name: str
    about: str
    splits: dict[str, list[Sentence]]


def _restaurant_sample() -> Corpus:
    folder = DATA / "restaurant_sample"
    splits = {
        split: [line.split() for line in (folder / f"{split}.txt").read_text().splitlines()]
        for split in ("train", "test")
    }
    return Corpus("restaurant-sample", "Questions to a restaurant guide, written for this course.", splits)


_LOADERS = {"restaurant-sample": _restaurant_sample}


def load(name: str) -> Corpus:
    """The corpus of that name. Raises ValueError, with the names there are, for any other."""
    if name not in _LOADERS:
        raise ValueError(f"There is no corpus {name!r}; choose one of: {', '.join(sorted(_LOADERS))}.")
    return _LOADERS[name]()
