"""Read what students hand in, and rebuild it from the course's own notebook so that only their answers are theirs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.converters import base
from nbgrader.coursedir import CourseDirectory

from autograder.chapter.cells import CellKind, Notebook, NotebookCell, name_of, without_hidden
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import record
from autograder.course import Course, course_of
from autograder.intake.files import UnreadableSubmission, files_beside, files_of_course, read_file, timestamp_if_any
from autograder.intake.outputs import storable

MAX_CELLS = 2000
MAX_OBJECTS = 100_000  # JSON objects in the file, of which each takes a hundred times its bytes in memory
DEFINES = re.compile(r"^(?:(?:async )?(?:def|class) (?P<function>\w+)|(?P<variable>\w+)(?: *:[^=\n]+)? *=(?!=))", re.M)
MISSING_ANSWER = "# This cell was not in the submission."
NOTE_ID = "autograder-note"


class Submitted(NamedTuple):
    """What of a submitted cell is looked at."""

    name: str
    cell_type: str
    source: str


@dataclass
class Intake:
    """A submission made ready for grading, and what had to be repaired or dropped on the way, as sentences."""

    notebook: Notebook
    repairs: list[str] = field(default_factory=list)
    answered: frozenset[str] = frozenset()  # task and scratch cells that the submission holds


def take_in(submission: Path, reference: Notebook, below: Path | None = None) -> Intake:
    """Rebuild the notebook at `submission` from `reference`, as `take_in_content` does; for `below` see `read_file`."""
    try:
        return take_in_content(read_file(submission, below), reference)
    except UnreadableSubmission as problem:
        return untouched(str(problem), reference)


def take_in_content(content: bytes, reference: Notebook) -> Intake:
    """Rebuild the notebook that a file's content holds from `reference`.

    What is no notebook becomes an untouched one with a note on top: it earns what an untouched notebook earns, and
    people see why.
    """
    try:
        return rebuild(parse(content), reference)
    except UnreadableSubmission as problem:
        return untouched(str(problem), reference)


def untouched(problem: str, reference: Notebook) -> Intake:
    """What stands for a submission that cannot be read because of `problem`."""
    notebook = rebuild([], reference).notebook
    note = f"**This submission could not be read.** {problem} It was graded as an untouched notebook."
    on_top = NotebookCell.of(new_markdown_cell(note, id=NOTE_ID))
    return Intake(notebook.with_cells([on_top, *notebook.cells]), [f"The submission could not be read. {problem}"])


def parse(content: bytes) -> list[Submitted]:
    """The cells of the notebook in `content`. Raises UnreadableSubmission if it is none that Jupyter could open."""
    try:
        text = content.decode("utf-8")
        if text.count("{") > MAX_OBJECTS:
            raise UnreadableSubmission("The notebook has too many parts: clear its outputs.")
        notebook: NotebookNode = nbformat.reads(text, as_version=4)
        if len(notebook.cells) > MAX_CELLS:
            raise UnreadableSubmission(f"The notebook has more than {MAX_CELLS} cells: hand in the one you were given.")
        return [
            Submitted(name_of(cell), str(cell.get("cell_type")), _text(cell.get("source"))) for cell in notebook.cells
        ]
    except UnreadableSubmission:
        raise
    except UnicodeDecodeError:
        raise UnreadableSubmission("The file is not UTF-8 text, so it is not a notebook.") from None
    except nbformat.reader.NotJSONError:
        raise UnreadableSubmission("The file is not valid JSON; perhaps it was cut off or edited by hand.") from None
    except Exception:  # nbformat raises many kinds for JSON that is not a notebook
        raise UnreadableSubmission("The file is JSON but not a notebook that Jupyter could open.") from None


def rebuild(submission: Sequence[Submitted], reference: Notebook) -> Intake:
    """The reference's cells, with the student's text in task and scratch cells and their own cells in between.

    Of a task cell that occurs twice the first counts; cells that were deleted come back; changed tests, metadata, tags,
    attachments and outputs have no effect. Cells that lost their names are found by what they define.
    """
    by_name = {cell.name: cell for cell in reference.cells}
    of_course = {cell.source for cell in reference.cells if cell.cell_type == "markdown" and not cell.is_free}
    recognised = {**_by_their_texts(submission, reference), **_recognised(submission, reference)}
    answers: dict[str, str] = {}
    own_cells: dict[str | None, list[Submitted]] = {}
    twice: list[str] = []
    changed: list[str] = []
    place: str | None = None
    for number, submitted in enumerate(submission):
        name, source = recognised.get(number, submitted.name), submitted.source
        if name not in by_name:
            if submitted.cell_type in ("code", "markdown") and source.strip() and source not in of_course:
                own_cells.setdefault(place, []).append(submitted)
            continue
        place = name
        if by_name[name].is_locked:
            changed += [] if name in changed or _same(source, by_name[name].source) else [name]
        elif by_name[name].is_free:
            twice += [name] if name in answers else []
            answers.setdefault(name, source)
    missing = [cell.name for cell in reference.answers if cell.name not in answers]
    found = [name for name in recognised.values() if by_name[name].is_answer]
    cells = [_own_cell(own, position) for position, own in enumerate(own_cells.get(None, []))]
    for cell in reference.cells:
        cells.append(_rebuilt(cell, answers))
        for own in own_cells.get(cell.name, []):
            cells.append(_own_cell(own, len(cells)))
    return Intake(
        reference.with_cells(cells),
        _repairs(twice, missing, found, changed, none_found=not answers),
        frozenset(answers),
    )


def _repairs(
    twice: list[str], missing: list[str], recognised: list[str], changed: list[str], none_found: bool
) -> list[str]:
    repairs = [f"Cell {name} occurs more than once; the first one counts." for name in dict.fromkeys(twice)]
    if recognised:
        repairs.append(f"Cells had lost their names and were recognised by what they define: {', '.join(recognised)}.")
    if missing and none_found:
        repairs.append("It holds none of this chapter's task cells: is it the notebook of another chapter?")
    elif len(missing) == 1:
        repairs.append(f"Task cell {missing[0]} is missing; it counts as not answered.")
    elif missing:
        repairs.append(f"Task cells are missing and count as not answered: {', '.join(missing)}.")
    if changed:
        repairs.append(f"Tests or given cells that read otherwise were put back: {', '.join(changed)}.")
    return repairs


def _rebuilt(cell: NotebookCell, answers: dict[str, str]) -> NotebookCell:
    """A cell of the reference, without outputs, with the student's text if it is theirs."""
    rebuilt = cell.with_source(answers.get(cell.name, MISSING_ANSWER) if cell.is_free else cell.source)
    if cell.is_free:
        rebuilt.node.pop("attachments", None)
    if cell.is_code:
        rebuilt.node["outputs"], rebuilt.node["execution_count"] = [], None
    return rebuilt


