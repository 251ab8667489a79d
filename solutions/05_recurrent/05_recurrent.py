# ---
# title: Recurrent networks, or how to carry the past along
# ---

# %% [markdown]
# Finish this sentence: *The cooks with the bags beside the quiet fountain …* Does *dance* come next, or *dances*? You
# know that it must be *dance*, because of *cooks*. But look how far away that word is: eight words back. A trigram
# model looks at two words, the window network of chapter 04 at four, and what stands further back does not exist for
# them. A wider window does not help for long. In a table, the counts run out (chapter 01), and in a network, the
# number of weights grows with the window (chapter 04).
#
# A **recurrent network** (J. Elman, 1990) has no window. It reads one word at a time and carries a vector along, its
# **hidden state**, which is all that it remembers of everything it has read so far. The same weights are used at
# every step, so the network can read texts of any length.

# %% [markdown]
# You will build such a network and then find out why it forgets. In section 9 you set the weights of a tiny one by
# hand, so that it keeps a single bit for 10,000 steps, and you will see the price: because the memory is so stable,
# hardly any gradient gets through it, and so it is hard to learn. The **LSTM** is a way out, and you build it, too.
# Near the end, trained LSTMs write stories. (Attention, from which today's models are made, began as an addition to
# networks of this kind: D. Bahdanau and others, 2014. It is the subject of chapter 06.)
#
# Plan two sittings: sections 1 to 8 are about gradients through time, and sections 9 to 16 about the LSTM and what it
# learns.

# %% [markdown]
# The text is the *kitchen* text: restaurant stories that a program wrote. We use it because its language is known
# exactly, so we can say how well any model *could* do. Some trainings run in this notebook. Where we name numbers
# from them, they are those of our own, short run. Your machine trains for longer unless you tell it otherwise, so
# your numbers will differ from ours. The longest trainings were recorded (`lmkit.runs`), and there you see exactly
# the numbers that we saw.
#
# We quote three public lectures: 001 (Greg Durrett), 002 (Fabrizio Silvestri) and 004 (Benjamin Muller). You do not
# need to know them. Where something printed there is wrong, it has become a task or is in a folded box.

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
from lmkit import drawings, ngrams, plots, runs
from lmkit import kitchen as language
from lmkit.budgets import budget
from lmkit.testing import (
    arguments_after,
    close,
    gradients,
    is_number,
    laid_out_otherwise,
    leave_gradients,
    torch_module,
    without_autograd,
)
from lmkit.training import choose_device, set_seed, train, warmup_cosine

device = choose_device()
plots.use_style()
torch.set_num_threads(1)  # small networks: a second thread costs more than it brings

# %% [markdown]
# `device` is where the networks of this chapter are trained: on a GPU if torch finds one in your machine, otherwise on
# the CPU. Every answer works on a CPU. If you have a GPU and your answer makes a tensor of its own, make it where its
# input is: `torch.zeros(3, device=x.device)`.


# %%
def expect(got, names):
    """What the checks ask first: is the answer a tuple or list of these things?"""
    assert isinstance(got, tuple | list) and len(got) == names.count(",") + 1, (
        f"Return ({names}); yours: {got!r}."
    )


# %% [markdown]
# You do not need this table yet. Come back to it when you meet a letter that you have forgotten: each of them keeps its
# meaning through the whole chapter.
#
# | letter | what it is | shape |
# |---|---|---|
# | $T, N$ | words in a text that is read at once; in a long text | |
# | $B$ | texts side by side in a batch | |
# | $x_t$ | word $t$: its number, or the same as a one-hot vector | |
# | $e_t$ | its vector, $E^\top x_t$: a row of the table $E$ | $d$ |
# | $h_t$ | hidden state after word $t$ | $k$ |
# | $s_t$ | scores (*logits*) of all words, $U h_t$ | $\lvert V \rvert$ |
# | $W_x, W_h, b$ | weights for the word and for the old state, bias | $[k, d]$, $[k, k]$, $k$ |
# | $a_t$ | what stands inside an activation function (*pre-activation*) | $k$ |
# | $\ell$ | loss, a number | |
# | $\delta_t$ | $\partial \ell / \partial a_t$ | $k$ |
# | $C_t, \tilde C_t$ | memory cell of the LSTM; its candidate | $k$ |
# | $f_t, i_t, o_t$ | its forget, input and output gate | $k$ |
#
# A single text has no batch axis; then these are the whole shapes.

# %% [markdown]
# ## 1. One step, again and again
#
# The new state is made of two things, the word just read and the old state:
#
# $$h_t = \tanh(W_x e_t + W_h h_{t-1} + b)$$
#
# The tanh is the **activation function**; it keeps every entry between -1 and 1. By hand, with one number for each
# ($d = k = 1$, $W_x = 1$, $W_h = \tfrac12$, $b = 0$, $h_0 = 0$), for the words 1, 0, 0:
#
# $$h_1 = \tanh(1) = .76, \quad h_2 = \tanh(\tfrac12 \cdot .76) = .36, \quad h_3 = \tanh(\tfrac12 \cdot .36) = .18.$$
#
# The 1 was read only once, but its echo is in every later state, and it fades. Unrolled in time:

# %%
drawings.unrolled_rnn()

# %% [markdown]
# One network, drawn for each word: the four arrows labelled $W_x$ are the *same* matrix. This is called
# **unrolling**. The scores of the next word leave upwards, and a softmax turns them into probabilities.

# %% [markdown] statement="rnn"
# Write `rnn(e, h, W_x, W_h, b)`: from all word vectors `e`, shape $[T, d]$, and the state `h` before the first, return
# the states $h_1, \dots, h_T$, shape $[T, k]$. Write the loop yourself; `nn.RNN` will check it.

# %% [markdown] hints="rnn"
# 1. Read the equation as an assignment: the new state stands left, the old one right.
# 2. $W_x e_t$ is a matrix times a vector. Do the shapes $[k, d]$ and $[d]$ fit as they stand?
# 3. Go through the rows of `e`; each time replace `h` by the new state and keep it; at the end stack what you kept.


# %% task="rnn" points=3 level=1 minutes=10
def rnn(e, h, W_x, W_h, b):
    """States h_1..h_T, a tensor of shape [T, k], from e: [T, d], h: [k], W_x: [k, d], W_h: [k, k], b: [k].

    All five stay as they are.
    """
    ### BEGIN SOLUTION
    states = []
    for e_t in e:
        h = torch.tanh(W_x @ e_t + W_h @ h + b)
        states.append(h)
    return torch.stack(states)
    ### END SOLUTION


# %% test="rnn" aspect="two steps by hand" points=1
_one = torch.ones(1, 1, dtype=torch.float64)
_got = rnn(
    torch.tensor([[1.0], [0.0]]).double(),
    torch.zeros(1).double(),
    _one,
    2 * _one,
    torch.zeros(1).double(),
)
assert torch.is_tensor(_got), f"Return a tensor of shape [T, k]; yours: {_got!r}."
assert tuple(_got.shape) == (2, 1), (
    f"Two words and a state of one number: shape (2, 1); yours: {tuple(_got.shape)}."
)
assert close(_got[0, 0], math.tanh(1), 1e-5), (
    f"h_1 = tanh(1) = .7616; yours: {_got[0, 0]:.4f}."
)
assert close(_got[1, 0], math.tanh(2 * math.tanh(1)), 1e-5), (
    f"h_2 = tanh(2 × .7616) = .9094: only the old state speaks; yours: {_got[1, 0]:.4f}."
)
### BEGIN HIDDEN TESTS
for _T in (1, 2, 5):
    _x, _u, _w, _c, _h = (
        random.uniform(0.3, 1) * random.choice((-1, 1)) for _ in range(5)
    )
    _e = torch.randn(_T, 1).double()
    _parts = (torch.tensor(part).double() for part in ([_h], [[_u]], [[_w]], [_c]))
    _got, _wanted = rnn(_e.clone(), *_parts), []
    for _x in _e[:, 0].tolist():
        _h = math.tanh(_u * _x + _w * _h + _c)
        _wanted.append([_h])
    assert close(_got, _wanted, 1e-5, 1e-6), (
        f"{_T} words, d = k = 1: the states are not those of the equation."
    )
### END HIDDEN TESTS

# %% test="rnn" aspect="equal to nn.RNN" points=1
_sizes = [(3, 4, 6)]
### BEGIN HIDDEN TESTS
_sizes += [(2, 5, 1), (5, 3, 4), (1, 4, 7), (6, 1, 3), (4, 2, 9), (3, 3, 5)]
### END HIDDEN TESTS
for _d, _k, _T in _sizes:
    _cell = nn.RNN(_d, _k).double()
    _e, _h = torch.randn(_T, _d).double(), torch.randn(_k).double()
    _wanted = _cell(_e, _h[None])[0].detach()
    _bias = (_cell.bias_ih_l0 + _cell.bias_hh_l0).detach()
    _weights = _h, _cell.weight_ih_l0.detach(), _cell.weight_hh_l0.detach(), _bias
    _got = rnn(_e.clone(), *(part.clone() for part in _weights))
    assert torch.is_tensor(_got) and _got.shape == _wanted.shape, (
        f"Wanted a tensor of shape {tuple(_wanted.shape)}."
    )
    _off = (_got - _wanted).abs().max().item()
    assert _off < 1e-5, (
        f"With d = {_d}, k = {_k}, T = {_T} you differ from nn.RNN by up to {_off:.4f}."
    )
