"""What is known about each submission, on disk before anything else is done with it; nothing of it can be half written.

COURSE/.autograder/CHAPTER/STUDENT/outcome.json    graded, perhaps not yet in the gradebook
COURSE/.autograder/CHAPTER/STUDENT/record.json     in the gradebook: which submission, with which tests
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from autograder.course import Course
from autograder.disk import WRITING, write_atomically
from autograder.grading.work import GradedSubmission

OUTCOME, RECORD = "outcome.json", "record.json"
PRIVATE = 0o600  # marks are nobody else's business
DAMAGED = ".damaged"  # how names of files end that could not be read


@dataclass(frozen=True)
class Record:
    """What stays of an outcome once the gradebook has it: digests of submission and tests, and the time it took."""

    submission_digest: str
    tests_digest: str
    seconds: float
    scores: dict[str, float | None]
    phases: dict[str, float]  # seconds of each part of the work
    remarks: list[str]  # what people should know about it

    @classmethod
    def from_json(cls, text: str) -> "Record":
        fields = json.loads(text)
        return cls(**fields)


class Outbox:
    """The outcomes and records of one chapter."""

    def __init__(self, course: Course, chapter: str):
        self.folder = course.state / chapter

    def put(self, outcome: GradedSubmission) -> None:
        """Keep an outcome. When this returns it survives a kill and a power cut."""
        write_atomically(self.folder / outcome.student / OUTCOME, outcome.to_json().encode(), PRIVATE)

    def waiting(self) -> Iterator[GradedSubmission]:
        """Outcomes that an earlier run could not bring into the gradebook; what it was still writing is removed."""
        for path in self.folder.glob(f"*/{WRITING}*"):
            path.unlink()
        for path in sorted(self.folder.glob(f"*/{OUTCOME}")):
            if outcome := _read(path, GradedSubmission.from_json):
                yield outcome

    def done(self, outcome: GradedSubmission, remarks: list[str]) -> None:
        """The gradebook has it: keep the record and drop the rest."""
        record = Record(
            outcome.submission_digest,
            outcome.tests_digest,
            outcome.seconds,
            outcome.scores,
            outcome.phases,
            remarks,
        )
        write_atomically(self.folder / outcome.student / RECORD, json.dumps(asdict(record)).encode(), PRIVATE)
        (self.folder / outcome.student / OUTCOME).unlink()

    def records(self) -> dict[str, Record]:
        """Records by student."""
        found = {path.parent.name: _read(path, Record.from_json) for path in self.folder.glob(f"*/{RECORD}")}
        return {student: record for student, record in found.items() if record}


Kept = TypeVar("Kept")


def _read(path: Path, parse: Callable[[str], Kept]) -> Kept | None:
    """What a file of ours holds; None if it is damaged: then it is set aside, and the submission is graded again."""
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (ValueError, TypeError, KeyError, AttributeError):  # no JSON, or other JSON than we write
        path.replace(path.with_name(path.name + DAMAGED))
        return None
