# ---
# title: Word windows, the first neural taggers and language models
# ---

# %% [markdown]
# So far a model counted. From here on it **learns vectors**: words become points, and a small network reads a few of them
# at a time through a window. First the window finds a word's part of speech; then it guesses the
# next word, as in the neural language model of Bengio and others (2003).
#
# You will write your own training loop once, and see where windows break. That break is the reason for chapters
# 5 and 6.

# %% [markdown]
# Fill the cells that raise `NotImplementedError`, and run the checks below them. Grading tries further cases.
#
# The slides you will check come from public lectures: 000 (unsigned), 001 (Greg Durrett), 002 (Fabrizio Silvestri), 003
# (Yoav Artzi). The text is the *kitchen* text: restaurant stories written by a program, so that each word's part of speech is
# known.

# %%
import math
import random
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

import lmkit
from lmkit import plots
from lmkit.budgets import budget
from lmkit.testing import parameter_gradients
from lmkit.training import set_seed, shuffled, train, warmup_cosine

plots.use_style()
torch.set_num_threads(1)  # the nets are small: one core is the fastest

# %% [markdown]
# ## 1. Same bag, other tags
#
# A **tagger** writes a part of speech above every word. Two sentences from lecture 000:

# %%
fox = lmkit.load("toy-fox")
for words, tags in zip(fox.splits["train"][:2], fox.tags["train"][:2], strict=True):
    print(" ".join(words), "|", " ".join(tags))
print("same bag of words:", Counter(fox.splits["train"][0]) == Counter(fox.splits["train"][1]))

# %% [markdown]
# A vector of counts is the same for both, the tags are not. So no function of the counts can tag, however deep.
#
# Then give the tagger one word at a time. Its **one-hot** vector has a 1 at the word's number; times a matrix of vectors it
# picks one row, the word's **static** vector. Either way *increase* looks the same in these:

# %%
increase = lmkit.load("toy-increase")
for words, tags in zip(increase.splits["train"], increase.tags["train"], strict=True):
    print(f"{tags[words.index('increase')]:5}", " ".join(words))

# %% [markdown] statement="static_ceiling"
# ## 2. How far can one word at a time get?
#
# - `static_ceiling(words, tags)`: the largest share of these tokens that *any* tagger can get right which sees only the word
#   itself, and so must give all tokens of a word the same tag.
# - `guess`, before you measure: this share among the ambiguous tokens of the kitchen text (`plate`, `cook`, `to`, ...), collected
#   below. Then `measured`.

# %% [markdown] hints="static_ceiling"
# 1. For *increase* alone, three times NOUN and three times VERB, no choice gets more than half.
# 2. The words do not disturb each other: find the best choice for each word on its own.
# 3. For each word count its tags; the largest count is what the best choice gets right. Add these up over
#    the words and divide by the number of tokens.

# %%
kitchen = lmkit.load("kitchen")
all_words = [word for document in kitchen.splits["train"] for word in document]
all_tags = [tag for document in kitchen.tags["train"] for tag in document]
kinds = Counter(word for word, _ in set(zip(all_words, all_tags, strict=True)))
ambiguous = [i for i, word in enumerate(all_words) if kinds[word] > 1]
ambiguous_words, ambiguous_tags = [all_words[i] for i in ambiguous], [all_tags[i] for i in ambiguous]
print(f"{len(all_words):,} tokens, {len(ambiguous) / len(all_words):.0%} of them of a word with two tags or three")


# %% task="static_ceiling" points=4 level=1 minutes=8
def static_ceiling(words, tags):
    """The share of tokens that the best tagger of single words gets right; two lists of equal length."""
    ### BEGIN SOLUTION
    counts = Counter(zip(words, tags, strict=True))
    best = Counter()
    for (word, _), count in counts.items():
        best[word] = max(best[word], count)
    return sum(best.values()) / len(words)
    ### END SOLUTION


# guess = a number between 0 and 1, written down before you measure
# measured = the share for the ambiguous tokens
### BEGIN SOLUTION
guess = 0.6
measured = static_ceiling(ambiguous_words, ambiguous_tags)
### END SOLUTION

# %% test="static_ceiling" aspect="increase stays at a half" points=1
_got = static_ceiling(["increase"] * 6, ["NOUN", "VERB", "VERB", "NOUN", "NOUN", "VERB"])
assert isinstance(_got, int | float | np.number), f"Return a share, a number; you return {_got!r}."
assert math.isclose(_got, 0.5), f"Three NOUN, three VERB: one tag for all gets 3 of 6 right; yours: {_got}."

# %% test="static_ceiling" aspect="each word has its own tag" points=1
_got = static_ceiling(["the", "cook", "can", "cook"], ["DET", "NOUN", "AUX", "VERB"])
assert isinstance(_got, int | float | np.number), f"Return a share, a number; you return {_got!r}."
assert math.isclose(_got, 0.75), f"the, can and one cook right, the other cook wrong: 3 of 4; yours: {_got}."

# %% test="static_ceiling" aspect="shares of tokens, not words" points=1
_got = static_ceiling(["a", "a", "a", "a", "b", "b"], ["X", "X", "X", "Y", "X", "Y"])
assert isinstance(_got, int | float | np.number), f"Return a share, a number; you return {_got!r}."
assert math.isclose(_got, 4 / 6), f"Right: 3 of 4 times a, 1 of 2 times b, so 4 of 6 tokens; yours: {_got}."
### BEGIN HIDDEN TESTS
for _ in range(20):
    _n = random.randint(1, 12)
    _words, _tags = random.choices("abcd", k=_n), random.choices("XYZ", k=_n)
    _best = sum(max(sum(w == v and t == u for w, t in zip(_words, _tags, strict=True)) for u in "XYZ") for v in "abcd")
    _got = static_ceiling(list(_words), list(_tags))
    assert math.isclose(_got, _best / _n), f"For {_words} with tags {_tags} the share is not {_got}."
