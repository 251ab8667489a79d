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

# %% folded="draws the unrolled network" alt="Four states in a row. Each gets the state before it through one matrix, and its word from below through another; above each there is a score."
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
_e, _h, _b = (
    tensor(size("T"), 1, kind="float64"),
    *(tensor(1, kind="float64") for _ in "hb"),
)
_W_x, _W_h = tensor(1, 1, kind="float64"), tensor(1, 1, kind="float64")
agrees(rnn, ours.rnn, _e, _h, _W_x, _W_h, _b, rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %% test="rnn" aspect="equal to nn.RNN" points=1
_sizes = [(3, 4, 6)]
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
_T, _d, _k = size("T"), size("d"), size("k", large=None)
_e, _h, _W_x, _b = (
    tensor(*_axes, kind="float64", edges=("huge",))
    for _axes in ((_T, _d), (_k,), (_k, _d), (_k,))
)
_W_h = tensor(_k, _k, kind="float64", scale=0.5)
agrees(rnn, ours.rnn, _e, _h, _W_x, _W_h, _b, rtol=1e-5, atol=1e-6)
_square = tensor(_T, _k, kind="float64")
agrees(rnn, ours.rnn, _square, _h, _W_h, _W_h, _b, rtol=1e-5, atol=1e-6)
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
_T, _d, _k = size("T"), size("d", large=None), size("k", large=None)
_e, _h, _W_x, _W_h, _b = (
    tensor(*_axes, scale=0.3) for _axes in ((_T, _d), (_k,), (_k, _d), (_k, _k), (_k,))
)
agrees(rnn, ours.rnn, _e, _h, _W_x, _W_h, _b, rtol=1e-4, atol=1e-4)
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


# %% alt="Distance between two runs that differ in the first word, over 60 words: with rho 0.8 it falls to a millionth, with 0.95 to a hundredth, with 1.1 it stays near one."
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
