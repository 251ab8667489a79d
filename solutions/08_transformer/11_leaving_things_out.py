# %% [markdown] statement="rms_norm"
# ## 13. Leaving things out
#
# **RMSNorm** (B. Zhang, R. Sennrich) is LayerNorm without the mean and without the bias: it divides by the root of the mean square. **Squared ReLU** (D. So et al.) replaces GELU:
#
# $$y = g \star \frac{x}{\sqrt{\frac1C \sum_c x_c^2 + \varepsilon}} \qquad\qquad \max(0, x)^2$$
#
# - `rms_norm(x, gain, eps)`: $[\dots, C]$ from $x$ $[\dots, C]$ and $g$ $[C]$;
# - `squared_relu(x)`;
# - `mean_left(mu, sigma)`: numbers with mean $\mu$ and standard deviation $\sigma$ (divided by $C$) go in, $g = 1$, $\varepsilon = 0$. The mean of what
#   comes out?

# %% [markdown] hints="rms_norm"
# 1. All $C$ numbers are divided by the same number. What becomes of their mean?
# 2. The mean of squares is the square of the mean plus the variance.
# 3. Square, average over the last axis (keep it), add, take the root, divide, multiply with the gain. Order matters: the $\varepsilon$ stands
#    under the root.


# %% task="rms_norm" points=3 level=1 minutes=10
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]; gradients pass."""
    ### BEGIN SOLUTION
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
    ### END SOLUTION


def squared_relu(x):
    """max(0, x) squared, entry by entry."""
    ### BEGIN SOLUTION
    return x.clamp(min=0) ** 2
    ### END SOLUTION


def mean_left(mu, sigma):
    """The mean of RMSNorm's output."""
    ### BEGIN SOLUTION
    return mu / math.sqrt(mu**2 + sigma**2)
    ### END SOLUTION


# %% test="rms_norm" aspect="mean square 1 per token" points=1
_got = rms_norm(
    torch.tensor([[[3.0, 4.0], [-600.0, 800.0]]]).double(), torch.ones(2).double()
)
assert np.shape(_got) == (1, 2, 2), (
    f"x of shape (1, 2, 2): the same is wanted; yours: {np.shape(_got)}."
)
_wanted = np.array([[[0.6, 0.8], [-0.6, 0.8]]]) * math.sqrt(2)
assert close(_got, _wanted, 0, 1e-4), (
    f"3 and 4 become .849 and 1.131; yours: {_got[0, 0].tolist()}."
)
### BEGIN HIDDEN TESTS
for _shape, _scale, _more in (
    ((2, 3, 5), 4, (1e-6,)),
    ((4, 3), 0.1, (0.3,)),
    ((6,), 1e-3, ()),
    ((2, 5, 3, 4), 1, ()),
):
    _x, _g = (
        (torch.randn(_shape).double() + 1) * _scale,
        torch.randn(_shape[-1]).double(),
    )
    _wanted = (
        _g
        * _x
        / (_x.square().mean(-1, keepdim=True) + (_more[0] if _more else 1e-6)).sqrt()
    )
    assert close(rms_norm(_x.clone(), _g.clone(), *_more), _wanted, 1e-4, 1e-6), (
        f"x of shape {_shape} and spread {_scale}, eps = {_more[0] if _more else 'not given'}, random gain: "
        "not what the formula gives."
    )
    _leaves = [part.clone().requires_grad_(True) for part in (_x, _g)]
    _root = (_leaves[0].square().mean(-1, keepdim=True) + 0.1).sqrt()
    (_leaves[1] * _leaves[0] / _root).sum().backward()
    _found = gradients(rms_norm, _x, _g, 0.1)
    for _name, _mine, _leaf in zip(("x", "gain"), _found, _leaves, strict=True):
        assert close(_mine, _leaf.grad, 1e-3, 1e-5), (
            f"The gradient with respect to {_name} is wrong: it should pass through all "
            "that is computed from it."
        )
    _after = arguments_after(rms_norm, _x.clone(), _g.clone())
    assert close(_after[0], _x) and close(_after[1], _g), (
        "x or gain is changed in place by your rms_norm."
    )
### END HIDDEN TESTS

