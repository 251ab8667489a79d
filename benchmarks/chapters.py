"""A chapter's own code for programs: what it teaches is what they run, and a change there is a change here."""

import ast
import dis
import os
import tempfile
from collections.abc import Iterator
from types import CodeType
from typing import Any

from autograder.course import sections_of
from lmkit.paths import DATA

SOLUTIONS = DATA.parent / "solutions"


def chapter_functions(chapter: str, wanted: set[str]) -> dict[str, Any]:
    """The names `wanted` (functions, classes, values) as the chapter's reference defines them, and all they need.

    Of the chapter's top level only imports run, and those definitions and assignments on which a wanted name depends,
    in their order; the last one of a name holds. No test, print or figure runs. Raises NameError for a name that the
    chapter does not define.
    """
    body = [
        node for path in sections_of(SOLUTIONS / chapter) for node in ast.parse(path.read_text(encoding="utf-8")).body
    ]
    bound = [_bound(node) for node in body]
    if missing := wanted.difference(*bound):
        raise NameError(f"{chapter} does not define {', '.join(sorted(missing))}")
    needed, kept = set(wanted), {i for i, node in enumerate(body) if isinstance(node, ast.Import | ast.ImportFrom)}
    while more := {i for i, names in enumerate(bound) if names & needed} - kept:
        kept |= more
        for i in more:
            needed.update(_global_names(compile(ast.Module([body[i]], []), chapter, "exec")))
    names: dict[str, Any] = {}
    exec(compile(ast.Module([body[i] for i in sorted(kept)], []), chapter, "exec"), names)
    return names


def on_the_kitchen_text(chapter: str, wanted: set[str], budget: str) -> dict[str, Any]:
    """`chapter_functions` on a CPU, with a budget ("grading", "laptop"), where nobody has put a text of their own."""
    with tempfile.TemporaryDirectory() as empty:
        os.environ |= {"LMKIT_BUDGET": budget, "LMKIT_DEVICE": "cpu", "LMKIT_OFFLINE": "1", "LMKIT_TEXTS": empty}
        return chapter_functions(chapter, wanted)


def _bound(node: ast.stmt) -> set[str]:
    """The names that a statement defines: a function, a class, or the targets of an assignment."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign):
        return {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return set()


def _global_names(code: CodeType) -> Iterator[str]:
    """The names that code looks up outside itself, in the functions within it too."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
            yield instruction.argval
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _global_names(inner)
