"""Functions of a test that run on the other side, beside the student's code: as code, with what their names stand for.

A function may use its own parameters, modules, what can be imported by name, constants, and further functions that use
nothing else. It must not use what the test or the student has bound otherwise: such things are handed over when it is
called, so that nobody overlooks that each side has its own.

This file is also read by itself inside the sandbox, so it imports nothing of the project.
"""

import builtins
import dis
import importlib
import marshal
import sys
import types
from collections.abc import Callable
from typing import Any

MARK = "runs_beside_the_answer"  # attribute of functions that must run where the student's objects are
CONSTANTS = (type(None), bool, int, float, complex, str, bytes, range, type(...))
READ_NAMES = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")  # what Python does for a name from outside
Packed = list[dict[str, Any]]  # functions, the one that is called first, as the wire takes them


class ScenarioError(TypeError):
    """A function that cannot run on the other side; the text says what is in the way."""


def packed(function: Callable[..., Any]) -> Packed:
    """A function and those that it uses. Raises ScenarioError for what cannot go over."""
    return _Packer(function).functions


def unpacked(functions: Packed) -> Callable[..., Any]:
    """The function that somebody has packed, with names of this side. What it has no name for is Python's own."""
    made: list[Any] = [
        types.FunctionType(
            marshal.loads(each["code"]),
            {"__builtins__": builtins},
            closure=tuple(types.CellType() for _ in each["cells"]),
        )
        for each in functions
    ]
    for function, each in zip(made, functions, strict=True):
        function.__qualname__ = ""  # no name that a student knows
        function.__defaults__ = tuple(_found(value, made) for value in each["defaults"])
        function.__kwdefaults__ = {name: _found(value, made) for name, value in each["options"].items()}
        function.__globals__.update({name: _found(value, made) for name, value in each["names"].items()})
        for cell, value in zip(function.__closure__ or (), each["cells"], strict=True):
            cell.cell_contents = _found(value, made)
    first: Callable[..., Any] = made[0]
    return first


class _Packer:
    """Functions in the order in which they are met."""

    def __init__(self, first: Callable[..., Any]):
        self.functions: Packed = []
        self.places: dict[int, int] = {}  # by identity
        self._place_of(first)

    def _place_of(self, function: Any) -> int:
        if id(function) in self.places:
            return self.places[id(function)]
        place = self.places[id(function)] = len(self.functions)
        each: dict[str, Any] = {}
        self.functions.append(each)
        code, owner = function.__code__, function.__name__
        each["code"] = marshal.dumps(code)
        each["names"] = {
            name: self._said(owner, name, function.__globals__[name])
            for name in sorted(_globals_in(code))
            if not _is_pythons(name, function.__globals__)
        }
        each["cells"] = [
            self._said(owner, name, cell.cell_contents)
            for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
        ]
        each["defaults"] = [self._said(owner, "a default", value) for value in function.__defaults__ or ()]
        each["options"] = {
            name: self._said(owner, name, value) for name, value in (function.__kwdefaults__ or {}).items()
        }
        return place

    def _said(self, owner: str, name: str, value: Any) -> list[Any]:
        """What a name stands for, as the wire takes it."""
        refusal = ScenarioError(f"`{owner}` runs beside the answer and uses `{name}`: hand it over as an input.")
        if getattr(type(value), "stands_for_theirs", False):  # whatever it says of itself
            raise refusal
        if isinstance(value, types.ModuleType):
            return ["module", value.__name__]
        if _is_constant(value):
            return ["constant", value]
        place = (str(getattr(value, "__module__", "")), str(getattr(value, "__qualname__", "")))
        there = _imported(*place) if place[0] in sys.modules and place[0] != "__main__" else None
        if there is not None and (there is value or getattr(there, MARK, False)):
            return ["import", *place]
        if isinstance(value, types.FunctionType):
            return ["function", self._place_of(value)]
        raise refusal


def _is_constant(value: Any) -> bool:
    if type(value) in (tuple, frozenset):
        return all(map(_is_constant, value))
    return type(value) in CONSTANTS


def _is_pythons(name: str, names: dict[str, Any]) -> bool:
    return hasattr(builtins, name) and not dict.__contains__(names, name)


def _globals_in(code: types.CodeType) -> set[str]:
    """The names outside of it that a function reads, also in functions within."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname in READ_NAMES}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _globals_in(constant)
    return names


def _imported(module: str, qualified: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in qualified.split("."):
        found = getattr(found, part, None)
    return found


def _found(said: list[Any], made: list[Any]) -> Any:
    kind, value, *more = said
    if kind == "module":
        return importlib.import_module(value)
    if kind == "import":
        return _imported(value, *more)
    return made[value] if kind == "function" else value
