# ---
# title: Attention, or words that look things up
# ---

# %% [markdown]
# In the recurrent network of chapter 05, whatever the first word has to tell the last must pass through every state
# in between. In a text of a thousand words these are a thousand handovers, and at each of them something may get
# lost.
#
# Why should a word wait for that? It could *look up* what it needs directly, wherever it is in the text. This is
# **attention**, and a Transformer is made of little else. You will build it here, from a single dot product to the
# multi-head attention of torch. At the end you open a trained Transformer, find the head that copies names, switch it
# off, and watch what the network can no longer do.

# %% [markdown]
# A small language model of kitchen stories runs through the chapter. At first it sees only the last word. Each part
# that you build is added to it, and we look at its **perplexity** (a model with perplexity 20 is as uncertain as if
# it chose evenly among 20 words).
#
# Do not expect records from it. It is small and trained for only 400 steps, and simple counting is still ahead:
# chapter 02's Kneser-Ney model, counted on the same 100,000 words, has a perplexity of 16 to 17 on part of the
# held-out text (section 13 of chapter 05), and our ladder ends above that. We want to see what each part *adds*. What
# attention can do after a longer training is the subject of chapter 08.
#
# | letter | what | shape |
# |---|---|---|
# | $Q, K, V$ | queries, keys, values, a word in each *row* | $[m, d_k], [n, d_k], [n, d_v]$ |
# | $S$, $P$ | scores, weights | $[m, n]$ |
# | $Z$ | what is looked up | $[m, d_v]$ |
#
# A small letter is one row. There are $m$ words that ask and $n$ that answer. In self-attention these are the words
# of one text, so $m = n = T$; a batch has $B$ such texts. Each word has $d$ numbers, and each layer $h$ heads.

# %% [markdown]
# The chapter follows public lectures: 000 (unsigned), 001 (Greg Durrett), 002 (Fabrizio Silvestri), 003 (Yoav Artzi)
# and 004 (Benjamin Muller). You do not need to know them. Where something printed there is wrong, it has become a
# task or is in a folded box.

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

import lmkit
from lmkit import drawings, kitchen, paths, plots, runs
from lmkit.budgets import budget
from lmkit.testing import (
    arguments_after,
    close,
    is_number,
    parameter_gradients,
    without_autograd,
)
from lmkit.training import choose_device, set_seed, shuffled, train, warmup_cosine
from lmkit.transformer import rotate

device = choose_device()
plots.use_style()
torch.set_num_threads(1)  # for networks this small a second thread costs more

# %% [markdown]
# `device` is where the networks of this chapter are trained: on a GPU if torch finds one in your machine, otherwise on
# the CPU. Every answer works on a CPU. If you have a GPU and your answer makes a tensor of its own, make it where its
# input is: `torch.zeros(3, device=x.device)`.

# %% [markdown]
# ## 1. A dictionary that answers softly
#
# A Python dict returns the value of the one key that *equals* the query, and a `KeyError` if there is none. A **soft**
# lookup always answers: it compares the query $q$ with every key $k_i$ and mixes all values $v_i$, those of better-matching
# keys more. As a measure of agreement we take the dot product, the **score** $s_i = q \cdot k_i$.
#
# To mix, we need weights $p_i$ that are positive, sum to 1 and grow with the score. The exponential makes any score positive, and a
# division makes the sum 1. That is the **softmax**:
#
# $$s_i = q \cdot k_i \qquad p_i = \frac{e^{s_i}}{\sum_j e^{s_j}} \qquad z = \sum_i p_i v_i$$

# %% folded="draws the soft look-up" alt="A query meets four keys; the scores go through softmax to four weights, each weight multiplies a value, and the sum is the answer."
drawings.soft_lookup()

# %% [markdown]
# From left to right: the query meets each key, the scores become weights, the weights mix the values. Since
# $p_i / p_j = e^{s_i - s_j}$, only *differences* of scores matter.
#
# The smallest example is lecture 001's. The text is 0 0 1 0, and we seek the 1. A 0 has the vector $[1, 0]$, a 1 has $[0, 1]$; these
# vectors serve as keys *and* as values, so the keys are $[1, 0], [1, 0], [0, 1], [1, 0]$. The query is $[0, 1]$.

# %% [markdown] statement="soft_lookup"
# Three ways to one number:
#
# - `by_hand()`: $z$ for this text, with the number $e$ taken as 3, so that you can work it out in your head;
# - `lookup_loop(q, keys, values, e=math.e)`: $z$ as a list, from lists; any positive number may stand for $e$;
# - `lookup(q, K, V)`: $z$ without a loop, from arrays $K$ $[n, d_k]$ and $V$ $[n, d_v]$. Scores may be in the thousands.
#
# Everything in this chapter rests on it.

# %% [markdown] hints="soft_lookup"
# 1. By hand: four scores, then four powers of 3. What do these powers sum to?
# 2. The answer has as many numbers as a *value*, not as many as a key, and not as many as there are keys.
# 3. Array: one product gives all scores, another mixes the rows of $V$. A constant taken off all scores changes no weight: which one
#    keeps the powers small?


# %% task="soft_lookup" points=4 level=1 minutes=15
def by_hand():
    """z for 0 0 1 0 with e = 3: two numbers."""
    ### BEGIN SOLUTION
    return [3 / 6, 3 / 6]
    ### END SOLUTION


