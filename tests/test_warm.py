"""The warm parent: forks are quick and alike, and none can see, slow or outlive another, or reach the parent."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Outcome
from autograder.course import Course
from autograder.learner.early import start_early
from autograder.wall import warm
from autograder.wall.faults import OurFault
from autograder.wall.sandbox import Limits
from autograder.wall.student import ColdProcess, StudentGone, StudentSide
from autograder.wall.trial import run_tests
from conftest import CHAPTER, answered

MODULES = ("numpy", "matplotlib.pyplot", "torch", "no_such_module")


@pytest.fixture
def side() -> Iterator[StudentSide]:
    side = StudentSide(warm.Kind((), Limits(memory=4 * 2**30), MODULES))
    yield side
    side.stop()


@pytest.fixture(autouse=True, scope="module")
def last_parent() -> Iterator[None]:
    yield
    warm.close()


def run(side: StudentSide, source: str) -> Any:
    """Run a cell there and return its `result`."""
    _, error = side.run_cell(source, 20)
    assert error is None, error
    return side.get("result")[0]


def in_fresh_fork(side: StudentSide, source: str) -> Any:
    side.start()
    assert isinstance(side.process, warm.Fork)
    return run(side, source)


def test_a_fork_has_the_modules_and_is_quick(side: StudentSide) -> None:
    imported = "import sys; result = [name in sys.modules for name in ('torch', 'matplotlib.pyplot', 'pandas')]"
    assert in_fresh_fork(side, imported) == [True, True, False]
    work = "import time; start = time.process_time(); import torch; torch.ones(3); result = time.process_time() - start"
    assert in_fresh_fork(side, work) < 0.5, "importing torch alone takes longer"


def test_the_prelude_runs_beforehand_and_leaves_no_names() -> None:
    side = StudentSide(
        warm.Kind((), Limits(), ("decimal",), "import decimal\ndecimal.getcontext().prec = 7\nraise ValueError")
    )
    assert in_fresh_fork(side, "import decimal; result = decimal.getcontext().prec") == 7
    assert side.get("decimal") and not side.get("__prelude__")
    side.stop()


def test_a_parent_that_was_started_early_is_the_one_that_the_judge_asks(real_course: Course) -> None:
    """Else the head start of `autograder check` would cost time instead."""
    chapter = real_course.chapters()[0]
    start_early(real_course, Path(f"{chapter} (1).ipynb"))
    early = warm._parent
    assert early is not None and early.forks == 0
    run_tests(real_course, chapter, read_reference(real_course, chapter))
    assert warm._parent is early and early.forks > 0


def test_folders_below_tmp_stay_in_place_and_read_only(tmp_path: Path) -> None:
    folder = tmp_path / "with a blank and an é"
    folder.mkdir()
    (folder / "late.py").write_text("value = 5")
    side = StudentSide(warm.Kind((folder,), Limits(), ("decimal",)))
    look = f"""
import os, sys
sys.path.append({str(folder)!r})
import late
try:
    open({str(folder / "left")!r}, "w")
    result = "writable"
except OSError:
    result = late.value, os.listdir("/dev/shm")
"""
    assert str(tmp_path).startswith("/tmp/") and in_fresh_fork(side, look) == (5, [])
    side.stop()


def test_figures_are_shown_as_in_a_notebook(side: StudentSide) -> None:
    side.start()
    outputs, _ = side.run_cell("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", 20)
    assert "image/png" in outputs[-1]["data"]
    outputs, _ = side.run_cell("plt.plot([1, 2]);", 20, pictures=False)
    assert outputs[-1]["data"] == {"text/plain": "<Figure size 640x480 with 1 Axes>"}
    outputs, _ = side.run_cell("plt.plot([1, 2]);", 20)
    assert "image/png" in outputs[-1]["data"]


def test_forks_share_no_file_no_memory_and_no_variable(side: StudentSide) -> None:
    leave = """
