"""The project's own files agree with one another."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import yaml

from conftest import ROOT


def test_environment_and_pyproject_name_the_same_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment["name"] == "counts-to-transformers"
    (pip,) = (entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert pip == ["-c constraints.txt", *project, "-e ."]


def test_every_version_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    assert [name for name in listed if "==" not in name] == []


def test_the_lock_file_has_the_versions_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    locked = {_canonical(name): version for name, version in pinned.items()}
    for entry in listed:
        name, version = entry.split("==")
        assert locked[_canonical(name.split("[")[0])] == version


def test_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {_canonical(entry.split("==")[0]) for entry in project["dependencies"]}
    used: set[str] = set()
    for folder in ("autograder", "lmkit", "solutions"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
                used |= {name.split(".")[0] for name in names}
    alone = {path.stem for path in (ROOT / "autograder" / "wall" / "inside").glob("*.py")}  # read by themselves there
    extras = {"distributed", "docutils", "latex2mathml", "sphinx"}  # of the cluster and of the site
    used -= sys.stdlib_module_names | alone | extras | {"autograder", "lmkit"}
    packages = packages_distributions()
    needed = {_canonical(packages[name][0]) for name in used}
    assert needed - declared == set()
    # JupyterLab and the kernel are started, not imported; nbval is the README's test command's.
    assert declared - needed == {"ipykernel", "jupyterlab", "nbval"}


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
