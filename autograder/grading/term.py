"""What a term adds to the marks: `term.toml` in a course, the instructor's own file.

Late policy and deadlines, extensions, tests that turned out broken, extra points, groups; each exception with its
reason. docs/instructors.md shows one. The file is read whenever marks are made, so a changed line changes them.
"""

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct, structs

from autograder.course import TERM, Course, CourseError

DAY = timedelta(days=1)
HUGE = 1e9  # no number of the file is as large, which leaves out infinity and what is no number


class ChapterName(str):
    """The whole name of a chapter of the course."""


Text = Annotated[str, Meta(min_length=1)]
Time = Annotated[datetime, Meta(tz=True)]
Amount = Annotated[float, Meta(ge=0, le=HUGE)]


class Late(Struct, frozen=True, forbid_unknown_fields=True):
    """What a late submission costs: percent of the points earned for each day begun after the deadline."""

    percent_per_day: Amount
    most_percent: Amount = 100
    grace_minutes: Amount = 0

    def taken_off(self, points: float, lateness: timedelta) -> float:
        """The points that so much lateness costs of those earned."""
        if lateness <= timedelta(minutes=self.grace_minutes):
            return 0.0
        percent = min(math.ceil(lateness / DAY) * self.percent_per_day, self.most_percent)
        return round(points * percent / 100, 2)


class Extension(Struct, frozen=True, forbid_unknown_fields=True):
    """A deadline of one student's own."""

    student: Text
    chapter: ChapterName
    until: Time
    why: Text


class Dropped(Struct, frozen=True, forbid_unknown_fields=True):
    """A test that counts for nobody."""

    chapter: ChapterName
    test: Text
    why: Text


class Extra(Struct, frozen=True, forbid_unknown_fields=True):
    """Points of one student beside the tests; may be negative."""

    student: Text
    chapter: ChapterName
    points: Annotated[float, Meta(ge=-HUGE, le=HUGE)]
    why: Text


class Group(Struct, frozen=True, forbid_unknown_fields=True):
    """Students of whom one hands in a chapter for all; `by` says who, where several handed in."""

    chapter: ChapterName
    students: Annotated[list[Text], Meta(min_length=2)]
    by: str = ""

    def __post_init__(self) -> None:
        if self.by and self.by not in self.students:
            raise ValueError(f"{self.by!r} is not among the students")


class Term(Struct, frozen=True, forbid_unknown_fields=True):
    """All of it; an empty one changes no mark."""

    late: Late | None = None
    deadlines: dict[str, Time] = {}  # by chapter
    extensions: list[Extension] = []
    dropped: list[Dropped] = []
    extra: list[Extra] = []
    groups: list[Group] = []

    def deadline(self, student: str, chapter: str, usual: datetime | None) -> datetime | None:
        """Until when a student may hand in a chapter whose `usual` deadline nbgrader may know."""
        if chapter in self.deadlines:
            usual = _as_in_gradebook(self.deadlines[chapter])
        own = [
            _as_in_gradebook(line.until)
            for line in self.extensions
            if (line.student, line.chapter) == (student, chapter)
        ]
        return max([usual, *own]) if usual else None

    def dropped_in(self, chapter: str) -> dict[str, str]:
        """Why tests of a chapter do not count, by grade id."""
        return {line.test: line.why for line in self.dropped if line.chapter == chapter}

    def extra_of(self, student: str, chapter: str) -> float:
        """The points beside the tests."""
        return sum(line.points for line in self.extra if (line.student, line.chapter) == (student, chapter))

    def submitter(self, student: str, chapter: str, handed_in: set[str]) -> str:
        """Whose submission counts for a student. Raises CourseError if that is not clear."""
        for group in self.groups:
            if group.chapter != chapter or student not in group.students:
                continue
            who = [group.by] if group.by else [member for member in group.students if member in handed_in]
            if len(who) > 1:
                raise CourseError(
                    f'{TERM}: {" and ".join(who)} of one group both handed in {chapter}: add by = "..." to that group.'
                )
            if group.by and group.by not in handed_in:
                raise CourseError(f"{TERM}: {group.by!r}, who hands in for a group, has not handed in {chapter}.")
            return who[0] if who else student
        return student

    def reasons(self, student: str, chapter: str) -> list[str]:
        """What the file says of a student's mark, in words."""
        mine = (student, chapter)
        found = [
            f"extension until {_as_in_gradebook(one.until)}: {one.why}"
            for one in self.extensions
            if (one.student, one.chapter) == mine
        ]
        found += [f"{one.points:+g}: {one.why}" for one in self.extra if (one.student, one.chapter) == mine]
        found += [f"{test} does not count: {why}" for test, why in self.dropped_in(chapter).items()]
        return found + [
            f"group of {', '.join(one.students)}"
            for one in self.groups
            if one.chapter == chapter and student in one.students
        ]

    def strangers(self, known: set[str]) -> list[str]:
        """Whom the file names outside of groups, and nobody knows."""
        named = {line.student for line in self.extensions} | {line.student for line in self.extra}
        return sorted(named - known)


