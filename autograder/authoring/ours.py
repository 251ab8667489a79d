"""What a test that compares with the course's own answers needs: the build writes it into the hidden part.

An author writes `agrees(attend, ours.attend, tensor(B, T, C))` between the marks of a hidden test. The reference
notebook says there, in plain Python, where `oracle` and `ours` come from, so that the cell works under the judge, under
plain nbgrader, and in the reference itself.
"""

import ast
import tokenize

from nbformat import NotebookNode

import autograder.oracle
from autograder.chapter.cells import BEGIN_HIDDEN, END_HIDDEN, Notebook
from autograder.chapter.source import without_marks
from autograder.course import CourseError
from autograder.wall.names import Names, names_of, plan

OURS, ORACLE = "ours", "oracle"
VOCABULARY = frozenset(autograder.oracle.__all__)
BLANKS = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)
NOTE = "# Written by the build: the course's own answers, and what compares with them."


def add_ours(reference: NotebookNode) -> None:
    """Complete each test cell of a built notebook, in place. Raises CourseError for an answer that does not exist.

    Under plain nbgrader the cell runs where the student's names are, and many a chapter has a `size` or a `number` of
    its own: so `size("B")` becomes `oracle.size("B")`, and `ours` becomes `_ours`.
    """
    notebook = Notebook.of(reference)
    own = set(plan(notebook).own)
    for position, cell in enumerate(notebook.cells):
        if cell.is_test and (lines := _lines_for(notebook, position, own)):
            text = "\n".join([BEGIN_HIDDEN, NOTE, *lines])
            cell.node.source = _with_full_names(cell.source).replace(BEGIN_HIDDEN, text, 1)


def _lines_for(reference: Notebook, position: int, own: set[int]) -> list[str]:
    source = reference.cells[position].source
    if source == _with_full_names(source):
        return []
    wanted = _wanted(source)
    return [f"from autograder import {ORACLE}", *(_answers(reference, position, own, wanted) if wanted else [])]


def _with_full_names(source: str) -> str:
    """A test cell in whose hidden parts the oracle's functions, where they are called, and `ours` have longer names."""
    names = names_of(source)
    lines = source.splitlines(keepends=True)
    hidden = _hidden_lines(lines)
    if names is None or not hidden:
        return source
    tokens = [token for token in tokenize.generate_tokens(iter(lines).__next__) if token.type not in BLANKS]
    for before, token, after in reversed([*zip(tokens, tokens[1:], tokens[2:], strict=False)]):
        row, column = token.start
        if (
            token.type != tokenize.NAME
            or row not in hidden
            or before.string in (".", "def")
            or token.string in names.binds
        ):
            continue
        if (token.string in VOCABULARY and after.string == "(") or (token.string == OURS and after.string == "."):
            prefix = "_" if token.string == OURS else f"{ORACLE}."
            lines[row - 1] = f"{lines[row - 1][:column]}{prefix}{lines[row - 1][column:]}"
    return "".join(lines)


def _hidden_lines(lines: list[str]) -> set[int]:
    """Numbers, from 1, of the lines between the marks of hidden tests."""
    found, is_hidden = set(), False
    for number, line in enumerate(lines, start=1):
        is_hidden = line.strip() == BEGIN_HIDDEN or (is_hidden and line.strip() != END_HIDDEN)
        if is_hidden:
            found.add(number)
    return found


def _wanted(source: str) -> set[str]:
    """The names x of each `ours.x`."""
    attributes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)]
    return {node.attr for node in attributes if isinstance(node.value, ast.Name) and node.value.id == OURS}


def _answers(reference: Notebook, position: int, own: set[int], wanted: set[str]) -> list[str]:
    """The line `_ours = oracle.answers(...)`: the cells that bind the wanted names, and what they need in turn.

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
    return [f"_{OURS} = {ORACLE}.answers(", *written[:-1], f"{written[-1]},", *handed, ")"]


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
