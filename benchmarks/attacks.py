"""The attacks of tests/attacks/ through plain nbgrader and through ours: `python -m benchmarks.attacks`.

Plain nbgrader grades each attack together with one honest submission, in a scratch course of its own and inside
bubblewrap, so that nothing of it reaches this machine; a watchdog ends what takes too long or too much. Ours grades all
of them and the honest one in one batch. Writes docs/attacks.md; takes about ten minutes on two cores.

With `--beside` all tests are judged the weaker way, beside the student's code, and docs/attacks_beside.md is written.
What plain nbgrader makes of an attack is then taken from docs/attacks.md.
"""

import contextlib
import importlib.metadata
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.commands import named_or_all

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import nbformat
import psutil
from attack_files import Attack, read_attacks, with_answer
from bs4 import BeautifulSoup
from nbgrader import utils

from autograder.authoring.build import build
from autograder.chapter.cells import MARK, Way
from autograder.chapter.release import hidden_lines
from autograder.chapter.source import read_chapter
from autograder.course import Course, open_course
from autograder.grading.coordinator import grade_class
from autograder.pages.feedback import write_feedback
from conftest import CHAPTER, ROOT, SETTINGS, make_course

TABLE = ROOT / "docs" / "attacks.md"
HONEST = "zz_honest"
RIGHT = "def square(x):\n    return x * x\n"
PLAIN = """c = get_config()
c.CourseDirectory.course_id = "plain"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", "*.py"]
c.Execute.timeout = 4
"""
PLAIN_SECONDS, PLAIN_MEMORY, PLAIN_PROCESSES = 90, 3 * 2**30, 400
TEMPLATE = """# Attacks: plain nbgrader and ours

What can a hostile notebook do to a grader? We wrote {number} of them, handed each one in, and looked at what it
reached: here, and under plain nbgrader {nbgrader}. [The sandbox](sandbox.md) explains the defence.

| of {number} attacks | plain nbgrader | ours |
|---|---:|---:|
{counts}

Plain nbgrader's feedback page is the executed notebook, hidden tests included. Since it was designed like that, the
last line leaves the page out. Attacks on our own protocol have nothing to attack in plain nbgrader.
`notebook_is_a_folder` hands in no notebook at all, so nobody can give it a mark.

`python -m benchmarks.attacks` wrote this page; do not edit it. The attacks are the files of `tests/attacks/`, and each
says what it tries and which mark would be the honest one. Plain nbgrader met each attack with one honest submission
next to it; ours met all of them in one batch. A cell may run 4 seconds in both. Plain nbgrader was ended after
{seconds} seconds, {memory} GiB or {processes} processes. `tests/test_attacks.py` checks ours on every run, and also
that nothing is left running, no page is live, nobody reached the network, and no other file or row of the gradebook
changed.

| attack | what it tries | plain nbgrader | ours |
|---|---|---|---|
{single}
"""
BESIDE = ROOT / "docs" / "attacks_beside.md"
TEMPLATE_BESIDE = """# Attacks on the weaker way

Some tests of [an adopted course](porting.md) cannot be judged through the wall: they run beside the student's code, in
the same process. What can a hostile notebook reach there? We let all tests of our small course run in this way, and
handed in the {number} notebooks of [the other table](attacks.md) once more.

| of {number} attacks | plain nbgrader | beside the code |
|---|---:|---:|
{counts}

The attacks were written against plain nbgrader and against our wall. None of them was written against this way by
somebody who has read `wall/inside/beside.py`. Such a person can forge a result: these numbers say what the known
tricks reach. These attacks earn or cost marks that they should not, or show something of a test:

| attack | what it tries | plain nbgrader | beside the code |
|---|---|---|---|
{single}

`python -m benchmarks.attacks --beside` wrote this page; do not edit it.
"""
OUR_BOUNDS = "c.Judge.notebook_timeout = 25\nc.Judge.memory = 2**30\n"


@dataclass(frozen=True)
class GradedSubmission:
    """What became of one attack."""

    attack: Attack
    mark: float | None  # None: not graded
    changed: bool  # a mark, the attacker's or the neighbour's, is not the honest one
    leaked: bool  # hidden tests, a solution or a neighbour's answer stand among what the student's cells show
    leaked_by_feedback: bool  # or on the feedback page
    stopped: bool  # the honest neighbour was not graded

    def words(self) -> str:
        kinds = {
            "changed mark": self.changed,
            "ungraded": self.mark is None,
            "leak in outputs": self.leaked,
            "leak in feedback": self.leaked_by_feedback,
            "batch stopped": self.stopped,
        }
        return ", ".join(kind for kind, is_so in kinds.items() if is_so) or "none"


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Attacks; the table is then only printed.")] = None,
    jobs: Annotated[int, typer.Option(help="Worker processes.")] = os.cpu_count() or 1,
    beside: Annotated[bool, typer.Option("--beside", help="Have all tests run beside the code; ours only.")] = False,
) -> None:
    """Grade the attacks with plain nbgrader and with ours, and write docs/attacks.md."""
    known = {attack.name: attack for attack in read_attacks()}
    attacks = [known[name] for name in named_or_all(names, known)]
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder:
        built = Path(folder, "built")
        built.mkdir()
        course = make_course(built)
        build(course, CHAPTER)
        if beside:
            move_tests_beside(course)
        ours = through_ours(course, attacks, Path(folder), jobs)
        plain = [] if beside else through_plain_nbgrader(course, attacks, Path(folder), jobs)
    table = table_beside(ours) if beside else table_of(plain, ours)
    print(table)
    if not names:
        (BESIDE if beside else TABLE).write_text(table)


