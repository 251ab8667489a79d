# %% [markdown]
# ## 7. Count it yourself
#
# This is how often eight words follow one another (row, then column) in the real sentences, as two
# lectures print it:

# %%
pair_counts = berkeley.table("bigram_counts")
word_counts = berkeley.unigram_counts().to_dict()
print(word_counts, pair_counts, sep="\n\n")

# %% [markdown] statement="count_table"
# Do our sentences have these counts? `count_table(sentences, words)` returns a DataFrame with a row and a column for
# each of `words`, in that order: how often $w_2$ (column) stands right after $w_1$ (row) *in one sentence*. A pair
# that never occurs has 0.

# %% [markdown] hints="count_table"
# 1. What stands after the last word of a sentence?
# 2. One pass can count every pair of the text; the table is then 64 look-ups. (64 passes are slow.)
# 3. Where two sentences meet no pair may arise, so pairs must be formed while you still know which sentence you are
#    in. And a pair nobody counted must come out as 0, not as an error.


# %% task="count_table" points=3 level=2 minutes=12
def count_table(sentences, words):
    """How often w2 (column) stands right after w1 (row) in a sentence, as a DataFrame over `words`."""
    ### BEGIN SOLUTION
    counts = Counter(pair for sentence in sentences for pair in pairwise(sentence))
    return pd.DataFrame(
        [[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words
    )
    ### END SOLUTION


# %% test="count_table" aspect="all 64 printed counts" points=1
_got = count_table(train_sentences + test_sentences, list(berkeley.WORDS))
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert np.shape(_got) == (8, 8), (
    f"Eight words make a table of shape (8, 8); yours: {np.shape(_got)}."
)
_cells = [(w1, w2) for w1 in berkeley.WORDS for w2 in berkeley.WORDS]
_off = [cell for cell in _cells if _got.loc[cell] != pair_counts.loc[cell]]
assert not _off, (
    f"{64 - len(_off)} of 64 cells are as printed. One that is not: `{' '.join(_off[0])}` is printed "
    f"as {pair_counts.loc[_off[0]]}, you count {_got.loc[_off[0]]}."
)
### BEGIN HIDDEN TESTS
_some, _words = random.sample(train_sentences, 500), ["want", "food", "to", "i"]
_wanted = Counter(pair for sentence in _some for pair in pairwise(sentence))
_got = count_table([list(sentence) for sentence in _some], list(_words))
assert np.shape(_got) == (4, 4), (
    f"Four words make a table of shape (4, 4); yours: {np.shape(_got)}."
)
_off = [
    f"{a} {b}"
    for a in _words
    for b in _words
    if not close(_got.loc[a, b], _wanted[a, b])
]
assert not _off, f"In 500 of the sentences you miscount {_off}."
_got = count_table([["a"] * 70_001, ["b"]], ["b", "a"])
assert np.shape(_got) == (2, 2), (
    f"Two words make a table of shape (2, 2); yours: {_got!r}."
)
assert close(_got.loc["a", "a"], 70_000), (
    f"70,001 times `a` in a row are 70,000 pairs; yours: {_got.loc['a', 'a']}."
)
### END HIDDEN TESTS

# %% test="count_table" aspect="no pair across two sentences" points=1
_got = count_table([["no", "tea"], ["no", "no", "no"], ["tea"]], ["no", "tea"])
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert _got.loc["tea", "no"] == 0, (
    f"`tea` ends a sentence, `no` begins the next: no pair; yours: {_got.loc['tea', 'no']}."
)
assert _got.loc["no", "no"] == 2, (
    f"`no no no` has two pairs `no no`; yours: {_got.loc['no', 'no']}."
)
### BEGIN HIDDEN TESTS
_text = [
    [],
    ["a"],
    ["b"],
    [],
    *(random.choices("abcd", k=random.randint(2, 6)) for _ in range(30)),
]
random.shuffle(_text)
_got = count_table([list(sentence) for sentence in _text], ["c", "a", "b"])
assert np.shape(_got) == (3, 3), (
    f"Three words make a table of shape (3, 3); yours: {np.shape(_got)}."
)
_joined = " ".join("".join(sentence) for sentence in _text)
for _a, _b in [(a, b) for a in "abc" for b in "abc"]:
    _number = sum(_joined.startswith(_a + _b, start) for start in range(len(_joined)))
    assert close(_got.loc[_a, _b], _number), (
        f"`{_a} {_b}` occurs {_number} times in a random text; yours: {_got.loc[_a, _b]}."
    )
_text = [["no", "team"], ["piano", "tea"], ["no", "tea"], ["No", "tea"], ["not", "ea"]]
_after = arguments_after(
    count_table, [list(sentence) for sentence in _text], ["tea", "no"]
)
assert [list(sentence) for sentence in _after[0]] == _text, (
    "Leave `sentences` as they are."
)
assert list(_after[1]) == ["tea", "no"], f"Leave `words` as they are; now: {_after[1]}."
_got = count_table(_text, ["tea", "no"]).loc["no", "tea"]
assert close(_got, 1), (
    f"`no team`, `piano tea`, `No tea` and `not ea` are not `no tea`; yours counts {_got}."
)
for _mark in (".", "|", "#", ",", "-", "/"):  # signs that are words
    _text = [["tea", _mark], ["tea"], [_mark], ["no", _mark, "tea"], ["no"]]
    _got = count_table([list(sentence) for sentence in _text], ["tea", _mark, "no"])
    assert np.shape(_got) == (3, 3), f"A table of shape (3, 3) wanted; yours: {_got!r}."
    _wanted = {("tea", _mark): 1, ("no", _mark): 1, (_mark, "tea"): 1}
    for _cell in [(a, b) for a in _got.index for b in _got.columns]:
        assert close(_got.loc[_cell], _wanted.get(_cell, 0)), (
            f"`{_mark}` may be a word, and stands between no two sentences: "
            f"`{' '.join(_cell)}` occurs {_wanted.get(_cell, 0)} times in {_text}; "
            f"yours: {_got.loc[_cell]}."
        )
### END HIDDEN TESTS

# %% test="count_table" aspect="words in the order given" points=1
_got = count_table([["x", "z"], ["z", "x", "z"]], ["z", "x", "y"])
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert list(_got.index) == list(_got.columns) == ["z", "x", "y"], (
    f"Rows and columns follow `words`, also `y`, which never occurs; yours: {list(_got.index)}, {list(_got.columns)}."
)
assert np.array_equal(_got, [[0, 1, 0], [2, 0, 0], [0, 0, 0]]), (
    f"`x z` occurs twice, `z x` once, all others 0 times; row first, then column. Yours: {np.array(_got).tolist()}."
)
### BEGIN HIDDEN TESTS
_text = [["to", "go", "out"], ["go", "out", "to", "go"], ["is", "go", "out"]]
for _words in (
    ["out", "go", "never", "to", "is"],
    ["to", "out", "go"],
    ["never", "nor"],
):
    _got = count_table([list(sentence) for sentence in _text], list(_words))
    assert hasattr(_got, "loc") and list(_got.index) == list(_got.columns) == _words, (
        f"Rows and columns should follow {_words}; yours: {_got!r}."
    )
    for _cell in [(a, b) for a in _words for b in _words]:
        _number = {
            ("go", "out"): 3,
            ("to", "go"): 2,
            ("out", "to"): 1,
            ("is", "go"): 1,
        }.get(_cell, 0)
        _value = _got.loc[_cell]
        assert close(_value, _number), (
            f"`{' '.join(_cell)}` occurs {_number} times; yours: {_value}."
        )
_got = count_table([["a", "a"]], ["a"])
assert np.shape(_got) == (1, 1), (
    f"One word makes a table of shape (1, 1); yours: {_got!r}."
)
### END HIDDEN TESTS

# %%
everything = train_sentences + test_sentences
counted = count_table(everything, list(berkeley.WORDS))
spoken = Counter(word for sentence in everything for word in sentence)
print((counted == pair_counts).to_numpy().sum(), "of 64 pairs as printed, and", end=" ")
print(sum(spoken[word] == count for word, count in word_counts.items()), "of 8 words")
