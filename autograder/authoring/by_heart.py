"""What a student earns who learns the visible checks by heart: each task answered rightly for their inputs only.

The visible checks run once on the reference, which notes what its functions are asked. Then it is graded with all tests
but answers nothing where it is asked anything else. Constants, and functions without arguments, cannot be learned like
this: what tests look at nothing else is not counted.
"""

import ast
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nbformat.v4 import new_code_cell

from autograder.authoring import remembering
from autograder.chapter.cells import CellKind, Notebook, NotebookCell, without_hidden
from autograder.chapter.reference import read_reference
from autograder.chapter.source import without_marks
from autograder.chapter.verdicts import Outcome, Verdict
from autograder.course import Course, CourseError, open_course
from autograder.processes import kept_processes
from autograder.wall.names import modules_of, names_of, plan
from autograder.wall.trial import judged

MAX_EARNED = 3  # one point in so many
EMPTY_ANSWERS = ("_numpy.zeros(0)", "[]", "None", "0")
EMPTY_TENSOR = "_torch.zeros(0)"
PARTS = 8  # cells among which what was noted is divided, since what a cell shows is bounded
DIGESTS_IN_PART = 3000


@dataclass(frozen=True)
class ByHeart:
    """What one task gives to such an answer."""

    task: str
    earned: float
    most_points: float

    @property
    def is_too_much(self) -> bool:
        return self.earned > self.most_points // MAX_EARNED


def earned_by_heart(course: Course, chapter: str, jobs: int | None = None) -> list[ByHeart]:
    """What each task of a chapter gives, with whichever empty answer earns most of it."""
    reference = read_reference(course, chapter)
    pool = kept_processes(jobs)
    known = pool.submit(_asked_by_visible_checks, course.root, chapter).result()
    uses_torch = any(module.split(".")[0] == "torch" for module in modules_of(reference))
    empty = [*EMPTY_ANSWERS, EMPTY_TENSOR] if uses_torch else [*EMPTY_ANSWERS]
    verdicts = list(pool.map(partial(_verdicts_by_heart, course.root, chapter, known), empty))
    counted = _tests_of_functions(reference)
    tasks: dict[str, list[list[Verdict]]] = {}
    for of_one_answer in verdicts:
        for verdict in of_one_answer:
            tasks.setdefault(verdict.task, [[] for _ in empty])
        for task, listed in tasks.items():
            listed[verdicts.index(of_one_answer)] = [verdict for verdict in of_one_answer if verdict.task == task]
    return [
        ByHeart(
            task,
            max(sum(verdict.points for verdict in one if verdict.grade_id in counted) for one in listed),
            sum(verdict.most_points for verdict in listed[0]),
        )
        for task, listed in tasks.items()
    ]


def problems_by_heart(found: list[ByHeart]) -> list[str]:
    """The tasks that give too much, and the chapter if it does, as sentences."""
    problems = [
        f"{one.task}: the visible checks learned by heart earn {one.earned:g} of {one.most_points:g} points, "
        f"more than a third"
        for one in found
        if one.is_too_much
    ]
    earned, most = sum(one.earned for one in found), sum(one.most_points for one in found)
    if earned > most // MAX_EARNED:
        problems.append(
            f"the visible checks learned by heart earn {earned:g} of all {most:g} points, more than a third"
        )
    return problems


def _asked_by_visible_checks(course_root: Path, chapter: str) -> list[str]:
    """Digests of all that the visible checks ask of the reference's functions."""
    course = open_course(course_root)
    reference = read_reference(course, chapter)
    reference = reference.with_sources({test.name: without_hidden(test.source) for test in reference.tests})
    notebook = _remembering(reference, "_remembering.recording = True")
    shows = [
        _code(f"print(*sorted(_remembering.known)[{part * DIGESTS_IN_PART}:{(part + 1) * DIGESTS_IN_PART}])")
        for part in range(PARTS)
    ]
    notebook = notebook.with_cells([*notebook.cells, *shows])
    verdicts = judged(course, notebook, reference)
    failed = [verdict for verdict in verdicts if verdict.outcome != Outcome.PASSED]
    if failed:  # then little would be learned, and the course look better than it is
        raise CourseError(
            f"{chapter}: the reference fails its own check {failed[0].grade_id} when its calls are noted: "
            f"{failed[0].outcome}, {failed[0].message}"
        )
    shown = [output.text for cell in shows for output in cell.node.outputs if "text" in output]
    return " ".join(shown).split()


def _verdicts_by_heart(course_root: Path, chapter: str, known: list[str], empty: str) -> list[Verdict]:
    course = open_course(course_root)
    reference = read_reference(course, chapter)
    libraries = "import numpy as _numpy" + ("; import torch as _torch" if empty == EMPTY_TENSOR else "")
    start = f"{libraries}\n_remembering.known = set({' '.join(known)!r}.split())\n"
    notebook = _remembering(reference, f"{start}_remembering.empty = lambda: {empty}")
    verdicts = judged(course, notebook, reference)
    for verdict in verdicts:
        if verdict.outcome in (Outcome.NOT_RUN, Outcome.MISSING):
            raise CourseError(f"{chapter}: {verdict.grade_id} did not run with answers learned by heart: try again.")
    return verdicts


def _remembering(reference: Notebook, setting: str) -> Notebook:
    """The reference as an answer whose functions remember while a test runs, and only then."""
    text = Path(remembering.__file__).read_text(encoding="utf-8")
    first = (
        f"import types as _types\n_remembering = _types.ModuleType('remembering')\nexec({text!r}, vars(_remembering))"
    )
    cells = [_code(f"{first}\n{setting}")]
    for cell in reference.copy().cells:
        if cell.kind == CellKind.TASK:
            names = names_of(cell.source)
            bound = sorted(names.binds) if names else []
            cells.append(cell.with_source(f"{without_marks(cell.source)}\n\n_remembering.wrap(globals(), {bound!r})"))
        elif cell.is_test:
            cells += [_code("_remembering.active = True"), cell, _code("_remembering.active = False")]
        else:
            cells.append(cell)
    return reference.with_cells(cells)


def _code(source: str) -> NotebookCell:
    return NotebookCell.of(new_code_cell(source))


def _tests_of_functions(reference: Notebook) -> set[str]:
    """Grade ids of tests that use a class, or a function with arguments, of their own task."""
    learnable: dict[str, set[str]] = {}
    asked = plan(reference).asked
    found = set()
    for cell in reference.cells:
        if cell.kind == CellKind.TASK:
            learnable[cell.name] = {
                node.name
                for node in ast.parse(cell.source).body
                if isinstance(node, ast.ClassDef) or (isinstance(node, ast.FunctionDef) and _has_arguments(node))
            }
        elif cell.is_test and asked[cell.name] & learnable.get(cell.task, set()):
            found.add(cell.name)
    return found


def _has_arguments(function: ast.FunctionDef) -> bool:
    arguments = function.args
    return bool(arguments.posonlyargs or arguments.args or arguments.vararg or arguments.kwonlyargs or arguments.kwarg)
