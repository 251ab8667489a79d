"""What students get: a folder without solutions whose notebooks run where neither the repository nor a network is."""

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from autograder.course import Course, CourseError, open_course
from autograder.learner.kit import forbidden, pack
from conftest import CHAPTER, ROOT
from lmkit import berkeley, corpora, real, runs
from lmkit.paths import DATA

PACKED = "01_bigrams"
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
    "unigrams": int(berkeley.unigram_counts().sum()),
}))
"""
# Each notebook's cells in the folder as they come, up to the first that students fill.
RUN_FIRST_CELLS = """
import json, socket, sys
from pathlib import Path
from IPython.terminal.interactiveshell import TerminalInteractiveShell
import matplotlib
matplotlib.use("Agg")
ran = {}
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
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            break
        if cell["cell_type"] == "code":
            shell.run_cell("".join(cell["source"])).raise_error()
            ran[path.name] += 1
print("\\n" + json.dumps(ran))
"""


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("packed") / "kit"
    assert pack(open_course(ROOT), out, [PACKED]) == [out, out.with_name("kit.zip")]
    return out


@pytest.fixture(scope="module")
def python(kit: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment in which the kit's wheel is installed."""
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    found = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(found), "install", "--quiet"]
    (wheel,) = kit.glob("*.whl")
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
    # NumPy, torch and the like from here; a path named in a .pth file brings none of the .pth files that lie there.
    (site_of(found) / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return found


def site_of(python: Path) -> Path:
    return next((python.parents[1] / "lib").glob("python*/site-packages"))


def test_a_kit_holds_notebooks_the_wheel_and_how_to_install_it(kit: Path) -> None:
    (wheel,) = kit.glob("*.whl")
    texts = {"README.md", "constraints.txt", "environment.yml", "requirements.txt"}
    assert {path.name for path in kit.iterdir()} == {"00_start.ipynb", f"{PACKED}.ipynb", wheel.name, *texts}
    assert (kit / f"{PACKED}.ipynb").read_bytes() == (ROOT / "notebooks" / PACKED / f"{PACKED}.ipynb").read_bytes()
    assert (kit / "requirements.txt").read_text() == f"-c constraints.txt\n./{wheel.name}\n"
    with zipfile.ZipFile(kit.with_name("kit.zip")) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    assert files == {f"kit/{path.name}": path.read_bytes() for path in kit.iterdir()}
    readme = (kit / "README.md").read_text()
    assert f"- `{PACKED}.ipynb`\n" in readme and "jupyter lab 00_start.ipynb" in readme
    with pytest.raises(CourseError, match="exists: name another folder"):
        pack(open_course(ROOT), kit, [PACKED])


def test_a_kit_is_proven_to_hold_no_solution(kit: Path, tmp_path: Path) -> None:
    course = open_course(ROOT)
    spoiled = Path(shutil.copytree(kit, tmp_path / "kit"))
    assert forbidden(course, spoiled, [PACKED]) == []
    shutil.copyfile(course.chapter_source(PACKED), spoiled / f"{PACKED}.py")
    assert forbidden(course, spoiled, [PACKED]) == [f"{PACKED}.py is no part of a kit"]
    (spoiled / f"{PACKED}.py").unlink()
    (wheel,) = spoiled.glob("*.whl")
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr(f"solutions/{PACKED}/{PACKED}.py", "")
        archive.writestr(f"lmkit/data/{PACKED}.ipynb", "")
    assert len(forbidden(course, spoiled, [PACKED])) == 2
    shutil.copyfile(course.reference(PACKED), spoiled / f"{PACKED}.ipynb")
    problems = forbidden(course, spoiled, [PACKED])
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
    (wheel,) = kit.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    packed = {name.removeprefix("lmkit/data/") for name in names if name.startswith("lmkit/data/")}
    here = {str(path.relative_to(DATA)) for path in DATA.rglob("*") if path.is_file() and path.suffix != ".py"}
    assert packed == {name for name in here if "__pycache__" not in name}
    assert wheel.stat().st_size < 10e6
    shown = subprocess.run(
        [str(python), "-I", "-c", LOAD_EVERYTHING], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found = json.loads(shown.stdout)
    assert found["data"] == str(site_of(python) / "lmkit" / "data")
    assert found["texts"] == {name: sum(map(len, corpora.load(name).splits.values())) for name in corpora.EMBEDDED}
    assert found["runs"] == runs.names() and "kitchen-lstm" in found["weights"] and found["parameters"] > 0
    assert found["registry"] == sorted(real.registry())
    assert found["unigrams"] == int(berkeley.unigram_counts().sum())


def first_cells(folder: Path, python: Path) -> dict[str, int | str]:
    """How many cells of each notebook ran, in a network namespace of its own where the repository cannot be seen."""
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
    found: dict[str, int | str] = json.loads(result.stdout.splitlines()[-1])
    return found


@pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap makes the network namespace")
def test_first_cells_run_where_only_the_kit_is(kit: Path, python: Path, tmp_path: Path) -> None:
    ran = first_cells(kit, python)
    assert ran.pop("network") == "none"
    assert list(ran) == ["00_start.ipynb", f"{PACKED}.ipynb"] and min(map(int, ran.values())) > 1


@pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap makes the network namespace")
def test_first_cells_of_every_release_run_where_only_the_kit_is(python: Path, tmp_path: Path) -> None:
    releases = sorted((ROOT / "notebooks").rglob("*.ipynb"))
    for path in releases:
        shutil.copyfile(path, tmp_path / path.name)
    ran = first_cells(tmp_path, python)
    assert list(ran)[1:] == [path.name for path in sorted(tmp_path.glob("*.ipynb"))]
    assert min(count for name, count in ran.items() if name != "network") > 0
