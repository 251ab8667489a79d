"""Our end of the wire: the sandboxed process with the student's code in it, and stand-ins for what stays there."""

import builtins
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from autograder.chapter.verdicts import Outcome
from autograder.wall import warm
from autograder.wall.changed import become, same_content, take_over
from autograder.wall.faults import OurFault
from autograder.wall.handles import ErrorClass, Handle, TheirError, error_class, handle_for, library_error
from autograder.wall.inside import protocol, wire
from autograder.wall.sandbox import bubblewrap_works, clean_environment, limit_this_process, sandboxed

GRACE = 2.0  # seconds after its time is up in which the agent may still say so itself
MAX_PATIENCE = 50  # times its seconds: after that by the machine's clock, even what only waits for a core is ended
START_SECONDS = 600.0  # that a cold process may take to be ready, however busy the machine is
MAX_SECONDS = 1e6  # that a timer is asked for
MAX_MESSAGES = 200_000  # from one process; more is no test but an attack
WATCH_INTERVAL = 0.2  # seconds
ENDS_A_LOOP = (StopIteration, StopAsyncIteration)  # one of theirs would end a loop of ours, and the checks in it
MAX_HANDLES = 50_000  # that are kept, so that one object there is one object here
MAX_ERROR_CLASSES = 1000  # that a process may send
PLAIN = (bool, int, float, complex, str, bytes)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
DID_NOT_START = "A process for a student's code did not start: has this machine enough memory, processes?"


class StudentGone(Exception):
    """The student's process has ended or broken the protocol; `reason` says which."""

    ends_the_test = True  # for what catches exceptions of answers inside a test

    def __init__(self, reason: Outcome, message: str):
        super().__init__(message)
        self.reason = reason


class TimeUp(Exception):
    """Student code used up its time, but its process lives."""

    ends_the_test = True


class StudentError(Exception):
    """Student code raised an exception of its own kind that no built-in kind stands for."""


@dataclass(frozen=True)
class Change:
    """What a call of a test has done to one of its arguments, as the student's side says."""

    function: str  # as the student calls it; empty where that is unknown
    place: int | str  # the argument's position, or its keyword
    kind: str  # the argument's type

    @classmethod
    def checked(cls, fields: Any) -> "Change":
        """What they send, with nothing in it but a small number and names."""
        name, place, kind = fields if isinstance(fields, list) and len(fields) == 3 else ("", -1, "")
        is_place = (type(place) is int and 0 <= place < len(ORDINALS)) or _is_name(place)
        return cls(name if _is_name(name) else "", place if is_place else -1, kind if _is_name(kind) else "object")

    def __str__(self) -> str:
        who = f"Your `{self.function}`" if self.function else "Your function"
        which = (
            f"argument `{self.place}`" if isinstance(self.place, str) else f"{(*ORDINALS, 'last')[self.place]} argument"
        )
        what = {"ndarray": "an array", "Tensor": "a tensor"}.get(self.kind, f"a {self.kind}")
        return f"{who} changes its {which} ({what}) in place. Leave arguments as they are: work on a copy."


class ColdProcess:
    """A process of its own for one submission, where no warm parent can be forked; it does all imports itself."""

    def __init__(self, theirs: socket.socket, kind: warm.Kind):
        self.why_killed = ""  # what the watcher ended it for
        environment = clean_environment(dict(kind.environment))
        self.folder: tempfile.TemporaryDirectory[str] | None = None  # the work folder in the reduced mode
        arguments = [str(theirs.fileno()), kind.prelude, *kind.modules]
        with contextlib.ExitStack() as stack:
            if bubblewrap_works():
                command, settings = stack.enter_context(
                    sandboxed(
                        [sys.executable, "-P", f"{warm.AGENT_FOLDER}/agent.py", *arguments],
                        kind.visible_folders,
                        kind.limits,
                        ["--ro-bind", str(warm.INSIDE), warm.AGENT_FOLDER],
                        [theirs.fileno()],
                    )
                )
            else:
                command = [sys.executable, "-P", str(warm.INSIDE / "agent.py"), *arguments]
                self.folder = tempfile.TemporaryDirectory(prefix="ag-")
                environment |= {"HOME": self.folder.name, "TMPDIR": self.folder.name}
                settings = {"pass_fds": [theirs.fileno()], "cwd": self.folder.name}
                settings["preexec_fn"] = lambda: limit_this_process(kind.limits)
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
                **settings,
            )

    def ended(self) -> bool:
        return self.process.poll() is not None

    def kill(self) -> None:
        """In bubblewrap all die with the first process; in the reduced mode the process group is what we can reach."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.folder:
            self.folder.cleanup()

    def family(self) -> list[psutil.Process]:
        """The student's processes, and first the one that they all come from."""
        first = psutil.Process(self.process.pid)
        return [first, *first.children(recursive=True)]


