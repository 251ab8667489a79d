"""How each test of an adopted course is judged, as a trial of its reference has found: kept until either changes."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder.chapter.beside import digest_of_files
from autograder.chapter.cells import MARK, Notebook, Way
from autograder.course import Course
from autograder.disk import write_atomically

EXECUTES = ("Execute", "ExecutePreprocessor")  # where nbgrader's configuration may say how long a cell may run
WAYS = "ways"  # folder in a course's state
VERSION = 2  # of what decides about ways: another number has every reference tried again


@dataclass(frozen=True)
class Tried:
    """What the trial of a reference has found about one test."""

    way: Way
    fails: bool  # the course's own answer does not earn its points, here or under plain nbgrader
    why: str  # it is not judged through the wall; empty if it is

    @classmethod
    def from_dict(cls, fields: dict[str, str | bool]) -> "Tried":
        return cls(Way(str(fields["way"])), bool(fields["fails"]), str(fields["why"]))


def kept_ways(course: Course, chapter: str, reference: Notebook) -> dict[str, Tried] | None:
    """By the name of each test; None if nobody has tried this reference with these files and settings."""
    path = _file(course, chapter)
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["digest"] == _digest(course, chapter, reference):
            return {name: Tried.from_dict(fields) for name, fields in kept["ways"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass  # not there yet, or damaged
    return None


def keep_ways(course: Course, chapter: str, reference: Notebook, ways: dict[str, Tried]) -> None:
    """Remember them for the next command."""
    path = _file(course, chapter)
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = _digest(course, chapter, reference)
    content = {"digest": digest, "ways": {name: asdict(tried) for name, tried in ways.items()}}
    write_atomically(path, json.dumps(content, indent=1).encode())


def with_ways(reference: Notebook, ways: dict[str, Tried]) -> Notebook:
    """The reference with a note in each test that is not judged through the wall."""
    node = reference.copy().node
    for cell, read in zip(node.cells, reference.cells, strict=True):
        tried = ways.get(read.name)
        if read.is_test and tried:
            cell.metadata[MARK] = {**cell.metadata.get(MARK, {}), "way": tried.way.value, "fails": tried.fails}
    return Notebook.of(node)


def _file(course: Course, chapter: str) -> Path:
    return course.state / WAYS / f"{chapter}.json"


def _digest(course: Course, chapter: str, reference: Notebook) -> str:
    """Of all that may decide about a way; which way the tests of `reference` go makes no difference."""
    judge = course.nbgrader.get("Judge", {})
    settings = {name: str(value) for name, value in judge.items() if value and name != "unsafe"}
    cells = [[cell.name, cell.facts, cell.source] for cell in reference.cells if cell.is_code]
    parts = [
        VERSION,
        cells,
        digest_of_files(course, chapter),
        settings,
        [str(course.nbgrader.get(section, {}).get("timeout")) for section in EXECUTES],
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
