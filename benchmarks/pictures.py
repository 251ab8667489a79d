"""The pictures in README.md: a chapter, a marked class and the map. `python -m benchmarks.pictures`

The chapter is a page of `make site`, the class the report of `make demo`; run both first. Needs Chromium.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image
from selenium.webdriver import Chrome

from lmkit import drawings

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
MOST_BYTES = 150_000
CHAPTER = ROOT / "site" / "08_transformer.html"


def main() -> None:
    """Write docs/pictures/map.png, chapter.png and class.png."""
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import running_browser

    reports = sorted((ROOT / "demo" / "reports").glob("*.html"))
    if not CHAPTER.is_file() or not reports:
        sys.exit("Run `make site` and `make demo` first: the pictures show what they make.")
    PICTURES.mkdir(exist_ok=True)
    drawings.course_map().savefig(PICTURES / "map.png", dpi=100)
    with tempfile.TemporaryDirectory() as profile, running_browser(Path(profile)) as browser:
        photograph(browser, CHAPTER, PICTURES / "chapter.png", ".cell_output img")
        photograph(browser, reports[0], PICTURES / "class.png")
    for path in sorted(PICTURES.glob("*.png")):
        Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)
        size = path.stat().st_size
        print(f"{path.relative_to(ROOT)}: {size / 1000:.0f} kB")
        if size > MOST_BYTES:
            sys.exit(f"{path.name} is larger than {MOST_BYTES / 1000:.0f} kB.")


def photograph(browser: Chrome, page: Path, picture: Path, middle: str = "") -> None:
    """What a window of 1100 x 720 pixels shows of a page; `middle` names what stands in its middle."""
    metrics = {"width": 1100, "height": 720, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(page.as_uri())
    if middle:
        browser.execute_script(f"document.querySelector({middle!r}).scrollIntoView({{block: 'center'}})")
    browser.save_screenshot(str(picture))


if __name__ == "__main__":
    main()
