"""Tests on our side, answers on theirs: what crosses the wall, and that a test means the same on both sides of it."""

import ast
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from traitlets.config import Config

from autograder.authoring.build import build
from autograder.chapter.cells import Notebook, NotebookCell
from autograder.chapter.reference import read_reference
from autograder.chapter.verdicts import Outcome, verdicts_of
from autograder.course import Course, open_course
from autograder.wall.execute import SandboxedExecute
from autograder.wall.judge import COURSES_OUTPUT, Judge
from autograder.wall.names import modules_of, names_of, only_shown, plan
from conftest import ROOT, make_course

CHAPTER = "01_wall"
TEXT = (Path(__file__).parent / "chapters" / f"{CHAPTER}.py").read_text()


@pytest.fixture(scope="module")
def wall_course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = make_course(tmp_path_factory.mktemp("wall"), TEXT, CHAPTER)
    build(course, CHAPTER)
    return course


def judged(course: Course, answers: dict[str, str]) -> tuple[dict[str, str], NotebookNode]:
    """GradedSubmission and message of each check, by aspect, and the notebook, with some task cells replaced."""
    reference = read_reference(course, CHAPTER)
    notebook = reference.with_sources(answers)
    verdicts = Judge(config=course.nbgrader).judge(notebook, reference, "a seed")
    return {verdict.aspect: f"{verdict.outcome} {verdict.message}".strip() for verdict in verdicts}, notebook.node


def test_values_functions_classes_and_modules_cross(wall_course: Course) -> None:
    outcomes, _ = judged(wall_course, {})
    assert {aspect: outcome for aspect, outcome in outcomes.items() if outcome != "passed"} == {}


def test_in_kernel_grading_agrees(wall_course: Course) -> None:
    notebook = read_reference(wall_course, CHAPTER)
    SandboxedExecute(config=wall_course.nbgrader).preprocess(notebook.node, {})
    assert [verdict.aspect for verdict in verdicts_of(notebook) if verdict.outcome != "passed"] == []


