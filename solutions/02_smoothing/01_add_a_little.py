# ---
# title: Smoothing, or what to do about things never seen
# ---

# %% [markdown]
# Take the bigram model of chapter 01 and let it read a text that it has not seen. Most sentences go well. Then comes one
# in which two words stand side by side that never did so in the training text. Nothing is wrong with that sentence, and
# anybody could have said it. But its probability is 0, because one factor of the product is 0. And a single such
# sentence is enough to make the perplexity of the *whole* text infinite.
#
# *Never seen* is not the same as *never possible*. **Smoothing** takes a little probability away from what was seen and
# gives it to what was not. Two questions run through this chapter:
#
# - *How much* do the unseen deserve together? (sections 1 to 6)
# - *Which* of the unseen deserve it most? (sections 7 to 10)
#
# The best moment comes in section 7. You will ask for one thing only, that the model's books balance, and a formula falls out on which two researchers built
# what was for twenty years the strongest way of counting. Sections 11 to 13 are about two practical matters: weights that are learned, and how large a
# vocabulary should be. In section 14 all methods meet in one table. The most elaborate one does *not* win it, and you will find out why. Section 15 repeats
# the main comparison with more text.
#
# Why learn this when the models that you talk to are neural networks? Because the question does not go away: every model must decide how much probability to
# keep for what it has never met, and only text that it has not learned from can tell whether it decided well. And because these counters are honest rivals.
# In chapters 04 and 05, small networks will have to beat what you build here, and not all of them do.
#
# The tasks are meant to take a little more than four hours together, and the reading comes on top, so plan for six to eight. Good places to stop are the ends
# of sections 6, 10 and 13.

# %% [markdown]
# Here are the letters that we shall use. A *context* $h$ (for *history*) is what stands before a word $w$. Its **lower
# order** $h'$ is $h$ without its oldest word: the lower order of *i want* is *want*. We also call it the *shorter memory*.
#
# | letter | what it stands for |
# |---|---|
# | $c(hw)$ | the count: how often $w$ was seen after $h$ |
# | $n(h)$ | $\sum_w c(hw)$, all tokens seen after $h$ (short: $n$); $N$: all tokens of the text |
# | $N_c$ | how many *different* n-grams occur exactly $c$ times |
# | $V$ | how many events can come next: all words, `<UNK>`, `</s>` |
# | $\alpha$ | what Lidstone adds to each count (sections 1 to 3) |
# | $k$, $D_j$ | the *discount*: taken from every count, or from a count $j$ (5 to 10) |
# | $\lambda(h)$ | the weight of the lower order, if its probability is added for *every* word (5 to 9) |
# | $\beta(h)$ | its weight, if it is used only for words that were *never seen* after $h$ (10) |
# | $\pi_\ell$ | the weight of level $\ell$ in a mixture (11, 12) |
#
# In all tasks, your functions leave their arguments as they are. (Careful with a `defaultdict`: merely looking up a key
# that is missing adds it.)

# %% [markdown]
# **The text.** We use 9,222 short requests to a restaurant guide. We generated these sentences ourselves. Only two things are real: how often eight words
# occur, and how often they follow each other (64 numbers that were published by the Berkeley Restaurant Project). The text is small, so section 15 repeats
# the main comparison with up to a million tokens of another one. A program made that text, too. So no perplexity in this chapter was measured on natural
# text, and which method wins may depend on the two programs.
#
# Many held-out sentences (such as "yes") also stand in the training text, so a model that has merely memorised would look
# good on them. That is why we mostly test on the *new* sentences, those that do not.
#
# Now and then we quote two public lectures, one by Greg Durrett and one by Fabrizio Silvestri, because something in them is
# worth testing. You need neither of them.

# %%
import math
import random
from collections import Counter, defaultdict
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import lmkit
from lmkit import berkeley, drawings, ngrams, plots
from lmkit.sliders import slider
from lmkit.testing import arguments_after, close, is_number

plots.use_style()
plt.rcParams["figure.dpi"] = 140  # large enough to read

# %%
corpus = lmkit.load("berkeley")
train_sentences, held_out = corpus.splits["train"], corpus.splits["test"]
known_sentences = {tuple(sentence) for sentence in train_sentences}
new_sentences = [
    sentence for sentence in held_out if tuple(sentence) not in known_sentences
]
print(
    len(train_sentences),
    "to count,",
    len(held_out),
    "held out,",
    len(new_sentences),
    "of them new",
)

# %%
pair_counts = Counter(
    pair for words in train_sentences for pair in pairwise(["<s>", *words, "</s>"])
)


def never_seen(words):
    """The pairs of a sentence that the training text lacks."""
    return [
        pair for pair in pairwise(["<s>", *words, "</s>"]) if pair not in pair_counts
    ]


