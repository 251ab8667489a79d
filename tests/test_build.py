"""Text, reference and release stay one thing, and the release gives nothing away."""

import json
from pathlib import Path

import nbformat
import pytest

from autograder.authoring.build import build
from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference
from autograder.chapter.release import hidden_lines, leaks
from autograder.chapter.source import read_chapter
from autograder.course import Course, CourseError
from conftest import CHAPTER, TEXT, make_course


def test_a_second_build_changes_nothing(built_course: Course) -> None:
    assert build(built_course, CHAPTER).changed == []
    assert build(built_course, CHAPTER, check=True).changed == []


def test_a_forced_build_gives_the_same_bytes(built_course: Course) -> None:
    result = build(built_course, CHAPTER, force=True)
    assert result.executed
    assert result.changed == []


def test_changed_code_is_executed_again_and_changed_text_is_not(tmp_path: Path) -> None:
    course = make_course(tmp_path)
    assert build(course, CHAPTER).executed
    source = course.chapter_source(CHAPTER) / f"{CHAPTER}.py"
    source.write_text(TEXT.replace("area of a square", "area of any square"))
    with pytest.raises(CourseError, match="out of date"):
        build(course, CHAPTER, check=True)
    result = build(course, CHAPTER)
    assert not result.executed and len(result.changed) == 2
    source.write_text(TEXT.replace("math.sqrt(4)", "math.sqrt(9)"))
    assert build(course, CHAPTER).executed
    outputs = nbformat.read(course.source / CHAPTER / f"{CHAPTER}.ipynb", 4).cells[-1].outputs
    assert outputs[0].text == "9.0\n"


def test_a_passed_check_says_so(built_course: Course) -> None:
    """To a person who runs it; as text of a kind that costs no points and is the same each time."""
    for notebook in (built_course.reference(CHAPTER), built_course.released(CHAPTER)):
        tests = Notebook.of(nbformat.read(notebook, 4)).tests
        lines = [cell.source.split("\n")[-1] for cell in tests]
        assert lines == ['print("passed: small numbers")', 'print("passed: negative numbers")']
    outputs = [cell.node.outputs for cell in read_reference(built_course, CHAPTER).tests]
    assert [[(o.name, o.text) for o in shown] for shown in outputs] == [
        [("stdout", "passed: small numbers\n")],
        [("stdout", "passed: negative numbers\n")],
    ]


def test_a_failing_reference_stops_the_build(tmp_path: Path) -> None:
    course = make_course(tmp_path, TEXT.replace("x * x", "x + 1"))
    with pytest.raises(CourseError, match="A reference cell fails: AssertionError"):
        build(course, CHAPTER)
    assert not course.release.exists()


def test_a_reference_that_warns_stops_the_build(tmp_path: Path) -> None:
    """Once a complaint of one machine about its fonts was stored, and failed nbval on every other."""
    course = make_course(tmp_path, TEXT.replace("x * x", "__import__('warnings').warn('no fonts') or x * x"))
    with pytest.raises(CourseError, match="writes to stderr, cell .*no fonts"):
        build(course, CHAPTER)
    assert not course.release.exists()


def test_what_is_printed_slowly_is_stored_in_one_piece(tmp_path: Path) -> None:
    """The pieces depended on the machine's load, so that a build of the same text gave other bytes."""
    slow = (
        "# %%\nimport time\n\nfor word in ('one', 'two', 'three'):\n    print(word, flush=True)\n    time.sleep(0.3)\n"
    )
    course = make_course(tmp_path, TEXT + "\n" + slow)
    build(course, CHAPTER)
    reference = nbformat.read(course.source / CHAPTER / f"{CHAPTER}.ipynb", as_version=4)
    assert [output.text for output in reference.cells[-1].outputs] == ["one\ntwo\nthree\n"]


def test_release_holds_stub_and_visible_checks_only(built_course: Course) -> None:
    folder = built_course.release / CHAPTER
    assert [path.name for path in folder.iterdir()] == [f"{CHAPTER}.ipynb"]
    text = (folder / f"{CHAPTER}.ipynb").read_text()
    assert "raise NotImplementedError" in text
    assert "square(2) == 4" in text
    assert "secret_product" not in text and "square(3)" not in text


@pytest.mark.parametrize(
    ("planted", "problem"),
    [
        ("    secret_product = x * x", "the hidden line 'secret_product = x * x'"),
        ("### BEGIN HIDDEN TESTS", "the mark '### BEGIN HIDDEN TESTS'"),
    ],
)
def test_leak_check_finds_planted_lines(built_course: Course, tmp_path: Path, planted: str, problem: str) -> None:
    release = nbformat.read(built_course.release / CHAPTER / f"{CHAPTER}.ipynb", 4)
    release.cells[1].source += "\n" + planted
    nbformat.write(release, tmp_path / "planted.ipynb")
    chapter = read_chapter(built_course.chapter_source(CHAPTER))
    assert leaks(chapter, tmp_path) == [f"planted.ipynb: {problem}"]


def test_leak_check_finds_sources_outputs_and_metadata(built_course: Course, tmp_path: Path) -> None:
    notebook = nbformat.read(built_course.source / CHAPTER / f"{CHAPTER}.ipynb", 4)
    notebook.metadata["authors"] = ["me"]
    notebook.cells[0].metadata["secret"] = 1
    nbformat.write(notebook, tmp_path / "reference.ipynb")
    (tmp_path / "text.py").touch()
    problems = " ".join(leaks(read_chapter(built_course.chapter_source(CHAPTER)), tmp_path))
    for part in (
        "an output in cell",
        "notebook metadata ['authors']",
        "metadata ['secret']",
        "text.py is a text source",
    ):
        assert part in problems


def test_hidden_lines_leave_out_what_is_shown_elsewhere() -> None:
    chapter_lines = hidden_lines(
        read_chapter_from(TEXT.replace("# What is the area", "# Here: secret_product = x * x\n# What is the area"))
    )
    assert "return secret_product" in chapter_lines
    assert "" not in chapter_lines


def read_chapter_from(text: str):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{CHAPTER}.py"
        path.write_text(text)
        return read_chapter(path)


def test_chapters_of_this_course_are_built_and_in_sync(real_course: Course) -> None:
    assert real_course.chapters(), "no chapters found"
    for name in real_course.chapters():
        assert build(real_course, name, check=True).changed == []


def test_cell_ids_are_unique_and_stable(real_course: Course) -> None:
    for name in real_course.chapters():
        for folder in (real_course.source, real_course.release):
            notebook = json.loads((folder / name / f"{name}.ipynb").read_text())
            ids = [cell["id"] for cell in notebook["cells"]]
            assert len(ids) == len(set(ids))