class Meter:
    """The seconds that the processes of one sandbox computed, and those in which all of them slept."""

    def __init__(self) -> None:
        self.used = 0.0
        self.is_running = False  # whether they have something to do: we wait for them
        self.family: list[psutil.Process] = []
        self.was_running = False  # when it was read last
        self.own: dict[int, float] = {}  # seconds that each process computed, without its children
        self.singly = 0.0  # their sum, those that have ended included
        self.computed = 0.0
        self.read_at = time.monotonic()
        self.lock = threading.Lock()

    def read(self, family: list[psutil.Process]) -> None:
        """Add what has passed since it was read before."""
        with self.lock:
            self.family = family
            self._read()

    def read_again(self) -> None:
        """Add what has passed since for the processes that were there then, which is quicker than to look for all."""
        with self.lock:
            self._read()

    def _read(self) -> None:
        together, is_awake, now = 0.0, False, time.monotonic()
        for process in self.family:
            with contextlib.suppress(psutil.Error), process.oneshot():
                times = process.cpu_times()
                own = times.user + times.system
                together += own + times.children_user + times.children_system
                self.singly += max(0.0, own - self.own.get(process.pid, 0.0))
                self.own[process.pid] = own
                is_awake |= process.status() in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)
        # A process may hide the time of children that have ended; and some end before they are seen.
        computed = max(self.computed, together, self.singly)
        if computed > self.computed:
            self.used += computed - self.computed
        elif self.is_running and self.was_running and not is_awake:
            self.used += now - self.read_at
        self.computed, self.read_at, self.was_running = computed, now, self.is_running


