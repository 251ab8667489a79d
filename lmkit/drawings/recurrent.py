"""Chapter 05: networks that carry a state from word to word."""

import math
import re
from collections.abc import Sequence

from matplotlib.figure import Figure

from lmkit.drawings.canvas import Canvas, plain, word_width

Part = tuple[str, str | None, Sequence[float]]  # a vector in a drawing: its label, its role, its numbers


def unrolled_rnn(steps: int = 4) -> Figure:
    """The recurrent network written out: the same weights at every step, one state handed to the next.

    Letters as in chapter 05, section 2: $h_t = \\tanh(W_x e_t + W_h h_{t-1} + b)$, scores $s_t = U h_t$;
    $e_t$ [d], $h_t$ [k], $W_x$ [k, d], $W_h$ [k, k], $U$ [V, k].
    """
    gap = 2.7
    canvas = Canvas(2.0 + gap * steps, 6.2)
    last = canvas.box(0.85, 3.1, 0.9, 0.8, "$h_0$", "state")
    for step in range(1, steps + 1):
        x = 0.85 + gap * step
        word = canvas.box(x, 0.75, 1.0, 0.8, f"$e_{{{step}}}$", "input")
        state = canvas.box(x, 3.1, 1.1, 0.95, f"$h_{{{step}}}$", "state")
        scores = canvas.box(x, 5.4, 1.0, 0.8, f"$s_{{{step}}}$", "output")
        canvas.arrow(last.right, state.left, label="$W_h$", label_at=((last.right[0] + state.left[0]) / 2, 3.5))
        canvas.arrow(word.top, state.bottom, label="$W_x$", label_at=(x + 0.48, 1.85))
        canvas.arrow(state.top, scores.bottom, label="$U$", label_at=(x + 0.35, 4.25))
        last = state
    return canvas.figure


def lstm_cell() -> Figure:
    """One step of the LSTM: the cell C runs along the top, three gates say what it forgets, writes and shows.

    Letters as in chapter 05, section 3: $\\tilde C_t = \\tanh(W_C[e_t, h_{t-1}] + b_C)$; $f_t$, $i_t$, $o_t$ are
    $\\sigma(W_f[e_t, h_{t-1}] + b_f)$ and so on (biases are not drawn);
    $C_t = i_t \\star \\tilde C_t + f_t \\star C_{t-1}$; $h_t = o_t \\star \\tanh(C_t)$.
    $C$ and $h$ are [k], $e_t$ is [d], each $W$ is [k, d + k].
    """
    canvas = Canvas(14, 7.4)
    top, gate_y, bus = 6.3, 2.95, 1.6
    before = canvas.box(0.95, top, 1.3, 0.8, "$C_{t-1}$", "state")
    after = canvas.box(13.05, top, 1.3, 0.8, "$C_t$", "state")
    hidden = canvas.box(0.95, bus, 1.3, 0.8, "$h_{t-1}$", "state")
    new = canvas.box(13.05, gate_y + 1.5, 1.3, 0.8, "$h_t$", "state")
    word = canvas.box(2.2, 0.5, 1.0, 0.75, "$e_t$", "input")
    places = {"f": 3.4, "i": 5.6, "C": 7.8, "o": 10.4}
    gates = {}
    for name, x in places.items():
        function = "\\tanh" if name == "C" else "\\sigma"
        gates[name] = canvas.box(x, gate_y, 1.85, 0.85, f"${function}(W_{name})$", "weight", size=12)
    # All four read the same: the word's vector and the last state, side by side.
    canvas.arrow(hidden.right, (10.4, bus), (10.4, gates["o"].bottom[1]))
    for name in "fiC":
        canvas.arrow((places[name], bus), gates[name].bottom)
    canvas.arrow(word.top, (2.2, bus), head=False)
    canvas.text(6.7, 1.2, "$[e_t,\\,h_{t-1}]$: the same for all four")
    forget = canvas.circle(places["f"], top, "$\\star$")
    plus = canvas.circle(6.7, top, "$+$")
    write = canvas.circle(6.7, 4.75, "$\\star$")
    squash = canvas.box(11.3, 5.45, 1.1, 0.6, "tanh")
    show = canvas.circle(11.3, new.y, "$\\star$")
    canvas.arrow(before.right, forget.left)
    canvas.arrow(forget.right, plus.left)
    canvas.arrow(plus.right, after.left)
    canvas.arrow(write.top, plus.bottom)
    canvas.arrow(gates["f"].top, forget.bottom, label="forget $f_t$", label_at=(3.2, 4.0), align="right")
    canvas.arrow(gates["i"].top, (5.6, 4.75), write.left, label="input $i_t$", label_at=(5.4, 4.0), align="right")
    canvas.arrow(gates["C"].top, (7.8, 4.75), write.right, label="$\\tilde{C}_t$", label_at=(8.2, 4.0))
    canvas.arrow((11.3, top), squash.top)
    canvas.arrow(squash.bottom, show.top)
    canvas.arrow(gates["o"].top, (10.4, new.y), show.left, label="output $o_t$", label_at=(10.2, 3.95), align="right")
    canvas.arrow(show.right, new.left)
    return canvas.figure


