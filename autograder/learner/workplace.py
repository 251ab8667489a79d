"""The folder in which somebody learns: copies of the released notebooks that no update of the course overwrites."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.course import START, Course
from autograder.disk import write_atomically

if TYPE_CHECKING:  # the start page reads points without loading nbgrader
    from autograder.learner.progress import Progress

POINTS = ".points.json"  # by chapter's number: what was earned at the last check, what can be, and the first by task
NOTES = ".releases.json"  # SHA-256 of each file as it was put here


def prepare(course: Course) -> list[str]:
    """Bring the folder of the learner up to date; returns a line on each notebook that was put there.

    What was changed there is never overwritten: the new release is put beside it under a name of its own. Files of
    the course's folder `workplace/` are put there once, at the same place.
    """
    course.workplace.mkdir(exist_ok=True)
    notes = course.workplace / NOTES
    put: dict[str, str] = json.loads(notes.read_text()) if notes.is_file() else {}
    lines = []
    for release in [course.release / START, *(course.released(chapter) for chapter in course.chapters())]:
        if release.is_file() and (line := _bring(release, course.workplace, put)):
            lines.append(line)
    for file in sorted(course.beside_notebooks.rglob("*")):
        own = course.workplace / file.relative_to(course.beside_notebooks)
        if file.is_file() and not own.exists():
            write_atomically(own, file.read_bytes())
    write_atomically(notes, json.dumps(put, indent=1).encode())
    return lines


def remember(course: Course, found: Sequence["Progress"]) -> None:
    """Keep what the learner's own notebooks earned, for the map on the start page."""
    mine = [progress for progress in found if progress.notebook.parent == course.workplace and not progress.problem]
    if mine:
        kept = _kept_points(course.workplace)
        for progress in mine:
            number = progress.chapter[:2]
            _, _, *earlier = kept.get(number, (0, 0)) if progress.is_of_one_task else (0, 0)
            tasks = {**(earlier[0] if earlier else {}), **progress.points_of_tasks}
            kept[number] = (sum(tasks.values()), progress.most_points, tasks)
        write_atomically(course.workplace / POINTS, json.dumps(kept).encode())


def points_in(folder: Path) -> dict[str, tuple[float, float]]:
    """Points earned and possible by chapter's number, as the last checks found; empty where none was made."""
    return {number: (earned, most) for number, (earned, most, *_) in _kept_points(folder).items()}


def _kept_points(folder: Path) -> dict[str, Any]:
    file = folder / POINTS
    return json.loads(file.read_text()) if file.is_file() else {}


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
