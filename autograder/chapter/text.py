"""Read a text in Jupytext's percent format whose cells carry short keys: the chapters and the bank of answers.

A chapter is a folder of such files, its sections; they are read as one text, in the order of their names.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import yaml

from autograder.course import CourseError, sections_of

CELL_START = re.compile(r"^# %%(?: |$)")


class SourceError(CourseError):
    """A mistake in a text source; its text names file and line and says what to write."""

    def __init__(self, path: Path, line: int, message: str):
        super().__init__(f"{path}:{line}: {message}")


@dataclass(frozen=True)
class Cell:
    """One cell of a text source. `line` is the line of its `# %%` (1-based) in the file at `path`."""

    cell_type: str
    source: str
    keys: dict[str, Any]
    path: Path
    line: int

    @property
    def place(self) -> str:
        """Where the cell stands, in short."""
        return f"{self.path.name}:{self.line}"

    def error(self, message: str) -> SourceError:
        return SourceError(self.path, self.line, message)


@dataclass(frozen=True)
class Text:
    """A text source, a file or a folder of sections: the YAML block at its top and its cells."""

    path: Path
    header: dict[str, Any]
    cells: list[Cell]


def read_text(path: Path) -> Text:
    """Split a percent-format file, or a folder of them, into cells. Raises SourceError where it cannot be read."""
    if not path.is_dir():
        return _read_file(path)
    sections = [_read_file(section) for section in sections_of(path)]
    for section in sections[1:]:
        if section.header:
            raise SourceError(section.path, 1, f"Only {sections[0].path.name}, which comes first, has a `# ---` block.")
    return Text(path, sections[0].header, [cell for section in sections for cell in section.cells])


def _read_file(path: Path) -> Text:
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
        [Cell(cell.cell_type, cell.source, _keys(cell), path, line) for cell, line in zip(cells, lines, strict=True)],
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
