"""Does clipping help the LSTM of chapter 05, if each run may have its best learning rate?

    python -m benchmarks.lstm_clipping     about four CPU minutes; writes data/recurrent/clipping.csv

LSTMs of 96 numbers are trained for 100 steps on the kitchen text by characters, as in section 6: gradient descent on a
stream of 32 rows, pieces of 64 characters, a rate that falls to 0. Half-lives of 1 and 7 at the start, six rates, with
gradients clipped at 0.5 and not, three seeds. Nats per character on the first 5,000 held-out characters, and the
highest loss on the way. It is torch's LSTM, which computes what a learner's does.
"""

import csv
import itertools
import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

import lmkit
from benchmarks.lstm_or_counts import LIMIT, ROWS, Network, T, in_rows, loss_on
from benchmarks.lstm_starts import OUT as STARTS
from benchmarks.lstm_starts import SEEDS

OUT = STARTS.parent / "clipping.csv"
COLUMNS = ["half-life", "limit", "rate", "seed", "nats", "highest loss"]
RATES, STEPS, WIDTH = (1, 2, 5, 10, 20, 40), 100, 96


def learn(
    ids: Tensor, vocabulary: int, half_life: float, limit: float, rate: float, seed: int
) -> tuple[Network, float]:
    """A network trained once over the beginning of `ids`, and its highest loss."""
    torch.manual_seed(seed)
    network, open_gate, state, highest = Network(vocabulary, WIDTH, 32), 0.5 ** (1 / half_life), None, 0.0
    weights = dict(network.cell.named_parameters())
    with torch.no_grad():
        weights["bias_ih_l0"].zero_()
        weights["bias_ih_l0"][WIDTH : 2 * WIDTH] = math.log(open_gate / (1 - open_gate))
    inputs, targets = in_rows(ids[: ROWS * T * STEPS + 1], ROWS)
    for step in range(STEPS):
        piece = slice(T * step, T * (step + 1))
        scores, state = network(inputs[:, piece], state)
        state = (state[0].detach(), state[1].detach())
        network.zero_grad()
        loss = F.cross_entropy(scores.flatten(0, 1), targets[:, piece].flatten())
        loss.backward()
        highest = max(highest, loss.item())
        nn.utils.clip_grad_norm_(network.parameters(), limit)
        with torch.no_grad():
            for weight in network.parameters():
                if weight.grad is not None:
                    weight.sub_(weight.grad, alpha=rate * (1 - step / STEPS))
    return network, highest


def main() -> None:
    torch.set_num_threads(1)
    kitchen = lmkit.load("kitchen", unit="character").splits
    train, valid = ("".join(map("".join, kitchen[part])) for part in ("train", "valid"))
    number = {character: i for i, character in enumerate(sorted({*train, *valid}))}
    ids, valid_ids = (torch.tensor([number[c] for c in part]) for part in (train, valid[:5_000]))
    with OUT.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for half_life, limit, rate, seed in itertools.product((1, 7), (math.inf, LIMIT), RATES, SEEDS):
            network, highest = learn(ids, len(number), half_life, limit, rate, seed)
            row = (half_life, limit, rate, seed, round(loss_on(network, valid_ids), 2), round(highest, 1))
            print(*row, flush=True)
            writer.writerow(row)


if __name__ == "__main__":
    main()
