"""Where a course keeps its parts: the folder that holds `nbgrader_config.py` and what lies beneath it."""

import copy
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # nbgrader takes long to import, which `autograder --help` need not wait for
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

CONFIGURATION = "nbgrader_config.py"
START = "00_start.ipynb"  # among the releases: the page where a learner begins
TERM, HISTORY = "term.toml", "history.csv"  # what the instructor says of marks; who had which mark when
TITLE = "# title:"  # stands at the top of a chapter's text
STATE = ".autograder"  # folder in a course for what grading must remember


class CourseError(Exception):
    """Something the user can mend; its text is one line that says what to do."""


@dataclass(frozen=True)
class Course:
    """One course on disk. `nbgrader` is the configuration that plain nbgrader would load for it."""

    root: Path
    nbgrader: "Config"

    @property
    def source(self) -> Path:
        return self._folder("source_directory")

    @property
    def release(self) -> Path:
        return self._folder("release_directory")

    @property
    def submitted(self) -> Path:
        return self._folder("submitted_directory")

    @property
    def autograded(self) -> Path:
        return self._folder("autograded_directory")

    @property
    def feedback(self) -> Path:
        return self._folder("feedback_directory")

    @property
    def reports(self) -> Path:
        return self.root / "reports"

    def reference(self, chapter: str) -> Path:
        """A chapter's notebook with all answers and tests."""
        return self.source / _place(chapter)

    def released(self, chapter: str) -> Path:
        """A chapter's notebook as students get it."""
        return self.release / _place(chapter)

    def answers(self, chapter: str) -> Path:
        """The bank of right and wrong answers to a chapter's tasks, a file for each."""
        return self.root / "tests" / "answers" / chapter

    @property
    def demo_class(self) -> Path:
        """The list of the class that `autograder demo` makes."""
        return self.root / "tests" / "demo_class.toml"

    @property
    def demo(self) -> Path:
        """The small course that `autograder demo` makes."""
        return self.root / "demo"

    @property
    def entries(self) -> Path:
        """The course's own entries to a challenge."""
        return self.root / "challenge"

    @property
    def term(self) -> Path:
        """Late policy and exceptions, the instructor's own file."""
        return self.root / TERM

    @property
    def history(self) -> Path:
        """The file of all marks that were ever seen."""
        return self.root / HISTORY

    @property
    def beside_notebooks(self) -> Path:
        """What learners get in their workplace beside the notebooks."""
        return self.root / "workplace"

    @property
    def workplace(self) -> Path:
        """Where somebody who learns on this machine keeps notebooks (`autograder start`)."""
        return self.root / "work"

    def learners(self, chapter: str) -> Path:
        """The notebook in which somebody learns: the copy in the workplace if there is one, else the release."""
        mine = self.workplace / f"{chapter}.ipynb"
        return mine if mine.is_file() else self.released(chapter)

    def submission(self, student: str, chapter: str) -> Path:
        """The notebook that a student handed in; other files may lie beside it."""
        return self.submitted / student / _place(chapter)

    def graded(self, student: str, chapter: str) -> Path:
        """The notebook of a student as it was judged."""
        return self.autograded / student / _place(chapter)

    def feedback_page(self, student: str, chapter: str) -> Path:
        """The page that tells a student how it went."""
        return (self.feedback / student / _place(chapter)).with_suffix(".html")

    @property
    def state(self) -> Path:
        return self.root / STATE

    @property
    def database(self) -> str:
        """URL of the gradebook, as SQLAlchemy writes it."""
        text: str = self._directories.db_url
        return text

    def settings(self, **directories: str) -> "Config":
        """A copy of nbgrader's configuration with some settings of CourseDirectory, such as `root`, replaced."""
        from traitlets.config import Config

        config = Config(copy.deepcopy(self.nbgrader))
        config.CourseDirectory.update(directories)
        return config

    @property
    def ignored(self) -> list[str]:
        """Patterns of names of files that nbgrader leaves where they are."""
        return list(self._directories.ignore)

    @property
    def course_id(self) -> str:
        text: str = self._directories.course_id
        return text

    def _folder(self, setting: str) -> Path:
        """The folder that a setting names; nbgrader, which takes long to import, is asked only for its defaults."""
        name: str = self.nbgrader.CourseDirectory.get(setting) or getattr(self._directories, setting)
        return self.root / name

    @property
    def _directories(self) -> "CourseDirectory":
        from nbgrader.coursedir import CourseDirectory

        return CourseDirectory(config=self.nbgrader)

    def chapters(self) -> list[str]:
        """Names of all chapters, in order: folders of the source that hold a text or notebooks."""
        folders = [folder for folder in self.source.glob("*/") if not folder.name.startswith(".")]
        return sorted(folder.name for folder in folders if sections_of(folder) or notebooks_in(folder))

    def has_text(self, chapter: str) -> bool:
        """Whether a chapter is built from a text; of any other its notebooks are the source, as nbgrader has it."""
        folder = self.source / assignment_in(chapter)
        sections = sections_of(folder)
        return bool(sections) and (not notebooks_in(folder) or TITLE in sections[0].read_text(encoding="utf-8")[:500])

    def parts(self, chapter: str) -> list[str]:
        """The notebooks of a chapter: itself, if it has one of its name only, else NAME/NOTEBOOK for each.

        Whatever asks for the notebook of a chapter takes such a name. A part has no parts but itself.
        """
        names = [chapter] if self.has_text(chapter) or "/" in chapter else notebooks_in(self.source / chapter)
        return [chapter] if names in ([chapter], []) else [f"{chapter}/{name}" for name in names]

    def part(self, chapter: str, notebook: str) -> str:
        """What the notebook of that name in a chapter is called, see `parts`."""
        return next((part for part in self.parts(chapter) if notebook_in(part) == notebook), f"{chapter}/{notebook}")

    def chapter_meant(self, text: str) -> str:
        """The chapter that a user means by its name, its number, a file or a folder of it; else the text itself."""
        chapters = self.chapters()
        path = Path(text)
        if path.name != text and path.exists():
            path = path.resolve()  # "." too has a name
        if path.name.isdecimal():
            return next((chapter for chapter in chapters if _number(chapter) == int(path.name)), text)
        parts = path.with_suffix("").parts if path.name else ()
        return next((part for part in reversed(parts) if part in chapters), text)

    def notebooks_meant(self, text: str) -> list[Path]:
        """As `notebook_meant`; all of a chapter of several notebooks."""
        parts = self.parts(self.chapter_meant(text)) if not Path(text).is_file() else []
        found = [path for part in parts if (path := self.learners(part)).is_file()]
        return found if len(parts) > 1 and found else [self.notebook_meant(text)]

    def notebook_meant(self, text: str) -> Path:
        """The notebook that a user means: a path, a folder that holds it, or a chapter. Raises CourseError if none."""
        path = Path(text)
        if path.is_dir():
            path = path / f"{path.resolve().name}.ipynb"
        mine = self.learners(self.chapter_meant(text))
        if not path.is_file() and not path.parent.name and mine.is_file():
            return mine
        if not path.is_file():
            raise CourseError(f"{path} does not exist: name a notebook or a chapter; {self.known_chapters()}.")
        return path

    def learners_notebooks(self) -> list[Path]:
        """The notebooks in which somebody learns, one for each chapter that has one. Raises CourseError if none has."""
        parts = [part for chapter in self.chapters() for part in self.parts(chapter)]
        found = [path for part in parts if (path := self.learners(part)).is_file()]
        if not found:
            raise CourseError(f"{self.release} holds no notebook of a chapter: `autograder build` makes them.")
        return found

    def chapter_source(self, chapter: str) -> Path:
        """The folder of a chapter's text. Raises CourseError, naming the chapters there are, if it does not exist."""
        if chapter not in self.chapters():
            raise self.no_chapter(chapter)
        return self.source / chapter

    def no_chapter(self, chapter: str) -> CourseError:
        """What to say of a name that no chapter has."""
        return CourseError(f"There is no chapter {chapter!r}; {self.known_chapters()}.")

    def known_chapters(self) -> str:
        """The end of a message about a name that no chapter has."""
        return f"chapters: {', '.join(self.chapters()) or 'none yet'}"

    def submitted_students(self, chapter: str) -> list[str]:
        """Names of all students who have a folder for this chapter in the folder of submissions."""
        folders = self.submitted.glob(f"*/{escape(assignment_in(chapter))}")
        return sorted(path.parent.name for path in folders if path.is_symlink() or path.is_dir())


