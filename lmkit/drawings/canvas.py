"""The shapes every drawing is made of: boxes, circles, vectors, grids, arrows, braces, text.

One unit is half an inch, so a drawing of 14 by 7 units fills a notebook's 7 by 3.5 inches. The origin is the lower left
corner. A shape is placed by its centre and knows the points where arrows touch it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path

from lmkit.plots import COLOURS

Point = tuple[float, float]

# What a colour means, in every drawing. What a lookup reads out is what comes out: value and output share a colour.
ROLES = {
    "query": COLOURS[0],
    "key": COLOURS[4],
    "value": COLOURS[2],
    "state": COLOURS[3],
    "gradient": COLOURS[1],
    "input": COLOURS[5],
    "output": COLOURS[2],
    "weight": COLOURS[6],
    "masked": "#C8C8C8",
}
LINE = "#000000"
GROUND = "#FFFFFF"

TEXT = 11  # points
MATH = 13  # alone, a formula needs more: its subscripts are smaller
SMALL = 10


def tint(role: str) -> str:
    """The pale shade of a role's colour, on which black text is easy to read."""
    share = {"weight": 0.08, "masked": 0.25}.get(role, 0.25)
    channels = (int(ROLES[role][i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - share * (255 - channel)):02X}" for channel in channels)


def plain(words: str) -> str:
    """Words of a text as a label: a dollar sign in them starts no formula."""
    return words.replace("$", r"\$")


@dataclass(frozen=True)
class Shape:
    """Where something was drawn: its centre and its size."""

    x: float
    y: float
    width: float
    height: float
    name: str = ""

    @property
    def left(self) -> Point:
        return self.x - self.width / 2, self.y

    @property
    def right(self) -> Point:
        return self.x + self.width / 2, self.y

    @property
    def top(self) -> Point:
        return self.x, self.y + self.height / 2

    @property
    def bottom(self) -> Point:
        return self.x, self.y - self.height / 2


class Canvas:
    """A white sheet of `width` by `height` units."""

    def __init__(self, width: float, height: float) -> None:
        # Not from pyplot: a figure that pyplot keeps would be shown a second time at the end of the cell.
        # As fine as the notebook's other figures, if these are finer than the 72 dots an inch of a plain screen.
        dpi = max(72.0, float(rcParams["figure.dpi"]))
        self.figure = Figure(figsize=(width / 2, height / 2), dpi=dpi, facecolor=GROUND)
        self.figure.set_layout_engine("none")  # the course's constrained layout warns of axes placed by hand
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, width), ylim=(0, height), aspect="equal")
        self.axes.set_axis_off()
        self._names = 0

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float | None = None,
        align: Literal["left", "center", "right"] = "center",
        inside: Shape | None = None,
    ) -> None:
        """Black text, vertically centred on (x, y). `inside` names the shape that must hold it (a test looks)."""
        if size is None:
            size = MATH if words.startswith("$") and words.endswith("$") else TEXT
        self.axes.text(
            x,
            y,
            words,
            fontsize=size,
            ha=align,
            va="center",
            color=LINE,
            family="DejaVu Sans",
            math_fontfamily="dejavuserif",
            linespacing=1.25,
            zorder=5,
            gid=inside.name if inside else None,
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        label: str = "",
        role: str | None = None,
        rounded: bool = True,
        dashed: bool = False,
        size: float | None = None,
        behind: bool = False,
    ) -> Shape:
        """A box with a label; without a role it is white: an operation that has no numbers of its own."""
        shape = Shape(x, y, width, height, self._name())
        corner = (x - width / 2, y - height / 2)
        look: dict[str, Any] = {
            "facecolor": tint(role) if role else GROUND,
            "edgecolor": ROLES[role] if role else LINE,
            "linewidth": 1.3,
            "linestyle": (0, (4, 3)) if dashed else "solid",
            "zorder": 0.5 if behind else 2,
            "gid": shape.name,
        }
        if rounded:
            self.axes.add_patch(FancyBboxPatch(corner, width, height, "round,pad=0,rounding_size=0.14", **look))
        else:
            self.axes.add_patch(Rectangle(corner, width, height, **look))
        if label:
            self.text(x, y, label, size, inside=shape)
        return shape

    def circle(
        self, x: float, y: float, label: str, role: str | None = None, radius: float = 0.3, behind: bool = False
    ) -> Shape:
        """An operator: plus, times, a sum."""
        shape = Shape(x, y, 2 * radius, 2 * radius, self._name())
        self.axes.add_patch(
            Circle(
                (x, y),
                radius,
                facecolor=tint(role) if role else GROUND,
                edgecolor=ROLES[role] if role else LINE,
                linewidth=1.3,
                zorder=0.5 if behind else 2,
                gid=shape.name,
            )
        )
        if label:
            self.text(x, y, label, inside=shape)
        return shape

    def vector(self, x: float, y: float, numbers: int, role: str, upright: bool = False, cell: float = 0.3) -> Shape:
        """A vector: one small square for each number."""
        rows, columns = (numbers, 1) if upright else (1, numbers)
        return self.grid(x, y, [[role] * columns] * rows, cell)

    def grid(
        self,
        x: float,
        y: float,
        roles: Sequence[Sequence[str | None]],
        cell: float = 0.4,
        labels: Sequence[Sequence[str]] | None = None,
    ) -> Shape:
        """A matrix, row 0 on top: each cell has the colour of its role (None: white), and perhaps a label."""
        rows, columns = len(roles), len(roles[0])
        shape = Shape(x, y, columns * cell, rows * cell, self._name())
        for row in range(rows):
            for column in range(columns):
                role = roles[row][column]
                corner = (x - shape.width / 2 + column * cell, y + shape.height / 2 - (row + 1) * cell)
                square = Shape(corner[0] + cell / 2, corner[1] + cell / 2, cell, cell, self._name())
                self.axes.add_patch(
                    Rectangle(
                        corner,
                        cell,
                        cell,
                        facecolor=tint(role) if role else GROUND,
                        edgecolor=ROLES[role] if role else ROLES["masked"],
                        linewidth=1,
                        zorder=2 if role and role != "masked" else 1.9,
                        gid=square.name,
                    )
                )
                if labels and labels[row][column]:
                    self.text(square.x, square.y, labels[row][column], SMALL, inside=square)
        return shape

    def arrow(
        self,
        *points: Point,
        role: str | None = None,
        dashed: bool = False,
        head: bool = True,
        label: str = "",
        label_at: Point | None = None,
        align: Literal["left", "center", "right"] = "center",
        curved: bool = False,
        width: float = 1.3,
    ) -> None:
        """A line through the points with a head at the last. `curved`: the points between only pull it."""
        colour = ROLES[role] if role else LINE
        ends = [np.array(point, dtype=float) for point in points]
        way = ends[-1] - ends[-2]
        way /= np.hypot(*way)
        length = 0.26
        if head:
            side = np.array([-way[1], way[0]]) * 0.11
            base = ends[-1] - way * length
            tip = Polygon(
                [ends[-1], base + side, base - side], closed=True, facecolor=colour, linewidth=0, zorder=3, gid="head"
            )
            self.axes.add_patch(tip)
            ends[-1] = ends[-1] - way * (length - 0.02)
        if curved:
            codes = [Path.MOVETO] + [Path.CURVE3 if len(ends) == 3 else Path.CURVE4] * (len(ends) - 1)
        else:
            codes = [Path.MOVETO] + [Path.LINETO] * (len(ends) - 1)
        self.axes.add_patch(
            PathPatch(
                Path(np.array(ends), codes),
                facecolor="none",
                edgecolor=colour,
                linewidth=width,
                linestyle=(0, (4, 3)) if dashed else "solid",
                zorder=1.5,
                gid="line",
            )
        )
        if label and label_at:
            self.text(*label_at, label, align=align)

    def brace(self, left: float, right: float, y: float, label: str = "", below: bool = False) -> None:
        """A square bracket over (or below) what lies between two places, with a label at its middle."""
        way = -1 if below else 1
        self.arrow((left, y - 0.15 * way), (left, y), (right, y), (right, y - 0.15 * way), head=False, width=1)
        if label:
            self.text((left + right) / 2, y + 0.35 * way, label)

    def brace_right(self, x: float, low: float, high: float) -> None:
        """A square bracket to the right of what lies between two heights."""
        self.arrow((x - 0.15, low), (x, low), (x, high), (x - 0.15, high), head=False, width=1)

    def funnel(self, top: tuple[float, float], bottom: tuple[float, float], high: float, low: float, role: str) -> None:
        """What is spread: a pale surface from one stretch above to another below."""
        corners = [(top[0], high), (top[1], high), (bottom[1], low), (bottom[0], low)]
        self.axes.add_patch(Polygon(corners, closed=True, facecolor=tint(role), linewidth=0, zorder=0.4))

    def _name(self) -> str:
        self._names += 1
        return f"shape {self._names}"


def word_width(words: Sequence[str]) -> float:
    """How wide a box must be to hold the longest of these words."""
    return max(0.9, 0.215 * max(len(word) for word in words) + 0.35)


__all__ = ["MATH", "ROLES", "SMALL", "TEXT", "Canvas", "Point", "Shape", "plain", "tint", "word_width"]
