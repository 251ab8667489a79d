"""What the command line shows an author: the bank's trials."""

from rich.table import Table

from autograder.authoring.bank import Trial, Unsteady
from autograder.authoring.by_heart import ByHeart, problems_by_heart
from autograder.pages.terminal import console, number, show_line, shown


def show_trials(name: str, trials: list[Trial]) -> bool:
    """The answers of the bank that were not judged as expected, and counts. Returns whether there were none."""
    problems = [trial for trial in trials if trial.problem]
    if problems:
        table = Table("task", "answer", "problem", title=shown(name))
        for trial in problems:
            kind = "right" if trial.answer.is_right else "wrong"
            table.add_row(shown(trial.answer.task), shown(f"{kind}: {trial.answer.label}"), shown(trial.problem))
        console.print(table)
    right = sum(trial.answer.is_right for trial in trials)
    counts = f"{right} right and {len(trials) - right} wrong answers"
    show_line(f"{name}: {counts}, {len(trials) - len(problems)} of {len(trials)} judged as expected")
    return not problems


def show_unsteady(name: str, repeats: int, unsteady: list[Unsteady]) -> bool:
    """The answers that luck decided about, a line for each test. Returns whether there were none."""
    for one in unsteady:
        outcomes = ", ".join(f"{outcome} {times} times" for outcome, times in one.outcomes.most_common())
        kind = "right" if one.answer.is_right else "wrong"
        line = f"{one.answer.task}, {kind}: {one.answer.label}; {one.aspect}: {outcomes}"
        console.print(shown(line), soft_wrap=True)
    console.print(f"{name}: {len(unsteady)} verdicts changed in {repeats} repeats")
    return not unsteady


def show_by_heart(name: str, found: list[ByHeart]) -> bool:
    """What the tasks give to answers learned by heart. Returns whether no task, nor all together, gives too much."""
    problems = problems_by_heart(found)
    for problem in problems:
        console.print(shown(problem), soft_wrap=True)
    earned, most = sum(one.earned for one in found), sum(one.most_points for one in found)
    console.print(f"{name}: visible checks learned by heart earn {number(earned)} of {number(most)} points")
    return not problems
