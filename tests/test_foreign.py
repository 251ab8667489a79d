"""Tests as other people's courses write them: through the wall they say what they say in one process."""

import functools
from pathlib import Path

import pytest
from foreign_cases import ForeignCase, in_one_process, read_cases
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

from autograder.chapter.cells import Notebook
from autograder.chapter.verdicts import Outcome
from autograder.wall import warm
from autograder.wall.judge import Judge

CASES = {case.name: case for case in read_cases()}
IMPORTS = "import matplotlib.pyplot, networkx, numpy, pandas, unittest.mock"
MODULES = ("matplotlib.pyplot", "networkx", "numpy", "pandas", "unittest.mock")


@pytest.fixture(autouse=True)
def one_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all cases import the same beforehand, so that their processes are forked from one parent."""
    monkeypatch.setattr(warm, "modules_of", lambda _: MODULES)


@functools.cache
def plain() -> dict[str, list[str]]:
    return in_one_process(list(CASES.values()))


def reference_of(case: ForeignCase) -> Notebook:
    """The notebook that an instructor has: answer and test."""
    cells = [new_code_cell(IMPORTS, metadata={"nbgrader": facts("imports", locked=True)})]
    for part in ("free", "answer", "earlier", "test"):
        if part in case.parts:
            cells.append(new_code_cell(case.parts[part], id=part, metadata={"nbgrader": FACTS[part]}))
            if part == "free":
                del cells[-1].metadata["nbgrader"]
    return Notebook.of(new_notebook(cells=cells, metadata={"autograder_adopted": True}))


def facts(name: str, grade: bool = False, solution: bool = False, locked: bool = False) -> dict[str, object]:
    found: dict[str, object] = {
        "grade_id": name,
        "grade": grade,
        "solution": solution,
        "locked": locked,
        "schema_version": 3,
    }
    return found | ({"points": 1.0} if grade else {})


FACTS = {
    "free": {},
    "answer": facts("answer", solution=True),
    "earlier": facts("earlier", grade=True, locked=True),
    "test": facts("test", grade=True, locked=True),
}


def through_the_wall(case: ForeignCase, part: str, folder: Path) -> str:
    """What the verdict on the last test says, "" if it passes."""
    for name, text in case.files.items():
        (folder / name).write_text(text)
    reference = reference_of(case)
    notebook = reference.with_sources({"answer": case.parts[part]})
    config = Config()
    config.Judge.timeout = 6
    settings = {"files": str(folder)} if case.files else {}
    verdict = Judge(config=config, **settings).judge(notebook, reference, "a seed")[-1]
    return "" if verdict.outcome == Outcome.PASSED else f"{verdict.outcome}: {verdict.message}"


@pytest.mark.parametrize("name", CASES)
def test_both_ways_say_the_same(name: str, tmp_path: Path) -> None:
    right, wrong = plain()[name]
    assert not right and wrong, "the case itself"
    assert through_the_wall(CASES[name], "answer", tmp_path) == ""
    assert through_the_wall(CASES[name], "wrong", tmp_path) != ""


def judged(answer: str, wrong: str, test: str) -> tuple[str, str]:
    """What the verdict on a test says of the course's answer and of a wrong one."""
    case = ForeignCase("", {"answer": answer, "wrong": wrong, "test": test})
    return through_the_wall(case, "answer", Path()), through_the_wall(case, "wrong", Path())


LIAR = "class Liar:\n    def __eq__(self, other): return True\n    def __lt__(self, other): return True\n"
FORGED = {
    "an object that equals everything": (
        "def f(x):\n    return x * x",
        f"{LIAR}def f(x):\n    return Liar()",
        "assert f(3) == 9",
    ),
    "two such objects": (
        "def f(x):\n    return x * x",
        f"{LIAR}def f(x):\n    return Liar()",
        "assert f(3) == f(-3) and f(2) < f(3)",
    ),
    "such an object out of an object that the test has made": (
        "class Box:\n    def __init__(self, a): self.a = a\n    def volume(self): return self.a ** 3",
        f"{LIAR}class Box:\n    def __init__(self, a): self.a = a\n    def volume(self): return Liar()",
        "assert Box(2).volume() == 8",
    ),
    "an object that says it is a list": (
        "def f():\n    return [1]",
        "class List:\n    __class__ = list\ndef f():\n    return List()",
        "assert isinstance(f(), list)",
    ),
    "an argument that is emptied": (
        "def total(values):\n    return sum(values)",
        "def total(values):\n    values.clear()\n    return 0",
        "data = [1, 2, 3]\nassert total(data) == sum(data)",
    ),
    "an exception that skips a test": (
        "def f():\n    return 1",
        "import unittest\ndef f():\n    raise unittest.SkipTest('done')",
        "import io, unittest\nclass T(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(), 1)\n"
        "suite = unittest.defaultTestLoader.loadTestsFromTestCase(T)\n"
        "assert unittest.TextTestRunner(stream=io.StringIO()).run(suite).wasSuccessful()",
    ),
    "an exception that ends a loop": (
        "def f(x):\n    return x",
        "def f(x):\n    class End(StopIteration): pass\n    raise End",
        "for got, want in zip(map(f, [1, 2]), [1, 2]):\n    assert got == want",
    ),
    "an exception of the grader's own": (
        "def f():\n    return 1",
        "class OurFault(Exception): pass\nOurFault.__module__ = 'autograder.wall.faults'\ndef f():\n    raise OurFault",
        "assert f() == 1",
    ),
    "a name that the test binds": (
        "def f():\n    return 7",
        "def f():\n    return expected",
        "expected = 7\nassert f() == expected",
    ),
    "a library's function that the test imports": (
        "import math\ndef f(x):\n    return math.sqrt(x)",
        "class math:\n    isclose = staticmethod(lambda *a: True)\ndef f(x):\n    return 0",
        "assert math.isclose(f(4), 2)",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_nothing_of_it_can_be_forged(name: str) -> None:
    right, wrong = judged(*FORGED[name])
    assert right == "" and wrong != ""


def test_what_student_code_prints_in_a_hidden_test_is_not_shown() -> None:
    case = ForeignCase(
        "", {"answer": "def f(x):\n    print('seen', x)\n    return x", "test": "print('ours')\nassert f(41) == 41"}
    )
    reference = reference_of(case)
    notebook = reference.copy()
    (verdict,) = Judge(config=Config()).judge(notebook, reference, "a seed")
    assert verdict.outcome == Outcome.PASSED
    assert [output.text for output in notebook.cells[-1].node.outputs] == ["ours\n"]


def test_our_process_is_as_it_was_after_a_test() -> None:
    import builtins
    import random
    import sys

    before = builtins.input, builtins.print, random.randint, sys.stdin, sys.stdout, sys.modules["__main__"]
    test = (
        "import builtins, io, random, sys\nbuiltins.input = builtins.print = random.randint = len\n"
        "sys.stdin = sys.stdout = io.StringIO()\nassert f() == 1"
    )
    judged("def f():\n    return 1", "def f():\n    return 2", test)
    assert before == (builtins.input, builtins.print, random.randint, sys.stdin, sys.stdout, sys.modules["__main__"])
