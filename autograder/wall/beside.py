"""The second way for a test: in the sandbox, beside the student's code, if it cannot be judged through the wall.

A fresh process runs the notebook once more, cell by cell, and each such test at its place. It knows no secret and no
other submission. A test comes from the reference, and only when the cells above it have run; what it found counts only
with a number that was drawn for it. Yet it shares its process with the student's code, which can therefore do to it
whatever Python allows: that is why this way is the weaker one.
"""

import ast
import marshal
import secrets
import time
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from IPython.core.inputtransformer2 import TransformerManager
from nbformat.v4 import new_output

from autograder.chapter.cells import Notebook, NotebookCell, Way
from autograder.chapter.verdicts import Outcome, Verdict
from autograder.intake.outputs import storable
from autograder.wall import warm
from autograder.wall.foreign import plain, points_of
from autograder.wall.inside import wire
from autograder.wall.names import names_of
from autograder.wall.place import setup_for
from autograder.wall.seeds import derived
from autograder.wall.student import StudentGone, StudentSide, TimeUp

if TYPE_CHECKING:  # the judge hands itself over, for its settings
    from autograder.wall.judge import Judge

MAX_PRINTED = 3000  # characters of what one test prints
MAX_MESSAGE = 500  # characters: a message may hold what a student wrote


def judge_beside(
    settings: "Judge",
    notebook: Notebook,
    reference: Notebook,
    seed: str,
    tasks: Collection[str] | None = None,
) -> list[Verdict]:
    """Run the tests of this way, or those of some tasks, on a rebuilt notebook, in place, and return their verdicts."""
    wanted = [cell for cell in reference.tests if tasks is None or cell.task in tasks]
    tests = {cell.name: cell for cell in wanted if cell.way == Way.BESIDE}
    return _Run(settings, notebook, reference, tests, seed).all_tests() if tests else []


class _Run:
    """One notebook and its tests of this way."""

    def __init__(
        self, settings: "Judge", notebook: Notebook, reference: Notebook, tests: dict[str, NotebookCell], seed: str
    ):
        self.settings, self.notebook, self.tests, self.seed = settings, notebook, tests, seed
        self.helping = _tests_that_bind(reference, tests)  # tests of the other way whose names are needed
        self.sources = {cell.name: cell.source for cell in reference.tests}
        self.side = StudentSide(warm.kind_of(reference, {name: getattr(settings, name) for name in warm.SETTINGS}))
        self.processes = 0
        self.alive = False
        self.fatal: set[int] = set()  # positions of cells after which the process could not be used any more
        self.crashed: set[int] = set()
        self.history: list[str] = []  # of the process: the cells that it has run
        self.task_errors: dict[str, str] = {}

    def all_tests(self) -> list[Verdict]:
        """Run everything up to the last of the tests."""
        verdicts: dict[str, Verdict] = {}
        try:
            for position, cell in enumerate(self.notebook.cells):
                if len(verdicts) == len(self.tests):
                    break
                if cell.name in self.tests and cell.is_code and cell.name not in verdicts:
                    verdicts[cell.name] = self._verdict(cell, position)
                elif self._runs(cell) and self._ready(position):
                    self._run(cell, position)
        finally:
            self.side.stop()
        return [verdicts.get(name) or self._said(test, *MISSING) for name, test in self.tests.items()]

    def _runs(self, cell: NotebookCell) -> bool:
        """Whether a cell runs although no verdict comes of it."""
        return cell.is_code and (not cell.is_test or cell.name in self.helping) and bool(cell.source.strip())

    def _verdict(self, cell: NotebookCell, position: int) -> Verdict:
        test, start, result = self.tests[cell.name], time.monotonic(), None
        while result is None and self._ready(position):
            start = time.monotonic()
            result = self._test(test, position)
        outcome, message, printed, value = result or (Outcome.NOT_RUN, *NOT_RUN)
        verdict = self._said(test, outcome, message, value, time.monotonic() - start if result else 0.0)
        cell.node.source = test.source
        if printed:
            cell.node.outputs.append(new_output("stream", name="stdout", text=storable(printed[:MAX_PRINTED])))
        if outcome != Outcome.PASSED:
            error = new_output("error", ename=outcome, evalue=verdict.message, traceback=[verdict.message])
            cell.node.outputs.append(error)
        elif verdict.points < verdict.most_points:
            cell.node.outputs.append(new_output("execute_result", data={"text/plain": f"{verdict.points!r}"}))
        return verdict

    def _said(
        self, test: NotebookCell, outcome: Outcome, message: str = "", value: Any = None, seconds: float = 0.0
    ) -> Verdict:
        points = points_of(value, test.points) if outcome == Outcome.PASSED else 0.0
        said = storable(" ".join(message.split())[:MAX_MESSAGE])
        facts = (test.name, test.task, test.aspect, points, test.points, outcome, said, round(seconds, 3))
        return Verdict(*facts, self.seed, Way.BESIDE)

    def _test(self, test: NotebookCell, position: int) -> tuple[Outcome, str, str, Any] | None:
        """Outcome, message, what was printed and the number that it ended in; None if it should be tried again."""
        try:
            body, last = compiled(test.source)
        except (SyntaxError, ValueError) as error:
            return Outcome.FAILED, f"The test is no Python: {error}", "", None
        nonce = secrets.token_hex(16)
        self.history.append(test.source)
        self.side.allow(self._seconds())
        try:
            found = self.side.ask("test", body=body, last=last, nonce=nonce, history=self.history)
        except StudentGone as gone:
            self.alive = False
            if gone.reason == Outcome.CRASHED and position not in self.crashed:
                self.crashed.add(position)
                return None
            return gone.reason, str(gone), "", None
        except TimeUp:
            return Outcome.TIMED_OUT, f"This check was stopped after {self.settings.timeout} seconds.", "", None
        except wire.WireError as error:
            return Outcome.FAILED, f"What came back cannot be read: {error}.", "", None
        except MemoryError:
            return Outcome.OUT_OF_MEMORY, "Your code asked for more memory than there is.", "", None
        except Exception as error:
            return Outcome.FAILED, self._message_of(error, test), "", None
        if type(found) is not dict or found.get("nonce") != nonce:
            return Outcome.FAILED, "The check did not run to its end.", "", None
        printed = found.get("printed")
        return Outcome.PASSED, "", printed if type(printed) is str else "", found.get("value")

    def _message_of(self, error: Exception, test: NotebookCell) -> str:
        text = getattr(error, "student_text", None) or f"{type(error).__name__}: {error}"
        if isinstance(error, AssertionError):
            return str(error) or "The check failed."
        if isinstance(error, NameError) and test.task in self.task_errors:
            return f"Your cell for {test.task} does not run. {self.task_errors[test.task]}"
        return str(text)

    def _ready(self, position: int) -> bool:
        """Make sure of a process in which the cells above have run. False if time or processes are used up."""
        while not self.alive:
            if self.processes >= self.settings.max_processes or self._left() <= 0:
                return False
            self.processes += 1
            self.side.start()
            self.alive, self.history = True, []
            if self.settings.files:
                self._ask_to_run(setup_for(self.settings.files), -1)
            self.side.follow(derived(self.seed, "start"))
            for earlier, cell in enumerate(self.notebook.cells[:position]):
                if self.alive and earlier not in self.fatal and self._runs(cell):
                    self._run(cell, earlier)
        return self._left() > 0

    def _run(self, cell: NotebookCell, position: int) -> None:
        source = self.sources.get(cell.name, cell.source)
        self.history.append(source)
        if error := self._ask_to_run(source, position):
            self.task_errors[cell.name] = error

    def _ask_to_run(self, source: str, position: int) -> str:
        """Run a cell there; returns the error that it ended in, in one line."""
        try:
            _, error = self.side.run_cell(source, self._seconds(), pictures=False)
        except StudentGone as gone:
            self.alive = False
            if gone.reason != Outcome.CRASHED or position in self.crashed:
                self.fatal.add(position)
            self.crashed.add(position)
            return str(gone)
        except Exception as problem:  # whatever their side makes of a request
            return " ".join(str(problem).split())[:MAX_MESSAGE]
        return " ".join(f"{error['name']}: {error['text']}".split())[:MAX_MESSAGE] if error else ""

    def _seconds(self) -> float:
        return max(0.5, min(self.settings.timeout, self._left()))

    def _left(self) -> float:
        """Seconds that this notebook still has for this way."""
        return self.settings.notebook_timeout - self.side.used


