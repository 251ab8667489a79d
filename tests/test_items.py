"""What the report says about tests equals what another library says, and what is odd about one is seen."""

import math
import random
import statistics

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.chapter.cells import first_line_of_test
from autograder.chapter.verdicts import Outcome, Verdict, record
from autograder.course import Course
from autograder.grading.items import FEW, Item, items_of
from autograder.grading.marks import COLUMNS
from conftest import CHAPTER, make_course

TESTS = {"easy": 1.0, "middle": 2.0, "hard": 3.0, "harder": 3.0, "backwards": 0.5, "all": 1.0}
HARDNESS = {"easy": 0.1, "middle": 0.4, "hard": 0.5, "harder": 0.7}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A chapter with five tests, as far as its items are concerned; nobody has handed in."""
    course = make_course(tmp_path_factory.mktemp("items"))
    cells = [
        new_code_cell(
            f"{first_line_of_test('a', name, 'some points')}\nassert True",
            metadata={"nbgrader": {"grade": True, "solution": False, "grade_id": f"a--{name}", "points": points}},
        )
        for name, points in TESTS.items()
    ]
    course.reference(CHAPTER).parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=cells), course.reference(CHAPTER))
    return course


def class_of(course: Course, students: int, seed: int = 0) -> tuple[list[Item], pd.DataFrame]:
    """Students of rising skill; "backwards" is failed by the best third alone, "all" by nobody."""
    dice, rows = random.Random(seed), []
    for number in range(students):
        skill = number / students
        passed = {name: skill + dice.gauss(0, 0.05) > hardness for name, hardness in HARDNESS.items()}
        passed |= {"backwards": skill < 2 / 3, "all": True}
        verdicts = [
            Verdict(f"a--{name}", "a", name, 0, points, Outcome.FAILED, message)
            for name, points in TESTS.items()
            if not passed[name]
            for message in [
                f"mean([{number}, 2.5]) is {number / 7:.3f}; yours: {dice.random() if number % 2 else 0.25}."
                if number % 3
                else "no"
            ]
        ]
        notebook = new_notebook()
        record(notebook, [], verdicts)
        path = course.graded(f"s{number:02}", CHAPTER)
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
        for name, points in TESTS.items():
            rows.append([f"s{number:02}", "a", name, f"a--{name}", points * passed[name], points, False])
    marks = pd.DataFrame(rows, columns=COLUMNS[:-1]).assign(by_hand=0.0)
    return items_of(course, CHAPTER, marks), marks


def test_figures_equal_those_of_another_library(course: Course) -> None:
    items, marks = class_of(course, 30)
    assert [item.passed for item in items] == sorted(item.passed for item in items)
    for item in items:
        of_test = marks[marks.aspect == item.aspect]
        passed = [float(row.points == row.most_points) for row in of_test.itertuples()]
        rest = [marks[(marks.student == s) & (marks.aspect != item.aspect)].points.sum() for s in of_test.student]
        assert item.passed == pytest.approx(statistics.mean(passed))
        if item.aspect == "all":
            assert math.isnan(item.discrimination)
        else:
            assert item.discrimination == pytest.approx(statistics.correlation(passed, rest))


def test_what_the_best_fail_is_odd_and_nothing_else(course: Course) -> None:
    items, _ = class_of(course, 30)
    assert {item.aspect for item in items if item.is_odd} == {"backwards"}
    odd = next(item for item in items if item.is_odd)
    assert odd.strong_failed == 1 and odd.discrimination < 0


def test_messages_are_alike_but_for_what_was_drawn(course: Course) -> None:
    items, marks = class_of(course, 30)
    for item in items:
        failed = [int(row.student[1:]) for row in marks[marks.aspect == item.aspect].itertuples() if row.points == 0]
        counts = sorted(message.times for message in item.messages)
        assert counts == sorted(n for n in (sum(x % 3 > 0 for x in failed), sum(x % 3 == 0 for x in failed)) if n)
        assert all(message.example == "no" or "; yours: 0." in message.example for message in item.messages)


def test_wrong_answers_that_several_gave_are_counted(course: Course) -> None:
    items, marks = class_of(course, 30)
    seen = 0
    for item in items:
        failed = [int(row.student[1:]) for row in marks[marks.aspect == item.aspect].itertuples() if row.points == 0]
        alike = sum(x % 3 > 0 and x % 2 == 0 for x in failed)
        for message in item.messages:
            wanted = [(alike, "0.25")] if alike > 1 and message.example != "no" else []
            assert message.answers == wanted
            seen += len(wanted)
    assert seen > 2


def test_of_a_handful_no_correlation_is_told(course: Course) -> None:
    items, _ = class_of(course, FEW - 1)
    assert all(math.isnan(item.discrimination) for item in items)
    assert not any(item.is_odd for item in items)


def test_a_mark_without_a_graded_notebook_counts(course: Course) -> None:
    items, marks = class_of(course, 10)
    course.graded("s03", CHAPTER).unlink()
    assert [item.passed for item in items_of(course, CHAPTER, marks)] == [item.passed for item in items]
