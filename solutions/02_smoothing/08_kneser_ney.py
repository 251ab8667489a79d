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


# %% family="kneser_ney_pair"
_k = number(0.1, 1)
_counts = made(
    lambda rng: (
        {(a, b): rng.randint(1, 6) for a in "abc" for b in "bcd" if rng.random() < 0.5}
        | {("a", "b"): 1, ("b", "d"): 2}
    ),
    edges=[{("a", "b"): 1}, {(a, b): 4 for a in "abc" for b in "bcd"}],
)


def _table(rng, m, V):
    C = np.reshape(rng.choices([0, 0, 1, 2, 5], k=m * V), (m, V))
    C[0, -1] = 3
    return C


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
_w1, _w2 = choice(*"abcdz"), choice(*"abcdz")  # a only ever comes first, d only second
agrees(kneser_ney_pair, ours.kneser_ney_pair, _counts, _w1, _w2, _k, rtol=1e-5)
# the same pairs counted anew; as many others
_pairs = [("to", "a"), ("in", "a"), ("in", "b"), ("on", "b")]
_same = choice(
    dict(zip(_pairs, (1, 3, 2, 5), strict=True)),
    dict(zip(_pairs, (3, 1, 4, 3), strict=True)),
    dict(zip([*_pairs[:3], ("on", "a")], (1, 3, 2, 5), strict=True)),
)
agrees(
    kneser_ney_pair, ours.kneser_ney_pair, _same, "to", "b", 0.4, mixtures=0, rtol=1e-5
)
_given = dict.fromkeys(_pairs, 2)
for _w1, _w2 in (("to", "b"), ("at", "b"), ("in", "at")):
    _after = defaultdict(int, _given)
    _after = arguments_after(kneser_ney_pair, _after, _w1, _w2, 0.5)[0]
    assert _after == _given, (
        f"Counts may be a defaultdict: your look-ups added {set(_after) - set(_given)}."
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
_C = made(
    _table,
    *(size("contexts", large=12), size("V", large=None)),
    edges=[
        lambda rng, m, V: np.eye(m, V, dtype=int),  # rows with just one count
        lambda rng, m, V: 1 + np.eye(m, V),
        lambda rng, m, V: np.append(_table(rng, m, V), np.zeros((1, V), dtype=int), 0),
        lambda rng, m, V: np.append(np.zeros((m, 1), dtype=int), _table(rng, m, V), 1),
    ],
)
agrees(kneser_ney_array, ours.kneser_ney_array, _C, _k, rtol=1e-5, atol=1e-7)
_same = choice(np.eye(3, 4, dtype=int), np.eye(3, 4, 1, dtype=int))  # of one shape
agrees(kneser_ney_array, ours.kneser_ney_array, _same, 0.5, mixtures=0, rtol=1e-5)
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
# Counted by different neighbours, *panisse* and *golden*, which follow one word only, almost vanish. *Restaurant* gains.

# %%
loops = [kneser_ney_pair(toy_counts, "chez", word, 0.5) for word in ("food", "panisse")]
small = ngrams.NgramCounts(toy, 2)
array = kneser_ney_array(small.matrix(), 0.5)[small.index["chez"]]
print(kneser_ney_by_hand()["food|chez"], loops[0], array[small.index["food"]])

# %% [markdown]
# Three ways, one number. Now let your array read the real text. $P_{\text{cont}}$ gives `<UNK>` nothing, so we judge on `known_pairs`, the new pairs whose
# second word is known, and ask your functions of sections 1, 5 and 8 about the same pairs. (This time Lidstone has an unfair advantage: its α was chosen on
# these very sentences, while the discount $k$ of the last two lines comes from the counted text. It loses nevertheless.)

# %%
tables = {
    "Laplace, α = 1": lidstone_array(C, 1),
    f"Lidstone, α = {measured_alpha:.4f}": lidstone_array(C, measured_alpha),
    "constant k over the unigram": discounted_with(unigram),
    "Kneser-Ney": kneser_ney_array(C, predicted),
}
for name, P in tables.items():
    reached = np.exp(-np.log(P[known_pairs[:, 0], known_pairs[:, 1]]).mean())
    print(f"{name:28} perplexity {reached:5.2f}")


# %%
def write(P, seed):
    """A sentence from a table P [V + 1, V]: each word is drawn from the row of the one before it."""
    rng, at, words = random.Random(seed), V, []  # row V is that of `<s>`
    while len(words) < 12:
        at = rng.choices(range(V), P[at])[0]
        if bigrams.vocabulary[at] == "</s>":
            break
        words.append(bigrams.vocabulary[at])
    return " ".join(words)


for name in ("Laplace, α = 1", "Kneser-Ney"):
    print(name, *(write(tables[name], seed) for seed in range(4)), sep="\n   ")

# %% [markdown]
# You can hear the difference. After most words Laplace's table has given nearly all of the probability to words that were never seen there, so a typical
# sentence derails after two or three words. Your Kneser-Ney model slips now and then, but it mostly stays on the road that the text has paved. The numbers
# say the same: each of the three steps (a better α, a discount over the unigram, continuation counts) makes the same words less surprising.
#
# (In section 1, a Dirichlet prior led to Lidstone's rule. Is there a prior that leads here? Y. W. Teh showed in 2006 that there is, at least nearly: it is
# built of *Pitman-Yor processes*, and Kneser-Ney with one discount is an approximation to what they say.)
