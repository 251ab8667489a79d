"""A JupyterHub on this machine: three students fetch, solve, submit and get their pages back, by its own pages alone.

    python -m benchmarks.hub          # as root: it makes the users ada, ben and cem, and their servers run as them

Needs `pip install jupyterhub` and `npm install -g configurable-http-proxy`. The settings are those in deploy/hub; the
teacher works with the commands of docs/instructors.md.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import requests
import typer

from autograder.authoring.bank import Answer, read_bank
from autograder.chapter.cells import Notebook
from autograder.course import open_course
from autograder.grading.marks import final_marks

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CHAPTER, COURSE = "01_bigrams", "counts-to-transformers"
STUDENTS = {"ada": 67.0, "ben": 65.0, "cem": 0.0}  # ben's perplexity is always in base 2; cem does nothing
SLIP = ("perplexity", "always base 2, as on the slide")
HUB = "http://127.0.0.1:8000"
PASSWORD = "kitchen"
app = typer.Typer(add_completion=False)
start = time.monotonic()


def say(text: str) -> None:
    """A line of the log."""
    print(f"{time.monotonic() - start:5.0f} s  {text}", flush=True)


class Student:
    """Somebody with a browser: signs in, and asks their own server for what the Assignments page asks."""

    def __init__(self, name: str):
        self.name, self.session = name, requests.Session()
        self.session.get(f"{HUB}/hub/login")
        form = {"username": name, "password": PASSWORD, "_xsrf": self.session.cookies.get("_xsrf", path="/hub/")}
        self.session.post(f"{HUB}/hub/login", data=form).raise_for_status()
        self.session.get(f"{HUB}/hub/spawn/{name}")
        self.own = f"{HUB}/user/{name}"
        for _ in range(120):
            answer = self.session.get(f"{self.own}/lab")
            if answer.ok and answer.url.startswith(self.own):
                return
            time.sleep(0.5)
        sys.exit(f"{name}'s server does not start: {answer.status_code} {answer.url}")

    def press(self, button: str) -> None:
        """One of the buttons of the Assignments page: fetch, submit, fetch_feedback."""
        wanted = {"course_id": COURSE, "assignment_id": CHAPTER}
        token = self.session.cookies.get("_xsrf", path=f"/user/{self.name}/")
        found = self.session.post(f"{self.own}/assignments/{button}", data=wanted, headers={"X-XSRFToken": token or ""})
        if not found.ok or not found.json().get("success"):
            sys.exit(f"{self.name}: {button} failed: {found.status_code} {found.text[:500]}")
        say(f"{self.name}: {button}")


@app.command()
def main() -> None:
    """Go through it all and compare the marks."""
    if os.getuid() != 0:
        sys.exit("This makes users, so it needs root; a hub of your own does not.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        exchange, course_folder = folder / "exchange", folder / "course"
        for made, mode in ((exchange, 0o777), (course_folder, 0o700)):
            made.mkdir()
            made.chmod(mode)
        hubs = {
            "HUB_URL": HUB,
            "HUB_USERS": ",".join(STUDENTS),
            "HUB_PASSWORD": PASSWORD,
            "NBGRADER_EXCHANGE": str(exchange),
        }
        for student in STUDENTS:
            subprocess.run(["useradd", "--create-home", student], check=False, capture_output=True)

        for part in ("solutions", "notebooks", "tests/answers"):
            shutil.copytree(ROOT / part / CHAPTER, course_folder / part / CHAPTER)
        settings = f'load_subconfig("nbgrader_config.py", path={str(ROOT)!r})\n'
        settings += f"get_config().Exchange.root = {str(exchange)!r}\n"
        (course_folder / "nbgrader_config.py").write_text(settings)

        def teacher(*command: str) -> None:
            done = subprocess.run(
                [str(BIN / command[0]), *command[1:]], cwd=course_folder, capture_output=True, text=True
            )
            if done.returncode:
                sys.exit(f"{' '.join(command)} failed: {done.stderr}")
            say(f"teacher: {' '.join(command)}")

        with (folder / "hub.log").open("w") as log:
            start: list[str | Path] = [BIN / "jupyterhub", "-f", ROOT / "deploy" / "hub" / "jupyterhub_config.py"]
            hub = subprocess.Popen(start, cwd=folder, env={**os.environ, **hubs}, stdout=log, stderr=log)
        try:
            wait_for_hub(hub, folder / "hub.log")
            teacher("nbgrader", "release_assignment", CHAPTER)
            students = [Student(name) for name in STUDENTS]
            say("three students have signed in, each with a server of their own")
            bank = read_bank(open_course(ROOT), CHAPTER)
            for one in students:
                one.press("fetch")
                solve(one.name, bank)
                one.press("submit")
            teacher("nbgrader", "collect", CHAPTER)
            teacher("autograder", "grade", CHAPTER)
            teacher("autograder", "feedback", CHAPTER)
            teacher("nbgrader", "release_feedback", CHAPTER)
            for one in students:
                one.press("fetch_feedback")
            marks = final_marks(open_course(course_folder), CHAPTER)["points"].to_dict()
            for student, points in STUDENTS.items():
                (page,) = (Path(pwd.getpwnam(student).pw_dir) / CHAPTER / "feedback").rglob("*.html")
                if marks[student] != points or f"{points:g} of 67 points" not in page.read_text():
                    sys.exit(f"{student}: {points} expected, {marks[student]} in the gradebook; page: {page}")
            say(f"marks as expected, in the gradebook and on the pages that came back: {marks}")
        finally:
            hub.terminate()
            hub.wait(30)
            for student in STUDENTS:
                subprocess.run(["pkill", "-u", student], check=False)
                subprocess.run(["userdel", "--remove", student], check=False, capture_output=True)


def wait_for_hub(hub: "subprocess.Popen[bytes]", log: Path) -> None:
    """Return when the hub answers."""
    for _ in range(120):
        if hub.poll() is not None:
            sys.exit(f"The hub ended:\n{log.read_text()[-3000:]}")
        try:
            if requests.get(f"{HUB}/hub/health", timeout=5).ok:
                say("the hub answers")
                return
        except requests.RequestException:
            pass
        time.sleep(0.5)
    sys.exit(f"The hub does not answer:\n{log.read_text()[-3000:]}")


def solve(student: str, bank: dict[str, list[Answer]]) -> None:
    """What the student writes into the fetched notebook, in their own home."""
    if STUDENTS[student] == 0:
        return
    path = Path(pwd.getpwnam(student).pw_dir) / CHAPTER / f"{CHAPTER}.ipynb"
    filled = {task: next(answer.source for answer in answers if answer.is_right) for task, answers in bank.items()}
    if student == "ben":
        filled[SLIP[0]] = next(answer.source for answer in bank[SLIP[0]] if answer.label == SLIP[1])
    release = Notebook.of(nbformat.read(path, as_version=4))
    path.write_text(nbformat.writes(release.with_sources(filled).node))


if __name__ == "__main__":
    app()
