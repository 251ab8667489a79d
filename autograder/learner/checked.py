"""What a learner sees of notebooks that were checked."""

import json
from collections.abc import Sequence

from rich.table import Table

from autograder.chapter.cells import Way
from autograder.chapter.verdicts import Outcome, Verdict
from autograder.learner.check import Checked
from autograder.learner.progress import Progress
from autograder.pages.terminal import STYLES, console, number, show_line, shown
from autograder.wording import count


def show_verdicts(checked: Checked, all_checks: bool = False, rubric: bool = False) -> None:
    """What a notebook earned, task by task: the checks that failed, or all. Lines are not cut or broken.

    With `rubric`, what answers in words are measured by, for the questions that were answered.
    """
    for repair in checked.repairs:
        show_line(("Note: ", "yellow"), repair)
    begun = set(checked.tasks) - set(checked.not_begun)
    for task in checked.tasks:
        verdicts = [verdict for verdict in checked.verdicts if verdict.task == task]
        failed = [verdict for verdict in verdicts if verdict.outcome != Outcome.PASSED]
        if task in begun and failed or all_checks:
            show_line((task, "bold"), f"  {_earned(verdicts)}")
            for group in _alike(verdicts if all_checks else failed):
                aspects = "; ".join(verdict.aspect or verdict.grade_id for verdict in group)
                outcome, message = group[0].outcome, group[0].message
                show_line("    ", (outcome, STYLES[outcome]), f"  {aspects}" + (f": {message}" if message else ""))
    if beside := [verdict.grade_id for verdict in checked.verdicts if verdict.way == Way.BESIDE]:
        show_line("Judged the weaker way, beside the code: ", ", ".join(beside))
    if checked.not_begun:
        show_line("Not begun: ", ", ".join(checked.not_begun))
    if checked.by_hand:
        hint = "" if rubric or not checked.rubrics else " (to compare with sample answers: --rubric)"
        show_line("For a person to grade: ", ", ".join(checked.by_hand) + hint)
    for name, text in checked.rubrics.items() if rubric else ():
        show_line((name, "bold"))
        for line in text.split("\n"):
            show_line("    ", line)
    show_line(
        (f"{checked.chapter}: {_earned(checked.verdicts)}", "bold"),
        f", {len(checked.solved)} of {count(len(checked.tasks), 'task')} complete",
    )


def show_progress(found: Sequence[Progress]) -> None:
    """One table with a line for each notebook."""
    table = Table("chapter", "tasks complete", "points", "")
    for progress in found:
        tasks = f"{progress.solved} of {progress.tasks}"
        points = f"{number(progress.points)} of {number(progress.most_points)}"
        if progress.problem:
            table.add_row(shown(progress.chapter), "", "", "not checked")
        else:
            table.add_row(shown(progress.chapter), tasks, points, "" if progress.checked else "not begun")
    console.print(table)
    for progress in found:
        if progress.problem:
            show_line((f"{progress.chapter}: ", "bold red"), progress.problem)


def show_json(found: Sequence[Progress]) -> None:
    """What a script is told: a list with an object for each notebook."""
    print(json.dumps([progress.as_fields() for progress in found], indent=1))


def _earned(verdicts: list[Verdict]) -> str:
    earned, most = sum(verdict.points for verdict in verdicts), sum(verdict.most_points for verdict in verdicts)
    return f"{number(earned)} of {number(most)} points"


def _alike(verdicts: list[Verdict]) -> list[list[Verdict]]:
    """Verdicts that say the same (a cell that does not run fails all its checks) together."""
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.outcome, verdict.message), []).append(verdict)
    return list(groups.values())
