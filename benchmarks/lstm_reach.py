"""How many characters back does a trained LSTM of chapter 05 look?

    python -m benchmarks.lstm_reach     some five CPU minutes; writes data/recurrent/reach.csv

LSTMs learn the kitchen text as in `benchmarks.lstm_starts`. Then each predicts the same 2,000 held-out characters, but
of the text before it has read the last m characters only. What it knew before them is taken away in two ways: the
state is zero there ("zero"), or it is what the network had after 64 characters from some other place ("other place").
m = 0 in the file stands for all of the text before. Nats per character, three seeds. Rows that the file already has are
not computed again.
"""

import csv

import torch
from torch import Tensor
from torch.nn import functional as F

import lmkit
from benchmarks.lstm_or_counts import Network, T
from benchmarks.lstm_starts import OUT as STARTS
from benchmarks.lstm_starts import SEEDS, Key, learn

OUT = STARTS.parent / "reach.csv"
COLUMNS = ["width", "steps", "half-life", "seed", "before", "m", "nats"]
READ = (1, 2, 5, 10, 20, 50, 100)  # characters
ASKED, FIRST = 2_000, 200  # how many characters are predicted, and which is the first


def jobs() -> list[Key]:
    """What is trained: text, width, steps, optimiser, reading, half-life, seed."""
    return [("kitchen", 192, 4_000, "descent", "stream", 1, seed) for seed in SEEDS]


def windows(ids: Tensor, ends: Tensor, m: int) -> Tensor:
    """The m characters that end at each of `ends`, [len(ends), m]."""
    return ids[ends[:, None] + torch.arange(1 - m, 1)]


@torch.no_grad()
def loss_after(network: Network, ids: Tensor, m: int, before: str) -> float:
    """Nats per character when the m characters before it are read (0: all)."""
    ends = torch.arange(FIRST - 1, FIRST + ASKED - 1)
    targets = ids[ends + 1]
    if m == 0:
        scores = network(ids[None, : FIRST + ASKED - 1])[0][0, FIRST - 1 :]
    else:
        read = windows(ids, ends, m)
        if before == "other place":
            dice = torch.Generator().manual_seed(1)
            others = torch.randint(T, len(ids), (ASKED,), generator=dice)
            read = torch.cat([windows(ids, others, T), read], dim=1)
        scores = network(read)[0][:, -1]
    return F.cross_entropy(scores, targets).item()


def main() -> None:
    torch.set_num_threads(1)
    kitchen = lmkit.load("kitchen", unit="character").splits
    train, valid = ("".join(map("".join, kitchen[part])) for part in ("train", "valid"))
    number = {character: i for i, character in enumerate(sorted({*train, *valid}))}
    ids, valid_ids = (torch.tensor([number[c] for c in part]) for part in (train, valid[:20_000]))
    if OUT.exists():
        with OUT.open(newline="", encoding="utf-8") as file:
            done = {tuple(row[:4]) for row in csv.reader(file)}
    else:
        OUT.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
        done = set()
    for key in jobs():
        _, width, steps, _, _, half_life, seed = key
        if (str(width), str(steps), str(half_life), str(seed)) in done:
            continue
        network = learn(ids, len(number), key)
        rows = [
            (width, steps, half_life, seed, before, m, round(loss_after(network, valid_ids, m, before), 4))
            for before, lengths in (("zero", (*READ, 0)), ("other place", READ))
            for m in lengths
        ]
        for row in rows:
            print(*row, flush=True)
        with OUT.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
