"""The course's own answers inside a test: their source, run where no name of the student's can reach it."""

import contextlib
import io
import itertools
import linecache
import types
from typing import Any

MODULE = "__course__"  # where the course's functions and classes say that they were made

_numbers = itertools.count(1)


class Answers(types.SimpleNamespace):
    """The names that the course's answers bind, as attributes: `ours.attend`."""


def answers(source: str, **given: Any) -> Answers:
    """Run `source` with nothing but the names `given` and return all that it binds.

    The build writes the call: `source` holds the reference answers that a test compares with and what they need of
    earlier ones, `given` what the course itself made above the test.
    """
    file = f"<the course's answers {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # for tracebacks of ours
    names: dict[str, Any] = {"__name__": MODULE, **given}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, file, "exec"), names)
    return Answers(**{name: value for name, value in names.items() if not name.startswith("__")})


def is_ours(value: Any) -> bool:
    """Whether a value is a function or a class of the course's answers, or an object of such a class."""
    return MODULE in (getattr(value, "__module__", None), type(value).__module__)
