"""An instructor sees one test of a submission again, with the same random inputs."""

import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest

from autograder.authoring.build import build
from autograder.chapter.verdicts import recorded_verdicts
from autograder.course import Course, CourseError
from autograder.grading.coordinator import grade_class
from autograder.grading.replay import replay
from conftest import CHAPTER, ROOT, TEXT, answered, make_course

# The hidden part draws, so that each grading with another seed says something else.
DRAWN = TEXT.replace(
    'assert square(3) == 9, f"square(3) is 9, yours gives {square(3)}"',
    "import random\nfor _ in range(3):\n    _x = random.randint(10, 10**9)\n"
    "    assert square(_x) == _x**2, f'square({_x}) is wrong'",
)
TEST = "square--small-numbers"
WRONG = "def square(x):\n    return x * min(x, 9)"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = make_course(tmp_path_factory.mktemp("replay"), DRAWN)
    build(course, CHAPTER)
    hand_in(course, WRONG)
    return course


def hand_in(course: Course, code: str) -> None:
    path = course.submitted / "bob" / CHAPTER / f"{CHAPTER}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(answered(course, code).node, path)


def kept(course: Course, tmp_path: Path) -> str:
    graded = nbformat.read(course.autograded / "bob" / CHAPTER / f"{CHAPTER}.ipynb", as_version=4)
    return next(verdict.message for verdict in recorded_verdicts(graded) if verdict.grade_id == TEST)


def test_replay_shows_the_failing_call_and_its_inputs(course: Course, tmp_path: Path) -> None:
    before = replay(course, "bob", CHAPTER, TEST)
    assert "not graded yet" in before.note
    assert [result.problem for result in grade_class(course, CHAPTER, ["bob"], jobs=1)] == [""]
    again = replay(course, "bob", CHAPTER, TEST)
    assert again.note == "" and again.calls == before.calls
    assert again.verdict.outcome == "failed" and again.verdict.message == kept(course, tmp_path)
    first, *_, last = again.calls
    assert str(first) == "square(2) returned 4"
    assert last.name == "square" and last.result == f"returned {9 * int(last.arguments)}"
    assert again.verdict.message == f"square({last.arguments}) is wrong"

    (course.state / "secret").write_text("another one")
    later = replay(course, "bob", CHAPTER, TEST)
    assert later.calls == again.calls and "have changed since" in later.note

    command = [str(ROOT / ".venv/bin/autograder"), "replay", "bob", CHAPTER, TEST, "--course", str(course.root)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert str(last) in shown and f"{TEST}: failed" in shown


def test_exceptions_and_long_arguments_are_shown_in_short(course: Course, tmp_path: Path) -> None:
    copy = Course(tmp_path / "course", course.nbgrader)
    shutil.copytree(course.root, copy.root)
    shutil.rmtree(copy.autograded, ignore_errors=True)
    hand_in(copy, "def square(x):\n    raise KeyError('x' * 500)")
    found = replay(copy, "bob", CHAPTER, "square--negative-numbers")
    assert len(found.calls) == 1 and str(found.calls[0]).startswith("square(-2) raised KeyError: ")


def test_a_linked_folder_is_refused_as_in_grading(course: Course) -> None:
    """It would show what somebody else handed in, and a test that grading never ran on it."""
    linked = course.submitted / "linked"
    linked.symlink_to("bob")
    try:
        found = replay(course, "linked", CHAPTER, "square--negative-numbers")
    finally:
        linked.unlink()
    assert found.verdict.outcome == "failed" and not found.calls


@pytest.mark.parametrize(
    ("student", "test", "message"),
    [
        ("bob", "square--nonsense", "no test 'square--nonsense'; its tests: square--small-numbers, square--negative"),
        ("zoe", TEST, "name a student who handed in 01_squares"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(course: Course, student: str, test: str, message: str) -> None:
    with pytest.raises(CourseError, match=message) as caught:
        replay(course, student, CHAPTER, test)
    assert "\n" not in str(caught.value)
