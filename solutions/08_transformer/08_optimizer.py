# %% [markdown]
# ## 9. A step for every weight
#
# Gradients of different weights can differ in size by orders of magnitude, and one learning rate cannot suit them all. **AdamW** (I. Loshchilov and F. Hutter, 2019) divides each by its own typical size. For each weight $w$ it keeps running means $m$ of its gradient $g$ and $v$ of $g^2$. How slowly the means move is set by $\beta_1$ and $\beta_2$, such as 0.9 and 0.98; a tiny $\varepsilon$ keeps the divisor from 0. At step $t = 1, 2, \dots$, with rate $\eta$ and decay
# $\lambda$:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1) g \qquad v \leftarrow \beta_2 v + (1 - \beta_2) g^2 \qquad w \leftarrow (1 - \eta\lambda)\, w - \eta\, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \varepsilon}$$
#
# Why the divisors $1 - \beta^t$? Write $m$ out: $m = (1 - \beta_1) \sum_{i=1}^t \beta_1^{t-i} g_i$. These weights sum to $1 - \beta_1^t$, not to 1, because the mean began at 0; dividing makes a true mean of it.

# %% [markdown] statement="adamw_step"
# Write `adamw_step(w, g, m, v, t, rate, decay, betas, eps)`: the new `(w, m, v)`. It will train your model.

# %% [markdown] hints="adamw_step"
# 1. Before the first step, $m$ and $v$ are zero. What is $m / (1 - \beta_1)$ after it?
# 2. The decay acts on the *old* weight, and does not pass through $m$ and $v$.
# 3. New $m$ and $v$ first, as new tensors; both divided by what a mean that began at zero still lacks; then the quotient, times the
#    rate, is taken off the shrunken weight.


# %% task="adamw_step" points=3 level=2 minutes=12
def adamw_step(w, g, m, v, t, rate, decay, betas, eps):
    """New (w, m, v), each in the one shape of w, g, m and v; betas is (beta_1, beta_2)."""
    ### BEGIN SOLUTION
    m = betas[0] * m + (1 - betas[0]) * g
    v = betas[1] * v + (1 - betas[1]) * g**2
    direction = m / (1 - betas[0] ** t) / ((v / (1 - betas[1] ** t)).sqrt() + eps)
    return (1 - rate * decay) * w - rate * direction, m, v
    ### END SOLUTION


# %% test="adamw_step" aspect="the first step has the rate's size" points=1
_g, _zero = torch.tensor([1000.0, -0.001, 5.0]).double(), torch.zeros(3).double()
_got = adamw_step(
    torch.ones(3).double(),
    _g,
    _zero.clone(),
    _zero.clone(),
    1,
    0.1,
    0.0,
    (0.9, 0.999),
    1e-12,
)
assert isinstance(_got, tuple | list) and len(_got) == 3, (
    f"Return (w, m, v); yours: {_got!r}."
)
assert all(np.shape(part) == (3,) for part in _got), (
    "w, m and v should keep their shape (3,)."
)
assert close(_got[0], [0.9, 1.1, 0.9], 1e-5), (
    f"Gradients 1000, -.001, 5 and rate .1: each weight moves by .1 against its gradient; yours from 1 to {_got[0]}."
)
assert close(_got[1], 0.1 * _g, 1e-3) and close(_got[2], 0.001 * _g**2, 1e-3), (
    "Return the running means m and v as they are, not divided by 1 - beta to the t."
)
### BEGIN HIDDEN TESTS
_n, _k = size("n"), size("k")
_more = (choice(0.01, 0.3), 0.0, choice((0.6, 0.8), (0.9, 0.999)), choice(1e-12, 0.05))
for _axes in ((), (_n,), (_n, _k)):
    _w, _g = (tensor(*_axes, kind="float64") for _ in "wg")
    _m, _v = (made(lambda rng, w: torch.zeros_like(w), _w) for _ in "mv")
    agrees(adamw_step, ours.adamw_step, _w, _g, _m, _v, 1, *_more, rtol=1e-3, atol=1e-4)
### END HIDDEN TESTS

