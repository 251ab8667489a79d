"""The notebooks of a course that was not written for us, read as if our build had made them.

nbgrader hands out a source notebook with the header and footer of the course around it, and with autotests filled in.
So does this. What our build gives each cell, such as a name and the task that a test checks, is found out, and the
metadata of older versions of nbgrader are brought up to date. Nothing is written into the course's own files.
"""

import hashlib
import json
import logging
import os
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.preprocessors import InstantiateTests

from autograder.chapter.cells import ADOPTED, MARK, CellKind, Notebook, NotebookCell, name_of
from autograder.course import Course, CourseError
from autograder.disk import write_atomically

AUTOTEST = "AUTOTEST"  # nbgrader's mark of a test that it writes itself
UNNAMED = "unnamed"  # how names begin of cells that neither nbgrader nor Jupyter gave one
MINOR = 5  # nbformat 4.5 gives each cell an id


def adopt(course: Course, chapter: str) -> Notebook:
    """The reference of a chapter without text. Raises CourseError if it is no notebook of Python."""
    node = _read(course.reference(chapter))
    _require_python(node, chapter)
    settings = course.nbgrader.get("IncludeHeaderFooter", {})
    header, footer = (_read(course.root / str(settings[end])).cells if settings.get(end) else [] for end in ENDS)
    node.cells = [*header, *node.cells, *footer]
    _upgrade(node)
    if any(AUTOTEST in cell.source for cell in node.cells if cell.cell_type == "code"):
        node = _with_autotests(course, chapter, node)
    node.metadata[ADOPTED] = True
    _name_tasks(node)
    return Notebook.of(node)


ENDS = ("header", "footer")  # nbgrader's settings of what stands around each notebook


def _read(path: Path) -> NotebookNode:
    try:
        node: NotebookNode = nbformat.read(path, as_version=4)
    except FileNotFoundError:
        raise CourseError(f"{path} does not exist: look at c.IncludeHeaderFooter in nbgrader_config.py.") from None
    except Exception as error:  # nbformat raises many kinds for what is no notebook
        raise CourseError(f"{path} is not a notebook that Jupyter could open: {type(error).__name__}.") from None
    return node


def _require_python(node: NotebookNode, chapter: str) -> None:
    kernel = node.metadata.get("kernelspec", {})
    language = str(kernel.get("language") or node.metadata.get("language_info", {}).get("name") or "python")
    if "python" not in (language.lower(), str(kernel.get("name", "")).lower().rstrip("0123456789")):
        raise CourseError(f"{chapter} is a notebook of {language}: only notebooks of Python are graded.")


def _upgrade(node: NotebookNode) -> None:
    """Metadata as nbgrader has them today, and an id of its own for each cell; the same for the same notebook."""
    validator = MetadataValidator()
    validator.log = logging.getLogger(__name__)
    node.nbformat_minor = max(MINOR, node.nbformat_minor)
    seen: set[str] = set()
    names: set[str] = set()
    for position, cell in enumerate(node.cells):
        if "nbgrader" in cell.metadata:
            validator.upgrade_cell_metadata(cell)
        identity = cell.get("id") or f"{UNNAMED}-{position}"
        cell["id"] = f"{identity}-{position}"[-64:] if identity in seen else identity
        seen.add(cell["id"])
        if name_of(cell) in names and "nbgrader" in cell.metadata:
            del cell.metadata["nbgrader"]  # nbgrader refuses a name that occurs twice; an ungraded cell may have it
        names.add(name_of(cell))


def _name_tasks(node: NotebookNode) -> None:
    """A test checks the task above it, as far as anybody can tell."""
    task = ""
    for cell in node.cells:
        kind = NotebookCell.of(cell).kind
        if kind == CellKind.TASK:
            task = name_of(cell)
        elif kind == CellKind.TEST and task:
            cell.metadata[MARK] = {"task": task}


def _with_autotests(course: Course, chapter: str, node: NotebookNode) -> NotebookNode:
    """The notebook with its autotests written out by nbgrader, which runs the solutions for it; done once."""
    tests = [path for path in (course.reference(chapter).parent, course.root) if (path / "autotests.yml").is_file()]
    rules = (tests[0] / "autotests.yml").read_bytes() if tests else b""
    code = [cell.source for cell in node.cells if cell.cell_type == "code"]
    digest = hashlib.sha256(json.dumps(code).encode() + rules).hexdigest()
    kept = course.state / "autotests" / f"{digest[:32]}.json"
    if not kept.is_file():
        preprocessor = InstantiateTests(config=course.nbgrader)
        preprocessor.log = logging.getLogger(__name__)
        resources = {"metadata": {"path": str(course.reference(chapter).parent)}}
        before = Path.cwd()
        os.chdir(course.root)  # where nbgrader looks for autotests.yml
        try:
            written, _ = preprocessor.preprocess(nbformat.from_dict(node), resources)
        except Exception as error:  # whatever the solutions raise, and many kinds of nbgrader's own
            what = " ".join(str(error).split())[:300] or type(error).__name__
            raise CourseError(f"nbgrader cannot write the autotests of {chapter}: {what}") from error
        finally:
            os.chdir(before)
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(kept, json.dumps([cell.source for cell in written.cells]).encode())
    for cell, source in zip(node.cells, json.loads(kept.read_text(encoding="utf-8")), strict=True):
        cell.source = source
    return node
