"""Variants of a chapter: some tasks with other numbers, tables or rules, so that last year's answers fail.

A variant is a file beside the chapter's sections, `variant_2027.py` in solutions/01_bigrams, in the same format. Each
of its cells takes the place of a cell of the chapter: of the cell with the same keys, or of the one that
`replaces="..."` names by the id that it has in the notebook.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.chapter.cells import Notebook
from autograder.chapter.reference import read_reference
from autograder.chapter.source import (
    ALT,
    ANSWERS,
    FOLDED,
    Chapter,
    cell_names,
    check_cells,
    grade_id,
    kind_of,
    read_chapter,
)
from autograder.chapter.text import Cell, read_text
from autograder.course import Course, CourseError

BEGINNING = "variant_"
REPLACES = "replaces"
COMPANIONS = ("statement", "hints")  # cells that are found by their key, not by an id
METADATA = "variant"  # in the metadata of a reference: which variant it was built from


def variants_of(course: Course, name: str) -> dict[str, Path]:
    """The variants that a chapter has, by what they are called."""
    found = sorted((course.source / name).glob(f"{BEGINNING}*.py"))
    return {path.stem.removeprefix(BEGINNING): path for path in found}


def chosen_variants(course: Course, names: list[str], variant: str | None) -> dict[str, str]:
    """For each chapter `variant` (None: what the settings say) if it has that, else "", the chapter as it stands.

    Raises CourseError if none of them has a variant that was asked for, or no chapter at all the one of the settings.
    """
    wanted: str = course.nbgrader.Authoring.get("variant", "") if variant is None else variant
    chosen = {name: wanted if wanted in variants_of(course, name) else "" for name in names}
    asked = names if variant else course.chapters()
    known = sorted({one for name in asked for one in variants_of(course, name)})
    if wanted and wanted not in known:
        raise CourseError(f"No chapter has a variant {wanted!r}; there are: {', '.join(known) or 'none'}.")
    return chosen


def read_variant(course: Course, name: str, variant: str) -> Chapter:
    """The text of a chapter in one of its variants; as it stands, if `variant` is empty. Raises CourseError if none."""
    chapter = read_chapter(course.chapter_source(name))
    if not variant:
        return chapter
    known = variants_of(course, name)
    if variant not in known:
        raise CourseError(f"{name} has no variant {variant!r}; it has: {', '.join(known) or 'none'}.")
    return _varied(chapter, known[variant])


def built_variant(reference: Notebook) -> str:
    """Which variant a reference was built from; empty for the chapter as it stands."""
    variant: str = reference.node.metadata.get(METADATA, "")
    return variant


def chapter_as_built(course: Course, name: str) -> Chapter:
    """The text that a chapter's reference and release were built from. Raises CourseError if it has not been built."""
    return read_variant(course, name, built_variant(read_reference(course, name)))


def _varied(chapter: Chapter, path: Path) -> Chapter:
    """The chapter with the cells of the file at `path` in place of its own."""
    new: dict[tuple[str, str], Cell] = {}
    for cell in read_text(path).cells:
        place = _place(cell)
        if place in new:
            raise cell.error(f"Line {new[place].line} replaces the same cell: remove one.")
        cell = replace(cell, keys={key: value for key, value in cell.keys.items() if key != REPLACES})
        check_cells([cell])
        new[place] = cell
    cells = []
    for old, name in zip(chapter.cells, cell_names(chapter), strict=True):
        kind = kind_of(old)
        places = [(REPLACES, name), *((kind, old.keys[kind]) for kind in COMPANIONS if kind in old.keys)]
        cell = next((new.pop(place) for place in places if place in new), old)
        if (cell.cell_type, _fixed(cell)) != (old.cell_type, _fixed(old)):
            raise cell.error(f"Begin this cell as {old.place} does.")
        cells.append(cell)
    for (kind, name), cell in new.items():
        raise cell.error(f"{chapter.name} has no cell for {kind}={name!r}: mend the name.")
    varied = replace(chapter, text=replace(chapter.text, cells=cells))
    names = cell_names(varied)
    for name, cell in zip(names, cells, strict=True):
        if names.count(name) > 1:
            raise cell.error(f"There would be two cells called {name!r}: reword one.")
    return varied


def _place(cell: Cell) -> tuple[str, str]:
    """What a cell of a variant takes the place of: a key and its value."""
    if REPLACES in cell.keys:
        return REPLACES, cell.keys[REPLACES]
    for kind in COMPANIONS:
        if kind in cell.keys:
            return kind, cell.keys[kind]
    if "test" in cell.keys:
        return REPLACES, grade_id(cell.keys["test"], cell.keys.get("aspect", ""))
    for kind in ANSWERS:
        if kind in cell.keys:
            return REPLACES, cell.keys[kind]
    raise cell.error(f'Say which cell this one replaces: {REPLACES}="its id", or a key like task=.')


def _fixed(cell: Cell) -> dict[str, Any]:
    """The keys that a cell must share with the one it replaces: it may check or show something else."""
    return {key: value for key, value in cell.keys.items() if key not in ("aspect", ALT, FOLDED)}
