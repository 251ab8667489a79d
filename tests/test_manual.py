"""Answers that a person marks, in words or in code: the student's text reaches that person, here and in nbgrader."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.api import Gradebook

from autograder.authoring.build import run_generate_assignment
from autograder.course import Course, open_course
from autograder.grading.check import check_notebook
from autograder.grading.coordinator import grade_class
from autograder.grading.marks import marks_of_class
from autograder.pages.feedback import write_feedback
from conftest import CHAPTER

INSTRUCTORS = "what the instructor would say"
BY_HAND = {"essay": "My own words, *really*.", "sketch": "print('my own sketch')"}


def by_hand(name: str, points: int) -> dict[str, object]:
    facts = {"grade": True, "solution": True, "locked": False, "task": False, "schema_version": 3}
    return {"nbgrader": {**facts, "grade_id": name, "points": points}}


@pytest.fixture(scope="module")
def course(built_course: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The small course with an essay and a sketch that a person marks; ada did both, bob touched nothing."""
    course = open_course(shutil.copytree(built_course.root, tmp_path_factory.mktemp("manual") / "course"))
    reference = nbformat.read(course.reference(CHAPTER), 4)
    solution = f"### BEGIN SOLUTION\n{INSTRUCTORS}\n### END SOLUTION"
    reference.cells += [
        new_markdown_cell(solution, id="essay", metadata=by_hand("essay", 5)),
        new_code_cell(solution.replace(INSTRUCTORS, f"'{INSTRUCTORS}'"), id="sketch", metadata=by_hand("sketch", 4)),
    ]
    nbformat.write(reference, course.reference(CHAPTER))
    run_generate_assignment(course.settings(), CHAPTER)
    for student in ("ada", "bob"):
        released = nbformat.read(course.released(CHAPTER), 4)
        for cell in released.cells:
            if student == "ada" and cell.id in BY_HAND:
                cell.source = BY_HAND[cell.id]
        course.submission(student, CHAPTER).parent.mkdir(parents=True)
        nbformat.write(released, course.submission(student, CHAPTER))
    return course


def cells(notebook: NotebookNode) -> dict[str, NotebookNode]:
    return {cell.id: cell for cell in notebook.cells if cell.id in BY_HAND}


def grades(course: Course) -> dict[tuple[str, str], tuple[float | None, bool]]:
    with Gradebook(course.database, course.course_id) as gradebook:
        return {
            (submission.student.id, grade.name): (grade.auto_score, grade.needs_manual_grade)
            for submission in gradebook.find_assignment(CHAPTER).submissions
            for notebook in submission.notebooks
            for grade in notebook.grades
            if grade.name in BY_HAND
        }


def test_the_students_text_reaches_the_person_who_marks_it(course: Course, tmp_path: Path) -> None:
    theirs = open_course(shutil.copytree(course.root, tmp_path / "theirs"))
    assert [result.problem for result in grade_class(course, CHAPTER, ["ada", "bob"])] == ["", ""]
    command = [sys.executable, "-m", "nbgrader", "autograde", CHAPTER, "--force"]
    subprocess.run(command, cwd=theirs.root, check=True, capture_output=True)
    for each in (course, theirs):
        graded = nbformat.read(each.graded("ada", CHAPTER), 4)
        assert {name: cell.source for name, cell in cells(graded).items()} == BY_HAND
        assert cells(graded)["sketch"].outputs[0].text == "my own sketch\n"
        assert INSTRUCTORS not in nbformat.writes(graded)
    assert grades(course) == grades(theirs)
    assert grades(course) == {
        ("ada", "essay"): (None, True),
        ("ada", "sketch"): (None, True),
        ("bob", "essay"): (0, False),
        ("bob", "sketch"): (0, False),
    }
    marks = marks_of_class(course, CHAPTER).set_index(["student", "grade_id"])
    assert bool(marks.loc[("ada", "essay"), "needs_review"]) and marks.loc[("ada", "essay"), "most_points"] == 5
    pages = {path.parts[-3]: path.read_text() for path in write_feedback(course, CHAPTER)}
    assert pages["ada"].count("A person gives the points") == 2 and "My own words" in pages["ada"]
    assert "A person gives the points" not in pages["bob"] and INSTRUCTORS not in pages["ada"] + pages["bob"]


def test_check_says_what_waits_for_a_person(course: Course) -> None:
    checked = check_notebook(course, course.submission("ada", CHAPTER))
    assert checked.by_hand == ["essay", "sketch"] and checked.not_begun == ["square"]
    assert {verdict.task for verdict in checked.verdicts} == {"square"}
