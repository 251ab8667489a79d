"""A report on a class across its chapters, and a page for each student: self-contained HTML in `reports/`."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from autograder.course import Course
from autograder.grading.items import items_of
from autograder.grading.marks import by_task, final_marks, in_words, marks_of_class
from autograder.pages.html import render, write_page
from autograder.pages.report import COLOUR, empty_figure, picture
from autograder.wording import count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STUDENTS = "students"


def write_course_report(course: Course, chapters: Sequence[str]) -> list[Path]:
    """Write `reports/course.html` and `reports/students/NAME.html` for graded chapters; returns the paths."""
    final = {chapter: final_marks(course, chapter) for chapter in chapters}
    marks = {chapter: marks_of_class(course, chapter) for chapter in chapters}
    points = pd.DataFrame({chapter: of["points"] for chapter, of in final.items()}).sort_index()
    most = {chapter: float(of["most_points"].max()) for chapter, of in final.items()}
    page = render(
        "course.html",
        who=f"{count(len(points), 'student')} and {count(len(chapters), 'chapter')}",
        shares=picture(_shares(points, most)),
        table=[_row(str(student), row, most) for student, row in points.iterrows()],
        chapters=[_chapter(course, chapter, points, most, marks[chapter]) for chapter in chapters],
    )
    pages = [write_page(course.reports / "course.html", page)]
    for student in map(str, points.index):
        text = _student(course, student, final, marks)
        pages.append(write_page(course.reports / STUDENTS / file_of(student), text))
    return pages


def file_of(student: str) -> str:
    """The name of a student's page: readable, and the same for no two students."""
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", student)
    return f"{plain}.html" if plain == student else f"{plain}-{hashlib.sha256(student.encode()).hexdigest()[:8]}.html"


def _row(student: str, row: pd.Series, most: dict[str, float]) -> dict[str, Any]:
    points = [None if pd.isna(value) else float(value) for value in row]
    return {
        "student": student,
        "file": file_of(student),
        "points": points,
        "total": float(row.sum()),
        "most": sum(most.values()),
    }


def _chapter(
    course: Course, chapter: str, points: pd.DataFrame, most: dict[str, float], marks: pd.DataFrame
) -> dict[str, Any]:
    """What the page says of a chapter; the correlation is nan where fewer than three handed in both."""
    own, rest = points[chapter].dropna(), points.drop(columns=chapter).dropna(how="all").sum(axis=1)
    both = own.index.intersection(rest.index)
    varied = len(both) > 2 and own[both].nunique() > 1 and rest[both].nunique() > 1
    return {
        "name": chapter,
        "students": len(own),
        "mean": float(own.mean()),
        "median": float(own.median()),
        "most": most[chapter],
        "correlation": float(own[both].corr(rest[both])) if varied else float("nan"),
        "odd": [f"{item.task}: {item.aspect}" for item in items_of(course, chapter, marks) if item.is_odd],
    }


def _student(course: Course, student: str, final: dict[str, pd.DataFrame], marks: dict[str, pd.DataFrame]) -> str:
    """The text of one student's page."""
    chapters = []
    for chapter, of_class in final.items():
        if student not in of_class.index:
            continue
        mark, of_tasks = of_class.loc[[student]].iloc[0], by_task(marks[chapter])
        most = marks[chapter].drop_duplicates("grade_id").groupby("task", sort=False)["most_points"].sum()
        tasks = [
            {
                "name": task,
                "points": float(of_tasks[task][mark["submitter"]]),
                "most": float(most[task]),
                "mean": float(of_tasks[task].mean()),
            }
            for task in most.index[most > 0]
        ]
        chapters.append(
            {
                "name": chapter,
                "points": float(mark["points"]),
                "most_points": float(mark["most_points"]),
                "remark": in_words(mark),
                "tasks": tasks,
            }
        )
    return render(
        "student.html",
        student=student,
        total=sum(chapter["points"] for chapter in chapters),
        most=sum(chapter["most_points"] for chapter in chapters),
        chapters=chapters,
        history=_history(course, student),
    )


def _history(course: Course, student: str) -> list[dict[str, str]]:
    path = course.history
    if not path.is_file():
        return []
    lines = pd.read_csv(path, dtype=str, keep_default_na=False)
    rows: list[dict[str, str]] = lines[lines["student"] == student].to_dict("records")  # type: ignore[assignment]
    return rows


def _shares(points: pd.DataFrame, most: dict[str, float]) -> "Figure":
    """A dot for each student and chapter, a line at the median."""
    figure = empty_figure(6.5, 0.5 * len(most) + 0.9)
    axes = figure.subplots()
    for y, (chapter, highest) in enumerate(reversed(most.items())):
        shares = 100 * points[chapter].dropna() / highest
        axes.plot(shares, [y] * len(shares), "o", color=COLOUR, alpha=0.35)
        axes.plot([shares.median()] * 2, [y - 0.3, y + 0.3], color="black")
    axes.set_yticks(range(len(most)), list(reversed(most)))
    axes.set_xlabel("share of the points, % (a dot is a student, a line the median)")
    return figure
