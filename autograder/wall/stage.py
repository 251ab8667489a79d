"""While a test of an adopted course runs: what it does to its process reaches the student's as far as that may notice.

And afterwards our process is as it was, so that no later test meets what this one has exchanged.
"""

import contextlib
import functools
import inspect
import io
import random
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.wall.handles import Handle
from autograder.wall.inside import wire
from autograder.wall.needs import Needs
from autograder.wall.student import StudentSide

if TYPE_CHECKING:
    from autograder.wall.judge import Namespace

MISSING = object()
LIBRARYS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)  # what libraries are made of
SEEDING = (
    ("random", "seed", "random.setstate"),
    ("numpy.random", "seed", "numpy.random.set_state"),
    ("torch", "manual_seed", "torch.set_rng_state"),
)


class Stage:
    """One test, its names, and the student's side."""

    def __init__(self, side: StudentSide, needs: Needs, names: "Namespace", printed: Any):
        self.side, self.needs, self.names, self.printed = side, needs, names, printed
        self.errors = sys.stderr
        self.originals = {place: _attribute(*place) for place in needs.patched if place[0] in sys.modules}
        self.mirrored = dict(self.originals)
        self.generators = dict(_generators()) if needs.seeds else {}
        self.written: dict[str, bytes] = {}  # files that the test has opened to write, as student code has them
        names.opener = self.open

    @contextlib.contextmanager
    def set_up(self) -> Iterator[None]:
        """Be in the place of an ordinary notebook's process."""
        main = sys.modules.get("__main__")
        sys.modules["__main__"] = _Main(self.names)
        self.side.before, self.side.show = self.prepare, self.show
        with contextlib.ExitStack() as stack:
            for module, name, replacement in [*_replacements(self.side), *self._seeding()]:
                stack.callback(setattr, module, name, getattr(module, name))
                setattr(module, name, replacement)
            try:
                yield
            finally:
                self.side.before = self.side.show = None
                sys.stderr = self.errors
                if main is not None:
                    sys.modules["__main__"] = main
                self._restore()

    def _restore(self) -> None:
        for (module, name), original in self.originals.items():
            if _attribute(module, name) is not original:
                if original is MISSING:
                    delattr(sys.modules[module], name)
                else:
                    setattr(sys.modules[module], name, original)
        if "matplotlib.pyplot" in sys.modules:
            with contextlib.suppress(Exception):
                sys.modules["matplotlib.pyplot"].close("all")

    def open(self, path: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        """What `open` does, for files that student code has written too: the course's own come first."""
        place = str(path)
        if set(mode) & set("wax+"):
            self.written.setdefault(place, b"")
        elif place in self.written or not Path(place).exists():
            content = self.side.ask("file", path=place)
            if type(content) is bytes:
                raw = io.BytesIO(content)
                if "b" in mode:
                    return raw
                return io.TextIOWrapper(raw, kwargs.get("encoding") or "utf-8", kwargs.get("errors"))
        return open(path, mode, *args, **kwargs)  # noqa: PTH123

    def _seeding(self) -> Iterator[tuple[Any, str, Any]]:
        """Functions that set seeds, and such that note it: the same seed again is news for the student's side."""
        if not self.needs.seeds:
            return
        for place, name, generator in SEEDING:
            module = sys.modules.get(place)
            if module is not None:
                yield module, name, self._noted(getattr(module, name), generator)

    def _noted(self, plain: Callable[..., Any], generator: str) -> Callable[..., Any]:
        @functools.wraps(plain)
        def seed(*args: Any, **kwargs: Any) -> Any:
            self.generators.pop(generator, None)
            return plain(*args, **kwargs)

        return seed

    def show(self, stream: str, text: str) -> None:
        """What student code prints goes where the test has printing go, if that is somewhere else than usual.

        Otherwise it goes nowhere: it could print what hidden tests hand over.
        """
        out, usual = (sys.stdout, self.printed) if stream == "stdout" else (sys.stderr, self.errors)
        if out is not usual and out is not sys.__stdout__ and out is not sys.__stderr__:
            out.write(text)

    def prepare(self) -> None:
        """Before student code runs: hand over what the test has changed since."""
        self._hand_over_names()
        for name, known in self.written.items():
            path = Path(name)
            if path.is_file() and not path.is_absolute() and (content := path.read_bytes()) != known:
                self.written[name] = content
                self.side.ask("write_file", path=name, content=content)
        for place, before in self.mirrored.items():
            now = _attribute(*place)
            if now is not before:
                self.mirrored[place] = now
                self._patch(place, now)
        if self.needs.seeds:
            moved = {name: state for name, state in _generators() if not _same(state, self.generators.get(name))}
            if moved:
                self.generators |= moved
                self.side.ask("state", generators=moved)

    def _hand_over_names(self) -> None:
        names, dirty = self.names, self.names.dirty
        here = names.keys_here()
        dirty |= self.needs.in_place & here
        kept: set[str] = set()  # what cannot cross stays the test's own
        if dirty:
            gone = [name for name in dirty if name not in here]
            values = {name: dict.__getitem__(names, name) for name in dirty if name in here}
            places = {name: place for name, value in values.items() if (place := _place_of(value))}
            values = {name: value for name, value in values.items() if name not in places}
            dirty.clear()
            if places:
                self.side.ask("import", names=places)
            if values or gone:
                try:
                    self.side.ask("bind", names=values, gone=gone)
                except wire.WireError:
                    kept = set(values)
        for name in self.needs.fleeting - kept:
            dict.pop(names, name, None)

    def _patch(self, place: tuple[str, str], now: Any) -> None:
        value: list[Any] | None = [now]
        if now is self.originals[place]:
            value = None
        elif now is MISSING:
            value = []
        elif place == ("sys", "stdin"):
            value = [_next_line]
        elif _place_of(now):
            return  # a function of a library's must not be called here by student code
        with contextlib.suppress(wire.WireError):
            self.side.ask("patch", module=place[0], name=place[1], value=value)


def _place_of(value: Any) -> list[str] | None:
    """Module and name of what a library has, which is then imported there; None for values and a test's own."""
    if isinstance(value, types.ModuleType):
        return [value.__name__, ""]
    if isinstance(value, Handle) or not isinstance(value, LIBRARYS):
        return None
    module, name = getattr(value, "__module__", None) or "builtins", getattr(value, "__name__", "")
    if module in ("__main__", "__given__", "__test__"):
        return None
    return [module, name]


def _next_line() -> str:
    return sys.stdin.readline()


def _attribute(module: str, name: str) -> Any:
    return getattr(sys.modules.get(module), name, MISSING)


def _generators() -> Iterator[tuple[str, Any]]:
    """The states of the libraries' own generators, by what sets them."""
    yield "random.setstate", random.getstate()
    if "numpy" in sys.modules:
        yield "numpy.random.set_state", sys.modules["numpy"].random.get_state()
    if "torch" in sys.modules:
        yield "torch.set_rng_state", sys.modules["torch"].get_rng_state()


def _same(one: Any, other: Any) -> bool:
    """Whether two states are equal, whatever is in them."""
    if type(one) is tuple and type(other) is tuple:
        return len(one) == len(other) and all(map(_same, one, other))
    if hasattr(one, "tobytes") and hasattr(other, "tobytes"):
        return bool(one.tobytes() == other.tobytes())
    if hasattr(one, "numpy") and hasattr(other, "numpy"):
        return bool(one.numpy().tobytes() == other.numpy().tobytes())
    return bool(one == other)


class _Main(types.ModuleType):
    """What a test finds as `__main__`: its names and the student's."""

    def __init__(self, names: "Namespace"):
        super().__init__("__main__")
        object.__setattr__(self, "_names", names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)  # what Python and libraries look for in a module
        try:
            return object.__getattribute__(self, "_names")[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        object.__getattribute__(self, "_names")[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del object.__getattribute__(self, "_names")[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return list(object.__getattribute__(self, "_names").keys_here())


def _replacements(side: StudentSide) -> Iterator[tuple[Any, str, Any]]:
    """Functions that look into objects as ours cannot be looked into, and stand-ins that ask the student's side."""
    lines, source = inspect.getsourcelines, inspect.getsource

    def getsourcelines(value: Any) -> Any:
        if not isinstance(value, Handle):
            return lines(value)
        found = side.ask("source", target=value._number)
        texts, first = found if isinstance(found, list) and len(found) == 2 else ([], 0)
        return [text for text in texts if isinstance(text, str)], first

    def getsource(value: Any) -> str:
        return "".join(getsourcelines(value)[0]) if isinstance(value, Handle) else source(value)

    yield inspect, "getsourcelines", getsourcelines
    yield inspect, "getsource", getsource
    plots = sys.modules.get("matplotlib.pyplot")
    if plots is not None:
        for name in ("gca", "gcf", "get_fignums"):
            yield plots, name, _of_whoever_draws(side, plots, name)


def _of_whoever_draws(side: StudentSide, plots: Any, name: str) -> Callable[..., Any]:
    """The current figure or axes: the test's own if it has made one, else the student's."""
    ours, numbers = getattr(plots, name), plots.get_fignums

    def current(*args: Any, **kwargs: Any) -> Any:
        if numbers():
            return ours(*args, **kwargs)
        theirs = side.ask("call_library", module="matplotlib.pyplot", name="get_fignums", args=[], kwargs={})
        if not theirs:
            return ours(*args, **kwargs)
        return side.ask("call_library", module="matplotlib.pyplot", name=name, args=list(args), kwargs=kwargs)

    return current
