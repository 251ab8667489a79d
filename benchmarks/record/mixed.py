"""Makes mixed.csv and writer.npz: one model for three kinds of token, against one for each kind, and to write.

    python -m benchmarks.record.mixed [table] [writer]

Kinds: `picture`, the brightness of the 64 patches of 2 x 2 pixels of a drawn shape in 8 bins; `words`, a caption such
as "cross top left"; `arm`, 12 places of a circle that a hand draws, as 24 angles in 32 bins. `alone`: three small
Transformers, each for its kind, each trained for the seconds. `together`: one Transformer of the same width, trained
for three times the seconds on both sorts of document: a picture followed by its caption, and an arm. A row is a kind of
1,000 new documents of one model: `nats` per token; `kind_nats` of them say of which kind the token is, the rest which
token. `swapped`: the same for a caption that follows the picture of another document (empty for other kinds).
"""

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn import functional as F

from benchmarks.commands import run_parts
from benchmarks.timed import train_for
from lmkit.anything import SHAPES, reach, shapes
from lmkit.paths import DATA
from lmkit.transformer import Transformer, TransformerConfig

HERE = DATA / "anything"
SEEDS = (1, 2, 3)
SECONDS = {"kind": 20.0, "writer": 300.0}
TOGETHER = [("picture", "words"), ("arm",)]
SIZES = {"picture": 8, "words": len(SHAPES) + 4, "arm": 32}
FIRST = {"picture": 0, "words": 8, "arm": 8 + len(SHAPES) + 4}
START = sum(SIZES.values())  # begins every document; of no kind


def bins(x: np.ndarray, low: float, high: float, K: int) -> Tensor:
    """Numbers -> the numbers of K equal bins from low to high."""
    return torch.from_numpy(np.clip((x - low) / (high - low) * K, 0, K - 1).astype(np.int64))


def documents(count: int, seed: int) -> dict[str, Tensor]:
    """Tokens of each kind, numbered from 0: picture [count, 64], words [count, 3], arm [count, 24]; row for row."""
    images, kinds = shapes(count, seed)
    bright = F.avg_pool2d(images.mean(1), 2)  # [count, 8, 8]
    object_ = (images.mean(1) > 0.5).float()
    rows, columns = torch.arange(16.0)[:, None], torch.arange(16.0)
    area = object_.sum((1, 2)).clamp(min=1)
    low = ((object_ * rows).sum((1, 2)) / area > 7.5).long()
    right = ((object_ * columns).sum((1, 2)) / area > 7.5).long()
    words = torch.stack([kinds, len(SHAPES) + low, len(SHAPES) + 2 + right], dim=1)
    draws = np.random.default_rng(seed)
    radius, begin = draws.uniform(0.2, 0.5, count), draws.uniform(0, 2 * np.pi, count)
    turn = begin[:, None] + np.arange(12) * draws.choice([-1, 1], count)[:, None] * np.pi / 6
    x = draws.uniform(0.6, 1.2, count)[:, None] + radius[:, None] * np.cos(turn)
    y = draws.uniform(-0.5, 0.5, count)[:, None] + radius[:, None] * np.sin(turn)
    angles = reach(np.stack([x.ravel(), y.ravel()], axis=1)).reshape(count, 24)
    return {
        "picture": bins(bright.flatten(1).numpy(), 0, 1, 8),
        "words": words,
        "arm": bins((angles + np.pi) % (2 * np.pi) - np.pi, -np.pi, np.pi, 32),
    }


def shared(tokens: dict[str, Tensor], *kinds: str) -> Tensor:
    """Documents [count, T] of these kinds in turn, in the shared numbering, with START in front."""
    parts = [tokens[kind] + FIRST[kind] for kind in kinds]
    return torch.cat([torch.full((len(parts[0]), 1), START), *parts], dim=1)


def train(seed: int, seconds: float, sorts: list[tuple[str, ...]]) -> tuple[Transformer, int]:
    """A model after the seconds of CPU time on 8,000 documents of each sort, in turn, and its steps."""
    tokens = documents(8000, 100 + seed)
    texts = [shared(tokens, *kinds) for kinds in sorts]
    torch.manual_seed(seed)
    config = TransformerConfig(START + 1, block=80, layers=2, heads=4, width=48, positions="learned")
    model = Transformer(config)
    history = train_for(
        seconds,
        model,
        lambda step: texts[step % len(texts)][torch.randint(8000, (32,))],
        lambda model, batch: (model(batch[:, :-1], batch[:, 1:]), batch[:, 1:].numel()),
        torch.optim.Adam(model.parameters(), 0.003),
        clip=None,
    )
    return model, int(history.step.iloc[-1])


@torch.no_grad()
def nats(model: Transformer, text: Tensor, kind: str) -> tuple[float, float]:
    """Mean -ln P of the text's tokens of a kind, and the part of it that says of which kind they are."""
    scores, wanted = model(text[:, :-1]), text[:, 1:]
    there = (wanted >= FIRST[kind]) & (wanted < FIRST[kind] + SIZES[kind])
    logs = scores[there].log_softmax(-1)
    whole = -logs.gather(1, wanted[there][:, None]).mean().item()
    return whole, -logs[:, FIRST[kind] : FIRST[kind] + SIZES[kind]].logsumexp(-1).mean().item()


def table() -> None:
    """Make mixed.csv again."""
    seconds = SECONDS["kind"]
    test = documents(1000, 50)
    rows: list[tuple[object, ...]] = []
    for seed in SEEDS:
        for kind in SIZES:
            model, steps = train(seed, seconds, [(kind,)])
            rows.append(("alone", kind, seed, steps, *nats(model, shared(test, kind), kind), None))
        model, steps = train(seed, 3 * seconds, TOGETHER)
        for kind in SIZES:
            text = shared(test, *(("arm",) if kind == "arm" else ("picture", "words")))
            swapped = None
            if kind == "words":
                other = shared({**test, "picture": test["picture"].roll(1, 0)}, "picture", "words")
                swapped = nats(model, other, "words")[0]
            rows.append(("together", kind, seed, steps, *nats(model, text, kind), swapped))
        for row in rows[-6:]:
            print(*row, flush=True)
        columns = ["model", "kind", "seed", "steps", "nats", "kind_nats", "swapped"]
        pd.DataFrame(rows, columns=columns).to_csv(HERE / "mixed.csv", index=False, float_format="%.4f")


def writer() -> None:
    """Make writer.npz again."""
    model, steps = train(4, SECONDS["writer"], TOGETHER)
    print(f"{steps} steps", flush=True)
    np.savez(
        HERE / "writer.npz", **{name: weight.numpy().astype("float16") for name, weight in model.state_dict().items()}
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    run_parts({"table": table, "writer": writer})