# %% test="adamw_step" aspect="many steps like torch" points=1
_rate, _decay, _betas, _eps = 0.05, 0.2, (0.9, 0.95), 1e-3
### BEGIN HIDDEN TESTS
_rate, _decay, _betas, _eps = (
    random.uniform(0.02, 0.1),
    random.uniform(0.3, 0.6),
    (0.7, 0.9),
    random.uniform(0.01, 0.1),
)
### END HIDDEN TESTS
from torch.optim.adamw import adamw as _torch_step  # what torch.optim.AdamW calls

_choices = {"lr": _rate, "weight_decay": _decay, "beta1": _betas[0], "beta2": _betas[1]}
_choices |= {"eps": _eps, "amsgrad": False, "maximize": False, "foreach": False}
_runs = []
for _shape in ((2, 3), (4,)):  # two weights at once, step by step in turn
    _w, _zero = torch.randn(_shape).double(), torch.zeros(_shape).double()
    _state = [[_w], [_zero.clone()], [_zero.clone()], [], [torch.zeros(())]]
    _runs.append([_state, (_w.clone(), _zero, _zero.clone())])
for _t in range(1, 7):
    for _run in _runs:
        _state, _mine = _run
        _w, _g = _state[0][0], torch.randn(_state[0][0].shape).double()
        _torch_step([_w], [_g.clone()], *_state[1:], **_choices)
        _run[1] = adamw_step(_mine[0], _g, *_mine[1:], _t, _rate, _decay, _betas, _eps)
        assert close(_run[1][0], _w, 1e-4, 1e-6), (
            f"Step {_t}: your weights are not those of torch.optim.AdamW "
            f"(rate {_rate:.2g}, decay {_decay:.2g}, betas {_betas}, eps {_eps:.2g})."
        )
### BEGIN HIDDEN TESTS
_n, _k = size("n"), size("k")
_rate, _decay, _betas = (
    choice(0.01, 0.3),
    choice(0.0, 0.2, 0.6),
    choice((0.7, 0.9), (0.9, 0.999)),
)
for _axes in ((), (_n,), (_n, _k)):
    _w, _g, _m, _root = (tensor(*_axes, kind="float64") for _ in range(4))
    _v = made(lambda rng, root: root**2 + 0.01, _root)
    _inputs = (
        _w,
        _g,
        _m,
        _v,
        whole(1, 3000, (2, 60)),
        _rate,
        _decay,
        _betas,
        choice(1e-8, 0.05),
    )
    agrees(adamw_step, ours.adamw_step, *_inputs, rtol=1e-3, atol=1e-4)
### END HIDDEN TESTS

# %% test="adamw_step" aspect="decay without a gradient" points=1
_w, _zero = torch.tensor([[2.0, -3.0]]).double(), torch.zeros(1, 2).double()
_got = adamw_step(
    _w.clone(),
    _zero.clone(),
    _zero.clone(),
    _zero.clone(),
    3,
    0.1,
    0.5,
    (0.9, 0.99),
    1e-8,
)
assert isinstance(_got, tuple | list) and len(_got) == 3, (
    f"Return (w, m, v); yours: {_got!r}."
)
assert close(_got[0], 0.95 * _w, 1e-5), (
    f"No gradient, rate .1, decay .5: every weight shrinks by 5 %; yours: {_got[0]}."
)
assert not np.any(np.asarray(_got[1])) and not np.any(np.asarray(_got[2])), (
    "The decay should not get into m or v."
)
### BEGIN HIDDEN TESTS
_n, _k = size("n"), size("k")
_more = (
    choice(0.01, 0.3),
    choice(0.0, 0.2, 0.8),
    choice((0.8, 0.9), (0.9, 0.999)),
    1e-8,
)
for _axes in ((), (_n,), (_n, _k)):
    _w = tensor(*_axes, kind="float64")
    _zeros = [made(lambda rng, w: torch.zeros_like(w), _w) for _ in "gmv"]
    _inputs = (_w, *_zeros, whole(1, 100, (2,)), *_more)
    agrees(adamw_step, ours.adamw_step, *_inputs, rtol=1e-3, atol=1e-4)
### END HIDDEN TESTS

# %% [markdown]
# The first step of every weight has the rate's size, whether its gradient is 1,000 or 0.001: the quotient is $g / |g|$. So the rate says how far a weight moves.
