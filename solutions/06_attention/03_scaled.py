# %% [markdown]
# ## 3. Too wide, too hard
#
# So large scores are good, and how do we get them? They come by themselves. A score is a dot product, a sum of $d_k$ products, and the wider the vectors are, the more there is to sum. Real models have keys of 64 or 128 numbers. Let us see what a soft dictionary does when we make its keys wider. We take 64 random
# keys and one random query, and look at the largest of the 64 weights:


# %%
def softmax(s):
    """Weights p: [n] of scores s: [n]."""
    p = np.exp(s - np.max(s))
    return p / p.sum()


for d_k in (1, 4, 16, 64, 256, 1024):
    draw = np.random.default_rng(d_k)
    queries, K = draw.normal(size=(200, d_k)), draw.normal(size=(64, d_k))
    largest = [softmax(K @ q).max() for q in queries]
    print(f"d_k = {d_k:5}: the largest weight is {np.mean(largest):.2f}, on average")

# %% [markdown]
# All these keys are random, and none of them deserves more weight than another. Still, at $d_k = 1024$ one of them gets nearly everything. The dictionary is hard again, by accident, and this is worse than it looks, because a hard choice cannot be *learned*. To improve, a network has to know in which direction each
# score should move. The slope of a weight with respect to its own score is $p(1 - p)$. It is 0.25 if the weight is 0.5, but 0.0001 if the weight is 0.9999. Where a head is that certain before it has learned anything, hardly any gradient comes through, so it can hardly change its mind.
#
# We need to know how large a score typically is. Let all numbers of $q$ and $k$ be independent, with mean 0 and variance 1. Then each product $q_j k_j$ has mean 0 and variance $\mathbb{E}[q_j^2]\,\mathbb{E}[k_j^2] = 1$. What is the variance of their sum? If you know that, you know what to divide by.

# %% [markdown] statement="scale"
# ### Divide by the right number
#
# Measure the growth, see what it does to learning, and then repair it. The repaired function is the attention that everybody uses.
#
# - `measure_variance(d_k, pairs, seed)`: the variance of $q \cdot k$ over that many random pairs (`np.random.default_rng(seed)`, normal);
# - `softmax_gradient(p, g)`: the way back through a softmax. $p$ $[n]$ is a softmax of scores $s$, and $g = \partial L/\partial p$ for some loss $L$. Return $\partial L/\partial s$, without autograd;
# - `scaled_attention(Q, K, V)`: $\mathrm{softmax}(QK^T\!/\sqrt{d_k})\,V$. Now there are $m$ queries at once, one in each row of $Q$, so $QK^T$ holds all scores, and the softmax goes along its rows.
#
# `scaled_attention` gets tensors, and it may get many texts at once: there may be further axes in front, the same in all three.

# %% [markdown] hints="scale"
# 1. A sum of $d_k$ independent products: what do variances of independent numbers do?
# 2. $\partial p_i/\partial s_j = p_i(\delta_{ij} - p_j)$, with $\delta_{ij} = 1$ if $i = j$, else 0. Sum over $i$,
#    each term weighted with $g_i$: two parts remain.
# 3. `.T` turns all axes round. Only the last two should swap; and the width that counts is that of the keys.


# %% task="scale" points=4 level=2 minutes=24
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
    """[..., m, d_v] from tensors Q: [..., m, d_k], K: [..., n, d_k], V: [..., n, d_v]. Gradients pass."""
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
for _d_k in (1, 16):
    spreads_like(
        lambda d_k: measure_variance(d_k, 100, random.randint(0, 10**6)),
        lambda d_k: ours.measure_variance(d_k, 100, random.randint(0, 10**6)),
        _d_k,
        of=lambda variance, d_k=_d_k: round(5 * float(variance) / d_k),
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
_Q = tensor(_m, _d_k, kind="float64", edges=("huge",))
_K, _V = (tensor(*_axes, kind="float64") for _axes in ((_n, _d_k), (_n, _d_v)))
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
    _given = _Q, _K, _V
    agrees(scaled_attention, ours.scaled_attention, *_given, rtol=1e-4, atol=1e-5)
agrees(
    scaled_attention,
    ours.scaled_attention,
    *_given,
    by=gradients,
    mixtures=2,
    rtol=1e-4,
    atol=1e-5,
)
### END HIDDEN TESTS

# %% scratch=true
softmax_gradient(np.array([0.98, 0.01, 0.01]), np.array([0, 1, 0]))  # a p of your own

# %%
widths = [1, 4, 16, 64, 256, 1024]
divisors = {"plain": lambda d_k: 1, "divided by $\\sqrt{d_k}$": math.sqrt}
variances, slopes = {}, {}
for name, divisor in divisors.items():
    variances[name] = [measure_variance(n, 2000, 1) / divisor(n) ** 2 for n in widths]
    slopes[name] = []
    for n in widths:
        q, K = np.random.default_rng(n).normal(size=(2, 200, n))
        P = np.array([softmax(K[:64] @ one / divisor(n)) for one in q])
        # the gradient of the largest weight, sent back through your softmax_gradient
        steps = [softmax_gradient(p, np.eye(64)[p.argmax()]).max() for p in P]
        slopes[name].append(np.median(steps))

# %% alt="Left: over the width, the variance of plain scores grows like the width, that of divided scores stays at one. Right: the slope of the largest weight collapses for plain scores beyond a width of 64, and stays for divided ones."
_, (left, right) = plt.subplots(1, 2, figsize=(8, 3.1))
for name in divisors:
    left.loglog(widths, variances[name], "o-", label=name)
    right.loglog(widths, slopes[name], "o-", label=name)
left.set(xlabel="width of a key, $d_k$ (log)", ylabel="variance of a score (log)")
left.set(title="Wide keys make large scores,")
left.legend(fontsize=10)
right.set(xlabel="width of a key, $d_k$ (log)", ylabel="slope, median (log)")
right.set(title="and very large ones hardly move")
plt.show()

# %% [markdown]
# On the left, variances of independent numbers add up, so the variance of a score is $d_k$, and its typical size $\sqrt{d_k}$. (The second line had to come out flat: it is the first one, divided by $d_k$.) On the right we asked: if the score of the heaviest key rises a little, how much does its weight rise? Your `softmax_gradient` answers, and each dot is the median of 200 random queries. Without the divisor the slope first *rises*, since a weight near one half has a
# larger slope than a tiny one. But from a width of about a hundred on it collapses, because by then one weight is nearly 1 for most queries. Divided by $\sqrt{d_k}$, scores keep the size that they have at width 1, and from a width of 4 on the slope does not change any more. That is all that *scaled* means.
#
# Note what we have measured: random keys whose numbers have variance 1, before any training. The networks that you will train below have heads of 16 numbers and begin with small vectors, so for them the divisor decides little. It is there for the wide ones.
#
# Your function should agree with the one that torch has built in. We give torch's a short name, to have something to compare with:

# %%
attend = F.scaled_dot_product_attention  # torch's own

# %%
set_seed(1)
Q, K, V = (torch.randn(2, rows, 8) for rows in (3, 5, 5))
print(
    "the same as torch:", close(scaled_attention(Q, K, V), attend(Q, K, V), 1e-5, 1e-5)
)
