"""Grade one notebook without a gradebook: for self-learners, and for the bank of answers."""

from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from traitlets.config import Config

from autograder.authoring.execute import SandboxedExecute
from autograder.course import Course, CourseError
from autograder.grading.nbgrader_setup import environment
from autograder.intake.submission import Intake, read_reference, take_in
from autograder.wall.inside import draws
from autograder.wall.judge import Judge
from autograder.wall.names import modules_of
from autograder.wall.seeds import key_of, seed_of
from autograder.wall.verdicts import Verdict, verdicts_of

NO_SECRET = "no secret"  # the key where nobody needs to be surprised by a draw


def check_notebook(course: Course, path: Path) -> tuple[Intake, list[Verdict]]:
    """Run the notebook at `path` with the chapter's hidden tests. Its name says which chapter it belongs to."""
    chapter = path.stem
    if chapter not in course.chapters():
        raise CourseError(f"{path.name} is not named after a chapter; chapters: {', '.join(course.chapters())}.")
    intake = take_in(path, read_reference(course, chapter))
    return intake, run_tests(course, chapter, intake.notebook, key_to_learn_with(course, chapter))


def key_to_learn_with(course: Course, chapter: str) -> str:
    """The chapter's key, or NO_SECRET in a course that belongs to somebody else."""
    try:
        return key_of(course, chapter)
    except CourseError:
        return NO_SECRET


def run_tests(course: Course, chapter: str, notebook: NotebookNode, key: str = NO_SECRET) -> list[Verdict]:
    """Put a rebuilt notebook before the judge, in place, and return the verdicts of its test cells."""
    return Judge(config=course.nbgrader).judge(notebook, read_reference(course, chapter), seed_of(key, notebook))


def run_tests_in_kernel(course: Course, chapter: str, notebook: NotebookNode, key: str = NO_SECRET) -> list[Verdict]:
    """The same with the tests in the student's own kernel, as *Validate* runs them; nothing guards those verdicts."""
    first = following_cell(seed_of(key, notebook), modules_of(read_reference(course, chapter)))
    config = Config(course.nbgrader)
    config.SandboxedExecute.environment = {**environment(config), "PYTHONHASHSEED": "0"}
    notebook.cells.insert(0, first)
    SandboxedExecute(config=config).preprocess(notebook, {})
    notebook.cells.pop(0)
    return verdicts_of(notebook)


def following_cell(seed: str, modules: tuple[str, ...]) -> NotebookNode:
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
    cell: NotebookNode = new_code_cell("\n".join(lines))
    return cell
