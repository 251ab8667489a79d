"""A learner's way in a real browser: the start page, then tasks typed in JupyterLab, saved, and put to *Validate*.

The folder named by the environment variable BROWSER_SCREENSHOTS keeps what the browser showed.
"""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from browser import PATIENCE, running_browser, running_lab, screenshot_folder, wait_for
from nbformat import NotebookNode
from nbformat.reader import NotJSONError
from selenium.common.exceptions import ElementClickInterceptedException, StaleElementReferenceException
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from autograder.authoring.bank import read_bank
from autograder.chapter.cells import Notebook
from autograder.course import START, open_course
from autograder.learner.workplace import prepare

ROOT = Path(__file__).parents[1]
CHAPTER, TASK = "01_bigrams", "ngrams"
TORCH_CHAPTER, TORCH_TASK = "08_transformer", "examples"
BANK = read_bank(open_course(ROOT), CHAPTER)
RELEASE = nbformat.read(ROOT / "notebooks" / CHAPTER / f"{CHAPTER}.ipynb", as_version=4)
REFERENCE = nbformat.read(ROOT / "solutions" / CHAPTER / f"{CHAPTER}.ipynb", as_version=4)
RELEASES = ROOT / "notebooks"
RIGHT = "a window that forgets its oldest word"
WRONG = "one start symbol whatever n is"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder JupyterLab shows: the release, and a copy where all tasks but one hold the reference's answer."""
    folder = tmp_path_factory.mktemp("course")
    rest = {cell.name: cell.source for cell in Notebook.of(REFERENCE).answers if cell.name != TASK}
    nbformat.write(RELEASE, folder / "release.ipynb")
    nbformat.write(Notebook.of(RELEASE).with_sources(rest).node, folder / "one_task_left.ipynb")
    shutil.copyfile(open_course(ROOT).released(TORCH_CHAPTER), folder / f"{TORCH_CHAPTER}.ipynb")
    places = {"source_directory": str(ROOT / "solutions"), "release_directory": str(RELEASES)}
    work = replace(open_course(ROOT), root=folder, nbgrader=open_course(ROOT).settings(**places))
    prepare(work)
    return folder


@pytest.fixture(scope="module")
def lab(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with running_lab(course, tmp_path_factory.mktemp("jupyter")) as server:
        yield server


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Chrome]:
    with running_browser(tmp_path / "profile") as chrome:
        yield chrome


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    return screenshot_folder(tmp_path)


def open_notebook(browser: Chrome, lab: dict[str, str], name: str) -> None:
    browser.get(f"{lab['url']}lab/tree/{name}?reset&token={lab['token']}")
    wait_for(browser, ".jp-Notebook .jp-CodeCell")
    wait_for(browser, ".jp-Notebook-ExecutionIndicator[data-status='idle']")


def click_into_cell(browser: Chrome, text: str) -> WebElement:
    """Put the cursor into the code cell that holds `text`; cells join the page little by little and move meanwhile."""
    path = f"//*[contains(@class, 'jp-CodeCell')]//*[contains(@class, 'cm-content')][contains(., '{text}')]"

    def clicked(_: Chrome) -> WebElement | None:
        for editor in browser.find_elements(By.XPATH, path)[:1]:
            editor.click()
            if browser.switch_to.active_element == editor:
                return editor
        return None

    moved = (ElementClickInterceptedException, StaleElementReferenceException)
    return WebDriverWait(browser, PATIENCE, ignored_exceptions=moved).until(clicked)


def unfold(browser: Chrome, text: str) -> None:
    """Open the folded code cell whose first line, all that is seen of it, begins with `text`."""
    path = f"//*[contains(@class, 'jp-PlaceholderText')][starts-with(normalize-space(.), '{text}')]"

    def clicked(_: Chrome) -> bool:
        for line in browser.find_elements(By.XPATH, path)[:1]:
            line.click()
            return True
        return False

    moved = (ElementClickInterceptedException, StaleElementReferenceException)
    WebDriverWait(browser, PATIENCE, ignored_exceptions=moved).until(clicked)


