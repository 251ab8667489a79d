"""What people read: every outcome has its words, and no text of a student's means anything to a terminal or a table."""

import csv
import io

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell

from autograder.authoring.bank import Answer, Trial
from autograder.authoring.tables import show_trials
from autograder.chapter.cells import CellKind, NotebookCell
from autograder.chapter.verdicts import Outcome, Verdict
from autograder.learner.check import Checked
from autograder.learner.checked import show_verdicts
from autograder.pages.feedback import LONGEST_ANSWER, _shown
from autograder.pages.html import render
from autograder.wording import count, in_a_cell, printable

ODD = ["\\[/b]", "[/]", "[red]", "\x1b[2J\x1b]0;title\x07", "\r\x08", "\u202e", "long " * 500, "[link=http://x]y"]


def verdict(outcome: Outcome, message: str, task: str = "square", points: float = 0) -> Verdict:
    return Verdict(f"{task}--{outcome}-{message}", task, f"aspect {outcome}", points, 1, outcome, message)


@pytest.mark.parametrize("outcome", list(Outcome))
@pytest.mark.parametrize("text", ODD)
def test_every_outcome_with_odd_texts(capsys: pytest.CaptureFixture[str], outcome: Outcome, text: str) -> None:
    show_verdicts(Checked("01_squares", [text], [verdict(outcome, text, text or "t")], by_hand=[text]), all_checks=True)
    answer = Answer(text, text, "", ("aspect",) if outcome == Outcome.PASSED else ())
    show_trials(text, [Trial(answer, [verdict(outcome, text)])])
    shown = capsys.readouterr().out
    assert outcome in shown and printable(text).strip() in shown
    assert all(letter.isprintable() or letter == "\n" for letter in shown)


def test_every_outcome_has_a_colour_on_pages() -> None:
    style = render("report.html", **dict.fromkeys(
        ["chapter", "histogram", "difficulty"], ""), students=0, mean=0, median=0, most_points=0, to_review=0,
        items=[], odd=[], tasks={}, table=[], not_handed_in=[], beside=[])  # fmt: skip
    for outcome in Outcome:
        assert f".{outcome.replace(' ', '-')}" in style


def test_check_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    syntax = "Your cell for bad does not run. SyntaxError: invalid syntax"
    long_name = "a_task_whose_name_is_longer_than_a_line_of_eighty_columns_may_be_without_being_cut_off_at_its_end"
    verdicts = [
        verdict(Outcome.PASSED, "", "good", 1),
        *(verdict(Outcome.FAILED, syntax, "bad") for _ in range(3)),
        verdict(Outcome.FAILED, "NotImplementedError: ...", "untouched"),
        verdict(Outcome.TIMED_OUT, "stopped", long_name),
    ]
    checked = Checked("01_squares", [], verdicts, not_begun=["untouched"])
    show_verdicts(checked)
    lines = capsys.readouterr().out.splitlines()
    assert sum("SyntaxError" in line for line in lines) == 1 and len(lines) == 6
    assert any(line.startswith(long_name) for line in lines)
    assert lines[-2:] == ["Not begun: untouched", "01_squares: 1 of 6 points, 1 of 4 tasks complete"]
    show_verdicts(checked, all_checks=True)
    shown = capsys.readouterr().out
    assert "good" in shown and "NotImplementedError" in shown


def test_no_cell_of_a_table_is_a_formula() -> None:
    names = ["=1+1", "+1", "-1", "@x", " =1", "\t=1", "\x1b[1m", "ann", "a-b"]
    table = pd.DataFrame({"points": range(len(names))}, index=pd.Index(names, name="student")).rename(index=in_a_cell)
    rows = list(csv.reader(io.StringIO(table.to_csv())))[1:]
    assert all(row[0].lstrip()[0] not in "=+-@" and row[0].isprintable() for row in rows)
    assert [row[0] for row in rows[-2:]] == ["ann", "a-b"]


def test_an_endless_answer_makes_a_page_of_bounded_size() -> None:
    page = _shown(NotebookCell.of(new_code_cell("x=1;" * 2**18)))
    assert len(page) < 30 * LONGEST_ANSWER and "more" in page
    assert "more" not in _shown(NotebookCell.of(new_code_cell("x = 1")))


def test_counting() -> None:
    assert [count(n, "task") for n in (0, 1, 2, 2000)] == ["0 tasks", "1 task", "2 tasks", "2,000 tasks"]


def test_cells_of_strange_kinds_have_names() -> None:
    for metadata in ({}, {"nbgrader": None}, {"nbgrader": []}, {"nbgrader": {"grade_id": 3, "points": "x"}}):
        node = nbformat.from_dict({**new_code_cell("x"), "metadata": metadata})
        cell = NotebookCell.of(node)
        assert (cell.name, cell.points, cell.kind) == (node.id, 0, CellKind.SCRATCH)
