"""Chapter 11: what is no text becomes a row of tokens."""

from collections.abc import Mapping
from typing import Literal

from matplotlib.figure import Figure

from lmkit.drawings.canvas import SMALL, Canvas


def patches(p: Literal[2, 3] = 2) -> Figure:
    """A picture of 2 by 3 patches, cut, laid in a row, projected, read by a Transformer.

    Letters as in chapter 11, section 5: C colours, H by W pixels, patches of p by p pixels, T of them, n = p² C numbers
    in each; E [d, n] projects. One colour is drawn.
    """
    canvas = Canvas(14, 5.4)
    roles = ("input", "key", "value", "state", "query", "gradient")
    cell = 1.6 / 2 / p
    square = p * cell
    for t, role in enumerate(roles):
        x, y = 1.1 + (t % 3) * (square + 0.12), 3.2 - (t // 3) * (square + 0.12)
        canvas.grid(x, y, [[role] * p] * p, cell)
    canvas.text(2.05, 4.35, "image")
    canvas.text(2.05, 1.55, "$[B,C,H,W]$", 12)
    canvas.arrow((3.75, 2.75), (4.75, 2.75))
    canvas.text(4.25, 3.15, "cut", SMALL)
    for t, role in enumerate(roles):
        x = 5.35 + 0.55 * t
        column = canvas.vector(x, 2.75, p * p, role, upright=True, cell=1.2 / p / p)
        canvas.text(x, column.top[1] + 0.3, f"{t}", SMALL)
    canvas.text(6.72, 4.35, "patches")
    canvas.text(6.72, 1.55, "$[B,T,n]$", 12)
    project = canvas.box(9.7, 2.75, 1.5, 1.0, "times\n$E^{\\top}$", "weight")
    canvas.arrow((8.5, 2.75), project.left)
    canvas.text(9.7, 1.55, "$E\\;[d,n]$", 12)
    reader = canvas.box(12.2, 2.75, 2.2, 1.5, "Transformer", "weight")
    canvas.arrow(project.right, reader.left)
    canvas.text(11.6, 4.35, "$[B,T,d]$: embeddings", 11)
    canvas.text(7, 0.5, f"$p={p}$: each patch has $n=p^2C$ numbers; here one colour is drawn", SMALL)
    return canvas.figure


def shared_vocabulary(sizes: Mapping[str, int] | None = None) -> Figure:
    """One numbering for several kinds of token: each kind has a stretch of its own.

    Chapter 11, section 8: `sizes` says how many tokens each kind has, at most four kinds; the default is that of the
    recorded run.
    """
    sizes = dict(sizes or {"picture": 8, "words": 8, "arm": 32})
    if not 1 <= len(sizes) <= 4:
        raise ValueError(f"One to four kinds can be drawn; there are {len(sizes)}: leave some out.")
    roles = ("input", "key", "state", "value")
    canvas = Canvas(14, 3.6)
    wide, first = 12 / len(sizes), 0
    for number, (kind, size) in enumerate(sizes.items()):
        x = 1 + (number + 0.5) * wide
        canvas.box(x, 1.9, wide - 0.2, 0.8, kind, roles[number], rounded=False)
        canvas.text(x, 2.75, f"0 to {size - 1} in its kind", SMALL)
        canvas.text(x, 1.1, f"{first} to {first + size - 1}")
        first += size
    canvas.text(7, 3.25, "one softmax over all of them", 12)
    canvas.text(7, 0.45, f"shared numbers: $V={first}$")
    return canvas.figure


__all__ = ["patches", "shared_vocabulary"]
