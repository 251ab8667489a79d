"""Functions of a test that run beside the student's code: what goes over with them, and what may not."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograder.authoring.build import build
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Outcome, Verdict
from autograder.course import Course
from autograder.wall.handles import CallableHandle
from autograder.wall.inside.protocol import StudentHandle
from autograder.wall.inside.scenarios import ScenarioError, packed, unpacked
from autograder.wall.trial import run_tests, run_tests_in_kernel
from conftest import CHAPTER, make_course
from lmkit.testing import close, gradients

LIST = [1, 2]
ROOTS = (4.0, ("a", None), frozenset({2}))


def doubled(x: Any) -> Any:
    return 2 * x


def factorial(n: int) -> int:
    return n * factorial(n - 1) if n else 1


def makes_a_class(x: Any) -> Any:
    class Adding(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one = ROOTS[0] - 3

        def forward(self, x: Any) -> Any:
            return x + self.one

    return Adding()(x)


def with_options(x: float, *more: float, power: int = 2, of: Any = math.sqrt) -> list[float]:
    return [of(each) ** power for each in (x, *more)]


def closing_over(name: str) -> Callable[..., Any]:
    return lambda text: [letter for letter in text if letter in name and doubled(1) == 2]


def slopes(x: Any) -> Any:
    return gradients(lambda x: doubled(x) ** 2, x), close(x, x)


@pytest.mark.parametrize(
    "function, inputs",
    [
        (doubled, (3,)),
        (factorial, (5,)),
        (makes_a_class, (1.0,)),
        (with_options, (4.0, 9.0)),
        (closing_over("abc"), ("cab driver",)),
        (slopes, (torch.ones(2),)),
    ],
)
def test_a_function_does_there_what_it_does_here(function: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    assert repr(unpacked(packed(function))(*inputs)) == repr(function(*inputs))


def test_a_function_that_goes_over_shares_nothing_with_its_cell() -> None:
    copy = unpacked(packed(factorial))
    assert copy.__globals__ is not factorial.__globals__
    assert set(copy.__globals__) == {"__builtins__", "factorial"}


def uses_a_list(x: Any) -> Any:
    return LIST, x


def uses_a_class(x: Any) -> Any:
    return Local(x)


class Local(str):
    __module__ = "__main__"  # as in a notebook: the other side has no such class


@pytest.mark.parametrize("function, name", [(uses_a_list, "LIST"), (uses_a_class, "Local")])
def test_what_would_be_another_one_there_must_be_handed_over(function: Callable[..., Any], name: str) -> None:
    with pytest.raises(ScenarioError, match=f"`{function.__name__}` .*`{name}`: hand it over as an input"):
        packed(function)


class Claims:
    """A student's side whose objects say that they are a function of ours."""

    def ask(self, action: str, target: int, name: str) -> str:
        return {"__module__": "lmkit.testing", "__qualname__": "close"}[name]


def test_what_is_the_student_s_must_be_handed_over() -> None:
    handle: Any = CallableHandle(Claims(), StudentHandle(1, is_callable=True))  # type: ignore[arg-type]
    assert handle.__qualname__ == "close"
    with pytest.raises(ScenarioError, match="`theirs`"):
        packed(_calls(handle))


def _calls(theirs: Any) -> Callable[..., Any]:
    return lambda x: theirs(x)


