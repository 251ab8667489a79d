"""Small courses as nbgrader's users write them: notebooks without a text, for tests of what adopts them."""

from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.course import Course, open_course

Cells = list[NotebookNode]


def graded(source: str, name: str, cell_type: str = "code", **facts: Any) -> NotebookNode:
    """A cell with nbgrader's metadata of today."""
    cell: NotebookNode = new_code_cell(source) if cell_type == "code" else new_markdown_cell(source)
    plain = {"grade": False, "solution": False, "locked": False, "schema_version": 3, "cell_type": cell_type}
    cell.metadata["nbgrader"] = {**plain, "grade_id": name, **facts}
    return cell


def task(name: str, answer: str) -> NotebookNode:
    """A task with its answer."""
    return graded(f"### BEGIN SOLUTION\n{answer}\n### END SOLUTION", name, solution=True)


def check(name: str, source: str, points: float = 1) -> NotebookNode:
    """A test."""
    return graded(source, name, grade=True, locked=True, points=points)


def question(name: str, points: float = 2) -> NotebookNode:
    """A question that a person grades."""
    return graded("Because.", name, "markdown", grade=True, solution=True, points=points)


def exercise(name: str, points: float = 3) -> NotebookNode:
    """One of nbgrader's task cells."""
    return graded("Draw something.", name, "markdown", task=True, locked=True, points=points)


def free(source: str) -> NotebookNode:
    """A cell that nbgrader knows nothing of."""
    cell: NotebookNode = new_code_cell(source)
    return cell


def text_of(cells: Cells) -> str:
    """The notebook of these cells as a file of nbformat 4.4, where cells have no ids."""
    kernel = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}
    notebook = new_notebook(cells=[nbformat.from_dict(cell) for cell in cells], metadata=kernel)
    notebook.nbformat_minor = 4
    for cell in notebook.cells:
        cell.pop("id", None)
    text: str = nbformat.writes(notebook)
    return text


def make(folder: Path, source: dict[str, Cells | str], settings: str = "") -> Course:
    """A course with these files below source/, notebooks among them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "nbgrader_config.py").write_text(f'c = get_config()\nc.CourseDirectory.course_id = "small"\n{settings}')
    for name, content in source.items():
        path = folder / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else text_of(content))
    return open_course(folder)


def hand_in(course: Course, student: str, chapter: str, cells: Cells) -> None:
    """A submission of one notebook."""
    path = course.submission(student, chapter)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(cells))


def with_answers(cells: Cells, **answers: str) -> Cells:
    """The notebook with other texts in cells of these names."""
    changed = []
    for cell in cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        copy: NotebookNode = nbformat.from_dict(cell)
        copy["source"] = answers.get(name, cell["source"])
        changed.append(copy)
    return changed
