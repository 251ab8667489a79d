"""The judge: runs a chapter's tests on our side and asks the student's side for nothing but values.

Test cells and the given cells they need come from the reference notebook, never from a submission. A name that none of
them binds is asked for on the student's side: plain values are copied, functions and other objects come as handles.
"""

import builtins
import contextlib
import copy
import importlib
import io
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Dict, Integer, List, Unicode

from autograder.chapter.beside import folder_for
from autograder.chapter.cells import Notebook, NotebookCell, Way
from autograder.chapter.verdicts import Outcome, Verdict, record, repairs_of
from autograder.chapter.ways import EXECUTES
from autograder.course import course_of
from autograder.intake.outputs import clean_markdown, clean_outputs, storable
from autograder.oracle.answers import is_ours
from autograder.wall import warm
from autograder.wall.beside import judge_beside
from autograder.wall.faults import CourseFault, OurFault
from autograder.wall.foreign import POINTS, for_judge, from_earlier_tests, points_of
from autograder.wall.handles import ClassHandle, Handle, Type
from autograder.wall.inside import draws, scenarios, wire
from autograder.wall.names import Plan, names_of, only_shown, plan
from autograder.wall.needs import Needs, is_foreign, needs_of
from autograder.wall.place import at_place, setup_for
from autograder.wall.sandbox import require_sandbox
from autograder.wall.seeds import derived, key_of, seed_of
from autograder.wall.stage import Stage
from autograder.wall.student import StudentGone, StudentSide, TimeUp

MAX_PRINTED = 3000  # characters of what one test prints
MAX_MESSAGE = 2000  # characters of what a student is told about one test
MAX_STORED = 4 * 2**20  # characters of what all cells of a notebook show
PATIENCE_LOST = 5  # times less time than the first has each further check of a task of which one was stopped
SPARE_PROCESSES = 4  # kept for crashes, when tests that have passed are run once more
OUR_SECONDS = 10  # that a test may itself compute, beyond what student code may
COURSES_OUTPUT = "(From the course's own run: no check needs this cell, so it was not run for you.)\n"
NO_LIMIT = 3600  # seconds that a cell has where nbgrader would wait for ever
NOTEBOOK_SECONDS, CELLS = 180, 9  # that a whole notebook has at least, and how many times those of a cell


Watchers = Mapping[str, Callable[[StudentSide], None]]  # by the grade id of a test


class CellTimeUp(BaseException):
    """A test cell took too long on our side."""


class Namespace(dict[str, Any]):
    """The names a test cell sees: its own, the judge's given ones, Python's, and last the student's."""

    def __init__(self, given: dict[str, Any], side: StudentSide, needs: Needs | None = None, plan: Plan | None = None):
        super().__init__({"__name__": "__main__" if needs else "__test__"})
        self._given, self._side, self._needs = given, side, needs or Needs()
        self._imported = plan.imported if plan and needs else {}
        self._is_foreign = needs is not None
        self.asked = False  # whether anything of the student's has come into it
        self.dirty: set[str] = set()  # names that student code reads and the test has bound since it was told
        self._gone: set[str] = set()  # names that the test has taken away
        self.opener: Callable[..., Any] = open

    def __missing__(self, name: str) -> Any:
        if name in self._gone:
            raise KeyError(name)
        if name in self._given:
            return self._given[name]
        if self._is_foreign and name in ("type", "open"):
            return Type if name == "type" else self.opener
        if hasattr(builtins, name):
            raise KeyError(name)
        self.asked = True
        if name in self._imported and (found := self._of_library(name)) is not None:
            dict.__setitem__(self, name, found)
            return found
        values = self._side.get(name)
        if not values:
            raise KeyError(name)
        if name in self._needs.classes and isinstance(values[0], ClassHandle):
            self._side.known_classes.add(values[0]._number)
        dict.__setitem__(self, name, values[0])
        return values[0]

    def _of_library(self, name: str) -> Any:
        """Our own module, function or class of a name that the answers import, if the student has imported it too.

        A name that is to stand for a module is ours whatever the student has put there.
        """
        module, attribute = self._imported[name]
        found: Any = sys.modules.get(module)
        if attribute:
            found = getattr(found, attribute, None)
        is_same = found is not None and self._side.ask("stands_for", name=name, module=module, attribute=attribute)
        return found if is_same is True or (is_same is False and not attribute) else None

    def __setitem__(self, name: str, value: Any) -> None:
        dict.__setitem__(self, name, value)
        if self._is_foreign:
            self._gone.discard(name)
            if name in self._needs.shared:
                self.dirty.add(name)

    def __delitem__(self, name: str) -> None:
        if not dict.__contains__(self, name):
            self[name]  # whether there is one to take away
        dict.pop(self, name, None)
        self._gone.add(name)
        if name in self._needs.shared:
            self.dirty.add(name)

    def __contains__(self, name: object) -> bool:
        if dict.__contains__(self, name):
            return True
        if not self._is_foreign or not isinstance(name, str) or name in self._gone:
            return False
        return name in self._given or bool(self._side.get(name))

    def get(self, name: str, default: Any = None) -> Any:
        with contextlib.suppress(KeyError):
            return self[name]
        return default

    def keys_here(self) -> set[str]:
        """The test's own names."""
        return set(dict.keys(self))

    def keys(self) -> Any:
        if not self._is_foreign:
            return dict.keys(self)
        theirs = self._side.ask("names")
        names = [name for name in theirs if isinstance(name, str)] if isinstance(theirs, list) else []
        return dict.fromkeys(name for name in [*dict.keys(self), *self._given, *names] if name not in self._gone).keys()


