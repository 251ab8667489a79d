"""Self-contained HTML pages from the templates beside this file; every value put into one is escaped."""

import base64
import hashlib
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from autograder.disk import write_atomically

_ENVIRONMENT = Environment(
    loader=PackageLoader("autograder.pages"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters["number"] = lambda points: f"{points:g}"
# The one script that a page may hold: a page's policy names its hash, so no other runs, whatever a value may hold.
SORT = "\n" + files("autograder.pages").joinpath("templates/sort.js").read_text(encoding="utf-8")
_ENVIRONMENT.globals["sort_code"] = Markup(SORT)
_ENVIRONMENT.globals["sort_hash"] = base64.b64encode(hashlib.sha256(SORT.encode()).digest()).decode()


def render(template: str, **values: Any) -> str:
    """The page made from a template's name and its values."""
    return _ENVIRONMENT.get_template(template).render(**values)


def write_page(path: Path, page: str) -> Path:
    """Write a page, with the folders above it."""
    write_atomically(path, page.encode())
    return path
