"""The batches of one process. A batch is a function of its number, so a resumed run goes on with the very next one."""

from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import torch
from torch import Tensor

Part = tuple[Tensor, Tensor, bool]  # tokens [b, T], targets [b, T], whether it is the last part of a step


class Batches:
    """Part number i of the work of one process.

    Of each step, all processes draw the same `batch` places of the text; each takes its share, in `accumulate` parts.
    So the number of processes and of parts changes nothing but the order of sums. While the model works on one part,
    a thread gets the next one ready, for a GPU in memory that it can fetch from by itself ("pinned").
    """

    def __init__(
        self,
        text: Tensor,
        block: int,
        batch: int,
        accumulate: int,
        *,
        rank: int = 0,
        processes: int = 1,
        seed: int = 1,
        seed_torch: bool = False,
        pinned: bool = False,
    ) -> None:
        if len(text) <= block:
            raise ValueError(f"The text has {len(text):,} tokens; a block of {block} and its targets need more.")
        if batch % (processes * accumulate):
            raise ValueError(f"batch {batch} cannot be divided among {processes} processes in {accumulate} parts.")
        self.text, self.block, self.batch, self.accumulate = text, block, batch, accumulate
        self.rank, self.processes, self.seed, self.pinned = rank, processes, seed, pinned
        self.seed_torch = seed_torch
        self.ahead: dict[int, Future[Part]] = {}
        self.thread = ThreadPoolExecutor(1)

    def __call__(self, number: int) -> Part:
        """tokens [b, T], targets [b, T], last; b = batch / processes / accumulate."""
        if self.seed_torch:  # dropout is then a function of number and process too, and needs no memory of its own
            torch.manual_seed(int(np.random.default_rng([self.seed, number, self.rank, 1]).integers(2**31)))
        part = self.ahead.pop(number).result() if number in self.ahead else self.make(number)
        self.ahead = {number + 1: self.thread.submit(self.make, number + 1)}
        return part

    def close(self) -> None:
        """End the thread."""
        self.thread.shutdown(cancel_futures=True)

    def make(self, number: int) -> Part:
        step, part = divmod(number, self.accumulate)
        places = np.random.default_rng([self.seed, step]).integers(len(self.text) - self.block, size=self.batch)
        mine = places.reshape(self.processes, self.accumulate, -1)[self.rank, part]
        window = torch.from_numpy(mine[:, None] + np.arange(self.block + 1))
        return *pair(self.text[window].long(), self.pinned), part == self.accumulate - 1


def pair(rows: Tensor, pinned: bool = False) -> tuple[Tensor, Tensor]:
    """Rows [b, T + 1] -> what is read and what is to be predicted, [b, T] each."""
    tokens, targets = rows[:, :-1].contiguous(), rows[:, 1:].contiguous()
    return (tokens.pin_memory(), targets.pin_memory()) if pinned else (tokens, targets)


def validation(text: Tensor, block: int, batch: int, count: int, *, rank: int = 0, processes: int = 1) -> list[Part]:
    """This process's share of up to `count` batches of neighbouring windows from the beginning of the text."""
    windows = (len(text) - 1) // block
    rows = min(count * batch, windows) // processes * processes
    if not rows:
        raise ValueError(f"The validation text has {len(text):,} tokens: too few for {processes} blocks of {block}.")
    whole = text[: windows * block + 1].long().unfold(0, block + 1, block)[:rows]  # [rows, T + 1]
    mine = whole[rank::processes]
    size = batch // processes
    return [(*pair(mine[i : i + size]), True) for i in range(0, len(mine), size)]
