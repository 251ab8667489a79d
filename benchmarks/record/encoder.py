"""Makes three tables of chapter 07: small encoders that fill in words, with norms and positions in several places.

python -m benchmarks.record.encoder [norms] [places] [roughness]
"""

import itertools
import sys

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

import lmkit
from lmkit.paths import DATA
from lmkit.training import set_seed

HERE = DATA / "encoder"
SEEDS = (1, 2, 3)
RATE_HIDDEN = 0.15
corpus = lmkit.load("kitchen")


def sentences(name):
    """Each sentence of a split: a list of words that ends with its full stop."""
    found, sentence = [], []
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


def padded(rows):
    lengths = torch.tensor([len(row) for row in rows])
    ids = torch.full((len(rows), int(lengths.max())), PAD)
    for row, text in zip(ids, rows, strict=True):
        row[: len(text)] = torch.tensor(text)
    return ids, lengths


def hidden(ids, generator):
    """Inputs and the places that are asked: 15 % of the words, one at least in each text."""
    real = ids != PAD
    chance = torch.from_numpy(generator.random(tuple(ids.shape))).masked_fill(~real, 2)
    asked = (chance < RATE_HIDDEN) | (chance == chance.min(1, keepdim=True).values)
    return ids.masked_fill(asked, MASK), asked


class Filler(nn.Module):
    """Embedding, positions, layers, last norm, scores by the embedding (tied)."""

    def __init__(self, norm, layers, C=32, h=4, places="before the first layer", T=64):
        super().__init__()
        self.embedding = nn.Embedding(V, C)
        self.positions = nn.Parameter(torch.randn(T, C) * 0.1)
        nn.init.normal_(self.embedding.weight, std=0.1)
        options = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": norm != "post-norm"}
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(C, h, 4 * C, **options) for _ in range(layers))
        if norm == "no norm":
            for layer in self.layers:
                layer.norm1 = layer.norm2 = nn.Identity()
        self.norm, self.places = nn.LayerNorm(C), places

    def forward(self, ids):
        x, where = self.embedding(ids), self.positions[: ids.shape[1]]
        if self.places == "before the first layer":
            x = x + where
        for layer in self.layers:
            if self.places == "before every layer":
                x = x + where
            x = layer(x, src_key_padding_mask=ids == PAD)
        x = self.norm(x)
        return (x + where if self.places == "behind the last layer" else x) @ self.embedding.weight.T


def held_out():
    ids, _ = padded(known["valid"][:400])
    return (ids, *hidden(ids, np.random.default_rng(7)))


def frequencies():
    """The loss of whoever knows how frequent each word is, and nothing else; one is added to each count."""
    counts = torch.ones(V).index_add(
        0, torch.tensor(sum(known["train"], [])), torch.ones(sum(map(len, known["train"])))
    )
    ids, _, asked = held_out()
    return -(counts / counts.sum()).log()[ids[asked]].mean().item()


def losses(model, steps, rate, seed, B=16):
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


def fit(model, steps, rate, seed, B=16):
    """The loss in nats for each hidden word of held-out sentences after these steps, not a number if lost."""
    if not all(np.isfinite(loss) for loss in losses(model, steps, rate, seed, B)):
        return float("nan")
    ids, inputs, asked = held_out()
    with torch.no_grad():
        return F.cross_entropy(model(inputs)[asked], ids[asked]).item()


def write(name, rows):
    pd.DataFrame(rows).to_csv(HERE / f"{name}.csv", index=False, float_format="%.4g")


def norms(steps=200):
    rows = [{"layers": 0, "norm": "frequencies only", "nats": frequencies()}]
    for layers, rate, norm, seed in itertools.product(
        (2, 16, 8), (0.001, 0.01), ("pre-norm", "post-norm", "no norm"), SEEDS
    ):
        set_seed(seed)
        nats = fit(Filler(norm, layers), steps, rate, seed)
        rows.append({"layers": layers, "rate": rate, "norm": norm, "seed": seed, "nats": nats})
        print(rows[-1], flush=True)
        write("norms", sorted(rows, key=lambda row: row["layers"]))


def places(steps=1500):
    rows = []
    for seed in SEEDS:
        for where in ("before the first layer", "before every layer", "behind the last layer", "nowhere"):
            set_seed(seed)
            nats = fit(Filler("pre-norm", 2, C=64, places=where), steps, 0.003, seed, B=32)
            rows.append({"positions": where, "seed": seed, "nats": nats})
            print(rows[-1], flush=True)
            write("positions", rows)


def roughness(steps=500):
    """How much the training loss changes from one step to the next, and where it ends; "no norm" has no last one."""
    rows = []
    for rate, norm, seed in itertools.product((0.003, 0.01), ("pre-norm", "post-norm", "no norm"), SEEDS):
        set_seed(seed)
        model = Filler(norm, layers=2)
        if norm == "no norm":
            model.norm = nn.Identity()
        curve = np.array(list(losses(model, steps, rate, seed)))
        change, nats = np.diff(curve[100:]).std(), curve[-100:].mean()
        rows.append({"rate": rate, "norm": norm, "seed": seed, "change": change, "nats": nats})
        print(rows[-1], flush=True)
        write("roughness", rows)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for part in sys.argv[1:] or ("places", "norms", "roughness"):
        {"norms": norms, "places": places, "roughness": roughness}[part]()
