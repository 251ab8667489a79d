"""How anything is shown on a terminal."""

from rich.console import Console
from rich.text import Text

from autograder.chapter.verdicts import Outcome
from autograder.wall.sandbox import REDUCED_MODE_WARNING, bubblewrap_works
from autograder.wording import printable

console = Console()
STYLES = {
    Outcome.PASSED: "green",
    Outcome.FAILED: "red",
    Outcome.TIMED_OUT: "yellow",
    Outcome.CRASHED: "magenta",
    Outcome.OUT_OF_MEMORY: "magenta",
    Outcome.NOT_RUN: "yellow",
    Outcome.MISSING: "yellow",
}


def warn_if_reduced() -> None:
    """Say loudly what the sandbox lacks where bubblewrap cannot run."""
    if not bubblewrap_works():
        console.print(f"[bold red]REDUCED MODE:[/] {REDUCED_MODE_WARNING}")


def number(points: float) -> str:
    """Points without a needless decimal."""
    return f"{points:g}"


def shown(text: str) -> Text:
    """A text of others as it may go to a terminal: neither markup nor control characters mean anything."""
    return Text(printable(text))


def show_line(*parts: str | tuple[str, str]) -> None:
    """One line of texts, each plain or with a style; it is not cut or broken."""
    texts = [(printable(part), "") if isinstance(part, str) else (printable(part[0]), part[1]) for part in parts]
    console.print(Text.assemble(*texts), soft_wrap=True)
