"""What an instructor hands out: notebooks, the wheel that they import, how to install it; nothing else."""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

import autograder
from autograder.authoring.build import build
from autograder.chapter.release import leaks
from autograder.chapter.variants import chapter_as_built
from autograder.course import START, Course, CourseError

PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "MANIFEST.in", "README*", "LICENSE*")
OURS = Path(autograder.__file__).parent  # holds a pyproject.toml too where it is a part of the course's repository
TUTORS = ("AGENTS.md", "CLAUDE.md", "tutor.md")  # what an assistant of the learner's reads, if the course has it
REQUIREMENT = re.compile(r"([\w.-]+)(?:\s*>=\s*(\d+))?")  # of a build: a name, and the first number of its version
INSTALLING = """\
# Colab begins without {package}: there this cell installs it. Where you have followed the kit's README it does nothing.
import importlib.util
import subprocess
import sys

if importlib.util.find_spec({package!r}) is None:
    wheels = {wheels!r}
    print("{package} is missing here: installing it from", *wheels)
    # Without what it needs: Colab has NumPy, torch and the rest, and would be told to restart by other versions.
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *wheels]
    if subprocess.run(pip).returncode:
        print("That failed: put each .whl file named above beside this notebook (in Colab: Files, Upload), run again.")
    importlib.invalidate_caches()
"""

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

In Colab: open a notebook (File, Upload notebook) and run its first cell, which installs `{package}` and says so{colab}.
Colab's own versions of NumPy and torch are used. Save a copy in your Drive. On Binder this folder, put into a
repository, starts as it is: Binder reads `environment.yml`.

Fill the cells that raise `NotImplementedError` and run the checks beneath them. *Tasks*, at the right edge of
JupyterLab, runs the checks of one task or of all and gives hints; *Validate*, a button, lists all checks that fail. To
hand in, save the notebook and upload the file under the name that it has.
"""

ENVIRONMENT = """name: {name}
channels:
  - conda-forge
dependencies:
  - python={python}
  - pip
  - pip:
      - -c constraints.txt
{wheels}
"""


def pack(course: Course, out: Path, chapters: Sequence[str], wheel_at: str | None = None) -> list[Path]:
    """Make the folder `out` and `out`.zip for students of these chapters; returns both.

    A notebook that is opened where the course's package is not installed takes the wheel from `wheel_at`, a URL or a
    path; default: from its own folder. A notebook that imports `autograder` takes our wheel from the same place.
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
    package, *_ = packages_of(course)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / out.name
        folder.mkdir()
        notebooks = [course.release / START, *(course.released(chapter) for chapter in chapters)]
        notebooks = [path for path in notebooks if path.is_file()]
        wheels = [build_wheel(course.root, _visible(course), folder)]
        if (OURS / "pyproject.toml").is_file():  # otherwise it was installed from where students can have it, too
            wheels.append(build_wheel(OURS, [*OURS.iterdir()], folder))
        places = [wheel_at or wheels[0].name, *(_beside(wheel_at, wheel.name) for wheel in wheels[1:])]
        for path in notebooks:
            (folder / path.name).write_text(with_install_cell(path, package, places), encoding="utf-8")
        _write_texts(course, folder, [path.name for path in notebooks], package, wheels, wheel_at)
        if problems := forbidden(course, folder, chapters):
            raise CourseError(f"Not packed: {'; '.join(problems)}.")
        shutil.copytree(folder, out)
        shutil.make_archive(str(out), "zip", made, out.name)
    return [out, archive]


def packages_of(course: Course) -> list[str]:
    """The packages that notebooks import, of those that `harden` makes visible. Raises CourseError if there is none."""
    packages = [folder.name for folder in _visible(course) if (folder / "__init__.py").is_file()]
    if not packages:
        raise CourseError(f"{course.root} has no package to hand out: none of the folders that harden() names is one.")
    return packages


def _visible(course: Course) -> list[Path]:
    """The course's own folders that notebooks import and read."""
    folders = [Path(folder) for folder in course.nbgrader.Judge.get("visible_folders", [])]
    return [folder for folder in folders if folder.is_relative_to(course.root)]


def _beside(place: str | None, name: str) -> str:
    """The file of this name in the folder of `place`, a URL or a path."""
    return "".join(place.rpartition("/")[:2]) + name if place else name


