# ---
# title: A causal Transformer, from its parts
# ---

# %% [markdown]
# Attention lets every word look at every other, all at once. The last two language models read word by word, and could not copy a
# name. Can attention *write*?
#
# In this chapter you build a model that does, part by part, and know its size, its cost and its first loss before it has run
# once. Then you train it, down to the floor if your machine allows.

# %%
import math
import random

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

import lmkit
from lmkit import plots
from lmkit.budgets import budget
from lmkit.testing import gradients, parameter_gradients
from lmkit.training import set_seed, train, warmup_cosine

plots.use_style()
torch.set_num_threads(1)  # our networks are small: a second thread costs more than it brings

# %% [markdown]
# We read the kitchen text letter by letter: few symbols, so even a tiny model shows something within seconds.
#
# Letters for shapes: $B$ texts in a batch, $T$ tokens in each, $V$ kinds of token, $C$ numbers for a token (the width), $H$ heads of width
# $D = C / H$, $N$ layers.

# %%
corpus = lmkit.load("kitchen")
text = "\n".join(" ".join(document) for document in corpus.splits["train"])
alphabet = sorted(set(text))
V = len(alphabet)
number = {letter: i for i, letter in enumerate(alphabet)}
ids = torch.tensor([number[letter] for letter in text])
print(f"{len(ids):,} letters, V = {V}:", "".join(alphabet).strip())

# %% [markdown] statement="examples"
# ## 1. Every place is a lesson
#
# One text of $T$ tokens asks $T$ questions (lecture 000): *a quick brown fox jumps over a lazy* goes in, *quick brown fox jumps over a
# lazy dog* should come out.
#
# - `examples(ids, starts, T)`: inputs and targets, both $[B, T]$. Row $b$ of the inputs begins at `starts[b]`; targets are the next
#   tokens.
# - `lm_loss(scores, targets)`: the mean of $-\ln P(\text{target})$ over all $B \cdot T$ places, in nats, from scores $[B, T, V]$.

# %% [markdown] hints="examples"
# 1. How many tokens of `ids` does one row need, inputs and targets together?
# 2. A start is one number, a row is a range of them: a column $[B, 1]$ plus a row $[T]$ gives a table of places.
# 3. torch's cross-entropy takes the *second* axis for the classes. Melt $B$ and $T$ into one axis first, in scores and targets alike.


# %% task="examples" points=3 level=1 minutes=8
def examples(ids, starts, T):
    """(inputs, targets), both [B, T], from token numbers ids: [N] and starts: [B]."""
    ### BEGIN SOLUTION
    places = starts[:, None] + torch.arange(T)
    return ids[places], ids[places + 1]
    ### END SOLUTION


def lm_loss(scores, targets):
    """Mean of -ln P(target), a tensor without axes, from scores [B, T, V] and targets [B, T]."""
    ### BEGIN SOLUTION
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten())
    ### END SOLUTION


