# ---
# title: The LSTM, and what recurrence can and cannot do
# ---

# %% [markdown]
# What an RNN remembers surely, it cannot learn; what it can learn, it forgets. The cell in this part has both: a memory that stays
# by *not* being squeezed at each step.

# %%
import math
import random
import time
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import lmkit
from lmkit import kitchen, plots
from lmkit.budgets import budget
from lmkit.testing import gradients
from lmkit.training import set_seed, train, warmup_cosine

plots.use_style()
torch.set_num_threads(1)  # our networks are small: a second thread costs more than it brings

# %% [markdown] statement="lstm_step"
# ## 8. A memory with gates
#
# The **LSTM** (S. Hochreiter, J. Schmidhuber, 1997) carries a *cell* $C_t$ beside $h_t$. Lecture 004:
#
# $$\begin{aligned}\tilde C_t &= \tanh(W_C[e_t, h_{t-1}] + b_C) & f_t &= \sigma(W_f[x_t, h_{t-1}] + b_f)\\
# i_t &= \sigma(W_i[x_t, h_{t-1}] + b_i) & o_t &= \sigma(W_o[x_t, h_{t-1}] + b_o)\\
# C_t &= i_t \star \tilde C_t + f_t \star C_{t-1} & h_t &= o_t \star \tanh(C_t)\end{aligned}$$
#
# ($\star$: entry by entry; $[\cdot, \cdot]$: one behind the other.) One-hot, the word is $x_t$, shape $[|V|]$;
# $e_t = E x_t$, shape $[d]$; each $W$ has shape $[k, d + k]$. One symbol is wrong: set `misprint`. Then write `lstm_step`.

# %% [markdown] hints="lstm_step"
# 1. A matrix and a vector must fit. Count the columns of each $W$, and the entries of what stands in its brackets.
# 2. A batch has one word in each row, so products read *row times transposed matrix*.
# 3. Put `e` and `h` side by side once; four affine maps of it, one through tanh and three through the sigmoid; then the
#    last line of the equations. The new $h$ needs the *new* $C$.


# %% task="lstm_step" points=4 level=1 minutes=12
# misprint = ("the printed symbol", "the right one"), each written like "C_t"
### BEGIN SOLUTION
misprint = ("x_t", "e_t")
### END SOLUTION


def lstm_step(e, h, C, W, b):
    """New (h [B, k], C [B, k]) from e [B, d], h [B, k], C [B, k]; W and b: dicts with the keys "C", "f", "i", "o"."""
    ### BEGIN SOLUTION
    x = torch.cat([e, h], dim=-1)
    a = {part: x @ W[part].T + b[part] for part in "Cfio"}
    C = torch.sigmoid(a["i"]) * torch.tanh(a["C"]) + torch.sigmoid(a["f"]) * C
    return torch.sigmoid(a["o"]) * torch.tanh(C), C
    ### END SOLUTION


# %% test="lstm_step" aspect="the misprinted symbol" points=1
assert np.shape(misprint) == (2,), f"misprint is a pair (printed, right); yours: {misprint!r}."
_printed, _right = (str(_symbol).strip("$ ") for _symbol in misprint)
assert _printed != _right, "The printed symbol and the right one should differ."
assert {_printed, _right} <= {"C_t", "C_{t-1}", "e_t", "x_t", "h_t", "h_{t-1}", "f_t", "i_t", "o_t", "E", "b_C"}, (
    f"Take both symbols from the text, written like C_t; yours: {misprint!r}."
)
### BEGIN HIDDEN TESTS
assert (_printed, _right) == ("x_t", "e_t"), f"Not {misprint!r}: look for the vector that does not fit its matrices."
### END HIDDEN TESTS

# %% test="lstm_step" aspect="half-open gates, by hand" points=1
_W = {part: torch.zeros(1, 3).double() for part in "Cfio"}
_b = {part: torch.zeros(1).double() for part in "Cfio"} | {"C": torch.ones(1).double()}
_got = lstm_step(torch.ones(2, 2).double(), torch.ones(2, 1).double(), torch.full((2, 1), 0.4).double(), _W, _b)
assert np.shape(_got)[:1] == (2,), f"Return the pair (h, C); yours: {_got!r}."
_h, _C = _got
assert torch.is_tensor(_h) and _h.shape == _C.shape == (2, 1), "h and C should both have the shape [B, k]."
assert math.isclose(_C[0, 0], 0.5 * math.tanh(1) + 0.2, rel_tol=1e-6), (
    f"Gates at 1/2: C = ½ tanh(1) + ½ · 0.4 = .5808; yours: {_C[0, 0]:.4f}."
)
assert math.isclose(_h[1, 0], 0.5 * math.tanh(0.5 * math.tanh(1) + 0.2), rel_tol=1e-6), (
    f"h = ½ tanh(C) = .2617, with the new C; yours: {_h[1, 0]:.4f}."
)

# %% test="lstm_step" aspect="each gate does its own" points=1
_W = {part: torch.zeros(1, 2).double() for part in "Cfio"}
_one, _C = torch.ones(1, 1).double(), torch.full((1, 1), 0.3).double()
for _f, _i, _o, _wanted in ((1, 0, 1, 0.3), (0, 1, 1, math.tanh(0.5)), (1, 1, 0, 0.3 + math.tanh(0.5)), (0, 0, 1, 0)):
    _b = {part: torch.full((1,), 80.0 * gate - 40).double() for part, gate in zip("fio", (_f, _i, _o), strict=True)}
    _h, _new = lstm_step(_one, _one, _C, _W, _b | {"C": torch.full((1,), 0.5).double()})
    assert math.isclose(_new.item(), _wanted, abs_tol=1e-6), (
        f"Gates f = {_f}, i = {_i}, old C = .3, candidate tanh(.5): C should be {_wanted:.4f}; yours: {_new.item():.4f}."
    )
    assert math.isclose(_h.item(), _o * math.tanh(_wanted), abs_tol=1e-6), (
        f"Output gate o = {_o} and C = {_wanted:.4f}: h should be {_o * math.tanh(_wanted):.4f}; yours: {_h.item():.4f}."
    )

