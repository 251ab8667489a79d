"""How far a learner has come: notebooks of several chapters, each checked if it was begun."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autograder.chapter.reference import read_reference
from autograder.course import Course, CourseError
from autograder.intake.files import name_without_copies
from autograder.learner.check import Checked, Runner, check_notebook, is_untouched
from autograder.wall.trial import run_tests


@dataclass(frozen=True)
class Progress:
    """What one notebook has earned: tasks of which every check passed, of all, and points."""

    chapter: str
    notebook: Path
    solved: int = 0
    tasks: int = 0
    points: float = 0
    most_points: float = 0
    checked: Checked | None = None  # None if no task was begun, or it could not be read
    problem: str = ""  # why it could not be read
    is_of_one_task: bool = False  # only its tests were run; `most_points` are those of all

    @property
    def points_of_tasks(self) -> dict[str, float]:
        """What each task that was run has earned."""
        points: dict[str, float] = {}
        for verdict in self.checked.verdicts if self.checked else []:
            points[verdict.task] = points.get(verdict.task, 0) + verdict.points
        return points

    def as_fields(self) -> dict[str, Any]:
        """All of it for JSON; `checks` has the failed and the passed ones and is empty where nothing was run."""
        fields = {name: value for name, value in vars(self).items() if name not in ("checked", "is_of_one_task")}
        checks = [asdict(verdict) for verdict in (self.checked.verdicts if self.checked else [])]
        for check in checks:
            del check["seconds"], check["seed"]  # they say nothing about the answer
        return {**fields, "notebook": str(self.notebook), "checks": checks}


def progress_of(course: Course, notebook: Path, task: str = "", run: Runner = run_tests) -> Progress:
    """Check one notebook, or only one task of it. Raises CourseError if it cannot be read or is of no chapter."""
    checked = check_notebook(course, notebook, task, run)
    verdicts = checked.verdicts
    points, most = sum(verdict.points for verdict in verdicts), sum(verdict.most_points for verdict in verdicts)
    tasks = len(checked.tasks)
    if task:
        nothing = _nothing_yet(course, checked.chapter, notebook)
        tasks, most = nothing.tasks, nothing.most_points
    return Progress(
        checked.chapter, notebook, len(checked.solved), tasks, points, most, checked, is_of_one_task=bool(task)
    )


def progress_of_all(course: Course, notebooks: Sequence[Path]) -> Iterator[Progress]:
    """Check several, one after the other. Those not begun are not run, and one that cannot be read stops no other."""
    for notebook in notebooks:
        chapter = name_without_copies(notebook.stem)
        try:
            has_text = chapter in course.chapters() and course.has_text(chapter)
            if has_text and course.reference(chapter).is_file() and is_untouched(course, chapter, notebook):
                yield _nothing_yet(course, chapter, notebook)
            else:
                yield progress_of(course, notebook)
        except CourseError as problem:
            yield Progress(chapter, notebook, problem=str(problem))


def _nothing_yet(course: Course, chapter: str, notebook: Path) -> Progress:
    """What a notebook without an answer could earn."""
    tests = read_reference(course, chapter).tests
    tasks = {test.task for test in tests}
    return Progress(chapter, notebook, tasks=len(tasks), most_points=sum(test.points for test in tests))
