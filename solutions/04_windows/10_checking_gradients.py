# %% [markdown]
# ## 12. Is the gradient right?
#
# Torch computes gradients, but once in your life you should, too: then a layer that does not learn is no mystery. And
# you should know how to *check* a gradient, by a method that knows no calculus. By Taylor,
#
# $$L(v \pm \epsilon) = L(v) \pm \epsilon L'(v) + \tfrac{\epsilon^2}{2} L''(v) \pm \tfrac{\epsilon^3}{6} L'''(v) + \dots$$
#
# Subtract the two and divide by $2\epsilon$: $L$ and $L''$ cancel, what remains is $L'(v)$ with an error of order
# $\epsilon^2$. One-sided differences keep an error of order $\epsilon$.

# %% [markdown] statement="gradients_by_hand"
# ### Two ways to a gradient
#
# One example: $a = \tanh(d + Hx)$, $y = b + Wx + Ua$, loss $L = -\ln \text{softmax}(y)_w$, $w$ the word that followed;
# $x$ has $D = nm$ numbers. Write
#
# - `numerical(loss, v, step)`: central differences $\big(L(v_i + \epsilon) - L(v_i - \epsilon)\big) / 2\epsilon$ for
#   each entry of the array `v`, $\epsilon$ = `step`;
# - `by_hand(theta, x, w)`: by the chain rule, a dict of the gradients for `b`, `W`, `U`, `d`, `H` and `x`. `theta` is a
#   dict with the first five. (Autograd is allowed, but teaches less.)
#
# The gradient for $x$ goes on to the vectors of the $n$ words: that is how words get their places.

# %% [markdown] hints="gradients_by_hand"
# 1. Begin at the end: what is $\partial L / \partial y$? Write $L = \ln \sum_v e^{y_v} - y_w$ and differentiate. It
#    holds the probabilities, but for one entry.
# 2. Call that vector $g$. An entry $W_{jk}$ only touches $y_j$, by $x_k$: so its gradient is $g_j x_k$, an outer
#    product. And $\tanh' = 1 - a^2$.
# 3. Walk the drawing backwards. Through a matrix a gradient goes back by the transpose; through tanh, by a product
#    entry by entry. What arrives at $d$ plays for $H$ the part that $g$ plays for $W$. Two paths lead to $x$: add them.


# %%
def bengio_loss(theta, x, w):
    """-ln softmax(y)_w for one example; the dict theta holds b, W, U, d, H."""
    y = theta["b"] + theta["W"] @ x + theta["U"] @ np.tanh(theta["d"] + theta["H"] @ x)
    return float(np.log(np.exp(y).sum()) - y[w])


def random_theta(V, D, h):
    shapes = {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D)}
    return {
        name: np.random.default_rng().normal(size=shape)
        for name, shape in shapes.items()
    }


# %% task="gradients_by_hand" points=4 level=3 minutes=36
def numerical(loss, v, step=1e-5):
    """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
    ### BEGIN SOLUTION
    gradient = np.zeros_like(v)
    for i in np.ndindex(v.shape):
        shift = np.zeros_like(v)
        shift[i] = step
        gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
    return gradient
    ### END SOLUTION


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}.

    The arrays in theta stay as they are.
    """
    ### BEGIN SOLUTION
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }
    ### END SOLUTION


