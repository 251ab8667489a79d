"""Every attack in tests/attacks/, graded in one batch: none changes a mark, reads a test, harms or stops anything."""

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import socket
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
from attack_files import Attack, read_attacks, with_answer
from bs4 import BeautifulSoup
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory

from autograder.authoring.build import build
from autograder.chapter.reference import read_reference
from autograder.chapter.release import hidden_lines
from autograder.chapter.source import read_chapter
from autograder.course import Course, open_course
from autograder.grading.coordinator import Graded, grade_class
from autograder.grading.marks import marks_of_class, totals
from autograder.grading.work import Work, assignment_of
from autograder.grading.worker import Worker
from autograder.intake.files import Submission
from autograder.pages.feedback import write_feedback
from autograder.quiet import run_quietly
from autograder.wall.trial import run_tests
from conftest import CHAPTER, SETTINGS, TEXT, answered, make_course

ATTACKS = read_attacks()
RIGHT = "def square(x):\n    return x * x"
EARLIER, LAST = "aa_earlier", "zz_honest"  # right submissions, graded before and at the end of the batch
PORT = 47113  # where a server waits that no student code must reach
LARGEST_NOTEBOOK = 8 * 2**20  # bytes of a graded notebook, whatever its cells show
LONGEST_MESSAGE = 3000  # characters that a student is told about one check
# More than these seconds in all and these bytes are for attacks only; small, so that bombs stay small.
BOUNDS = "c.Judge.notebook_timeout = 25\nc.Judge.memory = 2**30\n"
RUNNING = ("javascript:", "vbscript:", "data:text", "http")  # addresses that run or load something
NO_NOTEBOOK = {"notebook_is_a_folder"}  # counts as not handed in
DANGEROUS_TAGS = {"script", "iframe", "object", "embed", "form", "base", "link", "meta", "svg", "style", "frame"}


@dataclass
class Aftermath:
    """What is left after the batch."""

    course: Course
    token: str  # planted where students must not read
    results: dict[str, Graded]
    marks: dict[str, float]
    pages: dict[str, str]
    pages_of_nbgrader: dict[str, str]
    files: tuple[dict[str, str], dict[str, str]]  # digests of submissions and solutions, before and after
    rows: tuple[list[Any], list[Any]]  # what the gradebook holds about the student graded earlier, before and after
    connections: int
    processes: list[str]
    folders: list[str]

    def notebook(self, student: str) -> NotebookNode:
        return nbformat.read(self.course.autograded / student / CHAPTER / f"{CHAPTER}.ipynb", as_version=4)


@pytest.fixture(scope="module", params=[False, pytest.param(True, marks=pytest.mark.thorough)], ids=["", "all-cells"])
def aftermath(
    request: pytest.FixtureRequest, built_course: Course, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Aftermath]:
    """Plant secrets, hand in all attacks, grade them, with cells that only show something or not, and make feedback."""
    folder = tmp_path_factory.mktemp("attacks")
    course = open_course(shutil.copytree(built_course.root, folder / "course"))
    token = f"planted-{secrets.token_hex(8)}"
    (course.root / "nbgrader_config.py").write_text(f"{SETTINGS}{BOUNDS}c.Judge.run_shown = {request.param}\n")
    (course.source / "planted.txt").write_text(token)
    course = open_course(course.root)
    released = json.loads((course.release / CHAPTER / f"{CHAPTER}.ipynb").read_text())
    for student in (EARLIER, LAST):
        path = course.submitted / student / CHAPTER / f"{CHAPTER}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(with_answer(released, f"{RIGHT}\n# {token}")))
    for attack in ATTACKS:
        attack.hand_in(course.submitted / attack.name / CHAPTER, released, CHAPTER)
    temporary = folder / "tmp"
    temporary.mkdir()
    with pytest.MonkeyPatch.context() as patch, listening() as servers:
        patch.setenv("PLANTED", token)
        patch.setenv("TMPDIR", str(temporary))
        patch.setattr(tempfile, "tempdir", str(temporary))
        patch.setenv("MKL_NUM_THREADS", str(os.getpid()))  # one of the few that sandboxes inherit: tells ours apart
        (earlier,) = grade_class(course, CHAPTER, [EARLIER])
        assert not earlier.problem
        before = digests(course), rows_of(course, EARLIER)
        results = {graded.student: graded for graded in grade_class(course, CHAPTER, [*map(name, ATTACKS), LAST])}
        after = digests(course), rows_of(course, EARLIER)
        processes, folders = leftovers(), [path.name for path in temporary.glob("ag-*")]
        connections = sum(accepted(server) for server in servers)
    marks = totals(marks_of_class(course, CHAPTER))["points"].to_dict()
    pages = {path.parts[-3]: path.read_text() for path in write_feedback(course, CHAPTER)}
    yield Aftermath(
        course,
        token,
        results,
        marks,
        pages,
        nbgraders_pages(course, folder / "feedback"),
        (before[0], after[0]),
        (before[1], after[1]),
        connections,
        processes,
        folders,
    )


