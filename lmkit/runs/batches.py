"""Blocks of a long row of tokens, loaded ahead."""

from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from lmkit.runs.configs import RunConfig
from lmkit.runs.processes import Processes
from lmkit.runs.text import NO_TARGET, Part


class Batches:
    """Part number i of the work of one process: a function of i, so that a resumed run goes on with the very next one.

    Of each step, all processes draw the same `batch` places of the text; each takes its share, in `accumulate` parts.
    So the number of processes and of parts changes nothing but the order of sums. While the model works on one part,
    a thread gets the next one ready, for a GPU in memory that it can fetch from by itself ("pinned").
    """

    def __init__(self, text: Tensor, config: RunConfig, seed: int, processes: Processes) -> None:
        if len(text) <= config.block:
            raise ValueError(f"The text has {len(text):,} tokens; a block of {config.block} and its targets need more.")
        self.text, self.config, self.seed, self.processes = text, config, seed, processes
        self.ahead: dict[int, Future[Part]] = {}
        self.thread = ThreadPoolExecutor(1)

    def __call__(self, number: int) -> Part:
        """tokens [b, T], targets [b, T], how many, whether it is the last; b = batch / processes / accumulate."""
        if self.config.sizes.get("dropout"):  # a function of number and process too, which needs no memory of its own
            torch.manual_seed(int(np.random.default_rng([self.seed, number, self.processes.rank, 1]).integers(2**31)))
        part = self.ahead.pop(number).result() if number in self.ahead else self.make(number)
        self.ahead = {number + 1: self.thread.submit(self.make, number + 1)}
        return part

    def close(self) -> None:
        """End the thread."""
        self.thread.shutdown(cancel_futures=True)

    def make(self, number: int) -> Part:
        """The part itself, on the CPU."""
        config, block = self.config, self.config.block
        step, piece = divmod(number, config.accumulate)
        places = np.random.default_rng([self.seed, step]).integers(len(self.text) - block, size=config.batch)
        mine = places.reshape(self.processes.count, config.accumulate, -1)[self.processes.rank, piece]
        window = torch.from_numpy(mine[:, None] + np.arange(block + 1))
        tokens, targets = pair(self.text[window].long(), self.processes.device.type == "cuda")
        return tokens, targets, targets.numel(), piece == config.accumulate - 1


def pair(rows: Tensor, pinned: bool = False) -> tuple[Tensor, Tensor]:
    """Rows [b, T + 1] -> what is read and what is to be predicted, [b, T] each."""
    tokens, targets = rows[:, :-1].contiguous(), rows[:, 1:].contiguous()
    return (tokens.pin_memory(), targets.pin_memory()) if pinned else (tokens, targets)


def validation(text: Tensor, config: RunConfig, processes: Processes) -> list[Part]:
    """This process's share of up to `validation_batches` batches of neighbouring windows from the text's beginning.

    All parts have the shape of a part of training, so that a compiled model is compiled once: the last one is filled
    up with rows whose targets are left out.
    """
    block, size = config.block, config.batch // processes.count // config.accumulate
    windows = (len(text) - 1) // block
    rows = min(config.validation_batches * config.batch, windows) // processes.count * processes.count
    if not rows:
        raise ValueError(
            f"The validation text has {len(text):,} tokens: too few for {processes.count} blocks of {block}."
        )
    whole = text[: windows * block + 1].long().unfold(0, block + 1, block)[:rows]  # [rows, T + 1]
    parts = []
    for mine in whole[processes.rank :: processes.count].split(size):
        tokens, targets = pair(mine)
        fill = (0, 0, 0, size - len(mine))
        parts.append((F.pad(tokens, fill), F.pad(targets, fill, value=NO_TARGET), targets.numel(), True))
    return parts