def lstm_gates(
    before: Sequence[float] = (0.8, -0.5, 0.3),
    candidate: Sequence[float] = (0.9, 0.6, -0.4),
    forget: Sequence[float] = (1, 0, 0.5),
    write: Sequence[float] = (0, 1, 0.5),
    show: Sequence[float] = (1, 0, 1),
) -> Figure:
    """A step of an LSTM in numbers, gate by gate: what stays, what is added, the new cell, what it shows.

    Letters as in chapter 05, section 3: `before` is $C_{t-1}$, `candidate` $\\tilde C_t$, the gates are $f_t$, $i_t$
    and $o_t$, between 0 and 1; all are [k].
    """
    cell, gap = 0.9, 0.85
    long = cell * len(before)
    canvas = Canvas(2.4 + 3 * long + 2 * gap, 8.0)
    kept = [f * c for f, c in zip(forget, before, strict=True)]
    added = [i * c for i, c in zip(write, candidate, strict=True)]
    now = [one + two for one, two in zip(kept, added, strict=True)]
    squashed = [math.tanh(c) for c in now]
    shown = [o * c for o, c in zip(show, squashed, strict=True)]
    stays: Part = ("$f_t \\star C_{t-1}$", "state", kept)
    comes: Part = ("$i_t \\star \\tilde{C}_t$", "input", added)
    rows: list[tuple[str, tuple[Part, ...]]] = [
        ("forget", (("$C_{t-1}$", "state", before), ("$f_t$", None, forget), stays)),
        ("input", (("$\\tilde{C}_t$", "input", candidate), ("$i_t$", None, write), comes)),
        ("add", (stays, comes, ("$C_t$", "state", now))),
        ("output", (("$\\tanh(C_t)$", "state", squashed), ("$o_t$", None, show), ("$h_t$", "state", shown))),
    ]
    for row, (name, parts) in enumerate(rows):
        y = 6.6 - 1.95 * row
        canvas.text(1.0, y, name)
        for column, (label, role, numbers) in enumerate(parts):
            x = 2.1 + long / 2 + column * (long + gap)
            canvas.grid(x, y, [[role] * len(numbers)], cell, [[short(number) for number in numbers]])
            canvas.text(x, y + 0.85, label)
        for column, sign in enumerate(("$+$" if name == "add" else "$\\star$", "$=$")):
            canvas.text(2.1 + long + gap / 2 + column * (long + gap), y, sign, 15)
    return canvas.figure


def short(number: float) -> str:
    """Two decimals at most, no zero before the point: 0.66 is .66, 1.0 is 1."""
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else re.sub(r"\b0\.", ".", text)


def truncated_bptt(pieces: int = 3, steps: int = 3) -> Figure:
    """A long text in pieces of T tokens: the state goes on from piece to piece, the gradient stops at the cut.

    Letters as in chapter 05, section 6: $T$ tokens in a piece, $h_t$ the state after token $t$.
    """
    gap, between = 1.12, 1.05
    long = gap * steps
    canvas = Canvas(1.75 + pieces * long + (pieces - 1) * between + 0.5, 5.0)
    y = 2.7
    last = canvas.box(0.7, y, 0.78, 0.75, "$h_0$", "state")
    for piece in range(pieces):
        left = 1.75 + piece * (long + between)
        canvas.box(left + long / 2, 2.45, long + 0.4, 2.15, "", "masked", behind=True)
        first = None
        for step in range(steps):
            state = canvas.box(left + (step + 0.5) * gap, y, 0.78, 0.75, f"$h_{{{piece * steps + step + 1}}}$", "state")
            canvas.arrow(last.right, state.left)
            first = first or state
            if step:
                canvas.arrow((state.x - 0.08, 1.8), (last.x + 0.08, 1.8), role="gradient")
            last = state
        canvas.brace(left - 0.15, left + long + 0.15, 3.85, f"piece {piece + 1}: $T$ = {steps} tokens")
        if piece:
            canvas.text(left - between / 2, 1.8, "$\\times$", 16)
    canvas.arrow((1.2, 0.6), (2.2, 0.6))
    canvas.text(2.4, 0.6, "the state goes on", align="left")
    canvas.arrow((7.6, 0.6), (6.6, 0.6), role="gradient")
    canvas.text(7.8, 0.6, "the gradient stops at $\\times$", align="left")
    return canvas.figure


