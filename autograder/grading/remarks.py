"""What a person should know about a graded submission besides its points, in a few words."""

from autograder.chapter.verdicts import Outcome
from autograder.grading.work import GradedSubmission

SYNTAX_ERRORS = ("SyntaxError:", "IndentationError:", "TabError:")


def remarks_of(outcome: GradedSubmission) -> list[str]:
    """What intake repaired, and which cells hung, crashed or cannot be read as Python."""
    cells: dict[str, dict[str, None]] = {}
    for verdict in outcome.verdicts:
        if verdict.outcome not in (Outcome.PASSED, Outcome.FAILED):
            cells.setdefault(verdict.outcome, {})[verdict.task] = None
        elif any(error in verdict.message for error in SYNTAX_ERRORS):
            cells.setdefault("syntax error", {})[verdict.task] = None
    for problem, name in outcome.stopped:
        cells.setdefault(problem, {})[name] = None
    return [*outcome.repairs, *(f"{what.capitalize()}: {', '.join(names)}." for what, names in cells.items())]
