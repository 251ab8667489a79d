# ---
# title: Attention, or words that look things up
# ---

# %% [markdown]
# Chapter 5 ended in a queue: 2,048 words, each waiting for the one before. What the first has to tell the last passes through
# every state between them.
#
# Why wait? A word could *look up* what it needs, wherever it stands. That is **attention**: first by hand, then as three
# matrix products.

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
from lmkit.training import set_seed, shuffled, train, warmup_cosine

plots.use_style()
torch.set_num_threads(1)  # our networks are small: a second thread costs more than it brings

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
# - `lookup_loop(q, keys, values, e=math.e)`: $z$ as a list, from lists; any number may stand for $e$;
# - `lookup(q, K, V)`: $z$ without a loop, from arrays $K$ $[n, d_k]$ and $V$ $[n, d_v]$. Scores may be in the thousands.

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
    return [sum(p[i] * values[i][j] for i in range(len(p))) for j in range(len(values[0]))]
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
assert np.shape(_got) == (2,), f"by_hand returns two numbers, a mix of [1, 0] and [0, 1]; yours: {_got!r}."
assert math.isclose(sum(_got), 1, abs_tol=0.01), f"A mix of [1, 0] and [0, 1] sums to 1; yours: {sum(_got)}."
### BEGIN HIDDEN TESTS
assert np.allclose(_got, [0.5, 0.5], atol=0.006), f"Not {_got!r}: with e = 3 the weights are as 1 to 1 to 3 to 1."
### END HIDDEN TESTS

# %% test="soft_lookup" aspect="a loop, any e" points=1
_seen = [[1, 0], [1, 0], [0, 1], [1, 0]]
_got = lookup_loop([0, 1], _seen, [[6], [6], [12], [0]], e=3)
assert np.shape(_got) == (1,), f"Values of one number: z has one; yours: {_got!r}."
assert math.isclose(_got[0], 8), f"Weights 1/6, 1/6, 1/2, 1/6 of the values 6, 6, 12, 0: 8; yours: {_got[0]}."
### BEGIN HIDDEN TESTS
for _e in (2, 3, math.e):
    _rng = np.random.default_rng()
    _q, _K, _V = _rng.normal(size=3), _rng.normal(size=(5, 3)), _rng.normal(size=(5, 2))
    _p = np.array([_e ** float(_k @ _q) for _k in _K])
    _extra = {} if _e == math.e else {"e": _e}
    _got = lookup_loop(_q.tolist(), _K.tolist(), _V.tolist(), **_extra)
    assert np.shape(_got) == (2,), f"Five values of two numbers: z has two; yours: {_got!r}."
    assert np.allclose(_got, _p @ _V / _p.sum(), atol=1e-9), f"Random lists, e = {_e:.2f}: {_got} is wrong."
### END HIDDEN TESTS

# %% test="soft_lookup" aspect="arrays, without a loop" points=1
_seen = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])
_got = lookup(np.array([0.0, 1.0]), _seen, np.array([[6, 1, 0], [6, 1, 0], [12, 0, 0], [0, 1, 0]]))
assert np.shape(_got) == (3,), f"Values of three numbers: z has three; yours: {_got!r}."
_wanted = np.array([12 + 12 * math.e, 3, 0]) / (3 + math.e)
assert np.allclose(_got, _wanted), f"Wanted {_wanted.round(4)}; yours: {_got}."
### BEGIN HIDDEN TESTS
for _n, _d_k, _d_v in ((6, 2, 4), (3, 5, 2), (4, 4, 4)):
    _rng = np.random.default_rng()
    _q, _K, _V = _rng.normal(size=_d_k), _rng.normal(size=(_n, _d_k)), _rng.normal(size=(_n, _d_v))
    _p = [math.exp(sum(a * b for a, b in zip(_q, _k, strict=True))) for _k in _K]
    _wanted = [sum(_p[i] * _V[i, j] for i in range(_n)) / sum(_p) for j in range(_d_v)]
    _got = lookup(_q.copy(), _K.copy(), _V.copy())
    assert np.shape(_got) == (_d_v,), f"d_v = {_d_v}: z has {_d_v} numbers; yours has the shape {np.shape(_got)}."
    assert np.allclose(_got, _wanted, atol=1e-9), f"n = {_n}, d_k = {_d_k}, d_v = {_d_v}: z is wrong."
### END HIDDEN TESTS

# %% test="soft_lookup" aspect="large scores do not overflow" points=1
with np.errstate(all="ignore"):
    for _large in (3000.0, -3000.0):
        _got = lookup(np.array([_large, 0.0]), np.array([[1.0, 2], [1, 3], [2, 4], [2, 5]]), np.diag([1.0, 2, 3, 4]))
        _wanted = [0, 0, 1.5, 2] if _large > 0 else [0.5, 1, 0, 0]
        assert np.shape(_got) == (4,), f"z should have 4 numbers; yours: {_got!r}."
        assert np.allclose(_got, _wanted), f"Scores {_large}, twice, and {2 * _large}, twice: {_wanted}; yours: {_got}."

# %% scratch=true
lookup(np.array([1, 1]), np.array([[1, 0], [0, 2]]), np.array([[10], [20]]))  # a dictionary of your own

