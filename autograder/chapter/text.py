"""Read a text in Jupytext's percent format whose cells carry short keys: the chapters and the bank of answers."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import yaml

from autograder.course import CourseError

CELL_START = re.compile(r"^# %%(?: |$)")


class SourceError(CourseError):
    """A mistake in a text source; its text names file and line and says what to write."""

    def __init__(self, path: Path, line: int, message: str):
        super().__init__(f"{path}:{line}: {message}")


@dataclass(frozen=True)
class Cell:
    """One cell of a text source. `line` is the line of its `# %%` (1-based)."""

    cell_type: str
    source: str
    keys: dict[str, Any]
    line: int


@dataclass(frozen=True)
class Text:
    """A text source: the YAML block at its top and its cells."""

    path: Path
    header: dict[str, Any]
    cells: list[Cell]


def read_text(path: Path) -> Text:
    """Split a percent-format file into cells. Raises SourceError where it cannot be read."""
    content = path.read_text(encoding="utf-8")
    lines = [number for number, line in enumerate(content.splitlines(), start=1) if CELL_START.match(line)]
    notebook = jupytext.reads(content, fmt="py:percent")
    # What stands before the first `# %%` (the YAML block, or a module docstring) comes back as one more cell.
    cells = notebook.cells[len(notebook.cells) - len(lines) :]
    if len(notebook.cells) - len(lines) not in (0, 1):
        raise SourceError(path, 1, "A line that starts with `# %%` stands inside a string; indent it or split it.")
    return Text(
        path,
        _header(path, content),
        [Cell(cell.cell_type, cell.source, _keys(cell), line) for cell, line in zip(cells, lines, strict=True)],
    )


def _header(path: Path, content: str) -> dict[str, Any]:
    match = re.match(r"# ---\n(.*?)\n# ---\n", content, flags=re.DOTALL)
    if not match:
        return {}
    block = "\n".join(line.removeprefix("#").removeprefix(" ") for line in match.group(1).split("\n"))
    try:
        return yaml.safe_load(block) or {}
    except yaml.YAMLError as error:
        raise SourceError(path, 1, f"The block between the `# ---` lines is not YAML: {error}.") from None


def _keys(cell: Any) -> dict[str, Any]:
    return {key: value for key, value in cell.metadata.items() if key != "lines_to_next_cell"}
