"""One look for every figure of the course: sizes that fit a notebook, colours that colour-blind people tell apart."""

import io
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike
from PIL import Image

# The palette of M. Okabe and K. Ito (2008), made for all common kinds of colour vision; without yellow, pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

_STYLE: dict[str, Any] = {
    "figure.figsize": (7, 2.9),
    "figure.dpi": 72,
    "figure.constrained_layout.use": True,
    "font.size": 11,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.alpha": 0.3,
    "legend.frameon": False,
}


def use_style() -> None:
    """Make the course's look the default of this notebook, and its pictures small."""
    plt.style.use(_STYLE)
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:
        plt.switch_backend(plt.get_backend())  # the backend sets its own way to store pictures: let it go first
        shell.display_formatter.formatters["image/png"].for_type(Figure, picture)


def picture(figure: Figure) -> bytes:
    """The figure as PNG in 20 of its colours: a quarter of the bytes, and the eye sees no difference."""
    full, small = io.BytesIO(), io.BytesIO()
    figure.savefig(full, format="png", bbox_inches="tight", facecolor="white")
    few_colours(Image.open(full).convert("RGB"), 20).save(small, "png", optimize=True)
    return small.getvalue()


def few_colours(image: Image.Image, count: int) -> Image.Image:
    """The image in at most `count` of its own colours: each next one is far from those chosen, and not too rare.

    Pillow's way (median cut) counts pixels: where a colour has only a thin line or a mark in the legend, it becomes
    that of its neighbour, and the legend lies.
    """
    pixels = np.asarray(image).reshape(-1, 3).astype(int)
    colours, places, pieces = np.unique(pixels, axis=0, return_inverse=True, return_counts=True)
    chosen = [int(pieces.argmax())]
    distance = ((colours - colours[chosen[0]]) ** 2).sum(1)
    while len(chosen) < count and distance.any():
        chosen.append(int((distance * np.sqrt(pieces)).argmax()))
        distance = np.minimum(distance, ((colours - colours[chosen[-1]]) ** 2).sum(1))
    nearest = ((colours[:, None] - colours[chosen]) ** 2).sum(2).argmin(1).astype(np.uint8)
    few = Image.fromarray(nearest[places].reshape(image.height, image.width))
    few.putpalette(colours[chosen].astype(np.uint8).tobytes())
    return few


def zipf(counts: Mapping[str, int], axes: Axes, unit: str = "word") -> Axes:
    """Draw frequency against rank, both logarithmic; the dashed line is G. Zipf's law, f(r) = f(1) / r."""
    frequencies = np.sort(np.fromiter(counts.values(), dtype=float))[::-1]
    ranks = np.arange(1, len(frequencies) + 1)
    axes.loglog(ranks, frequencies, marker=".", markersize=3, linewidth=1)
    line = frequencies[0] / ranks
    axes.loglog(ranks[line >= 0.5], line[line >= 0.5], linestyle="--", color="gray", linewidth=1, label="1 / rank")
    axes.set_xlabel(f"rank of the {unit}")
    axes.set_ylabel("times it occurs")
    axes.legend()
    return axes


def lengths(sizes: Sequence[int], axes: Axes, unit: str = "word", part: str = "sentence") -> Axes:
    """Draw how many sentences have each length, in units; the longest hundredth shares the last bar."""
    top = max(1, int(np.quantile(sizes, 0.99)))
    width = max(1, -(-top // 40))
    edges = np.arange(0.5, top + width + 0.5, width)
    clipped = np.minimum(np.asarray(sizes), edges[-1] - 0.5)
    axes.hist(clipped, bins=edges.tolist(), rwidth=0.9)
    axes.set_xlabel(f"{unit}s in a {part}")
    axes.set_ylabel(f"number of {plural(part)}")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return axes


def dots(
    axes: Axes,
    x: Sequence[float],
    rows: ArrayLike,
    colour: str,
    label: str,
    line: Callable[..., Any] = np.mean,
) -> None:
    """A dot for each repetition, rows [len(x), repetitions]; a line through their means, or what `line` makes."""
    axes.plot(x, rows, "o", color=colour, alpha=0.4)
    axes.plot(x, line(np.asarray(rows), axis=1), color=colour, label=label)


def log_ticks(axes: Axes, values: Sequence[float], **labels: Any) -> None:
    """A logarithmic x axis with a tick at each of these values; `labels` as for `axes.set`."""
    axes.set(xscale="log", xticks=values, xticklabels=values, **labels)
    axes.minorticks_off()


def plural(noun: str) -> str:
    """The plural of a word on an axis or in a table."""
    return noun + ("es" if noun.endswith(("ch", "s", "x")) else "s")
