"""A term with a made-up class, by commands alone: do the marks come out as worked out by hand?

    python -m benchmarks.term [--students 40] [--jobs 2]

Three chapters (01 in its variant 2027, 02, 10), released, handed in, graded. Some hand in late, one has an extension,
two are a group, one earns points beside the tests, some hand in last year's answer. A submission is mended and handed
in again, one is graded again by name, a test of chapter 10 turns out too lenient and is mended, one of chapter 02 is
dropped. In between the gradebook is lost and restored. The marks in the export, the reports and the last lines of the
history must be those of `expected`, which knows nothing of the grader but the slips and what each costs.
"""

import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import nbformat
import pandas as pd
import typer

from autograder.authoring.bank import Answer, read_bank
from autograder.chapter.cells import Notebook
from autograder.course import Course, open_course, sections_of

ROOT = Path(__file__).resolve().parent.parent
VARIANT, SECOND, LENIENT = "01_bigrams", "02_smoothing", "10_scoreboard"
CHAPTERS = (VARIANT, SECOND, LENIENT)
MOST = {VARIANT: 30, SECOND: 52, LENIENT: 34}  # points, as docs and README have them
# What a student writes wrong, by the bank's label, and what it costs; "" hands in a right answer.
SLIPS: dict[str, list[tuple[str, str, float]]] = {
    VARIANT: [
        ("", "", 0),
        ("bigram_mle", "0/0 in the empty row", 1),
        ("perplexity", "always base 2, as on the slide", 2),
        ("count_table", "row and column exchanged", 3),
        ("middle_word", "before and after exchanged", 2),
    ],
    SECOND: [
        ("", "", 0),
        ("choose_discount", "2 n1 in the estimate", 1),
        ("good_turing", "a KeyError without singletons", 2),
        ("backing_off", "stupid made to sum to one", 2),
    ],
    LENIENT: [
        ("", "", 0),
        ("calibration", "a confidence of 1 has a bin of its own", 3),
        ("pareto", "sorted by loss", 2),
    ],
}
DUE = datetime(2027, 3, 1, 12, tzinfo=UTC)
LATE_HOURS = {3: 30, 4: 30, 5: 30, 6: 400}  # of chapter 01, by number of the student
EXTENDED, LAST_YEAR, MENDS, ASKS, BESIDE, GROUP = 4, 7, 8, 9, 10, (11, 12)
LAST_YEARS_TASK, LAST_YEARS_COST = "temperature", 2
TERM = f"""
[late]
percent_per_day = 10
most_percent = 50
[deadlines]
{VARIANT} = {DUE.isoformat()}

[[extensions]]
student = "s{EXTENDED:02}"
chapter = "01"
until = {(DUE + timedelta(days=2)).isoformat()}
why = "ill"

[[dropped]]
chapter = "02"
test = "choose_discount--estimate-from-once-and-twice"
why = "the formula was cut off in the printed handout"

[[extra]]
student = "s{BESIDE:02}"
chapter = "10"
points = 2
why = "explained the bootstrap to the class"

[[groups]]
chapter = "02"
students = ["s{GROUP[0]:02}", "s{GROUP[1]:02}"]
"""
app = typer.Typer(add_completion=False)


def slip(number: int, chapter: str) -> tuple[str, str, float]:
    """What student `number` writes wrong in a chapter, and what it costs."""
    slips = SLIPS[chapter]
    return slips[number % len(slips)]


