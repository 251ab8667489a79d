"""An answer with null bytes, lone surrogates and control characters in it.

Honest mark: 0 of 3.
"""

import json


def submission(notebook):
    for cell in notebook["cells"]:
        if cell["id"] == "square":
            cell["source"] = "def square(x):\n    return x * x  # \x00 \ud800 \x1b[31m \u202e \uffff\n"
    notebook["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "\ud800\x00\x1b", "id": "own"})
    return json.dumps(notebook)
