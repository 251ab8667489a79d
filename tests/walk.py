"""Looks for whatever can be written inside the sandbox, and tries it as a busy user: for test_sandbox.py.

As a program, `python walk.py FOLDER` is run by another user than root, who has 300 threads. It grades the notebooks of
FOLDER and prints what it found as JSON.
"""

import contextlib
import json
import os
import sys
import tempfile
import threading
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from autograder.chapter.cells import Notebook
from autograder.wall import warm
from autograder.wall.execute import SandboxedExecute
from autograder.wall.judge import Judge
from autograder.wall.sandbox import Limits
from autograder.wall.student import ColdProcess, StudentGone, StudentSide

THREADS = 300
# Opens for writing and writes nothing. What is mounted read-only cannot be written but for devices and the like, and
# for what is mounted in it in turn.
WALK = """
import os, stat
found = []
seen = 0
def try_file(path):
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY))
        found.append(path)
    except OSError:
        pass
for line in open("/proc/self/mounts"):
    path = line.split()[1].encode().decode("unicode_escape").encode("latin-1").decode()
    if not os.path.isdir(path):
        try_file(path)
for folder, _, _ in os.walk("/"):
    try:
        is_fixed = os.statvfs(folder).f_flag & os.ST_RDONLY
        entries = list(os.scandir(folder))
    except OSError:
        continue
    if os.access(folder, os.W_OK):
        found.append(folder)
    for entry in entries:
        seen += 1
        if entry.is_symlink() or entry.is_dir(follow_symlinks=False):
            continue
        if not is_fixed or not entry.is_file(follow_symlinks=False) or folder.startswith("/proc"):
            try_file(entry.path)
secret = []
for name in os.listdir("/proc"):
    path = "/proc/" + name
    if not name.isdigit() and not os.path.islink(path):
        try:
            if os.listdir(path) if os.path.isdir(path) else open(path).read(1):
                secret.append(name)
        except OSError:
            pass
result = sorted(set(found)), sorted(secret), seen, open("/proc/self/uid_map").read().split()
"""
# New terminals of one's own; nothing else can be made in /dev/pts.
HARMLESS = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "pts/ptmx")}
OWN = ("/tmp", "/dev/shm")
FORK_BOMB = """
import os, time
count = 0
try:
    while count < 600:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        count += 1
except OSError:
    pass
result = count
"""


def walks(kernel: bool = True) -> dict[str, list]:
    """What is writable, by form of sandbox; besides, what of /proc is read, how much was seen, and who one is."""
    kind = warm.Kind((), Limits(), ("decimal",))
    found = {}
    for form in (warm.Fork, ColdProcess):
        with contextlib.ExitStack() as stack:
            if form is ColdProcess:
                other = StudentSide(kind)  # while it has the parent's fork, the next one is a cold process
                other.start()
                stack.callback(other.stop)
            side = StudentSide(kind)
            side.start()
            stack.callback(side.stop)
            assert isinstance(side.process, form)
            found[form.__name__] = run(side, WALK)
    if not kernel:
        return found
    notebook = new_notebook(cells=[new_code_cell(WALK), new_code_cell("import json; print(json.dumps(result))")])
    SandboxedExecute(timeout=200, notebook_timeout=250).preprocess(notebook, {})
    found["kernel"] = json.loads(notebook.cells[1].outputs[0].text)
    return found


def run(side: StudentSide, source: str) -> list:
    _, error = side.run_cell(source, 200)
    assert error is None, error
    return list(side.get("result")[0])


def beyond(writable: list[str]) -> list[str]:
    """What is neither scratch nor harmless."""
    return [path for path in writable if path not in HARMLESS and not path.startswith(OWN)]


def forks_of_a_bomb() -> int:
    """How many processes student code could start, none if that ended it."""
    side = StudentSide(warm.Kind((), Limits(), ("decimal",)))
    side.start()
    try:
        side.run_cell(FORK_BOMB, 100)
        return int(side.get("result")[0])
    except StudentGone:
        return 0
    finally:
        side.stop()


if __name__ == "__main__":
    done = threading.Event()
    for _ in range(THREADS):
        threading.Thread(target=done.wait, daemon=True).start()
    tempfile.tempdir = os.environ["HOME"]
    notebook, reference = (
        Notebook.of(nbformat.read(Path(sys.argv[1], name), 4)) for name in ("answered.ipynb", "reference.ipynb")
    )
    verdicts = Judge(timeout=60).judge(notebook, reference, "a seed")
    print(
        json.dumps(
            {
                "user": os.getuid(),
                "points": [verdict.points for verdict in verdicts],
                "messages": [verdict.message for verdict in verdicts],
                "walks": walks(),
                "forks": forks_of_a_bomb(),
            }
        )
    )
    done.set()