# %%
E = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])  # 0 0 1 0
one = np.array([0, 1])
print("e = 3, by hand and by loop:", by_hand(), np.round(lookup_loop(one, E, E, e=3), 4))
print("true e, by loop and array: ", np.round(lookup_loop(one, E, E), 4), lookup(one, E, E).round(4))
print("keys times 10:             ", lookup(one, 10 * E, E).round(6))
print("query 0, and the mean:     ", lookup(0 * one, E, E), E.mean(axis=0))

# %% [markdown]
# $z$ is a **weighted mean**: it never leaves the region that the values span. With all scores equal it is the plain mean, the
# bag of words. Keys ten times as long ($10\,I$ is meant where 001 prints the identity) make it nearly a dict again. Lecture 001
# asks: and in a very long text?

# %% [markdown] statement="needle"
# ## 2. Predict, then measure: one needle, much hay
#
# Of $n$ keys one has the score $s \ge 0$, all others 0.
#
# - `guess`, first: with $s = 10$ and $n = 100{,}000$, which weight (0 to 1) has the one?
# - `weight_on_one(n, s)`: its weight; $s$ may be 1,000;
# - `score_needed(n, share)`: the $s$ with which its weight is `share` (between 0 and 1);
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
for _n, _s, _wanted in ((4, 1, 0.475367), (10, 1, 0.231969), (1000, 10, 0.956614), (7, 0, 1 / 7), (5, 1000, 1)):
    _got = weight_on_one(_n, _s)
    assert isinstance(_got, int | float | np.number), f"weight_on_one returns a number; yours: {_got!r}."
    assert math.isclose(_got, _wanted, abs_tol=1e-6), f"n = {_n}, s = {_s}: {_wanted:.6f}; yours: {_got:.6f}."
### BEGIN HIDDEN TESTS
for _ in range(5):
    _n, _s = random.randint(2, 500), random.uniform(0.5, 6)
    _p = np.exp([_s] + [0] * (_n - 1))
    _got = weight_on_one(_n, _s)
    assert math.isclose(_got, _p[0] / _p.sum(), rel_tol=1e-6), f"n = {_n}, s = {_s:.2f}: {_got} is wrong."
### END HIDDEN TESTS

# %% test="needle" aspect="the score a share needs" points=1
_got = score_needed(101, 0.5)
assert isinstance(_got, int | float | np.number), f"score_needed returns a number; yours: {_got!r}."
assert math.isclose(_got, math.log(100)), f"As heavy as 100 others: s = ln 100 = 4.605; yours: {_got:.4f}."
### BEGIN HIDDEN TESTS
for _n, _share in ((random.randint(20, 5000), random.uniform(0.6, 0.99)), (random.randint(50, 90), 0.3)):
    _got = math.exp(score_needed(_n, _share))
    assert math.isclose(_got / (_got + _n - 1), _share, rel_tol=1e-6), (
        f"n = {_n}, share {_share:.3f}: with your s the one has {_got / (_got + _n - 1):.4f}."
    )
### END HIDDEN TESTS

# %% test="needle" aspect="guess and measurement" points=1
for _name, _value in (("guess", guess), ("measured", measured)):
    assert isinstance(_value, int | float | np.number), f"{_name} should be a number, not {_value!r}."
    assert 0 <= _value <= 1, f"A weight lies between 0 and 1; your {_name}: {_value}."
### BEGIN HIDDEN TESTS
assert math.isclose(measured, 0.180514, abs_tol=0.001), f"measured is not {measured}: n = 100,000, s = 10."
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
left.plot(1e5, measured, "ko", label="left: measured")
left.plot(1e5, guess, "kx", label="left: your guess")
left.set(xlabel="length of the text (words, log)", ylabel="weight for score 1, 3, 10")
right.semilogx(lengths, needed)
right.set(xlabel="length of the text (words, log)", ylabel="score for weight ½")
right.legend(*left.get_legend_handles_labels(), loc="lower right")
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
    {"score": [4, 6, 6.1, 4, 6, 1, -3, -4, -3], "printed": [0.05, 0.36, 0.40, 0.06, 0.13, 0.0, 0.0, 0.0, 0.0]},
    index=["a", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"],
)
fox.T

# %% [markdown] statement="explain_print"
# Something is off. Find what, and which score would explain it:
#
# - `contradictions(scores, printed)`: all pairs $(i, j)$, $i < j$, of *equal* scores with *unequal* printed weights;
# - `best_repair(scores, printed, candidates)`: change *one* score, to one of the candidates, so that the softmax comes as close to
#   the print as possible. Return `(i, new score)`;
# - `repaired`: the lecture's word and the whole number, from -9 to 9, that explain its print: `("word", number)`.

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
    return [(i, j) for i, j in pairs if scores[i] == scores[j] and printed[i] != printed[j]]
    ### END SOLUTION


def best_repair(scores, printed, candidates):
    """(i, s): with scores[i] replaced by s, one of the candidates, the softmax is closest to `printed`."""

    ### BEGIN SOLUTION
    def distance(repair):
        weights = np.exp([repair[1] if i == repair[0] else s for i, s in enumerate(scores)])
        return np.abs(weights / weights.sum() - printed).max()

    return min([(i, s) for i in range(len(scores)) for s in candidates], key=distance)
    ### END SOLUTION


# repaired = (a word of the sentence, the whole number that its score should be)
### BEGIN SOLUTION
place, number = best_repair(fox["score"].to_numpy(), fox["printed"].to_numpy(), range(-9, 10))
repaired = (fox.index[place], number)
### END SOLUTION

