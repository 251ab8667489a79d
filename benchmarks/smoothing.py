"""How smoothing fares with more text: perplexity against training size, several splits, orders 2 to 5.

    python -m benchmarks.smoothing [--splits 5] [--most 1000000]

The text is the kitchen language, made afresh for each split (seeds 101, 102, ...), so that the floor is known exactly.
The estimators are the reference answers of chapter 02; whatever they leave out is written here. Writes
`data/smoothing/curve.csv`, which the chapter draws.
"""

import csv
from collections.abc import Callable
from typing import Any

import numpy as np
import typer

from benchmarks.ngrams import reference
from lmkit import kitchen, ngrams
from lmkit.paths import DATA

TARGET = DATA / "smoothing" / "curve.csv"
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
ORDERS = (2, 3, 4, 5)
JUDGED = 50_000  # tokens of each split that judge
Tables = list[tuple[Any, Any]]


def one_discount(c: Any) -> Any:
    """[0, k, k, k] with k = N_1 / (N_1 + 2 N_2), as the chapter's section 6 estimates it."""
    n1, n2 = np.sum(c == 1), np.sum(c == 2)
    k = n1 / (n1 + 2 * n2) if n1 and n2 else 0.5
    return np.array([0, k, k, k])


def by_count(levels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same levels with plain counts in the place of continuation counts."""
    return [{**level, "left": level["count"]} for level in levels]


def backed_off(levels: list[dict[str, Any]], V: int) -> Tables:
    """One discount; only the unseen share what was taken. The 1-grams are mixed with 1/V."""
    lower, tables = np.array([1 / V]), []
    for level in levels:
        c, context, shorter = level["count"], level["context"], level["shorter"]
        taken = one_discount(c)[np.minimum(c, 3)]
        n = np.bincount(context, weights=c, minlength=len(lower))
        free = np.where(n > 0, np.bincount(context, weights=taken, minlength=len(lower)) / np.maximum(n, 1), 1)
        P = (c - taken) / np.maximum(n[context], 1)
        if level is levels[0]:
            P = P + free[context] * lower[shorter]
        else:
            free = free / np.maximum(1 - np.bincount(context, weights=lower[shorter], minlength=len(lower)), 1e-9)
        tables.append((P, free))
        lower = P
    return tables


def methods() -> dict[str, Callable[[list[dict[str, Any]], int], Tables]]:
    three, one = reference(), reference()
    one["three_discounts"] = one_discount
    return {
        "backed off": backed_off,
        "interpolated": lambda levels, V: one["kneser_ney"](by_count(levels), V),
        "Kneser-Ney": one["kneser_ney"],
        "modified Kneser-Ney": three["kneser_ney"],
    }


def words(documents: list[kitchen.Document]) -> list[list[str]]:
    return [[word for word in document.tokens if word != ngrams.END] for document in documents]


def main(splits: int = 5, most: int = max(SIZES)) -> None:
    """Write the table: that many splits, that many tokens at most."""
    vocabulary = ngrams.events(words(kitchen.split("train")))
    TARGET.parent.mkdir(exist_ok=True)
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["split", "tokens", "order", "method", "perplexity", "floor"])
        for split in range(1, splits + 1):
            made = kitchen.documents(tokens=JUDGED + most, seed=100 + split)
            ends = np.cumsum([len(document.tokens) for document in made])
            border = int(np.searchsorted(ends, JUDGED)) + 1
            judged, rest = made[:border], words(made[border:])
            floor = kitchen.floor(judged, {*vocabulary}).perplexity
            for size in (size for size in SIZES if size <= most):
                part = rest[: int(np.searchsorted(ends[border:] - ends[border - 1], size)) + 1]
                for order in ORDERS:
                    counts = ngrams.NgramCounts(part, order, vocabulary)
                    for name, method in methods().items():
                        P, weights = zip(*method(counts.levels, len(vocabulary)), strict=True)
                        perplexity = ngrams.BackoffModel(counts, P, weights).perplexity(words(judged))
                        writer.writerow([split, size, order, name, f"{perplexity:.3f}", f"{floor:.3f}"])
            file.flush()
            print("split", split, "done", flush=True)


if __name__ == "__main__":
    typer.run(main)