# %% test="examples" aspect="targets are one ahead" points=1
_fox = ["a", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog"]
_got = examples(torch.arange(9), torch.tensor([0]), 8)
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return the pair (inputs, targets); yours: {_got!r}."
_inputs, _targets = ([_fox[i] for i in np.ravel(np.asarray(part))] for part in _got)
assert _inputs == _fox[:8], f"Inputs should be the first 8 words; yours: {_inputs}."
assert _targets == _fox[1:], f"Targets should be the last 8 words; yours: {_targets}."
assert tuple(_got[0].shape) == tuple(_got[1].shape) == (1, 8), "One text of 8 words: both have the shape [1, 8]."

# %% test="examples" aspect="each row from its start" points=1
_N, _T, _starts = 20, 4, [3, 0, 15]
### BEGIN HIDDEN TESTS
_N, _T = random.randint(20, 40), random.randint(2, 7)
_starts = [_N - _T - 1, *(random.randrange(_N - _T) for _ in range(3)), 0]
### END HIDDEN TESTS
_ids = torch.from_numpy(np.random.default_rng().permutation(_N))
_got = examples(_ids.clone(), torch.tensor(_starts), _T)
for _side, _name in enumerate(("inputs", "targets")):
    assert tuple(_got[_side].shape) == (len(_starts), _T), (
        f"{len(_starts)} starts, T = {_T}: your {_name} have the shape {tuple(_got[_side].shape)}."
    )
    _wanted = torch.stack([_ids[s + _side : s + _side + _T] for s in _starts])
    assert torch.equal(_got[_side], _wanted), f"N = {_N}, T = {_T}, starts {_starts}: some {_name} are wrong."

# %% test="examples" aspect="mean of all places" points=1
_got = lm_loss(torch.zeros(2, 3, 5), torch.tensor([[0, 1, 2], [3, 4, 0]]))
assert np.shape(_got) == (), f"The loss is one number; yours has the shape {np.shape(_got)}."
assert math.isclose(float(_got), math.log(5), rel_tol=1e-5), (
    f"All 5 tokens alike: ln 5 = 1.609 nats; yours: {float(_got):.4f}."
)
### BEGIN HIDDEN TESTS
for _B, _T, _V in ((2, 3, 4), (3, 4, 4), (1, 5, 2)):
    _s, _x = torch.randn(_B, _T, _V).double() * 3, torch.from_numpy(np.random.default_rng().integers(0, _V, (_B, _T)))
    _costs = [
        math.log(sum(math.exp(v) for v in _s[b, t])) - _s[b, t, _x[b, t]].item() for b in range(_B) for t in range(_T)
    ]
    _got = float(lm_loss(_s.clone(), _x.clone()))
    assert math.isclose(_got, sum(_costs) / len(_costs), rel_tol=1e-6), (
        f"Random scores {_B, _T, _V}: mean {sum(_costs) / len(_costs):.4f} wanted; yours: {_got:.4f}."
    )
### END HIDDEN TESTS


# %%
def batch(step, B=16, T=16):
    """The batch of a step: B texts of T letters, from places drawn with the step as seed."""
    starts = np.random.default_rng([8, step]).integers(0, len(ids) - T, B)
    return examples(ids, torch.from_numpy(starts), T)


# %%
for side in batch(0, B=1):
    print(repr("".join(alphabet[i] for i in side[0])))

# %% [markdown]
# But attention sees the whole input, and the answer to place $t$ stands there, at $t + 1$. We must forbid the look ahead.

# %% [markdown] statement="masked_softmax"
# ## 2. Three ways, one number, and a slide that is wrong
#
# Two lectures hide the future. 004 multiplies, 000 adds $-\infty$ to the scores of later places before the softmax:
#
# $$\text{masked\_softmax}(x, m)_i = \frac{m_i e^{x_i}}{\sum_j m_j e^{x_j}} = \text{softmax}(x + \ln m)_i$$
#
# - `by_hand()`: scores $0, \ln 3, \ln 4$; the third is in the future. Three weights.
# - `masked_softmax(x, m)`: along the last axis; $m$ is 0 or 1. A masked score may be 1,000.
# - `additive_mask(T)`: what 000 adds, $[T, T]$, row $t$ for the asking place.

# %% [markdown]
# Let $a_{it}$ be the weight of input $i$ for place $t = 1, 2, \dots$ Lecture 004 wants $i \le t$, then prints "we could enforce $a_{it} = 0$ for $i \ge t$".
# Set `no_weights` (the place with nothing left to look at) and `sign` (what should stand instead of ≥: `"<"`, `"<="` or
# `">"`).

# %% [markdown] hints="masked_softmax"
# 1. By hand: leave the third out altogether. The two others must share all of the weight.
# 2. May a word look at itself? Read $i \le t$ once more, and write the table for three places on paper.
# 3. $e^{1000}$ is infinite, and infinity times 0 is no number. So remove a masked score *before* the exponential: $\ln 0 = -\infty$.


# %% task="masked_softmax" points=4 level=2 minutes=12
def by_hand():
    """The weights of the three inputs for place 2."""
    ### BEGIN SOLUTION
    return [1 / 4, 3 / 4, 0]
    ### END SOLUTION


def masked_softmax(x, m):
    """Weights like x, zero where m is 0, with sum 1 along the last axis; x and m are tensors of one shape."""
    ### BEGIN SOLUTION
    return torch.softmax(x + torch.log(m), dim=-1)
    ### END SOLUTION


def additive_mask(T):
    """[T, T] of floats: 0 where row t may look, -inf where it may not."""
    ### BEGIN SOLUTION
    return torch.full((T, T), -math.inf).triu(1)
    ### END SOLUTION


# no_weights = a place, counted from 1
# sign = "<", "<=" or ">"
### BEGIN SOLUTION
no_weights = 1
sign = ">"
### END SOLUTION

# %% test="masked_softmax" aspect="three words by hand" points=1
_got = np.ravel(by_hand())
assert _got.shape == (3,), f"by_hand returns three numbers; yours: {by_hand()!r}."
assert math.isclose(_got.sum(), 1, abs_tol=1e-6), (
    f"What is left to look at gets all the weight; your sum: {_got.sum()}."
)
### BEGIN HIDDEN TESTS
assert np.allclose(_got, [1 / 4, 3 / 4, 0], atol=0.006), f"Not {_got}: powers 1 and 3, and the third word left out."
### END HIDDEN TESTS

# %% test="masked_softmax" aspect="hidden scores have no say" points=1
_got = masked_softmax(torch.tensor([[0.0, math.log(3), 1000], [5, 5, 5]]), torch.tensor([[1.0, 1, 0], [1, 1, 1]]))
assert np.shape(_got) == (2, 3), f"Weights of the shape of x, (2, 3), are wanted; yours: {np.shape(_got)}."
assert np.allclose(_got[1], 1 / 3), f"Nothing masked, equal scores: 1/3 each; yours: {_got[1]}."
assert np.allclose(_got[0], [0.25, 0.75, 0]), f"Scores 0, ln 3 and a masked 1,000: .25, .75, 0; yours: {_got[0]}."
### BEGIN HIDDEN TESTS
_x = np.random.default_rng().normal(size=(2, 4, 6)) * 3
_m = np.random.default_rng().integers(0, 2, (2, 4, 6)).astype(float)
_m[..., 2] = 1
_wanted = _m * np.exp(_x) / (_m * np.exp(_x)).sum(-1, keepdims=True)
_got = masked_softmax(torch.from_numpy(_x), torch.from_numpy(_m))
assert np.allclose(_got, _wanted), f"For m = {_m[0, 0]} and x = {_x[0, 0].round(2)} not {_got[0, 0].numpy().round(3)}."
### END HIDDEN TESTS

# %% test="masked_softmax" aspect="zero, and minus infinity above" points=1
for _T in (1, 4):
    _got = additive_mask(_T)
    assert np.shape(_got) == (_T, _T), f"T = {_T}: shape {_T, _T} wanted; yours: {np.shape(_got)}."
    assert torch.is_tensor(_got) and _got.is_floating_point(), (
        f"A tensor of floats is added to scores; yours: {_got!r}."
    )
    for _t in range(_T):
        assert _got[_t, _t] == 0, "A word may look at itself: 0 on the diagonal."
        assert all(v == 0 for v in _got[_t, :_t].tolist()), f"Row {_t}: earlier places are allowed, so 0 there."
        assert all(v == -math.inf for v in _got[_t, _t + 1 :].tolist()), f"Row {_t}: -inf wanted for later places."

# %% test="masked_softmax" aspect="the printed sign" points=1
assert isinstance(no_weights, int | float | np.number), f"no_weights is a place such as 3; yours: {no_weights!r}."
assert str(sign).strip() in ("<", "<=", ">"), f'sign is one of "<", "<=" and ">"; yours: {sign!r}.'
### BEGIN HIDDEN TESTS
assert no_weights == 1, f"Place {no_weights} still has something to look at, or is none. Try the smallest t."
assert str(sign).strip() == ">", f"With a = 0 for i {sign} t, place t would not see just the inputs up to t."
### END HIDDEN TESTS

# %%
x, m = torch.tensor([0, math.log(3), math.log(4)]), torch.tensor([1.0, 1, 0])
print(
    "three ways:",
    by_hand(),
    masked_softmax(x, m).numpy().round(4),
    (x + additive_mask(3)[1]).softmax(0).numpy().round(4),
)

# %% [markdown]
# With ≥, place 1 divides 0 by 0, and no word sees itself. Another slip, 003: "setting softmax to $-\infty$". The *scores* are; the
# softmax becomes 0.


# %%
# JOIN: include from 06
def multi_head(q, k, v, heads, mask):
    """[B, T, C] from q, k, v: [B, T, C]. Each of H heads takes C / H columns; mask [T, T] is added to the scores."""
    B, T, C = q.shape
    q, k, v = (part.view(B, T, heads, C // heads).transpose(1, 2) for part in (q, k, v))  # [B, H, T, D]
    s = q @ k.transpose(2, 3) / math.sqrt(C // heads) + mask  # [B, H, T, T]
    return (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C)


# %% [markdown] statement="Attention"
# ## 3. The mask is nobody's weight
#
# "Do not learn the mask" (004): it belongs to the module but is no parameter. torch calls that a **buffer**: `.to()` moves it along, the optimiser
# never sees it. Write `Attention(width, heads, block)`, for texts of up to `block` tokens:
#
# - `query`, `key` and `value`, linear, $C \to C$ each; then `multi_head`; then `out`, linear, $C \to C$;
# - a buffer `mask`, $[\text{block}, \text{block}]$, which is not saved (`persistent=False`).

# %% [markdown] hints="Attention"
# 1. A text may be shorter than `block`. Which part of the mask does it need?
# 2. `nn.Module` has a method that registers a tensor under a name, and `self.mask` is there from then on.
# 3. `__init__`: four linear layers, the number of heads, the mask. `forward`: three products, the given function with the right corner of
#    the mask, one product more.


# %% task="Attention" points=4 level=2 minutes=15
class Attention(nn.Module):
    """Causal self-attention: each place mixes the values of the places up to its own."""

    def __init__(self, width, heads, block):
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.register_buffer("mask", torch.full((block, block), -math.inf).triu(1), persistent=False)
        ### END SOLUTION

    def forward(self, x):
        """[B, T, C] -> [B, T, C], T at most `block`."""
        ### BEGIN SOLUTION
        T = x.shape[1]
        q, k, v = self.query(x), self.key(x), self.value(x)
        return self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T]))
        ### END SOLUTION


# %% test="Attention" aspect="weights and a buffer" points=1
_layer = Attention(8, 2, 5)
_buffers = {name: tuple(value.shape) for name, value in dict(_layer.named_buffers()).items()}
assert _buffers == {"mask": (5, 5)}, f"One buffer, mask, of shape (5, 5) is wanted; yours: {_buffers}."
_wanted = {f"{_part}.weight": (8, 8) for _part in ("query", "key", "value", "out")}
_wanted |= {f"{_part}.bias": (8,) for _part in ("query", "key", "value", "out")}
_learned = {name: tuple(value.shape) for name, value in dict(_layer.named_parameters()).items()}
assert _learned == _wanted, f"width = 8: parameters {_wanted} wanted; yours: {_learned}."
assert set(dict(_layer.state_dict())) == set(_wanted), "The mask is saved with the weights: it should not be."
_got = dict(_layer.double().named_buffers())["mask"]
assert _got.dtype == torch.float64, "The module was moved to float64 and the mask stayed behind."

# %% test="Attention" aspect="equal to torch's attention" points=1
_B, _T, _H, _D = 2, 5, 2, 4
### BEGIN HIDDEN TESTS
_B, _T, _H, _D = random.randint(2, 3), random.randint(4, 7), random.randint(2, 4), random.randint(2, 4)
### END HIDDEN TESTS
_C = _H * _D
_layer, _x = Attention(_C, _H, _T), torch.randn(_B, _T, _C)
_s = {name: torch.randn(value.shape) for name, value in dict(_layer.named_parameters()).items()}
_layer.load_state_dict(_s, strict=False)
assert tuple(getattr(_layer(_x), "shape", ())) == (_B, _T, _C), f"x of shape {_B, _T, _C}: the same is wanted back."
_q, _k, _v = (
    F.linear(_x, _s[f"{_part}.weight"], _s[f"{_part}.bias"]).view(_B, _T, _H, _D).transpose(1, 2)
    for _part in ("query", "key", "value")
)
_z = F.scaled_dot_product_attention(_q, _k, _v, is_causal=True).transpose(1, 2).reshape(_B, _T, _C)
_wanted = F.linear(_z, _s["out.weight"], _s["out.bias"])
assert torch.allclose(_layer(_x), _wanted, atol=1e-4), (
    f"With given weights, C = {_C}, {_H} heads: not what torch's causal attention gives. Is each layer used once, in its place?"
)

# %% test="Attention" aspect="the past is deaf to the future" points=1
_layer, _x = Attention(6, 2, 7), torch.randn(2, 7, 6)
assert tuple(getattr(_layer(_x), "shape", ())) == (2, 7, 6), "x of shape [2, 7, 6]: the same shape is wanted back."
for _t in (1, 4, 6):
    _other = _x.clone()
    _other[:, _t] += 3
    _change = (_layer(_other) - _layer(_x)).abs().amax((0, 2))
    assert _change[:_t].max() < 1e-6, f"Token {_t} (from 0) was exchanged, and an output before it changed."
    assert _change[_t] > 1e-6, f"Token {_t} (from 0) was exchanged, and its own output did not notice."
    assert (_change[_t:] > 1e-6).all(), f"Token {_t} (from 0) was exchanged; all outputs behind it should notice."

# %% test="Attention" aspect="shorter texts than the block" points=1
_layer, _x = Attention(6, 3, 9), torch.randn(2, 9, 6)
_whole = _layer(_x)
assert tuple(getattr(_whole, "shape", ())) == (2, 9, 6), "x of shape [2, 9, 6]: the same shape is wanted back."
for _T in (1, 2, 5):
    _got = _layer(_x[:, :_T])
    assert tuple(_got.shape) == (2, _T, 6), (
        f"Block 9, a text of {_T}: shape {2, _T, 6} wanted; yours {tuple(_got.shape)}."
    )
    assert torch.allclose(_got, _whole[:, :_T], atol=1e-5), (
        f"The first {_T} tokens alone give something else than as the beginning of 9: step by step and all at once differ."
    )


# %% [markdown]
# What if we forget it? Two networks, one with its mask set to zero:


# %%
class OneLayer(nn.Module):
    """Embedding, positions, your attention, scores."""

    def __init__(self, masked, width=64, T=16):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(V, width), nn.Embedding(T, width)
        self.attention, self.head = Attention(width, 4, T), nn.Linear(width, V)
        if not masked:
            self.attention.mask.zero_()

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight
        return self.head(x + self.attention(x))


# %%
def next_loss(model, batch):
    return lm_loss(model(batch[0]), batch[1]), batch[1].numel()


# %%
steps = budget().choose(grading=200, laptop=1_000, gpu=1_000)
_, axes = plt.subplots()
for masked in (False, True):
    set_seed(1)
    model = OneLayer(masked)
    train(model, batch, next_loss, steps=steps, rate=1e-2, device="cpu", schedule=warmup_cosine(10))
    inputs, targets = batch(10**6, B=500)
    with torch.no_grad():
        losses = F.cross_entropy(model(inputs).transpose(1, 2), targets, reduction="none").mean(0)
    axes.plot(range(1, 17), losses, "o-", label="masked" if masked else "not masked")
axes.set(xlabel="place in the text", ylabel="loss (nats per letter)", ylim=(0, None))
axes.legend()
plt.show()

# %% [markdown]
# Without the mask the loss is nearly zero: the network copies the next letter. Only at the last place, the one that counts when it
# writes, there is nothing to copy, and there it is *worse* than the honest one. A training loss can be too good.

# %% [markdown] statement="layer_norm"
# ## 4. Keep the numbers tame
#
# A Transformer stacks many layers. **LayerNorm** gives each token's $C$ numbers $x$, of mean $\mu$, mean 0 and variance 1, then a learned gain $g$ and bias $b$, both
# $[C]$; $\varepsilon$ is tiny. **GELU** is a ReLU with a soft knee:
#
# $$y = g \star \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} + b, \quad \sigma^2 = \frac1C \sum_c (x_c - \mu)^2 \qquad\quad \text{gelu}(x) = x\, \Phi(x)$$
#
# with $\Phi(x) = \frac12 (1 + \text{erf}(x / \sqrt 2))$. Write both, and `printed_ratio(C)`: lecture 002 divides by `x.std()`, which has
# $C - 1$ instead of $C$. By which factor is its result too large or small ($\varepsilon = 0$, $g = 1$, $b = 0$)?

# %% [markdown] hints="layer_norm"
# 1. Which axis of $[B, T, C]$ holds the numbers of one token?
# 2. torch's `var` and `std` divide by $C - 1$ unless told otherwise.
# 3. Keep the averaged axis, so that shapes fit. The $\varepsilon$ stands *inside* the root. For the ratio, write both results with the same
#    sum of squares; all else cancels.


# %% task="layer_norm" points=4 level=1 minutes=10
def layer_norm(x, gain, bias, eps=1e-5):
    """Each token's numbers normalised: x [..., C], gain [C], bias [C] -> [..., C]."""
    ### BEGIN SOLUTION
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return gain * (x - mean) / torch.sqrt(variance + eps) + bias
    ### END SOLUTION


def gelu(x):
    """x times the probability that a standard normal number is below x, for each entry of a tensor."""
    ### BEGIN SOLUTION
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2
    ### END SOLUTION


def printed_ratio(C):
    """The printed LayerNorm divided by the right one."""
    ### BEGIN SOLUTION
    return math.sqrt((C - 1) / C)
    ### END SOLUTION


# %% test="layer_norm" aspect="mean 0, variance 1 per token" points=1
_one, _zero = torch.ones(2).double(), torch.zeros(2).double()
_got = layer_norm(torch.tensor([[[3.0, 5.0], [700.0, -100.0]]]).double(), _one, _zero)
assert np.shape(_got) == (1, 2, 2), f"x of shape (1, 2, 2): the same is wanted; yours: {np.shape(_got)}."
assert np.allclose(_got, [[[-1, 1], [1, -1]]], atol=1e-4), (
    f"Two numbers become -1 and 1, whatever they were; yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
for _scale, _eps in ((5, 1e-5), (0.01, 1e-4), (0.3, 0.5)):
    _x, _g, _b = torch.randn(3, 4, 6).double() * _scale + 2, torch.randn(6).double(), torch.randn(6).double()
    _wanted = F.layer_norm(_x, (6,), _g, _b, _eps)
    assert torch.allclose(layer_norm(_x.clone(), _g, _b, _eps), _wanted), (
        f"x with spread {_scale}, eps = {_eps}, random gain and bias: not equal to torch's layer_norm."
    )
### END HIDDEN TESTS

# %% test="layer_norm" aspect="gradients through mean and variance" points=1
_x, _g, _b = torch.randn(2, 5).double(), torch.randn(5).double(), torch.randn(5).double()
_found = gradients(layer_norm, _x, _g, _b, 0.1)
_leaves = [part.clone().requires_grad_(True) for part in (_x, _g, _b)]
_wanted = torch.autograd.grad(F.layer_norm(_leaves[0], (5,), *_leaves[1:], 0.1).sum(), _leaves)
for _name, _mine, _theirs in zip(("x", "gain", "bias"), _found, _wanted, strict=True):
    assert torch.allclose(_mine, _theirs), f"The gradient with respect to {_name} is not that of torch's layer_norm."

# %% test="layer_norm" aspect="a soft knee" points=1
_got = gelu(torch.tensor([-40.0, -1.0, 0.0, 1.0, 40.0]).double())
assert np.shape(_got) == (5,), f"Five numbers in, five out; yours: {_got!r}."
assert np.allclose(_got, [0, -0.158655, 0, 0.841345, 40], atol=1e-5), (
    f"gelu(-40, -1, 0, 1, 40) is 0, -.1587, 0, .8413, 40; yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
_x = torch.randn(3, 4).double() * 2
_wanted = [[v * math.erfc(-v / math.sqrt(2)) / 2 for v in row] for row in _x.tolist()]
assert np.allclose(gelu(_x.clone()), _wanted, atol=1e-6), "On random numbers your gelu is off by more than 0.000001."
### END HIDDEN TESTS

# %% test="layer_norm" aspect="how far the print is off" points=1
_got = printed_ratio(2)
assert isinstance(_got, int | float | np.number), f"printed_ratio returns a number; yours: {_got!r}."
_right, _printed = 1.0, 1 / math.sqrt(2)
assert math.isclose(_got, _printed / _right, rel_tol=1e-6), (
    f"C = 2, numbers 3 and 5: ±1 is right, the print gives ±1/√2. Ratio .7071; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _C in (3, 8, 768):
    _x = np.random.default_rng().normal(size=_C)
    _wanted, _got = _x.std() / _x.std(ddof=1), printed_ratio(_C)
    assert math.isclose(_got, _wanted, rel_tol=1e-6), f"C = {_C}: a ratio of {_wanted:.6f} is measured; yours: {_got}."
### END HIDDEN TESTS

# %%
x = torch.linspace(-4, 4, 201)
_, (left, right) = plt.subplots(1, 2)
for name, bend in {"GELU": gelu, "ReLU": torch.relu, "ELU": F.elu}.items():
    left.plot(x, bend(x), label=name)
right.plot(x, 1000 * (F.gelu(x, approximate="tanh") - gelu(x)))
left.set(xlabel="x", ylabel="bend(x)", title="three bends")
right.set(xlabel="x", ylabel="difference (1/1000)", title="tanh formula - GELU")
left.legend()
plt.show()


# %%
class FeedForward(nn.Module):
    """Four times wider, a bend, and back: every token for itself."""

    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):  # [B, T, C] -> [B, T, C]
        return self.down(F.gelu(self.up(x)))


# %% [markdown]
# GELU dips below zero on its way; the cheaper tanh formula errs by half a thousandth at most. `FeedForward` is lecture 004's, with GELU for
# ReLU. Attention moves information between places; this layer works on what has arrived.


# %%
class Mean(nn.Module):
    """Stands in for attention in some checks: the mean of the places so far."""

    def forward(self, x):
        return x.cumsum(1) / torch.arange(1, x.shape[1] + 1)[:, None]


# %%
class Square(nn.Module):
    """Stands in for the feed-forward layer."""

    def forward(self, x):
        return x**2


# %% [markdown] statement="Block"
# ## 5. Where the norm stands
#
# Both layers get a **residual** connection, $+ a$. The norm stands inside the branch or behind the sum. Lecture 003:
#
# > Post-norm (original and here): $b = \text{Module}(\text{LN}(a)) + a$
# >
# > Pre-norm (modern): $b = \text{LN}(\text{Module}(a) + a)$
#
# Its own equations say $z = \text{LN}([\dots] + x_i)$. And 002 prints $\text{LayerNorm}(x + \text{SubLayer}(x))$ above code that returns
# `x + dropout(sublayer(norm(x)))`.

# %% [markdown]
# - `labels`: for `"Module(LN(a)) + a"`, `"LN(Module(a) + a)"` and `"code of 002"` the right name, `"pre"` or `"post"`;
# - `Block(width, attention, feed_forward)`: keeps the two modules under these names, adds `attention_norm` and
#   `feed_forward_norm`, both `nn.LayerNorm(width)`; attention first, pre-norm;
# - `PostBlock`: the same parts, post-norm.

# %% [markdown] hints="Block"
# 1. *Pre*: the norm comes before the module. What then flows from one block to the next without ever being normalised?
# 2. A block is two steps of one kind. The second begins with what the first has returned.
# 3. Two norms, since each has a gain and a bias of its own. `PostBlock` has the same `__init__`; a class can inherit it.


# %% task="Block" points=4 level=2 minutes=15
class Block(nn.Module):
    """Pre-norm: each module reads a normalised copy, and adds to the stream."""

    def __init__(self, width, attention, feed_forward):
        super().__init__()
        ### BEGIN SOLUTION
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward
        ### END SOLUTION

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        ### BEGIN SOLUTION
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))
        ### END SOLUTION


class PostBlock(Block):
    """Post-norm: the sum is normalised."""

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        ### BEGIN SOLUTION
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))
        ### END SOLUTION


