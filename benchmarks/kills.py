"""Kill what grades a class at random moments, and count the verdicts that are lost, doubled or graded twice.

    python -m benchmarks.kills [rounds] [seed]

Each round grades a class of the small course of the tests and kills one process: the coordinator, a worker, a
student's sandbox, a worker of a Dask cluster or its scheduler. The same command is then run again until it has nothing
left to do. Gradebook and outbox must be those of a run that nobody killed.
"""

import contextlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import nbformat
import psutil
import typer
from nbgrader.api import Gradebook

from autograder.chapter.reference import read_reference
from autograder.course import Course, open_course
from autograder.grading.coordinator import students_to_grade
from autograder.grading.outbox import OUTCOME, RECORD, Outbox, Record
from autograder.grading.work import GradedSubmission

ROOT = Path(__file__).resolve().parent.parent
COORDINATOR, WORKER, SANDBOX = "coordinator", "worker", "sandbox"
CLUSTER_WORKER, SCHEDULER = "worker of the cluster", "scheduler of the cluster"
LOCAL, CLUSTER = (COORDINATOR, WORKER, SANDBOX), (CLUSTER_WORKER, SCHEDULER)
CHAPTER = "01_squares"
ANSWERS = {
    "right": "def square(x):\n    return x * x",
    "slow": "import time\ntime.sleep(0.5)\ndef square(x):\n    return x**2",
    "wrong": "def square(x):\n    return x * abs(x)",
    "untouched": "raise NotImplementedError",
    "sleeps": "import time\ndef square(x):\n    time.sleep(0.2)\n    return x * x",
    "other": "square = lambda x: x * x",
}
MARKS = {"right": 3.0, "slow": 3.0, "wrong": 1.0, "untouched": 0.0, "sleeps": 3.0, "other": 3.0}
MAX_RUNS = 4  # of the command, until it has nothing left to do
SECONDS_FOR_A_RUN = 180


@dataclass
class Damage:
    """What the kills of some rounds did."""

    rounds: Counter[str] = field(default_factory=Counter)
    hit: Counter[str] = field(default_factory=Counter)  # rounds in which the process was there to be killed
    lost: int = 0  # students without all their marks after the last run
    doubled: int = 0  # marks that the gradebook holds more than once
    repeated: int = 0  # finished verdicts that were graded again
    changed: int = 0  # marks that differ from those of a run that nobody killed
    leftovers: int = 0  # processes that outlived their run
    waiting: int = 0  # outcomes and unfinished files left in the outbox

    @property
    def total(self) -> int:
        return self.lost + self.doubled + self.repeated + self.changed + self.leftovers + self.waiting


def hand_in_class(template: Course, folder: Path) -> Course:
    """A copy of a built small course with the class's submissions."""
    shutil.copytree(template.root, folder)
    course = open_course(folder)
    reference = read_reference(course, CHAPTER)
    for student, code in ANSWERS.items():
        path = course.submitted / student / CHAPTER / f"{CHAPTER}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(reference.with_sources({"square": code}).node, path)
    return course


def one_round(course: Course, kind: str, random_numbers: random.Random, seconds: float, damage: Damage) -> None:
    """Grade `course`, kill one process of `kind` in the first half of `seconds`, and grade until all is done."""
    damage.rounds[kind] += 1
    with _cluster() if kind in CLUSTER else contextlib.nullcontext() as machines:
        run = _start(course, machines.address if machines else None)
        family = _wait_and_kill(run, kind, random_numbers, random_numbers.random() * seconds / 2, machines, damage)
        finished = Outbox(course, CHAPTER).records() | {
            outcome.student: Record(
                outcome.submission_digest, outcome.tests_digest, outcome.seconds, outcome.scores, outcome.phases, []
            )
            for outcome in _waiting(course)
        }
        damage.leftovers += len(psutil.wait_procs(family, timeout=15)[1])
    for _ in range(MAX_RUNS):
        if not students_to_grade(course, CHAPTER):
            break
        _start(course, None).wait(SECONDS_FOR_A_RUN)
    _count(course, finished, damage)


