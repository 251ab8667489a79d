# %% [markdown]
# ## 9. Any length, three discounts
#
# For trigrams, the shorter memory is a bigram model, and it too should count *different* words to the left: $N_{1+}(\cdot\,w_1 w_2)$ in the place of
# $c(w_1 w_2)$. It discounts these and asks $P_{\text{cont}}(w_2)$, which is discounted in its turn, and at last $1/V$. Only the longest n-grams count
# tokens.
#
# `NgramCounts` numbers the different n-grams of each length, in sorted order. `counts[2]` is a dict of arrays with one
# entry for each bigram; here, for the toy text:

# %% folded="draws the two tables" alt="Bigrams in the middle, words on the left. From each bigram one arrow leads to its context and one to its shorter form; columns on the right show its count and how many words were seen to its left."
drawings.ngram_tables()

# %%
toy_levels = ngrams.NgramCounts(toy, 3)
names = [*toy_levels.vocabulary, "<s>"]
pair_table = pd.DataFrame(toy_levels[2])
pair_table.index = [
    f"{names[h]} {names[w]}" for h, w in pair_table[["context", "word"]].to_numpy()
]
print(dict(enumerate(names)))
print(pair_table.loc[["at chez", "chez panisse", "thai food", "food </s>"]].to_string())

# %% [markdown]
# How to read an entry, say *chez panisse*:
#
# - `count`: the pair occurs 3 times. `left`: it stands after three different symbols, *at*, *is* and `<s>`.
#   This is $N_{1+}(\cdot\,g)$ for the n-gram $g$. (What begins with `<s>` has nothing to its left; its `count` stands there.)
# - `context`: the *number*, or index, that its first part, *chez*, has among the n-grams one shorter.
# - `shorter`: the number of its last part, *panisse*, that is, of the n-gram without its first word. There its $P(w \mid h')$ is found.
#
# So if `lower` holds a probability for each 1-gram, `lower[shorter]` is an array with one entry for each bigram: its $P(w \mid h')$, all at once.

# %% [markdown]
# S. Chen and J. Goodman (1998) measured what several discounts bring: different ones for the counts 1, 2 and *3 or
# more*. This is **modified Kneser-Ney**, long the standard among models that only count. For an n-gram with count $c$
# and its context's $n$,
#
# $$D_j = j - (j+1)\, Y\, \frac{N_{j+1}}{N_j} \quad\text{with } Y = \frac{N_1}{N_1 + 2 N_2},$$
#
# $$P(w \mid h) = \frac{c - D_{\min(c, 3)}}{n} + \lambda(h)\, P(w \mid h'), \qquad \lambda(h) = \frac{1}{n} \sum_w D_{\min(c, 3)}$$
#
# with $D_0 = 0$. For $j = 1$ the formula gives $D_1 = Y$: the $k$ of section 6.

# %% [markdown]
# <details><summary>Where the three discounts come from</summary>
#
# From section 6, with a discount for each count. Leave one token of a pair with count $j + 1$ out: it weighs $j - D_j$. A singleton gets its share of the freed mass, in all
# $M = \sum_j D_j N_j$. So $F = N_1 \ln M + \sum_j (j+1) N_{j+1} \ln(j - D_j)$. Its derivative by $D_j$ is 0 where
# $N_1 N_j / M = (j+1) N_{j+1} / (j - D_j)$, that is, $D_j = j - (j+1)\,(M/N_1)\,N_{j+1}/N_j$. The factor $M/N_1$ is the same for all $j$; Chen and
# Goodman take for it the $Y$ of the simplest case.
#
# </details>

