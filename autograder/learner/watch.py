"""Which notebooks were saved: `autograder check --watch` asks once a second."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

SECONDS = 1.0  # between two looks at the files' times


def saved(notebooks: Sequence[Path], wait: Callable[[float], None] = time.sleep) -> Iterator[Path]:
    """Each notebook that was saved since the last look, without end; those that are only opened or read are not.

    A file that is away for a moment, as some editors leave it while they save, counts as saved once it is back.
    """
    known = {path: _when(path) for path in notebooks}  # now, not when the first one is asked for

    def looks() -> Iterator[Path]:
        while True:
            wait(SECONDS)
            for path in notebooks:
                now = _when(path)
                if now is not None and now != known[path]:
                    known[path] = now
                    yield path

    return looks()


def _when(path: Path) -> tuple[int, int] | None:
    """Time of the last change in nanoseconds and size in bytes; None if there is no such file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size
