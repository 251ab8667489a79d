# %% [markdown]
# ## 5. The optimiser
#
# Training means: compute the gradient of the loss for each weight, and move the weight a little against it. How far is "a little"? With plain gradient descent, the
# step is the gradient times a learning rate. Let us look at the gradients of your model of one minute, for one batch. The cell prints the typical size (the root of the mean square) for three rows of the embedding, that is, for the vectors of three tokens, and for two other tensors. How far apart are the largest and the smallest?

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
first_model.zero_grad()
lm_loss(first_model(my_batch(0)[0]), my_batch(0)[1]).backward()
rows = first_model.embedding.weight.grad.square().mean(1).sqrt().sort().values
query = first_model.blocks[0].attention.query.weight.grad.square().mean().sqrt()
norm = first_model.norm.weight.grad.square().mean().sqrt()
for name, size in (
    ("token with the largest gradient", rows[-1]),
    ("token in the middle", rows[len(rows) // 2]),
    ("token with the smallest gradient", rows[0]),
    ("queries of the first layer", query),
    ("gain of the last norm", norm),
):
    print(f"{name:34} {size:.1e}")

# %% [markdown]
# A token that is hardly ever read and hardly ever expected gets next to no gradient. A learning rate at which its vector would move throws the others off, and one that suits the others leaves it where it is.
#
# **Adam** (D. Kingma and J. Ba, 2015) solves this by dividing each gradient by its own typical size. For each weight $w$ it keeps two running means: $m$, of its gradient $g$, and $v$, of
# the square $g^2$. The root of $v$ is the typical size, and $m / \sqrt v$ is then of the size of 1, whatever the unit of $g$.
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g \qquad\qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$$
#
# With $\beta_1 = 0.9$ the mean $m$ looks back over about ten steps. Both means start at 0, and so they are too small at first: after one step, $m$ is only $0.1\, g$. In general the weights in $m$ sum to $1 - \beta_1^t$ after $t$ steps, and dividing
# by this makes it a true mean. In the same way, $v$ is divided by $1 - \beta_2^t$. **AdamW** (I. Loshchilov and F. Hutter, 2019) adds **weight decay**: each step also multiplies the weight itself by $1 - \eta\lambda$, where $\eta$ is the learning rate and $\lambda$ says how strong the decay is. So a weight that nothing needs drifts slowly towards 0. Together, with
# a tiny $\varepsilon$ that keeps the divisor from being 0,
#
# $$w \leftarrow (1 - \eta\lambda)\, w - \eta\, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \varepsilon}.$$

# %% [markdown] statement="adamw_step"
# ### One step of AdamW
#
# Write `adamw_step(w, g, m, v, t, rate, decay, betas, eps)`, which returns the new `(w, m, v)`. Here `rate` is $\eta$, `decay` is $\lambda$, `betas` is the pair $(\beta_1, \beta_2)$, and the steps are counted $t = 1, 2, \dots$
#
# In section 6 every single weight of your model will be moved by this function.

# %% [markdown] hints="adamw_step"
# 1. Before the first step, $m$ and $v$ are zero. What is $m / (1 - \beta_1)$ after it?
# 2. The decay acts on the *old* weight, and does not pass through $m$ and $v$.
# 3. New $m$ and $v$ first, as new tensors; both divided by what a mean that began at zero still lacks; then the quotient, times the
#    rate, is taken off the shrunken weight.


# %% task="adamw_step" points=3 level=2 minutes=10
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
_betas = choice((0.6, 0.8), (0.9, 0.999), (0.0, 0.9), (0.9, 0.0))
_more = choice(0.01, 0.3), 0.0, _betas, choice(1e-12, 0.05)
for _axes in ((), (_n,), (_n, _k)):
    _w = tensor(*_axes, kind="float64")
    _g = tensor(*_axes, scale=choice(1, 1e7), kind="float64")
    _m, _v = (made(lambda rng, w: torch.zeros_like(w), _w) for _ in "mv")
    agrees(
        adamw_step,
        ours.adamw_step,
        *(_w, _g, _m, _v, 1, *_more),
        rtol=1e-3,
        atol=1e-4,
    )
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
# Here is what you have gained. The first step of three weights whose gradients differ by a factor of a million:

# %%
g, zero = torch.tensor([1000.0, 1.0, 0.001]), torch.zeros(3)
new, m, v = adamw_step(torch.ones(3), g, zero, zero, 1, 0.1, 0.0, (0.9, 0.95), 1e-8)
for gradient, weight in zip(g, new, strict=True):
    print(f"gradient {gradient:9.3f}   step {weight - 1:.4f}")

# %% [markdown]
# All three move equally far, by the learning rate. So with AdamW the learning rate has a meaning that you can imagine: in the first step, it is the distance that every weight moves. Later a weight moves less than that wherever its gradients keep changing sign.

# %% [markdown] statement="rate_factor"
# ### Slowly up, slowly down
#
# One learning rate for the whole training is not ideal either. In the first steps every weight moves by nearly the whole learning rate, in a direction that comes from one or two batches. Far from any good place, many such steps can do harm that later ones must undo. Therefore the learning rate begins small and rises step by step; this is called **warm-up**. (In section 6 you can try what happens without it.)
# At the end, small steps help: every batch pulls the weights in a slightly different direction, and with a small rate these pulls average out. Therefore the rate falls again, along half a cosine. With $S$ steps in all, of which $n$ are warm-up, the learning rate of step $s = 0, 1, \dots, S - 1$ is $\eta$ times
#
# $$f(s) = \begin{cases}(s + 1) / n & s < n\\ \ell + (1 - \ell) \left(1 + \cos \pi p\right) / 2 & s \ge n\end{cases} \qquad p = \frac{s - n}{S - n},$$
#
# where $\ell$, the lowest factor, is where the cosine ends. Write `rate_factor(s, S, n, lowest)`, for one step or for an array of steps. Below the checks you will see some of its values.

# %% [markdown] hints="rate_factor"
# 1. What is $p$ in the first step after the warm-up, and what would it be in step $S$?
# 2. With $n = 0$ there is no warm-up: nothing should be divided by zero.
# 3. For an array, compute both lines for all steps and choose with a condition; make the divisor of the first at least 1.


# %% task="rate_factor" points=3 level=1 minutes=8
def rate_factor(s, S, n, lowest):
    """The factor f(s), a number or an array like s; S steps in all, n < S of them warm-up."""
    ### BEGIN SOLUTION
    s = np.asarray(s)
    cosine = lowest + (1 - lowest) * (1 + np.cos(np.pi * (s - n) / (S - n))) / 2
    return np.where(s < n, (s + 1) / max(n, 1), cosine)
    ### END SOLUTION


# %% test="rate_factor" aspect="equal steps up" points=1
_got = [rate_factor(_s, 100, 4, 0.1) for _s in range(5)]
assert close(_got, [0.25, 0.5, 0.75, 1, 1], 1e-5), (
    f"n = 4: .25, .5, .75, 1, then the cosine begins at 1; yours: {_got}."
)
for _n in (0, 1):
    _got = rate_factor(0, 10, _n, 0.1)
    assert close(_got, 1, 1e-5), (
        f"Without warm-up (n = 0), or with one step, the first factor is 1; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_n = whole(0, 40, (1, 7))
_N = made(lambda rng, n, further: n + further, _n, whole(1, 90))
_s = made(  # without warm-up all steps count
    lambda rng, n, N: rng.randint(0, n or N - 1), _n, _N, edges=[0, lambda rng, n, N: n]
)
_lowest = number(0, 1, (0.1,))
agrees(rate_factor, ours.rate_factor, _s, _N, _n, _lowest, rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %% test="rate_factor" aspect="half a cosine down" points=1
_got = [rate_factor(_s, 20, 4, 0.1) for _s in (4, 12, 20)]
assert close(_got, [1, 0.55, 0.1], 1e-5), (
    f"S = 20, n = 4: 1, in the middle .55, at the end .1; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_n = whole(0, 40, (1, 7))
_N = made(lambda rng, n, further: n + further, _n, whole(1, 90, (5000,)))
_s = made(
    lambda rng, n, N: rng.randint(n, N - 1), _n, _N, edges=[lambda rng, n, N: N - 1]
)
_lowest = number(0, 1, (0.1,))
agrees(rate_factor, ours.rate_factor, _s, _N, _n, _lowest, rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS

# %% test="rate_factor" aspect="an array of steps" points=1
_got = rate_factor(np.arange(9), 9, 3, 0.0)
assert np.shape(_got) == (9,), f"Nine steps, nine factors; yours: {_got!r}."
_wanted = [1 / 3, 2 / 3, 1, *(math.cos(math.pi / 12 * k) ** 2 for k in range(6))]
assert close(_got, _wanted, 1e-4, 1e-6), (
    f"Factors {np.round(_wanted, 2)} wanted; yours: {np.round(_got, 2)}."
)
### BEGIN HIDDEN TESTS
_n = whole(0, 40, (1, 7))
_N = made(lambda rng, n, further: n + further, _n, whole(1, 90, (500,)))
_kind = choice("int64", "float64")
_s = made(
    lambda rng, N, T, kind: np.array(rng.choices(range(N), k=T), dtype=kind),
    *(_N, size("T"), _kind),
    edges=[lambda rng, N, *_: np.arange(N), lambda rng, N, *_: np.arange(N)[::-1]],
)
_lowest = number(0, 1, (0.1,))
agrees(rate_factor, ours.rate_factor, _s, _N, _n, _lowest, rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS

# %%
s = np.arange(0, 200, 20)
print("step   ", *(f"{step:5}" for step in s))
for n in (0, 40):
    print(f"n = {n:2} ", *(f"{factor:5.2f}" for factor in rate_factor(s, 200, n, 0.1)))

# %% [markdown]
# The first row begins at once with the whole learning rate, the second one needs 40 steps for it. Then both fall, slowly at first, and end near 0.1.