# %% test="lstm_step" aspect="word first, then state" points=1
_W = {part: torch.zeros(1, 3).double() for part in "Cfio"}
_b = {part: torch.full((1,), 40.0).double() for part in "fio"} | {"C": torch.zeros(1).double()}
_W["C"][0] = torch.tensor([0.1, 0.2, 0.4])
_got = lstm_step(torch.tensor([[1.0, 0.0]]).double(), torch.ones(1, 1).double(), torch.zeros(1, 1).double(), _W, _b)
assert np.shape(_got)[:1] == (2,), f"Return the pair (h, C); yours: {_got!r}."
assert math.isclose(_got[1].item(), math.tanh(0.5), rel_tol=1e-6), (
    f"W_C [1, 0, h=1] = .1 + .4, so C = tanh(.5) = .4621; yours: {_got[1].item():.4f}. Which comes first, e or h?"
)
### BEGIN HIDDEN TESTS
_B, _d, _k = random.randint(2, 4), random.randint(1, 5), random.randint(2, 5)
_W = {part: np.random.default_rng().normal(size=(_k, _d + _k)) for part in "Cfio"}
_b = {part: np.random.default_rng().normal(size=_k) for part in "Cfio"}
_e, _h, _C = (np.random.default_rng().normal(size=(_B, n)) for n in (_d, _k, _k))
_t = torch.from_numpy
_got = lstm_step(_t(_e), _t(_h), _t(_C), {p: _t(w) for p, w in _W.items()}, {p: _t(v) for p, v in _b.items()})
for _row in range(_B):
    for _j in range(_k):
        _a = {p: sum(_W[p][_j] * [*_e[_row], *_h[_row]]) + _b[p][_j] for p in "Cfio"}
        _gate = {p: 1 / (1 + math.exp(-_a[p])) for p in "fio"}
        _c = _gate["i"] * math.tanh(_a["C"]) + _gate["f"] * _C[_row, _j]
        assert math.isclose(_got[1][_row, _j], _c, abs_tol=1e-9), "With random weights some cell values C are off."
        assert math.isclose(_got[0][_row, _j], _gate["o"] * math.tanh(_c), abs_tol=1e-9), "Some states h are off."
### END HIDDEN TESTS

# %% [markdown] statement="from_torch"
# ## 9. The same cell in torch
#
# `nn.LSTMCell(d, k).state_dict()` has `weight_ih` $[4k, d]$, `weight_hh` $[4k, k]$, `bias_ih` and `bias_hh`, both $[4k]$: four
# blocks of $k$ rows, in the order $i, f, \tilde C, o$, each with *two* biases. Write
#
# - `from_torch(state)`: the dicts `(W, b)` of section 8 for the same cell;
# - `lstm_parameters(d, k)`: how many numbers those hold.

# %% [markdown] hints="from_torch"
# 1. Which rows of `weight_ih` and `weight_hh` make the forget gate, and which columns do they become?
# 2. What the two biases do to the sum, one bias can do.
# 3. Put the two matrices side by side, add the biases, cut both into four equal blocks of rows, and name the blocks in torch's
#    order. For the count: four times one matrix and one vector.


# %% task="from_torch" points=4 level=2 minutes=10
def from_torch(state):
    """Dicts (W, b) with the keys "C", "f", "i", "o"; W[...]: [k, d + k], b[...]: [k]."""
    ### BEGIN SOLUTION
    W = torch.cat([state["weight_ih"], state["weight_hh"]], dim=1).chunk(4)
    b = (state["bias_ih"] + state["bias_hh"]).chunk(4)
    return dict(zip("ifCo", W, strict=True)), dict(zip("ifCo", b, strict=True))
    ### END SOLUTION


def lstm_parameters(d, k):
    """How many numbers W and b hold together."""
    ### BEGIN SOLUTION
    return 4 * (k * (d + k) + k)
    ### END SOLUTION


# %% test="from_torch" aspect="blocks have their shape" points=1
_got = from_torch(dict(nn.LSTMCell(3, 2).state_dict()))
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return the pair of dicts (W, b); yours: {_got!r}."
for _part in "Cfio":
    assert _part in _got[0] and _part in _got[1], (
        f"Both dicts need the key {_part!r}; yours: {[*_got[0]]}, {[*_got[1]]}."
    )
    _shapes = tuple(_got[0][_part].shape), tuple(_got[1][_part].shape)
    assert _shapes == ((2, 5), (2,)), f"d = 3, k = 2: W {(2, 5)}, b {(2,)} wanted for {_part!r}; yours: {_shapes}."

# %% test="from_torch" aspect="rows of the right gate" points=1
_rows = torch.arange(8.0)
_state = {"weight_ih": _rows[:, None].expand(8, 3), "weight_hh": 10 * _rows[:, None].expand(8, 2)}
_W, _b = from_torch({name: value.clone() for name, value in (_state | {"bias_ih": _rows, "bias_hh": _rows}).items()})
for _part, _row in (("i", 0), ("f", 2), ("C", 4), ("o", 6)):
    assert _W[_part][:, 0].tolist() == [_row, _row + 1], (
        f"{_part!r} is made of torch's rows {_row} and {_row + 1} (from 0); yours: {_W[_part][:, 0].tolist()}."
    )
    assert _W[_part][1, 1:].tolist() == [_row + 1.0] * 2 + [10 * _row + 10.0] * 2, (
        f"In a row of W come {3} numbers for the word, then {2} for the state; yours: {_W[_part][1].tolist()}."
    )

# %% test="from_torch" aspect="equal to nn.LSTMCell" points=1
_cell = nn.LSTMCell(4, 3).double()
_e, _h, _C = torch.randn(2, 4).double(), torch.randn(2, 3).double(), torch.randn(2, 3).double()
_wanted = _cell(_e, (_h, _C))
_W, _b = from_torch(dict(_cell.state_dict()))
assert np.allclose(sum(_b[part].sum() for part in "Cfio"), (_cell.bias_ih + _cell.bias_hh).sum().item()), (
    "Your b should hold what torch's two biases are together."
)
### BEGIN HIDDEN TESTS
_a = {part: torch.cat([_e, _h], 1) @ _W[part].T + _b[part] for part in "Cfio"}
_new = _a["i"].sigmoid() * _a["C"].tanh() + _a["f"].sigmoid() * _C
assert torch.allclose(_new, _wanted[1]), "With your W and b the cell C after one step is not that of nn.LSTMCell."
assert torch.allclose(_a["o"].sigmoid() * _new.tanh(), _wanted[0]), "With your W and b the state h is not torch's."
### END HIDDEN TESTS

# %% test="from_torch" aspect="parameters are counted" points=1
_got = lstm_parameters(2, 3)
assert isinstance(_got, int | float | np.number), f"lstm_parameters returns a number; yours: {_got!r}."
assert _got == 72, f"d = 2, k = 3: four matrices of 3 × 5 and four vectors of 3 hold 72 numbers; yours: {_got}."
### BEGIN HIDDEN TESTS
_d, _k = random.sample(range(2, 60), 2)
_wanted = sum(value.numel() for value in nn.LSTMCell(_d, _k).parameters()) - 4 * _k
assert lstm_parameters(_d, _k) == _wanted, f"d = {_d}, k = {_k}: torch without its second bias has {_wanted}."
### END HIDDEN TESTS

