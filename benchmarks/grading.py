"""What grading a class costs: the same submissions through plain `nbgrader autograde` and through `autograder grade`.

    python -m benchmarks.grading compare [CHAPTER ...] [--submissions 48] [--plain 2] [--jobs 2]
    python -m benchmarks.grading curve [--sizes 50,200,1000] [--jobs 2]
    python -m benchmarks.grading cluster [--submissions 200] [--jobs 2]
    python -m benchmarks.grading honest CHAPTER [--submissions 60] [--jobs 8]

`compare` grades all chapters and a torch notebook of short cells both ways in one run, checks that marks are equal,
prints the ratio and the parts of the time, and draws them. Of plain nbgrader only the first `--plain` submissions are
graded. Both train at the size of `LMKIT_BUDGET=grading`. `curve` grades classes of several sizes and
prints cost for each submission, the coordinator's memory, and what was left behind. `cluster` grades one class in the
local pool and on a Dask cluster of this machine. `honest` grades right answers of the bank with more workers than
cores: every one must have full marks, however long it had to wait.
"""

import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import nbformat
import psutil
import typer
from distributed import LocalCluster

from autograder.authoring.bank import read_bank
from autograder.chapter.reference import read_reference
from autograder.course import Course, open_course
from autograder.grading.coordinator import students_to_grade
from autograder.grading.marks import marks_of_class, totals
from autograder.grading.outbox import Outbox
from benchmarks.judge import WALL, torch_course

ROOT = Path(__file__).resolve().parent.parent
ALONE = "OPENBLAS_NUM_THREADS"
os.environ["LMKIT_BUDGET"] = "grading"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != ALONE}  # of what is measured
RESULTS = Path(__file__).resolve().parent / "results"
LONGEST = 120  # seconds that a notebook may take by itself
HARDENED = f'load_subconfig("nbgrader_config.py", path={str(ROOT)!r})\n'
# What a course has that uses nbgrader as it comes.
PLAIN = """c = get_config()
c.CourseDirectory.course_id = "counts-to-transformers"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", "*.py"]
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
"""
app = typer.Typer(add_completion=False)


@dataclass(frozen=True)
class Run:
    """A graded class: seconds and seconds of CPU, of everything that ran for it."""

    wall: float
    cpu: float
    memory: int = 0  # of the coordinator at most, bytes
    memory_at_work: int = 0  # the same while it has workers: before it prints the table of the class
    leftovers: int = 0


def course_with(folder: Path, origin: Course, chapter: str, submissions: dict[str, str], settings: str) -> Course:
    """A course of one chapter with these submissions."""
    folder.mkdir()
    (folder / "nbgrader_config.py").write_text(settings)
    for part in (origin.source, origin.release):
        shutil.copytree(part / chapter, folder / part.name / chapter)
    course = open_course(folder)
    for student, text in submissions.items():
        path = course.submitted / student / chapter / f"{chapter}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return course


def make_submissions(origin: Course, chapter: str, number: int) -> dict[str, str]:
    """The reference with some tasks left out; the same for the same number.

    Other answers, right or wrong, can take a hundred times as long, and would measure themselves, both ways.
    """
    reference = read_reference(origin, chapter)
    tasks = [cell.name for cell in reference.answers]
    submissions = {}
    for position in range(number):
        left_out = random.Random(position).sample(tasks, k=position % 4)
        notebook = reference.with_sources(dict.fromkeys(left_out, "raise NotImplementedError"))
        submissions[f"student{position:04}"] = nbformat.writes(notebook.node)
    return submissions


def run(command: list[str], course: Course) -> Run:
    """Run a command to its end; what it started is counted once it has been waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    arguments = [sys.executable, "-m", *command]
    process = subprocess.Popen(arguments, cwd=course.root, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    memory, at_work, family = 0, 0, set()
    watched = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            now, children = watched.memory_info().rss, set(watched.children(recursive=True))
            memory = max(memory, now)
            at_work = max(at_work, now if children else 0)
            family |= children
        except psutil.NoSuchProcess:
            break
        time.sleep(0.5)
    if process.wait():
        raise SystemExit(f"{' '.join(command)} failed")
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Run(wall, cpu, memory, at_work, sum(process.is_running() for process in family))


def plain_run(course: Course, chapter: str) -> Run:
    """`nbgrader autograde`, less what it needs before the first submission."""
    generate = [sys.executable, "-m", "nbgrader", "generate_assignment", chapter, "--force"]
    subprocess.run(generate, cwd=course.root, check=True, capture_output=True)
    return run(["nbgrader", "autograde", chapter, "--log-level=CRITICAL"], course)


def marks(course: Course, chapter: str) -> dict[str, float]:
    points = totals(marks_of_class(course, chapter))["points"]
    return {str(student): float(value) for student, value in points.items()}


def floor(origin: Course, chapter: str, submissions: dict[str, str]) -> float:
    """Mean CPU seconds of the student's and the test cells alone, in forks of a process that has the imports done."""
    import matplotlib

    matplotlib.use("agg")
    from IPython.core.interactiveshell import InteractiveShell

    import lmkit  # noqa: F401

    if "torch" in submissions[min(submissions)]:
        import torch

        torch.optim.AdamW([torch.zeros(1, requires_grad=True)])
    notebooks = [nbformat.reads(text, as_version=4) for text in submissions.values()]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for notebook in notebooks:
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            signal.alarm(LONGEST)
            shell = InteractiveShell.instance()
            for cell in notebook.cells:
                if cell.cell_type == "code":
                    shell.run_cell(cell.source)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            raise SystemExit(f"a notebook ended with {status}: an answer that does not end, perhaps")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) / len(notebooks)


