"""Values to bytes and back, for a wire whose other end cannot be trusted: JSON and raw array bytes, no pickle.

A message is a JSON document and a list of byte buffers. Plain values are copied and rebuilt as exactly these types:
None, bool, int, float, complex, Fraction, Decimal, str, bytes, bytearray, list, tuple, dict, set, frozenset, range,
slice, Counter, OrderedDict, defaultdict, deque, dates and times, NumPy arrays, scalars and types, torch tensors, pandas
Series, DataFrames, indexes and time stamps, Python's and NumPy's own classes, and random generators (as copies: draws
on one side do not advance the other's). A named tuple becomes one of a class with the same names. Any other subclass
becomes the type beneath it, a UserList a list, a UserDict a dict. A defaultdict keeps its factory if that is one of
FACTORIES.

What is no plain value crosses as a handle. So do iterators, generators and views of dicts: they can be gone through,
but must not pass for lists; only those that we hand over ourselves, which the other end could not ask us for, become
lists (`is_judge`). Reading checks everything and raises WireError, never anything else.

This file is also read by itself inside the sandbox, so it imports nothing of the project.
"""

import array
import collections
import collections.abc
import functools
import itertools
import json
import math
import operator
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
ARRAY_KINDS = "biufcSUmM"  # NumPy's letters for bool, int, unsigned, float, complex, bytes, text, spans, dates
ARRAY_TYPE = re.compile(r"[<|][biufcSU][1-9][0-9]{0,8}|<[mM]8(\[[0-9]{0,4}[a-zA-Z]{1,2}\])?")
MAX_FIELDS = 100  # of a record or a named tuple
ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}")
CLASS_PLACES = ("builtins", "types", "datetime", "decimal", "collections", "numpy")
HEAP_TYPE = 1 << 9  # Python's flag of a class whose attributes can be set
# fmt: off
TENSOR_KINDS = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
    "complex128",
)
# fmt: on
COLUMN_KINDS = (
    *("int", "uint", "float", "complex", "bool", "object", "str", "datetime64["),
    *("Int", "UInt", "Float", "boolean", "string"),
)
# How values are written that can be changed in place.
# fmt: off
CHANGING = frozenset((
    "floats", "dict", "set", "counter", "ordered", "default", "deque", "bytearray", "array", "objects", "matrix",
    "masked", "tensor", "series", "frame",
))
# fmt: on
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


def to_bytes(
    message: Any,
    to_handle: Callable[[Any], dict[str, Any]],
    is_judge: bool = False,
    known: dict[int, int] | None = None,
    seen: list[Any] | None = None,
    whole: set[int] | None = None,
) -> bytes:
    """One message as bytes. `to_handle(value)` gives the JSON object for what is no plain value.

    The judge's messages say how arrays and tensors are laid out, and have lists in place of iterators. What can be
    changed in them is added to `seen`, in an order that the reader finds again. Of such values, by their identity,
    `known` has the places for an answer; what is in `whole` crosses as a handle, even if it is built upon a list.
    """
    kind = Writer if seen is None and not known else NotingWriter
    writer = kind(to_handle, is_judge, known, seen, whole)
    document = json.dumps(writer.tree(message, 0), allow_nan=False, separators=(",", ":")).encode()
    if len(document) > MAX_DOCUMENT:
        raise WireError(f"a value is longer than {MAX_DOCUMENT // 2**20} MiB")
    parts = [HEAD.pack(len(document), len(writer.buffers)), document]
    for buffer in writer.buffers:
        parts += [SIZE.pack(len(buffer)), buffer]
    if sum(map(len, parts)) > MAX_BYTES:
        raise WireError(f"a value is longer than {MAX_BYTES // 2**20} MiB")
    return b"".join(parts)


