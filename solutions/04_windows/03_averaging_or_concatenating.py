# %% [markdown] statement="scores"
# ## 4. Averaging forgets, concatenating does not
#
# Two ways to make one input of $n$ vectors: their mean ($m$ numbers), or all of them end to end, the **concatenation**
# $x$ ($D = nm$ numbers). A linear classifier then gives class $j$ the score, or **logit**,
#
# $$y_j = \sum_{i=0}^{D-1} x_i W_{ij}, \qquad W \text{ of shape } (D, K).$$
#
# Take $n = 5$ words, $m = 3$, $K = 4$ classes, so $W$ is `[15, 4]`. Three ways to one number:
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


# %% family="scores"
_n, _m, _K = whole(2, 6, (1, 40)), whole(2, 6, (1, 40)), whole(2, 6, (1,))
_D = made(lambda rng, n, m: n * m, _n, _m)
_j = made(lambda rng, K: rng.randrange(K), _K, edges=[0, lambda rng, K: K - 1])
_x, _vectors = array(_D), array(_n, _m)
_near = {"mixtures": 1, "rtol": 1e-5, "atol": 1e-4}


def _or_whole(numbers):
    """The numbers, or whole ones in their place."""
    return choice(numbers, made(lambda rng, x: np.round(3 * x).astype(int), numbers))


# %% test="scores" aspect="a sum over the rows" points=1
_got = score_by_loop(np.array([2.0, -1.0]), np.array([[1.0, 10.0], [3.0, 5.0]]), 1)
assert is_number(_got), f"score_by_loop returns one number; yours: {_got!r}."
assert close(_got, 15), f"2·10 − 1·5 = 15; yours: {_got}."
### BEGIN HIDDEN TESTS
_W = _or_whole(array(_D, _K))
agrees(score_by_loop, ours.score_by_loop, _or_whole(_x), _W, _j, **_near)
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
_W = _or_whole(array(_D, _K))
agrees(score_by_word, ours.score_by_word, _or_whole(_vectors), _W, _j, **_near)
_W = np.arange(12.0).reshape(6, 2)
agrees(score_by_word, ours.score_by_word, np.ones((3, 2)), _W, 1, mixtures=0)
### END HIDDEN TESTS

# %% test="scores" aspect="all classes at once" points=1
_got = all_scores(vectors.copy(), W.copy())
assert np.shape(_got) == (4,), f"Four classes, four scores; yours: {_got!r}."
### BEGIN HIDDEN TESTS
agrees(all_scores, ours.all_scores, _vectors, array(_D, _K), **_near)
agrees(all_scores, ours.all_scores, array(2, 3), array(6, 6), mixtures=0, rtol=1e-5)
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
_n, _m, _K = choice(3, 1, 20), choice(2, 4, 1), choice(5, 3)
_W, _vectors = (
    made(
        lambda rng, *shape: np.reshape(
            [rng.gauss(0, 1) for _ in range(math.prod(shape))], shape
        ),
        *axes,
    )
    for axes in ((made(lambda rng, n, m: n * m, _n, _m), _K), (_n, _m))
)
_x, _near["mixtures"] = made(lambda rng, vectors: vectors.flatten(), _vectors), 0
agrees(score_by_loop, ours.score_by_loop, _x, _W, _j, **_near)
agrees(score_by_word, ours.score_by_word, _vectors, _W, _j, **_near)
agrees(all_scores, ours.all_scores, _vectors, _W, **_near)
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