familiar = set().union(*train_sentences)
for name, part in {"all held-out": held_out, "new": new_sentences}.items():
    blocked = np.mean([len(never_seen(words)) > 0 for words in part])
    strangers = np.mean([not familiar.issuperset(words) for words in part])
    print(f"{name} sentences: {blocked:.0%} are impossible", end=", ")
    print(f"{strangers:.0%} because of a word that was never seen at all")
print("three of them, and why:")
one_pair = [words for words in new_sentences if len(never_seen(words)) == 1]
for words in [words for words in one_pair if len(words) > 5][:3]:
    print("  ", " ".join(words), "| because of:", *never_seen(words)[0])

# %% [markdown]
# Read the examples. They are ordinary requests, and we have chosen some in which a single pair is to blame. Of all held-out sentences about one in four is
# impossible, and of the new ones two in five. In about one fifth of them the reason is a word that was never seen at all. In the others every word is known,
# and two known words stand side by side for the first time.
#
# The oldest remedy is also the simplest: pretend that every possible pair was seen $\alpha$ more times than it was. Then
# no count is 0.

# %% [markdown] statement="lidstone"
# ## 1. Add a little to everything
#
# With $V$ possible events, $c$ becomes $c + \alpha$, so a row grows by $V\alpha$ in all. G. Lidstone's estimate is
#
# $$P(w_2 \mid w_1) = \frac{c(w_1 w_2) + \alpha}{n(w_1) + V\alpha}.$$
#
# - `lidstone_by_hand()`: after *tea*, the $V = 4$ events *or*, `</s>`, *milk*, *tea* were seen 2, 1, 0, 0 times. Return
#   `{"or": P, "milk": P}` for $\alpha = 1$ (**Laplace**);
# - `lidstone(counts, w1, w2, alpha, V)`: the same for any `counts` `{(w1, w2): int}`, which may lack $w_1$;
# - `lidstone_array(C, alpha)`: all of them at once, no loop, from the count matrix $C$ of shape [contexts, V].

# %% [markdown] hints="lidstone"
# 1. How many imaginary tokens does a row receive in all? The number below the line must grow by just that.
# 2. The row of a context never seen has $n = 0$. What does the formula say then? Nothing special is needed.
# 3. Array: the sum of each row, kept as a column, and the number of columns give all denominators at once.


# %% task="lidstone" points=4 level=1 minutes=12
def lidstone_by_hand():
    """{"or": P(or | tea), "milk": P(milk | tea)} for alpha = 1."""
    ### BEGIN SOLUTION
    return {"or": (2 + 1) / (3 + 4), "milk": (0 + 1) / (3 + 4)}
    ### END SOLUTION


def lidstone(counts, w1, w2, alpha, V):
    """P(w2 | w1) from counts {(w1, w2): int}, with alpha added to each of V events; counts stay as they are."""
    ### BEGIN SOLUTION
    n = sum(count for (first, _), count in counts.items() if first == w1)
    return (counts.get((w1, w2), 0) + alpha) / (n + V * alpha)
    ### END SOLUTION


