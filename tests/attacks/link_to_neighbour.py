"""Hands in a link to another student's submission in place of a notebook.

Honest mark: 0 of 3.
"""


def place(folder):
    notebook = folder / "01_squares.ipynb"
    notebook.unlink(missing_ok=True)
    notebook.symlink_to("../../zz_honest/01_squares/01_squares.ipynb")
