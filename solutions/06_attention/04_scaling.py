# %% [markdown] statement="scale"
# ## 5. Divide by $\sqrt{d_k}$
#
# Let all entries of $q$ and $k$ be independent, with mean 0 and variance 1. A product $q_j k_j$ then has mean 0 and
# variance $\mathbb{E}[q_j^2]\,\mathbb{E}[k_j^2] = 1$. What is the variance of $q \cdot k$, a sum of $d_k$ of them? Decide,
# then measure:
#
# - `measure_variance(d_k, pairs, seed)`: that variance over that many random pairs (`np.random.default_rng(seed)`, normal);
# - `softmax_gradient(p, g)`: arrays, $[n]$; $p$ is a softmax of $s$, $g = \partial L/\partial p$ for some loss $L$. Return
#   $\partial L/\partial s$, without autograd;
# - `scaled_attention(Q, K, V)`: $\mathrm{softmax}(QK^T\!/\sqrt{d_k})\,V$ for tensors $Q$ $[\dots, m, d_k]$, $K$ $[\dots, n, d_k]$,
#   $V$ $[\dots, n, d_v]$; the dots: any axes, the same in all.

# %% [markdown] hints="scale"
# 1. A sum of $d_k$ independent products: what do variances of independent numbers do?
# 2. $\partial p_i/\partial s_j = p_i(\delta_{ij} - p_j)$, with $\delta_{ij} = 1$ if $i = j$, else 0. Sum over $i$,
#    each term weighted with $g_i$: two parts remain.
# 3. `.T` turns all axes round. Only the last two should swap; and the width that counts is that of the keys.


# %% task="scale" points=4 level=2 minutes=18
def measure_variance(d_k, pairs, seed):
    """Variance of q · k over random q and k with d_k standard normal entries each."""
    ### BEGIN SOLUTION
    q, k = np.random.default_rng(seed).normal(size=(2, pairs, d_k))
    return (q * k).sum(axis=1).var()
    ### END SOLUTION


def softmax_gradient(p, g):
    """dL/ds: [n], from p = softmax(s): [n] and g = dL/dp: [n]."""
    ### BEGIN SOLUTION
    return p * (g - p @ g)
    ### END SOLUTION


def scaled_attention(Q, K, V):
    """[..., m, d_v] from tensors Q: [..., m, d_k], K: [..., n, d_k], V: [..., n, d_v]."""
    ### BEGIN SOLUTION
    S = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    return torch.softmax(S, dim=-1) @ V
    ### END SOLUTION


# %% test="scale" aspect="variance of a dot product" points=1
for _d_k in (4, 16):
    _got = measure_variance(_d_k, 4_000, 1)
    assert is_number(_got), f"measure_variance returns a number; yours: {_got!r}."
    assert 0.85 < _got / _d_k < 1.15, (
        f"d_k = {_d_k}: the variance is near {_d_k}; yours: {_got}."
    )
    assert _got == measure_variance(_d_k, 4_000, 1), (
        "The same seed should draw the same pairs."
    )
assert measure_variance(16, 500, 1) != measure_variance(16, 500, 2), (
    "Another seed should draw other pairs."
)
assert measure_variance(16, 9, 5) != measure_variance(16, 400, 5), (
    "Draw as many pairs as asked for."
)
### BEGIN HIDDEN TESTS
for _seed in (0, 1, 2, 3, 42, 123, 1234):  # q and k differ, whatever the seed
    _got = measure_variance(8, 1_000, _seed)
    assert is_number(_got) and 0.6 < _got / 8 < 1.4, (
        f"d_k = 8, seed {_seed}: the variance is not near {_got}. Is k drawn beside q?"
    )
    assert _got == measure_variance(8, 1_000, _seed), (
        f"Seed {_seed}, asked twice: other pairs."
    )
assert measure_variance(1, 20_000, 3) != measure_variance(1, 26_000, 3), (
    "20,000 pairs and 26,000 give the same: draw as many pairs as asked for."
)
spreads_like(
    lambda: measure_variance(1, 100, random.randint(0, 10**6)),
    lambda: ours.measure_variance(1, 100, random.randint(0, 10**6)),
    of=lambda variance: round(5 * float(variance)),
)
### END HIDDEN TESTS

