"""Chapters 07 to 09: the Transformer, its cache; two texts, and words to fill in."""

from collections.abc import Sequence
from typing import Literal

from matplotlib.figure import Figure

from lmkit.drawings.canvas import SMALL, TEXT, Canvas, plain, word_width


def transformer_block(norm: Literal["pre", "post"] = "pre") -> Figure:
    """A block: attention and feed-forward each add something to the stream that runs straight through.

    Letters as in chapter 07, section 3: LN is LayerNorm; a step makes b = Module(LN(a)) + a with `norm="pre"`,
    b = LN(Module(a) + a) with `"post"`; here $a$ enters the first step and $b$ leaves the second, both [B, T, C].
    Section 3 asks which is which (the lectures contradict each other): call this after that task.
    """
    canvas = Canvas(14, 4.7)
    y, branch = 1.3, 3.2
    last = canvas.box(0.85, y, 0.9, 0.75, "$a$", "state")
    for start, name in ((1.9, "attention"), (7.3, "feed-forward")):
        plus = canvas.circle(start + (4.75 if norm == "pre" else 3.3), y, "$+$")
        canvas.arrow(last.right, plus.left, role="state", width=3)
        if norm == "pre":
            tame = canvas.box(start + 0.9, branch, 0.95, 0.75, "LN", "weight")
            module = canvas.box(start + 3.05, branch, 2.4, 0.75, name, "weight")
            canvas.arrow((start, y), (start, branch), tame.left)
            canvas.arrow(tame.right, module.left)
            last = plus
        else:
            module = canvas.box(start + 1.65, branch, 2.4, 0.75, name, "weight")
            canvas.arrow((start, y), (start, branch), module.left)
            tame = canvas.box(start + 4.5, y, 0.95, 0.75, "LN", "weight")
            canvas.arrow(plus.right, tame.left, role="state", width=3)
            last = tame
        canvas.arrow(module.right, (plus.x, branch), plus.top)
    out = canvas.box(13.15, y, 0.9, 0.75, "$b$", "state")
    canvas.arrow(last.right, out.left, role="state", width=3)
    if norm == "pre":
        title = "pre-norm: each module reads a normalised copy"
        note = "the stream: nothing but sums from $a$ to $b$"
    else:
        title = "post-norm: each sum is normalised"
        note = "the stream passes through every norm"
    canvas.text(7.0, 4.25, title, 12)
    canvas.text(7.0, 0.45, note)
    return canvas.figure


def transformer_stack(layers: int = 3) -> Figure:
    """The whole model, from token numbers to scores: two tables, N blocks, a norm, the head.

    Letters as in chapter 08: B texts of T tokens, V kinds of token, C numbers for a token, N blocks; the head's weight
    is the embedding's (tied).
    """
    canvas = Canvas(14, 5.2)
    y = 2.6
    tokens = canvas.box(0.85, y, 1.3, 0.8, "tokens", "input")
    table = canvas.box(3.0, y, 2.15, 0.8, "embedding", "weight")
    places = canvas.box(3.0, 0.85, 2.15, 0.8, "positions", "weight")
    plus = canvas.circle(4.75, y, "$+$")
    canvas.arrow(tokens.right, table.left)
    canvas.arrow(table.right, plus.left)
    canvas.arrow(places.right, (plus.x, 0.85), plus.bottom)
    last = plus
    room = 4.5
    wide = room / layers
    for layer in range(layers):
        block = canvas.box(5.3 + (layer + 0.5) * wide, y, wide - 0.35, 1.5, f"block\n{layer + 1}", "weight")
        canvas.arrow(last.right, block.left)
        last = block
    tame = canvas.box(10.5, y, 0.85, 0.8, "LN", "weight")
    head = canvas.box(11.85, y, 1.0, 0.8, "head", "weight")
    scores = canvas.box(13.28, y, 1.15, 0.8, "scores", "output")
    canvas.arrow(last.right, tame.left)
    canvas.arrow(tame.right, head.left)
    canvas.arrow(head.right, scores.left)
    canvas.arrow(table.top, (3.0, 4.25), (11.85, 4.25), head.top, head=False, dashed=True)
    canvas.text(7.5, 4.6, "tied: the same $V\\times C$ numbers")
    for x, shape in ((0.85, "$[B,T]$"), (7.55, "$[B,T,C]$"), (13.2, "$[B,T,V]$")):
        canvas.text(x, 1.45 if x == 7.55 else 1.8, shape, 12)
    return canvas.figure