def name(attack: Attack) -> str:
    return attack.name


@pytest.mark.parametrize("attack", ATTACKS, ids=name)
def test_the_mark_is_the_honest_one(aftermath: Aftermath, attack: Attack) -> None:
    problem = aftermath.results[attack.name].problem
    if attack.name in NO_NOTEBOOK:
        assert "no notebook" in problem
        return
    assert problem == "", "not graded"
    assert aftermath.marks[attack.name] == attack.honest_mark


@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if attack.name not in NO_NOTEBOOK], ids=name)
def test_nothing_leaks_and_nothing_is_live(aftermath: Aftermath, attack: Attack) -> None:
    notebook = aftermath.notebook(attack.name)
    chapter = read_chapter(aftermath.course.chapter_source(CHAPTER))
    secret = [*hidden_lines(chapter), "square(3) ==", "secret_product", aftermath.token]
    shown = "\n".join(texts([cell for cell in notebook.cells if not utils.is_grade(cell)]))
    ours, nbgraders = aftermath.pages[attack.name], aftermath.pages_of_nbgrader[attack.name]
    for page in (
        shown,
        BeautifulSoup(ours, "html.parser").get_text(),
        BeautifulSoup(nbgraders, "html.parser").get_text(),
    ):
        assert [text for text in secret if text in page] == []
    assert live_parts(ours) <= live_parts(aftermath.pages[LAST])
    assert live_parts(nbgraders) <= live_parts(aftermath.pages_of_nbgrader[LAST])
    assert [part for cell in notebook.cells for part in live_parts_of_cell(cell)] == []


@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if attack.name not in NO_NOTEBOOK], ids=name)
def test_what_is_stored_is_small_and_no_file_of_others_is_copied(aftermath: Aftermath, attack: Attack) -> None:
    folder = aftermath.course.autograded / attack.name / CHAPTER
    assert (folder / f"{CHAPTER}.ipynb").stat().st_size < LARGEST_NOTEBOOK
    for cell in aftermath.notebook(attack.name).cells:
        if utils.is_grade(cell):
            assert all(len(output.get("evalue", "")) <= LONGEST_MESSAGE for output in cell.outputs)
    for path in folder.rglob("*"):
        if path.name != f"{CHAPTER}.ipynb" and path.is_file():
            content = path.read_bytes()
            assert b"SQLite format" not in content and b"secret_product" not in content


def test_the_batch_goes_on_to_its_end(aftermath: Aftermath) -> None:
    assert len(aftermath.results) == len(ATTACKS) + 1 >= 46
    assert aftermath.marks[LAST] == aftermath.marks[EARLIER] == 3


def test_the_gradebook_holds_what_it_held_about_others(aftermath: Aftermath) -> None:
    before, after = aftermath.rows
    assert len(before) > 3 and before == after
    assert set(aftermath.marks) == {*map(name, ATTACKS), EARLIER, LAST} - NO_NOTEBOOK


def test_submissions_and_solutions_are_as_they_were(aftermath: Aftermath) -> None:
    before, after = aftermath.files
    assert len(before) > len(ATTACKS) and before == after


def test_nothing_is_left_running_or_lying_about(aftermath: Aftermath) -> None:
    assert aftermath.processes == []
    assert aftermath.folders == []
    assert not Path("/tmp/ag-planted-gadget").exists()


def test_nobody_reached_this_machine(aftermath: Aftermath) -> None:
    assert aftermath.connections == 0


NASTY = (
    "fork_bomb", "hidden_children", "kills_all", "many_restarts", "memory_bomb", "patched_wire", "ports_of_neighbours",
    "segmentation_fault", "socket_buffers", "time_bomb",
)  # fmt: skip


def test_none_takes_anything_from_the_one_that_its_worker_grades_next(built_course: Course, tmp_path: Path) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    (course.root / "nbgrader_config.py").write_text(SETTINGS + BOUNDS)
    course = open_course(course.root)
    assignment = assignment_of(CHAPTER, read_reference(course, CHAPTER), course.nbgrader, "a key")
    released = json.loads((course.release / CHAPTER / f"{CHAPTER}.ipynb").read_text())
    honest = json.dumps(with_answer(released, f"{RIGHT}\nprint(len(open('/proc/net/tcp').readlines()))"))
    worker = Worker()
    try:
        for attack in ATTACKS:
            if attack.name not in NASTY:
                continue
            attack.hand_in(tmp_path / attack.name, released, CHAPTER)
            for content in ((tmp_path / attack.name / f"{CHAPTER}.ipynb").read_bytes(), honest.encode()):
                graded = worker.grade(Work(assignment, "student", Submission(content, "", "", "digest")))
            assert sum(score or 0 for score in graded.scores.values()) == 3, attack.name
            assert '"1\\n"' in graded.notebook, "only the heading: no connection of others is seen"
    finally:
        worker.stop()