# %% test="rms_norm" aspect="squares of the positive" points=1
_x = torch.tensor([[-2.0, -0.5, 0.0], [0.5, 1.0, 3.0]]).double()
_got = squared_relu(_x.clone())
assert np.shape(_got) == (2, 3), f"The shape of x is wanted; yours: {np.shape(_got)}."
assert close(_got, [[0, 0, 0], [0.25, 1, 9]], 1e-5), (
    f"0 0 0 and .25 1 9 wanted; yours: {_got.tolist()}."
)
assert close(gradients(squared_relu, _x)[0], [[0, 0, 0], [1, 2, 6]], 1e-5), (
    "Its slope should be 2x, and 0 below zero."
)
### BEGIN HIDDEN TESTS
_x = torch.randn(3, 4, 2).double() * 2
_x[0, 0] = torch.tensor([-0.1, 0.1])
assert close(squared_relu(_x.clone()), torch.relu(_x) ** 2, 1e-4), (
    "On random numbers your squared_relu is wrong."
)
assert close(gradients(squared_relu, _x)[0], 2 * torch.relu(_x), 1e-4), (
    "On random numbers its slope is wrong."
)
assert close(arguments_after(squared_relu, _x.clone())[0], _x), (
    "x is changed in place by your squared_relu."
)
_got = squared_relu(torch.ones(1, 3))
assert np.shape(_got) == (1, 3), f"x is [1, 3], so the result is; yours: {_got}."
### END HIDDEN TESTS

# %% test="rms_norm" aspect="the mean that stays" points=1
_got = mean_left(3.0, 4.0)
assert is_number(_got), f"mean_left returns a number; yours: {_got!r}."
assert close(_got, 0.6, 1e-4), f"Mean 3, deviation 4: .6 is left; yours: {_got}."
### BEGIN HIDDEN TESTS
_x = np.random.default_rng().normal(size=50) * 2 + random.uniform(1, 3)
_wanted = (_x / math.sqrt((_x**2).mean())).mean()
_got = mean_left(_x.mean(), _x.std())
assert close(_got, _wanted, 1e-4), (
    f"Mean {_x.mean():.3f}, deviation {_x.std():.3f}: {_wanted:.4f}, not {_got}."
)
for _mu, _sigma, _wanted in (
    (-2.0, 1.5, -0.8),
    (0.0, 2.0, 0),
    (-3.0, 0.0, -1),
    (0.05, 0.12, 5 / 13),
):
    _got = mean_left(_mu, _sigma)
    assert close(_got, _wanted, 1e-4, 1e-6), (
        f"Mean {_mu}, deviation {_sigma}: {_wanted:.3f} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %% [markdown]
# ## 14. Remember keys and values
#
# To write, a model reads its text, draws one token, reads the text with that token, draws the next. A causal model never changes its past: keys and values of old places stay what they were. So *keep* them, in a **cache**, and read only what is new.

# %% folded="draws the cache" alt="Three rounds of writing. Without a cache all tokens are computed in each round, 12 in all; with it only the new one after the prompt, 5 in all."
drawings.kv_cache(prompt=3)

# %% [markdown]
# A row is a round of writing, a column a place. With a prompt of $m$ tokens and $n$ new ones (the last is never read), the left side reads $m + (m + 1) + \dots + (m + n - 1)$ tokens, the right side $m + n - 1$. The price is memory: two numbers for each layer, place and unit of width. GPT-2 (12 layers, width 768) with 1,024 tokens at 2 bytes each needs
# $2 \cdot 12 \cdot 1024 \cdot 768 \cdot 2$ bytes = 37.7 MB for each text. So newer models let several query heads share one head of keys and values (**grouped queries**, J. Ainslie and others, 2023): with 4 such heads beside GPT-2's 12 heads of queries, its cache would shrink to a third.

# %% [markdown] statement="attend_next"
# Write `attend_next(q, k, v, past)`: attention of one new token, $q, k, v$ each $[B, H, 1, D]$. `past` is `None` or the pair (keys, values), both $[B, H, t, D]$, of the $t$ places before. It returns $z$ $[B, H, 1, D]$ and the new pair.

# %% [markdown] hints="attend_next"
# 1. The newest token may look at everything there is. Does it need a mask?
# 2. What must the new pair hold, so that the next call finds all it needs?
# 3. Join old and new along the axis of places; scores are the query times all keys, over the root of $D$; softmax; times all values.


# %% task="attend_next" points=2 level=2 minutes=13
def attend_next(q, k, v, past):
    """(z [B, H, 1, D], (keys, values) [B, H, t + 1, D]) for the newest token; scores may be 1,000 or -1,000."""
    ### BEGIN SOLUTION
    if past is not None:
        k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
    scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
    return scores.softmax(-1) @ v, (k, v)
    ### END SOLUTION


# %% test="attend_next" aspect="one token alone" points=1
_q, _k, _v = torch.randn(3, 2, 2, 1, 4).double()
### BEGIN HIDDEN TESTS
_q, _k, _v = torch.randn(3, 3, 5, 1, 4).double()
### END HIDDEN TESTS
_got = attend_next(_q.clone(), _k.clone(), _v.clone(), None)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return (z, (keys, values)); yours: {_got!r}."
)
assert np.shape(_got[0]) == _v.shape, (
    f"z of shape {tuple(_v.shape)} wanted; yours: {np.shape(_got[0])}."
)
assert close(_got[0], _v, 1e-4, 1e-5), (
    "The first token can only look at itself: z should be its value."
)
assert isinstance(_got[1], tuple | list) and len(_got[1]) == 2, (
    f"The pair (keys, values) is wanted; yours: {_got[1]!r}."
)
assert close(_got[1][0], _k, 1e-5) and close(_got[1][1], _v, 1e-5), (
    "The new pair should hold its key and its value."
)

