"""What the judge is told about an object that stays here, so that its stand-in there behaves alike.

All of it is a claim of the student's process. The judge uses it to answer questions such as `isinstance` or `callable`,
and asks here for everything else.

This file is read by itself inside the sandbox, so it imports nothing of the project.
"""

import builtins
import inspect
import types
from collections.abc import Iterator
from typing import Any

BASES = (bool, int, float, complex, str, bytes, list, dict, tuple, set, frozenset)  # what a class may be built upon
LIBRARIES = ("matplotlib", "networkx", "scipy", "sklearn")  # whose objects are known by their class
# fmt: off
BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift",
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul", "iand", "ior", "ixor", "ilshift",
    "irshift",
)
# fmt: on
REFLECTED = BINARY[:12]
COMPARISONS = ("lt", "le", "eq", "ne", "gt", "ge")
UNARY = ("neg", "pos", "abs", "invert", "index", "int", "float", "complex", "round", "trunc", "floor", "ceil", "bool")
OTHERS = ("hash", "contains", "call", "iter", "next", "len", "getitem", "setitem", "delitem", "reversed")
NAMES = frozenset(
    f"__{name}__" for name in (*BINARY, *(f"r{name}" for name in REFLECTED), *COMPARISONS, *UNARY, *OTHERS)
)


def shape_of(value: Any, is_made: bool) -> dict[str, Any]:
    """The facts about an object that its handle carries; see `protocol.StudentHandle`.

    Which operators it has matters only for what a test has made.
    """
    kind = type(value)
    if issubclass(kind, type):
        return _of_class(value)
    if kind not in KNOWN:
        KNOWN[kind] = _of_instances(kind)
    facts = dict(KNOWN[kind])
    return facts | {"supports": _supported(kind)} if is_made else facts


def _of_instances(kind: type) -> dict[str, Any]:
    return {
        "callable": _defines(kind, "__call__"),
        "iterator": issubclass(kind, Iterator),
        "type": str(kind.__name__)[:100],
        "shape": _shape(kind),
        **({"module": kind.__module__} if str(kind.__module__).partition(".")[0] in LIBRARIES else {}),
    }


def _shape(kind: type) -> str:
    for name, plain in SHAPES.items():
        if kind is plain:
            return name
    if issubclass(kind, BaseException):
        return "exception"
    return next((base.__name__ for base in BASES if issubclass(kind, base)), "object")


def _supported(kind: type) -> list[str]:
    """Which operators its class defines itself; those of `object` mean nothing."""
    found = [name for name in NAMES if _defines(kind, name)]
    return [*found, "unhashable"] if getattr(kind, "__hash__", None) is None else found


def _defines(kind: type, name: str) -> bool:
    """Whether a class or one above it has a method; `getattr` would also find those of the class's own class."""
    return any(vars(above).get(name) is not None for above in kind.__mro__ if above is not object)


def _of_class(value: type) -> dict[str, Any]:
    facts: dict[str, Any] = {"callable": True, "iterator": False, "type": "type", "shape": "class", "supports": []}
    for name in ("__iter__", "__len__", "__getitem__", "__contains__"):  # enumerations have them
        if hasattr(type(value), name):
            facts["supports"].append(name)
    if issubclass(value, BaseException):
        facts |= {"shape": "error class", "name": str(value.__name__)[:100], "module": str(value.__module__)[:200]}
    return facts


def is_builtin(kind: type) -> bool:
    return getattr(builtins, kind.__name__, None) is kind


def signature_of(value: Any) -> dict[str, Any]:
    """A signature as data; a default or annotation stands in a list, which is empty where there is none."""
    signature = inspect.signature(value)
    parameters = [
        [parameter.name, int(parameter.kind), _if_any(parameter.default), _if_any(parameter.annotation)]
        for parameter in signature.parameters.values()
    ]
    return {"parameters": parameters, "returns": _if_any(signature.return_annotation)}


def _if_any(value: Any) -> list[Any]:
    return [] if value is inspect.Parameter.empty else [value]


KNOWN: dict[type, dict[str, Any]] = {}  # classes of which an object has crossed
SHAPES: dict[str, type] = {
    "function": types.FunctionType,
    "method": types.MethodType,
    "builtin": types.BuiltinFunctionType,
    "generator": types.GeneratorType,
    "module": types.ModuleType,
}
