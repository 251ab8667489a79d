"""What grading found, test cell by test cell."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from nbformat import NotebookNode
from nbgrader import utils

from autograder.chapter.cells import Notebook, NotebookCell, Way


class Outcome(StrEnum):
    """How a test cell ended. An error output named after one was written by us, any other by a Python exception."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    CRASHED = "crashed"
    OUT_OF_MEMORY = "out of memory"
    NOT_RUN = "not run"
    MISSING = "missing"


PROBLEMS = frozenset(Outcome) - {Outcome.PASSED}


@dataclass(frozen=True)
class Verdict:
    """One test cell: what it checks, what it earned and, if it did not pass, what went wrong."""

    grade_id: str
    task: str
    aspect: str
    points: float
    most_points: float
    outcome: Outcome
    message: str
    seconds: float = 0.0  # that the test took; 0 if it was not measured
    seed: str = ""  # of the submission, from which all draws of its tests follow; empty if nothing was seeded
    way: Way = Way.WALL

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "Verdict":
        """The verdict that `dataclasses.asdict` made these fields of."""
        way = Way(fields.get("way", Way.WALL))
        return cls(**{**fields, "outcome": Outcome(fields["outcome"]), "way": way})


RECORD = "autograder"  # where a graded notebook's metadata keep what follows


def record(notebook: NotebookNode, repairs: list[str], verdicts: list[Verdict]) -> None:
    """Keep in a notebook's metadata what intake repaired and what the judge found."""
    notebook.metadata[RECORD] = {"repairs": repairs, "verdicts": [asdict(verdict) for verdict in verdicts]}


def repairs_of(notebook: NotebookNode) -> list[str]:
    """What intake had to repair, as sentences."""
    return list(notebook.metadata.get(RECORD, {}).get("repairs", []))


def recorded_verdicts(notebook: NotebookNode) -> list[Verdict]:
    """What the judge found."""
    return [Verdict.from_dict(verdict) for verdict in notebook.metadata.get(RECORD, {}).get("verdicts", [])]


def verdicts_of(notebook: Notebook) -> list[Verdict]:
    """The verdicts of all test cells of a notebook whose tests ran in its own kernel, read from their outputs."""
    failed_tasks = {cell.name: errors[0] for cell in notebook.answers if (errors := _errors(cell.node))}
    return [_verdict(cell, failed_tasks) for cell in notebook.tests]


def _verdict(cell: NotebookCell, failed_tasks: dict[str, NotebookNode]) -> Verdict:
    points, most_points = utils.determine_grade(cell.node)
    outcome, message = Outcome.PASSED, ""
    for error in _errors(cell.node)[:1]:
        outcome, message = Outcome(error.ename) if error.ename in PROBLEMS else Outcome.FAILED, _message(error)
        if error.ename == "NameError" and cell.task in failed_tasks:
            # The name is missing because its cell did not run; that is what the student must hear of.
            message = f"Your cell for {cell.task} does not run. {_message(failed_tasks[cell.task])}"
    return Verdict(cell.name, cell.task, cell.aspect, points or 0.0, most_points, outcome, message)


def _errors(cell: NotebookNode) -> list[NotebookNode]:
    return [output for output in cell.get("outputs", []) if output.output_type == "error"]


def _message(error: NotebookNode) -> str:
    """One line for the student: the text of the assertion, or kind and text of any other error."""
    text = " ".join(error.evalue.split())
    if error.ename == "AssertionError":
        return text or "The check failed."
    return text if error.ename in PROBLEMS else f"{error.ename}: {text}" if text else error.ename
