# ---
# title: Training a causal Transformer
# ---

# %% [markdown]
# Your model learns one batch by heart. Language takes thousands of batches: a good step, a schedule, a machine used well. Then the model
# shall write, and stand beside all models before it.
#
# From here on `lmkit.transformer` holds the model: yours, with switches.

# %%
import json
import math
import random
import shutil
import time

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import lmkit
from lmkit import kitchen, ngrams, plots, transformer
from lmkit.budgets import budget
from lmkit.optimizers import adamw, muon
from lmkit.paths import DATA
from lmkit.pretrain.evaluate import loss_with_context
from lmkit.testing import gradients
from lmkit.training import set_seed, train, warmup_cosine

plots.use_style()
torch.set_num_threads(1)  # our networks are small: a second thread costs more than it brings

# %%
# JOIN: drop, part 08a has these names
corpus = lmkit.load("kitchen")
text = "\n".join(" ".join(document) for document in corpus.splits["train"])
alphabet = sorted(set(text))
V = len(alphabet)
number = {letter: i for i, letter in enumerate(alphabet)}
ids = torch.tensor([number[letter] for letter in text])

# %%
others = "\n".join(" ".join(document) for document in corpus.splits["valid"])
rows = torch.tensor([number[letter] for letter in others])[: 33 * 100].view(100, 33)
held_out = [(rows[:, :-1], rows[:, 1:])]  # 100 texts of 32 letters


# %%
def windows(step, B=16, T=32):
    """Inputs and targets [B, T] from places that the number of the step draws."""
    starts = np.random.default_rng([8, step]).integers(0, len(ids) - T, B)
    places = torch.from_numpy(starts)[:, None] + torch.arange(T)
    return ids[places], ids[places + 1]


# %%
def small(**switches):
    """The library's model: at first with learned positions, LayerNorm and GELU, as you built it."""
    usual = {"block": 32, "layers": 2, "heads": 4, "width": 32, "bias": True}
    usual |= {"positions": "learned", "norm": "layer", "activation": "gelu"}
    return transformer.Transformer(transformer.TransformerConfig(V, **usual | switches))


# %%
# JOIN: put this in place of this comment; it needs `gpt` of part 08a (tried: True)
# set_seed(1)
# theirs, mine = small(), gpt(block=32, width=32)
# mine.load_state_dict(theirs.state_dict())
# print("the library's model is yours:", torch.allclose(mine(ids[None, :16]), theirs(ids[None, :16]), atol=1e-5))

# %% [markdown] statement="adamw_step"
# ## 10. A step for every weight
#
# **AdamW** (I. Loshchilov, F. Hutter) keeps for each weight $w$ running means of its gradient $g$ and of $g^2$. Step $t = 1, 2, \dots$, rate $\eta$, decay
# $\lambda$:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1) g \qquad v \leftarrow \beta_2 v + (1 - \beta_2) g^2 \qquad w \leftarrow (1 - \eta\lambda)\, w - \eta\, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \varepsilon}$$
#
# - `adamw_step(w, g, m, v, t, rate, decay, betas, eps)`: the new `(w, m, v)`;
# - `decay_groups(weights, decay)`: two dicts with the keys `"params"` and `"weight_decay"`, as torch's optimisers take them. Tensors with two
#   or more axes decay; biases and gains do not.

# %% [markdown] hints="adamw_step"
# 1. Before the first step, $m$ and $v$ are zero. What is $m / (1 - \beta_1)$ after it?
# 2. The decay acts on the *old* weight, and does not pass through $m$ and $v$.
# 3. New $m$ and $v$ first, as new tensors; both divided by what a mean that began at zero still lacks; then the quotient, times the
#    rate, is taken off the shrunken weight. For the groups, ask each tensor for its number of axes.


# %% task="adamw_step" points=4 level=2 minutes=12
def adamw_step(w, g, m, v, t, rate, decay, betas, eps):
    """New (w, m, v), all of one shape, from weights w, gradient g, means m and v; betas is (beta_1, beta_2)."""
    ### BEGIN SOLUTION
    m = betas[0] * m + (1 - betas[0]) * g
    v = betas[1] * v + (1 - betas[1]) * g**2
    direction = m / (1 - betas[0] ** t) / ((v / (1 - betas[1] ** t)).sqrt() + eps)
    return (1 - rate * decay) * w - rate * direction, m, v
    ### END SOLUTION


def decay_groups(weights, decay):
    """[{"params": [...], "weight_decay": number}, ...], two groups, from a list of tensors."""
    ### BEGIN SOLUTION
    return [
        {"params": [weight for weight in weights if weight.ndim >= 2], "weight_decay": decay},
        {"params": [weight for weight in weights if weight.ndim < 2], "weight_decay": 0.0},
    ]
    ### END SOLUTION


# %% test="adamw_step" aspect="the first step has the rate's size" points=1
_g, _zero = torch.tensor([1000.0, -0.001, 5.0]).double(), torch.zeros(3).double()
_got = adamw_step(torch.ones(3).double(), _g, _zero.clone(), _zero.clone(), 1, 0.1, 0.0, (0.9, 0.999), 1e-12)
assert isinstance(_got, tuple | list) and len(_got) == 3, f"Return (w, m, v); yours: {_got!r}."
assert all(np.shape(part) == (3,) for part in _got), "w, m and v should keep their shape (3,)."
assert np.allclose(_got[0], [0.9, 1.1, 0.9]), (
    f"Gradients 1000, -.001, 5 and rate .1: each weight moves by .1 against its gradient; yours from 1 to {_got[0]}."
)
assert np.allclose(_got[1], 0.1 * _g) and np.allclose(_got[2], 0.001 * _g**2), (
    "Return the running means m and v as they are, not divided by 1 - beta to the t."
)

# %% test="adamw_step" aspect="many steps like torch" points=1
_rate, _decay, _betas, _eps = 0.05, 0.2, (0.9, 0.95), 1e-3
### BEGIN HIDDEN TESTS
_rate, _decay, _betas, _eps = random.uniform(0.02, 0.1), random.uniform(0.3, 0.6), (0.7, 0.9), random.uniform(0.01, 0.1)
### END HIDDEN TESTS
_w = torch.randn(2, 3).double().requires_grad_(True)
_mine, _m, _v = _w.detach().clone(), torch.zeros(2, 3).double(), torch.zeros(2, 3).double()
_torch = torch.optim.AdamW([_w], lr=_rate, weight_decay=_decay, betas=_betas, eps=_eps)
for _t in range(1, 7):
    _w.grad = torch.randn(2, 3).double()
    _torch.step()
    _mine, _m, _v = adamw_step(_mine, _w.grad.clone(), _m, _v, _t, _rate, _decay, _betas, _eps)
    assert torch.allclose(_mine, _w.detach()), (
        f"Step {_t}: your weights are not those of torch.optim.AdamW (rate {_rate:.2g}, decay {_decay:.2g}, eps {_eps:.2g})."
    )

# %% test="adamw_step" aspect="decay without a gradient" points=1
_w, _zero = torch.tensor([[2.0, -3.0]]).double(), torch.zeros(1, 2).double()
_got = adamw_step(_w.clone(), _zero.clone(), _zero.clone(), _zero.clone(), 3, 0.1, 0.5, (0.9, 0.99), 1e-8)
assert isinstance(_got, tuple | list) and len(_got) == 3, f"Return (w, m, v); yours: {_got!r}."
assert np.allclose(_got[0], 0.95 * _w), (
    f"No gradient, rate .1, decay .5: every weight shrinks by 5 %; yours: {_got[0]}."
)
assert not np.any(np.asarray(_got[1])) and not np.any(np.asarray(_got[2])), "The decay should not get into m or v."

# %% test="adamw_step" aspect="only matrices decay" points=1
_weights = [torch.zeros(shape) for shape in ((3,), (4, 3), (2, 4, 5), (), (1, 7), (60,))]
_got = decay_groups(list(_weights), 0.3)
assert hasattr(_got, "__len__") and len(_got) == 2, f"A list of two dicts is wanted; yours: {_got!r}."
assert all({"params", "weight_decay"} <= set(group) for group in _got), 'Both groups need "params" and "weight_decay".'
_found = {float(group["weight_decay"]): sorted(tuple(part.shape) for part in group["params"]) for group in _got}
assert set(_found) == {0.3, 0.0}, f"One group decays with .3, the other with 0; yours: {sorted(_found)}."
assert _found[0.3] == [(1, 7), (2, 4, 5), (4, 3)], f"Two axes or more should decay; with you: {_found[0.3]}."
assert _found[0.0] == [(), (3,), (60,)], f"Biases and gains should not decay; with you: {_found[0.0]}."

