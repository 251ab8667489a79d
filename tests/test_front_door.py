"""What a visitor meets first is true: numbers, commands, pictures, and the files for the page of the repository."""

import json
import os
import re
import shlex
import subprocess
import tomllib
from urllib.parse import parse_qs, urlsplit

import nbformat
import pytest
import yaml
from PIL import Image
from typer.main import get_command

from autograder.authoring.bank import read_bank
from autograder.cli import app
from autograder.course import START, open_course
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


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ADDRESS = PROJECT["urls"]["Repository"]
COMMANDS = get_command(app).commands  # type: ignore[attr-defined]


def run_by(line: str) -> list[list[str]]:
    """The commands of a line of a shell, each with its arguments."""
    parts = line.replace("&&", ";").split(";")
    return [words[words[0] == "sudo" :] for part in parts if (words := shlex.split(part))]


def test_the_dev_container_installs_as_the_readme_says_and_runs_what_there_is() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    update, install, made = run_by(container["onCreateCommand"])
    assert update == ["apt-get", "update", "-qq"] and install[:4] == ["apt-get", "install", "-y", "-qq"]
    debian = re.search(r"^\| Debian 12.*`sudo apt install ([^`]*)`", README, re.MULTILINE)
    assert debian and {*install[4:], "git"} == {*debian[1].split()}  # the image has git: the clone is there
    assert made[0] == "make" and f"\n{made[1]}:" in (ROOT / "Makefile").read_text(encoding="utf-8")
    ((program, command),) = run_by(container["updateContentCommand"])
    assert program == ".venv/bin/autograder" and command in COMMANDS
    assert container["customizations"]["codespaces"]["openFiles"] == [f"work/{START}"]
    assert container["privileged"]  # or bubblewrap may not make namespaces


def test_binder_installs_the_course_of_this_repository() -> None:
    folder = ROOT / ".binder"
    lines = [line for line in (folder / "requirements.txt").read_text().splitlines() if not line.startswith("#")]
    options = dict(line.split(maxsplit=1)[::-1] for line in lines)
    assert options == {
        "https://download.pytorch.org/whl/cpu": "--extra-index-url",
        "../constraints.txt": "-c",
        "./autograder": "-e",
        ".": "-e",
    }
    assert (folder / "../constraints.txt").is_file()  # pip looks for it from the folder of this file,
    assert all((ROOT / path / "pyproject.toml").is_file() for path in (".", "autograder"))  # and for these from the top
    python = (folder / "runtime.txt").read_text().strip().removeprefix("python-")
    assert python == PROJECT["requires-python"].removeprefix(">=")
    assert (folder / "apt.txt").read_text().split() == ["bubblewrap"]
    script = folder / "postBuild"
    *_, last = script.read_text().splitlines()
    program, command = last.split()
    assert os.access(script, os.X_OK) and program == "autograder" and command in COMMANDS


def test_colabs_notebook_fetches_this_repository_and_then_works(capsys: pytest.CaptureFixture[str]) -> None:
    notebook = nbformat.read(ROOT / "deploy" / "colab.ipynb", as_version=4)
    nbformat.validate(notebook)
    install, babble = (cell.source for cell in notebook.cells if cell.cell_type == "code")
    assert install.splitlines()[0] == f'ADDRESS = "{ADDRESS}"'
    assert f'"{PROJECT["name"]} @ git+{{ADDRESS}}"' in install
    exec(babble, {})
    assert capsys.readouterr().out.count("words of memory") == 3
    for path in re.findall(r"`([^`]+\.ipynb)`", notebook.cells[-1].source):
        assert (ROOT / path).is_file()


def test_the_buttons_open_what_there_is() -> None:
    repository = ADDRESS.removeprefix("https://github.com/")
    codespace, binder, colab = re.findall(rf"\]\((https://[^)]*{re.escape(repository)}[^)]*)\)", README)
    assert codespace == f"https://codespaces.new/{repository}"
    link = urlsplit(binder)
    assert (link.netloc, link.path) == ("mybinder.org", f"/v2/gh/{repository}/HEAD")
    assert parse_qs(link.query) == {"urlpath": [f"lab/tree/work/{START}"]}
    start, _, path = colab.partition("/blob/main/")
    assert start == f"https://colab.research.google.com/github/{repository}" and (ROOT / path).is_file()


def test_the_address_is_the_one_from_which_this_was_cloned() -> None:
    """Where that is GitHub: whoever publishes the course, or a fork of it, is told to put the new address in."""
    asked = subprocess.run(["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True)
    found = re.search(r"github\.com[:/](.+?)(\.git)?$", asked.stdout.strip())
    if found and "CI" not in os.environ:  # a fork's own tests need not know its address
        assert f"https://github.com/{found[1]}" == ADDRESS, "docs/publishing.md says how to put the address in"
