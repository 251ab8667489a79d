"""Chapters 03 and 04: networks that look through a window of words."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from lmkit.drawings.canvas import Canvas, plain, word_width


def window_classifier(
    words: Sequence[str] = ("please", "increase", "the", "volume"), place: int = 1, c: int = 1
) -> Figure:
    """The window tagger: the vectors of 2c + 1 words, end to end; two layers score the tags of the middle word.

    Letters as in chapter 04, section 7: $x$ the concatenation, $a = \\tanh(d + Hx)$, scores $y = b + Ua$.
    """
    wide = word_width(words) + 0.1
    total = wide * len(words)
    left, across = 0.3, 0.3 + total + 0.4
    canvas = Canvas(across + 6.0, 6.7)
    window = range(place - c, place + c + 1)
    centre = left + wide * (place + 0.5)
    joined = canvas.vector(centre, 3.1, 3 * len(window), "input")
    for column, word in enumerate(words):
        x = left + wide * (column + 0.5)
        seen = column in window
        box = canvas.box(x, 0.6, wide - 0.25, 0.65, plain(word), "input" if seen else "masked", dashed=not seen)
        if seen:
            strip = canvas.vector(x, 1.75, 3, "input")
            canvas.arrow(box.top, strip.bottom)
            block = joined.left[0] + 0.9 * (column - place + c + 0.5)
            canvas.arrow(strip.top, (block, joined.bottom[1]))
    hidden = canvas.vector(centre, 4.6, 5, "state")
    scores = canvas.vector(centre, 6.1, 4, "output")
    canvas.arrow(joined.top, hidden.bottom, label="$H$", label_at=(centre + 0.35, 3.82))
    canvas.arrow(hidden.top, scores.bottom, label="$U$", label_at=(centre + 0.35, 5.32))
    for y, note in (
        (0.6, f"{2 * c + 1} words: the window, $c={c}$"),
        (1.75, "a learned vector for each"),
        (3.1, "$x$:  end to end"),
        (4.6, "$a = \\tanh(d + Hx)$"),
        (6.1, "$y = b + Ua$:  a score for each tag"),
    ):
        canvas.text(across, y, note, 12, "left")
    return canvas.figure


def bengio_network(words: Sequence[str] = ("want", "thai"), direct: bool = True) -> Figure:
    """The neural language model of Y. Bengio and others (2003): one table of vectors, a hidden layer, a softmax.

    Letters as in chapter 04, section 11: $\\phi$ the table [V, m], shared by all places; $x$ [nm]; $d$ [h],
    $H$ [h, nm]; $b$ [V], $U$ [V, h]; $W$ [V, nm] the direct path, which `direct=False` leaves out.
    """
    n = len(words)
    wide = max(word_width(words) + 0.3, 2.0)
    left, total = 1.6, max(word_width(words) + 0.3, 2.0) * n
    centre, across = left + total / 2, left + total + 1.0
    canvas = Canvas(across + 5.7, 8.0)
    joined = canvas.vector(centre, 3.45, 3 * n, "input")
    table = canvas.box(centre, 1.75, total, 0.65, "$\\phi$", "weight")
    for column, word in enumerate(words):
        x = left + wide * (column + 0.5)
        box = canvas.box(x, 0.6, wide - 0.4, 0.65, plain(word), "input")
        canvas.arrow(box.top, (x, table.bottom[1]))
        canvas.arrow((x, table.top[1]), (joined.left[0] + 0.9 * (column + 0.5), joined.bottom[1]))
    hidden = canvas.vector(centre, 4.85, 5, "state")
    scores = canvas.vector(centre, 6.25, 8, "output")
    chances = canvas.vector(centre, 7.4, 8, "output")
    canvas.arrow(joined.top, hidden.bottom, label="$H$", label_at=(centre + 0.35, 4.12))
    canvas.arrow(hidden.top, scores.bottom, label="$U$", label_at=(centre + 0.35, 5.52))
    canvas.arrow(scores.top, chances.bottom)
    if direct:
        canvas.arrow(joined.left, (0.75, joined.y), (0.75, scores.y), scores.left, label="$W$", label_at=(0.38, 4.85))
    parts = ";".join(f"\\phi(w_{{t-{n - column}}})" for column in range(n))
    sum_of = "y = b + Wx + Ua" if direct else "y = b + Ua"
    for y, note in (
        (0.6, f"the last {n} words"),
        (1.75, "one table for all places:  $V\\times m$"),
        (3.45, f"$x = [{parts}]$"),
        (4.85, "$a = \\tanh(d + Hx)$"),
        (6.25, f"${sum_of}$"),
        (7.4, "softmax:  $p$ for all $V$ words"),
    ):
        canvas.text(across, y, note, 12, "left")
    return canvas.figure


def skip_gram(words: Sequence[str] = ("i", "like", "spicy", "thai", "food"), place: int = 2, c: int = 2) -> Figure:
    """Skip-gram: the vector of one word guesses each of its neighbours, up to c places to either side.

    No letters but c, the reach of the window, as in chapter 04; each arrow is one pair to learn from.
    """
    wide = word_width(words) + 0.35
    total = wide * len(words)
    canvas = Canvas(max(total + 0.6, 10.5), 4.6)
    left = (max(total + 0.6, 10.5) - total) / 2
    centre = left + (place + 0.5) * wide
    strip = canvas.vector(centre, 1.75, 5, "state")
    middle = canvas.box(centre, 0.6, wide - 0.2, 0.65, plain(words[place]), "input")
    canvas.arrow(middle.top, strip.bottom)
    for column, word in enumerate(words):
        x = left + (column + 0.5) * wide
        if column == place:
            continue
        near = abs(column - place) <= c
        role = "output" if near else "masked"
        box = canvas.box(x, 3.3, wide - 0.2, 0.65, plain(word), role, dashed=not near)
        if near:
            canvas.arrow((centre + (x - centre) * 0.12, strip.top[1]), box.bottom)
    canvas.text(left + total / 2, 4.1, f"guess each neighbour, up to $c={c}$ places away")
    canvas.text(centre + 0.95, 1.75, "its vector", align="left")
    return canvas.figure
