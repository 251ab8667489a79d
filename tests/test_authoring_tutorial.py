"""The first task of docs/authoring.md, as a reader would paste it: it builds, and says what the page says it says."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.cli import app
from conftest import ROOT, make_course

CHAPTER = "99_mine"
PAGE = (ROOT / "docs" / "authoring.md").read_text(encoding="utf-8")
TEXT, ANSWERS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
SAID = re.findall(r"^```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)  # after build, check, bank, the weaker bank


def lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


def test_the_first_task_of_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_course(tmp_path, TEXT, CHAPTER)
    settings = tmp_path / "nbgrader_config.py"
    settings.write_text(settings.read_text().replace("c.Authoring.rules = False", "c.Authoring.rules = True"))
    answers = tmp_path / "tests" / "answers" / CHAPTER / "richness.py"
    answers.parent.mkdir(parents=True)
    answers.write_text(ANSWERS)
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> set[str]:
        return lines(CliRunner().invoke(app, words).output)

    built, checked, tried, weaker = (lines(text) for text in SAID)
    assert built <= run("build", "99")
    assert checked <= run("check", f"solutions/{CHAPTER}/{CHAPTER}.ipynb")
    assert tried <= run("bank", CHAPTER)
    first, mark, last = TEXT.rpartition("### BEGIN HIDDEN TESTS\n")
    source = tmp_path / "solutions" / CHAPTER / f"{CHAPTER}.py"
    source.write_text(first + mark + "_found = richness(poet)\n" + "".join(last.splitlines(keepends=True)[2:]))
    run("build", "99")
    assert weaker <= run("bank", CHAPTER)
