"""Where the course keeps its data: inside the package where a wheel was installed, else at the repository's top."""

from pathlib import Path

_HERE = Path(__file__).resolve().parent
DATA = _HERE / "data" if (_HERE / "data").is_dir() else _HERE.parent / "data"
