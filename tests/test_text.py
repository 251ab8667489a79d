"""A chapter is a folder of sections: read as one text, each mistake named with the file that holds it."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.authoring.build import build
from autograder.chapter.source import read_chapter
from autograder.chapter.text import SourceError
from autograder.course import Course, open_course, sections_of
from conftest import CHAPTER, ROOT, TEXT, make_course

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
