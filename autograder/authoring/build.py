"""From a chapter's text to its executed reference notebook and to the release that students open."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert.filters import strip_ansi
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory

from autograder.authoring.lint import problems_of, without_alt
from autograder.authoring.ours import add_ours
from autograder.chapter.cells import name_of
from autograder.chapter.release import leaks, run_generate_assignment
from autograder.chapter.source import notebook_of, without_first_line
from autograder.chapter.variants import METADATA, read_variant
from autograder.course import Course, CourseError
from autograder.disk import write_atomically
from autograder.wall.nbgrader_setup import environment, visible_folders
from autograder.wall.sandbox import SandboxKernelManager

EXECUTION_TIMEOUT = 300  # seconds for one cell of a reference


@dataclass(frozen=True)
class Build:
    """What a build wrote: paths relative to the course, empty when everything was up to date."""

    changed: list[Path]
    executed: bool


def build(course: Course, name: str, check: bool = False, force: bool = False, variant: str = "") -> Build:
    """Bring the reference and the release of a chapter, or of one of its variants, up to date.

    A reference whose code has changed (or any, with `force`) is executed and its outputs are stored. With `check`
    nothing is executed or written; a chapter that is out of date raises CourseError. Nothing reaches the release that
    the leak check objects to.
    """
    chapter = read_variant(course, name, variant)
    rules = course.nbgrader.Authoring.get("rules")
    if rules and (broken_rules := problems_of(chapter, course.chapter_source)):
        raise broken_rules[0].error()
    reference_path = course.reference(name)
    reference = notebook_of(chapter, course.chapter_source)
    add_ours(reference)
    if variant:
        reference.metadata[METADATA] = variant
    current = force is False and _take_outputs(reference, reference_path)
    if not current:
        if check:
            raise _out_of_date(name)
        _execute(course, reference)
    if rules and (without := without_alt(chapter, reference)):
        raise without[0].error()
    with tempfile.TemporaryDirectory() as folder:
        release = make_release(course, name, reference, Path(folder))
        problems = leaks(chapter, release)
        if problems:
            raise CourseError(f"The release of {name} is not clean: {'; '.join(problems)}.")
        wanted = {reference_path: (nbformat.writes(reference) + "\n").encode()}
        wanted |= _replacement(release, course.release / name)
        outdated = [path for path, content in wanted.items() if _content(path) != content]
        if outdated and check:
            raise _out_of_date(name)
        for path in outdated:
            _write(path, wanted[path])
    return Build([path.relative_to(course.root) for path in outdated], executed=not current)


def make_release(course: Course, name: str, reference: NotebookNode, folder: Path) -> Path:
    """Run nbgrader's own generate_assignment on `reference` inside `folder`, away from the gradebook.

    Everything else that lies in the chapter's source folder goes through it too, so the configuration is what keeps
    text sources out of the release. Returns the folder of the release.
    """
    config = course.settings(root=str(folder), db_url=f"sqlite:///{folder / 'gradebook.db'}")
    source = folder / CourseDirectory(config=config).source_directory / name
    shutil.copytree(course.source / name, source, ignore=shutil.ignore_patterns("*.ipynb", "__pycache__"))
    nbformat.write(reference, source / f"{name}.ipynb")
    run_generate_assignment(config, name)
    release: Path = folder / CourseDirectory(config=config).release_directory / name
    return release


def _out_of_date(name: str) -> CourseError:
    return CourseError(f"{name} is out of date: run `autograder build {name}` and commit what it writes.")


def _take_outputs(notebook: NotebookNode, path: Path) -> bool:
    """Copy outputs from the notebook at `path` if its code is the same, cell by cell. Returns whether it was."""
    if not path.is_file():
        return False
    old = nbformat.read(path, as_version=4)
    old_code = [cell for cell in old.cells if cell.cell_type == "code"]
    new_code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if [without_first_line(cell) for cell in old_code] != [without_first_line(cell) for cell in new_code]:
        return False
    for old_cell, new_cell in zip(old_code, new_code, strict=True):
        new_cell.outputs, new_cell.execution_count = old_cell.outputs, old_cell.execution_count
    return True


def _execute(course: Course, notebook: NotebookNode) -> None:
    """Run all cells in a fresh kernel in the sandbox and keep the outputs. An error or a warning stops the build."""
    km = SandboxKernelManager(visible_folders(course.nbgrader), environment(course.nbgrader))
    try:
        client = NotebookClient(
            notebook, km=km, timeout=EXECUTION_TIMEOUT, record_timing=False, shutdown_kernel="immediate"
        )
        client.execute(cleanup_kc=True)
    except CellExecutionError as error:
        raise CourseError(
            f"A reference cell fails: {error.ename}: {error.evalue}\n{strip_ansi(error.traceback)}"
        ) from None
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                # A warning or a complaint of this machine: it puzzles a reader, and another machine has none.
                raise CourseError(f"A reference cell writes to stderr, cell {name_of(cell)}: {output.text.strip()}")
    # How many pieces a cell's prints arrive in depends on how fast they came.
    CoalesceStreamsPreprocessor().preprocess(notebook, {})
    # The kernel adds the version of Python it ran on, which would differ from machine to machine.
    notebook.metadata["language_info"] = {"name": "python"}


def _replacement(new: Path, old: Path) -> dict[Path, bytes | None]:
    """What each file must hold to make folder `old` equal to `new`; None for a file that must go."""
    wanted: dict[Path, bytes | None] = {
        old / path.relative_to(new): path.read_bytes() for path in new.rglob("*") if path.is_file()
    }
    present = (path for path in old.rglob("*") if path.is_file() and ".ipynb_checkpoints" not in path.parts)
    return dict.fromkeys(present) | wanted


def _write(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink()
    else:
        write_atomically(path, content)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