### END HIDDEN TESTS

# %% test="static_ceiling" aspect="predicted, then measured" points=1
assert isinstance(guess, int | float | np.number), f"guess should be a number, not {guess!r}."
assert 0 <= guess <= 1, f"guess is a share between 0 and 1, not {guess}; a wrong guess costs nothing."
assert isinstance(measured, int | float | np.number), f"measured should be a number, not {measured!r}."
### BEGIN HIDDEN TESTS
_pairs = Counter(zip(ambiguous_words, ambiguous_tags, strict=True))
_wanted = sum(max(n for (w, _), n in _pairs.items() if w == word) for word in set(ambiguous_words))
assert math.isclose(measured, _wanted / len(ambiguous_words), abs_tol=0.002), (
    f"measured = {measured}: apply your function to ambiguous_words and ambiguous_tags."
)
### END HIDDEN TESTS

# %%
print(f"ceiling for all tokens {static_ceiling(all_words, all_tags):.1%}; for the ambiguous ones {measured:.1%}")

# %% [markdown]
# So it gets most tokens right, since most words have one tag; look at the ambiguous ones, or you will
# not see progress. No training beats this ceiling: the neighbours must come in.

# %% [markdown] statement="windows"
# ## 3. A window, and what stands beyond the edge
#
# Look at $c$ words to the left and $c$ to the right: $2c + 1$ places, the word itself in the middle. At the edges stands `PAD`,
# number 0. Write
#
# - `windows(ids, c)`: for a list of $T$ word numbers, the integer tensor of shape $(T, 2c + 1)$;
# - `pad_share(T, c)`: the share of `PAD` among the $T(2c + 1)$ places of one text of $T$ words, for any $c$, also $c \ge T$.

# %% [markdown] hints="windows"
# 1. Write out the four windows of `please increase the volume` for $c = 1$. How many places hold `PAD`?
# 2. Lengthen the text at both ends; then each window is a slice. For the share, you may count, or think column by column.
# 3. The padded text has $T + 2c$ places, and window $t$ starts at place $t$ of it. The column $k$ to the right shows $T - k$ words
#    of the text, or none if $k$ is larger than $T$; the columns to the left likewise.


# %% task="windows" points=4 level=1 minutes=12
def windows(ids, c):
    """Tensor (T, 2c + 1): row t holds the numbers of words t-c ... t+c, and 0 beyond the ends."""
    ### BEGIN SOLUTION
    return F.pad(torch.tensor(ids), (c, c)).unfold(0, 2 * c + 1, 1)
    ### END SOLUTION


def pad_share(T, c):
    """The share of PAD among all places of the windows of one text of T words."""
    ### BEGIN SOLUTION
    real = sum(max(0, T - abs(k)) for k in range(-c, c + 1))
    return 1 - real / (T * (2 * c + 1))
    ### END SOLUTION


# %% test="windows" aspect="one row for each word" points=1
for _c in (0, 1, 2, 5):
    _got = windows([4, 8, 6], _c)
    assert hasattr(_got, "shape"), f"Return a tensor; you return {_got!r}."
    assert tuple(_got.shape) == (3, 2 * _c + 1), (
        f"Three words, c = {_c}: shape (3, {2 * _c + 1}) wanted; yours: {tuple(_got.shape)}."
    )

# %% test="windows" aspect="the word stands in the middle" points=1
_got = windows([4, 8, 6, 3, 9], 1)
assert hasattr(_got, "tolist"), f"Return a tensor; you return {_got!r}."
_got = _got.tolist()
assert len(_got) == 5 and len(_got[0]) == 3, f"Shape (5, 3) wanted; yours: {_got}."
assert [row[1] for row in _got] == [4, 8, 6, 3, 9], f"The middle column should read like the text; yours: {_got}."
assert _got[2] == [8, 6, 3], f"Left of 6 stands 8, right of it 3; yours: {_got[2]}."
### BEGIN HIDDEN TESTS
for _ in range(10):
    _ids, _c = [random.randint(1, 99) for _ in range(random.randint(1, 9))], random.randint(0, 4)
    _got = windows(list(_ids), _c).tolist()
    for _t in range(len(_ids)):
        for _k in range(-_c, _c + 1):
            if 0 <= _t + _k < len(_ids):
                _seen = _got[_t][_k + _c]
                assert _seen == _ids[_t + _k], f"{_ids}, c = {_c}: word {_t}, offset {_k} should not be {_seen}."
### END HIDDEN TESTS

# %% test="windows" aspect="PAD beyond both ends" points=1
_got = windows([4, 8, 6, 3], 2)
assert hasattr(_got, "tolist"), f"Return a tensor; you return {_got!r}."
_got = _got.tolist()
assert _got[0] == [0, 0, 4, 8, 6], f"The first window of 4 8 6 3 has two PAD in front, then 4 8 6; yours: {_got[0]}."
assert _got[-1] == [8, 6, 3, 0, 0], f"The last window has two PAD behind; yours: {_got[-1]}."

# %% test="windows" aspect="the share of PAD" points=1
for _c, _wanted in ((0, 0.0), (1, 2 / 12), (2, 6 / 20)):
    _got = pad_share(4, _c)
    assert isinstance(_got, int | float | np.number), f"pad_share returns a number; yours: {_got!r}."
    assert math.isclose(_got, _wanted, abs_tol=1e-9), f"Four words, c = {_c}: {_wanted:.3f} wanted; yours: {_got}."
### BEGIN HIDDEN TESTS
for _ in range(30):
    _n, _c = random.randint(1, 9), random.randint(0, 20)
    _pads = sum(not 0 <= t + k < _n for t in range(_n) for k in range(-_c, _c + 1))
    _got = pad_share(_n, _c)
    assert math.isclose(_got, _pads / (_n * (2 * _c + 1)), abs_tol=1e-9), (
        f"{_n} words, c = {_c}: {_pads} of {_n * (2 * _c + 1)} places are PAD; your share: {_got}."
    )