class StudentSide:
    """A sandboxed process that runs one student's cells and answers questions about what they defined.

    What its notebook imports and starts with is run beforehand, once for many submissions (see `warm.Kind`).

    Its time is the seconds that it computes and those that it sleeps while we wait for it. What it waits for a core,
    and what we take, is not counted: no verdict may depend on what else the machine has to do.
    """

    def __init__(self, kind: warm.Kind):
        self.kind = kind
        self.process: warm.Fork | ColdProcess | None = None
        self.used_before = 0.0  # seconds that earlier processes used
        self.changes: list[Change] = []  # of arguments, since somebody has emptied it
        self.is_one_process = False  # whether what comes back of what was handed over is that itself
        self.shares = False  # whether what a call has changed of its arguments is changed here as well
        self.before: Callable[[], None] | None = None  # what is done before student code runs for a test
        self.show: Callable[[str, str], None] | None = None  # what is done with what it prints
        self.meter = Meter()
        self.allow(float("inf"))

    def start(self) -> None:
        """Start a fresh process; one that was there before is ended."""
        self.stop()
        self.messages = 0
        self.number = 0
        self.callbacks: dict[int, Callable[..., Any]] = {}
        self.handles: dict[int, Handle] = {}  # so that one object there is one object here
        self.fresh: set[int] = set()  # numbers of objects that were met for the first time
        self.errors: dict[int, Exception] = {}
        self.error_classes: dict[int, type] = {}
        self.raised: dict[int, BaseException] = {}  # by functions of ours, on their way through student code
        self.known_classes: set[int] = set()  # numbers of classes that the course's answer has too
        self.received = bytearray()  # what has come and was not read yet
        try:
            self.connection, theirs = socket.socketpair()
            with theirs:
                self.process = warm.fork_for(self.kind, self.connection, theirs)
        except warm.NoFork:
            self.connection.close()
            self.connection, theirs = socket.socketpair()
            with theirs:
                self.process = ColdProcess(theirs, self.kind)
            self._expect_ready()
        self.meter = Meter()
        try:
            self.meter.read(self.process.family())
        except psutil.Error:  # it has ended again already: no code of a student's has run in it
            self.stop()
            raise OurFault(DID_NOT_START) from None
        self.meter.used = 0.0  # what it did so far was ours
        self.allow(float("inf"))
        threading.Thread(target=self._watch, args=(self.process,), daemon=True).start()

    def _expect_ready(self) -> None:
        """Wait until a cold process has done its imports. Raises OurFault: no code of a student's has run yet."""
        self.connection.settimeout(START_SECONDS)
        try:
            answer = self.connection.recv(1)
        except OSError:
            answer = b""
        if answer != protocol.READY:
            self.stop()
            raise OurFault(DID_NOT_START)

    def allow(self, seconds: float) -> None:
        """From now on student code has so many seconds."""
        if self.process is not None:
            self.meter.read_again()
        self.limit = self.meter.used + seconds
        self.last_moment = time.monotonic() + seconds * MAX_PATIENCE

    @property
    def used(self) -> float:
        """The seconds that all processes have used so far."""
        return self.used_before + self.meter.used

    def _time_is_up(self) -> bool:
        return self.meter.used > self.limit + GRACE or time.monotonic() > self.last_moment + GRACE

    def stop(self) -> None:
        """End the process and everything that it started."""
        if self.process is not None:
            self.meter.read_again()
            self.used_before += self.meter.used
            self.meter = Meter()
            self.process.kill()
            self.process = None
            self.connection.close()

    def run_cell(self, source: str, seconds: float, pictures: bool = True) -> tuple[list[Any], dict[str, str] | None]:
        """Run a cell there: its outputs, unchecked, and the error it ended in. Figures are drawn if `pictures`."""
        self.allow(seconds)
        result = self.ask("run", source=source, pictures=pictures)
        if not isinstance(result, dict) or not isinstance(result.get("outputs"), list):
            raise StudentGone(Outcome.CRASHED, "The process broke the protocol.")
        error = result.get("error")
        return result["outputs"], _checked_error(error) if error else None

    def follow(self, seed: str) -> None:
        """Have them draw from `seed` from now on, and forget what a test has changed there."""
        self.raised.clear()
        self.ask("follow", seed=seed, modules=list(self.kind.modules), remember=self.is_one_process)

    def get(self, name: str) -> list[Any]:
        """A list with the value of a name on the student's side, or an empty list."""
        value = self.ask("get", name=name)
        return value if isinstance(value, list) else []

    def as_made(self, handle: Handle) -> Handle:
        """The stand-in for an object that a test has made by calling a class: what its class defines is asked there."""
        return self.handles.setdefault(-handle._number - 1, handle_for(self, handle._facts, made=True))

    def ask(self, action: str, **arguments: Any) -> Any:
        """Have the agent do one thing and return its value; exceptions raised there are raised here."""
        if self.process is None:
            raise StudentGone(Outcome.CRASHED, "Your Python process has ended.")
        if self.before is not None:
            prepare, self.before = self.before, None
            try:
                prepare()
            finally:
                self.before = prepare
        self.number += 1
        number = self.number
        if action == "call" and self.shares:
            arguments["share"] = True
        seconds = min(max(0.01, self.limit - self.meter.used), MAX_SECONDS)
        sent = self._send(protocol.Request(number, action, seconds, arguments), self.is_one_process)
        while True:
            message = self._receive(sent)
            if isinstance(message, protocol.Callback) and message.number in self.callbacks:
                self._show(message.shown)
                self._answer(message)
            elif isinstance(message, protocol.Reply) and message.number == number:
                self._show(message.shown)
                if message.now is not None and self.shares:
                    take_over(message.now, arguments.get("args", []), arguments.get("kwargs", {}))
                return self._value_of(message)
            else:
                self._gone(Outcome.CRASHED, "The process broke the protocol.")

    def _show(self, parts: Any) -> None:
        """Print what student code has printed, where a test wants to see it."""
        show = self.show
        for part in parts if show is not None and type(parts) is list else []:
            if type(part) is list and len(part) == 2 and part[0] in ("stdout", "stderr") and type(part[1]) is str:
                assert show is not None
                show(*part)

    def _value_of(self, reply: protocol.Reply) -> Any:
        if reply.change is not None:
            self.changes.append(Change.checked(reply.change))
        if reply.unfit is not None:
            raise wire.WireError(reply.unfit[:300])
        if reply.error is not None:
            raise self._exception(reply.error)
        return reply.value

    def _exception(self, fields: Any) -> BaseException:
        """What was raised there, as an exception of the nearest kind here."""
        error = _checked_error(fields)
        number = fields.get("judge") if type(fields) is dict else None
        if type(number) is int and number in self.raised:
            ours = self.raised[number]
            return RuntimeError(error["text"]) if isinstance(ours, ENDS_A_LOOP) else ours
        if error["kind"] == "TimeUp":
            return TimeUp(error["text"])
        whole, args = (fields.get("object"), fields.get("args")) if type(fields) is dict else (None, None)
        exception = whole if isinstance(whole, Exception) else _exception(error)
        if type(args) is list and _is_plain(args) and type(exception) is not StudentError:
            exception.args = tuple(args)
        exception.student_text = f"{error['name']}: {error['text']}"  # type: ignore[attr-defined]
        return exception

    def _answer(self, call: protocol.Callback) -> None:
        """Student code called a function of ours."""
        function = self.callbacks[call.number]
        try:
            with _in_mode(function, call.training):
                result = protocol.Result(function(*call.args, **call.kwargs))
        except (StudentGone, TimeUp):
            raise
        except Exception as error:
            self.raised[id(error)] = error
            kinds = [kind.__name__ for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind]
            is_builtin = type(error).__name__ == kinds[0]
            text = str(error) if is_builtin else f"{type(error).__name__}: {error}"
            result = protocol.Result(error=text[:500], raised=kinds[0], number=id(error))
        self._send(result)

    def _send(self, message: protocol.Message, remember: bool = False) -> list[Any]:
        """Send a message; returns what can be changed in it, if that is to be remembered."""
        sent: list[Any] = []
        data = wire.to_bytes(
            protocol.fields_of(message), self._handle_for, is_judge=True, seen=sent if remember else None
        )
        left = memoryview(protocol.LENGTH.pack(len(data)) + data)
        while left:
            try:
                left = left[self._while_waiting(lambda: self.connection.send(left[: 2**20])) :]  # noqa: B023
            except OSError:
                self._gone(Outcome.CRASHED, "Your code ended the Python process: a crash or an exit.")
        return sent

    def _while_waiting(self, transfer: Callable[[], Any]) -> Any:
        """Send or receive something, for as long as they have time."""
        self.connection.settimeout(WATCH_INTERVAL)
        self.meter.is_running = True
        try:
            while True:
                if self._time_is_up():  # even if they send a byte now and then
                    self._gone(Outcome.TIMED_OUT, "Your code ran for too long and was stopped.")
                with contextlib.suppress(TimeoutError):
                    return transfer()
        finally:
            self.meter.is_running = False

    def _receive(self, sent: list[Any]) -> protocol.Message:
        """The next message; what it gives back of what was `sent` is that itself."""

        def same(place: int, value: Any) -> Any:
            ours = sent[place] if 0 <= place < len(sent) else None
            is_same = type(ours) is type(value) and (same_content(ours, value) or (self.shares and become(ours, value)))
            return ours if is_same else value

        self.messages += 1
        if self.messages > MAX_MESSAGES:
            self._gone(Outcome.CRASHED, "Your code exchanged too many messages with the tests.")
        (size,) = protocol.LENGTH.unpack(self._exactly(protocol.LENGTH.size))
        if size > wire.MAX_BYTES:
            self._gone(Outcome.CRASHED, "Your code returned a value that is too large.")
        fields = wire.from_bytes(self._exactly(size), self._value_for, same=same)
        try:
            return protocol.read(fields)
        except protocol.ProtocolError as error:
            raise wire.WireError(f"no message ({error})") from None

    def _exactly(self, size: int) -> bytes:
        while len(self.received) < size:
            try:
                part = self._while_waiting(lambda: self.connection.recv(2**16))
            except OSError:
                part = b""
            if not part:
                self._gone(Outcome.CRASHED, "Your code ended the Python process: a crash or an exit.")
            self.received += part
        data = bytes(self.received[:size])
        del self.received[:size]
        return data

    def _gone(self, reason: Outcome, message: str) -> None:
        if self.process is not None and self.process.why_killed:
            reason, message = Outcome.OUT_OF_MEMORY, self.process.why_killed
        self.stop()
        raise StudentGone(reason, message)

    def _handle_for(self, value: Any) -> dict[str, Any]:
        if isinstance(value, Handle) and value._side is self:
            return protocol.StudentHandle(value._number).tree()
        if type(value) is ErrorClass and value._side is self:
            return protocol.StudentHandle(value._number).tree()
        if isinstance(value, TheirError) and "_number" in vars(value):
            return protocol.StudentHandle(vars(value)["_number"]).tree()
        if not callable(value):
            raise wire.WireError(f"a test tried to hand over a {type(value).__name__}, which cannot cross")
        number = id(value)
        self.callbacks[number] = value
        name, doc = getattr(value, "__name__", ""), getattr(value, "__doc__", None)
        return protocol.JudgeHandle(
            number,
            value.training if _is_module(value) else None,
            name if type(name) is str else "",
            doc if type(doc) is str and isinstance(value, types.FunctionType) else None,
        ).tree()

    def _value_for(self, tree: dict[str, Any]) -> Any:
        facts = protocol.read_handle(tree)
        if isinstance(facts, protocol.JudgeHandle):
            return self.callbacks[facts.number]
        if facts.shape == "error class":
            return self._error_class(facts)
        if facts.shape == "exception" and facts.parents:
            return self._error(facts)
        found = self.handles.get(-facts.number - 1)
        if found is None:
            found = self.handles.get(facts.number)
        if found is None:
            if len(self.handles) > MAX_HANDLES:
                self.handles.clear()
                self.errors.clear()
            found = self.handles[facts.number] = handle_for(self, facts)
            self.fresh.add(facts.number)
        return found

    def _error(self, facts: protocol.StudentHandle) -> Exception:
        """An exception of theirs as one of ours that can be raised."""
        if facts.number not in self.errors:
            if len(self.errors) > MAX_HANDLES:
                self.errors.clear()
            (kind,) = self._error_classes(facts.parents[:1]) or [StudentError]
            try:
                error: Exception = kind.__new__(kind)
                error.args = (facts.name,)
            except TypeError:
                error = StudentError(facts.name)
            if isinstance(error, TheirError):
                vars(error).update({"_side": self, "_number": facts.number, "_text": facts.name})
            self.errors[facts.number] = error
        return self.errors[facts.number]

    def _error_classes(self, parents: tuple[Any, ...]) -> list[type[Exception]]:
        """Classes by their names or handles, without those that end a loop of ours, and the checks in it."""
        kinds = [
            getattr(builtins, parent, None) if isinstance(parent, str) else self._error_class(parent)
            for parent in parents
        ]
        return [
            kind
            for kind in kinds
            if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, ENDS_A_LOOP)
        ]

    def _error_class(self, facts: protocol.StudentHandle) -> type:
        """The class here that stands for an exception class of theirs, or a library's if it is one."""
        known = library_error(facts.module, facts.name) if facts.module != "__main__" else None
        if known is not None:
            return known
        if facts.number not in self.error_classes:
            if len(self.error_classes) > MAX_ERROR_CLASSES:
                raise wire.WireError("too many classes of exceptions")
            parents = self._error_classes(facts.parents)
            self.error_classes[facts.number] = error_class(self, facts.number, facts.name, parents)
        return self.error_classes[facts.number]

    def _watch(self, process: warm.Fork | ColdProcess) -> None:
        """End the process when all that it started takes too much; limits of single processes cannot see that."""
        limits, meter = self.kind.limits, self.meter
        while not process.ended():
            with contextlib.suppress(psutil.Error, OSError):
                family = process.family()
                meter.read(family)
                if len(family) - 1 > limits.processes:
                    self._kill_for(process, f"Your code started more than {limits.processes} processes.")
                elif _memory(family[1:]) > limits.memory:
                    self._kill_for(process, f"Your code used more than {limits.memory / 2**30:.0f} GiB of memory.")
                elif _sockets(family) > limits.sockets:
                    self._kill_for(process, f"Your code opened more than {limits.sockets} sockets.")
            time.sleep(WATCH_INTERVAL)

    @staticmethod
    def _kill_for(process: warm.Fork | ColdProcess, reason: str) -> None:
        process.why_killed = reason  # the process's, for this side may have started another one meanwhile
        process.kill()