# %%
set_seed(1)
cell = nn.LSTMCell(5, 4)
e, h, C = torch.randn(1, 5), torch.randn(1, 4), torch.randn(1, 4)
mine, theirs = lstm_step(e, h, C, *from_torch(cell.state_dict())), cell(e, (h, C))
print("the same to 1e-5:", all(torch.allclose(*two, atol=1e-5) for two in zip(mine, theirs, strict=True)))
print(f"d = k = 100: {lstm_parameters(100, 100):,} numbers, an RNN has {100 * 200 + 100:,}")

# %% [markdown]
# That is four times the RNN's. What do they buy? If $f_t$ is near 1 and $i_t$ near 0, then $C_t = C_{t-1}$: nothing squeezes it, and a
# gradient comes back as it went.

# %% [markdown] statement="keep_bit"
# ## 10. Predict, then measure: gates by hand
#
# Set the gates yourself, for one cell ($k = 1$) and words $e_t = [\text{bit}, \text{write}]$, each 0 or 1.
#
# - `keep_bit()` returns `(W, b)`, dicts of nested lists: when *write* is 1, the cell takes the bit; else it keeps what it has. So
#   $h_t > 0.5$ if the last bit written was 1, $h_t < -0.5$ if it was 0, even 1,000 steps later.
# - `forget_bias(steps)`: weights zero, nothing written. With which $b_f$ is *half* of $C$ left after so many steps?

# %% [markdown] hints="keep_bit"
# 1. For each of the four parts ask: which of *bit*, *write* and $h$ should it listen to at all?
# 2. $\sigma(20)$ is 1 for our purposes, $\sigma(-20)$ is 0. A weight of 40 and a bias of -20 make a switch.
# 3. Write opens one gate and closes another; the candidate says +1 or -1; the output gate need not listen. For the bias: what
#    must the product of `steps` equal factors be, and which number has this sigmoid?


# %% task="keep_bit" points=4 level=3 minutes=20
def keep_bit():
    """(W, b): W[...] of shape [1, 3] for (bit, write, h), b[...] of shape [1], keys "C", "f", "i", "o"."""
    ### BEGIN SOLUTION
    W = {"C": [[40, 0, 0]], "f": [[0, -40, 0]], "i": [[0, 40, 0]], "o": [[0, 0, 0]]}
    b = {"C": [-20], "f": [20], "i": [-20], "o": [20]}
    return W, b
    ### END SOLUTION


def forget_bias(steps):
    """The b_f such that sigmoid(b_f) ** steps = 1/2."""
    ### BEGIN SOLUTION
    f = 0.5 ** (1 / steps)
    return math.log(f / (1 - f))
    ### END SOLUTION


# %%
def run_by_hand(answer, words):
    """The states h of a cell with one number, after each word (bit, write)."""
    W, b = ({part: np.asarray(table[part], float) for part in "Cfio"} for table in answer)
    h, C, states = 0.0, 0.0, []
    for word in words:
        a = {part: float(np.dot(np.ravel(W[part]), [*word, h]) + np.ravel(b[part])[0]) for part in "Cfio"}
        f, i, o = ((1 + math.tanh(a[part] / 2)) / 2 for part in "fio")
        C = i * math.tanh(a["C"]) + f * C
        h = o * math.tanh(C)
        states.append(h)
    return states


# %% test="keep_bit" aspect="a written bit shows" points=1
for _bit in (1, 0):
    _h = run_by_hand(keep_bit(), [(_bit, 1)])[-1]
    assert (_h > 0.5) if _bit else (_h < -0.5), f"Right after bit {_bit} was written, h is {_h:.3f}."
    _h = run_by_hand(keep_bit(), [(1 - _bit, 1), (_bit, 1)])[-1]
    assert (_h > 0.5) if _bit else (_h < -0.5), f"Bit {1 - _bit} was written, then {_bit}; h is {_h:.3f}."

# %% test="keep_bit" aspect="it stays for 1,000 steps" points=1
_draw = random.Random(1)
### BEGIN HIDDEN TESTS
_draw = random.Random()
### END HIDDEN TESTS
for _noise in (lambda: 0, lambda: 1, lambda: _draw.randint(0, 1)):
    for _bit in (0, 1):
        _states = run_by_hand(keep_bit(), [(_bit, 1), *((_noise(), 0) for _ in range(1000))])
        _wrong = [t for t, _h in enumerate(_states) if (_h < 0.5 if _bit else _h > -0.5)]
        assert not _wrong, f"Bit {_bit} is lost {_wrong[0]} steps after it was written: h = {_states[_wrong[0]]:.3f}."

# %% test="keep_bit" aspect="the last written bit counts" points=1
_draw, _last = random.Random(2), 1
### BEGIN HIDDEN TESTS
_draw = random.Random()
### END HIDDEN TESTS
_words = [(1, 1), *((_draw.randint(0, 1), int(_draw.random() < 0.3)) for _ in range(300))]
for _t, (_h, (_bit, _write)) in enumerate(zip(run_by_hand(keep_bit(), _words), _words, strict=True)):
    _last = _bit if _write else _last
    assert (_h > 0.5) == bool(_last) and abs(_h) > 0.5, f"Step {_t}: the last bit written is {_last}, but h = {_h:.3f}."

# %% test="keep_bit" aspect="half is left" points=1
for _steps in (1, 10, 100):
    _b = forget_bias(_steps)
    assert isinstance(_b, int | float | np.number), f"forget_bias returns a number; yours: {_b!r}."
    _left = (1 / (1 + math.exp(-_b))) ** _steps
    assert math.isclose(_left, 0.5, rel_tol=1e-6), (
        f"With your b_f = {_b:.3f}, {_left:.4f} is left after {_steps} steps."
    )

# %%
set_seed(2)
cell, words = nn.LSTMCell(32, 32), 0.05 * torch.randn(60, 1, 32)
cell.weight_hh.data *= 0.1  # the other way back, through h, is weak


def reach(b_f):
    """Norms of the gradients of sum(C_T) with respect to C_1, ..., C_T."""
    with torch.no_grad():
        cell.bias_ih[:] = cell.bias_hh[:] = 0
        cell.bias_ih[32:64] = b_f
    h = C = torch.zeros(1, 32)
    cells = []
    for e in words:
        h, C = cell(e, (h, C))
        cells.append(C)
    return [gradient.norm() / 32**0.5 for gradient in torch.autograd.grad(C.sum(), cells)]


