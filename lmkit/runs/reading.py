"""What was recorded, read back: the record, the numbers, and the model."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from lmkit.paths import DATA
from lmkit.runs.configs import RUNS, RunConfig

if TYPE_CHECKING:
    from torch import nn

    from lmkit.models import Neural
    from lmkit.runs.rows import Spelling

FOLDER = DATA / "runs"


@dataclass(frozen=True)
class Run:
    """A recorded run. Losses are nats per token; `record` says by which command, where, and from which commit."""

    name: str
    record: dict[str, Any]
    history: pd.DataFrame
    numbers: dict[str, Any]  # by seed, as text: "test nats", "bits above the floor", "probes", ...
    folder: Path

    @cached_property
    def config(self) -> RunConfig:
        """What was run."""
        return RunConfig.read(self.record["config"])

    @property
    def seeds(self) -> list[str]:
        """What there are numbers of."""
        return [seed for seed in self.numbers if seed != "weights"]

    def each(self, name: str) -> list[float]:
        """A number of every seed, such as each("bits above the floor")."""
        return [self.numbers[seed][name] for seed in self.seeds]

    @cached_property
    def samples(self) -> list[tuple[str, str]]:
        """How each story was drawn, and the story; of a run with a corpus, samples.txt is for people to read."""
        lines = (self.folder / "samples.txt").read_text(encoding="utf-8").splitlines()
        return [(how, text) for how, _, text in (line.partition("\t") for line in lines)]

    @cached_property
    def spelling(self) -> "Spelling":
        """How text becomes the numbers that the network reads, and back."""
        from lmkit.runs.rows import Spelling

        file = self.folder / "spelling.json"
        if file.exists():
            return Spelling(**json.loads(file.read_text(encoding="utf-8")))
        level = self.config.level
        symbols = (FOLDER / "symbols" / f"{level}.txt").read_text(encoding="utf-8").split("\n")[:-1]
        return Spelling(level, symbols)

    @cached_property
    def network(self) -> "nn.Module":
        """The trained network of the first seed, on the CPU; ValueError if the run was recorded without weights."""
        from lmkit.models import build
        from lmkit.runs.record import load_weights

        if not (self.folder / "weights.pt").exists():
            raise ValueError(f"{self.name} was recorded without weights; `run.numbers` has what was measured.")
        network = build(self.config.network, len(self.spelling.symbols), **self.config.sizes)
        network.load_state_dict(load_weights(self.folder))
        return network.eval()

    @cached_property
    def model(self) -> "Neural":
        """The network behind the interface of `lmkit.models`, for texts that end with `</s>`."""
        from lmkit.models import Neural

        return Neural(self.network, self.spelling.symbols)

    def write(
        self, prompt: str = "", count: int = 200, *, temperature: float = 1.0, top_p: float = 0.95, seed: int = 0
    ) -> str:
        """The prompt and `count` more tokens that the model draws after it."""
        from lmkit.runs.rows import continued

        begin = [self.spelling.start, *self.spelling.encode(prompt)]
        row = continued(self.network, begin, count, self.config.block, temperature=temperature, top_p=top_p, seed=seed)
        return self.spelling.spell(row[1:])


def names() -> list[str]:
    """The runs that are recorded."""
    return sorted(name for name in RUNS if (FOLDER / name / "record.json").exists())


def load(run: str | Path) -> Run:
    """The recorded run of that name, or whatever run is in that folder; ValueError if there is none."""
    folder = FOLDER / run if (FOLDER / run / "record.json").exists() else Path(run)
    try:
        record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
        numbers = json.loads((folder / "numbers.json").read_text(encoding="utf-8"))
        return Run(record["name"], record, pd.read_csv(folder / "history.csv"), numbers, folder)
    except (OSError, ValueError, KeyError):
        raise ValueError(
            f"There is no recorded run {str(run)!r}; give the folder of one, or choose one of: {', '.join(names())}."
        ) from None


def load_study(name: str) -> pd.DataFrame:
    """The results of a recorded study: variant, rate, seed, valid nats, CPU seconds, parameters of each of its runs."""
    file = FOLDER / name / "results.csv"
    if not file.exists():
        found = sorted(path.parent.name for path in FOLDER.glob("*/results.csv"))
        raise ValueError(f"There is no recorded study {name!r}; choose one of: {', '.join(found)}.")
    return pd.read_csv(file)
