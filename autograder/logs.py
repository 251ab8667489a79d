"""The log of a course: `.autograder/log` keeps the tracebacks of our own faults, of which users see one line."""

import logging
import os
import sys
import traceback
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler

from autograder.course import Course
from autograder.wording import printable

LOG = "log"  # in the course's state; older parts are called log.1, log.2, ...
MAX_BYTES = 2**20
OLDER_PARTS = 3
MAX_TEXT = 50_000  # characters of one traceback; what matters most is at its end

_logger = logging.getLogger("autograder")
_logger.addHandler(logging.NullHandler())  # or Python prints what nobody has asked for


class _CourseLog(RotatingFileHandler):
    """Writes a course's log. Nothing is made before there is something to write, and nothing fails if it cannot be."""

    def __init__(self, course: Course) -> None:
        self.course, self.failed = course, False
        super().__init__(course.state / LOG, maxBytes=MAX_BYTES, backupCount=OLDER_PARTS, encoding="utf-8", delay=True)
        self.setLevel(logging.ERROR)
        self.setFormatter(logging.Formatter("%(asctime)s %(process)d %(name)s: %(message)s"))

    def _open(self) -> TextIOWrapper:
        self.course.state.mkdir(exist_ok=True)
        # It may quote what students wrote, which is nobody else's business.
        return open(self.baseFilename, "a", encoding="utf-8", opener=_open_privately)

    def handleError(self, record: logging.LogRecord) -> None:
        self.failed = True


class _Screen(logging.Handler):
    """Prints on whatever is the standard error output by then."""

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), file=sys.stderr)


def keep_log(course: Course) -> None:
    """From now on what this process logs goes into the log of this course, and of no other one."""
    before = logged_course()
    if before is None or before.root != course.root:
        for handler in _course_logs():
            _logger.removeHandler(handler)
            handler.close()
        _logger.addHandler(_CourseLog(course))


def logged_course() -> Course | None:
    """The course whose log this process writes."""
    return next((handler.course for handler in _course_logs()), None)


def show_log(wanted: bool) -> None:
    """Whether to print what is logged on the standard error output too, tracebacks of the user's mistakes included."""
    for handler in [handler for handler in _logger.handlers if isinstance(handler, _Screen)]:
        _logger.removeHandler(handler)
    if wanted:
        _logger.addHandler(_Screen())
    _logger.setLevel(logging.DEBUG if wanted else logging.NOTSET)


def is_logged(error: BaseException) -> bool:
    """Keep the traceback of a fault of ours. Returns whether it is in the log now: not without a course."""
    _logger.error(text_of(error))
    return any(not handler.failed for handler in _course_logs())


def text_of(error: BaseException) -> str:
    """The whole traceback, with the errors that it comes from, fit to be printed: it may quote what students wrote."""
    return printable("".join(traceback.format_exception(error)).rstrip()[-MAX_TEXT:])


def _course_logs() -> list[_CourseLog]:
    return [handler for handler in _logger.handlers if isinstance(handler, _CourseLog)]


def _open_privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
