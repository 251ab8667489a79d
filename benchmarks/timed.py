"""Training for so many seconds of CPU time, which what else the machine does shortens least."""

import time
from collections.abc import Callable
from typing import Any

import pandas as pd
from torch import nn
from torch.optim import Optimizer

from lmkit.training import train


def steady_then_down(step: int, share: float) -> float:
    """The whole learning rate for half of the time, then in a line to 0."""
    return min(1.0, 2 * (1 - share))


def train_for(
    seconds: float,
    model: nn.Module,
    batches: Any,
    loss: Any,
    optimiser: Optimizer,
    schedule: Callable[[int, float], float] | None = steady_then_down,
    **more: Any,
) -> pd.DataFrame:
    """`lmkit.training.train`, timed by `time.process_time`; its history, whose last row is the end."""
    more |= {"seconds": seconds, "clock": time.process_time}
    return train(model, batches, loss, optimiser=optimiser, schedule=schedule, **more)
