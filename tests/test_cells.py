"""Cells are read once: the metadata of a submission's cells are looked at in one place, and each of them one time."""

import ast
import shutil
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.chapter.cells import CellKind, Notebook, NotebookCell
from autograder.chapter.reference import read_reference
from autograder.course import Course, open_course
from autograder.grading.remarks import remarks_of
from autograder.grading.replay import replay
from autograder.grading.work import GradedSubmission, Work, assignment_of, grade_submission
from autograder.intake.files import read_submission
from autograder.wall.seeds import key_of
from conftest import CHAPTER, ROOT, answered

READER = "autograder.chapter.cells"
OF_OTHERS = (
    "is_grade",
    "is_solution",
    "is_locked",
    "is_task",
)  # nbgrader's, of which some mean something else than ours


class Looks:
    """Who of us has looked at the metadata of a cell, and how often."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.modules: Counter[str] = Counter()
        get, getitem = dict.get, dict.__getitem__

        def noted_get(node: NotebookNode, key: str, default: Any = None) -> Any:
            self._note(node, key)
            return get(node, key, default)

        def noted_getitem(node: NotebookNode, key: str) -> Any:
            self._note(node, key)
            return getitem(node, key)

        monkeypatch.setattr(NotebookNode, "get", noted_get, raising=False)
        monkeypatch.setattr(NotebookNode, "__getitem__", noted_getitem, raising=False)

    def _note(self, node: NotebookNode, key: str) -> None:
        if key == "metadata" and dict.__contains__(node, "cell_type"):
            frame = sys._getframe(2)
            while frame.f_back and _module(frame) == "nbformat._struct":  # `cell.metadata`
                frame = frame.f_back
            if _module(frame).startswith("autograder"):
                self.modules[_module(frame)] += 1


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def hand_in(course: Course, student: str) -> int:
    """A submission with an own cell and one whose name is lost; returns how many cells it has."""
    notebook = answered(course, "def square(x):\n    return x * x + (x < 0)").node
    notebook.cells.insert(2, new_code_cell("mine = 3"))
    notebook.cells.append(new_code_cell("def cube(x):\n    return x * x * x"))
    path = course.submission(student, CHAPTER)
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
    return len(notebook.cells)


def test_one_submission_is_looked_at_once_and_in_one_place(
    built_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(built_course.root, tmp_path / "course")  # whoever hands in here is in nobody else's class
    built_course = open_course(tmp_path / "course")
    cells = hand_in(built_course, "walker")
    assignment = assignment_of(
        CHAPTER, read_reference(built_course, CHAPTER), built_course.nbgrader, key_of(built_course, CHAPTER)
    )
    work = Work(assignment, "walker", read_submission(built_course, "walker", CHAPTER))
    first = grade_submission(work)  # the reference is read, too, which happens once for a class
    looks = Looks(monkeypatch)
    again = grade_submission(work)
    remarks_of(GradedSubmission.from_json(again.to_json()))
    own = 2
    assert looks.modules == {READER: cells + own}, "each submitted cell, and each cell that intake makes"
    test = again.verdicts[1].grade_id
    assert replay(built_course, "walker", CHAPTER, test).verdict.outcome == "failed"
    assert set(looks.modules) == {READER}
    assert [verdict.points for verdict in first.verdicts] == [verdict.points for verdict in again.verdicts] == [1, 0]


def test_the_counter_sees_every_way_of_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch)
    cell = new_code_cell("x")
    look: dict[str, Any] = {"__name__": "autograder.somewhere", "cell": cell}
    for code in ("cell.metadata", "cell['metadata']", "cell.get('metadata')"):
        eval(code, look)
    assert looks.modules == {"autograder.somewhere": 3}


def reads_metadata_of_nbgrader(tree: ast.AST) -> list[str]:
    """What in a module asks nbgrader's metadata, or nbgrader, what a cell is."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "nbgrader.utils":
            found += [alias.name for alias in node.names if alias.name in OF_OTHERS]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            if (owner, node.attr) == ("metadata", "nbgrader") or (owner == "utils" and node.attr in OF_OTHERS):
                found.append(f"{owner}.{node.attr}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            found += ["get('nbgrader')" for word in node.args[:1] if ast.unparse(word) == "'nbgrader'"]
    return found


def test_no_other_module_asks_nbgrader_what_a_cell_is() -> None:
    paths = sorted((ROOT / "autograder").rglob("*.py"))
    found = {
        path.relative_to(ROOT).as_posix(): reads_metadata_of_nbgrader(ast.parse(path.read_text())) for path in paths
    }
    assert [path for path, ways in found.items() if ways] == ["autograder/chapter/cells.py"]


@pytest.mark.parametrize(
    "code",
    [
        "from nbgrader import utils\nutils.is_locked(cell)",
        "from nbgrader.utils import is_task",
        "cell.metadata.nbgrader.grade_id",
        "cell.metadata.get('nbgrader', {})",
    ],
)
def test_such_a_question_is_found(code: str) -> None:
    assert reads_metadata_of_nbgrader(ast.parse(code))


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"solution": True, "grade": False, "locked": False}, CellKind.TASK),
        ({"solution": True, "grade": True, "locked": False, "points": 2}, CellKind.QUESTION),
        ({"solution": False, "grade": True, "locked": True, "points": 2}, CellKind.TEST),
        ({"solution": False, "grade": True, "locked": False, "points": 2}, CellKind.TEST),
        ({"solution": False, "grade": False, "locked": True}, CellKind.GIVEN),
        ({"solution": False, "grade": False, "locked": False}, CellKind.SCRATCH),
        (None, CellKind.SCRATCH),
    ],
)
def test_what_a_code_cell_is(facts: dict[str, Any] | None, kind: CellKind) -> None:
    node = new_code_cell("# Checks square: small: numbers (2 points)\nassert 1", id="an-id")
    if facts:
        node.metadata["nbgrader"] = facts | {"grade_id": "a_name", "checksum": "abc"}
    cell = NotebookCell.of(node)
    assert (cell.kind, cell.name) == (kind, "a_name" if facts else "an-id")
    assert (cell.task, cell.aspect) == (("square", "small: numbers") if cell.is_test else (cell.name, ""))
    assert cell.points == (2 if cell.is_graded else 0)
    assert cell.facts == ({**facts, "grade_id": "a_name"} if facts else {})


