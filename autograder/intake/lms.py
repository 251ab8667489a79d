"""Learning management systems: how each names what it hands out, and which columns it takes marks in.

What is known of a system is a file in `systems/`; a new one needs no code.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "systems"


@dataclass(frozen=True)
class Roster:
    """The table of students that a system exports, and takes back with marks."""

    keep: Sequence[str]  # columns that an import needs, or that help who looks at it
    student: str  # template of columns: whom a row is about
    ours: str = "(.*)"  # pattern of our name for a student; its group is compared with that
    most_points: Mapping[str, str] | None = None  # column and text of the row that says what could be earned


@dataclass(frozen=True)
class System:
    """One learning management system."""

    name: str
    pattern: re.Pattern[str]  # of an entry in its archive: groups `student` and `file`, perhaps `late` and others
    example: str
    student: str  # template of the pattern's groups
    is_full_name: bool = False
    roster: Roster | None = None


@cache
def systems() -> dict[str, System]:
    """All systems by name."""
    found = {}
    for path in sorted(FOLDER.glob("*.toml")):
        facts = tomllib.loads(path.read_text(encoding="utf-8"))
        archive, roster = facts["archive"], facts.get("roster")
        archive["pattern"] = re.compile(archive["pattern"])
        found[path.stem] = System(path.stem, **archive, roster=Roster(**roster) if roster else None)
    return found
