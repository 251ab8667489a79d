"""How two results differ, in words that a student can use: 'your result has the shape [5], wanted [1, 5]'."""

from collections.abc import Iterator, Mapping, Set
from fractions import Fraction
from typing import Any

SUMMARY = "numbers of shape"  # how a message begins that does not show all numbers of an array
MAX_SHOWN = 120  # characters of a value in a message
TOLERANCES = {"float16": 1e-2, "bfloat16": 3e-2, "float32": 1e-4, "complex64": 1e-4}  # all others: EXACT
EXACT = 1e-7


def shown(value: Any) -> str:
    """A value as a message shows it, on one line and not too long."""
    if hasattr(value, "tolist") and hasattr(value, "shape"):  # an array or a tensor
        shape = list(value.shape)
        text = _numbers_shown(value.tolist())
        return text if len(text) <= MAX_SHOWN else f"{SUMMARY} {shape}"
    text = " ".join((_numbers_shown(value) if isinstance(value, (float, list, tuple, dict)) else repr(value)).split())
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def _numbers_shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if type(value) is list:
        return f"[{', '.join(map(_numbers_shown, value))}]"
    if type(value) is tuple:
        return f"({', '.join(map(_numbers_shown, value))}{',' if len(value) == 1 else ''})"
    if type(value) is dict:
        return f"{{{', '.join(f'{key!r}: {shown(item)}' for key, item in value.items())}}}"
    return repr(value)


def kind_of(value: Any) -> str:
    """What a value is, in a word; of an object on the other side of a wall, what it is there."""
    return str(value._kind) if getattr(type(value), "stands_for_theirs", False) else type(value).__name__


def difference(
    got: Any, wanted: Any, rtol: float | None = None, atol: float | None = None, strict: bool = False
) -> str:
    """How `got` differs from `wanted`, as the end of a sentence about 'your result', or "" if it does not.

    Numbers are compared wherever they are: in a list, an array or a tensor, in the same shape. They are equal up to a
    tolerance that `wanted`'s kind decides, unless `rtol` and `atol` say it. With `strict`, kinds count too: a tensor is
    no list, a tuple is no list, float32 is not float64. Mappings are compared as dicts, iterators as lists.
    """
    if hasattr(wanted, "__next__"):  # isinstance(…, Iterator) asks all subclasses of Iterator, and tensors come often
        wanted = list(wanted)
        got = list(got) if isinstance(got, Iterator) else got
    if wanted is None or isinstance(wanted, (str, bytes)):
        return "" if type(got) is type(wanted) and got == wanted else _is(got, wanted)
    if isinstance(wanted, Mapping):
        return _of_mappings(got, wanted, rtol, atol, strict)
    if isinstance(wanted, Set):
        return _of_sets(got, wanted)
    if strict and (problem := _of_kinds(got, wanted)):
        return problem
    has_kinds = strict and isinstance(wanted, (list, tuple)) and any(hasattr(item, "dtype") for item in wanted)
    ours = None if has_kinds else _as_numbers(wanted)  # of tensors in a list, each has its own kind
    if ours is not None:
        return _of_numbers(got, ours, wanted, rtol, atol)
    if isinstance(wanted, (list, tuple)):
        return _of_lists(got, wanted, rtol, atol, strict)
    return "" if got == wanted else _is(got, wanted)


def _is(got: Any, wanted: Any) -> str:
    if got is None:
        return f"is None (is a return missing?), wanted {shown(wanted)}"
    return f"is {shown(got)}, wanted {shown(wanted)}"


def _of_kinds(got: Any, wanted: Any) -> str:
    dtypes = [str(getattr(value, "dtype", "")).removeprefix("torch.") for value in (got, wanted)]
    are_numbers = isinstance(got, (int, float)) and isinstance(wanted, (int, float))
    if type(got) is not type(wanted) and not (are_numbers and isinstance(got, bool) == isinstance(wanted, bool)):
        return f"is a {kind_of(got)}, wanted a {kind_of(wanted)}"
    return f"holds {dtypes[0]}, wanted {dtypes[1]}" if dtypes[0] != dtypes[1] else ""


