"""Run a submitted notebook in the sandbox, cell by cell, so that no cell can stop the ones after it."""

import asyncio
import copy
import time
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Dict, Integer, List, Unicode

from autograder.chapter.cells import Notebook, forget_tags
from autograder.chapter.verdicts import Outcome
from autograder.wall.sandbox import SandboxKernelManager


class SandboxedExecute(NbGraderPreprocessor):  # type: ignore[misc]
    """Takes the place of nbgrader's Execute: the kernel runs in the sandbox, with a budget for the whole notebook.

    A cell that hangs or kills the kernel costs itself only: if need be a fresh kernel runs the earlier cells again and
    goes on with the next one. What the notebook says about kernels or in tags (`skip-execution`) has no effect.
    """

    timeout = Integer(20, help="Seconds that one cell may run.").tag(config=True)
    notebook_timeout = Integer(180, help="Seconds that all cells of a notebook may run together.").tag(config=True)
    max_kernels = Integer(6, help="How many kernels one notebook may use up.").tag(config=True)

    visible_folders = List(Unicode(), help="Folders that the kernel may read besides its Python.").tag(config=True)
    environment = Dict(Unicode(), help="Variables of the course's own.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        asyncio.run(_Run(nb, self).all_cells())
        for test in Notebook.of(nb).tests:
            _make_warnings_harmless(test.node)
        return nb, resources


class _Run:
    """One notebook on its way through one or more kernels."""

    def __init__(self, notebook: NotebookNode, settings: SandboxedExecute):
        self.notebook = notebook
        self.settings = settings
        self.deadline = time.monotonic() + settings.notebook_timeout
        self.kernels = 0
        self.fatal: set[int] = set()  # positions of cells after which a kernel could not be used any more
        self.client: NotebookClient | None = None

    async def all_cells(self) -> None:
        """Execute every code cell; errors, time-outs and crashes are written into the cells' outputs."""
        try:
            for position, cell in enumerate(self.notebook.cells):
                if cell.cell_type != "code":
                    continue
                cell.outputs, cell.execution_count = [], None
                forget_tags(cell)
                if not await self._kernel_that_ran_all_before(position):
                    message = "Not run: cells above used up the time or the restarts that one notebook is given."
                    _mark(cell, Outcome.NOT_RUN, message)
                elif not await self._execute(cell, position):
                    self.fatal.add(position)
                    await self._stop_kernel()
        finally:
            await self._stop_kernel()

    async def _kernel_that_ran_all_before(self, position: int) -> bool:
        """Make sure of a kernel in which the cells before `position` have run. False if the budget is used up."""
        while self.client is None:
            if self.kernels >= self.settings.max_kernels or self._seconds_left() <= 0:
                return False
            await self._start_kernel()
            for earlier, cell in enumerate(self.notebook.cells[:position]):
                if cell.cell_type != "code" or earlier in self.fatal:
                    continue
                if not await self._execute(copy.deepcopy(cell), earlier):
                    self.fatal.add(earlier)
                    await self._stop_kernel()
                    break
        return self._seconds_left() > 0

    async def _execute(self, cell: NotebookNode, position: int) -> bool:
        """Execute one cell and fill its outputs. Returns whether the kernel is still of use."""
        assert self.client is not None
        self.client.timeout = max(1, min(self.settings.timeout, round(self._seconds_left())))
        try:
            await self.client.async_execute_cell(cell, position, store_history=False)
        except CellExecutionError:
            pass
        except CellTimeoutError:
            _mark_time_out(cell, self.client.timeout)
            return False
        except (DeadKernelError, RuntimeError):
            _mark(cell, Outcome.CRASHED, "This cell ended the Python process: a crash, an exit, or out of memory.")
            return False
        return True

    async def _start_kernel(self) -> None:
        self.kernels += 1
        self.client = NotebookClient(
            copy.deepcopy(self.notebook),  # the client writes into its notebook; ours is filled cell by cell
            km=SandboxKernelManager(
                [Path(folder) for folder in self.settings.visible_folders], self.settings.environment
            ),
            allow_errors=True,
            record_timing=False,
            coalesce_streams=True,  # or what stands in the file would depend on how fast it was printed
            shutdown_kernel="immediate",
            interrupt_on_timeout=True,
            error_on_timeout={"ename": Outcome.TIMED_OUT, "evalue": "", "traceback": []},
            raise_on_iopub_timeout=True,  # an interrupt that has no effect
            on_cell_executed=self._after_cell,
        )
        await self.client.async_start_new_kernel()
        await self.client.async_start_new_kernel_client()

    async def _stop_kernel(self) -> None:
        if self.client is not None:
            await self.client._async_cleanup_kernel()
            self.client = None

    def _after_cell(self, cell: NotebookNode, cell_index: int, execute_reply: dict[str, Any]) -> None:
        assert self.client is not None
        content = execute_reply["content"]
        if content.get("ename") == Outcome.TIMED_OUT:
            _mark_time_out(cell, self.client.timeout)
        elif content["status"] == "error" and not any(output.output_type == "error" for output in cell.outputs):
            # Student code can switch off the display of errors; the reply still tells.
            _mark(cell, content["ename"], content["evalue"])

    def _seconds_left(self) -> float:
        return self.deadline - time.monotonic()


def _mark_time_out(cell: NotebookNode, seconds: int | None) -> None:
    cell.outputs = [output for output in cell.outputs if output.output_type != "error"]
    _mark(cell, Outcome.TIMED_OUT, f"This cell was stopped after {seconds} seconds.")


def _mark(cell: NotebookNode, name: str, message: str) -> None:
    cell.outputs.append(new_output("error", ename=name, evalue=message, traceback=[f"{name}: {message}"]))


def _make_warnings_harmless(cell: NotebookNode) -> None:
    """nbgrader takes any text on stderr for a failure, so a mere warning would cost a right answer its points."""
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            output.name = "stdout"
