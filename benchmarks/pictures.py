"""The pictures of README.md, from real notebooks and real runs: `python -m benchmarks.pictures [task|feedback|map]`

`task.gif` is a task in JupyterLab: an answer, the check that shows its bug, the fix, the hidden tests. `feedback.png`
is a page of `make demo`, which must have run. Needs Chromium, which `make test` brings.
"""

import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import nbformat
import typer
from nbformat import NotebookNode
from PIL import Image, ImageDraw, ImageFont
from rich.console import Console
from rich.text import Text
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from autograder.chapter.cells import Notebook
from autograder.course import open_course
from benchmarks.commands import named_or_all
from lmkit import drawings

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
MAX_BYTES = {".gif": 1_000_000, ".png": 150_000}
CHAPTER, TASK, CHECK = "08_transformer", "examples", "examples--targets-are-one-ahead"
ANSWER = """def examples(ids, starts, T):
    places = starts[:, None] + torch.arange(T)
    return ids[places], ids[places{ahead}]


def lm_loss(scores, targets):
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten())"""
WRONG, RIGHT = ANSWER.format(ahead=""), ANSWER.format(ahead=" + 1")
GREY, RED, GREEN = "#3d4a5c", "#a61b1b", "#14713a"
WIDTH, HEIGHT, STRIP = 900, 540, 46  # of a frame, in pixels; the strip above it says what one sees


class Frame(NamedTuple):
    """What is seen, what is said about it, the colour of the strip that says it, and for how long."""

    picture: Image.Image
    caption: str
    colour: str
    milliseconds: int


def main(names: Annotated[list[str] | None, typer.Argument(metavar="[task|feedback|map]...")] = None) -> None:
    """Make the named pictures, or all; fail if one is too large."""
    sys.path.insert(0, str(ROOT / "tests"))
    makers: dict[str, Callable[[], None]] = {"map": draw_map, "feedback": photograph_feedback, "task": film_task}
    PICTURES.mkdir(exist_ok=True)
    for name in named_or_all(names, makers):
        makers[name]()
    for path in sorted(PICTURES.iterdir()):
        size = path.stat().st_size
        print(f"{path.relative_to(ROOT)}: {size / 1000:.0f} kB")
        if size > MAX_BYTES[path.suffix]:
            sys.exit(f"{path.name} is larger than {MAX_BYTES[path.suffix] / 1000:.0f} kB.")


def draw_map() -> None:
    """map.png: which chapter builds on which."""
    drawings.course_map().savefig(PICTURES / "map.png", dpi=100)
    shrink(PICTURES / "map.png")


def photograph_feedback() -> None:
    """feedback.png: what a student of `make demo` with three mistakes gets back, at one of them."""
    pages = sorted((ROOT / "demo" / "feedback" / "emil").rglob("*.html"))
    if not pages:
        sys.exit("Run `make demo` first: the picture shows what it makes.")
    with tempfile.TemporaryDirectory() as profile, chromium(Path(profile)) as browser:
        look_at(browser, pages[0].as_uri(), WIDTH, 530)
        mistake = browser.find_element(By.XPATH, "//h2[contains(., 'top_k')]")
        browser.execute_script("arguments[0].scrollIntoView({block: 'start'})", mistake)
        browser.save_screenshot(str(PICTURES / "feedback.png"))
    shrink(PICTURES / "feedback.png")


def film_task() -> None:
    """task.gif: one task in JupyterLab, from the empty cell to the hidden tests."""
    from browser import running_lab, wait_for

    course = open_course(ROOT)
    released = nbformat.read(course.released(CHAPTER), as_version=4)
    with tempfile.TemporaryDirectory() as made, chromium(Path(made) / "profile") as browser:
        folder, home = Path(made) / "lab", Path(made) / "home"
        folder.mkdir()
        home.mkdir()
        nbformat.write(scene(released), folder / "scene.ipynb")
        with running_lab(folder, home) as lab:
            look_at(browser, f"{lab['url']}doc/tree/scene.ipynb?reset&token={lab['token']}", WIDTH + 66, HEIGHT + 90)
            wait_for(browser, ".jp-Notebook .jp-CodeCell")
            wait_for(browser, ".jp-Notebook-ExecutionIndicator[data-status='idle']")
            frames = act(browser)
        whole = frames[-1].picture.copy()
        told = terminal(browser, released, Path(made))
        whole.paste(told, (0, HEIGHT - told.height))
        frames.append(Frame(whole, "5  The hidden tests agree, and give the points", GREEN, 5000))
    pictures = [captioned(frame).quantize(128, dither=Image.Dither.NONE) for frame in frames]
    lasting = [frame.milliseconds for frame in frames]
    path = PICTURES / "task.gif"
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=lasting, loop=0, optimize=True)