def expected(number: int, chapter: str) -> float:
    """The final points of a student, worked out from the plan above."""
    if chapter == SECOND and number == GROUP[1]:
        number = GROUP[0]
    task, _, cost = slip(number, chapter)
    if chapter == VARIANT and number in (MENDS, LAST_YEAR):
        cost = LAST_YEARS_COST if number == LAST_YEAR else 0
    points = MOST[chapter] - cost
    if chapter == SECOND:  # the dropped test was worth a point; who failed it loses nothing
        points = MOST[chapter] - 1 - (0 if task == "choose_discount" else cost)
    if chapter == VARIANT and number in LATE_HOURS and number != EXTENDED:
        days = -(-LATE_HOURS[number] // 24)
        points -= round(points * min(10 * days, 50) / 100, 2)
    if chapter == LENIENT and number == BESIDE:
        points += 2
    return points


def make_course(folder: Path) -> Course:
    """A course with the three chapters; one test of chapter 10 lacks its hidden part."""
    for chapter in CHAPTERS:
        for part in ("solutions", "tests/answers"):
            shutil.copytree(ROOT / part / chapter, folder / part / chapter)
    settings = f'load_subconfig("nbgrader_config.py", path={str(ROOT)!r})\nget_config().Authoring.rules = False\n'
    (folder / "nbgrader_config.py").write_text(settings)
    test = 'test="calibration" aspect="edges and empty bins"'
    for section in sections_of(folder / "solutions" / LENIENT):
        if test in (text := section.read_text()):
            section.write_text(without_hidden_part(text, test))
    return open_course(folder)


def without_hidden_part(text: str, test: str) -> str:
    """The text of a chapter in which a test has lost what is hidden of it."""
    begin = text.index("### BEGIN HIDDEN TESTS", text.index(test))
    end = text.index("### END HIDDEN TESTS\n", begin) + len("### END HIDDEN TESTS\n")
    return text[:begin] + text[end:]


def hand_in(course: Course, bank: dict[str, list[Answer]], chapter: str, number: int, mended: bool = False) -> None:
    """A submission: right answers of the bank, one of two ways, with the student's slip."""
    release = nbformat.read(course.released(chapter), as_version=4)
    filled = {}
    for task, answers in bank.items():
        right = [answer.source for answer in answers if answer.is_right]
        filled[task] = right[number % len(right)]
    task, label, _ = slip(number, chapter)
    if chapter == VARIANT and number == LAST_YEAR:
        old = next(answer for answer in bank[LAST_YEARS_TASK] if answer.label.startswith("last year's answer"))
        filled[LAST_YEARS_TASK] = old.source
    elif task and not mended:
        filled[task] = next(answer.source for answer in bank[task] if answer.label == label)
    path = course.submission(f"s{number:02}", chapter)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(Notebook.of(release).with_sources(filled).node, path)
    hours = LATE_HOURS.get(number, -1) if chapter == VARIANT else -1
    path.with_name("timestamp.txt").write_text(f"{DUE + timedelta(hours=hours):%Y-%m-%d %H:%M:%S} UTC")


@app.command()
def main(
    students: Annotated[int, typer.Option(min=13, help="How many.")] = 40,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 2,
) -> None:
    """Go through the term and compare."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        course = make_course(folder)

        def autograder(*words: str) -> str:
            command = [sys.executable, "-m", "autograder.cli", *words, "--course", str(folder)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"autograder {' '.join(words)} failed: {done.stderr or done.stdout}")
            print(f"{time.monotonic() - start:6.0f} s  autograder {' '.join(words)}", flush=True)
            return done.stdout

        autograder("build", VARIANT, "--variant", "2027")
        autograder("build", SECOND, LENIENT)
        for chapter in CHAPTERS:
            bank = read_bank(course, chapter)
            for number in range(1, students + 1):
                if chapter != SECOND or number != GROUP[1]:
                    hand_in(course, bank, chapter, number)
            autograder("grade", chapter, "--jobs", str(jobs))
        (folder / "term.toml").write_text(TERM)

        # One hands in again; one asks to be graded again; a test is mended for all.
        hand_in(course, read_bank(course, VARIANT), VARIANT, MENDS, mended=True)
        autograder("grade", VARIANT)
        replayed = autograder("replay", f"s{ASKS:02}", SECOND, "good_turing--mass-of-the-unseen")
        assert "mass" in replayed
        autograder("grade", SECOND, "--student", f"s{ASKS:02}")
        for section in sections_of(ROOT / "solutions" / LENIENT):
            shutil.copy(section, folder / "solutions" / LENIENT)
        autograder("build", LENIENT)
        autograder("grade", LENIENT, "--regrade", "--jobs", str(jobs))

        autograder("backup", str(folder / "kept.tar.gz"))
        (folder / "gradebook.db").unlink()
        autograder("restore", str(folder / "kept.tar.gz"), "--replace")

        for chapter in CHAPTERS:
            autograder("feedback", chapter)
            autograder("report", chapter)
        autograder("export", str(folder / "marks.csv"))
        wrong = compare(course, students)
    print(
        f"{3 * students - len(wrong)} of {3 * students} marks as worked out by hand, {time.monotonic() - start:.0f} s"
    )
    if wrong:
        sys.exit("\n".join(wrong))


def compare(course: Course, students: int) -> list[str]:
    """What is not as expected: a line for each mark that differs in a table, and each thing wrong in the gradebook."""
    export = pd.read_csv(course.root / "marks.csv", index_col="student")
    history = pd.read_csv(course.root / "history.csv").groupby(["student", "chapter"])["points"].last()
    wrong = []
    for chapter in CHAPTERS:
        report = pd.read_csv(course.reports / f"{chapter}.csv", index_col="student")["total"]
        for number in range(1, students + 1):
            who, wanted = f"s{number:02}", expected(number, chapter)
            found = [export.loc[who, chapter], report[who], history[who, chapter]]
            if any(abs(points - wanted) > 0.001 for points in found):
                wrong.append(f"{who}, {chapter}: {wanted:g} expected; export, report, history: {found}")
            elif not course.feedback_page(who, chapter).is_file():
                wrong.append(f"{who}, {chapter}: no feedback page")
    with sqlite3.connect(course.root / "gradebook.db") as database:
        if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            wrong.append("the gradebook's file is damaged")
        (submissions,) = database.execute("SELECT count(*) FROM submitted_assignment").fetchone()
        if submissions != 3 * students - 1:  # one of the group handed in nothing of chapter 02
            wrong.append(f"{submissions} submissions in the gradebook")
    return wrong


if __name__ == "__main__":
    app()