# %% [markdown] statement="modified_kneser_ney"
# ### Modified Kneser-Ney
#
# This is the hardest task of the chapter, so we say beforehand what it will bring. On our small texts three discounts do *not* pay: in section 14
# the model loses by a hair to plain Kneser-Ney with its one discount, for reasons that you will see. It wins with
# long contexts and hundreds of thousands of tokens (section 15). You will have built the method that the tools use.
#
# - `three_discounts(c)`: $[0, D_1, D_2, D_3]$ from an array of counts, or $[0, .5, 1, 1.5]$ if $N_1$, $N_2$ or $N_3$ is 0 or a $D_j < 0$
#   ($N_4$ may be 0);
# - `smooth_level(c, context, shorter, lower)`: one level, as two arrays: $P$ of each n-gram, and $\lambda$ of each context (1 where $n = 0$; no
#   n-gram has such a context).
#   `lower` holds $P$ of each n-gram one shorter; the contexts are numbered likewise, so there are `len(lower)` of them;
# - `kneser_ney(levels, V)`: a list of such pairs, shortest n-grams first. `levels` is a list of dicts as above; $c$ is `count` for the longest n-grams, else `left`.

# %% [markdown] hints="modified_kneser_ney"
# 1. `np.bincount` does most of the work: it counts how many n-grams have count $j$, and with `weights` it sums something over all
#    n-grams of one context. `minlength` gives those without any a place.
# 2. $n$ is the sum of $c$ over a context; $\lambda$ is the sum of what was taken there, divided by $n$. An array indexed by an array
#    picks for each n-gram its discount, its context's $n$, its shorter self's probability.
# 3. The levels come shortest first. Below the 1-grams there is one context, the empty one, and one probability, $1/V$. What a
#    level finds is what the next one calls `lower`.


# %% task="modified_kneser_ney" points=5 level=4 minutes=45
def three_discounts(c):
    """[0, D1, D2, D3] from an array of counts; zeros among them do not matter."""
    ### BEGIN SOLUTION
    n = np.bincount(np.minimum(c, 5), minlength=6)
    j = np.arange(1, 4)
    with np.errstate(
        divide="ignore", invalid="ignore"
    ):  # what cannot be divided fails the test below
        D = j - (j + 1) * n[1] / (n[1] + 2 * n[2]) * n[j + 1] / n[j]
    return np.array([0, *D]) if np.all(D >= 0) else np.array([0, 0.5, 1, 1.5])
    ### END SOLUTION


def smooth_level(c, context, shorter, lower):
    """(P, lambda): P of each n-gram, shape [G]; lambda of each context, shape [G'] like lower, P of each (n-1)-gram."""
    ### BEGIN SOLUTION
    taken = three_discounts(c)[np.minimum(c, 3)]
    n = np.bincount(context, weights=c, minlength=len(lower))
    weight = np.bincount(context, weights=taken, minlength=len(lower))
    weight = np.where(n > 0, weight / np.maximum(n, 1), 1)
    return (c - taken) / n[context] + weight[context] * lower[shorter], weight
    ### END SOLUTION


