"""The site: every link leads somewhere, no solution is shown, and it can be read on a phone, in the dark, by keyboard.

The folder named by the environment variable BROWSER_SCREENSHOTS keeps what the browser showed.
"""

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import nbformat
import pytest
from browser import needs_axe, running_browser, screenshot_folder, serious_faults, show_in, wait_for
from bs4 import BeautifulSoup
from selenium.webdriver import Chrome

from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference
from autograder.chapter.release import hidden_lines
from autograder.chapter.source import read_chapter
from autograder.course import Course, CourseError, open_course
from autograder.pages.site import make_site, menu, page_of, write_source
from conftest import CHAPTER, ROOT, make_course

PHONE = 320  # pixels: also a screen of 1280 at a zoom of 400 %
LOOKED_AT = [  # page, width, dark?
    ("index.html", 1400, False),
    ("01_bigrams.html", 1400, True),
    ("08_transformer.html#start-2", PHONE, False),
    ("errata.html", PHONE, True),
]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_site(open_course(ROOT), tmp_path_factory.mktemp("site") / "site").parent


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with running_browser(tmp_path_factory.mktemp("profile")) as chrome:
        yield chrome


def broken_links(site: Path) -> list[str]:
    """Links, pictures, scripts and styles that lead nowhere within the site, each with the page that has it."""
    pages = {path: BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser") for path in site.rglob("*.html")}
    places = {path: {tag["id"] for tag in page.find_all(id=True)} for path, page in pages.items()}
    broken = []
    for path, page in pages.items():
        for tag in page.find_all(["a", "img", "link", "script"]):
            target = tag.get("href") or tag.get("src")
            if not target or "://" in target or target.startswith(("mailto:", "data:")):
                continue
            file, place = urldefrag(urljoin(str(path), target.partition("?")[0]))
            found = Path(unquote(file))
            if not found.is_file() or place and found in places and unquote(place) not in places[found]:
                broken.append(f"{path.name}: {target}")
    return broken


@pytest.mark.thorough
def test_every_link_leads_somewhere(site: Path, tmp_path: Path) -> None:
    assert broken_links(site) == []
    (tmp_path / "page.html").write_text('<p id="a"><a href="#a"><a href="#b"><a href="none.html"><img src="no.png">')
    assert broken_links(tmp_path) == ["page.html: #b", "page.html: none.html", "page.html: no.png"]


@pytest.mark.thorough
def test_no_line_of_a_solution_is_shown_and_the_figures_are(site: Path) -> None:
    course = open_course(ROOT)
    for chapter in course.chapters():
        page = BeautifulSoup((site / f"{chapter}.html").read_text(encoding="utf-8"), "html.parser")
        code, printed = (
            {line.strip() for block in page.select(f".cell_{kind} pre") for line in block.get_text().split("\n")}
            for kind in ("input", "output")
        )
        hidden = hidden_lines(read_chapter(course.chapter_source(chapter)))
        assert len(code) > 200 and code & hidden == set()
        assert printed & {line for line in hidden if len(line) > 1} == set()  # `V` is a solution's line and a heading
        assert len(page.select(".cell_output img")) > 3
        cells = read_reference(course, chapter).cells
        assert {picture.get("alt") for picture in page.select("article img")} == {
            cell.metadata.alt for cell in cells if "alt" in cell.metadata
        }


@pytest.mark.thorough
def test_formulas_hold_no_tags_of_html(site: Path) -> None:
    formulas = [
        formula
        for path in site.glob("*.html")
        for formula in BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").find_all("math")
    ]
    assert len(formulas) > 500 and any("<s>" in formula.get_text() for formula in formulas)
    names = {tag.name for formula in formulas for tag in formula.find_all(True)}
    assert {"mi", "mo", "msub"} <= names and not [name for name in names if not name.startswith("m")]


@pytest.mark.thorough
def test_nothing_comes_from_elsewhere(site: Path) -> None:
    for path in site.glob("*.html"):
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        loaded = [
            tag.get("src") or tag.get("href") for tag in page.select("script[src], img[src], link[rel=stylesheet]")
        ]
        assert not [target for target in loaded if "://" in target]


@pytest.mark.thorough
@needs_axe
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_serious_fault(site: Path, address: str, browser: Chrome, dark: bool) -> None:
    found = {}
    for path in sorted(site.glob("*.html")):
        look_at(browser, address + path.name, dark=dark)
        faults = serious_faults(browser, rules=["color-contrast"] if dark else [])  # in the dark only colours differ
        found |= {f"{path.name} {rule}": nodes for rule, nodes in faults.items()}
    assert found == {}


@pytest.mark.thorough
def test_pages_fit_on_a_phone_and_the_search_finds(site: Path, address: str, browser: Chrome, tmp_path: Path) -> None:
    pictures = screenshot_folder(tmp_path)
    for name, width, dark in LOOKED_AT:
        look_at(browser, address + name, width, dark)
        browser.save_screenshot(pictures / f"site_{name.partition('.')[0]}_{width}_{'dark' if dark else 'light'}.png")
    for path in site.glob("*.html"):
        look_at(browser, address + path.name, PHONE)
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= PHONE, f"{path.name} is {wide} pixels wide"
    look_at(browser, f"{address}search.html?q=perplexity")
    wait_for(browser, "#search-results li a[href*='01_bigrams']")
    browser.save_screenshot(pictures / "site_found.png")


def look_at(browser: Chrome, url: str, width: int = 1400, dark: bool = False) -> None:
    show_in(browser, dark=dark, width=width)
    browser.get(url)


def test_outputs_of_answers_and_checks_are_not_shown(built_course: Course) -> None:
    paths = (built_course.released(CHAPTER), built_course.reference(CHAPTER))
    released, reference = (nbformat.read(path, as_version=4) for path in paths)
    for cell in reference.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("stream", text=f"output of {cell.id}")]
    page = page_of(released, Notebook.of(reference))
    assert [cell.source for cell in page.cells] == [cell.source for cell in released.cells]
    shown = [cell.source for cell in page.cells if cell.cell_type == "code" and cell.outputs]
    assert shown == ["import math", "square(5)", "print(square(math.sqrt(4)))"]


