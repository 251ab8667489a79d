"""Feedback and reports in a real browser: axe-core finds no fault, tables can be sorted, no script but ours runs.

The folder named by the environment variable BROWSER_SCREENSHOTS keeps what the browser showed.
"""

import shutil
from pathlib import Path

import nbformat
import pytest
from browser import needs_axe, running_browser, screenshot_folder, serious_faults, show_in, wait_for
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from autograder.course import Course, open_course
from autograder.grading.coordinator import grade_class
from autograder.pages.alike import write_alike
from autograder.pages.course_report import write_course_report
from autograder.pages.feedback import write_feedback
from autograder.pages.report import write_report
from conftest import CHAPTER, answered

NARROW = 320  # pixels: 1280 at a zoom of 400 %
CLASS = {
    "ben": "def square(x):\n    return x * abs(x)",
    "ada": "def square(x):\n    return x * x",
    "eve": "def square(x):\n    return 4 if abs(x) == 2 else 0",
}


@pytest.fixture(scope="module")
def graded(built_course: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The small course with a class of three, graded; what they wrote is alike in part."""
    course = open_course(shutil.copytree(built_course.root, tmp_path_factory.mktemp("graded") / "course"))
    for student, code in CLASS.items():
        path = course.submission(student, CHAPTER)
        path.parent.mkdir(parents=True)
        nbformat.write(answered(course, code).node, path)
    list(grade_class(course, CHAPTER, list(CLASS), jobs=1))
    return course


@needs_axe
def test_pages_hinder_nobody(graded: Course, tmp_path: Path) -> None:
    """Feedback and reports, light and dark, in words for a screen reader and in colours that can be told apart."""
    pages = [*write_feedback(graded, CHAPTER), *write_course_report(graded, [CHAPTER])]
    pages += [path for path in write_report(graded, CHAPTER) if path.suffix == ".html"]
    pages.append(write_alike(graded, CHAPTER)[0])
    assert len(pages) == 3 + 4 + 1 + 1
    with running_browser(tmp_path / "profile") as browser:
        for dark in (False, True):
            for page in pages:
                show_in(browser, dark=dark)
                browser.get(page.as_uri())
                name = f"{page.parent.parent.name}_{page.stem}_{'dark' if dark else 'light'}"
                browser.save_screenshot(str(screenshot_folder(tmp_path) / f"page_{name}.png"))
                assert serious_faults(browser) == {}, name
                show_in(browser, dark=dark, width=NARROW)
                assert browser.execute_script("return document.documentElement.scrollWidth") <= NARROW, name


def test_tables_sort_and_search(graded: Course, tmp_path: Path) -> None:
    html, _ = write_report(graded, CHAPTER)
    across, *_ = write_course_report(graded, [CHAPTER])
    with running_browser(tmp_path / "profile") as browser:
        for page in (html, across):
            # Even if a value came to the page unescaped, the page's policy would not let it run.
            page.write_text(page.read_text().replace(">eve<", ">eve<script>document.title = 'run'</script><"))
            browser.get(page.as_uri())
            wait_for(browser, "th button")
            assert browser.title != "run"
            table = browser.find_elements(By.CSS_SELECTOR, "table.sortable")[-1 if page == html else 0]

            def names(table=table) -> list[str]:
                cells = table.find_elements(By.CSS_SELECTOR, "tbody tr:not([hidden]) td:first-child")
                return [cell.text for cell in cells]

            assert names() == ["ada", "ben", "eve"]
            head = next(head for head in table.find_elements(By.TAG_NAME, "th") if head.text in ("total", "points"))
            head.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
            assert names() == ["ben", "eve", "ada"] and head.get_attribute("aria-sort") == "ascending"
            head.find_element(By.TAG_NAME, "button").click()
            assert names() == ["ada", "eve", "ben"] and head.get_attribute("aria-sort") == "descending"
            table.find_element(By.XPATH, "preceding::input[1]").send_keys("BE")
            assert names() == ["ben"]
            browser.save_screenshot(str(screenshot_folder(tmp_path) / f"sorted_{page.stem}.png"))
