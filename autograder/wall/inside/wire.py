"""Values to bytes and back, for a wire whose other end cannot be trusted: JSON and raw array bytes, no pickle.

A message is a JSON document and a list of byte buffers. Plain values are copied and rebuilt as exactly these types:
None, bool, int, float, complex, Fraction, Decimal, str, bytes, list, tuple, dict, set, frozenset, range, Counter,
OrderedDict, defaultdict, deque, NumPy arrays and scalars, torch tensors, pandas Series and DataFrames, and random
generators (as copies: draws on one side do not advance the other's). Any other subclass becomes the type beneath it, a
UserList a list, a UserDict a dict, a bytearray bytes. A defaultdict keeps its factory if that is one of FACTORIES.

What is no plain value crosses as a handle. So do iterators, generators and views of dicts: they can be gone through,
but must not pass for lists; only those that we hand over ourselves, which the other end could not ask us for, become
lists (`is_judge`). Reading checks everything and raises WireError, never anything else.

This file is also read by itself inside the sandbox, so it imports nothing of the project.
"""

import array
import collections
import collections.abc
import itertools
import json
import math
import re
import struct
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

MAX_BYTES = 64 * 2**20  # of one message
MAX_DOCUMENT = 16 * 2**20  # of its JSON document, which takes far more memory once it is read
MAX_DEPTH = 40  # lists within lists
MAX_NODES = 1_000_000  # values in one message
MAX_COLLISIONS = 10_000  # values in one message whose hash another value has; a set of more would never be done
ARRAY_KINDS = "biufcSU"  # NumPy's letters for bool, int, unsigned, float, complex, bytes, text
ARRAY_TYPE = re.compile(rf"[<|][{ARRAY_KINDS}][1-9][0-9]{{0,8}}")
# fmt: off
TENSOR_KINDS = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
    "complex128",
)
# fmt: on
COLUMN_KINDS = ("int", "uint", "float", "complex", "bool", "object", "str", "datetime64[")
FACTORIES = {kind.__name__: kind for kind in (bool, dict, float, int, list, set, str, tuple, collections.Counter)}
LONG = 64  # floats in a list; so many and more cross as raw bytes
MAX_DIGITS = 10_000  # of a Decimal, with all zeros; it takes no more bytes to send one that no memory can hold
PLAIN = ({str}, {float})  # kinds of which a list is read as it stands
HEAD = struct.Struct(">II")  # bytes of the document, number of buffers
SIZE = struct.Struct(">Q")  # bytes of one buffer
ITERATORS = (collections.abc.Iterator, collections.abc.MappingView)
Tree = Any  # what json reads and writes


class WireError(Exception):
    """A value that cannot cross, or bytes that are no message; the text says which."""


def to_bytes(message: Any, to_handle: Callable[[Any], dict[str, Any]], is_judge: bool = False) -> bytes:
    """One message as bytes. `to_handle(value)` gives the JSON object for what is no plain value.

    The judge's messages say how arrays and tensors are laid out, and have lists in place of iterators.
    """
    writer = Writer(to_handle, is_judge)
    document = json.dumps(writer.tree(message, 0), allow_nan=False, separators=(",", ":")).encode()
    if len(document) > MAX_DOCUMENT:
        raise WireError(f"a value is longer than {MAX_DOCUMENT // 2**20} MiB")
    parts = [HEAD.pack(len(document), len(writer.buffers)), document]
    for buffer in writer.buffers:
        parts += [SIZE.pack(len(buffer)), buffer]
    if sum(map(len, parts)) > MAX_BYTES:
        raise WireError(f"a value is longer than {MAX_BYTES // 2**20} MiB")
    return b"".join(parts)


def from_bytes(data: bytes, from_handle: Callable[[dict[str, Any]], Any], of_judge: bool = False) -> Any:
    """The message in `data`; `from_handle(object)` gives the value of a handle. Raises WireError if it is invalid.

    Layouts are followed in the judge's messages only: an expanded tensor claims more than it sends.
    """
    try:
        document, buffers = _split(data)
        return Reader(buffers, from_handle, of_judge).value(json.loads(document), 0)
    except WireError:
        raise
    except Exception as error:  # whatever a hostile message provokes: it is not a valid one
        raise WireError(f"not a valid message ({type(error).__name__})") from None


