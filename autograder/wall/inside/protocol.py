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


class Callback(NamedTuple):
    """Call the judge's function of this number; if it is a torch module, in training mode or not."""

    number: int
    args: list[Any]
    kwargs: dict[str, Any]
    training: bool | None = None


class Result(NamedTuple):
    """What a callback returned, or the text of what it raised."""

    value: Any = None
    error: str | None = None


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

    def tree(self) -> dict[str, Any]:
        return {"t": "judge", "n": self.number} | ({} if self.training is None else {"training": self.training})


class StudentHandle(NamedTuple):
    """An object that stays on the student's side."""

    number: int
    is_callable: bool = False
    is_iterator: bool = False
    type: str = "object"

    def tree(self) -> dict[str, Any]:
        facts = {"callable": self.is_callable, "iterator": self.is_iterator, "type": self.type}
        return {"t": "student", "n": self.number} | facts


def read_handle(tree: dict[str, Any]) -> JudgeHandle | StudentHandle:
    """The handle that stands in a document in place of a value."""
    number, training = tree.get("n"), tree.get("training")
    if type(number) is not int or tree["t"] not in ("judge", "student"):
        raise ProtocolError("a handle of unknown kind")
    if tree["t"] == "judge":
        return JudgeHandle(number, training if type(training) is bool else None)
    is_callable, is_iterator = (tree.get(fact) is True for fact in ("callable", "iterator"))
    return StudentHandle(number, is_callable, is_iterator, str(tree.get("type", "object"))[:100])
