"""Tests that run beside the student's code: what they find, what they give, and what a student cannot do even there."""

from pathlib import Path

import pytest
from foreign_course import Cells, check, free, make, task, text_of, with_answers

from autograder.chapter.beside import folder_for
from autograder.chapter.cells import Notebook, Way
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Outcome, Verdict
from autograder.chapter.ways import Tried, with_ways
from autograder.course import Course
from autograder.intake.submission import take_in_content
from autograder.wall.beside import compiled
from autograder.wall.judge import Judge

CELLS = [
    free("import math"),
    task("area", "def area(r):\n    return math.pi * r * r"),
    check("area_one", "known = area(1)\nassert abs(known - 3.14159) < 1e-3, 'one'", 1),
    task("double", "def double(r):\n    return 2 * area(r)"),
    check("double_one", "assert double(1) == 2 * known, 'twice'\nassert In[-2].count('return') == 1", 2),
    check("part", "print('seen')\nmin(2, round(double(2) / area(2)))", 4),
]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make(tmp_path_factory.mktemp("course"), {"one/one.ipynb": CELLS, "one/secret.txt": "42"})


def judged(course: Course, cells: Cells, **settings: object) -> tuple[dict[str, Verdict], Notebook]:
    """The verdicts of a submission all of whose tests run beside it, by name, and the graded notebook."""
    plain = read_reference(course, "one")
    reference = with_ways(plain, {test.name: Tried(Way.BESIDE, False, "so we say") for test in plain.tests})
    notebook = take_in_content(text_of(cells).encode(), reference).notebook
    judge = Judge(config=course.nbgrader, files=folder_for(course, "one"), timeout=3, **settings)
    return {verdict.grade_id: verdict for verdict in judge.judge(notebook, reference, "a seed")}, notebook


def outcomes(course: Course, **answers: str) -> dict[str, str]:
    verdicts, _ = judged(course, with_answers(CELLS, **answers))
    return {name: verdict.outcome.value for name, verdict in verdicts.items()}


def test_each_test_runs_at_its_place_in_one_process(course: Course) -> None:
    verdicts, notebook = judged(course, CELLS)
    assert {name: (verdict.outcome, verdict.points) for name, verdict in verdicts.items()} == {
        "area_one": (Outcome.PASSED, 1),
        "double_one": (Outcome.PASSED, 2),
        "part": (Outcome.PASSED, 2),  # what it ends in is partial credit
    }
    assert {verdict.way for verdict in verdicts.values()} == {Way.BESIDE}
    (part,) = [cell for cell in notebook.cells if cell.name == "part"]
    assert [output.get("text") or output["data"]["text/plain"] for output in part.node.outputs] == ["seen\n", "2.0"]


def test_what_a_student_gets_wrong_is_said(course: Course) -> None:
    verdicts, _ = judged(course, with_answers(CELLS, area="def area(r):\n    return 3"))
    assert (verdicts["area_one"].outcome, verdicts["area_one"].message) == (Outcome.FAILED, "one")
    verdicts, _ = judged(course, with_answers(CELLS, area="def area(r)"))
    assert "Your cell for area does not run. SyntaxError" in verdicts["area_one"].message


@pytest.mark.parametrize(
    "hostile",
    [
        "import ast\nclass Strip(ast.NodeTransformer):\n    def visit_Assert(self, node):\n        return ast.Pass()\n"
        "get_ipython().ast_transformers.append(Strip())",
        "get_ipython().input_transformers_cleanup.append(lambda lines: ['pass'])",
        "import builtins\nbuiltins.exec = lambda *_: None\nbuiltins.eval = lambda *_: 4\nbuiltins.compile = None",
        "class Quiet(BaseException): ...\nimport builtins\nbuiltins.AssertionError = Quiet",
        "def area(r):\n    raise SystemExit",
        "def area(r):\n    import os\n    os._exit(0)",
        "import marshal\nmarshal.loads = lambda *_: compile('0', '', 'eval')",
        "import sys\nsys.settrace(lambda *_: None)",
    ],
)
def test_skipping_the_tests_is_not_that_easy(course: Course, hostile: str) -> None:
    wrong = f"def area(r):\n    return 0\n{hostile}"
    found = outcomes(course, area=wrong, double="def double(r):\n    return 1")
    assert found["area_one"] != Outcome.PASSED and found["double_one"] != Outcome.PASSED


def test_a_test_that_was_edited_or_deleted_is_the_courses_again(course: Course) -> None:
    zero, one = "def area(r):\n    return 0", "def double(r):\n    return 1"
    wrong = with_answers(CELLS, area=zero, double=one, area_one="known = 1", double_one="pass")
    wrong[5].metadata["nbgrader"]["points"] = 100
    verdicts, _ = judged(course, [cell for cell in wrong if "assert" not in cell["source"]])
    assert {name: verdict.points for name, verdict in verdicts.items() if name != "part"} == {
        "area_one": 0,
        "double_one": 0,
    }
    assert verdicts["part"].most_points == 4


def test_a_cell_that_hangs_or_ends_the_process_costs_itself(course: Course) -> None:
    found = outcomes(course, area="while True: pass")
    assert found["area_one"] == Outcome.FAILED
    found = outcomes(course, double="def double(r):\n    while True: pass")
    assert found == {"area_one": "passed", "double_one": "timed out", "part": "timed out"}
    found = outcomes(course, double="def double(r):\n    import os\n    os._exit(1)")
    assert found == {"area_one": "passed", "double_one": "crashed", "part": "crashed"}


def test_the_process_knows_neither_the_tests_nor_the_other_way(course: Course) -> None:
    look = "def area(r):\n    return 3.14159\nimport gc\nfound = [t for t in gc.get_objects() if isinstance(t, str)]\n"
    look += "import sys\nseen = [t for t in found if 'double(1) == 2 * known' in t and 'look' not in t]\n"
    look += "if seen or 'autograder.wall' in sys.modules:\n    area = None"
    assert outcomes(course, area=look)["area_one"] == "passed", (
        "nothing of a test is there before the cells above it ran"
    )


def test_files_of_the_course_are_there(course: Course) -> None:
    reads = "def area(r):\n    return 3.14159 if open('secret.txt').read() == '42' else 0"
    assert outcomes(course, area=reads)["area_one"] == "passed"


def test_a_test_is_taken_apart_before_it_is_sent() -> None:
    body, last = compiled("%matplotlib inline\nx = 1\nx")
    assert body and last
    assert compiled("x = 1\nx;")[1] == "" == compiled("assert 1")[1]
    with pytest.raises(SyntaxError):
        compiled("assert (")


def test_only_tests_whose_names_are_needed_run_too(tmp_path: Path) -> None:
    cells = [
        task("f", "def f():\n    return 1"),
        check("helper", "def same(a, b):\n    return a == b\nassert same(f(), 1)"),
        check("hidden", "secret = 7\nassert f() == 1"),
        check("beside", "assert same(f(), 1) and 'secret' not in globals()"),
    ]
    course = make(tmp_path, {"one/one.ipynb": cells})
    reference = with_ways(read_reference(course, "one"), {"beside": Tried(Way.BESIDE, False, "")})
    notebook = take_in_content(text_of(cells).encode(), reference).notebook
    verdicts = Judge(config=course.nbgrader).judge(notebook, reference, "a seed")
    assert [(verdict.grade_id, verdict.outcome.value) for verdict in verdicts] == [
        ("helper", "passed"),
        ("hidden", "passed"),
        ("beside", "passed"),
    ]
