"""Formgrader's *Autograde* button, pressed in a real browser, gives the marks that `autograder grade` gives."""

import shutil
from pathlib import Path

import nbformat
from browser import PATIENCE, running_browser, running_lab, screenshot_folder, text_of, wait_for
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from autograder.course import Course, open_course
from autograder.grading.coordinator import grade_class, register
from autograder.grading.marks import marks_of_class, totals
from conftest import CHAPTER, answered

HANDED_IN = {
    "cheat": "import IPython\nget_ipython().displayhook = lambda value: None\nclass Yes:\n"
    "    def __eq__(self, other):\n        return True\ndef square(x):\n    return Yes()",
    "right": "def square(x):\n    return x * x",
    "wrong": "def square(x):\n    return x * abs(x)",
}
HONEST = {"cheat": 0, "right": 3, "wrong": 1}


def class_in(folder: Path, built_course: Course) -> Course:
    """A copy of the small course with three submissions, known to its gradebook and not graded."""
    course = open_course(shutil.copytree(built_course.root, folder))
    for student, code in HANDED_IN.items():
        path = course.submitted / student / CHAPTER / f"{CHAPTER}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(answered(course, code).node, path)
    register(course, CHAPTER)
    return course


def test_the_button_gives_the_marks_of_the_command(built_course: Course, tmp_path: Path) -> None:
    by_command = class_in(tmp_path / "command", built_course)
    assert all(not graded.problem for graded in grade_class(by_command, CHAPTER, list(HANDED_IN)))
    by_button = class_in(tmp_path / "button", built_course)
    screenshots = screenshot_folder(tmp_path)
    with running_lab(by_button.root, tmp_path / "jupyter") as lab, running_browser(tmp_path / "profile") as browser:
        browser.get(f"{lab['url']}tree?token={lab['token']}")  # signs in: formgrader's own pages do not keep the token
        browser.get(f"{lab['url']}formgrader/manage_submissions/{CHAPTER}")
        for student in HANDED_IN:
            row = wait_for(browser, f"tr:has([data-order='{student}'])")
            row.find_element(By.CSS_SELECTOR, ".autograde a").click()
            wait_for(browser, ".modal.in .modal-title, .modal.show .modal-title")
            WebDriverWait(browser, PATIENCE).until(lambda b: "Success" in text_of(b, ".modal"))
            browser.save_screenshot(str(screenshots / f"formgrader_{student}.png"))
            browser.refresh()
        wait_for(browser, ".autograde a")
        browser.save_screenshot(str(screenshots / "formgrader.png"))
    marks = [totals(marks_of_class(course, CHAPTER))["points"].to_dict() for course in (by_button, by_command)]
    assert marks == [HONEST, HONEST]
