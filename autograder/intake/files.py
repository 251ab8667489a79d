"""Read from disk what students handed in: bounded, without following a link, and never with an error that stops others.

Besides the notebook a folder may hold files of the student's. They are kept beside the graded notebook, for people to
look at, within limits; nothing that is graded depends on them.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import Any

from nbgrader import utils
from nbgrader.coursedir import CourseDirectory

from autograder.course import Course
from autograder.wording import count, printable

LARGEST_SUBMISSION = 20 * 2**20  # bytes of a notebook
MAX_FILES = 100  # beside the notebook
MAX_BYTES = 20 * 2**20  # of all files beside the notebook together
MAX_FOLDERS_DEEP = 5
MAX_ENTRIES = 10_000  # of one folder that are looked at
LONGEST_TIMESTAMP = 100  # bytes
TIMESTAMP = "timestamp.txt"  # nbgrader's name for the file that says when a submission was handed in
SECRET = "submission_secret.txt"  # nbgrader's name for what lets only its author fetch feedback


# What is added to the name of a second copy: `x (1)`, `x-Copy1`, `x - Copy`, `x copy 2`, `x 2`.
COPY = re.compile(r"(\s*\(\d+\)|[-_\s]+copy[-_\s]?\d*|\s+\d+)$", re.IGNORECASE)


class UnreadableSubmission(Exception):
    """A file that is no notebook; its text is one sentence for the student."""


@dataclass(frozen=True)
class Submission:
    """A submitted notebook: the file's bytes, or why they cannot be read."""

    content: bytes
    unreadable: str
    timestamp: str  # when it was handed in, as nbgrader reads it; empty if that is not known
    digest: str  # of the three; empty if there is no notebook

    @property
    def is_missing(self) -> bool:
        return not self.digest


@dataclass
class FilesBeside:
    """What lies beside a submitted notebook: names that may be kept, below `folder`, and why others are left out."""

    folder: Path
    names: list[Path] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def name_without_copies(stem: str) -> str:
    """A file's name less what is added to copies; blanks are taken for underscores."""
    while (shorter := COPY.sub("", stem.strip())) != stem:
        stem = shorter
    return re.sub(r"\s+", "_", stem)


def read_submission(course: Course, student: str, chapter: str) -> Submission:
    """What a student handed in for a chapter. It raises nothing: what is wrong with it is part of the answer."""
    path = course.submission(student, chapter)
    content, unreadable = b"", ""
    try:
        if not _links(path, course.submitted) and not path.is_file():
            return Submission(b"", "", "", "")
        content = read_file(path, course.submitted)
    except UnreadableSubmission as problem:
        unreadable = str(problem)
    except OSError as error:
        unreadable = _cannot_be_read(error)
    time = timestamp_if_any(CourseDirectory(config=course.nbgrader), str(path.parent))
    timestamp = str(time) if time else ""
    digest = hashlib.sha256(b"\0".join([unreadable.encode(), timestamp.encode(), content]))
    return Submission(content, unreadable, timestamp, digest.hexdigest())


def read_file(path: Path, below: Path | None = None) -> bytes:
    """What a submitted file holds. Raises UnreadableSubmission if it is a link or too large.

    With `below` the folders between that one and the file must be no links either: they could lead to somebody else's.
    """
    if _links(path, below or path.parent):  # it could name another student's submission, or the solution
        what = "The file" if path.is_symlink() else "Its folder"
        raise UnreadableSubmission(f"{what} is a link, not {'a notebook' if path.is_symlink() else 'a folder'}.")
    try:
        content = _read(path, LARGEST_SUBMISSION)
    except OSError as error:
        raise UnreadableSubmission(_cannot_be_read(error)) from None
    if content is None:
        limit = f"the limit is {LARGEST_SUBMISSION / 2**20:.0f}"
        raise UnreadableSubmission(f"The file has {path.stat().st_size / 2**20:.0f} MiB, {limit}: clear its outputs.")
    return content


