"""The way of a class through an nbgrader exchange: released, fetched, handed in, collected, graded, returned."""

import shutil
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import default as steps
from nbgrader.exchange.default import Exchange

from autograder.course import Course, open_course
from autograder.grading.coordinator import grade_class
from autograder.pages.feedback import write_feedback
from conftest import CHAPTER, answered

STUDENTS = {
    "ada": ("def square(x):\n    return x * x", "3 of 3 points"),
    "ben": ("def square(x):\n    return x * abs(x)", "1 of 3 points"),
}


def take(step: type[Exchange], course: Course, home: Path, student: str, **settings: Any) -> None:
    """Run a step of the exchange as the command of that name does, in the current folder."""
    config = course.settings(assignment_id=CHAPTER, student_id=student)
    config.Exchange.root = str(course.root.parent / "exchange")
    config.Exchange.cache = str(home / "cache")
    config.ExchangeCollect.check_owner = False  # all are one user here
    directory = CourseDirectory(config=config)
    step(coursedir=directory, authenticator=Authenticator(config=config), config=config, **settings).start()


def hand_in(course: Course, home: Path, student: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill in the notebook that was fetched and submit it."""
    monkeypatch.chdir(home)
    nbformat.write(answered(course, code).node, home / CHAPTER / f"{CHAPTER}.ipynb")
    take(steps.ExchangeSubmit, course, home, student)


def pages_of(course: Course, home: Path, student: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a student fetches as feedback, the page of each submission, oldest first."""
    monkeypatch.chdir(home)
    take(steps.ExchangeFetchFeedback, course, home, student)
    return [page.read_text() for page in sorted((home / CHAPTER / "feedback").rglob("*.html"))]


def test_a_class_gets_its_pages_back(built_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    (tmp_path / "exchange").mkdir()
    (tmp_path / "exchange").chmod(0o777)  # everybody hands in there
    monkeypatch.chdir(course.root)
    take(steps.ExchangeReleaseAssignment, course, tmp_path, "*")
    for student, (code, _) in STUDENTS.items():
        home = tmp_path / student
        home.mkdir()
        monkeypatch.chdir(home)
        take(steps.ExchangeFetchAssignment, course, home, student)
        (fetched,) = (home / CHAPTER).glob("*.ipynb")
        assert "secret_product" not in fetched.read_text()
        hand_in(course, home, student, code, monkeypatch)
    monkeypatch.chdir(course.root)
    take(steps.ExchangeCollect, course, tmp_path, "*")
    assert all(not graded.problem for graded in grade_class(course, CHAPTER, list(STUDENTS)))

    # A second version, collected but not graded, must not get the page of the first.
    time.sleep(1)  # nbgrader tells versions apart by the second
    hand_in(course, tmp_path / "ben", "ben", STUDENTS["ada"][0], monkeypatch)
    monkeypatch.chdir(course.root)
    take(steps.ExchangeCollect, course, tmp_path, "*", update=True)
    write_feedback(course, CHAPTER)
    take(steps.ExchangeReleaseFeedback, course, tmp_path, "*")
    for student, (_, points) in STUDENTS.items():
        (page,) = pages_of(course, tmp_path / student, student, monkeypatch)
        assert points in page

    assert all(not graded.problem for graded in grade_class(course, CHAPTER, list(STUDENTS)))
    write_feedback(course, CHAPTER)
    monkeypatch.chdir(course.root)
    take(steps.ExchangeReleaseFeedback, course, tmp_path, "*")
    first, second = pages_of(course, tmp_path / "ben", "ben", monkeypatch)
    assert STUDENTS["ben"][1] in first and STUDENTS["ada"][1] in second
