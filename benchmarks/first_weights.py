"""What a bad first loss costs: chapter 08's small Transformer, begun in five ways and trained for 400 steps on letters.

python -m benchmarks.first_weights [--out data/transformer/first_weights.csv]

Each start is trained at five learning rates with seed 4, and at the best of them with seeds 1 to 3. The table has a row
for each training: the loss before the first step and after the last one, in nats per letter of held-out stories.
"""

import argparse
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import nn

import lmkit
from benchmarks.chapters import chapter_functions
from lmkit.paths import DATA
from lmkit.training import set_seed, train, warmup_cosine

STARTS = ("as torch makes it", "two matrices", "small, 0.02", "small, 0.05", "two matrices, small, 0.05")
RATES = (1e-3, 3e-3, 1e-2, 2e-2, 4e-2)
CHOOSING, SEEDS = 4, (1, 2, 3)
STEPS, WIDTH = 400, 64


def held_out(own: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """2,000 stretches of 16 letters from the stories for validation: inputs and targets [2000, 16]."""
    text = "\n".join(map(" ".join, lmkit.load("kitchen").splits["valid"]))
    letters = torch.tensor([own["number_of"][letter] for letter in text if letter in own["number_of"]])
    starts = torch.linspace(0, len(letters) - 17, 2_000).long()
    inputs, targets = own["examples"](letters, starts, 16)
    return inputs, targets


def started(own: dict[str, Any], start: str) -> Any:
    """The chapter's model with these first weights."""
    model = own["gpt"]()
    if start.startswith("two matrices"):
        model.head = nn.Linear(WIDTH, own["V"], bias=False)
    if "small" in start:
        own["initialise"](model, 2, float(start.split()[-1]))
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=DATA / "transformer" / "first_weights.csv")
    out = parser.parse_args().out
    torch.set_num_threads(1)
    own = chapter_functions("08_transformer", {"gpt", "initialise", "lm_loss", "batch", "examples", "number_of", "V"})
    inputs, targets = held_out(own)

    def loss(model: Any, batch: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, int]:
        return own["lm_loss"](model(batch[0]), batch[1]), batch[1].numel()

    def trained(start: str, rate: float, seed: int) -> tuple[float, float]:
        set_seed(seed)
        model = started(own, start)
        with torch.no_grad():
            before = loss(model, (inputs, targets))[0].item()
        train(
            model,
            lambda step: own["batch"](10_000 * seed + step),
            loss,
            steps=STEPS,
            rate=rate,
            schedule=warmup_cosine(20),
        )
        with torch.no_grad():
            return before, loss(model, (inputs, targets))[0].item()

    rows = []
    for start in STARTS:
        tried = {rate: trained(start, rate, CHOOSING) for rate in RATES}
        best = min(tried, key=lambda rate: tried[rate][1])
        found = [(rate, CHOOSING, *pair) for rate, pair in tried.items()]
        found += [(best, seed, *trained(start, best, seed)) for seed in SEEDS]
        rows += [(start, *row) for row in found]
        print(start, [f"{rate:g}: {pair[1]:.3f}" for rate, pair in tried.items()], flush=True)
        print("   at its best rate, seeds 1 to 3:", [round(row[3], 3) for row in found[-3:]], flush=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    table = pd.DataFrame(rows, columns=["start", "rate", "seed", "first loss", "loss after 400 steps"])
    table.round(4).to_csv(out, index=False)


if __name__ == "__main__":
    main()
