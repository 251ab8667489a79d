"""Answers to the task mle_table of chapter 01."""


# %% right="one number at a time; a rounding function"
def mle_table(pair_counts, word_counts):
    table = pd.DataFrame(index=pair_counts.index, columns=pair_counts.columns, dtype=float)
    for w1 in pair_counts.index:
        for w2 in pair_counts.columns:
            table.loc[w1, w2] = pair_counts.loc[w1, w2] / word_counts[w1]
    return table


def two_digits(x):
    return 0.0 if x == 0 else round(x, 1 - math.floor(math.log10(abs(x))))


def wrong_cells(printed, exact):
    cells = []
    for w1 in printed.index:
        for w2 in printed.columns:
            if not math.isclose(two_digits(printed.loc[w1, w2]), two_digits(exact.loc[w1, w2]), abs_tol=1e-15):
                cells.append((w1, w2))
    return cells


# %% right="arrays, then names again"
def mle_table(pair_counts, word_counts):
    below = np.array([word_counts[w1] for w1 in pair_counts.index])[:, None]
    return pd.DataFrame(pair_counts.to_numpy() / below, index=pair_counts.index, columns=pair_counts.columns)


def wrong_cells(printed, exact):
    exact = exact.loc[printed.index, printed.columns]
    short = [table.map("{:.1e}".format).to_numpy() for table in (printed, exact)]
    rows, columns = np.nonzero(short[0] != short[1])
    return set(zip(printed.index[rows], printed.columns[columns]))


# %% right="transposed division; within half a unit of the second digit"
def mle_table(pair_counts, word_counts):
    counts = pd.Series({word: word_counts[word] for word in pair_counts.index})
    return (pair_counts.T / counts).T


def wrong_cells(printed, exact):
    cells = set()
    for w1, row in printed.iterrows():
        for w2, value in row.items():
            unit = 10 ** (math.floor(math.log10(value)) - 1) if value > 0 else 1e-9
            if abs(value - exact.loc[w1, w2]) > unit / 2 * (1 + 1e-9):
                cells.add((w1, w2))
    return cells


# %% right="exact comparison of two-digit floats"
def mle_table(pair_counts, word_counts):
    return pair_counts.apply(lambda row: row / word_counts[row.name], axis=1)


def wrong_cells(printed, exact):
    wrong = set()
    for w1 in printed.index:
        for w2 in printed.columns:
            if float(f"{exact.loc[w1, w2]:.2g}") != printed.loc[w1, w2]:
                wrong.add((w1, w2))
    return wrong


# %% right="round to two digits, compared exactly"
def mle_table(pair_counts, word_counts):
    rows = {w1: {w2: row[w2] / word_counts[w1] for w2 in pair_counts.columns} for w1, row in pair_counts.iterrows()}
    return pd.DataFrame(rows).T


def wrong_cells(printed, exact):
    def two(x):
        return x if x == 0 else round(float(x), 1 - math.floor(math.log10(x)))

    return [(a, b) for a in printed.index for b in printed.columns if printed.loc[a, b] != two(exact.loc[a, b])]


# %% wrong="divided along the columns" caught_by="each row by its word count" change="pair_counts.div(pd.Series(word_counts), axis=\"index\").loc[pair_counts.index] -> pair_counts / pd.Series(word_counts)"


# %% wrong="row sums of eight columns" caught_by="each row by its word count" change="pd.Series(word_counts), axis=\"index\").loc[pair_counts.index] -> pair_counts.sum(axis=1), axis=\"index\")"


# %% wrong="counts by position, not by name" caught_by="words are matched by name" change="pd.Series(word_counts), axis=\"index\").loc[pair_counts.index] -> list(word_counts.values()), axis=\"index\")"


# %% wrong="no rounding at all" caught_by="planted misprints are found | wrong cells of two slides"
# -     return pair_counts.div(pd.Series(word_counts), axis="index").loc[pair_counts.index]
# +     return pair_counts.div(pd.Series(word_counts), axis="index")

# -         if f"{printed.loc[w1, w2]:.2g}" != f"{exact.loc[w1, w2]:.2g}"
# +         if not math.isclose(printed.loc[w1, w2], exact.loc[w1, w2], rel_tol=1e-6)


# %% wrong="two places behind the point" caught_by="planted misprints are found | wrong cells of two slides"
# -     return pair_counts.div(pd.Series(word_counts), axis="index").loc[pair_counts.index]
# +     return pair_counts.div(pd.Series(word_counts), axis="index")

# -         if f"{printed.loc[w1, w2]:.2g}" != f"{exact.loc[w1, w2]:.2g}"
# +         if round(printed.loc[w1, w2], 2) != round(exact.loc[w1, w2], 2)


# %% wrong="five percent is close enough" caught_by="planted misprints are found | wrong cells of two slides"
# -     return pair_counts.div(pd.Series(word_counts), axis="index").loc[pair_counts.index]
# +     return pair_counts.div(pd.Series(word_counts), axis="index")

# -         if f"{printed.loc[w1, w2]:.2g}" != f"{exact.loc[w1, w2]:.2g}"
# +         if not math.isclose(printed.loc[w1, w2], exact.loc[w1, w2], rel_tol=0.05)


# %% wrong="column before row" caught_by="planted misprints are found | wrong cells of two slides"
# -     return pair_counts.div(pd.Series(word_counts), axis="index").loc[pair_counts.index]
# +     return pair_counts.div(pd.Series(word_counts), axis="index")

# -         (w1, w2)
# +         (w2, w1)


# %% wrong="the cells of the slide typed in" caught_by="planted misprints are found"
def mle_table(pair_counts, word_counts):
    return pair_counts.div(pd.Series(word_counts), axis="index")


