# ---
# title: Reading both ways
# ---

# %% [markdown]
# Which word is missing in *the ___ sings*? The word after the gap tells you more than the word before it. After *the* almost anything may come, but only *one* cook sings; two cooks *sing*. You used both sides without thinking about it.
#
# Our language models so far could not do that. They read from left to right, because they were meant to write, and a text that is being written has no right side yet. But whoever tags, translates or searches a text has all of it, and it would be a waste to look at the left half only.
#
# The **Transformer encoder** looks at both sides. You build one in this chapter, from chapter 6's attention and a few new parts, until it gives the same numbers as torch's own. Then you cover words in real sentences, train your encoder to guess them, and ask it about a gap of your own (section 11).
#
# How good could it become? For English nobody knows. But the stories of our kitchen were written by a grammar, so you can compute the *best possible* answer for each gap, and we compare four kinds of networks with it. In the last section, a network that was trained on gaps learns to tag words, and with
# only 50 labelled sentences it makes less than half of the mistakes of a tagger that starts from nothing.

# %% [markdown]
# These letters keep their meaning through the chapter. You can skip the table now and come back to it.
#
# | letter | what |
# |---|---|
# | $B$, $T$ | number of texts in a batch, number of places in each |
# | $C$ | width: how many numbers stand for a word (chapter 6 called it $d$) |
# | $h$, $N$ | number of heads, number of layers |
# | $V$, $K$ | size of the vocabulary, number of tags |
#
# Shapes stand in brackets, for example $[B, T, C]$.
#
# This chapter grew out of lectures: an unsigned one (cited as lecture 000) and others by Fabrizio Silvestri (002), Yoav Artzi (003) and Benjamin Muller (004). You do not need their slides.

# %%
import copy
import math
import random
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

from lmkit import drawings, kitchen, paths, plots
from lmkit.budgets import budget
from lmkit.models.heads import MultiHead, from_torch, influence
from lmkit.plots import dots, log_ticks
from lmkit.testing import (
    arguments_after,
    close,
    gradients,
    is_number,
    leave_gradients,
    parameter_gradients,
    torch_module,
)
from lmkit.training import choose_device, set_seed, train

device = choose_device()
plots.use_style()
plt.rcParams.update({"figure.figsize": (7, 3), "figure.dpi": 130})
torch.set_num_threads(1)  # our networks are small: a second thread costs more

# %% [markdown]
# `device` is where the networks of this chapter are trained: on a GPU if torch finds one in your machine, otherwise on
# the CPU. Every answer works on a CPU. If you have a GPU and your answer makes a tensor of its own, make it where its
# input is: `torch.zeros(3, device=x.device)`.

# %% [markdown]
# ## 1. What do both sides know?
#
# Here is a whole language: eight sentences, and how often each is said.

# %%
TOY = {
    "the cook sings": 20,
    "the cooks sing": 20,
    "the guard sings": 5,
    "the guards sing": 15,
    "the cook sleeps": 5,
    "the guards sleep": 15,
    "a cook sings": 12,
    "a guard sings": 8,
}
TOY = {tuple(text.split()): Fraction(count, 100) for text, count in TOY.items()}

# %% [markdown]
# By the definition of a conditional probability, the word in a gap between a left side $l$ and a right side $r$ has
#
# $$P(w \mid l, r) = \frac{P(l\,w\,r)}{\sum_{v} P(l\,v\,r)} \qquad\text{and, from the left alone,}\qquad P(w \mid l) = \frac{\sum_{s} P(l\,w\,s)}{\sum_{v}\sum_{s} P(l\,v\,s)} ,$$
#
# where $s$ runs over all continuations, also the empty one. In *the ___ sings* two sentences fit, with 20 and 5 hundredths: *cook* 0.8, *guard* 0.2.
#
# Does knowing more always make the true word more probable?

# %% [markdown] statement="by_hand"
# - `both_sides(table, words, place)`: $P(w \mid \text{all other words})$ as a dict, word → probability. `table`: sentence (a tuple) → its probability; `words`: a list or tuple; `place`
#   counts from 0, and what `words` holds there is not read. Sentences of another length do not fit. Words of probability 0 are left out; if nothing
#   is left, raise `ValueError`.
# - `left_only(table, words, place)`: the same for $P(w \mid \text{words before } place)$. All sentences with this beginning count, however long, if they
#   reach the place.
# - `surprise`: a pair (a sentence of `TOY`, a place) where the true word is *less* probable from both sides than from the left alone.

# %% [markdown] hints="by_hand"
# 1. On paper: cross out each sentence that does not fit, then divide what is left by its sum.
# 2. A sentence fits if it is equal to `words` once both have lost their word at `place`. From the left, several sentences may have the same word there: their
#    probabilities add up.
# 3. At the last place there is no right side. Where is there no left side? How probable are the two words that stand there, if nothing is known?


# %% task="by_hand" points=3 level=1 minutes=18
def both_sides(table, words, place):
    """Dict word -> P(word at this place | all the other words); ValueError if no sentence fits."""
    ### BEGIN SOLUTION
    rest = (*words[:place], *words[place + 1 :])
    fits = {
        text[place]: P
        for text, P in table.items()
        if P > 0
        and len(text) == len(words)
        and (*text[:place], *text[place + 1 :]) == rest
    }
    if not fits:
        raise ValueError("No sentence of the table fits.")
    return {word: P / sum(fits.values()) for word, P in fits.items()}
    ### END SOLUTION


def left_only(table, words, place):
    """Dict word -> P(word at this place | the words before it); ValueError if no sentence fits."""
    ### BEGIN SOLUTION
    sums = {}
    for text, P in table.items():
        if P > 0 and len(text) > place and text[:place] == tuple(words[:place]):
            sums[text[place]] = sums.get(text[place], 0) + P
    if not sums:
        raise ValueError("No sentence of the table fits.")
    return {word: P / sum(sums.values()) for word, P in sums.items()}
    ### END SOLUTION


# surprise = (a sentence of TOY as a tuple, a place from 0)
### BEGIN SOLUTION
surprise = ("the", "cook", "sings"), 0
### END SOLUTION

# %% test="by_hand" aspect="a ratio of whole sentences" points=1
_table = {("we", "eat"): 0.1, ("i", "eat"): 0.3, ("we", "sleep"): 0.6}
_got = both_sides(dict(_table), ["___", "eat"], 0)
assert hasattr(_got, "keys"), f"both_sides returns a dict; yours: {_got!r}."
assert set(_got) == {"we", "i"}, f"*we* and *i* eat; yours: {_got!r}."
assert close(_got["we"], 0.25), f"0.1 of 0.1 + 0.3 is 0.25; yours: {_got['we']}."
### BEGIN HIDDEN TESTS
_numbers = random.sample(range(1, 10), 7)
_table = {
    ("a", "b", "c"): _numbers[0],
    ("a", "d", "c"): _numbers[1],
    ("a", "b", "d"): _numbers[2],
    ("a", "e", "c"): 0,
    ("a", "b", "c", "d"): _numbers[3],
    ("a", "c"): _numbers[4],
    ("c", "b", "c"): _numbers[5],
    ("a", "b", "a"): _numbers[6],
}
_table = {text: Fraction(n, sum(_numbers)) for text, n in _table.items()}
for _words, _place, _fits in (
    (("a", "b", "c"), 1, {"b": 0, "d": 1}),
    (["a", "zzz", "c"], 1, {"b": 0, "d": 1}),
    (["a", "e", "c"], 1, {"b": 0, "d": 1}),
    (["___", "b", "c"], 0, {"a": 0, "c": 5}),
    (("a", "b", None), 2, {"c": 0, "d": 2, "a": 6}),
    (["a", "b", "c", "___"], 3, {"d": 3}),
    (["a", "___"], 1, {"c": 4}),
):
    _sum = sum(_numbers[n] for n in _fits.values())
    _wanted = {word: _numbers[n] / _sum for word, n in _fits.items()}
    for _kind in (Fraction, float):
        _in = {text: _kind(P) for text, P in _table.items()}
        _got = both_sides(_in, type(_words)(_words), _place)
        assert hasattr(_got, "keys") and set(_got) == set(_wanted), (
            f"{_words}, place {_place}: possible are {sorted(_wanted)}; yours: {_got!r}."
        )
        assert all(close(_got[word], _wanted[word]) for word in _wanted), (
            f"{_words}, place {_place}: {_wanted} wanted; yours: {_got!r}."
        )
for _words, _place in (
    (["b", "b", "c"], 1),
    (["a", "e"], 0),
    (["e", "e", "c"], 1),
    (["b", "e", "c"], 0),
):
    try:
        _got = both_sides(dict(_table), _words, _place)
    except ValueError:
        _got = "ValueError"
    _is_possible = (_words, _place) == (["b", "e", "c"], 0)
    assert _got == "ValueError", (
        "Only a sentence of probability 0 fits: ValueError wanted; "
        if _is_possible
        else f"{_words}, place {_place}: no sentence fits, ValueError wanted; "
    ) + f"yours: {_got!r}."
_after = arguments_after(both_sides, dict(_table), ["a", "b", "c"], 1)
assert dict(_after[0]) == _table and list(_after[1]) == ["a", "b", "c"], (
    "both_sides changed the table or the words."
)
### END HIDDEN TESTS

# %% test="by_hand" aspect="the left side alone" points=1
_table = {("we", "eat"): 0.1, ("we", "eat", "it"): 0.3, ("we", "sleep"): 0.6}
_got = left_only(dict(_table), ["we", "___"], 1)
assert hasattr(_got, "keys") and set(_got) == {"eat", "sleep"}, (
    f"After *we*: *eat* or *sleep*; yours: {_got!r}."
)
assert close(_got["eat"], 0.4), f"*eat* has 0.1 + 0.3; yours: {_got['eat']}."
### BEGIN HIDDEN TESTS
_numbers = random.sample(range(1, 10), 6)
_table = {
    ("a", "b", "c"): _numbers[0],
    ("a", "b"): _numbers[1],
    ("a",): _numbers[2],
    ("a", "d", "b"): _numbers[3],
    ("b", "b", "c", "a"): _numbers[4],
    ("a", "b", "b", "c"): _numbers[5],
    ("a", "e"): 0,
    ("c", "d"): 0,
}
_table = {text: Fraction(n, sum(_numbers)) for text, n in _table.items()}
for _words, _place, _fits in (
    (("a", "___", "c"), 1, {"b": (0, 1, 5), "d": (3,)}),
    (["a", "e"], 1, {"b": (0, 1, 5), "d": (3,)}),
    (["q", "q", "q"], 0, {"a": (0, 1, 2, 3, 5), "b": (4,)}),
    (["a", "b", "q"], 2, {"c": (0,), "b": (5,)}),
    (["b", "b", "c", "q", "q"], 3, {"a": (4,)}),
):
    _sum = sum(_numbers[n] for found in _fits.values() for n in found)
    _wanted = {w: sum(_numbers[n] for n in f) / _sum for w, f in _fits.items()}
    for _kind in (Fraction, float):
        _in = {text: _kind(P) for text, P in _table.items()}
        _got = left_only(_in, type(_words)(_words), _place)
        assert hasattr(_got, "keys") and set(_got) == set(_wanted), (
            f"{_words}, place {_place}: possible are {sorted(_wanted)}; yours: {_got!r}."
        )
        assert all(close(_got[word], _wanted[word]) for word in _wanted), (
            f"{_words}, place {_place}: {_wanted} wanted; yours: {_got!r}."
        )
for _words, _place in (
    (["a", "d", "b", "q"], 3),
    (["b", "a", "q"], 2),
    (["c", "q"], 1),
):
    try:
        _got = left_only(dict(_table), _words, _place)
    except ValueError:
        _got = "ValueError"
    assert _got == "ValueError", (
        f"{_words}, place {_place}: no possible sentence begins so and reaches it, ValueError wanted; yours: {_got!r}."
    )
_after = arguments_after(left_only, dict(_table), ["a", "b", "c"], 1)
assert dict(_after[0]) == _table and list(_after[1]) == ["a", "b", "c"], (
    "left_only changed the table or the words."
)
### END HIDDEN TESTS

# %% test="by_hand" aspect="a word less probable from both sides" points=1
assert isinstance(surprise, tuple | list) and len(surprise) == 2, (
    f"surprise is a pair: a sentence, a place; yours: {surprise!r}."
)
_text, _place = tuple(surprise[0]), surprise[1]
assert _text in TOY and is_number(_place) and 0 <= _place <= 2, (
    f"A sentence of TOY and a place 0, 1 or 2 wanted; yours: {surprise!r}."
)
_place = int(_place)
### BEGIN HIDDEN TESTS
_both = sum(
    P
    for text, P in TOY.items()
    if all(text[i] == _text[i] for i in range(3) if i != _place)
)
_begin = sum(P for text, P in TOY.items() if text[:_place] == _text[:_place])
_left = sum(P for text, P in TOY.items() if text[: _place + 1] == _text[: _place + 1])
assert TOY[_text] / _both < _left / _begin, (
    f"{' '.join(_text)}, place {_place}: the word does not become less probable."
)
### END HIDDEN TESTS


# %%
def right_only(table, words, place):
    """The left side of the table that is written backwards."""
    backwards = {text[::-1]: P for text, P in table.items()}
    return left_only(backwards, words[::-1], len(words) - 1 - place)


gap, options = ("the", "___", "sings"), ("cook", "guard", "guards")
found = {
    "left": left_only(TOY, gap, 1),
    "right": right_only(TOY, gap, 1),
    "both": both_sides(TOY, gap, 1),
}
product = {w: found["left"].get(w, 0) * found["right"].get(w, 0) for w in options}
found["left x right"] = {w: P / sum(product.values()) for w, P in product.items()}
table = {name: [float(P.get(w, 0)) for w in options] for name, P in found.items()}
print(pd.DataFrame(table, options).round(3).to_string())

# %% [markdown]
# From the left, *guards* is the best guess; the right side forbids it. The product of the two one-sided probabilities is not the truth: both
# factors contain how frequent the word is, $P(w)$. One could divide by $P(w)$ once, but even that is right only if, given the word, the two sides know nothing of each other. So two one-sided models do not make one that sees both.
#
# Single words may lose. What about the average?


# %%
def mean_cost(conditional, place):
    """Mean of -ln P over the language, in nats."""
    return sum(
        -float(P) * math.log(conditional(TOY, text, place)[text[place]])
        for text, P in TOY.items()
    )


_, axes = plt.subplots(figsize=(5, 2.2))
for i, f in enumerate((left_only, right_only, both_sides)):
    costs = [mean_cost(f, place) for place in range(3)]
    bars = axes.bar(np.arange(3) + 0.27 * (i - 1), costs, 0.25, label=f.__name__)
    axes.bar_label(bars, fmt="%.2f", fontsize=9)
axes.set(xlabel="place of the gap", ylabel="mean of -ln P (nats)", ylim=(0, 1.8))
axes.set_xticks(range(3))
axes.legend(ncols=3, loc="upper left")
plt.show()

# %% [markdown]
# The heights are exact, since the table is the language. On average one more side never costs: with both sides each gap but the last is cheaper than from the left alone, the one in the middle most. How can a network use both sides?

# %% [markdown]
# ## 2. Keep the numbers tame
#
# A Transformer stacks many layers, and a product of many factors explodes or dies. So **LayerNorm** brings each token's $C$ numbers $x$ to mean 0 and variance 1. A gain $g$ and a bias $b$, both $[C]$, are learned, so that the
# network can undo it where it must; $\varepsilon$ is tiny and keeps a constant $x$ from a division by 0:
#
# $$y = g \star \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} + b \qquad \mu = \frac1C \sum_c x_c \qquad \sigma^2 = \frac1C \sum_c (x_c - \mu)^2$$
#
# ($\star$ multiplies entry by entry.) Between two linear layers stands an activation function; without it they would collapse into one. **GELU**, a ReLU with a soft knee, multiplies $x$ by the chance that a standard normal number lies below it:
# $\text{gelu}(x) = x\, \Phi(x)$, with $\Phi(x) = \frac12 (1 + \text{erf}(x / \sqrt 2))$.

# %% [markdown] statement="layer_norm"
# - `layer_norm(x, gain, bias, eps)`: $[\dots, C]$, each token for itself; also precise for large numbers that are close together, such as 1,000.1 and 1,000.2;
# - `gelu(x)`, entry by entry;
# - `printed_ratio(C)`: lecture 002 divides by `x.std()`, which sums the same squares but divides them by $C - 1$ instead of $C$. By which factor is its result too
#   large or small ($C \ge 2$, $\varepsilon = 0$, $g = 1$, $b = 0$)?

# %% [markdown] hints="layer_norm"
# 1. Which axis of $[B, T, C]$ holds the numbers of one token?
# 2. torch's `var` and `std` divide by $C - 1$ unless told otherwise.
# 3. Keep the averaged axis, so that shapes fit. The $\varepsilon$ stands *inside* the root. For the ratio, write both results with the same
#    sum of squares; all else cancels.


# %% task="layer_norm" points=4 level=1 minutes=15
def layer_norm(x, gain, bias, eps=1e-5):
    """Each token's numbers normalised: x [..., C], gain [C], bias [C] -> [..., C]; large, close numbers, too."""
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
    _x, _C = torch.randn(_shape).double() * _scale + 0.5, _shape[-1]
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
assert np.shape(gelu(torch.randn(1, 2, 1))) == (1, 2, 1), (
    "x of shape (1, 2, 1): your gelu gives it another shape."
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
_, axes = plt.subplots(figsize=(4, 2.4))
bends = {"GELU": gelu, "ReLU": torch.relu, "ELU": F.elu}
for name, function in bends.items():
    axes.plot(x, function(x), label=name)
axes.set(xlabel="x", ylabel="activation", ylim=(-1.2, 4))
axes.legend()
plt.show()
at = torch.tensor([-2.0, -1.0, 0.0, 1.0])
table = {name: function(at).tolist() for name, function in bends.items()}
print(pd.DataFrame(table, at.tolist()).round(4).to_string())
off = (F.gelu(x, approximate="tanh") - gelu(x)).abs().max().item()
print("GELU by the tanh formula that some models use is off by at most", f"{off:.4f}")

# %% [markdown]
# GELU dips below zero where ReLU is flat; ELU, $e^x - 1$ below zero, goes down to $-1$.
#
# `FeedForward` is lecture 004's, with GELU for ReLU: attention moves information *between* places, this layer works *at* each.


# %%
class FeedForward(nn.Module):
    """Four times wider, an activation, and back: every token for itself."""

    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):  # [B, T, C] -> [B, T, C]
        return self.down(F.gelu(self.up(x)))


# %% [markdown]
# ## 3. Where the norm stands
#
# A stack of modules $f$ multiplies their derivatives, and small factors make the gradient vanish. So each module only *adds* to what comes in, a **residual** connection:
#
# $$b = a + f(a) \qquad \frac{\partial b}{\partial a} = I + \frac{\partial f}{\partial a}$$
#
# The $I$ loses nothing, however deep the stack. What runs through all the sums is called the **stream**. The norm may stand in the branch or after the sum. Lecture 003 prints:
#
# > Post-norm (original and here): $b = \text{Module}(\text{LN}(a)) + a$
# >
# > Pre-norm (modern): $b = \text{LN}(\text{Module}(a) + a)$
#
# Lecture 002 prints $\text{LayerNorm}(x + \text{SubLayer}(x))$ above code that returns
# `x + dropout(sublayer(norm(x)))`. Which name belongs to which?

# %% [markdown] statement="Block"
# - `labels`: for `"Module(LN(a)) + a"`, `"LN(Module(a) + a)"` and `"code of 002"` the right name, `"pre"` or `"post"`;
# - `Block(width, attention, feed_forward)`: keeps the two modules under these names (so that torch finds their weights), adds `attention_norm` and
#   `feed_forward_norm`, both `nn.LayerNorm(width)`; attention first, pre-norm. `forward` calls whatever stands under these four names, since `NoNorm` below replaces the norms;
# - `PostBlock`: the same parts, post-norm.

# %% [markdown] hints="Block"
# 1. *Pre*: the norm comes before the module. What then flows from one block to the next without ever being normalised?
# 2. A block is two steps of one kind. The second begins with what the first has returned.
# 3. Two norms, since each has a gain and a bias of its own. `PostBlock` has the same `__init__`; a class can inherit it.


