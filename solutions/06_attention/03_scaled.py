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
# All these keys are random, and none of them deserves more weight than another. Still, at $d_k = 1024$ one of them gets nearly everything. The dictionary is hard again, by accident, and this is worse than it looks, because a choice that is hard from the start can hardly be unlearned. To improve, a network has to know in which direction each
# score should move. The slope of a weight with respect to its own score is $p(1 - p)$. It is 0.25 if the weight is 0.5, but 0.0001 if the weight is 0.9999. Where a head is that certain before it has learned anything, hardly any gradient comes through, so it can hardly change its mind.
#
# How large is a score, typically? Let all numbers of $q$ and $k$ be independent, with mean 0 and variance 1. Then each product $q_j k_j$ has mean 0 and variance $\mathbb{E}[q_j^2]\,\mathbb{E}[k_j^2] = 1$. Variances of independent numbers add up, so the sum of $d_k$ such products has the variance $d_k$, and its typical size is $\sqrt{d_k}$. That is the number to divide by.

# %% [markdown] statement="scale"
# ### Divide by the right number
#
# See what a hard softmax does to learning, and then repair it. The repaired function is the attention that everybody uses.
#
# - `softmax_gradient(p, g)`: the way back through a softmax. $p$ $[n]$ is a softmax of scores $s$, and $g = \partial L/\partial p$ for some loss $L$. Return $\partial L/\partial s$, without autograd;
# - `scaled_attention(Q, K, V)`: $\mathrm{softmax}(QK^T\!/\sqrt{d_k})\,V$. Now there are $m$ queries at once, one in each row of $Q$, so $QK^T$ holds all scores, and the softmax goes along its rows.
#
# `scaled_attention` gets tensors, and it may get many texts at once: there may be further axes in front, the same in all three.

# %% [markdown] hints="scale"
# 1. $\partial p_i/\partial s_j = p_i(\delta_{ij} - p_j)$, with $\delta_{ij} = 1$ if $i = j$, else 0. Sum over $i$,
#    each term weighted with $g_i$: two parts remain.
# 2. `.T` turns all axes round. Only the last two should swap.
# 3. The width that counts is that of the keys.


# %% task="scale" points=3 level=2 minutes=25
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
    variances[name], slopes[name] = [], []
    for n in widths:
        q, K = np.random.default_rng(n).normal(size=(2, 200, n))
        scores = q @ K[:64].T / divisor(n)  # of 200 queries and 64 keys
        variances[name].append(scores.var())
        P = np.array([softmax(row) for row in scores])
        # the gradient of the largest weight, sent back through your softmax_gradient
        steps = [softmax_gradient(p, np.eye(64)[p.argmax()]).max() for p in P]
        slopes[name].append(np.median(steps))

# %% alt="Left: over the width, the variance of plain scores grows like the width, that of divided scores stays at one. Right: the slope of the largest weight collapses for plain scores beyond a width of 64, and stays for divided ones."
_, (left, right) = plt.subplots(1, 2, figsize=(8, 3.1))
for name in divisors:
    left.loglog(widths, variances[name], "o-", label=name)
    right.loglog(widths, slopes[name], "o-", label=name)
left.set(xlabel="width of a key, $d_k$ (log)", ylabel="variance of a score (log)")
left.set(title="Wide keys make large scores")
left.legend(fontsize=10)
right.set(xlabel="width of a key, $d_k$ (log)", ylabel="slope, median (log)")
right.set(title="Very large scores hardly learn")
right.legend(fontsize=10)
plt.show()

# %% [markdown]
# On the left you see what we have worked out: the variance of a score is about $d_k$, and after the division it is about 1. On the right we asked: if the score of the heaviest key rises a little, how much does its weight rise? Your `softmax_gradient` answers, and each dot is the median of 200 random queries. Without the divisor the slope first *rises*, since a weight near one half has a
# larger slope than a tiny one. But from a width of about a hundred on it collapses, because by then one weight is nearly 1 for most queries. Divided by $\sqrt{d_k}$, scores keep the size that they have at width 1, and from a width of 4 on the slope does not change any more. That is all that *scaled* means. The divisor does not forbid large scores. It lets a network begin with small ones, and make large ones where it has learned to.
#
# Note what we have measured: random keys whose numbers have variance 1, before any training. What the divisor does for a network in training depends on its width and on how it begins, and we have not measured that here.
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
