# ---
# title: Recurrent networks, or how to carry the past along
# ---

# %% [markdown]
# A window ends. Whatever stands one word further back, an n-gram and chapter 4's networks cannot know. A **recurrent
# network** (J. Elman, 1990) reads one word at a time and carries along a vector, its *state*: all that it
# remembers of everything so far. The same weights serve at each step, for texts of any length.
#
# You will build one, differentiate it by hand, measure how its memory fades, and then mend it with the LSTM.

# %% [markdown]
# Such networks led the field for years. Attention came in 2014 as an add-on to them, for translation, and took over
# in 2017: chapters 6 and 7.

# %% [markdown]
# Fill the cells that raise `NotImplementedError`, and run the checks below them. Grading tries further cases:
# `autograder check` with the path of your notebook grades it with them.
#
# The slides come from lectures 000 (unsigned), 001 (Greg Durrett), 002 (Fabrizio Silvestri) and 004 (Benjamin Muller). The
# text to learn from is the kitchen language, written by a program, so that we know how well any model *could* do.

# %%
import math
import random

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import lmkit
from lmkit import plots
from lmkit.budgets import budget
from lmkit.testing import gradients
from lmkit.training import set_seed, train, warmup_cosine

plots.use_style()
torch.set_num_threads(1)  # our networks are small: a second thread costs more than it brings

# %% [markdown] statement="rnn"
# ## 1. One step, again and again
#
# Word $t$ has a vector $e_t$ (shape $[d]$), the state before it is $h_{t-1}$ (shape $[k]$), and
#
# $$h_t = \tanh(W_x e_t + W_h h_{t-1} + b)$$
#
# with $W_x$ of shape $[k, d]$, $W_h$ of shape $[k, k]$, $b$ of shape $[k]$. Write `rnn(e, h, W_x, W_h, b)`: from all word
# vectors `e`, shape $[T, d]$, and the state `h` before the first, return the states $h_1, \dots, h_T$, shape $[T, k]$,
# without `nn.RNN`.

# %% [markdown] hints="rnn"
# 1. Read the equation as an assignment: the new state stands left, the old one right.
# 2. $W_x e_t$ is a matrix times a vector. Do the shapes $[k, d]$ and $[d]$ fit as they stand?
# 3. Go through the rows of `e`; each time replace `h` by the new state and keep it; at the end stack what you kept.


# %% task="rnn" points=3 level=1 minutes=8
def rnn(e, h, W_x, W_h, b):
    """States h_1..h_T, a tensor of shape [T, k], from e: [T, d], h: [k], W_x: [k, d], W_h: [k, k], b: [k]."""
    ### BEGIN SOLUTION
    states = []
    for e_t in e:
        h = torch.tanh(W_x @ e_t + W_h @ h + b)
        states.append(h)
    return torch.stack(states)
    ### END SOLUTION


# %% test="rnn" aspect="two steps by hand" points=1
_one = torch.ones(1, 1, dtype=torch.float64)
_got = rnn(torch.tensor([[1.0], [0.0]]).double(), torch.zeros(1).double(), _one, 2 * _one, torch.zeros(1).double())
assert torch.is_tensor(_got), f"Return a tensor of shape [T, k]; yours: {_got!r}."
assert tuple(_got.shape) == (2, 1), f"Two words and a state of one number: shape (2, 1); yours: {tuple(_got.shape)}."
assert math.isclose(_got[0, 0].item(), math.tanh(1)), f"h_1 = tanh(1) = .7616; yours: {_got[0, 0]:.4f}."
assert math.isclose(_got[1, 0].item(), math.tanh(2 * math.tanh(1))), (
    f"h_2 = tanh(2 × .7616) = .9094: only the old state speaks; yours: {_got[1, 0]:.4f}."
)

# %% test="rnn" aspect="equal to nn.RNN" points=1
_d, _k, _T = 3, 4, 6
### BEGIN HIDDEN TESTS
_d, _k, _T = random.randint(1, 5), random.randint(2, 6), random.randint(2, 9)
### END HIDDEN TESTS
_cell = nn.RNN(_d, _k).double()
_e, _h = torch.randn(_T, _d).double(), torch.zeros(_k).double()
_wanted = _cell(_e, _h[None])[0].detach()
_weights = _cell.weight_ih_l0.detach(), _cell.weight_hh_l0.detach(), (_cell.bias_ih_l0 + _cell.bias_hh_l0).detach()
_got = rnn(_e, _h, *_weights)
assert torch.is_tensor(_got) and _got.shape == _wanted.shape, f"Wanted a tensor of shape {tuple(_wanted.shape)}."
_off = (_got - _wanted).abs().max().item()
assert _off < 1e-6, f"With d = {_d}, k = {_k}, T = {_T} you differ from nn.RNN by up to {_off:.4f}."

