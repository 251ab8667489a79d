# %% [markdown]
# ## 4. Back through time, by hand
#
# Each state passes its gradient on to weights that *every* step used. The smallest example is two words, with one
# number for each thing and the loss $\ell = \tfrac12 (h_2 - y)^2$ on the last state only. With $a_t$ for what stands
# inside the tanh,
#
# $$\ell \leftarrow h_2 = \tanh(a_2), \quad a_2 = W_x e_2 + W_h h_1, \quad h_1 = \tanh(a_1), \quad a_1 = W_x e_1.$$
#
# $W_x$ occurs twice, so the chain rule gives it two shares:
#
# $$\frac{\partial \ell}{\partial W_x} = \underbrace{(h_2 - y)(1 - h_2^2)}_{\delta_2} e_2
# + \underbrace{\delta_2\, W_h (1 - h_1^2)}_{\delta_1} e_1 .$$
#
# ($\tanh' = 1 - \tanh^2$.) The error at word 2 comes back to word 1 through $W_h$.

# %% [markdown] statement="bptt"
# Unrolled, the loop is a network of $T$ layers that share their weights, and backpropagation runs through it from the
# end: **backpropagation through time**, BPTT. Now in full: vectors, $h_0 = 0$, and a loss at *every* step, with $y$ of
# shape $[T, k]$,
#
# $$\ell = \tfrac12 \sum_{t=1}^T \lVert h_t - y_t \rVert^2 .$$
#
# Write `bptt(e, y, W_x, W_h, b)`: the gradients of $\ell$ as `(dW_x, dW_h, db)`. No autograd: one check switches it off.

# %% [markdown] hints="bptt"
# 1. State $h_t$ reaches $\ell$ along two paths: directly, through its own term, and through $h_{t+1}$.
# 2. Call $a_t$ what stands inside the tanh, and $\delta_t = \partial \ell / \partial a_t$. Since $\tanh' = 1 - \tanh^2$,
#    you know $\delta_t$ as soon as you know $\partial \ell / \partial h_t$; and the part of
#    $\partial \ell / \partial h_{t-1}$ that comes from later is $W_h^\top \delta_t$.
# 3. Go from $T$ down to 1. Each step adds its share: $\delta_t$ to $b$, and its outer product with what $W_x$ and
#    $W_h$ were multiplied by at that step.


# %% task="bptt" points=4 level=3 minutes=38
def bptt(e, y, W_x, W_h, b):
    """(dW_x [k, d], dW_h [k, k], db [k]) of the loss above; e: [T, d], y: [T, k]; h_0 = 0. The arguments stay as they are."""
    ### BEGIN SOLUTION
    h = [torch.zeros_like(b)]
    for e_t in e:
        h.append(torch.tanh(W_x @ e_t + W_h @ h[-1] + b))
    dW_x, dW_h, db = torch.zeros_like(W_x), torch.zeros_like(W_h), torch.zeros_like(b)
    later = torch.zeros_like(b)
    for t in range(len(e), 0, -1):
        delta = (h[t] - y[t - 1] + later) * (1 - h[t] ** 2)
        dW_x += torch.outer(delta, e[t - 1])
        dW_h += torch.outer(delta, h[t - 1])
        db += delta
        later = W_h.T @ delta
    return dW_x, dW_h, db
    ### END SOLUTION


# %%
def by_autograd(e, y, W_x, W_h, b, later=True):
    """The same three gradients by torch; later=False: no error comes back in time."""
    weights = [weight.clone().requires_grad_(True) for weight in (W_x, W_h, b)]
    h, loss = torch.zeros_like(b), 0
    for e_t, y_t in zip(e, y, strict=True):
        h = h if later else h.detach()
        h = torch.tanh(weights[0] @ e_t + weights[1] @ h + weights[2])
        loss = loss + ((h - y_t) ** 2).sum() / 2
    return torch.autograd.grad(loss, weights, allow_unused=True)


