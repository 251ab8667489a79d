"""Marks leave as tables that Canvas and Moodle take, with nobody's points lost, swapped or run as a formula."""

from pathlib import Path

import nbformat
import pandas as pd
import pytest
from typer.testing import CliRunner

from autograder.authoring.build import build
from autograder.cli import app
from autograder.course import Course, CourseError
from autograder.grading.coordinator import grade_class
from autograder.grading.export import export
from autograder.grading.gradebook import open_gradebook, remember_students
from autograder.intake.archives import Person
from autograder.intake.lms import systems
from conftest import CHAPTER, make_course

ANN, BEA = "leeann_17", "roebea_18"
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Essay (5),{column},Current Score\n"
    "    Points Possible,,,,,10,20,\n"
    '"=Lee, Ann",17,a1,ann,S1,3,,50\n'
    '"Roe, Bea",18,b1,bea,S1,,1,20\n'
    '"Cox, Cat",19,c1,cat,S2,,,\n'
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """ann has all points and one off for being late, bea has none; cat is known and handed in nothing."""
    course = make_course(tmp_path_factory.mktemp("export"))
    build(course, CHAPTER)
    for student, path in ((ANN, course.reference(CHAPTER)), (BEA, course.released(CHAPTER))):
        course.submission(student, CHAPTER).parent.mkdir(parents=True)
        nbformat.write(nbformat.read(path, 4), course.submission(student, CHAPTER))
    list(grade_class(course, CHAPTER, [ANN, BEA], jobs=1))
    remember_students(course, {"coxcat_19": Person("=Cat Cox", "cat@example.org")})
    with open_gradebook(course) as gradebook:
        gradebook.find_submission(CHAPTER, ANN).notebooks[0].late_submission_penalty = 1.0
        gradebook.db.commit()
        course_points = gradebook.find_assignment(CHAPTER).max_score
    assert course_points > 1
    return course


def table(path: Path) -> list[list[str]]:
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    return [list(frame.columns), *frame.values.tolist()]


def points_of(course: Course) -> str:
    with open_gradebook(course) as gradebook:
        return f"{gradebook.find_assignment(CHAPTER).max_score:g}"


def test_csv_has_everybody(course: Course, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["export", str(tmp_path / "marks.csv"), "--course", str(course.root)])
    assert result.exit_code == 0, result.output
    late = f"{float(points_of(course)) - 1:g}"
    assert table(tmp_path / "marks.csv") == [
        ["student", "first_name", "last_name", "email", CHAPTER],
        ["coxcat_19", "'=Cat", "Cox", "cat@example.org", ""],
        [ANN, "", "", "", late],
        [BEA, "", "", "", "0"],
    ]


@pytest.mark.parametrize("column", [CHAPTER, f"{CHAPTER} (991)", "something else"])
def test_canvas_gets_its_own_table_back(course: Course, tmp_path: Path, column: str) -> None:
    roster = tmp_path / "canvas.csv"
    roster.write_text("\ufeff" + CANVAS.format(column=column))  # with the mark that Canvas begins its files with
    assert export(course, [CHAPTER], tmp_path / "out.csv", "canvas", roster) == 2
    most = points_of(course)
    assert table(tmp_path / "out.csv") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column if CHAPTER in column else CHAPTER],
        ["    Points Possible", "", "", "", "", most],
        ["'=Lee, Ann", "17", "a1", "ann", "S1", f"{float(most) - 1:g}"],
        ["Roe, Bea", "18", "b1", "bea", "S1", "0"],
        ["Cox, Cat", "19", "c1", "cat", "S2", ""],
    ]


def test_moodle_knows_people_by_their_names(course: Course, tmp_path: Path) -> None:
    roster = tmp_path / "moodle.csv"
    rows = ["leeann,17,1,a@example.org", "roebea,18,2,b@example.org", "Zoë,Ng,3,z@example.org"]
    roster.write_text("\n".join(["First name,Last name,ID number,Email address", *rows]))
    assert export(course, [CHAPTER], tmp_path / "out.csv", "moodle", roster) == 2
    assert [row[-1] for row in table(tmp_path / "out.csv")[2:]] == ["0", ""]


def test_what_does_not_fit_is_one_line_and_nothing_is_written(course: Course, tmp_path: Path) -> None:
    roster, target = tmp_path / "roster.csv", tmp_path / "out.csv"
    good = CANVAS.format(column=CHAPTER)
    for form, text, problem in (
        ("canvas", None, "--format canvas needs --roster FILE"),
        ("gradescope", good, "no format 'gradescope' for marks: choose one of csv, canvas, moodle"),
        ("canvas", good.replace("SIS Login ID", "x"), "no column 'SIS Login ID'"),
        ("canvas", good.replace(",17,", ",170,"), f"{ANN.split('_')[1]}: graded, but not in the roster"),
        ("canvas", good.replace(",18,", ",17,"), "17: two rows of the roster have this name"),
        ("canvas", "", "is no CSV in UTF-8"),
        ("canvas", 'a,b\n"', "is no CSV in UTF-8"),
    ):
        if text is not None:
            roster.write_text(text)
        with pytest.raises(CourseError, match=problem):
            export(course, [CHAPTER], target, form, roster if text is not None else None)
    with pytest.raises(CourseError, match="does not exist: name the table of grades that canvas exports"):
        export(course, [CHAPTER], target, "canvas", tmp_path / "no.csv")
    assert not target.exists()


def test_every_system_says_how_its_names_look() -> None:
    for system in systems().values():
        found = system.pattern.fullmatch(system.example)
        assert found and found["file"] == "name.ipynb"
        assert system.student.format(**found.groupdict())
