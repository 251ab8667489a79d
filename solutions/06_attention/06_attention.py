# ---
# title: Attention, or words that look things up
# ---

# %% [markdown]
# Chapter 5 ended in a queue: each of up to 1,024 words waiting for the one before. What the first has to tell the last passes
# through every state between them.
#
# Why wait? A word could *look up* what it needs, wherever it stands. That is **attention**: first by hand, then as three
# matrix products; then with many heads, with masks, with a sense of place, and with its bill.

# %% [markdown]
# The slides come from lectures 000 (unsigned), 001 (Greg Durrett), 002 (Fabrizio Silvestri), 003 (Yoav Artzi) and 004 (Benjamin
# Muller). The text, where one is needed, is again the kitchen language.

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
from lmkit import plots
from lmkit.budgets import budget
from lmkit.testing import (
    arguments_after,
    close,
    is_number,
    parameter_gradients,
    without_autograd,
)
from lmkit.training import set_seed, shuffled, train, warmup_cosine

plots.use_style()
torch.set_num_threads(
    1
)  # our networks are small: a second thread costs more than it brings

# %% [markdown]
# ## 1. A dictionary that answers softly
#
# A Python dict returns the value of the one key that *equals* the query. A **soft** lookup compares the query $q$, shape $[d_k]$,
# with all keys $k_i$, $[d_k]$, and mixes all values $v_i$, $[d_v]$:
#
# $$s_i = q \cdot k_i \qquad p_i = \frac{e^{s_i}}{\sum_j e^{s_j}} \qquad z = \sum_i p_i v_i$$
#
# Lecture 001 seeks the 1 in 0 0 1 0: keys *and* values $[1, 0], [1, 0], [0, 1], [1, 0]$, query $[0, 1]$.

# %% [markdown] statement="soft_lookup"
# Three ways to one number:
#
# - `by_hand()`: $z$, with $e$ taken as 3, as the lecture does;
# - `lookup_loop(q, keys, values, e=math.e)`: $z$ as a list, from lists; any positive number may stand for $e$;
# - `lookup(q, K, V)`: $z$ without a loop, from arrays $K$ $[n, d_k]$ and $V$ $[n, d_v]$. Scores may be in the thousands.
#
# Arguments stay as they are.

# %% [markdown] hints="soft_lookup"
# 1. By hand: four scores, then four powers of 3. What do these powers sum to?
# 2. The answer has as many numbers as a *value*, not as many as a key, and not as many as there are keys.
# 3. Array: one product gives all scores, another mixes the rows of $V$. A constant taken off all scores changes no weight: which one
#    keeps the powers small?


# %% task="soft_lookup" points=4 level=1 minutes=12
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
print(
    "e = 3, by hand and by loop:", by_hand(), np.round(lookup_loop(one, E, E, e=3), 4)
)
print(
    "true e, by loop and array: ",
    np.round(lookup_loop(one, E, E), 4),
    lookup(one, E, E).round(4),
)
print("keys times 10:             ", lookup(one, 10 * E, E).round(6))
print("query 0, and the mean:     ", lookup(0 * one, E, E), E.mean(axis=0))

# %% [markdown]
# $z$ is a **weighted mean**: it never leaves the region that the values span. With all scores equal it is the plain mean, the
# bag of words. Keys ten times as long ($10\,I$ is meant where 001 prints the identity) make it nearly a dict again. Lecture 001
# asks: and in a very long text?

# %% [markdown] statement="needle"
# ## 2. Predict, then measure: one needle, much hay
#
# Of $n$ keys one has the score $s$, all others 0.
#
# - `guess`, first: with $s = 10$ and $n = 100{,}000$, which weight (0 to 1) has the one?
# - `weight_on_one(n, s)`: its weight; $s$ from -100 to 1,000;
# - `score_needed(n, share)`: the $s$, perhaps negative, with which its weight is `share` (between 0 and 1);
# - `measured`: the weight you guessed, computed.

# %% [markdown] hints="needle"
# 1. What do the other $n - 1$ keys contribute below the line, all together?
# 2. Divide above and below by $e^s$: then no power is large.
# 3. Needle to hay is as `share` to $1 -$ `share`. Solve that for $e^s$, then take the logarithm.


# %% task="needle" points=3 level=2 minutes=10
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
_, (left, right) = plt.subplots(1, 2)
for s, weights in curves.items():
    left.semilogx(lengths, weights)
    left.text(1.3 * math.exp(s), 0.5, s)
left.plot(1e5, measured, "ko", label="measured")
left.plot(1e5, guess, "kx", label="your guess")
left.set(xlabel="length of the text (words, log)", ylabel="weight for score 1, 3, 10")
right.semilogx(lengths, needed)
right.set(xlabel="length of the text (words, log)", ylabel="score for weight ½")
left.legend(loc="upper center", bbox_to_anchor=(0.5, 1.22), ncols=2, fontsize=9)
plt.show()

# %% [markdown]
# Any fixed score fades (left); to hold half the weight, it must grow with $\ln n$ (right). A softmax always pays the hay.
#
# ## 3. The printed slide is wrong: find it
#
# Lecture 000 asks how *fox* relates to nine words. The "hard" maximum picks *brown* alone; the soft one, it prints, "would return
# something like" this:

