"""Random and hostile input into the wire and into intake; benchmarks/fuzz.py does the same for as long as one likes."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import strategies
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


def handed_over(tree: Any, *buffers: bytes) -> Any:
    return wire.from_bytes(strategies.message(json.dumps(tree).encode(), list(buffers)), lambda handle: handle)


@pytest.mark.parametrize(
    "tree",
    [
        {"t": "tensor", "d": "float32", "s": [2**20], "b": 0, "g": False},  # what happened to be in our memory
        {"t": "tensor", "d": "float32", "s": [2**40], "b": 0, "g": False},
        {"t": "series", "v": [1.0, "float64", {"t": "range", "v": [0, 10**9, 1]}, None, None]},
        {"t": "series", "v": [[], "float64", {"t": "range", "v": [0, 10**9, 1]}, None, None]},
        {"t": "series", "v": [{"t": "dict", "v": []}, "float64", {"t": "range", "v": [0, 10**9, 1]}, None, None]},
        {"t": "frame", "v": [[], {"t": "range", "v": [0, 10**9, 1]}, [], None, None]},
        [{"t": "array", "d": "<f8", "s": [0], "b": 0}] * 2,  # one buffer for many arrays is a bomb
        {"t": "scalar", "v": {"t": "student", "n": 1}},  # reading would ask the student's side
        {"t": "scalar", "v": [1, 2]},
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
    return [{"t": "tuple", "v": [number * prime, 0]} for number in range(1, count)]


@pytest.mark.parametrize("kind", ["int", "complex", "tuple"])
def test_values_with_one_hash_are_refused(kind: str) -> None:
    start = time.monotonic()
    with pytest.raises(wire.WireError):
        handed_over(same_hashes(kind))
    with pytest.raises(wire.WireError):
        handed_over({"t": "set", "v": same_hashes(kind)})
    with pytest.raises(wire.WireError):
        handed_over({"t": "dict", "v": [[value, None] for value in same_hashes(kind)]})
    assert time.monotonic() - start < 20
    # Many equal values, or many small ones, are what honest code returns.
    assert len(handed_over([(2**61 - 1) * 5] * 30_000)) == 30_000
    assert len(handed_over({"t": "set", "v": [{"t": "tuple", "v": [n, -1]} for n in range(30_000)]})) == 30_000


def test_deep_values_with_a_scalar_in_the_middle_are_read_as_deep_as_they_are_written() -> None:
    import numpy as np

    value: Any = np.float64(1)
    for _ in range(wire.MOST_DEPTH - 1):
        value = [value]
    strategies.check_round_trip(value)
    strategies.check_round_trip([value])


def test_notebooks_of_endless_parts_are_untouched_ones(tmp_path: Path) -> None:
    start = time.monotonic()
    for part, count in (('{"cell_type":"raw","metadata":{},"source":""}', 3000), ("{}", 3_000_000)):
        cells = ",".join([part] * count)
        data = f'{{"nbformat":4,"nbformat_minor":4,"metadata":{{}},"cells":[{cells}]}}'
        strategies.check_submission(data.encode(), tmp_path)
        (repair,) = take_in(tmp_path / "submission.ipynb", strategies.REFERENCE).repairs[:1]
        assert repair.startswith("The submission could not be read. The notebook has")
    assert time.monotonic() - start < 20
