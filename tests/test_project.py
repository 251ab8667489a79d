"""The project's own files agree with one another."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, packages_distributions
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import autograder
from conftest import ROOT

COURSE = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GRADER = tomllib.loads((ROOT / "autograder" / "pyproject.toml").read_text())["project"]
OF_EXTRAS = {"distributed", "docutils", "latex2mathml", "sphinx"}  # of the cluster and of the site
READ_BY_THEMSELVES = {path.stem for path in (ROOT / "autograder" / "wall" / "inside").glob("*.py")}


def listed(project: dict[str, Any]) -> list[str]:
    """All that a project asks for, extras included."""
    return [
        *project["dependencies"],
        *(entry for extra in project["optional-dependencies"].values() for entry in extra),
    ]


def test_environment_and_pyproject_name_the_same_versions() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment["name"] == "counts-to-transformers"
    (pip,) = (entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert pip == ["-c constraints.txt", *COURSE["dependencies"], "-e ./autograder", "-e ."]


def test_every_version_of_the_course_is_pinned() -> None:
    assert [name for name in listed(COURSE) if "==" not in name] == []


def test_the_course_asks_for_the_grader_that_lies_here() -> None:
    assert f"{GRADER['name']}=={GRADER['version']}" in COURSE["dependencies"]
    assert GRADER["name"] == autograder.DISTRIBUTION
    extras = ",".join(sorted(GRADER["optional-dependencies"]))
    assert f"{GRADER['name']}[{extras}]=={GRADER['version']}" in COURSE["optional-dependencies"]["dev"]


def locked_versions() -> dict[str, str]:
    """The versions of constraints.txt, which setup hands to uv as to pip."""
    pinned = re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    return {_canonical(name): version for name, version in pinned}


def test_the_lock_file_has_versions_that_both_projects_allow() -> None:
    locked = locked_versions()
    for requirement in map(Requirement, [*listed(COURSE), *listed(GRADER)]):
        if requirement.name != GRADER["name"]:
            assert requirement.specifier.contains(locked[_canonical(requirement.name)]), requirement


def test_every_locked_version_runs_on_the_oldest_python() -> None:
    """Debian 12 has 3.11.2, and a package that asks for a later 3.11 would end the installation there."""
    oldest = f"{COURSE['requires-python'].removeprefix('>=')}.0"
    too_new = []
    for name, version in locked_versions().items():
        try:
            found = metadata(name)
        except PackageNotFoundError:  # of an extra that is not installed here
            continue
        assert found["Version"].partition("+")[0] == version, f"{name}: run `make .venv/.test-ready`"
        if not SpecifierSet(found.get("Requires-Python", "")).contains(oldest):
            too_new.append(f"{name} {version} needs Python {found.get('Requires-Python')}")
    assert too_new == []


def imported(folder: Path) -> set[str]:
    """The distributions that the modules of a folder import."""
    used: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            used |= {name.split(".")[0] for name in names}
    used -= sys.stdlib_module_names | READ_BY_THEMSELVES | OF_EXTRAS | {"autograder", "lmkit"}
    packages = packages_distributions()
    return {_canonical(packages[name][0]) for name in used}


def test_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    needed = imported(ROOT / "lmkit") | imported(ROOT / "solutions")
    declared = {_canonical(Requirement(entry).name) for entry in COURSE["dependencies"]}
    assert needed - declared == set()
    # JupyterLab and the kernel are started, not imported; nbval is the README's test command's.
    assert declared - needed == {"ipykernel", "jupyterlab", "nbval", GRADER["name"]}


def test_the_grader_declares_what_it_imports_and_nothing_of_this_course() -> None:
    needed = imported(ROOT / "autograder")
    declared = {_canonical(Requirement(entry).name) for entry in GRADER["dependencies"]}
    # torch: a course may have it, and tests/test_alone.py runs without it; hatchling: only the wheel's build has it
    assert needed - declared == {"torch", "hatchling"}
    assert declared - needed == {"ipykernel"}


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_no_student_work_or_local_path_is_committed() -> None:
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert not [
        name for name in files if name.startswith(("submitted/", "autograded/", "feedback/", "demo/", "gradebook"))
    ]
    assert not [name for name in files if name.startswith("notebooks/") and not name.endswith(".ipynb")]


def test_the_architecture_page_names_every_module() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    modules = [path for path in (ROOT / "autograder").rglob("*.py") if path.stem != "__init__"]
    modules += [path for path in (ROOT / "lmkit").iterdir() if not path.name.startswith("__")]
    assert [path.stem for path in modules if f"`{path.stem}`" not in page] == []
    rooms = ("chapter", "intake", "wall", "grading", "pages", "authoring", "learner", "challenge")
    assert all((ROOT / "autograder" / room).is_dir() for room in rooms)
