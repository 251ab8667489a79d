# ---
# title: Word windows
# ---

# %% [markdown]
# Is *increase* a noun or a verb? You cannot tell. Now look at one word on either side: *please increase the*. At once it is
# obvious. Two neighbours settled what no amount of staring at the word could.
#
# This chapter builds a network that does just this: it sees a few words at a time, through a **window**. The words come in as
# vectors, like those of chapter 03, but this time nobody prepares them. The vectors begin at random, and the network
# **learns** them together with its own weights, because good vectors make its answers better.
#
# The same window does two jobs. First it looks to both sides and names the part of speech of the word in the middle. Then we
# let it look back only, and ask for the *next* word. That turns it into the neural language model of Y. Bengio and others
# (2003), the ancestor of all models in the later chapters. It will meet your Kneser-Ney counter from chapter 02 on the
# same text, and you will see who wins and why.
#
# At the end you will find its limit, and not roughly: one word beyond the edge of the window, it is right in exactly 50.0 % of
# the cases, however long it trains. The way out, a mean over *all* words so far, is the simplest form of attention.

# %% [markdown]
# Plan two sittings: sections 1 to 9 (tags), then 10 to 17 (the next word). In all tasks, your functions leave their arguments as
# they are.
#
# **The text** is the *kitchen* text, restaurant stories that a program wrote. We use it because its truth is known: the part of
# speech of each word, and the **floor**, which is the loss of the best model there could ever be. On real text nobody knows
# either. In section 15 you will see what only a known floor can reveal.
#
# **Your numbers.** On your machine the models train longer than in the stored notebook (`lmkit.budget()` decides how long),
# so your curves will end lower than the stored ones. Where we quote a number from a run, we say how long that run was.
#
# Now and then we quote a public lecture by number: 000 (unsigned notes), 001 (Greg Durrett), 002 (Fabrizio Silvestri), 003
# (Yoav Artzi). You need none of them.

# %%
import math
import random
import time
from collections import Counter
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

import lmkit
from lmkit import drawings, ngrams, plots
from lmkit import kitchen as language
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
from lmkit.training import choose_device, set_seed, shuffled, train, warmup_cosine

device = choose_device()
plots.use_style()
plt.rcParams["figure.dpi"] = 140  # large enough to read
torch.set_num_threads(1)  # the nets are small: one core is enough

# %% [markdown]
# `device` is where the networks of this chapter are trained: on a GPU if torch finds one in your machine, otherwise on
# the CPU. They are small, so once they are trained we bring them back to the CPU and use them there. Every answer works
# on a CPU. If you have a GPU and your answer makes a tensor of its own, make it where its input is:
# `torch.zeros(3, device=x.device)`.

# %% [markdown]
# Letters keep their meaning through the whole chapter:
#
# | letter | what it is | in code |
# |---|---|---|
# | $T$ | number of words of a text | `len(ids)` |
# | $n$ | number of words that a network sees at once | `n` |
# | $c$ | words on each side of the tagged one, so $n = 2c + 1$ | `c`, `context` |
# | $k$ | offset from the tagged word, $-c \dots c$ | `k` |
# | $m$ | numbers in the vector of a word | `m`, `dim` |
# | $x$ | input of a network: $n$ vectors end to end, $D = nm$ numbers | `x` |
# | $h$ | number of hidden units | `h`, `width` |
# | $a$ | what the hidden units give, their *activations*, $h$ numbers | `a` |
# | $H, d$ | weights and bias of the hidden layer, $h \times D$ and $h$ | `hidden` |
# | $U, b$ | weights and bias of the output layer | `out` |
# | $W$ | weights that lead straight from the input to the scores | `W`, `direct` |
# | $y, p$ | the scores (*logits*) of all classes; their probabilities | `scores` |
# | $w$ | number of the right class, or of the right word | `w`, `targets` |
# | $K, V$ | number of classes; of words | |

# %% [markdown]
# ## 1. Same bag, other tags
#
# **Part-of-speech tagging** writes a tag above every word: determiner, noun, verb, ... Can we do it from the counts of
# the words, as chapter 01 counted? Here are two sentences from lecture 000:

# %%
fox = lmkit.load("toy-fox")
for words, tags in zip(fox.splits["train"][:2], fox.tags["train"][:2], strict=True):
    print(" ".join(words), "| tag of the second word:", tags[1])
print(
    "same bag of words:",
    Counter(fox.splits["train"][0]) == Counter(fox.splits["train"][1]),
)

# %% [markdown]
# The two sentences have the same counts and different tags. A tagger that is given nothing but the counts gets the same
# input twice, so it answers the same twice, and at least one is wrong, however deep the network is.
#
# Then give the tagger one word at a time. The usual input is a **one-hot** vector: as long as the vocabulary, with a 1
# at the word's number and 0 elsewhere. Times a matrix of vectors, it picks one row, the word's **static** vector (also
# called its *type embedding*). Either way *increase* is the same input in all of these:

# %%
increase = lmkit.load("toy-increase")
for words, tags in zip(increase.splits["train"], increase.tags["train"], strict=True):
    print(f"{tags[words.index('increase')]:5}", " ".join(words))

# %% [markdown] statement="static_ceiling"
# ## 2. How far can one word at a time get?
#
# Six times *increase*, three times a noun, three times a verb: whatever a tagger answers that sees only this word, it
# gets three right. Before building anything, it pays to know such a ceiling.
#
# - `static_ceiling(words, tags)`: the largest share of these tokens that *any* tagger can get right which sees only the
#   word itself, and so must give all tokens of a word the same tag.
# - `guess_ceiling`, before you measure: this share among the **ambiguous** tokens of the kitchen text, those of words
#   that occur with two tags or more (`plate`, `cook`, `to`, ...), collected below. Then `measured_ceiling`.

# %% [markdown] hints="static_ceiling"
# 1. For *increase* alone, three times NOUN and three times VERB, no choice gets more than half.
# 2. The words do not disturb each other: find the best choice for each word on its own.
# 3. For each word count its tags; the largest count is what the best choice gets right. Add these up over the words and
#    divide by the number of tokens.

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
print(f"{len(all_words):,} tokens,", end=" ")
print(f"{len(ambiguous) / len(all_words):.0%} of them of a word with two tags or three")


# %% task="static_ceiling" points=4 level=1 minutes=12
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
    if _counts != (2, 5, 3):  # there neither the first tag nor the last is the best
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
_best = Counter()
for (_word, _), _n in _pairs.items():
    _best[_word] = max(_best[_word], _n)
assert close(measured_ceiling, _best.total() / len(ambiguous_words), atol=0.002), (
    f"measured_ceiling = {measured_ceiling}: apply your function to ambiguous_words and ambiguous_tags."
)
### END HIDDEN TESTS

# %%
ceiling = static_ceiling(all_words, all_tags)
print(f"all tokens: at most {ceiling:.1%} right, at least {1 - ceiling:.1%} wrong")
print(
    f"ambiguous: at most {measured_ceiling:.1%} right,"
    f" at least {1 - measured_ceiling:.1%} wrong"
)

# %% [markdown]
# The best tagger of single words is wrong on about one token in twenty, but on more than one in four of the ambiguous
# ones. From here on we count errors, separately where it is hard. "99.0 percent right" and "99.5 percent right" look
# alike; as **error rates** they are 1.0 and 0.5 percent: the second makes half the errors.
#
# This ceiling holds for every model that sees one word, however it is trained.

# %% [markdown] statement="windows"
# ## 3. A window, and what stands beyond the edge
#
# The simplest way to let neighbours in: look at $c$ words to the left and $c$ to the right. That is a **window** of
# $2c + 1$ places with the tagged word in the middle. For *please increase the volume* and $c = 1$, the window of
# *increase* is `please increase the`. But what stands left of *please*? A padding symbol, `PAD`, number 0. Write
#
# - `windows(ids, c)`: for a list of $T$ word numbers, the integer tensor of shape $(T, 2c + 1)$, a row for each word;
# - `pad_share(T, c)`: the share of `PAD` among the $T(2c + 1)$ places of one text of $T$ words, for any $c$, also
#   $c \ge T$.

# %% [markdown] hints="windows"
# 1. Write out the four windows of `please increase the volume` for $c = 1$. How many places hold `PAD`?
# 2. Lengthen the text at both ends; then each window is a slice. For the share, you may count, or think column by
#    column: in the column at offset $k$, which words of the text show up?
# 3. In the lengthened text, how far apart are the starts of two neighbouring windows? For the share: the column $k$ to
#    the right lacks the first $k$ words of the text, and shows each of the others once. When does it show none?


# %% task="windows" points=4 level=1 minutes=17
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
    f"The last window ends with two PAD; yours: {_got[-1]}."
)
### BEGIN HIDDEN TESTS
for _T, _c in ((1, 1), (1, 5), (2, 2), (2, 6), (3, 4), (5, 5), (4, 9), (9, 2)):
    _ids = random.choices(range(1, 99), k=_T)
    _ids[-1] = _ids[0]  # a word that occurs twice
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
    (150, 100),
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
sides = [1, 2, 5, 10, 20, 50, 100]
_, (left, right) = plt.subplots(1, 2, figsize=(7, 2.1))
plots.lengths([len(words) for words, _ in train_text], left)
right.plot(sides, [100 * pad_share(16, c) for c in sides], "o-", color=plots.COLOURS[1])
right.set(
    xlabel="words on each side, c",
    ylabel="PAD, % of the places",
    xscale="log",
    ylim=(0, 100),
)
right.set_title("a text of 16 words", loc="left")
plt.show()

# %% [markdown]
# Left: few sentences have more than 20 words. Right: in a text of 16 words, the example of lecture 000, a window of 100
# words on each side is 92 % padding: nearly all that the network reads says nothing.
#
# <details><summary>Two slips in the printed notes</summary>
#
# Lecture 000 calls the lengths of texts "exponential": few very short ones, many of medium size, few long ones. But an
# exponential density is highest at 0. And for 100 words on each side it makes a row "100" or "200" times as wide as a
# vector. By its own formula, $1 + 2c$ places, it is 201 times.
# </details>
#
# So we take a few words. How do their vectors become *one* input?

# %% [markdown] statement="scores"
# ## 4. Averaging forgets, concatenating does not
#
# Two ways to make one input of $n$ vectors: their mean ($m$ numbers), or all of them end to end, the **concatenation**
# $x$ ($D = nm$ numbers). A linear classifier then gives class $j$ the score, or **logit**,
#
# $$y_j = \sum_{i=0}^{D-1} x_i W_{ij}, \qquad W \text{ of shape } (D, K).$$
#
# Lecture 000 takes $n = 5$ words, $m = 3$, $K = 4$ classes, so $W$ is `[15, 4]`. Three ways to one number:
#
# - `score_by_loop(x, W, j)`: one row of $W$ after the other;
# - `score_by_word(vectors, W, j)`: a sum of $n$ dot products, each word with the rows that belong to its place;
# - `all_scores(vectors, W)`: one product, all classes.
#
# `vectors` is $(n, m)$, for any $n$ and $m$.

# %% [markdown] hints="scores"
# 1. The first word meets rows 0 to 2, the second rows 3 to 5. Which rows does the fifth meet?
# 2. Laying vectors end to end keeps their order: reading a matrix row by row does just that.
# 3. The long sum falls into $n$ shorter ones, one for each word. Which $m$ terms of it contain the word at place 0? At
#    place 1? Write down the first and the last row for a general place, then let Python cut them out.

# %%
vectors = np.array(
    [[7, 9, 1], [0, 1, 5], [1, 1, 2], [-1, 0, 5], [2, -1, -7]]
)  # please increase the music volume
classes = ["Determiner", "Noun", "Verb", "other"]
W = np.random.default_rng(4).normal(size=(15, 4)).round(1)


# %% task="scores" points=4 level=2 minutes=17
def score_by_loop(x, W, j):
    """The score of class j for the input x, shape (D,); W has shape (D, K). One loop over the rows."""
    ### BEGIN SOLUTION
    score = 0.0
    for i in range(len(x)):
        score += x[i] * W[i, j]
    return score
    ### END SOLUTION