def wrong_cells(printed, exact):
    cells = {("i", "i"), ("i", "eat"), ("food", "chinese")}
    return {
        cell for cell in cells if cell[0] in printed.index and f"{printed.loc[cell]:.2g}" != f"{exact.loc[cell]:.2g}"
    }


# %% wrong="a printed zero is never wrong" caught_by="planted misprints are found"
def mle_table(pair_counts, word_counts):
    return pair_counts.div(pd.Series(word_counts), axis="index").loc[pair_counts.index]


def wrong_cells(printed, exact):
    cells = set()
    for w1 in printed.index:
        for w2 in printed.columns:
            old, new = printed.loc[w1, w2], exact.loc[w1, w2]
            if old and f"{old:.2g}" != f"{new:.2g}":
                cells.add((w1, w2))
    return cells


# %% wrong="a number for an exact zero is never wrong" caught_by="planted misprints are found"
def mle_table(pair_counts, word_counts):
    return pair_counts.div(pd.Series(word_counts), axis="index").loc[pair_counts.index]


def wrong_cells(printed, exact):
    cells = set()
    for w1 in printed.index:
        for w2 in printed.columns:
            old, new = printed.loc[w1, w2], exact.loc[w1, w2]
            if new and f"{old:.2g}" != f"{new:.2g}":
                cells.add((w1, w2))
    return cells


# %% wrong="cells compared by place" caught_by="planted misprints are found"
def mle_table(pair_counts, word_counts):
    return pair_counts.div(pd.Series(word_counts), axis="index").loc[pair_counts.index]


def wrong_cells(printed, exact):
    short = [table.map("{:.1e}".format).to_numpy() for table in (printed, exact)]
    rows, columns = np.nonzero(short[0] != short[1])
    return set(zip(printed.index[rows], printed.columns[columns]))


# %% wrong="a column of totals stays in the caller's table" caught_by="words are matched by name"
def mle_table(pair_counts, word_counts):
    words = list(pair_counts.columns)
    pair_counts["total"] = [word_counts[word] for word in pair_counts.index]
    return pair_counts[words].div(pair_counts["total"], axis="index")


def wrong_cells(printed, exact):
    cells = set()
    for w1 in printed.index:
        for w2 in printed.columns:
            old, new = printed.loc[w1, w2], exact.loc[w1, w2]
            if f"{old:.2g}" != f"{new:.2g}":
                cells.add((w1, w2))
    return cells


# %% wrong="the caller's tables are rounded" caught_by="planted misprints are found"
# -     """The set of (w1, w2) where `printed` is not `exact` rounded to two significant digits."""
# +     for column in exact.columns:
# +         exact[column] = exact[column].map(lambda x: float(f"{x:.2g}"))


# %% wrong="half a per cent is close enough for large numbers" caught_by="planted misprints are found"
def mle_table(pair_counts, word_counts):
    return pair_counts.div(pd.Series(word_counts), axis="index").loc[pair_counts.index]


def wrong_cells(printed, exact):
    cells = set()
    for w1 in printed.index:
        for w2 in printed.columns:
            old, new = printed.loc[w1, w2], exact.loc[w1, w2]
            if abs(old - new) > 0.0051 * max(old, new) and abs(old - new) > 0.00001:
                cells.add((w1, w2))
    return cells


# %% wrong="the smaller of both counts of a pair below the line" caught_by="each row by its word count"
def mle_table(pair_counts, word_counts):
    table = pair_counts.astype(float)
    for w1 in table.index:
        for w2 in table.columns:
            table.loc[w1, w2] /= min(word_counts[w1], word_counts.get(w2, word_counts[w1]))
    return table


def wrong_cells(printed, exact):
    cells = set()
    for w1 in printed.index:
        for w2 in printed.columns:
            old, new = printed.loc[w1, w2], exact.loc[w1, w2]
            if f"{old:.2g}" != f"{new:.2g}":
                cells.add((w1, w2))
    return cells


# %% wrong="rows and columns both taken from the dict" caught_by="words are matched by name"
def mle_table(pair_counts, word_counts):
    words = list(word_counts)
    table = pair_counts.reindex(index=words, columns=words, fill_value=0)
    return table.div(pd.Series(word_counts), axis="index").loc[words]


def wrong_cells(printed, exact):
    cells = set()
    for w1 in printed.index:
        for w2 in printed.columns:
            old, new = printed.loc[w1, w2], exact.loc[w1, w2]
            if f"{old:.2g}" != f"{new:.2g}":
                cells.add((w1, w2))
    return cells


# %% right="32-bit floats; cells as lists"
def mle_table(pair_counts, word_counts):
    table = pair_counts.astype("float32")
    for w1 in table.index:
        table.loc[w1] = table.loc[w1] / word_counts[w1]
    return table


def wrong_cells(printed, exact):
    same = printed.map("{:.2g}".format) == exact.reindex_like(printed).map("{:.2g}".format)
    return [[w1, w2] for w1 in same.index for w2 in same.columns if not same.loc[w1, w2]]


# %% wrong="every word of the dict makes a row" caught_by="words are matched by name" change=".loc[pair_counts.index] -> "


# %% wrong="compared with as many places as Python shows" caught_by="planted misprints are found"
def mle_table(pair_counts, word_counts):
    return pair_counts.div(pd.Series(word_counts), axis="index").loc[pair_counts.index]


def wrong_cells(printed, exact):
    wrong = set()
    for w1 in printed.index:
        for w2 in printed.columns:
            shown = f"{printed.loc[w1, w2]:.10f}".rstrip("0")
            places = len(shown.split(".")[1]) or 9
            if f"{exact.loc[w1, w2]:.{places}f}" != f"{printed.loc[w1, w2]:.{places}f}":
                wrong.add((w1, w2))
    return wrong
