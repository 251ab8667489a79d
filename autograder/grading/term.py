"""What a term adds to the marks: `term.toml` in a course, the instructor's own file.

Late policy and deadlines, extensions, tests that turned out broken, extra points, groups; each exception with its
reason. docs/instructors.md shows one. The file is read whenever marks are made, so a changed line changes them.
"""

import math
import tomllib
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from autograder.course import Course, CourseError

TERM = "term.toml"
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Late:
    """What a late submission costs: percent of the points earned for each day begun after the deadline."""

    percent_per_day: float
    most_percent: float = 100
    grace_minutes: float = 0

    def taken_off(self, points: float, lateness: timedelta) -> float:
        """The points that so much lateness costs of those earned."""
        if lateness <= timedelta(minutes=self.grace_minutes):
            return 0.0
        percent = min(math.ceil(lateness / DAY) * self.percent_per_day, self.most_percent)
        return round(points * percent / 100, 2)


@dataclass(frozen=True)
class Extension:
    """A deadline of one student's own."""

    student: str
    chapter: str
    until: datetime
    why: str


@dataclass(frozen=True)
class Dropped:
    """A test that counts for nobody."""

    chapter: str
    test: str
    why: str


@dataclass(frozen=True)
class Extra:
    """Points of one student beside the tests; may be negative."""

    student: str
    chapter: str
    points: float
    why: str


@dataclass(frozen=True)
class Group:
    """Students of whom one hands in a chapter for all; `by` says who, where several handed in."""

    chapter: str
    students: list[str]
    by: str = ""


Line = TypeVar("Line", Extension, Dropped, Extra, Group, Late)


@dataclass(frozen=True)
class Term:
    """All of it; an empty one changes no mark."""

    late: Late | None
    deadlines: dict[str, datetime]
    extensions: Sequence[Extension]
    dropped: Sequence[Dropped]
    extra: Sequence[Extra]
    groups: Sequence[Group]

    def deadline(self, student: str, chapter: str, usual: datetime | None) -> datetime | None:
        """Until when a student may hand in a chapter whose `usual` deadline nbgrader may know."""
        usual = self.deadlines.get(chapter, usual)
        own = [line.until for line in self.extensions if (line.student, line.chapter) == (student, chapter)]
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
            f"extension until {one.until}: {one.why}" for one in self.extensions if (one.student, one.chapter) == mine
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


NOTHING = Term(None, {}, [], [], [], [])


def read_term(course: Course) -> Term:
    """The course's `term.toml`; without one, nothing. Raises CourseError, in one line, for what cannot be meant."""
    path = course.root / TERM
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return NOTHING
    except UnicodeDecodeError:
        raise CourseError(f"{TERM} is no text in UTF-8: save it as such.") from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{TERM} is no TOML: {error}.") from None
    if unknown := set(table) - {field.name for field in fields(Term)}:
        known = ", ".join(field.name for field in fields(Term))
        raise CourseError(f"{TERM}: there is no [{min(unknown)}]; choose among {known}.")
    late = _line(Late, table["late"], "[late]", course) if "late" in table else None
    deadlines = table.get("deadlines", {})
    if not isinstance(deadlines, dict):
        raise CourseError(f"{TERM}: [deadlines] has lines such as 01_bigrams = 2026-11-01T23:59:00+01:00.")
    term = Term(
        late,
        {_chapter(name, "[deadlines]", course): _time(when, "[deadlines]") for name, when in deadlines.items()},
        _lines(Extension, table, "extensions", course),
        _lines(Dropped, table, "dropped", course),
        _lines(Extra, table, "extra", course),
        _lines(Group, table, "groups", course),
    )
    if (term.extensions or term.deadlines) and late is None:
        raise CourseError(f"{TERM}: deadlines and extensions need [late], which says what being late costs.")
    _one_group_each(term)
    return term


def _lines(kind: type[Line], table: dict[str, Any], name: str, course: Course) -> list[Line]:
    lines = table.get(name, [])
    if not isinstance(lines, list):
        raise CourseError(f"{TERM}: write [[{name}]], in double brackets, above each of them.")
    return [_line(kind, line, f"[[{name}]] number {i}", course) for i, line in enumerate(lines, start=1)]


def _line(kind: type[Line], line: Any, where: str, course: Course) -> Line:
    """One table of the file as its dataclass, every value looked at."""
    names = {field.name for field in fields(kind)}
    if not isinstance(line, dict) or (unknown := set(line) - names):
        what = f"there is no {min(unknown)!r}" if isinstance(line, dict) else "that is no table"
        raise CourseError(f"{TERM}, {where}: {what}; it has {', '.join(sorted(names))}.")
    checked = {}
    for name, value in line.items():
        if name == "until":
            value = _time(value, where)
        elif name == "chapter":
            value = _chapter(value, where, course)
        elif name == "students":
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value) or len(value) < 2:
                raise CourseError(f'{TERM}, {where}: students is a list of at least two, such as ["ada", "ben"].')
        elif name in ("student", "why", "test", "by"):
            if not isinstance(value, str) or not value:
                raise CourseError(f"{TERM}, {where}: {name} is a text in quotes.")
        elif isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise CourseError(f"{TERM}, {where}: {name} is a number.")
        elif name != "points" and value < 0:
            raise CourseError(f"{TERM}, {where}: {name} is at least 0.")
        checked[name] = value
    try:
        made = kind(**checked)
    except TypeError:
        missing = [field.name for field in fields(kind) if field.default is MISSING and field.name not in checked]
        raise CourseError(f"{TERM}, {where}: say {' and '.join(missing)}.") from None
    if isinstance(made, Group) and made.by and made.by not in made.students:
        raise CourseError(f"{TERM}, {where}: {made.by!r} is not among the students.")
    return made


def _time(value: Any, where: str) -> datetime:
    """A time as the gradebook keeps them: UTC, without a zone."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise CourseError(f"{TERM}, {where}: write a time with its zone, such as 2026-11-01T23:59:00+01:00.")
    return value.astimezone(UTC).replace(tzinfo=None)


def _chapter(value: Any, where: str, course: Course) -> str:
    name = course.chapter_meant(str(value))
    if name not in course.chapters():
        raise CourseError(f"{TERM}, {where}: there is no chapter {value!r}; {course.known_chapters()}.")
    return name


def _one_group_each(term: Term) -> None:
    seen: set[tuple[str, str]] = set()
    for group in term.groups:
        for student in group.students:
            if (group.chapter, student) in seen:
                raise CourseError(f"{TERM}: {student!r} is twice in the groups of {group.chapter}.")
            seen.add((group.chapter, student))
