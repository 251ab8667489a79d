"""The learner's folder: what is there at first, what an update does, and a start page that works."""

import json
import re
import shutil
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from typer.testing import CliRunner

from autograder.chapter.source import read_chapter
from autograder.chapter.verdicts import Outcome, Verdict
from autograder.cli import app
from autograder.course import START, Course, CourseError, open_course
from autograder.learner.check import Checked
from autograder.learner.progress import Progress
from autograder.learner.reveal import reveal
from autograder.learner.workplace import POINTS, points_in, prepare, remember
from conftest import CHAPTER, ROOT, answered
from lmkit.drawings.course import CHAPTERS
from lmkit.paths import own_folder


@pytest.fixture
def course(built_course: Course, tmp_path: Path) -> Course:
    return open_course(shutil.copytree(built_course.root, tmp_path / "course"))


def names(course: Course) -> list[str]:
    return sorted(path.name for path in course.workplace.glob("*.ipynb"))


def release_again(course: Course, remark: str) -> bytes:
    released = course.released(CHAPTER)
    notebook = nbformat.read(released, as_version=4)
    notebook.cells[0].source = remark
    nbformat.write(notebook, released)
    return released.read_bytes()


def test_an_update_replaces_what_is_untouched_and_goes_beside_what_is_not(course: Course) -> None:
    mine = course.workplace / f"{CHAPTER}.ipynb"
    assert prepare(course) == [f"{mine.name}: ready"] and mine.read_bytes() == course.released(CHAPTER).read_bytes()
    assert prepare(course) == []
    second = release_again(course, "the second")
    assert prepare(course) == [f"{mine.name}: a new release"] and mine.read_bytes() == second
    mine.write_bytes(work := second.replace(b"the second", b"my own words"))
    assert prepare(course) == []  # the same release, written in
    third = release_again(course, "the third")
    (line,) = prepare(course)
    assert line == f"{mine.name} holds your work and was left alone: its new release is {CHAPTER}-new.ipynb."
    assert mine.read_bytes() == work and (course.workplace / f"{CHAPTER}-new.ipynb").read_bytes() == third
    assert prepare(course) == []
    (course.workplace / f"{CHAPTER}-new.ipynb").write_bytes(beside := third.replace(b"the third", b"more of mine"))
    fourth = release_again(course, "the fourth")
    assert "its new release is 01_squares-new-2.ipynb" in prepare(course)[0]
    assert mine.read_bytes() == work and (course.workplace / f"{CHAPTER}-new.ipynb").read_bytes() == beside
    assert (course.workplace / f"{CHAPTER}-new-2.ipynb").read_bytes() == fourth
    mine.unlink()  # whoever wants to begin again
    release_again(course, "the fifth")
    assert prepare(course) == [f"{mine.name}: ready"]


def test_without_notes_nothing_is_overwritten(course: Course) -> None:
    course.workplace.mkdir()
    mine = course.workplace / f"{CHAPTER}.ipynb"
    mine.write_text("work from elsewhere")
    assert "was left alone" in prepare(course)[0]
    assert mine.read_text() == "work from elsewhere" and names(course) == [f"{CHAPTER}-new.ipynb", mine.name]


def test_what_the_course_puts_beside_the_notebooks_is_there_and_stays_as_it_is_left(course: Course) -> None:
    given = course.root / "workplace" / "texts" / "README.md"
    given.parent.mkdir(parents=True)
    given.write_text("put texts here")
    prepare(course)
    mine = course.workplace / "texts" / "README.md"
    assert mine.read_text() == "put texts here"
    mine.write_text("my notes")
    (course.workplace / "texts" / "my.txt").write_text("my text")
    given.write_text("a second release")
    prepare(course)
    assert mine.read_text() == "my notes" and (course.workplace / "texts" / "my.txt").read_text() == "my text"


def test_this_course_makes_the_folder_for_texts_which_lmkit_finds(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "workplace", course.root / "workplace")
    prepare(course)
    monkeypatch.delenv("LMKIT_TEXTS", raising=False)
    monkeypatch.chdir(course.workplace)
    texts = own_folder("texts")
    assert texts == course.workplace / "texts" and [path.name for path in texts.iterdir()] == ["README.md"]


def test_check_looks_into_the_workplace_first(course: Course) -> None:
    option = ["--course", str(course.root)]
    result = CliRunner().invoke(app, ["start", *option])
    assert result.exit_code == 0 and result.output.endswith(f"Your notebooks are in {course.workplace}.\n")
    nbformat.write(answered(course, "def square(x):\n    return x * x").node, course.workplace / f"{CHAPTER}.ipynb")
    for words in (["1"], []):
        (found,) = json.loads(CliRunner().invoke(app, ["check", *words, "--json", *option]).output)
        assert found["points"] == 3 and found["notebook"] == str(course.workplace / f"{CHAPTER}.ipynb")
    assert points_in(course.workplace) == {"01": (3, 3)}  # what the start page draws
    CliRunner().invoke(app, ["check", str(course.released(CHAPTER)), *option])
    assert points_in(course.workplace) == {"01": (3, 3)} and points_in(course.release) == {}


