# %% [markdown]
# ## 5. Few numbers for many
#
# Let $M$ be the table of PPMI. Describe each word by $d$ numbers $a_i$ and each context by $d$ numbers $b_j$, such
# that all the products fit the table: $AB^\top \approx M$. With $d$ much smaller than $V$ there is no room for every
# accident. What many rows have in common is worth a number, so words used alike get similar $a_i$.
#
# The best fit is known. The **singular value decomposition** (SVD) writes any matrix as $M = Q\,\text{diag}(s)\,R$:
# the columns of $Q$ are orthonormal, so are the rows of $R$, and $s_1 \ge s_2 \ge \dots \ge 0$. By a theorem of C.
# Eckart and G. Young (1936), no matrix of rank $d$ is closer to $M$, in the sum of squared errors, than the first $d$
# terms of
#
# $$M = \sum_r s_r\, Q_{:r}\, R_{r:} \qquad (\text{column } r \text{ of } Q \text{ times row } r \text{ of } R).$$

# %% [markdown] statement="factors"
# ### The best fit of rank d
#
# Share each factor $s_r$ evenly between the sides, $\sqrt{s_r}$ for $A$ and for $B$. Write
#
# - `factors(M, d)`: for a matrix $M$ of shape $(n_1, n_2)$ and $1 \le d \le n_1, n_2$ the arrays $A$, $(n_1, d)$, and $B$,
#   $(n_2, d)$, such that $AB^\top$ is this best fit and column $r$ has squared length $s_r$ in both;
# - `lost(M, d)`: the share of the sum of squares of $M$ (not all zero) that the best fit of rank $d$ leaves over.

# %% [markdown] hints="factors"
# 1. NumPy has the decomposition: `np.linalg.svd`. Look at the shapes of the three parts for a matrix that is not
#    square.
# 2. Keep the first $d$ columns of $Q$ and rows of $R$, and multiply each by a number of its own.
# 3. Since the columns are orthonormal, the sum of squares of $M$ is the sum of all $s_r^2$. Which of these terms does
#    the fit leave over?


# %% task="factors" points=4 level=2 minutes=15
def factors(M, d):
    """A (n1, d) and B (n2, d): the product of A and B transposed is the best fit of rank d to M (n1, n2)."""
    ### BEGIN SOLUTION
    Q, s, R = np.linalg.svd(M, full_matrices=False)
    root = np.sqrt(s[:d])
    return Q[:, :d] * root, R[:d].T * root
    ### END SOLUTION


def lost(M, d):
    """The share of the squares of M that no matrix of rank d can fit."""
    ### BEGIN SOLUTION
    s = np.linalg.svd(M, compute_uv=False)
    return (s[d:] ** 2).sum() / (s**2).sum()
    ### END SOLUTION


# %% family="factors"
_M = made(
    lambda rng, n1, n2: np.array(
        [[rng.gauss(1, 1) for _ in range(n2)] for _ in range(n1)]
    ),
    *(size("n1"), size("n2")),
    edges=[lambda rng, n1, n2: np.ones((n1, n2))],
)
_d = made(
    lambda rng, M: rng.randint(1, min(M.shape)),
    _M,
    edges=[1, lambda rng, M: min(M.shape)],
)

# %% test="factors" aspect="the best fit" points=2
_M = np.array([[4.0, 0.0, 0.0], [0.0, 9.0, 0.0]])
_got = factors(_M.copy(), 1)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return A and B; yours: {_got!r}."
)
assert np.shape(_got[0]) == (2, 1) and np.shape(_got[1]) == (3, 1), (
    f"d = 1: shapes (2, 1) and (3, 1) wanted; yours: {np.shape(_got[0])}, {np.shape(_got[1])}."
)
assert close(
    np.array(_got[0]) @ np.array(_got[1]).T, [[0, 0, 0], [0, 9, 0]], 1e-5, 1e-6
), "One number for each word fits the 9 and gives up the 4."


### BEGIN HIDDEN TESTS
def _product(function, M, d):
    A, B = function(M, d)
    return np.shape(A), np.shape(B), np.array(A) @ np.array(B).T


