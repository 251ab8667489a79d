# ---
# title: A causal Transformer
# ---

# %% [markdown]
# Attention lets every word look at every other, all at once. Chapter 5's language models read word by word, and could not copy a
# name. Can attention *write*?
#
# In this chapter you build a model that does, part by part, and know its size, its cost and its first loss before it has run
# once. Then you train it, down to the floor if your machine allows.

# %% [markdown]
# The slides come from lectures 000 (unsigned), 002 (Fabrizio Silvestri), 003 (Yoav Artzi) and 004 (Benjamin Muller).

# %%
import json
import math
import random
import shutil
import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

import lmkit
from lmkit import kitchen, ngrams, plots, transformer
from lmkit.budgets import budget
from lmkit.optimizers import adamw, muon
from lmkit.paths import DATA
from lmkit.pretrain.evaluate import loss_with_context
from lmkit.testing import (
    arguments_after,
    close,
    gradients,
    is_number,
    laid_out_otherwise,
    parameter_gradients,
    torch_module,
    without_autograd,
)
from lmkit.training import set_seed, train, warmup_cosine

plots.use_style()
torch.set_num_threads(
    1
)  # our networks are small: a second thread costs more than it brings

# %% [markdown]
# We read the kitchen text letter by letter: few symbols, so even a tiny model shows something within seconds.
#
# Letters for shapes: $B$ texts in a batch, $T$ tokens in each, $V$ kinds of token, $C$ numbers for a token (the width), $H$ heads of width
# $D = C / H$, $N$ layers. All through the chapter, what a function is given stays as it is: it returns something new.

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
    """Mean of -ln P(target), without axes, from scores [B, T, V] (even 1,000 beside 0) and targets [B, T], both perhaps views cut out of larger tensors; has a gradient."""
    ### BEGIN SOLUTION
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten())
    ### END SOLUTION


# %% test="examples" aspect="targets are one ahead" points=1
_fox = ["a", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog"]
_got = examples(torch.arange(9), torch.tensor([0]), 8)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return the pair (inputs, targets); yours: {_got!r}."
)
for _side, _name in enumerate(("inputs", "targets")):
    assert np.shape(_got[_side]) == (1, 8), (
        f"One text of 8 words: [1, 8]; your {_name}: {_got[_side]!r}."
    )
    assert close(_got[_side], [range(_side, _side + 8)]), (
        f"Your {_name} should be {' '.join(_fox[_side : _side + 8])!r}, token numbers {list(range(_side, _side + 8))}; "
        f"yours: {_got[_side]}."
    )
### BEGIN HIDDEN TESTS
for _T in (1, 5):
    _ids = torch.from_numpy(np.random.default_rng().permutation(50)[: _T + 1])
    _got = examples(_ids.clone(), torch.tensor([0, 0, 0]), _T)
    for _side, _name in enumerate(("inputs", "targets")):
        assert close(_got[_side], _ids[_side : _side + _T].expand(3, _T)), (
            f"{_T + 1} tokens, T = {_T}, three times from 0: all {_T + 1} are needed, and some {_name} are wrong."
        )
        assert np.asarray(_got[_side]).dtype.kind in "iu", (
            f"Your {_name} are no token numbers: {_got[_side]}."
        )
### END HIDDEN TESTS

# %% test="examples" aspect="each row from its start" points=1
_N, _T, _starts = 20, 4, [3, 0, 15]
### BEGIN HIDDEN TESTS
_N, _T = random.randint(20, 40), random.randint(2, 3)
_starts = [_N - _T - 1, *random.choices(range(_N - _T), k=2), 0, 7, 7]
### END HIDDEN TESTS
_ids = torch.from_numpy(np.random.default_rng().permutation(_N))
_got = examples(_ids.clone(), torch.tensor(_starts), _T)
for _side, _name in enumerate(("inputs", "targets")):
    assert np.shape(_got[_side]) == (len(_starts), _T), (
        f"{len(_starts)} starts, T = {_T}: your {_name} have the shape {np.shape(_got[_side])}."
    )
    _wanted = torch.stack([_ids[s + _side : s + _side + _T] for s in _starts])
    assert close(_got[_side], _wanted), (
        f"N = {_N}, T = {_T}, starts {_starts}: some {_name} are wrong."
    )
### BEGIN HIDDEN TESTS
_after = arguments_after(examples, _ids.clone(), torch.tensor(_starts), _T)
assert close(_after[0], _ids) and close(_after[1], _starts), (
    "ids or starts are changed by your examples."
)
### END HIDDEN TESTS

