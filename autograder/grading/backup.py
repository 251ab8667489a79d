"""The marks of a course in one file, and back: gradebook, history, the term's rules, what grading must remember."""

import contextlib
import shutil
import sqlite3
import tarfile
import tempfile
from pathlib import Path

from sqlalchemy.engine import make_url

from autograder.course import HISTORY, STATE, TERM, Course, CourseError
from autograder.grading.locks import GRADING as GRADING_LOCK
from autograder.grading.locks import HISTORY as HISTORY_LOCK
from autograder.grading.locks import only_coordinator, only_historian
from autograder.logs import LOG

GRADEBOOK = "gradebook.db"  # its name in a backup, whatever it is called in the course
PARTS = (HISTORY, TERM, STATE)


def back_up(course: Course, target: Path) -> list[str]:
    """Write a tar.gz of all that marks are made of; returns what is in it. Safe while others read or write marks.

    Raises CourseError if the file exists, if there is no gradebook, or if it is not SQLite.
    """
    database = _database(course)
    if not database.is_file():
        raise CourseError(f"{database} does not exist: nothing is graded yet.")
    if target.exists():
        raise CourseError(f"{target} exists: choose another name, for no backup takes the place of another.")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / GRADEBOOK
        with contextlib.closing(sqlite3.connect(database)) as source, contextlib.closing(sqlite3.connect(copy)) as made:
            source.backup(made)
        parts = [name for name in PARTS if (course.root / name).exists()]
        unfinished = Path(folder) / "backup.tar.gz"
        with tarfile.open(unfinished, "w:gz") as archive:
            archive.add(copy, GRADEBOOK)
            for name in parts:
                archive.add(course.root / name, name, filter=_but_what_stays)
        unfinished.chmod(0o600)  # marks are nobody else's business
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(unfinished, target)
    return [GRADEBOOK, *parts]


def restore(course: Course, source: Path, replace: bool = False) -> list[str]:
    """Put a backup's parts back; returns which. What is there is moved aside to NAME.before-restore, not deleted.

    Raises CourseError, with nothing changed, if the file is no backup, or if there is a gradebook and not `replace`.
    """
    database = _database(course)
    if database.exists() and not replace:
        raise CourseError(f"{database} exists: --replace moves it aside and restores.")
    with only_coordinator(course), only_historian(course):  # what is at work would go on in the folder moved aside
        return _restore(course, database, source)


def _restore(course: Course, database: Path, source: Path) -> list[str]:
    with tempfile.TemporaryDirectory(dir=course.root, prefix=".restore-") as folder:
        try:
            with tarfile.open(source) as archive:
                archive.extractall(folder, filter="data")
        except FileNotFoundError:
            raise CourseError(f"{source} does not exist: name a file that `autograder backup` wrote.") from None
        except (tarfile.TarError, EOFError, OSError) as error:
            raise CourseError(f"{source} is no backup that can be read: {error}.") from None
        found = Path(folder)
        if not _is_gradebook(found / GRADEBOOK):
            raise CourseError(f"{source} holds no gradebook: name a file that `autograder backup` wrote.")
        parts = [name for name in PARTS if (found / name).exists()]
        for name, place in [(GRADEBOOK, database), (HISTORY, course.history), (TERM, course.term)]:
            aside = _aside(place)
            if place.exists():
                _remove(aside)
                place.rename(aside)
            if (found / name).exists():
                shutil.move(found / name, place)
        _restore_state(course, found / STATE)
    return [GRADEBOOK, *parts]


def _restore_state(course: Course, found: Path) -> None:
    """Exchange what is in the folder, and not the folder: the locks that we hold are in it."""
    aside, replaced = _aside(course.state), [path for path in course.state.iterdir() if not _stays(path.name)]
    if replaced:
        _remove(aside)
        aside.mkdir()
        for path in replaced:
            path.rename(aside / path.name)
    if found.is_dir():
        for path in found.iterdir():
            if not _stays(path.name):
                shutil.move(path, course.state / path.name)


def _aside(place: Path) -> Path:
    return place.with_name(f"{place.name}.before-restore")


def _stays(name: str) -> bool:
    """Whether a file in the course's state is this machine's: its locks and its log."""
    return name in (GRADING_LOCK, HISTORY_LOCK, LOG) or name.startswith(f"{LOG}.")


def _database(course: Course) -> Path:
    url = make_url(course.database)
    if url.get_backend_name() != "sqlite" or not url.database:
        raise CourseError(f"The gradebook is in {url.get_backend_name()}: use its own tools, such as pg_dump.")
    return Path(url.database)


def _but_what_stays(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    folder, _, name = entry.name.partition("/")
    return None if folder == STATE and _stays(name) else entry


def _is_gradebook(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with contextlib.closing(sqlite3.connect(path)) as database:
            names = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.DatabaseError:
        return False
    return {"assignment", "student", "grade"} <= names


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
