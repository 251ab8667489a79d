"""One submission as a unit of work: a pure function of its inputs that any process on any machine can compute."""

import hashlib
import json
import time
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from autograder.chapter.cells import CellKind, Notebook, NotebookCell, Way
from autograder.chapter.verdicts import PROBLEMS, Verdict, record
from autograder.course import CourseError, assignment_in, notebook_in
from autograder.intake.files import Submission
from autograder.intake.submission import take_in_content, untouched
from autograder.wall.judge import Judge
from autograder.wall.sandbox import require_sandbox
from autograder.wall.seeds import seed_of

# What nbgrader's configuration may name and is done elsewhere: by the judge itself, by the gradebook's one writer, and
# once for all submissions, since the metadata of a rebuilt notebook are the reference's (`grade.register` checks them).
DONE_ELSEWHERE = {"Judge", "SaveAutoGrades", "AssignLatePenalties", "CheckCellMetadata"}


@dataclass(frozen=True)
class Assignment:
    """What is the same for all submissions of a chapter. `reference` is the notebook as text, with all tests."""

    chapter: str
    reference: str
    tests_digest: str  # of what the marks depend on besides the submission
    settings: dict[str, dict[str, Any]]  # sections of nbgrader's configuration
    preprocessors: tuple[str, ...]  # that run on the judged notebook
    key: str  # what seeds are made from, see wall/seeds.py


@dataclass(frozen=True)
class Work:
    """One submission to grade."""

    assignment: Assignment
    student: str
    submission: Submission


@dataclass(frozen=True)
class GradedSubmission:
    """All that is to be stored about a graded submission."""

    student: str
    chapter: str
    submission_digest: str
    tests_digest: str
    timestamp: str
    notebook: str  # the judged notebook as text
    scores: dict[str, float | None]  # by grade id, as nbgrader determines them; None is for a person to decide
    comments: dict[str, str | None]  # nbgrader's automatic ones, by grade id of the answer
    verdicts: tuple[Verdict, ...]
    repairs: tuple[str, ...]
    seconds: float
    stopped: tuple[tuple[str, str], ...] = ()  # cells other than tests that hung, say: the problem and the cell's name
    phases: dict[str, float] = field(default_factory=dict)  # seconds of intake, cells, tests and conversion

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "GradedSubmission":
        content = json.loads(text)
        verdicts = tuple(Verdict.from_dict(verdict) for verdict in content.pop("verdicts"))
        stopped = tuple((problem, name) for problem, name in content.pop("stopped", ()))
        return cls(verdicts=verdicts, repairs=tuple(content.pop("repairs")), stopped=stopped, **content)


def assignment_of(chapter: str, reference: Notebook, config: Config, key: str, files: str = "") -> Assignment:
    """What workers need to know about a chapter. Nothing else of the configuration, such as a password, goes out.

    `files` is the folder of what lies beside its notebooks, if anything does.
    """
    names = config.Autograde.get("autograde_preprocessors") or []
    paths = [name if isinstance(name, str) else f"{name.__module__}.{name.__name__}" for name in names]
    preprocessors = tuple(path for path in paths if path.rsplit(".", 1)[-1] not in DONE_ELSEWHERE)
    sections = {"Judge", "NbGraderPreprocessor", *(path.rsplit(".", 1)[-1] for path in preprocessors)}
    settings = {section: dict(config[section]) for section in sorted(sections) if section in config}
    if files:
        settings["Judge"] = {**settings.get("Judge", {}), "files": files}
    text, tests = nbformat.writes(reference.node), digest_of_tests(reference)
    return Assignment(chapter, text, tests, settings, preprocessors, key)


def digest_of_tests(reference: Notebook) -> str:
    """Digest of what decides about marks: tests, given cells, points. Text and solutions may change without it."""
    parts = [
        [cell.facts, "" if cell.is_answer else cell.source, *([cell.way] if cell.way != Way.WALL else [])]
        for cell in reference.cells
        if cell.is_code or cell.is_graded
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def grade_submission(work: Work) -> GradedSubmission:
    """Intake, judge and conversion of one submission. Reads and writes no file of the course."""
    assignment = work.assignment
    start = time.perf_counter()
    reference, judge, preprocessors = _prepare(
        assignment.reference, json.dumps(assignment.settings), assignment.preprocessors
    )
    require_sandbox(judge.unsafe)
    for folder in [*judge.visible_folders, *filter(None, [judge.files])]:
        if not Path(folder).is_dir():
            raise CourseError(f"This worker lacks the folder {folder}, which student code may read: put it there.")
    unreadable = work.submission.unreadable
    intake = untouched(unreadable, reference) if unreadable else take_in_content(work.submission.content, reference)
    taken_in = time.perf_counter()
    cells = intake.notebook.cells
    verdicts = judge.judge(intake.notebook, reference, seed_of(assignment.key, intake.notebook))
    remarks = [*intake.repairs, *judge.remarks]
    notebook = intake.notebook.node
    record(notebook, remarks, verdicts)
    stopped = tuple(problem for cell in cells if not cell.is_test for problem in _problems(cell))
    judged = time.perf_counter()
    chapter = assignment.chapter
    names = {"student": work.student, "assignment": assignment_in(chapter), "notebook": notebook_in(chapter)}
    for preprocessor in preprocessors:
        notebook, _ = preprocessor(notebook, {"nbgrader": names})
    nodes = {node["id"]: node for node in notebook.cells}  # a preprocessor may have made new ones
    text = nbformat.writes(notebook)
    end = time.perf_counter()
    tests = sum(verdict.seconds for verdict in verdicts)
    return GradedSubmission(
        student=work.student,
        chapter=assignment.chapter,
        submission_digest=work.submission.digest,
        tests_digest=assignment.tests_digest,
        timestamp=work.submission.timestamp,
        notebook=text,
        scores={cell.name: _score(cell, nodes[cell.node["id"]]) for cell in cells if cell.is_graded},
        comments={cell.name: _automatic_comment(cell, nodes[cell.node["id"]]) for cell in cells if cell.is_answer},
        verdicts=tuple(verdicts),
        repairs=tuple(remarks),
        seconds=end - start,
        stopped=stopped,
        phases={
            "intake": taken_in - start,
            "cells": judged - taken_in - tests,
            "tests": tests,
            "conversion": end - judged,
        },
    )


@lru_cache(maxsize=1)
def _prepare(
    reference: str, settings: str, preprocessors: tuple[str, ...]
) -> tuple[Notebook, Judge, list[NbGraderPreprocessor]]:
    """The reference and what works on a notebook, made once for all submissions that a process sees in a row."""
    config = Config(json.loads(settings))
    return (
        Notebook.of(nbformat.reads(reference, as_version=4)),
        Judge(config=config),
        [import_item(path)(config=config) for path in preprocessors],
    )


def _problems(cell: NotebookCell) -> list[tuple[str, str]]:
    """How the cell hung, crashed or was not run, if it was, and its name."""
    errors = [output.ename for output in cell.node.get("outputs", []) if output.output_type == "error"]
    return [(error, cell.name) for error in errors if error in PROBLEMS]


def _score(cell: NotebookCell, node: NotebookNode) -> float | None:
    """What nbgrader gives a cell; None if a person has to look, as at whatever students make of an exercise."""
    score: float | None = None if cell.kind == CellKind.EXERCISE else utils.determine_grade(node)[0]
    return score


def _automatic_comment(cell: NotebookCell, node: NotebookNode) -> str | None:
    """What nbgrader's SaveAutoGrades says of an answer."""
    return "No response." if cell.checksum == utils.compute_checksum(node) else None
