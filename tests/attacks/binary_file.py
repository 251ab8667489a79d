"""A file that is no text at all.

Honest mark: 0 of 3.
"""


def submission(notebook):
    return bytes(range(256)) * 40
