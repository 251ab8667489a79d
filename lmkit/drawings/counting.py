"""Chapters 01 and 02: windows of words, and what a model does when it has not seen one."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from lmkit.drawings.canvas import Canvas, plain, word_width


def ngram_window(words: Sequence[str] = ("i", "want", "thai", "food"), n: int = 3) -> Figure:
    """The window of an n-gram model slides over a padded sentence: n - 1 words of context and the next word.

    Letters as in chapter 01: n-1 symbols `<s>` stand before the sentence and one `</s>` behind it; $P(w | context)$.
    """
    tokens = ["<s>"] * (n - 1) + list(words) + ["</s>"]
    windows = len(tokens) - n + 1
    wide, high, left = word_width(tokens) + 0.1, 0.72, 0.3
    labels = [
        f"$P($ {plain(tokens[i + n - 1])} $\\mid$ {plain(' '.join(tokens[i : i + n - 1]))} $)$"
        if n > 1
        else f"$P($ {plain(tokens[i])} $)$"
        for i in range(windows)
    ]
    margin = left + wide * len(tokens) + 0.35
    canvas = Canvas(
        margin + 0.2 * max(len(label.replace("$", "").replace("\\mid", "|")) for label in labels) + 0.4,
        high * windows + 1.1,
    )
    top = high * windows - 0.2
    for row in range(windows):
        y = top - row * high
        for column, token in enumerate(tokens):
            x = left + (column + 0.5) * wide
            if row <= column < row + n:
                last = column == row + n - 1
                canvas.box(x, y, wide - 0.1, high - 0.16, plain(token), "output" if last else "input")
            else:
                canvas.box(x, y, wide - 0.1, high - 0.16, "", "masked", dashed=True)
        canvas.text(margin, y, labels[row], 11, "left")
    if n > 1:
        canvas.brace(left + 0.05, left + (n - 1) * wide - 0.05, top + 0.55, "context" if n == 2 else "the context")
    x = left + (n - 0.5) * wide
    canvas.brace(x - wide / 2 + 0.05, x + wide / 2 - 0.05, top + 0.55, "word")
    return canvas.figure


def backing_off(context: Sequence[str] = ("i", "want", "thai")) -> Figure:
    """Asking ever shorter contexts: each keeps what its counts say, and hands the mass it took away down.

    Letters as in chapter 02, section 5: $h$ the context, $h'$ without its oldest word, $c(hw)$ counts, $n$ their sum,
    $k$ the discount, $\\lambda$ the mass that is free; at last $1/V$ for each of $V$ words.
    """
    levels = len(context) + 1
    wide = word_width(context)
    step = 1.45
    left = 0.3 + (wide + 0.1) * len(context) + 2.0
    bar, kept = 6.8, 0.68
    canvas = Canvas(left + bar + 0.3, step * levels + 1.45)
    for level in range(levels):
        y = step * (levels - level) + 0.65
        for place, token in enumerate(context):
            x = 0.3 + (place + 0.5) * (wide + 0.1)
            gone = place < level
            canvas.box(x, y, wide, 0.6, "" if gone else plain(token), "masked" if gone else "input", dashed=gone)
        canvas.text(
            left - 0.3, y, f"$P(w\\mid {'h' + level * chr(39)})$" if level < levels - 1 else "$P(w)$", align="right"
        )
        split = left + bar * kept
        name = "h" + level * "'"
        canvas.box(
            left + bar * kept / 2, y, bar * kept, 0.72, f"$\\max(c({name}w)-k,\\;0)\\,/\\,n$", "output", rounded=False
        )
        canvas.box((split + left + bar) / 2, y, bar * (1 - kept), 0.72, f"$\\lambda({name})$", "weight", rounded=False)
        canvas.funnel((split, left + bar), (left, left + bar), y - 0.36, y - step + 0.36, "weight")
    y = 0.65
    canvas.box(left + bar / 2, y, bar, 0.72, "$1/V$  for every word", "output", rounded=False, size=12)
    canvas.text(left - 0.25, y, "nothing counted", align="right")
    canvas.text(left + bar * kept / 2, step * levels + 1.2, "kept: what was seen")
    canvas.text(left + bar * (1 + kept) / 2, step * levels + 1.2, "free")
    return canvas.figure


def interpolation(context: Sequence[str] = ("want", "thai"), word: str = "food", weight: str = "\\lambda") -> Figure:
    """Long and short memory, mixed: every level answers, the weights add up to one.

    Letters as in chapter 02, section 12 (`weight` may be another letter), for two words of context:
    $P = \\lambda_1 P_3 + \\lambda_2 P_2 + \\lambda_3 P_1 + \\lambda_4 / V$; $h$ is the whole context.
    """
    levels = len(context) + 2
    step, size = 1.15, 0.21
    longest = len(f"P3({word} | {' '.join(context)})")
    wide = size * longest + 0.6
    canvas = Canvas(0.3 + wide + 6.4 + word_width([word]), step * levels + 0.3)
    middle = step * levels / 2 + 0.15
    plus = canvas.circle(0.3 + wide + 3.0, middle, "$+$", radius=0.36)
    for level in range(levels):
        y = step * (levels - level) - step / 2 + 0.15
        memory = " ".join(context[level:])
        order = len(context) + 1 - level
        if level == levels - 1:
            label = "$1/V$"
        elif memory:
            label = f"$P_{order}($ {plain(word)} $\\mid$ {plain(memory)} $)$"
        else:
            label = f"$P_{order}($ {plain(word)} $)$"
        box = canvas.box(0.3 + wide / 2, y, wide, 0.75, label, "weight", size=12)
        start, knee = box.right, (box.right[0] + 1.7, y)
        angle = (middle - y) * 0.13
        canvas.arrow(start, knee, (plus.left[0] + 0.04 * abs(level - (levels - 1) / 2), middle - angle), role="weight")
        canvas.text(start[0] + 0.8, y + 0.32, f"${weight}_{level + 1}$")
    room = word_width([word]) + 1.5
    answer = canvas.box(
        plus.x + 1.0 + room / 2, middle, room, 0.9, f"$P($ {plain(word)} $\\mid h$ $)$", "output", size=12
    )
    canvas.arrow(plus.right, answer.left)
    total = " + ".join(f"{weight}_{level + 1}" for level in range(levels))
    canvas.text(plus.x + 1.0 + room / 2, middle - 1.35, f"${total} = 1$")
    return canvas.figure


def good_turing_leave_one_out(highest: int = 3) -> Figure:
    """Good and Turing's argument: take one token out, and its pair is seen once less in what is left.

    Letters as in chapter 02, section 4: $N_c$ pairs occur $c$ times; together, those of count $c + 1$ are
    $(c+1) N_{c+1}$ tokens; held out, they fall on the $N_c$ pairs of count $c$, which gives $c^*$.
    """
    wide, gap = 1.7, 1.55
    canvas = Canvas(0.6 + (highest + 1) * wide + highest * gap, 4.9)
    boxes = []
    for count in range(highest + 1):
        x = 0.3 + wide / 2 + count * (wide + gap)
        boxes.append(canvas.box(x, 2.2, wide, 1.1, f"$N_{count}$ pairs", "input", size=12))
        canvas.text(
            x,
            1.35,
            "never seen"
            if count == 0
            else f"seen {('once', 'twice')[count - 1]}"
            if count < 3
            else f"seen {count} times",
        )
    for count in range(1, highest + 1):
        there, here = boxes[count - 1], boxes[count]
        canvas.arrow(
            (here.x - 0.25, here.top[1]), (here.x - 0.25, 3.35), (there.x + 0.25, 3.35), (there.x + 0.25, there.top[1])
        )
        tokens = f"${count} N_{count}$ tokens" if count > 1 else "$N_1$ tokens"
        canvas.text((here.x + there.x) / 2, 3.68, tokens)
    canvas.text((boxes[0].x + boxes[-1].x) / 2, 4.45, "one token is held out: its pair moves from $c+1$ to $c$", 12)
    canvas.text(
        (boxes[0].x + boxes[-1].x) / 2,
        0.5,
        "a pair of count $c$ is worth   $c^* = (c+1)\\,N_{c+1}\\,/\\,N_c$",
        12,
    )
    return canvas.figure


def ngram_tables() -> Figure:
    """How the table of 2-grams points into the table of 1-grams: at its context, and at its shorter self.

    Letters as in chapter 02, section 9, and in `lmkit.ngrams.NgramCounts`; the toy text of that chapter.
    """
    words = ("at", "chez", "food", "panisse", "thai", "</s>")
    pairs = (("at chez", 1, 1), ("chez panisse", 3, 3), ("thai food", 1, 1), ("food </s>", 3, 3))
    canvas = Canvas(14.4, 6.0)
    singles = {}
    for place, word in enumerate(words):
        singles[word] = canvas.box(1.5, 4.6 - 0.8 * place, 1.9, 0.6, plain(word), "output")
    canvas.text(1.5, 5.5, "1-grams: lower")
    canvas.text(9.0, 5.5, "2-grams")
    canvas.text(11.55, 5.5, "count")
    canvas.text(13.1, 5.5, "left")
    for place, (pair, often, left) in enumerate(pairs):
        y = 4.4 - 1.13 * place
        box = canvas.box(9.0, y, 3.0, 0.7, plain(pair), "input")
        first, last = pair.split()
        for word, role, shift in ((first, "query", 0.15), (last, "key", -0.15)):
            end = singles[word].right
            canvas.arrow((box.left[0], y + shift), (end[0], end[1] + shift / 2), role=role)
        canvas.text(11.55, y, str(often))
        canvas.text(13.1, y, str(left))
    canvas.arrow((8.5, 0.2), (7.5, 0.2), role="query")
    canvas.text(8.7, 0.2, "context", align="left")
    canvas.arrow((11.8, 0.2), (10.8, 0.2), role="key")
    canvas.text(12.0, 0.2, "shorter", align="left")
    return canvas.figure
