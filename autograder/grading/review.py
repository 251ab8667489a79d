"""What of a graded chapter a person should look at: answers that wait for points, faults, repairs, unusual likeness."""

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.course import Course
from autograder.grading.gradebook import open_gradebook
from autograder.grading.marks import marks_of_class
from autograder.grading.outbox import Outbox
from autograder.grading.similarity import alike


@dataclass(frozen=True)
class Look:
    """One student of whom something is to be looked at; `page` is formgrader's, as a path on the server."""

    student: str
    reasons: Sequence[str]
    page: str


def to_look_at(course: Course, chapter: str) -> list[Look]:
    """Students with a reason, in order. Raises CourseError if nothing is graded."""
    marks = marks_of_class(course, chapter)
    reasons: dict[str, list[str]] = {}
    for student, rows in marks[marks["needs_review"]].groupby("student"):
        tasks = ", ".join(rows["task"].unique())
        reasons.setdefault(str(student), []).append(f"Waits for points: {tasks}.")
    for part in course.parts(chapter):
        for student, record in Outbox(course, part).records().items():
            if record.remarks:
                reasons.setdefault(student, []).extend(record.remarks)
    for pair in alike(course, chapter):
        for student, other in (pair.names, pair.names[::-1]):
            if pair.unusual:
                reasons.setdefault(student, []).append(f"Wrote unusually like {other}: `autograder alike`.")
    with open_gradebook(course) as gradebook:
        pages = {
            submission.student_id: f"/formgrader/submissions/{notebook.id}"
            for submission in gradebook.find_assignment(chapter).submissions
            for notebook in submission.notebooks
        }
    return [Look(student, found, pages[student]) for student, found in sorted(reasons.items()) if student in pages]
