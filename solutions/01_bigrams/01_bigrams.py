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

# %%
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

# %% [markdown] statement="vocabulary"
# ## 2. A vocabulary, and a place for unknown words
#
# A model knows a fixed set of tokens, its **vocabulary**, chosen from the training text. Any other word is
# **out-of-vocabulary**, and is replaced by the token `<UNK>`. So are rare words of the training text: from them the
# model learns what surrounds an unknown word. Write
#
# - `build_vocabulary(tokens, min_count)`: the set of words that occur at least `min_count` times, and `<UNK>`;
# - `replace_unknown(tokens, vocabulary)`: a new list of the tokens, with `<UNK>` where a word is not in the
#   vocabulary.

# %% [markdown] hints="vocabulary"
# 1. Count first, decide later.
# 2. *At least* includes the number itself, and `<UNK>` belongs to the set even if the text never shows it.
# 3. The second function keeps length and order, so it decides for one token at a time, whatever its neighbours are.


# %% task="vocabulary" points=3 level=1 minutes=7
def build_vocabulary(tokens, min_count):
    """The set of words that occur at least `min_count` times in the list `tokens`, and `<UNK>`."""
    ### BEGIN SOLUTION
    return {word for word, count in Counter(tokens).items() if count >= min_count} | {
        "<UNK>"
    }
    ### END SOLUTION


def replace_unknown(tokens, vocabulary):
    """A new list: each token that is not in `vocabulary` is replaced by `<UNK>`."""
    ### BEGIN SOLUTION
    return [token if token in vocabulary else "<UNK>" for token in tokens]
    ### END SOLUTION


