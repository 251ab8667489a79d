"""Run nbgrader's converters without their log on the screen, keeping what they complain about."""

import logging
import os
import sys
from pathlib import Path

from nbgrader.converters import BaseConverter

from autograder.course import CourseError


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def run_quietly(converter: BaseConverter) -> None:
    """Start an nbgrader converter. Raises CourseError with the cause in one line if it gives up."""
    collector = _Collector()
    converter.log = logging.Logger("autograder.nbgrader")
    converter.log.addHandler(collector)
    find_tools_of_this_environment()
    try:
        converter.start()
    except (Exception, SystemExit) as error:
        tracebacks = [message for message in collector.messages if "Traceback" in message]
        cause = (tracebacks or collector.messages or [str(error)])[0].strip().split("\n")[-1]
        raise CourseError(f"nbgrader gave up: {cause}") from error


def find_tools_of_this_environment() -> None:
    """nbgrader calls `alembic` by name, which works only if the environment is active or on the path."""
    folder = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", "").split(os.pathsep)
    if folder not in path:
        os.environ["PATH"] = os.pathsep.join([folder, *path])
