"""The panel of JupyterLab: its part of the server, and the whole of it in a real browser.

The folder named by the environment variable BROWSER_SCREENSHOTS keeps what the browser showed.
"""

import json
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from browser import PATIENCE, running_browser, running_lab, screenshot_folder, wait_for
from foreign_course import check, task
from nbformat.v4 import new_notebook
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from autograder.authoring.bank import read_bank
from autograder.chapter.cells import Notebook
from autograder.course import open_course
from autograder.panel.desk import Desk, Refused
from conftest import ROOT

CHAPTER, TASK = "01_bigrams", "ngrams"
BUNDLE = ROOT / "autograder" / "panel" / "labextension"
ROW = f".nw-task[data-task='{TASK}']"
RELEASE = nbformat.read(ROOT / "notebooks" / CHAPTER / f"{CHAPTER}.ipynb", as_version=4)
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
RELEASE_TASKS = Notebook.of(RELEASE).tasks


def answer(label: str) -> str:
    bank = read_bank(open_course(ROOT), CHAPTER)
    return next(each.source for each in bank[TASK] if each.label == label)


WRONG, RIGHT = "one start symbol whatever n is", "a window that forgets its oldest word"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of its own with the real chapter 01, in whose folder `work/` the learner's notebooks are."""
    folder = tmp_path_factory.mktemp("course")
    settings = (ROOT / "nbgrader_config.py").read_text().replace("Path(__file__).parent", f"Path({str(ROOT)!r})")
    (folder / "nbgrader_config.py").write_text(settings)
    for part in ("solutions", "notebooks"):
        shutil.copytree(ROOT / part / CHAPTER, folder / part / CHAPTER)
    (folder / "work").mkdir()
    nbformat.write(Notebook.of(RELEASE).with_sources({TASK: answer(WRONG)}).node, folder / "work" / f"{CHAPTER}.ipynb")
    return folder


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Chrome]:
    with running_browser(tmp_path / "profile") as chrome:
        yield chrome


def open_panel(browser: Chrome, lab: dict[str, str], name: str) -> None:
    browser.get(f"{lab['url']}lab/tree/{name}?reset&token={lab['token']}")
    wait_for(browser, ".jp-Notebook .jp-CodeCell")
    wait_for(browser, ".jp-Notebook-ExecutionIndicator[data-status='idle']")
    wait_for(browser, ".lm-TabBar-tab[data-id='nbgrader-wall-tasks']").click()
    wait_for(browser, ".nw-task")


def press(browser: Chrome, key: str) -> None:
    """Press a button of the panel with the keyboard."""
    focus = "document.querySelector(arguments[0]).focus(); return document.activeElement.dataset.key"
    selector = f".nw-Panel [data-key='{key}']"
    wait_for(browser, selector)
    WebDriverWait(browser, PATIENCE).until(lambda _: browser.execute_script(focus, selector) == key)
    ActionChains(browser).send_keys(Keys.ENTER).perform()


def until_checked(browser: Chrome) -> None:
    wait = WebDriverWait(browser, PATIENCE)
    wait.until(lambda _: browser.find_elements(By.CSS_SELECTOR, ".nw-bar .nw-points, .nw-problem"))


def replace_answer(browser: Chrome, source: str) -> None:
    """As one who pastes into the cell of the task, which the panel has made the active one."""
    active = WebDriverWait(browser, PATIENCE).until(
        lambda _: browser.find_elements(By.CSS_SELECTOR, ".jp-Cell.jp-mod-active .cm-content")
    )
    active[0].click()
    active[0].send_keys(Keys.CONTROL, "a")
    browser.execute_cdp_cmd("Input.insertText", {"text": source})


def test_failing_then_solved(course: Path, browser: Chrome, tmp_path: Path) -> None:
    """One task from its message to solved without a terminal, the hints one after the other, the jump, the reveal."""
    pictures = screenshot_folder(tmp_path)
    with running_lab(course / "work", tmp_path / "jupyter") as lab:
        open_panel(browser, lab, f"{CHAPTER}.ipynb")
        WebDriverWait(browser, PATIENCE).until_not(lambda _: browser.find_elements(By.CSS_SELECTOR, ".nw-mode"))
        press(browser, f"check {TASK}")
        message = wait_for(browser, f"{ROW}.nw-open .nw-message").text
        assert "The first 1-gram of `we sat` is ('we',)" in message
        browser.save_screenshot(pictures / "panel_failed.png")

        for number in (1, 2, 3):
            assert len(browser.find_elements(By.CSS_SELECTOR, f"{ROW} .nw-hint")) == number - 1
            press(browser, f"hint {TASK}")
            wait_for(browser, f"{ROW} .nw-hint:nth-of-type({number + 1}), {ROW} .nw-hint")
        browser.save_screenshot(pictures / "panel_hints.png")
        press(browser, f"hint {TASK}")  # now it is `Reveal`
        WebDriverWait(browser, PATIENCE).until(
            lambda _: "all the same" in wait_for(browser, f"[data-key='hint {TASK}']").text
        )
        assert not browser.find_elements(By.CSS_SELECTOR, ".nw-answer")
        press(browser, f"hint {TASK}")
        assert "def ngrams" in wait_for(browser, f"{ROW} .nw-answer").text

        press(browser, f"jump {TASK}")
        replace_answer(browser, answer(RIGHT))
        press(browser, "all")
        wait_for(browser, f"{ROW}.nw-solved")
        assert "3 of " in wait_for(browser, ".nw-bar .nw-points").text
        assert len(browser.find_elements(By.CSS_SELECTOR, ".nw-unchecked")) == len(RELEASE_TASKS) - 1
        browser.save_screenshot(pictures / "panel_solved.png")
    assert answer(RIGHT) in {cell.source for cell in nbformat.read(course / "work" / f"{CHAPTER}.ipynb", 4).cells}


