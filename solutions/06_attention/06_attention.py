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

# %%
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
for _e, _n, _d_k, _d_v in (
    (7.5, 1, 3, 2),
    (1, 5, 2, 4),  # values wider than keys
    (2, 5, 1, 3),
    (3, 4, 3, 1),
    (3, 1, 1, 1),
    (0.5, 4, 3, 2),
    (math.e, 6, 3, 2),
):
    _rng = np.random.default_rng()
    _q, _K, _V = (_rng.normal(size=_size) for _size in (_d_k, (_n, _d_k), (_n, _d_v)))
    _p = np.array([_e ** float(_k @ _q) for _k in _K])
    _extra = {} if _e == math.e else {"e": _e}
    _got = lookup_loop(_q.tolist(), _K.tolist(), _V.tolist(), **_extra)
    assert close(np.shape(_got), (_d_v,), 0, 0), (
        f"Keys of {_d_k} numbers, values of {_d_v}: z has {_d_v}; yours: {_got!r}."
    )
    assert close(_got, _p @ _V / _p.sum(), 1e-4, 1e-6), (
        f"{_n} random keys of {_d_k} numbers, e = {_e:.2f}: {_got} is wrong."
    )
_lists = _q.tolist(), _K.tolist(), _V.tolist()
assert all(map(close, arguments_after(lookup_loop, *_lists), (_q, _K, _V))), (
    "lookup_loop changes the lists that it is given."
)
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
for _n, _d_k, _d_v in (
    (1, 2, 3),
    (5, 3, 1),
    (6, 2, 4),
    (4, 1, 2),
    (1, 1, 1),
    (3, 5, 2),
    (4, 3, 5),
):
    _rng = np.random.default_rng()
    _q, _K, _V = (_rng.normal(size=_size) for _size in (_d_k, (_n, _d_k), (_n, _d_v)))
    _p = [math.exp(sum(a * b for a, b in zip(_q, _k, strict=True))) for _k in _K]
    _wanted = [sum(_p[i] * _V[i, j] for i in range(_n)) / sum(_p) for j in range(_d_v)]
    _got = lookup(_q.copy(), _K.copy(), _V.copy())
    assert close(_got, _wanted, 1e-4, 1e-6), (
        f"n = {_n}, d_k = {_d_k}, d_v = {_d_v}: z, shape {np.shape(_got)}, is wrong."
    )
    _after = arguments_after(lookup, _q.copy(), _K.copy(), _V.copy())
    assert all(map(close, _after, (_q, _K, _V))), (
        "lookup changes the arrays that it is given."
    )
_whole, _V = np.array([[2, 0], [0, 3], [1, -1]]), np.array([[1, 0], [0, 1], [5, 7]])
for _q, _K in ((np.array([0.75, -0.5]), _whole), (np.array([2, -1]), _whole / 4)):
    _p = np.exp(_K.astype(float) @ _q)
    assert close(lookup(_q, _K, _V), _p @ _V / _p.sum(), 1e-4, 1e-6), (
        f"Whole numbers in one, fractions in the other: q = {_q.tolist()}, "
        f"K = {_K.tolist()}: z is wrong."
    )
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
for _sign in (1, -1, 0):
    _high = _sign * random.uniform(2000, 5000)  # and scores a little above and below
    _less = np.array([0, 1, random.uniform(0.2, 0.9), random.uniform(1.5, 3)])
    _p = np.exp(-_less) / np.exp(-_less).sum()
    _K = np.stack([np.ones(4), -_less], axis=1)
    with np.errstate(all="ignore"):
        _got = lookup(np.array([_high, 1.0]), _K, np.diag([1.0, 2, 3, 4]))
    assert close(_got, _p * [1, 2, 3, 4], 1e-3, 1e-4), (
        f"Scores near {_high:.0f} that differ by 1 and less: wanted {_p * [1, 2, 3, 4]}; yours: {_got}."
    )
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

# %% [markdown] statement="needle"
# ## 2. Predict, then measure: one needle, much hay
#
# Of $n \ge 2$ keys one, the needle, has the score $s$; all others, the hay, have 0.
#
# - `guess`, first: with $s = 10$ and $n = 100{,}000$, how much weight (0 to 1) does that one key get? Any honest guess counts;
# - `weight_on_one(n, s)`: its weight; $s$ from -100 to 1,000;
# - `score_needed(n, share)`: the $s$, perhaps negative, with which its weight is `share` (above 0, below 1);
# - `measured`: the weight you guessed, computed.

# %% [markdown] hints="needle"
# 1. What do the other $n - 1$ keys contribute to the denominator, all together?
# 2. Divide above and below by $e^s$: then no power is large.
# 3. Needle to hay is as `share` to $1 -$ `share`. Solve that for $e^s$, then take the logarithm.


# %% task="needle" points=3 level=2 minutes=11
def weight_on_one(n, s):
    """Weight of one key with score s among n, the others' scores being 0."""
    ### BEGIN SOLUTION
    return 1 / (1 + (n - 1) * math.exp(-s))
    ### END SOLUTION


def score_needed(n, share):
    """The score s for which weight_on_one(n, s) is `share`."""
    ### BEGIN SOLUTION
    return math.log((n - 1) * share / (1 - share))
    ### END SOLUTION


# guess = a number from 0 to 1, written down before you compute
# measured = the weight of the one for n = 100,000 and s = 10
### BEGIN SOLUTION
guess = 0.9
measured = weight_on_one(100_000, 10)
### END SOLUTION

# %% test="needle" aspect="one among n" points=1
for _n, _s, _wanted in (
    (4, 1, 0.475367),
    (10, 1, 0.231969),
    (1000, 10, 0.956614),
    (7, 0, 1 / 7),
    (5, 1000, 1),
):
    _got = weight_on_one(_n, _s)
    assert is_number(_got), f"weight_on_one returns a number; yours: {_got!r}."
    assert close(_got, _wanted, 0, 1e-6), (
        f"n = {_n}, s = {_s}: {_wanted:.6f}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_cases = [
    (10**6, 13),
    (40, -3.5),
    (random.randint(50, 90), 0),
    (random.randint(50, 90), 1000),
]
_cases += [(10**9, 21), (10**12, 27.5), (10**16, 37), (3, -100)]
_cases += [(2, random.uniform(-2, -1)), (random.randint(2, 9), random.uniform(-5, -1))]
_cases += [(random.randint(2, 500), random.uniform(0.5, 6)) for _ in range(3)]
for _n, _s in _cases:
    _got, _wanted = weight_on_one(_n, _s), 1 / (1 + (_n - 1) * math.exp(-_s))
    assert close(_got, _wanted, 1e-5), f"n = {_n:,}, s = {_s:.2f}: {_got} is wrong."
### END HIDDEN TESTS

