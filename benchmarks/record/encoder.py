"""Makes three tables of chapter 07: small encoders that fill in words, with norms and positions in several places.

python -m benchmarks.record.encoder [norms] [places] [roughness]
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import lmkit
from benchmarks.commands import run_parts
from lmkit.paths import DATA
from lmkit.training import set_seed

HERE = DATA / "encoder"
SEEDS = (1, 2, 3)
RATE_HIDDEN = 0.15
corpus = lmkit.load("kitchen")


def sentences(name: str) -> list[list[str]]:
    """Each sentence of a split: a list of words that ends with its full stop."""
    found: list[list[str]] = []
    sentence: list[str] = []
    for word in (word for document in corpus.splits[name] for word in document):
        sentence.append(word)
        if word == ".":
            found.append(sentence)
            sentence = []
    return found


texts = {name: sentences(name) for name in ("train", "valid")}
words = sorted({word for text in texts["train"] for word in text})
number = {word: i for i, word in enumerate(words)}
MASK, PAD, V = len(words), len(words) + 1, len(words) + 2
known = {name: [[number[w] for w in text if w in number] for text in part] for name, part in texts.items()}


def padded(rows: list[list[int]]) -> tuple[Tensor, Tensor]:
    lengths = torch.tensor([len(row) for row in rows])
    ids = torch.full((len(rows), int(lengths.max())), PAD)
    for row, text in zip(ids, rows, strict=True):
        row[: len(text)] = torch.tensor(text)
    return ids, lengths


def hidden(ids: Tensor, generator: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Inputs and the places that are asked: 15 % of the words, one at least in each text."""
    real = ids != PAD
    chance = torch.from_numpy(generator.random(tuple(ids.shape))).masked_fill(~real, 2)
    asked = (chance < RATE_HIDDEN) | (chance == chance.min(1, keepdim=True).values)
    return ids.masked_fill(asked, MASK), asked


class Filler(nn.Module):
    """Embedding, positions, layers, last norm, scores by the embedding (tied)."""

    def __init__(
        self, norm: str, layers: int, C: int = 32, h: int = 4, places: str = "before the first layer", T: int = 64
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(V, C)
        self.positions = nn.Parameter(torch.randn(T, C) * 0.1)
        nn.init.normal_(self.embedding.weight, std=0.1)
        options: dict[str, Any] = {
            "dropout": 0.0,
            "activation": "gelu",
            "batch_first": True,
            "norm_first": norm != "post-norm",
        }
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(C, h, 4 * C, **options) for _ in range(layers))
        if norm == "no norm":
            for layer in self.layers:
                layer.norm1 = layer.norm2 = nn.Identity()
        self.norm, self.places = nn.LayerNorm(C), places

    def forward(self, ids: Tensor) -> Tensor:
        x: Tensor = self.embedding(ids)
        where = self.positions[: ids.shape[1]]
        if self.places == "before the first layer":
            x = x + where
        for layer in self.layers:
            if self.places == "before every layer":
                x = x + where
            x = layer(x, src_key_padding_mask=ids == PAD)
        x = self.norm(x)
        return (x + where if self.places == "behind the last layer" else x) @ self.embedding.weight.T


def held_out() -> tuple[Tensor, Tensor, Tensor]:
    ids, _ = padded(known["valid"][:400])
    return (ids, *hidden(ids, np.random.default_rng(7)))


def frequencies() -> float:
    """The loss of whoever knows how frequent each word is, and nothing else; one is added to each count."""
    counts = torch.ones(V).index_add(
        0, torch.tensor(sum(known["train"], [])), torch.ones(sum(map(len, known["train"])))
    )
    ids, _, asked = held_out()
    return -float((counts / counts.sum()).log()[ids[asked]].mean())


def losses(model: Filler, steps: int, rate: float, seed: int, B: int = 16) -> Iterator[float]:
    """The loss before each step of Adam at a constant rate, in nats for each hidden word, until one is not finite."""
    optimiser = torch.optim.Adam(model.parameters(), rate)
    for step in range(steps):
        generator = np.random.default_rng([7, seed, step])
        rows = [known["train"][i] for i in generator.integers(0, len(known["train"]), B)]
        ids, _ = padded(rows)
        inputs, asked = hidden(ids, generator)
        loss = F.cross_entropy(model(inputs)[asked], ids[asked])
        yield loss.item()
        if not torch.isfinite(loss):
            return
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


def fit(model: Filler, steps: int, rate: float, seed: int, B: int = 16) -> float:
    """The loss in nats for each hidden word of held-out sentences after these steps, not a number if lost."""
    if not all(np.isfinite(loss) for loss in losses(model, steps, rate, seed, B)):
        return float("nan")
    ids, inputs, asked = held_out()
    with torch.no_grad():
        return float(F.cross_entropy(model(inputs)[asked], ids[asked]))


def write(name: str, rows: list[dict[str, Any]]) -> None:
    pd.DataFrame(rows).to_csv(HERE / f"{name}.csv", index=False, float_format="%.4g")


def norms(steps: int = 200) -> None:
    rows: list[dict[str, Any]] = [{"layers": 0, "norm": "frequencies only", "nats": frequencies()}]
    for layers, rate, norm, seed in itertools.product(
        (2, 16, 8), (0.001, 0.01), ("pre-norm", "post-norm", "no norm"), SEEDS
    ):
        set_seed(seed)
        nats = fit(Filler(norm, layers), steps, rate, seed)
        rows.append({"layers": layers, "rate": rate, "norm": norm, "seed": seed, "nats": nats})
        print(rows[-1], flush=True)
        write("norms", sorted(rows, key=lambda row: row["layers"]))


def places(steps: int = 1500) -> None:
    rows = []
    for seed in SEEDS:
        for where in ("before the first layer", "before every layer", "behind the last layer", "nowhere"):
            set_seed(seed)
            nats = fit(Filler("pre-norm", 2, C=64, places=where), steps, 0.003, seed, B=32)
            rows.append({"positions": where, "seed": seed, "nats": nats})
            print(rows[-1], flush=True)
            write("positions", rows)


def roughness(steps: int = 500) -> None:
    """How much the training loss changes from one step to the next, and where it ends; "no norm" has no last one."""
    rows = []
    for rate, norm, seed in itertools.product((0.003, 0.01), ("pre-norm", "post-norm", "no norm"), SEEDS):
        set_seed(seed)
        model = Filler(norm, layers=2)
        if norm == "no norm":
            model.norm = nn.Identity()  # type: ignore[assignment]
        curve = np.array(list(losses(model, steps, rate, seed)))
        change, nats = np.diff(curve[100:]).std(), curve[-100:].mean()
        rows.append({"rate": rate, "norm": norm, "seed": seed, "change": change, "nats": nats})
        print(rows[-1], flush=True)
        write("roughness", rows)


if __name__ == "__main__":
    torch.set_num_threads(1)
    run_parts({"places": places, "norms": norms, "roughness": roughness})
