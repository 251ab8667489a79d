"""How much a cell may compute: the same cell trains a tiny model while it is graded and a real one on a GPU."""

import os
from dataclasses import dataclass
from typing import TypeVar

Size = TypeVar("Size")
NAMES = ("grading", "laptop", "gpu")


@dataclass(frozen=True)
class Budget:
    """One of three: "grading", about a second on one core; "laptop", minutes on a CPU; "gpu", minutes on a GPU.

    Sizes for "gpu" are meant for a GPU: a cell that trains with them has its model and its batches there.
    """

    name: str

    def choose(self, grading: Size, laptop: Size, gpu: Size) -> Size:
        """The one of the three that belongs to this budget."""
        return {"grading": grading, "laptop": laptop, "gpu": gpu}[self.name]


def budget() -> Budget:
    """The budget that the variable LMKIT_BUDGET names; without it "gpu" where torch finds one, else "laptop".

    Graded and reference notebooks run with "grading".
    """
    name = os.environ.get("LMKIT_BUDGET")
    if not name:
        import torch

        name = "gpu" if torch.cuda.is_available() else "laptop"
    if name not in NAMES:
        raise ValueError(f"LMKIT_BUDGET is {name!r}; set it to one of: {', '.join(NAMES)}.")
    return Budget(name)


def is_grading() -> bool:
    """Whether the course itself runs the notebook: to build, to check or to grade it."""
    return os.environ.get("LMKIT_BUDGET") == "grading"
