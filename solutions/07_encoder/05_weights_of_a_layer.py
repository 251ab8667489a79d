# %% [markdown]
# ## 5. What a layer weighs
#
# A linear layer from $a$ to $b$ numbers has $ab$ weights and $b$ biases. Attention has four such maps from $C$ to $C$, the feed-forward layer two, through $4C$ numbers.
#
# **BERT-base** (2018) is an encoder with $V = 30{,}522$ (pieces of words, as in chapter 8), $T = 512$, $C = 768$, $N = 12$.

# %% [markdown] statement="weights"
# - `layer_weights(C)`: a dict with the keys `"attention"`, `"feed_forward"`, `"norms"`: how many numbers a `Layer` learns in each, biases included;
# - `total(V, T, C, N)`: all numbers of an encoder with a table of words $[V, C]$, a table of positions $[T, C]$, $N$ layers and the last norm;
# - `guess_share`: which share of BERT-base's weights stands in the feed-forward layers? A number from 0 to 1, written down before you count; then `measured_share`: the same by your functions.

# %% [markdown] hints="weights"
# 1. Each layer has two norms. What does a norm learn, and how many numbers is that?
# 2. `sum(w.numel() for w in layer_of(8, 2).parameters())` tells whether your three numbers for $C = 8$ have the right sum.
# 3. The heads do not matter: they only cut $C$ into slices. Tables have no biases, and the last norm is that of the `Encoder`, one for all.


# %% task="weights" points=3 level=2 minutes=15
def layer_weights(C):
    """{"attention": ..., "feed_forward": ..., "norms": ...} for one layer of width C."""
    ### BEGIN SOLUTION
    return {
        "attention": 4 * (C * C + C),
        "feed_forward": 2 * 4 * C * C + 4 * C + C,
        "norms": 2 * 2 * C,
    }
    ### END SOLUTION


def total(V, T, C, N):
    """All numbers that an encoder with its two tables learns."""
    ### BEGIN SOLUTION
    return V * C + T * C + N * sum(layer_weights(C).values()) + 2 * C
    ### END SOLUTION


# guess_share = a number from 0 to 1
# measured_share = the share of the feed-forward layers in BERT-base
### BEGIN SOLUTION
guess_share = 0.6
measured_share = 12 * layer_weights(768)["feed_forward"] / total(30522, 512, 768, 12)
### END SOLUTION

# %% test="weights" aspect="the parts of a layer" points=1
_C = 4
_got = layer_weights(_C)
_keys = ["attention", "feed_forward", "norms"]
assert hasattr(_got, "keys") and sorted(_got) == _keys, (
    f"A dict with the keys {_keys} wanted; yours: {_got!r}."
)
assert sum(_got.values()) == 244, (
    f"A layer of width 4 learns 244 numbers; yours: {sum(_got.values())}."
)
### BEGIN HIDDEN TESTS
agrees(layer_weights, ours.layer_weights, whole(1, 50, (2, 512, 4096)))
### END HIDDEN TESTS

# %% test="weights" aspect="the whole encoder" points=1
_got = total(5, 3, 4, 2)
assert is_number(_got), f"total returns a number; yours: {_got!r}."
assert _got == 528, (
    f"V, T, C, N = 5, 3, 4, 2: two tables, two layers, a norm: 528; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_some = whole(1, 90, (30522,)), whole(1, 40), whole(1, 20, (768,)), whole(0, 9, (12,))
agrees(total, ours.total, *_some)
### END HIDDEN TESTS

# %% test="weights" aspect="two shares between 0 and 1" points=1
for _name, _value in (
    ("guess_share", guess_share),
    ("measured_share", measured_share),
):
    assert is_number(_value) and 0 <= _value <= 1, (
        f"{_name} is a number from 0 to 1; yours: {_value!r}."
    )
### BEGIN HIDDEN TESTS
assert abs(measured_share - 56_669_184 / 108_890_112) < 5e-5, (
    f"The feed-forward layers do not hold a share of {measured_share:.4f} of BERT-base."
)
### END HIDDEN TESTS

# %%
MODELS = {  # V, T, C, N
    "tiny": (30522, 512, 128, 2),
    "mini": (30522, 512, 256, 4),
    "medium": (30522, 512, 512, 8),
    "base": (30522, 512, 768, 12),
    "large": (30522, 512, 1024, 24),
}
rows = {}
for name, (V, T, C, N) in MODELS.items():
    parts = {key: N * count for key, count in layer_weights(C).items()}
    rows[name] = {"two tables": V * C + T * C, **parts}
    rough = 12 * N * C * C + V * C
    everything = total(V, T, C, N)
    print(f"{name:7} {everything:12,} weights; 12 N C² + V C: {rough / everything:.3f}")
shares = pd.DataFrame(rows).T
shares = 100 * shares.div(shares.sum(axis=1), axis=0)

# %% folded="draws the shares of the weights" alt="Stacked bars for five sizes of BERT: the two tables take 90 percent in tiny and 10 in large; feed-forward grows to 60 percent, attention to 30."
_, axes = plt.subplots(figsize=(6, 2.3))
left = np.zeros(len(shares))
for name in shares:
    axes.barh(shares.index, shares[name], left=left, label=name)
    left += shares[name]
axes.invert_yaxis()
axes.set(xlabel="share of the weights (%)", ylabel="BERT")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Biases and norms hardly count (the bars of the norms are too thin to be seen): a layer weighs about $12 C^2$, of which $8 C^2$ stand in the feed-forward
# layer and $4 C^2$ in attention (for $C = 512$, 2,097,152 and 1,048,576). The whole model weighs about $12 N C^2 + V C$, within one per cent for BERT-base,
# while the tables are most of the tiny one. (If you look it up: the published BERT-base has 109,482,240 weights. It also has two vectors that tell a first
# sentence from a second one, and one more layer of $C^2 + C$ weights at the end. It is post-norm, so it has no last norm, but it has one after the tables.)
