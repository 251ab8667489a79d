# ---
# title: Word windows
# ---

# %% [markdown]
# So far a model counted. From here on it **learns vectors**: words become points, and a small network reads a few of them
# at a time through a window. First the window finds a word's part of speech; then it guesses the
# next word, as in the neural language model of Bengio and others (2003).
#
# You will write your own training loop once, and see where windows break. That break is the reason for chapters
# 05 and 06.

# %% [markdown]
# Two sittings: sections 1 to 8 (tags), then 9 to 15 (the next word). All your functions leave their arguments as they
# are: who calls them needs these again.
#
# The slides you will check come from public lectures: 000 (unsigned), 001 (Greg Durrett), 002 (Fabrizio Silvestri), 003
# (Yoav Artzi). The text is the *kitchen* text: restaurant stories written by a program, so that each word's part of speech is
# known, and also how well the next word *can* be guessed.

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
from lmkit import kitchen as language
from lmkit import ngrams, plots
from lmkit.budgets import budget
from lmkit.testing import (
    arguments_after,
    close,
    gradients,
    is_number,
    laid_out_otherwise,
    parameter_gradients,
    reading_once,
)
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
    print(" ".join(words), "| tag of the second word:", tags[1])
print(
    "same bag of words:",
    Counter(fox.splits["train"][0]) == Counter(fox.splits["train"][1]),
)

# %% [markdown]
# A vector of counts is the same for both, the rows of tags are not. So no function of the counts can tag, however deep.
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
# - `guess_ceiling`, before you measure: this share among the ambiguous tokens of the kitchen text (`plate`, `cook`, `to`, ...), collected
#   below. Then `measured_ceiling`.

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
ambiguous_words, ambiguous_tags = (
    [all_words[i] for i in ambiguous],
    [all_tags[i] for i in ambiguous],
)
print(
    f"{len(all_words):,} tokens, {len(ambiguous) / len(all_words):.0%} of them of a word with two tags or three"
)


# %% task="static_ceiling" points=4 level=1 minutes=8
def static_ceiling(words, tags):
    """The share of tokens that the best tagger of single words gets right; two lists of equal length.

    May and may are two words.
    """
    ### BEGIN SOLUTION
    counts = Counter(zip(words, tags, strict=True))
    best = Counter()
    for (word, _), count in counts.items():
        best[word] = max(best[word], count)
    return sum(best.values()) / len(words)
    ### END SOLUTION


# guess_ceiling = a number between 0 and 1, written down before you measure
# measured_ceiling = the share for the ambiguous tokens
### BEGIN SOLUTION
guess_ceiling = 0.6
measured_ceiling = static_ceiling(ambiguous_words, ambiguous_tags)
### END SOLUTION

