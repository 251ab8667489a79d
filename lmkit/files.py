"""Files that are whole at any moment: what was there before, or all that is to be there."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


def write_whole(path: Path, content: bytes | Callable[[BinaryIO], object]) -> None:
    """Write bytes, or whatever a function writes into the open file, so that a kill or a power cut leaves no half file.

    It is written beside its place (`NAME.writing`, which the next write replaces), brought to the disk and renamed.
    Makes the folders above it. For one writer at a time. Raises OSError, and what the function raises; the file that
    was there then stays as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".writing")
    try:
        with beside.open("wb") as file:
            if callable(content):
                content(file)
            else:
                file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
