"""The map from the lectures' items to cells: complete, true to the released notebooks, and its page up to date."""

import re

import nbformat
import pytest

from autograder.chapter.cells import Notebook
from benchmarks.coverage import COLUMNS, HOW, ITEMS, PAGE, SLIPS, page, read
from conftest import ROOT

ROWS = read()
CHAPTERS = sorted({row["chapter"] for row in ROWS if row["chapter"]})


def expected_items() -> list[str]:
    """The names of all items and slips, in the order of the map: "01-01" to "11-21", "E001" to "E128"."""
    items = [f"{chapter}-{i:02}" for chapter, number in ITEMS.items() for i in range(1, number + 1)]
    return items + [f"E{i:03}" for i in range(1, SLIPS + 1)]


def test_no_item_is_missing_or_doubled() -> None:
    assert list(ROWS[0]) == COLUMNS
    assert [row["item"] for row in ROWS] == expected_items()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_cell_exists_and_has_an_id_that_edits_of_other_cells_leave_alone(chapter: str) -> None:
    # The build numbers unnamed cells within their section: only the first, the heading's, keeps its number for sure.
    (path,) = (ROOT / "notebooks").glob(f"{chapter}_*/{chapter}_*.ipynb")
    cells = Notebook.of(nbformat.read(path, as_version=4)).cells
    stable = {cell.name for cell in cells if cell.is_answer or cell.is_graded or re.search(r"[a-z]-1$", cell.name)}
    named = {(row["item"], cell) for row in ROWS if row["chapter"] == chapter for cell in row["cells"].split()}
    assert sorted(pair for pair in named if pair[1] not in stable) == []


def test_each_line_has_cells_and_a_way_or_a_reason() -> None:
    for row in ROWS:
        if cells := row["cells"].split():
            assert row["chapter"] and row["how"] in HOW, row
            assert len(cells) == len(set(cells)) <= 3, row
            assert not row["reason"] or row["reason"].startswith("partly: "), row
        else:
            assert not row["chapter"] and not row["how"], row
            assert len(row["reason"].removeprefix("not yet: ")) >= 10, row
        assert 5 <= len(row["what"].split()) <= 12, row


def test_the_page_is_made_from_the_map() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(ROWS), "Run `python -m benchmarks.coverage`."