WRONG = {
    "plain": (
        "class Liar(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\n"
        "class Agrees:\n    def __eq__(self, other): return True\n    def __bool__(self): return True\n"
        "def plain(kind):\n"
        "    return Agrees() if kind == 'counter' else Liar(3) if kind == 'tuple' else [[1] * 2000000]",
        {
            "counter": "failed counts",
            "tuple": "failed tuples",
            "array": "failed The answer cannot be read: a value has more than",
        },
    ),
    "raises": (
        "def raises(kind):\n    class Own(BaseException): pass\n    raise Own('odd')",
        {"kinds of exceptions": "failed Own: odd"},
    ),
    "calls_back": (
        "def calls_back(function, values):\n    return [function.__class__, function.__globals__]",
        {"a function of ours": "failed AttributeError: 'JudgeFunction' object has no attribute '__globals__'"},
    ),
    "Counts": (
        "def Counts(words):\n    loop = []\n    loop.append(loop)\n    return loop",
        {"methods and attributes": "failed The answer cannot be read: a value is nested too deeply"},
    ),
    "draws": (
        "def draws(generator, count):\n    while True: pass",
        {"Python's generator": "timed out This check was stopped"},
    ),
    "Layer": (
        "import os\nclass Layer:\n    def __init__(self, size): os._exit(0)",
        {"values": "crashed Your code ended"},
    ),
    "last": (
        "last = '\\ud800'",
        {"a given helper": "failed ten"},
    ),
    "prints": (
        "printed = 1 +",
        {"a number": "failed Your cell for prints does not run. SyntaxError: invalid syntax"},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_answers_fail_with_a_reason(wall_course: Course, name: str) -> None:
    code, expected = WRONG[name]
    outcomes, _ = judged(wall_course, {name: code})
    for aspect, start in expected.items():
        assert outcomes[aspect].startswith(start), outcomes[aspect]
    others = {aspect: outcome for aspect, outcome in outcomes.items() if outcome != "passed"}
    assert not set(others) - aspects_of(wall_course, name), "a mistake in one task must not cost points in another"


def aspects_of(course: Course, name: str) -> set[str]:
    return {test.aspect for test in read_reference(course, CHAPTER).tests if test.task == name}


def test_outputs_are_kept_and_harmless(wall_course: Course) -> None:
    from_them = (
        "from IPython.display import HTML, Javascript, display\n"
        "display(HTML('<b>bold</b><script>alert(1)</script><img src=x onerror=alert(1)>'), Javascript('alert(1)'))\n"
        "figure, _axes = plt.subplots()\n_axes.plot([0, 1], [2, 3])\n_axes.set_xlabel('time, s')\nplt.show()"
    )
    _, notebook = judged(wall_course, {"figure": from_them})
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    kinds = [set(output.get("data", {})) for output in cells["figure"].outputs]
    assert {"image/png", "text/plain"} in kinds
    html = "".join(output.get("data", {}).get("text/html", "") for output in cells["figure"].outputs)
    assert "<b>bold</b>" in html and "script" not in html and "onerror" not in html
    assert not any("application/javascript" in kind for kind in kinds)
    assert cells["prints"].outputs[0].text == "hello\n"
    assert cells["prints"].outputs[1].data["text/plain"] == "1"


def test_memory_that_no_limit_sees_is_forbidden(wall_course: Course) -> None:
    tries = "import ctypes, os\ntry:\n    os.memfd_create('x')\nexcept PermissionError:\n    print('no file')\n"
    tries += "print('no segment' if ctypes.CDLL(None).shmget(1, 4096, 0o1600) < 0 else 'segment')"
    _, notebook = judged(wall_course, {"last": tries})
    cell = next(cell for cell in notebook.cells if cell.id == "last")
    assert cell.outputs[0].text == "no file\nno segment\n"


def test_names_are_found_without_running_anything() -> None:
    names = names_of(
        "import numpy as np\nx = [y for y in z]\nt[0] = np.exp(1)\nlog.append(q)\ndef f(a):\n    return a + g\n"
    )
    assert names is not None
    assert names.binds == {"np", "x", "t", "f"}
    assert (names.imports, names.asks, names.passes) == ({"np"}, {"log"}, {"q"})
    assert {"z", "np", "q", "g", "t", "log"} <= names.uses and not {"y", "a"} & names.uses
    assert names_of("%matplotlib inline") is None


@pytest.mark.parametrize(
    ("code", "used"),
    [
        ("x = 1\nprint(x)", False),
        ("_, x = pair()\nx[0] = 1", False),
        ("for x in range(3):\n    print(x)", False),
        ("with open('a') as x:\n    print(x)", False),
        ("def x(n):\n    return x(n - 1)", True),  # whenever it is called
        ("for x in range(0):\n    pass\nprint(x)", True),  # perhaps never bound
        ("if 1:\n    x = 1\nprint(x)", True),
        ("x = x + 1", True),
        ("x += 1", True),
        ("x = 1\ndel x\nprint(x)", True),
        ("try:\n    x = f()\nexcept OSError:\n    print(x)", True),
        ("x = [y for y in x]", True),
        ("with open('a'):\n    x = 1\nprint(x)", False),
        ("with suppress(OSError):\n    x = f()\nprint(x)", True),
        ("def f():\n    x = 1\n    x += 1", False),
        ("if 1:\n    x += 1", True),
    ],
)
def test_what_a_cell_has_bound_before_it_reads_it_comes_from_nowhere_else(code: str, used: bool) -> None:
    names = names_of(code)
    assert names is not None and ("x" in names.uses) is used


def test_given_cells_that_use_answers_run_on_their_side_only(wall_course: Course) -> None:
    reference = read_reference(wall_course, CHAPTER)
    positions = plan(reference).given["last--a-given-helper"]
    sources = [reference.cells[position].source for position in positions]
    assert any("import numpy" in source for source in sources)
    assert sources[-2:] == ["TABLE[0, 0] = 5", "helper = TABLE * 2"]
    assert not any("theirs" in source for source in sources)


def test_cells_that_only_show_something_are_found(wall_course: Course) -> None:
    reference = read_reference(wall_course, CHAPTER)
    helper = next(cell for cell in reference.cells if cell.source == "helper = TABLE * 2")
    after = reference.cells.index(helper) + 1
    picture, drawn = helper.with_source("picture = helper + 1"), helper.with_source("print(picture)")
    reference = reference.with_cells([*reference.cells[:after], picture, drawn, *reference.cells[after:]])
    shown = [reference.cells[found].source for found in only_shown(reference, reference)]
    assert {"picture = helper + 1", "print(picture)"} <= set(shown)
    # What a function uses that somebody calls may be bound below it.
    function, below = helper.with_source("def total():\n    return more"), helper.with_source("more = 7")
    reference = reference.with_cells([*reference.cells, function, below])
    assert {function.source, below.source} <= {reference.cells[at].source for at in only_shown(reference, reference)}
    own = reference.with_cells([*reference.cells, NotebookCell.of(new_code_cell("total()"))])
    assert not {function.source, below.source} & {own.cells[at].source for at in only_shown(own, reference)}
    assert not {"helper = TABLE * 2", "TABLE[0, 0] = 5", "theirs = raises"} & set(shown)


def test_cells_that_only_show_something_are_not_run_and_keep_what_the_course_had(wall_course: Course) -> None:
    reference = read_reference(wall_course, CHAPTER)
    after = next(number for number, cell in enumerate(reference.cells) if cell.source == "helper = TABLE * 2")
    shown = reference.cells[after].with_source("print(np.sum(helper))")
    shown.node.outputs = [new_output("stream", name="stdout", text="the course's")]
    reference = reference.with_cells([*reference.cells[: after + 1], shown, *reference.cells[after + 1 :]])
    for run_shown, own, expected in (
        (False, "1 + 1", f"{COURSES_OUTPUT}the course's"),
        (True, "1 + 1", "40.0\n"),
        (False, "print(helper)", "40.0\n"),  # to which the cell above might have done something
        (False, "%time len('a')", "40.0\n"),  # what a magic uses cannot be read
        (False, "print(helper", f"{COURSES_OUTPUT}the course's"),  # does not run
    ):
        notebook = reference.with_cells([*reference.copy().cells, NotebookCell.of(new_code_cell(own))])
        config = Config(wall_course.nbgrader)
        config.Judge.run_shown = run_shown
        verdicts = Judge(config=config).judge(notebook, reference, "a seed")
        assert {verdict.outcome for verdict in verdicts} == {Outcome.PASSED}
        assert "".join(output.text for output in notebook.cells[after + 1].node.outputs) == expected


def test_cells_with_magics_say_what_is_imported_before_students_come() -> None:
    sources = ["%matplotlib inline\nimport math\nfrom PIL import Image", "!ls\nimport wave", "this is no Python"]
    modules = modules_of(Notebook.of(new_notebook(cells=[new_code_cell(source) for source in sources])))
    assert {"math", "PIL", "wave", "matplotlib.pyplot", "matplotlib_inline.backend_inline"} <= {*modules}
    assert modules_of(Notebook.of(new_notebook(cells=[new_code_cell("%%writefile a.py\nimport math")]))) == ()


@pytest.mark.parametrize("name", open_course(ROOT).chapters())
def test_no_check_of_the_course_waits_for_a_training(name: str) -> None:
    """A name that two cells happen to share can make a training look as if a test needed it."""
    reference = read_reference(open_course(ROOT), name)
    left_out = only_shown(reference, reference)
    given = [cell for i, cell in enumerate(reference.cells) if cell.is_code and cell.is_locked and i not in left_out]
    lines = [line for cell in given if names_of(cell.source) is not None for line in ast.parse(cell.source).body]
    functions = [line for line in lines if isinstance(line, ast.FunctionDef)]
    trains = {"train"}
    for _ in functions:  # one calls the other
        trains |= {function.name for function in functions if called(function) & trains}
    rest = [line for line in lines if not isinstance(line, ast.FunctionDef | ast.ClassDef)]
    slow = [ast.unparse(line) for line in rest if called(line) & trains]
    assert slow == (["reader = train_reader(new_reader, seed=5, seen=4)"] if name == "04_windows" else [])


def called(tree: ast.AST) -> set[str]:
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {function.id for function in calls if isinstance(function, ast.Name)}
