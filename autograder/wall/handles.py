"""Stand-ins on our side for what stays on the student's: what is asked of them is asked there.

What is equal, or less, is decided here, unless a test itself has made one of the objects by calling a class of the
student's: comparing such objects is what its class was written for. Whatever else a student's function returns cannot
say that it equals the value that a test expects.
"""

import contextlib
import functools
import inspect
import sys
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from autograder.wall.inside import protocol, scenarios, shapes, wire

if TYPE_CHECKING:  # which hands itself over
    from autograder.wall.student import StudentSide

ONE_BY_ONE = 32  # values of an iterator that are fetched when they are asked for; later ones in growing portions
MAX_PORTION = 1024
# Attributes with two underscores for which the student's side is asked; all others stay our own. Python itself does not
# come by here when it looks for an operator.
ASKED = frozenset(
    f"__{name}__"
    for names in (
        "name qualname module doc dict annotations defaults kwdefaults wrapped self func code bases mro members",
        "abstractmethods dataclass_fields match_args init new call eq ne lt le gt ge hash str repr bool len iter next",
        "getitem setitem delitem contains enter exit int float abs neg add sub mul truediv floordiv mod pow radd rmul",
    )
    for name in names.split()
)
# Libraries whose exceptions tests may name. A framework for tests must not be among them: one of its skips a test.
# fmt: off
RAISING = frozenset((
    "numpy", "pandas", "torch", "scipy", "sklearn", "sympy", "networkx", "json", "decimal", "re", "statistics",
    "csv", "struct", "zlib", "sqlite3", "queue",
))
# fmt: on
CLASSES: dict[str, type] = {**shapes.SHAPES, "class": type}
BASES: dict[str, type] = {base.__name__: base for base in shapes.BASES}