# %% test="rnn" aspect="the past goes on" points=1
_e, _W_x, _W_h, _b = torch.randn(7, 3), torch.randn(2, 3), torch.randn(2, 2), torch.randn(2)
_whole = rnn(_e, torch.zeros(2), _W_x, _W_h, _b)
assert torch.is_tensor(_whole) and len(_whole) == 7, f"Seven words make seven states; yours: {_whole!r}."
_second = rnn(_e[4:], _whole[3].clone(), _W_x, _W_h, _b)
assert torch.allclose(_second, _whole[4:], atol=1e-5), (
    "Words 5 to 7, started from the state behind word 4, should give the states of the whole text; yours do not."
)
### BEGIN HIDDEN TESTS
_h = torch.randn(2)
_got = rnn(_e[:1], _h.clone(), _W_x, _W_h, _b)[0]
_wanted = torch.stack([torch.tanh((_W_x[i] * _e[0]).sum() + (_W_h[i] * _h).sum() + _b[i]) for i in range(2)])
assert torch.allclose(_got, _wanted, atol=1e-5), f"Started from h = {_h.tolist()}, the first state is another."
### END HIDDEN TESTS

# %% [markdown]
# Two texts that differ only in their *first* word: how far apart are the states, word by word? The recurrent weights are a
# rotation times $\rho$.

# %%
set_seed(5)
k = 32
rotation = torch.linalg.qr(torch.randn(k, k))[0]
words = 0.05 * torch.randn(60, k)
other = words.clone()
other[0] = 0.05 * torch.randn(k)

# %%
_, axes = plt.subplots()
for rho in (0.8, 0.95, 1.0, 1.1):
    pair = [rnn(text, torch.zeros(k), torch.eye(k), rho * rotation, torch.zeros(k)) for text in (words, other)]
    axes.semilogy(range(1, 61), (pair[0] - pair[1]).norm(dim=1), label=f"$\\rho$ = {rho}")
axes.set(xlabel="words read", ylabel="distance of the states (log)")
axes.legend()
plt.show()

# %% [markdown]
# A small $\rho$ forgets the first word by the same factor at each step; even at 1 the tanh squeezes the difference. At 1.1
# it stays. But can the network *learn* what to keep? That is a question about gradients.

# %% [markdown] statement="parameters"
# ## 2. Three ways, one number; and a slide
#
# A language model also needs an embedding $E$, shape $[|V|, d]$, and an output layer $U$, shape $[|V|, k]$. Count:
#
# - `by_terms(V, d, k)`: the sizes of $E$, $W_x$, $W_h$, $U$, a list;
# - `by_product(V, d, k)`: their sum, as a product of two factors;
# - `by_module(V, d, k)`: loop over `nn.Embedding`, `nn.RNN`, `nn.Linear`; biases count.
#
# For $|V| = 10^5$, $d = k = 10^2$, lecture 002 prints $10^7$ in all. Set `times_printed`: your total (no biases)
# over the printed one.

# %% [markdown] hints="parameters"
# 1. A matrix of shape $[m, n]$ holds $mn$ numbers.
# 2. Sort the four terms: two hold a $d$, two a $k$ in the same company. What can be taken out of both pairs?
# 3. Make the three modules, go through the parameters of each, and add up how many elements each one has.


# %% task="parameters" points=4 level=1 minutes=10
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
assert list(_got) == [14, 6, 9, 21], f"V = 7, d = 2, k = 3: E holds 7 × 2 numbers, and so on; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_V, _d, _k = random.sample(range(2, 50), 3)
_wanted = [np.zeros(shape).size for shape in ((_V, _d), (_k, _d), (_k, _k), (_V, _k))]
assert list(by_terms(_V, _d, _k)) == _wanted, f"V, d, k = {_V, _d, _k}: your sizes are {by_terms(_V, _d, _k)}."
### END HIDDEN TESTS

# %% test="parameters" aspect="the product is the sum" points=1
_got = by_product(7, 2, 3)
assert isinstance(_got, int | float | np.number), f"by_product returns a number; yours: {_got!r}."
assert _got == 50, f"V = 7, d = 2, k = 3: 14 + 6 + 9 + 21 = 50; your product is {_got}."
### BEGIN HIDDEN TESTS
_V, _d, _k = random.sample(range(2, 50), 3)
_wanted = _d * _V + _d * _k + _k**2 + _k * _V
assert by_product(_V, _d, _k) == _wanted, f"V, d, k = {_V, _d, _k}: the four terms sum to {_wanted}."
### END HIDDEN TESTS

# %% test="parameters" aspect="torch's biases are counted" points=1
_got = by_module(7, 2, 3)
assert isinstance(_got, int | float | np.number), f"by_module returns a number; yours: {_got!r}."
assert _got != 50, "by_module leaves out the biases: nn.RNN and nn.Linear have some by default."
assert _got == 63, f"V = 7, d = 2, k = 3: torch holds 63 numbers, biases included; yours: {_got}."
### BEGIN HIDDEN TESTS
_V, _d, _k = random.sample(range(2, 50), 3)
_wanted = _d * _V + _d * _k + _k**2 + _k * _V + 2 * _k + _V
assert by_module(_V, _d, _k) == _wanted, f"V, d, k = {_V, _d, _k}: torch holds {_wanted} numbers."
### END HIDDEN TESTS

