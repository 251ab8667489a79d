"""Files that hold, at any moment, either what they held before or all that they are to hold."""

import contextlib
import errno
import os
import secrets
from pathlib import Path

WRITING = ".writing-"  # how names of unfinished files begin

# What a machine says that is short of something or forbids it: for its user to put right, and no mistake of ours.
REFUSALS = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO),
    *(errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG),
    *(errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE),
}


def write_atomically(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file, with the folders above it. What is written survives a kill and a power cut; `mode` as for open."""
    _make_folder(path.parent)
    temporary = path.parent / f"{WRITING}{secrets.token_hex(8)}"
    number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    """Bring a new name in a folder to the disk, where folders can be opened for that."""
    if os.name == "posix":
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