# labels = {"Module(LN(a)) + a": ..., "LN(Module(a) + a)": ..., "code of 002": ...}, each "pre" or "post"
### BEGIN SOLUTION
labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "code of 002": "pre"}
### END SOLUTION


# %%
def toy_block(post=False):
    """Your block of width 5 around two simple functions: the mean of the places so far, and the square."""
    return (PostBlock if post else Block)(5, Mean(), Square())


# %% test="Block" aspect="names of the two orders" points=1
assert hasattr(labels, "keys"), f"labels is a dict with three keys; yours: {labels!r}."
for _key in ("Module(LN(a)) + a", "LN(Module(a) + a)", "code of 002"):
    assert labels.get(_key) in ("pre", "post"), f'labels[{_key!r}] should be "pre" or "post"; yours: {labels!r}.'
### BEGIN HIDDEN TESTS
assert labels["Module(LN(a)) + a"] == "pre" and labels["LN(Module(a) + a)"] == "post", (
    "Pre and post say whether the norm comes before the module or behind the sum, not which lecture is older."
)
assert labels["code of 002"] == "pre", "Read the code of 002 from the inside: what happens to x first?"
### END HIDDEN TESTS

# %% test="Block" aspect="pre-norm, by formula" points=1
_block, _x = toy_block(), torch.randn(2, 4, 5)
_names = {f"{norm}.{part}" for norm in ("attention_norm", "feed_forward_norm") for part in ("weight", "bias")}
assert set(dict(_block.state_dict())) == _names, f"Parameters {sorted(_names)} wanted: two norms, each its own."
_s = {name: torch.randn(5) for name in _names}
_block.load_state_dict(_s)
_normal = {n: (_s[f"{n}.weight"], _s[f"{n}.bias"]) for n in ("attention_norm", "feed_forward_norm")}
_past = torch.tril(torch.ones(4, 4)) / torch.arange(1, 5)[:, None]
_h = _x + _past @ F.layer_norm(_x, (5,), *_normal["attention_norm"])
_wanted = _h + F.layer_norm(_h, (5,), *_normal["feed_forward_norm"]) ** 2
_got = _block(_x)
assert tuple(getattr(_got, "shape", ())) == (2, 4, 5), f"Shape (2, 4, 5) wanted back; yours: {_got!r}."
assert torch.allclose(_got, _wanted, atol=1e-4), (
    "With random gains, mean as attention and square as feed-forward: not x + Module(LN(x)), twice."
)

