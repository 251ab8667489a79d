"""`autograder new`: what it makes builds, its tests are good by their own bank, and a class can be graded with it."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import open_course
from autograder.grading.marks import final_marks

ASSIGNMENT = "01_words"


def run(*words: str) -> str:
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_new_course_is_built_tried_and_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "my course"
    said = run("new", str(folder))
    assert f"Next: cd '{folder}', then autograder build" in said
    monkeypatch.chdir(folder)
    assert f"release/{ASSIGNMENT}/{ASSIGNMENT}.ipynb" in run("build")
    assert "2 right and 3 wrong answers, 5 of 5 judged as expected" in run("bank")
    assert {path.name for path in (folder / "release" / ASSIGNMENT).iterdir()} == {f"{ASSIGNMENT}.ipynb"}
    course = open_course(folder)
    assert course.course_id == "my course"
    for student, notebook in {"ada": course.reference(ASSIGNMENT), "ben": course.released(ASSIGNMENT)}.items():
        course.submission(student, ASSIGNMENT).parent.mkdir(parents=True)
        shutil.copyfile(notebook, course.submission(student, ASSIGNMENT))
    run("grade", ASSIGNMENT, "--jobs", "1")
    assert final_marks(course, ASSIGNMENT)["points"].to_dict() == {"ada": 3, "ben": 0}
    assert "ada" in run("feedback", ASSIGNMENT)


def test_a_new_course_overwrites_nothing_and_is_in_no_other(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "notes.txt").write_text("mine")
    result = CliRunner().invoke(app, ["new", str(full)])
    assert "is not empty" in str(result.exception) and [path.name for path in full.iterdir()] == ["notes.txt"]
    (tmp_path / "nbgrader_config.py").touch()
    result = CliRunner().invoke(app, ["new", str(tmp_path / "inner")])
    assert "would be inside the course" in str(result.exception) and not (tmp_path / "inner").exists()


def test_every_command_that_its_readme_names_exists(tmp_path: Path) -> None:
    run("new", str(tmp_path / "course"))
    text = (tmp_path / "course" / "README.md").read_text()
    for line in text.splitlines():
        if line.startswith("autograder "):
            assert CliRunner().invoke(app, [line.split()[1], "--help"]).exit_code == 0, line
