"""Where the course keeps its data."""

from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"
