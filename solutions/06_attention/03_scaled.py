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
# All these keys are random, and none of them deserves more weight than another. Still, at $d_k = 1024$ one of them gets nearly everything. The dictionary is hard again, by accident.
#
# This is worse than it looks, because a choice that is hard from the start can hardly be unlearned. To improve, a network has to know how a weight would change if its score changed a little. For a softmax this slope is $p(1 - p)$, where $p$ is the weight. If $p$ is 0.5, the slope is 0.25. If $p$ is 0.9999, it is only 0.0001. So where a head is that certain before it has learned anything, hardly any gradient comes through.
#
# How large is a score, typically? Let all numbers of $q$ and $k$ be independent, with mean 0 and variance 1. Then each product $q_j k_j$ has the mean 0 and the variance $\mathbb{E}[q_j^2]\,\mathbb{E}[k_j^2] = 1$. Variances of independent numbers add up, so the sum of $d_k$ such products has the variance $d_k$. The typical size of a score is therefore $\sqrt{d_k}$, and that is the number to divide by.

# %% [markdown] statement="scale"
# ### Divide by the right number
#
# Now write the attention that everybody uses.
#
# - `scaled_attention(Q, K, V)`: $\mathrm{softmax}(QK^T\!/\sqrt{d_k})\,V$. Now there are $m$ queries at once, one in each row of $Q$. So $QK^T$ holds the scores of all queries, and the softmax goes along its rows.
#
# The three are tensors, and your function may get many texts at once: there may be further axes in front, the same in all three. At the end of the next section it is part of your first network.

# %% [markdown] hints="scale"
# 1. For one query it is your `lookup`, with the scores divided. With many, $K$ has to be turned so that each row of $Q$ meets each key.
# 2. `.T` turns all axes round. Only the last two should swap.
# 3. The width that counts is that of the keys.


# %% task="scale" points=2 level=2 minutes=15
def scaled_attention(Q, K, V):
    """[..., m, d_v] from tensors Q: [..., m, d_k], K: [..., n, d_k], V: [..., n, d_v]. Gradients pass."""
    ### BEGIN SOLUTION
    S = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    return torch.softmax(S, dim=-1) @ V
    ### END SOLUTION


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
        p = np.array([softmax(row).max() for row in scores])  # the largest weights
        slopes[name].append(np.median(p * (1 - p)))

# %% alt="Left: over the width, the variance of plain scores grows like the width, that of divided scores stays at one. Right: the slope of the largest weight collapses for plain scores beyond a width of 64, and stays for divided ones."
_, (left, right) = plt.subplots(1, 2, figsize=(8, 3.1))
for name in divisors:
    left.loglog(widths, variances[name], "o-", label=name)
    right.loglog(widths, slopes[name], "o-", label=name)
left.set(xlabel="width of a key, $d_k$ (log)", ylabel="variance of a score (log)")
left.set(title="Wide keys make large scores")
left.legend(fontsize=10)
right.set(xlabel="width of a key, $d_k$ (log)", ylabel="slope, median (log)")
right.set(title="Very large scores have a small slope")
right.legend(fontsize=10)
plt.show()

# %% [markdown]
# On the left you see what we have worked out: the variance of a score is about $d_k$, and after the division it is about 1.
#
# On the right is the slope $p(1 - p)$ of the largest weight. Each dot is the median of 200 random queries. Look at the plain scores first. Their slope *rises* at the beginning, because a weight near one half has a larger slope than a tiny one. But from a width of about a hundred on it collapses, because by then one weight is nearly 1 for most queries. Now look at the divided scores. They are about as large at every width (left), so their slope is the same from a width of 4 on (right). That is all that *scaled* means. (Up to a width of about 64 the plain scores even have the larger slope, so for narrow keys this measure does not yet speak for the divisor.)
#
# The divisor does not forbid large scores. It lets a network begin with small ones, and make large ones where it has learned to. In section 7 you will see scores above 10.
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
