# Chapter 01 for 2028: pairs at a distance look back, not ahead.

# %% [markdown] statement="information"
# Write
#
# - `pairs_apart(sentences, gap)`: a dict `{(x, y): count}` over all pairs of places of one sentence where $y$ stands
#   `gap` places *before* $x$ (`gap=1`: neighbours), without padding;
# - `mutual_information(table)`: $I$ in bits, from a dict `{(x, y): count}`. Cells with the count 0 add nothing.


# %% task="information" points=4 level=3 minutes=15
def pairs_apart(sentences, gap):
    """{(x, y): count} for words y that stand `gap` places before x in the same sentence."""
    ### BEGIN SOLUTION
    return Counter(
        pair
        for sentence in sentences
        for pair in zip(sentence[gap:], sentence, strict=False)
    )
    ### END SOLUTION


def mutual_information(table):
    """The mutual information, in bits, of the two sides of {(x, y): count}."""
    ### BEGIN SOLUTION
    rows, columns = Counter(), Counter()
    for (x, y), count in table.items():
        rows[x] += count
        columns[y] += count
    N = rows.total()
    return sum(
        count / N * math.log2(count * N / (rows[x] * columns[y]))
        for (x, y), count in table.items()
        if count > 0
    )
    ### END SOLUTION


# %% test="information" aspect="pairs at a distance" points=1
_got = pairs_apart([["no", "tea", "no", "hot"], ["tea", "no"], ["no", "no", "no"]], 2)
assert hasattr(_got, "keys"), f"Return a dict (x, y) -> count; yours: {_got!r}."
assert dict(_got) == {("no", "no"): 2, ("hot", "tea"): 1}, (
    f"Two places apart are `no … no` twice and `tea … hot`, where `tea` stands before `hot`; yours: {dict(_got)}."
)
### BEGIN HIDDEN TESTS
_text = [random.choices("abc", k=_length) for _length in (0, 1, 2, 3, 5, 9, 30)]
random.shuffle(_text)
for _gap in (1, 2, 3, 4, 7):
    _wanted = Counter()
    for _sentence in _text:
        for _i in range(_gap, len(_sentence)):
            _wanted[_sentence[_i], _sentence[_i - _gap]] += 1
    _got = pairs_apart([list(sentence) for sentence in _text], _gap)
    assert hasattr(_got, "keys"), f"Return a dict (x, y) -> count; yours: {_got!r}."
    _got = {pair: count for pair, count in _got.items() if count}
    assert _got == dict(_wanted), (
        f"gap = {_gap}: in a random text you count {_got}, not {dict(_wanted)}. "
        "(No pair crosses from one sentence to the next.)"
    )
_got = pairs_apart([["a", "b"], ["c"], []], 2)
assert hasattr(_got, "keys") and not any(_got.values()), (
    f"No sentence here has two places that are 2 apart; yours: {_got!r}."
)
_after = arguments_after(pairs_apart, [list(sentence) for sentence in _text], 2)[0]
assert [list(sentence) for sentence in _after] == _text, (
    "Leave `sentences` as they are."
)
### END HIDDEN TESTS
