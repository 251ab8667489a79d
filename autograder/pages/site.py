"""The course as static pages to read: Sphinx with MyST-NB makes them of releases, figures of the references, docs."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference
from autograder.chapter.release import leaks
from autograder.chapter.source import ALT
from autograder.chapter.variants import chapter_as_built
from autograder.course import Course, CourseError

TEMPLATES = Path(__file__).parent / "templates"
NEEDED = ("sphinx", "myst_nb", "furo", "latex2mathml")
SHOWN = ("image/png", "text/html", "text/plain")  # of an output: the kinds that a page can show
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
MATH = re.compile(r"(?<!\\)\$\$(.+?)(?<!\\)\$\$", re.DOTALL)


def make_site(course: Course, out: Path) -> Path:
    """Make the site in the folder `out`, which is replaced if it is a site; returns its first page.

    Raises CourseError if the tools are missing, if `out` holds anything else, if a solution would be shown, or if
    Sphinx finds a fault, such as a link that leads nowhere.
    """
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        raise CourseError(f"The site needs {', '.join(missing)}: {sys.executable} -m pip install {' '.join(missing)}")
    if out.exists() and not (out / "searchindex.js").is_file() and any(out.iterdir()):
        raise CourseError(f"{out} exists and is no site: name another folder, or remove it.")
    with tempfile.TemporaryDirectory() as made:
        source, pages = Path(made) / "source", Path(made) / "pages"
        write_source(course, source)
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
        for setting, value in names_of(course).items():
            command += ["-D", f"{setting}={value}"]
        command += [str(source), str(pages)]
        result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if result.returncode:
            lines = [line.replace(f"{source}/", "") for line in result.stderr.splitlines() if line.strip()]
            raise CourseError("The site was not made: " + "; ".join(lines[:8]))
        for path in pages.rglob("*.html"):
            path.write_text(accessible(path.read_text(encoding="utf-8")), encoding="utf-8")
        if out.exists():
            shutil.rmtree(out)
        shutil.copytree(pages, out, ignore=shutil.ignore_patterns(".doctrees", ".buildinfo*"))
    return out / "index.html"


def write_source(course: Course, folder: Path) -> None:
    """Sphinx's source folder: a notebook for each chapter, the texts of docs/ and data/README.md, a first page.

    Folders below docs/, such as docs/internal, are left out. Raises CourseError if a chapter would show a line of a
    solution or of a hidden test, or if docs/menu.toml names a page that there is not.
    """
    folder.mkdir(parents=True)
    shutil.copyfile(TEMPLATES / "site_conf.py", folder / "conf.py")
    (folder / "static").mkdir()
    shutil.copyfile(TEMPLATES / "site.css", folder / "static" / "site.css")
    chapters = []
    for name in course.chapters():
        if not course.released(name).is_file():
            continue
        released = nbformat.read(course.released(name), as_version=4)
        if problems := leaks(chapter_as_built(course, name), course.released(name).parent):
            raise CourseError(f"No site: {'; '.join(problems)}.")
        reference = read_reference(course, name)
        nbformat.write(page_of(released, reference), folder / f"{name}.ipynb")
        title = released.cells[0].source.split("\n")[0].lstrip("# ")
        chapters.append(f"{name.partition('_')[0]} {title} <{name}>")
    texts = {path.stem: path for path in sorted((course.root / "docs").glob("*.md"))}
    if (course.root / "data" / "README.md").is_file():
        texts["datasheets"] = course.root / "data" / "README.md"
    for name, path in texts.items():
        (folder / f"{name}.md").write_text(_linked(path, texts, course.root), encoding="utf-8")
    readme = course.root / "README.md"
    first = _linked(readme, texts, course.root) if readme.is_file() else "# The course\n"
    first += _contents("Chapters", chapters)
    first += "".join(_contents(title, pages) for title, pages in menu(course.root / "docs" / "menu.toml", list(texts)))
    (folder / "index.md").write_text(first, encoding="utf-8")
    if (course.root / "docs" / "pictures").is_dir():
        shutil.copytree(course.root / "docs" / "pictures", folder / "docs" / "pictures")


def names_of(course: Course) -> dict[str, str]:
    """Sphinx's settings that say whose site it is: the title of the course's README, and c.Site.copyright."""
    readme = course.root / "README.md"
    first = readme.read_text(encoding="utf-8").partition("\n")[0] if readme.is_file() else ""
    title = first.removeprefix("# ").strip() or course.root.name
    return {"project": title, "html_title": title, "copyright": course.nbgrader.Site.get("copyright", "its authors")}


def menu(file: Path, pages: list[str]) -> list[tuple[str, list[str]]]:
    """The texts in groups, each with its title: those that `file` names, then all others under "More".

    Raises CourseError if the file names a page that there is not.
    """
    groups = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    listed = [page for group in groups.values() for page in group]
    if unknown := [page for page in listed if page not in pages]:
        raise CourseError(f"{file} names pages that do not exist: {', '.join(unknown)}.")
    others = [page for page in pages if page not in listed]
    return [*groups.items(), *([("More", others)] if others else [])]


def page_of(released: NotebookNode, reference: Notebook) -> NotebookNode:
    """A release with the reference's outputs where both have the same code: of given cells, never of tasks or tests."""
    twins = {cell.name: cell for cell in reference.cells if cell.is_code and not cell.is_graded}
    page: NotebookNode = nbformat.v4.new_notebook(metadata={"kernelspec": released.metadata.get("kernelspec", {})})
    for cell in released.cells:
        cell = nbformat.from_dict({**cell, "metadata": {}})
        if cell.cell_type == "markdown":
            cell.source = MATH.sub(lambda found: f"$${found[1].strip()}$$", cell.source)
        else:
            twin = twins.get(cell.id)
            if twin and twin.source == cell.source:
                cell.outputs = [output for found in twin.node.outputs if (output := _shown(found))]
                if ALT in twin.node.metadata:
                    cell.metadata["mystnb"] = {"image": {"alt": twin.node.metadata[ALT]}}
        page.cells.append(cell)
    return page


