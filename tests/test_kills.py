"""Whatever dies while a class is graded, no verdict is lost or doubled; `benchmarks/kills.py` does many more rounds."""

import os
from pathlib import Path

import pytest

from autograder.course import Course
from benchmarks import kills

ROUNDS = int(os.environ.get("KILLS", "1"))  # for each kind of process


@pytest.mark.parametrize("kind", [*kills.LOCAL, *kills.CLUSTER])
def test_a_kill_costs_no_verdict(built_course: Course, tmp_path: Path, kind: str) -> None:
    if kind in kills.CLUSTER:
        pytest.importorskip("distributed")
    damage = kills.kill(built_course, tmp_path, [kind] * ROUNDS, seed=len(kind))
    assert damage.total == 0, damage
