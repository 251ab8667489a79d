"""Generated files beside the list of their SHA-256 sums."""

import hashlib
from collections.abc import Mapping
from pathlib import Path


def write_with_sums(folder: Path, contents: Mapping[str, str]) -> None:
    """Write texts as files, by name, and `SHA256SUMS`, which `sha256sum -c SHA256SUMS` checks."""
    sums = []
    for name, text in contents.items():
        content = text.encode()
        (folder / name).write_bytes(content)
        sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
    (folder / "SHA256SUMS").write_text("".join(sums))
