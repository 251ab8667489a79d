# %% [markdown] statement="mle_table"
# ## 8. The printed slide is wrong: find it
#
# F. Silvestri and B. Muller also print $P(w_2 \mid w_1) = c(w_1 w_2) / c(w_1)$, rounded to two significant digits.
# Some cells are wrong. Write
#
# - `mle_table(pair_counts, word_counts)`: the DataFrame of exact probabilities. Eight columns are not the whole row,
#   so $c(w_1)$ comes from the dict `word_counts`, which may hold more words (no rows for these), in any order;
# - `wrong_cells(printed, exact)`: the set of cells `(w1, w2)` where the printed number is not the exact one rounded to
#   two significant digits (no printed number has more, no exact one lies halfway). Cells are matched by name: the two
#   tables may order their words differently.

# %% [markdown] hints="mle_table"
# 1. Row or column? Look at P(want | i): which count stands below the line?
# 2. Every number of a row shares one denominator. pandas divides along columns unless you tell it otherwise.
# 3. Two significant digits are a matter of the number, not of the place after the point: .00092 has two. Which way of
#    writing a number counts its digits from the first that is not 0?


# %% task="mle_table" points=5 level=2 minutes=20
def mle_table(pair_counts, word_counts):
    """P(w2 | w1), row w1, column w2, from a DataFrame of pair counts and a dict of word counts."""
    ### BEGIN SOLUTION
    return pair_counts.div(pd.Series(word_counts), axis="index").loc[pair_counts.index]
    ### END SOLUTION


def wrong_cells(printed, exact):
    """The set of (w1, w2) where `printed` is not `exact` rounded to two significant digits."""
    ### BEGIN SOLUTION
    return {
        (w1, w2)
        for w1 in printed.index
        for w2 in printed.columns
        if f"{printed.loc[w1, w2]:.2g}" != f"{exact.loc[w1, w2]:.2g}"
    }
    ### END SOLUTION


# %% test="mle_table" aspect="each row by its word count" points=1
_got = mle_table(pair_counts.copy(), dict(word_counts))
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert np.shape(_got) == (8, 8), (
    f"Wanted a table of 8 rows and 8 columns; yours has shape {np.shape(_got)}."
)
_value = _got.loc["i", "want"]
assert close(_value, 827 / 2533), (
    f"P(want | i) = 827 / 2533 = .326; yours: {_value:.3g}."
)
_value = _got.loc["chinese", "food"]
assert close(_value, 82 / 158), (
    f"P(food | chinese) = 82 / 158 = .519; yours: {_value:.3g}."
)
### BEGIN HIDDEN TESTS
_words = sorted(random.sample("abcdefg", 4))
_pairs = np.random.default_rng().integers(1, 9, (4, 4))
_total = {word: random.randint(40, 90) for word in _words}
_got = mle_table(pd.DataFrame(_pairs, index=_words, columns=_words), dict(_total))
assert np.shape(_got) == (4, 4), (
    f"Wanted a table of 4 rows and 4 columns; yours: {_got!r}."
)
for _i, _j in np.ndindex(4, 4):
    _value, _wanted = (
        _got.loc[_words[_i], _words[_j]],
        _pairs[_i, _j] / _total[_words[_i]],
    )
    assert close(_value, _wanted), (
        f"{_pairs[_i, _j]} pairs, {_total[_words[_i]]} times the first word: not {_value}."
    )
### END HIDDEN TESTS

# %% test="mle_table" aspect="words are matched by name" points=1
_pairs = pd.DataFrame([[1, 2], [3, 4]], index=["tea", "or"], columns=["tea", "or"])
_got = mle_table(_pairs.copy(), {"or": 8, "tea": 4})
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert np.shape(_got) == (2, 2), (
    f"Wanted a table of 2 rows and 2 columns; yours has shape {np.shape(_got)}."
)
assert close(_got.loc["tea", "or"], 0.5), (
    f"tea occurs 4 times, 2 of them before or: .5, wherever tea stands in the dict; yours: {_got.loc['tea', 'or']}."
)
### BEGIN HIDDEN TESTS
_words, _next = ["b", "e", "a", "d", "c"], ["d", "a", "b"]
for _order in ("abcde", "edcba", random.sample("abcde", 5)):
    _cells = np.random.default_rng().integers(0, 9, (5, 3))
    _pairs = pd.DataFrame(_cells, index=_words, columns=_next)
    _total = {word: 40 + 9 * i + random.randint(0, 5) for i, word in enumerate(_order)}
    _got = mle_table(_pairs.copy(), dict(_total))
    assert np.shape(_got) == (5, 3), f"5 rows and 3 columns of counts became {_got!r}."
    for _a, _b in [(a, b) for a in _words for b in _next]:
        assert close(_got.loc[_a, _b], _pairs.loc[_a, _b] / _total[_a]), (
            f"P({_b} | {_a}) is wrong where rows are not in the order of the dict."
        )