def _is_module(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


@contextlib.contextmanager
def _in_mode(function: Any, training: bool | None) -> Iterator[None]:
    """Have a torch module train or not, as its stand-in on the student's side does, and then as before."""
    if training is None or not _is_module(function) or function.training == training:
        yield
        return
    modes = [(module, module.training) for module in function.modules()]
    function.train(training)
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode


def _memory(family: list[psutil.Process]) -> int:
    total = 0
    for process in family:
        with contextlib.suppress(psutil.Error):
            total += process.memory_info().rss
    return total


def _sockets(family: list[psutil.Process]) -> int:
    """The sockets in the sandbox's own network; what they hold belongs to no process."""
    if len(family) < 2 or not bubblewrap_works():
        return 0  # the first one's network may be the machine's
    words = Path(f"/proc/{family[-1].pid}/net/sockstat").read_text().split(maxsplit=3)
    return int(words[2])


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 100 and all(part.isidentifier() for part in value.split("."))


def _checked_error(error: Any) -> dict[str, str]:
    """What the student's side says about an exception, with nothing but texts in it."""
    fields = error if isinstance(error, dict) else {}
    return {field: _checked_text(fields.get(field)) for field in ("kind", "name", "text")}


def _checked_text(value: Any) -> str:
    """A text of theirs; of a handle nothing, since asking it for its text could end in the next such error."""
    return value[:2000] if isinstance(value, str) else ""


def _exception(error: dict[str, str]) -> Exception:
    if error["kind"] == "TimeUp":
        return TimeUp(error["text"])
    kind = getattr(builtins, error["kind"], None)
    if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, ENDS_A_LOOP):
        try:
            exception: Exception = kind(error["text"])
        except TypeError:  # kinds such as UnicodeDecodeError want more than a text
            exception = StudentError(f"{error['name']}: {error['text']}")
    else:
        exception = StudentError(f"{error['name']}: {error['text']}")
    exception.student_text = f"{error['name']}: {error['text']}"  # type: ignore[attr-defined]
    return exception


def _is_plain(args: Any, depth: int = 0) -> bool:
    """Whether the arguments of an exception are values, with nothing in them that would have to be asked for."""
    if type(args) not in (list, tuple):
        return args is None or type(args) in PLAIN
    return depth < 3 and all(_is_plain(arg, depth + 1) for arg in args)
