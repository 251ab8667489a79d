"""A plain Transformer and ours on the same characters, with the same number of weights and tokens, in one run.

    python -m benchmarks.transformer [--text FILE] [--steps 2000] [--only NAME ...]

Without --text: the characters of generated kitchen stories, 1.2 million. One thread. All neural models see the same
2,000 batches of 12 windows of 64 characters (1.536 million tokens) and take turns of 25 steps, so that what else the
machine does meets all of them alike; a step's time is the median over the turns of CPU time per step.

    plain         fp32, AdamW 1e-3, 100 steps of warm-up, cosine to a tenth; separate q, k, v, attention written out,
                  learned positions, LayerNorm, GELU
    ours          lmkit.transformer with AdamW, and with Muon; as it is, and compiled ("fast"; needs a C++ compiler),
                  in bfloat16 where the processor has instructions for it; with "shift", each part reads a learned
                  share of the token before
    LSTM          as many weights, AdamW; in windows too
    Kneser-Ney    chapter 02's reference, modified, order 7: counts all of the training text once

Losses are nats per character of the last tenth of the text. "windows": separate windows, as in training. "context":
each character predicted from at least half a block (the n-gram always has its six characters).
"""

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.optim import Optimizer

from benchmarks.commands import named_or_all
from benchmarks.ngrams import reference
from lmkit import ngrams
from lmkit.models import build
from lmkit.optimizers import adamw, muon
from lmkit.runs.batches import Batches
from lmkit.runs.configs import CONFIGS, changed
from lmkit.runs.processes import Processes
from lmkit.runs.rows import Text, read_text
from lmkit.runs.text import text_loss
from lmkit.training import set_seed, train, warmup_cosine
from lmkit.transformer import Transformer, TransformerConfig

BLOCK, BATCH, LAYERS, HEADS, WIDTH = 64, 12, 4, 4, 128
TURN = 25  # steps
KITCHEN = 230_000  # words, about 1.2 million characters
SEED = 1
USUAL = ["plain", "adamw", "muon", "muon-fast", "shift-fast", "lstm"]
# Without such instructions bfloat16 is computed in float32 and rounded, which is slower than float32 alone.
FAST_TYPE = "bfloat16" if torch.cpu.get_capabilities().get("avx512_bf16") else "float32"