def parts(course: Course, chapter: str, wall: float, jobs: int) -> dict[str, float]:
    """Mean seconds of a submission's parts. What no part accounts for is start, import and the gradebook."""
    records = Outbox(course, chapter).records().values()
    means = {name: statistics.fmean(r.phases[name] for r in records) for name in next(iter(records)).phases}
    return means | {"start, import, gradebook": wall * jobs / len(records) - sum(means.values())}


@app.command()
def compare(
    chapters: Annotated[list[str] | None, typer.Argument(help=f"Default: all, and the torch notebook {WALL}.")] = None,
    submissions: Annotated[int, typer.Option(help="Submissions of each chapter.")] = 48,
    plain: Annotated[int, typer.Option(help="How many of them plain nbgrader grades.")] = 2,
    jobs: Annotated[int, typer.Option(help="Worker processes of `autograder grade`.")] = 2,
) -> None:
    """Plain nbgrader beside `autograder grade`."""
    split: dict[str, dict[str, float]] = {}
    this_course = open_course(ROOT)
    columns = f"{'plain, s':>9} {'ours, s':>8} {'ratio':>6} {'CPU: plain':>11} {'ours':>6} {'cells alone':>12}"
    print(f"{'each of ' + str(submissions):14} {columns}   marks")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "torch").mkdir()
        torch_notebook = torch_course(Path(folder) / "torch")
        for chapter in chapters or [*this_course.chapters(), WALL]:
            origin = torch_notebook if chapter == WALL else this_course
            texts = make_submissions(origin, chapter, submissions)
            few = dict(list(texts.items())[:plain])
            ours = course_with(Path(folder) / f"ours-{chapter}", origin, chapter, texts, HARDENED)
            theirs = course_with(Path(folder) / f"plain-{chapter}", origin, chapter, few, PLAIN)
            slow = plain_run(theirs, chapter)
            fast = run(["autograder.cli", "grade", chapter, "--jobs", str(jobs)], ours)
            expected, received = marks(theirs, chapter), marks(ours, chapter)
            unequal = [student for student in few if expected[student] != received[student]]
            base = floor(origin, chapter, few)
            each, each_plain = fast.wall / submissions, slow.wall / len(few)
            split[chapter] = parts(ours, chapter, fast.wall, jobs)
            print(
                f"{chapter:14} {each_plain:9.2f} {each:8.2f} {each_plain / each:6.1f} "
                f"{slow.cpu / len(few):11.2f} {fast.cpu / submissions:6.2f} {base:12.2f}   "
                f"{f'{unequal} differ' if unequal else 'equal'}",
                flush=True,
            )
    for chapter, seconds in split.items():
        print(f"{chapter:14}", ", ".join(f"{name} {value:.3f}" for name, value in seconds.items()), "s of a worker")
    RESULTS.mkdir(exist_ok=True)
    draw(split, RESULTS / "grading.png")