# %% test="vocabulary" aspect="exactly min_count is enough" points=1
_got = build_vocabulary(["tea", "or", "tea", "no", "tea", "or", "no", "or", "milk"], 2)
assert hasattr(_got, "__iter__"), f"Return a set of words; you return {_got!r}."
assert "no" in set(_got), (
    f"`no` occurs twice, which is at least min_count=2; yours: {_got!r}."
)
assert "milk" not in set(_got), (
    f"`milk` occurs once, less than min_count=2; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_tokens = ["Tea", "tea", "team", "tea", "Tea", "steam"]
_got = build_vocabulary(list(_tokens), 2)
assert hasattr(_got, "__iter__") and set(_got) - {"<UNK>"} == {"Tea", "tea"}, (
    f"Tea and tea are two words, both twice in {_tokens}; yours: {_got!r}."
)
for _ in range(20):
    _tokens, _least = random.choices("abcdefgh", k=20), random.randint(1, 4)
    _wanted = {
        word for word in "abcdefgh" if _tokens.count(word) >= _least and word in _tokens
    }
    _got = build_vocabulary(list(_tokens), _least)
    assert hasattr(_got, "__iter__") and set(_got) - {"<UNK>"} == _wanted, (
        f"With min_count={_least}, {_tokens} should not give {_got!r}."
    )
_after = arguments_after(build_vocabulary, ["or", "tea", "no", "tea"], 2)[0]
assert list(_after) == ["or", "tea", "no", "tea"], (
    f"Leave `tokens` as they are; now: {_after}."
)
### END HIDDEN TESTS

# %% test="vocabulary" aspect="UNK belongs to the vocabulary" points=1
_got = build_vocabulary(["tea", "tea"], 1)
assert _got is not None, "build_vocabulary returns None; return a set."
assert set(_got) == {"tea", "<UNK>"}, (
    f"For the text `tea tea` wanted: tea and <UNK>; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _tokens, _least in (([], 1), (["tea", "no", "tea"], 3), (["<UNK>", "no"], 2)):
    _got = build_vocabulary(list(_tokens), _least)
    assert hasattr(_got, "__iter__") and set(_got) == {"<UNK>"}, (
        f"No word occurs {_least} times in {_tokens}: <UNK> alone; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="vocabulary" aspect="strangers become UNK" points=1
_got = replace_unknown(["more", "tea", "please", "tea"], {"tea", "more", "<UNK>"})
assert _got is not None, "replace_unknown returns None; return a list."
assert list(_got) == ["more", "tea", "<UNK>", "tea"], (
    f"Only `please` is unknown in `more tea please tea`, and the length stays 4; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_got = replace_unknown(["te", "Tea", "<UNK>", "tea", "teas", "ea"], {"tea", "<UNK>"})
assert (
    hasattr(_got, "__iter__") and list(_got) == ["<UNK>"] * 3 + ["tea"] + ["<UNK>"] * 2
), f"Only `tea` is known, so te, Tea, teas and ea are strangers; yours: {_got!r}."
for _ in range(10):
    _tokens, _known = random.choices("abcdef", k=9), set(random.sample("abcdef", 3))
    _got = replace_unknown(list(_tokens), _known | {"<UNK>"})
    _wanted = [{True: word, False: "<UNK>"}[word in _known] for word in _tokens]
    assert hasattr(_got, "__iter__") and list(_got) == _wanted, (
        f"Known are {sorted(_known)}; {_tokens} became {_got!r}."
    )
_after = arguments_after(replace_unknown, ["no", "tea", "now"], {"tea", "<UNK>"})
assert list(_after[0]) == ["no", "tea", "now"], (
    f"Make a *new* list; the old one became {_after[0]}."
)
assert set(_after[1]) == {"tea", "<UNK>"}, (
    f"Leave the vocabulary as it is; now: {_after[1]}."
)
_got = replace_unknown(["no", "tea", "<UNK>"], {"tea"})
assert hasattr(_got, "__iter__") and list(_got) == ["<UNK>", "tea", "<UNK>"], (
    f"Also without <UNK> in the vocabulary a stranger becomes <UNK>; yours: {_got!r}."
)
_after = arguments_after(replace_unknown, ["no", "tea"], {"tea"})[1]
assert set(_after) == {"tea"}, f"Leave the vocabulary as it is; now: {set(_after)}."
### END HIDDEN TESTS


# %% [markdown]
# How many words should be known? We try `min_count` from 2 to 100, and ask the laziest model there is: it always
# predicts the most frequent token of the training text. How often is it right on new sentences?

# %%
train_words = [word for sentence in train_sentences for word in sentence]
test_words = [word for sentence in new_sentences for word in sentence]
vocabularies = {
    least: build_vocabulary(train_words, least) for least in (2, 5, 10, 20, 50, 100)
}
sizes, unknown, lazy = [], [], []
for known in vocabularies.values():
    asked = list(replace_unknown(test_words, known))
    often = Counter(replace_unknown(train_words, known)).most_common(1)[0][0]
    sizes.append(len(known))
    unknown.append(100 * asked.count("<UNK>") / len(asked))
    lazy.append(100 * asked.count(often) / len(asked))

# %%
_, axes = plt.subplots()
axes.plot(sizes, unknown, linewidth=8, alpha=0.4, label="out-of-vocabulary words")
axes.plot(sizes, lazy, "s--", label="right guesses of the laziest model")
axes.set(
    xlabel="size of the vocabulary (words)",
    ylabel="% of the new sentences' words",
    ylim=(0, None),
)
axes.legend()
plt.show()

# %% [markdown]
# The smaller the vocabulary, the more words become `<UNK>`, and soon `<UNK>` is the most frequent token of all. From
# then on the laziest model always answers `<UNK>`, so its line lies on the line of the unknown words. With 94 known
# words it is right 28 % of the time without having predicted a single word. So never compare models that have
# different vocabularies.

# %% [markdown]
# ## 3. n-grams
#
# How much of the past should the next word depend on? To fill the gap in *I visited San ___*, a **bigram** model looks
# at *San*, a **trigram** model at *visited San*. An **n-gram** is a run of $n$ tokens: $n-1$ tokens of **context** and
# the word they lead to. So that the first words have a context too, $n-1$ start symbols are put before the sentence,
# and one end symbol after it. A window of $n$ tokens slides along; here $n = 3$:

# %%
drawings.ngram_window(["visited", "san", "jose"], 3)

# %% [markdown] statement="ngrams"
# Write `ngrams(tokens, n)`: put $n-1$ symbols `<s>` before the sentence `tokens` (a list) and one `</s>` after it,
# and return the list of its n-grams from left to right, each of them a tuple of $n$ tokens.

# %% [markdown] hints="ngrams"
# 1. Pad first; then slide a window of fixed width along the padded sentence.
# 2. How many windows of width $n$ fit into a list of length $L$? Try $L = 4$, $n = 2$ with your fingers.
# 3. Every window ends at a different token, and may end at each that the model has to predict. So there is one n-gram
#    for each word and one for `</s>`, whatever $n$ is: a good check of where your windows start and stop.


# %% task="ngrams" points=3 level=1 minutes=8
def ngrams(tokens, n):
    """The n-grams (tuples) of one sentence, padded with n-1 `<s>` in front and one `</s>` at the end."""
    ### BEGIN SOLUTION
    padded = ["<s>"] * (n - 1) + list(tokens) + ["</s>"]
    return [tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)]
    ### END SOLUTION


# %% test="ngrams" aspect="bigrams of three words" points=1
_got = ngrams(["we", "sat", "here"], 2)
_wanted = [("<s>", "we"), ("we", "sat"), ("sat", "here"), ("here", "</s>")]
assert _got is not None, "You return None; return a list of tuples."
assert list(_got) == _wanted, (
    f"The bigrams of `we sat here` are {_wanted}; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _number in (1, 2, 5, 8):
    _tokens = ["no"] * 3 * (_number > 2) + random.choices(
        ["no", "tea", "or"], k=_number
    )
    _wanted = list(pairwise(["<s>", *_tokens, "</s>"]))
    _got = ngrams(list(_tokens), 2)
    assert hasattr(_got, "__iter__") and list(_got) == _wanted, (
        f"The bigrams of {_tokens} are {_wanted}; yours: {_got!r}."
    )
_after = arguments_after(ngrams, ["we", "sat"], 3)[0]
assert list(_after) == ["we", "sat"], f"Leave `tokens` as they are; now: {_after}."
### END HIDDEN TESTS

# %% test="ngrams" aspect="n minus one start symbols" points=1
for _n, _first in (
    (1, ("we",)),
    (3, ("<s>", "<s>", "we")),
    (4, ("<s>", "<s>", "<s>", "we")),
):
    _got = ngrams(["we", "sat"], _n)
    assert hasattr(_got, "__iter__"), f"Return a list of tuples; you return {_got!r}."
    _got = list(_got)
    assert _got[:1] == [_first], (
        f"The first {_n}-gram of `we sat` is {_first}; yours: {_got[:1]}."
    )
### BEGIN HIDDEN TESTS
for _n in range(1, 8):
    for _tokens in (["no"], ["no", "tea", "no"], []):
        _got = ngrams(list(_tokens), _n)
        assert hasattr(_got, "__iter__"), (
            f"Return a list of tuples; you return {_got!r}."
        )
        _wanted = (*["<s>"] * (_n - 1), *_tokens, "</s>")[:_n]
        _got = list(_got)[:1]
        assert _got == [_wanted], (
            f"The first {_n}-gram of {_tokens} is {_wanted}; yours: {_got}."
        )
### END HIDDEN TESTS

# %% test="ngrams" aspect="one for each word, one for the end" points=1
_got = list(ngrams(["a", "b", "c"], 3) or [])
assert len(_got) == 4, (
    f"Three words have four 3-grams, the last for `</s>`; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _number, _n in ((0, 1), (0, 4), (1, 2), (2, 7), (3, 3), (5, 1), (6, 4), (9, 6)):
    _tokens = random.choices("abcd", k=_number)
    _got = ngrams(list(_tokens), _n)
    assert hasattr(_got, "__len__"), f"Return a list of tuples; you return {_got!r}."
    _last = [gram[-1] for gram in _got]
    assert _last == [*_tokens, "</s>"], (
        f"n = {_n}, {_tokens}: your {_n}-grams end with {_last}."
    )
    for _i, _gram in enumerate(_got):
        _past = tuple((["<s>"] * _n + _tokens)[_i + 1 : _i + _n])
        assert tuple(_gram) == (*_past, _last[_i]), (
            f"n = {_n}, {_tokens}: {_gram} has another past."
        )
### END HIDDEN TESTS


# %% [markdown]
# Three sentences from B. Muller's lecture can be counted by hand. Their most frequent bigrams, and some 4-grams:

# %%
sentences = [
    ["we", "sat", "in", "the", "house"],
    ["we", "sat", "here", "we", "two", "and", "we", "said"],
    ["how", "we", "wish", "we", "had", "something", "to", "do"],
]

# %%
counts = Counter(pair for sentence in sentences for pair in ngrams(sentence, 2))
counts.most_common(4)

# %%
ngrams(sentences[0], 4)[:3]

# %% [markdown]
# ## 4. The chain rule, and where a bigram model cuts it
#
# By the definition of conditional probability, $P(a, b) = P(a)\,P(b \mid a)$. Use this again and again, and the
# probability of $T$ words $w_1, \dots, w_T$ becomes a product with one factor for each word, the **chain rule**:
#
# $$P(w_1, \dots, w_T) = \prod_{t=1}^{T} P(w_t \mid w_1, \dots, w_{t-1}).$$
#
# It assumes nothing. But the later factors ask for a long past, and long pasts hardly ever come again. A bigram model
# makes the **Markov assumption**: of the past, only the last word counts,
# $P(w_t \mid w_1, \dots, w_{t-1}) \approx P(w_t \mid w_{t-1})$. What it forgets is dashed:

# %%
drawings.chain_rule(["i", "want", "thai", "food"])

# %% [markdown]
# In 1913 Andrey Markov counted how vowels and consonants follow one another in 20,000 letters of Pushkin's *Eugene
# Onegin*. The same for our text (rows sum to 1):

# %%
kinds = [
    "vowel" if letter in "aeiou" else "consonant"
    for letter in "".join(train_words)
    if letter.isalpha()
]
print(
    pd.crosstab(
        pd.Series(kinds[:-1], name="before"),
        kinds[1:],
        normalize="index",
        colnames=["after"],
    ).round(2)
)


# %% [markdown]
# Vowels rarely follow vowels, and in Pushkin even less often (Markov: .13, against .66 after consonants). One letter
# of past does tell something.
#
# What does it cost to forget the rest? A toy language has only three texts, with these probabilities:

# %%
joint = {
    ("cook", "here", "eats"): 0.3,
    ("cook", "now", "eats"): 0.2,
    ("cooks", "here", "eat"): 0.5,
}


# %% [markdown] statement="chain_rule"
# `joint` maps texts (tuples of three words) to probabilities; a text that is not listed has probability 0. Compute
# from such a table
#
# - `chain_factors(joint, sequence)`: the three factors $P(w_1)$, $P(w_2 \mid w_1)$, $P(w_3 \mid w_1, w_2)$ of the
#   chain rule, as a list;
# - `markov_factors(joint, sequence)`: the same with $P(w_3 \mid w_2)$ as the third.
#
# $w_k$ is the word at place $k$: the same word elsewhere does not count. At least one listed text begins with the first
# two words of `sequence`.

# %% [markdown] hints="chain_rule"
# 1. Each factor is one sum of table entries divided by another.
# 2. $P(w_2 \mid w_1)$: of all texts that begin with $w_1$, how much probability goes on with $w_2$? The third factor
#    is alike.
# 3. Markov's factor conditions on less, so *more* texts take part above and below the line than in the chain rule's:
#    what they have in common says nothing about the first word.


# %% task="chain_rule" points=3 level=2 minutes=16
def chain_factors(joint, sequence):
    """[P(w1), P(w2 | w1), P(w3 | w1, w2)] for the three words of `sequence`."""
    ### BEGIN SOLUTION
    start = [
        sum(p for words, p in joint.items() if words[:k] == tuple(sequence[:k]))
        for k in range(4)
    ]
    return [start[1], start[2] / start[1], start[3] / start[2]]
    ### END SOLUTION


def markov_factors(joint, sequence):
    """[P(w1), P(w2 | w1), P(w3 | w2)] for the three words of `sequence`."""
    ### BEGIN SOLUTION
    pair = sum(p for words, p in joint.items() if words[1:] == tuple(sequence[1:]))
    middle = sum(p for words, p in joint.items() if words[1] == sequence[1])
    return [*chain_factors(joint, sequence)[:2], pair / middle]
    ### END SOLUTION


# %% test="chain_rule" aspect="three factors by hand" points=1
_got = chain_factors(joint, ("cook", "here", "eats"))
assert np.shape(_got) == (3,), f"chain_factors returns three numbers; yours: {_got!r}."
assert close(_got, [0.5, 0.6, 1.0]), (
    f"For `cook here eats`: .5 begin with cook, .3 of those .5 go on with here, and all of them with eats; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_p = np.random.default_rng().dirichlet([3] * 5).tolist()
_table = dict(
    zip([tuple(text) for text in ("aba", "abc", "acb", "bbc", "cba")], _p, strict=True)
)
_a, _ab = _p[0] + _p[1] + _p[2], _p[0] + _p[1]
for _text, _third in (("aba", _p[0] / _ab), ("abc", _p[1] / _ab), ("abb", 0)):
    _got = chain_factors(dict(_table), tuple(_text))
    assert close(_got, [_a, _ab / _a, _third]), (
        f"On a random table, where words stand at several places, you give {_got!r}. "
        "(Where the text is not listed, the first two factors are not zero.)"
    )
_after = arguments_after(chain_factors, dict(_table), ("a", "b", "b"))[0]
assert dict(_after) == _table, "Leave `joint` as it is: your function changes it."
_after = arguments_after(chain_factors, defaultdict(float, _table), ("a", "b", "b"))[0]
assert dict(_after) == _table, (
    f"A look-up made your function's `defaultdict` grow: {set(_after) - set(_table)}."
)
### END HIDDEN TESTS

# %% test="chain_rule" aspect="chain product is the joint" points=1
_got = chain_factors(joint, ("cook", "here", "eat"))
assert np.shape(_got) == (3,), f"chain_factors returns three numbers; yours: {_got!r}."
assert np.prod(_got) == 0, (
    f"`cook here eat` is not in the table, so its product is 0; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _ in range(4):
    _p = np.random.default_rng().dirichlet(np.ones(24)).tolist()
    _table = {(a, b, c): _p.pop() for a in "xy" for b in "xyz" for c in "wxyz"}
    for _text in random.sample(list(_table), 8):
        _got = chain_factors(dict(_table), _text)
        assert np.shape(_got) == (3,), (
            f"chain_factors returns three numbers; yours: {_got!r}."
        )
        _product = np.prod(_got)
        assert close(_product, _table[_text]), (
            f"The factors multiply to the joint, without any assumption: {_table[_text]:.4f}; yours: {_product:.4f}."
        )
### END HIDDEN TESTS

# %% test="chain_rule" aspect="Markov forgets the first word" points=1
_got = markov_factors(joint, ("cook", "here", "eats"))
assert np.shape(_got) == (3,), f"markov_factors returns three numbers; yours: {_got!r}."
assert close(_got, [0.5, 0.6, 0.375]), (
    f"Whoever comes first: `here` is second in .8, with eats after it in .3: third factor .375; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_p = np.random.default_rng().dirichlet(np.ones(24)).reshape(2, 3, 4)
_cells = list(np.ndindex(2, 3, 4))
_table = {("xy"[a], "xyz"[b], "wxyz"[c]): float(_p[a, b, c]) for a, b, c in _cells}
for _a, _b, _c in random.sample(_cells, 10):
    _got = markov_factors(dict(_table), ("xy"[_a], "xyz"[_b], "wxyz"[_c]))
    _wanted = [
        _p[_a].sum(),
        _p[_a, _b].sum() / _p[_a].sum(),
        _p[:, _b, _c].sum() / _p[:, _b].sum(),
    ]
    assert close(_got, _wanted), (
        f"On a random table you give {_got!r}: look at the words' places."
    )
_p = np.random.default_rng().dirichlet([3] * 5).tolist()
_table = dict(
    zip([tuple(text) for text in ("aba", "abc", "acb", "bbc", "cba")], _p, strict=True)
)
_a, _ab, _b = sum(_p[:3]), _p[0] + _p[1], 1 - _p[2]
for _text, _wanted in (
    ("abb", [_a, _ab / _a, 0]),
    ("abc", [_a, _ab / _a, (_p[1] + _p[3]) / _b]),
    ("cbc", [_p[4], 1, (_p[1] + _p[3]) / _b]),
):
    _got = markov_factors(dict(_table), tuple(_text))
    assert close(_got, _wanted), (
        f"Listed or not, a text has its three factors; yours: {_got!r}."
    )
_after = arguments_after(markov_factors, dict(_table), ("a", "b", "b"))[0]
assert dict(_after) == _table, "Leave `joint` as it is: your function changes it."
_after = arguments_after(markov_factors, defaultdict(float, _table), ("a", "b", "b"))[0]
assert dict(_after) == _table, (
    f"A look-up made your function's `defaultdict` grow: {set(_after) - set(_table)}."
)
### END HIDDEN TESTS

# %%
texts = [(who, "here", verb) for who in ("cook", "cooks") for verb in ("eats", "eat")]
_, axes = plt.subplots()
axes.bar(
    np.arange(4) - 0.2,
    [joint.get(text, 0) for text in texts],
    width=0.4,
    label="joint = chain rule",
)
axes.bar(
    np.arange(4) + 0.2,
    [np.prod(markov_factors(joint, text)) for text in texts],
    width=0.4,
    label="Markov",
)
axes.set_xticks(range(4), [" ".join(text) for text in texts])
axes.set(xlabel="text", ylabel="probability")
axes.legend()
plt.show()


# %% [markdown]
# The bigram model gets it wrong: after *here* it has forgotten who eats, and *cook here eat* receives a probability
# that the language never gave it.

# %% [markdown]
# <details><summary>Slips in the printed slides: two chain rules and a poem</summary>
#
# With the exact factors .5, .6 and 1 of *cook here eats*, the product is .3. The unsigned notes lose a factor,
# $P(w_1)\,P(w_3 \mid w_1, w_2)$: .5. F. Silvestri prints $P(w_1)\,P(w_2 \mid w_1)$ *after* the product sign, so that
# it comes in once for every word: .3³ · .3 = .0081. The notes call it "the trick" to make the Markov assumption in only
# one of two equal expressions; but the two stay equal, .5 · .6 · .2 / (.5 · .6) = .2, so nothing is gained. And in the
# notes Markov predicts the words of *Ruslan and Ludmila*.
#
# </details>

# %% [markdown] statement="bigram_mle"
# ## 5. Three ways, one number
#
# To estimate $P(w_2 \mid w_1)$, divide: of all bigrams that begin with $w_1$, which share goes on with $w_2$?
# $P(w_2 \mid w_1) = c(w_1 w_2) / \sum_w c(w_1 w)$. Get it three ways:
#
# - `by_hand()`: count in the three `sentences` of section 3, and return the dict
#   `{"sat|we": ..., "wish|we": ..., "in|sat": ..., "</s>|house": ...}`;
# - `bigram_mle(counts)`: from positive counts `{(w1, w2): int}`, the nested dict `model[w1][w2]`;
# - `bigram_mle_array(C)`, without a loop: from an array $C$ of counts, shape [V, V] for $V$ words, row $w_1$, column
#   $w_2$; a row without counts stays zero.

# %% [markdown] hints="bigram_mle"
# 1. The word that stands *after* the bar picks the row; everything in that row is divided by one number.
# 2. Loop: no entry can be divided before the total of its row is known. Array: the totals need a shape that spreads
#    over the columns.
# 3. A row total of 0 would give 0/0. All entries of such a row are 0 anyway: by which other number could you divide
#    them?


# %% task="bigram_mle" points=4 level=2 minutes=16
def by_hand():
    """Four probabilities of the three sentences, as a dict from "w2|w1" to a float."""
    ### BEGIN SOLUTION
    return {"sat|we": 2 / 6, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1.0}
    ### END SOLUTION


def bigram_mle(counts):
    """model[w1][w2] = P(w2 | w1) for the pairs in `counts`, {(w1, w2): int}; rows only for those w1."""
    ### BEGIN SOLUTION
    totals = Counter()
    for (w1, _), count in counts.items():
        totals[w1] += count
    model = defaultdict(dict)
    for (w1, w2), count in counts.items():
        model[w1][w2] = count / totals[w1]
    return dict(model)
    ### END SOLUTION


def bigram_mle_array(C):
    """P, shape [V, V]: P[i, j] = P(word j | word i) from counts C, shape [V, V]."""
    ### BEGIN SOLUTION
    totals = C.sum(axis=1, keepdims=True)
    return C / np.where(totals == 0, 1, totals)
    ### END SOLUTION


# %% test="bigram_mle" aspect="four probabilities by hand" points=1
_got = by_hand()
assert hasattr(_got, "keys"), f"by_hand returns a dict; yours: {_got!r}."
for _name in ("sat|we", "wish|we", "in|sat", "</s>|house"):
    _value = _got.get(_name)
    assert is_number(_value), f"{_name}: a number is wanted, not {_value!r}."
assert math.isclose(_got["in|sat"], 0.5), (
    f"sat occurs twice, once before in: .5; yours: {_got['in|sat']}."
)
### BEGIN HIDDEN TESTS
_wanted = {"sat|we": 1 / 3, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1}
for _name, _value in _wanted.items():
    assert close(_got[_name], _value, atol=0.006), (
        f"{_name} is not {_got[_name]}: count again, first the word after the bar, then how often the other follows it."
    )
### END HIDDEN TESTS

# %% test="bigram_mle" aspect="rows divide by their context" points=1
_got = bigram_mle(
    {("i", "want"): 3, ("i", "eat"): 1, ("you", "want"): 5, ("want", "i"): 2}
)
assert hasattr(_got, "keys") and "i" in _got, (
    f"model['i'] should hold the words that follow i; yours: {_got!r}."
)
assert close(_got["i"].get("want", 0), 0.75), (
    f"i occurs 4 times as first word, 3 times before want: P(want | i) = .75; yours: {_got['i']!r}."
)
### BEGIN HIDDEN TESTS
_tables = [{("c", "a"): 1, ("a", "b"): 2, ("c", "b"): 3, ("a", "d"): 6, ("c", "d"): 5}]
for _ in range(8):
    _pairs = random.sample([(a, b) for a in "abcd" for b in "abcde"], 14)
    _tables.append({pair: random.randint(1, 9) for pair in _pairs})
    _tables[-1] |= {("<s>", "a"): 2, ("<s>", "</s>"): 1, ("b", "</s>"): 4}
for _counts in _tables:
    _got = bigram_mle(dict(_counts))
    assert hasattr(_got, "keys"), f"Return a nested dict; yours: {_got!r}."
    assert set(_got) == {a for a, _ in _counts}, (
        f"A row for each first word of a pair, no other: with {_counts} yours has {set(_got)}."
    )
    for (_a, _b), _count in _counts.items():
        _row = sum(count for (first, _), count in _counts.items() if first == _a)
        _value = _got[_a].get(_b)
        assert close(_value, _count / _row), (
            f"P({_b} | {_a}) is {_value} with {_counts}."
        )
_after = arguments_after(bigram_mle, dict(_counts))[0]
assert dict(_after) == _counts, (
    "Leave `counts` as they are: your function changes them."
)
_after = arguments_after(bigram_mle, defaultdict(int, _counts))[0]
assert dict(_after) == _counts, (
    f"A look-up made `counts`, a defaultdict, grow: {set(_after) - set(_counts)}."
)
### END HIDDEN TESTS

# %% test="bigram_mle" aspect="the array divides row by row" points=1
_got = bigram_mle_array(np.array([[0, 3, 1], [2, 0, 2], [1, 1, 8]]))
assert np.shape(_got) == (3, 3), f"Wanted shape (3, 3); yours: {np.shape(_got)}."
assert close(np.sum(_got, axis=1), [1, 1, 1]), (
    f"Each row sums to 1; yours: {np.sum(_got, axis=1)}."
)
### BEGIN HIDDEN TESTS
for _kind in (int, float):
    _C = np.random.default_rng().integers(1, 20, size=(7, 7)).astype(_kind)
    _wanted = [[value / sum(row) for value in row] for row in _C.tolist()]
    _got = bigram_mle_array(_C.copy())
    assert close(_got, _wanted), f"Counts {_C.tolist()} give other probabilities."
    (_after,) = arguments_after(bigram_mle_array, _C.copy())
    assert close(_after, _C), (
        "Leave the counts C as they are: your function changes them."
    )
_got = bigram_mle_array(np.array([[3]]))
assert np.shape(_got) == (1, 1), (
    f"C of shape (1, 1) makes an array of the same shape; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% test="bigram_mle" aspect="empty rows stay zero" points=1
with np.errstate(all="ignore"):
    _got = bigram_mle_array(np.array([[1, 3], [0, 0]]))
assert np.shape(_got) == (2, 2), f"Wanted shape (2, 2); yours: {np.shape(_got)}."
assert close(_got, [[0.25, 0.75], [0, 0]]), (
    f"Counts [[1, 3], [0, 0]]: the second row was never seen and stays zero, the first is divided as ever; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _empty in ([0, 3], [5], [1, 2, 5], [0, 1, 2, 3, 4, 5]):
    _C = np.random.default_rng().integers(1, 20, size=(6, 6))
    _C[_empty] = 0
    _wanted = [[value / (sum(row) or 1) for value in row] for row in _C.tolist()]
    with np.errstate(all="ignore"):
        _got = bigram_mle_array(_C.copy())
    assert close(_got, _wanted), (
        f"Rows {_empty} of 6 are empty and stay zero, the others not; yours: {_got!r}."
    )
    (_after,) = arguments_after(bigram_mle_array, _C.copy())
    assert close(_after, _C), f"Leave the counts C as they are; now: {_after}."
### END HIDDEN TESTS

# %%
order = sorted({word for pair in counts for word in pair})
C = np.array([[counts[w1, w2] for w2 in order] for w1 in order])
P = bigram_mle_array(C)
print(
    by_hand()["sat|we"],
    bigram_mle(counts)["we"]["sat"],
    P[order.index("we"), order.index("sat")],
)


# %% [markdown]
# The total of a row is $c(w_1)$ only because `</s>` is counted too: without it, nothing would follow *house*.

# %% [markdown]
# ## 6. Why divide? Likelihood
#
# Many models could be fitted to a text. Ask each how probable it makes the text that we have. This
# probability, as a function of the model $q$, is the **likelihood** $L(q)$. The text has one factor for each bigram,
# and equal ones come together:
#
# $$L(q) = \prod_{w_1, w_2} q(w_2 \mid w_1)^{\,c(w_1 w_2)},$$
# $$\ln L(q) = \sum_{w_1, w_2} c(w_1 w_2) \ln q(w_2 \mid w_1).$$
#
# Both peak at the same place, the **maximum likelihood estimate** (MLE). Each context $w_1$ has probabilities of its
# own, and only they must sum to 1. So we may maximise row by row.

# %% [markdown]
# In one row, take counts $c(w)$ with the sum $N$, their shares $p(w) = c(w) / N$, and any other probabilities $q(w)$.
# Sums run over the words with $c(w) > 0$. If $q$ gives one of these the probability 0, the text is impossible, and $q$ is
# certainly no better. Otherwise we use that $\ln x \le x - 1$, with equality only at $x = 1$: the straight line $x - 1$
# touches the curve $\ln x$ there, and lies above it everywhere else. So
#
# $$\sum_w c(w) \ln q(w) - \sum_w c(w) \ln p(w) = N \sum_w p(w) \ln \frac{q(w)}{p(w)}$$
# $$\le N \sum_w p(w) \Big(\frac{q(w)}{p(w)} - 1\Big) = N \Big(\sum_w q(w) - 1\Big) \le 0.$$
#
# No $q$ is better than the shares, and none as good unless $q(w) = p(w)$ everywhere. So counting and dividing *is*
# maximum likelihood.

# %% [markdown]
# <details><summary>The same with a Lagrange multiplier</summary>
#
# Maximise $\sum_w c(w) \ln q(w)$ under the constraint $\sum_w q(w) = 1$. With a multiplier $\lambda$, the derivative
# of $\sum_w c(w) \ln q(w) - \lambda \big(\sum_w q(w) - 1\big)$ by each $q(w)$ must be 0:
#
# $$\frac{c(w)}{q(w)} - \lambda = 0, \qquad\text{so}\qquad q(w) = \frac{c(w)}{\lambda}.$$
#
# The constraint makes $\lambda = \sum_w c(w) = N$. The logarithm is concave, so this is the maximum.
#
# </details>

# %% [markdown] statement="likelihood"
# Now disturb the counts of one row, a dict `counts`, and watch.
#
# - `log_likelihood(counts, q)`: $\sum_w c(w) \ln q(w)$ for a dict `q` of probabilities. A word with count 0 adds
#   nothing, whatever `q` says; a counted word to which `q` gives 0, or which it lacks, makes the result `-math.inf`.
# - `after_perturbing(counts, word, extra)`: add `extra` to the count of `word`, turn the changed counts into
#   probabilities, and return the log-likelihood of the *original* counts under these. `extra` may be a fraction or
#   negative (no changed count is below 0, and their sum is positive), and `word` may be new.

# %% [markdown] hints="likelihood"
# 1. For the counts a: 3, b: 1, what are the shares, and what is the logarithm of their product, one factor for each
#    token?
# 2. Two sets of counts are at work in the second function. One makes the probabilities; which of them is the text?
# 3. Logarithms of 0 appear in two cases that must end differently: a word that the text does not hold has no factor at
#    all, a word that it holds and the model forbids makes the whole product 0.


# %% task="likelihood" points=4 level=2 minutes=17
def log_likelihood(counts, q):
    """The sum of c(w) ln q(w) for counts {word: number} and probabilities {word: number}."""
    ### BEGIN SOLUTION
    total = 0.0
    for word, count in counts.items():
        if count > 0:
            if q.get(word, 0) == 0:
                return -math.inf
            total += count * math.log(q[word])
    return total
    ### END SOLUTION


def after_perturbing(counts, word, extra):
    """ln L of `counts` under the shares of the counts with `extra` more of `word`."""
    ### BEGIN SOLUTION
    changed = dict(counts)
    changed[word] = changed.get(word, 0) + extra
    total = sum(changed.values())
    return log_likelihood(counts, {w: count / total for w, count in changed.items()})
    ### END SOLUTION


# %% test="likelihood" aspect="counts times logarithms" points=1
_got = log_likelihood({"a": 3, "b": 1}, {"a": 0.5, "b": 0.25, "c": 0.25})
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 3 * math.log(0.5) + math.log(0.25)), (
    f"Three times ln .5 and once ln .25 is {3 * math.log(0.5) + math.log(0.25):.4f}; "
    f"yours: {_got:.4f}."
)
### BEGIN HIDDEN TESTS
for _number in (1, 2, 5, 9):
    _p = np.random.default_rng().dirichlet([2] * _number).tolist()
    _q = dict(zip("abcdefghi", _p, strict=False))
    _counts = {word: random.randint(1, 40) for word in reversed(_q)}
    _got = log_likelihood(dict(_counts), dict(_q))
    _wanted = sum(math.log(_q[word]) for word in Counter(_counts).elements())
    assert close(_got, _wanted, rtol=1e-5), (
        f"For {_counts} under {_q} you return {_got!r}: one ln for each token."
    )
_got = log_likelihood({"a": 2000, "b": 0.5}, {"b": 0.5, "a": 0.5})
assert close(_got, 2000.5 * math.log(0.5)), (
    f"Is a tiny product rounded to 0 on the way? ln L = {2000.5 * math.log(0.5):.1f}; "
    f"yours: {_got!r}. (A count may be a fraction.)"
)
_after = arguments_after(log_likelihood, dict(_counts), dict(_q))
assert dict(_after[0]) == _counts and dict(_after[1]) == _q, (
    "Leave counts and probabilities as they are."
)
### END HIDDEN TESTS

# %% test="likelihood" aspect="two kinds of zero" points=1
_got = log_likelihood({"a": 2, "b": 0}, {"a": 1.0, "b": 0.0})
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 0), f"b does not occur: ln L is 2 ln 1 = 0; yours: {_got!r}."
_got = log_likelihood({"a": 2, "b": 1}, {"a": 1.0, "b": 0.0})
assert is_number(_got) and _got == -math.inf, (
    f"b occurs and has probability 0, so L = 0 and ln L = -inf; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _counts, _q, _wanted in (
    ({"a": 1, "b": 2}, {"a": 1.0}, -math.inf),
    ({"b": 1}, {}, -math.inf),
    ({"a": 0, "b": 3}, {"b": 0.5, "c": 0.5}, 3 * math.log(0.5)),
    ({"a": 0, "b": 1}, {"a": 0.5, "b": 0.5}, math.log(0.5)),
    ({"c": 0, "a": 4, "b": 2}, {"a": 0.9, "c": 0.1}, -math.inf),
    ({}, {"a": 1.0}, 0),
    ({"a": 1}, {"a": 1e-300}, math.log(1e-300)),
):
    for _kind in (dict, Counter):
        _got = log_likelihood(_kind(_counts), dict(_q))
        assert is_number(_got) and (_got == _wanted or close(_got, _wanted)), (
            f"ln L of {_counts} under {_q} is {_wanted:.4g}; yours: {_got!r}."
        )
    _after = arguments_after(log_likelihood, dict(_counts), defaultdict(float, _q))[1]
    assert dict(_after) == _q, (
        f"A look-up made `q`, a defaultdict, grow: {set(_after) - set(_q)}."
    )
### END HIDDEN TESTS

# %% test="likelihood" aspect="changed model, original text" points=1
_got = after_perturbing({"a": 3, "b": 1}, "b", 4)
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 3 * math.log(3 / 8) + math.log(5 / 8)), (
    "a: 3, b: 1 and four more b make the probabilities 3/8 and 5/8; the text still has "
    f"three a and one b: {3 * math.log(3 / 8) + math.log(5 / 8):.4f}; yours: {_got:.4f}."
)
### BEGIN HIDDEN TESTS
for _number in (1, 2, 4, 8):
    _counts = {word: random.randint(2, 30) for word in "abcdefgh"[:_number]}
    for _extra in (0, 5, 0.25, -1, -1.5):
        _word, _n = random.choice(list(_counts)), sum(_counts.values())
        _wanted = sum(
            count * math.log((count + _extra * (word == _word)) / (_n + _extra))
            for word, count in _counts.items()
        )
        _got = after_perturbing(dict(_counts), _word, _extra)
        assert close(_got, _wanted, rtol=1e-5, atol=1e-7), (
            f"{_counts} with {_extra} more of {_word}: {_wanted:.4f}; yours: {_got!r}."
        )
    for _kind in ({}, Counter(), defaultdict(int)):
        for _word in ("a", "new"):
            _after = arguments_after(after_perturbing, _kind | _counts, _word, 2)[0]
            assert dict(_after) == _counts, (
                f"Leave `counts` as they are; {_counts} became {dict(_after)}."
            )
### END HIDDEN TESTS

# %% test="likelihood" aspect="new words and lost ones" points=1
_got = after_perturbing({"a": 3, "b": 1}, "c", 4)
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 3 * math.log(3 / 8) + math.log(1 / 8)), (
    "Four counts for the new word c take probability from a and b, 3/8 and 1/8: "
    f"{3 * math.log(3 / 8) + math.log(1 / 8):.4f}; yours: {_got:.4f}."
)
### BEGIN HIDDEN TESTS
for _counts, _word, _extra, _wanted in (
    ({"a": 3, "b": 1}, "b", -1, -math.inf),
    ({"a": 3, "b": 1, "c": 2}, "a", -3, -math.inf),
    ({"a": 2, "b": 0}, "b", 2, 2 * math.log(1 / 2)),
    ({"a": 2, "b": 0}, "b", 0, 0),
    ({"a": 2, "b": 2}, "c", 0, 4 * math.log(1 / 2)),
    ({"a": 2}, "c", 0.5, 2 * math.log(4 / 5)),
    ({"a": 5}, "a", -4, 0),
):
    _got = after_perturbing(dict(_counts), _word, _extra)
    assert is_number(_got) and (_got == _wanted or close(_got, _wanted)), (
        f"{_counts} with {_extra} more of {_word}: {_wanted:.4g}; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% [markdown]
# Left: one count of the row of *we* is changed. Right: for each of 120 dots, all counts of the row of *want* are
# multiplied by random factors between $1/f$ and $f$. Where will the curves peak? Can a dot lie above 0?

# %%
row_we = {w2: count for (w1, w2), count in counts.items() if w1 == "we"}
want = Counter(
    b for s in train_sentences for a, b in pairwise([*s, "</s>"]) if a == "want"
)
best_we, best_want = after_perturbing(row_we, "sat", 0), after_perturbing(want, "to", 0)
rng, factors, falls = np.random.default_rng(6), [], []
for factor in np.geomspace(1.02, 4, 120):
    noise = factor ** rng.uniform(-1, 1, len(want))
    weights = noise * list(want.values())
    q = dict(zip(want, weights / weights.sum(), strict=True))
    factors.append(factor)
    falls.append(log_likelihood(want, q) - best_want)
print(
    "random changes:", len(falls), " of them better:", sum(fall > 0 for fall in falls)
)

# %%
_, (left, right) = plt.subplots(1, 2, figsize=(8, 2.9))
for word, style in (("sat", "-"), ("said", "--"), ("danced", ":")):
    extras = np.linspace(-0.99 * row_we.get(word, 0), 6, 80)
    ends = [after_perturbing(row_we, word, extra) - best_we for extra in extras]
    left.plot(extras, ends, style, label=f"{word}, c = {row_we.get(word, 0)}")
left.set(xlabel="added to one count of the row “we”", ylabel="change of ln L (nats)")
left.legend()
right.semilogx(factors, falls, ".", markersize=4)
right.set_xticks([1.1, 1.5, 2, 4], ["1.1", "1.5", "2", "4"])
right.set(xlabel="f, for the row “want” (log scale)", ylabel="change of ln L (nats)")
right.minorticks_off()
plt.show()

# %% [markdown]
# Every change makes the text less likely, and no dot lies above 0: the counts sit on the peak. What is given to a word
# that never occurred, like *danced*, is lost. So what fits the *training* text best gives every unseen word
# probability 0.

# %% [markdown]
# ## 7. Count it yourself
#
# This is how often eight words follow one another (row, then column) in the real sentences, as two
# lectures print it:

# %%
pair_counts = berkeley.table("bigram_counts")
word_counts = berkeley.unigram_counts().to_dict()
print(word_counts, pair_counts, sep="\n\n")

# %% [markdown] statement="count_table"
# Do our sentences have these counts? `count_table(sentences, words)` returns a DataFrame with a row and a column for
# each of `words`, in that order: how often $w_2$ (column) stands right after $w_1$ (row) *in one sentence*. A pair
# that never occurs has 0.

# %% [markdown] hints="count_table"
# 1. What stands after the last word of a sentence?
# 2. One pass can count every pair of the text; the table is then 64 look-ups. (64 passes are slow.)
# 3. Where two sentences meet no pair may arise, so pairs must be formed while you still know which sentence you are
#    in. And a pair nobody counted must come out as 0, not as an error.


# %% task="count_table" points=3 level=2 minutes=12
def count_table(sentences, words):
    """How often w2 (column) stands right after w1 (row) in a sentence, as a DataFrame over `words`."""
    ### BEGIN SOLUTION
    counts = Counter(pair for sentence in sentences for pair in pairwise(sentence))
    return pd.DataFrame(
        [[counts[w1, w2] for w2 in words] for w1 in words], index=words, columns=words
    )
    ### END SOLUTION


# %% test="count_table" aspect="all 64 printed counts" points=1
_got = count_table(train_sentences + test_sentences, list(berkeley.WORDS))
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert np.shape(_got) == (8, 8), (
    f"Eight words make a table of shape (8, 8); yours: {np.shape(_got)}."
)
_cells = [(w1, w2) for w1 in berkeley.WORDS for w2 in berkeley.WORDS]
_off = [cell for cell in _cells if _got.loc[cell] != pair_counts.loc[cell]]
assert not _off, (
    f"{64 - len(_off)} of 64 cells are as printed. One that is not: `{' '.join(_off[0])}` is printed "
    f"as {pair_counts.loc[_off[0]]}, you count {_got.loc[_off[0]]}."
)
### BEGIN HIDDEN TESTS
_some, _words = random.sample(train_sentences, 500), ["want", "food", "to", "i"]
_wanted = Counter(pair for sentence in _some for pair in pairwise(sentence))
_got = count_table([list(sentence) for sentence in _some], list(_words))
assert np.shape(_got) == (4, 4), (
    f"Four words make a table of shape (4, 4); yours: {np.shape(_got)}."
)
_off = [
    f"{a} {b}"
    for a in _words
    for b in _words
    if not close(_got.loc[a, b], _wanted[a, b])
]
assert not _off, f"In 500 of the sentences you miscount {_off}."
_got = count_table([["a"] * 70_001, ["b"]], ["b", "a"])
assert np.shape(_got) == (2, 2), (
    f"Two words make a table of shape (2, 2); yours: {_got!r}."
)
assert close(_got.loc["a", "a"], 70_000), (
    f"70,001 times `a` in a row are 70,000 pairs; yours: {_got.loc['a', 'a']}."
)
### END HIDDEN TESTS

# %% test="count_table" aspect="no pair across two sentences" points=1
_got = count_table([["no", "tea"], ["no", "no", "no"], ["tea"]], ["no", "tea"])
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert _got.loc["tea", "no"] == 0, (
    f"`tea` ends a sentence, `no` begins the next: no pair; yours: {_got.loc['tea', 'no']}."
)
assert _got.loc["no", "no"] == 2, (
    f"`no no no` has two pairs `no no`; yours: {_got.loc['no', 'no']}."
)
### BEGIN HIDDEN TESTS
_text = [
    [],
    ["a"],
    ["b"],
    [],
    *(random.choices("abcd", k=random.randint(2, 6)) for _ in range(30)),
]
random.shuffle(_text)
_got = count_table([list(sentence) for sentence in _text], ["c", "a", "b"])
assert np.shape(_got) == (3, 3), (
    f"Three words make a table of shape (3, 3); yours: {np.shape(_got)}."
)
_joined = " ".join("".join(sentence) for sentence in _text)
for _a, _b in [(a, b) for a in "abc" for b in "abc"]:
    _number = sum(_joined.startswith(_a + _b, start) for start in range(len(_joined)))
    assert close(_got.loc[_a, _b], _number), (
        f"`{_a} {_b}` occurs {_number} times in a random text; yours: {_got.loc[_a, _b]}."
    )
_text = [["no", "team"], ["piano", "tea"], ["no", "tea"], ["No", "tea"], ["not", "ea"]]
_after = arguments_after(
    count_table, [list(sentence) for sentence in _text], ["tea", "no"]
)
assert [list(sentence) for sentence in _after[0]] == _text, (
    "Leave `sentences` as they are."
)
assert list(_after[1]) == ["tea", "no"], f"Leave `words` as they are; now: {_after[1]}."
_got = count_table(_text, ["tea", "no"]).loc["no", "tea"]
assert close(_got, 1), (
    f"`no team`, `piano tea`, `No tea` and `not ea` are not `no tea`; yours counts {_got}."
)
for _mark in (".", "|", "#", ",", "-", "/"):  # signs that are words
    _text = [["tea", _mark], ["tea"], [_mark], ["no", _mark, "tea"], ["no"]]
    _got = count_table([list(sentence) for sentence in _text], ["tea", _mark, "no"])
    assert np.shape(_got) == (3, 3), f"A table of shape (3, 3) wanted; yours: {_got!r}."
    _wanted = {("tea", _mark): 1, ("no", _mark): 1, (_mark, "tea"): 1}
    for _cell in [(a, b) for a in _got.index for b in _got.columns]:
        assert close(_got.loc[_cell], _wanted.get(_cell, 0)), (
            f"`{_mark}` may be a word, and stands between no two sentences: "
            f"`{' '.join(_cell)}` occurs {_wanted.get(_cell, 0)} times in {_text}; "
            f"yours: {_got.loc[_cell]}."
        )
### END HIDDEN TESTS

# %% test="count_table" aspect="words in the order given" points=1
_got = count_table([["x", "z"], ["z", "x", "z"]], ["z", "x", "y"])
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert list(_got.index) == list(_got.columns) == ["z", "x", "y"], (
    f"Rows and columns follow `words`, also `y`, which never occurs; yours: {list(_got.index)}, {list(_got.columns)}."
)
assert np.array_equal(_got, [[0, 1, 0], [2, 0, 0], [0, 0, 0]]), (
    f"`x z` occurs twice, `z x` once, all others 0 times; row first, then column. Yours: {np.array(_got).tolist()}."
)
### BEGIN HIDDEN TESTS
_text = [["to", "go", "out"], ["go", "out", "to", "go"], ["is", "go", "out"]]
for _words in (
    ["out", "go", "never", "to", "is"],
    ["to", "out", "go"],
    ["never", "nor"],
):
    _got = count_table([list(sentence) for sentence in _text], list(_words))
    assert hasattr(_got, "loc") and list(_got.index) == list(_got.columns) == _words, (
        f"Rows and columns should follow {_words}; yours: {_got!r}."
    )
    for _cell in [(a, b) for a in _words for b in _words]:
        _number = {
            ("go", "out"): 3,
            ("to", "go"): 2,
            ("out", "to"): 1,
            ("is", "go"): 1,
        }.get(_cell, 0)
        _value = _got.loc[_cell]
        assert close(_value, _number), (
            f"`{' '.join(_cell)}` occurs {_number} times; yours: {_value}."
        )
_got = count_table([["a", "a"]], ["a"])
assert np.shape(_got) == (1, 1), (
    f"One word makes a table of shape (1, 1); yours: {_got!r}."
)
### END HIDDEN TESTS

# %%
everything = train_sentences + test_sentences
counted = count_table(everything, list(berkeley.WORDS))
spoken = Counter(word for sentence in everything for word in sentence)
print((counted == pair_counts).to_numpy().sum(), "of 64 pairs as printed, and", end=" ")
print(sum(spoken[word] == count for word, count in word_counts.items()), "of 8 words")


# %% [markdown] statement="mle_table"
# ## 8. The printed slide is wrong: find it
#
# F. Silvestri and B. Muller also print $P(w_2 \mid w_1) = c(w_1 w_2) / c(w_1)$, rounded to two significant digits.
# Some cells are wrong. Write
#
# - `mle_table(pair_counts, word_counts)`: the DataFrame of exact probabilities. Eight columns are not the whole row,
#   so $c(w_1)$ comes from the dict `word_counts`, which may hold more words (no rows for these), in any order;
# - `wrong_cells(printed, exact)`: the set of cells `(w1, w2)` where the printed number is not the exact one rounded to
#   two significant digits (no printed number has more, no exact one lies halfway). Cells are matched by name: the two
#   tables may order their words differently.

# %% [markdown] hints="mle_table"
# 1. Row or column? Look at P(want | i): which count stands below the line?
# 2. Every number of a row shares one denominator. pandas divides along columns unless you tell it otherwise.
# 3. Two significant digits are a matter of the number, not of the place after the point: .00092 has two. Which way of
#    writing a number counts its digits from the first that is not 0?


# %% task="mle_table" points=5 level=2 minutes=20
def mle_table(pair_counts, word_counts):
    """P(w2 | w1), row w1, column w2, from a DataFrame of pair counts and a dict of word counts."""
    ### BEGIN SOLUTION
    return pair_counts.div(pd.Series(word_counts), axis="index").loc[pair_counts.index]
    ### END SOLUTION


def wrong_cells(printed, exact):
    """The set of (w1, w2) where `printed` is not `exact` rounded to two significant digits."""
    ### BEGIN SOLUTION
    return {
        (w1, w2)
        for w1 in printed.index
        for w2 in printed.columns
        if f"{printed.loc[w1, w2]:.2g}" != f"{exact.loc[w1, w2]:.2g}"
    }
    ### END SOLUTION


# %% test="mle_table" aspect="each row by its word count" points=1
_got = mle_table(pair_counts.copy(), dict(word_counts))
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert np.shape(_got) == (8, 8), (
    f"Wanted a table of 8 rows and 8 columns; yours has shape {np.shape(_got)}."
)
_value = _got.loc["i", "want"]
assert close(_value, 827 / 2533), (
    f"P(want | i) = 827 / 2533 = .326; yours: {_value:.3g}."
)
_value = _got.loc["chinese", "food"]
assert close(_value, 82 / 158), (
    f"P(food | chinese) = 82 / 158 = .519; yours: {_value:.3g}."
)
### BEGIN HIDDEN TESTS
_words = sorted(random.sample("abcdefg", 4))
_pairs = np.random.default_rng().integers(1, 9, (4, 4))
_total = {word: random.randint(40, 90) for word in _words}
_got = mle_table(pd.DataFrame(_pairs, index=_words, columns=_words), dict(_total))
assert np.shape(_got) == (4, 4), (
    f"Wanted a table of 4 rows and 4 columns; yours: {_got!r}."
)
for _i, _j in np.ndindex(4, 4):
    _value, _wanted = (
        _got.loc[_words[_i], _words[_j]],
        _pairs[_i, _j] / _total[_words[_i]],
    )
    assert close(_value, _wanted), (
        f"{_pairs[_i, _j]} pairs, {_total[_words[_i]]} times the first word: not {_value}."
    )
### END HIDDEN TESTS

# %% test="mle_table" aspect="words are matched by name" points=1
_pairs = pd.DataFrame([[1, 2], [3, 4]], index=["tea", "or"], columns=["tea", "or"])
_got = mle_table(_pairs.copy(), {"or": 8, "tea": 4})
assert hasattr(_got, "loc"), f"Return a DataFrame; yours: {_got!r}."
assert np.shape(_got) == (2, 2), (
    f"Wanted a table of 2 rows and 2 columns; yours has shape {np.shape(_got)}."
)
assert close(_got.loc["tea", "or"], 0.5), (
    f"tea occurs 4 times, 2 of them before or: .5, wherever tea stands in the dict; yours: {_got.loc['tea', 'or']}."
)
### BEGIN HIDDEN TESTS
_words, _next = ["b", "e", "a", "d", "c"], ["d", "a", "b"]
for _order in ("abcde", "edcba", random.sample("abcde", 5)):
    _cells = np.random.default_rng().integers(0, 9, (5, 3))
    _pairs = pd.DataFrame(_cells, index=_words, columns=_next)
    _total = {word: 40 + 9 * i + random.randint(0, 5) for i, word in enumerate(_order)}
    _got = mle_table(_pairs.copy(), dict(_total))
    assert np.shape(_got) == (5, 3), f"5 rows and 3 columns of counts became {_got!r}."
    for _a, _b in [(a, b) for a in _words for b in _next]:
        assert close(_got.loc[_a, _b], _pairs.loc[_a, _b] / _total[_a]), (
            f"P({_b} | {_a}) is wrong where rows are not in the order of the dict."
        )
_after = arguments_after(mle_table, _pairs.copy(), dict(_total))
assert np.array_equal(_after[0], _cells), (
    "Leave `pair_counts` as they are: your function changes them."
)
assert dict(_after[1]) == _total, (
    "Leave `word_counts` as they are: your function changes them."
)
_pairs = pd.DataFrame([[1, 2], [3, 6]], index=["b", "a"], columns=["a", "d"])
_total = {"a": 12, "c": 7, "b": 4, "z": 9, "d": 5}
_got = mle_table(_pairs.copy(), dict(_total))
assert np.shape(_got) == (2, 2), (
    f"Words of the dict that are no rows of the counts make no rows; yours: {_got!r}."
)
_value = [[_got.loc[a, b] for b in ("a", "d")] for a in ("b", "a")]
assert close(_value, [[1 / 4, 2 / 4], [3 / 12, 6 / 12]]), (
    f"With more words in the dict than in the table you give {_value}."
)
_after = arguments_after(mle_table, _pairs.copy(), defaultdict(int, _total))[1]
assert dict(_after) == _total, (
    f"A look-up made `word_counts`, a defaultdict, grow: {set(_after) - set(_total)}."
)
_got = mle_table(pd.DataFrame([[1]], index=["a"], columns=["a"]), {"a": 2})
assert np.shape(_got) == (1, 1), (
    f"A table of one word makes a table of one word; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% test="mle_table" aspect="planted misprints are found" points=1
_exact = pd.DataFrame(
    [[0.3265, 0.0], [0.0009149, 0.003553]], index=["a", "b"], columns=["a", "b"]
)
_printed = pd.DataFrame(
    [[0.33, 0.0], [0.00092, 0.0036]], index=["a", "b"], columns=["a", "b"]
)
_got = wrong_cells(_printed, _exact)
assert hasattr(_got, "__iter__"), f"Return a set of cells; yours: {_got!r}."
assert ("a", "a") not in [tuple(cell) for cell in _got], (
    ".33 is .3265 to two digits: rounding is no mistake."
)
assert {tuple(cell) for cell in _got} == {("b", "a")}, (
    f"Only .00092 for .0009149, in row b and column a, is wrong; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _round in range(5):
    _digits = np.random.default_rng().integers(11, 98, (3, 4))
    _unit = 10.0 ** -np.random.default_rng().integers(2, 6, (3, 4))
    _names = [list("abc"), list("wxyz")]
    _noise = np.random.default_rng().uniform(-0.3, 0.3, (3, 4))
    _exact = pd.DataFrame((_digits + _noise) * _unit, *_names)
    _plant = (
        np.random.default_rng()
        .permuted([1, -1, 2, 2, 3, 0, 0, 0, 0, 0, 0, 0])
        .reshape(3, 4)
    )
    _printed = pd.DataFrame((_digits + _plant * (abs(_plant) == 1)) * _unit, *_names)
    _printed = _printed.map(lambda x: float(f"{x:.2g}"))
    _zero = list(zip(*np.nonzero(_plant == 2), strict=True))
    _printed.iloc[_zero[0]] = 0.0  # printed as impossible, and is not
    _exact.iloc[_zero[1]] = 0.0  # impossible, and not printed so
    for _table in (_printed, _exact):
        _table.iloc[tuple(np.argwhere(_plant == 3)[0])] = 0.0  # a zero that is right
    _rows, _columns = np.nonzero((_plant != 0) & (_plant != 3))
    _wanted = {("abc"[i], "wxyz"[j]) for i, j in zip(_rows, _columns, strict=True)}
    _other = (
        _exact if _round == 0 else _exact.loc[["c", "a", "b"], ["x", "z", "y", "w"]]
    )
    _got = wrong_cells(_printed.copy(), _other.copy())
    assert hasattr(_got, "__iter__"), f"Return a set of cells; yours: {_got!r}."
    _cell = next(iter({tuple(cell) for cell in _got} ^ _wanted), None)
    assert _cell is None, (
        f"{_cell} is {'a misprint that you miss' if _cell in _wanted else 'no misprint, but you report it'}: "
        f"printed {_printed.stack().get(_cell)}, exact {_exact.stack().get(_cell)}."
    )
_after = arguments_after(wrong_cells, _printed.copy(), _exact.copy())
assert np.array_equal(_after[0], _printed) and np.array_equal(_after[1], _exact), (
    "Leave the two tables as they are: your function changes one."
)
_exact = pd.DataFrame([[0.2104, 0.7043], [0.0396, 0.05871]], ["a", "b"], ["c", "d"])
_printed = pd.DataFrame([[0.2, 0.7], [0.04, 0.06]], ["a", "b"], ["c", "d"])
_got = wrong_cells(_printed, _exact)
assert hasattr(_got, "__iter__") and {tuple(cell) for cell in _got} == {
    ("a", "c"),
    ("b", "d"),
}, f"A printed .2 stands for .20, two digits as ever: .21 is right; yours: {_got!r}."
### END HIDDEN TESTS

# %% test="mle_table" aspect="wrong cells of two slides" points=2
_exact = pd.DataFrame(
    {
        w2: [pair_counts.loc[w1, w2] / word_counts[w1] for w1 in word_counts]
        for w2 in word_counts
    }
)
_exact.index = list(word_counts)
_found = [
    wrong_cells(berkeley.table(f"mle_printed_{slide}"), _exact)
    for slide in ("004", "002")
]
assert all(hasattr(cells, "__iter__") for cells in _found), (
    f"Return a set of cells; yours: {_found!r}."
)
_number = [len(list(cells)) for cells in _found]
assert _number == [3, 1], (
    f"B. Muller's slide has 3 wrong cells and F. Silvestri's 1; you find {_number[0]} and {_number[1]}."
)
### BEGIN HIDDEN TESTS
_shared = {("food", "chinese")}
assert {tuple(cell) for cell in _found[0]} == {("i", "i"), ("i", "eat")} | _shared, (
    "B. Muller's slide: other cells are wrong."
)
assert {tuple(cell) for cell in _found[1]} == _shared, (
    "F. Silvestri's slide: another cell is wrong."
)
_edited = berkeley.table("mle_printed_004")
_edited.loc["i", "i"] = float(f"{_exact.loc['i', 'i']:.2g}")
_edited.loc["want", "to"] = 0.56
_edited.loc["spend", "i"] = 0.036
_got = wrong_cells(_edited, _exact.copy())
assert hasattr(_got, "__iter__"), f"Return a set of cells; yours: {_got!r}."
_wanted = {("i", "eat"), ("want", "to"), ("spend", "i"), *_shared}
assert {tuple(cell) for cell in _got} == _wanted, (
    "A slide like B. Muller's with other misprints: other cells are wrong."
)
### END HIDDEN TESTS

# %%
exact = mle_table(pair_counts, word_counts)
for slide in ("mle_printed_002", "mle_printed_004"):
    printed = berkeley.table(slide)
    for w1, w2 in sorted(wrong_cells(printed, exact)):
        print(
            f"{slide}: P({w2} | {w1}), printed {printed.loc[w1, w2]:.2g}, exact {exact.loc[w1, w2]:.4g}"
        )

# %%
axes = plots.heatmap(
    exact, "P(next | previous), from the counts", "probability", log=True
)
for w1, w2 in wrong_cells(berkeley.table("mle_printed_004"), exact):
    corner = exact.columns.get_loc(w2) - 0.5, exact.index.get_loc(w1) - 0.5
    axes.add_patch(
        plt.Rectangle(
            corner, 1, 1, fill=False, edgecolor=plots.COLOURS[1], linewidth=2.5
        )
    )
plt.show()


# %% [markdown]
# The frames show the wrong cells of one of the two slides; two of its numbers are ten times too large. White cells
# are pairs that never occurred, and they make up half of the table.

# %% [markdown] statement="sentence_log_probability"
# ## 9. The probability of a sentence
#
# A bigram model gives a sentence the product of one factor for each of its bigrams. A long product of small factors is
# soon rounded to 0, so add natural logarithms instead. Write `sentence_log_probability(model, sentence, end=True)`,
# with `model[w1][w2]` as before:
#
# - first factor: $P(w_1 \mid \texttt{<s>})$;
# - with `end=True`, last factor: $P(\texttt{</s>} \mid w_T)$; without it, you get how likely a sentence *begins* so;
# - a factor that is zero or missing makes the result `-math.inf`;
# - the empty sentence has one factor, without `end` none (the result is 0).

# %% [markdown] hints="sentence_log_probability"
# 1. Write down the pairs of a two-word sentence first, with `end` and without.
# 2. Look up each pair without assuming that it is there: neither the row nor the word in it.
# 3. One zero factor decides the whole product; and the logarithm of 0 is an error in Python, so ask before you take
#    it.


# %% task="sentence_log_probability" points=4 level=2 minutes=14
def sentence_log_probability(model, sentence, end=True):
    """ln P(<s> w1 ... wT </s>) under a bigram model; without </s> if `end` is false."""
    ### BEGIN SOLUTION
    tokens = ["<s>", *sentence] + ["</s>"] * bool(end)
    total = 0.0
    for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
        p = model.get(w1, {}).get(w2, 0.0)
        if p == 0:
            return -math.inf
        total += math.log(p)
    return total
    ### END SOLUTION


# %% test="sentence_log_probability" aspect="sentences of the house" points=1
_model = {
    "<s>": {"we": 2 / 3, "how": 1 / 3},
    "we": {"sat": 1 / 3, "two": 1 / 6, "said": 1 / 6},
}
_model |= {
    "sat": {"in": 1 / 2, "here": 1 / 2},
    "in": {"the": 1.0},
    "the": {"house": 1.0},
}
_model |= {
    "house": {"</s>": 1.0},
    "here": {"we": 1.0},
    "two": {"and": 1.0},
    "and": {"we": 1.0},
    "said": {"</s>": 1.0},
}
for _text, _wanted in (
    ("we sat in the house", 1 / 9),
    ("we sat here we two and we said", 1 / 324),
):
    _got = sentence_log_probability(_model, _text.split())
    assert is_number(_got), f"Return a number; for {_text!r} you return {_got!r}."
    assert close(_got, math.log(_wanted)), (
        f"{_text!r} has probability 1/{1 / _wanted:.0f}, ln = {math.log(_wanted):.4f}; yours: {_got:.4f}."
    )
### BEGIN HIDDEN TESTS
_ends = ["no", "tea", "or", "</s>"]
for _number in (1, 2, 3, 6, 9):
    _p = np.random.default_rng().dirichlet(np.ones(4), size=4).tolist()
    _rows = dict(zip(["<s>", "no", "tea", "or"], _p, strict=True))
    _model = {w1: dict(zip(_ends, row, strict=True)) for w1, row in _rows.items()}
    _text = ["no", "tea"] * 2 * (_number > 3) + random.choices(
        ["no", "tea", "or"], k=_number
    )
    _factors = [_model[w1][w2] for w1, w2 in pairwise(["<s>", *_text, "</s>"])]
    _got = sentence_log_probability(_model, list(_text))
    assert close(_got, sum(math.log(p) for p in _factors), rtol=1e-5), (
        f"{_text} has the factors {_factors}; the sum of their ln is not {_got!r}."
    )
_after = arguments_after(sentence_log_probability, _model, list(_text))
assert list(_after[1]) == _text, (
    f"Leave the sentence as it is; `{' '.join(_text)}` became {_after[1]}."
)
### END HIDDEN TESTS

# %% test="sentence_log_probability" aspect="prefix and sentence differ" points=1
_model = {
    "<s>": {"no": 0.5, "tea": 0.5},
    "no": {"tea": 0.8, "</s>": 0.2},
    "tea": {"</s>": 0.7, "no": 0.3},
}
for _end, _wanted in ((True, 0.5 * 0.8 * 0.7), (False, 0.5 * 0.8)):
    _got = sentence_log_probability(_model, ["no", "tea"], end=_end)
    assert is_number(_got), f"Return a number; yours: {_got!r}."
    assert close(_got, math.log(_wanted)), (
        f"`no tea` with end={_end}: P = {_wanted:.2f}, ln = {math.log(_wanted):.4f}; yours: {_got:.4f}."
    )
### BEGIN HIDDEN TESTS
for _turn in range(5):
    _p, _text = random.uniform(0.1, 0.9), ["no", "tea", "no", "tea"]  # a pair twice
    if _turn:
        _text[1:] = random.choices(["no", "tea"], k=3)
    _row = {"no": _p / 2, "tea": 0.5 - _p / 2, "</s>": 0.5}
    _model = {"<s>": {"no": _p, "</s>": 1 - _p}, "no": _row, "tea": _row}
    _wanted = math.log(_p) + sum(math.log(_row[word]) for word in _text[1:])
    for _end in (True, False):
        _got = sentence_log_probability(_model, list(_text), end=_end)
        assert close(_got, _wanted + _end * math.log(0.5), rtol=1e-5), (
            f"With end={_end}, {_text} got {_got} on a random model."
        )
    _got = sentence_log_probability(_model, [], end=True)
    assert close(_got, math.log(1 - _p), rtol=1e-5), (
        f"The empty sentence has one factor, here {1 - _p:.3f}; yours, its ln: {_got!r}."
    )
    _got = sentence_log_probability(_model, [], end=False)
    assert close(_got, 0), (
        f"The empty prefix begins every sentence: P = 1, ln = 0; yours: {_got!r}."
    )
_got = sentence_log_probability({"<s>": {"tea": 0.25}}, ["tea"], end=False)
assert close(_got, math.log(0.25)), (
    f"A prefix does not ask what follows its last word: {_got!r}."
)
### END HIDDEN TESTS

# %% test="sentence_log_probability" aspect="unseen means minus infinity" points=1
_model = {"<s>": {"tea": 1.0}, "tea": {"now": 1.0, "no": 0.0}, "now": {"</s>": 1.0}}
for _text in ("tea later", "tea tea now"):
    _got = sentence_log_probability(_model, _text.split())
    assert _got == -math.inf, (
        f"{_text!r} has a pair that the model lacks: wanted -inf; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
_texts = ["tea", "tea no", "now", "later now", "tea later now"]
_model = {
    "<s>": {"tea": 0.5, "oh": 0.5},
    "tea": {"now": 1.0, "no": 0.0},
    "now": {"</s>": 1.0},
}
for _text in (*_texts, "oh", "oh tea now", "oh oh", ""):
    _got = sentence_log_probability(_model, _text.split())
    assert is_number(_got) and _got == -math.inf, (
        f"{_text!r}: a missing row, word or end has probability 0; wanted -inf, yours: {_got!r}."
    )
_got = sentence_log_probability({"tea": {"</s>": 1.0}}, ["tea"])
assert _got == -math.inf, (
    f"Even the row of `<s>` may be missing; wanted -inf, yours: {_got!r}."
)
_after = arguments_after(sentence_log_probability, _model, ["oh", "tea"])[0]
assert _after == _model, f"Leave the model as it is; it became {_after}."
_grown = {word: defaultdict(float, row) for word, row in _model.items()}

for _text in (*_texts, "oh", "snow oh", ""):
    for _end in (True, False):
        _after = arguments_after(
            sentence_log_probability, defaultdict(dict, _grown), _text.split(), _end
        )[0]
        assert _after == _model, (
            f"A model may be a defaultdict: your look-ups for {_text!r} left {_after}."
        )
### END HIDDEN TESTS

# %% test="sentence_log_probability" aspect="long sentences do not vanish" points=1
_model = {"<s>": {"tea": 1.0}, "tea": {"tea": 0.1, "</s>": 0.9}}
_got = sentence_log_probability(_model, ["tea"] * 1001)
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 1000 * math.log(0.1) + math.log(0.9)), (
    f"A thousand factors of .1 and one of .9: about -2302.7; yours: {_got}. Is a tiny product rounded to 0 on the way?"
)
### BEGIN HIDDEN TESTS
_p = random.uniform(1e-35, 9e-35)
_model = {"<s>": {"tea": 1.0}, "tea": {"tea": _p, "</s>": 1 - _p}}
for _number in (12, 300):
    _got = sentence_log_probability(_model, ["tea"] * (_number + 1))
    assert close(_got, _number * math.log(_p), rtol=1e-4), (
        f"{_number} factors of {_p:.1g}: is their product rounded to 0? Yours: {_got}."
    )
### END HIDDEN TESTS


# %% [markdown]
# *i want chinese food* under the bigram model of all 9,222 sentences: its beginnings, word by word, then the whole
# sentence, up to `</s>`.

# %%
diner = bigram_mle(
    Counter(pair for sentence in everything for pair in ngrams(sentence, 2))
)
wish = ["i", "want", "chinese", "food"]
logs = [sentence_log_probability(diner, wish[:k], end=False) for k in range(5)]
logs.append(sentence_log_probability(diner, wish))
for token, log in zip(["<s>", *wish, "</s>"], logs, strict=True):
    print(f"up to {token:7}: ln P = {log:6.3f}, P = {math.exp(log):.6f}")

# %% [markdown]
# The last step asks whether the sentence ends here: the *prefix* (however it goes on) and the *sentence* are two
# events, and the prefix is never the less likely one.
#
# A language model spreads the probability 1 over *all* texts, of every length. How much of it does the model of the
# three small sentences give to short texts? With $P$ its table, $P^k$ holds the probabilities of going from one token
# to another in $k$ steps:

# %%
start, end = order.index("<s>"), order.index("</s>")
ends_at = [np.linalg.matrix_power(P, steps)[start, end] for steps in range(1, 52)]
print(
    "at most so many words:",
    {words: f"{sum(ends_at[: words + 1]):.6f}" for words in (5, 10, 20, 50)},
)


# %% [markdown]
# Sentences of up to 50 words hold nearly all of it.

# %% [markdown]
# <details><summary>Slips in the printed slides: five numbers</summary>
#
# B. Muller's P(English | The moment one learns) = 35/73 = .48 stands beside "appears 75 times": .47. He also
# multiplies *rounded* factors, 1 × .25 × .33 × .0065 × .52, and prints .00027885; the counts give .000274. F.
# Silvestri has .25 × .33 × .0011 × .5 × .68 = .00031 for *i want english food*, ten times too much. His P(lunch | want)
# = P(chinese | want) = 0 stands beside counts of 5 and 6.
#
# </details>

# %% [markdown]
# You are halfway, and this is a good place to stop. So far you can count a bigram model and ask it how probable a
# sentence is. In the second half it meets sentences that it has never seen, you learn to say in one number how good
# it is, and it begins to write.


# %% [markdown]
# (Three given functions do what yours do: `estimate` is `ngrams` and `bigram_mle` together, `windows` is `ngrams`,
# `ln_probability` is `sentence_log_probability` with `</s>`.)


# %%
def estimate(sentences):
    """The bigram model of some sentences: model[w1][w2] = P(w2 | w1)."""
    previous = [word for sentence in sentences for word in ["<s>", *sentence]]
    following = pd.Series(
        [word for sentence in sentences for word in [*sentence, "</s>"]]
    )
    shares = following.groupby(previous).value_counts(normalize=True)
    model = defaultdict(dict)
    for (w1, w2), share in shares.items():
        model[w1][w2] = share
    return dict(model)


restaurant_model = estimate(train_sentences)


# %%
def windows(sentence, n):
    """The n-grams of one sentence: each token with the n - 1 before it."""
    shifted = [["<s>"] * back + [*sentence, "</s>"] for back in reversed(range(n))]
    return list(zip(*shifted, strict=False))


def ln_probability(model, sentence):
    """ln P(<s> w1 ... wT </s>) under a bigram model."""
    factors = [model.get(w1, {}).get(w2, 0) for w1, w2 in windows(sentence, 2)]
    with np.errstate(divide="ignore"):
        return float(np.log(factors).sum())


# %% [markdown] statement="zero_factors"
# ## 10. One zero is enough
#
# In the table of section 8, P(to | lunch) is 0. So *i bring my lunch to work* has probability 0, whatever its other
# factors are. Write
#
# - `zero_factors(model, sentence)`: the pairs `(w1, w2)` of probability zero as a list, in their order, boundaries
#   included. An unseen context allows nothing. A pair that comes again need not be listed again.
# - `guess`, before you measure: which share of `new_sentences` is impossible for `restaurant_model`, the bigram model
#   of the training sentences? Then `measured`: the share of `new_sentences` with such a pair.

# %% [markdown] hints="zero_factors"
# 1. Write down all the factors of `i bring my lunch to work`. With both boundaries there are seven.
# 2. A factor is zero for two reasons: its context has a row without that word, or has no row at all.
# 3. Both reasons can be one question if a missing row counts as a row without words. And one zero or four in a
#    sentence make no difference to the share: which numbers do you divide?


# %% task="zero_factors" points=4 level=2 minutes=12
def zero_factors(model, sentence):
    """The pairs (w1, w2) of the padded sentence, in order, with P(w2 | w1) = 0."""
    ### BEGIN SOLUTION
    pairs = pairwise(["<s>", *sentence, "</s>"])
    return [(w1, w2) for w1, w2 in pairs if model.get(w1, {}).get(w2, 0) == 0]
    ### END SOLUTION


# guess = a number between 0 and 1, written down before you measure
# measured = the share, computed with your function
### BEGIN SOLUTION
guess = 0.1
measured = np.mean(
    [len(zero_factors(restaurant_model, sentence)) > 0 for sentence in new_sentences]
)
### END SOLUTION

# %% test="zero_factors" aspect="zero pairs are found" points=1
_model = {
    "<s>": {"i": 1.0},
    "i": {"bring": 0.5, "eat": 0.5},
    "bring": {"my": 1.0},
    "my": {"lunch": 1.0},
    "lunch": {"</s>": 1.0, "to": 0.0},
    "to": {"work": 1.0},
    "work": {"</s>": 1.0},
    "eat": {"lunch": 1.0},
}
_found = zero_factors(_model, ["i", "bring", "my", "lunch", "to", "work"])
assert hasattr(_found, "__len__"), (
    f"Return the pairs in a list; yours returned {_found!r}."
)
_found = {tuple(pair) for pair in _found}
assert _found == {("lunch", "to")}, (
    f"Exactly one factor is zero here; yours names {_found}."
)
_found = zero_factors(_model, ["i", "eat", "lunch"])
assert hasattr(_found, "__len__"), (
    f"Return a list even when it is empty, not {_found!r}."
)
assert len(_found) == 0, (
    f"No factor of `i eat lunch` is zero here; yours names {_found}."
)
### BEGIN HIDDEN TESTS
_words = random.sample("abcdefghi", 9)
_model = {
    w1: dict.fromkeys("abcdefghi", 0.2) | {"</s>": 1e-9} for w1 in ["<s>", *_words]
}
for _i, (_w1, _w2) in enumerate(pairwise(_words)):
    if _i % 3:
        _model[_w1][_w2] = 0.0
    else:
        del _model[_w1][_w2]
_found = zero_factors(_model, [*_words, *_words[3:6]])
assert hasattr(_found, "__len__"), (
    f"Return the pairs in a list; yours returned {_found!r}."
)
_found = list(dict.fromkeys(tuple(pair) for pair in _found))
assert set(_found) == set(pairwise(_words)), (
    f"Impossible: a word missing in the row or of probability 0; yours names {_found}."
)
assert _found == list(pairwise(_words)), (
    f"The pairs are wanted in their order; yours: {_found}."
)
_after = arguments_after(zero_factors, _model, list(_words))
assert _after[0] == _model and list(_after[1]) == _words, (
    "Leave model and sentence as they are."
)
### END HIDDEN TESTS

# %% test="zero_factors" aspect="boundaries and unseen contexts" points=1
_model = {
    "<s>": {"i": 1.0},
    "i": {"eat": 1.0},
    "eat": {"lunch": 1.0},
    "lunch": {"</s>": 1.0},
}
_found = zero_factors(_model, ["eat"])
assert hasattr(_found, "__len__"), (
    f"Return the pairs in a list; yours returned {_found!r}."
)
_found = {tuple(pair) for pair in _found}
assert ("<s>", "eat") in _found, (
    f"No sentence starts with `eat`: that is a zero; found {_found}."
)
assert ("eat", "</s>") in _found, (
    f"No sentence ends after `eat`: that is a zero; found {_found}."
)
### BEGIN HIDDEN TESTS
for _text, _wanted in (
    ("i eat snow lunch", {("eat", "snow"), ("snow", "lunch")}),
    ("i eat snow", {("eat", "snow"), ("snow", "</s>")}),
    ("snow snow", {("<s>", "snow"), ("snow", "snow"), ("snow", "</s>")}),
    ("", {("<s>", "</s>")}),
    ("i eat lunch", set()),
):
    _found = zero_factors(_model, _text.split())
    assert hasattr(_found, "__len__"), (
        f"Return the pairs in a list; yours returned {_found!r}."
    )
    assert {tuple(pair) for pair in _found} == _wanted, (
        f"Unseen contexts and both boundaries count: `{_text}`; yours names {_found}."
    )
_found = zero_factors({"lunch": {"</s>": 1.0}}, ["lunch"])
assert hasattr(_found, "__len__") and {tuple(pair) for pair in _found} == {
    ("<s>", "lunch")
}, f"A model without a row for `<s>` lets no sentence begin; yours names {_found!r}."
_after = arguments_after(zero_factors, _model, ["snow", "snow"])[0]
assert _after == _model, (
    f"Leave the model as it is; it got rows for {set(_after) - set(_model)}."
)
_grown = {word: defaultdict(float, row) for word, row in _model.items()}

for _text in ("snow snow", "i snow", "eat lunch", "i eat snow lunch", ""):
    _after = arguments_after(zero_factors, defaultdict(dict, _grown), _text.split())[0]
    assert _after == _model, (
        f"A model may be a defaultdict: your look-ups for `{_text}` left {_after}."
    )
### END HIDDEN TESTS

# %% test="zero_factors" aspect="a guess comes first" points=1
assert is_number(guess), f"`guess` must be a number, not {guess!r}."
assert 0 <= guess <= 1, f"A share lies between 0 and 1; `guess` is {guess}."

# %% test="zero_factors" aspect="share of impossible sentences" points=1
assert is_number(measured), f"`measured` must be a number: {measured!r}."
assert 0 <= measured <= 1, (
    f"A share lies between 0 and 1, not {measured}: divide by the sentences."
)
### BEGIN HIDDEN TESTS
_seen = {pair for s in train_sentences for pair in pairwise(["<s>", *s, "</s>"])}
_hit = [not _seen.issuperset(pairwise(["<s>", *s, "</s>"])) for s in new_sentences]
assert close(measured, sum(_hit) / len(_hit), atol=0.001), (
    f"`measured` is {measured:.4f}. Count new sentences, also those said twice, with at least one zero, then divide by {len(_hit)}."
)
### END HIDDEN TESTS


# %% [markdown]
# Would more sentences help? (Five random orders: mean, lowest, highest.)

# %%
sizes = [100, 300, 1000, 3000, 8300]
shares = {"all held-out sentences": [], "new sentences": []}
for seed in range(5):
    mixed = random.Random(seed).sample(train_sentences, len(train_sentences))
    models = [estimate(mixed[:size]) for size in sizes]
    for name, asked in zip(shares, (test_sentences, new_sentences), strict=True):
        shares[name].append(
            [np.mean([len(zero_factors(m, s)) > 0 for s in asked]) for m in models]
        )
for name, found in shares.items():
    print(f"{name}: impossible with all 8,300: {np.mean(found, axis=0)[-1]:.0%}")

# %%
_, axes = plt.subplots()
for (name, found), style in zip(shares.items(), ("s--", "o-"), strict=True):
    middle, low, high = np.mean(found, 0), np.min(found, 0), np.max(found, 0)
    axes.errorbar(
        sizes, middle, [middle - low, high - middle], fmt=style, capsize=3, label=name
    )
axes.axhline(guess, color=plots.COLOURS[2], linestyle=":", label="your guess")
axes.set(
    title="Impossible for a bigram model",
    xlabel="training sentences (log scale)",
    ylabel="share of sentences",
    xscale="log",
    ylim=(0, 1.05),
)
axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
axes.minorticks_off()
axes.legend(loc="upper right")
plt.show()

# %% [markdown]
# More text helps, but slowly: from 1,000 sentences on, each time we triple the text, the share of impossible
# sentences falls by not quite 20 percentage points. Chapter 02 cures this.

# %% [markdown]
# ## 11. Perplexity
#
# A good model gives high probability to text that it has not seen. But the probability of a text falls with its length
# $N$. So take the geometric mean of its factors, and turn it upside down: this is the **perplexity**. If all factors
# are 1/8, it is 8: the number of equally likely words among which the model seems to choose. Lower is better. With
# logarithms to any base $b$, since $x = b^{\log_b x}$,
#
# $$\mathrm{PP} = \Big(\prod_{i=1}^N P(w_i \mid \dots)\Big)^{-1/N} = b^{\,-\frac{1}{N} \sum_{i=1}^N \log_b P(w_i \mid \dots)}.$$
#
# The exponent, the mean of $-\log_b P$, is called **cross-entropy**: bits per token for $b = 2$. The networks of later
# chapters are trained to lower it.

# %% [markdown] statement="perplexity"
# Write
#
# - `perplexity(log_probabilities, base)`: from one logarithm for each factor, all to base `base`; a text with a zero
#   factor (a logarithm of −∞) has perplexity ∞.
# - `scored_symbols(sentence)`: the symbols that N counts, in order: those the model *predicts*.

# %% [markdown] hints="perplexity"
# 1. A fair die: what must the perplexity be? Try your function on six equal factors of 1/6.
# 2. The mean logarithm is the logarithm of the factors' geometric mean. Undo the logarithm with
#    the same base with which it was taken.
# 3. Stay with logarithms until the last step: the product of 100,000 factors is zero to a
#    computer. As for N: `<s>` is given, never predicted; the model does predict that a sentence
#    ends.


# %% task="perplexity" points=4 level=2 minutes=12
def perplexity(log_probabilities, base):
    """Perplexity of a text, from the logarithms (to that base) of its N factors."""
    ### BEGIN SOLUTION
    return base ** -(sum(log_probabilities) / len(log_probabilities))
    ### END SOLUTION


def scored_symbols(sentence):
    """The symbols of the padded sentence that get a factor, in order."""
    ### BEGIN SOLUTION
    return [*sentence, "</s>"]
    ### END SOLUTION


# %% test="perplexity" aspect="N-th root of inverse probability" points=1
_value = perplexity([-1.0, -2.0, -3.0, -1.0], 2)
assert is_number(_value), f"Return a number; yours returned {_value!r}."
assert close(_value, 128**0.25), (
    f"Factors 1/2, 1/4, 1/8, 1/2: the fourth root of 128 is {128**0.25:.4f}, yours is {_value:.4f}."
)
### BEGIN HIDDEN TESTS
for _number in (1, 5, 12):
    _p = [random.uniform(0.05, 0.9) for _ in range(_number)]
    _value = perplexity([math.log2(p) for p in _p], 2)
    assert close(_value, (1 / math.prod(_p)) ** (1 / len(_p)), rtol=1e-5), (
        f"On random factors your value {_value!r} is not the N-th root of 1 / P."
    )
_value = perplexity([0.0, -2.0, 0.0, -1.0, 0.0], 2)
assert close(_value, 8**0.2, rtol=1e-5), (
    f"A factor of 1 has logarithm 0 and counts in N all the same; yours: {_value!r}."
)
_after = arguments_after(perplexity, [-1.0, -3.0, -2.0], 2)[0]
assert list(_after) == [-1, -3, -2], (
    f"Leave the list of logarithms as it is; now: {_after}."
)
### END HIDDEN TESTS

# %% test="perplexity" aspect="base fits the logarithms" points=1
for _base in (2, math.e, 10):
    _value = perplexity([math.log(1 / 8) / math.log(_base)] * 5, _base)
    assert is_number(_value), f"Return a number, not {_value!r}."
    assert close(_value, 8), (
        f"Uniform over 8 words must give 8 in every base; with base {_base:.3g} yours is {_value:.3f}."
    )
### BEGIN HIDDEN TESTS
for _base in (2, 3, 10, math.e, random.uniform(1.3, 1.9), random.uniform(20, 60)):
    _p = [random.uniform(0.05, 1) for _ in range(7)]
    _value = perplexity([math.log(p) / math.log(_base) for p in _p], _base)
    assert close(_value, math.prod(_p) ** (-1 / 7), rtol=1e-5), (
        f"The same factors give the same perplexity in every base; with {_base:.3g} "
        f"yours is {_value!r}, not {math.prod(_p) ** (-1 / 7):.4f}."
    )
### END HIDDEN TESTS

# %% test="perplexity" aspect="long and impossible texts" points=1
_value = perplexity([-3.0] * 100_000, 2)
assert is_number(_value), f"Return a number; yours returned {_value!r}."
assert close(_value, 8), (
    f"100,000 factors of 1/8 must give 8, yours gives {_value}: does a product become 0 on the way?"
)
_value = perplexity([-1.0, -math.inf, -2.0], 2)
assert _value == math.inf, (
    f"One impossible word makes the perplexity infinite; yours is {_value}."
)
### BEGIN HIDDEN TESTS
for _number in (300, 40_000):
    _value = perplexity([-2.0, -5.0, -5.0] * _number, 10)
    assert close(_value, 10**4, rtol=1e-4), (
        f"{3 * _number} factors of 1e-5, 1e-5, 1e-2 and so on: 10⁴; yours: {_value!r}."
    )
for _logs in ([-math.inf], [-math.inf, -1.0, 0.0], [-0.5, -1.0, -math.inf]):
    _value = perplexity(list(_logs), math.e)
    assert is_number(_value) and _value == math.inf, (
        f"A zero makes the perplexity infinite wherever it stands; yours: {_value!r}."
    )
for _log, _base in ((-2000.0, 2), (-1500.0, math.e), (-700.0, 10)):
    _value = perplexity([_log, *[-1.0] * 99], _base)
    assert close(_value, _base ** ((99 - _log) / 100), rtol=1e-3), (
        f"One factor of {_base:.3g}^{_log:.0f} among 100 is tiny, not zero; yours: {_value!r}."
    )
### END HIDDEN TESTS

# %% test="perplexity" aspect="symbols that N counts" points=1
_symbols = scored_symbols(["we", "eat"])
assert hasattr(_symbols, "__len__"), (
    f"Return a list of symbols; yours returned {_symbols!r}."
)
assert "<s>" not in _symbols, "`<s>` is given, not predicted: N must not count it."
assert "</s>" in _symbols, "The model predicts where a sentence ends: N counts `</s>`."
assert list(_symbols) == ["we", "eat", "</s>"], (
    f"Keep words in order; yours is {list(_symbols)}."
)
### BEGIN HIDDEN TESTS
for _text in (["no", "no", "no"], ["we", "<UNK>", "tea", "<UNK>"], [], ["Tea", "tea"]):
    _symbols = scored_symbols(list(_text))
    assert hasattr(_symbols, "__len__") and list(_symbols) == [*_text, "</s>"], (
        f"All words of {_text} count, and one `</s>`; yours: {_symbols!r}."
    )
_after = arguments_after(scored_symbols, ["we", "eat"])[0]
assert list(_after) == ["we", "eat"], (
    f"Leave the sentence as it is; it became {_after}."
)
### END HIDDEN TESTS

# %%
uniform = [math.log(1 / 8)] * 5  # natural logarithms
print("base e:", round(perplexity(uniform, math.e), 2))
print("base 2 by mistake:", round(perplexity(uniform, 2), 2))
wish_pairs = pairwise(
    ["<s>", *scored_symbols(["i", "want", "thai", "food", "for", "lunch"])]
)
logs = [math.log2(restaurant_model[w1][w2]) for w1, w2 in wish_pairs]
print("N counts </s>:", round(perplexity(logs, 2), 2))
print("N forgets </s>:", round(2 ** (-sum(logs) / (len(logs) - 1)), 2))


# %% [markdown]
# These are two mistakes that anybody can make: taking the power with another base than that of the logarithms, and
# multiplying in the factor of `</s>` but not counting it in $N$.
#
# A third one is harder to see, because nothing in it is computed wrongly. A unigram model gives each token its share
# of the training text, whatever came before. We let it read the same new sentences with a smaller and smaller
# vocabulary:

# %%
flattered = {}
for known in vocabularies.values():
    told, asked = (
        replace_unknown([t for s in group for t in scored_symbols(s)], known | {"</s>"})
        for group in (train_sentences, new_sentences)
    )
    share = {word: count / len(told) for word, count in Counter(told).items()}
    flattered[len(known)] = perplexity([math.log2(share[word]) for word in asked], 2)
for size, value in flattered.items():
    print(f"{size:5} words known: perplexity {value:.0f}")

# %% [markdown]
# Its perplexity falls from 148 to 32, and not because it got any better. Every word that it does not know has become
# the same token, `<UNK>`, and this token is easy to predict. The model says less, so it is wrong less often.

# %% [markdown]
# <details><summary>A slip in the printed slides: a formula without its sum</summary>
#
# B. Muller's slide has $2^{-p_i \log \hat p_i}$: the sum over $i$ is missing,
# and so is the base of the logarithm, which must be 2.
#
# </details>

# %% [markdown] statement="believe_it"
# #### Better than infinity?
#
# A friend reports perplexity 21 on `new_sentences`, where section 10's bigram model has ∞. Which two questions do you
# ask before you call the friend's model better, and how could each explain a 21?

# %% [markdown] written="believe_it" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point for each of two questions that comes with its effect: which vocabulary (the more words are
# turned into `<UNK>`, the lower the perplexity, though less is said); had the model read these sentences (then it
# remembers them); does $N$ count the same symbols, `</s>` among them; do its probabilities sum to 1 after each
# context (scores that give away more than 1 look better). 1 point: supports one of them with a measurement of this
# chapter (148 to 32 as the vocabulary shrinks; 9.21 if N counts `</s>`, 13.33 if it does not; 40 % of the held-out
# sentences had leaked).
#
# No point for a question without its effect, or for one that does not touch the number (how long it trained, how
# large it is). A usual wrong idea: any finite perplexity beats ∞. The ∞ comes from single pairs that were never seen;
# it says nothing about all the other words.
#
# **Sample, 3 points.** First: which words does your model know? In section 11 the perplexity of the unigram model
# went from 148 to 32 just because fewer words were known, so a small vocabulary alone could give a 21. Second: were
# the new sentences in your training text? We took out the 40 % that had leaked. A model that has read the others
# would recognise them, and its 21 would be memory.
#
# **Sample, 1 point.** I would ask whether it was trained on the test sentences, because then it knows them by heart
# and gets a low number. I would also ask how many parameters it has and on which computer it ran.
#
# **Sample, 0 points.** Infinity is the worst perplexity there is, so 21 is better in any case, and I would use the
# friend's model. A low perplexity always means that the next word is predicted well.
# ### END SOLUTION

# %% [markdown] statement="continue_greedy"
# ## 12. Writing: the likeliest next word
#
# A language model can also write. The **greedy** way appends the likeliest next word, again and again. Write
# `continue_greedy(model, prompt, max_words)`, which returns `prompt` (a list of tokens) with the new words after it:
#
# - the context is the last word, as it is written; an empty prompt starts a sentence, with the context `<s>`;
# - of equally likely words, any will do;
# - stop when `</s>` is the likeliest (do not write it), when the context was never seen (it has no row; no row is
#   empty), or after `max_words` new words.

# %% [markdown] hints="continue_greedy"
# 1. What does a bigram model need to know of a prompt of nine words?
# 2. Only the last word is context. When there is none, the sentence has just begun.
# 3. Every new word becomes the next context, so the list that grows is all you need to keep. Of the three reasons to
#    stop, one is known before you look into the model, one when you look for the row, one only when the word is
#    chosen.


# %% task="continue_greedy" points=3 level=2 minutes=13
def continue_greedy(model, prompt, max_words):
    """The prompt and at most max_words likeliest next words, as one list of tokens."""
    ### BEGIN SOLUTION
    words = list(prompt)
    for _ in range(max_words):
        row = model.get(words[-1] if words else "<s>")
        if not row:
            break
        word = max(row, key=row.get)
        if word == "</s>":
            break
        words.append(word)
    return words
    ### END SOLUTION


# %% test="continue_greedy" aspect="likeliest word, again and again" points=1
_model = {
    "we": {"sit": 0.3, "eat": 0.7},
    "eat": {"</s>": 0.2, "in": 0.5, "sit": 0.3},
    "in": {"a": 0.4, "the": 0.6},
    "the": {"garden": 0.9, "in": 0.1},
    "garden": {"in": 1.0},
}
_words = continue_greedy(_model, ["we"], 4)
assert hasattr(_words, "__len__"), (
    f"Return a list of tokens; yours returned {_words!r}."
)
assert list(_words) == ["we", "eat", "in", "the", "garden"], (
    f"Four new words wanted: {_words}."
)
_words = continue_greedy(_model, ["so", "we", "eat"], 1)
assert list(_words) == ["so", "we", "eat", "in"], (
    f"One new word after the prompt wanted: {_words}."
)
### BEGIN HIDDEN TESTS
_words = continue_greedy({"very": {"good": 0.4, "very": 0.6}}, ["so", "very"], 3)
assert hasattr(_words, "__len__") and list(_words) == ["so", *["very"] * 4], (
    f"The likeliest word may be the one just said, again and again; yours: {_words!r}."
)
for _ in range(8):
    _model, _names = {}, ["</s>", *"abcdef"]
    for _word in ["<s>", *"abcdef"]:
        _best = random.choice("abcdef")  # never the end symbol, however likely that is
        _row = {other: random.uniform(0.01, 0.1) for other in random.sample(_names, 7)}
        _model[_word] = _row | {"</s>": 0.3, _best: 0.4}
    _prompt = random.choices("abcdef", k=random.randint(1, 4))
    _wanted, _most = list(_prompt), random.randint(1, 7)
    for _ in range(_most):
        _row = _model[_wanted[-1]]
        _wanted.append(next(word for word in "abcdef" if _row[word] == 0.4))
    _words = continue_greedy(_model, list(_prompt), _most)
    assert hasattr(_words, "__len__") and list(_words) == _wanted, (
        f"{_most} words after {_prompt}, all of them with .4: {_wanted}; yours: {_words!r}."
    )
### END HIDDEN TESTS

# %% test="continue_greedy" aspect="stops where it should" points=1
_model = {
    "i": {"eat": 1.0},
    "eat": {"</s>": 0.6, "i": 0.4},
    "go": {"on": 1.0},
    "on": {"go": 1.0},
}
_words = continue_greedy(_model, ["i"], 20)
assert hasattr(_words, "__len__"), (
    f"Return a list of tokens; yours returned {_words!r}."
)
assert list(_words) == ["i", "eat"], (
    f"`</s>` is likeliest after `eat`: stop, do not write it: {_words}."
)
_words = continue_greedy(_model, ["go"], 5)
assert len(_words) == 6, (
    f"A loop must end after max_words = 5 new words; yours has {len(_words) - 1}."
)
### BEGIN HIDDEN TESTS
_words = continue_greedy({"go": {"on": 1.0}, "on": {"go": 1.0}}, ["go"], 61)
assert hasattr(_words, "__len__") and list(_words) == ["go", "on"] * 31, (
    f"Only max_words = 61 ends a loop of two words; yours ends after {_words!r}."
)
_model = {"i": {"eat": 1.0}, "eat": {"i": 0.35, "</s>": 0.4, "go": 0.25}}
_model |= {"go": {"on": 1.0}, "on": {"</s>": 0.4, "snow": 0.6}}
_quiet, _loud = {"</s>": 0.5, "i": 0.4, "go": 0.1}, {"i": 0.7, "</s>": 0.3}
for _start, _text, _most, _wanted, _why in (
    (_loud, "i snow", 5, "i snow", "after an unseen word nothing can follow"),
    (_loud, "snow", 5, "snow", "after an unseen word nothing can follow"),
    (_loud, "go", 9, "go on snow", "a word of the model may be an unseen context, too"),
    (_loud, "go", 0, "go", "with max_words = 0 the prompt comes back"),
    (_loud, "", 0, "", "with max_words = 0 the prompt comes back"),
    (_quiet, "", 5, "", "`</s>` may be likeliest at once"),
    (_loud, "i eat", 5, "i eat", "`</s>` may be likeliest at once"),
    (
        _loud,
        "i",
        5,
        "i eat",
        "`</s>` stops when it is likeliest, even with less than a half",
    ),
    (
        _loud,
        "go on",
        1,
        "go on snow",
        "`</s>` does not stop when another word is likelier",
    ),
):
    _model["<s>"] = _start
    _words = continue_greedy(_model, _text.split(), _most)
    assert hasattr(_words, "__len__") and list(_words) == _wanted.split(), (
        f"Prompt `{_text}`, max_words = {_most}: {_why}; yours: {_words!r}."
    )
### END HIDDEN TESTS

# %% test="continue_greedy" aspect="case and short prompts" points=1
_model = {
    "<s>": {"The": 1.0},
    "The": {"United": 1.0},
    "United": {"States": 1.0},
    "united": {"we": 1.0},
}
_words = continue_greedy(_model, ["The", "United"], 1)
assert hasattr(_words, "__len__"), (
    f"Return a list of tokens; yours returned {_words!r}."
)
assert list(_words) == ["The", "United", "States"], (
    f"`United` is not `united`; yours: {_words}."
)
for _prompt in ([], ["The"]):
    _words = continue_greedy(_model, list(_prompt), 2 - len(_prompt))
    assert list(_words) == ["The", "United"], (
        f"Prompt {_prompt}: wanted `The United`; yours: {_words}."
    )
### BEGIN HIDDEN TESTS
_model |= {
    "We": {"sat": 1.0},
    "sat": {"Here": 1.0},
    "here": {"we": 1.0},
    "we": {"United": 1.0},
}
for _text, _most, _wanted in (
    ("We", 4, "We sat Here"),
    ("here", 3, "here we United States"),
    ("Here", 3, "Here"),
    ("", 3, "The United States"),
):
    _words = continue_greedy(_model, _text.split(), _most)
    assert hasattr(_words, "__len__") and list(_words) == _wanted.split(), (
        f"Mind the case of letters: `{_text}` becomes `{_wanted}`; yours: {_words!r}."
    )
_after = arguments_after(continue_greedy, _model, ["The"], 2)
assert list(_after[1]) == ["The"], f"Leave the prompt as it is; it became {_after[1]}."
assert _after[0] == _model, "Leave the model as it is: your function changes it."
_after = arguments_after(continue_greedy, _model, ["snow"], 2)[0]
assert _after == _model, (
    f"Leave the model as it is; it got rows for {set(_after) - set(_model)}."
)
_grown = {word: defaultdict(float, row) for word, row in _model.items()}

for _text in ("snow", "We", "we Here", ""):
    for _rows in (_grown, {word: _grown[word] for word in _grown if word != "<s>"}):
        _after = arguments_after(
            continue_greedy, defaultdict(dict, _rows), _text.split(), 5
        )[0]
        assert _after == _rows, (
            f"A model may be a defaultdict: your look-ups for `{_text}` left {_after}."
        )
### END HIDDEN TESTS

# %%
for prompt in (["i"], ["where", "can"], ["is", "bombay"], ["i'm"], ["spaghetti"]):
    print(
        " ".join(prompt), "->", " ".join(continue_greedy(restaurant_model, prompt, 16))
    )

# %%
prompts = random.Random(2).sample(corpus.vocabulary, 200)
ends = Counter(
    " ".join(continue_greedy(restaurant_model, [word], 16)[-2:]) for word in prompts
)
print("how the continuations of 200 words end:", ends.most_common(3))

# %% scratch=true
# Your own prompts: which end in other ways than "golden lantern"?
print(" ".join(continue_greedy(restaurant_model, ["how"], 16)))


# %% [markdown]
# Of 200 starts, 31 end in the same two words: where two paths meet, they go on together.

# %% [markdown]
# <details><summary>Slips in a printed program: four ways to stumble</summary>
#
# F. Silvestri's program for trigrams lower-cases the prompt, but not the counts; a prompt of one word crashes it;
# asking a `defaultdict` for an unseen context *adds* it; and after the end of a sentence it returns the same text.
#
# </details>

# %% [markdown] statement="top_k"
# ## 13. Writing: top-k sampling
#
# Greedy text never varies. **Top-k sampling** draws each word from the $k$ likeliest. Write
#
# - `top_k(distribution, k)`: the k likeliest words (or all, if fewer; if some tie for the last place, any of them) as a
#   dict, rescaled to sum to 1 and so that ratios stay as they were.
# - `sample(distribution, dart)`: one word, drawn by its probability. `dart` is a function, your only source of chance:
#   each call `dart()` returns a number, uniform in [0, 1), 0 included. A word of probability 0 is never drawn, and
#   some word always is, even where rounding leaves the sum a little below 1.

# %% [markdown] hints="top_k"
# 1. Cut a stick of length 1 into pieces as long as the probabilities, and throw the dart at it.
# 2. Rescaling keeps ratios: a word three times as likely before stays three times as likely.
# 3. A dart lies in a word's piece if it lies beyond all pieces before it, and not beyond this one: so running totals
#    decide. Look at the borders: a piece of length 0 must not be hit, not even by a dart of exactly 0, and a dart
#    beyond the last border must not fall into nothing.


# %% task="top_k" points=4 level=2 minutes=17
def top_k(distribution, k):
    """The k likeliest words of {word: probability}, rescaled to sum to 1."""
    ### BEGIN SOLUTION
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}
    ### END SOLUTION


def sample(distribution, dart):
    """One word of {word: probability}; each dart() is a uniform number in [0, 1)."""
    ### BEGIN SOLUTION
    hit, end = dart(), 0.0
    for word, probability in distribution.items():
        end += probability
        if hit < end:
            return word
    return max(distribution, key=distribution.get)
    ### END SOLUTION


# %% test="top_k" aspect="ratios are kept" points=1
_top = top_k({"a": 0.1, "b": 0.6, "c": 0.2, "d": 0.1}, 2)
assert hasattr(_top, "keys"), (
    f"Return a dict word -> probability; yours returned {_top!r}."
)
assert set(_top) == {"b", "c"}, (
    f"The two likeliest words are b and c; yours: {sorted(_top)}."
)
assert close(sum(_top.values()), 1), (
    f"The probabilities sum to {sum(_top.values()):.3f}."
)
assert close(_top["b"], 3 * _top["c"]), (
    f"b was 3 times as likely as c; now {dict(_top)}."
)
### BEGIN HIDDEN TESTS
for _k in (2, 3, 6):
    _p = np.random.default_rng().dirichlet(np.ones(7)).tolist()
    _old = {f"word{i}": p for i, p in enumerate(_p)}
    _best = sorted(_old, key=_old.get)[-_k:]
    _top = top_k(dict(_old), _k)
    assert hasattr(_top, "keys"), (
        f"Return a dict word -> probability; yours returned {_top!r}."
    )
    assert set(_top) == set(_best), (
        f"Of {_old} the {_k} likeliest are {_best}; yours: {list(_top)}."
    )
    _wanted = [_old[word] / sum(_old[word] for word in _best) for word in _best]
    assert close([_top[word] for word in _best], _wanted), (
        f"Rescaled, the {_k} likeliest of {_old} are not {dict(_top)}."
    )
_old = {"b": 0.1, "c": 0.6, "a": 0.3}
_after = arguments_after(top_k, dict(_old), 2)[0]
assert dict(_after) == _old, f"Leave `distribution` as it is; it became {_after}."
_after = arguments_after(top_k, defaultdict(float, _old), 5)[0]
assert dict(_after) == _old, f"Leave `distribution` as it is; it became {_after}."
### END HIDDEN TESTS

# %% test="top_k" aspect="any k, any order" points=1
_top = top_k({"x": 0.25, "y": 0.75}, 5)
assert hasattr(_top, "keys"), (
    f"Return a dict word -> probability; yours returned {_top!r}."
)
assert dict(_top) == {"x": 0.25, "y": 0.75}, (
    f"With k = 5 of 2 words nothing changes: {dict(_top)}."
)
_top = top_k({"x": 0.25, "y": 0.75}, 1)
assert dict(_top) == {"y": 1.0}, (
    f"k = 1 leaves only y, with probability 1; yours: {dict(_top)}."
)
### BEGIN HIDDEN TESTS
_p = np.random.default_rng().dirichlet(np.ones(9)).tolist()
for _k in (1, 4, 8, 9, 10, 30):
    _top = top_k({f"word{i}": p for i, p in enumerate(_p)}, _k)
    _best = np.array(sorted(_p)[-_k:])
    assert hasattr(_top, "keys") and close(
        sorted(_top.values()), _best / _best.sum()
    ), f"k = {_k} of nine words: the best {min(_k, 9)} stay, rescaled; yours: {_top!r}."
for _old, _k, _wanted in (
    ({"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25}, 3, [1 / 3] * 3),
    ({"a": 0.2, "b": 0.4, "c": 0.2, "d": 0.2}, 2, [1 / 3, 2 / 3]),
):
    _top = top_k(dict(_old), _k)
    assert hasattr(_top, "keys") and close(sorted(_top.values()), _wanted), (
        f"Of equals any may stay, but only {_k} words in all; yours: {_top!r}."
    )
### END HIDDEN TESTS

# %% test="top_k" aspect="draws by probability" points=1
_dart = random.Random(3).random
_words = [sample({"rare": 0.25, "common": 0.75}, _dart) for _ in range(80)]
_share = sum(word == "common" for word in _words) / 80
assert set(_words) <= {"rare", "common"}, (
    f"sample must return a word; yours returned {_words[0]!r}."
)
assert abs(_share - 0.75) < 0.15, (
    f"A word with probability .75 was drawn in {_share:.2f} of cases."
)
### BEGIN HIDDEN TESTS
_few = {"a": 0.3, "b": 0.25, "c": 0.25, "d": 0.19, "e": 0.01}
_many = {"a": 0.82} | dict.fromkeys("bcdefghij", 0.02)
for _wanted, _groups in ((_few, "abcde"), (_many, ("a", "bcdef", "ghij"))):
    _darts = [(i + random.random()) / 50 for i in range(50)]  # one in each part of 50
    random.shuffle(_darts)
    _thrown = []

    def _dart(darts=_darts, thrown=_thrown):
        thrown.append(darts.pop() if darts else random.random())
        return thrown[-1]

    _words = [sample(dict(_wanted), _dart) for _ in range(50)]
    assert all(isinstance(word, str) for word in _words), (
        f"Return a word, not {_words[0]!r}."
    )
    for _group in _groups:
        _p = sum(_wanted[word] for word in _group)
        _share = sum(word in _group for word in _words) / 50
        _luck = 0 if len(_thrown) == 50 else 5 * math.sqrt(_p * (1 - _p) / 50)
        assert abs(_share - _p) < 2 * len(_group) / 50 + _luck, (
            f"Words of probability {_p:.2f} together: drawn in {_share:.2f} of 50 cases."
        )
_many = {"often": 0.1} | {f"rare{i}": 0.0045 for i in range(200)}
_throws = [(i + random.random()) / 20 for i in range(20)]  # one in each part of 20
random.shuffle(_throws)
_words = [
    sample(_many, lambda: _throws.pop() if _throws else random.random())
    for _ in range(20)
]
_share = sum(word == "often" for word in _words) / 20
assert _share < 0.6, (
    f"200 rare words have .9 together, but were drawn in {1 - _share:.2f} of 20 cases."
)
assert any(word in list(_many)[101:] for word in _words), (
    "The last 100 of 201 words have .45 together, but none was drawn in 20 cases: "
    "is a new dart thrown for each word that is looked at?"
)
_many = {f"word{i}": 0.0005 for i in range(2000)}
_word = sample(_many, random.random)
assert isinstance(_word, str) and _word in _many, (
    f"Of 2000 words, all of probability .0005, one is drawn, not {_word!r}."
)
### END HIDDEN TESTS

# %% test="top_k" aspect="all chance comes from the dart" points=1
_coin = {"heads": 0.5, "tails": 0.5}
_dart = random.Random(8).random
_first = [sample(_coin, _dart) for _ in range(30)]
_dart = random.Random(8).random
_again = [sample(_coin, _dart) for _ in range(30)]
assert _first == _again, (
    "The same numbers from dart() gave different words: use no other chance."
)
assert len(set(_first)) == 2, f"30 throws of a fair coin gave only {_first[0]!r}."
### BEGIN HIDDEN TESTS
_old, _seed = {"a": 0.4, "b": 0.25, "c": 0.35}, random.random()
_darts = [random.Random(_seed).random for _ in range(2)]
_first, _again = ([sample(dict(_old), dart) for _ in range(30)] for dart in _darts)
assert all(isinstance(word, str) for word in _first), (
    f"Return a word, not {_first[0]!r}."
)
assert _first == _again, (
    "The same numbers from dart() gave different words: use no other chance."
)
assert len(set(_first)) > 1, f"30 darts all hit the same of three words: {_first[0]!r}."
for _old in ({"never": 0.0, "a": 0.5, "b": 0.5}, {"a": 0.5, "never": 0.0, "b": 0.5}):
    for _edge in (0.0, 0.5):
        _throws = iter([_edge])
        _word = sample(dict(_old), lambda throws=_throws: next(throws, random.random()))
        assert isinstance(_word, str) and _word in set("ab"), (
            f"A dart of exactly {_edge} drew {_word!r} from {_old}."
        )
_old = dict.fromkeys("abcdefghij", 0.1)  # the sum is rounded to a little less than 1
_never = {"no": 0.0}
for _all in (_old, _old | _never, _never | _old, _old | _never | {"nor": 0.0}):
    for _edge in (1 - 2**-53, 0.0):
        # Whoever throws again for each word misses every tenth that begins at 0.
        _throws = iter([_edge, *(random.uniform(0.1, 1) for _ in range(20))])
        _word = sample(dict(_all), lambda throws=_throws: next(throws, random.random()))
        assert isinstance(_word, str) and _word in _old, (
            f"Rounding leaves the sum a little below 1: the dart {_edge!r} still hits "
            f"a word, and none of probability 0; not {_word!r}."
        )
    for _kind in ({}, defaultdict(float)):
        _after = arguments_after(sample, _kind | _all, random.random)[0]
        assert dict(_after) == _all, (
            f"Leave `distribution` as it is; {_all} became {_after}."
        )
### END HIDDEN TESTS


# %%
best = top_k(restaurant_model["eat"], 5)
for word, p in best.items():
    print(f"eat {word:6} {p:.2f}, not {1 / len(best):.2f}  {'#' * round(60 * p)}")

# %% [markdown]
# The shares keep their ratios. It is a tempting shortcut to draw uniformly from the five best words instead, but then
# the model forgets what it has counted.
#
# When is it safe to let a model choose? Its **entropy** $H = -\sum_w P(w) \log_2 P(w)$ says how unsure it is of the
# next word: 0 bits if only one can follow, $\log_2 k$ bits for $k$ equally likely words. G. Durrett's lecture tests
# models with blanks. Which of these would be easier with two words of context?

# %%
blanks = {
    "i'm looking ___": "grammar",
    "tell me about chez ___": "a name",
    "less than ten ___": "sense",
    "is it open for ___": "sense",
    "do you have ___": "open",
    "tell me about ___": "open",
}


def entropy_after(context):
    """Bits of the next word after a context, a list of words, in the training text."""
    size = len(context)
    texts = [[*s, "</s>"] for s in train_sentences]
    found = Counter(
        text[i + size]
        for text in texts
        for i in range(len(text) - size)
        if text[i : i + size] == context
    )
    p = np.array(list(found.values())) / found.total()
    return (p * np.log2(1 / p)).sum()


# %%
bits, right_guess = [], []
for sentence in new_sentences:
    for w1, w2 in windows(sentence, 2):
        row = restaurant_model.get(w1, {"": 1.0})
        p = np.array(list(row.values()))
        bits.append(-(p * np.log2(p)).sum())
        right_guess.append(max(row, key=row.get) == w2)
groups = pd.DataFrame({"right": right_guess}).groupby(np.digitize(bits, range(1, 6)))
sure = groups["right"].agg(["mean", "count"])

# %%
for text, kind in blanks.items():
    one, two = (entropy_after(text.split()[:-1][-size:]) for size in (1, 2))
    print(f"{text:23} {kind:7}: {one:.1f} bits, with two words of context {two:.1f}")
_, axes = plt.subplots(figsize=(5, 2.7))
error = np.sqrt(sure["mean"] * (1 - sure["mean"]) / sure["count"])
axes.bar(sure.index, 100 * sure["mean"], yerr=200 * error, capsize=3)
axes.set_xticks(range(6), ["0-1", "1-2", "2-3", "3-4", "4-5", "5+"])
axes.set(xlabel="entropy, one word of context (bits)", ylabel="likeliest is right (%)")
plt.show()

# %% [markdown]
# In these six examples, one word of context is enough for grammar and for the name. Where sense decides, a second
# word helps most: less than 1 bit is left. The two open blanks stay less sure, although *do you have* gains from the
# second word, too. Six examples that somebody picked by hand are no rule, of course.
#
# The bars show all new sentences: the surer the model is, the more often its likeliest word is right. (The whiskers
# are two standard errors.)

# %% [markdown] statement="own_figure"
# #### A figure of your own
#
# Draw something about `train_sentences` that no figure of this chapter shows, with labelled axes. Below, in comments,
# write two sentences: what one sees, and what the figure cannot tell.

# %% written="own_figure" points=4 minutes=8
### BEGIN SOLUTION
# **Rubric.** 1 point: the cell runs and draws something that the chapter does not draw.
# 1 point: both axes say what they show, with the unit or what is counted. 1 point: the
# first sentence says what is to be seen, and it is true of this figure. 1 point: the
# second names a limit of this very figure (one made-up text, one order of the
# sentences, no spread, two causes at once). “More data would be better” fits any figure
# and earns nothing. A usual mistake: the sentence tells what was computed, not what
# came out.
#
# **Sample, 4 points.**
seen_words, growth = set(), []
for word in train_words:
    seen_words.add(word)
    growth.append(len(seen_words))
_, axes = plt.subplots(figsize=(5, 2.2))
axes.plot(range(1, len(growth) + 1), growth)
axes.set(xlabel="words read", ylabel="different words so far")
plt.show()
# The first 10,000 words bring more than half of all different ones (838 of 1,398), but
# the curve still rises at the end, so new text will hold words that we do not know. It
# is one made-up text in one order: how fast real speakers bring new words it cannot
# tell.
#
# **Sample, 2 points.** A bar chart of the ten most frequent words, without labels at
# the axes. “The most frequent words are i and to, each more than 2,000 times, then a
# with 1,403. More data would be better.” (Drawn: 1, what is to be seen: 1.)
#
# **Sample, 0 points.** The chapter's own bars of the mean count of a sentence by its
# length, copied, with the comment “I plotted the sentences with matplotlib.”
### END SOLUTION

# %% [markdown] statement="ngram_mle"
# ## 14. As much memory as you like
#
# Counting works with any $n$, the **order** of the model: divide the count of *visited San Francisco* by that of
# *visited San*. `ngram_mle(sentences, n)` returns the nested dict `model[context][word]`, where `context` is the
# tuple of the $n-1$ tokens before `word`, padded as in section 3. For $n = 1$ the only context is `()`. To cut
# sentences, call `windows(sentence, n)`, given above.

# %% [markdown] hints="ngram_mle"
# 1. What do bigrams and trigrams share? All but the last token is past.
# 2. A row counts what follows its context; then it is divided by its own sum. `windows` may help.
# 3. A context must be something that a dict can take as a key, and for $n = 1$ it is empty, but still a key. No row
#    can be divided before the last sentence is counted.


# %% task="ngram_mle" points=4 level=2 minutes=11
def ngram_mle(sentences, n):
    """model[context][word] = P(word | context), where context is a tuple of n - 1 tokens."""
    ### BEGIN SOLUTION
    counts = defaultdict(Counter)
    for sentence in sentences:
        for *context, word in windows(sentence, n):
            counts[tuple(context)][word] += 1
    return {
        context: {word: k / row.total() for word, k in row.items()}
        for context, row in counts.items()
    }
    ### END SOLUTION


# %% test="ngram_mle" aspect="two words of context" points=1
_visits = [
    "i visited san francisco",
    "we visited san francisco in may",
    "they visited san diego",
    "san jose is big",
]
_got = ngram_mle([line.split() for line in _visits], 3)
assert hasattr(_got, "keys"), f"Return a dict of dicts; yours: {_got!r}."
_row = _got.get(("visited", "san"))
assert hasattr(_row, "keys"), (
    f"model[('visited', 'san')] should be a dict; your contexts: {list(_got)[:3]}..."
)
assert set(_row) == {"francisco", "diego"}, (
    f"After `visited san` stand francisco and diego; yours: {dict(_row)}."
)
assert close(_row["francisco"], 2 / 3), (
    f"P(francisco | visited san) = 2/3; yours: {_row['francisco']}."
)
### BEGIN HIDDEN TESTS
_numbers = {word: random.randint(1, 4) for word in ("tea", "soup", "rice")}
_lines = [
    ["i", "like", word] for word, number in _numbers.items() for _ in range(number)
]
_lines += [["you", "like", "rice"], ["like", "tea", "i", "like"]]
random.shuffle(_lines)
_got = ngram_mle([list(line) for line in _lines], 3)
_row = _got.get(("i", "like")) if hasattr(_got, "keys") else None
assert hasattr(_row, "keys"), (
    f"model[('i', 'like')] should be a dict; your model: {_got!r}."
)
_wanted = [number / (sum(_numbers.values()) + 1) for number in (*_numbers.values(), 1)]
assert set(_row) == {*_numbers, "</s>"} and close(
    [_row[w] for w in (*_numbers, "</s>")], _wanted
), f"After `i like` stand {_numbers} and one end; yours: {_row}."
_after = arguments_after(ngram_mle, [list(line) for line in _lines], 3)[0]
assert [list(line) for line in _after] == _lines, "Leave `sentences` as they are."
### END HIDDEN TESTS

# %% test="ngram_mle" aspect="no past and all of it" points=1
_lines = [
    line.split()
    for line in (
        "a quick brown fox jumps",
        "a quick brown fox sleeps",
        "the brown fox jumps",
    )
]
_got = ngram_mle(_lines, 1)
assert hasattr(_got, "keys"), f"Return a dict of dicts; yours: {_got!r}."
_row = _got.get(())
assert hasattr(_row, "keys"), (
    f"For n = 1 the only context is (); yours: {list(_got)[:3]}."
)
assert close(_row.get("fox", 0), 3 / 17), (
    f"P(fox) = 3/17, `</s>` counted, `<s>` not; yours: {_row.get('fox')}."
)
### BEGIN HIDDEN TESTS
assert "<s>" not in _row and close(_row.get("</s>", 0), 3 / 17), (
    "`</s>` is predicted, `<s>` is given."
)
_got = ngram_mle(_lines, 7)
assert hasattr(_got, "keys"), f"Return a dict of dicts; yours: {_got!r}."
_row = _got.get(("<s>", "<s>", "a", "quick", "brown", "fox"), {})
assert close(_row.get("jumps", 0), 1 / 2), (
    f"After `a quick brown fox`, jumps once of 2 times; yours: {dict(_row)}."
)
_got = ngram_mle([["b", "b", "a"], [], ["b"]], 1)
assert hasattr(_got, "keys") and set(_got) == {()}, (
    f"For n = 1 the only context is (); yours: {_got!r}."
)
_value = [_got[()].get(word, 0) for word in ("a", "b", "</s>", "<s>")]
assert close(_value, [1 / 7, 3 / 7, 3 / 7, 0]), (
    f"`b b a`, an empty sentence and `b`: 7 tokens with three ends; yours: {_got[()]}."
)
### END HIDDEN TESTS

# %% test="ngram_mle" aspect="starts and ends of sentences" points=1
_got = ngram_mle([["no", "tea"], ["no"]], 3)
assert hasattr(_got, "keys"), f"Return a dict of dicts; yours: {_got!r}."
assert set(_got) == {("<s>", "<s>"), ("<s>", "no"), ("no", "tea")}, (
    f"`no tea` and `no` have the contexts `<s> <s>`, `<s> no`, `no tea`; yours: {list(_got)}."
)
assert dict(_got["<s>", "no"]) == {"tea": 0.5, "</s>": 0.5}, (
    f"After `<s> no`: tea or the end; yours: {_got['<s>', 'no']}."
)
### BEGIN HIDDEN TESTS
for _n in (2, 4, 5):
    _starts = [("<s>",) * (_n - 1), ("<s>",) * (_n - 2) + ("or",)]
    _got = ngram_mle([["or"], [], ["or"], ["or"]], _n)
    assert hasattr(_got, "keys") and set(_got) == set(_starts), (
        f"n = {_n}: `or` and an empty sentence have the contexts {_starts}; yours: {_got!r}."
    )
    _row = _got[_starts[0]]
    assert close([_row.get("or"), _row.get("</s>")], [3 / 4, 1 / 4]), (
        f"n = {_n}: an empty sentence has one n-gram, with `</s>`; yours: {_row}."
    )
    assert close(_got[_starts[1]].get("</s>"), 1), (
        f"n = {_n}: `or` always ends; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="ngram_mle" aspect="every row sums to one" points=1
_got = ngram_mle([["a", "b"], ["a", "a", "b"], ["b"]], 2)
assert hasattr(_got, "keys") and _got, f"Return a dict of dicts; yours: {_got!r}."
for _context, _row in _got.items():
    assert hasattr(_row, "keys"), (
        f"model[{_context!r}] should be a dict; yours: {_row!r}."
    )
    assert close(sum(_row.values()), 1), (
        f"The row of {_context!r} sums to {sum(_row.values()):.3f}."
    )
### BEGIN HIDDEN TESTS
for _n in (1, 2, 3, 4):
    _text = [[], *(random.choices("abc", k=random.randint(0, 6)) for _ in range(20))]
    _got = ngram_mle([list(sentence) for sentence in _text], _n)
    assert hasattr(_got, "keys"), f"Return a dict of dicts; yours: {_got!r}."
    _starts = [
        "".join(["^"] * (_n - 1) + s + ["$"])[i : i + _n]
        for s in _text
        for i in range(len(s) + 1)
    ]
    for _gram in set(_starts):
        _names = [{"^": "<s>", "$": "</s>"}.get(letter, letter) for letter in _gram]
        _wanted = _starts.count(_gram) / sum(
            other[:-1] == _gram[:-1] for other in _starts
        )
        _value = _got.get(tuple(_names[:-1]), {}).get(_names[-1], 0)
        assert close(_value, _wanted), (
            f"n = {_n}: P({_names[-1]} | {_names[:-1]}) is {_value} on a random text."
        )
    _contexts = len({gram[:-1] for gram in _starts})
    assert len(_got) == _contexts, (
        f"n = {_n}: {_contexts} contexts occur; yours has {len(_got)}."
    )
### END HIDDEN TESTS


# %% [markdown]
# Does memory pay? For $n = 1, 2, 3$ we draw 200 sentences, five times. How many of their trigrams does the training
# text hold, and what is each model's perplexity on it?


# %%
def draw(model, n, dart):
    """One sentence from an n-gram model."""
    tokens = ["<s>"] * (n - 1)
    while "</s>" not in tokens and len(tokens) < 1000:
        tokens.append(sample(model[tuple(tokens[len(tokens) - n + 1 :])], dart))
    return tokens[n - 1 : -1]


# %%
heard = {gram for sentence in train_sentences for gram in ngrams(sentence, 3)}
for n in (1, 2, 3):
    model = ngram_mle(train_sentences, n)
    logs = [
        math.log2(model[gram[:-1]][gram[-1]])
        for sentence in train_sentences
        for gram in ngrams(sentence, n)
    ]
    shares = []
    for seed in range(5):
        throw = random.Random(seed).random
        drawn = [draw(model, n, throw) for _ in range(200)]
        shares.append(np.mean([g in heard for s in drawn for g in ngrams(s, 3)]))
    print(
        f"n = {n}: perplexity {perplexity(logs, 2):.1f}, trigrams known "
        f"{min(shares):.0%} to {max(shares):.0%}:",
        *max(drawn[:5], key=len),
    )

# %% [markdown]
# On the text that was counted, memory pays. (The 100 % at $n = 3$ is no merit: a trigram model can only write
# trigrams that it has seen. And on the new sentences, bigrams and trigrams both have perplexity ∞.)
#
# So why not remember five words? With a vocabulary of $V$ words there are $V^n$ possible
# n-grams, and a text shows only a few.

# %% [markdown] statement="unseen_share"
# ## 15. The price of a longer memory
#
# `unseen_share(train_sentences, test_sentences, n)`: of all n-grams in the test sentences, which share never occurs in
# the training sentences? Count *tokens*: an n-gram that stands twice in the test text counts twice. Pad as before:
# $n - 1$ symbols `<s>` in front, one `</s>` at the end; `windows` does that.

# %% [markdown] hints="unseen_share"
# 1. For n = 1 this is the share of unknown words (with the ends of sentences in the total).
# 2. Order and number matter on the test side, only presence matters on the training side: which containers fit these
#    two needs?
# 3. A test n-gram that comes three times is asked about three times, so nothing may be merged on that side; on the
#    other, asking "is it there?" must stay quick for 60,000 n-grams. The share is a mean of yes and no.


# %% task="unseen_share" points=3 level=2 minutes=8
def unseen_share(train_sentences, test_sentences, n):
    """Share of the n-gram tokens of the test sentences that the training sentences do not hold."""
    ### BEGIN SOLUTION
    seen = {gram for sentence in train_sentences for gram in windows(sentence, n)}
    asked = [gram for sentence in test_sentences for gram in windows(sentence, n)]
    return sum(gram not in seen for gram in asked) / len(asked)
    ### END SOLUTION


# %% test="unseen_share" aspect="tokens, not types" points=1
_share = unseen_share([["a", "b"]], [["a", "c", "c", "c"]], 1)
assert is_number(_share), f"Return a number; yours returned {_share!r}."
assert close(_share, 3 / 5), (
    f"a, c, c, c and `</s>` are five tokens, three of them unseen: 0.6. Yours: {_share:.3f}."
)
### BEGIN HIDDEN TESTS
for _train, _test, _n, _wanted, _why in (
    ("a b", "c c a/c c", 1, 4 / 7, "`c` stands four times among seven tokens"),
    ("c b", "a c b/a c", 2, 5 / 7, "`<s> a` and `a c` count twice, `c </s>` once"),
    ("no tea", "No tea", 1, 1 / 3, "`No` is not `no`"),
    ("ab c", "a bc", 2, 1, "`a bc` is not `ab c`"),
    ("a bb", "ab b", 3, 1, "`ab b` is not `a bb`"),
):
    _lines = [[line.split() for line in text.split("/")] for text in (_train, _test)]
    _share = unseen_share(*_lines, _n)
    assert close(_share, _wanted, rtol=1e-5), (
        f"Train `{_train}`, test `{_test}`, n = {_n}: {_why}; yours: {_share!r}."
    )
_after = arguments_after(unseen_share, [["a"], ["b"]], [["b", "c"]], 3)
assert [list(line) for line in _after[0]] == [["a"], ["b"]], (
    "Leave the training sentences as they are."
)
assert [list(line) for line in _after[1]] == [["b", "c"]], (
    "Leave the test sentences as they are."
)
### END HIDDEN TESTS

# %% test="unseen_share" aspect="padding at both ends" points=1
_share = unseen_share([["a", "b"]], [["b", "a"]], 2)
assert is_number(_share), f"Return a number; yours returned {_share!r}."
assert close(_share, 1), (
    f"`<s> b`, `b a`, `a </s>` are all unseen: 1. Yours: {_share:.3f}."
)
_share = unseen_share([["a", "b"]], [["a", "c"]], 3)
assert close(_share, 2 / 3), (
    f"For n = 3 a sentence of 2 words has 3 trigrams; two are unseen here. Yours: {_share:.3f}."
)
### BEGIN HIDDEN TESTS
for _train, _test, _n, _wanted in (
    ([["a"]], [["a"]], 5, 0),
    ([["a"]], [["b"]], 5, 1),
    ([["a", "b"]], [["a"], ["a", "b", "b"]], 4, 3 / 6),
    ([["a"]], [[], ["a"]], 3, 1 / 3),
    ([[], ["a"]], [[]], 2, 0),
):
    _share = unseen_share(_train, _test, _n)
    assert close(_share, _wanted, rtol=1e-5), (
        f"Train {_train}, test {_test}, n = {_n}: {_wanted:.3f} are new; yours: {_share!r}."
    )
### END HIDDEN TESTS

# %% test="unseen_share" aspect="right share for every n" points=1
_train, _test = [["a", "b", "a"], ["b"]], [["a", "b", "b"], ["b", "a"]]
_shares = [unseen_share(_train, _test, n) for n in (1, 2, 3)]
assert all(is_number(s) for s in _shares), f"Return numbers: {_shares}."
assert close(_shares, [0, 1 / 7, 3 / 7]), (
    f"Train `a b a` and `b`, test `a b b` and `b a`: the shares are 0, 1/7, 3/7; yours: {_shares}."
)
### BEGIN HIDDEN TESTS
_text = [random.choices("abcd", k=random.randint(1, 7)) for _ in range(60)]
_train, _test = _text[:30], _text[30:]
for _n in range(1, 6):
    _known, _hits = set(), []
    for _number, _s in enumerate(_text):
        for _end in range(len(_s) + 1):
            _gram = " ".join((["<s>"] * _n + _s + ["</s>"])[_end + 1 : _end + 1 + _n])
            _known.add(_gram) if _number < 30 else _hits.append(_gram not in _known)
    _share = unseen_share(_train, _test, _n)
    assert close(_share, np.mean(_hits), rtol=1e-5), (
        f"On a random text, n = {_n}: yours is {_share!r}, not {np.mean(_hits):.3f}."
    )
### END HIDDEN TESTS


# %% [markdown]
# We measure this on three texts: our restaurant sentences, the reference manual of Python, and stories in the
# *kitchen* language, which was made up for this course. We train on 40,000 words of each text, and for the kitchen
# stories also on 400,000. What do you expect of ten times as much text?

# %%
import re
from pydoc_data.topics import topics

from lmkit import kitchen

paragraphs = [part for text in topics.values() for part in text.split("\n\n")]
reference = [re.findall("[a-z]+", part.lower()) for part in paragraphs]
stories = [story.tokens for story in kitchen.documents(tokens=460_000, seed=5)]
texts = {
    "restaurant": (everything, 40_000),
    "Python reference": ([part for part in reference if len(part) > 3], 40_000),
    "kitchen": (stories, 40_000),
    "kitchen, ten times": (stories, 400_000),
}


def cut(sentences, words):
    """The first sentences, with so many words and ends together, and the others."""
    ends = np.cumsum([len(sentence) + 1 for sentence in sentences])
    place = int(np.searchsorted(ends, words))
    return sentences[:place], sentences[place:]


# %%
orders, never = range(1, 6), {name: [] for name in texts}
for name, (text, words) in texts.items():
    for seed in range(3):
        mixed = random.Random(seed).sample(text, len(text))
        learned, rest = cut(mixed, words)
        known = set(map(tuple, learned))
        asked = [
            sentence for sentence in cut(rest, 8_000)[0] if tuple(sentence) not in known
        ]
        never[name].append([unseen_share(learned, asked, n) for n in orders])

# %%
_, axes = plt.subplots()
for (name, found), style in zip(never.items(), ("o-", "s--", "^-", "v:"), strict=True):
    middle, low, high = np.mean(found, 0), np.min(found, 0), np.max(found, 0)
    axes.errorbar(orders, middle, [middle - low, high - middle], fmt=style, label=name)
axes.set(xlabel="n (tokens in an n-gram)", ylabel="share of n-grams never seen")
axes.set(xticks=orders, ylim=(0, 1))
axes.legend(fontsize=9)
plt.show()

# %%
V = len(set(train_words))
types = [len({g for s in train_sentences for g in windows(s, n)}) for n in orders]
for n, found in zip(orders, types, strict=True):
    print(f"n = {n}: {V**n:.0e} possible, {found:6,} in 8,300 sentences")

# %% [markdown]
# In every text, the longer the n-gram, the more likely it is new. The highest line is that of Python's manual. It is
# the only one of the three texts that people wrote, but it is also the only manual, so the figure cannot say which of
# the two is the reason.
#
# Ten times as much text leaves about 4 % of the kitchen's bigrams new, but over 60 % of its 5-grams. (Three splits;
# the whiskers are hardly longer than the marks.)
#
# Each word of memory multiplies the possible n-grams by $V$, here some
# 1,400, and those in our text by 4.5, 1.9, 1.4 and 1.2.
#
# A context gets rare as it grows:

# %%
past = ["want", "to", "go", "to"]
contexts = [past[-k:] for k in range(1, 5)]
durrett = (1_000_000, 50_000, 1_500, 100)
for c, there in zip(contexts, durrett, strict=True):
    here = sum(s[i : i + len(c)] == c for s in everything for i in range(len(s)))
    print(f"{' '.join(c):13} {here:5,} times here, {there:9,} on G. Durrett's slide")

# %% [markdown]
# <details><summary>A slip in the printed slides: the large list of 2006</summary>
#
# Google's counts of 2006 hold 13.6 million words and 3.8 billion n-grams ($n$ from 1 to 5, each met 40 times or more).
# G. Durrett's slide has 2008, 1.3 million and 4 billion.
#
# </details>

# %% [markdown]
# ## How much text does a memory need?
#
# To measure long memories on new text, something must fill the zeros. Here is a stopgap, with
# $h$ for a context and $h'$ for $h$ without its first word:
#
# $$P(w \mid h) = \frac{c(hw) + 5\,P(w \mid h')}{c(h) + 5}.$$
#
# If the context was seen often, its own counts decide nearly alone. If it was rare, the estimate leans on the shorter
# context, and the shortest one, which is empty, leans on the uniform distribution.
#
# The kitchen language was generated, so the perplexity of the truth itself is known, the **floor**. What
# do you expect of $n = 2$ and $n = 5$ with little text, and with much?


# %%
class Mixture:
    """An n-gram model that also asks shorter contexts, so that nothing is impossible."""

    def __init__(self, sentences, n, V):
        self.n, self.V = n, V
        orders = range(1, n + 1)
        self.c = Counter(g for s in sentences for m in orders for g in windows(s, m))
        for gram, count in list(self.c.items()):
            self.c["context", gram[:-1]] += count

    def p(self, gram):
        """P(the last token of an n-gram | those before it)."""
        p = 1 / self.V
        for start in reversed(range(self.n)):
            seen = self.c["context", gram[start:-1]]
            p = (self.c[gram[start:]] + 5 * p) / (seen + 5)
        return p

    def log2(self, sentence):
        """The logarithms, to base 2, of a sentence's factors."""
        return [math.log2(self.p(gram)) for gram in windows(sentence, self.n)]


# %%
asked = lmkit.load("kitchen").splits["valid"]
floor = lmkit.load("kitchen").floor("valid").perplexity
V_kitchen = len({word for story in stories + asked for word in story}) + 1
sizes, memories, pp = (5_000, 15_000, 50_000, 150_000), (2, 3, 5), defaultdict(list)
rest = stories
for _ in range(3):
    own, rest = cut(rest, max(sizes) + 500)
    for size in sizes:
        model = Mixture(cut(own, size)[0], max(memories), V_kitchen)
        for model.n in memories:
            logs = [log for story in asked[:60] for log in model.log2(story)]
            pp[model.n, size].append(2 ** -np.mean(logs))

# %%
columns = [f"{size:,}" for size in sizes]
spans = [
    [f"{min(pp[n, size]):.1f}-{max(pp[n, size]):.1f}" for size in sizes]
    for n in memories
]
print(pd.DataFrame(spans, [f"n = {n}" for n in memories], columns).to_string())
print(f"floor: {floor:.1f}")
_, axes = plt.subplots(figsize=(5.4, 2.6))
axes.axhline(1, color="black", linewidth=1, label="n = 2")
for n, style in ((3, "s--"), (5, "v:")):
    ratio = np.array([np.divide(pp[n, size], pp[2, size]) for size in sizes])
    middle, low, high = ratio.mean(1), ratio.min(1), ratio.max(1)
    spread = [middle - low, high - middle]
    axes.errorbar(sizes, middle, spread, fmt=style, capsize=3, label=f"n = {n}")
axes.set(xlabel="training words (log scale)", ylabel="perplexity / that of n = 2")
axes.set(xscale="log", xticks=sizes, xticklabels=columns)
axes.minorticks_off()
axes.legend()
plt.show()

# %% [markdown]
# Every memory gains from more text (table: perplexity on new stories), and all stay far above the floor. The figure
# divides each perplexity by that of $n = 2$ from the same text. With 5,000 words the longest memory is the worst.
# From 15,000 on, $n = 3$ beats $n = 2$; $n = 5$ draws level at 50,000, and is far behind $n = 3$ at 150,000: with
# this stopgap, a long memory needs much text before it pays. (Three texts; whiskers from lowest to highest.)

# %% [markdown]
# ## 16. Ask the middle word
#
# A bigram model drew this, on a slide of B. Muller's: *new car parking lot of the*. Each word fits its neighbour, but
# *new* had no say about *parking*. Such a model claims: **given the middle word, the words before and after it are
# independent.** Is that true of texts?
#
# Count how often each word $x$ before a middle word meets each word $y$ after it. If the two were independent, a
# pair's share would be the product of the two words' shares. With $N$ places in all, we then expect the count
#
# $$E(x, y) = N \cdot \frac{c(x)}{N} \cdot \frac{c(y)}{N} = \frac{c(x)\,c(y)}{N},$$
#
# where $c(x)$ is the total of row $x$ and $c(y)$ that of column $y$.

# %% [markdown] statement="middle_word"
# Write
#
# - `triple_table(sentences, middle)`: a dict `{(before, after): count}` over all places where the word `middle`
#   stands, each sentence padded with one `<s>` and one `</s>`;
# - `expected_counts(table)`: from such a dict, the dict of $E$ for *every* `before` of the table with *every* `after`.

# %% [markdown] hints="middle_word"
# 1. In a table of cats and dogs by black and white, how many black cats do you expect if colour has nothing to do with
#    kind?
# 2. A pair that never occurred has count 0, but an expected count above 0: it belongs in the answer.
# 3. A place of `middle` may be the first or the last of a sentence, and two places may share a word: every place
#    counts by itself. For E, which totals does one cell need, and which can be collected before you visit any cell?


# %% task="middle_word" points=4 level=3 minutes=17
def triple_table(sentences, middle):
    """{(before, after): count} for the places where the word `middle` stands."""
    ### BEGIN SOLUTION
    table = Counter()
    for sentence in sentences:
        padded = ["<s>", *sentence, "</s>"]
        for before, word, after in zip(padded, padded[1:], padded[2:], strict=False):
            if word == middle:
                table[before, after] += 1
    return table
    ### END SOLUTION


def expected_counts(table):
    """{(before, after): expected count if before and after are independent}."""
    ### BEGIN SOLUTION
    rows, columns = Counter(), Counter()
    for (before, after), count in table.items():
        rows[before] += count
        columns[after] += count
    return {(b, a): rows[b] * columns[a] / rows.total() for b in rows for a in columns}
    ### END SOLUTION


# %% test="middle_word" aspect="triples are counted" points=1
_table = triple_table(
    [["spend", "it", "on", "lunch"], ["go", "on", "foot"], ["go", "on", "foot"]], "on"
)
assert hasattr(_table, "keys"), (
    f"Return a dict (before, after) -> count, not {_table!r}."
)
assert dict(_table) == {("it", "lunch"): 1, ("go", "foot"): 2}, (
    f"Three places; yours: {dict(_table)}."
)
### BEGIN HIDDEN TESTS
_text = [[], ["b"], list("abcabc")]  # in the last one the same triple twice
_text += [random.choices("abc", k=random.randint(3, 9)) for _ in range(40)]
_table = triple_table([list(sentence) for sentence in _text], "b")
_padded = ["^" + "".join(sentence) + "$" for sentence in _text]
_wanted = Counter(
    line[i - 1] + line[i + 1]
    for line in _padded
    for i in range(len(line))
    if line[i] == "b"
)
_names = {"^": "<s>", "$": "</s>"}
_wanted = {
    tuple(_names.get(sign, sign) for sign in pair): count
    for pair, count in _wanted.items()
}
assert hasattr(_table, "keys") and dict(_table) == _wanted, (
    f"Around `b`, a random text has other pairs than your table {_table!r}."
)
_text = [["go", "on"], ["on", "to"]]
_after = arguments_after(triple_table, [list(sentence) for sentence in _text], "on")[0]
assert [list(sentence) for sentence in _after] == _text, (
    "Leave `sentences` as they are."
)
### END HIDDEN TESTS

# %% test="middle_word" aspect="edges and repeated words" points=1
_table = triple_table([["on", "on", "on"]], "on")
assert hasattr(_table, "keys"), (
    f"Return a dict (before, after) -> count, not {_table!r}."
)
_wanted = {("<s>", "on"): 1, ("on", "on"): 1, ("on", "</s>"): 1}
assert dict(_table) == _wanted, (
    f"`on on on` has three places, the edges count: {dict(_table)}."
)
### BEGIN HIDDEN TESTS
for _text, _wanted in (
    ("a b a b a", {("a", "a"): 2}),
    ("b a c b", {("<s>", "a"): 1, ("c", "</s>"): 1}),
    ("b", {("<s>", "</s>"): 1}),
    (
        "b b a b a b b",
        {
            ("<s>", "b"): 1,
            ("b", "a"): 1,
            ("a", "a"): 1,
            ("a", "b"): 1,
            ("b", "</s>"): 1,
        },
    ),
    ("bb abc B", {}),
):
    _table = triple_table([_text.split()], "b")
    assert hasattr(_table, "keys") and dict(_table) == _wanted, (
        f"In `{_text}` each place of `b` counts: {_wanted}; yours: {_table!r}."
    )
_text = [random.choices("abc", k=random.randint(1, 9)) for _ in range(40)]
_table = triple_table(_text, "b")
_places = sum(sentence.count("b") for sentence in _text)
assert sum(_table.values()) == _places, (
    f"`b` stands in {_places} places of a random text; your counts sum to {sum(_table.values())}."
)
### END HIDDEN TESTS

# %% test="middle_word" aspect="row total times column total" points=1
_table = {("x", "u"): 10, ("x", "v"): 20, ("y", "u"): 30, ("y", "v"): 40}
_expected = expected_counts(_table)
assert hasattr(_expected, "keys"), (
    f"Return a dict (before, after) -> number, not {_expected!r}."
)
assert close(_expected.get(("x", "u"), 0), 12), (
    f"Rows 30, 70; columns 40, 60; total 100: E(x, u) = 12, yours is {_expected.get(('x', 'u'))}."
)
### BEGIN HIDDEN TESTS
for _befores, _afters in (("uvw", "abcd"), ("abc", "cade"), ("abcde", "ba")):
    _cells = np.random.default_rng().integers(1, 50, size=(len(_befores), len(_afters)))
    _pairs = [(before, after) for before in _befores for after in _afters]
    _table = dict(zip(_pairs, _cells.ravel().tolist(), strict=True))
    _right = np.outer(_cells.sum(1), _cells.sum(0)) / _cells.sum()
    _expected = expected_counts(dict(_table))
    assert hasattr(_expected, "keys"), (
        f"Return a dict (before, after) -> number, not {_expected!r}."
    )
    assert close(
        [_expected.get(pair, 0) for pair in _pairs], _right.ravel(), rtol=1e-5
    ), "Wrong on a random table (where a word may stand both before and after)."
_after = arguments_after(expected_counts, dict(_table))[0]
assert dict(_after) == _table, "Leave `table` as it is: your function changes it."
### END HIDDEN TESTS

# %% test="middle_word" aspect="combinations never seen" points=1
_expected = expected_counts({("spend", "lunch"): 6, ("open", "friday"): 4})
assert hasattr(_expected, "keys"), (
    f"Return a dict (before, after) -> number, not {_expected!r}."
)
assert len(_expected) == 4, (
    f"2 befores x 2 afters are 4 combinations; yours has {len(_expected)}."
)
_value = _expected.get(("spend", "friday"))
assert is_number(_value) and close(_value, 2.4), (
    f"E(spend, friday) = 6 · 4 / 10 = 2.4; yours is {_value}."
)
### BEGIN HIDDEN TESTS
_a, _b, _c = random.sample(range(2, 20), 3)
_table = {
    ("go", "foot"): _a,
    ("foot", "go"): _b,
    ("go", "</s>"): _c,
    ("<s>", "foot"): _b,
}
_expected = expected_counts(dict(_table))
assert hasattr(_expected, "keys"), (
    f"Return a dict (before, after) -> number, not {_expected!r}."
)
_rows, _columns = (
    {"go": _a + _c, "foot": _b, "<s>": _b},
    {"foot": _a + _b, "go": _b, "</s>": _c},
)
_wanted = {
    (x, y): _rows[x] * _columns[y] / (_a + 2 * _b + _c) for x in _rows for y in _columns
}
assert set(_expected) == set(_wanted), (
    f"Every before with every after, and no others: 9; yours: {list(_expected)}."
)
assert close(
    [_expected[pair] for pair in _wanted], list(_wanted.values()), rtol=1e-5
), f"Pairs that were never seen are expected, too; yours: {_expected}."
_rare = {("go", "on"): 1, ("on", "go"): 1, ("by", "go"): 8, ("go", "by"): 8}
_found = expected_counts(dict(_rare))
assert len(_found) == 9, (
    f"`go`, `on`, `by` each before `go`, `on`, `by`, however rarely: 9; yours: {list(_found)}."
)
for _kind in (Counter, dict):
    _after = arguments_after(expected_counts, _kind(_table))[0]
    assert dict(_after) == _table, (
        f"Leave `table` as it is, also where it lacks a combination; now: {_after}."
    )
_after = arguments_after(expected_counts, defaultdict(int, _table))[0]
assert dict(_after) == _table, (
    f"A look-up made `table`, a defaultdict, grow: {set(_after) - set(_table)}."
)
_table = {("a", "x"): _a, ("a", "y"): 0, ("b", "x"): 0, ("b", "z"): _b}
_table |= {("c", "x"): 0, ("a", "z"): _c}  # c and y have zeros only
_rows, _columns = {"a": _a + _c, "b": _b, "c": 0}, {"x": _a, "y": 0, "z": _b + _c}
_wanted = {
    (x, y): _rows[x] * _columns[y] / (_a + _b + _c) for x in _rows for y in _columns
}
_expected = expected_counts(dict(_table))
assert hasattr(_expected, "keys") and set(_expected) == set(_wanted), (
    f"A before or after that has only zeros belongs to {_table}, too: 9 combinations; "
    f"yours: {_expected!r}."
)
assert close(
    [_expected[pair] for pair in _wanted], list(_wanted.values()), rtol=1e-5
), f"In {_table} stand zeros; you expect {_expected}."
### END HIDDEN TESTS


# %% [markdown]
# What follows *for*, after *looking* and after *open*? We compare our sentences with ten texts drawn by their bigram
# model.

# %%
from itertools import accumulate

rows = {
    word: (list(row), list(accumulate(row.values())))
    for word, row in restaurant_model.items()
}


def babble(rng):
    """One sentence drawn from the bigram model, quickly."""
    words = ["<s>"]
    while words[-1] != "</s>":
        following, ends = rows[words[-1]]
        words += rng.choices(following, cum_weights=ends)
    return words[1:-1]


babbled = [
    [babble(generator) for _ in train_sentences]
    for generator in map(random.Random, range(10))
]
print(" / ".join(" ".join(sentence) for sentence in babbled[0][:3]))

# %%
tables = [triple_table(source, "for") for source in (train_sentences, *babbled)]
lunch = {}
for before in ("looking", "open"):
    both = [
        [table.get((before, after), 0) for after in ("a", "lunch")] for table in tables
    ]
    lunch[before] = [
        100 * with_lunch / (with_a + with_lunch) for with_a, with_lunch in both
    ]
for before, (ours, *drawn) in lunch.items():
    print(
        f"“lunch”, not “a”, after “{before} for”: our sentences {ours:.0f} %,",
        f"drawn by the model {min(drawn):.0f} to {max(drawn):.0f} %",
    )

# %% [markdown]
# Where our sentences go on with *lunch* or *a*, it is always *lunch* after *open for*, and nearly always *a* after
# *looking for*. In the texts that the model drew, the two cases differ by no more than chance (we print the lowest
# and the highest of ten texts). At *for* the model has already forgotten which of the two it said: one word of memory
# cannot carry *open* past *for*.

# %% [markdown]
# ## 17. How much does one word tell about another?
#
# One number for a whole table is the **mutual information**
#
# $$I = \sum_{x, y} \frac{c(x, y)}{N} \log_2 \frac{c(x, y)}{E(x, y)} = \sum_{x, y} p(x, y) \log_2 \frac{p(y \mid x)}{p(y)}.$$
#
# The two forms are the same: divide both counts by $N$, and $E / N = p(x)\,p(y)$, while
# $p(x, y) / p(x) = p(y \mid x)$. Read the second one. Its fraction says how many times more likely $y$ is once $x$ is
# known, and $I$ is the mean of the logarithm of this, in bits.
#
# Can knowing $x$ do harm? On average it cannot. The inequality of section 6, with $q = E / N$, says that $I$ is never
# below 0. It is 0 only if $c = E$ in every cell, and then $x$ tells nothing about $y$.
#
# We can also ask how *far* the influence of a word reaches: let $y$ be the word two, three or more places after $x$,
# and measure $I$ again.

# %% [markdown] statement="information"
# Write
#
# - `pairs_apart(sentences, gap)`: a dict `{(x, y): count}` over all pairs of places of one sentence where $y$ stands
#   `gap` places after $x$ (`gap=1`: neighbours), without padding;
# - `mutual_information(table)`: $I$ in bits, from a dict `{(x, y): count}`. Cells with the count 0 add nothing.

# %% [markdown] hints="information"
# 1. What is $I$ for two fair coins that always agree, and for two that have nothing to do with one another?
# 2. The sum needs three totals for each cell: its row's, its column's and everything. Section 16 had them all.
# 3. Words that can stand on both sides are two different things here, one as $x$ and one as $y$. And a sentence
#    shorter than the gap has no pair at all: no rule for it is needed if pairs are formed from two places that both
#    exist.


# %% task="information" points=4 level=3 minutes=15
def pairs_apart(sentences, gap):
    """{(x, y): count} for words y that stand `gap` places after x in the same sentence."""
    ### BEGIN SOLUTION
    return Counter(
        pair
        for sentence in sentences
        for pair in zip(sentence, sentence[gap:], strict=False)
    )
    ### END SOLUTION


def mutual_information(table):
    """The mutual information, in bits, of the two sides of {(x, y): count}."""
    ### BEGIN SOLUTION
    rows, columns = Counter(), Counter()
    for (x, y), count in table.items():
        rows[x] += count
        columns[y] += count
    N = rows.total()
    return sum(
        count / N * math.log2(count * N / (rows[x] * columns[y]))
        for (x, y), count in table.items()
        if count > 0
    )
    ### END SOLUTION


# %% test="information" aspect="pairs at a distance" points=1
_got = pairs_apart([["no", "tea", "no", "tea"], ["tea", "no"], ["no", "no", "no"]], 2)
assert hasattr(_got, "keys"), f"Return a dict (x, y) -> count; yours: {_got!r}."
assert dict(_got) == {("no", "no"): 2, ("tea", "tea"): 1}, (
    f"Two places apart are `no … no` twice and `tea … tea`; yours: {dict(_got)}."
)
### BEGIN HIDDEN TESTS
_text = [random.choices("abc", k=_length) for _length in (0, 1, 2, 3, 5, 9, 30)]
random.shuffle(_text)
for _gap in (1, 2, 3, 4, 7):
    _wanted = Counter()
    for _sentence in _text:
        for _i in range(_gap, len(_sentence)):
            _wanted[_sentence[_i - _gap], _sentence[_i]] += 1
    _got = pairs_apart([list(sentence) for sentence in _text], _gap)
    assert hasattr(_got, "keys"), f"Return a dict (x, y) -> count; yours: {_got!r}."
    _got = {pair: count for pair, count in _got.items() if count}
    assert _got == dict(_wanted), (
        f"gap = {_gap}: in a random text you count {_got}, not {dict(_wanted)}. "
        "(No pair crosses from one sentence to the next.)"
    )
_got = pairs_apart([["a", "b"], ["c"], []], 2)
assert hasattr(_got, "keys") and not any(_got.values()), (
    f"No sentence here has two places that are 2 apart; yours: {_got!r}."
)
_after = arguments_after(pairs_apart, [list(sentence) for sentence in _text], 2)[0]
assert [list(sentence) for sentence in _after] == _text, (
    "Leave `sentences` as they are."
)
### END HIDDEN TESTS

# %% test="information" aspect="bits of a table" points=2
_got = mutual_information({("a", "u"): 3, ("b", "v"): 3})
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 1), (
    f"x is a or b, equally often, and y is then certain: I = 1 bit; yours: {_got:.4f}."
)
### BEGIN HIDDEN TESTS
_tables = [
    (("abc", "uv"), 9),
    (("ab", "abcd"), 40),
    (("abcde", "edcba"), 5),
    (("a", "uv"), 7),
]
for (_xs, _ys), _most in _tables:
    _cells = np.random.default_rng().integers(1, _most, (len(_xs), len(_ys)))
    _pairs = [(x, y) for x in _xs for y in _ys]
    _table = dict(zip(_pairs, _cells.ravel().tolist(), strict=True))
    _p = _cells / _cells.sum()
    _entropies = [-(p * np.log2(p)).sum() for p in (_p.sum(1), _p.sum(0), _p)]
    _wanted = _entropies[0] + _entropies[1] - _entropies[2]
    _got = mutual_information(dict(_table))
    assert close(_got, _wanted, rtol=1e-5, atol=1e-8), (
        f"{_table}: I = H(x) + H(y) - H(x, y) = {_wanted:.5f} bits; yours: {_got!r}."
    )
    _got = mutual_information({pair: 1000 * count for pair, count in _table.items()})
    assert close(_got, _wanted, rtol=1e-5, atol=1e-8), (
        f"A thousand times as much of the same tells as much, {_wanted:.5f}; yours: {_got!r}."
    )
for _number in (4, 8):
    _same = {(word, word): 5 for word in "abcdefgh"[:_number]}
    _got = mutual_information(_same)
    assert close(_got, math.log2(_number)), (
        f"{_number} words, each always with itself: {math.log2(_number):.0f} bits; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="information" aspect="zeros and independence" points=1
_got = mutual_information({("a", "u"): 2, ("a", "v"): 4, ("b", "u"): 1, ("b", "v"): 2})
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 0), (
    f"Both rows are divided 1 : 2, so x tells nothing; yours: {_got:.4f}."
)
### BEGIN HIDDEN TESTS
for _table, _wanted in (
    ({("a", "u"): 3, ("a", "v"): 0, ("b", "u"): 0, ("b", "v"): 3}, 1),
    ({("a", "u"): 3, ("b", "v"): 0, ("c", "w"): 3}, 1),
    ({("a", "u"): 4, ("b", "u"): 0}, 0),
    ({("a", "a"): 7}, 0),
    (
        {("a", "u"): 1, ("a", "v"): 1, ("b", "u"): 2},
        0.25 + 0.25 * math.log2(2 / 3) + 0.5 * math.log2(4 / 3),
    ),
):
    for _kind in ({}, Counter(), defaultdict(int)):
        _got = mutual_information(_kind | _table)
        assert close(_got, _wanted, rtol=1e-5, atol=1e-8), (
            f"{_table}: {_wanted:.4f} bits; a cell with 0 adds nothing. Yours: {_got!r}."
        )
        _after = arguments_after(mutual_information, _kind | _table)[0]
        assert dict(_after) == _table, f"Leave `table` as it is; now: {dict(_after)}."
_rows, _columns = (random.sample(range(1, 30), k=4) for _ in range(2))
_table = {(f"x{a}", f"y{b}"): a * b for a in _rows for b in _columns}
_got = mutual_information(dict(_table))
assert close(_got, 0, atol=1e-7), (
    f"Every count is the product of its row's and column's share: 0 bits; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% [markdown]
# In a short text, words pair up by luck, and luck looks like information. To see how much, pair the same words at
# random, where no $x$ can tell anything, and compute $I$ again.


# %%
def by_luck(table, seed):
    """The same words on both sides, but paired at random."""
    pairs = [pair for pair, count in table.items() for _ in range(count)]
    first, second = zip(*pairs, strict=True)
    return Counter(
        zip(first, random.Random(seed).sample(second, len(second)), strict=True)
    )


for name, sources in (
    ("our sentences", tables[:1]),
    ("drawn by the model", tables[1:]),
):
    real = [mutual_information(table) for table in sources]
    lucky = [
        mutual_information(by_luck(t, seed)) for t in sources for seed in range(10)
    ]
    print(
        f"{name}, around `for`: {min(real):.2f} to {max(real):.2f} bits;",
        f"by luck {min(lucky):.2f} to {max(lucky):.2f}",
    )

# %% [markdown]
# In the texts that the model drew, the outer words tell no more about each other than randomly paired words do. Given
# the middle word they are independent, just as the model claims. In our sentences they tell more than that, so for
# these the claim is false.
#
# How far do words reach? In the kitchen stories, a verb agrees with a noun up to 21 words back: *the sailor that wants
# the sweet fish judges*. In the right-hand figure, n-grams choose between the two forms of such a verb: the one counted
# more often after the last $n-1$ words, or either at random if both were equally often.

# %%
frozen = lmkit.load("kitchen").splits["train"]
often = {w for w, _ in Counter(w for story in frozen for w in story).most_common(50)}
coarse = [
    [word if word in often else "rare" for word in story] for story in frozen[:400]
]
gaps = (1, 2, 3, 4, 6, 8, 12, 16, 24)
reach, luck = [], []
for gap in gaps:
    table = pairs_apart(coarse, gap)
    reach.append(mutual_information(table))
    luck.append([mutual_information(by_luck(table, seed)) for seed in range(3)])

# %%
questions = kitchen.probes("agreement", tokens=40_000)
groups = {"1": (1, 1), "2": (2, 2), "4": (4, 4), "5-6": (5, 6), "7-21": (7, 21)}
right_share = {}
for n in (2, 3, 5):
    grams = Counter(gram for story in frozen for gram in windows(story, n))
    for label, (low, high) in groups.items():
        points = []
        for q in (q for q in questions if low <= q.distance <= high):
            good, bad = (
                max(grams[*q.prefix[1 - n :], word] for word in words)
                for words in (q.right, q.wrong)
            )
            points.append((good > bad) + (good == bad) / 2)
        right_share[n, label] = np.mean(points), np.std(points) / math.sqrt(len(points))
        if n == 5:
            print(
                f"n = 5, noun {label} back: a tie in {points.count(0.5) / len(points):.0%}"
            )

# %%
_, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3))
left.plot(gaps, reach, "o-", label="text")
left.fill_between(gaps, np.min(luck, 1), np.max(luck, 1), color="gray", label="luck")
left.set(xlabel="places apart", ylabel="mutual information (bits)", ylim=(0, None))
left.legend()
for shift, n in ((-0.27, 2), (0, 3), (0.27, 5)):
    mean, error = np.array([right_share[n, label] for label in groups]).T * 100
    places = np.arange(len(groups)) + shift
    right.bar(places, mean - 50, 0.25, 50, yerr=2 * error, capsize=2, label=f"n = {n}")
right.axhline(50, color="black", linewidth=1)
right.set_xticks(range(len(groups)), groups)
right.set(xlabel="words back to the noun", ylabel="right form of the verb (%)")
right.legend(fontsize=9)
plt.show()

# %% [markdown]
# Left: a word tells most about its neighbour, still a little about one sixteen places on (50 frequent words; all
# others count as one). Right: where the noun stands $n$ words back or more, an n-gram model is as good as a coin,
# within the whiskers (two standard errors). For $n = 5$, at least 90 % of the questions are ties, even next to the
# noun: those five words were hardly ever counted.

# %% [markdown]
# ## 18. Judging and repairing sentences
#
# Of several sentences that sound alike, which was said? The one with the largest log-probability. And can the model
# tell order from disorder? We swap two neighbouring words in each new sentence that is possible at all.

# %%
sounds = [
    "i scream when i see a mouse",
    "we want ice cream",
    "what i want i get",
    "ice cream is cold",
]
ear = estimate([line.split() for line in sounds])
heard_as = [["we", "want", "i", "scream"], ["we", "want", "ice", "cream"]]
print(*max(heard_as, key=lambda sentence: ln_probability(ear, sentence)))

# %%
wins, possible = [], []
for sentence in new_sentences:
    own = ln_probability(restaurant_model, sentence)
    for i, (w1, w2) in enumerate(pairwise(sentence) if own > -math.inf else []):
        if w1 != w2:
            swapped = [*sentence[:i], w2, w1, *sentence[i + 2 :]]
            score = ln_probability(restaurant_model, swapped)
            wins.append(own > score)
            possible.append(score > -math.inf)
print(
    f"the right order wins in {sum(wins)} of {len(wins)} swaps;",
    f"{sum(possible)} swapped sentences were possible at all",
)
for line in ("when is caffe venezia open", "i want to the food"):
    print(f"{line}: ln P = {ln_probability(restaurant_model, line.split()):.1f}")

# %% [markdown]
# The right order always wins, but this test is too easy. In all but nine of the 2,005 cases the swapped sentence
# contains a pair that was never seen, so its probability is 0. The last two lines show something else: *likely* does
# not mean *grammatical*. The wrong sentence of the two is the likelier one.

# %% [markdown] statement="repair"
# A judge becomes a corrector: propose some sentences, and let the model choose. Write
#
# - `neighbours(word, vocabulary)`: the *other* words of the vocabulary that are one edit away: a letter (or other
#   sign, as in `don't`) added, dropped or replaced, or two adjacent letters swapped (`googel`, `google`).
# - `repair(model, sentence, vocabulary)`: candidates are the sentence and every sentence with a word at *one* place
#   replaced by a neighbour. Return the most probable; `ln_probability(model, sentence)`, given above, scores. The
#   original wins ties; among equally good repairs, any will do.

# %% [markdown] hints="repair"
# 1. Which words of your vocabulary could `fod` be? Which of them can stand after `chinese`?
# 2. Two ways to neighbours: make every edit and keep what is in the vocabulary, or test each vocabulary word of a
#    fitting length.
# 3. A repair changes one place, not one word wherever it stands. If the original is among the candidates, whether to
#    repair at all and what to repair become the same question; mind who wins a tie.


# %% task="repair" points=4 level=4 minutes=28
def neighbours(word, vocabulary):
    """The set of words of the vocabulary that are one edit away from word."""
    ### BEGIN SOLUTION
    letters = set("".join(vocabulary))
    edits = set()
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        edits |= {head + tail[1:], head + tail[1:2] + tail[:1] + tail[2:]}
        edits |= {
            head + letter + rest for letter in letters for rest in (tail, tail[1:])
        }
    return (edits & set(vocabulary)) - {word}
    ### END SOLUTION


def repair(model, sentence, vocabulary):
    """The likeliest of the sentence and its one-word repairs, as a list of tokens."""
    ### BEGIN SOLUTION
    candidates = [list(sentence)]
    for i, word in enumerate(sentence):
        for other in sorted(neighbours(word, vocabulary)):
            candidates.append([*sentence[:i], other, *sentence[i + 1 :]])
    return max(candidates, key=lambda words: ln_probability(model, words))
    ### END SOLUTION


# %% test="repair" aspect="add, drop and replace" points=1
_vocabulary = {"food", "good", "foot", "for", "fod", "floods", "wood", "of"}
_found = neighbours("food", _vocabulary)
assert hasattr(_found, "__len__"), f"Return a set of words; yours returned {_found!r}."
assert "food" not in _found, "A word is not its own neighbour."
assert set(_found) == {"good", "foot", "fod", "wood"}, (
    f"Of `food` yours finds {sorted(_found)}."
)
_found = neighbours("fod", _vocabulary)
assert set(_found) == {"food", "for"}, (
    f"`fod`: one letter added or replaced; found {sorted(_found)}."
)
### BEGIN HIDDEN TESTS
for _word, _others, _wanted in (
    ("at", "a t cat ate art it an chat to at atom", "a t cat ate art it an"),
    ("don", "don't do dont Don", "do dont Don"),
    ("dont", "don't do dot font done", "don't dot font done"),
    ("o", "o to on a too tea", "to on a"),
    ("tee", "teee te ee tea tees eet", "teee te ee tea tees"),
):
    _found = neighbours(_word, set(_others.split()))
    assert hasattr(_found, "__len__") and set(_found) == set(_wanted.split()), (
        f"Edits can be at the front, inside and at the end of a word, with any sign; "
        f"of `{_word}` yours finds {_found!r}."
    )
_after = arguments_after(neighbours, "food", {"food", "foot", "for"})[1]
assert set(_after) == {"food", "foot", "for"}, (
    f"Leave the vocabulary as it is; now: {_after}."
)
### END HIDDEN TESTS

# %% test="repair" aspect="swapped letters" points=1
_found = neighbours("googel", {"google", "goggle", "googles"})
assert hasattr(_found, "__len__"), f"Return a set of words; yours returned {_found!r}."
assert set(_found) == {"google"}, (
    f"`googel` is one swap from `google`; found {sorted(_found)}."
)
### BEGIN HIDDEN TESTS
for _word, _others, _wanted in (
    ("abcd", "bacd acbd abdc cbad dbca badc abcd", "bacd acbd abdc"),
    ("to", "ot oot", "ot"),
    ("soon", "soon osno snoo sono osoon", "sono osoon"),
    ("abcd", "bacde bac acb", ""),
):
    _found = neighbours(_word, set(_others.split()))
    assert hasattr(_found, "__len__") and set(_found) == set(_wanted.split()), (
        f"Adjacent letters are swapped, in any one place; `{_word}`: yours finds {_found!r}."
    )
### END HIDDEN TESTS

# %% test="repair" aspect="context chooses the neighbour" points=1
_model = {
    "<s>": {"good": 0.5, "i": 0.5},
    "i": {"eat": 1.0},
    "eat": {"food": 0.4, "good": 0.6},
    "good": {"food": 0.7, "wood": 0.3},
    "food": {"</s>": 1.0},
    "wood": {"</s>": 1.0},
}
_words = ["i", "eat", "good", "food", "wood"]
_best = repair(_model, ["i", "eat", "foof"], _words)
assert hasattr(_best, "__len__"), f"Return a list of tokens; yours returned {_best!r}."
assert list(_best) == ["i", "eat", "food"], f"Yours repairs `i eat foof` to {_best}."
_best = repair(_model, ["good", "ood"], _words)
assert list(_best) == ["good", "food"], f"Yours repairs `good ood` to {_best}."
### BEGIN HIDDEN TESTS
_best = repair(_model, ["goo", "food"], _words)
assert hasattr(_best, "__len__") and list(_best) == ["good", "food"], (
    f"The first word may be wrong too; yours: {_best!r}."
)
_best = repair(_model, ["good", "wood"], _words)
assert hasattr(_best, "__len__") and list(_best) == ["good", "food"], (
    f"Known words may be exchanged too when that is likelier; yours: {_best}."
)
_model = {"<s>": {"i": 1.0}, "i": {"food": 0.3, "fool": 0.7}}
_model |= {"food": {"</s>": 0.9, "i": 0.1}, "fool": {"</s>": 0.1, "i": 0.9}}
_best = repair(_model, ["i", "foo"], ["food", "fool", "i"])
assert hasattr(_best, "__len__") and list(_best) == ["i", "food"], (
    f".3 · .9 beats .7 · .1: the end of the sentence counts; yours: {_best}."
)
_model = {"<s>": {"cat": 0.4, "bat": 0.6}, "hat": {"</s>": 1.0}}
_model["cat"] = {"hat": 0.9, "bat": 0.05, "cat": 0.05}
_model["bat"] = {"</s>": 0.5, "bat": 0.2, "cat": 0.3}
for _text in (["cat", "bat"], ["cat", "cat"]):
    _best = repair(_model, list(_text), ["bat", "cat", "hat"])
    assert hasattr(_best, "__len__") and list(_best) == ["cat", "hat"], (
        f"One word of {_text} is replaced, in the place where that helps most: "
        f"`cat hat` is the likeliest; yours: {_best!r}."
    )
_words = [
    "bat",
    "cat",
    "hat",
    "mat",
    "rat",
    "sat",
]  # neighbours, by one letter replaced
for _ in range(8):
    _p = np.random.default_rng().dirichlet(np.ones(7), size=7).tolist()
    _model = {
        a: dict(zip([*_words, "</s>"], _p.pop(), strict=True)) for a in ["<s>", *_words]
    }
    _text = [*random.choices(_words, k=3), random.choice(["zat", "bat"])]
    random.shuffle(_text)
    _texts = [
        [*_text[:i], word, *_text[i + 1 :]]
        for i in range(4)
        for word in (_text[i], *_words)
    ]
    _value = {}
    for _other in _texts:
        _pairs = pairwise(["<s>", *_other, "</s>"])
        _value[" ".join(_other)] = math.prod(
            _model.get(a, {}).get(b, 0) for a, b in _pairs
        )
    _wanted = max(_value, key=_value.get)
    _best = repair(_model, list(_text), list(_words))
    assert hasattr(_best, "__len__"), (
        f"Return a list of tokens; yours returned {_best!r}."
    )
    assert _value.get(" ".join(_best), 0) > 0.999999 * _value[_wanted], (
        f"`{' '.join(_text)}` should become `{_wanted}`; yours: {_best!r}."
    )
_after = arguments_after(repair, _model, list(_text), list(_words))
assert list(_after[1]) == _text, f"Leave the sentence as it is; it became {_after[1]}."
assert _after[0] == _model and list(_after[2]) == _words, (
    "Leave model and vocabulary as they are."
)
### END HIDDEN TESTS

# %% test="repair" aspect="what must stay as it is" points=1
_model = {"<s>": {"cat": 0.5, "bat": 0.5}, "cat": {"</s>": 1.0}, "bat": {"</s>": 1.0}}
_best = repair(_model, ["cat"], ["bat", "cat"])
assert hasattr(_best, "__len__"), f"Return a list of tokens; yours returned {_best!r}."
assert list(_best) == ["cat"], (
    f"`bat` is not likelier than `cat`: the original wins; yours: {_best}."
)
### BEGIN HIDDEN TESTS
_best = repair(_model, ["bat"], ["bat", "cat"])
assert hasattr(_best, "__len__") and list(_best) == ["bat"], (
    f"The original wins ties: {_best!r}."
)
_best = repair(_model, ["rat", "rat"], ["bat", "cat"])
assert hasattr(_best, "__len__") and list(_best) == ["rat", "rat"], (
    f"No candidate is possible: leave it as it is; yours: {_best!r}."
)
_best = repair(_model, [], ["bat", "cat"])
assert hasattr(_best, "__len__") and len(_best) == 0, (
    f"An empty sentence stays empty: {_best!r}."
)
_model = {"<s>": {"hot": 1.0}, "hot": {"soup": 1.0}, "soup": {"</s>": 1.0}}
_best = repair(_model, ["hit", "soap"], ["hot", "soup"])
assert hasattr(_best, "__len__") and list(_best) == ["hit", "soap"], (
    f"Only one word may change, which does not help here: {_best}."
)
_row = {"soup": 0.7, "soap": 0.3}
_model = {"<s>": {"hot": 0.6, "hit": 0.4}, "hot": _row, "hit": _row}
_model |= {"soup": {"</s>": 1.0}, "soap": {"</s>": 1.0}}
_best = repair(_model, ["hit", "soap"], ["hot", "hit", "soup", "soap"])
assert hasattr(_best, "__len__") and list(_best) == ["hit", "soup"], (
    f"Only one word may change, the one that helps most: `hit soup`; yours: {_best}."
)
_model = {"<s>": {"tea": 0.6, "tee": 0.4}, "or": {"tea": 0.8, "tee": 0.2}}
_model |= {word: {"or": 0.5, "</s>": 0.5} for word in ("tea", "tee")}
_best = repair(_model, ["tee", "or", "tee"], ["tea", "tee", "or"])
assert hasattr(_best, "__len__") and list(_best) == ["tee", "or", "tea"], (
    f"One place may change, not every place of the same word; yours: {_best}."
)
_grown = {word: defaultdict(float, row) for word, row in _model.items()}
_after = arguments_after(
    repair, defaultdict(dict, _grown), ["snow", "tee", "ore"], ["tea", "tee", "or"]
)[0]
assert _after == _model, f"A model may be a defaultdict: your look-ups left {_after}."
### END HIDDEN TESTS

# %%
known_words = set(train_words)
for line in (
    "i wnat to eat chinese food",
    "is the golden latnern open on friday",
    "i wnt noodles fr lunch",
):
    print(line, "->", *repair(restaurant_model, line.split(), known_words))

# %%
correct = new_sentences[:100]
repaired = [
    list(repair(restaurant_model, sentence, known_words)) for sentence in correct
]
changed = [(old, new) for old, new in zip(correct, repaired, strict=True) if old != new]
print(
    f"changed, though nothing was wrong: {len(changed)} of {len(correct)} new sentences"
)
for old, new in changed[:3]:
    print(*old, "->", *new)


# %% [markdown]
# Two errors in one sentence are too many for it, and it "repairs" 3 of 100 sentences that were right. It has **no
# channel model**: it never asks how likely one is to type `y` for `x`.

# %% [markdown]
# ## Two ways to judge a model
#
# Perplexity is an **intrinsic** measure: it asks the model about text, nothing else. An **extrinsic** one asks how
# well it serves a task. Do they agree? Six models, their zeros filled as above, choose among the neighbours of a
# misspelt word, in sets of 100 new sentences with one random edit each.


# %%
def misspelt(word, rng):
    """The word after one random edit: a letter dropped, doubled, replaced or swapped."""
    i, letter = rng.randrange(len(word)), rng.choice("etaoinshr")
    swapped = word[:i] + word[i : i + 2][::-1] + word[i + 2 :]
    edits = [word[:i] + s + word[i + 1 :] for s in ("", 2 * word[i], letter)]
    return rng.choice([*edits, swapped])


def puzzle(rng):
    """A sentence, the place of its misspelt word, and at least two candidates for it."""
    while True:
        sentence = rng.choice(new_sentences)
        place = rng.randrange(len(sentence))
        found = neighbours(misspelt(sentence[place], rng), known_words)
        if len(found) > 1 and sentence[place] in found:
            return sentence, place, sorted(found)


def solved(model, puzzles):
    """The share of the puzzles in which the model chooses the word that was there."""
    right = 0
    for sentence, place, found in puzzles:
        tries = {w: [*sentence[:place], w, *sentence[place + 1 :]] for w in found}
        best = max(found, key=lambda word: sum(model.log2(tries[word])))
        right += best == sentence[place]
    return right / len(puzzles)


# %%
sets = [[puzzle(rng) for _ in range(100)] for rng in map(random.Random, range(5))]
V_all = len({word for sentence in everything for word in sentence}) + 1
judged = {}
for n, size in ((1, 8300), (2, 100), (2, 1000), (2, 8300), (3, 1000), (3, 8300)):
    model = Mixture(train_sentences[:size], n, V_all)
    logs = [log for sentence in new_sentences for log in model.log2(sentence)]
    judged[n, size] = [
        2 ** -np.mean(logs),
        *(solved(model, puzzles) for puzzles in sets),
    ]
ranks = pd.DataFrame(judged).T.rank()
rho = [ranks[0].corr(ranks[column]) for column in range(1, 6)]
print(f"rank correlation, five sets of 100 puzzles: {min(rho):.2f} to {max(rho):.2f}")

# %%
_, axes = plt.subplots(figsize=(6.4, 3))
for ((n, size), (pp_new, *found)), mark in zip(judged.items(), "os^vDP", strict=True):
    middle, name = np.mean(found), f"n = {n}, {size:,} sentences"
    spread = [[middle - min(found)], [max(found) - middle]]
    axes.errorbar(pp_new, middle, spread, fmt=mark, capsize=3, label=name)
axes.set(
    xlabel="perplexity on new sentences (log scale)",
    ylabel="share of words repaired",
    xscale="log",
)
axes.set_xticks([10, 20, 50, 100, 200], [10, 20, 50, 100, 200])
axes.minorticks_off()
axes.legend(fontsize=9)
plt.show()

# %% [markdown]
# In all five sets, the order by perplexity is nearly the order by repairs: the rank correlation is −.89 or stronger. So
# perplexity is a fair guide here. It is not the task itself, though: the two best models clearly differ in perplexity,
# but we cannot tell them apart by their repairs. (Whiskers: lowest and highest of the five sets.)

# %% [markdown]
# ## What you have now
#
# You have built a language model with nothing but counting: one pass over a text, and one division for each pair of
# words. It judges sentences, writes them and repairs them. And you have proved that no other bigram model gives the
# text that you counted a higher probability.
#
# That last sentence is good news and bad news. Because all of the probability goes to what was counted, a pair of
# words that did not occur gets none at all, and one such pair makes a whole sentence impossible (section 10). A
# longer memory makes this worse: the longer the n-gram, the more likely it is that the text does not contain it (section
# 15). And with one word of memory, everything before that word is forgotten: at *for*, the model no longer knows
# whether it said *looking for* or *open for* (section 16).
#
# Every later chapter takes up one of these troubles. Chapter 02 moves some probability to pairs that were never seen.
# Chapters 03 and 04 give each word a vector, so that what is learned about one word also helps with similar ones.
# From chapter 05 on, models look further back than any table of counts could.
