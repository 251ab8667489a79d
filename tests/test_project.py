"""The project's own files agree with one another."""

import subprocess
import tomllib

import yaml

from conftest import ROOT


def test_environment_and_pyproject_name_the_same_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment["name"] == "counts-to-transformers"
    (pip,) = (entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert pip == [*project, "-e ."]


def test_every_version_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    assert [name for name in listed if "==" not in name] == []


def test_no_student_work_or_local_path_is_committed() -> None:
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert not [
        name for name in files if name.startswith(("submitted/", "autograded/", "feedback/", "demo/", "gradebook"))
    ]
    assert not [name for name in files if name.startswith("notebooks/") and not name.endswith(".ipynb")]
