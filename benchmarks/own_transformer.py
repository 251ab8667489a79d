"""Chapter 08's own parts on a text: its tokens, model, loss, optimiser and loop, as the reference has them.

python -m benchmarks.own_transformer TEXT [--seconds 300] [--seeds 1 2 3] [--rate 0.003]
python -m benchmarks.own_transformer TEXT --library     lmkit's Transformer with Muon instead
python -m benchmarks.own_transformer TEXT --lstm        an LSTM with as many weights in the chapter's loop
python -m benchmarks.own_transformer TEXT --tune        the last tenth left out: for choosing rates

Learns from the first nine tenths of the text and measures the whole last tenth in separate stretches of as many tokens
as the model reads in training: nats for each character. `--seconds` is CPU time of one thread: short trainings, thrown
away, tell how many steps fit in. lmkit's model is compiled, and the seconds that this takes are part of its time. With
`--steps` that many are taken, whatever they cost.

The sizes and rates of both Transformers were found on tiny Shakespeare by about a hundred trainings on a GPU, each with
the steps that 300 seconds of a CPU allow, which never saw the last tenth. The chapter itself takes `--merges 256`,
`--block 128`, `--std 0.05` and `--rate 0.003`: less waiting for the learner, and some 0.02 nats more.
"""

import argparse
import math
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch._inductor import config as inductor

from benchmarks.chapters import chapter_functions
from lmkit import bpe, models
from lmkit.runs import RunConfig, run
from lmkit.runs.rows import Rows, Spelling, Text
from lmkit.training import set_seed

MERGES = 512
PARTS = {"learn_merges", "encode", "decode", "examples", "lm_loss", "learn", "Stepper", "gpt", "initialise"}


def cpu_seconds() -> float:
    """CPU time of this program and of the compilers that it has called."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Trial:
    """A text in the chapter's tokens, and one model of it for each seed."""

    size = {"block": 96, "layers": 4, "heads": 4, "width": 128}
    batch_size, std, rate = 16, 0.07, 4e-3

    def __init__(
        self,
        text: str,
        merges: int = MERGES,
        block: int | None = None,
        batch: int | None = None,
        std: float | None = None,
    ) -> None:
        self.size = self.size | {"block": block or self.size["block"]}
        self.batch_size, self.std = batch or self.batch_size, std or self.std
        self.own: dict[str, Any] = chapter_functions("08_transformer", PARTS)

        cut = len(text) * 9 // 10
        begin = cpu_seconds()
        rules = self.own["learn_merges"](Counter(bpe.pieces(text[:cut])), merges)
        self.train, self.test = (torch.tensor(self.own["encode"](part, rules)) for part in (text[:cut], text[cut:]))
        print(f"{len(rules)} merges and all tokens: {cpu_seconds() - begin:.1f} s of CPU time")
        self.vocabulary = 256 + len(rules)
        self.characters = len(self.own["decode"](self.test[1:].tolist(), rules))

    def batch(self, number: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Inputs and targets [B, T] from random places."""
        starts = np.random.default_rng([seed, number]).integers(
            0, len(self.train) - self.size["block"], self.batch_size
        )
        inputs, targets = self.own["examples"](self.train, torch.from_numpy(starts), self.size["block"])
        return inputs, targets

    @torch.no_grad()
    def nats(self, model: Any, tokens: torch.Tensor) -> float:
        """The sum over all tokens but the first, in separate stretches."""
        total = 0.0
        for start in range(0, len(tokens) - 1, self.size["block"]):
            row = tokens[None, start : start + self.size["block"] + 1]
            total += self.own["lm_loss"](model(row[:, :-1]), row[:, 1:]).item() * (row.shape[1] - 1)
        return total

    def fresh(self) -> Any:
        """The model before its first step."""
        return self.own["initialise"](self.own["gpt"](self.vocabulary, **self.size), self.size["layers"], self.std)

    def trained(self, steps: int, rate: float, seed: int) -> tuple[Any, float]:
        """A model after so many steps, and the CPU seconds of its training; without early stopping."""
        set_seed(seed)
        model = self.fresh()
        begin = cpu_seconds()
        self.own["learn"](
            model,
            lambda number: self.batch(number, seed),
            lambda model, batch: self.own["lm_loss"](model(batch[0]), batch[1]),
            self.own["Stepper"](model, rate, steps, max(1, steps // 20)),
            lambda model: -cpu_seconds(),  # each one counts as the best yet
            steps,
            max(1, steps),
            99,
        )
        return model, cpu_seconds() - begin


class LstmTrial(Trial):
    """An LSTM with as many weights between its ends, in the chapter's loop."""

    std, rate = 0.5, 1.6e-2

    def fresh(self) -> Any:
        """The model before its first step."""
        model: Any = models.build("lstm", self.vocabulary, width=self.size["width"], hidden=377)
        torch.nn.init.normal_(model.embedding.weight, std=self.std)
        return model


class LibraryTrial(Trial):
    """lmkit's Transformer with rotary positions, token shift and Muon on these tokens, compiled."""

    size = {"block": 128, "layers": 4, "heads": 4, "width": 160}
    batch_size, std, rate = 12, 0.02, 0.028

    def trained(self, steps: int, rate: float, seed: int) -> tuple[Any, float]:
        """A model after so many steps, and the CPU seconds of its training."""
        sizes = {**self.size, "shift": True, "deviation": self.std, "rotary_base": 1_000.0}
        config = RunConfig(
            "own",
            "transformer",
            sizes,
            steps,
            rate,
            optimiser="muon",
            adam_rate=3e-3,
            warmup=50,
            betas=(0.9, 0.99),
            batch=self.batch_size,
            level="bpe",
            compiled=True,
            every=steps,
            validation_batches=1,
        )
        symbols = [str(token) for token in range(self.vocabulary)]
        text = Text("own", Spelling("bpe", symbols), self.train.int(), self.test.int(), "")
        begin = cpu_seconds()
        model, _ = run.trained(config, seed, Rows(text))
        return model.eval(), cpu_seconds() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--library", action="store_true")
    parser.add_argument("--lstm", action="store_true")
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--block", type=int, help="tokens that the model reads at once")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--std", type=float, help="of the first weights")
    parser.add_argument("--merges", type=int, default=MERGES)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    inductor.compile_threads, inductor.force_disable_caches = 1, True  # each training pays for its compiling
    text = chosen.text.read_text(encoding="utf-8")
    if chosen.tune:  # the last tenth is for measuring only
        text = text[: len(text) * 9 // 10]
    kind = LibraryTrial if chosen.library else LstmTrial if chosen.lstm else Trial
    trial = kind(text, chosen.merges, chosen.block, chosen.batch, chosen.std)
    rate = chosen.rate or trial.rate
    steps = chosen.steps
    if steps is None:
        trial.trained(3, rate, 0)  # what is slow only once
        begin = trial.trained(3, rate, 0)[1]
        step = (trial.trained(23, rate, 0)[1] - begin) / 20
        steps = int((chosen.seconds - begin) / step) + 3
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
