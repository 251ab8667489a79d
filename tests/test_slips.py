"""The figures of docs/where_lectures_err.md are those that the published tables give."""

import re

import pytest

from benchmarks.slips import figures
from conftest import ROOT

PAGE = (ROOT / "docs" / "where_lectures_err.md").read_text(encoding="utf-8").replace(",", "")
NUMBER = re.compile(r"\d[\d,]*\.?\d*")


@pytest.mark.parametrize(("name", "figure"), figures().items())
def test_each_number_is_on_the_page(name: str, figure: str) -> None:
    for found in NUMBER.findall(figure):
        number = found.rstrip(",").replace(",", "")
        shown = number.removeprefix("0") if "." in number else rf"\b{number}\b"
        assert name == "if e were 3" or re.search(shown.replace(".", r"\."), PAGE), f"{name}: {number}"


def test_what_the_stories_say_of_cells() -> None:
    found = figures()
    assert found["add-one counts that are wrong"] == "food chinese"
    assert found["if e were 3"] == "0.167, 0.167, 0.500, 0.167"  # 1/6, 1/6, 1/2, 1/6
    assert found["copied rows of the column i"] == "7: i, want, to, chinese, food, lunch, spend"
    against = found["cells against it"].split(", ")
    assert len(against) == 8 and sum(cell.endswith(" i") for cell in against) == 7
