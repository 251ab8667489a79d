"""Makes copying.csv: how long a sentence can be until one vector no longer holds it.

    python -m benchmarks.record.copying [seconds of CPU for each run, 60]

Two LSTMs joined by one vector, and the same with attention, learn to copy sequences of 1 to 16 random words of 20
kinds. `right` is the share of 200 new sequences of each length that are copied without a single mistake, greedily.
The classes are those of chapter 09.
"""

from typing import Annotated, Any

import pandas as pd
import torch
import typer
from torch.nn import functional as F

from benchmarks.chapters import chapter_functions
from benchmarks.timed import train_for
from lmkit.paths import DATA

HERE = DATA / "seq2seq"
KINDS, LONGEST, FIRST = 20, 16, 4  # ids below FIRST are PAD, BOS, EOS, UNK
SEEDS = (1, 2)


def batch(size: int, length: int | None, draws: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Random sequences [size, LONGEST], PAD behind the end, and their lengths [size]; all of one length if given."""
    words = torch.randint(FIRST, FIRST + KINDS, (size, LONGEST), generator=draws)
    lengths = torch.randint(1, LONGEST + 1, (size,), generator=draws) if length is None else torch.full((size,), length)
    return words * (torch.arange(LONGEST) < lengths[:, None]), lengths


def run(model: Any, seconds: float, seed: int) -> int:
    """Train for so many seconds of CPU time; returns the steps."""
    draws = torch.Generator().manual_seed(seed)

    def loss(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, int]:
        source, lengths = pair
        given = torch.cat([torch.ones(64, 1, dtype=torch.long), source], dim=1)
        wanted = torch.cat([source, torch.zeros(64, 1, dtype=torch.long)], dim=1)
        wanted[torch.arange(64), lengths] = 2
        scores = model.decode(model.encode(source, lengths), given)
        return F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=0), int((wanted > 0).sum())

    optimiser = torch.optim.Adam(model.parameters(), 0.003)
    return int(train_for(seconds, model, lambda step: batch(64, None, draws), loss, optimiser).step.iloc[-1])


@torch.no_grad()
def right(model: Any, length: int) -> float:
    """Share of 200 new sequences of that length that the model copies to the letter, and then ends."""
    source, lengths = batch(200, length, torch.Generator().manual_seed(1000 + length))
    memory, written = model.encode(source, lengths), torch.ones(200, 1, dtype=torch.long)
    for _ in range(length + 1):
        written = torch.cat([written, model.decode(memory, written)[:, -1:].argmax(-1)], dim=1)
    wanted = torch.cat([source[:, :length], torch.full((200, 1), 2)], dim=1)
    return (written[:, 1:] == wanted).all(1).float().mean().item()


def main(seconds: Annotated[float, typer.Argument(help="Of CPU time, for each run.")] = 60) -> None:
    """Make the table again."""
    torch.set_num_threads(1)
    names, rows = chapter_functions("09_seq2seq", {"Seq2Seq", "Attentive"}), []
    for kind, d in (("Seq2Seq", 32), ("Seq2Seq", 128), ("Attentive", 32), ("Attentive", 128)):
        for seed in SEEDS:
            torch.manual_seed(seed)
            model = names[kind](FIRST + KINDS, FIRST + KINDS, d)
            steps = run(model, seconds, seed)
            for length in range(1, LONGEST + 1):
                rows.append((kind == "Attentive", d, seed, steps, length, right(model, length)))
            print(kind, d, seed, steps, [round(row[-1], 2) for row in rows[-LONGEST:]], flush=True)
            table = pd.DataFrame(rows, columns=["attention", "d", "seed", "steps", "length", "right"])
            table.to_csv(HERE / "copying.csv", index=False, float_format="%.3f")


if __name__ == "__main__":
    typer.run(main)
