"""The page of what somebody built: all that was kept is on it, nothing runs or is fetched, and a change is seen."""

import json
import re
from pathlib import Path

import pytest
from test_coordinator import class_of, grade_all
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import Course, CourseError
from autograder.learner.built import is_unchanged, write_built
from autograder.learner.workplace import POINTS
from conftest import CHAPTER
from lmkit import gallery

TEXTS = {
    "on a cold evening ,": "anton visits <b>the fox</b> .",
    "the waiter serves": "0" * 64,
    "": "x" * 900,
    "4th": "no",
}


@pytest.fixture
def course(built_course: Course, tmp_path: Path) -> Course:
    course = class_of(built_course, tmp_path / "course")
    course.workplace.mkdir()
    return course


@pytest.fixture
def models(course: Course, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gallery in work/, written by the module that learners use."""
    folder = course.workplace / "gallery"
    monkeypatch.setenv("LMKIT_GALLERY", str(folder))
    gallery.keep("08_transformer", {"w": [1]}, TEXTS, text="kitchen", bits_above_floor=0.5, minutes=4)
    gallery.keep("01_trigram", None, TEXTS, text="kitchen", bits_per_byte=1.9)
    gallery.keep("01_trigram", None, TEXTS, text="kitchen", bits_per_byte=1.8)
    return folder


def test_a_learners_page_has_the_models_and_the_points(course: Course, models: Path, tmp_path: Path) -> None:
    (course.workplace / POINTS).write_text(json.dumps({CHAPTER[:2]: [2, 3]}))
    (models / "broken.json").write_text('{"kind": 3}')
    (models / "link.json").symlink_to("/etc/passwd")
    out = tmp_path / "page.html"
    left = write_built(course, out, "Ada <Lovelace>", None, None).splitlines()
    assert [line.partition(" is left out")[0] for line in left] == [
        str(models / name) for name in ("broken.json", "link.json")
    ]
    page = out.read_text()
    assert re.findall(r"<h3>(.*)</h3>", page) == ["01_trigram", "08_transformer"]
    assert "1.80 bits per byte" in page and "1.90" not in page
    assert "0.50 bits above the floor; 4.0 minutes of training" in page
    assert "Ada &lt;Lovelace&gt;" in page and "&lt;b&gt;the fox&lt;/b&gt;" in page and "(from nothing)" in page
    assert "x" * 400 + "…" in page and "4th" not in page
    assert "2 of 3 points" in page and "width: 66.7%" in page
    assert "proves nothing" in page and "signature" not in page
    assert "<script" not in page and "://" not in page and "default-src 'none'" in page


def test_a_signed_page_has_the_marks_and_shows_each_change(course: Course, models: Path, tmp_path: Path) -> None:
    assert set(grade_all(course).values()) == {""}
    out, here = tmp_path / "ada.html", ["--course", str(course.root)]
    made = CliRunner().invoke(app, ["built", str(out), "--student", "bob", "--gallery", str(models), *here])
    assert made.exit_code == 0 and made.output == f"Wrote {out}\n"
    page = out.read_text()
    assert "What bob built" in page and "1 of 3 points" in page and "0" * 64 in page
    verified = CliRunner().invoke(app, ["verify", str(out), *here])
    assert verified.output == f"{out}: signed by this course, and unchanged.\n"
    for before, after in (("1 of 3", "3 of 3"), ("bob", "eve"), ("the fox", "the cat"), ("</html>", "</html>\n")):
        assert before in page
        out.write_text(page.replace(before, after))
        assert not is_unchanged(course, out)
    out.write_text(page)
    (course.state / "secret").write_text("another")
    refused = CliRunner().invoke(app, ["verify", str(out), *here])
    assert isinstance(refused.exception, CourseError) and "another course signed it" in str(refused.exception)


def test_without_a_gallery_a_signed_page_has_the_marks_alone(course: Course, models: Path, tmp_path: Path) -> None:
    grade_all(course)
    with pytest.raises(CourseError, match="no mark of 'zoe'"):
        write_built(course, tmp_path / "page.html", "", "zoe", None)
    write_built(course, tmp_path / "page.html", "Ada", "ada", None)
    assert (
        "3 of 3 points" in (tmp_path / "page.html").read_text()
        and "08_transformer" not in (tmp_path / "page.html").read_text()
    )


def test_what_cannot_be_made_or_verified_is_said(course: Course, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    with pytest.raises(CourseError, match="Nothing is there yet"):
        write_built(course, page, "", None, None)
    with pytest.raises(CourseError, match="no folder"):
        write_built(course, page, "", None, tmp_path / "none")
    with pytest.raises(CourseError, match="Nothing is graded yet"):
        write_built(course, page, "", "ada", None)
    (course.workplace / POINTS).write_text(json.dumps({"01": [0, 3]}))
    write_built(course, page, "", None, None)
    with pytest.raises(CourseError, match="not signed"):
        is_unchanged(course, page)
    page.write_bytes(b"\xff")
    with pytest.raises(CourseError, match="cannot be read"):
        is_unchanged(course, page)