def score_by_word(vectors, W, j):
    """The same for vectors (n, m) and W (n m, K), as a sum of n dot products."""
    ### BEGIN SOLUTION
    m = vectors.shape[1]
    return sum(vector @ W[i * m : (i + 1) * m, j] for i, vector in enumerate(vectors))
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
        f"m = 2: word {_k} meets rows {2 * _k} and {2 * _k + 1}; your score is {_got}."
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
    _got = laid_out_otherwise(all_scores, _vectors.copy(), _W.copy())
    assert close(_got, _wanted, 1e-5, 1e-5), (
        "all_scores: for arrays that lie in memory column by column, as transposed ones do, your scores are off."
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
for order, rows in (("in order", vectors), ("reversed", vectors[::-1])):
    print(f"{order}: mean {rows.mean(0)}, scores {all_scores(rows, W).round(1)}")

# %% [markdown]
# The mean is the same for all 120 orders of the five words. It forgets where the words stand, and even which of them is
# to be tagged. The concatenation keeps both: each place has its own rows of $W$, and the tagged word always meets rows
# 6 to 8. The price is that $W$ grows with the window, here from 3 rows to 15.

# %% [markdown] statement="numbered_mean"
# #### A cheaper order?
#
# A friend wants the few numbers of a mean *and* the order: $x = \sum_i i\,v_i$, with $v_i$ the $i$-th word's vector.
# What does this keep that the mean forgets, and what can only the concatenation say?

# %% [markdown] written="numbered_mean" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: most reorderings of the words now change $x$, although it has only $m$ numbers (so $W$ has $m$
# rows for any $n$). 1 point: all places share the same rows of $W$: a word speaks for the same classes wherever it
# stands, only louder the larger $i$ is. In the concatenation each place has rows of its own. 1 point: an example that
# needs this, such as *the* before the tagged word speaking for a noun and after it not; or two different windows with
# the same sum; or that the tagged word cannot be told from the others.
#
# No point for "it is less precise" without saying what is lost. A usual wrong idea: since $x$ now depends on the
# order, a linear layer can use the order as it likes.
#
# **Sample, 3 points.** If two words change places, the sum changes, so the order is no longer lost, and $x$ still has
# $m$ numbers. But the score of a class is $\sum_i i\,(v_i \cdot W_{:j})$: the same column for each place, only
# multiplied by $i$. So *the* before the word can never vote for NOUN while *the* after it votes against; it votes the
# same way, louder. With the concatenation each place has its own rows and could do that.
#
# **Sample, 1 point.** Now it matters where the words stand, and we need only $m$ numbers instead of $nm$. The
# concatenation has more weights and can therefore fit the training data better.
#
# **Sample, 0 points.** It keeps everything, because from the sum you can read off where each word stood by the
# factor. So it is as good as the concatenation and cheaper.
# ### END SOLUTION

# %% [markdown] statement="unknown_words"
# ## 5. Words the tagger has never met
#
# A new text holds words that were not in the training text: *out-of-vocabulary* words. They all share one vector, that
# of `<UNK>`, number 1. To have it trained, we turn the **rare** words of the training text into `<UNK>` too. Write
#
# - `numbering(sentences, least)`: from lists of words, a dict: a number for each word that occurs at least `least`
#   times in all, from 2 on without gaps, in any order;
# - `numbers_of(words, number)`: the list of the words' numbers; 1 for a word that is not in the dict as it is written;
# - `error_rate(predicted, right, group)`: three tensors $(T,)$, `group` of booleans: the share of wrong answers among
#   the tokens whose `group` is true; NaN if there are none.

# %% [markdown] hints="unknown_words"
# 1. Count before you number: a word can be frequent in all sentences together and rare in each.
# 2. `Counter` and `enumerate` do the numbering; a dict's `get` has a second argument. Is a word that occurs exactly
#    `least` times kept?
# 3. For the error rate, decide first which tokens take part, then compare two tensors at these places only. What does a
#    mean over no tokens give, and what does the statement ask for?


# %% task="unknown_words" points=3 level=1 minutes=15
def numbering(sentences, least):
    """A dict, word -> number 2, 3, ..., of the words that occur at least `least` times."""
    ### BEGIN SOLUTION
    counts = Counter(word for sentence in sentences for word in sentence)
    kept = [word for word, count in counts.items() if count >= least]
    return {word: i for i, word in enumerate(kept, start=2)}
    ### END SOLUTION


def numbers_of(words, number):
    """The numbers of a list of words: `number[word]`, or 1 for a word that has none."""
    ### BEGIN SOLUTION
    return [number.get(word, 1) for word in words]
    ### END SOLUTION


def error_rate(predicted, right, group):
    """The share of the tokens of the group where `predicted` is not `right`; NaN for an empty group."""
    ### BEGIN SOLUTION
    return (predicted != right)[group].double().mean().item()
    ### END SOLUTION


# %% test="unknown_words" aspect="who gets a number" points=1
_got = numbering([["the", "cook", "can"], ["the", "can", "the"]], 2)
assert isinstance(_got, dict), f"Return a dict; yours: {_got!r}."
assert set(_got) == {"the", "can"}, (
    f"the occurs 3 times, can 2, cook once; at least 2 are kept; yours: {sorted(_got)}."
)
assert sorted(_got.values()) == [2, 3], (
    f"Two words are kept; their numbers are 2 and 3 (0 is PAD, 1 is <UNK>); yours: {_got}."
)
### BEGIN HIDDEN TESTS
_cases = [
    ([["A"], ["A"], ["b", "a"]], 2),
    ([["a", "b"], ["b", "c"], []], 1),
    ([["a", "b"], ["b", "c"]], 3),
    ([], 1),
    ([["x"] * 20, ["y"] * 19, ["z"] * 21, ["y"]], 20),
]
_cases += [
    ([random.choices("abcdefgh", k=random.randint(0, 9)) for _ in range(12)], least)
    for least in (1, 2, 5, 9)
]
for _sentences, _least in _cases:
    _flat = [word for sentence in _sentences for word in sentence]
    _kept = {word for word in _flat if _flat.count(word) >= _least}
    _got = numbering([list(sentence) for sentence in _sentences], _least)
    assert isinstance(_got, dict), f"Return a dict; yours: {_got!r}."
    assert set(_got) == _kept, (
        f"{_sentences}, at least {_least} times: {sorted(_kept)} wanted; yours: {sorted(_got)}."
    )
    assert sorted(_got.values()) == list(range(2, 2 + len(_kept))), (
        f"{len(_kept)} words are kept: numbers from 2 on, each once, no gap; yours: {_got}."
    )
_left = arguments_after(numbering, [["a", "b"], ["b"]], 2)[0]
assert [list(sentence) for sentence in _left] == [["a", "b"], ["b"]], (
    "numbering changed the caller's sentences."
)
### END HIDDEN TESTS

# %% test="unknown_words" aspect="the others are unknown" points=1
_got = numbers_of(["can", "you", "see", "the", "can"], {"the": 2, "can": 3})
assert isinstance(_got, list | tuple), f"Return a list of numbers; yours: {_got!r}."
assert list(_got) == [3, 1, 1, 2, 3], (
    f"can is 3, the is 2, you and see are unknown; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _T in (0, 1, 2, 7, 30):
    _words = random.choices("abcdefghij", k=_T)
    _number = {letter: 2 + i for i, letter in enumerate(random.sample("abcde", k=3))}
    _got = numbers_of(list(_words), dict(_number))
    _wanted = [_number.get(word, 1) for word in _words]
    assert isinstance(_got, list | tuple) and list(_got) == _wanted, (
        f"{_words} with the numbers {_number}: {_wanted} wanted; yours: {_got!r}."
    )
_got = numbers_of(["The", "the", "", " the", "THE"], {"the": 2, "Oslo": 3})
assert isinstance(_got, list | tuple) and list(_got) == [1, 2, 1, 1, 1], (
    f"Only the word as it is written has the number: The is unknown where the is 2; yours: {_got!r}."
)
_left = arguments_after(numbers_of, ["a", "x", "x"], {"a": 2})
assert list(_left[0]) == ["a", "x", "x"] and _left[1] == {"a": 2}, (
    "numbers_of changed the caller's words or numbers: an unknown word gets no entry."
)
### END HIDDEN TESTS

# %% test="unknown_words" aspect="errors of one group" points=1
_predicted, _right = torch.tensor([1, 2, 3, 4]), torch.tensor([1, 5, 3, 5])
_got = error_rate(_predicted, _right, torch.tensor([True, True, True, False]))
assert is_number(_got), f"error_rate returns a number; yours: {_got!r}."
assert close(_got, 1 / 3), (
    f"In the group are the first three; the second is wrong: 1/3; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _T in (1, 2, 5, 40, 2000):
    _right = torch.randint(4, (_T,))
    _predicted = torch.where(torch.rand(_T) < 0.5, _right, torch.randint(4, (_T,)))
    for _group in (torch.ones(_T).bool(), torch.rand(_T) < 0.4, torch.arange(_T) == 0):
        _in = [i for i in range(_T) if _group[i]]
        _got = error_rate(_predicted.clone(), _right.clone(), _group.clone())
        if _in:
            _wanted = sum(int(_predicted[i] != _right[i]) for i in _in) / len(_in)
            assert is_number(_got), f"error_rate returns a number; yours: {_got!r}."
            assert close(_got, _wanted, 1e-5, 1e-6), (
                f"{_T} tokens, {len(_in)} of them in the group: {_wanted:.4f} wanted; yours: {_got}."
            )
_got = error_rate(torch.tensor([1, 2]), torch.tensor([1, 3]), torch.zeros(2).bool())
assert math.isnan(float(_got)), (
    f"Nobody is in the group: there is no error rate, NaN; yours: {_got!r}."
)
_left = arguments_after(error_rate, _predicted.clone(), _right.clone(), _group.clone())
assert all(
    close(one.int(), other.int())
    for one, other in zip(_left, (_predicted, _right, _group), strict=True)
), "error_rate changed the caller's tensors."
### END HIDDEN TESTS

# %%
number = numbering([words for words, _ in train_text], least=20)
tag_names = sorted(set(all_tags))


def encode(text, c):
    """All windows of a list of tagged sentences (N, 2c + 1), and the tags (N,)."""
    rows = [windows(numbers_of(words, number), c) for words, _ in text]
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
valid_words = [word for words, _ in valid_text for word in words]
unknown = torch.tensor([word not in number for word in valid_words])
unsure = torch.tensor([kinds[word] > 1 for word in valid_words]) & ~unknown
print(f"{len(number):,} of {len(kinds):,} words have a vector of their own;", end=" ")
print(f"of {len(valid_words):,} tokens to tag,")
print(f"{unknown.sum():,} are unknown, {unsure.sum():,} known and ambiguous")

# %% [markdown]
# Nearly half of the words are unknown, but only one token in twenty. *Predict:* a tagger that sees only `<UNK>` gives
# all unknown words one tag. How many of them will be wrong, and how many with one neighbour on each side? Section 7
# measures both.

# %% [markdown] statement="descend"
# ## 6. A training loop of your own
#
# Scores become probabilities by the **softmax**, $p_j = e^{y_j} / \sum_v e^{y_v}$. The **loss** $L$ of a batch is the
# mean of $-\ln p_w$ over its examples, $w$ the right class: *cross-entropy*, in nats. The smaller $L$, the likelier is
# what was seen; $e^L$ is the perplexity of chapter 01. The gradient $\partial L / \partial W$ says for each weight how
# fast $L$ grows with it, so **gradient descent** steps against it, with learning rate $\eta$:
#
# $$W \leftarrow W - \eta\, \frac{\partial L}{\partial W}, \qquad b \leftarrow b - \eta\, \frac{\partial L}{\partial b}.$$
#
# Write that loop for the linear tagger, $y = xW + b$: `descend(W, b, batches, rate)` takes one step for each batch and
# returns the new `W` and `b` (which ask for no gradients) and the list of losses (floats), each measured *before* its
# step. `F.cross_entropy(scores, targets)` is the loss.

# %% [markdown] hints="descend"
# 1. Three things for each batch: loss, gradients, step.
# 2. A tensor collects gradients only if it `requires_grad`; after the step you want a plain new start. What if
#    gradients of the batch before are still there? And whose tensor do you mark?
# 3. `torch.autograd.grad` hands gradients back instead of storing them, so nothing piles up. A step makes a new tensor
#    from the old one; for the next batch it should have forgotten how it came about. Which tensor method cuts that?


# %% task="descend" points=4 level=3 minutes=26
def descend(W, b, batches, rate):
    """One step of gradient descent for each (x, w) of `batches`; returns W, b and the list of losses.

    W (D, K) and b (K,) are the weights to start from and stay as they are; x (B, D) are inputs, w (B,) the right
    classes. B may differ from batch to batch; `batches` may be a generator, which can be read only once.
    """
    ### BEGIN SOLUTION
    losses = []
    for x, w in batches:
        W, b = W.detach().requires_grad_(), b.detach().requires_grad_()
        loss = F.cross_entropy(x @ W + b, w)
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
_batch = 2 * torch.randn(1, 4).sign(), torch.randint(3, (1,))
_wanted = [math.log(3), math.log(1 + 2 * math.exp(-1.7))]
_got = descend(torch.zeros(4, 3), torch.zeros(3), [_batch] * 2, 0.1)
assert close(_got[2], _wanted, 1e-3, 1e-4), (
    f"One example with numbers 2 and -2, twice: losses {np.round(_wanted, 4)} wanted, yours: {_got[2]}. "
    "A step is the rate times the gradient, however large that is."
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
# Now on the kitchen text. For the moment the words' vectors are random and stay so: 32 numbers each, five words at a
# time, averaged or concatenated.

# %%
fixed = torch.randn(len(number) + 2, 32, generator=torch.Generator().manual_seed(4))
fixed[0] = 0
ways = {
    "mean": lambda rows: fixed[middle(rows, 2)].mean(1),
    "concatenated": lambda rows: fixed[middle(rows, 2)].flatten(1),
}

# %%
_, axes = plt.subplots(figsize=(7, 2.3))
for (name, way), colour in zip(ways.items(), plots.COLOURS, strict=False):
    D, errors = way(inputs[:1]).shape[1], []
    for seed in (1, 2, 3):
        pick = shuffled(len(targets), 256, seed)
        batches = ((way(inputs[pick(i)]), targets[pick(i)]) for i in range(300))
        W0, b0 = torch.zeros(D, len(tag_names)), torch.zeros(len(tag_names))
        linear_W, linear_b, curve = descend(W0, b0, batches, 0.5)
        answers = (way(valid_inputs) @ linear_W + linear_b).argmax(1)
        errors.append(100 * (answers != valid_targets).double().mean().item())
        means = np.reshape(curve, (30, 10)).mean(1)  # each of ten steps
        axes.plot([1, *range(5, 300, 10)], [curve[0], *means], color=colour)
    low, high = min(errors), max(errors)
    axes.plot([], color=colour, label=f"{name}: {low:.1f} to {high:.1f} % wrong")
axes.axhline(math.log(len(tag_names)), color="gray", linestyle=":", label="ln K")
axes.set(xlabel="step", ylabel="loss (nats per token)", ylim=(0, None))
axes.legend(loc="center right", bbox_to_anchor=(1, 0.4), fontsize=10)
plt.show()

# %% [markdown]
# Three orders of the batches each: their curves coincide. (In the legend: errors on held-out sentences.) All begin at
# the dotted line: zero weights give all $K$ tags the same probability, so the first loss *must* be $\ln K$. Check that
# in every model you train. The mean is wrong on 64 % of the words, the concatenation on 13 %. But the best tagger of
# *single* words is wrong on only 5 %. Two things are missing: vectors that learn, and a layer in which words can meet.

# %% [markdown]
# ## 7. The window tagger
#
# Why is a linear classifier not enough? Its score is a sum of one term for each place. It can say "a verb, if *to*
# stands before" and "a verb, if the word is *plate*", but not "a verb only if *both*". For that a term must depend on
# two words at once. A **hidden layer** of $h$ units does this: each unit mixes the whole input and then passes the sum
# through a nonlinear *activation function*, here tanh:
#
# $$a = \tanh(d + Hx), \qquad y = b + Ua.$$
#
# Shapes: $x$ has $D$ numbers, $H$ is $(h, D)$, $d$ and $a$ have $h$, $U$ is $(K, h)$, $b$ and $y$ have $K$.

# %%
drawings.window_classifier()

# %% [markdown]
# **Rows and columns.** Section 4 wrote $xW$, with $x$ a row and $W$ of shape (inputs, outputs): a place owned *rows*.
# The equation above has $Hx$, with $x$ a column and $H$ of shape (outputs, inputs), and so does torch:
# `nn.Linear(D, h)` holds a `weight` of shape $(h, D)$. Here a place owns $m$ *columns*.

# %% [markdown] statement="WindowTagger"
# ### Build the tagger
#
# Write it as an `nn.Module` with three parts of these names:
#
# - `embedding`: one vector of `dim` numbers ($m$) for each of `n_words` words; `PAD`, number 0, starts at zero and
#   stays there;
# - `hidden`: a linear layer to `width` numbers ($h$), $H$ and $d$;
# - `out`: a linear layer to `n_tags` scores, $U$ and $b$.
#
# `context` is $c$. With `mean=True` the input is the mean of the vectors over all $2c + 1$ places, `PAD` included,
# instead of their concatenation.

# %% [markdown] hints="WindowTagger"
# 1. Follow the shapes: windows `(B, 2c+1)`, vectors `(B, 2c+1, dim)`, input `(B, ?)`, activations `(B, width)`, scores.
# 2. `nn.Embedding` has an option for a number whose vector is zero and stays so. `nn.Linear` holds a matrix and its
#    bias.
# 3. Only one number in the constructor depends on `mean`: how wide is the input in each case? In `forward` one of the
#    three axes has to go. Which, if you average? Which two become one, if you concatenate, so that word stays beside
#    word?


# %% task="WindowTagger" points=4 level=2 minutes=21
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

# %% [markdown]
# From here on `lmkit.training.train` runs the loop. It is yours with three additions: a learning rate $\eta$ that first
# rises and then falls, a record of the losses, and **AdamW** (I. Loshchilov and F. Hutter, 2019) for the step. AdamW
# keeps, for each weight $\theta$, a running mean $\bar g$ of its gradient $g$ and one, $\overline{g^2}$, of the square
# (both corrected for their start at 0), and steps by
#
# $$\theta \leftarrow \theta - \eta \left( \frac{\bar g}{\sqrt{\overline{g^2}} + \delta} + \lambda \theta \right),$$
#
# $\delta$ a tiny constant against division by zero, $\lambda \theta$ a slight pull towards 0. The quotient is near $\pm
# 1$ wherever the gradient keeps its sign, *however small it is*. So a weight with small, steady gradients moves as fast
# as one with large ones. Section 8 will show the difference.

# %% [markdown]
# Which $c$ is best? Lecture 000 expects that tags rarely need many words, but that other tasks do. To see
# both at once, we **plant** such a case: in 5,000 training windows the middle word becomes `THIS`, and the word 8
# places before it one of two cue words. The cue alone decides whether `THIS` is tagged NOUN or VERB. *Predict* the
# error on `THIS` for $c = 5$ and $c = 10$.

# %%
THIS, CUE = len(number) + 2, len(number) + 3  # the cues are CUE and CUE + 1


def plant(rows, count, seed):
    """Copies of `count` wide windows with THIS in the middle and a cue 8 words before; and their tags."""
    draw = torch.Generator().manual_seed(seed)
    long = (rows[:, 10 - 8] > 0).nonzero()[:, 0]  # windows with a word there
    rows = rows[long[torch.randperm(len(long), generator=draw)[:count]]]
    cues = torch.randint(2, (count,), generator=draw)
    rows[:, 10], rows[:, 10 - 8] = THIS, CUE + cues
    return rows, torch.tensor([tag_names.index("NOUN"), tag_names.index("VERB")])[cues]


# %%
planted, planted_targets = plant(inputs, 5000, seed=1)
exam_inputs, exam_targets = plant(valid_inputs, 1000, seed=2)
all_inputs = torch.cat([inputs, planted])
all_targets = torch.cat([targets, planted_targets])
print(f"{len(all_targets):,} training windows, {len(planted):,} of them planted")

# %%
few = budget().choose(grading=150, laptop=600, gpu=3000)


def train_tagger(context, mean=False, seed=1, steps=few, rows=all_inputs):
    """A window tagger, trained from one seed."""
    seen, pick = middle(rows, context), shuffled(len(all_targets), 256, seed)
    set_seed(seed)
    model = WindowTagger(len(number) + 6, len(tag_names), context, mean=mean).to(device)
    with torch.no_grad():
        model.embedding.weight *= 0.3  # start with short vectors
    train(
        model,
        lambda step: (seen[pick(step)], all_targets[pick(step)]),
        lambda model, batch: (
            F.cross_entropy(model(batch[0]), batch[1]),
            len(batch[1]),
        ),
        steps=steps,
        rate=3e-2,
        schedule=warmup_cosine(20),
    )
    return model.to("cpu")


# %%
def errors_of(model, context):
    """Error rates of a tagger in per cent, by kind of word."""
    answers = model(middle(valid_inputs, context)).argmax(1)
    far = model(middle(exam_inputs, context)).argmax(1)
    groups = {
        "known, ambiguous": unsure,
        "unknown": unknown,
        "all words": unsure | True,
    }
    rates = {
        name: 100 * error_rate(answers, valid_targets, group)
        for name, group in groups.items()
    }
    return rates | {"THIS": 100 * error_rate(far, exam_targets, exam_targets >= 0)}


# %%
taggers, rates = {}, {}


def three_taggers(context, mean=False):
    for seed in (1, 2, 3):
        tagger = train_tagger(context, mean, seed)
        taggers[context, mean, seed] = tagger
        rates[context, mean, seed] = errors_of(tagger, context)


for context in (0, 1, 2):
    three_taggers(context)

# %%
for context in (5, 10):
    three_taggers(context)
three_taggers(2, mean=True)

# %%
longer = {}
for seed in (1, 2, 3):
    longer[1, seed] = errors_of(train_tagger(1, seed=seed, steps=3 * few), 1)

# %%
for seed in (1, 2, 3):
    longer[10, seed] = errors_of(train_tagger(10, seed=seed, steps=3 * few), 10)

# %%
unsure_words = [word for word, here in zip(valid_words, unsure, strict=True) if here]
unsure_tags = [tag_names[tag] for tag in valid_targets[unsure]]
one_word = 100 * (1 - static_ceiling(unsure_words, unsure_tags))
print(
    f"known, ambiguous: a tagger of single words has at least {one_word:.1f} % wrong here"
)
_, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8))
reach = [0, 1, 2, 5, 10]
for kind, colour in zip(
    ("THIS", "unknown", "known, ambiguous"), plots.COLOURS, strict=False
):
    dots = np.array(
        [[rates[c, False, seed][kind] for seed in (1, 2, 3)] for c in reach]
    )
    for axes, begin in ((left, 0), (right, 1)):
        if axes is left or kind != "THIS":
            axes.plot(range(begin, 5), dots[begin:].mean(1), color=colour)
            axes.plot(range(begin, 5), dots[begin:], ".", color=colour)
    left.plot([], color=colour, label=kind)
    if kind != "THIS":
        later = [[longer[c, seed][kind] for seed in (1, 2, 3)] for c in (1, 10)]
        right.plot([1.12, 4.12], later, "o", color=colour, fillstyle="none")
mean_rates = [rates[2, True, seed]["known, ambiguous"] for seed in (1, 2, 3)]
left.plot([2] * 3, mean_rates, "x", color=plots.COLOURS[2], label="ambiguous, mean")
left.axhline(
    one_word, color=plots.COLOURS[2], linestyle=":", label="single words: best"
)
left.set_xticks(range(5), reach)
right.set_xticks(range(1, 5), reach[1:])
left.set(xlabel="words on each side, c", ylabel="wrong, %", ylim=(0, 85))
right.set(xlabel="words on each side, c", ylabel="wrong, %", ylim=(0, 11))
left.set_title(
    "One neighbour settles most, a far cue needs reach", loc="left", fontsize=11
)
right.set_title(
    f"The same from c = 1; circles: {3 * few} steps", loc="left", fontsize=11
)
left.legend(fontsize=10, loc="upper center", ncols=2, labelspacing=0.2)
plt.show()
print(f"after {few} steps, and after {3 * few} (three seeds each), wrong:")
for kind in ("unknown", "known, ambiguous"):
    for c in (1, 10):
        short = sorted(rates[c, False, seed][kind] for seed in (1, 2, 3))
        long = sorted(longer[c, seed][kind] for seed in (1, 2, 3))
        ends = (
            f"{short[0]:.1f} to {short[2]:.1f} %, then {long[0]:.1f} to {long[2]:.1f} %"
        )
        print(f"  {kind}, c = {c}: {ends}")

# %% [markdown]
# Dots are single runs, three seeds each; lines join their means. Four things to see:
#
# - **The word alone fails.** With window 0, the tagger cannot do better on ambiguous words than the dotted line, which no
#   tagger of single words can pass on these held-out tokens. And on unknown words it is wrong nearly half of the time,
#   because it must give them all one tag.
# - **One neighbour on each side settles most of it.** Both kinds of error fall below 10 %.
# - **Farther words help, but only with longer training.** In the short runs of the stored notebook, $c = 10$ is hardly better than $c = 1$. With
#   three times as many steps (open circles), it makes clearly fewer errors on both kinds. The numbers below the figure are those of your run.
# - **`THIS` stays at chance until the window reaches the cue.** Then it is solved.
#
# And the mean of five words (crosses) is *worse* on ambiguous words than the word alone: it no longer knows which of the
# five it should tag.

# %% [markdown]
# *What* goes wrong? The commonest errors of the three taggers with $c = 2$:

# %%
confused = Counter()
for seed in (1, 2, 3):
    answers = taggers[2, False, seed](middle(valid_inputs, 2)).argmax(1)
    for i in (answers != valid_targets).nonzero()[:, 0].tolist():
        word = valid_words[i] if valid_words[i] in number else "an unknown word"
        confused[word, tag_names[valid_targets[i]], tag_names[answers[i]]] += 1
print(f"{'word':16}{'right':7}{'answer':7} times")
for (word, right, answer), count in confused.most_common(6):
    print(f"{word:16}{right:7}{answer:7}{count:6}")

# %% [markdown]
# *to*, *after* and *before* lead the list: only what follows, near or far, tells their tag.
#
# Lecture 000 leaves open whether `PAD` should have a zero vector or learn one. With zero, `PAD` adds nothing to the
# hidden units. A learned vector could tell them "here the sentence begins". Does that help near the ends of sentences?


# %%
def padded_anew(rows):
    """PAD gets the last number of the table, whose vector is like any other: it learns."""
    return rows.masked_fill(rows == 0, len(number) + 5)


at_edge = (middle(valid_inputs, 2) == 0).any(1)
edge_errors = {"zero": [], "learned": []}
for seed in (1, 2, 3):
    learned = train_tagger(2, seed=seed, rows=padded_anew(all_inputs))
    for name, model, change in (
        ("zero", taggers[2, False, seed], lambda rows: rows),
        ("learned", learned, padded_anew),
    ):
        answers = model(change(middle(valid_inputs, 2))).argmax(1)
        edge_errors[name].append(100 * error_rate(answers, valid_targets, at_edge))

for name, values in edge_errors.items():
    three = ", ".join(f"{value:.1f}" for value in sorted(values))
    print(f"PAD {name:7}: {three} % wrong within two words of an end (three seeds)")

# %% [markdown]
# The choices differ less than the seeds: we see no difference, and keep zero, the simpler choice.
#
# Try sentences of your own:

# %% scratch=true
sentence = ["the", "cook", "can", "cook", "the", "zorkfish"]
scores = taggers[2, False, 1](windows(numbers_of(sentence, number), 2))
print([tag_names[i] for i in scores.argmax(1)])

# %% [markdown] statement="no_difference"
# #### No difference seen
#
# "So it does not matter whether `PAD` learns a vector", a friend concludes from those six error rates. What do they
# allow you to say, what do they leave open, and which experiment could show more?

# %% [markdown] written="no_difference" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: what they allow: with $c = 2$ and this training, within two words of an end, any difference is
# small beside that between seeds (0.6 to 0.9 %); not that there is none. 1 point: one thing left open: wider windows,
# where far more places are `PAD`; another text or task, in which the beginning of a sentence tells more; longer
# training. 1 point: an experiment that fits the gap and could show a difference: $c = 10$ (three places in four are
# empty ten words away), more seeds or more held-out text, or a planted case in which only the edge decides.
#
# "Repeat it with more seeds" is enough for the third point, if it says why: the difference sought is smaller than the
# spread. A usual wrong idea: equal numbers prove equality; or the opposite, that three seeds prove nothing at all.
#
# **Sample, 3 points.** Both have 0.6, 0.8 and 0.9, so a difference, if there is one, is smaller than what another
# seed makes. That holds for two words on each side, near the ends. With a window of ten words most of the outer
# places are PAD, and there a learned vector could matter; we have not looked. I would train both with c = 10 and with
# ten seeds, and count errors near the ends.
#
# **Sample, 2 points.** They say that for this tagger the effect is smaller than the difference between the seeds, but
# it could exist for wider windows. One should try it on another computer or with another optimiser.
#
# **Sample, 0 points.** The rates are exactly the same, 0.6, 0.8 and 0.9, so it is proved that the two are equivalent
# and no experiment is needed.
# ### END SOLUTION

# %% [markdown]
# ## 8. Far places starve
#
# A wide window has many weights to learn. Do the places far from the middle get anything to learn from? Lecture 000
# suspects that for large windows they "mostly see padding". In $Hx = \sum_k H_k x_k$, the place at offset $k$ has its
# own block $H_k$ of $m$ columns and its own part $x_k$ of the input. By the chain rule, with $g_z$ the gradient of $L$
# at $z = d + Hx$, one example gives
#
# $$\frac{\partial L}{\partial H_k} = g_z\, x_k^\top .$$
#
# Where `PAD` stands, $x_k = 0$, and this block gets nothing from this example.

# %% [markdown] statement="norms_by_offset"
# ### How much does each place get?
#
# Torch's gradient of $H$ has its shape, $(h, nm)$. Its transpose, `hidden.weight.grad.T`, has the rows of section 4:
# $m$ rows for each place, one block under the other. Write
#
# - `norms_by_offset(gradient, c)`: for such a transposed gradient, $((2c+1)m, h)$, the length $\sqrt{\sum g^2}$ of each
#   place's block, from offset $-c$ to $c$;
# - `real_share(T, k)`: the share of words in a text of $T$ that *have* a word at offset $k$ (any sign).

# %% [markdown] hints="norms_by_offset"
# 1. Section 4 said which rows belong to which word. How wide is a block here?
# 2. The width follows from the shape: the number of rows, shared fairly among the places.
# 3. A block's norm does not care how its numbers are arranged, so give the matrix a shape in which each place has
#    exactly one axis of its own. For the share: which words of a text have none $k$ places to the right?


# %% task="norms_by_offset" points=3 level=2 minutes=14
def norms_by_offset(gradient, c):
    """The norm of each place's block of rows, shape (2c + 1,).

    gradient is a tensor ((2c + 1) m, h), perhaps a transposed view.
    """
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
            f"c = {_c}, m = {_d}: only the rows of place {_place} are not zero; your norms: {_got}."
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
        f"c = {_c}, m = {_d}: your norms {_got} are not those of the blocks."
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
norms = torch.zeros(3, 21)
for seed in (1, 2, 3):
    set_seed(seed)
    fresh = WindowTagger(len(number) + 2, len(tag_names), 10).to(device)
    pick = shuffled(len(targets), 256, seed)
    for step in range(30):
        fresh.zero_grad()
        x, w = inputs[pick(step)].to(device), targets[pick(step)].to(device)
        F.cross_entropy(fresh(x), w).backward()
        norms[seed - 1] += norms_by_offset(fresh.hidden.weight.grad.cpu().T, 10) / 30

# %%
offsets = range(-10, 11)
lengths = [len(words) for words, _ in train_text]
expected = [
    100 * sum(T * real_share(T, k) for T in lengths) / sum(lengths) for k in offsets
]

# %%
_, (left, right) = plt.subplots(1, 2, figsize=(9, 3.3))
left.plot(offsets, 100 * (inputs > 0).double().mean(0), "o", label="counted")
left.plot(offsets, expected, color="gray", label="from the lengths")
left.set(
    xlabel="offset from the tagged word", ylabel="a word stands there, %", ylim=(0, 105)
)
left.legend(loc="lower center")
right.bar(offsets, norms.mean(0), color=plots.COLOURS[1])
right.plot(offsets, norms.T, "k.", markersize=3)
right.set(xlabel="offset from the tagged word", ylabel="norm of the gradient of H_k")
left.set_title("Far places are mostly empty ...", loc="left", fontsize=11)
right.set_title("... and get small gradients", loc="left", fontsize=11)
plt.show()

# %% [markdown]
# Ten words away, three places in four are empty (left). The blocks of these places get only about a fifth of the middle's
# gradient (right; untrained taggers, dots are three seeds). Padding is not the only reason. At ±1 nine places in ten hold a
# word, and yet the norm stays well below the middle's, probably because a neighbour tells less about the tag than the word
# itself.
#
# Do small gradients mean slow learning? Not with every optimiser. We let plain gradient descent (SGD) and AdamW train,
# and measure how far each block of $H$ has moved from where it began.


# %%
def movement(optimiser, rate, seed, steps=(5, 150)):
    """After so many steps: the distance that each block of H has moved, divided by that of the middle block."""
    set_seed(seed)
    model = WindowTagger(len(number) + 2, len(tag_names), 10).to(device)
    pick = shuffled(len(targets), 256, seed)
    begin, found = model.hidden.weight.detach().clone(), []
    chosen = optimiser(model.parameters(), lr=rate)
    for step in range(max(steps)):
        chosen.zero_grad()
        x, w = inputs[pick(step)].to(device), targets[pick(step)].to(device)
        F.cross_entropy(model(x), w).backward()
        chosen.step()
        if step + 1 in steps:
            moved = (model.hidden.weight.detach() - begin).cpu()
            way = norms_by_offset(moved.T, 10)
            found.append(way / way[10])
    return found


# %%
_, panels = plt.subplots(1, 2, sharey=True, figsize=(7, 2.2))
for (name, optimiser, rate), colour in zip(
    (("SGD", torch.optim.SGD, 0.5), ("AdamW", torch.optim.AdamW, 0.01)),
    plots.COLOURS,
    strict=False,
):
    for seed in (1, 2, 3):
        found = movement(optimiser, rate, seed)
        for axes, way, steps in zip(panels, found, (5, 150), strict=True):
            both_sides = (way + way.flip(0))[10:] / 2
            axes.plot(both_sides, ".", color=colour, label=name if seed == 1 else None)
            axes.set(xlabel="words from the tagged one")
            axes.set_title(f"after {steps} steps", loc="left", fontsize=10)
panels[0].set(ylabel="distance moved / the middle's", ylim=(0, 1.05))
panels[1].legend(loc="upper right")
plt.show()

# %% [markdown]
# A dot at 0.5 means that this block has moved half as far as the middle one (three seeds each; they nearly coincide). With SGD
# the outermost blocks move about a sixth as far. AdamW makes up for small gradients: after 5 steps, the outermost blocks have moved some seven
# tenths as far as the middle.
#
# After 150 steps they have moved only a third as far. A likely reason is in the formula: where the gradients of a weight keep flipping their sign, the
# running mean $\bar g$ is nearly 0, and so is AdamW's step. So the lecture's worry, weights that hardly learn, is real for
# plain gradient descent and weaker for AdamW.

# %% [markdown]
# ## 9. What moves when a word is removed
#
# In a concatenation *cook* at offset $-1$ and *cook* at offset $-2$ are different inputs; they meet different weights.
# So what changes if a word disappears? Suppose first that the network reads the **whole text** from the left, one slot for each
# position, and delete *brown* from *a quick brown fox jumps over the lazy dog*. Each of the six later words slips into its
# neighbour's slot, where other weights wait. And with centred windows of $c = 2$? Mark the words whose window changes
# before you look.

# %%
fox_words, gap, c = fox.splits["train"][0], 2, 2
grid = np.full((2, 9), np.nan)
grid[0] = [i > gap for i in range(9)]
grid[1] = [abs(i - gap) <= c for i in range(9)]
grid[:, gap] = np.nan

# %%
_, axes = plt.subplots(figsize=(7, 1.4))
axes.imshow(grid, cmap="cividis", aspect="auto", vmin=-0.3, vmax=1.3)
axes.axhline(0.5, color="white", linewidth=4)
axes.set_xticks(range(9), fox_words)
axes.set_yticks([0, 1], ["whole text, from the left", f"centred window, c = {c}"])
axes.set_title("light: another input without brown; dark: as before", loc="left")
axes.grid(False)
plt.show()

# %% [markdown]
# A centred window changes for four words, *a* and *quick* among them, and stays for the others: it looks at a word's
# own surroundings, wherever these stand in the text.
#
# <details><summary>Two slips in the printed notes</summary>
#
# Lecture 000 says of window models that without *brown* the weights change for "all words after the second one": true
# of a whole text laid end to end, not of its own centred windows. And above the same nine words it prints eight tags:
# `DET ADJ ADJ NOUN VERB PREP ADJ NOUN`. The determiner before *lazy* is missing.
# </details>

# %% [markdown]
# So a window is local and, while narrow, cheap. But it is blind beyond its edge, and each further word costs $mh$
# weights.
#
# **Break.** The first sitting ends here.

# %% [markdown] statement="examples"
# ## 10. The same window, guessing the next word
#
# "If you look at the language modeling objective closely, it is just a classification objective" (lecture 000): the
# classes are the $V$ words. Here the window may look back and never ahead. So every text of $T$ words holds $T + 1$
# examples: the $n$ words before, and the word that follows; the last one is the end of the text.
#
# Write `examples(ids, n, start, end)` for one text of $T$ word numbers: the contexts, a tensor $(T+1, n)$, each the $n$
# words before (in the order of the text, `start` where there is none), and the next words, $(T+1,)$, the last of them
# `end`.

# %% [markdown] hints="examples"
# 1. For the text 7 8 and $n = 2$ write the three contexts and their next words under each other.
# 2. Pad in front only. How many `start` does the first context need, and where does `end` belong?
# 3. You wrote `windows` in section 3. What is different here: on which side do you pad, how wide is a window that holds
#    a context *and* its next word, and how do you take the two apart?


# %% task="examples" points=3 level=1 minutes=11
def examples(ids, n, start, end):
    """Tensors of a list of T word numbers: contexts (T + 1, n), integers, and next words (T + 1,), int64.

    T may be 0, and any of the numbers may equal start or end.
    """
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
for _ids in ([], [6], [6, 6], [5, 6], [3, 6, 3], [9, 6, 9, 6]):
    _got = examples(list(_ids), 2, 3, 6)
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return contexts and next words; yours: {_got!r}."
    )
    assert torch.is_tensor(_got[1]) and _got[1].tolist() == [*_ids, 6], (
        f"Text {_ids}, end 6: the next words are {[*_ids, 6]}, whatever the text holds; yours: {_got[1]}."
    )
    assert tuple(getattr(_got[0], "shape", ())) == (len(_ids) + 1, 2), (
        f"Text {_ids}, n = 2: contexts {(len(_ids) + 1, 2)} wanted; yours: {_got[0]!r}."
    )
    assert "int" in str(_got[0].dtype) and str(_got[1].dtype) == "torch.int64", (
        f"Text {_ids}: contexts of integers and next words in int64 wanted; yours: {_got}."
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
# A kitchen story is one text. Words seen once in training become `<UNK>`, whose vector is thus trained too.

# %%
stories, held_out = (
    lmkit.load("kitchen").splits["train"],
    lmkit.load("kitchen").splits["valid"],
)
more = budget().choose(grading=0, laptop=300_000, gpu=1_000_000)  # tokens
if more:  # of the same language, if there is time
    made = language.documents(tokens=more, seed=11)
    stories = stories + [document.tokens[:-1] for document in made]
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

# %% [markdown]
# ## 11. The neural language model
#
# A table of counts for $n$ words back has $V^{n+1}$ cells, and each must be filled on its own: what *tea* did teaches
# nothing about *coffee*. Y. Bengio and others (2003) replaced the table by a function with few parameters. Each word
# has a vector $\phi(w)$ of $m$ numbers, in one table for all places; with $[\,;\,]$ for end to end and two words back,
#
# $$x = [\phi(w_{t-2}); \phi(w_{t-1})], \qquad a = \tanh(d + Hx), \qquad y = b + Wx + Ua, \qquad p = \text{softmax}(y).$$
#
# It is the window tagger with words for tags, and one more path: $W$ leads straight from $x$ to the scores, as in
# section 4 (there in the form $xW$, so transposed). Words with similar vectors get similar predictions.

# %%
drawings.bengio_network()

# %% [markdown] statement="BengioLM"
# ### Build the model
#
# - `BengioLM(V, n, m, h)`: an `nn.Module` for $V$ words, $n$ words back in the order of the text (in the formula 2),
#   vectors of $m$ numbers, $h$ hidden units. Its parts: `embedding` ($\phi$), `hidden` ($H, d$), `direct` ($W$, which
#   brings no second bias), `out` ($U, b$). `forward` returns the scores $y$.
# - `bengio_parameters(V, n, m, h)`: how many numbers it learns. Chapter 01 needed $V^{n+1}$.

# %% [markdown] hints="BengioLM"
# 1. It is the window tagger of section 7 and one more path from $x$ to the scores. How wide is $x$?
# 2. $W$ skips the hidden layer: from $nm$ numbers straight to $V$ scores. The bias $b$ is already in `out`.
# 3. For the count write down the shape of each of the six: $\phi$ has $Vm$ numbers, $H$ has $h \cdot nm$. For $V$ =
#    10,000, $n = 2$, $m = 60$, $h = 50$ the sum is 2,316,050.


# %% task="BengioLM" points=4 level=2 minutes=19
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
# <details><summary>A slip in the printed slides</summary>
#
# Lecture 003 lists the parameters as $\theta = (b, d, W, U, H, C, \phi)$. But no $C$ occurs in its formulas: in the
# paper, $C$ *is* the table of vectors, so one of the two is too many.
# </details>
#
# All these numbers are found by descent, so we need the gradient with respect to each of them.

# %% [markdown]
# ## 12. Is the gradient right?
#
# Torch computes gradients, but once in your life you should, too: then a layer that does not learn is no mystery. And
# you should know how to *check* a gradient, by a method that knows no calculus. By Taylor,
#
# $$L(v \pm \epsilon) = L(v) \pm \epsilon L'(v) + \tfrac{\epsilon^2}{2} L''(v) \pm \tfrac{\epsilon^3}{6} L'''(v) + \dots$$
#
# Subtract the two and divide by $2\epsilon$: $L$ and $L''$ cancel, what remains is $L'(v)$ with an error of order
# $\epsilon^2$. One-sided differences keep an error of order $\epsilon$.

# %% [markdown] statement="gradients_by_hand"
# ### Two ways to a gradient
#
# One example: $a = \tanh(d + Hx)$, $y = b + Wx + Ua$, loss $L = -\ln \text{softmax}(y)_w$, $w$ the word that followed;
# $x$ has $D = nm$ numbers. Write
#
# - `numerical(loss, v, step)`: central differences $\big(L(v_i + \epsilon) - L(v_i - \epsilon)\big) / 2\epsilon$ for
#   each entry of the array `v`, $\epsilon$ = `step`;
# - `by_hand(theta, x, w)`: by the chain rule, a dict of the gradients for `b`, `W`, `U`, `d`, `H` and `x`. `theta` is a
#   dict with the first five. (Autograd is allowed, but teaches less.)
#
# The gradient for $x$ goes on to the vectors of the $n$ words: that is how words get their places.

# %% [markdown] hints="gradients_by_hand"
# 1. Begin at the end: what is $\partial L / \partial y$? Write $L = \ln \sum_v e^{y_v} - y_w$ and differentiate. It
#    holds the probabilities, but for one entry.
# 2. Call that vector $g$. An entry $W_{jk}$ only touches $y_j$, by $x_k$: so its gradient is $g_j x_k$, an outer
#    product. And $\tanh' = 1 - a^2$.
# 3. Walk the drawing backwards. Through a matrix a gradient goes back by the transpose; through tanh, by a product
#    entry by entry. What arrives at $d$ plays for $H$ the part that $g$ plays for $W$. Two paths lead to $x$: add them.


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


# %% task="gradients_by_hand" points=4 level=3 minutes=36
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
_seen = []
_got = numerical(lambda v: _seen.append(np.shape(v)) or float(v[0] @ v[1]), _v.T.copy())
assert set(_seen) == {(2, 3)}, (
    f"loss takes arrays of the shape of v, (2, 3); yours asks it about shapes {sorted(set(_seen))}."
)
assert close(_got, _v.T[::-1], 1e-4, 1e-5), (
    "For the product of two rows, each row's gradient is the other row."
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
# Two methods that share no line of code agree: both would have to be wrong in the same way.
#
# ## 13. What it learns
#
# We train models that look 2 and 4 words back, from three seeds each, and watch the loss on held-out stories. Two things
# to compare with: the *floor*, the entropy of the language itself (a program wrote the stories, so it is known), which
# no model can beat on average; and counters, smoothed as in chapter 02.


# %%
def train_lm(n, seed, steps, rows, targets, batch=512, watch=None):
    """A Bengio model of n words back, trained from one seed, and its history."""
    set_seed(seed)
    model = BengioLM(len(lexicon), n, m=32, h=64)
    nn.init.normal_(model.embedding.weight, std=0.1)  # alike at first, hence comparable
    model.to(device)
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
        validation=watch,
        every=10,
    )
    return model.to("cpu"), history


# %%
def perplexity_of(model, rows, targets):
    """exp of the mean loss, computed in parts."""
    with torch.no_grad():
        parts = zip(rows.split(4000), targets.split(4000), strict=True)
        return math.exp(
            sum(F.cross_entropy(model(x), w, reduction="sum").item() for x, w in parts)
            / len(targets)
        )


# %%
bengio, histories, perplexity = {}, {}, {}
watched = held_out[:16]  # about a thousand words, to draw curves with


def three_models(n):
    rows, after = all_examples(stories, n)
    valid_rows, valid_after = all_examples(held_out, n)
    perplexity[f"Bengio, {n} back"] = []
    for seed in (1, 2, 3):
        bengio[n, seed], histories[n, seed] = train_lm(
            n,
            seed,
            budget().choose(grading=130, laptop=2000, gpu=8000),
            rows,
            after,
            watch=[all_examples(watched, n)],
        )
        perplexity[f"Bengio, {n} back"].append(
            perplexity_of(bengio[n, seed], valid_rows, valid_after)
        )


three_models(2)

# %%
three_models(4)
steps_taken = histories[4, 1]["step"].iloc[-1]
print(f"{steps_taken * 512 / len(next_words):.1f} passes through the training text")

# %% [markdown]
# The rival is modified Kneser-Ney, which you built in chapter 02. Here it comes from the library, with the same words in its
# vocabulary as the network has. It reads the whole training text.

# %%
counters = {}
for n in (1, 2, 4):
    counters[n] = ngrams.kneser_ney(stories, n + 1, lexicon[:-1])
    perplexity[f"Kneser-Ney, {n} back"] = [counters[n].perplexity(held_out)]
floor = language.floor("valid", set(lexicon))
watched_floor = language.floor(language.split("valid")[: len(watched)], set(lexicon))


def half_and_half(model, n):
    """Perplexity of the mean of the network's probability and the counter's."""
    with torch.no_grad():
        parts = zip(*(t.split(4000) for t in all_examples(held_out, n)), strict=True)
        costs = [F.cross_entropy(model(x), w, reduction="none") for x, w in parts]
    both = np.logaddexp(-torch.cat(costs).numpy(), counters[n].score(held_out))
    return math.exp(math.log(2) - both.mean())


perplexity["the mean of both, 4 back"] = [
    half_and_half(bengio[4, seed], 4) for seed in (1, 2, 3)
]

# %%
_, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), width_ratios=[1, 1.1])
for n, colour in zip((2, 4), plots.COLOURS, strict=False):
    for seed in (1, 2, 3):
        history = histories[n, seed]
        losses = [math.log(len(lexicon)), *history["validation loss"]]
        left.plot([0, *history["step"]], losses, color=colour, alpha=0.6)
    left.plot([], color=colour, label=f"Bengio, {n} back")
