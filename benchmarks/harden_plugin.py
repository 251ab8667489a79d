"""For pytest: puts our line into the configuration of each of nbgrader's own tests (`benchmarks.nbgraders_tests`)."""

from pathlib import Path

import pytest

LINES = """
from autograder.wall.nbgrader_setup import harden
harden(c, visible=[])
"""


@pytest.fixture(autouse=True)
def hardened(request: pytest.FixtureRequest) -> None:
    """Adds to `nbgrader_config.py` what a course that adopts us has there; a test may add its own lines below."""
    if "temp_cwd" in request.fixturenames:
        file = Path(request.getfixturevalue("temp_cwd")) / "nbgrader_config.py"
        file.write_text(file.read_text(encoding="utf-8") + LINES, encoding="utf-8")
