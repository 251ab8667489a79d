"""The bank: right and wrong answers to each task, kept as text beside the tests of a course, and their trial."""

import itertools
import secrets
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tqdm import tqdm

from autograder.chapter.cells import Notebook
from autograder.chapter.edits import EditError, changed, is_patch, patched
from autograder.chapter.reference import read_reference, reference_answers
from autograder.chapter.text import Cell, SourceError, read_text
from autograder.chapter.variants import built_variant
from autograder.chapter.verdicts import Outcome, Verdict
from autograder.course import Course, CourseError, open_course
from autograder.processes import kept_processes
from autograder.wall.names import names_of, only_shown
from autograder.wall.trial import NO_SECRET, judged, run_tests_in_kernel

FEWEST_RIGHT, FEWEST_WRONG = 2, 3
KEYS = {"right", "wrong", "caught_by", "change"}
ANY = "?"  # in place of an aspect: whoever wrote the answer does not know the tests


@dataclass(frozen=True)
class Answer:
    """One answer to a task. `caught_by` names the aspects of the tests that must fail; empty for a right answer."""

    task: str
    label: str
    source: str
    caught_by: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        return not self.caught_by


@dataclass(frozen=True)
class Trial:
    """An answer and the verdicts of its task's tests."""

    answer: Answer
    verdicts: list[Verdict]

    @property
    def problem(self) -> str:
        """What is wrong with the course: a right answer lost points, or a named test passed a wrong one; else empty."""
        failed = {verdict.aspect: verdict for verdict in self.verdicts if verdict.outcome != Outcome.PASSED}
        if self.answer.is_right:
            return "; ".join(f"{aspect}: {verdict.message}" for aspect, verdict in failed.items())
        if self.answer.caught_by == (ANY,):
            return "" if failed else "keeps all points"
        missed = [aspect for aspect in self.answer.caught_by if aspect not in failed]
        return f"not caught by {', '.join(missed)}" if missed else ""


@dataclass(frozen=True)
class Unsteady:
    """An answer of which the verdict of one test depended on what was drawn."""

    answer: Answer
    aspect: str
    outcomes: Counter[Outcome]


def read_bank(course: Course, chapter: str, folder: Path | None = None) -> dict[str, list[Answer]]:
    """All answers to a chapter's tasks, by task, of the bank or another folder; each file is named after its task.

    An answer is code of its own or an edit of the course's own answer (see `edits`). Raises SourceError for unknown
    keys and for an edit that does not fit.
    """
    reference = read_reference(course, chapter)
    files = {path.stem: path for path in sorted((folder or course.answers(chapter)).glob("*.py"))}
    if folder is None and (variant := built_variant(reference)):  # tasks that it changes have answers of their own
        files |= {path.stem: path for path in (course.answers(chapter) / variant).glob("*.py")}
    answers = reference_answers(reference)
    return {task: _read_answers(path, answers.get(task, "")) for task, path in files.items()}


def _read_answers(path: Path, reference: str) -> list[Answer]:
    answers: list[Answer] = []
    for cell in read_text(path).cells:
        unknown = set(cell.keys) - KEYS
        if unknown:
            raise SourceError(
                path,
                cell.line,
                f"Unknown key {unknown.pop()!r}: an answer takes right, or wrong and caught_by; and change.",
            )
        if ("right" in cell.keys) == ("wrong" in cell.keys) or ("wrong" in cell.keys) != ("caught_by" in cell.keys):
            raise SourceError(path, cell.line, 'Write right="..." or wrong="..." caught_by="aspect".')
        caught_by = tuple(aspect.strip() for aspect in cell.keys.get("caught_by", "").split("|") if aspect.strip())
        label = cell.keys.get("right") or cell.keys["wrong"]
        if any(answer.label == label for answer in answers):
            raise SourceError(path, cell.line, f"There are two answers called {label!r}: rename one.")
        answers.append(Answer(path.stem, label, _source_of(path, cell, reference), caught_by))
    return answers


def _source_of(path: Path, cell: Cell, reference: str) -> str:
    """The code of an answer: the cell itself, or the reference with the edit that the cell describes."""
    try:
        if "change" in cell.keys:
            if cell.source.strip():
                raise SourceError(path, cell.line, "This answer has a change and code too: keep one of them.")
            return changed(reference, cell.keys["change"])
        return patched(reference, cell.source) if is_patch(cell.source) else cell.source
    except EditError as error:
        raise SourceError(path, cell.line, f"This edit does not fit: {error}.") from None