def _split(data: bytes) -> tuple[bytes, list[bytes]]:
    if not HEAD.size <= len(data) <= MAX_BYTES:
        raise WireError("a message of impossible size")
    document_size, count = HEAD.unpack_from(data)
    if document_size > MAX_DOCUMENT:
        raise WireError("a document that is too long")
    position = HEAD.size + document_size
    document, buffers = data[HEAD.size : position], []
    for _ in range(count):
        if position + SIZE.size > len(data):
            raise WireError("a message that is shorter than it says")
        (size,) = SIZE.unpack_from(data, position)
        position += SIZE.size
        buffers.append(data[position : position + size])
        position += size
    if position != len(data):
        raise WireError("a message that is not as long as it says")
    return document, buffers


class Writer:
    """One message on its way to bytes."""

    def __init__(self, to_handle: Callable[[Any], dict[str, Any]], is_judge: bool) -> None:
        self.to_handle = to_handle
        self.is_judge = is_judge
        self.buffers: list[bytes] = []
        self.nodes = 0

    def tree(self, value: Any, depth: int) -> Tree:
        """What stands for `value` in the document: itself, a list, or an object that names its type under "t"."""
        self.count(1)
        if depth > MAX_DEPTH:
            raise WireError("a value is nested too deeply, or contains itself")
        plain = type(value)  # not isinstance: an object can lie about its class
        if value is None or plain is bool or plain is str:
            return value
        write = EXACT_WRITERS.get(plain)
        if write is not None:
            return write(self, value, depth + 1)
        # Libraries before base classes: NumPy's float64 is also a float. One that was never imported has no values.
        for module, name, write in LIBRARY_WRITERS:
            base = getattr(sys.modules.get(module), name, None)
            if isinstance(base, type) and issubclass(plain, base):
                return write(self, value, depth + 1)
        for base, write in WRITERS:
            if issubclass(plain, base):
                return write(self, value, depth + 1)
        if self.is_judge and issubclass(plain, ITERATORS):
            return [self.tree(item, depth + 1) for item in itertools.islice(value, MAX_NODES)]
        return self.to_handle(value)

    def count(self, parts: int) -> None:
        self.nodes += parts
        if self.nodes > MAX_NODES:
            raise WireError(f"a value has more than {MAX_NODES:,} parts")

    def trees(self, values: Any, depth: int) -> list[Tree]:
        return [self.tree(value, depth) for value in values]

    def buffer(self, data: bytes) -> int:
        self.buffers.append(data)
        return len(self.buffers) - 1


class Reader:
    """One message on its way from bytes that anybody may have written."""

    def __init__(self, buffers: list[bytes], from_handle: Callable[[dict[str, Any]], Any], of_judge: bool) -> None:
        self.of_judge = of_judge
        self.buffers: list[bytes | None] = [*buffers]
        self.from_handle = from_handle
        self.nodes = 0
        self.hashed: dict[int, Any] = {}
        self.collisions = 0

    def value(self, tree: Tree, depth: int) -> Any:
        """The value that `tree` stands for."""
        self.count(1)
        if depth > MAX_DEPTH:
            raise WireError("a value that is nested too deeply")
        if isinstance(tree, list):
            return self.hash_checked(self.values(tree, depth))
        if isinstance(tree, dict):
            read = READERS.get(tree["t"])
            return self.from_handle(tree) if read is None else read(self, tree, depth)
        return self.hash_checked(tree) if type(tree) is int else tree

    def values(self, trees: Tree, depth: int) -> list[Any]:
        if not isinstance(trees, list):
            if isinstance(trees, dict) and trees.get("t") == "floats":
                return _read_floats(self, trees, depth)
            raise WireError("a list was expected")
        kinds = set(map(type, trees))
        if kinds in PLAIN or (kinds == {int} and max(map(abs, trees)) < sys.hash_info.modulus):
            self.count(len(trees))
            return list(trees)
        return [self.value(tree, depth + 1) for tree in trees]

    def count(self, parts: int) -> None:
        self.nodes += parts
        if self.nodes > MAX_NODES:
            raise WireError("a value that has too many parts")

    def hash_checked(self, value: Any) -> Any:
        """The value itself. Whoever sends many different ones with the same hash wants a set or dict to take hours.

        A list is checked as the tuple that a test may make of it to put it into a set.
        """
        if type(value) is int and abs(value) < sys.hash_info.modulus:
            return value
        try:
            first = self.hashed.setdefault(hash(tuple(value) if type(value) is list else value), value)
        except TypeError:  # a tuple with a list in it, say
            return value
        if first is not value and first != value:
            self.collisions += 1
            if self.collisions > MAX_COLLISIONS:
                raise WireError("too many values that Python can hardly tell apart")
        return value

    def buffer(self, tree: Tree) -> bytes:
        """The buffer of an array. Each is used once, so that what is read cannot be much larger than the message."""
        buffer, self.buffers[tree["b"]] = self.buffers[tree["b"]], None
        if buffer is None:
            raise WireError("a buffer that is used twice")
        data: bytes = buffer
        return data


