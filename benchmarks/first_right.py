"""From `git clone` to the first *Right*, commands, clicks, seconds: `python -m benchmarks.first_right --clone FOLDER`

A clone is made in FOLDER, which must not exist, `make lab` is run there twice, and Chromium does what docs/learners.md
tells a reader to do on the start page. The first run is cold: nothing is there but the caches of pip and uv, and
`--no-cache` takes these away, too. The second one finds everything installed. Reading is not counted; typing is.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains, Chrome, ChromeOptions, ChromeService, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).resolve().parents[1]
ADDRESS = re.compile(r"http://(?:localhost|127\.0\.0\.1):\d+/\S*\?token=\S+")
TASK, ANSWER = "def count_words", '    """The number of words in `text`."""\n    return len(text.split())'
PATIENCE = 1800  # seconds
UNSEEN = "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --window-size=1400,1000"
Found = TypeVar("Found")


@dataclass
class Way:
    """What a reader did, and when each step was done, in seconds since the beginning."""

    begun: float = field(default_factory=time.monotonic)
    commands: int = 0
    clicks: int = 0
    steps: dict[str, float] = field(default_factory=dict)

    def reached(self, step: str) -> None:
        self.steps[step] = round(time.monotonic() - self.begun, 1)


def main() -> None:
    """Go the way twice, and print both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clone", type=Path, required=True, help="a folder that does not exist yet")
    parser.add_argument("--no-cache", action="store_true", help="pip and uv must download everything")
    asked = parser.parse_args()
    clone = asked.clone.resolve()
    environment = {**os.environ, "BROWSER": "true"}  # `true` opens nothing and succeeds: Chromium is ours
    for name in ("VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    with tempfile.TemporaryDirectory() as empty:
        if asked.no_cache:
            environment |= {"PIP_NO_CACHE_DIR": "1", "UV_CACHE_DIR": empty}
        for name in ("cold", "warm"):
            way = Way()
            if name == "cold":
                subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
                way.commands += 1
                way.reached("cloned")
            go(clone, environment, way)
            print(json.dumps({name: vars(way) | {"begun": None}}), flush=True)


def go(clone: Path, environment: dict[str, str], way: Way) -> None:
    """`cd`, `make lab`, and the start page up to *Right*."""
    way.commands += 2
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("w") as out:
            lab = subprocess.Popen(
                ["make", "lab"], cwd=clone, env=environment, stdout=out, stderr=out, start_new_session=True
            )
        try:
            address = wait(lambda: ADDRESS.search(log.read_text(encoding="utf-8", errors="replace")), lab, log)
            way.reached("JupyterLab answers")
            with browser(Path(folder) / "profile") as chrome:
                solve(chrome, address[0].replace("/lab?", "/lab/tree/00_start.ipynb?"), way)
        finally:
            os.killpg(lab.pid, signal.SIGINT)
            time.sleep(1)
            os.killpg(lab.pid, signal.SIGTERM)
            lab.wait(60)


def wait(look: Callable[[], Found | None], lab: "subprocess.Popen[bytes]", log: Path) -> Found:
    """What `look` finds at last; ends the program, with what `make lab` said, if that ends before."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := look():
            return found
        if lab.poll() is not None:
            break
        time.sleep(0.2)
    sys.exit(f"`make lab` does not answer:\n{log.read_text(encoding='utf-8', errors='replace')[-3000:]}")


def browser(profile: Path) -> Chrome:
    """A Chromium without a window."""
    options = ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for option in [*UNSEEN.split(), f"--user-data-dir={profile}"]:
        options.add_argument(option)
    return Chrome(options, ChromeService(str(shutil.which("chromedriver"))))


def solve(chrome: Chrome, address: str, way: Way) -> None:
    """Type the answer to the first task and choose *Run*, *Run All Cells*, until the page says *Right*."""
    chrome.get(address)
    waiting = WebDriverWait(chrome, PATIENCE, ignored_exceptions=(WebDriverException,))

    def started(_: Chrome) -> bool:
        """Choose *Run All Cells*; whether a cell runs. A menu that was just opened may not obey yet."""
        chrome.find_element(By.XPATH, "//*[contains(@class, 'lm-MenuBar-itemLabel')][text()='Run']").click()
        chrome.find_element(By.CSS_SELECTOR, ".lm-Menu-item[data-command='runmenu:run-all']").click()
        time.sleep(1)
        prompts = chrome.find_elements(By.CSS_SELECTOR, ".jp-InputPrompt")
        return any(re.search(r"[*\d]", prompt.text) for prompt in prompts)

    def focused(_: Chrome) -> WebElement | None:
        editor = chrome.find_element(By.XPATH, f"//*[contains(@class, 'cm-content')][contains(., '{TASK}')]")
        chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", editor)
        editor.click()
        return editor if chrome.switch_to.active_element == editor else None

    idle = ".jp-Notebook-ExecutionIndicator[data-status='idle']"
    waiting.until(lambda _: chrome.find_element(By.CSS_SELECTOR, idle))
    way.reached("the start page is ready")
    waiting.until(focused)
    way.clicks += 1
    ActionChains(chrome).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
    chrome.execute_cdp_cmd("Input.insertText", {"text": f"{TASK}(text):\n{ANSWER}"})
    waiting.until(started)
    way.clicks += 2
    waiting.until(
        lambda _: chrome.find_element(By.XPATH, "//*[contains(@class, 'jp-OutputArea')][contains(., 'Right. Now')]")
    )
    way.reached("Right")


if __name__ == "__main__":
    main()
