# %% [markdown] statement="jacobian_norms"
# ## 7. Predict, then measure: how far does a gradient reach?
#
# By the chain rule $\partial h_T / \partial h_t$ is a product of $T - t$ matrices, one for each step $q$ from $t + 1$
# to $T$, the latest leftmost. Differentiate $h_q = \tanh(a_q)$ with $a_q = W_h h_{q-1} + \dots$: entry $i$ of $h_q$
# depends on entry $j$ of $h_{q-1}$ by $(1 - h_{q,i}^2) W_{h,ij}$, so each factor is $\mathrm{diag}(1 - h_q^2)\, W_h$.
# The **spectral norm** of the product says how much it stretches a vector at most.
#
# - `predicted`: let $W_h$ be $\rho$ times a rotation, all states near 0. By what factor do 50 steps stretch, for
#   $\rho$ = 0.9, 1.0, 1.1 (to 3 %)?
# - `jacobian_norms(h, W_h)`: from the states `h`, shape $[T, k]$, the norms of $\partial h_T / \partial h_t$ for
#   $t = 1, \dots, T$, a list (the last is 1).

# %% [markdown] hints="jacobian_norms"
# 1. A rotation changes no length. What, then, does one step do, and what do 50?
# 2. Near $h = 0$ the diagonal matrix is the identity. Elsewhere, row $i$ of $W_h$ is multiplied by $1 - h_{q,i}^2$.
# 3. Start with the identity for $t = T$; go back one state at a time and multiply on the *right* by the Jacobian of
#    the step that you pass. `np.linalg.norm(J, 2)` is the spectral norm.


# %% task="jacobian_norms" points=4 level=2 minutes=18
# predicted = {0.9: a number, 1.0: a number, 1.1: a number}
### BEGIN SOLUTION
predicted = {rho: rho**50 for rho in (0.9, 1.0, 1.1)}
### END SOLUTION


def jacobian_norms(h, W_h):
    """[norm of dh_T/dh_1, ..., norm of dh_T/dh_T] from NumPy arrays h: [T, k] and W_h: [k, k]."""
    ### BEGIN SOLUTION
    J = np.eye(len(W_h))
    norms = [1.0]
    for h_s in h[:0:-1]:
        J = J @ ((1 - h_s**2)[:, None] * W_h)
        norms.append(np.linalg.norm(J, 2))
    return norms[::-1]
    ### END SOLUTION


# %% test="jacobian_norms" aspect="three predictions" points=1
assert hasattr(predicted, "keys"), (
    f"predicted is a dict from rho to a number; yours: {predicted!r}."
)
for _rho in (0.9, 1.0, 1.1):
    _value = predicted.get(_rho)
    assert is_number(_value) and _value > 0, (
        f"predicted[{_rho}] should be a positive number."
    )
assert predicted[0.9] < predicted[1.0] < predicted[1.1], "A larger rho stretches more."
### BEGIN HIDDEN TESTS
for _rho, _wanted in ((0.9, 0.005154), (1.0, 1), (1.1, 117.39)):
    assert close(predicted[_rho], _wanted, 0.03), (
        f"rho = {_rho}: 50 steps do not stretch by {predicted[_rho]:.4g}; each of them does the same."
    )
### END HIDDEN TESTS

