"""What students get: a folder without solutions whose notebooks run where neither the repository nor a network is."""

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import nbformat
import pytest

from autograder.chapter.reference import read_reference
from autograder.course import Course, CourseError, open_course, sections_of
from autograder.intake.submission import parse, rebuild
from autograder.learner.check import is_untouched
from autograder.learner.kit import forbidden, pack, with_install_cell
from conftest import CHAPTER, ROOT
from lmkit import berkeley, corpora, real, runs
from lmkit.paths import DATA

PACKED = "01_bigrams"
ALSO_PACKED = "08_transformer"  # needs torch
RELEASED = ROOT / "notebooks" / PACKED / f"{PACKED}.ipynb"
LOAD_EVERYTHING = """
import json
from lmkit import berkeley, corpora, load, paths, real, runs
print(json.dumps({
    "data": str(paths.DATA),
    "texts": {name: sum(map(len, load(name).splits.values())) for name in corpora.EMBEDDED},
    "weights": [name for name in runs.names() if (runs.load(name).folder / "weights.pt").exists()],
    "parameters": sum(p.numel() for p in runs.load("kitchen-lstm").model.network.parameters()),
    "runs": runs.names(),
    "registry": sorted(real.registry()),
    "vectors": load("glove").matrix.shape,
    "unigrams": int(berkeley.unigram_counts().sum()),
}))
"""
# Each notebook's cells in the folder as they come, up to the first that students fill; that one as it is and its first
# check, which answers with a message of its own or with the stub's.
RUN_FIRST_CELLS = """
import json, socket, sys
from pathlib import Path
from IPython.terminal.interactiveshell import TerminalInteractiveShell
import matplotlib
matplotlib.use("Agg")
ran = {"answers": {}}
try:
    socket.create_connection(("1.1.1.1", 53), timeout=2)
    ran["network"] = "there"
except OSError:
    ran["network"] = "none"
shell = TerminalInteractiveShell.instance()
for path in sorted(Path(sys.argv[1]).glob("*.ipynb")):
    shell.reset()
    ran[path.name] = 0
    for cell in json.loads(path.read_text())["cells"]:
        kind = cell["metadata"].get("nbgrader", {})
        if kind.get("grade") and not kind.get("solution"):
            answer = shell.run_cell("".join(cell["source"]))
            problem = answer.error_in_exec or answer.error_before_exec
            ran["answers"][path.name] = type(problem).__name__
            break
        if kind.get("solution"):
            shell.run_cell("".join(cell["source"]))
        elif cell["cell_type"] == "code":
            shell.run_cell("".join(cell["source"])).raise_error()
            ran[path.name] += 1
print("\\n" + json.dumps(ran))
"""


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("packed") / "kit"
    assert pack(open_course(ROOT), out, [PACKED, ALSO_PACKED]) == [out, out.with_name("kit.zip")]
    return out