# %% test="parameters" aspect="the printed total" points=1
assert isinstance(times_printed, int | float | np.number), f"times_printed is a number, not {times_printed!r}."
assert times_printed > 1, f"The slide prints too few, not too many; yours: {times_printed}."
### BEGIN HIDDEN TESTS
assert math.isclose(times_printed, 2.002, rel_tol=1e-6), f"Not {times_printed}: divide the exact total by 10^7."
### END HIDDEN TESTS

# %%
exact, window = by_product(10**5, 100, 100), 11 * 10**10 + 10**5
print(f"{exact:,}; with biases {by_module(10**5, 100, 100):,}; {window / exact:,.0f} times smaller than chapter 4's")

# %% [markdown]
# Two of the four terms grow with $|V|$, none with the length of the past: the printed $10^7$ is half of the truth, but
# $\ll 10^{11}$ stands. The listing of 002 has one more layer, and predicts only the word behind the *last* state. We predict at every step:


# %%
class LanguageModel(nn.Module):
    """Scores s_t = U h_t + c for the next word at every step."""

    def __init__(self, V, d, k):
        super().__init__()
        self.embedding = nn.Embedding(V, d)
        self.cell = nn.RNN(d, k, batch_first=True)
        self.out = nn.Linear(k, V)

    def forward(self, words, h=None):  # words [B, T], h [1, B, k] -> scores [B, T, V], last state [1, B, k]
        states, h = self.cell(self.embedding(words), h)
        return self.out(states), h


# %% [markdown] statement="bptt"
# ## 3. Back through time, by hand
#
# Written out, the loop is a network of $T$ layers that share their weights, *unrolled*. Backpropagation goes through
# it from the end: **BPTT** (002 prints "BTT"). Take $h_0 = 0$ and
#
# $$L = \tfrac12 \sum_t \lVert h_t - y_t \rVert^2 .$$
#
# Write `bptt(e, y, W_x, W_h, b)`, which returns the gradients of $L$ as `(dW_x, dW_h, db)`, **without** autograd. `y` has
# shape $[T, k]$.

# %% [markdown] hints="bptt"
# 1. State $h_t$ reaches $L$ on two ways: at once, through its own term, and through $h_{t+1}$.
# 2. Call $a_t$ what stands inside the tanh, and $\delta_t = \partial L / \partial a_t$. Since $\tanh' = 1 - \tanh^2$, you know
#    $\delta_t$ as soon as you know $\partial L / \partial h_t$; and the part of $\partial L / \partial h_{t-1}$ that comes
#    from later is $W_h^\top \delta_t$.
# 3. Go from $T$ down to 1. Each step adds its share: $\delta_t$ to $b$, and its outer product with what $W_x$ and $W_h$ were
#    multiplied by at that step.


# %% task="bptt" points=4 level=3 minutes=25
def bptt(e, y, W_x, W_h, b):
    """(dW_x [k, d], dW_h [k, k], db [k]) of the loss above; e: [T, d], y: [T, k]; h_0 = 0."""
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
def by_autograd(e, y, W_x, W_h, b):
    """The same three gradients, by torch."""
    weights = [weight.clone().requires_grad_(True) for weight in (W_x, W_h, b)]
    h, loss = torch.zeros_like(b), 0
    for e_t, y_t in zip(e, y, strict=True):
        h = torch.tanh(weights[0] @ e_t + weights[1] @ h + weights[2])
        loss = loss + ((h - y_t) ** 2).sum() / 2
    return torch.autograd.grad(loss, weights, allow_unused=True)


# %% test="bptt" aspect="one step has no past" points=1
_e, _y, _W = torch.tensor([[2.0]]).double(), torch.tensor([[1.0]]).double(), torch.tensor([[0.5]]).double()
_got = bptt(_e, _y, _W, _W, torch.zeros(1).double())
assert hasattr(_got, "__len__") and len(_got) == 3, f"Return three tensors; yours: {_got!r}."
_delta = (math.tanh(1) - 1) * (1 - math.tanh(1) ** 2)
assert math.isclose(float(_got[2]), _delta, rel_tol=1e-6), f"db = (h - y)(1 - h²) = {_delta:.4f}; yours: {_got[2]}."
assert math.isclose(float(_got[0]), 2 * _delta, rel_tol=1e-6), f"dW_x = db × e = {2 * _delta:.4f}; yours: {_got[0]}."
assert float(_got[1]) == 0, f"W_h was only multiplied by h_0 = 0, so dW_h = 0; yours: {_got[1]}."

# %% test="bptt" aspect="bias through all steps" points=1
_k, _T = 3, 5
### BEGIN HIDDEN TESTS
_k, _T = random.randint(2, 5), random.randint(3, 9)
### END HIDDEN TESTS
_random = [torch.randn(*shape).double() for shape in ((_T, 2), (_T, _k), (_k, 2), (_k, _k), (_k,))]
_got, _wanted = bptt(*[part.clone() for part in _random]), by_autograd(*_random)
assert hasattr(_got, "__len__") and len(_got) == 3, f"Return three tensors; yours: {_got!r}."
assert _got[2].shape == _wanted[2].shape, f"db has the shape of b; yours: {tuple(_got[2].shape)}."
assert torch.allclose(_got[2], _wanted[2]), f"db over {_T} steps: wanted {_wanted[2]}, yours {_got[2]}."