def _write_int(out: Writer, value: int, depth: int) -> Tree:
    number = int(value)
    return number if abs(number) < 2**53 else {"t": "int", "v": hex(number)}


def _read_int(source: Reader, tree: Tree, depth: int) -> int:
    number: int = source.hash_checked(int(tree["v"], 16))
    return number


def _write_float(out: Writer, value: float, depth: int) -> Tree:
    number = float(value)
    return number if math.isfinite(number) else {"t": "float", "v": repr(number)}


def _read_float(source: Reader, tree: Tree, depth: int) -> float:
    return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[tree["v"]]


def _write_complex(out: Writer, value: complex, depth: int) -> Tree:
    return {"t": "complex", "v": out.trees([value.real, value.imag], depth)}


def _read_complex(source: Reader, tree: Tree, depth: int) -> complex:
    real, imaginary = source.values(tree["v"], depth)
    number: complex = source.hash_checked(complex(real, imaginary))
    return number


def _write_str(out: Writer, value: str, depth: int) -> Tree:
    return "".join(value)


def _write_bytes(out: Writer, value: bytes, depth: int) -> Tree:
    return {"t": "bytes", "b": out.buffer(bytes(value))}


def _read_bytes(source: Reader, tree: Tree, depth: int) -> bytes:
    return source.buffer(tree)


def _write_list(out: Writer, value: list[Any], depth: int) -> Tree:
    """Lists of one plain kind are what tests hand over most: no Python code looks at each part of those."""
    kinds = set(map(type, value))
    if kinds == {float} and len(value) >= LONG:
        out.count(len(value))
        return {"t": "floats", "b": out.buffer(array.array("d", value).tobytes())}
    if (
        kinds == {str}
        or (kinds == {float} and all(map(math.isfinite, value)))
        or (kinds == {int} and max(value) < 2**53 and min(value) > -(2**53))
    ):
        out.count(len(value))
        return value
    return out.trees(value, depth)


def _read_floats(source: Reader, tree: Tree, depth: int) -> list[float]:
    numbers = array.array("d")
    numbers.frombytes(source.buffer(tree))
    source.count(len(numbers))
    return numbers.tolist()


def _write_tuple(out: Writer, value: tuple[Any, ...], depth: int) -> Tree:
    return {"t": "tuple", "v": out.trees(value, depth)}


def _read_tuple(source: Reader, tree: Tree, depth: int) -> tuple[Any, ...]:
    values: tuple[Any, ...] = source.hash_checked(tuple(source.values(tree["v"], depth)))
    return values


def _write_set(out: Writer, value: set[Any], depth: int) -> Tree:
    return {"t": "set", "v": out.trees(value, depth)}


def _read_set(source: Reader, tree: Tree, depth: int) -> set[Any]:
    return set(source.values(tree["v"], depth))


def _write_frozenset(out: Writer, value: frozenset[Any], depth: int) -> Tree:
    return {"t": "frozenset", "v": out.trees(value, depth)}


def _read_frozenset(source: Reader, tree: Tree, depth: int) -> frozenset[Any]:
    values: frozenset[Any] = source.hash_checked(frozenset(source.values(tree["v"], depth)))
    return values


def _write_dict(out: Writer, value: dict[Any, Any], depth: int) -> Tree:
    keys, values = list(dict.keys(value)), list(dict.values(value))
    return {"t": "dict", "k": _write_list(out, keys, depth), "v": _write_list(out, values, depth)}


def _read_dict(source: Reader, tree: Tree, depth: int) -> dict[Any, Any]:
    return dict(zip(source.values(tree["k"], depth), source.values(tree["v"], depth), strict=True))


def _write_counter(out: Writer, value: Any, depth: int) -> Tree:
    return _write_dict(out, value, depth) | {"t": "counter"}


def _read_counter(source: Reader, tree: Tree, depth: int) -> Any:
    counter: Any = collections.Counter()
    dict.update(counter, _read_dict(source, tree, depth))  # Counter's own would add up
    return counter


