"""What a cell of a notebook is and what it is called: the one reading of nbgrader's metadata and of the build's marks.

A notebook is read once, into a `Notebook` of typed cells, and whatever comes later looks at these. It may come from a
student: nothing in its metadata is believed to have the right type.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

import nbformat
from nbformat import NotebookNode

BEGIN_SOLUTION, END_SOLUTION = "### BEGIN SOLUTION", "### END SOLUTION"
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
CHANGES = "changes_arguments"  # in the metadata of a task that is to change what it is given
ADOPTED = "autograder_adopted"  # in the metadata of a reference that was not built from a text
MARK = "autograder"  # in the metadata of its tests: which task they check, and how they are judged
CHECKS = "# Checks "  # how the first line of a test cell begins that the build made


class CellKind(StrEnum):
    """What a cell is for."""

    TASK = "task"  # the student's text, at which tests look and no person
    QUESTION = "question"  # the student's text, graded by a person
    EXERCISE = "exercise"  # the course's text: what students do about it, somewhere, is graded by a person
    TEST = "test"
    GIVEN = "given"  # the course's own, which it restores
    SCRATCH = "scratch"  # code that a student may change and nobody grades
    TEXT = "text"


class Way(StrEnum):
    """Where a test is judged."""

    WALL = "wall"  # in our process, which asks the student's for values
    BESIDE = "beside"  # in the sandbox beside the student's code: the weaker way


@dataclass(frozen=True)
class NotebookCell:
    """One cell, as its metadata and its source had it when it was read; `node` is where outputs are written."""

    kind: CellKind
    name: str  # nbgrader's, or the cell id where there is none
    source: str
    cell_type: str  # "code", "markdown" or "raw"
    points: float  # the most that it can earn
    task: str  # which a test checks; else the cell's own name
    aspect: str  # what a test checks of its task
    checksum: str  # of the untouched answer, where the gradebook's is known
    may_change: bool  # whether a task's functions are meant to change their arguments
    way: Way  # where a test runs
    fails: bool  # the course's own answer does not pass this test
    facts: Mapping[str, Any] = field(compare=False)  # all that nbgrader's metadata say, without the checksum
    node: NotebookNode = field(compare=False, repr=False)

    @property
    def is_code(self) -> bool:
        return self.cell_type == "code"

    @property
    def is_test(self) -> bool:
        return self.kind == CellKind.TEST

    @property
    def is_answer(self) -> bool:
        """Whether the cell's text is the student's: a task, or a question that a person grades."""
        return self.kind in (CellKind.TASK, CellKind.QUESTION)

    @property
    def is_graded(self) -> bool:
        """Whether points are given for the cell, by a test or by a person."""
        return self.kind in (CellKind.TEST, CellKind.QUESTION, CellKind.EXERCISE)

    @property
    def is_locked(self) -> bool:
        """Whether the course restores the cell: given cells and tests."""
        return self.kind in (CellKind.GIVEN, CellKind.TEST)

    @property
    def is_free(self) -> bool:
        """Whether a student may change this cell of the reference: answers and scratch cells, no text of the course."""
        return self.is_answer or self.kind == CellKind.SCRATCH

    @classmethod
    def of(cls, node: NotebookNode) -> Self:
        """Read a cell."""
        metadata = _dict(node.get("metadata"))
        facts = _dict(metadata.get("nbgrader"))
        cell_type, source = str(node.get("cell_type", "")), str(node.get("source", ""))
        name, kind = _name(facts, node), _kind(facts, cell_type)
        points, checksum = facts.get("points"), facts.get("checksum")
        mark = _dict(metadata.get(MARK)) if kind == CellKind.TEST else {}
        task, aspect = _what_it_checks(source) if kind == CellKind.TEST else ("", "")
        task = task or str(mark.get("task", ""))
        return cls(
            kind,
            name,
            source,
            cell_type,
            points=float(points) if isinstance(points, (int, float)) else 0.0,
            task=task or name,
            aspect=aspect,
            checksum=checksum if isinstance(checksum, str) else "",
            may_change=metadata.get(CHANGES) is True,
            fails=mark.get("fails") is True,
            way=Way.BESIDE if mark.get("way") == Way.BESIDE else Way.WALL,
            facts={key: value for key, value in facts.items() if key != "checksum"},
            node=node,
        )

    def with_source(self, source: str) -> Self:
        """The cell with another text, and a node of its own."""
        node: NotebookNode = nbformat.from_dict(self.node)
        node["source"] = source
        return replace(self, source=source, node=node)


@dataclass(frozen=True, eq=False)
class Notebook:
    """A notebook that has been read; the nodes of its cells are those of its own node, in order."""

    node: NotebookNode
    cells: tuple[NotebookCell, ...]

    @classmethod
    def of(cls, node: NotebookNode) -> Self:
        """Read a notebook."""
        return cls(node, tuple(map(NotebookCell.of, node.cells)))

    @property
    def tests(self) -> list[NotebookCell]:
        return [cell for cell in self.cells if cell.is_test]

    @property
    def tasks(self) -> list[NotebookCell]:
        return [cell for cell in self.cells if cell.kind == CellKind.TASK]

    @property
    def questions(self) -> list[NotebookCell]:
        """Answers that a person grades: in words or pictures, say."""
        return [cell for cell in self.cells if cell.kind == CellKind.QUESTION]

    @property
    def answers(self) -> list[NotebookCell]:
        """The cells of tasks and questions."""
        return [cell for cell in self.cells if cell.is_answer]

    @property
    def is_adopted(self) -> bool:
        """Whether it comes from a course that was not built from texts."""
        return self.node.metadata.get(ADOPTED) is True

    def with_cells(self, cells: Iterable[NotebookCell]) -> Self:
        """A notebook of these cells and with this one's metadata."""
        cells = tuple(cells)
        metadata = NotebookNode(self.node.metadata)
        node = NotebookNode(self.node, cells=[cell.node for cell in cells], metadata=metadata)
        return type(self)(node, cells)

    def copy(self) -> Self:
        """One that may be changed."""
        return self.with_sources({})

    def with_sources(self, sources: Mapping[str, str]) -> Self:
        """A copy in which the cells of these names have other texts."""
        return self.with_cells(cell.with_source(sources.get(cell.name, cell.source)) for cell in self.cells)

    def with_checksums(self, checksums: Mapping[str, str]) -> Self:
        """A copy with the checksums, by the cells' names, by which nbgrader knows an untouched answer."""
        cells = []
        for cell in self.copy().cells:
            if cell.name in checksums:
                cell.node.metadata.nbgrader["checksum"] = checksums[cell.name]
                cell = replace(cell, checksum=checksums[cell.name])
            cells.append(cell)
        return self.with_cells(cells)


