"""The figures of docs/where_lectures_err.md, from the published tables: `python -m benchmarks.slips` prints them."""

import csv
import math
from collections import Counter
from decimal import Decimal
from pathlib import Path

TABLES = Path(__file__).resolve().parents[1] / "data" / "berkeley"
FOX = (4, 6, 6.1, 4, 6, 1, -3, -4, -3)  # one lecture's scores of nine words for "fox"
Cell = tuple[str, str]  # the word before, the next word


def printed(name: str) -> dict[Cell, str]:
    """A table as the lectures print it."""
    with (TABLES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        _, *words = next(rows := csv.reader(file))
        return {(before, after): text for before, *texts in rows for after, text in zip(words, texts, strict=True)}


COUNTS = {cell: int(text) for cell, text in printed("bigram_counts").items()}
TOTALS = {word: int(count) for (word, _), count in printed("unigram_counts").items()}


def softmax(scores: tuple[float, ...], base: float = math.e) -> list[float]:
    """Each score's power of the base, divided by their sum."""
    powers = [base**score for score in scores]
    return [power / sum(powers) for power in powers]


def rounded(shares: list[float]) -> str:
    """Three digits of each."""
    return ", ".join(f"{share:.3f}" for share in shares)


def sizes(cell: Cell, text: str, is_count: bool) -> range:
    """The vocabulary sizes V for which the cell prints so: (c + 1) / (n + V), as a count times n.

    The tables have two significant digits (a 0 at the end is not printed), and whole numbers from 10 on.
    """
    n = TOTALS[cell[0]]
    top = (COUNTS[cell] + 1) * (n if is_count else 1)
    half = 10.0 ** min(0, Decimal(text).adjusted() - 1) / 2
    return range(math.ceil(top / (float(text) + half) - n), math.floor(top / (float(text) - half) - n) + 1)


def votes() -> dict[tuple[str, Cell], range]:
    """The sizes that each cell of the two smoothed tables agrees with."""
    tables = {"laplace_printed_002": False, "reconstituted_printed_002": True}
    return {
        (name, cell): sizes(cell, text, is_count)
        for name, is_count in tables.items()
        for cell, text in printed(name).items()
    }


def figures() -> dict[str, str]:
    """What the page quotes: a name and the figure, rounded as there."""
    plain, smooth, added = (printed(f"{name}_printed_002") for name in ("mle", "laplace", "addone"))
    ballots = votes()
    tally = Counter(size for agreed in ballots.values() for size in agreed)
    ((best, most),) = tally.most_common(1)
    against = [cell for (_, cell), agreed in ballots.items() if best not in agreed]
    copied = [before for before, after in COUNTS if after == "i" and COUNTS[before, "i"]]
    copied = [before for before in copied if plain[before, "i"] == smooth[before, "i"]]
    lunch = {word: f"{COUNTS['want', word]}/{TOTALS['want']}" for word in ("lunch", "chinese")}
    assumed, right = softmax((0, 0, 1, 0), base=3), softmax((0, 0, 1, 0))
    agreed = sizes(("chinese", "food"), smooth["chinese", "food"], is_count=False)
    return {
        "P(<s> i want english food </s>)": f"{0.25 * 0.33 * 0.0011 * 0.5 * 0.68:.6f}",
        "the lunches": "; ".join(
            f"{share} = {COUNTS['want', word] / TOTALS['want']:.4f}" for word, share in lunch.items()
        ),
        "add-one counts that are wrong": ", ".join(
            " ".join(cell) for cell, c in COUNTS.items() if int(added[cell]) != c + 1
        ),
        "V that chinese food agrees with": f"{agreed[0]:,} to {agreed[-1]:,}",
        "V": f"{best} agrees with {most} of the {len(ballots)} cells; 1446: {tally[1446]}, 1448: {tally[1448]}",
        "cells against it": ", ".join(" ".join(cell) for cell in against),
        "copied rows of the column i": f"{len(copied)}: {', '.join(copied)}",
        "P(i | food), smoothed": f"{(COUNTS['food', 'i'] + 1) / (TOTALS['food'] + best):.4f}",
        "fox": rounded(softmax(FOX)[:5]),
        "if e were 3": rounded(assumed),
        "e": f"{rounded(right)}; the three others together {1 - right[2]:.3f}",
    }


def main() -> None:
    """Print them."""
    for name, figure in figures().items():
        print(f"{name}: {figure}")


if __name__ == "__main__":
    main()