def kv_cache(prompt: int = 4, new: int = 3) -> Figure:
    """What is computed anew in each round of writing, without a cache and with one.

    As in chapter 08: a prompt of m tokens, then n new ones; the last new token is never read. A column is a
    place, a row is a round; "read" (or +): keys and values are computed in this round; white: they are remembered.
    """
    places = prompt + new - 1
    cell = 4.68 / places
    high = cell * new
    sign = "read" if cell > 0.7 else "+"  # small cells have no room for a word
    canvas = Canvas(14, high + 2.9)
    for x, cached, title in ((4.1, False, "without a cache"), (11.2, True, "with a cache")):
        roles: list[list[str | None]] = []
        for known in range(prompt, prompt + new):
            fresh = [place < known and (not cached or known == prompt or place == known - 1) for place in range(places)]
            roles.append(["key" if fresh[place] else None if place < known else "masked" for place in range(places)])
        labels = [[sign if role == "key" else "" for role in row] for row in roles]
        grid = canvas.grid(x, 1.15 + high / 2, roles, cell, labels)
        left, top = grid.left[0], grid.top[1]
        canvas.text(x, top + 1.35, title, 12)
        canvas.brace(left + 0.05, left + prompt * cell - 0.05, top + 0.3, "prompt")
        total = sum(role == "key" for row in roles for role in row)
        canvas.text(x, 0.75, f"{total} tokens are read")
        for row in range(new):
            canvas.text(left - 0.2, top - (row + 0.5) * cell, f"round {row + 1}", SMALL, "right")
    canvas.text(
        7, 0.2, f"{sign}: keys and values are computed in this round;  white: remembered;  grey: not yet written", SMALL
    )
    return canvas.figure


def encoder_decoder(
    source: Sequence[str] = ("das", "Haus", "brennt"), target: Sequence[str] = ("the", "house", "burns")
) -> Figure:
    """Translation: the encoder reads the whole source; the decoder writes, and asks the source at every word.

    No letters but words: below the decoder stands what is written so far, behind `<s>`; above it the next words.
    """
    given, wanted = ["<s>", *target], [*target, "</s>"]
    wide = word_width([*source, *given, *wanted]) + 0.1
    first, second = wide * len(source), wide * len(given)
    gap = 1.7
    canvas = Canvas(first + gap + second + 0.6, 5.0)
    left, right = 0.3 + first / 2, 0.3 + first + gap + second / 2
    encoder = canvas.box(left, 2.4, first, 1.1, "encoder", "weight")
    decoder = canvas.box(right, 2.4, second, 1.1, "decoder", "weight")
    canvas.arrow(encoder.right, decoder.left, role="state")
    canvas.text((encoder.right[0] + decoder.left[0]) / 2, 2.7, "states", SMALL)
    for words, start in ((source, 0.3), (given, 0.3 + first + gap)):
        for column, word in enumerate(words):
            x = start + (column + 0.5) * wide
            box = canvas.box(x, 0.9, wide - 0.15, 0.65, plain(word), "input")
            canvas.arrow(box.top, (x, encoder.bottom[1]))
    for column, word in enumerate(wanted):
        x = 0.3 + first + gap + (column + 0.5) * wide
        box = canvas.box(x, 3.95, wide - 0.15, 0.65, plain(word), "output")
        canvas.arrow((x, decoder.top[1]), box.bottom)
    canvas.text(left, 0.25, "sees all words")
    canvas.text(right, 0.25, "reads what is written so far")
    canvas.text(right, 4.65, "next words")
    return canvas.figure


def masked_language_model(
    words: Sequence[str] = ("i", "want", "some", "thai", "food"), hidden: Sequence[int] = (1, 3)
) -> Figure:
    """Filling in: some words are covered, and the model guesses them from both sides; only there it is marked.

    No letters but words: `hidden` are the places (from 0) that [MASK] covers.
    """
    wide = word_width([*words, "[MASK]"]) + 0.2
    total = wide * len(words)
    canvas = Canvas(total + 0.6, 5.0)
    model = canvas.box(0.3 + total / 2, 2.4, total, 1.1, "model: every word sees every word", "weight")
    for column, word in enumerate(words):
        x = 0.3 + (column + 0.5) * wide
        covered = column in hidden
        label = "[MASK]" if covered else plain(word)
        below = canvas.box(x, 0.9, wide - 0.15, 0.65, label, "masked" if covered else "input", dashed=covered)
        canvas.arrow(below.top, (x, model.bottom[1]))
        if covered:
            above = canvas.box(x, 3.95, wide - 0.15, 0.65, plain(word), "output")
            canvas.arrow((x, model.top[1]), above.bottom)
    canvas.text(0.3 + total / 2, 4.65, "guessed, and marked")
    canvas.text(0.3 + total / 2, 0.25, "some words are covered")
    return canvas.figure


