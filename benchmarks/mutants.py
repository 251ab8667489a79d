"""Mechanical mutants of chapters' own answers, and how many their tests catch: `python -m benchmarks.mutants --all`.

A mutant is the reference answer with one small mistake: another operator, a constant off by one, a dropped term, a
wrong axis, an argument changed in place. It is caught if a test of its task fails. One that nothing catches shows a
weak test, or does the same as the answer; those are listed, with the reason, in tests/equivalent_mutants.toml.

What cannot be a mistake is not made: the reference runs once, and what its values are says whether a transpose, a
squeeze, another axis or work in place would change anything at a place (a number has no batch, a vector no transpose
and one axis only, the last axis of a matrix is axis 1).
"""

import ast
import copy
import difflib
import functools
import json
import random
import time
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from nbformat.v4 import new_code_cell

from autograder.authoring.bank import Answer, Trial, try_answers
from autograder.chapter.cells import NotebookCell
from autograder.chapter.reference import read_reference, reference_answers
from autograder.chapter.verdicts import Outcome
from autograder.course import Course, open_course
from autograder.wall.names import only_shown
from autograder.wall.trial import run_tests_in_kernel
from benchmarks.commands import named_or_all

EQUIVALENTS = Path(__file__).resolve().parent.parent / "tests" / "equivalent_mutants.toml"
MAX_PER_TASK = 12
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
A_LOT = 1000.0  # one more would be lost in rounding
EITHER_WAY_ROUND = {"max", "min", "maximum", "minimum", "allclose", "logaddexp", "transpose", "swapaxes"}
PLAIN, ANY = -1, 99  # dimensions of what cannot be changed in place, such as a number; of what no test ever reached
NOTING = f"""
def _note_value(task, place, value, in_place=("__iadd__", "__ior__"), *, seen={{}}):
    changeable = any(hasattr(value, name) for name in in_place)
    dimensions = getattr(value, "ndim", 0) if changeable else {PLAIN}
    places = seen.setdefault(task, {{}})
    places[place] = max(dimensions, places.get(place, dimensions))
    return value
"""
NOTED = "import json; print(json.dumps(_note_value.__kwdefaults__['seen']))"

Variant = ast.AST | list[ast.stmt] | None
Dimensions = Mapping[ast.AST, int]  # the most that the value of a node had


@dataclass(frozen=True)
class Mutant:
    """An answer with one mistake. `change` is the line that differs, as it reads in the mutant."""

    task: str
    kind: str
    source: str
    change: str
    diff: str


def mutants_of(task: str, source: str, seen: Mapping[int, int] | None = None) -> list[Mutant]:
    """All mutants of an answer, those that read the same as it or as one another left out.

    `seen` has the dimensions of the values of its nodes, by place as ast.walk goes; see `dimensions_seen`.
    """
    tree = ast.parse(source)
    plain = ast.unparse(tree)
    dimensions = {node: (seen or {}).get(number, ANY) for number, node in enumerate(ast.walk(tree))}
    found: dict[str, Mutant] = {}
    for number, node in enumerate(ast.walk(tree)):
        of_values = [*shape_variants(node, dimensions), *in_place_variants(node, tree, dimensions)]
        for kind, variant in [*variants(node, tree), *of_values]:
            if _same_axis(node, variant, tree, dimensions):
                continue
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
        case ast.Constant(value=bool() as value) if not _says_nothing(node, tree):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            yield "constant", ast.Constant(value + 1)
            yield "constant", ast.Constant(value - 1)
        case ast.Constant(value=float() as value):
            yield "constant", ast.Constant(value + 1 if value < A_LOT else 2 * value)
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
            if len(args) > 1 and not (len(args) == 2 and _called(node) in EITHER_WAY_ROUND):
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
        case ast.Tuple(elts=[first, second, *others], ctx=ast.Load()) if not _says_nothing(node, tree):
            yield "swapped arguments", _changed(node, elts=[second, first, *others])
        case ast.Return(value=value) if value is not None:
            for name in sorted(_local_names(node, tree) - {value.id if isinstance(value, ast.Name) else ""}):
                yield "wrong variable", ast.Return(ast.Name(name, ast.Load()))
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Break() | ast.Continue():
            yield "dropped statement", None


