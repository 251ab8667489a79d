"""Where a course keeps its parts: the folder that holds `nbgrader_config.py` and what lies beneath it."""

import copy
from dataclasses import dataclass
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

CONFIGURATION = "nbgrader_config.py"
STATE = ".autograder"  # folder in a course for what grading must remember


class CourseError(Exception):
    """Something the user can mend; its text is one line that says what to do."""


@dataclass(frozen=True)
class Course:
    """One course on disk. `nbgrader` is the configuration that plain nbgrader would load for it."""

    root: Path
    nbgrader: Config

    @property
    def source(self) -> Path:
        return self.root / self._directories.source_directory

    @property
    def release(self) -> Path:
        return self.root / self._directories.release_directory

    @property
    def submitted(self) -> Path:
        return self.root / self._directories.submitted_directory

    @property
    def autograded(self) -> Path:
        return self.root / self._directories.autograded_directory

    @property
    def feedback(self) -> Path:
        return self.root / self._directories.feedback_directory

    @property
    def reports(self) -> Path:
        return self.root / "reports"

    @property
    def state(self) -> Path:
        return self.root / STATE

    @property
    def database(self) -> str:
        """URL of the gradebook, as SQLAlchemy writes it."""
        return self._directories.db_url

    def settings(self, **directories: str) -> Config:
        """A copy of nbgrader's configuration with some settings of CourseDirectory, such as `root`, replaced."""
        config = Config(copy.deepcopy(self.nbgrader))
        config.CourseDirectory.update(directories)
        return config

    @property
    def course_id(self) -> str:
        return self._directories.course_id

    @property
    def _directories(self) -> CourseDirectory:
        return CourseDirectory(config=self.nbgrader)

    def chapters(self) -> list[str]:
        """Names of all chapters that have a text source, in order."""
        return sorted(path.stem for path in self.source.glob("*/*.py") if path.stem == path.parent.name)

    def chapter_source(self, chapter: str) -> Path:
        """The text source of a chapter. Raises CourseError, naming the chapters there are, if it does not exist."""
        path = self.source / chapter / f"{chapter}.py"
        if not path.is_file():
            known = ", ".join(self.chapters()) or "none yet"
            raise CourseError(f"There is no chapter {chapter!r} ({path} is missing); chapters: {known}.")
        return path

    def submitted_students(self, chapter: str) -> list[str]:
        """Names of all students who have a folder for this chapter in the folder of submissions."""
        return sorted(path.parent.name for path in self.submitted.glob(f"*/{chapter}") if path.is_dir())


def open_course(start: Path | None = None) -> Course:
    """The course that `start` (default: the current folder) lies in. Raises CourseError if it lies in none."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / CONFIGURATION).is_file():
            config = PyFileConfigLoader(CONFIGURATION, path=str(folder)).load_config()
            config.CourseDirectory.root = str(folder)
            return Course(folder, config)
    raise CourseError(
        f"{start} is not inside a course: go to the folder that holds {CONFIGURATION}, or name it with --course."
    )
