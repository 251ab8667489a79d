"""Random and hostile input for the wire and for intake, and what must hold; for tests and benchmarks/fuzz.py."""

import json
import string
import time
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import torch
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.chapter.cells import Notebook
from autograder.intake.submission import take_in
from autograder.wall.inside import wire
from autograder.wall.sandbox import Limits
from autograder.wall.student import StudentSide
from autograder.wall.warm import Kind

MAX_SECONDS = 10  # for one example, on a machine that is busy
GROWTH = 100  # times the bytes of a message that what is read from it may take

# Values that cross the wire ------------------------------------------------------------------------------------------

letters = st.one_of(st.characters(), st.sampled_from("\ud800\udfff\0\r\x1b\u2028"))  # what JSON allows and files do not
any_text = st.text(letters, max_size=20)
dtypes = st.one_of(
    arrays_of.boolean_dtypes(),
    arrays_of.integer_dtypes(endianness="="),
    arrays_of.unsigned_integer_dtypes(endianness="="),
    arrays_of.floating_dtypes(endianness="="),
    arrays_of.complex_number_dtypes(endianness="="),
    arrays_of.byte_string_dtypes(max_len=5),
    arrays_of.unicode_string_dtypes(endianness="=", max_len=5),
)
arrays = arrays_of.arrays(dtypes, arrays_of.array_shapes(min_dims=0, min_side=0, max_dims=4, max_side=3))
scalars = arrays_of.arrays(dtypes, ()).map(lambda array: array[()])


def _tensor(kind: str, shape: list[int], raw: bytes, gradient: bool, turned: bool) -> torch.Tensor:
    dtype = getattr(torch, kind)
    count = int(np.prod(shape, dtype=int)) * dtype.itemsize
    data = bytearray((raw * count)[:count])
    flat = torch.frombuffer(data, dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
    tensor = ((flat % 2 != 0) if dtype is torch.bool else flat.view(dtype)).reshape(shape)
    tensor = tensor.mT if turned and tensor.ndim > 1 else tensor
    tensor = tensor.conj() if turned and dtype.is_complex else tensor
    return tensor.requires_grad_() if gradient and (dtype.is_floating_point or dtype.is_complex) else tensor


tensors = st.builds(
    _tensor,
    st.sampled_from(wire.TENSOR_KINDS),
    st.lists(st.integers(0, 3), max_size=4),
    st.binary(min_size=1, max_size=30),
    st.booleans(),
    st.booleans(),
)
COLUMNS = {
    "int64": st.integers(-(2**63), 2**63 - 1),
    "int8": st.integers(-128, 127),
    "uint64": st.integers(0, 2**64 - 1),
    "float64": st.floats(),
    "float32": st.floats(width=32),
    "complex128": st.complex_numbers(),
    "bool": st.booleans(),
    "str": st.text(max_size=5),
    "object": st.one_of(st.none(), st.integers(), st.text(max_size=5), st.tuples(st.integers(), st.text(max_size=3))),
}
labels = st.one_of(st.none(), st.text(max_size=5), st.integers(-5, 5))


@st.composite
def series(draw: st.DrawFn, length: int | None = None) -> pd.Series:
    kind = draw(st.sampled_from(list(COLUMNS)))
    count = draw(st.integers(0, 4)) if length is None else length
    values = draw(st.lists(COLUMNS[kind], min_size=count, max_size=count))
    names = draw(st.sampled_from([st.integers(), st.text(max_size=4)]))
    index = pd.Index(draw(st.lists(names, min_size=count, max_size=count)), name=draw(labels))
    return pd.Series(values, index=index, dtype=kind, name=draw(labels))


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    count = draw(st.integers(0, 4))
    columns = draw(st.lists(series(count), max_size=4))
    index = columns[0].index if columns else pd.RangeIndex(count)
    data = {number: column.set_axis(index) for number, column in enumerate(columns)}
    names = pd.Index(draw(st.lists(labels, min_size=len(columns), max_size=len(columns))), name=draw(labels))
    return pd.DataFrame(data, index).set_axis(names, axis=1)


def _object_array(items: list[Any]) -> np.ndarray:
    array = np.empty(len(items), dtype=object)
    for position, item in enumerate(items):
        array[position] = item
    return array


# A NaN is equal to nothing, so sets and dicts may merge several; they are left out there.
hashables = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False),
        st.complex_numbers(allow_nan=False),
        any_text,
        st.binary(max_size=10),
        st.builds(range, st.integers(), st.integers(), st.integers(1)),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3)),
    max_leaves=4,
)
values = st.recursive(
    st.one_of(
        hashables, st.floats(), st.complex_numbers(), arrays, scalars, tensors, series(), frames(), st.sets(hashables)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(hashables, inner, max_size=4),
        st.lists(inner, max_size=4).map(_object_array),
    ),
    max_leaves=8,
)


