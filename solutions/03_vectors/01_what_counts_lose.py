# ---
# title: Word vectors
# ---

# %% [markdown]
# *She poured two glasses of veltin. The veltin was cold and a little sour. After his third glass he could not find the
# door.*
#
# You had never met the word *veltin*, because we made it up. Yet you know what it is, more or less, and you could use it in
# a sentence. Nobody explained it to you. You have learned it from the words around it. J. R. Firth said this in 1957: "You
# shall know a word by the company it keeps."
#
# The counters of chapters 01 and 02 cannot do it. For them *veltin* and *wine* are two strings, as different as *wine* and *door*, and what was seen of one
# says nothing about the other. In this chapter each word gets a **vector**, a short list of numbers, such that words used alike lie close together. Nobody
# will tell the program which words are alike. It learns that from their company. (You needed three sentences. In section 6 we hide *veltin* in a text and
# find out how many the program needs.)
#
# You will make such vectors twice. First you count neighbours, and after two hours or so your program tells you that *golden* is close to *silver*, *royal* and
# *lucky*. Then you train a small network to guess neighbours, the famous *skip-gram* of word2vec, with every gradient worked out by your own hand. And in
# section 11 it turns out that such a network computes, roughly, a table of counts that it has never seen.
#
# Word vectors are also famous for a trick: *guard* is to *guards* as *chef* is to ... In sections 13 and 14 we test it, and a
# simple control experiment shows how much of it is real.

# %% [markdown]
# Plan two sittings: sections 1 to 9 (counts, and the losses of the network), then 10 to 17 (training, and what the vectors
# have learned).
#
# **The text** is the *kitchen* text: restaurant stories that a program wrote. We use it because we know what there is to be found: nouns have plurals, verbs
# have three forms, each kind of house has its dishes. We also know what is *not* there. For example, all people come from one table, so whatever a chef does in
# these stories a farmer does as well. (Or so we thought. In section 14 the vectors will know better.)
#
# A few trainings take too long to wait for. Those we ran once, with several seeds, and the cells load what was recorded.
#
# Now and then we quote a public lecture: one by Greg Durrett, one by Fabrizio Silvestri, and one that nobody has signed. You need
# none of them.

# %%
import math
import time
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch.nn import functional as F

import lmkit
from lmkit import drawings, paths, plots
from lmkit.kitchen.tables import plural
from lmkit.kitchen.words import FRUIT_A, FRUIT_AN, PEOPLE_NOUNS
from lmkit.testing import close, is_number, warnings_of, without_autograd

plots.use_style()
plt.rcParams["figure.dpi"] = 140  # large enough to read
torch.set_num_threads(1)  # the matrices are small: one core is enough

# %% [markdown]
# These letters keep their meaning through the whole chapter, nearly; all others serve one section only:
#
# | letter | what it is | in code |
# |---|---|---|
# | $V$ | number of different words | `V` |
# | $d$ | numbers in the vector of a word | `d` |
# | $c$ | reach of the window: neighbours up to $c$ places away | `c` |
# | $i, j$ | number of a word; of a neighbour of it, its *context* | `i`, `j` |
# | $N$ | co-occurrence counts, $V \times V$: how often $j$ stood near $i$ | `N` |
# | $A$ | word vectors, $V \times d$; row $i$ is $a_i$ | `A` |
# | $B$ | context vectors, $V \times d$; row $j$ is $b_j$ | `B` |
# | $x$ | a score, the product $a_i \cdot b_j$ | `x` |
# | $k$ | negative samples for each pair | `k` |
# | $q$ | noise distribution over the words, $V$ numbers | `q` |

# %% [markdown]
# ## 1. What counts lose
#
# The classical vector of a text is its **count vector**, also called *bag of words*: how often each word of a fixed
# list occurs. To find texts on a topic that is often enough. What is lost? The unsigned lecture asks for the part of speech of
# each word, a **tag**, in these two sentences:

# %%
fox = lmkit.load("toy-fox")
for sentence, tags in zip(fox.splits["train"][:2], fox.tags["train"][:2], strict=True):
    print(" ".join(f"{word:5}" for word in sentence))
    print(" ".join(f"{tag:5}" for tag in tags), "\n")

# %% [markdown]
# Both have the same nine words, but the tags differ at the second to the seventh place. A function of the count vector, however deep the network that
# computes it, gets the same input twice and answers the same.

# %% [markdown] statement="count_vectors"
# ### Texts that no count can tell apart
#
# Write
#
# - `count_vectors(texts, words)`: for $n$ texts (lists of words) and a list of $V$ words, the counts, shape $(n, V)$.
#   Words that are not in the list are not counted.
# - `twins(texts)`: how many pairs of texts have exactly the same counts, but differ in order. Two such texts are one
#   pair, three different orders of the same words are three.
# - `missing`: the unsigned lecture prints the tags of the first sentence as `DET ADJ ADJ NOUN VERB PREP ADJ NOUN` (`PREP` is
#   our `ADP`). One is missing: at which place, counted from 0?

