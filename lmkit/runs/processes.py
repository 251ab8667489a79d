"""One process for each GPU (or, to try it, several on a CPU), started by torchrun, which tells them who they are."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor

from lmkit.training import choose_device


@dataclass(frozen=True)
class Processes:
    """Who I am among how many."""

    rank: int = 0
    count: int = 1
    device: torch.device = torch.device("cpu")

    @property
    def first(self) -> bool:
        """Whether I am the one that talks and writes files."""
        return self.rank == 0

    def mean(self, value: Tensor) -> Tensor:
        """The value, the mean over all processes, with the gradient of this process's own part.

        DDP takes the mean of the gradients, so each process must start from its own loss; what is shown to people
        must be the loss of all. Nothing waits for the result before it is looked at.
        """
        if self.count == 1:
            return value
        total = value.detach().clone()
        dist.all_reduce(total)
        return value + (total / self.count - value.detach())

    def wait(self) -> None:
        """Until all processes are here."""
        if self.count > 1:
            dist.barrier()


@contextmanager
def joined() -> Iterator[Processes]:
    """Join the other processes, if there are any, and leave them in the end."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    device = choose_device()
    if count == 1:
        yield Processes(device=device)
        return
    if device.type == "cuda":
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    # An hour: the others wait while the first one makes the text, or fetches it.
    dist.init_process_group(
        "nccl" if device.type == "cuda" else "gloo",
        timeout=timedelta(hours=1),
        device_id=device if device.type == "cuda" else None,
    )
    try:
        yield Processes(dist.get_rank(), count, device)
    finally:
        dist.destroy_process_group()