def fingerprint(value: Any) -> Any:
    """The same for two values exactly if they are of the same types and equal, bit by bit."""
    kind = type(value)
    if kind in (list, tuple):
        return kind.__name__, [fingerprint(item) for item in value]
    if kind in (set, frozenset):
        return kind.__name__, sorted(repr(fingerprint(item)) for item in value)
    if kind is dict:
        return "dict", [(fingerprint(key), fingerprint(item)) for key, item in value.items()]
    if kind is np.ndarray and value.dtype == object:
        return "objects", value.shape, [fingerprint(item) for item in value.ravel().tolist()]
    if isinstance(value, (np.ndarray, np.generic)):
        return kind.__name__, str(value.dtype), value.shape, _bits(np.asarray(value))
    if isinstance(value, torch.Tensor):
        plain = value.detach().resolve_conj().clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8)
        return "tensor", str(value.dtype), list(value.shape), plain.tolist(), value.requires_grad
    if kind is pd.Series:
        return "series", str(value.dtype), fingerprint(value.tolist()), _labels(value.index), fingerprint(value.name)
    if kind is pd.DataFrame:
        columns = [fingerprint(value.iloc[:, number].tolist()) for number in range(value.shape[1])]
        return "frame", list(map(str, value.dtypes)), columns, _labels(value.index), _labels(value.columns)
    return kind.__name__, repr(value)


def _bits(array: np.ndarray) -> bytes:
    # The padding of an 80-bit float is not part of the number.
    return repr(array.tolist()).encode() if array.dtype.itemsize in (16, 32) else array.tobytes()


def _labels(index: pd.Index) -> Any:
    return fingerprint(index.tolist()), fingerprint(index.name)


def check_round_trip(value: Any) -> None:
    """What was written is read as an equal value of exactly the same type."""

    def no_handle(value: Any) -> dict[str, Any]:
        raise AssertionError(f"{type(value)} is a plain value")

    read = wire.from_bytes(wire.to_bytes(value, no_handle), lambda handle: handle)
    assert fingerprint(read) == fingerprint(value)


# Hostile messages ----------------------------------------------------------------------------------------------------


def message(document: bytes, buffers: list[bytes]) -> bytes:
    """A message as wire.to_bytes lays it out, whatever is in it."""
    parts = [wire.HEAD.pack(len(document), len(buffers)), document]
    for buffer in buffers:
        parts += [wire.SIZE.pack(len(buffer)), buffer]
    return b"".join(parts)


