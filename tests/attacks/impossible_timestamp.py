"""Hands in a time stamp of its own that is no time.

Honest mark: 1 of 3.
"""

ANSWER = "def square(x):\n    return x * abs(x)"


def place(folder):
    (folder / "timestamp.txt").write_text("the day before yesterday\x00\n")
