"""Puts numbers, texts, lists and nothing where cells should be, around an answer.

Jupyter cannot open such a file either.

Honest mark: 0 of 3.
"""

import json


def submission(notebook):
    for cell in notebook["cells"]:
        if cell["id"] == "square":
            cell["source"] = "def square(x):\n    return x * abs(x)"
    notebook["cells"] = [None, 4, "cell", ["cell"], {}, *notebook["cells"], {"cell_type": ["code"], "source": {"a": 1}}]
    return json.dumps(notebook)
