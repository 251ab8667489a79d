"""Other people's courses, here and under plain nbgrader: `python -m benchmarks.public_courses table FOLDER ...`.

    python -m benchmarks.public_courses ways FOLDER ...     how each test of these courses is judged
    python -m benchmarks.public_courses table FOLDER ...    marks of references and damaged copies, here and there
    python -m benchmarks.public_courses speed FOLDER ...    a class of 24 copies, here and there

A folder is a clone of a course: one with a source folder of nbgrader's, or just folders of notebooks with tests in
them. It is copied before anything is done with it. `table` hands in each reference and six damaged copies of it: an
answer emptied, wrong, hanging, crashing; a test edited (and an answer emptied); the cells of a task deleted. Of plain
nbgrader a copy that hangs has a few seconds for a cell, as here.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, NamedTuple

import nbformat
import typer
from nbformat import NotebookNode

from autograder.chapter.cells import Notebook, Way
from autograder.chapter.reference import read_reference
from autograder.course import Course, CourseError, assignment_in, notebook_in, notebooks_in, open_course
from autograder.grading.coordinator import grade_class
from autograder.grading.gradebook import open_gradebook
from autograder.intake.submission import DEFINES
from autograder.wall.ways import tried_reference

SECONDS = 5  # that a cell may take, here and there
COPIES = ("emptied", "wrong", "hanging", "crashing", "edited", "deleted")
SETTINGS = """c = get_config()
c.CourseDirectory.course_id = "public"
c.IncludeHeaderFooter.header = {header!r}
c.IncludeHeaderFooter.footer = {footer!r}
c.Execute.timeout = {seconds}
c.ExecutePreprocessor.timeout = {seconds}
c.ExecutePreprocessor.kernel_name = "python3"  # not what the notebook names, which need not be here
c.Judge.timeout = {seconds}
"""
SOLVED = re.compile("(?i)solution|_ans$")  # how some name the notebook with the answers, beside the one without
app = typer.Typer(add_completion=False)
Folders = Annotated[list[Path], typer.Argument(help="Clones of courses.")]
Most = Annotated[int, typer.Option(help="Notebooks of each course, spread over it; 0: all.")]
Marks = dict[tuple[str, str], float | None]  # points by student and test; None if there was no mark


@dataclass
class Row:
    """What came of one notebook."""

    tests: int
    wall: int
    full_there: bool
    full_here: bool
    differences: Counter[str] = field(default_factory=Counter)  # by damaged copy: tests with other marks than there


def as_course(clone: Path, folder: Path) -> Course:
    """A copy of the assignments of a clone, with no more of its configuration than header and footer."""
    sources = [path for path in sorted(clone.rglob("source")) if any(map(has_tests, path.glob("*/*.ipynb")))]
    header = footer = ""
    for source in sources[:1]:
        shutil.copytree(source, folder / "source", ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
        header, footer = (
            f"source/{end}.ipynb" if (source / f"{end}.ipynb").is_file() else "" for end in ("header", "footer")
        )
        for rules in source.parent.glob("autotests.yml"):
            shutil.copy(rules, folder)
    if not sources:
        for number, part in enumerate(sorted({path.parent for path in clone.rglob("*.ipynb") if has_tests(path)})):
            if ".ipynb_checkpoints" not in part.parts:
                shutil.copytree(part, folder / "source" / f"{number:02} {part.name}".replace("+", " "))
    settings = SETTINGS.format(header=header, footer=footer, seconds=SECONDS)
    (folder / "nbgrader_config.py").write_text(settings)
    for path in (folder / "source").glob("*/*.ipynb"):
        others = [other.stem for other in path.parent.glob("*.ipynb")]
        is_unsolved = not SOLVED.search(path.stem) and any(map(SOLVED.search, others))
        if is_unsolved or not has_tests(path):
            path.unlink()
    return open_course(folder)


def has_tests(path: Path) -> bool:
    """Whether a notebook has tests of nbgrader's and answers to them."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (ValueError, KeyError, OSError):
        return False
    facts = [cell["metadata"].get("nbgrader", {}) for cell in cells]
    return any(fact.get("grade") and not fact.get("solution") for fact in facts)


