# ---
# title: Many heads, masks, order and what it costs
# ---

# %% [markdown]
# One attention asks one question and gets *one average*. This part gives a word several questions, forbids it to look ahead, finds out
# that it never noticed the order, and reads the bill.

# %%
import math
import random
import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

from lmkit import plots
from lmkit.budgets import budget
from lmkit.training import set_seed, train, warmup_cosine

plots.use_style()
torch.set_num_threads(1)

# %%
attend = F.scaled_dot_product_attention  # softmax(Q Kᵀ / √d_k) V over the last two axes, torch's own

# %% [markdown] statement="two_heads"
# ## 9. Two heads
#
# With $h$ **heads**, head $l$ sees its own $d_k = d/h$ columns of $Q, K, V$, each of shape $[T, d]$. The results stand side by side
# (shape $[T, d]$) and are mixed by $H$, shape $[d, d]$.
#
# - `by_hand`: $d = h = 2$, query $(1, 1)$, keys $(\ln 3, 0)$ and $(0, \ln 3)$, values $(1, 2)$ and $(5, 6)$,
#   $H = \begin{pmatrix}1 & 0\\1 & 1\end{pmatrix}$. Give the two numbers;
# - `multihead_loop(Q, K, V, H, h)`, head by head;
# - `wrong_lines`: which of lecture 000's lines cannot run (9 words, hidden 8, 2 heads)?

# %% [markdown]
# ```
# 1  Q1 = x @ W_q1                             # [seq_len, hidden / 2]
# 2  h1 = softmax(Q1 @ K1.T) @ V1.T            # the output of the first head
# 3  h = [h1:h2] @ H                           # concatenate and mix them together
# 4  s = Q @ K.T                               # all heads; .T swaps the last two axes
# 5  h = softmax(s) @ V                        # [num_heads, seq_len, hidden / num_heads]
# 6  h = h.transpose(0, 1).reshape(1, 2)       # [seq_len, hidden]
# ```

# %% [markdown] hints="two_heads"
# 1. $e^{\ln 3} = 3$. And how wide is one head's query here, so what is $\sqrt{d_k}$?
# 2. By hand: head 1 has the weights 3/4 and 1/4 and sees the first column of the values only. For the lines: write the
#    shape of both factors below each product.
# 3. Loop: cut the same columns out of all three, attend, collect; at the end one concatenation and one product.


# %% task="two_heads" points=4 level=1 minutes=15
# by_hand = [number, number]
# wrong_lines = {numbers of the lines that cannot run}
### BEGIN SOLUTION
by_hand = [7, 5]
wrong_lines = {2, 3, 6}
### END SOLUTION


def multihead_loop(Q, K, V, H, h):
    """[T, d] from Q, K, V: [T, d] and H: [d, d]; head l has the columns l * d/h up to (l + 1) * d/h."""
    ### BEGIN SOLUTION
    d_k, heads = Q.shape[1] // h, []
    for head in range(h):
        own = slice(head * d_k, (head + 1) * d_k)
        heads.append(attend(Q[:, own], K[:, own], V[:, own]))
    return torch.cat(heads, dim=1) @ H
    ### END SOLUTION


# %% test="two_heads" aspect="two heads by hand" points=1
assert np.shape(by_hand) == (2,), f"by_hand holds two numbers; yours: {by_hand!r}."
assert min(by_hand) > 1, f"Both numbers are averages of positive values, or sums of such; yours: {by_hand!r}."
### BEGIN HIDDEN TESTS
_hint = {(2, 5): "That is before H mixes the heads.", (2, 7): "A row times H, not H times a column."}
_hint = _hint.get(tuple(round(float(_x), 3) for _x in by_hand), "Weights 3/4, 1/4 in head 1 and 1/4, 3/4 in head 2.")
assert np.allclose([float(_x) for _x in by_hand], [7, 5], atol=0.01), f"Not {by_hand!r}. {_hint}"
### END HIDDEN TESTS

# %% test="two_heads" aspect="head by head" points=1
_T, _h, _d_k = 5, 2, 3
### BEGIN HIDDEN TESTS
_T, _h, _d_k = random.randint(5, 8), *random.sample([2, 3, 4], 2)
### END HIDDEN TESTS
_Q, _K, _V = (torch.randn(_T, _h * _d_k).double() for _ in range(3))
_got = multihead_loop(_Q, _K, _V, torch.eye(_h * _d_k).double(), _h)
assert torch.is_tensor(_got) and _got.shape == _Q.shape, f"Shape {tuple(_Q.shape)} wanted; yours: {_got!r}."
for _l in range(_h):
    _own = range(_l * _d_k, (_l + 1) * _d_k)
    for _t in range(_T):
        _s = [sum(_Q[_t, c] * _K[u, c] for c in _own).item() / math.sqrt(_d_k) for u in range(_T)]
        _a = np.exp(_s) / np.exp(_s).sum()
        _wanted = [sum(_a[u] * _V[u, c].item() for u in range(_T)) for c in _own]
        assert np.allclose(_got[_t, _own[0] : _own[-1] + 1], _wanted), (
            f"H = I, h = {_h}, d = {_h * _d_k}: word {_t}, columns of head {_l + 1} (of {_h}) are not softmax(QKᵀ/√(d/h))V "
            "of these columns."
        )

# %% test="two_heads" aspect="the mixing matrix" points=1
_Q, _V, _H = torch.zeros(3, 4).double(), torch.randn(3, 4).double(), torch.randn(4, 4).double()
_got = multihead_loop(_Q, _V.clone(), _V, _H, 2)
assert torch.is_tensor(_got) and _got.shape == (3, 4), f"Shape (3, 4) wanted; yours: {_got!r}."
assert torch.allclose(_got[0], _V.mean(0) @ _H), (
    f"Queries of zeros: all heads average, then (mean of V) H = {(_V.mean(0) @ _H).tolist()}; yours: {_got[0].tolist()}."
)

# %% test="two_heads" aspect="lines that cannot run" points=1
assert isinstance(wrong_lines, set | list | tuple | frozenset), f"wrong_lines is a set; yours: {wrong_lines!r}."
assert set(wrong_lines) < {1, 2, 3, 4, 5, 6}, f"Numbers of lines, and not of all six; yours: {wrong_lines!r}."
### BEGIN HIDDEN TESTS
assert not set(wrong_lines) - {2, 3, 6}, "One of the lines that you name does run: try it with zeros of these shapes."
assert set(wrong_lines) == {2, 3, 6}, "A line that you do not name cannot run: try each with zeros of these shapes."
### END HIDDEN TESTS

# %% [markdown] statement="heads_at_once"
# ## 10. All heads at once
#
# GPUs dislike loops. Give the heads an axis of their own instead:
#
# - `split_heads(X, h)`: $[\dots, T, d] \to [\dots, h, T, d/h]$, where head $l$ holds the same columns as before;
# - `merge_heads(Z)`: back, $[\dots, h, T, d/h] \to [\dots, T, d]$;
# - `multihead(x, W_q, W_k, W_v, H, h)`: from $x$, $[\dots, T, d]$, and four matrices $[d, d]$, without a loop.
#
# "Transpose (not reshape!)", lecture 000 warns. Why? The cell below shows it with numbers.

# %% [markdown] hints="heads_at_once"
# 1. Number the entries of two words with $d = 4$ from 1 to 8, as they lie in memory. Which of them must head 2 get?
# 2. A reshape never changes the order in which numbers lie in memory. May one axis be cut into two without that? May two axes
#    swap places?
# 3. Cut the last axis in two (a reshape may do this), then swap two axes. To go back, do the opposite in the opposite order.


