"""A notebook without its list of cells.

Honest mark: 0 of 3.
"""

import json


def submission(notebook):
    del notebook["cells"]
    return json.dumps(notebook)
