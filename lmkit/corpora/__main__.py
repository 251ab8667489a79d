"""`python -m lmkit.corpora list` and `python -m lmkit.corpora fetch NAME [--from FILE ...]`."""

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from lmkit import real


def main(arguments: Sequence[str] | None = None) -> int:
    """`list` or `fetch NAME [--from FILE ...]`; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m lmkit.corpora", description="Real corpora: what there is, and how to get one."
    )
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("list", help="names, sizes, licences, and whether the files are here")
    fetching = commands.add_parser("fetch", help="bring a corpus into the cache")
    fetching.add_argument(
        "name", metavar="NAME", choices=sorted(real.registry()), help=", ".join(sorted(real.registry()))
    )
    fetching.add_argument(
        "--from", dest="given", metavar="FILE", nargs="+", type=Path, default=[], help="use files you already have"
    )
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    if options.command == "list":
        for entry in real.registry().values():
            size = f"{entry.bytes:,} bytes" if entry.bytes else "size not known"
            print(f"{entry.name:22}{size:>18}   {'here' if real.is_cached(entry) else '-':6}{entry.licence}")
        print(f"\ncache: {real.cache_folder()}  (set LMKIT_CACHE to change it)")
        return 0
    entry = real.registry()[options.name]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = lambda message, *_: print(f"warning: {message}", file=sys.stderr)
            files = real.fetch(entry, options.given)
    except real.FetchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for path in files.values():
        print(f"{path}  {path.stat().st_size:,} bytes")
    print(f"licence: {entry.licence}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