def sections_of(folder: Path) -> list[Path]:
    """The files of a chapter's text in order: those with a number in front, or the one that is called as the folder."""
    return sorted(path for path in folder.glob("*.py") if path.stem == folder.name or path.name[0].isdecimal())


def notebooks_in(folder: Path) -> list[str]:
    """The names of the notebooks of a folder, in order; folders below it do not count, as for nbgrader."""
    return sorted(path.stem for path in folder.glob("*.ipynb") if not path.name.startswith("."))


def assignment_in(chapter: str) -> str:
    """nbgrader's name of the assignment that a chapter, or one notebook of it, is."""
    return chapter.partition("/")[0]


def notebook_in(chapter: str) -> str:
    """nbgrader's name of the notebook of a chapter, see `Course.parts`."""
    return chapter.partition("/")[2] or chapter


def _place(chapter: str) -> Path:
    """Where a notebook lies below a folder of nbgrader's."""
    return Path(assignment_in(chapter), f"{notebook_in(chapter)}.ipynb")


def _number(chapter: str) -> int | None:
    """5 for "05_recurrent"."""
    first = chapter.split("_", 1)[0]
    return int(first) if first.isdecimal() else None


def course_of(config: "Config") -> Course:
    """The course that nbgrader grades under this configuration: its own commands may be told of it elsewhere."""
    from traitlets.config import Config

    root = Path(config.CourseDirectory.get("root") or Path.cwd()).resolve()  # nbgrader works in the root
    settings = Config(copy.deepcopy(config))
    settings.CourseDirectory.root = str(root)
    return Course(root, settings)


def open_course(start: Path | None = None) -> Course:
    """The course that `start` (default: the current folder) lies in. Raises CourseError if it lies in none."""
    from traitlets.config.loader import PyFileConfigLoader

    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / CONFIGURATION).is_file():
            config = PyFileConfigLoader(CONFIGURATION, path=str(folder)).load_config()
            config.CourseDirectory.root = str(folder)
            return Course(folder, config)
    raise CourseError(
        f"{start} is not inside a course: go to the folder that holds {CONFIGURATION}, or name it with --course."
    )
