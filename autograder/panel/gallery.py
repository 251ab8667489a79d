"""The models that a learner has made, as the course's own gallery keeps them in JSON files (docs/gallery.md)."""

import json
from pathlib import Path
from typing import Any

from autograder.learner.workplace import NOTES

FORMER = "~1"  # behind the name of a file whose model was replaced
SHOWN = {"name": str, "text": str, "kept": str, "continuations": dict}


def models_near(notebook: Path) -> list[dict[str, Any]]:
    """The records of the models kept beside a notebook, the latest first, without files that hold something else."""
    found = [_record(path) for path in _folder(notebook).glob("*.json") if not path.stem.endswith(FORMER)]
    return sorted(filter(None, found), key=lambda record: (record["kept"], record["name"]), reverse=True)


def _folder(notebook: Path) -> Path:
    """Where a notebook at that place keeps its models."""
    ours = (folder for folder in notebook.parents if (folder / NOTES).is_file())
    return next(ours, notebook.parent) / "gallery"


def _record(path: Path) -> dict[str, Any] | None:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if isinstance(record, dict) and all(isinstance(record.get(name), kind) for name, kind in SHOWN.items()):
        return record
    return None
