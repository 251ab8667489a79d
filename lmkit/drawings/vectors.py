"""Chapter 03: word vectors."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from lmkit.drawings.canvas import SMALL, Canvas, plain, word_width


def look_up(place: int = 2, words: int = 5, numbers: int = 4) -> Figure:
    """A one-hot row times a matrix is a row of the matrix.

    Letters as in chapter 03, section 2: $e_i$ one-hot, $A$ (V by d), $a_i$ its row i.
    """
    cell = 0.45
    canvas = Canvas(12, max(words, 3) * cell + 1.3)
    y = 0.8 + words * cell / 2
    row = canvas.grid(
        2.0,
        y,
        [["input" if v == place else None for v in range(words)]],
        cell,
        [[str(int(v == place)) for v in range(words)]],
    )
    canvas.text(row.right[0] + 0.55, y, "$\\times$")
    middle = row.right[0] + 1.1 + numbers * cell / 2
    table = canvas.grid(middle, y, [["state" if v == place else None] * numbers for v in range(words)], cell)
    canvas.text(table.right[0] + 0.55, y, "$=$")
    found = canvas.grid(table.right[0] + 1.1 + numbers * cell / 2, y, [["state"] * numbers], cell)
    canvas.text(row.x, 0.4, f"$e_i$, $V = {words}$", SMALL)
    canvas.text(table.x, 0.4, f"$A$, row $i = {place}$", SMALL)
    canvas.text(found.x, 0.4, f"$a_i$, $d = {numbers}$", SMALL)
    return canvas.figure


def negative_sampling(
    word: str = "bit", neighbour: str = "dog", negatives: Sequence[str] = ("soup", "the", "golden")
) -> Figure:
    """Negative sampling: one score for the true neighbour, which should be 1, one for each made-up word, 0.

    Letters as in chapter 03, section 8: $a$ the word's vector, $b$ the neighbour's, $n_r$ those of the negatives.
    """
    others = (neighbour, *negatives)
    wide = max(word_width((word, *others)) + 0.5, 1.9)
    left = 3.1
    canvas = Canvas(left + wide * len(others) + 0.3, 6.2)
    centre = left + wide * len(others) / 2
    middle = canvas.box(centre, 0.55, wide - 0.3, 0.65, plain(word), "input")
    strip = canvas.vector(centre, 1.55, 4, "state")
    canvas.arrow(middle.top, strip.bottom)
    canvas.text(strip.right[0] + 0.3, 1.55, "$a$")
    canvas.text(0.3, 5.6, "should be", align="left")
    canvas.text(0.3, 4.45, "word", align="left")
    canvas.text(0.3, 3.4, "its vector in $B$", align="left")
    for column, name in enumerate(others):
        x = left + wide * (column + 0.5)
        role = "masked" if column else "output"
        vector = canvas.vector(x, 3.4, 4, role)
        box = canvas.box(x, 4.45, wide - 0.3, 0.65, plain(name), role, dashed=bool(column))
        canvas.text(x, 5.6, "0" if column else "1")
        canvas.arrow((centre + (x - centre) * 0.1, strip.top[1]), vector.bottom)
        canvas.arrow(vector.top, box.bottom, head=False)
    return canvas.figure


__all__ = ["look_up", "negative_sampling"]
