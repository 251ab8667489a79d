"""The panel of JupyterLab: its part of the server, and the whole of it in a real browser.

The folder named by the environment variable BROWSER_SCREENSHOTS keeps what the browser showed.
"""

import asyncio
import json
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from browser import (
    PATIENCE,
    dark_theme,
    needs_axe,
    running_browser,
    running_lab,
    screenshot_folder,
    serious_faults,
    text_of,
    wait_for,
)
from foreign_course import check, task
from nbformat.v4 import new_notebook
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from autograder.authoring.bank import read_bank
from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference, reference_answers
from autograder.course import START, open_course
from autograder.learner.gallery import gallery_near, models_in
from autograder.panel.desk import NO_WORKER, STOPPED, Desk, Refused
from conftest import ROOT
from lmkit import gallery

CHAPTER, TASK = "01_bigrams", "ngrams"
BUNDLE = ROOT / "autograder" / "panel" / "labextension"
ROW = f".nw-task[data-task='{TASK}']"
RELEASE = nbformat.read(ROOT / "notebooks" / CHAPTER / f"{CHAPTER}.ipynb", as_version=4)
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
RELEASE_TASKS = Notebook.of(RELEASE).tasks
POINTS = round(sum(test.points for test in Notebook.of(RELEASE).tests))


def answer(label: str) -> str:
    bank = read_bank(open_course(ROOT), CHAPTER)
    return next(each.source for each in bank[TASK] if each.label == label)


WRONG, RIGHT = "one start symbol whatever n is", "a window that forgets its oldest word"


def course_with(folder: Path, answers: dict[str, str]) -> Path:
    """The learner's folder `work/` in a course of its own that has the real chapter 01."""
    settings = (ROOT / "nbgrader_config.py").read_text().replace("Path(__file__).parent", f"Path({str(ROOT)!r})")
    (folder / "nbgrader_config.py").write_text(settings)
    for part in ("solutions", "notebooks"):
        shutil.copytree(ROOT / part / CHAPTER, folder / part / CHAPTER)
    (folder / "work").mkdir()
    nbformat.write(Notebook.of(RELEASE).with_sources(answers).node, folder / "work" / f"{CHAPTER}.ipynb")
    return folder / "work"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The learner's folder of a course, with a wrong answer to one task."""
    return course_with(tmp_path, {TASK: answer(WRONG)})


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
    wait.until(lambda _: browser.find_elements(By.CSS_SELECTOR, ".nw-bar .nw-points, .nw-problem:not(:empty)"))


def until_hints(browser: Chrome, number: int) -> None:
    WebDriverWait(browser, PATIENCE).until(lambda _: len(browser.find_elements(By.CSS_SELECTOR, ".nw-hint")) == number)


def replace_answer(browser: Chrome, source: str) -> None:
    """As one who pastes into the cell of the task, which the panel has made the active one."""
    active = WebDriverWait(browser, PATIENCE).until(
        lambda _: browser.find_elements(By.CSS_SELECTOR, ".jp-Cell.jp-mod-active .cm-content")
    )
    active[0].click()
    active[0].send_keys(Keys.CONTROL, "a")
    browser.execute_cdp_cmd("Input.insertText", {"text": source})


def test_failing_then_solved(work: Path, browser: Chrome, tmp_path: Path) -> None:
    """One task from its message to solved without a terminal, the hints one after the other, the jump, the reveal."""
    pictures = screenshot_folder(tmp_path)
    with running_lab(work, tmp_path / "jupyter") as lab:
        open_panel(browser, lab, f"{CHAPTER}.ipynb")
        press(browser, f"check {TASK}")
        message = text_of(browser, f"{ROW}.nw-open .nw-message")
        assert "The first 1-gram of `we sat` is ('we',)" in message
        browser.save_screenshot(pictures / "panel_failed.png")

        for number in (1, 2, 3):
            assert len(browser.find_elements(By.CSS_SELECTOR, f"{ROW} .nw-hint")) == number - 1
            press(browser, f"hint {TASK}")
            until_hints(browser, number)
        browser.save_screenshot(pictures / "panel_hints.png")
        press(browser, f"hint {TASK}")  # now it is `Reveal`
        WebDriverWait(browser, PATIENCE).until(
            lambda _: "all the same" in text_of(browser, f"[data-key='hint {TASK}']")
        )
        assert not browser.find_elements(By.CSS_SELECTOR, ".nw-answer")
        press(browser, f"hint {TASK}")
        assert "def ngrams" in text_of(browser, f"{ROW} .nw-answer")
        assert browser.execute_script("return document.activeElement.dataset.key") == f"check {TASK}"

        press(browser, f"jump {TASK}")
        replace_answer(browser, answer(RIGHT))
        press(browser, "all")
        wait_for(browser, f"{ROW}.nw-solved")
        assert text_of(browser, ".nw-bar .nw-points") == f"3 of {POINTS} points"
        assert len(browser.find_elements(By.CSS_SELECTOR, ".nw-unchecked")) == len(RELEASE_TASKS) - 1
        browser.save_screenshot(pictures / "panel_solved.png")
    assert answer(RIGHT) in {cell.source for cell in nbformat.read(work / f"{CHAPTER}.ipynb", 4).cells}


