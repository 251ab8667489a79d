"""The command line's own promises: it starts at once, says its version, and is clear about what is wrong."""

import copy
import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from typer.testing import CliRunner

from autograder import logs
from autograder.cli import app, main
from autograder.course import Course, open_course
from autograder.learner.watch import saved
from autograder.logs import LOG, keep_log
from conftest import CHAPTER, answered

HEAVY = ["torch", "nbgrader", "pandas", "nbformat", "jupytext", "sqlalchemy", "matplotlib", "numpy"]


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output, str(result.exception or "")


def test_help_starts_at_once() -> None:
    program = (
        "import sys\nfrom autograder.cli import main\nsys.argv = ['autograder', '--help']\n"
        f"try:\n    main()\nexcept SystemExit:\n    pass\nprint([name for name in {HEAVY} if name in sys.modules])"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert output.splitlines()[-1] == "[]"
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2  # 0.4 on an idle machine


def test_version() -> None:
    code, output, _ = run("--version")
    assert code == 0 and output.strip().count(".") == 2


def test_a_dead_scheduler_is_an_error_even_if_nothing_is_new(
    built_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.grading.pool.SECONDS_TO_CONNECT", 1)
    monkeypatch.setattr("autograder.grading.coordinator.students_to_grade", lambda *_: [])
    code, _, problem = run("grade", CHAPTER, "--scheduler", "tcp://127.0.0.1:9", "--course", str(built_course.root))
    assert code == 1 and problem.startswith("No Dask scheduler answers at tcp://127.0.0.1:9")


def test_wrong_paths_and_names_say_what_to_do(built_course: Course, tmp_path: Path) -> None:
    course = ["--course", str(built_course.root)]
    for word in (str(tmp_path), "no.ipynb", "77", "07_no"):
        problem = run("check", word, *course)[2]
        assert problem.endswith("does not exist: name a notebook or a chapter; chapters: 01_squares.")
    for command in (["grade", "07_no"], ["feedback", "07_no"], ["report", "07_no"], ["build", "07_no"]):
        problem = run(*command, *course)[2]
        assert problem == "There is no chapter '07_no'; chapters: 01_squares."


def test_a_chapter_is_named_by_number_path_or_folder(built_course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    option = ["--course", str(built_course.root)]
    released = built_course.released(CHAPTER)
    source = f"solutions/{CHAPTER}/{CHAPTER}.py"
    for word in ("1", "01", CHAPTER, f"notebooks/{CHAPTER}/", str(released), str(released.parent), source):
        assert built_course.chapter_meant(word) == CHAPTER
        assert run("build", word, "--check", *option)[1] == f"{CHAPTER}: up to date\n"
    monkeypatch.chdir(released.parent)
    assert built_course.chapter_meant(".") == CHAPTER
    for word in ("02", "0", "101", "01_square", "squares", "", "no/such"):
        assert built_course.chapter_meant(word) == word
        assert run("build", word, *option)[2] == f"There is no chapter {word!r}; chapters: 01_squares."


def test_check_finds_all_chapters_and_shows_a_table(built_course: Course, tmp_path: Path) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    where = ["--course", str(course.root)]
    code, output, _ = run("check", *where)
    (row,) = (line for line in output.splitlines() if CHAPTER in line)
    assert code == 0 and "0 of 1" in row and "0 of 3" in row and "not begun" in row
    mine = tmp_path / f"{CHAPTER} (1).ipynb"
    nbformat.write(answered(course, "def square(x):\n    return abs(x) * x").node, mine)  # negative numbers are wrong
    code, output, _ = run("check", str(mine), "1", *where)
    rows = [line for line in output.splitlines() if CHAPTER in line]
    assert code == 0 and len(rows) == 2
    assert "0 of 1" in rows[0] and "1 of 3" in rows[0] and "not begun" not in rows[0]
    assert "0 of 1" in rows[1] and "0 of 3" in rows[1] and "not begun" in rows[1]
    code, output, _ = run("check", str(mine), "1", "--json", *where)
    begun, untouched = json.loads(output)
    assert code == 0 and [begun[key] for key in ("points", "most_points", "solved", "tasks")] == [1, 3, 0, 1]
    assert {check["aspect"]: check["outcome"] for check in begun["checks"]} == {
        "small numbers": "passed",
        "negative numbers": "failed",
    }
    assert (untouched["points"], untouched["most_points"], untouched["checks"]) == (0, 3, [])
    mine.write_text("no notebook")
    code, output, problem = run("check", str(mine), "1", *where)
    assert code == 1 and "could not be read" in output and problem.startswith(f"Not checked: {mine.name};")
    course.released(CHAPTER).unlink()
    code, _, problem = run("check", *where)
    assert code == 1 and problem.endswith("holds no notebook of a chapter: `autograder build` makes them.")


@pytest.mark.parametrize("what", ["named", "below what is named", "of the course", "full"])
def test_what_the_disk_says_of_the_users_paths_is_one_line_without_control_characters(
    built_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course\x1b[31m"))
    named = tmp_path / "not\x1b[31m"
    error = {
        "named": FileNotFoundError(errno.ENOENT, "No such file", str(named)),
        "below what is named": NotADirectoryError(errno.ENOTDIR, "No folder", str(named / "there")),
        "of the course": PermissionError(errno.EACCES, "Permission denied", str(course.root / "reports")),
        "full": OSError(errno.ENOSPC, "No space left on device"),
    }[what]
    monkeypatch.setattr("autograder.grading.export.export", failing(error))
    words = ["export", str(named), CHAPTER, "--course", str(course.root)]
    line = last_words(monkeypatch, *words)
    assert line.startswith("autograder: ") and f"{error.strerror}: fix that" in line
    assert "\n" not in line and "\x1b" not in line
    assert not (course.state / LOG).exists(), "it is no fault of ours"


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError("division by zero"),
        FileNotFoundError(errno.ENOENT, "No such file", "/nobody/named/this"),
        ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
    ],
)
def test_a_fault_of_ours_is_one_line_that_names_the_log_with_its_traceback(
    built_course: Course,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    monkeypatch.setattr("autograder.pages.report.write_report", failing(error))
    words = ["report", CHAPTER, "--course", str(course.root)]
    line = last_words(monkeypatch, *words)
    log = course.state / LOG
    assert "\n" not in line and type(error).__name__ in line and line.endswith(f"Its traceback is in {log}.")
    kept = log.read_text()
    assert "Traceback (most recent call last)" in kept and "in fails_inside" in kept and str(error) in kept
    assert log.stat().st_mode & 0o077 == 0, "it may quote what students wrote"
    assert "Traceback" not in capsys.readouterr().err
    assert last_words(monkeypatch, "--debug", *words) == line
    assert "in fails_inside" in capsys.readouterr().err
    last_words(monkeypatch, *words)
    assert "Traceback" not in capsys.readouterr().err, "asked for once, not for ever"


def test_debug_shows_where_the_users_mistakes_were_found(
    built_course: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["grade", "07_no", "--course", str(built_course.root)]
    assert last_words(monkeypatch, "--debug", *words).startswith("autograder: There is no chapter '07_no'")
    assert "raise course.no_chapter(chapter)" in capsys.readouterr().err


def test_the_log_does_not_grow_for_ever_and_a_course_that_cannot_be_written_to_keeps_its_traceback(
    built_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    monkeypatch.setattr(logs, "MAX_BYTES", 20_000)
    monkeypatch.setattr("autograder.pages.report.write_report", failing(ZeroDivisionError("x" * 500)))
    words = ["report", CHAPTER, "--course", str(course.root)]
    for _ in range(40):
        last_words(monkeypatch, *words)
    files = sorted(course.state.glob(f"{LOG}*"))
    assert [path.name for path in files] == ["log", "log.1", "log.2", "log.3"]
    assert all(path.stat().st_size <= 20_000 for path in files)
    keep_log(built_course)  # so that the file is opened again
    shutil.rmtree(course.state)
    course.state.write_text("no folder")
    monkeypatch.setattr(sys, "argv", ["autograder", *words])
    with pytest.raises(ZeroDivisionError):
        main()


def test_a_traceback_quotes_no_control_characters_and_ends() -> None:
    try:
        raise ZeroDivisionError("a\x1b[31m\n" + "x" * 10**6 + " the end")
    except ZeroDivisionError as error:
        text = logs.text_of(error)
    assert "\x1b" not in text and len(text) <= logs.MAX_TEXT and text.endswith(" the end")


def failing(error: Exception) -> Callable[..., None]:
    """A function that raises it."""

    def fails_inside(*_: object, **__: object) -> None:
        raise copy.copy(error)  # the same one again would have the tracebacks of all times

    return fails_inside


def last_words(monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    """What `autograder` ends with."""
    monkeypatch.setattr(sys, "argv", ["autograder", *words])
    with pytest.raises(SystemExit) as end:
        main()
    return str(end.value)


def test_nbgrader_finds_its_tools_without_an_activated_environment(built_course: Course, tmp_path: Path) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    nbgrader = Path(sys.executable).with_name("nbgrader")
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    folder = str(nbgrader.parent)
    environment["PATH"] = os.pathsep.join(
        part for part in environment["PATH"].split(os.pathsep) if part != folder and not Path(part, "alembic").exists()
    )
    assert shutil.which("alembic", path=environment["PATH"]) is None
    command = [str(nbgrader), "generate_assignment", CHAPTER, "--force"]
    result = subprocess.run(command, cwd=course.root, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert (course.root / "gradebook.db").exists()


def test_check_reads_names_and_cells(built_course: Course, tmp_path: Path) -> None:
    """Copies, names of no chapter, another chapter, no notebook at all, cells that lost their names."""
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    other = "02_other"
    shutil.copytree(course.source / CHAPTER, course.source / other)
    for suffix in (".py", ".ipynb"):
        (course.source / other / f"{CHAPTER}{suffix}").rename(course.source / other / f"{other}{suffix}")
    reference = nbformat.read(course.reference(other), 4)
    for cell in reference.cells:
        cell.id = f"{cell.id}-2"
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.grade_id += "-2"
    nbformat.write(reference, course.reference(other))
    right = nbformat.writes(answered(course, "def square(x):\n    return x * x").node)

    def check(name: str, content: str) -> tuple[int, str, str]:
        (tmp_path / name).write_text(content)
        return run("check", str(tmp_path / name), "--course", str(course.root))

    for name in (f"{CHAPTER} (1).ipynb", f"{CHAPTER}-Copy1.ipynb", "my answers.ipynb"):
        code, output, _ = check(name, right)
        assert code == 0 and output.splitlines()[-1] == "01_squares: 3 of 3 points, 1 of 1 task complete"
    code, _, problem = check(f"{other}.ipynb", right)
    assert code == 1 and problem.endswith(
        "by its cells this is chapter 01_squares, not 02_other: name it 01_squares.ipynb."
    )
    for content in ("", '{"cells": [', "no notebook", "[]"):
        code, _, problem = check(f"{CHAPTER}.ipynb", content)
        assert code == 1 and problem.startswith(f"{CHAPTER}.ipynb could not be read: ") and "\n" not in problem
    empty = nbformat.writes(nbformat.v4.new_notebook())
    assert "holds no task cell of 01_squares: copy your answers into" in check(f"{CHAPTER}.ipynb", empty)[2]
    assert "is named after no chapter, nor are its cells" in check("homework.ipynb", empty)[2]
    stripped = nbformat.reads(right, 4)
    for number, cell in enumerate(stripped.cells):
        cell.metadata, cell["id"] = {}, f"new-{number}"
    code, output, _ = check(f"{CHAPTER}.ipynb", nbformat.writes(stripped))
    lines = output.splitlines()
    assert lines[0].startswith("Note: Cells had lost their names and were recognised by what they define: square.")
    assert len(lines) == 2 and "3 of 3 points" in lines[1]
    untouched = course.released(CHAPTER).read_text()
    code, output, _ = check(f"{CHAPTER}.ipynb", untouched)
    assert output.splitlines() == ["Not begun: square", "01_squares: 0 of 3 points, 0 of 1 task complete"]
    code, output, _ = check(f"{CHAPTER}.ipynb", nbformat.writes(answered(course, "def square(x)\n    return").node))
    assert output.count("SyntaxError") == 1


def test_who_answers_in_the_released_notebook_itself_sees_what_failed(built_course: Course, tmp_path: Path) -> None:
    """As learners do who cloned the course: what they have written is no longer what they were given."""
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    option = ["--course", str(course.root)]
    released = course.released(CHAPTER)
    assert "not begun" in run("check", *option)[1]
    assert "Not begun: square" in run("check", str(released), *option)[1]
    notebook = nbformat.read(released, as_version=4)
    for cell in notebook.cells:
        if cell.id == "square":
            cell.source = "def square(x):\n    return x * abs(x)"
    nbformat.write(notebook, released)
    for meant in (str(released), str(released.parent), CHAPTER, "01", "1"):
        code, output, _ = run("check", meant, *option)
        assert code == 0 and "negative numbers: the square of a negative number is positive" in output
        assert "Not begun" not in output
    (progress,) = json.loads(run("check", "--json", *option)[1])
    assert (progress["points"], progress["solved"]) == (1, 0)


def test_watch_checks_what_is_saved_and_only_that(built_course: Course, tmp_path: Path) -> None:
    one, other = (tmp_path / f"{name}.ipynb" for name in ("one", "other"))
    for path in (one, other):
        path.write_text("{}")
    rounds = iter(
        [
            lambda: None,
            lambda: one.read_text(),
            lambda: one.write_text("{ }"),
            lambda: other.unlink(),
            lambda: other.write_text("{}"),
            lambda: None,
        ]
    )
    seen = []

    def wait(_: float) -> None:
        if (act := next(rounds, None)) is None:
            raise KeyboardInterrupt
        seen.append("look")
        act()

    with pytest.raises(KeyboardInterrupt):
        for path in saved([one, other], wait):
            seen.append(path.stem)
    assert seen == ["look", "look", "look", "one", "look", "look", "other", "look"]


def test_watch_shows_the_verdicts_after_a_save_and_leaves_quietly(built_course: Course, tmp_path: Path) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    mine = course.released(CHAPTER)
    command = [sys.executable, "-u", "-m", "autograder.cli", "check", "1", "--watch", "--course", str(course.root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        assert watching.stdout and watching.stderr
        try:
            assert next(line for line in watching.stdout if "Waiting until you save 01_squares.ipynb" in line)
            mine.write_text("{")  # half a file is no reason to end
            assert "could not be read" in watching.stderr.readline()
            nbformat.write(answered(course, "def square(x):\n    return abs(x) * x").node, mine)
            lines = list(iter(watching.stdout.readline, "01_squares: 1 of 3 points, 0 of 1 task complete\n"))
            assert any("the square of a negative number is positive" in line for line in lines)
            watching.send_signal(signal.SIGINT)
            rest, problems = watching.communicate(timeout=60)
        finally:
            watching.kill()
    assert watching.returncode == 0 and not rest.strip()
    assert all("could not be read" in line for line in problems.splitlines())  # seen empty, then with one letter


def test_watch_is_for_persons(built_course: Course) -> None:
    code, output, _ = run("check", "--watch", "--json", "--course", str(built_course.root))
    assert code == 2 and "leave --json out" in output