# %% test="Block" aspect="post-norm, by formula" points=1
_block, _x = toy_block(post=True), torch.randn(2, 4, 5) * 3
_got = _block(_x)
assert tuple(getattr(_got, "shape", ())) == (2, 4, 5), f"Shape (2, 4, 5) wanted back; yours: {_got!r}."
assert torch.allclose(_got.mean(2), torch.zeros(2, 4), atol=1e-4), "Behind a post-norm block every token has mean 0."
_s = {name: torch.randn(5) for name in dict(_block.state_dict())}
_block.load_state_dict(_s)
_normal = {n: (_s[f"{n}.weight"], _s[f"{n}.bias"]) for n in ("attention_norm", "feed_forward_norm")}
_past = torch.tril(torch.ones(4, 4)) / torch.arange(1, 5)[:, None]
_h = F.layer_norm(_x + _past @ _x, (5,), *_normal["attention_norm"])
_wanted = F.layer_norm(_h + _h**2, (5,), *_normal["feed_forward_norm"])
assert torch.allclose(_block(_x), _wanted, atol=1e-3), (
    "With random gains, mean as attention and square as feed-forward: not LN(x + Module(x)), twice."
)

# %% test="Block" aspect="the stream carries gradients" points=1
_block, _x = toy_block(), torch.randn(1, 3, 5)
_block.load_state_dict({name: torch.zeros(5) for name in dict(_block.state_dict())})
assert torch.allclose(_block(_x), _x), (
    "Gains and biases at zero, so both modules add 0: pre-norm passes x on unchanged."
)
assert torch.allclose(gradients(_block, _x)[0], torch.ones(1, 3, 5)), "Then the gradient should pass unchanged, too."


