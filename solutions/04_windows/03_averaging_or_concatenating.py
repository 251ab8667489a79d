# %% [markdown] statement="scores"
# ## 4. Averaging forgets, concatenating does not
#
# Two ways to make one input of $n$ vectors: their mean ($m$ numbers), or all of them end to end, the **concatenation**
# $x$ ($D = nm$ numbers). A linear classifier then gives class $j$ the score, or **logit**,
#
# $$y_j = \sum_{i=0}^{D-1} x_i W_{ij}, \qquad W \text{ of shape } (D, K).$$
#
# Lecture 000 takes $n = 5$ words, $m = 3$, $K = 4$ classes, so $W$ is `[15, 4]`. Three ways to one number:
#
# - `score_by_loop(x, W, j)`: one row of $W$ after the other;
# - `score_by_word(vectors, W, j)`: a sum of $n$ dot products, each word with the rows that belong to its place;
# - `all_scores(vectors, W)`: one product, all classes.
#
# `vectors` is $(n, m)$, for any $n$ and $m$.

# %% [markdown] hints="scores"
# 1. The first word meets rows 0 to 2, the second rows 3 to 5. Which rows does the fifth meet?
# 2. Laying vectors end to end keeps their order: reading a matrix row by row does just that.
# 3. The long sum falls into $n$ shorter ones, one for each word. Which $m$ terms of it contain the word at place 0? At
#    place 1? Write down the first and the last row for a general place, then let Python cut them out.

# %%
vectors = np.array(
    [[7, 9, 1], [0, 1, 5], [1, 1, 2], [-1, 0, 5], [2, -1, -7]]
)  # please increase the music volume
classes = ["Determiner", "Noun", "Verb", "other"]
W = np.random.default_rng(4).normal(size=(15, 4)).round(1)


# %% task="scores" points=4 level=2 minutes=17
def score_by_loop(x, W, j):
    """The score of class j for the input x, shape (D,); W has shape (D, K). One loop over the rows."""
    ### BEGIN SOLUTION
    score = 0.0
    for i in range(len(x)):
        score += x[i] * W[i, j]
    return score
    ### END SOLUTION


def score_by_word(vectors, W, j):
    """The same for vectors (n, m) and W (n m, K), as a sum of n dot products."""
    ### BEGIN SOLUTION
    m = vectors.shape[1]
    return sum(vector @ W[i * m : (i + 1) * m, j] for i, vector in enumerate(vectors))
    ### END SOLUTION


def all_scores(vectors, W):
    """The scores of all K classes, shape (K,), as one product."""
    ### BEGIN SOLUTION
    return vectors.reshape(-1) @ W
    ### END SOLUTION


# %% test="scores" aspect="a sum over the rows" points=1
_got = score_by_loop(np.array([2.0, -1.0]), np.array([[1.0, 10.0], [3.0, 5.0]]), 1)
assert is_number(_got), f"score_by_loop returns one number; yours: {_got!r}."
assert close(_got, 15), f"2·10 − 1·5 = 15; yours: {_got}."
### BEGIN HIDDEN TESTS
for _D, _j in ((6, 0), (6, 1), (6, 2), (1, 1), (2, 2), (9, 0), (40, 1), (300, 2)):
    _x, _W = (
        np.random.default_rng().normal(size=_D),
        np.random.default_rng().normal(size=(_D, 3)),
    )
    _got = score_by_loop(_x.copy(), _W.copy(), _j)
    assert is_number(_got), f"score_by_loop returns one number; yours: {_got!r}."
    assert close(_got, np.dot(_W.T[_j], _x), 1e-5, 1e-5), (
        f"Class {_j}: {_got} is not the sum over all {_D} rows."
    )
    _left = arguments_after(score_by_loop, _x.copy(), _W.copy(), _j)
    assert close(_left[0], _x) and close(_left[1], _W), (
        "score_by_loop changed the caller's arrays."
    )
