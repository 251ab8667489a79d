"""Replaces the text of the test cells, gives them a hundred points, and unlocks them.

Honest mark: 1 of 3.
"""

import json

WRONG = "def square(x):\n    return x * abs(x)"


def submission(notebook):
    for cell in notebook["cells"]:
        if cell["id"] == "square":
            cell["source"] = WRONG
        elif "nbgrader" in cell["metadata"]:
            cell["source"] = "pass"
            cell["metadata"]["nbgrader"] |= {"points": 100, "locked": False, "solution": True}
    return json.dumps(notebook)
