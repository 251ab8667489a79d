"""Which notebooks a learner means: none named, a chapter or its number, a folder or a file."""

from collections.abc import Sequence
from pathlib import Path

from autograder.course import Course, CourseError
from autograder.intake.files import name_without_copies


def notebooks_meant(course: Course, named: Sequence[str]) -> list[Path]:
    """The notebooks that these words mean, each once; no words mean the notebook of every chapter.

    Raises CourseError, which names what there is, if a word means none.
    """
    if not named:
        found = [path for chapter in course.chapters() if (path := course.released(chapter)).is_file()]
        if not found:
            raise CourseError(f"{course.release} holds no notebook of a chapter: `autograder build` makes them.")
        return found
    return list(dict.fromkeys(path for word in named for path in _meant(course, word)))


def _meant(course: Course, word: str) -> list[Path]:
    path = Path(word)
    if path.is_file():
        return [path]
    if path.is_dir():
        if found := _in_folder(course, path):
            return found
        raise CourseError(f"{word} is a folder without a notebook of a chapter; {course.known_chapters()}.")
    if path.suffix == ".ipynb":
        raise CourseError(f"{word} does not exist: name a notebook or a chapter; {course.known_chapters()}.")
    released = course.released(course.chapter_meant(word))
    if not released.is_file():
        raise CourseError(f"{released} does not exist: `autograder build {released.stem}` makes it.")
    return [released]


def _in_folder(course: Course, folder: Path) -> list[Path]:
    """Notebooks of chapters in a folder and in the folders of chapters within it, by their names."""
    chapters = course.chapters()
    found = [*folder.glob("*.ipynb"), *(path for name in chapters for path in folder.glob(f"{name}/*.ipynb"))]
    return sorted(path for path in found if name_without_copies(path.stem) in chapters)
