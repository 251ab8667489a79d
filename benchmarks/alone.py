"""From nothing to a graded course in a fresh environment, with a clock: `python -m benchmarks.alone [WHEEL]`.

Makes an environment that sees none of this repository and runs there what autograder/README.md says, on nbgrader's own
quickstart: install, make the course, grade. Two students hand in, one the solutions and one the empty release; their
marks must be all points and none. Needs the network, for pip.
"""

import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = "ps1"  # of the quickstart
app = typer.Typer(add_completion=False)


def timed(words: list[str], folder: Path, path: Path) -> float:
    """Seconds that a command of the environment whose programs are in `path` took. Ends the program if it fails."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    settings["PATH"] = os.pathsep.join([str(path), settings["PATH"]])
    start = time.monotonic()
    command = [str(path / words[0]), *words[1:]]
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - start
    print(f"{seconds:6.1f} s  {' '.join(words)}", flush=True)
    if done.returncode:
        sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
    return seconds


@app.command()
def main(
    source: Annotated[Path, typer.Argument(help="The folder or the wheel to install.")] = ROOT / "autograder",
    python: Annotated[str, typer.Option(help="The Python of the environment.")] = sys.executable,
    cache: Annotated[bool, typer.Option(help="Let pip use what it has downloaded before.")] = True,
) -> None:
    """Install, make nbgrader's quickstart, grade it; print the seconds of each step."""
    with tempfile.TemporaryDirectory() as made:
        folder, course = Path(made), Path(made) / "course"
        subprocess.run([python, "-m", "venv", str(folder / "environment")], check=True)
        programs = folder / "environment" / "bin"
        options = [] if cache else ["--no-cache-dir"]
        seconds = timed(["pip", "install", "--quiet", *options, str(source.resolve())], folder, programs)
        seconds += timed(["nbgrader", "quickstart", "course"], folder, programs)
        timed(["nbgrader", "generate_assignment", ASSIGNMENT], course, programs)  # so that somebody can hand it in
        for student, notebooks in {"ada": "source", "ben": "release"}.items():
            target = course / "submitted" / student / ASSIGNMENT
            target.mkdir(parents=True)
            for notebook in (course / notebooks / ASSIGNMENT).glob("*.ipynb"):
                shutil.copy(notebook, target)
        timed(["autograder", "adopt"], course, programs)
        seconds += timed(["autograder", "grade", ASSIGNMENT], course, programs)
        timed(["autograder", "export", "marks.csv"], course, programs)
        with (course / "marks.csv").open(encoding="utf-8-sig", newline="") as file:
            marks = {row["student"]: float(row[ASSIGNMENT]) for row in csv.DictReader(file)}
        brought = subprocess.run([programs / "pip", "list"], capture_output=True, text=True, check=True).stdout
    print(f"{seconds:6.1f} s  install, quickstart and grade together; marks: {marks}")
    if marks["ben"] != 0 or marks["ada"] <= 0 or "\ntorch " in brought:
        sys.exit("These marks are wrong, or torch came along.")


if __name__ == "__main__":
    app()