# %% test="bptt" aspect="input weights like autograd" points=1
_random = [torch.randn(*shape).double() for shape in ((6, 3), (6, 4), (4, 3), (4, 4), (4,))]
_got, _wanted = bptt(*[part.clone() for part in _random]), by_autograd(*_random)
assert hasattr(_got, "__len__") and len(_got) == 3, f"Return three tensors; yours: {_got!r}."
assert _got[0].shape == (4, 3), f"dW_x has the shape of W_x, (4, 3); yours: {tuple(_got[0].shape)}."
assert torch.allclose(_got[0], _wanted[0]), "dW_x over six steps is not autograd's: does each step add its share?"

# %% test="bptt" aspect="recurrent weights like autograd" points=1
_random = [torch.randn(*shape).double() for shape in ((6, 3), (6, 4), (4, 3), (4, 4), (4,))]
_got, _wanted = bptt(*[part.clone() for part in _random]), by_autograd(*_random)
assert hasattr(_got, "__len__") and len(_got) == 3, f"Return three tensors; yours: {_got!r}."
assert _got[1].shape == (4, 4), f"dW_h has the shape of W_h, (4, 4); yours: {tuple(_got[1].shape)}."
assert torch.allclose(_got[1], _wanted[1]), (
    "dW_h over six steps is not autograd's: by which state was W_h multiplied at step t, and which index comes first?"
)

# %% [markdown] statement="truncated_loss"
# ## 4. Cut the gradient, keep the memory
#
# A text of 100,000 words is too long to unroll. **Truncated BPTT** reads chunks of $\tau$ words: the *state* goes on from
# chunk to chunk, the *gradient* does not. Write `truncated_loss(e, y, W_x, W_h, b, tau)`: the loss of section 3 as a
# tensor, such that autograd finds no path from a chunk back into an earlier one. The last chunk may be shorter.

# %% [markdown] hints="truncated_loss"
# 1. Nothing about the *value* of the loss may change, whatever $\tau$ is.
# 2. Tensors have a method that returns the same numbers without their history.
# 3. Number the words from 0. A new chunk begins at 0, $\tau$, $2\tau$, …; just there the old state has to lose its history.


# %% task="truncated_loss" points=4 level=2 minutes=12
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
_e, _y, _W_x, _W_h, _b = [torch.randn(*shape).double() for shape in ((7, 2), (7, 3), (3, 2), (3, 3), (3,))]
_h, _wanted = np.zeros(3), 0.0
for _t in range(7):
    _h = np.tanh(_W_x.numpy() @ _e[_t].numpy() + _W_h.numpy() @ _h + _b.numpy())
    _wanted += 0.5 * np.sum((_h - _y[_t].numpy()) ** 2)
for _tau in (1, 2, 3, 7, 20):
    _got = truncated_loss(_e, _y, _W_x, _W_h, _b, _tau)
    assert torch.is_tensor(_got) and _got.numel() == 1, f"Return a tensor with one number; yours: {_got!r}."
    assert math.isclose(_got.item(), _wanted, rel_tol=1e-9), (
        f"The loss is {_wanted:.4f} for every tau; with tau = {_tau} yours is {_got.item():.4f}. Is the state carried on?"
    )

# %% test="truncated_loss" aspect="no gradient crosses a cut" points=1
_e, _W_x, _W_h, _b = [torch.randn(*shape).double() for shape in ((6, 2), (3, 2), (3, 3), (3,))]
_states, _h = [], np.zeros(3)
for _t in range(6):
    _h = np.tanh(_W_x.numpy() @ _e[_t].numpy() + _W_h.numpy() @ _h + _b.numpy())
    _states.append(_h)
_y = torch.tensor(np.array(_states))
_y[4] += 1  # only word 5 has an error
_reached = gradients(truncated_loss, _e, _y, _W_x, _W_h, _b, 3)[0].abs().sum(1)
assert (_reached[:3] < 1e-9).all(), (
    f"With tau = 3, the error at word 5 must not reach words 1 to 3; gradients by word: {_reached}."
)
assert (_reached[3:5] > 1e-9).all(), f"It must reach words 4 and 5, its own chunk; gradients by word: {_reached}."

# %% test="truncated_loss" aspect="weights feel their own chunk" points=1
_T, _tau = 8, 3
### BEGIN HIDDEN TESTS
_T, _tau = random.randint(6, 12), random.randint(2, 5)
### END HIDDEN TESTS
_e, _y, _W_x, _W_h, _b = [torch.randn(*shape).double() for shape in ((_T, 2), (_T, 3), (3, 2), (3, 3), (3,))]
_weights = [weight.clone().requires_grad_(True) for weight in (_W_x, _W_h, _b)]
_loss, _h = 0, torch.zeros(3).double()
for _start in range(0, _T, _tau):
    _h = torch.tensor(_h.tolist()).double()
    for _t in range(_start, min(_start + _tau, _T)):
        _h = torch.tanh(_weights[0] @ _e[_t] + _weights[1] @ _h + _weights[2])
        _loss = _loss + ((_h - _y[_t]) ** 2).sum() / 2
