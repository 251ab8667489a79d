# ---
# title: Word vectors
# ---

# %% [markdown]
# To the counters of chapters 01 and 02, *guard* and *guards* are as different as *guard* and *soup*: two strings. What
# was seen of one says nothing about the other. This chapter gives each word a **vector**, a short list of numbers, such
# that words used alike lie close together. Nobody says which words are alike. The vectors learn it from the text, by one
# old idea of J. R. Firth (1957): "You shall know a word by the company it keeps."
#
# You will get such vectors twice: from a table of counts, without any network, and from a small network, word2vec's
# skip-gram. Then you will see that the two are nearly the same, and measure what the vectors know.

# %% [markdown]
# Plan two sittings: sections 1 to 7 (counts, and the network), then the rest (what the vectors have learned). None of
# your functions may change its arguments: whoever calls it needs them again.
#
# We quote three public lectures: 000 (unsigned notes), 001 (Greg Durrett) and 002 (Fabrizio Silvestri). You need none
# of them. Where a printed page is wrong you find a task, or a box that unfolds.
#
# The text is the *kitchen* text: restaurant stories that a program wrote. It *plants* relations: every noun has a
# plural, every verb three forms, each kind of house its dishes. So we know what vectors could find. What needs a long
# training was recorded once, with three seeds, in `data/vectors`.

# %%
import math
import random
import time
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch.nn import functional as F

import lmkit
from lmkit import drawings, paths, plots
from lmkit.budgets import budget
from lmkit.testing import arguments_after, close, gradients, is_number
from lmkit.training import set_seed

plots.use_style()
torch.set_num_threads(1)  # the matrices are small: one core is the fastest

# %% [markdown]
# Letters keep their meaning through the whole chapter:
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
# The classical vector of a whole text is its **count vector**, also called *bag of words*: how often each word of a
# fixed list occurs. For search that is enough, as chapter 02 has shown. What is lost? Lecture 000 asks for the part of
# speech of each word, a **tag**, in these two sentences:

# %%
fox = lmkit.load("toy-fox")
for sentence, tags in zip(fox.splits["train"][:2], fox.tags["train"][:2], strict=True):
    print(" ".join(f"{word:5}" for word in sentence))
    print(" ".join(f"{tag:5}" for tag in tags), "\n")

# %% [markdown] statement="count_vectors"
# ### Texts that no count can tell apart
#
# Both sentences have the same nine words, but the answers differ from the second place on. A function of the count
# vector, however deep the network that computes it, gets the same input twice and answers the same twice. Write
#
# - `count_vectors(texts, words)`: for $n$ texts (lists of words) and a list of $V$ words, the counts, shape $(n, V)$.
#   Words that are not in the list are not counted.
# - `twins(texts)`: how many pairs of texts have exactly the same counts, but differ in order. Pairs are not ordered: two
#   such texts are one pair, three are three pairs. All words count here.
# - `missing`: the lecture prints the tags of the first sentence as `DET ADJ ADJ NOUN VERB PREP ADJ NOUN` (`PREP` is our
#   `ADP`). A tag is missing: say at which place it belongs, counted from 0.

# %% [markdown] hints="count_vectors"
# 1. A count vector has a column for each word of the list, in the order of the list. Where does a word's column come
#    from?
# 2. Python's `Counter` counts one text; two texts are twins if their counters are equal and the lists are not.
# 3. Look at each pair of texts once, the second behind the first. For `missing`, write the printed tags below the nine
#    words and go on until one does not fit.


# %% task="count_vectors" points=3 level=1 minutes=12
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
for _n, _V in ((1, 1), (1, 5), (4, 3), (5, 7)):
    _words = random.sample("abcdefgh", _V)
    _texts = [random.choices("abcdefghxyz", k=random.randint(1, 12)) for _ in range(_n)]
    _texts[-1] = [*_texts[-1], _words[-1], _words[-1], "z"]  # twice, and a word beside the list
    _wanted = [[sum(w == word for w in text) for word in _words] for text in _texts]
    _got = count_vectors([list(text) for text in _texts], list(_words))
    assert close(_got, _wanted), (
        f"For the texts {_texts} and the words {_words} the counts are not {_got!r}."
    )
