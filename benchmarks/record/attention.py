"""Makes rungs.csv and readers.csv: the models of chapter 06, trained for longer than a notebook should wait.

    python -m benchmarks.record.attention [rungs] [readers]

The models are those of the chapter: its kitchen model, and the readers of its section 16.
"""

from typing import Any

import pandas as pd

from benchmarks.chapters import chapter_functions
from benchmarks.commands import run_parts
from lmkit.paths import DATA

HERE = DATA / "attention"
SEEDS = (1, 2, 3)
STEPS = {"rungs": 400, "readers": 500}
WANTED = {"row", "held_out", "RUNGS", "practise", "perplexity", "explained"}
PLACES = {"integer places": {"places": "integer"}, "learned places": {"places": "learned"}}


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
    found = chapter_functions("06_attention", WANTED)
    run_parts({"rungs": lambda: rungs(found), "readers": lambda: readers(found)})