# %% test="jacobian_norms" aspect="a rotation, states at zero" points=1
_got = jacobian_norms(np.zeros((4, 2)), np.array([[0.0, -0.5], [0.5, 0.0]]))
assert np.shape(_got) == (4,), f"Four states, four norms; yours: {_got!r}."
assert close(_got[-1], 1, 1e-5), f"The last one, of dh_T/dh_T, is 1; yours: {_got[-1]}."
assert close(_got, [0.125, 0.25, 0.5, 1], 1e-5), (
    f"Half a rotation at each step: .125, .25, .5, 1; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _T, _k, _rho in (
    (1, 3, 0.7),
    (2, 4, 1.3),
    (7, 3, 0.6),
    (5, 1, -1.5),
    (3, 5, 2.0),
    (200, 3, 2.0),
    (60, 3, 0.5),
):
    _turn = np.linalg.qr(np.random.default_rng().normal(size=(_k, _k)))[0]
    _got = jacobian_norms(np.zeros((_T, _k)), _rho * _turn)
    assert np.shape(_got) == (_T,), f"{_T} states, {_T} norms; yours: {_got!r}."
    assert close(_got, [abs(_rho) ** (_T - 1 - t) for t in range(_T)], 1e-4, 0), (
        f"{_T} states at zero, {_rho} times a rotation: the norms are powers of {abs(_rho)}, however small, "
        f"the last 1; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="jacobian_norms" aspect="the tanh dampens" points=1
_got = jacobian_norms(np.array([[0.9], [0.5], [0.8]]), np.array([[2.0]]))
assert np.shape(_got) == (3,), f"Three states, three norms; yours: {_got!r}."
assert close(_got[1], 0.72, 1e-5), (
    f"The step to h = .8 multiplies by (1 - .64) × 2 = .72; yours: {_got[1]:.4f}."
)
assert close(_got[0], 1.08, 1e-5), (
    f"The step to h = .5 multiplies by 1.5 more: 1.08; yours: {_got[0]:.4f}."
)
### BEGIN HIDDEN TESTS
for _T in (1, 2, 6):
    _h, _w = (
        np.random.default_rng().uniform(-0.9, 0.9, (_T, 1)),
        random.uniform(0.5, 3) * random.choice((-1, 1)),
    )
    _wanted = [
        np.prod([abs(_w) * (1 - h**2) for h in _h[t + 1 :, 0]]) for t in range(_T)
    ]
    _got = jacobian_norms(_h.copy(), np.array([[_w]]))
    assert close(_got, _wanted, 1e-4, 1e-6), (
        f"{_T} states of one number: the norms are products of |w| (1 - h²) over the later states; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="jacobian_norms" aspect="like autograd's Jacobian" points=1
_sizes = [(3, 5)]
### BEGIN HIDDEN TESTS
_sizes += [(4, 6), (2, 4), (5, 3)]
### END HIDDEN TESTS
for _k, _T in _sizes:
    _W, _x = torch.randn(_k, _k).double(), torch.randn(_T, _k).double()
    _states, _wanted = [torch.tanh(_x[0])], []
    for _t in range(1, _T):
        _states.append(torch.tanh(_W @ _states[-1] + _x[_t]))
    for _t in range(_T):
        _start = _states[_t].clone().requires_grad_(True)
        _end = _start
        for _s in range(_t + 1, _T):
            _end = torch.tanh(_W @ _end + _x[_s])
        _rows = [
            torch.autograd.grad(_end[i], _start, retain_graph=True)[0]
            for i in range(_k)
        ]
        _wanted.append(torch.linalg.matrix_norm(torch.stack(_rows), 2).item())
    _h = torch.stack(_states).numpy()
    _got = jacobian_norms(_h.copy(), _W.numpy().copy())
    assert np.shape(_got) == (_T,), f"{_T} states, {_T} norms; yours: {_got!r}."
    assert close(_got, _wanted, 1e-4, 1e-6), (
        f"Autograd finds {np.round(_wanted, 4)}; yours: {np.round(_got, 4)}. Which order?"
    )
### BEGIN HIDDEN TESTS
_left = arguments_after(jacobian_norms, _h.copy(), _W.numpy().copy())
assert close(_left[0], _h) and close(_left[1], _W), (
    "jacobian_norms changed the caller's h or W_h."
)
### END HIDDEN TESTS


# %% alt="The norm of the derivative by steps back, on a logarithmic scale: rho 0.5 and 0.9 fall in straight lines as rho to the power says; 1.1 and 1.5 stay far below that power."
_, axes = plt.subplots(figsize=(7, 3.4))
for rho, colour in zip((0.5, 0.9, 1.1, 1.5), plots.COLOURS, strict=False):
    for rotation, e in draws:
        W_h = rho * rotation
        norms = jacobian_norms(states_of(e, W_h).numpy(), W_h.numpy())
        line = axes.semilogy(range(59, -1, -1), norms, color=colour, linewidth=1)
    line[0].set_label(f"$\\rho$ = {rho}")
    axes.semilogy([0, 59], [1, rho**59], "--", color=colour, linewidth=1)
axes.plot([], [], "k--", linewidth=1, label="$\\rho^{T-t}$")
axes.set(xlabel="steps back, $T - t$", ylim=(1e-12, 1e12))
axes.set_ylabel("norm of $\\partial h_T / \\partial h_t$ (log)")
axes.legend(ncols=2, loc="upper left")
plt.show()

# %% [markdown]
# Dashed is the prediction, $\rho$ to the power of the steps. It is a bound, too: the norm of a product is at most the
# product of the norms, and $1 - h^2 \le 1$. Below 1 it nearly holds, in all three draws: gradients **vanish**
# geometrically, and with $\rho$ = 0.5 the word 40 steps back counts $10^{-12}$ as much as the last one. Above 1 the
# states grow and saturate the tanh ($1 - h^2$ becomes small), which holds the gradient back, but not at the first
# words, whose states were still small: for 1.5 the curves climb at the far end, and gradients **explode**.
