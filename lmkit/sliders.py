"""A figure with a slider, for those who sit at a notebook; the same figure standing still for everybody else."""

import os
from collections.abc import Callable
from typing import Any


def slider(draw: Callable[[float], Any], start: float, low: float, high: float, step: float) -> None:
    """Draw the figure for `start`; in JupyterLab or the classic notebook, with a slider that draws it anew.

    Where a notebook is executed without a reader (build, grading, nbconvert) and where ipywidgets is missing, only the
    still figure appears.
    """
    if not somebody_is_here():
        draw(start)
        return
    import ipywidgets

    control = ipywidgets.FloatSlider(start, min=low, max=high, step=step, continuous_update=False)
    ipywidgets.interact(draw, **{_parameter(draw): control})


def somebody_is_here() -> bool:
    """Jupyter's server names the notebook to the kernels that it starts for a reader; nbclient does not."""
    if "JPY_SESSION_NAME" not in os.environ:
        return False
    try:
        import ipywidgets  # noqa: F401
    except ImportError:
        return False
    return True


def _parameter(draw: Callable[[float], Any]) -> str:
    import inspect

    return next(iter(inspect.signature(draw).parameters))
