"""Run nbgrader's converters without their log on the screen, keeping what they complain about."""

import logging

from nbgrader.converters import BaseConverter

from autograder.course import CourseError

MAX_CAUSE = 300  # characters: nbgrader may put a whole cell into it


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
    try:
        converter.start()
    except (Exception, SystemExit) as error:
        tracebacks = [message for message in collector.messages if "Traceback" in message]
        cause = (tracebacks or collector.messages or [str(error)])[0].strip().split("\n")[-1]
        raise CourseError(f"nbgrader gave up: {cause[:MAX_CAUSE]}") from error
