"""Read what students hand in, and rebuild it from the course's own notebook so that only their answers are theirs."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader import utils
from nbgrader.converters import base
from nbgrader.coursedir import CourseDirectory

from autograder.course import Course, CourseError, open_course
from autograder.wall.outputs import storable
from autograder.wall.verdicts import record

LARGEST_SUBMISSION = 20 * 2**20  # bytes
MOST_CELLS = 2000
MOST_OBJECTS = 100_000  # JSON objects in the file, of which each takes a hundred times its bytes in memory
MISSING_ANSWER = "# This cell was not in the submission."
NOTE_ID = "autograder-note"


class UnreadableSubmission(Exception):
    """A file that is no notebook; its text is one sentence for the student."""


@dataclass
class Intake:
    """A submission made ready for grading, and what had to be repaired or dropped on the way, as sentences."""

    notebook: NotebookNode
    repairs: list[str] = field(default_factory=list)


def read_reference(course: Course, chapter: str) -> NotebookNode:
    """The chapter's notebook with all tests. Raises CourseError if it has not been built."""
    path = course.source / chapter / f"{chapter}.ipynb"
    if not path.is_file():
        known = ", ".join(course.chapters()) or "none yet"
        raise CourseError(f"There is no built chapter {chapter!r}: run `autograder build`; chapters: {known}.")
    return nbformat.read(path, as_version=4)


def take_in(submission: Path, reference: NotebookNode) -> Intake:
    """Rebuild the notebook at `submission` from `reference`, as `take_in_content` does."""
    try:
        return take_in_content(read_file(submission), reference)
    except UnreadableSubmission as problem:
        return untouched(str(problem), reference)


def take_in_content(content: bytes, reference: NotebookNode) -> Intake:
    """Rebuild the notebook that a file's content holds from `reference`.

    What is no notebook becomes an untouched one with a note on top: it earns what an untouched notebook earns, and
    people see why.
    """
    try:
        return rebuild(parse(content), reference)
    except UnreadableSubmission as problem:
        return untouched(str(problem), reference)


def untouched(problem: str, reference: NotebookNode) -> Intake:
    """What stands for a submission that cannot be read because of `problem`."""
    intake = rebuild(nbformat.v4.new_notebook(), reference)
    note = f"**This submission could not be read.** {problem} It was graded as an untouched notebook."
    intake.notebook.cells.insert(0, new_markdown_cell(note, id=NOTE_ID))
    return Intake(intake.notebook, [f"The submission could not be read. {problem}"])


def read_file(path: Path) -> bytes:
    """What a submitted file holds. Raises UnreadableSubmission if it is a link or too large."""
    if path.is_symlink():  # it could name another student's submission, or the solution
        raise UnreadableSubmission("The file is a link, not a notebook.")
    size = path.stat().st_size
    if size > LARGEST_SUBMISSION:
        limit = LARGEST_SUBMISSION / 2**20
        raise UnreadableSubmission(f"The file has {size / 2**20:.0f} MiB, the limit is {limit:.0f}: clear its outputs.")
    return path.read_bytes()


def parse(content: bytes) -> NotebookNode:
    """The notebook in `content`, upgraded to the current format. Raises UnreadableSubmission if it is none."""
    try:
        text = content.decode("utf-8")
        if text.count("{") > MOST_OBJECTS:
            raise UnreadableSubmission("The notebook has too many parts: clear its outputs.")
        notebook = nbformat.reads(text, as_version=4)
        if len(notebook.cells) > MOST_CELLS:
            raise UnreadableSubmission(
                f"The notebook has more than {MOST_CELLS} cells: hand in the one you were given."
            )
        return notebook
    except UnreadableSubmission:
        raise
    except UnicodeDecodeError:
        raise UnreadableSubmission("The file is not UTF-8 text, so it is not a notebook.") from None
    except nbformat.reader.NotJSONError:
        raise UnreadableSubmission("The file is not valid JSON; perhaps it was cut off or edited by hand.") from None
    except Exception:  # nbformat raises many kinds for JSON that is not a notebook
        raise UnreadableSubmission("The file is JSON but not a notebook that Jupyter could open.") from None


