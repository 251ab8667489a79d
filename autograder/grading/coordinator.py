"""Grade a class: hand out submissions, keep each outcome before anything else, write the gradebook from one place."""

import errno
import hashlib
import logging
import tempfile
from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat
from traitlets.config import Config

from autograder.chapter.beside import folder_for
from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference
from autograder.chapter.release import run_generate_assignment
from autograder.course import Course, CourseError, assignment_in, notebook_in
from autograder.disk import REFUSALS
from autograder.grading.gradebook import GradebookWriter, checksums, gradebook_at_work, open_gradebook, students_in
from autograder.grading.locks import only_coordinator
from autograder.grading.outbox import Outbox, Record
from autograder.grading.pool import Pool, cluster, local_pool, workers_that_fit
from autograder.grading.remarks import remarks_of
from autograder.grading.work import Assignment, GradedSubmission, Work, assignment_of, digest_of_tests
from autograder.grading.worker import MAX_CPU_SECONDS, SubmissionFailed, WorkerDied
from autograder.intake.files import Submission, read_submission
from autograder.logs import keep_log
from autograder.wall.judge import Judge
from autograder.wall.sandbox import require_sandbox
from autograder.wall.seeds import key_of
from autograder.wall.ways import tried_reference
from autograder.wording import count, printable

logger = logging.getLogger(__name__)

MAX_DEATHS = 2  # of workers at one submission, before it is tried by itself
AHEAD = 2  # units of work that are handed out for each worker, so that none waits for the coordinator


@dataclass(frozen=True)
class Graded:
    """How grading of one student's submission went; `problem` is empty if its marks are in the gradebook."""

    student: str
    problem: str
    seconds: float
    remarks: list[str] = field(default_factory=list)


def students_to_grade(
    course: Course, chapter: str, force: bool = False, regrade: bool = False, only: Sequence[str] | None = None
) -> list[str]:
    """Students whose submission is not graded, or has changed since.

    With `regrade` also those graded with tests that have changed since; with `force` all; with `only` just those, in
    any case. Raises CourseError if one of them handed in nothing.
    """
    tests = digest_of_tests(tried_reference(course, chapter))  # an unknown chapter is an error before anything else
    students = course.submitted_students(chapter)
    if not students:
        raise CourseError(f"No submissions: expected {course.submission('STUDENT', chapter)}.")
    if only:
        if unknown := set(only) - set(students):
            raise CourseError(f"{min(unknown)} handed in nothing: expected {course.submission(min(unknown), chapter)}.")
        return sorted(set(only))
    if force:
        return students
    records = _records(course, chapter)
    return [
        student
        for student in students
        if student not in records
        or (regrade and records[student].tests_digest != tests)
        or records[student].submission_digest != read_submission(course, student, chapter).digest
    ]


def graded_with_older_tests(course: Course, chapter: str) -> int:
    """How many submissions were graded with tests that have changed since."""
    tests = digest_of_tests(read_reference(course, chapter))
    return sum(record.tests_digest != tests for record in _records(course, chapter).values())


def grade_parts(
    course: Course, students: Mapping[str, list[str]], jobs: int | None = None, scheduler: str | None = None
) -> Generator[Graded, None, None]:
    """Grade the notebooks of a chapter, for each those students', as `grade_class` does, with the same workers."""
    most = max(map(len, students.values()))
    with _pool_for(most, scheduler, jobs or _jobs(course)) as pool:
        for number, (part, of_part) in enumerate(students.items()):
            with closing(grade_class(course, part, of_part, pool=pool, is_registered=number > 0)) as results:
                yield from results


def grade_class(
    course: Course,
    chapter: str,
    students: list[str],
    jobs: int | None = None,
    scheduler: str | None = None,
    pool: Pool | None = None,
    is_registered: bool = False,
) -> Generator[Graded, None, None]:
    """Grade these students' submissions in parallel and write the marks into nbgrader's gradebook.

    Yields each result as it comes. `jobs` worker processes (default: one for each core, fewer if memory is short), or
    the workers of the Dask cluster at `scheduler`, or those of a `pool` that is there. A submission that ends its
    worker twice is tried by itself, and fails alone. Stopping at any moment loses no outcome: the next call brings it
    into the gradebook. With `is_registered` the gradebook was just told about the chapter.
    """
    keep_log(course)
    if not scheduler:
        require_sandbox(Judge(config=course.nbgrader).unsafe)
    with _one_line_for_the_disk(), gradebook_at_work(), only_coordinator(course):
        reference, key = tried_reference(course, chapter), key_of(course, chapter)
        assignment = assignment_of(chapter, reference, course.nbgrader, key, folder_for(course, chapter))
        outbox = Outbox(course, chapter)
        kept = {outcome.student: outcome for outcome in outbox.waiting()}
        queue, settled = _divided(course, assignment, students, kept, outbox.records())
        with _pool_for(len(queue), scheduler, jobs or _jobs(course), pool) as pool:
            checking = _begin_with_reference(assignment, pool) if pool else []
            if not is_registered:
                register(course, chapter)  # while the workers start
            assignment = replace(assignment, reference=_with_checksums(reference, course, chapter))
            with GradebookWriter(course, chapter) as writer:
                stored = {student: _store(outcome, writer, outbox) for student, outcome in kept.items()}
                yield from (stored[student] if problem is None else problem for student, problem in settled.items())
                if pool:
                    del kept, stored
                    _check_reference(
                        assignment.chapter, checking, {test.name for test in reference.tests if test.fails}
                    )
                    with closing(_grade_all(course, assignment, queue, pool)) as results:
                        for result in results:
                            if isinstance(result, GradedSubmission):
                                outbox.put(result)
                                result = _store(result, writer, outbox)
                            yield result


