"""A chapter is a folder of sections: read as one text, each mistake named with the file that holds it."""

import re
import subprocess
import sys
from pathlib import Path

import nbconvert
import nbformat
import pytest
from test_lint import GOOD

from autograder.authoring.build import build
from autograder.chapter.reference import read_reference
from autograder.chapter.source import read_chapter
from autograder.chapter.text import SourceError
from autograder.course import Course, open_course, sections_of
from autograder.intake.submission import parse, rebuild
from conftest import CHAPTER, ROOT, TEXT, make_course

UNFINISHED = re.compile(r"@@|\b(TODO|FIXME|TBD|PLACEHOLDER|XXX+)\b|\b[A-Z]{2,}_[A-Z0-9_]+")
CUT = TEXT.index('# %% test="square" aspect="negative')
FIRST, SECOND = "01_the_task.py", "02_more_tests.py"


def in_sections(folder: Path, second: str = TEXT[CUT:]) -> Course:
    """The small course, with its text in two files, the second written first."""
    course = make_course(folder)
    (home,) = [path.parent for path in sections_of(course.source / CHAPTER)]
    (home / f"{CHAPTER}.py").unlink()
    (home / SECOND).write_text(second)
    (home / FIRST).write_text(TEXT[:CUT].rstrip() + "\n")
    return course