# %% test="scale" aspect="back through the softmax" points=1
_got = softmax_gradient(np.array([0.5, 0.25, 0.25]), np.array([1.0, 0, 0]))
assert close(np.shape(_got), (3,), 0, 0), (
    f"Three scores, three slopes; yours: {_got!r}."
)
assert close(_got, [0.25, -0.125, -0.125], 1e-5), (
    f"p = .5, .25, .25, g = 1, 0, 0: .25, -.125, -.125; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_n = size("n")
_p = made(lambda rng, p: np.array(p), shares(_n))
_g = array(_n, kind=choice("float64", "int64"))
agrees(
    softmax_gradient,
    ours.softmax_gradient,
    _p,
    _g,
    by=without_autograd,
    rtol=1e-4,
    atol=1e-6,
)
### END HIDDEN TESTS

# %% test="scale" aspect="scaled by the keys' width" points=1
_E = torch.tensor([[1.0, 0], [1, 0], [0, 1], [1, 0]])
_got = scaled_attention(torch.tensor([[0.0, 1]]), 10 * _E, torch.eye(4))
assert np.shape(_got) == (1, 4), (
    f"One query, values of width 4: shape (1, 4); yours: {np.shape(_got)}."
)
assert close(_got[0][2], 0.99746, 0, 1e-5), (
    f"Score 10 / √2 against three 0: weight .99746; yours: {_got[0][2]}."
)
### BEGIN HIDDEN TESTS
_m, _n, _d_k, _d_v = size("m"), size("n"), size("d_k"), size("d_v", large=None)
_Q, _K, _V = (
    tensor(*_axes, kind="float64") for _axes in ((_m, _d_k), (_n, _d_k), (_n, _d_v))
)
agrees(scaled_attention, ours.scaled_attention, _Q, _K, _V, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="scale" aspect="texts keep apart" points=1
_axes = [(2, 3)]
for _lead in _axes:
    _Q, _K, _V = (
        torch.randn(*_lead, *_size).double() for _size in ((4, 5), (6, 5), (6, 2))
    )
    _got = scaled_attention(_Q.clone(), _K.clone(), _V.clone())
    assert np.shape(_got) == (*_lead, 4, 2), (
        f"Leading axes {_lead}: shape {(*_lead, 4, 2)} wanted; yours: {np.shape(_got)}."
    )
    for _at in np.ndindex(_lead):
        _alone = F.scaled_dot_product_attention(
            _Q[_at][None], _K[_at][None], _V[_at][None]
        )[0]
        assert close(_got[_at], _alone, 1e-4, 1e-5), (
            f"Text {_at} gets another answer beside others than alone."
        )
### BEGIN HIDDEN TESTS
_m, _n, _d_k, _d_v = (size(_name, large=None) for _name in ("m", "n", "d_k", "d_v"))
_A, _B = size("texts", large=None), size("more texts", large=None)
for _lead in ((_B,), (_A, 1, _B)):
    _Q, _K, _V = (
        tensor(*_lead, *_axes, kind="float64")
        for _axes in ((_m, _d_k), (_n, _d_k), (_n, _d_v))
    )
    agrees(scaled_attention, ours.scaled_attention, _Q, _K, _V, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% scratch=true
softmax_gradient(np.array([0.98, 0.01, 0.01]), np.array([0, 1, 0]))  # a p of your own

# %%
widths = [1, 4, 16, 64, 256, 1024]
divisors = {"plain": lambda d_k: 1, "divided by √$d_k$": math.sqrt}


def random_weights(d_k, divisor):
    """Softmax weights, [200, 64]: 200 random queries look among 64 random keys."""
    q, k = np.random.default_rng(d_k).normal(size=(2, 200, d_k))
    return np.array([softmax(s / divisor) for s in q @ k[:64].T])


# %%
variances, slopes, peaks = {}, {}, {}
for name, divisor in divisors.items():
    variances[name] = [measure_variance(n, 2000, 1) / divisor(n) ** 2 for n in widths]
    P = [random_weights(n, divisor(n)) for n in widths]
    slopes[name] = [(p * (1 - p)).mean() for p in P]  # of a weight, by its own score
    peaks[name] = [f"{p.max(1).mean():.2f} ± {p.max(1).std():.2f}" for p in P]

# %% alt="Over the width, the variance of plain scores grows like the width, that of divided scores stays at one; the slope of the softmax falls to a thousandth for plain scores and stays for divided ones."
_, (left, right) = plt.subplots(1, 2, figsize=(6.4, 2.1))
for name in divisors:
    left.loglog(widths, variances[name], "o-", label=name)
    right.loglog(widths, slopes[name], "o-", label=name)
left.set(xlabel="$d_k$ (log)", ylabel="variance of a score (log)")
right.set(xlabel="$d_k$ (log)", ylabel="slope $p(1-p)$, mean (log)")
right.legend(loc="lower left", fontsize=9)
plt.show()
print("largest weight; d_k =")
print(pd.DataFrame(peaks, index=widths).T.to_string())

# %% [markdown]
# Left: variances of independent numbers add, so that of a score grows in proportion to $d_k$, and its typical size like
# $\sqrt{d_k}$. Right: $\partial p_i/\partial s_i = p_i(1 - p_i)$, the slope by which a weight learns. Without the scale,
# width alone makes the softmax nearly hard (the table: the largest of 64 weights nears 1), and the slope dies as the hard
# maximum's did. Divided by $\sqrt{d_k}$, neither changes from $d_k = 4$ on. (Table: mean ± standard deviation, 200
# queries.)
#
# The width of *one key* counts: eight heads of width 64 (section 10) divide by $\sqrt{64} = 8$, not by $\sqrt{512}$.
