"""Chapter 01: the chain rule, with the whole past and cut to one word."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from lmkit.drawings.canvas import Canvas, plain, word_width


def chain_rule(words: Sequence[str] = ("i", "want", "thai", "food")) -> Figure:
    """The factors of a text's probability: with the whole past, as the chain rule has it, and cut to one word.

    Letters as in chapter 01, section 4: factor $t$ is $P(w_t | w_1, ..., w_{t-1})$, after the cut $P(w_t | w_{t-1})$.
    """
    wide, high, left, gap = word_width(words) + 0.1, 0.72, 0.95, 1.6
    block = wide * len(words)
    canvas = Canvas(left + 2 * block + gap + 0.35, high * len(words) + 1.25)
    top = high * len(words) - 0.1
    for start, cut in ((left, False), (left + block + gap, True)):
        for row, word in enumerate(words):
            y = top - row * high
            for column, token in enumerate(words[:row]):
                seen = not cut or column == row - 1
                x = start + (column + 0.5) * wide
                role = "input" if seen else "masked"
                canvas.box(x, y, wide - 0.1, high - 0.16, plain(token) if seen else "", role, dashed=not seen)
            canvas.box(start + (row + 0.5) * wide, y, wide - 0.1, high - 0.16, plain(word), "output")
            if not cut:
                canvas.text(left - 0.5, y, f"$t={row + 1}$")
        given, name = ("w_{t-1}", "bigram model") if cut else ("w_1, \\ldots, w_{t-1}", "chain rule")
        title = f"{name}:  $P(w_t \\mid {given})$"
        canvas.text(start + block / 2, top + 0.85, title, 12)
    middle = top - high * (len(words) - 1) / 2
    canvas.arrow((left + block + 0.25, middle), (left + block + gap - 0.3, middle))
    canvas.text(left + block + gap / 2, middle + 0.4, "cut")
    return canvas.figure