# %% test="explain_print" aspect="equal scores, unequal print" points=1
_got = contradictions([2, 5, 2, 5, 7], [0.1, 0.3, 0.1, 0.2, 0.3])
assert hasattr(_got, "__iter__"), f"contradictions returns a list of pairs; yours: {_got!r}."
assert [tuple(_pair) for _pair in _got] == [(1, 3)], (
    f"Only the two 5 are printed differently: [(1, 3)]; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_got = {tuple(_pair) for _pair in contradictions([4, 6, 6, 4, 6, 4], [0.05, 0.35, 0.1, 0.1, 0.35, 0.05])}
assert _got == {(0, 3), (1, 2), (2, 4), (3, 5)}, "Scores 4, 6, 6, 4, 6, 4: some pairs are missing or too many."
### END HIDDEN TESTS

# %% test="explain_print" aspect="one score, best of all" points=1
_got = best_repair([0.0, 1.0, 2.0], [0.09, 0.67, 0.24], [0, 1.0, 3.0])
assert np.shape(_got) == (2,), f"best_repair returns a pair (i, new score); yours: {_got!r}."
assert tuple(_got) == (1, 3), f"Softmax of 0, 3, 2 is .04, .70, .26: the pair is (1, 3); yours: {_got!r}."
### BEGIN HIDDEN TESTS
for _ in range(6):
    _scores, _candidates = np.random.default_rng().normal(size=7), [-1.75, 0.25, 1.25, 2.25, 3.75]
    _i, _s = random.randrange(7), random.choice(_candidates)
    _true = np.exp(np.where(np.arange(7) == _i, _s, _scores))
    _got = best_repair(_scores.tolist(), (_true / _true.sum()).tolist(), list(_candidates))
    assert tuple(_got) == (_i, _s), f"Score {_i} was changed to {_s}, and printed without rounding; you find {_got}."
### END HIDDEN TESTS

# %% test="explain_print" aspect="the lecture's print explained" points=2
assert np.shape(repaired) == (2,), f"repaired is a pair (word, number); yours: {repaired!r}."
assert repaired[0] in fox.index, f"The first of `repaired` is one of the nine words; yours: {repaired[0]!r}."
assert isinstance(repaired[1], int | float | np.number), (
    f"The second of `repaired` is a number; yours: {repaired[1]!r}."
)
### BEGIN HIDDEN TESTS
assert repaired[0] == "jumps", f"Not {repaired[0]}: whose printed weight is far from its score's?"
assert repaired[1] == 5, f"The word is right, its score is not {repaired[1]}."
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
axes = fox[["printed", "true", "repaired"]].plot.bar(rot=0, color=plots.COLOURS[:3], width=0.75)
axes.set_ylabel("weight on the word")
plt.show()

# %% [markdown]
# With 5 for *jumps* all is explained but *fox*: .05 became .06, probably so that the row sums to 1. And no weight is ever 0: the four
# that are printed so hold .002 together.
#
# How peaked is a softmax? Multiply all scores by one number:

# %%
scales = [0, 0.2, 0.5, 1, 10, 100]
rows = np.array([softmax(scale * fox["score"].to_numpy()) for scale in scales])
entropy = [-(p[p > 0] * np.log2(p[p > 0])).sum() + 0 for p in rows]

_, (left, right) = plt.subplots(1, 2, width_ratios=[5, 4])
image = left.imshow(rows, cmap="cividis_r", aspect="auto", vmin=0, vmax=1)
left.set_xticks(range(9), fox.index, rotation=60)
left.set_yticks(range(6), [f"× {scale}: {bits:.1f} bits" for scale, bits in zip(scales, entropy, strict=True)])
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
# - `self_attention(x, W_q, W_k, W_v)`: `(Z, P)`, no loop;
# - `shapes(n, d, d_k, d_v)`: a dict with the shapes (tuples) of "Q", "K", "V", "S", "P", "Z";
# - `learned(n, d, d_k, d_v)`: how many numbers such a layer learns.

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
    return {"Q": (n, d_k), "K": (n, d_k), "V": (n, d_v), "S": (n, n), "P": (n, n), "Z": (n, d_v)}
    ### END SOLUTION


def learned(n, d, d_k, d_v):
    """How many numbers the three maps hold, for texts of n words."""
    ### BEGIN SOLUTION
    return d * (2 * d_k + d_v)
    ### END SOLUTION


# %% test="self_attention" aspect="one word, by loop" points=1
_x, _W = torch.tensor([[1.0, 0, 1], [0, 2, 0]]), torch.tensor([[1.0, 0], [0, 1], [0, 0]])  # Thinking, Machines
_got = attend_one(_x, _W, _W, torch.tensor([[3.0], [1], [0]]), 1)
assert np.shape(_got) == (1,), f"d_v = 1: z has one number; yours: {_got!r}."
_wanted = (3 + 2 * math.exp(4)) / (1 + math.exp(4))
assert math.isclose(float(_got[0]), _wanted, rel_tol=1e-5), (
    f"Scores 0 and 4, values 3 and 2: {_wanted:.4f}; yours: {float(_got[0]):.4f}."
)
### BEGIN HIDDEN TESTS
_x, _W_q, _W_k, _W_v = (torch.randn(*_shape).double() for _shape in ((5, 3), (3, 2), (3, 2), (3, 4)))
for _j in range(5):
    _p = [math.exp((_x[_j] @ _W_q @ (_x[i] @ _W_k)).item()) for i in range(5)]
    _wanted = sum(_p[i] / sum(_p) * (_x[i] @ _W_v) for i in range(5))
    _got = attend_one(_x.clone(), _W_q.clone(), _W_k.clone(), _W_v.clone(), _j)
    assert np.shape(_got) == (4,), f"d_v = 4: z has four numbers; yours has the shape {np.shape(_got)}."
    assert np.allclose(_got, _wanted), f"Random numbers, word {_j} of 5: z is wrong."
### END HIDDEN TESTS

# %% test="self_attention" aspect="all words at once" points=1
_x, _W_q, _W_k, _W_v = (torch.randn(*_shape).double() for _shape in ((6, 3), (3, 2), (3, 2), (3, 4)))
_got = self_attention(_x.clone(), _W_q.clone(), _W_k.clone(), _W_v.clone())
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return the pair (Z, P); yours: {_got!r}."
_Z, _P = _got
assert np.shape(_P) == (6, 6) and np.shape(_Z) == (6, 4), f"P (6, 6), Z (6, 4); yours: {np.shape(_P)}, {np.shape(_Z)}."
assert np.allclose(np.sum(np.asarray(_P), axis=1), 1), "Each row of P, one asker's weights, should sum to 1."
### BEGIN HIDDEN TESTS
for _i in range(6):
    _p = np.exp([(_x[_i] @ _W_q @ (_x[j] @ _W_k)).item() for j in range(6)])
    assert np.allclose(_P[_i], _p / _p.sum()), f"Row {_i} of P is wrong: who asks, who answers? No scale is asked for."
    assert np.allclose(_Z[_i], _p / _p.sum() @ np.asarray(_x @ _W_v)), f"P is right, but row {_i} of Z is not."
### END HIDDEN TESTS

# %% test="self_attention" aspect="lecture 001: look for ones" points=1
_E = torch.tensor([[1.0, 0], [1, 0], [0, 1], [1, 0]])
_got = self_attention(_E, torch.tensor([[0.0, 1], [0, 1]]), 10 * torch.eye(2), torch.eye(2))
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return the pair (Z, P); yours: {_got!r}."
for _row in range(4):
    assert np.allclose(_got[1][_row], [4.54e-5, 4.54e-5, 0.99986, 4.54e-5], atol=1e-5), (
        f"Each row of S is 0, 0, 10, 0, so the third word gets .99986; your row {_row}: {_got[1][_row]}."
    )
    assert np.allclose(_got[0][_row], [1.36e-4, 0.99986], atol=1e-5), (
        f"Each row of Z is [1.4e-4, .99986]; yours: {_got[0][_row]}."
    )

# %% test="self_attention" aspect="a shape for each step" points=1
_got = shapes(9, 5, 4, 3)
assert hasattr(_got, "keys") and {*"QKVSPZ"} <= {*_got}, (
    f"Return a dict with the keys Q, K, V, S, P, Z; yours: {_got!r}."
)
_x, _W_q, _W_v = np.zeros((9, 5)), np.zeros((5, 4)), np.zeros((5, 3))
assert tuple(_got["Q"]) == (_x @ _W_q).shape, f"x [9, 5] times W_q [5, 4] has 9 rows, 4 columns; yours: {_got['Q']!r}."
assert learned(9, 5, 4, 3) == learned(99, 5, 4, 3), "A longer text needs no further maps: learned must not grow with n."
### BEGIN HIDDEN TESTS
_n, _d_k, _d_v = random.sample(range(2, 60), 3)
_d = random.randint(60, 90)
_got = shapes(_n, _d, _d_k, _d_v)
_wanted = {"Q": (_n, _d_k), "K": (_n, _d_k), "V": (_n, _d_v), "S": (_n, _n), "P": (_n, _n), "Z": (_n, _d_v)}
for _name, _shape in _wanted.items():
    assert tuple(_got[_name]) == _shape, f"n, d, d_k, d_v = {_n, _d, _d_k, _d_v}: {_name} is not {_got[_name]}."
_got = learned(_n, _d, _d_k, _d_v)
assert _got == _d * _d_k + _d * _d_k + _d * _d_v, f"d, d_k, d_v = {_d, _d_k, _d_v}: three maps do not hold {_got}."
### END HIDDEN TESTS

# %% scratch=true
shapes(n=9, d=512, d_k=64, d_v=64), learned(9, 512, 64, 64)  # sizes of your own


# %%
def milliseconds(function, *inputs):
    """Time of function(*inputs), the best of three."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        function(*inputs)
        times.append(1000 * (time.perf_counter() - begin))
    return min(times)


# %%
set_seed(1)
W_q, W_k, W_v = torch.randn(3, 32, 32) / 32**0.5
texts = [torch.randn(n, 32) for n in (8, 16, 32, 64, 128, 256)]
one_word = [milliseconds(attend_one, x, W_q, W_k, W_v, 0) for x in texts]
all_words = [milliseconds(self_attention, x, W_q, W_k, W_v) for x in texts]

# %%
_, axes = plt.subplots()
axes.loglog([len(x) for x in texts], np.multiply(one_word, [len(x) for x in texts]), "o-", label="loops, n words")
axes.loglog([len(x) for x in texts], all_words, "o-", label="matrices")
axes.set(xlabel="words in the text, n (log)", ylabel="time (ms, log)")
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
# `printed_shape`, {letter: shape or None}, for $n = 9$, $d = 5$ and width $h = 4$; softmax keeps a shape:
#
# | | printed | with |
# |---|---|---|
# | A | $p\, x^T$ (000) | $p\,[n]$, $x\,[n, d]$ |
# | B | $p\, v$ (000) | $p\,[1, n]$, $v\,[n, d]$ |
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
printed_shape = {"A": None, "B": (1, 5), "C": None, "D": None, "E": None, "F": None, "G": (5, 9)}
### END SOLUTION

# %% test="shape_hunt" aspect="two or more matrices" points=1
for _shapes in (((2, 3), (3, 4)), ((2, 3), (3, 3), (3, 7)), ((2, 3), (4, 3)), ((2, 3), (3, 2), (3, 2)), ((6, 2),)):
    try:
        _wanted = np.linalg.multi_dot([np.zeros(_s) for _s in _shapes]).shape if len(_shapes) > 1 else _shapes[0]
    except ValueError:
        _wanted = None
    _got = product_shape(*_shapes)
    assert (_got if _got is None else tuple(_got)) == _wanted, f"{_shapes}: {_wanted} wanted; yours: {_got!r}."

# %% test="shape_hunt" aspect="a vector comes first" points=1
_got = product_shape((3,), (3, 5))
assert _got is not None and tuple(_got) == (5,), f"A vector of 3 times [3, 5] is a vector of 5; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_a, _b, _c = random.sample(range(2, 30), 3)
_got = product_shape((_a,), (_a, _b), (_b, _c))
assert _got is not None and tuple(_got) == (_c,), f"{(_a,), (_a, _b), (_b, _c)} fit; you give {_got!r}."
assert product_shape((_a,), (_a, _b), (_c, _b)) is None, f"{(_a,), (_a, _b), (_c, _b)} do not fit."
### END HIDDEN TESTS

# %% test="shape_hunt" aspect="what the lectures print" points=1
assert hasattr(printed_shape, "keys"), f"printed_shape is a dict; yours: {printed_shape!r}."
assert {*printed_shape} >= {*"ABCDEFG"}, f"printed_shape needs the letters A to G; yours: {[*printed_shape]}."
### BEGIN HIDDEN TESTS
for _letter, _wanted in {**dict.fromkeys("ACDEF"), "B": (1, 5), "G": (5, 9)}.items():
    _got = printed_shape[_letter]
    assert (_got if _got is None else tuple(_got)) == _wanted, f"{_letter} does not come out as {_got!r}."
### END HIDDEN TESTS

# %% scratch=true
product_shape((9, 4), (4, 9), (9, 4))  # try the repairs

# %% [markdown]
# Only B and G run, and the comment beside B promises $[n, d]$, for one word. Right are $p\,x$, and $PV$ in C; in D $QK^T$; in F a
# *second* transpose, $V^T$. No reading saves 003's line. A shape that fails is kind. This is not:

# %%
set_seed(1)
p, square = torch.softmax(torch.randn(9), 0), torch.randn(9, 9)  # nine words of width nine
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
_W, _Q, _K, _V = (torch.randn(*_shape).double() for _shape in ((3, 5), (2, 3), (2, 3), (4, 3)))
_got = attention_columns(_W.clone(), _Q.clone(), _K.clone(), _V.clone())
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return the pair (H, A); yours: {_got!r}."
assert np.shape(_got[0]) == (4, 5), f"d_v = 4, T = 5: H has the shape (4, 5); yours: {np.shape(_got[0])}."
assert np.shape(_got[1]) == (5, 5), f"T = 5: A has the shape (5, 5); yours: {np.shape(_got[1])}."
assert np.allclose(np.sum(np.asarray(_got[1]), axis=0), 1), "Each column of A, what one word takes, should sum to 1."

# %% test="columns" aspect="who takes from whom" points=1
_words, _seek = torch.tensor([[1.0, 0, 0], [0, 1, 1]]), torch.tensor([[0.0, 5], [0, 0]])  # 0 1 1: only 1s ask
_H, _A = attention_columns(_words, _seek, torch.eye(2), torch.eye(2))
assert np.shape(_H) == (2, 3) and np.shape(_A) == (3, 3), f"H (2, 3), A (3, 3); yours: {np.shape(_H)}, {np.shape(_A)}."
assert np.allclose(_A[:, 0], 1 / 3), f"The first word asks for nothing: it takes 1/3 of each; yours: {_A[:, 0]}."
assert np.allclose(_A[0, 1], math.exp(5) / (math.exp(5) + 2)), (
    f"The second word seeks a 0 with score 5: it takes .9867 from the first; yours: {_A[0, 1]}."
)
### BEGIN HIDDEN TESTS
_W, _Q, _K, _V = (torch.randn(*_shape).double() for _shape in ((3, 5), (2, 3), (2, 3), (4, 3)))
_H, _A = attention_columns(_W.clone(), _Q.clone(), _K.clone(), _V.clone())
for _t in range(5):
    _p = np.exp([((_K @ _W[:, i]) @ (_Q @ _W[:, _t])).item() for i in range(5)])
    _wanted = sum(_p[i] / _p.sum() * (_V @ _W[:, i]) for i in range(5))
    assert np.allclose(_A[:, _t], _p / _p.sum()), f"Random numbers: column {_t} of A is wrong."
    assert np.allclose(_H[:, _t], _wanted), f"A is right, but column {_t} of H is not."
### END HIDDEN TESTS

# %% test="columns" aspect="rows do the same" points=1
_W, _Q, _K, _V = (torch.randn(*_shape).double() for _shape in ((3, 5), (2, 3), (2, 3), (4, 3)))
_got = row_maps(_Q.clone(), _K.clone(), _V.clone())
assert isinstance(_got, tuple | list) and len(_got) == 3, f"Return three maps (W_q, W_k, W_v); yours: {_got!r}."
_shapes = [tuple(np.shape(_map)) for _map in _got]
assert _shapes == [(3, 2), (3, 2), (3, 4)], f"d = 3, d_k = 2, d_v = 4: (3, 2), (3, 2), (3, 4); yours: {_shapes}."
_x, _A = _W.T, torch.softmax(_W.T @ _K.T @ _Q @ _W, dim=0)
_Z = torch.softmax((_x @ _got[0]) @ (_x @ _got[1]).T, dim=1) @ (_x @ _got[2])
assert torch.allclose(_Z.T, _V @ _W @ _A), "With your maps, rows give other numbers than columns."

# %% test="columns" aspect="one matrix, two meanings" points=1
assert hasattr(queries, "keys"), f"queries is a dict; yours: {queries!r}."
for _way in ("rows", "columns"):
    assert np.shape(queries.get(_way)) == (2, 2), f"queries[{_way!r}]: two lists of two numbers; yours: {queries!r}."
### BEGIN HIDDEN TESTS
for _way, _wanted in (("rows", [[0, 1], [0, 1]]), ("columns", [[0, 0], [1, 1]])):
    assert np.allclose(queries[_way], _wanted), f"In {_way} the queries of 0 and 1 are not {queries[_way]!r}."
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
for _d_k in (16, 64):
    _got = measure_variance(_d_k, 20_000, 1)
    assert isinstance(_got, int | float | np.number), f"measure_variance returns a number; yours: {_got!r}."
    assert 0.9 < _got / _d_k < 1.1, f"d_k = {_d_k}: the variance is near {_d_k}; yours: {_got:.3f}."
    assert _got == measure_variance(_d_k, 20_000, 1), "The same seed should draw the same pairs."
assert measure_variance(16, 500, 1) != measure_variance(16, 500, 2), "Another seed should draw other pairs."
assert measure_variance(16, 9, 5) != measure_variance(16, 400, 5), "Draw as many pairs as asked for."

# %% test="scale" aspect="back through the softmax" points=1
_got = softmax_gradient(np.array([0.5, 0.25, 0.25]), np.array([1.0, 0, 0]))
assert np.shape(_got) == (3,), f"Three scores, three slopes; yours: {_got!r}."
assert np.allclose(_got, [0.25, -0.125, -0.125]), f"p = .5, .25, .25, g = 1, 0, 0: .25, -.125, -.125; yours: {_got}."
### BEGIN HIDDEN TESTS
for _n in (2, 5, 9):
    _s, _g = torch.randn(_n).double().requires_grad_(True), torch.randn(_n).double()
    _p = torch.softmax(_s, 0)
    (_p @ _g).backward()
    _got = softmax_gradient(_p.detach().numpy(), _g.numpy())
    assert np.allclose(_got, _s.grad), f"n = {_n}, random: not autograd's gradient."
### END HIDDEN TESTS

# %% test="scale" aspect="scaled by the keys' width" points=1
_E = torch.tensor([[1.0, 0], [1, 0], [0, 1], [1, 0]])
_got = scaled_attention(torch.tensor([[0.0, 1]]), 10 * _E, torch.eye(4))
assert np.shape(_got) == (1, 4), f"One query, values of width 4: shape (1, 4); yours: {np.shape(_got)}."
assert math.isclose(_got[0][2], 0.99746, abs_tol=1e-5), (
    f"Score 10 / √2 against three 0: weight .99746; yours: {float(_got[0][2]):.5f}."
)
### BEGIN HIDDEN TESTS
_m, _n, _d_k, _d_v = random.sample(range(2, 9), 4)
_Q, _K, _V = torch.randn(_m, _d_k).double(), torch.randn(_n, _d_k).double(), torch.randn(_n, _d_v).double()
_got = scaled_attention(_Q.clone(), _K.clone(), _V.clone())
assert np.allclose(_got, F.scaled_dot_product_attention(_Q[None], _K[None], _V[None])[0]), (
    f"{_m} queries, {_n} keys of width {_d_k}, values of width {_d_v}: not what torch computes."
)
### END HIDDEN TESTS

# %% test="scale" aspect="texts keep apart" points=1
_Q, _K, _V = (torch.randn(*_shape).double() for _shape in ((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2)))
_got = scaled_attention(_Q.clone(), _K.clone(), _V.clone())
assert np.shape(_got) == (2, 3, 4, 2), f"Leading axes [2, 3]: shape (2, 3, 4, 2) wanted; yours: {np.shape(_got)}."
for _a in range(2):
    for _b in range(3):
        _alone = F.scaled_dot_product_attention(_Q[_a, _b][None], _K[_a, _b][None], _V[_a, _b][None])[0]
        assert np.allclose(_got[_a, _b], _alone), f"Text {_a, _b} gets another answer beside others than alone."

# %% scratch=true
softmax_gradient(np.array([0.98, 0.01, 0.01]), np.array([0, 1, 0]))  # a p of your own

# %%
widths, peaks, slopes = [1, 4, 16, 64, 256, 1024], {"plain": [], "divided by √$d_k$": []}, {}
for d_k in widths:
    q, k = np.random.default_rng(d_k).normal(size=(2, 200, d_k))
    for name, scale in zip(peaks, (1, d_k**0.5), strict=True):
        p = np.array([softmax(s / scale) for s in q @ k[:64].T])  # 200 queries, 64 keys
        peaks[name].append(p.max(axis=1).mean())
        slopes.setdefault(name, []).append((p * (1 - p)).mean())  # the slope of a weight against its own score

_, (left, right) = plt.subplots(1, 2)
left.loglog(widths, [measure_variance(d_k, 2000, 1) for d_k in widths], "o-", label="plain")
left.loglog(widths, [measure_variance(d_k, 2000, 1) / d_k for d_k in widths], "o-", label="divided by √$d_k$")
left.set(xlabel="$d_k$ (log)", ylabel="variance of a score (log)")
for name in slopes:
    right.loglog(widths, slopes[name], "o-", label=name)
right.set(xlabel="$d_k$ (log)", ylabel="slope $p(1-p)$, mean (log)")
left.legend()
plt.show()
pd.DataFrame(peaks, index=widths).T.round(1).rename_axis("mean largest weight; d_k =")

# %% [markdown]
# Left: $d_k$ products of variance 1 add up. Right: unscaled, width alone makes the softmax nearly hard, and its slope dies as argmax's did: little is left to learn from. Divided, nothing depends on
# $d_k$. It is the *keys'* width that counts: eight heads of 64 (next part) divide by 8, not by $\sqrt{512} = 22.6$; lecture 000's "hidden size" is loose.

# %% [markdown] statement="score_forms"
# ## 8. Other ways to score
#
# **Bilinear**: $s = x W y^T$. (001 prints this as "scaled" dot product; nothing is scaled.) **Additive** (D. Bahdanau): a small network,
# $s = \tanh(q W_q + k W_k) \cdot v$.
#
# - `bilinear_scores(X, W, Y)`, $[m, n]$: all pairs of rows of $X$ $[m, d]$ and $Y$ $[n, d']$, $W$ $[d, d']$;
# - `additive_scores(Q, K, W_q, W_k, v)`, $[m, n]$: $Q$ $[m, d_q]$, $K$ $[n, d_k]$, $W_q$ $[d_q, a]$, $W_k$ $[d_k, a]$, $v$ $[a]$;
# - `factors(W, d_k)`: `(W_q, W_k)`, each $[d, d_k]$, with $W_q W_k^T$ as close to $W$ $[d, d]$ as can be (squared error).

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
_X, _W, _Y = (torch.randn(*_shape).double() for _shape in ((3, 2), (2, 4), (5, 4)))
_got = bilinear_scores(_X.clone(), _W.clone(), _Y.clone())
assert np.shape(_got) == (3, 5), f"3 rows of X, 5 of Y: shape (3, 5); yours: {np.shape(_got)}."
for _i, _j in ((0, 0), (2, 1), (1, 4)):
    _wanted = sum(_X[_i, a] * _W[a, b] * _Y[_j, b] for a in range(2) for b in range(4)).item()
    assert math.isclose(_got[_i, _j], _wanted, abs_tol=1e-9), (
        f"Pair {_i, _j}: {_wanted:.4f}; yours: {_got[_i, _j]:.4f}."
    )

# %% test="score_forms" aspect="additive, all pairs" points=1
_shapes = ((3, 2), (5, 4), (2, 6), (4, 6), (6,))
_Q, _K, _W_q, _W_k, _v = (torch.randn(*_shape).double() for _shape in _shapes)
_got = additive_scores(_Q.clone(), _K.clone(), _W_q.clone(), _W_k.clone(), _v.clone())
assert np.shape(_got) == (3, 5), f"3 queries, 5 keys: shape (3, 5); yours: {np.shape(_got)}."
for _i, _j in ((0, 0), (2, 1), (1, 4)):
    _inner = torch.cat([_Q[_i], _K[_j]]) @ torch.cat([_W_q, _W_k])  # lecture 000's way: [q; k] through one network
    _wanted = sum(_v[a].item() * math.tanh(_inner[a].item()) for a in range(6))
    assert math.isclose(_got[_i, _j], _wanted, abs_tol=1e-9), (
        f"Pair {_i, _j}: {_wanted:.4f}; yours: {_got[_i, _j]:.4f}."
    )

# %% test="score_forms" aspect="two maps, one matrix" points=1
_W = torch.randn(5, 2).double() @ torch.randn(2, 5).double()
_got = factors(_W.clone(), 2)
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return the pair (W_q, W_k); yours: {_got!r}."
_shapes = [tuple(np.shape(_map)) for _map in _got]
assert _shapes == [(5, 2), (5, 2)], f"d = 5, d_k = 2: (5, 2) twice; yours: {_shapes}."
assert torch.allclose(_got[0] @ _got[1].T, _W), "W has rank 2, so d_k = 2 is enough for W_q W_k^T = W; yours differs."

# %% test="score_forms" aspect="the best that fits" points=1
_W = torch.diag(torch.tensor([3.0, 1.0, 4.0, 2.0])).double()
_W_q, _W_k = factors(_W.clone(), 2)
assert np.shape(_W_q) == np.shape(_W_k) == (4, 2), f"Wanted (4, 2) twice; yours: {np.shape(_W_q)}, {np.shape(_W_k)}."
assert torch.allclose(_W_q @ _W_k.T, torch.diag(torch.tensor([3.0, 0, 4, 0])).double(), atol=1e-6), (
    "Of the parts 3, 1, 4, 2 of a diagonal matrix, d_k = 2 should keep the parts 3 and 4."
)
### BEGIN HIDDEN TESTS
_W = torch.randn(6, 6).double()
for _d_k in (1, 3, 5):
    _W_q, _W_k = factors(_W.clone(), _d_k)
    _error, _best = (_W - _W_q @ _W_k.T).square().sum(), torch.linalg.svdvals(_W)[_d_k:].square().sum()
    assert torch.isclose(_error, _best), f"Random W, d = 6, d_k = {_d_k}: error {_error:.4f}, possible is {_best:.4f}."
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
axes.set(xlabel="width of queries and keys, $d_k$", ylabel="what is missing of $W$ (share)")
axes.legend()
plt.show()

# %%
W_q, W_k = factors(tables["random"], 8)
R = torch.randn(8, 8)  # any matrix that can be inverted
x = torch.randn(5, d)
same = torch.allclose(
    (x @ W_q) @ (x @ W_k).T, (x @ W_q @ R) @ (x @ W_k @ torch.linalg.inv(R).T).T, rtol=1e-3, atol=0.05
)
print("other maps, the same scores:", same, f" {d * d:,} numbers in W, {2 * d * 8:,} in W_q and W_k")

# %% [markdown]
# Scores depend on $W_q W_k^T$ alone, of rank $d_k$ at most; a curve touches 0 at the rank of its $W$. A small $d_k$ is cheap, but does not tell 64 words
# apart exactly. And, as 001 says, many maps are equivalent: turn queries by $R$, keys by $R^{-T}$.

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
        self.n, self.maps = n, nn.ModuleDict({m: nn.Linear(d, d, bias=False) for m in maps})
        self.embedding, self.hidden, self.out = nn.Embedding(size, d), nn.Linear(d, 128), nn.Linear(128, size)

    def forward(self, words):  # [B, 16] -> [B, size]
        x = self.embedding(words[:, -self.n :])
        Q, K, V = (self.maps[m](x) if m in self.maps else x for m in "qkv")
        z = scaled_attention(Q[:, -1:] * ("q" in self.maps), K, V)[:, 0]
        return self.out(torch.tanh(self.hidden(z)))


# %%
corpus = lmkit.load("kitchen")
text = {s: [w for document in corpus.splits[s] for w in [*document, "</s>"]] for s in ("train", "valid")}
vocabulary = ["<UNK>", *sorted(set(text["train"]))]
ids = {word: i for i, word in enumerate(vocabulary)}
windows = {s: torch.tensor([ids.get(word, 0) for word in text[s]]).unfold(0, 17, 1) for s in text}  # 16 and the next
print({s: tuple(windows[s].shape) for s in windows}, len(vocabulary), "words")


# %%
def loss(model, batch):
    """Mean loss of the 17th words, and how many they are."""
    return F.cross_entropy(model(batch[:, :16]), batch[:, 16]), len(batch)


def learn(maps, steps, n=16):
    """A model, trained on so many batches of 64 windows."""
    set_seed(1)
    model, pick = LookupModel(len(vocabulary), maps, n), shuffled(len(windows["train"]), 64, seed=1)
    schedule = warmup_cosine(20)
    train(model, lambda i: windows["train"][pick(i)], loss, steps=steps, rate=1e-2, schedule=schedule, device="cpu")
    return model


# %%
steps = budget().choose(grading=300, laptop=2000, gpu=2000)
models = {name: learn(maps, steps) for name, maps in {"bag of words": "", "q": "q", "q, k, v": "qkv"}.items()}
models["last word alone"] = learn("", steps, n=1)

# %%
with torch.no_grad():
    costs = {name: loss(model, windows["valid"][:5000])[0].exp().item() for name, model in models.items()}
_, axes = plt.subplots(figsize=(7, 2))
axes.bar_label(axes.barh([*costs], [*costs.values()]), fmt=" %.0f")
axes.axvline(corpus.floor("valid").perplexity, color="gray", linestyle=":", label="the language's own")
axes.set(xlabel="perplexity on held-out text", ylabel="model")
axes.legend()
plt.show()

# %%
words = windows["valid"][:1000, :16]
mixed = words[:, [*random.Random(1).sample(range(15), 15), 15]]  # the last word, which asks, stays
with torch.no_grad():
    same = torch.allclose(models["q, k, v"](words), models["q, k, v"](mixed), atol=1e-3)
print("15 words in another order, the same scores:", same)

# %% [markdown]
# To choose whom to listen to halves the bag's perplexity. $W_k$ and $W_v$ bring nothing *here*, and section 8 says why: $W_q$ can do $W_k$'s work, the
# next layer $W_v$'s. They matter where widths differ and lookups are many.
#
# But with so few steps the last word alone beats all 16 together (after 2,000 no longer): a set of words has no *beside*. Next:
# many lookups at once, and words that know their place.
