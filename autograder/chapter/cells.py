"""What a cell of a notebook is and what it is called: the one reading of nbgrader's metadata and of the build's marks.

A notebook may come from a student: nothing in its metadata is believed to have the right type.
"""

import json

from nbformat import NotebookNode

BEGIN_SOLUTION, END_SOLUTION = "### BEGIN SOLUTION", "### END SOLUTION"
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
CHANGES = "changes_arguments"  # in the metadata of a task's cell
CHECKS = "# Checks "  # how the first line of a test cell begins that the build made


def grade_id_of(cell: NotebookNode) -> str | None:
    """nbgrader's name of a cell, if it has one."""
    grade_id = _facts(cell).get("grade_id")
    return grade_id if isinstance(grade_id, str) and grade_id else None


def name_of(cell: NotebookNode) -> str:
    """nbgrader's name of a cell, or for cells without one the cell id."""
    return grade_id_of(cell) or str(cell.get("id", ""))


def points_of(cell: NotebookNode) -> float:
    """The most points that a cell can earn; 0 for one that earns none."""
    points = _facts(cell).get("points")
    return float(points) if isinstance(points, (int, float)) else 0.0


def is_answer(cell: NotebookNode) -> bool:
    """Whether the cell's text is the student's: a task, or a question that a person grades."""
    return bool(_facts(cell).get("solution"))


def is_task(cell: NotebookNode) -> bool:
    """Whether the cell is an answer that tests look at, and no person."""
    return is_answer(cell) and not is_graded(cell)


def is_graded(cell: NotebookNode) -> bool:
    """Whether points are given for the cell, by a test or by a person."""
    return bool(_facts(cell).get("grade"))


def is_test(cell: NotebookNode) -> bool:
    """Whether the cell is a test, which gives the points by itself."""
    return is_graded(cell) and not is_answer(cell) and cell.get("cell_type") == "code"


def is_graded_by_hand(cell: NotebookNode) -> bool:
    """Whether a person gives the points: for an answer in words or pictures, say."""
    return is_graded(cell) and not is_test(cell)


def is_locked(cell: NotebookNode) -> bool:
    """Whether the course restores the cell: given cells and tests."""
    facts = _facts(cell)
    return bool(facts) and not is_answer(cell) and bool(facts.get("locked") or facts.get("grade"))


def is_free(cell: NotebookNode) -> bool:
    """Whether a student may change this cell of the reference: answers and scratch cells, no text of the course."""
    return is_answer(cell) or (cell.get("cell_type") == "code" and not is_locked(cell))


def may_change_arguments(cell: NotebookNode) -> bool:
    """Whether a task's functions are meant to change what they are given; only the build's own cells are asked."""
    return cell.metadata.get(CHANGES) is True


def first_line_of_test(task: str, aspect: str, points: str) -> str:
    """What the build writes on top of a test cell; `what_it_checks` reads it."""
    return f"{CHECKS}{task}: {aspect} ({points})"


def line_when_passed(aspect: str) -> str:
    """What the build writes below a test: a person who runs it sees that it passed."""
    return f"print({json.dumps(f'passed: {aspect}', ensure_ascii=False)})"


def what_it_checks(cell: NotebookNode) -> tuple[str, str]:
    """Task and aspect of a test cell, from the first line that the build wrote; else its grade id."""
    first_line = cell.source.split("\n", 1)[0]
    if is_test(cell) and first_line.startswith(CHECKS) and ": " in first_line:
        task, aspect = first_line.removeprefix(CHECKS).split(": ", 1)
        return task, aspect.rsplit(" (", 1)[0]
    return name_of(cell), ""


def without_hidden(source: str) -> str:
    """A test cell as students get it."""
    shown, inside = [], False
    for line in source.split("\n"):
        if line.strip() in (BEGIN_HIDDEN, END_HIDDEN):
            inside = line.strip() == BEGIN_HIDDEN
        elif not inside:
            shown.append(line)
    return "\n".join(shown)


def _facts(cell: NotebookNode) -> dict[str, object]:
    metadata = cell.get("metadata")
    facts = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return facts if isinstance(facts, dict) else {}