def from_bytes(
    data: bytes,
    from_handle: Callable[[dict[str, Any]], Any],
    of_judge: bool = False,
    seen: list[Any] | None = None,
    same: Callable[[int, Any], Any] | None = None,
) -> Any:
    """The message in `data`; `from_handle(object)` gives the value of a handle. Raises WireError if it is invalid.

    Layouts are followed in the judge's messages only: an expanded tensor claims more than it sends. For `seen` see
    `to_bytes`; `same(place, value)` gives what the reader has handed over at that place of it, if it still is `value`.
    """
    try:
        document, buffers = _split(data)
        kind = Reader if seen is None else NotingReader
        return kind(buffers, from_handle, of_judge, seen, same).value(json.loads(document), 0)
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

    def __init__(
        self,
        to_handle: Callable[[Any], dict[str, Any]],
        is_judge: bool,
        known: dict[int, int] | None = None,
        seen: list[Any] | None = None,
        whole: set[int] | None = None,
    ) -> None:
        self.to_handle = to_handle
        self.is_judge = is_judge
        self.known, self.seen, self.whole = known, seen, whole
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
        if self.whole and id(value) in self.whole:
            return self.to_handle(value)
        write = FOUND_WRITERS.get(plain) or _library_writer(plain)
        if write is not None:
            return write(self, value, depth + 1)
        for base, write in WRITERS:
            if issubclass(plain, base):
                return write(self, value, depth + 1)
        if self.is_judge and issubclass(plain, ITERATORS) and not callable(value):  # some mocks are iterators too
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


class NotingWriter(Writer):
    """Notes what can be changed in place, or says where it has come from."""

    def tree(self, value: Any, depth: int) -> Tree:
        tree = super().tree(value, depth)
        if self.seen is not None and _can_change(tree):
            self.seen.append(value)
        elif self.known and id(value) in self.known and _can_change(tree):
            return {"t": "same", "i": self.known[id(value)], "v": tree}
        return tree


class Reader:
    """One message on its way from bytes that anybody may have written."""

    def __init__(
        self,
        buffers: list[bytes],
        from_handle: Callable[[dict[str, Any]], Any],
        of_judge: bool,
        seen: list[Any] | None = None,
        same: Callable[[int, Any], Any] | None = None,
    ) -> None:
        self.of_judge = of_judge
        self.seen, self.same = seen, same
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


class NotingReader(Reader):
    """Notes what can be changed in place."""

    def value(self, tree: Tree, depth: int) -> Any:
        value = super().value(tree, depth)
        if self.seen is not None and _can_change(tree):
            self.seen.append(value)
        return value


def _library_writer(kind: type) -> Callable[[Writer, Any, int], Tree] | None:
    """Libraries come before base classes: NumPy's float64 is also a float. One never imported has no values."""
    for module, name, write in LIBRARY_WRITERS:
        base = getattr(sys.modules.get(module), name, None)
        if isinstance(base, type) and issubclass(kind, base):
            FOUND_WRITERS[kind] = write
            return write
    return None


def _can_change(tree: Tree) -> bool:
    """Whether a value that is written like this can be changed in place, so that it matters which one it is."""
    return type(tree) is list or (type(tree) is dict and tree["t"] in CHANGING)


def _read_same(source: Reader, tree: Tree, depth: int) -> Any:
    value = source.value(tree["v"], depth)
    if source.same is None or type(tree["i"]) is not int:
        raise WireError("a value that nobody has handed over")
    return source.same(tree["i"], value)


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


def _write_bytearray(out: Writer, value: bytearray, depth: int) -> Tree:
    return {"t": "bytearray", "b": out.buffer(bytes(value))}


def _read_bytearray(source: Reader, tree: Tree, depth: int) -> bytearray:
    return bytearray(source.buffer(tree))


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
    tree = {"t": "tuple", "v": out.trees(tuple.__iter__(value), depth)}
    fields = getattr(type(value), "_fields", None)
    if type(value) is tuple or type(fields) is not tuple or len(fields) != len(value):
        return tree
    return tree | {"t": "named", "n": str(type(value).__name__), "f": out.trees(fields, depth)}


def _read_named(source: Reader, tree: Tree, depth: int) -> Any:
    values, fields, name = _read_tuple(source, tree, depth), source.values(tree["f"], depth), tree["n"]
    if len(values) != len(fields) or len(fields) > MAX_FIELDS or type(name) is not str:
        raise WireError("a named tuple that is none")
    if not all(type(field) is str and field.isidentifier() for field in fields):
        raise WireError("a named tuple of impossible names")
    kind = source.of_judge and _their_named_tuple(name, tuple(fields))
    return tuple.__new__(kind or _named_tuple(name[:100], tuple(fields)), values)


