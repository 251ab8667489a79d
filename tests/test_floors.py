"""The packages of `autograder` stand one upon the other: no module imports from a higher floor, not even lazily."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import ROOT

PACKAGE = ROOT / "autograder"
GROUND = {
    "course",
    "disk",
    "hatch_build",
    "logs",
    "oracle",
    "processes",
    "quiet",
    "wording",
}  # modules that serve all floors
PEOPLE = {"authoring", "learner", "challenge", "demo", "panel"}
FLOORS = (GROUND, {"chapter"}, {"intake"}, {"wall"}, {"grading"}, {"pages"}, PEOPLE, {"cli"})
NAMED = re.compile(r"autograder(\.\w+){2,}")  # a module in a text, for nbgrader or for `python -m`
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def imported(path: Path) -> Iterator[str]:
    """What a module imports anywhere in it, or has imported by its name, as dotted names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write the import with its whole name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED.fullmatch(node.value):
            yield node.value


def arrows(package: Path) -> dict[tuple[str, str], list[str]]:
    """From room to room, where one imports the other: the lines that do, as 'file imports name'."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        room = place.parts[0].removesuffix(".py")
        for name in imported(path):
            parts = name.split(".")
            if parts[0] == package.name and len(parts) > 1 and parts[1] != room:
                found.setdefault((room, parts[1]), []).append(f"{place.as_posix()} imports {name}")
    return found


def arrows_up(package: Path) -> list[str]:
    """The lines that import from a higher floor."""
    between = arrows(package).items()
    return [line for (room, other), lines in between if FLOOR_OF[other] > FLOOR_OF[room] for line in lines]


def test_every_room_has_its_floor() -> None:
    rooms = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert {room for room in rooms if not room.startswith("__")} == set(FLOOR_OF)


def test_nothing_imports_from_a_higher_floor() -> None:
    assert arrows_up(PACKAGE) == []


def test_rooms_that_stand_side_by_side_import_each_other_one_way_only() -> None:
    between = arrows(PACKAGE)
    assert [pair for pair in between if pair[::-1] in between] == []


@pytest.mark.parametrize(
    "line",
    [
        "from autograder.pages.html import render",
        "import autograder.pages",
        "from autograder import pages",
        "def later():\n    from autograder.pages import html",
        "SETTING = 'autograder.grading.worker'",
        "if TYPE_CHECKING:\n    from autograder.learner.progress import Progress",
    ],
)
def test_an_import_from_above_is_found(tmp_path: Path, line: str) -> None:
    package = tmp_path / "autograder"
    (package / "wall").mkdir(parents=True)
    (package / "wall" / "judge.py").write_text(f"{line}\nfrom autograder.intake import files\nimport ast\n")
    (found,) = arrows_up(package)
    assert found.startswith("wall/judge.py imports autograder.")
