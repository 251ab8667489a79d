"""Makes a table of chapter 07: small encoders that fill in words, with positions added in several places.

python -m benchmarks.record.encoder
"""

from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import lmkit
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

    def __init__(self, places: str, layers: int = 2, C: int = 64, h: int = 4, T: int = 64) -> None:
        super().__init__()
        self.embedding = nn.Embedding(V, C)
        self.positions = nn.Parameter(torch.randn(T, C) * 0.1)
        nn.init.normal_(self.embedding.weight, std=0.1)
        options: dict[str, Any] = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": True}
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(C, h, 4 * C, **options) for _ in range(layers))
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


def fit(model: Filler, steps: int, rate: float, seed: int, B: int) -> float:
    """The loss in nats for each hidden word of held-out sentences after these steps of Adam at a constant rate."""
    optimiser = torch.optim.Adam(model.parameters(), rate)
    for step in range(steps):
        generator = np.random.default_rng([7, seed, step])
        rows = [known["train"][i] for i in generator.integers(0, len(known["train"]), B)]
        ids, _ = padded(rows)
        inputs, asked = hidden(ids, generator)
        loss = F.cross_entropy(model(inputs)[asked], ids[asked])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    ids, inputs, asked = held_out()
    with torch.no_grad():
        return float(F.cross_entropy(model(inputs)[asked], ids[asked]))


def places(steps: int = 1500) -> None:
    rows = []
    for seed in SEEDS:
        for where in ("before the first layer", "before every layer", "behind the last layer", "nowhere"):
            set_seed(seed)
            nats = fit(Filler(where), steps, 0.003, seed, B=32)
            rows.append({"positions": where, "seed": seed, "nats": nats})
            print(rows[-1], flush=True)
            pd.DataFrame(rows).to_csv(HERE / "positions.csv", index=False, float_format="%.4g")


if __name__ == "__main__":
    torch.set_num_threads(1)
    places()