def files_beside(course: Course, folder: Path, ignored: list[str]) -> FilesBeside:
    """The files in a submission's folder that may be kept beside the graded notebook.

    Links are none of them, nor what is in the way of the course's own files, nor more than fits the limits above.
    """
    found = FilesBeside(folder)
    if _links(folder, course.submitted):
        return found
    settings = course.nbgrader.get("Autograde", {})
    students = settings.get("exclude_overwriting", {}).get(folder.name, [])  # of the course's files: nbgrader's setting
    of_course = set(_relative_files(course.source / folder.name, ignored)) - set(map(Path, students))
    folders_of_course = {parent for path in of_course for parent in path.parents}
    size = skipped = 0
    for name, bytes_of in _walk(folder, Path(), ignored, found.left):
        if name in folders_of_course or of_course.intersection(name.parents):
            found.left.append(f"{_shown(name)} is in the way of the course's own files")
        elif name in of_course:
            continue  # the course's file takes its place
        elif len(found.names) >= MAX_FILES or size + bytes_of > MAX_BYTES:
            skipped += 1
        else:
            size += bytes_of
            found.names.append(name)
    if skipped:
        most = f"{MAX_FILES} files and {MAX_BYTES // 2**20} MiB are kept"
        found.left.append(f"{count(skipped, 'file')} too many or too large: {most}")
    return found


def copy_file_beside(origin: Path, target: Path) -> str:
    """Copy one of the student's files; returns why that cannot be done, empty if it was. The disk's faults are raised.

    What is read is bounded once more: the file may have grown.
    """
    try:
        content = _read(origin, MAX_BYTES)
    except OSError as error:
        return f"{_shown(Path(origin.name))} cannot be read ({error.strerror})"
    if content is None:
        return f"{_shown(Path(origin.name))} is too large"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return ""


def timestamp_if_any(directory: CourseDirectory, folder: str) -> Any:
    """nbgrader's `get_existing_timestamp`, for which a `timestamp.txt` that holds no time is none."""
    try:
        content = _read(Path(folder) / TIMESTAMP, LONGEST_TIMESTAMP)
        return utils.parse_utc(content.decode().strip()) if content and content.strip() else None
    except Exception:  # whatever a student can write into it makes the parser fail in many ways
        return None


def _links(path: Path, below: Path) -> bool:
    """Whether `path` or a folder between it and `below` is a link."""
    return any(part.is_symlink() for part in (path, *path.parents) if part != below and part.is_relative_to(below))


def _read(path: Path, most: int) -> bytes | None:
    """The content of a plain file, None if it is larger. Raises OSError for a link, a pipe, or what cannot be read."""
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(number, "rb") as file:
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(None, "it is no plain file")
        content = file.read(most + 1) if facts.st_size <= most else None
    return None if content is None or len(content) > most else content


def _walk(root: Path, folder: Path, ignored: list[str], left: list[str]) -> Iterator[tuple[Path, int]]:
    """Plain files with their sizes, those of a folder before those below it; what is wrong goes to `left`."""
    try:
        with os.scandir(root / folder) as listing:
            entries = sorted(islice(listing, MAX_ENTRIES), key=lambda entry: entry.name)
    except OSError as error:
        left.append(f"the folder {_shown(folder)} cannot be read ({error.strerror})")
        return
    folders = []
    for entry in entries:
        name = folder / entry.name
        if _is_ignored(entry.name, ignored) or entry.is_symlink():
            continue
        if entry.is_dir(follow_symlinks=False):
            folders.append(name)
        elif entry.is_file(follow_symlinks=False):
            yield name, entry.stat(follow_symlinks=False).st_size
    for name in folders:
        if len(name.parts) > MAX_FOLDERS_DEEP:
            left.append(f"folders deeper than {MAX_FOLDERS_DEEP}")
            return
        yield from _walk(root, name, ignored, left)


def _is_ignored(name: str, patterns: list[str]) -> bool:
    """As nbgrader has it, for which `*` stands for no hidden file, without its search of the disk for each name."""
    return any(fnmatch(name, pattern) and name.startswith(".") <= pattern.startswith(".") for pattern in patterns)


def _relative_files(folder: Path, ignored: list[str]) -> list[Path]:
    return [Path(name).relative_to(folder) for name in files_of_course(folder, ignored)]


def files_of_course(folder: Path, ignored: list[str]) -> list[Path]:
    """nbgrader's `find_all_files` without links."""
    found = map(Path, utils.find_all_files(str(folder), ignored))
    return [path for path in found if path.is_file() and not path.is_symlink()]


def _cannot_be_read(error: OSError) -> str:
    return f"The file cannot be read ({error.strerror})."


def _shown(name: Path) -> str:
    return printable(str(name).encode(errors="replace").decode())[:100]
