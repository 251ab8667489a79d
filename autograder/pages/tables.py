"""What the command line shows of a class: progress bars and tables."""

import time
from collections.abc import Mapping
from contextlib import closing

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.course import Course, CourseError, assignment_in
from autograder.grading.coordinator import Graded, grade_parts
from autograder.grading.gradebook import known_students, students_in
from autograder.grading.marks import final_marks, in_words
from autograder.grading.outbox import Outbox, Record
from autograder.grading.replay import Replay
from autograder.grading.review import Look
from autograder.pages.terminal import STYLES, console, number, show_line, shown
from autograder.wording import printable


def grade_with_progress(
    course: Course, students: Mapping[str, list[str]], jobs: int | None = None, scheduler: str | None = None
) -> list[Graded]:
    """Grade students, by the notebook of a chapter, showing how many are done, how many a minute, and the time left."""
    graded: list[Graded] = []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    number_of_all = sum(map(len, students.values()))
    if not number_of_all:
        return graded
    before = _recorded(course, students)
    start = time.monotonic()
    results = grade_parts(course, students, jobs, scheduler)
    try:
        with Progress(*columns, console=console) as progress, closing(results):
            name = assignment_in(next(iter(students)))
            bar = progress.add_task(f"Grading {name}", total=number_of_all, rate="")
            for result in results:
                graded.append(result)
                rate = len(graded) / (time.monotonic() - start) * 60
                progress.update(bar, advance=1, rate=f"{rate:.0f}/min")
    except KeyboardInterrupt:
        # From the records: the last result may be in the gradebook and not have come here.
        stored = sum(record != before.get(whose) for whose, record in _recorded(course, students).items())
        raise CourseError(
            f"Stopped: {stored} graded and in the gradebook, {number_of_all - stored} left; "
            "the same command goes on with them."
        ) from None
    return graded


def _recorded(course: Course, students: Mapping[str, list[str]]) -> dict[tuple[str, str], Record]:
    """What is on record about these students' submissions, by notebook and student."""
    return {
        (part, student): record
        for part, of_part in students.items()
        for student, record in Outbox(course, part).records().items()
        if student in of_part
    }


def show_class(course: Course, chapter: str, graded: list[Graded]) -> None:
    """The class with each student's points and what else is to be known; also those who handed in nothing."""
    results: dict[str, list[Graded]] = {}
    for result in graded:
        results.setdefault(result.student, []).append(result)
    remarks_before: dict[str, list[str]] = {}
    for part in course.parts(chapter):
        for student, record in Outbox(course, part).records().items():
            remarks_before.setdefault(student, []).extend(record.remarks)
    table = Table("student", "points", "of", "seconds", "remark", title=chapter)
    marks = final_marks(course, chapter) if students_in(course, chapter) else None
    points = {} if marks is None else {str(student): mark for student, mark in marks.iterrows()}
    handed_in = course.submitted_students(chapter)
    for student in sorted({*handed_in, *known_students(course), *points}):
        now = results.get(student, [])
        if now:
            remarks = [remark for result in now for remark in (result.problem, *result.remarks)]
        elif student in handed_in:
            remarks = ["graded before", *remarks_before.get(student, [])]
        else:
            remarks = [] if student in points else ["not handed in"]
        seconds = f"{sum(result.seconds for result in now):.1f}" if now else ""
        numbers = ["-", "-"]
        if student in points:
            remarks.append(in_words(points[student]))
            numbers = [number(points[student][column]) for column in ("points", "most_points")]
        table.add_row(shown(student), *numbers, seconds, shown(" ".join(filter(None, remarks))))
    console.print(table)
    if problems := [result.student for result in graded if result.problem]:
        show_line(("Not graded: ", "bold red"), f"{', '.join(problems)}: the remarks above say why.")


def show_review(chapter: str, looks: list[Look]) -> None:
    """Who is to be looked at, why, and where in formgrader."""
    if not looks:
        show_line(f"{chapter}: nothing waits for a person.")
        return
    table = Table("student", "why", title=chapter)
    table.add_column("in formgrader", overflow="fold")
    for look in looks:
        table.add_row(shown(look.student), shown("\n".join(look.reasons)), look.page)
    console.print(table)


def show_replay(replay: Replay) -> None:
    """The calls of the student's code in order, then the verdict."""
    if replay.note:
        console.print(Text("Note: ", "yellow") + shown(replay.note))
    for call in replay.calls:
        console.print(shown(str(call)), soft_wrap=True)
    verdict = replay.verdict
    line = Text.assemble(
        (f"{verdict.grade_id}: ", "bold"), (verdict.outcome, STYLES[verdict.outcome]), " ", printable(verdict.message)
    )
    console.print(line, soft_wrap=True)
