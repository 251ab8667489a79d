"""Paste every command of the documents, in order, into a clean clone: `python -m benchmarks.documents --clone FOLDER`

What stands in ```bash blocks of README.md, docs/learners.md and docs/instructors.md is run as a reader would, and the
first command that fails ends it. FOLDER must not exist; the clone is made in it. Commands that keep their terminal
(JupyterLab, `--watch`, formgrader) run until they answer, then get Ctrl-C. Students, notebooks and the tables of an LMS
are made up here. `--without 'make test'` leaves commands out, as often as it is given.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("README.md", "docs/learners.md", "docs/instructors.md")
NAME = "counts-to-transformers"
BLOCK = re.compile(r"^( *)```bash\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
ADDRESS = re.compile(r"https?://\S+[?&]token=\S+")  # where a started JupyterLab answers
ACTIVATE = "source .venv/bin/activate"
PATIENCE = 1800  # seconds, for an installation on a slow line
ADA, BEN, CEM = "lovelaceada_17", "bernoulliben_18", "markovcem_19"  # as Canvas names them: a number at the end
STAND_FOR = {"replay ada ": f"replay {ADA} "}  # what a document writes: what a reader would put there


def main() -> None:
    """Run all commands; the exit status is 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clone", type=Path, required=True, help="a folder that does not exist yet")
    parser.add_argument("--without", action="append", default=[], help="leave out commands that contain this")
    asked = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would hand down "ignore"
    folder = asked.clone.resolve()
    folder.mkdir(parents=True)
    subprocess.run(["git", "clone", "--quiet", ROOT, folder / NAME], check=True)
    for document in DOCUMENTS:
        # Each document has a reader of its own, who finds nothing but the installation.
        subprocess.run(["git", "clean", "-ffdxq", "-e", ".venv", "-e", "*.egg-info"], cwd=folder / NAME, check=True)
        text = (folder / NAME / document).read_text(encoding="utf-8")
        reader = Reader(folder, active=ACTIVATE in text)
        print(f"\n{document}", flush=True)
        for block in blocks(text):
            if block[0] == f"cd {NAME}":  # a new terminal, opened where the clone is
                reader.here = folder
            for command in block:
                if not any(left_out in command for left_out in asked.without):
                    reader.do(command)
    print("\nAll commands succeeded.")


def blocks(text: str) -> Iterator[list[str]]:
    """The commands of each ```bash block, without comments; a line that ends with a backslash goes on in the next."""
    for indent, block in BLOCK.findall(text):
        joined = block.replace(f"\\\n{indent}", " ")
        lines = [re.sub(r"(^|\s)#.*", "", line).strip() for line in joined.splitlines()]
        if commands := [line for line in lines if line]:
            yield commands


class Reader:
    """Somebody at a terminal: where they are, and whether `autograder` is on their path."""

    def __init__(self, folder: Path, active: bool) -> None:
        self.folder, self.course, self.here = folder, folder / NAME, folder / NAME
        self.environment = {**os.environ, "BROWSER": "true"}  # `true` opens nothing and succeeds
        for name in ("VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL"):
            self.environment.pop(name, None)
        if active:
            self.environment["PATH"] = f"{self.course / '.venv' / 'bin'}:{os.environ['PATH']}"

    def do(self, command: str) -> None:
        """Run a command after what a reader must have done before; end the program if it fails."""
        for written, meant in STAND_FOR.items():
            command = command.replace(written, meant)
        prepare(self.course, command)
        begun = time.monotonic()
        problem = self.watch(command) if holds_the_terminal(command) else self.run(command)
        print(f"{'FAILED' if problem else 'ok':6} {time.monotonic() - begun:6.0f} s  {command}", flush=True)
        if problem:
            sys.exit(f"In {self.here}:\n{problem}")

    def run(self, command: str) -> str:
        """Run a command to its end, and follow it if it changes the folder; what is wrong, or nothing."""
        place = self.folder / "place"
        line = f"{command}\nstatus=$?; pwd > {shlex.quote(str(place))}; exit $status"
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.here,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.here = Path(place.read_text(encoding="utf-8").strip())
        return done.stdout[-3000:] or "no output" if done.returncode else ""

    def watch(self, command: str) -> str:
        """Start a command that keeps its terminal, wait until it answers, then press Ctrl-C; what is wrong."""
        log = self.folder / "log"
        with log.open("w") as out:
            started = subprocess.Popen(
                ["bash", "-c", command],
                cwd=self.here,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        try:
            deadline = time.monotonic() + PATIENCE
            while not answers(command, log.read_text(encoding="utf-8")):
                if started.poll() is not None:
                    return f"It ended by itself:\n{log.read_text(encoding='utf-8')[-3000:]}"
                if time.monotonic() > deadline:
                    return f"No answer after {PATIENCE} s:\n{log.read_text(encoding='utf-8')[-3000:]}"
                time.sleep(1)
            return ""
        finally:
            stop(started)


def holds_the_terminal(command: str) -> bool:
    opens_formgrader = "autograder review" in command and "--list" not in command
    return "make lab" in command or "--watch" in command or opens_formgrader


def answers(command: str, said: str) -> bool:
    """Whether a command that keeps its terminal has begun: what it serves can be read, or it says that it waits."""
    if "--watch" in command:
        return "Ctrl-C" in said
    found = ADDRESS.search(said)
    if not found:
        return False
    with urllib.request.urlopen(found[0], timeout=60) as page:
        return bool(page.status == 200)


def stop(started: "subprocess.Popen[bytes]") -> None:
    """Press Ctrl-C as a person does who means it: again if it asks."""
    for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(started.pid, number)
            started.wait(10)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            break
    started.wait()


def prepare(course: Path, command: str) -> None:
    """What a reader has done before such a command: students handed in, an LMS gave its tables."""
    solved, untouched = "solutions/01_bigrams/01_bigrams.ipynb", "notebooks/01_bigrams/01_bigrams.ipynb"
    if "autograder grade 01_bigrams" in command:
        hand_in(course, ADA, solved)
        hand_in(course, BEN, untouched)
    if "autograder built" in command:
        subprocess.run([course / ".venv/bin/autograder", "check", "01"], cwd=course, check=True, capture_output=True)
    if "submissions.zip" in command:
        with zipfile.ZipFile(course / "submissions.zip", "w") as archive:
            archive.write(course / solved, f"{CEM}_501_01_bigrams.ipynb")
    if "--roster canvas.csv" in command:
        rows = "".join(f"{name},{name[-2:]},,,S1\n" for name in (ADA, BEN, CEM))
        (course / "canvas.csv").write_text(f"Student,ID,SIS User ID,SIS Login ID,Section\n{rows}")
    if "--roster moodle.csv" in command:
        hand_in(course, ADA, "solutions/02_smoothing/02_smoothing.ipynb")
        subprocess.run([course / ".venv/bin/autograder", "grade", "02"], cwd=course, check=True, capture_output=True)
        rows = "".join(f"{name.replace('_', ',')},,\n" for name in (ADA, BEN, CEM))
        (course / "moodle.csv").write_text(f"First name,Last name,ID number,Email address\n{rows}")


def hand_in(course: Path, student: str, notebook: str) -> None:
    chapter = Path(notebook).stem
    place = course / "submitted" / student / chapter
    place.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(course / notebook, place / f"{chapter}.ipynb")


if __name__ == "__main__":
    main()
