"""Feedback pages: the student's own answers with verdicts, messages and an instructor's comments. Never a hidden test.

Pages are made from verdicts, not from the executed notebook, and hold no HTML of the student's: nothing can run there.
"""

from dataclasses import dataclass
from pathlib import Path

import nbformat
import pandas as pd
from markupsafe import Markup
from nbgrader import utils
from nbgrader.api import Gradebook
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.course import Course, CourseError
from autograder.grading.marks import marks_of_class
from autograder.pages.html import render, write_page
from autograder.wall.verdicts import Verdict, recorded_verdicts, repairs_of

MOST_COLOURED = 50_000  # characters
FORMATTER = HtmlFormatter(nowrap=False)


@dataclass(frozen=True)
class TaskFeedback:
    """One task on a page: the answer as highlighted code, its verdicts, points and comments."""

    name: str
    answer: Markup
    verdicts: list[Verdict]
    points: float
    most_points: float
    comments: list[str]


def write_feedback(course: Course, chapter: str) -> list[Path]:
    """Write a page for every graded student to nbgrader's feedback folder; returns their paths."""
    marks = marks_of_class(course, chapter)
    comments = _comments(course, chapter)
    pages = []
    for student, of_student in marks.groupby("student"):
        graded = course.autograded / str(student) / chapter / f"{chapter}.ipynb"
        if not graded.is_file():
            continue
        notebook = nbformat.read(graded, as_version=4)
        points = of_student.groupby("task")["points"].sum()
        most_points = of_student.groupby("task")["most_points"].sum()
        tasks = _tasks(notebook, points, most_points, comments.get(str(student), {}))
        page = render(
            "feedback.html",
            student=student,
            chapter=chapter,
            repairs=repairs_of(notebook),
            tasks=tasks,
            points=float(points.sum()),
            most_points=float(most_points.sum()),
            code_style=Markup(FORMATTER.get_style_defs(".highlight")),
        )
        pages.append(write_page(course.feedback / str(student) / chapter / f"{chapter}.html", page))
    if not pages:
        raise CourseError(f"Nothing is graded yet: run `autograder grade {chapter}`.")
    return pages


def _shown(code: str) -> Markup:
    """Code with colours, which take many times its room, unless it is longer than any answer."""
    if len(code) > MOST_COLOURED:
        return Markup("<pre>{}</pre>").format(code)
    return Markup(highlight(code, PythonLexer(), FORMATTER))  # Pygments escapes the code it highlights


def _tasks(
    notebook: nbformat.NotebookNode, points: pd.Series, most_points: pd.Series, comments: dict[str, list[str]]
) -> list[TaskFeedback]:
    verdicts = recorded_verdicts(notebook)
    answers = {cell.metadata.nbgrader["grade_id"]: cell.source for cell in notebook.cells if utils.is_solution(cell)}
    return [
        TaskFeedback(
            name,
            _shown(answers.get(name, "")),
            [verdict for verdict in verdicts if verdict.task == name],
            float(points[name]),
            float(most_points[name]),
            comments.get(name, []),
        )
        for name in dict.fromkeys(verdict.task for verdict in verdicts)
    ]


def _comments(course: Course, chapter: str) -> dict[str, dict[str, list[str]]]:
    """What instructors wrote in formgrader: by student, then by task."""
    comments: dict[str, dict[str, list[str]]] = {}
    with Gradebook(course.database, course.course_id) as gradebook:
        for submission in gradebook.find_assignment(chapter).submissions:
            by_task = comments.setdefault(submission.student.id, {})
            for comment in (comment for notebook in submission.notebooks for comment in notebook.comments):
                if comment.comment:
                    by_task.setdefault(comment.name, []).append(comment.comment)
    return comments