def _divided(
    course: Course,
    assignment: Assignment,
    students: list[str],
    kept: dict[str, GradedSubmission],
    records: dict[str, Record],
) -> tuple[deque[str], dict[str, Graded | None]]:
    """Whom to grade, in which order, and who is settled: None for an outcome that was kept, else what is wrong."""
    queue: deque[str] = deque()
    settled: dict[str, Graded | None] = {}
    for student in _heavy_first(course, assignment.chapter, students, records):
        submission = read_submission(course, student, assignment.chapter)
        digests = submission.digest, assignment.tests_digest
        earlier = kept.get(student)
        if earlier and (earlier.submission_digest, earlier.tests_digest) == digests:
            settled[student] = None
        elif submission.is_missing:
            problem = f"no notebook: {notebook_in(assignment.chapter)}.ipynb is missing from the submission"
            settled[student] = Graded(student, problem, 0.0)
        else:
            queue.append(student)
    return queue, settled


@contextmanager
def _pool_for(submissions: int, scheduler: str | None, jobs: int, pool: Pool | None = None) -> Iterator[Pool | None]:
    """Where so many submissions are graded, in a `pool` that is there or in a new one; None if there are none."""
    if pool or not submissions:
        yield pool if submissions else None
        return
    with cluster(scheduler) if scheduler else local_pool(min(jobs, submissions)) as pool:
        yield pool


def register(course: Course, chapter: str) -> None:
    """Tell the gradebook about the chapter's tasks, tests and points as the reference has them now."""
    open_gradebook(course).close()  # says in one line why it cannot, which nbgrader does not
    with tempfile.TemporaryDirectory() as folder:
        if course.has_text(chapter):
            run_generate_assignment(course.settings(release_directory=folder), chapter)
            return
        source = Path(folder, "source")
        for part in course.parts(assignment_in(chapter)):
            path = source / assignment_in(chapter) / f"{notebook_in(part)}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(read_reference(course, part).node, path)
        settings = course.settings(source_directory=str(source), release_directory=f"{folder}/release")
        settings.IncludeHeaderFooter = Config()  # a reference has both already
        run_generate_assignment(settings, assignment_in(chapter))


def _grade_all(
    course: Course, assignment: Assignment, queue: deque[str], pool: Pool
) -> Generator[GradedSubmission | Graded, None, None]:
    """Keep the pool busy until the queue is empty, then try by themselves those whose worker died too often."""
    deaths: Counter[str] = Counter()
    alone: deque[str] = deque()
    pending: dict[Future[GradedSubmission], str] = {}
    while queue or pending or alone:
        if not queue and not pending:
            queue.append(alone.popleft())
        # What is tried by itself is the only one in the queue.
        while queue and len(pending) < AHEAD * pool.size():
            student = queue.popleft()
            pending[pool.executor.submit(pool.grade, _work(course, assignment, student))] = student
        done, _ = wait(pending, return_when=FIRST_COMPLETED)
        for future in done:
            student = pending.pop(future)
            try:
                yield future.result()
            except SubmissionFailed as error:
                _log_what_ended(student, error)
                yield Graded(student, str(error), 0.0)
            except WorkerDied as error:
                _log_what_ended(student, error)
                deaths[student] += 1
                if error.by_its_own_fault:
                    problem = f"its tests need more than {MAX_CPU_SECONDS} s of our side: look at it by hand"
                    yield Graded(student, problem, 0.0)
                elif deaths[student] < MAX_DEATHS:
                    queue.append(student)
                elif deaths[student] == MAX_DEATHS:
                    alone.append(student)
                else:
                    yield Graded(student, "grading this submission ends the grader's process: look at it by hand", 0.0)
            except CancelledError:
                raise CourseError(
                    "The cluster was lost; what was graded is in the gradebook. Run the same command again."
                ) from None