# %%
_, axes = plt.subplots()
for steps in (1, 5, 20, 100):
    axes.semilogy(
        range(59, -1, -1), reach(forget_bias(steps)), label=f"$b_f$ = {forget_bias(steps):.1f}: half-life {steps}"
    )
axes.set(xlabel="steps back, $T - t$", ylabel="norm of $\\partial C_T / \\partial C_t$ (log)", ylim=(1e-8, 3))
axes.legend()
plt.show()

# %% [markdown]
# Predicted and measured agree: the gradient has the half-life of the cell, and the network can *choose* it. With $b_f = 0$, where training
# usually starts, it is one step. So start higher. The puzzle of section 6 again: was the first input a 1?


# %%
class Reader(nn.Module):
    """Reads numbers, answers once, at the end."""

    def __init__(self, cell, b_f=0.0, k=16):
        super().__init__()
        self.cell, self.out = cell(1, k, batch_first=True), nn.Linear(k, 1)
        if cell is nn.LSTM:
            self.cell.bias_ih_l0.data[k : 2 * k] += b_f

    def forward(self, x):  # [B, T, 1] -> [B]
        return self.out(self.cell(x)[0][:, -1])[:, 0]


# %%
def recall(length, cell, b_f=0.0, steps=100):
    """The share of right answers after training on texts of that length."""
    set_seed(1)
    model, draw = Reader(cell, b_f), torch.Generator().manual_seed(0)

    def batch(_, size=32):
        first = torch.randint(2, (size,), generator=draw).float()
        return F.pad(first[:, None], (0, length - 1))[..., None], first

    def loss(model, batch):
        return F.binary_cross_entropy_with_logits(model(batch[0]), batch[1]), len(batch[1])

    train(model, batch, loss, steps=steps, rate=5e-3, device="cpu")
    x, first = batch(0, 1000)
    return ((model(x) > 0) == (first > 0)).float().mean().item()


# %%
lengths = (5, 10, 20, 40, 80)
_, axes = plt.subplots()
for label, cell, b_f in (("RNN", nn.RNN, 0), ("LSTM", nn.LSTM, 0), ("LSTM, $b_f$ + 5", nn.LSTM, 5)):
    axes.plot(lengths, [100 * recall(length, cell, b_f) for length in lengths], "o-", label=label)
axes.axhline(50, color="gray", linestyle=":", label="guessing")
axes.set(xlabel="length of the text", ylabel="right answers (%)", ylim=(40, 105))
axes.legend()
plt.show()

# %% [markdown]
# With $b_f = 0$ the LSTM gives up sooner than the RNN: its cell halves at each step. Started with open gates it learns from several times as far. In
# *theory* a recurrent network computes anything (H. Siegelmann and E. Sontag, 1992, says lecture 004); in *practice* it does "not enable learning over very
# long sequences" (001). Both hold: what weights can do is one thing, what training finds another.

# %% [markdown] statement="next_word_loss"
# ## 11. The printed slide is wrong: find it
#
# A language model needs scores $s_t = U h_t$ and a loss. Lecture 004 prints $\hat p_t = \mathrm{softmax}_V(o_t)$ and
#
# $$\text{loss} = \mathrm{CE}(\hat p_t, p_t) = \log(\hat p_{t, x^{t+1}}).$$
#
# ($o_t$ was the output gate; $s_t$ is meant.) Training makes a loss *small*.
#
# - `printed`: what the printed loss gives a model with $\hat p$ = 1 for the right word, and one with 0.01;
# - `next_word_loss(s, x)`: the *right* loss in nats, a mean over rows, and its gradient with respect to `s`, without
#   autograd. Scores may be in the thousands.

# %% [markdown] hints="next_word_loss"
# 1. Which of the two models is better, and which of your two numbers is smaller?
# 2. $\log \mathrm{softmax}(s)_v = s_v - \log \sum_u e^{s_u}$; a constant may be taken off all scores of a row first.
# 3. Differentiate that by $s_v$, once for the right word and once for another: each time the probability appears. Then mind the
#    sign, and that a *mean* of $T$ losses is differentiated.


# %% task="next_word_loss" points=4 level=2 minutes=15
# printed = {1.0: a number, 0.01: a number}
### BEGIN SOLUTION
printed = {1.0: 0.0, 0.01: math.log(0.01)}
### END SOLUTION


def next_word_loss(s, x):
    """(loss, gradient [T, V]) from an array of scores s: [T, V] and the next words x: [T] (ints)."""
    ### BEGIN SOLUTION
    s = s - s.max(axis=1, keepdims=True)
    log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    rows = np.arange(len(x))
    gradient = np.exp(log_p)
    gradient[rows, x] -= 1
    return -log_p[rows, x].mean(), gradient / len(x)
    ### END SOLUTION


# %% test="next_word_loss" aspect="what the print rewards" points=1
assert hasattr(printed, "keys"), f"printed is a dict with the keys 1.0 and 0.01; yours: {printed!r}."
for _p in (1.0, 0.01):
    assert isinstance(printed.get(_p), int | float | np.number), (
        f"printed[{_p}] should be a number; yours: {printed!r}."
    )
assert printed[1.0] != printed[0.01], "The printed loss does tell a good model from a bad one."
### BEGIN HIDDEN TESTS
assert math.isclose(printed[1.0], 0, abs_tol=1e-9), f"For a probability of 1 the printed loss is not {printed[1.0]}."
assert math.isclose(printed[0.01], -4.60517, rel_tol=1e-3), (
    f"For a probability of 0.01 not {printed[0.01]}: take the formula as it is printed, in nats."
)
### END HIDDEN TESTS

# %% test="next_word_loss" aspect="two words, by hand" points=1
_got = next_word_loss(np.log([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]), np.array([0, 2]))
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return the pair (loss, gradient); yours: {_got!r}."
assert math.isclose(float(_got[0]), (math.log(2) + math.log(10)) / 2, rel_tol=1e-6), (
    f"The right words have probability .5 and .1: (ln 2 + ln 10) / 2 = 1.498; yours: {float(_got[0]):.4f}."
)
### BEGIN HIDDEN TESTS
_s, _x = np.random.default_rng().normal(size=(7, 5)), np.random.default_rng().integers(0, 5, 7)
_wanted = F.cross_entropy(torch.from_numpy(_s), torch.from_numpy(_x)).item()
_got = next_word_loss(_s.copy(), _x.copy())
assert math.isclose(float(_got[0]), _wanted, rel_tol=1e-6), f"Random scores: {_wanted:.4f} wanted, yours {_got[0]}."
### END HIDDEN TESTS