def _their_named_tuple(name: str, fields: tuple[str, ...]) -> type | None:
    """The student's class of that name, on their side."""
    kind = getattr(sys.modules.get("__main__"), name, None)
    is_one = isinstance(kind, type) and issubclass(kind, tuple) and getattr(kind, "_fields", None) == fields
    return kind if is_one else None


@functools.lru_cache(maxsize=256)
def _named_tuple(name: str, fields: tuple[str, ...]) -> type:
    """A class of named tuples. `collections.namedtuple` would make it of a text, which anybody may have sent."""

    def represent(self: Any) -> str:
        return f"{name}({', '.join(f'{field}={value!r}' for field, value in zip(fields, self, strict=True))})"

    def as_dict(self: Any) -> dict[str, Any]:
        return dict(zip(fields, self, strict=True))

    def exchange(self: Any, **values: Any) -> Any:
        return tuple.__new__(type(self), [values.get(field, value) for field, value in as_dict(self).items()])

    own = {"_fields": fields, "_asdict": as_dict, "_replace": exchange, "__repr__": represent, "__slots__": ()}
    places = {field: property(operator.itemgetter(place)) for place, field in enumerate(fields)}
    return type(name, (tuple,), {**{field: found for field, found in places.items() if field[:1] != "_"}, **own})


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
    return Writer.tree(out, value.data, depth)


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


def _write_slice(out: Writer, value: slice, depth: int) -> Tree:
    return {"t": "slice", "v": out.trees([value.start, value.stop, value.step], depth)}


def _read_slice(source: Reader, tree: Tree, depth: int) -> slice:
    return slice(*source.values(tree["v"], depth)[:3])


def _constants() -> dict[str, Any]:
    """Values of which there is one only, by name."""
    found: dict[str, Any] = {"Ellipsis": ..., "NotImplemented": NotImplemented}
    if "pandas" in sys.modules:
        found |= {"NaT": sys.modules["pandas"].NaT, "NA": sys.modules["pandas"].NA}
    return found


def _write_constant(out: Writer, value: Any, depth: int) -> Tree:
    name = next(name for name, constant in _constants().items() if constant is value)
    return {"t": "constant", "v": name}


def _read_constant(source: Reader, tree: Tree, depth: int) -> Any:
    return _constants()[tree["v"]]


def _classes() -> dict[str, type]:
    """The classes that cross, by name: of Python and NumPy, and none that anybody could change."""
    places = [(name, sys.modules.get(name)) for name in CLASS_PLACES]
    return {
        f"{place}.{name}": found
        for place, module in places
        if module is not None
        for name, found in vars(module).items()
        if isinstance(found, type) and not found.__flags__ & HEAP_TYPE and not name.startswith("_")
    }


@functools.lru_cache(maxsize=4)
def _class_tables(loaded: int) -> tuple[dict[str, type], dict[type, str]]:
    by_name = _classes()
    return by_name, {found: name for name, found in reversed(by_name.items())}


def _tables() -> tuple[dict[str, type], dict[type, str]]:
    return _class_tables(sum(name in sys.modules for name in CLASS_PLACES))


def _write_class(out: Writer, value: type, depth: int) -> Tree:
    name = None if value.__flags__ & HEAP_TYPE else _tables()[1].get(value)
    return out.to_handle(value) if name is None else {"t": "class", "v": name}


def _read_class(source: Reader, tree: Tree, depth: int) -> type:
    return _tables()[0][tree["v"]]


def _write_zone(out: Writer, value: Any, depth: int) -> Tree:
    """A time zone: none, a fixed difference, or one of the names that everybody knows."""
    import datetime

    if value is None:
        return None
    if type(value) is datetime.timezone:
        return value.utcoffset(None).total_seconds()
    key = getattr(value, "key", None) or getattr(value, "zone", None)
    if type(key) is not str:
        raise WireError(f"a time zone of type {type(value).__name__} cannot cross")
    return key


def _read_zone(source: Reader, tree: Tree) -> Any:
    import datetime
    import zoneinfo

    if tree is None:
        return None
    if type(tree) is str and ZONE.fullmatch(tree):
        return datetime.timezone(datetime.timedelta(0)) if tree == "UTC" else zoneinfo.ZoneInfo(tree)
    return datetime.timezone(datetime.timedelta(seconds=tree))


