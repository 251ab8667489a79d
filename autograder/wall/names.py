"""Which cells of a chapter are the judge's own: found by reading the reference, before any student code runs.

A given (locked) cell belongs to the judge unless it uses a name that a task or scratch cell binds; then it runs on the
student's side only, and the names it binds are the student's as well. Of the judge's own cells only those run on our
side that a test needs.
"""

import ast
import functools
import re
import symtable
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from IPython.core.inputtransformer2 import TransformerManager

from autograder.chapter.cells import CellKind, Notebook, NotebookCell
from autograder.wall.inside.preparation import OPTIMIZERS

SHOWS_FIGURES = re.compile(r"^%matplotlib\b", re.MULTILINE)
FIGURES = ("matplotlib.pyplot", "matplotlib_inline.backend_inline")  # modules that this magic imports
SETS_PATH = re.compile(r"\bsys\.path\b|\bfrom sys import\b.*\bpath\b")  # decides where modules are found


@dataclass(frozen=True)
class Names:
    """What a piece of code does to names at its top level, and which ones it uses from outside.

    `binds` has what it assigns, imports or changes in place; `asks` those of which it only calls a method for what that
    does, which changes a list but hardly a module; `passes` those that it hands to a function, which may change them.
    `later` has those that its functions use, whenever they are called.
    """

    binds: frozenset[str]
    uses: frozenset[str]
    asks: frozenset[str] = frozenset()
    passes: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()

    def changes(self, modules: set[str]) -> frozenset[str]:
        """What has another value afterwards, where these names stand for modules."""
        return self.binds | (self.asks - modules)


@dataclass(frozen=True)
class Plan:
    """For each test cell, by grade id: what the judge runs before it, and what it asks of the student's side.

    `given` has the positions of given cells, in order; `asked` has names.
    """

    given: dict[str, list[int]]
    asked: dict[str, frozenset[str]]
    own: tuple[int, ...]  # positions of all cells that are the judge's own
    imported: dict[str, tuple[str, str]]  # names that students' cells import: the module, and what of it


@functools.lru_cache(maxsize=4096)  # a class brings the same reference cells again and again
def names_of(source: str) -> Names | None:
    """The names in a cell, or None if it is not plain Python (an IPython magic, say)."""
    try:
        tree = ast.parse(source)
        generators = ast.unparse(_Generators().visit(ast.parse(source)))
        top = symtable.symtable(generators, "<cell>", "exec")
    except (SyntaxError, ValueError):
        return None
    imports = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_imported()}
    binds = imports | {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned()}
    uses = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    uses = (uses | _augmented(tree.body)) & _read_first(tree.body, set())
    later = set()
    for table in _nested(top):
        for symbol in table.get_symbols():
            if symbol.is_global():
                later.add(symbol.get_name())
                if symbol.is_assigned():
                    binds.add(symbol.get_name())
    changed, asked, passed = _changed(tree)
    sets = (binds | changed, uses | later, asked, passed, imports, later)
    return Names(*map(frozenset, sets))


def modules_of(reference: Notebook) -> tuple[str, ...]:
    """The modules that a reference notebook imports outside its tests, to be imported before students come.

    Cells with magics count, for many a course imports all it needs below `%matplotlib inline`.
    torch.optim is among them if it is mentioned anywhere, for its first optimizer is slow; see `preparation.warm_up`.
    """
    sources = [cell.source for cell in reference.cells if cell.is_code and not cell.is_test]
    modules = dict.fromkeys(module for source in sources for module in _imported_by(source))
    uses_torch = any(module.partition(".")[0] == "torch" for module in modules)
    if uses_torch and any("optim" in source for source in sources):
        modules[OPTIMIZERS] = None
    return tuple(modules)


