# %% [markdown]
# ## 9. Heads: a tag for each word, a class for the text
#
# The encoder gives $X$, shape $[B, T, C]$: a vector for each place of each text. To tag words, a linear layer scores each vector on its own. To sort whole
# texts, first make one vector of a text: its mean over the places, or for each of the $C$ numbers the largest. (The drawing calls both matrices $W$, but each
# head has weights of its own.)

# %% folded="draws the heads of the encoder" alt="Words go through the encoder. From each vector a matrix gives a tag; mean or max over the words that are not fillers gives one class for the text."
drawings.encoder_heads()

# %% [markdown] statement="heads"
# Write
#
# - `tag_head(X, W, b)`: scores $[B, T, K]$, with $W$ $[C, K]$ and $b$ $[K]$, for all places;
# - `class_head(X, lengths, W, b, how)`: scores $[B, K]$ from the mean (`how="mean"`) or the maximum (`how="max"`) of the
#   first `lengths[i]` places of text $i$; `lengths` is a tensor of $B$ whole numbers from 1 to $T$. Any other `how` is a
#   `ValueError`.
#
# Scores are **logits**: no softmax. Padding never counts, whatever stands there: NaN and infinities, too. The
# gradient there is 0.

# %% [markdown] hints="heads"
# 1. Let a text of one word have the vector (-2, -3), followed by a row of zeros. Which mean, which maximum?
# 2. Compare the places $0 \ldots T-1$ with the lengths: a bool $[B, T]$. Before mean and maximum, other numbers have to
#    stand in the padding.
# 3. A number that no mean changes is 0, one that no maximum changes is $-\infty$. *Replace*, do not multiply: 0 times NaN
#    is NaN. And by how many do you divide?


# %% task="heads" points=4 level=2 minutes=18
def tag_head(X, W, b):
    """Scores [B, T, K] from X [B, T, C]."""
    ### BEGIN SOLUTION
    return X @ W + b
    ### END SOLUTION


def class_head(X, lengths, W, b, how):
    """Scores [B, K] from the mean or the maximum of each text's own places."""
    ### BEGIN SOLUTION
    padding = (torch.arange(X.shape[1]) >= lengths[:, None])[:, :, None]
    if how == "mean":
        pooled = X.masked_fill(padding, 0).sum(1) / lengths[:, None]
    elif how == "max":
        pooled = X.masked_fill(padding, -math.inf).amax(1)
    else:
        raise ValueError(f"how is mean or max, not {how!r}")
    return pooled @ W + b
    ### END SOLUTION


# %% family="heads"
_B, _T = whole(2, 3, (1, 12)), whole(4, 6, (1, 12))
_C, _K = whole(7, 9, (1,)), whole(10, 12, (1,))
_given_lengths = made(
    lambda rng, B, T: torch.tensor([rng.randint(1, T) for _ in range(B)]),
    *(_B, _T),
    edges=[lambda rng, B, T: torch.full((B,), T)],
)


def _drawn(kind):  # vectors, weights and biases
    return [tensor(*axes, kind=kind) for axes in ((_B, _T, _C), (_C, _K), (_K,))]


# %% test="heads" aspect="a score for each word and tag" points=1
_sizes = [(1, 2, 2, 3)]
for _B, _T, _C, _K in _sizes:
    _X, _W, _b = torch.randn(_B, _T, _C), torch.randn(_C, _K), torch.randn(_K)
    _wanted = np.einsum("btc,ck->btk", _X.numpy(), _W.numpy()) + _b.numpy()
    _got = tag_head(_X.clone(), _W.clone(), _b.clone())
    assert np.shape(_got) == (_B, _T, _K), (
        f"[B, T, K] = {[_B, _T, _K]} wanted; yours: {np.shape(_got)}."
    )
    assert close(_got, _wanted, 1e-4, 1e-5), (
        f"B, T, C, K = {_B, _T, _C, _K}: x W + b for each word, without softmax."
    )
### BEGIN HIDDEN TESTS
_given = _drawn("float32")
agrees(tag_head, ours.tag_head, *_given)
agrees(tag_head, ours.tag_head, *_given, by=gradients, mixtures=2)
### END HIDDEN TESTS

