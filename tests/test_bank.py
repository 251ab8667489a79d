"""Every right answer of the bank keeps its points, every wrong one is caught by the test that is named for it."""

import pytest

from autograder.bank import try_bank
from autograder.course import Course, open_course
from conftest import ROOT

CHAPTERS = open_course(ROOT).chapters()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_bank_is_judged_as_expected(real_course: Course, chapter: str) -> None:
    trials = try_bank(real_course, chapter)
    right = sum(trial.answer.is_right for trial in trials)
    print(f"{chapter}: {right} right and {len(trials) - right} wrong answers")
    problems = [f"{trial.answer.task}, {trial.answer.label!r}: {trial.problem}" for trial in trials if trial.problem]
    assert problems == []
