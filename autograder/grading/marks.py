"""The marks of a class, read from nbgrader's gradebook, and what the term makes of them (`term.toml`)."""

import pandas as pd
from nbgrader.api import MissingEntry, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import func

from autograder.chapter.reference import read_reference
from autograder.course import TERM, Course, CourseError, assignment_in, notebook_in
from autograder.grading.gradebook import open_gradebook
from autograder.grading.term import read_term

COLUMNS = ["student", "task", "aspect", "grade_id", "points", "most_points", "needs_review", "by_hand"]


def marks_of_class(course: Course, chapter: str) -> pd.DataFrame:
    """One row for each student and graded cell, in the order of the chapter; columns as in COLUMNS.

    In a chapter of several notebooks, tasks and cells are called NOTEBOOK/NAME; for one of the notebooks, plainly.

    `points` is what counts: a mark given by hand where there is one, else the automatic one. A question for a person
    to grade is worth nothing, for anybody, until somebody's answer to it has been given points: who does not use these
    questions need not do anything about them. A test that `term.toml` drops is worth nothing for anybody.
    Raises CourseError if nothing is graded.
    """
    parts = course.parts(chapter)
    graded = [
        (notebook_in(part), cell) for part in parts for cell in read_reference(course, part).cells if cell.is_graded
    ]
    dropped = read_term(course).dropped_in(assignment_in(chapter))
    known = {cell.name for _, cell in graded} | {f"{notebook}/{cell.name}" for notebook, cell in graded}
    if (unknown := set(dropped) - known) and "/" not in chapter:
        raise CourseError(f"{TERM}: {chapter} has no test {min(unknown)!r}: take its name from the report's table.")
    rows = []
    with open_gradebook(course) as gradebook:
        try:
            submissions = gradebook.find_assignment(assignment_in(chapter)).submissions
        except MissingEntry:
            submissions = []
        used = {
            (notebook.name, grade.name)
            for submission in submissions
            for notebook in submission.notebooks
            for grade in notebook.grades
            if grade.manual_score is not None
        }
        for submission in submissions:
            grades = {
                (notebook.name, grade.name): grade for notebook in submission.notebooks for grade in notebook.grades
            }
            for notebook, cell in graded:
                grade = grades.get((notebook, cell.name))
                most_points = cell.points if (notebook, cell.name) in used or cell.is_test else 0.0
                points, review = (grade.score, grade.needs_manual_grade) if grade else (0.0, True)
                by_hand = (grade.manual_score if grade else None) or 0.0
                whole = f"{notebook}/" if len(parts) > 1 else ""  # another notebook may have a cell of that name
                if {cell.name, f"{notebook}/{cell.name}"} & dropped.keys():
                    points, most_points, review, by_hand = 0.0, 0.0, False, 0.0
                what = [submission.student.id, f"{whole}{cell.task}", cell.aspect, f"{whole}{cell.name}"]
                rows.append([*what, points, most_points, review, by_hand])
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


def final_marks(course: Course, chapter: str) -> pd.DataFrame:
    """What counts in the end: a row for each student, sorted, members of a group included; columns

    earned (by tests and by hand), late (what being late takes off), extra (beside the tests), points (their sum, at
    least 0), most_points, by_hand (how much of it a person gave), submitter (whose submission it is) and why (what
    `term.toml` says of it). Raises CourseError if nothing is graded or if `term.toml` has a fault.
    """
    term, marks = read_term(course), marks_of_class(course, chapter)
    earned = marks.groupby("student")[["points", "most_points", "by_hand"]].sum()
    with open_gradebook(course) as gradebook:
        due = gradebook.find_assignment(chapter).duedate
        found = {
            student: (when, penalty or 0.0)
            for student, when, penalty in gradebook.db.query(
                SubmittedAssignment.student_id,
                SubmittedAssignment.timestamp,
                func.sum(SubmittedNotebook.late_submission_penalty),
            )
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .filter(SubmittedAssignment.assignment_id == gradebook.find_assignment(chapter).id)
            .group_by(SubmittedAssignment.id)
        }
    members = {one for group in term.groups if group.chapter == chapter for one in group.students}
    rows = []
    for student in sorted({*found, *members}):
        submitter = term.submitter(student, chapter, {*found})
        if submitter not in found:
            continue
        when, late = found[submitter]
        points, most_points, by_hand = map(float, earned.loc[submitter])
        if term.late:  # the rule of `term.toml` takes the place of nbgrader's plugin
            until = term.deadline(student, chapter, due)
            late = term.late.taken_off(points, when - until) if until and when else 0.0
        extra = term.extra_of(student, chapter)
        rows.append(
            {
                "student": student,
                "earned": points,
                "late": float(late),
                "extra": extra,
                "points": max(0.0, points - late + extra),
                "most_points": most_points,
                "by_hand": by_hand,
                "submitter": submitter,
                "why": "; ".join(term.reasons(student, chapter)),
            }
        )
    return pd.DataFrame(rows).set_index("student")


def in_words(mark: pd.Series) -> str:
    """What made a row of `final_marks` other than what the tests and people gave; empty if nothing did."""
    parts = []
    if mark["late"]:
        parts.append(f"{mark['late']:g} taken off for being late")
    if mark["why"]:
        parts.append(str(mark["why"]))
    text = "; ".join(parts)
    return text and f"{text[0].upper()}{text[1:]}."
