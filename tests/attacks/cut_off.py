"""A file that was cut off in the middle.

Honest mark: 0 of 3.
"""

import json


def submission(notebook):
    return json.dumps(notebook)[:2000]