def kneser_ney(levels, V):
    """[(P, lambda), ...] for 1-grams, 2-grams, ...; levels: dicts with count, context, shorter and (but the last) left."""
    ### BEGIN SOLUTION
    lower, tables = np.array([1 / V]), []
    for level in levels:
        c = level["count"] if level is levels[-1] else level["left"]
        tables.append(smooth_level(c, level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    return tables
    ### END SOLUTION


# %% test="modified_kneser_ney" aspect="three discounts" points=1
_got = three_discounts(np.repeat([0, 1, 2, 3, 4, 9], [3, 20, 8, 5, 3, 2]))
assert np.shape(_got) == (4,), (
    f"Return an array of four numbers, the first 0; yours: {_got!r}."
)
_wanted = [0, 1 - 2 * 5 / 9 * 8 / 20, 2 - 3 * 5 / 9 * 5 / 8, 3 - 4 * 5 / 9 * 3 / 5]
assert close(_got, _wanted), (
    f"20, 8, 5, 3 n-grams of count 1 to 4: {np.round(_wanted, 4)}; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _i in range(40):
    _n = _rng.integers([5, 3, 1, 0], [30, 15, 9, 6])
    _got = three_discounts(
        _rng.permutation(np.repeat([0, 1, 2, 3, 4, 5, 8], [_i % 4, *_n, 2, 1]))
    )
    _Y = _n[0] / (_n[0] + 2 * _n[1])
    _wanted = [0] + [j + 1 - (j + 2) * _Y * _n[j + 1] / _n[j] for j in range(3)]
    if min(abs(d) for d in _wanted[1:]) < 1e-9:
        continue
    if min(_wanted) < 0:
        _wanted = [0, 0.5, 1, 1.5]
    assert close(_got, _wanted, 1e-5), (
        f"N_1 to N_4 = {_n}: {np.round(_wanted, 4)}; yours: {_got!r}."
    )
for _n, _wanted in (
    ([8, 4, 2, 3], [0, 0.5, 1.25, 0]),
    ([5, 5, 5, 0], [0, 1 / 3, 1, 3]),
):
    _got = three_discounts(np.repeat([1, 2, 3, 4], _n))
    assert close(_got, _wanted, 1e-5), (
        f"N_1 to N_4 = {_n}: the formula gives {np.round(_wanted, 4)}; yours: {_got!r}."
    )
for _n in (
    [0, 5, 5, 5],
    [5, 0, 5, 5],
    [20, 9, 0, 0],
    [5, 9, 60, 9],
    [9, 5, 1, 9],
    [7, 0, 0, 0],
):
    _got = three_discounts(np.repeat([0, 1, 2, 3, 4], [3, *_n]))
    assert close(_got, [0, 0.5, 1, 1.5], 1e-5), (
        f"N_1 to N_4 = {_n}: the formula cannot be used; yours: {_got!r}."
    )
_given = np.array([3, 1, 0, 2, 9, 1, 4, 1, 2])
_after = arguments_after(three_discounts, _given.copy())[0]
assert np.array_equal(_after, _given), (
    "three_discounts changes the counts that it is given."
)
### END HIDDEN TESTS


# %% test="modified_kneser_ney" aspect="one level sums to one" points=2
_c, _context, _shorter = (
    np.array([1, 3, 3, 5, 5]),
    np.array([0, 0, 1, 1, 3]),
    np.array([0, 1, 0, 2, 2]),
)
_got = smooth_level(_c, _context, _shorter, np.array([0.4, 0.3, 0.2, 0.1]))
assert hasattr(_got, "__len__") and len(_got) == 2, (
    f"Return two arrays, P and lambda; yours: {_got!r}."
)
assert close(_got[1], [0.5, 0.375, 1, 0.3]), (
    f"With .5, 1, 1.5 the four contexts give away 2 of 4, 3 of 8, 1 (no counts) and 1.5 of 5; your lambda: {_got[1]}."
)
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _i in range(10):
    _C, _lower = (
        _rng.poisson(0.9, (6, 6)) * _rng.integers(1, 3, (6, 6)),
        _rng.dirichlet(np.ones(6)),
    )
    _C[1, :2] = 2, 0
    _C[[0, 3, 5] if _i % 2 else [2, 5]] = 0  # contexts never seen, the last one always
    _C[4] = [1, 7, 0, 2, 0, 3]
    _C[2 if _i % 2 else 0] = [0, 1, 0, 0, 0, 0]  # seen just once
    _entry = _C > 0
    _entry[[1, 4], [1, 4]] = True  # two n-grams with count 0
    _h, _w = np.nonzero(_entry)
    _got = smooth_level(_C[_h, _w], _h.copy(), _w.copy(), _lower.copy())
    assert hasattr(_got, "__len__") and len(_got) == 2, (
        f"Return two arrays; yours: {_got!r}."
    )
    assert np.shape(_got[1]) == (6,), (
        f"Six contexts, six lambdas; your shape: {np.shape(_got[1])}."
    )
    assert np.shape(_got[0]) == _h.shape, (
        f"A P for each n-gram; your shape: {np.shape(_got[0])}."
    )
    _P, _weight = _got
    _D = three_discounts(_C[_h, _w])
    assert np.shape(_D) == (4,), f"three_discounts returns four numbers; yours: {_D!r}."
    for _row in range(6):
        _n = sum(_C[_row])
        _taken = sum(_D[min(c, 3)] for c in _C[_row] if c > 0) / _n if _n else 1
        assert close(_weight[_row], _taken, 1e-5), (
            f"Counts {_C[_row]}: lambda is {_taken:.4f}; yours: {_weight[_row]}."
        )
        _sum = sum(_P[_h == _row]) + _weight[_row] * sum(_lower[~_entry[_row]])
        assert close(_sum, 1, 1e-5), (
            f"Counts {_C[_row]}: P of the seen and lambda P(w | h') of the others sum to {_sum:.4f}."
        )
    _wanted = [
        (c - (_D[min(c, 3)] if c else 0)) / sum(_C[h]) + _weight[h] * _lower[w]
        for c, h, w in zip(_C[_h, _w], _h, _w, strict=True)
    ]
    assert close(_P, _wanted, 1e-5), (
        "Your P is not (c - D) / n + lambda P(w | h') for each n-gram."
    )
_got = smooth_level(_C[_h, _w], _h.copy(), _w.copy(), _lower[::-1].copy())
assert hasattr(_got, "__len__") and len(_got) == 2, (
    f"Return two arrays; yours: {_got!r}."
)
_wanted = [
    p + _weight[h] * (_lower[5 - w] - _lower[w])
    for p, h, w in zip(_wanted, _h, _w, strict=True)
]
assert close(_got[0], _wanted, 1e-5), (
    "The same n-grams with another `lower`: your P does not follow."
)
_given = _C[_h, _w].astype(int), _h, _w, _lower
_after = arguments_after(smooth_level, *(a.copy() for a in _given))
assert all(np.array_equal(a, b) for a, b in zip(_after, _given, strict=True)), (
    "smooth_level changes an array that it is given."
)
### END HIDDEN TESTS


# %% test="modified_kneser_ney" aspect="continuation counts below the top" points=2
_levels = ngrams.NgramCounts([["a", "b"], ["b", "b"], ["c", "b"], ["c", "b"]], 3)
_got = kneser_ney(_levels.levels, len(_levels.vocabulary))
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return a list of three pairs for n = 1, 2, 3; yours: {_got!r}."
)
_b, _UNK = (float(_got[0][0][_levels.index[word]]) for word in ("b", "<UNK>"))
assert close(_UNK, 3 / 35), (
    f"1-grams: n = 7, 3 are taken, V = 5: 3/7 times 1/5 for <UNK>; yours: {_UNK:.4f}."
)
assert close(_b, 2.5 / 7 + 3 / 35), (
    f"`b` stands after 4 different words: (4 - 1.5) / 7 + 3/35; yours: {_b:.4f}."
)
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _order in (1, 2, 3, 4):
    _text = [list(_rng.choice(list("aabbbcd"), _rng.integers(1, 7))) for _ in range(25)]
    _text = [[str(word) for word in sentence] for sentence in _text]
    _counts = ngrams.NgramCounts(_text, _order, [*"abcd", "<UNK>", "</s>"])
    _grams = [Counter() for _ in range(_order + 1)]
    for _words in _text:
        _words = ["<s>", *_words, "</s>"]
        for _n in range(1, _order + 1):
            _grams[_n].update(
                tuple(_words[i : i + _n]) for i in range(_n == 1, len(_words) - _n + 1)
            )
    _c = [{}] + [
        {
            g: _grams[n][g]
            if n == _order or g[0] == "<s>"
            else sum(m[1:] == g for m in _grams[n + 1])
            for g in _grams[n]
        }
        for n in range(1, _order + 1)
    ]
    _D = [
        three_discounts(np.array([*_c[n].values()])) if n else None
        for n in range(_order + 1)
    ]
    assert all(np.shape(_four) == (4,) for _four in _D[1:]), (
        "three_discounts returns four numbers."
    )

    def _P(word, context, counted=_c, discounts=_D):
        lower = _P(word, context[1:], counted, discounts) if context else 1 / 6
        grams, D = counted[len(context) + 1], discounts[len(context) + 1]
        row = [c for gram, c in grams.items() if gram[:-1] == context]
        if not row:
            return lower
        c = grams.get((*context, word), 0)
        return (c - D[min(c, 3)] + sum(D[min(c, 3)] for c in row) * lower) / sum(row)

    _before = [dict(level) for level in _counts.levels]
    _tables = kneser_ney(
        [{key: np.array(level[key]) for key in level} for level in _before], 6
    )
    assert hasattr(_tables, "__len__") and len(_tables) == _order, (
        f"Order {_order}: return {_order} pairs of arrays; yours: {_tables!r}."
    )
    for _n, _pair in enumerate(_tables):
        assert len(_pair) == 2 and np.shape(_pair[0]) == np.shape(
            _counts.levels[_n]["count"]
        ), (
            f"Order {_order}, level {_n + 1}: a P for each n-gram and the lambdas are wanted."
        )
    _model = ngrams.BackoffModel(
        _counts,
        [np.asarray(P) for P, _ in _tables],
        [np.asarray(L) for _, L in _tables],
    )
    for _ in range(40):
        _context = _model.normal(
            [
                str(word)
                for word in _rng.choice(
                    [*"abcd", "<s>"], _order - 1, p=[0.3, 0.3, 0.15, 0.05, 0.2]
                )
            ]
        )
        _context = tuple(
            word for i, word in enumerate(_context) if i == 0 or word != "<s>"
        )
        _wanted = [_P(word, _context) for word in _counts.vocabulary]
        assert close(_model.context_distribution(_context), _wanted, 1e-5), (
            f"Order {_order}, context {_context}: your tables disagree with the recursion counted one by one."
        )
_levels = [{key: np.array(level[key]) for key in level} for level in _before]
_got = kneser_ney(_levels, 9)
assert hasattr(_got, "__len__") and len(_got) == 4, (
    f"Order 4: return four pairs of arrays; yours: {_got!r}."
)
_wanted = np.asarray(_tables[0][0]) + float(_tables[0][1][0]) * (1 / 9 - 1 / 6)
assert close(_got[0][0], _wanted, 1e-5), (
    f"The same levels with V = 9 in place of 6: 1-grams {_wanted}; yours: {_got[0][0]}."
)
_after = arguments_after(kneser_ney, _levels, 6)[0]
for _level, _wanted in zip(_after, _before, strict=True):
    assert set(_level) == set(_wanted), (
        f"kneser_ney changes the levels that it is given: {set(_level) ^ set(_wanted)}."
    )
    assert all(np.array_equal(_level[key], _wanted[key]) for key in _wanted), (
        "kneser_ney changes the arrays of the levels that it is given."
    )
### END HIDDEN TESTS


# %%
def fit_kneser_ney(sentences, n):
    """A modified Kneser-Ney model of order n, made of your tables."""
    counts = ngrams.NgramCounts(sentences, n)
    P, weights = zip(*kneser_ney(counts.levels, len(counts.vocabulary)), strict=True)
    return ngrams.BackoffModel(counts, P, weights)


orders = range(1, 6)
kn_models = [fit_kneser_ney(train_sentences, n) for n in orders]
print(
    "sums:",
    kn_models[-1]
    .mass([("<s>",), ("i", "want"), ("thai", "food", "please"), ("chez",)])
    .round(6),
)

# %%
count_models = [
    ngrams.RowModel(kn.counts, lambda row, lower: row / max(row.sum(), 1))
    for kn in kn_models
]
impossible = {
    name: [np.mean(np.isinf(model.score(new_sentences))) for model in series]
    for name, series in {
        "P = 0, counts alone": count_models,
        "P = 0, smoothed": kn_models,
    }.items()
}
blocked = pd.DataFrame(impossible, orders).rename_axis("order")
print(blocked.map("{:.1%}".format).to_string())

# %% [markdown]
# Lecture 001 warns that smoothing matters most for "4+ grams", and the table agrees: counts alone call 1 % of the next
# words impossible at order 1, and 37 % at order 5.
#
# Are your functions right? KenLM is a widely used tool for such models. On a text of 30,000 words made by a program,
# KenLM printed a perplexity of 821.4746 with trigrams, and the reference answer gets the same in all these digits
# (a test of this course, `test_perplexity_of_kenlm`, compares them at orders 2, 3 and 5).
