# ---
# title: Your own Transformer
# ---

# %% [markdown]
# Every chapter so far has built a piece of it. Here you put the whole thing together: a **causal Transformer**. The machines that you chat with have
# such a network inside, which was trained further on conversations. Yours will read a text that *you* have chosen, and it will write.
#
# **What this chapter promises.** You write the tokeniser, the attention module, the block, the model and its loss, the step of the optimiser, the training
# loop, and the loop in which the model writes. Then you press a key and watch. The same short prompt will be continued four times: by the network before it has
# learned anything, after 200 steps, after 1,000 steps, and at the end. The first text is noise. In the last one, with a megabyte of text and a laptop's steps,
# you should recognise words and the shape of your own text.
#
# The chapter has eleven tasks. In nine of them you write a part of the machine, and in the other two you examine it. The inside of attention comes from chapter
# 06. Some forty other functions and classes are given, among them the feed-forward layer, the first weights, the schedule and the draw of a token. They are
# short, so read them.
#
# There is one difficulty, and it is the reason why this chapter has a laboratory in its middle. A Transformer with a mistake in it can still train. Its loss
# goes down, no error appears, and it writes nonsense. So before you train for long, you will learn to predict what a correct model does in its first second,
# and to find what is wrong with a model that does something else.
#
# You will need five to six hours, best in two sittings: the end of section 4 is a good place for a break. The long training of section 6 takes some minutes, and
# the other trainings of sections 6 and 7 may take twice as long together.

# %%
import hashlib
import math
import random
import time
from bisect import bisect_left
from collections import Counter
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

import lmkit
from lmkit import (
    bpe,
    drawings,
    gallery,
    gpt2,
    models,
    ngrams,
    paths,
    plots,
    runs,
    transformer,
)
from lmkit.budgets import budget
from lmkit.playground import play
from lmkit.plots import dots, log_ticks
from lmkit.real import FetchError
from lmkit.testing import (
    beside_the_answer,
    close,
    gradients,
    is_an_argument,
    is_number,
    laid_out_otherwise,
    parameter_gradients,
    torch_module,
    training_log,
)
from lmkit.training import choose_device, set_seed, train, warmup_cosine

device = choose_device()
plots.use_style()
plt.rcParams.update({"figure.figsize": (7, 3.2), "figure.dpi": 140})
torch.set_num_threads(1)  # on a CPU; for the long training you may try more
print("Models of this chapter are trained on:", device)

# %% [markdown]
# If that line says *cuda*, torch has found a GPU, and the same cells train there. You have to remember only one thing: if your code creates a new tensor, create
# it on the device of its input, as in `torch.zeros(3, device=x.device)`.

# %% [markdown]
# ## Your text, and a network that knows nothing
#
# Use the text that you chose in chapter 01, or put another one into the folder `work/texts`. A Transformer wants more text than a table of counts does, so
# 100,000 characters are a reasonable least and a megabyte is good. If the folder is empty, the next cell takes Shakespeare, or the kitchen text where there is no
# internet.

# %%
# NBVAL_IGNORE_OUTPUT
# (on your machine, this is your text)
mine = lmkit.load("mine", unit="character")
my_text = {name: "".join(map("".join, parts)) for name, parts in mine.splits.items()}
prompt = gallery.prompts(mine)[0]
print(f"{len(my_text['train']):,} characters to learn from. It begins:\n")
print(my_text["train"][:240])

# %% [markdown]
# And here is a small Transformer, fresh from the factory. Its weights are random numbers, and it knows only that a text consists of bytes. We give it the first
# characters of a prompt, and it goes on.

# %%
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a token, and all that follow)
set_seed(1)
newborn = transformer.Transformer(transformer.TransformerConfig(256, block=128))
said = newborn.generate(torch.tensor([list(prompt.encode())]), 80)[0].tolist()
print(bytes(said).decode("utf-8", errors="replace"))

# %% [markdown]
# It babbles, and not even in letters. Most of these bytes are no sign that can be printed, and where a series of bytes is no valid text, you see the sign �.
# Remember this line. Everything below is about turning it into your text.

# %% [markdown]
# ## 1. Bytes to tokens
#
# What should a model read: letters or words? Chapter 01 read words. Then every word that is not in the vocabulary becomes `<UNK>`, and there are always such
# words: names, typing errors, whatever was invented last week. Letters have such gaps only now and then, and bytes never. With 256 bytes you can write
# everything. But a text of bytes is long. A model that looks back 128 places sees two lines of it, and it spends much of its effort on spelling *the*.
#
# There is a beautiful way between. Start from bytes, so that nothing is ever unknown. Then look for the pair of neighbours that occurs most often, and make a
# new token of it. In English this is perhaps *t* and *h*. Then look again: now *th* and *e* may be the most frequent pair, and *the* becomes one token.
# Each such step is called a **merge**. After a few hundred merges, frequent words are single tokens, and rare words are spelled from pieces. This is
# **byte-pair encoding**, or BPE. P. Gage invented it in 1994 to compress files, R. Sennrich and others brought it to language in 2016, and the GPT models read
# their texts through it.
#
# One rule is added. A merge never crosses the border between two words, because otherwise the vocabulary would fill up with things like *of the*. So the text is
# first cut into **pieces**: a word together with the blank before it, a number, a run of punctuation. The function `bpe.pieces` does it:

