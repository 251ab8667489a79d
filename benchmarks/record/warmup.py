"""Makes transformer/warmup.csv: what a warm-up does for chapter 08's Transformer, at which learning rate.

    python -m benchmarks.record.warmup

The chapter's own model, loop, optimiser and schedule at its smallest size, on the kitchen text, 240 steps; about six
minutes on one core. `warmup`: its steps of warm-up; `nats`: held-out loss per token. Each warm-up is tried at each rate
with seed 4, and then at its best rate with seeds 1 to 3.
"""

import pandas as pd
import torch

from benchmarks.chapters import on_the_kitchen_text
from lmkit.paths import DATA

TABLE = DATA / "transformer" / "warmup.csv"
STEPS, WARMUPS, RATES = 240, (0, 10, 50, 150), (0.0025, 0.005, 0.01, 0.02, 0.04, 0.08)
TUNING_SEED, SEEDS = 4, (1, 2, 3)


def main() -> None:
    torch.set_num_threads(1)
    its = on_the_kitchen_text("08_transformer", {"my_training", "my_newborn"}, "grading")
    rows = []

    def trained(warmup: int, rate: float, seed: int) -> float:
        share = (warmup + 0.5) / STEPS  # the chapter takes a share, and rounds down
        history = its["my_training"](its["my_newborn"](seed=seed), STEPS, rate, share, seed)
        nats = min(loss for _, loss in history)
        rows.append({"warmup": warmup, "rate": rate, "seed": seed, "nats": nats})
        print(rows[-1], flush=True)
        pd.DataFrame(rows).round(4).to_csv(TABLE, index=False)
        return float(nats)

    for warmup in WARMUPS:
        tried = {rate: trained(warmup, rate, TUNING_SEED) for rate in RATES}
        for seed in SEEDS:
            trained(warmup, min(tried, key=tried.__getitem__), seed)


if __name__ == "__main__":
    main()
