"""What was recorded, read back."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from lmkit.models import Neural, build
from lmkit.paths import DATA
from lmkit.runs.configs import RUNS

FOLDER = DATA / "runs"


@dataclass(frozen=True)
class Run:
    """A recorded run. Losses are nats per token; `record` says by which command, where, and from which commit."""

    name: str
    record: dict[str, Any]
    history: pd.DataFrame
    numbers: dict[str, Any]  # by seed, as text: "test nats", "bits above the floor", "probes", ...
    folder: Path

    @property
    def seeds(self) -> list[str]:
        """Those of which there are numbers."""
        return [seed for seed in self.numbers if seed != "weights"]

    def each(self, name: str) -> list[float]:
        """A number of every seed, such as each("bits above the floor")."""
        return [self.numbers[seed][name] for seed in self.seeds]

    @cached_property
    def samples(self) -> list[tuple[str, str]]:
        """How each text was drawn, and the text."""
        lines = (self.folder / "samples.txt").read_text(encoding="utf-8").splitlines()
        return [(how, text) for how, _, text in (line.partition("\t") for line in lines)]

    @cached_property
    def model(self) -> Neural:
        """The trained network of the first seed, behind the interface of `lmkit.models`."""
        import torch

        config = RUNS[self.name]
        file = self.folder / "weights.pt"
        if not file.exists():
            raise ValueError(f"{self.name} was recorded without weights; `run.numbers` has what was measured.")
        symbols = (FOLDER / "symbols" / f"{config.level}.txt").read_text(encoding="utf-8").split("\n")[:-1]
        network = build(config.network, len(symbols), **config.sizes)
        weights = torch.load(file, map_location="cpu", weights_only=True)
        network.load_state_dict({name: value.float() for name, value in weights.items()})
        return Neural(network.eval(), symbols)


def names() -> list[str]:
    """The runs that are recorded."""
    return sorted(name for name in RUNS if (FOLDER / name / "record.json").exists())


def load(name: str) -> Run:
    """The recorded run of that name; ValueError if there is none."""
    folder = FOLDER / name
    if name not in RUNS or not (folder / "record.json").exists():
        raise ValueError(f"There is no recorded run {name!r}; choose one of: {', '.join(names())}.")
    numbers = json.loads((folder / "numbers.json").read_text())
    record = json.loads((folder / "record.json").read_text())
    return Run(name, record, pd.read_csv(folder / "history.csv"), numbers, folder)


def load_study(name: str) -> pd.DataFrame:
    """The results of a recorded study: variant, rate, seed, valid nats, CPU seconds, parameters of each of its runs."""
    file = FOLDER / name / "results.csv"
    if not file.exists():
        found = sorted(path.parent.name for path in FOLDER.glob("*/results.csv"))
        raise ValueError(f"There is no recorded study {name!r}; choose one of: {', '.join(found)}.")
    return pd.read_csv(file)
