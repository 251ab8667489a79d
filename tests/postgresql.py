"""A PostgreSQL server for a test, where one is installed."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """A server of its own in `folder`; yields the URL of a database. Skips the test where none is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL is not installed, and scripts/setup could not: apt-get install postgresql needs root")
    become = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []  # it refuses to run as root
    if become:
        for part in (folder, *folder.parents):
            if part != Path("/") and part.stat().st_uid == 0 and part != Path("/tmp"):
                part.chmod(part.stat().st_mode | 0o011)
        shutil.chown(folder, "postgres")
    control = [*become, str(found[-1].with_name("pg_ctl")), "-D", str(folder / "data")]
    initialise = [*become, str(found[-1]), "-D", str(folder / "data"), "-U", "teacher", "--auth=trust"]
    subprocess.run(initialise, check=True, capture_output=True, cwd="/")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    start = [*control, "-w", "-o", options, "-l", str(folder / "log"), "start"]
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL, cwd="/")
    try:
        yield f"postgresql+psycopg://teacher@/postgres?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, capture_output=True, cwd="/")
