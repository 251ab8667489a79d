"""Build, grade and report on a course of nbgrader notebooks. Knows no course content."""

import sys

DISTRIBUTION = "nbgrader-wall"  # as in pyproject.toml

# nbformat checks notebooks with jsonschema, which would spend two seconds on the grammar of web addresses first, if
# that package is there. Notebooks name no format of text that it checks.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
