"""Pairs of a class that wrote unusually alike, side by side: one self-contained page."""

from pathlib import Path

from autograder.course import Course
from autograder.grading.similarity import Match, Pair, alike
from autograder.pages.html import render, write_page

MAX_PAIRS = 20  # of a class that are listed


def write_alike(course: Course, chapter: str) -> tuple[Path, list[Pair]]:
    """Write `reports/CHAPTER-alike.html`; returns its path and the unusual pairs.

    Raises CourseError if nothing is graded.
    """
    pairs = alike(course, chapter)
    unusual = [pair for pair in pairs if pair.unusual]
    listed = unusual + [pair for pair in pairs if not pair.unusual][: max(0, MAX_PAIRS - len(unusual))]
    page = render(
        "alike.html",
        chapter=chapter,
        pairs=listed,
        pages=[(pair, [(match, _beside(match)) for match in pair.matches]) for pair in unusual],
    )
    return write_page(course.reports / f"{chapter}-alike.html", page), unusual


def _beside(match: Match) -> list[list[tuple[str, bool]]]:
    """The two answers as lines, each with whether it is part of what both have."""
    return [
        [(line, number in lines) for number, line in enumerate(code.splitlines(), start=1)]
        for code, lines in zip(match.codes, match.lines, strict=True)
    ]
