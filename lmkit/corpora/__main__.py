"""`python -m lmkit.corpora list` and `python -m lmkit.corpora fetch NAME [--from FILE ...]`."""

import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer

from lmkit import real

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Real corpora: what there is, and how to get one.",
)


@app.command("list")
def list_all() -> None:
    """Names, sizes, licences, and whether the files are here."""
    for entry in real.registry().values():
        size = f"{entry.bytes:,} bytes" if entry.bytes else "size not known"
        print(f"{entry.name:22}{size:>18}   {'here' if real.is_cached(entry) else '-':6}{entry.licence}")
    print(f"\ncache: {real.cache_folder()}  (set LMKIT_CACHE to change it)")


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(sorted(real.registry()))}.")],
    more: Annotated[list[Path] | None, typer.Argument(metavar="FILE", help="More files for --from.")] = None,
    given: Annotated[list[Path] | None, typer.Option("--from", metavar="FILE", help="Use files you have.")] = None,
) -> None:
    """Bring a corpus into the cache, from the network or from files."""
    if name not in real.registry():
        raise typer.BadParameter(f"{name} is none of: {', '.join(sorted(real.registry()))}.")
    if more and not given:
        raise typer.BadParameter("files go behind --from.")
    entry = real.registry()[name]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = lambda message, *_: print(f"warning: {message}", file=sys.stderr)
            files = real.fetch(entry, [*(given or ()), *(more or ())])
    except real.FetchError as error:
        print(f"error: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    for path in files.values():
        print(f"{path}  {path.stat().st_size:,} bytes")
    print(f"licence: {entry.licence}")


if __name__ == "__main__":
    app()
