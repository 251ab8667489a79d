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

from autograder.chapter.cells import is_answer, is_graded, name_of
from autograder.chapter.verdicts import Verdict, record
from autograder.course import CourseError
from autograder.intake.files import Submission
from autograder.intake.submission import take_in_content, untouched
from autograder.wall.judge import Judge
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
    phases: dict[str, float] = field(default_factory=dict)  # seconds of intake, cells, tests and conversion

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "GradedSubmission":
        content = json.loads(text)
        verdicts = tuple(Verdict.from_dict(verdict) for verdict in content.pop("verdicts"))
        return cls(verdicts=verdicts, repairs=tuple(content.pop("repairs")), **content)


def assignment_of(chapter: str, reference: NotebookNode, config: Config, key: str) -> Assignment:
    """What workers need to know about a chapter. Nothing else of the configuration, such as a password, goes out."""
    names = config.Autograde.get("autograde_preprocessors") or []
    paths = [name if isinstance(name, str) else f"{name.__module__}.{name.__name__}" for name in names]
    preprocessors = tuple(path for path in paths if path.rsplit(".", 1)[-1] not in DONE_ELSEWHERE)
    sections = {"Judge", "NbGraderPreprocessor", *(path.rsplit(".", 1)[-1] for path in preprocessors)}
    settings = {section: dict(config[section]) for section in sorted(sections) if section in config}
    text, tests = nbformat.writes(reference), digest_of_tests(reference)
    return Assignment(chapter, text, tests, settings, preprocessors, key)


def digest_of_tests(reference: NotebookNode) -> str:
    """Digest of what decides about marks: tests, given cells, points. Text and solutions may change without it."""
    parts = [
        [
            {key: value for key, value in cell.metadata.get("nbgrader", {}).items() if key != "checksum"},
            "" if is_answer(cell) else cell.source,
        ]
        for cell in reference.cells
        if cell.cell_type == "code" or is_graded(cell)
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def grade_submission(work: Work) -> GradedSubmission:
    """Intake, judge and conversion of one submission. Reads and writes no file of the course."""
    assignment = work.assignment
    start = time.perf_counter()
    reference, judge, preprocessors = _prepare(
        assignment.reference, json.dumps(assignment.settings), assignment.preprocessors
    )
    for folder in judge.visible_folders:
        if not Path(folder).is_dir():
            raise CourseError(f"This worker lacks the folder {folder}, which student code may read: put it there.")
    unreadable = work.submission.unreadable
    intake = untouched(unreadable, reference) if unreadable else take_in_content(work.submission.content, reference)
    taken_in = time.perf_counter()
    notebook = intake.notebook
    verdicts = judge.judge(notebook, reference, seed_of(assignment.key, notebook))
    remarks = [*intake.repairs, *judge.remarks]
    record(notebook, remarks, verdicts)
    judged = time.perf_counter()
    names = {"student": work.student, "assignment": assignment.chapter, "notebook": assignment.chapter}
    for preprocessor in preprocessors:
        notebook, _ = preprocessor(notebook, {"nbgrader": names})
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
        scores={name_of(cell): utils.determine_grade(cell)[0] for cell in notebook.cells if is_graded(cell)},
        comments={
            name_of(cell): _automatic_comment(cell) for cell in notebook.cells if is_answer(cell) or utils.is_task(cell)
        },
        verdicts=tuple(verdicts),
        repairs=tuple(remarks),
        seconds=end - start,
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
) -> tuple[NotebookNode, Judge, list[NbGraderPreprocessor]]:
    """The reference and what works on a notebook, made once for all submissions that a process sees in a row."""
    config = Config(json.loads(settings))
    return (
        nbformat.reads(reference, as_version=4),
        Judge(config=config),
        [import_item(path)(config=config) for path in preprocessors],
    )


def _automatic_comment(cell: NotebookNode) -> str | None:
    """As nbgrader's SaveAutoGrades has it."""
    is_unchanged = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
    return "No response." if is_unchanged and not utils.is_task(cell) else None