### END HIDDEN TESTS


# %%
please = ["PAD", *increase.splits["train"][1]]
for row in windows([1, 2, 3, 4], 1):
    print([please[i] for i in row])


# %%
def sentences(split):
    """The sentences of a split, and their tags: documents cut after each full stop."""
    for document, tags in zip(kitchen.splits[split], kitchen.tags[split], strict=True):
        ends = [0, *(i + 1 for i, word in enumerate(document) if word == "."), len(document)]
        yield from ((document[a:b], tags[a:b]) for a, b in zip(ends, ends[1:], strict=False) if a < b)


train_text, valid_text = list(sentences("train")), list(sentences("valid"))
print(*train_text[4][0])

# %%
reach = [1, 2, 5, 10, 20, 50, 100]
_, (left, right) = plt.subplots(1, 2)
plots.lengths([len(words) for words, _ in train_text], left)
right.plot(reach, [100 * pad_share(16, c) for c in reach], "o-", color=plots.COLOURS[1])
right.set(xlabel="words on each side, c", ylabel="PAD, % of the places", xscale="log", ylim=(0, 100))
right.set_title("a text of 16 words", loc="left")
plt.show()

# %% [markdown]
# A text of 16 words, lecture 000's example: with 100 words on each side, 92 % of the input says nothing. (It calls
# such lengths "exponential". That law has its peak at 0; this one does not.)

# %% [markdown] statement="scores"
# ## 4. Averaging forgets, concatenating does not
#
# How do five word vectors become one input? Averaged, or laid end to end: $x$. Then class $j$ scores
# $\sum_i x_i W_{ij}$; lecture 000's $W$ is `[15, 4]`. Three ways to one number:
#
# - `score_by_loop(x, W, j)`: row by row of $W$;
# - `score_by_word(vectors, W, j)`: a sum of dot products, each word with the rows that belong to its place;
# - `all_scores(vectors, W)`: one product, all classes.
#
# `vectors` is $(n, d)$, for any $n$ and $d$.

# %% [markdown] hints="scores"
# 1. The first word meets rows 0 to 2, the second rows 3 to 5. Which rows does the fifth meet?
# 2. Laying vectors end to end keeps their order: reading a matrix row by row does just that.
# 3. For word $k$ of width $d$ the rows start at $kd$ and stop before $(k + 1)d$; take column $j$ of
#    that block, multiply it with the word's vector, add up over the words.

# %%
vectors = np.array([[7, 9, 1], [0, 1, 5], [1, 1, 2], [-1, 0, 5], [2, -1, -7]])  # please increase the music volume
classes = ["Determiner", "Noun", "Verb", "other"]
W = np.random.default_rng(4).normal(size=(15, 4)).round(1)


# %% task="scores" points=4 level=2 minutes=12
def score_by_loop(x, W, j):
    """The score of class j for the input x, shape (D,); W has shape (D, K). One loop over the rows."""
    ### BEGIN SOLUTION
    score = 0.0
    for i in range(len(x)):
        score += x[i] * W[i, j]
    return score
    ### END SOLUTION


def score_by_word(vectors, W, j):
    """The same for vectors (n, d) and W (n d, K), as a sum of n dot products."""
    ### BEGIN SOLUTION
    d = vectors.shape[1]
    return sum(vector @ W[k * d : (k + 1) * d, j] for k, vector in enumerate(vectors))
    ### END SOLUTION


def all_scores(vectors, W):
    """The scores of all K classes, shape (K,), as one product."""
    ### BEGIN SOLUTION
    return vectors.reshape(-1) @ W
    ### END SOLUTION


# %% test="scores" aspect="a sum over the rows" points=1
_got = score_by_loop(np.array([2.0, -1.0]), np.array([[1.0, 10.0], [3.0, 5.0]]), 1)
assert isinstance(_got, int | float | np.number), f"score_by_loop returns one number; yours: {_got!r}."
assert math.isclose(_got, 15), f"2·10 − 1·5 = 15; yours: {_got}."
### BEGIN HIDDEN TESTS
for _ in range(10):
    _x, _W = np.random.default_rng().normal(size=6), np.random.default_rng().normal(size=(6, 3))
    _j = random.randint(0, 2)
    _got = score_by_loop(_x.copy(), _W.copy(), _j)
    assert math.isclose(_got, np.dot(_W.T[_j], _x), abs_tol=1e-9), f"Class {_j}: {_got} is not the sum over all rows."
### END HIDDEN TESTS

# %% test="scores" aspect="each word meets its own rows" points=1
_W = np.arange(6.0)[:, None] + np.zeros((6, 2))
for _k in range(3):
    _vectors = np.zeros((3, 2))
    _vectors[_k] = 1, 1
    _got = score_by_word(_vectors, _W, 0)
    assert isinstance(_got, int | float | np.number), f"score_by_word returns one number; yours: {_got!r}."
    assert math.isclose(_got, 4 * _k + 1), (
        f"d = 2: word {_k} meets rows {2 * _k} and {2 * _k + 1}; your score is {_got}."
    )
### BEGIN HIDDEN TESTS
for _ in range(10):
    _n, _d = random.randint(1, 5), random.randint(1, 4)
    _vectors, _W = np.random.default_rng().normal(size=(_n, _d)), np.random.default_rng().normal(size=(_n * _d, 3))
    _j = random.randint(0, 2)
    _wanted = sum(_vectors[k, i] * _W[k * _d + i, _j] for k in range(_n) for i in range(_d))
    _got = score_by_word(_vectors.copy(), _W.copy(), _j)
    assert math.isclose(_got, _wanted, abs_tol=1e-9), f"{_n} words of width {_d}, class {_j}: the score is not {_got}."
### END HIDDEN TESTS

