"""A chapter's notebook with all tests and answers, as the build wrote it."""

from functools import lru_cache
from pathlib import Path

import nbformat

from autograder.chapter.adopted import adopt
from autograder.chapter.cells import Notebook
from autograder.chapter.source import without_marks
from autograder.chapter.ways import kept_ways, with_ways
from autograder.course import Course, CourseError, assignment_in, notebook_in

MOST_KEPT = 8  # references of adopted courses that one process remembers


def read_reference(course: Course, chapter: str) -> Notebook:
    """The chapter's notebook with all tests, for the caller to change. Raises CourseError if it has not been built."""
    path = course.reference(chapter)
    if not path.is_file():
        if assignment_in(chapter) not in course.chapters():
            raise course.no_chapter(chapter)
        if not course.has_text(chapter):
            names = ", ".join(map(notebook_in, course.parts(assignment_in(chapter))))
            raise CourseError(f"{chapter} has no notebook {notebook_in(chapter)!r}; its notebooks: {names}.")
        raise CourseError(f"Chapter {chapter!r} is not built: run `autograder build {chapter}`.")
    state = path.stat()
    if not course.has_text(chapter):
        return _read_adopted(course, chapter)
    return _read(path, state.st_mtime_ns, state.st_size).copy()


@lru_cache(maxsize=2)
def _read(path: Path, changed: int, size: int) -> Notebook:
    """A file that was last `changed` at that time: one command asks for the same reference again and again."""
    return Notebook.of(nbformat.read(path, as_version=4))


_adopted: dict[tuple[str, ...], Notebook] = {}  # by what they were made of, a few at a time


def _read_adopted(course: Course, chapter: str) -> Notebook:
    """A reference that was not built, with what is known about its tests."""
    around = course.nbgrader.get("IncludeHeaderFooter", {})
    files = [course.reference(chapter), *(course.root / str(path) for path in around.values() if path)]
    made_of = tuple(f"{path} {path.stat().st_mtime_ns} {path.stat().st_size}" for path in files if path.is_file())
    if made_of not in _adopted:
        if len(_adopted) >= MOST_KEPT:
            _adopted.clear()
        _adopted[made_of] = adopt(course, chapter)
    reference = _adopted[made_of]
    return with_ways(reference, kept_ways(course, chapter, reference) or {})


def reference_answers(reference: Notebook) -> dict[str, str]:
    """The course's own answers, by task."""
    return {cell.name: without_marks(cell.source) for cell in reference.tasks}
