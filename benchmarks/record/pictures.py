"""Makes pictures.csv: who tells four drawn shapes apart, from how many pictures?

    python -m benchmarks.record.pictures [seconds of CPU for each run, 10]

Four models learn from 250 to 4,000 pictures of `lmkit.anything.shapes`, each for the same seconds of CPU time, with
three seeds: `linear`, one matrix on all patches; `no places`, the Transformer of `PatchReader` that does not know where
a patch was; `places`, the same with them; `convolution`, two layers of 3 x 3 kernels and a linear one. Rates: Adam,
the better of .001 and .003 on 1,000 other pictures. `right`: share of 2,000 new pictures that are named rightly.
"""

from typing import Annotated

import pandas as pd
import torch
import typer
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.timed import train_for
from lmkit.anything import SHAPES, PatchReader, shapes
from lmkit.paths import DATA

HERE = DATA / "anything"
SEEDS = (1, 2, 3)
SIZES = (250, 1000, 4000)
P = 4  # pixels on each side of a patch


class Patches(nn.Module):
    """Pictures [B, 3, 16, 16] -> patches [B, 16, 48]; the order within a patch is no matter to a learned matrix."""

    def forward(self, images: Tensor) -> Tensor:
        return F.unfold(images, P, stride=P).transpose(1, 2)


def build(name: str) -> nn.Module:
    """The model of that name: pictures -> scores of the kinds."""
    kinds = len(SHAPES)
    if name == "linear":
        return nn.Sequential(Patches(), nn.Flatten(), nn.Linear(768, kinds))
    if name == "convolution":
        return nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(512, kinds),
        )
    return nn.Sequential(Patches(), PatchReader(16, 48, kinds, places=name == "places"))


@torch.no_grad()
def right(model: nn.Module, images: Tensor, kinds: Tensor) -> float:
    """Share of the pictures that are named rightly."""
    return float((model(images).argmax(1) == kinds).float().mean())


def run(name: str, count: int, seed: int, rate: float, seconds: float) -> tuple[nn.Module, int]:
    """A model after so many seconds of CPU time on `count` pictures, and its steps."""
    images, kinds = shapes(count, 100 + seed)
    torch.manual_seed(seed)
    model = build(name)
    history = train_for(
        seconds,
        model,
        lambda step: torch.randint(count, (64,)),
        lambda model, pick: (F.cross_entropy(model(images[pick] - 0.5), kinds[pick]), 64),
        torch.optim.Adam(model.parameters(), rate),
        clip=None,
    )
    return model, int(history.step.iloc[-1])


def main(seconds: Annotated[float, typer.Argument(help="Of CPU time, for each run.")] = 10) -> None:
    """Make the table again."""
    torch.set_num_threads(1)
    valid, test = shapes(1000, 50), shapes(2000, 51)
    rows = []
    for name in ("linear", "no places", "places", "convolution"):
        for count in SIZES:
            tried = [run(name, count, 9, rate, seconds / 2)[0] for rate in (0.001, 0.003)]
            best = max(zip(tried, (0.001, 0.003), strict=True), key=lambda t: right(t[0], valid[0] - 0.5, valid[1]))[1]
            for seed in SEEDS:
                model, steps = run(name, count, seed, best, seconds)
                weights = sum(p.numel() for p in model.parameters())
                rows.append((name, count, seed, best, weights, steps, right(model, test[0] - 0.5, test[1])))
                print(*rows[-1], flush=True)
            columns = ["model", "pictures", "seed", "rate", "weights", "steps", "right"]
            pd.DataFrame(rows, columns=columns).to_csv(HERE / "pictures.csv", index=False, float_format="%.4f")


if __name__ == "__main__":
    typer.run(main)
