"""Whether a call has left its arguments as they were.

What counts is what lists, tuples, dicts, sets, deques, arrays, tensors and pandas' tables hold, at any depth, with its
types and shapes, and whether a tensor asks for gradients. Random generators may go on, functions and other objects may
change. Who reads a missing key of a defaultdict adds it: that alone is no change.

This file is read by itself inside the sandbox, so it imports nothing of the project.
"""

import collections
import operator
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

Check = Callable[[Any], bool]  # whether a value is what it was
PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, range, frozenset, Fraction})
FIXED = PLAIN | {tuple}  # whose own parts cannot be exchanged
DICTS = (dict, collections.Counter, collections.OrderedDict, collections.defaultdict)


def checks_of(places: dict[int | str, Any]) -> dict[int | str, Check]:
    """For each argument that can be changed, by position or keyword, what tells later whether it was not."""
    return {place: check for place, value in places.items() if (check := _check_of(value)) is not None}


def _check_of(value: Any) -> Check | None:
    """None for a value that cannot be changed, or may be."""
    kind = type(value)
    if kind is tuple and PLAIN.issuperset(map(type, value)):
        return None
    if kind in DICTS:
        return _dict_check(value)
    parts_of = PARTS.get(kind)
    if parts_of is None and kind not in FIXED:
        names = (kind.__module__.partition(".")[0], kind.__name__)
        parts_of = LIBRARY_PARTS.get(names) if getattr(sys.modules.get(names[0]), names[1], None) is kind else None
    if parts_of is None:
        return None
    before = parts_of(value)
    inner = _inner(before)
    if kind is tuple and not inner:
        return None
    return lambda now: type(now) is kind and _alike(parts_of(now), before, inner)


def _dict_check(value: Any) -> Check:
    kind, before = type(value), dict(value)
    parts = list(before.values())
    inner = _inner(parts)

    def check(now: Any) -> bool:
        if type(now) is not kind or not before.keys() <= now.keys():
            return False
        added = [dict.get(now, key) for key in now.keys() - before.keys()]
        only_read = kind is collections.defaultdict and all(map(_comes_of_reading, added))
        return (not added or only_read) and _alike([dict.get(now, key) for key in before], parts, inner)

    return check


def _comes_of_reading(part: Any) -> bool:
    """Whether a part of a defaultdict may be there only because its key was read."""
    if type(part) is collections.defaultdict:
        return all(map(_comes_of_reading, dict.values(part)))
    return type(part) in FIXED | {list, set, *DICTS} and not part


def _inner(parts: list[Any]) -> dict[int, Check]:
    """The checks of those parts that can be changed themselves, by place."""
    if PLAIN.issuperset(map(type, parts)):
        return {}
    return {place: check for place, part in enumerate(parts) if (check := _check_of(part)) is not None}


def _alike(now: list[Any], before: list[Any], inner: dict[int, Check]) -> bool:
    if len(now) != len(before):
        return False
    if not inner and all(map(operator.is_, now, before)):
        return True
    pairs = enumerate(zip(now, before, strict=True))
    return all(inner[at](new) if at in inner else new is old or _equal(new, old) for at, (new, old) in pairs)


def _equal(new: Any, old: Any) -> bool:
    """Whether another object is as good; only of those kinds does `==` run no code of a student's."""
    return type(new) is type(old) and type(new) in FIXED and bool(new == old or (new != new and old != old))


def _array_parts(value: Any) -> list[Any]:
    return [value.dtype.str, value.shape, *(value.ravel().tolist() if value.dtype.hasobject else [value.tobytes()])]


def _tensor_parts(value: Any) -> list[Any]:
    numbers = value.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
    raw = numbers.view(sys.modules["torch"].uint8).numpy().tobytes() if value.numel() else b""
    return [str(value.dtype), tuple(value.shape), value.requires_grad, raw]


def _table_parts(value: Any) -> list[Any]:
    return [str(value.dtypes), value.to_csv()]


PARTS: dict[type, Callable[[Any], list[Any]]] = {
    list: list,
    bytearray: list,
    tuple: list,
    collections.deque: list,
    set: lambda value: [frozenset(value)],
}
LIBRARY_PARTS: dict[tuple[str, str], Callable[[Any], list[Any]]] = {
    ("numpy", "ndarray"): _array_parts,
    ("torch", "Tensor"): _tensor_parts,
    ("pandas", "Series"): _table_parts,
    ("pandas", "DataFrame"): _table_parts,
}
