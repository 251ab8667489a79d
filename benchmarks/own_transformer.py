"""Chapter 08's own parts on a text: its tokens, model, loss, optimiser and loop, as the reference has them.

python -m benchmarks.own_transformer TEXT [--seconds 300] [--seeds 1 2 3] [--rate 0.003]
python -m benchmarks.own_transformer TEXT --library     lmkit's Transformer with Muon instead
python -m benchmarks.own_transformer TEXT --lstm        an LSTM with as many weights in the chapter's loop
python -m benchmarks.own_transformer TEXT --tune        the last tenth left out: for choosing rates

Learns from the first nine tenths of the text and measures the whole last tenth in separate stretches of 128 tokens:
nats for each character. `--seconds` is CPU time of one thread: twenty steps, thrown away, tell how many fit in. With
`--steps` that many are taken, whatever they cost.
"""

import argparse
import math
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.chapters import chapter_functions
from lmkit import bpe, models
from lmkit.runs import RunConfig, run
from lmkit.runs.rows import Rows, Spelling, Text
from lmkit.training import set_seed

SIZE = {"block": 128, "layers": 4, "heads": 4, "width": 128}  # the chapter's, for a laptop
MERGES, BATCH = 256, 16
PARTS = {"learn_merges", "encode", "decode", "examples", "lm_loss", "learn", "Stepper", "gpt", "initialise"}


class Trial:
    """A text in the chapter's tokens, and one model of it for each seed."""

    def __init__(self, text: str, batch: int = BATCH, std: float = 0.05, merges: int = MERGES) -> None:
        self.batch_size, self.std = batch, std
        self.own: dict[str, Any] = chapter_functions("08_transformer", PARTS)

        cut = len(text) * 9 // 10
        begin = time.process_time()
        rules = self.own["learn_merges"](Counter(bpe.pieces(text[:cut])), merges)
        self.train, self.test = (torch.tensor(self.own["encode"](part, rules)) for part in (text[:cut], text[cut:]))
        print(f"{len(rules)} merges and all tokens: {time.process_time() - begin:.1f} s of CPU time")
        self.vocabulary = 256 + len(rules)
        self.characters = len(self.own["decode"](self.test[1:].tolist(), rules))

    def batch(self, number: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Inputs and targets [B, T] from random places."""
        starts = np.random.default_rng([seed, number]).integers(0, len(self.train) - SIZE["block"], self.batch_size)
        inputs, targets = self.own["examples"](self.train, torch.from_numpy(starts), SIZE["block"])
        return inputs, targets

    @torch.no_grad()
    def nats(self, model: Any, tokens: torch.Tensor) -> float:
        """The sum over all tokens but the first, in separate stretches."""
        total = 0.0
        for start in range(0, len(tokens) - 1, SIZE["block"]):
            row = tokens[None, start : start + SIZE["block"] + 1]
            total += self.own["lm_loss"](model(row[:, :-1]), row[:, 1:]).item() * (row.shape[1] - 1)
        return total

    def fresh(self) -> Any:
        """The model before its first step."""
        return self.own["initialise"](self.own["gpt"](self.vocabulary, **SIZE), SIZE["layers"], self.std)

    def trained(self, steps: int, rate: float, seed: int) -> tuple[Any, float]:
        """A model after so many steps, and the CPU seconds of its training; without early stopping."""
        set_seed(seed)
        model = self.fresh()
        begin = time.process_time()
        self.own["learn"](
            model,
            lambda number: self.batch(number, seed),
            lambda model, batch: self.own["lm_loss"](model(batch[0]), batch[1]),
            self.own["Stepper"](model, rate, steps, max(1, steps // 20)),
            lambda model: -time.process_time(),  # each one counts as the best yet
            steps,
            max(1, steps),
            99,
        )
        return model, time.process_time() - begin


class LstmTrial(Trial):
    """An LSTM with as many weights between its ends, in the chapter's loop."""

    def fresh(self) -> Any:
        """The model before its first step."""
        model: Any = models.build("lstm", self.vocabulary, width=SIZE["width"], hidden=377)
        torch.nn.init.normal_(model.embedding.weight, std=self.std)
        return model


class LibraryTrial(Trial):
    """lmkit's Transformer with rotary positions, token shift and Muon on these tokens."""

    def trained(self, steps: int, rate: float, seed: int) -> tuple[Any, float]:
        """A model after so many steps, and the CPU seconds of its training."""
        sizes = {**SIZE, "shift": True, "deviation": self.std}
        config = RunConfig(
            "own",
            "transformer",
            sizes,
            steps,
            rate,
            optimiser="muon",
            adam_rate=3e-3,
            warmup=50,
            batch=self.batch_size,
            level="bpe",
            every=steps,
            validation_batches=1,
        )
        symbols = [str(token) for token in range(self.vocabulary)]
        text = Text("own", Spelling("bpe", symbols), self.train.int(), self.test.int(), "")
        begin = time.process_time()
        model, _ = run.trained(config, seed, Rows(text))
        return model.eval(), time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--library", action="store_true")
    parser.add_argument("--lstm", action="store_true")
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--std", type=float, help="of the first weights")
    parser.add_argument("--merges", type=int, default=MERGES)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    text = chosen.text.read_text(encoding="utf-8")
    if chosen.tune:  # the last tenth is for measuring only
        text = text[: len(text) * 9 // 10]
    kind, std, rate = {
        "own": (Trial, 0.05, 3e-3),
        "library": (LibraryTrial, 0.02, 0.02),
        "lstm": (LstmTrial, 0.5, 1.6e-2),
    }["library" if chosen.library else "lstm" if chosen.lstm else "own"]
    trial, rate = kind(text, chosen.batch, chosen.std or std, chosen.merges), chosen.rate or rate
    steps = chosen.steps
    if steps is None:
        trial.trained(3, rate, 0)  # what is slow only once
        steps = int(chosen.seconds / (trial.trained(20, rate, 0)[1] / 20))
    for seed in chosen.seeds:
        model, seconds = trial.trained(steps, rate, seed)
        nats = trial.nats(model, trial.test)
        print(
            f"seed {seed}: {steps:,} steps in {seconds:.0f} s of CPU time;"
            f" {nats / trial.characters:.4f} nats a character,"
            f" {nats / trial.characters / math.log(2):.3f} bits; {nats / (len(trial.test) - 1):.3f} nats a token",
            flush=True,
        )


if __name__ == "__main__":
    main()