# %% test="static_ceiling" aspect="increase stays at a half" points=1
_got = static_ceiling(
    ["increase"] * 6, ["NOUN", "VERB", "VERB", "NOUN", "NOUN", "VERB"]
)
assert is_number(_got), f"Return a share, a number; you return {_got!r}."
assert close(_got, 0.5, 1e-6), (
    f"Three NOUN, three VERB: one tag for all gets 3 of 6 right; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _counts in ((2, 5, 3), (1, 1, 4), (7, 7, 2), (1, 0, 0), (2, 2, 2)):
    _tags = [
        tag for tag, count in zip("XYZ", _counts, strict=True) for _ in range(count)
    ]
    random.shuffle(_tags)
    _got = static_ceiling(["word"] * len(_tags), list(_tags))
    assert is_number(_got), f"Return a share, a number; you return {_got!r}."
    assert close(_got, max(_counts) / sum(_counts), 1e-6), (
        f"One word, its tags {_counts} times: the best choice gets the largest of these right; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="static_ceiling" aspect="each word has its own tag" points=1
_got = static_ceiling(["the", "cook", "can", "cook"], ["DET", "NOUN", "AUX", "VERB"])
assert is_number(_got), f"Return a share, a number; you return {_got!r}."
assert close(_got, 0.75, 1e-6), (
    f"the, can and one cook right, the other cook wrong: 3 of 4; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _n in (1, 2, 3, 5, 8, 40, 300):
    _got = static_ceiling(
        [f"w{i}" for i in range(_n)] * 2, [f"T{i}" for i in range(_n)] * 2
    )
    assert is_number(_got), f"Return a share, a number; you return {_got!r}."
    assert close(_got, 1, 1e-6), (
        f"{_n} words, each always with a tag of its own: all right; yours: {_got}."
    )
_got = static_ceiling(
    ["May", "may", "May", "may", "may"], ["NOUN", "AUX", "NOUN", "AUX", "AUX"]
)
assert close(_got, 1, 1e-6), (
    f"May and may are two words, each with one tag: all 5 right; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="static_ceiling" aspect="shares of tokens, not words" points=1
_got = static_ceiling(["a", "a", "a", "a", "b", "b"], ["X", "X", "X", "Y", "X", "Y"])
assert is_number(_got), f"Return a share, a number; you return {_got!r}."
assert close(_got, 4 / 6, 1e-6), (
    f"Right: 3 of 4 times a, 1 of 2 times b, so 4 of 6 tokens; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _n in (1, 2, *random.choices(range(3, 30), k=15)):
    _words, _tags = random.choices("abcd", k=_n), random.choices("XYZ", k=_n)
    _words, _tags = (
        [*_words, *"aaaaabb"],
        [*_tags, *"YXXXZZY"],
    )  # neither the first nor the last tag is the best
    _best = sum(
        max(
            sum(w == v and t == u for w, t in zip(_words, _tags, strict=True))
            for u in "XYZ"
        )
        for v in "abcd"
    )
    _got = static_ceiling(list(_words), list(_tags))
    assert close(_got, _best / len(_words), 1e-6), (
        f"For {_words} with tags {_tags} the share is not {_got}."
    )
_left = arguments_after(static_ceiling, list("baab"), list("XYXY"))
assert [list(part) for part in _left] == [list("baab"), list("XYXY")], (
    "Your function changed the caller's lists."
)
### END HIDDEN TESTS

# %% test="static_ceiling" aspect="predicted, then measured" points=1
assert is_number(guess_ceiling), (
    f"guess_ceiling should be a number, not {guess_ceiling!r}."
)
assert 0 <= guess_ceiling <= 1, (
    f"guess_ceiling is a share between 0 and 1, not {guess_ceiling}; a wrong guess costs nothing."
)
assert is_number(measured_ceiling), (
    f"measured_ceiling should be a number, not {measured_ceiling!r}."
)
### BEGIN HIDDEN TESTS
_pairs = Counter(zip(ambiguous_words, ambiguous_tags, strict=True))
_wanted = sum(
    max(n for (w, _), n in _pairs.items() if w == word) for word in set(ambiguous_words)
)
assert close(measured_ceiling, _wanted / len(ambiguous_words), atol=0.002), (
    f"measured_ceiling = {measured_ceiling}: apply your function to ambiguous_words and ambiguous_tags."
)
### END HIDDEN TESTS

# %%
print(
    f"ceiling for all tokens {static_ceiling(all_words, all_tags):.1%}; for the ambiguous ones {measured_ceiling:.1%}"
)

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
    assert torch.is_tensor(_got), f"Return a tensor; you return {_got!r}."
    assert tuple(_got.shape) == (3, 2 * _c + 1), (
        f"Three words, c = {_c}: shape (3, {2 * _c + 1}) wanted; yours: {tuple(_got.shape)}."
    )
    assert str(_got.dtype) in ("torch.int64", "torch.int32"), (
        f"Word numbers are integers, an embedding takes no others than int64 and int32; yours: {_got.dtype}."
    )
### BEGIN HIDDEN TESTS
for _T, _c in ((1, 0), (1, 1), (1, 4), (2, 5), (4, 6), (7, 0), (8, 3), (300, 2)):
    _ids = random.choices(range(1, 999), k=_T)
    _got = windows(list(_ids), _c)
    assert torch.is_tensor(_got), (
        f"T = {_T}, c = {_c}: return a tensor; you return {_got!r}."
    )
    assert tuple(_got.shape) == (_T, 2 * _c + 1), (
        f"T = {_T}, c = {_c}: shape {(_T, 2 * _c + 1)} wanted; yours: {tuple(_got.shape)}."
    )
    assert str(_got.dtype) in ("torch.int64", "torch.int32"), (
        f"T = {_T}, c = {_c}: integers wanted, not {_got.dtype}."
    )
    assert list(arguments_after(windows, list(_ids), _c)[0]) == _ids, (
        "windows changed the caller's list: copy it."
    )
### END HIDDEN TESTS

# %% test="windows" aspect="the word stands in the middle" points=1
_got = windows([4, 8, 6, 3, 9], 1)
assert torch.is_tensor(_got), f"Return a tensor; you return {_got!r}."
_got = _got.tolist()
assert len(_got) == 5 and len(_got[0]) == 3, f"Shape (5, 3) wanted; yours: {_got}."
assert [row[1] for row in _got] == [4, 8, 6, 3, 9], (
    f"The middle column should read like the text; yours: {_got}."
)
assert _got[2] == [8, 6, 3], f"Left of 6 stands 8, right of it 3; yours: {_got[2]}."
### BEGIN HIDDEN TESTS
_texts = [
    ([5, 5, 7, 5, 5, 8], 2),
    ([300, 70_000, 300, 9], 1),
    ([20_000_001, 3, 20_000_001], 1),
]  # repeats, large numbers
_texts += [
    (random.choices(range(1, 6), k=random.randint(6, 12)), random.randint(1, 4))
    for _ in range(8)
]
for _ids, _c in _texts:
    _got = windows(list(_ids), _c)
    assert torch.is_tensor(_got) and tuple(_got.shape) == (len(_ids), 2 * _c + 1), (
        f"{_ids}, c = {_c}: a tensor of shape {(len(_ids), 2 * _c + 1)} wanted."
    )
    _got = _got.tolist()
    for _t in range(len(_ids)):
        for _k in range(-_c, _c + 1):
            if 0 <= _t + _k < len(_ids):
                _seen = _got[_t][_k + _c]
                assert _seen == _ids[_t + _k], (
                    f"{_ids}, c = {_c}: word {_t}, offset {_k} should not be {_seen}."
                )
### END HIDDEN TESTS

# %% test="windows" aspect="PAD beyond both ends" points=1
_got = windows([4, 8, 6, 3], 2)
assert torch.is_tensor(_got) and len(_got) == 4, (
    f"Return a tensor with four rows; you return {_got!r}."
)
_got = _got.tolist()
assert _got[0] == [0, 0, 4, 8, 6], (
    f"The first window of 4 8 6 3 has two PAD in front, then 4 8 6; yours: {_got[0]}."
)
assert _got[-1] == [8, 6, 3, 0, 0], (
    f"The last window has two PAD behind; yours: {_got[-1]}."
)
### BEGIN HIDDEN TESTS
for _T, _c in ((1, 1), (1, 5), (2, 2), (2, 6), (3, 4), (5, 5), (4, 9), (9, 2)):
    _ids = random.choices(range(1, 99), k=_T)
    _got = windows(list(_ids), _c)
    assert torch.is_tensor(_got) and tuple(_got.shape) == (_T, 2 * _c + 1), (
        f"{_T} words, c = {_c}: {_T} rows wanted."
    )
    for _t, _row in enumerate(_got.tolist()):
        _pads = [not 0 <= _t + k < _T for k in range(-_c, _c + 1)]
        assert [number == 0 for number in _row] == _pads, (
            f"{_T} words, c = {_c}: PAD, 0, at other places than beyond the ends in window {_t}: {_row}."
        )
### END HIDDEN TESTS

# %% test="windows" aspect="the share of PAD" points=1
for _c, _wanted in ((0, 0.0), (1, 2 / 12), (2, 6 / 20)):
    _got = pad_share(4, _c)
    assert is_number(_got), f"pad_share returns a number; yours: {_got!r}."
    assert close(_got, _wanted, atol=1e-6), (
        f"Four words, c = {_c}: {_wanted:.3f} wanted; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_sizes = [
    (n, c)
    for n in (1, 2, 5, 8)
    for c in (0, 1, n - 1, n, n + 1, n + 2, n + 5, 3 * n + 7)
]
for _n, _c in [
    *_sizes,
    (16, 100),
    *((random.randint(1, 9), random.randint(0, 20)) for _ in range(10)),
]:
    _pads = sum(not 0 <= t + k < _n for t in range(_n) for k in range(-_c, _c + 1))
    _got = pad_share(_n, _c)
    assert close(_got, _pads / (_n * (2 * _c + 1)), 1e-5, 1e-6), (
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
        ends = [
            0,
            *(i + 1 for i, word in enumerate(document) if word == "."),
            len(document),
        ]
        yield from (
            (document[a:b], tags[a:b])
            for a, b in zip(ends, ends[1:], strict=False)
            if a < b
        )


train_text, valid_text = list(sentences("train")), list(sentences("valid"))
print(*train_text[4][0])

# %%
reach = [1, 2, 5, 10, 20, 50, 100]
_, (left, right) = plt.subplots(1, 2)
plots.lengths([len(words) for words, _ in train_text], left)
right.plot(reach, [100 * pad_share(16, c) for c in reach], "o-", color=plots.COLOURS[1])
right.set(
    xlabel="words on each side, c",
    ylabel="PAD, % of the places",
    xscale="log",
    ylim=(0, 100),
)
right.set_title("a text of 16 words", loc="left")
plt.show()

# %% [markdown]
# A text of 16 words, lecture 000's example: with 100 words on each side, 92 % of the input says nothing. (It calls
# such lengths "exponential". That law has its peak at 0; this one does not.) So take a few words; how do they become one input?

# %% [markdown] statement="scores"
# ## 4. Averaging forgets, concatenating does not
#
# Five word vectors can be averaged, or laid end to end: $x$. Then class $j$ scores
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
vectors = np.array(
    [[7, 9, 1], [0, 1, 5], [1, 1, 2], [-1, 0, 5], [2, -1, -7]]
)  # please increase the music volume
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
assert is_number(_got), f"score_by_loop returns one number; yours: {_got!r}."
assert close(_got, 15), f"2·10 − 1·5 = 15; yours: {_got}."
### BEGIN HIDDEN TESTS
for _D, _j in ((6, 0), (6, 1), (6, 2), (1, 1), (2, 2), (9, 0), (40, 1), (300, 2)):
    _x, _W = (
        np.random.default_rng().normal(size=_D),
        np.random.default_rng().normal(size=(_D, 3)),
    )
    _got = score_by_loop(_x.copy(), _W.copy(), _j)
    assert is_number(_got), f"score_by_loop returns one number; yours: {_got!r}."
    assert close(_got, np.dot(_W.T[_j], _x), 1e-5, 1e-5), (
        f"Class {_j}: {_got} is not the sum over all {_D} rows."
    )
    _left = arguments_after(score_by_loop, _x.copy(), _W.copy(), _j)
    assert close(_left[0], _x) and close(_left[1], _W), (
        "score_by_loop changed the caller's arrays."
    )
_x, _W = np.array([0.5, -1.25, 0.75]), np.array([[3, 1], [2, 5], [1, 4]])
for _parts in ((_x, _W), (4 * _W[:, 0], _W / 4)):
    _got = score_by_loop(*(_part.copy() for _part in _parts), 1)
    assert close(_got, _parts[0] @ _parts[1][:, 1], 1e-5), (
        f"Whole numbers in one, fractions in the other: x = {_parts[0].tolist()}, "
        f"W = {_parts[1].tolist()}, class 1: the score is not {_got}."
    )
### END HIDDEN TESTS

# %% test="scores" aspect="each word meets its own rows" points=1
_W = np.arange(6.0)[:, None] + np.zeros((6, 2))
for _k in range(3):
    _vectors = np.zeros((3, 2))
    _vectors[_k] = 1, 1
    _got = score_by_word(_vectors, _W, 0)
    assert is_number(_got), f"score_by_word returns one number; yours: {_got!r}."
    assert close(_got, 4 * _k + 1), (
        f"d = 2: word {_k} meets rows {2 * _k} and {2 * _k + 1}; your score is {_got}."
    )
### BEGIN HIDDEN TESTS
for _n, _d in ((4, 2), (2, 5), (1, 3), (3, 1), (5, 4), (2, 3), (20, 3), (3, 40)):
    _j = random.randint(0, 2)
    _draw = np.random.default_rng()
    for _vectors, _W in (
        (_draw.normal(size=(_n, _d)), _draw.normal(size=(_n * _d, 3))),
        (_draw.integers(-9, 9, (_n, _d)), _draw.normal(size=(_n * _d, 3))),
        (_draw.normal(size=(_n, _d)), _draw.integers(-9, 9, (_n * _d, 3))),
    ):
        _wanted = sum(
            _vectors[k, i] * _W[k * _d + i, _j] for k in range(_n) for i in range(_d)
        )
        _got = score_by_word(_vectors.copy(), _W.copy(), _j)
        assert is_number(_got), (
            f"{_n} words of width {_d}: score_by_word returns one number; yours: {_got!r}."
        )
        assert close(_got, _wanted, 1e-5, 1e-4), (
            f"{_n} words of width {_d}, class {_j}: the score is not {_got}."
        )
    _left = arguments_after(score_by_word, _vectors.copy(), _W.copy(), _j)
    assert close(_left[0], _vectors) and close(_left[1], _W), (
        "score_by_word changed the caller's arrays."
    )
### END HIDDEN TESTS

# %% test="scores" aspect="all classes at once" points=1
_got = all_scores(vectors.copy(), W.copy())
assert np.shape(_got) == (4,), f"Four classes, four scores; yours: {_got!r}."
### BEGIN HIDDEN TESTS
for _n, _d, _K in (
    (4, 2, 3),
    (2, 5, 3),
    (1, 3, 4),
    (3, 1, 2),
    (5, 4, 6),
    (2, 3, 1),
    (20, 3, 2),
    (3, 40, 30),
):
    _vectors, _W = (
        np.random.default_rng().normal(size=(_n, _d)),
        np.random.default_rng().normal(size=(_n * _d, _K)),
    )
    _wanted = np.einsum("kd,kdj->j", _vectors, _W.reshape(_n, _d, _K))
    _got = all_scores(_vectors.copy(), _W.copy())
    assert np.shape(_got) == (_K,), f"{_K} classes, {_K} scores; yours: {_got!r}."
    assert close(_got, _wanted, 1e-5, 1e-5), (
        "all_scores: some word meets the rows of another. Lay the vectors end to end."
    )
    _left = arguments_after(all_scores, _vectors.copy(), _W.copy())
    assert close(_left[0], _vectors) and close(_left[1], _W), (
        "all_scores changed the caller's arrays."
    )
### END HIDDEN TESTS

# %% test="scores" aspect="three ways, one number" points=1
_x = np.array([7, 9, 1, 0, 1, 5, 1, 1, 2, -1, 0, 5, 2, -1, -7])
_all = all_scores(vectors.copy(), W.copy())
assert np.shape(_all) == (4,), (
    f"all_scores: four classes, four scores; yours: {_all!r}."
)
for _j in range(4):
    _ways = [
        score_by_loop(_x, W.copy(), _j),
        score_by_word(vectors.copy(), W.copy(), _j),
        _all[_j],
    ]
    assert all(is_number(way) for way in _ways), (
        f"Three numbers wanted; yours: {_ways}."
    )
    assert close(_ways, [_x @ W[:, _j]] * 3, 1e-5, 1e-5), (
        f"{classes[_j]}: the three ways give {_ways}, not one number."
    )
### BEGIN HIDDEN TESTS
for _n, _d, _K in ((3, 2, 5), (2, 4, 3), (20, 3, 2)):
    _vectors, _W = (
        np.random.default_rng().normal(size=(_n, _d)),
        np.random.default_rng().normal(size=(_n * _d, _K)),
    )
    _all = all_scores(_vectors.copy(), _W.copy())
    assert np.shape(_all) == (_K,), (
        f"all_scores: {_K} classes, {_K} scores; yours: {_all!r}."
    )
    for _j in range(_K):
        _one = (
            score_by_loop(_vectors.flatten(), _W.copy(), _j),
            score_by_word(_vectors.copy(), _W.copy(), _j),
            _all[_j],
        )
        assert close(_one, [_vectors.flatten() @ _W[:, _j]] * 3, 1e-5, 1e-5), (
            f"{_n} words of width {_d}, class {_j}: the three ways give {_one}, not one number."
        )
### END HIDDEN TESTS

# %%
print("x =", vectors.reshape(-1), "| weights:", W.size)
print(
    "scores, the words in order:",
    all_scores(vectors, W).round(1),
    "mean",
    vectors.mean(0),
)
print(
    "scores, the words reversed:",
    all_scores(vectors[::-1], W).round(1),
    "mean",
    vectors[::-1].mean(0),
)

# %% [markdown]
# The mean is the same for all 120 orders. It forgets where the words stand, and which one is to be tagged: with
# *the* in the middle, or with *music*, it is the same point. Concatenation keeps both: the tagged
# word always meets rows 6 to 8. The price: $W$ grows with the window. And who fills it? Nobody by hand: it is learned.

# %% [markdown] statement="descend"
# ## 5. A training loop of your own
#
# Softmax turns scores into probabilities; the **loss** is the mean of $-\ln P(\text{right tag})$: cross-entropy, in nats. Training
# moves every weight a little against its gradient, batch after batch. Write that loop for the linear tagger: `descend(W, b, batches, rate)`
# returns the new `W` and `b` (plain tensors that no longer ask for gradients) and the list of losses (floats), each measured *before* its step.
#
# `F.cross_entropy(scores, y)` is the loss; torch computes gradients.

# %% [markdown] hints="descend"
# 1. Three lines for each batch: loss, gradients, step.
# 2. A tensor collects gradients only if it `requires_grad`; after the step you want a plain new start. What if gradients of
#    the batch before are still there?
# 3. Make the two tensors ask for gradients, compute the loss of `x @ W + b`, ask `torch.autograd.grad` for its two gradients,
#    and bind the names to new, detached tensors: old value minus rate times gradient.


# %% task="descend" points=4 level=3 minutes=20
def descend(W, b, batches, rate):
    """One step of gradient descent for each (x, y) of `batches`; returns W, b and the list of losses.

    W (D, K) and b (K,) are the weights to start from and stay as they are; x (B, D) are inputs, y (B,) the right
    classes. B may differ from batch to batch; `batches` may be a generator, which can be read only once.
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
assert isinstance(_got, tuple | list) and len(_got) == 3, (
    f"Return W, b and the losses; yours: {_got!r}."
)
assert isinstance(_got[2], tuple | list | np.ndarray) and all(
    is_number(loss) and not torch.is_tensor(loss) for loss in _got[2]
), f"The losses are floats: a tensor drags its whole graph along. Yours: {_got[2]!r}."
_losses = list(_got[2])
assert len(_losses) == 3, f"Three batches, three losses; yours: {_losses}."
assert close(_losses[0], math.log(3), 1e-4), (
    f"At zero weights the loss is ln 3; yours: {_losses[0]}."
)
assert _losses[2] < _losses[1] < _losses[0], (
    f"On the same batch again the loss should fall; yours: {_losses}."
)
### BEGIN HIDDEN TESTS
for _sizes in ((1,), (6, 1, 4), (2, 5, 3, 3)):
    _W, _b, _rate = torch.randn(4, 3), torch.randn(3), random.uniform(0.1, 0.5)
    _batches = [(torch.randn(size, 4), torch.randint(3, (size,))) for size in _sizes]
    _got = descend(_W.clone(), _b.clone(), list(_batches), _rate)
    assert isinstance(_got, tuple | list) and len(_got) == 3, (
        f"Return W, b and the losses; yours: {_got!r}."
    )
    _wanted = []
    for _x, _y in _batches:
        _error = (_x @ _W + _b).softmax(1) - F.one_hot(_y, 3)
        _wanted.append(F.cross_entropy(_x @ _W + _b, _y).item())
        _W, _b = _W - _rate * _x.T @ _error / len(_y), _b - _rate * _error.mean(0)
    assert close(_got[2], _wanted, 1e-3, 1e-4), (
        f"Batches of {_sizes} examples: each loss is the mean over its batch, at the weights before the step; "
        f"wanted {np.round(_wanted, 4)}, yours: {_got[2]}."
    )
### END HIDDEN TESTS

# %% test="descend" aspect="one step against the gradient" points=1
_got = descend(
    torch.zeros(2, 2),
    torch.zeros(2),
    [(torch.tensor([[2.0, 4.0]]), torch.tensor([1]))],
    0.1,
)
assert isinstance(_got, tuple | list) and len(_got) == 3, (
    f"Return W, b and the losses; yours: {_got!r}."
)
assert getattr(_got[0], "requires_grad", True) is False, (
    f"The new W is a plain tensor that asks for no gradients: detach it. Yours: {_got[0]!r}."
)
assert close(_got[0], [[-0.1, 0.1], [-0.2, 0.2]], atol=1e-5), (
    f"After one step W should not be {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
for _B in (1, 3, 6, 7, 10):
    _W, _b = torch.randn(4, 3).double(), torch.randn(3).double()
    _x, _y, _rate = (
        5 * torch.randn(_B, 4).double(),
        torch.randint(3, (_B,)),
        random.uniform(0.1, 1.5),
    )
    _error = (_x @ _W + _b).softmax(1) - F.one_hot(_y, 3)
    _got = descend(_W.clone(), _b.clone(), [(_x.clone(), _y.clone())], _rate)
    assert isinstance(_got, tuple | list) and len(_got) == 3, (
        f"Return W, b and the losses; yours: {_got!r}."
    )
    assert close(_got[0], _W - _rate * _x.T @ _error / _B, 1e-5, 1e-5), (
        f"One step, a batch of {_B}: W moves by rate times the gradient of the *mean* loss, downhill; yours does not."
    )
### END HIDDEN TESTS

# %% test="descend" aspect="the bias learns too" points=1
_got = descend(
    torch.zeros(2, 2),
    torch.zeros(2),
    [(torch.tensor([[2.0, 4.0]]), torch.tensor([1]))],
    0.1,
)
assert isinstance(_got, tuple | list) and len(_got) == 3, (
    f"Return W, b and the losses; yours: {_got!r}."
)
assert getattr(_got[1], "requires_grad", True) is False, (
    f"The new b is a plain tensor that asks for no gradients: detach it. Yours: {_got[1]!r}."
)
assert close(_got[1], [-0.05, 0.05], atol=1e-5), (
    f"After one step b should not be {_got[1].tolist()}."
)
### BEGIN HIDDEN TESTS
for _B in (1, 6):
    _W, _b, _x, _y = (
        torch.randn(4, 3),
        torch.randn(3),
        torch.randn(_B, 4),
        torch.randint(3, (_B,)),
    )
    _error = ((_x @ _W + _b).softmax(1) - F.one_hot(_y, 3)).mean(0)
    _got = descend(_W.clone(), _b.clone(), [(_x, _y)], 0.7)
    assert isinstance(_got, tuple | list) and len(_got) == 3, (
        f"Return W, b and the losses; yours: {_got!r}."
    )
    assert close(_got[1], _b - 0.7 * _error, 1e-4, 1e-5), (
        "b moves by rate times its own gradient; yours does not."
    )
_left = arguments_after(descend, _W.clone(), _b.clone(), [(_x, _y)] * 2, 0.7)
assert close(_left[0], _W) and close(_left[1], _b), (
    "descend changed the caller's W or b: start from copies."
)
assert all(getattr(part, "requires_grad", True) is False for part in _left[:2]), (
    "The caller's W and b ask for gradients after descend: let a copy of them ask."
)
### END HIDDEN TESTS

# %% test="descend" aspect="gradients do not pile up" points=1
_batches = [
    (torch.tensor([[1.0, 2.0]]), torch.tensor([0])),
    (torch.tensor([[3.0, -1.0]]), torch.tensor([1])),
]
_got = descend(torch.zeros(2, 2), torch.zeros(2), _batches * 2, 0.3)
assert isinstance(_got, tuple | list) and len(_got) == 3, (
    f"Return W, b and the losses; yours: {_got!r}."
)
for _value in _got[:2]:
    assert getattr(_value, "requires_grad", True) is False, (
        f"W and b should ask for no gradients; yours: {_value!r}."
    )
_W, _b = torch.zeros(2, 2), torch.zeros(2)
for _x, _y in _batches * 2:
    _error = (_x @ _W + _b).softmax(1) - F.one_hot(_y, 2)
    _W, _b = _W - 0.3 * _x.T @ _error, _b - 0.3 * _error.sum(0)
assert close(_got[0], _W, atol=1e-5), (
    "Every step takes the gradient of its own batch alone, at the newest weights."
)
assert close(_got[1], _b, atol=1e-5), (
    "The same holds for b: each step the gradient of its own batch alone."
)
### BEGIN HIDDEN TESTS
_batches = [(torch.randn(size, 5), torch.randint(3, (size,))) for size in (4, 1, 6)]
_W, _b = torch.randn(5, 3), torch.randn(3)
_got = reading_once(descend, _W.clone(), _b.clone(), list(_batches), 0.4)
assert isinstance(_got, tuple | list) and len(_got) == 3, (
    f"Return W, b and the losses; yours: {_got!r}."
)
for _x, _y in _batches:
    _error = ((_x @ _W + _b).softmax(1) - F.one_hot(_y, 3)) / len(_y)
    _W, _b = _W - 0.4 * _x.T @ _error, _b - 0.4 * _error.sum(0)
assert close(_got[0], _W, 1e-4, 1e-5) and close(_got[1], _b, 1e-4, 1e-5), (
    "Three batches of 4, 1 and 6 examples from a generator: three steps wanted, each with its own batch's gradient."
)
assert hasattr(_got[2], "__len__") and len(_got[2]) == 3, (
    f"Three batches from a generator, three losses; yours: {_got[2]!r}."
)
### END HIDDEN TESTS

# %% [markdown]
# Now on the kitchen text: random vectors of 32 numbers for the words, five words at a time, averaged or concatenated.

# %%
vocabulary = ["<PAD>", "<UNK>", *kitchen.vocabulary]
number = {word: i for i, word in enumerate(vocabulary)}
tag_names = sorted(set(all_tags))


def encode(text, c):
    """All windows of a list of tagged sentences (N, 2c + 1), and the tags (N,)."""
    rows = [windows([number.get(word, 1) for word in words], c) for words, _ in text]
    return torch.cat(rows), torch.tensor(
        [tag_names.index(tag) for _, tags in text for tag in tags]
    )


# %%
inputs, targets = encode(train_text, 10)  # the widest windows that we shall need
valid_inputs, valid_targets = encode(valid_text, 10)


def middle(rows, c):
    """From these wide windows those of c words on each side."""
    return rows[:, 10 - c : 11 + c]


# %%
fixed = torch.randn(len(vocabulary), 32, generator=torch.Generator().manual_seed(4))
fixed[0] = 0
ways = {
    "mean": lambda rows: fixed[middle(rows, 2)].mean(1),
    "concatenated": lambda rows: fixed[middle(rows, 2)].flatten(1),
}
pick = shuffled(len(targets), 256, seed=4)

# %%
_, axes = plt.subplots()
for name, way in ways.items():
    D = way(inputs[:1]).shape[1]
    batches = ((way(inputs[pick(i)]), targets[pick(i)]) for i in range(300))
    linear_W, linear_b, curve = descend(
        torch.zeros(D, len(tag_names)), torch.zeros(len(tag_names)), batches, 0.5
    )
    correct = (way(valid_inputs) @ linear_W + linear_b).argmax(1) == valid_targets
    axes.plot(curve, label=f"{name}: {100 * correct.double().mean():.0f} % right")
axes.set(xlabel="step", ylabel="loss (nats per token)", ylim=(0, None))
axes.legend()
plt.show()

# %% [markdown]
# The mean stays far behind, and would with learned vectors: see the last row of the table in section 6. But even the
# concatenation stays below the ceiling of single words. Two things are missing: vectors that learn, and a layer in which words can meet.

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
    _wanted = {
        "embedding.weight": (9, 3),
        "hidden.weight": (6, _inputs),
        "hidden.bias": (6,),
    }
    _wanted |= {"out.weight": (4, 6), "out.bias": (4,)}
    assert _shapes == _wanted, (
        f"mean={_mean}, dim=3, width=6: weights {_wanted} wanted; yours: {_shapes}."
    )
### BEGIN HIDDEN TESTS
for _c, _mean, _inputs in (
    (0, False, 32),
    (1, False, 96),
    (3, False, 224),
    (0, True, 32),
    (3, True, 32),
):
    _state = dict(WindowTagger(7, 3, _c, mean=_mean).state_dict())
    _wanted = {
        "embedding.weight": (7, 32),
        "hidden.weight": (64, _inputs),
        "hidden.bias": (64,),
    }
    _wanted |= {"out.weight": (3, 64), "out.bias": (3,)}
    assert set(_state) == set(_wanted), (
        f"Weights {sorted(_wanted)} wanted; yours: {sorted(_state)}."
    )
    _shapes = {name: tuple(_state[name].shape) for name in _wanted}
    assert _shapes == _wanted, (
        f"context={_c}, mean={_mean}: weights {_wanted} wanted; yours: {_shapes}."
    )
### END HIDDEN TESTS

# %% test="WindowTagger" aspect="PAD is zero and stays so" points=1
_model = WindowTagger(9, 4, 1, dim=3, width=64)
_state = dict(_model.state_dict())
assert "embedding.weight" in _state, (
    f"Call the vectors self.embedding; your parts: {sorted(_state)}."
)
assert np.shape(_state["embedding.weight"]) == (9, 3), (
    "Nine words, vectors of three numbers: shape (9, 3) wanted."
)
assert not _state["embedding.weight"][0].any(), (
    "The vector of PAD, number 0, should be zero from the start."
)
_found = parameter_gradients(_model, torch.tensor([[0, 2, 3], [4, 5, 0]]))[
    "embedding.weight"
]
assert np.shape(_found) == (9, 3), (
    "The vectors receive no gradient: they would never learn."
)
assert not _found[0].any(), (
    "The vector of PAD receives a gradient, so training would move it."
)
assert _found[[2, 5]].abs().amax(1).min() > 1e-5, (
    "More of a word's vector should change the sum of all scores."
)
### BEGIN HIDDEN TESTS
for _c, _mean in ((0, False), (1, False), (2, True)):
    _model = WindowTagger(11, 5, _c, dim=4, width=6, mean=_mean)
    assert not dict(_model.state_dict())["embedding.weight"][0].any(), (
        "The vector of PAD, number 0, starts at zero."
    )
    _D = 4 if _mean else 4 * (2 * _c + 1)
    _s = {"embedding.weight": (11, 4), "hidden.weight": (6, _D), "hidden.bias": (6,)}
    _s |= {"out.weight": (5, 6), "out.bias": (5,)}
    _s = {name: torch.randn(shape) / 2 for name, shape in _s.items()}
    _s["embedding.weight"][0] = 0
    _model.load_state_dict(_s)
    _rows = torch.randint(11, (7, 2 * _c + 1))
    _rows[0, 0] = _rows[1, -1] = 0
    _found = parameter_gradients(_model, _rows.clone())
    _s = {name: value.clone().requires_grad_() for name, value in _s.items()}
    _x = _s["embedding.weight"][_rows]
    _x = _x.mean(1) if _mean else _x.flatten(1)
    _a = torch.tanh(_x @ _s["hidden.weight"].T + _s["hidden.bias"])
    _scores = _a @ _s["out.weight"].T + _s["out.bias"]
    _wanted = dict(
        zip(_s, torch.autograd.grad(_scores.sum(), list(_s.values())), strict=True)
    )
    _wanted["embedding.weight"][0] = 0
    assert not _found["embedding.weight"][0].any(), (
        "The vector of PAD receives a gradient: training would move it."
    )
    for _name in _wanted:
        assert close(_found[_name], _wanted[_name], 1e-3, 1e-4), (
            f"c = {_c}, mean={_mean}: {_name} does not receive the gradient that it should."
        )
### END HIDDEN TESTS

# %% test="WindowTagger" aspect="scores of the concatenation" points=1
_got = WindowTagger(9, 4, 2)(torch.tensor([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]))
assert tuple(getattr(_got, "shape", ())) == (2, 4), (
    f"Two windows, four tags: shape (2, 4) wanted; yours: {_got!r}."
)
assert not close(_got[0].detach(), _got[1].detach()), (
    "Reversed, a window gives the same scores: order is lost."
)
### BEGIN HIDDEN TESTS
_cases = ((0, 6), (1, 8), (2, 1), (2, 7), (3, 6))
_models = [WindowTagger(11, 3, c, dim=4, width=9) for c, _ in _cases]
_others = [WindowTagger(11, 3, c, dim=5, width=9, mean=True) for c, _ in _cases]
for (_c, _B), _model in zip(_cases, _models, strict=True):
    _s = {
        "embedding.weight": (11, 4),
        "hidden.weight": (9, 4 * (2 * _c + 1)),
        "hidden.bias": (9,),
    }
    _s |= {"out.weight": (3, 9), "out.bias": (3,)}
    _s = {name: torch.randn(shape) for name, shape in _s.items()}
    _s["embedding.weight"][0] = 0
    _model.load_state_dict(_s)
    _rows = torch.randint(11, (_B, 2 * _c + 1))
    _rows[0, -1] = 0
    _x = torch.stack(
        [torch.cat([_s["embedding.weight"][i] for i in row]) for row in _rows]
    )
    _h = torch.tanh(_x @ _s["hidden.weight"].T + _s["hidden.bias"])
    try:
        _got = _model(_rows.clone())
    except RuntimeError as _error:
        raise AssertionError(
            f"c = {_c}, other taggers made since, with mean=True: forward fails ({_error})."
        ) from None
    assert tuple(getattr(_got, "shape", ())) == (_B, 3), (
        f"{_B} windows, three tags: shape {(_B, 3)} wanted."
    )
    assert close(_got, _h @ _s["out.weight"].T + _s["out.bias"], 1e-3, 1e-3), (
        f"c = {_c}: with given weights your scores are not b + U tanh(d + H x); look at order, tanh and biases."
    )
    assert close(arguments_after(_model, _rows.clone())[0], _rows), (
        "forward changed the caller's windows."
    )
for (_c, _B), _model in zip(_cases, _others, strict=True):
    _s = dict(_model.state_dict())
    _rows = torch.randint(1, 11, (_B, 2 * _c + 1))
    _x = _s["embedding.weight"][_rows].mean(1)
    _h = torch.tanh(_x @ _s["hidden.weight"].T + _s["hidden.bias"])
    assert close(
        _model(_rows.clone()), _h @ _s["out.weight"].T + _s["out.bias"], 1e-3, 1e-3
    ), "Two taggers at once, one with mean=True: each keeps its own settings."
### END HIDDEN TESTS

# %% test="WindowTagger" aspect="scores of the mean" points=1
_got = WindowTagger(9, 4, 1, mean=True)(torch.tensor([[1, 2, 3], [3, 1, 2], [2, 2, 2]]))
assert tuple(getattr(_got, "shape", ())) == (3, 4), (
    f"Three windows, four tags: shape (3, 4) wanted; yours: {_got!r}."
)
assert close(_got[0], _got[1].detach(), 1e-5, 1e-5), (
    "With mean=True the order should not matter."
)
assert not close(_got[0].detach(), _got[2].detach()), (
    "With mean=True all words should count, not the middle alone."
)
### BEGIN HIDDEN TESTS
_cases = ((0, 6), (1, 8), (2, 1), (2, 7), (3, 6))
_models = [WindowTagger(11, 3, c, dim=4, width=9, mean=True) for c, _ in _cases]
WindowTagger(11, 3, 2, dim=4, width=9)  # a newer one changes none of these
for (_c, _B), _model in zip(_cases, _models, strict=True):
    _s = {"embedding.weight": (11, 4), "hidden.weight": (9, 4), "hidden.bias": (9,)}
    _s |= {"out.weight": (3, 9), "out.bias": (3,)}
    _s = {name: torch.randn(shape) for name, shape in _s.items()}
    _s["embedding.weight"][0] = 0
    _model.load_state_dict(_s)
    _rows = torch.randint(1, 11, (_B, 2 * _c + 1))
    _rows[0, :_c] = 0  # PAD counts as a place
    _x = torch.stack(
        [sum(_s["embedding.weight"][i] for i in row) / (2 * _c + 1) for row in _rows]
    )
    _h = torch.tanh(_x @ _s["hidden.weight"].T + _s["hidden.bias"])
    _got = _model(_rows.clone())
    assert tuple(getattr(_got, "shape", ())) == (_B, 3), (
        f"{_B} windows, three tags: shape {(_B, 3)} wanted."
    )
    assert close(_got, _h @ _s["out.weight"].T + _s["out.bias"], 1e-3, 1e-3), (
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
    """A trained tagger and the windows that it learned from."""
    seen = middle(inputs, context)
    set_seed(seed)
    model = WindowTagger(len(vocabulary), len(tag_names), context, mean=mean)
    with torch.no_grad():
        model.embedding.weight *= 0.3  # short vectors learn faster
    train(
        model,
        lambda step: (seen[pick(step)], targets[pick(step)]),
        lambda model, batch: (
            F.cross_entropy(model(batch[0]), batch[1]),
            len(batch[1]),
        ),
        steps=budget().choose(grading=150, laptop=600, gpu=3000),
        rate=3e-2,
        schedule=warmup_cosine(20),
        device="cpu",
    )
    return model, seen


# %%
unsure = torch.tensor([kinds[word] > 1 for words, _ in valid_text for word in words])
table, taggers = {}, {}
for context, mean in (
    (0, False),
    (1, False),
    (2, False),
    (5, False),
    (10, False),
    (2, True),
):
    taggers[context, mean], seen = train_tagger(context, mean)
    correct = (
        taggers[context, mean](middle(valid_inputs, context)).argmax(1) == valid_targets
    )
    table[f"mean, {context}" if mean else str(context)] = {
        "right, %": round(100 * correct.double().mean().item()),
        "ambiguous, %": round(100 * correct[unsure].double().mean().item()),
        "PAD, %": round(100 * (seen == 0).double().mean().item(), 1),
        "first layer": taggers[context, mean].hidden.weight.numel(),
        "inputs, MB": round(seen.numel() * 32 * 4 / 1e6),
    }
pd.DataFrame.from_dict(table, orient="index").rename_axis("window")

# %% [markdown]
# With window 0 the tagger comes up to the ceiling of section 2 and stops. One neighbour on each side breaks it; then little
# is left to gain, and more neighbours add parameters, padding and memory. (*Inputs*: the vectors of all windows of this small text.) Why do the far words not help?
#
# Try sentences of your own:

# %% scratch=true
sentence = ["the", "cook", "can", "cook", "the", "fish"]
scores = taggers[2, False](windows([number.get(word, 1) for word in sentence], 2))
print([tag_names[i] for i in scores.argmax(1)])

# %% [markdown] statement="norms_by_offset"
# ## 7. Far places starve
#
# Each place has its own rows in the first layer; above it they mix. Where `PAD` stands, $x$ is zero, and so is
# those rows' gradient from this example. Write
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
    """The norm of each place's block of rows, shape (2c + 1,); gradient is a tensor ((2c + 1) d, width), perhaps a transposed view."""
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
assert _got[0] == _got[2] == 0, (
    f"Only rows 2 and 3 are not zero, so the outer norms are; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _c, _d, _h in ((1, 2, 5), (2, 3, 4), (3, 4, 2), (0, 3, 2), (2, 1, 3)):
    for _place in range(2 * _c + 1):
        _gradient = torch.zeros((2 * _c + 1) * _d, _h)
        _gradient[_place * _d : (_place + 1) * _d] = 1 + torch.rand(_d, _h)
        _got = norms_by_offset(_gradient.clone(), _c)
        assert np.shape(_got) == (2 * _c + 1,), (
            f"c = {_c}: {2 * _c + 1} norms wanted; yours: {_got!r}."
        )
        assert [float(norm) > 0 for norm in _got] == [
            k == _place for k in range(2 * _c + 1)
        ], (
            f"c = {_c}, d = {_d}: only the rows of place {_place} are not zero; your norms: {_got}."
        )
### END HIDDEN TESTS

# %% test="norms_by_offset" aspect="root of the sum of squares" points=1
_got = norms_by_offset(torch.tensor([[3.0, -4.0], [0.0, 0.0], [5.0, 12.0]]), 1)
assert np.shape(_got) == (3,), f"c = 1: three places, three norms; yours: {_got!r}."
assert close(_got, [5, 0, 13], 1e-5), (
    f"The norms of (3, -4), (0, 0) and (5, 12) are 5, 0 and 13; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _c, _d, _h in ((1, 2, 5), (2, 3, 4), (3, 4, 2), (0, 3, 2), (2, 1, 3), (1, 4, 1)):
    _gradient = torch.randn((2 * _c + 1) * _d, _h)
    _wanted = [
        math.sqrt((_gradient[k * _d : (k + 1) * _d] ** 2).sum())
        for k in range(2 * _c + 1)
    ]
    _got = norms_by_offset(_gradient.clone(), _c)
    assert np.shape(_got) == (2 * _c + 1,), (
        f"c = {_c}: {2 * _c + 1} norms wanted; yours: {_got!r}."
    )
    assert close(_got, _wanted, 1e-4, 1e-4), (
        f"c = {_c}, d = {_d}: your norms {_got} are not those of the blocks."
    )
    _left = arguments_after(norms_by_offset, _gradient.clone(), _c)[0]
    assert close(_left, _gradient), "norms_by_offset changed the caller's gradient."
    _got = laid_out_otherwise(norms_by_offset, _gradient.clone(), _c)
    assert close(_got, _wanted, 1e-4, 1e-4), (
        "For a gradient that is a transposed view your norms are others."
    )
### END HIDDEN TESTS

# %% test="norms_by_offset" aspect="who has a word there" points=1
for _k, _wanted in ((0, 1), (1, 0.75), (-1, 0.75), (4, 0), (-9, 0)):
    _got = real_share(4, _k)
    assert is_number(_got), f"real_share returns a number; yours: {_got!r}."
    assert close(_got, _wanted, atol=1e-6), (
        f"Of 4 words, a share {_wanted} has a word at {_k}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
for _n in (1, 2, 5, 9, random.randint(10, 40)):
    for _k in {k for n in (0, 1, 2, _n - 1, _n, _n + 1, 2 * _n + 1) for k in (-n, n)}:
        _got = real_share(_n, _k)
        _wanted = sum(0 <= t + _k < _n for t in range(_n)) / _n
        assert is_number(_got) and close(_got, _wanted, 1e-5, 1e-6), (
            f"T = {_n}, offset {_k}: the share is not {_got}."
        )
### END HIDDEN TESTS

# %%
set_seed(4)
fresh, norms = WindowTagger(len(vocabulary), len(tag_names), 10), torch.zeros(21)
for step in range(30):
    fresh.zero_grad()
    F.cross_entropy(fresh(inputs[pick(step)]), targets[pick(step)]).backward()
    norms += norms_by_offset(fresh.hidden.weight.grad.T, 10) / 30

# %%
offsets = range(-10, 11)
lengths = [len(words) for words, _ in train_text]
expected = [
    100 * sum(T * real_share(T, k) for T in lengths) / sum(lengths) for k in offsets
]

# %%
_, (left, right) = plt.subplots(1, 2)
left.plot(offsets, 100 * (inputs > 0).double().mean(0), "o", label="counted")
left.plot(offsets, expected, color="gray", label="from the lengths")
left.set(
    xlabel="offset from the tagged word", ylabel="a word stands there, %", ylim=(0, 105)
)
left.legend(loc="lower center")
right.bar(offsets, norms, color=plots.COLOURS[1])
right.set(xlabel="offset from the tagged word", ylabel="gradient norm, first steps")
plt.show()
beside = ", ".join(f"{norms[k] / norms[10]:.0%}" for k in (9, 11))
print(
    f"at -1 and 1: {expected[9]:.0f} % of the places hold a word; norms, of the middle's: {beside}"
)

# %% [markdown]
# Ten words away three places in four are empty, and the rows get a fifth of the middle's gradient. Two reasons:
# seldom a word, and seldom one that matters: at ±1, 92 % of the places are filled, yet the norm stays
# well below the middle's. Whatever far words could tell is learned slowest. The lecture blames windows for more;
# rightly?

# %% [markdown] statement="slide_check"
# ## 8. Three claims of the lecture
#
# Lecture 000 says:
#
# - **a** the tags of `a quick brown fox jumps over the lazy dog`: `DET ADJ ADJ NOUN VERB PREP ADJ NOUN`. Repair: `repaired_tags`, a list.
# - **b** with $N = 100$ on each side and `word_dim` = 50, an input row has "$200$·`word_dim`" numbers (elsewhere:
#   "$100$·`word_dim`"). Right: `row_length`.
# - **c** without *brown*, "all words after the second" are represented anew. `changed_words(sentence, removed, c)`:
#   whose centred window changes without the word at place `removed`?

# %% [markdown] hints="slide_check"
# 1. Count the tags; then count the places of a window on both sides *and* in the middle.
# 2. Compare each remaining word's window before and after. Whose window had the removed word in it?
# 3. Words left of the gap change as well as words right of it, but only near it. Pad at the ends,
#    collect the places (counted in the original sentence) where the two windows differ.


# %% task="slide_check" points=4 level=2 minutes=12
def changed_words(sentence, removed, c):
    """A list: the places (in the original list of different words) of the words whose window changes without `removed`.

    The list itself stays as it is.
    """
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
assert isinstance(repaired_tags, tuple | list | np.ndarray), (
    f"repaired_tags is a list of tags, not {repaired_tags!r}."
)
assert len(repaired_tags) == 9, (
    f"Nine words need nine tags; yours: {len(repaired_tags)}."
)
### BEGIN HIDDEN TESTS
_tags = [str(tag).upper().replace("ADP", "PREP") for tag in repaired_tags]
assert _tags == ["DET", "ADJ", "ADJ", "NOUN", "VERB", "PREP", "DET", "ADJ", "NOUN"], (
    "A tag stands above the wrong word; read both lines."
)
### END HIDDEN TESTS

# %% test="slide_check" aspect="the length of a row" points=1
assert is_number(row_length), f"row_length should be a number, not {row_length!r}."
assert row_length > 50, (
    f"row_length is for the whole window, not for one word; yours: {row_length}."
)
### BEGIN HIDDEN TESTS
assert row_length == 10050, (
    f"{row_length} is not it: left, right, and which place is missing?"
)
### END HIDDEN TESTS

# %% test="slide_check" aspect="only the neighbours change" points=1
_fox = ["a", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"]
_got = changed_words(list(_fox), 4, 1)
assert hasattr(_got, "__iter__"), (
    f"changed_words returns a list of places; yours: {_got!r}."
)
assert 4 not in list(_got), f"The removed word has no window any more; yours: {_got}."
assert not {0, 1, 2, 6, 7, 8} & set(_got), (
    f"Without jumps (c = 1) the window of a far word stays as it was; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_cases = [
    (n, gap, c)
    for n in (2, 5, 9)
    for gap in {0, 1, n // 2, n - 1}
    for c in (0, 1, 2, n - 1, n + 3)
]
for _n, _gap, _c in [*_cases, (1, 0, 0), (1, 0, 2)]:
    _got = changed_words([f"w{i}" for i in range(_n)], _gap, _c)
    assert hasattr(_got, "__iter__"), (
        f"changed_words returns a list of places; yours: {_got!r}."
    )
    _got = {int(place) for place in _got}
    _false = sorted(i for i in _got if not 0 < abs(i - _gap) <= _c or not 0 <= i < _n)
    assert not _false, (
        f"{_n} words, place {_gap} removed, c = {_c}: the windows at {_false} do not change."
    )
    assert _got or _c == 0 or _n == 1, (
        f"{_n} words, place {_gap} removed, c = {_c}: somebody's window does change."
    )
_left = arguments_after(changed_words, list(_fox), 4, 2)[0]
assert list(_left) == _fox, (
    "changed_words changed the caller's sentence: remove the word from a copy."
)
### END HIDDEN TESTS

# %% test="slide_check" aspect="neighbours on both sides" points=1
_got = changed_words(
    ["a", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"], 4, 1
)
assert hasattr(_got, "__iter__"), (
    f"changed_words returns a list of places; yours: {_got!r}."
)
assert {3, 5} <= set(_got), (
    f"Without jumps (c = 1), fox and over see another neighbour; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _n, _c in ((2, 1), (5, 1), (5, 3), (6, 5), (6, 9), (9, 2), (9, 4), (8, 0)):
    for _gap in {0, 1, _n // 2, _n - 1}:
        _words, _pad = [f"w{i}" for i in range(_n)], ["PAD"] * _c
        _old, _new = (
            _pad + _words + _pad,
            _pad + _words[:_gap] + _words[_gap + 1 :] + _pad,
        )
        _changed = {
            i
            for i in range(_gap)
            if _old[i : i + 2 * _c + 1] != _new[i : i + 2 * _c + 1]
        }
        _changed |= {
            i
            for i in range(_gap + 1, _n)
            if _old[i : i + 2 * _c + 1] != _new[i - 1 : i + 2 * _c]
        }
        _got = changed_words(list(_words), _gap, _c)
        assert hasattr(_got, "__iter__"), (
            f"changed_words returns a list of places; yours: {_got!r}."
        )
        _missed = sorted(_changed - {int(place) for place in _got})
        assert not _missed, (
            f"{_n} words, place {_gap} removed, c = {_c}: the windows at {_missed} change too."
        )
### END HIDDEN TESTS

# %%
fox_words, gap = fox.splits["train"][0], 2
grid = np.full((2, 9), np.nan)
grid[0] = [i > gap for i in range(9)]
grid[1] = [i in changed_words(fox_words, gap, 2) for i in range(9)]
grid[:, gap] = np.nan

# %%
_, axes = plt.subplots(figsize=(7, 1.4))
axes.imshow(grid, cmap="cividis", aspect="auto", vmin=-0.3, vmax=1.3)
axes.axhline(0.5, color="white", linewidth=4)
axes.set_xticks(range(9), fox_words)
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

# %% [markdown]
# **Break.** Here ends the first sitting.

# %% [markdown] statement="examples"
# ## 9. The same window, guessing the next word
#
# "If you look at the language modeling objective closely, it is just a classification objective" (lecture 000): the classes are
# the words. The window may look back only.
#
# Write `examples(ids, n, start, end)` for one text of $T$ word numbers: the contexts, a tensor $(T+1, n)$, each the $n$ words before
# (in the order of the text, `start` where there is none), and the next words, $(T+1,)$, the last of them `end`.

# %% [markdown] hints="examples"
# 1. For the text 7 8 and $n = 2$ write the three contexts and their next words under each other.
# 2. Pad in front only. How many `start` does the first context need, and where does `end` belong?
# 3. Put $n$ times `start` before the text and `end` behind it. Windows of $n + 1$ places then hold a context and its next word.


# %% task="examples" points=3 level=1 minutes=8
def examples(ids, n, start, end):
    """Contexts (T + 1, n) and next words (T + 1,), as int64 tensors, for a list of T word numbers."""
    ### BEGIN SOLUTION
    padded = torch.tensor([start] * n + list(ids) + [end])
    return padded.unfold(0, n + 1, 1)[:, :n], padded[n:]
    ### END SOLUTION


# %% test="examples" aspect="each word once, then the end" points=1
_got = examples([7, 8, 5], 2, 0, 1)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return contexts and next words; yours: {_got!r}."
)
assert torch.is_tensor(_got[1]), f"The next words are a tensor; yours: {_got[1]!r}."
assert str(_got[1].dtype) == "torch.int64", (
    f"The next words are int64, cross-entropy needs them so; yours: {_got[1].dtype}."
)
assert _got[1].tolist() == [7, 8, 5, 1], (
    f"The next words of 7 8 5 are 7 8 5 and the end, 1; yours: {_got[1].tolist()}."
)
### BEGIN HIDDEN TESTS
for _T, _n in ((1, 1), (1, 4), (2, 1), (3, 5), (6, 2), (9, 3)):
    _ids, _end = (
        random.choices([2, 7, 300, 70_000, 20_000_001], k=_T),
        random.randint(400, 900),
    )
    _got = examples(list(_ids), _n, 3, _end)
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return contexts and next words; yours: {_got!r}."
    )
    assert torch.is_tensor(_got[1]) and _got[1].tolist() == [*_ids, _end], (
        f"{_T} words, n = {_n}: the next words are the text itself and then end, {_end}; yours: {_got[1]}."
    )
    _left = arguments_after(examples, list(_ids), _n, 3, _end)[0]
    assert list(_left) == _ids, (
        "examples changed the caller's list of words: copy it first."
    )
### END HIDDEN TESTS

# %% test="examples" aspect="the context stands before" points=1
_got = examples([7, 8, 5, 9], 2, 0, 1)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return contexts and next words; yours: {_got!r}."
)
assert tuple(getattr(_got[0], "shape", ())) == (5, 2), (
    f"Four words, n = 2: contexts (5, 2) wanted; yours: {_got[0]!r}."
)
assert "int" in str(_got[0].dtype), (
    f"Contexts are integers, an embedding takes no others; yours: {_got[0].dtype}."
)
assert _got[0].tolist()[3] == [8, 5], (
    f"Before 9 stand 8 and 5, in this order; yours: {_got[0].tolist()[3]}."
)
### BEGIN HIDDEN TESTS
_texts = [
    ([5, 5, 7, 5, 5, 8], 2),
    ([300, 70_000, 20_000_001, 300], 3),
    ([6], 1),
    ([6, 4], 5),
    ([2, 3, 4], 1),
]
for _ids, _n in [
    *_texts,
    *((random.choices(range(2, 9), k=8), random.randint(1, 6)) for _ in range(6)),
]:
    _got = examples(list(_ids), _n, 0, 1)
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return contexts and next words; yours: {_got!r}."
    )
    assert torch.is_tensor(_got[0]) and tuple(_got[0].shape) == (len(_ids) + 1, _n), (
        f"{len(_ids)} words, n = {_n}: contexts {(len(_ids) + 1, _n)} wanted; yours: {_got[0]!r}."
    )
    _rows = _got[0].tolist()
    for _t in range(len(_ids) + 1):
        for _k in range(1, min(_n, _t) + 1):
            _seen = _rows[_t][_n - _k]
            assert _seen == _ids[_t - _k], (
                f"{_ids}, n = {_n}: {_k} before place {_t} should not be {_seen}."
            )
### END HIDDEN TESTS

# %% test="examples" aspect="start where nothing stands" points=1
_got = examples([7, 8], 3, 4, 6)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return contexts and next words; yours: {_got!r}."
)
assert torch.is_tensor(_got[0]), f"The contexts are a tensor; yours: {_got[0]!r}."
assert _got[0].tolist() == [[4, 4, 4], [4, 4, 7], [4, 7, 8]], (
    f"Text 7 8, start 4, n = 3; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
for _n in (1, 2, 3, 5, 7):
    _start = random.randint(300, 900)
    _got = examples([2, 3, 5, 8], _n, _start, 1)
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return contexts and next words; yours: {_got!r}."
    )
    _rows = _got[0].tolist() if torch.is_tensor(_got[0]) else []
    assert [[word == _start for word in row] for row in _rows] == [
        [k < _n - t for k in range(_n)] for t in range(5)
    ], (
        f"n = {_n}: the contexts should begin with n, n - 1, ... times start; yours: {_rows}."
    )
### END HIDDEN TESTS

# %% [markdown]
# A kitchen story is one text. Words seen once in training become `<UNK>`, so the models learn to meet strangers. Next, a network
# to read these rows.

# %%
stories, held_out = (
    lmkit.load("kitchen").splits["train"],
    lmkit.load("kitchen").splits["valid"],
)
made = budget().choose(
    grading=0, laptop=300_000, gpu=1_000_000
)  # more of the same language, if there is time
stories = (
    stories
    + [document.tokens[:-1] for document in language.documents(tokens=made, seed=11)]
    if made
    else stories
)
lexicon = [*ngrams.events(stories, min_count=2), "<s>"]
place = {word: i for i, word in enumerate(lexicon)}
UNK, END, START = place["<UNK>"], place["</s>"], place["<s>"]


# %%
def all_examples(texts, n):
    """Contexts and next words of all texts."""
    pairs = [
        examples([place.get(word, UNK) for word in text], n, START, END)
        for text in texts
    ]
    return torch.cat([rows for rows, _ in pairs]), torch.cat(
        [targets for _, targets in pairs]
    )


contexts, next_words = all_examples(stories, 2)
print(f"{len(next_words):,} examples, {len(lexicon):,} words; the first three:")
for before, after in zip(contexts[:3].tolist(), next_words[:3].tolist(), strict=True):
    print(" ".join(lexicon[i] for i in before), "→", lexicon[after])

# %% [markdown] statement="BengioLM"
# ## 10. The neural language model
#
# Y. Bengio and others (2003), with $\phi$ a word's vector and $[\,;\,]$ end to end:
#
# $$x = [\phi(x_{i-2}); \phi(x_{i-1})], \qquad y = b + Wx + U\tanh(d + Hx).$$
#
# - `BengioLM(V, n, m, h)`: an `nn.Module` of $V$ words, $n$ words back in their order (the formula: 2), vectors of $m$ and a hidden layer of $h$ numbers. Its parts:
#   `embedding` ($\phi$), `hidden` ($H, d$), `direct` ($W$: no second bias), `out` ($U, b$).
# - `bengio_parameters(V, n, m, h)`: how many numbers it learns.

# %% [markdown] hints="BengioLM"
# 1. It is the window tagger of section 6 and one more path from $x$ to the scores. How wide is $x$?
# 2. $W$ skips the hidden layer: from $nm$ numbers straight to $V$ scores. The bias $b$ is already in `out`.
# 3. For the count write down the shape of each of the six: $\phi$ has $Vm$ numbers, $H$ has $h \cdot nm$. For $V$ = 10,000,
#    $n = 2$, $m = 60$, $h = 50$ the sum is 2,316,050.


# %% task="BengioLM" points=4 level=2 minutes=15
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)
        ### END SOLUTION

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        ### BEGIN SOLUTION
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))
        ### END SOLUTION


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    ### BEGIN SOLUTION
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)
    ### END SOLUTION


# %% test="BengioLM" aspect="parts and their shapes" points=1
_shapes = {
    name: tuple(value.shape)
    for name, value in dict(BengioLM(9, 2, 3, 5).state_dict()).items()
}
_wanted = {
    "embedding.weight": (9, 3),
    "hidden.weight": (5, 6),
    "hidden.bias": (5,),
    "direct.weight": (9, 6),
}
_wanted |= {"out.weight": (9, 5), "out.bias": (9,)}
assert _shapes == _wanted, (
    f"V=9, n=2, m=3, h=5: weights {_wanted} wanted; yours: {_shapes}."
)
### BEGIN HIDDEN TESTS
for _V, _n, _m, _h in ((12, 1, 5, 7), (8, 4, 3, 6), random.sample(range(2, 20), 4)):
    _wanted = {
        "embedding.weight": (_V, _m),
        "hidden.weight": (_h, _n * _m),
        "hidden.bias": (_h,),
    }
    _wanted |= {
        "direct.weight": (_V, _n * _m),
        "out.weight": (_V, _h),
        "out.bias": (_V,),
    }
    _state = dict(BengioLM(_V, _n, _m, _h).state_dict())
    assert set(_state) == set(_wanted), (
        f"Weights {sorted(_wanted)} wanted; yours: {sorted(_state)}."
    )
    _shapes = {name: tuple(_state[name].shape) for name in _wanted}
    assert _shapes == _wanted, (
        f"V={_V}, n={_n}, m={_m}, h={_h}: weights {_wanted} wanted; yours: {_shapes}."
    )
### END HIDDEN TESTS

# %% test="BengioLM" aspect="equal to the formula" points=1
_got = BengioLM(9, 3, 4, 5)(torch.tensor([[1, 2, 3], [3, 2, 1]]))
assert tuple(getattr(_got, "shape", ())) == (2, 9), (
    f"Two contexts, nine words: shape (2, 9) wanted; yours: {_got!r}."
)
assert not close(_got[0].detach(), _got[1].detach()), (
    "Reversed, a context gives the same scores: order is lost."
)
### BEGIN HIDDEN TESTS
_cases = ((1, 6), (2, 7), (3, 1), (3, 8), (5, 6))
_models = [BengioLM(9, n, 4, 7) for n, _ in _cases]
BengioLM(8, 4, 3, 5)  # a newer one changes none of these
for (_n, _B), _model in zip(_cases, _models, strict=True):
    _s = {"embedding.weight": (9, 4), "hidden.weight": (7, 4 * _n), "hidden.bias": (7,)}
    _s |= {"direct.weight": (9, 4 * _n), "out.weight": (9, 7), "out.bias": (9,)}
    _s = {name: torch.randn(shape) for name, shape in _s.items()}
    _model.load_state_dict(_s)
    _rows = torch.randint(9, (_B, _n))
    _rows[0, 0] = 0
    _x = torch.stack(
        [torch.cat([_s["embedding.weight"][i] for i in row]) for row in _rows]
    )
    _a = torch.tanh(_x @ _s["hidden.weight"].T + _s["hidden.bias"])
    _y = _s["out.bias"] + _x @ _s["direct.weight"].T + _a @ _s["out.weight"].T
    _got = _model(_rows.clone())
    assert tuple(getattr(_got, "shape", ())) == (_B, 9), (
        f"{_B} contexts, nine words: shape {(_B, 9)} wanted."
    )
    assert close(_got, _y, 1e-3, 1e-3), (
        f"n = {_n}: with given weights your scores are not b + W x + U tanh(d + H x)."
    )
    assert close(arguments_after(_model, _rows.clone())[0], _rows), (
        "forward changed the caller's contexts."
    )
### END HIDDEN TESTS

# %% test="BengioLM" aspect="how many numbers" points=1
_got = bengio_parameters(10_000, 2, 60, 50)
assert is_number(_got), f"bengio_parameters returns a number; yours: {_got!r}."
assert _got == 2_316_050, (
    f"10,000 words, n = 2, m = 60, h = 50: 2,316,050 wanted; yours: {_got:,}."
)
### BEGIN HIDDEN TESTS
for _V, _n, _m, _h in [
    (12, 1, 5, 7),
    (8, 4, 3, 6),
    *(random.sample(range(3, 20), 4) for _ in range(5)),
]:
    _wanted = sum(
        w.numel()
        for w in (torch.empty(_V, _m), torch.empty(_h, _n * _m), torch.empty(_h))
    )
    _wanted += sum(
        w.numel()
        for w in (torch.empty(_V, _n * _m), torch.empty(_V, _h), torch.empty(_V))
    )
    _got = bengio_parameters(_V, _n, _m, _h)
    assert is_number(_got) and _got == _wanted, (
        f"V={_V}, n={_n}, m={_m}, h={_h}: {_wanted} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="BengioLM" aspect="all weights learn" points=1
_model = BengioLM(9, 2, 3, 5)
_found = parameter_gradients(_model, torch.tensor([[1, 2], [4, 0]]))
for _name in (
    "embedding.weight",
    "hidden.weight",
    "hidden.bias",
    "direct.weight",
    "out.weight",
    "out.bias",
):
    assert _name in _found, (
        f"{_name} is no parameter of your model, so it would not learn; found: {sorted(_found)}."
    )
    assert torch.is_tensor(_found[_name]), (
        f"{_name} receives no gradient from the scores: it would never learn."
    )
### BEGIN HIDDEN TESTS
for _n in (1, 3):
    _s = {"embedding.weight": (9, 4), "hidden.weight": (7, 4 * _n), "hidden.bias": (7,)}
    _s |= {"direct.weight": (9, 4 * _n), "out.weight": (9, 7), "out.bias": (9,)}
    _s = {name: torch.randn(shape) / 2 for name, shape in _s.items()}
    _model = BengioLM(9, _n, 4, 7)
    _model.load_state_dict(_s)
    _rows = torch.randint(9, (6, _n))
    _rows[0, 0] = 0  # a word like others: no vector is kept at zero here
    _rows[1] = _rows[2]
    _found = parameter_gradients(_model, _rows.clone())
    _s = {name: value.requires_grad_() for name, value in _s.items()}
    _x = _s["embedding.weight"][_rows].flatten(1)
    _a = torch.tanh(_x @ _s["hidden.weight"].T + _s["hidden.bias"])
    _y = _s["out.bias"] + _x @ _s["direct.weight"].T + _a @ _s["out.weight"].T
    for _name, _wanted in zip(
        _s, torch.autograd.grad(_y.sum(), list(_s.values())), strict=True
    ):
        assert close(_found.get(_name), _wanted, 1e-3, 1e-4), (
            f"n = {_n}: {_name} does not receive the gradient of the formula; word 0 is a word like others."
        )
### END HIDDEN TESTS

# %% [markdown]
# (Lecture 003 lists $\theta = (b, d, W, U, H, C, \phi)$. But no $C$ is in the formula: in the paper, $C$ *is* the table of vectors, so one of the two
# is too many. It also lays the nearest word first; any fixed order will do.) Training needs its gradient.

# %% [markdown] statement="gradients_by_hand"
# ## 11. Is the gradient right?
#
# One example, loss $L = -\ln \text{softmax}(y)_w$. Write
#
# - `numerical(loss, v, step)`: central differences $\big(L(v_i + \epsilon) - L(v_i - \epsilon)\big) / 2\epsilon$ for each entry of the array `v`,
#   $\epsilon$ = `step`;
# - `by_hand(theta, x, w)`: by the chain rule (autograd is no cheating, but teaches less), a dict of the gradients for `b`, `W`, `U`, `d`, `H` and `x`. `theta` is a dict with the first five.

# %% [markdown] hints="gradients_by_hand"
# 1. Begin at the end: what is $\partial L / \partial y$? It holds the probabilities, but for one entry.
# 2. Call that vector $g$ and $a = \tanh(d + Hx)$. An entry $W_{jk}$ only touches $y_j$, by $x_k$: an outer product. And
#    $\tanh' = 1 - a^2$.
# 3. $g$ is $p$ minus the one-hot of $w$, and the gradient for $b$. Going back through $U$ gives $U^\top g$; times $1 - a^2$ it is the gradient for $d$,
#    which plays for $H$ the part that $g$ plays for $W$. Two paths lead to $x$: add them.


# %%
def bengio_loss(theta, x, w):
    """-ln softmax(y)_w for one example; the dict theta holds b, W, U, d, H."""
    y = theta["b"] + theta["W"] @ x + theta["U"] @ np.tanh(theta["d"] + theta["H"] @ x)
    return float(np.log(np.exp(y).sum()) - y[w])


def random_theta(V, D, h):
    shapes = {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D)}
    return {
        name: np.random.default_rng().normal(size=shape)
        for name, shape in shapes.items()
    }


# %% task="gradients_by_hand" points=4 level=3 minutes=25
def numerical(loss, v, step=1e-5):
    """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
    ### BEGIN SOLUTION
    gradient = np.zeros_like(v)
    for i in np.ndindex(v.shape):
        shift = np.zeros_like(v)
        shift[i] = step
        gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
    return gradient
    ### END SOLUTION


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}.

    The arrays in theta stay as they are.
    """
    ### BEGIN SOLUTION
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }
    ### END SOLUTION


# %% test="gradients_by_hand" aspect="central differences" points=1
_got = numerical(
    lambda v: float((v**3).sum()), np.array([[1.0, -2.0], [0.0, 3.0]]), 0.1
)
assert np.shape(_got) == (2, 2), (
    f"The gradient has the shape of v, here (2, 2); yours: {_got!r}."
)
assert close(_got, [[3.01, 12.01], [0.01, 27.01]], 1e-5, 1e-6), (
    f"Sum of cubes at 1, -2, 0, 3 with steps of .1: 3.01, 12.01, .01, 27.01 wanted; yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
for _ in range(3):
    _v, _A = (
        np.random.default_rng().normal(size=4),
        np.random.default_rng().normal(size=(4, 4)),
    )
    _got = numerical(
        lambda v, A=_A: float(v @ A @ v), _v.copy(), random.uniform(0.01, 0.5)
    )
    assert close(_got, (_A + _A.T) @ _v, 1e-5, 1e-6), (
        "For a quadratic, central differences are exact; yours are not."
    )
for _shape in ((1,), (5,), (2, 3), (3, 1), (2, 1, 3)):
    _v, _step = np.random.default_rng().normal(size=_shape), random.uniform(0.2, 0.5)
    _got = numerical(lambda v: float((v**3).sum()), _v.copy(), _step)
    assert np.shape(_got) == _shape, (
        f"The gradient has the shape of v, {_shape}; yours: {np.shape(_got)}."
    )
    assert close(_got, 3 * _v**2 + _step**2, 1e-5, 1e-6), (
        f"With cubes and steps of {_step:.2f} yours are off."
    )
_got = numerical(lambda v: float((v**3).sum()), _v.copy())
assert close(_got, 3 * _v**2, 1e-4, 1e-5), (
    "With the step left out (1e-5) your gradient is off."
)
_left = arguments_after(numerical, lambda v: float((v**3).sum()), _v.copy(), 0.2)[1]
assert close(_left, _v), "numerical leaves v changed: move a copy, or move it back."
_v = np.random.default_rng().normal(size=(3, 2))
_got = laid_out_otherwise(numerical, lambda v: float((v**3).sum()), _v.copy(), 0.3)
assert close(_got, 3 * _v**2 + 0.09, 1e-5, 1e-6), (
    "For a v that lies in memory column by column, as a transposed one does, your gradient is off."
)
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="p minus one-hot" points=1
_zero = {
    "b": np.zeros(4),
    "W": np.zeros((4, 2)),
    "U": np.zeros((4, 3)),
    "d": np.zeros(3),
    "H": np.zeros((3, 2)),
}
_got = by_hand(_zero, np.array([1.0, -2.0]), 2)
assert hasattr(_got, "keys") and set(_got.keys()) >= {"b", "W"}, (
    f"Return a dict with b, W, U, d, H, x; yours: {_got!r}."
)
assert close(_got["b"], [0.25, 0.25, -0.75, 0.25], 1e-5), (
    f"All weights 0: p is 1/4 each; yours for b: {_got['b']}."
)
assert np.shape(_got["W"]) == (4, 2), (
    f"The gradient for W has its shape, (4, 2); yours: {np.shape(_got['W'])}."
)
### BEGIN HIDDEN TESTS
for _w in (0, 2, 4):
    _theta, _x = random_theta(5, 4, 3), np.random.default_rng().normal(size=4)
    _got = by_hand(
        {name: value.copy() for name, value in _theta.items()}, _x.copy(), _w
    )
    assert hasattr(_got, "keys") and set(_got.keys()) >= {"b", "W"}, (
        f"Return a dict with b, W, U, d, H, x: {_got!r}."
    )
    for _name in "bW":
        _t = torch.tensor(_theta[_name], requires_grad=True)
        _s = {name: torch.tensor(value) for name, value in _theta.items()} | {_name: _t}
        _z = torch.tensor(_x)
        _y = _s["b"] + _s["W"] @ _z + _s["U"] @ torch.tanh(_s["d"] + _s["H"] @ _z)
        F.cross_entropy(_y, torch.tensor(_w)).backward()
        assert close(_got[_name], _t.grad, 1e-4, 1e-5), (
            f"Your gradient for {_name} is not autograd's."
        )
_left = arguments_after(
    by_hand, {name: value.copy() for name, value in _theta.items()}, _x.copy(), _w
)
for _name in "bWUdH":
    assert close(_left[0].get(_name), _theta[_name]), (
        f"by_hand changed the caller's theta[{_name!r}]: copy first."
    )
assert close(_left[1], _x), "by_hand changed the caller's x."
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="through the tanh" points=1
_theta = {
    "b": np.zeros(2),
    "W": np.zeros((2, 1)),
    "U": np.array([[1.0], [0.0]]),
    "d": np.zeros(1),
    "H": np.zeros((1, 1)),
}
_got = by_hand(_theta, np.array([2.0]), 0)
assert hasattr(_got, "keys") and set(_got.keys()) >= {"U", "d", "H"}, (
    f"Return a dict with b, W, U, d, H, x: {_got!r}."
)
assert close(_got["d"], [-0.5], 1e-5), (
    f"y = 0 0, w = 0, a = 0: d has gradient -1/2; yours: {_got['d']}."
)
### BEGIN HIDDEN TESTS
for _w in (0, 3, 4):
    _theta, _x = random_theta(5, 4, 3), np.random.default_rng().normal(size=4)
    _got = by_hand(
        {name: value.copy() for name, value in _theta.items()}, _x.copy(), _w
    )
    assert hasattr(_got, "keys") and set(_got.keys()) >= {"U", "d", "H"}, (
        f"Return a dict with U, d, H: {_got!r}."
    )
    for _name in "UdH":
        assert np.shape(_got[_name]) == _theta[_name].shape, (
            f"The gradient for {_name} has the shape of {_name}."
        )
        _v = np.random.default_rng().normal(size=_theta[_name].shape)
        _up = bengio_loss(_theta | {_name: _theta[_name] + 1e-5 * _v}, _x, _w)
        _down = bengio_loss(_theta | {_name: _theta[_name] - 1e-5 * _v}, _x, _w)
        assert close(
            np.sum(np.asarray(_got[_name]) * _v), (_up - _down) / 2e-5, 1e-4, 1e-5
        ), (
            f"Along a random direction the loss does not change as your gradient for {_name} says."
        )
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="the vectors learn too" points=1
_theta = {
    "b": np.zeros(2),
    "W": np.array([[3.0], [1.0]]),
    "U": np.ones((2, 1)),
    "d": np.zeros(1),
    "H": np.ones((1, 1)),
}
_got = by_hand(_theta, np.array([0.0]), 1)
assert hasattr(_got, "keys") and "x" in _got, (
    f"Return a dict with b, W, U, d, H and x; yours: {_got!r}."
)
assert close(_got["x"], [1.0], 1e-5), (
    f"Here W alone moves x: 3/2 - 1/2 = 1; yours: {_got['x']}."
)
### BEGIN HIDDEN TESTS
for _w in (0, 1, 4):
    _theta, _x = random_theta(5, 4, 3), np.random.default_rng().normal(size=4)
    _got = by_hand(
        {name: value.copy() for name, value in _theta.items()}, _x.copy(), _w
    )
    assert hasattr(_got, "keys") and "x" in _got, (
        f"Return a dict with b, W, U, d, H and x; yours: {_got!r}."
    )
    assert np.shape(_got["x"]) == (4,), (
        f"The gradient for x has its shape, (4,); yours: {np.shape(_got['x'])}."
    )
    for _v in np.eye(4):
        _slope = (
            bengio_loss(_theta, _x + 1e-5 * _v, _w)
            - bengio_loss(_theta, _x - 1e-5 * _v, _w)
        ) / 2e-5
        assert close(np.asarray(_got["x"]) @ _v, _slope, 1e-4, 1e-5), (
            "Your gradient for x misses a path, or goes it the wrong way."
        )
### END HIDDEN TESTS

# %%
theta, x = random_theta(6, 4, 3), np.random.default_rng(1).normal(size=4)
hand = by_hand(theta, x, 2)
slopes = {
    name: numerical(
        lambda v, name=name: bengio_loss(theta | {name: v}, x, 2), theta[name]
    )
    for name in theta
}
slopes["x"] = numerical(lambda v: bengio_loss(theta, v, 2), x)
for name, slope in slopes.items():
    print(name, "agrees" if np.allclose(hand[name], slope, atol=1e-7) else "differs")

# %% [markdown]
# From now on torch does this, and we trust it. Training:


# %%
def train_lm(n, steps, rows=None, targets=None, batch=512, seed=1):
    """A trained Bengio model of n words back."""
    if rows is None:
        rows, targets = all_examples(stories, n)
    set_seed(seed)
    model = BengioLM(len(lexicon), rows.shape[1], m=32, h=64)
    nn.init.normal_(
        model.embedding.weight, std=0.1
    )  # near each other: words that are alike start alike
    pick = shuffled(len(targets), batch, seed)
    history = train(
        model,
        lambda step: (rows[pick(step)], targets[pick(step)]),
        lambda model, batch: (
            F.cross_entropy(model(batch[0]), batch[1]),
            len(batch[1]),
        ),
        steps=steps,
        rate=3e-2,
        schedule=warmup_cosine(20, lowest=0.02),
        every=10,
        device="cpu",
    )
    return model, history


# %%
def perplexity_of(model, rows, targets):
    """exp of the mean loss, computed in parts."""
    with torch.no_grad():
        parts = zip(rows.split(4000), targets.split(4000), strict=True)
        return math.exp(
            sum(F.cross_entropy(model(x), y, reduction="sum").item() for x, y in parts)
            / len(targets)
        )


# %%
bengio, perplexity = {}, {}
for n in (2, 4):
    bengio[n], _ = train_lm(
        n, steps=budget().choose(grading=150, laptop=2000, gpu=8000)
    )
    perplexity[f"Bengio, {n} back"] = perplexity_of(
        bengio[n], *all_examples(held_out, n)
    )

# %% [markdown]
# Its rival is the best counter of chapter 02, modified Kneser-Ney, on the same words:

# %% include="02_smoothing:modified_kneser_ney"

# %%
for n in (1, 2, 4):
    counts = ngrams.NgramCounts(stories, n + 1, lexicon[:-1])
    P, weights = zip(*kneser_ney(counts.levels, len(counts.vocabulary)), strict=True)  # noqa: F821
    perplexity[f"Kneser-Ney, {n} back"] = ngrams.BackoffModel(
        counts, P, weights
    ).perplexity(held_out)
floor = language.floor("valid", set(lexicon))

# %%
_, axes = plt.subplots(figsize=(7, 2.3))
ranking = sorted(perplexity, key=perplexity.get)
axes.barh(
    ranking,
    [perplexity[name] for name in ranking],
    color=[plots.COLOURS["Kneser" in name] for name in ranking],
)
axes.axvline(floor.perplexity, color="black", linestyle="--")
axes.set(xlabel="perplexity on held-out stories (dashed: the language itself)")
axes.grid(axis="y", visible=False)
plt.show()
for name in ranking:
    print(
        f"{name:20} {math.log2(perplexity[name]) - floor.bits:.1f} bits above the floor"
    )

# %% [markdown]
# With the same window, vectors beat counts. A counter must have *met* a context; the network only needs to have met words *like* these. Which
# are alike, it learned by itself. And it never answers 0: why not, and at what price?

# %% scratch=true
directions = F.normalize(bengio[2].embedding.weight.detach(), dim=1)
for word in ("boris", "near", "old", "is"):
    near = (directions @ directions[place[word]]).topk(5).indices.tolist()[1:]
    print(f"{word:8}", *(lexicon[i] for i in near))

# %% [markdown] statement="softmax_smoothing"
# ## 12. Softmax smooths, at a price
#
# $\exp$ is never 0, so no word is impossible. On paper! In float64 $e^{-800}$ *is* 0 and $e^{800}$ is infinite. Write
#
# - `log_probability(y, w)`: $\ln \text{softmax}(y)_w$, right for scores of any size;
# - `never_met(train_grams, test_grams)`: the share of the tuples in the second list that plain counting calls impossible;
# - `multiplications(V, n, m, h)`: how many the Bengio model needs for *one* probability (no exp, no divisions).

# %% [markdown] hints="softmax_smoothing"
# 1. Add 5 to all scores: what happens to the probabilities?
# 2. So shift until the largest exponent is 0: nothing overflows, and the sum is at least 1. Stay with logarithms to the end.
# 3. $\ln p_w = y_w - c - \ln \sum_v e^{y_v - c}$ with the right $c$. For the price: each entry of each of three matrices is
#    used once, and a softmax needs *all* scores, even for one word.


# %% task="softmax_smoothing" points=3 level=2 minutes=10
def log_probability(y, w):
    """ln softmax(y)_w for an array of scores y, shape (V,)."""
    ### BEGIN SOLUTION
    largest = np.max(y)
    return y[w] - largest - np.log(np.sum(np.exp(y - largest)))
    ### END SOLUTION


def never_met(train_grams, test_grams):
    """The share of test_grams (list of tuples of any length, repeats count) that do not occur in train_grams."""
    ### BEGIN SOLUTION
    known = set(train_grams)
    return sum(gram not in known for gram in test_grams) / len(test_grams)
    ### END SOLUTION


def multiplications(V, n, m, h):
    """Multiplications for one probability of the Bengio model; looking up vectors costs none."""
    ### BEGIN SOLUTION
    return V * n * m + h * n * m + V * h
    ### END SOLUTION


# %% test="softmax_smoothing" aspect="right for scores of any size" points=1
_got = log_probability(np.array([1.0, 2.0, 4.0]), 1)
assert is_number(_got), f"log_probability returns a number; yours: {_got!r}."
assert close(_got, 2 - math.log(math.e + math.e**2 + math.e**4), 1e-5), (
    f"Scores 1, 2, 4, word 1; yours: {_got}."
)
assert close(log_probability(np.array([0.0, 5000.0]), 0), -5000, 1e-6), (
    "Scores 0 and 5000: word 0 has ln P = -5000."
)
### BEGIN HIDDEN TESTS
_cases = [
    [800.0, 799.0, 801.0],
    [-9000.0, -9000.0, -9001.0],
    [-800.0, 900.0],
    [0.0, -2000.0, 1.0],
    [5.0],
]
_cases += [
    np.random.default_rng().normal(size=7) * scale + shift
    for scale in (1, 30, 3000)
    for shift in (-3000, 0, 3000)
]
for _y in map(np.array, _cases):
    for _w in {0, len(_y) - 1, random.randrange(len(_y))}:
        _wanted = torch.log_softmax(torch.tensor(_y), 0)[_w].item()
        _got = log_probability(_y.copy(), _w)
        assert is_number(_got), (
            f"log_probability returns a number; for scores {_y} yours is {_got!r}."
        )
        _near = 1e-6 * (1 + np.abs(_y).max())  # as exact as float32 is
        assert close(_got, _wanted, 1e-5, _near), (
            f"Scores {_y}, word {_w}: yours is {_got}."
        )
_left = arguments_after(log_probability, _y.copy(), _w)[0]
assert close(_left, _y), "log_probability changed the caller's scores."
### END HIDDEN TESTS

# %% test="softmax_smoothing" aspect="impossible for counts" points=1
_got = never_met(
    [("a", "b"), ("b", "c")], [("a", "b"), ("c", "b"), ("c", "b"), ("a", "c")]
)
assert is_number(_got), f"never_met returns a share, a number; yours: {_got!r}."
assert close(_got, 0.75, 1e-6), (
    f"Three of these four were never met, (c, b) counts twice; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_got = never_met([], [("a", "b"), ("b", "a")])
assert close(_got, 1, 1e-6), (
    f"If nothing was met, everything is impossible: share 1; yours: {_got!r}."
)
_got = never_met(
    [("ab", "c"), ("a b", "c"), ("d", "e")],
    [("a", "bc"), ("a", "b c"), ("d", "e"), ("e", "d")],
)
assert close(_got, 0.75, 1e-6), (
    f"(ab, c) and (a, bc) are two tuples, even if they look alike end to end; yours: {_got}."
)
for _letters, _n, _most in (
    ("ab", 3, 9),
    ("abc", 2, 8),
    ("abcd", 1, 3),
    ("abcdefghijklmnopqrst", 2, 300),
    ("abc", 4, 60),
):
    for _ in range(4):
        _train = [
            tuple(random.choices(_letters, k=_n))
            for _ in range(random.randint(_most // 2, _most))
        ]
        _test = [
            tuple(random.choices(_letters, k=_n))
            for _ in range(random.randint(_most // 2, _most))
        ]
        _test += [
            _train[-1],
            ("never", *_letters)[:_n],
        ]  # one surely met, at the end; one never
        _wanted = sum(all(gram != other for other in _train) for gram in _test) / len(
            _test
        )
        _got = never_met(list(_train), list(_test))
        assert is_number(_got), f"never_met returns a share, a number; yours: {_got!r}."
        assert close(_got, _wanted, 1e-5, 1e-6), (
            f"{len(_train)} tuples met ({_train[:4]} ...), {len(_test)} asked ({_test[:4]} ...): {_wanted} wanted, yours {_got}."
        )
_left = arguments_after(never_met, list(_train), list(_test))
assert [[tuple(gram) for gram in part] for part in _left] == [_train, _test], (
    "never_met changed the caller's lists."
)
### END HIDDEN TESTS

# %% test="softmax_smoothing" aspect="the price of one probability" points=1
_got = multiplications(10, 1, 2, 3)
assert is_number(_got), f"multiplications returns a number; yours: {_got!r}."
assert _got == 56, f"V=10, n=1, m=2, h=3: W has 20 entries, H 6, U 30; yours: {_got}."
### BEGIN HIDDEN TESTS
for _V, _n, _m, _h in [
    (20, 4, 3, 7),
    (9, 2, 5, 1),
    *(random.sample(range(2, 30), 4) for _ in range(6)),
]:
    _wanted = (
        np.size(np.zeros((_V, _n * _m)))
        + np.size(np.zeros((_h, _n * _m)))
        + np.size(np.zeros((_V, _h)))
    )
    _got = multiplications(_V, _n, _m, _h)
    assert is_number(_got) and _got == _wanted, (
        f"V={_V}, n={_n}, m={_m}, h={_h}: {_wanted} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %%
costs = {}
for n in (1, 2, 4):
    met, asked = (
        [tuple(gram) for gram in torch.column_stack(all_examples(texts, n)).tolist()]
        for texts in (stories, held_out)
    )
    costs[n] = {"impossible for counts, %": round(100 * never_met(met, asked))}
    costs[n]["multiplications of the net"] = (
        f"{multiplications(len(lexicon), n, 32, 64):,}"
    )
pd.DataFrame.from_dict(costs, orient="index").rename_axis("words back")

# %%
with torch.no_grad():
    smallest = (
        F.log_softmax(bengio[2](all_examples(held_out[:10], 2)[0]), 1).min().item()
    )
print(
    f"the network's least probable word: about 10 to the {round(smallest / math.log(10), -1):.0f}, never 0"
)

# %% [markdown]
# So no held-out word is impossible, and what one word teaches helps all words with like vectors. The costs: a counter looks up one number where the network multiplies for
# all words, at each query (lecture 002 says $O(|V|^2)$; with vectors it grows like $|V|$), and it trains for many passes. Lecture 001 sums up such models: "Slow to train over lots of data! But otherwise this seems okay?" Okay for
# what size?

# %% [markdown] statement="one_hot_slide"
# ## 13. The printed slide is wrong: find it
#
# Lecture 002 predicts $w$ from $k$ words: "Input is a concatenation of $w$ with each context word", one-hot, one layer,
# $(k+1)|V|^2 + |V|$ parameters: $k = 10$: 11,001,000 for $10^3$ words, 110,000,100,000 for $10^5$. Write
#
# - `repaired_parameters(V, k)`: without what must not be in the input;
# - `leaks(rows, targets)`: columns of `rows` that equal `targets` in every row.

# %% [markdown] hints="one_hot_slide"
# 1. Which word do we want to guess, and which word is in the input?
# 2. Each of the remaining words is $|V|$ numbers long, and each number meets every output.
# 3. Count weights, then one bias for each output. A column is suspicious if no row contradicts it: compare it with the targets as a whole.


# %% task="one_hot_slide" points=3 level=2 minutes=8
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    ### BEGIN SOLUTION
    return k * V**2 + V
    ### END SOLUTION


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    ### BEGIN SOLUTION
    return [
        column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()
    ]
    ### END SOLUTION


# %% test="one_hot_slide" aspect="the word to guess left out" points=1
_got = repaired_parameters(10, 2)
assert is_number(_got), f"repaired_parameters returns a number; yours: {_got!r}."
assert _got < 310, (
    f"V = 10, k = 2: the slide would say 310, with the word to guess in the input; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _V, _k in (
    (10, 2),
    (1000, 10),
    (100_000, 10),
    (7, 1),
    (20, 5),
    random.sample(range(3, 90), 2),
):
    _got = repaired_parameters(_V, _k)
    assert is_number(_got), f"repaired_parameters returns a number; yours: {_got!r}."
    assert _got == sum(_V * _V for _ in range(_k)) + _V, (
        f"V = {_V}, k = {_k}: {_got} is not weights plus biases."
    )
### END HIDDEN TESTS

# %% test="one_hot_slide" aspect="columns that give it away" points=2
_rows = torch.tensor([[5, 1, 3], [2, 1, 4], [3, 1, 3]])
_got = leaks(_rows, torch.tensor([3, 4, 3]))
assert hasattr(_got, "__iter__"), f"leaks returns a list of columns; yours: {_got!r}."
assert list(_got) == [2], (
    f"Only the last column equals the targets 3 4 3 everywhere; yours: {_got}."
)
assert list(leaks(_rows, torch.tensor([3, 4, 5]))) == [], (
    "One row that differs clears a column: no leak here."
)
### BEGIN HIDDEN TESTS
for _N, _n, _same in (
    (5, 4, (0,)),
    (4, 3, (1,)),
    (3, 5, (4,)),
    (6, 4, (0, 2, 3)),
    (5, 3, (0, 1, 2)),
    (1, 2, (1,)),
    (7, 3, ()),
):
    _y = torch.randint(3, (_N,))
    _x = torch.stack(
        [
            _y if c in _same else (_y + 1 + torch.randint(2, (_N,))) % 3
            for c in range(_n)
        ],
        1,
    )
    for _column in set(range(_n)) - {
        *_same
    }:  # equal in all rows but one, which is the first, the last or any
        _x[:, _column] = _y
        _x[random.choice((0, _N - 1, random.randrange(_N))), _column] += random.choice(
            (-1, 1)
        )
    _got = leaks(_x.clone(), _y.clone())
    assert hasattr(_got, "__iter__"), (
        f"leaks returns a list of columns; yours: {_got!r}."
    )
    assert sorted(int(column) for column in _got) == [*_same], (
        f"Rows {_x.tolist()}, targets {_y.tolist()}: {[*_same]} wanted; yours: {_got}."
    )
    _left = arguments_after(leaks, _x.clone(), _y.clone())
    assert close(_left[0], _x) and close(_left[1], _y), (
        "leaks changed the caller's rows or targets."
    )
_y = torch.randperm(9)
assert list(leaks(torch.stack([_y.roll(1), _y, _y.flip(0)], 1), _y.clone())) == [1], (
    "A column with the same words in another order does not leak."
)
_y = torch.randint(3, (500,))
for _row in (0, 1, 99, 150, 250, 499):
    _x = torch.stack([_y, _y], 1)
    _x[_row, 0] += 1
    assert list(leaks(_x, _y.clone())) == [1], (
        "Of 500 rows one differs: this column does not leak."
    )
for _large in (200_000, 20_000_000):  # neighbours, equal to six or seven digits
    _y = _large + 4 * torch.randint(3, (4,))
    _x = torch.stack([_y + 1, _y, _y + F.one_hot(torch.tensor(2), 4)], 1)
    assert list(leaks(_x, _y.clone())) == [1], (
        f"{_large:,} and {_large + 1:,} are two words: only column 1 leaks."
    )
### END HIDDEN TESTS

# %%
print(
    f"printed: {11 * 1000**2 + 1000:,}, and {4e-9 * (11 * 10**10 + 10**5):.0f} GB for 100,000 words in float32"
)
print(
    f"repaired: {repaired_parameters(1000, 10):,}; with vectors: {bengio_parameters(1000, 10, 60, 50):,}"
)
print(
    f"history of 512, a text of 16 words: {1 - sum(range(16)) / (16 * 512):.1%} padding"
)
leaky = torch.cat([contexts, next_words[:, None]], 1)
print(
    "columns that leak:", leaks(contexts, next_words), "and", leaks(leaky, next_words)
)

# %%
_, honest = train_lm(2, 80, contexts, next_words, batch=128)
_, cheating = train_lm(3, 80, leaky, next_words, batch=128)

# %%
_, axes = plt.subplots()
for name, history in (
    ("the words before", honest),
    ("with the word to guess", cheating),
):
    axes.plot(history["step"], history["train loss"], ".-", label=name)
axes.axhline(floor.nats, color="black", linestyle="--", label="the language itself")
axes.set(xlabel="step", ylabel="loss (nats per token)", ylim=(0, None))
axes.legend()
plt.show()

# %% [markdown]
# A loss below what the language itself allows, before any example has been seen twice, is no triumph but a leak. (Later it may fall so low by
# memorising.) Lecture 000 names three drawbacks of the history: the first layer grows with $N$, short texts are almost all padding, and
# "your history length is N and no more than N".

# %% [markdown] statement="beyond_the_window"
# ## 14. One word too far: predict, then measure
#
# *I visited New York. I had a really fun time going up the ...* Plant such a cue, 0 or 1, `distance` places before
# the blank.
#
# - `exam(fillers, distance, n)`: all texts $(N, L)$ with cue 0, then all with cue 1; their last $n$ words, $(2N, n)$, and the cues (leave
#   `fillers` as it is);
# - `guess_beyond`: the share right at distance 5, $n = 4$;
# - `measured_beyond`: `reader`'s shares on `exam_fillers`, distances 1 to 6, $n = 4$.

# %% [markdown] hints="beyond_the_window"
# 1. Which column of a text of $L$ words is `distance` places before the blank behind it?
# 2. Overwrite that column in two copies, put them under each other, *then* cut off all but the last $n$ columns. Leave `fillers` itself unchanged.
# 3. At distance $n + 1$ the rows $i$ and $i + N$ are equal, but their answers differ. How many of the two can any model get right? `reader(rows)` gives scores $(2N, 2)$;
#    compare its argmax with the cues.

# %%
exam_fillers = torch.randint(
    2, 12, (500, 8), generator=torch.Generator().manual_seed(5)
)


# %%


def practice(step):
    """256 texts with the cue at a random distance from 1 to 6, cut to 4 words; and their cues."""
    generator = torch.Generator().manual_seed(step)
    drill, cues = (
        torch.randint(2, 12, (256, 8), generator=generator),
        torch.randint(2, (256,), generator=generator),
    )
    drill[torch.arange(256), 8 - torch.randint(1, 7, (256,), generator=generator)] = (
        cues
    )
    return drill[:, -4:], cues


# %%
def reader_loss(net, batch):
    return F.cross_entropy(net(batch[0]), batch[1]), len(batch[1])


# %%
set_seed(5)
reader = nn.Sequential(
    nn.Embedding(12, 8), nn.Flatten(1), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2)
)
train(reader, practice, reader_loss, steps=200, rate=1e-2, device="cpu")
print("trained on cues at distance 1 to 6, sees 4 words back")


# %% task="beyond_the_window" points=4 level=3 minutes=12
def exam(fillers, distance, n):
    """Rows (2N, n), cues (2N,), both int64: all fillers with cue 0, then all with cue 1, at this distance; last n words."""
    ### BEGIN SOLUTION
    N, L = fillers.shape
    cues = torch.arange(2).repeat_interleave(N)
    texts = fillers.repeat(2, 1)
    texts[:, L - distance] = cues
    return texts[:, L - n :], cues
    ### END SOLUTION


# guess_beyond = a number between 0 and 1, written down before you measure
# measured_beyond = [..., ..., ..., ..., ..., ...]
### BEGIN SOLUTION
guess_beyond = 0.5
measured_beyond = []
for distance in range(1, 7):
    exam_rows, cues = exam(exam_fillers, distance, 4)
    measured_beyond.append((reader(exam_rows).argmax(1) == cues).double().mean().item())
### END SOLUTION

# %% test="beyond_the_window" aspect="the cue at its distance" points=1
_got = exam(torch.tensor([[7, 8, 9], [4, 5, 6]]), 2, 3)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return rows and cues; yours: {_got!r}."
)
assert hasattr(_got[0], "tolist"), f"The rows are a tensor; yours: {_got[0]!r}."
assert _got[0].tolist() == [[7, 0, 9], [4, 0, 6], [7, 1, 9], [4, 1, 6]], (
    f"Distance 2 of 3; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
for _N, _L, _distance in (
    (1, 4, 1),
    (3, 2, 2),
    (5, 6, 6),
    (4, 7, 3),
    (3, 1, 1),
    (7, 5, 5),
    (6, 5, 1),
):
    _fillers = torch.randint(2, 9, (_N, _L))
    _got = exam(_fillers.clone(), _distance, _L)
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return rows and cues; yours: {_got!r}."
    )
    assert tuple(getattr(_got[0], "shape", ())) == (2 * _N, _L), (
        f"{_N} fillers of {_L} words: rows {(2 * _N, _L)} wanted; yours: {_got[0]!r}."
    )
    assert "int" in str(_got[0].dtype), (
        f"Rows hold word numbers, integers: an embedding takes no {_got[0].dtype}."
    )
    for _i, _row in enumerate(_got[0].tolist()):
        _text = _fillers[_i % _N].tolist()
        _text[-_distance] = _i // _N
        assert _row == _text, (
            f"{_fillers.tolist()}, distance {_distance}: row {_i} should be {_text}; yours: {_row}."
        )
for _shift in (0, 1, 2):  # other words in as many rows and columns
    _fillers = torch.tensor([[2, 5, 3, 4], [6, 2, 4, 3], [3, 3, 5, 2]]) + _shift
    _got = exam(_fillers.clone(), 2, 3)
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return rows and cues; yours: {_got!r}."
    )
    _wanted = [[row[1], cue, row[3]] for cue in (0, 1) for row in _fillers.tolist()]
    assert hasattr(_got[0], "tolist") and _got[0].tolist() == _wanted, (
        f"{_fillers.tolist()}, distance 2, n = 3: {_wanted} wanted; yours: {_got[0]!r}. "
        "Each call has fillers of its own, also where the sizes are the same."
    )
### END HIDDEN TESTS

# %% test="beyond_the_window" aspect="each filler with both cues" points=1
_got = exam(torch.tensor([[7, 8, 9], [4, 5, 6]]), 1, 2)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return rows and cues; yours: {_got!r}."
)
assert hasattr(_got[1], "tolist"), f"The cues are a tensor; yours: {_got[1]!r}."
assert _got[1].tolist() == [0, 0, 1, 1], (
    f"Two fillers, first both with cue 0, then with 1; yours: {_got[1].tolist()}."
)
_left = arguments_after(exam, torch.tensor([[7, 8, 9], [4, 5, 6]]), 1, 2)[0].tolist()
assert _left == [[7, 8, 9], [4, 5, 6]], (
    f"exam wrote into fillers itself: the next exam finds the old cue; now {_left}."
)
### BEGIN HIDDEN TESTS
for _N in (1, 3, 5, 8, 501):
    _fillers = torch.randint(2, 9, (_N, 4))
    _got = exam(_fillers.clone(), 2, 3)
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return rows and cues; yours: {_got!r}."
    )
    assert hasattr(_got[1], "tolist") and _got[1].tolist() == [0] * _N + [1] * _N, (
        f"{_N} fillers: {_N} times cue 0, then {_N} times cue 1 wanted; yours: {_got[1]!r}."
    )
    assert len(_got[0]) == 2 * _N, (
        f"{_N} fillers: {2 * _N} rows wanted; yours: {len(_got[0])}."
    )
    _left = arguments_after(exam, _fillers.clone(), 4, 4)[0]
    assert close(_left, _fillers), (
        "exam wrote into fillers itself: the next exam finds the old cue."
    )
### END HIDDEN TESTS

# %% test="beyond_the_window" aspect="only the last n words" points=1
_got = exam(torch.tensor([[7, 8, 9, 3]]), 3, 2)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return rows and cues; yours: {_got!r}."
)
assert hasattr(_got[0], "tolist"), f"The rows are a tensor; yours: {_got[0]!r}."
assert _got[0].tolist() == [[9, 3], [9, 3]], (
    f"Cue 3 back, 2 words seen: only 9 3 is left; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
_fillers = torch.randint(2, 9, (3, 6))
for _n, _distance in ((n, distance) for n in range(1, 7) for distance in range(1, 7)):
    _got = exam(_fillers.clone(), _distance, _n)
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return rows and cues; yours: {_got!r}."
    )
    assert tuple(getattr(_got[0], "shape", ())) == (6, _n), (
        f"Three fillers, n = {_n}: rows {(6, _n)} wanted; yours: {_got[0]!r}."
    )
    if _distance > _n:
        assert _got[0].tolist() == _fillers[:, 6 - _n :].tolist() * 2, (
            f"Distance {_distance}, n = {_n}: the cue should not be seen."
        )
    else:
        assert [row[_n - _distance] for row in _got[0].tolist()] == [
            0,
            0,
            0,
            1,
            1,
            1,
        ], (
            f"Distance {_distance}, n = {_n}: the cue should be seen, {_distance} before the end."
        )
### END HIDDEN TESTS

# %% test="beyond_the_window" aspect="predicted, then measured" points=1
assert is_number(guess_beyond), (
    f"guess_beyond should be a number, not {guess_beyond!r}."
)
assert 0 <= guess_beyond <= 1, (
    f"guess_beyond is a share between 0 and 1, not {guess_beyond}; a wrong guess costs nothing."
)
assert np.shape(measured_beyond) == (6,), (
    f"measured_beyond is a list of six shares; yours: {measured_beyond!r}."
)
### BEGIN HIDDEN TESTS
_measured = [float(share) for share in measured_beyond]
assert all(0.9 < share <= 1 for share in _measured[:4]), (
    f"Within the window reader is right nearly always; yours: {_measured}."
)
assert _measured[4] == _measured[5] == 0.5, (
    f"Beyond it the two of a pair look alike; yours: {_measured[4:]}."
)
assert all(abs(1000 * share - round(1000 * share)) < 0.001 for share in _measured), (
    f"Shares of 1,000 right or wrong answers are multiples of 1/1000: count answers, not probabilities; yours: {_measured}."
)
### END HIDDEN TESTS

# %%
_, axes = plt.subplots()
axes.plot(range(1, 7), [100 * share for share in measured_beyond], "o")
axes.axvline(4.5, color="gray", linestyle="--")
axes.set(
    xlabel="distance of the cue (words before the blank)",
    ylabel="right, %",
    ylim=(0, 105),
)
axes.set_title("dashed: the end of the window", loc="left")
plt.show()

# %% [markdown]
# Not *about* chance: exactly chance, for every model with this window, trained however long. The network smooths, but it keeps the Markov assumption of the n-gram:
# *strawberry that was picked ... by the best farmer in the world with some* — *cream*, or *clippers*?

# %% [markdown] statement="bag_means"
# ## 15. All words, no order
#
# Lecture 003 averages all words so far, $\frac1i \sum_{j=1}^{i} \phi(x_j)$, before a tanh layer and a softmax: a **bag of words**. Three ways:
#
# - `bag_by_loop(vectors, i)`: this mean for one $i$ from 0 to $T$. At $i = 0$ return what the formula gives: NaN;
# - `bag_means(vectors)`: for all $i = 1, \dots, T$ at once;
# - `uniform_attention(T)`: the matrix $A$ with the same means in `A @ vectors`: row $i$ a softmax of zeros over the first $i$ places, then 0.

# %% [markdown] hints="bag_means"
# 1. At $i = 0$ there is a sum of nothing, divided by nothing; in torch, 0/0 is NaN, in Python an error.
# 2. A running total is one call in torch. Divide each row by how many words it holds; mind the shapes.
# 3. For $A$: scores of zero where a word may be seen, minus infinity where it stands in the future, then a softmax over each row.


# %% task="bag_means" points=5 level=2 minutes=12
def bag_by_loop(vectors, i):
    """The mean of the first i of the vectors (T, d), shape (d,); NaN for i = 0. `vectors` stays as it is."""
    ### BEGIN SOLUTION
    total = torch.zeros(vectors.shape[1], dtype=vectors.dtype)
    for j in range(i):
        total = total + vectors[j]
    return total / i if i else total / torch.zeros(1)
    ### END SOLUTION


def bag_means(vectors):
    """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, d) -> (T, d). Gradients must pass through."""
    ### BEGIN SOLUTION
    return vectors.cumsum(0) / torch.arange(1, len(vectors) + 1)[:, None]
    ### END SOLUTION


def uniform_attention(T):
    """The tensor (T, T) of weights: attention with zero scores that sees no future."""
    ### BEGIN SOLUTION
    future = torch.ones(T, T).triu(1).bool()
    return torch.zeros(T, T).masked_fill(future, -math.inf).softmax(1)
    ### END SOLUTION


# %% test="bag_means" aspect="undefined before the first word" points=1
_got = bag_by_loop(torch.tensor([[1.0, 2.0], [3.0, 8.0]]), 0)
assert hasattr(_got, "tolist"), f"bag_by_loop returns a tensor; yours: {_got!r}."
assert tuple(_got.shape) == (2,), (
    f"Vectors of two numbers, so is their mean; yours: {_got!r}."
)
assert all(math.isnan(value) for value in _got.tolist()), (
    f"(1/0) times an empty sum is NaN; yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
for _T, _d in ((3, 1), (2, 3), (1, 4), (4, 6)):
    _vectors = torch.randn(_T, _d)
    _got = bag_by_loop(_vectors.clone(), 0)
    assert tuple(getattr(_got, "shape", ())) == (_d,), (
        f"i = 0, vectors of {_d} numbers: shape ({_d},); yours: {_got!r}."
    )
    assert np.isnan(_got.tolist()).all(), (
        f"(1/0) times an empty sum is NaN; yours: {_got.tolist()}."
    )
    for _i in (0, 1, _T):
        _left = arguments_after(bag_by_loop, _vectors.clone(), _i)[0]
        assert close(_left, _vectors), (
            "bag_by_loop adds up in the caller's vectors: start from a tensor of its own."
        )
### END HIDDEN TESTS

# %% test="bag_means" aspect="mean of the words so far" points=1
_got = bag_means(torch.tensor([[1.0, 2.0], [3.0, 8.0], [2.0, -1.0]]))
assert tuple(getattr(_got, "shape", ())) == (3, 2), (
    f"Three words, three means: shape (3, 2); yours: {_got!r}."
)
assert close(_got, [[1, 2], [2, 5], [2, 3]], 1e-5, 1e-6), (
    f"The means are (1, 2), (2, 5), (2, 3); yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
for _T, _d in ((1, 3), (4, 1), (7, 4), (3, 6), (9, 2), (300, 2)):
    _vectors = torch.randn(_T, _d)
    _wanted = torch.stack([_vectors[: i + 1].mean(0) for i in range(_T)])
    _got = bag_means(_vectors.clone())
    assert tuple(getattr(_got, "shape", ())) == (_T, _d), (
        f"{_T} words: shape {(_T, _d)} wanted; yours: {_got!r}."
    )
    assert close(_got, _wanted, 1e-4, 1e-5), (
        "bag_means: some row is not the mean so far."
    )
    assert close(arguments_after(bag_means, _vectors.clone())[0], _vectors), (
        "bag_means changed the caller's vectors."
    )
### END HIDDEN TESTS

# %% test="bag_means" aspect="attention to the past, evenly" points=1
_got = uniform_attention(3)
assert tuple(getattr(_got, "shape", ())) == (3, 3), (
    f"T = 3: shape (3, 3) wanted; yours: {_got!r}."
)
assert close(np.sum(_got.tolist(), 1), [1, 1, 1], 1e-5), (
    f"Each row sums to 1; yours: {_got.sum(1).tolist()}."
)
assert _got[0, 1] == _got[0, 2] == _got[1, 2] == 0, (
    f"Nobody sees a later word; yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
for _T in (1, 2, 3, 5, 9, 300):
    _wanted = [[1 / (i + 1) if j <= i else 0 for j in range(_T)] for i in range(_T)]
    assert close(uniform_attention(_T), _wanted, 1e-5, 1e-6), (
        f"T = {_T}: row i should hold 1/i at its first i places."
    )
### END HIDDEN TESTS

# %% test="bag_means" aspect="three ways, one number" points=1
_vectors = torch.tensor([[1.0, 2.0], [3.0, 8.0], [2.0, -1.0], [0.0, 5.0]])
_all, _weights = bag_means(_vectors.clone()), uniform_attention(4)
assert tuple(getattr(_all, "shape", ())) == (4, 2), (
    f"bag_means: shape (4, 2) wanted; yours: {_all!r}."
)
assert tuple(getattr(_weights, "shape", ())) == (4, 4), (
    f"uniform_attention(4): shape (4, 4); yours: {_weights!r}."
)
for _i in range(1, 5):
    _one = bag_by_loop(_vectors.clone(), _i)
    assert tuple(getattr(_one, "shape", ())) == (2,), (
        f"bag_by_loop: shape (2,) wanted; yours: {_one!r}."
    )
    _ways = [
        _one.tolist(),
        _all[_i - 1].tolist(),
        (_weights @ _vectors)[_i - 1].tolist(),
    ]
    assert close(_ways, [_vectors[:_i].mean(0).tolist()] * 3, 1e-5, 1e-6), (
        f"i = {_i}: loop, running total, attention give {_ways}."
    )
### BEGIN HIDDEN TESTS
_vectors = torch.randn(6, 3)
_all, _weights = bag_means(_vectors.clone()), uniform_attention(6)
assert tuple(getattr(_all, "shape", ())) == (6, 3), (
    f"bag_means: shape (6, 3) wanted; yours: {_all!r}."
)
assert tuple(getattr(_weights, "shape", ())) == (6, 6), (
    f"uniform_attention(6): shape (6, 6); yours: {_weights!r}."
)
_got = bag_by_loop(torch.ones(300, 2), 300)
assert close(_got, [1, 1], 1e-4), f"The mean of 300 times (1, 1) is not {_got!r}."
for _i in range(1, 7):
    _one = bag_by_loop(_vectors.clone(), _i)
    assert tuple(getattr(_one, "shape", ())) == (3,), (
        f"bag_by_loop: shape (3,) wanted; yours: {_one!r}."
    )
    _ways = [
        _one.tolist(),
        _all[_i - 1].tolist(),
        (_weights @ _vectors)[_i - 1].tolist(),
    ]
    assert close(_ways, [_vectors[:_i].mean(0).tolist()] * 3, 1e-4, 1e-5), (
        f"i = {_i} of 6: loop, running total, attention give {_ways}."
    )
### END HIDDEN TESTS

# %% test="bag_means" aspect="gradients reach all words so far" points=1
_cases = [
    (
        torch.tensor([[1.0, 2.0], [3.0, 8.0]]),
        "the first vector is all of the first mean and half of the second",
    )
]
### BEGIN HIDDEN TESTS
_cases += [
    (torch.randn(T, d), "vector j is a share 1/i of each mean from j on")
    for T, d in ((5, 3), (1, 2), (8, 3))
]
### END HIDDEN TESTS
for _vectors, _why in _cases:
    _T, _d = _vectors.shape
    try:
        _got = gradients(bag_means, _vectors.clone())[0]
    except NotImplementedError:
        raise
    except RuntimeError as _error:
        raise AssertionError(
            f"No gradient reaches the vectors, so they would never learn ({_error})."
        ) from None
    _wanted = [[sum(1 / i for i in range(j + 1, _T + 1))] * _d for j in range(_T)]
    assert close(_got, _wanted, 1e-4, 1e-5), (
        f"{_T} words: {_why}, so the gradients of the summed means are {np.round(_wanted, 3).tolist()}; yours: {_got}."
    )

# %% [markdown]
# The start symbol mends the first step: with `<s>` as $x_1$, the mean is never empty (and there it *is* a bigram model: only one word counts).


# %%
class BagLM(nn.Module):
    def __init__(self, V, m=32, h=64):
        super().__init__()
        self.embedding, self.hidden, self.out = (
            nn.Embedding(V, m),
            nn.Linear(m, h),
            nn.Linear(h, V),
        )
        nn.init.normal_(self.embedding.weight, std=0.3)

    def forward(self, ids):
        """Word numbers (T,) of one text, <s> first -> scores (T, V) for the word after each."""
        return self.out(torch.tanh(self.hidden(bag_means(self.embedding(ids)))))


# %%
def story(text):
    """Inputs (T + 1,), <s> first, and next words (T + 1,)."""
    ids = [place.get(word, UNK) for word in text]
    return torch.tensor([START, *ids]), torch.tensor([*ids, END])


def bag_loss(model, batch):
    scores = torch.cat([model(inputs) for inputs, _ in batch])
    return F.cross_entropy(scores, torch.cat([targets for _, targets in batch])), len(
        scores
    )


# %%
set_seed(1)
bag, encoded, draw = (
    BagLM(len(lexicon)),
    [story(text) for text in stories],
    shuffled(len(stories), 8, seed=1),
)
many = budget().choose(grading=100, laptop=1200, gpu=4000)
some = lambda step: [encoded[i] for i in draw(step)]  # noqa: E731
train(
    bag, some, bag_loss, steps=many, rate=5e-2, schedule=warmup_cosine(20), device="cpu"
)
with torch.no_grad():
    bag_perplexity = math.exp(
        bag_loss(bag, [story(text) for text in held_out])[0].item()
    )
print(
    f"perplexity: about {round(bag_perplexity, -1):.0f}; Kneser-Ney, 1 back: {perplexity['Kneser-Ney, 1 back']:.0f}"
)

# %%
past, _ = story(held_out[0])
mixed = past[torch.randperm(len(past))]
with torch.no_grad():
    change = (bag(past)[-1] - bag(mixed)[-1]).abs().max().item()
print(
    f"the past in another order changes the scores by {change:.0e}"
    if change > 1e-4
    else "another order: no change"
)

# %%
_, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.3])
left.imshow(uniform_attention(8), cmap="cividis_r")
left.set(xlabel="word looked at", ylabel="word that looks", title="dark: more weight")
left.grid(False)
shown = {"bag of words": bag_perplexity} | {
    name: perplexity[name] for name in ranking[::-1]
}
right.barh(
    list(shown),
    list(shown.values()),
    color=[plots.COLOURS["Kneser" in name] for name in shown],
)
right.patches[0].set_color(plots.COLOURS[2])  # the bag
right.axvline(floor.perplexity, color="black", linestyle="--")
right.set(xlabel="perplexity on held-out stories")
right.grid(axis="y", visible=False)
plt.show()

# %% [markdown]
# A memory of everything, and it loses to one word back: what comes next depends on what stood *last*, and the mean has forgotten it. (To sort texts by topic, a bag is often enough.)
#
# Left, the same bag as **attention**: each word looks at itself and all before it, evenly. Two repairs suggest themselves. Carry a summary along, word by word: chapter 05. Or let
# the weights adapt to the words and their order: chapter 06.
