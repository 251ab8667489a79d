"""From a folder of submissions to marks, feedback and a report; nothing that is handed in stops the rest."""

import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from browser import PATIENCE
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.api import Gradebook

from autograder.authoring.build import build
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Verdict, recorded_verdicts
from autograder.course import Course, CourseError, open_course
from autograder.grading.coordinator import grade_class, students_to_grade
from autograder.grading.marks import marks_of_class, totals
from autograder.grading.review import to_look_at
from autograder.learner.check import check_notebook
from autograder.pages.feedback import write_feedback
from autograder.pages.html import SORT
from autograder.pages.report import write_report
from autograder.pages.tables import show_class
from autograder.panel.second import Second, shared_out
from conftest import CHAPTER, TEXT, make_course

RIGHT = "def square(x):\n    return x**2"
WRONG = "def square(x):\n    return x * abs(x)"
SUBMISSIONS = {
    "right": (RIGHT, 3),
    "untouched": (None, 0),
    "wrong": (WRONG, 1),
    "syntax": ("def square(x)\n    return", 0),
    "crash": ("import os\ndef square(x):\n    if x < 0: os._exit(1)\n    return x * x", 1),
    "loop": ("def square(x):\n    while x < 0: pass\n    return x * x", 1),
    "warns": ("import warnings\ndef square(x):\n    warnings.warn('hm')\n    return x * x", 3),
    "script": (RIGHT + "\n# <script>alert(1)</script>", 3),
}
BROKEN_FILES = {"broken": '{"cells": [', "empty": "", "list": "[1, 2]", "binary": "\ud800", "other": '{"a": {"b": 1}}'}


def released(course: Course) -> NotebookNode:
    return nbformat.read(course.release / CHAPTER / f"{CHAPTER}.ipynb", as_version=4)


def with_answer(course: Course, code: str | None) -> NotebookNode:
    notebook = released(course)
    for cell in notebook.cells:
        if cell.id == "square" and code is not None:
            cell.source = code
    return notebook


def hand_in(course: Course, student: str, notebook: NotebookNode | str) -> Path:
    path = course.submitted / student / CHAPTER / f"{CHAPTER}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = notebook if isinstance(notebook, str) else nbformat.writes(notebook)
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    return path