def test_sections_make_the_notebooks_that_one_file_makes(tmp_path: Path, built_course: Course) -> None:
    course = in_sections(tmp_path)
    assert course.chapters() == [CHAPTER]
    build(course, CHAPTER)
    for notebook in (Course.reference, Course.released):
        assert notebook(course, CHAPTER).read_bytes() == notebook(built_course, CHAPTER).read_bytes()
    assert [path.name for path in (course.release / CHAPTER).iterdir()] == [f"{CHAPTER}.ipynb"]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("points=2", "points=2 colour=1", 1, "Unknown key 'colour'"),
        ('"negative numbers"', '"small numbers"', 1, rf"The aspect of this test is that of {FIRST}:\d+: reword one"),
        ("# %% scratch=true", "# %% [markdown]\n# $`x`$", 4, r"A `\$` touches a backtick"),
        ("# %% test", "# ---\n# title: Again\n# ---\n\n# %% test", 1, f"Only {FIRST}, which comes first, has a"),
    ],
)
def test_a_mistake_is_named_with_its_section(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    course = in_sections(tmp_path, TEXT[CUT:].replace(old, new, 1))
    with pytest.raises(SourceError, match=f"{SECOND}:{line}: {message}"):
        read_chapter(course.chapter_source(CHAPTER))


def test_a_test_in_a_section_above_its_task_is_named(tmp_path: Path) -> None:
    course = in_sections(tmp_path)
    (course.source / CHAPTER / FIRST).rename(course.source / CHAPTER / "03_the_task.py")
    text = (course.source / CHAPTER / SECOND).read_text()
    (course.source / CHAPTER / SECOND).write_text("# ---\n# title: Squares\n# ---\n\n" + text)
    (course.source / CHAPTER / "03_the_task.py").write_text(TEXT[:CUT].split("# ---\n", 2)[2])
    with pytest.raises(SourceError, match=r"03_the_task.py:\d+: A test of 'square' stands above its task"):
        read_chapter(course.chapter_source(CHAPTER))


@pytest.mark.parametrize("name", open_course(ROOT).chapters())
def test_what_a_chapter_names_it_binds_and_what_it_imports_it_names(name: str) -> None:
    """Ruff sees a section alone, and cannot tell; here it reads the answers that `include` brings as well."""
    cells = nbformat.read(open_course(ROOT).reference(name), as_version=4).cells
    code = "\n\n".join(cell.source for cell in cells if cell.cell_type == "code")
    ruff = [sys.executable, "-m", "ruff", "check", "--quiet", "--isolated", "--select", "F401,F821", "-"]
    done = subprocess.run(ruff, input=code, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


FIGURE = """# %% folded="draws areas" alt="A line that rises from 0 to 4."
import matplotlib.pyplot as plt

plt.plot([0, 4])
plt.show()
"""


LATER = "02_cubes"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Two chapters; the later one has a folded figure, and an answer carried over from the first."""
    course = make_course(tmp_path_factory.mktemp("told"))
    text = TEXT.replace("square", "cube").replace("secret_product", "secret").replace("x * x", "abs(x * x)")
    text += "\n" + FIGURE + f'\n# %% include="{CHAPTER}:square"\n'
    (course.source / LATER).mkdir()
    (course.source / LATER / f"{LATER}.py").write_text(text)
    build(course, LATER)
    return course


def test_what_teaches_nothing_is_folded_under_a_line_that_says_what_it_is(told: Course) -> None:
    for notebook in (told.reference(LATER), told.released(LATER)):
        cells = nbformat.read(notebook, as_version=4).cells
        folded = [cell for cell in cells if cell.metadata.get("jupyter", {}).get("source_hidden")]
        assert [cell.source.split("\n")[0] for cell in folded] == [
            "# Checks cube: small numbers (1 point)",
            "# Checks cube: negative numbers (2 points)",
            "# Draws areas (run me: Shift+Enter)",
            "# Carries over square from chapter 01 (run me: Shift+Enter)",
        ]
        assert all(cell.metadata.nbgrader.locked for cell in folded)


def test_folds_and_alt_texts_survive_what_students_do_to_them(told: Course) -> None:
    reference = read_reference(told, LATER)
    submission = nbformat.read(told.released(LATER), as_version=4)
    for cell in submission.cells:
        cell.metadata.pop("jupyter", None)
        cell.metadata.pop("alt", None)
    rebuilt = rebuild(parse(nbformat.writes(submission).encode()), reference).notebook
    assert [cell.node.metadata for cell in rebuilt.cells] == [cell.node.metadata for cell in reference.cells]


def test_an_alt_text_reaches_pages_made_by_nbconvert(told: Course) -> None:
    """In the template that nbgrader builds on; its lab template, and JupyterLab 4.6, show no alt texts."""
    page = nbconvert.HTMLExporter(template_name="classic").from_filename(told.reference(LATER))[0]
    assert 'alt="A line that rises from 0 to 4."' in page


def test_other_words_on_a_folded_cell_run_nothing(told: Course) -> None:
    (section,) = sections_of(told.source / LATER)
    section.write_text(section.read_text().replace("draws areas", "draws a line").replace("A line that", "It"))
    result = build(told, LATER)
    assert not result.executed and len(result.changed) == 2
    assert "# Draws a line (run me" in told.released(LATER).read_text()


def test_a_figure_without_alt_text_is_named_where_rules_are_kept(tmp_path: Path) -> None:
    text = GOOD + "\n" + FIGURE.replace(' alt="A line that rises from 0 to 4."', "")
    course = make_course(tmp_path, text)
    build(course, CHAPTER)
    course.nbgrader.Authoring.rules = True
    line = text[: text.index("# %% folded")].count("\n") + 1
    with pytest.raises(SourceError, match=f"{CHAPTER}.py:{line}: This cell draws a figure: say in its line"):
        build(course, CHAPTER)


@pytest.mark.parametrize("name", open_course(ROOT).chapters())
def test_a_chapter_has_all_its_sections_and_nothing_is_left_to_be_filled_in(name: str) -> None:
    texts = [cell.source for cell in read_reference(open_course(ROOT), name).cells if not cell.is_code]
    sections = [int(number) for text in texts for number in re.findall(r"^## (\d+)\. ", text, re.MULTILINE)]
    assert sections == list(range(1, len(sections) + 1))
    words = [re.sub(r"```.*?```|`[^`]*`|\$[^$]*\$", "", text, flags=re.DOTALL) for text in texts]
    assert [found.group() for text in words for found in UNFINISHED.finditer(text)] == []


@pytest.mark.parametrize("cell", ["scratch=true", 'task="square" points=3 level=1 minutes=2'])
def test_what_students_change_takes_no_words_of_the_course(tmp_path: Path, cell: str) -> None:
    """Their figure would carry our alt text, and it might give an answer away."""
    course = make_course(tmp_path, TEXT.replace(f"# %% {cell}", f'# %% {cell} alt="A line."'))
    with pytest.raises(SourceError, match="Unknown key 'alt': a (scratch|task) cell takes"):
        read_chapter(course.chapter_source(CHAPTER))


@pytest.mark.parametrize(
    "section", sorted(ROOT.glob("solutions/*/*.py")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_an_output_that_is_not_compared_says_why(section: Path) -> None:
    lines = section.read_text(encoding="utf-8").splitlines()
    reasons = [lines[i + 1] for i, line in enumerate(lines) if line.startswith("# NBVAL_IGNORE_OUTPUT")]
    assert [reason for reason in reasons if not reason.startswith("# ")] == []
