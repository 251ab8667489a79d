"""What is done in a student's process before their code comes, so that none of their time goes into it."""

import contextlib
import importlib
import sys
from pathlib import Path

OPTIMIZERS = "torch.optim"  # a module of which the first call imports hundreds of others


def prepare(modules: list[str], prelude: str) -> None:
    """Import what the notebook imports and run the course's own first cells."""
    warm_up(modules)
    run(prelude)


def warm_up(modules: list[str]) -> None:
    """Import modules, and do what is slow the first time. What fails here is left to the cell that it belongs to."""
    for name in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if OPTIMIZERS in modules:
        import torch

        torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    if "matplotlib" in sys.modules:
        import matplotlib.pyplot as plt

        plt.figure()
        plt.plot([0, 1])
        plt.gcf().canvas.draw()  # finds the fonts


def run(prelude: str) -> None:
    """Run the course's own first cells, for what they leave in caches; their names are forgotten."""
    path = list(sys.path)
    with contextlib.suppress(Exception):
        exec(prelude, {"__name__": "__prelude__"})
    sys.path[:] = path
    forget_relative_folders()
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def forget_relative_folders() -> None:
    """Have Python look again whether a folder such as `./code` has a module: it was asked about another place."""
    for folder in list(sys.path_importer_cache):
        if not Path(folder).is_absolute():
            del sys.path_importer_cache[folder]