# ---------------------------------------------------------------- the plain one
class PlainAttention(nn.Module):
    mask: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.register_buffer("mask", torch.ones(BLOCK, BLOCK).tril() == 0)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = (f(x).view(B, T, HEADS, C // HEADS).transpose(1, 2) for f in (self.query, self.key, self.value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(C // HEADS)
        weights = scores.masked_fill(self.mask[:T, :T], -math.inf).softmax(-1)
        mixed: Tensor = self.out((weights @ v).transpose(1, 2).reshape(B, T, C))
        return mixed


class PlainBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(WIDTH), PlainAttention(), nn.LayerNorm(WIDTH)
        self.feed_forward = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH, bias=False)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        x = x + self.feed_forward(self.norm2(x))
        return x


class Plain(nn.Module):
    """Initialised as GPT-2 was, output layer tied to the embedding."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.embedding, self.positions = nn.Embedding(vocabulary, WIDTH), nn.Embedding(BLOCK, WIDTH)
        self.blocks = nn.Sequential(*[PlainBlock() for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH)
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                writes = name.endswith(("out.weight", "feed_forward.2.weight"))
                nn.init.normal_(weight, std=0.02 / math.sqrt(2 * LAYERS) if writes else 0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens) + self.positions(torch.arange(tokens.shape[1]))
        scores: Tensor = self.norm(self.blocks(x)) @ self.embedding.weight.T
        return scores


# ---------------------------------------------------------------- runners
@dataclass
class Runner:
    """A model in training. `loss(tokens, targets)` is what is trained, `model(tokens)` what is judged."""

    name: str
    model: nn.Module
    loss: Callable[[Tensor, Tensor], Tensor]
    optimisers: Sequence[Optimizer]
    clip: float | None = 1.0
    lowest: float = 0.1
    times: list[float] = field(default_factory=list)  # CPU seconds a step, a figure for each turn
    first: float = 0.0  # CPU seconds of the first step, which compiles
    train_loss: float = math.nan  # mean of the last turn

    def __post_init__(self) -> None:
        self.rates = [group["lr"] for one in self.optimisers for group in one.param_groups]

    @property
    def parameters(self) -> int:
        return sum(weight.numel() for weight in self.model.parameters())

    def turn(self, batches: Batches, first: int, last: int, steps: int) -> None:
        """Steps first to last - 1."""
        whole = warmup_cosine(100, self.lowest)
        parts = [batches.make(number)[:2] for number in range(first, last)]  # reading is not what is compared
        groups = [group for one in self.optimisers for group in one.param_groups]
        for group, rate in zip(groups, self.rates, strict=True):
            group["lr"] = rate
        history = train(
            self.model,
            lambda step: parts[step],
            lambda model, part: (self.loss(*part), part[1].numel()),
            steps=last - first,
            optimiser=self.optimisers,
            schedule=lambda step, share: whole(first + step, (first + step) / steps),
            clip=self.clip,
            every=last - first if first else 1,
            clock=time.process_time,
        )
        self.train_loss = float(history["train loss"].iloc[-1])
        if first:  # the first turn holds compiling and the first touch of memory
            self.times.append(history.seconds.iloc[-1] / (last - first))
        else:
            self.first = history.seconds.iloc[0]


def scored(model: nn.Module) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda tokens, targets: F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())


def quick(model: nn.Module) -> Callable[[Tensor, Tensor], Tensor]:
    """The loss, compiled, with products in bfloat16 where the processor has instructions for them.

    Attention as plain products ("math"): torch's flash attention for CPUs goes backward slowly in bfloat16.
    """

    @torch.compile
    def compiled(tokens: Tensor, targets: Tensor) -> Tensor:
        with sdpa_kernel(SDPBackend.MATH):
            loss: Tensor = model(tokens, targets)
        return loss

    def loss(tokens: Tensor, targets: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=FAST_TYPE == "bfloat16"):
            value: Tensor = compiled(tokens, targets)
        return value

    return loss


def runners(vocabulary: int) -> dict[str, Callable[[], Runner]]:
    """Each made from the same seed."""

    def plain() -> Runner:
        model = Plain(vocabulary)
        return Runner("plain, AdamW", model, scored(model), [torch.optim.AdamW(model.parameters(), lr=1e-3)])

    def ours(which: str, fast: bool, shift: bool = False) -> Runner:
        config = TransformerConfig(vocabulary, block=BLOCK, layers=LAYERS, heads=HEADS, width=WIDTH, shift=shift)
        model = Transformer(config)
        optimisers = [adamw(model, 4e-3)] if which == "AdamW" else muon(model, model.blocks, 0.04, 1e-2)
        loss = quick(model) if fast else model
        name = f"ours{', shift' if shift else ''}, {which}{f', compiled, {FAST_TYPE}' if fast else ''}"
        return Runner(name, model, loss, optimisers, lowest=0.0)

    def lstm() -> Runner:
        model = build("lstm", vocabulary, width=WIDTH, hidden=372)
        return Runner("LSTM, AdamW", model, scored(model), [adamw(model, 4e-3, 0.01)], lowest=0.0)

    return {
        "plain": plain,
        "adamw": lambda: ours("AdamW", False),
        "muon": lambda: ours("Muon", False),
        "adamw-fast": lambda: ours("AdamW", True),
        "muon-fast": lambda: ours("Muon", True),
        "shift-fast": lambda: ours("Muon", True, shift=True),
        "lstm": lstm,
    }


def kneser_ney(text: Text, order: int) -> tuple[float, float, int]:
    """Loss, seconds of CPU, and how many n-grams the model holds."""
    begin = time.process_time()
    train, valid = ([text.spelling.symbols[number] for number in part.tolist()] for part in (text.train, text.valid))
    counts = ngrams.NgramCounts([train], order, ngrams.events([text.spelling.symbols]))
    P, weights = zip(*reference()["kneser_ney"](counts.levels, len(counts.vocabulary)), strict=True)
    model = ngrams.BackoffModel(counts, P, weights)
    logarithms = model.score([valid])[:-1]  # without the </s> that a text of characters does not have
    entries = sum(int(np.count_nonzero(level["count"])) for level in counts.levels)
    return -float(np.mean(logarithms)), time.process_time() - begin, entries


def main(
    more: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="More names for --only.")] = None,
    file: Annotated[Path | None, typer.Option("--text", help="A text file; default: generated stories.")] = None,
    steps: Annotated[int, typer.Option(help="Of training.")] = 2_000,
    only: Annotated[list[str] | None, typer.Option(help="Which models; default: all but adamw-fast.")] = None,
    order: Annotated[int, typer.Option(help="Of the n-gram.")] = 7,
    profiled: Annotated[bool, typer.Option("--profile", help="Where ten steps of each spend their time.")] = False,
) -> None:
    """A plain Transformer and ours, with the same weights and tokens."""
    torch.set_num_threads(1)

    corpus = [f"corpus={file}"] if file else []
    config = changed(
        CONFIGS["laptop"], ["level=character", f"tokens={KITCHEN}", f"batch={BATCH}", f"block={BLOCK}", *corpus]
    )
    text = read_text(config)
    print(f"{text.name}: {len(text.train):,} characters to learn from, {len(text.valid):,} to be judged on,", end=" ")
    symbols = text.spelling.symbols
    print(f"{len(symbols)} symbols; load {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, torch {torch.__version__}")
    made = []
    known = runners(len(symbols))
    for name in named_or_all([*(only or ()), *(more or ())] or USUAL, known):
        set_seed(SEED)
        made.append(known[name]())
    batches = Batches(text.train, config, SEED, Processes())
    for first in range(0, steps, TURN):
        for runner in made:
            runner.turn(batches, first, min(first + TURN, steps), steps)
        if first % 500 == 0:
            print(
                f"  step {first}: " + ", ".join(f"{one.name} {one.train_loss:.3f}" for one in made),
                flush=True,
            )

    print(f"\n| model | weights | ms a step | of {made[0].name} | CPU s | loss, windows | loss, context |")
    print("|---|---|---|---|---|---|---|")
    for one in made:
        # The share is the median of the shares of neighbouring turns, which met the same machine.
        share = np.median(np.array(one.times) / np.array(made[0].times)) if one.times else math.nan
        windows = text_loss(one.model, text.valid, BLOCK)
        context = text_loss(one.model, text.valid, BLOCK, context=BLOCK // 2)
        total = one.first + np.median(one.times) * (steps - 1)
        print(
            f"| {one.name} | {one.parameters:,} | {1000 * np.median(one.times):.1f} | {share:.2f} | {total:.0f}", end=""
        )
        print(f" | {windows:.3f} | {context:.3f} |", flush=True)
    loss, seconds, entries = kneser_ney(text, order)
    print(f"| Kneser-Ney {order}-gram | {entries:,} n-grams | | | {seconds:.1f} | | {loss:.3f} |")
    if text.floor:
        print(f"| floor of the language | | | | | | {text.floor:.3f} |")
    if profiled:
        for one in made:
            profile(one, batches)


def profile(runner: Runner, batches: Batches) -> None:
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU]) as found:
        runner.turn(batches, TURN, TURN + 10, TURN + 10)
    table = found.key_averages().table(sort_by="self_cpu_time_total", row_limit=18, max_name_column_width=50)
    print(f"\n{runner.name}\n{table}")


if __name__ == "__main__":
    typer.run(main)