# %%
class NoNorm(Block):
    """The same block with norms that do nothing."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self.attention_norm = self.feed_forward_norm = nn.Identity()


# %%
class Silent(nn.Module):
    """Attention that adds nothing."""

    def forward(self, x):
        return torch.zeros_like(x)


# %%
def first_gradient(kind, depth, C=64):
    """Norm of the gradient of the first layer's weights, with `depth` layers up to a random score."""
    set_seed(depth)
    layers = [FeedForward(C) for _ in range(depth)]
    blocks = [kind(C, Silent(), layer) for layer in layers] if kind else layers
    (nn.Sequential(*blocks)(torch.randn(1, 32, C)) * torch.randn(32, C)).mean().backward()
    return layers[0].up.weight.grad.norm().item()


# %%
depths = (1, 2, 4, 6, 8, 12, 16, 24, 32)
_, axes = plt.subplots()
for label, kind in {
    "no residual": None,
    "residual, no norm": NoNorm,
    "post-norm": PostBlock,
    "pre-norm": Block,
}.items():
    axes.semilogy(depths, [first_gradient(kind, depth) for depth in depths], "o-", label=label)
axes.set(xlabel="layers", ylabel="gradient of the first (log)", ylim=(1e-10, 10))
axes.legend()
plt.show()

# %% [markdown]
# Without residuals gradients "quickly fade out" beyond some 5 layers (lecture 000): each layer costs a factor of six. With $+ a$ they come
# through unweakened: $\partial (a + f(a)) / \partial a = I + J$, and the $I$ loses nothing.


# %%
class Gain(nn.Module):
    """Stands in for a block in some checks."""

    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.gain * x


# %% [markdown] statement="Transformer"
# ## 6. The whole model
#
# With $x_i$ the vector of token $i$ plus that of place $i$, lecture 003 stacks blocks: $h_i^k = \text{TransformerBlock}^k(h_i^{k-1}, \dots, h_i^{k-1})$.
# Printed so, all keys and values are one vector and attention does nothing; meant is $(h_1^{k-1}, \dots, h_i^{k-1})$. Write `Transformer(vocabulary, block, width, blocks)`:
#
# - `embedding` $[V, C]$, `positions` $[\text{block}, C]$, both `nn.Embedding`; then `blocks`, a list of modules, in order; then `norm`, an
#   `nn.LayerNorm`;
# - `head`, linear without bias: scores $[B, T, V]$. Its weight *is* that of `embedding` (**tied**).

# %% [markdown] hints="Transformer"
# 1. The first token of every text has place 0, also when a text is shorter than `block`.
# 2. A Python list hides modules: torch finds parameters only in attributes that it knows. There is a list of its own.
# 3. Tied means one tensor under two names, not two with equal numbers: both attributes must hold the *same* object, so that
#    an update of one is an update of the other.


# %% task="Transformer" points=4 level=2 minutes=15
class Transformer(nn.Module):
    """Scores for the next token at each place of texts of up to `block` tokens."""

    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight
        ### END SOLUTION

    def forward(self, tokens):
        """[B, T] -> [B, T, V]"""
        ### BEGIN SOLUTION
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
        ### END SOLUTION


# %%
def toy_model(V, block, C):
    """Your model around two simple blocks: a gain for each column, then the mean of the places so far."""
    return Transformer(V, block, C, [Gain(C), Mean(), Square()])


# %% test="Transformer" aspect="scores by formula" points=1
_V, _T, _C = 7, 4, 3
### BEGIN HIDDEN TESTS
_V, _T, _C = random.randint(6, 9), random.randint(3, 6), random.randint(3, 5)
### END HIDDEN TESTS
_model = toy_model(_V, _T, _C)
_wanted = {"embedding.weight", "positions.weight", "norm.weight", "norm.bias", "blocks.0.gain", "head.weight"}
assert set(dict(_model.state_dict())) == _wanted, (
    f"Names {sorted(_wanted)} wanted; yours: {sorted(dict(_model.state_dict()))}."
)
_s = {name: torch.randn(value.shape) for name, value in dict(_model.state_dict()).items()}
_s["head.weight"] = _s["embedding.weight"]
_model.load_state_dict(_s)
_tokens = torch.randint(_V, (2, _T))
_got = _model(_tokens)
assert tuple(getattr(_got, "shape", ())) == (2, _T, _V), f"Scores of shape {2, _T, _V} wanted; yours: {_got!r}."
_x = (_s["embedding.weight"][_tokens] + _s["positions.weight"]) * _s["blocks.0.gain"]
_x = (_x.cumsum(1) / torch.arange(1, _T + 1)[:, None]) ** 2
_wanted = F.layer_norm(_x, (_C,), _s["norm.weight"], _s["norm.bias"]) @ _s["embedding.weight"].T
assert torch.allclose(_got, _wanted, atol=1e-3), (
    "With given weights and simple blocks your scores are off: embedding + positions, blocks in order, norm, head."
)