# %% test="next_word_loss" aspect="large scores do not overflow" points=1
for _large in ([[4000.0, 4000.0, -4000.0]], [[-9000.0, -9000.0, -9900.0]]):
    with np.errstate(all="ignore"):
        _got = next_word_loss(np.array(_large), np.array([1]))
    assert math.isclose(float(_got[0]), math.log(2), rel_tol=1e-6), (
        f"Scores {_large[0]}, right word 1: loss ln 2 = .6931; yours: {float(_got[0])}."
    )
    assert np.allclose(_got[1], [[0.5, -0.5, 0]]), f"Its gradient is [.5, -.5, 0]; yours: {_got[1]}."
### BEGIN HIDDEN TESTS
_got = next_word_loss(np.array([[0.0, 3000.0], [5.0, 5.0]]), np.array([0, 1]))
assert math.isclose(float(_got[0]), (3000 + math.log(2)) / 2, rel_tol=1e-9), (
    f"A right word 3,000 below another costs 3,000 nats, not infinitely many; yours: {float(_got[0])}."
)
### END HIDDEN TESTS

# %% test="next_word_loss" aspect="gradient like autograd" points=1
_T, _V = 4, 3
### BEGIN HIDDEN TESTS
_T, _V = random.randint(2, 9), random.randint(2, 9)
### END HIDDEN TESTS
_s, _x = np.random.default_rng().normal(size=(_T, _V)), np.random.default_rng().integers(0, _V, _T)
_by_torch = torch.from_numpy(_s.copy()).requires_grad_(True)
F.cross_entropy(_by_torch, torch.from_numpy(_x)).backward()
_got = next_word_loss(_s.copy(), _x.copy())[1]
assert np.shape(_got) == (_T, _V), f"The gradient has the shape of s, {(_T, _V)}; yours: {np.shape(_got)}."
assert np.allclose(np.sum(_got, axis=1), 0), (
    "Each row of the gradient should sum to 0: what one word wins, others lose."
)
assert np.allclose(_got, _by_torch.grad), (
    f"The gradient is not autograd's; first row {_by_torch.grad[0]}, yours {_got[0]}."
)

# %% [markdown] statement="stream_batches"
# ## 12. A stream, side by side
#
# To learn from a text of $N$ words in batches, cut it into `rows` pieces of $L = \lfloor (N - 1) / \text{rows} \rfloor$
# words (a rest is dropped), lay them one below the other, and read `steps` columns at a time. Write `stream_batches(ids, rows,
# steps)`, the list of pairs `(inputs, targets)`: batch $j + 1$ goes on where $j$ ended, in *every* row, so that the state can be carried; the
# last pair may be narrower; a target is the next word of the text.

# %% [markdown] hints="stream_batches"
# 1. Write the numbers 0 to 12 on paper, in 3 rows. Which number is the target of the last one in row 1?
# 2. Targets are cut exactly as inputs are, only from a text that begins one word later.
# 3. Two tensors of shape $[\text{rows}, L]$, from word 0 on and from word 1 on; then slices of both, `steps` columns wide, from left
#    to right.


# %% task="stream_batches" points=4 level=2 minutes=12
def stream_batches(ids, rows, steps):
    """[(inputs, targets), ...], tensors of shape [rows, steps], from a tensor of word numbers ids: [N]."""
    ### BEGIN SOLUTION
    L = (len(ids) - 1) // rows
    inputs, targets = (ids[first : first + rows * L].view(rows, L) for first in (0, 1))
    return [(inputs[:, j : j + steps], targets[:, j : j + steps]) for j in range(0, L, steps)]
    ### END SOLUTION


# %% test="stream_batches" aspect="targets are one ahead" points=1
_got = stream_batches(torch.arange(13), 3, 2)
assert hasattr(_got, "__len__") and len(_got) == 2, f"13 words, 3 rows of 4, 2 at a time: 2 pairs; yours: {_got!r}."
for _inputs, _targets in _got:
    assert torch.is_tensor(_inputs) and _inputs.shape == (3, 2), f"Inputs of shape (3, 2) wanted; yours: {_inputs!r}."
    assert torch.equal(_targets, _inputs + 1), (
        f"Behind the words {_inputs.tolist()} come others than {_targets.tolist()}."
    )

# %% test="stream_batches" aspect="rows go on in the next batch" points=1
_got = stream_batches(torch.arange(13), 3, 2)
assert hasattr(_got, "__len__") and len(_got) == 2, f"13 words, 3 rows of 4, 2 at a time: 2 pairs; yours: {_got!r}."
assert _got[0][0].tolist() == [[0, 1], [4, 5], [8, 9]], f"First batch: 0 1, 4 5 and 8 9; yours: {_got[0][0].tolist()}."
assert _got[1][0].tolist() == [[2, 3], [6, 7], [10, 11]], (
    f"Second batch: 2 3, 6 7, 10 11; yours: {_got[1][0].tolist()}."
)

# %% test="stream_batches" aspect="a narrow end is kept" points=1
_got = stream_batches(torch.arange(11), 2, 3)
_widths = [tuple(pair[0].shape) for pair in _got or []]
assert _widths == [(2, 3), (2, 2)], f"11 words in 2 rows of 5: a batch of width 3, one of 2; yours: {_widths}."
_widths = [tuple(pair[1].shape) for pair in stream_batches(torch.arange(11), 2, 9)]
assert _widths == [(2, 5)], f"Steps of 9 in rows of 5: one batch of width 5; yours: {_widths}."

# %% test="stream_batches" aspect="every word once" points=1
_N, _rows, _steps = 30, 4, 3
### BEGIN HIDDEN TESTS
_N, _rows, _steps = random.randint(20, 60), random.randint(1, 6), random.randint(1, 9)
### END HIDDEN TESTS
_text = torch.from_numpy(np.random.default_rng().permutation(_N))
_L = (_N - 1) // _rows
for _side, _first in ((0, 0), (1, 1)):
    _read = torch.cat([pair[_side] for pair in stream_batches(_text.clone(), _rows, _steps)], dim=1)
    assert _read.shape == (_rows, _L), f"N = {_N}, {_rows} rows: {_L} words each; yours have {tuple(_read.shape)}."
    assert torch.equal(_read.flatten(), _text[_first : _first + _rows * _L]), (
        f"N = {_N}, {_rows} rows, {_steps} steps: put together again, your {('inputs', 'targets')[_side]} are not the text."
    )

# %%
corpus = lmkit.load("kitchen")
text = {
    split: ["</s>"] + [w for document in corpus.splits[split] for w in [*document, "</s>"]]
    for split in ("train", "valid")
}
vocabulary = ["<UNK>", *sorted(set(text["train"]))]
number = {word: i for i, word in enumerate(vocabulary)}
ids = {split: torch.tensor([number.get(word, 0) for word in text[split]]) for split in text}