def test_stop(work: Path, browser: Chrome, tmp_path: Path) -> None:
    """A check that takes too long is ended by a button; the next click is answered."""
    path = work / f"{CHAPTER}.ipynb"
    slow = answer(RIGHT).replace("):\n", "):\n    import time\n    time.sleep(3600)\n", 1)
    nbformat.write(Notebook.of(RELEASE).with_sources({TASK: slow}).node, path)
    with running_lab(work, tmp_path / "jupyter") as lab:
        open_panel(browser, lab, path.name)
        press(browser, "all")
        press(browser, "stop")
        wait_for_text(browser, ".nw-problem", STOPPED)
        assert browser.execute_script("return document.activeElement.dataset.key") == "all"
        assert not browser.find_elements(By.CSS_SELECTOR, ".nw-progress")
        press(browser, f"jump {TASK}")
        replace_answer(browser, answer(RIGHT))
        press(browser, f"check {TASK}")
        wait_for(browser, f"{ROW}.nw-solved")
        wait_for_text(browser, ".nw-said", f"{TASK}: every check passed, 3 of 3 points.")
        assert not text_of(browser, ".nw-problem")


def wait_for_text(browser: Chrome, selector: str, text: str) -> None:
    wait = WebDriverWait(browser, PATIENCE)
    wait.until(lambda _: text_of(browser, selector) == text, f"{selector} does not say {text}")


