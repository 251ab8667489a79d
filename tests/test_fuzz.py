"""Random and hostile input into the wire and into intake; benchmarks/fuzz.py does the same for as long as one likes."""

import json
import time
from collections import Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings

import strategies
from autograder.chapter.cells import Notebook
from autograder.intake.submission import take_in
from autograder.wall.inside import wire

short = settings(
    max_examples=400,
    deadline=None,
    database=None,
    derandomize=True,  # the same examples every time; benchmarks/fuzz.py is where new ones are looked for
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)


@short
@given(strategies.values)
def test_values_cross_the_wire_unchanged(value: Any) -> None:
    strategies.check_round_trip(value)


@short
@given(strategies.messages)
def test_no_message_does_more_than_raise_wire_error(data: bytes) -> None:
    strategies.check_message(data)


@short
@given(strategies.submissions)
def test_intake_makes_a_sound_notebook_of_anything(tmp_path: Path, data: bytes) -> None:
    strategies.check_submission(data, tmp_path)


@pytest.mark.parametrize("kind", ["int64", "float32", "bool"])
def test_a_column_cut_out_of_wider_rows_crosses(kind: str) -> None:
    table = torch.arange(12).reshape(3, 4).to(getattr(torch, kind))
    for part in (table[:1, 3], table[:, 3], table[:0, 3], table[:1, 1:3].T, table[2, 3]):
        strategies.check_round_trip(part)


def handed_over(tree: Any, *buffers: bytes) -> Any:
    return wire.from_bytes(strategies.message(json.dumps(tree).encode(), list(buffers)), lambda handle: handle)


@pytest.mark.parametrize(
    "tree",
    [
        {"t": "tensor", "d": "float32", "s": [2**20], "b": 0, "g": False},  # what happened to be in our memory
        {"t": "tensor", "d": "float32", "s": [2**40], "b": 0, "g": False},
        {"t": "series", "v": [1.0, "float64", {"t": "range", "v": [0, 10**9, 1]}, None, None]},
        {"t": "series", "v": [[], "float64", {"t": "range", "v": [0, 10**9, 1]}, None, None]},
        {
            "t": "series",
            "v": [{"t": "dict", "k": [], "v": []}, "float64", {"t": "range", "v": [0, 10**9, 1]}, None, None],
        },
        {"t": "frame", "v": [[], {"t": "range", "v": [0, 10**9, 1]}, [], None, None]},
        [{"t": "array", "d": "<f8", "s": [0], "b": 0}] * 2,  # one buffer for many arrays is a bomb
        {"t": "scalar", "v": {"t": "student", "n": 1}},  # reading would ask the student's side
        {"t": "scalar", "v": [1, 2]},
        {"t": "dict", "k": ["a"], "v": []},
    ],
    ids=lambda tree: json.dumps(tree)[:60],
)
def test_small_messages_with_large_claims_are_refused(tree: Any) -> None:
    with pytest.raises(wire.WireError):
        handed_over(tree, b"")


def same_hashes(kind: str) -> list[Any]:
    """Values of one kind that are all different and have one hash, which makes a set or dict of them endless work."""
    count, prime = 15_000, 2**61 - 1
    numbers = {"t": "complex", "v": [0.0, 0.0]}
    if kind == "int":
        return [number * prime for number in range(1, count)]
    if kind == "complex":
        return [numbers | {"v": [float(-1000003 * number), float(number)]} for number in range(1, count)]
    if kind == "list":  # a test may make tuples of them
        return [[number * prime, 0] for number in range(1, count)]
    return [{"t": "tuple", "v": [number * prime, 0]} for number in range(1, count)]


