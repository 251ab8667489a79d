"""Makes rungs.csv and readers.csv: the models of chapter 06, trained for longer than a notebook should wait.

    python -m benchmarks.record.attention [rungs] [readers]

The models are those of the chapter: its cells that begin with "# kitchen model", and the readers of its section 16.
"""

import re
import sys
from typing import Any

import pandas as pd

from lmkit.paths import DATA

HERE = DATA / "attention"
CHAPTER = DATA.parent / "solutions" / "06_attention" / "06_attention.py"
SEEDS = (1, 2, 3)
STEPS = {"rungs": 400, "readers": 500}
STARTS = ("import math", "# kitchen model", "def questions", "class Reader", "def squared_error", "def explained")
PLACES = {"integer places": {"places": "integer"}, "learned places": {"places": "learned"}}


def chapter() -> dict[str, Any]:
    """The names that the models need, from the chapter's own cells."""
    cells = re.split(r"^# %%.*\n", CHAPTER.read_text(encoding="utf-8"), flags=re.MULTILINE)
    names: dict[str, Any] = {}
    for cell in cells:
        if cell.startswith(STARTS):
            exec(cell, names)
    return names


def rungs(names: dict[str, Any]) -> None:
    """Perplexity on held-out texts of 64 words, as in training, and of 128."""
    long = names["row"]["valid"].unfold(0, 129, 129)
    rows = []
    for rung, choices in {**names["RUNGS"], **PLACES}.items():
        for seed in SEEDS:
            model = names["practise"](STEPS["rungs"], seed, **choices)
            for length, texts in ((64, names["held_out"]), (128, long)):
                rows.append((rung, seed, STEPS["rungs"], length, names["perplexity"](model, texts)))
            print(rows[-2:], flush=True)
        table = pd.DataFrame(rows, columns=["rung", "seed", "steps", "length", "perplexity"])
        table.to_csv(HERE / "rungs.csv", index=False, float_format="%.4f")


def readers(names: dict[str, Any]) -> None:
    """The share of the variance that each kind of reader explains on new questions."""
    kinds = {"1 layer, 1 head": (1, 1), "1 layer, 2 heads": (1, 2), "2 layers, 1 head": (2, 1)}
    rows = []
    for task in ("two lookups", "two hops"):
        for kind, sizes in kinds.items():
            for seed in SEEDS:
                share = names["explained"](task, *sizes, STEPS["readers"], seed)[1]
                rows.append((task, kind, seed, STEPS["readers"], share))
                print(rows[-1], flush=True)
    table = pd.DataFrame(rows, columns=["task", "kind", "seed", "steps", "explained"])
    table.to_csv(HERE / "readers.csv", index=False, float_format="%.4f")


if __name__ == "__main__":
    found = chapter()
    for what in sys.argv[1:] or STEPS:
        {"rungs": rungs, "readers": readers}[what](found)
