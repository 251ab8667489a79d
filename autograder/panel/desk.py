"""What is known of the notebooks that a Jupyter server shows, and the worker process that checks them."""

import asyncio
import contextlib
import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LONGEST_ANSWER = 64 * 2**20  # bytes of one line of the worker
NO_WORKER = "The process that checks notebooks ended, twice. Try again; `autograder doctor` may say why it ends."
STOPPED = "Stopped. Nothing of this check was kept."


class Refused(Exception):
    """Something that the learner can act on; its text is one line."""


@dataclass
class State:
    """What the panel shows of one notebook."""

    hidden: bool | None = None  # whether hidden tests can be run; None as long as that is not known
    problem: str = ""
    running: bool = False
    began: float = 0.0  # monotonic seconds
    checks: list[dict[str, Any]] | None = None  # as `Progress.as_fields` has them; None before the first check
    not_begun: list[str] = field(default_factory=list)  # tasks that were as they are handed out

    def as_fields(self) -> dict[str, Any]:
        """All of it for JSON."""
        seconds = time.monotonic() - self.began if self.running else 0.0
        return {**{name: value for name, value in vars(self).items() if name != "began"}, "seconds": seconds}


class Desk:
    """One for each server. The worker starts when a notebook is first asked about, and again when it has died."""

    def __init__(self, root: Path):
        self.root = root.resolve()
        self.command = [sys.executable, "-m", "autograder.panel.worker", str(self.root)]
        self.states: dict[Path, State] = {}
        self._worker: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._checks: dict[Path, asyncio.Task[None]] = {}  # the last one of each notebook

    def notebook(self, path: str) -> Path:
        """The file that a path of the contents API names. Raises Refused unless it is a notebook below the root."""
        try:
            file = (self.root / path.lstrip("/")).resolve()
            found = file.is_relative_to(self.root) and file.suffix == ".ipynb" and file.is_file()
        except (OSError, ValueError):
            found = False
        if not found:
            raise Refused(f"There is no notebook {path[:200]!r} here.")
        return file

    async def state(self, notebook: Path) -> State:
        """What is known of a notebook; the first time the worker is asked to get ready for it."""
        if notebook not in self.states:
            try:
                answer = await self._ask("ready", notebook)
            except Refused as problem:
                return State(problem=str(problem))
            self.states.setdefault(notebook, State(bool(answer["hidden"])))
        return self.states[notebook]

    async def start_check(self, notebook: Path, task: str) -> State:
        """Begin to check a notebook, or a task of it, unless one is running; `State.running` says when it is done."""
        state = await self.state(notebook)
        if not state.running and state.hidden is not None:
            state.running, state.began, state.problem = True, time.monotonic(), ""
            self._checks[notebook] = asyncio.create_task(self._check(notebook, state, task))
        return state

    async def stop_check(self, notebook: Path) -> State:
        """End the check of a notebook, if one is running."""
        state = self.states.get(notebook, State())
        if state.running:
            self._checks[notebook].cancel()
            state.running, state.problem = False, STOPPED
        return state

    async def reveal(self, notebook: Path, task: str) -> str | None:
        """The course's answer, or None the first time it is asked for. Raises Refused."""
        answer: str | None = (await self._ask("reveal", notebook, task))["answer"]
        return answer

    async def _check(self, notebook: Path, state: State, task: str) -> None:
        try:
            answer = await self._ask("check", notebook, task)
            others = [check for check in state.checks or [] if task and check["task"] != task]
            state.checks, state.not_begun = [*others, *answer["checks"]], answer["not_begun"]
        except Refused as problem:
            state.problem = str(problem)
        except asyncio.CancelledError:
            state.problem = STOPPED
        finally:
            state.running = False
        if state.problem:  # a worker that has ended starts at once, not at the next click
            with contextlib.suppress(Refused):
                await self._ask("ready", notebook)

    async def _ask(self, what: str, notebook: Path, task: str = "") -> dict[str, Any]:
        """One question to the worker, which answers one after the other. Raises Refused with its complaint.

        If the worker dies, it is asked once more: it may have died before, of something else.
        """
        line = json.dumps({"what": what, "notebook": str(notebook), "task": task}).encode() + b"\n"
        async with self._turn:
            answer = await self._exchange(line) or await self._exchange(line)
        if answer is None:
            raise Refused(NO_WORKER)
        if "problem" in answer:
            raise Refused(answer["problem"])
        return answer

    async def _exchange(self, line: bytes) -> dict[str, Any] | None:
        """The worker's answer to a line; None, and no worker, if it has died."""
        worker = await self._running()
        assert worker.stdin and worker.stdout
        try:
            worker.stdin.write(line)
            await worker.stdin.drain()
            answer: dict[str, Any] | None = json.loads(await worker.stdout.readline() or b"null")
        except (OSError, ValueError):
            answer = None
        except asyncio.CancelledError:
            self._end()  # what it does now would be taken for the answer to the next question
            raise
        if answer is None:
            self._end()
        return answer

    async def _running(self) -> asyncio.subprocess.Process:
        if self._worker is None or self._worker.returncode is not None:
            self._worker = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST_ANSWER,
            )
        return self._worker

    def _end(self) -> None:
        if self._worker is not None:
            with contextlib.suppress(ProcessLookupError):
                self._worker.kill()
        self._worker = None
