"""The grader installs and works without the course: no torch, no lmkit, no data, nothing but what it asks for."""

import csv
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from autograder.learner.kit import OURS, build_wheel
from conftest import ROOT

NOT_IN_WHEEL = {"pyproject.toml", "README.md", "LICENSE"}  # but in its metadata
BUILDS_IT = {"hatch_build.py"}
OUTSIDE = {  # of the package: where an environment's Jupyter looks
    "panel/labextension/": "share/jupyter/labextensions/nbgrader-wall-panel/",
    "panel/server.json": "etc/jupyter/jupyter_server_config.d/nbgrader-wall.json",
}
# Each module by itself, but for those that a student's process reads, and Sphinx's settings among the templates.
IMPORT_EVERYTHING = """
import importlib, importlib.util, pkgutil, sys
import autograder
for module in pkgutil.walk_packages(autograder.__path__, "autograder."):
    if not module.name.startswith("autograder.wall.inside."):
        importlib.import_module(module.name)
print(autograder.__file__)
print([name for name in ("torch", "lmkit", "data") if importlib.util.find_spec(name)])
print([name for name in ("matplotlib", "distributed") if name in sys.modules])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(OURS, [*OURS.iterdir()], tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel and what it asks for: installed here before, so no network."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    found = folder / "bin" / "python"
    (site,) = (folder / "lib").glob("python*/site-packages")
    for name in asked_for(wheel):
        for file in metadata.files(name) or []:
            bring(Path(str(file.locate())), Path(os.path.normpath(site / file)), found)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(found), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
    return found


def asked_for(wheel: Path) -> set[str]:
    """The distributions that a wheel asks for, and those that they ask for, by their names."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode()
    waiting = list(needs(re.findall(r"^Requires-Dist: (.+)$", text, re.MULTILINE), set()))
    found: dict[str, set[str]] = {}
    while waiting:
        requirement = waiting.pop()
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if name not in found or not requirement.extras <= found[name]:
            found[name] = found.get(name, set()) | requirement.extras
            waiting += needs(metadata.requires(name) or [], found[name])
    return set(found)


def needs(entries: list[str], extras: set[str]) -> Iterator[Requirement]:
    """The requirements that hold for this Python with these extras."""
    for requirement in map(Requirement, entries):
        if not requirement.marker or any(requirement.marker.evaluate({"extra": extra}) for extra in ["", *extras]):
            yield requirement


def bring(source: Path, target: Path, python: Path) -> None:
    """Put a file of this environment into another one: a link, a copy on another disk, a script with its Python."""
    if not source.is_file() or target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.parent == python.parent:
        first, _, rest = source.read_bytes().partition(b"\n")
        if first.startswith(b"#!") and b"python" in first:
            target.write_bytes(f"#!{python}\n".encode() + rest)
            target.chmod(0o755)
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def test_the_wheel_holds_the_whole_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    packed = {name.removeprefix("autograder/") for name in names if name.startswith("autograder/")}
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "."]
    ours = subprocess.run(command, cwd=OURS, capture_output=True, text=True, check=True).stdout
    files = {name for name in ours.split() if (OURS / name).is_file()} - NOT_IN_WHEEL - BUILDS_IT
    outside = {name: place for name in files for place in OUTSIDE if name.startswith(place)}
    assert packed == files - set(outside)
    data = {name.partition(".data/data/")[2] for name in names} - {""}
    assert data == {name.replace(place, OUTSIDE[place]) for name, place in outside.items()}
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"autograder", "nbgrader_wall"}
    assert (OURS / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_every_module_can_be_imported_where_nothing_of_the_course_is(python: Path, tmp_path: Path) -> None:
    shown = subprocess.run(
        [str(python), "-I", "-c", IMPORT_EVERYTHING], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    file, of_the_course, at_once = shown.stdout.splitlines()
    assert Path(file).is_relative_to(python.parents[1])
    assert of_the_course == "[]" and at_once == "[]"


def test_a_course_is_graded_where_nothing_of_this_course_is(python: Path, tmp_path: Path) -> None:
    """From `autograder new` to marks, each command as a user of the wheel types it."""
    folder, assignment = tmp_path / "course", "01_words"

    def run(*words: str) -> str:
        command = [str(python.parent / "autograder"), *words]
        done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("new", str(folder))
    run("build", "--course", str(folder))
    for student, made in {"ada": "source", "ben": "release"}.items():
        target = folder / "submitted" / student / assignment
        target.mkdir(parents=True)
        shutil.copy(folder / made / assignment / f"{assignment}.ipynb", target)
    run("grade", assignment, "--jobs", "1", "--course", str(folder))
    run("report", "--course", str(folder))  # which draws pictures
    run("export", str(tmp_path / "marks.csv"), "--course", str(folder))
    with (tmp_path / "marks.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row["student"]: row[assignment] for row in csv.DictReader(file)} == {"ada": "3", "ben": "0"}


def test_nothing_in_it_names_this_course() -> None:
    named = re.compile(r"lmkit|counts.to.transformers|01_bigrams.*kitchen", re.IGNORECASE)
    found = [
        f"{path.relative_to(OURS)}: {line.strip()}"
        for path in sorted(OURS.rglob("*"))
        if path.suffix in (".py", ".html", ".toml", ".css", ".js")
        for line in path.read_text(encoding="utf-8").splitlines()
        if named.search(line)
    ]
    assert found == []