# %% test="needle" aspect="the score a share needs" points=1
_got = score_needed(101, 0.5)
assert is_number(_got), f"score_needed returns a number; yours: {_got!r}."
assert close(_got, math.log(100), 1e-5), (
    f"As heavy as 100 others: s = ln 100 = 4.605; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_n = random.randint(50, 90)
_cases = [(random.randint(20, 5000), random.uniform(0.6, 0.99)), (_n, 0.3), (_n, 0.5)]
_cases += [
    (_n, random.uniform(0.1, 0.9) / _n),
    (4, 0.25),
    (2, random.uniform(0.1, 0.4)),
]
_cases += [(10**6, 1 - 1e-6), (2, 1e-6)]
for _n, _share in _cases:
    _got = score_needed(_n, _share)
    _wanted = math.log(_n - 1) + math.log(_share) - math.log1p(-_share)
    assert close(_got, _wanted, 1e-4, 1e-4), (
        f"n = {_n}, share {_share:.6f} (equal would be {1 / _n:.6f}): s is not {_got}."
    )
### END HIDDEN TESTS

# %% test="needle" aspect="guess and measurement" points=1
for _name, _value in (("guess", guess), ("measured", measured)):
    assert is_number(_value), f"{_name} should be a number, not {_value!r}."
    assert 0 <= _value <= 1, f"A weight lies between 0 and 1; your {_name}: {_value}."
### BEGIN HIDDEN TESTS
assert close(measured, 0.180514, 0, 0.001), (
    f"measured is not {measured}: n = 100,000, s = 10."
)
### END HIDDEN TESTS

# %% scratch=true
weight_on_one(1000, 5), score_needed(1000, 0.9)  # numbers of your own

# %%
lengths = np.logspace(0.31, 6, 60)
curves = {s: [weight_on_one(n, s) for n in lengths] for s in (1, 3, 10)}
needed = [score_needed(n, 0.5) for n in lengths]

# %%
_, (left, right) = plt.subplots(1, 2, figsize=(6.4, 2.1))
for s, weights in curves.items():
    left.semilogx(lengths, weights)
    left.text(1.3 * math.exp(s), 0.5, s)
left.plot(1e5, measured, "ko", label="measured")
left.plot(1e5, guess, "kx", label="your guess")
left.set(xlabel="length of the text (words, log)", ylabel="weight of the needle")
right.semilogx(lengths, needed)
right.set(xlabel="length of the text (words, log)", ylabel="score for weight ½")
left.legend(loc="upper center", bbox_to_anchor=(0.5, 1.22), ncols=2, fontsize=9)
plt.show()

# %% [markdown]
# Left (the numbers are scores): a fixed score loses its weight as the text grows, since $n - 1$ keys of score 0 add $n - 1$
# to the denominator. Right: to keep half of the weight, the score must grow like the logarithm of the length.
#
# ## 3. The printed slide is wrong: find it
#
# Lecture 000 asks how the word *fox* relates to the nine words of its sentence. A "hard" maximum, it says, would pick *brown* alone, while
# "softmax would return us something like this":

# %%
fox = pd.DataFrame(
    {
        "score": [4, 6, 6.1, 4, 6, 1, -3, -4, -3],
        "printed": [0.05, 0.36, 0.40, 0.06, 0.13, 0.0, 0.0, 0.0, 0.0],
    },
    index=["a", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"],
)
print(fox.T.to_string())

# %% [markdown] statement="explain_print"
# Two equal scores have unequal printed weights: no softmax gives that. Which score would explain it?
#
# - `best_repair(scores, printed, candidates)`: change *one* score, to one of the candidates, so that the softmax comes as close to
#   the print as possible (any reasonable distance will do). Return `(i, new score)`;
# - `repaired`: the lecture's word and the whole number, from -9 to 9, that explain its print: `("word", number)`.

# %% [markdown] hints="explain_print"
# 1. Which words have equal scores? What should their printed weights be like?
# 2. There are only nine places and a few candidates: try all. How far are two lists of weights apart?
# 3. For each place and candidate, what would be printed? The pair whose print differs least from the real one explains it best.


# %% task="explain_print" points=3 level=2 minutes=13
def best_repair(scores, printed, candidates):
    """(i, s): with scores[i] replaced by s, one of the candidates, the softmax is closest to `printed`."""

    ### BEGIN SOLUTION
    def distance(repair):
        weights = np.exp(
            [repair[1] if i == repair[0] else s for i, s in enumerate(scores)]
        )
        return np.abs(weights / weights.sum() - printed).max()

    return min([(i, s) for i in range(len(scores)) for s in candidates], key=distance)
    ### END SOLUTION


# repaired = (a word of the sentence, the whole number that its score should be)
### BEGIN SOLUTION
repaired = best_repair(
    fox["score"].to_numpy(), fox["printed"].to_numpy(), range(-9, 10)
)
repaired = (fox.index[repaired[0]], repaired[1])
### END SOLUTION

# %% test="explain_print" aspect="one score, best of all" points=1
_got = best_repair([0.0, 1.0, 2.0], [0.09, 0.67, 0.24], [0, 1.0, 3.0])
assert close(np.shape(_got), (2,), 0, 0), (
    f"best_repair returns a pair (i, new score); yours: {_got!r}."
)
assert close(_got, (1, 3)), (
    f"Softmax of 0, 3, 2 is .04, .70, .26: the pair is (1, 3); yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_candidates = [-1.75, 0.25, 1.25, 2.25, 3.75]
for _i in (0, 6, random.randrange(7)):
    _scores, _s = np.random.default_rng().normal(size=7), random.choice(_candidates)
    if _i == 0:
        _s = 3.75  # which changes all other weights much
    _print = np.exp(np.where(np.arange(7) == _i, _s, _scores))
    _got = best_repair(
        _scores.tolist(), (_print / _print.sum()).tolist(), list(_candidates)
    )
    assert close(_got, (_i, _s)), (
        f"Score {_i} was changed to {_s}, and printed without rounding; you find {_got}."
    )
for (
    _at,
    _s,
    _scores,
    _print,
) in (  # rounded: the word printed worst is not the one, all distances agree
    (
        0,
        1.25,
        [1.222, 0.081, -1.025, -0.119, 0.924, -0.267, -0.754],
        [36, 11, 4, 9, 26, 8, 5],
    ),
    (
        2,
        -1.75,
        [1.637, -0.469, -2.15, 0.607, 1.006, -0.116, -0.113],
        [42, 5, 1, 15, 22, 7, 7],
    ),
    (
        6,
        -1.75,
        [-0.136, -0.255, 0.083, 1.309, -0.164, 0.023, -1.705],
        [10, 9, 13, 44, 10, 12, 2],
    ),
):
    _order, _more = np.random.default_rng().permutation(7), random.uniform(-3, 3)
    _i = int(np.flatnonzero(_order == _at)[0])
    _scores, _print = np.array(_scores)[_order] + _more, np.array(_print)[_order] / 100
    _changed = [_one + _more for _one in _candidates]
    _got = best_repair(_scores.tolist(), _print.tolist(), list(_changed))
    assert close(_got, (_i, _s + _more)), (
        f"Score {_i} of 7 should be {_s + _more:.2f}, to explain a print of two digits; you find "
        f"{_got}. Have you tried all places with all candidates?"
    )
for _scores, _at, _s, _candidates in (
    ([0, 1, 2], 1, 2, [2, 5]),  # the score that another word has
    ([2, 0, 0], 2, 2, [5, 2]),
    ([3, -1, 1], 0, 0, [2, 0, -2]),  # a candidate of 0
    *[([0, 1, 2], 0, _s, [2.1, 2.9, 2.4]) for _s in (2.1, 2.4, 2.9)],
    *[([3, -1], 1, _s, [-0.6, 0.3, 0.7]) for _s in (-0.6, 0.3, 0.7)],
):
    _print = np.exp([_s if i == _at else _one for i, _one in enumerate(_scores)])
    _print = (_print / _print.sum()).tolist()
    _got = best_repair(list(_scores), list(_print), list(_candidates))
    assert close(_got, (_at, _s)), (
        f"Scores {_scores}, candidates {_candidates}: score {_at} was changed to {_s}, "
        f"and printed without rounding; you find {_got}."
    )
_got = best_repair([1, 1, 2], [0.08, 0.10, 0.82], [4, 0])
assert close(_got, (2, 4)), (
    "Equal scores 1 and 1 are printed .08 and .10, yet it is the score 2, printed .82, "
    f"that 4 explains best: (2, 4); you find {_got}. Try all places."
)
_lists = [0.5, 2.0, -1.0, 1.5], [0.2, 0.5, 0.1, 0.2], [2.0, -1.0, 3.0, 0.5]
_after = arguments_after(best_repair, *(list(_list) for _list in _lists))
assert all(map(close, _after, _lists)), (
    "best_repair changes the lists that it is given: put scores into a copy."
)
### END HIDDEN TESTS

# %% test="explain_print" aspect="the lecture's print explained" points=2
assert isinstance(repaired, tuple | list) and len(repaired) == 2, (
    f"repaired is a pair (word, number); yours: {repaired!r}."
)
assert repaired[0] in [*fox.index], (
    f"The first of `repaired` is one of the nine words; yours: {repaired[0]!r}."
)
assert is_number(repaired[1]), (
    f"The second of `repaired` is a number; yours: {repaired[1]!r}."
)
### BEGIN HIDDEN TESTS
assert repaired[0] == "jumps", (
    f"Not {repaired[0]}: whose printed weight is far from its score's?"
)
assert close(repaired[1], 5), f"The word is right, its score is not {repaired[1]}."
### END HIDDEN TESTS

# %% scratch=true
softmax_of = np.exp([4.0, 6, 5]) / np.exp([4.0, 6, 5]).sum()
softmax_of.round(2)  # scores of your own


# %%
def softmax(s):
    """Weights p: [n] of scores s: [n]."""
    p = np.exp(s - np.max(s))
    return p / p.sum()


fox["true"] = softmax(fox["score"])
fox["repaired"] = softmax(fox["score"].where(fox.index != repaired[0], repaired[1]))
print(fox.round(3).T.to_string())

# %% [markdown]
# The repaired score explains all weights but that of *fox* itself, .06 for .05, perhaps so that the printed row sums to 1.
# And no softmax weight is ever 0: the four printed as 0.00 hold .002 together (row *true*).
#
# <details><summary>Slips in the printed slides</summary>
#
# Lecture 001 prints its example of section 1 with weights 1/6, 1/6, 1/2, 1/6: these belong to $e = 3$. With the true $e$
# they are .175, .175, .475, .175. The identity matrix that is to make its keys ten times as long should be $10\,I$.
# </details>
#
# How peaked is a softmax? Multiply all scores by one number:

# %%
scales = [0, 0.2, 0.5, 1, 10, 100]
rows = np.array([softmax(scale * fox["score"].to_numpy()) for scale in scales])
bits = [-(p[p > 0] * np.log2(p[p > 0])).sum() + 0 for p in rows]  # the entropy
labels = [f"× {scale}: {b:.1f} bits" for scale, b in zip(scales, bits, strict=True)]
tried = np.linspace(4, 8, 81)
changed = [fox["score"].where(fox.index != "quick", s).to_numpy() for s in tried]

# %%
_, (left, right) = plt.subplots(1, 2, width_ratios=[5, 4], figsize=(6.6, 2.1))
image = left.imshow(rows, cmap="Blues", aspect="auto", vmin=0, vmax=1)
left.set_xticks(range(9), fox.index, rotation=60)
left.set_yticks(range(6), labels)
left.grid(False)
plt.colorbar(image, ax=left, label="weight")
right.plot(tried, [softmax(s)[1] for s in changed], label="soft")
right.plot(tried, [float(s.argmax() == 1) for s in changed], "--", label="hard")
right.set(xlabel="score of quick", ylabel="weight on quick")
right.legend(loc="upper left", fontsize=9, handlelength=1)
plt.show()

# %% [markdown]
# Left, downwards: from the bag of words (3.2 bits of entropy, weights all equal) to a dict (0). Why not take the hard
# maximum at once? Right: its weight is a step. Its slope is 0 wherever there is one, so nothing could be learned.

# %% [markdown]
# ## 4. Every word asks, every word answers
#
# In a text each word may ask: a verb for its subject, a pronoun for a name. Let the text be $x$, $[n, d]$, one word in each
# row. **Self-attention** makes queries, keys and values from the *same* words, by three learned matrices $W_q, W_k$
# $[d, d_k]$ and $W_v$ $[d, d_v]$: a word may ask for one thing, be found under another and hand over a third.
#
# Word $j$ asks $q = x_j W_q$ and scores word $i$ with $s_i = q \cdot (x_i W_k)$. With queries and keys in rows, this is entry
# $[j, i]$ of $QK^T$. So for all words at once:
#
# $$Q = xW_q \quad K = xW_k \quad V = xW_v \qquad S = QK^T \quad P = \mathrm{softmax}(S) \text{ in each row} \quad Z = PV$$

# %% [markdown] statement="self_attention"
# The heart of every Transformer, for one word and for all. Row $j$ of $P$ says how word $j$ divides its attention.
#
# - `attend_one(x, W_q, W_k, W_v, j)`: $z$ for word $j$, shape $[d_v]$, by a loop over words;
# - `self_attention(x, W_q, W_k, W_v)`: `(Z, P)`, no loop; here scores may be in the thousands;
# - `shapes(n, d, d_k, d_v)`: a dict with the shapes (tuples) of "Q", "K", "V", "S", "P", "Z";
# - `learned(n, d, d_k, d_v)`: how many numbers such a layer learns.

# %% [markdown] hints="self_attention"
# 1. Word $j$ asks once. How often are keys and values needed for it?
# 2. Row $j$ of $S$ holds the scores of the word that asks, $j$, with every word of the text. So over which axis must the
#    weights of one asker sum to 1?
# 3. Matrices: three products with $x$, one with a transpose, a softmax along the last axis, one more product. Only what does
#    not change with the text is learned.


# %% task="self_attention" points=4 level=2 minutes=18
def attend_one(x, W_q, W_k, W_v, j):
    """z: [d_v] for word j, from tensors x: [n, d], W_q, W_k: [d, d_k], W_v: [d, d_v]."""
    ### BEGIN SOLUTION
    q = x[j] @ W_q
    s = torch.stack([q @ (word @ W_k) for word in x])
    p = torch.softmax(s, 0)
    return sum(p[i] * (x[i] @ W_v) for i in range(len(x)))
    ### END SOLUTION


def self_attention(x, W_q, W_k, W_v):
    """(Z: [n, d_v], P: [n, n]) from tensors x: [n, d], W_q, W_k: [d, d_k], W_v: [d, d_v]."""
    ### BEGIN SOLUTION
    Q, K, V = x @ W_q, x @ W_k, x @ W_v
    P = torch.softmax(Q @ K.T, dim=1)
    return P @ V, P
    ### END SOLUTION


def shapes(n, d, d_k, d_v):
    """{"Q": (rows, columns), ...} for Q, K, V, S, P and Z."""
    ### BEGIN SOLUTION
    return {
        "Q": (n, d_k),
        "K": (n, d_k),
        "V": (n, d_v),
        "S": (n, n),
        "P": (n, n),
        "Z": (n, d_v),
    }
    ### END SOLUTION


def learned(n, d, d_k, d_v):
    """How many numbers the three maps hold, for texts of n words."""
    ### BEGIN SOLUTION
    return d * (2 * d_k + d_v)
    ### END SOLUTION


# %% test="self_attention" aspect="one word, by loop" points=1
_x = torch.tensor([[1.0, 0, 1], [0, 2, 0]])  # Thinking, Machines
_W = torch.tensor([[1.0, 0], [0, 1], [0, 0]])
_got = attend_one(_x, _W, _W, torch.tensor([[3.0], [1], [0]]), 1)
_wanted = (3 + 2 * math.exp(4)) / (1 + math.exp(4))
assert close(np.shape(_got), (1,), 0, 0), f"d_v = 1: z has one number; yours: {_got!r}."
assert close(_got, [_wanted], 1e-5), (
    f"Scores 0 and 4, values 3 and 2: {_wanted:.4f}; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _n, _d, _d_k, _d_v in (
    (1, 3, 2, 4),
    (5, 3, 2, 4),
    (4, 3, 1, 1),
    (3, 1, 2, 2),
    (1, 2, 1, 1),
    (4, 2, 5, 3),
):
    _sizes = ((_n, _d), (_d, _d_k), (_d, _d_k), (_d, _d_v))
    _x, _W_q, _W_k, _W_v = (torch.randn(*_size).double() for _size in _sizes)
    for _j in range(_n):
        _p = [math.exp((_x[_j] @ _W_q @ (_x[i] @ _W_k)).item()) for i in range(_n)]
        _wanted = sum(_p[i] / sum(_p) * (_x[i] @ _W_v) for i in range(_n))
        _got = attend_one(_x.clone(), _W_q.clone(), _W_k.clone(), _W_v.clone(), _j)
        assert close(_got, _wanted, 1e-4, 1e-5), (
            f"Random numbers, n, d, d_k, d_v = {_n, _d, _d_k, _d_v}, word {_j}: z is wrong."
        )
_inputs = _x, _W_q, _W_k, _W_v
_after = arguments_after(attend_one, *(_M.clone() for _M in _inputs), 0)
assert all(map(close, _after, _inputs)), (
    "attend_one changes the tensors that it is given."
)
### END HIDDEN TESTS

# %% test="self_attention" aspect="all words at once" points=1
_sizes = [(6, 3, 2, 4)]  # n, d, d_k, d_v
### BEGIN HIDDEN TESTS
_sizes = [(1, 3, 2, 4), (5, 3, 2, 1), (1, 2, 1, 1), (4, 1, 1, 3), (6, 3, 2, 4)]
### END HIDDEN TESTS
for _n, _d, _d_k, _d_v in _sizes:
    _inputs = [
        torch.randn(*_size).double()
        for _size in ((_n, _d), (_d, _d_k), (_d, _d_k), (_d, _d_v))
    ]
    _got = self_attention(*(_M.clone() for _M in _inputs))
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return the pair (Z, P); yours: {_got!r}."
    )
    _Z, _P = _got
    assert np.shape(_P) == (_n, _n) and np.shape(_Z) == (_n, _d_v), (
        f"n = {_n}, d_v = {_d_v}: P {_n, _n}, Z {_n, _d_v}; "
        f"yours: {np.shape(_P)}, {np.shape(_Z)}."
    )
    assert close(np.sum(np.asarray(_P), axis=1), np.ones(_n), 1e-4), (
        "Each row of P, one asker's weights, should sum to 1."
    )
    ### BEGIN HIDDEN TESTS
    _x, _W_q, _W_k, _W_v = _inputs
    for _i in range(_n):
        _p = np.exp([(_x[_i] @ _W_q @ (_x[j] @ _W_k)).item() for j in range(_n)])
        assert close(_P[_i], _p / _p.sum(), 1e-4, 1e-6), (
            f"Row {_i} of P is wrong: who asks, who answers? No scale is asked for."
        )
        assert close(_Z[_i], _p / _p.sum() @ np.asarray(_x @ _W_v), 1e-4, 1e-5), (
            f"P is right, but row {_i} of Z is not."
        )
    ### END HIDDEN TESTS
### BEGIN HIDDEN TESTS
_x = torch.tensor([[300.0, 0], [0, 1], [0, 2], [300.01, 0]]).double()
_unit = torch.eye(2).double()
_wanted = torch.softmax(_x @ _x.T, dim=1)
_got = self_attention(_x.clone(), _unit, _unit, _unit)
assert close(_got[1], _wanted, 1e-4, 1e-6) and close(
    _got[0], _wanted @ _x, 1e-4, 1e-5
), (
    "Two words have scores near 90,000, the others 0 to 4: P or Z is wrong. Each row gets "
    "what it gets alone."
)
_after = arguments_after(self_attention, *(_M.clone() for _M in _inputs))
assert all(map(close, _after, _inputs)), (
    "self_attention changes the tensors that it is given."
)
### END HIDDEN TESTS

# %% test="self_attention" aspect="lecture 001: look for ones" points=1
_E = torch.tensor([[1.0, 0], [1, 0], [0, 1], [1, 0]])
_got = self_attention(
    _E, torch.tensor([[0.0, 1], [0, 1]]), 10 * torch.eye(2), torch.eye(2)
)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return the pair (Z, P); yours: {_got!r}."
)
assert close(_got[1], [[4.54e-5, 4.54e-5, 0.99986, 4.54e-5]] * 4, 0, 1e-5), (
    f"Each row of S is 0, 0, 10, 0, so the third word gets .99986; yours: {_got[1]}."
)
assert close(_got[0], [[1.36e-4, 0.99986]] * 4, 0, 1e-5), (
    f"Each row of Z is [1.4e-4, .99986]; yours: {_got[0]}."
)
### BEGIN HIDDEN TESTS
_E, _V = torch.eye(2)[[1, 0, 1, 1, 0]], torch.randn(2, 3)  # 1 0 1 1 0: look for zeros
for _long in (random.uniform(2, 9), -1.0, 30.0):
    _got = self_attention(
        _E.clone(), torch.eye(2)[[0, 0]], _long * torch.eye(2), _V.clone()
    )
    _p = torch.softmax(_long * _E[:, 0], dim=0)
    assert close(_got[1], _p.repeat(5, 1), 1e-4, 1e-6), (
        f"1 0 1 1 0, all look for a 0, keys times {_long:.2f}: the rows of P are wrong."
    )
    assert close(_got[0], (_p @ _E @ _V).repeat(5, 1), 1e-4, 1e-5), (
        "P is right, but Z is not."
    )
### END HIDDEN TESTS

# %% test="self_attention" aspect="a shape for each step" points=1
_got = shapes(9, 5, 4, 3)
assert hasattr(_got, "keys") and {*"QKVSPZ"} <= {*_got}, (
    f"Return a dict with the keys Q, K, V, S, P, Z; yours: {_got!r}."
)
assert close(_got["Q"], (np.zeros((9, 5)) @ np.zeros((5, 4))).shape, 0, 0), (
    f"x [9, 5] times W_q [5, 4] has 9 rows, 4 columns; yours: {_got['Q']!r}."
)
_got = learned(9, 5, 4, 3)
assert is_number(_got) and _got == learned(99, 5, 4, 3), (
    "A longer text needs no further maps: learned is a number that does not grow with n."
)
### BEGIN HIDDEN TESTS
_n, _d_k, _d_v = random.sample(range(2, 60), 3)
_d = random.randint(60, 90)
_got = shapes(_n, _d, _d_k, _d_v)
_wanted = {"Q": (_n, _d_k), "K": (_n, _d_k), "V": (_n, _d_v)}
_wanted |= {"S": (_n, _n), "P": (_n, _n), "Z": (_n, _d_v)}
for _name, _shape in _wanted.items():
    assert close(_got[_name], _shape, 0, 0), (
        f"n, d, d_k, d_v = {_n, _d, _d_k, _d_v}: {_name} is not {_got[_name]}."
    )
_got = learned(_n, _d, _d_k, _d_v)
assert close(_got, _d * _d_k + _d * _d_k + _d * _d_v, 0, 0), (
    f"d, d_k, d_v = {_d, _d_k, _d_v}: three maps do not hold {_got}."
)
### END HIDDEN TESTS

# %% scratch=true
shapes(n=9, d=512, d_k=64, d_v=64), learned(9, 512, 64, 64)  # sizes of your own


# %%
def milliseconds(function, *inputs, tries=3):
    """Processor time of function(*inputs), the best of so many tries."""
    times = []
    for _ in range(tries):
        begin = time.process_time()
        function(*inputs)
        times.append(1000 * (time.process_time() - begin))
    return min(times)


# %%
def one_by_one(x, W_q, W_k, W_v):
    """Z by a loop over the asking words; keys and values are computed once."""
    K, V = x @ W_k, x @ W_v
    return torch.stack([torch.softmax(K @ (word @ W_q), 0) @ V for word in x])


def at_once(x, W_q, W_k, W_v):
    return torch.softmax((x @ W_q) @ (x @ W_k).T, dim=1) @ (x @ W_v)


# %%
# NBVAL_IGNORE_OUTPUT
# (times differ from run to run)
set_seed(1)
maps, rows = torch.randn(3, 32, 32) / 32**0.5, {}
for n in (16, 64, 256):
    x, column = torch.randn(n, 32), rows.setdefault(f"n = {n}", {})
    for way in (one_by_one, at_once):
        times = [milliseconds(way, x, *maps) for _ in range(5)]
        column[way.__name__] = f"{min(times):.2f} to {max(times):.2f}"
print("processor time (ms)", pd.DataFrame(rows).to_string(), sep="\n")

# %% [markdown]
# Lecture 003 calls loops "crazy slow". Ours, with keys and values computed once, still takes about ten times as long as the
# products, or more (compare the least of five).
#
# <details><summary>A slip in the printed slides: shapes catch it</summary>
#
# Words are rows in 000, 001 and 002, columns in 003 and 004; who mixes the two prints products that cannot be computed.
# 000's $p\,x^T$ and $\mathrm{softmax}(QK^T)\,V^T$ should be $p\,x$ and $PV$, 003's $\mathrm{softmax}(QK)\,V$ should have
# $QK^T$. 000 gives $p\,v$ the shape $[n, d]$; it is $[1, d]$. In columns 004 is right: $VWA$ with
# $A = \mathrm{softmax}(W^T K^T Q W)$, *each column* summing to 1, is our line transposed. 001's
# $W^Q = \begin{pmatrix}0&1\\0&1\end{pmatrix}$ "looks for 1s" in rows only.
# </details>
#
# Were all matrices square, these slips would run and be wrong.

# %% [markdown] statement="scale"
# ## 5. Divide by $\sqrt{d_k}$
#
# Let all entries of $q$ and $k$ be independent, with mean 0 and variance 1. A product $q_j k_j$ then has mean 0 and
# variance $\mathbb{E}[q_j^2]\,\mathbb{E}[k_j^2] = 1$. What is the variance of $q \cdot k$, a sum of $d_k$ of them? Decide,
# then measure:
#
# - `measure_variance(d_k, pairs, seed)`: that variance over that many random pairs (`np.random.default_rng(seed)`, normal);
# - `softmax_gradient(p, g)`: arrays, $[n]$; $p$ is a softmax of $s$, $g = \partial L/\partial p$ for some loss $L$. Return
#   $\partial L/\partial s$, without autograd;
# - `scaled_attention(Q, K, V)`: $\mathrm{softmax}(QK^T\!/\sqrt{d_k})\,V$ for tensors $Q$ $[\dots, m, d_k]$, $K$ $[\dots, n, d_k]$,
#   $V$ $[\dots, n, d_v]$; the dots: any axes, the same in all.

# %% [markdown] hints="scale"
# 1. A sum of $d_k$ independent products: what do variances of independent numbers do?
# 2. $\partial p_i/\partial s_j = p_i(\delta_{ij} - p_j)$, with $\delta_{ij} = 1$ if $i = j$, else 0. Sum over $i$,
#    each term weighted with $g_i$: two parts remain.
# 3. `.T` turns all axes round. Only the last two should swap; and the width that counts is that of the keys.


# %% task="scale" points=4 level=2 minutes=18
def measure_variance(d_k, pairs, seed):
    """Variance of q · k over random q and k with d_k standard normal entries each."""
    ### BEGIN SOLUTION
    q, k = np.random.default_rng(seed).normal(size=(2, pairs, d_k))
    return (q * k).sum(axis=1).var()
    ### END SOLUTION


def softmax_gradient(p, g):
    """dL/ds: [n], from p = softmax(s): [n] and g = dL/dp: [n]."""
    ### BEGIN SOLUTION
    return p * (g - p @ g)
    ### END SOLUTION


def scaled_attention(Q, K, V):
    """[..., m, d_v] from tensors Q: [..., m, d_k], K: [..., n, d_k], V: [..., n, d_v]."""
    ### BEGIN SOLUTION
    S = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    return torch.softmax(S, dim=-1) @ V
    ### END SOLUTION


# %% test="scale" aspect="variance of a dot product" points=1
for _d_k in (4, 16):
    _got = measure_variance(_d_k, 4_000, 1)
    assert is_number(_got), f"measure_variance returns a number; yours: {_got!r}."
    assert 0.85 < _got / _d_k < 1.15, (
        f"d_k = {_d_k}: the variance is near {_d_k}; yours: {_got}."
    )
    assert _got == measure_variance(_d_k, 4_000, 1), (
        "The same seed should draw the same pairs."
    )
assert measure_variance(16, 500, 1) != measure_variance(16, 500, 2), (
    "Another seed should draw other pairs."
)
assert measure_variance(16, 9, 5) != measure_variance(16, 400, 5), (
    "Draw as many pairs as asked for."
)
### BEGIN HIDDEN TESTS
for _d_k in (1, random.randint(20, 30)):
    _got = measure_variance(_d_k, 9_000, random.randint(2, 10**6))
    assert is_number(_got) and 0.8 < _got / _d_k < 1.2, (
        f"d_k = {_d_k}: the variance is not near {_got}."
    )
for _seed in (0, 1, 2, 3, 42, 123, 1234):  # q and k differ, whatever the seed
    _got = measure_variance(8, 1_000, _seed)
    assert is_number(_got) and 0.6 < _got / 8 < 1.4, (
        f"d_k = 8, seed {_seed}: the variance is not near {_got}. Is k drawn beside q?"
    )
assert measure_variance(1, 20_000, 3) != measure_variance(1, 26_000, 3), (
    "20,000 pairs and 26,000 give the same: draw as many pairs as asked for."
)
_spreads = []  # of the variance over 400 pairs, from seed to seed: near √8 / 20 for normal q, k
for _ in range(3):
    _seed = random.randint(0, 10**6)
    _several = [float(measure_variance(1, 400, _seed + i)) for i in range(60)]
    _spreads.append(np.std(_several) * 20)
    if 2.2 < _spreads[-1] < 5:
        break
assert 2.2 < _spreads[-1] < 5, (
    "d_k = 1, 400 pairs, many seeds: your variances scatter otherwise than normal q and k would."
)
### END HIDDEN TESTS

# %% test="scale" aspect="back through the softmax" points=1
_got = softmax_gradient(np.array([0.5, 0.25, 0.25]), np.array([1.0, 0, 0]))
assert close(np.shape(_got), (3,), 0, 0), (
    f"Three scores, three slopes; yours: {_got!r}."
)
assert close(_got, [0.25, -0.125, -0.125], 1e-5), (
    f"p = .5, .25, .25, g = 1, 0, 0: .25, -.125, -.125; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _n in (1, 2, 5, 9):
    _s, _g = torch.randn(_n).double().requires_grad_(True), torch.randn(_n).double()
    _p = torch.softmax(_s, 0)
    (_p @ _g).backward()
    _inputs = _p.detach().numpy(), _g.numpy()
    _got = softmax_gradient(*(_array.copy() for _array in _inputs))
    assert close(_got, _s.grad, 1e-4, 1e-6), (
        f"n = {_n}, random: not autograd's gradient."
    )
    _after = arguments_after(softmax_gradient, *(_array.copy() for _array in _inputs))
    assert all(map(close, _after, _inputs)), (
        "softmax_gradient changes the arrays it is given."
    )
_got = softmax_gradient(np.array([0.98, 0.01, 0.01]), np.array([0, 1, 0]))
assert close(_got, [-0.0098, 0.0099, -0.0001], 1e-3), (
    f"With whole numbers in g: not {_got}."
)
_got = softmax_gradient(np.array([0.0, 1.0, 0.0]), np.array([3.0, -2.0, 5.0]))
assert close(_got, np.zeros(3), 0, 1e-6), (
    f"A hard softmax, p = 0, 1, 0, has no slope; yours: {_got}."
)
assert close(without_autograd(softmax_gradient, *_inputs), _s.grad, 1e-4, 1e-6), (
    "Where torch records nothing, your gradient is another one."
)
### END HIDDEN TESTS

# %% test="scale" aspect="scaled by the keys' width" points=1
_E = torch.tensor([[1.0, 0], [1, 0], [0, 1], [1, 0]])
_got = scaled_attention(torch.tensor([[0.0, 1]]), 10 * _E, torch.eye(4))
assert np.shape(_got) == (1, 4), (
    f"One query, values of width 4: shape (1, 4); yours: {np.shape(_got)}."
)
assert close(_got[0][2], 0.99746, 0, 1e-5), (
    f"Score 10 / √2 against three 0: weight .99746; yours: {_got[0][2]}."
)
### BEGIN HIDDEN TESTS
for _m, _n, _d_k, _d_v in (
    (1, 4, 3, 2),
    (5, 1, 2, 3),
    (4, 3, 1, 1),
    (1, 1, 2, 1),
    random.sample(range(2, 9), 4),
):
    _inputs = [
        torch.randn(*_size).double() for _size in ((_m, _d_k), (_n, _d_k), (_n, _d_v))
    ]
    _Q, _K, _V = _inputs
    _got = scaled_attention(*(_M.clone() for _M in _inputs))
    _wanted = F.scaled_dot_product_attention(_Q[None], _K[None], _V[None])[0]
    assert close(_got, _wanted, 1e-4, 1e-5), (
        f"{_m} queries, {_n} keys of width {_d_k}, values of width {_d_v}: not what torch computes."
    )
_after = arguments_after(scaled_attention, *(_M.clone() for _M in _inputs))
assert all(map(close, _after, _inputs)), (
    "scaled_attention changes the tensors it is given."
)
### END HIDDEN TESTS

# %% test="scale" aspect="texts keep apart" points=1
_axes = [(2, 3)]
### BEGIN HIDDEN TESTS
_axes = [(4,), (3, 2), (3, 1, 2), (1,), (1, 1), (2, 1)]
### END HIDDEN TESTS
for _lead in _axes:
    _Q, _K, _V = (
        torch.randn(*_lead, *_size).double() for _size in ((4, 5), (6, 5), (6, 2))
    )
    _got = scaled_attention(_Q.clone(), _K.clone(), _V.clone())
    assert np.shape(_got) == (*_lead, 4, 2), (
        f"Leading axes {_lead}: shape {(*_lead, 4, 2)} wanted; yours: {np.shape(_got)}."
    )
    for _at in np.ndindex(_lead):
        _alone = F.scaled_dot_product_attention(
            _Q[_at][None], _K[_at][None], _V[_at][None]
        )[0]
        assert close(_got[_at], _alone, 1e-4, 1e-5), (
            f"Text {_at} gets another answer beside others than alone."
        )

# %% scratch=true
softmax_gradient(np.array([0.98, 0.01, 0.01]), np.array([0, 1, 0]))  # a p of your own

# %%
widths = [1, 4, 16, 64, 256, 1024]
divisors = {"plain": lambda d_k: 1, "divided by √$d_k$": math.sqrt}


def random_weights(d_k, divisor):
    """Softmax weights, [200, 64]: 200 random queries look among 64 random keys."""
    q, k = np.random.default_rng(d_k).normal(size=(2, 200, d_k))
    return np.array([softmax(s / divisor) for s in q @ k[:64].T])


# %%
variances, slopes, peaks = {}, {}, {}
for name, divisor in divisors.items():
    variances[name] = [measure_variance(n, 2000, 1) / divisor(n) ** 2 for n in widths]
    P = [random_weights(n, divisor(n)) for n in widths]
    slopes[name] = [(p * (1 - p)).mean() for p in P]  # of a weight, by its own score
    peaks[name] = [f"{p.max(1).mean():.2f} ± {p.max(1).std():.2f}" for p in P]

# %%
_, (left, right) = plt.subplots(1, 2, figsize=(6.4, 2.1))
for name in divisors:
    left.loglog(widths, variances[name], "o-", label=name)
    right.loglog(widths, slopes[name], "o-", label=name)
left.set(xlabel="$d_k$ (log)", ylabel="variance of a score (log)")
right.set(xlabel="$d_k$ (log)", ylabel="slope $p(1-p)$, mean (log)")
right.legend(loc="lower left", fontsize=9)
plt.show()
print("largest weight; d_k =")
print(pd.DataFrame(peaks, index=widths).T.to_string())

# %% [markdown]
# Left: variances of independent numbers add, so that of a score grows in proportion to $d_k$, and its typical size like
# $\sqrt{d_k}$. Right: $\partial p_i/\partial s_i = p_i(1 - p_i)$, the slope by which a weight learns. Without the scale,
# width alone makes the softmax nearly hard (the table: the largest of 64 weights nears 1), and the slope dies as the hard
# maximum's did. Divided by $\sqrt{d_k}$, neither changes from $d_k = 4$ on. (Table: mean ± standard deviation, 200
# queries.)
#
# The width of *one key* counts: eight heads of width 64 (section 10) divide by $\sqrt{64} = 8$, not by $\sqrt{512}$.

# %% [markdown] statement="score_forms"
# ## 6. Other ways to score
#
# **Bilinear**: $s = x W y^T$, for a learned matrix $W$. **Additive** (D. Bahdanau,
# K. Cho and Y. Bengio, 2015, who brought attention into translation): a small network with one hidden layer,
# $s = \tanh(q W_q + k W_k) \cdot u$.
#
# - `bilinear_scores(X, W, Y)`, $[m, n]$: all pairs of rows of $X$ $[m, d]$ and $Y$ $[n, d']$, $W$ $[d, d']$;
# - `additive_scores(Q, K, W_q, W_k, u)`, $[m, n]$: $Q$ $[m, d_q]$, $K$ $[n, d_k]$, $W_q$ $[d_q, a]$, $W_k$ $[d_k, a]$, $u$ $[a]$.
#
# The first explains what $W_q$ and $W_k$ really are.

# %% [markdown] hints="score_forms"
# 1. Which two axes must the result have, and which must be summed away?
# 2. Additive: each of $m$ queries meets each of $n$ keys, so in between there is an array $[m, n, a]$. Let broadcasting make it.
# 3. Neither needs a loop. Additive: project both, give each result an axis of
#    length 1 where the other counts; what remains sums over the last axis.


# %% task="score_forms" points=2 level=2 minutes=13
def bilinear_scores(X, W, Y):
    """[m, n] from tensors X: [m, d], W: [d, d'], Y: [n, d']."""
    ### BEGIN SOLUTION
    return X @ W @ Y.T
    ### END SOLUTION


def additive_scores(Q, K, W_q, W_k, u):
    """[m, n] from tensors Q: [m, d_q], K: [n, d_k], W_q: [d_q, a], W_k: [d_k, a], u: [a]."""
    ### BEGIN SOLUTION
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ u
    ### END SOLUTION


# %% test="score_forms" aspect="bilinear, all pairs" points=1
_sizes = [(3, 5, 2, 4)]  # m, n, d, d'
### BEGIN HIDDEN TESTS
_sizes = [(1, 4, 2, 3), (4, 1, 3, 2), (1, 1, 1, 1), (3, 2, 1, 4), (3, 2, 4, 1)]
_sizes += [(2, 4, 3, 3), (3, 3, 3, 3)]  # a square W
_sizes += [random.sample(range(2, 8), 4)] * 2  # the same shapes, other numbers
### END HIDDEN TESTS
for _m, _n, _d, _e in _sizes:
    _X, _W, _Y = (
        torch.randn(*_size).double() for _size in ((_m, _d), (_d, _e), (_n, _e))
    )
    _got = bilinear_scores(_X.clone(), _W.clone(), _Y.clone())
    assert np.shape(_got) == (_m, _n), (
        f"{_m} rows of X, {_n} of Y: shape {_m, _n}; yours: {np.shape(_got)}."
    )
    _wanted = np.einsum("ia,ab,jb->ij", _X, _W, _Y)
    for _i, _j in np.ndindex(_m, _n):
        assert close(_got[_i][_j], _wanted[_i, _j], 1e-4, 1e-5), (
            f"Pair {_i, _j}: {_wanted[_i, _j]:.4f}; yours: {_got[_i][_j]:.4f}."
        )
### BEGIN HIDDEN TESTS
_after = arguments_after(bilinear_scores, _X.clone(), _W.clone(), _Y.clone())
assert all(map(close, _after, (_X, _W, _Y))), (
    "bilinear_scores changes the tensors it is given."
)
### END HIDDEN TESTS

# %% test="score_forms" aspect="additive, all pairs" points=1
_all = [(3, 5, 2, 4, 6)]  # m, n, d_q, d_k, a
### BEGIN HIDDEN TESTS
_all = [(1, 4, 2, 3, 5), (4, 1, 3, 2, 5), (1, 1, 1, 1, 1), (3, 2, 1, 4, 1)]
_all += [(2, 3, 4, 1, 3), *[random.sample(range(2, 9), 5)] * 2]  # the last one twice
### END HIDDEN TESTS
for _m, _n, _d_q, _d_k, _a in _all:
    _sizes = ((_m, _d_q), (_n, _d_k), (_d_q, _a), (_d_k, _a), (_a,))
    _inputs = [torch.randn(*_size).double() for _size in _sizes]
    _Q, _K, _W_q, _W_k, _v = _inputs
    _got = additive_scores(*(_M.clone() for _M in _inputs))
    assert np.shape(_got) == (_m, _n), (
        f"{_m} queries, {_n} keys: shape {_m, _n}; yours: {np.shape(_got)}."
    )
    for _i, _j in np.ndindex(_m, _n):  # lecture 000's way: [q; k] through one network
        _inner = np.concatenate([_Q[_i], _K[_j]]) @ np.concatenate([_W_q, _W_k])
        _wanted = np.tanh(_inner) @ _v.numpy()
        assert close(_got[_i][_j], _wanted, 1e-4, 1e-5), (
            f"Pair {_i, _j}: {_wanted:.4f}; yours: {_got[_i][_j]:.4f}."
        )
### BEGIN HIDDEN TESTS
_others = [_M.flip(0) + 1 for _M in _inputs]
for _place in range(5):  # one argument is another, the others are as before
    _new = [_others[i] if i == _place else _M for i, _M in enumerate(_inputs)]
    _wanted = torch.tanh((_new[0] @ _new[2])[:, None] + _new[1] @ _new[3]) @ _new[4]
    assert close(additive_scores(*(_M.clone() for _M in _new)), _wanted, 1e-4, 1e-5), (
        f"Called again with another {('Q', 'K', 'W_q', 'W_k', 'u')[_place]} of the "
        "same shape: the scores are wrong."
    )
_after = arguments_after(additive_scores, *(_M.clone() for _M in _inputs))
assert all(map(close, _after, _inputs)), (
    "additive_scores changes the tensors it is given."
)
### END HIDDEN TESTS

# %% [markdown]
# Attention's dot product is bilinear in disguise: with $q = xW_q$ and $k = yW_k$,
#
# $$q \cdot k = (x W_q)(y W_k)^T = x\,(W_q W_k^T)\,y^T$$
#
# so two maps are *one* matrix $W = W_q W_k^T$, with a restriction: a product through a bottleneck of width $d_k$ has rank
# $d_k$ at most. Keeping the first $d_k$ terms of its singular value decomposition comes closest to a wanted $W$ (C. Eckart
# and G. Young, 1936).


# %%
def factors(W, d_k):
    """(W_q, W_k), each [d, d_k]: of all such pairs the one with W_q W_k^T closest to W."""
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


set_seed(1)
d = 64
tables = {"random": torch.randn(d, d), "each word seeks itself": torch.eye(d)}
tables["maps of width 8"] = torch.randn(d, 8) @ torch.randn(8, d)

# %%
for name, W in tables.items():
    pairs = [factors(W, d_k) for d_k in (1, 8, 32, 63, 64)]
    missing = [((W - W_q @ W_k.T).norm() / W.norm()).item() for W_q, W_k in pairs]
    shown = "   ".join(f"{abs(share):.2f}" for share in missing)
    print(f"{name:24} missing with d_k = 1, 8, 32, 63, 64:   {shown}")

# %% [markdown]
# Nothing is missing once $d_k$ reaches the rank of $W$. A narrow head is cheap, but "each word seeks itself" needs the full width.
#
# <details><summary>A slip in the printed slides</summary>
#
# 001 prints $k^T W q$ as "scaled" dot product. It is the bilinear form; nothing is scaled. Many maps are indeed equivalent:
# multiply all queries by an invertible matrix $A$ and all keys by $(A^{-1})^T$, and no score changes.
# </details>
#
# *A good place to stop for today.*

# %% [markdown]
# ## 7. The kitchen model: what a lookup buys
#
# The model reads $T = 64$ words, $[B, T]$, and gives at each place **logits** (scores before the softmax, one for each word of the
# vocabulary) of the next word. The parts in *italics* are what we shall add:
#
# 1. each word becomes a vector $x$ of 64 numbers, *plus a vector for its place*;
# 2. *once or twice, with one head or four*: $x \leftarrow x + z H$, where $z$ is what the word looks up among the words *up
#    to itself* (those after it are to be guessed);
# 3. a small network with the activation function tanh; the result is scored against all word vectors.
#
# `even` (*RMSNorm*, chapter 8) first gives all vectors the same length, so that no part drowns another.

# %%
# kitchen model: the text
corpus = lmkit.load("kitchen")
text = {
    split: [w for story in corpus.splits[split] for w in [*story, "</s>"]]
    for split in ("train", "valid")
}
vocabulary = ["<UNK>", *sorted(set(text["train"]))]
ids = {word: i for i, word in enumerate(vocabulary)}
row = {s: torch.tensor([ids.get(word, 0) for word in text[s]]) for s in text}
stretches = row["train"].unfold(0, 65, 8)  # 64 words, and the one after each
held_out = row["valid"].unfold(0, 65, 65)
print(tuple(stretches.shape), tuple(held_out.shape), len(vocabulary), "words")
print(" ".join(vocabulary[i] for i in held_out[1, :24]), "...")


# %%
# kitchen model: the network
def even(x):
    """Each vector scaled to a mean square of 1."""
    return F.rms_norm(x, x.shape[-1:])


# %%
# kitchen model: the places
def place_table(places, d, longest=256):
    """[longest, d]: what is added to the words, by place."""
    j = torch.arange(longest)[:, None]
    if places == "integer":
        return j.expand(longest, d).float()
    if places == "learned":
        return nn.Parameter(0.02 * torch.randn(longest, d))
    if places == "sinusoids":
        angles = j * 10000 ** (-torch.arange(0, d, 2) / d)
        return 0.05 * torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    return torch.zeros(longest, d)


# %%
# kitchen model: the lookup
class Lookup(nn.Module):
    """What each word finds among the words up to itself, mixed: [B, T, d]."""

    def __init__(self, d, heads, look):
        super().__init__()
        self.look, self.split = look, (heads, -1)
        parts = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.q, self.k, self.v, self.out = parts

    def forward(self, x):
        parts = (part(x) for part in (self.q, self.k, self.v))
        Q, K, V = (part.unflatten(-1, self.split).transpose(1, 2) for part in parts)
        Q = Q * (self.look == "soft")  # with queries of 0 all weights are equal
        Z = F.scaled_dot_product_attention(Q, K, V, is_causal=True)
        return self.out(Z.transpose(1, 2).flatten(-2))


# %%
# kitchen model: the network
class Guesser(nn.Module):
    """Logits for the next word at each place, [B, T, V], from words [B, T]."""

    def __init__(self, size, look="soft", places="none", heads=1, layers=1, d=64):
        super().__init__()
        self.embedding = nn.Embedding(size, d)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.table = place_table(places, d)
        self.lookups = nn.ModuleList(Lookup(d, heads, look) for _ in range(layers))
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, words):
        places = self.table[: words.shape[1]].to(words.device)
        x = even(self.embedding(words) + places)
        for lookup in self.lookups:
            x = x + lookup(even(x))
        x = x + self.down(torch.tanh(self.up(even(x))))
        return even(x) @ self.embedding.weight.T


# %%
# kitchen model: what is added, part by part
RUNGS = {
    "last word": {"layers": 0},
    "+ mean of the words": {"look": "mean"},
    "+ soft lookup": {},
    "+ places": {"places": "sinusoids"},
    "+ four heads": {"places": "sinusoids", "heads": 4},
    "+ a second layer": {"places": "sinusoids", "heads": 4, "layers": 2},
}


# %%
# kitchen model: the loss
def guess_loss(model, batch):
    """Mean loss (nats) of the words after each word, and their number."""
    logits, wanted = model(batch[:, :-1]), batch[:, 1:]
    return F.cross_entropy(logits.flatten(0, 1), wanted.flatten()), wanted.numel()


def perplexity(model, texts):
    """Of held-out texts, [number, T + 1]."""
    with torch.no_grad():
        return math.exp(guess_loss(model, texts.to(device))[0])


# %%
# kitchen model: the training
def practise(steps, seed, **choices):
    """A Guesser, trained on so many batches of 8 stretches."""
    set_seed(seed)
    model = Guesser(len(vocabulary), **choices).to(device)
    pick = shuffled(len(stretches), 8, seed)
    how = {"rate": 8e-3, "schedule": warmup_cosine(20, 0.05)}
    train(model, lambda i: stretches[pick(i)], guess_loss, steps=steps, **how)
    return model


# %% [markdown]
# Training was done once, with three seeds (`data/attention/README.md`). Before you look: how will the first three models rank?

# %%
recorded = pd.read_csv(paths.DATA / "attention" / "rungs.csv")
floor = corpus.floor("valid").perplexity


def of(rung, length=64):
    """Perplexities of the recorded runs of a rung, a number for each seed."""
    chosen = (recorded.rung == rung) & (recorded.length == length)
    return recorded[chosen].perplexity


# %%
def ladder(*names):
    """A line for each rung: its mean perplexity as a bar, and the range of the seeds."""
    for name in names:
        mean, least, most = of(name).agg(["mean", "min", "max"])
        print(f"{name:20} {'█' * round(mean)} {mean:.1f} ({least:.1f} to {most:.1f})")
    print(f"{'the language itself':20} {'░' * round(floor)} {floor:.1f}")


# %%
ladder(*[*RUNGS][:3])

# %%
steps = budget().choose(grading=60, laptop=3000, gpu=3000)
lookup_model = practise(steps, seed=1)
print(f"soft lookup, {steps:,} steps: {perplexity(lookup_model, held_out):.1f}")

# %% [markdown]
# The bars of the ladder are recorded means of three seeds, with the least and the most in brackets. The mean of all
# words so far helps, and choosing the words to listen to helps further; no two ranges touch. The last line is the
# program that wrote the stories: on average, nothing can beat it.
#
# The single line below the ladder is a model trained in this notebook. We need it in the next cell. Its number of
# steps is not that of the recorded runs, so do not compare its perplexity with theirs.

# %%
words = held_out[:, :64].to(device)
mixed = words[:, [*random.Random(1).sample(range(63), 63), 63]]  # the last one stays
with torch.no_grad():
    before, after = lookup_model(words)[:, -1], lookup_model(mixed)[:, -1]
print("63 words in another order, the same logits:", close(after, before, 0, 1e-3))

# %% [markdown]
# 63 words were shuffled, and the logits after the last one did not move. "The cook thanks the guest" and "the guest thanks
# the cook" are the same to this model. Is that a matter of training?

# %%
attend = (
    F.scaled_dot_product_attention
)  # softmax(Q Kᵀ / √d_k) V over the last two axes, torch's own

# %% [markdown] statement="kind_of"
# ## 8. Can a canner can a can?
#
# Shuffle the words of a text: `X[order]`, where `order` lists old places. A layer is
#
# - *invariant* if `layer(X[order])` is `layer(X)`,
# - *equivariant* if it is `layer(X)[order]`: the same vectors, at other places,
# - else *neither*.
#
# First fill in `predicted[name]` for the five layers below. (In a *causal* layer each word looks only at itself and the
# words before it. In the last two, the last word stays.) Then write `kind_of(layer, X, order)`, which returns one of these
# words (*invariant* if both hold). A millionth is rounding and no difference; a hundredth is
# one, even between numbers near 20.

# %%
LAYERS = {
    "attention": "one layer of self-attention",
    "bag": "its outputs, averaged over the words",
    "positions": "a vector for each place added to the words, then attention",
    "one causal layer": "the output of the last word only",
    "two causal layers": "the output of the last word only",
}

# %% [markdown] hints="kind_of"
# 1. Two lectures describe attention by *one* of the three words, and by the wrong one. Take two words, swap them, and
#    follow the two rows of the result.
# 2. Two causal layers: do the words before the last still have the same *outputs* in the first layer when they are shuffled?
# 3. An output may have the shape $[T, d']$ or only $[d']$; the second cannot be shuffled. Numbers may differ by rounding.

# %% task="kind_of" points=4 level=2 minutes=16
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
    """ "invariant", "equivariant" or "neither"; layer: from X, [T, d], to [T, d'] or [d']; order: T old places.

    An output [d'] is one vector: it has no places, so it cannot be equivariant.
    """
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
assert _got == "equivariant", (
    f"tanh of each word: the vectors move with their words, equivariant; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _ in range(3):
    _order = torch.tensor([2, 0, 1, *(3 + torch.randperm(4)).tolist()])
    for _X in (torch.randn(7, 3).double(), torch.randn(7, 4)):
        _got = kind_of(lambda X: attend(X, X, X)[:, :2], _X.clone(), _order.clone())
        assert _got == "equivariant", (
            f"Order {_order.tolist()}: attention is equivariant; yours: {_got!r}."
        )
_order = torch.tensor([2, 0, 1, 3])
for _name, _layer in {
    "the sum of each word, [T, 1]": lambda X: X.sum(1, keepdim=True),
    "each word less the mean of all": lambda X: X - X.mean(0),
}.items():
    for _X in (torch.randn(4, 3).double(), torch.randn(4, 1).double()):
        _got = kind_of(_layer, _X.clone(), _order.clone())
        assert _got == "equivariant", (
            f"{_name} (X {tuple(_X.shape)}): equivariant; yours: {_got!r}."
        )
_got = kind_of(
    lambda X: X[[1, 2, 0, 3]], torch.randn(4, 3).double(), torch.tensor([0, 3, 1, 2])
)
assert _got == "neither", (
    f"A layer that itself moves words 0, 1, 2 in a ring is neither; yours: {_got!r}."
)
_after = arguments_after(kind_of, torch.tanh, _X.clone(), _order.clone())[1:]
assert all(map(close, _after, (_X, _order))), (
    "kind_of changes X or the order it is given."
)
### END HIDDEN TESTS

# %% test="kind_of" aspect="invariant, also by rounding" points=1
_X = torch.tensor([[0.1], [0.2], [0.3], [0.7], [0.9], [3.3]])
_order = torch.tensor([4, 3, 5, 0, 1, 2])
for _name, _layer in {
    "the mean": lambda X: X.mean(0),
    "the sum of float32, word by word": sum,
    "zeros": lambda X: 0 * X,
}.items():
    _got = kind_of(_layer, _X.clone(), _order.clone())
    assert _got == "invariant", (
        f"{_name}: the order leaves it as it is, up to rounding; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
_X, _order = (
    torch.randn(9, 4),
    torch.tensor([*torch.randperm(7).roll(1).tolist(), 7, 8]),
)
for _name, _layer in {
    "the mean of attention": lambda X: attend(X, X, X).mean(0),
    "the sum of all, at each place": lambda X: 0 * X + X.sum(0),
    "the last output of a causal layer, while the last word stays": lambda X: attend(
        X, X, X, is_causal=True
    )[-1],
}.items():
    _got = kind_of(_layer, _X.clone(), _order.clone())
    assert _got == "invariant", f"{_name}: invariant, up to rounding; yours: {_got!r}."
_X = torch.randn(4, 3).double()
_first, _far = _X[0].clone(), torch.tensor([20.0, 0, 5]).double()
for _change in (9e-7, -9e-7):
    _got = kind_of(
        lambda X, _change=_change: _far + _change * (X[0] == _first),
        _X.clone(),
        torch.tensor([2, 0, 1, 3]),
    )
    assert _got == "invariant", (
        "An output near 20, 0, 5, of which the order changes each number by less than a "
        f"millionth: that is rounding, invariant; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="kind_of" aspect="neither of both" points=1
_X, _order = torch.randn(5, 3).double(), torch.tensor([3, 0, 4, 1, 2])
for _name, _layer in {
    "the first word": lambda X: X[0],
    "running sums": lambda X: X.cumsum(0),
    "words plus places": lambda X: X + torch.arange(5.0)[:, None],
}.items():
    _got = kind_of(_layer, _X.clone(), _order.clone())
    assert _got == "neither", (
        f"{_name}: neither invariant nor equivariant; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
for _name, _layer in {
    "words plus a hundredth of their places": lambda X: (
        X + torch.arange(5.0)[:, None] / 100
    ),
    "the mean plus a hundredth of the first": lambda X: X.mean(0) + X[0] / 100,
    "the last word": lambda X: X[-1],
    "a layer of which only the last number minds the order": lambda X: torch.cat(
        [X[:, :2], X[:, 2:].cumsum(0)], dim=1
    ),
    "each word's numbers turned as often as its place says": lambda X: torch.stack(
        [_word.roll(i) for i, _word in enumerate(X)]
    ),
    "the first word at place 2, zeros elsewhere": lambda X: torch.cat(
        [0 * X[:2], X[:1], 0 * X[3:]]
    ),
    "the first number of the first word": lambda X: X[0, :1],
    "the words from last to first": lambda X: X.flip(0),
    "all words one place on": lambda X: X.roll(1, 0),
}.items():
    _got = kind_of(_layer, torch.randn(5, 3).double(), _order.clone())
    assert _got == "neither", (
        f"{_name}: neither invariant nor equivariant; yours: {_got!r}."
    )
_X = torch.arange(15.0).view(5, 3).double()
for _name, _layer in {
    "words near 20 plus a hundredth of their places": lambda X: (
        20 + X / 100 + torch.arange(5.0)[:, None] / 100
    ),
    "a vector near 20, of which the order changes a hundredth": lambda X: (
        20 + X[0] / 300
    ),
}.items():
    _got = kind_of(_layer, _X.clone(), torch.tensor([1, 0, 2, 3, 4]))
    assert _got == "neither", (
        f"{_name}: neither invariant nor equivariant; yours: {_got!r}."
    )
for _i, _j in ((0, 1), (1, 2), (2, 3), (3, 4), (0, 4)):
    _swap = torch.arange(5)
    _swap[_i], _swap[_j] = _j, _i
    _got = kind_of(
        lambda X, _i=_i: X + (torch.arange(5)[:, None] == _i), _X.clone(), _swap
    )
    assert _got == "neither", (
        f"1 added at place {_i}, words {_i} and {_j} swapped: neither; "
        f"yours: {_got!r}. Are all words compared?"
    )
_T = random.randint(4, 7)
_places = torch.arange(_T)
_X = torch.randn(_T).double()[
    (_places[:, None] + _places) % _T
]  # each row: the one above, turned
_got = kind_of(lambda X: X[0], _X, torch.arange(1, _T + 1) % _T)
assert _got == "neither", (
    f"The first word alone is one vector, here of d = T = {_T} numbers: neither; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% test="kind_of" aspect="predictions" points=1
assert hasattr(predicted, "keys") and {*predicted} == {*LAYERS}, (
    f"predicted has the keys {[*LAYERS]}: {predicted!r}?"
)
for _name in LAYERS:
    assert predicted[_name] in ("invariant", "equivariant", "neither"), (
        f"{_name}: one of the three words, not {predicted[_name]!r}."
    )
### BEGIN HIDDEN TESTS
_wanted = ("equivariant", "invariant", "neither", "invariant", "neither")
_wrong = [
    _n for _n, _kind in zip(LAYERS, _wanted, strict=True) if predicted[_n] != _kind
]
assert not _wrong, f"Predicted otherwise than measured: {', '.join(_wrong)}."
### END HIDDEN TESTS

# %%
sentences = "can a canner can a can", "can can can a a canner"
set_seed(1)
vectors = {word: torch.randn(8) for word in ("can", "a", "canner")}
X, Y = (torch.stack([vectors[word] for word in words.split()]) for words in sentences)
before, after, places = attend(X, X, X), attend(Y, Y, Y), torch.randn(6, 8)

# %%
marked = attend(X + places, X + places, X + places)
every = all(torch.allclose(before[0], before[i]) for i in (3, 5))
both = torch.allclose(before[[0, 1, 2]], after[[0, 3, 5]])
print("the same vector for every can:", every)
print("the same in both sentences:", both)
print("the same with places added:", torch.allclose(marked[0], marked[3]))


# %%
def causal(X):
    return attend(X, X, X, is_causal=True)


functions = {"attention": lambda X: attend(X, X, X)}
functions["bag"] = lambda X: attend(X, X, X).mean(0)
functions["positions"] = lambda X: functions["attention"](X + places)
functions["one causal layer"] = lambda X: causal(X)[-1]
functions["two causal layers"] = lambda X: causal(causal(X))[-1]

# %%
X, order = torch.randn(6, 8), torch.tensor([2, 0, 3, 1, 4, 5])
for name, layer in functions.items():
    print(f"{name:18} {kind_of(layer, X, order)}")

# %% [markdown]
# The three *can*s come out alike, in both sentences, unless places are added.
#
# <details><summary>After you have compared: why a mask knows the order</summary>
#
# Lectures 000, 003 and 004 call attention "position-invariant", or say that shuffling gives "the same results". Its outputs
# do move: with their words. Under a causal mask word 2 (counted from 0) hears three words and word 0 only itself, so what a
# word becomes depends on its place. One layer's *last* output hears all words in any case; a second layer hears those
# changed outputs, and can tell.
# </details>

# %% [markdown] statement="sinusoids"
# ## 9. Telling places apart
#
# Add to the word at place $j$ a vector $\phi_j$, $[d]$: either a learned row of a table (which ends at some longest text), or
# fixed waves of many speeds, like the hands of a clock. With lecture 004, for even $d$ and $0 \le i < d/2$:
#
# $$\phi_{j,2i} = \sin(\omega_i\, j) \qquad \phi_{j,2i+1} = \cos(\omega_i\, j) \qquad \omega_i = 10000^{-2i/d}$$
#
# - `sinusoids(T, d)`: a float64 tensor, $[T, d]$, row $j$ for place $j = 0, 1, \dots$;
# - `shift(steps, d)`: the tensor $R$, $[d, d]$, for which $\phi_j R = \phi_{j+\text{steps}}$ at *every* $j$; `steps`: a whole
#   number, below 0 for the way back.
#
# With such an $R$ one and the same matrix in $W_q$ can mean "three words back" everywhere. Chapter 8 builds on it.

# %% [markdown] hints="sinusoids"
# 1. Print `sinusoids(3, 4)`: the first row is 0, 1, 0, 1, and the second *pair* of columns is a hundred times slower.
# 2. What are $\sin(a + b)$ and $\cos(a + b)$? Each wave needs a block of 2 by 2 only.
# 3. A row vector times the block must give the pair of the later place: write the two sums of hint 2 as $[\sin a, \cos a]$
#    times a matrix in $b$, then put the blocks along the diagonal.


# %% task="sinusoids" points=3 level=3 minutes=24
def sinusoids(T, d):
    """Tensor [T, d], float64: row j for place j, columns sin, cos, sin, cos, ... from fast to slow."""
    ### BEGIN SOLUTION
    omega = 10000 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.arange(T)[:, None] * omega
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    ### END SOLUTION


def shift(steps, d):
    """R, [d, d], with sinusoids(T, d)[j] @ R = sinusoids(T, d)[j + steps] for every j."""
    ### BEGIN SOLUTION
    blocks = []
    for i in range(0, d, 2):
        a = steps * 10000 ** (-i / d)
        blocks.append([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
    return torch.block_diag(*torch.tensor(blocks, dtype=torch.float64))
    ### END SOLUTION


# %% test="sinusoids" aspect="waves, fast to slow" points=1
_got = sinusoids(3, 4)
assert torch.is_tensor(_got), f"sinusoids returns a tensor; yours: {type(_got)}."
assert np.shape(_got) == (3, 4), f"T = 3, d = 4: shape (3, 4); yours: {_got!r}."
_wanted = [
    [math.sin(j), math.cos(j), math.sin(j / 100), math.cos(j / 100)] for j in range(3)
]
assert close(_got[0], _wanted[0], 0, 1e-6), f"Place 0: 0, 1, 0, 1; yours: {_got[0]}."
assert close(_got, _wanted, 0, 1e-6), (
    f"Place 1: {np.round(_wanted[1], 4).tolist()}; yours: {_got[1]}."
)
### BEGIN HIDDEN TESTS
_sizes = [
    (random.randint(5, 40), random.choice([6, 8, 10, 12])),
    (7, 2),
    (1, 6),
    (1, 2),
    (5000, 6),
]
for _T, _d in _sizes:
    _got = sinusoids(_T, _d)
    assert np.shape(_got) == (_T, _d), (
        f"Shape {_T, _d} wanted; yours: {np.shape(_got)}."
    )
    for _i in range(_d // 2):
        _a = np.arange(_T) / 10000 ** (2 * _i / _d)
        for _column, _wave in ((2 * _i, np.sin(_a)), (2 * _i + 1, np.cos(_a))):
            _mine = np.asarray(_got)[:, _column]
            assert close(_mine, _wave, 0, 1e-5), (
                f"T = {_T}, d = {_d}: column {_column} is wrong"
                + (" (float32 angles are too coarse far out)." if _T == 5000 else ".")
            )
            assert close(_mine, _wave, 0, 1e-9), (
                f"T = {_T}, d = {_d}: column {_column} is right to a few digits only; "
                "float64 is asked for, in angles and waves."
            )
### END HIDDEN TESTS

# %% test="sinusoids" aspect="a shift is one matrix" points=1
_sizes = [(3, 4)]  # k, d
### BEGIN HIDDEN TESTS
_sizes = [
    (random.randint(2, 30), random.choice([6, 8, 10])),
    (5, 64),
    (300, 16),
    (1, 2),
    (0, 6),
    (-1, 4),
    (-random.randint(2, 19), 8),
]
### END HIDDEN TESTS
for _k, _d in _sizes:
    _a = np.arange(1000)[:, None] / 10000 ** (np.arange(0, _d, 2) / _d)
    _e = np.stack([np.sin(_a), np.cos(_a)], axis=-1).reshape(1000, _d)
    _R = np.asarray(shift(_k, _d), dtype=float)
    assert _R.shape == (_d, _d), (
        f"k = {_k}, d = {_d}: shape {_d, _d}; yours: {_R.shape}."
    )
    for _j in [_j for _j in (0, 1, 7, 19, 60, 500) if _j + _k >= 0]:
        assert close(_e[_j] @ _R, _e[_j + _k], 0, 1e-4), (
            f"k = {_k}, d = {_d}: place {_j} times R should be place {_j + _k}; "
            f"you reach {np.round(_e[_j] @ _R, 3)[:4]}..."
        )

# %% test="sinusoids" aspect="the same R for long ways" points=1
_k, _d, _times = 1, 8, 12
### BEGIN HIDDEN TESTS
_k, _d, _times = random.randint(1, 5), random.choice([32, 64]), random.randint(20, 60)
### END HIDDEN TESTS
_R, _far = (np.asarray(shift(k, _d), dtype=float) for k in (_k, _times * _k))
assert _R.shape == _far.shape == (_d, _d), (
    f"d = {_d}: shape {_d, _d}; yours: {_R.shape}."
)
assert close(_R @ _R.T, np.eye(_d), 0, 1e-5), (
    "R turns and does not stretch: R Rᵀ should be I."
)
assert close(np.linalg.matrix_power(_R, _times), _far, 0, 1e-4), (
    f"d = {_d}: {_times} times {_k} places are not {_times * _k} places."
)

# %%
alike = {d: sinusoids(80, d) @ sinusoids(1, d)[0] / (d / 2) for d in (64, 512)}
falls = {d: int((cosine.diff() >= 0).int().argmax()) for d, cosine in alike.items()}

# %%
_, (left, right) = plt.subplots(1, 2, figsize=(6.4, 1.9))
for number in (8, 16, 32):
    left.plot(sinusoids(40, 64)[:, number], label=f"i = {number // 2}")
left.set(xlabel="place j (words)", ylabel=r"$\sin(\omega_i\, j)$", ylim=(-1.1, 1.9))
left.legend(fontsize=8, ncols=3, columnspacing=0.6, handlelength=0.8)
for d, cosine in alike.items():
    right.plot(cosine, label=f"d = {d}: only falls up to {falls[d]}")
right.set(xlabel="distance (words)", ylabel="cosine of two places")
right.legend(fontsize=9)
plt.show()

# %% [markdown]
# Left: three sines, from fast to slow. Right: nearby places are more alike than far ones on the whole, not step by step
# (the legend: up to which distance it only falls).
#
# What are places worth to the kitchen model? Recorded runs, a mark for each of three seeds, on texts of 64 words, as in
# training, and of 128:

# %%
ways = {"none": "+ soft lookup", "integer j": "integer places"}
ways |= {"learned rows": "learned places", "sinusoids": "+ places"}
_, axes = plt.subplots(figsize=(6, 2.7))
for n, (length, mark) in enumerate({64: "o", 128: "s"}.items()):
    found = np.array([of(way, length) for way in ways.values()])  # [ways, seeds]
    label = [f"{length} words", "_", "_"]  # one line of marks for each seed
    x, colour = np.arange(4) + 0.2 * n - 0.1, plots.COLOURS[n]
    axes.plot(x, found, mark, color=colour, label=label, alpha=0.7)
axes.set(xticks=range(4), xticklabels=ways, xlabel="added to the word's vector")
axes.set(ylabel="perplexity", ylim=(15, 28))
axes.text(1, 21, "off the scale:\n202 and 203", ha="center", va="top")
axes.legend(title="read at once", loc="upper left")
plt.show()

# %% [markdown]
# At 64 words, sinusoids bring the perplexity down from 20.6 to 19.1, and learned rows even to 16.3. The integer
# itself ruins the model (202). But is the idea bad, or only its size? `place_table` multiplies the sinusoids by 0.05,
# and learned rows start at about 0.02, so both are no larger than the word vectors, which start at about 0.1. The
# integer is added as it is, up to 63, and drowns the words.
#
# Multiply it by 0.002 in `place_table` and run `practise(400, 1, places="integer")`. We did so with three seeds, and
# the same integer reached 16.1 to 16.4 at 64 words, as good as learned rows, and 17.0 to 17.3 at 128 words, better
# than everything in the figure. So the figure compares sizes as much as ideas. (The 0.05 of the sinusoids is a guess,
# too.)
#
# At 128 words, twice as long as in training, all in the figure get worse. The second half of the learned table was
# never trained, and the winner becomes the worst of the three. The model without places gets worse too; section 2
# suggests why, since more words now share the same weight, but we have not tested that.
#
# We go on with sinusoids all the same. For them, a step of three words is one and the same matrix at every place (your
# `shift`), and the positions of chapter 08 grow out of that.

# %%
ladder(*[*RUNGS][:4])

# %% [markdown]
# <details><summary>Two slips in the printed slides</summary>
#
# Lecture 001 says "Encode each sequence position as an integer, add it to the word embedding vector": literally the second
# way above; meant is a *row of a table*. Its "closer words get higher dot products" holds only up to distance
# 5 or 43.
# </details>
#
# One query still gets *one average*: a verb that looks for its subject and its object at the same time reads a mixture of
# both.

# %% [markdown] statement="which_places"
# #### Which places?
#
# Trained on texts of 64 words, your model will also be handed some of 128. Choose one way from the last figure, state
# its price at both lengths, and name the change to the training that you would test first.

# %% [markdown] written="which_places" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: a choice with a reason that names how much is read at which length (any of nothing, sinusoids
# and learned rows can be right). 1 point: its perplexities and what it gives up against another way, read off to
# about half a unit: at 64 words nothing 20.6, sinusoids 19.1, learned 16.3; at 128 about 22.3, 23.0 and 25.6. 1
# point: trains at the longer length, or makes far places occur in training (texts that begin at a random place up to
# 64); only this trains the far rows, or teaches the model to read them.
#
# Note that at 128 words *no* places are best on average; who sees this has read the figure. No point for "more steps"
# or "more words of width". A usual wrong idea: sinusoids have a vector for every place and so work at any length.
#
# **Sample, 3 points.** If nearly all texts have 64 words, I take learned rows: 16.3, against 19.1 for sinusoids and
# 20.6 for nothing. The price is at 128, about 25.6, the worst of the three; nothing at all would have 22.3 there. If
# half of them are long I would choose sinusoids (19.1 and about 23). I would first train on texts of 128 words, since
# rows 64 to 127 of the table have never been trained.
#
# **Sample, 2 points.** I take sinusoids. At 64 they have 19.1, which is 2.8 worse than learned ones, and at 128 about
# 23, which is 2.6 better. To improve this I would train for longer on the same texts.
#
# **Sample, 0 points.** Sinusoids, as they are given by a formula for every place. So they have no price at 128, and
# learned places cannot be used there at all. I would make the vectors longer.
# ### END SOLUTION

# %% [markdown] statement="two_heads"
# ## 10. Two heads
#
# With $h$ **heads**, head $l$ sees its own $d_k = d/h$ columns of $Q, K, V$ $[T, d]$. The results
# stand side by side, $[T, d]$, and are mixed by $H$, $[d, d]$.
#
# - `heads_by_hand`: $d = h = 2$, query $(1, 1)$, keys $(\ln 3, 0)$ and $(0, \ln 3)$, values $(1, 2)$ and $(5, 6)$,
#   $H = \begin{pmatrix}1 & 0\\1 & 1\end{pmatrix}$. Give the two numbers;
# - `multihead_loop(Q, K, V, H, h)`, head by head, by `attend` (given above);
# - `wrong_lines`: a set. Which lines of lecture 000's code, below, fail (9 words, hidden 8, 2 heads), as Python or by their shapes?

# %%
drawings.two_heads()

# %% [markdown]
# ```
# 1  Q1 = x @ W_q1                             # [seq_len, hidden / 2]
# 2  h1 = softmax(Q1 @ K1.T) @ V1.T            # the output of the first head
# 3  h = [h1:h2] @ H                           # concatenate and mix them together
# 4  s = Q @ K.mT                              # all heads; the slide prints .T
# 5  h = softmax(s) @ V                        # [num_heads, seq_len, hidden / num_heads]
# 6  h = h.transpose(0, 1).reshape(1, 2)       # [seq_len, hidden]
# ```

# %% [markdown] hints="two_heads"
# 1. $e^{\ln 3} = 3$. And how wide is one head's query here, so what is $\sqrt{d_k}$?
# 2. By hand: each head sees one number of the query, of each key and of each value, and does a whole soft lookup with
#    these. For the lines: write the shape of both factors below each product.
# 3. Loop: cut the same columns out of all three, attend, collect; at the end one concatenation and one product.

# %% task="two_heads" points=4 level=2 minutes=20
# heads_by_hand = [number, number]
# wrong_lines = {numbers of the lines that cannot run}
### BEGIN SOLUTION
heads_by_hand = [7, 5]
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
assert np.shape(heads_by_hand) == (2,) and all(map(is_number, heads_by_hand)), (
    f"heads_by_hand holds two numbers; yours: {heads_by_hand!r}."
)
assert min(heads_by_hand) > 1, (
    f"Both numbers are averages of positive values, or sums of such; yours: {heads_by_hand!r}."
)
### BEGIN HIDDEN TESTS
_got = [float(_number) for _number in heads_by_hand]
_hint = "Weights 3/4, 1/4 in head 1 and 1/4, 3/4 in head 2."
if close(_got, [2, 5], 0, 0.01):
    _hint = "That is before H mixes the heads."
elif close(_got, [2, 7], 0, 0.01):
    _hint = "A row times H, not H times a column."
assert close(_got, [7, 5], 0, 0.01), f"Not {_got}. {_hint}"
### END HIDDEN TESTS

# %% test="two_heads" aspect="head by head" points=1
_sizes = [(5, 2, 3)]  # T, h, d_k
### BEGIN HIDDEN TESTS
_sizes = [(7, 3, random.choice([2, 4])), (6, 5, 2), (5, 1, 3), (4, 3, 1)]
_sizes += [(1, 2, 3), (1, 1, 1)]
### END HIDDEN TESTS
for _T, _h, _d_k in _sizes:
    _d = _h * _d_k
    _Q, _K, _V = (torch.randn(_T, _d).double() for _ in range(3))
    _got = multihead_loop(
        _Q.clone(), _K.clone(), _V.clone(), torch.eye(_d).double(), _h
    )
    assert np.shape(_got) == (_T, _d), f"Shape {_T, _d} wanted; yours: {_got!r}."
    for _l in range(_h):
        _own = slice(_l * _d_k, (_l + 1) * _d_k)
        for _t in range(_T):
            _a = np.exp((_K[:, _own] @ _Q[_t, _own]).numpy() / math.sqrt(_d_k))
            _wanted = _a @ _V[:, _own].numpy() / _a.sum()
            assert close(_got[_t][_own], _wanted, 1e-4, 1e-5), (
                f"H = I, h = {_h}, d = {_d}: word {_t}, columns of head {_l + 1} (of {_h}) are "
                "not softmax(QKᵀ/√(d/h))V of these columns."
            )

# %% test="two_heads" aspect="the mixing matrix" points=1
_Q, _V, _H = (
    torch.zeros(3, 4).double(),
    torch.randn(3, 4).double(),
    torch.randn(4, 4).double(),
)
_got = multihead_loop(_Q, _V.clone(), _V.clone(), _H.clone(), 2)
assert np.shape(_got) == (3, 4), f"Shape (3, 4) wanted; yours: {_got!r}."
_wanted = _V.mean(0) @ _H
assert close(_got[0], _wanted, 1e-4, 1e-5), (
    f"Queries of zeros: all heads average, then (mean of V) H = {_wanted}; yours: {_got[0]}."
)
### BEGIN HIDDEN TESTS
for _T, _h, _d_k in ((4, 1, 3), (1, 2, 3), (1, 1, 2), (3, 1, 1), (4, 3, 1), (5, 3, 2)):
    _d = _h * _d_k
    _Q, _K, _V, _H = _inputs = [
        torch.randn(*_size).double() for _size in ((_T, _d),) * 3 + ((_d, _d),)
    ]
    _own = [slice(i, i + _d_k) for i in range(0, _d, _d_k)]
    _heads = [attend(_Q[:, _one], _K[:, _one], _V[:, _one]) for _one in _own]
    _got = multihead_loop(*(_M.clone() for _M in _inputs), _h)
    assert close(_got, torch.cat(_heads, dim=1) @ _H, 1e-4, 1e-5), (
        f"{_h} heads of width {_d_k}, {_T} words, random H: the result, shape "
        f"{tuple(np.shape(_got))}, is not what the heads side by side, times H, give."
    )
_after = arguments_after(multihead_loop, *(_M.clone() for _M in _inputs), 3)
assert all(map(close, _after, _inputs)), (
    "multihead_loop changes the tensors it is given."
)
### END HIDDEN TESTS

# %% test="two_heads" aspect="lines that cannot run" points=1
assert isinstance(wrong_lines, set | list | tuple | frozenset | np.ndarray), (
    f"wrong_lines is a set; yours: {wrong_lines!r}."
)
assert {*wrong_lines} < {1, 2, 3, 4, 5, 6}, (
    f"Numbers of lines, and not of all six; yours: {wrong_lines!r}."
)
### BEGIN HIDDEN TESTS
assert not {*wrong_lines} - {2, 3, 6}, (
    "One of the lines that you name does run, as Python and with these shapes: try it with torch.zeros (softmax keeps a shape)."
)
assert {*wrong_lines} == {2, 3, 6}, (
    "A line that you do not name cannot run: is each Python as it stands? Then try it with torch.zeros of these shapes (softmax keeps a shape)."
)
### END HIDDEN TESTS

# %% [markdown] statement="heads_at_once"
# ## 11. All heads at once
#
# Give the heads an axis of their own instead of a loop, and one batched product serves them all:
#
# - `split_heads(X, h)`: $[\dots, T, d] \to [\dots, h, T, d/h]$, where head $l$ holds the same columns as before;
# - `merge_heads(Z)`: back, $[\dots, h, T, d/h] \to [\dots, T, d]$;
# - `multihead(x, W_q, W_k, W_v, H, h)`: from $x$, $[\dots, T, d]$, and four matrices $[d, d]$, without a loop.
#
# "Transpose (not reshape!)", lecture 000 warns: the cell after the checks shows why.

# %% [markdown] hints="heads_at_once"
# 1. Number the entries of two words with $d = 4$ from 1 to 8, as they lie in memory. Which of them must head 2 get?
# 2. A reshape never changes the order in which numbers lie in memory. May one axis be cut into two without that? May two axes
#    swap places?
# 3. Cut the last axis in two (a reshape may do this), then swap two axes. To go back, do the opposite in the opposite order.


# %% task="heads_at_once" points=4 level=2 minutes=16
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
assert np.shape(_got) == (2, 3, 2), (
    f"T = 3, d = 4, h = 2: shape (2, 3, 2); yours: {_got!r}."
)
assert close(_got[0], [[1, 2], [5, 6], [9, 10]], 0, 0), (
    f"Head 1 has the first two columns, [[1, 2], [5, 6], [9, 10]]; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
for _T, _h, _d_k in (
    (4, 1, 3),
    (4, 3, 1),
    (6, 3, random.choice([2, 4])),
    (7, 2, 4),
    (1, 3, 2),
    (1, 1, 2),
    (1, 1, 1),
    (3, 5, 2),
):
    _X = torch.randn(_T, _h * _d_k)
    _got = split_heads(_X.clone(), _h)
    assert np.shape(_got) == (_h, _T, _d_k), (
        f"T, h, d/h = {_T, _h, _d_k}: shape {_h, _T, _d_k}; yours: {np.shape(_got)}."
    )
    for _l in range(_h):
        assert close(_got[_l], _X[:, _l * _d_k : (_l + 1) * _d_k], 0, 0), (
            f"T, h, d/h = {_T, _h, _d_k}: head {_l + 1} is wrong."
        )
assert close(arguments_after(split_heads, _X.clone(), _h)[0], _X), (
    "split_heads changes its X."
)
### END HIDDEN TESTS

# %% test="heads_at_once" aspect="merged as it was" points=1
_Z = torch.tensor([[[1, 2], [5, 6], [9, 10]], [[3, 4], [7, 8], [11, 12]]])
_got = merge_heads(_Z.clone())
assert np.shape(_got) == (3, 4), (
    f"h = 2, T = 3, d/h = 2: shape (3, 4); yours: {_got!r}."
)
assert close(_got[0], [1, 2, 3, 4], 0, 0), (
    f"The first word has 1, 2 (head 1), then 3, 4; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
_sizes = [(_lead, 3, 4, 2) for _lead in ((), (1,), (3,), (1, 1), (2, 3))]
_sizes += [((), 1, 3, 2), ((2,), 3, 1, 2), ((1,), 1, 1, 1), ((2,), 4, 3, 1)]
_sizes += [((), 3, 3, 2), ((2,), 2, 2, 3)]  # as many heads as words
_sizes += [((3, 1, 2), *random.choice([(3, 4, 2), (5, 2, 3)]))]
for _lead, _h, _T, _d_k in _sizes:
    _Z = torch.randn(*_lead, _h, _T, _d_k)
    _got = merge_heads(_Z.clone())
    assert np.shape(_got) == (*_lead, _T, _h * _d_k), (
        f"From {tuple(_Z.shape)} you make {tuple(np.shape(_got))}."
    )
    assert close(_got, torch.cat(_Z.unbind(-3), dim=-1), 0, 0), (
        f"From {tuple(_Z.shape)}: some words get others' numbers."
    )
assert close(arguments_after(merge_heads, _Z.clone())[0], _Z), (
    "merge_heads changes its Z."
)
### END HIDDEN TESTS

# %% test="heads_at_once" aspect="batches stay apart" points=1
_X = torch.arange(2 * 3 * 4).view(2, 3, 4)
_got = split_heads(_X.clone(), 2)
assert np.shape(_got) == (2, 2, 3, 2), (
    f"[2, 3, 4] with 2 heads: (2, 2, 3, 2); yours: {_got!r}."
)
assert close(_got[1, 0], _X[1, :, :2], 0, 0), (
    "In the second text of a batch, head 1 has not the first two columns."
)
### BEGIN HIDDEN TESTS
for _lead in ((5,), (3, 2), (2, 1, 4), (1,), (1, 1), (1, 3)):
    _X = torch.randn(*_lead, 4, 6)
    _got = split_heads(_X.clone(), 3)
    assert np.shape(_got) == (*_lead, 3, 4, 2), (
        f"{(*_lead, 4, 6)} with 3 heads: {(*_lead, 3, 4, 2)}; yours: {np.shape(_got)}."
    )
    for _at in np.ndindex(_lead):
        _wanted = torch.stack([_X[_at][:, i : i + 2] for i in (0, 2, 4)])
        assert close(_got[_at], _wanted, 0, 0), (
            f"Leading axes {_lead}, 3 heads: text {_at} is split otherwise than alone."
        )
### END HIDDEN TESTS

# %% test="heads_at_once" aspect="equal to the loop" points=1
_sizes = [((2,), 5, 3, 2)]  # leading axes, T, h, d/h
### BEGIN HIDDEN TESTS
_sizes = [
    ((3,), random.randint(5, 8), 4, 2),
    ((4,), 1, 2, 3),
    ((1,), 4, 2, 3),
    ((1, 1), 1, 1, 2),
    ((2,), 3, 1, 1),
    ((2, 3), 4, 3, 2),
    ((), 5, 3, 4),
]
### END HIDDEN TESTS
for _lead, _T, _h, _d_k in _sizes:
    _d = _h * _d_k
    _x, _W = (
        torch.randn(*_lead, _T, _d).double(),
        torch.randn(4, _d, _d).double() / math.sqrt(_d),
    )
    _got = multihead(_x.clone(), *(_M.clone() for _M in _W), _h)
    assert np.shape(_got) == _x.shape, (
        f"Shape {tuple(_x.shape)} wanted; yours: {_got!r}."
    )
    for _at in np.ndindex(_lead):
        _Q, _K, _V = ((_x[_at] @ _M).split(_d_k, dim=1) for _M in _W[:3])
        _A = [
            (_q @ _k.T / math.sqrt(_d_k)).softmax(1)
            for _q, _k in zip(_Q, _K, strict=True)
        ]
        _wanted = (
            torch.cat([_a @ _v for _a, _v in zip(_A, _V, strict=True)], dim=1) @ _W[3]
        )
        assert close(_got[_at], _wanted, 1e-4, 1e-5), (
            f"Leading axes, T, h, d/h = {_lead, _T, _h, _d_k}: text {_at} differs from the loop."
        )
### BEGIN HIDDEN TESTS
_after = arguments_after(multihead, _x.clone(), *(_M.clone() for _M in _W), _h)
assert all(map(close, _after, (_x, *_W))), (
    "multihead changes the tensors that it is given."
)
### END HIDDEN TESTS

# %%
X = torch.arange(1, 9).view(2, 4)  # 2 words, d = 4
print("words:", X.tolist())
print("split:", split_heads(X, 2).tolist())
print("reshape alone:", X.reshape(2, 2, 2).tolist())

# %%
q, K = torch.ones(1, 2), torch.eye(2) * math.log(3)
V, H = torch.tensor([[1.0, 2.0], [5.0, 6.0]]), torch.tensor([[1.0, 0.0], [1.0, 1.0]])
once = merge_heads(attend(*(split_heads(M, 2) for M in (q, K, V)))) @ H
print("by hand:", np.round([float(number) for number in heads_by_hand], 4))
print("loop:   ", multihead_loop(q, K, V, H, 2)[0].numpy().round(4))
print("at once:", once[0].numpy().round(4))

# %% [markdown]
# A reshape alone would give head 1 the whole first word and head 2 the second: the shapes fit, the numbers do not.

# %% [markdown] statement="MultiHead"
# ## 12. The module, and what it weighs
#
# - `MultiHead(d, h)`: parts `q`, `k`, `v`, `out`, each `nn.Linear(d, d)`; `forward(x, mask=None)`: $x$ $[B, T, d]$; `mask`
#   $[T, T]$, True where a row may look at a column;
# - `from_torch(state)`: the state dict of `nn.MultiheadAttention(d, h)`, cut and renamed to fit yours;
# - `parameters(d, h, d_k, d_v)`: how many numbers all $W$ and $H$ hold, without biases;
# - `parameters_sliced(d, h)`: the same if each head, as in lecture 004, is given only its slice of $x$; no $H$.
#
# Chapter 7 stacks this layer. Use `attend`, `heads_apart` and `heads_together` (section 11, ours): then a slip there costs you
# only once.


# %%
def heads_apart(X, h):
    """[..., h, T, d / h] from X: [..., T, d]: section 11, ours."""
    return X.unflatten(-1, (h, -1)).transpose(-3, -2)


def heads_together(Z):
    """[..., T, d] from Z: [..., h, T, d / h]."""
    return Z.transpose(-3, -2).flatten(-2)


# %% [markdown] hints="MultiHead"
# 1. Print the names and shapes in torch's state dict. One name holds three matrices.
# 2. `nn.Linear` keeps its matrix transposed, and so does torch's module: nothing needs to be turned. `attend` has the argument
#    `attn_mask`, None or just such a mask.
# 3. Counting: a head has two matrices $[d, d_k]$ and one $[d, d_v]$; $H$ maps all $h d_v$ numbers to $d$. A slice has only $d/h$
#    numbers in and $d/h$ out.


# %% task="MultiHead" points=4 level=2 minutes=25
class MultiHead(nn.Module):
    """[B, T, d] from x: [B, T, d]; mask: None, or [T, T] with True where row may look at column."""

    ### BEGIN SOLUTION
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.out = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, mask=None):
        B, T, d = x.shape
        Q, K, V = (
            part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        return self.out(
            attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
        )

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
_sizes, _texts = [(6, 2)], [(3, 7)]  # d, h; B, T
### BEGIN HIDDEN TESTS
_sizes = [(4, 1), (3, 3), (1, 1), *random.sample([(15, 5), (12, 3), (8, 4)], 3)]
_texts = [(1, 4), (3, 1), (1, 1), (3, 7)]
### END HIDDEN TESTS
_all = [
    f"{_name}.{_kind}"
    for _name in ("q", "k", "v", "out")
    for _kind in ("weight", "bias")
]
_pairs = []
for _d, _h in _sizes:
    _torch, _mine = nn.MultiheadAttention(_d, _h, batch_first=True), MultiHead(_d, _h)
    _s = {
        _name: torch.randn(_d, _d)[slice(None) if "w" in _name else 0] for _name in _all
    }
    _shapes = {
        _name: tuple(np.shape(_part))
        for _name, _part in dict(_mine.state_dict()).items()
    }
    assert _shapes == {_name: tuple(_part.shape) for _name, _part in _s.items()}, (
        f"q, k, v, out, each nn.Linear(d, d): {_shapes}?"
    )
    _mine.load_state_dict(_s)
    _in = {
        f"in_proj_{_k}": torch.cat([_s[f"{n}.{_k}"] for n in "qkv"])
        for _k in ("weight", "bias")
    }
    _out = {"out_proj.weight": _s["out.weight"], "out_proj.bias": _s["out.bias"]}
    _torch.load_state_dict(_in | _out)
    _pairs.append((_torch, _mine))
for (_d, _h), (_torch, _mine) in zip(_sizes, _pairs, strict=True):  # after all are made
    for _B, _T in _texts:
        _x = torch.randn(_B, _T, _d)
        _got, _wanted = _mine(_x.clone()), _torch(_x, _x, _x)[0]
        assert torch.is_tensor(_got), (
            "Without a mask, forward should return a tensor of shape "
            f"{tuple(_x.shape)}, not {_got!r}."
        )
        assert _got.shape == _x.shape, (
            f"Shape {tuple(_x.shape)} wanted; yours: {tuple(_got.shape)}."
        )
        assert close(_got, _wanted, 1e-3, 1e-3), (
            f"d = {_d}, h = {_h}, {_B} texts of {_T} words: same weights, other result "
            "than nn.MultiheadAttention."
        )
### BEGIN HIDDEN TESTS
_slopes = parameter_gradients(_mine, _x.clone())
assert not [_name for _name in _all if _slopes.get(_name) is None], (
    "Some of q, k, v, out cannot learn: the result does not depend on them for autograd."
)
### END HIDDEN TESTS

# %% test="MultiHead" aspect="masked words are unseen" points=1
_d, _h, _mask = 6, 2, [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1]]
### BEGIN HIDDEN TESTS
_d, _h, _mask = 12, 3, (torch.rand(5, 5) < 0.4).tolist()
for _i in range(5):  # each word sees one at least; 0 sees 4, 4 not 0
    _mask[_i][_i] = _mask[0][4] = True
_mask[4][0] = False
_mask[3] = [False, False, False, True, False]
### END HIDDEN TESTS
_mask = torch.tensor(_mask).bool()
_T, _mine = len(_mask), MultiHead(_d, _h)
_x = torch.randn(3, _T, _d)
_before = _mine(_x.clone(), _mask.clone())
assert torch.is_tensor(_before) and _before.shape == _x.shape, (
    f"With a mask: shape {tuple(_x.shape)}; yours: {_before!r}."
)
for _j in range(_T):
    _other = _x.clone()
    _other[1, _j] += 2
    _moved = (_mine(_other, _mask.clone()) - _before).abs().amax(2) > 1e-6
    assert not _moved[0].any() and not _moved[2].any(), (
        "A word of the second text changed, and another text's result moved."
    )
    assert _moved[1].tolist() == _mask[:, _j].tolist(), (
        f"Word {_j} changed. Rows that may look at it: {_mask[:, _j].tolist()}; rows that moved: {_moved[1].tolist()}."
    )
### BEGIN HIDDEN TESTS
_s = dict(_mine.state_dict())
_s |= {
    "q.bias": torch.full((_d,), 20.0),
    "k.bias": torch.full((_d,), -20.0),
}  # scores near -800
_mine.load_state_dict(_s)
_Q, _K, _V = (F.linear(_x, _s[f"{_n}.weight"], _s[f"{_n}.bias"]) for _n in "qkv")
for _few, _allowed in (  # a mask, none, another; one text, one word
    (_x, _mask),
    (_x, None),
    (_x, _mask.T | torch.eye(5).bool()),
    (_x, _mask.roll(1, 0)),  # word 4 sees word 3, not itself
    (_x[:1], _mask),
    (_x[:, :1], _mask[:1, :1]),
):
    _B, _T, _ = _few.shape
    _heads = [[_M[:_B, :_T, i : i + 4] for _M in (_Q, _K, _V)] for i in (0, 4, 8)]
    _heads = torch.cat([attend(*_head, attn_mask=_allowed) for _head in _heads], dim=-1)
    _wanted = F.linear(_heads, _s["out.weight"], _s["out.bias"])
    _got = (
        _mine(_few.clone())
        if _allowed is None
        else _mine(_few.clone(), _allowed.clone())
    )
    assert close(_got, _wanted, 1e-3, 1e-3), (
        "The same module, called with a mask, without one, with another: wrong "
        f"{'without one' if _allowed is None else 'with one'}, "
        f"{_B} texts of {_T} words."
    )
_after = arguments_after(_mine, _x.clone(), _mask.clone())
assert all(map(close, _after, (_x, _mask))), (
    "forward changes x or the mask that it is given."
)
### END HIDDEN TESTS

# %% test="MultiHead" aspect="weights from torch" points=1
_d = 2
### BEGIN HIDDEN TESTS
_d = random.randint(3, 6)
### END HIDDEN TESTS
_state = {"in_proj_weight": torch.arange(3.0 * _d * _d).view(3 * _d, _d)}
_state |= {"in_proj_bias": torch.arange(3.0 * _d), "out_proj.weight": torch.eye(_d)}
_state |= {"out_proj.bias": torch.arange(7.0, 7 + _d)}
### BEGIN HIDDEN TESTS
_state = {_name: torch.randn(_part.shape) for _name, _part in _state.items()}
### END HIDDEN TESTS
_got = from_torch({_name: _part.clone() for _name, _part in _state.items()})
_all = {
    f"{_name}.{_kind}"
    for _name in ("q", "k", "v", "out")
    for _kind in ("weight", "bias")
}
assert hasattr(_got, "keys") and {*_got} == _all, (
    f"from_torch returns a dict with {sorted(_all)}; yours: {_got!r}."
)
for _row, _name in enumerate("qkv"):
    _own = slice(_d * _row, _d * _row + _d)
    assert close(_got[f"{_name}.weight"], _state["in_proj_weight"][_own]), (
        f"{_name}.weight is not torch's rows from {_own.start} to {_own.stop - 1}."
    )
    assert close(_got[f"{_name}.bias"], _state["in_proj_bias"][_own]), (
        f"{_name}.bias is not {_got[f'{_name}.bias']}."
    )
for _kind in ("weight", "bias"):
    assert close(_got[f"out.{_kind}"], _state[f"out_proj.{_kind}"]), (
        f"out.{_kind} is not out_proj's."
    )
### BEGIN HIDDEN TESTS
_after = arguments_after(
    from_torch, {_name: _part.clone() for _name, _part in _state.items()}
)[0]
assert {*_after} == {*_state} and all(
    close(_after[_name], _state[_name]) for _name in _state
), (
    "from_torch changes the state dict that it is given: names are gone, or new, or numbers differ."
)
### END HIDDEN TESTS

# %% test="MultiHead" aspect="parameters are counted" points=1
_got = parameters(4, 2, 3, 5), parameters_sliced(4, 2)
assert all(map(is_number, _got)), f"Both return a number; yours: {_got!r}."
assert _got[0] == 128, (
    f"d = 4, 2 heads, d_k = 3, d_v = 5: 2 · (12 + 12 + 20) + 10 · 4 = 128; yours: {_got[0]}."
)
assert _got[1] == 24, (
    f"Two slices of 2 numbers, three 2 × 2 matrices each: 24; yours: {_got[1]}."
)
### BEGIN HIDDEN TESTS
_sizes = [random.sample(range(3, 10), 4) for _ in range(3)]
for _h, _d_k, _d_v, _each in [*_sizes, (1, 3, 2, 5), (5, 1, 2, 1)]:
    _d = _h * _each
    _wanted = (
        sum(_d * _n for _n in [_d_k, _d_k, _d_v, _d_v] for _ in range(_h)),
        sum(3 * _each**2 for _ in range(_h)),
    )
    _got = parameters(_d, _h, _d_k, _d_v), parameters_sliced(_d, _h)
    assert close(_got, _wanted, 0, 1e-6), (
        f"d = {_d}, h = {_h}, d_k = {_d_k}, d_v = {_d_v}: {_wanted[0]} and {_wanted[1]}; yours: {_got}."
    )
### END HIDDEN TESTS

# %%
eight = parameters(512, 8, 64, 64)
print(f"d = 512, 8 heads of 64: {eight:,} (W alone {eight - 512**2:,})")
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
    slopes = torch.autograd.functional.jacobian(lambda x: layer(x, x, x)[0], x)
    return slopes.abs().sum((0, 1, 3, 4))


# %%
for name, layer in {"projected (the usual way)": full, "sliced": sliced}.items():
    heard = (who_feeds_whom(layer, torch.randn(1, 5, 16)) > 1e-9).sum(1)
    print(f"{name:26} an output number hears {set(heard.tolist())} input numbers")

# %% [markdown]
# In *parameters* heads cost nothing: eight of width 64 hold what one of 512 does (but have eight tables $P$). Slicing
# saves a factor $h$, but slices never speak to one another.
#
# <details><summary>Two slips in the printed slides</summary>
#
# Lecture 002's listing of this module indents nearly all of `forward` below `if mask is not None:`, so without a mask it
# returns None (next cell). Lectures 003 and 004 draw heads side by side without the matrix $H$ that mixes them.
# </details>


# %%
def forward_as_printed(x, mask=None):
    if mask is not None:
        mask = mask.unsqueeze(1)
        return attend(x, x, x, attn_mask=mask)


print("as indented, without a mask:", forward_as_printed(torch.ones(1, 2, 3)))

# %%
ladder(*[*RUNGS][:5])

# %% [markdown]
# Four heads of width 16 for one of 64, with as many parameters: a gain no larger than the spread of the seeds.

# %% [markdown] statement="masked_attention"
# ## 13. Words that must not be seen
#
# A model that guesses the next word must not see it. Where a word may not look, the score becomes $-\infty$ before the
# softmax: $e^{-\infty} = 0$. So *one* pass trains the guesses at all places of a text, and none sees its answer.
#
# - first predict each key's weight in a row with all four forbidden: filled with $-10^9$, as in lecture 002
#   (`weight_1e9`), and with $-\infty$ (`weight_inf`);
# - `causal_mask(T)`, bool $[T, T]$: row $i$ may look at columns $\le i$;
# - `masked_attention(Q, K, V, mask)`, written out, for shapes $[\dots, m, d_k]$, $[\dots, n, d_k]$, $[\dots, n, d_v]$ and
#   $[m, n]$. A row that may look nowhere gives *zeros*.

# %%
drawings.masks()

# %% [markdown] hints="masked_attention"
# 1. What does the softmax make of four equal numbers? And what is $-\infty - (-\infty)$, which it computes on the way?
# 2. `torch.tril` keeps what is on and below the diagonal.
# 3. Fill, softmax over the last axis; then put zeros in the rows where the mask has no True at all, before or after the product
#    with $V$. "Not a number" is `math.nan`.

# %% task="masked_attention" points=4 level=2 minutes=17
# weight_1e9 = a number
# weight_inf = a number
### BEGIN SOLUTION
weight_1e9 = 0.25
weight_inf = math.nan
### END SOLUTION


def causal_mask(T):
    """Tensor of bools, [T, T]: True where row i may look at column j."""
    ### BEGIN SOLUTION
    return torch.ones(T, T, dtype=torch.bool).tril()
    ### END SOLUTION


def masked_attention(Q, K, V, mask):
    """[..., m, d_v]; mask: bool [m, n], True = may look. Zeros where a row may look nowhere."""
    ### BEGIN SOLUTION
    S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
    A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
    return A @ V
    ### END SOLUTION


# %% test="masked_attention" aspect="on and below the diagonal" points=1
_got = causal_mask(3)
assert torch.is_tensor(_got) and _got.dtype == torch.bool, (
    f"causal_mask returns a tensor of bools; yours: {_got!r}."
)
assert _got.tolist() == [
    [True, False, False],
    [True, True, False],
    [True, True, True],
], f"Each word sees itself and those before it; yours: {_got.int().tolist()}."
### BEGIN HIDDEN TESTS
for _T in (1, 2, random.randint(4, 9)):
    _got = causal_mask(_T)
    assert torch.is_tensor(_got) and _got.dtype == torch.bool, (
        f"T = {_T}: a tensor of bools?"
    )
    assert _got.tolist() == [[j <= i for j in range(_T)] for i in range(_T)], (
        f"Wrong for T = {_T}."
    )
### END HIDDEN TESTS

# %% test="masked_attention" aspect="only what may be seen" points=1
_sizes = [((2,), 3, 4, 1)]  # leading axes, n, m, size of the scores
### BEGIN HIDDEN TESTS
_sizes = [((3, 2), 3, random.randint(5, 8), 1), ((), 5, 4, 1), ((3,), 4, 6, 100)]
_sizes += [((), 4, 5, 10_000)]
### END HIDDEN TESTS
for _lead, _n, _m, _large in _sizes:
    _Q, _K, _V = (
        torch.randn(*_lead, *_s).double() for _s in ((_n, 5), (_m, 5), (_m, 3))
    )
    _mask = torch.rand(_n, _m) < 0.5
    _mask[:, 1], _mask[0, 2], _mask[1:, 3] = True, False, False
    if _large > 1:  # what is seen scores about -2 * _large, a forbidden key 0
        _Q[..., 0], _K[..., 0] = 20, torch.rand(*_lead, _m) - 0.22 * _large
        _K[..., 3, 0] *= _large > 1000  # beyond, all scores are alike
    _got = masked_attention(_Q.clone(), _K.clone(), _V.clone(), _mask.clone())
    assert np.shape(_got) == (*_lead, _n, 3), (
        f"Shape {(*_lead, _n, 3)} wanted; yours: {_got!r}."
    )
    for _at in np.ndindex(_lead):
        for _i in range(_n):
            _seen = [j for j in range(_m) if _mask[_i, j]]
            _s = np.array(
                [(_Q[_at][_i] @ _K[_at][j]).item() / math.sqrt(5) for j in _seen]
            )
            _e = np.exp(_s - _s.max())
            _wanted = _e @ _V[_at][_seen].numpy() / _e.sum()
            assert close(_got[_at][_i], _wanted, 1e-4, 1e-5), (
                f"A query that may see keys {_seen} (of {_m}; scores from {_s.min():.1f} to "
                f"{_s.max():.1f}) should get {_wanted.tolist()}; yours: {_got[_at][_i].tolist()}."
            )
### BEGIN HIDDEN TESTS
_mask[2] = False
_after = arguments_after(
    masked_attention, _Q.clone(), _K.clone(), _V.clone(), _mask.clone()
)
assert all(map(close, _after, (_Q, _K, _V, _mask))), (
    "masked_attention changes Q, K, V or the mask: whoever uses that mask again gets another."
)
### END HIDDEN TESTS

# %% test="masked_attention" aspect="a row that sees nothing" points=1
_Q, _K, _V = (torch.randn(3, 4).double() for _ in range(3))
_mask = torch.tensor([[1, 1, 0], [0, 0, 0], [1, 1, 1]]).bool()
_got = masked_attention(_Q.clone(), _K.clone(), _V.clone(), _mask.clone())
assert np.shape(_got) == (3, 4), f"Shape (3, 4) wanted; yours: {_got!r}."
assert close(_got[1], [0, 0, 0, 0]), (
    f"Row 1 may look nowhere: zeros; yours: {_got[1].tolist()}."
)
assert close(_got[2], attend(_Q, _K, _V)[2], 1e-4, 1e-5), (
    "Row 2 may look everywhere, but is not plain attention."
)
### BEGIN HIDDEN TESTS
for _lead, _n, _m, _d_k, _d_v in (
    ((3,), 4, 6, 5, 3),
    ((2, 3), 5, 2, 5, 3),
    ((), 2, 3, 5, 3),
    ((), 4, 1, 5, 3),  # one key
    ((2,), 1, 3, 5, 3),  # one query
    ((2,), 3, 4, 1, 1),  # width one
    ((1,), 3, 4, 5, 3),  # one text
    ((1, 1), 1, 1, 1, 1),
):
    _Q, _K, _V = (
        torch.randn(*_lead, *_s).double() for _s in ((_n, _d_k), (_m, _d_k), (_m, _d_v))
    )
    _Q[..., -1, :] = 0  # one query of zeros: all keys alike, if it may look
    for _nowhere in ([], [0], [_n - 1], [0, _n - 1], [*range(_n)]):
        _mask = torch.tensor([[i not in _nowhere] * _m for i in range(_n)])
        _wanted = attend(_Q, _K, _V).masked_fill(~_mask[:, :1], 0.0)
        _got = masked_attention(_Q.clone(), _K.clone(), _V.clone(), _mask)
        assert close(_got, _wanted, 1e-4, 1e-5), (
            f"Leading axes {_lead}, {_n} queries, {_m} keys, rows {_nowhere} may look nowhere and "
            "the others everywhere: zeros there and plain attention elsewhere, in each text?"
        )
### END HIDDEN TESTS

# %% test="masked_attention" aspect="the two fillings" points=1
assert is_number(weight_1e9), f"weight_1e9 should be a number, not {weight_1e9!r}."
assert (
    is_number(weight_inf) or np.shape(weight_inf) == () and weight_inf != weight_inf
), f"weight_inf should be a number, perhaps math.nan, not {weight_inf!r}."
### BEGIN HIDDEN TESTS
assert close(weight_1e9, 0.25, 1e-5), (
    f"With -1e9 everywhere a weight is not {weight_1e9}: what of equal scores?"
)
assert math.isnan(weight_inf), (
    f"With -inf everywhere a weight is not {weight_inf}: work out -inf minus -inf."
)
### END HIDDEN TESTS

# %%
for fill in (-1e9, -math.inf):
    print(f"{fill}: weights {torch.full((4,), fill).softmax(0).tolist()}")

# %%
Q, K, V = torch.randn(3, 1, 2, 256, 32).unbind()
allowed = torch.ones(256, 256).tril().bool()
masks = {"True or False": {"attn_mask": allowed}, "is_causal": {"is_causal": True}}
added = torch.zeros(256, 256).masked_fill(~allowed, -math.inf)
masks["0 or -inf, added to the scores"] = {"attn_mask": added}
yours = masked_attention(Q, K, V, allowed)
for name, mask in masks.items():
    same = close(attend(Q, K, V, **mask), yours, 1e-5, 1e-5)
    print(f"torch's function, {name}: the same as yours {same}")

# %% [markdown]
# (A trap: `nn.MultiheadAttention` reads a True in its masks as *forbidden*, and
# `scaled_dot_product_attention` as *allowed*.) What does torch's function buy, then?


# %%
def kept_for_backward(function, *inputs):
    """MiB that autograd keeps for the way back."""
    kept = {}
    inputs = [x.clone().requires_grad_(True) for x in inputs]
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: kept.setdefault(t.data_ptr(), t), lambda t: t
    ):
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
# NBVAL_IGNORE_OUTPUT
# (times differ from run to run)
rows = {}
for name, way in {"yours": written_out, "torch's": fused}.items():
    times = [[milliseconds(way, *x) for _ in range(3)] for x in inputs]
    rows[f"{name}, ms"] = [f"{min(tries):.2f} to {max(tries):.2f}" for tries in times]
    rows[f"{name}, MiB kept"] = [f"{kept_for_backward(way, *x):.2f}" for x in inputs]
columns = [f"n = {n:,}" for n in sizes]
print(pd.DataFrame.from_dict(rows, orient="index", columns=columns).to_string())

# %% [markdown]
# Torch's function (*flash attention*, T. Dao and others, 2022) works block by block and never stores the $n \times n$
# weights: when $n$ doubles, what it keeps for the backward pass doubles, what ours keeps grows nearly fourfold. (Times:
# least and most of three.) With scores of 0 a causal mask leaves the mean of all words so far: section 7's second model.

# %% [markdown] statement="cross_attention"
# ## 14. Words that are not there, words of another text
#
# Texts of a batch differ in length and are filled up with **padding**, which must never answer. And a translator's new
# sentence asks the *source* sentence: in **cross-attention** queries come from $x$ $[B, m, d]$, keys and values from
# another text $y$ $[B, n, d]$.
#
# - `padding_mask(lengths, n)`: bool $[B, n]$, True at the first `lengths[b]` places of text $b$; `lengths`: tensor of $B$
#   whole numbers from 0 to $n$;
# - `cross_attention(x, y, lengths, W_q, W_k, W_v, H, h)`, $[B, m, d]$: each word of $x$ looks up with $h$ heads among the
#   words of $y$, not its padding; all maps $[d, d]$. A text of length 0 answers zeros.
#
# `attend`, `heads_apart` and `heads_together` are given.

# %%
drawings.cross_attention()

# %% [markdown] hints="cross_attention"
# 1. Whose rows must the result have? Then whose rows does a query come from, and which axis of the scores does padding concern?
# 2. A comparison of `torch.arange(n)` with the lengths can make the whole mask at once: which of the two needs a second axis?
# 3. Scores have the shape $[B, h, m, n]$, the mask $[B, n]$: put in two axes. The rest is section 11 with two texts. And what is
#    the softmax of a row in which nothing is allowed?


# %% task="cross_attention" points=4 level=2 minutes=20
def padding_mask(lengths, n):
    """Bools [B, n]: True at the first lengths[b] places of text b; lengths: tensor [B]."""
    ### BEGIN SOLUTION
    return torch.arange(n, device=lengths.device) < lengths[:, None]
    ### END SOLUTION


def cross_attention(x, y, lengths, W_q, W_k, W_v, H, h):
    """[B, m, d]: x: [B, m, d] asks the first lengths[b] words of y: [B, n, d], with h heads."""
    ### BEGIN SOLUTION
    Q, K, V = (heads_apart(X, h) for X in (x @ W_q, y @ W_k, y @ W_v))
    real = padding_mask(lengths, y.shape[1])[:, None, None]  # [B, 1, 1, n]
    Z = attend(Q, K, V, attn_mask=real)
    Z = Z.masked_fill((lengths == 0)[:, None, None, None], 0)
    return heads_together(Z) @ H
    ### END SOLUTION


# %% test="cross_attention" aspect="padding is marked" points=1
_lengths, _n = [2, 0, 3], 4
### BEGIN HIDDEN TESTS
for _lengths, _n in (([5, 1, 0, 3, 5], 5), ([1], 1), ([2, 2, 1], 6), ([0, 0], 3)):
    _got = padding_mask(torch.tensor(_lengths), _n)
    assert np.shape(_got) == (len(_lengths), _n), (
        f"{len(_lengths)} texts, n = {_n}: shape {len(_lengths), _n}; yours: "
        f"{np.shape(_got)}. The width is n, not the longest length."
    )
    _wanted = [[j < _length for j in range(_n)] for _length in _lengths]
    assert np.asarray(_got).tolist() == _wanted, (
        f"Lengths {_lengths}, n = {_n}: some places are marked wrongly."
    )
_before = torch.tensor([3, 1])
assert close(arguments_after(padding_mask, _before.clone(), 4)[0], _before), (
    "padding_mask changes the lengths that it is given."
)
### END HIDDEN TESTS
_got = padding_mask(torch.tensor(_lengths), _n)
assert torch.is_tensor(_got) and _got.dtype == torch.bool, (
    f"padding_mask returns a tensor of bools; yours: {_got!r}."
)
assert _got.tolist() == [[j < _length for j in range(_n)] for _length in _lengths], (
    f"Lengths {_lengths}, n = {_n}: True at the words; yours: {_got.int().tolist()}."
)

# %% test="cross_attention" aspect="another text answers" points=1
_sizes = [(2, 3, 5, 2, 3)]  # B, m, n, h, d / h
### BEGIN HIDDEN TESTS
_sizes = [(3, 2, 7, 3, 2), (1, 4, 1, 1, 3), (4, 1, 3, 2, 1), (2, 6, 2, 1, 4)]
### END HIDDEN TESTS
for _B, _m, _n, _h, _d_k in _sizes:
    _d = _h * _d_k
    _x, _y = torch.randn(_B, _m, _d).double(), torch.randn(_B, _n, _d).double()
    _W = torch.randn(4, _d, _d).double()
    _full = torch.full((_B,), _n)
    _got = cross_attention(
        _x.clone(), _y.clone(), _full, *(_M.clone() for _M in _W), _h
    )
    assert np.shape(_got) == (_B, _m, _d), (
        f"{_m} words ask {_n} words: shape {_B, _m, _d}; yours: {np.shape(_got)}."
    )
    for _b in range(_B):
        _heads = []
        for _l in range(_h):
            _own = slice(_l * _d_k, (_l + 1) * _d_k)
            _Q, _K = _x[_b] @ _W[0][:, _own], _y[_b] @ _W[1][:, _own]
            _P = (_Q @ _K.T / math.sqrt(_d_k)).softmax(1)
            _heads.append(_P @ (_y[_b] @ _W[2][:, _own]))
        assert close(_got[_b], torch.cat(_heads, 1) @ _W[3], 1e-4, 1e-5), (
            f"No padding, B, m, n, h, d/h = {_B, _m, _n, _h, _d_k}: text {_b} gets "
            "another answer than head by head. Who asks, who answers?"
        )
### BEGIN HIDDEN TESTS
_inputs = _x, _y, _full, *_W
_after = arguments_after(cross_attention, *(_M.clone() for _M in _inputs), _h)
assert all(map(close, _after, _inputs)), (
    "cross_attention changes the tensors that it is given."
)
### END HIDDEN TESTS

# %% test="cross_attention" aspect="padding is unseen" points=1
_lengths, _h, _d, _loud = [3, 1], 2, 4, 5.0
### BEGIN HIDDEN TESTS
_lengths, _h, _d, _loud = [3, 5, 1, 0, 4], 3, 6, 1000.0
### END HIDDEN TESTS
_B, _n, _lengths = len(_lengths), 5, torch.tensor(_lengths)
_x, _y = torch.randn(_B, 2, _d).double(), torch.randn(_B, _n, _d).double()
_W = torch.randn(4, _d, _d).double()
_got = cross_attention(_x.clone(), _y.clone(), _lengths.clone(), *_W, _h)
assert np.shape(_got) == (_B, 2, _d), (
    f"Shape {_B, 2, _d} wanted; yours: {np.shape(_got)}."
)
_other = _y.clone()
for _b, _length in enumerate(_lengths.tolist()):
    _other[_b, _length:] = _loud * torch.randn(_n - _length, _d).double()
_moved = cross_attention(_x.clone(), _other, _lengths.clone(), *_W, _h)
assert close(_moved, _got, 1e-6, 1e-6), (
    "Other numbers in the padding, and the result moves: padding is heard."
)
### BEGIN HIDDEN TESTS
assert close(_got[3], np.zeros((2, _d))), (
    f"A text of length 0 answers zeros; yours: {_got[3].tolist()}."
)
for _b in (0, 1, 2, 4):
    _cut = _y[_b : _b + 1, : int(_lengths[_b])]
    _Q, _K, _V = (
        (_t @ _M).unflatten(-1, (_h, -1)).transpose(1, 2)
        for _t, _M in zip((_x[_b : _b + 1], _cut, _cut), _W, strict=False)
    )
    _alone = attend(_Q, _K, _V).transpose(1, 2).flatten(2) @ _W[3]
    assert close(_got[_b], _alone[0], 1e-4, 1e-5), (
        f"Lengths {_lengths.tolist()}: text {_b} gets another answer with its padding "
        "than it gets without any."
    )
_after = arguments_after(
    cross_attention, _x.clone(), _y.clone(), _lengths.clone(), *_W, _h
)
assert all(map(close, _after[:3], (_x, _y, _lengths))), (
    "Arguments stay as they are, but with padding x, y or lengths changes in place."
)
### END HIDDEN TESTS

# %% test="cross_attention" aspect="equal to nn.MultiheadAttention" points=1
_d, _h, _lengths, _n = 4, 2, [2, 3], 3
### BEGIN HIDDEN TESTS
_d, _h, _lengths, _n = 12, 3, [4, 6, 1, 3], 6
### END HIDDEN TESTS
_torch = nn.MultiheadAttention(_d, _h, bias=False, batch_first=True)
_W = [_part.T for _part in _torch.in_proj_weight.detach().chunk(3)]
_W.append(_torch.out_proj.weight.detach().T)
_x, _y = torch.randn(len(_lengths), 5, _d), torch.randn(len(_lengths), _n, _d)
_forbidden = torch.tensor([[j >= _length for j in range(_n)] for _length in _lengths])
_wanted = _torch(_x, _y, _y, key_padding_mask=_forbidden)[0].detach()
_got = cross_attention(
    _x.clone(), _y.clone(), torch.tensor(_lengths), *(_M.clone() for _M in _W), _h
)
assert np.shape(_got) == tuple(_x.shape), (
    f"Shape {tuple(_x.shape)} wanted; yours: {np.shape(_got)}."
)
assert close(_got, _wanted, 1e-3, 1e-4), (
    f"d = {_d}, h = {_h}, lengths {_lengths}: with the same weights not what "
    "nn.MultiheadAttention(x, y, y, key_padding_mask) computes."
)

# %%
torch.manual_seed(1)
P = torch.softmax(torch.randn(4, 6), dim=-1)
print("each row of P sums to", P.sum(1).numpy().round(2))
print("after dropout of 0.2  ", F.dropout(P, 0.2).sum(1).numpy().round(2))
many = torch.stack([F.dropout(P, 0.2).sum(1) for _ in range(5000)])
print("mean of 5,000 dropouts", many.mean(0).numpy().round(2))

# %% [markdown]
# While training, lecture 002's listing also applies **dropout** to the weights: some are set to 0 at random, the others grow to make up
# for it. A row sums to 1 only on average. No word should come to rely on a single other.

# %% [markdown] statement="influence"
# ## 15. Who can hear whom
#
# A mask says who *may* listen. To see who does, change a word and see which outputs move.
#
# - `influence(layer, X)`: bool $[T, T]$ for a function `layer` from $[T, d]$ to $[T, d']$; entry $[i, j]$: does output $i$ change,
#   however little, when word $j$ becomes another?
# - `wrong_row`: lecture 001 prints how many layers (recurrent: steps) lie between the first word and the last output, for
#   $n$ words: self-attention $O(1)$, recurrent $O(n)$, convolutional (kernel $k$) $O(\log_k n)$, restricted (to $r$ words)
#   $O(n/r)$. Which is wrong for plain stacked layers?
#
# A causal mask that leaks lets a model read the answer; `influence` finds the leak.

# %% [markdown] hints="influence"
# 1. Change all numbers of a word, each by another amount (a layer may take the mean off each word). What moves may move a little or a lot:
#    compare old and new output exactly, row by row.
# 2. For `wrong_row`: if the last output hears the words within some reach, what does one more layer add to the reach?
# 3. Influence: one loop over words; change a *copy*. For the row: draw three layers with a kernel of 3.

# %% task="influence" points=3 level=2 minutes=15
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
        other[j] += torch.randn(X.shape[1], device=X.device)
        columns.append((layer(other) != Y).any(dim=1))
    return torch.stack(columns, dim=1)
    ### END SOLUTION


# %% test="influence" aspect="rows hear columns" points=1
_A = torch.tensor([[1, 2, 0], [0, 0, 3], [4, 0, 0]]).double()
_got = influence(lambda X: _A @ X, torch.ones(3, 2).double())
assert np.shape(_got) == (3, 3), f"T = 3: shape (3, 3); yours: {_got!r}."
assert np.array_equal(np.asarray(_got) != 0, _A != 0), (
    f"Y = A X with A = {_A.int().tolist()}: influence where A is not 0; yours: {np.asarray(_got).astype(int).tolist()}."
)
### BEGIN HIDDEN TESTS
_T = random.randint(4, 6)
_A = torch.from_numpy(np.random.default_rng().choice([0.0, 0.0, 1.0, -2.0], (_T, _T)))
_A[0, -1], _A[-1, 0], _A[2, 1] = 1, 0, 1
for _name, _layer in {
    "tanh(A X)": lambda X: torch.tanh(_A @ X),
    "A X, each word less its mean": lambda X: _A @ (X - X.mean(1, keepdim=True)),
    "the squares of the words, A X²": lambda X: _A @ X.square(),
    "A X, each word made length 1": lambda X: _A @ (X / X.norm(dim=1, keepdim=True)),
    "A X, the numbers of each word added": lambda X: _A @ X.sum(1, keepdim=True),
}.items():
    # whole numbers: a sum of them is exact, in whatever order
    _X = torch.stack(
        [torch.tensor([-3.0, 1, 2, 5])[torch.randperm(4)] + i for i in range(_T)]
    ).double()
    if "tanh" in _name:
        _X = torch.randn(_T, 3).double() / 9
        _X[1] = 0
    _got = influence(_layer, _X.clone())
    assert np.array_equal(np.asarray(_got) != 0, _A != 0), (
        f"{_name}, with other zeros in A (T = {_T}): your matrix is not that of A. "
        "Change all numbers of a word, not all by the same, and compare all numbers."
    )
_after = arguments_after(influence, _layer, _X.clone())[1]
assert close(_after, _X), "influence changes the X that it is given."
### END HIDDEN TESTS

# %% test="influence" aspect="faint voices count" points=1
_faint, _outs, _T = 1e-6, torch.eye(2)[1:], 4
### BEGIN HIDDEN TESTS
_faint, _outs, _T = 10.0 ** -random.randint(7, 9), torch.eye(3), 5
### END HIDDEN TESTS
for _out in _outs:
    _X = torch.ones(_T, len(_out)).double()
    _got = influence(lambda X, _out=_out: 0 * X + _faint * X.sum(0) * _out, _X)
    assert np.shape(_got) == (_T, _T) and bool(np.all(np.asarray(_got))), (
        f"All hear all here, faintly ({_faint:.0e}) and in one number of each word only."
    )
_X = torch.randn(_T, 2).double()
_got = influence(lambda X: X[:, 1:], _X.clone())
assert np.array_equal(np.asarray(_got) != 0, np.eye(_T)), (
    "Each word hears only itself here, through its second number."
)
_last = []
influence(lambda X: _last.append(X.clone()) or X, _X.clone())
assert all((_one != _X).any(1).sum() <= 1 for _one in _last), (
    "More than one word is changed at a time: undo each change."
)
### BEGIN HIDDEN TESTS
_wide = {
    "the last of seven": lambda X: torch.cat([0 * X, 0 * X, 0 * X, X[:, :1]], dim=1),
    "the third of four": lambda X: torch.cat([0 * X, X], dim=1)[:, [0, 1, 3, 0]],
}
for _name, _layer in _wide.items():
    for _words in (_X, _X[:1]):
        _got = influence(_layer, _words.clone())
        assert np.array_equal(np.asarray(_got) != 0, np.eye(len(_words))), (
            f"Words of 2 numbers, outputs wider than that: each of {len(_words)} words "
            f"hears only itself, in {_name}; yours: {_got!r}."
        )
_got = influence(lambda X: X.cumsum(0), _X[:, :1].clone())
assert np.array_equal(np.asarray(_got) != 0, np.tri(5)), (
    "Running sums of words of one number: each hears itself and those before; "
    f"yours: {_got!r}."
)
_got = influence(lambda X: X[:, :1] + 1e-9 * X.flip(0)[:, 1:], _X.clone())  # [T, 1]
assert np.array_equal(np.asarray(_got) != 0, (np.eye(5) + np.eye(5)[::-1]) > 0), (
    "Each word hears itself loudly and one other faintly, in one number: some are not found."
)
### END HIDDEN TESTS

# %% test="influence" aspect="the wrong row" points=1
_names = ("self-attention", "recurrent", "convolutional", "restricted")
assert wrong_row in _names, (
    f"wrong_row is one of {', '.join(_names)}; yours: {wrong_row!r}."
)
### BEGIN HIDDEN TESTS
assert wrong_row == "convolutional", (
    f"{wrong_row} is right. Count what one more layer adds (recurrent: one more step)."
)
### END HIDDEN TESTS


# %%
def layers_needed(heard):
    """Fewest layers, each of reach heard: bool [T, T], until the last output hears word 0."""
    words, layers = heard[-1], 1
    while not words[0]:
        words, layers = heard[words].any(dim=0), layers + 1
    return layers


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
_, axes = plt.subplots(1, 5, figsize=(7, 1.8), sharey=True)
for axis, (name, layer) in zip(axes, layers.items(), strict=True):
    heard = torch.as_tensor(influence(layer, torch.randn(16, 8))).bool()
    axis.imshow(heard, cmap="Blues", vmin=0, vmax=1)
    axis.set_title(name.replace(", ", "\n"), fontsize=10)
    axis.set_xlabel("word changed", fontsize=9)
    print(f"{name}: layers needed {layers_needed(heard)}", end="; ")
    axis.grid(False)
axes[0].set_ylabel("output")
plt.show()

# %% [markdown]
# Dark: the output moves. Nothing above the diagonal means no look ahead. The RNN is *one* layer, but 16 *steps* deep.
#
# <details><summary>After you have decided: how far a layer reaches</summary>
#
# A layer with a kernel of $k$ adds $(k-1)/2$ words on either side, so the last output needs about $2(n-1)/(k-1)$ layers to
# hear the first. The logarithm needs *dilation*: each layer skips $k$ times more words than the one below.
# </details>

# %% [markdown]
# ## 16. Two lookups, two hops
#
# Why several heads, why several layers? Take $N$ dishes with prices (independent, mean 0, variance 1), then a question.
# Names are one-hot; each word has $3N$ numbers, a dish [name | partner | 0], a question [0 | first | second]. *Weights come
# from these alone; values are the prices.*
#
# - **Two lookups:** how much *more* does the first dish cost than the second?
# - **Two hops:** what does the first dish's *partner* (any other dish) cost?


# %%
def questions(task, N, B, seed=None):
    """X: [B, N + 1, 3N], price: [B, N + 1, 1] (the question's is 0), and the answers [B]."""
    draw, rows = np.random.default_rng(seed), np.arange(B)
    partner = (np.arange(N) + draw.integers(1, N, size=(B, N))) % N
    price, asked = draw.normal(size=(B, N + 1)), draw.random((B, N)).argsort(1)[:, :2]
    price[:, N], X = 0, np.zeros((B, N + 1, 3 * N))
    X[:, :N, :N], X[:, :N, N : 2 * N] = np.eye(N), np.eye(N)[partner]
    X[rows, N, N + asked[:, 0]] = X[rows, N, 2 * N + asked[:, 1]] = 1
    more = price[rows, asked[:, 0]] - price[rows, asked[:, 1]]
    hop = price[rows, partner[rows, asked[:, 0]]]
    y = more if task == "two lookups" else hop
    return tuple(torch.tensor(M).float() for M in (X, price[..., None], y))


# %% [markdown]
# **One head, two lookups.** A head returns $\sum_i p_i v_i$; times a number $c$, the asked prices count with $\alpha = c\,p_1$
# and $\beta = c\,p_2$, of the *same sign*. Wanted is $v_1 - v_2$, of variance 2. Of these two,
# $(1 - \alpha) v_1 - (1 + \beta) v_2$ is missing: a variance of $(1 - \alpha)^2 + (1 + \beta)^2$, never below 1 (at best
# $\alpha = 1$, $\beta = 0$). So one head explains at most half: "With a single
# attention head, averaging inhibits this" (lecture 002).
#
# **One head, one layer, two hops.** The partner's name stands only in the asked dish. The head can avoid that dish, but not
# choose among the others. Their mean is the best guess; with five dishes it explains $1/4$.

# %% [markdown] statement="difference_heads"
# Two heads can do it. Show it without training:
#
# - `difference_heads(N)`, set by hand, for $N$ up to 100: `([(W_q, W_k), (W_q, W_k)], H)`, tensors, each $W$ of shape
#   $[3N, N]$ and $H$ $[2, 1]$, so that the last row of $[\text{head}_1; \text{head}_2]\,H$ is the answer to *two lookups*.
#   A head: $\mathrm{softmax}(QK^T\!/\sqrt{N})\,v$ with $Q = XW_q$, $K = XW_k$, prices $v$.

# %% [markdown] hints="difference_heads"
# 1. A weighted mean of $a$ and $b$ times a number: can one count with a plus and the other with a minus? And what do two
#    heads and $H$ add to that?
# 2. What must query and key have in common for a large score at the asked dish and none elsewhere? Names are one-hot.
# 3. Scores are divided by $\sqrt{N}$, and 100 dishes share what is left of the weight: how large must the right one be (section 2)?


# %% task="difference_heads" points=3 level=3 minutes=22
def difference_heads(N):
    """([(W_q, W_k), (W_q, W_k)], H), tensors of shape [3N, N] and [2, 1]: the output is first minus second price."""
    ### BEGIN SOLUTION
    name, first, second = (30 * torch.eye(3 * N)).split(N, dim=1)
    return [(first, name), (second, name)], torch.tensor([[1.0], [-1.0]])
    ### END SOLUTION


# %% test="difference_heads" aspect="two sharp heads" points=1
_sizes = [4]
### BEGIN HIDDEN TESTS
_sizes = [20, 100, random.randint(5, 9), 2]
### END HIDDEN TESTS
for _N in _sizes:
    _X, _price, _ = questions("two lookups", _N, 40)
    _got = difference_heads(_N)
    assert isinstance(_got, tuple | list) and len(_got) == 2 and len(_got[0]) == 2, (
        f"Return (two heads, H); yours: {_got!r}."
    )
    _heads = [
        [torch.tensor(np.asarray(_W)).float() for _W in _head] for _head in _got[0]
    ]
    _shapes = [[tuple(_W.shape) for _W in _head] for _head in _heads]
    assert _shapes == [[(3 * _N, _N)] * 2] * 2, (
        f"N = {_N}: {3 * _N, _N} four times; yours: {_shapes}."
    )
    _looks = [
        ((_X @ _q) @ (_X @ _k).mT / math.sqrt(_N))[:, -1].softmax(1)
        for _q, _k in _heads
    ]
    assert min(_A.amax(1).min() for _A in _looks) > 0.99, (
        f"N = {_N}: each head should look at one dish only; the softmax is too flat."
    )
    assert not (_looks[0].argmax(1) == _looks[1].argmax(1)).any(), (
        "Two different dishes were asked for, but your heads look at the same one."
    )

# %% test="difference_heads" aspect="first minus second" points=2
_sizes = [5]
### BEGIN HIDDEN TESTS
_sizes = [20, 100, random.randint(6, 9), 2]
### END HIDDEN TESTS
for _N in _sizes:
    _X, _price, _y = questions("two lookups", _N, 50)
    _heads, _H = difference_heads(_N)
    _H = torch.tensor(np.asarray(_H)).float()
    assert _H.shape == (2, 1), f"H has the shape (2, 1); yours: {tuple(_H.shape)}."
    _heads = [
        [torch.tensor(np.asarray(_W)).float() for _W in _head] for _head in _heads
    ]
    _seen = [attend(_X @ _q, _X @ _k, _price)[:, -1] for _q, _k in _heads]
    _answer = (torch.cat(_seen, dim=1) @ _H)[:, 0]
    _worst = (_answer - _y).abs().argmax()
    assert close(_answer, _y, 0, 0.02), (
        f"N = {_N}: the first costs {_y[_worst]:.2f} more than the second; you answer {_answer[_worst]:.2f}."
    )

# %% [markdown]
# Now trained: $x \leftarrow x + \text{attention}(x)$ once or twice, and a linear map of the question's vector.


# %%
class Reader(nn.Module):
    """A number for each question, from `layers` attention layers of `heads` heads and width d."""

    def __init__(self, layers, heads, d=32):
        super().__init__()
        how = {"bias": False, "batch_first": True}
        parts = [nn.MultiheadAttention(d, heads, **how) for _ in range(layers)]
        self.d, self.layers, self.out = d, nn.ModuleList(parts), nn.Linear(d, 1)

    def forward(self, X, price):  # [B, N + 1, 3N], [B, N + 1, 1] -> [B]
        x, self.maps = F.pad(2 * X, (0, self.d - X.shape[-1])), []
        for layer in self.layers:
            change, weights = layer(x, x, x + F.pad(price, (self.d - 1, 0)))
            x = x + change
            self.maps.append(weights.detach())
        return self.out(x[:, -1]).squeeze(-1)


# %%
def squared_error(model, batch):
    return F.mse_loss(model(*batch[:2]), batch[2]), len(batch[2])


# %%
def explained(task, layers, heads, steps, seed=1):
    """A Reader trained on this task, and the share of the variance that it explains on new questions."""
    set_seed(seed)
    model, how = Reader(layers, heads).to(device), {"rate": 1e-2}

    def batch(i):
        return questions(task, 5, 64, 10**5 * seed + i)

    schedule = warmup_cosine(20, 0.05)
    train(model, batch, squared_error, steps=steps, schedule=schedule, **how)
    new = [part.to(device) for part in questions(task, 5, 5000, 10**6)]
    with torch.no_grad():
        return model, 1 - (squared_error(model, new)[0] / new[2].var()).item()


# %%
kinds = "1 layer, 1 head", "1 layer, 2 heads", "2 layers, 1 head"
bounds = {"two lookups": 1 / 2, "two hops": 1 / 4}  # of one head, as worked out above
readers = pd.read_csv(paths.DATA / "attention" / "readers.csv")
shares = 100 * readers.set_index(["task", "kind"]).explained.sort_index()

# %%
_, axes = plt.subplots(figsize=(6, 2.6))
for x, task in enumerate(bounds):
    for n, kind in enumerate(kinds):
        found, place = shares[task, kind], x + 0.26 * (n - 1)
        axes.bar(
            place, found.mean(), 0.24, color=plots.COLOURS[n], label="_" * x + kind
        )
        axes.plot([place] * len(found), found, "k_", markersize=12)
    axes.plot([x - 0.4, x - 0.13], [100 * bounds[task]] * 2, "k--")
axes.set(xticks=[0, 1], xticklabels=bounds, ylabel="variance explained (%)")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# Bars: means of three recorded runs; marks: the seeds; dashed: what one head in one layer can explain at most (a mark may
# lie a little above: it is measured on 5,000 questions). Two heads do what no average can (so do two layers of one head);
# for two hops only the second layer helps. How?

# %%
steps = budget().choose(grading=350, laptop=1000, gpu=1000)
reader, share = explained("two hops", 2, 1, steps)
print(f"explained: {share:.0%}")
X, price, _ = questions("two hops", 5, 2000, seed=3)
with torch.no_grad():
    reader(X.to(device), price.to(device))

# %%
asked, partner = X[:, 5, 5:10].argmax(1), X[:, :5, 5:10].argmax(2)
one, looks = torch.arange(2000), {}
wanted = partner[one, asked]
for number, P in enumerate(reader.maps, start=1):
    P = P.cpu()
    looks[f"layer {number}"] = {
        "question → asked dish": P[one, 5, asked].mean().item(),
        "question → its partner": P[one, 5, wanted].mean().item(),
        "any dish → its partner": P[:, :5].gather(2, partner[..., None]).mean().item(),
        "asked dish → its partner": P[one, asked, wanted].mean().item(),
    }
print(f"an even look would give each word {1 / 6:.2f}")
print(pd.DataFrame(looks).round(2).to_string())

# %% [markdown]
# In layer 1 this reader's question looks mostly at the asked dish, and learns who the partner is; in layer 2 it looks at the
# partner.
# That dishes look at their partners too (.52), and so fetch the price, goes unused: in layer 2 the question ignores the
# asked dish.

# %%
_, axes = plt.subplots(figsize=(7, 2.5))
for y, name in enumerate(RUNGS):
    found = of(name)
    axes.barh(y, found.mean(), color=plots.COLOURS[0])
    axes.plot(found, [y] * len(found), "k|", markersize=11)
    axes.text(found.max() + 0.4, y, f"{found.mean():.1f}", va="center", fontsize=10)
axes.axvline(floor, color="black", linestyle="--", label="the language itself")
axes.set(yticks=range(len(RUNGS)), yticklabels=RUNGS, xlim=(0, 37))
axes.set_xlabel(
    f"perplexity on held-out stories ({recorded.steps[0]} steps, three seeds)"
)
axes.invert_yaxis()
axes.grid(visible=False)
axes.legend(loc="lower right", fontsize=9)
plt.show()

# %% [markdown]
# Mean, lookup and places each gain more than the seeds differ, four heads less; within 400 steps the second layer
# even loses (18.7 to 20.0, and there the seeds differ most).

# %% [markdown] statement="second_layer"
# #### Worth a second layer?
#
# "A second layer makes models worse", a friend reads from this figure. Which result of section 16 speaks against it,
# why is the figure a weak witness, and what comparison would be fair?

# %% [markdown] written="second_layer" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: two hops: one head in one layer explains at most a quarter, two heads in it bring nothing more,
# two layers nearly everything. (Two lookups solved by two layers is accepted.) 1 point: only 400 steps were made, and
# in that row the seeds differ most; 18.7 to 20.0 is true for this training and says how fast the models start, not
# where they end. 1 point: a fair comparison names at least two of: train until neither improves, or for the same
# processor time; each at its own best learning rate; several seeds; held-out text; as many weights.
#
# No point for "deeper is known to be better". To call the difference chance is wrong: all three seeds with one layer
# (18.4 to 19.0) lie below all three with two (19.4 to 20.6).
#
# **Sample, 3 points.** For two hops one layer cannot explain more than 1/4, and with two layers the reader explained
# everything, so the second layer can do something that the first cannot. The kitchen models were trained for 400
# steps only. More layers may simply start more slowly, and the seeds differ most there. I would train both until the
# held-out perplexity stops falling, each with its own learning rate and with several seeds.
#
# **Sample, 2 points.** Two hops only worked with two layers. In the figure the training was very short, 400 steps, so
# one cannot know how it ends. To be fair one should use a better data set.
#
# **Sample, 0 points.** The difference from 18.7 to 20.0 is only chance because there are three seeds. Big models have
# many layers, so a second layer must be better.
# ### END SOLUTION

# %% [markdown]
# ## 17. Inside a trained Transformer
#
# Do trained heads do anything that has a name? We open a recorded Transformer (two layers of four heads, trained on kitchen
# stories for 17 minutes; chapter 8 builds it) and watch it read. Names recur in these stories. How could a network *copy*
# them?
#
# "The sweet pear" was read some time ago, and now again "the sweet". A head would ask: *which word stood after an earlier
# "sweet"?* But *pear* does not know what stood before it, unless a head below has told it. One head passes on the previous
# word, one above looks for places whose previous word is the present one: an **induction head** (N. Elhage and others,
# 2021).

# %% [markdown] statement="heads_at_work"
# Three tools to take a network apart, for weights $P$ $[h, T, T]$ of $h$ causal heads (row: who asks) and the list of the $T$ words:
#
# - `previous_word(P)`, $[h]$: the mean weight that words 1, 2, ..., $T - 1$ give to the word just before them;
# - `copying(P, words)`, $[h]$: for each word that occurred before, the weight on all places *right after its earlier
#   occurrences* together (one may be its own place); the mean over such words, zeros if there are none;
# - `without_head(W, head, h)`: `W` $[d, d]$ is the weight of `out`, an `nn.Linear` applied to the heads' results side by
#   side. A copy in which head `head` (0, 1, ...) has no say.

# %% [markdown] hints="heads_at_work"
# 1. Draw $P$ for four words. Where do the weights on the previous word lie?
# 2. For `copying` walk through the words with their places. For the word at place $i$: at which $j < i$ did it occur, and
#    which columns of row $i$ follow?
# 3. For `without_head`: `nn.Linear` computes $zW^T$. Which index of $W$ meets the numbers of $z$, and which of these
#    numbers are the head's?


# %% task="heads_at_work" points=3 level=2 minutes=18
def previous_word(P):
    """[h]: mean weight of words 1 to T - 1 on the word before, from P: [h, T, T]."""
    ### BEGIN SOLUTION
    return P.diagonal(-1, dim1=1, dim2=2).mean(-1)
    ### END SOLUTION


def copying(P, words):
    """[h]: mean weight on the places right after earlier occurrences of the asking word."""
    ### BEGIN SOLUTION
    found = []
    for i, word in enumerate(words):
        after = [j + 1 for j in range(i) if words[j] == word]
        if after:
            found.append(P[:, i, after].sum(-1))
    return torch.stack(found).mean(0) if found else P.new_zeros(len(P))
    ### END SOLUTION


def without_head(W, head, h):
    """A copy of W: [d, d], the weight of out, in which one of h heads has no say."""
    ### BEGIN SOLUTION
    W, d_k = W.clone(), W.shape[1] // h
    W[:, head * d_k : (head + 1) * d_k] = 0
    return W
    ### END SOLUTION


# %% test="heads_at_work" aspect="weight on the word before" points=1
_P = torch.tensor([[[1.0, 0, 0], [0.3, 0.7, 0], [0.1, 0.8, 0.1]]])
_got = previous_word(_P.clone())
assert close(np.shape(_got), (1,), 0, 0), f"One head: one number; yours: {_got!r}."
assert close(_got, [0.55], 1e-5), f"(.3 + .8) / 2 = .55; yours: {_got}."
### BEGIN HIDDEN TESTS
for _h, _T in ((3, 5), (1, 2), (5, 4), (2, 9)):
    _P = torch.rand(_h, _T, _T).tril()
    _P /= _P.sum(-1, keepdim=True)
    _wanted = [
        np.mean([float(_P[_l, i, i - 1]) for i in range(1, _T)]) for _l in range(_h)
    ]
    assert close(previous_word(_P.clone()), _wanted, 1e-4, 1e-6), (
        f"{_h} heads, {_T} words: the mean weight on the word before is wrong. "
        "Row i asks; word 0 has none before it and does not count."
    )
assert close(arguments_after(previous_word, _P.clone())[0], _P), (
    "previous_word changes the weights that it is given."
)
### END HIDDEN TESTS

# %% test="heads_at_work" aspect="weight where a copy is found" points=1
_P = torch.ones(1, 5, 5).tril() / torch.arange(1, 6.0)[:, None]
_P = torch.cat([_P, torch.eye(5)[None]])
_got = copying(_P.clone(), [7, 8, 7, 9, 8])
assert close(np.shape(_got), (2,), 0, 0), f"Two heads: two numbers; yours: {_got!r}."
assert close(_got, [(1 / 3 + 1 / 5) / 2, 0], 1e-5), (
    "Words 7 8 7 9 8: place 2 should look at 1, place 4 at 2. A head that looks at all "
    f"alike gives 1/3 and 1/5, one that looks at itself 0 and 0; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_texts = [[4, 4, 4, 4], [1, 2, 1, 2, 1, 2, 3], [5, 6, 5, 5, 6, 5], [3, 3], [9, 2, 9]]
_texts += [[random.randint(0, 3) for _ in range(12)] + [0, 0], [3, 0, 3, 3]]
_texts += [
    [random.randint(1000, 1002) for _ in range(9)]
]  # equal, each an int of its own
for _words in _texts:
    _T = len(_words)
    _P = torch.rand(3, _T, _T).tril()
    _P /= _P.sum(-1, keepdim=True)
    _same = np.array([[_one == _two for _two in _words] for _one in _words])
    _after = np.zeros((_T, _T))
    _after[:, 1:] = np.tril(_same, -1)[:, :-1]  # [i, j + 1]: word j is word i, j < i
    _asks = _after.any(1)
    _wanted = (_P.numpy() * _after).sum(2)[:, _asks].mean(1)
    assert close(copying(_P.clone(), list(_words)), _wanted, 1e-4, 1e-6), (
        f"Words {_words}: all places after all earlier occurrences count together, and "
        "the mean is over the words that occurred before."
    )
for _words in ([1, 2, 3], [5]):
    _got = copying(torch.ones(2, len(_words), len(_words)), list(_words))
    assert close(_got, [0, 0]), f"No word occurs twice: zeros; yours: {_got!r}."
_after = arguments_after(copying, _P.clone(), list(_texts[-1]))
assert close(_after[0], _P) and list(_after[1]) == _texts[-1], (
    "copying changes the weights or the words that it is given."
)
### END HIDDEN TESTS

# %% test="heads_at_work" aspect="one head has no say" points=1
_W = torch.arange(1.0, 17).view(4, 4)
_got = without_head(_W.clone(), 1, 2)
assert close(np.shape(_got), (4, 4), 0, 0), f"[4, 4] as before; yours: {_got!r}."
assert close(_got[0, :2], _W[0, :2]), (
    f"Head 0 should keep its say, 1 and 2; yours: {_got[0, :2]}."
)
### BEGIN HIDDEN TESTS
for _h, _d_k in ((2, 2), (3, 2), (1, 3), (4, 1), (3, 5)):
    _d = _h * _d_k
    for _head in range(_h):
        _W, _z = torch.randn(_d, _d), torch.randn(7, _d)
        _got = without_head(_W.clone(), _head, _h)
        assert close(np.shape(_got), (_d, _d), 0, 0), (
            f"d = {_d}: shape {_d, _d}; yours: {np.shape(_got)}."
        )
        _z_without = _z.clone()
        _z_without[:, _head * _d_k : (_head + 1) * _d_k] = 0
        assert close(_z @ torch.as_tensor(_got).T, _z_without @ _W.T, 1e-3, 1e-4), (
            f"Head {_head} of {_h}, d = {_d}: z Wᵀ should be what it is when this head's "
            "numbers of z are 0, and keep all that the others say."
        )
_after = arguments_after(without_head, _W.clone(), 0, _h)[0]
assert close(_after, _W), "without_head changes the W that it is given: make a copy."
### END HIDDEN TESTS

# %%
run = runs.load("kitchen-transformer-muon")
network, symbols = run.model.network, run.model.symbols
layers, heads = network.config.layers, network.config.heads
size = sum(weights.numel() for weights in network.parameters())
last = run.history.iloc[-1]
print(f"{layers} layers of {heads} heads, {size:,} numbers")
print(f"trained for {last.step:,.0f} steps, {last.seconds / 60:.0f} minutes")


# %%
@torch.no_grad()
def read(words):
    """Logits [T, V] and all weights P: [layers, h, T, T] for words: [T]."""
    found = []

    def note(part, inputs):
        x, angles = inputs[:2]
        Q, K = (heads_apart(m(x)[0], heads) for m in (part.query, part.key))
        Q, K = (rotate(M, angles) for M in (Q, K))  # places by turning: chapter 8
        S = Q @ K.mT / math.sqrt(Q.shape[-1])
        unseen = ~torch.ones(len(words), len(words)).tril().bool()
        found.append(S.masked_fill(unseen, -math.inf).softmax(-1))

    hooks = [b.attention.register_forward_pre_hook(note) for b in network.blocks]
    logits = network(words[None])[0]
    for hook in hooks:
        hook.remove()
    return logits, torch.stack(found)


# %%
number = {symbol: i for i, symbol in enumerate(symbols)}
stories = kitchen.documents(tokens=6_000, seed=17)  # fresh: never trained on
coded = [
    torch.tensor([number["</s>"], *[number.get(w, 0) for w in s.tokens]])
    for s in stories
]

# %%
scores = {"previous word": [], "copying": [], "itself": [], "first place": []}
for words in coded:
    P = read(words[:-1])[1].flatten(0, 1)  # [layers * h, T, T]
    scores["previous word"].append(previous_word(P))
    scores["copying"].append(copying(P, words[:-1].tolist()))
    scores["itself"].append(P.diagonal(dim1=1, dim2=2).mean(-1))
    scores["first place"].append(P[:, 1:, 0].mean(-1))

# %%
names = [f"layer {i + 1}, head {j + 1}" for i in range(layers) for j in range(heads)]
table = pd.DataFrame({k: torch.stack(v).mean(0) for k, v in scores.items()}, names)
errors = [torch.stack(v).std(0).max() / len(stories) ** 0.5 for v in scores.values()]
print(f"{len(stories)} stories; standard errors: at most {max(errors):.3f}")
previous = int(table["previous word"].argmax())
print(table.round(2).to_string())

# %% [markdown]
# All heads of the second layer look at the previous word more than any of the first does, one of them two thirds of the
# time; but none looks where an induction head would: none has formed. One head of the *first* layer does look there, a
# quarter of the time, although there no word knows its neighbours yet. What does it look for? Where a story must repeat
# something, how large is the loss, and which head looks most at the word to repeat?

# %%
found = []
for story, words in zip(stories, coded, strict=True):
    logits, P = read(words[:-1])
    loss = F.cross_entropy(logits, words[1:], reduction="none")
    for probe in kitchen.probes_in("copying", [story]):
        place = probe.position
        earlier = [j for j in range(place + 1) if words[j] == words[place + 1]]
        seen = P.flatten(0, 1)[:, place, earlier].sum(-1)  # [layers * h]
        kind = probe.label.removeprefix("copy: ")
        found.append((kind, loss[place].item(), -story.log_probabilities[place], seen))


# %%
def with_error(values):
    """Mean ± standard error."""
    return f"{np.mean(values):.2f} ± {np.std(values) / len(values) ** 0.5:.2f}"


# %%
rows, best = {}, {}
for kind in ("house, first word", "house, second word", "town", "first guest"):
    its = [one[1:] for one in found if one[0] == kind]
    cost, least, seen = zip(*its, strict=True)
    best[kind] = int(torch.stack(seen).mean(0).argmax())
    looks = torch.stack(seen)[:, best[kind]].numpy()
    rows[kind] = [len(its), with_error(cost), f"{np.mean(least):.2f}"]
    rows[kind] += [names[best[kind]], with_error(looks)]
finder = best["town"]
columns = ["times", "loss (nats)", "the language's", "most on the word", "its weight"]
print(pd.DataFrame.from_dict(rows, orient="index", columns=columns).to_string())

# %%
chosen = min((s for s in stories if len(s) > 36), key=len)
words = torch.tensor([number["</s>"], *[number.get(w, 0) for w in chosen.tokens]])
P, read_words = read(words[:-1])[1].flatten(0, 1), ["</s>", *chosen.tokens[:-1]]

# %%
_, both = plt.subplots(2, 1, figsize=(7.4, 3.6), sharex=True)
for axes, head in zip(both, (previous, finder), strict=True):
    axes.imshow(P[head, -9:], cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_yticks(range(9), read_words[-9:], fontsize=9)
    axes.set(title=names[head], ylabel="asking word")
    axes.grid(False)
axes.set_xticks(range(len(read_words)), read_words, rotation=90, fontsize=8)
axes.set_xlabel("looks at")
plt.show()

# %% [markdown]
# All four are copied: town and guest cost hardly more than in the language itself, each word of the house .2 ± .1 nats
# more. The same head, `finder`, looks at the word to copy. It needs no detour over the previous word: *in* asks for a
# **town**, and that *eldmere* is one can be told from its embedding (lower map, row *in*). Only the house's first word can
# be any adjective; there its weight is smallest. Does it matter? Switch each head off:

# %%
GROUPS = ("house, first word", "all other copies", "all other words")


@torch.no_grad()
def as_it_is(words):
    return network(words[None])[0]


# %%
def losses():
    """Mean loss (nats) of each story in each of the three groups, [stories, 3]."""
    result = []
    for story, words in zip(stories, coded, strict=True):
        loss = F.cross_entropy(as_it_is(words[:-1]), words[1:], reduction="none")
        group = torch.full((len(loss),), 2)
        for probe in kitchen.probes_in("copying", [story]):
            group[probe.position] = 0 if probe.label.endswith(GROUPS[0]) else 1
        result.append([loss[group == g].mean() for g in range(3)])
    return torch.tensor(result)


# %%
whole, changes = losses(), []
for block in network.blocks:
    out = block.attention.out
    kept = out.weight.data
    for head in range(heads):
        out.weight.data = without_head(kept, head, heads)
        changes.append(losses() - whole)
    out.weight.data = kept
changes = torch.stack(changes)  # [layers * h, stories, 3]

# %%
_, axes = plt.subplots(figsize=(7, 2.7))
for n, label in enumerate(GROUPS):
    mean, error = changes[..., n].mean(1), changes[..., n].std(1) / len(stories) ** 0.5
    x = np.arange(len(names)) + 0.27 * (n - 1)
    axes.bar(x, mean, 0.25, yerr=error, label=label)
axes.set_xticks(range(len(names)), [n.replace(", ", "\n") for n in names], fontsize=9)
axes.set(xlabel="head that is switched off", ylabel="loss added (nats)")
axes.legend(fontsize=9)
plt.show()

# %% [markdown]
# (Bars with standard errors.) Without `finder` alone, copies cost four and a half to five nats more, other words a quarter.
# The house's first word takes a second head of the first layer as well. So this network needs no induction head: in kitchen
# stories a word's *kind* is enough to find it. Random tokens have no kinds: to copy those, one layer must first tell each
# what stood before it. (One network: another may use other heads.)

# %% [markdown] statement="operations"
# ## 18. The bill
#
# Every word scores every other, and that is not free. Lecture 001's table, without the $O$: `operations(kind, n, d, k, r)`
# counts multiplications for $n$ words of $d$ numbers ($k$ is here the width of a convolution's kernel):
#
# - `"attention"`: $QK^T$ and the product with $V$;
# - `"restricted"`: the same, but each word has only $r \le n$ keys and values;
# - `"recurrent"`: $W_x x_t + W_h h_{t-1}$, matrices $[d, d]$;
# - `"convolutional"`: $k$ matrices $[d, d]$ for each word.
#
# `exponent(sizes, values)`: the $p$ of values $\sim \text{size}^p$, by least squares on logarithms.
# `crossover(d)`: at which $n$ do attention and recurrence cost the same?

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
_kinds = ("attention", "restricted", "recurrent", "convolutional")
_got = [operations(_kind, 10, 4, 3, 5) for _kind in _kinds]
assert all(map(is_number, _got)), f"operations returns a number; yours: {_got!r}."
assert _got[0] == 800, (
    f"Attention, n = 10, d = 4: QKᵀ has 10 · 4 · 10, twice that in all; yours: {_got[0]}."
)
### BEGIN HIDDEN TESTS
_r, _k, _d, _n = sorted(random.sample(range(3, 40), 4))
_d, _k = random.sample([_d, _k], 2)
_wanted = (2 * _n * _n * _d, 2 * _n * _r * _d, 2 * _n * _d * _d, _n * _k * _d * _d)
for _kind, _number in zip(_kinds, _wanted, strict=True):
    _got = operations(_kind, _n, _d, _k, _r)
    assert close(_got, _number, 0, 0), (
        f"{_kind}: n, d, k, r = {_n, _d, _k, _r} take {_number}; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="operations" aspect="a slope of logarithms" points=1
_got = exponent([1, 2, 4, 8], [3, 12, 48, 192])
assert is_number(_got), f"A number is wanted, not {_got!r}."
assert close(_got, 2, 1e-5), (
    f"3, 12, 48, 192 for 1, 2, 4, 8 grow like the square: 2; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _falls in (1, -1):
    _x = np.cumsum(np.random.default_rng().uniform(1, 3, 6))[
        np.random.default_rng().permutation(6)
    ]
    _y = _x**_falls * np.random.default_rng().uniform(1, 9, 6)
    _a, _b = np.log(_x) - np.log(_x).mean(), np.log(_y) - np.log(_y).mean()
    _got = exponent(_x.copy(), _y.copy())
    assert close(_got, (_a * _b).sum() / (_a * _a).sum(), 1e-4, 1e-6), (
        "For points off the line, the slope is not that of least squares on logarithms."
    )
_after = arguments_after(exponent, _x.copy(), _y.copy())
assert all(map(close, _after, (_x, _y))), (
    "exponent changes the sizes or values it is given."
)
### END HIDDEN TESTS

# %% test="operations" aspect="where they cost the same" points=1
_got = crossover(512)
assert is_number(_got), f"crossover returns a number; yours: {_got!r}."
assert _got > 0, f"A number of words is wanted; yours: {_got}."
### BEGIN HIDDEN TESTS
for _d in (random.randint(2, 99), 300, 4096):
    _got = crossover(_d)
    assert close(_got, _d, 1e-5), f"d = {_d}: 2n²d = 2nd² at another n than {_got}."
### END HIDDEN TESTS


# %%
def restricted(X, r=32):
    """Each word attends to the r words that end with it."""
    near = F.pad(X, (0, 0, r - 1, 0)).unfold(0, r, 1)  # [n, d, r]
    return ((X[:, None] @ near / math.sqrt(X.shape[1])).softmax(-1) @ near.mT)[:, 0]


def attention(X):
    return (X @ X.T / math.sqrt(X.shape[1])).softmax(1) @ X


# %%
rnn, conv = nn.RNN(64, 64), nn.Conv1d(64, 64, 3, padding=1)
rows = {"attention": attention, "recurrent": rnn}
rows |= {"convolutional": lambda X: conv(X.T), "restricted": restricted}
sizes = (256, 512, 1024, 2048)
texts = [torch.randn(n, 64) for n in sizes]

# %%
times, memory = {}, {}
for name, row in rows.items():
    with torch.no_grad():
        times[name] = [[milliseconds(row, x) for _ in range(3)] for x in texts]
    memory[name] = [kept_for_backward(row, x) for x in texts]

# %%
# NBVAL_IGNORE_OUTPUT
# (times differ from run to run)
least, ranges = {}, {}
for name, its in times.items():
    least[name] = [min(tries) for tries in its]
    ranges[name] = [f"{min(tries):.2f} to {max(tries):.2f}" for tries in its]

for label, costs, shown in (
    ("processor time (ms)", least, ranges),
    ("kept for backward (MiB)", memory, memory),
):
    table = pd.DataFrame(shown, index=[f"n = {n:,}" for n in sizes]).T
    table["grows like"] = [f"n^{exponent(sizes, its):.1f}" for its in costs.values()]
    print(label, table.to_string(float_format="{:.2f}".format), sep="\n", end="\n\n")

# %% [markdown]
# Times: least and most of three; exponents are fitted to the least. Attention's time and memory grow
# about with the square of the text, all others' at most about in proportion. By counting, attention and recurrence cost the
# same at $n = d = 64$; by the clock only between 1,024 and 2,048. One reason: attention multiplies in few large products,
# the RNN in many small ones, one after the other.

# %%
for d in (64, 512):
    counts = {kind: operations(kind, 1024, d, 3, 32) / 1e6 for kind in rows}
    print(f"n = 1,024, d = {d}:", *(f"{kind} {counts[kind]:,.0f} M;" for kind in rows))
print("d = 512: attention and recurrence cost the same at n =", crossover(512), "words")

# %% [markdown]
# ## What you have now
#
# You began with one dot product, and you have built multi-head attention, with masks that hide the future and
# positions that tell the words apart. Every word can now look at every other word in a single step, and no state in
# between can lose anything on the way. You have also opened a trained Transformer and found the one head on which
# most of its copying depends.
#
# The price is the square: twice as many words cost about four times as much. And our own small model has not beaten
# the counts yet. What is missing is depth that can be trained, which comes in chapter 07, and a longer training,
# which comes in chapter 08. There, attention writes.
