"""Where the cells of an adopted course run: in a folder that holds what lies beside its notebooks.

The student's process gets copies, which it may change. On our side tests see copies too, and a module that they import
from there is forgotten afterwards, since the next course may have another one of the same name.
"""

import contextlib
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from autograder.wall.inside.preparation import forget_relative_folders

LARGEST_COPY = 2**20  # bytes; of a larger file a cell gets a link to one that it cannot change

# Runs in the student's process before any cell does.
SETUP = f"""
def _place(folder, large={LARGEST_COPY}):
    import os, shutil, sys
    for where, _, names in os.walk(folder):
        below = os.path.relpath(where, folder)
        os.makedirs(below, exist_ok=True)
        for name in names:
            origin, target = os.path.join(where, name), os.path.join(below, name)
            if not os.path.exists(target):
                os.symlink(origin, target) if os.path.getsize(origin) > large else shutil.copyfile(origin, target)
    if "" not in sys.path:
        sys.path.insert(0, "")
_place({{folder!r}}); del _place
"""


def setup_for(folder: str) -> str:
    """A cell that puts the files of a folder, which the sandbox sees, into the working folder."""
    return SETUP.format(folder=folder)


@contextlib.contextmanager
def at_place(folder: str) -> Iterator[None]:
    """Be in a copy of the folder; nothing is done if it is empty. For processes that do nothing else meanwhile."""
    if not folder:
        yield
        return
    before, path = Path.cwd(), list(sys.path)
    with tempfile.TemporaryDirectory(prefix="ag-") as place:
        _copy(Path(folder), Path(place))
        os.chdir(place)
        sys.path.insert(0, place)
        importlib.invalidate_caches()
        forget_relative_folders()
        try:
            yield
        finally:
            os.chdir(before)
            sys.path[:] = path
            for name, module in list(sys.modules.items()):
                if str(getattr(module, "__file__", None) or "").startswith(place):
                    del sys.modules[name]


def _copy(folder: Path, place: Path) -> None:
    for origin in sorted(folder.rglob("*")):
        target = place / origin.relative_to(folder)
        if origin.is_dir():
            target.mkdir(exist_ok=True)
        elif origin.stat().st_size > LARGEST_COPY:
            target.symlink_to(origin)
        else:
            shutil.copyfile(origin, target)
