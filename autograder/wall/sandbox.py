"""Start a Jupyter kernel where student code can do no harm: in bubblewrap, or in a reduced mode.

Inside: the system and the Python environment, read-only; the course folders that notebooks may read; an empty work
folder and /tmp in memory; no network; own process, IPC and mount namespaces; no capabilities. Not inside: solutions,
gradebook, other submissions, home, the instructor's environment variables.
"""

import errno
import functools
import os
import platform
import resource
import shutil
import site
import struct
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

WORK_FOLDER = "/tmp/work"
PROVISIONER = "autograder-sandbox"  # its name among the entry points in pyproject.toml
KEPT_VARIABLES = ("LANG", "LC_ALL", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
REDUCED_MODE_WARNING = (
    "bubblewrap is not available. Student code runs in a process of its own with limits on memory and file size, but "
    "it can read this user's files, gradebook and solutions included, and use the network. Install bubblewrap "
    "(Debian: apt install bubblewrap) before you grade the work of people you do not trust."
)


@dataclass(frozen=True)
class Limits:
    """What one kernel may use."""

    memory: int = 8 * 2**30  # bytes of address space for one process; importing torch takes about 3 GiB of it
    file_size: int = 64 * 2**20  # bytes of one file
    scratch: int = 256 * 2**20  # bytes in all of /tmp
    processes: int = 256  # processes and threads


class SandboxKernelManager(AsyncKernelManager):
    """A kernel in the sandbox that sees Python, `visible_folders` and its own work folder.

    It talks through sockets in a private folder, since TCP cannot cross a network namespace. `environment` holds the
    course's own variables.
    """

    def __init__(self, visible_folders: list[Path], environment: dict[str, str]) -> None:
        # The folder's name must stay short: the address of a Unix socket holds about 100 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="ag-"))
        super().__init__(
            kernel_name=PROVISIONER,
            transport="ipc",
            ip=str(self.folder / "k"),
            connection_file=str(self.folder / "connection.json"),
        )
        self._kernel_spec = KernelSpec(
            argv=[
                sys.executable,
                "-P",
                "-m",
                "ipykernel_launcher",
                "-f",
                "{connection_file}",
                "--HistoryManager.enabled=False",
            ],
            display_name="Python in the sandbox",
            language="python",
            # Signals do not cross a process namespace; the kernel interrupts itself when its control channel says so.
            interrupt_mode="message",
            metadata={
                "kernel_provisioner": {
                    "provisioner_name": PROVISIONER,
                    "config": {
                        "visible_folders": [str(folder.resolve()) for folder in visible_folders],
                        "environment": environment,
                    },
                }
            },
        )

    async def _async_cleanup_resources(self, restart: bool = False) -> None:
        await super()._async_cleanup_resources(restart=restart)
        if not restart:
            shutil.rmtree(self.folder, ignore_errors=True)

    cleanup_resources = _async_cleanup_resources


class SandboxProvisioner(LocalProvisioner):
    """Starts the kernel's command inside bubblewrap; registered as `autograder-sandbox`."""

    visible_folders: list[str] = []
    environment: dict[str, str] = {}

    def __init__(self, visible_folders: list[str], environment: dict[str, str], **kwargs: Any) -> None:
        self.visible_folders = visible_folders
        self.environment = environment
        super().__init__(**kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        limits = Limits()
        assert self.parent is not None
        folder = Path(self.parent.connection_file).parent
        # What a kernel writes past Jupyter's messages is nobody's output and must not reach the instructor's terminal.
        kwargs |= {
            "env": clean_environment(self.environment),
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
        }
        kwargs["preexec_fn"] = functools.partial(limit_this_process, limits)
        if bubblewrap_works():
            sockets = ["--bind", str(folder), str(folder)]
            filter_number = readable(system_call_filter(namespaces=True))
            sockets += ["--seccomp", str(filter_number)]
            cmd = [*bubblewrap([Path(path) for path in self.visible_folders], limits, sockets), *cmd]
            try:
                return await super().launch_kernel(cmd, pass_fds=[filter_number], **kwargs)
            finally:
                os.close(filter_number)
        kwargs["env"] |= {"HOME": str(folder), "TMPDIR": str(folder)}
        kwargs["cwd"] = str(folder)
        return await super().launch_kernel(cmd, **kwargs)


def bubblewrap(visible_folders: list[Path], limits: Limits, more: list[str]) -> list[str]:
    """The bubblewrap command with its options and `more` of them; the command to run inside follows."""
    options = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    # jupyter_client sets the variable; inside, its number means another process, and the kernel would stop at once.
    options += ["--unsetenv", "JPY_PARENT_PID"]
    options += ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
    options += ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            options += ["--ro-bind", str(path), str(path)]
    for name in ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "fonts", "localtime"):
        options += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    options += ["--size", str(limits.scratch), "--tmpfs", "/tmp", "--dir", WORK_FOLDER]
    options += ["--size", str(limits.scratch), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    for folder in (*_python_folders(), *filter(Path.exists, visible_folders)):
        options += ["--ro-bind", str(folder), str(folder)]
    options += [*more, "--remount-ro", "/", "--chdir", WORK_FOLDER]
    return options


# What student code may not ask of Linux, by the number of the system call on each kind of machine (audit.h, unistd.h).
# Memory that memfd_create and shmget reserve belongs to no process, so no limit and no watcher would see it; keys
# (add_key, request_key, keyctl) would outlive a submission; with sched_setaffinity it would leave its own core.
ALWAYS_FORBIDDEN = {"x86_64": (319, 29, 248, 249, 250, 203), "aarch64": (279, 194, 217, 218, 219, 122)}
# In a user namespace of its own, student code could mount file systems in memory that no limit holds for:
# unshare and setns; clone, where its flags ask for one; clone3, whose flags no filter can read.
NAMESPACES = {"x86_64": (272, 308), "aarch64": (97, 268)}
CLONE, CLONE3 = {"x86_64": 56, "aarch64": 220}, 435
CLONE_NEWUSER = 0x10000000
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OTHER_NUMBERS = 0x40000000  # from here on, x86-64 has a second number for every system call
# Instructions of the kernel's packet filter.
LOAD, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, JUMP_IF_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, KIND, FIRST_ARGUMENT = 0, 4, 16  # where a filter finds the system call, the kind of machine, its argument
ALLOW, FORBID, UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS


def system_call_filter(namespaces: bool) -> bytes:
    """A seccomp program that forbids ALWAYS_FORBIDDEN and, if `namespaces`, making user namespaces as well."""
    machine = platform.machine()
    if machine not in MACHINES:
        return struct.pack("HBBI", RETURN, 0, 0, ALLOW)
    # Calls made the way of another kind of machine (32-bit programs) are forbidden altogether.
    program = [(LOAD, 0, 0, KIND), (JUMP_IF_EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, FORBID)]
    program += [(LOAD, 0, 0, NUMBER), (JUMP_IF_AT_LEAST, 0, 1, OTHER_NUMBERS), (RETURN, 0, 0, FORBID)]
    for number in ALWAYS_FORBIDDEN[machine] + (NAMESPACES[machine] if namespaces else ()):
        program += [(JUMP_IF_EQUAL, 0, 1, number), (RETURN, 0, 0, FORBID)]
    if namespaces:
        # A C library that hears that clone3 does not exist falls back to clone.
        program += [(JUMP_IF_EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, UNKNOWN)]
        program += [(JUMP_IF_EQUAL, 0, 3, CLONE[machine]), (LOAD, 0, 0, FIRST_ARGUMENT)]
        program += [(JUMP_IF_SET, 0, 1, CLONE_NEWUSER), (RETURN, 0, 0, FORBID)]
    program.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def readable(data: bytes) -> int:
    """A file descriptor to read `data` from, for bubblewrap's --seccomp."""
    read_end, write_end = os.pipe()
    with open(write_end, "wb") as stream:  # noqa: PTH123  (a descriptor, not a path)
        stream.write(data)
    return read_end


def _python_folders() -> list[Path]:
    """Folders that Python needs and that lie outside /usr: the environment and the installation beneath it."""
    folders = {Path(sys.prefix), Path(sys.base_prefix), Path(sysconfig.get_path("stdlib")).parent.parent}
    folders |= {Path(path) for path in site.getsitepackages()}
    outside = sorted(folder for folder in folders if not folder.is_relative_to("/usr"))
    return [
        folder for folder in outside if not any(folder.is_relative_to(other) and folder != other for other in outside)
    ]


@functools.cache
def bubblewrap_works() -> bool:
    """Whether bubblewrap is installed and may create its namespaces here."""
    if sys.platform != "linux" or not shutil.which("bwrap"):
        return False
    trial = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def clean_environment(course: Mapping[str, str]) -> dict[str, str]:
    """The course's own variables, and nothing of the instructor's but the language and the numbers of threads."""
    environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return environment | {
        **course,
        "PATH": "/usr/bin:/bin",
        "HOME": WORK_FOLDER,
        "TMPDIR": "/tmp",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": "/tmp/matplotlib",
        "IPYTHONDIR": "/tmp/ipython",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def limit_this_process(limits: Limits) -> None:
    """Runs in the new process before the kernel's program starts."""
    for kind, value in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, ceiling = resource.getrlimit(kind)
        if ceiling != resource.RLIM_INFINITY:
            value = min(value, ceiling)
        resource.setrlimit(kind, (value, value))
