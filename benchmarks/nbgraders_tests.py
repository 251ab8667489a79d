"""nbgrader's own tests with our line in the configuration: `python -m benchmarks.nbgraders_tests`.

They are in nbgrader's package. Each runs twice, under plain nbgrader and with `harden`, in this environment. Writes
docs/nbgrader_tests.md, and ends with an error if a test fails of which REASONS does not say why. About half an hour on
two cores.
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import nbgrader
import typer

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "nbgrader_tests.md"
TESTS = Path(nbgrader.__file__).parent / "tests"
FILES = (
    "apps/test_nbgrader_autograde.py",
    "apps/test_nbgrader_generate_feedback.py",
    "apps/test_nbgrader_releasefeedback.py",
    "apps/test_nbgrader_export.py",
    "apps/test_nbgrader_db.py",
    "apps/test_api.py",
)  # api/test_gradebook.py is none of them: it keeps its gradebook in memory and reads no configuration
# Why a test that passes under plain nbgrader does not with our line, by its name.
SEED = "the file of a graded notebook says what its tests drew from, another number for each of two equal notebooks"
OTHER_TESTS = "a notebook with tests that the source does not have is graded by those that it has, and stops nothing"
REASONS: dict[str, str] = {
    "test_grade_empty_timestamp": "a `timestamp.txt` that holds no time counts as none, and stops nothing",
    "test_side_effects": "what cells write is gone with the sandbox, and is not in `autograded/`",
    "test_update_newer_single_notebook": SEED,
    "test_force_single_notebook": SEED,
    "test_handle_failure": OTHER_TESTS,
    "test_handle_failure_single_notebook": OTHER_TESTS,
    "test_missing_source_kernelspec": "a kernel that a submission names and nobody has is not needed: the Python of "
    "the course runs it",
    "test_no_execute": "`--no-execute` takes the outputs that a student has handed in for results; here tests run",
}
app = typer.Typer(add_completion=False)


def outcomes(file: str, hardened: bool, jobs: int) -> dict[str, tuple[str, str]]:
    """By the name of each test: passed, failed or skipped, and the last line of what pytest says of it."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(jobs)]
        command += [
            "--rootdir",
            folder,
            f"--junit-xml={report}",
            *(["-p", "benchmarks.harden_plugin"] if hardened else []),
        ]
        path = os.pathsep.join(
            [str(Path(sys.executable).parent), os.environ["PATH"]]
        )  # nbgrader starts alembic by name
        settings = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
        subprocess.run([*command, str(TESTS / file)], cwd=folder, env=settings, capture_output=True, check=False)
        found = {}
        for case in ET.parse(report).getroot().iter("testcase"):
            kinds = {child.tag: child for child in case}
            problem = kinds.get("failure", kinds.get("error"))
            outcome = "failed" if problem is not None else "skipped" if "skipped" in kinds else "passed"
            text = (problem.get("message") or "") if problem is not None else ""
            found[case.attrib["name"]] = (outcome, text.strip().split("\n")[0])
        return found


def page(rows: dict[str, tuple[Counter[str], Counter[str], list[str]]]) -> str:
    """The document; of each file what became of its tests, plain and with our line, and which fail only with it."""
    lines = [
        "# nbgrader's own tests, with our line in the configuration",
        "",
        "`nbgrader autograde` should go on doing what nbgrader promises when a course adopts us. nbgrader brings its",
        f"tests along, so we ran those of nbgrader {version('nbgrader')} that are about autograding, feedback and the",
        "gradebook, once as they are and once with `harden(c, visible=[])` in each test's `nbgrader_config.py`:",
        "`python -m benchmarks.nbgraders_tests`, which also wrote this page.",
        "",
        "| tests | there are | pass under plain nbgrader | pass with our line |",
        "|---|---:|---:|---:|",
    ]
    for file, (plain, ours, _) in rows.items():
        lines.append(f"| `{file}` | {plain.total()} | {plain['passed']} | {ours['passed']} |")
    lines += ["", "Tests that are skipped (for Windows) count as not passed in both columns.", ""]
    names = [name for _, _, failed in rows.values() for name in failed]
    if not names:
        return "\n".join([*lines, "No test passes under plain nbgrader and fails with our line.", ""])
    lines += ["## Which do not, and why", "", "| test | why |", "|---|---|"]
    lines += [f"| `{name}` | {REASONS.get(name.partition('[')[0], 'not explained yet')} |" for name in names]
    return "\n".join([*lines, ""])


@app.command()
def main(
    files: Annotated[
        list[str] | None, typer.Argument(help="Only these files of nbgrader/tests; shows, writes nothing.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Tests at the same time.")] = 2,
    plain: Annotated[bool, typer.Option(help="Run them under plain nbgrader, too.")] = True,
) -> None:
    """Run nbgrader's own tests plain and hardened, and write the page."""
    rows, unexplained = {}, []
    for file in files or FILES:
        ours = outcomes(file, True, jobs)
        before = outcomes(file, False, jobs) if plain else dict.fromkeys(ours, ("passed", ""))
        failed = [name for name, (outcome, _) in ours.items() if outcome == "failed" and before[name][0] == "passed"]
        rows[file] = (
            Counter(outcome for outcome, _ in before.values()),
            Counter(outcome for outcome, _ in ours.values()),
            failed,
        )
        for name in failed:
            known = REASONS.get(name.partition("[")[0])
            print(f"{file}: {name}: {known or ours[name][1]}", flush=True)
            unexplained += [] if known else [name]
    text = page(rows)
    if files:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
    if unexplained:
        sys.exit(f"REASONS says nothing of: {', '.join(unexplained)}")


if __name__ == "__main__":
    app()
