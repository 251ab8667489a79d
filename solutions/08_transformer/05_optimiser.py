# %% [markdown]
# ## 5. The optimiser
#
# Training means: compute the gradient of the loss for each weight, and move the weight a little against it. How far is "a little"? With plain gradient descent,
# the step is the gradient times a learning rate.
#
# Let us look at the gradients in the model that you trained for one minute. The cell prints the typical size of a gradient (the root of its mean square over
# twenty batches) for five parts of the model. Each token has one row in the embedding. The cell ranks the tokens by the gradient of their row, and prints the
# first, the middle and the last of them. To compare, there are two other parts: the matrix that makes the queries of the first layer, and the weights of the
# last norm (its *gain*, by which it multiplies each number). How far apart are the largest and the smallest of the five? Last, the cell takes the token with
# the smallest gradient and splits the twenty batches in two: those in which this token occurs, and those in which it does not. It prints the size of the
# gradient in each group.

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
looked_at = {
    "queries of the first layer": first_model.blocks[0].attention.query.weight,
    "gain of the last norm": first_model.norm.weight,
}
squares, rows, seen = dict.fromkeys(looked_at, 0.0), [], []
for i in range(20):
    read = my_batch(i)
    first_model.zero_grad()
    my_loss(first_model, read).backward()
    for name, weight in looked_at.items():
        squares[name] += weight.grad.cpu().square().mean() / 20
    rows.append(first_model.embedding.weight.grad.cpu().square().mean(1))
    seen.append(torch.bincount(torch.cat(read).flatten().cpu(), minlength=my_V) > 0)