def stacked_and_bidirectional(steps: int = 3) -> Figure:
    """Two recurrent layers, one above the other; two layers that read in opposite directions.

    Letters as in chapter 05, section 12: $e_t$ [d] the words; $h_t^{(1)}$, $h_t^{(2)}$ the states of the first
    and second layer; $h_t^L$, $h_t^R$ those of the layer that reads from the left and from the right.
    """
    gap = 2.3
    long = gap * (steps - 1)
    canvas = Canvas(2 * long + 6.4, 6.4)
    for start, title, lower, upper in (
        (1.2, "stacked", "(1)", "(2)"),
        (long + 5.2, "bidirectional", "L", "R"),
    ):
        stacked = title == "stacked"
        canvas.text(start + long / 2, 6.0, title)
        words, low, high = [], [], []
        for t in range(1, steps + 1):
            x = start + gap * (t - 1)
            words.append(canvas.box(x, 0.7, 1.0, 0.8, f"$e_{{{t}}}$", "input"))
            low.append(canvas.box(x, 2.6, 1.1, 0.85, f"$h_{{{t}}}^{{{lower}}}$", "state"))
            high.append(canvas.box(x, 4.7, 1.1, 0.85, f"$h_{{{t}}}^{{{upper}}}$", "state"))
        for t in range(steps):
            canvas.arrow(words[t].top, low[t].bottom)
            if stacked:
                canvas.arrow(low[t].top, high[t].bottom)
            else:  # round the lower state: the upper one reads the word itself
                x, y = words[t].x + 0.8, words[t].y
                canvas.arrow(words[t].right, (x, y), (x, 3.7), (high[t].x, 3.7), high[t].bottom)
        for t in range(1, steps):
            canvas.arrow(low[t - 1].right, low[t].left)
            one, two = (high[t - 1], high[t])
            canvas.arrow(*((one.right, two.left) if stacked else (two.left, one.right)))
    return canvas.figure


def joined_lstms(
    source: Sequence[str] = ("the", "cook", "slept"),
    target: Sequence[str] = ("kubar", "to", "dormi"),
    attention: bool = False,
) -> Figure:
    """Two LSTMs, written out: the decoder begins with the encoder's last state, and reads what is written so far.

    As in chapter 09, sections 3 and 6: pink states, $s_i$ of the encoder and $h_t$ of the decoder, [d] each. With
    `attention`, each state $h_t$ of the decoder asks all of the encoder's: $\\alpha$ are its weights, the context $a_t$
    is what it finds, and "mix" brings both together. The way from $h_t$ to $a_t$ is drawn for the first word.
    """
    given, wanted = ["<s>", *target], [*target, "</s>"]
    wide = word_width([*source, *given, *wanted]) + 0.35
    first, gap = wide * len(source), 1.0
    top = 7.4 if attention else 4.9
    canvas = Canvas(first + gap + wide * len(given) + 0.6, top)
    last, states = None, []
    for column, word in enumerate([*source, *given]):
        reads = column < len(source)
        x = 0.3 + wide * (column + 0.5) + (0 if reads else gap)
        below = canvas.box(x, 0.9, wide - 0.35, 0.65, plain(word), "input")
        name = f"$s_{{{column + 1}}}$" if reads else f"$h_{{{column - len(source) + 1}}}$"
        state = canvas.box(x, 2.4, 0.95, 0.85, name, "state")
        canvas.arrow(below.top, state.bottom)
        if last is not None:
            canvas.arrow(last.right, state.left, role="state" if column == len(source) else None)
        if not reads:
            above = canvas.box(x, top - 0.95, wide - 0.35, 0.65, plain(wanted[column - len(source)]), "output")
            start = state.top
            if attention:
                mix = canvas.box(x, 5.25, 0.95, 0.65, "mix", "weight")
                canvas.arrow(start, mix.bottom)
                start = mix.top
                if column > len(source):  # how a context is found is drawn for the first word only
                    own = canvas.box(x - wide / 2, 4.05, 0.75, 0.65, f"$a_{{{column - len(source) + 1}}}$", "value")
                    canvas.arrow(own.top, mix.left)
            canvas.arrow(start, above.bottom)
        last = state
        states.append(state)
    canvas.text(0.3 + first / 2, 0.25, "encoder")
    canvas.text(0.3 + first + gap + wide * len(given) / 2, 0.25, "decoder")
    if attention:
        middle, asking = 0.3 + first / 2, states[len(source)].x
        weigh = canvas.circle(middle, 4.05, "$\\alpha$", "query", 0.36)
        found = canvas.box(middle, 5.25, 1.1, 0.85, "$a_1$", "value")
        for state in states[: len(source)]:
            canvas.arrow(state.top, weigh.bottom, head=False)
        canvas.arrow(weigh.top, found.bottom)
        canvas.arrow((asking, weigh.y), weigh.right, role="query")
        canvas.arrow(found.right, (asking - 0.475, 5.25))
    return canvas.figure
