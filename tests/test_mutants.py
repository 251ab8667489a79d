"""Small mistakes put into the reference answers by machine are caught by the chapter's tests."""

import tomllib
from typing import Any

import numpy as np
import pytest
import torch

from autograder.course import Course, open_course
from benchmarks.mutants import (
    EQUIVALENTS,
    NOTING,
    chosen,
    equivalents,
    mutants_of,
    mutants_of_chapter,
    noting,
    summary,
    survivors,
)
from conftest import ROOT

CHAPTERS = open_course(ROOT).chapters()
QUICK = "01_bigrams"  # what `make test` tries of them

SQUARES = '''def total(values, start=0):
    """The docstring stays."""
    result = start
    for value in values[1:]:
        if value < 3 and not value == 2:
            result += value * 2
    return result
'''


def test_mutants_make_one_mistake_each() -> None:
    mutants = mutants_of("total", SQUARES)
    changes = {mutant.change for mutant in mutants}
    assert {
        "def total(values, start=1):",
        "for value in values[2:]:",
        "for value in values[1 + 1:]:",
        "if value <= 3 and (not value == 2):",
        "if value < 3 or not value == 2:",
        "if value < 3 and value == 2:",
        "if not (value < 3 and (not value == 2)):",
        "result += value / 2",
        "result += value",
        "without result += value * 2",
        "return start",
    } <= changes
    assert all(
        compile(mutant.source, "<mutant>", "exec") and "The docstring stays." in mutant.source for mutant in mutants
    )
    assert len({mutant.source for mutant in mutants}) == len(mutants)
    assert chosen(mutants, 9, seed=1) == chosen(mutants, 9, seed=1)
    assert len({mutant.kind for mutant in chosen(mutants, 9, seed=1)}) == 9


SHAPES = """import numpy as np

def scores(x, W, names):
    total = x.sum(axis=-1, keepdims=True) + x.max(1)[:, None]
    ordered = sorted(names)
    y = x.copy()
    z = x - total
    y = y / len(names)
    if names:
        return x + W.T @ y * x.shape[0]
    return z
"""


def test_mutants_of_shape_size_and_place() -> None:
    changes: dict[str, set[str]] = {}
    for mutant in mutants_of("scores", SHAPES):
        compile(mutant.source, "<mutant>", "exec")
        changes.setdefault(mutant.kind, set()).add(mutant.change)
    total = "total = x.sum(axis=-1, keepdims=True) + x.max(1)[:, None]"
    assert changes["wrong axis"] == {total.replace("axis=-1", "axis=0"), total.replace("max(1)", "max(0)")}
    assert changes["dropped keepdims"] == {total.replace(", keepdims=True", "")}
    assert changes["dropped dimension"] == {total.replace("[:, None]", "[:,]")}
    assert changes["not transposed"] == {"return x + W @ y * x.shape[0]"}
    assert changes["transposed"] == {"return x + W.T @ y.T * x.shape[0]"}
    assert changes["hard-coded size"] == {"return x + W.T @ y * 3", "y = y / 3"}
    assert changes["squeezed"] == {"return (x + W.T @ y * x.shape[0]).squeeze()", "return z.squeeze()"}
    assert changes["first of the batch"] == {"return (x + W.T @ y * x.shape[0])[:1]", "return z[:1]"}
    assert changes["dropped copy"] == {"y = x"}
    assert changes["in place"] == {
        "ordered = names.sort() or names",
        "z = x / z -= total",
        "y /= len(names)",
        "x += W.T @ y * x.shape[0] / return x",
    }


VALUES = """def gram(x, names, scale):
    scale = scale / 2
    x = x * max(scale, 1)
    ordered = sorted(names)
    if scale > 2.9:
        return scale
    return x @ x.T
"""


def changes_of_values(*arguments: object) -> set[str]:
    """The mutants that depend on the values that `gram` works with, given the arguments of one call."""
    scope: dict[str, Any] = {}
    exec(NOTING + noting("gram", VALUES), scope)
    scope["gram"](*arguments)
    mutants = mutants_of("gram", VALUES, scope["_note_value"].__kwdefaults__["seen"]["gram"])
    kinds = {"squeezed", "first of the batch", "in place", "transposed", "not transposed"}
    return {mutant.change for mutant in mutants if mutant.kind in kinds}