def _start(course: Course, scheduler: str | None) -> subprocess.Popen[bytes]:
    where = ["--scheduler", scheduler] if scheduler else ["--jobs", "2"]
    return subprocess.Popen(
        [sys.executable, "-m", "autograder.cli", "grade", CHAPTER, *where],
        cwd=course.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _wait_and_kill(
    run: subprocess.Popen[bytes],
    kind: str,
    random_numbers: random.Random,
    delay: float,
    machines: "Machines | None",
    damage: Damage,
) -> list[psutil.Process]:
    """Wait until grading is on its way, then for `delay`, and kill. Returns all processes that the run had then."""
    deadline = time.monotonic() + 60
    while run.poll() is None and not _victims(run, WORKER, machines) and time.monotonic() < deadline:
        time.sleep(0.02)
    with contextlib.suppress(subprocess.TimeoutExpired):
        run.wait(delay)
    while not (victims := _victims(run, kind, machines)) and run.poll() is None:
        time.sleep(0.01)  # between two submissions there may be none
    family = _family(run.pid) if kind not in CLUSTER else []
    if victims:
        with contextlib.suppress(psutil.NoSuchProcess):
            random_numbers.choice(victims).kill()
            damage.hit[kind] += 1
    try:
        run.wait(SECONDS_FOR_A_RUN)
    except subprocess.TimeoutExpired:
        run.kill()
    return family


def _victims(run: subprocess.Popen[bytes], kind: str, machines: "Machines | None") -> list[psutil.Process]:
    if kind == COORDINATOR:
        return [] if run.poll() is not None else [psutil.Process(run.pid)]
    if machines and kind == SCHEDULER:
        return [psutil.Process(machines.processes[0].pid)]
    if machines and kind == CLUSTER_WORKER:
        nannies = [psutil.Process(process.pid) for process in machines.processes[1:]]
        return [child for nanny in nannies for child in nanny.children() if "spawn_main" in _command(child)]
    owners = [run.pid, *(process.pid for process in (machines.processes if machines else []))]
    family = [process for owner in owners for process in _family(owner)]
    workers = [process for process in family if "autograder.grading.worker" in _command(process)]
    if kind == WORKER:
        return workers
    return [process for worker in workers for process in _family(worker.pid)]


def _family(pid: int) -> list[psutil.Process]:
    try:
        return list(psutil.Process(pid).children(recursive=True))
    except psutil.NoSuchProcess:
        return []


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _waiting(course: Course) -> Iterator[GradedSubmission]:
    """Outcomes in the outbox; other than `Outbox.waiting` this removes nothing."""
    for path in Outbox(course, CHAPTER).folder.glob(f"*/{OUTCOME}"):
        yield GradedSubmission.from_json(path.read_text())


def _count(course: Course, finished: dict[str, Record], damage: Damage) -> None:
    outbox = Outbox(course, CHAPTER)
    records = outbox.records()
    damage.repeated += sum(records.get(student) != record for student, record in finished.items())
    damage.waiting += sum(path.name != RECORD for path in outbox.folder.glob("*/*"))
    with Gradebook(course.database, course.course_id) as gradebook:
        submissions = gradebook.find_assignment(CHAPTER).submissions
        students = Counter(submission.student.id for submission in submissions)
        damage.doubled += sum(number - 1 for number in students.values())
        for submission in submissions:
            grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
            damage.doubled += len(grades) - len({grade.name for grade in grades})
            damage.changed += submission.score != MARKS[submission.student.id]
        graded = {
            submission.student.id
            for submission in submissions
            if all(grade.auto_score is not None for notebook in submission.notebooks for grade in notebook.grades)
            and (course.autograded / submission.student.id / CHAPTER / f"{CHAPTER}.ipynb").is_file()
        }
    damage.lost += len(set(ANSWERS) - (graded & set(records)))


@dataclass
class Machines:
    """A Dask cluster of one scheduler and two workers, as separate processes."""

    address: str
    processes: list[subprocess.Popen[bytes]]


@contextlib.contextmanager
def _cluster() -> Iterator[Machines]:
    with tempfile.TemporaryDirectory(prefix="dask-") as folder:
        told = Path(folder) / "scheduler.json"

        def started(line: list[str]) -> subprocess.Popen[bytes]:
            return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)

        dask = [sys.executable, "-m", "dask"]
        common = ["--scheduler-file", str(told), "--no-dashboard"]
        scheduler = [*dask, "scheduler", "--port", "0", "--host", "127.0.0.1", *common]
        processes = [started(scheduler)]
        worker = [*dask, "worker", "--nthreads", "1", "--local-directory", folder, "--death-timeout", "60", *common]
        try:
            while not told.is_file():
                time.sleep(0.1)
            address = json.loads(told.read_text())["address"]
            processes += [started(worker) for _ in range(2)]
            from distributed import Client

            with Client(address, set_as_default=False) as client:
                client.wait_for_workers(2, timeout=180)
            yield Machines(address, processes)
        finally:
            family = [child for process in processes for child in _family(process.pid)]
            for process in processes:
                process.kill()
                process.wait()
            for child in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()
            psutil.wait_procs(family, timeout=10)


def kill(template: Course, folder: Path, kinds: list[str], seed: int, progress: bool = False) -> Damage:
    """One round for each of `kinds`, in folders below `folder`."""
    random_numbers = random.Random(seed)
    damage = Damage()
    undisturbed = hand_in_class(template, folder / "undisturbed")
    run = _start(undisturbed, None)
    while run.poll() is None and not _victims(run, WORKER, None):
        time.sleep(0.02)
    start = time.monotonic()
    run.wait(SECONDS_FOR_A_RUN)
    seconds = time.monotonic() - start
    _count(undisturbed, {}, damage)
    assert damage.total == 0, f"a run that nobody kills must be in order: {damage}"
    for number, kind in enumerate(kinds):
        course = hand_in_class(template, folder / str(number))
        one_round(course, kind, random_numbers, seconds, damage)
        shutil.rmtree(course.root)
        if progress:
            print(number + 1, kind, damage, flush=True)
    return damage


def main(
    rounds: Annotated[int, typer.Argument(help="How often something is killed.")] = 100,
    seed: Annotated[int, typer.Argument(help="When.")] = 1,
) -> None:
    """Kill parts of the grader while a class is graded, and count what is lost."""
    kinds = [[*LOCAL, *CLUSTER][number % 5] for number in range(rounds)]
    sys.path.insert(0, str(ROOT / "tests"))
    from autograder.authoring.build import build
    from conftest import make_course

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "template").mkdir()
        template = make_course(Path(folder) / "template")
        build(template, CHAPTER)
        damage = kill(template, Path(folder), kinds, seed, progress=True)
    print(f"{'killed':26} {'rounds':>6} {'hit':>5}")
    for kind, number in damage.rounds.items():
        print(f"{kind:26} {number:6} {damage.hit[kind]:5}")
    for name in ("lost", "doubled", "repeated", "changed", "leftovers", "waiting"):
        print(f"{name:26} {getattr(damage, name):6}")
    sys.exit(bool(damage.total))


if __name__ == "__main__":
    typer.run(main)