# %% test="attend_next" aspect="step by step, all at once" points=1
_shapes = ((2, 2, 5, 4),)
### BEGIN HIDDEN TESTS
_shapes = ((3, 2, random.randint(4, 7), 5), (2, 3, 4, 6))
### END HIDDEN TESTS
_runs = []
for _shape in _shapes:  # texts at once, token by token in turn
    _q, _k, _v = torch.randn(3, *_shape).double() * 2
    _runs.append(
        [_q, _k, _v, F.scaled_dot_product_attention(_q, _k, _v, is_causal=True), None]
    )
for _t in range(max(_shape[2] for _shape in _shapes)):
    for _run in _runs:
        _q, _k, _v, _wanted, _past = _run
        _B, _H, _T, _D = _q.shape
        if _t >= _T:
            continue
        _got = attend_next(*(part[:, :, _t : _t + 1] for part in (_q, _k, _v)), _past)
        assert isinstance(_got, tuple | list) and len(_got) == 2, (
            f"Return (z, (keys, values)); yours: {_got!r}."
        )
        _z, _run[4] = _got
        assert np.shape(_z) == (_B, _H, 1, _D), (
            f"z of shape {_B, _H, 1, _D} wanted; yours: {np.shape(_z)}."
        )
        for _name, _mine, _all in zip(
            ("keys", "values"), _run[4], (_k, _v), strict=True
        ):
            assert np.shape(_mine) == (_B, _H, _t + 1, _D), (
                f"Token {_t + 1}: {_name} of {_t + 1} places wanted; yours: {np.shape(_mine)}."
            )
            assert close(_mine, _all[:, :, : _t + 1], 1e-4, 1e-6), (
                f"Token {_t + 1}: the {_name} that are returned are not those of places 1 to {_t + 1} in their order."
            )
        assert close(_z[:, :, 0], _wanted[:, :, _t], 1e-3, 1e-5), (
            f"Token {_t + 1} gets something else than with the whole text."
        )
### BEGIN HIDDEN TESTS
for _t, _far in ((6, 0), (150, 0), (6, 2000), (70, -2000)):
    _q, _k, _v = torch.randn(3, 3, 2, 1, 4).double()
    _old = [torch.randn(3, 2, _t, 4).double() for _ in range(2)]
    if _far:  # all scores around far / root of 4
        _q[..., 0], _k[..., 0], _old[0][..., 0] = _far, 1, 1
    _keys, _values = (torch.cat(part, 2) for part in ((_old[0], _k), (_old[1], _v)))
    for _ in range(2):
        _got = attend_next(
            _q.clone(), _k.clone(), _v.clone(), tuple(part.clone() for part in _old)
        )
        _wanted = F.scaled_dot_product_attention(_q, _keys, _values)
        assert close(_got[0], _wanted, 1e-3, 5e-3 if _far else 1e-5), (
            f"A past of {_t} places that was handed over, scores around {_far // 2}: "
            "z is wrong. Only `past` says what was before, nothing else."
        )
        assert close(_got[1][0], _keys, 1e-4, 1e-6) and close(
            _got[1][1], _values, 1e-4, 1e-6
        ), (
            f"A past of {_t} places: the new pair does not hold them all and the new one."
        )
_q[..., 0, 0] = 2000 * torch.tensor([[1, 0], [-1, 1], [0, -1]])
_wanted = F.scaled_dot_product_attention(_q, _keys, _values)
assert close(
    attend_next(_q.clone(), _k.clone(), _v.clone(), tuple(_old))[0], _wanted, 1e-3, 5e-3
), (
    "Scores around 1,000, 0 and -1,000 in texts and heads side by side: each head should "
    "get what it gets alone."
)
_after = arguments_after(
    attend_next, _q.clone(), _k.clone(), _v.clone(), [part.clone() for part in _old]
)
assert all(close(new, old) for new, old in zip(_after, (_q, _k, _v), strict=False)), (
    "q, k or v is changed in place."
)
assert len(_after[3]) == 2 and all(
    close(new, old) for new, old in zip(_after[3], _old, strict=True)
), "`past` is changed in place: return a new pair."
### END HIDDEN TESTS
