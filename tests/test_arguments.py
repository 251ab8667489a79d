"""A function that changes what a test hands to it loses a check for it, and only one."""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from autograder.authoring.build import build
from autograder.chapter.cells import CHANGES
from autograder.chapter.reference import read_reference
from autograder.course import Course
from autograder.wall.inside.arguments import checks_of
from autograder.wall.trial import judged
from conftest import make_course

CHAPTER = "01_arguments"
TEXT = '''# ---
# title: Arguments
# ---

# %%
import contextlib
import random
from collections import Counter, defaultdict

import numpy as np
import torch

# %% [markdown] statement="touch"
# ### Touch

# %% [markdown] hints="touch"
# 1. One.
# 2. Two.
# 3. Three.


# %% task="touch" points=3 level=1 minutes=1
def touch(value, table=None):
    """Nothing."""
    ### BEGIN SOLUTION
    return None
    ### END SOLUTION


# %% test="touch" aspect="all kinds" points=1
for value in (["b", "a"], {"a": [1]}, {1}, torch.tensor([2.0, 1.0]), np.array([2.0, 1.0]), defaultdict(list), ([1], 2)):
    with contextlib.suppress(ValueError):
        touch(value)
touch(random.Random(1), table={"a": 1})
touch(np.random.default_rng(1))

# %% test="touch" aspect="again" points=1
assert touch(["b", "a"]) != "wrong", "not wrong"

# %% test="touch" aspect="through a function of ours" points=1
assert touch(lambda words: touch(words)) is None, "nothing"

# %% [markdown] statement="sort"
# ### Sort

# %% [markdown] hints="sort"
# 1. One.
# 2. Two.
# 3. Three.


# %% task="sort" points=1 level=1 minutes=1 changes=true
def sort(values):
    """Sort them in place."""
    ### BEGIN SOLUTION
    values.sort()
    ### END SOLUTION


# %% test="sort" aspect="in place" points=1
sort([2, 1])
touch([2, 1])
'''


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = make_course(tmp_path_factory.mktemp("arguments"), TEXT, CHAPTER)
    build(course, CHAPTER)
    return course


def judged_with(course: Course, body: str) -> dict[str, str]:
    """What each check says of `touch` with such a body; nothing of those that pass."""
    reference = read_reference(course, CHAPTER)
    notebook = reference.with_sources({"touch": f"def touch(value, table=None):\n    {body}"})
    return {verdict.aspect: verdict.message for verdict in judged(course, notebook, reference)}


@pytest.mark.parametrize(
    ("body", "which"),
    [
        ("if type(value) is list: value.sort()", "first argument (a list)"),
        ("if type(value) is dict: value['a'].append(2)", "first argument (a dict)"),
        ("if type(value) is dict: value['b'] = 2", "first argument (a dict)"),
        ("if type(value) is set: value.add(2)", "first argument (a set)"),
        ("if type(value) is tuple: value[0].clear()", "first argument (a tuple)"),
        ("if type(value) is np.ndarray: value *= 2", "first argument (an array)"),
        ("if torch.is_tensor(value): value.mul_(2)", "first argument (a tensor)"),
        ("if torch.is_tensor(value): value.numpy()[0] = 9", "first argument (a tensor)"),
        ("if torch.is_tensor(value): value.requires_grad_()", "first argument (a tensor)"),
        ("if table: table.clear()", "argument `table` (a dict)"),
        ("if type(value) is list: value.sort(); raise ValueError", "first argument (a list)"),
    ],
)
def test_one_check_says_which_argument_was_changed(course: Course, body: str, which: str) -> None:
    message = f"Your `touch` changes its {which} in place. Leave arguments as they are: work on a copy."
    assert judged_with(course, body) == {
        "all kinds": message,
        "again": "ValueError:" if "raise" in body else "",
        "through a function of ours": "",
        "in place": "ValueError:" if "raise" in body else "",
    }


def test_what_changes_nothing_passes(course: Course) -> None:
    body = "\n    ".join(
        [
            "if isinstance(value, (random.Random, np.random.Generator)): value.random()",
            "if isinstance(value, defaultdict): value['missing']",
            "if type(value) is list: value.reverse(); value.reverse()",
            "if callable(value): value(['c'])",
            "if value == ['c']: value.clear()  # their own list, which comes back through a function of ours",
        ]
    )
    assert set(judged_with(course, body).values()) == {""}


def test_what_a_check_says_itself_stays(course: Course) -> None:
    outcomes = judged_with(course, "if type(value) is list: value.sort(); return 'wrong'")
    assert "in place" in outcomes["all kinds"] and outcomes["again"] == "not wrong"


def test_only_a_task_that_says_so_carries_the_mark(course: Course) -> None:
    marked = [cell.name for cell in read_reference(course, CHAPTER).cells if CHANGES in cell.node.metadata]
    assert marked == ["sort"]


def ask_gradients(tensor: torch.Tensor) -> None:
    tensor.requires_grad_()


VALUES: list[tuple[Callable[[], Any], Callable[[Any], object]]] = [
    (lambda: [float("nan"), [Fraction(1, 2)]], lambda value: value[1].append(1)),
    (lambda: [(1, 2), (3, [4])], lambda value: value[1][1].append(1)),
    (lambda: deque([1, 2]), lambda value: value.rotate()),
    (lambda: Counter("aab"), lambda value: value.update("a")),
    (lambda: OrderedDict(a={}), lambda value: value["a"].update(b=1)),
    (lambda: defaultdict(int, a=1), lambda value: value.update(b=2)),
    (lambda: defaultdict(lambda: defaultdict(int)), lambda value: value["a"].update(b=1)),
    (lambda: [True, 1], lambda value: value.__setitem__(0, 1)),
    (lambda: np.array([[1, 2]]), lambda value: value.sort(axis=0) or value.__setitem__((0, 0), 3)),
    (lambda: np.array(["a", [1]], dtype=object), lambda value: value[1].append(2)),
    (lambda: np.arange(6), lambda value: setattr(value, "shape", (2, 3))),
    (lambda: torch.tensor([1.0, float("nan")], dtype=torch.bfloat16), lambda value: value.zero_()),
    (lambda: torch.ones(2, 3).mT, lambda value: value.resize_(2, 3)),
    (lambda: torch.tensor(True), lambda value: value.logical_not_()),
    (lambda: torch.ones(0), ask_gradients),
    (lambda: torch.ones(2, requires_grad=True), lambda value: value.data.add_(1)),
    (lambda: pd.Series([1, 2]), lambda value: value.__setitem__(0, 5)),
    (lambda: pd.DataFrame({"a": [1]}), lambda value: value.insert(0, "b", 1)),
]


@pytest.mark.parametrize("number", range(len(VALUES)))
def test_a_change_at_any_depth_is_seen_and_nothing_else(number: int) -> None:
    make, change = VALUES[number]
    value = make()
    checks = checks_of({0: 1, 1: value, "named": value})
    assert set(checks) == {1, "named"} and all(check(value) for check in checks.values())
    change(value)
    assert not any(check(value) for check in checks.values())


def test_what_cannot_be_changed_costs_nothing_and_equal_parts_are_no_change() -> None:
    fixed = [None, 1, 1.5, "a", b"a", (1, ("a", frozenset({2}))), range(3), Fraction(1, 2), np.float64(2), print]
    assert checks_of(dict(enumerate(fixed))) == {}
    value: dict[str, Any] = {"a": [1000.5], "b": (1, [2])}
    (check,) = checks_of({0: value}).values()
    value["a"] = [500.25 * 2]
    value["b"] = value.pop("b")
    assert check(value)
