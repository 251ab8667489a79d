# %% [markdown]
# ## 4. More often than by chance
#
# Draw one of the counted pairs at random. With the total $S = \sum_{ij} N_{ij}$, the pair is $(i, j)$ with probability
# $p_{ij} = N_{ij}/S$; its word is $i$ with probability $p_i = \frac1S\sum_j N_{ij}$, its context $j$ with
# $p_j = \frac1S\sum_i N_{ij}$. If the two were independent, $p_{ij}$ would be $p_i p_j$. The logarithm of the ratio is
# the **pointwise mutual information**:
#
# $$\text{PMI}_{ij} = \ln\frac{p_{ij}}{p_i\,p_j} .$$
#
# At 0 they meet as often as by chance, at $\ln 2$ twice as often. Pairs that never met have $\ln 0 = -\infty$. The
# **positive** PMI, $\text{PPMI} = \max(0, \text{PMI})$, keeps who attracts whom and sets all else to 0.

# %% [markdown] statement="pmi"
# ### Observed over expected
#
# Write `pmi(N)` and `ppmi(N)` for counts of any shape $(n_1, n_2)$. If a whole row or column is zero (or all of $N$),
# nothing is known: all its entries are $-\infty$ in `pmi` and 0 in `ppmi`. Do not compute $\ln 0$: NumPy would print a
# warning.

# %% [markdown] hints="pmi"
# 1. For the counts (3, 1; 1, 3), what is $p_0$ of the first word, and how often would 0 and 0 meet by chance?
# 2. What chance would give is an outer product of row sums and column sums, divided by the total once more.
# 3. Begin with a table of $-\infty$ and put logarithms where $N > 0$: there, neither the row sum nor the column sum
#    can be zero.


# %% task="pmi" points=4 level=2 minutes=15
def pmi(N):
    """Array like N (counts, n1 by n2): ln of observed over expected by chance; -inf where nothing was observed."""
    ### BEGIN SOLUTION
    N = np.asarray(N, dtype=float)
    chance = N.sum(1, keepdims=True) * N.sum(0) / max(N.sum(), 1)
    found = np.full(N.shape, -np.inf)
    seen = N > 0
    found[seen] = np.log(N[seen] / chance[seen])
    return found
    ### END SOLUTION


def ppmi(N):
    """The positive part of pmi(N)."""
    ### BEGIN SOLUTION
    return np.maximum(pmi(N), 0)
    ### END SOLUTION


# %% test="pmi" aspect="observed over expected" points=1
_got = pmi(np.array([[3.0, 1.0], [1.0, 3.0]]))
assert np.shape(_got) == (2, 2), f"pmi has the shape of N; yours: {_got!r}."
assert close(_got, np.log([[1.5, 0.5], [0.5, 1.5]]), 1e-5), (
    f"Of 8 pairs, chance would give 2 to each cell; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_N = made(
    lambda rng, n1, n2: np.array([rng.choices(range(1, 50), k=n2) for _ in range(n1)]),
    size("n1"),
    size("n2"),
    edges=[lambda rng, n1, n2: np.ones((n1, n2))],
)
agrees(pmi, ours.pmi, _N, rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %% test="pmi" aspect="pairs that never met" points=1
_N = np.array([[4.0, 0.0], [2.0, 2.0]])
_got = pmi(_N.copy())
assert np.shape(_got) == (2, 2), f"pmi has the shape of N; yours: {_got!r}."
assert _got[0][1] == -math.inf, f"A pair that never met: -inf; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_N = made(  # many zeros, but no empty row or column
    lambda rng, V: (
        np.array([rng.choices([0, 0, 1, 5], k=V) for _ in range(V)]) + np.eye(V)
    ),
    size("V"),
    edges=[lambda rng, V: np.eye(V)],
)
agrees(pmi, ours.pmi, _N, rtol=1e-5, atol=1e-6)
_found = [_text for _text in warnings_of(pmi, np.eye(3)) if "in log" in _text]
assert not _found, f"Counts with zeros: NumPy warns of a logarithm of 0: {_found}."
### END HIDDEN TESTS

# %% test="pmi" aspect="the positive part" points=1
_got = ppmi(np.array([[3.0, 1.0], [1.0, 3.0]]))
assert np.shape(_got) == (2, 2), f"ppmi has the shape of N; yours: {_got!r}."
assert close(_got, [[math.log(1.5), 0], [0, math.log(1.5)]], 1e-5), (
    f"PMI ln 1.5 stays, ln 0.5 becomes 0; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_N = made(
    lambda rng, V: (
        np.array([rng.choices([0, 0, 1, 5], k=V) for _ in range(V)]) + np.eye(V)
    ),
    size("V"),
    edges=[np.array([[3.0, 0.0, 2.0]]), np.array([[3.0], [1.0]])],
)
agrees(ppmi, ours.ppmi, _N, rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %% test="pmi" aspect="words never seen" points=1
_N = np.array([[2.0, 0.0, 2.0], [0.0, 0.0, 0.0], [1.0, 0.0, 3.0]])
_got = ppmi(_N.copy())
assert np.shape(_got) == (3, 3), f"ppmi has the shape of N; yours: {_got!r}."
assert close(_got[1], [0, 0, 0]), (
    f"Word 1 was never seen: its row of ppmi is 0; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_N = array(size("n1"), size("n2"), below=3)
agrees(pmi, ours.pmi, _N, rtol=1e-5, atol=1e-6)
agrees(ppmi, ours.ppmi, _N, rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %%
M = ppmi(N)
for word in ("tea", "guard", "golden"):
    row = M[number[word]]
    best = np.argsort(-row, kind="stable")[:5]
    met = [f"{words[j]} ({row[j]:.1f}, {N[number[word], j]:.0f} times)" for j in best]
    print(f"{word:7} {', '.join(met)}")

# %% [markdown]
# Now *the* and *a* are gone. Some of what comes first is typical: *glass* beside *tea*. Much is accident: PMI loves
# rare words, and *galtumi*, a coined name, met *guard* three times and leads its row. And a vector still has $V$
# numbers, most of them 0: a word seen beside *tea* and one seen beside *coffee* have no column in common.
