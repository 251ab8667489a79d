"""The one writer of nbgrader's gradebook: does for an outcome what nbgrader's own autograding does at its end."""

import contextlib
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType

from alembic.config import Config as AlembicConfig
from alembic.script import ScriptDirectory
from nbgrader import api
from nbgrader.api import Comment, Grade, Gradebook, MissingEntry, SubmittedAssignment, SubmittedNotebook
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.dbutil import _temp_alembic_ini
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy.exc import SQLAlchemyError

from autograder.course import Course, CourseError, assignment_in, notebook_in
from autograder.disk import write_atomically
from autograder.grading.work import GradedSubmission
from autograder.intake.archives import Person
from autograder.intake.files import copy_file_beside, files_beside, files_of_course


def _newest_schema() -> str:
    """As nbgrader's function of this purpose, which starts a program for it that takes seconds."""
    with _temp_alembic_ini("sqlite://") as settings:
        return str(ScriptDirectory.from_config(AlembicConfig(settings)).get_current_head())


api.get_alembic_version = _newest_schema  # asked for once, when a gradebook is made


def open_gradebook(course: Course) -> Gradebook:
    """The course's gradebook. Raises CourseError if its database cannot be reached."""
    try:
        return Gradebook(course.database, course.course_id)
    except (SQLAlchemyError, ImportError) as error:
        cause = " ".join(str(getattr(error, "orig", error)).split())
        raise CourseError(f"The gradebook cannot be opened: {cause}: look at c.CourseDirectory.db_url.") from error


@contextlib.contextmanager
def gradebook_at_work() -> Iterator[None]:
    """Turn what a database complains about into one line that says what to do."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = " ".join(str(getattr(error, "orig", None) or error).split())[:200]
        raise CourseError(
            f"The gradebook did not answer: {cause}: close other programs that use it, look whether the disk is full, "
            "and run the same command again; what was graded is kept."
        ) from error


def checksums(course: Course, chapter: str) -> dict[str, str]:
    """Of the chapter's cells as students got them, by grade id: this is how nbgrader knows an untouched answer."""
    with open_gradebook(course) as gradebook:
        return {
            cell.name: cell.checksum
            for cell in gradebook.find_notebook(notebook_in(chapter), assignment_in(chapter)).source_cells
        }


def students_in(course: Course, chapter: str) -> set[str]:
    """Students of whom the gradebook holds a submission."""
    with open_gradebook(course) as gradebook:
        try:
            assignment = gradebook.find_assignment(assignment_in(chapter))
        except MissingEntry:
            return set()
        query = gradebook.db.query(SubmittedAssignment.student_id)
        return {student for (student,) in query.filter(SubmittedAssignment.assignment_id == assignment.id)}


def known_students(course: Course) -> list[str]:
    """Everybody whom the gradebook knows, handed in or not."""
    with open_gradebook(course) as gradebook:
        return sorted(student.id for student in gradebook.students)


def graded_chapters(course: Course) -> list[str]:
    """Chapters with a submission in the gradebook. Raises CourseError if there is none."""
    chapters = [chapter for chapter in course.chapters() if students_in(course, chapter)]
    if not chapters:
        raise CourseError("Nothing is graded yet: run `autograder grade CHAPTER`.")
    return chapters


def due_date(course: Course, chapter: str) -> datetime | None:
    """When a chapter is due, in UTC, if nbgrader knows it."""
    with open_gradebook(course) as gradebook:
        try:
            due: datetime | None = gradebook.find_assignment(assignment_in(chapter)).duedate
        except MissingEntry:
            return None
        return due


def remember_students(course: Course, people: dict[str, Person]) -> None:
    """Tell the gradebook what an archive says about students; what it knows already stays."""
    if not people:
        return
    with gradebook_at_work(), open_gradebook(course) as gradebook:
        known = {student.id: student for student in gradebook.students}
        for name, person in people.items():
            said = {"first_name": person.first_name, "last_name": person.last_name, "email": person.email}
            new = {key: text for key, text in said.items() if text and not getattr(known.get(name), key, None)}
            gradebook.update_or_create_student(name, **new)