# %% task="Block" points=4 level=2 minutes=20
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


# %%
def block_of(kind, T, C):
    """A block of this class around simple modules, random weights in it; and the weights by name."""
    mixer, each = torch_module("Conv1d", T, T, 1), torch_module("Linear", C, C)
    shapes = {"attention.weight": (T, T, 1), "attention.bias": (T,)}
    shapes |= {"feed_forward.weight": (C, C), "feed_forward.bias": (C,)}
    for norm in ("attention_norm", "feed_forward_norm"):
        shapes |= {f"{norm}.{part}": (C,) for part in ("weight", "bias")}
    block, wanted = kind(C, mixer, each), sorted(shapes)
    found = sorted(dict(block.state_dict()))
    assert set(wanted) <= set(found), (
        f"Weights {wanted} wanted: both modules, and two norms, each its own; yours: {found}."
    )
    weights = {name: torch.randn(shape) for name, shape in shapes.items()}
    block.load_state_dict(weights, strict=False)
    return block, weights


# %% test="Block" aspect="names of the two orders" points=1
assert hasattr(labels, "keys"), f"labels is a dict with three keys; yours: {labels!r}."
for _key in ("Module(LN(a)) + a", "LN(Module(a) + a)", "code of 002"):
    assert labels.get(_key) in ("pre", "post"), (
        f'labels[{_key!r}] should be "pre" or "post"; yours: {labels!r}.'
    )
### BEGIN HIDDEN TESTS
assert labels["Module(LN(a)) + a"] == "pre" and labels["LN(Module(a) + a)"] == "post", (
    "Pre and post say whether the norm comes before the module or after the sum, not which lecture is older."
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
(_block, _s), _x = block_of(Block, _T, _C), torch.randn(_B, _T, _C)
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
(_block, _s), _x = block_of(PostBlock, _T, _C), torch.randn(_B, _T, _C) * 3
_got = PostBlock(_C, torch_module("Identity"), torch_module("Tanh"))(_x.clone())
assert np.shape(_got) == (_B, _T, _C), (
    f"Shape {_B, _T, _C} wanted back; yours: {_got!r}."
)
assert close(_got.mean(2), torch.zeros(_B, _T), 0, 1e-4), (
    "After a post-norm block every token has mean 0."
)
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
assert close(_block(_x[:1, :1].clone()), _wanted[:1, :1], 1e-3, 1e-3), (
    "B = 1 and T = 1: not what this token becomes among others."
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
drawings.transformer_block("pre")

# %%
drawings.transformer_block("post")

# %% [markdown]
# How much of the gradient comes through? We stack 1 to 32 feed-forward layers, send a random score's gradient back and measure what reaches the first layer:


# %%
class NoNorm(Block):
    """The same block with norms that do nothing."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self.attention_norm = self.feed_forward_norm = nn.Identity()


class Silent(nn.Module):
    """Attention that adds nothing."""

    def forward(self, x):
        return torch.zeros_like(x)


# %%
def first_gradient(kind, depth, seed, C=64):
    """Norm of the gradient of the first layer's weights, with `depth` layers up to a random score."""
    set_seed(seed)
    layers = [FeedForward(C) for _ in range(depth)]
    blocks = [kind(C, Silent(), layer) for layer in layers] if kind else layers
    out = nn.Sequential(*blocks)(torch.randn(1, 32, C))
    (out * torch.randn(32, C)).mean().backward()
    return layers[0].up.weight.grad.norm().item()


# %%
depths = (1, 2, 4, 8, 16, 32)
kinds = {"pre-norm": Block, "post-norm": PostBlock, "no norm": NoNorm}
kinds["no residual"] = None
found = {
    name: np.array([[first_gradient(kind, d, s) for s in (1, 2, 3)] for d in depths])
    for name, kind in kinds.items()
}

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
for colour, (name, rows) in zip(plots.COLOURS, found.items(), strict=False):
    for axes in (left, right) if name != "no residual" else (left,):
        dots(axes, depths, rows / rows[0], colour, name)  # one layer: 1
left.set(yscale="log", title="all four, logarithmic", ylabel="gradient (1 layer = 1)")
right.set(title="those with residuals, linear", ylim=(0, None))
figure.suptitle("Without residual connections the gradient dies within a few layers")
for axes in (left, right):
    log_ticks(axes, depths, xlabel="layers (log)")
left.legend()
plt.show()
lost = (found["no residual"][0] / found["no residual"][3]) ** (1 / 7)
print("each layer without residual divides the gradient by", lost.round(1))

# %% [markdown]
# Each dot is a seed. On the left, look at the line that falls: without residual connections each layer divides the gradient by the printed factor, so that nothing is left after some 5 layers. With them, 32 layers are no obstacle. The other three lines lie so close together that the right side enlarges them:
# at 32 layers they differ by a factor of about two.
#
# So gradients at the start do not decide where the norm should stand. Yet there is a difference in the formulas. In post-norm the *sum* passes through the norm, and the derivative becomes
#
# $$\frac{\partial b}{\partial a} = J_{\text{LN}} \left(I + \frac{\partial f}{\partial a}\right)$$
#
# where $J_{\text{LN}}$ is the derivative of LayerNorm: the road that lost nothing now leads through a norm in every layer. In pre-norm the $I$ stays untouched. Xiong and others (2020) show what follows for training: deep post-norm stacks need a learning rate that starts near 0 and *warms up*, and pre-norm stacks
# train without. That is why nearly all large models of today are pre-norm, and so is ours.

# %% [markdown]
# ## 4. The encoder, and torch's
#
# Chapter 6's `MultiHead(C, h)` takes a mask that tells which words may be looked at (True: may). Here it comes ready-made from `lmkit`, and so does `from_torch`. `Layer` is your block with a mask. (Training often adds
# **drop-out** to each branch, as in lecture 002's code; ours has none.)


# %%
class Layer(Block):
    """One layer of an encoder: your pre-norm block, whose attention is told a mask."""

    def forward(self, x, mask=None):
        x = x + self.attention(self.attention_norm(x), mask)
        return x + self.feed_forward(self.feed_forward_norm(x))


def layer_of(C, h):
    return Layer(C, MultiHead(C, h), FeedForward(C))


# %% [markdown]
# An encoder is $N$ such layers, one after the other. Lecture 002 makes them by `copy.deepcopy`: they begin with equal numbers, but *share* none, so each learns for itself. One last norm follows, since in pre-norm nothing has
# normalised the stream itself.
#
# torch has such a layer, `nn.TransformerEncoderLayer` (`norm_first=True` for pre-norm). With the same weights it must give the same numbers. Only the names differ:

# %%
theirs = nn.TransformerEncoderLayer(8, 2, 32, 0.0, "gelu", norm_first=True)
for name, part in theirs.state_dict().items():
    print(f"{name:24} {list(part.shape)}")

# %% [markdown] statement="Encoder"
# - `clones(module, N)`: an `nn.ModuleList` of $N$ deep copies of `module` (none for $N = 0$). Nothing is shared, neither among them nor with `module`.
# - `Encoder(layer, N, C)`: keeps $N$ clones of `layer` as `layers` and an `nn.LayerNorm(C)` as `norm`. `forward(x, mask=None)`, $[B, T, C] \to [B, T, C]$: one layer after the other, each called as `layer(x, mask)`; then the norm, once.
# - `copied(state)`: from the state dict of torch's layer a dict with `Layer`'s names: `attention_norm`, `feed_forward_norm`, `attention.q`, `.k`, `.v`, `.out`, `feed_forward.up` and
#   `.down`, each with `.weight` and `.bias`. `from_torch` does it for attention alone: it wants the names of `nn.MultiheadAttention`.

# %% [markdown] hints="Encoder"
# 1. `copy.deepcopy` copies a module with all that is in it. And a list that torch does not know hides its modules.
# 2. Which of torch's two norms stands before attention? In the state dict they come by number.
# 3. For `copied`, `from_torch` gives you eight of sixteen entries, if what it gets has names without `self_attn.` in front; prefix what comes back. The others only change their names.


# %% task="Encoder" points=4 level=2 minutes=25
def clones(module, N):
    """nn.ModuleList of N copies that share nothing."""
    ### BEGIN SOLUTION
    return nn.ModuleList(copy.deepcopy(module) for _ in range(N))
    ### END SOLUTION


class Encoder(nn.Module):
    """N copies of a layer, one behind the other, and a last LayerNorm."""

    def __init__(self, layer, N, C):
        super().__init__()
        ### BEGIN SOLUTION
        self.layers = clones(layer, N)
        self.norm = nn.LayerNorm(C)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """[B, T, C] -> [B, T, C]; the mask is handed to every layer."""
        ### BEGIN SOLUTION
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)
        ### END SOLUTION


def copied(state):
    """The state dict of a `Layer` with the weights of torch's layer."""
    ### BEGIN SOLUTION
    front = "self_attn."
    attention = {k.removeprefix(front): w for k, w in state.items() if front in k}
    found = {f"attention.{name}": part for name, part in from_torch(attention).items()}
    names = {"norm1": "attention_norm", "norm2": "feed_forward_norm"}
    names |= {"linear1": "feed_forward.up", "linear2": "feed_forward.down"}
    for old, new in names.items():
        for end in ("weight", "bias"):
            found[f"{new}.{end}"] = state[f"{old}.{end}"]
    return found
    ### END SOLUTION


# %% test="Encoder" aspect="clones that share nothing" points=1
_module = torch_module("Linear", 3, 2)
_list = clones(_module, 3)
assert len(_list) == 3, f"N = 3: three copies wanted; yours: {len(_list)}."
assert len(dict(_list.state_dict())) == 6, (
    "An nn.ModuleList of 3 linear layers has 6 weights that torch can find; "
    f"yours: {sorted(dict(_list.state_dict()))}."
)
### BEGIN HIDDEN TESTS
for _N in (1, 4):
    _module = torch_module("BatchNorm1d", 5)  # weights, and numbers that do not learn
    _start = {
        "weight": torch.randn(5),
        "bias": torch.randn(5),
        "running_mean": torch.randn(5),
    }
    _module.load_state_dict(_start, strict=False)
    _list = clones(_module, _N)
    assert len(_list) == _N, f"N = {_N}: your list holds {len(_list)}."
    _all = [_module, *(_list[i] for i in range(_N))]
    for _one in _all:
        _state = dict(_one.state_dict())
        assert all(close(_state[_k], _v) for _k, _v in _start.items()), (
            "A copy begins with the numbers of the module."
        )
    for _place, _one in [*enumerate(_all)][::-1]:
        _one.load_state_dict({_k: torch.full((5,), 7.0) for _k in _start}, strict=False)
        _others = [dict(_o.state_dict()) for _i, _o in enumerate(_all) if _i != _place]
        for _state in _others:
            assert all(close(_state[_k], _start[_k]) for _k in _start), (
                "One of the copies, or the module, was changed, and another changed with it."
            )
        _one.load_state_dict(_start, strict=False)
assert len(clones(_module, 0)) == 0, "N = 0: an empty list."
assert hasattr(clones(_module, 0), "state_dict"), "N = 0: an nn.ModuleList, too."
### END HIDDEN TESTS

# %% test="Encoder" aspect="equal to torch's encoder" points=1
_sizes = [(2, 3, 8, 2, 2)]  # B, T, C, h, N
### BEGIN HIDDEN TESTS
_sizes = [
    (1, 4, 6, 3, 1),
    (3, 1, 4, 2, 3),
    (4, 5, 6, 1, 4),
    (2, 3, 5, 5, 0),
    (1, 1, 2, 1, 2),
]
### END HIDDEN TESTS
for _B, _T, _C, _h, _N in _sizes:
    _options = {"batch_first": True, "norm_first": _N != 4, "activation": "gelu"}
    _their = nn.TransformerEncoderLayer(_C, _h, 3 * _C, 0.0, **_options)
    _layer = torch_module("TransformerEncoderLayer", _C, _h, 3 * _C, 0.0, **_options)
    _torch = nn.TransformerEncoder(
        _their, _N, nn.LayerNorm(_C), enable_nested_tensor=False
    )
    _mine = Encoder(_layer, _N, _C)
    _shapes = {_k: tuple(_v.shape) for _k, _v in _torch.state_dict().items()}
    _got = {_k: tuple(np.shape(_v)) for _k, _v in dict(_mine.state_dict()).items()}
    assert _got == _shapes, (
        f"N = {_N}: weights {sorted(_shapes)} wanted; yours: {sorted(_got)}."
    )
    _s = {_k: torch.randn(_v) for _k, _v in _shapes.items()}
    _torch.load_state_dict(_s)
    _mine.load_state_dict(_s)
    _x = torch.randn(_B, _T, _C)
    _got, _wanted = _mine(_x.clone()), _x
    for _part in [*_torch.layers, _torch.norm]:
        _wanted = _part(_wanted)
    assert np.shape(_got) == (_B, _T, _C), (
        f"Shape {_B, _T, _C} wanted; yours: {np.shape(_got)}."
    )
    assert close(_got, _wanted, 1e-3, 1e-3), (
        f"N = {_N}: same weights, other result than nn.TransformerEncoder."
    )
### BEGIN HIDDEN TESTS
assert close(arguments_after(_mine, _x.clone())[0], _x), "x is changed by your Encoder."
_slopes, _mine = (
    None,
    Encoder(torch_module("TransformerEncoderLayer", 4, 2, 8, 0.0), 2, 4),
)
_slopes = parameter_gradients(_mine, torch.randn(2, 3, 4))
_bare = [_name for _name, _slope in dict(_slopes).items() if _slope is None]
assert len(_slopes) == 26 and not _bare, (
    f"Two layers and a norm have 26 weights that learn; yours: {len(_slopes)}, without gradient: {_bare}."
)
### END HIDDEN TESTS

# %% test="Encoder" aspect="every layer gets the mask" points=1
_N = 2
### BEGIN HIDDEN TESTS
_N = random.randint(3, 5)
### END HIDDEN TESTS
_layer = torch_module("TransformerEncoderLayer", 4, 2, 8, 0.0, batch_first=True)
_mine = Encoder(_layer, _N, 4)
_blind = ~torch.eye(5, dtype=torch.bool)  # in torch's layer True is "must not"
_x, _y = torch.randn(1, 5, 4), torch.randn(1, 5, 4)
_y[:, 2] = _x[:, 2]
_got, _other = _mine(_x, _blind), _mine(_y, _blind)
assert np.shape(_got) == (1, 5, 4), f"Shape (1, 5, 4) wanted; yours: {np.shape(_got)}."
assert close(_got[:, 2], _other[:, 2], 1e-4, 1e-5), (
    "By this mask each word sees only itself, yet a word changed with its neighbours: some layer did not get it."
)
### BEGIN HIDDEN TESTS
_open = torch.zeros(5, 5, dtype=torch.bool)
assert close(_mine(_x, _open), _mine(_x), 1e-4, 1e-4), (
    "A mask that forbids nothing should give what no mask gives."
)
assert not close(_mine(_x, _blind), _mine(_x), 1e-2, 1e-2), (
    "With this mask, which forbids nearly all, the result is that of no mask."
)
_after = arguments_after(_mine, _x.clone(), _blind.clone())
assert close(_after[1], _blind), "The mask is changed by your Encoder."
### END HIDDEN TESTS

# %% test="Encoder" aspect="torch's weights under our names" points=1
_sizes = [(4, 2)]
### BEGIN HIDDEN TESTS
_sizes = [(6, 3), (8, 1), (2, 2), (5, 1)]
### END HIDDEN TESTS
for _C, _h in _sizes:
    _their = nn.TransformerEncoderLayer(
        _C, _h, 4 * _C, 0.0, "gelu", batch_first=True, norm_first=True
    )
    _s = {_k: torch.randn(_v.shape) for _k, _v in _their.state_dict().items()}
    _their.load_state_dict(_s)
    _got = copied({_k: _v.clone() for _k, _v in _s.items()})
    _parts = ["attention_norm", "feed_forward_norm", "feed_forward.up"]
    _parts += [
        "feed_forward.down",
        *(f"attention.{_p}" for _p in ("q", "k", "v", "out")),
    ]
    _names = sorted(f"{_p}.{_kind}" for _p in _parts for _kind in ("weight", "bias"))
    assert hasattr(_got, "keys") and sorted(_got) == _names, (
        f"Sixteen names wanted: {_names}; yours: {_got.keys() if hasattr(_got, 'keys') else _got!r}."
    )
    _norms = [nn.LayerNorm(_C), nn.LayerNorm(_C)]
    _modules = dict(zip(("attention_norm", "feed_forward_norm"), _norms, strict=True))
    _modules |= {"attention": MultiHead(_C, _h), "feed_forward": FeedForward(_C)}
    for _name, _module in _modules.items():
        _own = {
            _k.removeprefix(f"{_name}."): _v
            for _k, _v in _got.items()
            if _k.startswith(f"{_name}.")
        }
        for _k, _v in _module.state_dict().items():
            assert np.shape(_own[_k]) == _v.shape, (
                f"{_name}.{_k}: shape {tuple(_v.shape)} wanted; yours: {np.shape(_own[_k])}."
            )
        _module.load_state_dict(_own)
    _x = torch.randn(2, 3, _C)
    _y = _x + _modules["attention"](_norms[0](_x))
    _y = _y + _modules["feed_forward"](_norms[1](_y))
    assert close(_y, _their(_x), 1e-3, 1e-3), (
        f"C = {_C}, h = {_h}: with these weights a Layer gives other numbers than torch's."
    )
### BEGIN HIDDEN TESTS
_after = dict(arguments_after(copied, {_k: _v.clone() for _k, _v in _s.items()})[0])
assert sorted(_after) == sorted(_s) and all(close(_after[_k], _s[_k]) for _k in _s), (
    "torch's state dict is changed by copied."
)
### END HIDDEN TESTS

# %%
C, h, N, T = 32, 4, 6, 10
set_seed(1)
theirs = nn.TransformerEncoderLayer(C, h, 4 * C, 0.0, "gelu", 1e-5, True, True)
stack = nn.TransformerEncoder(theirs, N, nn.LayerNorm(C), enable_nested_tensor=False)
ours = Encoder(layer_of(C, h), N, C)
for mine, other in zip(ours.layers, stack.layers, strict=True):
    mine.load_state_dict(copied(other.state_dict()))
x = torch.randn(2, T, C)
print("six layers, ours against torch's:", end=" ")
print("below 0.00001:", (ours(x) - stack(x)).abs().max().item() < 1e-5)


# %%
def spread_by_layer(seed, N=24, C=32):
    """Mean standard deviation of a word's numbers before layer 1, 2, ... and at the end."""
    set_seed(seed)
    layers, x = [layer_of(C, 4) for _ in range(N)], torch.randn(4, 10, C)
    stds = [x.std(-1, correction=0).mean().item()]
    for layer in layers:
        x = layer(x)
        stds.append(x.std(-1, correction=0).mean().item())
    return [*stds, nn.LayerNorm(C)(x).std(-1, correction=0).mean().item()]


with torch.no_grad():
    found = np.array([spread_by_layer(seed) for seed in (1, 2, 3)]).T
_, axes = plt.subplots(figsize=(6, 2.2))
dots(axes, range(25), found[:-1], plots.COLOURS[0], "stream")
axes.plot([25] * 3, found[-1], "s", color=plots.COLOURS[1], label="after the last norm")
axes.set(xlabel="layers passed", ylabel="standard deviation", ylim=(0, None))
axes.legend()
plt.show()

# %% [markdown]
# Fresh layers, three seeds: the stream grows, since each layer adds to it. The last norm hands on numbers of one size, whatever $N$.

# %% [markdown]
# ## 5. What a layer weighs
#
# A linear layer from $a$ to $b$ numbers has $ab$ weights and $b$ biases. Attention has four such maps from $C$ to $C$, the feed-forward layer two, through $4C$ numbers.
#
# **BERT-base** (2018) is an encoder with $V = 30{,}522$, $T = 512$, $C = 768$, $N = 12$.

# %% [markdown] statement="weights"
# - `layer_weights(C)`: a dict with the keys `"attention"`, `"feed_forward"`, `"norms"`: how many numbers a `Layer` learns in each, biases included;
# - `total(V, T, C, N)`: all numbers of an encoder with a table of words $[V, C]$, a table of positions $[T, C]$, $N$ layers and the last norm;
# - `guess_share`: which share of BERT-base's weights stands in the feed-forward layers? A number from 0 to 1, written down before you count; then `measured_share`: the same by your functions.

# %% [markdown] hints="weights"
# 1. Each layer has two norms. What does a norm learn, and how many numbers is that?
# 2. `sum(w.numel() for w in layer_of(8, 2).parameters())` tells whether your three numbers for $C = 8$ have the right sum.
# 3. The heads do not matter: they only cut $C$ into slices. Tables have no biases, and the last norm is that of the `Encoder`, one for all.


# %% task="weights" points=3 level=2 minutes=15
def layer_weights(C):
    """{"attention": ..., "feed_forward": ..., "norms": ...} for one layer of width C."""
    ### BEGIN SOLUTION
    return {
        "attention": 4 * (C * C + C),
        "feed_forward": 2 * 4 * C * C + 4 * C + C,
        "norms": 2 * 2 * C,
    }
    ### END SOLUTION


def total(V, T, C, N):
    """All numbers that an encoder with its two tables learns."""
    ### BEGIN SOLUTION
    return V * C + T * C + N * sum(layer_weights(C).values()) + 2 * C
    ### END SOLUTION


# guess_share = a number from 0 to 1
# measured_share = the share of the feed-forward layers in BERT-base
### BEGIN SOLUTION
guess_share = 0.6
measured_share = 12 * layer_weights(768)["feed_forward"] / total(30522, 512, 768, 12)
### END SOLUTION

# %% test="weights" aspect="the parts of a layer" points=1
_C = 4
_got = layer_weights(_C)
_keys = ["attention", "feed_forward", "norms"]
assert hasattr(_got, "keys") and sorted(_got) == _keys, (
    f"A dict with the keys {_keys} wanted; yours: {_got!r}."
)
assert sum(_got.values()) == 244, (
    f"A layer of width 4 learns 244 numbers; yours: {sum(_got.values())}."
)
### BEGIN HIDDEN TESTS
for _C in (1, 2, 6, 512, random.randint(20, 40)):
    _layer = nn.TransformerEncoderLayer(_C, 1, 4 * _C, device="meta")
    _wanted = dict.fromkeys(_keys, 0)
    for _name, _part in _layer.named_parameters():
        _kind = {"s": "attention", "l": "feed_forward", "n": "norms"}[_name[0]]
        _wanted[_kind] += _part.numel()
    _got = layer_weights(_C)
    for _key in _keys:
        assert is_number(_got[_key]) and _got[_key] == _wanted[_key], (
            f"C = {_C}: {_key} learns {_wanted[_key]:,} numbers; yours: {_got[_key]}."
        )
### END HIDDEN TESTS

# %% test="weights" aspect="the whole encoder" points=1
_got = total(5, 3, 4, 2)
assert is_number(_got), f"total returns a number; yours: {_got!r}."
assert _got == 528, (
    f"V, T, C, N = 5, 3, 4, 2: two tables, two layers, a norm: 528; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _V, _T, _C, _N in (
    (30522, 512, 768, 12),
    (7, 11, 6, 0),
    (1, 1, 1, 1),
    (random.randint(50, 90), random.randint(10, 40), 8, random.randint(2, 9)),
):
    _layer = nn.TransformerEncoderLayer(_C, 1, 4 * _C, device="meta")
    _wanted = _N * sum(_part.numel() for _part in _layer.parameters())
    _wanted += _V * _C + _T * _C + 2 * _C
    _got = total(_V, _T, _C, _N)
    assert is_number(_got) and _got == _wanted, (
        f"V, T, C, N = {_V, _T, _C, _N}: {_wanted:,} wanted; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="weights" aspect="the share that was guessed" points=1
for _name, _value in (
    ("guess_share", guess_share),
    ("measured_share", measured_share),
):
    assert is_number(_value) and 0 <= _value <= 1, (
        f"{_name} is a number from 0 to 1; yours: {_value!r}."
    )
### BEGIN HIDDEN TESTS
assert abs(measured_share - 56_669_184 / 108_890_112) < 5e-5, (
    f"The feed-forward layers do not hold a share of {measured_share:.4f} of BERT-base."
)
### END HIDDEN TESTS

# %%
MODELS = {  # V, T, C, N
    "tiny": (30522, 512, 128, 2),
    "mini": (30522, 512, 256, 4),
    "medium": (30522, 512, 512, 8),
    "base": (30522, 512, 768, 12),
    "large": (30522, 512, 1024, 24),
}
rows = {}
for name, (V, T, C, N) in MODELS.items():
    parts = {key: N * count for key, count in layer_weights(C).items()}
    rows[name] = {"two tables": V * C + T * C, **parts}
    rough = 12 * N * C * C + V * C
    everything = total(V, T, C, N)
    print(f"{name:7} {everything:12,} weights; 12 N C² + V C: {rough / everything:.3f}")
shares = pd.DataFrame(rows).T
shares = 100 * shares.div(shares.sum(axis=1), axis=0)

# %%
_, axes = plt.subplots(figsize=(6, 2.3))
left = np.zeros(len(shares))
for name in shares:
    axes.barh(shares.index, shares[name], left=left, label=name)
    left += shares[name]
axes.invert_yaxis()
axes.set(xlabel="share of the weights (%)", ylabel="BERT")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Biases and norms hardly count: a layer weighs about $12 C^2$, of which $8 C^2$ stand in the feed-forward layer and $4 C^2$ in attention (for $C = 512$, 2,097,152 and 1,048,576). The whole model weighs about $12 N C^2 + V C$,
# within one per cent for BERT-base, while the tables are most of the tiny one.

# %% [markdown]
# ## 6. Neighbours in the batch
#
# In a batch short texts are filled up with **padding**, yet the answer to a text must not depend on the others. Words meet only in attention, so one mask suffices, but in
# *every* layer: $[B, 1, 1, T]$, True at words. It holds for all heads and all rows, and so fits the scores $[B, h, T, T]$.
#
# Attention does not see order (chapter 6). So lecture 000 adds a vector for each place "before the very first attention layer". The stream carries it to all the others.

# %% [markdown] statement="encode_batch"
# - `pad(texts, filler)` takes a list of $B$ lists of word numbers and returns `(ids, lengths)`, whole-number tensors $[B, T]$ and $[B]$. $T$ is the greatest length; the number `filler` stands behind the words of shorter texts. Texts may
#   be empty; no text at all gives the shapes $[0, 0]$ and $[0]$.
# - `encode_batch(encoder, table, positions, ids, lengths)`, $[B, T, C]$: looks words up in `table` $[V, C]$, adds the first $T$ rows of `positions` (which may have more), once; then calls
#   `encoder(x, mask)` with the mask above. What the encoder answers at words stays as it is; padded places become zeros, whatever it answers there, even `nan`.

# %% [markdown] hints="encode_batch"
# 1. Which rows of `positions` belong to a text that is shorter than the table of positions?
# 2. A comparison of `torch.arange(T)` with the lengths gives $[B, T]$ (chapter 6's `padding_mask`). Two axes of size 1 make it fit the scores.
# 3. `nan` times 0 is `nan`: do not multiply, replace. And `max` of no texts is an error unless it is told what to answer then.


# %% task="encode_batch" points=4 level=2 minutes=20
def pad(texts, filler):
    """(ids [B, T], lengths [B]) of a list of lists of word numbers."""
    ### BEGIN SOLUTION
    lengths = torch.tensor([len(text) for text in texts], dtype=torch.long)
    T = max(map(len, texts), default=0)
    ids = torch.full((len(texts), T), filler)
    for row, text in zip(ids, texts, strict=True):
        row[: len(text)] = torch.tensor(text)
    return ids, lengths
    ### END SOLUTION


def encode_batch(encoder, table, positions, ids, lengths):
    """[B, T, C]: the encoder's answer at words, zeros at padding."""
    ### BEGIN SOLUTION
    T = ids.shape[1]
    real = torch.arange(T, device=ids.device) < lengths[:, None]
    y = encoder(table[ids] + positions[:T], real[:, None, None])
    return y.masked_fill(~real[..., None], 0)
    ### END SOLUTION


# %% test="encode_batch" aspect="filled up to the longest" points=1
_got = pad([[5, 6], [7], [8, 9, 3]], 0)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return the pair (ids, lengths); yours: {_got!r}."
)
assert close(_got[0], [[5, 6, 0], [7, 0, 0], [8, 9, 3]]), (
    f"Fillers stand behind the words; yours: {_got[0]!r}."
)
assert close(_got[1], [2, 1, 3]), f"Lengths 2, 1, 3 wanted; yours: {_got[1]!r}."
### BEGIN HIDDEN TESTS
for _texts, _filler in (
    ([[4]], 9),
    ([[], [3, 0, 2, 2]], 7),
    ([[], []], 1),
    ([], 5),
    ([random.choices(range(9), k=random.randint(1, 8)) for _ in range(5)], 8),
    ([[0, 3, 3], [3]], 3),
):
    _got = pad([list(_text) for _text in _texts], _filler)
    _T = max([0, *map(len, _texts)])
    for _part, _shape in zip(_got, ((len(_texts), _T), (len(_texts),)), strict=True):
        assert torch.is_tensor(_part) and not _part.is_floating_point(), (
            f"{_texts}: tensors of whole numbers wanted; yours: {_part!r}."
        )
        assert tuple(_part.shape) == _shape, (
            f"{_texts}: shape {_shape} wanted; yours: {tuple(_part.shape)}."
        )
    _wanted = [[*_text, *[_filler] * (_T - len(_text))] for _text in _texts]
    assert _got[0].tolist() == _wanted, (
        f"{_texts}, filler {_filler}: {_wanted} wanted; yours: {_got[0].tolist()}."
    )
    assert _got[1].tolist() == [len(_text) for _text in _texts], (
        f"{_texts}: the lengths are not {_got[1].tolist()}."
    )
_after = arguments_after(pad, [[1], [2, 3]], 0)[0]
assert [list(_text) for _text in _after] == [[1], [2, 3]], "pad changed the texts."
### END HIDDEN TESTS

# %% test="encode_batch" aspect="words and places, once" points=1
_table, _positions = torch.randn(7, 3), torch.randn(5, 3)
_ids, _lengths = torch.tensor([[1, 2, 3], [4, 4, 6]]), torch.tensor([3, 3])
### BEGIN HIDDEN TESTS
_B, _T = random.randint(3, 5), random.randint(6, 8)
_table, _positions = torch.randn(9, 4), torch.randn(_T + random.randint(1, 3), 4)
_ids = (torch.randperm(_B * _T) % 9).reshape(_B, _T)  # each word somewhere
_lengths = torch.full((_B,), _T)
### END HIDDEN TESTS
_seen = []
_got = encode_batch(
    lambda x, mask: (_seen.append(x), 2 * x)[1],
    _table.clone(),
    _positions.clone(),
    _ids.clone(),
    _lengths.clone(),
)
_wanted = torch.stack(
    [
        torch.stack([_table[i] + _positions[t] for t, i in enumerate(row)])
        for row in _ids
    ]
)
assert len(_seen) == 1, f"The encoder is to be called once, not {len(_seen)} times."
assert close(_seen[0], _wanted, 1e-5, 1e-5), (
    "The encoder is to get the vector of each word plus the vector of its place; "
    f"it got the shape {np.shape(_seen[0])} and other numbers."
)
assert close(_got, 2 * _wanted, 1e-5, 1e-5), (
    "An encoder that doubles, and no padding: the doubled vectors wanted, nothing added."
)
### BEGIN HIDDEN TESTS
_args = (_table.clone(), _positions.clone(), _ids.clone(), _lengths.clone())
_after = arguments_after(encode_batch, lambda x, mask: x, *_args)[1:]
assert all(
    close(_a, _b)
    for _a, _b in zip(_after, (_table, _positions, _ids, _lengths), strict=True)
), "An argument is changed by your encode_batch."
### END HIDDEN TESTS

# %% test="encode_batch" aspect="alone or among longer texts" points=1
_texts, _C = [[1, 2], [3, 4, 5, 6], [2]], 4
### BEGIN HIDDEN TESTS
_C = random.choice([2, 6])
_texts = [random.choices(range(1, 7), k=n) for n in (3, 1, 5)]
_texts.insert(1, [*random.sample(range(1, 7), 6), 3])  # each word somewhere
### END HIDDEN TESTS
_table, _positions, _mixer = (
    torch.randn(8, _C),
    torch.randn(9, _C),
    torch.randn(_C, _C) / (4 * _C),
)


def _encoder(x, mask):
    """One head of attention with its residual, twice, and the mask as the text says."""
    assert torch.is_tensor(mask) and mask.dtype == torch.bool, (
        f"The mask is a tensor of bools; yours: {mask!r}."
    )
    assert tuple(mask.shape) == (len(x), 1, 1, x.shape[1]), (
        f"The mask has the shape [B, 1, 1, T], here {len(x), 1, 1, x.shape[1]}; yours: {tuple(mask.shape)}."
    )
    for _ in range(2):
        scores = (x @ _mixer @ x.mT).masked_fill(~mask[:, 0], -math.inf)
        x = x + scores.softmax(-1) @ x
    return x


_longest = max(map(len, _texts))
_ids = torch.tensor([[*_text, *[7] * (_longest - len(_text))] for _text in _texts])
_lengths = torch.tensor([len(_text) for _text in _texts])
_got = encode_batch(_encoder, _table, _positions, _ids, _lengths)
assert np.shape(_got) == (len(_texts), _longest, _C), (
    f"Shape {len(_texts), _longest, _C} wanted; yours: {np.shape(_got)}."
)
for _row, _text in zip(_got, _texts, strict=True):
    _x = (_table[_text] + _positions[: len(_text)])[None]
    _alone = _encoder(_x, torch.ones(1, 1, 1, len(_text), dtype=torch.bool))[0]
    assert close(_row[: len(_text)], _alone, 1e-3, 1e-3), (
        f"The text {_text} among others of up to {_longest} words: not what it gets alone."
    )
### BEGIN HIDDEN TESTS
_table[7] = 50  # whatever the filler's vector is
_again = encode_batch(_encoder, _table, _positions, _ids, _lengths)
assert close(_again, _got, 1e-3, 1e-3), (
    "The vector of the filler was changed, and with it the answers."
)
_one = encode_batch(_encoder, _table, _positions, _ids[2:3, :1], _lengths[2:3])
assert close(_one[0], _got[2, :1], 1e-3, 1e-3), (
    "One text of one word: not as in a batch."
)
_turned = _texts[1][::-1]
if _turned != _texts[1]:
    _ids[1] = torch.tensor([*_turned, *[7] * (_longest - len(_turned))])
    _x = (_table[_turned] + _positions[: len(_turned)])[None]
    _alone = _encoder(_x, torch.ones(1, 1, 1, len(_turned), dtype=torch.bool))[0]
    _got = encode_batch(_encoder, _table, _positions, _ids, _lengths)
    assert close(_got[1, : len(_turned)], _alone, 1e-3, 1e-3), (
        "The words of a text in another order: not what it gets alone."
    )
### END HIDDEN TESTS

# %% test="encode_batch" aspect="zeros at padding" points=1
_table, _positions = torch.randn(6, 3), torch.randn(4, 3)
_ids, _lengths = torch.tensor([[1, 2, 3], [4, 0, 0]]), torch.tensor([3, 1])
_got = encode_batch(lambda x, mask: x + 1, _table, _positions, _ids, _lengths)
assert np.shape(_got) == (2, 3, 3), f"Shape (2, 3, 3) wanted; yours: {np.shape(_got)}."
assert close(_got[1, 1:], torch.zeros(2, 3)), (
    f"The second text has one word: zeros behind it; yours: {_got[1, 1:]}."
)
### BEGIN HIDDEN TESTS
for _n in ([0, 4, 2], [4, 4], [1, 0], [0]):
    _ids, _lengths = torch.randint(6, (len(_n), 4)), torch.tensor(_n)
    _ids[_lengths > 0, 0] = 2
    _x = _table[_ids] + _positions
    for _wrong in (math.nan, math.inf):

        def _spoilt(x, mask, wrong=_wrong):
            return (x + 1).masked_fill(~mask[:, 0, 0, :, None], wrong)

        _got = encode_batch(_spoilt, _table, _positions, _ids, _lengths)
        for _b, _length in enumerate(_n):
            assert close(_got[_b, :_length], _x[_b, :_length] + 1, 1e-5, 1e-5), (
                f"Lengths {_n}: text {_b} should keep the encoder's answer at its words."
            )
            assert close(_got[_b, _length:], torch.zeros(4 - _length, 3)), (
                f"Lengths {_n}, the encoder answers {_wrong} at padding: zeros wanted there; "
                f"yours: {_got[_b, _length:]}."
            )
_ids, _lengths = torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1])
for _wrong in (math.inf, math.nan):
    _got = encode_batch(
        lambda x, mask, wrong=_wrong: x * 0 + wrong, _table, _positions, _ids, _lengths
    )
    _found = [repr(float(_value)) for _value in np.asarray(_got)[..., 0].flat]
    assert _found == [repr(_wrong)] * 3 + ["0.0"], (
        f"The encoder answers {_wrong} everywhere: that stays at words, 0 at padding; "
        f"yours: {_found}."
    )
