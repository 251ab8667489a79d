# %% [markdown]
# ## 3. Too wide, too hard
#
# So large scores are useful. Where do they come from? A score is a dot product, a sum of $d_k$ products. The wider the vectors are, the more there is to sum, so
# wide vectors have large scores even if they mean nothing.
#
# Let us see what that does to a soft dictionary. We take 64 random keys and one random query, and look at the largest of the 64 weights. The next cell prints its
# mean over 200 such queries, for keys of different widths. (The keys of real models have 64 or 128 numbers.)

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
print(f"and at d_k = {d_k} above {np.median(largest):.4f} for half of the queries")

# %% [markdown]
# All these keys are random, and none of them deserves more than another. Equal weights would be $1/64 = 0.016$. But at $d_k = 1024$ one key gets 0.95 of the
# weight, on average. The dictionary is hard again, by accident.
#
# Why is that bad? A network learns by asking how its result would change if a number changed a little. If a score grows a little, its weight $p$ grows
# $p(1-p)$ times as much; this is the derivative of the softmax. For a weight near 1 the factor $p(1-p)$ is nearly 0, and for a weight near 0 it is nearly 0
# as well. So once one key has nearly everything, a small change of any score changes hardly any weight of this lookup. Then the gradient is nearly 0, and
# training cannot teach the head to look elsewhere, even if another key deserves it. For half of the 200 queries it has come that far: their largest weight is
# above 0.9998, as the last printed line says. A head may become certain after it has learned something, but it should not be so from the start.
#
# So we want to make the scores smaller, by the right factor. How large is a score, typically? Let all numbers of $q$ and $k$ be independent, with mean 0 and
# variance 1.
#
# 1. Each product $q_j k_j$ has the mean 0 and the variance $\mathbb{E}[q_j^2]\,\mathbb{E}[k_j^2] = 1$.
# 2. A score is the sum of $d_k$ such products. Variances of independent numbers add up, so a score has the variance $d_k$.
# 3. The typical size of a score is the root of its variance, $\sqrt{d_k}$.
#
# That is the number to divide by. For $d_k = 64$ it is 8.

# %% [markdown] statement="scale"
# ### Divide by the right number
#
# Now write the attention that everybody uses.
#
# - `scaled_attention(Q, K, V)`: $\mathrm{softmax}(QK^T\!/\sqrt{d_k})\,V$. Now there are $m$ queries at once, one in each row of $Q$. So $QK^T$ holds the scores
#   of all queries, and the softmax goes along its rows.
#
# The three are tensors, and your function may get many texts at once: there may be further axes in front, the same in all three. At the end of the next section
# it is part of your first network.

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
_m, _n = size("m"), size("n", large=600)
_d_k, _d_v = size("d_k"), size("d_v", large=None)
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
for d_k in (4, 64, 1024):
    draw = np.random.default_rng(d_k)
    queries, K = draw.normal(size=(200, d_k)), draw.normal(size=(64, d_k))
    plain = queries @ K.T  # scores [200, 64]
    for name, scores in {"plain": plain, "divided": plain / math.sqrt(d_k)}.items():
        largest = np.mean([softmax(row).max() for row in scores])
        print(
            f"d_k = {d_k:4}, {name:8} variance of a score {scores.var():6.1f}, largest weight {largest:.2f}"
        )

# %% [markdown]
# Look at the two lines with $d_k = 1024$. The plain scores have a variance of about 1,000, as we have worked out, and one of the 64 keys gets 0.95 of the weight.
# The divided scores have a variance of about 1, and the largest weight is 0.11. Divided scores give this 0.11 at $d_k = 64$ as well, so the width no longer
# matters. That is all that *scaled* means.
#
# The divisor does not forbid large scores. It lets a network begin with small ones, and make large ones where it has learned to.
#
# Note what we have measured: random keys with numbers of size 1, before any training. The networks of this chapter begin with smaller numbers, and so they
# hardly need the divisor. (We have trained the network of section 7 without it as well, with three seeds, and it learned its task each time. Those trainings
# are not shown here.)
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