def _numbers(tree: Tree, count: int) -> list[int]:
    if not isinstance(tree, list) or len(tree) != count or not all(type(number) is int for number in tree):
        raise WireError("a date that is no date")
    return tree


def _write_moment(out: Writer, value: Any, depth: int) -> Tree:
    parts = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
    return {"t": "moment", "v": parts, "z": _write_zone(out, value.tzinfo, depth), "f": value.fold}


def _read_moment(source: Reader, tree: Tree, depth: int) -> Any:
    import datetime

    year, month, day, hour, minute, second, microsecond = _numbers(tree["v"], 7)
    zone = _read_zone(source, tree["z"])
    return datetime.datetime(year, month, day, hour, minute, second, microsecond, zone, fold=tree["f"])


def _write_date(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "date", "v": [value.year, value.month, value.day]}


def _read_date(source: Reader, tree: Tree, depth: int) -> Any:
    import datetime

    return datetime.date(*_numbers(tree["v"], 3))


def _write_time(out: Writer, value: Any, depth: int) -> Tree:
    parts = [value.hour, value.minute, value.second, value.microsecond]
    return {"t": "time", "v": parts, "z": _write_zone(out, value.tzinfo, depth)}


def _read_time(source: Reader, tree: Tree, depth: int) -> Any:
    import datetime

    hour, minute, second, microsecond = _numbers(tree["v"], 4)
    return datetime.time(hour, minute, second, microsecond, _read_zone(source, tree["z"]))


def _write_span(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "span", "v": [value.days, value.seconds, value.microseconds]}


def _read_span(source: Reader, tree: Tree, depth: int) -> Any:
    import datetime

    return datetime.timedelta(*_numbers(tree["v"], 3))


def _write_timezone(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "timezone", "v": _write_zone(out, value, depth)}


def _read_timezone(source: Reader, tree: Tree, depth: int) -> Any:
    return _read_zone(source, tree["v"])


def _write_stamp(out: Writer, value: Any, depth: int) -> Tree:
    number = out.tree(int(value.value), depth)
    return {"t": "stamp", "v": number, "u": str(value.unit), "z": _write_zone(out, value.tzinfo, depth)}


def _read_stamp(source: Reader, tree: Tree, depth: int) -> Any:
    import pandas as pd

    stamp = pd.Timestamp(source.value(tree["v"], depth), unit="ns").as_unit(tree["u"])
    zone = _read_zone(source, tree["z"])
    return stamp if zone is None else stamp.tz_localize("UTC").tz_convert(zone)


def _write_pandas_span(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "pandas_span", "v": out.tree(int(value.value), depth), "u": str(value.unit)}


def _read_pandas_span(source: Reader, tree: Tree, depth: int) -> Any:
    import pandas as pd

    return pd.Timedelta(source.value(tree["v"], depth), unit="ns").as_unit(tree["u"])


def _write_dtype(out: Writer, value: Any, depth: int) -> Tree:
    fields = _fields_of(value)
    if value.kind not in ARRAY_KINDS + "O" and fields is None:
        return out.to_handle(value)
    return {"t": "dtype", "v": value.str if fields is None else fields}


def _read_dtype(source: Reader, tree: Tree, depth: int) -> Any:
    import numpy as np

    return np.dtype(object) if tree["v"] == "|O" else _dtype(tree["v"])


def _dtype(text: Any) -> Any:
    """A type of numbers, dates or texts, or a record of such, as somebody has described it."""
    import numpy as np

    if isinstance(text, list) and 0 < len(text) <= MAX_FIELDS:
        names = [(str(name), _dtype(kind), _shape({"s": shape})) for name, kind, shape in text]
        return np.dtype(names)
    if not isinstance(text, str) or not ARRAY_TYPE.fullmatch(text):
        raise WireError("an array of unknown type")
    return np.dtype(text)


def _fields_of(dtype: Any) -> list[Any] | None:
    """The fields of records, None for what is no record or has fields that cannot cross."""
    if not dtype.names or len(dtype.names) > MAX_FIELDS:
        return None
    parts = [(name, dtype.fields[name][0]) for name in dtype.names]
    if any(part.base.kind not in ARRAY_KINDS for _, part in parts):
        return None
    return [[name, part.base.newbyteorder("<").str, list(part.shape)] for name, part in parts]


def _write_matrix(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "matrix", "v": _write_array(out, value, depth)}


