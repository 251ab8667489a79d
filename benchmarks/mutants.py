"""Mechanical mutants of chapters' own answers, and how many their tests catch: `python -m benchmarks.mutants --all`.

A mutant is the reference answer with one small mistake: another operator, a constant off by one, a dropped term, a
wrong axis, an argument changed in place. It is caught if a test of its task fails. One that nothing catches shows a
weak test, or does the same as the answer; those are listed, with the reason, in tests/equivalent_mutants.toml.
"""

import argparse
import ast
import copy
import difflib
import random
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader import utils

from autograder.authoring.bank import Answer, Trial, try_answers
from autograder.course import Course, open_course
from autograder.intake.submission import read_reference
from autograder.wall.verdicts import Outcome

EQUIVALENTS = Path(__file__).resolve().parent.parent / "tests" / "equivalent_mutants.toml"
MOST_PER_TASK = 12
SECONDS = 6  # for a cell: many mutants never end
SWAPS: dict[type, list[type]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Div],
    ast.Mod: [ast.FloorDiv],
    ast.Pow: [ast.Mult],
    ast.MatMult: [ast.Mult],
    ast.BitOr: [ast.BitAnd],
    ast.BitAnd: [ast.BitOr],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}
AXES = {0: 1, 1: 0, 2: 1, -1: 0, -2: -1, "index": "columns", "columns": "index"}
ALONG_AN_AXIS = {"sum", "mean", "max", "min", "argmax", "argmin", "prod", "cumsum", "softmax", "std", "var", "all"}
COPIES = {"copy", "clone", "deepcopy", "list", "dict", "set", "array", "tensor"}
KEEPING = {"keepdims", "keepdim"}
LIBRARIES_OF_ARRAYS = {"np", "numpy", "torch", "F"}
A_SIZE = 3  # that a hard-coded size has

Variant = ast.AST | list[ast.stmt] | None


@dataclass(frozen=True)
class Mutant:
    """An answer with one mistake. `change` is the line that differs, as it reads in the mutant."""

    task: str
    kind: str
    source: str
    change: str
    diff: str


def mutants_of(task: str, source: str) -> list[Mutant]:
    """All mutants of an answer, those that read the same as it or as one another left out."""
    tree = ast.parse(source)
    plain = ast.unparse(tree)
    found: dict[str, Mutant] = {}
    for number, node in enumerate(ast.walk(tree)):
        for kind, variant in [*variants(node, tree), *shape_variants(node, tree), *in_place_variants(node, tree)]:
            text = ast.unparse(ast.fix_missing_locations(_with(tree, number, variant)))
            if text != plain and text not in found:
                lines = list(difflib.unified_diff(plain.splitlines(), text.splitlines(), n=0, lineterm=""))[2:]
                added = [line[1:].strip() for line in lines if line.startswith("+")]
                dropped = [line[1:].strip() for line in lines if line.startswith("-")]
                change = f"without {dropped[0]}" if kind == "dropped statement" else " / ".join(added)
                found[text] = Mutant(task, kind, text, change, "\n".join(line for line in lines if line[:2] != "@@"))
    return list(found.values())


