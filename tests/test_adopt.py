"""A course that was made for nbgrader is graded as it is."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import nbgrader
import pytest
from foreign_course import check, exercise, free, graded, hand_in, make, question, task, text_of, with_answers
from traitlets.config.loader import DeferredConfigString
from typer.testing import CliRunner

from autograder.authoring.adopting import LINE
from autograder.chapter.cells import Way
from autograder.chapter.reference import read_reference
from autograder.cli import app
from autograder.course import Course, CourseError, course_of, open_course
from autograder.grading.coordinator import grade_class
from autograder.grading.gradebook import open_gradebook
from autograder.grading.marks import final_marks, marks_of_class
from autograder.wall import sandbox, ways
from autograder.wall.judge import Judge
from autograder.wall.ways import tried_reference

LAB = "lab 1"
COUNTING = [
    free("%matplotlib inline\nimport numpy as np\nfrom tools import twice"),
    free("def nearly(a, b):\n    return np.allclose(a, b)"),
    task("double", "def double(x):\n    return 2 * x"),
    check("double_one", "examples = [1, 2]\nassert double(1) == 2", 1),
    check("double_two", "assert all(double(x) == twice(x) for x in examples)", 2),
    task("numbers", "numbers = np.loadtxt('data/numbers.txt')"),
    check("numbers_right", "assert nearly(numbers, np.loadtxt('data/numbers.txt'))", 3),
    task("share", "def share():\n    return 1"),
    check("share_part", "share() * 4", 4),
    question("why"),
    exercise("drawing"),
]
GREETING = [
    task("double", "def double(word):\n    return word + word"),
    check("double_one", "assert double('a') == 'aa'", 1),
    check("reads_source", "assert any('def ' + 'double' in cell for cell in In)", 1),
]
FILES = {
    "header.ipynb": [free("import math")],
    f"{LAB}/counting.ipynb": COUNTING,
    f"{LAB}/greeting.ipynb": GREETING,
    f"{LAB}/tools.py": "def twice(x):\n    return x + x\n",
    f"{LAB}/data/numbers.txt": "1 2 3\n",
}
HEADER = 'c.IncludeHeaderFooter.header = "source/header.ipynb"\n'
PARTS = [f"{LAB}/counting", f"{LAB}/greeting"]


def run(*words: str, fails: bool = False) -> str:
    result = CliRunner().invoke(app, words, catch_exceptions=not fails)
    assert fails or result.exit_code == 0, result.output
    return result.output


def points(course: Course, chapter: str) -> dict[str, float]:
    found: dict[str, float] = final_marks(course, chapter)["points"].to_dict()
    return found


def autograde(course: Course, chapter: str) -> dict[str, float]:
    """The marks that `nbgrader autograde` gives, by student."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for command in (["generate_assignment", chapter, "--force"], ["autograde", chapter]):
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *command],
            cwd=course.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
    with open_gradebook(course) as gradebook:
        return {each.student.id: each.score for each in gradebook.find_assignment(chapter).submissions}