def _read_matrix(source: Reader, tree: Tree, depth: int) -> Any:
    import numpy as np

    return np.asmatrix(_read_plain_array(source, tree["v"], depth))


def _write_masked(out: Writer, value: Any, depth: int) -> Tree:
    import numpy as np

    mask = np.ma.getmaskarray(value)
    return {"t": "masked", "v": _write_array(out, value.data, depth), "m": _write_array(out, mask, depth)}


def _read_masked(source: Reader, tree: Tree, depth: int) -> Any:
    import numpy as np

    values = _read_plain_array(source, tree["v"], depth)
    return np.ma.array(values, mask=_read_plain_array(source, tree["m"], depth))


def _read_plain_array(source: Reader, tree: Tree, depth: int) -> Any:
    if tree["t"] not in ("array", "objects"):
        raise WireError("an array was expected")
    return READERS[tree["t"]](source, tree, depth)


def _write_random_state(out: Writer, value: Any, depth: int) -> Tree:
    return {"t": "random_state", "v": out.trees(value.get_state(), depth)}


def _read_random_state(source: Reader, tree: Tree, depth: int) -> Any:
    import numpy as np

    generator = np.random.RandomState(0)
    generator.set_state(tuple(source.values(tree["v"], depth)))
    return generator


def _write_array(out: Writer, value: Any, depth: int) -> Tree:
    import numpy as np

    array = np.asarray(value)
    if (fields := _fields_of(array.dtype)) is not None:
        packed = np.ascontiguousarray(array).astype(_dtype(fields)).tobytes()
        return {"t": "array", "s": list(array.shape), "d": fields, "b": out.buffer(packed)}
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

    dtype, buffer = _dtype(tree["d"]), source.buffer(tree)
    if dtype.kind == "b":  # a bool whose byte is 2 is neither True nor False
        array = np.frombuffer(buffer, np.uint8) != 0
    else:
        array = np.frombuffer(buffer, dtype).astype(dtype.newbyteorder("="))
        for name in dtype.names or ():
            if array[name].dtype.kind == "b":
                array[name] = array[name].view(np.uint8) != 0
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
    return {"t": "series", "v": out.trees([*_column_parts(value), value.index, value.name], depth)}


def _read_series(source: Reader, tree: Tree, depth: int) -> Any:
    values, kind, index, name = source.values(tree["v"], depth)
    series = _column(values, kind, _checked_index(index))
    series.name = name
    return series


def _write_frame(out: Writer, value: Any, depth: int) -> Tree:
    columns = [_column_parts(value.iloc[:, number]) for number in range(value.shape[1])]
    return {"t": "frame", "v": out.trees([columns, value.index, value.columns], depth)}


def _read_frame(source: Reader, tree: Tree, depth: int) -> Any:
    import pandas as pd

    columns, index, names = source.values(tree["v"], depth)
    rows = _checked_index(index)
    frame = pd.DataFrame({number: _column(values, kind, rows) for number, (values, kind) in enumerate(columns)}, rows)
    return frame.set_axis(_checked_index(names), axis=1)


def _write_index(out: Writer, value: Any, depth: int) -> Tree:
    import pandas as pd

    if type(value) is pd.RangeIndex:
        return {"t": "index", "k": "range", "v": out.trees([value.start, value.stop, value.step, value.name], depth)}
    if isinstance(value, pd.MultiIndex):
        return {"t": "index", "k": "levels", "v": out.trees([value.tolist(), list(value.names)], depth)}
    if type(value) is pd.DatetimeIndex:
        parts = [value.asi8, str(value.unit), value.freqstr, value.name, _write_zone(out, value.tz, depth)]
        return {"t": "index", "k": "dates", "v": out.trees(parts, depth)}
    column, kind = _column_parts(value)
    return {"t": "index", "k": "values", "v": out.trees([column, kind, value.name], depth)}