# %%
print(bpe.pieces("the other theory, then the 3rd theft"))

# %% [markdown] statement="merges"
# ### Learn the merges
#
# Tokens are numbers. The bytes have the numbers 0 to 255. The first merge makes token 256, the second one token 257, and so on. Write two functions:
#
# - `join(tokens, pair, new)` replaces the pair by the new token, everywhere in one list of tokens;
# - `learn_merges(counts, n)` learns up to $n$ merges. It gets the different pieces of a text and how often each occurs, so that a frequent word is
#   handled once and not a thousand times.
#
# By hand: in *low low low lower lowest* the pairs *l o* and *o w* both occur five times. The tie goes to the pair with the smaller numbers, so *lo* becomes token
# 256. In the next round *lo* and *w* are the most frequent neighbours, and *low* becomes token 257. When your functions work, you will see which words your
# text consists of.

# %% [markdown] hints="merges"
# 1. Write *aaa* as three tokens and merge *a a* from the left. What is left over?
# 2. In each round: count all pairs of neighbours in all pieces, each as often as its piece occurs; take the best; join it everywhere.
# 3. `pairwise(tokens)` gives the pairs of neighbours. "Most frequent, and among these the smallest" is one `min` with the key
#    `(-count, pair)`.


# %% task="merges" points=3 level=2 minutes=20
def join(tokens, pair, new):
    """The list of tokens in which each occurrence of the two neighbours `pair` has become `new`; overlapping ones count from the left."""
    ### BEGIN SOLUTION
    result, i = [], 0
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == tuple(pair):
            result.append(new)
            i += 2
        else:
            result.append(tokens[i])
            i += 1
    return result
    ### END SOLUTION


def learn_merges(counts, n):
    """A list of at most n pairs of token numbers, in the order in which they are merged.

    counts: {piece (a string): how often it occurs}. Among equally frequent pairs the smallest one comes first
    (its first number, then its second). Stops early when no pair of neighbours occurs at least twice.
    """
    ### BEGIN SOLUTION
    words = [(list(piece.encode()), often) for piece, often in counts.items()]
    merges = []
    while len(merges) < n:
        pairs = Counter()
        for tokens, often in words:
            for pair in pairwise(tokens):
                pairs[pair] += often
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
        if best is None or pairs[best] < 2:
            break
        new = 256 + len(merges)
        merges.append(best)
        words = [(join(tokens, best, new), often) for tokens, often in words]
    return merges
    ### END SOLUTION


# %% test="merges" aspect="neighbours become one token" points=1
_got = join([1, 2, 3, 1, 2, 2], (1, 2), 256)
assert _got is not None, "join returns None; return a new list of tokens."
assert list(_got) == [256, 3, 256, 2], (
    f"1 2 3 1 2 2 with 1 2 joined is 256 3 256 2; yours: {_got}."
)
assert list(join([7, 7, 7], (7, 7), 300)) == [300, 7], (
    "7 7 7: the two on the left become one token, and the third stays."
)
### BEGIN HIDDEN TESTS
agrees(
    join,
    ours.join,
    listing(size("length", least=0), whole(0, 2)),
    made(lambda rng, a, b: (a, b), whole(0, 2), whole(0, 2)),
    whole(256, 900),
)
_digits = [1, 2, 11, 12, 21, 112]  # 11 2 is not 1 12
agrees(
    join,
    ours.join,
    made(lambda rng, n: rng.choices(_digits, k=n), size("length")),
    made(lambda rng: tuple(rng.choices(_digits, k=2)), edges=[(1, 2), (1, 12)]),
    256,
)
assert [int(token) for token in join([11, 2, 1, 21], (1, 2), 256)] == [11, 2, 1, 21], (
    "Neither 11 2 nor 1 21 is 1 2."
)
### END HIDDEN TESTS

