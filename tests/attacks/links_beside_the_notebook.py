"""Puts links to the gradebook, the solution and the system beside its notebook, so that grading copies them.

Honest mark: 1 of 3.
"""

ANSWER = "def square(x):\n    return x * abs(x)"


def place(folder):
    (folder / "data.csv").symlink_to("../../../gradebook.db")
    (folder / "notes.txt").symlink_to("../../../solutions/01_squares/01_squares.ipynb")
    (folder / "planted").symlink_to("../../../solutions")
    (folder / "broken").symlink_to("nowhere")
    (folder / "self").symlink_to(".")
