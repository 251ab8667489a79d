"""Functions that answer only what they have been asked before. Runs beside a student's answers, so it stands alone."""

import functools
import hashlib
import types
from collections.abc import Callable
from typing import Any

active = False  # whether a test runs; what the notebook itself asks is always answered
recording = False  # whether questions are noted instead of looked up
known: set[str] = set()
empty: Callable[[], Any] = lambda: None  # noqa: E731  (a cell of the notebook sets it)
_inside = False  # one function of an answer may ask another what it likes
DEEPEST = 8


def wrap(namespace: dict[str, Any], names: list[str]) -> None:
    """Put functions and classes that a cell has bound behind a memory."""
    for name in names:
        value = namespace.get(name)
        if isinstance(value, types.FunctionType):
            namespace[name] = _remembered(name, value)
        elif isinstance(value, type):
            for method, function in list(vars(value).items()):
                if isinstance(function, types.FunctionType) and (method == "__call__" or not method.startswith("_")):
                    setattr(value, method, _remembered(f"{name}.{method}", function))


def _remembered(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def answer(*args: Any, **kwargs: Any) -> Any:
        global _inside
        if not active or _inside:
            return function(*args, **kwargs)
        digest = hashlib.sha256(canonical([name, args, kwargs]).encode()).hexdigest()[:12]
        if recording:
            known.add(digest)
        elif digest not in known or not (args or kwargs):
            return empty()
        _inside = True
        try:
            return function(*args, **kwargs)
        finally:
            _inside = False

    return answer


def canonical(value: Any, depth: int = 0) -> str:
    """A text that is the same for equal values, also in another process."""
    kind = type(value).__name__
    if depth > DEEPEST:
        return kind
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        value = value.detach().cpu().numpy()
    if hasattr(value, "dtype") and hasattr(value, "tobytes"):
        content = repr(value.tolist()) if value.dtype.kind == "O" else hashlib.sha256(value.tobytes()).hexdigest()
        return f"{kind} {value.dtype} {value.shape} {content}"
    if isinstance(value, dict):
        pairs = [f"{canonical(key, depth + 1)}: {canonical(item, depth + 1)}" for key, item in value.items()]
        return f"{kind} {sorted(pairs)}"
    if isinstance(value, (list, tuple)):
        return f"{kind} {[canonical(item, depth + 1) for item in value]}"
    if isinstance(value, (set, frozenset)):
        return f"{kind} {sorted(canonical(item, depth + 1) for item in value)}"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, range)):
        return f"{kind} {value!r}"
    if hasattr(value, "getstate"):
        return f"{kind} {value.getstate()}"
    if hasattr(value, "bit_generator"):
        return f"{kind} {value.bit_generator.state}"
    if hasattr(value, "to_dict"):  # a table
        return f"{kind} {canonical(value.to_dict(), depth + 1)}"
    state = getattr(value, "__dict__", {})
    return (
        f"{kind} {canonical({k: v for k, v in state.items() if not callable(v) or hasattr(v, 'forward')}, depth + 1)}"
    )