# %%
class LanguageModel(nn.Module):
    """Scores for the next word at every step, from a recurrent layer of torch's."""

    def __init__(self, cell, V, d=64, k=128):
        super().__init__()
        self.embedding = nn.Embedding(V, d)
        self.cell = cell(d, k, batch_first=True)
        self.out = nn.Linear(k, V)

    def forward(self, words, state=None):  # [B, T] -> scores [B, T, V], last state
        states, state = self.cell(self.embedding(words), state)
        return self.out(states), state


class Window(nn.Module):
    """Chapter 4's network: scores from the last four words. Its "state" are the last three words of the batch before."""

    def __init__(self, V, d=64, k=128):
        super().__init__()
        self.embedding = nn.Embedding(V, d)
        self.hidden = nn.Linear(4 * d, k)
        self.out = nn.Linear(k, V)

    def forward(self, words, state=None):
        words = torch.cat([words.new_zeros(len(words), 3) if state is None else state, words], dim=1)
        vectors = self.embedding(words.unfold(1, 4, 1)).flatten(2)
        return self.out(torch.tanh(self.hidden(vectors))), words[:, -3:]


# %%
def learn(model, steps, last_only=False):
    """Train on the kitchen text; `last_only`: only the last word of each row and batch is a target."""
    batches = stream_batches(ids["train"], 16, 16)

    def loss(model, batch, carry):
        scores, state = model(batch[0], carry.get("state"))
        carry["state"] = tuple(part.detach() for part in state) if isinstance(state, tuple) else state.detach()
        kept = slice(-1 if last_only else 0, None)
        targets = batch[1][:, kept].flatten()
        return F.cross_entropy(scores[:, kept].flatten(0, 1), targets), len(targets)

    schedule = warmup_cosine(20, 0.02)
    train(
        model,
        lambda i: batches[i % len(batches)],
        loss,
        steps=steps,
        rate=1e-2,
        carry={},
        schedule=schedule,
        device="cpu",
    )
    return model


@torch.no_grad()
def held_out(model):
    """Perplexity on the words of the split "valid", read in one go."""
    scores, _ = model(ids["valid"][None, :-1])
    return F.cross_entropy(scores[0], ids["valid"][1:]).exp().item()


# %%
steps, V, models = budget().choose(grading=1000, laptop=1000, gpu=5000), len(vocabulary), {}
set_seed(1)
models["window of 4"] = learn(Window(V), steps)

# %%
set_seed(1)
models["RNN"] = learn(LanguageModel(nn.RNN, V), steps)

# %%
set_seed(1)
models["LSTM"] = learn(LanguageModel(nn.LSTM, V), steps)

# %%
set_seed(1)
last_only = learn(LanguageModel(nn.LSTM, V), steps, last_only=True)

# %%
before, after = ids["train"][:-1], ids["train"][1:]
pairs = torch.full((V, V), 0.01).index_put_((before, after), torch.tensor(1.0), accumulate=True)
chances = (pairs / pairs.sum(1, keepdim=True))[ids["valid"][:-1], ids["valid"][1:]]
perplexity = {"bigram": chances.log().mean().neg().exp().item()}
perplexity |= {name: held_out(model) for name, model in models.items()}
perplexity["LSTM, last"] = held_out(last_only)
floor = corpus.floor("valid").perplexity
for name, value in perplexity.items():
    print(f"{name:12} perplexity {value:.3g}, {math.log2(value / floor):.1f} bits above the floor")

# %%
_, axes = plt.subplots()
axes.bar(list(perplexity), list(perplexity.values()), color=plots.COLOURS[: len(perplexity)])
axes.axhline(floor, color="gray", linestyle="--", label=f"floor: {floor:.2g}")
axes.set_ylabel("perplexity, held out")
axes.legend()
plt.show()

# %% [markdown]
# Each step buys something: classes of similar words (window), a past without an end (RNN), a memory that fades less (LSTM). With one target for 16 words read, as
# in the listing of lecture 002, the same LSTM learns far less from the same reading. On Penn Treebank, 004 prints 141 for Kneser-Ney 5, 140, 125 and 115. But look at
# what is left down to the floor.

# %%
asked = kitchen.probes("agreement", tokens=30_000, seed=13)
bands = {"1": (1, 1), "2-4": (2, 4), "5-8": (5, 8), "9 and more": (9, 99)}
by_document = {id(probe.document): probe.document for probe in asked}


def encode(words):
    return torch.tensor([number.get(word, 0) for word in words])


@torch.no_grad()
def agreement(model):
    """For each band of distances, the share of verbs whose right form is likelier than the other number."""
    scores = {key: model(encode(["</s>", *document.tokens])[None])[0][0] for key, document in by_document.items()}
    right = {band: [] for band in bands}
    for probe in asked:
        row = scores[id(probe.document)][probe.position]
        band = next(name for name, (low, high) in bands.items() if low <= probe.distance <= high)
        good, bad = (row[encode(forms)].logsumexp(0) for forms in (probe.right, probe.wrong))
        right[band].append(bool(good > bad))
    return [100 * np.mean(right[band]) for band in bands]


# %%
_, axes = plt.subplots()
for name, model in models.items():
    axes.plot(list(bands), agreement(model), "o-", label=name)
axes.axhline(50, color="gray", linestyle=":", label="guessing")
axes.set(xlabel="words back from the verb to its noun", ylabel="right number (%)", ylim=(40, 102))
axes.legend()
plt.show()

# %% [markdown]
# Which form of the verb is likelier, the right or the other number? After so little reading, all three are near guessing when the noun is far away.
# docs/corpora.md has the same question after four minutes of training each: from nine words back 64 % for a window, 99 and more for RNN and LSTM.

# %% [markdown] statement="cosines"
# ## 13. One word, two vectors
#
# A static vector is the same wherever *increase* stands. The state $h_t$ behind it has read what came before: a
# **contextual** vector. Does it tell noun from verb?
#
# From vectors of the same word at $n$ places and the tag at each, compute `cosines(vectors, tags)`: the mean cosine of all pairs
# of *two different* places with the same tag, and the mean over all pairs with different tags.

# %% [markdown] hints="cosines"
# 1. All cosines at once: a product of one matrix with its own transpose, if the rows have length 1.
# 2. Which entries of that table are a place with itself? They are always 1 and would flatter.
# 3. Make a table of *same tag?* beside the table of cosines, take the diagonal out of both, and average each kind.


