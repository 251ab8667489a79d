# ---
# title: Counting words, bigrams and what they cannot know
# ---

# %% [markdown]
# Say these two aloud: *vanilla ice cream* and *vanilla I scream*. They sound the same, so a machine that only listens
# cannot know which of them you said. You know it at once, because people say the first one often and the second one
# hardly ever. A **language model** gives a machine this kind of knowledge: it gives every text a probability.
#
# In this chapter you build one of the oldest language models, the **bigram model**, and you need nothing but
# counting. It predicts each word from the one word before it. You will prove that no other choice of its
# probabilities fits a text better than counting and dividing. Then your model will judge sentences, write new ones
# and repair misspelt ones. And near the end you will find something that it can never learn, however much it reads.
# That failure is the reason why the other chapters of this course exist.

# %% [markdown]
# How a chapter works is explained on the start page, `00_start`. In short: write your answers into the cells that
# raise `NotImplementedError`, run the checks below them, and type `.venv/bin/autograder check 01` in a terminal when
# you want to try the hidden tests. You need not do everything in one evening: section 9 ends halfway, at a good place
# to stop.
#
# This chapter grew out of public lectures by Greg Durrett, Fabrizio Silvestri, Yoav Artzi and Benjamin Muller, and
# unsigned lecture notes. You do not need to know any of them. Some of the numbers printed there are wrong; finding
# some of them is a task, and the others are in folded boxes, which you may skip.

# %% [markdown]
# What will our model read? In the **Berkeley Restaurant Project** (1994), people asked a machine where to eat, and
# textbooks and lectures still print a small table from it: how often each of eight words was followed by each of the
# eight in 9,222 sentences. We generated our own sentences around this table. Only two things in them are real: how
# often the eight words occur, and how often they follow each other (64 numbers). Everything else, apart from six
# sentences that are quoted, is made up, so take nothing else in it for a fact about how people spoke.
#
# In code, a *sentence* is a list of words. Three symbols are added to the words: `<s>` stands for the beginning of a
# sentence, `</s>` for its end, and `<UNK>` for a word that the model does not know.

# %%
import math
import random
from collections import Counter, defaultdict
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import lmkit
from lmkit import berkeley, drawings, plots
from lmkit.testing import arguments_after, close, is_number

plots.use_style()

# %%
corpus = lmkit.load("berkeley")
train_sentences, test_sentences = corpus.splits["train"], corpus.splits["test"]
print(
    len(train_sentences), "sentences to learn from,", len(test_sentences), "to test on"
)


# %% [markdown]
# ## A first attempt: count whole sentences
#
# The simplest estimate for a sentence $s$ is its share, $P(s) = c(s) / N$: the **count** $c(s)$, the number of times
# it occurs, among $N$ sentences. 922 sentences are **held out**: kept back for tests. Guess before you run the next
# cell: how many of them were said in the 8,300 others?

# %%
sentence_counts = Counter(map(tuple, train_sentences))
new_sentences = [
    sentence for sentence in test_sentences if tuple(sentence) not in sentence_counts
]
old_sentences = [s for s in test_sentences if tuple(s) in sentence_counts]
for name, group in (("never said", new_sentences), ("said before", old_sentences)):
    print(
        f"{name}: {len(group) / len(test_sentences):.0%} of the held-out sentences,",
        f"on average {np.mean([len(sentence) for sentence in group]):.1f} words long",
    )

# %% folded="draws the mean count by length" alt="Bars: sentences of one word were seen more than six times on average, of two words about three times, and from seven words on only once."
for number in (1000, 2000, 4000, 8000):
    different = len(set(map(tuple, train_sentences[:number])))
    print(f"{number:,} sentences read: {different:,} different ones")
lengths = range(1, 11)
times = [
    [count for sentence, count in sentence_counts.items() if len(sentence) == n]
    for n in lengths
]
_, axes = plt.subplots(figsize=(5, 2.2))
axes.bar(lengths, [np.mean(found) for found in times])
axes.set(
    xlabel="length of a sentence (words)", ylabel="mean count c(s)", xticks=lengths
)
plt.show()

