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
# At the end you will find its limit, and not roughly: ask it which of two cue words stood one place beyond its window, and it is right in exactly half of the
# cases, however long it trains. The first step out is a mean over *all* words so far. It is the simplest form of attention, and the last section shows what
# it can do and what it cannot.

# %% [markdown]
# Plan two sittings: sections 1 to 9 (tags), then 10 to 17 (the next word). The minutes that stand at the tasks add up to five hours; with reading, plan about
# four hours for each sitting. In all tasks, your functions leave their arguments as they are.
#
# **The text** is the *kitchen* text, restaurant stories that a program wrote. We use it because its truth is known: the part of speech of each word, and the
# **floor**, which is the loss of the best model there could ever be. On real text nobody knows the floor, and in section 15 you will see what it can reveal.
#
# **Your numbers.** On your machine the models train longer than in the stored notebook (`lmkit.budget()` decides how long),
# so your curves will end lower than the stored ones. Where we quote a number from a run, we say how long that run was.

# %%
import math
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
    beside_the_answer,
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
# **Part-of-speech tagging** writes a tag above every word: determiner, noun, verb, ... Can we do it from the counts of the words, as chapter 01 counted? Here
# are two sentences:

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
# - `guess_ceiling` and `measured_ceiling`: call a word **ambiguous** if it occurs in the kitchen text with two tags or more, such as `plate`, `cook` or `to`.
#   The next cell collects all tokens of such words, as `ambiguous_words` and `ambiguous_tags`. First guess this share for them, then measure it with your
#   function.

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

# %% family="static_ceiling"
_n = size("tokens", large=300)

# %% test="static_ceiling" aspect="increase stays at a half" points=1
_got = static_ceiling(
    ["increase"] * 6, ["NOUN", "VERB", "VERB", "NOUN", "NOUN", "VERB"]
)
assert is_number(_got), f"Return a share, a number; you return {_got!r}."
assert close(_got, 0.5, 1e-6), (
    f"Three NOUN, three VERB: one tag for all gets 3 of 6 right; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_tags = made(
    lambda rng, n: rng.choices("XYZ", k=n),
    _n,
    edges=[list("XYYYXYZZYZ"), list("YXYZXZ"), lambda rng, n: ["Z"] * n],
)
_word = made(lambda rng, tags: ["word"] * len(tags), _tags)
agrees(static_ceiling, ours.static_ceiling, _word, _tags, rtol=1e-5, mixtures=1)
### END HIDDEN TESTS

# %% test="static_ceiling" aspect="each word has its own tag" points=1
_got = static_ceiling(["the", "cook", "can", "cook"], ["DET", "NOUN", "AUX", "VERB"])
assert is_number(_got), f"Return a share, a number; you return {_got!r}."
assert close(_got, 0.75, 1e-6), (
    f"the, can and one cook right, the other cook wrong: 3 of 4; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_some = made(
    lambda rng, n: rng.choices(["May", "may", "May ", "a", "a/b", "a/c"], k=n),
    _n,
    edges=[["May", "may", "May"], lambda rng, n: [f"w{i}" for i in range(n)] * 2],
)
_own = made(lambda rng, some: [f"T{word}" for word in some], _some)
agrees(static_ceiling, ours.static_ceiling, _some, _own, rtol=1e-5, mixtures=1)
### END HIDDEN TESTS

# %% test="static_ceiling" aspect="shares of tokens, not words" points=1
_got = static_ceiling(["a", "a", "a", "a", "b", "b"], ["X", "X", "X", "Y", "X", "Y"])
assert is_number(_got), f"Return a share, a number; you return {_got!r}."
assert close(_got, 4 / 6, 1e-6), (
    f"Right: 3 of 4 times a, 1 of 2 times b, so 4 of 6 tokens; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_some, _tags = (  # neither the first tag of a word nor the last is the best
    made(lambda rng, n, end=end: [*end, *rng.choices(end, k=n), *end], _n)
    for end in (list("aaaaabbc"), list("YXXXZZYX"))
)
agrees(static_ceiling, ours.static_ceiling, _some, _tags, rtol=1e-5, mixtures=1)
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