rows, seen = torch.stack(rows), torch.stack(seen)  # [20, V]
occurring = my_tokens["train"].unique()
ranked = occurring[rows.mean(0)[occurring].argsort(descending=True, stable=True)]
for name, i in (("largest", 0), ("middle", len(ranked) // 2), ("smallest", -1)):
    token = ranked[i].item()
    often = (my_tokens["train"] == token).sum()
    name = f"{name}: {decode([token], merges)!r}, {often:,} times"
    print(f"{name:34} {rows[:, token].mean().sqrt():.1e}")
for name, square in squares.items():
    print(f"{name:34} {square.sqrt():.1e}")
print(f"\nthe smallest, in batches with {decode([token], merges)!r} and without:")
for its in (seen[:, token], ~seen[:, token]):
    found = rows[its, token]
    print(f"{len(found):3} batches", f"{found.mean().sqrt():.1e}" if len(found) else "")

# %% [markdown]
# In the course's run the largest is about 20 times the smallest, which belongs to a rare token, *ally*. Two of the twenty batches have it, and there its
# gradient is of an ordinary size. In the other 18 it is about 50 times smaller still. Why is it not 0 there? Because embedding and head are one matrix, and in
# the head each of the $V$ tokens is a possible answer. At every place the loss pushes the scores of all wrong answers down a little, and this is the only
# gradient that an absent token gets.
#
# Plain gradient descent has one learning rate for all of these weights, so it must be a compromise. **Adam** (D. Kingma and J. Ba, 2015) divides each gradient
# by its own typical size instead. For each weight $w$ it keeps two running means: $m$ is the mean of the gradient $g$, and $v$ is the mean of its square $g^2$.
# Each step mixes a little of the new gradient into both:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g \qquad\qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$$
#
# With $\beta_1 = 0.9$ a step takes nine tenths of the old mean and one tenth of the new gradient, so $m$ looks back over about ten steps. The root of $v$ is
# the typical size of the gradient. The quotient $m / \sqrt v$ says where to go, and its size does not depend on whether the gradients are large or small. If
# all gradients of a weight are equal, then after many steps $m = g$ and $v = g^2$, and the quotient is 1 or $-1$. If they keep changing sign, it is closer to
# zero. A step is the learning rate times this quotient. In these two cases a step is at most as long as the learning rate. There is a third case: when
# gradients grow from step to step, $m$ is ahead of $\sqrt v$, and a step can be longer. With $\beta_1 = 0.9$ and the $\beta_2 = 0.95$ of your model it is
# never longer than 1.2 times the rate, which you may take on trust.

# %% [markdown]
# Two things are still missing. The first is a correction for the first steps. Both means start at 0, and so they are too small in the beginning: after one step
# with $\beta_1 = 0.9$, $m$ is only $0.1\, g$. In a true mean each number has a share, and the shares sum to 1. In $m$ the shares of the $t$ gradients so far
# sum only to $1 - \beta_1^t$, that is, to 0.1, 0.19, 0.27 and so on. The rest is the share of the 0 with which $m$ began. So we divide $m$ by $1 - \beta_1^t$,
# and for the same reason $v$ by $1 - \beta_2^t$.
#
# The second is **weight decay**, which makes Adam into **AdamW** (I. Loshchilov and F. Hutter, 2019). Each step also multiplies the weight by a number just below
# 1, namely $1 - \eta\lambda$. Here $\eta$ is the learning rate, and $\lambda$ says how strong the decay is; we take $\lambda = 0.1$. So a weight that nothing
# needs drifts slowly towards 0.
#
# Together, with a tiny $\varepsilon$ that keeps the divisor from being 0, a step is
#
# $$w \leftarrow (1 - \eta\lambda)\, w - \eta\, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \varepsilon}.$$

# %% [markdown] statement="adamw_step"
# ### One step of AdamW
#
# Write `adamw_step(w, g, m, v, t, rate, decay, betas, eps)`, which returns the new `(w, m, v)`. Here `rate` is $\eta$, `decay` is $\lambda$, `betas` is the pair
# $(\beta_1, \beta_2)$, and the steps are counted $t = 1, 2, \dots$
#
# In section 6 every single weight of your model will be moved by this function.

# %% [markdown] hints="adamw_step"
# 1. Before the first step, $m$ and $v$ are zero. What is $m / (1 - \beta_1)$ after it?
# 2. The decay acts on the *old* weight, and does not pass through $m$ and $v$.
# 3. Compute the new $m$ and $v$ first, as new tensors. Divide each by its $1 - \beta^t$ for the quotient, but return it as it was. Then subtract $\eta$ times the
#    quotient from the
#    shrunken weight.


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
# What have you gained? The next cell takes the first step for three weights, with a learning rate of 0.1. Their gradients are 1000, 1 and 0.001. How far will
# each of them move?

# %%
g, zero = torch.tensor([1000.0, 1.0, 0.001]), torch.zeros(3)
new, m, v = adamw_step(torch.ones(3), g, zero, zero, 1, 0.1, 0.0, (0.9, 0.95), 1e-8)
for gradient, weight in zip(g, new, strict=True):
    print(f"gradient {gradient:9.3f}   step {weight - 1:.4f}")

# %% [markdown]
# All three move equally far, by 0.1. So with AdamW the learning rate has a meaning that you can imagine: in the first step, it is the distance that every weight
# moves. Later a weight moves less than that if its gradients keep changing sign.

# %% [markdown]
# ### Slowly up, slowly down
#
# Should the learning rate be the same in all steps? In the first steps every weight moves by nearly the whole learning rate, in a direction that comes from one
# or two batches. That is little to go by. Therefore the learning rate begins small and rises step by step. This is called **warm-up**. After it the learning
# rate falls again, along half a cosine. Every batch pulls the weights in a slightly different direction, and the idea is that with small steps at the end these
# pulls average out.
#
# The function `rate_factor`, in the next cell, gives the factor by which the learning rate is multiplied in a step. The cell after it draws this factor for a
# training of 1,000 steps, of which 100 are warm-up.


# %%
def rate_factor(step, steps, warmup):
    """What the learning rate is multiplied by in a step: equal steps up to 1, then half a cosine down to 0."""
    if step < warmup:
        return (step + 1) / warmup
    share = (step - warmup) / (steps - warmup)
    return (1 + math.cos(math.pi * share)) / 2


# %% alt="The factor rises in a straight line from nearly 0 to 1 at step 100, and falls along half a cosine to 0 at step 1,000."
_, axes = plt.subplots(figsize=(6, 2.2))
axes.plot([rate_factor(step, 1_000, 100) for step in range(1_000)])
axes.set(xlabel="step", ylabel="factor", title="Slowly up, slowly down")
plt.show()

# %% [markdown]
# The whole learning rate is reached in step 99, the last step of the warm-up. From there on it falls, slowly at first, and the last steps are tiny.
#
# Does a warm-up help? The next figure shows recorded trainings of your model on the kitchen text, with the loop that you will write in section 6
# (`python -m benchmarks.record.warmup`). Each has 240 steps. There are four lengths of warm-up and six learning rates, and each dot is one training. Follow one
# line at a time: at which rate is it lowest?

# %% alt="Held-out loss over the learning rate, one line for each length of the warm-up. The lines lie together at the smallest rate. Without a warm-up the loss rises steeply from a rate of 0.005 on, with ten steps from 0.01 on; with 150 steps it goes on falling up to 0.02."
warmups = pd.read_csv(paths.DATA / "transformer" / "warmup.csv")
_, axes = plt.subplots(figsize=(6.5, 3.2))
for steps, its in warmups.query("seed == 4").groupby("warmup"):
    axes.plot(its["rate"], its["nats"], "o-", label=steps)
log_ticks(axes, its["rate"].tolist(), xlabel="learning rate (log)")
axes.set(title="A long warm-up lets you take large steps", ylabel="nats per token")
axes.set_ylim(1.9, 4.8)
axes.legend(title="steps of warm-up", ncols=4, loc="upper center")
plt.show()
for steps, its in warmups.query("seed != 4").groupby("warmup"):
    rate = its["rate"].iloc[0]
    print(f"steps of warm-up: {steps:3}, best rate {rate:.3f}:", end="  ")
    print("  ".join(f"{nats:.2f}" for nats in its["nats"]), "(other seeds)")

# %% [markdown]
# At the left end, with the smallest rate, it makes no difference whether there is a warm-up. At 0.005 a long one gains a little. At 0.01 and 0.02 it decides:
# without a warm-up the model ends above 3.4 nats, and with 150 steps at 2.1. At 0.08 even 150 steps are no longer enough.
#
# So a warm-up does not make small steps better. It lets you take larger steps later without harm, and the larger steps help. Without a warm-up the best rate
# is 0.005, and the three other seeds end at 2.50 to 2.58, as the printed lines say. With 150 steps it is 0.02, and they end at 2.04 to 2.12. (On the whole
# all four schedules move the weights about equally far: a straight line from 0 to 1 has the mean one half, and so has half a cosine from 1 to 0. So the
# factors of 240 steps add up to about 120, however long the warm-up is.)
#
# If you change the warm-up, try other rates as well.