def rebuild(submission: NotebookNode, reference: NotebookNode) -> Intake:
    """The reference's cells, with the student's text in task and scratch cells and their own cells in between.

    Of a task cell that occurs twice the first counts; cells that were deleted come back; changed tests, metadata, tags,
    attachments and outputs have no effect.
    """
    free = {_name(cell): cell for cell in reference.cells if _is_free(cell)}
    known = {_name(cell) for cell in reference.cells}
    known_text = {cell.source for cell in reference.cells if cell.cell_type == "markdown"}
    answers: dict[str, str] = {}
    own_cells: dict[str | None, list[NotebookNode]] = {}
    repairs: list[str] = []
    place: str | None = None
    for cell in submission.cells:
        name, source = _name(cell), _text(cell.get("source"))
        if name in free:
            if name in answers:
                repairs.append(f"Cell {name} occurs more than once; the first one counts.")
            else:
                answers[name] = source
        if name in known:
            place = name
        elif cell.get("cell_type") in ("code", "markdown") and source.strip() and source not in known_text:
            own_cells.setdefault(place, []).append(_own_cell(cell["cell_type"], source))
    cells = list(own_cells.get(None, []))
    for cell in reference.cells:
        name = _name(cell)
        rebuilt = NotebookNode(cell, metadata=NotebookNode(cell.metadata))
        if name in free:
            if utils.is_solution(cell) and name not in answers:
                repairs.append(f"Task cell {name} is missing; it counts as not answered.")
            rebuilt["source"] = answers.get(name, MISSING_ANSWER)
        if cell.cell_type == "code":
            rebuilt["outputs"], rebuilt["execution_count"] = [], None
        cells += [rebuilt, *own_cells.get(name, [])]
    for number, cell in enumerate(cells):
        if "id" not in cell:
            cell["id"] = f"own-{number}"
    return Intake(nbformat.v4.new_notebook(cells=cells, metadata=NotebookNode(reference.metadata)), repairs)


def _own_cell(cell_type: str, source: str) -> NotebookNode:
    cell = new_code_cell(source) if cell_type == "code" else new_markdown_cell(source)
    del cell["id"]  # given by position once all cells are known, so that the same submission gives the same notebook
    return cell


def _is_free(cell: NotebookNode) -> bool:
    """Whether the student may change this cell of the reference: task and scratch cells."""
    return cell.cell_type == "code" and not utils.is_locked(cell)


def _name(cell: NotebookNode) -> str:
    """nbgrader's grade id, or for cells without one the cell id."""
    nbgrader = cell.get("metadata", {}).get("nbgrader")
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    return str(grade_id or cell.get("id", ""))


def _text(source: Any) -> str:
    text = "".join(map(str, source)) if isinstance(source, list) else str(source or "")
    return storable(text)


def real_files(path: str, exclude: list[str] | None = None) -> list[str]:
    """nbgrader's `find_all_files` without links, which may lead to the gradebook, and pipes, which never end."""
    return [
        name for name in utils.find_all_files(path, exclude) if Path(name).is_file() and not Path(name).is_symlink()
    ]


_get_existing_timestamp = CourseDirectory.get_existing_timestamp


def timestamp_if_any(directory: CourseDirectory, folder: str) -> Any:
    """nbgrader's `get_existing_timestamp`, for which a `timestamp.txt` that holds no time is none."""
    path = Path(folder) / "timestamp.txt"
    if path.is_symlink() or not path.is_file():
        return None
    try:
        return _get_existing_timestamp(directory, folder)
    except Exception:  # nbgrader 0.9.6 reports the mistake by calling a method that is not there
        return None


class TolerantExporter(NotebookExporter):
    """nbgrader's way of reading a submission for autograding, with our intake in it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # What nbgrader reads besides the notebook, it reads through these two.
        base.find_all_files = real_files
        CourseDirectory.get_existing_timestamp = timestamp_if_any

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> Any:
        # The course is the one that is being graded: a search upwards from the submission would run a configuration
        # that lies beside it. The path keeps its links, since a link must not lead to somebody else's notebook.
        course = open_course(Path(self.config.CourseDirectory.get("root") or Path.cwd()))
        path = course.root / filename
        if not path.is_relative_to(course.submitted):  # nbgrader's second pass, over its own sanitised copy
            return super().from_filename(filename, resources=resources, **kwargs)
        intake = take_in(path, read_reference(course, path.stem))
        record(intake.notebook, intake.repairs, [])
        return self.from_notebook_node(intake.notebook, resources=resources, **kwargs)
