"""Renames test cells and gives the answer the name of a test.

Honest mark: 0 of 3.
"""

import json


def submission(notebook):
    for cell in notebook["cells"]:
        if cell["id"] == "square":
            cell["source"] = "def square(x):\n    return x * abs(x)"
            cell["metadata"]["nbgrader"]["grade_id"] = "square--small-numbers"
        elif "--" in cell["id"]:
            cell["metadata"]["nbgrader"]["grade_id"] = "renamed-" + cell["id"][-3:]
    return json.dumps(notebook)