_got = count_vectors([[], ["a"]], ["a", "b"])
assert close(_got, [[0, 0], [1, 0]]), (
    f"A text without words has a row of zeros; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% test="count_vectors" aspect="twins differ in order only" points=1
_got = twins([["we", "eat"], ["eat", "we"], ["we", "eat"]])
assert is_number(_got), f"twins returns a number; yours: {_got!r}."
assert _got == 2, (
    f"'we eat' twice, 'eat we' once: two pairs differ in order; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _texts, _wanted in (
    ([], 0),
    ([["a"]], 0),
    ([["a", "b"], ["a", "b"]], 0),
    ([["a", "a", "b"], ["a", "b", "b"]], 0),
    ([["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]], 3),
    ([["a", "b", "a"], ["b", "a", "a"], ["a", "b"], ["b", "a"], ["b", "a", "a"]], 3),
):
    _got = twins([list(text) for text in _texts])
    assert is_number(_got), f"twins returns a number; yours: {_got!r}."
    assert _got == _wanted, f"{_texts}: {_wanted} such pairs; yours: {_got}."
for _ in range(5):
    _texts = [random.choices("ab", k=4) for _ in range(8)]
    _wanted = sum(
        sorted(_texts[i]) == sorted(_texts[j]) and _texts[i] != _texts[j]
        for i in range(8)
        for j in range(i)
    )
    _got = twins([list(text) for text in _texts])
    assert is_number(_got) and _got == _wanted, (
        f"{_texts}: {_wanted} such pairs; yours: {_got!r}."
    )
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
    begin = 0
    for end in (place + 1 for place, word in enumerate(story) if word == "."):
        bag = tuple(sorted(story[begin:end]))
        tags_of.setdefault(bag, set()).add(tuple(tags[begin:end]))
        begin = end
several = sum(len(found) > 1 for found in tags_of.values())
print(f"{len(tags_of):,} different bags of words among the kitchen sentences;")
print(f"{several} of them have more than one sequence of tags")

# %% [markdown]
# Few sentences of the kitchen text have a twin with other tags. But a count vector does not even say *which* of its
# words comes first, so for almost every sentence the tags cannot be read off it.
#
# So give each *word* a vector and keep the order: a text of $T$ words becomes a matrix $(T, d)$, a row for each word.
# A layer that scores tags then takes each row separately. Where do these vectors come from?

# %% [markdown] statement="lookup"
# ## 2. One-hot times a matrix
#
# The plainest vector of word $i$ is **one-hot**: $V$ numbers, a 1 at place $i$ and 0 elsewhere. Any two of them are
# equally far apart. Multiply it from the left with a matrix $A$ of shape $(V, d)$: $e_i A = \sum_v (e_i)_v\, a_v = a_i$,
# row $i$. All the other terms are multiplications by zero, so nobody computes them: one *looks up* the row. Write
#
# - `lookup(A, ids)`: for $n$ word numbers (a list) the tensor $(n, d)$ of their rows, without any one-hot;
# - `spread(ids, G, V)`: the way back. $G$, shape $(n, d)$, is the gradient of a loss with respect to the *result* of the
#   lookup. Return its gradient with respect to $A$, shape $(V, d)$. A word may occur several times.
# - `saved(V, d, n)`: how many multiplications the product of $n$ one-hot rows, $(n, V)$, with $A$ takes, all of which
#   the lookup saves.

# %% [markdown] hints="lookup"
# 1. Write out $(0, 0, 1)$ times a matrix of three rows. Which numbers are left?
# 2. A row of $A$ that was looked up twice moves two rows of the result. By the chain rule, what it gets is the sum.
# 3. For the way back start from zeros, $(V, d)$, and add row after row. Careful with indexed assignment: for repeated
#    numbers `Z[ids] += G` keeps one of them. For `saved`: how many products does one number of the result take?


# %% task="lookup" points=3 level=1 minutes=14
def lookup(A, ids):
    """The rows of A (V, d) with these numbers, a tensor (n, d)."""
    ### BEGIN SOLUTION
    return A[ids]
    ### END SOLUTION


def spread(ids, G, V):
    """The gradient (V, d) of A, from the gradient G (n, d) of lookup(A, ids)."""
    ### BEGIN SOLUTION
    return torch.zeros(V, G.shape[1], dtype=G.dtype).index_add(
        0, torch.tensor(ids), G
    )
    ### END SOLUTION


def saved(V, d, n):
    """Multiplications in the product of (n, V) with (V, d)."""
    ### BEGIN SOLUTION
    return n * V * d
    ### END SOLUTION


# %% test="lookup" aspect="rows by number" points=1
_A = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
_got = lookup(_A.clone(), [2, 0, 2, 1])
assert torch.is_tensor(_got), f"Return a tensor; you return {_got!r}."
assert close(_got, [[5, 6], [1, 2], [5, 6], [3, 4]]), (
    f"Rows 2, 0, 2, 1 of A wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _V, _d, _n in ((1, 1, 1), (5, 3, 1), (4, 1, 6), (7, 2, 7), (3, 8, 5)):
    _A, _ids = torch.randn(_V, _d), random.choices(range(_V), k=_n)
    _got = lookup(_A.clone(), list(_ids))
    assert torch.is_tensor(_got), f"Return a tensor; you return {_got!r}."
    assert close(_got, F.one_hot(torch.tensor(_ids), _V).float() @ _A, 1e-6), (
        f"V = {_V}, d = {_d}, numbers {_ids}: not the rows that the one-hot product gives."
    )
### END HIDDEN TESTS

# %% test="lookup" aspect="gradients of a repeated word add up" points=1
_got = spread([1, 1], torch.tensor([[1.0, 2.0], [10.0, 20.0]]), 3)
assert np.shape(_got) == (3, 2), f"Shape (V, d) = (3, 2) wanted; yours: {_got!r}."
assert close(_got, [[0, 0], [11, 22], [0, 0]]), (
    f"Word 1 was looked up twice, words 0 and 2 never; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _V, _d, _n in ((1, 1, 3), (5, 3, 1), (4, 1, 6), (7, 2, 9), (2, 5, 6), (9, 2, 3)):
    _ids, _G = random.choices(range(_V), k=_n), torch.randn(_n, _d).double()
    _ids[-1] = _ids[0]
    _wanted = F.one_hot(torch.tensor(_ids), _V).double().T @ _G
    _got = spread(list(_ids), _G.clone(), _V)
    assert np.shape(_got) == (_V, _d), f"Shape {(_V, _d)} wanted; yours: {_got!r}."
    assert close(_got, _wanted, 1e-6), (
        f"V = {_V}, numbers {_ids}: a row gets the sum of the gradients of all its lookups, others get zero."
    )
    _left = arguments_after(spread, list(_ids), _G.clone(), _V)
    assert close(_left[1], _G) and list(_left[0]) == _ids, (
        "spread changed the caller's G or ids."
    )
### END HIDDEN TESTS

# %% test="lookup" aspect="what the lookup saves" points=1
_got = saved(3, 2, 1)
assert is_number(_got), f"saved returns a number; yours: {_got!r}."
assert _got == 6, (
    f"(1, 3) times (3, 2): 2 numbers of 3 products each, 6; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _V, _d, _n in ((3, 2, 5), (1000, 50, 1), (100_000, 300, 8), (7, 11, 13)):
    _got = saved(_V, _d, _n)
    assert is_number(_got) and _got == sum(_V for _ in range(_n)) * _d, (
        f"V = {_V}, d = {_d}, n = {_n}: not {_got!r} multiplications."
    )
### END HIDDEN TESTS

# %%
table = torch.arange(8.0).reshape(4, 2)
ids = [3, 0, 3]
one_hot = F.one_hot(torch.tensor(ids), 4).float()
print("product:", (one_hot @ table).tolist())
print("loop:   ", [[float(number) for number in table[i]] for i in ids])
print("lookup: ", lookup(table, ids).tolist())
print(f"saved for 100,000 words of 300 numbers: {saved(100_000, 300, 1):,} products")

# %% [markdown]
# Three ways, one result. From the lookup on, nothing of size $V$ is touched: a step of learning moves only the rows that
# were looked up. We come back to that in section 7.
#
# $A$ may begin with random numbers and learn by backpropagation with whatever network stands on it, as lecture 000
# says. But a task with few examples teaches only the words in them. Text without any labels is cheap. What does it tell
# about a word?