def scene(released: NotebookNode) -> NotebookNode:
    """A notebook of the release's own cells: what the task needs, the task, and its first check."""
    names = [cell.id for cell in released.cells]
    first = next(number for number, cell in enumerate(released.cells) if cell.cell_type == "code")
    kept = [released.cells[first], released.cells[names.index(TASK)], released.cells[names.index(CHECK)]]
    notebook: NotebookNode = nbformat.v4.new_notebook(cells=kept, metadata=released.metadata)
    return notebook


def act(browser: Chrome) -> list[Frame]:
    """Play the scene: the empty cell, a wrong answer and its check, the right answer and its check."""
    imports, task, check = browser.find_elements(By.CSS_SELECTOR, ".jp-CodeCell")
    for cell in (imports, check):  # their code is folded, as a click on the bar beside a cell does
        cell.find_element(By.CSS_SELECTOR, ".jp-InputCollapser").click()
    frames = [Frame(panel(browser, task), "1  The task: write these two functions", GREY, 3000)]
    answer(browser, task, WRONG)
    frames.append(Frame(panel(browser, task), "2  Your answer. It runs, and it looks fine ...", GREY, 3500))
    run_all(browser, check, "AssertionError: ")
    frames.append(
        Frame(panel(browser, task), "3  The check shows the bug: your targets are not one word ahead", RED, 7000)
    )
    answer(browser, task, RIGHT)
    run_all(browser, check, "passed: ")
    frames.append(Frame(panel(browser, task), "4  Fixed: the check passes", GREEN, 4000))
    return frames


def answer(browser: Chrome, task: WebElement, source: str) -> None:
    """Replace what the cell holds, as one who pastes."""
    task.find_element(By.CSS_SELECTOR, ".cm-content").click()
    ActionChains(browser).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
    browser.execute_cdp_cmd("Input.insertText", {"text": source})


def run_all(browser: Chrome, check: WebElement, words: str) -> None:
    """Run all cells by the menu; wait until the check's output has these words."""
    browser.find_element(By.XPATH, "//*[contains(@class, 'lm-MenuBar-itemLabel')][text()='Run']").click()
    browser.find_element(By.CSS_SELECTOR, ".lm-Menu-item[data-command='runmenu:run-all']").click()
    WebDriverWait(browser, 120).until(lambda _: words in check.text)


def panel(browser: Chrome, task: WebElement) -> Image.Image:
    """The notebook as the browser shows it, from the task on."""
    browser.execute_script("arguments[0].scrollIntoView({block: 'start'})", task)
    time.sleep(1)  # a menu closes, a cell finds its height
    return read(browser.find_element(By.CSS_SELECTOR, ".jp-NotebookPanel").screenshot_as_png)


def terminal(browser: Chrome, released: NotebookNode, folder: Path) -> Image.Image:
    """What `autograder check` says about the release with this one answer, in the colours of a terminal."""
    path = folder / f"{CHAPTER}.ipynb"
    nbformat.write(Notebook.of(released).with_sources({TASK: RIGHT}).node, path)
    command = [str(Path(sys.executable).with_name("autograder")), "check", str(path)]
    told = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ, "FORCE_COLOR": "1"}
    )
    console = Console(record=True, width=86, file=io.StringIO())
    console.print(Text("$ autograder check 08"))
    console.print(Text.from_ansi(told.stdout))
    page = folder / "terminal.html"
    page.write_text(f"<body style='margin:0'>{console.export_svg(title='hidden tests')}</body>", encoding="utf-8")
    look_at(browser, page.as_uri(), WIDTH, HEIGHT)
    return read(browser.find_element(By.TAG_NAME, "svg").screenshot_as_png)


def captioned(frame: Frame) -> Image.Image:
    """A frame with the strip above it."""
    whole = Image.new("RGB", (WIDTH, STRIP + HEIGHT), "white")
    whole.paste(frame.picture, (0, STRIP))
    drawing = ImageDraw.Draw(whole)
    drawing.rectangle((0, 0, WIDTH, STRIP), fill=frame.colour)
    drawing.text((16, STRIP // 2), frame.caption, "white", ImageFont.load_default(22), anchor="lm")
    return whole


@contextmanager
def chromium(profile: Path) -> Iterator[Chrome]:
    """The browser of the tests."""
    from browser import running_browser

    with running_browser(profile) as browser:
        yield browser


def look_at(browser: Chrome, address: str, width: int, height: int) -> None:
    """Open a page in a window of this size."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(address)


def read(png: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    return picture.crop((0, 0, WIDTH, min(picture.height, HEIGHT)))


def shrink(path: Path) -> None:
    """The same picture in 128 colours."""
    Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)


if __name__ == "__main__":
    typer.run(main)
