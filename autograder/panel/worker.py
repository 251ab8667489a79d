"""The process that checks notebooks for the panel: `python -m autograder.panel.worker FOLDER`.

It stays, with nbgrader imported and the sandbox's warm parent started, so that an answer comes soon after the click.
One line of JSON in is a question, one line out its answer; it ends with its input. The course is the one that the
server's folder lies in, never one that a notebook happens to lie beside: a course's settings are run.
"""

import contextlib
import json
import logging
import os
import select
import sys
from pathlib import Path
from typing import Any, TextIO

from autograder.course import Course, CourseError, open_course
from autograder.logs import keep_log, text_of
from autograder.panel.second import Second
from autograder.wording import printable

logger = logging.getLogger(__name__)
OUR_BUG = "This is a bug of autograder, not your mistake; its log in .autograder/ says more"


def main() -> None:
    """Answer questions until the input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    try:
        course, problem = course_of_folder(Path(sys.argv[1])), ""
    except CourseError as error:
        course, problem = None, str(error)
    second = Second(Path(sys.argv[1]))
    for line in sys.stdin:
        question = json.loads(line)
        _say(answers, _answer(course, problem, question, second))
        if question["what"] != "reveal" and course is not None:
            _prepare_for(course, Path(question["notebook"]), second)


def course_of_folder(folder: Path) -> Course:
    """The course that the server's folder lies in. Raises CourseError."""
    course = open_course(folder)
    if "exporter_class" not in course.nbgrader.get("Autograde", {}):  # a course that knows nothing of us
        from autograder.wall.nbgrader_setup import harden

        harden(course.nbgrader)
    keep_log(course)
    return course


def _answer(course: Course | None, no_course: str, question: dict[str, str], second: Second) -> dict[str, Any]:
    """The fields of the answer, or `problem` with one line."""
    notebook = Path(question["notebook"])
    try:
        if question["what"] == "ready":
            return {"hidden": course is not None and _ready(course, notebook)}
        if course is None:
            raise CourseError(no_course)
        if question["what"] == "check":
            return _check(course, notebook, question["task"], second)
        return {"answer": _reveal(course, notebook, question["task"])}
    except CourseError as error:
        return {"problem": printable(str(error))}
    except Exception as error:
        logger.error(text_of(error))
        return {"problem": printable(f"{OUR_BUG} ({type(error).__name__}: {' '.join(str(error).split())[:200]}).")}


def _ready(course: Course, notebook: Path) -> bool:
    """Whether the notebook is of a chapter whose tests are here; if so, start the process for its code."""
    from autograder.chapter.reference import read_reference
    from autograder.learner.check import chapter_of
    from autograder.wall import warm

    try:
        reference = read_reference(course, chapter_of(course, notebook))
    except CourseError:
        return False
    warm.start_early(warm.kind_of(reference, course.nbgrader.Judge))
    return True


def _prepare_for(course: Course, notebook: Path, second: Second) -> None:
    """Have what checking this notebook needs imported before the first click, by a second process too."""
    from autograder.chapter.reference import read_reference
    from autograder.learner import progress  # noqa: F401
    from autograder.learner.check import chapter_of
    from autograder.wall import warm

    with contextlib.suppress(Exception):  # whatever it is, the check will say so
        chapter = chapter_of(course, notebook)
        warm.import_here(warm.kind_of(read_reference(course, chapter), course.nbgrader.Judge))
        if not select.select([sys.stdin], [], [], 0)[0]:  # else somebody waits, and needs the core
            second.prepare(chapter)


def _check(course: Course, notebook: Path, task: str, second: Second) -> dict[str, Any]:
    from autograder.learner.progress import progress_of
    from autograder.learner.workplace import remember

    found = progress_of(course, notebook, task, second.run)
    remember(course, [found])
    not_begun = found.checked.not_begun if found.checked else []
    return {"checks": found.as_fields()["checks"], "not_begun": not_begun}


def _reveal(course: Course, notebook: Path, task: str) -> str | None:
    from autograder.learner.check import chapter_of
    from autograder.learner.reveal import reveal

    return reveal(course, chapter_of(course, notebook), task)


def _say(answers: TextIO, fields: dict[str, Any]) -> None:
    answers.write(json.dumps(fields, default=str) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
