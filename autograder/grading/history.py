"""Who had which mark when, and why: `history.csv` beside the gradebook, to which lines are only added."""

import csv
import getpass
import io
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from autograder.course import Course, CourseError
from autograder.grading.locks import only_historian
from autograder.grading.marks import final_marks
from autograder.wording import in_a_cell

NUMBERS = ["earned", "late", "extra", "points", "most_points", "by_hand"]
COLUMNS = ["when", "who", "student", "chapter", *NUMBERS, "submitter", "why"]


def note_changes(course: Course, chapters: Sequence[str], occasion: str) -> int:
    """Add a line for each mark that is not as its last line says; returns how many. `occasion` is the command."""
    with only_historian(course):  # two commands at once would add the same lines twice
        lines = _changes(course, chapters, occasion)
        if lines:
            _append(course.history, lines)
    return len(lines)


def _changes(course: Course, chapters: Sequence[str], occasion: str) -> list[list[str]]:
    """The lines that are to be added."""
    last = _last_lines(course.history)
    when, who = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC"), _user()
    lines = []
    for chapter in chapters:
        for student, mark in final_marks(course, chapter).iterrows():
            numbers = [f"{round(float(mark[name]), 4):g}" for name in NUMBERS]
            why = "; ".join(filter(None, [occasion, str(mark["why"])]))
            name, submitter, why = (str(in_a_cell(str(text))) for text in (student, mark["submitter"], why))
            line = [when, who, name, chapter, *numbers, submitter, why]
            if last.get((line[2], line[3])) != line[4:-1]:
                lines.append(line)
    return lines


def _last_lines(path: Path) -> dict[tuple[str, str], list[str]]:
    """The numbers and the submitter of the newest line of each student and chapter."""
    if not path.is_file():
        return {}
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeError):
        table = pd.DataFrame()
    if list(table.columns) != COLUMNS:
        raise CourseError(f"{path} is not as it was written: move it away, and a new one is begun.")
    return {(row[2], row[3]): row[4:-1] for row in table.to_numpy().tolist()}


def _append(path: Path, lines: list[list[str]]) -> None:
    """Add lines at the end, in one piece, so that what is there cannot be lost."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines if path.is_file() else [COLUMNS, *lines])
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
        file.write(text.getvalue().encode())
        file.flush()
        os.fsync(file.fileno())


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container may run under a number that has no name
        return str(os.getuid())
