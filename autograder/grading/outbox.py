"""What is known about each submission, on disk before anything else is done with it; nothing of it can be half written.

COURSE/.autograder/CHAPTER/STUDENT/outcome.json    graded, perhaps not yet in the gradebook
COURSE/.autograder/CHAPTER/STUDENT/record.json     in the gradebook: which submission, with which tests
"""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder.course import STATE
from autograder.grading.work import GradedSubmission

OUTCOME, RECORD = "outcome.json", "record.json"
WRITING = ".writing-"  # how names of unfinished files begin


@dataclass(frozen=True)
class Record:
    """What stays of an outcome once the gradebook has it: digests of submission and tests, and the time it took."""

    submission: str
    tests: str
    seconds: float
    scores: dict[str, float | None]
    phases: dict[str, float]  # seconds of each part of the work


class Outbox:
    """The outcomes and records of one chapter."""

    def __init__(self, course_root: Path, chapter: str):
        self.folder = course_root / STATE / chapter

    def put(self, outcome: GradedSubmission) -> None:
        """Keep an outcome. When this returns it survives a kill and a power cut."""
        write_atomically(self.folder / outcome.student / OUTCOME, outcome.to_json().encode())

    def waiting(self) -> Iterator[GradedSubmission]:
        """Outcomes that an earlier run could not bring into the gradebook; what it was still writing is removed."""
        for path in self.folder.glob(f"*/{WRITING}*"):
            path.unlink()
        for path in sorted(self.folder.glob(f"*/{OUTCOME}")):
            yield GradedSubmission.from_json(path.read_text(encoding="utf-8"))

    def done(self, outcome: GradedSubmission) -> None:
        """The gradebook has it: keep the record and drop the rest."""
        record = Record(outcome.submission, outcome.tests, outcome.seconds, outcome.scores, outcome.phases)
        write_atomically(self.folder / outcome.student / RECORD, json.dumps(asdict(record)).encode())
        (self.folder / outcome.student / OUTCOME).unlink()

    def records(self) -> dict[str, Record]:
        """Records by student."""
        return {
            path.parent.name: Record(**json.loads(path.read_text(encoding="utf-8")))
            for path in self.folder.glob(f"*/{RECORD}")
        }


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that holds, at any moment, either what it held before or all of `content`, even after a crash."""
    _make_folder(path.parent)
    number, temporary = tempfile.mkstemp(dir=path.parent, prefix=WRITING)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()
        raise
    _sync_folder(path.parent)


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    """Bring a new name in a folder to the disk, where folders can be opened for that."""
    if os.name == "posix":
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
