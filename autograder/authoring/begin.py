"""A small course of one assignment, written as text, for those who begin: `autograder new`."""

from pathlib import Path

from autograder.course import CONFIGURATION, CourseError
from autograder.disk import write_atomically

TEXTS = Path(__file__).parent / "first_course"
# Which text becomes which file of the course.
FILES = {
    "nbgrader_config.py.txt": Path(CONFIGURATION),
    "README.md.txt": Path("README.md"),
    "01_words.py.txt": Path("source", "01_words", "01_words.py"),
    "longest.py.txt": Path("tests", "answers", "01_words", "longest.py"),
}
NAMED = ("nbgrader_config.py.txt", "README.md.txt")  # texts in which the name of the course stands


def begin(folder: Path) -> list[Path]:
    """Write the course into `folder`, which gives it its name; returns the files.

    Raises CourseError if there is anything in the folder, or if it is inside another course.
    """
    folder = folder.resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError(f"{folder} is not empty: name a folder that does not exist yet.")
    if outer := next((above for above in folder.parents if (above / CONFIGURATION).is_file()), None):
        raise CourseError(f"{folder} would be inside the course {outer}: name a folder outside of it.")
    written = []
    for text, place in FILES.items():
        content = (TEXTS / text).read_text(encoding="utf-8")
        if text in NAMED:
            content = content.format(course=folder.name)
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / place, content.encode())
        written.append(folder / place)
    return written
