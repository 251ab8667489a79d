# ---
# title: Reading both ways
# ---

# %% [markdown]
# Which word is missing in *the ___ sings*? The word after the gap tells you more than the word before it. After *the* almost anything may come, but only *one* cook sings; two cooks *sing*. You used both sides without thinking about it.
#
# Our language models so far could not do that. They read from left to right, because they were meant to write, and a text that is being written has no right side yet. But whoever tags, translates or searches a text has all of it, and it would be a waste to look at the left half only.
#
# The **Transformer encoder** looks at both sides. You build one in this chapter, from chapter 6's attention and a few new parts, until it gives the same
# numbers as torch's own. Then you cover words in the sentences of the kitchen text, train your encoder to guess them, and ask it about a gap of your own
# (section 11).
#
# How good could it become? For English nobody knows. But the stories of our kitchen were written by a grammar, so you can compute the *best possible* answer
# for each gap. You will put your own encoder beside it, and four kinds of networks that we trained for you. In the last section, a network that was trained
# on gaps learns to tag words, and with only 50 labelled sentences it makes less than half of the mistakes of a tagger that starts from nothing.

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
# This chapter grew out of lectures by Fabrizio Silvestri, Yoav Artzi and Benjamin Muller, and one that nobody has signed. You do not need their slides.

# %%
import copy
import math
import random
from fractions import Fraction
from itertools import pairwise

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
    beside_the_answer,
    close,
    gradients,
    is_number,
    leave_gradients,
    parameter_gradients,
    torch_module,
    wrapped,
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
    "the cooks sing": 5,
    "the guard sings": 5,
    "the guards sing": 20,
    "the cook sleeps": 2,
    "the guards sleep": 15,
    "a cook sings": 3,
    "a guard sings": 30,
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
surprise = ("the", "guard", "sings"), 0
### END SOLUTION


# %% family="by_hand"
def _sentences(rng, n, of, some):
    """Sentences of up to four words, and their probabilities; some have none."""
    texts = [tuple(rng.choices(some, k=rng.choice([1, 2, 3, 3, 4]))) for _ in range(n)]
    parts = {text: rng.choice([0, 0, 1, 2, 3, 5, 8, 13]) for text in texts}
    return {
        text: of(part) / max(1, sum(parts.values())) for text, part in parts.items()
    }


@beside_the_answer
def _each_gap(ask, table, stands, kind, more):
    """What a function says about each place of some sentences and of one that nobody says."""
    found = {}
    for text in [
        ("a", "z", "c"),
        ("a", "___"),
        *sorted(table, key=table.get)[:: 1 + len(table) // 4],
    ]:
        words = [*text, *more]
        for place in range(len(words)):
            asked = kind([*words[:place], stands, *words[place + 1 :]])
            try:
                found[(*asked,), place] = ask(table, asked, place)
            except ValueError:
                found[(*asked,), place] = "ValueError"
    return found


_table = made(
    _sentences,
    size("sentences", most=30, large=None),
    choice(Fraction, float),
    choice("ab", "abc"),
    edges=[{("a", "b"): 0.5, ("ab", "a"): 0.25, ("a", "b", "c"): 0.25}],
)
_given = _table, choice("___", "a", None, "zzz"), choice(list, tuple), choice("", "a")


# %% test="by_hand" aspect="a ratio of whole sentences" points=1
_table = {("we", "eat"): 0.1, ("i", "eat"): 0.3, ("we", "sleep"): 0.6}
_got = both_sides(dict(_table), ["___", "eat"], 0)
assert hasattr(_got, "keys"), f"both_sides returns a dict; yours: {_got!r}."
assert set(_got) == {"we", "i"}, f"*we* and *i* eat; yours: {_got!r}."
assert close(_got["we"], 0.25), f"0.1 of 0.1 + 0.3 is 0.25; yours: {_got['we']}."
### BEGIN HIDDEN TESTS
agrees(both_sides, ours.both_sides, *_given, by=_each_gap, rtol=1e-6, mixtures=4)
### END HIDDEN TESTS

# %% test="by_hand" aspect="the left side alone" points=1
_table = {("we", "eat"): 0.1, ("we", "eat", "it"): 0.3, ("we", "sleep"): 0.6}
_got = left_only(dict(_table), ["we", "___"], 1)
assert hasattr(_got, "keys") and set(_got) == {"eat", "sleep"}, (
    f"After *we*: *eat* or *sleep*; yours: {_got!r}."
)
assert close(_got["eat"], 0.4), f"*eat* has 0.1 + 0.3; yours: {_got['eat']}."
### BEGIN HIDDEN TESTS
agrees(left_only, ours.left_only, *_given, by=_each_gap, rtol=1e-6, mixtures=4)
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
# From the left alone, *guards* is the best guess, and the right side forbids it. From the right alone, *guard* is the best guess, because *a guard sings* is
# said so often. Only who looks at both sides says *cook*.
#
# Could you not multiply the answers of two one-sided models? The last column does that, and it is not the truth: both factors contain how frequent the word
# is, $P(w)$, so it counts twice. One could divide by $P(w)$ once, but even that is right only if, given the word, the two sides know nothing of each other.
# So two one-sided models do not make one that sees both.
#
# Single words may lose. What about the average?


# %% alt="Bars for the cost of three gaps. In the middle gap the left alone costs 0.83 nats, the right alone 0.51 and both sides 0.35; at the first gap both cost as much as the right alone, at the last as much as the left alone."
def mean_cost(conditional, place):
    """Mean of -ln P over the language, in nats."""
    return sum(
        -float(P) * math.log(conditional(TOY, text, place)[text[place]])
        for text, P in TOY.items()
    )


_, axes = plt.subplots(figsize=(6, 2.4))
for i, f in enumerate((left_only, right_only, both_sides)):
    costs = [mean_cost(f, place) for place in range(3)]
    bars = axes.bar(np.arange(3) + 0.27 * (i - 1), costs, 0.25, label=f.__name__)
    axes.bar_label(bars, fmt="%.2f", fontsize=9)
axes.set(xlabel="place of the gap", ylabel="mean of -ln P (nats)", ylim=(0, 1.8))
axes.set_xticks(range(3))
axes.legend(ncols=3, loc="upper left")
plt.show()

# %% [markdown]
# The heights are exact, since the table is the language. Look first at the gap in the middle (place 1), the only one that has words on both sides. The left
# alone costs 0.83 nats, the right alone 0.51, and both together 0.35, so each side knows something that the other does not. At place 0 nothing stands on the
# left, so both sides know as much as the right alone; at place 2 it is the other way round. On average one more side never costs anything. How can a network
# use both sides?