class Handle:
    """Stands for an object on the student's side."""

    stands_for_theirs = True

    def __init__(self, side: "StudentSide", facts: protocol.StudentHandle):
        object.__setattr__(self, "_side", side)
        object.__setattr__(self, "_number", facts.number)
        object.__setattr__(self, "_kind", facts.type)
        object.__setattr__(self, "_facts", facts)

    def __getattribute__(self, name: str) -> Any:
        if name not in ASKED:
            return object.__getattribute__(self, name)
        side, number = object.__getattribute__(self, "_side"), object.__getattribute__(self, "_number")
        return side.ask("attribute", target=number, name=name)

    def __getattr__(self, name: str) -> Any:
        if name == "__signature__":
            return _signature(self._side.ask("signature", target=self._number))
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self._side.ask("attribute", target=self._number, name=name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._side.ask("set_attribute", target=self._number, name=name, value=value)

    def __delattr__(self, name: str) -> None:
        self._side.ask("delete_attribute", target=self._number, name=name)

    def __getitem__(self, key: Any) -> Any:
        return self._side.ask("item", target=self._number, key=key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._side.ask("operate", name="setitem", values=[self, key, value])

    def __delitem__(self, key: Any) -> None:
        self._side.ask("operate", name="delitem", values=[self, key])

    def __len__(self) -> int:
        return natural(self._side.ask("length", target=self._number))

    def __iter__(self) -> Iterator[Any]:
        found = self._side.ask("iterate", target=self._number)
        return found if isinstance(found, IteratorHandle) else iter(found if isinstance(found, list) else [])

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Any:
        return self._side.ask("enter", target=self._number)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        raised = None if error is None else [kind.__name__, str(error)]
        return self._side.ask("exit", target=self._number, raised=raised) is True

    def __repr__(self) -> str:
        return f"<{self._kind} of yours>"

    def __str__(self) -> str:
        text = self._side.ask("text", target=self._number)
        return text if isinstance(text, str) else repr(self)

    def __format__(self, spec: str) -> str:
        text = self._side.ask("format", target=self._number, spec=spec)
        return text if isinstance(text, str) else repr(self)

    def __dir__(self) -> list[str]:
        names = self._side.ask("names_in", target=self._number)
        return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

    def __copy__(self) -> Any:
        return self._side.ask("call_library", module="copy", name="copy", args=[self], kwargs={})

    def __deepcopy__(self, memo: Any) -> Any:
        return self._side.ask("call_library", module="copy", name="deepcopy", args=[self], kwargs={})

    @property
    def __class__(self) -> Any:
        """What it passes for; our own checks ask for its type."""
        facts = object.__getattribute__(self, "_facts")
        bases = BASES if issubclass(type(self), Made) else CLASSES
        found = bases.get(facts.shape) or _library_class(facts)
        if found is None and facts.shape != "exception":
            own = object.__getattribute__(self, "__dict__")
            if "_class" not in own:
                own["_class"] = type(self)  # also while it is asked for
                with contextlib.suppress(Exception):
                    said = self._side.ask("attribute", target=facts.number, name="__class__")
                    # Only what a test has made is a list to it, say.
                    own["_class"] = said if issubclass(type(said), ClassHandle) else type(self)
            found = own["_class"]
        return found or type(self)

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise TypeError("the class of a student's object is the student's")


class CallableHandle(Handle):
    """A function or other callable on the student's side."""

    watches_arguments = True  # a change to one is a failed check, whoever called

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._side.ask("call", target=self._number, args=list(args), kwargs=kwargs)

    def first_of_two(self, *inputs: tuple[list[Any], dict[str, Any]]) -> Any:
        """The result of the first of two calls, as it is after the second: here it would be a copy by then."""
        return self._side.ask("first_of_two", target=self._number, inputs=[list(one) for one in inputs])

    def beside(self, scenario: Any) -> tuple[Any, Any]:
        """A function of a test as it runs here, for the course's answer, and on the student's side.

        Both are called with a function or class (or several, in a tuple) and inputs. Raises `scenarios.ScenarioError`.
        """
        functions = scenarios.packed(scenario)
        there, parameters = self._side.ask("define", functions=functions), scenario.__code__
        names = parameters.co_varnames[1 : parameters.co_argcount]

        def ask(answer: Any, /, *inputs: Any, **options: Any) -> Any:
            if len(inputs) > len(names):
                return there(answer, *inputs, **options)
            # By name: so a student is told which of them was changed.
            return there(answer, **dict(zip(names, inputs, strict=False)), **options)

        return scenarios.unpacked(functions), ask


class ClassHandle(CallableHandle):
    """A class on the student's side. What a test makes of it is `Made`, if the course's answer has such a class."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_known = self._number in self._side.known_classes
        self._side.fresh.clear()
        made = self._side.ask("call", target=self._number, args=list(args), kwargs=kwargs, make=is_known)
        is_new = isinstance(made, Handle) and made._number in self._side.fresh
        return self._side.as_made(made) if is_known and is_new else made

    def __instancecheck__(self, value: Any) -> bool:
        try:
            return self._side.ask("is_instance", target=self._number, value=value) is True
        except wire.WireError:
            return False

    def __subclasscheck__(self, kind: Any) -> bool:
        try:
            return self._side.ask("is_subclass", target=self._number, kind=kind) is True
        except wire.WireError:
            return False

    def __or__(self, other: Any) -> Any:
        return (self, other)


class IteratorHandle(Handle):
    """An iterator or generator on the student's side."""

    def __init__(self, side: "StudentSide", facts: protocol.StudentHandle):
        super().__init__(side, facts)
        object.__setattr__(self, "_ready", [])
        object.__setattr__(self, "_count", 0)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        ready: list[Any] = object.__getattribute__(self, "_ready")
        if not ready:
            count = object.__getattribute__(self, "_count")
            singly = ONE_BY_ONE if self._side.is_one_process else 2
            portion = 1 if count < singly else min(2 * count, MAX_PORTION)
            found = self._side.ask("next", target=self._number, count=portion)
            if not isinstance(found, list) or not found:
                raise StopIteration
            object.__setattr__(self, "_count", count + len(found))
            if count > wire.MAX_NODES:
                raise wire.WireError(f"a value has more than {wire.MAX_NODES:,} parts")
            ready.extend(reversed(found))
        return ready.pop()

    def send(self, value: Any) -> Any:
        """Generators only."""
        found = self._side.ask("send", target=self._number, value=value)
        if not isinstance(found, list) or not found:
            raise StopIteration
        return found[0]


class Made(Handle):
    """An object that a test has made of a student's class; what its class defines is asked there."""

    def __bool__(self) -> bool:
        if {"__bool__", "__len__"} & set(self._facts.supports):
            return self._side.ask("operate", name="bool", values=[self]) is True
        return True

    def __repr__(self) -> str:
        text = self._side.ask("operate", name="repr", values=[self])
        return text if isinstance(text, str) else super().__repr__()


def handle_for(side: "StudentSide", facts: protocol.StudentHandle, made: bool = False) -> Handle:
    """A stand-in for an object of which the student's side says `facts`."""
    if facts.shape == "class":
        kind: type[Handle] = ClassHandle
    elif made:
        kind = _made_class(facts.is_callable, facts.is_iterator, frozenset(facts.supports))
    elif facts.is_iterator:
        kind = IteratorHandle
    else:
        kind = CallableHandle if facts.is_callable else Handle
    return kind(side, facts)


@functools.lru_cache(maxsize=256)
def _made_class(is_callable: bool, is_iterator: bool, supports: frozenset[str]) -> type[Handle]:
    """A class of stand-ins with just those operators, so that Python refuses the others as it would in one process."""
    methods: dict[str, Any] = {}
    for name in shapes.BINARY:
        if f"__{name}__" in supports:
            methods[f"__{name}__"] = _operator(name)
        if f"__r{name}__" in supports:
            methods[f"__r{name}__"] = _reflected(name)
    for name in (*shapes.COMPARISONS, "contains"):
        if f"__{name}__" in supports:
            methods[f"__{name}__"] = _operator(name)
    if "__eq__" in supports and "__ne__" not in supports:
        methods["__ne__"] = _operator("ne")
    for name in shapes.UNARY:
        if f"__{name}__" in supports and name != "bool":
            methods[f"__{name}__"] = _operator(name)
    if "unhashable" in supports:
        methods["__hash__"] = None
    elif "__hash__" in supports:
        methods["__hash__"] = _hash
    else:
        methods["__hash__"] = object.__hash__
    bases = [Made, *([CallableHandle] if is_callable else []), *([IteratorHandle] if is_iterator else [])]
    return type("MadeHandle", tuple(bases), methods)


def _operator(name: str) -> Any:
    def operate(self: Handle, *others: Any) -> Any:
        try:
            return self._side.ask("operate", name=name, values=[self, *others])
        except wire.WireError:
            return NotImplemented

    return operate


def _reflected(name: str) -> Any:
    def operate(self: Handle, other: Any) -> Any:
        try:
            return self._side.ask("operate", name=name, values=[other, self])
        except wire.WireError:
            return NotImplemented

    return operate


def _hash(self: Handle) -> int:
    number = self._side.ask("operate", name="hash", values=[self])
    if type(number) is not int:
        raise wire.WireError("a hash that is no number")
    return number


def _library_class(facts: protocol.StudentHandle) -> type | None:
    """The class of a library's that an object says it has, for `isinstance`."""
    if facts.module.partition(".")[0] not in shapes.LIBRARIES:
        return None
    found = getattr(sys.modules.get(facts.module), facts.type, None)
    return found if isinstance(found, type) else None


def _signature(facts: Any) -> inspect.Signature:
    try:
        parameters = [
            inspect.Parameter(
                name,
                inspect._ParameterKind(kind),
                default=default[0] if default else inspect.Parameter.empty,
                annotation=annotation[0] if annotation else inspect.Parameter.empty,
            )
            for name, kind, default, annotation in facts["parameters"]
        ]
        returns = facts["returns"]
        return inspect.Signature(
            parameters,
            return_annotation=returns[0] if returns else inspect.Signature.empty,
            __validate_parameters__=True,
        )
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise AttributeError("__signature__") from error


class ErrorClass(type):
    """What stands here for an exception class of the student's: a class of ours, so that `except` can name it."""

    _side: "StudentSide"
    _number: int

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._side.ask("call", target=cls._number, args=list(args), kwargs=kwargs)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return cls._side.ask("attribute", target=cls._number, name=name)


class TheirError:
    """An exception of the student's own, raised here. Its attributes are asked there, its text came along."""

    def __getattr__(self, name: str) -> Any:
        facts = object.__getattribute__(self, "__dict__")
        if (name.startswith("__") and name.endswith("__")) or "_number" not in facts:
            raise AttributeError(name)
        return facts["_side"].ask("attribute", target=facts["_number"], name=name)

    def __str__(self) -> str:
        facts = object.__getattribute__(self, "__dict__")
        return str(facts.get("_text", ""))


def error_class(side: "StudentSide", number: int, name: str, parents: list[type]) -> type:
    """A class for exceptions of the student's, below the classes that stand for its parents."""
    bases = tuple(parents) or (Exception,)
    if not any(issubclass(base, TheirError) for base in bases):
        bases = (TheirError, *bases)
    facts = {"_side": side, "_number": number, "__module__": "__main__", "__qualname__": name}
    try:
        return ErrorClass(name, bases, facts)
    except TypeError:  # parents that go together there only
        return ErrorClass(name, (TheirError, Exception), facts)


def library_error(module: str, name: str) -> type[Exception] | None:
    """An exception class of a library that is loaded here, by its place."""
    found: Any = sys.modules.get(module) if module.partition(".")[0] in RAISING else None
    for part in name.split("."):
        found = getattr(found, part, None) if isinstance(found, (types.ModuleType, type)) else None
    if isinstance(found, type) and issubclass(found, Exception) and not issubclass(found, TheirError):
        return found
    return None


class _TypeOf(type):
    """What `type` does, for objects of the student's too."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or not isinstance(args[0], Handle):
            return type(*args, **kwargs)
        return args[0]._side.ask("attribute", target=args[0]._number, name="__class__")

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, type)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is type

    def __hash__(cls) -> int:
        return hash(type)


class Type(type, metaclass=_TypeOf):
    """Stands for `type` in a test."""


def natural(value: Any) -> int:
    """A length that the student's side has sent."""
    if type(value) is not int or value < 0:
        raise wire.WireError("a length that is no length")
    return value
