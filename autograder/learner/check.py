"""Grade one notebook without a gradebook: for self-learners, and for the bank of answers."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.preprocessors import ClearSolutions

from autograder.chapter.cells import BEGIN_SOLUTION, END_SOLUTION, Notebook
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Outcome, Verdict
from autograder.course import Course, CourseError, assignment_in, notebook_in
from autograder.intake.files import UnreadableSubmission, name_without_copies, read_file
from autograder.intake.submission import Submitted, parse, rebuild
from autograder.wall.seeds import key_of
from autograder.wall.trial import NO_SECRET, run_tests

Runner = Callable[[Course, str, Notebook, str, Collection[str] | None], list[Verdict]]  # as `run_tests`


@dataclass(frozen=True)
class Checked:
    """What is to be said about one notebook."""

    chapter: str
    repairs: list[str]
    verdicts: list[Verdict]
    not_begun: list[str] = field(default_factory=list)  # task cells that are as they were handed out
    by_hand: list[str] = field(default_factory=list)  # questions that a person grades, if they were answered
    rubrics: dict[str, str] = field(default_factory=dict)  # of these questions, for those that have one

    @property
    def tasks(self) -> list[str]:
        """Names of the tasks that have checks, in the order of the notebook."""
        return list(dict.fromkeys(verdict.task for verdict in self.verdicts))

    @property
    def solved(self) -> list[str]:
        """The tasks of which every check passed."""
        failed = {verdict.task for verdict in self.verdicts if verdict.outcome != Outcome.PASSED}
        return [task for task in self.tasks if task not in failed]


def check_notebook(course: Course, path: Path, task: str = "", run: Runner = run_tests) -> Checked:
    """Have `run` run the notebook at `path` with the chapter's hidden tests, or only with those of one task.

    Its name and its cells say which chapter it is. Raises CourseError if it cannot be read or is of no chapter.
    """
    submission = _read(path)
    chapter = _chapter_of(course, path, submission)
    reference = read_reference(course, chapter)
    intake = rebuild(submission, reference)
    if not intake.answered:
        released = course.released(chapter).relative_to(course.root)
        raise CourseError(f"{path.name} holds no task cell of {chapter}: copy your answers into {released}.")
    stubs = _stubs(course, reference)
    answers = {cell.name: cell.source for cell in intake.notebook.answers}
    not_begun = {name for name, source in answers.items() if stubs[name] == source.strip()}
    questions = [cell.name for cell in reference.questions]
    by_hand = [name for name in questions if name in intake.answered and name not in not_begun]
    return Checked(
        chapter,
        intake.repairs,
        run(course, chapter, intake.notebook, key_to_learn_with(course, chapter), [task] if task else None),
        [name for name in answers if name in not_begun and name not in questions],
        by_hand,
        {name: text for name, text in rubrics(reference).items() if name in by_hand},
    )


def chapter_of(course: Course, path: Path) -> str:
    """The chapter that the notebook at `path` is of. Raises CourseError if it cannot be read or is of no chapter."""
    return _chapter_of(course, path, _read(path))


def is_untouched(course: Course, chapter: str, path: Path) -> bool:
    """Whether a notebook holds no answer yet: every cell for one is as the course hands it out."""
    try:
        cells = parse(read_file(path.resolve()))
    except UnreadableSubmission:
        return False  # `check_notebook` says what is wrong
    stubs = _stubs(course, read_reference(course, chapter))
    found = {cell.name: cell.source.strip() for cell in cells if cell.name in stubs}
    return found == stubs


def rubrics(reference: Notebook) -> dict[str, str]:
    """What earns the points of the questions that a person grades, and sample answers, by the questions' names."""
    found = {}
    for cell in reference.questions:
        if BEGIN_SOLUTION in cell.source:
            found[cell.name] = cell.source.partition(BEGIN_SOLUTION)[2].partition(END_SOLUTION)[0].strip()
    return found


def key_to_learn_with(course: Course, chapter: str) -> str:
    """The chapter's key, or NO_SECRET in a course that belongs to somebody else."""
    try:
        return key_of(course, chapter)
    except CourseError:
        return NO_SECRET


def _read(path: Path) -> list[Submitted]:
    """Its cells. Raises CourseError if there is something wrong with it."""
    try:
        return parse(read_file(path.resolve()))
    except UnreadableSubmission as problem:
        raise CourseError(f"{path.name} could not be read: {problem}") from None


def _chapter_of(course: Course, path: Path, submission: Sequence[Submitted]) -> str:
    """The chapter, or the notebook of one, that a notebook is named after, unless most of its cells are another's."""
    known = course.chapters()
    chapters = [part for chapter in known for part in course.parts(chapter) if course.reference(part).is_file()]
    name = name_without_copies(path.stem)
    namesakes = [part for part in chapters if name_without_copies(notebook_in(part)) == name]
    # Other assignments may have a notebook of the same name.
    namesakes.sort(key=lambda part: assignment_in(part) != path.parent.name)
    named = namesakes[0] if namesakes else name
    names = {cell.name for cell in submission}
    if namesakes and _share(course, named, names) > 0.5:
        return named
    shares = {chapter: _share(course, chapter, names) for chapter in chapters}
    likely = max(chapters, key=lambda chapter: (shares[chapter], chapter == named), default="")
    if not namesakes and named not in known:
        if likely and shares[likely] > 0:
            return likely
        raise CourseError(
            f"{path.name} is named after no chapter, nor are its cells of one; chapters: {', '.join(known)}."
        )
    if likely and shares[likely] > shares.get(named, 0):
        raise CourseError(
            f"{path.name}: by its cells this is chapter {likely}, not {named}: name it {notebook_in(likely)}.ipynb."
        )
    return named


def _share(course: Course, chapter: str, names: set[str]) -> float:
    """The part of a chapter's named cells that a notebook holds."""
    reference = read_reference(course, chapter)
    wanted = {cell.name for cell in reference.cells if not reference.is_adopted or cell.is_graded or cell.is_answer}
    return len(wanted & names) / max(1, len(wanted))


def _stubs(course: Course, reference: Notebook) -> dict[str, str]:
    """Cells for answers as students get them, by name. The release is not asked: learners work in that very file."""
    answers = reference.with_cells(reference.answers).copy()
    cleared, _ = ClearSolutions(config=course.nbgrader).preprocess(answers.node, {})
    return {cell.name: node.source.strip() for cell, node in zip(answers.cells, cleared.cells, strict=True)}
