"""Chapter 06: soft lookups, heads, masks."""

from collections.abc import Callable, Mapping, Sequence

from matplotlib.figure import Figure

from lmkit.drawings.canvas import SMALL, Canvas, plain, word_width


def soft_lookup(n: int = 4) -> Figure:
    """A dictionary that answers softly: the query meets every key, softmax makes weights, the values are mixed.

    Letters as in chapter 06, section 1: $s_i = q \\cdot k_i$, $p_i$ their softmax, $z = \\sum_i p_i v_i$; $q$ and $k_i$
    are [d_k], $v_i$ and $z$ [d_v].
    """
    gap = 1.0
    middle = 0.75 + gap * (n - 1) / 2
    canvas = Canvas(14, gap * (n - 1) + 2.2)
    query = canvas.box(0.85, middle, 1.0, 0.75, "$q$", "query")
    soft = canvas.box(6.2, middle, 1.6, gap * (n - 1) + 0.75, "softmax")
    mix = canvas.circle(11.4, middle, "$+$", radius=0.36)
    answer = canvas.box(13.2, middle, 1.0, 0.75, "$z$", "output")
    for i in range(n):
        y = 0.75 + gap * (n - 1 - i)
        key = canvas.box(3.0, y, 1.0, 0.66, f"$k_{i + 1}$", "key")
        value = canvas.box(9.3, y, 1.0, 0.66, f"$v_{i + 1}$", "value")
        canvas.arrow((query.right[0], middle + (y - middle) * 0.12), key.left, role="query")
        canvas.arrow(key.right, (soft.left[0], y), label=f"$s_{i + 1}$", label_at=(4.5, y + 0.28))
        canvas.arrow((soft.right[0], y), value.left, label=f"$p_{i + 1}$", label_at=(7.8, y + 0.28))
        canvas.arrow(value.right, (mix.left[0] + 0.05 * abs(y - middle), middle + (y - middle) * 0.14), role="value")
    canvas.arrow(mix.right, answer.left)
    top = gap * (n - 1) + 1.75
    canvas.text(12.75, middle - 0.95, "$z=\\sum_i p_iv_i$")
    for x, words in (
        (3.0, "keys"),
        (4.5, "$q\\cdot k_i$"),
        (7.8, "weights"),
        (9.3, "values"),
    ):
        canvas.text(x, top, words)
    return canvas.figure


def cross_attention(
    source: Sequence[str] = ("das", "Haus", "brennt"), target: Sequence[str] = ("the", "house")
) -> Figure:
    """One text asks, another answers: queries from the words below, keys and values from the words above.

    Letters as in chapter 06, section 12: $Q = x W_q$ from the asking text $x$, $K = y W_k$ and $V = y W_v$ from the
    other text $y$; $Z = P V$ has a row for each asking word.
    """
    wide = word_width([*source, *target]) + 0.15
    half = max(len(source), len(target)) * wide / 2
    left = 0.75 + half
    canvas = Canvas(left + half + 8.6, 6.2)
    for words, y in ((source, 5.0), (target, 1.2)):
        for column, word in enumerate(words):
            x = left + (column - (len(words) - 1) / 2) * wide
            canvas.box(x, y, wide - 0.15, 0.7, plain(word))
    canvas.text(left - half - 0.35, 5.0, "$y$")
    canvas.text(left - half - 0.35, 1.2, "$x$")
    canvas.text(left, 5.75, "the text that is asked")
    canvas.text(left, 0.45, "the text that asks")
    edge = left + half
    keys = canvas.box(edge + 2.0, 4.35, 0.9, 0.7, "$K$", "key")
    values = canvas.box(edge + 2.0, 5.35, 0.9, 0.7, "$V$", "value")
    queries = canvas.box(edge + 2.0, 1.2, 0.9, 0.7, "$Q$", "query")
    weights = canvas.box(edge + 4.3, 2.9, 3.6, 0.9, "$P=\\mathrm{softmax}(QK^T/\\sqrt{D})$", size=11)
    mix = canvas.box(edge + 7.5, 2.9, 1.6, 0.9, "$Z=PV$", "output")
    start = left + len(source) * wide / 2
    canvas.arrow((start, 5.0), (edge + 0.4, 5.0), (edge + 0.4, 4.35), keys.left)
    canvas.arrow((edge + 0.4, 5.0), (edge + 0.4, 5.35), values.left)
    canvas.arrow((left + len(target) * wide / 2, 1.2), queries.left)
    canvas.text(edge + 0.95, 5.72, "$W_v$")
    canvas.text(edge + 0.95, 3.98, "$W_k$")
    canvas.text(edge + 0.95, 1.57, "$W_q$")
    canvas.arrow(queries.right, (weights.x, 1.2), weights.bottom, role="query")
    canvas.arrow(keys.right, (weights.x, 4.35), weights.top, role="key")
    canvas.arrow(values.right, (mix.x, 5.35), mix.top, role="value")
    canvas.arrow(weights.right, mix.left)
    canvas.text(mix.x, 2.05, "a row for each", SMALL)
    canvas.text(mix.x, 1.65, "asking word", SMALL)
    return canvas.figure