import builtins, multiprocessing.shared_memory, os, tempfile, torch
result = []
for folder in ("/tmp", "/dev/shm", "/tmp/work", "/dev", "/", "/agent", "/var", "/run", "/etc"):
    try:
        open(folder + "/left", "w").write("x")
        result.append(folder)
    except OSError:
        pass
memory = multiprocessing.shared_memory.SharedMemory("left_in_memory", create=True, size=10)
builtins.left = torch.left = 1
"""
    assert in_fresh_fork(side, leave) == ["/tmp", "/dev/shm", "/tmp/work"]
    look = """
import builtins, os, torch
result = [
    path for folder in ("/tmp", "/dev/shm", "/tmp/work", "/dev", "/") for path in os.listdir(folder) if "left" in path
]
result += [hasattr(builtins, "left"), hasattr(torch, "left")]
"""
    assert in_fresh_fork(side, look) == [False, False]


def test_forks_draw_what_their_seed_says(side: StudentSide) -> None:
    draw = """
import random, numpy, torch
result = [random.random(), numpy.random.rand(), torch.rand(1).item(), numpy.random.default_rng().random()]
"""
    drawn = []
    for seed in ("one", "two", "one"):
        side.start()
        side.deadline = time.monotonic() + 20
        side.follow(seed)
        drawn.append(run(side, draw))
    assert drawn[0] == drawn[2] and not set(drawn[0]) & set(drawn[1])
    side.follow("one")
    assert run(side, draw) == drawn[0], "a seed starts the draws anew, also in the middle"


def test_a_fork_cannot_reach_its_parent(side: StudentSide) -> None:
    attack = """
import os, signal, stat
result = {"sockets": 0, "read": []}
for name in os.listdir("/proc/self/fd"):
    try:
        result["sockets"] += stat.S_ISSOCK(os.stat(f"/proc/self/fd/{name}").st_mode)
    except OSError:
        pass
me = int(os.readlink("/proc/self"))
for process in map(int, filter(str.isdigit, os.listdir("/proc"))):
    for file in ("mem", "environ", "fd", "root/usr") if process < me - 1 else ():
        try:
            path = f"/proc/{process}/{file}"
            os.listdir(path) if file in ("fd", "root/usr") else open(path, "rb")
            result["read"].append((process, file))
        except OSError:
            pass
    for target in {process, 1, os.getppid()} - {me, os.getpid()}:
        try:
            os.kill(target, signal.SIGKILL)
        except OSError:
            pass
