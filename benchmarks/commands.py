"""What the command lines of programs share that are made of parts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated

import typer


def run_parts(parts: Mapping[str, Callable[[], object]]) -> None:
    """The command line of a program that runs the parts it is told by name, one after the other, or all of them."""
    told = f"What to make: {', '.join(parts)}. All of it if nothing is named."

    def main(names: Annotated[list[str] | None, typer.Argument(metavar="PART", help=told)] = None) -> None:
        for name in named_or_all(names, parts):
            parts[name]()

    typer.run(main)


def named_or_all(names: Sequence[str] | None, known: Iterable[str]) -> list[str]:
    """The names, or all known ones if there is none; an unknown name ends the program with the list of the known."""
    known = list(known)
    for name in names or ():
        if name not in known:
            raise typer.BadParameter(f"{name} is none of: {', '.join(known)}.")
    return list(names or known)
