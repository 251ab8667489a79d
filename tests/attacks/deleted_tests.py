"""Deletes all test cells and all given cells.

Honest mark: 1 of 3.
"""

import json


def submission(notebook):
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] == "square"]
    notebook["cells"][0]["source"] = "def square(x):\n    return x * abs(x)"
    return json.dumps(notebook)
