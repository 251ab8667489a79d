"""Our end of the warm parent: a sandboxed process with the imports done, of which each submission gets a fork."""

import atexit
import contextlib
import importlib
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from autograder.chapter.cells import Notebook
from autograder.wall.inside import protocol
from autograder.wall.names import modules_of, prelude_of
from autograder.wall.sandbox import Limits, bubblewrap_works, clean_environment, sandboxed
from autograder.wall.system_calls import system_call_filter

INSIDE = Path(protocol.__file__).parent
AGENT_FOLDER = "/agent"  # where the sandbox sees INSIDE
MEMORY = 8 * 2**30  # bytes that the processes of a notebook may have, unless the course says otherwise
HASH_SEED = 0
GRADING = {"NBGRADER_EXECUTION": "autograde"}  # nbgrader's way of telling cells what runs them
SETTINGS = (
    "memory",
    "hash_seed",
    "visible_folders",
    "environment",
    "files",
)  # of the judge, that such a process hangs on
MAX_FORKS = 200  # of one parent
IMPORT_SECONDS = 120.0  # that a parent may take to be ready
FORK_SECONDS = 10.0  # that a fork may take
CREDENTIALS = struct.Struct("3i")  # process, user and group, as Linux writes them beside a message


class NoFork(Exception):
    """A warm parent could not be started or did not fork; a cold process can take its place."""


@dataclass(frozen=True)
class Kind:
    """What a process for a student's code is started with; submissions of the same kind share a warm parent.

    `modules` are what their notebook imports and `prelude` is the code that it starts with.
    """

    visible_folders: tuple[Path, ...]
    limits: Limits
    modules: tuple[str, ...] = ()
    prelude: str = ""
    environment: tuple[tuple[str, str], ...] = ()


def kind_of(reference: Notebook, settings: Mapping[str, Any]) -> Kind:
    """What a chapter's submissions need, from its reference and the course's settings of the judge."""
    hash_seed = {"PYTHONHASHSEED": str(settings.get("hash_seed", HASH_SEED))}
    environment = {**hash_seed, **GRADING, **settings.get("environment", {})}
    folders = [*settings.get("visible_folders", []), *filter(None, [settings.get("files", "")])]
    return Kind(
        tuple(Path(folder) for folder in folders),
        Limits(memory=settings.get("memory", MEMORY)),
        modules_of(reference),
        prelude_of(reference),
        tuple(sorted(environment.items())),
    )


class Fork:
    """The first process of a fork, with which all others of that fork die."""

    def __init__(self, process: int):
        self.process = process
        self.why_killed = ""  # what the watcher ended it for
        self.descriptor = os.pidfd_open(process)  # stays this process's, even if its number is given to another

    def ended(self) -> bool:
        """Whether it and all that it started have ended."""
        return bool(select.select([self.descriptor], [], [], 0)[0])

    def kill(self) -> None:
        """End it and all that it started, and wait until they have."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.descriptor, signal.SIGKILL)
        select.select([self.descriptor], [], [])

    def family(self) -> list[psutil.Process]:
        """The student's processes, and first the one that they all come from."""
        first = psutil.Process(self.process)
        return [first, *first.children(recursive=True)]

    def __del__(self) -> None:
        os.close(self.descriptor)


