"""What lies in a student's folder is read within bounds, through no link, and with no error that stops others."""

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbgrader import utils
from nbgrader.coursedir import CourseDirectory

from autograder.course import Course, open_course
from autograder.intake.files import (
    copy_file_beside,
    files_beside,
    name_without_copies,
    read_submission,
    timestamp_if_any,
)
from conftest import CHAPTER

NOBODY = 65534


@pytest.fixture
def course(built_course: Course, tmp_path: Path) -> Course:
    """A course with one submission, of ada."""
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    path = course.submission("ada", CHAPTER)
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    return course


@contextlib.contextmanager
def somebody_else(course: Course) -> Iterator[None]:
    """Read as a user for whom permissions count."""
    if os.geteuid() != 0:
        yield
        return
    opened = [part for part in (course.root, *course.root.parents) if not part.stat().st_mode & 0o001]
    modes = {part: part.stat().st_mode for part in opened}
    for part in opened:
        part.chmod(0o755)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        for part, mode in modes.items():
            part.chmod(mode)


@pytest.mark.parametrize(
    "name",
    ["01_bigrams", "01_bigrams (1)", "01_bigrams-Copy1", "01 bigrams", "01_bigrams - Copy", "01_bigrams copy 2 (3) "]
    + ["01_bigrams-Copy1-Copy2", " 01_bigrams 2"],
)
def test_copies_are_known_by_their_name(name: str) -> None:
    assert name_without_copies(name) == "01_bigrams"


def test_a_name_that_ends_like_a_copy_stays() -> None:
    assert [name_without_copies(name) for name in ("02_photocopy", "03_part_2", "(1)")] == [
        "02_photocopy",
        "03_part_2",
        "",
    ]


def test_no_link_on_the_way_is_followed(course: Course) -> None:
    (course.submitted / "folder").symlink_to("ada")
    (course.submitted / "chapter").mkdir()
    (course.submitted / "chapter" / CHAPTER).symlink_to(f"../ada/{CHAPTER}")
    (course.submitted / "file" / CHAPTER).mkdir(parents=True)
    course.submission("file", CHAPTER).symlink_to(course.submission("ada", CHAPTER))
    (course.submitted / "nowhere").symlink_to("nobody")
    assert set(course.submitted_students(CHAPTER)) >= {"ada", "folder", "chapter", "file"}
    for student in ("folder", "chapter", "file", "nowhere"):
        submission = read_submission(course, student, CHAPTER)
        assert "is a link" in submission.unreadable and submission.content == b"" and not submission.is_missing
        assert files_beside(course, course.submission(student, CHAPTER).parent, []).names in ([], [Path("x")])


def test_a_course_behind_a_link_is_read(course: Course, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(course.root)
    assert read_submission(open_course(tmp_path / "link"), "ada", CHAPTER).content == b"{}"


def test_what_may_not_be_read_is_part_of_the_answer(course: Course) -> None:
    path = course.submission("ada", CHAPTER)
    beside = path.with_name("notes.txt")
    beside.write_text("mine")
    closed = path.with_name("closed")
    closed.mkdir()
    for part in (path, beside, closed):
        part.chmod(0)
    try:
        with somebody_else(course):
            submission = read_submission(course, "ada", CHAPTER)
            found = files_beside(course, path.parent, ["*.ipynb"])
            problem = copy_file_beside(beside, Path("never"))
        path.parent.chmod(0)
        with somebody_else(course):
            behind = read_submission(course, "ada", CHAPTER)
            folder = files_beside(course, path.parent, ["*.ipynb"])
    finally:
        for part in (path.parent, path, beside, closed):
            part.chmod(0o755)
    assert submission.unreadable == behind.unreadable == "The file cannot be read (Permission denied)."
    assert submission.digest and problem == "notes.txt cannot be read (Permission denied)"
    assert "the folder closed cannot be read (Permission denied)" in found.left
    assert folder.names == [] and "Permission denied" in folder.left[0]


def test_a_pipe_in_place_of_the_notebook_does_not_hang(course: Course) -> None:
    path = course.submission("bob", CHAPTER)
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    assert read_submission(course, "bob", CHAPTER).is_missing


def test_of_a_timestamp_a_hundred_bytes_are_looked_at(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    path = course.submission("ada", CHAPTER).with_name("timestamp.txt")
    seen = []
    parse = utils.parse_utc
    monkeypatch.setattr(utils, "parse_utc", lambda text: (seen.append(len(text)), parse(text))[1])
    for text in ("9" * 2**20, "9" * 99, "\0", "", "no time", "2026-99-99 10:00:00 UTC"):
        path.write_text(text)
        start = time.process_time()
        assert timestamp_if_any(CourseDirectory(), str(path.parent)) is None
        assert time.process_time() - start < 1
    path.write_text("2026-03-02 10:00:00 UTC\n")
    assert str(timestamp_if_any(CourseDirectory(), str(path.parent))) == "2026-03-02 10:00:00"
    assert max(seen) <= 100


def test_files_beside_the_notebook_are_few_small_and_shallow(course: Course) -> None:
    folder = course.submission("ada", CHAPTER).parent
    (course.source / CHAPTER / "pictures").mkdir()
    (course.source / CHAPTER / "pictures" / "a.txt").write_text("of the course")
    (folder / "pictures").write_text("in the way")
    (folder / "notes.txt").write_text("kept")
    (folder / "sub").mkdir()
    (folder / "sub" / "more.txt").write_text("kept")
    (folder / "link").symlink_to(course.reference(CHAPTER))
    os.mkfifo(folder / "pipe")
    with (folder / "sparse").open("wb") as file:
        file.truncate(400 * 2**20)
    deep = folder / "z"
    for _ in range(30):
        deep.mkdir()
        (deep / "file").write_text("x")
        deep = deep / "z"
    found = files_beside(course, folder, ["*.ipynb"])
    kept = {str(name) for name in found.names}
    assert kept == {"notes.txt", "sub/more.txt", *(f"{'z/' * depth}file" for depth in range(1, 6))}
    assert found.left == [
        "pictures is in the way of the course's own files",
        "folders deeper than 5",
        "1 file too many or too large: 100 files and 20 MiB are kept",
    ]
