"""Makes transformer/longer.csv: chapter 08's Transformer and LSTM, trained for longer than the chapter has time for.

    python -m benchmarks.record.longer

The chapter's own models, loop and measure at its smallest size, on the kitchen text, with 600 to 4,800 steps and seeds
1 and 2; about ten minutes on one core. `bits`: bits per byte of the judged test text; `minutes`: of training.
"""

import time
from itertools import product

import pandas as pd
import torch
from torch import nn

from benchmarks.chapters import on_the_kitchen_text
from lmkit.paths import DATA
from lmkit.training import set_seed

TABLE = DATA / "transformer" / "longer.csv"
STEPS, SEEDS, MODELS = (600, 1_200, 2_400, 4_800), (1, 2), ("LSTM", "Transformer")
RATE, STD = 1.6e-2, 0.5  # of the LSTM, as in the chapter
WANTED = {"my_training", "my_newborn", "lstm_with", "hidden", "cost_with_context", "judged", "in_bits"}


def main() -> None:
    torch.set_num_threads(1)
    its = on_the_kitchen_text("08_transformer", WANTED, "grading")
    rows = []
    for steps, seed, name in product(STEPS, SEEDS, MODELS):
        set_seed(seed)
        if name == "LSTM":
            model = its["lstm_with"](its["hidden"])
            nn.init.normal_(model.embedding.weight, std=STD)
            own = {"rate": RATE}
        else:
            model, own = its["my_newborn"](seed=seed), {}
        begin = time.process_time()
        its["my_training"](model, steps, seed=seed, **own)
        minutes = (time.process_time() - begin) / 60
        with torch.no_grad():
            bits = its["in_bits"](its["cost_with_context"](model, its["judged"]))
        rows.append({"model": name, "steps": steps, "seed": seed, "bits": bits, "minutes": minutes})
        print(rows[-1], flush=True)
        pd.DataFrame(rows).round(4).to_csv(TABLE, index=False)


if __name__ == "__main__":
    main()
