"""Rules for the cells of a chapter that can be read off its text: weight, names, comparisons, draws, marks."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from autograder.authoring.ours import add_ours
from autograder.chapter.cells import BEGIN_HIDDEN, END_HIDDEN, Notebook
from autograder.chapter.source import ALT, WITH_ALT, Chapter, cell_names, grade_id, kind_of, notebook_of
from autograder.chapter.text import Cell, SourceError
from autograder.wall.names import names_of, plan

MAX_VISIBLE = 3  # tests without a hidden part give at most one point in so many of a task's
SEEDED = {"default_rng", "Random", "RandomState", "manual_seed", "seed", "set_seed"}
ALLCLOSE = "allclose"
NBVAL = "NBVAL_"
LINK = re.compile(r"\]\((?!https?://|#)([^)\s]+)\)")
NBVAL_MARK = re.compile(r"# NBVAL_[A-Z_]+")


@dataclass(frozen=True)
class Problem:
    """A rule that a cell breaks; `line` is the cell's or, where one line is to blame, that line."""

    path: Path
    line: int
    message: str

    def error(self) -> SourceError:
        return SourceError(self.path, self.line, self.message)


def problems_of(chapter: Chapter, find_chapter: Callable[[str], Path]) -> list[Problem]:
    """All rules that a chapter breaks, in the order of its lines."""
    found = [*_too_much_visible(chapter), *_foreign_names(chapter, find_chapter)]
    for cell in chapter.cells:
        if cell.cell_type == "code":
            found += _marks(cell)
        else:
            found += _links(cell)
        if "test" in cell.keys:
            found += _in_test(cell)
    return sorted(found, key=lambda problem: (problem.path.name, problem.line))


def without_alt(chapter: Chapter, executed: NotebookNode) -> list[Problem]:
    """Cells of the course (no answers) whose figures somebody who cannot see them knows nothing of."""
    message = 'This cell draws a figure: say in its line `# %% alt="..."` what is to be seen, in a sentence or two.'
    with_figure = {cell.id for cell in executed.cells if any(map(_is_picture, cell.get("outputs", [])))}
    return [
        Problem(cell.path, cell.line, message)
        for name, cell in zip(cell_names(chapter), chapter.cells, strict=True)
        if name in with_figure and kind_of(cell) in WITH_ALT and ALT not in cell.keys
    ]


def _is_picture(output: NotebookNode) -> bool:
    return any(kind.startswith("image/") for kind in output.get("data", {}))


def _too_much_visible(chapter: Chapter) -> Iterator[Problem]:
    for task in chapter.tasks():
        most = task.keys["points"] // MAX_VISIBLE
        visible = [test for test in chapter.tests(task.keys["task"]) if BEGIN_HIDDEN not in test.source]
        total = sum(test.keys["points"] for test in visible)
        if total > most:
            yield Problem(
                task.path,
                task.line,
                f"Tests of {task.keys['task']!r} without a hidden part give {total} of its {task.keys['points']} "
                f"points, which copying them earns: at most {most}, so give more of them a hidden part.",
            )


def _foreign_names(chapter: Chapter, find_chapter: Callable[[str], Path]) -> Iterator[Problem]:
    """Names that a test asks of the student's side, though its own task does not bind them."""
    notebook = notebook_of(chapter, find_chapter)
    add_ours(notebook)  # what the build imports for a test is not the student's
    asked = plan(Notebook.of(notebook)).asked
    own = {task.keys["task"]: names_of(task.source) for task in chapter.tasks()}
    for cell in chapter.cells:
        if "test" not in cell.keys:
            continue
        names = own[cell.keys["test"]]
        foreign = asked[grade_id(cell.keys["test"], cell.keys["aspect"])] - (names.binds if names else frozenset())
        if foreign:
            yield Problem(
                cell.path,
                cell.line,
                f"This test takes {', '.join(sorted(foreign))} from the student's side, which the task "
                f"{cell.keys['test']!r} does not define: write out here what the test needs.",
            )


def _in_test(cell: Cell) -> Iterator[Problem]:
    hidden = _hidden_lines(cell.source)
    for node in ast.walk(ast.parse(cell.source)):
        if isinstance(node, (ast.Attribute, ast.Name)) and _last_name(node) == ALLCLOSE:
            message = "allclose broadcasts, so an empty answer passes it: compare shapes and kinds too."
        elif isinstance(node, ast.Call) and node.lineno in hidden and _is_seeded(node):
            message = f"A hidden test draws with a seed of its own, {ast.unparse(node)}: leave the seed out."
        else:
            continue
        yield Problem(cell.path, cell.line + getattr(node, "lineno", 0), message)


def _marks(cell: Cell) -> Iterator[Problem]:
    """Lines that mean to be a mark for nbval, which it overlooks."""
    for number, line in enumerate(cell.source.split("\n"), start=1):
        if NBVAL in line and not NBVAL_MARK.fullmatch(line):
            yield Problem(
                cell.path, cell.line + number, f"nbval overlooks a mark with words beside it: {line.strip()!r}."
            )


def _links(cell: Cell) -> Iterator[Problem]:
    """Links to files: notebooks are read in other folders too, as in `work/`, in a kit and on the site."""
    for number, line in enumerate(cell.source.split("\n"), start=1):
        for link in LINK.finditer(line):
            message = f"From a learner's folder or a kit the link to {link[1]} leads nowhere: name the file in words."
            yield Problem(cell.path, cell.line + number, message)


def _hidden_lines(source: str) -> set[int]:
    inside, hidden = False, set()
    for number, line in enumerate(source.split("\n"), start=1):
        if line.strip() in (BEGIN_HIDDEN, END_HIDDEN):
            inside = line.strip() == BEGIN_HIDDEN
        elif inside:
            hidden.add(number)
    return hidden


def _last_name(node: ast.AST) -> str:
    """`allclose` of `numpy.allclose` and of `allclose`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_seeded(call: ast.Call) -> bool:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    is_constant = arguments and all(isinstance(argument, ast.Constant) for argument in arguments)
    return _last_name(call.func) in SEEDED and bool(is_constant)