# %% test="examples" aspect="mean of all places" points=1
_got = lm_loss(torch.zeros(2, 3, 5), torch.tensor([[0, 1, 2], [3, 4, 0]]))
assert np.shape(_got) == (), (
    f"The loss is one number; yours has the shape {np.shape(_got)}."
)
assert close(_got, math.log(5), 1e-5), (
    f"All 5 tokens alike: ln 5 = 1.609 nats; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _B, _T, _V in ((2, 3, 4), (3, 4, 4), (4, 3, 3), (1, 5, 2), (3, 1, 6)):
    _s = torch.randn(_B, _T, _V).double() * 3
    _x = torch.from_numpy(np.random.default_rng().integers(0, _V, (_B, _T)))
    _places = [(b, t) for b in range(_B) for t in range(_T)]
    _costs = [
        math.log(sum(math.exp(v) for v in _s[p])) - _s[p][_x[p]].item() for p in _places
    ]
    _mixed = 1000 * ((torch.arange(_B)[:, None] + torch.arange(_T)) % 2)[..., None]
    for _shift, _where in ((0, "0"), (1000, "1000"), (_mixed, "1000 and 0 in turn")):
        _got = lm_loss(_s + _shift, _x.clone())
        assert close(_got, sum(_costs) / len(_costs), 1e-4, 1e-3), (
            f"Random scores {_B, _T, _V} around {_where}: "
            f"mean {sum(_costs) / len(_costs):.4f} wanted; yours: {_got}."
        )
    _wanted = (_s.softmax(-1) - F.one_hot(_x, _V)) / (_B * _T)
    assert close(gradients(lm_loss, _s, _x)[0], _wanted, 1e-3, 1e-5), (
        "The gradient that your loss sends to the scores is wrong, or none arrives: "
        "nothing could be trained with it."
    )
    _got = laid_out_otherwise(lm_loss, _s, _x)
    assert close(_got, sum(_costs) / len(_costs), 1e-4, 1e-3), (
        "Scores and targets that do not lie row by row in memory, as views cut out of "
        f"larger tensors: {sum(_costs) / len(_costs):.4f} wanted; yours: {_got}."
    )
    _after = arguments_after(lm_loss, _s.clone(), _x.clone())
    assert close(_after[0], _s) and close(_after[1], _x), (
        "Scores or targets are changed by your lm_loss."
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
# - `masked_softmax(x, m)`: along the last axis; $m$ is 0 or 1, in each row somewhere 1. A score may be 1,000, masked or not.
# - `additive_mask(T)`: what 000 adds, $[T, T]$, row $t$ for the asking place; a new tensor with each call.

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
    """Weights like x, zero where m is 0, with sum 1 along the last axis; x and m, of one shape, stay as they are."""
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
_got = by_hand()
assert np.shape(_got) == (3,), f"by_hand returns three numbers; yours: {_got!r}."
assert close(sum(_got), 1, 0, 0.006), (
    f"What is left to look at gets all the weight; yours: {_got}."
)
### BEGIN HIDDEN TESTS
assert close(_got, [1 / 4, 3 / 4, 0], 0, 0.006), (
    f"Not {_got}: powers 1 and 3, and the third word left out."
)
### END HIDDEN TESTS

# %% test="masked_softmax" aspect="hidden scores have no say" points=1
_x = torch.tensor([[0.0, math.log(3), 1000], [5, 5, 5]])
_got = masked_softmax(_x.clone(), torch.tensor([[1.0, 1, 0], [1, 1, 1]]))
assert np.shape(_got) == (2, 3), (
    f"Weights of the shape of x, (2, 3), are wanted; yours: {np.shape(_got)}."
)
assert close(_got[1], [1 / 3] * 3, 0, 1e-5), (
    f"Nothing masked, equal scores: 1/3 each; yours: {_got[1]}."
)
assert close(_got[0], [0.25, 0.75, 0], 0, 1e-5), (
    f"Scores 0, ln 3 and a masked 1,000: .25, .75, 0; yours: {_got[0]}."
)
### BEGIN HIDDEN TESTS
_x = torch.from_numpy(np.random.default_rng().normal(size=(2, 4, 6)) * 3)
_m = torch.from_numpy(np.random.default_rng().integers(0, 2, (2, 4, 6))).double()
_m[..., 2], _m[:, 0, 4], _m[:, 1] = 1, 0, torch.tensor([0, 0, 1, 0, 0, 0])
_wanted = _m * _x.exp() / (_m * _x.exp()).sum(-1, keepdim=True)
for _shift, _high in ((0, 0), (0, 1000), (1000, 0), (-1000, 0)):
    _in = _x + _shift + _high * (1 - _m)
    _got = masked_softmax(_in.clone(), _m.clone())
    assert close(_got, _wanted, 1e-3, 1e-6), (
        f"Random scores around {_shift}, masked ones {_high} higher: yours begin {np.ravel(_got)[:6]}, "
        f"wanted {_wanted[0, 0].numpy().round(3)} for the mask {_m[0, 0].numpy()}."
    )
_in = _x + torch.tensor([1000, 0, -1000, 0])[:, None]
assert close(masked_softmax(_in, _m.clone()), _wanted, 1e-3, 1e-6), (
    "Rows with scores around 1,000, 0 and -1,000 in one x: each row should get what it "
    "gets alone."
)
assert close(masked_softmax(_x[0, 0], _m[0, 0]), _wanted[0, 0], 1e-4, 1e-6), (
    "x with one axis: something else."
)
_after = arguments_after(masked_softmax, _x.clone(), _m.clone())
assert close(_after[0], _x) and close(_after[1], _m), (
    "x or m is changed by your masked_softmax."
)
_got = masked_softmax(torch.zeros(1, 3), torch.ones(1, 3))
assert np.shape(_got) == (1, 3), f"x is [1, 3], so the weights are; yours: {_got}."
### END HIDDEN TESTS

# %% test="masked_softmax" aspect="zero, and minus infinity above" points=1
_sizes = (1, 4)
### BEGIN HIDDEN TESTS
_sizes = (4, 1, 2, 7)
### END HIDDEN TESTS
for _T in _sizes:
    ### BEGIN HIDDEN TESTS
    _call = torch_module("Module")  # a mask is made, then changed by who asked for it
    _call.forward = additive_mask
    torch_module("Sequential", _call, torch_module("Hardtanh", -2, -1, True))(_T)
    ### END HIDDEN TESTS
    _got = additive_mask(_T)
    assert np.shape(_got) == (_T, _T), (
        f"T = {_T}: shape {_T, _T} wanted; yours: {np.shape(_got)}."
    )
    assert torch.is_tensor(_got) and _got.is_floating_point(), (
        f"A tensor of floats is added to scores; yours: {_got!r}."
    )
    for _t in range(_T):
        assert _got[_t, _t] == 0, "A word may look at itself: 0 on the diagonal."
        assert all(v == 0 for v in _got[_t, :_t].tolist()), (
            f"Row {_t}: earlier places are allowed, so 0 there."
        )
        assert all(v == -math.inf for v in _got[_t, _t + 1 :].tolist()), (
            f"Row {_t}: -inf wanted for later places."
        )

# %% test="masked_softmax" aspect="the printed sign" points=1
assert is_number(no_weights), f"no_weights is a place such as 3; yours: {no_weights!r}."
assert str(sign).strip() in ("<", "<=", ">"), (
    f'sign is one of "<", "<=" and ">"; yours: {sign!r}.'
)
### BEGIN HIDDEN TESTS
assert no_weights == 1, (
    f"Place {no_weights} still has something to look at, or is none. Try the smallest t."
)
assert str(sign).strip() == ">", (
    f"With a = 0 for i {sign} t, place t would not see just the inputs up to t."
)
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
def multi_head(q, k, v, heads, mask):
    """Chapter 6's heads: [B, T, C] from q, k, v: [B, T, C]. Each of H heads takes C / H columns; mask [T, T] is added to the scores."""
    B, T, C = q.shape
    q, k, v = (
        part.view(B, T, heads, C // heads).transpose(1, 2) for part in (q, k, v)
    )  # [B, H, T, D]
    s = q @ k.transpose(2, 3) / math.sqrt(C // heads) + mask  # [B, H, T, T]
    return (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C)


# %%
def future_mask(T):
    """What is added to scores [T, T]: 0 up to the asking place, -inf behind it."""
    return torch.full((T, T), -math.inf).triu(1)


# %% [markdown] statement="Attention"
# ## 3. The mask is nobody's weight
#
# "Do not learn the mask" (004): it belongs to the module but is no parameter. torch calls that a **buffer**: `.to()` moves it along, the optimiser
# never sees it. Write `Attention(width, heads, block)`, for texts of up to `block` tokens:
#
# - `query`, `key` and `value`, linear, $C \to C$ each; then `multi_head`; then `out`, linear, $C \to C$;
# - a buffer `mask`, $[\text{block}, \text{block}]$, the given `future_mask(block)`, not saved (`persistent=False`). `forward` adds it
#   as it is, of a shorter text its top left corner, so that whoever exchanges the buffer changes what is seen.

# %% [markdown] hints="Attention"
# 1. A text may be shorter than `block`. Which part of the mask does it need?
# 2. `nn.Module` has a method that registers a tensor under a name, and `self.mask` is there from then on.
# 3. `__init__`: four linear layers, the number of heads, the mask. `forward`: three products, the given function with the top left corner
#    of the mask, one product more.


# %% task="Attention" points=4 level=2 minutes=15
class Attention(nn.Module):
    """Causal self-attention: each place mixes the values of the places up to its own."""

    def __init__(self, width, heads, block):
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.register_buffer("mask", future_mask(block), persistent=False)
        ### END SOLUTION

    def forward(self, x):
        """[B, T, C] -> [B, T, C], T at most `block`."""
        ### BEGIN SOLUTION
        T = x.shape[1]
        q, k, v = self.query(x), self.key(x), self.value(x)
        return self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T]))
        ### END SOLUTION


# %% test="Attention" aspect="weights and a buffer" points=1
_C, _H, _T = 8, 2, 5
### BEGIN HIDDEN TESTS
_C, _H, _T = 9, 3, random.randint(4, 7)
### END HIDDEN TESTS
_layer = Attention(_C, _H, _T)
_buffers = dict(_layer.named_buffers())
_shapes = {name: np.shape(value) for name, value in _buffers.items()}
assert _shapes == {"mask": (_T, _T)}, (
    f"One buffer, mask, of shape {_T, _T} is wanted; yours: {_shapes}."
)
assert close(_buffers["mask"], torch.full((_T, _T), -math.inf).triu(1)), (
    f"The mask should be what future_mask({_T}) gives: 0, and -inf above the diagonal."
)
_wanted = {f"{_part}.weight": (_C, _C) for _part in ("query", "key", "value", "out")}
_wanted |= {f"{_part}.bias": (_C,) for _part in ("query", "key", "value", "out")}
_learned = {
    name: np.shape(value) for name, value in dict(_layer.named_parameters()).items()
}
assert _learned == _wanted, (
    f"width = {_C}: parameters {_wanted} wanted; yours: {_learned}."
)
assert set(dict(_layer.state_dict())) == set(_wanted), (
    "The mask is saved with the weights: it should not be."
)
_got = dict(_layer.double().named_buffers())["mask"]
assert _got.dtype == torch.float64, (
    "The module was moved to float64 and the mask stayed behind."
)

# %% test="Attention" aspect="equal to torch's attention" points=1
_sizes = ((2, 5, 2, 4),)
### BEGIN HIDDEN TESTS
_sizes = ((3, 5, 3, 4), (2, 7, 1, 3), (4, 4, 5, 2), (3, 6, 2, 5))
### END HIDDEN TESTS
for _B, _T, _H, _D in _sizes:
    _C, _parts = _H * _D, ("query", "key", "value", "out")
    _layer, _x = Attention(_C, _H, _T), torch.randn(_B, _T, _C)
    _s = {f"{_part}.weight": torch.randn(_C, _C) / _C**0.5 for _part in _parts}
    _s |= {f"{_part}.bias": torch.randn(_C) for _part in _parts}
    _layer.load_state_dict(_s, strict=False)
    _got = _layer(_x.clone())
    assert np.shape(_got) == (_B, _T, _C), (
        f"x of shape {_B, _T, _C}: the same is wanted back; yours: {_got!r}."
    )
    _in = [
        F.linear(_x, _s[f"{_part}.weight"], _s[f"{_part}.bias"]) for _part in _parts[:3]
    ]
    _q, _k, _v = (part.view(_B, _T, _H, _D).transpose(1, 2) for part in _in)
    _z = (
        F.scaled_dot_product_attention(_q, _k, _v, is_causal=True)
        .transpose(1, 2)
        .reshape(_B, _T, _C)
    )
    assert close(_got, F.linear(_z, _s["out.weight"], _s["out.bias"]), 1e-4, 1e-4), (
        f"With given weights, C = {_C}, {_H} heads: not what torch's causal attention gives. "
        "Is each layer used once, in its place?"
    )
### BEGIN HIDDEN TESTS
_w = {name: value.clone().requires_grad_(True) for name, value in _s.items()}
_in = [F.linear(_x, _w[f"{_part}.weight"], _w[f"{_part}.bias"]) for _part in _parts[:3]]
_q, _k, _v = (part.view(_B, _T, _H, _D).transpose(1, 2) for part in _in)
_z = (
    F.scaled_dot_product_attention(_q, _k, _v, is_causal=True)
    .transpose(1, 2)
    .reshape(_B, _T, _C)
)
F.linear(_z, _w["out.weight"], _w["out.bias"]).sum().backward()
_found = parameter_gradients(_layer, _x)
for _name in _w:
    assert close(_found.get(_name), _w[_name].grad, 1e-3, 1e-3), (
        f"The gradient of {_name} is wrong, or none arrives."
    )
assert close(arguments_after(_layer, _x.clone())[0], _x), (
    "x is changed in place by your attention."
)
### END HIDDEN TESTS

# %% test="Attention" aspect="the past is deaf to the future" points=1
_layer, _x = Attention(6, 2, 7), torch.randn(2, 7, 6)
assert np.shape(_layer(_x)) == (2, 7, 6), (
    "x of shape [2, 7, 6]: the same shape is wanted back."
)
for _t in (1, 4, 6):
    _other = _x.clone()
    _other[:, _t] += 3
    _change = (_layer(_other) - _layer(_x)).abs().amax((0, 2))
    assert _change[:_t].max() < 1e-6, (
        f"Token {_t} (from 0) was exchanged, and an output before it changed."
    )
    assert _change[_t] > 1e-6, (
        f"Token {_t} (from 0) was exchanged, and its own output did not notice."
    )
    assert (_change[_t:] > 1e-6).all(), (
        f"Token {_t} (from 0) was exchanged; all outputs behind it should notice."
    )
### BEGIN HIDDEN TESTS
_layer, _x = Attention(9, 3, 5), torch.randn(3, 5, 9)
_parts = ("query", "key", "value", "out")
_s = {f"{_part}.weight": torch.randn(9, 9) for _part in _parts}
_s |= {f"{_part}.bias": torch.randn(9) for _part in _parts}
_layer.load_state_dict(_s, strict=False)
_in = [F.linear(_x, _s[f"{_part}.weight"], _s[f"{_part}.bias"]) for _part in _parts[:3]]
_q, _k, _v = (part.view(3, 5, 3, 3).transpose(1, 2) for part in _in)
for _open in (
    torch.zeros(5, 5),
    torch.full((5, 5), -math.inf).triu(2),
    torch.randn(5, 5) * 2,
):
    _layer.mask = _open
    _z = (
        F.scaled_dot_product_attention(_q, _k, _v, _open)
        .transpose(1, 2)
        .reshape(3, 5, 9)
    )
    assert close(
        _layer(_x), F.linear(_z, _s["out.weight"], _s["out.bias"]), 1e-3, 1e-3
    ), (
        "Another mask was put into the buffer, and your attention does not add it to the "
        "scores as it is."
    )
### END HIDDEN TESTS

# %% test="Attention" aspect="shorter texts than the block" points=1
_sizes = ((6, 3, 9, (1, 2, 5)),)
### BEGIN HIDDEN TESTS
_sizes = ((6, 3, 9, (1, 2, 5, 8)), (10, 5, 6, (5, 3, 1, 6)))
### END HIDDEN TESTS
for _C, _H, _block, _lengths in _sizes:
    _layer, _x = Attention(_C, _H, _block), torch.randn(2, _block, _C)
    _whole = _layer(_x)
    assert np.shape(_whole) == (2, _block, _C), (
        f"x of shape {2, _block, _C}: the same shape is wanted back."
    )
    for _T in _lengths:
        _got = _layer(_x[:, :_T])
        assert np.shape(_got) == (2, _T, _C), (
            f"Block {_block}, a text of {_T}: shape {2, _T, _C} wanted; yours {np.shape(_got)}."
        )
        assert close(_got, _whole[:, :_T], 1e-4, 1e-5), (
            f"The first {_T} tokens alone give something else than as the beginning of {_block}: "
            "step by step and all at once differ."
        )
### BEGIN HIDDEN TESTS
_layer, _x = Attention(9, 3, 6), torch.randn(2, 6, 9)
_parts = ("query", "key", "value", "out")
_s = {f"{_part}.weight": torch.randn(9, 9) for _part in _parts}
_s |= {f"{_part}.bias": torch.randn(9) for _part in _parts}
_layer.load_state_dict(_s, strict=False)
_layer.mask = _other = torch.randn(6, 6) * 2
for _T in (4, 1, 5, 6):
    _in = [
        F.linear(_x[:, :_T], _s[f"{_part}.weight"], _s[f"{_part}.bias"])
        for _part in _parts[:3]
    ]
    _q, _k, _v = (part.view(2, _T, 3, 3).transpose(1, 2) for part in _in)
    _z = F.scaled_dot_product_attention(_q, _k, _v, _other[:_T, :_T])
    _z = _z.transpose(1, 2).reshape(2, _T, 9)
    _wanted = F.linear(_z, _s["out.weight"], _s["out.bias"])
    assert close(_layer(_x[:, :_T]), _wanted, 1e-3, 1e-3), (
        f"Another mask in the buffer, block 6, a text of {_T}: your attention does not add "
        "the mask's top left corner."
    )
### END HIDDEN TESTS

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
steps = budget().choose(grading=120, laptop=1_000, gpu=1_000)
_, axes = plt.subplots()
for masked in (False, True):
    set_seed(1)
    model = OneLayer(masked)
    train(
        model,
        batch,
        next_loss,
        steps=steps,
        rate=1e-2,
        device="cpu",
        schedule=warmup_cosine(10),
    )
    inputs, targets = batch(10**6, B=500)
    with torch.no_grad():
        losses = F.cross_entropy(
            model(inputs).transpose(1, 2), targets, reduction="none"
        ).mean(0)
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
    """Each token's numbers normalised: x [..., C], gain [C], bias [C] -> [..., C]. Also for 1,000.1, 1,000.2, ..."""
    ### BEGIN SOLUTION
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return gain * (x - mean) / torch.sqrt(variance + eps) + bias
    ### END SOLUTION


def gelu(x):
    """x times the probability that a standard normal number is below x, for each entry of a tensor; gradients pass."""
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
assert np.shape(_got) == (1, 2, 2), (
    f"x of shape (1, 2, 2): the same is wanted; yours: {np.shape(_got)}."
)
assert close(_got, [[[-1, 1], [1, -1]]], 0, 1e-4), (
    f"Two numbers become -1 and 1, whatever they were; yours: {np.asarray(_got).tolist()}."
)
### BEGIN HIDDEN TESTS
for _shape, _scale, _more in (
    ((3, 4, 6), 5, (1e-5,)),
    ((4, 3), 0.01, (1e-4,)),
    ((5,), 0.3, (0.5,)),
    ((2, 4, 3, 7), 0.004, ()),
):
    _x, _C = torch.randn(_shape).double() * _scale + 2, _shape[-1]
    _g, _b = torch.randn(_C).double(), torch.randn(_C).double()
    _wanted = F.layer_norm(_x, (_C,), _g, _b, *_more)
    assert close(
        layer_norm(_x.clone(), _g.clone(), _b.clone(), *_more), _wanted, 1e-3, 1e-4
    ), (
        f"x of shape {_shape} and spread {_scale}, eps = {_more[0] if _more else 'not given'}, random gain and bias: "
        "not equal to torch's layer_norm."
    )
    _after = arguments_after(layer_norm, _x.clone(), _g.clone(), _b.clone())
    assert close(_after[0], _x), "x is changed in place by your layer_norm."
    assert close(_after[1], _g) and close(_after[2], _b), (
        "Gain or bias is changed in place by your layer_norm."
    )
_x = 1000 + 0.1 * torch.randn(5, 32)
_wanted = F.layer_norm(_x.double(), (32,))
assert close(
    layer_norm(_x.clone(), torch.ones(32), torch.zeros(32)), _wanted, 0, 0.02
), (
    "float32 numbers like 1,000.1 and 1,000.2: digits are lost. Subtract the mean before you square."
)
### END HIDDEN TESTS

# %% test="layer_norm" aspect="gradients through mean and variance" points=1
_shape = (2, 5)
### BEGIN HIDDEN TESTS
_shape = (3, 2, 5)
### END HIDDEN TESTS
_x, _g, _b = (
    torch.randn(_shape).double(),
    torch.randn(5).double(),
    torch.randn(5).double(),
)
_found = gradients(layer_norm, _x, _g, _b, 0.1)
_leaves = [part.clone().requires_grad_(True) for part in (_x, _g, _b)]
_wanted = torch.autograd.grad(
    F.layer_norm(_leaves[0], (5,), *_leaves[1:], 0.1).sum(), _leaves
)
assert len(_found) == 3, "Gradients for x, gain and bias are wanted."
for _name, _mine, _theirs in zip(("x", "gain", "bias"), _found, _wanted, strict=True):
    assert close(_mine, _theirs, 1e-4, 1e-5), (
        f"The gradient with respect to {_name} is not that of torch's layer_norm."
    )

# %% test="layer_norm" aspect="a soft knee" points=1
_got = gelu(torch.tensor([-40.0, -1.0, 0.0, 1.0, 40.0]).double())
assert np.shape(_got) == (5,), f"Five numbers in, five out; yours: {_got!r}."
assert close(_got, [0, -0.158655, 0, 0.841345, 40], 1e-5, 1e-5), (
    f"gelu(-40, -1, 0, 1, 40) is 0, -.1587, 0, .8413, 40; yours: {np.asarray(_got).tolist()}."
)
### BEGIN HIDDEN TESTS
_x = torch.randn(3, 4).double() * 2
_x[1, 2] = 2.2  # where the tanh formula is off by 0.0004
_wanted = [[v * math.erfc(-v / math.sqrt(2)) / 2 for v in row] for row in _x.tolist()]
assert close(gelu(_x.clone()), _wanted, 1e-5, 1e-5), (
    "On random numbers your gelu is off by more than 0.00001."
)
_leaf = _x.clone().requires_grad_(True)
F.gelu(_leaf).sum().backward()
assert close(gradients(gelu, _x)[0], _leaf.grad, 1e-4, 1e-5), (
    "The slope of your gelu is wrong: x counts twice, as a factor and in its chance."
)
assert close(arguments_after(gelu, _x.clone())[0], _x), (
    "x is changed in place by your gelu."
)
### END HIDDEN TESTS

# %% test="layer_norm" aspect="how far the print is off" points=1
_got = printed_ratio(2)
assert is_number(_got), f"printed_ratio returns a number; yours: {_got!r}."
assert close(_got, 1 / math.sqrt(2), 1e-5), (
    f"C = 2, numbers 3 and 5: ±1 is right, the print gives ±1/√2. Ratio .7071; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _C in (3, 8, 768):
    _x = np.random.default_rng().normal(size=_C)
    _wanted, _got = _x.std() / _x.std(ddof=1), printed_ratio(_C)
    assert close(_got, _wanted, 1e-5), (
        f"C = {_C}: a ratio of {_wanted:.6f} is measured; yours: {_got}."
    )
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
# - `Block(width, attention, feed_forward)`: keeps the two modules under these names (so that torch finds their weights), adds `attention_norm` and
#   `feed_forward_norm`, both `nn.LayerNorm(width)`; attention first, pre-norm. `forward` uses what stands under the four names: `NoNorm` below exchanges norms;
# - `PostBlock`: the same parts, post-norm.

# %% [markdown] hints="Block"
# 1. *Pre*: the norm comes before the module. What then flows from one block to the next without ever being normalised?
# 2. A block is two steps of one kind. The second begins with what the first has returned.
# 3. Two norms, since each has a gain and a bias of its own. `PostBlock` has the same `__init__`; a class can inherit it.


# %% task="Block" points=4 level=2 minutes=15
class Block(nn.Module):
    """Pre-norm: each module reads a normalised copy, and adds to the stream. The x handed over stays as it is."""

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

# %% test="Block" aspect="names of the two orders" points=1
assert hasattr(labels, "keys"), f"labels is a dict with three keys; yours: {labels!r}."
for _key in ("Module(LN(a)) + a", "LN(Module(a) + a)", "code of 002"):
    assert labels.get(_key) in ("pre", "post"), (
        f'labels[{_key!r}] should be "pre" or "post"; yours: {labels!r}.'
    )
### BEGIN HIDDEN TESTS
assert labels["Module(LN(a)) + a"] == "pre" and labels["LN(Module(a) + a)"] == "post", (
    "Pre and post say whether the norm comes before the module or behind the sum, not which lecture is older."
)
assert labels["code of 002"] == "pre", (
    "Read the code of 002 from the inside: what happens to x first?"
)
### END HIDDEN TESTS

# %% test="Block" aspect="pre-norm, by formula" points=1
_B, _T, _C = 2, 4, 5
### BEGIN HIDDEN TESTS
_B, _T, _C = 3, random.randint(4, 6), 7
### END HIDDEN TESTS
_mixer, _each = torch_module("Conv1d", _T, _T, 1), torch_module("Linear", _C, _C)
_block, _x = Block(_C, _mixer, _each), torch.randn(_B, _T, _C)
_shapes = {"attention.weight": (_T, _T, 1), "attention.bias": (_T,)}
_shapes |= {"feed_forward.weight": (_C, _C), "feed_forward.bias": (_C,)}
_shapes |= {
    f"{norm}.{part}": (_C,)
    for norm in ("attention_norm", "feed_forward_norm")
    for part in ("weight", "bias")
}
_names = set(dict(_block.state_dict()))
assert set(_shapes) <= _names, (
    f"Weights {sorted(_shapes)} wanted: both modules, and two norms, each its own; yours: {sorted(_names)}."
)
_s = {name: torch.randn(shape) for name, shape in _shapes.items()}
_block.load_state_dict(_s, strict=False)
_in = F.layer_norm(_x, (_C,), _s["attention_norm.weight"], _s["attention_norm.bias"])
_h = _x + F.conv1d(_in, _s["attention.weight"], _s["attention.bias"])
_in = F.layer_norm(
    _h, (_C,), _s["feed_forward_norm.weight"], _s["feed_forward_norm.bias"]
)
_wanted = _h + F.linear(_in, _s["feed_forward.weight"], _s["feed_forward.bias"])
_got = _block(_x.clone())
assert np.shape(_got) == (_B, _T, _C), (
    f"Shape {_B, _T, _C} wanted back; yours: {_got!r}."
)
assert close(_got, _wanted, 1e-3, 1e-3), (
    "With random gains and random linear maps as modules: not x + Module(LN(x)), twice."
)
### BEGIN HIDDEN TESTS
assert close(arguments_after(_block, _x.clone())[0], _x), (
    "x itself is changed by your block: x += ... does that."
)
_block.attention_norm = torch_module("Softplus")
_block.feed_forward = torch_module("Tanh")
_h = _x + F.conv1d(F.softplus(_x), _s["attention.weight"], _s["attention.bias"])
_in = F.layer_norm(
    _h, (_C,), _s["feed_forward_norm.weight"], _s["feed_forward_norm.bias"]
)
_wanted = _h + _in.tanh()
assert close(_block(_x), _wanted, 1e-3, 1e-3), (
    "attention_norm and feed_forward were exchanged for other modules, and your block "
    "does not use them."
)
_block.attention = torch_module("Sigmoid")
_block.feed_forward_norm = torch_module("Softplus")
_h = _x + F.softplus(_x).sigmoid()
_wanted = _h + F.softplus(_h).tanh()
assert close(_block(_x), _wanted, 1e-3, 1e-3), (
    "attention and feed_forward_norm were exchanged for other modules, and your block "
    "does not use them."
)
_got = Block(4, torch_module("Identity"), torch_module("Identity"))(
    torch.randn(1, 3, 4)
)
assert np.shape(_got) == (1, 3, 4), (
    f"x is [1, 3, 4], so the result is; yours: {np.shape(_got)}."
)
### END HIDDEN TESTS

# %% test="Block" aspect="post-norm, by formula" points=1
_B, _T, _C = 2, 4, 5
### BEGIN HIDDEN TESTS
_B, _T, _C = 3, random.randint(4, 6), 7
### END HIDDEN TESTS
_mixer, _each = torch_module("Conv1d", _T, _T, 1), torch_module("Linear", _C, _C)
_block, _x = PostBlock(_C, _mixer, _each), torch.randn(_B, _T, _C) * 3
_got = _block(_x.clone())
assert np.shape(_got) == (_B, _T, _C), (
    f"Shape {_B, _T, _C} wanted back; yours: {_got!r}."
)
assert close(_got.mean(2), torch.zeros(_B, _T), 0, 1e-4), (
    "Behind a post-norm block every token has mean 0."
)
_shapes = {"attention.weight": (_T, _T, 1), "attention.bias": (_T,)}
_shapes |= {"feed_forward.weight": (_C, _C), "feed_forward.bias": (_C,)}
_shapes |= {
    f"{norm}.{part}": (_C,)
    for norm in ("attention_norm", "feed_forward_norm")
    for part in ("weight", "bias")
}
_names = set(dict(_block.state_dict()))
assert set(_shapes) <= _names, (
    f"The same parts as in Block, {sorted(_shapes)}, are wanted; yours: {sorted(_names)}."
)
_s = {name: torch.randn(shape) for name, shape in _shapes.items()}
_block.load_state_dict(_s, strict=False)
_h = _x + F.conv1d(_x, _s["attention.weight"], _s["attention.bias"])
_h = F.layer_norm(_h, (_C,), _s["attention_norm.weight"], _s["attention_norm.bias"])
_h = _h + F.linear(_h, _s["feed_forward.weight"], _s["feed_forward.bias"])
_wanted = F.layer_norm(
    _h, (_C,), _s["feed_forward_norm.weight"], _s["feed_forward_norm.bias"]
)
assert close(_block(_x), _wanted, 1e-3, 1e-3), (
    "With random gains and random linear maps as modules: not LN(x + Module(x)), twice."
)
### BEGIN HIDDEN TESTS
assert close(arguments_after(_block, _x.clone())[0], _x), (
    "x itself is changed by your block: x += ... does that."
)
_block.attention_norm = torch_module("Softplus")
_block.feed_forward = torch_module("Tanh")
_h = F.softplus(_x + F.conv1d(_x, _s["attention.weight"], _s["attention.bias"]))
_wanted = F.layer_norm(
    _h + _h.tanh(), (_C,), _s["feed_forward_norm.weight"], _s["feed_forward_norm.bias"]
)
assert close(_block(_x), _wanted, 1e-3, 1e-3), (
    "attention_norm and feed_forward were exchanged for other modules, and your block "
    "does not use them."
)
_block.attention = torch_module("Sigmoid")
_block.feed_forward_norm = torch_module("Softplus")
_h = F.softplus(_x + _x.sigmoid())
_wanted = F.softplus(_h + _h.tanh())
assert close(_block(_x), _wanted, 1e-3, 1e-3), (
    "attention and feed_forward_norm were exchanged for other modules, and your block "
    "does not use them."
)
### END HIDDEN TESTS

# %% test="Block" aspect="the stream carries gradients" points=1
_block = Block(
    5,
    torch_module("Conv1d", 3, 3, 1, bias=False),
    torch_module("Linear", 5, 5, bias=False),
)
_norms, _x = ("attention_norm", "feed_forward_norm"), torch.randn(2, 3, 5)
_zeros = {
    f"{norm}.{part}": torch.zeros(5) for norm in _norms for part in ("weight", "bias")
}
_block.load_state_dict(_zeros, strict=False)
assert close(_block(_x), _x, 0, 1e-6), (
    "Gains and biases at zero, so both modules add 0: pre-norm passes x on unchanged."
)
assert close(gradients(_block, _x)[0], torch.ones(2, 3, 5), 0, 1e-6), (
    "Then the gradient should pass unchanged, too."
)
### BEGIN HIDDEN TESTS
_s = {name: torch.randn(5) for name in _zeros}
_s |= {
    "attention.weight": torch.randn(3, 3, 1),
    "feed_forward.weight": torch.randn(5, 5),
}
_block.load_state_dict(_s, strict=False)
_w = {
    name: value.clone().requires_grad_(True) for name, value in {**_s, "x": _x}.items()
}
_normal = {norm: ((5,), _w[f"{norm}.weight"], _w[f"{norm}.bias"]) for norm in _norms}
_h = _w["x"] + F.conv1d(
    F.layer_norm(_w["x"], *_normal["attention_norm"]), _w["attention.weight"]
)
_h = _h + F.layer_norm(_h, *_normal["feed_forward_norm"]) @ _w["feed_forward.weight"].T
_h.sum().backward()
assert close(gradients(_block, _x)[0], _w["x"].grad, 1e-3, 1e-3), (
    "Random gains: the gradient that reaches x is wrong."
)
_found = parameter_gradients(_block, _x)
for _name in _s:
    assert close(_found.get(_name), _w[_name].grad, 1e-3, 1e-3), (
        f"The gradient of {_name} is wrong, or none arrives."
    )
### END HIDDEN TESTS


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
    (
        nn.Sequential(*blocks)(torch.randn(1, 32, C)) * torch.randn(32, C)
    ).mean().backward()
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
    axes.semilogy(
        depths, [first_gradient(kind, depth) for depth in depths], "o-", label=label
    )
axes.set(xlabel="layers", ylabel="gradient of the first (log)", ylim=(1e-10, 10))
axes.legend()
plt.show()

# %% [markdown]
# Without residuals gradients "quickly fade out" beyond some 5 layers (lecture 000): each layer costs a factor of six. With $+ a$ they come
# through unweakened: $\partial (a + f(a)) / \partial a = I + J$, and the $I$ loses nothing.

# %% [markdown] statement="Transformer"
# ## 6. The whole model
#
# With $x_i$ the vector of token $i$ plus that of place $i$, lecture 003 stacks blocks: $h_i^k = \text{TransformerBlock}^k(h_i^{k-1}, \dots, h_i^{k-1})$.
# Printed so, all keys and values are one vector and attention does nothing; meant is $(h_1^{k-1}, \dots, h_i^{k-1})$. Write `Transformer(vocabulary, block, width, blocks)`:
#
# - `embedding` $[V, C]$, `positions` $[\text{block}, C]$, both `nn.Embedding`; then `blocks`, a list of modules, in order (a module may stand there
#   twice); then `norm`, an `nn.LayerNorm`;
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


# %% test="Transformer" aspect="scores by formula" points=1
_V, _T, _C = 7, 4, 3
### BEGIN HIDDEN TESTS
_V, _T, _C = random.sample(range(4, 10), 3)
### END HIDDEN TESTS
_parts = [
    torch_module("Linear", _C, _C),
    torch_module("Softplus"),
    torch_module("Conv1d", _T, _T, 1),
]
_model = Transformer(_V, _T, _C, _parts)
_shapes = {
    "embedding.weight": (_V, _C),
    "positions.weight": (_T, _C),
    "norm.weight": (_C,),
    "norm.bias": (_C,),
}
_shapes |= {
    "blocks.0.weight": (_C, _C),
    "blocks.0.bias": (_C,),
    "blocks.2.weight": (_T, _T, 1),
}
_shapes |= {"blocks.2.bias": (_T,), "head.weight": (_V, _C)}
_names = set(dict(_model.state_dict()))
assert set(_shapes) <= _names, (
    f"Weights {sorted(_shapes)} wanted; yours: {sorted(_names)}."
)
_s = {name: torch.randn(shape) for name, shape in _shapes.items()}
_s["head.weight"] = _s["embedding.weight"]
_model.load_state_dict(_s, strict=False)
_tokens = torch.randint(_V, (3, _T))
_got = _model(_tokens)
assert np.shape(_got) == (3, _T, _V), (
    f"Scores of shape {3, _T, _V} wanted; yours: {_got!r}."
)
_x = _s["embedding.weight"][_tokens] + _s["positions.weight"]
_x = F.softplus(F.linear(_x, _s["blocks.0.weight"], _s["blocks.0.bias"]))
_x = F.conv1d(_x, _s["blocks.2.weight"], _s["blocks.2.bias"])
_wanted = (
    F.layer_norm(_x, (_C,), _s["norm.weight"], _s["norm.bias"])
    @ _s["embedding.weight"].T
)
assert close(_got, _wanted, 1e-3, 1e-2), (
    "With given weights and simple blocks your scores are off: embedding + positions, blocks in order, norm, head."
)
### BEGIN HIDDEN TESTS
assert close(arguments_after(_model, _tokens.clone())[0], _tokens), (
    "The tokens are changed by your model."
)
_twice = torch_module("Linear", _C, _C)
_twice.load_state_dict({"weight": torch.randn(_C, _C), "bias": torch.randn(_C)})
_list = arguments_after(Transformer, _V, _T, _C, [_twice, _twice, _parts[1]])[3]
assert len(_list) == 3, (
    f"A list of three blocks was handed over; after your Transformer it holds {len(_list)}."
)
_model = Transformer(_V, _T, _C, [_twice, _parts[1], _twice])
_linear = dict(_twice.state_dict())
_model.load_state_dict(
    {key: _s[key] for key in _s if not key.startswith("blocks")}, strict=False
)
_x = _s["embedding.weight"][_tokens] + _s["positions.weight"]
_x = F.softplus(F.linear(_x, _linear["weight"], _linear["bias"]))
_x = F.linear(_x, _linear["weight"], _linear["bias"])
_x = F.layer_norm(_x, (_C,), _s["norm.weight"], _s["norm.bias"])
assert close(_model(_tokens), _x @ _s["embedding.weight"].T, 1e-3, 1e-2), (
    "One module was given as first and as third block: your scores are not those of "
    "three blocks in order."
)
### END HIDDEN TESTS

# %% test="Transformer" aspect="one matrix at both ends" points=1
_V, _block, _C = 7, 4, 3
### BEGIN HIDDEN TESTS
_V, _block, _C = 11, 5, 6
### END HIDDEN TESTS
_model = Transformer(_V, _block, _C, [torch_module("Linear", _C, _C)])
_state = dict(_model.state_dict())
assert np.shape(_state["embedding.weight"]) == (_V, _C), (
    f"embedding should be [V, C]; yours: {np.shape(_state['embedding.weight'])}."
)
assert close(_state["embedding.weight"], _state["head.weight"]), (
    "embedding and head start with different numbers."
)
_learned = {
    name: value.numel() for name, value in dict(_model.named_parameters()).items()
}
_wanted = _V * _C + _block * _C + (_C * _C + _C) + 2 * _C
assert sum(_learned.values()) == _wanted, (
    f"V = {_V}, block = {_block}, C = {_C}, one block of {_C * _C + _C}: {_wanted} numbers in all, for one matrix of "
    f"{_V * _C} serves both ends. Yours has {_learned}."
)
### BEGIN HIDDEN TESTS
_other = torch.randn(_V, _C)
_model.load_state_dict({"embedding.weight": _other}, strict=False)
assert close(dict(_model.state_dict())["head.weight"], _other), (
    "embedding got new numbers, and head did not notice."
)
### END HIDDEN TESTS

# %% test="Transformer" aspect="the weights of blocks are found" points=1
_model = Transformer(
    7, 4, 3, [torch_module("Linear", 3, 3), torch_module("Linear", 3, 3)]
)
_learned = dict(_model.named_parameters())
for _name in ("blocks.0.weight", "blocks.1.bias"):
    assert _name in _learned, (
        f"{_name} is not among {sorted(_learned)}: nothing would train it."
    )
_found = parameter_gradients(_model, torch.tensor([[1, 2, 3, 6]]))
for _name in _learned:
    assert _found[_name] is not None, f"No gradient reaches {_name}."
### BEGIN HIDDEN TESTS
_shapes = {
    "embedding.weight": (7, 3),
    "positions.weight": (4, 3),
    "norm.weight": (3,),
    "norm.bias": (3,),
}
_shapes |= {f"blocks.{k}.weight": (3, 3) for k in (0, 1)} | {
    f"blocks.{k}.bias": (3,) for k in (0, 1)
}
_w = {name: torch.randn(shape, requires_grad=True) for name, shape in _shapes.items()}
_s, _tokens = (
    {name: value.detach() for name, value in _w.items()},
    torch.randint(7, (3, 4)),
)
_model.load_state_dict({**_s, "head.weight": _s["embedding.weight"]}, strict=False)
_x = _w["embedding.weight"][_tokens] + _w["positions.weight"]
for _k in (0, 1):
    _x = F.linear(_x, _w[f"blocks.{_k}.weight"], _w[f"blocks.{_k}.bias"])
(
    F.layer_norm(_x, (3,), _w["norm.weight"], _w["norm.bias"])
    @ _w["embedding.weight"].T
).sum().backward()
_found = parameter_gradients(_model, _tokens)
_found["embedding.weight"] = _found.get("embedding.weight", _found.get("head.weight"))
for _name in _w:
    assert close(_found[_name], _w[_name].grad, 1e-2, 1e-2), (
        f"The gradient of {_name} is wrong, or none arrives."
    )
### END HIDDEN TESTS

# %% test="Transformer" aspect="shorter texts begin at place 0" points=1
_block, _lengths = 6, (1, 3)
### BEGIN HIDDEN TESTS
_block, _lengths = random.randint(7, 9), (1, 2, 4, 6)
### END HIDDEN TESTS
_model = Transformer(
    11, _block, 3, [torch_module("Linear", 3, 3), torch_module("Softplus")]
)
_tokens = torch.randint(11, (2, _block))
_whole = _model(_tokens)
assert np.shape(_whole) == (2, _block, 11), (
    f"Scores of shape {2, _block, 11} wanted; yours: {_whole!r}."
)
for _T in _lengths:
    _got = _model(_tokens[:, :_T])
    assert np.shape(_got) == (2, _T, 11), (
        f"Block {_block}, a text of {_T}: shape {2, _T, 11} wanted; yours {np.shape(_got)}."
    )
    assert close(_got, _whole[:, :_T], 1e-3, 1e-4), (
        f"The first {_T} tokens alone do not get places 0 to {_T - 1}."
    )
### BEGIN HIDDEN TESTS
_fresh = Transformer(
    11, _block, 3, [torch_module("Linear", 3, 3), torch_module("Softplus")]
)
_fresh.load_state_dict(dict(_model.state_dict()))
for _T in (1, 3, _block):
    assert close(_fresh(_tokens[:, :_T]), _whole[:, :_T], 1e-3, 1e-4), (
        f"A model whose first text has one token, and this one has {_T}: the scores are not "
        "those of places 0 on. Something is kept from the text before."
    )
### END HIDDEN TESTS

# %% [markdown] statement="initialise"
# ## 7. The first loss
#
# A model that knows nothing should say so: all tokens alike, loss $\ln V$. torch's own start does not. Write `initialise(model, layers)`, which changes
# the numbers in place (whoever shares a weight still shares it), $N$ = `layers`:
#
# - weights of every `nn.Linear` and `nn.Embedding` (classes derived from them, too): normal, standard deviation 0.02; biases of linear layers 0; norms stay as
#   they are;
# - but weights of linear layers called just `out` or `down` (the last part of the path), which write into the stream: $0.02 / \sqrt{2N}$.
#   There are $2N$ of them, and variances add.

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
            writes = isinstance(module, nn.Linear) and name.split(".")[-1] in (
                "out",
                "down",
            )
            nn.init.normal_(
                module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02
            )
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
    ### END SOLUTION


# %%
def assembled(tree):
    """A module of modules, from dicts in dicts."""
    parts = {k: assembled(v) if isinstance(v, dict) else v for k, v in tree.items()}
    return torch_module("ModuleDict", parts)


def stand_in(layers, C=48):
    """A module with parts named as in a model, full blocks at both ends; and the random numbers of its norms."""
    whole = {"norm": ("LayerNorm", C), "output_gate.query": ("Linear", C, C)}
    whole |= {"attention.query": ("Linear", C, C), "attention.out": ("Linear", C, C)}
    whole |= {"feed_forward.up": ("Linear", C, 2 * C)}
    whole |= {"feed_forward.down": ("Linear", 2 * C, C)}
    plan = {"embedding": ("Embedding", 60, C), "tables.down": ("Embedding", 50, C)}
    plan |= {"readout": ("Linear", C, 50), "head": ("Linear", C, 60, False)}
    for k in range(layers):
        some = whole if k in (0, layers - 1) else ["attention.out"]
        plan |= {f"blocks.{k}.{path}": whole[path] for path in some}
    tree = {}
    for path, kind in plan.items():
        here, *more = tree, *path.split(".")
        for step in more[:-1]:
            here = here.setdefault(step, {})
        here[more[-1]] = torch_module(*kind)
    model = assembled(tree)
    norms = [
        f"{path}.{kind}"
        for path in plan
        if path.endswith(".norm")
        for kind in ("weight", "bias")
    ]
    norms = {name: torch.randn(C) for name in norms}
    model.load_state_dict(norms, strict=False)
    return model, norms


# %% test="initialise" aspect="small normal weights" points=1
_layers = 2
### BEGIN HIDDEN TESTS
_layers = 3
### END HIDDEN TESTS
_model, _ = stand_in(_layers)
_before = dict(_model.state_dict())
initialise(_model, _layers)
_state = dict(_model.state_dict())
for _name in (
    "embedding",
    "head",
    "blocks.0.attention.query",
    f"blocks.{_layers - 1}.feed_forward.up",
):
    _values = np.ravel(_state[f"{_name}.weight"])
    assert len(_values) == _before[f"{_name}.weight"].numel(), (
        f"{_name}: its weights are gone."
    )
    assert math.isclose(_values.std(), 0.02, rel_tol=0.1), (
        f"{_name}: deviation .02 wanted; yours: {_values.std():.4f}."
    )
    assert abs(_values.mean()) < 0.002, (
        f"{_name}: mean 0 wanted; yours: {_values.mean():.4f}."
    )
    assert abs(_values).max() > 0.05, (
        f"{_name}: normal numbers reach beyond 2.5 deviations; yours stop before."
    )
### BEGIN HIDDEN TESTS
assert not close(
    _state["blocks.0.attention.query.weight"], _state["blocks.2.attention.query.weight"]
), "Two layers begin with the same numbers: each should be drawn for itself."
_learned, _head = dict(_model.named_parameters()), _state["head.weight"].clone()
initialise(_model, _layers)
assert not close(_model.get_parameter("head.weight"), _head), (
    "A second time begins with the same numbers as the first: no fixed seed in here, please."
)
for _name in _before:
    assert _name in _learned, f"{_name} is no parameter any more after your initialise."
_model, _table = torch_module("Module"), torch_module("Embedding", 60, 50)
_tied, _steps = torch_module("ParameterList"), [torch_module("Module") for _ in "ab"]
_steps[0].forward, _steps[1].forward = _table.get_parameter, _tied.append
torch_module("Sequential", *_steps)("weight")  # one tensor in two places
_model.add_module("table", _table)
_model.add_module("tied", _tied)
_model.add_module("mixer", torch_module("MultiheadAttention", 60, 2))
initialise(_model, 3)
_state = dict(_model.state_dict())
assert close(_state["tied.0"], _state["table.weight"]), (
    "An embedding shared its weight with another part of the model; after your initialise "
    "they differ. Fill the tensor that is there, and put no new one in its place."
)
_got = np.ravel(_state["mixer.out_proj.weight"]).std()
assert math.isclose(_got, 0.02, rel_tol=0.1), (
    "out_proj of torch's MultiheadAttention is of a class derived from nn.Linear: "
    f"deviation .02 wanted; yours: {_got:.4f}."
)
### END HIDDEN TESTS

# %% test="initialise" aspect="writers start smaller" points=1
_cases = (2, 4)
### BEGIN HIDDEN TESTS
_cases = (1, 5)
### END HIDDEN TESTS
for _layers in _cases:
    _model, _ = stand_in(_layers)
    initialise(_model, _layers)
    _state = dict(_model.state_dict())
    for _name in (f"blocks.{_layers // 2}.attention.out", "blocks.0.feed_forward.down"):
        _wanted, _got = (
            0.02 / math.sqrt(2 * _layers),
            np.ravel(_state[f"{_name}.weight"]).std(),
        )
        assert math.isclose(_got, _wanted, rel_tol=0.1), (
            f"{_layers} layers, {_name}: deviation {_wanted:.4f} wanted; yours: {_got:.4f}."
        )
### BEGIN HIDDEN TESTS
for _name in ("blocks.0.output_gate.query", "blocks.4.output_gate.query", "readout"):
    _got = np.ravel(_state[f"{_name}.weight"]).std()
    assert math.isclose(_got, 0.02, rel_tol=0.1), (
        f"A linear layer {_name} is not called out or down, so deviation .02 wanted; yours: {_got:.4f}. "
        "The whole last part of the path counts."
    )
_got = np.ravel(_state["tables.down.weight"]).std()
assert math.isclose(_got, 0.02, rel_tol=0.1), (
    f"An embedding called down is no linear layer, so deviation .02 wanted; yours: {_got:.4f}."
)
_model = torch_module("Module")
_model.add_module("out", torch_module("Linear", 70, 60))
initialise(_model, 8)
_got = np.ravel(dict(_model.state_dict())["out.weight"]).std()
assert math.isclose(_got, 0.005, rel_tol=0.1), (
    f"8 layers, a layer out that lies in no block: deviation .0050 wanted; yours: {_got:.4f}."
)
### END HIDDEN TESTS

# %% test="initialise" aspect="biases zero, norms untouched" points=1
_layers = 2
### BEGIN HIDDEN TESTS
_layers = 3
### END HIDDEN TESTS
_model, _norms = stand_in(_layers)
_before = dict(_model.state_dict())
initialise(_model, _layers)
_state = dict(_model.state_dict())
for _name in _before:
    assert np.shape(_state[_name]) == np.shape(_before[_name]), (
        f"{_name} should keep its shape."
    )
    if _name in _norms:
        assert close(_state[_name], _norms[_name]), (
            f"{_name}: norms should stay as they are; yours is changed."
        )
    elif _name.endswith("bias"):
        assert not np.any(np.asarray(_state[_name])), (
            f"{_name}: a bias should start at 0."
        )


# %%
def gpt(kind=Block, V=V, block=16, layers=2, heads=4, width=64):
    """The whole model, put together of your parts."""
    blocks = [
        kind(width, Attention(width, heads, block), FeedForward(width))
        for _ in range(layers)
    ]
    return Transformer(V, block, width, blocks)


# %%
set_seed(1)
model = gpt()
with torch.no_grad():
    default = lm_loss(model(batch(0)[0]), batch(0)[1])
    initialise(model, 2)
    ours = lm_loss(model(batch(0)[0]), batch(0)[1])
print(
    f"ln V = {math.log(V):.2f}, first loss {ours:.2f}; with torch's own start {default:.0f}"
)

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
        model,
        lambda step: batch(step, B=8),
        next_loss,
        steps=steps,
        rate=rate,
        every=10,
        clip=None,
        device="cpu",
    )


# %%
_, axes = plt.subplots()
steps = budget().choose(grading=70, laptop=300, gpu=400)
kinds = {"pre-norm": Block, "post-norm": PostBlock, "no norm": NoNorm}
for (name, kind), style in zip(kinds.items(), ("o-", "s-", "x--"), strict=True):
    history = curve(kind, 3e-3, steps)
    axes.plot(history["step"], history["train loss"], style, label=name)
shares = torch.bincount(ids) / len(ids)
axes.axhline(
    -(shares * shares.log()).sum(), color="gray", linestyle=":", label="letters alone"
)
axes.set(
    xlabel="step",
    ylabel="loss (nats per letter)",
    title="8 layers, rate 0.003, no warm-up",
)
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
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
# a norm it even starts faster, so well does your start keep the numbers small; at a high rate, only norms keep them finite.

# %% [markdown] statement="count"
# ## 8. Predict, then measure: size and cost
#
# Take $N$ layers with biases, as built. A product of $[n, a]$ and $[a, b]$ costs $2nab$ operations; count only products.
#
# - `parameters(V, T, C, N)`: dict with `"embedding"`, `"positions"`, `"attention"`, `"feed_forward"`, `"norms"`: all layers together, $T$ =
#   `block`;
# - `flops(V, T, C, N)`: `(rest, square)` for *one* text of $T$ tokens, forward: `square` holds what grows with $T^2$;
# - `guess_square`, first: the share of `square` for GPT-2 (50257, 1024, 768, 12), then `measured_square`, by your function.

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
    assert hasattr(_got, "keys") and sorted(_got) == sorted(_keys), (
        f"The five keys are wanted; yours: {_got!r}."
    )
    _layer = torch.nn.TransformerEncoderLayer(_C, 1, 4 * _C)
    _parts = {
        "attention": _layer.self_attn,
        "up": _layer.linear1,
        "down": _layer.linear2,
        "norm": _layer.norm1,
    }
    _size = {
        name: sum(value.numel() for value in part.parameters())
        for name, part in _parts.items()
    }
    _wanted = {
        "embedding": _V * _C,
        "positions": _T * _C,
        "attention": _N * _size["attention"],
    }
    _wanted |= {
        "feed_forward": _N * (_size["up"] + _size["down"]),
        "norms": (2 * _N + 1) * _size["norm"],
    }
    for _key in _keys:
        assert close(_got[_key], _wanted[_key]), (
            f"V, T, C, N = {_V, _T, _C, _N}: {_key} is wrong, {_got[_key]}."
        )
### END HIDDEN TESTS

# %% test="count" aspect="products with weights" points=1
_got = flops(50257, 1024, 768, 12)
assert np.shape(_got) == (2,), f"flops returns two numbers; yours: {_got!r}."
assert _got[0] + _got[1] == 291_648_307_200, (
    f"For GPT-2's sizes 291,648,307,200 operations are known; yours in all: {_got[0] + _got[1]:,}."
)
### BEGIN HIDDEN TESTS
for _V, _T, _C, _N in (
    (11, 7, 4, 3),
    (5, 9, 6, 1),
    (random.randint(30, 90), 3, 8, 5),
    (7, 1, 3, 2),
):
    _sizes = [(_C, 3 * _C), (_C, _C), (_C, 4 * _C), (4 * _C, _C)] * _N + [(_C, _V)]
    _wanted, _got = sum(2 * _T * a * b for a, b in _sizes), flops(_V, _T, _C, _N)
    assert np.shape(_got) == (2,), f"flops returns two numbers; yours: {_got!r}."
    assert close(_got[0], _wanted), (
        f"V, T, C, N = {_V, _T, _C, _N}: {_wanted} wanted in products with weights; yours {_got[0]}."
    )
### END HIDDEN TESTS

# %% test="count" aspect="what grows with the square" points=1
_one, _two = flops(10, 8, 4, 3), flops(10, 16, 4, 3)
assert np.shape(_one) == np.shape(_two) == (2,), (
    f"flops returns two numbers; yours: {_one!r}."
)
assert _two[0] == 2 * _one[0] and _two[1] == 4 * _one[1], (
    f"Twice the length: the first number should double, the second be four times as large; yours: {_one}, {_two}."
)
### BEGIN HIDDEN TESTS
for _T, _C, _N in ((6, 4, 2), (3, 10, 1), (9, 4, 5), (1, 3, 2)):
    _got = flops(10, _T, _C, _N)
    assert np.shape(_got) == (2,), f"flops returns two numbers; yours: {_got!r}."
    assert close(_got[1], _N * 2 * (2 * _T * _C * _T)), (
        f"T, C, N = {_T, _C, _N}: two products of T x C x T per layer; not {_got[1]}."
    )
### END HIDDEN TESTS

# %% test="count" aspect="guess and measurement" points=1
for _name, _value in (
    ("guess_square", guess_square),
    ("measured_square", measured_square),
):
    assert is_number(_value), f"{_name} should be a number; yours: {_value!r}."
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
print(
    "parameters:",
    sum(parameters(V, 16, 64, 2).values()),
    "=",
    sum(weight.numel() for weight in model.parameters()),
)
print("operations:", sum(flops(V, 16, 64, 2)), "=", counter.get_total_flops())

# %%
T = 2 ** np.arange(6, 17)
shares = np.array(
    [
        [
            flops(0, int(t), 768, 12)[1],
            flops(0, int(t), 768, 12)[0],
            2 * t * 768 * 50257,
        ]
        for t in T
    ]
).T
_, axes = plt.subplots()
axes.stackplot(
    T,
    100 * shares / shares.sum(0),
    labels=["T × T tables", "weights of the layers", "output"],
    alpha=0.8,
)
axes.axvline(6 * 768, color="black", linestyle=":")
axes.set(
    xscale="log",
    xlabel="T, tokens in a text (log); dotted: 6C",
    ylabel="operations (%)",
    xlim=(64, 65536),
)
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
        self.embedding, self.positions = (
            nn.Embedding(V, C),
            nn.Parameter(0.02 * torch.randn(T, C)),
        )
        self.qkv, self.out, self.feed_forward = (
            nn.Linear(C, 3 * C),
            nn.Linear(C, C),
            FeedForward(C),
        )
        nn.init.normal_(self.embedding.weight, std=1 if ill == 1 else 0.02)
        hidden = torch.full((T, T), -math.inf)
        self.register_buffer(
            "mask",
            [
                hidden.triu(1),
                hidden.triu(1),
                0 * torch.ones(T, T),
                hidden.fill_diagonal_(0),
            ][ill],
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
    return F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten()), batch[
        1
    ].numel()


# %%
patients, table = {}, {}
for name, ill in zip("ABCD", random.Random(4).sample(range(4), 4), strict=True):
    set_seed(1)
    patients[name] = Patient(ill)
    history = train(
        patients[name],
        lambda _: one_batch,
        batch_loss,
        steps=100,
        rate=1e-2,
        every=1,
        device="cpu",
    )
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
#   $[B, T, V]$; use other tokens of the same $V$. `tokens` stay as they are.
# - `diagnosis`: for each of `patients` (trained above) one of `"healthy"`, `"starts too sure"`, `"sees the future"`, `"sees no
#   past"`.

# %% [markdown] hints="leaks"
# 1. Which place can have no earlier one? Which tokens must you therefore try, one after the other?
# 2. (token + 1) modulo $V$ is another token. Work on a copy.
# 3. Exchange column $t$, ask the model again, compare only the columns *before* $t$; rounding may differ in the last digits. For the
#    diagnosis, two numbers of the table and your function decide.


# %% task="leaks" points=4 level=3 minutes=15
def leaks(model, tokens):
    """Whether a score depends on a later token: by .001 counts, beside scores of 500, too; by less than .00001 is rounding."""
    ### BEGIN SOLUTION
    scores = model(tokens)
    for t in range(1, tokens.shape[1]):
        other = tokens.clone()
        other[:, t] = (other[:, t] + 1) % scores.shape[-1]
        if (model(other) - scores)[:, :t].abs().max() > 1e-4:
            return True
    return False
    ### END SOLUTION


# diagnosis = {"A": ..., "B": ..., "C": ..., "D": ...}
### BEGIN SOLUTION
diagnosis = {
    "A": "starts too sure",
    "B": "sees no past",
    "C": "healthy",
    "D": "sees the future",
}
### END SOLUTION


# %%
def linear_model(W, V=5, noise=0):
    """Tokens [B, T] -> scores [B, T, V]: place t sums the tokens' one-hot vectors with the weights W[t]."""

    def model(tokens):
        one_hot = F.one_hot(tokens, V).float()
        return torch.einsum("ti,biv->btv", W, one_hot) + noise * torch.rand(
            one_hot.shape
        )

    return model


# %% test="leaks" aspect="the past is allowed" points=1
_tokens = torch.tensor([[1, 2, 3, 0, 1, 4]])
for _W in (torch.eye(6), torch.tril(torch.rand(6, 6) + 0.1), torch.zeros(6, 6)):
    _got = leaks(linear_model(_W), _tokens.clone())
    assert _got in (True, False), f"leaks returns True or False; yours: {_got!r}."
    assert not _got, (
        f"This model only uses tokens up to its own place: no leak. Weights of place 5: {_W[4]}."
    )
### BEGIN HIDDEN TESTS
_tokens = torch.randint(5, (3, 4))
for _W in (torch.eye(4), torch.tril(torch.rand(4, 4) + 0.1), torch.zeros(4, 4)):
    for _noise in (0, 1e-7):
        _got = leaks(linear_model(_W, noise=_noise), _tokens.clone())
        assert _got in (True, False), f"leaks returns True or False; yours: {_got!r}."
        assert not _got, (
            f"Three texts, a model that only looks back: no leak{', just rounding in the last digits' * (_noise > 0)}."
        )
assert leaks(linear_model(torch.ones(4, 4)), _tokens.clone()) in (True,), (
    "You see no leak anywhere, not even where every place sums all tokens."
)
for _W in (torch.tril(torch.ones(4, 4)), torch.ones(4, 4)):
    _after = arguments_after(leaks, linear_model(_W), _tokens.clone())
    assert close(_after[1], _tokens), (
        "The tokens that were handed over are changed by your leaks, be it where it finds "
        "a leak: work on a copy."
    )
### END HIDDEN TESTS

# %% test="leaks" aspect="every look ahead is found" points=1
_tokens = torch.tensor([[1, 2, 3, 0, 1, 4]])
_got = leaks(linear_model(torch.ones(6, 6)), _tokens.clone())
assert _got in (True, False), f"leaks returns True or False; yours: {_got!r}."
assert _got, "This model sums all tokens at every place, and you found no leak."
### BEGIN HIDDEN TESTS
_few = torch.tensor([[1, 2, 3, 0]])
for _t, _i, _T in (
    *((t, i, 4) for i in range(4) for t in range(i)),
    (0, 5, 6),
    (4, 5, 6),
):
    _W = torch.tril(torch.ones(_T, _T))
    _W[_t, _i] = 0.001
    _got = leaks(linear_model(_W), (_few if _T == 4 else _tokens).clone())
    assert _got in (True,), (
        f"Place {_t + 1} of {_T} sees token {_i + 1}, which changes scores by .001, "
        f"a leak; you returned {_got!r}."
    )
_W = torch.tril(torch.ones(3, 3))
for _much, _wanted in ((0.002, True), (0, False)):
    _W[0, 2] = _much
    _high = linear_model(_W)
    _got = leaks(lambda x, model=_high: model(x) + 500, _few[:, :3].clone())
    assert _got in (True, False) and _got == _wanted, (
        f"Scores around 500, of which place 1 sees token 3 by {_much}: {_wanted} wanted; "
        f"yours: {_got!r}."
    )
for _sign in (1, -1):  # all scores rise, or all fall, with each other token
    _got = leaks(
        lambda x, sign=_sign: (
            torch.zeros(1, 4, 5) + 0.01 * sign * (x != _few).sum(1)[:, None, None]
        ),
        _few.clone(),
    )
    assert _got in (True,), (
        f"Each other token changes all scores by {0.01 * _sign}: the leak is not found."
    )
_wide = linear_model(torch.ones(3, 3))
for _tokens in (torch.zeros(1, 3, dtype=torch.long), torch.full((2, 3), 4)):
    assert leaks(_wide, _tokens.clone()) in (True,), (
        f"A model that sums all tokens, asked with nothing but token {_tokens[0, 0]}: the leak is not found. "
        "Which other tokens there are, the last axis of the scores says."
    )
assert leaks(linear_model(torch.ones(2, 2)), torch.tensor([[1, 1]])) in (True,), (
    "Texts of two tokens, where place 1 sees token 2: the leak is not found."
)
_strict = linear_model(torch.tril(torch.ones(3, 3)))
for _row in range(3):
    _tokens = torch.zeros(3, 3, dtype=torch.long)
    _tokens[_row, 0] = 3
    _got = leaks(
        lambda x: torch.where(x[:, :1, None] == 3, _wide(x), _strict(x)),
        _tokens.clone(),
    )
    assert _got in (True,), (
        f"Of three texts only number {_row + 1} gives the leak away, and you miss it."
    )
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
_wanted = {
    "A": "starts too sure",
    "B": "sees no past",
    "C": "healthy",
    "D": "sees the future",
}
for _name, _ill in _wanted.items():
    assert diagnosis[_name] == _ill, (
        f"Patient {_name}: not {diagnosis[_name]!r}. Measure all three once more."
    )
### END HIDDEN TESTS

# %%
set_seed(1)
model = gpt()
initialise(model, 2)
history = train(
    model, lambda _: one_batch, batch_loss, steps=100, rate=5e-3, every=2, device="cpu"
)

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

# %% [markdown]
# *A good place to stop for today.*

# %% [markdown]
# Your model learns one batch by heart. Language takes thousands of batches: a good step, a schedule, a machine used well. Then the model
# shall write, and stand beside all models before it.
#
# From here on `lmkit.transformer` holds the model: yours, with switches.

# %%
others = "\n".join(" ".join(document) for document in corpus.splits["valid"])
lines = torch.tensor([number[letter] for letter in others])[: 33 * 100].view(100, 33)
held_out = [(lines[:, :-1], lines[:, 1:])]  # 100 texts of 32 letters


# %%
def windows(step, B=16):
    """As `batch`, with texts of 32 letters."""
    return batch(step, B, 32)


# %%
def small(**switches):
    """The library's model: at first with learned positions, LayerNorm and GELU, as you built it."""
    usual = {"block": 32, "layers": 2, "heads": 4, "width": 32, "bias": True}
    usual |= {"positions": "learned", "norm": "layer", "activation": "gelu"}
    return transformer.Transformer(transformer.TransformerConfig(V, **usual | switches))


# %%
set_seed(1)
theirs, mine = small(), gpt(block=32, width=32)
mine.load_state_dict(theirs.state_dict())
print(
    "the library's model is yours:",
    torch.allclose(mine(ids[None, :16]), theirs(ids[None, :16]), atol=1e-5),
)

# %% [markdown] statement="adamw_step"
# ## 10. A step for every weight
#
# **AdamW** (I. Loshchilov, F. Hutter) keeps for each weight $w$ running means of its gradient $g$ and of $g^2$. Step $t = 1, 2, \dots$, rate $\eta$, decay
# $\lambda$:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1) g \qquad v \leftarrow \beta_2 v + (1 - \beta_2) g^2 \qquad w \leftarrow (1 - \eta\lambda)\, w - \eta\, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \varepsilon}$$
#
# - `adamw_step(w, g, m, v, t, rate, decay, betas, eps)`: the new `(w, m, v)`;
# - `decay_groups(weights, decay)`: two dicts with the keys `"params"` and `"weight_decay"`, as torch's optimisers take them (two also if `decay` is 0). Each tensor of the
#   list, no copy of it, goes into one: those with two or more axes decay; biases and gains do not.

# %% [markdown] hints="adamw_step"
# 1. Before the first step, $m$ and $v$ are zero. What is $m / (1 - \beta_1)$ after it?
# 2. The decay acts on the *old* weight, and does not pass through $m$ and $v$.
# 3. New $m$ and $v$ first, as new tensors; both divided by what a mean that began at zero still lacks; then the quotient, times the
#    rate, is taken off the shrunken weight. For the groups, ask each tensor for its number of axes.


# %% task="adamw_step" points=4 level=2 minutes=12
def adamw_step(w, g, m, v, t, rate, decay, betas, eps):
    """New (w, m, v) of one shape; the old w, m, v and the gradient g stay as they are; betas is (beta_1, beta_2)."""
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
        {
            "params": [weight for weight in weights if weight.ndim >= 2],
            "weight_decay": decay,
        },
        {
            "params": [weight for weight in weights if weight.ndim < 2],
            "weight_decay": 0.0,
        },
    ]
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
for _shape in ((2, 3, 4), ()):
    _w, _g = torch.randn(_shape).double(), torch.randn(_shape).double() + 3
    _rate, _zero = random.uniform(0.2, 0.5), torch.zeros(_shape).double()
    _got = adamw_step(
        _w.clone(),
        _g.clone(),
        _zero.clone(),
        _zero.clone(),
        1,
        _rate,
        0.0,
        (0.6, 0.8),
        1e-12,
    )
    assert isinstance(_got, tuple | list) and len(_got) == 3, (
        f"Return (w, m, v); yours: {_got!r}."
    )
    for _name, _mine, _wanted in zip(
        "wmv", _got, (_w - _rate * _g.sign(), 0.4 * _g, 0.2 * _g**2), strict=True
    ):
        assert close(_mine, _wanted, 1e-4, 1e-6), (
            f"Random weights and gradients of shape {_shape}, means at zero, betas .6 and .8: the new {_name} is wrong."
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
_runs = []
for _shape in ((2, 3), (4,)):  # two weights at once, step by step in turn
    _w, _zero = (
        torch.randn(_shape).double().requires_grad_(True),
        torch.zeros(_shape).double(),
    )
    _torch = torch.optim.AdamW(
        [_w], lr=_rate, weight_decay=_decay, betas=_betas, eps=_eps
    )
    _runs.append([_w, _torch, (_w.detach().clone(), _zero, _zero.clone())])
for _t in range(1, 7):
    for _run in _runs:
        _w, _torch, _mine = _run
        _w.grad = torch.randn(_w.shape).double()
        _torch.step()
        _run[2] = adamw_step(
            _mine[0], _w.grad.clone(), *_mine[1:], _t, _rate, _decay, _betas, _eps
        )
        assert close(_run[2][0], _w, 1e-4, 1e-6), (
            f"Step {_t}: your weights are not those of torch.optim.AdamW "
            f"(rate {_rate:.2g}, decay {_decay:.2g}, betas {_betas}, eps {_eps:.2g})."
        )
### BEGIN HIDDEN TESTS
_names, _before = "wgmv", [torch.rand(3, 2).double() + 0.5 for _ in range(4)]
_after = arguments_after(
    adamw_step, *(part.clone() for part in _before), 5, 0.1, 0.2, (0.9, 0.99), 1e-8
)
for _name, _old, _new in zip(_names, _before, _after, strict=False):
    assert close(_new, _old), (
        f"The old {_name} is changed in place by your adamw_step: return a new tensor."
    )
_w, _g, _m, _v = _before
_g[1] = 0
_new_m, _new_v = 0.9 * _m + 0.1 * _g, 0.99 * _v + 0.01 * _g**2
for _t in (5, 12, 60):
    _got = adamw_step(
        *(part.clone() for part in (_w, _g, _m, _v)), _t, 0.1, 0.2, (0.9, 0.99), 1e-8
    )
    _root = (_new_v / (1 - 0.99**_t)).sqrt() + 1e-8
    _wanted = 0.98 * _w - 0.1 * (_new_m / (1 - 0.9**_t)) / _root
    for _name, _mine, _theirs in zip(
        "wmv", _got, (_wanted, _new_m, _new_v), strict=True
    ):
        assert close(_mine, _theirs, 1e-4, 1e-6), (
            f"Step {_t} with given means, without the steps before, and some gradients 0: "
            f"{_name} is wrong. Does something live on between calls?"
        )
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
_w, _zero = torch.randn(3, 4).double(), torch.zeros(3, 4).double()
_rate, _decay = random.uniform(0.1, 0.3), random.uniform(0.2, 0.8)
_got = adamw_step(
    _w.clone(),
    _zero.clone(),
    _zero.clone(),
    _zero.clone(),
    2,
    _rate,
    _decay,
    (0.8, 0.9),
    1e-8,
)
assert isinstance(_got, tuple | list) and len(_got) == 3, (
    f"Return (w, m, v); yours: {_got!r}."
)
assert close(_got[0], (1 - _rate * _decay) * _w, 1e-4, 1e-6), (
    f"No gradient, rate {_rate:.3f}, decay {_decay:.3f}: every weight shrinks by {_rate * _decay:.2%}, and here not."
)
assert close(_got[1], _zero) and close(_got[2], _zero), (
    "No gradient yet: m and v should stay zero."
)
### END HIDDEN TESTS

# %% test="adamw_step" aspect="only matrices decay" points=1
_shapes, _decay = ((3,), (4, 3), (2, 4, 5), (), (1, 7), (60,)), 0.3
### BEGIN HIDDEN TESTS
_shapes, _decay = (
    ((1, 1), (80,), (2, 1, 3, 1), (), (5, 1), (1,), (6, 7), (1, 7), (80,)),
    0.05,
)
### END HIDDEN TESTS
_weights = [torch.randn(shape) for shape in _shapes]
_got = decay_groups([part.clone() for part in _weights], _decay)
assert np.shape(_got) == (2,), f"A list of two dicts is wanted; yours: {_got!r}."
assert all({"params", "weight_decay"} <= set(group) for group in _got), (
    'Both groups need "params" and "weight_decay".'
)
_found = {float(group["weight_decay"]): list(group["params"]) for group in _got}
assert set(_found) == {_decay, 0.0}, (
    f"One group decays with {_decay}, the other with 0; yours: {sorted(_found)}."
)
_all = [tuple(np.shape(part)) for group in _found.values() for part in group]
assert sorted(_all) == sorted(_shapes), (
    f"Each of the {len(_shapes)} tensors belongs to one group; yours hold {_all}."
)
for _rate, _name in (
    (_decay, "Two axes or more should decay"),
    (0.0, "Biases and gains should not decay"),
):
    _wanted = [part for part in _weights if (part.ndim >= 2) == (_rate > 0)]
    _here = [tuple(np.shape(part)) for part in _found[_rate]]
    assert sorted(_here) == sorted(tuple(part.shape) for part in _wanted), (
        f"{_name}; with you: {_here}."
    )
    assert all(any(close(part, mine) for mine in _found[_rate]) for part in _wanted), (
        "The groups should hold the very tensors of the list; some of yours have other numbers."
    )
### BEGIN HIDDEN TESTS
_groups = without_autograd(
    decay_groups, [part.clone().requires_grad_(True) for part in _weights], _decay
)
assert all(part.requires_grad for group in _groups for part in group["params"]), (
    "The groups should hold the very tensors of the list: yours are copies, and a step "
    "would change the copies."
)
_after = arguments_after(decay_groups, [part.clone() for part in _weights], _decay)[0]
assert len(_after) == len(_weights), (
    "The list of weights is shorter or longer after your decay_groups."
)
_got = decay_groups([part.clone() for part in _weights], 0.0)
assert np.shape(_got) == (2,), f"Decay 0: two dicts are wanted, too; yours: {_got!r}."
assert all(close(group["weight_decay"], 0) for group in _got), (
    f"Decay 0, and a group decays: {[group['weight_decay'] for group in _got]}."
)
_axes = [{np.ndim(part) > 1 for part in group["params"]} for group in _got]
assert _axes in ([{True}, {False}], [{False}, {True}]), (
    "Decay 0: one dict should hold the tensors with two axes or more, the other the rest."
)
### END HIDDEN TESTS

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
for _N, _n, _low in ((30, 7, 0.2), (8, 7, 0.0), (50, random.randint(10, 40), 0.3)):
    for _s in (0, 1, _n - 1, _n):
        _got = rate_factor(_s, _N, _n, _low)
        assert close(_got, min((_s + 1) / _n, 1), 1e-5), (
            f"Step {_s}, N = {_N}, n = {_n}: not {_got}."
        )
for _s in (0, 3, 9):
    _wanted, _got = (
        0.1 + 0.9 * math.cos(math.pi / 20 * _s) ** 2,
        rate_factor(_s, 10, 0, 0.1),
    )
    assert close(_got, _wanted, 1e-5), (
        f"N = 10, no warm-up (n = 0), step {_s}: {_wanted:.4f} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="rate_factor" aspect="half a cosine down" points=1
_got = [rate_factor(_s, 20, 4, 0.1) for _s in (4, 12, 20)]
assert close(_got, [1, 0.55, 0.1], 1e-5), (
    f"N = 20, n = 4: 1, in the middle .55, at the end .1; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _ in range(20):
    _N, _low = random.randint(30, 90), random.uniform(0.02, 0.4)
    _n = random.randint(1, 20)
    _s = random.randint(_n + 1, _N - 1)
    _wanted = _low + (1 - _low) * math.cos(math.pi / 2 * (_s - _n) / (_N - _n)) ** 2
    _got = rate_factor(_s, _N, _n, _low)
    assert close(_got, _wanted, 1e-4, 1e-6), (
        f"s = {_s}, N = {_N}, n = {_n}, lowest {_low:.2f}: {_wanted:.4f}, not {_got}."
    )
### END HIDDEN TESTS

# %% test="rate_factor" aspect="an array of steps" points=1
_got = rate_factor(np.arange(9), 9, 3, 0.0)
assert np.shape(_got) == (9,), f"Nine steps, nine factors; yours: {_got!r}."
_wanted = [1 / 3, 2 / 3, 1, *(math.cos(math.pi / 12 * k) ** 2 for k in range(6))]
assert close(_got, _wanted, 1e-4, 1e-6), (
    f"Factors {np.round(_wanted, 2)} wanted; yours: {np.round(_got, 2)}."
)
### BEGIN HIDDEN TESTS
for _n, _steps in (
    (5, np.random.default_rng().permutation(12)),
    (5, [7, 3, 3, 11]),
    (6, [4, 2]),
    (2, [11, 5, 8]),
    (0, range(9)),
    (4, [6]),
):
    _s = np.array(_steps, dtype=float if _n == 5 else int)
    _wanted = [
        (s + 1) / _n
        if s < _n
        else 0.2 + 0.8 * math.cos(math.pi / 2 * (s - _n) / (12 - _n)) ** 2
        for s in _s
    ]
    _got = rate_factor(_s.copy(), 12, _n, 0.2)
    assert close(_got, _wanted, 1e-4, 1e-6), (
        f"Steps {_s}, N = 12, n = {_n}: factors {np.round(_wanted, 3)} wanted; yours: {_got}."
    )
    assert close(arguments_after(rate_factor, _s.copy(), 12, _n, 0.2)[0], _s), (
        "Your rate_factor changes its array s."
    )
### END HIDDEN TESTS

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
        history = train(
            model,
            windows,
            letter_loss,
            steps=steps,
            optimiser=optimiser,
            schedule=schedule,
            **options,
        )
    except FloatingPointError:
        return math.inf
    return history["validation loss"].iloc[-1]


# %%
steps, rates = (
    budget().choose(grading=10, laptop=120, gpu=1_000),
    10.0 ** np.arange(-5, 1),
)
found, schedules = (
    {},
    {"constant": None, "warm-up and cosine": warmup_cosine(steps // 10, 0)},
)

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
axes.set(
    xlabel="learning rate (log)",
    ylabel="loss (nats per letter)",
    title="a loss above 6 stands at 6",
)
axes.legend()
plt.show()

# %% [markdown]
# A valley, at few steps: far left too little is learned, far right little is kept. With more steps nothing diverges here, not even at rate
# 1: the lectures' networks are post-norm, ours is pre-norm. So is it "very unstable" (004)? Count the decades that work. The schedule does
# not beat the best constant rate in so few steps.

# %% [markdown] statement="pad"
# ## 12. Many texts, one step
#
# Texts differ in length, and a large batch may not fit. *Count tokens*:
#
# - `pad(texts)`: (inputs, targets), both $[B, T]$, `int64`, from lists of at least two token numbers (50,000, say); targets one ahead. What is missing on the right is 0 in
#   inputs, $-100$ in targets (torch's cross-entropy leaves it out). $T$ is as small as possible;
# - `whole_gradient(gradients, counts)`: from gradients of the *mean* losses of parts with so many targets, that of the mean over all.

# %% [markdown] hints="pad"
# 1. A text of 5 tokens has how many targets?
# 2. Two parts with 1 and 9 targets: the mean of both means gives the one target as much say as the nine.
# 3. Mean times count is a sum, and sums add up. Sum over the parts, then divide by all targets once.


# %% task="pad" points=4 level=2 minutes=12
def pad(texts):
    """(inputs [B, T], targets [B, T]), tensors of int64, from B lists of token numbers, which stay as they are."""
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
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return (inputs, targets); yours: {_got!r}."
)
assert all(torch.is_tensor(part) and not part.is_floating_point() for part in _got), (
    "Inputs and targets should be tensors of integers."
)
assert close(_got[0], [[5, 6, 7], [9, 0, 0]]), (
    f"Inputs 5 6 7 and 9 0 0 wanted; yours: {_got[0].tolist()}."
)
assert close(_got[1], [[6, 7, 8], [4, -100, -100]]), (
    f"Targets 6 7 8, 4 -100 -100; yours: {_got[1].tolist()}."
)
### BEGIN HIDDEN TESTS
_got = pad([[0, 3], [2, 0, 0, 1], [0, 5, 0]])
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return (inputs, targets); yours: {_got!r}."
)
assert close(_got[0], [[0, 0, 0], [2, 0, 0], [0, 5, 0]]), (
    "0 is also a token number: some inputs of texts that hold it are wrong."
)
assert close(_got[1], [[3, -100, -100], [0, 0, 1], [5, 0, -100]]), (
    "0 is also a token number, and a target like any other: only what is missing is -100."
)
_got = pad([[50_000, 7, 100_000], [70_000, 40_000]])
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return (inputs, targets); yours: {_got!r}."
)
assert close(_got[0], [[50_000, 7], [70_000, 0]]), (
    f"Large token numbers, such as 50,000: some inputs are wrong, {_got[0].tolist()}."
)
assert close(_got[1], [[7, 100_000], [40_000, -100]]), (
    f"Large token numbers, such as 100,000: some targets are wrong, {_got[1].tolist()}."
)
assert all(part.dtype == torch.int64 for part in _got), (
    f"int64 is wanted; yours: {_got[0].dtype} and {_got[1].dtype}."
)
### END HIDDEN TESTS

# %% test="pad" aspect="any lengths in any order" points=1
_cases = [[[1, 2], [3, 4, 5], [6, 7]]]
### BEGIN HIDDEN TESTS
_cases = [
    [random.choices(range(50), k=k) for k in (3, 2, random.randint(6, 9), 4, 5, 2)]
]
_cases += [
    [random.choices(range(50), k=k) for k in lengths]
    for lengths in ((2, 2, 2), (7,), (4, 4), (2, 5, 3))
]
### END HIDDEN TESTS
for _texts in _cases:
    _got = pad([list(words) for words in _texts])
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return (inputs, targets); yours: {_got!r}."
    )
    _T = max(map(len, _texts)) - 1
    for _part, _name in zip(_got, ("inputs", "targets"), strict=True):
        assert np.shape(_part) == (len(_texts), _T), (
            f"{len(_texts)} texts, the longest of {_T + 1} tokens, so T = {_T}; your {_name}: {np.shape(_part)}."
        )
    for _row, _words in enumerate(_texts):
        _few = _T + 1 - len(_words)
        assert close(_got[0][_row], [*_words[:-1], *[0] * _few]), (
            f"Text {_words}: inputs {_got[0][_row]}."
        )
        assert close(_got[1][_row], [*_words[1:], *[-100] * _few]), (
            f"Text {_words}: targets {_got[1][_row]}."
        )
### BEGIN HIDDEN TESTS
for _texts in _cases:
    assert arguments_after(pad, [list(words) for words in _texts])[0] == _texts, (
        "The lists that were handed over are changed by your pad: the next epoch needs them as they were."
    )
### END HIDDEN TESTS

# %% test="pad" aspect="every token counts alike" points=1
_got = whole_gradient([torch.tensor([10.0, 0.0]), torch.tensor([0.0, 10.0])], [1, 9])
assert np.shape(_got) == (2,), f"The gradient keeps its shape, (2,); yours: {_got!r}."
assert close(_got, [1, 9], 1e-5), (
    f"1 target with gradient (10, 0), 9 with (0, 10): (1, 9) wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _counts, _shape in (
    ([3, 1, 7, 5], (3, 2)),
    ([4], (5,)),
    ([2, 6], (2, 3, 2)),
    ([2, 3, 4], ()),
):
    _parts = [torch.randn(_shape).double() for _ in _counts]
    _wanted = torch.stack(
        [n * part for n, part in zip(_counts, _parts, strict=True)]
    ).sum(0) / sum(_counts)
    _got = whole_gradient([part.clone() for part in _parts], list(_counts))
    assert close(_got, _wanted, 1e-4, 1e-6), (
        f"Gradients of shape {_shape} from parts of {_counts} targets: {_got}."
    )
    _after, _ = arguments_after(
        whole_gradient, [part.clone() for part in _parts], list(_counts)
    )
    assert all(close(new, old) for new, old in zip(_after, _parts, strict=True)), (
        "The parts' gradients are changed by your whole_gradient: += and *= work on the tensor that was handed over."
    )
_got = whole_gradient([torch.ones(1, 3)] * 2, [1, 2])
assert np.shape(_got) == (1, 3), (
    f"Gradients of [1, 3] give one of [1, 3]; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="pad" aspect="equal to one large batch" points=1
_sizes = [2, 5, 1]
### BEGIN HIDDEN TESTS
_sizes = [random.randint(2, 4), random.randint(5, 9), 1, 3]
### END HIDDEN TESTS
_w = torch.randn(3, 4).double().requires_grad_(True)
_x, _y = torch.randn(sum(_sizes), 4).double(), torch.randint(3, (sum(_sizes),))
_losses = F.cross_entropy(_x @ _w.T, _y, reduction="none").split(_sizes)
_parts = [
    torch.autograd.grad(part.mean(), _w, retain_graph=True)[0] for part in _losses
]
_wanted = torch.autograd.grad(torch.cat(_losses).mean(), _w)[0]
_got = whole_gradient([part.clone() for part in _parts], list(_sizes))
assert close(_got, _wanted, 1e-4, 1e-6), (
    f"Parts of {_sizes} targets: not the gradient of all {sum(_sizes)} at once."
)

# %%
model, (padded, _) = (
    small(),
    pad([[number[letter] for letter in word] for word in ("strawberry", "tea")]),
)
with torch.no_grad():
    alone, beside = model(padded[1:, :2])[0], model(padded)[1, :2]
print(
    "padding changes the scores of tea:", not torch.allclose(alone, beside, atol=1e-5)
)

# %% [markdown]
# Padding stands on the *right*, where a causal model never looks: no mask is needed. And with `whole_gradient`, four small batches are one large. What does that save, and what do
# other tricks?


# %%
def kept_bytes(model, batch, low):
    """Bytes that forward keeps for backward: activations, not weights."""
    kept, weights = (
        {},
        {weight.untyped_storage().data_ptr() for weight in model.parameters()},
    )

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
if budget().name != "grading" and shutil.which(
    "g++"
):  # compiling takes longer than grading may
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
# - `quarter_turn()`: $D = 2$, $x = (3, 1)$, $\theta = \pi/2$, against the clock: the new pair;
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
    """A new list of D numbers from a list x of D numbers and a list theta of D/2 angles."""
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
    return torch.cat(
        [a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1
    )
    ### END SOLUTION


# %% test="rotate" aspect="by hand and by loop" points=1
_got = quarter_turn()
assert np.shape(_got) == (2,), f"quarter_turn returns two numbers; yours: {_got!r}."
_one = rotate_one([1.0, 2.0, 0.0, 0.0], [math.pi / 2, 0.0])
assert np.shape(_one) == (4,), f"Four numbers in, four out; yours: {_one!r}."
assert close(_one, [0, 2, 1, 0], 0, 1e-5), (
    f"Pair 0 is (1, 0), turned by 90°; pair 1 stays (2, 0): 0 2 1 0; yours: {_one}."
)
### BEGIN HIDDEN TESTS
assert close(_got, [-1, 3], 0, 1e-5), (
    f"(3, 1) turned by 90° against the clock is not {_got}."
)
for _half in (3, 1, 4):
    _x, _theta = (
        np.random.default_rng().normal(size=2 * _half),
        np.random.default_rng().uniform(0.3, 6, _half),
    )
    _wanted = (_x[:_half] + 1j * _x[_half:]) * np.exp(1j * _theta)
    _got = rotate_one(_x.tolist(), _theta.tolist())
    assert close(_got, [*_wanted.real, *_wanted.imag], 1e-4, 1e-5), (
        f"x = {_x.round(2)}, theta = {_theta.round(2)}: not {_got}."
    )
    _after = arguments_after(rotate_one, _x.tolist(), _theta.tolist())
    assert close(_after[0], _x) and close(_after[1], _theta), (
        "Your rotate_one changes the lists it was given."
    )
### END HIDDEN TESTS

# %% test="rotate" aspect="the table of angles" points=1
_sizes = ((5, 6),)
### BEGIN HIDDEN TESTS
_sizes = ((3, 4), (random.randint(12, 15), 10), (1, 8), (5, 2))
### END HIDDEN TESTS
for _T, _D in _sizes:
    _got = angles(_T, _D)
    assert np.shape(_got) == (_T, _D // 2), (
        f"T = {_T}, D = {_D}: shape {_T, _D // 2} wanted; yours: {np.shape(_got)}."
    )
    assert torch.is_tensor(_got) and _got.is_floating_point(), (
        f"A tensor of floats is wanted; yours: {_got!r}."
    )
    for _m in range(_T):
        for _i in range(_D // 2):
            _wanted = _m / 10_000 ** (2 * _i / _D)
            assert close(_got[_m, _i], _wanted, 1e-4), (
                f"D = {_D}, place {_m}, pair {_i}: {_wanted:.5f} wanted; yours: {float(_got[_m, _i]):.5f}."
            )
### BEGIN HIDDEN TESTS
_T = random.randint(5_000, 6_000)
_wanted = np.arange(_T)[:, None] / 10_000 ** np.array([0, 0.5])
assert close(angles(_T, 4), _wanted, 1e-4), (
    f"D = 4, {_T:,} places: some angles, far to the right of a text, are rounded or wrong."
)
### END HIDDEN TESTS

# %% test="rotate" aspect="all at once" points=1
_shapes = ((2, 4, 6),)
### BEGIN HIDDEN TESTS
_shapes = ((3, 5, 4), (2, 3, 8), (4, 3, 2, 10), (7, 6), (3, 1, 4))
### END HIDDEN TESTS
for _shape in _shapes:
    _T, _D = _shape[-2:]
    _x, _theta = (
        torch.randn(_shape).double(),
        torch.rand(_T, _D // 2).double() * 3 + 0.2,
    )
    _got = rotate(_x.clone(), _theta.clone())
    assert np.shape(_got) == _shape, (
        f"The shape of x, {_shape}, is wanted; yours: {np.shape(_got)}."
    )
    _turned = torch.complex(*_x.chunk(2, -1)) * torch.polar(
        torch.ones_like(_theta), _theta
    )
    assert close(_got, torch.cat([_turned.real, _turned.imag], -1), 1e-4, 1e-5), (
        f"x of shape {_shape}, random vectors and angles: some entries differ from the formula."
    )
    ### BEGIN HIDDEN TESTS
    _after = arguments_after(rotate, _x.clone(), _theta.clone())
    assert close(_after[0], _x) and close(_after[1], _theta), (
        "x or theta is changed in place by your rotate."
    )
### END HIDDEN TESTS

# %% test="rotate" aspect="lengths stay" points=1
_x = torch.randn(3, 2, 5, 8).double()
_got = rotate(_x.clone(), 3 * torch.rand(5, 4).double())
assert np.shape(_got) == (3, 2, 5, 8), (
    f"[B, H, T, D] in, the same out; yours: {np.shape(_got)}."
)
assert close(_got.norm(dim=-1), _x.norm(dim=-1), 1e-4), (
    "Turning changes no length, but some of yours change."
)
_zero = rotate(_x.clone(), torch.zeros(5, 4).double())
assert close(_zero, _x, 1e-4, 1e-6), "With all angles zero nothing should change."
### BEGIN HIDDEN TESTS
_x, _theta = torch.randn(2, 4, 3, 10), 3 * torch.rand(3, 5) + 0.1
_got = rotate(_x.clone(), _theta.clone())
assert np.shape(_got) == (2, 4, 3, 10), (
    f"[B, H, T, D] in, the same out; yours: {np.shape(_got)}."
)
assert close(_got.norm(dim=-1), _x.norm(dim=-1), 1e-4), (
    "Turning changes no length, but some of yours change."
)
assert close(rotate(_got, -_theta), _x, 1e-3, 1e-5), (
    "Turned there and back again, x should be as before."
)
### END HIDDEN TESTS

# %% test="rotate" aspect="only the distance counts" points=1
_theta = torch.as_tensor(angles(40, 8)).double()
assert _theta.shape == (40, 4), (
    f"T = 40, D = 8: angles of shape (40, 4) are wanted; yours: {tuple(_theta.shape)}."
)
_q, _k = torch.arange(1, 9).double(), torch.arange(8, 0, -1).double()
### BEGIN HIDDEN TESTS
_q, _k = torch.rand(8).double() * 5 + 1, torch.rand(8).double() * 5 + 1
### END HIDDEN TESTS
_turned = [rotate(part.repeat(40, 1), _theta) for part in (_q, _k)]
assert np.shape(_turned[0]) == np.shape(_turned[1]) == (40, 8), (
    "x of shape (40, 8): the same is wanted back."
)
_scores = _turned[0] @ _turned[1].T
for _distance in (0, 1, 7, 30):
    _same = _scores.diagonal(_distance)
    assert close(_same, _same[0].expand_as(_same), 1e-3, 1e-3), (
        f"The same query and key, always {_distance} places apart, should always have the same product."
    )
_turn = torch.tensor([7 / 10_000 ** (i / 4) for i in range(4)]).double()
_a, _b = (
    torch.complex(*_q.chunk(2)),
    torch.complex(*_k.chunk(2)) * torch.polar(torch.ones(4).double(), _turn),
)
assert close(_scores[0, 7], (_a.conj() * _b).real.sum(), 1e-3, 1e-3), (
    f"The product of places 0 and 7 should be {(_a.conj() * _b).real.sum():.3f}; yours: {_scores[0, 7]:.3f}."
)

# %%
x, theta = torch.tensor([[3.0, 1.0]]), torch.tensor([[math.pi / 2]])
loop = rotate_one([3.0, 1.0], [math.pi / 2])
print(
    "three ways:",
    quarter_turn(),
    np.round(loop, 4) + 0.0,
    rotate(x, theta)[0].numpy().round(4) + 0.0,
)


# %%
def sinusoids(T, C):
    """Chapter 6's positions [T, C]; small, as learned ones begin."""
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
        losses = F.cross_entropy(
            model(long[:, :-1]).transpose(1, 2), long[:, 1:], reduction="none"
        )
    axes.plot(range(8, 129, 16), losses.mean(0).view(8, 16).mean(1), "o-", label=name)
axes.axvline(32, color="gray", linestyle=":")
axes.set(
    xlabel="place in the text; trained up to the dotted line",
    ylabel="loss (nats per letter)",
)
axes.legend()
plt.show()

# %% [markdown]
# "You can only handle positions up to the length you observed" (003): a *table* ends, or has untrained rows; formulas have an angle for every
# place. After 20 steps there is little to lose. After 300 comes a surprise: rotary is best before the line and worst from about 50 on,
# while the table's untrained rows, small as they are, lose little. The rotary formula loses most: the claim hardly fits.

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
# - `orthogonal(G, rounds)`: $X$, also of tiny gradients, $\lVert G \rVert = 10^{-6}$; a zero matrix stays zero.

# %% [markdown] hints="orthogonal"
# 1. Near zero, only one of the three terms matters. What does it do, round after round, and until when?
# 2. $X X^\top$ is $[p, p]$. Compute it once a round.
# 3. In a loop: the square table, its square, and three terms added; each uses the *old* $X$. Add something tiny to the norm, such as Muon's published $10^{-7}$, so
#    that nothing is divided by zero.

# %% task="orthogonal" points=4 level=2 minutes=15
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
    """A new X [p, q] after so many rounds, from a matrix G [p, q]."""
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
    assert is_number(_got), f"pushed returns a number; yours: {_got!r}."
    assert close(_got, _wanted, 1e-5), (
        f"s = {_s}, {_rounds} rounds: {_wanted} wanted; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_step = np.polynomial.Polynomial([0, 3.4445, 0, -4.775, 0, 2.0315])
for _rounds in (2, 4, 1, 0):
    _s = _wanted = random.uniform(0.2, 0.9)
    for _ in range(_rounds):
        _wanted = _step(_wanted)
    _got = pushed(_s, _rounds)
    assert close(_got, _wanted, 1e-4), (
        f"s = {_s:.4f}, {_rounds} rounds: {_wanted:.5f} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="orthogonal" aspect="directions stay, values are pushed" points=1
_sizes = ((3, 4, 5),)
### BEGIN HIDDEN TESTS
_sizes = ((3, 5, 4), (6, 2, 3), (4, 4, 2), (5, 1, 1), (1, 6, 5), (3, 2, 0))
### END HIDDEN TESTS
for _p, _q, _rounds in _sizes:
    _G = torch.randn(_p, _q).double() * 30
    _got = orthogonal(_G.clone(), _rounds)
    assert np.shape(_got) == (_p, _q), (
        f"G is [{_p}, {_q}], so X is; yours: {np.shape(_got)}."
    )
    _U, _S, _W = torch.linalg.svd(_G, full_matrices=False)
    _S = _S / _S.norm()
    for _ in range(_rounds):
        _S = _S * (3.4445 + _S**2 * (-4.775 + 2.0315 * _S**2))
    assert close(_got, _U * _S @ _W, 1e-3, 1e-4), (
        f"A random {_p} x {_q} matrix, {_rounds} rounds: directions as in G and "
        f"pushed singular values {_S.numpy().round(3)} wanted."
    )
    ### BEGIN HIDDEN TESTS
    assert close(arguments_after(orthogonal, _G.clone(), _rounds)[0], _G), (
        "G is changed in place by your orthogonal."
    )
### END HIDDEN TESTS

# %% test="orthogonal" aspect="zero stays zero" points=1
_shapes, _tiny = ((2, 3),), (1, 1e-3)
### BEGIN HIDDEN TESTS
_shapes, _tiny = ((3, 2), (4, 4), (1, 5)), (1, 1e-3, 2e-4, 1e4)
### END HIDDEN TESTS
for _shape in _shapes:
    _got = orthogonal(torch.zeros(_shape))
    assert np.shape(_got) == _shape, (
        f"G is {list(_shape)}, so X is; yours: {np.shape(_got)}."
    )
    assert not torch.as_tensor(_got).isnan().any(), (
        "A zero gradient gives NaN: something is divided by zero."
    )
    assert not np.any(np.asarray(_got)), (
        f"A zero gradient should give a zero step; yours: {_got}."
    )
_wanted = 2 / math.hypot(1, 2)
for _ in range(5):
    _wanted = 3.4445 * _wanted - 4.775 * _wanted**3 + 2.0315 * _wanted**5
for _scale in _tiny:
    _got = orthogonal(torch.tensor([[_scale, 0.0], [0.0, 2 * _scale]]).double())
    assert np.shape(_got) == (2, 2), f"G is [2, 2], so X is; yours: {np.shape(_got)}."
    assert close(_got[1][1], _wanted, 5e-3), (
        f"G = {_scale:g} times [[1, 0], [0, 2]] and no rounds given, so 5: X[1, 1] should be {_wanted:.3f}, whatever the "
        f"scale; yours: {float(_got[1][1]):.3f}. Is what you add to the norm tiny beside it?"
    )
### BEGIN HIDDEN TESTS
for _got in (
    orthogonal(torch.tensor([[1e-6]]).double()),
    orthogonal(torch.tensor([[1e-6]])),
):
    assert np.shape(_got) == (1, 1), f"G is [1, 1], so X is; yours: {np.shape(_got)}."
    assert 0.5 < _got[0][0] < 1.3, (
        f"G of norm 0.000001 is small, but not zero: its X is about 1; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="orthogonal" aspect="guess and measurement" points=1
for _name, _value in (("guess_small", guess_small), ("measured_small", measured_small)):
    assert is_number(_value), f"{_name} should be a number; yours: {_value!r}."
### BEGIN HIDDEN TESTS
_s = 0.01
for _ in range(5):
    _s = _s * (3.4445 + _s**2 * (-4.775 + 2.0315 * _s**2))
assert close(measured_small, _s, 1e-3), (
    f"0.01 does not become {measured_small} in 5 rounds."
)
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
changes = {
    "as built": {},
    "rotary": {"positions": "rotary"},
    "RMSNorm": {"norm": "rms"},
}
changes |= {"squared ReLU": {"activation": "squared_relu"}, "Muon": {}}
changes["all four"] = {
    "positions": "rotary",
    "norm": "rms",
    "activation": "squared_relu",
}

# %%
steps, seeds = budget().choose(
    grading=(20, (1,)), laptop=(200, (1, 2)), gpu=(2_000, (1, 2, 3))
)
schedule, losses = warmup_cosine(steps // 10, 0), {}

# %%
for name, switches in changes.items():
    losses[name] = []
    for seed in seeds:
        set_seed(seed)
        model = small(**switches)
        by_muon = name in ("Muon", "all four")
        optimiser = (
            muon(model, model.blocks, 0.02, 1e-2) if by_muon else adamw(model, 1e-2)
        )
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
# From scores $s$ to chances, in this order: **temperature** $\tau$, $\text{softmax}(s / \tau)$, where $\tau = 0$ means all to the best (of equals, any one); **top-k** keeps
# the $k$ most likely; **top-p** keeps the *fewest* most likely that together have at least $p$. Either way, what is *just as likely* as the last one kept
# stays, too: no token is dropped for its number. What is dropped gets 0, the rest is scaled to sum 1, after top-k and after top-p.
#
# Write `next_distribution(s, tau, k, p)`, $[B, V]$; `None` for $k$ or $p$ means all.

# %% [markdown] hints="next_distribution"
# 1. Chances .5, .3, .2 and $p = 0.6$: is the second one kept?
# 2. Sort each row from likely to unlikely; then top-k is a slice, and top-p a running sum.
# 3. A token is kept as long as those *before* it have less than $p$ together. Sorted back is easy if you find, instead, the chance of the
#    last one kept, and drop all that have less.


# %% task="next_distribution" points=4 level=2 minutes=18
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V], which stay as they are."""
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
        chances = chances * (
            chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1)
        )
        chances = chances / chances.sum(-1, keepdim=True)
    return chances
    ### END SOLUTION


# %% test="next_distribution" aspect="temperature" points=1
_s = torch.tensor([[0.0, math.log(2), math.log(3)], [5.0, 900.0, 1.0]]).double()
for _tau, _wanted in (
    (1.0, [1 / 6, 2 / 6, 3 / 6]),
    (0.5, [1 / 14, 4 / 14, 9 / 14]),
    (0, [0, 0, 1]),
):
    _got = next_distribution(_s.clone(), _tau)
    assert np.shape(_got) == (2, 3), (
        f"Chances of shape (2, 3) are wanted; yours: {np.shape(_got)}."
    )
    assert close(_got[0], _wanted, 1e-5, 1e-6), (
        f"Scores ln 1, ln 2, ln 3 at {_tau}: {np.round(_wanted, 3)}; yours: {_got[0]}."
    )
    assert close(_got[1], [0, 1, 0], 1e-5, 1e-6), (
        f"A score of 900 beside 5 and 1 at {_tau}: all to it; yours: {_got[1]}."
    )
assert close(next_distribution(_s.clone())[0], [1 / 6, 2 / 6, 3 / 6], 1e-5), (
    "If none is given, the temperature is 1."
)
### BEGIN HIDDEN TESTS
_s = torch.randn(3, 5).double() * 3
for _tau in (0.3, 1.7, 4.0):
    _wanted = torch.softmax(_s / _tau, -1)
    assert close(next_distribution(_s.clone(), _tau), _wanted, 1e-4, 1e-5), (
        f"Random scores, temperature {_tau}: wrong."
    )
assert close(arguments_after(next_distribution, _s.clone(), 0.7, 3, 0.8)[0], _s), (
    "Your function changes the scores s."
)
_s = torch.tensor(
    [[1e-30, 0.0, -1.0], [-900.0, 3.0, 3.001], [-7.0, -6.0, -8.0], [5, 4, 4.99]]
)
for _more in ((0,), (0, 2), (0.0, None, 0.5), (0, 3, 0.9)):
    _got = next_distribution(_s.clone(), *_more)
    assert close(_got, [[1, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]], 0, 1e-6), (
        f"tau = 0 gives all to the best, by however little it is better, whatever k and p are; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="next_distribution" aspect="the k most likely" points=1
_s = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.4, 0.3, 0.2, 0.1]]).double().log()
_got = next_distribution(_s.clone(), 1.0, 2)
assert np.shape(_got) == (2, 4), (
    f"Chances of shape (2, 4) are wanted; yours: {np.shape(_got)}."
)
assert close(_got, [[0, 4 / 7, 0, 3 / 7], [4 / 7, 3 / 7, 0, 0]], 1e-5, 1e-6), (
    f"k = 2: two of each row, sum 1; yours: {_got}."
)
assert close(next_distribution(_s.clone(), 1.0, 9), _s.exp(), 1e-5), (
    "k larger than V keeps everything."
)
### BEGIN HIDDEN TESTS
_s = torch.stack([torch.randperm(7) for _ in range(3)]).double() / 2
for _k in (1, 3, 7, 8):
    _wanted = torch.softmax(_s.masked_fill(_s < (7 - _k) / 2, -math.inf), -1)
    assert close(next_distribution(_s.clone(), 1.0, _k), _wanted, 1e-4, 1e-6), (
        f"Seven tokens in three rows, k = {_k}: the {min(_k, 7)} best of each row should stay, scaled to sum 1."
    )
_s = torch.tensor(
    [
        [0.0, 1.0, 0.0, -1.0],
        [2.0, 2.0, 2.0, 5.0],
        [1.0, 3.0, 2.0, 0.0],
        [-1.0, 1.0, 0.0, 1.0],
    ]
)
for _k, _kept in (
    (3, [[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [0, 1, 1, 1]]),
    (2, [[1, 1, 1, 0], [1, 1, 1, 1], [0, 1, 1, 0], [0, 1, 0, 1]]),
    (1, [[0, 1, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0], [0, 1, 0, 1]]),
):
    _wanted = torch.softmax(_s.masked_fill(torch.tensor(_kept) == 0, -math.inf), -1)
    _got = next_distribution(_s.clone(), 1.0, _k)
    assert close(_got, _wanted, 1e-4, 1e-6), (
        f"k = {_k}, scores {_s.tolist()}: what is as likely as the last one kept stays, too, and only that; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="next_distribution" aspect="the fewest that reach p" points=1
_s = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.02, 0.03, 0.9, 0.05]]).double().log()
for _p, _wanted in (
    (0.6, [[0, 4, 0, 3], [0, 0, 1, 0]]),
    (0.95, [[1, 4, 2, 3], [0, 0, 90, 5]]),
    (0.3, [[0, 1, 0, 0], [0, 0, 1, 0]]),
):
    _wanted = np.array(_wanted) / np.sum(_wanted, axis=1, keepdims=True)
    _p = _p - 1e-6  # .9 and .05 are .95, whatever rounding makes of it
    _got = next_distribution(_s.clone(), 1.0, None, _p)
    assert np.shape(_got) == (2, 4), (
        f"Chances of shape (2, 4) are wanted; yours: {np.shape(_got)}."
    )
    assert close(_got, _wanted, 1e-5, 1e-6), (
        f"p = {_p:.2f}, chances {_s.exp().numpy()}: {_wanted.round(3)} wanted; yours {_got}."
    )
### BEGIN HIDDEN TESTS
_half = torch.tensor([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]).double()
for _s in (_half.log() + shift for shift in range(9)):
    if all(
        torch.equal(part.softmax(1).double(), _half) for part in (_s, _s.float())
    ):  # rounding leaves the half alone
        _got = next_distribution(_s.clone(), 1.0, None, 0.5)
        assert close(_got, [[1, 0, 0], [0, 1, 0]], 0, 1e-6), (
            f"Chances .5, .25, .25 and p = .5: the best alone has at least p, so only it stays; yours: {_got[0]}."
        )
_s = torch.tensor([[0.0, 1.0, 0.0, -1.0], [2.0, 2.0, 2.0, -1.0]])
_got = next_distribution(
    _s.clone(), 1.0, None, 0.6
)  # chances .20, .53, .20, .07 and .33, .33, .33, .02
_wanted = torch.softmax(_s.masked_fill(_s < 0, -math.inf), -1)
assert close(_got, _wanted, 1e-4, 1e-6), (
    f"p = .6, scores {_s.tolist()}: what is as likely as the last one kept stays, too; yours: {_got}."
)
_s = torch.randn(60, 50)
assert close(
    next_distribution(_s.clone(), 1.0, None, 1.0), _s.softmax(-1), 1e-3, 1e-5
), "p = 1 keeps everything, also where 50 chances in float32 add up to 0.9999999."
_got = next_distribution(_s.clone(), 1.0, None, 1e-6)
assert close(_got, F.one_hot(_s.argmax(-1), 50), 0, 1e-6), (
    "A tiny p keeps the best token, and only it."
)
### END HIDDEN TESTS

# %% test="next_distribution" aspect="all three in order" points=1
_cases = [(torch.tensor([[0.0, 1, 0.5, -1], [2, 1.9, 1.8, 1.7]]).double(), 0.7, 3, 0.8)]
### BEGIN HIDDEN TESTS
_cases = []
while (
    len(_cases) < 9
):  # cases in which another order gives something else, and no sum is nearly p
    _tau, _k, _p = ((2.0, 5, 0.7), (0.8, 4, 0.9), (0.6, 3, 0.8))[len(_cases) // 3]
    _s = torch.randn(1, 9).double()
    _hot, _cold = (
        _s.sort(descending=True).values.softmax(1),
        (_s / _tau).sort(descending=True).values.softmax(1),
    )
    _kept = (_cold[:, :_k] / _cold[:, :_k].sum()).cumsum(1)
    _count, _late = (_kept < _p).sum() + 1, min((_cold.cumsum(1) < _p).sum() + 1, _k)
    _plain = ((_hot[:, :_k] / _hot[:, :_k].sum()).cumsum(1) < _p).sum() + 1
    if _count not in (_late, _plain, _k) and (_kept - _p).abs().min() > 1e-3:
        _cases.append(
            (torch.stack([_s[0][torch.randperm(9)] for _ in range(3)]), _tau, _k, _p)
        )
### END HIDDEN TESTS
for _s, _tau, _k, _p in _cases:
    _got = next_distribution(_s.clone(), _tau, _k, _p)
    assert np.shape(_got) == tuple(_s.shape), (
        f"Shape {tuple(_s.shape)} is wanted; yours: {np.shape(_got)}."
    )
    for _row, _line in enumerate(_s.tolist()):
        _best = sorted(range(len(_line)), key=lambda v: -_line[v])[:_k]
        _all = sum(math.exp(_line[v] / _tau) for v in _best)
        _kept, _sum = [], 0.0
        for _v in _best:
            if _sum < _p:
                _kept.append(_v)
            _sum += math.exp(_line[_v] / _tau) / _all
        _total = sum(math.exp(_line[v] / _tau) for v in _kept)
        _wanted = [
            math.exp(_line[v] / _tau) / _total if v in _kept else 0
            for v in range(len(_line))
        ]
        assert close(_got[_row], _wanted, 1e-4, 1e-5), (
            f"tau = {_tau}, k = {_k}, p = {_p}: {np.round(_wanted, 3)} wanted; yours: {np.round(_got[_row], 3)}."
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
    letters = writer.generate(prompt, 70, temperature=tau, top_p=top_p, generator=draw)[
        0
    ]
    written = "".join(alphabet[i] for i in letters).replace("\n", "¶")
    axes.text(
        0,
        0.85 - 0.28 * line,
        f"τ = {tau:<3} p = {top_p or 1:<3}  {written}",
        family="monospace",
        fontsize=10,
    )
plt.show()

# %% [markdown]
# Cold, the likeliest letters take more; hot, rare ones come too. Compare the second line with the third, drawn with the same dice: where did $p = 0.8$ first forbid a letter?

# %% [markdown] statement="attend_next"
# ## 17. Remember keys and values
#
# A causal model never changes its past: *keep* keys and values.
#
# - `attend_next(q, k, v, past)`: attention of one new token, $q, k, v$ $[B, H, 1, D]$; `past` is `None` or (keys, values), both $[B, H, t, D]$.
#   Returns $z$ $[B, H, 1, D]$ and the new pair;
# - `reads(m, n)`: prompt of $m$ tokens, $n \ge 1$ new ones. How many are read in all, (without, with) cache? The last new token never is;
# - `cache_bytes(N, B, T, C, size)`: $N$ layers, `size` bytes a number.

# %% [markdown] hints="attend_next"
# 1. The newest token may look at everything there is. Does it need a mask?
# 2. The first new token comes from reading the prompt. What must be read for the second, with a cache and without?
# 3. Join old and new along the axis of places; scores are the query times all keys, over the root of $D$; softmax; times all values. For `reads`, add up
#    $m, m + 1, \dots$ over $n$ rounds, against the prompt once and then one at a time.


# %% task="attend_next" points=4 level=3 minutes=15
def attend_next(q, k, v, past):
    """(z [B, H, 1, D], (keys, values) [B, H, t + 1, D]) for the newest token; scores may be 1,000 or -1,000."""
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

# %% test="attend_next" aspect="tokens read" points=1
for _m, _n, _wanted in ((1, 1, (1, 1)), (1, 3, (6, 3)), (4, 2, (9, 5))):
    _got = reads(_m, _n)
    assert np.shape(_got) == (2,), f"reads returns two numbers; yours: {_got!r}."
    assert close(_got, _wanted), (
        f"Prompt {_m}, {_n} new: {_wanted} wanted; yours: {tuple(_got)}."
    )
### BEGIN HIDDEN TESTS
for _m, _n in ((random.randint(5, 50), random.randint(5, 50)), (30, 1), (1, 20)):
    _wanted, _got = (
        (len([1 for i in range(_n) for _ in range(_m + i)]), _m + _n - 1),
        reads(_m, _n),
    )
    assert close(_got, _wanted), f"Prompt {_m}, {_n} new tokens: not {_got}."
### END HIDDEN TESTS

# %% test="attend_next" aspect="bytes of a cache" points=1
_got = cache_bytes(12, 1, 1024, 768, 2)
assert is_number(_got), f"cache_bytes returns a number; yours: {_got!r}."
assert _got == 37_748_736, (
    f"GPT-2's size, 1,024 tokens, 2 bytes each: 37,748,736 bytes; yours: {_got:,}."
)
### BEGIN HIDDEN TESTS
for _args in ((3, 5, 7, 11, 2), (2, 3, 4, 5, 4), (1, 1, 1, 1, 1)):
    _got = cache_bytes(*_args)
    assert close(_got, 2 * math.prod(_args)), f"N, B, T, C, size = {_args}: not {_got}."
### END HIDDEN TESTS

# %%
most = budget().choose(grading=160, laptop=512, gpu=512)
model, lengths, times = (
    small(block=2 * most, width=64),
    [most // 8, most // 3, most],
    {},
)
same = []

# %%
for cache in (False, True):
    times[cache] = []
    for n in lengths:
        draw, begin = torch.Generator().manual_seed(1), time.process_time()
        same.append(model.generate(prompt[:, :1], n, cache=cache, generator=draw))
        times[cache].append(time.process_time() - begin)
print(
    "the same tokens:",
    all(torch.equal(*two) for two in zip(same[:3], same[3:], strict=True)),
)

# %%
_, (left, right) = plt.subplots(1, 2)
for cache, label in ((False, "without"), (True, "with cache")):
    left.loglog(lengths, times[cache], "o-", label=label)
left.set(xlabel="new tokens", ylabel="CPU seconds")
left.legend()
right.loglog(
    lengths, [np.divide(*reads(1, n)) for n in lengths], "o-", label="tokens read"
)
right.loglog(lengths, np.divide(times[False], times[True]), "o-", label="time")
right.set(xlabel="new tokens", ylabel="without / with cache")
right.legend()
for axes in (left, right):
    axes.set_xticks(lengths, lengths)
    axes.minorticks_off()
right.set_yticks((1, 2, 5, 10, 50), (1, 2, 5, 10, 50))
plt.show()

# %% [markdown]
# The same tokens. On the whole, the time saved grows with length, but stays behind the count: a step for one token has costs that do not depend on how much is read.

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
assert hasattr(slide, "keys") and {"LSTM", "Transformer"} <= set(slide), (
    f"slide is a dict; yours: {slide!r}."
)
for _name in ("LSTM", "Transformer"):
    assert is_number(slide[_name]), f"slide[{_name!r}] should be a number: {slide!r}."
assert slide["LSTM"] > slide["Transformer"] > 1, (
    f"Fewer bits, smaller perplexity, above 1; yours: {slide!r}."
)
### BEGIN HIDDEN TESTS
assert close(slide["LSTM"], 2.3784, 3e-3), (
    f"1.25 bits are not a perplexity of {slide['LSTM']}."
)
assert close(slide["Transformer"], 2.0994, 3e-3), (
    f"1.07 bits: not {slide['Transformer']}."
)
### END HIDDEN TESTS

# %% test="bits" aspect="nats per token to bits" points=1
_got = bits(math.log(2), 10, 10)
assert is_number(_got), f"bits returns a number; yours: {_got!r}."
assert close(_got, 1, 1e-5), f"ln 2 nats for each character are 1 bit; yours: {_got}."
_got = bits(math.log(32), 100, 500)
assert close(_got, 1, 1e-5), (
    f"100 words of 5 characters, 32 equally likely words: 5 bits a word, 1 a character; not {_got}."
)
### BEGIN HIDDEN TESTS
_p, _lengths = (
    np.random.default_rng().uniform(0.05, 0.9, 30),
    np.random.default_rng().integers(2, 9, 30),
)
_wanted, _got = (
    -np.log2(_p).sum() / _lengths.sum(),
    bits(-np.log(_p).mean(), 30, int(_lengths.sum())),
)
assert close(_got, _wanted, 1e-5), (
    f"30 random words: {_wanted:.4f} wanted; yours: {_got}."
)
_got = bits(0.0, 7, 31)
assert close(_got, 0), f"A model that is sure and right, 0 nats: 0 bits; yours: {_got}."
### END HIDDEN TESTS

# %% test="bits" aspect="size of the packed text" points=1
_got = megabytes(8, 3_000_000)
assert is_number(_got), f"megabytes returns a number; yours: {_got!r}."
assert close(_got, 3, 1e-5), f"3 million characters at 8 bits: 3 MB; yours: {_got}."
### BEGIN HIDDEN TESTS
for _rate, _size, _wanted in (
    (1.07, 100_000_000, 13.375),
    (2.5, 1_000, 0.0003125),
    (12, 600_000, 0.9),
    (3.2, 7, 2.8e-6),
    (1.6, 1_000_013, 0.2000026),
):
    _got = megabytes(_rate, _size)
    assert close(_got, _wanted, 1e-5), (
        f"{_size:,} characters at {_rate} bits: {_wanted} MB wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %%
for name, bpc in (("LSTM", 1.25), ("Transformer", 1.07)):
    print(
        f"text8, {name}: {slide[name]:.2f} equally likely letters; 100 MB become {megabytes(bpc, 10**8):.1f}"
    )

# %% [markdown]
# And on our text? We go back to words, where the floor and chapter 02's champion wait. Here is its modified Kneser-Ney:

# %% include="02_smoothing:modified_kneser_ney"

# %%
more = budget().choose(grading=0, laptop=300_000, gpu=3_000_000)
training, valid = list(corpus.splits["train"]), corpus.splits["valid"]
if more:
    training += [
        document.tokens[:-1] for document in kitchen.documents(tokens=more, seed=8)
    ]

# %%
counts = ngrams.NgramCounts(
    training, 5, ngrams.events(training, 2)
)  # words seen once are <UNK>
words = counts.vocabulary
word_ids, valid_ids = (
    torch.from_numpy(row[row != len(words)])
    for row in map(counts.encode, (training, valid))
)
tables = kneser_ney(counts.levels, len(words))  # noqa: F821
champion = ngrams.BackoffModel(counts, *zip(*tables, strict=True))
nats = {"Kneser-Ney 5": -champion.score(valid).mean()}


# %%
class Recurrent(nn.Module):
    """An LSTM between an embedding and the same, transposed; 15C/8 cells make it as large as two blocks."""

    def __init__(self, V, C):
        super().__init__()
        self.embedding = nn.Embedding(V, C)
        nn.init.normal_(self.embedding.weight, std=0.05)
        self.cell, self.out = (
            nn.LSTM(C, 15 * C // 8, batch_first=True),
            nn.Linear(15 * C // 8, C),
        )

    def forward(self, tokens, targets=None):
        scores = (
            self.out(self.cell(self.embedding(tokens))[0]) @ self.embedding.weight.T
        )
        return (
            scores
            if targets is None
            else F.cross_entropy(scores.flatten(0, 1), targets.flatten())
        )


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
    models[name] = model = (
        Recurrent(len(words), C) if name == "LSTM" else transformer.Transformer(config)
    )
    optimiser = (
        adamw(model, 1e-2) if name == "LSTM" else muon(model, model.blocks, 0.02, 1e-2)
    )
    options = {
        "schedule": warmup_cosine(steps // 10, 0),
        "every": max(5, steps // 20),
        "validation": held_out_words,
    }
    options |= {
        "steps": steps,
        "optimiser": optimiser,
        "clock": time.process_time,
        "device": "cpu",
    }
    histories[name] = train(model, word_windows, letter_loss, **options)
    nats[name] = loss_with_context(model, valid_ids, 64)
    print(f"{name}: {sum(weight.numel() for weight in model.parameters()):,} weights")

# %%
nats["floor"] = kitchen.floor(kitchen.split("valid"), set(words)).nats
letters = sum(len(word) + 1 for document in valid for word in document) + len(valid)
order = sorted(nats, key=nats.get)
colours = dict(
    zip(["LSTM", "Transformer", "Kneser-Ney 5", "floor"], plots.COLOURS, strict=False)
)
per_letter = [bits(nats[name], len(valid_ids), letters) for name in order]

# %%
_, (left, right) = plt.subplots(1, 2, figsize=(9, 2.9))
for name, history in histories.items():
    left.plot(
        history["seconds"],
        history["validation loss"],
        ".-",
        color=colours[name],
        label=name,
    )
for name, style in (("Kneser-Ney 5", "--"), ("floor", ":")):
    left.axhline(nats[name], color=colours[name], linestyle=style, label=name)
left.set(xlabel="CPU seconds of training", ylabel="held-out loss (nats per word)")
left.legend()
bars = right.barh(order, per_letter, color=[colours[name] for name in order])
right.bar_label(bars, [f"{math.exp(nats[name]):.3g}" for name in order], padding=3)
right.set(
    xlabel="bits per character; beside it, perplexity per word",
    xlim=(0, 1.15 * max(per_letter)),
)
plt.show()

# %% [markdown]
# Counting is done in a second; networks need time: after a few seconds they pass it. docs/corpora.md has four minutes for each on a longer
# text, in perplexity per word: Kneser-Ney 12.1, LSTM 7.7, Transformer 5.6, floor 4.9. What is it that attention learns? Ask for the right form of a verb, and for words said before:


# %%
def scores_of(model, asked):
    """Scores [n, V] for the word at each probe, from up to 64 words before it."""
    if model is champion:
        return torch.from_numpy(
            np.array([champion.context_distribution(probe.prefix) for probe in asked])
        )
    prefixes = [
        torch.tensor([counts.index[w] for w in ["</s>", *probe.prefix]][-64:])
        for probe in asked
    ]
    padded = nn.utils.rnn.pad_sequence(
        prefixes, batch_first=True
    )  # on the right: harmless
    with torch.no_grad():
        return torch.stack(
            [
                row[len(prefix) - 1]
                for row, prefix in zip(model(padded), prefixes, strict=True)
            ]
        )


def is_right(probe, row):
    """Copying: the right word is on top. Agreement: the right form is likelier than the other number."""
    right, wrong = (
        row[[counts.index[word] for word in some]]
        for some in (probe.right, probe.wrong)
    )
    return (
        bool(right.max() >= row.max())
        if probe.wrong == ()
        else bool(right.max() > wrong.max())
    )


# %%
bands = {"1-4": 1, "5-12": 5, "13-30": 13, "31 on": 31}

# %%
_, panels = plt.subplots(1, 2, sharey=True)
for axes, kind in zip(panels, ("agreement", "copying"), strict=True):
    asked = kitchen.probes(
        kind, tokens=budget().choose(grading=5_000, laptop=20_000, gpu=30_000), seed=13
    )
    places = (
        np.searchsorted(
            list(bands.values()), [probe.distance for probe in asked], side="right"
        )
        - 1
    )
    for (name, model), style in zip(
        {"Kneser-Ney 5": champion, **models}.items(), ("o-", "D-", ".--"), strict=True
    ):
        right = np.array(
            [is_right(*two) for two in zip(asked, scores_of(model, asked), strict=True)]
        )
        some = [band for band in range(4) if (places == band).any()]
        shares = [100 * right[places == band].mean() for band in some]
        axes.plot(some, shares, style, color=colours[name], label=name)
    axes.set(
        xlabel="words back",
        title=kind,
        ylim=(-3, 103),
        xlim=(-0.3, 3.3),
        xticks=range(4),
        xticklabels=bands,
    )
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
    print(
        record["name"],
        record["machine"]["device"],
        record["command"],
        record["results"],
        sep="\n",
    )
if not records:
    print(
        "data/runs/ holds no record yet: here will stand what the command measured on a GPU."
    )
