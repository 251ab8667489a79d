"""What tests of an adopted course have to share with the student's code, found by reading the reference.

In one process a test may bind a name that a student's function reads, exchange a function of a library, or set a seed.
Only what the course's own answers could notice is handed over: the values of such names, and nothing else of a test.
"""

import ast
import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.chapter.cells import Notebook, NotebookCell
from autograder.wall.names import names_of

ALWAYS_PATCHED = (("builtins", "input"), ("builtins", "print"), ("sys", "stdin"))
NEVER_PATCHED = (("sys", "stdout"), ("sys", "stderr"))  # what is printed comes over by itself
SEEDS = re.compile(r"seed\(|set_state\(|setstate\(")
DOTTED = re.compile(r"[A-Za-z_]\w*(\.\w+)*\.\w+")
# Methods that change what they belong to.
# fmt: off
CHANGING = frozenset((
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "setdefault", "popitem",
    "add", "discard", "fill", "appendleft", "popleft", "rotate", "put", "resize", "drop", "shuffle", "heappush",
    "heappop", "heapify",
))
# fmt: on


@dataclass(frozen=True)
class Needs:
    """What one test shares with the student's code.

    `shared` has names that it binds and student code reads, `fleeting` those that student code changes, `classes` those
    of the answers' classes, `patched` attributes of modules. `changes` says that an answer changes what it is given.
    """

    shared: frozenset[str] = frozenset()
    in_place: frozenset[str] = frozenset()  # those of the shared names whose values the test changes in place
    fleeting: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    patched: tuple[tuple[str, str], ...] = ()
    seeds: bool = False
    changes: bool = False


def needs_of(reference: Notebook) -> dict[str, Needs]:
    """For each test that no build of ours has made, by its name."""
    tests = [cell for cell in reference.tests if is_foreign(cell)]
    if not tests:
        return {}
    others = [cell.source for cell in reference.cells if cell.is_code and not cell.is_test]
    theirs = [found for source in others if (found := _answer(source))]
    read = frozenset().union(*(found.reads for found in theirs))
    fleeting = frozenset().union(*(found.changes for found in theirs))
    classes = frozenset().union(*(found.classes for found in theirs))
    changers = frozenset().union(*(found.changers for found in theirs))
    sources = [*others, *(cell.source for cell in tests)]
    aliases = dict(pair for source in sources for pair in _aliases(source))
    places = {place for source in sources for place in _patched(source, aliases)}
    main = frozenset(name for module, name in places if module == "__main__")
    places = {place for place in places if place[0] != "__main__"} - {*ALWAYS_PATCHED, *NEVER_PATCHED}
    patched = (*ALWAYS_PATCHED, *sorted(places))
    seeds = any(map(SEEDS.search, sources))
    needs = {}
    for cell in tests:
        names = names_of(cell.source)
        if names is not None:
            bound = names.binds | _deleted(cell.source) | main
            needs[cell.name] = Needs(
                shared=bound & read,
                in_place=_in_place(cell.source) & read,
                fleeting=fleeting,
                classes=classes,
                patched=patched,
                seeds=seeds,
                changes=bool((names.uses | names.later) & changers),
            )
    return needs


def is_foreign(test: NotebookCell) -> bool:
    """Whether a test was not made by a build of ours, which says what it checks."""
    return not test.aspect


@dataclass(frozen=True)
class _Answer:
    """What functions and classes of a cell do to names."""

    reads: frozenset[str]
    changes: frozenset[str]
    classes: frozenset[str]
    changers: frozenset[str]


@functools.lru_cache(maxsize=1024)  # a class brings the same reference cells again and again
def _answer(source: str) -> _Answer | None:
    names = names_of(source)
    if names is None:
        return None
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inner = [node for function in functions for node in ast.walk(function)]
    changes = {name for node in inner if isinstance(node, ast.Global) for name in node.names}
    changes |= {name for node in functions for name in _changed_in(node)} & names.later
    classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    changers = {node.name for node in functions if _changed_in(node) & {arg.arg for arg in _arguments(node)}}
    return _Answer(names.later, frozenset(changes), frozenset(classes), frozenset(changers))


def _arguments(function: ast.FunctionDef) -> list[ast.arg]:
    named = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return [arg for arg in named if arg.arg not in ("self", "cls")]


def _changed_in(function: ast.AST) -> set[str]:
    """Names of which something is set, taken away, or asked for by a method that changes them."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.Delete)):
            found |= {name for target in node.targets for name in _roots(target)}
        elif isinstance(node, ast.AugAssign):
            found |= set(_roots(node.target)) | ({node.target.id} if isinstance(node.target, ast.Name) else set())
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
                found |= set(_roots(node.func))
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in CHANGING:
                found |= {argument.id for argument in node.args if isinstance(argument, ast.Name)}
    return found


def _roots(target: ast.expr) -> Iterator[str]:
    """The name `x` of each `x.a` and `x[0]` in a target."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from _roots(part)
        return
    place: ast.expr = target
    while isinstance(place, (ast.Attribute, ast.Subscript, ast.Starred)):
        place = place.value
    if isinstance(place, ast.Name) and place is not target:
        yield place.id


def _in_place(source: str) -> frozenset[str]:
    return frozenset(_changed_in(ast.parse(source)))


def _deleted(source: str) -> frozenset[str]:
    deleted = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Delete)]
    return frozenset(target.id for node in deleted for target in node.targets if isinstance(target, ast.Name))


@functools.lru_cache(maxsize=1024)
def _aliases(source: str) -> Sequence[tuple[str, str]]:
    """Which names a cell gives to modules, or to what may be one."""
    if names_of(source) is None:
        return ()
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found.append((alias.asname or top, alias.name if alias.asname else top))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [(alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names]
    return tuple(found)


def _patched(source: str, aliases: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Attributes of modules that a cell sets, takes away or has a mock stand for."""
    if names_of(source) is None:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Assign, ast.Delete)):
            for target in node.targets:
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                for part in parts:
                    if isinstance(part, ast.Attribute) and (place := _module(part.value, aliases)):
                        yield place, part.attr
        elif isinstance(node, ast.Call) and re.search("patch|setattr", ast.unparse(node.func)):
            first = node.args[0] if node.args else None
            second = node.args[1] if len(node.args) > 1 else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and DOTTED.fullmatch(first.value):
                module, _, name = first.value.rpartition(".")
                yield module, name
            elif first is not None and isinstance(second, ast.Constant) and isinstance(second.value, str):
                place = _module(first, aliases)
                if place:
                    yield place, second.value


def _module(node: ast.expr, aliases: dict[str, str]) -> str:
    """The module that `a.b` stands for, if `a` is one."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in aliases:
        return ""
    return ".".join([aliases[node.id], *reversed(parts)])