class WarmParent:
    """One warm parent process. At most one of its forks lives at a time, so that no submission meets another.

    It imports beside us: whoever wants a fork waits until it is ready.
    """

    def __init__(self, kind: Kind):
        self.kind = kind
        self.forks = 0
        self.fork_now: Fork | None = None
        self.owner = os.getpid()
        self.control, theirs = socket.socketpair()
        self.control.settimeout(IMPORT_SECONDS)
        with theirs:
            arguments = [str(theirs.fileno()), system_call_filter(namespaces=True).hex(), str(kind.limits.scratch)]
            with sandboxed(
                [sys.executable, "-P", f"{AGENT_FOLDER}/warm_parent.py", *arguments, kind.prelude, *kind.modules],
                kind.visible_folders,
                kind.limits,
                ["--ro-bind", str(INSIDE), AGENT_FOLDER],
                [theirs.fileno()],
                makes_namespaces=True,
            ) as (command, settings):
                self.process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    # A process with threads cannot be forked safely, and NumPy's linear algebra starts some at once.
                    env=clean_environment(dict(kind.environment)) | {"OPENBLAS_NUM_THREADS": "1"},
                    start_new_session=True,
                    **settings,
                )
        self.is_ready = False

    @property
    def usable(self) -> bool:
        """Whether this parent may be asked for one more fork by this process."""
        return self.owner == os.getpid() and self.forks < MAX_FORKS and self.process.poll() is None

    def wait(self) -> None:
        """Until its imports are done. Raises NoFork if they fail."""
        if not self.is_ready:
            self._expect_ready()
        self.is_ready = True

    def fork(self, ours: socket.socket, theirs: socket.socket) -> Fork:
        """Have a fork serve `theirs`. Raises NoFork if none comes, and while an earlier one lives."""
        if self.fork_now and not self.fork_now.ended():
            raise NoFork("the fork before lives")
        self.forks += 1
        try:
            self.control.settimeout(FORK_SECONDS)
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            socket.send_fds(self.control, [b"f"], [theirs.fileno()])
            theirs.close()
            self._expect_ready()
            ours.settimeout(FORK_SECONDS)
            greeting, beside, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(CREDENTIALS.size))
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
            if greeting != protocol.READY:
                raise OSError("the fork ended before it was ready")
            process, _, _ = CREDENTIALS.unpack(beside[0][2])
            self.fork_now = Fork(process)
            return self.fork_now
        except (OSError, IndexError) as error:
            self.close()
            raise NoFork(str(error)) from None

    def close(self) -> None:
        """End the parent and whatever fork it has."""
        self.control.close()
        if self.owner == os.getpid():
            self.process.kill()  # bubblewrap takes everything inside with it
            self.process.wait()

    def _expect_ready(self) -> None:
        try:
            answer = self.control.recv(1)
        except OSError as error:
            answer = str(error).encode()
        if answer != protocol.READY:
            self.close()
            raise NoFork("the warm parent did not get ready")


_lock = threading.Lock()
_parent: WarmParent | None = None
_refused: set[Kind] = set()  # kinds whose parent did not start here, so that it is not tried again and again


def start_early(kind: Kind) -> None:
    """Start the parent that a fork will soon be asked of, so that it imports while we do something else."""
    if kind not in _refused and bubblewrap_works():
        with _lock, contextlib.suppress(NoFork):
            _parent_for(kind)


def import_here(kind: Kind) -> None:
    """Import on our side what the notebook imports: that draws and takes time, so before any seed and any clock."""
    for module in kind.modules:
        if module not in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(module)


def fork_for(kind: Kind, ours: socket.socket, theirs: socket.socket) -> Fork:
    """A fork of a warm parent of this kind, started or renewed if need be; see `WarmParent.fork`. Raises NoFork."""
    if kind in _refused or not bubblewrap_works():
        raise NoFork("forking does not work here")
    with _lock:
        parent = _parent_for(kind)
        try:
            parent.wait()
        except NoFork:
            _refused.add(kind)
            raise
        return parent.fork(ours, theirs)


def _parent_for(kind: Kind) -> WarmParent:
    """This process's parent, which may not be ready yet. Raises NoFork if none of this kind starts here."""
    global _parent
    if _parent is None or _parent.kind != kind or not _parent.usable:
        close()
        try:
            _parent = WarmParent(kind)
        except OSError as error:
            _refused.add(kind)
            raise NoFork(str(error)) from None
    return _parent


def close() -> None:
    """End this process's warm parent, if it has one."""
    global _parent
    if _parent is not None:
        with contextlib.suppress(OSError):
            _parent.close()
        _parent = None


atexit.register(close)
