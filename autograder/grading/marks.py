"""The marks of a class, read from nbgrader's gradebook."""

import pandas as pd
from nbgrader.api import MissingEntry

from autograder.authoring.cells import is_graded, is_graded_by_hand, name_of, points_of, what_it_checks
from autograder.course import Course, CourseError
from autograder.grading.gradebook import open_gradebook
from autograder.intake.submission import read_reference

COLUMNS = ["student", "task", "aspect", "grade_id", "points", "most_points", "needs_review"]


def marks_of_class(course: Course, chapter: str) -> pd.DataFrame:
    """One row for each student and graded cell, in the order of the chapter; columns as in COLUMNS.

    `points` is what counts: a mark given by hand where there is one, else the automatic one. A question for a person
    to grade is worth nothing, for anybody, until somebody's answer to it has been given points: who does not use these
    questions need not do anything about them. Raises CourseError if nothing is graded.
    """
    tests = [cell for cell in read_reference(course, chapter).cells if is_graded(cell)]
    rows = []
    with open_gradebook(course) as gradebook:
        try:
            submissions = gradebook.find_assignment(chapter).submissions
        except MissingEntry:
            submissions = []
        used = {
            grade.name
            for submission in submissions
            for notebook in submission.notebooks
            for grade in notebook.grades
            if grade.manual_score is not None
        }
        for submission in submissions:
            grades = {grade.name: grade for notebook in submission.notebooks for grade in notebook.grades}
            for cell in tests:
                grade_id = name_of(cell)
                grade = grades.get(grade_id)
                task, aspect = what_it_checks(cell)
                most_points = points_of(cell) if grade_id in used or not is_graded_by_hand(cell) else 0.0
                points, review = (grade.score, grade.needs_manual_grade) if grade else (0.0, True)
                rows.append([submission.student.id, task, aspect, grade_id, points, most_points, review])
    if not rows:
        raise CourseError(f"Nothing is graded yet: run `autograder grade {chapter}`.")
    return pd.DataFrame(rows, columns=COLUMNS).sort_values("student", kind="stable", ignore_index=True)


def totals(marks: pd.DataFrame) -> pd.DataFrame:
    """Points and highest possible points of each student, columns `points` and `most_points`."""
    return marks.groupby("student")[["points", "most_points"]].sum()


def by_task(marks: pd.DataFrame) -> pd.DataFrame:
    """Points of each student (rows) in each task (columns, in the order of the chapter)."""
    table = marks.pivot_table(index="student", columns="task", values="points", aggfunc="sum", sort=False)
    return table.sort_index()
