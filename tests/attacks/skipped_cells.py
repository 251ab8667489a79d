"""Tags every test cell with `skip-execution` and with everything else that a runner might obey.

Honest mark: 1 of 3.
"""

import json

WRONG = "def square(x):\n    return x * abs(x)"
TAGS = ["skip-execution", "raises-exception", "remove-cell", "hide-input", "nbval-skip", "otter_ignore"]


def submission(notebook):
    for cell in notebook["cells"]:
        cell["metadata"]["tags"] = TAGS
        if cell["id"] == "square":
            cell["source"] = WRONG
    return json.dumps(notebook)