# %% task="cosines" points=3 level=2 minutes=10
def cosines(vectors, tags):
    """(mean cosine of pairs with the same tag, of pairs with different tags) from an array [n, k] and n tags."""
    ### BEGIN SOLUTION
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same & other].mean(), table[~same].mean()
    ### END SOLUTION


# %% test="cosines" aspect="four vectors by hand" points=1
_got = cosines(np.array([[2.0, 0], [3, 4], [0, 5], [0, 1]]), ["NOUN", "NOUN", "VERB", "VERB"])
assert np.shape(_got) == (2,), f"Return two numbers; yours: {_got!r}."
assert math.isclose(_got[0], 0.8), f"Same tag: cosines .6 and 1, mean .8; yours: {_got[0]:.4f}."
assert math.isclose(_got[1], 0.4), f"Different tags: 0, 0, .8 and .8, mean .4; yours: {_got[1]:.4f}."

# %% test="cosines" aspect="static vectors are all alike" points=1
_got = cosines(np.array([[0.3, -2.0, 1.0]] * 5), ["NOUN", "VERB", "NOUN", "VERB", "NOUN"])
assert np.shape(_got) == (2,), f"Return two numbers; yours: {_got!r}."
assert np.allclose(_got, 1), f"Equal vectors have cosine 1 whatever the tags; yours: {_got!r}."

# %% test="cosines" aspect="random vectors, uneven groups" points=1
_n, _tags = 6, ["NOUN", "VERB", "NOUN", "NOUN", "VERB", "NOUN"]
### BEGIN HIDDEN TESTS
_n = random.randint(6, 12)
_tags = ["NOUN", "VERB", "NOUN", *random.choices(["NOUN", "VERB", "ADJ"], k=_n - 3)]
### END HIDDEN TESTS
_vectors, _sums = np.random.default_rng().normal(size=(_n, 3)) + 1, {True: [], False: []}
for _i in range(_n):
    for _j in range(_i):
        _lengths = math.dist(_vectors[_i], [0] * 3) * math.dist(_vectors[_j], [0] * 3)
        _sums[_tags[_i] == _tags[_j]].append(sum(_vectors[_i] * _vectors[_j]) / _lengths)
_got, _wanted = cosines(_vectors.copy(), list(_tags)), [np.mean(_sums[True]), np.mean(_sums[False])]
assert np.allclose(_got, _wanted), f"Tags {_tags}: {np.round(_wanted, 4)} wanted; yours: {np.round(_got, 4)}."


# %%
@torch.no_grad()
def vectors_of(word, model, number, sentences, tags):
    """At each place of the word: its static vector, the state behind it, its tag."""
    static, states, found = [], [], []
    for words, names in zip(sentences, tags, strict=True):
        e = model.embedding(torch.tensor([number.get(w, 0) for w in ["</s>", *words]]))
        h = model.cell(e[None])[0][0]
        for t in [t for t, w in enumerate(words) if w == word]:
            static.append(e[t + 1].numpy())
            states.append(h[t + 1].numpy())
            found.append(names[t])
    return np.array(static), np.array(states), found


# %%
toy = lmkit.load("toy-increase")
toy_text = ["</s>", *(w for sentence in toy.splits["train"] for w in [*sentence, "</s>"])]
toy_number = {word: i for i, word in enumerate(sorted(set(toy_text)))}
toy_ids = torch.tensor([[toy_number[word] for word in toy_text]])
set_seed(1)
toy_model = LanguageModel(nn.LSTM, len(toy_number), 16, 16)
train(
    toy_model,
    lambda _: (toy_ids[:, :-1], toy_ids[:, 1:]),
    lambda model, batch: (F.cross_entropy(model(batch[0])[0][0], batch[1][0]), batch[1].numel()),
    steps=60,
    rate=1e-2,
    device="cpu",
)
places = {"increase (toy)": vectors_of("increase", toy_model, toy_number, toy.splits["train"], toy.tags["train"])}
for word in ("order", "cook"):
    places[word] = vectors_of(word, models["LSTM"], number, corpus.splits["valid"], corpus.tags["valid"])

# %%
for word, (static, states, tags) in places.items():
    print(f"{word:15} static vectors: {cosines(static, tags)[1]:.1f};", end=" ")
    print("states: same tag {:.1f}, different tags {:.1f}".format(*cosines(states, tags)), Counter(tags))

# %% [markdown]
# The same word, the same static vector, but other states: tags show. Yet a state has only read the *left* side, $e_i = f(x_1, \dots, x_i)$. In *the cook book*
# the word that decides comes later; reading both sides needs another task than the next word (chapter 7).

# %% [markdown] statement="lstm_layer"
# ## 14. What waits, and what need not
#
# A loop over words runs many small products one after the other. But $W[e_t, h_{t-1}] = W_x e_t + W_h h_{t-1}$, and no $e_t$ waits
# for a state. So compute all $W_x e_t + b$ at once, and all four gates in one product (blocks in the order $i, f, \tilde C, o$):
#
# - `input_shares(e, W_x, b)`: $W_x e_t + b$ for all words, shape $[B, T, 4k]$;
# - `lstm_layer(a, h, C, W_h)`: from these shares the states $[B, T, k]$, with one product in each step, and the last $h$ and $C$.

# %% [markdown] hints="lstm_layer"
# 1. The first function needs no loop.
# 2. In the loop, add to the share of word $t$ what the last state brings, and cut the sum into four.
# 3. Replace `h` and `C` at each step, keep each `h`; at the end stack them along the time axis, which is the middle one.


# %% task="lstm_layer" points=4 level=2 minutes=15
def input_shares(e, W_x, b):
    """[B, T, 4k] from e: [B, T, d], W_x: [4k, d], b: [4k]."""
    ### BEGIN SOLUTION
    return F.linear(e, W_x, b)
    ### END SOLUTION


def lstm_layer(a, h, C, W_h):
    """(states [B, T, k], h [B, k], C [B, k]) from a: [B, T, 4k], h: [B, k], C: [B, k], W_h: [4k, k]."""
    ### BEGIN SOLUTION
    states = []
    for a_t in a.unbind(1):
        i, f, new, o = torch.addmm(a_t, h, W_h.T).chunk(4, 1)
        C = torch.sigmoid(i) * torch.tanh(new) + torch.sigmoid(f) * C
        h = torch.sigmoid(o) * torch.tanh(C)
        states.append(h)
    return torch.stack(states, 1), h, C
    ### END SOLUTION


# %%
def only_states(a, h, C, W_h):
    return lstm_layer(a, h, C, W_h)[0]


