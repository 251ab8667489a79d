"""Start a Jupyter kernel where student code can do no harm: in bubblewrap, or in a reduced mode.

Inside: the system and the Python environment, read-only; the course folders that notebooks may read; an empty work
folder and /tmp in memory; no network; own process, IPC and mount namespaces; no capabilities. Not inside: solutions,
gradebook, other submissions, home, the instructor's environment variables.
"""

import contextlib
import functools
import os
import platform
import re
import resource
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from autograder.course import CourseError
from autograder.wall import nobody
from autograder.wall.system_calls import system_call_filter

WORK_FOLDER = "/tmp/work"
# jupyter_client sets the variable; inside, its number means another process, and the kernel would stop at once.
BUBBLEWRAP: tuple[str, ...] = ("bwrap", "--die-with-parent", "--new-session", "--unsetenv", "JPY_PARENT_PID")
BUBBLEWRAP += ("--hostname", "sandbox", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts")
BUBBLEWRAP += ("--unshare-cgroup-try",)
PROVISIONER = "autograder-sandbox"  # its name among the entry points in pyproject.toml
SEEN_IN_PROC = {"cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "uptime", "version"}  # besides processes
# The limit counts all processes of a user. Since Linux 5.14 those outside of a user namespace are not counted in it;
# before, students of a busy user would start nothing, so there only the watcher outside counts (`student.StudentSide`).
NPROC_COUNTS_INSIDE = [int(number) for number in re.findall(r"\d+", platform.release())[:2]] >= [5, 14]
KEPT_VARIABLES = ("LANG", "LC_ALL", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
REDUCED_MODE_WARNING = (
    "bubblewrap is not available. Student code runs in a process of its own with limits on memory and file size, but "
    "it can read this user's files, gradebook and solutions included, and use the network. Install bubblewrap "
    "(Debian: apt install bubblewrap) before you grade the work of people you do not trust."
)


NO_SANDBOX = (
    "Nothing was graded: bubblewrap is not available here, so students' code would run as you, with your files and "
    "your network. Install it (Debian: apt install bubblewrap); or, for a class that you trust, say --unsafe "
    "(c.Judge.unsafe = True in nbgrader_config.py)."
)


@dataclass(frozen=True)
class Limits:
    """What one kernel may use."""

    memory: int = 8 * 2**30  # bytes of address space for one process; importing torch takes about 3 GiB of it
    file_size: int = 64 * 2**20  # bytes of one file
    scratch: int = 256 * 2**20  # bytes in all of /tmp
    processes: int = 256  # processes and threads
    files: int = 512  # open files of one process
    sockets: int = 256  # of all processes; each can keep some 400 KiB where no limit on memory sees them


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
        if bubblewrap_works():
            visible = [Path(path) for path in self.visible_folders]
            if can_be_nobody(tuple(visible)):
                for path in (folder, Path(self.parent.connection_file)):
                    os.chown(path, nobody.OUTSIDE, nobody.OUTSIDE)
            sockets = ["--bind", str(folder), str(folder)]
            with sandboxed(cmd, visible, limits, sockets) as (command, settings):
                return await super().launch_kernel(command, **kwargs, **settings)
        kwargs["env"] |= {"HOME": str(folder), "TMPDIR": str(folder)}
        kwargs["cwd"] = str(folder)
        kwargs["preexec_fn"] = functools.partial(limit_this_process, limits)
        return await super().launch_kernel(cmd, **kwargs)


@contextlib.contextmanager
def sandboxed(
    command: list[str],
    visible_folders: Sequence[Path],
    limits: Limits,
    more: Sequence[str] = (),
    descriptors: Sequence[int] = (),
    makes_namespaces: bool = False,
) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """`command` inside bubblewrap, and what `subprocess.Popen` needs besides, to be used within the `with`.

    `more` are further options of bubblewrap, `descriptors` stay open inside.
    """
    with contextlib.ExitStack() as stack:
        filter_number = readable(system_call_filter(namespaces=not makes_namespaces))
        stack.callback(os.close, filter_number)
        options = [*BUBBLEWRAP]
        settings: dict[str, Any] = {"preexec_fn": functools.partial(limit_this_process, limits)}
        passed = [*descriptors, filter_number]
        inside = ["prlimit", f"--nproc={limits.processes}"] if NPROC_COUNTS_INSIDE else []
        if can_be_nobody(tuple(visible_folders)):
            namespace = stack.enter_context(nobody.user_namespace())
            passed.append(namespace)
            options += nobody.options(namespace)
            settings |= nobody.SETTINGS
            inside = [*nobody.BECOME, *inside]
        else:
            options += ["--unshare-user", "--uid", str(nobody.INSIDE), "--gid", str(nobody.INSIDE), "--cap-drop", "ALL"]
        options += _file_system(visible_folders, limits, makes_namespaces)
        options += [*more, "--seccomp", str(filter_number), "--remount-ro", "/", "--chdir", WORK_FOLDER]
        yield [*options, *inside, *command], settings | {"pass_fds": passed}


def _file_system(visible_folders: Sequence[Path], limits: Limits, makes_namespaces: bool) -> list[str]:
    """bubblewrap's options for what is seen inside: everything read-only but /tmp and /dev/shm."""
    options = ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", *_covers_in_proc()]
    if not makes_namespaces:
        options += ["--remount-ro", "/proc"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            options += ["--ro-bind", str(path), str(path)]
    options += ["--perms", "0755", "--dir", "/etc"]  # else made for bubblewrap's own user only: nobody finds no font
    for name in ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "fonts", "localtime"):
        options += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    options += ["--size", str(limits.scratch), "--perms", "1777", "--tmpfs", "/tmp"]
    options += ["--perms", "0777", "--dir", WORK_FOLDER]
    options += ["--size", str(limits.scratch), "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    for folder in (*_python_folders(), *filter(Path.exists, visible_folders)):
        # Whoever is nobody must get through the folders above, which bubblewrap makes for its own user only.
        for above in reversed(folder.parents[:-1]):
            options += ["--perms", "0755", "--dir", str(above)]
        options += ["--ro-bind", str(folder), str(folder)]
    return options


def _covers_in_proc() -> list[str]:
    """bubblewrap's options that cover all of /proc that is about the machine and that no notebook needs."""
    options = []
    for path in sorted(Path("/proc").iterdir()):
        if path.name.isdigit() or path.name in SEEN_IN_PROC or path.is_symlink():
            continue
        if path.is_dir():
            options += ["--size", "4096", "--perms", "0555", "--tmpfs", str(path), "--remount-ro", str(path)]
        else:
            options += ["--ro-bind", "/dev/null", str(path)]  # which cannot be opened there
    return options


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
def can_be_nobody(visible_folders: tuple[Path, ...]) -> bool:
    """Whether student code can be nobody to the machine because the grader is root, and Python works like that."""
    if os.geteuid() != 0:
        return False
    needed = [*_python_folders(), *filter(Path.exists, visible_folders)]
    look = 'for folder; do test -r "$folder" -a -x "$folder" || exit 1; done'
    try:
        with nobody.user_namespace() as namespace:
            options = [*BUBBLEWRAP, *nobody.options(namespace)]
            options += _file_system(visible_folders, Limits(), makes_namespaces=False)
            for command in (["sh", "-c", look, "sh", *map(str, needed)], [sys.executable, "-P", "-c", "pass"]):
                subprocess.run(
                    [*options, *nobody.BECOME, *command],
                    pass_fds=[namespace],
                    capture_output=True,
                    check=True,
                    **nobody.SETTINGS,
                )
    except (OSError, subprocess.SubprocessError):
        return False
    return True


@functools.cache
def bubblewrap_works() -> bool:
    """Whether bubblewrap is installed and may create its namespaces here."""
    if sys.platform != "linux" or not shutil.which("bwrap"):
        return False
    trial = [
        *BUBBLEWRAP,
        "--unshare-user",
        *_file_system((), Limits(), makes_namespaces=False),
        "prlimit",
        "--nproc=9",
        "true",
    ]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def require_sandbox(unsafe: bool) -> None:
    """Raises CourseError where there is no sandbox, unless somebody has said that it is `unsafe` and may be done."""
    if not unsafe and not bubblewrap_works():
        raise CourseError(NO_SANDBOX)


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
        (resource.RLIMIT_NOFILE, limits.files),
        (resource.RLIMIT_CORE, 0),
    ):
        _, ceiling = resource.getrlimit(kind)
        if ceiling != resource.RLIM_INFINITY:
            value = min(value, ceiling)
        resource.setrlimit(kind, (value, value))
