"""Turns the task cell into a Markdown cell and gives metadata types that nbgrader does not know.

Honest mark: 1 of 3.
"""

import json


def submission(notebook):
    for cell in notebook["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"] |= {"cell_type": "markdown", "schema_version": 99, "points": "many"}
        if cell["id"] == "square":
            cell |= {"cell_type": "markdown", "source": "def square(x):\n    return x * abs(x)"}
            del cell["outputs"], cell["execution_count"]
    return json.dumps(notebook)
