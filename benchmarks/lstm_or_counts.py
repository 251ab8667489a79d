"""When does an LSTM of chapter 05 predict a text better than counting does: with how much text, after how long?

    python -m benchmarks.lstm_or_counts TEXT            some forty CPU minutes; writes data/recurrent/turn.csv
    python -m benchmarks.lstm_or_counts TEXT --seeds 1  a part of it, printed and not written
    ... --seeds 1 --others                              of it, the other LSTMs only

TEXT is a plain text file. Its first eight tenths are to learn from, the next tenth chooses (the order of the counting
model; for the LSTM how many steps, and the moment at which it was best), and the last tenth is asked once. Both read
the same first N characters. Counting: modified Kneser-Ney of the best order from 2 to 7. LSTM: as in chapter 05, one
layer of 192 without dropout, plain gradient descent with clipping, 32 rows, pieces of 64 characters, the forget gates
mostly open at the start (a bias of 2); the learning rate falls to 0 in a straight line, the text is read again and
again. The others read all of the text; they differ from this LSTM in the start, in the width, or in the optimiser. It
is torch's LSTM, which computes what a learner's does, about three times as fast.
"""

import argparse
import csv
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lmkit import ngrams

OUT = Path(__file__).resolve().parent.parent / "data" / "recurrent" / "turn.csv"
ROWS, T, D, K, LR, LIMIT, B_F = 32, 64, 64, 192, 20.0, 0.5, 2.0
STEPS = {  # characters: how many steps are tried
    10_000: (100, 200, 500),
    30_000: (200, 400, 1_000),
    100_000: (500, 1_000, 2_000),
    300_000: (1_000, 2_000, 4_000),
}
LENGTHS = (500, 1_000, 2_000, 4_000, 8_000)  # steps on all of the text, each a training of its own
ADAMW_LR = 5e-3
COLUMNS = ["model", "characters", "steps", "seed", "nats", "chosen", "CPU seconds"]
Row = tuple[str, int, int, int, float, int, float]


@dataclass(frozen=True)
class Kind:
    """Width, optimiser (AdamW or gradient descent) and forget bias at the start of an LSTM."""

    k: int = K
    adamw: bool = False
    b_f: float = B_F


OTHERS = {  # model in the file: its kind, training steps on all of the text
    "LSTM of 384, AdamW": (Kind(384, adamw=True), 2_000),
    "LSTM of 192, AdamW": (Kind(adamw=True), 2_000),
    "LSTM of 384, descent": (Kind(384), 2_000),
    "LSTM, half open": (Kind(b_f=0.0), 4_000),
    "LSTM of 192, AdamW, half open": (Kind(adamw=True, b_f=0.0), 2_000),
}


class Network(nn.Module):
    """Characters [B, T] and a state -> scores [B, T, V] and the state after them."""

    def __init__(self, vocabulary: int, k: int = K, d: int = D, b_f: float = B_F) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d)
        self.cell = nn.LSTM(d, k, batch_first=True)
        self.out = nn.Linear(k, vocabulary)
        weights = dict(self.cell.named_parameters())
        with torch.no_grad():
            weights["bias_ih_l0"][k : 2 * k] = b_f
            weights["bias_hh_l0"].zero_()

    def forward(
        self, tokens: Tensor, state: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        states, state = self.cell(self.embedding(tokens), state)
        return self.out(states), state


def in_rows(ids: Tensor, rows: int) -> tuple[Tensor, Tensor]:
    """A stream in rows [rows, L], and the same one character later."""
    length = (len(ids) - 1) // rows
    return ids[: rows * length].view(rows, length), ids[1 : rows * length + 1].view(rows, length)


@torch.no_grad()
def loss_on(network: Any, ids: Tensor) -> float:
    """Nats per character, read in ten rows with the state going on."""
    inputs, targets = in_rows(ids, 10)
    scores, _ = network(inputs)
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten()).item()


