"""What student code can see and do inside the sandbox: nothing that is not its own."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from walk import beyond, forks_of_a_bomb, walks

from autograder.chapter.reference import read_reference
from autograder.course import Course
from autograder.wall import nobody, sandbox, warm
from autograder.wall.execute import SandboxedExecute
from autograder.wall.sandbox import SEEN_IN_PROC, bubblewrap_works, can_be_nobody
from conftest import CHAPTER, ROOT, answered


def run(course: Course, *sources: str, **settings: int) -> list[NotebookNode]:
    """Execute cells in the sandbox and return them with their outputs."""
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    SandboxedExecute(config=course.nbgrader, **settings).preprocess(notebook, {})
    return notebook.cells


def text_of(cell: NotebookNode) -> str:
    return "".join(output.get("text", "") or output.get("evalue", "") for output in cell.outputs)


def test_bubblewrap_works_here() -> None:
    assert bubblewrap_works(), "run `make test` as root once, so that bubblewrap is installed"


def test_sees_no_course_no_home_no_network_no_other_process(built_course: Course, tmp_path: Path) -> None:
    (tmp_path / "secret").touch()
    with socket.create_server(("127.0.0.1", 0)) as server:  # within reach of any process that is not in the sandbox
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
        seen = look_around(built_course, port, tmp_path / "secret")
    assert text_of(seen[0]) == "False False\n"
    assert text_of(seen[1]) == "True []\n"
    assert "refused" in text_of(seen[2]) or "unreachable" in text_of(seen[2])
    assert text_of(seen[3]) == "[]\n"
    assert text_of(seen[4]) == "[] /tmp/work\n"
    assert text_of(seen[5]) == "False False False\n"


def look_around(built_course: Course, port: int, secret: Path) -> list[NotebookNode]:
    """Cells that try to see what lies outside: files, a server, processes, variables."""
    return run(
        built_course,
        f"import os; print(os.path.exists({str(ROOT / 'solutions')!r}), os.path.exists({str(built_course.root)!r}))",
        "import pathlib; print(pathlib.Path('/tmp/work').resolve() == pathlib.Path.cwd(), os.listdir('.'))",
        f"import socket; socket.create_connection(('127.0.0.1', {port}), timeout=2)",
        "print([name for name in os.listdir('/proc') if name.isdigit() and int(name) > 100])",
        "print(sorted(name for name in os.environ if 'KEY' in name or 'TOKEN' in name), os.environ['HOME'])",
        f"print(os.path.exists({str(secret)!r}), os.path.exists('/home'), os.path.exists('/etc/passwd'))",
    )


def test_secrets_of_the_environment_stay_outside(built_course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_TOKEN", "hush")
    (cell,) = run(
        built_course, "import os; print('GRADER_TOKEN' in os.environ, 'hush' in open('/proc/self/environ').read())"
    )
    assert text_of(cell) == "False False\n"


def test_can_import_what_notebooks_need_but_not_write_it(real_course: Course) -> None:
    cells = run(
        real_course,
        "import lmkit, numpy, pandas, matplotlib; print(len(lmkit.load('berkeley').splits['train']) > 0)",
        "import autograder.oracle, autograder.wall",
        "open(lmkit.__file__, 'a')",
        "open('own.txt', 'w').write('x'); print('fine')",
    )
    assert text_of(cells[0]) == "True\n"
    assert "No module named 'autograder.wall'" in text_of(cells[1]), "of the harness only what tests compare with"
    # It is nobody's to write to, and where student code has to be the grader it is read-only.
    assert "Read-only file system" in text_of(cells[2]) or "Permission denied" in text_of(cells[2])
    assert text_of(cells[3]) == "fine\n"


def test_whoever_runs_inside_may_look_into_each_folder_above_what_is_mounted(built_course: Course) -> None:
    """Folders that bubblewrap makes on the way to a mount are its own user's: fonts and the clock's zone were lost."""
    (cell,) = run(
        built_course,
        "import os\n"
        "mounted = [line.split()[1].replace('\\\\040', ' ') for line in open('/proc/self/mounts')]\n"
        "above = {path[:end] for path in mounted for end in range(1, len(path)) if path[end] == '/'}\n"
        "print(len(above) > 3, sorted(path for path in above if not os.access(path, os.X_OK)))",
    )
    assert text_of(cell) == "True []\n"


def test_limits_on_memory_files_and_scratch(built_course: Course) -> None:
    cells = run(
        built_course,
        "data = bytes(20 * 2**30)",
        "open('large', 'wb').write(bytes(65 * 2**20))",
        "[open(f'/tmp/{n}', 'wb').write(bytes(60 * 2**20)) for n in range(6)]",
        "print('still here')",
    )
    assert cells[0].outputs[0].ename == "MemoryError"
    assert "File too large" in text_of(cells[1])
    assert "No space left" in text_of(cells[2])
    assert text_of(cells[3]) == "still here\n"


def test_a_crash_costs_its_own_cell_and_earlier_ones_are_run_again(built_course: Course) -> None:
    cells = run(
        built_course,
        "a = 1",
        "import os; os._exit(3)",
        "print(a + 1)",
        "import os, signal; os.kill(os.getpid(), 9)",
        "print(a)",
    )
    assert cells[1].outputs[0].ename == "crashed"
    assert text_of(cells[2]) == "2\n"
    assert cells[3].outputs[0].ename == "crashed"
    assert text_of(cells[4]) == "1\n"


def test_a_loop_costs_its_own_cell_even_if_it_ignores_interrupts(built_course: Course) -> None:
    stubborn = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    cells = run(built_course, "a = 1", "while True: pass", "print(a)", stubborn, "print(a)", timeout=6)
    assert [cells[n].outputs[-1].get("ename") for n in (1, 3)] == ["timed out", "timed out"]
    assert text_of(cells[2]) == text_of(cells[4]) == "1\n"


def test_a_notebook_has_a_budget_in_all(built_course: Course) -> None:
    notebook = new_notebook(cells=[new_code_cell("import time; time.sleep(3)") for _ in range(4)])
    SandboxedExecute(config=built_course.nbgrader, notebook_timeout=5).preprocess(notebook, {})
    assert notebook.cells[-1].outputs[-1].ename == "not run"


def test_tags_and_module_files_have_no_say(built_course: Course) -> None:
    notebook = new_notebook(
        cells=[
            new_code_cell("open('numpy.py', 'w').write('broken')"),
            new_code_cell("print('ran')", metadata={"tags": ["skip-execution"]}),
            new_code_cell("import numpy; print(numpy.arange(2))"),
        ],
        metadata={"kernelspec": {"name": "bash", "display_name": "bash"}},
    )
    SandboxedExecute(config=built_course.nbgrader).preprocess(notebook, {})
    assert text_of(notebook.cells[1]) == "ran\n"
    assert text_of(notebook.cells[2]) == "[0 1]\n"


def expect_nothing_writable(found: dict[str, list]) -> None:
    assert set(found) >= {"Fork", "ColdProcess"}
    for form, (writable, read_in_proc, seen, _) in found.items():
        assert seen > 5_000, form
        assert {"/dev/null", "/tmp", "/dev/shm"} <= set(writable), form
        assert beyond(writable) == [], form
        assert set(read_in_proc) <= SEEN_IN_PROC, form


def test_nothing_of_the_machine_is_writable() -> None:
    found = walks()
    expect_nothing_writable(found)
    if os.geteuid() == 0 and can_be_nobody(()):
        # To a grader who is root, student code is somebody else: what it runs as inside is that user outside.
        for form in ("ColdProcess", "kernel"):
            assert ["1000", str(nobody.OUTSIDE), "1"] == found[form][3][3:], form
    assert forks_of_a_bomb() <= 256


def test_nor_if_student_code_cannot_be_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where only root may read our Python: it keeps root's number, and must still change nothing."""
    monkeypatch.setattr(sandbox, "can_be_nobody", lambda _: False)
    warm.close()
    expect_nothing_writable(walks(kernel=False))
    warm.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_with_many_threads_gets_the_same(built_course: Course, tmp_path: Path) -> None:
    """Before, a limit that counts all threads of a user gave the whole class 0."""
    for name, notebook in (
        ("answered", answered(built_course, "def square(x):\n    return x * x")),
        ("reference", read_reference(built_course, CHAPTER)),
    ):
        nbformat.write(notebook.node, tmp_path / f"{name}.ipynb")
    tmp_path.chmod(0o755)
    # Python and this clone may be where only root may look, or below the /tmp that the other user gets for itself:
    # the way to them is made here anew, and leads to nothing else.
    home, hidden = "/tmp/home", [Path("/tmp"), Path("/root")]
    command = ["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--die-with-parent", "--cap-add", "ALL"]
    command += ["--perms", "1777", "--tmpfs", "/tmp", "--perms", "0777", "--dir", home]
    command += ["--perms", "0755", "--tmpfs", "/root"]
    command += ["--ro-bind", str(tmp_path), "/tmp/notebooks"]
    for path in sorted({Path(sys.base_prefix), Path(sys.prefix).resolve(), ROOT}):
        if any(path.is_relative_to(folder) for folder in hidden):
            for above in [*reversed(path.parents)][2:]:
                command += ["--perms", "0755", "--dir", str(above)]
            command += ["--ro-bind", str(path), str(path)]
    command += ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups", "--inh-caps=-all"]
    command += [sys.executable, str(ROOT / "tests" / "walk.py"), "/tmp/notebooks"]
    environment = {"HOME": home, "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["user"] == 65533
    assert sum(found["points"]) == 3, found["messages"]
    expect_nothing_writable(found["walks"])
    assert found["forks"] <= 256