class Judge(NbGraderPreprocessor):  # type: ignore[misc]
    """Takes the place of nbgrader's Execute: student cells run in the sandbox, test cells on our side of the wall."""

    memory = Integer(warm.MEMORY, help="Bytes of memory for all processes of a notebook.").tag(config=True)
    timeout = Integer(20, help="Seconds that one cell may compute or sleep.").tag(config=True)
    notebook_timeout = Integer(NOTEBOOK_SECONDS, help="Seconds that all cells of a notebook may compute or sleep.").tag(
        config=True
    )
    max_processes = Integer(12, help="How many fresh Python processes one notebook may use up.").tag(config=True)
    hash_seed = Integer(warm.HASH_SEED, help="Decides on the order of texts in students' sets, as PYTHONHASHSEED.").tag(
        config=True
    )
    draw_given = Bool(False, help="Draw the figures of given cells too, which often takes longer than all else.").tag(
        config=True
    )
    run_shown = Bool(False, help="Run given cells too that no verdict depends on; most of the time goes there.").tag(
        config=True
    )
    visible_folders = List(Unicode(), help="Folders that student code may read besides its Python.").tag(config=True)
    environment = Dict(Unicode(), help="Variables of the course's own, for both sides.").tag(config=True)
    files = Unicode(help="Folder of what cells find where they run; an adopted course's is found out.").tag(config=True)
    unsafe = Bool(False, help="Grade where no sandbox can be had: students' code then runs as you.").tag(config=True)
    is_trying = False  # whether a reference is tried: then a given cell that fails costs only the tests that need it

    trials = 0  # notebooks that this judge has had
    remarks: list[str]  # on the last one, for the instructor

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.remarks = []
        if "timeout" not in {**settings, **self.config.Judge}:
            self._keep_nbgraders_limit()

    def _keep_nbgraders_limit(self) -> None:
        """Give a cell as many seconds as nbgrader would, if its configuration or command line says so."""
        limits = [self.config[section].timeout for section in EXECUTES if "timeout" in self.config.get(section, {})]
        if limits:
            seconds = 0 if str(limits[0]) == "None" else int(limits[0])  # a text, if it comes from the command line
            self.timeout = seconds if seconds > 0 else NO_LIMIT
            if "notebook_timeout" not in self.config.Judge:
                self.notebook_timeout = max(NOTEBOOK_SECONDS, CELLS * self.timeout)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """nbgrader's way in. Test cells of the notebook itself are not looked at: the reference has them."""
        from autograder.wall.ways import tried_reference  # which is judged by this class

        require_sandbox(self.unsafe)
        course = course_of(self.config)
        names = resources["nbgrader"]
        chapter = course.part(names["assignment"], names["notebook"])
        self.files = folder_for(course, chapter)
        notebook, reference = Notebook.of(nb), tried_reference(course, chapter)
        verdicts = self.judge(notebook, reference, seed_of(key_of(course, chapter), notebook))
        # How long a test took would make another file of the same submission each time.
        record(nb, [*repairs_of(nb), *self.remarks], [replace(verdict, seconds=0.0) for verdict in verdicts])
        return nb, resources

    def judge(
        self,
        notebook: Notebook,
        reference: Notebook,
        seed: str,
        watchers: Watchers | None = None,
        tasks: Collection[str] | None = None,
    ) -> list[Verdict]:
        """Run a rebuilt notebook in place and return the verdicts of the reference's test cells, in order.

        With names of `tasks` only their verdicts are returned. All that is drawn meanwhile follows from `seed`, see
        `seeds.seed_of`. Before a test, its watcher is told.
        """
        only = None if reference.is_adopted else tasks  # there one test may use what another has defined
        verdicts = _Trial(self, notebook, reference, seed, watchers or {}, only).run()
        verdicts += judge_beside(self, notebook, reference, seed, only)
        order = [cell.name for cell in reference.tests if tasks is None or cell.task in tasks]
        found = [verdict for verdict in verdicts if verdict.grade_id in order]
        return sorted(found, key=lambda verdict: order.index(verdict.grade_id))