def test_the_menu_has_each_page_once_and_unknown_ones_are_an_error(tmp_path: Path) -> None:
    file = tmp_path / "menu.toml"
    assert menu(file, ["a", "b"]) == [("More", ["a", "b"])]
    file.write_text('"Learn" = ["b"]\n')
    assert menu(file, ["a", "b", "c"]) == [("Learn", ["b"]), ("More", ["a", "c"])]
    assert menu(file, ["b"]) == [("Learn", ["b"])]
    with pytest.raises(CourseError, match="names pages that do not exist: b"):
        menu(file, ["a"])


def test_pictures_of_a_document_are_found_and_inner_folders_are_left_out(tmp_path: Path) -> None:
    course = make_course(tmp_path)
    for folder in ("docs/pictures", "docs/internal"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "docs" / "pictures" / "wall.png").touch()
    (tmp_path / "docs" / "internal" / "secret.md").write_text("# For us\n")
    (tmp_path / "docs" / "page.md").write_text("# Page\n![a wall](pictures/wall.png) [us](internal/secret.md)\n")
    write_source(course, tmp_path / "source")
    assert "![a wall](docs/pictures/wall.png) us" in (tmp_path / "source" / "page.md").read_text()
    assert (tmp_path / "source" / "docs" / "pictures" / "wall.png").is_file()
    assert not list((tmp_path / "source").rglob("secret*"))


# Pages that a person meets; docs/internal is for us.
READ = [
    *(path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md"),
    *ROOT.glob("docs/*.md"),
    ROOT / "data" / "README.md",
]


@pytest.mark.parametrize("path", READ, ids=lambda path: path.name)
def test_no_document_is_longer_than_a_reader_likes(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 250


@pytest.mark.parametrize("path", [*READ, *ROOT.glob("docs/internal/**/*.md")], ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target, place in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
        file = path.parent / target if target else path
        assert file.exists(), f"{path.name} links to {target}"
        if place and file.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
            assert place in anchors, f"{path.name} links to {target}#{place}"


def test_the_documents_name_tests_that_there_are() -> None:
    released = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("notebooks/*/*.ipynb"))
    tasks = set(re.findall(r'"id": "(\w+)--', released))
    named = {
        found[0]
        for path in READ
        for found in re.finditer(r"\b(\w+)--[a-z][a-z0-9-]+\b", path.read_text(encoding="utf-8"))
        if found[1] in tasks
    }
    assert len(named) >= 2
    assert [name for name in sorted(named) if f'"id": "{name}"' not in released] == []


def test_what_is_no_site_is_not_replaced(built_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.pages.site.NEEDED", ())
    (tmp_path / "letters.txt").touch()
    with pytest.raises(CourseError, match="exists and is no site: name another folder"):
        make_site(built_course, tmp_path)
    monkeypatch.setattr("autograder.pages.site.NEEDED", ("no_such_tool",))
    with pytest.raises(CourseError, match=re.escape("The site needs no_such_tool: ")):
        make_site(built_course, tmp_path / "site")
