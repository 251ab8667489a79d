"""Where the course keeps its data, and where a learner's own things are.

The data is inside the package where a wheel was installed, else at the repository's top.
"""

import os
from pathlib import Path

_HERE = Path(__file__).resolve().parent
DATA = _HERE / "data" if (_HERE / "data").is_dir() else _HERE.parent / "data"
STARTED = ".releases.json"  # `autograder start` leaves this file in the learner's folder


def own_folder(name: str) -> Path:
    """A folder of the learner's, such as work/texts; it need not exist yet.

    The environment variable LMKIT_TEXTS (LMKIT_GALLERY, ...) names it. Without one it is in the folder `work` that
    `autograder start` made, if that is the current folder, holds it, or is in it; else it is in the current folder.
    """
    if named := os.environ.get(f"LMKIT_{name.upper()}"):
        return Path(named)
    here = Path.cwd()
    for folder in (here, *here.parents, here / "work"):
        if folder.name == "work" and (folder / STARTED).is_file():
            return folder / name
    return here / name