_none = encode_batch(
    lambda x, mask: x,
    _table,
    _positions,
    torch.zeros(0, 0, dtype=torch.long),
    torch.zeros(0, dtype=torch.long),
)
assert np.shape(_none) == (0, 0, 3), (
    f"No text at all: shape (0, 0, 3) wanted; yours: {np.shape(_none)}."
)
### END HIDDEN TESTS


# %%
def moved(seed, neighbour, is_masked, C=32):
    """By how much a text's vectors move, relative to their size, beside a longer text."""
    set_seed(seed)
    encoder, table = Encoder(layer_of(C, 4), 2, C), torch.randn(10, C)
    positions, text = torch.randn(40, C), [1, 2, 3, 4, 5]
    ids, lengths = pad([text, [6] * neighbour], 0)
    if not is_masked:
        lengths = torch.full((2,), ids.shape[1])
    alone = encode_batch(encoder, table, positions, *pad([text], 0))[0]
    beside = encode_batch(encoder, table, positions, ids, lengths)[0, :5]
    return ((beside - alone).norm() / alone.norm()).item()


# %%
neighbours = (5, 6, 8, 12, 20, 40)
_, axes = plt.subplots(figsize=(5, 2.2))
for colour, is_masked in zip(plots.COLOURS, (False, True), strict=False):
    with torch.no_grad():
        rows = [[moved(s, n, is_masked) for s in (1, 2, 3)] for n in neighbours]
    dots(axes, neighbours, rows, colour, "mask" if is_masked else "no mask")
axes.set(xlabel="words of the neighbour", ylabel="change (relative)")
axes.legend()
plt.show()

# %% [markdown]
# A text of five words beside a longer one, three fresh encoders: without a mask its vectors move with every filler.
#
# Where should positions be added? Recorded: two-layer encoders that fill in blanks (section 10), three seeds each:

# %%
places = pd.read_csv(paths.DATA / "encoder" / "positions.csv")
table = places.pivot(index="positions", columns="seed", values="nats")
table["mean"] = table.mean(axis=1)
print("loss in nats for each hidden word")
print(table.sort_values("mean").round(3).to_string())

# %% [markdown]
# Once, before layer 1, and before every layer cannot be told apart with three seeds, so we take the simpler one. After the last layer is too late: attention has already mixed words without their order.

# %% [markdown]
# ## 7. Who may look where
#
# *GPT* reads `[START] The cat` and writes on; *BERT* reads
# `The cat [MASK] on [MASK] mat` and fills in (lecture 003). Their blocks are the same; what differs is one matrix, the **mask**: True in
# row $i$, column $j$ if place $i$ may look at place $j$. In between stands the **prefix** model, which reads the first $p$
# places, say a question, both ways and then writes from left to right.
#
# A mask describes *one* layer. Let each word look at itself and one neighbour on either side:

# %%
drawings.reach()