def test_what_cannot_be_a_mistake_is_not_made() -> None:
    """A number has no batch, a vector no transpose, and only what its type changes in place can be changed there."""
    sorting, scaling = "ordered = names.sort() or names", "x *= max(scale, 1)"
    of_array = {scaling, "x @= x.T / return x"}
    of_matrix = {"return x @ x", "return x @ x.T.T", "return (x @ x.T).squeeze()", "return (x @ x.T)[:1]"}
    unreached = {"return scale.squeeze()", "return scale[:1]"}  # no call came there, so a test is missing
    assert changes_of_values(np.ones((1, 2)), [1], 5) == {sorting} | of_array | of_matrix | unreached
    assert changes_of_values(np.ones(2), [1], 5) == {sorting} | of_array | unreached
    assert changes_of_values(np.ones(2), (1,), 5) == of_array | unreached
    assert changes_of_values(np.float64(1), (1,), 6) == of_matrix | {"x @= x.T / return x"}
    known_nothing = {mutant.change for mutant in mutants_of("gram", VALUES)}
    assert {"scale /= 2", scaling} <= known_nothing


def test_another_name_of_the_same_axis_is_no_mistake() -> None:
    source = "def share(x):\n    return x / np.sum(x, axis=-1) + x.max(-1)"
    scope: dict[str, Any] = {"np": np}
    exec(NOTING + noting("share", source), scope)
    for values, same in ((np.ones(2), "0"), (np.ones((2, 2)), "1"), (np.ones((2, 2, 2)), "2")):
        scope["_note_value"].__kwdefaults__["seen"].clear()
        scope["share"](values)
        changes = {m.change for m in mutants_of("share", source, scope["_note_value"].__kwdefaults__["seen"]["share"])}
        for axis in ("0", "1"):
            assert (f"return x / np.sum(x, axis={axis}) + x.max(-1)" in changes) == (axis != same), (axis, same)
            assert (f"return x / np.sum(x, axis=-1) + x.max({axis})" in changes) == (axis != same), (axis, same)


def test_torch_multiplies_matrices_in_place_nowhere() -> None:
    source = "def step(x, y):\n    return x @ y"
    for arrays, made in ((np.ones((2, 2)), True), (torch.ones(2, 2), False)):
        scope: dict[str, Any] = {}
        exec(NOTING + noting("step", source), scope)
        scope["step"](arrays, arrays)
        seen = scope["_note_value"].__kwdefaults__["seen"]["step"]
        assert ("in place" in {mutant.kind for mutant in mutants_of("step", source, seen)}) == made


@pytest.mark.parametrize(
    ("source", "mistake", "no_mistake"),
    [
        ("y = max(a, 1)", "y = max(a, 2)", "y = max(1, a)"),
        ("y = a.transpose(1, 2)", "y = a.transpose(1, 3)", "y = a.transpose(2, 1)"),
        ("y = f(a, 1)", "y = f(1, a)", ""),
        ("y = a in (b, c)", "y = a not in (b, c)", "y = a in (c, b)"),
        ("y = zip(a, b, strict=True)", "y = zip(b, a, strict=True)", "y = zip(a, b, strict=False)"),
        ("y = zip(a, b, strict=False)", "y = zip(a, b, strict=True)", ""),
        ("y = a / 1e6", "y = a / 2000000.0", "y = a / 1000001.0"),
    ],
)
def test_mutants_differ_in_more_than_order_or_rounding(source: str, mistake: str, no_mistake: str) -> None:
    changes = {mutant.change for mutant in mutants_of("task", source)}
    assert mistake in changes and no_mistake not in changes


@pytest.mark.parametrize(
    "chapter",
    [pytest.param(chapter, marks=[] if chapter == QUICK else pytest.mark.thorough) for chapter in CHAPTERS],
)
def test_tests_catch_mutants(real_course: Course, chapter: str) -> None:
    """A sample, two for each task; benchmarks/mutants.py tries them all. The bank is what `make test` relies on."""
    everything = mutants_of_chapter(real_course, chapter, most=10_000, seed=0)
    same = equivalents(chapter)
    assert set(same) <= {(task, mutant.change) for task, listed in everything.items() for mutant in listed}

    mutants = {task: chosen(listed, 2, seed=2) for task, listed in everything.items()}
    alive = survivors(real_course, chapter, mutants)
    equivalent = [mutant for mutant in alive if (mutant.task, mutant.change) in same]
    weak = [mutant for mutant in alive if mutant not in equivalent]
    total = sum(map(len, mutants.values()))
    print(summary(chapter, total - len(alive), total, len(equivalent)))
    count = total - len(equivalent)
    assert count > len(mutants)
    assert len(weak) <= 0.05 * count, "\n".join(f"{mutant.task}:\n{mutant.diff}" for mutant in weak)


def test_every_listed_equivalent_is_of_a_chapter() -> None:
    listed = tomllib.loads(EQUIVALENTS.read_text(encoding="utf-8"))["mutant"]
    assert {row["chapter"] for row in listed} <= {*CHAPTERS}
