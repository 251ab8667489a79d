"""One notebook before the judge without a gradebook, or through its tests in its own kernel, to compare."""

import logging
from collections.abc import Collection
from pathlib import Path

from nbformat.v4 import new_code_cell
from traitlets.config import Config

from autograder.chapter.beside import folder_for
from autograder.chapter.cells import Notebook, NotebookCell
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Verdict, verdicts_of
from autograder.course import Course
from autograder.logs import text_of
from autograder.wall import warm
from autograder.wall.execute import SandboxedExecute
from autograder.wall.faults import OurFault
from autograder.wall.inside import draws
from autograder.wall.judge import Judge
from autograder.wall.names import modules_of
from autograder.wall.nbgrader_setup import environment
from autograder.wall.seeds import seed_of
from autograder.wall.ways import tried_reference

logger = logging.getLogger(__name__)

NO_SECRET = "no secret"  # the key where nobody needs to be surprised by a draw


def run_tests(
    course: Course, chapter: str, notebook: Notebook, key: str = NO_SECRET, tasks: Collection[str] | None = None
) -> list[Verdict]:
    """Put a rebuilt notebook before the judge, in place; the verdicts of its test cells, or of some tasks'."""
    return judged(course, notebook, tried_reference(course, chapter), key, folder_for(course, chapter), tasks)


def judged(
    course: Course,
    notebook: Notebook,
    reference: Notebook,
    key: str = NO_SECRET,
    files: str = "",
    tasks: Collection[str] | None = None,
) -> list[Verdict]:
    """Put a rebuilt notebook before the judge, in place, with the tests of any reference; returns their verdicts.

    With names of tasks only their tests are run.

    What was our fault is tried once more, as a worker's submission is.
    """
    seed = seed_of(key, notebook)
    settings = {"files": files} if files else {}
    try:
        return Judge(config=course.nbgrader, **settings).judge(notebook, reference, seed, tasks=tasks)
    except OurFault as error:
        logger.error(text_of(error))
        warm.close()
        return Judge(config=course.nbgrader, **settings).judge(notebook, reference, seed, tasks=tasks)


def run_tests_in_kernel(course: Course, chapter: str, notebook: Notebook, key: str = NO_SECRET) -> list[Verdict]:
    """Run a rebuilt notebook, in place, with the tests in the student's own kernel, as *Validate* does.

    Nothing guards these verdicts: it is for comparing. On a busy machine it may take its time.
    """
    first = following_cell(seed_of(key, notebook), modules_of(read_reference(course, chapter)))
    config = Config(course.nbgrader)
    config.SandboxedExecute.timeout, config.SandboxedExecute.notebook_timeout = 60, 1800
    config.SandboxedExecute.environment = {**environment(config), "PYTHONHASHSEED": "0"}
    SandboxedExecute(config=config).preprocess(notebook.with_cells([first, *notebook.cells]).node, {})
    return verdicts_of(notebook)


def following_cell(seed: str, modules: tuple[str, ...]) -> NotebookCell:
    """A cell after which a kernel draws from `seed`, as a process behind the wall does."""
    lines = [
        "import contextlib as _contextlib, importlib as _importlib, types as _types",
        f"for _module in {modules!r}:",
        "    with _contextlib.suppress(ImportError):",
        "        _importlib.import_module(_module)",
        '_draws = _types.ModuleType("draws")',
        f"exec({Path(draws.__file__).read_text(encoding='utf-8')!r}, _draws.__dict__)",
        f"_draws.follow({seed!r})",
    ]
    return NotebookCell.of(new_code_cell("\n".join(lines)))