# %% test="Transformer" aspect="one matrix at both ends" points=1
_model = toy_model(7, 4, 3)
_state = dict(_model.state_dict())
assert _state["embedding.weight"].shape == (7, 3), (
    f"embedding should be [V, C]; yours: {_state['embedding.weight'].shape}."
)
assert torch.equal(_state["embedding.weight"], _state["head.weight"]), (
    "embedding and head start with different numbers."
)
_learned = dict(_model.named_parameters())
assert sum(value.numel() for value in _learned.values()) == 7 * 3 + 4 * 3 + 3 + 2 * 3, (
    f"V = 7, block = 4, C = 3: one matrix of 21 serves both ends. Yours has { ({n: v.numel() for n, v in _learned.items()}) }."
)

# %% test="Transformer" aspect="the weights of blocks are found" points=1
_model = toy_model(7, 4, 3)
_names = list(dict(_model.named_parameters()))
assert any("gain" in name for name in _names), (
    f"The blocks' own parameters are not among {_names}: nothing would train them."
)
_found = parameter_gradients(_model, torch.tensor([[1, 2, 3]]))
for _name, _value in _found.items():
    assert _value is not None, f"No gradient reaches {_name}."

# %% test="Transformer" aspect="shorter texts begin at place 0" points=1
_model, _tokens = toy_model(7, 6, 3), torch.tensor([[1, 2, 3, 4, 5, 6]])
_whole = _model(_tokens)
assert tuple(getattr(_whole, "shape", ())) == (1, 6, 7), f"Scores of shape (1, 6, 7) wanted; yours: {_whole!r}."
for _T in (1, 3):
    _got = _model(_tokens[:, :_T])
    assert tuple(_got.shape) == (1, _T, 7), (
        f"Block 6, a text of {_T}: shape {1, _T, 7} wanted; yours {tuple(_got.shape)}."
    )
    assert torch.allclose(_got, _whole[:, :_T], atol=1e-4), (
        f"The first {_T} tokens alone do not get places 0 to {_T - 1}."
    )


# %%
class Parts(nn.Module):
    """Modules under the names of the keywords."""

    def __init__(self, **modules):
        super().__init__()
        for name, module in modules.items():
            self.add_module(name, module)


# %% [markdown] statement="initialise"
# ## 7. The first loss
#
# A model that knows nothing should say so: all tokens alike, loss $\ln V$. torch's own start does not. Write `initialise(model, layers)`, which changes
# the model in place, $N$ = `layers`:
#
# - weights of every `nn.Linear` and `nn.Embedding`: normal, standard deviation 0.02; biases of linear layers 0; norms stay as
#   they are;
# - but weights of linear layers called `out` or `down`, which write into the stream: $0.02 / \sqrt{2N}$. There are $2N$ of
#   them, and variances add.

# %% [markdown] hints="initialise"
# 1. `nn.init` has functions that fill a tensor in place.
# 2. `model.named_modules()` gives every module, however deep, with its path, such as `blocks.3.attention.out`.
# 3. Decide by the kind of a module *whether*, and by the last part of its path *how wide*. A layer may have no bias.


