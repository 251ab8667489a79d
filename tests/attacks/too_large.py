"""A file of 21 MiB.

Honest mark: 0 of 3.
"""

import json


def submission(notebook):
    notebook["metadata"]["padding"] = "x" * (21 * 2**20)
    return json.dumps(notebook)
