"""Hands in two answers to one task, the wrong one first: the first counts.

Honest mark: 1 of 3.
"""

import json


def submission(notebook):
    position = next(number for number, cell in enumerate(notebook["cells"]) if cell["id"] == "square")
    cell = notebook["cells"][position]
    wrong = cell | {"source": "def square(x):\n    return x * abs(x)", "id": "first"}
    right = cell | {"source": "def square(x):\n    return x * x", "id": "second"}
    notebook["cells"][position : position + 1] = [wrong, right]
    return json.dumps(notebook)
