"""Look at a course that was made for nbgrader, and put our line into its configuration: `autograder adopt`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograder.chapter.beside import files_for
from autograder.chapter.ways import Tried, kept_ways
from autograder.course import CONFIGURATION, Course, CourseError, open_course
from autograder.disk import write_atomically
from autograder.wall.ways import tried_reference
from autograder.wording import count

LINE = "from autograder.wall.nbgrader_setup import harden; harden(c)  # grade with autograder"
BEGINNING = """c = get_config()
c.CourseDirectory.course_id = {name!r}
"""
SHOWN = 5  # names of a kind


@dataclass(frozen=True)
class Adopted:
    """One notebook, the way of each of its tests, how many cells a person grades, and why it cannot be graded."""

    chapter: str
    ways: dict[str, Tried] = field(default_factory=dict)
    by_hand: int = 0
    problem: str = ""


def begin_adopting(folder: Path, dry_run: bool) -> None:
    """Write a configuration where nbgrader does without one: into a folder that has the source of a course."""
    folder = folder.resolve()
    if any((above / CONFIGURATION).is_file() for above in (folder, *folder.parents)):
        return
    if not (folder / "source").is_dir():
        raise CourseError(f"{folder} holds neither {CONFIGURATION} nor source/: name the folder of a course.")
    if dry_run:
        raise CourseError(f"{folder} has no {CONFIGURATION}: without --dry-run one of two lines is written.")
    write_atomically(folder / CONFIGURATION, BEGINNING.format(name=folder.name).encode())


def line_is_there(course: Course) -> bool:
    """Whether the configuration, as it stands in its file, has nbgrader grade through us."""
    return "exporter_class" in open_course(course.root).nbgrader.get("Autograde", {})


def add_line(course: Course, dry_run: bool) -> str:
    """Add our line at the end of the configuration, unless it is only asked for; returns it."""
    path = course.root / CONFIGURATION
    text = path.read_text(encoding="utf-8")
    if not dry_run:
        path.write_text(f"{text.rstrip()}\n\n{LINE}\n", encoding="utf-8")
    return LINE


def look_at(course: Course) -> Iterator[str]:
    """What there is, in lines."""
    chapters = course.chapters()
    if not chapters:
        raise CourseError(f"{course.source} holds no assignment: expected {course.source / 'NAME' / 'NOTEBOOK.ipynb'}.")
    notebooks = sum(len(course.parts(chapter)) for chapter in chapters)
    yield f"{course.root}: {count(len(chapters), 'assignment')}, {count(notebooks, 'notebook')}."
    around = course.nbgrader.get("IncludeHeaderFooter", {})
    for end in ("header", "footer"):
        if around.get(end):
            yield f"Each notebook gets the {end} {around[end]}."
    for chapter in chapters:
        files = [str(path) for path in files_for(course, chapter)]
        if files:
            more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
            yield f"Beside the notebooks of {chapter}: {', '.join(files[:SHOWN])}{more}."
    students = {student for chapter in chapters for student in course.submitted_students(chapter)}
    yield f"Submissions of {count(len(students), 'student')}."


def try_course(course: Course) -> Iterator[Adopted]:
    """Try each notebook's reference. What is wrong with one stops no other."""
    for chapter in course.chapters():
        for part in course.parts(chapter):
            try:
                reference = tried_reference(course, part)
            except CourseError as problem:
                yield Adopted(part, problem=str(problem))
                continue
            ways = kept_ways(course, part, reference) or {
                test.name: Tried(test.way, False, "") for test in reference.tests
            }
            yield Adopted(part, ways, sum(cell.is_graded and not cell.is_test for cell in reference.cells))
