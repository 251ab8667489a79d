"""Repeats every test cell, an empty copy first; plain nbgrader gives up on the whole batch.

Honest mark: 1 of 3.
"""

import json

WRONG = "def square(x):\n    return x * abs(x)"


def submission(notebook):
    cells = []
    for cell in notebook["cells"]:
        if cell["id"] == "square":
            cell["source"] = WRONG
        if "--" in cell["id"]:
            cells.append(cell | {"source": "", "id": cell["id"] + "-x"})
        cells.append(cell)
    return json.dumps(notebook | {"cells": cells})