MISSING = (Outcome.MISSING, "This check was not reached.")
NOT_RUN = ("Not run: cells above used up the time of the whole notebook.", "", None)


def compiled(source: str) -> tuple[str, str]:
    """A test as code in hexadecimal digits, without the expression that it ends in, and that expression.

    It is taken apart here, since what IPython does with a cell there is in the student's hands. Raises SyntaxError.
    """
    text = TransformerManager().transform_cell(source)
    tree = ast.parse(text)
    last = tree.body[-1] if tree.body else None
    shown = ""
    if isinstance(last, ast.Expr) and not source.rstrip().endswith(";"):
        tree.body.pop()
        shown = marshal.dumps(compile(ast.Expression(last.value), "<test>", "eval")).hex()
    return marshal.dumps(compile(tree, "<test>", "exec")).hex(), shown


def _tests_that_bind(reference: Notebook, tests: dict[str, NotebookCell]) -> set[str]:
    """The other tests whose names these tests, or cells of the notebook, may use: they run too, for those names."""
    last: dict[str, str] = {}  # who has bound a name, of tests
    uses: dict[str, set[str]] = {}
    by_cells: set[str] = set()
    above: list[str] = []
    for cell in reference.cells:
        names = names_of(plain(cell.source)) if cell.is_code else None
        if cell.is_test:
            uses[cell.name] = {last[name] for name in names.uses | names.later if name in last} if names else {*above}
            above.append(cell.name)
        elif names:
            by_cells |= {last[name] for name in names.uses | names.later if name in last}
        for name in names.binds if names else ():
            if cell.is_test:
                last[name] = cell.name
            else:
                last.pop(name, None)
    needed, looked_at = {*tests} | by_cells, set[str]()
    while left := needed - looked_at:
        looked_at |= left
        needed |= {other for name in left for other in uses[name]}
    return needed - {*tests}