odd_numbers = st.sampled_from([-1, 0, 1, 2, 3, 8, 2**31, 2**32, 2**62, 2**63, 2**64, 10**9, 10**12, 10**30, 1e308, 0.5])
kinds = st.sampled_from([*wire.READERS, "student", "judge", "str", "", "nonsense"])
codes = st.sampled_from(
    # fmt: off
    [
        "<f8",
        "<i8",
        "|b1",
        "<U3",
        "|S2",
        "<c16",
        "<f2",
        "|O",
        "|V8",
        "<M8[s]",
        "<U99999999",
        "f8,f8",
        "(9999,)f8",
        "U0",
        "int64",
        "float32",
        "bool",
        "str",
        "object",
        "category",
        "Int64",
        "datetime64[ns]",
        "interval[int64]",
        *wire.TENSOR_KINDS,
    ],
    # fmt: on
)
shapes = st.lists(st.one_of(st.integers(0, 4), odd_numbers), max_size=5)
leaves = st.one_of(
    st.none(), st.booleans(), odd_numbers, st.integers(0, 3), any_text, codes, st.sampled_from(["nan", "-inf", "0xff"])
)


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects that name a type, with fields that often fit it and often do not."""
    several = st.lists(inner, max_size=5)
    fields = {
        "v": st.one_of(several, inner, st.lists(st.lists(inner, min_size=2, max_size=2), max_size=3)),
        "d": st.one_of(codes, inner),
        "s": st.one_of(shapes, inner),
        "b": st.one_of(st.integers(0, 3), inner),
        "g": st.booleans(),
        "n": st.one_of(st.integers(0, 3), inner),
        "callable": st.booleans(),
    }
    return st.one_of(
        several,
        st.fixed_dictionaries({"t": kinds}, optional=fields),
        st.fixed_dictionaries({"t": kinds} | fields),
        st.dictionaries(any_text, inner, max_size=3),
    )


trees = st.recursive(leaves, _objects, max_leaves=20)
buffers = st.lists(st.binary(max_size=64), max_size=3)
hostile_trees = st.builds(lambda tree, parts: message(json.dumps(tree).encode(), parts), trees, buffers)
valid_messages = values.map(lambda value: wire.to_bytes(value, lambda _: {"t": "student", "n": 1}))


@st.composite
def mutated(draw: st.DrawFn, originals: st.SearchStrategy[bytes]) -> bytes:
    """Bytes with a few places overwritten, cut out, doubled or filled with something else."""
    data = bytearray(draw(originals))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 8)))
        new = draw(st.sampled_from([b"", bytes(data[start:end]) * 2, b"[", b"{", b'"', b"9" * 9, b"\xff"]))
        data[start:end] = new if draw(st.booleans()) else draw(st.binary(max_size=8))
    return bytes(data)


@st.composite
def mutated_documents(draw: st.DrawFn) -> bytes:
    """A valid message in which parts of the JSON tree were exchanged, so that the lengths are right."""
    document, parts = wire._split(draw(valid_messages))
    return message(json.dumps(draw(with_parts_exchanged(json.loads(document), trees))).encode(), parts)


@st.composite
def with_parts_exchanged(draw: st.DrawFn, tree: Any, others: st.SearchStrategy[Any]) -> Any:
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(tree))
        if not places:
            return draw(others)
        container, key = draw(st.sampled_from(places))
        if isinstance(container, dict) and draw(st.booleans()):
            del container[key]
        else:
            container[key] = draw(others)
    return tree


def _places(tree: Any) -> Any:
    """Every place in a JSON tree at which something stands, as a container and a key."""
    items = list(tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ())
    for key, inner in items:
        yield tree, key
        yield from _places(inner)


deep_documents = st.builds(
    lambda start, middle, depth: message((start * depth + middle).encode(), []),
    st.sampled_from(["[", '{"t":"tuple","v":[', '{"t":"scalar","v":', '{"t":', '{"a":']),
    st.sampled_from(["", "1"]),
    st.sampled_from([39, 41, 1000, 100_000]),
)
long_numbers = st.builds(
    lambda start, count, end: message((start + "9" * count + end).encode(), []),
    st.sampled_from(["", "-", "1e", "0.", '{"t":"int","v":"0x', '{"t":"complex","v":[1e']),
    st.sampled_from([10, 400, 5000, 100_000]),
    st.sampled_from(["", '"}', "]}"]),
)
messages = st.one_of(
    st.binary(max_size=200), hostile_trees, mutated(valid_messages), mutated_documents(), deep_documents, long_numbers
)


def check_message(data: bytes) -> None:
    """Whatever the bytes are, reading gives a value or WireError, soon, and nothing much larger than the bytes."""
    side = StudentSide(Kind((), Limits()))  # never started: what is read must not ask it for anything either
    side.callbacks = {1: len}
    start = time.process_time()
    try:
        value = wire.from_bytes(data, side._value_for)
    except wire.WireError:
        value = None
    assert time.process_time() - start < MAX_SECONDS
    assert _size(value) <= GROWTH * len(data) + 10_000


def _size(value: Any) -> int:
    """Bytes of the arrays in a value, however nested."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return sum(map(_size, value))
    if isinstance(value, dict):
        return sum(map(_size, value)) + sum(map(_size, value.values()))
    if isinstance(value, np.ndarray):
        return value.nbytes + (sum(map(_size, value.ravel().tolist())) if value.dtype == object else 0)
    if isinstance(value, torch.Tensor):
        return value.nbytes
    if isinstance(value, (pd.Series, pd.DataFrame)):
        return int(np.sum(value.memory_usage(index=True)))
    return 0


# Notebooks -----------------------------------------------------------------------------------------------------------


def _locked(name: str, points: float | None = None) -> dict[str, Any]:
    facts = {"grade_id": name, "grade": points is not None, "locked": True, "solution": False, "schema_version": 3}
    return {"nbgrader": facts | ({} if points is None else {"points": points})}


def reference_notebook() -> nbformat.NotebookNode:
    """A chapter in small: text, a given cell, a task, its test and a scratch cell."""
    task = {"nbgrader": {"grade_id": "task", "grade": False, "locked": False, "solution": True, "schema_version": 3}}
    cells = [
        new_markdown_cell("# Squares", id="opening-1"),
        new_code_cell("import math", id="opening-2", metadata=_locked("opening-2")),
        new_code_cell("def square(x): ...", id="task", metadata=task),
        new_code_cell("assert square(2) == 4", id="task--two", metadata=_locked("task--two", 2)),
        new_code_cell("square(5)", id="scratch-1"),
    ]
    return new_notebook(cells=cells)