@pytest.fixture(scope="module")
def graded(built_course: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A copy of the small course whose class is graded."""
    folder = tmp_path_factory.mktemp("graded") / "course"
    shutil.copytree(built_course.root, folder)
    course = open_course(folder)
    for student, (code, _) in SUBMISSIONS.items():
        hand_in(course, student, with_answer(course, code))
    for student, text in BROKEN_FILES.items():
        hand_in(course, student, text)
    (course.submitted / "nothing" / CHAPTER).mkdir(parents=True)
    students = students_to_grade(course, CHAPTER, force=False)
    results = list(grade_class(course, CHAPTER, students))
    problems = {result.student: result.problem for result in results}
    remarks = {result.student: " ".join(result.remarks) for result in results if result.remarks}
    assert set(remarks) == {*BROKEN_FILES, "syntax", "crash", "loop"}
    assert remarks["syntax"] == "Syntax error: square." and remarks["crash"] == "Crashed: square."
    assert remarks["loop"] == "Timed out: square." and "could not be read" in remarks["broken"]
    assert {student for student, problem in problems.items() if problem} == {"nothing"}
    assert "01_squares.ipynb is missing" in problems["nothing"]
    return course


def test_every_submission_gets_the_mark_it_earned(graded: Course) -> None:
    expected = {student: points for student, (_, points) in SUBMISSIONS.items()} | dict.fromkeys(BROKEN_FILES, 0)
    assert totals(marks_of_class(graded, CHAPTER))["points"].to_dict() == expected


def test_only_new_submissions_are_graded_again(graded: Course) -> None:
    assert students_to_grade(graded, CHAPTER, force=False) == ["nothing"]
    assert len(students_to_grade(graded, CHAPTER, force=True)) == len(SUBMISSIONS) + len(BROKEN_FILES) + 1


def test_plain_nbgrader_gives_the_same_marks(graded: Course, tmp_path: Path) -> None:
    course = open_course(shutil.copytree(graded.root, tmp_path / "course"))
    before = totals(marks_of_class(course, CHAPTER))["points"].to_dict()
    with Gradebook(course.database, course.course_id) as gradebook:
        gradebook.remove_assignment(CHAPTER)
    nbgrader = [sys.executable, "-m", "nbgrader"]
    subprocess.run(
        [*nbgrader, "generate_assignment", CHAPTER, "--force"], cwd=course.root, check=True, capture_output=True
    )
    subprocess.run([*nbgrader, "autograde", CHAPTER, "--force"], cwd=course.root, check=True, capture_output=True)
    assert totals(marks_of_class(course, CHAPTER))["points"].to_dict() == before


def test_messages_name_the_bug(graded: Course) -> None:
    def messages(student: str) -> list[str]:
        notebook = nbformat.read(graded.autograded / student / CHAPTER / f"{CHAPTER}.ipynb", as_version=4)
        return [f"{verdict.outcome}: {verdict.message}" for verdict in recorded_verdicts(notebook)]

    assert messages("wrong") == ["passed: ", "failed: the square of a negative number is positive"]
    assert messages("loop")[1] == "timed out: This check was stopped after 6 seconds: is there an endless loop?"
    assert messages("crash")[1].startswith("crashed: Your code ended the Python process")
    assert messages("syntax")[0].startswith("failed: Your cell for square does not run. SyntaxError")
    assert "Write your answer here" in messages("untouched")[0]


def test_feedback_shows_answers_and_messages_but_no_hidden_test_and_no_script(graded: Course) -> None:
    pages = {path.parts[-3]: path.read_text() for path in write_feedback(graded, CHAPTER)}
    assert set(pages) == set(SUBMISSIONS) | set(BROKEN_FILES)
    assert "the square of a negative number is positive" in pages["wrong"]
    assert "abs" in pages["wrong"]
    assert "could not be read" in pages["broken"] and "not valid JSON" in pages["broken"]
    for page in pages.values():
        assert "square(3) ==" not in page and "secret_product" not in page and "<script" not in page
        assert "Content-Security-Policy" in page


def test_report_and_table_agree_with_the_gradebook(graded: Course, capsys: pytest.CaptureFixture[str]) -> None:
    with Gradebook(graded.database, graded.course_id) as gradebook:
        gradebook.update_or_create_student("absent")
    show_class(graded, CHAPTER, [])
    lines = capsys.readouterr().out.splitlines()
    assert any("absent" in line and "not handed in" in line for line in lines)
    assert any("loop" in line and "Timed out" in line for line in lines), "remarks stay after the batch"
    html, csv = write_report(graded, CHAPTER)
    table = pd.read_csv(csv, index_col="student")
    assert table["total"].to_dict() == totals(marks_of_class(graded, CHAPTER))["points"].to_dict()
    page = html.read_text()
    assert page.count("<script") == 1 and f"<script>{SORT}</script>" in page, "no script but ours, which sorts"
    assert "http" not in page.replace("http-equiv", "") and "script-src 'sha256-" in page
    assert "data:image/png" in page and "Not handed in: absent." in page


def test_who_needs_a_person_is_listed_with_the_reason(graded: Course) -> None:
    looks = {look.student: look for look in to_look_at(graded, CHAPTER)}
    assert "Timed out: square." in looks["loop"].reasons and "Crashed: square." in looks["crash"].reasons
    assert any("could not be read" in reason for reason in looks["broken"].reasons)
    assert not {"right", "wrong"} & set(looks), "who is just right or wrong needs nobody"
    with Gradebook(graded.database, graded.course_id) as gradebook:
        (notebook,) = gradebook.find_submission(CHAPTER, "loop").notebooks
        assert looks["loop"].page == f"/formgrader/submissions/{notebook.id}"


def test_a_mark_given_by_hand_counts(graded: Course, tmp_path: Path) -> None:
    course = open_course(shutil.copytree(graded.root, tmp_path / "course"))
    with Gradebook(course.database, course.course_id) as gradebook:
        gradebook.find_grade("square--negative-numbers", CHAPTER, CHAPTER, "wrong").manual_score = 1.5
        gradebook.db.commit()
    assert totals(marks_of_class(course, CHAPTER)).loc["wrong", "points"] == 2.5


def test_a_submission_that_ends_its_worker_fails_alone(tmp_path: Path) -> None:
    deadly = TEXT.replace("square(-2) == 4,", "square(-2) != 5 or __import__('os')._exit(1),")
    course = make_course(tmp_path, deadly)
    build(course, CHAPTER)
    for student, code in {"a": RIGHT, "deadly": "def square(x):\n    return x * x if x > 0 else 5", "z": RIGHT}.items():
        hand_in(course, student, with_answer(course, code))
    problems = {result.student: result.problem for result in grade_class(course, CHAPTER, ["a", "deadly", "z"])}
    assert problems["a"] == problems["z"] == "" and "look at it by hand" in problems["deadly"]
    assert totals(marks_of_class(course, CHAPTER)).loc[["a", "z"], "points"].tolist() == [3, 3]


def test_nothing_to_grade_says_where_submissions_belong(tmp_path: Path, built_course: Course) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    with pytest.raises(CourseError, match="No submissions: expected .*STUDENT/01_squares/01_squares.ipynb"):
        students_to_grade(course, CHAPTER, force=False)
    with pytest.raises(CourseError, match="There is no chapter '07_nothing'; chapters: 01_squares"):
        students_to_grade(course, "07_nothing", force=False)


def test_check_grades_one_notebook_with_the_hidden_tests(built_course: Course, tmp_path: Path) -> None:
    path = tmp_path / f"{CHAPTER}.ipynb"
    only_visible = "def square(x):\n    return {2: 4, -2: 4}.get(x, 0)"
    nbformat.write(with_answer(built_course, only_visible), path)
    verdicts = check_notebook(built_course, path).verdicts
    assert [(verdict.points, verdict.message) for verdict in verdicts] == [
        (0, "square(3) is 9, yours gives 0"),
        (2, ""),
    ]


def test_one_task_is_judged_as_among_all(real_course: Course, tmp_path: Path) -> None:
    """Of a notebook with right, wrong and missing answers; tests that use another task's answer included."""
    reference = read_reference(real_course, "01_bigrams")
    tasks = list(dict.fromkeys(test.task for test in reference.tests))
    spoiled = {tasks[0]: "", tasks[3]: "raise NotImplementedError", tasks[6]: f"def {tasks[6]}(*given):\n    return []"}
    path = tmp_path / "01_bigrams.ipynb"
    nbformat.write(reference.with_sources(spoiled).node, path)
    among_all = [replace(verdict, seconds=0) for verdict in check_notebook(real_course, path).verdicts]
    assert {verdict.task for verdict in among_all if verdict.outcome != "passed"} >= spoiled.keys()
    alone = [verdict for task in tasks for verdict in check_notebook(real_course, path, task).verdicts]
    assert [replace(verdict, seconds=0) for verdict in alone] == sorted(among_all, key=lambda v: tasks.index(v.task))
    assert check_notebook(real_course, path, "no such task").verdicts == []
    for dies in (False, True):
        assert judged_by_two(real_course, path, dies) == among_all


def judged_by_two(course: Course, path: Path, dies: bool) -> list[Verdict]:
    """The verdicts of two processes, the second of which ends when it is asked for some, if it `dies`."""
    second = Second(course.root)
    if dies:
        second.command = [sys.executable, "-c", "input(); print([], flush=True); input()"]
    second.prepare(path.stem)
    end = time.monotonic() + PATIENCE
    while not second.serves(path.stem):
        assert time.monotonic() < end, "the second process did not get ready"
        time.sleep(0.05)
    try:
        # The second time it knows how long each task took, and shares them out otherwise.
        found = [check_notebook(course, path, run=second.run).verdicts for _ in range(2)]
        assert (second.process is None) == dies
    finally:
        second.close()
    first, again = ([replace(verdict, seconds=0) for verdict in verdicts] for verdicts in found)
    assert first == again
    return first


def test_halves_take_equally_long() -> None:
    assert shared_out(["a", "b", "c", "d", "e"], {}) == (["a", "c", "e"], ["b", "d"])
    assert shared_out(["a", "b", "c", "d"], {"a": 1, "b": 2, "c": 9, "d": 5}) == (["c"], ["d", "b", "a"])
    assert shared_out(["a", "b", "c"], {"c": 4}) == (["a", "c"], ["b"])  # what is not known is as long as the usual one
    assert shared_out([], {}) == ([], [])


def rebuilt(course: Course, tmp_path: Path, notebook: NotebookNode | str) -> tuple[list[str], float]:
    """Repairs and points of a notebook that was tampered with."""
    path = tmp_path / f"{CHAPTER}.ipynb"
    path.write_text(notebook if isinstance(notebook, str) else nbformat.writes(notebook))
    checked = check_notebook(course, path)
    return checked.repairs, sum(verdict.points for verdict in checked.verdicts)


def test_changed_deleted_and_doubled_cells_are_repaired(built_course: Course, tmp_path: Path) -> None:
    easy = with_answer(built_course, WRONG)
    for cell in easy.cells:
        if "nbgrader" in cell.metadata and cell.metadata.nbgrader.grade:
            cell.source = "pass"
            cell.metadata.nbgrader.points = 100
            cell.metadata["tags"] = ["skip-execution"]
    put_back = (
        "Tests or given cells that read otherwise were put back: square--small-numbers, square--negative-numbers."
    )
    assert rebuilt(built_course, tmp_path, easy) == ([put_back], 1)

    without_tests = with_answer(built_course, WRONG)
    without_tests.cells = [cell for cell in without_tests.cells if "--" not in cell.id]
    assert rebuilt(built_course, tmp_path, without_tests) == ([], 1)

    doubled = with_answer(built_course, WRONG)
    position = next(number for number, cell in enumerate(doubled.cells) if cell.id == "square")
    again = new_code_cell(RIGHT, metadata=doubled.cells[position].metadata)
    doubled.cells.append(again)
    repairs, points = rebuilt(built_course, tmp_path, doubled)
    assert repairs == ["Cell square occurs more than once; the first one counts."] and points == 1

    deleted = with_answer(built_course, RIGHT)
    del deleted.cells[position]
    repairs, points = rebuilt(built_course, tmp_path, deleted)
    assert repairs == ["Task cell square is missing; it counts as not answered."] and points == 0


def test_own_cells_stay_where_the_student_put_them(built_course: Course, tmp_path: Path) -> None:
    notebook = with_answer(built_course, "def square(x):\n    return helper(x)")
    position = next(number for number, cell in enumerate(notebook.cells) if cell.id == "square")
    notebook.cells.insert(position + 1, new_markdown_cell("my notes"))
    notebook.cells.insert(position, new_code_cell("def helper(x):\n    return x * x"))
    assert rebuilt(built_course, tmp_path, notebook) == ([], 3)


def test_old_format_without_cell_ids_is_upgraded(built_course: Course, tmp_path: Path) -> None:
    old = json.loads(nbformat.writes(with_answer(built_course, RIGHT)))
    old["nbformat_minor"] = 2
    for cell in old["cells"]:
        del cell["id"]
    assert rebuilt(built_course, tmp_path, json.dumps(old)) == ([], 3)


def test_unbuilt_chapter_is_an_error_in_one_line(tmp_path: Path) -> None:
    course = make_course(tmp_path)
    with pytest.raises(CourseError, match="run `autograder build 01_squares`"):
        students_to_grade(course, CHAPTER, force=False)
