"""Grade a class: nbgrader's own autograding, one worker process for each core; no submission stops another."""

import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory

from autograder.build import run_generate_assignment
from autograder.course import Course, CourseError, open_course
from autograder.intake import read_reference
from autograder.quiet import run_quietly
from autograder.verdicts import repairs_of

MOST_CPU_SECONDS = 600  # that our side may spend on one submission
MOST_MEMORY = 16 * 2**30  # bytes of address space of a worker


@dataclass(frozen=True)
class Graded:
    """How grading of one student's submission went; `problem` is empty if its marks are in the gradebook."""

    student: str
    problem: str
    seconds: float
    repairs: list[str] = field(default_factory=list)


def students_to_grade(course: Course, chapter: str, force: bool) -> list[str]:
    """Students whose submission has no graded copy yet or a newer file than that copy; all of them with `force`."""
    read_reference(course, chapter)  # a chapter that does not exist is an error before anything else
    students = course.submitted_students(chapter)
    if not students:
        raise CourseError(f"No submissions: expected {course.submitted}/STUDENT/{chapter}/{chapter}.ipynb.")
    return [student for student in students if force or _is_new(course, chapter, student)]


def grade_class(course: Course, chapter: str, students: list[str], jobs: int | None = None) -> Iterator[Graded]:
    """Grade these students' submissions in parallel and write the marks into nbgrader's gradebook.

    Yields each result as it comes. `jobs` worker processes (default: one for each core). A submission that ends its
    worker is tried once more in company and then by itself, and fails alone.
    """
    register(course, chapter)
    lost = students
    for _ in range(2):
        lost = yield from _grade_together(course, chapter, lost, jobs or os.cpu_count() or 1)
    for student in lost:
        if (yield from _grade_together(course, chapter, [student], 1)):
            yield Graded(student, "grading this submission ends the grader's process: look at it by hand", 0.0)


def _grade_together(course: Course, chapter: str, students: list[str], jobs: int) -> Generator[Graded, None, list[str]]:
    """Grade in one pool of workers; returns the students who have no result because a worker died."""
    if not students:
        return []
    lost = []
    # Each worker starts fresh: a forked one would share sockets and locks of its parent.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(students)), mp_context=context) as pool:
        pending = {pool.submit(grade_student, course.root, chapter, student): student for student in students}
        for future in as_completed(pending):
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                lost.append(pending[future])
            else:
                yield Graded(pending[future], _one_line(error), 0.0) if error else future.result()
    return lost


def register(course: Course, chapter: str) -> None:
    """Tell the gradebook about the chapter's tasks, tests and points as the reference has them now."""
    with tempfile.TemporaryDirectory() as folder:
        run_generate_assignment(course.settings(release_directory=folder), chapter)


def grade_student(course_root: Path, chapter: str, student: str) -> Graded:
    """Run nbgrader's autograding on one submission; whatever goes wrong is reported, not raised."""
    start = time.monotonic()
    _limit_this_worker()
    course = open_course(course_root)
    coursedir = CourseDirectory(config=course.nbgrader, assignment_id=chapter, student_id=student)
    converter = Autograde(coursedir=coursedir, config=course.nbgrader)
    converter.force = True
    problem = ""
    if not (course.submitted / student / chapter / f"{chapter}.ipynb").is_file():
        problem = f"no notebook: {chapter}.ipynb is missing from the submission"
    else:
        try:
            run_quietly(converter)
        except CourseError as error:
            problem = str(error)
    graded = course.autograded / student / chapter / f"{chapter}.ipynb"
    repairs = [] if problem else repairs_of(nbformat.read(graded, as_version=4))
    return Graded(student, problem, time.monotonic() - start, repairs)


def _limit_this_worker() -> None:
    """Bound what one submission can make a test compute on our side: `10 ** theirs` stops for no other signal."""
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _, most_seconds = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used) + MOST_CPU_SECONDS, most_seconds))
    _, most_memory = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, most_memory))


def _is_new(course: Course, chapter: str, student: str) -> bool:
    graded = course.autograded / student / chapter / f"{chapter}.ipynb"
    handed_in = course.submitted / student / chapter / f"{chapter}.ipynb"
    if not graded.is_file() or not handed_in.is_file():
        return True
    return handed_in.stat().st_mtime > graded.stat().st_mtime


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
