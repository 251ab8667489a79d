"""Self-contained HTML pages from the templates beside this file; every value put into one is escaped."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder.disk import write_atomically

_ENVIRONMENT = Environment(
    loader=PackageLoader("autograder.pages"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters["number"] = lambda points: f"{points:g}"


def render(template: str, **values: Any) -> str:
    """The page made from a template's name and its values."""
    return _ENVIRONMENT.get_template(template).render(**values)


def write_page(path: Path, page: str) -> Path:
    """Write a page, with the folders above it."""
    write_atomically(path, page.encode())
    return path