_x, _W = np.array([0.5, -1.25, 0.75]), np.array([[3, 1], [2, 5], [1, 4]])
for _parts in ((_x, _W), (4 * _W[:, 0], _W / 4)):
    _got = score_by_loop(*(_part.copy() for _part in _parts), 1)
    assert close(_got, _parts[0] @ _parts[1][:, 1], 1e-5), (
        f"Whole numbers in one, fractions in the other: x = {_parts[0].tolist()}, "
        f"W = {_parts[1].tolist()}, class 1: the score is not {_got}."
    )
### END HIDDEN TESTS

# %% test="scores" aspect="each word meets its own rows" points=1
_W = np.arange(6.0)[:, None] + np.zeros((6, 2))
for _k in range(3):
    _vectors = np.zeros((3, 2))
    _vectors[_k] = 1, 1
    _got = score_by_word(_vectors, _W, 0)
    assert is_number(_got), f"score_by_word returns one number; yours: {_got!r}."
    assert close(_got, 4 * _k + 1), (
        f"m = 2: word {_k} meets rows {2 * _k} and {2 * _k + 1}; your score is {_got}."
    )
### BEGIN HIDDEN TESTS
for _n, _d in ((4, 2), (2, 5), (1, 3), (3, 1), (5, 4), (2, 3), (20, 3), (3, 40)):
    _j = random.randint(0, 2)
    _draw = np.random.default_rng()
    for _vectors, _W in (
        (_draw.normal(size=(_n, _d)), _draw.normal(size=(_n * _d, 3))),
        (_draw.integers(-9, 9, (_n, _d)), _draw.normal(size=(_n * _d, 3))),
        (_draw.normal(size=(_n, _d)), _draw.integers(-9, 9, (_n * _d, 3))),
    ):
        _wanted = sum(
            _vectors[k, i] * _W[k * _d + i, _j] for k in range(_n) for i in range(_d)
        )
        _got = score_by_word(_vectors.copy(), _W.copy(), _j)
        assert is_number(_got), (
            f"{_n} words of width {_d}: score_by_word returns one number; yours: {_got!r}."
        )
        assert close(_got, _wanted, 1e-5, 1e-4), (
            f"{_n} words of width {_d}, class {_j}: the score is not {_got}."
        )
    _left = arguments_after(score_by_word, _vectors.copy(), _W.copy(), _j)
    assert close(_left[0], _vectors) and close(_left[1], _W), (
        "score_by_word changed the caller's arrays."
    )
### END HIDDEN TESTS

# %% test="scores" aspect="all classes at once" points=1
_got = all_scores(vectors.copy(), W.copy())
assert np.shape(_got) == (4,), f"Four classes, four scores; yours: {_got!r}."
### BEGIN HIDDEN TESTS
for _n, _d, _K in (
    (4, 2, 3),
    (2, 5, 3),
    (1, 3, 4),
    (3, 1, 2),
    (5, 4, 6),
    (2, 3, 1),
    (20, 3, 2),
    (3, 40, 30),
):
    _vectors, _W = (
        np.random.default_rng().normal(size=(_n, _d)),
        np.random.default_rng().normal(size=(_n * _d, _K)),
    )
    _wanted = np.einsum("kd,kdj->j", _vectors, _W.reshape(_n, _d, _K))
    _got = all_scores(_vectors.copy(), _W.copy())
    assert np.shape(_got) == (_K,), f"{_K} classes, {_K} scores; yours: {_got!r}."
    assert close(_got, _wanted, 1e-5, 1e-5), (
        "all_scores: some word meets the rows of another. Lay the vectors end to end."
    )
    _left = arguments_after(all_scores, _vectors.copy(), _W.copy())
    assert close(_left[0], _vectors) and close(_left[1], _W), (
        "all_scores changed the caller's arrays."
    )
    _got = laid_out_otherwise(all_scores, _vectors.copy(), _W.copy())
    assert close(_got, _wanted, 1e-5, 1e-5), (
        "all_scores: for arrays that lie in memory column by column, as transposed ones do, your scores are off."
    )
### END HIDDEN TESTS

