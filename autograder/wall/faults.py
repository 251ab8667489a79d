"""What is not the student's fault: it never becomes a verdict."""

from autograder.course import CourseError


class CourseFault(CourseError):
    """Code of the course fails, whatever a student wrote; for the instructor."""


class OurFault(CourseError):
    """Something of ours was interrupted or would not start; in a fresh process it may go well."""