left.axhline(watched_floor.nats, color="black", linestyle="--", label="floor")
left.set(xlabel="step", ylabel="held-out loss (nats per token)", ylim=(1, 7.5))
left.set_title("Steep at first, then slowly downwards", loc="left", fontsize=11)
left.legend(fontsize=10)
ranking = sorted(perplexity, key=lambda name: -perplexity[name][0])
for row, name in enumerate(ranking):
    bits = np.log2(perplexity[name]) - floor.bits
    right.plot(bits, [row] * len(bits), "o", color=plots.COLOURS["Kneser" in name])
right.set_yticks(range(len(ranking)), ranking)
right.set(xlabel="bits per token above the floor", xlim=(0, None))
right.set_title(
    "Networks (blue) gain more from a wider window", loc="right", fontsize=11
)
right.grid(axis="x", alpha=0.3)
plt.show()
for name in reversed(ranking):
    bits = sorted(np.log2(perplexity[name]) - floor.bits)
    print(f"{name:26}", *(f"{value:.2f}" for value in bits), "bits above the floor")

# %% [markdown]
# On the left you see **learning curves**, measured on a thousand held-out words, with the floor of these very words. Each run
# begins at $\ln V$, where all words are alike, and the three seeds of a model nearly coincide.
#
# The contest is on the right, and in the numbers: all held-out stories, bits above the floor. With the same window, the network
# beats the counter. With two words back the lead is small, though larger than the differences between seeds; with four it is
# clear. (And it is no fault of the counter's reading. It has read the whole training text; in the stored notebook the networks have seen 70 % of
# it, once.) The mean of both probabilities beats either, as Bengio found.
#
# Why does the network win? A counter must have met a context *exactly*, and most contexts of four words it has never met. The network only needs to have
# met words *like* these. That is why two more words help it so much more than they help the counter: compare the rows *2
# back* and *4 back* of each. If this explanation is right, words that behave alike should have ended up with similar vectors. Have they?

