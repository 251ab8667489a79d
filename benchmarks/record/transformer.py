"""Makes the tables of chapter 08: small Transformers on letters, trained for longer than a notebook should wait.

python -m benchmarks.record.transformer [rates] [places] [lessons]
"""

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import lmkit
from benchmarks.commands import run_parts
from lmkit.optimizers import adamw
from lmkit.paths import DATA
from lmkit.training import set_seed, train, warmup_cosine
from lmkit.transformer import Transformer, TransformerConfig, rotary_angles

HERE = DATA / "transformer"
RATES = (1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 1.0)
SEEDS = (1, 2, 3)
corpus = lmkit.load("kitchen")
texts = {name: "\n".join(" ".join(part) for part in corpus.splits[name]) for name in ("train", "valid")}
alphabet = sorted(set(texts["train"]))
V = len(alphabet)
ids = {name: torch.tensor([alphabet.index(letter) for letter in text]) for name, text in texts.items()}


def held_out(T: int) -> tuple[Tensor, Tensor]:
    """100 texts of T letters, and the next ones."""
    rows = ids["valid"][: (T + 1) * 100].view(100, T + 1)
    return rows[:, :-1], rows[:, 1:]


def batch(step: int, seed: int, B: int, T: int) -> tuple[Tensor, Tensor]:
    starts = np.random.default_rng([8, seed, step]).integers(0, len(ids["train"]) - T, B)
    places = torch.from_numpy(starts)[:, None] + torch.arange(T)
    return ids["train"][places], ids["train"][places + 1]


def small(**switches: Any) -> Transformer:
    """The chapter's model: learned positions, LayerNorm, GELU, biases."""
    usual: dict[str, Any] = {"block": 32, "layers": 2, "heads": 4, "width": 32, "bias": True}
    usual |= {"positions": "learned", "norm": "layer", "activation": "gelu"}
    return Transformer(TransformerConfig(V, **usual | switches))


def fit(
    model: Transformer,
    steps: int,
    rate: float,
    seed: int,
    decay: float,
    schedule: str,
    B: int = 8,
    T: int = 32,
    last_only: bool = False,
) -> float:
    """Train without clipping; the loss on held-out letters, not a number if it diverged."""

    def loss(model: nn.Module, pair: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
        if last_only:
            return F.cross_entropy(model(pair[0])[:, -1], pair[1][:, -1]), len(pair[1])
        return model(*pair), pair[1].numel()

    try:
        train(
            model,
            lambda step: batch(step, seed, B, T),
            loss,
            steps=steps,
            optimiser=adamw(model, rate, decay),
            schedule=warmup_cosine(steps // 10, 0) if schedule == "warm-up and cosine" else None,
            clip=None,
            every=steps,
        )
        with torch.no_grad():
            return float(model(*held_out(T)))
    except FloatingPointError:
        return math.nan


def write(name: str, rows: list[dict[str, Any]]) -> None:
    pd.DataFrame(rows).to_csv(HERE / f"{name}.csv", index=False, float_format="%.4g")


def rates(steps: int = 80) -> None:
    """Norm, schedule, rate and decay; four layers; the loss on held-out texts of 16 letters."""
    rows = []
    kinds: dict[str, dict[str, str]] = {
        "pre-norm": {},
        "post-norm": {"norm_place": "after"},
        "no norm": {"norm": "none"},
    }
    cases = [("pre-norm", 0.0), ("post-norm", 0.0), ("no norm", 0.0), ("pre-norm", 0.1)]
    for (kind, decay), schedule in itertools.product(cases, ("constant", "warm-up and cosine")):
        for rate, seed in itertools.product(RATES, SEEDS):
            set_seed(seed)
            model = small(layers=4, **kinds[kind])
            nats = fit(model, steps, rate, seed, decay, schedule, T=16)
            rows.append({"kind": kind, "decay": decay, "schedule": schedule, "rate": rate, "seed": seed, "nats": nats})
            write("rates", rows)


def places(steps: int = 400, far: int = 128) -> None:
    """Loss at each place of texts of 128 letters, after training on 32: tables, sinusoids, turning pairs."""
    rows = []
    for name, seed in itertools.product(("learned", "sinusoids", "rotary"), SEEDS):
        set_seed(seed)
        model = small(positions="rotary" if name == "rotary" else "learned", block=far)
        if name == "sinusoids":
            cos, sin = rotary_angles(far, 32)
            model.positions.weight.data[:] = 0.02 * torch.cat([sin, cos], dim=1)
            model.positions.weight.requires_grad_(False)
        fit(model, steps, 1e-2, seed, 0.1, "warm-up and cosine", B=16)
        inputs, targets = held_out(far)
        with torch.no_grad():
            nats = F.cross_entropy(model(inputs).transpose(1, 2), targets, reduction="none").mean(0)
        for first in range(0, far, 16):
            rows.append({"kind": name, "seed": seed, "first": first, "nats": nats[first : first + 16].mean().item()})
        write("places", rows)


def lessons() -> None:
    """Learning from all 32 places of a text, or from the last one only, for so many steps."""
    rows = []
    for kind, steps, seed in itertools.product(("all places", "last place"), (25, 50, 100, 200, 400), SEEDS):
        set_seed(seed)
        nats = fit(small(), steps, 1e-2, seed, 0.1, "warm-up and cosine", last_only=kind == "last place")
        rows.append({"kind": kind, "steps": steps, "seed": seed, "nats": nats})
        write("lessons", rows)


if __name__ == "__main__":
    torch.set_num_threads(1)
    run_parts({"places": places, "lessons": lessons, "rates": rates})
