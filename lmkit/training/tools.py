"""What to give to `train`, and how to look at what it returns."""

import math
import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

Batch = Any  # whatever the loss understands
Schedule = Callable[[int, float], float]


def set_seed(seed: int) -> None:
    """Seed Python, NumPy and torch (all devices): call it before the model is made."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def choose_device() -> torch.device:
    """ "cuda" if there is one, else "cpu"; another, such as "mps" on a Mac, if the variable LMKIT_DEVICE names it."""
    return torch.device(os.environ.get("LMKIT_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu"))


def device_of(model: nn.Module) -> torch.device:
    """Where the model's weights are; the CPU for a model without any."""
    return next((weight.device for weight in model.parameters()), torch.device("cpu"))


def synchronise(device: torch.device) -> None:
    """Wait until the device has done all that it was asked for; a CPU always has."""
    if device.type != "cpu":
        torch.get_device_module(device).synchronize()


def warmup_cosine(warmup: int = 100, lowest: float = 0.1) -> Schedule:
    """min(1, (step + 1) / warmup) * (lowest + (1 - lowest) * (1 + cos(pi * share)) / 2), share of the budget used."""

    def factor(step: int, share: float) -> float:
        cosine = (1 + math.cos(math.pi * share)) / 2
        return min(1.0, (step + 1) / max(warmup, 1)) * (lowest + (1 - lowest) * cosine)

    return factor


def shuffled(count: int, size: int, seed: int) -> Callable[[int], Tensor]:
    """For each step, which `size` of `count` examples are its batch, shape (size,): a new order for each pass.

    The `count % size` examples that are left over at the end of a pass wait for a later one.
    """
    if not 1 <= size <= count:
        raise ValueError(f"A batch of {size} cannot be drawn from {count} examples; size must be 1 to {count}.")
    orders: dict[int, Tensor] = {}

    def pick(step: int) -> Tensor:
        number, place = divmod(step, count // size)
        if number not in orders:
            orders.clear()
            orders[number] = torch.from_numpy(np.random.default_rng([seed, number]).permutation(count))
        return orders[number][place * size : (place + 1) * size]

    return pick


def to_device(batch: Any, device: torch.device) -> Any:
    """The batch with its tensors on the device, also those in tuples, lists and dicts."""
    if hasattr(batch, "to"):  # a tensor, or a packed sequence of texts of unequal length
        return batch.to(device, non_blocking=True)
    if isinstance(batch, tuple | list):
        return type(batch)(to_device(part, device) for part in batch)
    if isinstance(batch, dict):
        return {name: to_device(part, device) for name, part in batch.items()}
    return batch


def usual_precision(device: torch.device) -> str:
    """ "bfloat16" on a GPU that computes with it natively, else "float32"."""
    fast = device.type == "cuda" and torch.cuda.get_device_capability(device) >= (8, 0)
    return "bfloat16" if fast else "float32"


def plot_loss(history: pd.DataFrame, axes: Any = None) -> Any:
    """Draw train and validation loss in nats per token against the step; returns the axes."""
    import matplotlib.pyplot as plt

    axes = axes or plt.subplots()[1]
    for name in ("train loss", "validation loss"):
        if history[name].notna().any():
            axes.plot(history["step"], history[name], marker=".", label=name)
    axes.set_xlabel("step")
    axes.set_ylabel("loss (nats per token)")
    axes.legend()
    return axes


def live_plot() -> Callable[[pd.DataFrame], None]:
    """For `watch`: a figure under the cell that grows while somebody looks; nothing anywhere else."""
    handles: list[Any] = []

    def watch(history: pd.DataFrame) -> None:
        if "JPY_SESSION_NAME" not in os.environ:
            return
        import matplotlib.pyplot as plt
        from IPython.display import display

        figure, axes = plt.subplots()
        plot_loss(history, axes)
        plt.close(figure)
        if handles:
            handles[0].update(figure)
        else:
            handles.append(display(figure, display_id=True))

    return watch