# What msgspec says of a value begins like this: what the value is to be.
WISHES = {
    "Expected `str`": "a text in quotes",
    "Expected `float` >= 0.0": "a number that is at least 0",
    "Expected `float`": "a number",
    "Expected `datetime`": "a time with its zone, such as 2026-11-01T23:59:00+01:00",
    "Expected `array`": 'a list of at least two, such as ["ada", "ben"]',
}


def read_term(course: Course) -> Term:
    """The course's `term.toml`; without one, nothing. Raises CourseError, in one line, for what cannot be meant."""
    try:
        text = course.term.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Term()
    except UnicodeDecodeError:
        raise CourseError(f"{TERM} is no text in UTF-8: save it as such.") from None

    def whole_name(kind: type, value: Any) -> ChapterName:
        """What msgspec asks for where it meets a ChapterName."""
        name = course.chapter_meant(str(value))
        if name not in course.chapters():
            raise ValueError(f"there is no chapter {value!r}; {course.known_chapters()}")
        return ChapterName(name)

    try:
        term = msgspec.toml.decode(text, type=Term, dec_hook=whole_name)
        deadlines: dict[str, datetime] = {whole_name(str, name): when for name, when in term.deadlines.items()}
    except msgspec.ValidationError as error:
        raise CourseError(f"{TERM}{_in_words(str(error))}.") from None
    except msgspec.DecodeError as error:
        raise CourseError(f"{TERM} is no TOML: {error}.") from None
    except ValueError as error:
        raise CourseError(f"{TERM}, [deadlines]: {error}.") from None
    if (term.extensions or deadlines) and term.late is None:
        raise CourseError(f"{TERM}: deadlines and extensions need [late], which says what being late costs.")
    _one_group_each(term)
    return structs.replace(term, deadlines=deadlines)


def _in_words(problem: str) -> str:
    """What msgspec objects to, with the place in the file and what to write there."""
    said, _, path = problem.removesuffix("`").partition(" - at `$.")
    table, number, name = re.fullmatch(r"(\w*)(?:\[(\d+|\.{3})\])?(?:\.(\w+))?.*", path).groups()  # type: ignore[union-attr]
    where = f", [[{table}]] number {int(number) + 1}" if (number or "").isdigit() else f", [{table}]" if table else ""
    field = said.split("`")[1] if said.startswith("Object ") else ""
    if said.startswith("Object missing"):
        return f"{where}: say {field}"
    if field:
        kind = get_args(get_type_hints(Term)[table])[0] if table else Term
        known = ", ".join(one.name for one in structs.fields(kind))
        return f"{where}: there is no {field!r}; choose among {known}"
    if said.startswith("Expected `array`") and not name:
        return f": write [[{table}]], in double brackets, above each of them"
    if said.startswith("Expected `object"):
        return f"{where}: that is no table; write its name in brackets, and below it a line for each value"
    wish = next((wish for start, wish in WISHES.items() if said.startswith(start)), "")
    if name and path.endswith("]"):
        name = f"each of {name}"
    return f"{where}: {name or 'each'} is {wish}" if wish else f"{where}: {said}"


def _as_in_gradebook(time: datetime) -> datetime:
    """UTC, without a zone."""
    return time.astimezone(UTC).replace(tzinfo=None)


def _one_group_each(term: Term) -> None:
    seen: set[tuple[str, str]] = set()
    for group in term.groups:
        for student in group.students:
            if (group.chapter, student) in seen:
                raise CourseError(f"{TERM}: {student!r} is twice in the groups of {group.chapter}.")
            seen.add((group.chapter, student))
