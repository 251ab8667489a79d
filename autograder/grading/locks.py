"""Who may change what: locks of a course that a process holds, and that are free again when it has been killed."""

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from autograder.course import Course, CourseError

GRADING, HISTORY = "lock", "history.lock"  # files in the course's state
SECONDS_FOR_HISTORY = 60  # that another command may take to add its lines


@contextmanager
def only_coordinator(course: Course) -> Iterator[None]:
    """Be the one process that grades in this course, or puts a backup in its place. Raises CourseError if one is."""
    try:
        with _locked(course, GRADING, 0):
            yield
    except Timeout:
        raise CourseError(
            "Another `autograder grade` is at work in this course, or a `restore`: wait until it has ended."
        ) from None


@contextmanager
def only_historian(course: Course) -> Iterator[None]:
    """Be the one process that reads the history of marks and adds to it; waits for another one."""
    try:
        with _locked(course, HISTORY, SECONDS_FOR_HISTORY):
            yield
    except Timeout:
        raise CourseError("Another command is writing the history of marks: wait until it has ended.") from None


def _locked(course: Course, name: str, seconds: float) -> FileLock:
    """A context; entering it raises Timeout if the lock is held for so long."""
    course.state.mkdir(exist_ok=True)
    return FileLock(course.state / name, timeout=seconds)