# %% [markdown] hints="count_vectors"
# 1. A count vector has a column for each word of the list, in the order of the list. Where does a word's column come
#    from?
# 2. Python's `Counter` counts one text; two texts are twins if their counters are equal and the lists are not.
# 3. Look at each pair of texts once, the second after the first. For `missing`, write the printed tags below the nine
#    words and go on until one does not fit.


# %% task="count_vectors" points=3 level=1 minutes=14
def count_vectors(texts, words):
    """Array (n, V): how often each word of the list occurs in each text. The list holds each word once."""
    ### BEGIN SOLUTION
    counts = [Counter(text) for text in texts]
    return np.array([[count[word] for word in words] for count in counts])
    ### END SOLUTION


def twins(texts):
    """The number of pairs of texts with equal counts and different order."""
    ### BEGIN SOLUTION
    return sum(
        Counter(one) == Counter(other) and list(one) != list(other)
        for place, one in enumerate(texts)
        for other in texts[:place]
    )
    ### END SOLUTION


# missing = the place of the missing tag, counted from 0
### BEGIN SOLUTION
missing = 6
### END SOLUTION

# %% test="count_vectors" aspect="a column for each word" points=1
_got = count_vectors(
    [["the", "tea", "the"], ["soup", "tea"]], ["tea", "the", "rice", "soup"]
)
assert np.shape(_got) == (2, 4), (
    f"Two texts, four words: shape (2, 4) wanted; yours: {_got!r}."
)
assert close(_got, [[1, 2, 0, 0], [1, 0, 0, 1]]), (
    f"Columns tea, the, rice, soup: the counts are not {_got!r}."
)
### BEGIN HIDDEN TESTS
_some = ["a", "tea", "team", "ea", "z"]  # words inside words
_texts = made(
    lambda rng, n, T: [rng.choices(_some, k=rng.randint(0, T)) for _ in range(n)],
    size("texts"),
    size("T"),
    edges=[[["a", "tea"] * 3000 + ["b"]], [[], ["a"]], [[]]],
)
_words = made(
    lambda rng: rng.sample(["A", "x", *_some[:4]], 5), edges=[["b", "a"], ["a"], ["x"]]
)
agrees(count_vectors, ours.count_vectors, _texts, _words)
### END HIDDEN TESTS

# %% test="count_vectors" aspect="twins differ in order only" points=1
_got = twins([["we", "eat"], ["eat", "we"], ["we", "eat"]])
assert is_number(_got), f"twins returns a number; yours: {_got!r}."
assert _got == 2, (
    f"'we eat' twice, 'eat we' once: two pairs differ in order; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_texts = made(
    lambda rng, n, T: [rng.choices("ab", k=T) for _ in range(n)],
    size("texts", least=0),
    size("T", most=4, large=None),
    edges=[
        [["a", "a", "b"], ["a", "b", "b"]],
        [["a", "b", "a", "a"], ["a", "a", "b", "a"]],  # exchanged in the middle
        [["ab", "c"], ["a", "bc"]],  # other words, the same letters in a row
        # The words of the first text come equally often in all three.
        [["a"], ["a", "b"], ["a", "c"]],
        [["a", "b", "a"], ["b", "a", "a"], ["a", "b"], [], ["b", "a"], ["b", "a", "a"]],
    ],
)
agrees(twins, ours.twins, _texts)
### END HIDDEN TESTS

# %% test="count_vectors" aspect="the tag that the page lacks" points=1
assert is_number(missing) and 0 <= missing <= 8, (
    f"missing is a place from 0 to 8; yours: {missing!r}."
)
### BEGIN HIDDEN TESTS
assert missing == 6, (
    f"Put a tag at place {missing} and read the words below the tags again: one of them still does not fit."
)
### END HIDDEN TESTS

# %%
kitchen = lmkit.load("kitchen")
stories = kitchen.splits["train"]
tags_of = {}
for story, tags in zip(stories, kitchen.tags["train"], strict=True):
    for t in range(len(story) - 4):
        bag = tuple(sorted(story[t : t + 5]))
        tags_of.setdefault(bag, Counter())[tuple(tags[t : t + 5])] += 1
total = sum(found.total() for found in tags_of.values())
unclear = sum(found.total() for found in tags_of.values() if len(found) > 1)
once = sum(found.total() == 1 for found in tags_of.values())
print(f"{total:,} windows of five words")
print(f"{unclear / total:.1%} share their bag with a window whose tags are others")
print(f"{once / total:.0%} have a bag that occurs only once")

# %% [markdown]
# In the kitchen text, too, some bags of five neighbouring words leave the tags open. (Most bags occur only once.)
#
# So give each *word* a vector and keep the order: a text of $T$ words becomes a matrix $(T, d)$, and a layer that
# scores tags takes each row separately. Where do these vectors come from?
