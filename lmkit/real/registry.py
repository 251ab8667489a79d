"""Which corpora can be fetched: `data/registry.toml`, read."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from lmkit.paths import DATA


@dataclass(frozen=True)
class File:
    """One file of a corpus as it is fetched. `bytes` and `sha256` are None where they are not known."""

    name: str
    url: str
    bytes: int | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class Entry:
    """One corpus of the registry."""

    name: str
    about: str
    licence: str
    source: str
    files: tuple[File, ...]
    unit: str = "word"  # what a token is
    part: str = "sentence"  # what the lists of tokens hold

    @property
    def bytes(self) -> int | None:
        """Size of all files together; None if one of them is not known."""
        sizes = [file.bytes for file in self.files]
        return None if None in sizes else sum(size for size in sizes if size)


def registry(path: Path = DATA / "registry.toml") -> dict[str, Entry]:
    """The corpora that can be fetched, by name."""
    entries = {}
    for name, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
        files = tuple(
            File(file["name"], file["url"], file.get("bytes"), file.get("sha256") or None) for file in table["files"]
        )
        entries[name] = Entry(
            name, table["about"], table["licence"], table["source"], files, table["unit"], table["part"]
        )
    return entries
