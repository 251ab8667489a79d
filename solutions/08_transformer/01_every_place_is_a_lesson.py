# ---
# title: A causal Transformer
# ---

# %% [markdown]
# In chapter 05 a network read one word after the other, and all that it knew of the past had to fit into one state. In
# chapter 06 attention looked back at every word directly, wherever it was. That helped a small model to guess the next
# word, but we did not let it write a line. Can attention *write*?
#
# It can. The **causal Transformer** of this chapter is the kind of network that today's chat programs are made of. In
# the first half you build one and learn to predict what it will do before it has run once: how many weights it has,
# what a training step costs, and what its first loss should be. If that first loss is wrong, you will know which bug to
# look for. In the second half your own parts (attention, normalisation, optimiser, learning-rate schedule, cache and
# sampler) become a model of today. You train it for a few steps to see that it learns, and then give it the weights of
# a longer training, which we recorded, because we want to read what such a model writes.
#
# Plan two sittings: sections 1 to 8, and 9 to 18.

# %% [markdown]
# You do not need this table yet. Come back to it when you meet a letter that you have forgotten.
#
# | letter | what |
# |---|---|
# | $B$, $T$ | texts in a batch, tokens in each |
# | $V$ | kinds of token (the vocabulary) |
# | $C$ | numbers for a token (the width) |
# | $H$, $D$ | heads, and the width of one: $D = C / H$ |
# | $N$ | layers (blocks) |
#
# Shapes are in brackets: $[B, T, V]$. A small letter that is explained in a section holds for that section only.
#
# The chapter follows public lectures: 000 (unsigned), 002 (Fabrizio Silvestri), 003 (Yoav Artzi) and 004 (Benjamin
# Muller). You do not need to know them. Where something printed there is wrong, it has become a task or is in a folded
# box.

# %%
import hashlib
import math
import random
import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

import lmkit
from lmkit import drawings, kitchen, paths, plots, runs, transformer
from lmkit.budgets import budget
from lmkit.models import encode
from lmkit.optimizers import adamw
from lmkit.testing import (
    arguments_after,
    close,
    gradients,
    is_number,
    laid_out_otherwise,
    parameter_gradients,
    torch_module,
)
from lmkit.training import choose_device, set_seed, train, warmup_cosine

device = choose_device()
plots.use_style()
plt.rcParams.update({"figure.figsize": (6, 2.5), "figure.dpi": 68})  # many figures
torch.set_num_threads(1)  # our networks are small: a second thread costs more

# %% [markdown]
# `device` is where the models of this chapter are trained: on a GPU if torch finds one in your machine, otherwise on the
# CPU. Every answer works on a CPU. If you have a GPU and your answer makes a tensor of its own, make it where its input
# is: `torch.zeros(3, device=x.device)`.
#
# We begin with the kitchen text, letter by letter. There are only a few different letters, so even a tiny model shows
# something within seconds. Words come in section 15.

# %%
corpus = lmkit.load("kitchen")
text = "\n".join(" ".join(document) for document in corpus.splits["train"])
alphabet = sorted(set(text))
V = len(alphabet)
number = {letter: i for i, letter in enumerate(alphabet)}
ids = torch.tensor([number[letter] for letter in text])
print(f"{len(ids):,} letters, V = {V}:", "".join(alphabet).strip())

# %% [markdown]
# ## 1. Every place is a lesson
#
# A language model gives each text a probability, one token after the other (the chain rule, chapter 1): $P(x_1 \dots x_n) = \prod_t P(x_t \mid x_1 \dots x_{t-1})$. So it is a classifier whose classes are the $V$ tokens.
#
# A text of $T + 1$ tokens asks $T$ such questions (lecture 000): *a quick brown fox jumps over a lazy* goes in, *quick brown fox jumps over a lazy dog* should
# come out, word below word. All are asked at once, and at each place the model reads the *true* beginning, whatever it would have guessed itself: **teacher forcing**.

# %% [markdown] statement="examples"
# The loss is minus the logarithm of what the text's own tokens got, so that small means probable, averaged over places, so that long and short texts compare.
#
# - `examples(ids, starts, T)`: inputs and targets, both $[B, T]$. Row $b$ of the inputs begins at `starts[b]`; targets are the next
#   tokens.
# - `lm_loss(scores, targets)`: the mean of $-\ln P(\text{target})$ over all $B \cdot T$ places, in nats, from **logits** (scores before the softmax) $[B, T, V]$.

# %% [markdown] hints="examples"
# 1. How many tokens of `ids` does one row need, inputs and targets together?
# 2. A start is one number, a row is a range of them: a column $[B, 1]$ plus a row $[T]$ gives a table of places.
# 3. torch's cross-entropy takes the *second* axis for the classes. Join $B$ and $T$ to one axis first, in scores and targets alike.


# %% task="examples" points=3 level=1 minutes=10
def examples(ids, starts, T):
    """(inputs, targets), both [B, T], from token numbers ids: [N] and starts: [B]."""
    ### BEGIN SOLUTION
    places = starts[:, None] + torch.arange(T, device=starts.device)
    return ids[places], ids[places + 1]
    ### END SOLUTION


def lm_loss(scores, targets):
    """Mean of -ln P(target), without axes, from scores [B, T, V] and targets [B, T]; gradients pass. Scores may be 1,000 beside 0; both may be views (not contiguous)."""
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
assert all(np.asarray(_side).dtype.kind in "iu" for _side in _got), (
    f"Inputs and targets are token numbers; yours: {_got}."
)
_T = size("T")
_tokens = made(lambda rng, T: torch.tensor(rng.sample(range(99), T + 1)), _T)
_zeros = made(lambda rng, B: torch.zeros(B, dtype=torch.int64), size("B"))
agrees(examples, ours.examples, _tokens, _zeros, _T)
### END HIDDEN TESTS

# %% test="examples" aspect="each row from its start" points=1
_N, _T, _starts = 20, 4, [3, 0, 15]
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
_B, _T, _further = size("B"), size("T"), size("further", least=0)
_ids = made(
    lambda rng, T, more: torch.tensor(rng.sample(range(99), T + 1 + more)), _T, _further
)
_starts = made(
    lambda rng, B, more: torch.tensor(rng.choices(range(more + 1), k=B)),
    _B,
    _further,
    edges=[lambda rng, B, more: torch.full((B,), more)],
)
agrees(examples, ours.examples, _ids, _starts, _T)
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
_B, _T, _V = size("B"), size("T"), size("V")
_scores = tensor(
    _B, _T, _V, scale=3, edges=("huge",), kind=choice("float64", "float32")
)
_targets = made(
    lambda rng, B, T, V: torch.tensor([rng.choices(range(V), k=T) for _ in range(B)]),
    _B,
    _T,
    _V,
)
_close = {"rtol": 1e-4, "atol": 1e-3}
agrees(lm_loss, ours.lm_loss, _scores, _targets, **_close)
agrees(
    lm_loss,
    ours.lm_loss,
    _scores,
    _targets,
    by=laid_out_otherwise,
    mixtures=0,
    **_close,
)
agrees(lm_loss, ours.lm_loss, _scores, _targets, by=gradients, rtol=1e-3, atol=1e-5)
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
# Compare the two lines, letter above letter: each target is the next letter. But attention sees the whole input, and the answer to place $t$ stands there, at $t + 1$. We must forbid the look ahead.
