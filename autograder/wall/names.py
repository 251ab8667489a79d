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

from autograder.authoring.cells import grade_id_of, is_answer, is_locked, is_test


@dataclass(frozen=True)
class Names:
    """What a piece of code binds or changes at its top level, and which names it uses from outside."""

    binds: frozenset[str]
    uses: frozenset[str]


@dataclass(frozen=True)
class Plan:
    """For each test cell, by grade id: what the judge runs before it, and what it asks of the student's side.

    `given` has the positions of given cells, in order; `asked` has names.
    """

    given: dict[str, list[int]]
    asked: dict[str, frozenset[str]]
    own: tuple[int, ...]  # positions of all cells that are the judge's own


@functools.lru_cache(maxsize=4096)  # a class brings the same reference cells again and again
def names_of(source: str) -> Names | None:
    """The names in a cell, or None if it is not plain Python (an IPython magic, say)."""
    try:
        tree = ast.parse(source)
        generators = ast.unparse(_Generators().visit(ast.parse(source)))
        top = symtable.symtable(generators, "<cell>", "exec")
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
        if cell.cell_type != "code" or is_test(cell) or names_of(cell.source) is None:
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
        if is_answer(cell):
            break
        if cell.cell_type == "code" and is_locked(cell) and names_of(cell.source) is not None:
            cells.append(cell.source)
    return "\n".join(cells)


def plan(reference: NotebookNode) -> Plan:
    """Which given cells the judge runs for each test cell of a reference notebook."""
    students: set[str] = set()
    judges_cells: dict[int, Names] = {}
    given: dict[str, list[int]] = {}
    asked: dict[str, frozenset[str]] = {}
    for position, cell in enumerate(reference.cells):
        if cell.cell_type != "code":
            continue
        names = names_of(cell.source)
        if is_test(cell):
            if names is None:
                raise ValueError(f"Test cell {grade_id_of(cell)} is not plain Python.")
            grade_id = str(grade_id_of(cell))
            given[grade_id] = _needed(set(names.uses) - students, judges_cells)
            asked[grade_id] = (names.uses - names.binds) & students
        elif names is None:
            continue
        elif is_locked(cell) and not names.uses & students:
            judges_cells[position] = names
            students -= names.binds
        else:
            students |= names.binds
    return Plan(given, asked, tuple(judges_cells))


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
        if is_locked(cell) and not is_test(cell) and not names.binds & wanted:
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


class _Generators(ast.NodeTransformer):
    """Comprehensions as generators, since from Python 3.12 on the names of others count as those around them."""

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return self.generic_visit(ast.GeneratorExp(node.elt, node.generators))

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        return self.generic_visit(ast.GeneratorExp(node.elt, node.generators))

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return self.generic_visit(ast.GeneratorExp(pair, node.generators))


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