TEXT = """# ---
# title: Steps
# ---
# %%
import torch
from torch import nn

from lmkit.testing import beside_the_answer, gradients

START = 0.5

# %% [markdown] statement="step"
# A step downhill, and what is left.

# %% [markdown] hints="step"
# 1. a
# 2. b
# 3. c


# %% task="step" points=2 level=1 minutes=2
def step(weight, slope):
    \"\"\"A new tensor, 0.1 slope below the weight.\"\"\"
    ### BEGIN SOLUTION
    return weight - 0.1 * slope
    ### END SOLUTION


class Model(nn.Module):
    \"\"\"x times its weight.\"\"\"

    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))

    def forward(self, x):
        ### BEGIN SOLUTION
        return x * self.weight
        ### END SOLUTION


# %% test="step" aspect="two steps" points=1
assert step(1.0, 0.0) == 1.0, "no slope, no step"
### BEGIN HIDDEN TESTS
def _half(x):
    return START * x


@beside_the_answer
def _trained(answers, x, seed):
    step, Model = answers
    model = Model(len(x))
    for _ in range(2):
        slope = gradients(lambda weight: (model(x) * weight).sum(), model.weight)[0]
        model.weight.data = step(model.weight.detach(), slope)
    return _half(model(x)), (x, seed)


agrees(
    (step, Model), (ours.step, ours.Model), by=_trained, x=tensor(size("n")), seed=whole(0, 9)
)
### END HIDDEN TESTS

# %% test="step" aspect="an honest call" points=1
assert step(2.0, 0.0) == 2.0, "no slope, no step"
### BEGIN HIDDEN TESTS
agrees(
    step,
    ours.step,
    made(lambda rng, n: torch.ones(n), size("n")),
    number(0.5, 1),
    by=beside_the_answer(lambda step, weight, slope: [step(weight, slope)]),
)
### END HIDDEN TESTS
"""
RIGHT = "def step(weight, slope):\n    return weight - 0.1 * slope\n"
ADDS = RIGHT.replace("-", "+")
CHANGES = """
def step(weight, slope):
    if torch.is_tensor(weight):
        weight -= 0.1 * slope
        return weight * 1
    return weight - 0.1 * slope
"""
RAISES = """
def step(weight, slope):
    if torch.is_tensor(weight):
        raise KeyError("no")
    return weight - 0.1 * slope
"""
MODEL = """
class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))

    def forward(self, x):
        return self.weight * x
"""


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = make_course(tmp_path_factory.mktemp("steps"), TEXT)
    build(course, CHAPTER)
    return course


@pytest.mark.parametrize("tried_by", [run_tests, run_tests_in_kernel])
@pytest.mark.parametrize(
    "answer, said",
    [
        (ADDS + MODEL, ["your result", "your result"]),
        (RAISES + MODEL, ["your function raises KeyError", "your function raises KeyError"]),
        (RIGHT + MODEL.replace("* x", "* x + 1"), ["your result", ""]),
        (RIGHT + MODEL, ["", ""]),
    ],
)
def test_a_scenario_judges_alike_behind_the_wall_and_in_a_plain_kernel(
    steps: Course, answer: str, said: list[str], tried_by: Callable[..., list[Verdict]]
) -> None:
    verdicts = tried_by(steps, CHAPTER, read_reference(steps, CHAPTER).with_sources({"step": answer}))
    for verdict, words in zip(verdicts, said, strict=True):
        assert (verdict.outcome == Outcome.PASSED) == (not words), verdict
        assert words in verdict.message, verdict


def test_a_change_of_what_a_scenario_hands_on_is_told_by_its_name(steps: Course) -> None:
    reference = read_reference(steps, CHAPTER)
    verdicts = run_tests(steps, CHAPTER, reference.with_sources({"step": CHANGES + MODEL}))
    assert "Your function changes its argument `weight` (a tensor) in place" in verdicts[1].message


def test_a_scenario_sees_nothing_of_the_course_s_answers(steps: Course) -> None:
    spying = (
        "def step(weight, slope):\n    import sys\n    frame = sys._getframe(1)\n"
        "    found = ' '.join([*frame.f_globals, *frame.f_locals])\n"
        "    assert '_ours' not in found and 'wanted' not in found and 'oracle' not in found, found\n"
        "    return weight - 0.1 * slope\n"
    )
    verdicts = run_tests(steps, CHAPTER, read_reference(steps, CHAPTER).with_sources({"step": spying + MODEL}))
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASSED] * 2, verdicts