@pytest.fixture(scope="module")
def python(kit: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment in which the kit's wheels are installed."""
    found = environment_without_lmkit(tmp_path_factory.mktemp("environment"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(found), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", *map(str, kit.glob("*.whl"))], check=True)
    return found


def environment_without_lmkit(folder: Path) -> Path:
    """The Python of a new environment that has all but the course."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    found = folder / "bin" / "python"
    # NumPy, torch and the like from here; a path named in a .pth file brings none of the .pth files that lie there.
    (site_of(found) / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return found


def wheels_of(kit: Path) -> tuple[Path, Path]:
    """The wheel of the course and that of the grader."""
    course, ours = sorted(kit.glob("*.whl"))
    assert ours.name.startswith("nbgrader_wall-")
    return course, ours


def site_of(python: Path) -> Path:
    return next((python.parents[1] / "lib").glob("python*/site-packages"))


def test_a_kit_holds_notebooks_the_wheels_and_how_to_install_them(kit: Path) -> None:
    wheel, ours = wheels_of(kit)
    texts = {"README.md", "AGENTS.md", "CLAUDE.md", "constraints.txt", "environment.yml", "requirements.txt"}
    assert {path.name for path in kit.iterdir()} == {
        "00_start.ipynb",
        *(f"{chapter}.ipynb" for chapter in (PACKED, ALSO_PACKED)),
        wheel.name,
        ours.name,
        *texts,
    }
    packed, released = (nbformat.read(path, as_version=4) for path in (kit / f"{PACKED}.ipynb", RELEASED))
    added = packed.cells.pop(1).source
    assert wheel.name in added and ours.name not in added and packed == released
    start = nbformat.read(kit / "00_start.ipynb", as_version=4).cells[1].source
    assert f"wheels = {[wheel.name, ours.name]}" in start  # it imports the grader
    assert (kit / "requirements.txt").read_text() == f"-c constraints.txt\n./{wheel.name}\n./{ours.name}\n"
    assert f"      - ./{wheel.name}\n      - ./{ours.name}\n" in (kit / "environment.yml").read_text()
    with zipfile.ZipFile(kit.with_name("kit.zip")) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    assert files == {f"kit/{path.name}": path.read_bytes() for path in kit.iterdir()}
    readme = (kit / "README.md").read_text()
    assert f"- `{PACKED}.ipynb`\n" in readme and "jupyter lab 00_start.ipynb" in readme
    with pytest.raises(CourseError, match="exists: name another folder"):
        pack(open_course(ROOT), kit, [PACKED])


def test_the_cell_that_a_kit_adds_is_no_answer_and_no_fault(kit: Path) -> None:
    course = open_course(ROOT)
    intake = rebuild(parse((kit / f"{PACKED}.ipynb").read_bytes()), read_reference(course, PACKED))
    assert intake.repairs == [] and is_untouched(course, PACKED, kit / f"{PACKED}.ipynb")


def test_where_lmkit_is_missing_the_first_cell_installs_it_and_says_so(kit: Path, tmp_path: Path) -> None:
    python = environment_without_lmkit(tmp_path / "environment")
    program = json.loads((kit / f"{PACKED}.ipynb").read_text())["cells"][1]["source"]
    (tmp_path / "cell.py").write_text("".join(program) + "\nimport lmkit.paths\nprint(lmkit.paths.DATA)")
    command = [str(python), "-I", str(tmp_path / "cell.py")]
    alone = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "That failed: put each .whl file named above beside this notebook" in alone.stdout
    first, second = (subprocess.run(command, cwd=kit, capture_output=True, text=True, check=True) for _ in range(2))
    wheel, _ = wheels_of(kit)
    where = str(site_of(python) / "lmkit" / "data")
    assert first.stdout.splitlines() == [f"lmkit is missing here: installing it from {wheel.name}", where]
    assert second.stdout.splitlines() == [where]
    addresses = ["https://example.org/lmkit.whl", "https://example.org/ours.whl"]
    cells = json.loads(with_install_cell(RELEASED, "lmkit", addresses))["cells"]
    assert f"    wheels = {addresses[:1]}\n" in cells[1]["source"]


def test_a_kit_is_proven_to_hold_no_solution(kit: Path, tmp_path: Path) -> None:
    course, chapters = open_course(ROOT), [PACKED, ALSO_PACKED]
    spoiled = Path(shutil.copytree(kit, tmp_path / "kit"))
    assert forbidden(course, spoiled, chapters) == []
    shutil.copyfile(sections_of(course.chapter_source(PACKED))[0], spoiled / f"{PACKED}.py")
    assert forbidden(course, spoiled, chapters) == [f"{PACKED}.py is no part of a kit"]
    (spoiled / f"{PACKED}.py").unlink()
    wheel, _ = wheels_of(spoiled)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr(f"solutions/{PACKED}/{PACKED}.py", "")
        archive.writestr(f"lmkit/data/{PACKED}.ipynb", "")
    assert len(forbidden(course, spoiled, chapters)) == 2
    shutil.copyfile(course.reference(PACKED), spoiled / f"{PACKED}.ipynb")
    problems = forbidden(course, spoiled, chapters)
    assert any("the hidden line" in problem for problem in problems) and any(
        "the mark" in problem for problem in problems
    )


def test_what_cannot_be_packed_is_one_line(built_course: Course, tmp_path: Path) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    with pytest.raises(CourseError, match="has no pyproject.toml"):
        pack(course, tmp_path / "kit", [CHAPTER])
    (course.root / "pyproject.toml").touch()
    released = course.released(CHAPTER)
    released.write_bytes(released.read_bytes() + b"\n")
    with pytest.raises(CourseError, match="is out of date: run `autograder build 01_squares`"):
        pack(course, tmp_path / "kit", [CHAPTER])
    assert [path.name for path in tmp_path.iterdir()] == ["course"]


def test_the_installed_wheel_finds_every_text(kit: Path, python: Path, tmp_path: Path) -> None:
    wheel, _ = wheels_of(kit)
    names = zipfile.ZipFile(wheel).namelist()
    packed = {name.removeprefix("lmkit/data/") for name in names if name.startswith("lmkit/data/")}
    assert packed == {str(path.relative_to(DATA)) for path in DATA.rglob("*") if path.is_file()}
    assert not [name for name in packed if name.endswith(".py")]
    assert wheel.stat().st_size < 14e6
    shown = subprocess.run(
        [str(python), "-I", "-c", LOAD_EVERYTHING], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found = json.loads(shown.stdout)
    assert found["data"] == str(site_of(python) / "lmkit" / "data")
    assert found["texts"] == {name: sum(map(len, corpora.load(name).splits.values())) for name in corpora.EMBEDDED}
    assert found["runs"] == runs.names() and "kitchen-lstm" in found["weights"] and found["parameters"] > 0
    assert found["registry"] == sorted(real.registry())
    assert found["vectors"] == [10_000, 100]
    assert found["unigrams"] == int(berkeley.unigram_counts().sum())


def first_cells(folder: Path, python: Path) -> tuple[dict[str, int], dict[str, str]]:
    """What each notebook's first check raises where nothing is answered, after how many cells of it ran, in a network
    namespace of its own where the repository cannot be seen.
    """
    packages = sysconfig.get_path("purelib")
    bubblewrap = [
        "bwrap",
        "--unshare-net",
        "--dev-bind",
        "/",
        "/",
        "--tmpfs",
        str(ROOT),
        "--ro-bind",
        packages,
        packages,
    ]
    program = [str(python), "-c", RUN_FIRST_CELLS, str(folder)]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LMKIT_BUDGET": "grading", "OMP_NUM_THREADS": "1"}
    result = subprocess.run(
        [*bubblewrap, *program], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr[-2000:]
    found = json.loads(result.stdout.splitlines()[-1])
    assert found.pop("network") == "none"
    answers = found.pop("answers")
    return found, answers


def assert_first_checks_answer(folder: Path, python: Path, notebooks: list[str]) -> None:
    ran, answers = first_cells(folder, python)
    assert list(ran) == notebooks and list(answers) == notebooks and min(ran.values()) > 1
    assert set(answers.values()) <= {"NotImplementedError", "AssertionError"}, answers


@pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap makes the network namespace")
def test_first_cells_run_where_only_the_kit_is(kit: Path, python: Path) -> None:
    assert_first_checks_answer(kit, python, ["00_start.ipynb", f"{PACKED}.ipynb", f"{ALSO_PACKED}.ipynb"])


@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap makes the network namespace")
def test_first_cells_of_every_chapter_run_where_only_the_kit_is(python: Path, tmp_path: Path) -> None:
    course = open_course(ROOT)
    out, _ = pack(course, tmp_path / "kit", course.chapters())
    assert_first_checks_answer(out, python, ["00_start.ipynb", *(f"{name}.ipynb" for name in course.chapters())])