def test_gallery(work: Path, browser: Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The models that the learner made last are in the panel, and a button shows all that all of them write."""
    monkeypatch.setenv("LMKIT_GALLERY", str(work / "gallery"))
    for number in range(5):
        more = {"on a": f"day {number} <b>", "on the": "table"}
        gallery.keep(f"0{number}_model", continuations=more, text="kitchen", bits_above_floor=2)
    with running_lab(work, tmp_path / "jupyter") as lab:
        open_panel(browser, lab, f"{CHAPTER}.ipynb")
        shown = text_of(browser, ".nw-gallery")
        assert len(browser.find_elements(By.CSS_SELECTOR, ".nw-models > li")) == 3
        assert "kitchen · " in shown and "2 bits above the floor" in shown and "on a day" in shown
        assert "on the" not in shown
        press(browser, "gallery")
        WebDriverWait(browser, PATIENCE).until(lambda _: "on the" in text_of(browser, ".nw-gallery"))
        assert len(browser.find_elements(By.CSS_SELECTOR, ".nw-models > li")) == 5
        browser.save_screenshot(screenshot_folder(tmp_path) / "panel_gallery.png")


def test_gallery_is_found_and_what_is_damaged_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook, folder = tmp_path / "work" / "deep" / "mine.ipynb", tmp_path / "work" / "gallery"
    assert models_in(gallery_near(notebook))[0] == []
    monkeypatch.setenv("LMKIT_GALLERY", str(folder))
    for name in ("first", "second", "second"):
        gallery.keep(name, continuations={"a": "b"}, text="names")
    monkeypatch.delenv("LMKIT_GALLERY")
    assert models_in(gallery_near(notebook))[0] == []
    (tmp_path / "work" / ".releases.json").write_text("{}")
    for name, text in {"broken": "{", "list": "[]", "other": '{"name": "x"}', "deep": "[" * 99_999}.items():
        (folder / f"{name}.json").write_text(text)
    assert {model.name for model in models_in(gallery_near(notebook))[0]} == {"first", "second"}
    assert len(models_in(gallery_near(notebook))[0]) == 2


@needs_axe
def test_axe_finds_no_serious_fault(
    work: Path, browser: Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The panel with all that it can show, and what the start page and a chapter draw: in light and in dark."""
    pictures, home = screenshot_folder(tmp_path), tmp_path / "jupyter"
    monkeypatch.setenv("LMKIT_GALLERY", str(work / "gallery"))
    gallery.keep("01_trigram", continuations={"on a": "cold day"}, text="kitchen", bits_per_byte=2)
    shutil.copy(ROOT / "notebooks" / START, work)
    found: dict[str, object] = {}
    with running_lab(work, home) as lab:
        for look in ("light", "dark"):
            if look == "dark":
                dark_theme(home)
            open_panel(browser, lab, f"{CHAPTER}.ipynb")
            wait_for(browser, ".nw-gallery")
            found[f"before, {look}"] = serious_faults(browser, ".nw-Panel")
            browser.execute_script("document.querySelector('[data-key=all]').focus()")
            ActionChains(browser).send_keys(Keys.TAB).perform()
            first = f"jump {RELEASE_TASKS[0].name}"
            assert browser.execute_script("return document.activeElement.dataset.key") == first
            press(browser, f"check {TASK}")
            found[f"meanwhile, {look}"] = serious_faults(browser, ".nw-Panel")
            wait_for(browser, f"{ROW}.nw-open .nw-message")
            for number in range(5 if look == "light" else 4):  # the last two ask for the answer, once asked for ever
                press(browser, f"hint {TASK}")
                until_hints(browser, min(3, number + 1))
            shown = wait_for(browser, f"{ROW} .nw-answer")
            browser.execute_script("arguments[0].scrollIntoView({block: 'end'})", shown)
            browser.save_screenshot(pictures / f"panel_all_{look}.png")
            found[f"panel, {look}"] = serious_faults(browser, ".nw-Panel")

            browser.get(f"{lab['url']}lab/tree/{START}?reset&token={lab['token']}")
            wait_for(browser, ".jp-Notebook-ExecutionIndicator[data-status='idle']")
            browser.find_element(By.XPATH, "//*[contains(@class, 'lm-MenuBar-itemLabel')][text()='Run']").click()
            wait_for(browser, ".lm-Menu-item[data-command='runmenu:run-all']").click()
            drawn = wait_for(browser, ".jp-OutputArea-output img[alt]")
            assert str(drawn.get_attribute("alt")).startswith("A map of the eleven chapters")
            browser.save_screenshot(pictures / f"start_{look}.png")
            found[f"start page, {look}"] = serious_faults(browser, ".jp-RenderedMarkdown", ".jp-OutputArea-output")
    assert {place: faults for place, faults in found.items() if faults} == {}


@pytest.mark.thorough
def test_chapter_one_with_the_panel_alone(browser: Chrome, tmp_path: Path) -> None:
    """From the released notebook to all points: no terminal, only the panel and the cells to which it leads."""
    pictures = screenshot_folder(tmp_path)
    work = course_with(tmp_path, {})
    answers = reference_answers(read_reference(open_course(ROOT), CHAPTER))
    with running_lab(work, tmp_path / "jupyter") as lab:
        open_panel(browser, lab, f"{CHAPTER}.ipynb")
        tasks = [str(row.get_attribute("data-task")) for row in browser.find_elements(By.CSS_SELECTOR, ".nw-task")]
        assert set(tasks) == {cell.name for cell in RELEASE_TASKS}
        for number in range(3):
            press(browser, f"hint {tasks[0]}")
            until_hints(browser, number + 1)
        for solved, task in enumerate(tasks):
            assert len(browser.find_elements(By.CSS_SELECTOR, ".nw-solved")) == solved
            press(browser, f"jump {task}")
            replace_answer(browser, answers[task])
            press(browser, f"check {task}")
            wait_for(browser, f".nw-task[data-task='{task}'].nw-solved")
        press(browser, "all")
        wait_for_text(browser, ".nw-said", f"All tasks: every check passed, {POINTS} of {POINTS} points.")
        assert len(browser.find_elements(By.CSS_SELECTOR, ".nw-solved")) == len(tasks)
        browser.save_screenshot(pictures / "panel_chapter_one.png")
    assert json.loads((work / ".points.json").read_text()) == {"01": [POINTS, POINTS]}


def test_kit(browser: Chrome, tmp_path: Path) -> None:
    """Without hidden tests the checks that students see are run in the notebook's kernel."""
    pictures = screenshot_folder(tmp_path)
    folder = tmp_path / "kit"
    folder.mkdir()
    nbformat.write(Notebook.of(RELEASE).with_sources({TASK: answer(RIGHT)}).node, folder / f"{CHAPTER}.ipynb")
    with running_lab(folder, tmp_path / "jupyter") as lab:
        open_panel(browser, lab, f"{CHAPTER}.ipynb")
        assert "that you can see" in text_of(browser, ".nw-mode")
        press(browser, f"check {TASK}")
        wait_for(browser, f"{ROW}.nw-solved")
        browser.save_screenshot(pictures / "panel_kit.png")
        runs = []
        for _ in range(2):  # each saves what the one before has run
            press(browser, f"check {TASK}")
            until_checked(browser)
            cells = nbformat.read(folder / f"{CHAPTER}.ipynb", as_version=4).cells
            runs.append({cell.id: cell.execution_count for cell in cells if cell.cell_type == "code"})
        again = {name for name, number in runs[1].items() if number != runs[0][name]}
        assert again == {test.name for test in Notebook.of(RELEASE).tests if test.task == TASK}


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
        browser.save_screenshot(screenshot_folder(tmp_path) / "panel_foreign_before.png")
        press(browser, "all")
        assert "negative numbers too" in text_of(browser, ".nw-message")
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


WORKER = """
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)
    if question["what"] == "check":
        {checking}
    checks = [{{"task": question["task"], "is": "new"}}] if question["task"] else []
    print(json.dumps({{"hidden": True, "checks": checks, "not_begun": []}}), flush=True)
"""


async def close(desk: Desk) -> None:
    """End what it has begun, so that nothing of it is left when the event loop ends."""
    for running in desk._checks.values():
        running.cancel()
    await asyncio.gather(*desk._checks.values(), return_exceptions=True)
    if worker := desk._worker:
        desk._end()
        await worker.wait()


async def checked(desk: Desk, notebook: Path, task: str = "") -> float:
    """Seconds until a check is over."""
    began = time.monotonic()
    await desk.start_check(notebook, task)
    while (await desk.state(notebook)).running:
        await asyncio.sleep(0.02)
    return time.monotonic() - began


def test_a_worker_that_dies(tmp_path: Path) -> None:
    """One that died between two questions is not noticed; one that dies of a question is one clear line, once."""

    async def ask() -> None:
        desk, notebook = Desk(tmp_path), tmp_path / "mine.ipynb"
        desk.command = [sys.executable, "-c", WORKER.format(checking="pass")]
        await checked(desk, notebook)
        assert (await desk.state(notebook)).checks == [] and desk._worker
        first = desk._worker.pid
        desk._worker.kill()
        await checked(desk, notebook)
        assert (await desk.state(notebook)).problem == "" and desk._worker and desk._worker.pid != first
        desk.command = [sys.executable, "-c", WORKER.format(checking="sys.exit()")]
        desk._worker.kill()
        await checked(desk, notebook)
        assert (await desk.state(notebook)).problem == NO_WORKER
        desk.command = [sys.executable, "-c", "no python"]
        await checked(desk, notebook)
        assert (await desk.state(notebook)).problem == NO_WORKER
        desk.command = [sys.executable, "-c", WORKER.format(checking="pass")]
        await checked(desk, notebook)
        assert (await desk.state(notebook)).problem == ""
        await close(desk)

    asyncio.run(ask())


def test_a_check_of_one_task_keeps_what_is_known_of_others(tmp_path: Path) -> None:
    async def ask() -> None:
        desk, notebook = Desk(tmp_path), tmp_path / "mine.ipynb"
        desk.command = [sys.executable, "-c", WORKER.format(checking="pass")]
        state = await desk.state(notebook)
        state.checks = [{"task": "a", "is": "old"}, {"task": "b", "is": "old"}]
        await checked(desk, notebook, "a")
        assert state.checks == [{"task": "b", "is": "old"}, {"task": "a", "is": "new"}]
        await checked(desk, notebook)
        assert state.checks == []
        await close(desk)

    asyncio.run(ask())


def test_stopping_one_check_leaves_the_others(tmp_path: Path) -> None:
    async def ask() -> None:
        desk, mine, other = Desk(tmp_path), tmp_path / "mine.ipynb", tmp_path / "other.ipynb"
        slow = "time.sleep(3600 if 'mine' in question['notebook'] else 0)"
        desk.command = [sys.executable, "-c", WORKER.format(checking=slow)]
        assert not (await desk.stop_check(mine)).problem
        assert (await desk.start_check(mine, "")).running
        waiting = asyncio.create_task(checked(desk, other))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        state = await desk.stop_check(mine)
        assert (state.running, state.problem, state.checks) == (False, STOPPED, None)
        await waiting
        assert (await desk.state(other)).checks == []
        assert (await desk.start_check(mine, "")).running and (await desk.stop_check(mine)).problem == STOPPED
        await close(desk)

    asyncio.run(ask())


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
