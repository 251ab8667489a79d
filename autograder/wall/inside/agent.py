"""The student's side of the wall: runs their cells in IPython and answers questions about what they defined.

Runs inside the sandbox as `python -P agent.py FD PRELUDE MODULE...`, where FD is its end of a socket pair, PRELUDE and
MODULE are what the notebook starts with and imports; or in a fork of the warm parent. It keeps no secret and is not
trusted: whatever a student does to it can only change the values that it sends, and those are what tests look at.
"""

import builtins
import contextlib
import functools
import importlib
import itertools
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
import wire
from clock import Clock, TimeUp

del sys.path[0]

MAX_TEXT = 100_000  # characters that one cell may print
MAX_OUTPUTS = 200  # of one cell
MAX_NESTED = 50  # calls to and fro within one call
ROOM = 200  # calls that ours may nest, however deep student code has gone before it calls a function of the judge's


class JudgeFunction:
    """A function that lives with the judge; calling it asks over the wire."""

    def __init__(self, agent: "Agent", number: int):
        self._agent, self._number = agent, number

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._agent.call_judge(self._number, args, kwargs)

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

    def __init__(self, sink: Sink, name: str):
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
        self.runner = beside.Runner(shell, sink, Stream)

    def serve(self) -> None:
        """Read requests and answer them; returns when the connection is closed."""
        while (request := self.receive()) is not None:
            self.answer(request)

    def answer(self, request: Any) -> None:
        """Do what a request asks for and send the reply."""
        self.nested += 1
        self.change: list[Any] | None = None
        try:
            action: Callable[..., Any] = getattr(self, "do_" + request.action)
            self.clock.begin(request.seconds)
            try:
                value = action(**request.arguments)
                data = self.pack(protocol.fields_of(protocol.Reply(request.number, value, change=self.change)))
            finally:
                self.clock.stop()
        except wire.WireError as error:
            data = self.pack(protocol.fields_of(protocol.Reply(request.number, unfit=str(error))))
        except BaseException as error:  # everything that student code can raise goes to the judge
            data = self.pack(
                protocol.fields_of(protocol.Reply(request.number, error=_described(error), change=self.change))
            )
        finally:
            self.nested -= 1
        self.send(data)

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

    def do_follow(self, seed: str, modules: list[str]) -> None:
        """Draw from `seed` from now on, once the notebook's modules are there: imports draw too."""
        for module in modules:
            if module not in sys.modules:
                with contextlib.suppress(ImportError):
                    importlib.import_module(module)
        with contextlib.suppress(Exception):  # whoever has broken these libraries has broken what draws from them
            draws.follow(seed)

    def do_get(self, name: str) -> Any:
        """The value of a name in the student's namespace, in a list; an empty list if there is none."""
        namespace = self.shell.user_ns
        return [namespace[name]] if name in namespace else []

    def do_call(self, target: int, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call what a test calls, and note which argument it has changed in place."""
        function = self.objects[target]
        if self.nested > 1:  # a function of the judge's passes on what may be the student's own
            return function(*args, **kwargs)
        handed_over: dict[int | str, Any] = dict(enumerate(args)) | kwargs
        checks = arguments.checks_of(handed_over)
        try:
            return function(*args, **kwargs)
        finally:
            changed = next((place for place, check in checks.items() if not check(handed_over[place])), None)
            if changed is not None:
                self.change = [_name_of(function), changed, type(handed_over[changed]).__name__]

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

    def do_item(self, target: int, key: Any) -> Any:
        return self.objects[target][key]

    def do_length(self, target: int) -> int:
        return len(self.objects[target])

    def do_list(self, target: int) -> list[Any]:
        return list(itertools.islice(self.objects[target], wire.MAX_NODES))

    def do_next(self, target: int) -> list[Any]:
        """A list with the next value, an empty one if there is none."""
        return list(itertools.islice(self.objects[target], 1))

    def do_text(self, target: int) -> str:
        return str(self.objects[target])[:MAX_TEXT]

    def call_judge(
        self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any], training: bool | None = None
    ) -> Any:
        """Call a function of the judge's; meanwhile it may call back into student code."""
        if self.nested > MAX_NESTED:
            raise RecursionError("calls to and fro are nested too deeply")
        paused, limit = self.clock.pause(), sys.getrecursionlimit()
        try:
            sys.setrecursionlimit(limit + ROOM)  # an exchange that ends half-way would put off all later ones
            self.send(self.pack(protocol.fields_of(protocol.Callback(number, list(args), kwargs, training))))
            while (message := self.receive()) is not None:
                if isinstance(message, protocol.Request):
                    self.answer(message)
                elif message.error is not None:
                    raise RuntimeError(message.error)
                else:
                    return message.value
        finally:
            self.clock.resume(paused)
            sys.setrecursionlimit(limit)
        os._exit(0)

    def pack(self, fields: dict[str, Any]) -> bytes:
        data: bytes = wire.to_bytes(fields, self.handle_for)
        return data

    def handle_for(self, value: Any) -> dict[str, Any]:
        """A handle for an object that stays here; a function of the judge's goes back as itself."""
        kind = type(value)
        if kind in STAND_INS:
            handle = protocol.JudgeHandle(value._number)
        else:
            self.objects[id(value)] = value  # kept alive, so the number stays its own
            is_iterator = issubclass(kind, Iterator)
            handle = protocol.StudentHandle(id(value), callable(value), is_iterator, kind.__name__[:100])
        tree: dict[str, Any] = handle.tree()
        return tree

    def value_for(self, tree: dict[str, Any]) -> Any:
        handle = protocol.read_handle(tree)
        if isinstance(handle, protocol.StudentHandle):
            return self.objects[handle.number]
        if handle.training is None:
            return JudgeFunction(self, handle.number)
        return module_kind()(self, handle.number, handle.training)

    def send(self, data: bytes) -> None:
        self.connection.sendall(protocol.LENGTH.pack(len(data)) + data)

    def receive(self) -> Any:
        """The next message, or None when the judge has hung up."""
        head = self.incoming.read(protocol.LENGTH.size)
        data = len(head) == protocol.LENGTH.size and self.incoming.read(*protocol.LENGTH.unpack(head))
        return protocol.read(wire.from_bytes(data, self.value_for, of_judge=True)) if data else None


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
    }


if __name__ == "__main__":
    own_connection = socket.socket(fileno=int(sys.argv[1]))
    own_sink = Sink()
    own_shell = make_shell(own_sink)
    preparation.prepare(sys.argv[3:], sys.argv[2])
    own_connection.sendall(protocol.READY)
    Agent(own_connection, own_sink, own_shell).serve()
    os._exit(0)
