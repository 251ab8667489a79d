"""Faults of an environment, each with a line that mends it: `autograder doctor`.

`python -m autograder.learner.doctor` does the same where `autograder` does not start: this module imports nothing but
Python's own library until it knows that a package is there, and Python 3.8 can read it.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Callable, NamedTuple  # noqa: UP035 (old Pythons)

import autograder

OLDEST = (3, 11)  # as in pyproject.toml
CONFIGURATION = "nbgrader_config.py"
NAME = re.compile(r"""^name *= *["']([\w.-]+)["']""", re.MULTILINE)  # in pyproject.toml; old Pythons cannot read TOML
REQUIREMENT = re.compile(r"([\w.-]+)[^=]*(?:==([^,; ]+))?")  # its name, and the version if it is exact


class Fault(NamedTuple):
    """What is wrong and the line that mends it. A fault that is not `serious` lets the course go on."""

    what: str
    mend: str
    serious: bool = True


def old_python(version: tuple[int, ...] = sys.version_info[:3]) -> list[Fault]:
    """A Python that is older than the course needs."""
    if version >= OLDEST:
        return []
    found, needed = ".".join(map(str, version)), ".".join(map(str, OLDEST))
    mend = f"install Python {needed} or newer, remove the folder .venv, and run `make lab` again"
    return [Fault(f"This is Python {found}; the course needs {needed} or newer.", mend)]


def packages(folder: Path, version_of: Callable[[str], str] = metadata.version) -> list[Fault]:
    """Packages that are missing, or there in another version than the course in `folder` was tried with."""
    install = f"{shlex.quote(sys.executable)} -m pip install"
    required, absent = [], []
    for name, source in projects(folder).items():
        try:
            required += metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            absent.append(f"-e {shlex.quote(str(source))}")
    if absent:
        return [Fault("The course is not installed in this Python.", f"{install} {' '.join(absent)}")]
    missing, other = [], []
    for entry in dict.fromkeys(entry for entry in required if ";" not in entry):  # others are of extras
        found = REQUIREMENT.match(entry)
        assert found is not None
        name, wanted = found.groups()
        try:
            version = version_of(name)
            if wanted and version.partition("+")[0] != wanted:
                other.append(entry)
        except metadata.PackageNotFoundError:
            missing.append(entry)
    faults = []
    if missing:
        mend = f"{install} {' '.join(map(shlex.quote, missing))}"
        faults.append(Fault(f"Packages are missing: {', '.join(missing)}.", mend))
    if other:
        what = f"Packages have other versions than the course was tried with: {', '.join(other)}."
        faults.append(Fault(what, f"{install} {' '.join(other)}", serious=False))
    return faults


def projects(folder: Path) -> dict[str, Path]:
    """Whose requirements count, each with the folder of its source: ours, and the project of the course in `folder`.

    Outside a course (in a kit that an instructor handed out) it is whatever was installed that asks for ours.
    """
    found = {autograder.DISTRIBUTION: Path(__file__).resolve().parents[1]}
    root = course_folder(folder)
    if root and (root / "pyproject.toml").is_file():
        return {**found, **dict.fromkeys(NAME.findall((root / "pyproject.toml").read_text(encoding="utf-8"))[:1], root)}
    for installed in metadata.distributions():
        asks_for = [REQUIREMENT.match(entry) for entry in installed.requires or []]
        if any(entry is not None and entry[1] == autograder.DISTRIBUTION for entry in asks_for):
            found[installed.metadata["Name"]] = folder
    return found


def course_folder(folder: Path) -> Path | None:
    """The course that `folder` lies in, if it lies in one."""
    return next((above for above in (folder, *folder.parents) if (above / CONFIGURATION).is_file()), None)


def no_bubblewrap() -> list[Fault]:
    """Nothing that keeps a notebook from the rest of the machine while it is checked."""
    try:
        from autograder.wall.sandbox import bubblewrap_works
    except ImportError:
        return []  # `packages` says which one
    if bubblewrap_works():
        return []
    what = "bubblewrap is not installed or may not run here: `autograder check` works in the reduced mode."
    return [Fault(what, "on Debian or Ubuntu: sudo apt-get install bubblewrap", serious=False)]


def wrong_kernel() -> list[Fault]:
    """The kernel that notebooks start, python3, is missing or another Python than this one."""
    try:
        from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    except ImportError:
        return []
    mend = f"{shlex.quote(sys.executable)} -m ipykernel install --sys-prefix --name python3"
    try:
        kernel = KernelSpecManager().get_kernel_spec("python3")
    except NoSuchKernel:
        return [Fault("There is no kernel python3, which the notebooks ask for.", mend)]
    program = kernel.argv[0] if kernel.argv else "nothing"
    # Jupyter puts its own Python in the place of a name without a folder. Links are kept: environments consist of them.
    if os.path.dirname(program) and os.path.abspath(program) != os.path.abspath(sys.executable):  # noqa: PTH100, PTH120
        what = f"The kernel python3 starts {program}, not the Python of the course, {sys.executable}."
        return [Fault(what, f"{mend}; if this line stays, remove {kernel.resource_dir}")]
    return []


def not_writable(folder: Path) -> list[Fault]:
    """A folder in which notebooks could not be saved. A file is made for trial: rights alone do not tell."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return []
    except OSError as problem:
        what = f"Nothing can be saved in {folder}: {problem.strerror}."
        return [Fault(what, f'copy the course to a folder of your own: cp -r "{folder}" ~/course')]


def odd_path(folder: Path) -> list[Fault]:
    """Blanks and letters beyond ASCII in a folder's path, over which other people's tools stumble."""
    text = str(folder)
    odd = sorted({letter for letter in text if letter.isspace() or not letter.isascii()})
    if not odd:
        return []
    listed = ", ".join("a blank" if letter.isspace() else letter for letter in odd)
    what = f"The path {text} holds {listed}: some tools stumble over that."
    return [Fault(what, "if one does, move the course to a path of plain letters, such as ~/course", serious=False)]


def faults_of(folder: Path) -> list[Fault]:
    """All faults of this Python and of the folder that holds the learner's notebooks, the serious ones first.

    Outside a course (in a kit that an instructor handed out) there are no hidden tests to run and no sandbox is needed.
    """
    old = old_python()  # then packages cannot be there, and no line about them would help
    found = [
        *old,
        *(() if old else packages(folder)),
        *wrong_kernel(),
        *not_writable(folder),
        *(no_bubblewrap() if course_folder(folder) else ()),
        *odd_path(folder),
    ]
    return sorted(found, key=lambda fault: not fault.serious)


def lines_about(faults: list[Fault]) -> list[str]:
    """What a reader is told: two lines for each fault, or one that says that there is none."""
    if not faults:
        return ["All is well: Python, packages, kernel, sandbox and folder are as the course needs them."]
    lines = []
    for fault in faults:
        lines += [f"{'FAULT' if fault.serious else 'note'}: {fault.what}", f"    mend it: {fault.mend}"]
    return lines


def main() -> None:
    """Look at this Python and the current folder; ends with 1 if there is a serious fault."""
    faults = faults_of(Path.cwd())
    print("\n".join(lines_about(faults)))
    sys.exit(any(fault.serious for fault in faults))


if __name__ == "__main__":
    main()