# %% [markdown] statement="word_map"
# ### A map of the words
#
# Nobody can look at 32 dimensions. Shift the vectors so that their mean is 0; then project them on the two
# perpendicular directions along which they vary most, the first two *principal components*. Write
#
# - `plane(vectors)`: for a tensor $(V, m)$ the coordinates $(V, 2)$: first column along the direction of the largest
#   variance, second of the next one; either sign will do;
# - `agreement(vectors, labels)`: the share of words whose nearest *other* word has the same label. Nearest means the
#   largest cosine, $\frac{\phi \cdot \phi'}{|\phi||\phi'|}$; another word may point in exactly the same direction.
#   `labels` is a list, no vector is zero, $V$ and $m$ are 2 or more.

# %% [markdown] hints="word_map"
# 1. Which of the two functions cares where the origin is, and which does not shift it?
# 2. A singular value decomposition $A = PSQ^\top$ of the centred matrix $A$ gives the directions, sorted: the columns
#    of $Q$. A cosine is the dot product of two vectors of length 1.
# 3. The coordinate along a direction of length 1 is a dot product. For the neighbours make all vectors as long as one
#    another, take all products at once, and make sure that no word finds itself.


# %% task="word_map" points=3 level=2 minutes=20
def plane(vectors):
    """Coordinates (V, 2) of the vectors (V, m) along their two directions of largest variance."""
    ### BEGIN SOLUTION
    centred = vectors - vectors.mean(0)
    directions = torch.linalg.svd(centred, full_matrices=False).Vh
    return centred @ directions[:2].T
    ### END SOLUTION


