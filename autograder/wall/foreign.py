"""The tests and given cells of an adopted course as the judge runs them.

There everything that no student has to write is the course's own: also the imports, helpers and data in cells that
nbgrader knows nothing of, which students may change for themselves. Magics that only set up a notebook mean nothing on
our side. A test may use what an earlier test has defined, and may end in a number, which nbgrader takes for points.
"""

import ast
import functools
import re
from dataclasses import replace

from autograder.chapter.cells import CellKind, Notebook, NotebookCell, Way
from autograder.wall.names import names_of

# Lines that set up a notebook; nothing on our side depends on them.
SET_UP = re.compile(
    r"^[ \t]*(%(matplotlib|config|load_ext|reload_ext|autoreload|precision|pip|conda|capture)\b|!\s*pip\b)[^\n]*$", re.M
)
POINTS = "__points__"  # what a test ends in


def for_judge(reference: Notebook) -> Notebook:
    """A reference in which all code of the course's own is the judge's; one of ours comes back as it is."""
    if not reference.is_adopted:
        return reference
    return reference.with_cells(map(_for_judge, reference.cells))


def _for_judge(cell: NotebookCell) -> NotebookCell:
    if not cell.is_code or cell.is_answer:
        return cell
    if cell.is_test:
        return cell.with_source(_test(cell.source) if cell.way == Way.WALL else "")
    return replace(cell.with_source(plain(cell.source)), kind=CellKind.GIVEN)


def plain(source: str) -> str:
    """A cell without the magics that only set up a notebook."""
    return SET_UP.sub(lambda line: f"{line[0][: len(line[0]) - len(line[0].lstrip())]}pass", source)


def is_plain(source: str) -> bool:
    """Whether a cell is Python, but for such magics."""
    return names_of(plain(source)) is not None


@functools.lru_cache(maxsize=1024)  # a class brings the same tests again and again
def _test(source: str) -> str:
    """A test that keeps what it ends in, instead of showing it."""
    source = plain(source)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return source
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr) or isinstance(last.value, ast.Constant) or source.rstrip().endswith(";"):
        return source
    lines = source.split("\n")
    start = len(lines[last.lineno - 1].encode()[: last.col_offset].decode())
    lines[last.lineno - 1] = f"{lines[last.lineno - 1][:start]}{POINTS} = ({lines[last.lineno - 1][start:]}"
    end = last.end_lineno or last.lineno
    stop = len(lines[end - 1].encode()[: (last.end_col_offset or 0)].decode())
    if end == last.lineno:
        stop += len(f"{POINTS} = (")
    lines[end - 1] = f"{lines[end - 1][:stop]}){lines[end - 1][stop:]}"
    return "\n".join(lines)


def points_of(shown: object, most: float) -> float:
    """What nbgrader gives a test that runs to its end and shows this: a number from 0 to `most` is partial credit."""
    if type(shown) not in (int, float):
        return most
    number = float(shown)  # type: ignore[arg-type]
    return number if 0 <= number <= most else most


def from_earlier_tests(reference: Notebook) -> dict[str, frozenset[str]]:
    """By the name of each test: the names it uses that a test above it has bound last."""
    bound_by_test: dict[str, bool] = {}
    found = {}
    for cell in reference.cells:
        names = names_of(plain(cell.source)) if cell.is_code else None
        if names is None:
            continue
        if cell.is_test:
            found[cell.name] = frozenset(name for name in names.uses | names.later if bound_by_test.get(name))
        bound_by_test |= dict.fromkeys(names.binds, cell.is_test)
    return found