def lidstone_array(C, alpha):
    """P, shape [contexts, V], from counts C, shape [contexts, V]; C stays as it is."""
    ### BEGIN SOLUTION
    return (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
    ### END SOLUTION


# %% family="lidstone"
_counts = made(
    lambda rng: {
        (a, b): rng.randint(1, 9)
        for a in ("a", "ab", "b")
        for b in "abcd"
        if rng.random() < 0.6
    },
    edges=[
        {},
        {("a", "b"): 1, ("b", "a"): 2},
        {(a, b): 2 for a in "ab" for b in "abcd"},
    ],
)
_alpha, _V = number(0.001, 2, [1]), whole(6, 9, [1400])

# %% test="lidstone" aspect="four events by hand" points=1
_got = lidstone_by_hand()
assert hasattr(_got, "keys"), f"lidstone_by_hand returns a dict; yours: {_got!r}."
for _name in ("or", "milk"):
    _value = _got.get(_name)
    assert is_number(_value), f"{_name}: a number is wanted, not {_value!r}."
assert 0 < _got["milk"] < _got["or"] < 1, (
    f"milk is possible but less likely than or; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _name, _wanted in (("or", 3 / 7), ("milk", 1 / 7)):
    assert math.isclose(_got[_name], _wanted, abs_tol=0.006), (
        f"P({_name} | tea) is not {_got[_name]}: one more for each of 4 events, above and below the line."
    )
### END HIDDEN TESTS


# %% test="lidstone" aspect="one pair at a time" points=1
_counts = {("tea", "or"): 2, ("tea", "</s>"): 1, ("or", "tea"): 5, ("milk", "or"): 4}
_got = lidstone(dict(_counts), "tea", "or", 0.5, 4)
assert is_number(_got), f"lidstone returns a number; yours: {_got!r}."
assert close(_got, 0.5), f"Alpha = .5: (2 + .5) / (3 + 4 · .5) = .5; yours: {_got}."
### BEGIN HIDDEN TESTS
_w1, _w2 = choice("a", "ab", "b"), choice(*"abcde")
agrees(lidstone, ours.lidstone, _counts, _w1, _w2, _alpha, _V, rtol=1e-5)
_same = choice({("a", "b"): 1}, {("a", "b"): 4})  # the same pairs, counted anew
agrees(lidstone, ours.lidstone, _same, "a", "b", 0.5, 7, mixtures=0, rtol=1e-5)
_given = defaultdict(int, {("a", "b"): 1})
_after = arguments_after(lidstone, _given.copy(), "a", "e", 0.5, 7)[0]
assert _after == _given, (
    f"Counts may be a defaultdict: your look-ups added {set(_after) - set(_given)}."
)
### END HIDDEN TESTS


# %% test="lidstone" aspect="unseen contexts are even" points=1
_got = lidstone({("tea", "or"): 2}, "milk", "or", 0.1, 8)
assert is_number(_got), f"lidstone returns a number; yours: {_got!r}."
assert close(_got, 1 / 8), (
    f"Nothing was seen after milk: each of 8 events gets 1/8; yours: {_got}."
)
_got = lidstone_array(np.array([[0, 0, 0, 0], [3, 0, 0, 1]]), 0.1)
assert np.shape(_got) == (2, 4), f"Wanted shape (2, 4); yours: {np.shape(_got)}."
assert close(_got[0], [1 / 4] * 4), (
    f"A row without counts, four events: 1/4 each; yours: {_got[0]}."
)
### BEGIN HIDDEN TESTS
agrees(lidstone, ours.lidstone, _counts, "z", choice(*"abz"), _alpha, _V, rtol=1e-5)
_C = made(lambda rng, m, V: np.diag([0, 3] * 5)[:m, :V], whole(1, 9), whole(1, 9))
agrees(lidstone_array, ours.lidstone_array, _C, _alpha, rtol=1e-5, atol=1e-7)
### END HIDDEN TESTS


# %% test="lidstone" aspect="the array, row by row" points=1
_got = lidstone_array(np.array([[2, 1, 0, 0, 0], [0, 0, 8, 1, 1]]), 1)
assert np.shape(_got) == (2, 5), f"Wanted shape (2, 5); yours: {np.shape(_got)}."
assert close(np.sum(_got, axis=1), [1, 1]), (
    f"Each row sums to 1; yours: {np.sum(_got, axis=1)}."
)
### BEGIN HIDDEN TESTS
_C = array(size("contexts"), size("V"), below=20)
agrees(lidstone_array, ours.lidstone_array, _C, _alpha, rtol=1e-5, atol=1e-7)
_same = choice(
    np.eye(3, 4, dtype=int), np.eye(3, 4)[::-1] + 2
)  # rows with just one count, too
agrees(lidstone_array, ours.lidstone_array, _same, 0.5, mixtures=0, rtol=1e-5)
### END HIDDEN TESTS


# %% scratch=true
lidstone_array(np.array([[5, 0, 0], [0, 0, 0]]), 0.1)  # counts and alpha of your own

# %%
tea = {("tea", "or"): 2, ("tea", "</s>"): 1}
for name, alpha in {
    "Laplace": 1,
    "Jeffreys-Perks": 0.5,
    "nearly nothing": 0.001,
}.items():
    print(f"{name:14}", *lidstone_array(np.array([[2, 1, 0, 0]]), alpha).round(3))
array = lidstone_array(np.array([[2, 1, 0, 0]]), 1)
print(
    "three ways:",
    lidstone_by_hand()["or"],
    lidstone(tea, "tea", "or", 1, 4),
    array[0, 0],
)

# %% [markdown]
# ### Where the $+\alpha$ comes from
#
# We do not know the row's true
# probabilities $p = (p_1, \dots, p_V)$. Say how plausible each $p$ is *before* any count: with density proportional to
#
# $$\prod_w p_w^{\alpha - 1},$$
#
# the symmetric **Dirichlet** distribution. Counts $c_w$ multiply this **prior** by their likelihood $\prod_w p_w^{c_w}$. The
# product, the **posterior**, is proportional to $\prod_w p_w^{c_w + \alpha - 1}$: a Dirichlet again, with $a_w = c_w + \alpha$
# in the place of $\alpha$.

# %% [markdown]
# The probability to bet on is the posterior's mean of $p_w$. The integral of $\prod_w p_w^{a_w - 1}$ over all $p$ is $\prod_w \Gamma(a_w) / \Gamma(\sum_v
# a_v)$, with the *gamma function* $\Gamma$. One more factor $p_w$ raises $a_w$ by 1, and with it the sum $\sum_v a_v$. By $\Gamma(x + 1) = x\,\Gamma(x)$, the
# numerator grows by the factor $a_w$ and the denominator by the factor $\sum_v a_v$. So the integral is multiplied by $a_w / \sum_v a_v$. That is the mean:
#
# $$\mathbb{E}[p_w] = \frac{a_w}{\sum_v a_v} = \frac{c_w + \alpha}{n + V\alpha}.$$
#
# Lidstone's rule! With $\alpha = 1$ the prior is flat: Laplace's rule takes all distributions to be equally plausible. (H. Jeffreys and W. Perks took $\alpha
# = \frac12$.) Is our text like that? Draw rows from the prior and compare them with rows of our text. Look at two things in the figure: how high the marks
# begin on the left, and how long their tail is.

# %% [markdown]
# `lmkit.ngrams` counts our text: `bigrams.row(context)` says how often each event follows, `bigrams.matrix()`
# holds all pairs. Events are the words of the *training* text, `</s>`, and `<UNK>` (*unknown*), which stands for every
# **out-of-vocabulary** word. Its count is 0 here: only smoothing gives it anything.

# %%
bigrams = ngrams.NgramCounts(train_sentences, order=2)
C, V = (
    bigrams.matrix(),
    len(bigrams.vocabulary),
)  # C: shape [V + 1, V]; the row of `<s>` is the last


def numbered(sentences, counts=bigrams):
    """All pairs of some sentences as an array [pairs, 2]: row of the context, column of the event."""
    text = counts.encode(sentences)
    return np.column_stack([text[:-1], text[1:]])[text[1:] != len(counts.vocabulary)]


# %%
train_pairs, new_pairs, held_out_pairs = (
    numbered(part) for part in (train_sentences, new_sentences, held_out)
)
alphas = [0.5, *10.0 ** np.arange(-5, 1.1, 0.25)]
print(
    f"V = {V}: {V - 2} words, <UNK> and </s>; {np.mean(C > 0):.2%} of the cells above 0"
)
strange = np.mean(new_pairs[:, 1] == bigrams.index["<UNK>"])
print(f"out-of-vocabulary among the tokens of new sentences: {strange:.1%}")

# %% alt="Curves of probability by rank on logarithmic axes. Draws with a small alpha fall steeply, draws with alpha 1 are flat; the marks of three rows of the text begin higher than all draws with alpha 1 and have longer tails than those with alpha 0.01."
rng = np.random.default_rng(7)
_, axes = plt.subplots()
ranks = np.arange(1, V + 1)
for colour, alpha in enumerate((1, 0.1, 0.01)):
    for draw in range(3):
        row = np.sort(rng.dirichlet(np.full(V, alpha)))[::-1][:400]
        label = None if draw else f"prior, α = {alpha}"
        axes.loglog(
            ranks[:400], row, color=plots.COLOURS[colour], linewidth=0.8, label=label
        )
    print(
        f"prior, α = {alpha}: the likeliest five of the last draw have {row[:5].sum():.0%}"
    )
for word, mark in {"want": "o", "to": "^", "the": "x"}.items():
    row = np.sort(bigrams.row((word,)))[::-1] / bigrams.row((word,)).sum()
    row = row[row > 0]
    print(f"after {word}: the likeliest five of {len(row)} have {row[:5].sum():.0%}")
    axes.loglog(
        ranks[: len(row)], row, f"k{mark}", markersize=3.5, label=f"text: after {word}"
    )
axes.set(xlabel="rank of the next word", ylabel="probability", ylim=(1e-4, 1))
axes.set_title("No row of the text is as flat as α = 1", loc="left", fontsize=11)
axes.legend(fontsize=10, loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# Each coloured line is one row drawn from the prior, three for each α, with its probabilities sorted; the black marks are rows of our text. Rows from the
# flat prior (α = 1) spread over hundreds of words, and none of these gets even 1 %. No row of the text is like that: after *want*, five words have nearly all
# of the mass. But neither of the other two values fits well. The rows of the text begin steeply *and* have a long tail of rare words, and the draws have
# either the one or the other. (One caution: the marks are relative frequencies, which cannot lie below $1/n$, so the very ends of their tails should not be
# compared.)
#
# Which α will be the best compromise? Section 2 asks you to guess first.