def _recognised(submission: Sequence[Submitted], reference: Notebook) -> dict[int, str]:
    """Positions of submitted cells that lost their names (in another editor, say), with the names they had.

    A task cell is known by the function, class or variable that it defines, what the course wrote by its text.
    """
    names = {submitted.name for submitted in submission}
    lost = {cell.name: cell for cell in reference.cells if cell.name not in names}
    wanted: dict[str, str] = {}
    for name, cell in lost.items():
        if cell.is_answer and (defined := DEFINES.search(cell.source)):
            wanted.setdefault(defined["function"] or defined["variable"], name)
    if not wanted:
        return {}
    texts = {_first_line(cell.source): name for name, cell in lost.items() if not cell.is_answer}
    all_names = {cell.name for cell in reference.cells}
    found: dict[int, str] = {}
    for number, submitted in enumerate(submission):
        if submitted.name in all_names or submitted.cell_type != "code":
            continue
        defines = [match["function"] or match["variable"] for match in DEFINES.finditer(submitted.source)]
        if text := texts.get(_first_line(submitted.source)):
            found[number] = text
        elif defined_name := next((defined for defined in defines if defined in wanted), None):
            found[number] = wanted.pop(defined_name)
    return found if any(lost[name].is_answer for name in found.values()) else {}


def _by_their_texts(submission: Sequence[Submitted], reference: Notebook) -> dict[int, str]:
    """Positions of submitted cells that neither nbgrader nor Jupyter named, with our names of those they are like.

    What somebody else's course leaves to students has seldom a name that lasts. A cell that was changed has none: it
    counts as the student's own, at the place where it stands.
    """
    if not reference.is_adopted:
        return {}
    named = {submitted.name for submitted in submission}
    unnamed = [cell for cell in reference.cells if cell.kind == CellKind.SCRATCH and cell.name not in named]
    known = {cell.name for cell in reference.cells}
    found: dict[int, str] = {}
    for number, submitted in enumerate(submission):
        if submitted.name not in known and submitted.cell_type == "code":
            alike = next((cell for cell in unnamed if cell.source.strip() == submitted.source.strip()), None)
            if alike:
                unnamed.remove(alike)
                found[number] = alike.name
    return found


def _first_line(source: str) -> str:
    return source.strip().split("\n", 1)[0].rstrip()


def _same(source: str, of_course: str) -> bool:
    """Whether a cell reads as the course wrote it, with or without the hidden part; blanks at ends do not count."""
    mine, *others = (
        [line.rstrip() for line in text.strip().split("\n")] for text in (source, of_course, without_hidden(of_course))
    )
    return mine in others


def _own_cell(own: Submitted, position: int) -> NotebookCell:
    """A cell of the student's own; its id is made from its position, the same for the same submission."""
    source, name = own.source, f"own-{position}"
    return NotebookCell.of(
        new_code_cell(source, id=name) if own.cell_type == "code" else new_markdown_cell(source, id=name)
    )


def _text(source: Any) -> str:
    text = "".join(map(str, source)) if isinstance(source, list) else str(source or "")
    return storable(text)


class TolerantExporter(NotebookExporter):
    """nbgrader's way of reading a submission for autograding, with our intake in it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[no-untyped-call]
        # What nbgrader reads besides the notebook, it reads through these two.
        base.find_all_files = self._files_to_copy
        CourseDirectory.get_existing_timestamp = timestamp_if_any

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> Any:
        # The course is the one that is being graded: a search upwards from the submission would run a configuration
        # that lies beside it. The path keeps its links, since a link must not lead to somebody else's notebook.
        course = self._course()
        path = course.root / filename
        if not path.is_relative_to(course.submitted):  # nbgrader's second pass, over its own sanitised copy
            return super().from_filename(filename, resources=resources, **kwargs)
        intake = take_in(path, read_reference(course, course.part(path.parent.name, path.stem)), course.submitted)
        record(intake.notebook.node, intake.repairs, [])
        return self.from_notebook_node(intake.notebook.node, resources=resources, **kwargs)  # type: ignore[no-untyped-call]

    def _course(self) -> Course:
        return course_of(self.config)

    def _files_to_copy(self, folder: str, ignored: list[str] | None = None) -> list[str]:
        """What of a submission nbgrader is to copy beside the graded notebook."""
        course = self._course()
        path = course.root / folder
        if not path.is_relative_to(course.submitted):
            return [str(file) for file in files_of_course(path, ignored or [])]
        found = files_beside(course, path, ignored or [])
        return [str(Path(folder) / name) for name in found.names]
