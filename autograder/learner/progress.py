"""How far a learner has come: the notebooks of several chapters, each checked if it was begun."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autograder.authoring.cells import is_answer, is_test, name_of, points_of, what_it_checks
from autograder.course import Course, CourseError
from autograder.grading.check import Checked, check_notebook
from autograder.intake.files import UnreadableSubmission, name_without_copies, read_file
from autograder.intake.submission import parse, read_reference
from autograder.wall.verdicts import Outcome


@dataclass(frozen=True)
class Progress:
    """What one notebook has earned: tasks of which every check passed, of all, and points. `problem` if unreadable."""

    chapter: str
    notebook: Path
    solved: int
    tasks: int
    points: float
    most_points: float
    checked: Checked | None = None  # None if no task was begun, or it could not be read
    problem: str = ""

    def as_fields(self) -> dict[str, Any]:
        """The same for JSON; `checks` has the failed and the passed ones and is empty where nothing was run."""
        verdicts = self.checked.verdicts if self.checked else []
        checks = [
            {key: value for key, value in asdict(verdict).items() if key not in ("seconds", "seed")}
            for verdict in verdicts
        ]
        return {
            "chapter": self.chapter,
            "notebook": str(self.notebook),
            "solved": self.solved,
            "tasks": self.tasks,
            "points": self.points,
            "most_points": self.most_points,
            "problem": self.problem,
            "checks": checks,
        }


def progress_of(course: Course, notebook: Path) -> Progress:
    """Check one notebook. Raises CourseError if it cannot be read or is of no chapter."""
    checked = check_notebook(course, notebook)
    by_task: dict[str, list[bool]] = {}
    for verdict in checked.verdicts:
        by_task.setdefault(verdict.task, []).append(verdict.outcome == Outcome.PASSED)
    return Progress(
        checked.chapter,
        notebook,
        sum(all(passed) for passed in by_task.values()),
        len(by_task),
        sum(verdict.points for verdict in checked.verdicts),
        sum(verdict.most_points for verdict in checked.verdicts),
        checked,
    )


def progress_of_all(course: Course, notebooks: Sequence[Path]) -> Iterator[Progress]:
    """Check several, one after the other. Those not begun are not run, and one that cannot be read stops no other."""
    for notebook in notebooks:
        chapter = name_without_copies(notebook.stem)
        try:
            yield _not_begun(course, notebook, chapter) or progress_of(course, notebook)
        except CourseError as problem:
            yield Progress(chapter, notebook, 0, 0, 0, 0, problem=str(problem))


def _not_begun(course: Course, notebook: Path, chapter: str) -> Progress | None:
    """The progress of a notebook in which every task is as it was handed out; None if there is something to check."""
    released = course.released(chapter)
    if not (released.is_file() and course.reference(chapter).is_file()):
        return None
    try:
        cells = [parse(read_file(path.resolve())).cells for path in (notebook, released)]
    except UnreadableSubmission:
        return None  # the check says what is wrong with it
    mine, given = ({name_of(cell): cell.source.strip() for cell in part if is_answer(cell)} for part in cells)
    if mine != given:
        return None
    tests = [cell for cell in read_reference(course, chapter).cells if is_test(cell)]
    tasks = {what_it_checks(cell)[0] for cell in tests}
    return Progress(chapter, notebook, 0, len(tasks), 0, sum(points_of(cell) for cell in tests))
