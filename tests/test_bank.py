"""Every right answer of the bank keeps its points, every wrong one is caught by the test that is named for it."""

import pytest

from autograder.bank import Trial, try_bank
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

    in_kernel = try_bank(real_course, chapter, in_kernel=True)
    assert differences(trials, in_kernel) == [], "a test must mean the same to *Validate* and to the judge"


def differences(trials: list[Trial], others: list[Trial]) -> list[str]:
    """Answers whose tests came out otherwise, as one line each. Messages may differ: tests draw random inputs."""
    return [
        f"{trial.answer.task}, {trial.answer.label!r}: {verdict.aspect}: {verdict.outcome}, in kernel {other.outcome}"
        for trial, other_trial in zip(trials, others, strict=True)
        for verdict, other in zip(trial.verdicts, other_trial.verdicts, strict=True)
        if verdict.outcome != other.outcome
    ]
