"""Tables of the reports in a real browser: sorted by a key or a click, searched, and no script but ours runs."""

import shutil
from pathlib import Path

import nbformat
from browser import running_browser, screenshot_folder, wait_for
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from autograder.course import Course, open_course
from autograder.grading.coordinator import grade_class
from autograder.pages.course_report import write_course_report
from autograder.pages.report import write_report
from conftest import CHAPTER, answered

CLASS = {
    "ben": "def square(x):\n    return x * abs(x)",
    "ada": "def square(x):\n    return x * x",
    "eve": "def square(x):\n    return 4 if abs(x) == 2 else 0",
}


def test_tables_sort_and_search(built_course: Course, tmp_path: Path) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    for student, code in CLASS.items():
        path = course.submission(student, CHAPTER)
        path.parent.mkdir(parents=True)
        nbformat.write(answered(course, code).node, path)
    list(grade_class(course, CHAPTER, list(CLASS), jobs=1))
    html, _ = write_report(course, CHAPTER)
    across, *_ = write_course_report(course, [CHAPTER])
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
