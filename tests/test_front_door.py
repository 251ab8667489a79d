"""What a visitor meets first is true: numbers, commands, pictures, and the files for the page of the repository."""

import os
import re
import tomllib

import pytest
import yaml
from PIL import Image

from autograder.authoring.bank import read_bank
from autograder.course import open_course
from benchmarks.documents import DOCUMENTS, blocks, holds_the_terminal
from conftest import ROOT
from lmkit.drawings.course import CHAPTERS

README = (ROOT / "README.md").read_text(encoding="utf-8")
LONGEST = 250  # lines
GITHUB = ROOT / ".github"


@pytest.mark.parametrize("path", ["README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))])
def test_no_document_is_long(path: str) -> None:
    lines = (ROOT / path).read_text(encoding="utf-8").count("\n")
    assert lines <= (200 if path == "README.md" else LONGEST)


def test_the_attacks_are_those_of_the_table() -> None:
    table = (ROOT / "docs" / "attacks.md").read_text(encoding="utf-8")
    total = re.search(r"\| of (\d+) attacks \|", table)
    assert total and f"We wrote {total[1]} and gave them" in README and f"| of {total[1]} attacks |" in README
    for theirs, ours in (
        ("marks changed", "marks changed"),
        ("left ungraded", "submission left ungraded"),
        (
            "hidden tests, solution or a neighbour's work in the outputs",
            "hidden tests, solutions or others' work shown in the outputs",
        ),
        ("any of these but the feedback page", "attacks that worked, each counted once"),
    ):
        figures = re.search(rf"\| {re.escape(theirs)} (\| \d+ \| \d+ \|)", table)
        assert figures and f"| {ours} {figures[1]}" in README


def test_the_bank_has_as_many_answers_as_the_readme_says() -> None:
    course = open_course(ROOT)
    answers = [answer for name in course.chapters() for task in read_bank(course, name).values() for answer in task]
    right = sum(answer.is_right for answer in answers)
    wrong, said_right = re.search(r"([\d,]+) wrong answers that.*?([\d,]+) right ones", README, re.DOTALL).groups()  # type: ignore[union-attr]
    assert len(answers) - right >= int(wrong.replace(",", "")) and right >= int(said_right.replace(",", ""))


def test_the_hours_of_the_chapters_are_those_of_the_course() -> None:
    hours = sum(float(chapter.hours.replace("½", ".5")) for chapter in CHAPTERS.values())
    said = re.search(r"about (\d+) in all", README)
    assert said and abs(int(said[1]) - hours) <= 2.5


def test_the_pictures_are_there_and_small_enough_for_a_page() -> None:
    for name in re.findall(r"!\[[^\]]{20,}\]\(([^)]+)\)", README):
        path = ROOT / name
        assert path.stat().st_size < 1_000_000
        with Image.open(path) as picture:
            assert 600 <= picture.width <= 1400
            assert path.suffix != ".gif" or getattr(picture, "n_frames", 1) == 5
    assert README.count("![") == len(re.findall(r"!\[[^\]]{20,}\]", README))  # each says what is to be seen


def test_every_path_that_is_linked_is_there() -> None:
    for document in (*DOCUMENTS, "CONTRIBUTING.md", "SECURITY.md", "docs/faq.md", "docs/syllabus.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            assert "://" in target or ((ROOT / document).parent / target).exists(), f"{document}: {target}"


def test_the_workflows_run_what_the_repository_runs() -> None:
    tests, site = (yaml.safe_load((GITHUB / "workflows" / f"{name}.yml").read_text()) for name in ("tests", "site"))
    assert ".ci/run" in [step.get("run") for step in tests["jobs"]["test"]["steps"]]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert "pull_request" in tests[True]  # YAML reads the key `on` as a truth value
    assert "make site" in [step.get("run") for step in site["jobs"]["build"]["steps"]]
    assert site["jobs"]["publish"]["needs"] == "build" and site["permissions"] == {"contents": "read"}


def test_the_version_is_the_same_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version
    newest = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest and newest[1] in (version, "Unreleased")


def test_each_issue_template_asks_something() -> None:
    forms = [path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"]
    assert len(forms) >= 3
    for path in forms:
        form = yaml.safe_load(path.read_text())
        assert form["name"] and form["description"]
        assert any(part["validations"]["required"] for part in form["body"])


def test_commands_are_read_from_the_documents() -> None:
    block = "cd x   # there\n# alone\nrun \\\n--all\n"
    text = f"a\n```bash\n{block}```\n- b\n\n  ```bash\n  grep -h '^# %%' c\n  ```\n```\nno\n```\n"
    assert list(blocks(text)) == [["cd x", "run  --all"], ["grep -h '^# %%' c"]]
    assert holds_the_terminal("make lab") and holds_the_terminal("autograder review 01")
    assert not holds_the_terminal("make demo") and not holds_the_terminal("autograder review 01 --list")
    assert all(list(blocks((ROOT / document).read_text(encoding="utf-8"))) for document in DOCUMENTS)
