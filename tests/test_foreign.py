"""Tests as other people's courses write them: through the wall they say what they say in one process."""

import functools
from pathlib import Path

import pytest
from foreign_cases import ForeignCase, in_one_process, read_cases
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

from autograder.chapter.cells import Notebook
from autograder.chapter.verdicts import Outcome
from autograder.wall.judge import Judge

CASES = {case.name: case for case in read_cases()}
# All cases share these, so that their processes are forked from one parent.
IMPORTS = "import matplotlib.pyplot, networkx, numpy, pandas, sympy, unittest.mock"


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
