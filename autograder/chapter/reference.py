"""A chapter's notebook with all tests and answers, as the build wrote it."""

import nbformat
from nbformat import NotebookNode

from autograder.chapter.cells import grade_id_of, is_task, name_of
from autograder.chapter.source import without_marks
from autograder.course import Course, CourseError


def read_reference(course: Course, chapter: str) -> NotebookNode:
    """The chapter's notebook with all tests. Raises CourseError if it has not been built."""
    path = course.reference(chapter)
    if not path.is_file():
        if chapter not in course.chapters():
            raise course.no_chapter(chapter)
        raise CourseError(f"Chapter {chapter!r} is not built: run `autograder build {chapter}`.")
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook


def reference_answers(reference: NotebookNode) -> dict[str, str]:
    """The course's own answers, by task."""
    return {name_of(cell): without_marks(cell.source) for cell in reference.cells if is_task(cell)}


def fill_in(notebook: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """A copy of a notebook with the source of some task cells, by grade id, replaced."""
    filled: NotebookNode = nbformat.from_dict(notebook)
    for cell in filled.cells:
        name = grade_id_of(cell)
        if name in answers:
            cell.source = answers[name]
    return filled