# %% [markdown]
# A first step has the rate's size, whether the gradient is 1,000 or 0.001. So the rate is all that is left to choose. (`lmkit.optimizers` takes torch's own
# AdamW, with your two groups.)

# %% [markdown] statement="rate_factor"
# ## 11. Slowly up, slowly down
#
# "Very sensitive to learning rate schedule → linear warm up + cosine decay" (003). The rate of step $s = 0, 1, \dots, N - 1$ is $\eta$ times
#
# $$f(s) = \begin{cases}(s + 1) / n & s < n\\ \ell + (1 - \ell) \left(1 + \cos \pi p\right) / 2 & s \ge n\end{cases} \qquad p = \frac{s - n}{N - n}$$
#
# with $n$ steps of warm-up and $\ell$, where the cosine ends. Write `rate_factor(s, N, n, lowest)`, for one step or for an array of steps.

# %% [markdown] hints="rate_factor"
# 1. What is $p$ in the first step behind the warm-up, and what would it be in step $N$?
# 2. With $n = 0$ there is no warm-up: nothing should be divided by zero.
# 3. For an array, compute both lines for all steps and choose with a condition; make the divisor of the first at least 1.


# %% task="rate_factor" points=3 level=1 minutes=8
def rate_factor(s, N, n, lowest):
    """The factor f(s), a number or an array like s; N steps in all, n < N of them warm-up."""
    ### BEGIN SOLUTION
    s = np.asarray(s)
    cosine = lowest + (1 - lowest) * (1 + np.cos(np.pi * (s - n) / (N - n))) / 2
    return np.where(s < n, (s + 1) / max(n, 1), cosine)
    ### END SOLUTION


# %% test="rate_factor" aspect="equal steps up" points=1
_got = [float(rate_factor(_s, 100, 4, 0.1)) for _s in range(5)]
assert np.allclose(_got, [0.25, 0.5, 0.75, 1, 1]), (
    f"n = 4: .25, .5, .75, 1, then the cosine begins at 1; yours: {_got}."
)
for _n in (0, 1):
    _got = float(rate_factor(0, 10, _n, 0.1))
    assert math.isclose(_got, 1), f"Without warm-up (n = 0), or with one step, the first factor is 1; yours: {_got}."

# %% test="rate_factor" aspect="half a cosine down" points=1
_got = [float(rate_factor(_s, 20, 4, 0.1)) for _s in (4, 12, 20)]
assert np.allclose(_got, [1, 0.55, 0.1]), f"N = 20, n = 4: 1, in the middle .55, at the end .1; yours: {_got}."
### BEGIN HIDDEN TESTS
for _ in range(20):
    _N, _low = random.randint(30, 90), random.uniform(0.02, 0.4)
    _n = random.randint(1, 20)
    _s = random.randint(_n + 1, _N - 1)
    _wanted = _low + (1 - _low) * math.cos(math.pi / 2 * (_s - _n) / (_N - _n)) ** 2
    _got = float(rate_factor(_s, _N, _n, _low))
    assert math.isclose(_got, _wanted), (
        f"s = {_s}, N = {_N}, n = {_n}, lowest {_low:.2f}: {_wanted:.4f}, not {_got:.4f}."
    )
### END HIDDEN TESTS

# %% test="rate_factor" aspect="an array of steps" points=1
_got = rate_factor(np.arange(9), 9, 3, 0.0)
assert np.shape(_got) == (9,), f"Nine steps, nine factors; yours: {_got!r}."
_wanted = [1 / 3, 2 / 3, 1, *(math.cos(math.pi / 12 * k) ** 2 for k in range(6))]
assert np.allclose(_got, _wanted), f"Factors {np.round(_wanted, 2)} wanted; yours: {np.round(_got, 2)}."

# %% [markdown]
# "If the learning rate is too large, it diverges; if too small, it does not learn well" (004). We try all decades, with a constant rate and with
# a schedule:


# %%
def letter_loss(model, batch):
    return model(*batch), batch[1].numel()


# %%
def learn(model, steps, optimiser, schedule=None, **more):
    """Train on letters; the loss on other letters, in nats (infinite if a loss was not finite)."""
    try:
        options = {"validation": held_out, "every": steps, "device": "cpu"} | more
        history = train(model, windows, letter_loss, steps=steps, optimiser=optimiser, schedule=schedule, **options)
    except FloatingPointError:
        return math.inf
    return history["validation loss"].iloc[-1]