def accessible(html: str) -> str:
    """The page with what Furo leaves out for readers who use a keyboard or a screen reader."""
    html = re.sub(r"<pre(?=[ >])", '<pre tabindex="0"', html)  # blocks that scroll sideways
    html = html.replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
    html = html.replace('class="caption" role="heading"', 'class="caption" role="heading" aria-level="2"')
    html = html.replace('<aside class="sidebar-drawer"', '<aside aria-label="Pages" class="sidebar-drawer"')
    return html.replace('<aside class="toc-drawer', '<aside aria-label="On this page" class="toc-drawer')


def _shown(output: NotebookNode) -> NotebookNode | None:
    """An output with only the kinds that a page shows; None if nothing is left."""
    if output.output_type in ("stream", "error"):
        return output
    data = {kind: output.data[kind] for kind in SHOWN if kind in output.get("data", {})}
    if "image/png" in data:
        data.pop("text/plain", None)
    return nbformat.from_dict({**output, "data": data, "metadata": {}}) if data else None


def _linked(path: Path, texts: dict[str, Path], root: Path) -> str:
    """A text with its links to other texts of the site; of a link to a file that the site lacks the words are left."""
    names = {text.resolve(): name for name, text in texts.items()} | {(root / "README.md").resolve(): "index"}

    def replaced(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        file, _, place = target.partition("#")
        if "://" in target or not file:
            return found[0]
        if (
            picture and (path.parent / file).is_file()
        ):  # all pages lie in one folder, pictures where the course has them
            return f"![{words}]({(path.parent / file).resolve().relative_to(root.resolve()).as_posix()})"
        name = names.get((path.parent / file).resolve())
        if not name:
            return words
        return f"[{words}]({name}.md{'#' + place if place else ''})"

    # Fenced code is left as it is.
    parts = re.split(r"(^```.*?^```$)", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else LINK.sub(replaced, part) for part in parts)


def _contents(title: str, pages: list[str]) -> str:
    """A list of pages for the side of each page; each is a name, or a title and the name as `title <name>`."""
    entries = "\n".join(pages)
    return f"\n```{{toctree}}\n:caption: {title}\n:maxdepth: 1\n:hidden:\n\n{entries}\n```\n"
