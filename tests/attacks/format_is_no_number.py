"""Gives the version of the format as a text and as a list.

Honest mark: 0 of 3.
"""

import json


def submission(notebook):
    return json.dumps(notebook | {"nbformat": "4", "nbformat_minor": [5]})
