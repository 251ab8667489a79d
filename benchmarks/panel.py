"""From the click on *Check* to the answer, in a browser: `python -m benchmarks.panel [CHAPTER]...`

Each chapter's notebook is open in JupyterLab with the course's own answers, and the panel has said what it knows of it.
Then *Check all* is pressed at once, and again when the panel's processes have had time to get ready, and *Check* of
each task once, one after the other. Needs Chromium, which `make test` brings.
"""

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import nbformat
import typer
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference, reference_answers
from autograder.course import Course, open_course
from benchmarks.commands import named_or_all

ROOT = Path(__file__).resolve().parents[1]
LOOKS = 0.05  # seconds between two looks at the page
READY = 20  # seconds in which both processes have imported everything
DONE = ".nw-bar .nw-points, .nw-problem:not(:empty)"


def main(names: Annotated[list[str] | None, typer.Argument(metavar="[CHAPTER]...")] = None) -> None:
    """Print a table: seconds of both clicks on *Check all*, the median and the longest of the tasks, and the answer."""
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import running_browser, running_lab

    ours = open_course(ROOT)
    with tempfile.TemporaryDirectory() as made:
        work = course_in(Path(made), ours)
        print("| chapter | all, at once, s | all, ready, s | one task, median, s | longest, s | answer |")
        print("|---|---:|---:|---:|---:|---|")
        with running_lab(work, Path(made) / "jupyter") as lab, running_browser(Path(made) / "profile") as browser:
            for chapter in named_or_all(names, ours.chapters()):
                solved = Notebook.of(nbformat.read(ours.released(chapter), as_version=4))
                solved = solved.with_sources(reference_answers(read_reference(ours, chapter)))
                nbformat.write(solved.node, work / f"{chapter}.ipynb")
                (first, second), tasks, answer = measured(browser, lab, chapter)
                seconds = [first, second, statistics.median(tasks), max(tasks)]
                print("|", " | ".join([chapter, *(f"{each:.1f}" for each in seconds), answer]), "|", flush=True)


def course_in(folder: Path, ours: Course) -> Path:
    """The folder `work/` of a course in `folder` that has our chapters and no marks of anybody."""
    settings = (ROOT / "nbgrader_config.py").read_text().replace("Path(__file__).parent", f"Path({str(ROOT)!r})")
    (folder / "nbgrader_config.py").write_text(settings)
    for chapter in ours.chapters():
        for part in ("solutions", "notebooks"):
            shutil.copytree(ROOT / part / chapter, folder / part / chapter)
    (folder / "work").mkdir()
    return folder / "work"


def measured(browser: Chrome, lab: dict[str, str], chapter: str) -> tuple[list[float], list[float], str]:
    """Seconds of two checks of a chapter's notebook and of one for each task, and what the panel says at the end."""
    from browser import PATIENCE, wait_for

    wait = WebDriverWait(browser, PATIENCE, LOOKS)
    browser.get(f"{lab['url']}lab/tree/{chapter}.ipynb?reset&token={lab['token']}")
    wait_for(browser, ".jp-Notebook-ExecutionIndicator[data-status='idle']")
    wait_for(browser, ".lm-TabBar-tab[data-id='nbgrader-wall-tasks']").click()
    wait_for(browser, ".nw-task")
    wait.until_not(lambda _: browser.find_elements(By.CSS_SELECTOR, ".nw-wait"))

    def seconds(button: str) -> float:
        began = time.monotonic()
        wait_for(browser, f"[data-key='{button}']").click()
        wait.until_not(lambda _: browser.find_elements(By.CSS_SELECTOR, DONE))
        wait.until(lambda _: browser.find_elements(By.CSS_SELECTOR, DONE))
        return time.monotonic() - began

    first = seconds("all")
    time.sleep(READY)
    whole = [first, seconds("all")]
    checks = browser.find_elements(By.CSS_SELECTOR, "[data-key^='check ']")
    buttons = [name for check in checks if (name := check.get_attribute("data-key"))]
    return whole, [seconds(button) for button in buttons], browser.find_element(By.CSS_SELECTOR, DONE).text


if __name__ == "__main__":
    typer.run(main)