def draw(split: dict[str, dict[str, float]], path: Path) -> None:
    """The parts of each chapter as one bar."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 0.8 * len(split) + 1.5), layout="constrained")
    left = dict.fromkeys(split, 0.0)
    for name in next(iter(split.values())):
        seconds = [values[name] for values in split.values()]
        axes.barh(list(split), seconds, left=list(left.values()), label=name)
        left = {chapter: left[chapter] + value for chapter, value in zip(split, seconds, strict=True)}
    axes.set_xlabel("seconds of a worker for each submission")
    axes.invert_yaxis()
    figure.legend(ncols=5, fontsize="small", loc="outside lower center", frameon=False)
    figure.savefig(path, dpi=120)
    print(f"drawn: {path.relative_to(ROOT)}")


@app.command()
def curve(
    sizes: Annotated[str, typer.Option(help="Sizes of classes.")] = "50,100,200,500,1000",
    jobs: Annotated[int, typer.Option(help="Worker processes.")] = 2,
    chapter: Annotated[str, typer.Option(help=f"Chapter of this course, or the torch notebook {WALL}.")] = WALL,
) -> None:
    """Cost of each submission in classes of several sizes."""
    torch_folder = tempfile.mkdtemp()
    origin = torch_course(Path(torch_folder)) if chapter == WALL else open_course(ROOT)
    columns = f"{'size':>6} {'s each':>8} {'CPU each':>9} {'MiB at work, at most':>21} "
    print(f"{columns}{'processes':>10} {'files':>6} {'sockets':>8}   left")
    rows = []
    for size in map(int, sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            temporary, sockets = set(Path(tempfile.gettempdir()).iterdir()), unix_sockets()
            course = course_with(
                Path(folder) / "course", origin, chapter, make_submissions(origin, chapter, size), HARDENED
            )
            done = run(["autograder.cli", "grade", chapter, "--jobs", str(jobs)], course)
            left = students_to_grade(course, chapter)
            new = {path for path in set(Path(tempfile.gettempdir()).iterdir()) - temporary if path.name[:3] == "ag-"}
            row = [size, done.wall / size, done.cpu / size]
            memory = f"{done.memory_at_work / 2**20:.0f}, {done.memory / 2**20:.0f}"
            rows.append(row)
            print(
                f"{row[0]:6} {row[1]:8.3f} {row[2]:9.3f} {memory:>21} {done.leftovers:10} {len(new):6} "
                f"{max(0, unix_sockets() - sockets):8}   {len(left)} not graded",
                flush=True,
            )
    shutil.rmtree(torch_folder)
    if len(rows) > 1:
        (small, first), (large, last) = ((row[0], row[0] * row[1]) for row in (rows[0], rows[-1]))
        print(f"each one more between {small} and {large}: {(last - first) / (large - small):.3f} s")


@app.command()
def cluster(
    submissions: Annotated[int, typer.Option(help="Submissions of the torch notebook.")] = 200,
    jobs: Annotated[int, typer.Option(help="Worker processes, here and there.")] = 2,
) -> None:
    """The local pool beside a Dask cluster of as many workers on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "torch").mkdir()
        origin = torch_course(Path(folder) / "torch")
        texts = make_submissions(origin, WALL, submissions)
        courses = [course_with(Path(folder) / name, origin, WALL, texts, HARDENED) for name in ("local", "dask")]
        local = run(["autograder.cli", "grade", WALL, "--jobs", str(jobs)], courses[0])
        with LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None) as dask:
            distant = run(["autograder.cli", "grade", WALL, "--scheduler", dask.scheduler_address], courses[1])
        equal = marks(courses[0], WALL) == marks(courses[1], WALL)
        print(f"{submissions} submissions: local {local.wall:.1f} s, Dask {distant.wall:.1f} s")
        print(f"throughput of Dask against the local pool {local.wall / distant.wall:.2f}, marks equal: {equal}")


@app.command()
def honest(
    chapter: Annotated[str, typer.Argument(help="Chapter, as its folder is called.")],
    submissions: Annotated[int, typer.Option(help="How many are made up.")] = 60,
    jobs: Annotated[int, typer.Option(help="Worker processes.")] = 8,
    seed: Annotated[int, typer.Option(help="Which right answers meet in one submission.")] = 1,
) -> None:
    """Right answers on a busy machine: how many of them have full marks."""
    origin, rng = open_course(ROOT), random.Random(seed)
    reference = read_reference(origin, chapter)
    right = {
        task: [answer.source for answer in answers if not answer.caught_by]
        for task, answers in read_bank(origin, chapter).items()
    }
    texts = {
        f"student{number:04}": nbformat.writes(
            reference.with_sources({task: rng.choice(sources) for task, sources in right.items() if sources}).node
        )
        for number in range(submissions)
    }
    with tempfile.TemporaryDirectory() as folder:
        course = course_with(Path(folder) / "honest", origin, chapter, texts, HARDENED)
        graded = run(["autograder.cli", "grade", chapter, "--jobs", str(jobs)], course)
        points = marks(course, chapter)
    full = sum(test.points for test in reference.tests)
    reached = sum(value == full for value in points.values())
    print(f"{chapter}: {reached} of {len(points)} have all {full:g} points, the last one has {min(points.values()):g}")
    print(f"{graded.wall:.0f} s with {jobs} workers, load {os.getloadavg()[1]:.1f}")


def unix_sockets() -> int:
    """How many Unix sockets this machine has open."""
    path = Path("/proc/net/unix")
    return len(path.read_text().splitlines()) if path.is_file() else 0


if __name__ == "__main__":
    if ALONE not in os.environ:  # `floor` forks this process, which must have no threads when NumPy is imported
        os.execve(
            sys.executable, [sys.executable, "-m", "benchmarks.grading", *sys.argv[1:]], {**os.environ, ALONE: "1"}
        )
    app()