# %% task="initialise" points=3 level=2 minutes=10
def initialise(model, layers):
    """Fill the weights of a module that has `layers` blocks; returns nothing."""
    ### BEGIN SOLUTION
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.split(".")[-1] in ("out", "down")
            nn.init.normal_(module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
    ### END SOLUTION


# %%
def toy_start(layers, C=64):
    """The weights of a stand-in for the model, after your `initialise`."""
    blocks = [
        Parts(
            norm=nn.LayerNorm(C),
            attention=Parts(query=nn.Linear(C, C), out=nn.Linear(C, C)),
            feed_forward=Parts(up=nn.Linear(C, 4 * C), down=nn.Linear(4 * C, C)),
        )
        for _ in range(layers)
    ]
    model = Parts(embedding=nn.Embedding(200, C), blocks=nn.ModuleList(blocks), head=nn.Linear(C, 150, bias=False))
    nn.init.ones_(model.head.weight)
    initialise(model, layers)
    return model.state_dict()


# %% test="initialise" aspect="small normal weights" points=1
_state = dict(toy_start(2))
for _name in ("embedding.weight", "head.weight", "blocks.0.attention.query.weight", "blocks.1.feed_forward.up.weight"):
    _values = _state[_name].numpy().ravel()
    assert math.isclose(_values.std(), 0.02, rel_tol=0.1), f"{_name}: deviation .02 wanted; yours: {_values.std():.4f}."
    assert abs(_values.mean()) < 0.002, f"{_name}: mean 0 wanted; yours: {_values.mean():.4f}."
    assert abs(_values).max() > 0.05, f"{_name}: normal numbers reach beyond 2.5 deviations; yours stop before."

# %% test="initialise" aspect="writers start smaller" points=1
for _layers in (2, 8):
    _state = dict(toy_start(_layers))
    for _name in (f"blocks.{_layers - 1}.attention.out.weight", "blocks.0.feed_forward.down.weight"):
        _wanted, _got = 0.02 / math.sqrt(2 * _layers), _state[_name].numpy().std()
        assert math.isclose(_got, _wanted, rel_tol=0.1), (
            f"{_layers} layers, {_name}: deviation {_wanted:.4f} wanted; yours: {_got:.4f}."
        )

# %% test="initialise" aspect="biases zero, norms untouched" points=1
_state = dict(toy_start(2))
for _name, _value in _state.items():
    if _name.endswith("norm.weight"):
        assert (_value == 1).all(), f"{_name}: the gain of a norm should stay 1."
    elif _name.endswith("bias"):
        assert not _value.any(), f"{_name}: a bias should start at 0."


# %%
def gpt(kind=Block, V=V, block=16, layers=2, heads=4, width=64):
    """The whole model, put together of your parts."""
    blocks = [kind(width, Attention(width, heads, block), FeedForward(width)) for _ in range(layers)]
    return Transformer(V, block, width, blocks)


# %%
set_seed(1)
model = gpt()
with torch.no_grad():
    default = lm_loss(model(batch(0)[0]), batch(0)[1])
    initialise(model, 2)
    ours = lm_loss(model(batch(0)[0]), batch(0)[1])
print(f"ln V = {math.log(V):.2f}, first loss {ours:.2f}; with torch's own start {default:.0f}")

# %% [markdown]
# torch draws embeddings with deviation 1. Behind a norm, the product with one of $C = 64$ numbers has deviation 8: the model is sure, and
# wrong. Now the two norms side by side, and none at all:


# %%
def curve(kind, rate, steps, layers=8):
    """Train a deep and narrow model at one constant rate, without clipping; the history."""
    set_seed(1)
    model = gpt(kind, layers=layers, width=32)
    initialise(model, layers)
    return train(
        model, lambda step: batch(step, B=8), next_loss, steps=steps, rate=rate, every=10, clip=None, device="cpu"
    )


# %%
_, axes = plt.subplots()
steps = budget().choose(grading=100, laptop=400, gpu=400)
kinds = {"pre-norm": Block, "post-norm": PostBlock, "no norm": NoNorm}
for (name, kind), style in zip(kinds.items(), ("o-", "s-", "x--"), strict=True):
    history = curve(kind, 3e-3, steps)
    axes.plot(history["step"], history["train loss"], style, label=name)
shares = torch.bincount(ids) / len(ids)
axes.axhline(-(shares * shares.log()).sum(), color="gray", linestyle=":", label="letters alone")
axes.set(xlabel="step", ylabel="loss (nats per letter)", title="8 layers, rate 0.003, no warm-up")
axes.legend()
plt.show()

# %%
for name, kind in kinds.items():
    try:
        curve(kind, 0.2, 30)
        print(name, "at rate 0.2: finite")
    except FloatingPointError:
        print(name, "at rate 0.2: no longer a number")

# %% [markdown]
# Gradients at the start were alike; training tells the two apart. Post-norm is still at the frequencies of letters when pre-norm uses context. Without
# a norm it even goes faster, so well does your start keep the numbers small; at a high rate, only norms keep them finite.

# %% [markdown] statement="count"
# ## 8. Predict, then measure: size and cost
#
# Take $N$ layers with biases, as built here. A product of $[n, a]$ and $[a, b]$ costs $2nab$ operations; count only products.
#
# - `parameters(V, T, C, N)`: dict with `"embedding"`, `"positions"`, `"attention"`, `"feed_forward"`, `"norms"`: all layers together, $T$ =
#   `block`;
# - `flops(V, T, C, N)`: `(rest, square)` for *one* text of $T$ tokens, forward: `square` holds what grows with $T^2$;
# - `guess_square`, first: its share for GPT-2 (50257, 1024, 768, 12), then `measured_square`, by your function.

# %% [markdown] hints="count"
# 1. A linear layer from $a$ to $b$ holds $ab + b$ numbers, and costs $2Tab$ for $T$ tokens. Which six, and how wide?
# 2. How many norms are there in all? Each has a gain and a bias. And tied weights are counted once, but *used* twice, once in
#    a product.
# 3. Two products in a layer have no weights: queries with keys, weights with values. In each head $[T, D]$ meets $[D, T]$; all
#    heads together have $H \cdot D = C$.


# %% task="count" points=4 level=3 minutes=20
def parameters(V, T, C, N):
    """How many numbers each kind of part learns, in all N layers together."""
    ### BEGIN SOLUTION
    return {
        "embedding": V * C,
        "positions": T * C,
        "attention": N * (4 * C * C + 4 * C),
        "feed_forward": N * (8 * C * C + 5 * C),
        "norms": (2 * N + 1) * 2 * C,
    }
    ### END SOLUTION


def flops(V, T, C, N):
    """(operations in products with weights, in products of the T x T tables), one text forward."""
    ### BEGIN SOLUTION
    return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
    ### END SOLUTION


# guess_square = a share between 0 and 1, written down before you count
# measured_square = the share of the second number in the sum of both, for GPT-2
### BEGIN SOLUTION
guess_square = 0.5
rest, square = flops(50257, 1024, 768, 12)
measured_square = square / (rest + square)
### END SOLUTION

# %% test="count" aspect="parameters of each part" points=1
_got = parameters(50257, 1024, 768, 12)
_keys = ["embedding", "positions", "attention", "feed_forward", "norms"]
assert hasattr(_got, "keys") and sorted(_got) == sorted(_keys), (
    f"A dict with the keys {_keys} is wanted; yours: {_got!r}."
)
assert sum(_got.values()) == 124_439_808, (
    f"GPT-2 is known to have 124,439,808 parameters; yours: {sum(_got.values()):,}."
)
### BEGIN HIDDEN TESTS
for _V, _T, _C, _N in ((11, 7, 4, 3), (5, 9, 6, 1), (random.randint(30, 90), 3, 8, 5)):
    _got = parameters(_V, _T, _C, _N)
    _layer = nn.TransformerEncoderLayer(_C, 1, 4 * _C)
    _parts = {"attention": _layer.self_attn, "up": _layer.linear1, "down": _layer.linear2, "norm": _layer.norm1}
    _size = {name: sum(value.numel() for value in part.parameters()) for name, part in _parts.items()}
    _wanted = {"embedding": _V * _C, "positions": _T * _C, "attention": _N * _size["attention"]}
    _wanted |= {"feed_forward": _N * (_size["up"] + _size["down"]), "norms": (2 * _N + 1) * _size["norm"]}
    for _key in _keys:
        assert _got[_key] == _wanted[_key], f"V, T, C, N = {_V, _T, _C, _N}: {_key} is wrong, {_got[_key]}."
### END HIDDEN TESTS

# %% test="count" aspect="products with weights" points=1
_got = flops(50257, 1024, 768, 12)
assert np.shape(_got) == (2,), f"flops returns two numbers; yours: {_got!r}."
assert _got[0] + _got[1] == 291_648_307_200, (
    f"For GPT-2's sizes 291,648,307,200 operations are known; yours in all: {_got[0] + _got[1]:,}."
)
### BEGIN HIDDEN TESTS
for _V, _T, _C, _N in ((11, 7, 4, 3), (5, 9, 6, 1), (random.randint(30, 90), 3, 8, 5)):
    _sizes = [(_C, 3 * _C), (_C, _C), (_C, 4 * _C), (4 * _C, _C)] * _N + [(_C, _V)]
    _wanted, _got = sum(2 * _T * a * b for a, b in _sizes), flops(_V, _T, _C, _N)
    assert _got[0] == _wanted, (
        f"V, T, C, N = {_V, _T, _C, _N}: {_wanted} wanted in products with weights; yours {_got[0]}."
    )
### END HIDDEN TESTS

# %% test="count" aspect="what grows with the square" points=1
_one, _two = flops(10, 8, 4, 3), flops(10, 16, 4, 3)
assert np.shape(_one) == np.shape(_two) == (2,), f"flops returns two numbers; yours: {_one!r}."
assert _two[0] == 2 * _one[0] and _two[1] == 4 * _one[1], (
    f"Twice the length: the first number should double, the second be four times as large; yours: {_one}, {_two}."
)
### BEGIN HIDDEN TESTS
for _T, _C, _N in ((6, 4, 2), (3, 10, 1), (9, 4, 5)):
    _got = flops(10, _T, _C, _N)[1]
    assert _got == _N * 2 * (2 * _T * _C * _T), (
        f"T, C, N = {_T, _C, _N}: two products of T x C x T per layer; not {_got}."
    )
### END HIDDEN TESTS

# %% test="count" aspect="guess and measurement" points=1
for _name, _value in (("guess_square", guess_square), ("measured_square", measured_square)):
    assert isinstance(_value, int | float | np.number), f"{_name} should be a number; yours: {_value!r}."
    assert 0 <= _value <= 1, f"{_name} is a share between 0 and 1; yours: {_value}."
### BEGIN HIDDEN TESTS
assert abs(measured_square - 0.132539) < 5e-5, (
    f"The T x T products are not a share of {measured_square:.4f} of all operations of GPT-2."
)
### END HIDDEN TESTS

# %%
model, tokens = gpt(), torch.zeros(1, 16, dtype=torch.long)
counter = FlopCounterMode(display=False)
with counter, torch.no_grad():
    model(tokens)
print("parameters:", sum(parameters(V, 16, 64, 2).values()), "=", sum(weight.numel() for weight in model.parameters()))
print("operations:", sum(flops(V, 16, 64, 2)), "=", counter.get_total_flops())

# %%
T = 2 ** np.arange(6, 17)
shares = np.array([[flops(0, int(t), 768, 12)[1], flops(0, int(t), 768, 12)[0], 2 * t * 768 * 50257] for t in T]).T
_, axes = plt.subplots()
axes.stackplot(T, 100 * shares / shares.sum(0), labels=["T × T tables", "weights of the layers", "output"], alpha=0.8)
axes.axvline(6 * 768, color="black", linestyle=":")
axes.set(xscale="log", xlabel="T, tokens in a text (log); dotted: 6C", ylabel="operations (%)", xlim=(64, 65536))
axes.legend(loc="center left", facecolor="white", framealpha=0.8, frameon=True)
plt.show()

# %% [markdown]
# The dreaded $O(n^2)$ (lecture 003) is an eighth of GPT-2's work. Only from $T = 6C$ on do the tables cost more than the layers' weights.
# Training costs three times a forward pass: backward makes two products for each one.


# %%
class Patient(nn.Module):
    """A small Transformer with one layer. Do not look at `ill`: measure."""

    def __init__(self, ill, C=32, T=16):
        super().__init__()
        self.ill, self.C = ill, C
        self.embedding, self.positions = nn.Embedding(V, C), nn.Parameter(0.02 * torch.randn(T, C))
        self.qkv, self.out, self.feed_forward = nn.Linear(C, 3 * C), nn.Linear(C, C), FeedForward(C)
        nn.init.normal_(self.embedding.weight, std=1 if ill == 1 else 0.02)
        hidden = torch.full((T, T), -math.inf)
        self.register_buffer(
            "mask", [hidden.triu(1), hidden.triu(1), 0 * torch.ones(T, T), hidden.fill_diagonal_(0)][ill]
        )

    def forward(self, tokens):
        x = self.embedding(tokens) + (0 if self.ill == 3 else self.positions)
        q, k, v = self.qkv(F.layer_norm(x, (self.C,))).chunk(3, -1)
        x = x + self.out(multi_head(q, k, v, 4, self.mask))
        x = x + self.feed_forward(F.layer_norm(x, (self.C,)))
        return F.layer_norm(x, (self.C,)) @ self.embedding.weight.T


# %%
rows = ids[: 8 * 170].view(8, 170)
one_batch = rows[:, :16], rows[:, 1:17]


def batch_loss(model, batch):
    return F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten()), batch[1].numel()


