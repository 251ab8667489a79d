"""`lmkit.files.write_whole`: readers see the old file or the new one, whatever happens to the writer."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import pytest
import torch

from lmkit.files import write_whole


def test_bytes_and_what_a_function_writes_arrive_whole(tmp_path: Path) -> None:
    write_whole(tmp_path / "new" / "a.bin", b"\x00\r\n")
    assert (tmp_path / "new" / "a.bin").read_bytes() == b"\x00\r\n"
    write_whole(tmp_path / "b.pt", lambda file: torch.save({"x": torch.arange(3)}, file))
    assert torch.load(tmp_path / "b.pt")["x"].tolist() == [0, 1, 2]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.bin", "b.pt", "new"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_writer_that_fails_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "record.json"
    write_whole(path, b"old")

    def fail(file: BinaryIO) -> None:
        file.write(b"half of the ")
        raise error

    with pytest.raises(error):
        write_whole(path, fail)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_a_killed_writer_leaves_what_was_there_and_the_next_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    write_whole(path, b"old")
    program = f"""
import os, pathlib
from lmkit.files import write_whole
def die(file):
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), 9)
write_whole(pathlib.Path({str(path)!r}), die)
"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    write_whole(path, b"new")
    assert path.read_bytes() == b"new" and list(tmp_path.iterdir()) == [path]


def test_the_bytes_are_on_the_disk_before_the_name_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[object] = []
    monkeypatch.setattr(os, "fsync", lambda number: order.append(os.fstat(number).st_size))
    replace = Path.replace
    monkeypatch.setattr(Path, "replace", lambda one, other: (order.append("renamed"), replace(one, other))[1])
    write_whole(tmp_path / "a", b"12345")
    assert order == [5, "renamed"]