# %% test="bptt" aspect="one step has no past" points=1
_e, _y, _W = (
    torch.tensor([[2.0]]).double(),
    torch.tensor([[1.0]]).double(),
    torch.tensor([[0.5]]).double(),
)
_got = bptt(_e, _y, _W, _W.clone(), torch.zeros(1).double())
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return three tensors; yours: {_got!r}."
)
_delta = (math.tanh(1) - 1) * (1 - math.tanh(1) ** 2)
assert close(_got[2], [_delta], 1e-5), (
    f"db = (h - y)(1 - h²) = {_delta:.4f}; yours: {_got[2]}."
)
assert close(_got[0], [[2 * _delta]], 1e-5), (
    f"dW_x = db × e = {2 * _delta:.4f}; yours: {_got[0]}."
)
assert close(_got[1], [[0]]), (
    f"W_h was only multiplied by h_0 = 0, so dW_h = 0; yours: {_got[1]}."
)
### BEGIN HIDDEN TESTS
_T, _d, _k = 1, size("d", large=None), size("k", large=None)
_given = [
    tensor(*_axes, kind="float64")
    for _axes in ((_T, _d), (_T, _k), (_k, _d), (_k, _k), (_k,))
]
agrees(bptt, ours.bptt, *_given, rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS

# %% test="bptt" aspect="bias through all steps" points=1
_sizes = [(3, 5)]
for _k, _T in _sizes:
    _wanted = _own = [0.0, 0.0, 0.0]
    while close(_own[2], _wanted[2], 0, 0.01):  # until later steps matter
        _random = [
            torch.randn(*shape).double()
            for shape in ((_T, 2), (_T, _k), (_k, 2), (_k, _k), (_k,))
        ]
        _wanted, _own = by_autograd(*_random), by_autograd(*_random, later=False)
    _got = bptt(*[part.clone() for part in _random])
    assert hasattr(_got, "__len__") and len(_got) == 3, (
        f"Return three tensors; yours: {_got!r}."
    )
    assert np.shape(_got[2]) == (_k,), (
        f"db has the shape of b; yours: {np.shape(_got[2])}."
    )
    assert not close(_got[2], _own[2], 1e-4, 1e-5), (
        f"db over {_T} steps holds each step's own error only: nothing comes back from later steps."
    )
    assert close(_got[2], _wanted[2], 1e-4, 1e-5), (
        f"db over {_T} steps is off by up to {(_got[2] - _wanted[2]).abs().max():.4f}. "
        "How does an error get from h_t to what stands inside its tanh, and from there to h_(t-1)?"
    )
### BEGIN HIDDEN TESTS
_T, _d, _k = size("T", large=60), size("d", large=None), size("k", large=None)
_e, _W_x, _b = (
    tensor(*_axes, kind="float64", scale=0.05) for _axes in ((_T, _d), (_k, _d), (_k,))
)
_y = tensor(_T, _k, kind="float64", edges=("huge",))
_W_h = made(  # a rotation: nothing fades
    lambda rng, W: torch.linalg.qr(W)[0], tensor(_k, _k, kind="float64")
)
agrees(bptt, ours.bptt, _e, _y, _W_x, _W_h, _b, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="bptt" aspect="weights like autograd" points=1
_sizes = [(3, 4, 6)]
for _d, _k, _T in _sizes:
    _random = [
        torch.randn(*shape).double()
        for shape in ((_T, _d), (_T, _k), (_k, _d), (_k, _k), (_k,))
    ]
    _got, _wanted = bptt(*[part.clone() for part in _random]), by_autograd(*_random)
    assert hasattr(_got, "__len__") and len(_got) == 3, (
        f"Return three tensors; yours: {_got!r}."
    )
    _shapes = [tuple(np.shape(part)) for part in _got[:2]]
    assert _shapes == [(_k, _d), (_k, _k)], (
        f"dW_x and dW_h have the shapes of W_x and W_h, {(_k, _d)}, {(_k, _k)}; yours: {_shapes}."
    )
    assert _T == 2 or not close(
        _got[1], by_autograd(*_random, later=False)[1], 1e-4, 1e-5
    ), (
        f"dW_h over {_T} steps holds each step's own error only: nothing comes back from later steps."
    )
    assert close(_got[0], _wanted[0], 1e-4, 1e-5), (
        f"dW_x over {_T} steps is not autograd's: does each step add its share?"
    )
    assert close(_got[1], _wanted[1], 1e-4, 1e-5), (
        f"dW_h over {_T} steps is not autograd's: "
        "by which state was W_h multiplied at step t, and which index comes first?"
    )
### BEGIN HIDDEN TESTS
_left = arguments_after(bptt, *[part.clone() for part in _random])
assert not any(getattr(part, "requires_grad", True) for part in _left), (
    "After bptt the caller's tensors ask for gradients."
)
_T, _d, _k = size("T", large=20), size("d", large=None), size("k", large=None)
_given = [
    tensor(*_axes, kind="float64")
    for _axes in ((_T, _d), (_T, _k), (_k, _d), (_k, _k), (_k,))
]
_given[0] = (
    made(  # after some words a state is 1 or -1 to the last digit: nothing comes back
        lambda rng, e: e * torch.tensor([[rng.choice((1, 1, 1e6))] for _ in e]),
        _given[0],
    )
)
agrees(bptt, ours.bptt, *_given, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="bptt" aspect="autograd is switched off" points=1
_sizes = [(2, 3, 4)]
for _d, _k, _T in _sizes:
    _random = [
        torch.randn(*shape).double()
        for shape in ((_T, _d), (_T, _k), (_k, _d), (_k, _k), (_k,))
    ]
    try:
        _got = without_autograd(bptt, *[part.clone() for part in _random])
    except NotImplementedError:
        raise
    except RuntimeError as _error:
        raise AssertionError(
            f"Here autograd is switched off, and your bptt needs it ({_error})."
        ) from None
    _usual = bptt(*[part.clone() for part in _random])
    for _part in (_got, _usual):
        assert hasattr(_part, "__len__") and len(_part) == 3, (
            f"Return three tensors; yours: {_part!r}."
        )
    for _name, _one, _two in zip(("dW_x", "dW_h", "db"), _got, _usual, strict=True):
        assert np.size(_two) and close(_one, _two, 1e-5, 1e-6), (
            f"With autograd switched off your {_name} is another: {_one!r}."
        )
### BEGIN HIDDEN TESTS
_T, _d, _k = size("T", large=None), size("d", large=None), size("k", large=None)
_given = [
    tensor(*_axes, kind="float64")
    for _axes in ((_T, _d), (_T, _k), (_k, _d), (_k, _k), (_k,))
]
agrees(bptt, ours.bptt, *_given, by=without_autograd, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS


# %% [markdown]
# BPTT keeps all states of a text in memory until the gradient comes back: too much for a long text. So we cut.
