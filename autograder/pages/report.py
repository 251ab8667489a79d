"""A report on a class: one self-contained HTML page and one CSV with marks, histogram and the hardest tasks."""

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from markupsafe import Markup

from autograder.course import Course
from autograder.grading.gradebook import known_students
from autograder.grading.items import items_of
from autograder.grading.marks import by_task, final_marks, in_words, marks_of_class
from autograder.pages.html import render, write_page
from autograder.wording import in_a_cell

if TYPE_CHECKING:  # only pages with pictures need matplotlib
    from matplotlib.figure import Figure

COLOUR = "#0072B2"


def write_report(course: Course, chapter: str) -> tuple[Path, Path]:
    """Write `reports/CHAPTER.html` and `.csv` from the gradebook; returns both paths."""
    marks = marks_of_class(course, chapter)
    points, items = final_marks(course, chapter), items_of(course, chapter, marks)
    tasks = by_task(marks).loc[points["submitter"]].set_axis(points.index)  # a group's work is each member's
    remarks = [in_words(mark) for _, mark in points.iterrows()]
    most_by_task = marks.drop_duplicates("grade_id").groupby("task", sort=False)["most_points"].sum()
    page = render(
        "report.html",
        chapter=chapter,
        students=len(points),
        mean=float(points["points"].mean()),
        median=float(points["points"].median()),
        most_points=float(points["most_points"].iloc[0]),
        to_review=int(marks["needs_review"].sum()),
        histogram=picture(_histogram(points)),
        difficulty=picture(_difficulty(tasks, most_by_task)),
        tasks=most_by_task.to_dict(),
        not_handed_in=sorted({*known_students(course)} - {*points.index}),
        table=[
            (student, row, total, remark)
            for (student, row), total, remark in zip(
                tasks.to_dict("index").items(), points["points"], remarks, strict=True
            )
        ],
        items=items,
        odd=[item for item in items if item.is_odd],
        beside=[item.aspect for item in items if item.is_beside],
    )
    table = tasks.assign(**{name: points[name] for name in ("late", "extra")}, total=points["points"])
    table = table.assign(most_points=points["most_points"], remark=remarks)
    table = table.rename(index=in_a_cell, columns=in_a_cell)
    html = write_page(course.reports / f"{chapter}.html", page)
    return html, write_page(course.reports / f"{chapter}.csv", table.map(in_a_cell).to_csv())


def _histogram(points: pd.DataFrame) -> "Figure":
    figure = empty_figure(6, 3)
    axes = figure.subplots()
    axes.hist(
        points["points"],
        bins=10,
        range=(0, points[["points", "most_points"]].max().max()),
        color=COLOUR,
        edgecolor="white",
    )
    axes.set_xlabel("points")
    axes.set_ylabel("students")
    axes.locator_params(axis="y", integer=True)
    return figure


def _difficulty(tasks: pd.DataFrame, most_points: pd.Series) -> "Figure":
    counted = most_points.index[most_points > 0]
    share = (tasks[counted].mean() / most_points[counted]).sort_values(ascending=False)
    figure = empty_figure(6, 0.28 * len(share) + 0.8)
    axes = figure.subplots()
    axes.barh(share.index, 100 * share, color=COLOUR)
    axes.set_xlim(0, 100)
    axes.set_xlabel("mean share of the points, %")
    return figure


def empty_figure(width: float, height: float) -> "Figure":
    """A figure of so many inches that no window shows."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def picture(figure: "Figure") -> Markup:
    """A figure as the address of a picture that a page may hold."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return Markup("data:image/png;base64,") + base64.b64encode(buffer.getvalue()).decode()
