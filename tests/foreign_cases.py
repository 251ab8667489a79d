"""The cases of tests/foreign: answers and tests as other people's courses write them, and one process to try them in.

A file has cases that begin with `=== NAME`, and in them parts that begin with `--- PART`: `answer`, `test` and `wrong`
(another answer, which the test must fail); perhaps `free` (an ungraded cell above), `earlier` (a test cell before) and
`file NAME` (a file beside the notebook).

Run as a program, this file reads cases as JSON and runs each in a fork of one IPython shell, as a kernel would.
"""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "foreign"


@dataclass(frozen=True)
class ForeignCase:
    """One case: the cells before the test, by part, and the test."""

    name: str
    parts: dict[str, str]
    files: dict[str, str] = field(default_factory=dict)

    def cells(self, answer: str) -> list[str]:
        """The code cells of the notebook with the answer `answer` ("answer" or "wrong"), the test last."""
        return [self.parts[part] for part in ("free", answer, "earlier", "test") if part in self.parts]


def read_cases() -> list[ForeignCase]:
    """All cases, in the order of their files."""
    cases = []
    for path in sorted(FOLDER.glob("*.txt")):
        for text in re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            name, body = text.split("\n", 1)
            found = re.split(r"^--- (.+)\n", body, flags=re.MULTILINE)[1:]
            parts = dict(zip(found[::2], (part.strip() for part in found[1::2]), strict=True))
            files = {part.split()[1]: parts.pop(part) for part in list(parts) if part.startswith("file ")}
            cases.append(ForeignCase(name, parts, files))
    return cases


def in_one_process(cases: list[ForeignCase]) -> dict[str, list[str]]:
    """What the test says in the end with the right answer and with the wrong one, "" if it passes, by name."""
    asked = [[case.name, case.files, case.cells("answer"), case.cells("wrong")] for case in cases]
    done = subprocess.run(
        [sys.executable, __file__], input=json.dumps(asked), capture_output=True, text=True, check=True, timeout=300
    )
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def _forked(shell: Any, files: dict[str, str], cells: list[str]) -> str:
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                sys.path.insert(0, folder)
                for name, text in files.items():
                    Path(name).write_text(text)
                message = ""
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    for cell in cells:
                        result = shell.run_cell(cell)
                error = result.error_before_exec or result.error_in_exec
                message = f"{type(error).__name__}: {error}" if error else ""
            os.write(writing, message.encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as end:
        message = end.read().decode()
    os.wait()
    return message


def _main() -> None:
    import types

    import matplotlib as mpl
    import networkx  # noqa: F401
    import pandas  # noqa: F401
    from IPython.core.interactiveshell import InteractiveShell

    mpl.use("agg")
    main = types.ModuleType("__main__")

    class Shell(InteractiveShell):
        def enable_gui(self, gui: Any = None) -> None: ...

    shell = Shell.instance(user_module=main)
    assert shell.history_manager is not None
    shell.history_manager.enabled = False
    sys.modules["__main__"] = main
    found = {
        name: [_forked(shell, files, cells) for cells in both] for name, files, *both in json.loads(sys.stdin.read())
    }
    print(json.dumps(found))


if __name__ == "__main__":
    _main()