def try_bank(
    course: Course, chapter: str, jobs: int | None = None, tasks: list[str] | None = None, essential: bool = False
) -> list[Trial]:
    """Grade the answers of the bank, or only those to some tasks, each in place of its task cell of the reference.

    `essential` leaves out wrong answers whose tests are failed by earlier ones.

    Tests of one task do not look at another's, so one notebook carries answers to several tasks, but none beside an
    answer to a task whose functions it calls. Raises CourseError if a task has too few answers or the bank names a
    task or test that the chapter lacks.
    """
    answers = _checked_bank(course, chapter, tasks)
    if essential:
        answers = {task: essential_answers(of_task) for task, of_task in answers.items()}
    return try_answers(course, chapter, answers, jobs)


def essential_answers(answers: list[Answer]) -> list[Answer]:
    """All right answers, and so many wrong ones that each test that any of them names is failed once."""
    chosen, failed = [], set[str]()
    for answer in answers:
        if answer.is_right or set(answer.caught_by) - failed:
            chosen.append(answer)
            failed |= set(answer.caught_by)
    return chosen


def try_folder(course: Course, chapter: str, folder: Path, tasks: list[str] | None = None) -> list[Trial]:
    """Grade what somebody else wrote. Raises CourseError if a file is not named after a task of the chapter."""
    return try_answers(course, chapter, _checked_folder(course, chapter, folder, tasks))


def _checked_folder(course: Course, chapter: str, folder: Path, tasks: list[str] | None) -> dict[str, list[Answer]]:
    """Somebody else's answers to these tasks, or to all, once it is sure that the chapter has such tasks."""
    bank = read_bank(course, chapter, folder)
    known = reference_answers(read_reference(course, chapter))
    for task in [*bank, *(tasks or [])]:
        if task not in known:
            raise CourseError(f"{chapter} has no task {task!r}; its tasks: {', '.join(known)}.")
    chosen = {task: answers for task, answers in bank.items() if answers and task in (tasks or bank)}
    if not chosen:
        raise CourseError(f"{folder} holds no answers to {chapter}: write a file TASK.py for each task.")
    return chosen


def unsteady_answers(
    course: Course,
    chapter: str,
    repeats: int,
    jobs: int | None = None,
    tasks: list[str] | None = None,
    folder: Path | None = None,
) -> list[Unsteady]:
    """Grade the bank, or a folder of answers, as often as that, each time with a fresh secret; what luck decided."""
    ways = [Way(secrets.token_hex(16), hash_seed=number) for number in range(repeats)]
    answers = _checked_folder(course, chapter, folder, tasks) if folder else _checked_bank(course, chapter, tasks)
    trials = _tried(course, chapter, answers, ways, jobs)
    found = []
    for of_one_answer in zip(*trials, strict=True):
        for of_one_test in zip(*(trial.verdicts for trial in of_one_answer), strict=True):
            outcomes = Counter(verdict.outcome for verdict in of_one_test)
            if len(outcomes) > 1:
                found.append(Unsteady(of_one_answer[0].answer, of_one_test[0].aspect, outcomes))
    return found


def try_answers(
    course: Course,
    chapter: str,
    answers: dict[str, list[Answer]],
    jobs: int | None = None,
    in_kernel: bool = False,
    run_shown: bool = False,
    seconds: int | None = None,
) -> list[Trial]:
    """Grade answers to the tasks of a chapter, with the same draws each time.

    `seconds` is what a cell may take, if not what the course says. With `in_kernel` the tests run in the student's
    kernel instead, as *Validate* does: to see that both agree. Cells that only show something are left out unless
    `run_shown`; the judge can run them too.
    """
    way = Way(NO_SECRET, in_kernel=in_kernel, run_shown=run_shown, seconds=seconds)
    return _tried(course, chapter, answers, [way], jobs)[0]


@dataclass(frozen=True)
class Way:
    """How to grade: the key of all draws and the order of texts in sets, which tests, and how long a cell may take."""

    key: str
    hash_seed: int = 0
    in_kernel: bool = False
    run_shown: bool = False
    seconds: int | None = None


def _tried(
    course: Course, chapter: str, answers: dict[str, list[Answer]], ways: list[Way], jobs: int | None
) -> list[list[Trial]]:
    """The trials of all answers in each of these ways. The same processes do it all, one way after the other."""
    rounds = shared_out(answers, read_reference(course, chapter))
    sources = [{task: answer.source for task, answer in chosen.items()} for chosen in rounds]
    grade = partial(_verdicts_with, course.root, chapter)
    # All at once, so that no process waits for the end of a way.
    tasks = [(way, source) for way in ways for source in sources]
    graded = kept_processes(jobs).map(grade, *zip(*tasks, strict=True))
    results = iter(list(tqdm(graded, chapter, len(tasks), leave=False, disable=None, unit="notebook")))
    return [
        [
            Trial(answer, [verdict for verdict in verdicts if verdict.task == answer.task])
            for chosen, verdicts in zip(rounds, itertools.islice(results, len(rounds)), strict=True)
            for answer in chosen.values()
        ]
        for _ in ways
    ]