def press(browser: Chrome, modifier: str, key: str) -> None:
    ActionChains(browser).key_down(modifier).send_keys(key).key_up(modifier).perform()


def from_bank(label: str) -> str:
    return next(answer.source for answer in BANK[TASK] if answer.label == label)


def type_and_save(browser: Chrome, path: Path, source: str) -> None:
    """Replace what the task cell holds by an answer, key by key, and save."""
    click_into_cell(browser, f"def {TASK}(")
    press(browser, Keys.CONTROL, "a")
    for number, line in enumerate(source.split("\n")):
        if number:
            ActionChains(browser).send_keys(Keys.ENTER).perform()
            # The editor has indented the new line by its own rules: select that, so that typing replaces it.
            press(browser, Keys.SHIFT, Keys.HOME)
        ActionChains(browser).send_keys(line).perform()
    press(browser, Keys.CONTROL, "s")
    WebDriverWait(browser, PATIENCE).until(
        lambda _: cells_on_disk(path).get(TASK) == source, "The answer is not saved."
    )


def paste_and_save(browser: Chrome, path: Path, source: str, task: str) -> None:
    """The same as one who pastes: at once."""
    click_into_cell(browser, f"def {task}(")
    press(browser, Keys.CONTROL, "a")
    browser.execute_cdp_cmd("Input.insertText", {"text": source})
    press(browser, Keys.CONTROL, "s")
    WebDriverWait(browser, PATIENCE).until(
        lambda _: cells_on_disk(path).get(task) == source, "The answer is not saved."
    )


def read_on_disk(path: Path) -> list[NotebookNode]:
    """The cells that were saved; none while Jupyter, which empties the file first, is at it."""
    try:
        return list(nbformat.read(path, as_version=4).cells)
    except NotJSONError:
        return []


def cells_on_disk(path: Path) -> dict[str, str]:
    cells = read_on_disk(path)
    return {cell.metadata.nbgrader.grade_id: cell.source for cell in cells if "nbgrader" in cell.metadata}


def outputs_on_disk(path: Path) -> str:
    cells = read_on_disk(path)
    return "".join(str(output.get("text", "")) for cell in cells for output in cell.get("outputs", []))


def validate(browser: Chrome, screenshot: Path) -> tuple[str, dict[str, str]]:
    """Press *Validate*; what the dialog says, and its errors by the first line of the check that failed."""
    wait_for(browser, ".validate-button").click()
    text = wait_for(browser, ".jp-Dialog #validation-message").get_property("innerText")
    blocks = browser.find_elements(By.CSS_SELECTOR, ".jp-Dialog pre")
    if blocks:  # a source and its traceback, whose last line the dialog shows only when scrolled
        browser.execute_script("arguments[0].scrollIntoView({block: 'end', inline: 'start'})", blocks[1])
    browser.save_screenshot(screenshot)
    texts = [block.get_property("innerText") for block in blocks]
    return text, {source.split("\n")[0]: error for source, error in zip(texts[::2], texts[1::2], strict=True)}


def close_dialog(browser: Chrome) -> None:
    wait_for(browser, ".jp-Dialog button.jp-mod-accept").click()
    WebDriverWait(browser, PATIENCE).until_not(lambda _: browser.find_elements(By.CSS_SELECTOR, ".jp-Dialog"))


def test_release(browser: Chrome, lab: dict[str, str], course: Path, screenshots: Path) -> None:
    """Hints and locked checks are folded; with one task answered, *Validate* complains of the other tasks only."""
    open_notebook(browser, lab, "release.ipynb")
    browser.save_screenshot(screenshots / "release.png")
    unfold(browser, f"# Checks {TASK}:")
    check = click_into_cell(browser, f"# Checks {TASK}:")
    shown = check.text
    ActionChains(browser).send_keys("pass #").perform()
    assert check.text == shown
    hints = browser.find_elements(By.CSS_SELECTOR, ".jp-RenderedMarkdown details")
    assert hints and not any(hint.get_property("open") for hint in hints)

    type_and_save(browser, course / "release.ipynb", from_bank(RIGHT))
    browser.save_screenshot(screenshots / "typed.png")
    _, failed = validate(browser, screenshots / "release_validated.png")
    assert failed
    assert not [line for line in failed if line.startswith(f"# Checks {TASK}:")]