def variants(node: ast.AST, tree: ast.Module) -> Iterator[tuple[str, Variant]]:
    """What may stand in place of a node, with the kind of mistake; None drops a statement."""
    match node:
        case ast.Compare(ops=[operator]):
            for other in SWAPS.get(type(operator), []):
                yield "comparison", _changed(node, ops=[other()])
        case ast.BinOp(left=left, op=operator, right=right):
            for other in SWAPS.get(type(operator), []):
                yield "arithmetic", _changed(node, op=other())
            yield "dropped term", left
            yield "dropped term", right
        case ast.BoolOp(op=operator, values=values):
            yield "condition", _changed(node, op=SWAPS[type(operator)][0]())
            for number in range(len(values)):
                yield "dropped term", _changed(node, values=values[:number] + values[number + 1 :])
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "dropped not or minus", operand
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield "constant", ast.Constant(value + 1)
            yield "constant", ast.Constant(value - 1)
        case ast.Constant(value=float() as value):
            yield "constant", ast.Constant(value + 1)
        case ast.Constant(value=str() as value) if value and not _is_docstring(node, tree):
            yield "constant", ast.Constant(value + "_")
        case ast.IfExp(test=test) | ast.If(test=test) | ast.While(test=test):
            yield "negated condition", _changed(node, test=ast.UnaryOp(ast.Not(), test))
        case ast.comprehension(ifs=[test, *others]):
            yield "negated condition", _changed(node, ifs=[ast.UnaryOp(ast.Not(), test), *others])
            yield "dropped condition", _changed(node, ifs=others)
        case ast.Call(func=function, args=args):
            if isinstance(function, ast.Name) and function.id == "range":
                for step in (ast.Add(), ast.Sub()):
                    last = ast.BinOp(args[-1], step, ast.Constant(1))
                    yield "range", _changed(node, args=[*args[:-1], last])
            if len(args) > 1:
                yield "swapped arguments", _changed(node, args=[args[1], args[0], *args[2:]])
            kind = "dropped copy" if _called(node) in COPIES else "removed call"
            if isinstance(function, ast.Attribute) and not _is_library(function.value):
                yield kind, function.value
            elif args and not isinstance(args[0], ast.Starred):
                yield kind, args[0]
        case ast.Slice(lower=lower, upper=upper):
            if lower is not None:
                yield "slice", _changed(node, lower=ast.BinOp(lower, ast.Add(), ast.Constant(1)))
            if upper is not None:
                yield "slice", _changed(node, upper=ast.BinOp(upper, ast.Sub(), ast.Constant(1)))
        case ast.Tuple(elts=[first, second, *others], ctx=ast.Load()):
            yield "swapped arguments", _changed(node, elts=[second, first, *others])
        case ast.Return(value=value) if value is not None:
            for name in sorted(_local_names(node, tree) - {value.id if isinstance(value, ast.Name) else ""}):
                yield "wrong variable", ast.Return(ast.Name(name, ast.Load()))
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Break() | ast.Continue():
            yield "dropped statement", None


def shape_variants(node: ast.AST, tree: ast.Module) -> Iterator[tuple[str, Variant]]:
    """Mistakes that change or mix up dimensions, and sizes that hold for one input only."""
    match node:
        case ast.keyword(arg="axis" | "dim", value=value) if _constant(value) in AXES:
            yield "wrong axis", _changed(node, value=_constant_node(AXES[_constant(value)]))
        case ast.Call(func=ast.Attribute(attr=method), args=[first]) if method in ALONG_AN_AXIS:
            if _constant(first) in AXES:
                yield "wrong axis", _changed(node, args=[_constant_node(AXES[_constant(first)])])
        case ast.Attribute(attr="T" | "mT", value=value):
            yield "not transposed", value
        case ast.BinOp(op=ast.MatMult(), right=right):
            yield "transposed", _changed(node, right=ast.Attribute(right, "T", ast.Load()))
        case ast.Subscript(value=ast.Attribute(attr="shape")) | ast.Call(func=ast.Name(id="len")):
            yield "hard-coded size", ast.Constant(A_SIZE)
        case ast.Call(func=ast.Attribute(attr="size"), args=[_]):
            yield "hard-coded size", ast.Constant(A_SIZE)
        case ast.Return(value=value) if value is not None and _makes_arrays(node, value, tree):
            yield "squeezed", ast.Return(ast.Call(ast.Attribute(value, "squeeze", ast.Load()), [], []))
            yield "first of the batch", ast.Return(ast.Subscript(value, ast.Slice(None, ast.Constant(1)), ast.Load()))
    match node:
        case ast.Call(keywords=keywords) if any(keyword.arg in KEEPING for keyword in keywords):
            yield "dropped keepdims", _changed(node, keywords=[word for word in keywords if word.arg not in KEEPING])
        case ast.Subscript(slice=ast.Tuple(elts=elements), value=value) if any(map(_is_new_axis, elements)):
            kept = [element for element in elements if not _is_new_axis(element)]
            yield "dropped dimension", _changed(node, slice=ast.Tuple(kept, ast.Load())) if kept else value


