"""Hands in a folder with the notebook's name.

Honest mark: 0 of 3.
"""


def place(folder):
    (folder / "01_squares.ipynb").unlink(missing_ok=True)
    (folder / "01_squares.ipynb").mkdir()
    (folder / "01_squares.ipynb" / "inside.txt").write_text("planted")
