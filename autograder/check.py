"""Grade one notebook without a gradebook: for self-learners, and for the bank of answers."""

from pathlib import Path

from nbformat import NotebookNode

from autograder.course import Course, CourseError
from autograder.intake import Intake, read_reference, take_in
from autograder.verdicts import Verdict
from autograder.wall.judge import Judge


def check_notebook(course: Course, path: Path) -> tuple[Intake, list[Verdict]]:
    """Run the notebook at `path` with the chapter's hidden tests. Its name says which chapter it belongs to."""
    chapter = path.stem
    if chapter not in course.chapters():
        raise CourseError(f"{path.name} is not named after a chapter; chapters: {', '.join(course.chapters())}.")
    intake = take_in(path, read_reference(course, chapter))
    return intake, run_tests(course, chapter, intake.notebook)


def run_tests(course: Course, chapter: str, notebook: NotebookNode) -> list[Verdict]:
    """Put a rebuilt notebook before the judge, in place, and return the verdicts of its test cells."""
    return Judge(config=course.nbgrader).judge(notebook, read_reference(course, chapter))