def in_place_variants(node: ast.AST, tree: ast.Module) -> Iterator[tuple[str, Variant]]:
    """The same computation in the memory of what it starts from, such as an argument."""
    match node:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=start), op=operator, right=right)
        ):
            if name == start or start in _arguments(node, tree):
                change: ast.stmt = ast.AugAssign(ast.Name(name, ast.Store()), operator, right)
                alias = ast.Assign([ast.Name(name, ast.Store())], ast.Name(start, ast.Load()))
                yield "in place", [change] if name == start else [alias, change]
        case ast.Return(value=ast.BinOp(left=ast.Name(id=start), op=operator, right=right)):
            if start in _arguments(node, tree):
                change = ast.AugAssign(ast.Name(start, ast.Store()), operator, right)
                yield "in place", [change, ast.Return(ast.Name(start, ast.Load()))]
        case ast.Call(func=ast.Name(id="sorted"), args=[ast.Name() as values], keywords=keywords):
            sorting = ast.Call(ast.Attribute(values, "sort", ast.Load()), [], keywords)
            yield "in place", ast.BoolOp(ast.Or(), [sorting, values])  # sort() gives None, so this is the list


def _constant(node: ast.AST) -> Any:
    """The value of a constant, also of a negative number; None of anything else."""
    try:
        return ast.literal_eval(node) if isinstance(node, (ast.Constant, ast.UnaryOp)) else None
    except ValueError:
        return None