def _store(outcome: GradedSubmission, writer: GradebookWriter, outbox: Outbox) -> Graded:
    remarks = [*remarks_of(outcome), *writer.write(outcome)]
    outbox.done(outcome, remarks)
    return Graded(outcome.student, "", outcome.seconds, remarks)


def _work(course: Course, assignment: Assignment, student: str) -> Work:
    return Work(assignment, student, read_submission(course, student, assignment.chapter))


def _begin_with_reference(assignment: Assignment, pool: Pool) -> list[Future[GradedSubmission]]:
    """Have each worker grade the reference as it will grade submissions: so they are warm before the first one, too."""
    content = assignment.reference.encode()
    work = Work(assignment, "reference", Submission(content, "", "", hashlib.sha256(content).hexdigest()))
    # In threads of their own, since each waits for its worker and may have to ask again.
    threads = ThreadPoolExecutor(pool.size())
    checking = [threads.submit(_with_second_tries, pool, work) for _ in range(pool.size())]
    threads.shutdown(wait=False)
    return checking


def _check_reference(chapter: str, checking: list[Future[GradedSubmission]], failing: set[str]) -> None:
    """Raises CourseError unless the reference has full marks from every worker, but for tests known to be `failing`.

    What costs the reference a point would cost the class: a fault of the machine or of the course.
    """
    for future in checking:
        try:
            outcome = future.result()
        except (SubmissionFailed, WorkerDied, CancelledError) as error:
            if isinstance(error, SubmissionFailed):
                _log_what_ended("the reference", error)
            cause = (
                f"its process ended ({error.code})" if isinstance(error, WorkerDied) else str(error) or "it was lost"
            )
            raise _not_graded(chapter, f"cannot be graded: {cause}") from error
        lost = [verdict for verdict in outcome.verdicts if verdict.points < verdict.most_points]
        if lost := [verdict for verdict in lost if verdict.grade_id not in failing]:
            first = f"{lost[0].task}: {lost[0].aspect or lost[0].grade_id}: {lost[0].outcome}: {lost[0].message}"
            raise _not_graded(chapter, f"fails {count(len(lost), 'test')}, the first one is {first}")


def _with_second_tries(pool: Pool, work: Work) -> GradedSubmission:
    """Grade it; a worker that dies may have died of the machine, so that is tried as often as for a submission."""
    deaths = 0
    while True:
        try:
            graded: GradedSubmission = pool.executor.submit(pool.grade, work).result()
            return graded
        except WorkerDied as error:
            _log_what_ended(work.student, error)
            deaths += 1
            if deaths > MAX_DEATHS:
                raise


def _log_what_ended(student: str, error: SubmissionFailed | WorkerDied) -> None:
    """Keep the worker's traceback, of which `error` is the short form."""
    text = error.traceback or f"its worker ended with {error.args[0]}"
    logger.error("%s: %s", printable(student), text)


def _not_graded(chapter: str, what: str) -> CourseError:
    return CourseError(
        f"Nothing was graded, for on this machine the reference of {chapter} itself {printable(what)} "
        "(look at the load and the memory of the machine, its installation, and the chapter)"
    )


def _with_checksums(reference: Notebook, course: Course, chapter: str) -> str:
    """The reference as text, with the checksums by which nbgrader knows an untouched answer."""
    text: str = nbformat.writes(reference.with_checksums(checksums(course, chapter)).node)
    return text


def _records(course: Course, chapter: str) -> dict[str, Record]:
    """Records of submissions that the gradebook and the folder of graded notebooks still hold."""
    records = Outbox(course, chapter).records()
    if not records:
        return {}
    known = students_in(course, chapter)
    return {
        student: record
        for student, record in records.items()
        if student in known and course.graded(student, chapter).is_file()
    }


def _heavy_first(course: Course, chapter: str, students: list[str], records: dict[str, Record]) -> list[str]:
    """New ones by size, then the others by the time they took before: none that takes long is left to the end."""

    def weight(student: str) -> tuple[bool, float]:
        if student in records:
            return False, records[student].seconds
        try:
            return True, course.submission(student, chapter).lstat().st_size
        except OSError:
            return True, 0.0

    return sorted(students, key=weight, reverse=True)


def _jobs(course: Course) -> int:
    return workers_that_fit(Judge(config=course.nbgrader).memory)


@contextmanager
def _one_line_for_the_disk() -> Iterator[None]:
    """Say in one line that the disk is full or read-only: nothing that was graded is lost by that."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:
            # The command line would take it for a reader of what we print who has left, and end without a word.
            raise RuntimeError("a connection broke while a class was graded") from error
        if error.errno not in REFUSALS:
            raise
        where = f" ({error.filename})" if error.filename else ""
        raise CourseError(
            f"The machine refuses: {error.strerror or error}{where}: make room or permit writing there, "
            "and run the same command again; what was graded is kept."
        ) from error