def test_what_a_text_cell_is() -> None:
    node = new_markdown_cell("# Title")
    assert NotebookCell.of(node).kind == CellKind.TEXT
    node.metadata["nbgrader"] = {"solution": True, "grade": True, "points": 3}
    assert (NotebookCell.of(node).kind, NotebookCell.of(node).points) == (CellKind.QUESTION, 3)


def test_a_copy_and_another_text_leave_the_notebook_alone(built_course: Course) -> None:
    notebook = read_reference(built_course, CHAPTER)
    text = nbformat.writes(notebook.node)
    other = notebook.with_sources({"square": "x = 1"})
    other.node.cells[0].metadata["a"] = other.node.metadata["b"] = 1
    assert [cell.node for cell in other.cells] == other.node.cells
    assert [cell.source for cell in other.tasks] == [cell.node.source for cell in other.tasks] == ["x = 1"]
    assert nbformat.writes(notebook.node) == text == nbformat.writes(read_reference(built_course, CHAPTER).node)


def test_a_reference_that_is_built_again_is_read_again(built_course: Course) -> None:
    path: Path = built_course.reference(CHAPTER)
    text, (task,) = path.read_text(), read_reference(built_course, CHAPTER).tasks
    try:
        nbformat.write(read_reference(built_course, CHAPTER).with_sources({"square": "x = 1"}).node, path)
        assert read_reference(built_course, CHAPTER).tasks[0].source == "x = 1"
    finally:
        path.write_text(text)
    assert read_reference(built_course, CHAPTER).tasks[0].source == task.source


def test_checksums_are_what_nbgrader_knows_an_untouched_answer_by(built_course: Course) -> None:
    reference = read_reference(built_course, CHAPTER)
    marked = reference.with_checksums({"square": "abc", "unknown": "def"})
    assert [cell.checksum for cell in marked.tasks] == ["abc"]
    assert Notebook.of(marked.node).tasks[0].checksum == "abc" and reference.tasks[0].checksum == ""