# %% test="scores" aspect="three ways, one number" points=1
_x = np.array([7, 9, 1, 0, 1, 5, 1, 1, 2, -1, 0, 5, 2, -1, -7])
_all = all_scores(vectors.copy(), W.copy())
assert np.shape(_all) == (4,), (
    f"all_scores: four classes, four scores; yours: {_all!r}."
)
for _j in range(4):
    _ways = [
        score_by_loop(_x, W.copy(), _j),
        score_by_word(vectors.copy(), W.copy(), _j),
        _all[_j],
    ]
    assert all(is_number(way) for way in _ways), (
        f"Three numbers wanted; yours: {_ways}."
    )
    assert close(_ways, [_x @ W[:, _j]] * 3, 1e-5, 1e-5), (
        f"{classes[_j]}: the three ways give {_ways}, not one number."
    )
### BEGIN HIDDEN TESTS
for _n, _d, _K in ((3, 2, 5), (2, 4, 3), (20, 3, 2)):
    _vectors, _W = (
        np.random.default_rng().normal(size=(_n, _d)),
        np.random.default_rng().normal(size=(_n * _d, _K)),
    )
    _all = all_scores(_vectors.copy(), _W.copy())
    assert np.shape(_all) == (_K,), (
        f"all_scores: {_K} classes, {_K} scores; yours: {_all!r}."
    )
    for _j in range(_K):
        _one = (
            score_by_loop(_vectors.flatten(), _W.copy(), _j),
            score_by_word(_vectors.copy(), _W.copy(), _j),
            _all[_j],
        )
        assert close(_one, [_vectors.flatten() @ _W[:, _j]] * 3, 1e-5, 1e-5), (
            f"{_n} words of width {_d}, class {_j}: the three ways give {_one}, not one number."
        )
### END HIDDEN TESTS

# %%
print("x =", vectors.reshape(-1), "| weights:", W.size)
for order, rows in (("in order", vectors), ("reversed", vectors[::-1])):
    print(f"{order}: mean {rows.mean(0)}, scores {all_scores(rows, W).round(1)}")

# %% [markdown]
# The mean is the same for all 120 orders of the five words. It forgets where the words stand, and even which of them is
# to be tagged. The concatenation keeps both: each place has its own rows of $W$, and the tagged word always meets rows
# 6 to 8. The price is that $W$ grows with the window, here from 3 rows to 15.

# %% [markdown] statement="numbered_mean"
# #### A cheaper order?
#
# A friend wants the few numbers of a mean *and* the order: $x = \sum_i i\,v_i$, with $v_i$ the $i$-th word's vector.
# What does this keep that the mean forgets, and what can only the concatenation say?

# %% [markdown] written="numbered_mean" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: most reorderings of the words now change $x$, although it has only $m$ numbers (so $W$ has $m$
# rows for any $n$). 1 point: all places share the same rows of $W$: a word speaks for the same classes wherever it
# stands, only louder the larger $i$ is. In the concatenation each place has rows of its own. 1 point: an example that
# needs this, such as *the* before the tagged word speaking for a noun and after it not; or two different windows with
# the same sum; or that the tagged word cannot be told from the others.
#
# No point for "it is less precise" without saying what is lost. A usual wrong idea: since $x$ now depends on the
# order, a linear layer can use the order as it likes.
#
# **Sample, 3 points.** If two words change places, the sum changes, so the order is no longer lost, and $x$ still has
# $m$ numbers. But the score of a class is $\sum_i i\,(v_i \cdot W_{:j})$: the same column for each place, only
# multiplied by $i$. So *the* before the word can never vote for NOUN while *the* after it votes against; it votes the
# same way, louder. With the concatenation each place has its own rows and could do that.
#
# **Sample, 1 point.** Now it matters where the words stand, and we need only $m$ numbers instead of $nm$. The
# concatenation has more weights and can therefore fit the training data better.
#
# **Sample, 0 points.** It keeps everything, because from the sum you can read off where each word stood by the
# factor. So it is as good as the concatenation and cheaper.
# ### END SOLUTION