# %% [markdown]
# New sentences keep coming: two in three of the last 4,000. In our made-up text, those of seven or more words never
# come again. So six in ten of the held-out sentences would be impossible, and a larger text is no way out: $10^5$
# words make $10^{50}$ strings of ten.
#
# The other four in ten, mostly short, have **leaked** from training into the test: a model that merely remembers gets
# them right. From here on we test on `new_sentences` only.

# %% [markdown] statement="tokenise"
# ## 1. Cutting text into tokens
#
# The units of a text are its **tokens**, and one can choose them. As words, `a cat` is `a|cat`; as characters
# `a|␣|c|a|t`; with `ca` in a list of known pieces `a|␣|ca|t`.
#
# Write `tokenise(text, level, pieces=())`, which returns the list of tokens of a string:
#
# - `"word"`: split at white space (blanks, tabs, ends of lines), however much there is;
# - `"character"`: every character, white space too;
# - `"piece"`: from the left, the longest of `pieces` that fits; where none fits, one character.

# %% [markdown] hints="tokenise"
# 1. Two of the three levels are one short expression each. Start there.
# 2. For pieces, keep a position in the text. What may stand at this position, and by how much do you then move on?
# 3. There is always something that fits, since a single character may stand anywhere: so each step can be the same
#    choice, and the text shrinks with each step. Does your choice depend on the order in which the pieces are listed?


# %% task="tokenise" points=4 level=1 minutes=12
def tokenise(text, level, pieces=()):
    """The tokens of `text` as a list; `level` is "word", "character" or "piece"."""
    ### BEGIN SOLUTION
    if level == "word":
        return text.split()
    if level == "character":
        return list(text)
    tokens, position = [], 0
    while position < len(text):
        fitting = [piece for piece in pieces if text.startswith(piece, position)]
        tokens.append(max([text[position], *fitting], key=len))
        position += len(tokens[-1])
    return tokens
    ### END SOLUTION