# %% test="merges" aspect="the most frequent pair each time" points=1
_got = learn_merges({"low": 1, " low": 2, " lower": 1, " lowest": 1}, 4)
assert hasattr(_got, "__len__"), (
    f"learn_merges returns a list of pairs; yours: {_got!r}."
)
_got = [tuple(pair) for pair in _got]
assert _got == [(108, 111), (256, 119), (32, 257), (258, 101)], (
    f"low low low lower lowest: lo, low, ␣low, ␣lowe; as numbers (108, 111), (256, 119), (32, 257), (258, 101). Yours: {_got}."
)
### BEGIN HIDDEN TESTS
_pieces = made(
    lambda rng, n, alphabet: {
        "".join(rng.choices(alphabet, k=rng.randint(1, 9))): rng.randint(1, 30)
        for _ in range(n)
    },
    size("pieces", large=60),
    choice("ab", "abcdef", "aé", " théo"),
)
agrees(
    learn_merges,
    ours.learn_merges,
    _pieces,
    whole(0, 12),
    by=lambda learn, counts, n: [tuple(pair) for pair in learn(counts, n)],
)
### END HIDDEN TESTS

# %% test="merges" aspect="ties, and an early end" points=1
assert [tuple(pair) for pair in learn_merges({"ba": 2, "ab": 2}, 5)] == [
    (97, 98),
    (98, 97),
], "ab and ba, twice each: the pair with the smaller numbers, (97, 98), comes first."
assert not len(learn_merges({"ab": 1, "cd": 1}, 9)), (
    "No pair of neighbours occurs twice here, so there is nothing to merge."
)
### BEGIN HIDDEN TESTS
_few = made(
    lambda rng, n: {
        "".join(rng.choices("xyz", k=rng.randint(0, 5))): rng.randint(1, 2)
        for _ in range(n)
    },
    size("pieces", least=0, large=12),
    edges=[{"yy": 20, "zz": 10, "azz": 3, "b\0": 3}],  # a tie with a new number
)
agrees(
    learn_merges,
    ours.learn_merges,
    _few,
    choice(5, 200),
    by=lambda learn, counts, n: [tuple(pair) for pair in learn(counts, n)],
)
### END HIDDEN TESTS

# %% [markdown]
# Now your text. The cell counts its pieces and learns the merges with your function. For a megabyte of text this may take half a minute. Then it prints three
# rows of new tokens: the twelve that were found first, twelve from the middle, and the last twelve. (␣ is a blank, ⏎ the end of a line.) In which row do you
# find the longest ones?

