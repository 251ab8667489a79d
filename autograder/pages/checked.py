"""What a learner sees of a notebook that was checked."""

from autograder.grading.check import Checked
from autograder.pages.terminal import STYLES, number, show_line
from autograder.wall.verdicts import Outcome, Verdict
from autograder.wording import count


def show_verdicts(checked: Checked, all_checks: bool = False, rubric: bool = False) -> None:
    """What a notebook earned, task by task: the checks that failed, or all. Lines are not cut or broken.

    With `rubric`, what answers in words are measured by, for the questions that were answered.
    """
    for repair in checked.repairs:
        show_line(("Note: ", "yellow"), repair)
    begun = {verdict.task for verdict in checked.verdicts} - set(checked.not_begun)
    for task in dict.fromkeys(verdict.task for verdict in checked.verdicts):
        verdicts = [verdict for verdict in checked.verdicts if verdict.task == task]
        failed = [verdict for verdict in verdicts if verdict.outcome != Outcome.PASSED]
        if task in begun and failed or all_checks:
            show_line((task, "bold"), f"  {_earned(verdicts)}")
            for group in _alike(verdicts if all_checks else failed):
                aspects = "; ".join(verdict.aspect or verdict.grade_id for verdict in group)
                outcome, message = group[0].outcome, group[0].message
                show_line("    ", (outcome, STYLES[outcome]), f"  {aspects}" + (f": {message}" if message else ""))
    if checked.not_begun:
        show_line("Not begun: ", ", ".join(checked.not_begun))
    if checked.by_hand:
        hint = "" if rubric or not checked.rubrics else " (to compare with sample answers: --rubric)"
        show_line("For a person to grade: ", ", ".join(checked.by_hand) + hint)
    for name, text in checked.rubrics.items() if rubric else ():
        show_line((name, "bold"))
        for line in text.split("\n"):
            show_line("    ", line)
    tasks = len({verdict.task for verdict in checked.verdicts})
    show_line(
        (f"{checked.chapter}: {_earned(checked.verdicts)}", "bold"),
        f", {_complete(checked)} of {count(tasks, 'task')} complete",
    )


def show_summary(chapter: str, checked: Checked | None) -> None:
    """One line on a chapter; None stands for a notebook without any answer."""
    if checked is None:
        show_line((chapter, "bold"), ": not begun")
        return
    complete = _complete(checked)
    tasks = {verdict.task for verdict in checked.verdicts}
    show_line((chapter, "bold"), f": {_earned(checked.verdicts)}, {complete} of {count(len(tasks), 'task')} complete")


def _complete(checked: Checked) -> int:
    """How many tasks have earned all their points."""
    return len(
        {verdict.task for verdict in checked.verdicts}
        - {verdict.task for verdict in checked.verdicts if verdict.outcome != Outcome.PASSED}
    )


def _earned(verdicts: list[Verdict]) -> str:
    earned, most = sum(verdict.points for verdict in verdicts), sum(verdict.most_points for verdict in verdicts)
    return f"{number(earned)} of {number(most)} points"


def _alike(verdicts: list[Verdict]) -> list[list[Verdict]]:
    """Verdicts that say the same (a cell that does not run fails all its checks) together."""
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.outcome, verdict.message), []).append(verdict)
    return list(groups.values())
