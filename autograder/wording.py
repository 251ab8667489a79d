"""How the house words what it prints: numbers with their nouns, and texts of others made safe to show."""

import re


def count(number: int, noun: str) -> str:
    """`1 point`, `2 points`, `2,000 cells`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def printable(text: str) -> str:
    """A text of others without what a terminal would obey: control characters, escapes, marks that turn the line."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)


def in_a_cell(value: object) -> object:
    """A value as a table of a spreadsheet may hold it: a text that would be run as a formula gets a quote before it."""
    if not isinstance(value, str):
        return value
    text = printable(value).replace("\n", " ")
    return f"'{text}" if re.match(r"\s*[=+\-@]", text) else text