# %% test="heads" aspect="the mean of a text's own words" points=1
_cases = [(1, 3, 2, 2, [2])]
for _B, _T, _C, _K, _lengths in _cases:
    _X, _W, _b = torch.randn(_B, _T, _C) - 3, torch.randn(_C, _K), torch.randn(_K)
    _wanted = [
        (_X[i, :n].double().mean(0) @ _W.double() + _b).tolist()
        for i, n in enumerate(_lengths)
    ]
    _got = class_head(_X.clone(), torch.tensor(_lengths), _W, _b, "mean")
    assert np.shape(_got) == (_B, _K), f"[B, K] wanted; yours: {np.shape(_got)}."
    assert close(_got, _wanted, 1e-4, 1e-4), (
        f"Lengths {_lengths}, T = {_T}: not the mean of each text's own words, times W, plus b."
    )
### BEGIN HIDDEN TESTS
_X, _W, _b = _drawn("float32")
agrees(class_head, ours.class_head, _X, _given_lengths, _W, _b, "mean")
### END HIDDEN TESTS

# %% test="heads" aspect="the maximum of a text's own words" points=1
_cases = [(1, 3, 2, 2, [2])]
for _B, _T, _C, _K, _lengths in _cases:
    for _shift in (-9, 9, -3e6):  # all negative: zeros in the padding would win
        _X, _W = torch.randn(_B, _T, _C) + _shift, torch.randn(_C, _K)
        _b = torch.randn(_K)
        _wanted = [
            (_X[i, :n].double().max(0)[0] @ _W.double() + _b).tolist()
            for i, n in enumerate(_lengths)
        ]
        _got = class_head(_X.clone(), torch.tensor(_lengths), _W, _b, "max")
        assert np.shape(_got) == (_B, _K), f"[B, K] wanted; yours: {np.shape(_got)}."
        assert close(_got, _wanted, 1e-4, 1e-4 + 1e-5 * abs(_shift)), (
            f"Lengths {_lengths}, T = {_T}, numbers about {_shift}: "
            "not the largest of each text's own words, times W, plus b."
        )
### BEGIN HIDDEN TESTS
_X = made(  # far below 0: neither 0 nor a small number may win in the padding
    lambda rng, X, far: X + far, tensor(_B, _T, 3), choice(0, -9, -3e6, -3e12, math.inf)
)
_rest = torch.eye(3), torch.zeros(3), "max"
agrees(class_head, ours.class_head, _X, _given_lengths, *_rest)
### END HIDDEN TESTS

# %% test="heads" aspect="padding never counts" points=1
_how, _bad, _X = "mean", math.nan, torch.tensor([[[1.0], [3.0], [0.0]]])
_X[0, 2] = _bad
_got = class_head(_X, torch.tensor([2]), torch.ones(1, 1), torch.zeros(1), "mean")
assert close(_got, [[2.0]]), f"1, 3, then NaN in the padding: mean 2; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_X, _W, _b = _drawn("float64")
_X = made(  # no ties: who of them gets the gradient is left open
    lambda rng, X, n, bad: (
        X + torch.arange(X.numel()).view(X.shape) / 1e4
    ).masked_fill((torch.arange(X.shape[1]) >= n[:, None])[..., None], bad),
    *(_X, _given_lengths, choice(math.nan, math.inf, -math.inf, 1e30, 0.0)),
)
_given = _X, _given_lengths, _W, _b
for _by in (None, gradients):
    _how = choice("mean", "max")
    agrees(class_head, ours.class_head, *_given, _how, by=_by, mixtures=4)
_how = choice("mean", "min", "", "MEAN", "Max", None)
agrees(class_head, ours.class_head, *_given, _how, raises=ValueError, mixtures=0)
### END HIDDEN TESTS

# %% [markdown]
# Which of the two should you take? Here is a text in which one word of $n$ has something to say, a 1 among zeros, once with your mean and once with your
# maximum:

# %%
for n in (2, 10, 100):
    X, one, zero = torch.zeros(1, n, 1), torch.ones(1, 1), torch.zeros(1)
    X[0, n // 2] = 1
    mean, most = (
        class_head(X, torch.tensor([n]), one, zero, how).item()
        for how in ("mean", "max")
    )
    print(f"1 word of {n:3}: mean {mean:.2f}, maximum {most:.2f}")

# %% [markdown]
# A mean tells *how much* of something is in a text, so a single word is lost in a long one. A maximum tells *whether* it occurs anywhere, however long the
# text is.