def _read_index(source: Reader, tree: Tree, depth: int) -> Any:
    import pandas as pd

    parts = source.values(tree["v"], depth)
    if tree["k"] == "range":
        start, stop, step, name = parts
        index: Any = pd.RangeIndex(start, stop, step, name=name)
        if len(index) > MAX_NODES:
            raise WireError("an index that is too long")
        return index
    if tree["k"] == "levels":
        return pd.MultiIndex.from_tuples(_listed(parts[0]), names=_listed(parts[1]))
    if tree["k"] == "dates":
        numbers, unit, frequency, name, zone = parts
        index = pd.DatetimeIndex(numbers.view(f"M8[{unit}]"), name=name)
        if zone is not None:
            index = index.tz_localize("UTC").tz_convert(_read_zone(source, zone))
        return pd.DatetimeIndex(index, freq=frequency) if frequency else index
    values, kind, name = parts
    return pd.Index(_column(values, kind, None), name=name)


def _checked_index(value: Any) -> Any:
    import pandas as pd

    if not isinstance(value, pd.Index):
        raise WireError("an index was expected")
    return value


def _column_parts(value: Any) -> list[Any]:
    """Values of a column or index, and of which kind they are."""
    import numpy as np
    import pandas as pd

    kind = value.dtype
    if isinstance(kind, pd.CategoricalDtype):
        categories = value.cat if isinstance(value, pd.Series) else value
        return [[categories.codes.tolist(), list(categories.categories), bool(categories.ordered)], "category"]
    if isinstance(kind, np.dtype) and kind.kind in ARRAY_KINDS:
        return [value.to_numpy(), str(kind)]
    return [value.tolist(), str(kind)]


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
    import numpy as np
    import pandas as pd

    if type(values) is np.ndarray and values.ndim == 1:
        return pd.Series(values, index=index)
    values = _listed(values)
    if kind == "category":
        codes, categories, ordered = values
        kinds: Any = pd.Index(_listed(categories))
        data = pd.Categorical.from_codes(_listed(codes), kinds, ordered=ordered is True)
        return pd.Series(data, index=index)
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
    Codec("constant", ("pandas._libs.tslibs.nattype", "NaTType"), _write_constant, _read_constant),
    Codec("constant", ("pandas._libs.missing", "NAType"), _write_constant, _read_constant),
    Codec("stamp", ("pandas", "Timestamp"), _write_stamp, _read_stamp),
    Codec("pandas_span", ("pandas", "Timedelta"), _write_pandas_span, _read_pandas_span),
    Codec("moment", ("datetime", "datetime"), _write_moment, _read_moment),
    Codec("date", ("datetime", "date"), _write_date, _read_date),
    Codec("time", ("datetime", "time"), _write_time, _read_time),
    Codec("span", ("datetime", "timedelta"), _write_span, _read_span),
    Codec("timezone", ("datetime", "timezone"), _write_timezone, _read_timezone),
    Codec("dtype", ("numpy", "dtype"), _write_dtype, _read_dtype),
    Codec("matrix", ("numpy", "matrix"), _write_matrix, _read_matrix),
    Codec("masked", ("numpy.ma", "MaskedArray"), _write_masked, _read_masked),
    Codec("random_state", ("numpy.random", "RandomState"), _write_random_state, _read_random_state),
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
    Codec("index", ("pandas", "Index"), _write_index, _read_index),
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
    Codec("bytearray", bytearray, _write_bytearray, _read_bytearray),
    Codec("floats", list, _write_list, _read_floats),
    Codec("tuple", tuple, _write_tuple, _read_tuple),
    Codec("set", set, _write_set, _read_set),
    Codec("frozenset", frozenset, _write_frozenset, _read_frozenset),
    Codec("dict", dict, _write_dict, _read_dict),
    Codec("range", range, _write_range, _read_range),
    Codec("slice", slice, _write_slice, _read_slice),
    Codec("constant", type(...), _write_constant, _read_constant),
    Codec("constant", type(NotImplemented), _write_constant, _read_constant),
    Codec("class", type, _write_class, _read_class),
)
READERS: dict[str, Callable[[Reader, Tree, int], Any]] = {
    **{codec.tag: codec.read for codec in CODECS if codec.read},
    **{"objects": _read_objects, "named": _read_named, "same": _read_same},
}
WRITERS = [(codec.kind, codec.write) for codec in CODECS if isinstance(codec.kind, type)]
EXACT_WRITERS = dict(WRITERS)
FOUND_WRITERS: dict[type, Callable[[Writer, Any, int], Tree]] = {}
LIBRARY_WRITERS = [(*codec.kind, codec.write) for codec in CODECS if isinstance(codec.kind, tuple)]