def with_install_cell(path: Path, package: str, wheels: Sequence[str]) -> str:
    """The notebook at `path` as JSON, with a cell after its title that installs wheels where `package` is missing.

    The first wheel is the package's; the others are ours and needed only by a notebook that imports us.
    """
    notebook = nbformat.read(path, as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    wanted = [*wheels] if any(autograder.__name__ in source for source in code) else [*wheels[:1]]
    cell = INSTALLING.format(package=package, wheels=wanted).rstrip()
    notebook.cells.insert(1, new_code_cell(cell, id=f"install-{package}"))
    return str(nbformat.writes(notebook)) + "\n"


def build_wheel(project: Path, folders: Sequence[Path], out: Path) -> Path:
    """The wheel of a project, made of its own files and these folders and files, put into `out`.

    Raises CourseError if it cannot be built.
    """
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    if _builds_here(project / "pyproject.toml"):  # otherwise pip fetches what that needs
        command += ["--no-index", "--no-build-isolation"]
    with tempfile.TemporaryDirectory() as source, tempfile.TemporaryDirectory() as made:
        # A build may leave folders beside what it builds.
        files = [path for pattern in PROJECT_FILES for path in project.glob(pattern)]
        for path in {*files, *folders}:
            if path.is_dir():
                shutil.copytree(path, Path(source) / path.name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(path, Path(source) / path.name)
        result = subprocess.run([*command, "-w", made, source], capture_output=True, text=True)
        if result.returncode:
            lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
            raise CourseError(f"pip could not build the wheel: {lines[-1] if lines else 'no reason given'}")
        (wheel,) = Path(made).glob("*.whl")
        return Path(shutil.copy2(wheel, out / wheel.name))


def forbidden(course: Course, folder: Path, chapters: Sequence[str]) -> list[str]:
    """What in a kit students must not have, as sentences; an empty list proves it clean."""
    problems = []
    for chapter in chapters:
        with tempfile.TemporaryDirectory() as alone:  # another chapter may well show what this one hides
            shutil.copyfile(folder / f"{chapter}.ipynb", Path(alone) / f"{chapter}.ipynb")
            problems += leaks(chapter_as_built(course, chapter), Path(alone))
    allowed = {f"{chapter}.ipynb" for chapter in chapters} | {START, "README.md", "requirements.txt"}
    allowed |= {"constraints.txt", "environment.yml", *TUTORS}
    packages = "|".join([autograder.__name__, *packages_of(course)])
    in_wheel = re.compile(rf"({packages}|[^/]+\.dist-info|[^/]+\.data/data/(share|etc)/jupyter)/")
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                names = wheel.namelist()
            problems += [
                f"{name} in the wheel" for name in names if not in_wheel.match(name) or name.endswith(".ipynb")
            ]
        elif path.is_dir() or path.name not in allowed:
            problems.append(f"{path.name} is no part of a kit")
    return problems


def _builds_here(pyproject: Path) -> bool:
    """Whether everything that builds this project is installed."""
    for entry in tomllib.loads(pyproject.read_text(encoding="utf-8"))["build-system"]["requires"]:
        found = REQUIREMENT.match(entry)
        assert found is not None
        name, oldest = found.groups()
        try:
            if int(metadata.version(name).partition(".")[0]) < int(oldest or 0):
                return False
        except metadata.PackageNotFoundError:
            return False
    return True


def _write_texts(
    course: Course, folder: Path, notebooks: list[str], package: str, wheels: list[Path], wheel_at: str | None
) -> None:
    project = tomllib.loads((course.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, python = project["name"], project["requires-python"].removeprefix(">=")
    requirements = "".join(f"./{wheel.name}\n" for wheel in wheels)
    if (course.root / "constraints.txt").is_file():
        shutil.copyfile(course.root / "constraints.txt", folder / "constraints.txt")
        requirements = f"-c constraints.txt\n{requirements}"
    listed = "\n".join(f"- `{notebook}`" + (": begin here" if notebook == START else "") for notebook in notebooks)
    colab = "" if wheel_at else f" (first upload `{wheels[0].name}` beside it: Files, Upload)"
    readme = README.format(notebooks=listed, python=python, first=notebooks[0], name=name, package=package, colab=colab)
    in_conda = "\n".join(f"      - ./{wheel.name}" for wheel in wheels)
    environment = ENVIRONMENT.format(name=name, python=python, wheels=in_conda)
    texts = {"README.md": readme, "requirements.txt": requirements, "environment.yml": environment}
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    for file in TUTORS:
        if (course.beside_notebooks / file).is_file():
            shutil.copyfile(course.beside_notebooks / file, folder / file)