def test_a_check_of_one_task_changes_its_points_only(tmp_path: Path) -> None:
    """Kept beside those of an earlier check; whoever has only totals, of an older version, begins anew."""
    (tmp_path / "nbgrader_config.py").touch()
    course = open_course(tmp_path)
    course.workplace.mkdir()
    notebook = course.workplace / "05_x.ipynb"

    def keep(one_task: bool, **points: float) -> dict[str, tuple[float, float]]:
        verdicts = [Verdict(f"{name}--it", name, "", earned, 3, Outcome.PASSED, "") for name, earned in points.items()]
        checked = Checked("05_x", [], verdicts)
        progress = Progress("05_x", notebook, points=0, most_points=6, checked=checked, is_of_one_task=one_task)
        remember(course, [progress])
        return points_in(course.workplace)

    (course.workplace / POINTS).write_text('{"05": [6, 6], "01": [1, 3]}')
    assert keep(True, first=2) == {"01": (1, 3), "05": (2, 6)}
    assert keep(True, second=3)["05"] == (5, 6) and keep(True, first=1)["05"] == (4, 6)
    assert keep(False, first=3, second=0)["05"] == (3, 6) and keep(True, second=1)["05"] == (4, 6)


def test_no_solution_lies_in_the_workplace(course: Course) -> None:
    prepare(course)
    files = {path.name for path in course.workplace.rglob("*") if path.is_file()}
    assert files == {f"{CHAPTER}.ipynb", ".releases.json"}


@pytest.fixture(scope="module")
def run_start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nbformat.NotebookNode]:
    """The start page as somebody leaves it who has written the one line, beside a chapter."""
    folder = tmp_path_factory.mktemp("work")
    notebook = nbformat.read(ROOT / "notebooks" / START, as_version=4)
    (folder / "01_bigrams.ipynb").write_text("{}")
    task = next(cell for cell in notebook.cells if cell.id == "count_words")
    task.source = task.source.partition("    raise")[0] + "    return len(text.split())"
    yield NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()


def output(notebook: nbformat.NotebookNode, cell_id: str) -> str:
    (cell,) = (cell for cell in notebook.cells if cell.id == cell_id)
    return json.dumps(cell.outputs)


def test_the_start_page_shows_what_it_promises(run_start: nbformat.NotebookNode) -> None:
    assert "All is well" in output(run_start, "ready") or "mend it" in output(run_start, "ready")
    assert "image/png" in output(run_start, "map")
    assert "[01_bigrams](<01_bigrams.ipynb>)" in output(run_start, "chapters")
    assert "Right." in output(run_start, "count_words--words")


def test_the_start_page_is_handed_out_untouched_and_its_task_can_fail() -> None:
    notebook = nbformat.read(ROOT / "notebooks" / START, as_version=4)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    notebook.cells = [cell for cell in notebook.cells if cell.id.startswith("count_words")]
    with pytest.raises(CellExecutionError, match="NotImplementedError"):
        NotebookClient(notebook, timeout=120).execute()


def test_the_map_has_the_chapters_and_the_hours_of_the_readme() -> None:
    rows = re.findall(r"^\| (\d\d) [^|]*\| \d+ \| ([^|]*) \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert rows == [(number, chapter.hours) for number, chapter in CHAPTERS.items()]
    assert [name[:2] for name in open_course(ROOT).chapters()] == list(CHAPTERS)


def test_the_hours_are_the_minutes_of_the_tasks_and_a_quarter_for_reading() -> None:
    course = open_course(ROOT)
    hours, told = {}, {}
    for name in course.chapters():
        chapter = read_chapter(course.chapter_source(name))
        minutes = sum(cell.keys["minutes"] for cell in [*chapter.tasks(), *chapter.written()])
        hours[name[:2]] = round(1.25 * minutes / 30) / 2
        told[name[:2]] = sum(unicodedata.numeric(sign) for sign in CHAPTERS[name[:2]].hours)
    assert told == hours


def test_an_answer_is_shown_to_who_asks_twice(course: Course) -> None:
    ask = ["reveal", CHAPTER[:2], "square", "--course", str(course.root)]
    first, second = (CliRunner().invoke(app, ask).output for _ in range(2))
    assert "secret_product" not in first and "three hints" in first
    assert "secret_product = x * x" in second and "BEGIN SOLUTION" not in second
    with pytest.raises(CourseError, match="has no task 'circle'; its tasks: square"):
        reveal(course, CHAPTER, "circle")
    course.reference(CHAPTER).unlink()
    with pytest.raises(CourseError, match="answers to 01_squares are not in this folder"):
        reveal(course, CHAPTER, "square")
