"""Build, grade and report on a course of nbgrader notebooks. Knows no course content."""