# %% [markdown] statement="attention_masks"
# In the drawing seven words reach the output, though none looked further than one place: a
# stack's dependencies are another matrix than its mask. Write
#
# - `gpt(T)`, `bert(T)`, `prefix(T, p)`: the three masks, bool tensors $[T, T]$, for a text of $T$ places and
#   $0 \le p \le T$. Every word may look at itself; what is written may look at the whole prefix.
# - `layers_reach(mask, N)`: bool $[T, T]$: can a change of word $j$ move output $i$ of $N$ layers that all have this mask
#   (a bool tensor, any)? Each layer *adds* to what a place already holds, so no word loses itself, even where the mask
#   forbids a place to look at itself. $N$ may be 0, or a thousand.

# %% [markdown] hints="attention_masks"
# 1. Draw the prefix mask for $T = 4$, $p = 2$. Which rows of it are GPT's, which columns are BERT's?
# 2. Output $i$ of layer 2 hears $j$ if it looks at some $k$ that heard $j$ in layer 1. "Some $k$ such that both" is what a
#    product of matrices adds up.
# 3. Start with "each hears itself", and do one layer after the other. Large powers overflow: make it bool again after
#    each.


# %% task="attention_masks" points=4 level=2 minutes=20
def gpt(T):
    """bool [T, T]: row i may look at column j."""
    ### BEGIN SOLUTION
    return prefix(T, 0)
    ### END SOLUTION


def bert(T):
    """bool [T, T]: row i may look at column j."""
    ### BEGIN SOLUTION
    return prefix(T, T)
    ### END SOLUTION


def prefix(T, p):
    """bool [T, T]: the first p places are read both ways, the others from left to right."""
    ### BEGIN SOLUTION
    place = torch.arange(T)
    return (place <= place[:, None]) | (place < p)
    ### END SOLUTION


def layers_reach(mask, N):
    """bool [T, T]: does output i of N layers with this mask depend on word j?"""
    ### BEGIN SOLUTION
    itself = torch.eye(len(mask))
    look, reach = mask + itself, itself
    for _ in range(N):
        reach = (look @ reach > 0).float()
    return reach > 0
    ### END SOLUTION


# %% test="attention_masks" aspect="GPT and BERT" points=1
_T = 3
### BEGIN HIDDEN TESTS
for _T in (1, 2, 5, random.randint(6, 20)):
    for _name, _got, _wanted in (
        ("gpt", gpt(_T), [[j <= i for j in range(_T)] for i in range(_T)]),
        ("bert", bert(_T), [[True] * _T] * _T),
    ):
        assert close(_got, _wanted), f"{_name}({_T}) is not {_got!r}."
        assert np.asarray(_got).dtype == bool, f"{_name}: bools wanted, not {_got!r}."
_T = 4
### END HIDDEN TESTS
_got = gpt(_T)
assert np.shape(_got) == (_T, _T), f"gpt({_T}): shape [{_T}, {_T}]; yours: {_got!r}."
assert np.asarray(_got).dtype == bool, f"gpt returns bools; yours: {_got!r}."
assert np.asarray(_got)[1, 0] and not np.asarray(_got)[0, 1], (
    f"Row 1 may look at place 0, row 0 not at place 1; yours: {_got!r}."
)
assert np.shape(bert(_T)) == (_T, _T) and np.asarray(bert(_T)).all(), (
    f"BERT: every word may look at every word; yours: {bert(_T)!r}."
)

# %% test="attention_masks" aspect="the prefix" points=1
_cases = [(4, 2, [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]])]
### BEGIN HIDDEN TESTS
for _T, _p in ((1, 0), (1, 1), (5, 0), (5, 1), (5, 4), (5, 5), (9, 3), (8, 6)):
    _see = [[j <= i or (i < _p and j < _p) for j in range(_T)] for i in range(_T)]
    _cases.append((_T, _p, _see))
### END HIDDEN TESTS
for _T, _p, _see in _cases:
    _got = prefix(_T, _p)
    assert close(_got, np.array(_see) > 0), (
        f"T = {_T}, p = {_p}: the prefix sees itself both ways, all others look left; "
        f"yours: {_got!r}."
    )
    assert np.asarray(_got).dtype == bool, f"prefix returns bools; yours: {_got!r}."

# %% test="attention_masks" aspect="reach after N layers" points=1
_cases = [(torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 1]]) > 0, 2)]
### BEGIN HIDDEN TESTS
for _T in (1, 2, 5, 9):
    for _N in (1, 2, 3):
        _mask = torch.rand(_T, _T) < 1.5 / _T
        _cases.append((_mask | torch.eye(_T, dtype=torch.bool), _N))
_chain = torch.eye(6, dtype=torch.bool) | torch.eye(6).roll(1, 1).bool()
_cases += [(_chain, _N) for _N in (0, 1, 4, 5)]
### END HIDDEN TESTS
for _mask, _N in _cases:
    _heard = [{i} for i in range(len(_mask))]
    for _ in range(_N):
        _heard = [
            set().union({i}, *(_heard[k] for k in np.flatnonzero(_row)))
            for i, _row in enumerate(_mask.numpy())
        ]
    _wanted = [[j in _row for j in range(len(_mask))] for _row in _heard]
    _got = layers_reach(_mask.clone(), _N)
    assert close(_got, _wanted), (
        f"N = {_N}, mask {_mask.int().tolist()}: wrong reach {_got!r}."
    )
    assert np.asarray(_got).dtype == bool, f"Bools wanted; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_left = arguments_after(layers_reach, torch.zeros(3, 3) > 0, 2)[0]
assert close(_left, np.zeros((3, 3)) > 0), (
    "layers_reach changes the mask that it is given."
)
### END HIDDEN TESTS

