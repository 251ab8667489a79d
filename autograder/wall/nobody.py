"""For a grader who is root: student code is to be nobody to the machine, though only root can read our Python.

bubblewrap needs root's rights to find the folders that it shows inside, which may lie below /root; what it starts must
not have them. So it gets a user namespace that knows two users: its own root is this machine's, which sets up the
sandbox and keeps one right, to become the other; that one is the machine's nobody, and no way leads back.
"""

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

INSIDE = 1000  # what student code sees as its user and group
OUTSIDE = 65534  # what they are to the machine: nobody, and a group without members
CLONE_NEWUSER = 0x10000000
BECOME = ["setpriv", f"--reuid={INSIDE}", "--inh-caps=-all", "--bounding-set=-all"]

SETTINGS: dict[str, Any] = {"group": OUTSIDE, "extra_groups": []}  # for the Popen that starts bubblewrap


def options(namespace: int) -> list[str]:
    """What bubblewrap must be told so that it uses `namespace`; the command inside begins with BECOME."""
    rights = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETPCAP"]
    return ["--userns", str(namespace), "--uid", "0", "--gid", str(OUTSIDE), *rights]


@contextmanager
def user_namespace() -> Iterator[int]:
    """A descriptor of such a namespace, for bubblewrap's --userns. Raises OSError where it cannot be had."""
    libc = ctypes.CDLL(None, use_errno=True)
    # A process that waits; a namespace needs one until we hold it.
    waiting = subprocess.Popen(["cat"], stdin=subprocess.PIPE, preexec_fn=lambda: libc.unshare(CLONE_NEWUSER))
    try:
        Path(f"/proc/{waiting.pid}/uid_map").write_text(f"0 0 1\n{INSIDE} {OUTSIDE} 1\n")
        Path(f"/proc/{waiting.pid}/gid_map").write_text(f"{INSIDE} {OUTSIDE} 1\n")
        descriptor = os.open(f"/proc/{waiting.pid}/ns/user", os.O_RDONLY)
    finally:
        waiting.communicate()
    try:
        yield descriptor
    finally:
        os.close(descriptor)
