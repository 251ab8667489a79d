"""What somebody built: a page of their models, what these write, and points by chapter; one that can be signed.

A learner makes the page for themselves, and nothing vouches for it. An instructor makes it from the gradebook, and then
it is signed with a key made from the course's secret: whoever has the secret can see whether the page was changed.
"""

import hmac
import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from autograder.course import Course, CourseError
from autograder.grading.gradebook import graded_chapters
from autograder.grading.marks import final_marks
from autograder.learner.gallery import models_in
from autograder.learner.workplace import points_in
from autograder.pages.html import render, write_page
from autograder.wall.seeds import derived, secret_of

SIGNATURE = re.compile(r'(<meta name="signature" content=")([0-9a-f]{64})(">)')
UNSIGNED = "0" * 64  # stands where the signature will


@dataclass(frozen=True)
class Points:
    """What a chapter has earned, of how much."""

    chapter: str
    points: float
    most_points: float

    @property
    def share(self) -> float:
        """The part of the points that was earned, from 0 to 1."""
        return min(1.0, max(0.0, self.points / self.most_points)) if self.most_points else 0.0


def write_built(course: Course, out: Path, name: str, student: str | None, gallery: Path | None) -> str:
    """Write the page to `out` as self-contained HTML; returns a line on each file that could not be shown.

    Without `student` it is the learner's of this folder, and not signed. With it, points are those of the gradebook and
    the page is signed. `gallery` is the folder of the models; default: the one in work/, and for a student none.
    Raises CourseError if there is nothing to show, or if the gradebook does not know the student.
    """
    points = _marks(course, student) if student else _own_points(course)
    folder = gallery or (None if student else course.workplace / "gallery")
    if gallery and not gallery.is_dir():
        raise CourseError(f"{gallery} is no folder: name the one that holds the models.")
    models, left = models_in(folder) if folder else ([], [])
    models.sort(key=lambda model: (math.inf if model.chapter is None else model.chapter, model.kept, model.name))
    if not models and not points:
        raise CourseError(
            "Nothing is there yet: keep a model in the gallery, or run `autograder check`; then try again."
        )
    page = render(
        "built.html",
        name=name,
        course=str(course.nbgrader.CourseDirectory.get("course_id", "")) or course.root.name,
        made=f"{datetime.now(UTC):%Y-%m-%d}",
        models=models,
        chapters=points,
        total=sum(chapter.points for chapter in points),
        most=sum(chapter.most_points for chapter in points),
        signed=bool(student),
        unsigned=UNSIGNED,
    )
    write_page(out, _signed(course, page) if student else page)
    return "\n".join(left)


def is_unchanged(course: Course, path: Path) -> bool:
    """Whether this course signed the page at `path` and it was not changed. Raises CourseError if it is not signed."""
    try:
        page = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} cannot be read: {error}.") from None
    found = SIGNATURE.findall(page)
    if len(found) != 1 or found[0][1] == UNSIGNED:
        raise CourseError(f"{path} is not signed: only a page that an instructor made with --student is.")
    return hmac.compare_digest(found[0][1], _signature(course, SIGNATURE.sub(rf"\g<1>{UNSIGNED}\g<3>", page)))


def _own_points(course: Course) -> list[Points]:
    """What the last checks found in the notebooks of work/."""
    names = {chapter[:2]: chapter for chapter in course.chapters()}
    found = points_in(course.workplace) if course.workplace.is_dir() else {}
    return [Points(names.get(number, number), *earned) for number, earned in sorted(found.items())]


def _marks(course: Course, student: str) -> list[Points]:
    """What the gradebook says of a student, late work and exceptions included."""
    found = []
    for chapter in graded_chapters(course):
        marks = final_marks(course, chapter)
        if student in marks.index:
            mark = marks.loc[[student]].iloc[0]
            found.append(Points(chapter, float(mark["points"]), float(mark["most_points"])))
    if not found:
        raise CourseError(f"The gradebook has no mark of {student!r}: run `autograder grade` first, or mend the name.")
    return found


def _signed(course: Course, page: str) -> str:
    """The page with its signature; a model may have written as many zeros as stand in its place, and keeps them."""
    return SIGNATURE.sub(rf"\g<1>{_signature(course, page)}\g<3>", page)


def _signature(course: Course, page: str) -> str:
    """The signature of a page in which UNSIGNED stands in its place."""
    key = derived(secret_of(course), "page", "built")
    return hmac.digest(key.encode(), page.encode(), "sha256").hex()