# %% test="attention_masks" aspect="nobody loses himself" points=1
_mask = torch.tensor([[0, 1], [0, 0]]) > 0
_got = layers_reach(_mask, 2)
assert np.shape(_got) == (2, 2), f"Shape [2, 2] wanted; yours: {_got!r}."
assert close(_got, [[True, True], [False, True]]), (
    f"Place 0 looks at 1 only, place 1 at nothing; each keeps itself. Yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _T in (1, 3, 6):
    _got = layers_reach(torch.ones(_T, _T) > 0, 0)
    assert close(_got, np.eye(_T, dtype=bool)), (
        f"No layer (N = 0): each word has only itself; yours: {_got!r}."
    )
_ring = torch.eye(5).roll(1, 1).bool()  # each looks only at the next
for _N in (1, 2, 3):
    _wanted = sum(torch.eye(5).roll(o, 1) for o in range(_N + 1)) > 0
    assert close(layers_reach(_ring.clone(), _N), _wanted), (
        f"Each looks only at the next: after {_N} layers it has heard {_N + 1} words."
    )
for _T, _N in ((2, 65), (4, 64), (40, 1000), (256, 2)):
    _all, _half = torch.ones(_T, _T), torch.ones(_T // 2, _T // 2)
    for _mask in (_all > 0, _all.tril() > 0, torch.block_diag(_half, _half) > 0):
        assert close(layers_reach(_mask.clone(), _N), _mask), (
            f"T = {_T}, N = {_N}: full masks, triangles and two groups reach what they show. "
            "Do your numbers grow too large?"
        )
### END HIDDEN TESTS

# %%
drawings.masks({"GPT": gpt(6), "prefix, p = 3": prefix(6, 3), "BERT": bert(6)})

# %%
place = torch.arange(9)
neighbours = (place - place[:, None]).abs() <= 1
shapes = {"GPT": gpt(9), "prefix": prefix(9, 3), "BERT": bert(9), "window": neighbours}
for name, mask in shapes.items():
    sizes = [int(layers_reach(mask, N).sum()) for N in (1, 2, 3, 8)]
    print(f"{name:7} pairs after 1, 2, 3, 8 layers: {sizes}")

# %% [markdown]
# GPT's, BERT's and the prefix mask are *closed*: more layers add no pair, so a causal mask stays causal in any
# stack. A window widens by one place on either side with each layer.

# %% [markdown]
# ## 8. Why this is no language model
#
# A causal language model multiplies $P(w_1)\,P(w_2 \mid w_1) \cdots P(w_T \mid w_1 \ldots w_{T-1})$. By the chain rule that
# is the probability of the text, if no factor has seen its own word or a later one. For the kitchen text it is known that no such
# model can have a mean loss below 1.58 nats, the **floor** (section 15).
#
# The mask is what we *wanted*. What a network really does must be measured: chapter 6's `influence` (ready-made here) changes one word at a time
# and notes which outputs move.

# %%
torch.manual_seed(1)
stack = [nn.TransformerEncoderLayer(8, 2, 16, 0.0, norm_first=True) for _ in range(3)]


# %%
def outputs(mask):
    """The three layers with this mask, a function from [T, C] to [T, C]."""

    def run(X):
        for layer in stack:
            X = layer.double()(X, src_mask=~mask)  # torch asks who may NOT look
        return X

    return run


# %%
figure, axes = plt.subplots(2, 4, figsize=(8, 4.3), sharex=True, sharey=True)
figure.suptitle("Three layers look further than their mask only with a window")
for (name, mask), (above, below) in zip(shapes.items(), axes.T, strict=True):
    above.imshow(mask, cmap="Blues", vmin=0, vmax=1)
    heard = influence(outputs(mask), torch.randn(9, 8).double())
    below.imshow(heard, cmap="Oranges", vmin=0, vmax=1)
    above.set_title(name)
    below.set_xlabel("word changed")
axes[0, 0].set_ylabel("mask: looks")
axes[1, 0].set_ylabel("output that moves")
for axis in axes.flat:
    axis.grid(False)
    axis.set(xticks=[0, 4, 8], yticks=[0, 4, 8])
plt.show()

# %% [markdown]
# The upper row shows the masks, the lower row what three random layers depend on. For the window the two differ, and the lower one counts.

# %% [markdown] statement="dependency"
# Output $i$ guesses the word `ahead` places further on: `ahead=1` is the next word, `ahead=0` the word at its own place. $D$
# is bool $[T, T]$: does output $i$ depend on word $j$? (No triangle is promised.) Write
#
# - `causal(D, ahead)`: True if no output depends on the word it guesses or on any word after that;
# - `copier_loss(D, ahead, honest)`: the mean loss of the $T$ outputs if each that depends on *the very word it
#   guesses* copies it, at a loss of 0, and every other output $i$ has its honest loss, `honest[i]`. What an output guesses
#   beyond the end of the text it cannot see.
#
# Predict: a full $D$, $T = 8$, the floor at each place: which loss for `ahead=1`?

# %% [markdown] hints="dependency"
# 1. Draw $D$ for $T = 4$ and mark in each row the column of the guessed word. On which side of the mark must all be
#    False?
# 2. The two functions ask different things: one about a whole corner of $D$, the other about a single diagonal.
# 3. Which outputs have no guessed word inside the text? They cannot copy. And the mean is over all $T$ outputs, honest
#    or not.


# %% task="dependency" points=3 level=2 minutes=15
def causal(D, ahead):
    """May these outputs be multiplied by the chain rule? True or False."""
    ### BEGIN SOLUTION
    return not torch.as_tensor(D).bool().triu(ahead).any()
    ### END SOLUTION


def copier_loss(D, ahead, honest):
    """The mean of T losses: 0 where an output sees the word it guesses, else honest[i]."""
    ### BEGIN SOLUTION
    T = len(D)
    losses = [
        0.0 if i + ahead < T and D[i][i + ahead] else float(honest[i]) for i in range(T)
    ]
    return sum(losses) / T
    ### END SOLUTION


# %% test="dependency" aspect="what the chain rule allows" points=1
_cases = [(torch.ones(3, 3) > 0, 1, False), (torch.ones(3, 3).tril() > 0, 1, True)]
### BEGIN HIDDEN TESTS
for _T in (2, 5, 8):
    _tri = torch.ones(_T, _T).tril() > 0
    _strict = torch.ones(_T, _T).tril(-1) > 0
    _cases += [(_tri, 0, False), (_strict, 0, True), (_strict, 1, True)]
    _cases += [(_tri.T, 1, False), (_tri.T, 0, False), (_tri, 2, True)]
    _cases += [(torch.ones(_T, _T).tril(1) > 0, 2, True)]
    _cases += [(torch.ones(_T, _T).tril(1) > 0, 1, False)]
    _corner = _tri.clone()
    _corner[0, -1] = True
    _cases += [(_corner, 1, False), (torch.eye(_T) > 0, 0, False)]
_corner = torch.zeros(6, 6) > 0
_corner[1, 5] = True
_cases += [(_corner, _a, _a > 4) for _a in (0, 1, 2, 3, 4, 5, 9)]
_cases += [(torch.ones(1, 1) > 0, 1, True), (torch.ones(1, 1) > 0, 0, False)]
### END HIDDEN TESTS
for _D, _ahead, _wanted in _cases:
    _got = causal(_D.clone(), _ahead)
    assert is_number(_got), f"causal returns True or False; yours: {_got!r}."
    assert bool(_got) == _wanted, (
        f"D = {_D.int().tolist()}, ahead = {_ahead}: causal is {_wanted}; yours: {_got!r}."
    )

# %% test="dependency" aspect="who copies" points=1
_cases = [(torch.tensor([[1, 1], [0, 1]]) > 0, 1, [3.0, 5.0], 2.5)]
### BEGIN HIDDEN TESTS
for _T, _ahead in ((1, 1), (1, 0), (4, 0), (5, 1), (6, 2), (3, 3), (7, 1), (4, 9)):
    _D = torch.rand(_T, _T) < 0.5
    _D[-1, 0], _honest = True, (torch.rand(_T) + 1).double()
    _sees = [i + _ahead < _T and bool(_D[i, i + _ahead]) for i in range(_T)]
    _wanted = sum(0 if _s else float(x) for _s, x in zip(_sees, _honest, strict=True))
    _cases.append((_D, _ahead, _honest, _wanted / _T))
_corner = torch.ones(5, 5).tril() > 0
_corner[0, 3:] = True  # sees later words, but not the one it guesses
_cases.append((_corner, 1, torch.arange(1.0, 6), 3.0))
### END HIDDEN TESTS
for _D, _ahead, _honest, _wanted in _cases:
    _got = copier_loss(_D.clone(), _ahead, _honest)
    assert is_number(_got), f"copier_loss returns a number; yours: {_got!r}."
    assert close(float(_got), _wanted, 1e-5), (
        f"D = {_D.int().tolist()}, ahead = {_ahead}, honest {list(_honest)}: "
        f"{_wanted:.4f} wanted; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
for _honest in ([2.0, 3.0, 4.0], torch.tensor([2.0, 3.0, 4.0])):
    _D = torch.ones(3, 3) > 0
    _left = arguments_after(copier_loss, _D.clone(), 1, _honest)
    assert close(_left[0], _D) and close(_left[2], [2.0, 3.0, 4.0]), (
        f"D or the honest losses are changed: {_left[2]}."
    )
### END HIDDEN TESTS

# %% test="dependency" aspect="full and triangular" points=1
_T = 4
### BEGIN HIDDEN TESTS
_T = random.randint(5, 12)
### END HIDDEN TESTS
_full, _tri = torch.ones(_T, _T) > 0, torch.ones(_T, _T).tril() > 0
for _D, _ahead, _wanted in (
    (_full, 0, 0),
    (_full, 1, 2 / _T),
    (_tri, 1, 2),
    (_tri, 0, 0),
):
    _got = copier_loss(_D.clone(), _ahead, [2.0] * _T)
    assert is_number(_got), f"copier_loss returns a number; yours: {_got!r}."
    assert close(float(_got), _wanted), (
        f"T = {_T}, {'full' if _D.all() else 'triangular'} D, ahead = {_ahead}, "
        f"2 nats each: {_wanted:.4f} wanted; yours: {_got}."
    )

# %%
for name, mask in shapes.items():
    D = layers_reach(mask, 3)[:8, :8]
    loss = copier_loss(D, 1, [1.58] * 8)
    print(
        f"{name:7} next word, causal: {causal(D, 1)!s:5}  a copier's loss: {loss:.2f}"
    )

# %% [markdown]
# With a full mask only the last output must guess. The loss is 0.20 nats, an eighth of the floor, by mere
# copying: a loss below the floor means a leak. So a model that sees both sides cannot be trained on "what comes next", because
# the answer is in its input. We must take the answer out (section 10).

# %% [markdown]
# ## 9. Heads: a tag for each word, a class for the text
#
# The encoder gives $X$, shape $[B, T, C]$: a vector for each place of each text. To tag words, a linear layer scores
# each vector on its own. To sort whole texts, first make one vector of a text: its mean over the places, or for each of the
# $C$ numbers the largest.

# %%
drawings.encoder_heads()

# %% [markdown] statement="heads"
# Write
#
# - `tag_head(X, W, b)`: scores $[B, T, K]$, with $W$ $[C, K]$ and $b$ $[K]$, for all places;
# - `class_head(X, lengths, W, b, how)`: scores $[B, K]$ from the mean (`how="mean"`) or the maximum (`how="max"`) of the
#   first `lengths[i]` places of text $i$; `lengths` is a tensor of $B$ whole numbers from 1 to $T$. Any other `how` is a
#   `ValueError`.
#
# Scores are **logits**: no softmax. Padding never counts, whatever stands there: NaN and infinities, too. The
# gradient there is 0.

# %% [markdown] hints="heads"
# 1. Let a text of one word have the vector (-2, -3), followed by a row of zeros. Which mean, which maximum?
# 2. Compare the places $0 \ldots T-1$ with the lengths: a bool $[B, T]$. Before mean and maximum, other numbers have to
#    stand in the padding.
# 3. A number that no mean changes is 0, one that no maximum changes is $-\infty$. *Replace*, do not multiply: 0 times NaN
#    is NaN. And by how many do you divide?


# %% task="heads" points=4 level=2 minutes=18
def tag_head(X, W, b):
    """Scores [B, T, K] from X [B, T, C]."""
    ### BEGIN SOLUTION
    return X @ W + b
    ### END SOLUTION


def class_head(X, lengths, W, b, how):
    """Scores [B, K] from the mean or the maximum of each text's own places."""
    ### BEGIN SOLUTION
    padding = (torch.arange(X.shape[1]) >= lengths[:, None])[:, :, None]
    if how == "mean":
        pooled = X.masked_fill(padding, 0).sum(1) / lengths[:, None]
    elif how == "max":
        pooled = X.masked_fill(padding, -math.inf).amax(1)
    else:
        raise ValueError(f"how is mean or max, not {how!r}")
    return pooled @ W + b
    ### END SOLUTION


# %% test="heads" aspect="a score for each word and tag" points=1
_sizes = [(1, 2, 2, 3)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 1, 1, 1), (2, 5, 3, 4), (3, 1, 4, 2), (4, 4, 4, 4), (2, 3, 5, 1)]
### END HIDDEN TESTS
for _B, _T, _C, _K in _sizes:
    _X, _W, _b = torch.randn(_B, _T, _C), torch.randn(_C, _K), torch.randn(_K)
    _wanted = np.einsum("btc,ck->btk", _X.numpy(), _W.numpy()) + _b.numpy()
    _got = tag_head(_X.clone(), _W.clone(), _b.clone())
    assert np.shape(_got) == (_B, _T, _K), (
        f"[B, T, K] = {[_B, _T, _K]} wanted; yours: {np.shape(_got)}."
    )
    assert close(_got, _wanted, 1e-4, 1e-5), (
        f"B, T, C, K = {_B, _T, _C, _K}: x W + b for each word, without softmax."
    )

# %% test="heads" aspect="the mean of a text's own words" points=1
_cases = [(1, 3, 2, 2, [2])]
### BEGIN HIDDEN TESTS
_cases += [(1, 1, 1, 1, [1]), (3, 4, 2, 5, [1, 4, 2]), (2, 6, 6, 6, [6, 3])]
_cases += [(4, 5, 3, 1, [2, 5, 1, 3])]
### END HIDDEN TESTS
for _B, _T, _C, _K, _lengths in _cases:
    _X, _W, _b = torch.randn(_B, _T, _C) - 3, torch.randn(_C, _K), torch.randn(_K)
    _wanted = [
        (_X[i, :n].double().mean(0) @ _W.double() + _b).tolist()
        for i, n in enumerate(_lengths)
    ]
    _got = class_head(_X.clone(), torch.tensor(_lengths), _W, _b, "mean")
    assert np.shape(_got) == (_B, _K), f"[B, K] wanted; yours: {np.shape(_got)}."
    assert close(_got, _wanted, 1e-4, 1e-4), (
        f"Lengths {_lengths}, T = {_T}: not the mean of each text's own words, times W, plus b."
    )

# %% test="heads" aspect="the maximum of a text's own words" points=1
_cases = [(1, 3, 2, 2, [2])]
### BEGIN HIDDEN TESTS
_cases += [(1, 1, 1, 1, [1]), (3, 4, 2, 5, [1, 4, 2]), (2, 6, 6, 6, [6, 3])]
_cases += [(4, 5, 3, 1, [2, 5, 1, 3])]
### END HIDDEN TESTS
for _B, _T, _C, _K, _lengths in _cases:
    for _shift in (-9, 9, -3e6):  # all negative: zeros in the padding would win
        _X, _W = torch.randn(_B, _T, _C) + _shift, torch.randn(_C, _K)
        _b = torch.randn(_K)
        _wanted = [
            (_X[i, :n].double().max(0)[0] @ _W.double() + _b).tolist()
            for i, n in enumerate(_lengths)
        ]
        _got = class_head(_X.clone(), torch.tensor(_lengths), _W, _b, "max")
        assert np.shape(_got) == (_B, _K), f"[B, K] wanted; yours: {np.shape(_got)}."
        assert close(_got, _wanted, 1e-4, 1e-4 + 1e-5 * abs(_shift)), (
            f"Lengths {_lengths}, T = {_T}, numbers about {_shift}: "
            "not the largest of each text's own words, times W, plus b."
        )

# %% test="heads" aspect="padding never counts" points=1
_how, _bad, _X = "mean", math.nan, torch.tensor([[[1.0], [3.0], [0.0]]])
_X[0, 2] = _bad
_got = class_head(_X, torch.tensor([2]), torch.ones(1, 1), torch.zeros(1), "mean")
assert close(_got, [[2.0]]), f"1, 3, then NaN in the padding: mean 2; yours: {_got!r}."
### BEGIN HIDDEN TESTS
for _how in ("mean", "max"):
    for _bad in (math.nan, math.inf, -math.inf, 1e30, 0.0):
        _X, _W = -torch.rand(3, 5, 4).double() - 1, torch.randn(4, 2).double()
        _b, _lengths = torch.randn(2).double(), torch.tensor([1, 5, 3])
        _real = torch.arange(5) < _lengths[:, None]
        _X[~_real] = _bad
        _parts = [_X[i, :n] for i, n in enumerate(_lengths.tolist())]
        _pool = [p.mean(0) if _how == "mean" else p.amax(0) for p in _parts]
        _wanted = torch.stack(_pool) @ _W + _b
        _got = class_head(_X.clone(), _lengths.clone(), _W, _b, _how)
        assert close(_got, _wanted), (
            f"{_how}: {_bad} in the padding changes the scores."
        )
        _back = gradients(class_head, _X, _lengths, _W, _b, _how)
        assert close(_back[0][~_real], torch.zeros(6, 4)), (
            f"{_how}: {_bad} stands in the padding, which gets a gradient other than 0."
        )
        assert close(_back[1], torch.stack(_pool).sum(0)[:, None].expand(4, 2)), (
            f"{_how}: {_bad} in the padding spoils the gradient of W."
        )
for _how in ("mean", "max"):
    _left = arguments_after(class_head, _X.clone(), _lengths.clone(), _W, _b, _how)
    assert close(_left[0], _X) and close(_left[1], _lengths), (
        f"{_how}: an argument was changed."
    )
for _how in ("min", "", "MEAN", "Max", None):
    try:
        _got = class_head(_X.clone(), _lengths, _W, _b, _how)
    except ValueError:
        continue
    assert False, f"how = {_how!r} should raise ValueError, not return {_got!r}."
### END HIDDEN TESTS

# %% [markdown]
# A mean tells *how much* of something is in a text, a maximum *whether* it occurs anywhere, however long the text is.

# %% [markdown]
# ## 10. Hide and seek
#
# Take words out of a text and ask for them: **masked language modelling** (Devlin and others, 2018: BERT, *Bidirectional
# Encoder Representations from Transformers*), the *cloze* test of
# language schools. The network may look at everything: the answer is no longer there.

# %%
drawings.masked_language_model(("the", "cat", "is", "drinking", "milk"), (2, 4))

# %% [markdown]
# Each word is chosen with probability .15. A larger rate asks more questions of a text, but leaves less to answer them
# from. Of the *chosen* places, 80 % get `<MASK>`, 10 % a random word, and 10 % stay as they are. **All chosen places are
# asked.** Why so complicated? When you use the model later there is no `<MASK>`, so it must give good vectors for ordinary
# words, too. If the asked words that are not masked were always unchanged, it could just copy them; so some are replaced by a random word,
# and then only the context can tell which ones:

# %%
V = 1000
for prior in (0.3, 1e-3, 1e-6):
    true = prior * (0.1 + 0.1 / V)  # left as it is, or drawn by chance
    wrong = (1 - prior) * 0.1 / V  # another word was here, this one was drawn
    print(
        f"the context gives {prior:<6}: the word is genuine with {true / (true + wrong):.3f}"
    )

# %% [markdown]
# This is Bayes' rule for an asked place that shows an ordinary word ($V = 1000$). A word that fits may be trusted. If the context makes
# the shown word much rarer than $1/V$, it was probably put there at random, and the model should not trust it.
#
# <details><summary>Two slips in the printed slides</summary>
#
# Lecture 004 says 15 % and covers 2 of 8 words, which is 25 %. And its "extension" puts random words
# (*mushroom*, *shoes*) *instead of* `<MASK>`; BERT uses both.
# </details>

# %% [markdown] statement="mask_tokens"
# `mask_tokens(ids, lengths, rate, shares, blank, V, generator)` returns `(inputs, targets)`, two tensors like `ids`: whole
# numbers $[B, T]$.
#
# - Each of the first `lengths[i]` places of text $i$ is chosen, independently, with probability `rate` (0 to 1). Padding
#   never is; its filler may be the number of a real word.
# - `shares`, such as (.8, .1, .1): each *chosen* place, independently, gets the number `blank` ($\ge V$), or a word drawn
#   evenly from $0 \ldots V-1$ (it may hit the old word), or keeps its word.
# - `targets` holds the original word where chosen, and -100 elsewhere.
#
# All chance comes from `generator`, NumPy's (`np.random.default_rng(seed)`). `ids` stay as they are.

# %% [markdown] hints="mask_tokens"
# 1. What is decided once for each place? First whether it is asked, then what is done to it. These are two draws.
# 2. `torch.from_numpy(generator.random(ids.shape))` has a number between 0 and 1 for each place. How do you turn it into "with
#    probability .15", how into three shares?
# 3. `targets` follows from the first decision only, and from `ids`. For `inputs` replace in two steps by `torch.where`:
#    the random words can be drawn for all places and used at few.


# %% task="mask_tokens" points=4 level=2 minutes=20
def mask_tokens(ids, lengths, rate, shares, blank, V, generator):
    """Inputs [B, T] with chosen places changed, targets [B, T] with the original word where chosen, else -100."""
    ### BEGIN SOLUTION
    real = torch.arange(ids.shape[1]) < lengths[:, None]
    chosen = real & (torch.from_numpy(generator.random(ids.shape)) < rate)
    kind = torch.from_numpy(generator.random(ids.shape))
    words = torch.from_numpy(generator.integers(V, size=ids.shape))
    covered = chosen & (kind < shares[0])
    other = chosen & (kind >= shares[0]) & (kind < shares[0] + shares[1])
    inputs = torch.where(covered, blank, torch.where(other, words, ids))
    return inputs, torch.where(chosen, ids, -100)
    ### END SOLUTION


# %%
def checked(pair, shape):
    """Inputs and targets as arrays, if they are two of this shape."""
    assert isinstance(pair, (tuple, list)) and len(pair) == 2, (
        f"Return (inputs, targets); yours: {pair!r}."
    )
    arrays = [np.asarray(part) for part in pair]
    for array in arrays:
        assert array.shape == tuple(shape) and array.dtype.kind in "iu", (
            f"Whole numbers of shape {tuple(shape)} wanted; yours: {array!r}."
        )
    return arrays


# %% test="mask_tokens" aspect="who is asked" points=1
_ids, _lengths = torch.tensor([[5, 3, 5], [2, 0, 0]]), torch.tensor([3, 1])
_real = np.array([[True] * 3, [True, False, False]])
for _rate in (0.0, 1.0):
    _got = mask_tokens(_ids, _lengths, _rate, (1, 0, 0), 6, 6, np.random.default_rng())
    _in, _out = checked(_got, (2, 3))
    _hit = _real & (_rate == 1)
    assert close(_in, np.where(_hit, 6, _ids)) and close(
        _out, np.where(_hit, _ids, -100)
    ), f"rate {_rate}, all chosen are covered: inputs {_in}, targets {_out}?"
### BEGIN HIDDEN TESTS
_ids, _lengths = torch.full((30, 40), 5), torch.full((30,), 40)
_got = mask_tokens(_ids, _lengths, 1.0, (1, 0, 0), 6, 6, np.random.default_rng())
assert (checked(_got, (30, 40))[0] == 6).all(), "Rate 1, shares (1, 0, 0): all covered."
for _B, _T, _rate in ((30_000, 3, 0.15), (1, 90_000, 0.15), (300, 300, 0.4)):
    _ids = torch.randint(7, (_B, _T))
    _lengths = torch.full((_B,), _T)
    _got = mask_tokens(
        _ids, _lengths, _rate, (0.8, 0.1, 0.1), 9, 7, np.random.default_rng()
    )
    _in, _out = checked(_got, (_B, _T))
    _hit = _out != -100
    assert abs(_hit.mean() - _rate) < 0.01, (
        f"B = {_B}, T = {_T}, rate {_rate}: a share of {_hit.mean():.3f} is asked."
    )
    assert close(_out, np.where(_hit, _ids, -100)), (
        "Targets hold the original word where asked, else -100."
    )
    assert close(np.where(_hit, 0, _in), np.where(_hit, 0, _ids)), (
        "A place that is not asked has another word."
    )
    if _T == 3:
        _none = (~_hit).all(1).mean()
        assert abs(_none - (1 - _rate) ** 3) < 0.02, (
            f"Texts of 3 words: {_none:.3f} of them have no blank; each word is chosen on its own."
        )
    if _T == 300:
        assert _hit.mean(0).std() < 0.06 and _hit.mean(1).std() < 0.06, (
            "Some rows or columns are asked much more often than others."
        )
### END HIDDEN TESTS

# %% test="mask_tokens" aspect="what becomes of the chosen" points=1
_ids = torch.full((3, 4), 2)
_lengths = torch.tensor([4, 4, 4])
_in, _out = checked(
    mask_tokens(_ids, _lengths, 1.0, (0, 0, 1), 9, 5, np.random.default_rng()), (3, 4)
)
assert close(_in, _ids) and close(_out, _ids), (
    f"All chosen, all kept: inputs and targets are the ids; yours: {_in}, {_out}."
)
### BEGIN HIDDEN TESTS
_V = 5
for _B, _T in ((1, 60_000), (60_000, 1), (300, 200)):
    _ids = torch.full((_B, _T), _V + 1)  # no word that could be drawn
    _lengths = torch.full((_B,), _T)
    for _shares, _rate in (((0.8, 0.1, 0.1), 1.0), ((0.2, 0.5, 0.3), 0.5)):
        _rate = 1.0 if _T == 1 else _rate
        _got = mask_tokens(
            _ids, _lengths, _rate, _shares, 9, _V, np.random.default_rng()
        )
        _in, _out = checked(_got, (_B, _T))
        _hit = _in[_out != -100]
        _found = [(_hit == 9).mean(), (_hit < _V).mean(), (_hit == _V + 1).mean()]
        assert close(_found, _shares, 0, 0.015), (
            f"B = {_B}, T = {_T}, shares {_shares} among the chosen; yours: {np.round(_found, 3)}."
        )
        _words = np.bincount(_hit[_hit < _V], minlength=_V) / (_hit < _V).sum()
        assert close(_words, [1 / _V] * _V, 0, 0.04), (
            f"Random words from 0 to {_V - 1}, evenly; shares found: {_words.round(3)}."
        )
        _runs = _in.ravel()[:-1] == _in.ravel()[1:]
        _seen = np.unique(_in, return_counts=True)[1] / _in.size
        assert abs(_runs.mean() - (_seen**2).sum()) < 0.03, (
            "Neighbouring places share their fate more often than by chance."
        )
_ids = torch.zeros(1, 40_000, dtype=torch.long)  # a word that may be drawn again
_got = mask_tokens(
    _ids, torch.tensor([40_000]), 1.0, (0, 1, 0), 4, 4, np.random.default_rng()
)
assert abs((checked(_got, (1, 40_000))[0] == 0).mean() - 0.25) < 0.02, (
    "V = 4, only random words: a quarter of them hit the old word."
)
### END HIDDEN TESTS

# %% test="mask_tokens" aspect="padding is left alone" points=1
_ids, _lengths = torch.tensor([[1, 2, 0, 0]]), torch.tensor([2])
_got = mask_tokens(_ids, _lengths, 1.0, (1, 0, 0), 3, 3, np.random.default_rng())
_in, _out = checked(_got, (1, 4))
assert close(_in, [[3, 3, 0, 0]]) and close(_out, [[1, 2, -100, -100]]), (
    f"Length 2, all real words covered: yours {_in}, {_out}."
)
### BEGIN HIDDEN TESTS
_ids = torch.randint(3, (50, 40))  # fillers are real words, and these fill texts, too
_lengths = torch.randint(1, 41, (50,))
_lengths[0], _lengths[1] = 1, 40
_real = np.arange(40) < _lengths[:, None].numpy()
for _shares in ((1, 0, 0), (0, 1, 0), (0.8, 0.1, 0.1)):
    _got = mask_tokens(_ids, _lengths, 1.0, _shares, 3, 3, np.random.default_rng())
    _in, _out = checked(_got, (50, 40))
    assert close(_out, np.where(_real, _ids, -100)), (
        "Rate 1: all real words are asked, also those that equal the filler, and no padding."
    )
    assert close(np.where(_real, 0, _in), np.where(_real, 0, _ids)), (
        "The padding has changed."
    )
    assert _shares[0] < 1 or (_in[_real] == 3).all(), "All are to be covered here."
_ids, _lengths = torch.randint(3, (10, 3000)), torch.randint(1000, 3001, (10,))
_real = np.arange(3000) < _lengths[:, None].numpy()
_got = mask_tokens(_ids, _lengths, 0.4, (0.5, 0.5, 0), 3, 3, np.random.default_rng())
_in, _out = checked(_got, (10, 3000))
_share = (_out != -100)[_real].mean()
assert abs(_share - 0.4) < 0.1, f"Rate .4 of the real words; yours: {_share:.2f}."
### END HIDDEN TESTS

# %% test="mask_tokens" aspect="the generator decides" points=1
_ids, _lengths = torch.arange(60).reshape(3, 20), torch.tensor([20, 12, 20])
_shares, _all = (0.4, 0.4, 0.2), []
_state = np.random.default_rng().bit_generator.state
for _ in range(2):
    _same = np.random.default_rng()
    _same.bit_generator.state = _state
    _got = mask_tokens(_ids.clone(), _lengths, 0.5, _shares, 60, 60, _same)
    _all.append(checked(_got, (3, 20)))
assert all(close(one, two) for one, two in zip(*_all, strict=True)), (
    "The same generator twice: the draws differ. Use it for all chance."
)
### BEGIN HIDDEN TESTS
_other = np.random.default_rng()
_other.bit_generator.state = _state
_other.random(1000)
_got = mask_tokens(_ids.clone(), _lengths, 0.5, _shares, 60, 60, _other)
assert not close(checked(_got, (3, 20))[1], _all[0][1]), (
    "Another generator makes the same choice."
)
_left = arguments_after(
    mask_tokens, _ids.clone(), _lengths.clone(), 1.0, _shares, 60, 60, _other
)
assert close(_left[0], _ids) and close(_left[1], _lengths), "ids or lengths changed."
### END HIDDEN TESTS

# %%
line = "the rude teacher beside the stoves sings for the first time in years"
sentence = line.split()
draw, full = np.random.default_rng(3), torch.tensor([len(sentence)])
some = sorted({*sentence, "soup", "guard", "orders", "warm", "church"})
ids = torch.tensor([[some.index(word) for word in sentence]])
for _ in range(4):
    shown, asked = mask_tokens(
        ids, full, 0.3, (0.8, 0.1, 0.1), len(some), len(some), draw
    )
    words = [[*some, "<MASK>"][i] for i in shown[0].tolist()]
    marks = asked[0].tolist()
    marked = zip(words, marks, strict=True)
    print(" ".join(word + "*" * (mark != -100) for word, mark in marked))

# %% [markdown]
# Asked places have a star (rate .3). How many words does a rate of .15 take from eight?

# %%
for n in range(4):
    chance = math.comb(8, n) * 0.15**n * 0.85 ** (8 - n)
    print(f"{n} of 8 words asked: {chance:.0%} of the texts")

# %% [markdown]
# About a quarter of these texts ask nothing, and nearly as many ask two. The loss must be ready for both.

# %% [markdown]
# ## 11. The loss, only where asked
#
# The head scores all $V$ words at each place: $[B, T, V]$. A causal model is asked everywhere. Here only the chosen places
# have an answer, about seven times fewer ($1/.15$), and the mean must run over these alone.

# %% [markdown] statement="masked_loss"
# Write `masked_loss(scores, targets)`: for scores (logits) $[B, T, V]$ and targets $[B, T]$, as `mask_tokens` returns
# them, the mean of $-\ln P(\text{target})$ over *all asked places of the batch together*, where $P$ is the softmax of the
# scores at that place. A tensor of shape $[]$.
#
# - Places with target -100 count for nothing, neither in the sum nor in the number.
# - If no place is asked the loss is 0, and so is its gradient (still a tensor that `backward` can start from).
# - Scores may be in the thousands.
#
# You may use what `F` offers; find out what it does at the edge.

# %% [markdown] hints="masked_loss"
# 1. One text has 1 blank, the other 9. Does a mean of the two texts' means treat all ten blanks alike?
# 2. `scores[asked]` with a bool $[B, T]$ has the rows that count, $[n, V]$.
# 3. A mean is a sum divided by a number. At which number does it break, and what could you divide by instead so that 0
#    comes out?


# %% task="masked_loss" points=3 level=1 minutes=12
def masked_loss(scores, targets):
    """Mean of -ln P(target) over the places whose target is not -100; 0 if there are none."""
    ### BEGIN SOLUTION
    asked = targets != -100
    total = F.cross_entropy(scores[asked], targets[asked], reduction="sum")
    return total / asked.sum().clamp(min=1)
    ### END SOLUTION


# %% test="masked_loss" aspect="only where asked" points=1
_sizes = [(1, 2, 3)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 1, 2), (2, 5, 4), (4, 2, 7), (3, 3, 3), (1, 6, 1)]
### END HIDDEN TESTS
for _B, _T, _V in _sizes:
    _scores, _targets = torch.randn(_B, _T, _V), torch.randint(_V, (_B, _T))
    _targets[torch.rand(_B, _T) < 0.5] = -100
    _targets[0, 0] = _V - 1
    if _T > 1:
        _targets[-1, -1] = -100
    if _T == 5:  # one text is asked everywhere, the other once, for word 0
        _targets[0], _targets[1] = torch.tensor([3, 1, 2, 0, 1]), -100
        _targets[1, 2] = 0
    _rows = [(b, t) for b in range(_B) for t in range(_T) if _targets[b, t] >= 0]
    _losses = [
        np.log(np.exp(_scores[b, t].double().numpy()).sum())
        - float(_scores[b, t, _targets[b, t]])
        for b, t in _rows
    ]
    _got = masked_loss(_scores.clone(), _targets.clone())
    assert is_number(_got), f"A tensor with one number wanted; yours: {_got!r}."
    assert close(_got, np.mean(_losses), 1e-4, 1e-5), (
        f"Scores {[_B, _T, _V]}, targets {_targets.tolist()}: {np.mean(_losses):.4f} wanted; "
        f"yours: {float(_got):.4f}."
    )
    _scores[_targets == -100] += 50 * torch.randn(_V)
    assert close(masked_loss(_scores.clone(), _targets.clone()), _got, 1e-4, 1e-5), (
        "Scores at places that are not asked change the loss."
    )
### BEGIN HIDDEN TESTS
_left = arguments_after(masked_loss, _scores.clone(), _targets.clone())
assert close(_left[0], _scores) and close(_left[1], _targets), (
    "An argument has changed."
)
### END HIDDEN TESTS

# %% test="masked_loss" aspect="every blank weighs the same" points=1
_scores = torch.zeros(2, 3, 2)
_scores[0, :, 0], _targets = 4.0, torch.tensor([[0, 0, 0], [1, -100, -100]])
_wanted = (3 * math.log(1 + math.exp(-4)) + math.log(2)) / 4
_got = masked_loss(_scores.clone(), _targets.clone())
assert is_number(_got) and close(_got, _wanted, 1e-5), (
    f"Three blanks in one text, one in the other: {_wanted:.4f} wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_scores = torch.randn(3, 10, 5).double() * torch.tensor([1.0, 5, 20])[:, None, None]
_targets = torch.full((3, 10), -100)
_targets[0, 3], _targets[2] = 2, torch.randint(5, (10,))
_targets[2, ::3] = 0  # word 0 is a word
_ln = _scores.log_softmax(-1)
_all = [-_ln[0, 3, 2]] + [-_ln[2, t, _targets[2, t]] for t in range(10)]
_got = masked_loss(_scores.clone(), _targets.clone())
assert is_number(_got) and close(_got, float(sum(_all) / 11)), (
    "1, 0 and 10 blanks in three texts: each of the eleven weighs the same."
)
for _size in (1e3, 5e4):
    _big = torch.tensor([[[_size, 0.0, -_size], [_size, 0.0, -_size]]])
    _got = masked_loss(_big.clone(), torch.tensor([[0, 1]]))
    assert is_number(_got) and close(_got, _size / 2, 1e-5), (
        f"Scores {_size:g}, 0, {-_size:g}: loss {_size / 2:g}; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="masked_loss" aspect="nothing asked" points=1
_got = masked_loss(torch.randn(1, 2, 3), torch.full((1, 2), -100))
assert is_number(_got) and float(_got) == 0, (
    f"No place asked: 0 wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _B, _T, _V in ((1, 1, 2), (3, 4, 5)):
    _scores, _targets = torch.randn(_B, _T, _V), torch.full((_B, _T), -100)
    _back = gradients(masked_loss, _scores, _targets)[0]
    assert close(_back, torch.zeros(_B, _T, _V)), (
        f"No place asked: a gradient of zeros wanted; yours: {_back!r}."
    )
_scores, _targets = (
    torch.randn(2, 3, 4).double(),
    torch.tensor([[1, -100, 3], [-100] * 3]),
)
_back = gradients(masked_loss, _scores, _targets)[0]
_wanted = torch.zeros(2, 3, 4).double()
for _t, _word in ((0, 1), (2, 3)):
    _wanted[0, _t] = (_scores[0, _t].softmax(0) - torch.eye(4)[_word]) / 2
assert close(_back, _wanted), (
    "Two of six places asked: there the gradient is (P - one-hot) / 2, elsewhere 0."
)
### END HIDDEN TESTS

# %%
scores = torch.randn(2, 3, 5, requires_grad=True)
nobody, asked = torch.full((2, 3), -100), torch.zeros(2, 3)
losses = {
    "F.cross_entropy": F.cross_entropy(scores.flatten(0, 1), nobody.flatten()),
    "times a mask": (scores.logsumexp(-1) * asked).sum() / asked.sum(),
    "ours": masked_loss(scores, nobody),
}
for name, loss in losses.items():
    gradient = torch.autograd.grad(loss, scores)[0].abs().max()
    print(f"no place asked: {name:16} {loss.item()}, gradient {gradient.item()}")

# %% [markdown]
# torch divides 0 by 0; its gradient is 0 nevertheless, but any sum with this loss is NaN. If you multiply by a mask instead, the gradient is NaN,
# too: after one such batch all weights are NaN.
#
# ### Train it
#
# Now all parts are there, and all of them are yours: `pad`, `mask_tokens`, `encode_batch`, `Encoder`, `masked_loss`. `Filler` puts them together. Its table of word vectors has one row more for `<MASK>`, and the same table makes the scores. It learns from the sentences of our kitchen stories, and we hide 30 % of the words. (Why
# not 15? Wait for section 15.)


# %%
class Filler(nn.Module):
    """Your encoder, asked for hidden words: ids [B, T] and lengths [B] -> scores [B, T, V]."""

    def __init__(self, V, C=64, N=2, h=4, T=64):
        super().__init__()
        self.table = nn.Parameter(torch.randn(V + 1, C) * 0.1)  # last row: <MASK>
        self.positions = nn.Parameter(torch.randn(T, C) * 0.1)
        self.encoder = Encoder(layer_of(C, h), N, C)

    def forward(self, ids, lengths):
        X = encode_batch(self.encoder, self.table, self.positions, ids, lengths)
        return X @ self.table[:-1].T


# %%
def sentences(split):
    """Every sentence of the stories, a list of words that ends with its full stop."""
    text = " ".join(word for s in kitchen.split(split) for word in s.tokens[:-1])
    return [f"{part} .".split() for part in text.split(" . ")]


vocabulary = sorted({word for s in kitchen.split("train") for word in s.tokens})
number = {word: i for i, word in enumerate(vocabulary)}
lines = [[number[word] for word in line][:64] for line in sentences("train")]
new_lines = [
    [number[w] for w in line if w in number][:64] for line in sentences("valid")
]


# %%
def lesson(lines, size, draw):
    """Sentences with hidden words: (inputs, lengths, targets)."""
    chosen = [lines[i] for i in draw.integers(len(lines), size=size)]
    ids, lengths = pad(chosen, 0)
    blank = len(vocabulary)
    inputs, targets = mask_tokens(
        ids, lengths, 0.3, (0.8, 0.1, 0.1), blank, blank, draw
    )
    return inputs, lengths, targets


def guesses(model, text):
    """The three likeliest words for the gap ___ of a sentence."""
    words = text.split()
    ids = [[number.get(word, len(vocabulary)) for word in words]]
    ids, lengths = torch.tensor(ids), torch.tensor([len(words)])
    with torch.no_grad():
        scores = model(ids.to(device), lengths.to(device))[0, words.index("___")]
    best = scores.softmax(-1).topk(3)
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return ", ".join(f"{vocabulary[i]} {p:.2f}" for i, p in pairs)


# %%
# NBVAL_IGNORE_OUTPUT
# Another machine rounds otherwise, and training makes more of it.
GAPS = [
    "the ___ sings .",
    "the ___ sing .",
    "robert ___ the soup .",
    "a cook in the ___ .",
]
set_seed(1)
filler = Filler(len(vocabulary)).to(device)
untrained = [guesses(filler, text) for text in GAPS]
history = train(
    filler,
    batches=lambda step: lesson(lines, 32, np.random.default_rng([1, step])),
    loss=lambda model, batch: (
        masked_loss(model(*batch[:2]), batch[2]),
        int((batch[2] != -100).sum()),
    ),
    steps=budget().choose(800, 6_000, 6_000),
    rate=0.003,
    validation=[lesson(new_lines, 400, np.random.default_rng(2))],
)
for text, before in zip(GAPS, untrained, strict=True):
    print(f"{text:22} untrained: {before}\n{'':22} trained:   {guesses(filler, text)}")

# %%
# NBVAL_IGNORE_OUTPUT
counts = np.bincount([i for line in lines for i in line], minlength=len(vocabulary)) + 1
asked = lesson(new_lines, 400, np.random.default_rng(2))[2]
frequencies = -np.log(counts / counts.sum())[asked[asked != -100]].mean()
_, axes = plt.subplots()
axes.plot(history["step"], history["validation loss"], label="your encoder")
axes.axhline(frequencies, color="gray", ls=":", label="knows frequencies only")
axes.set(xlabel="step", ylabel="nats per hidden word", ylim=(0, None))
axes.set_title("Your encoder on sentences that it has never seen")
axes.legend()
plt.show()

# %% [markdown]
# The dotted line is the loss of somebody who knows how frequent each word is and does not look at the sentence at all. Everything below it was read off the *other* words, on both sides of the gap. The solution that comes with this course trained for 800 steps only; your notebook takes 6,000 (a few minutes).
# Look at *sings* and *sing*: does your encoder know that one of them wants a plural?
#
# Try gaps of your own:

# %% scratch=true
# NBVAL_IGNORE_OUTPUT
# Another machine trains slightly other weights.
print(guesses(filler, "on a snowy ___ , the guests drink a glass of milk ."))

# %% [markdown]
# ## 12. The printed slide is wrong: find it
#
# Lecture 004 writes what a masked model estimates "for a sequence of length $T$" as
#
# $$P(w_i \mid w_1, \ldots, w_{i-1}, w_i, \ldots, w_T).$$

# %% [markdown] statement="printed_conditional"
# - `printed_value`: the number that the printed expression equals, for every text with $P(w_1 \ldots w_T) > 0$;
# - `conditions(i, T)`: the *set* of places (from 1) whose words should stand after the bar, $1 \le i \le T$.
#
# Repaired, is the product over all $i$ a probability of the text? Then it would sum to 1 over all texts.
#
# - `sum_of_products(P)`: $P$ is an array of $T \ge 1$ axes of any sizes; `P[a, b, ...]` is the true probability of the text
#   $a, b, \ldots$ (all sum to 1). Return the sum over all texts of $\prod_i P(w_i \mid \text{all others})$. Texts with
#   $P = 0$ add 0.
#
# Predict: *good morning* and *guten Tag*, half each, nothing else. What is the sum?

# %% [markdown] hints="printed_conditional"
# 1. What is $P(A \mid A)$?
# 2. For two words, $P(a \mid b) = P(a, b) / \sum_{a'} P(a', b)$: the sum runs over the word that is asked.
# 3. `P.sum(axis=i, keepdims=True)` divides an array without a loop over texts. Where it is 0, so is $P$: keep 0/0 away.


# %% task="printed_conditional" points=3 level=2 minutes=18
# printed_value = a number
### BEGIN SOLUTION
printed_value = 1
### END SOLUTION


def conditions(i, T):
    """The set of places behind the bar when word i of T is asked, counted from 1."""
    ### BEGIN SOLUTION
    return set(range(1, T + 1)) - {i}
    ### END SOLUTION


def sum_of_products(P):
    """The sum over all texts of the product over i of P(w_i | all other words)."""
    ### BEGIN SOLUTION
    P = np.asarray(P, dtype=float)
    product = np.ones_like(P)
    for i in range(P.ndim):
        total = np.broadcast_to(P.sum(axis=i, keepdims=True), P.shape)
        product *= np.divide(P, total, out=np.zeros_like(P), where=P > 0)
    return product.sum()
    ### END SOLUTION


# %% test="printed_conditional" aspect="as printed" points=1
assert is_number(printed_value) and 0 <= printed_value <= 1, (
    f"printed_value is a probability; yours: {printed_value!r}."
)
### BEGIN HIDDEN TESTS
assert printed_value == 1, "Read what stands behind the bar once more."
assert conditions(1, 2) is not None, "conditions returns nothing."
for _i, _T in ((1, 1), (1, 2), (2, 2), (3, 8), (8, 8), (1, 8)):
    assert set(conditions(_i, _T)) == {j for j in range(1, _T + 1) if j != _i}, (
        f"i = {_i}, T = {_T}: not the places {conditions(_i, _T)!r}."
    )
### END HIDDEN TESTS

# %% test="printed_conditional" aspect="words that need each other" points=1
_got = sum_of_products(np.array([[0.5, 0.0], [0.0, 0.5]]))
assert is_number(_got), f"A number wanted; yours: {_got!r}."
### BEGIN HIDDEN TESTS
assert close(_got, 2.0), (
    f"Two texts, both words settled by each other; yours: {_got!r}."
)
for _V in (1, 3, 7):
    _P = np.diag(np.random.default_rng().dirichlet([1.0] * _V))
    assert close(sum_of_products(_P.copy()), float(_V)), f"{_V} pairs: not {_V}."
for _shape in ((2, 3), (5, 2), (1, 4), (4, 4)):
    _P = np.random.default_rng().dirichlet([0.5] * math.prod(_shape)).reshape(_shape)
    _P[0, -1] = 0
    if _shape[0] > 2:
        _P[1] = 0  # a word that never occurs
    _P /= _P.sum()
    _wanted = 0.0
    for _a, _b in zip(*np.nonzero(_P), strict=True):
        _wanted += _P[_a, _b] ** 2 / (_P[_a].sum() * _P[:, _b].sum())
    _got = sum_of_products(_P.copy())
    assert is_number(_got) and close(_got, _wanted), (
        f"P = {_P.round(3).tolist()}: {_wanted:.4f} wanted; yours: {_got!r}."
    )
_P = np.diag([1.0, 1e-30])
_got = sum_of_products(_P.copy())
assert is_number(_got) and close(_got, 2.0), (
    f"P = {_P.tolist()}: a text may be as rare as that, its words are certain all the same, 2; yours: {_got!r}."
)
_left = arguments_after(sum_of_products, _P.copy())[0]
assert close(_left, _P), "sum_of_products changes its argument."
### END HIDDEN TESTS

# %% test="printed_conditional" aspect="texts of any length" points=1
_got = sum_of_products(np.full((2, 2), 0.25))
assert is_number(_got) and close(_got, 1.0), (
    f"Two words that know nothing of each other: 1; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _shape in ((1,), (4,), (2, 3, 4), (3, 1, 2), (2, 2, 2, 3), (2,) * 5):
    _P = np.random.default_rng().dirichlet([0.5] * math.prod(_shape)).reshape(_shape)
    _wanted = 0.0
    for _at in np.ndindex(*_shape):
        _product = 1.0
        for _i in range(len(_shape)):
            _line = _P[_at[:_i] + (slice(None),) + _at[_i + 1 :]]
            _product *= _P[_at] / _line.sum() if _line.sum() else 0.0
        _wanted += _product
    _got = sum_of_products(_P.copy())
    assert is_number(_got) and close(_got, _wanted), (
        f"P of shape {_shape}: {_wanted:.4f} wanted; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %%
_, axes = plt.subplots()
shares = np.linspace(0, 1, 21)
for V in (2, 3, 5):
    sums = [
        sum_of_products((1 - s) * np.eye(V) / V + s * np.ones((V, V)) / V**2)
        for s in shares
    ]
    axes.plot(shares, sums, marker=".", label=f"V = {V} words")
axes.set_xlabel("share of texts whose second word is drawn blindly")
axes.set_ylabel("sum over all texts")
axes.legend()
plt.show()

# %% [markdown]
# Only where words are independent (right end) is the sum 1. The more two words determine each other, the more often the
# product counts the same certainty twice: it is a **pseudo-likelihood**. Section 14 measures whether it *ranks* texts.

# %% [markdown]
# ## 13. The exact answer: three ways, one number
#
# How good *can* a masked model be? Where the probability of whole texts is known, the answer follows from the
# definition: put each word into the blank and compare (section 1), in logarithms, because a page of text has $\ln
# P$ near $-1{,}000$.
#
# In a bigram model nearly all factors cancel. With neighbours $l$ and $r$:
#
# $$P(w \mid l, r) = \frac{P(w \mid l)\, P(r \mid w)}{\sum_v P(v \mid l)\, P(r \mid v)}$$
#
# An example: `the _ sings`. $P(\text{cook} \mid \text{the}) = P(\text{soup} \mid \text{the}) = \tfrac12$;
# $P(\text{sings} \mid \text{cook}) = .8$, $P(\text{sings} \mid \text{soup}) = .2$. Then *cook* has $.4 / (.4 + .1)
# = .8$.

# %% [markdown] statement="fill_in"
# - `fill_in(ln_p, words, place, candidates)`: array $(n,)$, the probability of each of the $n$ `candidates` (a list
#   of words), in their order, at `place` (from 0) of the list `words`, all others given. `ln_p(list of words)` is
#   $\ln P$ of a whole text, `-math.inf` where it is impossible. What stood at the place changes nothing. No
#   candidate possible: `ValueError`.
# - `fill_bigram(ln_a, ids)`: array $(T, V)$, row $t$ the distribution of word $t$, all others given. `ids` is a
#   list of $T \ge 1$ numbers from 1 to $V - 1$; symbol 0 is `</s>`, which stands before and after each text, and
#   never inside. `ln_a` is an array $(V, V)$: row $l$, column $w$ has $\ln P(w \mid l)$; some are $-\infty$, but
#   the text itself is possible.

# %% [markdown] hints="fill_in"
# 1. By hand: the example above, once with its probabilities, once with their logarithms.
# 2. $e^{-1000}$ is 0 for the machine. Only differences between candidates count: what may you subtract from all of
#    them first?
# 3. Each place needs one row of `ln_a` (which?) and one column (which?). An index list such as `[0, *ids[:-1]]`
#    fetches all rows at once; for columns, mind which axis is which.


# %% task="fill_in" points=4 level=3 minutes=28
def fill_in(ln_p, words, place, candidates):
    """Array (n,): the probability of each candidate, all other words given."""
    ### BEGIN SOLUTION
    scores = np.array(
        [ln_p([*words[:place], word, *words[place + 1 :]]) for word in candidates]
    )
    if not (scores > -math.inf).any():
        raise ValueError("No candidate is possible here.")
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()
    ### END SOLUTION


def fill_bigram(ln_a, ids):
    """Array (T, V): for each place the distribution of its word; ln_a (V, V)."""
    ### BEGIN SOLUTION
    before, after = [0, *ids[:-1]], [*ids[1:], 0]
    scores = ln_a[before] + ln_a[:, after].T
    scores[:, 0] = -math.inf
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)
    ### END SOLUTION


# %% test="fill_in" aspect="every candidate in the blank" points=1
_p = {"the cook sings": 0.4, "the soup sings": 0.1, "the cook eats": 0.3}


def _ln_p(words):
    return math.log(_p.get(" ".join(words), 0)) if " ".join(words) in _p else -math.inf


_got = fill_in(_ln_p, ["the", "?", "sings"], 1, ["soup", "cook"])
assert hasattr(_got, "__len__") and np.shape(_got) == (2,), (
    f"Two candidates: an array of two numbers wanted; yours: {_got!r}."
)
assert close(_got, [0.2, 0.8], 1e-5), (
    f"the _ sings: soup .2, cook .8, in this order; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _T, _n in ((1, 4), (2, 3), (6, 2), (5, 7)):
    _letters = random.sample("abcdefghijkl", _n)
    _words = random.choices(_letters, k=_T)
    for _place in {0, _T - 1, random.randrange(_T)}:
        _ln = dict(zip(_letters, np.random.default_rng().normal(size=_n), strict=True))
        _seen = []

        def _of_text(words, _ln=_ln, _words=_words, _place=_place, _seen=_seen):
            _seen.append(list(words))
            return float(_ln[words[_place]]) - len(words)

        _got = fill_in(_of_text, list(_words), _place, list(_letters))
        _total = sum(math.exp(v) for v in _ln.values())
        _wanted = [math.exp(_ln[w]) / _total for w in _letters]
        assert close(_got, _wanted, 1e-5, 1e-8), (
            f"Place {_place} of {_T}, {_n} candidates: wanted {_wanted}; yours: {_got!r}."
        )
        assert all(
            len(_one) == _T
            and _one[:_place] == _words[:_place]
            and _one[_place + 1 :] == _words[_place + 1 :]
            for _one in _seen
        ), "ln_p must be asked for whole texts that differ at the place only."
_left = arguments_after(fill_in, _ln_p, ["the", "cook", "sings"], 1, ["cook", "soup"])
assert _left[1:] == (["the", "cook", "sings"], 1, ["cook", "soup"]), (
    "fill_in changed its arguments."
)
### END HIDDEN TESTS

# %% test="fill_in" aspect="far down, and impossible" points=1
_got = fill_in(
    lambda words: -1000.0 - math.log(1 + len(words[0])), ["?"], 0, ["a", "abc"]
)
assert close(_got, [2 / 3, 1 / 3], 1e-3, 1e-6), (
    f"ln P of -1000 - ln 2 and -1000 - ln 4: 2/3 and 1/3; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_no = -math.inf
for _scores, _wanted in (
    ([-5000.0, _no, -5000.0], [0.5, 0, 0.5]),
    ([_no, -3000.0], [0, 1]),
    ([-2000.0], [1]),
    ([-1500.0, -1500 - math.log(3), _no, _no], [0.75, 0.25, 0, 0]),
    ([800.0, 800 + math.log(4)], [0.2, 0.8]),
    ([-9000.0, -1000.0], [0, 1]),
):
    _ln = dict(zip("abcdef", _scores, strict=False))
    _got = fill_in(lambda words, _ln=_ln: _ln[words[1]], ["x", "?", "y"], 1, list(_ln))
    assert close(_got, _wanted, 1e-3, 1e-6), (
        f"ln P {_scores}: {_wanted}; yours: {_got!r}."
    )
for _n in (1, 3):
    try:
        _got = fill_in(lambda words: -math.inf, ["x", "y"], 0, list("abc")[:_n])
    except ValueError:
        continue
    assert False, f"No candidate is possible: ValueError wanted; yours: {_got!r}."
### END HIDDEN TESTS

# %% test="fill_in" aspect="both neighbours" points=1
_a = np.array([[0.0, 1, 0, 0], [0, 0, 0.5, 0.5], [0.2, 0, 0, 0.8], [1, 0, 0, 0]])
with np.errstate(divide="ignore"):
    _ln_a = np.log(_a)
_got = fill_bigram(_ln_a.copy(), [1, 2, 3])
assert hasattr(_got, "shape") and np.shape(_got) == (3, 4), (
    f"T = 3, V = 4: shape (3, 4) wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _V, _T in ((4, 3), (6, 2), (3, 5), (5, 5), (9, 4)):
    _a = np.random.default_rng().dirichlet(np.ones(_V), _V)
    _ids = np.random.default_rng().integers(1, _V, _T).tolist()
    _wanted = np.zeros((_T, _V))
    for _t in range(_T):
        for _w in range(1, _V):
            _text = [0, *_ids[:_t], _w, *_ids[_t + 1 :], 0]
            _wanted[_t, _w] = math.prod(
                _a[i, j] for i, j in zip(_text, _text[1:], strict=False)
            )
    _wanted = _wanted / _wanted.sum(1, keepdims=True)
    _got = fill_bigram(np.log(_a), list(_ids))
    assert close(_got, _wanted, 1e-4, 1e-7), (
        f"V = {_V}, ids {_ids}: not what comes from scoring whole texts; yours: {_got!r}."
    )
_left = arguments_after(fill_bigram, np.log(_a), list(_ids))
assert close(_left[0], np.log(_a)) and list(_left[1]) == _ids, (
    "fill_bigram changed its arguments."
)
### END HIDDEN TESTS

# %% test="fill_in" aspect="ends of a text, zeros, small numbers" points=1
_a = np.array([[0.0, 0.5, 0.5], [0.5, 0.25, 0.25], [0.25, 0.5, 0.25]])
with np.errstate(divide="ignore"):
    _ln_a = np.log(_a)
_got = fill_bigram(_ln_a.copy(), [2])
assert close(_got, [[0, 2 / 3, 1 / 3]], 1e-3, 1e-6), (
    f"A text of one word: (.5 · .5, .5 · .25), divided by their sum; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_got = fill_bigram(_ln_a.astype(np.float32), [1, 2])
assert close(_got, [[0, 1 / 2, 1 / 2], [0, 2 / 3, 1 / 3]], 1e-3, 1e-6), (
    f"</s> before the first and after the last word counts; yours: {_got!r}."
)
_wide = np.array(
    [[0.0, 0.5, 0.5, 0.0], [1, 0, 0, 0], [0, 0.2, 0, 0.8], [0.5, 0, 0.5, 0]]
)
with np.errstate(divide="ignore"):
    _ln_wide = np.log(_wide)
_got = fill_bigram(_ln_wide.copy(), [2, 3])
assert close(_got, [[0, 0, 1, 0], [0, 0.2 / 0.6, 0, 0.4 / 0.6]], 1e-3, 1e-6), (
    f"Impossible neighbours have probability 0; yours: {_got!r}."
)
_got = fill_bigram(np.where(_wide > 0, _ln_wide - 900, -math.inf), [2, 3])
assert close(_got, [[0, 0, 1, 0], [0, 0.2 / 0.6, 0, 0.4 / 0.6]], 1e-3, 1e-6), (
    f"All of ln_a less 900: the same answer wanted; yours: {_got!r}."
)
_rare = _ln_wide.copy()
_rare[3] -= 2000  # only the row of one neighbour is far down
_got = fill_bigram(_rare, [2, 3, 2, 1])
_wanted = [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]]
assert close(_got, _wanted, 1e-3, 1e-6), (
    "Two places far less probable than the others: their rows sum to 1, too; "
    f"yours: {_got!r}."
)
### END HIDDEN TESTS

# %%
with np.errstate(divide="ignore"):  # </s> the cook sings
    a = np.array([[0, 1, 0, 0], [0, 0, 0.5, 0.5], [0.2, 0, 0, 0.8], [0.9, 0, 0, 0.1]])
    ln_a = np.log(a)
path = [0, 1, 2, 3, 0]


def ln_text(ids):
    return sum(ln_a[i, j] for i, j in zip([0, *ids], [*ids, 0], strict=True))


left_right = [a[1, w] * a[w, 3] for w in (2, 3)]
print("whole texts:   ", fill_in(ln_text, [1, 2, 3], 1, [2, 3]).round(4))
print("two neighbours:", (np.array(left_right) / sum(left_right)).round(4))
print("one array:     ", fill_bigram(ln_a, [1, 2, 3])[1, 2:].round(4))

# %% [markdown]
# All agree. Now the kitchen language: no bigram model, but `kitchen.read` knows $\ln P$ of every whole
# story. *Predict* what is left to guess at four places of the story below: its first word, *spoon*, the verb
# *orders*, and *cherry*.


# %%
def ln_kitchen(words):
    try:
        return kitchen.read(words).log_probability
    except kitchen.NotKitchen:
        return -math.inf


story = next(s.tokens for s in kitchen.split("test") if len(s) <= 46)
known = sorted({word for s in kitchen.split("train") for word in s.tokens})
print(" ".join(story), "\n")
for place in (0, 5, 13, 15):
    p = fill_in(ln_kitchen, story, place, known)
    best = sorted(zip(p, known, strict=True), reverse=True)[:3]
    shown = ", ".join(f"{word} {chance:.3f}" for chance, word in best if chance > 0)
    exact = kitchen.masked_distribution(story, place)
    off = max(abs(p[i] - exact.get(word, 0)) for i, word in enumerate(known))
    print(f"{story[place]:7} {(p > 0).sum():3} possible: {shown} (equal: {off < 1e-9})")

# %% [markdown]
# A copied name is certain, though nothing before the first word says it. A verb keeps three possibilities: its
# number is settled, its choice is not. A dish keeps 82. `kitchen.masked_distribution` gives the same numbers with
# less work.

# %% [markdown]
# ## 14. A score for whole texts?
#
# A masked model gives no $\ln P$ of a text (section 12). What people use instead is the **pseudo-log-likelihood**
# (PLL; Salazar and others, 2020): hide each word alone, and add up
#
# $$\text{PLL}(w_1 \dots w_T) = \sum_{t=1}^{T} \ln P(w_t \mid \text{all other words}).$$

# %% [markdown] statement="pseudo"
# - `pseudo_log_likelihood(fill, words)`: a float. `fill(words, place)` gives a dictionary, word to probability
#   given all others; a word that is left out is impossible, and so is one with 0. With an impossible word:
#   `-math.inf`. A text without words: 0.
# - `ranked_right(good, bad)`: two lists or arrays of $n \ge 1$ scores. The share of the $n$ pairs in which the good
#   text has the higher score; equal scores count half, two of $-\infty$ too.

# %% [markdown] hints="pseudo"
# 1. A text of two words in which each settles the other: what is its PLL?
# 2. `math.log(0)` raises an error, and NumPy warns: look before you take the logarithm.
# 3. What is $-\infty - (-\infty)$? Which operators compare two infinities without a difference?


# %% task="pseudo" points=3 level=2 minutes=14
def pseudo_log_likelihood(fill, words):
    """The sum of ln P(word | all other words), a float, or -inf."""
    ### BEGIN SOLUTION
    total = 0.0
    for place, word in enumerate(words):
        p = fill(words, place).get(word, 0)
        total += math.log(p) if p > 0 else -math.inf
    return total
    ### END SOLUTION


def ranked_right(good, bad):
    """The share of pairs whose good score is the higher one; ties count half."""
    ### BEGIN SOLUTION
    good, bad = np.asarray(good), np.asarray(bad)
    return float(np.mean(good > bad) + np.mean(good == bad) / 2)
    ### END SOLUTION


# %% test="pseudo" aspect="one blank at a time" points=1
def _echo(words, place):
    return {"a": 0.5, "b": 0.25, "c": 0.25}


_got = pseudo_log_likelihood(_echo, ["a", "c"])
assert is_number(_got), f"A number wanted; yours: {_got!r}."
assert close(_got, math.log(1 / 8)), (
    f"ln .5 + ln .25 = {math.log(1 / 8):.4f}; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _T in (1, 2, 3, 4):
    _p = np.random.default_rng().dirichlet(np.ones(3**_T)).reshape((3,) * _T)

    def _fill(words, place, _p=_p):
        _at = ["xyz".index(w) for w in words]
        _at[place] = slice(None)
        return dict(
            zip("xyz", (_p[tuple(_at)] / _p[tuple(_at)].sum()).tolist(), strict=True)
        )

    _words = random.choices("xyz", k=_T)
    _wanted = sum(math.log(_fill(_words, t)[_words[t]]) for t in range(_T))
    _got = pseudo_log_likelihood(_fill, list(_words))
    assert close(_got, _wanted, 1e-5), (
        f"T = {_T}: each word given all others, {_wanted:.4f}; yours: {_got!r}."
    )
_left = arguments_after(pseudo_log_likelihood, _echo, ["a", "b", "c"])
assert _left[1] == ["a", "b", "c"], "pseudo_log_likelihood changed the words."
### END HIDDEN TESTS

# %% test="pseudo" aspect="impossible words, long texts" points=1
_got = pseudo_log_likelihood(lambda words, place: {"a": 1.0}, ["a", "b"])
assert is_number(_got) and _got == -math.inf, f"b is impossible: -inf; yours: {_got!r}."
### BEGIN HIDDEN TESTS
for _words in (["b", "a"], ["a", "a", "z"], ["z"]):
    _got = pseudo_log_likelihood(
        lambda words, place: {"a": 0.5, "c": 0.5, "b": 0.0}, list(_words)
    )
    assert is_number(_got) and _got == -math.inf, (
        f"{_words}: -inf wanted; yours: {_got!r}."
    )
_got = pseudo_log_likelihood(lambda words, place: {}, [])
assert is_number(_got) and _got == 0, f"No words: 0 wanted; yours: {_got!r}."
_got = pseudo_log_likelihood(lambda words, place: {"a": 1e-40}, ["a", "a"])
assert close(_got, 2 * math.log(1e-40), 1e-5), (
    f"1e-40 is little, but possible: {2 * math.log(1e-40):.1f}; yours: {_got!r}."
)
_got = pseudo_log_likelihood(lambda words, place: {"a": 1e-5}, ["a"] * 400)
assert close(_got, 400 * math.log(1e-5), 1e-5), (
    f"400 words at 1e-5 each: {400 * math.log(1e-5):.1f}; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% test="pseudo" aspect="pairs and ties" points=1
_got = ranked_right([-3.0, -5.0, -2.0, -7.0], [-4.0, -1.0, -2.0, -8.0])
assert is_number(_got) and close(_got, 0.625), (
    f"Two of four right, one tie: .625; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_no = -math.inf
for _good, _bad, _wanted in (
    ([-3.0, _no, _no, -1.0], [_no, _no, -3.0, -2.0], 0.625),
    ([_no], [_no], 0.5),
    ([-2.0, -2.0, -2.0], [-2.0, -2.0, -2.0], 0.5),
    ([-1.0], [_no], 1.0),
    ([-9.0], [-8.0], 0.0),
    ([-1000.0, -1000.001], [-1000.001, -1000.0], 0.5),
    ([-1000.0, -1e-9], [-1000.001, -1.1e-9], 1.0),
):
    for _kind in (list, np.array):
        _got = ranked_right(_kind(_good), _kind(_bad))
        assert is_number(_got) and close(_got, _wanted), (
            f"{_good} against {_bad}: {_wanted}; yours: {_got!r}."
        )
_good = np.random.default_rng().integers(-4, 0, 30).astype(float)
_bad = np.random.default_rng().integers(-4, 0, 30).astype(float)
_wanted = (
    sum(1 if g > b else 0.5 if g == b else 0 for g, b in zip(_good, _bad, strict=True))
    / 30
)
assert close(ranked_right(_good.tolist(), _bad.tolist()), _wanted), (
    "30 pairs with ties."
)
### END HIDDEN TESTS

# %% [markdown]
# Does PLL order texts as $\ln P$ does? Recorded: 150 kitchen stories, each also with one word exchanged for another
# possible one, with both scores exact. *Predict* the share of pairs that PLL puts in the right order.

# %%
pairs = pd.read_csv(paths.DATA / "masked" / "pseudo.csv")
ranks = (pairs[["ln_p", "pll"]].div(pairs.length, axis=0)).rank()
draw = np.random.default_rng(1)
spearman = [
    ranks.iloc[draw.integers(len(ranks), size=len(ranks))].corr().iloc[0, 1]
    for _ in range(1000)
]
low, high = np.quantile(spearman, [0.025, 0.975])
print(f"Spearman, per word: {ranks.corr().iloc[0, 1]:.2f} ({low:.2f} to {high:.2f})")
sign = np.sign(pairs.ln_p - pairs.other_ln_p)
order = ranked_right(sign * pairs.pll, sign * pairs.other_pll)
error = math.sqrt(order * (1 - order) / len(pairs))
print(f"one word exchanged: {order:.0%} ± {error:.0%} in the same order")

# %%
_, axes = plt.subplots(figsize=(4.5, 2.9))
axes.plot(pairs.ln_p, pairs.pll, ".", markersize=5)
axes.plot([-140, -40], [-140, -40], "--", color="gray", label="PLL = ln P")
axes.set_xlabel("ln P of the story (nats)")
axes.set_ylabel("PLL (nats)")
axes.legend()
plt.show()

# %% [markdown]
# Each dot is a story, far above the line: with both sides known words are easier on average. Per word the ranks agree
# well, and few pairs are turned round. One reason for these: a name
# said twice is free in PLL, both times, since each copy settles the other. $\ln P$ pays for it once.

# %% [markdown]
# ## 15. The ladder: what must a model see?
#
# Here are four networks that we trained for you (`python -m benchmarks.masked`), each with some 100,000 weights between embedding and output layer. An LSTM
# language model reads the left side only. A window of four words on each side, a BiLSTM, and an encoder with two layers (and rotary positions, which you build in chapter 8) read both sides. All get the same million words and
# 40 seconds of CPU time, each at the learning rate that did best in 8 seconds of trying.
#
# They are asked for 3,000 words of new stories, one blank at a time. *Predict the order.*

# %%
ladder = pd.read_csv(paths.DATA / "masked" / "ladder.csv")
models = ["unigram", "left only (LSTM)", "window", "bilstm", "encoder", "floor"]
shown = pd.DataFrame(index=models)
whole = ladder[ladder.kind == "all"].groupby("model")
for column, name, form in (
    ("nats", "nats per blank", "{:.2f}"),
    ("accuracy", "likeliest word is right", "{:.1%}"),
    ("gap", "above the floor", "{:.2f}"),
    ("steps", "steps in 40 s", "{:,.0f}"),
):
    low, high = whole[column].min(), whole[column].max()
    for model in models:
        ends = form.format(low[model]), form.format(high[model])
        shown.loc[model, name] = " to ".join(dict.fromkeys(ends))
shown["seeds"] = whole.seed.nunique()
shown

# %%
kinds = ["closed classes", "open classes", "agreement", "copies"]
_, axes = plt.subplots(figsize=(9, 3.6))
for shift, (model, colour) in enumerate(zip(models[1:], plots.COLOURS, strict=False)):
    rows = ladder[ladder.model == model].groupby("kind")
    mean, error = rows.nats.mean()[kinds], 2 * rows.nats_error.max()[kinds]
    places = np.arange(4) + 0.13 * shift - 0.26
    form = "vosPD"[shift]
    axes.errorbar(places, mean, error, fmt=form, color=colour, capsize=3, label=model)
share = ladder[ladder.model == "floor"].set_index("kind").blanks
axes.set_xticks(range(4), [f"{kind}\n({share[kind]} blanks)" for kind in kinds])
axes.set(ylabel="nats per blank", ylim=(0, None))
axes.set_title("Both sides help with little words; nobody copies in 40 seconds")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %%
print("left side only, exact:", kitchen.floor("valid"))

# %% [markdown]
# The table shows the least and the greatest of three seeds. In the figure, marks are means over the seeds, and the bars are two standard errors that come from the choice of stories. The floors are exact: from the left alone 1.58 nats, from both sides 0.69.
#
# The window, which sees only four words on each side, beats the LSTM that reads all of the left side. The BiLSTM is level with the window. And our hero, the **encoder, is not ahead**: in nats it is about where the left-only LSTM is, though its likeliest word is right more often. With *copies* all fail: 0.02 nats
# are possible, and all stand near 4.
#
# Before you give up on encoders: this race has three handicaps for it. A window is *told* which words are near, and the encoder must learn that first. The LSTM is asked for every word, the encoder for 15 % of them, so it learns from a seventh of the answers (section 11). And 40 seconds are short; it
# took about half as many steps in them as the window. We come back to this below.

# %% [markdown] statement="below_the_floor"
# #### Below the floor
#
# A friend's masked model reports 0.31 nats per blank on these stories, where 0.69 is the floor. Name three faults, of
# the model or of the measurement, that can do this, and for each a test that would find it.

# %% [markdown] written="below_the_floor" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point for each fault with a test that would find *this* fault, at most 3. Right are: the hidden word is
# still in the input, or the loss counts words that were not hidden (change the word at the place: the output must not
# move; count the places in the loss); the mean runs over all words or over the padding instead of the blanks (take the sum
# and divide by hand); test stories are in the training text (look them up, or make new ones); the places asked are easy
# ones, little words only (count kinds of words); bits and nats, or the distribution does not sum to one (add it up).
#
# Half a fault, one without its test, earns nothing. "Overfitting" counts only with the reason why it shows in the test
# text. A usual wrong idea: a large enough model can be better than the floor; on average no model can.
#
# **Sample, 3 points.** The model may see the word: I change the hidden word and look whether the answer changes. The test
# stories may have been trained on: I generate a thousand new ones and measure again. Or the loss is divided by all words,
# though only 15 % are hidden: I sum $-\ln P$ over the blanks of one story by hand and divide by their number.
#
# **Sample, 1 point.** It could be trained on the test text, so use stories made afterwards. It could also be a bug in the
# masking or in the loss, one has to read the code again.
#
# **Sample, 0 points.** The model is just larger than ours. The floor holds for our networks with 100,000 weights.
# ### END SOLUTION

# %% [markdown]
# How much should be hidden? The same encoder again, with half the time:

# %%
rates = pd.read_csv(paths.DATA / "masked" / "rates.csv").query("kind == 'all'")
spread = rates.groupby("masking").nats.agg(["min", "mean", "max"]).round(2)
spread.loc[["5 %", "15 %", "30 %", "50 %", "15 %, only <MASK>"]]

# %% [markdown]
# Nats per blank, three seeds. With 5 % a step asks so little that each seed stays behind all other runs. With 30 % all seeds are ahead of all with 15 %: BERT's rate is no law. Whether 80/10/10
# beats `<MASK>` alone cannot be told here, because the last row scatters too much.
#
# So the race above was run at a bad rate for the encoder. Here is the race again: 30 % hidden for the two that read both sides, and besides 40 seconds also 240 (one training each, on a faster machine, so compare only within this table):

# %%
longer = pd.read_csv(paths.DATA / "masked" / "longer.csv").query("kind == 'all'")
longer["seconds"] = longer.seconds.astype(int)
shown = longer.pivot(index="model", columns="seconds", values=["nats", "accuracy"])
print(shown.round(2).to_string(na_rep="-"))

# %% [markdown]
# After 40 seconds the encoder is now level with the window, and both are well ahead of the LSTM that reads the left side only. After 240 seconds the encoder is *ahead* of the window, which has hardly gained anything. (One possible reason, not measured here: what lies beyond its four words on each side, a window can never see.)
#
# Two things have changed since the first race, the share of hidden words and the number of steps, because the faster machine makes about twice as many in 40 seconds. The row for 40 seconds cannot tell which of the two brought the encoder level. But the encoder's place in the first race was no property of encoders.
# Remember this whenever a table shows a model losing, and ask: at which settings, and after how much training?

# %% [markdown]
# Does a weak masked model's PLL still rank? The stories of section 14, and each with one verb in the wrong number:

# %%
ranking = pd.read_csv(paths.DATA / "masked" / "ranking.csv")
share = ranking.groupby(["pairs", "model"]).right.agg(["min", "max"])
share.apply(lambda r: f"{r['min']:.0%} to {r['max']:.0%}", axis=1).unstack()

# %% [markdown]
# The share of pairs in the order of the true $\ln P$, over seeds: the encoder by PLL, the LSTM by its own
# $\ln P$. (This is the encoder of the first race.) For a wrong verb it is hardly better than a coin, and the LSTM is nearly always right: a PLL is only as good as its model.

# %% [markdown]
# ## 16. Two senses of one word
#
# In "the order arrives" *order* is a noun, in "they order the soup" a verb; a static vector has one place for
# both (chapter 3). We took some hundred places of new stories that say *order*, half of them nouns, and at each the 64 numbers that a network of the first race holds before its output layer. Then a straight cut
# through these numbers had to tell nouns from verbs; it was learned on half of the places and asked at the other half. "static" is the encoder's table, before anything is mixed.
#
# *Predict:* how often does the cut go wrong for each of the four?

# %%
probes = pd.read_csv(paths.DATA / "masked" / "senses.csv")
wrong = probes.groupby(["word", "model"]).error.agg(["min", "max"])
ranges = wrong.apply(lambda r: f"{r['min']:.0%} to {r['max']:.0%}", axis=1)
ranges.unstack()[["static", "window", "bilstm", "encoder"]]

# %% [markdown]
# The table shows the share of wrong answers, from the least to the greatest of three seeds. The static vector must fail half of the time, since it is the same for noun and verb. All three networks separate *order* well and *dance* badly. The encoder is not the best of them here, either.

# %% [markdown]
# ## 17. Pre-train, then fine-tune
#
# Stories cost nothing; tags cost an expert's time. So BERT's recipe is to **pre-train** on much text without
# labels, which teaches which words are alike and which stand where, and then to go on with the few labels.
#
# A **tagger** is an encoder with a linear layer, its **head**, on top. It can start from a pre-trained
# encoder: **frozen**, so that only the head learns, or **fine-tuned**, so that all weights do.

# %% [markdown] statement="fine_tune"
# ### One step
#
# An encoder maps ids $[B, T]$ to vectors $[B, T, C]$. Write
#
# - the class `Tagger(encoder, C, K, freeze)`, an `nn.Module` with the parts `encoder`, a copy of the given one, and
#   `head`, an `nn.Linear`; ids $[B, T]$ give logits $[B, T, K]$, one for each of $K$ tags. With `freeze` no weight
#   of the copy learns; without, all do, even if the given encoder came frozen.
# - `step(model, ids, tags, rate)`: one step of plain gradient descent on the weights that learn; returns the loss
#   before the step, a float: the mean of $-\ln P$ over the places whose tag, in `tags` $[B, T]$, is not $-100$. If
#   all are, the loss is 0 and nothing moves. What earlier calls of `backward` left in the weights does not count.

# %% [markdown] hints="fine_tune"
# 1. Two taggers from one encoder: after a step with the first, what does the second say? `copy.deepcopy` helps.
# 2. Each weight has a switch, `requires_grad`. Whose do you turn, the copy's or the original's?
# 3. `F.cross_entropy` leaves out targets of $-100$ by itself. What is its mean over no places at all?


# %% task="fine_tune" points=4 level=3 minutes=22
class Tagger(nn.Module):
    """A copy of an encoder, and a linear head: ids [B, T] -> logits [B, T, K]."""

    ### BEGIN SOLUTION
    def __init__(self, encoder, C, K, freeze):
        super().__init__()
        self.encoder = copy.deepcopy(encoder).requires_grad_(not freeze)
        self.head = nn.Linear(C, K)

    def forward(self, ids):
        return self.head(self.encoder(ids))

    ### END SOLUTION


def step(model, ids, tags, rate):
    """The loss before one step of gradient descent; tags of -100 do not count."""
    ### BEGIN SOLUTION
    if not (tags != -100).any():
        return 0.0
    loss = F.cross_entropy(model(ids).flatten(0, 1), tags.flatten())
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    found = torch.autograd.grad(loss, weights)
    with torch.no_grad():
        for weight, gradient in zip(weights, found, strict=True):
            weight -= rate * gradient
    return loss.item()
    ### END SOLUTION


# %% test="fine_tune" aspect="a copy of the encoder, then a head" points=1
_encoder = torch_module("Embedding", 7, 4)
_E = _encoder.weight.detach().clone()
_tagger = Tagger(_encoder, 4, 3, False)
_ids = torch.randint(7, (2, 5))
_got = _tagger(_ids.clone())
assert torch.is_tensor(_got) and _got.shape == (2, 5, 3), (
    f"B = 2, T = 5, K = 3: logits (2, 5, 3) wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _B, _T, _C, _K in ((1, 1, 3, 5), (3, 2, 6, 2), (2, 4, 2, 2)):
    _encoder = torch_module("Embedding", 9, _C)
    _E = _encoder.state_dict()["weight"].clone()
    _one, _two = Tagger(_encoder, _C, _K, False), Tagger(_encoder, _C, _K, True)
    _ids, _tags = torch.randint(9, (_B, _T)), torch.randint(_K, (_B, _T))
    _head = dict(_one.head.state_dict())
    _wanted = _E[_ids] @ _head["weight"].T + _head["bias"]
    assert close(_one(_ids.clone()), _wanted, 1e-4, 1e-6), (
        "The logits are head(encoder(ids)), from the pre-trained vectors, and no softmax."
    )
    _before = _two(_ids.clone())
    for _ in range(2):
        step(_one, _ids.clone(), _tags.clone(), 1.0)
    assert not close(dict(_one.encoder.state_dict())["weight"], _E, 1e-6), (
        "freeze=False: the tagger's own encoder learns."
    )
    assert close(_encoder.state_dict()["weight"], _E, 1e-9), (
        "A step changed the pre-trained encoder itself: copy it."
    )
    assert close(_two(_ids.clone()), _before, 1e-6), (
        "A step of one tagger changed another from the same encoder."
    )
### END HIDDEN TESTS

# %% test="fine_tune" aspect="frozen and fine-tuned" points=1
_encoder = torch_module("Embedding", 7, 4)
_E = _encoder.state_dict()["weight"].clone()
_tagger = Tagger(_encoder, 4, 3, True)
_head = dict(_tagger.head.state_dict())["weight"].clone()
step(_tagger, torch.tensor([[1, 2]]), torch.tensor([[0, 2]]), 0.5)
assert close(dict(_tagger.encoder.state_dict())["weight"], _E, 0, 0), (
    "Frozen: the encoder's weights stay as they are, to the last bit."
)
assert not close(dict(_tagger.head.state_dict())["weight"], _head, 1e-6), (
    "Frozen: the head still learns."
)
### BEGIN HIDDEN TESTS
for _C, _K in ((3, 4), (5, 2)):
    _ids, _tags = torch.randint(6, (2, 3)), torch.randint(_K, (2, 3))
    _encoder = torch_module("Embedding", 6, _C)
    _tagger = Tagger(_encoder, _C, _K, True)
    _E = _encoder.state_dict()["weight"].clone()
    try:
        leave_gradients(_encoder, torch.randint(6, (1, 3)))
    except RuntimeError:
        assert False, "The given encoder was frozen too: only the copy is to be."
    for _ in range(3):
        step(_tagger, _ids.clone(), _tags.clone(), 0.7)
    assert close(dict(_tagger.encoder.state_dict())["weight"], _E, 0, 0), (
        "Three steps: a frozen encoder moved."
    )
    _parts = torch_module("Embedding", 6, _C), torch_module("Linear", _C, _C)
    _encoder = torch_module("Sequential", *_parts)  # a bias, too
    for _freeze in (True, False):
        _tagger = Tagger(_encoder, _C, _K, _freeze)
        _before = {k: v.clone() for k, v in dict(_encoder.state_dict()).items()}
        step(_tagger, _ids.clone(), _tags.clone(), 0.7)
        for _k, _v in dict(_tagger.encoder.state_dict()).items():
            assert close(_v, _before[_k], 0, 0) == _freeze, (
                f"freeze={_freeze}, a table and a linear layer as encoder: {_k} "
                f"{'moved' if _freeze else 'did not learn'}."
            )
    _tagger = Tagger(torch_module("Embedding", 6, _C), _C, _K, False)
    _E = dict(_tagger.encoder.state_dict())["weight"].clone()
    leave_gradients(_tagger, _ids.clone())
    _tagger.encoder.requires_grad_(False)
    step(_tagger, _ids.clone(), _tags.clone(), 0.7)
    assert close(dict(_tagger.encoder.state_dict())["weight"], _E, 0, 0), (
        "Frozen after an earlier backward: a gradient of that time moved the encoder."
    )
    _frozen = torch_module("Embedding", 6, _C)
    _frozen.requires_grad_(False)
    _tagger = Tagger(_frozen, _C, _K, False)
    _E = _frozen.state_dict()["weight"].clone()
    step(_tagger, _ids.clone(), _tags.clone(), 0.7)
    assert not close(dict(_tagger.encoder.state_dict())["weight"], _E, 1e-6), (
        "freeze=False, the given encoder frozen: the copy must learn."
    )
    try:
        leave_gradients(_frozen, torch.randint(6, (1, 3)))
    except RuntimeError:
        continue
    assert False, (
        "The given encoder came frozen and was thawed: only the copy is to be."
    )
### END HIDDEN TESTS

# %% test="fine_tune" aspect="downhill by rate times gradient" points=1
_cases = [(2, 3, 4, 3, False)]
### BEGIN HIDDEN TESTS
_cases += [(1, 1, 2, 5, False), (3, 4, 3, 2, True), (2, 5, 5, 4, False)]
### END HIDDEN TESTS
for _B, _T, _C, _K, _freeze in _cases:
    _tagger = Tagger(torch_module("Embedding", 8, _C), _C, _K, _freeze)
    ### BEGIN HIDDEN TESTS
    leave_gradients(_tagger, torch.randint(8, (2, 2)))
    ### END HIDDEN TESTS
    _E = dict(_tagger.encoder.state_dict())["weight"].clone().requires_grad_()
    _W, _b = (
        dict(_tagger.head.state_dict())[n].clone().requires_grad_()
        for n in ("weight", "bias")
    )
    _ids, _tags = torch.randint(8, (_B, _T)), torch.randint(_K, (_B, _T))
    for _ in range(2):
        _loss = F.cross_entropy((_E[_ids] @ _W.T + _b).flatten(0, 1), _tags.flatten())
        _g = torch.autograd.grad(_loss, [_E, _W, _b])
        _got = step(_tagger, _ids.clone(), _tags.clone(), 0.6)
        assert is_number(_got) and not torch.is_tensor(_got), (
            f"A float wanted; yours: {_got!r}."
        )
        assert close(_got, _loss.item(), 1e-4), (
            f"The mean of -ln P before the step is {_loss.item():.4f}; yours: {_got}."
        )
        for _w, _part in zip((_E, _W, _b), _g, strict=True):
            if not (_freeze and _w is _E):
                _w.data -= 0.6 * _part
        _after = dict(_tagger.head.state_dict())
        assert close(_after["weight"], _W, 1e-4, 1e-6) and close(
            _after["bias"], _b, 1e-4, 1e-6
        ), (
            "The head should move by rate times its gradient, downhill; older gradients do not count."
        )
        assert close(dict(_tagger.encoder.state_dict())["weight"], _E, 1e-4, 1e-6), (
            f"freeze={_freeze}: the encoder is not where one step leaves it."
        )

# %% test="fine_tune" aspect="places without a tag" points=1
_tagger = Tagger(torch_module("Embedding", 8, 3), 3, 4, False)
_ids = torch.tensor([[1, 2, 3], [4, 5, 0]])
_tags = torch.tensor([[0, 3, 1], [2, -100, -100]])
_wanted = F.cross_entropy(
    _tagger(_ids.clone()).detach()[_tags >= 0], _tags[_tags >= 0]
).item()
_got = step(_tagger, _ids.clone(), _tags.clone(), 0.1)
assert is_number(_got) and close(_got, _wanted, 1e-4), (
    f"Four places have a tag: their mean is {_wanted:.4f}; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _share in (0.3, 0.7):
    _tagger = Tagger(torch_module("Embedding", 8, 3), 3, 4, False)
    _ids, _tags = torch.randint(8, (3, 6)), torch.randint(4, (3, 6))
    _tags[torch.rand(3, 6) < _share] = -100
    _tags[0, 0], _tags[2, 1:] = 1, -100
    _wanted = F.cross_entropy(
        _tagger(_ids.clone()).detach()[_tags >= 0], _tags[_tags >= 0]
    ).item()
    _got = step(_tagger, _ids.clone(), _tags.clone(), 0.1)
    assert is_number(_got) and close(_got, _wanted, 1e-4), (
        f"The mean over all tagged places, not of the texts' means: {_wanted:.4f}; yours: {_got!r}."
    )
for _freeze in (False, True):
    _tagger = Tagger(torch_module("Embedding", 8, 3), 3, 4, _freeze)
    _before = {k: v.clone() for k, v in dict(_tagger.state_dict()).items()}
    leave_gradients(_tagger, _ids.clone())
    _got = step(_tagger, _ids.clone(), torch.full((3, 6), -100), 0.1)
    assert is_number(_got) and _got == 0, (
        f"No place has a tag: the loss is 0; yours: {_got!r}."
    )
    _after = dict(_tagger.state_dict())
    assert all(close(_after[_k], _before[_k], 0, 0) for _k in _before), (
        "No place has a tag, yet a weight moved (or became NaN)."
    )
### END HIDDEN TESTS

# %% [markdown]
# The smallest encoder is a table of word vectors. With those of chapter 3 and a few stories:

# %%
stored = np.load(paths.DATA / "vectors" / "words.npz")
place_of = {word: i for i, word in enumerate(stored["words"].tolist())}
tag_kinds = sorted({tag for s in kitchen.split("train") for tag in s.tags})
few = [torch.zeros(4, 60, dtype=torch.int64), torch.full((4, 60), -100)]
for row, s in enumerate(kitchen.split("train")[:4]):
    for t, (word, tag) in enumerate(zip(s.tokens[:60], s.tags[:60], strict=True)):
        few[0][row, t], few[1][row, t] = place_of.get(word, 0), tag_kinds.index(tag)
few = [part.to(device) for part in few]
vectors = nn.Embedding.from_pretrained(torch.tensor(stored["A"].astype("float32")))
for frozen in (True, False):
    torch.manual_seed(1)
    tagger = Tagger(vectors, 50, len(tag_kinds), frozen).to(device)
    losses = [step(tagger, *few, 0.5) for _ in range(100)]
    learns = sum(w.numel() for w in tagger.parameters() if w.requires_grad)
    print(
        f"frozen {frozen}: {learns:6,} weights learn, {losses[0]:.2f} to {losses[-1]:.2f}"
    )

# %% [markdown]
# Recorded: taggers with the encoder of section 15, on 50, 200 and 1,000 labelled sentences, 100 steps, five draws
# of sentences and heads. They start from nothing, from the vectors of chapter 3 (only the embedding is ready), or
# from the pre-trained encoder. *Predict* the error with 50.

# %%
tuning = pd.read_csv(paths.DATA / "masked" / "tuning.csv").query("seed < 9")
figure, panels = plt.subplots(1, 2, figsize=(9.5, 3.4))
figure.suptitle("The fewer the labels, the more pre-training helps")
titles = {"error": "all words", "error_ambiguous": "words with several tags"}
for axes, (column, title) in zip(panels, titles.items(), strict=True):
    for shift, (start, found) in enumerate(tuning.groupby("start", sort=False)):
        one = 100 * found.groupby("sentences")[column].agg(["mean", "min", "max"])
        x = np.arange(3) + 0.1 * shift - 0.15
        ends = [one["mean"] - one["min"], one["max"] - one["mean"]]
        axes.errorbar(x, one["mean"], ends, fmt="osv^"[shift], label=start)
    axes.set_xticks(range(3), one.index)
    axes.set_xlabel("labelled sentences")
    axes.set_title(title)
    axes.set_ylim(0)
panels[0].set_ylabel("wrong tags (%)")
panels[1].legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %%
wide = tuning.pivot_table("error", ["sentences", "seed"], "start")
gain = 100 * (wide["scratch"] - wide["pre-trained"])
gain.groupby("sentences").agg(["mean", "min", "max"]).round(1)

# %% [markdown]
# The figure shows mean and range of five draws; the table, the percentage points of error that pre-training saves. With 50 sentences it saves
# most, from about 22 % wrong to 8 %, and ready vectors alone bring most of that. With 1,000 the gain is small, but no draw is
# without it. On words with several tags, where *neighbours* decide, it is different: from 200 sentences on, ready vectors no longer help, and the pre-trained
# encoder still does, provided that it is fine-tuned. Frozen, it falls behind with more labels.

# %% [markdown] statement="sixty_letters"
# #### Sixty letters
#
# A hospital wants the names of drugs marked in its letters. It has 60 letters with marks and a million without. From the last figure: how would you build the tagger, and what changes with 5,000 marked letters?

# %% [markdown] written="sixty_letters" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: pre-train on the million letters (a masked model of one's own, or go on with one that exists), put
# a head on it and fine-tune all weights. 1 point: a reason from the figure: with 50 sentences pre-training takes the error
# from about 22 % to 8 %, or frozen falls behind with every further label. 1 point: with 5,000 the gain of pre-training
# shrinks but need not vanish, so the answer compares with training from nothing before it pays for pre-training, or keeps
# it because no draw was without a gain.
#
# "Frozen" for the 60 letters is accepted in the first point if the answer says that it means to compare. Good but not
# asked: some of the 60 must be kept for testing, and a doctor should mark those letters next where the model is unsure. A
# usual wrong idea: use the million letters with marks that the first tagger makes up, without anybody looking at them.
#
# **Sample, 3 points.** I would train a masked encoder on the million letters, then put a linear layer on top and train
# everything on the 60, since in the figure that leaves 8 % of the words wrong instead of 22 %. With 5,000 letters starting from
# nothing comes close, so I would try both; but as no draw did worse with pre-training, I expect to keep it.
#
# **Sample, 2 points.** Pre-train on the unlabelled letters, fine-tune on the labelled ones, because with 50 sentences the
# error was much smaller, 8 instead of 22 %. With 5,000 I would do the same.
#
# **Sample, 0 points.** 60 letters are not enough for a neural network, so let the doctor mark all of the million.
# ### END SOLUTION

# %% [markdown]
# ## What you can do now
#
# You have built an encoder that gives the same numbers as torch's, and you have trained it on hidden words. You know why its loss counts only where it was asked, and why a loss below the floor is no triumph but a leak. You can say what the best possible answer would have been, and how far away a network
# still is. And with a few labelled sentences you can turn a pre-trained encoder into a tagger. In 2019 Google announced that its search reads questions with BERT: an encoder like yours, only much larger.
#
# There is one thing that your encoder cannot do: write. A text that is not there yet has no right side. But take that side away with one triangular mask, and every place of a text becomes a question of its own: what comes next? The blocks stay the same, each text teaches several times as much, and the model
# begins to tell stories. That is chapter 8.
#
# *To read on:* Taylor 1953 (the cloze test); Devlin and others 2018 (BERT); Peters and others 2018 (ELMo); Xiong and others 2020 (where the norm stands); Salazar and others 2020 (pseudo-log-likelihood).
