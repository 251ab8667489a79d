"""A running JupyterLab and a headless Chromium, for the tests that look at the course as a person would.

The folder named by the environment variable BROWSER_SCREENSHOTS keeps what the browser showed.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

AXE = Path(__file__).parents[1] / ".venv" / "axe" / "package" / "axe.min.js"  # scripts/setup brings it where npm is
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="axe-core is missing: `scripts/setup test` brings it")
PATIENCE = 300  # seconds to wait for a page, a file or a verdict on a busy machine
CHROMIUM_OPTIONS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1400,1000"
)


@contextmanager
def running_lab(root: Path, home: Path) -> Iterator[dict[str, str]]:
    """A JupyterLab that shows `root` and keeps its own settings in `home`; gives its `url` and `token`."""
    news = home / "config/lab/user-settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    news.parent.mkdir(parents=True)
    news.write_text('{"fetchNews": "false", "checkForUpdates": false}')
    saving = home / "config/lab/user-settings/@jupyterlab/docmanager-extension/plugin.jupyterlab-settings"
    saving.parent.mkdir(parents=True)
    saving.write_text('{"autosave": false}')  # on a slow machine it may come between a test's saving and its look
    folders = {f"JUPYTER_{kind.upper()}_DIR": str(home / kind) for kind in ("config", "data", "runtime")}
    command = [Path(sys.executable).with_name("jupyter"), "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [*command, "--port=0", f"--ServerApp.root_dir={root}"],
            cwd=root,
            env={**os.environ, **folders, "IPYTHONDIR": str(home / "ipython"), "LMKIT_BUDGET": "grading"},
            stdout=log,
            stderr=log,
        )
    try:
        note = home / "runtime" / f"jpserver-{server.pid}.json"
        deadline = time.monotonic() + PATIENCE
        while not (note.exists() and note.read_text().endswith("}") and _listens(json.loads(note.read_text())["port"])):
            if server.poll() is not None or time.monotonic() > deadline:
                pytest.fail("JupyterLab does not start:\n" + (home / "log").read_text())
            time.sleep(0.2)
        yield json.loads(note.read_text())
    finally:
        server.terminate()
        try:
            server.wait(PATIENCE)
        finally:
            server.kill()


def _listens(port: int) -> bool:
    """Whether somebody answers there: on a busy machine a server may write its note before it does."""
    try:
        with socket.create_connection(("127.0.0.1", port), PATIENCE):
            return True
    except OSError:
        return False


def dark_theme(home: Path) -> None:
    """Pages of that lab are dark when they are loaded next."""
    themes = home / "config/lab/user-settings/@jupyterlab/apputils-extension/themes.jupyterlab-settings"
    themes.write_text('{"theme": "JupyterLab Dark"}')


@contextmanager
def running_browser(profile: Path) -> Iterator[Chrome]:
    """A headless Chromium with a fresh profile."""
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if not driver or not chromium:
        pytest.fail("Chromium or chromedriver is missing: run `make test`, which installs both.")
    options = ChromeOptions()
    options.binary_location = chromium
    for option in [*CHROMIUM_OPTIONS.split(), f"--user-data-dir={profile}"]:
        options.add_argument(option)
    with Chrome(options, ChromeService(driver)) as chrome:
        yield chrome


def screenshot_folder(default: Path) -> Path:
    """Where pictures go: the folder of the environment variable, or `default`."""
    folder = Path(os.environ.get("BROWSER_SCREENSHOTS", default)).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def wait_for(browser: Chrome, selector: str) -> WebElement:
    search = (By.CSS_SELECTOR, selector)
    return WebDriverWait(browser, PATIENCE).until(lambda _: browser.find_elements(*search), f"No {selector}.")[0]


def text_of(browser: Chrome, selector: str) -> str:
    """What the first such element shows, once there is one; a page may draw itself anew between search and look."""
    search = (By.CSS_SELECTOR, selector)
    wait = WebDriverWait(browser, PATIENCE, ignored_exceptions=[StaleElementReferenceException])
    return wait.until(lambda _: [each.text for each in browser.find_elements(*search)[:1]], f"No {selector}.")[0]


def show_in(browser: Chrome, *, dark: bool, width: int = 1400) -> None:
    """Pages that ask for it are told from here on whether the reader likes them dark."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})


def serious_faults(browser: Chrome, *parts: str, rules: Sequence[str] = ()) -> dict[str, list[str]]:
    """What hinders readers with a disability, by the rule of axe-core that says so: the first elements that do.

    Looks at the elements that the selectors `parts` name, by default at the whole page; of all rules or only of some.
    """
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    browser.set_script_timeout(PATIENCE)
    browser.execute_script(AXE.read_text(encoding="utf-8"))
    place = {"include": [[part] for part in parts or ("html",)]}
    result = browser.execute_async_script("axe.run(arguments[0], arguments[1]).then(arguments[2])", place, options)
    serious = [fault for fault in result["violations"] if fault["impact"] in ("serious", "critical")]
    return {fault["id"]: [node["html"][:200] for node in fault["nodes"][:3]] for fault in serious}