def move_tests_beside(course: Course) -> None:
    """Have the tests of the built reference run beside the student's code."""
    path = course.reference(CHAPTER)
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if utils.is_grade(cell) and not utils.is_solution(cell):
            cell.metadata[MARK] = {"way": Way.BESIDE.value}
    nbformat.write(notebook, path)


def table_beside(found: list[GradedSubmission]) -> str:
    """The page about the weaker way."""
    rows = [line.split(" | ") for line in TABLE.read_text().splitlines() if line.startswith("| `")]
    plain = {row[0].strip("| `"): row[2] for row in rows}
    names = [one.attack.name for one in found]
    kinds = {
        "marks changed": "changed mark",
        "left ungraded": "ungraded",
        "hidden tests, solution or a neighbour's work in the outputs": "leak in outputs",
        "hidden tests on the feedback page": "leak in feedback",
        "batch stopped or a neighbour left ungraded": "batch stopped",
    }
    there = {kind: sum(kind in plain.get(name, "") for name in names) for kind in kinds.values()}
    here = {kind: sum(kind in one.words() for one in found) for kind in kinds.values()}
    counts = "\n".join(f"| {words} | {there[kind]} | {here[kind]} |" for words, kind in kinds.items())
    single = "\n".join(
        f"| `{one.attack.name}` | {one.attack.what} | {plain.get(one.attack.name, 'not tried')} | {one.words()} |"
        for one in found
        if one.words() != "none"
    )
    return TEMPLATE_BESIDE.format(number=len(found), counts=counts, single=single or "| none | | | |")


def through_ours(built: Course, attacks: list[Attack], folder: Path, jobs: int) -> list[GradedSubmission]:
    """All attacks and the honest submission in one batch."""
    root = shutil.copytree(built.root, folder / "ours")
    (root / "nbgrader_config.py").write_text(SETTINGS + OUR_BOUNDS)
    course = open_course(root)
    for attack in attacks:
        attack.hand_in(course.submitted / attack.name / CHAPTER, released(course), CHAPTER)
    hand_in_honest(course)
    problems = {
        graded.student: graded.problem
        for graded in grade_class(course, CHAPTER, [*(attack.name for attack in attacks), HONEST], jobs)
    }
    write_feedback(course, CHAPTER)
    return [outcome(course, attack, bool(problems[HONEST])) for attack in attacks]


def through_plain_nbgrader(built: Course, attacks: list[Attack], folder: Path, jobs: int) -> list[GradedSubmission]:
    """Each attack with the honest submission in a course of its own."""
    template = shutil.copytree(built.root, folder / "plain")
    (template / "nbgrader_config.py").write_text(PLAIN)
    shutil.rmtree(template / "notebooks")
    nbgrader(template, "generate_assignment", CHAPTER)

    def grade(attack: Attack) -> GradedSubmission:
        root = shutil.copytree(template, folder / f"plain-{attack.name}")
        course = open_course(root)
        attack.hand_in(course.submitted / attack.name / CHAPTER, released(course), CHAPTER)
        hand_in_honest(course)
        ended = nbgrader(root, "autograde", CHAPTER) and nbgrader(root, "generate_feedback", CHAPTER)
        found = outcome(course, attack, stopped=not ended)
        print(f"plain nbgrader: {attack.name}: {found.words()}", file=sys.stderr, flush=True)
        shutil.rmtree(root, ignore_errors=True)
        return found

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(grade, attacks))


def nbgrader(root: Path, *arguments: str) -> bool:
    """Run plain nbgrader in bubblewrap with the course as the only folder it may write. False if it had to be ended."""
    inside = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/"]
    inside += [
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--size",
        str(2**29),
        "--tmpfs",
        "/tmp",
        "--bind",
        str(root),
        str(root),
    ]
    inside += ["--setenv", "HOME", "/tmp", "--unsetenv", "PYTHONPATH", "--chdir", str(root)]
    command = [*inside, sys.executable, "-m", "nbgrader", *arguments]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + PLAIN_SECONDS
    while process.poll() is None:
        if time.monotonic() > end or takes_too_much(process.pid):
            process.kill()
            process.wait()
            return False
        time.sleep(0.2)
    return process.returncode >= 0


