"""What the command line shows an author: the bank's trials, and how the tests of an adopted course are judged."""

from collections.abc import Iterable

from rich.table import Table

from autograder.authoring.adopting import Adopted
from autograder.authoring.bank import Trial, Unsteady
from autograder.authoring.by_heart import ByHeart, problems_by_heart
from autograder.chapter.cells import Way
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


def show_adopted(found: Iterable[Adopted]) -> None:
    """For each notebook of a course how many tests are judged in which way, then why not all of them are."""
    table = Table("notebook", "tests", "through the wall", "beside", "fail their own answer", "by hand")
    reasons: list[tuple[str, str]] = []
    numbers = [0, 0, 0, 0, 0]
    for one in found:
        if one.problem:
            table.add_row(shown(one.chapter), "cannot be graded", "", "", "", "")
            reasons.append((f"{one.chapter}: ", one.problem))
            continue
        wall = sum(tried.way == Way.WALL for tried in one.ways.values())
        failing = sum(tried.fails for tried in one.ways.values())
        row = [len(one.ways), wall, len(one.ways) - wall - failing, failing, one.by_hand]
        numbers = [before + now for before, now in zip(numbers, row, strict=True)]
        table.add_row(shown(one.chapter), *map(str, row))
        for name, tried in one.ways.items():
            if tried.way != Way.WALL:
                kind = "fails its own answer" if tried.fails else "beside"
                reasons.append((f"{one.chapter}: {name}: {kind}: ", tried.why))
    table.add_row("together", *map(str, numbers))
    console.print(table)
    for name, why in reasons:
        show_line(name, why)
