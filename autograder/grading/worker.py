"""A long-lived process that grades one submission after another, and our end of it.

A standard process pool ends as a whole when one of its processes dies, and leaves the others behind when its owner is
killed. Here each process has a pipe of its own: whose submission was lost is known, and a worker whose owner is gone
reads the end of its pipe and ends.
"""

import contextlib
import os
import pickle
import queue
import resource
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import psutil

MAX_CPU_SECONDS = 600  # that our side may spend on one submission
MAX_MEMORY = 16 * 2**30  # bytes of address space of a worker
MAX_SUBMISSIONS = 250  # after which a process is replaced, so that what leaks stays bounded
SECONDS_TO_END = 5
INTERRUPTED = 75  # what a worker ends with that could not do its part


class WorkerDied(Exception):
    """The process ended before it had an answer; `code` is what it ended with, negative for a signal.

    `traceback` is the one of what was interrupted in it, if it could still say so.
    """

    def __init__(self, code: int, traceback: str = ""):
        super().__init__(code, traceback)
        self.code, self.traceback = code, traceback

    @property
    def by_its_own_fault(self) -> bool:
        """Whether the submission used up the time of our side, which it would do again."""
        return self.code == -signal.SIGXCPU


class SubmissionFailed(Exception):
    """Grading raised an error that is no verdict; its text is one line, and `traceback` has all of them."""

    def __init__(self, line: str, traceback: str = ""):
        super().__init__(line, traceback)
        self.line, self.traceback = line, traceback

    def __str__(self) -> str:
        return self.line


class Worker:
    """One such process, on one core if `core` names one. It is used by one thread at a time."""

    def __init__(self, core: int | None = None) -> None:
        self.submissions = 0
        self.core = core
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "autograder.grading.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd="/",
            env=os.environ | {"PYTHONHASHSEED": "0"},  # the order of texts in a set is a draw too
            start_new_session=True,  # Ctrl-C is for the coordinator, which then ends the workers
        )
        if core is not None:
            os.sched_setaffinity(self.process.pid, {core})  # what it starts stays there too

    @property
    def is_usable(self) -> bool:
        return self.process.poll() is None and self.submissions < MAX_SUBMISSIONS

    def grade(self, work: Any) -> Any:
        """The outcome of a unit of work. Raises WorkerDied, SubmissionFailed or an error the user can mend."""
        assert self.process.stdin and self.process.stdout
        self.submissions += 1
        try:
            pickle.dump(work, self.process.stdin)
            self.process.stdin.flush()
            answer = pickle.load(self.process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):  # ValueError: we closed it meanwhile
            self.stop()
            raise WorkerDied(self.process.returncode) from None
        if isinstance(answer, Exception):
            self.stop()  # whatever went wrong may still be in there
            raise answer
        return answer

    def stop(self) -> None:
        """End the process and what it started."""
        self.let_go()
        try:
            self.process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def let_go(self) -> None:
        """Close the pipe, upon which the process ends by itself unless it is stuck."""
        assert self.process.stdin
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.close()


class Workers:
    """As many workers as threads ask at once.

    With `pinned` each keeps to a core, so that a submission that computes too much, with however many processes, slows
    only those that share its core; this is for the only ones on a machine.
    """

    def __init__(self, pinned: bool = False) -> None:
        self._cores = sorted(os.sched_getaffinity(0)) if pinned and hasattr(os, "sched_getaffinity") else []
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._closed = False

    def grade(self, work: Any) -> Any:
        """The outcome of a unit of work, computed in a process that nobody else uses meanwhile."""
        with self._borrowed() as worker:
            return worker.grade(work)

    @contextlib.contextmanager
    def _borrowed(self) -> Iterator[Worker]:
        with self._lock:
            if self._closed:
                raise WorkerDied(0)
            worker = self._idle.pop() if self._idle else self._start()
        try:
            yield worker
        finally:
            with self._lock:
                if is_kept := worker.is_usable and not self._closed:
                    self._idle.append(worker)
                else:
                    self._all.discard(worker)
            if not is_kept:
                worker.stop()

    def _start(self) -> Worker:
        users = Counter(worker.core for worker in self._all)
        worker = Worker(min(self._cores, key=lambda core: users[core], default=None))
        self._all.add(worker)
        return worker

    def close(self) -> None:
        """End all processes; those that are at work lose it."""
        with self._lock:
            self._closed = True
            workers = list(self._all)
        for worker in workers:
            worker.let_go()
        for worker in workers:
            worker.stop()


_workers_of_this_process = Workers()


def grade_beside(work: Any) -> Any:
    """Grade in a process beside this one: for the workers of a cluster, which must survive what they grade."""
    return _workers_of_this_process.grade(work)


def main() -> None:
    """What runs in the worker's process."""
    from autograder.course import CourseError
    from autograder.grading.work import grade_submission
    from autograder.logs import text_of
    from autograder.wall.faults import OurFault

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing that is printed may get between the answers
    inbox = _Inbox()
    threading.Thread(target=inbox.fill, daemon=True).start()
    while (work := inbox.tasks.get()) is not None:
        _limit_this_process()
        answer: Any
        try:
            answer = grade_submission(work)
        except OurFault as error:
            answer = WorkerDied(INTERRUPTED, text_of(error))
        except CourseError as error:
            answer = error
        except Exception as error:
            answer = SubmissionFailed(_one_line(error), text_of(error))
        inbox.unanswered -= 1
        pickle.dump(answer, answers)
        answers.flush()
        if isinstance(answer, WorkerDied):
            os._exit(INTERRUPTED)  # what is half done may still be in here; in a fresh process it is tried again


class _Inbox:
    """What the owner sends, read beside the work so that the end of the pipe is noticed at once."""

    def __init__(self) -> None:
        self.tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()  # None: there will be no more
        self.unanswered = 0

    def fill(self) -> None:
        """Hand on what comes; when the owner is gone, end, with everything that was started here."""
        try:
            while True:
                work = pickle.load(sys.stdin.buffer)
                self.unanswered += 1
                self.tasks.put(work)
        except (EOFError, OSError, pickle.UnpicklingError):  # also in the middle of a unit of work
            self.tasks.put(None)
            if self.unanswered:
                children = psutil.Process().children(recursive=True)
                for child in children:
                    with contextlib.suppress(psutil.Error):
                        child.kill()
                psutil.wait_procs(children, timeout=1)
                os._exit(0)


def _limit_this_process() -> None:
    """Bound what one submission can make a test compute on our side: `10 ** theirs` stops for no other signal."""
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _, most_seconds = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used) + MAX_CPU_SECONDS, most_seconds))
    _, most_memory = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, most_memory))


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


if __name__ == "__main__":
    from autograder.grading import worker  # what is raised in this copy called __main__ the owner could not read

    worker.main()
