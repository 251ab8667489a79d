"""The published tables of the Berkeley Restaurant Project, as printed in two lectures and as they should read.

Source: D. Jurafsky et al., the Berkeley Restaurant Project (ICSLP 1994); the tables as F. Silvestri (lecture 002) and
B. Muller (lecture 004) print them. The suffix of a table's name says which lecture: `mle_printed_002` and so on.
"""

import random

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