# %% test="scores" aspect="all classes at once" points=1
_got = all_scores(vectors.copy(), W.copy())
assert np.shape(_got) == (4,), f"Four classes, four scores; yours: {_got!r}."
### BEGIN HIDDEN TESTS
for _ in range(10):
    _n, _d = random.randint(2, 5), random.randint(2, 4)
    _vectors, _W = np.random.default_rng().normal(size=(_n, _d)), np.random.default_rng().normal(size=(_n * _d, 3))
    _wanted = np.einsum("kd,kdj->j", _vectors, _W.reshape(_n, _d, 3))
    _got = all_scores(_vectors.copy(), _W.copy())
    assert np.allclose(_got, _wanted), "all_scores: some word meets the rows of another. Lay the vectors end to end."
### END HIDDEN TESTS

# %% test="scores" aspect="three ways, one number" points=1
_x = np.array([7, 9, 1, 0, 1, 5, 1, 1, 2, -1, 0, 5, 2, -1, -7])
_all = all_scores(vectors.copy(), W.copy())
assert np.shape(_all) == (4,), f"all_scores: four classes, four scores; yours: {_all!r}."
for _j in range(4):
    _ways = [score_by_loop(_x, W, _j), score_by_word(vectors.copy(), W, _j), _all[_j]]
    assert all(isinstance(way, int | float | np.number) for way in _ways), f"Three numbers wanted; yours: {_ways}."
    assert np.allclose(_ways, float(_x @ W[:, _j])), f"{classes[_j]}: the three ways give {_ways}, not one number."

# %%
print("x =", vectors.reshape(-1), "| weights:", W.size)
print("scores, the words in order:", all_scores(vectors, W).round(1), "mean", vectors.mean(0))
print("scores, the words reversed:", all_scores(vectors[::-1], W).round(1), "mean", vectors[::-1].mean(0))

# %% [markdown]
# The mean is the same for all 120 orders. It forgets where the words stand, and which one is to be tagged: with
# *the* in the middle, or with *music*, it is the same point. Concatenation keeps both: the tagged
# word always meets rows 6 to 8. The price: $W$ grows with the window.

# %% [markdown] statement="descend"
# ## 5. A training loop of your own
#
# The scores become probabilities by softmax, and the **loss** is the mean of $-\ln P(\text{right tag})$: cross-entropy, in nats. Training
# moves every weight a little against its gradient, batch after batch. Write that loop for the linear tagger: `descend(W, b, batches, rate)`
# returns the new `W`, the new `b` and the list of losses (floats), each measured *before* its step.
#
# `F.cross_entropy(scores, y)` is the loss; torch computes gradients.

# %% [markdown] hints="descend"
# 1. Three lines for each batch: loss, gradients, step.
# 2. A tensor collects gradients only if it `requires_grad`; after the step you want a plain new start. What if gradients of
#    the batch before are still there?
# 3. Make the two tensors ask for gradients, compute the loss of `x @ W + b`, ask `torch.autograd.grad` for its two gradients,
#    and bind the names to new, detached tensors: old value minus rate times gradient.


# %% task="descend" points=4 level=3 minutes=15
def descend(W, b, batches, rate):
    """One step of gradient descent for each (x, y) of `batches`; returns W, b and the list of losses.

    W (D, K) and b (K,) are the weights to start from; x (B, D) are inputs, y (B,) the right classes.
    """
    ### BEGIN SOLUTION
    losses = []
    for x, y in batches:
        W, b = W.detach().requires_grad_(), b.detach().requires_grad_()
        loss = F.cross_entropy(x @ W + b, y)
        W_gradient, b_gradient = torch.autograd.grad(loss, [W, b])
        W, b = W - rate * W_gradient, b - rate * b_gradient
        losses.append(loss.item())
    return W.detach(), b.detach(), losses
    ### END SOLUTION


# %% test="descend" aspect="losses before each step" points=1
_x, _y = torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([0, 2])
_got = descend(torch.zeros(2, 3), torch.zeros(3), [(_x, _y)] * 3, 0.5)
assert isinstance(_got, tuple | list) and len(_got) == 3, f"Return W, b and the losses; yours: {_got!r}."
_losses = [float(loss) for loss in _got[2]]
assert len(_losses) == 3, f"Three batches, three losses; yours: {_losses}."
assert math.isclose(_losses[0], math.log(3), rel_tol=1e-4), f"At zero weights the loss is ln 3; yours: {_losses[0]}."
assert _losses[2] < _losses[1] < _losses[0], f"On the same batch again the loss should fall; yours: {_losses}."