# %%
fox = pd.DataFrame(
    {
        "score": [4, 6, 6.1, 4, 6, 1, -3, -4, -3],
        "printed": [0.05, 0.36, 0.40, 0.06, 0.13, 0.0, 0.0, 0.0, 0.0],
    },
    index=["a", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"],
)
fox.T

# %% [markdown] statement="explain_print"
# Something is off. Find what, and which score would explain it:
#
# - `contradictions(scores, printed)`: all pairs $(i, j)$, $i < j$, of *equal* scores with *unequal* printed weights;
# - `best_repair(scores, printed, candidates)`: change *one* score, to one of the candidates, so that the softmax comes as close to
#   the print as possible (any distance will do). Return `(i, new score)`;
# - `repaired`: the lecture's word and the whole number, from -9 to 9, that explain its print: `("word", number)`.
#
# Arguments stay as they are.

# %% [markdown] hints="explain_print"
# 1. Two equal scores have equal powers, whatever the other scores are.
# 2. There are only nine places and a few candidates: try all. How far are two lists of weights apart?
# 3. For each place and candidate: copy the scores, change the copy, take the softmax, subtract the print, keep the largest
#    distance. The pair with the smallest is the answer.


# %% task="explain_print" points=4 level=2 minutes=15
def contradictions(scores, printed):
    """[(i, j), ...] with i < j, scores equal, printed weights unequal."""
    ### BEGIN SOLUTION
    n = len(scores)
    pairs = [(i, j) for j in range(n) for i in range(j)]
    return [
        (i, j) for i, j in pairs if scores[i] == scores[j] and printed[i] != printed[j]
    ]
    ### END SOLUTION


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

# %% test="explain_print" aspect="equal scores, unequal print" points=1
_got = contradictions([2, 5, 2, 5, 7], [0.1, 0.3, 0.1, 0.2, 0.3])
assert hasattr(_got, "__iter__"), (
    f"contradictions returns a list of pairs; yours: {_got!r}."
)
assert close(list(_got), [(1, 3)], 0, 0), (
    f"Only the two 5 are printed differently: [(1, 3)]; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_cases = [([4, 6, 6, 4, 6, 4], [0.05, 0.35, 0.1, 0.1, 0.35, 0.05])]
_cases += [([6, 6.1, 6], [0.3, 0.4, 0.3]), ([-1, 0, -1, 0], [0.2, 0.3, 0.2, 0.3])]
_cases += [([-3, 1, 2, -3], [0.002, 0.5, 0.497, 0.001]), ([0, 0], [0.0, 1.0])]
_cases += [([random.choice([0, -2, 2.5]) for _ in range(8)], [0.1, 0.2] * 4)]
for _scores, _print in _cases:
    _places = range(len(_scores))
    _wanted = [(i, j) for i in _places for j in _places if i < j]
    _wanted = [
        (i, j)
        for i, j in _wanted
        if _scores[i] == _scores[j] and _print[i] != _print[j]
    ]
    _got = list(contradictions(list(_scores), list(_print)))
    _same = all(close(np.shape(_pair), (2,), 0, 0) for _pair in _got)
    assert _same and sorted(tuple(_pair) for _pair in _got) == _wanted, (
        f"Scores {_scores}, printed {_print}: not {_got}; pairs are missing or too many."
    )
_after = arguments_after(contradictions, [3, 1, 3], [0.5, 0.1, 0.4])
assert [list(_list) for _list in _after] == [[3, 1, 3], [0.5, 0.1, 0.4]], (
    "contradictions changes the lists that it is given."
)
### END HIDDEN TESTS

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
contradictions(fox["score"].to_list(), fox["printed"].to_list())  # which words?


# %%
def softmax(s):
    """Weights p: [n] of scores s: [n]."""
    p = np.exp(s - np.max(s))
    return p / p.sum()


fox["true"] = softmax(fox["score"])
fox["repaired"] = softmax(fox["score"].where(fox.index != repaired[0], repaired[1]))
fox.round(3).T

# %%
axes = fox[["printed", "true", "repaired"]].plot.bar(
    rot=0, color=plots.COLOURS[:3], width=0.75
)
axes.set_ylabel("weight on the word")
plt.show()

# %% [markdown]
# With 5 for *jumps* all is explained but *fox*: .05 became .06, probably so that the row sums to 1. And no weight is ever 0: the four
# printed so hold .002 together (row *true*).
#
# How peaked is a softmax? Multiply all scores by one number:

# %%
scales = [0, 0.2, 0.5, 1, 10, 100]
rows = np.array([softmax(scale * fox["score"].to_numpy()) for scale in scales])
entropy = [-(p[p > 0] * np.log2(p[p > 0])).sum() + 0 for p in rows]

_, (left, right) = plt.subplots(1, 2, width_ratios=[5, 4])
image = left.imshow(rows, cmap="cividis_r", aspect="auto", vmin=0, vmax=1)
left.set_xticks(range(9), fox.index, rotation=60)
left.set_yticks(
    range(6),
    [
        f"× {scale}: {bits:.1f} bits"
        for scale, bits in zip(scales, entropy, strict=True)
    ],
)
left.grid(False)
plt.colorbar(image, ax=left, label="weight")
tried = np.linspace(4, 8, 81)
changed = [fox["score"].where(fox.index != "quick", s).to_numpy() for s in tried]
right.plot(tried, [softmax(s)[1] for s in changed], label="soft")
right.plot(tried, [float(s.argmax() == 1) for s in changed], "--", label="hard")
right.set(xlabel="score of quick", ylabel="weight on quick")
right.legend(loc="upper left")
plt.show()

# %% [markdown]
# From the bag of words (3.2 bits of entropy) down to a dict (0 bits). Why not argmax at once? Its step (right) has slope 0: a gradient would
# have nothing to say.

# %% [markdown]
# ## 4. Every word asks, every word answers
#
# A text is a matrix $x$, $[n, d]$, one word a row. **Self-attention** makes queries, keys and values from the *same* words, by three
# learned maps $W_q, W_k$ $[d, d_k]$ and $W_v$ $[d, d_v]$ (000 begins with whole networks, and settles for a matrix each):
#
# $$Q = xW_q \quad K = xW_k \quad V = xW_v \qquad S = QK^T \quad P = \mathrm{softmax}(S) \text{ in each row} \quad Z = PV$$

# %% [markdown] statement="self_attention"
# The heart of every Transformer, for one word and for all:
#
# - `attend_one(x, W_q, W_k, W_v, j)`: $z$ for word $j$, shape $[d_v]$, by a loop over words;
# - `self_attention(x, W_q, W_k, W_v)`: `(Z, P)`, no loop; here scores may be in the thousands;
# - `shapes(n, d, d_k, d_v)`: a dict with the shapes (tuples) of "Q", "K", "V", "S", "P", "Z";
# - `learned(n, d, d_k, d_v)`: how many numbers such a layer learns.
#
# Arguments stay as they are.

# %% [markdown] hints="self_attention"
# 1. Word $j$ asks once. How often are keys and values needed for it?
# 2. $S_{ij}$ is what word $i$ gives to word $j$. Over which index do the weights of one asker run?
# 3. Matrices: three products with $x$, one with a transpose, a softmax along the last axis, one more product. Only what does
#    not change with the text is learned.


# %% task="self_attention" points=4 level=2 minutes=15
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
_x, _unit = torch.tensor([[300.0, 0], [0, 1], [0, 2]]).double(), torch.eye(2).double()
_wanted = torch.softmax(_x @ _x.T, dim=1)
_got = self_attention(_x.clone(), _unit, _unit, _unit)
assert close(_got[1], _wanted, 1e-4, 1e-6) and close(
    _got[0], _wanted @ _x, 1e-4, 1e-5
), (
    "One word has scores of 90,000, the others 0 to 4: P or Z is wrong. Each row gets "
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
set_seed(1)
W_q, W_k, W_v = torch.randn(3, 32, 32) / 32**0.5
texts = [torch.randn(n, 32) for n in (8, 16, 32, 64, 128, 256)]
one_word = [milliseconds(attend_one, x, W_q, W_k, W_v, 0) for x in texts]
all_words = [milliseconds(self_attention, x, W_q, W_k, W_v) for x in texts]

# %%
_, axes = plt.subplots()
axes.loglog(
    [len(x) for x in texts],
    np.multiply(one_word, [len(x) for x in texts]),
    "o-",
    label="loops, n words",
)
axes.loglog([len(x) for x in texts], all_words, "o-", label="matrices")
axes.set(xlabel="words in the text, n (log)", ylabel="processor time (ms, log)")
axes.legend()
plt.show()

# %% [markdown]
# "Crazy slow", says lecture 003 of loops: thousands of times as long at 256 words. (A loop asks for one word; we count it $n$ times.)
#
# ## 5. Shapes catch slips
#
# Lectures write words as rows ($[n, d]$: 000, 001, 002) or as columns ($[d, n]$: 003, 004). Who mixes the two prints things that cannot be
# computed.

# %% [markdown] statement="shape_hunt"
# Write `product_shape(*shapes)`: the shape of $A B C \cdots$ (the first may be a vector, `(n,)`), or None if it fails. Then
# `printed_shape`, {letter: shape or None}, for $n = 9$, $d = 5$ and width $h = 4$; softmax keeps a shape. D, E, F are
# one line, read in three ways:
#
# | | printed | with |
# |---|---|---|
# | A | $p\, x^T$ (000) | $p\,[n]$, $x\,[n, d]$ |
# | B | $p\, v$, "$[n, d]$" (000) | $p\,[1, n]$, $v\,[n, d]$ |
# | C | $\mathrm{softmax}(QK^T)\, V^T$ (000) | $Q, K, V\,[n, h]$ |
# | D | $\mathrm{softmax}(QK)\, V$ (003) | $Q, K, V\,[n, h]$ |
# | E | $\mathrm{softmax}(QK)\, V$ (003) | $Q, K, V\,[h, n]$ |
# | F | $\mathrm{softmax}(QK)\, V$ (003) | $Q\,[n, h]$, $K, V\,[h, n]$ |
# | G | $VW\, \mathrm{softmax}(W^T K^T Q W)$ (004) | $W\,[d, n]$, $V, K, Q\,[d, d]$ |

# %% [markdown] hints="shape_hunt"
# 1. In a product, which two numbers must agree, and which two remain?
# 2. Go from left to right and carry the shape so far. A vector has no rows to keep.
# 3. For the table: turn each transpose into a swapped shape, then ask your function; what stands within softmax first.


# %% task="shape_hunt" points=3 level=2 minutes=12
def product_shape(*shapes):
    """Shape of the matrix product of such shapes, (rows, columns) or first (n,); None if it does not fit."""
    ### BEGIN SOLUTION
    kept, inner = shapes[0][:-1], shapes[0][-1]
    for rows, columns in shapes[1:]:
        if rows != inner:
            return None
        inner = columns
    return (*kept, inner)
    ### END SOLUTION


# printed_shape = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ..., "F": ..., "G": ...}
### BEGIN SOLUTION
printed_shape = {
    "A": None,
    "B": (1, 5),
    "C": None,
    "D": None,
    "E": None,
    "F": None,
    "G": (5, 9),
}
### END SOLUTION

# %% test="shape_hunt" aspect="two or more matrices" points=1
for _shapes, _wanted in (
    (((2, 3), (3, 4)), (2, 4)),
    (((2, 3), (3, 3), (3, 7)), (2, 7)),
    (((2, 3), (4, 3)), None),
    (((2, 3), (3, 2), (3, 2)), None),
    (((6, 2),), (6, 2)),
):
    _got = product_shape(*_shapes)
    assert _got is None if _wanted is None else close(_got, _wanted, 0, 0), (
        f"{_shapes}: {_wanted} wanted; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
_a, _b, _c, _d, _e = random.sample(range(2, 30), 5)
for _shapes, _wanted in (
    (((_a, _b), (_b, _c), (_c, _d), (_d, _e)), (_a, _e)),
    (((_a, _b), (_b, _b), (_b, _a)), (_a, _a)),
    (((_a, 1), (1, _c)), (_a, _c)),
    (((1, _a), (_a, _b)), (1, _b)),  # one row is still a matrix
    (((1, _a), (_a, _b), (_b, 1)), (1, 1)),
    (((_a, _b), (_b, 1)), (_a, 1)),
    (((1, _a),), (1, _a)),
    (((_a, _b),), (_a, _b)),
    (((_b, _a), (_b, _c), (_c, _d)), None),  # the first product fails
    (((_a, _b), (_b, _c), (_b, _d), (_d, _e)), None),  # the middle one
    (((_a, _b), (_b, _c), (_c, _d), (_e, _d)), None),  # the last one
    (((_a, _b), (_b, _c), (_d, _a)), None),
    (((_a, _b), (_a, _b)), None),
):
    _got = product_shape(*_shapes)
    assert _got is None if _wanted is None else close(_got, _wanted, 0, 0), (
        f"{_shapes}: {_got!r} is wrong; go from left to right."
    )
### END HIDDEN TESTS

# %% test="shape_hunt" aspect="a vector comes first" points=1
_got = product_shape((3,), (3, 5))
assert close(_got, (5,), 0, 0), (
    f"A vector of 3 times [3, 5] is a vector of 5; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_a, _b, _c = random.sample(range(2, 30), 3)
for _shapes, _wanted in (
    (((_a,), (_a, _b), (_b, _c)), (_c,)),
    (((_a,), (_a, _b)), (_b,)),
    (((_a,), (_a, 1)), (1,)),
    (((1,), (1, _b)), (_b,)),
    (((_a,),), (_a,)),  # a vector alone
    (((_a,), (_a, _b), (_c, _b)), None),
    (((_a,), (_b, _a)), None),
    (((1,), (_a, _b)), None),
):
    _got = product_shape(*_shapes)
    assert _got is None if _wanted is None else close(_got, _wanted, 0, 0), (
        f"{_shapes}: {_got!r} is wrong."
    )
### END HIDDEN TESTS

# %% test="shape_hunt" aspect="what the lectures print" points=1
assert hasattr(printed_shape, "keys"), (
    f"printed_shape is a dict; yours: {printed_shape!r}."
)
assert {*printed_shape} >= {*"ABCDEFG"}, (
    f"printed_shape needs the letters A to G; yours: {[*printed_shape]}."
)
### BEGIN HIDDEN TESTS
for _letter in "ABCDEFG":
    _got, _wanted = printed_shape[_letter], {"B": (1, 5), "G": (5, 9)}.get(_letter)
    assert _got is None if _wanted is None else close(_got, _wanted, 0, 0), (
        f"{_letter} does not come out as {_got!r}."
    )
### END HIDDEN TESTS

# %% scratch=true
product_shape((9, 4), (4, 9), (9, 4))  # try the repairs

# %% [markdown]
# Only B and G run, and B has one row, not $n$. Right are $p\,x$, and $PV$ in C; in D $QK^T$; in F a *second* transpose,
# $V^T$. No reading saves 003's line. A shape that fails is kind. This is not:

# %%
set_seed(1)
p, square = (
    torch.softmax(torch.randn(9), 0),
    torch.randn(9, 9),
)  # nine words of width nine
print("p x:  ", (p @ square).numpy().round(1))
print("p x^T:", (p @ square.T).numpy().round(1), " no error, and nothing right")

# %% [markdown] statement="columns"
# ## 6. The same, in columns
#
# Lecture 004 writes words as the *columns* of $W$, $[d, T]$, and maps as $Q, K$ $[d_k, d]$ and $V$ $[d_v, d]$:
#
# $$H = VWA \qquad A = \mathrm{softmax}(W^T K^T Q W), \quad \textstyle\sum_i a_{it} = 1$$
#
# - `attention_columns(W, Q, K, V)`: `(H, A)`;
# - `row_maps(Q, K, V)`: the `(W_q, W_k, W_v)` that give section 4's $Z = H^T$ for $x = W^T$;
# - `queries`: what 001's $W^Q = \begin{pmatrix}0&1\\0&1\end{pmatrix}$ makes of 0 = $[1, 0]$ and 1 = $[0, 1]$, read in rows, then in columns.
#
# Scores may be in the thousands, arguments stay as they are. Write the formula out: your function of section 4 is graded there.

# %% [markdown] hints="columns"
# 1. $a_{it}$ is what word $t$ takes from word $i$. Which index counts the rows of $A$?
# 2. $(AB)^T = B^T A^T$: transpose the whole line for $H$ and compare it with section 4.
# 3. In rows, $q = eW$ picks a row of the matrix for each token; in columns, $q = We$ picks a column.


# %% task="columns" points=4 level=2 minutes=12
def attention_columns(W, Q, K, V):
    """(H: [d_v, T], A: [T, T]) from tensors W: [d, T], Q, K: [d_k, d], V: [d_v, d]."""
    ### BEGIN SOLUTION
    A = torch.softmax((K @ W).T @ (Q @ W), dim=0)
    return V @ W @ A, A
    ### END SOLUTION


def row_maps(Q, K, V):
    """(W_q: [d, d_k], W_k: [d, d_k], W_v: [d, d_v]) that do in rows what Q, K, V do in columns."""
    ### BEGIN SOLUTION
    return Q.T, K.T, V.T
    ### END SOLUTION


# queries = {"rows": [query of 0, query of 1], "columns": [query of 0, query of 1]}, each a list of two numbers
### BEGIN SOLUTION
queries = {"rows": [[0, 1], [0, 1]], "columns": [[0, 0], [1, 1]]}
### END SOLUTION

# %% test="columns" aspect="columns sum to one" points=1
_sizes = [(3, 5, 2, 4)]  # d, T, d_k, d_v
### BEGIN HIDDEN TESTS
_sizes = [(3, 1, 2, 4), (4, 6, 3, 2), (1, 4, 1, 1), (3, 1, 1, 1), (2, 3, 5, 4)]
### END HIDDEN TESTS
for _d, _T, _d_k, _d_v in _sizes:
    _inputs = [
        torch.randn(*_size).double()
        for _size in ((_d, _T), (_d_k, _d), (_d_k, _d), (_d_v, _d))
    ]
    _got = attention_columns(*(_M.clone() for _M in _inputs))
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return the pair (H, A); yours: {_got!r}."
    )
    assert np.shape(_got[0]) == (_d_v, _T), (
        f"d_v = {_d_v}, T = {_T}: H has the shape {_d_v, _T}; yours: {np.shape(_got[0])}."
    )
    assert np.shape(_got[1]) == (_T, _T), (
        f"T = {_T}: A has the shape {_T, _T}; yours: {np.shape(_got[1])}."
    )
    assert close(np.sum(np.asarray(_got[1]), axis=0), np.ones(_T), 1e-4), (
        "Each column of A, what one word takes, should sum to 1."
    )
### BEGIN HIDDEN TESTS
_after = arguments_after(attention_columns, *(_M.clone() for _M in _inputs))
assert all(map(close, _after, _inputs)), (
    "attention_columns changes the tensors it is given."
)
### END HIDDEN TESTS

# %% test="columns" aspect="who takes from whom" points=1
_words = torch.tensor([[1.0, 0, 0], [0, 1, 1]])  # 0 1 1
_seek = torch.tensor([[0.0, 5], [0, 0]])  # only 1s ask
_H, _A = attention_columns(_words, _seek, torch.eye(2), torch.eye(2))
assert np.shape(_H) == (2, 3) and np.shape(_A) == (3, 3), (
    f"H (2, 3), A (3, 3); yours: {np.shape(_H)}, {np.shape(_A)}."
)
assert close(_A[:, 0], [1 / 3] * 3, 1e-5), (
    f"The first word asks for nothing: it takes 1/3 of each; yours: {_A[:, 0]}."
)
assert close(_A[0, 1], math.exp(5) / (math.exp(5) + 2), 1e-5), (
    f"The second word seeks a 0 with score 5: it takes .9867 from the first; yours: {_A[0, 1]}."
)
### BEGIN HIDDEN TESTS
_W, _Q, _K, _V = (
    torch.randn(*_size).double() for _size in ((3, 5), (2, 3), (2, 3), (4, 3))
)
_H, _A = attention_columns(_W.clone(), _Q.clone(), _K.clone(), _V.clone())
assert np.shape(_H) == (4, 5) and np.shape(_A) == (5, 5), (
    "d_v = 4, T = 5: H (4, 5), A (5, 5)."
)
for _t in range(5):
    _p = np.exp([((_K @ _W[:, i]) @ (_Q @ _W[:, _t])).item() for i in range(5)])
    _wanted = sum(_p[i] / _p.sum() * (_V @ _W[:, i]) for i in range(5))
    assert close(_A[:, _t], _p / _p.sum(), 1e-4, 1e-6), (
        f"Random numbers: column {_t} of A is wrong."
    )
    assert close(_H[:, _t], _wanted, 1e-4, 1e-5), (
        f"A is right, but column {_t} of H is not."
    )
_W, _unit = torch.tensor([[300.0, 0, 0], [0, 1, 2]]).double(), torch.eye(2).double()
_wanted = torch.softmax(_W.T @ _W, dim=0)
_H, _A = attention_columns(_W.clone(), _unit, _unit, _unit)
assert close(_A, _wanted, 1e-4, 1e-6) and close(_H, _W @ _wanted, 1e-4, 1e-5), (
    "One word has scores of 90,000, the others 0 to 4: A or H is wrong. Each column gets "
    "what it gets alone."
)
### END HIDDEN TESTS

# %% test="columns" aspect="rows do the same" points=1
_sizes = [(3, 5, 2, 4)]  # d, T, d_k, d_v
### BEGIN HIDDEN TESTS
_sizes = [(4, 6, 3, 2), (1, 4, 2, 1), (3, 1, 1, 2), (2, 3, 5, 4)]
### END HIDDEN TESTS
for _d, _T, _d_k, _d_v in _sizes:
    _inputs = [
        torch.randn(*_size).double() for _size in ((_d_k, _d), (_d_k, _d), (_d_v, _d))
    ]
    (_Q, _K, _V), _W = _inputs, torch.randn(_d, _T).double()
    _got = row_maps(_Q.clone(), _K.clone(), _V.clone())
    assert isinstance(_got, tuple | list) and len(_got) == 3, (
        f"Return three maps (W_q, W_k, W_v); yours: {_got!r}."
    )
    _shapes, _wanted = (
        [tuple(np.shape(_map)) for _map in _got],
        [(_d, _d_k), (_d, _d_k), (_d, _d_v)],
    )
    assert _shapes == _wanted, (
        f"d, d_k, d_v = {_d, _d_k, _d_v}: {_wanted}; yours: {_shapes}."
    )
    _x, _A = _W.T, torch.softmax(_W.T @ _K.T @ _Q @ _W, dim=0)
    _W_q, _W_k, _W_v = (torch.tensor(np.asarray(_map)).double() for _map in _got)
    _Z = torch.softmax((_x @ _W_q) @ (_x @ _W_k).T, dim=1) @ (_x @ _W_v)
    assert close(_Z.T, _V @ _W @ _A, 1e-4, 1e-5), (
        "With your maps, rows give other numbers than columns."
    )
### BEGIN HIDDEN TESTS
_after = arguments_after(row_maps, *(_M.clone() for _M in _inputs))
assert all(map(close, _after, _inputs)), (
    "row_maps changes the tensors that it is given."
)
### END HIDDEN TESTS

# %% test="columns" aspect="one matrix, two meanings" points=1
assert hasattr(queries, "keys"), f"queries is a dict; yours: {queries!r}."
for _way in ("rows", "columns"):
    assert _way in queries and np.shape(queries[_way]) == (2, 2), (
        f"queries[{_way!r}]: two lists of two numbers; yours: {queries!r}."
    )
### BEGIN HIDDEN TESTS
for _way, _wanted in (("rows", [[0, 1], [0, 1]]), ("columns", [[0, 0], [1, 1]])):
    assert close([[*_q] for _q in queries[_way]], _wanted), (
        f"In {_way} the queries of 0 and 1 are not {queries[_way]!r}."
    )
### END HIDDEN TESTS

# %% [markdown]
# "No matter what the value is, we're going to look for 1s": true in rows only. Read as columns, a 0 asks for nothing and a 1 for everything.
#
# We stay with rows, as `torch` does.

# %% [markdown] statement="scale"
# ## 7. Divide by $\sqrt{d_k}$
#
# Let the entries of $q$ and $k$ be independent, with mean 0 and variance 1. Predict the variance of $q \cdot k$, then write
#
# - `measure_variance(d_k, pairs, seed)`: that variance over so many random pairs (`np.random.default_rng(seed)`, normal);
# - `softmax_gradient(p, g)`: arrays, $[n]$; $p$ is a softmax of $s$, $g = \partial L/\partial p$. Return $\partial L/\partial s$, no autograd;
# - `scaled_attention(Q, K, V)`: $\mathrm{softmax}(QK^T\!/\sqrt{d_k})\,V$ for tensors $Q$ $[\dots, m, d_k]$, $K$ $[\dots, n, d_k]$,
#   $V$ $[\dots, n, d_v]$; the dots: any axes, the same in all.
#
# Arguments stay as they are.

# %% [markdown] hints="scale"
# 1. A sum of $d_k$ independent products: what do variances of independent numbers do?
# 2. $\partial p_i/\partial s_j = p_i(\delta_{ij} - p_j)$. Sum over $i$, each term weighted with $g_i$: two parts remain.
# 3. `.T` turns all axes round. Only the last two should swap; and the width that counts is that of the keys.


# %% task="scale" points=4 level=2 minutes=15
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
widths, peaks, slopes = (
    [1, 4, 16, 64, 256, 1024],
    {"plain": [], "divided by √$d_k$": []},
    {},
)
for d_k in widths:
    q, k = np.random.default_rng(d_k).normal(size=(2, 200, d_k))
    for name, scale in zip(peaks, (1, d_k**0.5), strict=True):
        p = np.array([softmax(s / scale) for s in q @ k[:64].T])  # 200 queries, 64 keys
        peaks[name].append(p.max(axis=1).mean())
        slopes.setdefault(name, []).append(
            (p * (1 - p)).mean()
        )  # the slope of a weight against its own score

_, (left, right) = plt.subplots(1, 2)
left.loglog(
    widths, [measure_variance(d_k, 2000, 1) for d_k in widths], "o-", label="plain"
)
left.loglog(
    widths,
    [measure_variance(d_k, 2000, 1) / d_k for d_k in widths],
    "o-",
    label="divided by √$d_k$",
)
left.set(xlabel="$d_k$ (log)", ylabel="variance of a score (log)")
for name in slopes:
    right.loglog(widths, slopes[name], "o-", label=name)
right.set(xlabel="$d_k$ (log)", ylabel="slope $p(1-p)$, mean (log)")
left.legend()
plt.show()
pd.DataFrame(peaks, index=widths).T.round(1).rename_axis("mean largest weight; d_k =")

# %% [markdown]
# Left: $d_k$ products of variance 1 add up. Right: unscaled, width alone makes the softmax nearly hard, and its slope dies as argmax's did: little is left to learn from. Divided, nothing depends on
# $d_k$. It is the *keys'* width that counts: eight heads of 64 (section 9) divide by 8, not by $\sqrt{512} = 22.6$; lecture 000's "hidden size" is loose.

# %% [markdown] statement="score_forms"
# ## 8. Other ways to score
#
# **Bilinear**: $s = x W y^T$. (001 prints this as "scaled" dot product; nothing is scaled.) **Additive** (D. Bahdanau): a small network,
# $s = \tanh(q W_q + k W_k) \cdot v$.
#
# - `bilinear_scores(X, W, Y)`, $[m, n]$: all pairs of rows of $X$ $[m, d]$ and $Y$ $[n, d']$, $W$ $[d, d']$;
# - `additive_scores(Q, K, W_q, W_k, v)`, $[m, n]$: $Q$ $[m, d_q]$, $K$ $[n, d_k]$, $W_q$ $[d_q, a]$, $W_k$ $[d_k, a]$, $v$ $[a]$;
# - `factors(W, d_k)`: `(W_q, W_k)`, each $[d, d_k]$, with $W_q W_k^T$ as close to $W$ $[d, d]$ as can be (squared error); $d_k \le d$.
#
# Arguments stay as they are.

# %% [markdown] hints="score_forms"
# 1. $(xW_q) \cdot (yW_k) = x\,(W_q W_k^T)\,y^T$: two maps are one matrix.
# 2. Additive: each of $m$ queries meets each of $n$ keys, so in between there is an array $[m, n, a]$. Let broadcasting make it.
# 3. Which decomposition of a matrix lists its parts in order of size? Keep the first $d_k$; the sizes go to either side, once.


# %% task="score_forms" points=4 level=3 minutes=20
def bilinear_scores(X, W, Y):
    """[m, n] from tensors X: [m, d], W: [d, d'], Y: [n, d']."""
    ### BEGIN SOLUTION
    return X @ W @ Y.T
    ### END SOLUTION


def additive_scores(Q, K, W_q, W_k, v):
    """[m, n] from tensors Q: [m, d_q], K: [n, d_k], W_q: [d_q, a], W_k: [d_k, a], v: [a]."""
    ### BEGIN SOLUTION
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v
    ### END SOLUTION


def factors(W, d_k):
    """(W_q, W_k), each [d, d_k]: of all such pairs the one with W_q W_k^T closest to W: [d, d]."""
    ### BEGIN SOLUTION
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T
    ### END SOLUTION


# %% test="score_forms" aspect="bilinear, all pairs" points=1
_sizes = [(3, 5, 2, 4)]  # m, n, d, d'
### BEGIN HIDDEN TESTS
_sizes = [(1, 4, 2, 3), (4, 1, 3, 2), (1, 1, 1, 1), (3, 2, 1, 4), (3, 2, 4, 1)]
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
        f"Called again with another {('Q', 'K', 'W_q', 'W_k', 'v')[_place]} of the "
        "same shape: the scores are wrong."
    )
_after = arguments_after(additive_scores, *(_M.clone() for _M in _inputs))
assert all(map(close, _after, _inputs)), (
    "additive_scores changes the tensors it is given."
)
### END HIDDEN TESTS

# %% test="score_forms" aspect="two maps, one matrix" points=1
_sizes = [(5, 2)]  # d, d_k
### BEGIN HIDDEN TESTS
_sizes = [(7, 3), (6, 4), (4, 1), (1, 1)]
### END HIDDEN TESTS
for _d, _d_k in _sizes:
    _W = torch.randn(_d, _d_k).double() @ torch.randn(_d_k, _d).double()
    _got = factors(_W.clone(), _d_k)
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return the pair (W_q, W_k); yours: {_got!r}."
    )
    _shapes = [tuple(np.shape(_map)) for _map in _got]
    assert _shapes == [(_d, _d_k)] * 2, (
        f"d = {_d}, d_k = {_d_k}: {_d, _d_k} twice; yours: {_shapes}."
    )
    assert close(_got[0] @ _got[1].T, _W, 1e-3, 1e-4), (
        f"W has rank {_d_k}, so d_k = {_d_k} is enough for W_q W_k^T = W; yours differs."
    )

# %% test="score_forms" aspect="the best that fits" points=1
_W = torch.diag(torch.tensor([3.0, 1.0, 4.0, 2.0])).double()
_W_q, _W_k = factors(_W.clone(), 2)
assert np.shape(_W_q) == np.shape(_W_k) == (4, 2), (
    f"Wanted (4, 2) twice; yours: {np.shape(_W_q)}, {np.shape(_W_k)}."
)
assert close(_W_q @ _W_k.T, np.diag([3.0, 0, 4, 0]), 1e-4, 1e-4), (
    "Of the parts 3, 1, 4, 2 of a diagonal matrix, d_k = 2 should keep the parts 3 and 4."
)
### BEGIN HIDDEN TESTS
_turn = torch.linalg.qr(torch.randn(6, 6).double())[0]
_parts = torch.tensor([-7.0, 1, 2, -5, 3, 0.5]).double()
_some = {
    "random": torch.randn(6, 6).double(),
    "symmetric": _turn @ torch.diag(_parts) @ _turn.T,
}
_some["turning"] = _turn @ torch.diag(_parts.abs())
for _name, _W in _some.items():
    for _d_k in (1, 2, 5, 6):
        _W_q, _W_k = (
            torch.tensor(np.asarray(_M)).double() for _M in factors(_W.clone(), _d_k)
        )
        assert _W_q.shape == _W_k.shape == (6, _d_k), (
            f"d = 6, d_k = {_d_k}: {6, _d_k} twice wanted."
        )
        _error = (_W - _W_q @ _W_k.T).square().sum()
        _best = torch.linalg.svdvals(_W)[_d_k:].square().sum()
        assert _error < 1.0001 * _best + 1e-6, (
            f"A {_name} W, d = 6, d_k = {_d_k}: error {_error:.4f}, possible is {_best:.4f}."
        )
_turn = torch.linalg.qr(torch.randn(20, 20).double())[0]
for _W in (
    torch.randn(20, 20).double(),
    _turn @ torch.diag(torch.linspace(1, 2, 20).double()),
):
    _W_q, _W_k = (
        torch.tensor(np.asarray(_M)).double() for _M in factors(_W.clone(), 4)
    )
    _error = (_W - _W_q @ _W_k.T).square().sum()
    _best = torch.linalg.svdvals(_W)[4:].square().sum()
    assert _error < (1 + 1e-6) * _best, (
        f"d = 20, d_k = 4: error {_error:.8f}, possible is {_best:.8f}. The best is wanted, not nearly the best."
    )
assert close(arguments_after(factors, _W.clone(), 2)[0], _W), "factors changes its W."
### END HIDDEN TESTS

# %% scratch=true
[part.abs() for part in factors(torch.tensor([[2.0, 0], [0, 1]]), 1)]  # a W of your own

# %%
set_seed(1)
d = 64
tables = {"random": torch.randn(d, d), "each word seeks itself": torch.eye(d)}
tables["maps of width 8"] = torch.randn(d, 8) @ torch.randn(8, d)

# %%
_, axes = plt.subplots()
for name, W in tables.items():
    pairs = [factors(W, d_k) for d_k in range(1, d + 1)]
    errors = [((W - W_q @ W_k.T).norm() / W.norm()).item() for W_q, W_k in pairs]
    axes.plot(range(1, d + 1), errors, label=name)
axes.set(
    xlabel="width of queries and keys, $d_k$", ylabel="what is missing of $W$ (share)"
)
axes.legend()
plt.show()

# %%
W_q, W_k = factors(tables["random"], 8)
R = torch.randn(8, 8)  # any matrix that can be inverted
x = torch.randn(5, d)
same = torch.allclose(
    (x @ W_q) @ (x @ W_k).T,
    (x @ W_q @ R) @ (x @ W_k @ torch.linalg.inv(R).T).T,
    rtol=1e-3,
    atol=0.05,
)
print(
    "other maps, the same scores:",
    same,
    f" {d * d:,} numbers in W, {2 * d * 8:,} in W_q and W_k",
)

# %% [markdown]
# Scores depend on $W_q W_k^T$ alone, of rank $d_k$ at most; a curve touches 0 at the rank of its $W$. A small $d_k$ is cheap,
# but does not give the identity exactly. And, as 001 says, many maps are equivalent: turn queries by $R$, keys by $R^{-T}$.
#
# *A good place to stop for today.*

# %% [markdown]
# ## What a lookup buys
#
# Lecture 003's model: the last of 16 words asks, all 16 answer, and two layers guess the next word from $z$. With the query set to 0 it
# *is* the bag of words. And are $W_k$ and $W_v$ worth it ("works better in practice", 000)? Guess the order of the bars first.


# %%
class LookupModel(nn.Module):
    """Scores for the next word from the last n words. `maps` names the maps in use: "", "q" or "qkv"."""

    def __init__(self, size, maps, n=16, d=64):
        super().__init__()
        self.n, self.maps = (
            n,
            nn.ModuleDict({m: nn.Linear(d, d, bias=False) for m in maps}),
        )
        self.embedding, self.hidden, self.out = (
            nn.Embedding(size, d),
            nn.Linear(d, 128),
            nn.Linear(128, size),
        )

    def forward(self, words):  # [B, 16] -> [B, size]
        x = self.embedding(words[:, -self.n :])
        Q, K, V = (self.maps[m](x) if m in self.maps else x for m in "qkv")
        z = scaled_attention(Q[:, -1:] * ("q" in self.maps), K, V)[:, 0]
        return self.out(torch.tanh(self.hidden(z)))


# %%
corpus = lmkit.load("kitchen")
text = {
    s: [w for document in corpus.splits[s] for w in [*document, "</s>"]]
    for s in ("train", "valid")
}
vocabulary = ["<UNK>", *sorted(set(text["train"]))]
ids = {word: i for i, word in enumerate(vocabulary)}
windows = {
    s: torch.tensor([ids.get(word, 0) for word in text[s]]).unfold(0, 17, 1)
    for s in text
}  # 16 and the next
print({s: tuple(windows[s].shape) for s in windows}, len(vocabulary), "words")


# %%
def loss(model, batch):
    """Mean loss of the 17th words, and how many they are."""
    return F.cross_entropy(model(batch[:, :16]), batch[:, 16]), len(batch)


def learn(maps, steps, n=16):
    """A model, trained on so many batches of 64 windows."""
    set_seed(1)
    model, pick = (
        LookupModel(len(vocabulary), maps, n),
        shuffled(len(windows["train"]), 64, seed=1),
    )
    schedule = warmup_cosine(20)
    train(
        model,
        lambda i: windows["train"][pick(i)],
        loss,
        steps=steps,
        rate=1e-2,
        schedule=schedule,
        device="cpu",
    )
    return model


# %%
steps = budget().choose(grading=250, laptop=2000, gpu=2000)
models = {
    name: learn(maps, steps)
    for name, maps in {"bag of words": "", "q": "q", "q, k, v": "qkv"}.items()
}
models["last word alone"] = learn("", steps, n=1)

# %%
with torch.no_grad():
    costs = {
        name: loss(model, windows["valid"][:5000])[0].exp().item()
        for name, model in models.items()
    }
_, axes = plt.subplots(figsize=(7, 2))
axes.bar_label(axes.barh([*costs], [*costs.values()]), fmt=" %.0f")
axes.axvline(
    corpus.floor("valid").perplexity,
    color="black",
    linestyle="--",
    zorder=3,
    label="the language's own",
)
axes.set(xlabel=f"perplexity on held-out text, {steps:,} steps", ylabel="model")
axes.legend()
plt.show()

# %%
words = windows["valid"][:1000, :16]
mixed = words[
    :, [*random.Random(1).sample(range(15), 15), 15]
]  # the last word, which asks, stays
with torch.no_grad():
    same = torch.allclose(models["q, k, v"](words), models["q, k, v"](mixed), atol=1e-3)
print("15 words in another order, the same scores:", same)

# %% [markdown]
# Choosing whom to hear roughly halves the bag's perplexity. $W_k$ and $W_v$ bring nothing *here* (at few steps they hurt): $W_q$ can
# do $W_k$'s work (section 8), the next layer $W_v$'s. They matter where widths differ and lookups are many.
#
# After 250 steps the last word alone beats all 16 (after 2,000 no longer): a set of words has no *beside*. And
# one question gets *one average*. Next: many questions, and words that know their place.

# %%
attend = (
    F.scaled_dot_product_attention
)  # softmax(Q Kᵀ / √d_k) V over the last two axes, torch's own

# %% [markdown] statement="two_heads"
# ## 9. Two heads
#
# With $h$ **heads**, head $l$ sees its own $d_k = d/h$ columns of $Q, K, V$, each of shape $[T, d]$. The results stand side by side
# (shape $[T, d]$) and are mixed by $H$, shape $[d, d]$.
#
# - `heads_by_hand`: $d = h = 2$, query $(1, 1)$, keys $(\ln 3, 0)$ and $(0, \ln 3)$, values $(1, 2)$ and $(5, 6)$,
#   $H = \begin{pmatrix}1 & 0\\1 & 1\end{pmatrix}$. Give the two numbers;
# - `multihead_loop(Q, K, V, H, h)`, head by head;
# - `wrong_lines`: which of lecture 000's lines cannot run as Python (9 words, hidden 8, 2 heads)?
#
# Arguments stay as they are.

# %% [markdown]
# ```
# 1  Q1 = x @ W_q1                             # [seq_len, hidden / 2]
# 2  h1 = softmax(Q1 @ K1.T) @ V1.T            # the output of the first head
# 3  h = [h1:h2] @ H                           # concatenate and mix them together
# 4  s = Q @ K.mT                              # all heads; printed .T, meant so
# 5  h = softmax(s) @ V                        # [num_heads, seq_len, hidden / num_heads]
# 6  h = h.transpose(0, 1).reshape(1, 2)       # [seq_len, hidden]
# ```

# %% [markdown] hints="two_heads"
# 1. $e^{\ln 3} = 3$. And how wide is one head's query here, so what is $\sqrt{d_k}$?
# 2. By hand: head 1 has the weights 3/4 and 1/4 and sees the first column of the values only. For the lines: write the
#    shape of both factors below each product.
# 3. Loop: cut the same columns out of all three, attend, collect; at the end one concatenation and one product.


# %% task="two_heads" points=4 level=1 minutes=15
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
    "One of the lines that you name does run: try it with torch.zeros of these shapes (softmax keeps a shape)."
)
assert {*wrong_lines} == {2, 3, 6}, (
    "A line that you do not name cannot run: try each with torch.zeros of these shapes (softmax keeps a shape)."
)
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
# Arguments stay as they are. "Transpose (not reshape!)", lecture 000 warns. Why? The cell below shows it with numbers.

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
print(
    "reshape alone:",
    X.reshape(2, 2, 2).tolist(),
    "- head 1 has all of word 1, head 2 all of word 2",
)

# %%
q, K = torch.ones(1, 2), torch.eye(2) * math.log(3)
V, H = torch.tensor([[1.0, 2.0], [5.0, 6.0]]), torch.tensor([[1.0, 0.0], [1.0, 1.0]])
at_once = (
    merge_heads(attend(split_heads(q, 2), split_heads(K, 2), split_heads(V, 2))) @ H
)
ways = {
    "by hand": torch.tensor(heads_by_hand),
    "loop": multihead_loop(q, K, V, H, 2)[0],
    "at once": at_once[0],
}
print({name: [round(float(value), 4) for value in way] for name, way in ways.items()})

# %% [markdown]
# ## 11. The module, and what it weighs
#
# Lecture 002's listing of this module indents nearly everything below `if mask is not None:`; without a mask it returns None.

# %% [markdown] statement="MultiHead"
# - `MultiHead(d, h)`: parts `q`, `k`, `v`, `out`, each `nn.Linear(d, d)`; `forward(x, mask=None)`: $x$ $[B, T, d]$; `mask`
#   $[T, T]$, True where a row may look at a column;
# - `from_torch(state)`: the state dict of `nn.MultiheadAttention(d, h)`, cut and renamed to fit yours;
# - `parameters(d, h, d_k, d_v)`: numbers in all $W$ and $H$, no biases;
# - `parameters_sliced(d, h)`: the same if each head, as in lecture 004, is given only its slice of $x$; no $H$.
#
# Arguments stay as they are. `attend` is given. Cut the heads here, not by your functions of section 10: a slip there would cost you twice.

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
print(
    f"d = 512, 8 heads of 64: {parameters(512, 8, 64, 64):,} (W alone {parameters(512, 8, 64, 64) - 512**2:,})"
)
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
    return (
        torch.autograd.functional.jacobian(lambda x: layer(x, x, x)[0], x)
        .abs()
        .sum((0, 1, 3, 4))
    )


# %%
_, axes = plt.subplots(1, 2, figsize=(6, 2.9))
for axis, (name, layer) in zip(
    axes, {"projected (the usual way)": full, "sliced": sliced}.items(), strict=True
):
    axis.imshow(
        who_feeds_whom(layer, torch.randn(1, 5, 16)) > 1e-9,
        cmap="cividis_r",
        vmin=0,
        vmax=1,
    )
    axis.set(
        title=name,
        xlabel="number of the input vector",
        ylabel="number of the output vector",
    )
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
#   $[n, m]$. A row that may look nowhere gives *zeros*. Arguments stay as they are.
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
    """Tensor of bools, [T, T]: True where row i may look at column j."""
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
### END HIDDEN TESTS
for _lead, _n, _m, _large in _sizes:
    _Q, _K, _V = (
        torch.randn(*_lead, *_s).double() for _s in ((_n, 5), (_m, 5), (_m, 3))
    )
    _mask = torch.rand(_n, _m) < 0.5
    _mask[:, 1], _mask[0, 2], _mask[1:, 3] = True, False, False
    if _large > 1:  # what is seen scores about -200, what is forbidden about 0
        _Q[..., 0], _K[..., 0] = 20, torch.rand(*_lead, _m) - 22
        _K[..., 3, 0] = 0
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
masks["0 or -inf, added to the scores"] = {
    "attn_mask": torch.zeros(256, 256).masked_fill(~allowed, -math.inf)
}
for name, mask in masks.items():
    same = torch.allclose(
        masked_attention(Q, K, V, allowed), attend(Q, K, V, **mask), atol=1e-5
    )
    print(f"torch's function, {name}: the same as yours {same}")

# %% [markdown]
# Filled with $-10^9$, the word that may see nothing sees *everything*, forbidden words included. (A trap: `nn.MultiheadAttention` reads a
# True mask as *forbidden*.) What does torch's function buy?


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
_, panels = plt.subplots(1, 2)
for axes, measure, label in zip(
    panels,
    (milliseconds, kept_for_backward),
    ("processor time (ms)", "kept for backward (MiB)"),
    strict=True,
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
# - `influence(layer, X)`: bool $[T, T]$ for a function `layer` from $[T, d]$ to $[T, d']$; entry $[i, j]$: does output $i$ change
#   when word $j$ does?
# - `layers_needed(R)`: how many stacked layers of reach $R$ until the *last* output hears the *first* word? (It always does.)
# - `wrong_row`: lecture 001 prints as longest paths, in layers (recurrent: in steps): self-attention $O(1)$, recurrent $O(n)$,
#   convolutional (kernel $k$) $O(\log_k n)$, restricted (to $r$ words) $O(n/r)$. Which is wrong for plain stacked layers?
#
# Arguments stay as they are.

# %% [markdown] hints="influence"
# 1. Change all numbers of a word, each by another amount (a layer may take the mean off each word). What moves may move a little or a lot:
#    compare old and new output exactly, row by row.
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

# %% test="influence" aspect="layers until it is heard" points=1
_R = torch.tensor([[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 1]]).bool()
_got = layers_needed(_R.clone())
assert is_number(_got), f"A number is wanted, not {_got!r}."
assert _got == 2, (
    f"The last hears words 1 and 2, they hear word 0: 2 layers; yours: {_got}."
)
assert layers_needed(torch.ones(5, 5).bool()) == 1, (
    "Where all hear all, one layer is enough."
)
### BEGIN HIDDEN TESTS
for _step in (1, 2, 3, 5):
    _T = random.randint(8, 30)
    _R = (torch.arange(_T)[:, None] - torch.arange(_T)).abs() <= _step
    _got = layers_needed(_R.clone())
    assert is_number(_got) and _got == -(-(_T - 1) // _step), (
        f"{_T} words, each hears {_step} to both sides: {_got} is wrong."
    )
_R = torch.eye(6).roll(1, 0).bool() | torch.eye(6).bool()
assert layers_needed(_R) == 5, "Wrong where each hears the word before."
_level = (torch.arange(18) + 1) // 2  # 2 words on each level from 1 to 8: 256 ways
_got = layers_needed(_level[:, None] == _level + 1)
assert is_number(_got) and _got == 9, (
    "18 words in pairs, each pair hears the one before, by many ways: 9; "
    f"yours: {_got}."
)
for _own in (True, False, False):
    _early = _wanted = 0
    while (
        _early == _wanted or not 2 < _wanted < 6
    ):  # until the earliest word is a detour
        _table = (np.random.default_rng().random((9, 9)) < 0.2) | (
            _own & np.eye(9, dtype=bool)
        )
        _ways = [
            np.linalg.matrix_power(_table.astype(int), n)[-1, 0] for n in range(1, 9)
        ]
        _wanted = 1 + int(np.argmax(np.array(_ways) > 0)) if any(_ways) else 0
        _place, _early = int(_table[-1].argmax()), 1
        while _place and _early < 20:
            _place, _early = int(_table[_place].argmax()), _early + 1
    _got = layers_needed(torch.tensor(_table))
    assert is_number(_got) and _got == _wanted, (
        f"Nine words, uneven reach {[np.flatnonzero(row).tolist() for row in _table]}: {_wanted} layers; yours: {_got}."
    )
_R = torch.tensor(_table)
assert close(arguments_after(layers_needed, _R.clone())[0], _R), (
    "layers_needed changes R: a row of R that you collect in is a part of R; copy it."
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
# `kind_of(layer, X, order)`, which returns one of these words (*invariant* if both hold). Arguments stay as they are.
# Rounding (a millionth) is no difference, a hundredth is one, in numbers near 20 too.

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
print(
    "the same vector for every can:",
    all(torch.allclose(before[0], before[i]) for i in (3, 5)),
)
print(
    "the same in both sentences:", torch.allclose(before[[0, 1, 2]], after[[0, 3, 5]])
)
marked = attend(X + places, X + places, X + places)
print("the same with places added:", torch.allclose(marked[0], marked[3]))


# %%
def causal(X):
    return attend(X, X, X, is_causal=True)


functions = {
    "attention": lambda X: attend(X, X, X),
    "bag": lambda X: attend(X, X, X).mean(0),
}
functions["positions"] = lambda X: functions["attention"](X + places)
functions |= {
    "one causal layer": lambda X: causal(X)[-1],
    "two causal layers": lambda X: causal(causal(X))[-1],
}
for name, layer in functions.items():
    print(
        f"{name:18} {kind_of(layer, torch.randn(6, 8), torch.tensor([2, 0, 3, 1, 4, 5]))}"
    )

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
# 1. Print `sinusoids(3, 4)`: the first row is 0, 1, 0, 1, and the second *pair* of columns is a hundred times slower.
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
        *[
            torch.tensor([[b, -a], [a, b]])
            for a, b in zip(s.tolist(), c.tolist(), strict=True)
        ]
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
]
### END HIDDEN TESTS
for _k, _d in _sizes:
    _a = np.arange(1000)[:, None] / 10000 ** (np.arange(0, _d, 2) / _d)
    _e = np.stack([np.sin(_a), np.cos(_a)], axis=-1).reshape(1000, _d)
    _R = np.asarray(shift(_k, _d), dtype=float)
    assert _R.shape == (_d, _d), (
        f"k = {_k}, d = {_d}: shape {_d, _d}; yours: {_R.shape}."
    )
    for _j in (0, 1, 7, 19, 60, 500):
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

# %% test="sinusoids" aspect="how long it falls" points=1
_got = falls_for(64)
assert is_number(_got), f"A number is wanted, not {_got!r}."
assert 1 < _got < 20, f"d = 64: it falls for a few steps only; yours: {_got}."
### BEGIN HIDDEN TESTS
for _d in (2, 10, 64, 128, 256, 512):
    _i = np.arange(_d // 2)
    _g = [np.cos(_k / 10000 ** (2 * _i / _d)).sum() for _k in range(100)]
    _wanted, _got = next(_k for _k in range(99) if _g[_k + 1] >= _g[_k]), falls_for(_d)
    assert is_number(_got) and _got == _wanted, (
        f"d = {_d}: not {_got}. How many steps until the first rise?"
    )
### END HIDDEN TESTS

# %%
_, (left, right) = plt.subplots(1, 2)
for number in (0, 8, 16, 24):
    left.plot(sinusoids(60, 64)[:, number], label=f"number {number}")
left.set(xlabel="place j", ylabel="sine (d = 64)", ylim=(-1.1, 2.3), yticks=[-1, 0, 1])
left.legend(fontsize=9, ncols=2)
for d in (64, 128, 512):
    right.plot(
        sinusoids(60, d) @ sinusoids(1, d)[0] / (d / 2),
        label=f"d = {d}: falls for {falls_for(d)}",
    )
right.set(xlabel="distance k (words)", ylabel="cosine of e₀ and eₖ")
right.legend(fontsize=9)
plt.show()

# %%
set_seed(1)
tea, milk = torch.randn(2, 64)
for name, place in {
    "nothing": 0,
    "the integer 500": 500,
    "row 500": torch.as_tensor(sinusoids(501, 64))[500].float(),
}.items():
    near = F.cosine_similarity(tea + place, milk + place, dim=0)
    print(f"tea and milk (two random vectors) plus {name}: cosine {near:.3f}")

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
    more, hop = (
        price[rows, asked[:, 0]] - price[rows, asked[:, 1]],
        price[rows, partner[rows, asked[:, 0]]],
    )
    y = more if task == "two lookups" else hop
    return (
        torch.tensor(X).float(),
        torch.tensor(price[..., None]).float(),
        torch.tensor(y).float(),
    )


# %% [markdown] statement="difference_heads"
# - `difference_heads(N)`, set by hand, for $N$ up to 100: `([(W_q, W_k), (W_q, W_k)], H)`, each $W$ of shape $[3N, N]$ and $H$ $[2, 1]$, so that the last
#   row of $[\text{head}_1; \text{head}_2]\,H$ is the answer to *two lookups*;
# - `share_one_head`: for five dishes, what share of this answer's variance can *one* head explain at best (times any number)?
# - `share_one_layer`: and of the answer to *two hops*, one layer with *one* head?

# %% [markdown] hints="difference_heads"
# 1. A weighted mean of $a$ and $b$ times a number: can one count with a plus and the other with a minus? "With a single attention
#    head, averaging inhibits this" (lecture 002).
# 2. One head, one layer: who the partner is stands in the asked dish only, so it can change that dish's weight, but not how the
#    other four share the rest. What is the best guess among four?
# 3. Heads: the query copies one of the asked names, the key copies the dish's name, times a large number, so that the softmax sees
#    one dish only. The rest is a matter of signs.


# %% task="difference_heads" points=4 level=3 minutes=30
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

# %% test="difference_heads" aspect="two predictions" points=1
for _share in (share_one_head, share_one_layer):
    assert is_number(_share), f"A share is a number; yours: {_share!r}."
    assert 0 <= _share <= 1, (
        f"A share of the variance lies between 0 and 1; yours: {_share}."
    )
### BEGIN HIDDEN TESTS
assert close(share_one_head, 0.5, 0, 0.02), (
    f"Not {share_one_head}: minimise (1 - u)² + (1 + v)², u and v of one sign."
)
assert close(share_one_layer, 0.25, 0, 0.02), (
    f"Not {share_one_layer}: one head can do no better than the mean of four prices, one of them asked for."
)
### END HIDDEN TESTS

# %% [markdown]
# Now trained, not set: $x \leftarrow x + \text{attention}(x)$ once or twice, and a linear map of the question's vector at the end.


# %%
class Reader(nn.Module):
    """A number for each question, from `layers` attention layers of `heads` heads and width d."""

    def __init__(self, layers, heads, d=32):
        super().__init__()
        self.d, parts = (
            d,
            [
                nn.MultiheadAttention(d, heads, bias=False, batch_first=True)
                for _ in range(layers)
            ],
        )
        self.layers, self.out = nn.ModuleList(parts), nn.Linear(d, 1)

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


def explained(task, layers, heads, steps):
    """A Reader trained on this task, and the share of the variance that it explains on new questions."""
    set_seed(1)
    model, schedule = Reader(layers, heads), warmup_cosine(20, 0.05)
    train(
        model,
        lambda i: questions(task, 5, 64, i),
        squared_error,
        steps=steps,
        rate=1e-2,
        schedule=schedule,
        device="cpu",
    )
    new = questions(task, 5, 5000, 10**6)
    with torch.no_grad():
        return model, 1 - (squared_error(model, new)[0] / new[2].var()).item()


# %%
steps = budget().choose(grading=350, laptop=1000, gpu=1000)
kinds = {
    "1 layer, 1 head": (1, 1),
    "1 layer, 2 heads": (1, 2),
    "2 layers, 1 head": (2, 1),
}
tasks = ("two lookups", "two hops")
readers = {
    (task, name): explained(task, *kind, steps)
    for task in tasks
    for name, kind in kinds.items()
}
shares = (
    pd.Series({key: 100 * share for key, (_, share) in readers.items()})
    .unstack()
    .loc[list(tasks)]
)

# %%
axes = shares.plot.bar(rot=0, color=plots.COLOURS[:3])
for place, share in enumerate((share_one_head, share_one_layer)):
    axes.plot(
        [place - 0.35, place - 0.08], [100 * share] * 2, color="black", linestyle="--"
    )
axes.set_ylabel("variance explained (%)")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# Dashed: your predictions for one layer, one head. A second head does what no average can; a second layer follows what the first has
# read. ($N + 1$ heads in one layer could, too; two layers can also look twice.) How the second layer does it:

# %%
dishes = np.array(["tea", "soup", "cake", "rice", "fish"])
X, price, _ = questions("two hops", 5, 1, seed=3)
reader = readers["two hops", "2 layers, 1 head"][0]
reader(X, price)
rows = [
    f"{dish} → {partner}"
    for dish, partner in zip(dishes, dishes[X[0, :5, 5:10].argmax(1)], strict=True)
]
rows.append(f"partner of {dishes[X[0, 5, 5:10].argmax()]}?")

# %%
_, both = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True)
for number, (axes, weights) in enumerate(zip(both, reader.maps, strict=True), start=1):
    axes.imshow(weights[0], cmap="cividis_r", vmin=0, vmax=1)
    axes.set(
        title=f"layer {number}",
        xlabel="looks at",
        xticks=range(6),
        yticks=range(6),
        yticklabels=rows,
    )
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
# - `"restricted"`: the same, but each word has only $r \le n$ keys and values;
# - `"recurrent"`: $W_x x_t + W_h h_{t-1}$, matrices $[d, d]$;
# - `"convolutional"`: $k$ matrices $[d, d]$ for each word.
#
# `exponent(sizes, values)`: the $p$ of values $\sim \text{size}^p$, by least squares on logarithms (arguments stay as they are). `crossover(d)`: at which $n$ do
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
for _d in (random.randint(2, 99), 300):
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
rnn, conv, sizes = (
    nn.RNN(64, 64),
    nn.Conv1d(64, 64, 3, padding=1),
    (256, 512, 1024, 2048),
)
rows = {
    "attention": attention,
    "recurrent": rnn,
    "convolutional": lambda X: conv(X.T),
    "restricted": restricted,
}
texts = [torch.randn(n, 64) for n in sizes]
with torch.no_grad():
    times = {
        name: [milliseconds(row, text, tries=6) for text in texts]
        for name, row in rows.items()
    }
memory = {
    name: [kept_for_backward(row, text) for text in texts] for name, row in rows.items()
}

# %%
_, panels = plt.subplots(1, 2, figsize=(9, 3.2))
for axes, costs, label in zip(
    panels,
    (times, memory),
    ("processor time (ms)", "kept for backward (MiB)"),
    strict=True,
):
    for name, values in costs.items():
        axes.loglog(
            sizes, values, "o-", label=f"{name}: n^{exponent(sizes, values):.1f}"
        )
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
    print(
        f"n = 1,024, d = {d}:",
        ", ".join(f"{kind} {count / 1e6:,.0f} M" for kind, count in counts.items()),
    )
print("d = 512: attention and recurrence cost the same at n =", crossover(512), "words")

# %% [markdown]
# Every word now hears every other at once, several times over, and knows where it stands. What is missing for a language
# model: depth that trains, and a lot of text. Chapter 8 builds it.