def test_wrong_answer_then_right(browser: Chrome, lab: dict[str, str], course: Path, screenshots: Path) -> None:
    open_notebook(browser, lab, "one_task_left.ipynb")
    type_and_save(browser, course / "one_task_left.ipynb", from_bank(WRONG))
    _, failed = validate(browser, screenshots / "failure.png")
    assert all(line.startswith(f"# Checks {TASK}:") for line in failed)
    message = "AssertionError: The first 1-gram of `we sat` is ('we',); yours: [('<s>',)]."
    assert message in failed["# Checks ngrams: n minus one start symbols (1 point)"]

    close_dialog(browser)
    type_and_save(browser, course / "one_task_left.ipynb", from_bank(RIGHT))
    text, failed = validate(browser, screenshots / "success.png")
    assert (text, failed) == ("Success! Your notebook passes all the tests.", {})


def test_start_page(browser: Chrome, lab: dict[str, str], course: Path, screenshots: Path) -> None:
    """The page that `make lab` opens: each cell run in turn, the first task solved, and the way into chapter 01."""
    path = course / "work" / START
    assert path.read_bytes() == (RELEASES / START).read_bytes()
    open_notebook(browser, lab, f"work/{START}")
    source = cells_on_disk(path)["count_words"].partition("    raise")[0] + "    return len(text.split())"
    paste_and_save(browser, path, source, "count_words")
    browser.find_element(By.XPATH, "//*[contains(@class, 'lm-MenuBar-itemLabel')][text()='Run']").click()
    wait_for(browser, ".lm-Menu-item[data-command='runmenu:run-all']").click()
    texts = WebDriverWait(browser, PATIENCE).until(lambda _: outputs_that_say(browser, "Right. Now press Validate"))
    assert any("All is well" in text or "mend it" in text for text in texts)
    (drawn,) = browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output img")
    assert int(drawn.get_property("naturalWidth")) > 500
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", drawn)
    browser.save_screenshot(screenshots / "start_map.png")
    press(browser, Keys.CONTROL, "s")  # Validate saves, too, and JupyterLab asks if two savings meet
    saved = WebDriverWait(browser, PATIENCE)
    saved.until(lambda _: "Right. Now press" in outputs_on_disk(path), "The outputs are not saved.")
    text, failed = validate(browser, screenshots / "start_validated.png")
    assert (text, failed) == ("Success! Your notebook passes all the tests.", {})
    close_dialog(browser)
    link = next(link for link in browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea a") if CHAPTER in link.text)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
    link.click()
    wait_for(browser, f".lm-TabBar-tab.lm-mod-current[title*='{CHAPTER}.ipynb']")
    browser.save_screenshot(screenshots / "start_chapter.png")


def outputs_that_say(browser: Chrome, words: str) -> list[str]:
    """What all cells printed, once one of them printed these words; until then an empty list."""
    outputs = browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output")
    try:
        texts = [str(output.get_property("textContent")) for output in outputs]
    except StaleElementReferenceException:
        return []
    return texts if any(words in text for text in texts) else []


def test_torch_chapter(browser: Chrome, lab: dict[str, str], course: Path, screenshots: Path) -> None:
    """A chapter that needs torch: with its first task answered, *Validate* complains of the other tasks only."""
    path = course / f"{TORCH_CHAPTER}.ipynb"
    answers = read_bank(open_course(ROOT), TORCH_CHAPTER)[TORCH_TASK]
    open_notebook(browser, lab, path.name)
    paste_and_save(browser, path, next(answer.source for answer in answers if answer.is_right), TORCH_TASK)
    _, failed = validate(browser, screenshots / "torch.png")
    assert failed and not [line for line in failed if line.startswith(f"# Checks {TORCH_TASK}:")]