# %%
patients, table = {}, {}
for name, ill in zip("ABCD", random.Random(4).sample(range(4), 4), strict=True):
    set_seed(1)
    patients[name] = Patient(ill)
    history = train(patients[name], lambda _: one_batch, batch_loss, steps=100, rate=1e-2, every=1, device="cpu")
    table[name] = {
        "first loss": history["train loss"].iloc[0],
        "after 100 steps on one batch": history["train loss"].iloc[-1],
    }
pd.DataFrame(table).T.round(1)

# %% [markdown] statement="leaks"
# ## 9. Four patients
#
# Before a long training: is the first loss $\ln V$? Does one batch, again and again, go down to nearly 0? And does any place see
# the future?
#
# - `leaks(model, tokens)`: True if exchanging any *one* token changes a score at an *earlier* place. `model` maps tokens $[B, T]$ to scores
#   $[B, T, V]$; use other tokens of the same $V$.
# - `diagnosis`: for each of `patients` (trained above) one of `"healthy"`, `"starts too sure"`, `"sees the future"`, `"sees no
#   past"`.

# %% [markdown] hints="leaks"
# 1. Which place can have no earlier one? Which tokens must you therefore try, one after the other?
# 2. (token + 1) modulo $V$ is another token. Work on a copy.
# 3. Exchange column $t$, ask the model again, compare only the columns *before* $t$; rounding may differ in the last digits. For the
#    diagnosis, two numbers of the table and your function decide.


# %% task="leaks" points=4 level=3 minutes=15
def leaks(model, tokens):
    """Whether a score depends on a later token."""
    ### BEGIN SOLUTION
    scores = model(tokens)
    for t in range(1, tokens.shape[1]):
        other = tokens.clone()
        other[:, t] = (other[:, t] + 1) % scores.shape[-1]
        if not torch.allclose(model(other)[:, :t], scores[:, :t], atol=1e-6):
            return True
    return False
    ### END SOLUTION


# diagnosis = {"A": ..., "B": ..., "C": ..., "D": ...}
### BEGIN SOLUTION
diagnosis = {"A": "starts too sure", "B": "sees no past", "C": "healthy", "D": "sees the future"}
### END SOLUTION


# %%
def linear_model(W, V=5):
    """Tokens [B, T] -> scores [B, T, V]: place t sums the tokens' one-hot vectors with the weights W[t]."""
    return lambda tokens: torch.einsum("ti,biv->btv", W, F.one_hot(tokens, V).float())


# %% test="leaks" aspect="the past is allowed" points=1
_tokens = torch.tensor([[1, 2, 3, 0, 1, 4]])
for _W in (torch.eye(6), torch.tril(torch.rand(6, 6) + 0.1), torch.zeros(6, 6)):
    _got = leaks(linear_model(_W), _tokens.clone())
    assert _got in (True, False), f"leaks returns True or False; yours: {_got!r}."
    assert not _got, f"This model only uses tokens up to its own place: no leak. Weights of place 5: {_W[4]}."

# %% test="leaks" aspect="every look ahead is found" points=1
_tokens = torch.tensor([[1, 2, 3, 0, 1, 4]])
_got = leaks(linear_model(torch.ones(6, 6)), _tokens.clone())
assert _got in (True, False), f"leaks returns True or False; yours: {_got!r}."
assert _got, "This model sums all tokens at every place, and you found no leak."
### BEGIN HIDDEN TESTS
for _t in range(6):
    for _i in range(_t + 1, 6):
        _W = torch.tril(torch.ones(6, 6))
        _W[_t, _i] = 0.3
        _got = leaks(linear_model(_W), _tokens.clone())
        assert _got in (True,), f"Place {_t + 1} sees token {_i + 1}: you found no leak, but {_got!r}."
### END HIDDEN TESTS

# %% test="leaks" aspect="the right diagnosis" points=2
_ills = {"healthy", "starts too sure", "sees the future", "sees no past"}
assert hasattr(diagnosis, "keys") and sorted(diagnosis) == list("ABCD"), (
    f"diagnosis has the keys A to D; yours: {diagnosis!r}."
)
assert set(diagnosis.values()) <= _ills, (
    f"Each is one of {sorted(_ills)}; yours: {sorted(map(str, diagnosis.values()))}."
)
### BEGIN HIDDEN TESTS
_names = ["healthy", "starts too sure", "sees the future", "sees no past"]
for _name, _ill in zip("ABCD", random.Random(4).sample(range(4), 4), strict=True):
    assert diagnosis[_name] == _names[_ill], f"Patient {_name}: not {diagnosis[_name]!r}. Measure all three once more."
### END HIDDEN TESTS

# %%
set_seed(1)
model = gpt()
initialise(model, 2)
history = train(model, lambda _: one_batch, batch_loss, steps=100, rate=5e-3, every=2, device="cpu")

# %%
_, axes = plt.subplots()
axes.plot(history["step"], history["train loss"], ".-", label="one batch of 8 texts")
axes.axhline(math.log(V), color="gray", linestyle=":", label="ln V")
axes.set(xlabel="step", ylabel="loss (nats per letter)", ylim=(0, 4))
axes.legend()
plt.show()

# %%
print("your model leaks:", leaks(model, one_batch[0]))

# %% [markdown]
# From $\ln V$ to nearly nothing: your model can learn. Whether it learns *language* is the question of the second half.