def _write_ordered(out: Writer, value: Any, depth: int) -> Tree:
    keys = list(collections.OrderedDict.__iter__(value))
    values = [dict.get(value, key) for key in keys]
    return {"t": "ordered", "k": _write_list(out, keys, depth), "v": _write_list(out, values, depth)}


def _read_ordered(source: Reader, tree: Tree, depth: int) -> Any:
    return collections.OrderedDict(_read_dict(source, tree, depth))


def _write_default(out: Writer, value: Any, depth: int) -> Tree:
    factory = value.default_factory
    name = next((name for name, kind in FACTORIES.items() if kind is factory), None)
    return _write_dict(out, value, depth) | {"t": "default", "f": name}


def _read_default(source: Reader, tree: Tree, depth: int) -> Any:
    return collections.defaultdict(FACTORIES.get(tree["f"]), _read_dict(source, tree, depth))


def _write_deque(out: Writer, value: Any, depth: int) -> Tree:
    maxlen = value.maxlen
    items = out.trees(itertools.islice(collections.deque.__iter__(value), MAX_NODES), depth)
    return {"t": "deque", "v": items, "m": maxlen if type(maxlen) is int else None}


def _read_deque(source: Reader, tree: Tree, depth: int) -> Any:
    return collections.deque(source.values(tree["v"], depth), tree["m"])


def _write_data(out: Writer, value: Any, depth: int) -> Tree:
    return out.tree(value.data, depth)


def _write_fraction(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "fraction", "v": out.trees([value.numerator, value.denominator], depth)}


def _read_fraction(source: Reader, tree: Tree, depth: int) -> Any:
    import fractions

    numerator, denominator = source.values(tree["v"], depth)
    if type(numerator) is not int or type(denominator) is not int:
        raise WireError("a fraction that is no fraction")
    return source.hash_checked(fractions.Fraction(numerator, denominator))


def _write_decimal(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "decimal", "v": str(value)}


def _read_decimal(source: Reader, tree: Tree, depth: int) -> Any:
    import decimal

    number = decimal.Decimal(tree["v"][:MAX_DIGITS])
    if number.is_snan() or (number.is_finite() and abs(number.adjusted()) > MAX_DIGITS):
        raise WireError("a number that is too long")
    return source.hash_checked(number)


def _write_range(out: Writer, value: range, depth: int) -> Tree:
    return {"t": "range", "v": out.trees([value.start, value.stop, value.step], depth)}


def _read_range(source: Reader, tree: Tree, depth: int) -> range:
    start, stop, step = source.values(tree["v"], depth)
    numbers: range = source.hash_checked(range(start, stop, step))
    return numbers


def _write_array(out: Writer, value: Any, depth: int) -> Tree:
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind not in ARRAY_KINDS:
        return {"t": "objects", "s": list(array.shape), "v": out.trees(array.ravel().tolist(), depth)}
    tree: Tree = {"t": "array", "s": list(array.shape)}
    if out.is_judge and not array.flags.c_contiguous:
        tree["l"] = layout = _layout(array.shape, array.strides)
        array = array[tuple(slice(1 if axis in layout["e"] else None) for axis in range(array.ndim))]
        array = array.transpose(layout["p"])
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return tree | {"d": array.dtype.str, "b": out.buffer(array.tobytes())}


def _read_array(source: Reader, tree: Tree, depth: int) -> Any:
    import numpy as np

    if not isinstance(tree["d"], str) or not ARRAY_TYPE.fullmatch(tree["d"]):
        raise WireError("an array of unknown type")
    dtype, buffer = np.dtype(tree["d"]), source.buffer(tree)
    if dtype.kind == "b":  # a bool whose byte is 2 is neither True nor False
        array = np.frombuffer(buffer, np.uint8) != 0
    else:
        array = np.frombuffer(buffer, dtype).astype(dtype.newbyteorder("="))
    if not source.of_judge or "l" not in tree:
        return array.reshape(_shape(tree))
    array = array.reshape(_stored_shape(tree)).transpose(_inverse(tree["l"]["p"]))
    return np.broadcast_to(array, tree["s"]) if tree["l"]["e"] else array


def _read_objects(source: Reader, tree: Tree, depth: int) -> Any:
    import numpy as np

    values = source.values(tree["v"], depth)
    array = np.empty(len(values), dtype=object)
    for position, value in enumerate(values):
        array[position] = value
    return array.reshape(_shape(tree))