def takes_too_much(number: int) -> bool:
    memory, processes = 0, []
    with contextlib.suppress(psutil.Error):
        processes = psutil.Process(number).children(recursive=True)
    for process in processes:
        with contextlib.suppress(psutil.Error):
            memory += process.memory_info().rss
    return memory > PLAIN_MEMORY or len(processes) > PLAIN_PROCESSES


def released(course: Course) -> dict[str, object]:
    return dict(json.loads((course.release / CHAPTER / f"{CHAPTER}.ipynb").read_text()))


def hand_in_honest(course: Course) -> None:
    path = course.submitted / HONEST / CHAPTER / f"{CHAPTER}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(with_answer(released(course), RIGHT + "# planted-by-a-neighbour")))


def outcome(course: Course, attack: Attack, stopped: bool) -> GradedSubmission:
    mark, neighbours = mark_of(course, attack.name), mark_of(course, HONEST)
    changed = mark not in (None, attack.honest_mark) or neighbours not in (None, 3.0)
    secret = [*hidden_lines(read_chapter(course.chapter_source(CHAPTER))), "square(3) ==", "secret_product"]
    secret.append("planted-by-a-neighbour")
    shown = ""
    path = course.autograded / attack.name / CHAPTER / f"{CHAPTER}.ipynb"
    if path.is_file():
        cells = nbformat.read(path, as_version=4).cells
        # Plain nbgrader may have moved tests to where they are no test cells any more: those of the course are known.
        shown = "\n".join(str(cell.get("outputs", "")) for cell in cells if not utils.is_grade(cell))
        shown += "\n".join(cell.source for cell in cells if utils.is_solution(cell) and not utils.is_grade(cell))
    page = course.feedback / attack.name / CHAPTER / f"{CHAPTER}.html"
    feedback = BeautifulSoup(page.read_text(), "html.parser").get_text() if page.is_file() else ""
    return GradedSubmission(
        attack,
        mark,
        changed,
        any(text in shown for text in secret),
        any(text in feedback for text in secret),
        stopped or neighbours is None,
    )


def mark_of(course: Course, student: str) -> float | None:
    """The sum of a student's points; None if there is no graded notebook or if the gradebook lacks a mark."""
    if not (course.autograded / student / CHAPTER / f"{CHAPTER}.ipynb").is_file():
        return None
    with contextlib.closing(sqlite3.connect(course.database.removeprefix("sqlite:///"))) as database:
        rows = database.execute(
            "SELECT grade.auto_score, grade.manual_score, grade.needs_manual_grade FROM grade"
            " JOIN submitted_notebook ON grade.notebook_id = submitted_notebook.id"
            " JOIN submitted_assignment ON submitted_notebook.assignment_id = submitted_assignment.id"
            " WHERE submitted_assignment.student_id = ?",
            [student],
        ).fetchall()
    if not rows or any(automatic is None and by_hand is None for automatic, by_hand, _ in rows):
        return None
    if any(review and by_hand is None for _, by_hand, review in rows):
        return None
    return float(sum(automatic if by_hand is None else by_hand for automatic, by_hand, _ in rows))


def table_of(plain: list[GradedSubmission], ours: list[GradedSubmission]) -> str:
    rows = [
        ("marks changed", lambda outcome: outcome.changed),
        ("left ungraded", lambda outcome: outcome.mark is None),
        ("hidden tests, solution or a neighbour's work in the outputs", lambda outcome: outcome.leaked),
        ("hidden tests on the feedback page", lambda outcome: outcome.leaked_by_feedback),
        ("batch stopped or a neighbour left ungraded", lambda outcome: outcome.stopped),
        ("any of these", lambda outcome: outcome.words() != "none"),
        ("any of these but the feedback page", lambda outcome: outcome.words() not in ("none", "leak in feedback")),
    ]
    counts = "\n".join(f"| {words} | {sum(map(test, plain))} | {sum(map(test, ours))} |" for words, test in rows)
    single = "\n".join(
        f"| `{own.attack.name}` | {own.attack.what} | {theirs.words()} | {own.words()} |"
        for theirs, own in zip(plain, ours, strict=True)
    )
    return TEMPLATE.format(
        nbgrader=importlib.metadata.version("nbgrader"),
        number=len(plain),
        seconds=PLAIN_SECONDS,
        memory=PLAIN_MEMORY // 2**30,
        processes=PLAIN_PROCESSES,
        counts=counts,
        single=single,
    )


if __name__ == "__main__":
    typer.run(main)
