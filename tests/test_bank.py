"""Every right answer of the bank keeps its points, every wrong one is caught by the test that is named for it."""

import pytest

from autograder.authoring.bank import Answer, Trial, try_answers, try_bank
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

    chosen = one_failure_of_each_test(trials)
    assert differences(trials, try_answers(real_course, chapter, chosen, in_kernel=True)) == [], (
        "a test must mean the same to *Validate* and to the judge"
    )


def one_failure_of_each_test(trials: list[Trial]) -> dict[str, list[Answer]]:
    """By task, one right answer and so many wrong ones that each test is failed once: all would take too long."""
    chosen: dict[str, list[Answer]] = {}
    for answer in (trial.answer for trial in trials):
        listed = chosen.setdefault(answer.task, [])
        failed = {aspect for earlier in listed for aspect in earlier.caught_by}
        if set(answer.caught_by) - failed or (answer.is_right and not any(earlier.is_right for earlier in listed)):
            listed.append(answer)
    return chosen


def differences(trials: list[Trial], in_kernel: list[Trial]) -> list[str]:
    """Answers whose tests came out otherwise, as one line each.

    Of a wrong answer, the tests that it names count: tests draw random inputs, so the others may fail or pass.
    """
    judged = {(trial.answer.task, trial.answer.label): trial for trial in trials}
    return [
        f"{other.answer.task}, {other.answer.label!r}: {verdict.aspect}: {verdict.outcome}, in kernel {its.outcome}"
        for other in in_kernel
        for verdict, its in zip(judged[other.answer.task, other.answer.label].verdicts, other.verdicts, strict=True)
        if verdict.outcome != its.outcome and (other.answer.is_right or verdict.aspect in other.answer.caught_by)
    ]