class GradebookWriter:
    """Brings outcomes of one chapter into the gradebook and the folder of graded notebooks, with one open connection.

    Writing an outcome twice is the same as writing it once. What people gave by hand (marks, extra credit, comments)
    stays.
    """

    def __init__(self, course: Course, chapter: str):
        self.course, self.chapter, self.assignment = course, chapter, assignment_in(chapter)
        directories = CourseDirectory(config=course.nbgrader, assignment_id=self.assignment)
        self.converter = Autograde(coursedir=directories, config=course.nbgrader)
        self.converter.log.propagate = False
        self.penalties = AssignLatePenalties(config=course.nbgrader)
        self.penalties.init_plugin()
        self.ignored = [*directories.ignore, "*.ipynb"]
        self.source = course.source / self.assignment
        kept = {self.source / name for name in self.converter.exclude_overwriting.get(self.assignment, [])}
        self.course_files = [path for path in files_of_course(self.source, self.ignored) if path not in kept]

    def __enter__(self) -> "GradebookWriter":
        self.gradebook = open_gradebook(self.course)
        notebook = self.gradebook.find_notebook(notebook_in(self.chapter), self.assignment)
        self.notebook_id = notebook.id
        self.names = {
            cell.id: cell.name for cell in [*notebook.grade_cells, *notebook.solution_cells, *notebook.task_cells]
        }
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.gradebook.close()

    def write(self, outcome: GradedSubmission) -> list[str]:
        """Store an outcome: marks in one transaction, then the files. Returns what was left out of the latter."""
        try:
            self._write_marks(outcome)
        except BaseException:
            self.gradebook.db.rollback()
            raise
        self.gradebook.db.expunge_all()  # or a large class would stay in memory
        return self._write_files(outcome)

    def _write_marks(self, outcome: GradedSubmission) -> None:
        self.gradebook.update_or_create_student(outcome.student)
        when = {"timestamp": outcome.timestamp} if outcome.timestamp else {}
        submission = self.gradebook.update_or_create_submission(self.assignment, outcome.student, **when)
        notebook = (
            self.gradebook.db.query(SubmittedNotebook)
            .filter_by(assignment_id=submission.id, notebook_id=self.notebook_id)
            .one()
        )
        for grade in self.gradebook.db.query(Grade).filter_by(notebook_id=notebook.id):
            name = self.names[grade.cell_id]
            if name in outcome.scores:
                grade.auto_score = outcome.scores[name]
                # A person who gave a mark by hand should see that the automatic one was determined again.
                grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        for comment in self.gradebook.db.query(Comment).filter_by(notebook_id=notebook.id):
            name = self.names[comment.cell_id]
            if name in outcome.comments:
                comment.auto_comment = outcome.comments[name]
        notebook.late_submission_penalty = self._penalty(outcome, submission, notebook)
        self.gradebook.db.commit()

    def _penalty(
        self, outcome: GradedSubmission, submission: SubmittedAssignment, notebook: SubmittedNotebook
    ) -> float | None:
        """What the configured plugin takes off for being late, between nothing and all of the score."""
        if submission.total_seconds_late <= 0:
            return None
        self.gradebook.db.flush()
        self.gradebook.db.refresh(notebook, ["score"])
        penalty = self.penalties.plugin_inst.late_submission_penalty(
            outcome.student, notebook.score, submission.total_seconds_late
        )
        return None if penalty is None else max(0.0, min(penalty, notebook.score))

    def _write_files(self, outcome: GradedSubmission) -> list[str]:
        """The graded notebook and what nbgrader puts beside it: the student's files, overwritten by the course's."""
        graded = self.course.graded(outcome.student, self.chapter)
        folder = graded.parent
        _clear(folder, {self.course.graded(outcome.student, part) for part in self.course.parts(self.assignment)})
        beside = files_beside(self.course, self.course.submission(outcome.student, self.chapter).parent, self.ignored)
        left = list(beside.left)
        for name in beside.names:
            problem = copy_file_beside(beside.folder / name, folder / name)
            left += [problem] if problem else []
        for path in self.course_files:
            target = folder / path.relative_to(self.source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        write_atomically(graded, outcome.notebook.encode())
        self.converter.set_permissions(self.assignment, outcome.student)
        return [f"Beside the notebook: {problem}." for problem in left]


def _clear(folder: Path, kept: set[Path]) -> None:
    """Remove all that lies in a folder but these files."""
    for path in folder.iterdir() if folder.is_dir() else []:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path not in kept:
            path.unlink()