# %% test="tokenise" aspect="a cat at three levels" points=1
for _level, _wanted in (("word", 2), ("character", 5), ("piece", 4)):
    _got = tokenise("a cat", _level, ("ca",))
    assert hasattr(_got, "__len__"), (
        f"Return a list of tokens; for {_level!r} you return {_got!r}."
    )
    assert len(_got) == _wanted, (
        f"`a cat` has {_wanted} tokens at level {_level!r}; yours: {_got!r}."
    )
    assert "a" in list(_got), (
        f"`a` should be a token at level {_level!r}; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
_text = "Tea\tat\n10 "
_levels = {
    "word": ["Tea", "at", "10"],
    "character": ["T", "e", "a", "\t", "a", "t", "\n", "1", "0", " "],
    "piece": ["Te", "a\ta", "t", "\n", "1", "0", " "],
}
for _level, _wanted in _levels.items():
    _got = tokenise(_text, _level, ("tea", "Te", "a\ta"))
    assert hasattr(_got, "__len__") and list(_got) == _wanted, (
        f"A text with a tab and a line break: {_level}s {_wanted}; yours: {_got!r}."
    )
    _got = tokenise("", _level, ("tea",))
    assert hasattr(_got, "__len__") and len(_got) == 0, (
        f"An empty text has no token: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="tokenise" aspect="the longest piece wins" points=1
_got = tokenise("cats at", "piece", ("c", "ca", "cat", "at"))
assert _got is not None, "You return None at level 'piece'; return a list of tokens."
assert list(_got) == ["cat", "s", " ", "at"], (
    f"With pieces c, ca, cat, at the text `cats at` begins with the longest piece, cat; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _text, _pieces, _wanted in (
    ("xababab", ["ba", "bab", "abab", "b"], ["x", "abab", "a", "b"]),
    ("abcde", ["ab", "bcde", "cd"], ["ab", "cd", "e"]),
    ("restaurants", ["rest", "restaurant", "ants", "restaur"], ["restaurant", "s"]),
    ("a.c+ abc", ["a.c", "c+", "bc", "|"], ["a.c", "+", " ", "a", "bc"]),
):
    for _ in range(6):
        random.shuffle(_pieces)
        _got = tokenise(_text, "piece", tuple(_pieces))
        assert hasattr(_got, "__len__") and list(_got) == _wanted, (
            f"From the left, the longest piece that fits, however they are listed: "
            f"with {_pieces} you cut {_text!r} into {_got!r}."
        )
_after = arguments_after(tokenise, "a cat", "piece", ["a", "cat", "at", "c"])[2]
assert list(_after) == ["a", "cat", "at", "c"], (
    f"Leave the list of pieces as it is; now: {_after}."
)
### END HIDDEN TESTS

# %% test="tokenise" aspect="white space is no word" points=1
_text = "  mid priced thai  food is what\ni'm looking for "
_got = tokenise(_text, "word")
assert hasattr(_got, "__len__"), f"Return a list of words; you return {_got!r}."
assert "" not in list(_got), f"Two spaces in a row make an empty word; yours: {_got!r}."
assert len(_got) == 9, f"{_text!r} has 9 words (i'm is one of them); yours: {_got!r}."
### BEGIN HIDDEN TESTS
for _space in (" ", "  ", "\n", "\t", " \t\n", "\n\n"):
    _words = ["N.Y.,", "don't", *random.choices(["e-mail", "Tea", "tea"], k=3)]
    _text = random.choice(["", _space]) + _space.join(_words) + _space
    _got = tokenise(_text, "word")
    assert hasattr(_got, "__len__") and list(_got) == _words, (
        f"Only white space separates the words of {_text!r}; yours: {_got!r}."
    )
_got = tokenise(" \n ", "word")
assert hasattr(_got, "__len__") and len(_got) == 0, (
    f"Only white space: no word; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% test="tokenise" aspect="joining gives the text back" points=1
for _level in ("character", "piece"):
    _got = tokenise("tell me more", _level, ("ell", "mo"))
    assert _got is not None, (
        f"You return None at level {_level!r}; return a list of tokens."
    )
    assert "".join(_got) == "tell me more", (
        f"Joined, your {_level} tokens read {''.join(_got)!r}."
    )
### BEGIN HIDDEN TESTS
_texts = ["one\ntwo  three\n", "a", " "]
_texts += ["".join(random.choices("abc ", k=random.randint(3, 12))) for _ in range(15)]
for _text in _texts:
    _pieces = tuple(
        "".join(random.choices("abo", k=random.randint(2, 4))) for _ in range(3)
    )
    for _level, _known in (("character", ()), ("piece", _pieces), ("piece", ())):
        _got = tokenise(_text, _level, _known)
        assert hasattr(_got, "__len__"), (
            f"Return a list of tokens; for {_text!r} you return {_got!r}."
        )
        _joined = "".join(_got)
        assert _joined == _text, (
            f"Joined, the {_level} tokens of {_text!r} read {_joined!r}."
        )
        assert all(len(token) == 1 or token in _known for token in _got), (
            f"A token is a piece of {_known} or one character; yours: {_got!r}."
        )
### END HIDDEN TESTS

# %%
excerpt = " ".join(word for sentence in train_sentences[:400] for word in sentence)
runs = Counter(
    word[i : i + n]
    for word in excerpt.split()
    for n in (2, 3, 4)
    for i in range(len(word) - n + 1)
)
frequent = [run for run, _ in runs.most_common(100)]
cuts = {
    level: tokenise(excerpt, level, frequent)
    for level in ("character", "piece", "word")
}
print(cuts["piece"][:14])


# %% [markdown]
# (Pieces: the 100 most frequent runs of two to four letters.) At which level will a text be longest, and at which will
# it have the most different tokens?

# %%
for level, tokens in cuts.items():
    print(f"{level:9}: {len(tokens):6,} tokens, {len(set(tokens)):3} different ones")

# %% [markdown]
# The longer the tokens, the shorter the sequence, and the more different tokens there are; pieces are the compromise.
# In this chapter, tokens are words.

# %% [markdown]
# <details><summary>Slips in the printed slides: a text as a set, and n</summary>
#
# B. Muller's slides print the three cuts in the braces of a set. As a set, the characters of `a cat` are only a, ␣, c,
# t. They also call the $n$ of n-grams (section 3) "the size of the past", which is $n - 1$.
#
# </details>