# %% task="heads_at_once" points=4 level=2 minutes=15
def split_heads(X, h):
    """[..., h, T, d / h] from X: [..., T, d]."""
    ### BEGIN SOLUTION
    return X.unflatten(-1, (h, X.shape[-1] // h)).transpose(-3, -2)
    ### END SOLUTION


def merge_heads(Z):
    """[..., T, d] from Z: [..., h, T, d / h]."""
    ### BEGIN SOLUTION
    return Z.transpose(-3, -2).flatten(-2)
    ### END SOLUTION


def multihead(x, W_q, W_k, W_v, H, h):
    """[..., T, d] from x: [..., T, d] and four matrices [d, d]."""
    ### BEGIN SOLUTION
    Q, K, V = (split_heads(x @ W, h) for W in (W_q, W_k, W_v))
    return merge_heads(attend(Q, K, V)) @ H
    ### END SOLUTION


# %% test="heads_at_once" aspect="each head its columns" points=1
_X = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
_got = split_heads(_X.clone(), 2)
assert torch.is_tensor(_got) and _got.shape == (2, 3, 2), f"T = 3, d = 4, h = 2: shape (2, 3, 2); yours: {_got!r}."
assert _got[0].tolist() == [[1, 2], [5, 6], [9, 10]], (
    f"Head 1 has the first two columns, [[1, 2], [5, 6], [9, 10]]; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
_h, _d_k = random.randint(2, 5), random.randint(2, 4)
_X = torch.randn(6, _h * _d_k)
for _l in range(_h):
    assert torch.equal(split_heads(_X.clone(), _h)[_l], _X[:, _l * _d_k : (_l + 1) * _d_k]), (
        f"Of {_h}, head {_l + 1} is wrong."
    )
### END HIDDEN TESTS

# %% test="heads_at_once" aspect="merged as it was" points=1
_Z = torch.tensor([[[1, 2], [5, 6], [9, 10]], [[3, 4], [7, 8], [11, 12]]])
_got = merge_heads(_Z.clone())
assert torch.is_tensor(_got) and _got.shape == (3, 4), f"h = 2, T = 3, d/h = 2: shape (3, 4); yours: {_got!r}."
assert _got[0].tolist() == [1, 2, 3, 4], f"The first word has 1, 2 (head 1), then 3, 4; yours: {_got[0].tolist()}."
### BEGIN HIDDEN TESTS
_Z = torch.randn(random.randint(2, 3), 5, 4, random.randint(2, 3))
_got = merge_heads(_Z.clone())
assert _got.shape == (len(_Z), 4, 5 * _Z.shape[-1]), f"From {tuple(_Z.shape)} you make {tuple(_got.shape)}."
assert torch.equal(_got, torch.cat([_Z[:, i] for i in range(5)], dim=-1)), (
    "With a batch, some words get others' numbers."
)
### END HIDDEN TESTS

# %% test="heads_at_once" aspect="batches stay apart" points=1
_X = torch.arange(2 * 3 * 4).view(2, 3, 4)
_got = split_heads(_X.clone(), 2)
assert torch.is_tensor(_got) and _got.shape == (2, 2, 3, 2), f"[2, 3, 4] with 2 heads: (2, 2, 3, 2); yours: {_got!r}."
assert torch.equal(_got[1, 0], _X[1, :, :2]), "In the second text of a batch, head 1 has not the first two columns."

# %% test="heads_at_once" aspect="equal to the loop" points=1
_B, _T, _h, _d_k = 2, 5, 3, 2
### BEGIN HIDDEN TESTS
_B, _T, _h, _d_k = 2, random.randint(5, 8), *random.sample([2, 3, 4], 2)
### END HIDDEN TESTS
_d = _h * _d_k
_x, _W = torch.randn(_B, _T, _d).double(), [torch.randn(_d, _d).double() / math.sqrt(_d) for _ in range(4)]
_got = multihead(_x.clone(), *_W, _h)
assert torch.is_tensor(_got) and _got.shape == _x.shape, f"Shape {tuple(_x.shape)} wanted; yours: {_got!r}."
for _b in range(_B):
    _Q, _K, _V = ((_x[_b] @ _M).split(_d_k, dim=1) for _M in _W[:3])
    _A = [(_q @ _k.T / math.sqrt(_d_k)).softmax(1) for _q, _k in zip(_Q, _K, strict=True)]
    _wanted = torch.cat([_a @ _v for _a, _v in zip(_A, _V, strict=True)], dim=1) @ _W[3]
    assert torch.allclose(_got[_b], _wanted), f"B, T, h, d/h = {_B, _T, _h, _d_k}: text {_b} differs from the loop."

# %%
X = torch.arange(1, 9).view(2, 4)  # 2 words, d = 4
print("words:", X.tolist())
print("split:", split_heads(X, 2).tolist())
print("reshape alone:", X.reshape(2, 2, 2).tolist(), "- head 1 has all of word 1, head 2 all of word 2")

# %%
q, K = torch.ones(1, 2), torch.eye(2) * math.log(3)
V, H = torch.tensor([[1.0, 2.0], [5.0, 6.0]]), torch.tensor([[1.0, 0.0], [1.0, 1.0]])
at_once = merge_heads(attend(split_heads(q, 2), split_heads(K, 2), split_heads(V, 2))) @ H
ways = {"by hand": torch.tensor(by_hand), "loop": multihead_loop(q, K, V, H, 2)[0], "at once": at_once[0]}
print({name: [round(float(value), 4) for value in way] for name, way in ways.items()})

# %% [markdown]
# ## 11. The module, and what it weighs
#
# Lecture 002's listing of this module indents nearly everything below `if mask is not None:`. What does it return without a mask?

# %% [markdown] statement="MultiHead"
# - `MultiHead(d, h)`: parts `q`, `k`, `v`, `out`, each `nn.Linear(d, d)`; `forward(x, mask=None)`: $x$ $[B, T, d]$; `mask`
#   $[T, T]$, True where a row may look at a column;
# - `from_torch(state)`: the state dict of `nn.MultiheadAttention(d, h)`, cut and renamed to fit yours;
# - `parameters(d, h, d_k, d_v)`: numbers in all $W$ and $H$, no biases;
# - `parameters_sliced(d, h)`: the same if each head, as in lecture 004, is given only its slice of $x$; no $H$.

# %% [markdown] hints="MultiHead"
# 1. Print the names and shapes in torch's state dict. One name holds three matrices.
# 2. `nn.Linear` keeps its matrix transposed, and so does torch's module: nothing needs to be turned. `attend` has the argument
#    `attn_mask`, None or just such a mask.
# 3. Counting: a head has two matrices $[d, d_k]$ and one $[d, d_v]$; $H$ maps all $h d_v$ numbers to $d$. A slice has only $d/h$
#    numbers in and $d/h$ out.


# %% task="MultiHead" points=4 level=2 minutes=20
class MultiHead(nn.Module):
    """[B, T, d] from x: [B, T, d]; mask: None, or [T, T] with True where row may look at column."""

    ### BEGIN SOLUTION
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.out = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, mask=None):
        B, T, d = x.shape
        Q, K, V = (part(x).view(B, T, self.h, d // self.h).transpose(1, 2) for part in (self.q, self.k, self.v))
        return self.out(attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d))

    ### END SOLUTION


def from_torch(state):
    """State dict of a MultiHead: q.weight, q.bias, k.weight, ..., out.bias."""
    ### BEGIN SOLUTION
    mine = {"out.weight": state["out_proj.weight"], "out.bias": state["out_proj.bias"]}
    for kind in ("weight", "bias"):
        for name, part in zip("qkv", state[f"in_proj_{kind}"].chunk(3), strict=True):
            mine[f"{name}.{kind}"] = part
    return mine
    ### END SOLUTION


def parameters(d, h, d_k, d_v):
    """Numbers in h heads of widths d_k (queries, keys) and d_v (values), and in H."""
    ### BEGIN SOLUTION
    return h * d * (2 * d_k + d_v) + h * d_v * d
    ### END SOLUTION


def parameters_sliced(d, h):
    """Numbers in h heads that each see d / h numbers of a word only; no H."""
    ### BEGIN SOLUTION
    return h * 3 * (d // h) ** 2
    ### END SOLUTION


# %% test="MultiHead" aspect="equal to nn.MultiheadAttention" points=1
_d, _h = 6, 2
### BEGIN HIDDEN TESTS
_h = random.choice([2, 3, 4])
_d = _h * random.randint(2, 4)
### END HIDDEN TESTS
_torch, _x = nn.MultiheadAttention(_d, _h, batch_first=True), torch.randn(2, 5, _d)
_s = {
    f"{_name}.{_kind}": torch.randn(_d, _d)[slice(None) if _kind == "weight" else 0]
    for _name in ("q", "k", "v", "out")
    for _kind in ("weight", "bias")
}
_mine = MultiHead(_d, _h)
_shapes = {name: tuple(value.shape) for name, value in dict(_mine.state_dict()).items()}
assert _shapes == {name: tuple(value.shape) for name, value in _s.items()}, f"q, k, v, out, each nn.Linear: {_shapes}?"
_mine.load_state_dict(_s)
_joined = {f"in_proj_{_kind}": torch.cat([_s[f"{n}.{_kind}"] for n in "qkv"]) for _kind in ("weight", "bias")}
_torch.load_state_dict(_joined | {"out_proj.weight": _s["out.weight"], "out_proj.bias": _s["out.bias"]})
_got, _wanted = _mine(_x), _torch(_x, _x, _x)[0]
assert torch.is_tensor(_got), (
    f"Without a mask, forward should return a tensor of shape {tuple(_x.shape)}, not {_got!r}."
)
assert _got.shape == _x.shape, f"Shape {tuple(_x.shape)} wanted; yours: {tuple(_got.shape)}."
assert torch.allclose(_got, _wanted, atol=1e-4), "Same weights, other result than nn.MultiheadAttention."

# %% test="MultiHead" aspect="masked words are unseen" points=1
_x, _mask = torch.randn(1, 4, 6), torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1]]).bool()
_mine = MultiHead(6, 2)
_before = _mine(_x, _mask)
assert torch.is_tensor(_before) and _before.shape == (1, 4, 6), f"With a mask: shape (1, 4, 6); yours: {_before!r}."
for _j in range(4):
    _other = _x.clone()
    _other[0, _j] += 2
    _moved = (_mine(_other, _mask) - _before)[0].abs().amax(1) > 1e-6
    assert _moved.tolist() == _mask[:, _j].tolist(), (
        f"Word {_j} changed. Rows that may look at it: {_mask[:, _j].tolist()}; rows that moved: {_moved.tolist()}."
    )

# %% test="MultiHead" aspect="weights from torch" points=1
_state = {"in_proj_weight": torch.arange(12.0).view(6, 2), "in_proj_bias": torch.arange(6.0)}
_state |= {"out_proj.weight": torch.eye(2), "out_proj.bias": torch.tensor([7.0, 8.0])}
_got = from_torch({name: value.clone() for name, value in _state.items()})
_names = {f"{_name}.{_kind}" for _name in ("q", "k", "v", "out") for _kind in ("weight", "bias")}
assert hasattr(_got, "keys") and set(_got) == _names, (
    f"from_torch returns a dict with {sorted(_names)}; yours: {_got!r}."
)
for _row, _name in enumerate("qkv"):
    assert _got[f"{_name}.weight"].tolist() == _state["in_proj_weight"][2 * _row : 2 * _row + 2].tolist(), (
        f"{_name}.weight is not torch's rows {2 * _row} and {2 * _row + 1}."
    )
    assert _got[f"{_name}.bias"].tolist() == [2 * _row, 2 * _row + 1], f"{_name}.bias: {_got[f'{_name}.bias']}?"
assert _got["out.weight"].tolist() == [[1, 0], [0, 1]] and _got["out.bias"].tolist() == [7, 8], "out is not out_proj."

# %% test="MultiHead" aspect="parameters are counted" points=1
_got = parameters(4, 2, 3, 5), parameters_sliced(4, 2)
assert all(isinstance(_n, int | float | np.number) for _n in _got), f"Both return a number; yours: {_got!r}."
assert _got[0] == 128, f"d = 4, 2 heads, d_k = 3, d_v = 5: 2 · (12 + 12 + 20) + 10 · 4 = 128; yours: {_got[0]}."
assert _got[1] == 24, f"Two slices of 2 numbers, three 2 × 2 matrices each: 24; yours: {_got[1]}."
### BEGIN HIDDEN TESTS
_h, _d_k, _d_v = random.sample(range(2, 9), 3)
_d = _h * random.randint(2, 9)
_wanted = (
    sum(_d * _n for _n in [_d_k, _d_k, _d_v, _d_v] for _ in range(_h)),
    sum(3 * (_d // _h) ** 2 for _ in range(_h)),
)
_got = parameters(_d, _h, _d_k, _d_v), parameters_sliced(_d, _h)
assert _got == _wanted, f"d = {_d}, h = {_h}, d_k = {_d_k}, d_v = {_d_v}: {_wanted[0]} and {_wanted[1]}; yours: {_got}."
### END HIDDEN TESTS

# %%
print(f"d = 512, 8 heads of 64: {parameters(512, 8, 64, 64):,} (W alone {parameters(512, 8, 64, 64) - 512**2:,})")
print(f"1 head of 512:          {parameters(512, 1, 512, 512):,}")
print(f"sliced first:           {parameters_sliced(512, 8):,}")


# %%
set_seed(1)
full, sliced = (nn.MultiheadAttention(16, 4, batch_first=True) for _ in range(2))
blocks = torch.block_diag(*[torch.ones(4, 4)] * 4)  # each slice talks to itself only
sliced.in_proj_weight.data *= blocks.repeat(3, 1)
sliced.out_proj.weight.data = torch.eye(16)


# %%
def who_feeds_whom(layer, x):
    """|d output / d input| between the numbers of a word and those of all words, shape [d, d]."""
    return torch.autograd.functional.jacobian(lambda x: layer(x, x, x)[0], x).abs().sum((0, 1, 3, 4))


# %%
_, axes = plt.subplots(1, 2, figsize=(6, 2.9))
for axis, (name, layer) in zip(axes, {"projected (the usual way)": full, "sliced": sliced}.items(), strict=True):
    axis.imshow(who_feeds_whom(layer, torch.randn(1, 5, 16)) > 1e-9, cmap="cividis_r", vmin=0, vmax=1)
    axis.set(title=name, xlabel="number of the input vector", ylabel="number of the output vector")
    axis.grid(False)
plt.show()

# %% [markdown]
# Dark: this input number has a say. Heads are free of charge: eight of 64 weigh what one of 512 does. Slicing saves a factor $h$,
# and pays: slices never speak to one another.

# %% [markdown] statement="masked_attention"
# ## 12. Words that must not be seen
#
# Scores of forbidden words become $-\infty$ before the softmax.
#
# - `causal_mask(T)`, bool $[T, T]$: row $i$ may look at columns $\le i$;
# - `masked_attention(Q, K, V, mask)`, written out, for shapes $[\dots, n, d_k]$, $[\dots, m, d_k]$, $[\dots, m, d_v]$ and
#   $[n, m]$. A row that may look nowhere gives *zeros*;
# - first predict each key's weight in a row with all four forbidden: filled with $-10^9$, as in lecture 002
#   (`weight_1e9`), and with $-\infty$ (`weight_inf`).

# %% [markdown] hints="masked_attention"
# 1. What does the softmax make of four equal numbers? And what is $-\infty - (-\infty)$, which it computes on the way?
# 2. `torch.tril` keeps what is on and below the diagonal.
# 3. Fill, softmax over the last axis; then put zeros in the rows where the mask has no True at all, before or after the product
#    with $V$. "Not a number" is `math.nan`.


# %% task="masked_attention" points=4 level=2 minutes=15
# weight_1e9 = a number
# weight_inf = a number
### BEGIN SOLUTION
weight_1e9 = 0.25
weight_inf = math.nan
### END SOLUTION


def causal_mask(T):
    """bool [T, T]: True where row i may look at column j."""
    ### BEGIN SOLUTION
    return torch.ones(T, T, dtype=torch.bool).tril()
    ### END SOLUTION


def masked_attention(Q, K, V, mask):
    """[..., n, d_v]; mask: bool [n, m], True = may look. Zeros where a row may look nowhere."""
    ### BEGIN SOLUTION
    S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
    A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
    return A @ V
    ### END SOLUTION


# %% test="masked_attention" aspect="on and below the diagonal" points=1
_got = causal_mask(3)
assert torch.is_tensor(_got) and _got.dtype == torch.bool, f"causal_mask returns a tensor of bools; yours: {_got!r}."
assert _got.tolist() == [[True, False, False], [True, True, False], [True, True, True]], (
    f"Each word sees itself and those before it; yours: {_got.int().tolist()}."
)
### BEGIN HIDDEN TESTS
_T = random.randint(4, 9)
assert causal_mask(_T).tolist() == [[j <= i for j in range(_T)] for i in range(_T)], f"Wrong for T = {_T}."
### END HIDDEN TESTS

# %% test="masked_attention" aspect="only what may be seen" points=1
_n, _m = 3, 4
### BEGIN HIDDEN TESTS
_n, _m = random.randint(3, 6), random.randint(4, 8)
### END HIDDEN TESTS
_Q, _K, _V = (torch.randn(2, _r, _c).double() for _r, _c in ((_n, 5), (_m, 5), (_m, 3)))
_mask = torch.rand(_n, _m) < 0.5
_mask[:, 1], _mask[0, 2] = True, False
_got = masked_attention(_Q, _K, _V, _mask.clone())
assert torch.is_tensor(_got) and _got.shape == (2, _n, 3), f"Shape {(2, _n, 3)} wanted; yours: {_got!r}."
for _b in range(2):
    for _i in range(_n):
        _seen = [j for j in range(_m) if _mask[_i, j]]
        _e = [math.exp((_Q[_b, _i] * _K[_b, j]).sum() / math.sqrt(5)) for j in _seen]
        _wanted = sum(e * _V[_b, j] for e, j in zip(_e, _seen, strict=True)) / sum(_e)
        assert torch.allclose(_got[_b, _i], _wanted), (
            f"A query that may see keys {_seen} (of {_m}) should get {_wanted.tolist()}; yours: {_got[_b, _i].tolist()}."
        )

# %% test="masked_attention" aspect="a row that sees nothing" points=1
_Q, _K, _V = (torch.randn(3, 4).double() for _ in range(3))
_mask = torch.tensor([[1, 1, 0], [0, 0, 0], [1, 1, 1]]).bool()
_got = masked_attention(_Q, _K, _V, _mask)
assert torch.is_tensor(_got) and _got.shape == (3, 4), f"Shape (3, 4) wanted; yours: {_got!r}."
assert _got[1].tolist() == [0, 0, 0, 0], f"Row 1 may look nowhere: zeros; yours: {_got[1].tolist()}."
assert torch.allclose(_got[2], attend(_Q, _K, _V)[2]), "Row 2 may look everywhere, but is not plain attention."

# %% test="masked_attention" aspect="the two fillings" points=1
for _value in (weight_1e9, weight_inf):
    assert isinstance(_value, int | float | np.number) or torch.is_tensor(_value), (
        f"A number is wanted, not {_value!r}."
    )
### BEGIN HIDDEN TESTS
assert math.isclose(float(weight_1e9), 0.25), (
    f"With -1e9 everywhere a weight is not {weight_1e9}: what of equal scores?"
)
assert math.isnan(float(weight_inf)), f"With -inf everywhere a weight is not {weight_inf}: work out -inf minus -inf."
### END HIDDEN TESTS

# %%
for fill in (-1e9, -math.inf):
    print(f"{fill}: weights {torch.full((4,), fill).softmax(0).tolist()}")

# %%
Q, K, V = torch.randn(3, 1, 2, 256, 32).unbind()
allowed = torch.ones(256, 256).tril().bool()
masks = {"True or False": {"attn_mask": allowed}, "is_causal": {"is_causal": True}}
masks["0 or -inf, added to the scores"] = {"attn_mask": torch.zeros(256, 256).masked_fill(~allowed, -math.inf)}
for name, mask in masks.items():
    same = torch.allclose(masked_attention(Q, K, V, allowed), attend(Q, K, V, **mask), atol=1e-5)
    print(f"torch's function, {name}: the same as yours {same}")

# %% [markdown]
# Filled with $-10^9$, the word that may see nothing sees *everything*, forbidden words included. (A trap: `nn.MultiheadAttention` reads a
# True mask as *forbidden*.) What does torch's function buy?


# %%
def best_time(function, *inputs, tries=6):
    """Milliseconds of the processor for function(*inputs), the best of so many tries."""
    times = []
    for _ in range(tries):
        begin = time.process_time()
        function(*inputs)
        times.append(1000 * (time.process_time() - begin))
    return min(times)


# %%
def kept_for_backward(function, *inputs):
    """MiB that autograd keeps for the way back."""
    kept = {}
    inputs = [x.clone().requires_grad_(True) for x in inputs]
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.setdefault(t.data_ptr(), t), lambda t: t):
        function(*inputs)
    return sum(t.untyped_storage().nbytes() for t in kept.values()) / 2**20


# %%
sizes = (128, 256, 512, 1024)
inputs = [torch.randn(3, 1, 4, n, 32).unbind() for n in sizes]


def written_out(Q, K, V):
    return masked_attention(Q, K, V, torch.ones(Q.shape[-2], Q.shape[-2]).tril().bool())


def fused(Q, K, V):
    return attend(Q, K, V, is_causal=True)


# %%
_, panels = plt.subplots(1, 2)
for axes, measure, label in zip(
    panels, (best_time, kept_for_backward), ("processor time (ms)", "kept for backward (MiB)"), strict=True
):
    for name, way in {"yours": written_out, "torch's": fused}.items():
        axes.loglog(sizes, [measure(way, *x) for x in inputs], "o-", label=name)
    axes.set(xlabel="words n", ylabel=label, xticks=sizes, xticklabels=sizes)
    axes.minorticks_off()
panels[0].legend()
plt.show()

# %% [markdown]
# Torch's function works block by block and never stores the $n \times n$ weights: its memory grows like $n$, ours like $n^2$.

# %% [markdown] statement="influence"
# ## 13. Who can hear whom
#
# Disturb a word and see what moves.
#
# - `influence(layer, X)`: bool $[T, T]$ for a function `layer` from $[T, d]$ to $[T, d']$; entry $[i, j]$: does output $i$ change
#   when word $j$ does?
# - `layers_needed(R)`: how many stacked layers of reach $R$ until the *last* output hears the *first* word?
# - `wrong_row`: lecture 001 prints as longest paths: self-attention $O(1)$, recurrent $O(n)$, convolutional (kernel $k$)
#   $O(\log_k n)$, restricted (to $r$ words) $O(n/r)$. Which is wrong for plain stacked layers?

# %% [markdown] hints="influence"
# 1. What changes may be a little or a lot: compare old and new output exactly, row by row.
# 2. If the last output hears words 3 and 4, two layers let it hear whatever outputs 3 and 4 hear.
# 3. Influence: one loop over words; change a *copy*. Layers: a set of heard words that grows until the first is in it. For the
#    row: draw three layers with a kernel of 3 and count the words below the top.


# %% task="influence" points=4 level=2 minutes=15
# wrong_row = "self-attention", "recurrent", "convolutional" or "restricted"
### BEGIN SOLUTION
wrong_row = "convolutional"
### END SOLUTION


def influence(layer, X):
    """bool [T, T]: does row i of layer(X) change when row j of X changes?"""
    ### BEGIN SOLUTION
    Y, columns = layer(X), []
    for j in range(len(X)):
        other = X.clone()
        other[j] += torch.randn(X.shape[1])
        columns.append((layer(other) != Y).any(dim=1))
    return torch.stack(columns, dim=1)
    ### END SOLUTION


def layers_needed(R):
    """Fewest layers of reach R, bool [T, T], through which the last output hears the first word."""
    ### BEGIN SOLUTION
    heard, layers = R[-1], 1
    while not heard[0]:
        heard, layers = R[heard].any(dim=0), layers + 1
    return layers
    ### END SOLUTION


# %% test="influence" aspect="rows hear columns" points=1
_A = torch.tensor([[1, 2, 0], [0, 0, 3], [4, 0, 0]]).double()
_got = influence(lambda X: _A @ X, torch.ones(3, 2).double())
assert np.shape(_got) == (3, 3), f"T = 3: shape (3, 3); yours: {_got!r}."
assert np.array_equal(np.asarray(_got) != 0, _A != 0), (
    f"Y = A X with A = {_A.int().tolist()}: influence where A is not 0; yours: {np.asarray(_got).astype(int).tolist()}."
)
### BEGIN HIDDEN TESTS
_T = random.randint(4, 7)
_A = torch.from_numpy(np.random.default_rng().choice([0.0, 0.0, 1.0, -2.0], (_T, _T)))
_A[0, -1], _A[-1, 0] = 1, 0
_got = influence(lambda X: torch.tanh(_A @ X), torch.randn(_T, 3).double() / 9)
assert np.array_equal(np.asarray(_got) != 0, _A != 0), f"With other zeros in A (T = {_T}) your matrix is not that of A."
### END HIDDEN TESTS

# %% test="influence" aspect="faint voices count" points=1
_got = influence(lambda X: 0 * X + 1e-6 * X.sum(0) * torch.tensor([0.0, 1.0]), torch.ones(4, 2).double())
assert np.shape(_got) == (4, 4) and bool(np.all(np.asarray(_got))), (
    "All hear all here, faintly (1e-6) and in the second number only."
)
_X = torch.randn(4, 2).double()
_got = influence(lambda X: X[:, 1:], _X.clone())
assert np.array_equal(np.asarray(_got) != 0, np.eye(4)), "Each word hears only itself here, through its second number."
_last = []
influence(lambda X: _last.append(X.clone()) or X, _X.clone())
assert all((_one != _X).any(1).sum() <= 1 for _one in _last), (
    "More than one word is changed at a time: undo each change."
)

# %% test="influence" aspect="layers until it is heard" points=1
_R = torch.tensor([[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 1]]).bool()
_got = layers_needed(_R)
assert isinstance(_got, int | float | np.number) or torch.is_tensor(_got), f"A number is wanted, not {_got!r}."
assert _got == 2, f"The last hears words 1 and 2, they hear word 0: 2 layers; yours: {_got}."
assert layers_needed(torch.ones(5, 5).bool()) == 1, "Where all hear all, one layer is enough."
### BEGIN HIDDEN TESTS
for _step in (1, 2, 3, 5):
    _T = random.randint(8, 30)
    _R = (torch.arange(_T)[:, None] - torch.arange(_T)).abs() <= _step
    _got = layers_needed(_R.clone())
    assert _got == -(-(_T - 1) // _step), f"{_T} words, each hears {_step} to both sides: {_got} is wrong."
assert layers_needed(torch.eye(6).roll(1, 0).bool() | torch.eye(6).bool()) == 5, (
    "Wrong where each hears the word before."
)
### END HIDDEN TESTS

# %% test="influence" aspect="the wrong row" points=1
_names = ("self-attention", "recurrent", "convolutional", "restricted")
assert wrong_row in _names, f"wrong_row is one of {', '.join(_names)}; yours: {wrong_row!r}."
### BEGIN HIDDEN TESTS
assert wrong_row == "convolutional", f"{wrong_row} is right. Count for each what one more layer adds."
### END HIDDEN TESTS

# %%
set_seed(1)
rnn, convolution = nn.RNN(8, 8), nn.Conv1d(8, 8, 3, padding=1)
here, there = torch.arange(16)[:, None], torch.arange(16)

# %%
layers = {
    "self-attention": lambda X: attend(X, X, X),
    "causal": lambda X: attend(X, X, X, attn_mask=there <= here),
    "restricted, r = 5": lambda X: attend(X, X, X, attn_mask=(here - there).abs() <= 2),
    "convolution, k = 3": lambda X: convolution(X.T).T,
    "RNN (one layer)": lambda X: rnn(X)[0],
}

# %%
_, axes = plt.subplots(1, 5, figsize=(9, 2.3), sharey=True)
for axis, (name, layer) in zip(axes, layers.items(), strict=True):
    R = influence(layer, torch.randn(16, 8))
    axis.imshow(R, cmap="cividis_r", vmin=0, vmax=1)
    axis.set(title=f"{name}\nlayers needed: {layers_needed(R)}", xlabel="word changed")
    axis.grid(False)
axes[0].set_ylabel("output")
plt.show()

# %% [markdown]
# Dark: the output moves. Nothing above the diagonal means no look ahead. The convolution needs $(n-1)/(k-1) \cdot 2$ layers, not
# $\log_k n$, unless each layer skips $k$ times more words than the one below (dilation). The RNN is one layer, but $n$ *steps*
# deep.

# %% [markdown] statement="kind_of"
# ## 14. Can a canner can a can?
#
# Shuffled, a text is `X[order]` (old places). A layer is
#
# - *invariant* if `layer(X[order])` is `layer(X)`,
# - *equivariant* if it is `layer(X)[order]`: the same vectors elsewhere,
# - else *neither*.
#
# First fill in `predicted[name]` for the five layers below (in the last two, the last word stays in its place); then write
# `kind_of(layer, X, order)`, which returns one of these words (*invariant* if both hold).

# %%
LAYERS = {
    "attention": "one layer of self-attention",
    "bag": "its outputs, averaged over the words",
    "positions": "a vector for each place added to the words, then attention",
    "one causal layer": "the output of the last word only",
    "two causal layers": "the output of the last word only",
}

# %% [markdown] hints="kind_of"
# 1. Lecture 000 calls attention "position-invariant"; lecture 004: shuffling "gives the same results". Which of the words above do
#    they mean?
# 2. Two causal layers: do the words before the last still have the same *outputs* in the first layer when they are shuffled?
# 3. An output may have the shape $[T, d']$ or only $[d']$; the second cannot be shuffled. Numbers may differ by rounding.


# %% task="kind_of" points=4 level=2 minutes=12
# predicted = {"attention": "invariant", "equivariant" or "neither", "bag": ..., ...}
### BEGIN SOLUTION
predicted = {
    "attention": "equivariant",
    "bag": "invariant",
    "positions": "neither",
    "one causal layer": "invariant",
    "two causal layers": "neither",
}
### END SOLUTION


def kind_of(layer, X, order):
    """ "invariant", "equivariant" or "neither"; layer: from X, [T, d], to [T, d'] or [d']; order: T old places."""
    ### BEGIN SOLUTION
    before, after = layer(X), layer(X[order])
    if torch.allclose(after, before, atol=1e-6):
        return "invariant"
    same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
    return "equivariant" if same else "neither"
    ### END SOLUTION


# %% test="kind_of" aspect="same vectors elsewhere" points=1
_X, _order = torch.randn(5, 3).double(), torch.tensor([1, 2, 3, 4, 0])
_got = kind_of(lambda X: X.tanh(), _X.clone(), _order.clone())
assert _got == "equivariant", f"tanh of each word: the vectors move with their words, equivariant; yours: {_got!r}."
### BEGIN HIDDEN TESTS
for _ in range(3):
    _order = torch.tensor([2, 0, 1, *(3 + torch.randperm(4)).tolist()])
    _got = kind_of(lambda X: attend(X, X, X), torch.randn(7, 3).double(), _order.clone())
    assert _got == "equivariant", f"Order {_order.tolist()}: attention is equivariant; yours: {_got!r}."
_got = kind_of(lambda X: X[[1, 2, 0, 3]], torch.randn(4, 3).double(), torch.tensor([0, 3, 1, 2]))
assert _got == "neither", f"A layer that itself moves words 0, 1, 2 in a ring is neither; yours: {_got!r}."
### END HIDDEN TESTS

# %% test="kind_of" aspect="invariant, also by rounding" points=1
_X, _order = torch.tensor([[0.1], [0.2], [0.3], [0.7], [0.9], [3.3]]), torch.tensor([4, 3, 5, 0, 1, 2])
for _name, _layer in {
    "the mean": lambda X: X.mean(0),
    "the sum of float32, word by word": sum,
    "zeros": lambda X: 0 * X,
}.items():
    _got = kind_of(_layer, _X.clone(), _order.clone())
    assert _got == "invariant", f"{_name}: the order leaves it as it is, up to rounding; yours: {_got!r}."

# %% test="kind_of" aspect="neither of both" points=1
_X, _order = torch.randn(5, 3).double(), torch.tensor([3, 0, 4, 1, 2])
for _name, _layer in {
    "the first word": lambda X: X[0],
    "running sums": lambda X: X.cumsum(0),
    "words plus places": lambda X: X + torch.arange(5.0)[:, None],
}.items():
    _got = kind_of(_layer, _X.clone(), _order.clone())
    assert _got == "neither", f"{_name}: neither invariant nor equivariant; yours: {_got!r}."

# %% test="kind_of" aspect="predictions" points=1
assert hasattr(predicted, "keys") and set(predicted) == set(LAYERS), (
    f"predicted has the keys {[*LAYERS]}: {predicted!r}?"
)
for _name, _kind in predicted.items():
    assert _kind in ("invariant", "equivariant", "neither"), f"{_name}: one of the three words, not {_kind!r}."
### BEGIN HIDDEN TESTS
_wanted = dict(zip(LAYERS, ("equivariant", "invariant", "neither", "invariant", "neither"), strict=True))
_wrong = [name for name in LAYERS if predicted[name] != _wanted[name]]
assert not _wrong, f"Predicted otherwise than measured: {', '.join(_wrong)}."
### END HIDDEN TESTS

# %%
text = "can a canner can a can", "can can can a a canner"
set_seed(1)
vectors = {word: torch.randn(8) for word in ("can", "a", "canner")}
X, Y = (torch.stack([vectors[word] for word in words.split()]) for words in text)
before, after, places = attend(X, X, X), attend(Y, Y, Y), torch.randn(6, 8)

# %%
print("the same vector for every can:", all(torch.allclose(before[0], before[i]) for i in (3, 5)))
print("the same in both sentences:", torch.allclose(before[[0, 1, 2]], after[[0, 3, 5]]))
marked = attend(X + places, X + places, X + places)
print("the same with places added:", torch.allclose(marked[0], marked[3]))


# %%
def causal(X):
    return attend(X, X, X, is_causal=True)


functions = {"attention": lambda X: attend(X, X, X), "bag": lambda X: attend(X, X, X).mean(0)}
functions["positions"] = lambda X: functions["attention"](X + places)
functions |= {"one causal layer": lambda X: causal(X)[-1], "two causal layers": lambda X: causal(causal(X))[-1]}
for name, layer in functions.items():
    print(f"{name:18} {kind_of(layer, torch.randn(6, 8), torch.tensor([2, 0, 3, 1, 4, 5]))}")

# %% [markdown]
# Attention is *equivariant*: it does not know where its words stand. But the mask does: word 3 hears three words, word 1 only itself,
# and a second layer notices. Causal models without position vectors are not blind to order.

# %% [markdown] statement="sinusoids"
# ## 15. Telling places apart
#
# Add to word $j$ a vector for its place: a learned row of a table (which ends), or fixed waves. Lecture 004, for
# $0 \le i < d/2$:
#
# $$e_{2i,j} = \sin(\omega_i\, j) \qquad e_{2i+1,j} = \cos(\omega_i\, j) \qquad \omega_i = 10000^{-2i/d}$$
#
# - `sinusoids(T, d)`: shape $[T, d]$, row $j$ for place $j = 0, 1, \dots$;
# - `shift(k, d)`: the matrix $R$, $[d, d]$, for which $e_j R = e_{j+k}$ at every $j$;
# - `falls_for(d)`: lecture 001 says that closer places have higher dot products. For how many steps $k$ does
#   $e_0 \cdot e_k$ fall, before it first rises?

# %% [markdown] hints="sinusoids"
# 1. Print `sinusoids(3, 4)`: the first row is 0, 1, 0, 1, and the second column of waves is a hundred times slower.
# 2. What are $\sin(a + b)$ and $\cos(a + b)$? Each wave needs a block of 2 by 2 only.
# 3. The dot product with row 0 for some hundred rows; differences of neighbours; the first that is not negative tells after how
#    many falls.


# %% task="sinusoids" points=4 level=3 minutes=20
def sinusoids(T, d):
    """[T, d], float64: row j for place j, columns sin, cos, sin, cos, ... from fast to slow."""
    ### BEGIN SOLUTION
    omega = 10000 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.arange(T)[:, None] * omega
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    ### END SOLUTION


def shift(k, d):
    """R, [d, d], with sinusoids(T, d)[j] @ R = sinusoids(T, d)[j + k] for every j."""
    ### BEGIN SOLUTION
    s, c = sinusoids(k + 1, d)[k].view(-1, 2).unbind(1)
    return torch.block_diag(
        *[torch.tensor([[b, -a], [a, b]]) for a, b in zip(s.tolist(), c.tolist(), strict=True)]
    ).double()
    ### END SOLUTION


def falls_for(d):
    """The number of steps k = 1, 2, ... over which e_0 · e_k falls, before it first rises."""
    ### BEGIN SOLUTION
    e = sinusoids(500, d)
    rises = (e @ e[0]).diff() >= 0
    return int(rises.int().argmax())
    ### END SOLUTION


# %% test="sinusoids" aspect="waves, fast to slow" points=1
_got = sinusoids(3, 4)
assert np.shape(_got) == (3, 4), f"T = 3, d = 4: shape (3, 4); yours: {_got!r}."
_wanted = [[0, 1, 0, 1], *([math.sin(j), math.cos(j), math.sin(j / 100), math.cos(j / 100)] for j in (1, 2))]
assert np.allclose(_got[0], _wanted[0], atol=1e-6), f"Place 0: 0, 1, 0, 1; yours: {_got[0].tolist()}."
assert np.allclose(_got, _wanted, atol=1e-6), f"Place 1: {np.round(_wanted[1], 4).tolist()}; yours: {_got[1].tolist()}."
### BEGIN HIDDEN TESTS
_T, _d = random.randint(5, 40), random.choice([6, 8, 10, 12])
_got = sinusoids(_T, _d)
assert np.shape(_got) == (_T, _d), f"Shape {(_T, _d)} wanted; yours: {np.shape(_got)}."
for _j in range(_T):
    for _i in range(_d // 2):
        _a = _j / 10000 ** (2 * _i / _d)
        assert np.allclose(_got[_j, 2 * _i : 2 * _i + 2], [math.sin(_a), math.cos(_a)], atol=1e-5), (
            f"d = {_d}: place {_j}, wave {_i} should be {math.sin(_a):.4f}, {math.cos(_a):.4f}."
        )
### END HIDDEN TESTS

# %% test="sinusoids" aspect="a shift is one matrix" points=1
_k, _d = 3, 4
### BEGIN HIDDEN TESTS
_k, _d = random.randint(2, 30), random.choice([6, 8, 10])
### END HIDDEN TESTS
_a = np.arange(50)[:, None] / 10000 ** (np.arange(0, _d, 2) / _d)
_e = np.stack([np.sin(_a), np.cos(_a)], axis=-1).reshape(50, _d)
_R = np.asarray(shift(_k, _d), dtype=float)
assert _R.shape == (_d, _d), f"k = {_k}, d = {_d}: shape {(_d, _d)}; yours: {_R.shape}."
for _j in (0, 1, 7, 19):
    assert np.allclose(_e[_j] @ _R, _e[_j + _k], atol=1e-5), (
        f"k = {_k}, d = {_d}: place {_j} times R should be place {_j + _k}; you reach {np.round(_e[_j] @ _R, 3)[:4]}..."
    )

# %% test="sinusoids" aspect="the same R for long ways" points=1
_R = np.asarray(shift(1, 8), dtype=float)
assert _R.shape == (8, 8), f"d = 8: shape (8, 8); yours: {_R.shape}."
assert np.allclose(_R @ _R.T, np.eye(8), atol=1e-5), "R turns and does not stretch: R Rᵀ should be I."
assert np.allclose(np.linalg.matrix_power(_R, 12), np.asarray(shift(12, 8)), atol=1e-4), (
    "12 times 1 place is not 12 places."
)

# %% test="sinusoids" aspect="how long it falls" points=1
_got = falls_for(64)
assert isinstance(_got, int | float | np.number) or torch.is_tensor(_got), f"A number is wanted, not {_got!r}."
assert 1 < _got < 20, f"d = 64: it falls for a few steps only; yours: {_got}."
### BEGIN HIDDEN TESTS
for _d in (64, 128, 256, 512):
    _g = [sum(math.cos(_k / 10000 ** (2 * _i / _d)) for _i in range(_d // 2)) for _k in range(100)]
    _wanted = next(_k for _k in range(99) if _g[_k + 1] >= _g[_k])
    assert falls_for(_d) == _wanted, f"d = {_d}: not {falls_for(_d)}. How many steps until the first rise?"
### END HIDDEN TESTS

# %%
_, (left, right) = plt.subplots(1, 2)
for number in (0, 8, 16, 24):
    left.plot(sinusoids(60, 64)[:, number], label=f"number {number}")
left.set(xlabel="place j", ylabel="sine (d = 64)", ylim=(-1.1, 2.3), yticks=[-1, 0, 1])
left.legend(fontsize=9, ncols=2)
for d in (64, 128, 512):
    right.plot(sinusoids(60, d) @ sinusoids(1, d)[0] / (d / 2), label=f"d = {d}: falls for {falls_for(d)}")
right.set(xlabel="distance k (words)", ylabel="cosine of e₀ and eₖ")
right.legend(fontsize=9)
plt.show()

# %%
set_seed(1)
tea, milk = torch.randn(2, 64)
for name, place in {"nothing": 0, "the integer 500": 500, "row 500": sinusoids(501, 64)[500].float()}.items():
    print(f"tea and milk plus {name}: cosine {F.cosine_similarity(tea + place, milk + place, dim=0):.3f}")

# %% [markdown]
# Left: four of the sines, from fast to slow. Right: closer means larger on the whole, not step by step. And lecture 001's "encode each
# position as an integer, add it": taken literally, the number drowns the words.

# %% [markdown]
# ## 16. Predict, then measure: two lookups, two hops
#
# $N$ dishes with prices (independent, mean 0, variance 1), then a question. Names are one-hot, $3N$ numbers for each word: a dish is
# [name | partner | 0], a question [0 | first | second]. *Weights come from these alone; values are the prices.* Two questions:
#
# - two lookups: how much *more* does the first dish cost than the second?
# - two hops: what does the *partner* of the first dish (any other dish, at random) cost?


# %%
def questions(task, N, B, seed=None):
    """X: [B, N + 1, 3N], price: [B, N + 1, 1] (the question's is 0), and the answers [B]."""
    draw, rows = np.random.default_rng(seed), np.arange(B)
    partner = (np.arange(N) + draw.integers(1, N, size=(B, N))) % N
    price, asked = draw.normal(size=(B, N + 1)), draw.random((B, N)).argsort(1)[:, :2]
    price[:, N], X = 0, np.zeros((B, N + 1, 3 * N))
    X[:, :N, :N], X[:, :N, N : 2 * N] = np.eye(N), np.eye(N)[partner]
    X[rows, N, N + asked[:, 0]] = X[rows, N, 2 * N + asked[:, 1]] = 1
    more, hop = price[rows, asked[:, 0]] - price[rows, asked[:, 1]], price[rows, partner[rows, asked[:, 0]]]
    y = more if task == "two lookups" else hop
    return torch.tensor(X).float(), torch.tensor(price[..., None]).float(), torch.tensor(y).float()


# %% [markdown] statement="difference_heads"
# - `difference_heads(N)`, set by hand: `([(W_q, W_k), (W_q, W_k)], H)`, each $W$ of shape $[3N, N]$ and $H$ $[2, 1]$, so that the last
#   row of $[\text{head}_1; \text{head}_2]\,H$ is the answer to *two lookups*;
# - `share_one_head`: for five dishes, what share of this answer's variance can *one* head explain at best (times any number)?
# - `share_one_layer`: and of the answer to *two hops*, one layer with any number of heads?

# %% [markdown] hints="difference_heads"
# 1. A weighted mean of $a$ and $b$ times a number: can one count with a plus and the other with a minus? "With a single attention
#    head, averaging inhibits this" (lecture 002).
# 2. In one layer the question cannot know who the partner is, except that it is one of four: what is its best guess?
# 3. Heads: the query copies one of the asked names, the key copies the dish's name, times a large number, so that the softmax sees
#    one dish only. The rest is a matter of signs.


# %% task="difference_heads" points=4 level=3 minutes=20
# share_one_head = a fraction of the variance, from 0 to 1
# share_one_layer = a fraction of the variance, from 0 to 1
### BEGIN SOLUTION
share_one_head = 1 / 2
share_one_layer = 1 / 4
### END SOLUTION


def difference_heads(N):
    """([(W_q, W_k), (W_q, W_k)], H), tensors of shape [3N, N] and [2, 1]: the output is first minus second price."""
    ### BEGIN SOLUTION
    name, first, second = (30 * torch.eye(3 * N)).split(N, dim=1)
    return [(first, name), (second, name)], torch.tensor([[1.0], [-1.0]])
    ### END SOLUTION


# %% test="difference_heads" aspect="two sharp heads" points=1
_X, _price, _ = questions("two lookups", 4, 20)
_got = difference_heads(4)
assert isinstance(_got, tuple | list) and len(_got) == 2 and len(_got[0]) == 2, (
    f"Return (two heads, H); yours: {_got!r}."
)
_shapes = [[tuple(_W.shape) for _W in _head] for _head in _got[0]]
assert _shapes == [[(12, 4), (12, 4)]] * 2, f"N = 4: (12, 4) and (12, 4), twice; yours: {_shapes}."
_looks = [((_X @ _q.float()) @ (_X @ _k.float()).mT / 2)[:, -1].softmax(1) for _q, _k in _got[0]]
assert min(_A.amax(1).min() for _A in _looks) > 0.99, "Each head should look at one dish only; the softmax is too flat."
_same = (_looks[0].argmax(1) == _looks[1].argmax(1)).sum()
assert _same == 0, "Two different dishes were asked for, but your heads look at the same one."

# %% test="difference_heads" aspect="first minus second" points=2
_N = 5
### BEGIN HIDDEN TESTS
_N = random.randint(3, 9)
### END HIDDEN TESTS
_X, _price, _y = questions("two lookups", _N, 50)
_heads, _H = difference_heads(_N)
assert tuple(_H.shape) == (2, 1), f"H has the shape (2, 1); yours: {tuple(_H.shape)}."
_seen = [attend(_X @ _q.float(), _X @ _k.float(), _price)[:, -1] for _q, _k in _heads]
_answer = (torch.cat(_seen, dim=1) @ _H.float())[:, 0]
_worst = (_answer - _y).abs().argmax()
assert torch.allclose(_answer, _y, atol=0.01), (
    f"N = {_N}: the first costs {_y[_worst]:.2f} more than the second; you answer {_answer[_worst]:.2f}."
)

# %% test="difference_heads" aspect="two predictions" points=1
for _share in (share_one_head, share_one_layer):
    assert isinstance(_share, int | float | np.number), f"A share is a number; yours: {_share!r}."
    assert 0 <= _share <= 1, f"A share of the variance lies between 0 and 1; yours: {_share}."
### BEGIN HIDDEN TESTS
assert abs(share_one_head - 0.5) < 0.02, f"Not {share_one_head}: minimise (1 - u)² + (1 + v)², u and v of one sign."
assert abs(share_one_layer - 0.25) < 0.02, (
    f"Not {share_one_layer}: take the mean of four prices, one of them asked for."
)
### END HIDDEN TESTS

# %% [markdown]
# Now trained, not set: $x \leftarrow x + \text{attention}(x)$ once or twice, and a linear map of the question's vector at the end.


# %%
class Reader(nn.Module):
    """A number for each question, from `layers` attention layers of `heads` heads and width d."""

    def __init__(self, layers, heads, d=32):
        super().__init__()
        self.d, parts = d, [nn.MultiheadAttention(d, heads, bias=False, batch_first=True) for _ in range(layers)]
        self.layers, self.out = nn.ModuleList(parts), nn.Linear(d, 1)

    def forward(self, X, price):  # [B, N + 1, 3N], [B, N + 1, 1] -> [B]
        x, self.maps = F.pad(2 * X, (0, self.d - X.shape[-1])), []
        for layer in self.layers:
            change, weights = layer(x, x, x + F.pad(price, (self.d - 1, 0)))
            x = x + change
            self.maps.append(weights.detach())
        return self.out(x[:, -1]).squeeze(-1)


# %%
def loss(model, batch):
    return F.mse_loss(model(*batch[:2]), batch[2]), len(batch[2])


def explained(task, layers, heads, steps):
    """A Reader trained on this task, and the share of the variance that it explains on new questions."""
    set_seed(1)
    model, schedule = Reader(layers, heads), warmup_cosine(20, 0.05)
    train(model, lambda i: questions(task, 5, 64, i), loss, steps=steps, rate=1e-2, schedule=schedule, device="cpu")
    new = questions(task, 5, 5000, 10**6)
    with torch.no_grad():
        return model, 1 - (loss(model, new)[0] / new[2].var()).item()


# %%
steps = budget().choose(grading=400, laptop=1000, gpu=1000)
kinds = {"1 layer, 1 head": (1, 1), "1 layer, 2 heads": (1, 2), "2 layers, 1 head": (2, 1)}
tasks = ("two lookups", "two hops")
readers = {(task, name): explained(task, *kind, steps) for task in tasks for name, kind in kinds.items()}
shares = pd.Series({key: 100 * share for key, (_, share) in readers.items()}).unstack().loc[list(tasks)]

# %%
axes = shares.plot.bar(rot=0, color=plots.COLOURS[:3])
for place, share in enumerate((share_one_head, share_one_layer)):
    axes.plot([place - 0.3, place + 0.3], [100 * share] * 2, color="black", linestyle="--")
axes.set_ylabel("variance explained (%)")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# Dashed: your predictions. A second head does what no average can; a second layer follows what the first has read. (Two layers
# with one head can also look twice, one after the other.) And this is how the second layer does it:

# %%
dishes = np.array(["tea", "soup", "cake", "rice", "fish"])
X, price, _ = questions("two hops", 5, 1, seed=3)
reader = readers["two hops", "2 layers, 1 head"][0]
reader(X, price)
rows = [f"{dish} → {partner}" for dish, partner in zip(dishes, dishes[X[0, :5, 5:10].argmax(1)], strict=True)]
rows.append(f"partner of {dishes[X[0, 5, 5:10].argmax()]}?")

# %%
_, both = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True)
for number, (axes, weights) in enumerate(zip(both, reader.maps, strict=True), start=1):
    axes.imshow(weights[0], cmap="cividis_r", vmin=0, vmax=1)
    axes.set(title=f"layer {number}", xlabel="looks at", xticks=range(6), yticks=range(6), yticklabels=rows)
    axes.set_xticklabels([*dishes, "?"], rotation=45)
    axes.grid(False)
both[0].set_ylabel("word")
plt.show()

# %% [markdown]
# Dark: large weight. Read the last row, the question: either layer 1 finds the asked dish and layer 2 its partner, or each dish has
# already fetched its partner's price. Which way did this training find?

# %% [markdown] statement="operations"
# ## 17. The bill
#
# Lecture 001's table, without the $O$: `operations(kind, n, d, k, r)` counts multiplications for $n$ words of $d$ numbers:
#
# - `"attention"`: $QK^T$ and the product with $V$;
# - `"restricted"`: the same, but each word has only $r$ keys and values;
# - `"recurrent"`: $W_x x_t + W_h h_{t-1}$, matrices $[d, d]$;
# - `"convolutional"`: $k$ matrices $[d, d]$ for each word.
#
# `exponent(sizes, values)`: the $p$ of values $\sim \text{size}^p$, by least squares on logarithms. `crossover(d)`: at which $n$ do
# attention and recurrence cost the same?

# %% [markdown] hints="operations"
# 1. A product of $[a, b]$ and $[b, c]$ takes $abc$ multiplications.
# 2. $v = c\, n^p$ is a straight line after taking logarithms of both sides. What is its slope?
# 3. Set the two formulas equal and solve for $n$; it is simpler than it looks.


# %% task="operations" points=3 level=1 minutes=10
def operations(kind, n, d, k, r):
    """Multiplications of a layer; kind: "attention", "restricted", "recurrent" or "convolutional"."""
    ### BEGIN SOLUTION
    work = {"attention": 2 * n * n * d, "restricted": 2 * n * r * d}
    work |= {"recurrent": 2 * n * d * d, "convolutional": n * k * d * d}
    return work[kind]
    ### END SOLUTION


def exponent(sizes, values):
    """The slope of log(values) over log(sizes)."""
    ### BEGIN SOLUTION
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]
    ### END SOLUTION


def crossover(d):
    """The n at which attention and recurrence take equally many multiplications."""
    ### BEGIN SOLUTION
    return d
    ### END SOLUTION


# %% test="operations" aspect="multiplications are counted" points=1
_got = {_kind: operations(_kind, 10, 4, 3, 5) for _kind in ("attention", "restricted", "recurrent", "convolutional")}
assert all(isinstance(_n, int | float | np.number) for _n in _got.values()), f"operations returns a number: {_got!r}?"
assert _got["attention"] == 800, f"n = 10, d = 4: QKᵀ has 10 · 4 · 10, twice that in all; yours: {_got['attention']}."
### BEGIN HIDDEN TESTS
_n, _d, _k, _r = random.sample(range(3, 40), 4)
_wanted = {
    "attention": sum(_d for _ in range(_n) for _ in range(_n)) * 2,
    "restricted": sum(_d for _ in range(_n) for _ in range(_r)) * 2,
    "recurrent": sum(2 * _d * _d for _ in range(_n)),
    "convolutional": sum(_d * _d for _ in range(_n) for _ in range(_k)),
}
for _kind, _number in _wanted.items():
    _got = operations(_kind, _n, _d, _k, _r)
    assert _got == _number, f"{_kind}: n, d, k, r = {_n, _d, _k, _r} take {_number}; yours: {_got}."
### END HIDDEN TESTS

# %% test="operations" aspect="a slope of logarithms" points=1
_got = exponent([1, 2, 4, 8], [3, 12, 48, 192])
assert isinstance(_got, int | float | np.number) or torch.is_tensor(_got), f"A number is wanted, not {_got!r}."
assert math.isclose(_got, 2, rel_tol=1e-6), f"3, 12, 48, 192 for 1, 2, 4, 8 grow like the square: 2; yours: {_got}."
### BEGIN HIDDEN TESTS
_x, _y = np.cumsum(np.random.default_rng().uniform(1, 3, 6)), np.random.default_rng().uniform(1, 9, 6)
_a, _b = np.log(_x) - np.log(_x).mean(), np.log(_y) - np.log(_y).mean()
assert math.isclose(exponent(_x.copy(), _y.copy()), (_a * _b).sum() / (_a * _a).sum(), rel_tol=1e-6), (
    "For points off the line, the slope is not that of least squares on logarithms."
)
### END HIDDEN TESTS

# %% test="operations" aspect="where they cost the same" points=1
_got = crossover(512)
assert isinstance(_got, int | float | np.number), f"crossover returns a number; yours: {_got!r}."
assert _got > 0, f"A number of words is wanted; yours: {_got}."
### BEGIN HIDDEN TESTS
for _d in (random.randint(2, 99), 300):
    assert math.isclose(crossover(_d), _d), f"d = {_d}: 2n²d = 2nd² at another n than {crossover(_d)}."
### END HIDDEN TESTS


# %%
def restricted(X, r=32):
    """Each word attends to the r words that end with it."""
    near = F.pad(X, (0, 0, r - 1, 0)).unfold(0, r, 1)  # [n, d, r]
    return ((X[:, None] @ near / math.sqrt(X.shape[1])).softmax(-1) @ near.mT)[:, 0]


def attention(X):
    return (X @ X.T / math.sqrt(X.shape[1])).softmax(1) @ X


# %%
rnn, conv, sizes = nn.RNN(64, 64), nn.Conv1d(64, 64, 3, padding=1), (256, 512, 1024, 2048)
rows = {"attention": attention, "recurrent": rnn, "convolutional": lambda X: conv(X.T), "restricted": restricted}
texts = [torch.randn(n, 64) for n in sizes]
with torch.no_grad():
    times = {name: [best_time(row, text) for text in texts] for name, row in rows.items()}
memory = {name: [kept_for_backward(row, text) for text in texts] for name, row in rows.items()}

# %%
_, panels = plt.subplots(1, 2, figsize=(9, 3.2))
for axes, costs, label in zip(panels, (times, memory), ("processor time (ms)", "kept for backward (MiB)"), strict=True):
    for name, values in costs.items():
        axes.loglog(sizes, values, "o-", label=f"{name}: n^{exponent(sizes, values):.1f}")
    axes.set(xlabel="words n (d = 64)", ylabel=label, xticks=sizes, xticklabels=sizes)
    axes.minorticks_off()
    axes.legend(fontsize=9)
plt.show()

# %% [markdown]
# The exponents are fitted to what *this* machine took. Attention's memory grows with the square of the text, all others' with the
# text; the recurrent layer, of few multiplications, waits for itself step by step.

# %%
for d in (64, 512):
    counts = {kind: operations(kind, 1024, d, 3, 32) for kind in rows}
    print(f"n = 1,024, d = {d}:", ", ".join(f"{kind} {count / 1e6:,.0f} M" for kind, count in counts.items()))
print("attention and recurrence cost the same from n =", crossover(512), "words on, for d = 512")

# %% [markdown]
# Every word now hears every other at once, several times over, and knows where it stands. What is missing for a language
# model: depth that trains, and a lot of text. Chapter 8 builds it.
