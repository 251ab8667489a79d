"""Which start, which way of reading and which optimiser suit an LSTM of chapter 05 on a text?

    python -m benchmarks.lstm_starts TEXT   about an hour of CPU time; writes data/recurrent/starts.csv

TEXT is a file with tiny Shakespeare. On it and on the kitchen text by characters, LSTMs of chapter 05 are trained: one
layer of 96 or 192, 32 rows, pieces of 64 characters. Each starts with forget gates of one half-life; it reads the text
as a stream, with the state going on, or as random excerpts, each from a state of zero; and it is trained by gradient
descent as in section 7 (rate 20, falling to 0, clipped at 0.5) or by AdamW as in section 3 (rate 0.01, clipped at 1).
Nats per character on the first 20,000 held-out characters, read in ten rows, after the last step. Rows that the file
already has are not computed again. It is torch's LSTM, which computes what a learner's does.
"""

import argparse
import csv
import itertools
import math
import time
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

import lmkit
from benchmarks.lstm_or_counts import LIMIT, LR, ROWS, Network, T, in_rows, loss_on

OUT = Path(__file__).resolve().parent.parent / "data" / "recurrent" / "starts.csv"
COLUMNS = ["text", "width", "steps", "optimiser", "reading", "half-life", "seed", "nats", "CPU seconds"]
HALF_LIVES, SEEDS = (0.25, 0.5, 1, 2, 7, 100), (1, 2, 3)
SIZES = {96: 32, 192: 64}  # width: length of a character's vector
Key = tuple[str, int, int, str, str, float, int]


def jobs() -> list[Key]:
    """What is trained: text, width, steps, optimiser, reading, half-life, seed."""
    small = itertools.product(
        ("kitchen", "shakespeare"),
        (96,),
        (400,),
        ("descent", "AdamW"),
        ("stream", "excerpts"),
        HALF_LIVES,
        SEEDS,
    )
    long = itertools.product(("kitchen",), (192,), (4_000,), ("descent",), ("stream", "excerpts"), (1, 7, 100), SEEDS)
    return [*small, *long]


def learn(ids: Tensor, vocabulary: int, key: Key) -> Network:
    """A network trained as `key` says."""
    _, width, steps, optimiser, reading, half_life, seed = key
    torch.manual_seed(seed)
    network = Network(vocabulary, width, SIZES[width])
    weights = dict(network.cell.named_parameters())
    open_gate = 0.5 ** (1 / half_life)
    with torch.no_grad():
        weights["bias_ih_l0"].zero_()
        weights["bias_ih_l0"][width : 2 * width] = math.log(open_gate / (1 - open_gate))
    adamw = torch.optim.AdamW(network.parameters(), lr=0.01) if optimiser == "AdamW" else None
    inputs, targets = in_rows(ids, ROWS)
    places = range(0, inputs.shape[1], T)
    state = None
    for step in range(steps):
        if reading == "stream":
            place = places[step % len(places)]
            state = None if place == 0 else state
            read, wanted = (part[:, place : place + T] for part in (inputs, targets))
        else:
            begins = torch.randint(len(ids) - T - 1, (ROWS, 1)) + torch.arange(T)
            read, wanted, state = ids[begins], ids[begins + 1], None
        scores, state = network(read, state)
        state = (state[0].detach(), state[1].detach())
        network.zero_grad()
        F.cross_entropy(scores.flatten(0, 1), wanted.flatten()).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0 if adamw else LIMIT)
        if adamw:
            adamw.step()
        else:
            with torch.no_grad():
                for weight in network.parameters():
                    if weight.grad is not None:
                        weight.sub_(weight.grad, alpha=LR * (1 - step / steps))
    return network


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    plays = options.text.read_text(encoding="utf-8")
    kitchen = lmkit.load("kitchen", unit="character").splits
    texts = {
        "kitchen": ["".join(map("".join, kitchen[part])) for part in ("train", "valid")],
        "shakespeare": [plays[: len(plays) * 8 // 10], plays[len(plays) * 8 // 10 : len(plays) * 9 // 10]],
    }
    known = []
    if OUT.exists():
        with OUT.open(newline="", encoding="utf-8") as file:
            known = [tuple(row) for row in csv.reader(file)][1:]
    else:
        OUT.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    done = {row[:7] for row in known}
    for key in jobs():
        if tuple(map(str, key)) in done:
            continue
        train, valid = texts[key[0]]
        number = {character: i for i, character in enumerate(sorted({*train, *valid}))}
        ids, valid_ids = (torch.tensor([number[c] for c in part]) for part in (train, valid[:20_000]))
        begin = time.process_time()
        network = learn(ids, len(number), key)
        spent = time.process_time() - begin
        row = [*key, round(loss_on(network, valid_ids), 4), round(spent, 1)]
        print(*row, flush=True)
        with OUT.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow(row)


if __name__ == "__main__":
    main()