# %% test="descend" aspect="one step against the gradient" points=1
_got = descend(torch.zeros(2, 2), torch.zeros(2), [(torch.tensor([[2.0, 4.0]]), torch.tensor([1]))], 0.1)
assert isinstance(_got, tuple | list) and len(_got) == 3, f"Return W, b and the losses; yours: {_got!r}."
assert np.allclose(_got[0], [[-0.1, 0.1], [-0.2, 0.2]], atol=1e-5), (
    f"After one step W should not be {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
for _ in range(5):
    _W, _b = torch.randn(4, 3).double(), torch.randn(3).double()
    _x, _y, _rate = torch.randn(6, 4).double(), torch.randint(3, (6,)), random.uniform(0.1, 1.5)
    _error = (_x @ _W + _b).softmax(1) - F.one_hot(_y, 3)
    _got = descend(_W.clone(), _b.clone(), [(_x, _y)], _rate)[0]
    assert np.allclose(_got, _W - _rate * _x.T @ _error / 6, atol=1e-6), (
        "One step: W moves by rate times the gradient of the *mean* loss, downhill; yours does not."
    )
### END HIDDEN TESTS

# %% test="descend" aspect="the bias learns too" points=1
_got = descend(torch.zeros(2, 2), torch.zeros(2), [(torch.tensor([[2.0, 4.0]]), torch.tensor([1]))], 0.1)
assert isinstance(_got, tuple | list) and len(_got) == 3, f"Return W, b and the losses; yours: {_got!r}."
assert np.allclose(_got[1], [-0.05, 0.05], atol=1e-5), f"After one step b should not be {_got[1].tolist()}."
### BEGIN HIDDEN TESTS
_W, _b, _x, _y = torch.randn(4, 3), torch.randn(3), torch.randn(6, 4), torch.randint(3, (6,))
_error = ((_x @ _W + _b).softmax(1) - F.one_hot(_y, 3)).mean(0)
_got = descend(_W.clone(), _b.clone(), [(_x, _y)], 0.7)[1]
assert np.allclose(_got, _b - 0.7 * _error, atol=1e-5), "b moves by rate times its own gradient; yours does not."
### END HIDDEN TESTS

# %% test="descend" aspect="gradients do not pile up" points=1
_batches = [(torch.tensor([[1.0, 2.0]]), torch.tensor([0])), (torch.tensor([[3.0, -1.0]]), torch.tensor([1]))]
_got = descend(torch.zeros(2, 2), torch.zeros(2), _batches * 2, 0.3)
assert isinstance(_got, tuple | list) and len(_got) == 3, f"Return W, b and the losses; yours: {_got!r}."
_W, _b = torch.zeros(2, 2), torch.zeros(2)
for _x, _y in _batches * 2:
    _error = (_x @ _W + _b).softmax(1) - F.one_hot(_y, 2)
    _W, _b = _W - 0.3 * _x.T @ _error, _b - 0.3 * _error.sum(0)
assert np.allclose(_got[0], _W, atol=1e-5), (
    "Every step takes the gradient of its own batch alone, at the newest weights."
)
assert np.allclose(_got[1], _b, atol=1e-5), "The same holds for b: each step the gradient of its own batch alone."

# %% [markdown]
# Now on the kitchen text: random vectors of 32 numbers for the words, five words at a time, averaged or concatenated.

# %%
vocabulary = ["<PAD>", "<UNK>", *kitchen.vocabulary]
number = {word: i for i, word in enumerate(vocabulary)}
tag_names = sorted(set(all_tags))


def encode(text, c):
    """All windows of a list of tagged sentences (N, 2c + 1), and the tags (N,)."""
    rows = [windows([number.get(word, 1) for word in words], c) for words, _ in text]
    return torch.cat(rows), torch.tensor([tag_names.index(tag) for _, tags in text for tag in tags])


# %%
inputs, targets = encode(train_text, 2)
valid_inputs, valid_targets = encode(valid_text, 2)
unsure = torch.tensor([kinds[word] > 1 for words, _ in valid_text for word in words])
fixed = torch.randn(len(vocabulary), 32, generator=torch.Generator().manual_seed(4))
fixed[0] = 0
ways = {"mean": lambda rows: fixed[rows].mean(1), "concatenated": lambda rows: fixed[rows].flatten(1)}
pick = shuffled(len(targets), 256, seed=4)

# %%
_, axes = plt.subplots()
for name, way in ways.items():
    D = way(inputs[:1]).shape[1]
    batches = ((way(inputs[pick(i)]), targets[pick(i)]) for i in range(300))
    linear_W, linear_b, losses = descend(torch.zeros(D, len(tag_names)), torch.zeros(len(tag_names)), batches, 0.5)
    right = (way(valid_inputs) @ linear_W + linear_b).argmax(1) == valid_targets
    axes.plot(losses, label=f"{name}: {100 * right.double().mean():.0f} % right")
axes.set(xlabel="step", ylabel="loss (nats per token)", ylim=(0, None))
axes.legend()
plt.show()

# %% [markdown]
# The mean gets stuck at once: no training brings back what averaging threw away. But even the concatenation stays below the
# ceiling of single words. Two things are missing: vectors that learn, and a layer in which words can meet.

# %% [markdown] statement="WindowTagger"
# ## 6. The window tagger
#
# With $x$ the concatenated (or averaged) vectors of a window:
#
# $$h = \tanh(d + Hx), \qquad \text{scores} = b + Uh.$$
#
# Write it as an `nn.Module` with three parts of these names: `embedding` (one vector of `dim` numbers for each word; `PAD`, number 0,
# stays at zero), `hidden` (a linear layer to `width` numbers) and `out`. `context` is $c$; the mean goes over all
# $2c + 1$ places.

# %% [markdown] hints="WindowTagger"
# 1. Follow the shapes: windows `(B, 2c+1)`, vectors `(B, 2c+1, dim)`, input `(B, ?)`, hidden `(B, width)`, scores.
# 2. `nn.Embedding` has an option for a number whose vector is zero and stays so. `nn.Linear` holds a matrix and its bias.
# 3. The input of `hidden` is `dim` wide for the mean, and as many times that as there are places for the concatenation. In
#    `forward`, melt the last two axes or average the middle one; the tanh stands between the two layers, nowhere else.


# %% task="WindowTagger" points=4 level=2 minutes=15
class WindowTagger(nn.Module):
    def __init__(self, n_words, n_tags, context, dim=32, width=64, mean=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.mean = mean
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.hidden = nn.Linear(dim if mean else (2 * context + 1) * dim, width)
        self.out = nn.Linear(width, n_tags)
        ### END SOLUTION

    def forward(self, windows):
        """Word numbers (B, 2c + 1) -> scores (B, n_tags)."""
        ### BEGIN SOLUTION
        vectors = self.embedding(windows)  # (B, 2c + 1, dim)
        x = vectors.mean(1) if self.mean else vectors.flatten(1)
        return self.out(torch.tanh(self.hidden(x)))
        ### END SOLUTION


# %% test="WindowTagger" aspect="parts and their shapes" points=1
for _mean, _inputs in ((False, 15), (True, 3)):
    _state = dict(WindowTagger(9, 4, 2, dim=3, width=6, mean=_mean).state_dict())
    _shapes = {name: tuple(value.shape) for name, value in _state.items()}
    _wanted = {"embedding.weight": (9, 3), "hidden.weight": (6, _inputs), "hidden.bias": (6,)}
    _wanted |= {"out.weight": (4, 6), "out.bias": (4,)}
    assert _shapes == _wanted, f"mean={_mean}, dim=3, width=6: weights {_wanted} wanted; yours: {_shapes}."

# %% test="WindowTagger" aspect="PAD is zero and stays so" points=1
_model = WindowTagger(9, 4, 1, dim=3, width=6)
_state = dict(_model.state_dict())
assert "embedding.weight" in _state, f"Call the vectors self.embedding; your parts: {sorted(_state)}."
assert not _state["embedding.weight"][0].any(), "The vector of PAD, number 0, should be zero from the start."
_found = parameter_gradients(_model, torch.tensor([[0, 2, 3], [4, 5, 0]]))["embedding.weight"]
assert not _found[0].any(), "The vector of PAD receives a gradient, so training would move it."
assert _found[2].any() and _found[5].any(), "The vectors of other words should receive a gradient."

# %% test="WindowTagger" aspect="scores of the concatenation" points=1
_got = WindowTagger(9, 4, 2)(torch.tensor([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]))
assert tuple(getattr(_got, "shape", ())) == (2, 4), f"Two windows, four tags: shape (2, 4) wanted; yours: {_got!r}."
assert not np.allclose(_got[0].detach(), _got[1].detach()), "Reversed, a window gives the same scores: order is lost."
### BEGIN HIDDEN TESTS
for _c in (0, 1, 2, 3):
    _model = WindowTagger(9, 4, _c, dim=3, width=6)
    _s = {name: torch.randn(value.shape) for name, value in dict(_model.state_dict()).items()}
    _model.load_state_dict(_s)
    _rows = torch.randint(9, (5, 2 * _c + 1))
    _x = torch.stack([torch.cat([_s["embedding.weight"][i] for i in row]) for row in _rows])
    _h = torch.tanh(_x @ _s["hidden.weight"].T + _s["hidden.bias"])
    _got = _model(_rows).detach()
    assert np.allclose(_got, _h @ _s["out.weight"].T + _s["out.bias"], atol=1e-4), (
        f"c = {_c}: with given weights your scores are not b + U tanh(d + H x); look at order, tanh and biases."
    )
### END HIDDEN TESTS

# %% test="WindowTagger" aspect="scores of the mean" points=1
_got = WindowTagger(9, 4, 1, mean=True)(torch.tensor([[1, 2, 3], [3, 1, 2], [2, 2, 2]]))
assert tuple(getattr(_got, "shape", ())) == (3, 4), f"Three windows, four tags: shape (3, 4) wanted; yours: {_got!r}."
assert np.allclose(_got[0].detach(), _got[1].detach(), atol=1e-5), "With mean=True the order should not matter."
assert not np.allclose(_got[0].detach(), _got[2].detach()), (
    "With mean=True all words should count, not the middle alone."
)
### BEGIN HIDDEN TESTS
for _c in (1, 2, 3):
    _model = WindowTagger(9, 4, _c, dim=3, width=6, mean=True)
    _s = {name: torch.randn(value.shape) for name, value in dict(_model.state_dict()).items()}
    _s["embedding.weight"][0] = 0
    _model.load_state_dict(_s)
    _rows = torch.randint(9, (5, 2 * _c + 1))
    _x = torch.stack([sum(_s["embedding.weight"][i] for i in row) / (2 * _c + 1) for row in _rows])
    _h = torch.tanh(_x @ _s["hidden.weight"].T + _s["hidden.bias"])
    assert np.allclose(_model(_rows).detach(), _h @ _s["out.weight"].T + _s["out.bias"], atol=1e-4), (
        f"c = {_c}: your scores of the mean are off; it goes over all {2 * _c + 1} places, PAD included."
    )
### END HIDDEN TESTS

# %%
WindowTagger(len(vocabulary), len(tag_names), context=2)

# %% [markdown]
# From here on `lmkit.training.train` runs the loop: yours, with AdamW instead of plain steps, a learning rate that first rises and then falls, and a
# record. Which window is best?


# %%
def train_tagger(context, mean=False, seed=4):
    """A trained tagger, the windows it learned from, and the share right on held-out text: all, ambiguous."""
    inputs, targets = encode(train_text, context)
    set_seed(seed)
    model = WindowTagger(len(vocabulary), len(tag_names), context, mean=mean)
    pick = shuffled(len(targets), 256, seed)
    train(
        model,
        lambda step: (inputs[pick(step)], targets[pick(step)]),
        lambda model, batch: (F.cross_entropy(model(batch[0]), batch[1]), len(batch[1])),
        steps=budget().choose(grading=250, laptop=400, gpu=3000),
        rate=1e-2,
        schedule=warmup_cosine(20),
        device="cpu",
    )
    rows, wanted = encode(valid_text, context)
    with torch.no_grad():
        right = (model(rows).argmax(1) == wanted).double()
    return model, inputs, right.mean().item(), right[unsure].mean().item()


# %%
table, taggers = {}, {}
for context, mean in ((0, False), (1, False), (2, False), (5, False), (10, False), (2, True)):
    model, inputs, right, right_unsure = train_tagger(context, mean)
    taggers[context, mean] = model
    table[f"mean, {context}" if mean else str(context)] = {
        "right, %": round(100 * right),
        "ambiguous, %": round(100 * right_unsure),
        "PAD, %": round(100 * (inputs == 0).double().mean().item(), 1),
        "first layer": model.hidden.weight.numel(),
        "inputs, MB": round(inputs.numel() * 32 * 4 / 1e6),
    }
pd.DataFrame.from_dict(table, orient="index").rename_axis("window")

# %% [markdown]
# With window 0 the tagger reaches the ceiling and stops. One neighbour on each side breaks it; beyond two hardly anything
# grows but parameters, padding and memory. (*Inputs*: the vectors of all windows of this small text.) Try sentences of your own:

# %% scratch=true
sentence = ["the", "cook", "can", "cook", "the", "fish"]
scores = taggers[2, False](windows([number.get(word, 1) for word in sentence], 2))
print([tag_names[i] for i in scores.argmax(1)])

# %% [markdown] statement="norms_by_offset"
# ## 7. Far places starve
#
# Each place has its own rows in the first layer (layers above know no places). Where `PAD` stands, $x$ is zero, and so is
# those rows' gradient. Write
#
# - `norms_by_offset(gradient, c)`: for a gradient of shape `[(2c+1)·d, width]`, the length $\sqrt{\sum g^2}$ of each place's block,
#   from offset $-c$ to $c$;
# - `real_share(T, k)`: the share of words in a text of $T$ that *have* a word at offset $k$ (any sign).

# %% [markdown] hints="norms_by_offset"
# 1. Section 4 said which rows belong to which word. How wide is a block here?
# 2. The width follows from the shape: the number of rows, shared fairly among the places.
# 3. Cut the matrix into blocks along its rows, square, add up over all other axes, take the root. For the share: the last
#    $k$ words of a text have nobody $k$ places to their right; no share is below zero.


# %% task="norms_by_offset" points=3 level=2 minutes=10
def norms_by_offset(gradient, c):
    """The norm of each place's block of rows, shape (2c + 1,); gradient is a tensor ((2c + 1) d, width)."""
    ### BEGIN SOLUTION
    return gradient.reshape(2 * c + 1, -1).norm(dim=1)
    ### END SOLUTION


def real_share(T, k):
    """The share of the words of a text of length T that have a word k places further on (k < 0: before)."""
    ### BEGIN SOLUTION
    return max(0, T - abs(k)) / T
    ### END SOLUTION


# %% test="norms_by_offset" aspect="one block for each place" points=1
_gradient = torch.zeros(6, 2)
_gradient[2:4] = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
_got = norms_by_offset(_gradient, 1)
assert np.shape(_got) == (3,), f"c = 1: three places, three norms; yours: {_got!r}."
_got = [round(float(norm), 4) for norm in _got]
assert _got[1] > 0, f"Rows 2 and 3 of 6 belong to the middle place; yours: {_got}."
assert _got[0] == _got[2] == 0, f"Only rows 2 and 3 are not zero, so the outer norms are; yours: {_got}."

# %% test="norms_by_offset" aspect="root of the sum of squares" points=1
_got = norms_by_offset(torch.tensor([[3.0, -4.0], [0.0, 0.0], [5.0, 12.0]]), 1)
assert np.shape(_got) == (3,), f"c = 1: three places, three norms; yours: {_got!r}."
assert np.allclose(_got, [5, 0, 13]), f"The norms of (3, -4), (0, 0) and (5, 12) are 5, 0 and 13; yours: {_got}."
### BEGIN HIDDEN TESTS
for _ in range(10):
    _c, _d, _h = random.randint(0, 3), random.randint(1, 4), random.randint(1, 4)
    _gradient = torch.randn((2 * _c + 1) * _d, _h)
    _wanted = [math.sqrt((_gradient[k * _d : (k + 1) * _d] ** 2).sum()) for k in range(2 * _c + 1)]
    _got = norms_by_offset(_gradient.clone(), _c)
    assert np.shape(_got) == (2 * _c + 1,), f"c = {_c}: {2 * _c + 1} norms wanted; yours: {_got!r}."
    assert np.allclose(_got, _wanted, atol=1e-4), f"c = {_c}, d = {_d}: your norms {_got} are not those of the blocks."
### END HIDDEN TESTS

# %% test="norms_by_offset" aspect="who has a word there" points=1
for _k, _wanted in ((0, 1), (1, 0.75), (-1, 0.75), (4, 0), (-9, 0)):
    _got = real_share(4, _k)
    assert isinstance(_got, int | float | np.number), f"real_share returns a number; yours: {_got!r}."
    assert math.isclose(_got, _wanted, abs_tol=1e-9), (
        f"Of 4 words, a share {_wanted} has a word at {_k}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
for _ in range(30):
    _n, _k = random.randint(1, 9), random.randint(-12, 12)
    _got = real_share(_n, _k)
    _wanted = sum(0 <= t + _k < _n for t in range(_n)) / _n
    assert math.isclose(_got, _wanted, abs_tol=1e-9), f"T = {_n}, offset {_k}: the share is not {_got}."
### END HIDDEN TESTS

# %%
inputs, targets = encode(train_text, 10)
set_seed(4)
fresh, pick = WindowTagger(len(vocabulary), len(tag_names), 10), shuffled(len(targets), 256, seed=4)
norms = torch.zeros(21)
for step in range(30):
    fresh.zero_grad()
    F.cross_entropy(fresh(inputs[pick(step)]), targets[pick(step)]).backward()
    norms += norms_by_offset(fresh.hidden.weight.grad.T, 10) / 30

# %%
offsets = range(-10, 11)
lengths = [len(words) for words, _ in train_text]
_, (left, right) = plt.subplots(1, 2)
left.plot(offsets, 100 * (inputs > 0).double().mean(0), "o", label="counted")
expected = [100 * sum(T * real_share(T, k) for T in lengths) / sum(lengths) for k in offsets]
left.plot(offsets, expected, color="gray", label="from the lengths")
left.set(xlabel="offset from the tagged word", ylabel="a word stands there, %", ylim=(0, 105))
left.legend(loc="lower center")
right.bar(offsets, norms, color=plots.COLOURS[1])
right.set(xlabel="offset from the tagged word", ylabel="gradient norm, first steps")
plt.show()

# %% [markdown]
# Ten words away three places in four are empty, and the rows get a fifth of the middle's gradient. Two reasons:
# seldom a word, and seldom one that matters. Whatever far words could tell is learned slowest.

# %% [markdown] statement="slide_check"
# ## 8. Three claims of the lecture
#
# Lecture 000 also says:
#
# - **a** the tags of `a quick brown fox jumps over the lazy dog`: `DET ADJ ADJ NOUN VERB PREP ADJ NOUN`. Repair: `repaired_tags`, a list.
# - **b** with $N = 100$ words on each side and `word_dim` = 50, a row of the input has "$200$·`word_dim`" numbers (elsewhere:
#   "$100$·`word_dim`"). Right: `row_length`.
# - **c** without *brown*, "all words after the second" are represented anew. For a centred window, write `changed_words(sentence, removed, c)`.

# %% [markdown] hints="slide_check"
# 1. Count the tags; then count the places of a window on both sides *and* in the middle.
# 2. Compare each remaining word's window before and after. Whose window had the removed word in it?
# 3. Words left of the gap change as well as words right of it, but only near it. Pad at the ends,
#    collect the places (counted in the original sentence) where the two windows differ.


# %% task="slide_check" points=4 level=2 minutes=12
def changed_words(sentence, removed, c):
    """Places (in the original list of different words) of the others whose window changes without word `removed`."""
    ### BEGIN SOLUTION
    return [i for i in range(len(sentence)) if i != removed and abs(i - removed) <= c]
    ### END SOLUTION


# repaired_tags = ["DET", ...]
# row_length = a number
### BEGIN SOLUTION
repaired_tags = ["DET", "ADJ", "ADJ", "NOUN", "VERB", "PREP", "DET", "ADJ", "NOUN"]
row_length = (2 * 100 + 1) * 50
### END SOLUTION

# %% test="slide_check" aspect="one tag for each word" points=1
assert hasattr(repaired_tags, "__len__"), f"repaired_tags is a list of tags, not {repaired_tags!r}."
assert len(repaired_tags) == 9, f"Nine words need nine tags; yours: {len(repaired_tags)}."
### BEGIN HIDDEN TESTS
_tags = [str(tag).upper().replace("ADP", "PREP") for tag in repaired_tags]
assert _tags == ["DET", "ADJ", "ADJ", "NOUN", "VERB", "PREP", "DET", "ADJ", "NOUN"], (
    "A tag stands above the wrong word; read both lines."
)
### END HIDDEN TESTS

# %% test="slide_check" aspect="the length of a row" points=1
assert isinstance(row_length, int | float | np.number), f"row_length should be a number, not {row_length!r}."
assert row_length > 50, f"row_length is for the whole window, not for one word; yours: {row_length}."
### BEGIN HIDDEN TESTS
assert row_length == 10050, f"{row_length} is not it: left, right, and which place is missing?"
### END HIDDEN TESTS

# %% test="slide_check" aspect="only the neighbours change" points=1
_fox = ["a", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"]
_got = changed_words(list(_fox), 4, 1)
assert hasattr(_got, "__iter__"), f"changed_words returns a list of places; yours: {_got!r}."
assert 4 not in list(_got), f"The removed word has no window any more; yours: {_got}."
assert not {0, 1, 2, 6, 7, 8} & set(_got), (
    f"Without jumps (c = 1) the window of a far word stays as it was; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _ in range(20):
    _n, _c = random.randint(2, 9), random.randint(0, 4)
    _gap = random.randrange(_n)
    _got = set(changed_words([f"w{i}" for i in range(_n)], _gap, _c))
    _false = sorted(i for i in _got if not 0 < abs(i - _gap) <= _c or not 0 <= i < _n)
    assert not _false, f"{_n} words, place {_gap} removed, c = {_c}: the windows at {_false} do not change."
### END HIDDEN TESTS

# %% test="slide_check" aspect="neighbours on both sides" points=1
_got = changed_words(["a", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"], 4, 1)
assert hasattr(_got, "__iter__"), f"changed_words returns a list of places; yours: {_got!r}."
assert {3, 5} <= set(_got), f"Without jumps (c = 1), fox and over see another neighbour; yours: {_got}."
### BEGIN HIDDEN TESTS
for _ in range(20):
    _n, _c = random.randint(2, 9), random.randint(0, 4)
    _gap = random.randrange(_n)
    _words = [f"w{i}" for i in range(_n)]
    _pad = ["PAD"] * _c
    _old, _new = _pad + _words + _pad, _pad + _words[:_gap] + _words[_gap + 1 :] + _pad
    _changed = {i for i in range(_gap) if _old[i : i + 2 * _c + 1] != _new[i : i + 2 * _c + 1]}
    _changed |= {i for i in range(_gap + 1, _n) if _old[i : i + 2 * _c + 1] != _new[i - 1 : i + 2 * _c]}
    _missed = sorted(_changed - set(changed_words(list(_words), _gap, _c)))
    assert not _missed, f"{_n} words, place {_gap} removed, c = {_c}: the windows at {_missed} change too."
### END HIDDEN TESTS

# %%
sentence, gap = fox.splits["train"][0], 2
grid = np.full((2, 9), np.nan)
grid[0] = [i > gap for i in range(9)]
grid[1] = [i in changed_words(sentence, gap, 2) for i in range(9)]
grid[:, gap] = np.nan
_, axes = plt.subplots(figsize=(7, 1.4))
axes.imshow(grid, cmap="cividis", aspect="auto", vmin=-0.3, vmax=1.3)
axes.axhline(0.5, color="white", linewidth=4)
axes.set_xticks(range(9), sentence)
axes.set_yticks([0, 1], ["whole text, from the left", "centred window, c = 2"])
axes.set_title("light: represented anew without brown", loc="left")
axes.grid(False)
plt.show()

# %% [markdown]
# The claim holds if the *whole text* is laid end to end from the left: six words move to other weights. A centred window
# changes four, *a* and *quick* among them, and the rest stay.
#
# So a window is steady and cheap, but blind beyond its edge; widening costs weights that hardly learn. We shall want an architecture that looks
# far without paying for it. First the same window, used to guess the next word.
