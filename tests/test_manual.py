"""Answers that a person marks, in words or in code: the student's text reaches that person, here and in nbgrader."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.authoring.build import build
from autograder.chapter.reference import read_reference, reference_answers
from autograder.chapter.release import hidden_lines, leaks, run_generate_assignment
from autograder.chapter.source import read_chapter
from autograder.chapter.text import SourceError
from autograder.cli import app
from autograder.course import Course, open_course
from autograder.grading.coordinator import grade_class
from autograder.grading.marks import marks_of_class, totals
from autograder.learner.check import check_notebook
from autograder.pages.feedback import write_feedback
from autograder.pages.report import write_report
from conftest import CHAPTER, TEXT, make_course

INSTRUCTORS = "what the instructor would say"
BY_HAND = {"essay": "My own words, *really*.", "sketch": "print('my own sketch')"}
RUBRIC = f"""### BEGIN SOLUTION
**Rubric.** 5 points: {INSTRUCTORS}.

**Sample, 5 points.** All of it.

**Sample, 2 points.** Half of it.

**Sample, 0 points.** Nothing.
### END SOLUTION"""
AFTER = """
# %% [markdown]
# A word after the questions.
"""
WRITTEN = (
    TEXT
    + """
# %% [markdown] statement="essay"
# ### Why
# Why is a square never negative?

# %% [markdown] written="essay" points=5 minutes=3
"""
    + "\n".join(f"# {line}".rstrip() for line in RUBRIC.split("\n"))
    + """

# %% [markdown] statement="sketch"
# ### Draw
# Print a square.

# %% written="sketch" points=4 minutes=3
"""
    + "\n".join(line if line.startswith("###") else f"# {line}".rstrip() for line in RUBRIC.split("\n"))
    + "\n"
    + AFTER
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The small course with two questions that a person grades; ada answered both, bob none."""
    course = make_course(tmp_path_factory.mktemp("manual"), WRITTEN)
    build(course, CHAPTER)
    run_generate_assignment(course.settings(), CHAPTER)  # nbgrader's own grading looks for it in the gradebook
    for student in ("ada", "bob"):
        released = nbformat.read(course.released(CHAPTER), 4)
        for cell in released.cells:
            if student == "ada" and cell.id in BY_HAND:
                cell.source = BY_HAND[cell.id]
        course.submission(student, CHAPTER).parent.mkdir(parents=True)
        nbformat.write(released, course.submission(student, CHAPTER))
    return course


def test_cells_after_a_question_are_named_after_its_heading(course: Course) -> None:
    ids = [cell.id for cell in nbformat.read(course.released(CHAPTER), 4).cells]
    assert ids[ids.index("sketch") + 1] == "draw-2"


def cells(notebook: NotebookNode) -> dict[str, NotebookNode]:
    return {cell.id: cell for cell in notebook.cells if cell.id in BY_HAND}


def grades(course: Course) -> dict[tuple[str, str], tuple[float | None, bool]]:
    with Gradebook(course.database, course.course_id) as gradebook:
        return {
            (submission.student.id, grade.name): (grade.auto_score, grade.needs_manual_grade)
            for submission in gradebook.find_assignment(CHAPTER).submissions
            for notebook in submission.notebooks
            for grade in notebook.grades
            if grade.name in BY_HAND
        }


def test_the_students_text_reaches_the_person_who_marks_it(course: Course, tmp_path: Path) -> None:
    theirs = open_course(shutil.copytree(course.root, tmp_path / "theirs"))
    assert [result.problem for result in grade_class(course, CHAPTER, ["ada", "bob"])] == ["", ""]
    command = [sys.executable, "-m", "nbgrader", "autograde", CHAPTER, "--force"]
    subprocess.run(command, cwd=theirs.root, check=True, capture_output=True)
    for each in (course, theirs):
        graded = nbformat.read(each.graded("ada", CHAPTER), 4)
        assert {name: cell.source for name, cell in cells(graded).items()} == BY_HAND
        assert cells(graded)["sketch"].outputs[0].text == "my own sketch\n"
        assert INSTRUCTORS not in nbformat.writes(graded)
    assert grades(course) == grades(theirs)
    assert grades(course) == {
        ("ada", "essay"): (None, True),
        ("ada", "sketch"): (None, True),
        ("bob", "essay"): (0, False),
        ("bob", "sketch"): (0, False),
    }
    marks = marks_of_class(course, CHAPTER).set_index(["student", "grade_id"])
    assert bool(marks.loc[("ada", "essay"), "needs_review"])
    pages = {path.parts[-3]: path.read_text() for path in write_feedback(course, CHAPTER)}
    assert pages["ada"].count("A person gives the points") == 2 and "My own words" in pages["ada"]
    assert "A person gives the points" not in pages["bob"] and INSTRUCTORS not in pages["ada"] + pages["bob"]


def test_a_question_counts_once_a_person_has_given_points(course: Course) -> None:
    assert grade_class(course, CHAPTER, ["ada", "bob"])
    assert totals(marks_of_class(course, CHAPTER))["most_points"].to_dict() == {"ada": 3, "bob": 3}
    with Gradebook(course.database, course.course_id) as gradebook:
        gradebook.find_grade("essay", CHAPTER, CHAPTER, "ada").manual_score = 4
        gradebook.db.commit()
    after = totals(marks_of_class(course, CHAPTER))
    assert after["most_points"].to_dict() == {"ada": 8, "bob": 8}
    assert after["points"].to_dict() == {"ada": 4, "bob": 0}
    html, table = write_report(course, CHAPTER)
    assert "essay" in html.read_text() and table.read_text().splitlines()[1].startswith("ada,0.0,4.0,0.0,0.0,0,4.0,8")


def test_no_rubric_leaves_the_authors_room(course: Course) -> None:
    released = course.released(CHAPTER).read_text()
    assert "**Question** `essay` · graded by a person · about 3 minutes · 5 points" in released
    assert INSTRUCTORS not in released and "Half of it" not in released
    assert INSTRUCTORS in course.reference(CHAPTER).read_text()
    chapter = read_chapter(course.chapter_source(CHAPTER))
    assert leaks(chapter, course.released(CHAPTER).parent) == []
    (problem, *_) = leaks(chapter, course.reference(CHAPTER).parent)
    assert "text source" in problem or "BEGIN SOLUTION" in problem
    assert "**Sample, 0 points.** Nothing." in hidden_lines(chapter)


def test_check_says_what_waits_for_a_person_and_shows_rubrics_of_what_was_answered(course: Course) -> None:
    checked = check_notebook(course, course.submission("ada", CHAPTER))
    assert checked.by_hand == ["essay", "sketch"] and checked.not_begun == ["square"]
    assert {verdict.task for verdict in checked.verdicts} == {"square"}
    runner, options = CliRunner(), ["--course", str(course.root)]
    ada, bob = (str(course.submission(student, CHAPTER)) for student in ("ada", "bob"))
    assert INSTRUCTORS not in (shown := runner.invoke(app, ["check", ada, *options]).output)
    assert "For a person to grade: essay, sketch (to compare with sample answers: --rubric)" in shown
    assert INSTRUCTORS in (shown := runner.invoke(app, ["check", ada, "--rubric", *options]).output)
    assert "**Sample, 2 points.** Half of it." in shown
    shown = runner.invoke(app, ["check", bob, "--rubric", *options]).output
    assert "Not begun: square" in shown and "essay" not in shown


def test_the_bank_asks_for_no_answers_to_such_questions(course: Course) -> None:
    assert list(reference_answers(read_reference(course, CHAPTER))) == ["square"]


MISTAKES = {
    "no rubric": ("**Rubric.**", "Rubric:", "write `**Rubric.**` and what earns the points"),
    "two samples": ("**Sample, 2 points.**", "Sample:", "at least 3 answers"),
    "no statement": ('# %% [markdown] statement="essay"', "# %% [markdown]", "'essay' needs exactly one cell"),
    "level": ('written="essay" points=5', 'written="essay" level=2 points=5', "a written cell takes written, points"),
    "a test": ("# %% scratch=true", '# %% test="essay" aspect="x" points=1', "'essay' is graded by a person"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_of_authors(mistake: str, tmp_path: Path) -> None:
    old, new, message = MISTAKES[mistake]
    path = tmp_path / f"{CHAPTER}.py"
    path.write_text(WRITTEN.replace(old, new, 1))
    with pytest.raises(SourceError, match=re.escape(message)):
        read_chapter(path)
