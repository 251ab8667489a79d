"""What lies beside the notebooks of an adopted course: modules and data that students' code and tests find there.

Notebooks are none of it, for they hold the answers. A copy is kept in the course's state, named after what it holds, so
that nothing else of the course has to be seen in a sandbox.
"""

import hashlib
import json
import shutil
from pathlib import Path

from nbgrader import utils

from autograder.course import Course, assignment_in

FILES = "files"  # folder in a course's state
SECRETS = {"nbgrader_config.py", "gradebook.db"}


def files_for(course: Course, chapter: str) -> dict[Path, Path]:
    """The files by their place below the folder where cells run; those of the source go before those of the release."""
    found: dict[Path, Path] = {}
    if course.has_text(chapter):
        return found
    for folder in (course.release / assignment_in(chapter), course.source / assignment_in(chapter)):
        for path in map(Path, utils.find_all_files(str(folder), [*course.ignored, "*.ipynb"])):
            if path.is_file() and not path.is_symlink() and path.name not in SECRETS:
                found[path.relative_to(folder)] = path
    return dict(sorted(found.items()))


def digest_of_files(course: Course, chapter: str) -> str:
    """Changes when one of the files does, as far as size and time tell."""
    files = files_for(course, chapter).items()
    facts = [[str(place), path.stat().st_size, path.stat().st_mtime_ns] for place, path in files]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]


def folder_for(course: Course, chapter: str) -> str:
    """The copy of these files, made if there is none yet; empty if there are none."""
    files = files_for(course, chapter)
    if not files:
        return ""
    folder = course.state / FILES / assignment_in(chapter)
    kept = folder / digest_of_files(course, chapter)
    if not kept.is_dir():
        shutil.rmtree(folder, ignore_errors=True)  # of earlier versions of the files
        unfinished = folder / "unfinished"
        for place, path in files.items():
            (unfinished / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, unfinished / place)
        unfinished.rename(kept)
    return str(kept)