def _write_scalar(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "scalar", "v": _write_array(out, value, depth)}


def _read_scalar(source: Reader, tree: Tree, depth: int) -> Any:
    inner = tree["v"]
    if inner["t"] not in ("array", "objects") or inner["s"] != []:
        raise WireError("a number that is no number")
    return source.hash_checked(READERS[inner["t"]](source, inner, depth)[()])


def _write_tensor(out: Writer, value: Any, depth: int) -> Tree:
    import torch

    kind = str(value.dtype).removeprefix("torch.")
    if kind not in TENSOR_KINDS or value.layout is not torch.strided:
        raise WireError(f"a tensor of type {kind} and layout {value.layout} cannot cross")
    tree: Tree = {"t": "tensor", "d": kind, "s": list(value.shape), "g": bool(value.requires_grad)}
    value = value.detach()
    if out.is_judge and not value.is_contiguous():
        tree["l"] = layout = _layout(value.shape, value.stride())
        for axis in layout["e"]:
            value = value.narrow(axis, 0, 1)
        value = value.permute(layout["p"])
    raw = (
        value.cpu()
        .resolve_conj()
        .resolve_neg()
        .clone(memory_format=torch.contiguous_format)  # one number of a row counts as contiguous, stride and all
        .reshape(-1)
        .view(torch.uint8)
        .numpy()
        .tobytes()
    )
    return tree | {"b": out.buffer(raw)}


def _read_tensor(source: Reader, tree: Tree, depth: int) -> Any:
    import torch

    if tree["d"] not in TENSOR_KINDS:
        raise WireError("a tensor of unknown type")
    buffer = bytearray(source.buffer(tree))
    dtype, has_layout = getattr(torch, tree["d"]), source.of_judge and "l" in tree
    shape = _stored_shape(tree) if has_layout else _shape(tree)
    raw = torch.frombuffer(buffer, dtype=torch.uint8) if buffer else torch.empty(0, dtype=torch.uint8)
    tensor = (raw != 0 if dtype is torch.bool else raw.view(dtype)).reshape(shape).clone()
    if has_layout:
        tensor = tensor.permute(_inverse(tree["l"]["p"])).expand(tree["s"])
    return tensor.requires_grad_(tree["g"] is True)


def _write_series(out: Writer, value: Any, depth: int) -> Tree:
    parts = [value.tolist(), str(value.dtype), value.index.tolist(), value.name, value.index.name]
    return {"t": "series", "v": out.trees(parts, depth)}


def _read_series(source: Reader, tree: Tree, depth: int) -> Any:
    import pandas as pd

    values, kind, index, name, index_name = source.values(tree["v"], depth)
    series = _column(values, kind, pd.Index(_listed(index), name=index_name))
    series.name = name
    return series


def _write_frame(out: Writer, value: Any, depth: int) -> Tree:
    columns = [value.iloc[:, number] for number in range(value.shape[1])]
    parts = [
        [[column.tolist(), str(column.dtype)] for column in columns],
        value.index.tolist(),
        value.columns.tolist(),
        value.index.name,
        value.columns.name,
    ]
    return {"t": "frame", "v": out.trees(parts, depth)}


def _read_frame(source: Reader, tree: Tree, depth: int) -> Any:
    import pandas as pd

    columns, index, names, index_name, columns_name = source.values(tree["v"], depth)
    rows = pd.Index(_listed(index), name=index_name)
    frame = pd.DataFrame({number: _column(values, kind, rows) for number, (values, kind) in enumerate(columns)}, rows)
    return frame.set_axis(pd.Index(_listed(names), name=columns_name), axis=1)


def _write_index(out: Writer, value: Any, depth: int) -> Tree:
    return out.trees(value.tolist(), depth)


def _write_random(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "random", "v": out.tree(value.getstate(), depth)}


def _read_random(source: Reader, tree: Tree, depth: int) -> Any:
    import random

    generator = random.Random()
    generator.setstate(source.value(tree["v"], depth + 1))
    return generator


def _write_generator(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "generator", "v": out.tree(value.bit_generator.state, depth)}


def _read_generator(source: Reader, tree: Tree, depth: int) -> Any:
    import numpy as np

    bits = np.random.PCG64()
    bits.state = source.value(tree["v"], depth + 1)
    return np.random.Generator(bits)


