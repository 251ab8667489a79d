"""What a term adds to the marks: late work, extensions, a dropped test, extra points, groups, history, backups."""

import shutil
import sqlite3
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from typer.testing import CliRunner

from autograder.authoring.build import build
from autograder.cli import app
from autograder.course import HISTORY, STATE, TERM, Course, CourseError, open_course
from autograder.grading.coordinator import grade_class, students_to_grade
from autograder.grading.gradebook import open_gradebook
from autograder.grading.history import COLUMNS, note_changes
from autograder.grading.marks import final_marks
from autograder.grading.term import Late, read_term
from autograder.logs import LOG
from autograder.pages.course_report import file_of
from conftest import CHAPTER, answered, make_course

RIGHT, HALF = "def square(x):\n    return x * x", "def square(x):\n    return x * abs(x)"  # 3 of 3 points, and 1
DUE = datetime(2026, 11, 1, 12, tzinfo=UTC)
LATE = """
[late]
percent_per_day = 10
most_percent = 50
grace_minutes = 15
[deadlines]
01_squares = 2026-11-01T13:00:00+01:00
"""
# who, the answer, hours after the deadline, points by the rule above
CLASS = {
    "ada": (RIGHT, -1, 3.0),
    "ben": (RIGHT, 0.2, 3.0),  # within the 15 minutes
    "cem": (RIGHT, 0.3, 2.7),  # one day begun
    "dan": (HALF, 24 + 1, 0.8),  # two days begun, of one point
    "eva": (RIGHT, 24 * 30, 1.5),  # never more than half
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class of which some handed in late, graded; tests copy it before they change anything."""
    course = make_course(tmp_path_factory.mktemp("term"))
    build(course, CHAPTER)
    for student, (code, hours, _) in CLASS.items():
        path = course.submission(student, CHAPTER)
        path.parent.mkdir(parents=True)
        nbformat.write(answered(course, code).node, path)
        path.with_name("timestamp.txt").write_text(f"{DUE + timedelta(hours=hours):%Y-%m-%d %H:%M:%S} UTC")
    list(grade_class(course, CHAPTER, list(CLASS), jobs=1))
    return course


@pytest.fixture
def course(graded: Course, tmp_path: Path) -> Course:
    return open_course(shutil.copytree(graded.root, tmp_path / "course"))


def points(course: Course, text: str) -> dict[str, float]:
    """The final points of all with this `term.toml`."""
    (course.root / TERM).write_text(text)
    return final_marks(course, CHAPTER)["points"].to_dict()


def command(course: Course, *words: str) -> str:
    """What a command prints; it must succeed."""
    result = CliRunner().invoke(app, [*words, "--course", str(course.root)])
    assert result.exit_code == 0, f"{result.output} {result.exception}"
    return result.output


def history(course: Course) -> pd.DataFrame:
    return pd.read_csv(course.root / HISTORY, dtype=str, keep_default_na=False)


def test_without_the_file_marks_are_the_gradebooks(course: Course) -> None:
    assert final_marks(course, CHAPTER)["points"].to_dict() == {"ada": 3, "ben": 3, "cem": 3, "dan": 1, "eva": 3}


def test_late_work_costs_what_the_rule_says(course: Course) -> None:
    assert points(course, LATE) == pytest.approx({student: wanted for student, (_, _, wanted) in CLASS.items()})
    assert points(course, "") == {"ada": 3, "ben": 3, "cem": 3, "dan": 1, "eva": 3}, "a rule taken back leaves nothing"


@pytest.mark.parametrize(
    ("days", "wanted"), [(0, 0), (0.0001, 1), (1, 1), (1.0001, 2), (4.9, 5), (5, 5), (5.1, 5), (400, 5)]
)
def test_a_day_counts_once_it_has_begun(days: float, wanted: float) -> None:
    assert Late(10, 50).taken_off(10, timedelta(days=days)) == wanted


def test_an_extension_is_one_students_own(course: Course) -> None:
    extension = """
[[extensions]]
student = "dan"
chapter = "01"
until = 2026-11-03T23:00:00Z
why = "ill"
"""
    given = points(course, LATE + extension)
    assert given == pytest.approx({**{student: wanted for student, (_, _, wanted) in CLASS.items()}, "dan": 1})
    assert final_marks(course, CHAPTER).loc["dan", "why"] == "extension until 2026-11-03 23:00:00: ill"


def test_an_extension_never_shortens(course: Course) -> None:
    early = '[[extensions]]\nstudent = "ada"\nchapter = "01"\nuntil = 2026-10-01T00:00:00Z\nwhy = "a slip"\n'
    assert points(course, LATE + early)["ada"] == 3


def test_a_dropped_test_counts_for_nobody(course: Course) -> None:
    dropped = '[[dropped]]\nchapter = "01"\ntest = "square--negative-numbers"\nwhy = "the statement says x >= 0"\n'
    assert points(course, dropped) == dict.fromkeys(CLASS, 1)
    assert set(final_marks(course, CHAPTER)["most_points"]) == {1}
    with pytest.raises(CourseError, match="has no test 'square--nothing': take its name from the report"):
        points(course, dropped.replace("negative-numbers", "nothing"))


def test_extra_points_stay_above_nothing(course: Course) -> None:
    extra = '[[extra]]\nstudent = "{}"\nchapter = "01"\npoints = {}\nwhy = "found a slip in the text"\n'
    given = points(course, LATE + extra.format("ada", 2) + extra.format("dan", -7) + extra.format("eva", 0.25))
    assert (given["ada"], given["dan"], given["eva"]) == (5, 0, 1.75), "extra points are not halved by being late"


def test_a_group_has_the_mark_of_whoever_handed_in(course: Course) -> None:
    group = '[[groups]]\nchapter = "01"\nstudents = ["zoe", "cem", "yun"]\n'
    given = points(course, LATE + group)
    assert given["zoe"] == given["yun"] == given["cem"] == 2.7
    pages = {path.parts[-3]: path for path in _feedback(course)}
    assert "2.7 of 3" in pages["zoe"].read_text() and "x * x" in pages["zoe"].read_text().replace(
        "</span>", ""
    ).replace('<span class="o">', "").replace('<span class="n">', "")
    command(course, "report", "01")
    table = pd.read_csv(course.reports / f"{CHAPTER}.csv", index_col="student")
    assert table["total"].to_dict() == pytest.approx(given)
    command(course, "export", str(course.root / "marks.csv"))
    table = pd.read_csv(course.root / "marks.csv", index_col="student")
    assert table[CHAPTER].to_dict() == pytest.approx(given), "all tables have the same numbers"


def _feedback(course: Course) -> list[Path]:
    command(course, "feedback", "01")
    return sorted(course.feedback.glob("*/*/*.html"))


def test_whose_of_two_counts_must_be_said(course: Course) -> None:
    group = '[[groups]]\nchapter = "01"\nstudents = ["dan", "eva"]\n'
    with pytest.raises(CourseError, match='dan and eva of one group both handed in 01_squares: add by = "..."'):
        points(course, group)
    given = points(course, group + 'by = "eva"\n')
    assert given["dan"] == given["eva"] == 3
    with pytest.raises(CourseError, match="'zoe', who hands in for a group, has not handed in 01_squares"):
        points(course, group.replace('"eva"', '"eva", "zoe"') + 'by = "zoe"\n')


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("late = ", "is no TOML: Invalid value"),
        ("[latte]\n", "there is no 'latte'; choose among late, deadlines"),
        ("[late]\n", "\\[late\\]: say percent_per_day\\."),
        ("[late]\npercent_per_day = true\n", "percent_per_day is a number"),
        ("[late]\npercent_per_day = nan\n", "percent_per_day is a number that"),
        ("[late]\npercent_per_day = -5\n", "percent_per_day is a number that is at least 0"),
        (
            "[late]\npercent_a_day = 5\n",
            "there is no 'percent_a_day'; choose among percent_per_day, most_percent, grace",
        ),
        ("late = 5\n", "\\[late\\]: that is no table"),
        ("[deadlines]\n01_squares = 2026-11-01T13:00:00Z\n", "need \\[late\\], which says what being late costs"),
        ("[late]\npercent_per_day = 5\n[deadlines]\n01 = 2026-11-01T13:00:00\n", "a time with its zone"),
        ("[late]\npercent_per_day = 5\n[deadlines]\n09 = 2026-11-01T13:00:00Z\n", "no chapter '09'; chapters: 01_sq"),
        ('[extra]\nstudent = "ada"\n', "write \\[\\[extra\\]\\], in double brackets"),
        ('[[extra]]\nstudent = "ada"\nchapter = "01"\n', "\\[\\[extra\\]\\] number 1: say points\\."),
        ('[[extra]]\nstudent = 5\nchapter = "01"\npoints = 1\nwhy = "x"\n', "student is a text in quotes"),
        ('[[dropped]]\nchapter = "01"\ntest = "square--small"\nwhy = ""\n', "why is a text in quotes"),
        (
            '[[dropped]]\nchapter = "09"\ntest = "square--small"\nwhy = "x"\n',
            "number 1: there is no chapter '09'; chap",
        ),
        ("deadlines = 5\n", "\\[deadlines\\]: that is no table"),
        ("[late]\npercent_per_day = inf\n", "percent_per_day is a number\\."),
        ('[[extra]]\nstudent = "ada"\nchapter = "01"\npoints = nan\nwhy = "x"\n', "number 1: points is a number\\."),
        ('[[groups]]\nchapter = "01"\nstudents = ["ada", 5]\n', "number 1: each of students is a text in quotes"),
        ('[[groups]]\nchapter = "01"\nstudents = ["ada"]\n', "students is a list of at least two"),
        ('[[groups]]\nchapter = "01"\nstudents = ["x", "y"]\nby = "z"\n', "'z' is not among the students"),
        ('[[groups]]\nchapter = "01"\nstudents = ["x", "y"]\n' * 2, "'x' is twice in the groups of 01_squares"),
    ],
)
def test_a_fault_in_the_file_is_one_line(built_course: Course, tmp_path: Path, text: str, problem: str) -> None:
    course = open_course(shutil.copytree(built_course.root, tmp_path / "course"))
    (course.root / TERM).write_text(text)
    with pytest.raises(CourseError, match=problem) as raised:
        read_term(course)
    assert "\n" not in str(raised.value)


def test_the_report_across_chapters_has_everybody(course: Course) -> None:
    group = '[[groups]]\nchapter = "01"\nstudents = ["ada", "../zoe"]\n'
    given = points(course, LATE + group)
    assert "course.html, and 6 pages" in command(course, "report")
    page = (course.reports / "course.html").read_text()
    assert all(f">{student}</a>" in page for student in given) and ">1.5<" in page
    for student, wanted in given.items():
        page = (course.reports / "students" / file_of(student)).read_text()
        assert f"{wanted:g} of 3 points" in page and "seen by report" in page
    assert len(list((course.reports / "students").iterdir())) == 6


def test_no_two_students_share_a_page() -> None:
    names = ["ada", "a/b", "a:b", "a_b", "ä", "ö", "..", "A"]
    assert len({file_of(name) for name in names}) == len(names) and all("/" not in file_of(name) for name in names)


def test_every_change_of_a_mark_leaves_a_line(course: Course) -> None:
    command(course, "grade", "01")
    first = history(course)
    assert list(first.columns) == COLUMNS and list(first["student"]) == sorted(CLASS)
    assert "history" not in command(course, "report", "01"), "nothing changed, so nothing is added"
    extra = '[[extra]]\nstudent = "dan"\nchapter = "01"\npoints = 1\nwhy = "=found, a slip"\n'
    (course.root / TERM).write_text(extra + extra.replace("dan", "dann"))
    said = command(course, "report", "01")
    assert "1 mark new or changed" in said and "names dann, whom the gradebook does not know: a slip?" in said
    with open_gradebook(course) as gradebook:
        gradebook.find_grade("square--negative-numbers", CHAPTER, CHAPTER, "eva").manual_score = 0.5
        gradebook.db.commit()
    command(course, "export", str(course.root / "marks.csv"))
    lines = history(course)
    pd.testing.assert_frame_equal(lines[: len(first)], first)
    assert lines[["student", "points", "by_hand"]][len(first) :].values.tolist() == [
        ["dan", "2", "0"],
        ["eva", "1.5", "0.5"],
    ]
    assert lines["why"].iloc[-2] == "seen by report; +1: =found, a slip" and set(lines["who"]) != {""}


def test_a_history_that_somebody_edited_is_not_overwritten(course: Course) -> None:
    (course.root / HISTORY).write_text("student;points\nada;3\n")
    result = CliRunner().invoke(app, ["report", "01", "--course", str(course.root)])
    assert isinstance(result.exception, CourseError) and "move it away" in str(result.exception)
    assert (course.root / HISTORY).read_text() == "student;points\nada;3\n"


def test_one_student_is_graded_again(course: Course) -> None:
    assert students_to_grade(course, CHAPTER) == []
    assert students_to_grade(course, CHAPTER, only=["dan"]) == ["dan"]
    with pytest.raises(CourseError, match="zoe handed in nothing"):
        students_to_grade(course, CHAPTER, only=["dan", "zoe"])
    with open_gradebook(course) as gradebook:
        gradebook.find_grade("square--negative-numbers", CHAPTER, CHAPTER, "dan").auto_score = 2
        gradebook.db.commit()
    assert final_marks(course, CHAPTER).loc["dan", "points"] == 3
    command(course, "grade", "01", "--student", "dan", "--jobs", "1")
    assert final_marks(course, CHAPTER).loc["dan", "points"] == 1


def test_a_backup_brings_everything_back(course: Course, tmp_path: Path) -> None:
    command(course, "grade", "01")
    (course.root / TERM).write_text(LATE)
    before, lines = final_marks(course, CHAPTER), history(course)
    kept = tmp_path / "kept" / "marks.tar.gz"
    assert "gradebook.db, history.csv, term.toml, .autograder" in command(course, "backup", str(kept))
    assert kept.stat().st_mode & 0o077 == 0, "nobody else may read marks"
    with open_gradebook(course) as gradebook:
        gradebook.remove_student("ada")
    shutil.rmtree(course.state)
    (course.root / TERM).unlink()
    for words, problem in (
        (["backup", str(kept)], "exists: choose another name"),
        (["restore", str(kept)], "exists: --replace moves it aside"),
        (["restore", str(tmp_path / "no.tar.gz"), "--replace"], "does not exist: name a file"),
        (["restore", str(course.root / HISTORY), "--replace"], "is no backup that can be read"),
        (["restore", str(_archive(tmp_path, course.root / HISTORY)), "--replace"], "holds no gradebook"),
    ):
        result = CliRunner().invoke(app, [*words, "--course", str(course.root)])
        assert isinstance(result.exception, CourseError) and problem in str(result.exception)
    assert "ada" not in final_marks(course, CHAPTER).index
    command(course, "restore", str(kept), "--replace")
    pd.testing.assert_frame_equal(final_marks(course, CHAPTER), before)
    pd.testing.assert_frame_equal(history(course), lines)
    assert students_to_grade(course, CHAPTER) == [], "what grading remembered is back, too"
    aside = sqlite3.connect(course.root / "gradebook.db.before-restore")
    assert aside.execute("SELECT count(*) FROM student").fetchone() == (len(CLASS) - 1,), "nothing was deleted"
    aside.close()


def test_nothing_is_restored_while_a_class_is_graded(course: Course, tmp_path: Path) -> None:
    """Grading would go on writing into the folder that was moved aside, and its marks would be lost."""
    kept = tmp_path / "marks.tar.gz"
    command(course, "grade", "01")
    command(course, "backup", str(kept))
    before = tree(course.root)
    grading = grade_class(course, CHAPTER, list(CLASS), jobs=1)
    next(grading)
    result = CliRunner().invoke(app, ["restore", str(kept), "--replace", "--course", str(course.root)])
    assert isinstance(result.exception, CourseError) and "is at work in this course" in str(result.exception)
    assert tree(course.root) == before, "nothing was moved"
    assert [one.problem for one in grading] == [""] * (len(CLASS) - 1)


def test_nothing_is_graded_while_a_backup_is_put_back(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "marks.tar.gz"
    command(course, "grade", "01")
    (course.state / LOG).write_text("of this machine")
    command(course, "backup", str(kept))
    with tarfile.open(kept) as archive:
        assert not {f"{STATE}/lock", f"{STATE}/history.lock", f"{STATE}/{LOG}"} & {*archive.getnames()}
    refused, move = [], shutil.move

    def watched(*places: Path) -> None:
        for _ in range(2):  # before each part is in its place, and after it
            with pytest.raises(CourseError, match="is at work in this course") as caught:
                next(grade_class(course, CHAPTER, ["ada"], jobs=1))
            refused.append(caught)
            if len(refused) % 2:
                move(*places)

    monkeypatch.setattr(shutil, "move", watched)
    command(course, "restore", str(kept), "--replace")
    assert len(refused) >= 6 and students_to_grade(course, CHAPTER) == []
    assert (course.state / LOG).read_text() == "of this machine"
    aside = course.state.with_name(f"{STATE}.before-restore")
    assert (aside / CHAPTER).is_dir() and not (aside / "lock").exists()


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.suffix != ".lock"}


def test_two_commands_at_once_add_a_line_once(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(*arguments: Any) -> pd.DataFrame:
        time.sleep(0.3)  # both have read what is there before one adds to it
        return final_marks(*arguments)

    monkeypatch.setattr("autograder.grading.history.final_marks", slowly)
    with ThreadPoolExecutor(2) as threads:
        added = threads.map(lambda occasion: note_changes(course, [CHAPTER], occasion), ["report", "export"])
        assert sorted(added) == [0, len(CLASS)]
    assert list(history(course)["student"]) == sorted(CLASS)


def _archive(folder: Path, content: Path) -> Path:
    path = folder / "other.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(content, "gradebook.db")
    return path


def test_another_database_has_its_own_tools(course: Course, tmp_path: Path) -> None:
    with (course.root / "nbgrader_config.py").open("a") as file:
        file.write('\nc.CourseDirectory.db_url = "postgresql://me@nowhere/marks"\n')
    result = CliRunner().invoke(app, ["backup", str(tmp_path / "x.tar.gz"), "--course", str(course.root)])
    assert "The gradebook is in postgresql: use its own tools, such as pg_dump." in str(result.exception)
