# %% [markdown]
# ## 8. Frequent is not versatile
#
# R. Kneser and H. Ney found this in 1995, by the same argument. What matters in the lower-order model is not how *often* a
# word was seen, but after how many *different* words. With $N_{1+}(\cdot\,w)$ for the number of different words seen before $w$, and
# $N_{1+}(\cdot\,\cdot)$ for the number of different pairs, the **continuation probability** is
#
# $$P_{\text{cont}}(w) = \frac{N_{1+}(\cdot\,w)}{N_{1+}(\cdot\,\cdot)}.$$
#
# A word that was seen in many surroundings will show up in one more; *panisse* will not, nor the *Francisco* of *San
# Francisco*.

# %%
toy = [
    line.split() for line in ("at chez panisse", "is chez panisse open", "chez panisse")
]
toy += [line.split() for line in ("thai food", "french food", "cheap food")]
toy_counts = Counter(
    pair for sentence in toy for pair in pairwise(["<s>", *sentence, "</s>"])
)
print(
    len(toy_counts),
    "different pairs:",
    ", ".join(" ".join(pair) for pair in toy_counts),
)

# %% [markdown] statement="kneser_ney_pair"
# ### Three ways, one number
#
# $P_{\text{KN}}$ is the formula of section 5 with $P_{\text{cont}}(w)$ in the place of $P(w \mid h')$. Write it out:
#
# - `kneser_ney_by_hand()`: for `toy` and $k = \frac12$, the dict `{"panisse": P_cont, "food": P_cont, "food|chez": P_KN}`;
# - `kneser_ney_pair(counts, w1, w2, k)`: $P_{\text{KN}}(w_2 \mid w_1)$ from `{(w1, w2): int}`, each at least 1; just
#   $P_{\text{cont}}(w_2)$, if nothing was seen after $w_1$;
# - `kneser_ney_array(C, k)`: all of them, [contexts, V], no loop.

# %% [markdown] hints="kneser_ney_pair"
# 1. By hand: cross out repetitions in the list of pairs, and count what is left, in all and with *food* at the end.
# 2. The loop needs five numbers: $c(w_1 w_2)$, $n$, how many words follow $w_1$, how many precede $w_2$, how many pairs there are.
#    Each can be found by going once through the dict.
# 3. Array: first a table that says which pairs there are. Everything about different neighbours is a sum of it, along one
#    axis or the other. Rows without counts are $P_{\text{cont}}$ itself.


# %% task="kneser_ney_pair" points=4 level=2 minutes=24
def kneser_ney_by_hand():
    """{"panisse": P_cont, "food": P_cont, "food|chez": P_KN} for the toy text and k = 1/2."""
    ### BEGIN SOLUTION
    return {"panisse": 1 / 16, "food": 3 / 16, "food|chez": 0.5 * 1 / 3 * 3 / 16}
    ### END SOLUTION


def kneser_ney_pair(counts, w1, w2, k):
    """P_KN(w2 | w1) from counts {(w1, w2): int}, which stay as they are."""
    ### BEGIN SOLUTION
    continuation = sum(pair[1] == w2 for pair in counts) / len(counts)
    row = [count for pair, count in counts.items() if pair[0] == w1]
    if not row:
        return continuation
    return (max(counts.get((w1, w2), 0) - k, 0) + k * len(row) * continuation) / sum(
        row
    )
    ### END SOLUTION


def kneser_ney_array(C, k):
    """P_KN of every column after every row, shape [contexts, V], from counts C of that shape."""
    ### BEGIN SOLUTION
    seen = C > 0
    continuation = seen.sum(axis=0) / seen.sum()
    n = C.sum(axis=1, keepdims=True)
    weight = np.where(n > 0, k * seen.sum(axis=1, keepdims=True) / np.maximum(n, 1), 1)
    return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * continuation
    ### END SOLUTION


# %% test="kneser_ney_pair" aspect="versatile beats frequent" points=1
_got = kneser_ney_by_hand()
assert hasattr(_got, "keys"), f"kneser_ney_by_hand returns a dict; yours: {_got!r}."
for _name in ("panisse", "food", "food|chez"):
    _value = _got.get(_name)
    assert is_number(_value), f"{_name}: a number is wanted, not {_value!r}."