def shared_out(answers: dict[str, list[Answer]], reference: Notebook) -> list[dict[str, Answer]]:
    """The answers as notebooks of one answer at most to each task, and none whose functions another of them calls.

    What an answer borrows from other tasks, itself or by way of the chapter's functions, is the course's own there:
    a right answer that calls a wrong one would lose points for it, a wrong one be caught for it.
    """
    left = {task: list(listed) for task, listed in answers.items()}
    rounds = []
    while any(left.values()):
        chosen: dict[str, Answer] = {}
        borrowed: set[str] = set()
        for task in sorted(left, key=lambda task: -len(left[task])):
            its = _borrowed(left[task][0], reference) if left[task] else set[str]()
            if left[task] and task not in borrowed and its.isdisjoint(chosen):
                chosen[task] = left[task].pop(0)
                borrowed |= its
        rounds.append(chosen)
    return rounds


def _borrowed(answer: Answer, reference: Notebook) -> set[str]:
    """The tasks above its own on whose answers an answer depends, by the names in the cells of a reference notebook."""
    binders: dict[str, set[str]] = {}  # by name, the tasks that bind it
    used: dict[str, set[str]] = {}  # by name, all names in the cells that bind it
    for cell in reference.cells:
        if cell.name == answer.task:
            break
        names = names_of(cell.source) if cell.is_code and not cell.is_test else None
        for name in names.binds if names else ():
            used.setdefault(name, set()).update(names.uses if names else ())
            if cell.is_answer:
                binders.setdefault(name, set()).add(cell.name)
    its = names_of(answer.source)
    found, ahead = set[str](), set(its.uses - its.binds) if its else set[str]()
    while ahead:
        name = ahead.pop()
        found.add(name)
        ahead |= used.get(name, set()) - found
    return set[str]().union(*(binders.get(name, ()) for name in found))


def _verdicts_with(course_root: Path, chapter: str, way: Way, answers: dict[str, str]) -> list[Verdict]:
    course = open_course(course_root)
    course.nbgrader.Judge.hash_seed = way.hash_seed
    course.nbgrader.Judge.run_shown = way.run_shown
    if way.seconds is not None:
        course.nbgrader.Judge.timeout = way.seconds
    reference = _with_tests_of(read_reference(course, chapter), answers)
    notebook = reference.with_sources(answers)
    if way.in_kernel:
        shown = [notebook.cells[position].name for position in only_shown(notebook, reference)]
        notebook = notebook.with_sources(dict.fromkeys(shown, ""))
        return run_tests_in_kernel(course, chapter, notebook, way.key)
    return judged(course, notebook, reference, way.key)


def _with_tests_of(reference: Notebook, tasks: Collection[str]) -> Notebook:
    """The reference without the tests of other tasks: nobody would look at their verdicts."""
    return reference.with_cells(cell for cell in reference.cells if not cell.is_test or cell.task in tasks)


def _checked_bank(course: Course, chapter: str, tasks: list[str] | None) -> dict[str, list[Answer]]:
    """The answers to these tasks, or to all, once it is sure that the bank is complete."""
    bank = read_bank(course, chapter)
    _check_bank(bank, read_reference(course, chapter))
    for task in tasks or []:
        if task not in bank:
            raise CourseError(f"{chapter} has no task {task!r}; its tasks: {', '.join(bank)}.")
    return {task: bank[task] for task in tasks or bank}


def _check_bank(bank: dict[str, list[Answer]], reference: Notebook) -> None:
    tasks = [cell.name for cell in reference.tasks]
    tests = {(test.task, test.aspect) for test in reference.tests}
    for task in tasks:
        answers = bank.get(task, [])
        right = sum(answer.is_right for answer in answers)
        if right < FEWEST_RIGHT or len(answers) - right < FEWEST_WRONG:
            wish = f"at least {FEWEST_RIGHT} right and {FEWEST_WRONG} wrong answers"
            raise CourseError(f"Task {task} needs {wish} in the bank; it has {right} and {len(answers) - right}.")
        for answer in answers:
            for aspect in answer.caught_by:
                if (task, aspect) not in tests:
                    raise CourseError(f"Answer {answer.label!r} to {task}: there is no test {aspect!r} to catch it.")
    for task in bank:
        if task not in tasks:
            raise CourseError(f"The bank has answers to {task}, which is no task of the chapter.")