def test_exceptions_and_texts_of_theirs_end_no_check_of_ours(tmp_path: Path) -> None:
    """Kinds of tests that the small course lacks: a loop over map, and a message that is the student's object."""
    check = "for given, got in zip([-2, 5], map(square, [-2, 5])):\n    assert got == given**2, got\n"
    course = make_course(
        tmp_path, TEXT.replace('assert square(-2) == 4, "the square of a negative number is positive"', check)
    )
    build(course, CHAPTER)
    answers = {
        "def square(x):\n    if x < 0: raise StopIteration\n    return x * x": "StopIteration",
        "def square(x):\n    return type('T', (), {'__str__': lambda self: __import__('os')._exit(0)})()": "ended",
        "def square(x):\n    return type('T', (), {'__str__': lambda self: 1 / 0})()": "cannot be shown",
        "def square(x):\n    return 'long ' * 10**6": "long long",
    }
    for answer, message in answers.items():
        verdict = run_tests(course, CHAPTER, answered(course, answer))[1]
        assert (verdict.points, verdict.outcome) == (0, "failed")
        assert message in verdict.message and len(verdict.message) <= LONGEST_MESSAGE


@contextlib.contextmanager
def listening() -> Iterator[list[socket.socket]]:
    """Servers on this machine that wait for student code."""
    with socket.socket() as loopback, socket.socket(socket.AF_UNIX) as abstract:
        loopback.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        loopback.bind(("127.0.0.1", PORT))
        abstract.bind("\0planted-socket")
        for server in (loopback, abstract):
            server.listen()
            server.setblocking(False)
        yield [loopback, abstract]


def accepted(server: socket.socket) -> bool:
    try:
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def leftovers() -> list[str]:
    """Sandboxed processes of this test that live longer than a moment after the batch."""
    mark = str(os.getpid())
    found: list[str] = []
    for _ in range(20):
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.pid != os.getpid() and process.environ().get("MKL_NUM_THREADS") == mark:
                    command = " ".join(process.cmdline())
                    if "bwrap" in command or "agent.py" in command or "4711" in command:
                        found.append(command)
        if not found:
            break
        time.sleep(0.1)
    return found


def digests(course: Course) -> dict[str, str]:
    """Names and digests of all files of students and authors; links are not followed."""
    found = {}
    for folder in (course.submitted, course.source, course.release):
        for path in sorted(folder.rglob("*")):
            if path.is_symlink():
                found[str(path)] = str(path.readlink())
            elif path.is_file():
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def rows_of(course: Course, student: str) -> list[Any]:
    """All that the gradebook says about one student's submission."""
    with sqlite3.connect(course.database.removeprefix("sqlite:///")) as database:
        return [
            *database.execute("SELECT * FROM student WHERE id = ?", [student]),
            *database.execute(
                "SELECT submitted_assignment.*, submitted_notebook.*, grade.* FROM submitted_assignment"
                " JOIN submitted_notebook ON submitted_notebook.assignment_id = submitted_assignment.id"
                " JOIN grade ON grade.notebook_id = submitted_notebook.id"
                " WHERE submitted_assignment.student_id = ? ORDER BY grade.id",
                [student],
            ),
            *database.execute("SELECT id, name FROM base_cell ORDER BY id"),
        ]


def nbgraders_pages(course: Course, folder: Path) -> dict[str, str]:
    """What nbgrader's own `generate_feedback` makes of the same graded notebooks."""
    config = course.settings(feedback_directory=str(folder))
    converter = GenerateFeedback(coursedir=CourseDirectory(config=config, assignment_id=CHAPTER), config=config)
    converter.force = True
    run_quietly(converter)
    return {path.parts[-3]: path.read_text() for path in folder.glob(f"*/{CHAPTER}/{CHAPTER}.html")}


def texts(value: Any) -> Iterator[str]:
    """All texts in nested lists and dicts."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts(list(value.values()))
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)


def live_parts(page: str) -> set[str]:
    """Everything in a page that a browser would run, load or obey."""
    found = set()
    document = BeautifulSoup(page, "html.parser")
    for tag in document.find_all(True):
        if tag.name in DANGEROUS_TAGS:
            found.add(str(tag))
        for attribute, value in tag.attrs.items():
            address = "".join(str(value).split()).lower()
            leads_away = attribute in ("src", "href", "cite") and not address.startswith(("#", "data:image/"))
            if leads_away or attribute.startswith("on") or address.startswith(RUNNING):
                found.add(f"{tag.name} {attribute}={value}")
    for quiet in document.find_all(["pre", "code", "script", "style"]):
        quiet.decompose()
    # MathJax makes links out of formulas.
    found |= {"formula with a link"} if "\\href" in document.get_text() else set()
    return found


def live_parts_of_cell(cell: NotebookNode) -> set[str]:
    found = live_parts(cell.source) if cell.cell_type == "markdown" else set()
    for output in cell.get("outputs", []):
        for kind, content in output.get("data", {}).items():
            found |= live_parts(content) if kind == "text/html" else set()
            found |= {kind} - {"text/plain", "text/html", "image/png"}
    return found | ({"attachments"} if cell.get("attachments") else set())
