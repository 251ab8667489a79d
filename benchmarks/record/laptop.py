"""Makes recurrent/laptop.csv and laptop_verbs.csv: chapter 05's LSTM as a laptop trains it, on the kitchen text.

    python -m benchmarks.record.laptop

Runs the chapter's own cells with the budget "laptop": 192 numbers, 4,000 steps, about a quarter of an hour on one core.
`laptop.csv`: held-out loss in nats per character at each measured step, with that of Kneser-Ney and the floor on the
same characters. `laptop_verbs.csv`: who chooses how many right forms of a verb (%), by words back to its noun.
"""

import pandas as pd
import torch

from benchmarks.chapters import on_the_kitchen_text
from lmkit.paths import DATA

HERE = DATA / "recurrent"
WANTED = {"history", "losses", "by_counts", "n_best", "floor", "first_history", "right_forms", "askers"}


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)
    its = on_the_kitchen_text("05_recurrent", WANTED, "laptop")
    table = pd.DataFrame(its["history"], columns=["step", "nats"])
    table["counts"], table["floor"] = its["by_counts"][its["n_best"]], its["floor"]
    table.round(4).to_csv(HERE / "laptop.csv", index=False)
    its["right_forms"](its["askers"]).to_csv(HERE / "laptop_verbs.csv")


if __name__ == "__main__":
    main()