def name_of(node: NotebookNode) -> str:
    """nbgrader's name of a cell, or for cells without one the cell id."""
    return _name(_facts(node), node)


def forget_tags(node: NotebookNode) -> None:
    """Take away what a notebook asks of whoever runs it, such as to skip the cell."""
    node.metadata.pop("tags", None)


def first_line_of_test(task: str, aspect: str, points: str) -> str:
    """What the build writes on top of a test cell; `NotebookCell` has task and aspect from there."""
    return f"{CHECKS}{task}: {aspect} ({points})"


def line_when_passed(aspect: str) -> str:
    """What the build writes below a test: a person who runs it sees that it passed."""
    return f"print({json.dumps(f'passed: {aspect}', ensure_ascii=False)})"


def without_hidden(source: str) -> str:
    """A test cell as students get it: nbgrader looks for the words of a mark anywhere in a line."""
    shown, inside = [], False
    begin, end = BEGIN_HIDDEN.strip("# "), END_HIDDEN.strip("# ")
    for line in source.split("\n"):
        if begin in line or end in line:
            inside = begin in line
        elif not inside:
            shown.append(line)
    return "\n".join(shown)


def _name(facts: Mapping[str, Any], node: NotebookNode) -> str:
    grade_id = facts.get("grade_id")
    return grade_id if isinstance(grade_id, str) and grade_id else str(node.get("id", ""))


def _kind(facts: Mapping[str, Any], cell_type: str) -> CellKind:
    is_code = cell_type == "code"
    if facts.get("task") and not is_code:
        return CellKind.EXERCISE
    if facts.get("solution"):
        return CellKind.QUESTION if facts.get("grade") else CellKind.TASK
    if facts.get("grade") and is_code:
        return CellKind.TEST
    if facts.get("grade") or facts.get("locked"):
        return CellKind.GIVEN
    return CellKind.SCRATCH if is_code else CellKind.TEXT


def _what_it_checks(test: str) -> tuple[str, str]:
    """Task and aspect from the first line that the build wrote; empty if somebody else wrote the test."""
    first_line = test.split("\n", 1)[0]
    if not first_line.startswith(CHECKS) or ": " not in first_line:
        return "", ""
    task, aspect = first_line.removeprefix(CHECKS).split(": ", 1)
    return task, aspect.rsplit(" (", 1)[0]


def _facts(node: NotebookNode) -> Mapping[str, Any]:
    return _dict(_dict(node.get("metadata")).get("nbgrader"))


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
