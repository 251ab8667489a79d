"""A class of twelve made from the bank of answers: handed in, graded, and compared with the marks it should get."""

import shutil
import time
import tomllib
from dataclasses import dataclass, field
from typing import Any

import nbformat
from nbformat import NotebookNode
from rich.markup import escape
from rich.table import Table

from autograder.authoring.bank import Answer, read_bank
from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference
from autograder.course import CONFIGURATION, Course, CourseError, open_course
from autograder.grading.marks import marks_of_class, totals
from autograder.pages.feedback import write_feedback
from autograder.pages.report import write_report
from autograder.pages.tables import grade_with_progress
from autograder.pages.terminal import console, number, warn_if_reduced
from autograder.wording import printable


@dataclass(frozen=True)
class Student:
    """One row of the class list: what was handed in and what it must earn.

    `answers` says which right answer of the bank fills the task cells (1 or 2), 0 leaves them untouched; `only` limits
    them to some tasks. `wrong` puts the bank's wrong answer of that label into a task, `code` puts code of its own
    there, `file` replaces the whole file.
    The expected mark is that of `answers` less the points in `loses`.
    """

    name: str
    about: str
    answers: int = 0
    only: list[str] = field(default_factory=list)
    wrong: dict[str, str] = field(default_factory=dict)
    code: dict[str, str] = field(default_factory=dict)
    loses: dict[str, int] = field(default_factory=dict)
    file: str = ""


def run_demo(course: Course) -> None:
    """Hand in, grade and report in the folder `demo/`. Raises CourseError if a mark is not the expected one."""
    chapter, students = read_class(course)
    warn_if_reduced()
    start = time.monotonic()
    console.print(f"Handing in {len(students)} submissions to {chapter} ...")
    demo = make_course(course, chapter, students)
    demo.nbgrader.Judge.unsafe = True  # these students we have made up ourselves
    graded = grade_with_progress(demo, {chapter: [student.name for student in students]})
    pages = write_feedback(demo, chapter)
    report, csv = write_report(demo, chapter)
    points = totals(marks_of_class(demo, chapter))["points"]
    expected = {student.name: expected_points(course, chapter, student) for student in students}
    problems = {result.student: result.problem for result in graded}
    table = Table(
        "student", "handed in", "expected", "received", "", title=f"{chapter}: expected beside received marks"
    )
    wrong = []
    for student in students:
        received = points.get(student.name)
        agrees = received == expected[student.name]
        verdict = "[green]as expected[/]"
        if not agrees:
            wrong.append(student.name)
            verdict = f"[bold red]DIFFERS[/] {escape(printable(problems.get(student.name, '')))}"
        table.add_row(
            student.name,
            student.about,
            number(expected[student.name]),
            "-" if received is None else number(received),
            verdict,
        )
    console.print(table)
    console.print(f"{len(students) - len(wrong)} of {len(students)} as expected, {time.monotonic() - start:.0f} s\n")
    for label, path in (("Report", report), ("Marks", csv), ("Feedback", pages[0].parents[2])):
        console.print(f"{label + ':':10}{path.relative_to(course.root)}", soft_wrap=True)
    console.print(
        f"\nNext: open the report in a browser; look at a submission by hand with `cd demo && jupyter lab` "
        f"(menu Nbgrader, Formgrader);\nsolve notebooks/{chapter}/{chapter}.ipynb yourself "
        "and grade it with `autograder check`.",
        soft_wrap=True,
    )
    if wrong:
        raise CourseError(f"Marks differ from what was expected: {', '.join(wrong)}.")


def read_class(course: Course) -> tuple[str, list[Student]]:
    """The chapter and the students of the class list. Raises CourseError if there is none."""
    path = course.demo_class
    if not path.is_file():
        raise CourseError(f"This course has no demo class: {path.relative_to(course.root)} is missing.")
    content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return content["chapter"], [Student(**row) for row in content["student"]]


def make_course(course: Course, chapter: str, students: list[Student]) -> Course:
    """A small course in `demo/`, with its own gradebook, that holds the chapter and the submissions."""
    folder = course.demo
    shutil.rmtree(folder, ignore_errors=True)
    for part in (course.source, course.release):
        shutil.copytree(
            part / chapter, folder / part.name / chapter, ignore=shutil.ignore_patterns(".ipynb_checkpoints")
        )
    settings = f'load_subconfig("{CONFIGURATION}", path={str(course.root)!r})\n'
    limit = "get_config().Judge.timeout = 10  # seconds, half of what the course gives: one of the class never ends\n"
    (folder / CONFIGURATION).write_text(settings + limit, encoding="utf-8")
    demo = open_course(folder)
    bank, release = read_bank(course, chapter), nbformat.read(course.released(chapter), as_version=4)
    for student in students:
        path = demo.submission(student.name, chapter)
        path.parent.mkdir(parents=True)
        path.write_text(submission(bank, release, student), encoding="utf-8")
    return demo


def submission(bank: dict[str, list[Answer]], release: NotebookNode, student: Student) -> str:
    """The text of the file that a student of the class list hands in."""
    if student.file:
        return student.file
    filled = {}
    for task, answers in bank.items():
        right = [answer.source for answer in answers if answer.is_right]
        if student.answers and (not student.only or task in student.only):
            filled[task] = right[student.answers - 1]
    for task, label in student.wrong.items():
        filled[task] = next(answer.source for answer in bank[task] if answer.label == label)
    text: str = nbformat.writes(Notebook.of(release).with_sources(filled | student.code).node)
    return text


def expected_points(course: Course, chapter: str, student: Student) -> float:
    """What the class list says a student earns."""
    if not student.answers:
        return 0.0
    points = {cell.name: cell.points for cell in read_reference(course, chapter).tests}
    earned = sum(value for name, value in points.items() if not student.only or name.split("--")[0] in student.only)
    return earned - sum(student.loses.values())