REFERENCE = reference_notebook()
cell_ids = st.sampled_from([cell.id for cell in REFERENCE.cells] + ["", "own", "x" * 70])
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), odd_numbers, any_text, cell_ids),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(any_text, inner, max_size=3)),
    max_leaves=6,
)
sources = st.one_of(any_text, st.lists(any_text, max_size=3), json_values, st.just("def square(x):\n    return x * x"))
metadata = st.one_of(
    st.fixed_dictionaries({"nbgrader": st.fixed_dictionaries({}, optional={"grade_id": cell_ids})}),
    st.fixed_dictionaries({"nbgrader": json_values}),
    json_values,
)
cells = st.one_of(
    st.fixed_dictionaries(
        {"cell_type": st.sampled_from(["code", "markdown", "raw", "heading", "html"]), "source": sources},
        optional={
            "metadata": metadata,
            "id": st.one_of(cell_ids, json_values),
            "outputs": json_values,
            "input": sources,
            "attachments": json_values,
            "execution_count": json_values,
        },
    ),
    json_values,
)
notebooks = st.fixed_dictionaries(
    {},
    optional={
        "nbformat": st.one_of(st.integers(0, 6), json_values),
        "nbformat_minor": st.one_of(st.integers(0, 6), json_values),
        "metadata": json_values,
        "cells": st.one_of(st.lists(cells, max_size=5), json_values),
        "worksheets": st.one_of(
            st.lists(st.fixed_dictionaries({"cells": st.lists(cells, max_size=3)}), max_size=2), json_values
        ),
    },
)
texts = st.one_of(any_text, st.lists(any_text, max_size=3))
sound_cells = st.one_of(
    st.fixed_dictionaries(
        {
            "cell_type": st.just("code"),
            "source": texts,
            "metadata": st.one_of(st.just({}), metadata.filter(lambda value: isinstance(value, dict))),
            "outputs": st.just([]),
            "execution_count": st.none(),
        },
        optional={"id": cell_ids, "attachments": st.dictionaries(any_text, json_values, max_size=2)},
    ),
    st.fixed_dictionaries(
        {"cell_type": st.sampled_from(["markdown", "raw"]), "source": texts, "metadata": st.just({})},
        optional={"id": cell_ids, "attachments": st.dictionaries(any_text, json_values, max_size=2)},
    ),
)
sound_notebooks = st.builds(
    lambda cells, minor: {"nbformat": 4, "nbformat_minor": minor, "metadata": {}, "cells": cells},
    st.lists(sound_cells, max_size=5),
    st.integers(0, 5),
)


@st.composite
def mutated_notebooks(draw: st.DrawFn) -> Any:
    """A notebook in which parts were exchanged or taken out."""
    original = draw(st.one_of(st.builds(lambda: json.loads(nbformat.writes(REFERENCE))), sound_notebooks))
    return draw(with_parts_exchanged(original, json_values))


submissions = st.one_of(
    notebooks.map(lambda tree: json.dumps(tree).encode()),
    sound_notebooks.map(lambda tree: json.dumps(tree).encode()),
    mutated_notebooks().map(lambda tree: json.dumps(tree).encode()),
    mutated(st.just(nbformat.writes(REFERENCE).encode())),
    st.binary(max_size=100),
    st.text(string.printable, max_size=50).map(str.encode),
    st.builds(
        lambda start, depth: (start * depth).encode(),
        st.sampled_from(["[", '{"cells":', '{"nbformat":4,"cells":[{"source":[']),
        st.sampled_from([10, 2000, 100_000]),
    ),
)


def check_submission(data: bytes, folder: Path) -> None:
    """Whatever was handed in, intake makes a notebook of it that can be stored and has our cells as we wrote them."""
    path = folder / "submission.ipynb"
    path.write_bytes(data)
    start = time.process_time()
    notebook = take_in(path, Notebook.of(REFERENCE)).notebook.node
    assert time.process_time() - start < MAX_SECONDS
    nbformat.validate(notebook)
    nbformat.writes(notebook).encode("utf-8")
    known = {cell.id: cell for cell in notebook.cells if cell.id in {cell.id for cell in REFERENCE.cells}}
    assert list(known) == [cell.id for cell in REFERENCE.cells]
    for cell in REFERENCE.cells:
        assert known[cell.id].metadata == cell.metadata and known[cell.id].cell_type == cell.cell_type
        if cell.id in ("opening-1", "opening-2", "task--two"):
            assert known[cell.id].source == cell.source