def test_kit(browser: Chrome, tmp_path: Path) -> None:
    """Without hidden tests the checks that students see are run in the notebook's kernel."""
    pictures = screenshot_folder(tmp_path)
    folder = tmp_path / "kit"
    folder.mkdir()
    nbformat.write(Notebook.of(RELEASE).with_sources({TASK: answer(RIGHT)}).node, folder / f"{CHAPTER}.ipynb")
    with running_lab(folder, tmp_path / "jupyter") as lab:
        open_panel(browser, lab, f"{CHAPTER}.ipynb")
        assert "that you can see" in wait_for(browser, ".nw-mode").text
        press(browser, f"check {TASK}")
        wait_for(browser, f"{ROW}.nw-solved")
        browser.save_screenshot(pictures / "panel_kit.png")


def test_foreign_course(browser: Chrome, tmp_path: Path) -> None:
    """A course that knows nothing of us: its tests have no first line that names a task, and some are hidden."""
    folder = tmp_path / "foreign"
    (folder / "source" / "ps1").mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text("c = get_config()\n")
    hidden = "assert double(2) == 4\n### BEGIN HIDDEN TESTS\nassert double(-3) == -6, 'negative numbers too'\n"
    cells = [task("double", "def double(x):\n    return 2 * x"), check("test-double", hidden + "### END HIDDEN TESTS")]
    nbformat.write(new_notebook(cells=cells, metadata=KERNEL), folder / "source" / "ps1" / "ps1.ipynb")
    cells = [task("double", ""), check("test-double", "assert double(2) == 4")]
    cells[0].source = "def double(x):\n    return 2 * abs(x)"
    nbformat.write(new_notebook(cells=cells, metadata=KERNEL), folder / "ps1.ipynb")
    with running_lab(folder, tmp_path / "jupyter") as lab:
        open_panel(browser, lab, "ps1.ipynb")
        WebDriverWait(browser, PATIENCE).until_not(lambda _: browser.find_elements(By.CSS_SELECTOR, ".nw-mode"))
        browser.save_screenshot(screenshot_folder(tmp_path) / "panel_foreign_before.png")
        press(browser, "all")
        assert "negative numbers too" in wait_for(browser, ".nw-message").text
        browser.save_screenshot(screenshot_folder(tmp_path) / "panel_foreign.png")


def test_server_refuses(tmp_path: Path) -> None:
    """Whoever has no token is sent away; paths outside the root and bodies that are none get one line."""
    root = tmp_path / "root"
    root.mkdir()
    nbformat.write(new_notebook(), tmp_path / "outside.ipynb")
    (root / "link.ipynb").symlink_to(tmp_path / "outside.ipynb")

    with running_lab(root, tmp_path / "jupyter") as lab:

        def asked(body: bytes | None, query: str = "", token: str = lab["token"]) -> tuple[int, str]:
            headers = {"Authorization": f"token {token}"} if token else {}
            place = f"{lab['url']}autograder/panel/check{query}"
            try:
                with urllib.request.urlopen(urllib.request.Request(place, body, headers)) as response:
                    return response.status, response.read().decode()
            except urllib.error.HTTPError as error:
                return error.code, error.read().decode()

        assert asked(None, "?path=x.ipynb", token="")[0] == 403
        assert asked(b'{"path": "x.ipynb"}', token="")[0] == 403
        for path in ("../outside.ipynb", "link.ipynb", "/etc/passwd", "x.ipynb", "", "a%00b.ipynb"):
            status, text = asked(None, f"?path={path}")
            assert status == 400 and "There is no notebook" in json.loads(text)["message"]
        for body in (b"", b"[]", b"{", b'{"path": 3}', b"\xff"):
            status, text = asked(body)
            assert status == 400 and json.loads(text)["message"].startswith("The request needs")


def test_paths_stay_inside(tmp_path: Path) -> None:
    nbformat.write(new_notebook(), tmp_path / "mine.ipynb")
    desk = Desk(tmp_path)
    assert desk.notebook("/mine.ipynb") == (tmp_path / "mine.ipynb").resolve()
    with pytest.raises(Refused, match="no notebook"):
        desk.notebook("../mine.ipynb")


@pytest.mark.thorough
def test_bundle_builds_the_same_bytes(tmp_path: Path) -> None:
    """`make panel` in a copy of the sources makes the bundle that is committed."""
    if not shutil.which("npm"):
        pytest.skip("npm is missing.")
    for name in ("Makefile", "panel"):
        source = ROOT / name
        ignored = shutil.ignore_patterns("node_modules", "lib", "tsconfig.tsbuildinfo")
        shutil.copytree(source, tmp_path / name, ignore=ignored) if source.is_dir() else shutil.copy(source, tmp_path)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    (tmp_path / "autograder" / "panel").mkdir(parents=True)
    subprocess.run(["make", "-o", ".venv/.run-ready", "panel"], cwd=tmp_path, check=True)
    made = tmp_path / "autograder" / "panel" / "labextension"

    def contents(folder: Path) -> dict[str, bytes]:
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    assert contents(made) == contents(BUNDLE)
