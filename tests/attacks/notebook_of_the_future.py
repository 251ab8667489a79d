"""Claims to be a notebook of format 99.7.

Honest mark: 0 of 3.
"""

import json


def submission(notebook):
    return json.dumps(notebook | {"nbformat": 99, "nbformat_minor": 7})