def shape_variants(node: ast.AST, dimensions: Dimensions) -> Iterator[tuple[str, Variant]]:
    """Mistakes that change or mix up dimensions, and sizes that hold for one input only."""
    match node:
        case ast.keyword(arg="axis" | "dim", value=value) if _constant(value) in AXES:
            yield "wrong axis", _changed(node, value=_constant_node(AXES[_constant(value)]))
        case ast.Call(func=ast.Attribute(attr=method), args=[first]) if method in ALONG_AN_AXIS:
            if _constant(first) in AXES:
                yield "wrong axis", _changed(node, args=[_constant_node(AXES[_constant(first)])])
        case ast.Attribute(attr="T" | "mT", value=value) if dimensions[value] > 1:
            yield "not transposed", value
        case ast.BinOp(op=ast.MatMult(), right=right) if dimensions[right] > 1:
            yield "transposed", _changed(node, right=ast.Attribute(right, "T", ast.Load()))
        case ast.Subscript(value=ast.Attribute(attr="shape")) | ast.Call(func=ast.Name(id="len")):
            yield "hard-coded size", ast.Constant(A_SIZE)
        case ast.Call(func=ast.Attribute(attr="size"), args=[_]):
            yield "hard-coded size", ast.Constant(A_SIZE)
        case ast.Return(value=value) if value is not None and dimensions[value] > 0:
            yield "squeezed", ast.Return(ast.Call(ast.Attribute(value, "squeeze", ast.Load()), [], []))
            yield "first of the batch", ast.Return(ast.Subscript(value, ast.Slice(None, ast.Constant(1)), ast.Load()))
    match node:
        case ast.Call(keywords=keywords) if any(keyword.arg in KEEPING for keyword in keywords):
            yield "dropped keepdims", _changed(node, keywords=[word for word in keywords if word.arg not in KEEPING])
        case ast.Subscript(slice=ast.Tuple(elts=elements), value=value) if any(map(_is_new_axis, elements)):
            kept = [element for element in elements if not _is_new_axis(element)]
            yield "dropped dimension", _changed(node, slice=ast.Tuple(kept, ast.Load())) if kept else value


def in_place_variants(node: ast.AST, tree: ast.Module, dimensions: Dimensions) -> Iterator[tuple[str, Variant]]:
    """The same computation in the memory of what it starts from, such as an argument."""
    match node:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=start) as left, op=operator, right=right)
        ) if dimensions[left] > PLAIN:
            if name == start or start in _arguments(node, tree):
                change: ast.stmt = ast.AugAssign(ast.Name(name, ast.Store()), operator, right)
                alias = ast.Assign([ast.Name(name, ast.Store())], ast.Name(start, ast.Load()))
                yield "in place", [change] if name == start else [alias, change]
        case ast.Return(value=ast.BinOp(left=ast.Name(id=start) as left, op=operator, right=right)):
            if dimensions[left] > PLAIN and start in _arguments(node, tree):
                change = ast.AugAssign(ast.Name(start, ast.Store()), operator, right)
                yield "in place", [change, ast.Return(ast.Name(start, ast.Load()))]
        case ast.Call(func=ast.Name(id="sorted"), args=[ast.Name() as values], keywords=keywords) if (
            dimensions[values] > PLAIN
        ):
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