"""
    found = in_fresh_fork(side, attack)
    assert found["sockets"] == 1 and found["read"] == [], found
    parent = warm._parent
    assert in_fresh_fork(side, "result = 1") == 1
    assert warm._parent is parent


def test_namespaces_capabilities_and_keys_are_out_of_reach(side: StudentSide) -> None:
    attack = """
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
calls = {"x86_64": (56, 435, 272, 248, 319), "aarch64": (220, 435, 97, 217, 279)}[platform.machine()]
clone, clone3, unshare, add_key, memfd_create = calls
result = {
    "clone": libc.syscall(clone, 0x10000000 | 17, 0, 0, 0, 0),
    "clone3": libc.syscall(clone3, 0, 0),
    "unshare": libc.unshare(0x10000000),
    "unshare by its other number": libc.syscall(0x40000000 | unshare, 0x10000000),
    "reason": -1 if ctypes.get_errno() == 1 else 0,  # not permitted, rather than unknown to this Linux
    "add_key": libc.syscall(add_key, b"user", b"left", b"x", 1, -3),
    "memfd_create": libc.syscall(memfd_create, b"left", 0),
    "sched_setaffinity": libc.sched_setaffinity(0, 8, b"\\xff" * 8),
    "mount": libc.mount(b"tmpfs", b"/tmp/work", b"tmpfs", 0, None),
}
capabilities = [line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")]
"""
    assert set(in_fresh_fork(side, attack).values()) == {-1}
    assert set(side.get("capabilities")[0]) == {"0" * 16}


def test_what_a_fork_started_ends_with_it(side: StudentSide) -> None:
    start_daemon = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    while True:
        time.sleep(0.01)
result = 1
"""
    in_fresh_fork(side, start_daemon)
    assert isinstance(side.process, warm.Fork)
    time.sleep(0.3)
    family = side.process.family()
    assert len(family) >= 2
    side.stop()
    assert not any(is_alive(process) for process in family)
    assert side.process is None


def is_alive(process: psutil.Process) -> bool:
    """A process that has ended is no more than a line in a list until the parent has read it there."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_two_sides_at_once_never_share_a_parent(side: StudentSide) -> None:
    side.start()
    other = StudentSide(side.kind)
    other.start()
    try:
        assert isinstance(side.process, warm.Fork) and isinstance(other.process, ColdProcess)
        assert run(side, "result = 1") == run(other, "result = 1") == 1
    finally:
        other.stop()


def test_a_fork_that_takes_too_much_memory_ends_alone(side: StudentSide) -> None:
    side.start()
    parent = warm._parent
    hoard = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        hoard = b"x" * 10**9
        time.sleep(30)
time.sleep(30)
"""
    with pytest.raises(StudentGone, match="GiB of memory"):
        side.run_cell(hoard, 20)
    assert in_fresh_fork(side, "result = 1") == 1 and warm._parent is parent


def test_what_an_earlier_process_was_ended_for_says_nothing_of_the_next_one(side: StudentSide) -> None:
    """The watcher may be late: the judge has started another process already."""
    side.start()
    earlier = side.process
    assert earlier is not None
    side.start()
    side._kill_for(earlier, "Your code used more than 8 GiB of memory.")
    with pytest.raises(StudentGone, match="ended the Python process") as gone:
        side.run_cell("import os; os._exit(1)", 20)
    assert gone.value.reason == Outcome.CRASHED, "only that is tried again"


def test_a_fork_that_ends_right_after_its_greeting_is_our_fault_and_tried_again(
    built_course: Course, side: StudentSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the kernel ends one when memory is short."""
    family, deaths = warm.Fork.family, []

    def dies_first(fork: warm.Fork) -> list[psutil.Process]:
        if not deaths:
            deaths.append(fork.process)
            fork.kill()
            while psutil.pid_exists(fork.process):
                time.sleep(0.01)
        return family(fork)

    monkeypatch.setattr(warm.Fork, "family", dies_first)
    with pytest.raises(OurFault, match="did not start"):
        side.start()
    assert deaths and side.process is None
    deaths.clear()
    verdicts = run_tests(built_course, CHAPTER, answered(built_course, "def square(x):\n    return x * x"))
    assert deaths and [verdict.outcome for verdict in verdicts] == [Outcome.PASSED, Outcome.PASSED]


def test_the_parent_is_renewed_after_many_forks_and_when_it_dies(
    side: StudentSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "MAX_FORKS", 2)
    warm.close()
    parents = []
    for _ in range(3):
        side.start()
        parents.append(warm._parent)
    assert parents[0] is parents[1] is not parents[2]
    assert parents[0].process.poll() is not None
    for process in parents[2].process, *psutil.Process(parents[2].process.pid).children(recursive=True):
        process.kill()
    with pytest.raises(StudentGone):
        run(side, "result = 1")
    assert in_fresh_fork(side, "result = 1") == 1


def test_a_module_that_starts_a_thread_means_cold_processes(tmp_path: Path) -> None:
    (tmp_path / "restless.py").write_text(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()"
    )
    variables = (("PYTHONPATH", str(tmp_path)),)
    side = StudentSide(warm.Kind((tmp_path,), Limits(), ("numpy", "restless"), environment=variables))
    side.start()
    assert isinstance(side.process, ColdProcess)
    assert run(side, "result = 1") == 1
    side.stop()


def test_closing_leaves_no_process(side: StudentSide) -> None:
    side.start()
    assert warm._parent is not None
    family = psutil.Process(warm._parent.process.pid).children(recursive=True)
    assert family
    side.stop()
    warm.close()
    psutil.wait_procs(family, timeout=3)
    assert not any(is_alive(process) for process in family)