def test_nbgraders_quickstart_is_adopted_and_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "course"
    subprocess.run([sys.executable, "-m", "nbgrader", "quickstart", str(folder)], check=True, capture_output=True)
    monkeypatch.chdir(folder)
    before = (folder / "nbgrader_config.py").read_text()
    said = run("adopt", "--dry-run")
    assert f"would get this line: {LINE}" in said and "header source/header.ipynb" in said
    assert (folder / "nbgrader_config.py").read_text() == before
    run("adopt")
    assert (folder / "nbgrader_config.py").read_text().endswith(f"{LINE}\n")
    assert "has our line" in run("adopt")
    course = open_course(folder)
    for student, answer in {"ada": None, "ben": "raise NotImplementedError"}.items():
        for name in ("problem1", "problem2"):
            notebook = nbformat.read(course.source / "ps1" / f"{name}.ipynb", as_version=4)
            for cell in notebook.cells:
                if answer and cell.metadata.get("nbgrader", {}).get("solution"):
                    cell.source = answer
            path = course.submission(student, f"ps1/{name}")
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, path)
    run("grade", "ps1")
    assert points(course, "ps1") == {"ada": 3, "ben": 0}
    assert "4 pages" in run("feedback", "ps1")
    shutil.rmtree(course.autograded)
    (folder / "gradebook.db").unlink()
    assert autograde(course, "ps1") == {"ada": 3, "ben": 0}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course of one assignment with two notebooks, and its class, graded."""
    course = make(tmp_path_factory.mktemp("lab") / "a course", FILES, HEADER)
    header = [free("import math")]
    for student, answers, word in (
        ("right", {}, {}),
        ("wrong", {"double": "def double(x):\n    return x", "share": "def share():\n    return 0.5"}, {}),
        ("edited", {"double": "def double(x):\n    return 0", "double_one": "pass", "double_two": "pass"}, {}),
        ("own", {"numbers": "import random\nnumbers = [1, 2, 3]"}, {"double": "double = lambda word: 2 * word"}),
    ):
        hand_in(course, student, PARTS[0], header + with_answers(COUNTING, **answers))
        hand_in(course, student, PARTS[1], header + with_answers(GREETING, **word))
    hand_in(course, "short", PARTS[0], header + COUNTING[:3])
    for part in PARTS:
        students = ["right", "wrong", "edited", "own", *(["short"] if part == PARTS[0] else [])]
        assert [one.problem for one in grade_class(course, part, students, jobs=1)] == [""] * len(students)
    return course


def test_its_notebooks_are_parts_of_one_chapter(lab: Course) -> None:
    assert lab.chapters() == [LAB] and lab.parts(LAB) == PARTS
    assert [cell.source for cell in read_reference(lab, PARTS[0]).cells][0] == "import math"


def test_each_test_goes_through_the_wall_that_can(lab: Course) -> None:
    found = {test.name: test.way for part in PARTS for test in read_reference(lab, part).tests}
    assert found.pop("reads_source") == Way.BESIDE
    assert set(found.values()) == {Way.WALL}


def test_marks_are_those_of_nbgrader(lab: Course) -> None:
    expected = {"right": 12, "wrong": 7, "edited": 9, "own": 11, "short": 3}
    assert points(lab, LAB) == expected
    # What plain nbgrader gives differs in the two that deleted or edited tests and given cells, which we put back.
    marks = marks_of_class(lab, LAB).set_index(["student", "grade_id"])["points"]
    assert marks["wrong", "counting/share_part"] == 2, "a number at the end is partial credit"
    assert marks["edited", "counting/double_two"] == 0
    assert marks["own", "greeting/double_one"] == 1 and marks["own", "greeting/reads_source"] == 0
    with open_gradebook(lab) as gradebook:
        waiting = gradebook.find_submission_notebook("counting", LAB, "right")
        assert {grade.name for grade in waiting.grades if grade.needs_manual_grade} == {"why", "drawing"}


def test_pages_say_which_test_is_judged_the_weaker_way(lab: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lab.root)
    run("feedback", LAB)
    page = lab.feedback_page("own", PARTS[1]).read_text()
    assert "reads_source *" in page and "ran beside your code" in page
    assert "ran beside your code" not in lab.feedback_page("own", PARTS[0]).read_text()
    run("report", LAB)
    assert "judged the weaker way" in (lab.reports / f"{LAB}.html").read_text()
    said = run("check", str(lab.submission("own", PARTS[1])))
    assert "Judged the weaker way, beside the code: reads_source" in said
    assert "Waits for points: counting/why" in run("review", LAB, "--list").replace("\n", "").replace("│", "")
    run("export", "marks.csv")
    assert "right" in (lab.root / "marks.csv").read_text()
    assert "double_two" in run("replay", "edited", LAB, "counting/double_two")


def test_nbgrader_autograde_gives_the_same_marks(lab: Course, tmp_path: Path) -> None:
    ours = tmp_path / "hardened"
    shutil.copytree(lab.root, ours, ignore=shutil.ignore_patterns("gradebook.db", "autograded", ".autograder"))
    shutil.rmtree(ours / "submitted" / "short")  # nbgrader wants all notebooks
    with (ours / "nbgrader_config.py").open("a") as file:
        file.write(LINE)
    expected = {student: mark for student, mark in points(lab, LAB).items() if student != "short"}
    assert autograde(open_course(ours), LAB) == expected


def test_a_reference_is_tried_again_when_something_changes(
    lab: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = make(tmp_path / "course", {**FILES, f"{LAB}/tools.py": "def twice(x):\n    return 3 * x\n"}, HEADER)
    tried: list[str] = []

    def counted(course: Course, chapter: str, reference: object) -> object:
        tried.append(chapter)
        return original(course, chapter, reference)  # type: ignore[arg-type]

    original = ways.try_reference
    monkeypatch.setattr(ways, "try_reference", counted)
    reference = tried_reference(course, PARTS[0])
    assert {test.name for test in reference.tests if test.fails} == {"double_two"}, "3 is not twice 1"
    tried_reference(course, PARTS[0])
    assert tried == PARTS[:1]
    (course.source / LAB / "tools.py").write_text("def twice(x):\n    return x + x\n")
    assert not any(test.fails for test in tried_reference(course, PARTS[0]).tests)


def test_modules_in_a_folder_that_the_notebook_puts_on_the_path(tmp_path: Path) -> None:
    cells = [
        free("import sys\nsys.path.append('./code')"),
        free("from more import thrice"),
        task("triple", "def triple(x):\n    return thrice(x)"),
        check("triple_one", "assert triple(1) == thrice(1)", 1),
    ]
    module = "def thrice(x):\n    return 3 * x\n"
    for number in range(2):  # the second course meets what the first has left in this process
        course = make(tmp_path / str(number), {f"{LAB}/one.ipynb": cells, f"{LAB}/code/more.py": module})
        assert [test.way for test in tried_reference(course, f"{LAB}/one").tests] == [Way.WALL]


def test_cells_find_what_runs_them_as_under_nbgrader(tmp_path: Path) -> None:
    cells = [
        free("import os"),
        task("runs", "def runs():\n    return os.getenv('NBGRADER_EXECUTION')"),
        check("runs_here", "assert runs() == os.getenv('NBGRADER_EXECUTION') == 'autograde'", 1),
    ]
    course = make(tmp_path, {f"{LAB}/one.ipynb": cells})
    assert [test.way for test in tried_reference(course, f"{LAB}/one").tests] == [Way.WALL]


def test_metadata_of_older_versions_and_cells_that_have_one_name(tmp_path: Path) -> None:
    old = [
        graded("### BEGIN SOLUTION\nx = 1\n### END SOLUTION", "x", solution=True),
        graded("assert x == 1", "x_is_one", grade=True, points="2"),
        graded("print(x)", "x"),
    ]
    for cell in old:
        del cell.metadata["nbgrader"]["schema_version"]
    course = make(tmp_path / "course", {"old/old.ipynb": old})
    (test,) = tried_reference(course, "old").tests
    assert (test.points, test.way, test.fails) == (2, Way.WALL, False)
    hand_in(course, "ada", "old", old)
    assert [one.problem for one in grade_class(course, "old", ["ada"], jobs=1)] == [""]
    assert points(course, "old") == {"ada": 2}


def test_autotests_are_written_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [task("x", "x = [1, 2]"), check("auto", "### AUTOTEST x", 2)]
    course = make(tmp_path / "course", {"one/one.ipynb": cells})
    rules = Path(nbgrader.__file__).parent / "tests" / "apps" / "files" / "autotests.yml"
    shutil.copy(rules, course.root)
    (test,) = tried_reference(course, "one").tests
    assert "AUTOTEST" not in test.source and test.source.count("assert") >= 2
    assert (test.way, test.fails) == (Way.WALL, False)
    monkeypatch.setattr("autograder.chapter.reference._adopted", {})
    monkeypatch.setattr("autograder.chapter.adopted.InstantiateTests", None)
    assert read_reference(course, "one").tests[0].source == test.source
    hand_in(course, "ada", "one", cells)
    hand_in(course, "ben", "one", with_answers(cells, x="x = [1]"))
    assert [one.problem for one in grade_class(course, "one", ["ada", "ben"], jobs=1)] == ["", ""]
    assert points(course, "one") == {"ada": 2, "ben": 0}


def test_another_language_is_said_and_stops_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [task("x", "x = 1"), check("t", "assert x == 1")]
    course = make(tmp_path, {"one/one.ipynb": cells, "two/two.ipynb": text_of(cells).replace('"python', '"julia')})
    monkeypatch.chdir(course.root)
    said = run("adopt", "--dry-run")
    assert "two is a notebook of julia: only notebooks of Python are graded" in said
    assert "together" in said


def test_a_test_that_fails_its_own_answer_stops_no_class(tmp_path: Path) -> None:
    cells = [task("x", "x = 1"), check("wrong", "assert x == 2"), check("right", "assert x == 1")]
    course = make(tmp_path / "course", {"one/one.ipynb": cells})
    hand_in(course, "ada", "one", cells)
    hand_in(course, "ben", "one", with_answers(cells, x="x = 2"))
    assert [one.problem for one in grade_class(course, "one", ["ada", "ben"], jobs=1)] == ["", ""]
    assert points(course, "one") == {"ada": 1, "ben": 1}


def test_what_students_change_in_free_cells_is_theirs_and_tests_keep_the_courses(tmp_path: Path) -> None:
    cells = [free("limit = 3"), task("f", "def f():\n    return 3"), check("t", "assert f() == limit")]
    course = make(tmp_path / "course", {"one/one.ipynb": cells})
    honest = [free("limit = 3\nimport math"), *with_answers(cells, f="def f():\n    return math.floor(3.5)")[1:]]
    cheating = [free("limit = 4"), *with_answers(cells, f="def f():\n    return limit")[1:]]
    hand_in(course, "honest", "one", honest)
    hand_in(course, "cheating", "one", cheating)
    list(grade_class(course, "one", ["honest", "cheating"], jobs=1))
    assert points(course, "one") == {"honest": 1, "cheating": 0}


def test_the_time_limits_of_nbgrader_are_kept(tmp_path: Path) -> None:
    def limits(settings: str) -> tuple[object, object]:
        course = make(tmp_path, {"one/one.ipynb": [task("x", "x = 1")]}, f"{settings}\n{LINE}\n")
        judge = Judge(config=course.nbgrader)
        return judge.timeout, judge.notebook_timeout

    assert limits("") == (20, 180)
    assert limits("c.ExecutePreprocessor.timeout = 60") == (60, 540)
    assert limits("c.Execute.timeout = 5\nc.ExecutePreprocessor.timeout = 60") == (5, 180)
    assert limits("c.ExecutePreprocessor.timeout = None") == (3600, 9 * 3600)
    assert limits("c.Execute.timeout = 5\nc.Judge.timeout = 7") == (7, 180)
    course = make(tmp_path, {}, f"c.Execute.timeout = 5\n{LINE}\n")
    course.nbgrader.Execute.timeout = DeferredConfigString("2")  # nbgrader's command line, read after the file
    assert Judge(config=course.nbgrader).timeout == 2


def test_a_file_that_nbgrader_leaves_to_students_is_kept(tmp_path: Path) -> None:
    cells = [task("x", "x = 1"), check("t", "assert x == 1")]
    settings = 'c.Autograde.exclude_overwriting = {"one": ["mine.py"]}\n'
    files = {"one/one.ipynb": cells, "one/mine.py": "course", "one/ours.py": "course"}
    course = make(tmp_path, files, settings)
    hand_in(course, "ada", "one", cells)
    for name in ("mine.py", "ours.py"):
        (course.submission("ada", "one").parent / name).write_text("student")
    list(grade_class(course, "one", ["ada"], jobs=1))
    kept = course.graded("ada", "one").parent
    assert [(kept / name).read_text() for name in ("mine.py", "ours.py")] == ["student", "course"]


def test_a_configuration_may_stand_elsewhere(tmp_path: Path) -> None:
    course = make(tmp_path / "course", {"one/one.ipynb": [task("x", "x = 1"), check("t", "assert x == 1")]})
    (course.root / "nbgrader_config.py").unlink()
    assert course_of(course.nbgrader).chapters() == ["one"], "nbgrader may be told by another file, or by options"


def test_without_a_sandbox_grading_is_refused_unless_it_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [task("x", "x = 1"), check("t", "assert x == 1")]
    course = make(tmp_path / "course", {"one/one.ipynb": cells})
    hand_in(course, "ada", "one", cells)
    monkeypatch.setattr(sandbox, "bubblewrap_works", lambda: False)
    with pytest.raises(CourseError, match="say --unsafe"):
        list(grade_class(course, "one", ["ada"], jobs=1))
    course.nbgrader.Judge.unsafe = True
    assert [one.problem for one in grade_class(course, "one", ["ada"], jobs=1)] == [""]


def test_a_folder_without_a_configuration_gets_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "source" / "one").mkdir(parents=True)
    (tmp_path / "source" / "one" / "one.ipynb").write_text(text_of([task("x", "x = 1"), check("t", "assert x == 1")]))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CourseError, match="without --dry-run"):
        run("adopt", "--dry-run", fails=True)
    assert "1 assignment, 1 notebook" in run("adopt")
    assert LINE in (tmp_path / "nbgrader_config.py").read_text()