class _Trial:
    """One notebook before the judge."""

    def __init__(
        self,
        settings: Judge,
        notebook: Notebook,
        reference: Notebook,
        seed: str,
        watchers: Watchers,
        tasks: Collection[str] | None,
    ):
        self.settings = settings
        self.notebook = notebook
        self.reference = reference
        self.seed = seed
        self.watchers = watchers
        self.judges = for_judge(reference)
        self.plan = plan(self.judges)
        self.needs = needs_of(self.judges)
        wanted = [cell for cell in reference.tests if tasks is None or cell.task in tasks]
        self.tests = {cell.name: cell for cell in wanted if cell.way == Way.WALL}
        self.others = {cell.name for cell in reference.tests} - self.tests.keys()  # beside, or of other tasks
        self.sources = {cell.name: cell.source for cell in self.judges.tests}
        self.from_tests = from_earlier_tests(reference) if reference.is_adopted else {}
        # What tests have defined, whether with something of theirs, and which test that was.
        self.earlier: dict[str, tuple[Any, bool, str]] = {}
        self.lost: dict[str, str] = {}  # of which the process has ended: the tests that define such names
        self.may_change = {cell.task for cell in reference.tasks if cell.may_change}
        self.changers: set[str] = set()  # tasks and functions that were found to change arguments
        self.own_cells = {reference.cells[position].source for position in self.plan.own}
        settings.trials += 1
        settings.remarks = []
        self.is_fresh = settings.trials == 1
        runs_all = settings.run_shown or reference.is_adopted  # there cells may have effects that nobody has thought of
        self.left_out = frozenset() if runs_all else frozenset(only_shown(notebook, reference))
        self.shown_before = {
            cell.source: cell.node.get("outputs", []) for cell in reference.cells if not cell.is_answer
        }
        self.our_texts = {cell.source for cell in reference.cells if cell.cell_type == "markdown"}
        kind = warm.kind_of(reference, {name: getattr(settings, name) for name in warm.SETTINGS})
        self.side = StudentSide(kind)
        self.processes = 0
        self.fatal: set[int] = set()  # positions of student cells after which the process could not be used any more
        self.crashed: set[int | str] = set()  # cells and tests in which the process has ended once
        self.alive = False
        self.out_of_time: set[str] = set()  # tasks of which a test was stopped for its time
        self.given: dict[str, Any] = {"__name__": "__given__"}
        self.given_run: list[int] = []
        self.task_errors: dict[str, str] = {}
        self.ends_in: dict[str, Any] = {}  # what tests of adopted courses show, by their names
        self.room = MAX_STORED

    def run(self) -> list[Verdict]:
        # Given cells run on our side too, and must come to the same.
        with _environment({**warm.GRADING, **self.settings.environment}), at_place(self.settings.files):
            return self._run()

    def _run(self) -> list[Verdict]:
        verdicts: dict[str, Verdict] = {}
        warm.start_early(self.side.kind)
        warm.import_here(self.side.kind)
        try:
            for position, cell in enumerate(self.notebook.cells):
                if cell.cell_type == "markdown" and cell.source not in self.our_texts:
                    cell.node.source = clean_markdown(cell.source)
                if not cell.is_code:
                    continue
                cell.node.outputs, cell.node.execution_count = [], None
                if cell.name in self.others:
                    continue
                if cell.name in self.tests:
                    if cell.name not in verdicts:
                        verdicts[cell.name] = self._test(cell, position)
                elif position in self.left_out:
                    cell.node.outputs = self._course_outputs(cell)
                elif cell.source.strip():
                    self._student_cell(cell, position)
        finally:
            self.side.stop()
        return [
            verdicts.get(name) or self._verdict(name, Outcome.MISSING, "This check was not reached.")
            for name in self.tests
        ]

    def _course_outputs(self, cell: NotebookCell) -> list[NotebookNode]:
        """What a given cell shows that is not run, with a line that says whose it is."""
        outputs = self.shown_before.get(cell.source)
        return [new_output("stream", name="stdout", text=COURSES_OUTPUT), *copy.deepcopy(outputs)] if outputs else []

    def _student_cell(self, cell: NotebookCell, position: int) -> None:
        result = None
        while result is None:
            if not self._process_that_ran_all_before(position):
                text = "Not run: cells above used up the time of the whole notebook."
                cell.node.outputs = [_error(Outcome.NOT_RUN, text)]
                return
            result = self._run_there(cell.source, position, self.settings.draw_given or not cell.is_locked)
        outputs, problem = result
        outputs = clean_outputs(outputs, self.room)
        self.room -= sum(len(str(output)) for output in outputs)
        cell.node.outputs = [*outputs, problem] if problem is not None else outputs
        errors = [output for output in cell.node.outputs if output.output_type == "error"]
        is_given = cell.is_locked and not self.reference.is_adopted  # there a given cell may well be meant to fail
        if errors and is_given and cell.source in self.own_cells:
            self._report_given(cell, position, f"{errors[0].ename}: {errors[0].evalue}")
        if errors:
            self.task_errors[cell.name] = _first_line(f"{errors[0].ename}: {errors[0].evalue}")

    def _run_there(self, source: str, position: int, pictures: bool) -> tuple[list[Any], NotebookNode | None] | None:
        """Run a cell on the student's side. If that ends the process, the cell is remembered as fatal.

        None if it should be tried again, since the process has ended in it for the first time.
        """
        try:
            outputs, error = self.side.run_cell(source, self._seconds(), pictures)
        except StudentGone as gone:
            if self._may_be_the_machines_fault(gone, position):
                return None
            self.fatal.add(position)
            return [], _error(gone.reason, str(gone))
        except TimeUp:  # before or after the cell itself, while IPython took it apart, say
            return [], _error(Outcome.TIMED_OUT, f"This cell was stopped after {self.settings.timeout} seconds.")
        except Exception as problem:  # whatever else their side makes of a request
            return [], _error(Outcome.FAILED, _first_line(str(problem)))
        if error and error["kind"] == "TimeUp":
            kept = [output for output in outputs if isinstance(output, dict) and output.get("output_type") != "error"]
            return kept, _error(Outcome.TIMED_OUT, f"This cell was stopped after {self.settings.timeout} seconds.")
        return outputs, None

    def _may_be_the_machines_fault(self, gone: StudentGone, where: int | str) -> bool:
        """Note that the process has ended, and say whether something else may have ended it: it did so once only."""
        self.alive = False
        is_first = gone.reason == Outcome.CRASHED and where not in self.crashed
        self.crashed.add(where)
        return is_first

    def _process_that_ran_all_before(self, position: int) -> bool:
        """Make sure of a process in which the cells before `position` have run. False if the budget is used up."""
        while not self.alive:
            if self.processes >= self.settings.max_processes or self._left() <= 0:
                return False
            self.processes += 1
            self.side.start()
            self.alive = True
            self.lost |= {name: grade_id for name, (_, is_theirs, grade_id) in self.earlier.items() if is_theirs}
            self.earlier = {name: kept for name, kept in self.earlier.items() if name not in self.lost}
            with contextlib.suppress(StudentGone):  # what is asked next meets it again, where it is dealt with
                if self.settings.files:
                    self.side.run_cell(setup_for(self.settings.files), self._seconds(), pictures=False)
                self.side.follow(derived(self.seed, "start"))
            for earlier, cell in enumerate(self.notebook.cells[:position]):
                if not cell.is_code or cell.name in self.tests or cell.name in self.others:
                    continue
                if earlier in self.fatal or earlier in self.left_out:
                    continue
                self._run_there(cell.source, earlier, pictures=False)
                if not self.alive:
                    break
        return self._left() > 0

    def _test(self, cell: NotebookCell, position: int) -> Verdict:
        """Run one test cell here. Its verdict also becomes the cell's output, which is what nbgrader reads."""
        result, grade_id = None, cell.name
        while result is None and self._process_that_ran_all_before(position):
            start = time.monotonic()
            result = self._execute_test(grade_id)
            if result is not None and result[1] == Outcome.PASSED and self._may_have_missed_a_change(grade_id):
                result = self._again_with_changes(grade_id, position)
        if result is None:
            verdict = self._verdict(
                grade_id, Outcome.NOT_RUN, "Not run: cells above used up the time of the whole notebook."
            )
        else:
            printed, outcome, message = result
            change = "" if self.reference.is_adopted else self._first_change(self.tests[grade_id].task)
            if change and outcome == Outcome.PASSED:
                printed, outcome, message = "", Outcome.FAILED, change
            if printed:
                cell.node.outputs.append(new_output("stream", name="stdout", text=printed))
            verdict = self._verdict(grade_id, outcome, message, time.monotonic() - start)
            if verdict.points < verdict.most_points and outcome == Outcome.PASSED:
                cell.node.outputs.append(new_output("execute_result", data={"text/plain": f"{verdict.points!r}"}))
            if outcome == Outcome.TIMED_OUT:
                self.out_of_time.add(verdict.task)
        cell.node.source = self.tests[grade_id].source
        if verdict.outcome != Outcome.PASSED:
            cell.node.outputs.append(_error(verdict.outcome, verdict.message))
        return verdict

    def _may_have_missed_a_change(self, grade_id: str) -> bool:
        """Whether a call has changed an argument, of which a test of somebody else's course was not told."""
        return is_foreign(self.tests[grade_id]) and bool(self.side.changes) and not self.side.shares

    def _again_with_changes(self, grade_id: str, position: int) -> tuple[str, Outcome, str] | None:
        """Run a test that has passed once more, in a fresh process, with all changes of arguments, as in one process.

        It counts only if it passes both ways: whoever empties a list must not get its sum right by that.
        """
        if self.processes + SPARE_PROCESSES > self.settings.max_processes:
            return "", Outcome.PASSED, ""
        self.side.stop()
        self.alive = False
        if not self._process_that_ran_all_before(position):
            return None
        return self._execute_test(grade_id, shares=True)

    def _execute_test(self, grade_id: str, shares: bool = False) -> tuple[str, Outcome, str] | None:
        """What the test printed, its outcome and message; None if it should be tried again."""
        try:
            self._run_given(grade_id)
        except CourseFault as fault:
            if not self.settings.is_trying:
                raise
            return "", Outcome.FAILED, str(fault)
        printed = io.StringIO()
        for name in self.from_tests.get(grade_id, ()):
            if name in self.lost:
                self._execute_test(self.lost.pop(name))
        code = compile(self.sources[grade_id], f"<{grade_id}>", "exec")
        earlier = {name: self.earlier[name][0] for name in self.from_tests.get(grade_id, ()) if name in self.earlier}
        needs = self.needs.get(grade_id)
        names = Namespace({**self.given, **earlier} if earlier else self.given, self.side, needs, self.plan)
        self.side.is_one_process = needs is not None
        self.side.shares = shares or (needs is not None and needs.changes)
        stage = Stage(self.side, needs, names, printed).set_up() if needs else contextlib.nullcontext()
        task = self.tests[grade_id].task
        seconds = self._seconds()
        if task in self.out_of_time:  # an endless loop ends in no check, and a class has many of them
            seconds = min(seconds, self.settings.timeout / PATIENCE_LOST)
        self.side.allow(seconds)
        self.side.changes.clear()
        try:
            with (
                _our_side_limited(seconds + OUR_SECONDS),
                contextlib.redirect_stdout(printed),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")
                # Each side from a seed of its own, so that neither other tests nor the student have a say in ours.
                self.side.follow(derived(self.seed, "student", grade_id))
                if grade_id in self.watchers:
                    self.watchers[grade_id](self.side)
                with draws.following(derived(self.seed, "test", grade_id)), stage:
                    exec(code, names)
        except StudentGone as gone:
            return None if self._may_be_the_machines_fault(gone, grade_id) else ("", gone.reason, str(gone))
        except (TimeUp, CellTimeUp) as stopped:
            if isinstance(stopped, CellTimeUp) and (not names.asked or _is_importing(stopped)):
                raise OurFault(
                    f"The check {grade_id} was interrupted in code of ours: run the command again."
                ) from None
            return (
                "",
                Outcome.TIMED_OUT,
                f"This check was stopped after {seconds:.3g} seconds: is there an endless loop?",
            )
        except wire.WireError as error:
            return "", Outcome.FAILED, f"The answer cannot be read: {error}."
        except MemoryError:
            return "", Outcome.OUT_OF_MEMORY, "Your code asked for more memory than there is."
        except AssertionError as error:
            return "", Outcome.FAILED, self._message_of(error) or "The check failed."
        except NameError as error:
            if task in self.task_errors:
                return "", Outcome.FAILED, f"Your cell for {task} does not run. {self.task_errors[task]}"
            return "", Outcome.FAILED, f"NameError: {error}"
        except (Exception, SystemExit) as error:
            text = getattr(error, "student_text", None)
            return "", Outcome.FAILED, _first_line(text or f"{type(error).__name__}: {self._message_of(error)}")
        finally:
            self._keep_what_it_defined(grade_id, names)
        return storable(printed.getvalue()[:MAX_PRINTED]), Outcome.PASSED, ""

    def _keep_what_it_defined(self, grade_id: str, names: Namespace) -> None:
        """For later tests of an adopted course, and what the test ended in for its points."""
        if self.reference.is_adopted:
            self.ends_in[grade_id] = names.pop(POINTS, None)
            read = names_of(self.sources[grade_id])
            for name in read.binds & names.keys_here() if read else ():
                self.earlier[name] = names[name], names.asked, grade_id
                self.lost.pop(name, None)

    def _first_change(self, task: str) -> str:
        """What is said about an argument that the student's code has changed in this test, if anything.

        One bug costs one check: where it is seen again, in this task or another one that calls the same function, the
        later checks still say what else they look for. A check that fails by itself has cost a point already.
        """
        said = ""
        if any(is_foreign(test) for test in self.tests.values() if test.task == task):
            return said
        for change in self.side.changes:
            owner = change.function.partition(".")[0]
            if not {task, owner} & (self.changers | self.may_change):
                said = said or str(change)
            self.changers |= {task, owner} - {""}
        return said

    def _message_of(self, error: BaseException) -> str:
        """What a failed test says. Its message may be an object of the student's, which is asked for its text."""
        try:
            return " ".join(str(error)[:MAX_MESSAGE].split())
        except StudentGone as gone:
            self.alive = False
            return str(gone)
        except Exception as problem:
            return f"The check failed, and its message cannot be shown ({type(problem).__name__})."

    def _run_given(self, grade_id: str) -> None:
        """Run the judge's own copies of the given cells that this test needs and that have not run yet.

        Nothing of the student's is in them, and no clock runs. Raises CourseFault if one fails, and OurFault if
        that may come from what this process did before.
        """
        for position in self.plan.given[grade_id]:
            if position in self.given_run:
                continue
            self.given_run.append(position)
            cell = self.judges.cells[position]
            try:
                with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    with draws.following(derived(self.seed, "given", str(position))):
                        exec(compile(cell.source, "<given>", "exec"), self.given)
            except Exception as error:
                kind = CourseFault if self.is_fresh and not isinstance(error, MemoryError) else OurFault
                raise kind(_fault_of_given(cell, "beside the tests", error)) from error
            for name, value in list(self.given.items()):
                if getattr(value, scenarios.MARK, False) is True and callable(value):
                    self.given[name] = _Beside(self.side, value.__module__, value.__qualname__)

    def _report_given(self, cell: NotebookCell, position: int, error: str) -> None:
        """A given cell failed on the student's side, although it uses nothing of theirs.

        Raises CourseFault if none of their code has run before it (OurFault if this process did something before);
        else their code may have a part in it.
        """
        text = _fault_of_given(cell, "where students' code runs", error)
        earlier = self.notebook.cells[:position]
        if not any(other.is_code and other.source.strip() and not other.is_locked for other in earlier):
            raise CourseFault(text) if self.is_fresh else OurFault(text)
        if text not in self.settings.remarks:
            self.settings.remarks.append(text)

    def _verdict(self, grade_id: str, outcome: Outcome, message: str, seconds: float = 0.0) -> Verdict:
        test = self.tests[grade_id]
        points = points_of(self.ends_in.get(grade_id), test.points) if outcome == Outcome.PASSED else 0.0
        shown, took = storable(message), round(seconds, 3)
        return Verdict(grade_id, test.task, test.aspect, points, test.points, outcome, shown, took, self.seed)

    def _seconds(self) -> float:
        return max(0.5, min(self.settings.timeout, self._left()))

    def _left(self) -> float:
        """Seconds that student code of this notebook still has."""
        return self.settings.notebook_timeout - self.side.used


class _Beside:
    """A library function that tests call and that must run where the student's objects are."""

    def __init__(self, side: StudentSide, module: str, name: str):
        self.side, self.module, self.name = side, module, name
        self.__module__, self.__qualname__ = module, name  # by which it is found where a scenario uses it

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # On their side ours would be a callback, which no gradient passes. Theirs cannot say that it is ours.
        if args and not issubclass(type(args[0]), Handle) and is_ours(args[0]):
            return getattr(importlib.import_module(self.module), self.name)(*args, **kwargs)
        return self.side.ask("call_library", module=self.module, name=self.name, args=list(args), kwargs=kwargs)


@contextlib.contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set these variables of this process, and put back what they were."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _our_side_limited(seconds: float) -> Iterator[None]:
    """Interrupt a test that itself computes for so many seconds on our side, where signals can (in the main thread)."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise CellTimeUp

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _is_importing(stopped: BaseException) -> bool:
    """Whether an import was interrupted, which leaves half a module behind."""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(stopped.__traceback__)]
    # The top of a module that is not the test itself, whose file is no file; Python leaves out most of its own frames.
    return any(
        code.co_filename.startswith("<frozen importlib")
        or (code.co_name == "<module>" and not code.co_filename.startswith("<"))
        for code in codes
    )


def _fault_of_given(cell: NotebookCell, where: str, error: BaseException | str) -> str:
    """One line about a given cell that fails."""
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    first_line = cell.source.strip().split("\n", 1)[0][:60]
    return f"A given cell of the course fails {where}: {_first_line(text)} (the cell that begins with `{first_line}`)"


def _error(name: str, message: str) -> NotebookNode:
    notebook: NotebookNode = new_output("error", ename=name, evalue=message, traceback=[message])
    return notebook


def _first_line(text: str) -> str:
    return " ".join(text.split())[:500]
