"""What a call has changed of the values that a test has handed over, done to the test's own values as well."""

import collections
from collections.abc import Callable
from typing import Any

from autograder.wall.inside import wire


def take_over(changes: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Make arguments what the student's side says has become of them; `changes` are pairs of place and value."""
    for change in changes if type(changes) is list else []:
        place, value = change if type(change) is list and len(change) == 2 else (None, None)
        if type(place) is int and 0 <= place < len(args):
            become(args[place], value)
        elif type(place) is str and place in kwargs:
            become(kwargs[place], value)


def become(ours: Any, theirs: Any) -> bool:
    """Change a value in place so that it is like another one of its type. False if that cannot be done."""
    kind = type(ours)
    if ours is theirs:
        return True
    if kind is not type(theirs):
        return False
    change = CHANGES.get(kind) or LIBRARY_CHANGES.get((kind.__module__.partition(".")[0], kind.__name__))
    if change is None:
        return False
    change(ours, theirs)
    return True


def same_content(ours: Any, theirs: Any) -> bool:
    """Whether two values would be written the same way; nothing is asked of what cannot be written."""
    try:
        return wire.to_bytes(ours, _refused) == wire.to_bytes(theirs, _refused)
    except wire.WireError:
        return False


def _refused(value: Any) -> dict[str, Any]:
    raise wire.WireError("only plain values are compared")


def _list(ours: list[Any], theirs: list[Any]) -> None:
    if len(ours) == len(theirs):
        for place, value in enumerate(theirs):
            if not become(ours[place], value):
                ours[place] = value
    else:
        ours[:] = theirs


def _dict(ours: dict[Any, Any], theirs: dict[Any, Any]) -> None:
    values = {key: ours[key] if key in ours and become(ours[key], value) else value for key, value in theirs.items()}
    dict.clear(ours)
    dict.update(ours, values)


def _set(ours: set[Any], theirs: set[Any]) -> None:
    ours.clear()
    ours.update(theirs)


def _deque(ours: Any, theirs: Any) -> None:
    ours.clear()
    ours.extend(theirs)


def _bytes(ours: bytearray, theirs: bytearray) -> None:
    ours[:] = theirs


def _array(ours: Any, theirs: Any) -> None:
    if ours.shape == theirs.shape and ours.dtype == theirs.dtype:
        ours[...] = theirs


def _tensor(ours: Any, theirs: Any) -> None:
    if ours.shape == theirs.shape and ours.dtype == theirs.dtype:
        ours.data.copy_(theirs)


def _table(ours: Any, theirs: Any) -> None:
    ours._update_inplace(theirs)


CHANGES: dict[type, Callable[[Any, Any], None]] = {
    list: _list,
    dict: _dict,
    collections.Counter: _dict,
    collections.OrderedDict: _dict,
    collections.defaultdict: _dict,
    set: _set,
    collections.deque: _deque,
    bytearray: _bytes,
}
LIBRARY_CHANGES: dict[tuple[str, str], Callable[[Any, Any], None]] = {
    ("numpy", "ndarray"): _array,
    ("torch", "Tensor"): _tensor,
    ("pandas", "Series"): _table,
    ("pandas", "DataFrame"): _table,
}
