"""Which cells of a chapter are the judge's own: found by reading the reference, before any student code runs.

A given (locked) cell belongs to the judge unless it uses a name that a task or scratch cell binds; then it runs on the
student's side only, and the names it binds are the student's as well. Of the judge's own cells only those run on our
side that a test needs.
"""

import ast
import functools
import symtable
from dataclasses import dataclass

from nbformat import NotebookNode
from nbgrader import utils


@dataclass(frozen=True)
class Names:
    """What a piece of code binds or changes at its top level, and which names it uses from outside."""

    binds: frozenset[str]
    uses: frozenset[str]


@dataclass(frozen=True)
class Plan:
    """For each test cell, by grade id: the positions of the given cells that the judge runs before it, in order."""

    given: dict[str, list[int]]
    own: tuple[int, ...]  # positions of all cells that are the judge's own


@functools.lru_cache(maxsize=4096)  # a class brings the same reference cells again and again
def names_of(source: str) -> Names | None:
    """The names in a cell, or None if it is not plain Python (an IPython magic, say)."""
    try:
        top = symtable.symtable(source, "<cell>", "exec")
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    binds = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    uses = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    for table in _nested(top):
        for symbol in table.get_symbols():
            if symbol.is_global():
                uses.add(symbol.get_name())
                if symbol.is_assigned():
                    binds.add(symbol.get_name())
    return Names(frozenset(binds | _changed(tree)), frozenset(uses))


def modules_of(reference: NotebookNode) -> tuple[str, ...]:
    """The modules that a reference notebook imports outside its tests, to be imported before students come."""
    modules: dict[str, None] = {}
    for cell in reference.cells:
        if cell.cell_type != "code" or utils.is_grade(cell) or names_of(cell.source) is None:
            continue
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import):
                modules |= dict.fromkeys(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                # What is imported from a package may be a module of it; a name that is none does no harm.
                modules |= dict.fromkeys([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
    return tuple(modules)


def prelude_of(reference: NotebookNode) -> str:
    """The given cells before the first task: what a chapter sets up, which may be slow the first time."""
    cells = []
    for cell in reference.cells:
        if utils.is_solution(cell):
            break
        if cell.cell_type == "code" and utils.is_locked(cell) and names_of(cell.source) is not None:
            cells.append(cell.source)
    return "\n".join(cells)


def plan(reference: NotebookNode) -> Plan:
    """Which given cells the judge runs for each test cell of a reference notebook."""
    students: set[str] = set()
    judges_cells: dict[int, Names] = {}
    given: dict[str, list[int]] = {}
    for position, cell in enumerate(reference.cells):
        if cell.cell_type != "code":
            continue
        names = names_of(cell.source)
        if utils.is_grade(cell):
            if names is None:
                raise ValueError(f"Test cell {cell.metadata.nbgrader.grade_id} is not plain Python.")
            wanted = set(names.uses) - students
            given[cell.metadata.nbgrader.grade_id] = _needed(wanted, judges_cells)
        elif names is None:
            continue
        elif utils.is_locked(cell) and not names.uses & students:
            judges_cells[position] = names
            students -= names.binds
        else:
            students |= names.binds
    return Plan(given, tuple(judges_cells))


def only_shown(notebook: NotebookNode) -> list[int]:
    """Positions of given cells that bind nothing for a task or test, nor for a cell that does: figures, trainings.

    No verdict depends on them, and in a chapter that trains they take most of the time.
    """
    wanted: set[str] = set()
    found = []
    for position, cell in reversed(list(enumerate(notebook.cells))):
        names = names_of(cell.source) if cell.cell_type == "code" else None
        if names is None:
            continue
        if utils.is_locked(cell) and not utils.is_grade(cell) and not names.binds & wanted:
            found.append(position)
        else:
            wanted |= names.uses
    return found[::-1]


def _needed(wanted: set[str], judges_cells: dict[int, Names]) -> list[int]:
    """Positions of the cells that bind the wanted names, and what those cells need in turn."""
    needed = []
    for position in sorted(judges_cells, reverse=True):
        names = judges_cells[position]
        if names.binds & wanted:
            needed.append(position)
            wanted |= names.uses
    return sorted(needed)


def _nested(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    return [inner for child in table.get_children() for inner in (child, *_nested(child))]


def _changed(tree: ast.Module) -> set[str]:
    """Names whose value a statement at the top level changes in place: `x[0] = 1`, `x.a = 1`, `x.append(1)`."""
    changed = set()
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            targets = [node.target]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            targets = [node.value.func]
        for target in targets:
            while isinstance(target, (ast.Attribute, ast.Subscript)):
                target = target.value
                if isinstance(target, ast.Name):
                    changed.add(target.id)
    return changed
