"""How long a chapter's texts and code cells are, beside the targets of docs/authoring.md."""

import re
import statistics
from typing import NamedTuple

import nbformat

from autograder.chapter.source import Chapter, kind_of, read_chapter
from autograder.course import Course


class Figure(NamedTuple):
    """One thing that is measured about a chapter."""

    what: str
    value: str
    target: str
    is_met: bool


def rhythm_of(course: Course, name: str) -> list[Figure]:
    """The figures of one chapter, in the order of the targets."""
    chapter = read_chapter(course.chapter_source(name))
    prose = [_words(cell.source) for cell in chapter.cells if kind_of(cell) in ("text", "statement")]
    # As students see them: hidden tests and solutions are not there to be read.
    released = nbformat.read(course.released(name), as_version=4)
    code = sorted(_lines(cell.source) for cell in released.cells if cell.cell_type == "code")
    median = statistics.median(code)
    ninth = code[int(0.9 * (len(code) - 1))]
    distance = max(_cells_to_first_test(chapter, task.keys["task"]) for task in chapter.tasks())
    kilobytes = course.reference(name).stat().st_size / 1000
    points = sum(task.keys["points"] for task in chapter.tasks())
    minutes = sum(task.keys["minutes"] for task in chapter.tasks())
    return [
        Figure(
            "tasks, points, minutes",
            f"{len(chapter.tasks())}, {points}, {minutes}",
            "12-18 tasks",
            12 <= len(chapter.tasks()) <= 18,
        ),
        Figure("words", str(sum(prose)), "2,000-4,500", 2000 <= sum(prose) <= 4500),
        Figure("longest markdown cell, words", str(max(prose)), "<= 130", max(prose) <= 130),
        Figure("code cells as released, median lines", f"{median:g}", "<= 8", median <= 8),
        Figure("code cells as released, nine in ten, lines", str(ninth), "<= 20", ninth <= 20),
        Figure("cells from a stub to its first check", str(distance), "<= 2", distance <= 2),
        Figure("built notebook, kB", f"{kilobytes:.0f}", "< 400", kilobytes < 400),
    ]


def _words(markdown: str) -> int:
    """Words of a text; formulas count as one word, hints and tables are not counted."""
    text = re.sub(r"\$\$.*?\$\$|\$[^$]*\$", " formula ", markdown, flags=re.DOTALL)
    text = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("|"))
    return len(re.findall(r"\w+(?:['’.,-]\w+)*", text))


def _lines(code: str) -> int:
    return sum(1 for line in code.split("\n") if line.strip())


def _cells_to_first_test(chapter: Chapter, task: str) -> int:
    positions = [
        number for number, cell in enumerate(chapter.cells) if task in (cell.keys.get("task"), cell.keys.get("test"))
    ]
    return positions[1] - positions[0]
