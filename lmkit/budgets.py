"""How much a cell may compute: the same cell trains a tiny model while it is graded and a real one on a GPU."""

import os
from dataclasses import dataclass
from typing import TypeVar

Size = TypeVar("Size")


@dataclass(frozen=True)
class Budget:
    """Sizes for one training run; a chapter that needs others names its own three with `choose`."""

    name: str
    steps: int
    batch: int  # texts in a batch
    length: int  # tokens of a text
    width: int  # of embeddings and hidden layers
    layers: int
    train_tokens: int  # how much of the corpus to learn from
    test_tokens: int

    def choose(self, grading: Size, laptop: Size, gpu: Size) -> Size:
        """The one of the three that belongs to this budget."""
        return {"grading": grading, "laptop": laptop, "gpu": gpu}[self.name]


# Measured on one core with 3,000 words, LSTM and Transformer: 1 to 2 s when graded, 2 to 4 minutes as on a laptop.
BUDGETS = {
    "grading": Budget("grading", 60, 16, 32, 64, 1, 30_000, 5_000),
    "laptop": Budget("laptop", 3_000, 16, 64, 128, 2, 1_000_000, 100_000),
    "gpu": Budget("gpu", 20_000, 64, 256, 384, 6, 1_000_000, 100_000),
}


def budget() -> Budget:
    """The budget that the variable LMKIT_BUDGET names; without it "gpu" where torch finds one, else "laptop".

    Graded and reference notebooks run with "grading".
    """
    name = os.environ.get("LMKIT_BUDGET")
    if not name:
        import torch

        name = "gpu" if torch.cuda.is_available() else "laptop"
    if name not in BUDGETS:
        raise ValueError(f"LMKIT_BUDGET is {name!r}; set it to one of: {', '.join(BUDGETS)}.")
    return BUDGETS[name]
