"""Gives metadata as lists, numbers and nothing, and a source made of all kinds of things.

Honest mark: 0 of 3.
"""

import json


def submission(notebook):
    for cell, metadata in zip(notebook["cells"], [[], 4, None, "nbgrader", {"nbgrader": []}] * 3, strict=False):
        cell["metadata"] = metadata
        cell["id"] = ["a", 4, None]
        cell["source"] = [1, None, {"a": []}, "def square(x): pass"]
    notebook["metadata"] = ["kernelspec"]
    return json.dumps(notebook)