_got = gradients(truncated_loss, _e, _y, _W_x, _W_h, _b, _tau)[2:]
for _name, _mine, _wanted in zip(("W_x", "W_h", "b"), _got, torch.autograd.grad(_loss, _weights), strict=True):
    assert torch.allclose(_mine, _wanted, rtol=1e-4, atol=1e-5), (
        f"T = {_T}, tau = {_tau}: the gradient of {_name} is not the one of chunks of {_tau} words."
    )

# %% test="truncated_loss" aspect="one long chunk is plain BPTT" points=1
_random = [torch.randn(*shape).double() for shape in ((6, 2), (6, 3), (3, 2), (3, 3), (3,))]
_wanted = by_autograd(*_random)
for _tau in (6, 50):
    _got = gradients(truncated_loss, *_random, _tau)[2:]
    assert all(torch.allclose(_a, _b) for _a, _b in zip(_got, _wanted, strict=True)), (
        f"Six words fit into one chunk of {_tau}: the gradients should be those of plain BPTT; yours are cut."
    )

# %% [markdown]
# What do longer chunks buy? One model for each $\tau$ reads the kitchen text with the course's loop, 512 words at each
# step; `carry` brings the state into the next batch.

# %%
corpus = lmkit.load("kitchen")
text = {split: [w for document in corpus.splits[split] for w in [*document, "</s>"]] for split in ("train", "valid")}
vocabulary = ["<UNK>", *sorted(set(text["train"]))]
number = {word: i for i, word in enumerate(vocabulary)}
ids = {split: torch.tensor([number.get(word, 0) for word in text[split]]) for split in text}