def lookup_loop(q, keys, values, e=math.e):
    """z: list of d_v numbers, from q: d_k numbers, keys: n lists of d_k, values: n lists of d_v."""
    ### BEGIN SOLUTION
    weights = []
    for k in keys:
        weights.append(e ** sum(q[j] * k[j] for j in range(len(q))))
    p = [weight / sum(weights) for weight in weights]
    return [
        sum(p[i] * values[i][j] for i in range(len(p))) for j in range(len(values[0]))
    ]
    ### END SOLUTION


def lookup(q, K, V):
    """z: [d_v], from arrays q: [d_k], K: [n, d_k], V: [n, d_v]."""
    ### BEGIN SOLUTION
    s = K @ q
    weights = np.exp(s - s.max())
    return weights @ V / weights.sum()
    ### END SOLUTION


# %% test="soft_lookup" aspect="four words by hand" points=1
_got = by_hand()
assert close(np.shape(_got), (2,), 0, 0), (
    f"by_hand returns two numbers, a mix of [1, 0] and [0, 1]; yours: {_got!r}."
)
assert close(sum(_got), 1, 0, 0.01), (
    f"A mix of [1, 0] and [0, 1] sums to 1; yours: {sum(_got)}."
)
### BEGIN HIDDEN TESTS
assert close(_got, [0.5, 0.5], 0, 0.006), (
    f"Not {_got!r}: with e = 3 the weights are as 1 to 1 to 3 to 1."
)
### END HIDDEN TESTS

# %% test="soft_lookup" aspect="a loop, any e" points=1
_seen = [[1, 0], [1, 0], [0, 1], [1, 0]]
_got = lookup_loop([0, 1], _seen, [[6], [6], [12], [0]], e=3)
assert close(np.shape(_got), (1,), 0, 0), (
    f"Values of one number: z has one; yours: {_got!r}."
)
assert close(_got, [8], 1e-5), (
    f"Weights 1/6, 1/6, 1/2, 1/6 of the values 6, 6, 12, 0: 8; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_n, _d_k, _d_v = size("n"), size("d_k"), size("d_v")
_q, _keys, _values = (
    made(lambda rng, numbers: numbers.tolist(), array(*_axes))
    for _axes in ((_d_k,), (_n, _d_k), (_n, _d_v))
)
agrees(lookup_loop, ours.lookup_loop, _q, _keys, _values, rtol=1e-4, atol=1e-6)
_e = number(0.5, 4, (1, 3, 7.5))
agrees(lookup_loop, ours.lookup_loop, _q, _keys, _values, _e, rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS

# %% test="soft_lookup" aspect="arrays, without a loop" points=1
_seen = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])
_got = lookup(
    np.array([0.0, 1.0]), _seen, np.array([[6, 1, 0], [6, 1, 0], [12, 0, 0], [0, 1, 0]])
)
_wanted = np.array([12 + 12 * math.e, 3, 0]) / (3 + math.e)
assert close(np.shape(_got), (3,), 0, 0), (
    f"Values of three numbers: z has three; yours: {_got!r}."
)
assert close(_got, _wanted, 1e-4, 1e-6), f"Wanted {_wanted.round(4)}; yours: {_got}."
### BEGIN HIDDEN TESTS
_n, _d_k, _d_v = size("n"), size("d_k"), size("d_v")
_q, _K, _V = (
    array(*_axes, kind=choice("float64", "int64"))
    for _axes in ((_d_k,), (_n, _d_k), (_n, _d_v))
)
agrees(lookup, ours.lookup, _q, _K, _V, rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS

# %% test="soft_lookup" aspect="large scores do not overflow" points=1
_K, _V = np.array([[1.0, 2], [1, 3], [2, 4], [2, 5]]), np.diag([1.0, 2, 3, 4])
with np.errstate(all="ignore"):
    for _large in (3000.0, -3000.0):
        _got, _wanted = lookup(np.array([_large, 0.0]), _K, _V), [0.5, 1, 0, 0]
        if _large > 0:
            _wanted = [0, 0, 1.5, 2]
        assert close(_got, _wanted, 1e-4, 1e-6), (
            f"Scores {_large}, twice, and {2 * _large}, twice: {_wanted}; yours: {_got}."
        )
### BEGIN HIDDEN TESTS
_n, _d_k, _d_v = size("n"), size("d_k", large=None), size("d_v", large=None)
_q = made(lambda rng, q: np.append(q, 1.0), array(_d_k, edges=("huge",)))
_K = made(  # the last number of each key adds the same to all scores
    lambda rng, K, high: np.hstack([K, np.full((len(K), 1), high)]),
    array(_n, _d_k),
    number(-5000, 5000, (0,)),
)
agrees(lookup, ours.lookup, _q, _K, array(_n, _d_v), rtol=1e-3, atol=1e-4)
### END HIDDEN TESTS

# %% scratch=true
lookup(
    np.array([1, 1]), np.array([[1, 0], [0, 2]]), np.array([[10], [20]])
)  # a dictionary of your own

# %%
E = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])  # 0 0 1 0
one = np.array([0, 1])
loop = [np.round(lookup_loop(one, E, E, e), 4) for e in (3, math.e)]
print("e = 3, by hand and by loop:", by_hand(), loop[0])
print("true e, by loop and array: ", loop[1], lookup(one, E, E).round(4))
print("keys times 10:             ", lookup(one, 10 * E, E).round(6))
print("query 0, and the mean:     ", lookup(0 * one, E, E), E.mean(axis=0))

# %% [markdown]
# $z$ is a **weighted mean** of the values: no weight is negative and they sum to 1, so $z$ lies in the *convex hull* of the values (for two
# values, on the line between them). With all scores equal it is the plain mean, the bag of words of chapter 4. Keys
# ten times as long make the scores differ more, and the lookup is nearly a dict again.
