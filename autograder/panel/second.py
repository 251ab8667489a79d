"""A second process beside the panel's worker: of a whole notebook it runs half of the tasks, on another core.

A task is judged alone as it is among all, so nothing but the time is different. It is started once the worker has done
its own imports. Where there is a single core or little memory, or when it has died, the worker runs everything itself.
`python -m autograder.panel.second FOLDER` is this process: a line of JSON in is a question, a line out its answer, and
when its input ends it ends at once, whatever it does.
"""

import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import nbformat
import psutil

from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Verdict
from autograder.course import Course
from autograder.wall import warm
from autograder.wall.trial import run_tests

LEAST_MEMORY = 3 * 2**30  # bytes that must be free before a second set of imports is loaded
CONTAINER = Path("/sys/fs/cgroup")  # where Linux shows a container its own limit


class Second:
    """The worker's side of it."""

    def __init__(self, folder: Path):
        self.command = [sys.executable, "-m", "autograder.panel.second", str(folder)]
        self.process: subprocess.Popen[str] | None = None
        self.chapter = ""  # that it has got ready for, or is about to
        self.is_ready = False
        self.seconds: dict[str, float] = {}  # that each task of the chapter took when it was last checked

    def prepare(self, chapter: str) -> None:
        """Have it import what this chapter needs; nobody waits for that."""
        is_alive = self.process is not None and self.process.poll() is None
        if chapter == self.chapter and is_alive:
            return
        self.close()
        if (os.cpu_count() or 1) > 1 and _free_memory() > LEAST_MEMORY:
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            self.process = subprocess.Popen(self.command, encoding="utf-8", **pipes)
            self.chapter = chapter
            self._ask({"chapter": chapter})

    def run(
        self, course: Course, chapter: str, notebook: Notebook, key: str, tasks: Collection[str] | None
    ) -> list[Verdict]:
        """What `run_tests` returns, sooner if all tasks are asked for and the second process is ready."""
        reference = read_reference(course, chapter)
        names = list(dict.fromkeys(test.task for test in reference.tests))
        halves = shared_out(names, self.seconds)
        if tasks is not None or reference.is_adopted or not halves[1] or not self.serves(chapter):
            return self._noted(run_tests(course, chapter, notebook, key, tasks))
        ours, theirs = halves
        self._ask({"chapter": chapter, "notebook": nbformat.writes(notebook.node), "key": key, "tasks": theirs})
        try:
            verdicts = run_tests(course, chapter, notebook, key, ours)
        except BaseException:
            self.close()  # its answer must not be taken for that to a later question
            raise
        answer = self._answer()
        if answer is None:
            self.close()
            verdicts += run_tests(course, chapter, notebook, key, theirs)
        else:
            verdicts += [Verdict.from_dict(fields) for fields in answer]
        order = [test.name for test in reference.tests]
        return self._noted(sorted(verdicts, key=lambda verdict: order.index(verdict.grade_id)))

    def close(self) -> None:
        """End it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process, self.chapter, self.is_ready, self.seconds = None, "", False, {}

    def serves(self, chapter: str) -> bool:
        """Whether it can be asked about a chapter now."""
        if self.process is None or self.process.stdout is None or chapter != self.chapter:
            return False
        if not self.is_ready and select.select([self.process.stdout], [], [], 0)[0]:
            self.is_ready = self._answer() is not None
        return self.is_ready and self.process.poll() is None

    def _noted(self, verdicts: list[Verdict]) -> list[Verdict]:
        """The same verdicts, once it is known how long each task took."""
        took: dict[str, float] = {}
        for verdict in verdicts:
            took[verdict.task] = took.get(verdict.task, 0.0) + verdict.seconds
        self.seconds |= took
        return verdicts

    def _ask(self, question: dict[str, Any]) -> None:
        assert self.process is not None and self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it has died: then it gives no answer

    def _answer(self) -> list[dict[str, Any]] | None:
        """The fields of its verdicts; None if it has died, or has met a fault that is not the learner's."""
        assert self.process is not None and self.process.stdout is not None
        answer: list[dict[str, Any]] | None = json.loads(self.process.stdout.readline() or "null")
        return answer


def shared_out(tasks: Sequence[str], seconds: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """Two halves that should take equally long; a task of which nothing is known counts as an average one.

    The longest comes first, each to the half that has less: with nothing known at all every other task.
    """
    known = [seconds[task] for task in tasks if task in seconds]
    usual = sum(known) / len(known) if known else 1.0
    halves: tuple[list[str], list[str]] = [], []
    loads = [0.0, 0.0]
    for task in sorted(tasks, key=lambda task: -seconds.get(task, usual)):
        lighter = int(loads[1] < loads[0])
        halves[lighter].append(task)
        loads[lighter] += seconds.get(task, usual)
    return halves


def _free_memory() -> int:
    """Bytes that this machine still has, or that our container may still take if that is less."""
    free: int = psutil.virtual_memory().available
    try:
        most, taken = (int((CONTAINER / f"memory.{name}").read_text()) for name in ("max", "current"))
    except (OSError, ValueError):  # no container, or one without a limit
        return free
    return min(free, most - taken)


def main() -> None:
    """Answer questions until the input ends."""
    from autograder.panel.worker import course_of_folder

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    course = course_of_folder(Path(sys.argv[1]))
    questions: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(questions,), daemon=True).start()
    while True:
        question = json.loads(questions.get())
        answers.write(json.dumps(_verdicts(course, **question)) + "\n")
        answers.flush()


def _read(questions: "queue.SimpleQueue[str]") -> None:
    for line in sys.stdin:
        questions.put(line)
    os._exit(0)


def _verdicts(
    course: Course, chapter: str, notebook: str = "", key: str = "", tasks: Collection[str] = ()
) -> list[dict[str, Any]] | None:
    """Without a notebook: once everything is imported that the chapter needs, nothing."""
    if not notebook:
        kind = warm.kind_of(read_reference(course, chapter), course.nbgrader.Judge)
        warm.start_early(kind)
        warm.import_here(kind)
        return []
    rebuilt = Notebook.of(nbformat.reads(notebook, as_version=4))
    return [asdict(verdict) for verdict in run_tests(course, chapter, rebuilt, key, tasks)]


if __name__ == "__main__":
    main()
