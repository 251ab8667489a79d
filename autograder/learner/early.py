"""Begin early with what takes longest: the process for a student's code, which imports while we do."""

from pathlib import Path

from autograder.chapter.reference import read_reference
from autograder.course import Course
from autograder.wall import warm


def start_early(course: Course, notebook: Path) -> None:
    """Start that process for the chapter that a notebook is likely to be of, by its name; a wrong guess costs time."""
    for chapter in course.chapters():
        if course.has_text(chapter) and notebook.stem.startswith(chapter) and course.reference(chapter).is_file():
            warm.start_early(warm.kind_of(read_reference(course, chapter), course.nbgrader.Judge))
