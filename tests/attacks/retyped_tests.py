"""Turns the test cells into Markdown and raw cells.

Honest mark: 1 of 3.
"""

import json

WRONG = "def square(x):\n    return x * abs(x)"


def submission(notebook):
    for cell in notebook["cells"]:
        if cell["id"] == "square":
            cell["source"] = WRONG
        if "--" in cell["id"]:
            cell["cell_type"] = "raw" if "negative" in cell["id"] else "markdown"
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
    return json.dumps(notebook)