agrees(factors, ours.factors, _M, _d, by=_product, rtol=1e-5, atol=1e-6)
_tiny = made(lambda rng, M: M * 1e-9, _M)
agrees(factors, ours.factors, _tiny, _d, by=_product, rtol=1e-5, atol=1e-13)
_M = np.array([[0.0, 3.0, 1.0], [3.0, 1.0, -2.0], [1.0, -2.0, -4.0]])  # symmetric
agrees(factors, ours.factors, _M, whole(1, 3), by=_product, rtol=1e-5, atol=1e-6)
_low = choice(np.zeros((3, 2)), np.outer([1.0, 2.0, 0.0], [3.0, -1.0]))  # rank 0 and 1
agrees(factors, ours.factors, _low, choice(1, 2), by=_product, rtol=1e-5, atol=1e-6)
_M = np.array([[4.0, -4.0], [1.0, 1.0]])  # (1, 1) lies across the direction to keep
agrees(factors, ours.factors, _M, 1, by=_product, rtol=1e-5, atol=1e-6)
# singular values that nearly agree, and one far below the others
for _s, _d in (([3.0, 2.99, 2.98, 1.0], 2), ([900.0, 0.5, 0.2, 0.1], 3)):
    _Q, _R = (np.linalg.qr(np.random.normal(size=(6, 4)))[0] for _ in "QR")
    _M = (_Q * _s) @ _R.T
    agrees(factors, ours.factors, _M, _d, by=_product, rtol=1e-5, atol=1e-4)
### END HIDDEN TESTS

# %% test="factors" aspect="each side half" points=1
_got = factors(np.array([[4.0, 0.0, 0.0], [0.0, 9.0, 0.0]]), 2)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return A and B; yours: {_got!r}."
)
for _side in _got:
    assert close((np.array(_side) ** 2).sum(0), [9, 4], 1e-5, 1e-6), (
        f"The columns have squared lengths 9 and 4, in A as in B; yours: {_side!r}."
    )


### BEGIN HIDDEN TESTS
def _inner_products(function, M, d):
    return [np.array(side).T @ np.array(side) for side in function(M, d)]


agrees(factors, ours.factors, _M, _d, by=_inner_products, rtol=1e-5, atol=1e-6)
_low = choice(np.zeros((3, 2)), np.outer([1.0, 2.0, 0.0], [3.0, -1.0]))  # rank 0 and 1
agrees(
    factors, ours.factors, _low, choice(1, 2), by=_inner_products, rtol=1e-5, atol=1e-6
)
### END HIDDEN TESTS

# %% test="factors" aspect="what a rank leaves over" points=1
_got = lost(np.array([[4.0, 0.0, 0.0], [0.0, 3.0, 0.0]]), 1)
assert is_number(_got), f"lost returns a number; yours: {_got!r}."
assert close(_got, 9 / 25, 1e-5), f"Squares 16 + 9; the 9 is left: 0.36; yours: {_got}."
### BEGIN HIDDEN TESTS
agrees(lost, ours.lost, _M, _d, rtol=1e-5, atol=1e-7)
_M = made(lambda rng, M: M + np.eye(30, 25), array(30, 25))
agrees(lost, ours.lost, _M, whole(1, 25), rtol=1e-5, atol=1e-7)
_M = np.diag([100.0, 0.6, 0.8])  # little is left over, but not nothing
agrees(lost, ours.lost, _M, 1, rtol=1e-5, atol=1e-9)
### END HIDDEN TESTS

# %% folded="draws the share that is lost" alt="Three falling curves over the numbers for each word. With 50 numbers the table of the kitchen text loses less than half, chance meetings nearly two thirds, the same numbers shuffled a bit more."
_, axes = plt.subplots(figsize=(7, 2.2))
shuffled_M = np.random.default_rng(1).permutation(M.ravel()).reshape(M.shape)
chance = np.random.default_rng(1).poisson(np.outer(N.sum(1), N.sum(0)) / N.sum())
tables = {
    "same numbers, shuffled": shuffled_M,
    "same words, met by chance": ppmi(chance),
    "PPMI of the kitchen text": M,
}
for name, matrix in tables.items():
    squares = np.linalg.svd(matrix, compute_uv=False) ** 2
    axes.plot(range(V + 1), 1 - np.cumsum([0, *squares]) / squares.sum(), label=name)
axes.set(xlabel="numbers for each word, d", xlim=(0, 300))
axes.set(ylabel="share of squares lost", ylim=(0, 1))
axes.legend()
plt.show()

# %% [markdown]
# The table of the kitchen text needs far fewer numbers than the same entries in random places. That control exaggerates a little, because a shuffled table
# has also forgotten which words are frequent. In the middle curve each word is as frequent as in the text, and only *whom* it meets is left to chance. The
# kitchen text still needs far fewer numbers: its words really are used alike. The curve bends at about a dozen numbers, but it goes on falling, so no point
# on it decides how long vectors should be. We take $d = 50$.
