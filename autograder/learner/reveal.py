"""The course's answer to one task, for a learner who has asked twice."""

import json

from autograder.chapter.reference import read_reference, reference_answers
from autograder.course import Course, CourseError
from autograder.disk import write_atomically

ASKED = ".asked.json"  # in the learner's folder: tasks whose answer was asked for


def reveal(course: Course, chapter: str, task: str) -> str | None:
    """The course's answer; None when it is asked for the first time.

    Raises CourseError if there is no such task, or no reference here: a kit for students holds none.
    """
    if not course.reference(chapter).is_file():
        raise CourseError(f"The answers to {chapter} are not in this folder: ask whoever gave it to you.")
    answers = reference_answers(read_reference(course, chapter))
    if task not in answers:
        raise CourseError(f"{chapter} has no task {task!r}; its tasks: {', '.join(answers)}.")
    file = course.workplace / ASKED
    asked: list[str] = json.loads(file.read_text()) if file.is_file() else []
    name = f"{chapter}/{task}"
    if name in asked:
        return answers[task]
    file.parent.mkdir(exist_ok=True)
    write_atomically(file, json.dumps([*asked, name]).encode())
    return None
