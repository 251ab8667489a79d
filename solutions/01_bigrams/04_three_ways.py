# %% [markdown] statement="bigram_mle"
# ## 5. Three ways, one number
#
# To estimate $P(w_2 \mid w_1)$, divide: of all bigrams that begin with $w_1$, which share goes on with $w_2$?
# $P(w_2 \mid w_1) = c(w_1 w_2) / \sum_w c(w_1 w)$. Get it three ways:
#
# - `by_hand()`: count in the three `sentences` of section 3, and return the dict
#   `{"sat|we": ..., "wish|we": ..., "in|sat": ..., "</s>|house": ...}`;
# - `bigram_mle(counts)`: from positive counts `{(w1, w2): int}`, the nested dict `model[w1][w2]`;
# - `bigram_mle_array(C)`, without a loop: from an array $C$ of counts, shape [V, V] for $V$ words, row $w_1$, column
#   $w_2$; a row without counts stays zero.

# %% [markdown] hints="bigram_mle"
# 1. The word that stands *after* the bar picks the row; everything in that row is divided by one number.
# 2. Loop: no entry can be divided before the total of its row is known. Array: the totals need a shape that spreads
#    over the columns.
# 3. A row total of 0 would give 0/0. All entries of such a row are 0 anyway: by which other number could you divide
#    them?


# %% task="bigram_mle" points=4 level=2 minutes=16
def by_hand():
    """Four probabilities of the three sentences, as a dict from "w2|w1" to a float."""
    ### BEGIN SOLUTION
    return {"sat|we": 2 / 6, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1.0}
    ### END SOLUTION


def bigram_mle(counts):
    """model[w1][w2] = P(w2 | w1) for the pairs in `counts`, {(w1, w2): int}; rows only for those w1."""
    ### BEGIN SOLUTION
    totals = Counter()
    for (w1, _), count in counts.items():
        totals[w1] += count
    model = defaultdict(dict)
    for (w1, w2), count in counts.items():
        model[w1][w2] = count / totals[w1]
    return dict(model)
    ### END SOLUTION


def bigram_mle_array(C):
    """P, shape [V, V]: P[i, j] = P(word j | word i) from counts C, shape [V, V]."""
    ### BEGIN SOLUTION
    totals = C.sum(axis=1, keepdims=True)
    return C / np.where(totals == 0, 1, totals)
    ### END SOLUTION


# %% test="bigram_mle" aspect="four probabilities by hand" points=1
_got = by_hand()
assert hasattr(_got, "keys"), f"by_hand returns a dict; yours: {_got!r}."
for _name in ("sat|we", "wish|we", "in|sat", "</s>|house"):
    _value = _got.get(_name)
    assert is_number(_value), f"{_name}: a number is wanted, not {_value!r}."
assert math.isclose(_got["in|sat"], 0.5), (
    f"sat occurs twice, once before in: .5; yours: {_got['in|sat']}."
)
### BEGIN HIDDEN TESTS
_wanted = {"sat|we": 1 / 3, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1}
for _name, _value in _wanted.items():
    assert close(_got[_name], _value, atol=0.006), (
        f"{_name} is not {_got[_name]}: count again, first the word after the bar, then how often the other follows it."
    )
### END HIDDEN TESTS

# %% test="bigram_mle" aspect="rows divide by their context" points=1
_got = bigram_mle(
    {("i", "want"): 3, ("i", "eat"): 1, ("you", "want"): 5, ("want", "i"): 2}
)
assert hasattr(_got, "keys") and "i" in _got, (
    f"model['i'] should hold the words that follow i; yours: {_got!r}."
)
assert close(_got["i"].get("want", 0), 0.75), (
    f"i occurs 4 times as first word, 3 times before want: P(want | i) = .75; yours: {_got['i']!r}."
)
### BEGIN HIDDEN TESTS
_pairs = [(a, b) for a in ["<s>", *"abcdef"] for b in [*"abcdefg", "</s>"]]
_counts = made(
    lambda rng, n: {pair: rng.randint(1, 9) for pair in rng.sample(_pairs, n)},
    size("pairs", most=20),
)
_growing = made(lambda rng, counts: defaultdict(int, counts), _counts)
agrees(bigram_mle, ours.bigram_mle, choice(_counts, _growing))
### END HIDDEN TESTS

# %% test="bigram_mle" aspect="the array divides row by row" points=1
_got = bigram_mle_array(np.array([[0, 3, 1], [2, 0, 2], [1, 1, 8]]))
assert np.shape(_got) == (3, 3), f"Wanted shape (3, 3); yours: {np.shape(_got)}."
assert close(np.sum(_got, axis=1), [1, 1, 1]), (
    f"Each row sums to 1; yours: {np.sum(_got, axis=1)}."
)
### BEGIN HIDDEN TESTS
_V = size("V")
_C = array(_V, _V, below=19, kind=choice("int64", "float64"))
agrees(bigram_mle_array, ours.bigram_mle_array, made(lambda rng, C: C + 1, _C))
### END HIDDEN TESTS

# %% test="bigram_mle" aspect="empty rows stay zero" points=1
with np.errstate(all="ignore"):
    _got = bigram_mle_array(np.array([[1, 3], [0, 0]]))
assert np.shape(_got) == (2, 2), f"Wanted shape (2, 2); yours: {np.shape(_got)}."
assert close(_got, [[0.25, 0.75], [0, 0]]), (
    f"Counts [[1, 3], [0, 0]]: the second row was never seen and stays zero, the first is divided as ever; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_V = size("V")
_C = made(  # every third row is empty
    lambda rng, C, first: (C + 1) * (np.arange(len(C)) % 3 != first)[:, None],
    array(_V, _V, below=19, kind=choice("int64", "float64")),
    whole(0, 2, (1,)),
)
agrees(bigram_mle_array, ours.bigram_mle_array, choice(_C, array(_V, _V, below=2)))
### END HIDDEN TESTS

# %%
order = sorted({word for pair in counts for word in pair})
C = np.array([[counts[w1, w2] for w2 in order] for w1 in order])
P = bigram_mle_array(C)
print(
    by_hand()["sat|we"],
    bigram_mle(counts)["we"]["sat"],
    P[order.index("we"), order.index("sat")],
)


# %% [markdown]
# The total of a row is $c(w_1)$ only because `</s>` is counted too: without it, nothing would follow *house*.