# %%
def learn(tau, steps, rows=512):
    """A trained model and its perplexity on held-out words; chunks of tau words from 512 / tau places of the text."""
    set_seed(1)
    model, stream = LanguageModel(len(vocabulary), 64, 64), ids["train"]
    rows = rows // tau
    stream = stream[: len(stream) // rows * rows].view(rows, -1)

    def chunk(i):
        first = i * tau % (stream.shape[1] - tau)
        return stream[:, first : first + tau], stream[:, first + 1 : first + tau + 1]

    def loss(model, batch, carry):
        scores, h = model(batch[0], carry.get("h"))
        carry["h"] = h.detach()
        return F.cross_entropy(scores.flatten(0, 1), batch[1].flatten()), batch[1].numel()

    train(model, chunk, loss, steps=steps, rate=1e-2, carry={}, schedule=warmup_cosine(15, 0.05), device="cpu")
    with torch.no_grad():
        scores = model(ids["valid"][None, :5000])[0]
    return model, F.cross_entropy(scores[0], ids["valid"][1:5001]).exp().item()


# %%
steps = budget().choose(grading=300, laptop=300, gpu=3000)
models = {tau: learn(tau, steps) for tau in (1, 4, 16)}
for tau, (_, perplexity) in models.items():
    print(f"chunks of {tau:2}: held-out perplexity {perplexity:.2g}")

# %% [markdown]
# A gradient that reaches four words back pays; sixteen words hardly pay more. Is there nothing to learn from, or does
# it not get so far?

# %% [markdown] statement="jacobian_norms"
# ## 5. Predict, then measure: how far does a gradient reach?
#
# By the chain rule $\partial h_T / \partial h_t$ is a product of $T - t$ matrices, $\partial h_s / \partial h_{s-1} =
# \mathrm{diag}(1 - h_s^2)\, W_h$, the latest leftmost. Its *spectral norm* says how much it stretches a vector at most.
#
# - `predicted`: let $W_h$ be $\rho$ times a rotation, all states near 0. By what factor do 50 steps stretch, for $\rho$ = 0.9, 1.0, 1.1?
# - `jacobian_norms(h, W_h)`: from the states `h`, shape $[T, k]$, the norms for $t = 1, \dots, T$, a list (the last is 1).

# %% [markdown] hints="jacobian_norms"
# 1. A rotation changes no length. What, then, does one step do, and what do 50?
# 2. Near $h = 0$ the diagonal matrix is the identity. Elsewhere, row $i$ of $W_h$ is multiplied by $1 - h_{s,i}^2$.
# 3. Start with the identity for $t = T$; go back one state at a time and multiply on the *right* by the Jacobian of
#    the step that you pass. `np.linalg.norm(J, 2)` is the spectral norm.


# %% task="jacobian_norms" points=4 level=2 minutes=15
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
assert hasattr(predicted, "keys"), f"predicted is a dict from rho to a number; yours: {predicted!r}."
for _rho in (0.9, 1.0, 1.1):
    _value = predicted.get(_rho)
    assert isinstance(_value, int | float | np.number) and _value > 0, f"predicted[{_rho}] should be a positive number."
assert predicted[0.9] < predicted[1.0] < predicted[1.1], "A larger rho stretches more."
### BEGIN HIDDEN TESTS
for _rho, _wanted in ((0.9, 0.005154), (1.0, 1), (1.1, 117.39)):
    assert math.isclose(predicted[_rho], _wanted, rel_tol=0.03), (
        f"rho = {_rho}: 50 steps do not stretch by {predicted[_rho]:.4g}; each of them does the same."
    )
### END HIDDEN TESTS

# %% test="jacobian_norms" aspect="a rotation, states at zero" points=1
_got = jacobian_norms(np.zeros((4, 2)), np.array([[0.0, -0.5], [0.5, 0.0]]))
assert np.shape(_got) == (4,), f"Four states, four norms; yours: {_got!r}."
assert math.isclose(_got[-1], 1), f"The last one, of dh_T/dh_T, is 1; yours: {_got[-1]}."
assert np.allclose(_got, [0.125, 0.25, 0.5, 1]), f"Half a rotation at each step: .125, .25, .5, 1; yours: {_got!r}."

# %% test="jacobian_norms" aspect="the tanh dampens" points=1
_got = jacobian_norms(np.array([[0.9], [0.5], [0.8]]), np.array([[2.0]]))
assert np.shape(_got) == (3,), f"Three states, three norms; yours: {_got!r}."
assert math.isclose(_got[1], 0.72), f"The step to h = .8 multiplies by (1 - .64) × 2 = .72; yours: {_got[1]:.4f}."
assert math.isclose(_got[0], 1.08), f"The step to h = .5 multiplies by 1.5 more: 1.08; yours: {_got[0]:.4f}."

# %% test="jacobian_norms" aspect="like autograd's Jacobian" points=1
_k, _T = 3, 5
### BEGIN HIDDEN TESTS
_k, _T = random.randint(2, 5), random.randint(4, 8)
### END HIDDEN TESTS
_W, _x = torch.randn(_k, _k).double(), torch.randn(_T, _k).double()
_states = [torch.tanh(_x[0])]
for _t in range(1, _T):
    _states.append(torch.tanh(_W @ _states[-1] + _x[_t]))


def _rest(_state, _first):
    for _t in range(_first + 1, _T):
        _state = torch.tanh(_W @ _state + _x[_t])
    return _state


_wanted = [
    torch.linalg.matrix_norm(torch.autograd.functional.jacobian(lambda s, t=_t: _rest(s, t), _states[_t]), 2).item()
    for _t in range(_T)
]
_got = jacobian_norms(torch.stack(_states).numpy(), _W.numpy())
assert np.shape(_got) == (_T,), f"{_T} states, {_T} norms; yours: {_got!r}."
assert np.allclose(_got, _wanted), f"Autograd finds {np.round(_wanted, 4)}; yours: {np.round(_got, 4)}. Which order?"

# %%
_, axes = plt.subplots()
for rho, colour in zip((0.5, 0.9, 1.1, 1.5), plots.COLOURS, strict=False):
    states = rnn(words, torch.zeros(k), torch.eye(k), rho * rotation, torch.zeros(k))
    axes.semilogy(range(59, -1, -1), jacobian_norms(states.numpy(), rho * rotation.numpy()), label=f"$\\rho$ = {rho}")
    axes.semilogy([0, 59], [1, rho**59], "--", color=colour, linewidth=1)
axes.set(xlabel="steps back, $T - t$", ylabel="norm of $\\partial h_T / \\partial h_t$ (log)", ylim=(1e-13, 1e8))
axes.legend()
plt.show()

# %% [markdown]
# Dashed: $\rho$ to the power of the steps. Gradients **vanish** geometrically below 1 and **explode** above, until the tanh
# saturates and holds them back. An explosion can be clipped (`train` does); what vanished cannot be brought back.

# %% [markdown] statement="latch"
# ## 6. Remember a 1 for 10,000 steps
#
# Zeros with one 1: 0 0 1 0. Over many positions recurrent networks "generally struggle", says lecture 001, though
# "you can even hand-write weights". Do it with a state of one number, $h_t = \tanh(w_x x_t + w_h h_{t-1} + b)$, $h_0 = 0$:
# `latch()` returns `(w_x, w_h, b)` such that $h_t > 0$ from the 1 on and $h_t < 0$ before.
#
# It must hold for 10,000 steps, with noise of up to ±0.1 added to the state after each.

# %% [markdown] hints="latch"
# 1. You want two resting places, one negative and one positive, and a push that carries over from one to the other.
# 2. For $w_h$ well above 1, $h = \tanh(w_h h)$ has three solutions, and 0 is the one that no noise may touch. Which side
#    should a state that starts at 0 fall to, and what does that?
# 3. $b$ tips the start to the negative side, but must be too weak to tip over a state near 1; $w_x$ must be strong enough
#    to lift a state near -1. Write down these three inequalities, then choose.


# %% task="latch" points=3 level=3 minutes=15
def latch():
    """Three numbers (w_x, w_h, b) of a cell that remembers whether it has read a 1."""
    ### BEGIN SOLUTION
    return 10.0, 4.0, -1.0
    ### END SOLUTION


# %% test="latch" aspect="silence is not a 1" points=1
_got = latch()
assert np.shape(_got) == (3,), f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
_w_x, _w_h, _b = (float(value) for value in _got)
_h = 0.0
for _t in range(10_000):
    _h = math.tanh(_w_h * _h + _b)
    assert _h < 0, f"After {_t + 1} zeros and no 1 the state is {_h:.4f}; it should be negative."

# %% test="latch" aspect="a 1 is remembered" points=1
_got = latch()
assert np.shape(_got) == (3,), f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
_w_x, _w_h, _b = (float(value) for value in _got)
for _before in (0, 1, 2, 10, 100, 10_000):
    _h = 0.0
    for _t in range(_before + 10_000):
        _h = math.tanh(_w_x * (_t == _before) + _w_h * _h + _b)
        assert _t < _before or _h > 0, (
            f"A 1 stood behind {_before} zeros; {_t - _before} steps after it the state is {_h:.4f}: not positive."
        )

# %% test="latch" aspect="noise does no harm" points=1
_got = latch()
assert np.shape(_got) == (3,), f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
_w_x, _w_h, _b = (float(value) for value in _got)
_draw = random.Random(1)
### BEGIN HIDDEN TESTS
_draw = random.Random()
### END HIDDEN TESTS
for _before in (1, 5, 50, 10_000):
    for _noise in (lambda: _draw.uniform(-0.1, 0.1), lambda: 0.1, lambda: -0.1):
        _h = 0.0
        for _t in range(_before + 2_000):
            _h = math.tanh(_w_x * (_t == _before) + _w_h * _h + _b)
            assert (_h > 0) == (_t >= _before), f"With noise of up to .1 the state is {_h:.3f} at the wrong time."
            _h += _noise()


# %% [markdown]
# So the weights exist. Does training find them? For each length, 100 steps of training, then: was the first of all these
# inputs a 1? (In half of the texts it was.)


# %%
class Reader(nn.Module):
    """Reads numbers, answers once, at the end."""

    def __init__(self, k=16):
        super().__init__()
        self.cell, self.out = nn.RNN(1, k, batch_first=True), nn.Linear(k, 1)

    def forward(self, x):  # [B, T, 1] -> [B]
        return self.out(self.cell(x)[0][:, -1])[:, 0]


# %%
def recall(length, steps=100):
    """The share of right answers after training on texts of that length."""
    set_seed(1)
    model, draw = Reader(), torch.Generator().manual_seed(0)

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
axes.plot(lengths, [100 * recall(length) for length in lengths], "o-", label="trained")
axes.axhline(100, color=plots.COLOURS[1], linestyle="--", label="weights by hand")
axes.axhline(50, color="gray", linestyle=":", label="guessing")
axes.set(xlabel="length of the text", ylabel="right answers (%)", ylim=(40, 105))
axes.legend()
plt.show()

# %%
w_x, w_h, b = latch()
h = math.tanh(w_x + b)
for _ in range(100):
    h = math.tanh(w_h * h + b)
print(f"remembering multiplies the gradient at each step by {w_h * (1 - h * h):.2g}")

# %% [markdown]
# Up to some length it finds them; beyond, it guesses. The dilemma is no accident: two stable resting places mean that small
# changes die out, and a gradient *is* a small change. What remembers surely cannot be learned (Y. Bengio and others,
# 1994). Hence the LSTM: a memory that stays without squeezing.

# %% [markdown] statement="generate"
# ## 7. Let it write
#
# Lecture 004 always goes on with the likeliest word, $x_{t+1} = \arg\max_v s_{tv}$ (it meant its own $x^{t+1}$). *Sampling* draws
# the word from $\mathrm{softmax}(s_t / \theta)$ instead, with **temperature** $\theta$. Write
#
# - `probabilities(s, temperature)`: that softmax, also for scores in the thousands;
# - `generate(step, word, h, length, temperature, rng)`: the list of the `length` words behind `word`. `step(word, h)`
#   returns scores and the next state. Temperature 0: the likeliest.

# %% [markdown] hints="generate"
# 1. Which number may you subtract from all scores without changing a softmax?
# 2. Each step has an input, a state and a choice; the choice is the next step's input. Never divide by a temperature of 0.
# 3. In the loop: ask `step`, replace the state, choose by argmax or with `rng.choice` and its `p`, keep the chosen word and
#    go on from it.


# %% task="generate" points=4 level=2 minutes=15
def probabilities(s, temperature):
    """softmax(s / temperature), an array of shape [V], from an array of scores s; temperature > 0."""
    ### BEGIN SOLUTION
    weights = np.exp((s - np.max(s)) / temperature)
    return weights / weights.sum()
    ### END SOLUTION


def generate(step, word, h, length, temperature, rng):
    """`length` words (ints) that follow `word`; step(word, h) -> (s [V], new h); rng: a NumPy generator."""
    ### BEGIN SOLUTION
    written = []
    for _ in range(length):
        s, h = step(word, h)
        greedy = temperature == 0
        word = int(np.argmax(s) if greedy else rng.choice(len(s), p=probabilities(s, temperature)))
        written.append(word)
    return written
    ### END SOLUTION


# %% test="generate" aspect="temperature divides the scores" points=1
_s = np.log([0.5, 0.3, 0.2])
for _temperature, _wanted in ((1, [0.5, 0.3, 0.2]), (0.5, [0.25 / 0.38, 0.09 / 0.38, 0.04 / 0.38])):
    _got = probabilities(_s.copy(), _temperature)
    assert np.shape(_got) == (3,), f"Three scores, three probabilities; yours: {_got!r}."
    assert np.allclose(_got, _wanted), f"θ = {_temperature}: {np.round(_wanted, 3)} wanted, yours: {np.round(_got, 3)}."
### BEGIN HIDDEN TESTS
_p, _temperature = np.random.default_rng().dirichlet(np.ones(6)), random.uniform(0.5, 3)
_wanted = _p ** (1 / _temperature) / np.sum(_p ** (1 / _temperature))
_got = probabilities(np.log(_p), _temperature)
assert np.allclose(_got, _wanted), f"At θ = {_temperature:.2f} a random distribution should become {_wanted}."
### END HIDDEN TESTS

# %% test="generate" aspect="large scores do not overflow" points=1
for _large in ([5000.0, 5000.0, -5000.0], [-9000.0, -9000.0, -30000.0]):
    with np.errstate(all="ignore"):
        _got = probabilities(np.array(_large), 0.7)
    assert np.shape(_got) == (3,), f"Three scores, three probabilities; yours: {_got!r}."
    assert np.allclose(_got, [0.5, 0.5, 0]), f"Scores {_large}: half, half and 0 wanted; yours: {_got}."

# %% test="generate" aspect="greedy takes word and state on" points=1


def _step(word, h):
    return -np.abs(np.arange(11) - (2 * word + h) % 11.0), h + 1


_word, _h, _wanted = 1, 3, []
### BEGIN HIDDEN TESTS
_word, _h = random.randrange(11), random.randrange(11)
### END HIDDEN TESTS
_start = _word, _h
for _ in range(8):
    _word, _h = (2 * _word + _h) % 11, _h + 1
    _wanted.append(_word)
_got = generate(_step, *_start, 8, 0, np.random.default_rng(0))
assert _got is not None and len(_got) == 8, f"Eight words wanted; yours: {_got!r}."
assert [int(_w) for _w in _got] == _wanted, (
    f"From word {_start[0]} and state {_start[1]} the likeliest words are {_wanted}; yours: {list(_got)}. "
    "Do both, the word and the state, go on?"
)

# %% test="generate" aspect="samples follow the temperature" points=1
_table = np.log([0.6, 0.3, 0.1])
_got = generate(lambda word, h: (_table, h), 0, None, 300, 0.5, np.random.default_rng(4))
assert _got is not None and len(_got) == 300, f"300 words wanted; yours: {_got!r}."
_share = [sum(int(_w) == word for _w in _got) / 300 for word in range(3)]
assert np.allclose(_share, [0.783, 0.196, 0.022], atol=0.12), (
    f"At temperature .5, words of probability .6, .3, .1 should come up in .78, .20, .02 of all draws; yours: {_share}."
)
_got = generate(lambda word, h: (_table, h), 0, None, 300, 2.0, np.random.default_rng(4))
_share = [sum(int(_w) == word for _w in _got) / 300 for word in range(3)]
assert np.allclose(_share, [0.473, 0.334, 0.193], atol=0.12), (
    f"At temperature 2 these words should come up in .47, .33, .19 of all draws; yours: {_share}."
)

# %%
writer = models[16][0]


@torch.no_grad()
def step(word, h):
    scores, h = writer(torch.tensor([[word]]), h)
    return scores[0, 0].double().numpy(), h


# %%
temperatures = (0, 0.25, 0.5, 0.75, 1, 1.25)
written = {
    temperature: generate(step, number["</s>"], None, 400, temperature, np.random.default_rng(2))
    for temperature in temperatures
}
for temperature in (0, 0.75, 1.25):
    print(f"{temperature}: {' '.join(vocabulary[word] for word in written[temperature][:24])}")


# %%
def distinct(tokens, n=4):
    """The share of n-grams that are different from one another."""
    grams = [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
    return len(set(grams)) / len(grams)


_, axes = plt.subplots()
axes.plot(temperatures, [100 * distinct(written[temperature]) for temperature in temperatures], "o-", label="written")
axes.axhline(100 * distinct(ids["valid"][:400].tolist()), color="gray", linestyle="--", label="real text")
axes.set(xlabel="temperature", ylabel="different 4-grams (%)", ylim=(0, 105))
axes.legend()
plt.show()

# %% [markdown]
# Greedy text runs into a loop; heat buys variety, and pays with sense. So far:
#
# | | past | weights with length | similar words help | steps of training |
# |---|---|---|---|---|
# | n-gram | n - 1 words | explode | no | counting |
# | window MLP | n - 1 words | grow | yes | side by side |
# | RNN | all, fading | stay | yes | one after the other |
