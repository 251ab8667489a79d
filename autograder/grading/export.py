"""Marks as other systems take them: one table of a class and several chapters."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from autograder.course import Course, CourseError
from autograder.disk import write_atomically
from autograder.grading.gradebook import open_gradebook
from autograder.grading.marks import final_marks
from autograder.intake.archives import safe_name
from autograder.intake.lms import Roster, systems
from autograder.wording import in_a_cell, printable

PLAIN = "csv"


def export(course: Course, chapters: Sequence[str], target: Path, form: str = PLAIN, roster: Path | None = None) -> int:
    """Write the marks of chapters that are graded, as `final_marks` has them; returns how many students.

    Form "csv" has a row for everybody whom the gradebook knows. Any other is the name of a learning management
    system: `roster` is the table that it exports, and the same rows come back with marks. Who handed in nothing has an
    empty cell. Raises CourseError, with nothing written, if a file is not what it should be or a graded student is
    missing in it.
    """
    marks, most = _marks(course, chapters)
    if form == PLAIN:
        people = _people(course)
        table = people.reindex(sorted({*people.index, *marks.index}), fill_value="").join(marks)
        table["student"] = table.index
    else:
        table = _filled(_roster_of(form), _read(form, roster), marks, most)
    text = table.map(_shown).rename(columns=in_a_cell).to_csv(index=False)
    write_atomically(target, text.encode("utf-8-sig" if form == PLAIN else "utf-8"))
    return len(marks)


def _marks(course: Course, chapters: Sequence[str]) -> tuple[pd.DataFrame, dict[str, float]]:
    """Final points, a row for each student and a column for each chapter; and the most points of each chapter."""
    columns, most = [], {}
    for chapter in chapters:
        marks = final_marks(course, chapter)
        columns.append(marks["points"].rename(chapter))
        most[chapter] = float(marks["most_points"].max())
    return pd.concat(columns, axis=1), most


def _people(course: Course) -> pd.DataFrame:
    """Whom the gradebook knows, by their names there."""
    with open_gradebook(course) as gradebook:
        rows = [
            [one.id, one.first_name or "", one.last_name or "", one.email or ""]
            for one in sorted(gradebook.students, key=lambda one: str(one.id))
        ]
    return pd.DataFrame(rows, columns=["student", "first_name", "last_name", "email"]).set_index("student", drop=False)


def _roster_of(form: str) -> Roster:
    takes = {name: system.roster for name, system in systems().items() if system.roster}
    if form not in takes:
        raise CourseError(f"There is no format {form!r} for marks: choose one of {', '.join([PLAIN, *takes])}.")
    return takes[form]


def _read(form: str, roster: Path | None) -> pd.DataFrame:
    """The table that a system exports, every cell a text."""
    if roster is None:
        raise CourseError(f"--format {form} needs --roster FILE: the table of grades that {form} exports.")
    try:
        return pd.read_csv(roster, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except FileNotFoundError:
        raise CourseError(f"{roster} does not exist: name the table of grades that {form} exports.") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeError):
        raise CourseError(f"{roster} is no CSV in UTF-8: export the grades from {form} again.") from None


def _filled(roster: Roster, table: pd.DataFrame, marks: pd.DataFrame, most: dict[str, float]) -> pd.DataFrame:
    """The roster's rows with a column of marks for each chapter."""
    if missing := [name for name in roster.keep if name not in table]:
        raise CourseError(f"The roster has no column {missing[0]!r}: export the grades again, with all columns.")
    keys = marks.index.to_series().str.extract(f"^(?:{roster.ours})$", expand=False)
    if keys.isna().any():
        raise CourseError(f"{_some(keys.index[keys.isna()])}: this name is not as the system hands it out.")
    rows: list[dict[str, str]] = table.to_dict("records")  # type: ignore[assignment]
    theirs = [safe_name(roster.student.format(**row)) for row in rows]
    for kind, names in (("the gradebook", list(keys)), ("the roster", [name for name in theirs if name in {*keys}])):
        if twice := {name for name in names if names.count(name) > 1}:
            raise CourseError(f"{_some(twice)}: two rows of {kind} have this name: fill in their marks by hand.")
    if strangers := set(keys) - set(theirs):
        raise CourseError(f"{_some(strangers)}: graded, but not in the roster: export it again with everybody in it.")
    result = table[list(roster.keep)].copy()
    heads = marks.set_axis(list(keys))
    for chapter in map(str, marks):
        column = next((name for name in map(str, table) if name == chapter or name.startswith(f"{chapter} (")), chapter)
        result[column] = [heads[chapter].get(name, float("nan")) for name in theirs]
        if roster.most_points:
            says = table[roster.most_points["column"]].str.strip() == roster.most_points["text"]
            result.loc[says, column] = most[chapter]
    return result


def _some(names: object) -> str:
    first, *rest = sorted(map(str, names))  # type: ignore[call-overload]
    return printable(first) + (f" and {len(rest)} more" if rest else "")


def _shown(value: object) -> object:
    """Numbers without needless decimals, nothing for what is not there, and no text that a spreadsheet would run."""
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{round(value, 4):g}"
    return in_a_cell(value)