def _write_torch_generator(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "torch_generator", "v": out.tree(value.get_state(), depth)}


def _read_torch_generator(source: Reader, tree: Tree, depth: int) -> Any:
    import torch

    generator = torch.Generator()
    generator.set_state(source.value(tree["v"], depth + 1))
    return generator


def _shape(tree: Tree) -> tuple[int, ...]:
    shape = tree["s"]
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
        raise WireError("an array of impossible shape")
    return tuple(shape)


def _layout(shape: Sequence[int], strides: Sequence[int]) -> Tree:
    """How numbers lie that are not row by row: axes from slowest to fastest, and those that repeat one slice."""
    order = sorted(range(len(shape)), key=lambda axis: -abs(strides[axis]))
    return {"p": order, "e": [axis for axis in order if strides[axis] == 0 and shape[axis] > 1]}


def _stored_shape(tree: Tree) -> list[int]:
    return [1 if axis in tree["l"]["e"] else tree["s"][axis] for axis in tree["l"]["p"]]


def _inverse(order: list[int]) -> list[int]:
    return sorted(range(len(order)), key=order.__getitem__)


def _listed(values: Any) -> list[Any]:
    """A list as it is; anything else pandas would repeat, or ask the student's side for its parts."""
    if type(values) is not list:
        raise WireError("a list was expected")
    return values


def _column(values: Any, kind: Any, index: Any) -> Any:
    import pandas as pd

    values = _listed(values)
    if not isinstance(kind, str) or not kind.startswith(COLUMN_KINDS):
        return pd.Series(values, index=index)
    return pd.Series(values, index=index, dtype=kind)


class Codec(NamedTuple):
    """How values of one type are written and read; `tag` names it in the document, if it is no part of JSON."""

    tag: str
    kind: type | tuple[str, str]  # or the module and name of a library's
    write: Callable[[Writer, Any, int], Tree]
    read: Callable[[Reader, Tree, int], Any] | None = None


# The first that fits writes a value of a type beneath, so Counter is above dict.
CODECS = (
    Codec("array", ("numpy", "ndarray"), _write_array, _read_array),
    Codec("scalar", ("numpy", "generic"), _write_scalar, _read_scalar),
    Codec("generator", ("numpy.random", "Generator"), _write_generator, _read_generator),
    Codec("random", ("random", "Random"), _write_random, _read_random),
    Codec("fraction", ("fractions", "Fraction"), _write_fraction, _read_fraction),
    Codec("decimal", ("decimal", "Decimal"), _write_decimal, _read_decimal),
    Codec("tensor", ("torch", "Tensor"), _write_tensor, _read_tensor),
    Codec("torch_generator", ("torch", "Generator"), _write_torch_generator, _read_torch_generator),
    Codec("series", ("pandas", "Series"), _write_series, _read_series),
    Codec("frame", ("pandas", "DataFrame"), _write_frame, _read_frame),
    Codec("", ("pandas", "Index"), _write_index),
    Codec("counter", collections.Counter, _write_counter, _read_counter),
    Codec("ordered", collections.OrderedDict, _write_ordered, _read_ordered),
    Codec("default", collections.defaultdict, _write_default, _read_default),
    Codec("deque", collections.deque, _write_deque, _read_deque),
    Codec("", collections.UserList, _write_data),
    Codec("", collections.UserDict, _write_data),
    Codec("int", int, _write_int, _read_int),
    Codec("float", float, _write_float, _read_float),
    Codec("complex", complex, _write_complex, _read_complex),
    Codec("", str, _write_str),
    Codec("bytes", bytes, _write_bytes, _read_bytes),
    Codec("", bytearray, _write_bytes),
    Codec("floats", list, _write_list, _read_floats),
    Codec("tuple", tuple, _write_tuple, _read_tuple),
    Codec("set", set, _write_set, _read_set),
    Codec("frozenset", frozenset, _write_frozenset, _read_frozenset),
    Codec("dict", dict, _write_dict, _read_dict),
    Codec("range", range, _write_range, _read_range),
)
READERS = {codec.tag: codec.read for codec in CODECS if codec.read} | {"objects": _read_objects}
WRITERS = [(codec.kind, codec.write) for codec in CODECS if isinstance(codec.kind, type)]
EXACT_WRITERS = dict(WRITERS)
LIBRARY_WRITERS = [(*codec.kind, codec.write) for codec in CODECS if isinstance(codec.kind, tuple)]
