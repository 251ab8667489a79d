"""The folder in which somebody learns: copies of the released notebooks that no update of the course overwrites."""

import hashlib
import json
from pathlib import Path

from autograder.course import START, Course
from autograder.disk import write_atomically

NOTES = ".releases.json"  # SHA-256 of each file as it was put here


def prepare(course: Course) -> list[str]:
    """Bring the folder of the learner up to date; returns a line on each notebook that was put there.

    What was changed there is never overwritten: the new release is put beside it under a name of its own.
    """
    course.workplace.mkdir(exist_ok=True)
    notes = course.workplace / NOTES
    put: dict[str, str] = json.loads(notes.read_text()) if notes.is_file() else {}
    lines = []
    for release in [course.release / START, *(course.released(chapter) for chapter in course.chapters())]:
        if release.is_file() and (line := _bring(release, course.workplace, put)):
            lines.append(line)
    write_atomically(notes, json.dumps(put, indent=1).encode())
    return lines


def _bring(release: Path, folder: Path, put: dict[str, str]) -> str:
    """Put one release into the folder unless it is there; notes in `put` what was written. A line if something was."""
    content = release.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    own = folder / release.name
    beside = sorted(folder.glob(f"{release.stem}-new*.ipynb"))
    if any(path.is_file() and digest in (put.get(path.name), _digest(path)) for path in (own, *beside)):
        return ""
    target = own
    number = 1
    while target.is_file() and _digest(target) != put.get(target.name):
        target = folder / f"{release.stem}-new{'' if number == 1 else f'-{number}'}.ipynb"
        number += 1
    existed = target.is_file()
    write_atomically(target, content)
    put[target.name] = digest
    if target != own:
        return f"{own.name} holds your work and was left alone: its new release is {target.name}."
    return f"{own.name}: {'a new release' if existed else 'ready'}"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