@functools.lru_cache(maxsize=1024)  # a class brings the same reference cells again and again
def _imported_by(source: str) -> tuple[str, ...]:
    modules: dict[str, None] = {}
    tree = _tree_of(source)
    for node in ast.walk(tree) if tree is not None else []:
        if isinstance(node, ast.Import):
            modules |= dict.fromkeys(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            # What is imported from a package may be a module of it; a name that is none does no harm.
            modules |= dict.fromkeys([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
    if SHOWS_FIGURES.search(source):
        modules |= dict.fromkeys(FIGURES)
    return tuple(modules)


@functools.lru_cache(maxsize=1024)
def _imports_of(source: str) -> tuple[tuple[str, tuple[str, str]], ...]:
    """The names that a cell imports, each with its module and what of it that is, or "" for the module itself."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found.append((alias.asname or top, (alias.name if alias.asname else top, "")))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [(alias.asname or alias.name, (node.module, alias.name)) for alias in node.names]
    return tuple(found)


def prelude_of(reference: Notebook) -> str:
    """The given cells before the first task: what a chapter sets up, which may be slow the first time."""
    cells = []
    for cell in reference.cells:
        if cell.kind == CellKind.TASK:
            break
        if cell.is_code and cell.is_locked and names_of(cell.source) is not None:
            cells.append(cell.source)
    return "\n".join(cells)


def plan(reference: Notebook) -> Plan:
    """Which given cells the judge runs for each test cell of a reference notebook."""
    students: set[str] = set()
    modules: set[str] = set()
    judges_cells: dict[int, Names] = {}
    paths: set[int] = set()  # positions of those that decide where modules are found, which any test may need
    given: dict[str, list[int]] = {}
    asked: dict[str, frozenset[str]] = {}
    imported: dict[str, tuple[str, str]] = {}
    for position, cell in enumerate(reference.cells):
        if not cell.is_code:
            continue
        names = names_of(cell.source)
        if cell.is_test:
            if names is None:
                raise ValueError(f"Test cell {cell.name} is not plain Python.")
            given[cell.name] = _needed(set(names.uses) - students, judges_cells, modules, paths)
            asked[cell.name] = (names.uses - names.binds) & students
        elif names is None:
            continue
        elif cell.is_locked and not names.uses & students:
            judges_cells[position] = names
            paths |= {position} if SETS_PATH.search(cell.source) else set()
            students -= names.changes(modules)
            modules = (modules - names.binds) | names.imports
        else:
            students |= names.changes(modules)
            modules -= names.binds
            imported |= dict(_imports_of(cell.source))
    return Plan(given, asked, tuple(judges_cells), imported)


def only_shown(notebook: Notebook, reference: Notebook) -> list[int]:
    """Positions of the course's cells that bind nothing for a task or test, nor for a cell that does: figures, say.

    No verdict depends on them, and in a chapter that trains they take most of the time. Free cells that are as the
    course has them count too. A cell that hands to a function what a cell of the student's own uses is none of them:
    that may show what the function has made of it.
    """
    ours = {cell.source for cell in reference.cells if not cell.is_answer and not cell.is_test}
    cells = [(position, cell, names_of(cell.source)) for position, cell in _code_cells(notebook)]
    if any(names is None and cell.source not in ours and _tree_of(cell.source) is not None for _, cell, names in cells):
        return []  # what it uses cannot be read
    modules = {name for _, _, names in cells if names for name in names.imports}
    needed: dict[int, Names] = {}
    while True:
        # What a function that is needed uses may be bound below it.
        wanted = {name for names in needed.values() for name in names.later}
        looked_at: set[str] = set()
        before = len(needed)
        for position, cell, names in reversed(cells):
            if names is None:
                continue
            is_of_course = not cell.is_answer and not cell.is_test and cell.source in ours
            if not is_of_course or names.changes(modules) & wanted or names.passes & looked_at - modules:
                needed[position] = names
                wanted |= names.uses
            if not is_of_course and not cell.is_answer and not cell.is_test:
                looked_at |= names.uses
        if len(needed) == before:
            return [position for position, _, names in cells if names is not None and position not in needed]


def _tree_of(source: str) -> ast.Module | None:
    """What IPython makes of a cell, whose magics are calls then; None if it does not run."""
    try:
        return ast.parse(TransformerManager().transform_cell(source))
    except (SyntaxError, ValueError):
        return None


def _code_cells(notebook: Notebook) -> list[tuple[int, NotebookCell]]:
    return [(position, cell) for position, cell in enumerate(notebook.cells) if cell.is_code]


def _needed(wanted: set[str], judges_cells: dict[int, Names], modules: set[str], paths: set[int]) -> list[int]:
    """Positions of the cells that bind the wanted names, those in `paths`, and what all these need in turn."""
    needed = []
    for position in sorted(judges_cells, reverse=True):
        names = judges_cells[position]
        if position in paths or names.changes(modules) & wanted:
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


def _read_first(body: list[ast.stmt], bound: set[str]) -> set[str]:
    """Names that statements may read before they have bound them; `bound` has those that are bound and grows.

    Names of inner scopes may be among them, and what only some branches bind does not count as bound.
    """
    read: set[str] = set()
    for statement in body:
        if isinstance(statement, (ast.For, ast.With, ast.If, ast.While, ast.Try)):
            bodies = [getattr(statement, field, []) for field in ("body", "orelse", "finalbody")]
            bodies += [handler.body for handler in getattr(statement, "handlers", [])]
            inside = {id(node) for part in bodies for inner in part for node in ast.walk(inner)}
            head = [node for node in ast.walk(statement) if id(node) not in inside]
            read |= _loaded(head) - bound
            for part in bodies:
                # A loop's variable and a context are bound wherever the body runs, though perhaps not after it.
                is_body = part is statement.body and isinstance(statement, (ast.For, ast.With))
                inner_bound = bound | _stored(head) if is_body else set(bound)
                read |= _read_first(part, inner_bound)
                if isinstance(statement, ast.With) and not _loaded(head) & {"suppress", "contextlib"}:
                    bound |= inner_bound  # its body runs to the end, or the whole cell does not
        else:
            read |= _loaded(list(ast.walk(statement))) - bound
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
                bound |= _stored(statement.targets if isinstance(statement, ast.Assign) else [statement.target])
            elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                bound.add(statement.name)
            elif isinstance(statement, ast.Delete):
                bound -= {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return read


def _loaded(nodes: list[ast.AST]) -> set[str]:
    names = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)}
    return names | _augmented(nodes)


def _augmented(nodes: Iterable[ast.AST]) -> set[str]:
    """The `x` of each `x += 1`, which reads it too; functions and classes have names of their own."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            found |= _augmented(ast.iter_child_nodes(node))
    return found


def _stored(nodes: Sequence[ast.AST]) -> set[str]:
    inner = [node for outer in nodes for node in ast.walk(outer)]
    return {node.id for node in inner if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _nested(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    return [inner for child in table.get_children() for inner in (child, *_nested(child))]


def _changed(tree: ast.Module) -> tuple[set[str], set[str], set[str]]:
    """Names that a cell changes in place (`x[0] = 1`, `x.a = 1`), asks to change (`x.append(1)`), and hands over."""
    changed: set[str] = set()
    asked: set[str] = set()
    passed: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            changed |= _names_in_place(node.targets)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            changed |= _names_in_place([node.target])
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            asked |= _names_in_place([node.value.func])
        if isinstance(node, ast.Call):
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            passed |= {argument.id for argument in arguments if isinstance(argument, ast.Name)}
    return changed, asked, passed


def _names_in_place(targets: list[ast.expr]) -> set[str]:
    """The name `x` of each `x.a`, `x[0]` and the like."""
    names = set()
    for target in targets:
        place = target
        while isinstance(place, (ast.Attribute, ast.Subscript)):
            place = place.value
        if isinstance(place, ast.Name) and place is not target:
            names.add(place.id)
    return names
