"""No verdict by load, luck or a fault of ours: what is not the student's fault is never a student's zero."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from attack_files import with_answer

from autograder.authoring.build import build
from autograder.chapter.reference import read_reference
from autograder.course import Course, CourseError, open_course
from autograder.grading.coordinator import grade_class
from autograder.grading.marks import marks_of_class, totals
from autograder.logs import LOG
from autograder.wall import judge
from autograder.wall.faults import CourseFault, OurFault
from autograder.wall.judge import Judge
from autograder.wall.trial import run_tests
from autograder.wall.warm import GRADING
from conftest import CHAPTER, TEXT, answered, make_course

RIGHT = "def square(x):\n    return x * x"
LOAD = 6  # busy processes for each core


def course_with(folder: Path, given: str, test: str = "assert square(FOUR) == 16") -> Course:
    """The small course with one more given cell at its beginning, and a test that needs it."""
    text = TEXT.replace("import math", f"import math\n{given}").replace(
        "assert square(2) == 4, ", f"{test}\nassert 1, "
    )
    course = make_course(folder, text)
    build(course, CHAPTER)
    return course


def test_a_given_cell_that_fails_beside_the_tests_is_the_courses_fault(tmp_path: Path) -> None:
    only_inside = f"import os\nFOUR = {{False: 4}}[os.path.exists({str(tmp_path)!r})]"
    course = course_with(tmp_path, only_inside)
    with pytest.raises(CourseFault, match="given cell .* fails beside the tests: KeyError"):
        run_tests(course, CHAPTER, answered(course, RIGHT))
    hand_in(course, "ada", RIGHT)
    with pytest.raises(CourseFault, match="given cell .* fails"):
        list(grade_class(course, CHAPTER, ["ada"], jobs=1))


def test_a_given_cell_that_fails_where_students_code_runs_is_too(tmp_path: Path) -> None:
    # As if the environment had another course's modules: what the first cell imports is not there.
    course = course_with(tmp_path, "import os\nFOUR = {False: 4}[os.path.exists('/agent')]")
    with pytest.raises(CourseFault, match="where students' code runs: KeyError"):
        run_tests(course, CHAPTER, answered(course, RIGHT))


def test_but_only_a_remark_if_student_code_may_have_a_part_in_it(built_course: Course, tmp_path: Path) -> None:
    text = TEXT.replace("# %% scratch=true", "# %%\nhalf = math.sqrt(4) / 4\n\n# %% scratch=true")
    course = make_course(tmp_path, text)
    build(course, CHAPTER)
    reference = read_reference(course, CHAPTER)
    ours = Judge(config=course.nbgrader, run_shown=True)
    notebook = reference.with_sources({"square": f"{RIGHT}\nmath.sqrt = None"})
    verdicts = ours.judge(notebook, reference, "a seed")
    assert sum(verdict.points for verdict in verdicts) == 3
    assert len(ours.remarks) == 1 and "half = math.sqrt(4) / 4" in ours.remarks[0]


def test_a_judge_leaves_its_caller_as_it_was(built_course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET_BEFORE", "kept")
    for name in ("NOT_SET_BEFORE", *GRADING):
        monkeypatch.delenv(name, raising=False)
    ours = Judge(config=built_course.nbgrader, environment={"SET_BEFORE": "other", "NOT_SET_BEFORE": "other"})
    before, seen = dict(os.environ), []
    watchers = {"square--small-numbers": lambda side: seen.append({**os.environ})}
    reference = read_reference(built_course, CHAPTER)
    ours.judge(reference.with_sources({"square": RIGHT}), reference, "a seed", watchers)
    assert seen[0] == before | GRADING | {"SET_BEFORE": "other", "NOT_SET_BEFORE": "other"}, (
        "given cells of ours read them"
    )
    assert dict(os.environ) == before
    ours.remarks.append("of this judge's notebook")
    assert Judge().remarks == [], "no judge has another one's remarks"


def test_what_is_interrupted_on_our_side_is_tried_again(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    # The first time, and beside the tests only: inside there is no such folder.
    fails_once = f"try:\n    open({str(flag)!r}, 'x')\nexcept OSError:\n    FOUR = 4\nelse:\n    raise MemoryError"
    folder = tmp_path / "course"
    folder.mkdir()
    course = course_with(folder, fails_once)
    for student in ("ada", "ben"):
        hand_in(course, student, RIGHT)
    results = list(grade_class(course, CHAPTER, ["ada", "ben"], jobs=1))
    assert flag.exists()
    kept = (course.state / LOG).read_text()
    assert "Traceback" in kept and "OurFault" in kept and "MemoryError" in kept, "what was tried again is not forgotten"
    assert [result.problem for result in results] == ["", ""]
    assert totals(marks_of_class(course, CHAPTER))["points"].to_dict() == {"ada": 3, "ben": 3}


@pytest.mark.parametrize("student", ["ada", "reference"])
def test_a_bug_of_ours_in_a_worker_leaves_its_traceback_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, student: str
) -> None:
    (tmp_path / "our_bug.py").write_text(
        "from nbgrader.preprocessors import NbGraderPreprocessor\n"
        "class Buggy(NbGraderPreprocessor):\n"
        "    def preprocess(self, nb, resources):\n"
        f"        return nb, {{1: resources}}[resources['nbgrader']['student'] != {student!r}]\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "course").mkdir()
    course = make_course(tmp_path / "course")
    build(course, CHAPTER)
    with (course.root / "nbgrader_config.py").open("a") as file:
        file.write('c.Autograde.autograde_preprocessors = ["our_bug.Buggy"]\n')
    course = open_course(course.root)
    for name in ("ada", "ben"):
        hand_in(course, name, RIGHT)
    if student == "reference":
        with pytest.raises(CourseError, match="cannot be graded: KeyError: False"):
            list(grade_class(course, CHAPTER, ["ada", "ben"], jobs=1))
    else:
        results = {result.student: result.problem for result in grade_class(course, CHAPTER, ["ada", "ben"], jobs=1)}
        assert results == {"ada": "KeyError: False", "ben": ""}
    kept = (course.state / LOG).read_text()
    assert f"{student}: Traceback" in kept and "our_bug.py" in kept and "in preprocess" in kept


def test_an_interrupted_import_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_to_import.py").write_text("import time\nwhile time.process_time() >= 0: pass")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(judge, "OUR_SECONDS", 0)
    folder = tmp_path / "course"
    folder.mkdir()
    course = make_course(folder)
    build(course, CHAPTER)
    reference = read_reference(course, CHAPTER)
    test = next(cell.name for cell in reference.cells if "assert square(2)" in cell.source)
    for source, is_ours in (
        ("assert square(2) == 4\nimport slow_to_import", True),
        ("while True: pass", True),
        ("x = square(2)\nwhile x: pass", False),
    ):
        reference = reference.with_sources({test: source})
        notebook = reference.with_sources({"square": RIGHT})
        ours = Judge(config=course.nbgrader, timeout=1)
        if is_ours:
            with pytest.raises(OurFault, match="run the command again"):
                ours.judge(notebook, reference, "a seed")
        else:
            assert ours.judge(notebook, reference, "a seed")[0].outcome == "timed out"


@contextlib.contextmanager
def busy_machine() -> Iterator[None]:
    """Some busy processes on each core, which end with this test whatever happens."""
    # Ends by itself too, in case that nobody can end it.
    loop = "import time\nend = time.monotonic() + 600\nwhile time.monotonic() < end: pass"
    count = LOAD * len(os.sched_getaffinity(0))
    busy = [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def test_a_busy_machine_changes_no_verdict(tmp_path: Path) -> None:
    """Before, time was the machine's: with six busy processes for each core, dozens of right answers lost points."""
    chapter = "01_wall"
    folders = [tmp_path / name for name in ("chapter", "small")]
    for folder in folders:
        folder.mkdir()
    typical = make_course(folders[0], (Path(__file__).parent / "chapters" / f"{chapter}.py").read_text(), chapter)
    build(typical, chapter)
    small = make_course(folders[1])
    build(small, CHAPTER)
    heavy = f"import time\n_end = time.process_time() + 2.5\nwhile time.process_time() < _end: pass\n{RIGHT}"
    endless = f"{RIGHT}\nwhile True: pass"
    endless_call = "def square(x):\n    while True: pass"
    with busy_machine():
        time.sleep(1)
        reference = read_reference(typical, chapter)
        verdicts = Judge(config=typical.nbgrader).judge(reference.copy(), reference, "a seed")
        assert [verdict for verdict in verdicts if verdict.outcome != "passed"] == []
        reference = read_reference(small, CHAPTER)
        for answer, points in ((heavy, 3), (endless, 3), (endless_call, 0)):  # what stands above a loop was defined
            ours = Judge(config=small.nbgrader, timeout=4, notebook_timeout=10)
            verdicts = ours.judge(reference.with_sources({"square": answer}), reference, "a seed")
            assert sum(verdict.points for verdict in verdicts) == points, verdicts


def hand_in(course: Course, student: str, answer: str) -> None:
    released = json.loads((course.release / CHAPTER / f"{CHAPTER}.ipynb").read_text())
    path = course.submitted / student / CHAPTER / f"{CHAPTER}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(with_answer(released, answer)))