@pytest.mark.parametrize("kind", ["int", "complex", "tuple", "list"])
def test_values_with_one_hash_are_refused(kind: str) -> None:
    start = time.process_time()
    with pytest.raises(wire.WireError):
        handed_over(same_hashes(kind))
    keys = same_hashes(kind)
    for container in ({"t": "set", "v": keys}, {"t": "dict", "k": keys, "v": [None] * len(keys)}):
        with pytest.raises(wire.WireError):
            handed_over(container)
    assert time.process_time() - start < 20
    assert len(handed_over([[n, -1] for n in range(30_000)])) == 30_000
    # Many equal values, or many small ones, are what honest code returns.
    assert len(handed_over([(2**61 - 1) * 5] * 30_000)) == 30_000
    assert len(handed_over({"t": "set", "v": [{"t": "tuple", "v": [n, -1]} for n in range(30_000)]})) == 30_000


def test_deep_values_with_a_scalar_in_the_middle_are_read_as_deep_as_they_are_written() -> None:
    import numpy as np

    value: Any = np.float64(1)
    for _ in range(wire.MAX_DEPTH - 1):
        value = [value]
    strategies.check_round_trip(value)
    strategies.check_round_trip([value])


def test_notebooks_of_endless_parts_are_untouched_ones(tmp_path: Path) -> None:
    start = time.process_time()
    for part, count in (('{"cell_type":"raw","metadata":{},"source":""}', 3000), ("{}", 3_000_000)):
        cells = ",".join([part] * count)
        data = f'{{"nbformat":4,"nbformat_minor":4,"metadata":{{}},"cells":[{cells}]}}'
        strategies.check_submission(data.encode(), tmp_path)
        (repair,) = take_in(tmp_path / "submission.ipynb", Notebook.of(strategies.REFERENCE)).repairs[:1]
        assert repair.startswith("The submission could not be read. The notebook has")
    assert time.process_time() - start < 20


def test_kinds_of_mappings_and_numbers_cross_as_what_they_are() -> None:
    class Own(Counter[str]):
        pass

    for value in (
        Counter("abca"),
        OrderedDict([("b", 1), ("a", 2)]),
        defaultdict(int, {"a": 1}),
        defaultdict(None, {"a": 1}),
        deque([1, 2], 5),
        Fraction(1, 3),
        Fraction(2**70, 3**50),
        Decimal("-1.50"),
        Decimal("Infinity"),
    ):
        back = wire.from_bytes(wire.to_bytes(value, dict), dict)
        assert type(back) is type(value) and back == value and repr(back) == repr(value)
    assert Counter("ab")["z"] == wire.from_bytes(wire.to_bytes(Counter("ab"), dict), dict)["z"] == 0
    for value, becomes in (
        (Own("aab"), Counter("aab")),
        (UserList([1]), [1]),
        (UserDict({1: 2}), {1: 2}),
        (defaultdict(lambda: 7, {1: 2}), defaultdict(None, {1: 2})),
    ):
        back = wire.from_bytes(wire.to_bytes(value, dict), dict)
        assert type(back) is type(becomes) and back == becomes


def test_iterators_are_no_lists_unless_they_are_ours() -> None:
    for value in (iter([1]), (n for n in [1]), map(int, [1]), {1: 2}.keys(), {1: 2}.values()):
        handles: list[Any] = []
        data = wire.to_bytes(value, lambda thing, kept=handles: kept.append(thing) or {"t": "student", "n": 1})
        assert handles == [value] and wire.from_bytes(data, lambda _: "handle") == "handle"
    assert wire.from_bytes(wire.to_bytes(iter([1]), dict, is_judge=True), dict) == [1]


@pytest.mark.parametrize(
    "tree",
    [
        {"t": "decimal", "v": "1e999999"},
        {"t": "decimal", "v": "sNaN"},
        {"t": "decimal", "v": 5},
        {"t": "fraction", "v": [1, 0]},
        {"t": "fraction", "v": ["1", 2]},
        {"t": "fraction", "v": [1.5, 2]},
        {"t": "deque", "v": [], "m": "x"},
        {"t": "default", "v": [], "f": []},
        {"t": "counter", "v": [[[], 1]]},
        {"t": "ordered", "v": 5},
    ],
    ids=str,
)
def test_odd_numbers_and_mappings_are_refused(tree: Any) -> None:
    with pytest.raises(wire.WireError):
        handed_over(tree)
