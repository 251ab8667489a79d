"""Where the course teaches what the lectures contain: `python -m benchmarks.coverage` writes docs/internal/coverage.md.

`data/coverage.csv` has a line for each item and each slip of the course's inventory; edit it by hand, then run this.
"""

import csv
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "data" / "coverage.csv"
PAGE = ROOT / "docs" / "internal" / "coverage.md"
COLUMNS = ["item", "chapter", "cells", "how", "reason", "what"]
# How many items the inventory has for each chapter (11 is its "misc"), and how many slips of the lectures.
ITEMS = {
    "01": 66,
    "02": 26,
    "03": 22,
    "04": 32,
    "05": 20,
    "06": 66,
    "07": 26,
    "08": 21,
    "09": 18,
    "10": 6,
    "11": 21,
}
SLIPS = 128
HOW = ("task", "text", "figure", "measured")
HEAD = """# Where the course teaches what the lectures contain

Written by `python -m benchmarks.coverage` from `data/coverage.csv`; do not edit. The five lectures hold {items} items
and {slips} slips (E001 to E{slips}, [errata.md](../errata.md)). *Cells* are ids of cells in the released notebook of
the chapter before the colon: a task, one of its checks, a question, or, ending in `-1`, the first cell of a section,
which stands for all of it. Text, figures and measurements stand under the task of their section. *How*: a **task**
that is graded, **text** (boxes too), a **figure**, or something **measured** in the notebook. "Partly" says what is
missing.

| | items | slips |
|---|---|---|
{counts}

Without a cell: {missing_items} of {items} items ({share:.1%}), {later} of them not written yet;
{missing_slips} of {slips} slips, most of them of spelling or notation.
"""


def read(path: Path = MAP) -> list[dict[str, str]]:
    """The lines of the map, a dict for each with the keys of `COLUMNS`."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def page(rows: list[dict[str, str]]) -> str:
    """The text of docs/internal/coverage.md."""
    slips = [row for row in rows if row["item"].startswith("E")]
    items = [row for row in rows if not row["item"].startswith("E")]
    missing = [row for row in items if not row["cells"]]
    found = [Counter(row["how"] or "no cell" for row in some) for some in (items, slips)]
    parts = [
        HEAD.format(
            items=len(items),
            slips=len(slips),
            counts="\n".join(f"| {how} | {found[0][how]} | {found[1][how]} |" for how in (*HOW, "no cell")),
            missing_items=len(missing),
            share=len(missing) / len(items),
            later=sum(row["reason"].startswith("not yet") for row in missing),
            missing_slips=sum(not row["cells"] for row in slips),
        )
    ]
    for chapter in ITEMS:
        title = f"Items of chapter {chapter}" if chapter != "11" else "Other items, for chapter 11 and elsewhere"
        parts.append(_table(title, [row for row in items if row["item"].startswith(f"{chapter}-")]))
    parts.append(_table("Slips of the lectures", slips))
    return "\n".join(parts)


def _table(title: str, rows: list[dict[str, str]]) -> str:
    """A section with a line for each row."""
    lines = [f"## {title}", "", "| no. | what | cells | how | remark |", "|---|---|---|---|---|"]
    for row in rows:
        cells = ", ".join(f"`{cell}`" for cell in row["cells"].split())
        where = f"{row['chapter']}: {cells}" if cells else "none"
        lines.append(f"| {row['item']} | {row['what']} | {where} | {row['how']} | {row['reason']} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(read()), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written.")


if __name__ == "__main__":
    main()
