"""A chapter's notebook with all tests and answers, as the build wrote it."""

from functools import lru_cache
from pathlib import Path

import nbformat

from autograder.chapter.cells import Notebook
from autograder.chapter.source import without_marks
from autograder.course import Course, CourseError


def read_reference(course: Course, chapter: str) -> Notebook:
    """The chapter's notebook with all tests, for the caller to change. Raises CourseError if it has not been built."""
    path = course.reference(chapter)
    if not path.is_file():
        if chapter not in course.chapters():
            raise course.no_chapter(chapter)
        raise CourseError(f"Chapter {chapter!r} is not built: run `autograder build {chapter}`.")
    state = path.stat()
    return _read(path, state.st_mtime_ns, state.st_size).copy()


@lru_cache(maxsize=2)
def _read(path: Path, changed: int, size: int) -> Notebook:
    """A file that was last `changed` at that time: one command asks for the same reference again and again."""
    return Notebook.of(nbformat.read(path, as_version=4))


def reference_answers(reference: Notebook) -> dict[str, str]:
    """The course's own answers, by task."""
    return {cell.name: without_marks(cell.source) for cell in reference.tasks}
