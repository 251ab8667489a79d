"""The oracle: what it tries by rule, what it says of a difference, and that luck has no part in either."""

import collections
import itertools
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from autograder.authoring.build import build
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Outcome, Verdict
from autograder.course import Course, CourseError
from autograder.oracle import (
    Source,
    agrees,
    answers,
    array,
    choice,
    difference,
    ids,
    listing,
    made,
    number,
    shares,
    size,
    spreads_like,
    tensor,
    truths,
    whole,
    words,
)
from autograder.oracle.sources import Case
from autograder.wall.names import names_of
from autograder.wall.trial import run_tests, run_tests_in_kernel
from conftest import make_course

B, T, C = size("B"), size("T"), size("C")


def attend(q: Any, k: Any) -> Any:
    return (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).softmax(-1) @ k


def squeezed(q: Any, k: Any) -> Any:
    return attend(q, k).squeeze(0)


def in_place(q: Any, k: Any) -> Any:
    q /= math.sqrt(q.shape[-1])
    return (q @ k.transpose(-1, -2)).softmax(-1) @ k


def short_only(q: Any, k: Any) -> Any:
    return attend(q[:, :30], k)


def one_by_one(q: Any, k: Any) -> Any:
    found = attend(q, k)
    return found.reshape(1, 1) if found.shape[:2] == (1, 1) and found.numel() == 1 else found


def row_by_row(q: Any, k: Any) -> Any:
    return attend(q, k.view(k.numel()).view(k.shape))


def single(q: Any, k: Any) -> Any:
    return attend(q.float(), k.float()).to(q.dtype)


def nothing(q: Any, k: Any) -> None:
    attend(q, k)


def message_of(check: Callable[[], None]) -> str:
    with pytest.raises(AssertionError) as caught:
        check()
    return str(caught.value)