# %%
steps, rates = budget().choose(grading=10, laptop=150, gpu=1_000), 10.0 ** np.arange(-5, 1)
found, schedules = {}, {"constant": None, "warm-up and cosine": warmup_cosine(steps // 10, 0)}

# %%
for name, schedule in schedules.items():
    found[name] = []
    for rate in rates:
        set_seed(1)
        model = small()
        found[name].append(learn(model, steps, adamw(model, rate), schedule, clip=None))

# %%
_, axes = plt.subplots()
for name, losses in found.items():
    axes.semilogx(rates, np.minimum(losses, 6), "o-", label=name)
axes.axhline(math.log(V), color="gray", linestyle=":", label="ln V")
axes.set(xlabel="learning rate (log)", ylabel="loss (nats per letter)", ylim=(None, 6.1), title="from 6 on: cut off")
axes.legend()
plt.show()

# %% [markdown]
# A valley: far left too little is learned, far right little is kept. The lectures' networks are post-norm, ours is pre-norm: is it "very unstable"
# (004)? Count the decades that work, and see whether the schedule moves the lowest point.

# %% [markdown] statement="pad"
# ## 12. Many texts, one step
#
# Texts differ in length, and a large batch may not fit. *Count tokens*:
#
# - `pad(texts)`: (inputs, targets), both $[B, T]$, from lists of at least two token numbers; targets one ahead. What is missing on the right is 0 in
#   inputs, $-100$ in targets (torch's cross-entropy leaves it out). $T$ is as small as possible;
# - `whole_gradient(gradients, counts)`: from gradients of the *mean* losses of parts with so many targets, that of the mean over all.

# %% [markdown] hints="pad"
# 1. A text of 5 tokens has how many targets?
# 2. Two parts with 1 and 9 targets: the mean of both means gives the one target as much say as the nine.
# 3. Mean times count is a sum, and sums add up. Sum over the parts, then divide by all targets once.


# %% task="pad" points=4 level=2 minutes=12
def pad(texts):
    """(inputs [B, T], targets [B, T]), tensors of integers, from B lists of token numbers."""
    ### BEGIN SOLUTION
    T = max(map(len, texts)) - 1
    inputs = [[*words[:-1], *[0] * (T + 1 - len(words))] for words in texts]
    targets = [[*words[1:], *[-100] * (T + 1 - len(words))] for words in texts]
    return torch.tensor(inputs), torch.tensor(targets)
    ### END SOLUTION


def whole_gradient(gradients, counts):
    """The gradient of the mean loss of all targets, from a list of tensors and a list of numbers."""
    ### BEGIN SOLUTION
    return sum(n * g for n, g in zip(counts, gradients, strict=True)) / sum(counts)
    ### END SOLUTION


# %% test="pad" aspect="shifted, then filled" points=1
_got = pad([[5, 6, 7, 8], [9, 4]])
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return (inputs, targets); yours: {_got!r}."
assert all(torch.is_tensor(part) and not part.is_floating_point() for part in _got), (
    "Inputs and targets should be tensors of integers."
)
assert _got[0].tolist() == [[5, 6, 7], [9, 0, 0]], f"Inputs 5 6 7 and 9 0 0 wanted; yours: {_got[0].tolist()}."
assert _got[1].tolist() == [[6, 7, 8], [4, -100, -100]], f"Targets 6 7 8, 4 -100 -100; yours: {_got[1].tolist()}."

# %% test="pad" aspect="any lengths in any order" points=1
_texts = [[1, 2], [3, 4, 5], [6, 7]]
### BEGIN HIDDEN TESTS
_texts = [random.choices(range(1, 50), k=k) for k in (3, 2, random.randint(6, 9), 4, random.randint(2, 9))]
### END HIDDEN TESTS
_inputs, _targets = pad([list(words) for words in _texts])
_T = max(map(len, _texts)) - 1
assert tuple(_inputs.shape) == tuple(_targets.shape) == (len(_texts), _T), (
    f"The longest text has {_T + 1} tokens, so T = {_T}; your shapes: {tuple(_inputs.shape)}, {tuple(_targets.shape)}."
)
for _row, _words in enumerate(_texts):
    _k = len(_words) - 1
    assert _inputs[_row].tolist() == [*_words[:-1], *[0] * (_T - _k)], (
        f"Text {_words}: inputs {_inputs[_row].tolist()}."
    )
    assert _targets[_row].tolist() == [*_words[1:], *[-100] * (_T - _k)], (
        f"Text {_words}: targets {_targets[_row].tolist()}."
    )

# %% test="pad" aspect="every token counts alike" points=1
_got = whole_gradient([torch.tensor([10.0, 0.0]), torch.tensor([0.0, 10.0])], [1, 9])
assert np.shape(_got) == (2,), f"The gradient keeps its shape, (2,); yours: {_got!r}."
assert np.allclose(_got, [1, 9]), f"1 target with gradient (10, 0), 9 with (0, 10): (1, 9) wanted; yours: {_got}."

# %% test="pad" aspect="equal to one large batch" points=1
_w, _sizes = torch.randn(3, 4).double().requires_grad_(True), [2, 5, 1]
### BEGIN HIDDEN TESTS
_sizes = [random.randint(2, 4), random.randint(5, 9), 1]
### END HIDDEN TESTS
_x, _y = torch.randn(sum(_sizes), 4).double(), torch.randint(3, (sum(_sizes),))
_losses = F.cross_entropy(_x @ _w.T, _y, reduction="none").split(_sizes)
_parts = [torch.autograd.grad(part.mean(), _w, retain_graph=True)[0] for part in _losses]
_wanted = torch.autograd.grad(torch.cat(_losses).mean(), _w)[0]
_got = whole_gradient([part.clone() for part in _parts], list(_sizes))
assert torch.is_tensor(_got) and torch.allclose(_got, _wanted), (
    f"Parts of {_sizes} targets: not the gradient of all {sum(_sizes)} at once."
)

# %%
model, (padded, _) = small(), pad([[number[letter] for letter in word] for word in ("strawberry", "tea")])
with torch.no_grad():
    alone, beside = model(padded[1:, :2])[0], model(padded)[1, :2]
print("padding changes the scores of tea:", not torch.allclose(alone, beside, atol=1e-5))

# %% [markdown]
# Padding stands on the *right*, where a causal model never looks: no mask is needed. And with `whole_gradient`, four small batches are one large. What does that save, and what do
# other tricks?


# %%
def kept_bytes(model, batch, low):
    """Bytes that forward keeps for backward: activations, not weights."""
    kept, weights = {}, {weight.untyped_storage().data_ptr() for weight in model.parameters()}

    def note(x):
        kept[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x

    with (
        torch.autograd.graph.saved_tensors_hooks(note, lambda x: x),
        torch.autocast("cpu", torch.bfloat16, enabled=low),
    ):
        loss = model(*batch)
    loss.backward()
    return sum(size for place, size in kept.items() if place not in weights)


# %%
def step_time(model, run, optimiser, low, parts, tries=3):
    """CPU seconds for a step of 16 texts, worked off in parts; the best of three."""
    times = []
    for _ in range(tries + 1):
        begin = time.process_time()
        for part in range(parts):
            with torch.autocast("cpu", torch.bfloat16, enabled=low):
                loss = run(*windows(part, B=16 // parts)) / parts
            loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        times.append(time.process_time() - begin)
    return min(times[1:])  # the first one compiles, and touches new memory


# %%
model = small(width=budget().choose(grading=64, laptop=128, gpu=256))
single, fused = torch.optim.AdamW(model.parameters(), foreach=False), adamw(model)
ways = {"float32": (model, single, False, 1), "fused AdamW": (model, fused, False, 1)}
ways["bfloat16"] = model, single, True, 1
ways["4 parts"] = model, single, False, 4
if budget().name != "grading" and shutil.which("g++"):  # compiling takes longer than grading may
    ways["compiled"] = torch.compile(model), single, False, 1

# %%
times = [step_time(model, *way) for way in ways.values()]
kept = {}
for name in ("float32", "bfloat16", "4 parts"):
    parts = ways[name][3]
    kept[name] = kept_bytes(model, windows(0, B=16 // parts), ways[name][2]) / 1e6

# %%
_, (left, right) = plt.subplots(1, 2, width_ratios=(5, 3))
left.bar(list(ways), np.array(times) / times[0], color=plots.COLOURS[0])
left.set_ylabel("CPU time (float32 = 1)")
left.tick_params(axis="x", rotation=20)
right.bar(list(kept), list(kept.values()), color=plots.COLOURS[1])
right.set_ylabel("kept for backward (MB)")
plt.show()

# %% [markdown]
# Left is your machine: a bar below 1 is worth having. Right hardly depends on it: parts divide what is kept; half as many bits save less than half, since the stream and its norms
# stay in float32. "Memory: need to keep almost all past activation" (003): that is this.

# %% [markdown] statement="rotate"
# ## 13. Three ways, one number: turning pairs
#
# **Rotary positions** (J. Su et al.): at place $m$, pair $i$ of a query or key, $(x_i, x_{i + D/2})$, is turned by the angle $\theta_{mi} = m \cdot 10000^{-2i/D}$:
#
# $$x'_i = x_i \cos\theta - x_{i+D/2} \sin\theta \qquad x'_{i+D/2} = x_i \sin\theta + x_{i+D/2} \cos\theta$$
#
# - `quarter_turn()`: $D = 2$, $x = (3, 1)$, $\theta = \pi/2$: the new pair;
# - `rotate_one(x, theta)`: by loop, one vector, lists of $D$ and $D/2$ numbers;
# - `angles(T, D)`: $\theta$, shape $[T, D/2]$; `rotate(x, theta)`: $[\dots, T, D]$, no loop.

# %% [markdown] hints="rotate"
# 1. On paper, turn the arrow (3, 1) by a quarter, against the clock.
# 2. Pair $i$ is *not* two neighbours: its partner stands half a vector further right.
# 3. Cut the last axis in the middle, into $a$ and $b$; both new halves use both old ones; join them along the last axis. A table of angles is
#    a column of places times a row of speeds.


# %% task="rotate" points=5 level=2 minutes=15
def quarter_turn():
    """The pair (3, 1), turned by 90 degrees."""
    ### BEGIN SOLUTION
    return [-1, 3]
    ### END SOLUTION


def rotate_one(x, theta):
    """A list of D numbers from a list x of D numbers and a list theta of D/2 angles."""
    ### BEGIN SOLUTION
    half, turned = len(theta), list(x)
    for i in range(half):
        turned[i] = x[i] * math.cos(theta[i]) - x[i + half] * math.sin(theta[i])
        turned[i + half] = x[i] * math.sin(theta[i]) + x[i + half] * math.cos(theta[i])
    return turned
    ### END SOLUTION


def angles(T, D):
    """theta [T, D/2], a tensor of floats: places 0 to T - 1."""
    ### BEGIN SOLUTION
    return torch.arange(T)[:, None] * 10_000.0 ** (-torch.arange(0, D, 2) / D)
    ### END SOLUTION


def rotate(x, theta):
    """[..., T, D] from x [..., T, D] and theta [T, D/2]."""
    ### BEGIN SOLUTION
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1)
    ### END SOLUTION


# %% test="rotate" aspect="by hand and by loop" points=1
_got = np.ravel(quarter_turn())
assert _got.shape == (2,), f"quarter_turn returns two numbers; yours: {quarter_turn()!r}."
_one = rotate_one([1.0, 2.0, 0.0, 0.0], [math.pi / 2, 0.0])
assert np.shape(_one) == (4,), f"Four numbers in, four out; yours: {_one!r}."
assert np.allclose(_one, [0, 2, 1, 0]), f"Pair 0 is (1, 0), turned by 90°; pair 1 stays (2, 0): 0 2 1 0; yours: {_one}."
### BEGIN HIDDEN TESTS
assert np.allclose(_got, [-1, 3]), f"(3, 1) turned by 90° against the clock is not {_got}."
_x, _theta = np.random.default_rng().normal(size=6), np.random.default_rng().uniform(0.3, 6, 3)
_wanted = (_x[:3] + 1j * _x[3:]) * np.exp(1j * _theta)
_got = rotate_one(_x.tolist(), _theta.tolist())
assert np.allclose(_got, [*_wanted.real, *_wanted.imag]), f"x = {_x.round(2)}, theta = {_theta.round(2)}: not {_got}."
### END HIDDEN TESTS

# %% test="rotate" aspect="the table of angles" points=1
_T, _D = 5, 6
### BEGIN HIDDEN TESTS
_T, _D = random.randint(3, 9), random.choice([4, 8, 10])
### END HIDDEN TESTS
_got = angles(_T, _D)
assert np.shape(_got) == (_T, _D // 2), f"T = {_T}, D = {_D}: shape {_T, _D // 2} wanted; yours: {np.shape(_got)}."
for _m in range(_T):
    for _i in range(_D // 2):
        _wanted = _m / 10_000 ** (2 * _i / _D)
        assert math.isclose(_got[_m, _i], _wanted, rel_tol=1e-4), (
            f"D = {_D}, place {_m}, pair {_i}: {_wanted:.5f} wanted; yours: {float(_got[_m, _i]):.5f}."
        )

# %% test="rotate" aspect="all at once" points=1
_B, _T, _D = 2, 4, 6
### BEGIN HIDDEN TESTS
_B, _T, _D = random.randint(2, 3), random.randint(3, 6), random.choice([4, 8])
### END HIDDEN TESTS
_x, _theta = torch.randn(_B, _T, _D).double(), torch.rand(_T, _D // 2).double() + 0.2
_got = rotate(_x.clone(), _theta.clone())
assert np.shape(_got) == (_B, _T, _D), f"The shape of x, {_B, _T, _D}, is wanted; yours: {np.shape(_got)}."
assert torch.allclose(_got, transformer.rotate(_x, torch.stack([_theta.cos(), _theta.sin()]))), (
    "On random vectors and angles some entries differ from the formula."
)

# %% test="rotate" aspect="lengths stay" points=1
_x = torch.randn(3, 2, 5, 8).double()
_got = rotate(_x.clone(), 3 * torch.rand(5, 4).double())
assert np.shape(_got) == (3, 2, 5, 8), f"[B, H, T, D] in, the same out; yours: {np.shape(_got)}."
assert torch.allclose(_got.norm(dim=-1), _x.norm(dim=-1)), "Turning changes no length, but some of yours change."
_zero = rotate(_x.clone(), torch.zeros(5, 4).double())
assert torch.allclose(_zero, _x), "With all angles zero nothing should change."

# %% test="rotate" aspect="only the distance counts" points=1
_theta = torch.as_tensor(angles(40, 8)).double()
_q, _k = torch.arange(1, 9).double(), torch.arange(8, 0, -1).double()
_scores = rotate(_q.expand(40, 8), _theta) @ rotate(_k.expand(40, 8), _theta).T
for _distance in (0, 1, 7, 30):
    _same = _scores.diagonal(_distance)
    assert torch.allclose(_same, _same[0].expand_as(_same), atol=1e-3), (
        f"The same query and key, always {_distance} places apart, should always have the same product."
    )
assert not torch.allclose(_scores[0, 1], _scores[0, 7], atol=1), "At distances 1 and 7 the product should differ."

# %%
x, theta = torch.tensor([[3.0, 1.0]]), torch.tensor([[math.pi / 2]])
loop = rotate_one([3.0, 1.0], [math.pi / 2])
print("three ways:", quarter_turn(), np.round(loop, 4) + 0.0, rotate(x, theta)[0].numpy().round(4) + 0.0)


# %%
def sinusoids(T, C):
    """Chapter 06's positions [T, C]; small, as learned ones begin."""
    theta = transformer.rotary_angles(T, C)
    return 0.02 * torch.cat([theta[1], theta[0]], dim=1)


# %%
steps, far = budget().choose(grading=20, laptop=300, gpu=2_000), 128
schedule = warmup_cosine(steps // 10, 0)
long = torch.tensor([number[letter] for letter in others])[: 129 * 100].view(100, 129)

# %%
_, axes = plt.subplots()
for name in ("learned", "sinusoids", "rotary"):
    set_seed(1)
    model = small(positions="rotary" if name == "rotary" else "learned", block=far)
    if name == "sinusoids":
        model.positions.weight.data[:] = sinusoids(far, 32)
        model.positions.weight.requires_grad_(False)
    learn(model, steps, adamw(model, 1e-2), schedule)  # on texts of 32 letters
    with torch.no_grad():
        losses = F.cross_entropy(model(long[:, :-1]).transpose(1, 2), long[:, 1:], reduction="none")
    axes.plot(range(8, 129, 16), losses.mean(0).view(8, 16).mean(1), "o-", label=name)
axes.axvline(32, color="gray", linestyle=":")
axes.set(xlabel="place in the text; trained up to the dotted line", ylabel="loss (nats per letter)")
axes.legend()
plt.show()

# %% [markdown]
# "You can only handle positions up to the length you observed" (003): true for a *table*, which ends, or has untrained rows. Formulas have an angle for every place; what the model makes of it,
# the curves show. Nobody promised that it would be good.

# %% [markdown] statement="rms_norm"
# ## 14. Leaving things out
#
# **RMSNorm** (B. Zhang, R. Sennrich) is LayerNorm without the mean and without the bias; **squared ReLU** (D. So et al.) replaces GELU:
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


# %% task="rms_norm" points=3 level=1 minutes=8
def rms_norm(x, gain, eps=1e-6):
    """Each token's numbers divided by their root mean square, times gain: [..., C]."""
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
_got = rms_norm(torch.tensor([[[3.0, 4.0], [-600.0, 800.0]]]).double(), torch.ones(2).double())
assert np.shape(_got) == (1, 2, 2), f"x of shape (1, 2, 2): the same is wanted; yours: {np.shape(_got)}."
_wanted = np.array([[[0.6, 0.8], [-0.6, 0.8]]]) * math.sqrt(2)
assert np.allclose(_got, _wanted, atol=1e-4), f"3 and 4 become .849 and 1.131; yours: {_got[0, 0].tolist()}."
### BEGIN HIDDEN TESTS
for _scale, _eps in ((4, 1e-6), (0.1, 0.3)):
    _x, _g = torch.randn(2, 3, 5).double() * _scale + _scale, torch.randn(5).double()
    assert torch.allclose(rms_norm(_x.clone(), _g, _eps), F.rms_norm(_x, (5,), _g, _eps)), (
        f"x with spread {_scale}, eps = {_eps}, random gain: not torch's rms_norm."
    )
### END HIDDEN TESTS

# %% test="rms_norm" aspect="squares of the positive" points=1
_x = torch.tensor([[-2.0, -0.5, 0.0], [0.5, 1.0, 3.0]]).double()
_got = squared_relu(_x.clone())
assert np.shape(_got) == (2, 3), f"The shape of x is wanted; yours: {np.shape(_got)}."
assert np.allclose(_got, [[0, 0, 0], [0.25, 1, 9]]), f"0 0 0 and .25 1 9 wanted; yours: {_got.tolist()}."
assert np.allclose(gradients(squared_relu, _x)[0], [[0, 0, 0], [1, 2, 6]]), "Its slope should be 2x, and 0 below zero."

# %% test="rms_norm" aspect="the mean that stays" points=1
_got = mean_left(3.0, 4.0)
assert isinstance(_got, int | float | np.number), f"mean_left returns a number; yours: {_got!r}."
assert math.isclose(_got, 0.6), f"Mean 3, deviation 4: .6 is left; yours: {_got}."
### BEGIN HIDDEN TESTS
_x = np.random.default_rng().normal(size=50) * 2 + random.uniform(1, 3)
_wanted = (_x / math.sqrt((_x**2).mean())).mean()
_got = mean_left(_x.mean(), _x.std())
assert math.isclose(_got, _wanted), f"Mean {_x.mean():.3f}, deviation {_x.std():.3f}: {_wanted:.4f}, not {_got}."
assert math.isclose(mean_left(-2.0, 1.5), -0.8), f"A negative mean stays negative; yours: {mean_left(-2.0, 1.5)}."
### END HIDDEN TESTS

# %% [markdown] statement="orthogonal"
# ## 15. Predict, then measure: all directions alike
#
# In a gradient matrix a few singular values are large, so few directions learn. **Muon** (K. Jordan) averages gradients to $G$ $[p, q]$, takes $X = G / \lVert G \rVert$ (root of all
# squares), and brings all singular values near 1:
#
# $$X \leftarrow aX + b\, X X^\top X + c\, (X X^\top)^2 X \qquad (a, b, c) = (3.4445, -4.775, 2.0315)$$
#
# - `guess_small`, first: what do 5 rounds make of a singular value 0.01?
# - `pushed(s, rounds)`: for one singular value, $s \leftarrow as + bs^3 + cs^5$;
# - `measured_small`, with it;
# - `orthogonal(G, rounds)`: $X$; a zero matrix stays zero.

# %% [markdown] hints="orthogonal"
# 1. Near zero, only one of the three terms matters. What does it do, five times?
# 2. $X X^\top$ is $[p, p]$. Compute it once a round.
# 3. In a loop: the square table, its square, and three terms added; each uses the *old* $X$. Add something tiny to the norm, so that nothing
#    is divided by zero.


# %% task="orthogonal" points=4 level=2 minutes=12
# guess_small = a number, written down before you measure
### BEGIN SOLUTION
guess_small = 1.0
### END SOLUTION


def pushed(s, rounds):
    """The singular value s after so many rounds."""
    ### BEGIN SOLUTION
    for _ in range(rounds):
        s = 3.4445 * s - 4.775 * s**3 + 2.0315 * s**5
    return s
    ### END SOLUTION


def orthogonal(G, rounds=5):
    """X [p, q] after so many rounds, from a matrix G [p, q]."""
    ### BEGIN SOLUTION
    X = G / (G.norm() + 1e-12)
    for _ in range(rounds):
        A = X @ X.T
        X = 3.4445 * X + (-4.775 * A + 2.0315 * A @ A) @ X
    return X
    ### END SOLUTION


# measured_small = what your function makes of 0.01 in 5 rounds
### BEGIN SOLUTION
measured_small = pushed(0.01, 5)
### END SOLUTION

# %% test="orthogonal" aspect="one singular value" points=1
for _s, _rounds, _wanted in ((0.5, 0, 0.5), (1.0, 1, 0.701), (0.5, 1, 1.188859375)):
    _got = pushed(_s, _rounds)
    assert isinstance(_got, int | float | np.number), f"pushed returns a number; yours: {_got!r}."
    assert math.isclose(_got, _wanted), f"s = {_s}, {_rounds} rounds: {_wanted} wanted; yours: {_got}."
### BEGIN HIDDEN TESTS
_s = random.uniform(0.2, 0.9)
_twice = np.polynomial.Polynomial([0, 3.4445, 0, -4.775, 0, 2.0315])
assert math.isclose(pushed(_s, 2), _twice(_twice(_s))), f"s = {_s:.4f}, two rounds: {_twice(_twice(_s)):.5f} wanted."
### END HIDDEN TESTS

# %% test="orthogonal" aspect="directions stay, values are pushed" points=1
_p, _q, _rounds = 3, 4, 5
### BEGIN HIDDEN TESTS
_p, _q, _rounds = *random.sample(range(2, 7), 2), random.randint(1, 4)
### END HIDDEN TESTS
_G = torch.randn(_p, _q).double() * 30
_got = orthogonal(_G.clone(), _rounds)
assert np.shape(_got) == (_p, _q), f"G is [{_p}, {_q}], so X is; yours: {np.shape(_got)}."
_U, _S, _W = torch.linalg.svd(_G, full_matrices=False)
_S = _S / _S.norm()
for _ in range(_rounds):
    _S = _S * (3.4445 + _S**2 * (-4.775 + 2.0315 * _S**2))
assert torch.allclose(_got, _U * _S @ _W, atol=1e-6), (
    f"A random {_p} x {_q} matrix, {_rounds} rounds: directions as in G and pushed singular values {_S.numpy().round(3)} wanted."
)

# %% test="orthogonal" aspect="zero stays zero" points=1
_got = orthogonal(torch.zeros(2, 3))
assert np.shape(_got) == (2, 3), f"G is [2, 3], so X is; yours: {np.shape(_got)}."
assert not torch.as_tensor(_got).isnan().any(), "A zero gradient gives NaN: something is divided by zero."
assert not np.any(np.asarray(_got)), f"A zero gradient should give a zero step; yours: {_got}."
_wanted = 2e-5 / math.hypot(1e-5, 2e-5)
for _ in range(5):
    _wanted = 3.4445 * _wanted - 4.775 * _wanted**3 + 2.0315 * _wanted**5
_got = orthogonal(torch.tensor([[1e-5, 0.0], [0.0, 2e-5]]).double())
assert math.isclose(_got[1, 1], _wanted, rel_tol=1e-4), (
    f"A tiny gradient should grow like any other, in 5 rounds if none are given: {_wanted:.3f}; yours: {_got[1, 1]:.3g}."
)

# %% test="orthogonal" aspect="guess and measurement" points=1
for _name, _value in (("guess_small", guess_small), ("measured_small", measured_small)):
    assert isinstance(_value, int | float | np.number), f"{_name} should be a number; yours: {_value!r}."
### BEGIN HIDDEN TESTS
_s = 0.01
for _ in range(5):
    _s = _s * (3.4445 + _s**2 * (-4.775 + 2.0315 * _s**2))
assert math.isclose(measured_small, _s, rel_tol=1e-3), f"0.01 does not become {measured_small} in 5 rounds."
### END HIDDEN TESTS

# %%
s = np.linspace(0, 1, 400)
_, axes = plt.subplots()
for rounds in (0, 1, 5):
    axes.plot(s, [pushed(value, rounds) for value in s], label=f"{rounds} rounds")
axes.set(xlabel="singular value of $G / ||G||$", ylabel="afterwards")
axes.legend()
plt.show()

# %% [markdown]
# Five rounds lift all but the smallest to about 1: roughly, and fast. Now every step past the lectures, each alone, on letters:

# %%
changes = {"as built": {}, "rotary": {"positions": "rotary"}, "RMSNorm": {"norm": "rms"}}
changes |= {"squared ReLU": {"activation": "squared_relu"}, "Muon": {}}
changes["all four"] = {"positions": "rotary", "norm": "rms", "activation": "squared_relu"}

# %%
steps, seeds = budget().choose(grading=(20, (1,)), laptop=(200, (1, 2)), gpu=(2_000, (1, 2, 3)))
schedule, losses = warmup_cosine(steps // 10, 0), {}

# %%
for name, switches in changes.items():
    losses[name] = []
    for seed in seeds:
        set_seed(seed)
        model = small(**switches)
        by_muon = name in ("Muon", "all four")
        optimiser = muon(model, model.blocks, 0.02, 1e-2) if by_muon else adamw(model, 1e-2)
        losses[name].append(learn(model, steps, optimiser, schedule))
writer = model  # the last one writes in the next section

# %%
_, axes = plt.subplots()
for i, values in enumerate(losses.values()):
    axes.plot([i] * len(values), values, "o", color=plots.COLOURS[i])
axes.axhline(np.mean(losses["as built"]), color="gray", linestyle=":")
axes.set_xticks(range(len(losses)), list(losses))
axes.set_ylabel("loss (nats per letter)")
plt.show()

# %% [markdown]
# A dot is a run; below the dotted line is better than what you built. Distrust a gain that is smaller than the gap between two dots of one column.

# %% [markdown] statement="next_distribution"
# ## 16. Let it write
#
# From scores $s$ to chances, in this order: **temperature** $\tau$, $\text{softmax}(s / \tau)$, where $\tau = 0$ means all to the best; **top-k** keeps
# the $k$ most likely; **top-p** keeps the *fewest* most likely that together have at least $p$. What is dropped gets 0, the rest is scaled to sum 1, after
# each of the two.
#
# Write `next_distribution(s, tau, k, p)`, $[B, V]$; `None` for $k$ or $p$ means all.

# %% [markdown] hints="next_distribution"
# 1. Chances .5, .3, .2 and $p = 0.6$: is the second one kept?
# 2. Sort each row from likely to unlikely; then top-k is a slice, and top-p a running sum.
# 3. A token is kept as long as those *before* it have less than $p$ together. Sorted back is easy if you find, instead, the chance of the
#    last one kept, and drop all that have less.


# %% task="next_distribution" points=4 level=2 minutes=15
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V]."""
    ### BEGIN SOLUTION
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1))
        chances = chances / chances.sum(-1, keepdim=True)
    return chances
    ### END SOLUTION


# %% test="next_distribution" aspect="temperature" points=1
_s = torch.tensor([[0.0, math.log(2), math.log(3)], [5.0, 900.0, 1.0]]).double()
for _tau, _wanted in ((1.0, [1 / 6, 2 / 6, 3 / 6]), (0.5, [1 / 14, 4 / 14, 9 / 14]), (0, [0, 0, 1])):
    _got = next_distribution(_s.clone(), _tau)
    assert np.shape(_got) == (2, 3), f"Chances of shape (2, 3) are wanted; yours: {np.shape(_got)}."
    assert np.allclose(_got[0], _wanted), (
        f"Scores ln 1, ln 2, ln 3 at {_tau}: {np.round(_wanted, 3)}; yours: {_got[0]}."
    )
    assert np.allclose(_got[1], [0, 1, 0]), f"A score of 900 beside 5 and 1 at {_tau}: all to it; yours: {_got[1]}."

# %% test="next_distribution" aspect="the k most likely" points=1
_s = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.4, 0.3, 0.2, 0.1]]).double().log()
_got = next_distribution(_s.clone(), 1.0, 2)
assert np.shape(_got) == (2, 4), f"Chances of shape (2, 4) are wanted; yours: {np.shape(_got)}."
assert np.allclose(_got, [[0, 4 / 7, 0, 3 / 7], [4 / 7, 3 / 7, 0, 0]]), f"k = 2: two of each row, sum 1; yours: {_got}."
assert np.allclose(next_distribution(_s.clone(), 1.0, 9), _s.exp()), "k larger than V keeps everything."

# %% test="next_distribution" aspect="the fewest that reach p" points=1
_s = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.02, 0.03, 0.9, 0.05]]).double().log()
for _p, _wanted in (
    (0.6, [[0, 4, 0, 3], [0, 0, 1, 0]]),
    (0.95, [[1, 4, 2, 3], [0, 0, 90, 5]]),
    (0.3, [[0, 1, 0, 0], [0, 0, 1, 0]]),
):
    _wanted = np.array(_wanted) / np.sum(_wanted, axis=1, keepdims=True)
    _p = _p - 1e-9  # .9 and .05 are .95, whatever rounding makes of it
    _got = next_distribution(_s.clone(), 1.0, None, _p)
    assert np.shape(_got) == (2, 4), f"Chances of shape (2, 4) are wanted; yours: {np.shape(_got)}."
    assert np.allclose(_got, _wanted), (
        f"p = {_p:.2f}, chances {_s.exp().numpy()}: {_wanted.round(3)} wanted; yours {_got}."
    )

# %% test="next_distribution" aspect="all three in order" points=1
_tau, _k, _p = 0.7, 3, 0.8
_s = torch.tensor([[0.0, 1, 0.5, -1], [2, 1.9, 1.8, 1.7]]).double()
### BEGIN HIDDEN TESTS
_s = torch.randn(6, 9).double()
for _tau, _k, _p in ((2.0, 5, 0.7), (0.8, 4, 0.9), (1.5, 3, 0.5)):
    _got = next_distribution(_s.clone(), _tau, _k, _p)
    for _row, _line in enumerate(_s.tolist()):
        _best = sorted(range(9), key=lambda v: -_line[v])[:_k]
        _all = sum(math.exp(_line[v] / _tau) for v in _best)
        _kept, _sum = [], 0.0
        for _v in _best:
            if _sum < _p:
                _kept.append(_v)
            _sum += math.exp(_line[_v] / _tau) / _all
        _total = sum(math.exp(_line[v] / _tau) for v in _kept)
        _wanted = [math.exp(_line[v] / _tau) / _total if v in _kept else 0 for v in range(9)]
        assert np.allclose(_got[_row], _wanted), (
            f"tau = {_tau}, k = {_k}, p = {_p}: {np.round(_wanted, 3)} wanted; yours: {_got[_row].numpy().round(3)}."
        )
### END HIDDEN TESTS
_got, _wanted = next_distribution(_s.clone(), _tau, _k, _p), transformer.probabilities(_s, _tau, _k, _p)
assert np.shape(_got) == tuple(_s.shape), f"Chances of shape {tuple(_s.shape)} are wanted; yours: {np.shape(_got)}."
assert np.allclose(_got, _wanted, atol=1e-5), (
    f"tau = {_tau}, k = {_k}, p = {_p}: {_wanted[0]} wanted; yours: {_got[0]}."
)

# %%
prompt = torch.tensor([[number[letter] for letter in "the cook likes t"]])
with torch.no_grad():
    s = writer(prompt)[:, -1].double()
shown = [{" ": "␣", "\n": "¶"}.get(letter, letter) for letter in alphabet]

# %%
_, axes = plt.subplots(figsize=(9, 2.6))
for tau in (0.5, 1, 2):
    axes.plot(shown, next_distribution(s, tau)[0], "o-", label=f"τ = {tau}")
axes.set(xlabel="next letter after 'the cook likes t'", ylabel="chance")
axes.legend()
plt.show()

# %%
_, axes = plt.subplots(figsize=(9, 1.4))
axes.axis("off")
for line, (tau, top_p) in enumerate(((0.5, None), (1, None), (1, 0.8), (2, None))):
    draw = torch.Generator().manual_seed(1)
    letters = writer.generate(prompt, 70, temperature=tau, top_p=top_p, generator=draw)[0]
    written = "".join(alphabet[i] for i in letters).replace("\n", "¶")
    axes.text(0, 0.85 - 0.28 * line, f"τ = {tau:<3} p = {top_p or 1:<3}  {written}", family="monospace", fontsize=10)
plt.show()

# %% [markdown]
# Cold, the likeliest letters take more; hot, rare ones come too. Compare the second line with the third, drawn with the same dice: where did $p = 0.8$ forbid a letter?

# %% [markdown] statement="attend_next"
# ## 17. Remember keys and values
#
# A causal model never changes its past: *keep* keys and values.
#
# - `attend_next(q, k, v, past)`: attention of one new token, $q, k, v$ $[B, H, 1, D]$; `past` is `None` or (keys, values), both $[B, H, t, D]$.
#   Returns $z$ $[B, H, 1, D]$ and the new pair;
# - `reads(m, n)`: prompt of $m$ tokens, $n$ new ones. How many tokens are read in all, (without, with) cache?
# - `cache_bytes(N, B, T, C, size)`: $N$ layers, `size` bytes a number.

# %% [markdown] hints="attend_next"
# 1. The newest token may look at everything there is. Does it need a mask?
# 2. The first new token comes from reading the prompt; the last new token is never read.
# 3. Join old and new along the axis of places; scores are the query times all keys, over the root of $D$; softmax; times all values. For `reads`, add up
#    $m, m + 1, \dots$ over $n$ rounds, against the prompt once and then one at a time.


# %% task="attend_next" points=4 level=3 minutes=15
def attend_next(q, k, v, past):
    """(z [B, H, 1, D], (keys, values) [B, H, t + 1, D]) for the newest token."""
    ### BEGIN SOLUTION
    if past is not None:
        k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
    scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
    return scores.softmax(-1) @ v, (k, v)
    ### END SOLUTION


def reads(m, n):
    """(tokens read without a cache, with a cache)."""
    ### BEGIN SOLUTION
    return sum(m + i for i in range(n)), m + n - 1
    ### END SOLUTION


def cache_bytes(N, B, T, C, size):
    """Bytes for keys and values of B texts of T tokens, width C, in N layers."""
    ### BEGIN SOLUTION
    return 2 * N * B * T * C * size
    ### END SOLUTION


# %% test="attend_next" aspect="one token alone" points=1
_q, _k, _v = torch.randn(3, 2, 2, 1, 4).double()
_got = attend_next(_q, _k, _v, None)
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return (z, (keys, values)); yours: {_got!r}."
assert np.shape(_got[0]) == (2, 2, 1, 4), f"z of shape (2, 2, 1, 4) wanted; yours: {np.shape(_got[0])}."
assert torch.allclose(_got[0], _v), "The first token can only look at itself: z should be its value."
assert torch.equal(_got[1][0], _k) and torch.equal(_got[1][1], _v), "The new pair should hold its key and its value."

# %% test="attend_next" aspect="step by step, all at once" points=1
_B, _H, _T, _D = 2, 2, 5, 4
### BEGIN HIDDEN TESTS
_B, _H, _T, _D = random.randint(2, 3), random.randint(2, 3), random.randint(4, 7), random.randint(5, 6)
### END HIDDEN TESTS
_q, _k, _v = torch.randn(3, _B, _H, _T, _D).double() * 2
_wanted, _past = F.scaled_dot_product_attention(_q, _k, _v, is_causal=True), None
for _t in range(_T):
    _here = [part[:, :, _t : _t + 1] for part in (_q, _k, _v)]
    _z, _past = attend_next(*_here, _past)
    assert np.shape(_z) == (_B, _H, 1, _D), f"z of shape {_B, _H, 1, _D} wanted; yours: {np.shape(_z)}."
    assert np.shape(_past[0]) == np.shape(_past[1]) == (_B, _H, _t + 1, _D), (
        f"Token {_t + 1}: keys and values of {_t + 1} places wanted; yours: {np.shape(_past[0])}, {np.shape(_past[1])}."
    )
    assert torch.allclose(_z[:, :, 0], _wanted[:, :, _t]), (
        f"Token {_t + 1} gets something else than with the whole text."
    )

# %% test="attend_next" aspect="tokens read" points=1
for _m, _n, _wanted in ((1, 1, (1, 1)), (1, 3, (6, 3)), (4, 2, (9, 5))):
    _got = reads(_m, _n)
    assert np.shape(_got) == (2,), f"reads returns two numbers; yours: {_got!r}."
    assert tuple(_got) == _wanted, f"Prompt {_m}, {_n} new: {_wanted} wanted; yours: {tuple(_got)}."
### BEGIN HIDDEN TESTS
_m, _n = random.randint(5, 50), random.randint(5, 50)
assert tuple(reads(_m, _n)) == (len([1 for i in range(_n) for _ in range(_m + i)]), _m + _n - 1), (
    f"Prompt {_m}, {_n} new tokens: not {reads(_m, _n)}."
)
### END HIDDEN TESTS

# %% test="attend_next" aspect="bytes of a cache" points=1
_got = cache_bytes(12, 1, 1024, 768, 2)
assert isinstance(_got, int | float | np.number), f"cache_bytes returns a number; yours: {_got!r}."
assert _got == 37_748_736, f"GPT-2's size, 1,024 tokens, 2 bytes each: 37,748,736 bytes; yours: {_got:,}."
### BEGIN HIDDEN TESTS
for _args in ((3, 5, 7, 11, 2), (2, 3, 4, 5, 4)):
    _got = cache_bytes(*_args)
    assert _got == 2 * math.prod(_args), f"N, B, T, C, size = {_args}: not {_got}."
### END HIDDEN TESTS

# %%
most = budget().choose(grading=160, laptop=512, gpu=512)
model, lengths, times = small(block=2 * most, width=64), [most // 8, most // 3, most], {}
same = []

# %%
for cache in (False, True):
    times[cache] = []
    for n in lengths:
        draw, begin = torch.Generator().manual_seed(1), time.process_time()
        same.append(model.generate(prompt[:, :1], n, cache=cache, generator=draw))
        times[cache].append(time.process_time() - begin)
print("the same tokens:", all(torch.equal(*two) for two in zip(same[:3], same[3:], strict=True)))

# %%
_, (left, right) = plt.subplots(1, 2)
for cache, label in ((False, "without"), (True, "with cache")):
    left.loglog(lengths, times[cache], "o-", label=label)
left.set(xlabel="new tokens", ylabel="CPU seconds")
left.legend()
right.loglog(lengths, [np.divide(*reads(1, n)) for n in lengths], "o-", label="tokens read")
right.loglog(lengths, np.divide(times[False], times[True]), "o-", label="time")
right.set(xlabel="new tokens", ylabel="without / with cache")
right.legend()
for axes in (left, right):
    axes.set_xticks(lengths, lengths)
    axes.minorticks_off()
plt.show()

# %% [markdown]
# The same tokens. The time saved grows with length, but stays behind the count: a step for one token has costs that do not depend on how much is read.

# %% [markdown] statement="bits"
# ## 18. What do 1.25 and 1.07 mean?
#
# On text8, 004 reports bits per character: LSTM 1.25, Transformer **1.07**.
#
# - `slide`: `{"LSTM": ..., "Transformer": ...}`, the same as perplexities per character;
# - `bits(nats, tokens, characters)`: bits per character of a model whose mean loss is so many nats *per token*;
# - `megabytes(bpc, characters)`: the size of a text packed at that rate ($10^6$ bytes of 8 bits).

# %% [markdown] hints="bits"
# 1. How many equally likely letters cost 2 bits each?
# 2. One nat is $1 / \ln 2$ bits. The surprise of the whole text is the same, whatever it is divided by.
# 3. Mean per token times tokens: the whole text. In bits, and per character, it no longer matters what a token was.


# %% task="bits" points=3 level=1 minutes=8
# slide = {"LSTM": a number, "Transformer": a number}
### BEGIN SOLUTION
slide = {"LSTM": 2**1.25, "Transformer": 2**1.07}
### END SOLUTION


def bits(nats, tokens, characters):
    """Bits per character."""
    ### BEGIN SOLUTION
    return nats * tokens / math.log(2) / characters
    ### END SOLUTION


def megabytes(bpc, characters):
    """Size of the packed text in 10^6 bytes."""
    ### BEGIN SOLUTION
    return bpc * characters / 8 / 1e6
    ### END SOLUTION


# %% test="bits" aspect="perplexity of the slide" points=1
assert hasattr(slide, "keys") and {"LSTM", "Transformer"} <= set(slide), f"slide is a dict; yours: {slide!r}."
for _name in ("LSTM", "Transformer"):
    assert isinstance(slide[_name], int | float | np.number), f"slide[{_name!r}] should be a number: {slide!r}."
assert slide["LSTM"] > slide["Transformer"] > 1, f"Fewer bits, smaller perplexity, above 1; yours: {slide!r}."
### BEGIN HIDDEN TESTS
assert math.isclose(slide["LSTM"], 2.3784, rel_tol=3e-3), f"1.25 bits are not a perplexity of {slide['LSTM']}."
assert math.isclose(slide["Transformer"], 2.0994, rel_tol=3e-3), f"1.07 bits: not {slide['Transformer']}."
### END HIDDEN TESTS

# %% test="bits" aspect="nats per token to bits" points=1
_got = bits(math.log(2), 10, 10)
assert isinstance(_got, int | float | np.number), f"bits returns a number; yours: {_got!r}."
assert math.isclose(_got, 1), f"ln 2 nats for each character are 1 bit; yours: {_got}."
_got = bits(math.log(32), 100, 500)
assert math.isclose(_got, 1), (
    f"100 words of 5 characters, 32 equally likely words: 5 bits a word, 1 a character; not {_got}."
)
### BEGIN HIDDEN TESTS
_p, _lengths = np.random.default_rng().uniform(0.05, 0.9, 30), np.random.default_rng().integers(2, 9, 30)
_wanted, _got = -np.log2(_p).sum() / _lengths.sum(), bits(-np.log(_p).mean(), 30, int(_lengths.sum()))
assert math.isclose(_got, _wanted), f"30 random words: {_wanted:.4f} wanted; yours: {_got:.4f}."
### END HIDDEN TESTS

# %% test="bits" aspect="size of the packed text" points=1
_got = megabytes(8, 3_000_000)
assert isinstance(_got, int | float | np.number), f"megabytes returns a number; yours: {_got!r}."
assert math.isclose(_got, 3), f"3 million characters at 8 bits: 3 MB; yours: {_got}."
### BEGIN HIDDEN TESTS
assert math.isclose(megabytes(1.07, 100_000_000), 13.375), f"100 million at 1.07: not {megabytes(1.07, 10**8)}."
### END HIDDEN TESTS

# %%
for name, bpc in (("LSTM", 1.25), ("Transformer", 1.07)):
    print(f"text8, {name}: {slide[name]:.2f} equally likely letters; 100 MB become {megabytes(bpc, 10**8):.1f}")

# %% [markdown]
# And on our text? We go back to words, where the floor and chapter 02's champion wait. Here is its modified Kneser-Ney:

# %% include="02_smoothing:modified_kneser_ney"

# %%
more = budget().choose(grading=0, laptop=300_000, gpu=3_000_000)
training, valid = list(corpus.splits["train"]), corpus.splits["valid"]
if more:
    training += [document.tokens[:-1] for document in kitchen.documents(tokens=more, seed=8)]

# %%
counts = ngrams.NgramCounts(training, 5, ngrams.events(training, 2))  # words seen once are <UNK>
words = counts.vocabulary
word_ids, valid_ids = (torch.from_numpy(row[row != len(words)]) for row in map(counts.encode, (training, valid)))
tables = kneser_ney(counts.levels, len(words))  # noqa: F821, the cell above brings it
champion = ngrams.BackoffModel(counts, *zip(*tables, strict=True))
nats = {"Kneser-Ney 5": -champion.score(valid).mean()}


# %%
class Recurrent(nn.Module):
    """An LSTM between an embedding and the same, transposed; 15C/8 cells make it as large as two blocks."""

    def __init__(self, V, C):
        super().__init__()
        self.embedding = nn.Embedding(V, C)
        nn.init.normal_(self.embedding.weight, std=0.05)
        self.cell, self.out = nn.LSTM(C, 15 * C // 8, batch_first=True), nn.Linear(15 * C // 8, C)

    def forward(self, tokens, targets=None):
        scores = self.out(self.cell(self.embedding(tokens))[0]) @ self.embedding.weight.T
        return scores if targets is None else F.cross_entropy(scores.flatten(0, 1), targets.flatten())


word_rows = valid_ids[: 65 * 40].view(40, 65)
held_out_words = [(word_rows[:, :-1], word_rows[:, 1:])]


def word_windows(step, B=16, T=64):
    starts = np.random.default_rng([18, step]).integers(0, len(word_ids) - T, B)
    places = torch.from_numpy(starts)[:, None] + torch.arange(T)
    return word_ids[places], word_ids[places + 1]


# %%
steps, C = budget().choose(grading=(25, 32), laptop=(600, 64), gpu=(5_000, 256))
config = transformer.TransformerConfig(len(words), layers=2, heads=4, width=C)
models, histories = {}, {}

# %%
for name in ("LSTM", "Transformer"):
    set_seed(1)
    models[name] = model = Recurrent(len(words), C) if name == "LSTM" else transformer.Transformer(config)
    optimiser = adamw(model, 1e-2) if name == "LSTM" else muon(model, model.blocks, 0.02, 1e-2)
    options = {"schedule": warmup_cosine(steps // 10, 0), "every": max(5, steps // 20), "validation": held_out_words}
    options |= {"steps": steps, "optimiser": optimiser, "clock": time.process_time, "device": "cpu"}
    histories[name] = train(model, word_windows, letter_loss, **options)
    nats[name] = loss_with_context(model, valid_ids, 64)
    print(f"{name}: {sum(weight.numel() for weight in model.parameters()):,} weights")

# %%
nats["floor"] = kitchen.floor(kitchen.split("valid"), set(words)).nats
letters = sum(len(word) + 1 for document in valid for word in document) + len(valid)
order = sorted(nats, key=nats.get)
colours = dict(zip(["LSTM", "Transformer", "Kneser-Ney 5", "floor"], plots.COLOURS, strict=False))
per_letter = [bits(nats[name], len(valid_ids), letters) for name in order]

# %%
_, (left, right) = plt.subplots(1, 2, figsize=(9, 2.9))
for name, history in histories.items():
    left.plot(history["seconds"], history["validation loss"], ".-", color=colours[name], label=name)
for name, style in (("Kneser-Ney 5", "--"), ("floor", ":")):
    left.axhline(nats[name], color=colours[name], linestyle=style, label=name)
left.set(xlabel="CPU seconds of training", ylabel="held-out loss (nats per word)")
left.legend()
bars = right.barh(order, per_letter, color=[colours[name] for name in order])
right.bar_label(bars, [f"{math.exp(nats[name]):.3g}" for name in order], padding=3)
right.set(xlabel="bits per character; beside it, perplexity per word", xlim=(0, 1.15 * max(per_letter)))
plt.show()

# %% [markdown]
# Counting is done in a second; networks need time, and short of it they lose. docs/corpora.md has four minutes for each on a longer text: Kneser-Ney 12.1, LSTM 7.7, Transformer 5.6,
# floor 4.9. What is it that attention learns? Ask for the right form of a verb, and for words said before:


# %%
def scores_of(model, asked):
    """Scores [n, V] for the word at each probe, from up to 64 words before it."""
    if model is champion:
        return torch.from_numpy(np.array([champion.context_distribution(probe.prefix) for probe in asked]))
    prefixes = [torch.tensor([counts.index[w] for w in ["</s>", *probe.prefix]][-64:]) for probe in asked]
    padded = nn.utils.rnn.pad_sequence(prefixes, batch_first=True)  # on the right: harmless
    with torch.no_grad():
        return torch.stack([row[len(prefix) - 1] for row, prefix in zip(model(padded), prefixes, strict=True)])


def is_right(probe, row):
    """Copying: the right word is on top. Agreement: the right form is likelier than the other number."""
    right, wrong = (row[[counts.index[word] for word in some]] for some in (probe.right, probe.wrong))
    return bool(right.max() >= row.max()) if probe.wrong == () else bool(right.max() > wrong.max())


# %%
bands = {"1-4": 1, "5-12": 5, "13-30": 13, "31 on": 31}

# %%
_, panels = plt.subplots(1, 2, sharey=True)
for axes, kind in zip(panels, ("agreement", "copying"), strict=True):
    asked = kitchen.probes(kind, tokens=budget().choose(grading=5_000, laptop=30_000, gpu=30_000), seed=13)
    places = np.searchsorted(list(bands.values()), [probe.distance for probe in asked], side="right") - 1
    for name, model in {"Kneser-Ney 5": champion, **models}.items():
        right = np.array([is_right(*two) for two in zip(asked, scores_of(model, asked), strict=True)])
        some = [band for band in range(4) if (places == band).any()]
        shares = [100 * right[places == band].mean() for band in some]
        axes.plot(some, shares, "o-", color=colours[name], label=name)
    axes.set(xlabel="words back", title=kind, ylim=(-3, 103), xlim=(-0.3, 3.3), xticks=range(4), xticklabels=bands)
panels[0].set_ylabel("right (%)")
panels[1].legend()
plt.show()

# %% [markdown]
# Far back, nobody has learned much yet. After four minutes each (docs/corpora.md), LSTM and Transformer both find the verb's number at any distance; but the story's town comes
# back right in 8 % (LSTM) and 100 % (Transformer).
#
# With a GPU, the same code trains 85 million weights:
#
# ```
# python -m lmkit.pretrain --config gpu --out data/runs/gpu
# torchrun --nproc_per_node=2 -m lmkit.pretrain --config gpu --out data/runs/gpu
# ```

# %%
records = sorted((DATA / "runs").glob("*/record.json"))
for record in map(json.loads, (path.read_text() for path in records)):
    print(record["name"], record["machine"]["device"], record["command"], record["results"], sep="\n")
if not records:
    print("data/runs/ holds no record yet: here will stand what the command measured on a GPU.")
