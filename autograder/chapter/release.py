"""What students get of a chapter: nbgrader makes it, and nothing in it may give an answer or a hidden test away."""

from pathlib import Path

import nbformat
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.chapter.cells import BEGIN_HIDDEN, BEGIN_SOLUTION, CHANGES, END_HIDDEN, END_SOLUTION
from autograder.chapter.source import ALT, Chapter
from autograder.chapter.variants import METADATA
from autograder.quiet import run_quietly


def run_generate_assignment(config: Config, name: str) -> None:
    """nbgrader's generate_assignment for one chapter under `config`; overwrites an earlier release there."""
    converter = GenerateAssignment(coursedir=CourseDirectory(config=config, assignment_id=name), config=config)
    converter.force = True
    run_quietly(converter)


def leaks(chapter: Chapter, release: Path) -> list[str]:
    """What in a release folder must not be there, as sentences; an empty list proves it clean.

    A line that stands only between solution or hidden-test marks of the source must not occur in the release at all.
    """
    problems = []
    for path in sorted(release.rglob("*")):
        if path.suffix == ".py":
            problems.append(f"{path.name} is a text source")
        if path.suffix == ".ipynb":
            problems.extend(f"{path.name}: {problem}" for problem in _notebook_leaks(chapter, path))
    return problems


def _notebook_leaks(chapter: Chapter, path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    problems = []
    for mark in (BEGIN_SOLUTION, END_SOLUTION, BEGIN_HIDDEN, END_HIDDEN):
        if mark.strip("# ") in text:
            problems.append(f"the mark {mark!r}")
    shown = {line.strip() for cell in notebook.cells for line in cell.source.split("\n")}
    problems.extend(f"the hidden line {line!r}" for line in sorted(hidden_lines(chapter) & shown))
    for cell in notebook.cells:
        extra = set(cell.metadata) - {"nbgrader", "deletable", "editable", "jupyter", ALT, CHANGES}
        if extra:
            problems.append(f"metadata {sorted(extra)} in cell {cell.id}")
        if cell.cell_type == "code" and (cell.outputs or cell.execution_count):
            problems.append(f"an output in cell {cell.id}")
    extra = set(notebook.metadata) - {"kernelspec", "language_info", METADATA}
    if extra:
        problems.append(f"notebook metadata {sorted(extra)}")
    return problems


def hidden_lines(chapter: Chapter) -> set[str]:
    """Lines (stripped) that stand between solution or hidden-test marks and nowhere else in the chapter."""
    hidden: set[str] = set()
    visible: set[str] = set()
    for cell in chapter.cells:
        inside = False
        for line in (line.strip() for line in cell.source.split("\n")):
            if line in (BEGIN_SOLUTION, BEGIN_HIDDEN):
                inside = True
            elif line in (END_SOLUTION, END_HIDDEN):
                inside = False
            else:
                (hidden if inside else visible).add(line)
    # A lone bracket or `else:` gives nothing away and may well stand in another chapter's given cell.
    return {line for line in hidden - visible if any(character.isalnum() for character in line)}
