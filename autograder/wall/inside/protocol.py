"""The contract of both ends of the wire: which messages there are, what is in them, and how handles look.

The judge sends Requests and gets a Reply to each. In between, student code may call a function of the judge's: a
Callback, to which the judge sends a Result, or further Requests first. What the student's side sends may be anything;
`read` and `read_handle` raise ProtocolError for all that is not of this contract.

This file is also read by itself inside the sandbox, so it imports nothing of the project.
"""

import struct
from typing import Any, NamedTuple

LENGTH = struct.Struct(">Q")  # the bytes of a message, before it
READY = b"r"  # what a process in the sandbox says first, before there are messages


MAX_SUPPORTED = 100  # operators that a class defines
MAX_PARENTS = 10  # of an exception class, and of those


class ProtocolError(ValueError):
    """What came is not of the contract."""


class Request(NamedTuple):
    """Have the agent do one thing: the method `do_` and `action`, within so many seconds."""

    number: int
    action: str
    seconds: float
    arguments: dict[str, Any]


class Reply(NamedTuple):
    """What came of a request: a value, why it cannot cross (`unfit`), or the exception that was raised."""

    number: int
    value: Any = None
    unfit: str | None = None
    error: Any = None  # see `described` in agent.py
    change: Any = None  # the argument that was changed: [name of the function, position or keyword, type]
    shown: Any = None  # what student code has printed: pairs of the stream's name and a text
    now: Any = None  # what became of arguments that were changed: pairs of position or keyword and value


class Callback(NamedTuple):
    """Call the judge's function of this number; if it is a torch module, in training mode or not."""

    number: int
    args: list[Any]
    kwargs: dict[str, Any]
    training: bool | None = None
    shown: Any = None  # as in a reply


class Result(NamedTuple):
    """What a callback returned, or the text of what it raised, of which built-in kind and under which number."""

    value: Any = None
    error: str | None = None
    raised: str | None = None
    number: int = 0


Message = Request | Reply | Callback | Result
KIND = "kind"
KINDS = {"request": Request, "reply": Reply, "callback": Callback, "result": Result}
NAMES = {kind: name for name, kind in KINDS.items()}
TYPES: dict[str, tuple[type, ...]] = {
    "number": (int,),
    "unfit": (str, type(None)),
    "args": (list,),
    "kwargs": (dict,),
    "training": (bool, type(None)),
    "raised": (str, type(None)),
}


def fields_of(message: Message) -> dict[str, Any]:
    """A message as what the wire takes."""
    return {
        KIND: NAMES[type(message)],
        **{name: value for name, value in message._asdict().items() if value is not None},
    }


def read(fields: Any) -> Message:
    """The message that somebody has made these fields of."""
    if type(fields) is not dict:  # a handle would ask the student's side
        raise ProtocolError("no message")
    try:
        message: Message = KINDS[fields[KIND]](**{name: fields[name] for name in fields if name != KIND})
    except (TypeError, KeyError, AttributeError) as error:
        raise ProtocolError(str(error)) from None
    if any(type(getattr(message, name, None)) not in TYPES[name] for name in TYPES.keys() & fields.keys()):
        raise ProtocolError("a field of another type")
    return message


class JudgeHandle(NamedTuple):
    """A function of the judge's; `training` is the mode of a torch module, None for what is none."""

    number: int
    training: bool | None = None
    name: str = ""
    doc: str | None = None

    def tree(self) -> dict[str, Any]:
        facts = {"t": "judge", "n": self.number, "name": self.name, "doc": self.doc, "training": self.training}
        return {fact: value for fact, value in facts.items() if value not in (None, "")}


class StudentHandle(NamedTuple):
    """An object that stays on the student's side, and what that side says about it."""

    number: int
    is_callable: bool = False
    is_iterator: bool = False
    type: str = "object"
    shape: str = "object"  # a function, class, ..., or the built-in class that its own class is built upon
    supports: tuple[str, ...] = ()  # the operators that its class defines
    name: str = ""  # of an exception class
    module: str = ""
    parents: tuple[Any, ...] = ()  # of an exception class: names of built-in ones, handles of others

    def tree(self) -> dict[str, Any]:
        facts = {"callable": self.is_callable, "iterator": self.is_iterator, "type": self.type, "shape": self.shape}
        return {"t": "student", "n": self.number} | facts


def read_handle(tree: dict[str, Any], depth: int = 0) -> JudgeHandle | StudentHandle:
    """The handle that stands in a document in place of a value."""
    number, training = tree.get("n"), tree.get("training")
    if type(number) is not int or tree["t"] not in ("judge", "student") or depth > MAX_PARENTS:
        raise ProtocolError("a handle of unknown kind")
    if tree["t"] == "judge":
        doc = tree.get("doc")
        is_text = type(doc) is str
        return JudgeHandle(
            number, training if type(training) is bool else None, _text(tree, "name"), doc if is_text else None
        )
    is_callable, is_iterator = (tree.get(fact) is True for fact in ("callable", "iterator"))
    supports, parents = tree.get("supports", []), tree.get("parents", [])
    if type(supports) is not list or len(supports) > MAX_SUPPORTED or type(parents) is not list:
        raise ProtocolError("a handle of unknown kind")
    return StudentHandle(
        number,
        is_callable,
        is_iterator,
        _text(tree, "type") or "object",
        _text(tree, "shape") or "object",
        tuple(name for name in supports if type(name) is str),
        _text(tree, "name"),
        _text(tree, "module"),
        tuple(
            parent if type(parent) is str else read_handle(parent, depth + 1)
            for parent in parents[:MAX_PARENTS]
            if type(parent) in (str, dict)
        ),
    )


def _text(tree: dict[str, Any], fact: str) -> str:
    value = tree.get(fact)
    return value[:200] if type(value) is str else ""