@pytest.mark.parametrize(
    "wrong, said",
    [
        (squeezed, "your result has the shape [1, 1], wanted [1, 1, 1]"),
        (in_place, "your function changes an argument (a Tensor) in place"),
        (short_only, "your result has the shape [1, 30, 1], wanted [1, 40, 1]"),
        (one_by_one, "your result has the shape [1, 1], wanted [1, 1, 1]"),
        (row_by_row, "column by column: your function raises RuntimeError"),
        (nothing, "your result is None (is a return missing?)"),
        (single, "your result is"),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_each_edge_is_met_by_rule_whatever_is_drawn(wrong: Callable[..., Any], said: str, seed: int) -> None:
    random.seed(seed)
    kind = choice("float32", "float64")
    assert said in message_of(lambda: agrees(wrong, attend, tensor(B, T, C, kind=kind), tensor(B, T, C, kind=kind)))


@pytest.mark.parametrize("seed", range(20))
def test_edges_of_what_is_chosen_seldom_are_met_too(seed: int) -> None:
    random.seed(seed)
    chosen = choice("a", "b", "c", "d", whole(0, 10**9, (77,)))
    assert "77" in message_of(lambda: agrees(lambda x: x != 77, lambda x: True, chosen, mixtures=0))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["float64", "int64"])
def test_counts_come_as_floats_and_as_whole_numbers(kind: str, seed: int) -> None:
    random.seed(seed)
    counts = array(size("n1"), size("n2"), below=9)
    message_of(lambda: agrees(lambda N: N / 2 + (N.dtype == kind), lambda N: N / 2, counts, mixtures=0))


@pytest.mark.parametrize("seed", range(20))
def test_the_right_answer_agrees_with_itself_written_differently(seed: int) -> None:
    def einsum(q: Any, k: Any) -> Any:
        weights = torch.einsum("bic,bjc->bij", q, k).mul(q.shape[-1] ** -0.5).exp()
        return torch.einsum("bij,bjc->bic", weights / weights.sum(-1, keepdim=True), k)

    random.seed(seed)
    agrees(einsum, attend, tensor(B, T, C), tensor(B, T, C))


def test_the_same_seed_gives_the_same_message() -> None:
    found = set()
    for _ in range(3):
        random.seed("a verdict")
        found.add(message_of(lambda: agrees(squeezed, attend, tensor(B, T, C), tensor(B, T, C))))
    assert len(found) == 1


def test_a_counterexample_is_made_small_and_shown_whole() -> None:
    def no_empty(texts: list[list[str]], vocabulary: list[str]) -> list[list[int]]:
        return [[text.count(word) for word in vocabulary] for text in texts if text]

    def count(texts: list[list[str]], vocabulary: list[str]) -> list[list[int]]:
        return [[text.count(word) for word in vocabulary] for text in texts]

    random.seed(3)
    texts = listing(size("texts", least=0), words(size("length", least=0)))
    vocabulary = words(size("V", most=5, large=None))
    said = message_of(lambda: agrees(no_empty, count, texts, vocabulary))
    assert said.startswith("For texts = [[]]; vocabulary = ['"), said
    assert said.endswith("your result has the shape [0], wanted [1, 1]."), said


def test_what_piles_up_in_long_inputs_is_met() -> None:
    def up_to_nine(text: list[str]) -> dict[str, int]:
        return {word: min(9, text.count(word)) for word in text}

    random.seed(0)
    said = message_of(lambda: agrees(up_to_nine, lambda text: collections.Counter(text), words(size("T"))))
    assert "your result is 9, wanted 40, at the key" in said


def test_what_is_kept_between_calls_shows_in_the_last_one() -> None:
    calls: list[int] = []

    def tired(n: int) -> int:
        calls.append(n)
        return n if calls.count(n) == 1 else n + 1

    random.seed(0)
    assert "your result is" in message_of(lambda: agrees(tired, lambda n: n, whole(0, 10**9), mixtures=0))


@pytest.mark.parametrize("counts", [[3, 1, 2], np.array([3, 1, 2]), made(lambda rng: [1], edges=[[3, 1, 2]])])
def test_data_that_an_author_writes_out_are_new_in_each_call(counts: Any) -> None:
    def in_place(counts: Any) -> Any:
        counts.sort()
        return counts[-1]

    said = message_of(lambda: agrees(in_place, max, counts))
    assert "For [3, 1, 2]: your function changes an argument" in said


def test_a_result_that_the_next_call_changes_is_wrong() -> None:
    kept: list[float] = []

    def halves(numbers: list[float]) -> list[float]:
        return [number / 2 for number in numbers]

    def one_list_for_all(numbers: list[float]) -> list[float]:
        kept[:] = halves(numbers)
        return kept

    inputs = listing(size("n"), number(0, 1))
    agrees(halves, halves, inputs)
    with pytest.raises(AssertionError, match="right until your function is called again"):
        agrees(one_list_for_all, halves, inputs)
    agrees(one_list_for_all, halves, inputs, changes=True)  # what may change is not looked at


def test_exceptions_of_the_course_are_wanted_and_others_told() -> None:
    def root(x: float) -> float:
        return math.sqrt(x)

    def lenient(x: float) -> float:
        return math.sqrt(abs(x))

    def always(x: float) -> float:
        raise KeyError("x")

    random.seed(0)
    agrees(lambda x: root(x), root, number(-1, 1), raises=ValueError)
    assert "your function returns 1, wanted ValueError" in message_of(
        lambda: agrees(lenient, root, choice(-1.0), raises=ValueError)
    )
    assert "raises KeyError: 'x'" in message_of(lambda: agrees(always, root, choice(1.0)))


def test_inputs_for_which_the_course_has_no_answer_do_not_count_but_some_must() -> None:
    random.seed(0)
    agrees(abs, math.sqrt, choice(-1.0, 1.0, 0.0))
    with pytest.raises(ValueError, match="nonnegative|math domain"):
        agrees(abs, math.sqrt, choice(-1.0, -2.0))


def test_what_ends_a_test_is_never_taken_for_an_answer() -> None:
    class TimeUp(Exception):
        ends_the_test = True

    def stopped(x: float) -> float:
        raise TimeUp

    with pytest.raises(TimeUp):
        agrees(stopped, math.sqrt, number(0, 1))


def test_scenarios_and_equally_good_answers() -> None:
    class Adder:
        def __init__(self, step: int):
            self.step = step

        def __call__(self, x: int) -> int:
            return x + self.step

    class Forgetful(Adder):
        def __call__(self, x: int) -> int:
            return x + (self.step or 1)

    def made_and_called(kind: Any, step: int, x: int) -> int:
        return int(kind(step)(x))

    random.seed(0)
    agrees(Adder, Adder, whole(0, 5), whole(-3, 3), by=made_and_called)
    assert "wanted" in message_of(lambda: agrees(Forgetful, Adder, whole(0, 5), whole(-3, 3), by=made_and_called))

    def best(scores: list[int]) -> int:
        return max(range(len(scores)), key=scores.__getitem__)

    def last_best(scores: list[int]) -> int:
        return max(reversed(range(len(scores))), key=scores.__getitem__)

    def as_good(got: Any, wanted: Any, scores: list[int]) -> str:
        return "" if scores[got] == scores[wanted] else f"is place {got}, which is not the best"

    ties = listing(size("n"), whole(0, 2))
    agrees(last_best, best, ties, compare=as_good)
    assert "which is not the best" in message_of(lambda: agrees(lambda scores: 0, best, ties, compare=as_good))


def test_random_answers_are_compared_by_their_distribution() -> None:
    def hide(n: int, rate: float) -> list[bool]:
        return [random.random() < rate for _ in range(n)]

    def exactly(n: int, rate: float) -> list[bool]:
        chosen = set(random.sample(range(n), round(n * rate)))
        return [place in chosen for place in range(n)]

    for seed in range(40):
        random.seed(seed)
        spreads_like(hide, hide, 20, 0.3, of=sum)
    assert "6 came in 100.0% of 600 calls" in message_of(lambda: spreads_like(exactly, hide, 20, 0.3, of=sum))


@pytest.mark.parametrize(
    "got, wanted, said",
    [
        ([1, 2], [1, 2], ""),
        (torch.tensor([1.0, 2.0]), [1, 2], ""),
        (np.float64(2), 2, ""),
        (torch.zeros(0), torch.zeros(3), "has the shape [0], wanted [3]"),
        ([[1.0]], 1.0, "has the shape [1, 1], wanted one number"),
        (1.0, [[1.0]], "is one number, wanted the shape [1, 1]"),
        ([1, 2.1], [1, 2], "is 2.1, wanted 2, at [1]"),
        (math.nan, 1.0, "is nan, wanted 1"),
        (-1000.0, -math.inf, "is -1000, wanted -inf"),
        ("a", "b", "is 'a', wanted 'b'"),
        (["a"], ("a",), ""),
        ("ab", ["a", "b"], "is a str, wanted a list"),
        (["a"], ["a", "b"], "has the length 1, wanted 2: ['a', 'b']"),
        ([["a"], ["c"]], [["a"], ["b"]], "is 'c', wanted 'b', at place 0, at place 1"),
        ({"a": 1}, collections.Counter("a"), ""),
        ({}, {"a": 1}, "lacks the key 'a'"),
        ({"a": 1, "b": 2}, {"a": 1}, "has the key 'b', which should not be there"),
        ({"a": 2}, {"a": 1}, "is 2, wanted 1, at the key 'a'"),
        ([1], {"a": 1}, "is a list, wanted a dictionary"),
        ({1}, {1, 2}, "lacks 2"),
        ([1, 2], {1, 2}, "is a list, wanted a set"),
        (iter([1, 2]), iter([1, 2]), ""),
        (2**60, 2**60, ""),
        (2**60 + 1, 2**60, f"is {2**60 + 1}, wanted {2**60}"),
        (None, [1], "is None (is a return missing?), wanted [1]"),
        (None, {"a": torch.zeros(50, 9)}, "is None (is a return missing?), wanted {'a': numbers of shape [50, 9]}"),
        (None, None, ""),
    ],
)
def test_differences_in_words(got: Any, wanted: Any, said: str) -> None:
    assert difference(got, wanted) == said


def test_kinds_count_where_an_author_says_so() -> None:
    assert difference((1, 2), [1, 2], strict=True) == "is a tuple, wanted a list"
    assert difference(torch.ones(2).double(), torch.ones(2), strict=True) == "holds float64, wanted float32"
    assert difference(True, 1, strict=True) == "is a bool, wanted a int"
    assert difference(1, 1.0, strict=True) == ""
    assert (
        difference([torch.ones(2).int()], [torch.ones(2).long()], strict=True)
        == "holds int32, wanted int64, at place 0"
    )


def test_tolerances_follow_the_kind_of_numbers() -> None:
    assert difference(torch.tensor([1.00001]), torch.tensor([1.0])) == ""
    assert difference(1.00001, 1.0) != ""
    assert difference((torch.tensor([1.00001]),), (torch.tensor([1.0]),)) == ""
    assert difference(1.02, 1.0, rtol=0.01) != ""


@pytest.mark.parametrize(
    "source",
    [
        size("n", least=0),
        whole(2, 9, (5,)),
        number(0.0, 1.0, (math.inf,)),
        choice("a", "b"),
        shares(size("n", least=0)),
        words(size("n", least=0)),
        listing(size("n", least=0), whole(0, 3)),
        tensor(B, T, edges=("huge", "-inf"), kind=choice("float32", "float64")),
        ids(B, T, below=size("V")),
        truths(B, T),
        array(B, T),
        array(B, T, below=9, kind="int64"),
        made(lambda rng, n: rng.random() * n, size("n"), edges=[0.0, lambda rng, n: n]),
    ],
    ids=lambda source: type(source).__name__,
)
def test_every_edge_can_be_drawn_and_a_case_is_what_its_seed_says(source: Source) -> None:
    for edge, seed in itertools.product([None, *source.edges], range(3)):
        taken = {} if edge is None else {source: edge}
        one, other = (Case(seed, taken).get(source) for _ in range(2))
        assert difference(one, other, 0.0, 0.0, strict=True) == ""


def test_inputs_with_minus_infinity_leave_something_in_each_row() -> None:
    for seed in range(20):
        source = tensor(B, T, edges=("-inf",))
        found = Case(seed, {source: "-inf"}).get(source)
        assert (found.isinf().sum(-1) < found.shape[-1]).all()


def test_sizes_of_one_case_differ_so_that_exchanged_axes_show() -> None:
    for seed in range(20):
        shape = Case(seed).get(tensor(B, T, C)).shape
        assert len(set(shape)) == 3


def test_answers_of_the_course_see_nothing_of_the_students() -> None:
    ours = answers("def twice(x):\n    return double(x)\n\n\ndef double(x):\n    return two * x\n", two=2)
    assert ours.twice(4) == 8
    with pytest.raises(NameError):
        answers("undefined_here\n")


TEXT = '''# ---
# title: Small
# ---
# %%
import math
size, ours = 3, "names of the chapter's own"
# %% [markdown] statement="root"
# Roots.
# %% [markdown] hints="root"
# 1. a
# 2. b
# 3. c
# %% task="root" points=1 level=1 minutes=1
def root(x):
    """The square root of x; a ValueError below 0."""
    ### BEGIN SOLUTION
    return math.sqrt(x)
    ### END SOLUTION
# %% test="root" aspect="like ours" points=1
assert root(4) == 2, "The root of 4 is 2."
### BEGIN HIDDEN TESTS
agrees(root, ours.root, number(-1, 9), raises=ValueError)
### END HIDDEN TESTS
# %% [markdown] statement="norm"
# Lengths.
# %% [markdown] hints="norm"
# 1. a
# 2. b
# 3. c
# %% task="norm" points=1 level=1 minutes=1
def norm(x):
    """The length of a list of numbers."""
    ### BEGIN SOLUTION
    return root(sum(value * value for value in x))
    ### END SOLUTION
# %% family="norm"
_x = listing(size("n", least=0), number(-2, 2))
# %% test="norm" aspect="like ours" points=1
assert norm([3, 4]) == 5, "3 and 4: 5."
### BEGIN HIDDEN TESTS
agrees(norm, ours.norm, _x)
### END HIDDEN TESTS
'''


CHAPTER = "01_roots"
WEAK_ROOT = "def root(x):\n    return abs(x) ** 0.5"
WEAK_NORM = "def norm(x):\n    return sum(value * value for value in x[:30]) ** 0.5"


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = make_course(tmp_path_factory.mktemp("roots"), TEXT, CHAPTER)
    build(course, CHAPTER)
    return course


@pytest.mark.parametrize("tried_by", [run_tests, run_tests_in_kernel])
@pytest.mark.parametrize(
    "answers, said",
    [
        ({}, ["", ""]),
        ({"root": WEAK_ROOT}, ["wanted ValueError", ""]),  # norm is compared with the course's root, not with theirs
        ({"norm": WEAK_NORM}, ["", "your result is"]),
    ],
)
def test_a_test_with_ours_works_behind_the_wall_and_in_a_plain_kernel(
    roots: Course, answers: dict[str, str], said: list[str], tried_by: Callable[..., list[Verdict]]
) -> None:
    verdicts = tried_by(roots, CHAPTER, read_reference(roots, CHAPTER).with_sources(answers))
    for verdict, words_of_message in zip(verdicts, said, strict=True):
        assert (verdict.outcome == Outcome.PASSED) == (not words_of_message), verdict
        assert words_of_message in verdict.message
    again = tried_by(roots, CHAPTER, read_reference(roots, CHAPTER).with_sources(answers))
    if tried_by is run_tests:
        assert [verdict.message for verdict in again] == [verdict.message for verdict in verdicts]


def test_the_release_says_nothing_of_the_course_s_answers(roots: Course) -> None:
    text = (roots.release / CHAPTER / f"{CHAPTER}.ipynb").read_text()
    assert "oracle" not in text and "ours." not in text and "sqrt(x)" not in text


def test_a_chapter_s_own_names_stay_what_they_are(roots: Course) -> None:
    tests = [cell.source for cell in read_reference(roots, CHAPTER).tests]
    assert all("oracle.agrees(" in source and "_ours." in source for source in tests)
    names = {name for source in tests if (found := names_of(source)) is not None for name in found.binds}
    assert names <= {"oracle", "_ours", "_x"}  # the last one is the author's own family


def test_answers_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    course = make_course(tmp_path, TEXT.replace("ours.norm", "ours.length"), CHAPTER)
    with pytest.raises(CourseError, match=r"ours\.length: no answer above this test binds that, norm--like-ours"):
        build(course, CHAPTER)


STEEP = """# ---
# title: Small
# ---
# %%
import torch
from lmkit.testing import gradients
# %% [markdown] statement="square"
# Squares.
# %% [markdown] hints="square"
# 1. a
# 2. b
# 3. c
# %% task="square" points=1 level=1 minutes=1
def square(x):
    \"\"\"x times x.\"\"\"
    ### BEGIN SOLUTION
    return x * x
    ### END SOLUTION
# %% test="square" aspect="slope" points=1
assert square(2) == 4, "2 times 2 is 4."
### BEGIN HIDDEN TESTS
agrees(square, ours.square, tensor(size("n")), by=gradients)
### END HIDDEN TESTS
"""


def test_gradients_of_the_course_s_function_are_taken_where_it_is(tmp_path: Path) -> None:
    course = make_course(tmp_path, STEEP, CHAPTER)
    build(course, CHAPTER)
    flat = "def square(x):\n    return x.detach() * x if hasattr(x, 'detach') else x * x"
    for answer, outcome in (({}, Outcome.PASSED), ({"square": flat}, Outcome.FAILED)):
        (verdict,) = run_tests(course, CHAPTER, read_reference(course, CHAPTER).with_sources(answer))
        assert verdict.outcome == outcome, verdict
