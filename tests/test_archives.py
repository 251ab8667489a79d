"""What a learning management system hands out becomes submissions; what is hostile or broken is named and left."""

import io
import shutil
import stat
import tarfile
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import Course, CourseError, open_course
from autograder.grading.gradebook import remember_students
from autograder.intake import archives
from autograder.intake.archives import Collection, Person, collect, safe_name
from autograder.intake.files import timestamp_if_any
from conftest import CHAPTER

FILE = f"{CHAPTER}.ipynb"


@pytest.fixture
def course(built_course: Course, tmp_path: Path) -> Course:
    """A course of one's own, in a folder in which nothing else may appear."""
    (tmp_path / "around").mkdir()
    return open_course(shutil.copytree(built_course.root, tmp_path / "around" / "course"))


def zipped(path: Path, files: dict[str, str], compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as packed:
        for name, content in files.items():
            packed.writestr(zipfile.ZipInfo(name), content, compression)
    return path


def tarred(path: Path, members: list[tuple[tarfile.TarInfo, str]], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as packed:
        for member, content in members:
            member.size = len(content.encode())
            packed.addfile(member, io.BytesIO(content.encode()))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def students(collection: Collection) -> dict[str, str]:
    """Student -> what was written for them."""
    return {taken.student: taken.path.read_text() for taken in collection.taken}


def files_around(course: Course) -> set[str]:
    """All files near the course that are not the course's own."""
    everything = {str(path.relative_to(course.root.parent)) for path in course.root.parent.rglob("*")}
    own = (
        "course/solutions",
        "course/notebooks",
        "course/nbgrader_config.py",
        "course/.nbgrader.log",
        "course/gradebook.db",
        "course/.autograder",
    )
    return {name for name in everything if not name.startswith(own)} - {"course"}


def paths_of(*names: str) -> set[str]:
    """The files and folders that these students' submissions consist of."""
    paths = {"course/submitted"}
    for name in names:
        folder = f"course/submitted/{name}"
        paths |= {folder, f"{folder}/{CHAPTER}", f"{folder}/{CHAPTER}/{FILE}"}
    return paths


def test_canvas(course: Course, tmp_path: Path) -> None:
    files = {
        f"adalovelace_101_9001_{CHAPTER}.ipynb": "ada",
        f"hopper_LATE_102_9002_{CHAPTER}-1.ipynb": "late",
        f"smith_103_9003_{CHAPTER}.ipynb": "first Smith",
        f"smith_104_9004_{CHAPTER}.ipynb": "second Smith",
        f"turing_105_9005_x_106_9006_{CHAPTER}.ipynb": "a name that looks like someone else's",
    }
    collection = collect(course, CHAPTER, zipped(tmp_path / "submissions.zip", files))
    assert collection.lms == "canvas" and collection.left == []
    assert students(collection) == {
        "adalovelace_101": "ada",
        "hopper_102": "late",
        "smith_103": "first Smith",
        "smith_104": "second Smith",
        "turing_105": "a name that looks like someone else's",
    }
    assert files_around(course) == paths_of(*students(collection))


def test_who_is_late_and_what_they_are_called_reaches_nbgrader(course: Course, tmp_path: Path) -> None:
    files = {f"ada_101_1_{CHAPTER}.ipynb": "in time", f"bob_LATE_102_2_{CHAPTER}-1 (1).ipynb": "late"}
    archive = str(zipped(tmp_path / "a.zip", files))

    def run(*arguments: str) -> str:
        return CliRunner().invoke(app, ["collect", CHAPTER, *arguments, "--course", str(course.root)]).output

    assert "set the due date in formgrader and collect again" in run(archive)
    assert not list(course.submitted.rglob("timestamp.txt"))
    with Gradebook(course.database, course.course_id) as gradebook:
        gradebook.update_or_create_assignment(CHAPTER, duedate="2026-11-01 10:00:00 UTC")
    assert "due date" not in run(archive)
    (late,) = course.submitted.rglob("timestamp.txt")
    assert late.parts[-3] == "bob_102" and late.read_text() == "2026-11-01 10:00:01 UTC"

    run(str(zipped(tmp_path / "b.zip", {"Zoë Maria Ødegård_11_assignsubmission_file_/x.ipynb": "zoe"})))
    with Gradebook(course.database, course.course_id) as gradebook:
        zoe = gradebook.find_student("Zoë_Maria_Ødegård")
        assert (zoe.first_name, zoe.last_name, zoe.email) == ("Zoë Maria", "Ødegård", None)
        zoe.first_name = "Z."
        gradebook.db.commit()
    remember_students(course, {"Zoë_Maria_Ødegård": Person("Zoë Maria Ødegård", "zoe@example.org")})
    with Gradebook(course.database, course.course_id) as gradebook:
        zoe = gradebook.find_student("Zoë_Maria_Ødegård")
        assert (zoe.first_name, zoe.email) == ("Z.", "zoe@example.org"), "what a person wrote stays"


def test_moodle(course: Course, tmp_path: Path) -> None:
    files = {
        "Zoë Ødegård_11_assignsubmission_file_/my work.ipynb": "zoe",
        f"Li Wei_12_assignsubmission_file_{CHAPTER}.ipynb": "flat",
        "Li Wei_12_assignsubmission_onlinetext_onlinetext.html": "<p>hello</p>",
        f"Eve_13_assignsubmission_file_/Zoë Ødegård_11_assignsubmission_file_/{CHAPTER}.ipynb": "eve",
        "Mal_14_assignsubmission_file_Li Wei_12_assignsubmission_file_x.ipynb": "mal",
    }
    collection = collect(course, CHAPTER, zipped(tmp_path / "a.zip", files))
    assert collection.lms == "moodle"
    assert students(collection) == {"Zoë_Ødegård": "zoe", "Li_Wei": "flat", "Eve": "eve", "Mal": "mal"}
    assert [reason for _, reason in collection.left] == ["it is not a notebook (.ipynb)"]


def test_gradescope_with_and_without_its_list(course: Course, tmp_path: Path) -> None:
    listed = """---
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0042'
    :email: ada@example.org
  :created_at: 2026-11-01 10:00:00.000000000 Z
submission_2:
  :submitters:
  - :name: Bo
    :sid: ''
    :email: bo@example.org
  - :name: Cy
    :email: cy@example.org
"""
    forged = "submission_1:\n  :submitters:\n  - :sid: '0666'\n"
    files = {
        f"assignment_7_export/submission_1/{CHAPTER}.ipynb": "ada",
        "assignment_7_export/submission_2/group.ipynb": "two people",
        "assignment_7_export/submission_2/submission_metadata.yml": forged,
        "assignment_7_export/submission_3/submission_1/a.ipynb": "not in the list",
        "assignment_7_export/submission_metadata.yml": listed,
    }
    collection = collect(course, CHAPTER, zipped(tmp_path / "a.zip", files))
    assert collection.lms == "gradescope"
    assert students(collection) == {
        "0042": "ada",
        "bo@example.org": "two people",
        "cy@example.org": "two people",
        "submission_3": "not in the list",
    }
    times = {taken.student: taken.path.with_name("timestamp.txt") for taken in collection.taken}
    assert {student: path.read_text() for student, path in times.items() if path.exists()} == {
        "0042": "2026-11-01 10:00:00 UTC"
    }
    assert timestamp_if_any(CourseDirectory(), str(times["0042"].parent)) == datetime(2026, 11, 1, 10)
    assert {student: person.name for student, person in collection.people.items()} == {
        "0042": "Ada Lovelace",
        "bo@example.org": "Bo",
        "cy@example.org": "Cy",
    }
    assert sorted(reason for _, reason in collection.left) == [
        "it is not a notebook (.ipynb)",
        "it says who handed in what, and was used for that",
    ]

    shutil.rmtree(course.submitted)
    files["assignment_7_export/submission_metadata.yml"] = "- [" * 5000
    collection = collect(course, CHAPTER, zipped(tmp_path / "a.zip", files))
    assert set(students(collection)) == {"submission_1", "submission_2", "submission_3"}
    assert any("cannot be read" in reason for _, reason in collection.left)


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_plain_names_in_a_tar(course: Course, tmp_path: Path, mode: str) -> None:
    names = [
        f"ann/{FILE}",
        "bob.ipynb",
        f"cat/{CHAPTER}/{FILE}",
        "dan/notes.ipynb",
        FILE,
        ".ipynb_checkpoints/ann.ipynb",
    ]
    archive = tarred(tmp_path / "a.tar", [(member(name), name) for name in names], mode)
    collection = collect(course, CHAPTER, archive)
    assert collection.lms == "plain"
    assert students(collection) == {"ann": names[0], "bob": names[1], "cat": names[2]}
    assert dict(collection.left) == {
        "dan/notes.ipynb": "its name is not like STUDENT/CHAPTER.ipynb or STUDENT.ipynb",
        FILE: "its name is not like STUDENT/CHAPTER.ipynb or STUDENT.ipynb",
        ".ipynb_checkpoints/ann.ipynb": "it is a hidden file or a copy that Jupyter made",
    }


def test_the_layout_can_be_named(course: Course, tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"ann_1_2_x.ipynb": "ann"})
    assert set(students(collect(course, CHAPTER, archive, lms="plain"))) == {"ann_1_2_x"}
    assert set(students(collect(course, CHAPTER, archive))) == {"ann_1"}
    with pytest.raises(CourseError, match="no layout 'blackboard': choose one of canvas, gradescope, moodle, plain"):
        collect(course, CHAPTER, archive, lms="blackboard")


def test_paths_that_lead_out_are_left(course: Course, tmp_path: Path) -> None:
    outside = [
        f"../../evil/{FILE}",
        f"/tmp/evil/{FILE}",
        f"C:\\evil\\{FILE}",
        "..\\..\\evil.ipynb",
        f"ann/../../{FILE}",
    ]
    collection = collect(course, CHAPTER, zipped(tmp_path / "a.zip", dict.fromkeys([*outside, "ann.ipynb"], "x")))
    assert set(students(collection)) == {"ann"}
    assert {reason for _, reason in collection.left} == {"its path leads out of the archive"}
    assert len(collection.left) == len(outside)
    assert files_around(course) == paths_of("ann")
    archive = tarred(tmp_path / "a.tar.gz", [(member(name), "x") for name in outside])
    assert collect(course, CHAPTER, archive).taken == []
    assert files_around(course) == paths_of("ann")


def test_links_and_devices_are_left(course: Course, tmp_path: Path) -> None:
    secret = tmp_path / "secret.ipynb"
    secret.write_text("secret")
    odd = [
        (member("ann.ipynb", tarfile.SYMTYPE, str(secret)), ""),
        (member("bob.ipynb", tarfile.LNKTYPE, "ann.ipynb"), ""),
        (member("cat.ipynb", tarfile.CHRTYPE), ""),
        (member("dan.ipynb", tarfile.FIFOTYPE), ""),
        (member("eve", tarfile.SYMTYPE, str(tmp_path)), ""),
        (member(f"eve/{FILE}"), "through a link"),
    ]
    collection = collect(course, CHAPTER, tarred(tmp_path / "a.tar.gz", odd))
    assert students(collection) == {"eve": "through a link"}  # which led nowhere: the link was not made
    assert [name for name, reason in collection.left if "link or a device" in reason] == [
        "ann.ipynb",
        "bob.ipynb",
        "cat.ipynb",
        "dan.ipynb",
        "eve",
    ]
    assert files_around(course) == paths_of("eve")

    link = zipfile.ZipInfo("ann.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(link, str(secret))
    assert collect(course, CHAPTER, tmp_path / "a.zip").taken == []


def test_a_link_in_submitted_is_not_followed(course: Course, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    course.submitted.mkdir()
    (course.submitted / "ann").symlink_to(elsewhere)
    (course.submitted / "bob").write_text("a file where a folder belongs")
    collection = collect(
        course, CHAPTER, zipped(tmp_path / "a.zip", {"ann.ipynb": "x", "bob.ipynb": "x"}), replace=True
    )
    assert collection.taken == [] and list(elsewhere.iterdir()) == []
    assert ["leads out" in reason or "something else" in reason for _, reason in collection.left] == [True, True]


def test_bombs(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"ann.ipynb": "0" * 2 * 2**20, "bob.ipynb": "1"}
    collection = collect(course, CHAPTER, zipped(tmp_path / "a.zip", files, zipfile.ZIP_DEFLATED))
    assert set(students(collection)) == {"bob"}
    assert collection.left == [("ann.ipynb", "it unpacks to more than 200 times its size")]

    collection = collect(course, CHAPTER, zipped(tmp_path / "a.zip", {"cat.ipynb": " " * (20 * 2**20 + 1)}))
    assert collection.left == [("cat.ipynb", "it has more than 20 MiB: ask for one with its outputs cleared")]

    archive = tarred(tmp_path / "a.tar.gz", [(member("dan.ipynb"), "0" * 12 * 2**20)])
    with pytest.raises(CourseError, match="200 times its size: look at it by hand"):
        collect(course, CHAPTER, archive)

    monkeypatch.setattr(archives, "MAX_UNPACKED", 1000)
    many = {f"s{number}.ipynb": "x" * 300 for number in range(4)}
    with pytest.raises(CourseError, match="unpacks to more than"):
        collect(course, CHAPTER, zipped(tmp_path / "a.zip", many))
    with pytest.raises(CourseError, match="unpacks to more than"):
        collect(course, CHAPTER, tarred(tmp_path / "a.tar", [(member(n), c) for n, c in many.items()], "w"))
    assert files_around(course) == paths_of("bob")


def test_too_many_entries(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"s{number}.ipynb" for number in range(archives.MAX_ENTRIES + 1)]
    with pytest.raises(CourseError, match="more than 10,000 files: hand them over in several archives"):
        collect(course, CHAPTER, zipped(tmp_path / "a.zip", dict.fromkeys(names, "")))
    with pytest.raises(CourseError, match="more than 10,000 files"):
        collect(course, CHAPTER, tarred(tmp_path / "a.tar", [(member(name), "") for name in names], "w"))
    # A directory that claims to be long is not even read.
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda *_: pytest.fail("the directory was read"))
    monkeypatch.setattr(archives, "ENTRY_BYTES", 10)
    with pytest.raises(CourseError, match="more than 10,000 files"):
        collect(course, CHAPTER, tmp_path / "a.zip")
    assert files_around(course) == {"course/submitted"}


def test_archives_inside_are_not_unpacked(course: Course, tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", {"bob.ipynb": "bob"}).read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("ann.zip", inner)
        packed.writestr("cat.tar.gz", inner)
        packed.writestr("dan.ipynb", inner)  # no notebook, but that is for intake to say
    collection = collect(course, CHAPTER, tmp_path / "a.zip")
    assert [taken.student for taken in collection.taken] == ["dan"]
    assert [reason.split(":")[0] for _, reason in collection.left] == ["it is an archive inside the archive"] * 2


def test_the_first_of_two_files_counts(course: Course, tmp_path: Path) -> None:
    files = {"ann.ipynb": "first", f"Ann/{FILE}": "second", "bob.ipynb": "bob"}
    collection = collect(course, CHAPTER, zipped(tmp_path / "a.zip", files))
    # The file that is named after the chapter comes before one that is not.
    assert students(collection) == {"Ann": "second", "bob": "bob"}
    assert collection.left == [("ann.ipynb", f"ann has handed in Ann/{FILE} as well, and the first one counts")]

    same = {f"Bo_1_assignsubmission_file_/{name}.ipynb": name for name in ("a", "b")}
    collection = collect(course, CHAPTER, zipped(tmp_path / "a.zip", same))
    assert students(collection) == {"Bo": "a"}
    assert [name for name, _ in collection.left] == ["Bo_1_assignsubmission_file_/b.ipynb"]


def test_another_chapter_is_left(course: Course, tmp_path: Path) -> None:
    other = course.source / "02_cubes"
    other.mkdir()
    (other / "02_cubes.py").write_text("")
    files = {"ann_1_2_02_cubes-1.ipynb": "x", f"bob_3_4_{CHAPTER}-2.ipynb": "y"}
    collection = collect(course, CHAPTER, zipped(tmp_path / "a.zip", files))
    assert set(students(collection)) == {"bob_3"}
    assert collection.left == [("ann_1_2_02_cubes-1.ipynb", "it is named after chapter 02_cubes")]


def test_a_submission_that_is_there_stays_unless_told(course: Course, tmp_path: Path) -> None:
    collect(course, CHAPTER, zipped(tmp_path / "a.zip", {"ann.ipynb": "old", "bob.ipynb": "same"}))
    newer = zipped(tmp_path / "b.zip", {"ann.ipynb": "new", "bob.ipynb": "same"})
    collection = collect(course, CHAPTER, newer)
    assert collection.taken == []
    assert dict(collection.left) == {
        "ann.ipynb": "ann has another file there already; --replace would take this one",
        "bob.ipynb": "bob has this very file there already",
    }
    assert (course.submitted / "ann" / CHAPTER / FILE).read_text() == "old"
    assert students(collect(course, CHAPTER, newer, replace=True)) == {"ann": "new"}
    assert files_around(course) == paths_of("ann", "bob")


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        ("Zoë Ødegård", "Zoë_Ødegård"),
        ("Zoe\u0308", "Zoë"),
        ("李 伟", "李_伟"),
        ("मीरा", "मीरा"),
        ("..", ""),
        (".hidden", "hidden"),
        ("-rf", "rf"),
        ("a\u202eb\x00c\nd", "a_b_c_d"),
        ("ann@example.org", "ann@example.org"),
        ("<script>alert(1)</script>", "script_alert_1_script"),
        ("\udcff", ""),
        ("x" * 300, "x" * 100),
    ],
)
def test_names_made_safe(raw: str, safe: str) -> None:
    assert safe_name(raw) == safe


def test_names_whose_zip_does_not_say_that_they_are_utf8(course: Course, tmp_path: Path) -> None:
    info = zipfile.ZipInfo("Zo\xeb.ipynb")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(info, "zoe")
    data = bytearray((tmp_path / "a.zip").read_bytes())
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        flags = data.index(mark) + place + 1
        assert data[flags] & 8
        data[flags] &= ~8
    (tmp_path / "a.zip").write_bytes(data)
    assert set(students(collect(course, CHAPTER, tmp_path / "a.zip"))) == {"Zoë"}


def damaged_files() -> dict[str, bytes]:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("ann.ipynb", "bob.ipynb"):
            archive.writestr(name, "content of a notebook " * 50)
    whole = packed.getvalue()
    tar, gz = io.BytesIO(), io.BytesIO()
    for file, mode in ((tar, "w"), (gz, "w:gz")):
        with tarfile.open(fileobj=file, mode=mode) as archive:
            for name in ("ann.ipynb", "bob.ipynb"):
                info = member(name)
                info.size = 2000
                archive.addfile(info, io.BytesIO(b"x" * 2000))
    changed = tar.getvalue()
    second = changed.index(b"bob.ipynb")
    return {
        "cut off": whole[:-30],
        "content changed": whole.replace(b"notebook", b"n0tebook", 1),
        "start missing": whole[200:],
        "directory moved": whole.replace(b"PK\1\2", b"PK\1\3"),
        "empty": b"",
        "text": b"<html>Please log in</html>",
        "rar": b"Rar!\x1a\x07\x01\x00" + bytes(600),
        "tar cut off": changed[: second + 700],
        "tar without its second header": changed[:second] + b"?" * 20 + changed[second + 20 :],
        "gz cut off": gz.getvalue()[:-20],
        "gz of no tar": b"\x1f\x8b" + gz.getvalue()[2:40],
    }


@pytest.mark.parametrize("kind", damaged_files())
def test_a_bad_archive_ends_in_one_line_and_writes_nothing(course: Course, tmp_path: Path, kind: str) -> None:
    archive = tmp_path / "download.zip"
    archive.write_bytes(damaged_files()[kind])
    with pytest.raises(CourseError, match=r"^download.zip .*(download it again|pack)") as error:
        collect(course, CHAPTER, archive)
    assert "\n" not in str(error.value)
    assert files_around(course) == {"course/submitted"}


def test_the_command(course: Course, tmp_path: Path) -> None:
    def run(*arguments: str) -> tuple[str, str]:
        result = CliRunner().invoke(app, ["collect", *arguments, "--course", str(course.root)])
        return result.output, str(result.exception or "")

    archive = str(zipped(tmp_path / "a.zip", {"ann.ipynb": "ann", "b\x1b[31m.txt": "b"}))
    output, problem = run(CHAPTER, archive)
    assert output.splitlines() == [
        "ann: ann.ipynb",
        "not taken: b?[31m.txt: it is not a notebook (.ipynb)",
        "1 submission collected (plain), 1 file not taken",
    ]
    assert problem == ""
    assert run(CHAPTER, archive)[1].startswith("Nothing was collected")
    assert run(CHAPTER, str(tmp_path / "no.zip"))[1].endswith("name the zip or tar file that you downloaded.")
    assert run("../..", archive)[1].startswith("There is no chapter '../..'")
