"""What the judge costs: the same reference notebooks with tests in the kernel and before the judge, in one run.

    python -m benchmarks.judge [rounds]

Prints the median wall time of each and their ratio, for chapter 01 and for a notebook of short cells that uses torch.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from autograder.authoring.build import build
from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Verdict
from autograder.course import Course, open_course
from autograder.wall.trial import run_tests, run_tests_in_kernel

ROOT = Path(__file__).resolve().parent.parent
WALL = "01_wall"


def torch_course(folder: Path) -> Course:
    """A course whose one chapter is the torch notebook of the tests."""
    settings = [f'load_subconfig("nbgrader_config.py", path={str(ROOT)!r})', "c.Authoring.rules = False"]
    (folder / "nbgrader_config.py").write_text("c = get_config()\n" + "\n".join(settings) + "\n")
    source = folder / "solutions" / WALL / f"{WALL}.py"
    source.parent.mkdir(parents=True)
    source.write_text((ROOT / "tests" / "chapters" / f"{WALL}.py").read_text())
    course = open_course(folder)
    build(course, WALL)
    return course


def seconds(run: Callable[[Course, str, Notebook], list[Verdict]], course: Course, chapter: str) -> float:
    """Wall time of grading the reference once; it must get all points."""
    notebook = read_reference(course, chapter)
    start = time.perf_counter()
    verdicts = run(course, chapter, notebook)
    elapsed = time.perf_counter() - start
    assert all(verdict.outcome == "passed" for verdict in verdicts), "the reference must pass"
    return elapsed


def main(rounds: Annotated[int, typer.Argument(help="The median of so many.")] = 5) -> None:
    """A reference in a kernel of ours and through the wall: seconds of each."""
    with tempfile.TemporaryDirectory() as folder:
        notebooks = [(open_course(ROOT), "01_bigrams"), (torch_course(Path(folder)), WALL)]
        print(f"{'notebook':12} {'in kernel, s':>13} {'judge, s':>9} {'ratio':>6}   (medians of {rounds})")
        for course, chapter in notebooks:
            seconds(run_tests, course, chapter)  # imports on our side happen once for a whole class
            pairs = [
                (seconds(run_tests_in_kernel, course, chapter), seconds(run_tests, course, chapter))
                for _ in range(rounds)
            ]
            kernel, judge = (statistics.median(times) for times in zip(*pairs, strict=True))
            print(f"{chapter:12} {kernel:13.2f} {judge:9.2f} {judge / kernel:6.2f}")


if __name__ == "__main__":
    typer.run(main)