assert math.isclose(_got["food"], 3 * _got["panisse"], rel_tol=1e-3), (
    "Both occur 3 times, but food after 3 words and panisse after 1."
)
### BEGIN HIDDEN TESTS
assert math.isclose(_got["panisse"], 1 / 16, abs_tol=1e-4), (
    f"P_cont(panisse) is one of how many different pairs? Yours: {_got['panisse']!r}."
)
assert math.isclose(_got["food|chez"], 1 / 32, abs_tol=1e-4), (
    f"chez: n = 3, one follower, k = 1/2; your P(food | chez): {_got['food|chez']!r}."
)
### END HIDDEN TESTS


# %% test="kneser_ney_pair" aspect="loop on the toy text" points=1
for _w1, _w2, _wanted in (
    ("chez", "food", 1 / 32),
    ("chez", "panisse", 2.5 / 3 + 1 / 96),
    ("rice", "food", 3 / 16),
):
    _got = kneser_ney_pair(dict(toy_counts), _w1, _w2, 0.5)
    assert is_number(_got), f"kneser_ney_pair returns a number; yours: {_got!r}."
    assert close(_got, _wanted), (
        f"P({_w2} | {_w1}) = {_wanted:.5f} on the toy text; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
for _ in range(4):
    # after `to` three different words, after `in` one, after `on` two, after `at` none
    _some = [
        ("to", "a"),
        ("to", "b"),
        ("to", "c"),
        ("in", "a"),
        ("on", "a"),
        ("on", "to"),
        ("a", "b"),
    ]
    _some += [(f"w{i}", "c") for i in range(random.randint(0, 4))]
    _counts = {pair: random.randint(1, 6) for pair in random.sample(_some, len(_some))}
    _counts["to", "b"], _counts["on", "a"], _k = 1, 4, random.uniform(0.1, 0.9)
    _cont = {
        w: sum(b == w for _, b in _some) / len(_some)
        for w in ("a", "b", "c", "to", "at")
    }
    for _w1 in ("to", "in", "on", "at", "b"):  # `b` only ever comes second
        _row = {b: n for (a, b), n in _counts.items() if a == _w1}
        _n, _sum = sum(_row.values()), 0
        for _w2, _p in _cont.items():
            _wanted = (
                (max(_row.get(_w2, 0) - _k, 0) + _k * len(_row) * _p) / _n if _n else _p
            )
            _got = kneser_ney_pair(dict(_counts), _w1, _w2, _k)
            assert close(_got, _wanted, 1e-5), (
                f"{_counts}, k = {_k:.2f}: P({_w2} | {_w1}) = {_wanted:.5f}; yours: {_got!r}."
            )
_pairs = [("to", "a"), ("in", "a"), ("in", "b"), ("on", "b")]
# after `to` one token; then the same pairs counted anew; then as many, but others
for _given in (
    dict(zip(_pairs, (1, 3, 2, 5), strict=True)),
    dict(zip(_pairs, (3, 1, 4, 3), strict=True)),
    dict(zip([*_pairs[:3], ("on", "a")], (1, 3, 2, 5), strict=True)),
):
    for _w1, _w2 in (("to", "a"), ("to", "b"), ("in", "a"), ("at", "b")):
        _row = {b: n for (a, b), n in _given.items() if a == _w1}
        _p = sum(b == _w2 for _, b in _given) / 4
        _wanted = _p
        if _row:
            _own = max(_row.get(_w2, 0) - 0.4, 0)
            _wanted = (_own + 0.4 * len(_row) * _p) / sum(_row.values())
        _got = kneser_ney_pair(dict(_given), _w1, _w2, 0.4)
        assert close(_got, _wanted, 1e-5), (
            f"{_given}, k = .4: P({_w2} | {_w1}) = {_wanted:.5f}; yours: {_got!r}."
        )
_got = kneser_ney_pair(dict(_counts), "to", "b", 1)
assert close(_got, 3 / sum(_counts[pair] for pair in _some[:3]) * _cont["b"], 1e-5), (
    f"With k = 1, a pair seen once keeps nothing of its own: yours gives {_got!r}."
)
_after = arguments_after(kneser_ney_pair, dict(_counts), "in", "b", 0.5)[0]
assert _after == _counts, "kneser_ney_pair changes the dict of counts that it is given."
for _w1, _w2 in (("in", "b"), ("at", "b"), ("in", "at")):
    _given = defaultdict(int, _counts)
    _after = arguments_after(kneser_ney_pair, _given, _w1, _w2, 0.5)[0]
    assert _after == _counts, (
        f"Counts may be a defaultdict: your look-ups added {set(_after) - set(_counts)}."
    )
### END HIDDEN TESTS


# %% test="kneser_ney_pair" aspect="array agrees with brute force" points=2
_got = kneser_ney_array(np.array([[3, 0, 1], [0, 0, 2], [0, 0, 0]]), 0.5)
assert np.shape(_got) == (3, 3), f"Wanted shape (3, 3); yours: {np.shape(_got)}."
assert close(np.sum(_got, axis=1), [1, 1, 1]), (
    f"Each row sums to 1; yours: {np.sum(_got, axis=1)}."
)
assert close(_got[2], [1 / 3, 0, 2 / 3]), (
    f"A row never seen is P_cont = 1/3, 0, 2/3; yours: {_got[2]}."
)
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _number, (_shape, _k) in enumerate(
    (((6, 5), 0.7), ((6, 5), 0.7), ((4, 7), 0.3), ((6, 5), 1), ((5, 4), 0.5))
):
    _C = _rng.poisson(0.7, _shape) * _rng.integers(1, 3)
    if _number < 2:  # the same shape and k, and never the same continuations
        _C[4:, :2] = 1 - _number
    _C[0], _C[1], _C[2] = 0, 1, 2
    _C[3] = np.eye(_shape[1])[0]  # seen just once
    if _k > 0.6:
        _C[:, 3] = 0  # nobody was seen before this word
    _C[2, 1:3] = 0, 5
    _cont = [
        sum(_C[h, w] > 0 for h in range(_shape[0])) / np.count_nonzero(_C)
        for w in range(_shape[1])
    ]
    _got = kneser_ney_array(_C.copy(), _k)
    assert np.shape(_got) == _shape, f"Wanted shape {_shape}; yours: {np.shape(_got)}."
    for _h, _w in np.ndindex(*_shape):
        _n, _kinds = sum(_C[_h]), sum(c > 0 for c in _C[_h])
        _wanted = (
            (max(_C[_h, _w] - _k, 0) + _k * _kinds * _cont[_w]) / _n
            if _n
            else _cont[_w]
        )
        assert close(_got[_h, _w], _wanted, 1e-5), (
            f"Row {_C[_h]}, column {_w}, k = {_k}: {_wanted:.6f}; yours: {_got[_h, _w]}."
        )
_after = arguments_after(kneser_ney_array, _C.astype(float), 0.5)[0]
assert np.array_equal(_after, _C), (
    "kneser_ney_array changes the counts that it is given."
)
_got = kneser_ney_array(np.array([[2, 3]]), 0.5)
assert np.shape(_got) == (1, 2), (
    f"Counts of shape (1, 2) make an array of the same shape; yours: {_got!r}."
)
### END HIDDEN TESTS


# %%
level = bigrams[1]
share = pd.DataFrame(
    {"count": level["count"], "continuation": level["left"]},
    [*bigrams.vocabulary, "<s>"],
)
share = 100 * share / share.sum()
words = ["panisse", "golden", "francisco", "food", "restaurant", "berkeley"]

# %%
print(share.loc[words].round(2).T.to_string())  # percent of the shorter memory

# %% [markdown]
# Counted by different neighbours, *panisse* and *golden*, which follow one word only, almost vanish; *restaurant*
# gains.

# %%
loops = [kneser_ney_pair(toy_counts, "chez", word, 0.5) for word in ("food", "panisse")]
small = ngrams.NgramCounts(toy, 2)
array = kneser_ney_array(small.matrix(), 0.5)[small.index["chez"]]
print(kneser_ney_by_hand()["food|chez"], loops[0], array[small.index["food"]])