# %% test="lstm_layer" aspect="shares of all words" points=1
_e, _W_x, _b = torch.randn(3, 5, 2).double(), torch.randn(8, 2).double(), torch.randn(8).double()
_got = input_shares(_e, _W_x, _b)
assert torch.is_tensor(_got) and _got.shape == (3, 5, 8), f"B = 3, T = 5, k = 2: shape (3, 5, 8); yours: {_got!r}."
_row, _t, _j = random.randrange(3), random.randrange(5), random.randrange(8)
_wanted = (_W_x[_j] * _e[_row, _t]).sum() + _b[_j]
assert torch.isclose(_got[_row, _t, _j], _wanted), (
    f"Entry {_row, _t, _j} is {_got[_row, _t, _j]:.4f}, not {_wanted:.4f}."
)

# %% test="lstm_layer" aspect="equal to nn.LSTM" points=1
_B, _T, _k = 2, 5, 3
### BEGIN HIDDEN TESTS
_B, _T, _k = random.randint(2, 4), random.randint(3, 9), random.randint(2, 6)
### END HIDDEN TESTS
_layer = nn.LSTM(4, _k, batch_first=True).double()
_e, _h, _C = torch.randn(_B, _T, 4).double(), torch.randn(_B, _k).double(), torch.randn(_B, _k).double()
_wanted, (_last_h, _last_C) = _layer(_e, (_h[None], _C[None]))
_a = F.linear(_e, _layer.weight_ih_l0, _layer.bias_ih_l0 + _layer.bias_hh_l0).detach()
_got = lstm_layer(_a, _h, _C, _layer.weight_hh_l0.detach())
assert isinstance(_got, tuple | list) and len(_got) == 3, f"Return (states, h, C); yours: {_got!r}."
assert _got[0].shape == _wanted.shape, f"States of shape {tuple(_wanted.shape)} wanted; yours: {tuple(_got[0].shape)}."
assert torch.allclose(_got[0][:, 0], _wanted[:, 0]), "The first state already differs from that of nn.LSTM."
assert torch.allclose(_got[0], _wanted), "The first state is right, later ones are not: do h and C both go on?"
assert torch.allclose(_got[1], _last_h[0]) and torch.allclose(_got[2], _last_C[0]), "The last h or C is not nn.LSTM's."

# %% test="lstm_layer" aspect="no state sees the future" points=1
_a, _h, _W_h = torch.randn(2, 6, 8).double(), torch.randn(2, 2).double(), torch.randn(8, 2).double()
_other, _t = _a.clone(), 3
_other[:, _t + 1 :] = torch.randn(2, 2, 8)
_one, _two = lstm_layer(_a, _h, _h, _W_h)[0], lstm_layer(_other, _h, _h, _W_h)[0]
assert _one.shape == _two.shape == (2, 6, 2), f"States of shape (2, 6, 2) wanted; yours: {tuple(_one.shape)}."
assert torch.equal(_one[:, : _t + 1], _two[:, : _t + 1]), "Words 5 and 6 changed, and a state before them did too."
assert not torch.allclose(_one[:, _t + 1 :], _two[:, _t + 1 :]), (
    "Words 5 and 6 changed, but no state from there on did."
)

# %% test="lstm_layer" aspect="gradients through all steps" points=1
_layer = nn.LSTM(2, 3, batch_first=True).double()
_layer.bias_ih_l0.data.zero_()
_e = torch.randn(2, 5, 2).double()
_a = F.linear(_e, _layer.weight_ih_l0, _layer.bias_hh_l0).detach()
_zero, _W_h = torch.zeros(2, 3).double(), _layer.weight_hh_l0.detach()
_wanted = torch.autograd.grad(_layer(_e)[0].sum(), _layer.weight_hh_l0)[0]
_got = gradients(only_states, _a, _zero, _zero, _W_h)[3]
assert torch.allclose(_got, _wanted), "The gradient of the states' sum with respect to W_h is not that of nn.LSTM."

# %%
B, T, d, k = 12, 64, 64, 128
set_seed(1)
layer, e = nn.LSTM(d, k, batch_first=True), torch.randn(B, T, d)
W_x, W_h, bias = (
    value.detach().clone().requires_grad_(True) for value in (layer.weight_ih_l0, layer.weight_hh_l0, layer.bias_ih_l0)
)
W = {part: torch.randn(k, d + k).div(10).requires_grad_(True) for part in "Cfio"}
b = {part: torch.zeros(k, requires_grad=True) for part in "Cfio"}
zero = torch.zeros(B, k)


def by_equation():
    h, C, states = zero, zero, []
    for t in range(T):
        h, C = lstm_step(e[:, t], h, C, W, b)
        states.append(h)
    return torch.stack(states, 1)


# %%
def best_time(function, *inputs, tries=5):
    """Milliseconds for function(*inputs), the best of so many tries."""
    times = []
    for _ in range(tries):
        begin = time.perf_counter()
        function(*inputs)
        times.append(1000 * (time.perf_counter() - begin))
    return min(times)


ways = {
    "equations": by_equation,
    "your layer": lambda: only_states(input_shares(e, W_x, bias), zero, zero, W_h),
    "nn.LSTM": lambda: layer(e)[0],
}
times = {name: best_time(lambda way: way().sum().backward(), way) for name, way in ways.items()}

# %%
lengths = (4, 16, 64, 256, 1024)
texts = [torch.randn(2048 // n, n, 64) for n in lengths]
layers = {"RNN": nn.RNN(64, 64, batch_first=True), "LSTM": nn.LSTM(64, 64, batch_first=True)}
W_64 = torch.randn(256, 64) / 8
layers["your layer"] = lambda e: lstm_layer(input_shares(e, W_64, W_64[:, 0]), e[:, 0], e[:, 0], W_64)
with torch.no_grad():
    waits = {name: [best_time(layer, e, tries=3) for e in texts] for name, layer in layers.items()}

# %%
_, (left, right) = plt.subplots(1, 2)
left.bar(list(times), list(times.values()), color=plots.COLOURS[:3])
left.set_ylabel("forward and backward (ms)")
for name, milliseconds in waits.items():
    right.loglog(lengths, milliseconds, "o-", label=name)
right.set(xlabel="length of a text (2,048 words in all)", ylabel="forward (ms)")
right.legend()
plt.show()

# %% [markdown]
# Left: the fused kernel of `nn.LSTM` takes a small part of a Python loop's time. Right: the same 2,048 words, cut into fewer and longer
# texts. The arithmetic is the same, but $h_t$ waits for $h_{t-1}$: $n$ words are $n$ steps one after the other, however many
# processors stand idle. Chapter 6 lets every word look at every other *at once*.
