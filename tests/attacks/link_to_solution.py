"""Hands in a link to the solution of the course.

Honest mark: 0 of 3.
"""


def place(folder):
    notebook = folder / "01_squares.ipynb"
    notebook.unlink(missing_ok=True)
    notebook.symlink_to("../../../solutions/01_squares/01_squares.ipynb")
