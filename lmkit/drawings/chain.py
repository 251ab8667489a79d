"""Chapter 01: the chain rule, with the whole past and cut to one word."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from lmkit.drawings.canvas import Canvas, plain, word_width


def chain_rule(words: Sequence[str] = ("i", "want", "food")) -> Figure:
    """The factors of a sentence's probability: with the whole past, as the chain rule has it, and cut to one token.

    Letters as in chapter 01, section 3: $w_0$ is `<s>`, the last token is `</s>`, and factor $t$ is
    $P(w_t | w_0, ..., w_{t-1})$, after the cut $P(w_t | w_{t-1})$.
    """
    tokens = ["<s>", *words, "</s>"]
    factors = len(tokens) - 1
    wide, high, left, gap = word_width(tokens) + 0.1, 0.72, 0.95, 1.3
    block = wide * len(tokens)
    canvas = Canvas(left + 2 * block + gap + 0.35, high * factors + 1.25)
    top = high * factors - 0.1
    for start, cut in ((left, False), (left + block + gap, True)):
        for t in range(1, len(tokens)):
            y = top - (t - 1) * high
            for place, token in enumerate(tokens[:t]):
                seen = not cut or place == t - 1
                x = start + (place + 0.5) * wide
                role = "input" if seen else "masked"
                canvas.box(x, y, wide - 0.1, high - 0.16, plain(token) if seen else "", role, dashed=not seen)
            canvas.box(start + (t + 0.5) * wide, y, wide - 0.1, high - 0.16, plain(tokens[t]), "output")
            if not cut:
                canvas.text(left - 0.5, y, f"$t={t}$")
        given, name = ("w_{t-1}", "bigram model") if cut else ("w_0, \\ldots, w_{t-1}", "chain rule")
        title = f"{name}:  $P(w_t \\mid {given})$"
        canvas.text(start + block / 2, top + 0.85, title, 12)
    middle = top - high * (factors - 1) / 2
    canvas.arrow((left + block + 0.25, middle), (left + block + gap - 0.3, middle))
    canvas.text(left + block + gap / 2, middle + 0.4, "cut")
    return canvas.figure
