"""The published tables of the Berkeley Restaurant Project, as printed in two lectures and as they should read.

Source: D. Jurafsky et al., the Berkeley Restaurant Project (ICSLP 1994); the tables as F. Silvestri (lecture 002) and
B. Muller (lecture 004) print them. The suffix of a table's name says which lecture: `mle_printed_002` and so on.
"""

import random
import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from lmkit.paths import DATA

FOLDER = DATA / "berkeley"
WORDS = ("i", "want", "to", "eat", "chinese", "food", "lunch", "spend")
SENTENCES = 9222


def table(name: str) -> pd.DataFrame:
    """One 8 x 8 table: row = previous word w1, column = next word w2.

    Names: bigram_counts, mle_printed_002, mle_printed_004, addone_printed_002, laplace_printed_002,
    reconstituted_printed_002.
    """
    names = sorted(path.stem for path in FOLDER.glob("*.csv") if path.read_text().startswith("prev\\next"))
    if name not in names:
        raise ValueError(f"There is no table {name!r}; choose one of: {', '.join(names)}.")
    frame = pd.read_csv(FOLDER / f"{name}.csv", index_col=0)
    return frame.rename_axis(index="previous", columns="next")


def unigram_counts() -> pd.Series:
    """How often each of the eight words occurs in the 9,222 sentences, shape (8,)."""
    return pd.read_csv(FOLDER / "unigram_counts.csv", index_col="word")["count"]


def cells(answer: Any) -> set[tuple[str, str]] | None:
    """The cells (previous, next) that an answer names, however it is written down; None for what names no cells.

    One cell or any collection of cells, a dict with cells as keys, or one from previous words to next words. A cell: a
    pair of words, "food chinese", "food -> chinese", "P(chinese | food)", "row food, column chinese"; a whole column:
    "column i", "i"; a table of True and False, where True marks.
    """
    if isinstance(answer, pd.DataFrame):
        return {(str(w1), str(w2)) for w1 in answer.index for w2 in answer.columns if bool(answer.loc[w1, w2])}
    if isinstance(answer, str):
        return _named(answer.lower())
    if not isinstance(answer, Iterable):
        return None
    if isinstance(answer, Mapping) and set(answer) <= set(WORDS) and not any(map(_is_number, answer.values())):
        answer = [(w1, w2) for w1, to in answer.items() for w2 in ([to] if isinstance(to, str) else to)]
    parts = list(answer)
    if len(parts) == 2 and all(isinstance(part, str) and part.strip().lower() in WORDS for part in parts):
        return {(parts[0].strip().lower(), parts[1].strip().lower())}
    found = [cells(part) for part in parts]
    return None if None in found else {cell for some in found if some for cell in some}


def _is_number(value: Any) -> bool:
    return not isinstance(value, str | Iterable)


def _named(text: str) -> set[tuple[str, str]] | None:
    """The cells that one string names."""
    words = [word for word in re.findall(r"[a-z]+", text) if word in WORDS]
    row = re.search(r"(?:row|previous|prev)\W+([a-z]+)", text)
    column = re.search(r"(?:column|col|next)\W+([a-z]+)", text)
    if row and column:
        return {(row[1], column[1])} if {row[1], column[1]} <= set(WORDS) else None
    if len(words) == 1 and not row:
        return {(word, words[0]) for word in WORDS}
    if len(words) != 2 or row or column:
        return None
    return {(words[1], words[0])} if "|" in text else {(words[0], words[1])}


def sentences() -> list[list[str]]:
    """The 9,222 sentences of the corpus as lists of word tokens, without boundary symbols.

    They were written for this course. Their counts of the eight words and of the 64 pairs equal the
    published ones; everything else about them is ours and says nothing about the real corpus.
    """
    return [line.split() for line in (FOLDER / "corpus.txt").read_text().splitlines()]


def split(test_size: int = 922, seed: int = 1994) -> tuple[list[list[str]], list[list[str]]]:
    """The sentences in two random parts (train, test); the same seed gives the same parts.

    As in real dialogue, short sentences ("yes", "how much does it cost") are said often and occur
    in both parts.
    """
    shuffled = sentences()
    random.Random(seed).shuffle(shuffled)
    return shuffled[test_size:], shuffled[:test_size]
