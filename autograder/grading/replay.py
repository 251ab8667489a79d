"""Run one test of one submission again, with the draws that it met, and watch what it asks of the student's code."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import nbformat
import numpy as np

from autograder.chapter.beside import folder_for
from autograder.chapter.cells import Notebook
from autograder.chapter.verdicts import Verdict, recorded_verdicts
from autograder.course import Course, CourseError, notebook_in
from autograder.intake.submission import take_in
from autograder.wall.handles import CallableHandle, Handle
from autograder.wall.judge import Judge
from autograder.wall.seeds import key_of, seed_of
from autograder.wall.student import StudentSide
from autograder.wall.ways import tried_reference

LONGEST_ARGUMENT = 200  # characters


@dataclass(frozen=True)
class Call:
    """One call of something of the student's: its name, its arguments, and its result or the exception it raised."""

    name: str
    arguments: str
    result: str

    def __str__(self) -> str:
        return f"{self.name}({self.arguments}) {self.result}"


@dataclass
class CallRecorder:
    """Notes what a test calls on the student's side, in order."""

    calls: list[Call] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)  # of handles, by number

    def attach(self, side: StudentSide) -> None:
        """Stand between the tests and the student's side."""
        ask = side.ask

        def watched(action: str, **arguments: Any) -> Any:
            try:
                value = ask(action, **arguments)
            except BaseException as error:
                text = getattr(error, "student_text", None) or f"{type(error).__name__}: {error}"
                self._note(action, arguments, f"raised {text}")
                raise
            self._note(action, arguments, f"returned {abbreviated(value, self.names)}")
            self._name(action, arguments, value)
            return value

        side.ask = watched  # type: ignore[method-assign]

    def _note(self, action: str, asked: dict[str, Any], result: str) -> None:
        if action == "call":
            name = self.names.get(asked["target"], "something")
        elif action == "call_library":
            name = asked["name"]
        else:
            return
        arguments = [abbreviated(value, self.names) for value in asked["args"]]
        arguments += [f"{key}={abbreviated(value, self.names)}" for key, value in asked["kwargs"].items()]
        self.calls.append(Call(name, ", ".join(arguments), result))

    def _name(self, action: str, asked: dict[str, Any], value: Any) -> None:
        """Remember how the test came by a handle."""
        if action == "get" and isinstance(value, list) and value and isinstance(value[0], Handle):
            self.names[value[0]._number] = asked["name"]
        elif isinstance(value, Handle):
            owner = self.names.get(asked.get("target", -1), asked.get("name", "something"))
            self.names[value._number] = f"{owner}.{asked['name']}" if action == "attribute" else f"{owner}(...)"


@dataclass(frozen=True)
class Replay:
    """What came out. `note` is empty, or says why it may differ from what was graded."""

    verdict: Verdict
    calls: list[Call]
    note: str


def replay(course: Course, student: str, chapter: str, test: str) -> Replay:
    """Run the test of that grade id again on a submission, with the seed that was kept when it was graded."""
    references = {part: tried_reference(course, part) for part in course.parts(chapter)}
    tests = [cell.name for reference in references.values() for cell in reference.tests]
    chapter, test = _notebook_of(references, test)
    reference = references[chapter]
    if test not in tests:
        raise CourseError(f"{chapter} has no test {test!r}; its tests: {', '.join(tests)}.")
    path = course.submission(student, chapter)
    if not path.is_file():
        raise CourseError(f"{path} does not exist: name a student who handed in {chapter}.")
    notebook = take_in(path, reference, below=course.submitted).notebook  # links are refused as in grading
    seed = seed_of(key_of(course, chapter), notebook)
    kept = _kept_seed(course, student, chapter, test)
    note = ""
    if not kept:
        note = "It is not graded yet; this is what grading would find."
    elif kept != seed:
        note = "The answers or the course's secret have changed since it was graded; the draws are those of then."
    place = [cell.name for cell in notebook.cells].index(test)
    notebook = notebook.with_cells(notebook.cells[: place + 1])
    recorder = CallRecorder()
    judge = Judge(config=course.nbgrader, files=folder_for(course, chapter))
    verdicts = judge.judge(notebook, reference, kept or seed, {test: recorder.attach})
    return Replay(next(verdict for verdict in verdicts if verdict.grade_id == test), recorder.calls, note)


def _notebook_of(references: Mapping[str, Notebook], test: str) -> tuple[str, str]:
    """The notebook that has a test, and the test's own name: reports write NOTEBOOK/NAME where there are several."""
    for part, reference in references.items():
        for cell in reference.tests:
            if test in (cell.name, f"{notebook_in(part)}/{cell.name}"):
                return part, cell.name
    return next(iter(references)), test


def _kept_seed(course: Course, student: str, chapter: str, test: str) -> str:
    """The seed in the recorded verdict, or an empty text if there is none."""
    path = course.graded(student, chapter)
    verdicts = recorded_verdicts(nbformat.read(path, as_version=4)) if path.is_file() else []
    return next((verdict.seed for verdict in verdicts if verdict.grade_id == test), "")


def abbreviated(value: Any, names: dict[int, str]) -> str:
    """A value in one short line; a handle by how the test came by it, an array or tensor with its shape."""
    if isinstance(value, Handle):
        kind = "function" if isinstance(value, CallableHandle) else "object"
        return names.get(value._number, f"<{kind} of the student's>")
    text = " ".join(repr(value).split())
    if isinstance(value, np.ndarray) or hasattr(value, "detach"):
        text = f"{text} of shape {tuple(value.shape)}"
    if len(text) <= LONGEST_ARGUMENT:
        return text
    half = LONGEST_ARGUMENT // 2
    return f"{text[:half]} ... {text[-half:]}"
