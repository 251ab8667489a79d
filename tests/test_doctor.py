"""Each known fault of an environment is met by the doctor, with the line that fixes it."""

import json
import os
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.cli import app
from autograder.learner import doctor
from conftest import ROOT


def test_an_old_python() -> None:
    assert doctor.old_python((3, 11, 0)) == [] and doctor.old_python((3, 14, 1)) == []
    (fault,) = doctor.old_python((3, 9, 18))
    assert fault.serious and "3.9.18" in fault.what and "3.11" in fault.what and "make lab" in fault.mend


def test_a_missing_package_and_one_of_another_version() -> None:
    def version_of(name: str) -> str:
        if name == "nbgrader":
            raise metadata.PackageNotFoundError(name)
        return "0.0.1" if name == "numpy" else metadata.version(name)

    missing, other = doctor.packages(ROOT, version_of)
    assert missing.serious and "nbgrader==" in missing.what and "pip install nbgrader==" in missing.mend
    assert "numpy" not in missing.mend
    assert not other.serious and "pip install numpy==" in other.mend and "nbgrader" not in other.mend


def test_a_course_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "nbgrader_config.py").touch()
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "no-such-project-of-ours"\n')
    folder = tmp_path / "work"
    (fault,) = doctor.packages(folder)
    assert fault.serious and "not installed" in fault.what and fault.mend.endswith(f"pip install -e {tmp_path}")
    monkeypatch.setattr("autograder.DISTRIBUTION", "nor-such-a-grader")
    (fault,) = doctor.packages(folder)
    assert fault.mend.endswith(shlex.join(["pip", "install", "-e", str(ROOT / "autograder"), "-e", str(tmp_path)]))


def test_whose_packages_count(tmp_path: Path) -> None:
    """Here the course and the grader, and so where a kit was unpacked; in a course without a project only ours."""
    both = {"nbgrader-wall", "counts-to-transformers"}
    assert {*doctor.projects(ROOT / "work")} == {*doctor.projects(tmp_path)} == both
    (tmp_path / "nbgrader_config.py").touch()
    (tmp_path / "pyproject.toml").touch()
    assert {*doctor.projects(tmp_path)} == {"nbgrader-wall"}


def test_no_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from autograder.wall.sandbox import bubblewrap_works

    monkeypatch.setenv("PATH", str(tmp_path))
    bubblewrap_works.cache_clear()
    try:
        (fault,) = doctor.no_bubblewrap()
    finally:
        bubblewrap_works.cache_clear()
    assert not fault.serious and "reduced mode" in fault.what and "apt-get install bubblewrap" in fault.mend


def test_a_wrong_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "kernels" / "python3"
    folder.mkdir(parents=True)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    for program, wrong in (("/opt/other/python", True), (sys.executable, False), ("python", False)):
        kernel = {"argv": [program, "-m", "ipykernel_launcher"], "display_name": "Python", "language": "python"}
        (folder / "kernel.json").write_text(json.dumps(kernel))
        faults = doctor.wrong_kernel()
        assert bool(faults) == wrong, program
        if wrong:
            assert program in faults[0].what and "ipykernel install" in faults[0].mend and str(folder) in faults[0].mend


def test_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    def none(self: object, name: str) -> None:
        raise NoSuchKernel(name)

    monkeypatch.setattr(KernelSpecManager, "get_kernel_spec", none)
    (fault,) = doctor.wrong_kernel()
    assert fault.serious and "no kernel python3" in fault.what and "ipykernel install" in fault.mend


def test_no_write_permission(tmp_path: Path) -> None:
    assert doctor.not_writable(tmp_path) == []
    for folder in (Path("/proc"), tmp_path / "not there"):  # root may write wherever there are only rights against it
        (fault,) = doctor.not_writable(folder)
        assert fault.serious and str(folder) in fault.what and "cp -r" in fault.mend


def test_odd_paths() -> None:
    assert doctor.odd_path(Path("/home/ada/course")) == []
    (blank,) = doctor.odd_path(Path("/home/ada/my course"))
    assert not blank.serious and "a blank" in blank.what and "~/course" in blank.mend
    (letters,) = doctor.odd_path(Path("/home/josé/course"))
    assert "é" in letters.what


def test_the_command_says_all_and_ends_with_one_if_it_is_serious(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    odd = tmp_path / "über uns"
    odd.mkdir()
    monkeypatch.chdir(odd)
    result = CliRunner().invoke(app, ["doctor"])
    assert "note: The path" in result.output and "mend it:" in result.output
    assert result.exit_code == any(fault.serious for fault in doctor.faults_of(odd))
    monkeypatch.setattr(doctor, "old_python", lambda: [doctor.Fault("It is old.", "renew it")])
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1 and result.output.startswith("FAULT: It is old.\n    mend it: renew it\n")


def test_it_runs_without_any_package() -> None:
    """`-S` takes all installed packages away: the doctor says so instead of failing."""
    root = Path(doctor.__file__).resolve().parents[2]
    command = [sys.executable, "-S", "-m", "autograder.learner.doctor"]
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "FAULT: " in result.stdout and "pip install" in result.stdout