# %% test="gradients_by_hand" aspect="central differences" points=1
_got = numerical(
    lambda v: float((v**3).sum()), np.array([[1.0, -2.0], [0.0, 3.0]]), 0.1
)
assert np.shape(_got) == (2, 2), (
    f"The gradient has the shape of v, here (2, 2); yours: {_got!r}."
)
assert close(_got, [[3.01, 12.01], [0.01, 27.01]], 1e-5, 1e-6), (
    f"Sum of cubes at 1, -2, 0, 3 with steps of .1: 3.01, 12.01, .01, 27.01 wanted; yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
for _ in range(3):
    _v, _A = (
        np.random.default_rng().normal(size=4),
        np.random.default_rng().normal(size=(4, 4)),
    )
    _got = numerical(
        lambda v, A=_A: float(v @ A @ v), _v.copy(), random.uniform(0.01, 0.5)
    )
    assert close(_got, (_A + _A.T) @ _v, 1e-5, 1e-6), (
        "For a quadratic, central differences are exact; yours are not."
    )
for _shape in ((1,), (5,), (2, 3), (3, 1), (2, 1, 3)):
    _v, _step = np.random.default_rng().normal(size=_shape), random.uniform(0.2, 0.5)
    _got = numerical(lambda v: float((v**3).sum()), _v.copy(), _step)
    assert np.shape(_got) == _shape, (
        f"The gradient has the shape of v, {_shape}; yours: {np.shape(_got)}."
    )
    assert close(_got, 3 * _v**2 + _step**2, 1e-5, 1e-6), (
        f"With cubes and steps of {_step:.2f} yours are off."
    )
_got = numerical(lambda v: float((v**3).sum()), _v.copy())
assert close(_got, 3 * _v**2, 1e-4, 1e-5), (
    "With the step left out (1e-5) your gradient is off."
)
_left = arguments_after(numerical, lambda v: float((v**3).sum()), _v.copy(), 0.2)[1]
assert close(_left, _v), "numerical leaves v changed: move a copy, or move it back."
_v = np.random.default_rng().normal(size=(3, 2))
_got = laid_out_otherwise(numerical, lambda v: float((v**3).sum()), _v.copy(), 0.3)
assert close(_got, 3 * _v**2 + 0.09, 1e-5, 1e-6), (
    "For a v that lies in memory column by column, as a transposed one does, your gradient is off."
)
_seen = []
_got = numerical(lambda v: _seen.append(np.shape(v)) or float(v[0] @ v[1]), _v.T.copy())
assert set(_seen) == {(2, 3)}, (
    f"loss takes arrays of the shape of v, (2, 3); yours asks it about shapes {sorted(set(_seen))}."
)
assert close(_got, _v.T[::-1], 1e-4, 1e-5), (
    "For the product of two rows, each row's gradient is the other row."
)
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="p minus one-hot" points=1
_zero = {
    "b": np.zeros(4),
    "W": np.zeros((4, 2)),
    "U": np.zeros((4, 3)),
    "d": np.zeros(3),
    "H": np.zeros((3, 2)),
}
_got = by_hand(_zero, np.array([1.0, -2.0]), 2)
assert hasattr(_got, "keys") and set(_got.keys()) >= {"b", "W"}, (
    f"Return a dict with b, W, U, d, H, x; yours: {_got!r}."
)
assert close(_got["b"], [0.25, 0.25, -0.75, 0.25], 1e-5), (
    f"All weights 0: p is 1/4 each; yours for b: {_got['b']}."
)
assert np.shape(_got["W"]) == (4, 2), (
    f"The gradient for W has its shape, (4, 2); yours: {np.shape(_got['W'])}."
)
### BEGIN HIDDEN TESTS
for _w in (0, 2, 4):
    _theta, _x = random_theta(5, 4, 3), np.random.default_rng().normal(size=4)
    _got = by_hand(
        {name: value.copy() for name, value in _theta.items()}, _x.copy(), _w
    )
    assert hasattr(_got, "keys") and set(_got.keys()) >= {"b", "W"}, (
        f"Return a dict with b, W, U, d, H, x: {_got!r}."
    )
    for _name in "bW":
        _t = torch.tensor(_theta[_name], requires_grad=True)
        _s = {name: torch.tensor(value) for name, value in _theta.items()} | {_name: _t}
        _z = torch.tensor(_x)
        _y = _s["b"] + _s["W"] @ _z + _s["U"] @ torch.tanh(_s["d"] + _s["H"] @ _z)
        F.cross_entropy(_y, torch.tensor(_w)).backward()
        assert close(_got[_name], _t.grad, 1e-4, 1e-5), (
            f"Your gradient for {_name} is not autograd's."
        )
_left = arguments_after(
    by_hand, {name: value.copy() for name, value in _theta.items()}, _x.copy(), _w
)
for _name in "bWUdH":
    assert close(_left[0].get(_name), _theta[_name]), (
        f"by_hand changed the caller's theta[{_name!r}]: copy first."
    )
assert close(_left[1], _x), "by_hand changed the caller's x."
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="through the tanh" points=1
_theta = {
    "b": np.zeros(2),
    "W": np.zeros((2, 1)),
    "U": np.array([[1.0], [0.0]]),
    "d": np.zeros(1),
    "H": np.zeros((1, 1)),
}
_got = by_hand(_theta, np.array([2.0]), 0)
assert hasattr(_got, "keys") and set(_got.keys()) >= {"U", "d", "H"}, (
    f"Return a dict with b, W, U, d, H, x: {_got!r}."
)
assert close(_got["d"], [-0.5], 1e-5), (
    f"y = 0 0, w = 0, a = 0: d has gradient -1/2; yours: {_got['d']}."
)
### BEGIN HIDDEN TESTS
for _w in (0, 3, 4):
    _theta, _x = random_theta(5, 4, 3), np.random.default_rng().normal(size=4)
    _got = by_hand(
        {name: value.copy() for name, value in _theta.items()}, _x.copy(), _w
    )
    assert hasattr(_got, "keys") and set(_got.keys()) >= {"U", "d", "H"}, (
        f"Return a dict with U, d, H: {_got!r}."
    )
    for _name in "UdH":
        assert np.shape(_got[_name]) == _theta[_name].shape, (
            f"The gradient for {_name} has the shape of {_name}."
        )
        _v = np.random.default_rng().normal(size=_theta[_name].shape)
        _up = bengio_loss(_theta | {_name: _theta[_name] + 1e-5 * _v}, _x, _w)
        _down = bengio_loss(_theta | {_name: _theta[_name] - 1e-5 * _v}, _x, _w)
        assert close(
            np.sum(np.asarray(_got[_name]) * _v), (_up - _down) / 2e-5, 1e-4, 1e-5
        ), (
            f"Along a random direction the loss does not change as your gradient for {_name} says."
        )
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="the vectors learn too" points=1
_theta = {
    "b": np.zeros(2),
    "W": np.array([[3.0], [1.0]]),
    "U": np.ones((2, 1)),
    "d": np.zeros(1),
    "H": np.ones((1, 1)),
}
_got = by_hand(_theta, np.array([0.0]), 1)
assert hasattr(_got, "keys") and "x" in _got, (
    f"Return a dict with b, W, U, d, H and x; yours: {_got!r}."
)
assert close(_got["x"], [1.0], 1e-5), (
    f"Here W alone moves x: 3/2 - 1/2 = 1; yours: {_got['x']}."
)
### BEGIN HIDDEN TESTS
for _w in (0, 1, 4):
    _theta, _x = random_theta(5, 4, 3), np.random.default_rng().normal(size=4)
    _got = by_hand(
        {name: value.copy() for name, value in _theta.items()}, _x.copy(), _w
    )
    assert hasattr(_got, "keys") and "x" in _got, (
        f"Return a dict with b, W, U, d, H and x; yours: {_got!r}."
    )
    assert np.shape(_got["x"]) == (4,), (
        f"The gradient for x has its shape, (4,); yours: {np.shape(_got['x'])}."
    )
    for _v in np.eye(4):
        _slope = (
            bengio_loss(_theta, _x + 1e-5 * _v, _w)
            - bengio_loss(_theta, _x - 1e-5 * _v, _w)
        ) / 2e-5
        assert close(np.asarray(_got["x"]) @ _v, _slope, 1e-4, 1e-5), (
            "Your gradient for x misses a path, or goes it the wrong way."
        )
### END HIDDEN TESTS

# %%
theta, x = random_theta(6, 4, 3), np.random.default_rng(1).normal(size=4)
hand = by_hand(theta, x, 2)
slopes = {
    name: numerical(
        lambda v, name=name: bengio_loss(theta | {name: v}, x, 2), theta[name]
    )
    for name in theta
}
slopes["x"] = numerical(lambda v: bengio_loss(theta, v, 2), x)
for name, slope in slopes.items():
    print(name, "agrees" if np.allclose(hand[name], slope, atol=1e-7) else "differs")
