"""Feedback pages: the student's own answers with verdicts, messages and an instructor's comments. Never a hidden test.

Pages are made from verdicts, not from the executed notebook, and hold no HTML of the student's: nothing can run there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pandas as pd
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer, TextLexer

from autograder.chapter.cells import CellKind, Notebook, NotebookCell, Way
from autograder.chapter.verdicts import Verdict, recorded_verdicts, repairs_of
from autograder.course import Course, CourseError, assignment_in, notebook_in
from autograder.disk import write_atomically
from autograder.grading.gradebook import open_gradebook
from autograder.grading.marks import final_marks, in_words, marks_of_class
from autograder.intake.files import SECRET, TIMESTAMP
from autograder.pages.html import render, write_page
from autograder.wording import count

FORMATTER = HtmlFormatter(nowrap=False)
DARK = HtmlFormatter(style="github-dark")
CODE_STYLE = Markup("{}\n@media (prefers-color-scheme: dark) {{\n{}\n}}").format(
    Markup(FORMATTER.get_style_defs(".highlight")), Markup(DARK.get_style_defs(".highlight"))
)
LONGEST_ANSWER = 20_000  # characters of an answer that are shown


@dataclass(frozen=True)
class TaskFeedback:
    """One task on a page: the answer as highlighted code, its verdicts, points and comments."""

    name: str
    answer: Markup
    verdicts: list[Verdict]
    points: float
    most_points: float
    comments: list[str]
    waits: bool  # for a person, who gives the points


def write_feedback(course: Course, chapter: str) -> list[Path]:
    """Write a page for every graded student to nbgrader's feedback folder, one for each notebook; returns the paths."""
    final = final_marks(course, chapter)
    parts = course.parts(chapter)
    pages = [page for part in parts for page in _pages(course, part, final, len(parts))]
    if not pages:
        raise CourseError(f"Nothing is graded yet: run `autograder grade {chapter}`.")
    return pages


def _pages(course: Course, part: str, final: pd.DataFrame, parts: int) -> Iterator[Path]:
    """The pages about one notebook of a chapter, of which `final` has the marks."""
    marks, comments = marks_of_class(course, part), _comments(course, part)
    for student, mark in final.iterrows():
        submitter = str(mark["submitter"])
        of_student = marks[marks["student"] == submitter]
        graded = course.graded(submitter, part)
        if not graded.is_file():
            continue
        notebook = nbformat.read(graded, as_version=4)
        tasks = _tasks(notebook, of_student, comments.get(submitter, {}))
        points, most_points = (float(mark[column]) for column in ("points", "most_points"))
        remarks = [in_words(mark)]
        if parts > 1:
            total = f"{points:g} of {most_points:g} points for all {parts} notebooks of {assignment_in(part)}."
            remarks.insert(0, total)
            points, most_points = (float(of_student[column].sum()) for column in ("points", "most_points"))
        page = render(
            "feedback.html",
            student=student,
            chapter=part,
            repairs=repairs_of(notebook),
            tasks=tasks,
            points=points,
            most_points=most_points,
            remark=" ".join(filter(None, remarks)),
            beside=[verdict for task in tasks for verdict in task.verdicts if verdict.way == Way.BESIDE],
            code_style=CODE_STYLE,
        )
        path = write_page(course.feedback_page(str(student), part), page)
        _keep_what_the_exchange_asks_for(graded.parent, path.parent)
        yield path


def _keep_what_the_exchange_asks_for(graded: Path, feedback: Path) -> None:
    """`nbgrader release_feedback` reads beside a page to which version of a submission it belongs: the one graded."""
    for name in (TIMESTAMP, SECRET):
        if (graded / name).is_file():
            write_atomically(feedback / name, (graded / name).read_bytes())
        else:
            (feedback / name).unlink(missing_ok=True)


def _tasks(notebook: nbformat.NotebookNode, marks: pd.DataFrame, comments: dict[str, list[str]]) -> list[TaskFeedback]:
    verdicts = recorded_verdicts(notebook)
    answers = {cell.name: cell for cell in Notebook.of(notebook).answers}
    return [
        TaskFeedback(
            name,
            _shown(answers[name]) if name in answers else Markup(),
            [verdict for verdict in verdicts if verdict.task == name],
            float(of_task["points"].sum()),
            float(of_task["most_points"].sum()),
            comments.get(name, []),
            waits=name in answers and answers[name].kind == CellKind.QUESTION and bool(of_task["needs_review"].any()),
        )
        for name, of_task in ((str(name), rows) for name, rows in marks.groupby("task", sort=False))
    ]


def _shown(cell: NotebookCell) -> Markup:
    """An answer as a page shows it; of an endless one the beginning, since colours make a text many times longer."""
    rest = len(cell.source) - LONGEST_ANSWER
    text = cell.source[:LONGEST_ANSWER] + (f"\n# ... and {count(rest, 'character')} more" if rest > 0 else "")
    # Pygments escapes the text it highlights.
    return Markup(highlight(text, PythonLexer() if cell.is_code else TextLexer(), FORMATTER))


def _comments(course: Course, part: str) -> dict[str, dict[str, list[str]]]:
    """What instructors wrote about a notebook in formgrader: by student, then by task."""
    comments: dict[str, dict[str, list[str]]] = {}
    with open_gradebook(course) as gradebook:
        for submission in gradebook.find_assignment(assignment_in(part)).submissions:
            by_task = comments.setdefault(submission.student.id, {})
            notebooks = [notebook for notebook in submission.notebooks if notebook.name == notebook_in(part)]
            for comment in (comment for notebook in notebooks for comment in notebook.comments):
                if comment.comment:
                    by_task.setdefault(comment.name, []).append(comment.comment)
    return comments