_after = arguments_after(mle_table, _pairs.copy(), dict(_total))
assert np.array_equal(_after[0], _cells), (
    "Leave `pair_counts` as they are: your function changes them."
)
assert dict(_after[1]) == _total, (
    "Leave `word_counts` as they are: your function changes them."
)
_pairs = pd.DataFrame([[1, 2], [3, 6]], index=["b", "a"], columns=["a", "d"])
_total = {"a": 12, "c": 7, "b": 4, "z": 9, "d": 5}
_got = mle_table(_pairs.copy(), dict(_total))
assert np.shape(_got) == (2, 2), (
    f"Words of the dict that are no rows of the counts make no rows; yours: {_got!r}."
)
_value = [[_got.loc[a, b] for b in ("a", "d")] for a in ("b", "a")]
assert close(_value, [[1 / 4, 2 / 4], [3 / 12, 6 / 12]]), (
    f"With more words in the dict than in the table you give {_value}."
)
_after = arguments_after(mle_table, _pairs.copy(), defaultdict(int, _total))[1]
assert dict(_after) == _total, (
    f"A look-up made `word_counts`, a defaultdict, grow: {set(_after) - set(_total)}."
)
_got = mle_table(pd.DataFrame([[1]], index=["a"], columns=["a"]), {"a": 2})
assert np.shape(_got) == (1, 1), (
    f"A table of one word makes a table of one word; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% test="mle_table" aspect="planted misprints are found" points=1
_exact = pd.DataFrame(
    [[0.3265, 0.0], [0.0009149, 0.003553]], index=["a", "b"], columns=["a", "b"]
)
_printed = pd.DataFrame(
    [[0.33, 0.0], [0.00092, 0.0036]], index=["a", "b"], columns=["a", "b"]
)
_got = wrong_cells(_printed, _exact)
assert hasattr(_got, "__iter__"), f"Return a set of cells; yours: {_got!r}."
assert ("a", "a") not in [tuple(cell) for cell in _got], (
    ".33 is .3265 to two digits: rounding is no mistake."
)
assert {tuple(cell) for cell in _got} == {("b", "a")}, (
    f"Only .00092 for .0009149, in row b and column a, is wrong; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _round in range(5):
    _digits = np.random.default_rng().integers(11, 98, (3, 4))
    _unit = 10.0 ** -np.random.default_rng().integers(2, 6, (3, 4))
    _names = [list("abc"), list("wxyz")]
    _noise = np.random.default_rng().uniform(-0.3, 0.3, (3, 4))
    _exact = pd.DataFrame((_digits + _noise) * _unit, *_names)
    _plant = (
        np.random.default_rng()
        .permuted([1, -1, 2, 2, 3, 0, 0, 0, 0, 0, 0, 0])
        .reshape(3, 4)
    )
    _printed = pd.DataFrame((_digits + _plant * (abs(_plant) == 1)) * _unit, *_names)
    _printed = _printed.map(lambda x: float(f"{x:.2g}"))
    _zero = list(zip(*np.nonzero(_plant == 2), strict=True))
    _printed.iloc[_zero[0]] = 0.0  # printed as impossible, and is not
    _exact.iloc[_zero[1]] = 0.0  # impossible, and not printed so
    for _table in (_printed, _exact):
        _table.iloc[tuple(np.argwhere(_plant == 3)[0])] = 0.0  # a zero that is right
    _rows, _columns = np.nonzero((_plant != 0) & (_plant != 3))
    _wanted = {("abc"[i], "wxyz"[j]) for i, j in zip(_rows, _columns, strict=True)}
    _other = (
        _exact if _round == 0 else _exact.loc[["c", "a", "b"], ["x", "z", "y", "w"]]
    )
    _got = wrong_cells(_printed.copy(), _other.copy())
    assert hasattr(_got, "__iter__"), f"Return a set of cells; yours: {_got!r}."
    _cell = next(iter({tuple(cell) for cell in _got} ^ _wanted), None)
    assert _cell is None, (
        f"{_cell} is {'a misprint that you miss' if _cell in _wanted else 'no misprint, but you report it'}: "
        f"printed {_printed.stack().get(_cell)}, exact {_exact.stack().get(_cell)}."
    )
_after = arguments_after(wrong_cells, _printed.copy(), _exact.copy())
assert np.array_equal(_after[0], _printed) and np.array_equal(_after[1], _exact), (
    "Leave the two tables as they are: your function changes one."
)
_exact = pd.DataFrame([[0.2104, 0.7043], [0.0396, 0.05871]], ["a", "b"], ["c", "d"])
_printed = pd.DataFrame([[0.2, 0.7], [0.04, 0.06]], ["a", "b"], ["c", "d"])
_got = wrong_cells(_printed, _exact)
assert hasattr(_got, "__iter__") and {tuple(cell) for cell in _got} == {
    ("a", "c"),
    ("b", "d"),
}, f"A printed .2 stands for .20, two digits as ever: .21 is right; yours: {_got!r}."
### END HIDDEN TESTS

# %% test="mle_table" aspect="wrong cells of two slides" points=2
_exact = pd.DataFrame(
    {
        w2: [pair_counts.loc[w1, w2] / word_counts[w1] for w1 in word_counts]
        for w2 in word_counts
    }
)
_exact.index = list(word_counts)
_found = [
    wrong_cells(berkeley.table(f"mle_printed_{slide}"), _exact)
    for slide in ("004", "002")
]
assert all(hasattr(cells, "__iter__") for cells in _found), (
    f"Return a set of cells; yours: {_found!r}."
)
_number = [len(list(cells)) for cells in _found]
assert _number == [3, 1], (
    f"B. Muller's slide has 3 wrong cells and F. Silvestri's 1; you find {_number[0]} and {_number[1]}."
)
### BEGIN HIDDEN TESTS
_shared = {("food", "chinese")}
assert {tuple(cell) for cell in _found[0]} == {("i", "i"), ("i", "eat")} | _shared, (
    "B. Muller's slide: other cells are wrong."
)
assert {tuple(cell) for cell in _found[1]} == _shared, (
    "F. Silvestri's slide: another cell is wrong."
)
_edited = berkeley.table("mle_printed_004")
_edited.loc["i", "i"] = float(f"{_exact.loc['i', 'i']:.2g}")
_edited.loc["want", "to"] = 0.56
_edited.loc["spend", "i"] = 0.036
_got = wrong_cells(_edited, _exact.copy())
assert hasattr(_got, "__iter__"), f"Return a set of cells; yours: {_got!r}."
_wanted = {("i", "eat"), ("want", "to"), ("spend", "i"), *_shared}
assert {tuple(cell) for cell in _got} == _wanted, (
    "A slide like B. Muller's with other misprints: other cells are wrong."
)
### END HIDDEN TESTS

# %%
exact = mle_table(pair_counts, word_counts)
for slide in ("mle_printed_002", "mle_printed_004"):
    printed = berkeley.table(slide)
    for w1, w2 in sorted(wrong_cells(printed, exact)):
        print(
            f"{slide}: P({w2} | {w1}), printed {printed.loc[w1, w2]:.2g}, exact {exact.loc[w1, w2]:.4g}"
        )

# %% folded="draws the table and its wrong cells" alt="A coloured table of bigram probabilities of eight restaurant words. Frames mark the three cells whose printed value is wrong: i after i, eat after i, and chinese after food."
axes = plots.heatmap(
    exact, "P(next | previous), from the counts", "probability", log=True
)
for w1, w2 in wrong_cells(berkeley.table("mle_printed_004"), exact):
    corner = exact.columns.get_loc(w2) - 0.5, exact.index.get_loc(w1) - 0.5
    axes.add_patch(
        plt.Rectangle(
            corner, 1, 1, fill=False, edgecolor=plots.COLOURS[1], linewidth=2.5
        )
    )
plt.show()


# %% [markdown]
# The frames show the wrong cells of one of the two slides; two of its numbers are ten times too large. White cells
# are pairs that never occurred, and they make up half of the table.