def two_heads() -> Figure:
    """Two heads: each looks up with its own columns of Q, K and V; side by side, the results are mixed by W_o.

    Letters as in chapter 06, section 6: $Q, K, V$ [T, C]; each of H heads sees D = C / H columns; $W_o$ [C, C].
    """
    canvas = Canvas(14, 5.6)
    cell, rows = 0.3, 3
    roles = ("query", "key", "value")
    for row, (name, role) in enumerate(zip("QKV", roles, strict=True)):
        y = 4.3 - 1.5 * row
        canvas.text(0.45, y, f"${name}$")
        whole = canvas.grid(1.45, y, [[role] * 4] * rows, cell)
        canvas.arrow((whole.x, y - 0.62), (whole.x, y + 0.62), head=False, dashed=True)
    canvas.brace_right(2.35, 0.8, 4.8)
    joined = canvas.grid(9.95, 2.8, [["output"] * 4] * rows, cell)
    for part, y in enumerate((4.2, 1.4)):
        canvas.arrow((2.35, 2.8), (2.6, 2.8), (2.6, y), (3.1, y))
        for place, role in enumerate(roles):
            last = canvas.grid(3.4 + 0.75 * place, y, [[role] * 2] * rows, cell)
        columns = "left halves" if part == 0 else "right halves"
        canvas.text(4.15, y + 0.8, columns)
        lookup = canvas.box(6.55, y, 2.1, 0.9, "soft lookup")
        canvas.arrow(last.right, lookup.left)
        result = canvas.grid(8.3, y, [["output"] * 2] * rows, cell)
        canvas.arrow(lookup.right, result.left)
        canvas.text(8.3, y + 0.8, f"head {part}")
        x = joined.x + (0.3 if part else -0.3)
        canvas.arrow(result.right, (x, y), (x, joined.bottom[1] if part else joined.top[1]))
    mixed = canvas.box(11.45, 2.8, 0.8, 0.9, "$W_o$", "weight")
    mixture = canvas.grid(13.0, 2.8, [["output"] * 4] * rows, cell)
    canvas.arrow(joined.right, mixed.left)
    canvas.arrow(mixed.right, mixture.left)
    canvas.text(12.1, 1.75, "$W_o$ mixes the heads")
    return canvas.figure


MASKS: dict[str, Callable[[int, int, int], bool]] = {
    "full": lambda row, column, n: True,
    "causal": lambda row, column, n: column <= row,
    "padding": lambda row, column, n: column < n - 2,
    "banded": lambda row, column, n: row - 2 < column <= row,
}


def masks(tables: Mapping[str, Sequence[Sequence[bool]]] | None = None, n: int = 6) -> Figure:
    """Who may look at whom: a row for the asking word, a column for the word it looks at; crossed out: minus infinity.

    As in chapter 06, section 5: entry [i, j] is True where row i may look at column j. Without `tables`, four
    kinds for n words: full, causal, padding (the last two words are none), banded (itself and one word before).
    """
    if tables is None:
        tables = {
            name: [[may(row, column, n) for column in range(n)] for row in range(n)] for name, may in MASKS.items()
        }
    cell = 0.42
    wide = max(len(table[0]) for table in tables.values()) * cell + 0.75
    high = max(len(table) for table in tables.values()) * cell
    total = max(10.0, 0.75 + wide * len(tables))  # the line of text below needs room
    margin = (total - wide * len(tables) + 0.75) / 2
    canvas = Canvas(total, high + 1.9)
    for place, (name, table) in enumerate(tables.items()):
        x = margin + wide * place + (wide - 0.75) / 2
        shown = [["query" if may else "masked" for may in row] for row in table]
        labels = [["" if may else "$\\times$" for may in row] for row in table]
        grid = canvas.grid(x, 1.0 + high / 2, shown, cell, labels)
        canvas.text(x, grid.top[1] + 0.4, name, 12)
    canvas.text(total / 2, 0.45, "a row asks, a column is looked at;  $\\times$: forbidden, its score is $-\\infty$")
    return canvas.figure
