"""Hands in more notebooks than the chapter has, good and broken ones.

Honest mark: 1 of 3.
"""

ANSWER = "def square(x):\n    return x * abs(x)"


def place(folder):
    text = (folder / "01_squares.ipynb").read_text()
    (folder / "00_first.ipynb").write_text("{broken")
    (folder / "01_squares (1).ipynb").write_text(text)
    (folder / "01_squares-copy.ipynb").write_text(text.replace("x * abs(x)", "x * x"))