def learn(
    ids: Tensor, valid: Tensor, vocabulary: int, steps: int, seed: int, kind: Kind = Kind()
) -> tuple[Any, float, int, float]:
    """The network when it was best on `valid`, its nats there, the step, and the CPU seconds of training."""
    torch.manual_seed(seed)
    network: Any = Network(vocabulary, kind.k, b_f=kind.b_f)
    adamw = torch.optim.AdamW(network.parameters(), lr=ADAMW_LR) if kind.adamw else None
    state, place = None, 0
    inputs, targets = in_rows(ids, ROWS)
    best, chosen, spent = float("inf"), 0, 0.0
    kept: dict[str, Tensor] = {}
    for step in range(steps):
        begin = time.process_time()
        if place >= inputs.shape[1]:
            place, state = 0, None
        piece = slice(place, place + T)
        place += T
        scores, state = network(inputs[:, piece], state)
        state = (state[0].detach(), state[1].detach())
        network.zero_grad()
        F.cross_entropy(scores.flatten(0, 1), targets[:, piece].flatten()).backward()
        nn.utils.clip_grad_norm_(network.parameters(), LIMIT)
        if adamw:
            adamw.param_groups[0]["lr"] = ADAMW_LR * (1 - step / steps)
            adamw.step()
        else:
            with torch.no_grad():
                for weight in network.parameters():
                    weight.sub_(weight.grad, alpha=LR * (1 - step / steps))
        spent += time.process_time() - begin
        if (step + 1) % max(1, steps // 20) == 0:
            found = loss_on(network, valid)
            if found < best:
                best, chosen = found, step + 1
                kept = {name: value.clone() for name, value in network.state_dict().items()}
    network.load_state_dict(kept)
    return network, best, chosen, spent


def counted(text: str, valid: str, test: str, symbols: list[str]) -> tuple[float, int, float]:
    """Nats per character of `test` under Kneser-Ney of the order that is best on `valid`, that order, CPU seconds."""
    begin, best = time.process_time(), (float("inf"), 0)
    for order in range(2, 8):
        model = ngrams.kneser_ney([[*text]], order, symbols)
        best = min(best, (-float(model.score([[*valid]])[:-1].mean()), order))
    model = ngrams.kneser_ney([[*text]], best[1], symbols)
    return -float(model.score([[*test]])[:-1].mean()), best[1], time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--seeds", type=int, nargs="*")
    parser.add_argument("--sizes", type=int, nargs="*", help="only these numbers of characters (0: all)")
    parser.add_argument("--others", action="store_true", help="only the other LSTMs")
    parser.add_argument("--part", type=Path, help="write the rows of these seeds here")
    options = parser.parse_args()
    torch.set_num_threads(1)
    text = options.text.read_text(encoding="utf-8")
    first, second = len(text) * 8 // 10, len(text) * 9 // 10
    train, valid, test = text[:first], text[first:second], text[second:]
    kinds = sorted(set(text))
    number = {character: i for i, character in enumerate(kinds)}
    ids, valid_ids, test_ids = (torch.tensor([number[c] for c in part]) for part in (train, valid[:20_000], test))
    rows: list[Row] = []

    def note(row: Row) -> None:
        rows.append(row)
        print(*row, flush=True)

    seeds = [1, 2, 3] if options.seeds is None else options.seeds
    if options.seeds is None or 0 in seeds:
        for size in (*STEPS, 0):
            read = train[: size or None]
            nats, order, spent = counted(read, valid[:20_000], test, [*kinds, "<UNK>", "</s>"])
            note(("Kneser-Ney", len(read), 0, 0, round(nats, 4), order, round(spent, 1)))
    for seed in (seed for seed in seeds if seed):
        for name, (kind, steps) in OTHERS.items() if options.others or options.seeds is None else ():
            network, _, chosen, spent = learn(ids, valid_ids, len(kinds), steps, seed, kind)
            nats = loss_on(network, test_ids)
            note((name, len(train), steps, seed, round(nats, 4), chosen, round(spent, 1)))
        for size, tried in [*STEPS.items(), *((0, (steps,)) for steps in LENGTHS)]:
            if options.others or (options.sizes and size not in options.sizes):
                continue
            trained = {steps: learn(ids[: size or None], valid_ids, len(kinds), steps, seed) for steps in tried}
            steps = min(trained, key=lambda steps: trained[steps][1])
            network, _, chosen, spent = trained[steps]
            nats = loss_on(network, test_ids)
            note(("LSTM", size or len(train), steps, seed, round(nats, 4), chosen, round(spent, 1)))
    path = options.part if options.seeds is not None else OUT
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(rows)


if __name__ == "__main__":
    main()
