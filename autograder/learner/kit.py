"""What an instructor hands out: notebooks, the wheel that they import, how to install it; nothing else."""

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

from autograder.authoring.build import build
from autograder.chapter.release import leaks
from autograder.chapter.variants import chapter_as_built
from autograder.course import START, Course, CourseError

WHEEL_SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "LICENSE-text", "autograder", "lmkit", "data")
OLDEST_SETUPTOOLS = 77  # as in pyproject.toml
INSTALL = "install-lmkit"  # id of the cell that a kit adds to each notebook
INSTALLING = """\
# Colab begins without lmkit: there this cell installs it. Where you have followed the kit's README it does nothing.
import importlib.util
import subprocess
import sys

if importlib.util.find_spec("lmkit") is None:
    wheel = {wheel!r}
    print("lmkit is missing here: installing it from", wheel)
    # Without what it needs: Colab has NumPy, torch and the rest, and would be told to restart by other versions.
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", wheel]
    if subprocess.run(pip).returncode:
        print("That failed: put the .whl file of the kit beside this notebook (in Colab: Files, Upload), run again.")
    importlib.invalidate_caches()
"""
IN_WHEEL = re.compile(r"(autograder|lmkit|[^/]+\.dist-info)/")

README = """# Your notebooks

{notebooks}

Python {python} or newer is needed. In a terminal, in this folder:

```bash
python3 -m venv .venv
.venv/bin/pip install -r requirements.txt    # some minutes, once; afterwards no network is needed
.venv/bin/jupyter lab {first}
```

With uv: `uv venv`, `uv pip install -r requirements.txt`, then the last line. With conda: `conda env create -f
environment.yml`, `conda activate {name}`, `jupyter lab {first}`. On Windows write `.venv\\Scripts\\pip` and
`.venv\\Scripts\\jupyter`.

In VS Code: install `requirements.txt` as above, open this folder (File, Open Folder) with Microsoft's extensions Python
and Jupyter, then a notebook; *Select Kernel*, top right, and `.venv` under *Python Environments*. *Validate* is a
button of JupyterLab only: in VS Code press *Restart* and *Run All*, and look for checks that fail.

In Colab: open a notebook (File, Upload notebook) and run its first cell, which installs `lmkit` and says so{colab}.
Colab's own versions of NumPy and torch are used. Save a copy in your Drive. On Binder this folder, put into a
repository, starts as it is: Binder reads `environment.yml`.

Fill the cells that raise `NotImplementedError` and run the checks beneath them. *Validate*, a button in JupyterLab,
lists all checks that fail. To hand in, save the notebook and upload the file under the name that it has.
"""

ENVIRONMENT = """name: {name}
channels:
  - conda-forge
dependencies:
  - python={python}
  - pip
  - pip:
      - -c constraints.txt
      - ./{wheel}
"""


def pack(course: Course, out: Path, chapters: Sequence[str], wheel_at: str | None = None) -> list[Path]:
    """Make the folder `out` and `out`.zip for students of these chapters; returns both.

    A notebook that is opened where lmkit is not installed takes the wheel from `wheel_at`, a URL or a path; default:
    from its own folder.
    Every notebook must be what a build of its text makes. Raises CourseError if one is not, if `out` exists, or if
    something would be handed out that students must not have.
    """
    archive = out.with_name(f"{out.name}.zip")
    for path in (out, archive):
        if path.exists():
            raise CourseError(f"{path} exists: name another folder, or remove it.")
    if not (course.root / "pyproject.toml").is_file():
        raise CourseError(f"{course.root} has no pyproject.toml, so there is no package to hand out.")
    for chapter in chapters:
        build(course, chapter, check=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / out.name
        folder.mkdir()
        notebooks = [course.release / START, *(course.released(chapter) for chapter in chapters)]
        notebooks = [path for path in notebooks if path.is_file()]
        wheel = build_wheel(course.root, folder)
        for path in notebooks:
            (folder / path.name).write_text(with_install_cell(path, wheel_at or wheel.name), encoding="utf-8")
        _write_texts(course, folder, [path.name for path in notebooks], wheel, wheel_at)
        if problems := forbidden(course, folder, chapters):
            raise CourseError(f"Not packed: {'; '.join(problems)}.")
        shutil.copytree(folder, out)
        shutil.make_archive(str(out), "zip", made, out.name)
    return [out, archive]


def with_install_cell(path: Path, wheel: str) -> str:
    """The notebook at `path` as JSON, with a cell after its title that installs `wheel` where lmkit is missing."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(1, new_code_cell(INSTALLING.format(wheel=wheel).rstrip(), id=INSTALL))
    return str(nbformat.writes(notebook)) + "\n"


def build_wheel(root: Path, folder: Path) -> Path:
    """The wheel of the course's packages and data, put into `folder`. Raises CourseError if it cannot be built."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    if _has_setuptools():  # otherwise pip fetches them
        command += ["--no-index", "--no-build-isolation"]
    with tempfile.TemporaryDirectory() as source:  # a build leaves folders beside what it builds
        for name in WHEEL_SOURCES:
            if (root / name).is_dir():
                shutil.copytree(root / name, Path(source) / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif (root / name).is_file():
                shutil.copy2(root / name, Path(source) / name)
        result = subprocess.run([*command, "-w", str(folder), source], capture_output=True, text=True)
    if result.returncode:
        lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
        raise CourseError(f"pip could not build the wheel: {lines[-1] if lines else 'no reason given'}")
    (wheel,) = folder.glob("*.whl")
    return wheel


def forbidden(course: Course, folder: Path, chapters: Sequence[str]) -> list[str]:
    """What in a kit students must not have, as sentences; an empty list proves it clean."""
    problems = []
    for chapter in chapters:
        with tempfile.TemporaryDirectory() as alone:  # another chapter may well show what this one hides
            shutil.copyfile(folder / f"{chapter}.ipynb", Path(alone) / f"{chapter}.ipynb")
            problems += leaks(chapter_as_built(course, chapter), Path(alone))
    allowed = {f"{chapter}.ipynb" for chapter in chapters} | {START, "README.md", "requirements.txt"}
    allowed |= {"constraints.txt", "environment.yml"}
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                names = wheel.namelist()
            problems += [
                f"{name} in the wheel" for name in names if not IN_WHEEL.match(name) or name.endswith(".ipynb")
            ]
        elif path.is_dir() or path.name not in allowed:
            problems.append(f"{path.name} is no part of a kit")
    return problems


def _has_setuptools() -> bool:
    try:
        return int(metadata.version("setuptools").partition(".")[0]) >= OLDEST_SETUPTOOLS
    except metadata.PackageNotFoundError:
        return False


def _write_texts(course: Course, folder: Path, notebooks: list[str], wheel: Path, wheel_at: str | None) -> None:
    project = metadata.metadata("counts-to-transformers")
    name, python = project["Name"], project["Requires-Python"].removeprefix(">=")
    requirements = f"./{wheel.name}\n"
    if (course.root / "constraints.txt").is_file():
        shutil.copyfile(course.root / "constraints.txt", folder / "constraints.txt")
        requirements = f"-c constraints.txt\n{requirements}"
    listed = "\n".join(f"- `{notebook}`" + (": begin here" if notebook == START else "") for notebook in notebooks)
    colab = "" if wheel_at else f" (first upload `{wheel.name}` beside it: Files, Upload)"
    readme = README.format(notebooks=listed, python=python, first=notebooks[0], name=name, colab=colab)
    environment = ENVIRONMENT.format(name=name, python=python, wheel=wheel.name)
    texts = {"README.md": readme, "requirements.txt": requirements, "environment.yml": environment}
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