### BEGIN HIDDEN TESTS
_e = torch.tensor([[3000.0], [-0.2], [-3000.0], [0.1], [-0.2]]).double()
_parts = torch.tensor([0.3]), torch.tensor([[1.0]]), torch.tensor([[0.5]])
_got = rnn(_e.clone(), *(part.double() for part in _parts), torch.zeros(1).double())
_wanted = [[1.0], [math.tanh(0.3)], [-1.0], [math.tanh(-0.4)]]
_wanted += [[math.tanh(-0.2 + 0.5 * math.tanh(-0.4))]]
assert close(_got, _wanted, 1e-5, 1e-6), (
    f"Sums of ±3,000 inside the tanh, and one word twice: states {_wanted} wanted; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="rnn" aspect="the past goes on" points=1
_e, _W_x, _W_h, _b = (
    torch.randn(7, 3),
    torch.randn(2, 3) / 4,
    torch.linalg.qr(torch.randn(2, 2))[0],  # so that the past is not soon forgotten
    torch.randn(2) / 4,
)
_whole = rnn(_e, torch.zeros(2), _W_x, _W_h, _b)
assert torch.is_tensor(_whole) and len(_whole) == 7, (
    f"Seven words make seven states; yours: {_whole!r}."
)
_second = rnn(_e[4:], _whole[3].clone(), _W_x, _W_h, _b)
assert close(_second, _whole[4:], 1e-4, 1e-4), (
    "Words 5 to 7, started from the state after word 4, should give the states of the whole text; yours do not."
)
### BEGIN HIDDEN TESTS
_h = torch.randn(2)
_got = rnn(_e[:1].clone(), _h.clone(), _W_x.clone(), _W_h.clone(), _b.clone())
_wanted = torch.stack(
    [
        torch.tanh((_W_x[i] * _e[0]).sum() + (_W_h[i] * _h).sum() + _b[i])
        for i in range(2)
    ]
)
assert close(_got, _wanted[None], 1e-4, 1e-4), (
    f"One word, started from h = {_h.tolist()}: the state is another."
)
_given = _e, _h, _W_x, _W_h, _b
_left = arguments_after(rnn, *(part.clone() for part in _given))
for _name, _one, _two in zip(("e", "h", "W_x", "W_h", "b"), _left, _given, strict=True):
    assert close(_one, _two), (
        f"rnn changed the caller's {_name}: the next text would start from other numbers."
    )
### END HIDDEN TESTS


# %% [markdown]
# How long does an echo last? Two texts differ only in their *first* word: how far apart are the states, word by word?
# As recurrent weights we take a rotation times a number $\rho$, so that $W_h$ makes every vector exactly $\rho$ times as
# long. Predict the curves for $\rho$ = 0.8, 0.95, 1 and 1.1 before you look.

# %%
set_seed(5)
width = 32
draws = []  # three times a rotation, and a text of 60 word vectors
for _ in range(3):
    rotation = torch.linalg.qr(torch.randn(width, width))[0]
    draws.append((rotation, 0.05 * torch.randn(60, width)))
story = draws[0][1]


def states_of(e, W_h):
    """Your states of a text, from zero; W_x is the identity, b is zero."""
    return rnn(e, torch.zeros(width), torch.eye(width), W_h, torch.zeros(width))


# %%
_, axes = plt.subplots()
for rho, colour in zip((0.8, 0.95, 1.0, 1.1), plots.COLOURS, strict=False):
    for rotation, e in draws:
        other = e.clone()
        other[0] = 0.05 * torch.randn(width)
        apart = states_of(e, rho * rotation) - states_of(other, rho * rotation)
        line = axes.semilogy(range(1, 61), apart.norm(dim=1), color=colour, linewidth=1)
    line[0].set_label(f"$\\rho$ = {rho}")
axes.set(xlabel="words read", ylabel="distance of the states (log)")
axes.legend()
plt.show()

# %% [markdown]
# With $\rho$ below 1 the first word is forgotten by nearly the same factor at each step: a straight line on this scale.
# At 1 the tanh, which squeezes, still wears the difference down slowly. At 1.1 it grows at first, then the two effects
# balance. (Three random draws each.) So the weights decide what is kept, and they are learned. How many are there?

# %% [markdown] statement="parameters"
# ## 2. Three ways, one number
#
# A recurrent language model has four matrices: the embedding $E$, shape $[|V|, d]$ (a row for each word), $W_x$, $W_h$
# and the output layer $U$, shape $[|V|, k]$. Count its weights:
#
# - `by_terms(V, d, k)`: the sizes of $E$, $W_x$, $W_h$, $U$, a list;
# - `by_product(V, d, k)`: their sum, as a product of two factors;
# - `by_module(V, d, k)`: loop over `nn.Embedding`, `nn.RNN`, `nn.Linear`; here the biases count;
# - `times_printed`: for $|V| = 10^5$, $d = k = 10^2$, lecture 002 prints $10^7$ in all: your total (no biases) divided
#   by that, exactly.

# %% [markdown] hints="parameters"
# 1. A matrix of shape $[m, n]$ holds $mn$ numbers.
# 2. Sort the four terms into pairs: $|V|d$ and $kd$; $kk$ and $|V|k$. What can be taken out of each pair?
# 3. Make the three modules, go through the parameters of each, and add up how many elements each one has.


# %% task="parameters" points=4 level=1 minutes=12
def by_terms(V, d, k):
    """[size of E, of W_x, of W_h, of U]."""
    ### BEGIN SOLUTION
    return [d * V, d * k, k * k, k * V]
    ### END SOLUTION


def by_product(V, d, k):
    """The sum of the four, as a product of two factors."""
    ### BEGIN SOLUTION
    return (d + k) * (V + k)
    ### END SOLUTION


def by_module(V, d, k):
    """How many numbers torch's Embedding, RNN and Linear hold, their biases included."""
    ### BEGIN SOLUTION
    parts = nn.Embedding(V, d), nn.RNN(d, k), nn.Linear(k, V)
    return sum(weight.numel() for part in parts for weight in part.parameters())
    ### END SOLUTION


# times_printed = a number
### BEGIN SOLUTION
times_printed = by_product(10**5, 100, 100) / 10**7
### END SOLUTION


# %% test="parameters" aspect="four matrices" points=1
_got = by_terms(7, 2, 3)
assert np.shape(_got) == (4,), f"by_terms returns four numbers; yours: {_got!r}."
assert list(_got) == [14, 6, 9, 21], (
    f"V = 7, d = 2, k = 3: E holds 7 × 2 numbers, and so on; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _V, _d, _k in ((30, 4, 9), (5, 12, 8), (9, 6, 6), random.sample(range(2, 50), 3)):
    _wanted = [
        np.zeros(shape).size for shape in ((_V, _d), (_k, _d), (_k, _k), (_V, _k))
    ]
    _got = by_terms(_V, _d, _k)
    assert close(_got, _wanted), f"V, d, k = {_V, _d, _k}: your sizes are {_got!r}."
### END HIDDEN TESTS

# %% test="parameters" aspect="the product is the sum" points=1
_got = by_product(7, 2, 3)
assert is_number(_got), f"by_product returns a number; yours: {_got!r}."
assert _got == 50, f"V = 7, d = 2, k = 3: 14 + 6 + 9 + 21 = 50; your product is {_got}."
### BEGIN HIDDEN TESTS
for _V, _d, _k in ((30, 4, 9), (5, 12, 8), (9, 6, 6), random.sample(range(2, 50), 3)):
    _wanted, _got = _d * _V + _d * _k + _k**2 + _k * _V, by_product(_V, _d, _k)
    assert is_number(_got) and _got == _wanted, (
        f"V, d, k = {_V, _d, _k}: the terms sum to {_wanted}, not {_got!r}."
    )
### END HIDDEN TESTS

# %% test="parameters" aspect="torch's biases are counted" points=1
_got = by_module(7, 2, 3)
assert is_number(_got), f"by_module returns a number; yours: {_got!r}."
assert _got != 50, (
    "by_module leaves out the biases: nn.RNN and nn.Linear have some by default."
)
assert _got == 63, (
    f"V = 7, d = 2, k = 3: torch holds 63 numbers, biases included; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_sizes = (30, 4, 9), (5, 12, 8), (9, 6, 6), random.sample(range(2, 50), 3)
for _V, _d, _k in _sizes:
    _wanted = _d * _V + _d * _k + _k**2 + _k * _V + 2 * _k + _V
    _got = by_module(_V, _d, _k)
    assert is_number(_got) and _got == _wanted, (
        f"V, d, k = {_V, _d, _k}: torch holds {_wanted} numbers, not {_got!r}."
    )
### END HIDDEN TESTS

# %% test="parameters" aspect="the printed total" points=1
assert is_number(times_printed), f"times_printed is a number, not {times_printed!r}."
assert times_printed > 1, (
    f"The slide prints too few, not too many; yours: {times_printed}."
)
### BEGIN HIDDEN TESTS
assert close(times_printed, 2.002, 1e-6), (
    f"Not {times_printed}: divide the exact total by 10^7."
)
### END HIDDEN TESTS


# %%
exact = by_product(10**5, 100, 100)
with_biases = by_module(10**5, 100, 100)
ratio = (11 * 10**10 + 10**5) / exact
print(f"{exact:,}; with biases {with_biases:,}")
print(f"the one-hot network of chapter 04: {ratio:,.0f} times as many")

# %% [markdown]
# Two of the four terms grow with $|V|$, and none with the length of the past. A window network needs $d$ more columns in
# its hidden layer for each further word it looks at, the recurrent network needs nothing. (With $d = k$, one matrix can
# serve as $E$ *and* as $U$: *tied weights*.)
#
# <details><summary>Slips in the printed slides: a total, and a listing</summary>
#
# Lecture 002 drops one of the two terms with $|V|$, so its total is half of the truth. Its program predicts only the word
# after the *last* state; section 13 shows what predicting at every step is worth.
# </details>


# %%
class LanguageModel(nn.Module):
    """Scores s_t = U h_t of the next word at every step (and a bias), from one of torch's cells."""

    def __init__(self, cell, V, d=64, k=128):
        super().__init__()
        self.embedding = nn.Embedding(V, d)
        self.cell = cell(d, k, batch_first=True)
        self.out = nn.Linear(k, V)

    def forward(self, words, state=None):
        """Words [B, T] -> scores [B, T, V] and the last state, to go on from."""
        states, state = self.cell(self.embedding(words), state)
        return self.out(states), state


# %% [markdown] statement="next_word_loss"
# ## 3. What training pushes
#
# The scores $s_t$ become probabilities by a **softmax**, $p_{tv} = e^{s_{tv}} / \sum_u e^{s_{tu}}$. The loss is the mean
# surprise at the words that really came, the **cross-entropy**:
#
# $$\ell = -\frac1T \sum_{t=1}^T \ln p_{t,\,x_{t+1}}$$
#
# Feeding the network the true words $x_1 \dots x_t$, not its own, is called **teacher forcing**.
#
# Write `next_word_loss(s, x)`: the loss in nats and its gradient with respect to the scores, which you derive yourself;
# autograd is switched off. `x[t]` is the word that follows at step $t$. Scores may be in the thousands.

# %% [markdown] hints="next_word_loss"
# 1. $\ln \mathrm{softmax}(s)_v = s_v - \ln \sum_u e^{s_u}$. Which constant may be taken off all scores of a row before?
# 2. Differentiate that by $s_v$, once for the right word and once for another: each time the probability appears.
# 3. Mind the sign, and that a *mean* of $T$ losses is differentiated. Check: what should each row of the gradient sum
#    to, given that adding the same number to all scores of a row changes nothing?


# %% task="next_word_loss" points=3 level=2 minutes=14
def next_word_loss(s, x):
    """(loss, gradient [T, V]) from scores s: [T, V] (an array, maybe of ints) and the next words x: [T] (ints).

    s and x stay as they are.
    """
    ### BEGIN SOLUTION
    s = s - s.max(axis=1, keepdims=True)
    log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    rows = np.arange(len(x))
    gradient = np.exp(log_p)
    gradient[rows, x] -= 1
    return -log_p[rows, x].mean(), gradient / len(x)
    ### END SOLUTION


# %% test="next_word_loss" aspect="two words, by hand" points=1
_got = next_word_loss(np.log([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]), np.array([0, 2]))
expect(_got, "loss, gradient")
assert is_number(_got[0]), f"The loss is one number; yours: {_got[0]!r}."
assert close(_got[0], (math.log(2) + math.log(10)) / 2, 1e-5), (
    f"The right words have probability .5 and .1: (ln 2 + ln 10) / 2 = 1.498; yours: {float(_got[0]):.4f}."
)
### BEGIN HIDDEN TESTS
for _T, _V in ((7, 5), (1, 4), (3, 8)):
    _s, _x = (
        np.random.default_rng().normal(size=(_T, _V)),
        np.random.default_rng().integers(0, _V, _T),
    )
    _x[0] = random.choice((0, _V - 1))
    _wanted = F.cross_entropy(torch.from_numpy(_s), torch.from_numpy(_x)).item()
    _got = next_word_loss(_s.copy(), _x.copy())
    expect(_got, "loss, gradient")
    assert close(_got[0], _wanted, 1e-5), (
        f"{_T} rows of {_V} random scores: {_wanted:.4f} wanted, yours {_got[0]}."
    )
    _left = arguments_after(next_word_loss, _s.copy(), _x.copy())
    assert close(_left[0], _s) and close(_left[1], _x), (
        "next_word_loss changed the caller's scores or words."
    )
### END HIDDEN TESTS

# %% test="next_word_loss" aspect="large scores do not overflow" points=1
for _large in ([[4000.0, 4000.0, -4000.0]], [[-9000.0, -9000.0, -9900.0]]):
    with np.errstate(all="ignore"):
        _got = next_word_loss(np.array(_large), np.array([1]))
    expect(_got, "loss, gradient")
    assert close(_got[0], math.log(2), 1e-5), (
        f"Scores {_large[0]}, right word 1: loss ln 2 = .6931; yours: {_got[0]}."
    )
    assert close(_got[1], [[0.5, -0.5, 0]], 1e-5, 1e-6), (
        f"Its gradient is [.5, -.5, 0]; yours: {_got[1]}."
    )
### BEGIN HIDDEN TESTS
for _cost in (800, 3000, 20_000):
    _got = next_word_loss(
        np.array([[0.0, _cost, 0.0], [5.0, 5.0, -_cost]]), np.array([0, 1])
    )
    expect(_got, "loss, gradient")
    assert close(_got[0], (_cost + math.log(2)) / 2, 1e-6), (
        f"A right word {_cost} below another costs {_cost} nats, not infinitely many; yours: {_got[0]}."
    )
    assert close(_got[1], [[-0.5, 0.5, 0], [0.25, -0.25, 0]], 1e-5, 1e-6), (
        f"Large scores: your gradient is {_got[1]}."
    )
_s = np.array(
    [[-2000.0, -2001.0], [2000.0, 2001.0], [0.0, 1.0]]
)  # rows at very different heights
_wanted = F.cross_entropy(torch.from_numpy(_s), torch.tensor([0, 0, 1])).item()
_got = next_word_loss(_s.copy(), np.array([0, 0, 1]))
assert close(_got[0], _wanted, 1e-5), (
    f"Rows around -2000, 2000 and 0: {_wanted:.4f} wanted; yours: {_got[0]}."
)
### END HIDDEN TESTS

# %% test="next_word_loss" aspect="gradient by hand" points=1
_sizes = [(4, 3)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 5), (7, 2), (3, 9), (4, 4)]
### END HIDDEN TESTS
for _T, _V in _sizes:
    _s, _x = (
        np.random.default_rng().normal(size=(_T, _V)),
        np.random.default_rng().integers(0, _V, _T),
    )
    _by_torch = torch.from_numpy(_s.copy()).requires_grad_(True)
    F.cross_entropy(_by_torch, torch.from_numpy(_x)).backward()
    _got = next_word_loss(_s.copy(), _x.copy())
    expect(_got, "loss, gradient")
    assert np.shape(_got[1]) == (_T, _V), (
        f"The gradient has the shape of s, {(_T, _V)}; yours: {np.shape(_got[1])}."
    )
    assert close(np.sum(np.asarray(_got[1]), axis=1), [0] * _T, atol=1e-5), (
        "Each row of the gradient should sum to 0: what one word wins, others lose."
    )
    assert close(_got[1], _by_torch.grad, 1e-4, 1e-5), (
        f"{_T} words: the gradient is not autograd's; first row {_by_torch.grad[0]}, yours {_got[1][0]}."
    )
### BEGIN HIDDEN TESTS
try:
    _again = without_autograd(next_word_loss, _s.copy(), _x.copy())[1]
except NotImplementedError:
    raise
except RuntimeError as _error:
    raise AssertionError(
        f"Here autograd is switched off, and your gradient needs it ({_error})."
    ) from None
assert close(_again, _by_torch.grad, 1e-4, 1e-5), (
    "With autograd switched off your gradient is another one."
)
_s, _x = np.array([[3, 1, 0, 2], [-1, 1, 2, 0], [0, 0, 0, 0]]), np.array([1, 2, 0])
_by_torch = torch.from_numpy(_s).double().requires_grad_(True)
F.cross_entropy(_by_torch, torch.from_numpy(_x)).backward()
_got = next_word_loss(_s.copy(), _x.copy())
expect(_got, "loss, gradient")
assert close(_got[1], _by_torch.grad, 1e-4, 1e-5), (
    f"Scores may be whole numbers, the gradient is not: {_by_torch.grad} wanted; yours: {_got[1]}."
)
### END HIDDEN TESTS


# %% [markdown]
# So the gradient of the scores is *what was said minus what is true*: it pulls the right word up by as much as all
# others together are pushed down, and it vanishes only when the model is sure and right.
#
# <details><summary>Slips in the printed slides: a loss without its minus</summary>
#
# Lecture 004 prints $\hat p_t = \mathrm{softmax}_V(o_t)$ and $\mathrm{CE}(\hat p_t, p_t) = \log(\hat p_{t, x^{t+1}})$.
# Without the minus, a model that gives the right word 1 % has the loss $\ln .01 = -4.6$, *less* than a perfect one's 0:
# training would make it worse.
# </details>

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
for _d, _k in ((3, 2), (1, 4), (4, 5), (3, 3)):
    _e, _y, _W_x, _W_h, _b = [
        torch.randn(*s).double() for s in ((1, _d), (1, _k), (_k, _d), (_k, _k), (_k,))
    ]
    _h = torch.tanh(_W_x @ _e[0] + _b)
    _delta = (_h - _y[0]) * (1 - _h**2)
    _got = bptt(_e.clone(), _y.clone(), _W_x.clone(), _W_h.clone(), _b.clone())
    assert hasattr(_got, "__len__") and len(_got) == 3, (
        f"Return three tensors; yours: {_got!r}."
    )
    assert close(_got[2], _delta, 1e-4, 1e-6), (
        f"One word, d = {_d}, k = {_k}: db is not (h - y)(1 - h²)."
    )
    assert close(_got[0], _delta[:, None] * _e, 1e-4, 1e-6), (
        f"One word, d = {_d}, k = {_k}: dW_x is not db times e."
    )
    assert close(_got[1], torch.zeros(_k, _k)), (
        "One word: W_h was only multiplied by h_0 = 0, so dW_h = 0."
    )
### END HIDDEN TESTS

# %% test="bptt" aspect="bias through all steps" points=1
_sizes = [(3, 5)]
### BEGIN HIDDEN TESTS
_sizes += [(4, 2), (5, 3), (3, 9), (1, 4)]
### END HIDDEN TESTS
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
for _T, _large in ((20, 1), (60, 1), (5, 1000)):  # nearly a rotation: nothing fades
    _random = [
        torch.randn(_T, 2).double() / 20,
        torch.zeros(_T, 3).double(),
        torch.randn(3, 2).double() / 20,
        torch.linalg.qr(torch.randn(3, 3).double())[0],
        torch.randn(3).double() / 20,
    ]
    _random[1][-1] = 10.0 * _large  # only the last state is far off
    _got, _wanted = bptt(*[part.clone() for part in _random]), by_autograd(*_random)
    assert hasattr(_got, "__len__") and len(_got) == 3, (
        f"Return three tensors; yours: {_got!r}."
    )
    for _name, _one, _two in zip(("dW_x", "dW_h", "db"), _got, _wanted, strict=True):
        assert close(_one, _two, 1e-4, 1e-6), (
            f"{_T} words, W_h a rotation, the last state {10 * _large} off: {_name} is not autograd's. "
            "The error comes back through all steps, however large it is."
        )
### END HIDDEN TESTS

# %% test="bptt" aspect="weights like autograd" points=1
_sizes = [(3, 4, 6)]
### BEGIN HIDDEN TESTS
_sizes += [(4, 3, 2), (1, 5, 4), (5, 2, 8), (3, 3, 5)]
### END HIDDEN TESTS
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
for _name, _one, _two in zip(
    ("e", "y", "W_x", "W_h", "b"), _left, _random, strict=True
):
    assert close(_one, _two), (
        f"bptt changed the caller's {_name}: gradients go into tensors of their own."
    )
    assert getattr(_one, "requires_grad", True) is False, (
        f"After bptt the caller's {_name} asks for gradients."
    )
for _word, _why in (
    (4, "the last state is right"),
    (4, "the last state is ±1 to the last digit"),
    (2, "the third state is ±1 to the last digit"),
):
    _e, _y = torch.randn(5, 1).double(), torch.randn(5, 3).double()
    _W_x = (0.5 + torch.rand(3, 1).double()) * torch.tensor([[1.0], [-1.0], [1.0]])
    _W_h, _b, _h = torch.randn(3, 3).double(), torch.randn(3).double(), torch.zeros(3)
    if "digit" in _why:
        _e[_word] = 1e6
    for _t in range(_word + 1):
        _h = torch.tanh(_W_x @ _e[_t] + _W_h @ _h.double() + _b)
    if "right" in _why:
        _y[_word] = _h
    _random = _e, _y, _W_x, _W_h, _b
    _got, _wanted = bptt(*[part.clone() for part in _random]), by_autograd(*_random)
    for _name, _one, _two in zip(("dW_x", "dW_h", "db"), _got, _wanted, strict=True):
        assert close(_one, _two, 1e-4, 1e-5), (
            f"Of five states {_why}, so nothing comes back from it; "
            f"earlier ones have errors of their own: {_name} is not autograd's."
        )
### END HIDDEN TESTS

# %% test="bptt" aspect="autograd is switched off" points=1
_sizes = [(2, 3, 4)]
### BEGIN HIDDEN TESTS
_sizes += [(3, 2, 5)]
### END HIDDEN TESTS
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
for _one, _two in zip(_got, by_autograd(*_random), strict=True):
    assert np.shape(_one) == tuple(_two.shape), (
        "With autograd switched off some gradient has another shape."
    )
### END HIDDEN TESTS


# %% [markdown]
# BPTT keeps all states of a text in memory until the gradient comes back: too much for a long text. So we cut.

# %% [markdown] statement="stream_batches"
# ## 5. A stream in rows
#
# To read a text of $N$ words in batches, cut it into `rows` pieces of $L = \lfloor (N - 1) / \text{rows} \rfloor$ words
# ($N$ > `rows`; a rest is dropped), lay them one below the other, and read `steps` columns at a time. The words 0 to 12
# in 3 rows, 2 at a time:
#
# | row | batch 0 | batch 1 |
# |---|---|---|
# | 0 | 0 1 | 2 3 |
# | 1 | 4 5 | 6 7 |
# | 2 | 8 9 | 10 11 |
#
# Write `stream_batches(ids, rows, steps)`, the list of pairs `(inputs, targets)`: batch $j + 1$ goes on where $j$
# ended, in *every* row, so that the state can go on too. The last pair may be narrower; a target is the next word of
# the text.

# %% [markdown] hints="stream_batches"
# 1. In the table above, which number is the target of the last word in row 1? Why is one word left over at the end?
# 2. Targets are cut exactly as inputs are, only from a text that begins one word later.
# 3. First make the rows, for inputs and for targets; only then think of batches: each takes some neighbouring columns of
#    all rows at once. What does a slice do that reaches beyond the end?


# %% task="stream_batches" points=4 level=2 minutes=15
def stream_batches(ids, rows, steps):
    """[(inputs, targets), ...], tensors of shape [rows, steps], from a tensor of word numbers ids: [N] (integers)."""
    ### BEGIN SOLUTION
    L = (len(ids) - 1) // rows
    inputs, targets = (ids[first : first + rows * L].view(rows, L) for first in (0, 1))
    return [
        (inputs[:, j : j + steps], targets[:, j : j + steps])
        for j in range(0, L, steps)
    ]
    ### END SOLUTION


# %% test="stream_batches" aspect="targets are one ahead" points=1
_got = stream_batches(torch.arange(13), 3, 2)
assert hasattr(_got, "__len__") and len(_got) == 2, (
    f"13 words, 3 rows of 4, 2 at a time: 2 pairs; yours: {_got!r}."
)
for _inputs, _targets in _got:
    assert torch.is_tensor(_inputs) and _inputs.shape == (3, 2), (
        f"Inputs of shape (3, 2) wanted; yours: {_inputs!r}."
    )
    assert torch.is_tensor(_targets) and torch.equal(_targets, _inputs + 1), (
        f"After the words {_inputs.tolist()} come others than {_targets!r}."
    )
### BEGIN HIDDEN TESTS
for _N, _rows, _steps in ((25, 4, 3), (24, 4, 2), (8, 1, 3), (17, 5, 7), (31, 3, 1)):
    _text = torch.randperm(_N) + 70_000
    _next = dict(zip(_text.tolist(), _text[1:].tolist(), strict=False))
    _got = stream_batches(_text.clone(), _rows, _steps)
    assert isinstance(_got, tuple | list) and len(_got) == -(
        -((_N - 1) // _rows) // _steps
    ), (
        f"N = {_N}, {_rows} rows, {_steps} steps: not {len(_got) if hasattr(_got, '__len__') else _got!r} pairs."
    )
    for _inputs, _targets in _got:
        for _side in (_inputs, _targets):
            assert torch.is_tensor(_side) and str(_side.dtype) in (
                "torch.int64",
                "torch.int32",
            ), (
                f"Word numbers stay integers, an embedding takes no others; yours: {getattr(_side, 'dtype', _side)}."
            )
        assert _inputs.shape == _targets.shape, (
            "Inputs and targets of a pair have the same shape."
        )
        for _word, _after in zip(
            _inputs.flatten().tolist(), _targets.flatten().tolist(), strict=True
        ):
            assert _next.get(_word) == _after, (
                f"N = {_N}, {_rows} rows, {_steps} steps: some target is not the next word of the text."
            )
    _left = arguments_after(stream_batches, _text.clone(), _rows, _steps)[0]
    assert close(_left, _text), "stream_batches changed the caller's text."
### END HIDDEN TESTS

# %% test="stream_batches" aspect="rows go on in the next batch" points=1
_got = stream_batches(torch.arange(13), 3, 2)
assert hasattr(_got, "__len__") and len(_got) == 2, (
    f"13 words, 3 rows of 4, 2 at a time: 2 pairs; yours: {_got!r}."
)
assert _got[0][0].tolist() == [[0, 1], [4, 5], [8, 9]], (
    f"First batch: 0 1, 4 5 and 8 9; yours: {_got[0][0].tolist()}."
)
assert _got[1][0].tolist() == [[2, 3], [6, 7], [10, 11]], (
    f"Second batch: 2 3, 6 7, 10 11; yours: {_got[1][0].tolist()}."
)
### BEGIN HIDDEN TESTS
for _N, _rows, _steps in (
    (29, 4, 3),
    (32, 4, 3),
    (31, 4, 5),
    (30, 3, 4),
    (9, 1, 2),
    (45, 5, 2),
    (22, 3, 1),
):
    _L = (_N - 1) // _rows
    _got = stream_batches(torch.arange(_N), _rows, _steps)
    assert isinstance(_got, tuple | list) and len(_got) == -(-_L // _steps), (
        f"N = {_N}, {_rows} rows of {_L}, {_steps} at a time: {-(-_L // _steps)} pairs wanted; yours: {_got!r}."
    )
    for _j, _pair in enumerate(_got):
        _wanted = [
            [row * _L + i for i in range(_L)[_j * _steps :][:_steps]]
            for row in range(_rows)
        ]
        assert torch.is_tensor(_pair[0]) and _pair[0].tolist() == _wanted, (
            f"The words 0 to {_N - 1} in {_rows} rows, {_steps} at a time: batch {_j} (from 0) should be {_wanted}."
        )
### END HIDDEN TESTS

# %% test="stream_batches" aspect="a narrow end is kept" points=1
_got = stream_batches(torch.arange(11), 2, 3)
_widths = [tuple(pair[0].shape) for pair in _got or []]
assert _widths == [(2, 3), (2, 2)], (
    f"11 words in 2 rows of 5: a batch of width 3, one of 2; yours: {_widths}."
)
_widths = [tuple(pair[1].shape) for pair in stream_batches(torch.arange(11), 2, 9)]
assert _widths == [(2, 5)], (
    f"Steps of 9 in rows of 5: one batch of width 5; yours: {_widths}."
)
### BEGIN HIDDEN TESTS
for _rows, _L, _steps in (
    (2, 7, 3),
    (3, 9, 4),
    (4, 1, 2),
    (3, 5, 5),
    (2, 6, 3),
    (5, 4, 9),
    (1, 6, 5),
):  # rests of 1, none, ...
    for _rest in {1, 2, _rows} - ({2} if _rows == 1 else set()):
        _N = _rows * _L + _rest
        _got = stream_batches(torch.arange(_N), _rows, _steps)
        _wanted = [min(_steps, _L - j) for j in range(0, _L, _steps)]
        for _side in (0, 1):
            _widths = [tuple(getattr(pair[_side], "shape", ())) for pair in _got]
            assert _widths == [(_rows, width) for width in _wanted], (
                f"N = {_N}, {_rows} rows, {_steps} steps: widths {_wanted} wanted, each with {_rows} rows; yours: {_widths}."
            )
### END HIDDEN TESTS

# %% test="stream_batches" aspect="every word once" points=1
_cases = [(4, 3, 31)]
### BEGIN HIDDEN TESTS
# N such that rows divides N, leaves a rest of 1, or another; the last batch full, one column wide, or between
_cases += [
    (r, s, r * L + rest)
    for r, L, s in ((3, 8, 4), (4, 7, 3), (5, 8, 5), (2, 9, 2))
    for rest in (1, 2, r)
]
_cases += [
    (1, 4, 10),
    (random.randint(2, 6), random.randint(2, 9), random.randint(60, 99)),
]
### END HIDDEN TESTS
for _rows, _steps, _N in _cases:
    _text = torch.randint(50, (_N,))  # some words come more than once
    _L = (_N - 1) // _rows
    _got = stream_batches(_text.clone(), _rows, _steps)
    assert isinstance(_got, tuple | list) and len(_got) > 0, (
        f"Return a list of pairs; yours: {_got!r}."
    )
    for _side, _first in ((0, 0), (1, 1)):
        _read = torch.cat([pair[_side] for pair in _got], dim=1)
        assert _read.shape == (_rows, _L), (
            f"N = {_N}, {_rows} rows: {_L} words each; yours have {tuple(_read.shape)}."
        )
        assert "int" in str(_read.dtype), (
            f"Word numbers stay integers; yours: {_read.dtype}."
        )
        assert torch.equal(_read.flatten(), _text[_first : _first + _rows * _L]), (
            f"N = {_N}, {_rows} rows, {_steps} steps: put together again, your {('inputs', 'targets')[_side]} are not the text."
        )


# %% [markdown]
# ## 6. Cut the gradient, keep the memory
#
# Where a batch ends, two things meet the cut. The *state* can go on: it is just $k$ numbers. The *gradient* cannot,
# because the states of earlier batches are no longer kept. This is **truncated BPTT**, with pieces (*chunks*) of $\tau$
# words:

# %%
drawings.truncated_bptt()

# %% [markdown] statement="truncated_loss"
# Write `truncated_loss(e, y, W_x, W_h, b, tau)`: the loss of section 4 as a tensor, such that autograd finds no path
# from a piece back into an earlier one. The last piece may be shorter.

# %% [markdown] hints="truncated_loss"
# 1. Nothing about the *value* of the loss may change, whatever $\tau$ is.
# 2. Tensors have a method that returns the same numbers without their history.
# 3. Number the words from 0. A new chunk begins at 0, $\tau$, $2\tau$, …; just there the old state has to lose its
#    history.


# %% task="truncated_loss" points=4 level=2 minutes=14
def truncated_loss(e, y, W_x, W_h, b, tau):
    """Half the summed squared distance of h_t and y_t, a scalar tensor; gradients end at chunks of tau words."""
    ### BEGIN SOLUTION
    h, loss = torch.zeros_like(b), 0.0
    for t in range(len(e)):
        if t % tau == 0:
            h = h.detach()
        h = torch.tanh(W_x @ e[t] + W_h @ h + b)
        loss = loss + 0.5 * ((h - y[t]) ** 2).sum()
    return loss
    ### END SOLUTION


# %% test="truncated_loss" aspect="the loss knows no cut" points=1
_sizes = [(7, 2, 3)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 3, 2), (8, 1, 4), (5, 4, 2), (6, 3, 3)]
### END HIDDEN TESTS
for _T, _d, _k in _sizes:
    _given = [
        torch.randn(*s).double()
        for s in ((_T, _d), (_T, _k), (_k, _d), (_k, _k), (_k,))
    ]
    _e, _y, _W_x, _W_h, _b = (part.numpy() for part in _given)
    _h, _wanted = np.zeros(_k), 0.0
    for _t in range(_T):
        _h = np.tanh(_W_x @ _e[_t] + _W_h @ _h + _b)
        _wanted += 0.5 * np.sum((_h - _y[_t]) ** 2)
    for _tau in (1, 2, 3, 7, 20):
        _got = truncated_loss(*(part.clone() for part in _given), _tau)
        assert torch.is_tensor(_got) and _got.numel() == 1, (
            f"Return a tensor with one number; yours: {_got!r}."
        )
        assert close(_got.item(), _wanted, 1e-5), (
            f"{_T} words: the loss is {_wanted:.4f} for every tau; with tau = {_tau} yours is {_got.item():.4f}. "
            "Is the state carried on?"
        )
### BEGIN HIDDEN TESTS
_left = arguments_after(truncated_loss, *(part.clone() for part in _given), 2)
assert all(close(one, two) for one, two in zip(_left, _given, strict=False)), (
    "truncated_loss changed its arguments."
)
assert all(getattr(part, "requires_grad", True) is False for part in _left[:5]), (
    "After truncated_loss the caller's tensors ask for gradients: that is for the caller to say."
)
_got = truncated_loss(*(part.float() for part in _given), 2)
assert close(_got, _wanted, 1e-3, 1e-3), (
    f"The same numbers in float32, torch's usual kind: {_wanted:.4f} wanted; yours: {_got!r}."
)
_e = torch.linspace(-1, 1, 1500).double()
_h, _wanted = 0.0, 0.0
for _x in _e.tolist():
    _h = math.tanh(0.5 * _x + 0.7 * _h + 0.1)
    _wanted += 0.5 * _h**2
_parts = (torch.tensor(part).double() for part in ([[0.5]], [[0.7]], [0.1]))
_got = truncated_loss(_e[:, None], torch.zeros(1500, 1).double(), *_parts, 100)
assert close(_got, _wanted, 1e-5), (
    f"A text of 1,500 words, tau = 100: {_wanted:.4f} wanted; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% test="truncated_loss" aspect="no gradient crosses a cut" points=1
_cases = [(6, 3, 4)]  # T, tau and the only word with an error, counted from 0
### BEGIN HIDDEN TESTS
_cases += [(7, 2, 5), (8, 4, 4), (8, 4, 7), (5, 1, 3), (9, 3, 8), (7, 5, 6), (6, 10, 5)]
### END HIDDEN TESTS
for _T, _tau, _word in _cases:
    _e, _W_x, _W_h, _b = [
        torch.randn(*shape).double() / 2 for shape in ((_T, 2), (3, 2), (3, 3), (3,))
    ]
    _states, _h = [], np.zeros(3)
    for _t in range(_T):
        _h = np.tanh(_W_x.numpy() @ _e[_t].numpy() + _W_h.numpy() @ _h + _b.numpy())
        _states.append(_h)
    _y = torch.tensor(np.array(_states))
    _y[_word] += 1
    _found = gradients(truncated_loss, _e, _y, _W_x, _W_h, _b, _tau)[0]
    assert np.shape(_found) == (_T, 2), (
        "The loss should have a gradient for each word vector."
    )
    _reached, _first = _found.abs().sum(1), _word // _tau * _tau
    assert (_reached[:_first] < 1e-9).all(), (
        f"With tau = {_tau}, the error at word {_word + 1} must not reach words 1 to {_first}; gradients: {_reached}."
    )
    assert (_reached[_first : _word + 1] > 1e-9).all(), (
        f"With tau = {_tau}, it must reach words {_first + 1} to {_word + 1}, its own chunk; gradients: {_reached}."
    )

# %% test="truncated_loss" aspect="weights feel their own chunk" points=1
_sizes = [(8, 3)]
### BEGIN HIDDEN TESTS
_sizes += [
    (7, 2),
    (11, 4),
    (6, 3),
    (5, 1),
    (4, 3),
]  # the last chunk full, shorter, one word
### END HIDDEN TESTS
for _T, _tau in _sizes:
    _e, _y, _W_x, _W_h, _b = [
        torch.randn(*shape).double()
        for shape in ((_T, 2), (_T, 3), (3, 2), (3, 3), (3,))
    ]
    _weights = [weight.clone().requires_grad_(True) for weight in (_W_x, _W_h, _b)]
    _loss, _h = 0, torch.zeros(3).double()
    for _start in range(0, _T, _tau):
        _h = torch.tensor(_h.tolist()).double()
        for _t in range(_start, min(_start + _tau, _T)):
            _h = torch.tanh(_weights[0] @ _e[_t] + _weights[1] @ _h + _weights[2])
            _loss = _loss + ((_h - _y[_t]) ** 2).sum() / 2
    _got = gradients(truncated_loss, _e, _y, _W_x, _W_h, _b, _tau)[2:]
    for _name, _mine, _wanted in zip(
        ("W_x", "W_h", "b"), _got, torch.autograd.grad(_loss, _weights), strict=True
    ):
        assert close(_mine, _wanted, 1e-4, 1e-5), (
            f"T = {_T}, tau = {_tau}: the gradient of {_name} is not the one of chunks of {_tau} words."
        )

# %% test="truncated_loss" aspect="one long chunk is plain BPTT" points=1
_cases = [(6, 6), (6, 50)]
### BEGIN HIDDEN TESTS
_cases += [(1, 1), (3, 4), (9, 9), (4, 1000)]
### END HIDDEN TESTS
for _T, _tau in _cases:
    _random = [
        torch.randn(*shape).double()
        for shape in ((_T, 2), (_T, 3), (3, 2), (3, 3), (3,))
    ]
    _got = gradients(truncated_loss, *_random, _tau)[2:]
    for _name, _mine, _wanted in zip(
        ("W_x", "W_h", "b"), _got, by_autograd(*_random), strict=True
    ):
        assert close(_mine, _wanted, 1e-4, 1e-5), (
            f"{_T} words fit into one chunk of {_tau}: the gradient of {_name} should be that of plain BPTT; yours is cut."
        )


# %% [markdown]
# What do longer pieces buy? A puzzle: from a stream of random bits, say at each step which bit stood 6 (or 8) steps
# *back*. In the course's training loop, `carry` brings the state into the next batch; each batch has 512 bits, whatever
# $\tau$ is. Predict: from which $\tau$ on can it be learned?


# %%
def stream_loss(model, batch, carry):
    """The loss of one batch, read from the state at the end of the batch before."""
    scores, state = model(batch[0], carry.get("state"))
    carry["state"] = state.detach()
    number = batch[1].numel()
    return F.cross_entropy(scores.flatten(0, 1), batch[1].flatten()), number


# %%
def remember(tau, lag, seed):
    """Learn to say which bit stood `lag` steps back; the share of right answers on new bits."""
    set_seed(seed)
    bits = torch.randint(2, (100_000,))
    now, then = (
        stream_batches(part, 512 // tau, tau) for part in (bits[lag:], bits[:-lag])
    )
    model = LanguageModel(nn.RNN, 2, 8, 32).to(device)
    loop = {"steps": 190, "rate": 5e-3, "carry": {}}
    train(model, lambda i: (now[i][0], then[i][0]), stream_loss, **loop)
    bits = torch.randint(2, (3_000,))
    with torch.no_grad():
        answers = model(bits[None].to(device))[0][0].argmax(1).cpu()
    return (answers[lag:] == bits[:-lag]).float().mean().item()


# %%
taus, seeds = (4, 8, 16), (1, 2, 3)
found_bits = {
    lag: [[100 * remember(tau, lag, seed) for seed in seeds[:2]] for tau in taus]
    for lag in (6, 8)
}

# %%
_, axes = plt.subplots()
for lag, percent in found_bits.items():
    places = np.array(taus) * (0.97 if lag == 6 else 1.03)  # side by side
    line = axes.plot(places, [np.mean(found) for found in percent], "-", alpha=0.5)
    for place, found in zip(places, percent, strict=True):
        label = f"{lag} steps back" if place == places[0] else None
        axes.plot([place] * 2, found, "o", color=line[0].get_color(), label=label)
axes.axhline(50, color="gray", linestyle=":", label="guessing")
axes.set_xscale("log", base=2)
axes.set_xticks(taus, taus)
axes.set(xlabel="words in a piece, $\\tau$", ylabel="right answers (%)", ylim=(40, 105))
axes.legend(loc="upper left")
plt.show()

# %% [markdown]
# Each dot is one of two seeds. The state carries the bit in any case; but to learn *to keep* it, a gradient must come
# back that far. From a word to the one 8 steps back there are *nine* words, both ends counted: with $\tau$ = 8 no error
# ever meets the word that caused it. Then why not take $\tau$ = 10,000?

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


# %%
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

# %% [markdown]
# ## 8. A training step of your own
#
# What explodes is at least visible, and there is a crude cure, **gradient clipping** (R. Pascanu and others, 2013).
# Take the gradients of *all* weights as one long vector $g$. Its direction is still worth something; only its length is
# not. So if it is longer than a limit $c$, shorten it to that length:
#
# $$\lVert g \rVert = \sqrt{\textstyle\sum_j g_j^2}, \qquad g \leftarrow g \cdot \frac{c}{\lVert g \rVert} \ \text{ if } \lVert g \rVert > c .$$
#
# Then gradient descent as in chapter 04: each weight $w \leftarrow w - \eta\, g_w$, with learning rate $\eta$. What has
# vanished cannot be brought back this way; that takes another network (section 10).

# %% [markdown] statement="train_step"
# Write the whole step of truncated BPTT, `train_step(model, inputs, targets, state, rate, limit)`. It changes the
# weights of `model` in place (gradients that an earlier `backward()` left in them do not count) and returns three things:
#
# - the loss before the step, a float: mean cross-entropy over all $B \times T$ targets;
# - $\lVert g \rVert$ *before* clipping, a float. With `limit=None` nothing is clipped;
# - the new state, for the next call: its numbers, without its history.
#
# `model(inputs, state)` gives scores, shape $[B, T, |V|]$, and the state. A state is `None` before the first word, then a
# tensor or, for an LSTM, a tuple of two.

# %% [markdown] hints="train_step"
# 1. In which order: loss, gradients, norm, shortening, update? And which of these must not itself be recorded by
#    autograd?
# 2. `F.cross_entropy` wants scores of shape $[\text{many}, |V|]$ and as many targets. Gradients that are stored in the
#    weights pile up from call to call; `torch.autograd.grad` hands them back instead.
# 3. There is *one* norm for all weights together, so you need all gradients before you change the first weight. The
#    state: which tensor method keeps numbers and drops history, and what if there are two tensors?


# %% task="train_step" points=5 level=2 minutes=24
def train_step(model, inputs, targets, state, rate, limit):
    """(loss, norm, state): one clipped step of gradient descent on inputs and targets, [B, T] or [B, T, d] and [B, T].

    The weights of `model` change in place; inputs, targets and state stay as they are.
    """
    ### BEGIN SOLUTION
    scores, state = model(inputs, state)
    loss = F.cross_entropy(scores.flatten(0, 1), targets.flatten())
    weights = list(model.parameters())
    found = torch.autograd.grad(loss, weights)
    norm = math.sqrt(sum((g**2).sum().item() for g in found))
    shrink = 1.0 if limit is None or norm <= limit else limit / norm
    with torch.no_grad():
        for weight, g in zip(weights, found, strict=True):
            weight -= rate * shrink * g
    if isinstance(state, tuple):
        state = tuple(part.detach() for part in state)
    else:
        state = state.detach()
    return loss.item(), norm, state
    ### END SOLUTION


# %% test="train_step" aspect="loss and norm come first" points=1
_model = torch_module("RNN", 3, 4, batch_first=True)
_twin = nn.RNN(3, 4, batch_first=True)
_twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
_x, _y = torch.randn(2, 5, 3), torch.randint(4, (2, 5))
_loss = F.cross_entropy(_twin(_x)[0].flatten(0, 1), _y.flatten())
_g = torch.autograd.grad(_loss, list(_twin.parameters()))
_norm = math.sqrt(sum((part**2).sum().item() for part in _g))
_got = train_step(_model, _x.clone(), _y.clone(), None, 0.5, None)
expect(_got, "loss, norm, state")
for _value in _got[:2]:
    assert is_number(_value) and not torch.is_tensor(_value), (
        f"Loss and norm are floats: a tensor drags its history along. Yours: {_value!r}."
    )
assert close(_got[0], _loss.item(), 1e-4), (
    f"Mean over all 2 × 5 targets, before the step: {_loss.item():.4f}; yours: {_got[0]:.4f}."
)
### BEGIN HIDDEN TESTS
assert close(_got[1], _norm, 1e-3), (
    f"The norm of all gradients as one vector is {_norm:.4f}; yours: {_got[1]:.4f}."
)
for _B, _T, _limit in ((1, 6, 0.01), (4, 1, 0.02), (3, 2, 1000.0)):
    _model = torch_module("RNN", 2, 5, batch_first=True)
    _twin = nn.RNN(2, 5, batch_first=True)
    _twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
    _x, _y = torch.randn(_B, _T, 2), torch.randint(5, (_B, _T))
    _loss = F.cross_entropy(_twin(_x)[0].flatten(0, 1), _y.flatten())
    _g = torch.autograd.grad(_loss, list(_twin.parameters()))
    _norm = math.sqrt(sum((part**2).sum().item() for part in _g))
    _got = train_step(_model, _x.clone(), _y.clone(), None, 0.7, _limit)
    expect(_got, "loss, norm, state")
    assert close(_got[0], _loss.item(), 1e-4), (
        f"B = {_B}, T = {_T}: the loss is the mean over all targets, before the step."
    )
    assert close(_got[1], _norm, 1e-3), (
        f"Clipped or not, return the norm before: {_norm:.4f}; yours: {_got[1]:.4f}."
    )
### END HIDDEN TESTS

# %% test="train_step" aspect="downhill, all weights" points=1
_cases = [("RNN", 2, 5, None)]
### BEGIN HIDDEN TESTS
_cases += [("RNN", 1, 3, 1000.0), ("LSTM", 3, 4, None), ("GRU", 2, 1, None)]
### END HIDDEN TESTS
for _kind, _B, _T, _limit in _cases:
    _model = torch_module(_kind, 3, 4, batch_first=True)
    _twin = getattr(nn, _kind)(3, 4, batch_first=True)
    _twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
    _x, _y, _rate = (
        torch.randn(_B, _T, 3),
        torch.randint(4, (_B, _T)),
        random.uniform(0.3, 2),
    )
    F.cross_entropy(_twin(_x)[0].flatten(0, 1), _y.flatten()).backward()
    train_step(_model, _x.clone(), _y.clone(), None, _rate, _limit)
    _after = dict(_model.state_dict())
    for _name, _weight in _twin.named_parameters():
        _wanted = _weight.detach() - _rate * _weight.grad
        _uphill = _weight.detach() + _rate * _weight.grad
        assert close(_uphill, _wanted, 1e-3) or not close(
            _after[_name], _uphill, 1e-4
        ), f"nn.{_kind}: {_name} moved uphill."
        assert close(_after[_name], _wanted, 1e-4, 1e-6), (
            f"nn.{_kind}, limit {_limit}: {_name} should move by rate times its gradient, downhill, no more and no less."
        )

# %% test="train_step" aspect="a long gradient is shortened" points=1
_cases = [(0.5, 1)]  # limit as a share of the norm, layers
### BEGIN HIDDEN TESTS
_cases += [(0.0, 1), (0.01, 1), (0.9, 2), (1.1, 3), (5.0, 1)]
_cases += [(random.uniform(0.2, 0.8), 2)]
### END HIDDEN TESTS
for _share, _layers in _cases:
    _model = torch_module("RNN", 3, 4, _layers, batch_first=True)
    _twin = nn.RNN(3, 4, _layers, batch_first=True)
    _twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
    _x, _y = torch.randn(2, 5, 3), torch.randint(4, (2, 5))
    F.cross_entropy(_twin(_x)[0].flatten(0, 1), _y.flatten()).backward()
    _norm = math.sqrt(sum((w.grad**2).sum().item() for w in _twin.parameters()))
    train_step(_model, _x.clone(), _y.clone(), None, 1.0, _share * _norm)
    _after, _moved = dict(_model.state_dict()), 0.0
    for _name, _weight in _twin.named_parameters():
        _moved += ((_after[_name] - _weight.detach()) ** 2).sum().item()
    _wanted = min(1, _share) * _norm
    assert close(math.sqrt(_moved), _wanted, 1e-3), (
        f"Norm {_norm:.3f}, limit {_share * _norm:.3f}, rate 1: all weights together move by {_wanted:.3f}; "
        f"yours by {math.sqrt(_moved):.3f}."
    )
    for _name, _weight in _twin.named_parameters():
        _right = _weight.detach() - min(1, _share) * _weight.grad
        assert close(_after[_name], _right, 1e-3, 1e-6), (
            f"The direction stays: every gradient is multiplied by the same number; {_name} is off."
        )

# %% test="train_step" aspect="steps do not pile up" points=1
_cases = [("RNN", 3, None)]
### BEGIN HIDDEN TESTS
_cases += [("LSTM", 4, 0.1), ("RNN", 5, 0.05), ("GRU", 2, None), ("RNN", 2, 50.0)]
### END HIDDEN TESTS
for _kind, _steps, _limit in _cases:
    _model = torch_module(_kind, 3, 4, batch_first=True)
    _twin = getattr(nn, _kind)(3, 4, batch_first=True)
    _twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
    _x, _y = torch.randn(2, 5, 3), torch.randint(4, (2, 5))
    ### BEGIN HIDDEN TESTS
    leave_gradients(_model, torch.randn(3, 2, 3))
    ### END HIDDEN TESTS
    for _step in range(_steps):
        _loss = F.cross_entropy(_twin(_x)[0].flatten(0, 1), _y.flatten())
        _twin.zero_grad()
        _loss.backward()
        if _limit is not None:
            nn.utils.clip_grad_norm_(_twin.parameters(), _limit)
        for _w in _twin.parameters():
            _w.data -= 0.8 * _w.grad
        _got = train_step(_model, _x.clone(), _y.clone(), None, 0.8, _limit)
        expect(_got, "loss, norm, state")
        assert close(_got[0], _loss.item(), 1e-3), (
            f"Step {_step + 1} on the same batch: loss {_loss.item():.4f} wanted; yours: {_got[0]:.4f}. "
            "Is an older gradient still there?"
        )

# %% test="train_step" aspect="the state goes on, its history not" points=1
_cases = [("RNN", 2)]
### BEGIN HIDDEN TESTS
_cases += [("LSTM", 3), ("GRU", 1), ("LSTM", 1)]
### END HIDDEN TESTS
for _kind, _B in _cases:
    _model = torch_module(_kind, 3, 4, batch_first=True)
    _twin = getattr(nn, _kind)(3, 4, batch_first=True)
    _twin.load_state_dict({name: w.clone() for name, w in _model.state_dict().items()})
    _state, _mine = None, None
    for _step in range(3):
        _x, _y = torch.randn(_B, 5, 3), torch.randint(4, (_B, 5))
        _scores, _state = _twin(_x, _state)
        _state = (
            tuple(s.detach() for s in _state) if _kind == "LSTM" else _state.detach()
        )
        _loss = F.cross_entropy(_scores.flatten(0, 1), _y.flatten())
        _twin.zero_grad()
        _loss.backward()
        for _w in _twin.parameters():
            _w.data -= 0.5 * _w.grad
        _got = train_step(_model, _x.clone(), _y.clone(), _mine, 0.5, None)
        expect(_got, "loss, norm, state")
        _mine = _got[2]
        _pairs = (
            list(zip(_mine, _state, strict=False))
            if isinstance(_mine, tuple | list)
            else [(_mine, _state)]
        )
        assert (_kind == "LSTM") == isinstance(_mine, tuple | list), (
            f"nn.{_kind}: return the state in the form that the model gave it."
        )
        for _one, _two in _pairs:
            assert torch.is_tensor(_one), (
                f"nn.{_kind}: a state is a tensor or a tuple of tensors; yours: {_mine!r}."
            )
            assert not _one.requires_grad, (
                f"nn.{_kind}: the state still drags its history along."
            )
            assert close(_one, _two, 1e-3, 1e-5), (
                f"nn.{_kind}, piece {_step + 1}: the state is not the one after the last word. Was the old one read?"
            )
        assert close(_got[0], _loss.item(), 1e-3, 1e-5), (
            f"nn.{_kind}, piece {_step + 1}: the loss is another. Did the model start from the state that it was given?"
        )


# %% [markdown]
# Now the same network on the same words, with and without clipping, at a learning rate chosen too large. First, the text:

# %%
corpus = lmkit.load("kitchen")
text = {
    split: ["</s>"]
    + [w for document in corpus.splits[split] for w in [*document, "</s>"]]
    for split in ("train", "valid")
}
vocabulary = ["<UNK>", *sorted(set(text["train"]))]
number, V = {word: i for i, word in enumerate(vocabulary)}, len(vocabulary)
ids = {
    split: torch.tensor([number.get(word, 0) for word in text[split]]) for split in text
}
print(f"{len(ids['train']):,} words to learn from, {V:,} different ones")


# %%
def descent(limit, seed, rate=3.0, steps=80):
    """Losses and gradient norms of an RNN on the kitchen text."""
    set_seed(seed)
    model, state, losses, norms = LanguageModel(nn.RNN, V).to(device), None, [], []
    for inputs, targets in stream_batches(ids["train"].to(device), 16, 32)[:steps]:
        loss, norm, state = train_step(model, inputs, targets, state, rate, limit)
        losses.append(loss)
        norms.append(norm)
    return losses, norms, model


# %%
clipped, unclipped = ([descent(limit, seed) for seed in seeds] for limit in (1.0, None))

# %%
_, (left, right) = plt.subplots(1, 2, figsize=(6.4, 2.6))
for i, (losses, norms, _) in enumerate(clipped + unclipped):
    colour = plots.COLOURS[i // 3]
    left.plot(range(0, 80, 4), losses[::4], color=colour, linewidth=1)
    line = {"color": colour}
    looks = {"boxprops": line, "medianprops": line, "whiskerprops": line}
    right.boxplot(norms, positions=[i], whis=(0, 100), **looks, capprops=line)
left.set(xlabel="step", ylabel="loss (nats per word)", ylim=(3, 12))
right.axhline(1, color="gray", linestyle=":")
right.set(yscale="log", ylabel="norms of the gradients (log)")
right.set_xticks([1, 4], ["clipped at 1", "not clipped"])
plt.show()

# %% [markdown]
# Three runs of each kind (left, the axis ends at 12). Right, a box for each run: the middle half of its 80 norms, with
# whiskers to the shortest and the longest. Without clipping, each run's longest gradient is more than ten times as long
# as any clipped run's, and the loss jumps about. Shortened to length 1 (dotted), the steps learn: at the end all three
# clipped runs lie below all three others. The course's `train` clips too, at 1.
#
# Does *every* part of the model get a gradient? A forgotten part would stay at its random start, and nothing would
# complain.

# %%
_, _, learner = descent(1.0, seed=1, steps=1)
words, next_words = stream_batches(ids["train"].to(device), 16, 32)[1]
scores, _ = learner(words)
F.cross_entropy(scores.flatten(0, 1), next_words.flatten()).backward()
for name, weight in learner.named_parameters():
    share = (weight.grad != 0).float().mean()
    print(f"{name:22} norm {weight.grad.norm():8.1e}   entries reached {share:6.1%}")

# %% [markdown]
# All seven are reached; in the embedding, only the rows of words in this batch.


# %% [markdown] statement="clip_each"
# #### Entry by entry
#
# A friend moves every entry of $g$ outside $[-1, 1]$ to the nearer end. Compare with section 8 ($c = 1$) on a long
# $g$ of two numbers. What is lost, and how long can $g$ remain?

# %% [markdown] written="clip_each" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: an example with both results right, say $g = (10, 0.1)$: shortened to length 1 it is about $(1,
# .01)$, entry by entry $(1, 0.1)$. 1 point: the direction is lost; entries that were far apart become alike, and the
# step goes another way than the gradient. 1 point: the length is bounded by $\sqrt{n}$ for $n$ weights, not by 1:
# with 100,000 weights a step may still be 316 long (to say that two numbers allow $\sqrt2$, and more weights more, is
# enough).
#
# Of an example whose entries have one size, such as $(10, 10)$, only the length can be told, since the direction
# stays; it earns the first point but not the second. A usual wrong idea: if no entry is larger than 1, the length is
# at most 1.
#
# **Sample, 3 points.** $g = (30, 0.3)$. Section 8 divides by the length, about 30, and gets $(1, .01)$: same
# direction. The friend gets $(1, 0.3)$: the second weight now moves nearly a third as far as the first, but its slope
# is only a hundredth, so the direction is wrong. The longest it can be is when all entries are ±1: $\sqrt2$ here, and
# $\sqrt{n}$ with $n$ weights, which is in the hundreds for a network.
#
# **Sample, 2 points.** $g = (10, 0.1)$: by the length it becomes about $(1, .01)$, by the friend's way $(1, 0.1)$.
# The ratio of the two was 100 and is now 10, so it points somewhere else. The length is at most 1 for both.
#
# **Sample, 0 points.** $g = (3, 4)$ becomes $(1, 1)$ in both ways, because clipping cuts off what is too large.
# Nothing is lost but the size, which was wrong anyway.
# ### END SOLUTION

# %% [markdown]
# ## 9. Remember a 1 for 10,000 steps
#
# Is it that recurrent networks *cannot* remember, or that they do not learn to? Lecture 001 has a test: zeros with one 1
# among them, 0 0 1 0. Has there been a 1? Over many positions recurrent networks "generally struggle", it says.
#
# Look at a state of one number when nothing is read: $h_t = \tanh(w_h h_{t-1} + b)$. Where the curve
# $y = \tanh(w_h h + b)$ crosses the line $y = h$, the state stays where it is. With one crossing, every state ends
# there and the past is forgotten. With three, there are two resting places (*stable fixed points*, dots) and between
# them a watershed (an *unstable* one, ring):

# %%
_, axes = plt.subplots(figsize=(4.4, 2.5))
grid = np.linspace(-1.2, 1.2, 200)
for slope, colour in ((0.7, plots.COLOURS[1]), (2.0, plots.COLOURS[0])):
    axes.plot(grid, np.tanh(slope * grid), color=colour, label=f"$w_h$ = {slope:.1f}")
axes.plot(grid, grid, color="gray", linestyle=":", label="stays as it is")
axes.plot([-0.957, 0.957], [-0.957, 0.957], "o", color=plots.COLOURS[0])
axes.plot(0, 0, "o", color=plots.COLOURS[0], markerfacecolor="white")
axes.set(xlabel="state $h_{t-1}$", ylabel="next state $h_t$  ($b$ = 0)")
axes.legend(loc="upper left")
plt.show()

# %% [markdown] statement="latch"
# Build a memory of this: with a state and a word of one number each, $h_t = \tanh(w_x e_t + w_h h_{t-1} + b)$, $h_0 = 0$.
# `latch()` returns numbers `(w_x, w_h, b)` such that $h_t > 0$ from the 1 on and $h_t < 0$ before.
#
# It must hold for 10,000 steps after the 1, however late that comes, and with noise: after each step a number of up to
# ±0.1 is added to the state, and from there the next step goes on. What must have the right sign is $h_t$ as the tanh
# gives it, *before* the noise is added.

# %% [markdown] hints="latch"
# 1. You want two resting places, one negative and one positive, and a push that carries over from one to the other.
# 2. For $w_h$ well above 1, $h = \tanh(w_h h)$ has three solutions, and 0 is the one that no noise may touch. Which
#    side should a state that starts at 0 fall to, and what does that?
# 3. $b$ tips the start to the negative side, but must be too weak to tip over a state near 1; $w_x$ must be strong
#    enough to lift a state near -1. Write down these three inequalities, each with a noise of 0.1 against you, then
#    choose.


# %% task="latch" points=3 level=3 minutes=30
def latch():
    """Three numbers (w_x, w_h, b) of a cell that remembers whether it has read a 1."""
    ### BEGIN SOLUTION
    return 10.0, 4.0, -1.0
    ### END SOLUTION


# %% test="latch" aspect="silence is not a 1" points=1
_got = latch()
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
assert all(is_number(value) for value in _got), (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
_w_x, _w_h, _b = (float(value) for value in _got)
_h = 0.0
for _t in range(10_000):
    _h = math.tanh(_w_h * _h + _b)
    assert _h < 0, (
        f"After {_t + 1} zeros and no 1 the state is {_h:.4f}; it should be negative."
    )
### BEGIN HIDDEN TESTS
for _t in range(10_000, 40_000):
    _h = math.tanh(_w_h * _h + _b)
    assert _h < 0, (
        f"After {_t + 1} zeros and no 1 the state is {_h:.4f}; it has crept up and should be negative."
    )
### END HIDDEN TESTS

# %% test="latch" aspect="a 1 is remembered" points=1
_got = latch()
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
assert all(is_number(value) for value in _got), (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
_w_x, _w_h, _b = (float(value) for value in _got)
_places = (0, 1, 2, 10, 100, 10_000)
### BEGIN HIDDEN TESTS
_places += (3, 5, random.randint(11, 99), random.randint(101, 999))
### END HIDDEN TESTS
for _before in _places:
    _h = 0.0
    for _t in range(_before + 10_000):
        _h = math.tanh(_w_x * (_t == _before) + _w_h * _h + _b)
        assert _t < _before or _h > 0, (
            f"A 1 stood after {_before} zeros; {_t - _before} steps after it the state is {_h:.4f}: not positive."
        )

# %% test="latch" aspect="noise does no harm" points=1
_got = latch()
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
assert all(is_number(value) for value in _got), (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
_w_x, _w_h, _b = (float(value) for value in _got)
_draw, _after = random.Random(1), 2_000
### BEGIN HIDDEN TESTS
_draw, _after = random.Random(), 10_000
### END HIDDEN TESTS
for _before in (1, 5, 50, 10_000):
    for _kind, _noise in (
        ("a random noise of up to ±.1", lambda: _draw.uniform(-0.1, 0.1)),
        ("a noise of +.1 after each step", lambda: 0.1),
        ("a noise of -.1 after each step", lambda: -0.1),
    ):
        _h = 0.0
        for _t in range(_before + _after):
            _h = math.tanh(_w_x * (_t == _before) + _w_h * _h + _b)
            assert (_h > 0) == (_t >= _before), (
                f"With {_kind} the state at step {_t} (from 0) is {_h:.3f}; the 1 came at step {_before}, "
                f"so it should be {'positive' if _t >= _before else 'negative'}."
            )
            _h += _noise()


# %% [markdown]
# So the weights exist. Does training find them? Half of the texts begin with a 1, all else is 0; at the end: how did it
# begin? For each length 100 steps, three seeds; *learned* means 90 % right.


# %%
class Reader(nn.Module):
    """Reads numbers, answers once, at the end."""

    def __init__(self, cell, b_f=0.0, k=16):
        super().__init__()
        self.cell, self.out = cell(1, k, batch_first=True), nn.Linear(k, 1)
        if cell is nn.LSTM:  # section 12
            self.cell.bias_ih_l0.data[k : 2 * k] += b_f

    def forward(self, numbers):  # [B, T, 1] -> [B]
        return self.out(self.cell(numbers)[0][:, -1])[:, 0]


# %%
def bit_loss(model, batch):
    numbers, first = batch
    return F.binary_cross_entropy_with_logits(model(numbers), first), len(first)


def recall(length, cell, seed, b_f=0.0, steps=100):
    """The share of right answers after training on texts of that length."""
    set_seed(seed)
    model, draw = Reader(cell, b_f).to(device), torch.Generator().manual_seed(seed)

    def batch(_, size=32):
        first = torch.randint(2, (size,), generator=draw).float()
        return F.pad(first[:, None], (0, length - 1))[..., None], first

    train(model, batch, bit_loss, steps=steps, rate=5e-3)
    numbers, first = (part.to(device) for part in batch(0, 1000))
    return ((model(numbers) > 0) == (first > 0)).float().mean().item()


# %%
read_lengths = (7, 10, 14, 20, 28, 40, 80)


def longest_learned(cell, seed, b_f=0.0):
    """The longest of read_lengths up to which all were learned; 0: none."""
    longest = 0
    for length in read_lengths:
        if recall(length, cell, seed, b_f) < 0.9:
            break
        longest = length
    return longest


learned = {"RNN": [longest_learned(nn.RNN, seed) for seed in seeds]}
print(f"of {read_lengths}, learned up to: {learned['RNN']}, for three seeds")

# %%
w_x, w_h, b = latch()
h = math.tanh(w_x + b)
for _ in range(100):
    h = math.tanh(w_h * h + b)
print(f"by hand: remembering multiplies a gradient by {w_h * (1 - h * h):.2g} a step")

set_seed(1)
draws = [nn.RNN(1, 16).weight_hh_l0 for _ in range(100)]
starts = [torch.linalg.eigvals(W_h).abs().max().item() for W_h in draws]
print(f"trained: 100 draws of W_h start with {min(starts):.1f} to {max(starts):.1f}")

# %% [markdown]
# Up to 14 or 20 inputs training succeeds; at the next length it fails. It *starts* with weights that shrink what comes
# from the past (the last line: the largest absolute eigenvalue of $W_h$, its factor for each step in the long run), so
# over many steps hardly any gradient says how to begin. Your latch has another trouble. At a stable resting place,
# small changes die out: $\lvert \partial h_t / \partial h_{t-1} \rvert < 1$, so a gradient shrinks at every step as
# well. The better a state ignores noise, the less gradient survives. Robust memory and learnability pull against each
# other (Y. Bengio and others, 1994).
#
# Hence the next idea: a memory that stays *without* being squeezed at each step.

# %% [markdown]
# ## 10. A memory with gates
#
# The **LSTM**, *long short-term memory* (S. Hochreiter and J. Schmidhuber, 1997; the forget gate came with F. Gers and
# others, 2000), carries a *cell* $C_t$, $k$ numbers, beside $h_t$. At each step three **gates**, numbers between 0 and 1
# made by a sigmoid $\sigma(a) = 1 / (1 + e^{-a})$, decide for every one of them:
#
# - the forget gate $f_t$: how much of the old number stays;
# - the input gate $i_t$: how much of a new candidate $\tilde C_t$ is added;
# - the output gate $o_t$: how much of it shows, as the state $h_t$.
#
# The old number is *multiplied by a gate*, and something is *added* to it; there is no tanh around it and no matrix
# before it. One step with $k = 3$, gate by gate ($\star$ multiplies entry by entry):

# %%
drawings.lstm_gates()

# %% [markdown]
# The first number is kept, the second overwritten but not shown, the third half kept and half overwritten.

# %% [markdown] statement="lstm_step"
# This is how lecture 004 prints it; $[\cdot, \cdot]$ joins two vectors to one, each $W$ has shape $[k, d + k]$:
#
# $$\begin{aligned}\tilde C_t &= \tanh(W_C[e_t, h_{t-1}] + b_C) & f_t &= \sigma(W_f[x_t, h_{t-1}] + b_f)\\
# i_t &= \sigma(W_i[x_t, h_{t-1}] + b_i) & o_t &= \sigma(W_o[x_t, h_{t-1}] + b_o)\\
# C_t &= i_t \star \tilde C_t + f_t \star C_{t-1} & h_t &= o_t \star \tanh(C_t)\end{aligned}$$
#
# Not everything here fits the letters of this chapter: one symbol, perhaps in several places, stands for the wrong thing.
# Set `misprint`. Then write `lstm_step`, one step for a whole batch.

# %% [markdown] hints="lstm_step"
# 1. A matrix and a vector must fit. Count the columns of each $W$, and the entries of what stands in its brackets.
# 2. A batch has one word in each row, so products read *row times transposed matrix*.
# 3. Put `e` and `h` side by side once; four affine maps of it, one through tanh and three through the sigmoid; then the
#    last line of the equations. The new $h$ needs the *new* $C$.


# %% task="lstm_step" points=4 level=1 minutes=15
# misprint = ("the printed symbol", "the right one"), each written like "C_t"
### BEGIN SOLUTION
misprint = ("x_t", "e_t")
### END SOLUTION


def lstm_step(e, h, C, W, b):
    """New (h [B, k], C [B, k]) from e [B, d], h [B, k], C [B, k]; W and b: dicts with the keys "C", "f", "i", "o".

    All of these stay as they are: the new h and C are new tensors.
    """
    ### BEGIN SOLUTION
    x = torch.cat([e, h], dim=-1)
    a = {part: x @ W[part].T + b[part] for part in "Cfio"}
    C = torch.sigmoid(a["i"]) * torch.tanh(a["C"]) + torch.sigmoid(a["f"]) * C
    return torch.sigmoid(a["o"]) * torch.tanh(C), C
    ### END SOLUTION


# %% test="lstm_step" aspect="the misprinted symbol" points=1
assert np.shape(misprint) == (2,), (
    f"misprint is a pair (printed, right); yours: {misprint!r}."
)
_printed, _right = (str(_symbol).strip("$ ") for _symbol in misprint)
assert _printed != _right, "The printed symbol and the right one should differ."
assert {_printed, _right} <= {
    "C_t",
    "C_{t-1}",
    "e_t",
    "x_t",
    "h_t",
    "h_{t-1}",
    "f_t",
    "i_t",
    "o_t",
    "E",
    "b_C",
}, f"Take both symbols from the text, written like C_t; yours: {misprint!r}."
### BEGIN HIDDEN TESTS
assert (_printed, _right) == ("x_t", "e_t"), (
    f"Not {misprint!r}: look for the vector that does not fit its matrices."
)
### END HIDDEN TESTS

# %% test="lstm_step" aspect="half-open gates, by hand" points=1
_W = {part: torch.zeros(1, 3).double() for part in "Cfio"}
_b = {part: torch.zeros(1).double() for part in "Cfio"} | {"C": torch.ones(1).double()}
_got = lstm_step(
    torch.ones(2, 2).double(),
    torch.ones(2, 1).double(),
    torch.full((2, 1), 0.4).double(),
    _W,
    _b,
)
expect(_got, "h, C")
_h, _C = _got
assert np.shape(_h) == np.shape(_C) == (2, 1), (
    "h and C should both have the shape [B, k]."
)
assert close(_C[0, 0], 0.5 * math.tanh(1) + 0.2, 1e-5), (
    f"Gates at 1/2: C = ½ tanh(1) + ½ · 0.4 = .5808; yours: {_C[0, 0]:.4f}."
)
assert close(_h[1, 0], 0.5 * math.tanh(0.5 * math.tanh(1) + 0.2), 1e-5), (
    f"h = ½ tanh(C) = .2617, with the new C; yours: {_h[1, 0]:.4f}."
)
### BEGIN HIDDEN TESTS
for _B, _d, _k in ((3, 2, 4), (1, 3, 2), (5, 1, 1)):
    _W = {part: torch.zeros(_k, _d + _k).double() for part in "Cfio"}
    _b = {part: torch.zeros(_k).double() for part in "fio"} | {
        "C": torch.randn(_k).double()
    }
    _e, _h, _C = (torch.randn(_B, n).double() for n in (_d, _k, _k))
    _got = lstm_step(
        _e.clone(),
        _h.clone(),
        _C.clone(),
        _W,
        {part: value.clone() for part, value in _b.items()},
    )
    expect(_got, "h, C")
    _wanted = (_b["C"].tanh() + _C) / 2
    assert close(_got[1], _wanted, 1e-4, 1e-5), (
        f"Gates at 1/2, B = {_B}, k = {_k}: C should be half of both."
    )
    assert close(_got[0], _wanted.tanh() / 2, 1e-4, 1e-5), (
        f"Gates at 1/2, B = {_B}, k = {_k}: h = ½ tanh(C), new C."
    )
### END HIDDEN TESTS

# %% test="lstm_step" aspect="each gate does its own" points=1
_cases = [(1, 0, 1, 0.3), (0, 1, 1, 0.3), (1, 1, 0, 0.3), (0, 0, 1, 0.3)]
### BEGIN HIDDEN TESTS
_cases += [
    (f, i, o, random.uniform(0.4, 0.9)) for f in (0, 1) for i in (0, 1) for o in (0, 1)
]
### END HIDDEN TESTS
for _f, _i, _o, _old in _cases:
    _W = {part: torch.zeros(1, 2).double() for part in "Cfio"}
    _b = {
        part: torch.full((1,), 80.0 * gate - 40).double()
        for part, gate in zip("fio", (_f, _i, _o), strict=True)
    }
    _one, _C = torch.ones(1, 1).double(), torch.full((1, 1), _old).double()
    _got = lstm_step(
        _one, _one.clone(), _C, _W, _b | {"C": torch.full((1,), 0.5).double()}
    )
    expect(_got, "h, C")
    _wanted = _f * _old + _i * math.tanh(0.5)
    assert close(_got[1], [[_wanted]], 1e-5, 1e-6), (
        f"Gates f = {_f}, i = {_i}, old C = {_old:.2f}, candidate tanh(.5): C should be {_wanted:.4f}; yours: {_got[1]}."
    )
    assert close(_got[0], [[_o * math.tanh(_wanted)]], 1e-5, 1e-6), (
        f"Output gate o = {_o} and C = {_wanted:.4f}: h should be {_o * math.tanh(_wanted):.4f}; yours: {_got[0]}."
    )
### BEGIN HIDDEN TESTS
for _f, _i, _o, _new in (
    (f, i, o, c) for f in (0, 1) for i in (0, 1) for o in (0, 1) for c in (-1, 1)
):
    _W = {part: torch.zeros(1, 2) for part in "Cfio"}
    _b = {
        part: torch.tensor([200.0 * gate - 100])
        for part, gate in zip("fio", (_f, _i, _o), strict=True)
    } | {"C": torch.tensor([100.0 * _new])}
    _got = lstm_step(
        torch.ones(1, 1), torch.ones(1, 1), torch.full((1, 1), 0.25), _W, _b
    )
    expect(_got, "h, C")
    _wanted = _f * 0.25 + _i * _new
    assert close(_got[1], [[_wanted]], 1e-4, 1e-5) and close(
        _got[0], [[_o * math.tanh(_wanted)]], 1e-4, 1e-5
    ), (
        f"Sums of ±100 in float32, gates f = {_f}, i = {_i}, o = {_o}: "
        f"C = {_wanted} wanted; yours: h = {_got[0]}, C = {_got[1]}."
    )
### END HIDDEN TESTS

# %% test="lstm_step" aspect="word first, then state" points=1
_W = {part: torch.zeros(1, 3).double() for part in "Cfio"}
_b = {part: torch.full((1,), 40.0).double() for part in "fio"} | {
    "C": torch.zeros(1).double()
}
_W["C"][0] = torch.tensor([0.1, 0.2, 0.4])
_got = lstm_step(
    torch.tensor([[1.0, 0.0]]).double(),
    torch.ones(1, 1).double(),
    torch.zeros(1, 1).double(),
    _W,
    _b,
)
expect(_got, "h, C")
assert close(_got[1], [[math.tanh(0.5)]], 1e-5), (
    f"W_C [1, 0, h=1] = .1 + .4, so C = tanh(.5) = .4621; yours: {_got[1]}. Which comes first, e or h?"
)
### BEGIN HIDDEN TESTS
for (_B, _d, _k), _order in zip(
    ((4, 3, 2), (1, 4, 3), (3, 1, 5)), ("Cfio", "ifCo", "oiCf"), strict=True
):
    _W = {part: torch.randn(_k, _d + _k).double() for part in _order}
    _b = {part: torch.randn(_k).double() for part in _order[::-1]}
    _e, _h, _C = (torch.randn(_B, n).double() for n in (_d, _k, _k))
    _given = [_e, _h, _C, _W, _b]
    _copy = [
        x.clone() if torch.is_tensor(x) else {part: x[part].clone() for part in x}
        for x in _given
    ]
    _got = lstm_step(*_copy)
    expect(_got, "h, C")
    _a = {p: _e @ _W[p][:, :_d].T + _h @ _W[p][:, _d:].T + _b[p] for p in "Cfio"}
    _new = _a["i"].sigmoid() * _a["C"].tanh() + _a["f"].sigmoid() * _C
    assert close(_got[1], _new, 1e-4, 1e-5), (
        f"B = {_B}, d = {_d}, k = {_k}, random weights, keys in the order {[*_W]}: the cells C are off."
    )
    assert close(_got[0], _a["o"].sigmoid() * _new.tanh(), 1e-4, 1e-5), (
        "Random weights: the states h are off."
    )
_copy = [
    x.clone() if torch.is_tensor(x) else {part: x[part].clone() for part in x}
    for x in _given
]
_left = arguments_after(lstm_step, *_copy)
for _name, _one, _two in zip(("e", "h", "C"), _left, _given, strict=False):
    assert close(_one, _two), (
        f"lstm_step changed the caller's {_name}: the next step would see it."
    )
for _part in "Cfio":
    assert close(_left[3].get(_part), _W[_part]) and close(
        _left[4].get(_part), _b[_part]
    ), f"lstm_step changed the caller's W or b for {_part!r}."
### END HIDDEN TESTS


# %%
drawings.lstm_cell()

# %% [markdown]
# Along the top runs the cell, past one multiplication and one addition: a conveyor belt. The four grey
# boxes hold all the weights; each reads the word and the last state.
#
# <details><summary>The same cell in torch</summary>
#
# `nn.LSTMCell` and `nn.LSTM` keep four blocks of $k$ rows in one matrix `weight_ih` $[4k, d]$ for the word and one
# `weight_hh` $[4k, k]$ for the state, in the order $i, f, \tilde C, o$. They have *two* biases, `bias_ih` and `bias_hh`,
# which do what their sum would do.
# </details>


# %%
def from_torch(state):
    """The dicts (W, b) of lstm_step from the state_dict of an nn.LSTMCell."""
    W = torch.cat([state["weight_ih"], state["weight_hh"]], dim=1).chunk(4)
    b = (state["bias_ih"] + state["bias_hh"]).chunk(4)
    return dict(zip("ifCo", W, strict=True)), dict(zip("ifCo", b, strict=True))


# %%
set_seed(1)
cell = nn.LSTMCell(100, 100)
e, h, C = torch.randn(1, 100), torch.randn(1, 100), torch.randn(1, 100)
W, b = from_torch(cell.state_dict())
pairs = zip(lstm_step(e, h, C, W, b), cell(e, (h, C)), strict=True)
print("the same to 1e-5:", all(torch.allclose(*two, atol=1e-5) for two in pairs))
lstm_size = sum(part.numel() for table in (W, b) for part in table.values())
print(f"d = k = 100: {lstm_size:,} numbers; an RNN has {100 * 200 + 100:,}")

# %% [markdown]
# ## 11. The gradient through the gates
#
# Four times the weights of an RNN: what do they buy? Look at the way back. If $f_t$ is near 1 and $i_t$ near 0, then
# $C_t = C_{t-1}$ as it was, and a gradient with respect to $C_t$ comes back to $C_{t-1}$ as it was: no matrix, no
# $1 - h^2$. That is the whole trick (chapter 07 has it too, as the *residual connection*); one step of the backward pass
# shows it.
#
# From later come two gradients, $dh = \partial \ell / \partial h_t$ and $dC$, which is what reaches $C_t$ by itself,
# through $C_{t+1}$. A tool for all that follows: for $\sigma$ as for tanh, the derivative can be written with the
# *value*, $\sigma' = \sigma (1 - \sigma)$.

# %% [markdown] statement="lstm_back"
# Write `lstm_back(e, h, C, W, b, dh, dC)`. The first five are what `lstm_step` read (`h` and `C` are the *old* ones, so
# compute the step again); `dh` and `dC`, shape $[B, k]$, are the two gradients from later, with respect to the *new*
# $h$ and the new $C$. It returns the gradients `(de, dh, dC, dW, db)` with respect to the first five: `dW` and `db` are
# dicts with the keys of `W`, summed over the batch. One check switches autograd off.
#
# Do it on paper first, for $B = k = 1$; the products become entry by entry.

# %% [markdown] hints="lstm_back"
# 1. Go backwards through the last line of the equations, then the line above it, then the four maps. Which quantities
#    have more than one way to the loss? Their shares add up.
# 2. The new $C$ has two: by itself (that is `dC`), and through $h_t = o_t \star \tanh(C_t)$. With that sum you have what
#    reaches $f_t$, $i_t$, $\tilde C_t$ and the old $C$, each by the product rule.
# 3. Times the derivative of its activation function, each of these gives a $\delta$, shape $[B, k]$: one for each of
#    the four parts. From there it is section 4 four times over: outer products for $W$, sums for $b$, and through the
#    four transposed matrices back to $[e, h]$, where the four shares add up.


# %% task="lstm_back" points=5 level=3 minutes=35
def lstm_back(e, h, C, W, b, dh, dC):
    """(de [B, d], dh [B, k], dC [B, k], dW, db): gradients with respect to what lstm_step(e, h, C, W, b) read.

    dh, dC: those with respect to the new h and the new C. All arguments stay as they are.
    """
    ### BEGIN SOLUTION
    x = torch.cat([e, h], dim=1)
    a = {part: x @ W[part].T + b[part] for part in "Cfio"}
    f, i, o = (torch.sigmoid(a[part]) for part in "fio")
    new = torch.tanh(a["C"])
    tanh_C = torch.tanh(i * new + f * C)
    dC = dC + dh * o * (1 - tanh_C**2)
    delta = {
        "C": dC * i * (1 - new**2),
        "f": dC * C * f * (1 - f),
        "i": dC * new * i * (1 - i),
        "o": dh * tanh_C * o * (1 - o),
    }
    dx = sum(delta[part] @ W[part] for part in "Cfio")
    dW = {part: delta[part].T @ x for part in "Cfio"}
    db = {part: delta[part].sum(dim=0) for part in "Cfio"}
    return dx[:, : e.shape[1]], dx[:, e.shape[1] :], dC * f, dW, db
    ### END SOLUTION


# %%
def lstm_gradients(e, h, C, W, b, dh, dC):
    """The same five by torch's autograd, of the loss sum(dh * new h) + sum(dC * new C)."""
    given = e, h, C, *(table[part] for table in (W, b) for part in "Cfio")
    given = [part.clone().requires_grad_(True) for part in given]
    x, C = torch.cat(given[:2], dim=1), given[2]
    a = [F.linear(x, *pair) for pair in zip(given[3:7], given[7:], strict=True)]
    C = a[2].sigmoid() * a[0].tanh() + a[1].sigmoid() * C
    loss = (dh * a[3].sigmoid() * C.tanh()).sum() + (dC * C).sum()
    found = torch.autograd.grad(loss, given)
    dW, db = (dict(zip("Cfio", part, strict=True)) for part in (found[3:7], found[7:]))
    return *found[:3], dW, db


# %% test="lstm_back" aspect="the last gate, by hand" points=1
_W = {part: torch.zeros(1, 2).double() for part in "Cfio"}
_b = {part: torch.zeros(1).double() for part in "Cfio"}
_zero, _one = torch.zeros(1, 1).double(), torch.ones(1, 1).double()
_got = lstm_back(_one, _zero, 2 * _one, _W, _b, _one, _zero)
expect(_got, "de, dh, dC, dW, db")
assert hasattr(_got[4], "keys") and all(part in _got[4] for part in "Cfio"), (
    f"db is a dict with the keys C, f, i and o; yours: {_got[4]!r}."
)
_wanted = math.tanh(1) / 4
assert close(_got[4]["o"], [_wanted], 1e-5), (
    f"All gates ½, new C = 1, dh = 1: tanh(1) · ½ · ½ = {_wanted:.4f} reaches b_o; yours: {_got[4]['o']}."
)
### BEGIN HIDDEN TESTS
for _k, _B in ((1, 1), (3, 2), (2, 5)):
    _W = {part: torch.zeros(_k, 2 + _k).double() for part in "Cfio"}
    _b = {part: torch.randn(_k).double() for part in "Cfio"}
    _e, _h, _C, _dh = (torch.randn(_B, n).double() for n in (2, _k, _k, _k))
    _gate = {part: _b[part].sigmoid() for part in "fio"}
    _cell = _gate["i"] * _b["C"].tanh() + _gate["f"] * _C
    _wanted = (_dh * _cell.tanh() * _gate["o"] * (1 - _gate["o"])).sum(0)
    _got = lstm_back(_e, _h, _C, _W, _b, _dh, torch.zeros(_B, _k).double())
    expect(_got, "de, dh, dC, dW, db")
    assert close(_got[4]["o"], _wanted, 1e-4, 1e-6), (
        f"B = {_B}, k = {_k}: db['o'] is off. It is summed over the batch, and tanh is taken of the *new* cell."
    )
### END HIDDEN TESTS

# %% test="lstm_back" aspect="back into the cell" points=1
_sizes = [(2, 3, 4)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 2, 3), (3, 1, 1), (4, 3, 3), (1, 4, 2)]
### END HIDDEN TESTS
for _B, _d, _k in _sizes:
    _W = {part: torch.randn(_k, _d + _k).double() for part in "Cfio"}
    _b = {part: torch.randn(_k).double() for part in "Cfio"}
    _e, _h, _C, _dh, _dC = (torch.randn(_B, n).double() for n in (_d, _k, _k, _k, _k))
    for _a, _c, _why in ((0, 1, "dh = 0"), (1, 0, "dC = 0"), (1, 1, "both")):
        _wanted = lstm_gradients(_e, _h, _C, _W, _b, _a * _dh, _c * _dC)
        _got = lstm_back(_e, _h, _C, _W, _b, _a * _dh, _c * _dC)
        expect(_got, "de, dh, dC, dW, db")
        assert np.shape(_got[2]) == (_B, _k), (
            f"dC has the shape of C, {(_B, _k)}; yours: {np.shape(_got[2])}."
        )
        assert close(_got[2], _wanted[2], 1e-4, 1e-6), (
            f"What comes from later is {_why}: the gradient of the old C is off. "
            "The new C has two ways to the loss, through h and by itself; the old C has one, through a gate."
        )

# %% test="lstm_back" aspect="back into word and state" points=1
_sizes = [(2, 3, 4)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 2, 3), (3, 1, 1), (4, 3, 3), (1, 4, 2)]
### END HIDDEN TESTS
for _B, _d, _k in _sizes:
    _W = {part: torch.randn(_k, _d + _k).double() for part in "foiC"}
    _b = {part: torch.randn(_k).double() for part in "Cfio"}
    _given = [torch.randn(_B, n).double() for n in (_d, _k, _k)]
    _later = [1e4 * torch.randn(_B, _k).double() for _ in "hC"]
    _wanted = lstm_gradients(*_given, _W, _b, *_later)
    _got = lstm_back(*_given, _W, _b, *_later)
    expect(_got, "de, dh, dC, dW, db")
    for _name, _one, _two in zip(("de", "dh"), _got, _wanted, strict=False):
        assert np.shape(_one) == tuple(_two.shape), (
            f"{_name}: shape {tuple(_two.shape)} wanted; yours: {np.shape(_one)}."
        )
        assert close(_one, _two, 1e-4, 1e-6), (
            f"B = {_B}, d = {_d}, k = {_k}: {_name} is off. All four parts have read word and state, word first."
        )

# %% test="lstm_back" aspect="back into weights and biases" points=1
_sizes = [(2, 3, 4)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 2, 3), (3, 1, 1), (4, 3, 3), (5, 4, 2)]
### END HIDDEN TESTS
for _B, _d, _k in _sizes:
    _W = {part: torch.randn(_k, _d + _k).double() for part in "Cfio"}
    _b = {part: torch.randn(_k).double() for part in "Cfio"}
    _given = [torch.randn(_B, n).double() for n in (_d, _k, _k)]
    _later = [1e4 * torch.randn(_B, _k).double() for _ in "hC"]
    _wanted = lstm_gradients(*_given, _W, _b, *_later)
    _got = lstm_back(*_given, _W, _b, *_later)
    expect(_got, "de, dh, dC, dW, db")
    for _part in "oifC":
        for _name, _one, _two in zip(("dW", "db"), _got[3:], _wanted[3:], strict=True):
            assert hasattr(_one, "keys") and _part in _one, (
                f"{_name} is a dict with the keys C, f, i and o; yours: {_one!r}."
            )
            assert np.shape(_one[_part]) == tuple(_two[_part].shape), (
                f"{_name}[{_part!r}]: shape {tuple(_two[_part].shape)} wanted; yours: {np.shape(_one[_part])}."
            )
            assert close(_one[_part], _two[_part], 1e-4, 1e-6), (
                f"B = {_B}, d = {_d}, k = {_k}: {_name}[{_part!r}] is off. Weights add up over the batch."
            )

# %% test="lstm_back" aspect="autograd is switched off" points=1
_W = {part: torch.randn(3, 5).double() for part in "Cfio"}
_b = {part: torch.randn(3).double() for part in "Cfio"}
_given = [torch.randn(4, n).double() for n in (2, 3, 3)]
_later = [torch.randn(4, 3).double() for _ in range(2)]
_usual = lstm_back(*_given, _W, _b, *_later)
expect(_usual, "de, dh, dC, dW, db")
try:
    _got = without_autograd(lstm_back, *_given, _W, _b, *_later)
except NotImplementedError:
    raise
except RuntimeError as _error:
    raise AssertionError(
        f"Here autograd is switched off, and your lstm_back needs it ({_error})."
    ) from None
for _one, _two in zip(_got[:3], _usual[:3], strict=True):
    assert np.size(_two) and close(_one, _two, 1e-5, 1e-6), (
        "With autograd switched off your gradients are others."
    )
### BEGIN HIDDEN TESTS
for _one, _two in zip(_got[:3], lstm_gradients(*_given, _W, _b, *_later), strict=False):
    assert close(_one, _two, 1e-4, 1e-6), (
        "With autograd switched off your gradients are not the right ones."
    )
_left = arguments_after(
    lstm_back,
    *(part.clone() for part in _given),
    {part: value.clone() for part, value in _W.items()},
    {part: value.clone() for part, value in _b.items()},
    *(part.clone() for part in _later),
)
for _name, _one, _two in zip(
    ("e", "h", "C", "dh", "dC"),
    (*_left[:3], *_left[5:]),
    (*_given, *_later),
    strict=True,
):
    assert close(_one, _two), f"lstm_back changed the caller's {_name}."
for _part in "Cfio":
    assert close(_left[3].get(_part), _W[_part]) and close(
        _left[4].get(_part), _b[_part]
    ), f"lstm_back changed the caller's W or b for {_part!r}."
### END HIDDEN TESTS


# %% [markdown]
# One step back, repeated, is BPTT for an LSTM. Here is a whole text of 30 words, forward with your `lstm_step`, back
# with your `lstm_back`, beside what `nn.LSTM` and autograd find:

# %%
set_seed(3)
layer, words = nn.LSTM(5, 4, batch_first=True).double(), torch.randn(2, 30, 5).double()
W, b = from_torch({name[:-3]: w.detach() for name, w in layer.state_dict().items()})
h = C = torch.zeros(2, 4).double()
read = []
for e in words.unbind(1):
    read.append((e, h, C))
    h, C = lstm_step(e, h, C, W, b)

# %%
dh, dC = torch.ones_like(h), torch.zeros_like(C)  # the loss: sum of the last h
total = dict.fromkeys("Cfio", 0)
for e, h, C in reversed(read):
    _, dh, dC, dW, _ = lstm_back(e, h, C, W, b, dh, dC)
    total = {part: total[part] + dW[part] for part in "Cfio"}

layer(words)[0][:, -1].sum().backward()
by_torch, _ = from_torch({name[:-3]: w.grad for name, w in layer.named_parameters()})
off = max((total[part] - by_torch[part]).abs().max().item() for part in "Cfio")
print("30 steps, largest difference below 1e-10:", off < 1e-10)

# %% [markdown]
# So the gradient of the cell is multiplied by $f_t$ at each step (and receives a share through $h$).

# %% [markdown] statement="keep_bit"
# ## 12. Predict, then measure: gates by hand
#
# Set the gates, for one cell ($k = 1$) and words $e_t = [\text{bit}, \text{write}]$, each 0 or 1.
#
# - `keep_bit()` returns `(W, b)`, dicts of nested lists: when *write* is 1, the cell takes the bit; else it keeps what
#   it has: $h_t > 0.5$ if the last bit written was 1, $h_t < -0.5$ if it was 0, even 1,000 steps later.
# - `forget_bias(steps)`: weights zero, nothing written, so that $f = \sigma(b_f)$ at every step. With which $b_f$ is
#   *half* of $C$ left after so many steps (1 to 100,000)?

# %% [markdown] hints="keep_bit"
# 1. For each of the four parts ask: which of *bit*, *write* and $h$ should it listen to at all?
# 2. $\sigma(20)$ is 1 for our purposes, $\sigma(-20)$ is 0. A weight of 40 and a bias of -20 make a switch.
# 3. Write opens one gate and closes another; the candidate says +1 or -1; the output gate need not listen. For the
#    bias: what must the product of `steps` equal factors be, and which number has this sigmoid?


# %% task="keep_bit" points=4 level=3 minutes=24
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
    W, b = (
        {part: np.asarray(table[part], float) for part in "Cfio"} for table in answer
    )
    h, C, states = 0.0, 0.0, []
    for word in words:
        a = {
            part: float(np.dot(np.ravel(W[part]), [*word, h]) + np.ravel(b[part])[0])
            for part in "Cfio"
        }
        f, i, o = ((1 + math.tanh(a[part] / 2)) / 2 for part in "fio")
        C = i * math.tanh(a["C"]) + f * C
        h = o * math.tanh(C)
        states.append(h)
    return states


# %% test="keep_bit" aspect="a written bit shows" points=1
_got = keep_bit()
expect(_got, "W, b")
for _bit in (1, 0):
    _h = run_by_hand(_got, [(_bit, 1)])[-1]
    assert (_h > 0.5) if _bit else (_h < -0.5), (
        f"Right after bit {_bit} was written, h is {_h:.3f}."
    )
    _h = run_by_hand(_got, [(1 - _bit, 1), (_bit, 1)])[-1]
    assert (_h > 0.5) if _bit else (_h < -0.5), (
        f"Bit {1 - _bit} was written, then {_bit}; h is {_h:.3f}."
    )
### BEGIN HIDDEN TESTS
for _part in "Cfio":
    _shapes = tuple(np.shape(_got[0][_part])), tuple(np.shape(_got[1][_part]))
    assert _shapes == ((1, 3), (1,)), (
        f"W[{_part!r}] has the shape [1, 3], b[{_part!r}] [1]; yours: {_shapes}."
    )
for _bit in (1, 0):
    for _words in (
        [(1 - _bit, 0)],
        [(_bit, 0)] * 50,
        [(1 - _bit, 1)] * 100,
        [(_bit, 1)] * 100,
    ):
        _h = run_by_hand(_got, [*_words, (_bit, 1)])[-1]
        assert (_h > 0.5) if _bit else (_h < -0.5), (
            f"{len(_words)} times the word {_words[0]} (bit, write), then bit {_bit} is written: h is {_h:.3f}."
        )
### END HIDDEN TESTS

# %% test="keep_bit" aspect="it stays for 1,000 steps" points=1
_got = keep_bit()
expect(_got, "W, b")
_draw = random.Random(1)
### BEGIN HIDDEN TESTS
_draw = random.Random()
### END HIDDEN TESTS
for _noise in (lambda: 0, lambda: 1, lambda: _draw.randint(0, 1)):
    for _bit in (0, 1):
        _states = run_by_hand(_got, [(_bit, 1), *((_noise(), 0) for _ in range(1000))])
        _wrong = [
            t for t, _h in enumerate(_states) if (_h < 0.5 if _bit else _h > -0.5)
        ]
        assert not _wrong, (
            f"Bit {_bit} is lost {_wrong[0]} steps after it was written: h = {_states[_wrong[0]]:.3f}."
        )
### BEGIN HIDDEN TESTS
for _bit in (0, 1):
    for _first in ([(1 - _bit, 1)], [(1 - _bit, 1)] * 50, [(_bit, 1)] * 50):
        _words = [*_first, (_bit, 1), *((_draw.randint(0, 1), 0) for _ in range(1000))]
        _h = run_by_hand(_got, _words)[-1]
        assert (_h > 0.5) if _bit else (_h < -0.5), (
            f"Bit {_first[0][0]} was written {len(_first)} times, then {_bit}: 1,000 steps later h = {_h:.3f}."
        )
### END HIDDEN TESTS

# %% test="keep_bit" aspect="the last written bit counts" points=1
_got = keep_bit()
expect(_got, "W, b")
_draw, _last, _rounds, _idle = random.Random(2), 1, [300], 0
### BEGIN HIDDEN TESTS
_draw, _rounds, _idle = random.Random(), [300, 300, 300], 200
### END HIDDEN TESTS
for _round, _n in enumerate(_rounds):
    _words = [
        (1, 1),
        *((_draw.randint(0, 1), 0) for _ in range(_idle)),
        *(
            (_draw.randint(0, 1), int(_draw.random() < (0.3, 0.05, 0.8)[_round]))
            for _ in range(_n)
        ),
    ]
    for _t, (_h, (_bit, _write)) in enumerate(
        zip(run_by_hand(_got, _words), _words, strict=True)
    ):
        _last = _bit if _write else _last
        assert (_h > 0.5) == bool(_last) and abs(_h) > 0.5, (
            f"Step {_t}: the last bit written is {_last}, but h = {_h:.3f}."
        )

# %% test="keep_bit" aspect="half is left" points=1
_steps_wanted = [1, 10, 100]
### BEGIN HIDDEN TESTS
_steps_wanted += [
    2,
    3,
    7,
    50,
    1000,
    100_000,
    random.randint(11, 99),
    random.randint(101, 999),
]
### END HIDDEN TESTS
for _steps in _steps_wanted:
    _b = forget_bias(_steps)
    assert is_number(_b), f"forget_bias returns a number; yours: {_b!r}."
    _left = (1 / (1 + math.exp(-_b))) ** _steps
    assert close(_left, 0.5, 1e-5), (
        f"With your b_f = {_b:.3f}, {_left:.4f} is left after {_steps} steps."
    )


# %%
set_seed(2)
cell = nn.LSTMCell(32, 32)
cell.weight_hh.data *= 0.1  # the other way back, through h, is weak


def reach(b_f):
    """Norms of the gradients of sum(C_T) with respect to C_1, ..., C_T."""
    with torch.no_grad():
        cell.bias_ih[:] = cell.bias_hh[:] = 0
        cell.bias_ih[32:64] = b_f
    h = C = torch.zeros(1, 32)
    cells = []
    for e in story[:, None]:
        h, C = cell(e, (h, C))
        cells.append(C)
    found = torch.autograd.grad(C.sum(), cells)
    return [gradient.norm() / 32**0.5 for gradient in found]


# %%
_, axes = plt.subplots()
for half_life, colour in zip((1, 5, 20, 100), plots.COLOURS, strict=False):
    b_f = forget_bias(half_life)
    axes.semilogy(
        range(59, -1, -1), reach(b_f), label=f"$b_f$ = {b_f:.1f}: half-life {half_life}"
    )
    axes.semilogy([0, 59], [1, 2 ** (-59 / half_life)], "--", color=colour, linewidth=1)
axes.set(xlabel="steps back, $T - t$", ylim=(1e-8, 3))
axes.set_ylabel("norm of $\\partial C_T / \\partial C_t$ (log)")
axes.legend()
plt.show()

# %% [markdown]
# Predicted (dashed) and measured nearly agree (one network, one text); words and $h$ push the gates, too. So a gradient
# has the half-life of the cell, and the network can *learn* how long that is. With $b_f = 0$, near which PyTorch
# starts, it is one step: an LSTM, too, begins forgetful. So start higher, and ask as in section 9 whether the first
# input was a 1:

# %%
learned["LSTM"] = [longest_learned(nn.LSTM, seed) for seed in seeds]
learned["LSTM, $b_f$ + 5"] = [longest_learned(nn.LSTM, seed, 5) for seed in seeds]

# %%
_, axes = plt.subplots()
for place, longest in enumerate(learned.values()):
    for seed, length in enumerate(longest):
        axes.plot(length, place + 0.15 * (seed - 1), "o", color=plots.COLOURS[place])
axes.set_yticks(range(len(learned)), list(learned))
axes.set_xscale("log")
axes.set_xticks(read_lengths, read_lengths)
axes.minorticks_off()
axes.set(xlabel="longest text learned in 100 steps (inputs)", ylim=(-0.5, 2.5))
axes.grid(axis="x", alpha=0.3)
plt.show()

# %% [markdown]
# A dot for each of three seeds. As it starts by default, the LSTM is no better at this (10 to 14 inputs) than the RNN
# (14 to 20). With open forget gates it learns 40 and more, at least twice as many as any other run.
#
# In theory, with states of unlimited precision, recurrent networks compute whatever a computer can (H. Siegelmann and
# E. Sontag, 1992).

# %% [markdown] statement="gates_or_start"
# #### Because it has gates
#
# "An LSTM remembers longer than an RNN because it has gates." Which row of the figure contradicts this, what does the
# sentence leave out, and why do the gates matter all the same?

# %% [markdown] written="gates_or_start" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: the LSTM with its default start has the same gates and learns only 10 to 14 inputs, the RNN 14
# to 20. 1 point: where training starts is left out: near $b_f = 0$ the forget gate is $\sigma(0) = \frac12$, the cell
# and its gradient halve at each step, and training hears nothing of what was far back; 5 higher it is .993. 1 point:
# what gates give nevertheless: one number per cell sets how long it keeps, with no tanh or matrix on its way, so a
# good start is easy to choose, and training can change it; or, a gate can stay open for one thing and close for
# another.
#
# No point for praising the cell in general. A usual wrong idea: the row with $b_f + 5$ has more or other weights; it
# differs in the start only.
#
# **Sample, 3 points.** The middle row: LSTM as PyTorch starts it, 10 to 14, no better than the RNN with 14 to 20. It
# has all its gates. What is missing is the start: with $b_f = 0$ half of the cell is forgotten at each step, after 20
# steps a millionth is left, so no gradient tells it to open the gate. With $b_f + 5$ the gate begins at .993 and it
# learns 40 or more. The gates still matter, because there is such a number to set at all: the cell is only multiplied
# by $f$, while in the RNN everything passes through $W_h$ and tanh.
#
# **Sample, 2 points.** The default LSTM learned no longer texts than the RNN, although it has gates. The sentence
# forgets that the bias of the forget gate has to start high, otherwise it forgets half in each step. I do not know
# why gates matter then, perhaps they do not.
#
# **Sample, 0 points.** The RNN row, because it has no gates and learned least. The sentence leaves out that an LSTM
# has four times the weights, and that is why it remembers longer.
# ### END SOLUTION

# %% [markdown]
# ### Relatives
#
# The **GRU**, *gated recurrent unit* (K. Cho and others, 2014), does with one gate what the LSTM does with two, and has
# no separate cell:
#
# $$\begin{aligned} z_t &= \sigma(W_z[e_t, h_{t-1}] + b_z) & \tilde h_t &= \tanh(W_h[e_t, r_t \star h_{t-1}] + b_h)\\
# r_t &= \sigma(W_r[e_t, h_{t-1}] + b_r) & h_t &= (1 - z_t) \star \tilde h_t + z_t \star h_{t-1} \end{aligned}$$
#
# (These $W_h$, $b_h$ are only the GRU's.) The *update gate* $z_t$ plays the part of $f_t$, and $1 - z_t$ that of $i_t$:
# what is written must first be forgotten. The *reset gate* $r_t$ says how much of the old state the candidate sees.
# Three maps, so three quarters of an LSTM's weights. (`nn.GRU` applies $r_t$ *after* the product with its matrix.)

# %%
drawings.stacked_and_bidirectional()

# %% [markdown]
# Left, a **stacked** network: the states of one layer are the words of the next. Right, a **bidirectional** one: a
# second network reads from right to left, and both states together stand for the word. That is fine for tagging. But
# can it predict the next word? Change the *last* of six words: which states change?

# %%
set_seed(1)
six = torch.randn(1, 6, 8)
other = six.clone()
other[0, -1] += 1
kinds = {
    "one layer": nn.LSTM(8, 16, batch_first=True),
    "two layers": nn.LSTM(8, 16, num_layers=2, batch_first=True),
    "bidirectional": nn.LSTM(8, 16, bidirectional=True, batch_first=True),
    "GRU": nn.GRU(8, 16, batch_first=True),
}
for name, layer in kinds.items():
    size = sum(weight.numel() for weight in layer.parameters())
    moved = (layer(six)[0] != layer(other)[0]).any(dim=2)[0]
    changed = "".join("x" if one else "." for one in moved)
    print(f"{name:14} {size:5,} weights   states that change: {changed}")

# %% [markdown]
# In the bidirectional network all states change, so every one of them has seen the last word. That is a matter of
# wiring, and no training changes it: such a network would be asked to predict words that it has already read. A
# recurrent network that is to predict the next word reads from left to right only.

# %% [markdown]
# ## 13. Measured: what does the past buy?
#
# Now the kitchen text. First a short training that you can repeat (and lengthen: `lmkit.budget()`): RNN and LSTM, three
# seeds each, on random pieces of 32 words, *each read from a zero state*. So each network has practised with one word of
# past as often as with 32, and we may fairly ask: what is the loss when only the last $n$ words are known?
#
# One more: an LSTM with *one* target for each piece, as in the listing of lecture 002, instead of 32.


# %%
def word_loss(model, batch):
    """The loss of the words asked for, which may be fewer than those read."""
    scores, targets = model(batch[0])[0], batch[1]
    scores = scores[:, -targets.shape[1] :].flatten(0, 1)
    return F.cross_entropy(scores, targets.flatten()), targets.numel()


# %%
def learn(cell, seed, steps, asked=32, length=32):
    """Train on random pieces of the kitchen text, each from a zero state."""
    set_seed(seed)
    model, draw = LanguageModel(cell, V).to(device), torch.Generator().manual_seed(seed)

    def batch(_):
        begin = torch.randint(len(ids["train"]) - length, (16, 1), generator=draw)
        piece = ids["train"][begin + torch.arange(length + 1)]
        return piece[:, :-1], piece[:, -asked:]

    rate = budget().choose(2e-2, 1e-2, 1e-2)  # fewer steps, larger ones
    loop = {"steps": steps, "rate": rate, "schedule": warmup_cosine(20, 0.02)}
    train(model, batch, word_loss, **loop)
    return model


# %% [markdown]
# (Nine trainings: some minutes at laptop size.)

# %%
steps = budget().choose(130, 1_500, 5_000)
models = {
    name: [learn(cell, seed, steps) for seed in seeds]
    for name, cell in {"RNN": nn.RNN, "LSTM": nn.LSTM}.items()
}
models["LSTM, last"] = [learn(nn.LSTM, seed, steps, asked=1) for seed in seeds]


# %%
@torch.no_grad()
def from_the_last(model, n, most=32, count=800):
    """Nats per word of `count` held-out words, each predicted from the n words before it."""
    text = ids["valid"].to(device)
    shown = text.unfold(0, n, 1)[most - n :][:count]
    last = model.cell(model.embedding(shown))[0][:, -1]
    return F.cross_entropy(model.out(last), text[most:][:count]).item()


# %%
shown_words = (1, 2, 3, 4, 6, 8, 16, 32)
found = {
    name: np.exp([[from_the_last(m, n) for n in shown_words] for m in trained])
    for name, trained in models.items()
}

# %%
same_words = slice(
    31, 31 + 800
)  # the networks' 800: 32 symbols stand before, "</s>" first


def perplexity_of_the_same(log_probabilities):
    """Perplexity of the words that the networks were asked for."""
    return np.exp(-np.asarray(log_probabilities)[same_words].mean())


learned_from, held_out = corpus.splits["train"], corpus.splits["valid"]
by_counts = {
    n - 1: perplexity_of_the_same(ngrams.kneser_ney(learned_from, n).score(held_out))
    for n in (2, 3, 4, 5)
}
stories = language.split("valid")[:20]
floor = perplexity_of_the_same(
    [x for story in stories for x in language.log_probabilities(story, set(vocabulary))]
)

# %%
_, axes = plt.subplots(figsize=(7, 3.3))
for name, colour in (("RNN", plots.COLOURS[1]), ("LSTM", plots.COLOURS[0])):
    each, look = found[name], {"color": colour}
    axes.plot(shown_words, each.mean(0), "o-", label=name, **look)
    axes.fill_between(shown_words, each.min(0), each.max(0), alpha=0.2, **look)
axes.plot(list(by_counts), list(by_counts.values()), "ks--", label="Kneser-Ney")
axes.axhline(floor, color="gray", linestyle=":", label="floor, whole past")
axes.set(xlabel="words known, $n$", ylabel="perplexity, held out (log)")
axes.set_xscale("log")
axes.set_yscale("log")
axes.set_xticks(shown_words, shown_words)
axes.set_yticks([5, 10, 20, 40], [5, 10, 20, 40])
axes.minorticks_off()
axes.legend(loc="upper right")
plt.show()
last, every = found["LSTM, last"][:, -1], found["LSTM"][:, -1]
print("n = 32, one target a piece:", last.round(), " 32 targets:", every.round(1))

# %% [markdown]
# Lines are means, bands reach from the lowest to the highest of three seeds, and all models are asked for the same
# 800 held-out words, few enough that a small gap says little. The squares are Kneser-Ney models (chapter 02), counted
# on the same 100,000 words.
#
# Look at the squares first. After our short training of 130 steps, both networks are *worse* than simple counting,
# and the LSTM is worse than the RNN. Nothing is broken. In 130 steps of 16 pieces with 32 words each, a network reads
# some 67,000 words, two thirds of what the counts have seen, and every step changes its weights only a little. With
# 1,500 steps, which is what this cell does on a laptop, the order turns round: in our run of that length the LSTM came
# to a perplexity of 10 and the RNN to 11, while counting stays at 16. Where do your lines end?
#
# Then look along the lines. After so short a training both networks use some six words, and what is further back they
# have not yet learned to use. All are far above the *floor*, which is what the program that wrote the text would
# reach itself.
#
# The line printed below the figure is for the LSTM that got only one target for each piece instead of 32. The rest of
# its training was the same, but its perplexity stays at 120 to 139 (three seeds) instead of 22 to 24.

# %% [markdown]
# The next networks were each trained for four minutes of processor time, on fresh stories (2.6 to 3.3 million words),
# with equally many weights (0.39 million beside the embedding) and a learning rate tuned for each; they are *recorded*,
# with three seeds. Beside them Kneser-Ney models that counted half a million words. *Bits above the floor* estimate the
# Kullback-Leibler divergence.

# %%
keys = {"window of 4": "kitchen-window", "RNN": "kitchen-rnn", "LSTM": "kitchen-lstm"}
recorded = {name: runs.load(key) for name, key in keys.items()}
colours = dict(zip(keys, plots.COLOURS[2::-1], strict=True))

fresh = [one.tokens[:-1] for one in language.documents(tokens=500_000, seed=5)]
often = Counter(word for one in fresh for word in one)
symbols = [*sorted(w for w, c in often.items() if c > 1), "<UNK>", "</s>"]

# %%
test_stories = language.split("test")[:400]
tests = [one.tokens[:-1] for one in test_stories]
best = language.floor(test_stories, set(symbols)).bits
excess = {}
for n in (3, 5):
    scores = ngrams.kneser_ney(fresh, n, symbols).score(tests)
    excess[f"Kneser-Ney {n}"] = [-scores.mean() / math.log(2) - best]
excess |= {name: run.each("bits above the floor") for name, run in recorded.items()}

# %%
_, axes = plt.subplots()
heights = [np.mean(found) for found in excess.values()]
fill = [colours.get(name, "gray") for name in excess]
axes.bar(range(len(fill)), heights, width=0.6, color=fill)
for place, found in enumerate(excess.values()):
    axes.plot([place] * len(found), found, "k.")
    axes.text(place, max(found) + 0.03, f"{np.mean(found):.2f}", ha="center")
axes.set_xticks(range(len(fill)), list(excess))
axes.set(ylabel="bits above the floor, per word", ylim=(0, 1.15 * max(heights)))
plt.show()

# %% [markdown]
# Bars are means, dots the seeds. The networks are 0.6 to 0.8 bits better than counting, but that is not quite a fair
# comparison, because they have read five to seven times as many words. Let the counts have as many (write
# `tokens=3_000_000` above; it takes a minute or two), and Kneser-Ney 5 comes down from 1.45 bits to 1.18. So the
# networks do keep a lead, of 0.3 to 0.5 bits.
#
# The LSTM is 0.17 bits better than the RNN, eight times as much as its seeds differ (0.02). The RNN itself gains 0.03
# bits on a window of four words with as many weights, hardly more than its seeds differ.

# %% [markdown]
# Does a network really look back? **Agreement** asks: a verb must agree with a noun further left (as in the first line
# of this chapter). Is the right form likelier than the other, as the noun moves away? We asked each recorded network on
# 60,000 words of fresh text. The window of four never sees a noun that stands further back than that.


# %%
def agreement(bands, distance):
    """[right answers, questions] at that distance, whatever stands between."""
    kinds = "no attractor", "other number between"
    found = [bands.get(f"agreement, {k}, {distance} back", (0, 0)) for k in kinds]
    return np.sum(found, axis=0)


distances = ("1", "2-4", "5-8", "9-13", "14+")
asked = {  # [seed, distance, right answers and questions]
    name: np.array(
        [[agreement(bands, d) for d in distances] for bands in run.each("probes")]
    )
    for name, run in recorded.items()
}

# %%
_, axes = plt.subplots()
for name, found in asked.items():
    percent = 100 * found[..., 0] / found[..., 1]
    axes.plot(percent.mean(0), "-", color=colours[name], label=name)
    axes.plot(percent.T, ".", color=colours[name])
axes.axhline(50, color="gray", linestyle=":", label="guessing")
counts = asked["RNN"][0, :, 1]
axes.set_xticks(
    range(5), [f"{d}\n({n})" for d, n in zip(distances, counts, strict=True)]
)
axes.set(xlabel="words back to the noun (verbs asked)", ylim=(30, 103))
axes.set_ylabel("right form (%)")
axes.legend(loc="lower left")
plt.show()

# %% [markdown]
# At a distance of 1 all do well. Then the three RNNs get worse: beyond eight words two of them only guess, beyond 13
# all three. Beyond eight words the window, which cannot see the noun, does better than each of them. We have not looked at
# what it goes by; it must be something near, for instance another verb that agrees with the same noun. A bad memory is
# worse there than none. The LSTMs carry the one bit, *singular* or *plural*, past whatever stands between: one slip in
# all three runs up to 13 words, at most two in 34 beyond. That is what their cell buys, with equally many weights.

# %% [markdown]
# ### And on real text?
#
# The kitchen language is small and regular. On real English, the news text of the Penn Treebank (a million words,
# a vocabulary of 10,000), published test perplexities are:
#
# | model | perplexity | from |
# |---|---|---|
# | Kneser-Ney 5 | 141 | T. Mikolov and G. Zweig (2012); lecture 004 |
# | window network | 140 | T. Mikolov and others (2011); lecture 004 |
# | RNN | 125 | Mikolov and Zweig (2012); lecture 004 |
# | LSTM | 115 | W. Zaremba and others (2014), their plain LSTM; lecture 004 |
# | LSTM with dropout, two layers | 78 | Zaremba and others (2014) |
# | LSTM, regularised with care | 57 | S. Merity and others (2017) |
#
# The order is that of the bars above (each of one published model, without a spread). The last two lines have the same
# cell, in larger networks that are better trained: on a million words, these must be kept from learning the text by
# heart.

# %% [markdown]
# Fetch a real text (`python -m lmkit.corpora` states licences and sources), change the first line below, and run this
# section's trainings on it.

# %% scratch=true
real = "kitchen"  # or "ptb", "wikitext-2", ... once it has been fetched
sample = lmkit.load(real).splits["valid"][0][:12]
print(real + ":", " ".join(sample), "...")


# %% [markdown] statement="generate"
# ## 14. Let it write
#
# A model of the next word can write: choose a word, feed it back in, go on. **Greedy** decoding always takes the
# likeliest word, $x_{t+1} = \arg\max_v s_{tv}$. **Sampling** draws the word from $\mathrm{softmax}(s_t / \theta)$
# instead, with **temperature** $\theta$: below 1 likely words become likelier still, above 1 all become more alike.
# Write
#
# - `probabilities(s, temperature)`: that softmax, also for scores in the thousands;
# - `generate(step, word, h, length, temperature, rng)`: the list of the next `length` words after `word`. `step(word, h)`
#   returns scores and the next state. Temperature 0: the likeliest.

# %% [markdown] hints="generate"
# 1. Which number may you subtract from all scores without changing a softmax?
# 2. Each step has an input, a state and a choice; the choice is the next step's input. Never divide by a temperature
#    of 0.
# 3. In the loop: ask `step`, replace the state, choose by argmax or with `rng.choice` and its `p`, keep the chosen
#    word and go on from it.


# %% task="generate" points=5 level=2 minutes=18
def probabilities(s, temperature):
    """softmax(s / temperature), an array of shape [V], from an array of scores s; temperature > 0."""
    ### BEGIN SOLUTION
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()
    ### END SOLUTION


def generate(step, word, h, length, temperature, rng):
    """`length` words (ints) that follow `word`; step(word, h) -> (s [V], new h).

    rng: a NumPy generator, the only source of chance.
    """
    ### BEGIN SOLUTION
    written = []
    for _ in range(length):
        s, h = step(word, h)
        greedy = temperature == 0
        word = int(
            np.argmax(s)
            if greedy
            else rng.choice(len(s), p=probabilities(s, temperature))
        )
        written.append(word)
    return written
    ### END SOLUTION


# %% test="generate" aspect="temperature divides the scores" points=1
_s = np.log([0.5, 0.3, 0.2])
for _temperature, _wanted in (
    (1, [0.5, 0.3, 0.2]),
    (0.5, [0.25 / 0.38, 0.09 / 0.38, 0.04 / 0.38]),
):
    _got = probabilities(_s.copy(), _temperature)
    assert np.shape(_got) == (3,), (
        f"Three scores, three probabilities; yours: {_got!r}."
    )
    assert close(_got, _wanted, 1e-5), (
        f"θ = {_temperature}: {np.round(_wanted, 3)} wanted, yours: {np.round(_got, 3)}."
    )
### BEGIN HIDDEN TESTS
for _V, _temperature in (
    (6, random.uniform(1.5, 3)),
    (4, random.uniform(0.3, 0.7)),
    (9, 1),
    (2, 5),
):
    _p = np.random.default_rng().dirichlet(np.ones(_V)) + 0.01
    _wanted = _p ** (1 / _temperature) / np.sum(_p ** (1 / _temperature))
    _got = probabilities(np.log(_p), _temperature)
    assert close(_got, _wanted, 1e-4, 1e-6), (
        f"At θ = {_temperature:.2f} a random distribution should become {_wanted}."
    )
    _left = arguments_after(probabilities, np.log(_p), _temperature)[0]
    assert close(_left, np.log(_p)), "probabilities changed the caller's scores."
_got = probabilities(np.array([2.0]), 1.0)
assert np.shape(_got) == (1,), f"One word makes an array of one; yours: {_got!r}."
### END HIDDEN TESTS

# %% test="generate" aspect="large scores do not overflow" points=1
for _large in ([5000.0, 5000.0, -5000.0], [-9000.0, -9000.0, -30000.0]):
    with np.errstate(all="ignore"):
        _got = probabilities(np.array(_large), 0.7)
    assert np.shape(_got) == (3,), (
        f"Three scores, three probabilities; yours: {_got!r}."
    )
    assert close(_got, [0.5, 0.5, 0], 1e-5, 1e-6), (
        f"Scores {_large}: half, half and 0 wanted; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
for _shift, _temperature in (
    (0, 0.001),
    (800, 1),
    (-800, 1),
    (5000, 0.3),
    (-9000, 2),
    (20, 0.01),
    (0, 2000.0),
):
    _s = np.array([0.0, 1.0, -4.0, 0.5]) * _temperature
    with np.errstate(all="ignore"):
        _got = probabilities(_s + _shift, _temperature)
    _wanted = np.exp([0.0, 1.0, -4.0, 0.5]) / np.exp([0.0, 1.0, -4.0, 0.5]).sum()
    assert close(_got, _wanted, 1e-4, 1e-6), (
        f"Scores around {_shift}, θ = {_temperature}: {_wanted} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="generate" aspect="greedy takes word and state on" points=1


def _step(word, h):
    return -np.abs(np.arange(11) - (2 * word + h) % 11.0), h + 1


_starts = [(1, 3, 8)]
### BEGIN HIDDEN TESTS
_starts += [
    (random.randrange(11), random.randrange(11), length) for length in (0, 1, 2, 8, 13)
]
### END HIDDEN TESTS
for _first, _begin, _length in _starts:
    _word, _h, _wanted = _first, _begin, []
    for _ in range(_length):
        _word, _h = (2 * _word + _h) % 11, _h + 1
        _wanted.append(_word)
    _got = generate(_step, _first, _begin, _length, 0, np.random.default_rng(0))
    assert np.shape(_got) == (_length,), f"{_length} words wanted; yours: {_got!r}."
    assert [int(_w) for _w in _got] == _wanted, (
        f"From word {_first} and state {_begin} the likeliest words are {_wanted}; yours: {list(_got)}. "
        "Do both, the word and the state, go on?"
    )
### BEGIN HIDDEN TESTS
for _gap in (0.01, 1e-6, 1e-12):  # one word of five is likelier, but only just
    _got = generate(
        lambda word, h, more=_gap: (1 + more * (np.arange(5) == h % 5), h + 1),
        0,
        0,
        60,
        0,
        np.random.default_rng(),
    )
    assert np.shape(_got) == (60,), f"60 words wanted; yours: {_got!r}."
    assert [int(_w) for _w in _got] == [_t % 5 for _t in range(60)], (
        f"Temperature 0: always the likeliest, be its score larger by {_gap} only; "
        f"yours: {list(_got)}."
    )
### END HIDDEN TESTS

# %% test="generate" aspect="samples follow the temperature" points=1
_table = np.log([0.6, 0.3, 0.1])
_got = generate(
    lambda word, h: (_table.copy(), h), 0, None, 150, 0.5, np.random.default_rng(4)
)
assert np.shape(_got) == (150,), f"150 words wanted; yours: {_got!r}."
_share = [sum(int(_w) == word for _w in _got) / 150 for word in range(3)]
assert close(_share, [0.783, 0.196, 0.022], 0, 0.16), (
    f"At temperature .5, words of probability .6, .3, .1 should come up in .78, .20, .02 of all draws; yours: {_share}."
)
_got = generate(
    lambda word, h: (_table.copy(), h), 0, None, 150, 2.0, np.random.default_rng(4)
)
_share = [sum(int(_w) == word for _w in _got) / 150 for word in range(3)]
assert close(_share, [0.473, 0.334, 0.193], 0, 0.16), (
    f"At temperature 2 these words should come up in .47, .33, .19 of all draws; yours: {_share}."
)
### BEGIN HIDDEN TESTS
for _temperature in (0.001, 0.02, 0.07, 1.5):
    _scores = np.log([0.15, 0.1, 0.6, 0.15]) * _temperature
    _got = generate(
        lambda word, h, s=_scores: (s.copy(), h),
        1,
        None,
        150,
        _temperature,
        np.random.default_rng(),
    )
    assert np.shape(_got) == (150,), f"150 words wanted; yours: {_got!r}."
    _share = [sum(int(_w) == word for _w in _got) / 150 for word in range(4)]
    assert close(_share, [0.15, 0.1, 0.6, 0.15], 0, 0.2), (
        f"At temperature {_temperature}, four words should come up in .15, .1, .6, .15 of all draws; yours: {_share}. "
        "Only 0 means: the likeliest."
    )
_runs = [
    [
        int(_w)
        for _w in generate(
            lambda word, h: (np.zeros(7), h),
            0,
            None,
            30,
            1,
            np.random.default_rng(seed),
        )
    ]
    for seed in (5, 5, 6)
]
assert _runs[0] == _runs[1], (
    "The same rng twice, but other words: draw with the rng that is given, not with another."
)
assert _runs[0] != _runs[2], (
    "Another rng, but the same words: draw with the rng that is given, not with another."
)
### END HIDDEN TESTS

# %% test="generate" aspect="samples take word and state on" points=1


def _sure(word, h):
    return 3000 - 60.0 * np.abs(np.arange(7) - (3 * word + h) % 7.0), h + 1


_starts = [(1, 2, 6, 1.0)]
### BEGIN HIDDEN TESTS
_starts += [
    (random.randrange(7), random.randrange(7), length, heat)
    for length, heat in ((0, 1), (1, 1), (9, 0.6), (12, 1.5))
]
### END HIDDEN TESTS
for _first, _begin, _length, _heat in _starts:
    _word, _h, _wanted = _first, _begin, []
    for _ in range(_length):
        _word, _h = (3 * _word + _h) % 7, _h + 1
        _wanted.append(_word)
    _got = generate(_sure, _first, _begin, _length, _heat, np.random.default_rng())
    assert np.shape(_got) == (_length,), f"{_length} words wanted; yours: {_got!r}."
    assert [int(_w) for _w in _got] == _wanted, (
        f"Temperature {_heat}, but each time one word has nearly all the probability: {_wanted}; yours: {list(_got)}. "
        "Do both, the word drawn and the state, go on?"
    )


# %%
def step_of(writer):
    """What `generate` asks for, from one of the networks."""

    @torch.no_grad()
    def step(word, state):
        scores, state = writer(torch.tensor([[word]], device=device), state)
        return scores[0, 0].double().cpu().numpy(), state

    return step


# %%
# NBVAL_IGNORE_OUTPUT
# One last digit rounded otherwise changes a word, and all words after it.
temperatures, start = (0, 0.25, 0.5, 0.75, 1, 1.25), number["</s>"]
written = {
    heat: [
        generate(step_of(writer), start, None, 300, heat, np.random.default_rng(seed))
        for seed, writer in enumerate(models["LSTM"], start=1)
    ]
    for heat in temperatures
}
for heat in (0, 0.75, 1.25):
    print(f"{heat}: {' '.join(vocabulary[word] for word in written[heat][0][:24])}")

# %% [markdown]
# *Variety* of a text: what share of its 4-grams differ? And *sense*, roughly: how many of its trigrams occur anywhere in
# the 100,000 words of training?


# %%
def grams(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


known = set(grams(ids["train"].tolist(), 3))


def variety(tokens):
    return 100 * len(set(grams(tokens, 4))) / len(grams(tokens, 4))


def sense(tokens):
    return 100 * np.mean([gram in known for gram in grams(tokens, 3)])


# %%
real = [ids["valid"][begin : begin + 300].tolist() for begin in (0, 300, 600)]
_, axes = plt.subplots()
for measure, label, colour in (
    (variety, "different 4-grams", plots.COLOURS[0]),
    (sense, "trigrams known from training", plots.COLOURS[1]),
):
    values = [[measure(one) for one in written[heat]] for heat in temperatures]
    axes.plot(temperatures, np.mean(values, axis=1), "-", color=colour, label=label)
    axes.plot(temperatures, values, ".", color=colour)
    axes.axhline(np.mean([measure(one) for one in real]), color=colour, linestyle="--")
axes.set(xlabel="temperature $\\theta$", ylabel="share (%)", ylim=(0, 105))
axes.legend(loc="lower right")
plt.show()

# %% [markdown]
# Dots are three texts, each by a network of its own, dashed lines the same two measures on real text. Greedy decoding
# runs into a loop: fewer than one in twenty of its 4-grams are different. Whether the loop makes sense is luck. A
# higher temperature buys variety, and from 0.75 on costs sense, in all three. At 0.75 both measures come near real
# text's; at 1 these briefly trained networks have little more than half of its sense.


# %% [markdown] statement="cosines"
# ## 15. One word, two vectors
#
# *Increase* can be a noun or a verb. Its static vector is the same everywhere; the state $h_t$ after it has also read
# what came before: a **contextual** vector. Does it tell noun from verb?
#
# From vectors of the same word at $n$ places and the tag at each, compute `cosines(vectors, tags)`: the mean cosine of
# all pairs of *two different* places with the same tag, and the mean over all pairs with different tags. Pairs of both
# kinds occur.

# %% [markdown] hints="cosines"
# 1. All cosines at once: a product of one matrix with its own transpose, if the rows have length 1.
# 2. Which entries of that table are a place with itself? They are always 1 and would flatter.
# 3. Make a table of *same tag?* beside the table of cosines, take the diagonal out of both, and average each kind.


# %% task="cosines" points=3 level=2 minutes=12
def cosines(vectors, tags):
    """(mean cosine of pairs with the same tag, of pairs with different tags) from an array [n, k] and n tags."""
    ### BEGIN SOLUTION
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same & other].mean(), table[~same].mean()
    ### END SOLUTION


# %% test="cosines" aspect="four vectors by hand" points=1
_got = cosines(
    np.array([[2.0, 0], [3, 4], [0, 5], [0, 1]]), ["NOUN", "NOUN", "VERB", "VERB"]
)
assert np.shape(_got) == (2,), f"Return two numbers; yours: {_got!r}."
assert close(_got[0], 0.8, 1e-5), (
    f"Same tag: cosines .6 and 1, mean .8; yours: {_got[0]:.4f}."
)
assert close(_got[1], 0.4, 1e-5), (
    f"Different tags: 0, 0, .8 and .8, mean .4; yours: {_got[1]:.4f}."
)
### BEGIN HIDDEN TESTS
_unit = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0.6, 0.8, 0], [0, 0.6, -0.8]])
for _tags in (("A", "A", "B", "B", "C"), ("A", "B", "A", "B", "B")):
    _lengths = np.random.default_rng().uniform(0.5, 4, (5, 1))
    _pairs = [(i, j) for i in range(5) for j in range(i)]
    _wanted = [
        np.mean(
            [_unit[i] @ _unit[j] for i, j in _pairs if (_tags[i] == _tags[j]) == same]
        )
        for same in (True, False)
    ]
    _got = cosines(_unit * _lengths, list(_tags))
    assert close(_got, _wanted, 1e-4, 1e-5), (
        f"Five vectors, tags {_tags}: {np.round(_wanted, 4)} wanted, whatever their lengths; yours: {_got!r}."
    )
_left = arguments_after(cosines, _unit * _lengths, list(_tags))
assert close(_left[0], _unit * _lengths) and list(_left[1]) == [*_tags], (
    "cosines changed the caller's vectors or tags."
)
### END HIDDEN TESTS

# %% test="cosines" aspect="static vectors are all alike" points=1
_got = cosines(
    np.array([[0.3, -2.0, 1.0]] * 5), ["NOUN", "VERB", "NOUN", "VERB", "NOUN"]
)
assert np.shape(_got) == (2,), f"Return two numbers; yours: {_got!r}."
assert close(_got, [1, 1], 1e-5), (
    f"Equal vectors have cosine 1 whatever the tags; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _tags in (
    ["ADJ", "NOUN", "ADJ"],
    ["ADV", "VERB", "ADV", "ADJ", "VERB", "ADJ", "ADJ"],
):
    _got = cosines(
        np.array([np.random.default_rng().normal(size=4)] * len(_tags)), list(_tags)
    )
    assert close(_got, [1, 1], 1e-4), (
        f"Equal vectors, tags {_tags}: both means are 1; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="cosines" aspect="random vectors, uneven groups" points=1
_groups = [["NOUN", "VERB", "NOUN", "NOUN", "VERB", "NOUN"]]
### BEGIN HIDDEN TESTS
_groups += [
    random.sample(group, len(group))
    for group in (
        ["ADJ"] * 3 + ["NOUN"] * 5 + ["VERB"] * 2,
        ["NOUN"] * 3 + ["NUM"] * 2 + ["N"] * 2,
        [*"AAABBCD"],
        [*"XXYYYY"],
    )
]
### END HIDDEN TESTS
for _tags in _groups:
    _n = len(_tags)
    for _ in range(1000):  # draw until it matters how the pairs are averaged
        _vectors = np.random.default_rng().normal(size=(_n, 3))
        _table = {
            (i, j): _vectors[i] @ _vectors[j] for i in range(_n) for j in range(i)
        }
        _table = {
            (i, j): v
            / math.dist(_vectors[i], [0] * 3)
            / math.dist(_vectors[j], [0] * 3)
            for (i, j), v in _table.items()
        }
        _same = {
            tag: [v for (i, j), v in _table.items() if _tags[i] == _tags[j] == tag]
            for tag in _tags
        }
        _other = [v for (i, j), v in _table.items() if _tags[i] != _tags[j]]
        _all = [v for part in _same.values() for v in part]
        _wanted = [np.mean(_all), np.mean(_other)]
        _each = np.mean([np.mean(part) for part in _same.values() if part])
        _known = [
            v
            for (i, j), v in _table.items()
            if _tags[i] != _tags[j] and {_tags[i], _tags[j]} == {"NOUN", "VERB"}
        ]
        _far = (
            abs(_each - _wanted[0]),
            np.mean(np.abs(_all)) - _wanted[0],
            np.mean(np.abs(_other)) - _wanted[1],
        )
        if min(_far) > 0.01 and (
            len({*_tags}) == 2 or not _known or abs(np.mean(_known) - _wanted[1]) > 0.01
        ):
            break
    _got = cosines(_vectors.copy(), list(_tags))
    assert close(_got, _wanted, 1e-4, 1e-5), (
        f"Tags {_tags}: {np.round(_wanted, 4)} wanted; yours: {_got!r}. Every pair counts once, and alike."
    )


# %%
@torch.no_grad()
def vectors_of(word, model, number, sentences, tags):
    """At each place of the word: its static vector, the state after it, its tag."""
    static, states, found = [], [], []
    for words, names in zip(sentences, tags, strict=True):
        read = [number.get(w, 0) for w in ["</s>", *words]]
        e = model.embedding(torch.tensor(read, device=device))
        e, h = e.cpu(), model.cell(e[None])[0][0].cpu()
        for t in [t for t, w in enumerate(words) if w == word]:
            static.append(e[t + 1].numpy())
            states.append(h[t + 1].numpy())
            found.append(names[t])
    return np.array(static), np.array(states), found


# %%
toy = lmkit.load("toy-increase")
sentences = [[*sentence, "</s>"] for sentence in toy.splits["train"]]
toy_text = ["</s>", *(word for sentence in sentences for word in sentence)]
toy_number = {word: i for i, word in enumerate(sorted(set(toy_text)))}
toy_ids = torch.tensor([[toy_number[word] for word in toy_text]])


# %%
def toy_model(seed):
    """An LSTM that has learned the six sentences of the toy."""
    set_seed(seed)
    model = LanguageModel(nn.LSTM, len(toy_number), 16, 16).to(device)
    pair = toy_ids[:, :-1], toy_ids[:, 1:]
    train(model, lambda _: pair, word_loss, steps=60, rate=1e-2)
    return model


# %%
sources = {
    "increase": [(toy_model(seed), toy_number, toy) for seed in seeds],
    "order": [(model, number, corpus) for model in models["LSTM"]],
    "cook": [(model, number, corpus) for model in models["LSTM"]],
}

# %%
heights, names = [], []
for word, trained in sources.items():
    found = []
    for model, index, source in trained:
        split = "valid" if source is corpus else "train"
        static, states, tags = vectors_of(
            word, model, index, source.splits[split], source.tags[split]
        )
        found.append((cosines(static, tags)[1], *cosines(states, tags)))
    heights.append(found)
    names.append(f"{word}\n({len(tags)} places)")
heights = np.array(heights)  # [word, seed, bar]

# %%
_, axes = plt.subplots()
labels = "static, any tags", "states, same tag", "states, different tags"
for bar, label in enumerate(labels):
    place = np.arange(len(names)) + 0.27 * (bar - 1)
    axes.bar(place, heights[:, :, bar].mean(1), width=0.25, label=label)
    axes.plot(place, heights[:, :, bar], "k.", markersize=5)
axes.set_xticks(range(len(names)), names)
axes.set(ylabel="mean cosine", ylim=(0, 1.5), yticks=(0, 0.5, 1))
axes.legend(ncols=3, loc="upper center")
plt.show()
print(
    "same tag more alike, in each seed:", (heights[:, :, 1] > heights[:, :, 2]).all(1)
)

# %% [markdown]
# Bars are means, dots three seeds of the network. Static vectors have cosine 1; states differ from place to place, and on
# average places with the same tag are more alike than places with different tags. How much
# more depends on the word, and on the seed most of all in the toy, with its six places. (The toy's network is read on
# its own training sentences.)
#
# Yet a state has only read the *left* side, $x_1, \dots, x_t$. In *the cook book* the word that decides comes later;
# reading both sides needs another task than the next word (chapter 07).

# %% [markdown] statement="lstm_layer"
# ## 16. What waits, and what need not
#
# A loop over words runs many small products one after the other. But $W[e_t, h_{t-1}] = W_x e_t + W_h h_{t-1}$, if
# $W_x$ are the first $d$ columns of $W$ and $W_h$ the others, and no
# $e_t$ waits for a state. So compute all $W_x e_t + b$ at once, and all four parts in one product (blocks of $k$ in
# torch's order $i, f, \tilde C, o$):
#
# - `input_shares(e, W_x, b)`: $W_x e_t + b$ for all words, shape $[B, T, 4k]$;
# - `lstm_layer(a, h, C, W_h)`: from these shares the states $[B, T, k]$, and the last $h$ and $C$. One product in each
#   step is enough.
#
# Arguments may be views, such as a transposed batch.

# %% [markdown] hints="lstm_layer"
# 1. The first function needs no loop.
# 2. In the loop, add to the share of word $t$ what the last state brings, and cut the sum into four.
# 3. Replace `h` and `C` at each step, keep each `h`; at the end stack them along the time axis, which is the middle
#    one.


# %% task="lstm_layer" points=4 level=2 minutes=17
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
_sizes = [(3, 5, 4, 2)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 4, 2, 3), (4, 1, 3, 2), (2, 6, 1, 1), (1, 1, 5, 2)]
### END HIDDEN TESTS
for _B, _T, _d, _k in _sizes:
    _e, _W_x, _b = (
        torch.randn(_B, _T, _d).double(),
        torch.randn(4 * _k, _d).double(),
        torch.randn(4 * _k).double(),
    )
    _got = input_shares(_e.clone(), _W_x.clone(), _b.clone())
    assert torch.is_tensor(_got) and _got.shape == (_B, _T, 4 * _k), (
        f"B = {_B}, T = {_T}, k = {_k}: shape {(_B, _T, 4 * _k)} wanted; yours: {tuple(getattr(_got, 'shape', ()))}."
    )
    _row, _t, _j = random.randrange(_B), random.randrange(_T), random.randrange(4 * _k)
    _wanted = ((_W_x[_j] * _e[_row, _t]).sum() + _b[_j]).item()
    assert close(_got[_row, _t, _j], _wanted, 1e-4, 1e-5), (
        f"Entry {_row, _t, _j} is {_got[_row, _t, _j]:.4f}, not {_wanted:.4f}."
    )
    assert close(_got, torch.einsum("btd,jd->btj", _e, _W_x) + _b, 1e-4, 1e-5), (
        "Some entry is not W_x e_t + b."
    )
### BEGIN HIDDEN TESTS
_e, _W_x, _b = torch.randn(3, 5, 8), torch.randn(8, 8), torch.randn(8)
_got = laid_out_otherwise(input_shares, _e, _W_x, _b)
assert close(_got, torch.einsum("btd,jd->btj", _e, _W_x) + _b, 1e-4, 1e-5), (
    "Some entry is not W_x e_t + b where e is a view and d = 4k."
)
_left = arguments_after(input_shares, _e.clone(), _W_x.clone(), _b.clone())
assert close(_left[0], _e) and close(_left[1], _W_x) and close(_left[2], _b), (
    "input_shares changed its arguments."
)
### END HIDDEN TESTS

# %% test="lstm_layer" aspect="equal to nn.LSTM" points=1
_sizes = [(2, 5, 3)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 6, 4), (3, 1, 5), (4, 7, 1), (1, 1, 2), (3, 8, 6)]
### END HIDDEN TESTS
for _B, _T, _k in _sizes:
    _layer = nn.LSTM(4, _k, batch_first=True).double()
    _e, _h, _C = (
        torch.randn(_B, _T, 4).double(),
        torch.randn(_B, _k).double(),
        torch.randn(_B, _k).double(),
    )
    _wanted, (_last_h, _last_C) = _layer(_e, (_h[None], _C[None]))
    _a = F.linear(
        _e, _layer.weight_ih_l0, _layer.bias_ih_l0 + _layer.bias_hh_l0
    ).detach()
    _W_h = _layer.weight_hh_l0.detach()
    _got = lstm_layer(_a.clone(), _h.clone(), _C.clone(), _W_h.clone())
    expect(_got, "states, h, C")
    assert np.shape(_got[0]) == tuple(_wanted.shape), (
        f"B = {_B}, T = {_T}: states of shape {tuple(_wanted.shape)} wanted; yours: {tuple(np.shape(_got[0]))}."
    )
    assert close(_got[0][:, 0], _wanted[:, 0].detach(), 1e-4, 1e-5), (
        "The first state already differs from nn.LSTM's."
    )
    assert close(_got[0], _wanted.detach(), 1e-4, 1e-5), (
        "The first state is right, later ones are not: do h and C both go on?"
    )
    assert close(_got[1], _last_h[0], 1e-4, 1e-5) and close(
        _got[2], _last_C[0], 1e-4, 1e-5
    ), (
        f"B = {_B}, T = {_T}: the last h or C, each of shape {(_B, _k)}, is not nn.LSTM's."
    )
### BEGIN HIDDEN TESTS
_left = arguments_after(lstm_layer, _a.clone(), _h.clone(), _C.clone(), _W_h.clone())
for _name, _one, _two in zip(
    ("a", "h", "C", "W_h"), _left, (_a, _h, _C, _W_h), strict=True
):
    assert close(_one, _two), f"lstm_layer changed the caller's {_name}."
_again = laid_out_otherwise(lstm_layer, _a, _h, _C, _W_h)
expect(_again, "states, h, C")
assert all(close(_again[i], _got[i], 1e-4, 1e-5) for i in range(3)), (
    "The same shares as a view of a transposed batch: your states are others."
)
_a, _W_h = torch.randn(2, 5, 12).double(), torch.randn(12, 3).double()
_a[:, 1::2] += 2000 * (torch.randint(2, (2, 2, 12)) * 2 - 1)  # gates wide open or shut
_h, _C, _wanted = torch.zeros(2, 3).double(), torch.zeros(2, 3).double(), []
_got = lstm_layer(_a.clone(), _h.clone(), _C.clone(), _W_h.clone())
for _t in range(5):
    _i, _f, _new, _o = (_a[:, _t] + _h @ _W_h.T).split(3, 1)
    _C = _i.sigmoid() * _new.tanh() + _f.sigmoid() * _C
    _h = _o.sigmoid() * _C.tanh()
    _wanted.append(_h)
expect(_got, "states, h, C")
assert close(_got[0], torch.stack(_wanted, 1), 1e-4, 1e-5), (
    "With shares of ±2,000 gates are open or shut and the states as good as any; yours are not."
)
### END HIDDEN TESTS

# %% test="lstm_layer" aspect="no state sees the future" points=1
_cases = [(2, 6, 3)]
### BEGIN HIDDEN TESTS
_cases += [(3, 5, 0), (4, 7, 5), (1, 4, 1), (3, 2, 0)]
### END HIDDEN TESTS
for _B, _T, _t in _cases:
    _a, _W_h = torch.randn(_B, _T, 8).double(), torch.randn(8, 2).double()
    _h, _C = torch.randn(_B, 2).double(), torch.randn(_B, 2).double()
    _other = _a.clone()
    _other[:, _t + 1 :] += 1 + torch.rand(_B, _T - _t - 1, 8)
    _one, _two = (
        lstm_layer(part.clone(), _h.clone(), _C.clone(), _W_h.clone())[0]
        for part in (_a, _other)
    )
    assert np.shape(_one) == np.shape(_two) == (_B, _T, 2), (
        f"States of shape {(_B, _T, 2)} wanted; yours: {tuple(np.shape(_one))}."
    )
    assert torch.equal(_one[:, : _t + 1], _two[:, : _t + 1]), (
        f"Of {_T} words those from {_t + 2} on changed, and a state before them did too."
    )
    for _s in range(_t + 1, _T):
        assert not close(_one[:, _s], _two[:, _s]), (
            f"Of {_T} words those from {_t + 2} on changed, but the state after word {_s + 1} did not."
        )

# %% test="lstm_layer" aspect="gradients through all steps" points=1
_sizes = [(2, 5, 3)]
### BEGIN HIDDEN TESTS
_sizes += [(3, 4, 2), (1, 6, 1), (4, 1, 5), (2, 40, 3), (1, 130, 2)]
### END HIDDEN TESTS
for _B, _T, _k in _sizes:
    _parts = [
        torch.randn(*shape).double()
        for shape in ((_B, _T, 4 * _k), (_B, _k), (_B, _k), (4 * _k, _k))
    ]
    _asked = [part.clone().requires_grad_(True) for part in _parts]
    _a, _h, _C, _W_h = _asked
    _sum = 0
    for _t in range(_T):
        _i, _f, _new, _o = (_a[:, _t] + _h @ _W_h.T).split(_k, 1)
        _C = _i.sigmoid() * _new.tanh() + _f.sigmoid() * _C
        _h = _o.sigmoid() * _C.tanh()
        _sum = _sum + _h.sum()
    try:
        _got = gradients(lstm_layer, *_parts)
    except NotImplementedError:
        raise
    except RuntimeError as _error:
        raise AssertionError(
            f"No gradient comes back through the states ({_error})."
        ) from None
    for _name, _mine, _wanted in zip(
        ("a", "h", "C", "W_h"), _got, torch.autograd.grad(_sum, _asked), strict=True
    ):
        assert close(_mine, _wanted, 1e-4, 1e-5), (
            f"{_T} words: the gradient of the states' sum with respect to {_name} does not come through all steps."
        )


# %%
B, T, d, k = 12, 64, 64, 64
set_seed(1)
layer, e = nn.LSTM(d, k, batch_first=True), torch.randn(B, T, d)
W_x, W_h, b = (
    w.detach().clone().requires_grad_(True) for w in list(layer.parameters())[:3]
)
gates = {part: torch.randn(k, d + k).div(10).requires_grad_(True) for part in "Cfio"}
biases = {part: torch.zeros(k, requires_grad=True) for part in "Cfio"}
zero = torch.zeros(B, k)


# %%
def milliseconds(run, tries):
    """The processor's time for run(), of so many tries."""
    times = []
    for _ in range(tries):
        begin = time.process_time()
        run()
        times.append(1000 * (time.process_time() - begin))
    return times


# %%
def by_equation():
    h, C, states = zero, zero, []
    for t in range(T):
        h, C = lstm_step(e[:, t], h, C, gates, biases)
        states.append(h)
    return torch.stack(states, 1)


ways = {
    "equations": by_equation,
    "your layer": lambda: only_states(input_shares(e, W_x, b), zero, zero, W_h),
    "nn.LSTM": lambda: layer(e)[0],
}
step_times = np.array(
    [milliseconds(lambda way=way: way().sum().backward(), 9) for way in ways.values()]
)

# %%
text_lengths = (4, 16, 64, 256, 1024)
texts = [torch.randn(2048 // n, n, 64) for n in text_lengths]
W_64 = torch.randn(256, 64) / 8


def your_layer(e):
    return lstm_layer(input_shares(e, W_64, W_64[:, 0]), e[:, 0], e[:, 0], W_64)


kinds = nn.RNN, nn.LSTM, nn.GRU
cells = {kind.__name__: kind(64, 64, batch_first=True) for kind in kinds}
with torch.no_grad():
    waits = {
        name: [milliseconds(lambda read=read, e=e: read(e), 5) for e in texts]
        for name, read in {**cells, "your layer": your_layer}.items()
    }

# %%
_, (left, right) = plt.subplots(1, 2)
shares = step_times / np.median(step_times[0])
bars = left.bar(list(ways), np.median(shares, axis=1), color="gray")
left.bar_label(bars, fmt="%.2f", label_type="center", color="white")
left.plot(shares, "k.", markersize=3)
left.set(ylabel="processor time (equations = 1)")
for name, values in waits.items():
    line = right.loglog(text_lengths, np.median(values, axis=1), label=name)
    right.loglog(text_lengths, values, ".", color=line[0].get_color())
right.set(xlabel="words in a text (2,048 in all)", ylabel="processor, forward (ms)")
right.set_yticks([1, 2, 5, 10, 20, 50, 100], [1, 2, 5, 10, 20, 50, 100])
right.set_xticks(text_lengths, text_lengths)
right.minorticks_off()
right.legend()
plt.show()

# %% [markdown]
# Bars and lines are medians, dots single tries. Left, 12 texts of 64 words, forward and back: one product instead of four
# in each step saves a third of the time or more, and `nn.LSTM`, whose loop is not in Python, over four fifths.
#
# Right: the same 2,048 words, cut into fewer and longer texts. The arithmetic stays the same, but there are more steps,
# one after the other, and each costs something however little it computes. In Python that cost is large, in torch's
# compiled loops for the RNN and the GRU smaller. The LSTM hardly pays it, but that is not its cell's doing: torch hands
# its loop as a whole to a library, oneDNN.

# %% [markdown]
# A second processor could not shorten this waiting, because $h_t$ needs $h_{t-1}$. It keeps recurrent networks from
# being trained on very much text, as lecture 004 says. (Recurrences that are *linear* in the state need not wait;
# *state space models* build on that.)
#
# ## What you have now
#
# You have trained through time by hand, seen gradients vanish, and built the cell that keeps them alive. The LSTM
# remembers one bit for 40 steps and more where the plain network gives up, if it starts with open forget gates. Here
# is where your models stand:
#
# | | past | weights as the past grows | similar words help | steps of training |
# |---|---|---|---|---|
# | n-gram | $n - 1$ words | explode | no | counting |
# | window network | $n - 1$ words | grow | yes | side by side |
# | RNN | all, fading | stay | yes | one after the other |
# | LSTM | all, fading as it learns to | stay | yes | one after the other |
#
# Look at the last column. It is the weak point of everything in this chapter: a word waits for all the words before
# it, and whatever it learns from the first of them has gone through every state in between. In chapter 06 each word
# looks at every other word directly, all at once.
