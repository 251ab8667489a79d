"""What the command line shows: progress bars and tables."""

import time
from contextlib import closing

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from autograder.authoring.bank import Trial, Unsteady
from autograder.authoring.by_heart import ByHeart, problems_by_heart
from autograder.course import Course, CourseError
from autograder.grading.coordinator import Graded, grade_class
from autograder.grading.marks import marks_of_class, totals
from autograder.grading.replay import Replay
from autograder.wall.sandbox import REDUCED_MODE_WARNING, bubblewrap_works
from autograder.wall.verdicts import Outcome, Verdict

console = Console()
STYLES = {
    Outcome.PASSED: "green",
    Outcome.FAILED: "red",
    Outcome.TIMED_OUT: "yellow",
    Outcome.CRASHED: "magenta",
    Outcome.OUT_OF_MEMORY: "magenta",
    Outcome.NOT_RUN: "yellow",
    Outcome.MISSING: "yellow",
}


def warn_if_reduced() -> None:
    """Say loudly what the sandbox lacks where bubblewrap cannot run."""
    if not bubblewrap_works():
        console.print(f"[bold red]REDUCED MODE:[/] {REDUCED_MODE_WARNING}")


def number(points: float) -> str:
    """Points without a needless decimal."""
    return f"{points:g}"


def show_verdicts(repairs: list[str], verdicts: list[Verdict]) -> None:
    """One row for each test cell, then the sum."""
    for repair in repairs:
        console.print(f"[yellow]Note:[/] {repair}", highlight=False)
    table = Table("task", "what is checked", "points", "result", "what to look at", title="Your notebook")
    for verdict in verdicts:
        table.add_row(
            verdict.task,
            verdict.aspect,
            f"{number(verdict.points)}/{number(verdict.most_points)}",
            f"[{STYLES[verdict.outcome]}]{verdict.outcome}[/]",
            escape(verdict.message),
        )
    console.print(table)
    earned, most = sum(v.points for v in verdicts), sum(v.most_points for v in verdicts)
    console.print(f"[bold]{number(earned)} of {number(most)} points[/]")


def grade_with_progress(
    course: Course, chapter: str, students: list[str], jobs: int | None = None, scheduler: str | None = None
) -> list[Graded]:
    """Grade the students, showing how many are done, how many a minute, and the time left."""
    graded: list[Graded] = []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    if not students:
        return graded
    start = time.monotonic()
    results = grade_class(course, chapter, students, jobs, scheduler)
    try:
        with Progress(*columns, console=console) as progress, closing(results):
            bar = progress.add_task(f"Grading {chapter}", total=len(students), rate="")
            for result in results:
                graded.append(result)
                rate = len(graded) / (time.monotonic() - start) * 60
                progress.update(bar, advance=1, rate=f"{rate:.0f}/min")
    except KeyboardInterrupt:
        left = len(students) - len(graded)
        raise CourseError(
            f"Stopped: {len(graded)} graded and in the gradebook, {left} left; the same command goes on with them."
        ) from None
    return graded


def show_class(course: Course, chapter: str, graded: list[Graded]) -> None:
    """The class with each student's points; problems stand beside them."""
    results = {result.student: result for result in graded}
    table = Table("student", "points", "of", "seconds", "remark", title=chapter)
    points = totals(marks_of_class(course, chapter)).to_dict("index")
    for student in course.submitted_students(chapter):
        result = results.get(student)
        remark = " ".join([result.problem, *result.repairs]).strip() if result else "graded before"
        seconds = f"{result.seconds:.1f}" if result else ""
        of_student = points.get(student, {})
        numbers = [number(of_student[column]) if of_student else "-" for column in ("points", "most_points")]
        table.add_row(student, *numbers, seconds, escape(remark))
    console.print(table)


def show_trials(name: str, trials: list[Trial]) -> bool:
    """The answers of the bank that were not judged as expected, and counts. Returns whether there were none."""
    problems = [trial for trial in trials if trial.problem]
    if problems:
        table = Table("task", "answer", "problem", title=name)
        for trial in problems:
            kind = "right" if trial.answer.is_right else "wrong"
            table.add_row(trial.answer.task, f"{kind}: {escape(trial.answer.label)}", escape(trial.problem))
        console.print(table)
    right = sum(trial.answer.is_right for trial in trials)
    counts = f"{right} right and {len(trials) - right} wrong answers"
    console.print(f"{name}: {counts}, {len(trials) - len(problems)} of {len(trials)} judged as expected")
    return not problems


def show_unsteady(name: str, repeats: int, unsteady: list[Unsteady]) -> bool:
    """The answers that luck decided about, a line for each test. Returns whether there were none."""
    for one in unsteady:
        outcomes = ", ".join(f"{outcome} {count} times" for outcome, count in one.outcomes.most_common())
        kind = "right" if one.answer.is_right else "wrong"
        line = f"{one.answer.task}, {kind}: {one.answer.label}; {one.aspect}: {outcomes}"
        console.print(escape(line), highlight=False, soft_wrap=True)
    console.print(f"{name}: {len(unsteady)} verdicts changed in {repeats} repeats")
    return not unsteady


def show_by_heart(name: str, found: list[ByHeart]) -> bool:
    """What the tasks give to answers learned by heart. Returns whether no task, nor all together, gives too much."""
    problems = problems_by_heart(found)
    for problem in problems:
        console.print(escape(problem), highlight=False, soft_wrap=True)
    earned, most = sum(one.earned for one in found), sum(one.most_points for one in found)
    console.print(f"{name}: visible checks learned by heart earn {number(earned)} of {number(most)} points")
    return not problems


def show_replay(replay: Replay) -> None:
    """The calls of the student's code in order, then the verdict."""
    if replay.note:
        console.print(f"[yellow]Note:[/] {escape(replay.note)}", highlight=False)
    for call in replay.calls:
        console.print(escape(str(call)), highlight=False, soft_wrap=True)
    verdict = replay.verdict
    console.print(
        f"[bold]{escape(verdict.grade_id)}:[/] [{STYLES[verdict.outcome]}]{verdict.outcome}[/] "
        f"{escape(verdict.message)}",
        highlight=False,
        soft_wrap=True,
    )


def show_rhythm(name: str, figures: list[tuple[str, str, str, bool]]) -> None:
    """Each figure of a chapter beside its target."""
    table = Table("figure", "value", "target", "met", title=name)
    for label, value, target, met in figures:
        table.add_row(label, value, target, "[green]yes[/]" if met else "[red]no[/]")
    console.print(table)