# %%
# NBVAL_IGNORE_OUTPUT
# (times differ from run to run)
n_merges = budget().choose(grading=64, laptop=256, gpu=256)
begin = time.perf_counter()
merges = learn_merges(Counter(bpe.pieces(my_text["train"])), n_merges)
seconds = time.perf_counter() - begin
library = bpe.BPE(merges)
for first in (0, len(merges) // 2, len(merges) - 12):
    print(f"from {first:3}:", *library.symbols[256 + first : 268 + first], sep="   ")
print(f"\n{len(merges)} merges in {seconds:.1f} seconds of your own Python")
print(
    "lmkit's faster version finds the same ones:",
    bpe.train(my_text["train"], 256 + n_merges).merges
    == [tuple(pair) for pair in merges],
)

# %% [markdown]
# The program has only counted neighbours, and still it has found endings and some whole words. The first row holds the most frequent pairs of your text. Most
# of them are two characters long. A longer token needs several merges, one after the other, so the longest stand in the later rows (in the course's own run
# *finally*), and only a very frequent one, such as *the*, is found early.

# %% [markdown] statement="encode"
# ### There and back
#
# Now a text has to become tokens, and tokens text. To read, take one piece after the other and merge as in training: **the merge that was learned first comes
# first**, even if another one stands further to the left. To write, do the opposite. Every token stands for a string of bytes, so join these strings and decode
# the result.
#
# Whenever your model works on your own text, it will read and write through these two functions. A model that is still learning may say anything, also bytes that
# are no valid text. `decode` must survive this and write � there.

# %% [markdown] hints="encode"
# 1. With the merges *b c* (first) and *a b* (second), what becomes of *abc*?
# 2. Encode a piece in a loop: of all pairs of neighbours that are a merge, join the earliest one; stop when there is none. The same pieces come again
#    and again, so remember what you have found.
# 3. For `decode`, build the table of byte strings first: 256 single bytes, then for each merge the strings of its two tokens, joined. Look at
#    what `bytes.decode` offers for errors.


# %% task="encode" points=3 level=2 minutes=18
def encode(text, merges):
    """The token numbers of a text (a list), piece by piece; `merges` is what learn_merges returns."""
    ### BEGIN SOLUTION
    rank = {tuple(pair): r for r, pair in enumerate(merges)}
    known, tokens = {}, []
    for piece in bpe.pieces(text):
        if piece not in known:
            found = list(piece.encode())
            while options := [pair for pair in pairwise(found) if pair in rank]:
                best = min(options, key=rank.get)
                found = join(found, best, 256 + rank[best])
            known[piece] = found
        tokens += known[piece]
    return tokens
    ### END SOLUTION


def decode(tokens, merges):
    """The text of a list of token numbers; � stands where their bytes are no valid UTF-8."""
    ### BEGIN SOLUTION
    strings = [bytes([byte]) for byte in range(256)]
    for first, second in merges:
        strings.append(strings[first] + strings[second])
    return b"".join(strings[token] for token in tokens).decode("utf-8", "replace")
    ### END SOLUTION


# %% test="encode" aspect="the earliest merge first" points=1
_got = encode("abc", [(98, 99), (97, 98)])
assert hasattr(_got, "__len__"), f"encode returns a list of numbers; yours: {_got!r}."
assert list(_got) == [97, 256], (
    f"abc with the merges b c, then a b: b c was learned first, so 97 256; yours: {list(_got)}."
)
### BEGIN HIDDEN TESTS
_alphabet = choice("abc ", "the oté ", "aaab", "ab\n\r 12,é€", "e\u0301Aa ")
_learned = made(
    lambda rng, n, alphabet: ours.learn_merges(
        Counter(bpe.pieces("".join(rng.choices(alphabet, k=200)))), n
    ),
    whole(0, 30),
    _alphabet,
)
_all_pairs = [(a, b) for a in b"abcdefghijklmnopqrst" for b in b"abcdefghijklmnopqrst"]
_merges = choice(_learned, made(lambda rng: rng.sample(_all_pairs, 400)))
_texts = made(
    lambda rng, n, alphabet: "".join(rng.choices(alphabet, k=n)),
    size("length", least=0, large=300),
    choice(_alphabet, "abcdefghijklmnopqrst "),
    edges=["ab" * 150, "the" * 100],
)
agrees(
    encode,
    ours.encode,
    _texts,
    _merges,
    by=lambda encode, text, merges: [int(token) for token in encode(text, merges)],
)
### END HIDDEN TESTS

# %% test="encode" aspect="from tokens to text" points=1
assert decode([108, 257, 32, 256], [(108, 111), (256, 119)]) == "llow lo", (
    f"108 257 32 256 with the merges lo and low is 'llow lo'; yours: {decode([108, 257, 32, 256], [(108, 111), (256, 119)])!r}."
)
### BEGIN HIDDEN TESTS
_merges = made(
    lambda rng, n: ours.learn_merges(
        Counter(bpe.pieces("".join(rng.choices("abé€ ", k=200)))), n
    ),
    whole(0, 20),
)
_tokens = made(
    lambda rng, n, merges: [rng.randrange(256 + len(merges)) for _ in range(n)],
    size("length", least=0, large=80),
    _merges,
    edges=[lambda rng, n, merges: [*range(256 + len(merges))]],
)
agrees(decode, ours.decode, _tokens, _merges)
### END HIDDEN TESTS

# %% test="encode" aspect="nothing is lost" points=1
_text = "Never seen: 42 naïve émigrés ☕\n\n  at 5€!"
_back = decode(
    encode(_text, [(32, 32), (116, 104), (195, 169)]),
    [(32, 32), (116, 104), (195, 169)],
)
assert _back == _text, f"There and back again: {_text!r} wanted; yours: {_back!r}."
_half = decode([226, 130], [])
assert _half == "�", (
    f"Two bytes of a character that has three: � wanted, and no error; yours: {_half!r}."
)
### BEGIN HIDDEN TESTS
_merges = ours.learn_merges(Counter(bpe.pieces("thé ☕ thé thét 55 555 ☕☕ " * 3)), 9)
for _length in (0, 1, 2, 30, 400):
    _text = "".join(random.choices("thé☕ 5\n\t\r\0e\u0301", k=_length)) + " "
    _got = decode(list(encode(_text, _merges)), _merges)
    assert _got == _text, f"There and back again: {_text!r} wanted; yours: {_got!r}."
### END HIDDEN TESTS

# %%
# NBVAL_IGNORE_OUTPUT
# (on your machine, this is your text)
my_tokens = {name: torch.tensor(encode(text, merges)) for name, text in my_text.items()}
my_V = 256 + len(merges)
size_in_bytes = {name: len(text.encode()) for name, text in my_text.items()}
line = my_text["valid"].strip()[:60]
print("|".join(decode([token], merges) for token in encode(line, merges)))
print(
    f"\n{size_in_bytes['train']:,} bytes have become {len(my_tokens['train']):,} tokens,",
    f"{size_in_bytes['train'] / len(my_tokens['train']):.2f} bytes each; V = {my_V}",
)

# %% [markdown]
# The bars show the borders between tokens. The most frequent words are whole, and all others are spelled from pieces. The text has fewer tokens than it had
# bytes, so a model that looks back 128 places now sees more of it.
#
# How many merges are best? A further merge usually shortens the text less than the one before it, because its pair is rarer. And each new token has a price.
# The model needs one more row of weights for it, and a rare token gives this row few examples to learn from. We take a few hundred merges for a megabyte of
# text. GPT-2, which read far more, has 50,000.
