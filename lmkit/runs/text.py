"""What the house of runs asks of a text, and the loss that a network is judged by on it."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lmkit.runs.configs import RunConfig
from lmkit.runs.processes import Processes
from lmkit.training.tools import device_of, usual_precision

NO_TARGET = -100  # what torch's cross-entropy leaves out
MAX_TOKENS = 200_000  # of a text that is judged; more would not change the third digit

# Inputs [B, T], targets [B, T], how many targets there are, whether it is the last part of a step.
Part = tuple[Tensor, Tensor, int, bool]


class Source(Protocol):
    """Where a run's tokens come from, and how what was learned is measured."""

    @property
    def symbols(self) -> Sequence[str]:
        """Token number v is symbols[v]."""

    def batches(self, config: RunConfig, seed: int, processes: Processes) -> Callable[[int], Part]:
        """Part number i of the work of one process."""

    def validation(self, config: RunConfig, processes: Processes) -> list[Part]:
        """What each row of the history is validated on."""

    def clock(self) -> float:
        """Seconds that count as training."""

    def measured(self, config: RunConfig, network: nn.Module) -> dict[str, Any]:
        """What is asked of the network when its training is over."""

    def valid_nats(self, network: nn.Module) -> float:
        """The loss in nats per token on which stored weights are tried again."""

    def samples(self, config: RunConfig, network: nn.Module) -> str:
        """Texts that the network makes up."""

    def described(self) -> dict[str, Any]:
        """What the record says of the text."""


class Loss(nn.Module):
    """Network and loss as one module, so that torch.compile and DistributedDataParallel take them as one."""

    def __init__(self, network: nn.Module, padded: bool) -> None:
        super().__init__()
        self.network, self.padded = network, padded

    def forward(self, tokens: Tensor, targets: Tensor) -> Tensor:
        """Tokens [B, T] and targets [B, T] -> mean of -ln P(target) in nats, a scalar."""
        scores = self.network(tokens)  # [B, T, V]
        if self.padded:  # what is left out costs nothing
            kept = targets != NO_TARGET
            scores, targets = scores[kept], targets[kept]
        # In float32, also under autocast: a sum of V exponentials needs the digits.
        return F.cross_entropy(scores.flatten(0, -2).float(), targets.flatten())


@torch.no_grad()
def text_loss(
    network: nn.Module, text: Tensor, block: int, *, context: int = 0, batch: int = 64, most: int = MAX_TOKENS
) -> float:
    """Mean loss in nats of every token of a text [N] but the first, read in windows of `block` tokens.

    With `context` = 0 the windows are separate, and the first token of each is predicted from one token alone, which no
    reader of a long text would suffer. Else windows overlap, and each token has at least `context` tokens before it,
    where the text has. Computed where the network is, in the number format that it is trained in there.
    """
    text = text[: most + 1].long()
    last = len(text) - 1 - block  # where the last window begins
    if last < 0 or not 0 <= context < block:
        raise ValueError(f"The text has {len(text):,} tokens; a block of {block} and its targets need more.")
    begins = [*range(0, last, block - context), last]
    device, training = device_of(network), network.training
    precision = usual_precision(device)
    network.eval()
    total, done = 0.0, 0  # targets 1 to `done` have been counted
    for first in range(0, len(begins), batch):
        here = begins[first : first + batch]
        rows = torch.stack([text[begin : begin + block + 1] for begin in here]).to(device)
        with torch.autocast(device.type, getattr(torch, precision), enabled=precision != "float32"):
            scores = network(rows[:, :-1])  # [b, T, V]
        losses = F.cross_entropy(scores.flatten(0, 1).float(), rows[:, 1:].flatten(), reduction="none")
        for begin, row in zip(here, losses.view(len(here), block).double().cpu(), strict=True):
            total += float(row[done - begin :].sum())
            done = begin + block
    network.train(training)
    return total / done