def _of_mappings(got: Any, wanted: Mapping[Any, Any], rtol: float | None, atol: float | None, strict: bool) -> str:
    if not isinstance(got, Mapping):
        return _is(got, wanted) if got is None else f"is a {kind_of(got)}, wanted a dictionary"
    for key in wanted:
        if key not in got:
            return f"lacks the key {shown(key)}"
    for key in got:
        if key not in wanted:
            return f"has the key {shown(key)}, which should not be there"
    for key, value in wanted.items():
        if found := difference(got[key], value, rtol, atol, strict):
            return f"{found}, at the key {shown(key)}"
    return ""


def _of_sets(got: Any, wanted: Set[Any]) -> str:
    if not isinstance(got, Set):
        return _is(got, wanted) if got is None else f"is a {kind_of(got)}, wanted a set"
    for item in wanted - got:
        return f"lacks {shown(item)}"
    for item in got - wanted:
        return f"has {shown(item)}, which should not be there"
    return ""


def _of_lists(got: Any, wanted: Any, rtol: float | None, atol: float | None, strict: bool) -> str:
    if isinstance(got, (str, bytes)) or not hasattr(got, "__len__") or not hasattr(got, "__getitem__"):
        return _is(got, wanted) if got is None else f"is a {kind_of(got)}, wanted a {kind_of(wanted)}"
    if len(got) != len(wanted):
        return f"has the length {len(got)}, wanted {len(wanted)}: {shown(wanted)}"
    for place, (one, other) in enumerate(zip(got, wanted, strict=True)):
        if found := difference(one, other, rtol, atol, strict):
            return f"{found}, at place {place}"
    return ""


def _of_numbers(got: Any, ours: Any, wanted: Any, rtol: float | None, atol: float | None) -> str:
    import numpy as np

    theirs = _as_numbers(got)
    if theirs is None:
        return _is(got, wanted)
    if (ours.dtype.kind == "b") != (theirs.dtype.kind == "b") and ours.size and not np.isin(theirs, (0, 1)).all():
        return f"holds {theirs.dtype}, wanted {ours.dtype}"
    if theirs.shape != ours.shape:
        if ours.shape == ():
            return f"has the shape {list(theirs.shape)}, wanted one number"
        if theirs.shape == ():
            return f"is one number, wanted the shape {list(ours.shape)}"
        return f"has the shape {list(theirs.shape)}, wanted {list(ours.shape)}"
    if ours.dtype.kind in "biu" and theirs.dtype.kind in "biu":  # counts and places are exact, beyond 2^53 too
        close = np.asarray(theirs == ours)
    else:
        first = wanted
        while isinstance(first, (list, tuple)) and first:  # of tensors in a list, the first one's kind decides
            first = first[0]
        usual = TOLERANCES.get(str(getattr(first, "dtype", "")).removeprefix("torch."), EXACT)
        finite = np.abs(ours[np.isfinite(ours)]) if ours.dtype.kind != "b" else np.zeros(0)
        close = np.isclose(
            theirs,
            ours,
            usual if rtol is None else rtol,
            usual * min(1.0, float(finite.max(initial=0.0))) / 10 + 1e-12 if atol is None else atol,
            equal_nan=True,
        )
    if close.all():
        return ""
    place = tuple(int(axis[0]) for axis in np.nonzero(~close)) if close.shape else ()
    one, other = (shown(values[place].item()) for values in (theirs, ours))
    return f"is {one}, wanted {other}" + (f", at {list(place)}" if place else "")


def _as_numbers(value: Any) -> Any:
    """A NumPy array of the numbers in a value, or None if it is no number, array, tensor or list of them."""
    import numpy as np

    if hasattr(value, "detach") and hasattr(value, "is_floating_point"):  # a tensor, without importing torch
        value = value.detach().cpu()
        value = (value.double() if value.is_floating_point() else value).numpy()
    if isinstance(value, (list, tuple)) and any(hasattr(item, "detach") for item in value):
        parts = [_as_numbers(item) for item in value]
        value = None if any(part is None for part in parts) else parts
    if not isinstance(value, (list, tuple, int, float, complex, Fraction, np.ndarray, np.number, np.bool_)):
        return None
    try:
        found = np.asarray(value)
        if found.dtype == object and all(isinstance(item, (int, Fraction)) for item in found.flat):
            found = found.astype(float)  # whole numbers beyond 64 bits, fractions
    except (ValueError, OverflowError):  # lists of different lengths; numbers beyond 1e308
        return None
    return found if found.dtype.kind in "biufc" else None
