"""The student's side of the wall: runs their cells in IPython and answers questions about what they defined.

Runs inside the sandbox as `python -P agent.py FD PRELUDE MODULE...`, where FD is its end of a socket pair, PRELUDE and
MODULE are what the notebook starts with and imports; or in a fork of the warm parent. It keeps no secret and is not
trusted: whatever a student does to it can only change the values that it sends, and those are what tests look at.
"""

import builtins
import contextlib
import functools
import importlib
import inspect
import itertools
import math
import operator
import os
import socket
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import arguments
import beside
import draws
import preparation
import protocol
import scenarios
import shapes
import wire
from clock import Clock, TimeUp

del sys.path[0]

MAX_TEXT = 100_000  # characters that one cell may print
MAX_OUTPUTS = 200  # of one cell
MAX_NESTED = 50  # calls to and fro within one call
ROOM = 200  # calls that ours may nest, however deep student code has gone before it calls a function of the judge's


class JudgeFunction:
    """A function that lives with the judge; calling it asks over the wire."""

    def __init__(self, agent: "Agent", number: int, name: str = "", doc: str | None = None):
        self._agent, self._number = agent, number
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._agent.call_judge(self._number, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As a function does, it becomes a method of the class that it is put into."""
        return self if instance is None else functools.partial(self, instance)

    def __deepcopy__(self, memo: Any) -> Any:
        return self


@functools.cache
def module_kind() -> type:
    """What stands for a torch module of the judge's, so that it may be put wherever modules go.

    It has no parameters here, for they are the judge's. It answers in the mode that it was put into here.
    """
    import torch

    class JudgeModule(torch.nn.Module):
        def __init__(self, agent: "Agent", number: int, training: bool):
            super().__init__()
            self._agent, self._number = agent, number
            self.train(training)

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return self._agent.call_judge(self._number, args, kwargs, self.training)

        def __deepcopy__(self, memo: Any) -> Any:
            return type(self)(self._agent, self._number, self.training)

    STAND_INS.add(JudgeModule)
    return JudgeModule


STAND_INS: set[type] = {JudgeFunction}


class Kept:
    """What crosses as a handle although a copy could be made: an object of a class that a test calls."""

    def __init__(self, value: Any):
        self.value = value


class Lines:
    """Standard input whose lines the judge has."""

    encoding, errors, closed = "utf-8", "replace", False

    def __init__(self, ask: Callable[[], str]):
        self._ask = ask

    def readline(self, size: int = -1) -> str:
        return self._ask()

    def __iter__(self) -> Iterator[str]:
        return iter(self._ask, "")

    def readlines(self) -> list[str]:
        return list(self)

    def read(self) -> str:
        return "".join(self)

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        raise OSError("the judge's lines are no file here")


class Shown:
    """Collects what student code prints while a test asks for something, for the judge to print it there."""

    def __init__(self) -> None:
        self.parts: list[list[str]] = []
        self.left = MAX_TEXT

    def stream(self, name: str, text: str) -> None:
        text = text[: self.left]
        self.left -= len(text)
        if self.parts and self.parts[-1][0] == name:
            self.parts[-1][1] += text
        elif text:
            self.parts.append([name, text])

    def take(self) -> list[list[str]] | None:
        """What there is, once; None if there is nothing."""
        parts, self.parts, self.left = self.parts, [], MAX_TEXT
        return parts or None


class Sink:
    """Collects what a cell shows, within bounds: a list of nbformat outputs."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.outputs: list[dict[str, Any]] = []
        self.text_left = MAX_TEXT

    def stream(self, name: str, text: str) -> None:
        kept = text[: self.text_left]
        self.text_left -= len(kept)
        last = self.outputs[-1] if self.outputs else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["text"] += kept
        elif kept:
            self.add({"output_type": "stream", "name": name, "text": kept})

    def add(self, output: dict[str, Any]) -> None:
        if len(self.outputs) < MAX_OUTPUTS:
            self.outputs.append(output)


class Stream:
    """Stands in for sys.stdout and sys.stderr."""

    encoding, errors, closed = "utf-8", "replace", False

    def __init__(self, sink: Sink | Shown, name: str):
        self.sink, self.name = sink, name

    def write(self, text: str) -> int:
        self.sink.stream(self.name, str(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False


def make_shell(sink: Sink) -> Any:
    """An IPython shell without terminal, history or kernel whose output goes to `sink`."""
    import traitlets.config
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell

    class Publisher(DisplayPublisher):
        def publish(self, data: Any, metadata: Any = None, source: Any = None, **others: Any) -> None:
            sink.add({"output_type": "display_data", "data": data, "metadata": metadata or {}})

    class Hook(DisplayHook):
        def start_displayhook(self) -> None: ...

        def write_output_prompt(self) -> None: ...

        def write_format_data(self, format_dict: dict[str, Any], md_dict: Any = None) -> None:
            output = {
                "output_type": "execute_result",
                "data": format_dict,
                "metadata": md_dict or {},
                "execution_count": None,
            }
            sink.add(output)

        def finish_displayhook(self) -> None: ...

    class Shell(InteractiveShell):
        def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
            sink.add({"output_type": "error", "ename": etype.__name__, "evalue": str(evalue), "traceback": stb})

        def init_virtualenv(self) -> None: ...

        def enable_gui(self, gui: Any = None) -> None: ...

    # A history would be a file and a thread, and a process with threads cannot be forked safely.
    without_history = traitlets.config.Config({"HistoryManager": {"enabled": False}})
    shell = Shell.instance(
        config=without_history,
        display_pub_class=Publisher,
        displayhook_class=Hook,
        user_module=types.ModuleType("__main__"),
    )
    shell.colors = "nocolor"
    sys.modules["__main__"] = shell.user_module
    return shell


class Agent:
    """Answers one message after the other until the judge hangs up."""

    def __init__(self, connection: socket.socket, sink: Sink, shell: Any):
        self.connection = connection
        self.incoming = connection.makefile("rb")
        self.sink, self.shell = sink, shell
        self.objects: dict[int, Any] = {}
        self.nested = 0
        self.clock = Clock()
        self.shown = Shown()
        self.streams = Stream(self.shown, "stdout"), Stream(self.shown, "stderr")
        self.remembers = False  # whether what is handed over is known again when it goes back
        self.kept_alive: list[Any] = []
        self.made: set[int] = set()  # objects of classes that a test has called
        self.late: dict[int, BaseException] = {}  # raised by iterators after values that were still to be handed over
        self.handed_over: dict[int, int] = {}  # places in the judge's message, by the identity of what came there
        self.undo: list[Callable[[], object]] = []  # what a test has changed here, to be set right before the next
        self.patched: dict[tuple[str, str], list[Any]] = {}  # what stood where a test has put something else
        self.runner = beside.Runner(shell, sink, Stream)

    def serve(self) -> None:
        """Read requests and answer them; returns when the connection is closed."""
        while (request := self.receive()) is not None:
            self.answer(request)

    def answer(self, request: Any) -> None:
        """Do what a request asks for and send the reply."""
        self.nested += 1
        self.change: list[Any] | None = None
        self.now: list[Any] | None = None
        if self.nested == 1:
            sys.stdout, sys.stderr = self.streams
        number, show = request.number, self.shown.take
        try:
            action: Callable[..., Any] = getattr(self, "do_" + request.action)
            self.clock.begin(request.seconds)
            try:
                value = action(**request.arguments)
                known = self.handed_over if self.nested == 1 else {}
                data = self.pack(protocol.Reply(number, value, change=self.change, shown=show(), now=self.now), known)
            finally:
                self.clock.stop()
        except wire.WireError as error:
            data = self.pack(protocol.Reply(number, unfit=str(error), shown=show()))
        except BaseException as error:  # everything that student code can raise goes to the judge
            data = self.reply_with(error, protocol.Reply(number, change=self.change, shown=show(), now=self.now))
        finally:
            self.nested -= 1
        self.send(data)

    def reply_with(self, error: BaseException, reply: Any) -> bytes:
        """A reply that says what was raised, with as much of it as can cross."""
        described = _described(error)
        try:
            if type(error) is not TimeUp and (not shapes.is_builtin(type(error)) or error.args):
                more = {"args": list(error.args), "object": Kept(error)}
                return self.pack(reply._replace(error=described | more))
        except BaseException:  # arguments that cannot cross, or an exception that has none
            pass
        return self.pack(reply._replace(error=described, now=None))

    def do_run(self, source: str, pictures: bool) -> dict[str, Any]:
        """Run a cell as a notebook would; its outputs come back, an error among them.

        Without `pictures` a figure comes as the text that names it; drawing is often the slowest part of a cell.
        """
        self.sink.clear()
        self.shell.display_formatter.formatters["image/png"].enabled = pictures
        stdout, stderr = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = Stream(self.sink, "stdout"), Stream(self.sink, "stderr")
        try:
            result = self.shell.run_cell(source, store_history=False)
        finally:
            sys.stdout, sys.stderr = stdout, stderr
        error = result.error_before_exec or result.error_in_exec
        return {"outputs": self.sink.outputs, "error": _described(error) if error else None}

    def do_follow(self, seed: str, modules: list[str], remember: bool) -> None:
        """Draw from `seed` from now on, once the notebook's modules are there: imports draw too.

        What a test before has changed here is set right. With `remember` it is noted what is handed over.
        """
        self.remembers, self.handed_over = remember, {}
        for module in modules:
            if module not in sys.modules:
                with contextlib.suppress(ImportError):
                    importlib.import_module(module)
        with contextlib.suppress(Exception):  # whoever has broken these libraries has broken what draws from them
            draws.follow(seed)
        for module, name in list(self.patched):
            with contextlib.suppress(Exception):
                self.do_patch(module, name, None)
        for undo in reversed(self.undo):
            with contextlib.suppress(Exception):
                undo()
        self.undo.clear()
        if "matplotlib.pyplot" in sys.modules:
            with contextlib.suppress(Exception):
                sys.modules["matplotlib.pyplot"].close("all")

    def do_state(self, generators: dict[str, Any]) -> None:
        """Have the libraries' own generators go on from where the test's are."""
        for module, state in generators.items():
            place, _, name = module.rpartition(".")
            getattr(importlib.import_module(place), name)(state)

    def do_bind(self, names: dict[str, Any], gone: list[str]) -> None:
        """Give names of the student's namespace the values that a test has given them, until the next test."""
        namespace = self.shell.user_ns
        for name in (*names, *gone):
            if name in namespace:
                self.undo.append(functools.partial(namespace.__setitem__, name, namespace[name]))
            else:
                self.undo.append(functools.partial(namespace.pop, name, None))
        namespace.update(names)
        for name in gone:
            namespace.pop(name, None)

    def do_patch(self, module: str, name: str, value: list[Any] | None) -> None:
        """Give an attribute of a module the value that a test has given it on its side.

        An empty list takes it away, None gives back what was there.
        """
        place, key = importlib.import_module(module), (module, name)
        if key not in self.patched:
            self.patched[key] = [getattr(place, name)] if hasattr(place, name) else []
        if key == ("sys", "stdin") and value:
            value = [Lines(value[0])]
        found = self.patched.pop(key) if value is None else value
        if found:
            setattr(place, name, found[0])
        elif hasattr(place, name):
            delattr(place, name)

    def do_import(self, names: dict[str, list[str]]) -> None:
        """Bind names of the student's namespace to modules or what is in them, as a test has done on its side."""
        found = {}
        for name, (module, attribute) in names.items():
            with contextlib.suppress(ImportError, AttributeError):
                place = importlib.import_module(module)
                found[name] = getattr(place, attribute) if attribute else place
        self.do_bind(found, [])

    def do_names(self) -> list[str]:
        return list(self.shell.user_ns)

    def do_stands_for(self, name: str, module: str, attribute: str) -> bool | None:
        """Whether a name is a module, or a class or function of it; None if there is no such name."""
        if name not in self.shell.user_ns:
            return None
        value: Any = importlib.import_module(module)
        return self.shell.user_ns[name] is (getattr(value, attribute, None) if attribute else value)

    def do_get(self, name: str) -> Any:
        """The value of a name in the student's namespace, in a list; an empty list if there is none."""
        namespace = self.shell.user_ns
        return [namespace[name]] if name in namespace else []

    def do_call(
        self, target: int, args: list[Any], kwargs: dict[str, Any], make: bool = False, share: bool = False
    ) -> Any:
        """Call what a test calls, and note which argument it has changed in place.

        With `make` the result is an object that is asked for things later, even if it is built upon a list, say. With
        `share` what has become of changed arguments is sent back.
        """
        function = self.objects[target]
        if make:
            made = function(*args, **kwargs)
            if hasattr(type(made), "_fields") or type(made).__module__ == "builtins":
                return made
            self.made.add(id(made))
            return Kept(made)
        if self.nested > 1:  # a function of the judge's passes on what may be the student's own
            return function(*args, **kwargs)
        handed_over: dict[int | str, Any] = dict(enumerate(args)) | kwargs
        checks = arguments.checks_of(handed_over)
        try:
            return function(*args, **kwargs)
        finally:
            changed = [place for place, check in checks.items() if not check(handed_over[place])]
            if changed:
                self.change = [_name_of(function), changed[0], type(handed_over[changed[0]]).__name__]
            if changed and share:
                self.now = [[place, handed_over[place]] for place in changed]

    def do_first_of_two(self, target: int, inputs: list[list[Any]]) -> Any:
        """The result of the first of two calls, as it is after the second."""
        return [self.objects[target](*args, **kwargs) for args, kwargs in inputs][0]

    def do_define(self, functions: list[Any]) -> Any:
        """A function of the test that runs here when it is called."""
        return scenarios.unpacked(functions)

    def do_test(self, body: str, last: str, nonce: str, history: list[str]) -> dict[str, Any]:
        """Run a test here, see beside.py."""
        answer: dict[str, Any] = self.runner.run(body, last, nonce, history)
        return answer

    def do_call_library(self, module: str, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function of a library beside the student's code, such as one that takes gradients."""
        return getattr(__import__(module, fromlist=[name]), name)(*args, **kwargs)

    def do_attribute(self, target: int, name: str) -> Any:
        return getattr(self.objects[target], name)

    def do_set_attribute(self, target: int, name: str, value: Any) -> None:
        setattr(self.objects[target], name, value)

    def do_delete_attribute(self, target: int, name: str) -> None:
        delattr(self.objects[target], name)

    def do_names_in(self, target: int) -> list[str]:
        return list(dir(self.objects[target]))

    def do_operate(self, name: str, values: list[Any]) -> Any:
        """Apply an operator, one of whose values an object is that a test has made."""
        return OPERATORS[name](*values)

    def do_is_instance(self, target: int, value: Any) -> bool:
        return isinstance(value, self.objects[target])

    def do_is_subclass(self, target: int, kind: Any) -> bool:
        return issubclass(kind, self.objects[target])

    def do_signature(self, target: int) -> dict[str, Any]:
        facts: dict[str, Any] = shapes.signature_of(self.objects[target])
        return facts

    def do_source(self, target: int) -> list[Any]:
        """The lines of a function's text, and where they begin."""
        lines, first = inspect.getsourcelines(self.objects[target])
        return [lines, first]

    def do_enter(self, target: int) -> Any:
        value = self.objects[target]
        return type(value).__enter__(value)

    def do_exit(self, target: int, raised: list[str] | None) -> bool:
        value, error = self.objects[target], None
        if raised is not None:
            kind = getattr(builtins, raised[0], Exception)
            error = kind(raised[1])
        return bool(type(value).__exit__(value, error and type(error), error, None))

    def do_item(self, target: int, key: Any) -> Any:
        return self.objects[target][key]

    def do_length(self, target: int) -> int:
        return len(self.objects[target])

    def do_iterate(self, target: int) -> Any:
        return iter(self.objects[target])

    def do_next(self, target: int, count: int) -> list[Any]:
        """A list with the next values, an empty one if there is none. An error comes after the values before it."""
        if target in self.late:
            raise self.late.pop(target)
        values: list[Any] = []
        try:
            values.extend(itertools.islice(self.objects[target], count))
        except Exception as error:
            if not values:
                raise
            self.late[target] = error
        return values

    def do_send(self, target: int, value: Any) -> list[Any]:
        """A list with what a generator gives back, an empty one if it ends."""
        try:
            return [self.objects[target].send(value)]
        except StopIteration:
            return []

    def do_file(self, path: str) -> bytes | None:
        """What is in a file below the working folder, None if there is none."""
        found = Path(path)
        if found.is_absolute() or ".." in found.parts or not found.is_file():
            return None
        with found.open("rb") as file:
            return file.read(wire.MAX_BYTES // 2)

    def do_write_file(self, path: str, content: bytes) -> None:
        """Put a file that a test has written where student code finds it."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content)

    def do_text(self, target: int) -> str:
        return str(self.objects[target])[:MAX_TEXT]

    def do_format(self, target: int, spec: str) -> str:
        return format(self.objects[target], spec)[:MAX_TEXT]

    def call_judge(
        self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any], training: bool | None = None
    ) -> Any:
        """Call a function of the judge's; meanwhile it may call back into student code."""
        if self.nested > MAX_NESTED:
            raise RecursionError("calls to and fro are nested too deeply")
        paused, limit = self.clock.pause(), sys.getrecursionlimit()
        try:
            sys.setrecursionlimit(limit + ROOM)  # an exchange that ends half-way would put off all later ones
            called = protocol.Callback(number, list(args), kwargs, training, self.shown.take())
            self.send(self.pack(called))
            while (message := self.receive()) is not None:
                if isinstance(message, protocol.Request):
                    self.answer(message)
                elif message.error is not None:
                    raise _raised(message)
                else:
                    return message.value
        finally:
            self.clock.resume(paused)
            sys.setrecursionlimit(limit)
        os._exit(0)

    def pack(self, message: Any, known: dict[int, int] | None = None) -> bytes:
        data: bytes = wire.to_bytes(protocol.fields_of(message), self.handle_for, known=known, whole=self.made)
        return data

    def handle_for(self, value: Any) -> dict[str, Any]:
        """A handle for an object that stays here; a function of the judge's goes back as itself."""
        if type(value) is Kept:
            value = value.value
        if type(value) in STAND_INS:
            tree: dict[str, Any] = protocol.JudgeHandle(value._number).tree()
            return tree
        self.objects[id(value)] = value  # kept alive, so the number stays its own
        facts = shapes.shape_of(value, id(value) in self.made)
        if facts["shape"] == "error class":
            facts["parents"] = [
                base.__name__ if shapes.is_builtin(base) else self.handle_for(base)
                for base in value.__bases__[: protocol.MAX_PARENTS]
                if issubclass(base, BaseException)
            ]
        if facts["shape"] == "exception":
            facts["name"], kind = _described(value)["text"][:200], type(value)
            facts["parents"] = [kind.__name__ if shapes.is_builtin(kind) else self.handle_for(kind)]
        handle: dict[str, Any] = {"t": "student", "n": id(value)} | facts
        return handle

    def value_for(self, tree: dict[str, Any]) -> Any:
        handle = protocol.read_handle(tree)
        if isinstance(handle, protocol.StudentHandle):
            return self.objects[handle.number]
        if handle.training is None:
            return JudgeFunction(self, handle.number, handle.name, handle.doc)
        return module_kind()(self, handle.number, handle.training)

    def send(self, data: bytes) -> None:
        self.connection.sendall(protocol.LENGTH.pack(len(data)) + data)

    def receive(self) -> Any:
        """The next message, or None when the judge has hung up."""
        head = self.incoming.read(protocol.LENGTH.size)
        data = len(head) == protocol.LENGTH.size and self.incoming.read(*protocol.LENGTH.unpack(head))
        if not data:
            return None
        seen: list[Any] | None = [] if self.remembers and self.nested == 0 else None
        message = protocol.read(wire.from_bytes(data, self.value_for, of_judge=True, seen=seen))
        if seen is not None:
            self.kept_alive, self.handed_over = seen, {id(value): place for place, value in enumerate(seen)}
        return message


def _name_of(function: Any) -> str:
    """What a student has called a function or class, as far as it says."""
    named = function if isinstance(getattr(function, "__qualname__", None), str) else type(function)
    return str(named.__qualname__.rpartition("<locals>.")[2])[:100]


def _described(error: BaseException) -> dict[str, Any]:
    """An exception as data: the nearest built-in kind that tests may ask for, its own name, its text."""
    kinds = [kind.__name__ for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind]
    try:
        text = str(error)[:2000]
    except Exception:
        text = ""
    return {
        "kind": "TimeUp" if isinstance(error, TimeUp) else kinds[0],
        "name": type(error).__name__[:100],
        "text": text,
        "judge": getattr(error, "_number_of_judge", 0),
    }


def _raised(result: Any) -> Any:
    """What a function of the judge's has raised, as an exception of its kind here."""
    kind = getattr(builtins, result.raised or "", RuntimeError)
    is_kind = isinstance(kind, type) and issubclass(kind, Exception)
    error: Any = None
    with contextlib.suppress(TypeError):
        error = kind(result.error) if is_kind else None
    error = error or RuntimeError(result.error)
    with contextlib.suppress(Exception):
        error._number_of_judge = result.number
    return error


OPERATORS: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, f"__{name}__") for name in (*shapes.BINARY, *shapes.COMPARISONS)},
    **{name: getattr(operator, f"__{name}__") for name in ("neg", "pos", "abs", "invert", "index", "contains")},
    **{name: getattr(operator, f"__{name}__") for name in ("setitem", "delitem")},
    **{"int": int, "float": float, "complex": complex, "bool": bool, "hash": hash, "repr": repr, "round": round},
    **{"trunc": math.trunc, "floor": math.floor, "ceil": math.ceil},
}


if __name__ == "__main__":
    own_connection = socket.socket(fileno=int(sys.argv[1]))
    own_sink = Sink()
    own_shell = make_shell(own_sink)
    preparation.prepare(sys.argv[3:], sys.argv[2])
    own_connection.sendall(protocol.READY)
    Agent(own_connection, own_sink, own_shell).serve()
    os._exit(0)