def _constant_node(value: Any) -> ast.expr:
    return ast.parse(repr(value), mode="eval").body


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_library(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in LIBRARIES_OF_ARRAYS | {"copy"}


def _is_new_axis(node: ast.AST) -> bool:
    return _constant(node) is None and isinstance(node, ast.Constant) or getattr(node, "attr", "") == "newaxis"


def _makes_arrays(node: ast.AST, value: ast.expr, tree: ast.Module) -> bool:
    """Whether a returned value may be an array: it is no container, and its function works with arrays."""
    if isinstance(
        value, (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
    ):
        return False
    inside = list(ast.walk(_function_around(node, tree) or node))
    return any(_is_library(other) or isinstance(other, ast.MatMult) for other in inside)


def _changed(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _with(tree: ast.Module, number: int, variant: Variant) -> ast.Module:
    """A copy of the tree in which another node stands at a place; places are counted as ast.walk goes."""
    copied = copy.deepcopy(tree)
    target = list(ast.walk(copied))[number]

    class Exchange(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            if node is target:
                return ast.Pass() if variant is None else copy.deepcopy(variant)
            return self.generic_visit(node)

    return Exchange().visit(copied)


def _is_docstring(node: ast.AST, tree: ast.Module) -> bool:
    return any(isinstance(other, ast.Expr) and other.value is node for other in ast.walk(tree))


def _local_names(node: ast.AST, tree: ast.Module) -> set[str]:
    """Arguments and variables of the innermost function around a node."""
    function = _function_around(node, tree)
    if function is None:
        return set()
    inside = list(ast.walk(function))
    stored = {other.id for other in inside if isinstance(other, ast.Name) and isinstance(other.ctx, ast.Store)}
    loops = {name.id for other in inside if isinstance(other, ast.comprehension) for name in _names(other.target)}
    return (stored - loops) | _arguments(node, tree)


def _arguments(node: ast.AST, tree: ast.Module) -> set[str]:
    """Arguments of the innermost function around a node."""
    function = _function_around(node, tree)
    return {argument.arg for argument in function.args.args} if function else set()


def _function_around(node: ast.AST, tree: ast.Module) -> ast.FunctionDef | None:
    around = [other for other in ast.walk(tree) if isinstance(other, ast.FunctionDef) and node in ast.walk(other)]
    return around[-1] if around else None


def _names(node: ast.AST) -> list[ast.Name]:
    return [other for other in ast.walk(node) if isinstance(other, ast.Name)]


def chosen(mutants: list[Mutant], most: int, seed: int) -> list[Mutant]:
    """At most so many of the mutants of one task, of as many kinds as there are; the same for the same seed."""
    by_kind: dict[str, list[Mutant]] = {}
    shuffled = random.Random(seed).sample(mutants, len(mutants))
    for mutant in shuffled:
        by_kind.setdefault(mutant.kind, []).append(mutant)
    turns = [
        (turn, position, mutant) for position, kind in enumerate(by_kind.values()) for turn, mutant in enumerate(kind)
    ]
    return [mutant for _, _, mutant in sorted(turns, key=lambda turn: turn[:2])[:most]]


def mutants_of_chapter(course: Course, chapter: str, most: int, seed: int) -> dict[str, list[Mutant]]:
    """The chosen mutants of each task of a chapter."""
    reference = read_reference(course, chapter)
    sources = {cell.metadata.nbgrader.grade_id: cell.source for cell in reference.cells if utils.is_solution(cell)}
    return {task: chosen(mutants_of(task, source), most, seed) for task, source in sources.items()}


def survivors(course: Course, chapter: str, mutants: dict[str, list[Mutant]], jobs: int | None = None) -> list[Mutant]:
    """Grade mutants; those that no test of their task caught. Raises if one could not be graded at all."""
    answers = {
        task: [Answer(task, str(number), mutant.source, ("any",)) for number, mutant in enumerate(listed)]
        for task, listed in mutants.items()
    }
    trials = try_answers(course, chapter, answers, jobs, seconds=SECONDS)
    unclear = [trial.answer for trial in trials if _is_unclear(trial)]
    settled = [trial for trial in trials if not _is_unclear(trial)]
    for answer in unclear:  # neighbours used up the time of the notebook: again, alone
        settled += try_answers(course, chapter, {answer.task: [answer]}, jobs, seconds=SECONDS)
    assert not any(_is_unclear(trial) for trial in settled)
    return [
        mutants[trial.answer.task][int(trial.answer.label)]
        for trial in settled
        if all(verdict.outcome == Outcome.PASSED for verdict in trial.verdicts)
    ]


def _is_unclear(trial: Trial) -> bool:
    """Whether tests did not run and none failed."""
    return {verdict.outcome for verdict in trial.verdicts} in ({Outcome.NOT_RUN}, {Outcome.NOT_RUN, Outcome.PASSED})


def equivalents(chapter: str) -> dict[tuple[str, str], str]:
    """(task, change) -> why a mutant does the same as the answer."""
    listed = tomllib.loads(EQUIVALENTS.read_text(encoding="utf-8")).get("mutant", [])
    return {(row["task"], row["change"]): row["reason"] for row in listed if row["chapter"] == chapter}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("chapters", nargs="*")
    parser.add_argument("--all", action="store_true", help="every chapter of the course")
    parser.add_argument("--most", type=int, default=MOST_PER_TASK, help="mutants for each task, drawn by the seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--task", help="only this one")
    arguments = parser.parse_args()
    course = open_course()
    chapters = course.chapters() if arguments.all else arguments.chapters
    if not chapters:
        parser.error(f"name chapters, or say --all; chapters: {', '.join(course.chapters())}")
    totals = [try_chapter(course, chapter, arguments) for chapter in chapters]
    if len(totals) > 1:
        caught, total = map(sum, zip(*totals, strict=True))
        print(f"\nall: {caught} of {total} mutants caught ({100 * caught / total:.1f} %)")


def try_chapter(course: Course, chapter: str, arguments: argparse.Namespace) -> tuple[int, int]:
    """Print what the tests of a chapter catch; how many mutants they caught, and of how many."""
    start = time.monotonic()
    mutants = mutants_of_chapter(course, chapter, arguments.most, arguments.seed)
    if arguments.task:
        mutants = {arguments.task: mutants[arguments.task]}
    same = equivalents(chapter)
    alive = survivors(course, chapter, mutants, arguments.jobs)
    for task, listed in mutants.items():
        weak = [mutant for mutant in alive if mutant.task == task and (task, mutant.change) not in same]
        equal = sum(mutant.task == task and (task, mutant.change) in same for mutant in alive)
        counted = len(listed) - equal
        print(f"{task:28}{counted - len(weak):4} of {counted:3} caught" + (f", {equal} equivalent" if equal else ""))
    for mutant in alive:
        reason = same.get((mutant.task, mutant.change), "SURVIVED: a test is missing, or it does the same")
        print(f"\n{mutant.task}, {mutant.kind}: {reason}\n{mutant.diff}")
    equal = sum((mutant.task, mutant.change) in same for mutant in alive)
    total = sum(map(len, mutants.values())) - equal
    caught = total - (len(alive) - equal)
    print(
        f"\n{chapter}: {caught} of {total} mutants caught ({100 * caught / total:.1f} %), "
        f"{equal} equivalent, seed {arguments.seed}, {time.monotonic() - start:.0f} s",
        flush=True,
    )
    return caught, total


if __name__ == "__main__":
    main()
