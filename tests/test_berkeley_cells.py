"""Which cells an answer names, in every way of writing that we promise to read."""

from typing import Any

import pandas as pd
import pytest

from lmkit import berkeley

COLUMN = {(word, "i") for word in berkeley.WORDS}
MARKED = pd.DataFrame(False, index=berkeley.WORDS, columns=berkeley.WORDS)
MARKED.loc["food", "chinese"] = True


@pytest.mark.parametrize(
    "answer",
    [
        ("food", "chinese"),
        ["food", "chinese"],
        [("food", "chinese")],
        {("food", "chinese")},
        {("food", "chinese"): 2},
        [["Food", "chinese"]],
        "food chinese",
        "(food, chinese)",
        "food -> chinese",
        "c(food chinese)",
        "P(chinese | food)",
        ["chinese|food"],
        "row food, column chinese",
        "column chinese, row food",
        "previous: food, next: chinese",
        {"food": "chinese"},
        {"food": ["chinese"]},
        {"food chinese": 2},
        MARKED,
        pd.Index([("food", "chinese")]),
    ],
)
def test_one_cell(answer: Any) -> None:
    assert berkeley.cells(answer) == {("food", "chinese")}


@pytest.mark.parametrize("answer", ["i", "column i", "the whole column i", ["i"], "Column 'i'", sorted(COLUMN)])
def test_a_column(answer: Any) -> None:
    assert berkeley.cells(answer) == COLUMN


@pytest.mark.parametrize("answer", [None, 3, "nonsense", [1, 2], "row i", "i want to", ["food", "nonsense"]])
def test_no_cell(answer: Any) -> None:
    assert berkeley.cells(answer) is None


def test_nothing_is_wrong() -> None:
    assert berkeley.cells([]) == set()