def _along_axes(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.expr, ast.expr]]:
    """(where an axis stands, the axis, the array) for each call that works along an axis which is written there."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            given = [call.func.value] if isinstance(call.func, ast.Attribute) else []
            method = bool(given) and not _is_library(given[0])
            array = [*(given if method else []), *call.args, call][0]  # the call itself, where there is none
            for word in call.keywords:
                if word.arg in ("axis", "dim"):
                    yield word, word.value, array
            if method and len(call.args) == 1 and _called(call) in ALONG_AN_AXIS:
                yield call, call.args[0], array


def _same_axis(node: ast.AST, variant: Variant, tree: ast.AST, dimensions: Dimensions) -> bool:
    """Whether a variant only names the same axis in another way: -1 and 1 of a matrix, -1 and 0 of a vector."""
    for place, axis, array in _along_axes(tree):
        other: Any = None
        if node is axis:
            other = variant
        elif node is place and isinstance(variant, ast.keyword):
            other = variant.value
        elif node is place and isinstance(variant, ast.Call) and len(variant.args) == 1:
            other = variant.args[0]
        size, numbers = dimensions[array], (_constant(axis), _constant(other))
        if 0 < size < ANY and all(isinstance(number, int) and -size <= number < size for number in numbers):
            return bool(numbers[0] % size == numbers[1] % size)
    return False


def _is_library(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in LIBRARIES_OF_ARRAYS | {"copy"}


def _is_new_axis(node: ast.AST) -> bool:
    return _constant(node) is None and isinstance(node, ast.Constant) or getattr(node, "attr", "") == "newaxis"


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

    changed: ast.Module = Exchange().visit(copied)
    return changed


def _is_docstring(node: ast.AST, tree: ast.Module) -> bool:
    return any(isinstance(other, ast.Expr) and other.value is node for other in ast.walk(tree))


def _says_nothing(node: ast.AST, tree: ast.Module) -> bool:
    """Whether to change a node is no mistake: the order of a tuple right of `in`, or strict=True."""
    for other in ast.walk(tree):
        match other:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]) if right is node:
                return True
            case ast.keyword(arg="strict", value=ast.Constant(value=True) as value) if value is node:
                return True
    return False


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
    sources = reference_answers(read_reference(course, chapter))
    seen = dimensions_seen(course.root, chapter)
    return {task: chosen(mutants_of(task, source, seen.get(task)), most, seed) for task, source in sources.items()}


@functools.cache
def dimensions_seen(root: Path, chapter: str) -> dict[str, dict[int, int]]:
    """For each task the most dimensions that values in its answer have, by place, while the chapter's tests run.

    PLAIN stands for what cannot be changed in place. Raises if a cell of the reference fails when it is looked at.
    """
    course = open_course(root)
    reference = read_reference(course, chapter)
    answers = reference_answers(reference)
    notebook = reference.with_sources({task: noting(task, source) for task, source in answers.items()})
    shown = [notebook.cells[position].name for position in only_shown(notebook, reference)]
    first, last = NotebookCell.of(new_code_cell(NOTING)), NotebookCell.of(new_code_cell(NOTED))
    notebook = notebook.with_cells([first, *notebook.with_sources(dict.fromkeys(shown, "")).cells, last])
    verdicts = run_tests_in_kernel(course, chapter, notebook)
    assert all(verdict.outcome == Outcome.PASSED for verdict in verdicts), verdicts
    seen = json.loads(last.node.outputs[0].text)
    return {task: {int(place): most for place, most in places.items()} for task, places in seen.items()}


def noting(task: str, source: str) -> str:
    """An answer that notes the values that matter to a shape or to work in place."""
    tree = ast.parse(source)
    places = {node: number for number, node in enumerate(ast.walk(tree))}
    noted: set[ast.AST | None] = set()
    for node in places:
        match node:
            case ast.Return(value=value) | ast.Attribute(attr="T" | "mT", value=value):
                noted.add(value)
            case ast.BinOp(left=left, right=right):
                noted |= {left, right}
            case ast.Call(func=ast.Name(id="sorted"), args=[values]):
                noted.add(values)
    noted |= {array for _, _, array in _along_axes(tree)}
    matrices = {node.left for node in places if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)}

    class Note(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            inside = self.generic_visit(node)
            if node not in noted or not isinstance(inside, ast.expr):
                return inside
            values = [ast.Constant(task), ast.Constant(places[node]), inside]
            return ast.Call(
                ast.Name("_note_value"), values + [_constant_node(("__imatmul__",))] * (node in matrices), []
            )

    return ast.unparse(ast.fix_missing_locations(Note().visit(tree)))


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


def summary(name: str, caught: int, total: int, same: int) -> str:
    """How many mutants are caught: of all, and of those that do not do the same as the answer."""
    return (
        f"{name}: {caught} of {total} mutants caught ({100 * caught / total:.1f} %); "
        f"{same} others do the same as the answer, without them {100 * caught / (total - same):.1f} %"
    )


def main(
    chapters: Annotated[list[str] | None, typer.Argument(help="As their folders are called.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every chapter of the course.")] = False,
    most: Annotated[int, typer.Option(help="Mutants for each task, drawn by the seed.")] = MAX_PER_TASK,
    seed: int = 0,
    jobs: Annotated[int | None, typer.Option(help="Worker processes.")] = None,
    task: Annotated[str | None, typer.Option(help="Only this one.")] = None,
) -> None:
    """Small changes to the right answers: how many do the tests of a chapter catch?"""
    course = open_course()
    if not (chapters or every):
        raise typer.BadParameter(f"name chapters, or say --all; chapters: {', '.join(course.chapters())}")
    named = course.chapters() if every else named_or_all(chapters, course.chapters())
    totals = [try_chapter(course, chapter, most, seed, jobs, task) for chapter in named]
    if len(totals) > 1:
        print("\n" + summary("all", *map(sum, zip(*totals, strict=True))))


def try_chapter(
    course: Course, chapter: str, most: int, seed: int, jobs: int | None, task: str | None
) -> tuple[int, int, int]:
    """Print what the tests of a chapter catch; how many mutants they caught, of how many, and how many do the same."""
    start = time.monotonic()
    mutants = mutants_of_chapter(course, chapter, most, seed)
    if task:
        mutants = {task: mutants[task]}
    same = equivalents(chapter)
    alive = survivors(course, chapter, mutants, jobs)
    for name, listed in mutants.items():
        lived = [mutant for mutant in alive if mutant.task == name]
        equal = sum((name, mutant.change) in same for mutant in lived)
        note = f", {equal} the same as the answer" if equal else ""
        print(f"{name:28}{len(listed) - len(lived):4} of {len(listed):3} caught{note}")
    for mutant in alive:
        reason = same.get((mutant.task, mutant.change), "SURVIVED: a test is missing, or it does the same")
        print(f"\n{mutant.task}, {mutant.kind}: {reason}\n{mutant.diff}")
    equal = sum((mutant.task, mutant.change) in same for mutant in alive)
    total = sum(map(len, mutants.values()))
    counts = (total - len(alive), total, equal)
    print(f"\n{summary(chapter, *counts)}; seed {seed}, {time.monotonic() - start:.0f} s", flush=True)
    return counts


if __name__ == "__main__":
    typer.run(main)