def parts_of(course: Course, most: int) -> list[str]:
    """Names of notebooks, every so manieth if there are more than `most`."""
    folders = [path for path in course.source.glob("*/") if notebooks_in(path)]
    parts = [part for folder in sorted(folders) for part in course.parts(folder.name)]
    step = max(1, -(-len(parts) // most)) if most else 1
    return parts[::step]


@app.command()
def ways(folders: Folders, most: Most = 0) -> None:
    """How each test is judged, and why one is not judged through the wall."""
    from autograder.chapter.ways import kept_ways

    for clone in folders:
        numbers: Counter[str] = Counter()
        with tempfile.TemporaryDirectory() as made:
            course = as_course(clone, Path(made) / "course")
            for part in parts_of(course, most):
                start = time.monotonic()
                try:
                    found = kept_ways(course, part, tried_reference(course, part)) or {}
                except CourseError as problem:
                    print(f"{clone.name}: {part}: {problem}", flush=True)
                    numbers["notebooks that cannot be graded"] += 1
                    continue
                kinds = [
                    "wall" if tried.way == Way.WALL else "fails" if tried.fails else "beside"
                    for tried in found.values()
                ]
                numbers.update(kinds)
                print(f"{clone.name}: {part}: {dict(Counter(kinds))} {time.monotonic() - start:.1f} s", flush=True)
                for name, tried in found.items():
                    if tried.why:
                        print(f"    {name}: {'fails' if tried.fails else 'beside'}: {tried.why}", flush=True)
        print(f"{clone.name}: {dict(numbers)}", flush=True)


@app.command()
def table(folders: Folders, most: Most = 0) -> None:
    """Marks of references and of damaged copies, here and under plain nbgrader, as a table."""
    print("| course | notebooks | tests | through the wall | full marks there | of these here | tests that differ |")
    print("|---|---:|---:|---:|---:|---:|---|", flush=True)
    for clone in folders:
        rows = []
        with tempfile.TemporaryDirectory() as made:
            course = as_course(clone, Path(made) / "here")
            for part in parts_of(course, most):
                try:
                    rows.append(_row(course, part, Path(made) / "there"))
                except CourseError as problem:
                    print(f"{clone.name}: {part}: {problem}", file=sys.stderr, flush=True)
        differences: Counter[str] = sum((row.differences for row in rows), Counter())
        there = [row for row in rows if row.full_there]
        cells = [
            clone.name,
            len(rows),
            sum(row.tests for row in rows),
            sum(row.wall for row in rows),
            len(there),
            sum(row.full_here for row in there),
            ", ".join(f"{name} {number}" for name, number in differences.items()) or "none",
        ]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def _row(course: Course, part: str, there: Path) -> Row:
    reference = tried_reference(course, part)
    copies = {"reference": reference.node, **{name: damaged(reference, name) for name in COPIES}}
    plain = plain_course(course, part, there)
    for each in (course, plain):
        for student, node in copies.items():
            hand_in(each, student, part, node)
    here = marks_here(course, part, [*copies])
    beside = marks_there(plain, part)
    tests = [test.name for test in reference.tests]
    most = {test.name: test.points for test in reference.tests}
    row = Row(
        len(tests),
        sum(test.way == Way.WALL for test in reference.tests),
        all(beside.get(("reference", name)) == most[name] for name in tests),
        all(here.get(("reference", name)) == most[name] for name in tests),
    )
    for student in copies:
        for name in tests:
            mine, theirs = here.get((student, name)), beside.get((student, name))
            if mine != theirs:
                row.differences[student if theirs is not None else f"{student} (no mark there)"] += 1
                print(f"{part}: {student}: {name}: {mine} here, {theirs} there", file=sys.stderr, flush=True)
    return row


def damaged(reference: Notebook, how: str) -> NotebookNode:
    """A copy of a reference with its first task, the first test of which has points, spoiled."""
    tests = [test for test in reference.tests if test.points]
    tasks = {task.name for task in reference.tasks}
    test = next((test for test in tests if test.task in tasks), None)
    if test is None:
        return reference.copy().node
    task = next(task for task in reference.tasks if task.name == test.task)
    defined = DEFINES.search(task.source)
    name = (defined["function"] or defined["variable"]) if defined else "_"
    is_function = bool(defined and defined["function"])
    texts = {
        "emptied": "",
        "edited": "",
        "wrong": f"def {name}(*args, **kwargs):\n    return None" if is_function else f"{name} = None",
        "hanging": f"{task.source}\nwhile True:\n    pass",
        "crashing": f"{task.source}\nimport os\nos._exit(1)",
    }
    sources = {task.name: texts.get(how, ""), **({test.name: "pass"} if how == "edited" else {})}
    notebook = reference.with_sources(sources)
    if how == "deleted":
        notebook = notebook.with_cells(cell for cell in notebook.cells if cell.name not in (task.name, test.name))
    return notebook.node


def plain_course(course: Course, part: str, folder: Path) -> Course:
    """The same assignment, with this notebook only, in a course that plain nbgrader grades."""
    shutil.rmtree(folder, ignore_errors=True)
    assignment = assignment_in(part)
    shutil.copytree(course.source / assignment, folder / "source" / assignment)
    for path in course.source.glob("*.ipynb"):
        shutil.copy(path, folder / "source")
    for path in course.root.glob("autotests.yml"):
        shutil.copy(path, folder)
    shutil.copy(course.root / "nbgrader_config.py", folder)
    for name in notebooks_in(folder / "source" / assignment):
        if name != notebook_in(part):
            (folder / "source" / assignment / f"{name}.ipynb").unlink()
    nbgrader(folder, "update", "source")
    nbgrader(folder, "generate_assignment", assignment)
    return open_course(folder)


def nbgrader(folder: Path, *words: str, module: Sequence[str] = ("nbgrader",)) -> None:
    """Run a command of nbgrader's, or of another module; what it cannot do shows in the gradebook."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", *module, *words]
    subprocess.run(command, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, check=False)


def hand_in(course: Course, student: str, part: str, node: NotebookNode) -> None:
    """Put a copy of a reference where submissions are, with what lies beside it."""
    assignment = assignment_in(part)
    target = course.submitted / student / assignment
    if not target.is_dir():
        shutil.copytree(course.source / assignment, target, ignore=shutil.ignore_patterns("*.ipynb"))
    nbformat.write(node, target / f"{notebook_in(part)}.ipynb")


def marks_here(course: Course, part: str, students: list[str]) -> Marks:
    """Grade these students here."""
    for graded in grade_class(course, part, students):
        if graded.problem:
            print(f"{part}: {graded.student}: {graded.problem}", file=sys.stderr, flush=True)
    return marks_in(course, part)


def marks_there(course: Course, part: str) -> Marks:
    """Grade all students with plain nbgrader."""
    nbgrader(course.root, "autograde", assignment_in(part))
    return marks_in(course, part)


def marks_in(course: Course, part: str) -> Marks:
    """What the gradebook says of a notebook's tests."""
    with open_gradebook(course) as gradebook:
        return {
            (submission.student.id, grade.name): grade.auto_score
            for submission in gradebook.find_assignment(assignment_in(part)).submissions
            for notebook in submission.notebooks
            if notebook.name == notebook_in(part)
            for grade in notebook.grades
        }


@app.command()
def speed(folders: Folders, most: Most = 2, students: Annotated[int, typer.Option(help="In the class.")] = 24) -> None:
    """Grade classes of copies of each reference here and with plain nbgrader, one after the other."""
    ratios = []
    for clone in folders:
        with tempfile.TemporaryDirectory() as made:
            course = as_course(clone, Path(made) / "here")
            for part in parts_of(course, most):
                here, there = _costs(course, part, Path(made) / part, students)
                ratios.append(there.seconds / here.seconds)
                cpu = there.cpu / here.cpu
                print(
                    f"{clone.name}: {part}: {here.seconds:.1f} s and {there.seconds:.1f} s, {ratios[-1]:.1f} times"
                    f" ({cpu:.1f} of processor time)",
                    flush=True,
                )
    print(f"{sum(ratios) / len(ratios):.1f} times on average, {min(ratios):.1f} at least")


class Cost(NamedTuple):
    """Of grading a class."""

    seconds: float
    cpu: float  # seconds of processor time


def _costs(course: Course, part: str, folder: Path, students: int) -> list[Cost]:
    """Of a class of damaged copies, none of which hangs: here, the trial included, and there."""
    reference = read_reference(course, part)
    kinds = ["reference", *(name for name in COPIES if name not in ("hanging", "crashing"))]
    costs = []
    for where, command in (("here", ["autograder.cli", "grade"]), ("there", ["nbgrader", "autograde"])):
        only = plain_course(course, part, folder / where)
        for number in range(students):
            kind = kinds[number % len(kinds)]
            node = reference.copy().node if kind == "reference" else damaged(reference, kind)
            hand_in(only, f"student{number:02}", part, node)
        before = os.times()
        nbgrader(only.root, assignment_in(part), module=command)
        after = os.times()
        cpu = sum(getattr(after, kind) - getattr(before, kind) for kind in ("children_user", "children_system"))
        graded = {student for (student, _), points in marks_in(only, part).items() if points is not None}
        if len(graded) < students:
            print(f"{part}: {len(graded)} of {students} were graded {where}", file=sys.stderr, flush=True)
        costs.append(Cost(after.elapsed - before.elapsed, cpu))
    return costs


if __name__ == "__main__":
    app()
