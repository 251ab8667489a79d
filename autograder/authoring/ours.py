"""What a test that compares with the course's own answers needs: the build writes it into the hidden part.

An author writes `agrees(attend, ours.attend, tensor(B, T, C))` between the marks of a hidden test. The reference
notebook then says there, in plain Python, where `agrees`, `tensor` and `ours` come from, so that the cell works under
the judge, under plain nbgrader, and in the reference itself.
"""

import ast

from nbformat import NotebookNode

import autograder.oracle
from autograder.chapter.cells import BEGIN_HIDDEN, END_HIDDEN, Notebook
from autograder.chapter.source import without_marks
from autograder.course import CourseError
from autograder.wall.names import Names, names_of, plan

OURS = "ours"
NOTE = "# Written by the build: the course's own answers, and what compares with them."


def add_ours(reference: NotebookNode) -> None:
    """Complete each test cell of a built notebook, in place. Raises CourseError for an answer that does not exist."""
    notebook = Notebook.of(reference)
    own = set(plan(notebook).own)
    for position, cell in enumerate(notebook.cells):
        if cell.is_test:
            lines = _lines_for(notebook, position, own)
            if lines:
                text = "\n".join([BEGIN_HIDDEN, NOTE, *lines])
                cell.node.source = cell.source.replace(BEGIN_HIDDEN, text, 1)


def _lines_for(reference: Notebook, position: int, own: set[int]) -> list[str]:
    source = reference.cells[position].source
    names = names_of(_hidden(source))
    if names is None:
        return []
    vocabulary = sorted((names.uses - names.binds) & set(autograder.oracle.__all__))
    lines = [f"from autograder.oracle import {', '.join(vocabulary)}"] if vocabulary else []
    if OURS in names.uses - names.binds:
        lines += ["from autograder.oracle import answers", *_answers(reference, position, own, _wanted(source))]
    return lines


def _hidden(source: str) -> str:
    """The hidden parts of a test cell, one below the other."""
    parts = [part.partition(END_HIDDEN)[0] for part in source.split(BEGIN_HIDDEN)[1:]]
    return "\n".join(parts)


def _wanted(source: str) -> set[str]:
    """The names x of each `ours.x`."""
    attributes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)]
    return {node.attr for node in attributes if isinstance(node.value, ast.Name) and node.value.id == OURS}


def _answers(reference: Notebook, position: int, own: set[int], wanted: set[str]) -> list[str]:
    """The line `ours = answers(...)`: the cells that bind the wanted names, and what they need in turn.

    What the judge's own cells bind is handed over; answers and given cells that use answers come as source.
    """
    cells = [
        (earlier, names)
        for earlier, cell in enumerate(reference.cells[:position])
        if cell.is_code and not cell.is_test and (names := names_of(cell.source)) is not None
    ]
    bound = {name for earlier, names in cells if earlier not in own for name in names.binds}
    if wanted - bound:
        missing = ", ".join(f"ours.{name}" for name in sorted(wanted - bound))
        raise CourseError(f"{missing}: no answer above this test binds that, {reference.cells[position].name}.")
    needed, given = _closure(cells, own, wanted)
    program = "\n\n\n".join(without_marks(reference.cells[earlier].source) for earlier in needed)
    written = [f"    {line!r}" for line in program.splitlines(keepends=True)]
    handed = [f"    {name}={name}," for name in sorted(given)]
    return [f"{OURS} = answers(", *written[:-1], f"{written[-1]},", *handed, ")"]


def _closure(cells: list[tuple[int, Names]], own: set[int], wanted: set[str]) -> tuple[list[int], set[str]]:
    """Positions of the cells whose source is needed, in order, and the names that the judge's own cells give."""
    wanted, needed, size = set(wanted), set[int](), -1
    while len(needed) != size:  # what a function uses may be bound below it
        size = len(needed)
        for earlier, names in reversed(cells):
            if earlier not in own and names.binds & wanted:
                needed.add(earlier)
                wanted |= names.uses
    here = {name for earlier, names in cells if earlier in needed for name in names.binds}
    given = {name for earlier, names in cells if earlier in own for name in names.binds}
    return sorted(needed), (wanted & given) - here