def reach(places: int = 9, layers: int = 3, window: int = 1) -> Figure:
    """Who is heard after some layers, where each word looks at its neighbours only: coloured words reach the output.

    As in chapter 07, section 7: T places, N layers; a line is a look that the mask allows, `window` places to each
    side. One output is asked, the middle one; grey lines and circles lead nowhere near it.
    """
    asked = places // 2
    wide, high, left = 1.35, 1.25, 3.1
    canvas = Canvas(left + wide * (places - 1) + 0.7, high * layers + 2.0)

    def heard(layer: int, place: int) -> bool:
        return abs(place - asked) <= window * (layers - layer)

    nodes = {}
    for layer in range(layers + 1):
        for place in range(places):
            role = "masked" if not heard(layer, place) else "input" if layer == 0 else "state"
            role = "output" if layer == layers and place == asked else role
            x, y = left + wide * place, 1.25 + high * layer
            nodes[layer, place] = canvas.circle(x, y, "", role, radius=0.24)
        label = "words" if layer == 0 else f"after layer {layer}"
        canvas.text(left - 0.75, 1.25 + high * layer, label, align="right")
    for (layer, place), node in nodes.items():
        for below in range(max(0, place - window), min(places, place + window + 1)) if layer else ():
            start = nodes[layer - 1, below]
            lit = heard(layer, place)
            canvas.arrow(start.top, node.bottom, role="state" if lit else "masked", head=lit, dashed=not lit)
    middle = left + wide * (places - 1) / 2
    first = max(0, asked - window * layers)
    last = min(places - 1, asked + window * layers)
    label = f"{last - first + 1} words reach this output"
    canvas.brace(left + wide * first - 0.3, left + wide * last + 0.3, 0.75, below=True)
    canvas.text(middle, 0.35, label)
    return canvas.figure


def encoder_heads(words: Sequence[str] = ("the", "cook", "sings", "today", "<filler>"), filler: int = 1) -> Figure:
    """Two heads over one encoder: a linear layer tags each word; another reads the mean or maximum of the real words.

    As in chapter 07, section 9: the encoder's output $X$ has a vector $x_t$ of C numbers for each of T places; K kinds
    of tag, or of text. The last `filler` places are padding: no line leads from them into the pool.
    """
    wide = word_width(words) + 0.2
    total = wide * len(words)
    canvas = Canvas(total + 4.4, 6.0)
    encoder = canvas.box(0.3 + total / 2, 2.2, total, 0.9, "encoder", "weight")
    pool = canvas.box(total + 2.3, 3.55, 2.4, 0.9, "mean or max", size=TEXT)
    y = 3.55
    vectors = []
    for column, word in enumerate(words):
        x = 0.3 + (column + 0.5) * wide
        padding = column >= len(words) - filler
        below = canvas.box(x, 0.85, wide - 0.15, 0.65, plain(word), "masked" if padding else "input", dashed=padding)
        canvas.arrow(below.top, (x, encoder.bottom[1]))
        vector = canvas.box(x, y, 0.9, 0.65, f"$x_{column + 1}$", "masked" if padding else "state", dashed=padding)
        canvas.arrow((x, encoder.top[1]), vector.bottom)
        vectors.append(vector)
        if not padding:
            tag = canvas.box(x, 5.05, 1.0, 0.65, "tag", "output")
            canvas.arrow(vector.top, tag.bottom)
            canvas.text(x + 0.42, 4.32, "$W$")
    kind = canvas.box(total + 2.3, 5.05, 1.4, 0.65, "class", "output")
    canvas.arrow(pool.top, kind.bottom)
    canvas.text(total + 2.72, 4.4, "$W$")
    low = 2.9
    real = len(words) - filler
    canvas.arrow((vectors[0].x + 0.3, low), (total + 2.3, low), pool.bottom, role="state")
    for vector in vectors[:real]:
        canvas.arrow((vector.x + 0.3, vector.bottom[1]), (vector.x + 0.3, low), head=False, role="state")
    canvas.text(max(2.2, 0.3 + wide * real / 2), 5.7, "one tag for each word")
    canvas.text(total + 2.3, 5.7, "one class for the text")
    canvas.text(0.3 + total / 2, 0.25, "padding is left out")
    return canvas.figure
