"""The standing of a challenge: a table on the terminal, a CSV file and a page."""

import csv
import io
from pathlib import Path
from typing import Any

from rich.table import Table

from autograder.challenge.game import Game
from autograder.disk import write_atomically
from autograder.pages.html import render, write_page
from autograder.pages.terminal import console, shown


def show_standing(rows: list[dict[str, Any]]) -> None:
    """The standing as a table."""
    table = Table(title="bits per token above the truth; less is better")
    for name in rows[0]:
        table.add_column(name)
    for row in rows:
        table.add_row(*(shown(str(value)) for value in row.values()))
    console.print(table)


def write_standing(folder: Path, rows: list[dict[str, Any]], game: Game, seconds: float) -> list[Path]:
    """Write standing.csv and standing.html."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows({name: harmless(value) for name, value in row.items()} for row in rows)
    write_atomically(folder / "standing.csv", text.getvalue().encode())
    page = render(
        "standing.html",
        columns=list(rows[0]),
        rows=rows,
        seconds=seconds,
        learned=len(game.train),
        stories=len(game.stories),
        scored=sum(map(len, game.stories)),
        seed=game.seed,
    )
    return [folder / "standing.csv", write_page(folder / "standing.html", page)]


def harmless(value: Any) -> Any:
    """A text that a spreadsheet does not take for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") and value else value