def agreement(vectors, labels):
    """The share of the words whose nearest other word, by cosine, has the same label."""
    ### BEGIN SOLUTION
    unit = F.normalize(vectors, dim=1)
    cosines = (unit @ unit.T).fill_diagonal_(-2)
    nearest = cosines.argmax(1).tolist()
    return sum(labels[i] == labels[j] for i, j in enumerate(nearest)) / len(labels)
    ### END SOLUTION


# %% test="word_map" aspect="the two widest directions" points=1
_got = plane(torch.tensor([[9.0, 1, 5], [1, 1, 5], [5, 3, 5], [5, -1, 5]]))
assert tuple(getattr(_got, "shape", ())) == (4, 2), (
    f"Four words: coordinates (4, 2) wanted; yours: {_got!r}."
)
assert close(np.abs(_got.tolist()), [[4, 0], [4, 0], [0, 2], [0, 2]], 1e-4, 1e-4), (
    f"The mean is (5, 1, 5); the words lie 4 beside it one way, 2 the other; yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
for _V, _m in ((5, 2), (9, 4), (40, 6), (6, 12), (300, 3)):
    _P = torch.linalg.qr(torch.randn(_V, min(_V, _m) + 1).double())[0]
    _P = torch.linalg.qr(torch.cat([torch.ones(_V, 1).double(), _P], 1))[0][:, 1:]
    _r = min(_V - 1, _m)
    _S = torch.tensor([9.0, 5, 2.5, 1.5, 1] + [0.5] * 20).double()[:_r]
    _Q = torch.linalg.qr(torch.randn(_m, _m).double())[0][:_r]
    _vectors = (_P[:, :_r] * _S) @ _Q + 20 * torch.randn(_m).double()
    _got = plane(_vectors.clone())
    assert tuple(getattr(_got, "shape", ())) == (_V, 2), (
        f"{_V} vectors of {_m} numbers: coordinates {(_V, 2)} wanted; yours: {_got!r}."
    )
    _got = torch.tensor(np.asarray(_got.tolist()))
    for _k in (0, 1):
        _wanted = _P[:, _k] * _S[_k]
        assert close(
            _got[:, _k] * (_got[:, _k] @ _wanted).sign(), _wanted, 1e-3, 1e-3
        ), (
            f"{_V} vectors of {_m} numbers, far from the origin: column {_k} should hold the coordinates, "
            "measured from the mean, along "
            + (
                "the direction of largest variance."
                if _k == 0
                else "the second direction."
            )
        )
    assert close(arguments_after(plane, _vectors.clone())[0], _vectors), (
        "plane changed the caller's vectors: shift a copy."
    )
### END HIDDEN TESTS

# %% test="word_map" aspect="the nearest by cosine" points=1
_got = agreement(
    torch.tensor([[1.0, 0.1], [9.0, 0.5], [0.1, 1.0], [0.5, 9.0]]), ["N", "N", "V", "V"]
)
assert is_number(_got), f"agreement returns a share, a number; yours: {_got!r}."
assert close(_got, 1.0), (
    f"Two words point right, two up, long and short: each finds its like; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _V, _m in ((2, 3), (3, 2), (8, 4), (30, 5), (120, 6)):
    _far = 0  # how much farther the second nearest is: no rounding decides
    while _far < 1e-4:
        _vectors = torch.randn(_V, _m) * 10 ** torch.rand(_V, 1) + 0.5
        _v = _vectors.double() / _vectors.double().norm(dim=1, keepdim=True)
        _best = (_v @ _v.T).fill_diagonal_(-2).topk(2)
        _far = min((_best[0][:, 0] - _best[0][:, 1]).min(), 1 - _best[0].max())
    _labels = random.choices(["NOUN", "VERB", "ADJ"], k=_V)
    _same = sum(_labels[i] == _labels[near] for i, (near, _) in enumerate(_best[1]))
    _got = agreement(_vectors.clone(), list(_labels))
    assert is_number(_got) and close(_got, _same / _V, 1e-5, 1e-6), (
        f"{_V} vectors of {_m} numbers: {_same} nearest neighbours of {_V} have the same label; your share: {_got!r}."
    )
    _left = arguments_after(agreement, _vectors.clone(), list(_labels))
    assert close(_left[0], _vectors) and list(_left[1]) == _labels, (
        "agreement changed the caller's vectors or labels."
    )
### END HIDDEN TESTS

# %% test="word_map" aspect="others, not itself" points=1
_got = agreement(torch.tensor([[1.0, 0.0], [1.0, 0.2], [0.0, 1.0]]), ["a", "b", "c"])
assert is_number(_got), f"agreement returns a share, a number; yours: {_got!r}."
assert close(_got, 0.0), (
    f"Three words, three labels: no neighbour has the same one; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _V in (2, 5, 20):
    _vectors = torch.randn(_V, 6)
    _got = agreement(_vectors.clone(), list(range(_V)))
    assert is_number(_got) and close(_got, 0.0), (
        f"{_V} words with {_V} labels: nobody's neighbour agrees; yours: {_got!r}."
    )
    _got = agreement(-_vectors.abs(), ["x"] * _V)
    assert is_number(_got) and close(_got, 1.0), (
        f"{_V} words with one label: all agree; yours: {_got!r}."
    )
_got = agreement(
    torch.tensor([[2.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 8.0], [0.0, 2.0]]),
    ["a", "a", "b", "c", "c"],
)
assert is_number(_got) and close(_got, 0.8), (
    "Words 0 and 1 point in the same direction, and so do 3 and 4: each is the other's nearest, 4 of 5 agree; "
    f"yours: {_got!r}."
)
_twins = torch.tensor([[2.0, 0, 0], [0, 8, 0], [0, 0, 4]]).repeat(2, 1)
_got = agreement(_twins * torch.tensor([[1.0], [2]]).repeat(3, 1), list("abcdef"))
assert is_number(_got) and close(_got, 0.0), (
    "Three pairs that point in the same direction, six labels: whoever finds himself "
    f"seems to agree, and nobody does; yours: {_got!r}."
)
_got = agreement(torch.tensor([[1.0, 0.0], [-1.0, 0.1], [-1.0, -0.2]]), ["a", "a", "b"])
assert close(_got, 0.0), (
    "Words 1 and 2 are each other's nearest, with two labels; word 0 is nearest to 2? No: compare "
    f"cosines with their sign; yours: {_got}."
)
### END HIDDEN TESTS

# %%
usual = Counter(zip(all_words, all_tags, strict=True)).most_common()
tag_of = {word: tag for (word, tag), _ in reversed(usual)}  # the commonest tag wins
shown = [i for i, word in enumerate(lexicon) if word in tag_of]
labels = [tag_of[lexicon[i]] for i in shown]
tables = {key: model.embedding.weight.detach()[shown] for key, model in bengio.items()}


# %%
def draw_map(axes, points, names, kinds, wide=0.055, high=0.032):
    """Each word at its place, the first ones first; a word that would cover another one is a dot."""
    low, size = points.min(0).values, points.max(0).values - points.min(0).values
    written = []
    for (x, y), name, kind in zip(points.tolist(), names, kinds, strict=True):
        spot = [(x - low[0]) / size[0], (y - low[1]) / size[1]]
        width = wide * (0.6 + len(name) / 6)
        free = all(
            abs(spot[0] - u) > (width + v) / 2 or abs(spot[1] - w) > high
            for u, w, v in written
        )
        if free:
            written.append((*spot, width))
            axes.text(
                x, y, name, color=tints[kind], ha="center", va="center", fontsize=10
            )
        else:
            axes.plot(x, y, ".", color=tints[kind], markersize=3)


# %%
often = Counter(all_words)
tints = dict(zip(("NOUN", "PROPN", "VERB", "ADJ"), plots.COLOURS, strict=False))
chosen = [i for i, word in enumerate(shown) if often[lexicon[word]] >= 60]
chosen = [i for i in chosen if labels[i] in tints]
chosen.sort(key=lambda i: -often[lexicon[shown[i]]])
names, kinds = [lexicon[shown[i]] for i in chosen], [labels[i] for i in chosen]
_, axes = plt.subplots(figsize=(8.5, 6))
draw_map(axes, plane(tables[2, 1][chosen]), names, kinds)
for tag, colour in tints.items():
    axes.plot([], [], "s", color=colour, label=tag)
axes.margins(0.08)
axes.set(xlabel="first component", ylabel="second component")
axes.set_title("Words used alike have come to lie together", loc="left", fontsize=11)
axes.legend(fontsize=10, ncols=4, loc="lower right", bbox_to_anchor=(1, 1))
axes.grid(False)
plt.show()

# %% [markdown]
# Take a minute for this map. Nobody told the model what a noun or a verb is, let alone which words are names or plurals; it
# was only ever asked for the next word. (The colours are ours. Where words would cover each other, all but the most frequent
# one are dots.)
#
# Two dimensions of 32 are shown, so do not trust the eye alone. The next cell asks about all 32: has a word's
# nearest neighbour the same commonest tag?

# %%
start_table = torch.randn(3, len(shown), 32, generator=torch.Generator().manual_seed(1))
found = {"2 back": [tables[2, seed] for seed in (1, 2, 3)]}
found |= {"4 back": [tables[4, seed] for seed in (1, 2, 3)], "random": start_table}
for name, some in found.items():
    shares = sorted(100 * agreement(table, labels) for table in some)
    print(
        f"{name:7} nearest neighbour has the same tag: {shares[0]:.0f} to {shares[2]:.0f} %"
    )

# %% [markdown]
# With random vectors, one word in four has the tag of its neighbour. After the training it is about two words in three or
# more.
#
# Try words of your own:

# %% scratch=true
directions = F.normalize(bengio[2, 1].embedding.weight.detach(), dim=1)
for word in ("boris", "near", "old", "is"):
    near = (directions @ directions[place[word]]).topk(5).indices.tolist()[1:]
    print(f"{word:8}", *(lexicon[i] for i in near))

# %% [markdown] statement="write_story"
# ### Let it write
#
# A model that gives the next word's probabilities can write: draw a word, append it, move the window on (*ancestral
# sampling*). Write `write_story(model, n, start, end, most, draw)`:
#
# - `model(rows)` takes contexts $(B, n)$, int64, and returns scores $(B, V)$; here $B = 1$;
# - the text begins with $n$ times `start`;
# - `draw(p)` takes the probabilities of the next word, a tensor $(V,)$, and returns the number of a word;
# - stop when `end` is drawn, or after `most` words.
#
# Return the list of the drawn word numbers, without `end`. A *drawn* `start` is a word like any other; `start` and
# `end` may be the same number.

# %% [markdown] hints="write_story"
# 1. What does the model see when three words are written and $n = 2$? And before the first word?
# 2. Keep one list that begins with `start`; the context is its end. Scores are no probabilities yet.
# 3. Each round does four things: cut the context, ask the model, draw, decide whether to go on. Where in this order
#    must the test for `end` stand, so that `end` is not in the answer? And the one for `most`, so that `most = 0` draws
#    nothing?


# %% task="write_story" points=3 level=2 minutes=18
def write_story(model, n, start, end, most, draw):
    """Word numbers that the model makes up: at most `most`, up to and without `end`."""
    ### BEGIN SOLUTION
    text = [start] * n
    while len(text) < n + most:
        scores = model(torch.tensor([text[len(text) - n :]]))[0]
        word = int(draw(scores.softmax(0)))
        if word == end:
            break
        text.append(word)
    return text[n:]
    ### END SOLUTION


# %% test="write_story" aspect="the context moves on" points=1
_seen, _script = [], iter([4, 2, 3, 4, 1])


def _asked(rows):
    _seen.append(rows.tolist())
    return torch.zeros(len(rows), 6)


_got = write_story(_asked, 2, 5, 1, 9, lambda p: next(_script))
assert _seen == [[[5, 5]], [[5, 4]], [[4, 2]], [[2, 3]], [[3, 4]]], (
    f"start is 5, drawn are 4 2 3 4 and the end: contexts of two words, each a batch of one; yours: {_seen}."
)
### BEGIN HIDDEN TESTS
for _n in (1, 2, 3, 5):
    for _T in (1, 2, 6, 15):
        _text = random.choices([2, 3, 4, 300], k=_T)
        _seen, _script = [], iter([*_text, 7])
        _got = write_story(_asked, _n, 9, 7, 50, lambda p, s=_script: next(s))
        _padded = [9] * _n + _text
        _wanted = [[_padded[t : t + _n]] for t in range(_T + 1)]
        assert _seen == _wanted, (
            f"n = {_n}, start 9, drawn {_text} and the end 7: contexts {_wanted} wanted; yours: {_seen}."
        )
        assert [int(word) for word in _got] == _text, (
            f"n = {_n}: drawn were {_text} and then the end; yours: {_got!r}."
        )
### END HIDDEN TESTS

# %% test="write_story" aspect="draws from the softmax" points=1
_given = []


def _note(p):
    _given.append(torch.as_tensor(p).tolist())
    return len(_given)


_got = write_story(lambda rows: torch.tensor([[0.0, 1.0, 2.0]]), 1, 0, 3, 2, _note)
assert _given and close(_given[0], [0.09003, 0.244728, 0.665241], 1e-3), (
    f"Scores 0, 1, 2 of the next word: probabilities .09, .24, .67; draw was given {_given[:1]}."
)
### BEGIN HIDDEN TESTS
for _V in (2, 5, 40):
    _scores, _order = 200 * torch.randn(3, _V), iter(range(3))
    _given.clear()
    _got = write_story(
        lambda rows, s=_scores, o=_order: s[next(o)][None],
        2,
        _V + 1,
        _V + 2,
        3,
        lambda p: _note(p) % 2,
    )
    assert close(_given, _scores.double().softmax(1), 1e-3, 1e-5), (
        f"{_V} words, scores of some hundreds: draw should get the softmax of the newest scores; it got {_given}."
    )
    assert [int(word) for word in _got] == [1, 0, 1], (
        f"The text is what draw returned, 1 0 1, likely or not; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="write_story" aspect="where it stops" points=1
_script = iter([3, 2, 4, 4, 4, 4])
_got = write_story(lambda rows: torch.zeros(1, 6), 2, 0, 1, 3, lambda p: next(_script))
assert isinstance(_got, list | tuple), (
    f"Return a list of word numbers; yours: {_got!r}."
)
assert [int(word) for word in _got] == [3, 2, 4], (
    f"Drawn: 3 2 4 4 ..., no end, most 3: 3 2 4 wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _n, _end, _most, _drawn in (
    (1, 1, 5, [1]),
    (3, 8, 0, [2, 3]),
    (2, 0, 4, [2, 3, 4, 0, 5]),
    (2, 0, 3, [2, 3, 4, 0, 5]),
    (4, 6, 1, [2, 6]),
    (1, 5, 30, [2, 0, 2, 0, 5, 2]),
    (2, 700, 30, [*range(29), 700]),
    (2, 9, 12, [3] * 20),
    (2, 0, 4, [3, 5, 0, 2]),  # start and end are one number
):
    _script = iter([*_drawn, _end, *[2] * 40])
    _got = write_story(
        lambda rows: torch.zeros(1, 9),
        _n,
        0,
        _end,
        _most,
        lambda p, s=_script: int(str(next(s))),
    )
    _wanted = []
    for _word in _drawn[:_most]:
        if _word == _end:
            break
        _wanted.append(_word)
    assert isinstance(_got, list | tuple) and [int(word) for word in _got] == _wanted, (
        f"n = {_n}, start 0, end {_end}, most {_most}, drawn {_drawn}: {_wanted} wanted; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %%
dice = torch.Generator().manual_seed(3)


def draw(p):
    return int(torch.multinomial(torch.as_tensor(p).detach(), 1, generator=dice))


def counter_scores(rows):
    """ln P of the counter that looks 4 words back, (1, V): scores that write_story can use."""
    context = [lexicon[i] for i in rows[0].tolist()]
    p = [*counters[4].context_distribution(context), 0]  # `<s>` never comes next
    return torch.tensor(p).log()[None]


# %%
rows, after = all_examples(stories, 4)
patience = budget().choose(grading=400, laptop=4000, gpu=16_000)
trained_longer, _ = train_lm(4, 1, patience, rows, after)
writers = {
    f"the network of section 13, {steps_taken} steps": bengio[4, 1],
    f"the same, {patience} steps": trained_longer,
    "the counter": counter_scores,
}
for name, model in writers.items():
    text = write_story(model, 4, START, END, 45, draw)
    print(f"{name}:", language.readable([lexicon[i] for i in text]), "\n")

# %% [markdown]
# All three look four words back. Read closely: what goes wrong, and *where*?
#
# One might blame the window, since nobody can know through it who was mentioned five words ago. But most of these errors lie *inside* the
# window, often between two neighbouring words. So let us count such errors. We write forty stories with each model, and ask of each
# pair of neighbouring words whether it ever occurs in 300,000 other tokens of the language. Even real stories have some pairs that do
# not; they are the standard to compare with.

# %%
seen_pairs = set()
for document in language.documents(tokens=300_000, seed=77):
    told = [place.get(word, UNK) for word in ("<s>", *document.tokens)]
    seen_pairs.update(pairwise(told))


def strange_pairs(texts):
    """The share of neighbouring words that 300,000 tokens of the language never have side by side."""
    pairs = [pair for text in texts for pair in pairwise([START, *text])]
    return np.mean([pair not in seen_pairs for pair in pairs])


real = [[place.get(word, UNK) for word in story] for story in held_out[:40]]
print(f"{strange_pairs(real):5.1%} in real stories")
for name, model in writers.items():
    made_up = [write_story(model, 4, START, END, 60, draw) for _ in range(40)]
    print(f"{strange_pairs(made_up):5.1%} by {name}")

# %% [markdown]
# So the window is not to blame, at least not yet. After a short training, the network puts words side by side that do not belong there, and a longer training
# removes most of them, with the window as it was. The counter makes nearly as many as the network after its short training: it keeps
# some probability for *every* word after every context, and sometimes that is what it draws.
#
# What no training can give this network is a memory of words beyond its window. In section 16 we shall see how exact that
# limit is.

# %% [markdown] statement="softmax_smoothing"
# ## 14. Softmax smooths, at a price
#
# Chapter 02 worked hard so that no word has probability 0. Here it comes for free: $\exp$ is never 0, on paper. In
# float64 $e^{-800}$ *is* 0 and $e^{800}$ is infinite, so a program must take care. Write
#
# - `log_probability(y, w)`: $\ln \text{softmax}(y)_w$, right for scores of any size;
# - `never_met(train_grams, test_grams)`: the share of the tuples in the second list that plain counting calls
#   impossible;
# - `multiplications(V, n, m, h)`: how many the Bengio model needs for *one* probability (no exp, no divisions).

# %% [markdown] hints="softmax_smoothing"
# 1. Add 5 to all scores: what happens to the probabilities?
# 2. So you may shift the scores until the largest exponent is 0: nothing overflows, and the sum is at least 1. Stay
#    with logarithms to the end.
# 3. Take the logarithm of $e^{y_w - r} / \sum_v e^{y_v - r}$ before you compute anything; which $r$? For the price:
#    each entry of each of three matrices is used once, and a softmax needs *all* scores, even for one word.


# %% task="softmax_smoothing" points=3 level=2 minutes=17
def log_probability(y, w):
    """ln softmax(y)_w for an array of scores y, shape (V,), as exact as float32 holds them or better."""
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
    rows, _ = all_examples(held_out[:10], 2)
    smallest = F.log_softmax(bengio[2, 1](rows), 1).min().item() / math.log(10)
print(f"the network's least probable word: about 10 to the {round(smallest, -1):.0f}")

# %%
hard = [tuple(row) for row in all_examples(held_out[:40], 2)[0].tolist()]
asked = [[lexicon[i] for i in row] for row in hard]
rows, several = torch.tensor(hard), {}


def microseconds(work, queries):
    """Computing time of one query in the five fastest of ten runs."""
    found = []
    for _ in range(10):
        begin = time.process_time()
        work()
        found.append(1e6 * (time.process_time() - begin) / queries)
    return sorted(found)[:5]


# %%
with torch.no_grad():
    several["counter, one query"] = microseconds(
        lambda: [counters[2].prob("the", context) for context in asked[:300]], 300
    )
    several["network, one query"] = microseconds(
        lambda: [F.softmax(bengio[2, 1](row[None]), 1)[0, 7] for row in rows[:300]], 300
    )
    several["network, a batch of 1,000"] = microseconds(
        lambda: F.softmax(bengio[2, 1](rows[:1000]), 1)[:, 7], 1000
    )
_, axes = plt.subplots(figsize=(7, 1.8))
for row, values in enumerate(several.values()):
    axes.plot(values, [row] * 5, "o", color=plots.COLOURS[row > 0])
axes.set_yticks(range(3), list(several))
axes.set(xlabel="computing time of one probability (microseconds)", ylim=(-0.5, 2.5))
axes.set(xlim=(0, None))
axes.set_title("In a batch, the network is the cheaper one", loc="left", fontsize=11)
axes.grid(axis="x", alpha=0.3)
plt.show()

# %% [markdown]
# Plain counting calls a third of all held-out trigrams impossible; the network gives each a probability. The price:
# it multiplies for *all* words at each query. One query takes several times as long as one to the counter. With 1,100
# words, most of this is the cost of calling torch: in a batch of 1,000 contexts, each takes less than one query to
# the counter. (CPU time, five fastest of ten runs.)
#
# <details><summary>A slip in the printed slides</summary>
#
# Lecture 002 gives the cost of a softmax over the vocabulary as "typically $O(|V|^2)$". From $nm$ numbers to $V$ scores
# it grows like $V$; the square arises only if the input is one-hot, of $V$ numbers.
# </details>

# %% [markdown] statement="one_hot_slide"
# ## 15. The printed slide is wrong: find it
#
# Lecture 002 builds an MLP that predicts a word $w$ from $n$ others (its letter is $k$): "Input is a concatenation of
# $w$ with each context word", all one-hot, then one layer to $|V|$ scores: $(n+1)|V|^2 + |V|$ parameters. With $n = 10$
# that is 11,001,000 for $10^3$ words, and 110,000,100,000 for $10^5$. Something stands in this input that must not be
# there. Write
#
# - `repaired_parameters(V, n)`: the number of weights and biases without it;
# - `leaks(rows, targets)`: the columns of `rows` that equal `targets` in every row: a check for any data set.

# %% [markdown] hints="one_hot_slide"
# 1. Which word do we want to guess, and which word is in the input?
# 2. Each of the remaining words is $|V|$ numbers long, and each number meets every output.
# 3. Count weights, then one bias for each output. A column is suspicious if no row contradicts it: compare it with the
#    targets as a whole.


# %% task="one_hot_slide" points=3 level=2 minutes=11
def repaired_parameters(V, n):
    """Weights and biases of one layer from n one-hot words to V scores, without the word to guess."""
    ### BEGIN SOLUTION
    return n * V**2 + V
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
    f"V = 10, n = 2: the slide would say 310, with the word to guess in the input; yours: {_got}."
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
        f"V = {_V}, n = {_k}: {_got} is not weights plus biases."
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
_y = torch.randint(5, (1500,))
_x = torch.stack([_y, _y, _y], 1)
_x[[0, 700], [0, 1]] += 1
_got = leaks(_x, _y.clone())
assert hasattr(_got, "__iter__") and [int(column) for column in _got] == [2], (
    f"1,500 rows; columns 0 and 1 differ from the targets in one row each, so only 2 leaks; yours: {_got!r}."
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
    f"lecture 000's history of 512, text of 16 words: {1 - sum(range(16)) / (16 * 512):.1%} padding"
)
leaky = torch.cat([contexts, next_words[:, None]], 1)
print(
    "columns that leak:", leaks(contexts, next_words), "and", leaks(leaky, next_words)
)

# %% [markdown]
# With learned vectors and a hidden layer, the model has a thirteenth of the repaired numbers.
#
# Does a leak show in training? We give one model the honest context of two words, and another one the word to guess as
# a third.

# %%
curves = {"the words before": [], "with the word to guess": []}
for seed in (1, 2, 3):
    for found, rows in zip(curves.values(), (contexts, leaky), strict=True):
        _, history = train_lm(rows.shape[1], seed, 80, rows, next_words, batch=128)
        found.append(history["train loss"])

# %%
_, axes = plt.subplots(figsize=(7, 2))
for (name, found), colour in zip(curves.items(), plots.COLOURS, strict=False):
    for losses in found:
        axes.plot(history["step"], losses, color=colour)
    axes.plot([], color=colour, label=f"{name} (three seeds)")
axes.axhline(
    floor.nats, color="black", linestyle="--", label="floor: the language itself"
)
axes.set(xlabel="step", ylabel="loss (nats per token)", ylim=(0, 8))
axes.legend(fontsize=10, loc="upper right")
plt.show()

# %% [markdown]
# The loss of the second model falls below the floor, which means below what the language itself allows, and it does so before any
# example has been seen twice. That is no triumph but a leak. Remember what made it visible: we know the floor. On real text the same curve would
# only have looked very good. (After many passes, a *training* loss may fall that low by memorising; a held-out loss may not.)
#
# Back to the window: "your history length is N and no more than N" (lecture 000).

# %% [markdown] statement="beyond_the_window"
# ## 16. One word too far: predict, then measure
#
# *I visited New York. I had a really fun time going up the ...* (lecture 001). Which words fit, and which word decides?
# Plant such a cue, 0 or 1, `distance` places before the blank, among filler words that tell nothing. A model with
# $n = 4$, trained on cues at distances 1 to 6, waits below: `reader`.
#
# - `exam(fillers, distance, n)`: all texts $(N, T)$ with cue 0, then all with cue 1; their last $n$ words, $(2N, n)$,
#   and the cues (leave `fillers` as it is);
# - `guess_beyond`: the share right at distance 5, $n = 4$;
# - `measured_beyond`: `reader`'s shares on `exam_fillers`, distances 1 to 6, $n = 4$.

# %% [markdown] hints="beyond_the_window"
# 1. Which column of a text of $T$ words is `distance` places before the blank after it?
# 2. Overwrite that column in two copies, put them under each other, *then* cut off all but the last $n$ columns. Leave
#    `fillers` itself unchanged.
# 3. At distance $n + 1$ the rows $i$ and $i + N$ are equal, but their answers differ. How many of the two can any model
#    get right? `reader(rows)` gives scores $(2N, 2)$; compare its argmax with the cues.

# %%
exam_fillers = torch.randint(
    2, 12, (500, 8), generator=torch.Generator().manual_seed(5)
)


# %%
def practice(step, seen):
    """256 texts with the cue at a random distance from 1 to 6, their last words; and their cues."""
    draw = torch.Generator().manual_seed(step)
    drill = torch.randint(2, 12, (256, 8), generator=draw)
    cues = torch.randint(2, (256,), generator=draw)
    distances = torch.randint(1, 7, (256,), generator=draw)
    drill[torch.arange(256), 8 - distances] = cues
    return drill[:, -seen:], cues


def new_reader():
    """The vectors of 4 words end to end, a hidden layer, scores of the two cues."""
    vectors = [nn.Embedding(12, 8), nn.Flatten(1)]
    return nn.Sequential(*vectors, nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))


# %%
def train_reader(make, seed, seen):
    """A reader of the last `seen` words, trained on cues at distance 1 to 6."""
    set_seed(seed)
    net = make().to(device)
    train(
        net,
        lambda step: practice(step, seen),
        lambda net, batch: (F.cross_entropy(net(batch[0]), batch[1]), len(batch[1])),
        steps=200,
        rate=1e-2,
    )
    return net.to("cpu")


reader = train_reader(new_reader, seed=5, seen=4)
print("trained on cues at distance 1 to 6, sees 4 words back")


# %% task="beyond_the_window" points=4 level=3 minutes=19
def exam(fillers, distance, n):
    """Rows (2N, n) and cues (2N,), both int64, of fillers (N, T).

    All fillers with cue 0 at this distance, then all with cue 1; of each the last n words.
    """
    ### BEGIN SOLUTION
    N, T = fillers.shape
    cues = torch.arange(2).repeat_interleave(N)
    texts = fillers.repeat(2, 1)
    texts[:, T - distance] = cues
    return texts[:, T - n :], cues
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
    assert "int" in str(_got[1].dtype), (
        f"The cues are integers, the numbers of classes; yours: {_got[1].dtype}."
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
for distance, share in enumerate(measured_beyond, start=1):
    print(f"distance {distance}: {100 * share:.1f} % right")

# %% [markdown]
# Not *about* chance: exactly chance. Beyond the edge, the two texts of a pair are the same input. So every model with this
# window gets one of them right and the other one wrong, however long it is trained.
#
# In section 13 a network beat counts with the same window, but it shares their *Markov assumption*: what stands further
# back does not matter. In language it does. How does this sentence go on: *a strawberry that was picked in the field by the
# best farmer in the world with some ...*? Probably with *cream*. Now put *a hedge that was cut* in the place of *a
# strawberry that was picked*, and you expect *clippers*. The deciding word stands sixteen words before the one that we
# guess. (The example is Y. Artzi's.)

# %% [markdown] statement="bag_means"
# ## 17. All words, no order
#
# So look at *all* words so far. But how, with a network whose input has a fixed size? Lecture 003 averages their
# vectors, $\frac1i \sum_{j=1}^{i} \phi(w_j)$, before a tanh layer and a softmax: a **bag of words**. Three ways to the
# mean:
#
# - `bag_by_loop(vectors, i)`: this mean for one $i$ from 0 to $T$. At $i = 0$ return what the formula gives: NaN;
# - `bag_means(vectors)`: for all $i = 1, \dots, T$ at once;
# - `uniform_attention(T)`: the matrix $A$ with the same means in `A @ vectors`: row $i$ is a softmax of zeros over the
#   first $i$ places, then 0.

# %% [markdown] hints="bag_means"
# 1. At $i = 0$ there is a sum of nothing, divided by nothing; in torch, 0/0 is NaN, in Python an error.
# 2. A running total is one call in torch. Divide each row by how many words it holds; mind the shapes.
# 3. For $A$: scores of zero where a word may be seen, minus infinity where it stands in the future, then a softmax over
#    each row.


# %% task="bag_means" points=5 level=2 minutes=19
def bag_by_loop(vectors, i):
    """The mean of the first i of the vectors (T, m), shape (m,); NaN for i = 0. `vectors` stays as it is."""
    ### BEGIN SOLUTION
    total = torch.zeros(vectors.shape[1], dtype=vectors.dtype)
    for j in range(i):
        total = total + vectors[j]
    return total / i if i else total / torch.zeros(1)
    ### END SOLUTION


def bag_means(vectors):
    """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, m) -> (T, m). Gradients must pass through."""
    ### BEGIN SOLUTION
    places = torch.arange(1, len(vectors) + 1, device=vectors.device)
    return vectors.cumsum(0) / places[:, None]
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
# The start symbol mends the first step: with `<s>` as $w_1$, the mean is never empty.


# %%
class BagLM(nn.Module):
    """b + U tanh(d + H mean), for every place of a text at once."""

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
    scores = torch.cat([model(ids) for ids, _ in batch])
    following = torch.cat([words for _, words in batch])
    return F.cross_entropy(scores, following), len(scores)


# %%
encoded, valid_encoded = (
    [story(text) for text in stories],
    [story(text) for text in held_out],
)


bag_steps = budget().choose(grading=500, laptop=1500, gpu=4000)


def train_bag(seed, steps=bag_steps):
    """A trained bag-of-words model."""
    set_seed(seed)
    model, draw = BagLM(len(lexicon)).to(device), shuffled(len(stories), 8, seed)
    train(
        model,
        lambda step: [encoded[i] for i in draw(step)],
        bag_loss,
        steps=steps,
        rate=5e-2,
        schedule=warmup_cosine(20),
    )
    return model.to("cpu")


# %%
bags = [train_bag(seed) for seed in (1, 2, 3)]
longer_bag = train_bag(1, 2 * bag_steps)
with torch.no_grad():
    perplexity["bag of words"] = [
        math.exp(bag_loss(bag, valid_encoded)[0].item()) for bag in bags
    ]
    twice = math.exp(bag_loss(longer_bag, valid_encoded)[0].item())
print(f"{bag_steps * 8 / len(stories):.1f} passes through the training text;", end=" ")
print(
    f"perplexity {perplexity['bag of words'][0]:.1f}, and {twice:.1f} after twice as many"
)
print(f"the counter that sees one word back: {perplexity['Kneser-Ney, 1 back'][0]:.1f}")

# %%
past, _ = story(held_out[0])
mixed = past[torch.randperm(len(past))]
with torch.no_grad():
    change = (bags[0](past)[-1] - bags[0](mixed)[-1]).abs().max().item()
print(
    f"the past in another order changes the scores by {change:.0e}"
    if change > 1e-4
    else "the past in another order: no change"
)

# %%
print(uniform_attention(4).numpy().round(2))

# %%
_, axes = plt.subplots(figsize=(7, 1.9))
ranking = sorted(perplexity, key=lambda name: -perplexity[name][0])
for row, name in enumerate(ranking):
    kind = 2 if name == "bag of words" else "Kneser" in name
    axes.plot(
        perplexity[name], [row] * len(perplexity[name]), "o", color=plots.COLOURS[kind]
    )
axes.axvline(floor.perplexity, color="black", linestyle="--", label="floor")
axes.set_yticks(range(len(ranking)), ranking)
axes.set(xlabel="held-out perplexity", xscale="log")
axes.set_xticks([5, 10, 20, 50, 100], [5, 10, 20, 50, 100])
axes.minorticks_off()
axes.legend()
plt.show()

# %% [markdown]
# The bag remembers everything, and yet it loses clearly to a counter that sees *one* word back (mind the logarithmic axis; three seeds). More
# training is not what it lacks: twice as much brings it, as printed above, nowhere near the counter. What it lacks is order. In a mean, the word that came
# last weighs no more than any other, and the last word tells most about the next.
#
# So is a bag good for nothing? Give it the exam of section 16: which of two cues stood *anywhere* in the text?


# %%
class BagReader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(12, 8)
        self.top = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 2))

    def forward(self, rows):
        """Texts (B, T) -> scores of the two cues (B, 2)"""
        return self.top(self.embedding(rows).mean(1))


# %%
_, axes = plt.subplots(figsize=(7, 2.3))
for make, seen, name, colour, shift in (
    (new_reader, 4, "window of 4 words", plots.COLOURS[0], -0.08),
    (BagReader, 8, "bag of all 8 words", plots.COLOURS[2], 0.08),
):
    for seed in (5, 6, 7):
        net, right_answers = train_reader(make, seed, seen), []
        for distance in range(1, 9):
            rows, cues = exam(exam_fillers, distance, seen)
            right_answers.append(
                100 * (net(rows).argmax(1) == cues).double().mean().item()
            )
        places = [distance + shift for distance in range(1, 9)]
        axes.plot(
            places, right_answers, ".", color=colour, label=name if seed == 5 else None
        )
axes.axvline(
    6.5, color="gray", linestyle="--", label="trained on distances to the left"
)
axes.set(
    xlabel="distance of the cue (words before the blank)",
    ylabel="right, %",
    ylim=(0, 105),
)
axes.legend(loc="lower left", fontsize=10)
plt.show()

# %% [markdown]
# There it is (three seeds each). The window is right in exactly half of the cases as soon as the cue is outside. The bag finds the cue at
# *every* distance, even at distances that it was never trained on. Where it matters only *which* words occur, a bag is enough.
#
# Now look once more at the matrix of weights that `uniform_attention` printed. Row $i$ says how much word $i$ takes from each word
# so far, and it takes the same from all. That matrix is **attention**, in its simplest form: each word looks at itself and at all words
# before it, evenly.

# %% [markdown]
# ## What you can do now
#
# You have built a network that reads a few words through a window, and you know it from the inside: you wrote its training loop, worked out each of its
# gradients, and checked them by a method that shares no line with your own. You know how to tell a good loss from a suspicious one, because the
# first loss must be the logarithm of the number of classes, and a loss below the floor is a leak.
#
# You have also seen why networks took over from counters. A counter must have met a context exactly. A network only needs to have met
# words that behave alike, and it finds out by itself which these are. You have their map.
#
# And you know where the window ends. It keeps the order of a few words and is blind to all others. The bag sees all words and
# forgets their order. We want both, and there are two ways to get there. One carries a summary of everything so far along, word by word. That is
# chapter 05. The other lets the weights of the mean depend on the words themselves. That is chapter 06, and it is what the models that you talk to are made of.
