"""What a run remembers, and the file that lets it go on after a kill."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
import torch.distributed as dist
from torch import Tensor, nn

from lmkit.files import write_whole
from lmkit.training.tools import to_device


@dataclass
class Progress:
    """How far a run has come: with the weights, the optimiser and the random states, all that its future depends on."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    rows: list[tuple[float, ...]] = field(default_factory=list)
    best_loss: float = math.inf
    best_weights: dict[str, Tensor] | None = None
    validations_since_best: int = 0
    carry: dict[str, Any] | None = None

    def note(self, validation_loss: float, model: nn.Module) -> None:
        """Remember the weights if this validation is the best so far."""
        self.validations_since_best += 1
        if validation_loss < self.best_loss:
            self.best_loss, self.validations_since_best = validation_loss, 0
            self.best_weights = {name: value.detach().clone() for name, value in model.state_dict().items()}

    def history(self) -> pd.DataFrame:
        names = ["step", "train loss", "validation loss", "learning rate", "tokens", "seconds"]
        return pd.DataFrame(self.rows, columns=names).astype({"step": int, "tokens": int})


@dataclass
class Checkpoint:
    """The file of a run, written beside its place and then moved there: a kill at any moment leaves a whole file."""

    path: Path
    model: nn.Module
    others: Sequence[Any]  # optimisers and scaler: all with state_dict and load_state_dict
    device: torch.device
    settings: dict[str, Any]  # what must not change between the parts of a run

    def save(self, progress: Progress) -> None:
        if dist.is_available() and dist.is_initialized() and dist.get_rank() > 0:
            return  # several processes train one model: the first one writes it, all of them read it
        name, numbers, *rest = tuple(np.random.get_state())
        here = torch.device("cpu")  # a file that can be read where that device is not
        parts = {
            "model": to_device(dict(self.model.state_dict()), here),
            "others": [to_device(one.state_dict(), here) for one in self.others],
            "settings": self.settings,
            "progress": to_device(vars(progress), here),
            "python": random.getstate(),
            "numpy": (name, np.asarray(numbers).tolist(), *rest),
            "torch": torch.get_rng_state(),
            "device": _generator(self.device).get_rng_state(),
        }
        write_whole(self.path, partial(torch.save, parts))

    def load(self) -> Progress | None:
        """Put everything back as it was saved; None if there is no file yet."""
        if not self.path.exists():
            return None
        other = f"{self.path} belongs to another run ({{}}). Delete it, or choose another file, to begin again."
        try:
            parts = torch.load(self.path, map_location="cpu", weights_only=True)
            found = parts["settings"]
        except Exception as error:
            raise ValueError(other.format("it is no checkpoint of lmkit.training")) from error
        for name, value in self.settings.items():
            if found.get(name) != value:
                raise ValueError(other.format(f"{name}: {found.get(name)} there, {value} here"))
        try:
            self.model.load_state_dict(parts["model"])
        except RuntimeError as error:
            raise ValueError(other.format("its model has other weights")) from error
        for one, state in zip(self.others, parts["others"], strict=True):
            one.load_state_dict(state)
        random.setstate(parts["python"])
        np.random.set_state(parts["numpy"])
        torch.set_rng_state(parts["torch"])
        _generator(self.device).set_rng_state(parts["device"])
        progress = Progress(**parts["progress"])
        progress.carry = to_device(progress.carry, self.device)
        print(f"Going on from step {progress.step} of {self.path} (delete the file to begin again).")
        return progress


def _generator(device: torch.device) -> Any:
    """The module that has the device's random state."""
    return torch if device.type == "cpu" else torch.get_device_module(device)
