# ---
# title: All models on one text
# ---

# %% [markdown]
# You have built a dozen language models by now, from a table of counts to a Transformer. Which one is the best?
#
# Papers answer such a question with a table: one row for each model, one number in each row, the smallest number printed in bold. In a minute you will see our table, and then you will spend this chapter taking it apart, because such a table is easy to get wrong. One model was allowed to skip the difficult words. Another was trained for eight times as long as its neighbour. A third leads by so little that the lead would be gone on another day's test text. In print all three look splendid.
#
# We have an advantage that the authors of papers never have. Our text comes from a language whose true probabilities we know. So we know what a perfect model would score, and whatever we say about a model can be checked.
#
# At the end there is a game. `autograder challenge` trains a model of *yours* within a fixed budget of computing time, and scores it on stories that are written only afterwards, so nobody can have seen them. What you build in this chapter tells you whether you have really won.

# %% [markdown]
# How can one scoreboard hold a table of counts and a Transformer? By asking every model for the same thing. Given the tokens of some texts, a model returns $\ln P$ of each next token, and nothing else about it matters here: this is the **interface** of the chapter. We asked all models once and stored their answers, so from here on you work with arrays of numbers, and nothing has to be trained.
#
# | letter | what |
# |---|---|
# | $N$ | tokens, every `</s>` included |
# | $D$ | stories (documents) |
# | $M$ | models |
# | $P_m(w_i)$ | the probability that model $m$ gave to token $i$, when it knew all tokens before it |
#
# Shapes stand in brackets: $[M, N]$. As everywhere in the course, your functions leave their arguments as they are.

# %%
import math
import random
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import lmkit
from lmkit import plots, runs, scoreboard
from lmkit.testing import arguments_after, close, is_number

plots.use_style()
plt.rcParams.update({"figure.figsize": (9, 3.2), "figure.dpi": 100})

# %%
recorded = scoreboard.table("models").set_index("model")
board = pd.DataFrame(
    {
        "minutes of training": (recorded["CPU seconds"] / 60).round(3),
        "million tokens read": (recorded["tokens read"] / 1e6).round(1),
        "perplexity": recorded["perplexity"].round(2),
        "bits above the truth": recorded["bits above the floor"].round(2),
    }
)
groups = {
    "counted": "counting, in less than a second",
    "recorded": "networks, four minutes",
    "truth": "the language itself",
}
longer = board["minutes of training"] > 10
group = recorded["kind"].map(groups).mask(longer, "networks, longer: not comparable")
board.index = pd.MultiIndex.from_arrays([group, board.index], names=["", "model"])
board

# %% [markdown]
# Each row was tested on the same 1,220 stories, about 100,000 tokens. The last row is the language itself, and nothing can do better in the long run. So the last column is the one to read: whatever is left there is something that the model does not know.
#
# Now read the first two columns. Is this table fair? Within a group, roughly yes. Between the groups it is not. A counting model has seen one million tokens, and it would not use more minutes if you gave them to it. The four networks of the second group had the same four minutes of one processor each (and read 2.5 to 3.3 million tokens in that time, since some are faster). But the two below them had 17 and 32 minutes. *Transformer, Muon* is the same Transformer with another optimiser, and *Transformer, shift* adds the token shift of chapter 8 to that; the last one has read eight times as much text as the plain Transformer. If you compare its 0.05 with the Transformer's 0.53, you do not learn whether token shift is a good idea. You learn that 32 minutes are more than four.
#
# One more thing that such a table usually hides: each row is *one* training. Are others of the same kind alike? The next cell looks, for those networks that we trained three times (on the first half of the stories).

# %%
trainings = {
    name: runs.load(f"kitchen-{name.lower()}").each("bits above the floor")
    for name in ("window", "RNN", "LSTM", "Transformer")
}
for name, found in trainings.items():
    print(f"{name:12}", "bits above the truth:", *(f"{bits:.3f}" for bits in found))

# %% [markdown]
# Three trainings that differ in nothing but the seed of their random numbers: 0.004 bits apart for the LSTM, but 0.08 for the Transformer. No two *kinds* of network overlap, so the order of the four rows is safe. The second decimal of the Transformer is not.
#
# For most of the chapter we need more than one number for each model: we need $\ln P$ of every single token. We kept those for the first 200 of the 1,220 stories.

# %%
scores = scoreboard.log_probabilities()
names = list(scores.names)
document = scores.document
print(f"{len(scores):,} tokens of {document.max() + 1} stories")
for name in ("modified Kneser-Ney 5", "LSTM", "Transformer", "truth"):
    few, all_ = np.exp(-scores[name].mean()), recorded.loc[name, "perplexity"]
    print(f"{name:22} perplexity {few:6.2f} here, {all_:6.2f} on all stories")

# %% [markdown]
# Same models, other stories, other perplexities, by up to 2 %. Even the truth changes, since some stories are harder than others. So the rule for this chapter: **a table of perplexities is always about all 1,220 stories; where we look at single tokens, it is these 200.** How far may a number move when the stories change? That is the question of section 3.

# %% [markdown]
# ## 1. Find the unfair one
#
# Two numbers can be compared if both say how probable *the same text* is. Three habits break this. Some models never predict the end of a sentence, although it costs bits. Some turn rare words into `<UNK>`, which is easy to predict. And some are tested on a text that was cut or cleaned in another way.

# %% [markdown] statement="flaws"
# `flaws(tokens, sentences)` compares the tokens that a model was scored on with the sentences, lists of words that contain neither `</s>` nor `<UNK>`. It returns the set of those that hold:
#
# - `"ends"`: there are not as many `</s>` as sentences;
# - `"unknown words"`: there is an `<UNK>`;
# - `"other text"`: without the `</s>`, the tokens are not the words in their order; an `<UNK>` may stand for any one word.

# %% [markdown] hints="flaws"
# 1. Each of the three can be decided without the other two. Which of them needs the words in their order?
# 2. Put all words of all sentences in one row, and the tokens without `</s>` in another.
# 3. Two rows of different length are different texts. Rows of the same length agree if at each place the words are equal or the token is `<UNK>`.


# %% task="flaws" points=3 level=1 minutes=10
def flaws(tokens, sentences):
    """What is unfair about a score for these tokens, as a set: "ends", "unknown words", "other text"."""
    ### BEGIN SOLUTION
    said = [token for token in tokens if token != "</s>"]
    words = [word for sentence in sentences for word in sentence]
    found = set()
    if len(tokens) - len(said) != len(sentences):
        found.add("ends")
    if "<UNK>" in said:
        found.add("unknown words")
    same = all(a in (b, "<UNK>") for a, b in zip(said, words, strict=False))
    if len(said) != len(words) or not same:
        found.add("other text")
    return found
    ### END SOLUTION


# %% test="flaws" aspect="ends and unknown words" points=1
_sentences = [["the", "soup", "was", "cold"], ["mira", "left"]]
_all = ["the", "soup", "was", "cold", "</s>", "mira", "left", "</s>"]
for _tokens, _wanted in (
    (_all, set()),
    (_all[:-1], {"ends"}),
    (["<UNK>" if word == "mira" else word for word in _all], {"unknown words"}),
):
    _got = flaws(list(_tokens), [list(one) for one in _sentences])
    assert _got is not None, "You return None; return a set, which may be empty."
    assert set(_got) == _wanted, (
        f"{' '.join(_tokens)}: {_wanted or 'no flaw'}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
for _tokens, _sentences, _wanted in (
    ([], [], set()),
    ([], [["a"]], {"ends", "other text"}),
    (["a"], [["a"]], {"ends"}),
    (["a", "</s>", "</s>"], [["a"]], {"ends"}),
    (["a", "</s>", "</s>"], [["a"], []], set()),
    (["</s>"], [[]], set()),
    (["<UNK>", "</s>"], [["a"]], {"unknown words"}),
    (["<UNK>", "<UNK>"], [["a"], ["b"]], {"ends", "unknown words"}),
    (["a", "b", "</s>"], [["a"], ["b"]], {"ends"}),
    (["a", "</s>", "b", "c", "</s>"], [["a", "b"], ["c"]], set()),
    (["</s>", "a"], [["a"]], set()),
    (
        ["FUNK", "<unk>", "UNK", "</S>", "</s>"],
        [["FUNK", "<unk>", "UNK", "</S>"]],
        set(),
    ),
):
    _got = flaws(list(_tokens), [list(one) for one in _sentences])
    assert _got is not None and set(_got) == _wanted, (
        f"Tokens {_tokens} for the sentences {_sentences}: "
        f"{_wanted or 'no flaw'}; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="flaws" aspect="another text" points=1
for _tokens, _wanted in (
    ("a b </s>", set()),
    ("b a </s>", {"other text"}),
    ("a b b </s>", {"other text"}),
    ("a </s>", {"other text"}),
):
    _got = flaws(_tokens.split(), [["a", "b"]])
    assert _got is not None and set(_got) == _wanted, (
        f"{_tokens!r} for the sentence `a b`: {_wanted or 'no flaw'}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_words = [f"w{i}" for i in range(random.randint(5, 9))]
_rest = random.sample(["x", "y", "z", "w"], k=2)
_end = ["</s>"]
for _said, _wanted, _how in (
    (_words[:-1] + _end, {"other text"}, "the last word is missing"),
    (_words[1:] + _end, {"other text"}, "the first word is missing"),
    ([*_words, "x", *_end], {"other text"}, "a word too many"),
    ([*_words, "<UNK>", *_end], {"unknown words", "other text"}, "an <UNK> too many"),
    (
        ["<UNK>"] + _words[2:] + _end,
        {"unknown words", "other text"},
        "one <UNK> for two words",
    ),
    ([_words[1], _words[0]] + _words[2:] + _end, {"other text"}, "two words swapped"),
    ([_words[0].upper()] + _words[1:] + _end, {"other text"}, "a capital letter"),
    (
        _words[:2] + ["<UNK>"] + _words[3:-1] + ["x"] + _end,
        {"unknown words", "other text"},
        "an <UNK>, and a wrong word after it",
    ),
    (
        [_words[0], _words[2], "<UNK>"] + _words[3:] + _end,
        {"unknown words", "other text"},
        "as many words, but one is missing and an <UNK> stands one place too late",
    ),
    (_words[:-1] + ["<UNK>"] + _end, {"unknown words"}, "the last word is <UNK>"),
    (_words[:-1], {"ends", "other text"}, "neither the last word nor an end"),
):
    _got = flaws(_said, [list(_words)])
    assert _got is not None and set(_got) == _wanted, (
        f"{_how}: {_wanted} wanted; yours: {_got}."
    )
for _said, _one in (
    (["ab", "c"], ["a", "bc"]),
    (["ab"], ["a", "b"]),
    (["a", "b"], ["ab"]),
):
    _got = flaws([*_said, "</s>"], [_one])
    assert _got is not None and set(_got) == {"other text"}, (
        f"{_said} for the sentence {_one}, the same letters: other text; yours: {_got}."
    )
_got = flaws(["a", "<UNK>", "</s>"], [["a", "a"]])
assert _got is not None and set(_got) == {"unknown words"}, (
    f"`a <UNK>` for the sentence `a a`: <UNK> may stand for any word; yours: {_got}."
)
_got = flaws([*_words, "</s>", *_rest, "</s>"], [list(_words), list(_rest)])
assert _got is not None and set(_got) == set(), (
    f"Two sentences, both right and both with their ends: no flaw; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="flaws" aspect="tokens and sentences stay" points=1
_tokens, _sentences = ["a", "<UNK>", "</s>"], [["a", "b"]]
_after = arguments_after(flaws, list(_tokens), [list(one) for one in _sentences])
assert list(_after[0]) == _tokens, f"The tokens are changed: now {_after[0]}."
assert [list(one) for one in _after[1]] == _sentences, (
    f"The sentences are changed: now {_after[1]}."
)
### BEGIN HIDDEN TESTS
_got = [flaws(["</s>", "b"], [["a", "b"]]) for _ in range(2)]
assert all(one is not None and set(one) == {"other text"} for one in _got), (
    f"Asked twice about the same, you answer {_got}."
)
### END HIDDEN TESTS

# %% [markdown]
# Which of the three flaws flatters most? We take a *unigram* model, the weakest of all, and let it know fewer and fewer words.

# %%
stories = lmkit.load("kitchen").splits["train"]
train_words = [word for story in stories for word in (*story, "</s>")]
counts = Counter(train_words)
test_words = [scores.symbols[number] for number in scores.tokens]
known_sizes = [30, 100, 300, 1000]


def unigram_report(size):
    """Tokens, ln P of each, and how many words are unknown, when `size` words are known."""
    known = {word for word, _ in counts.most_common(size)}
    tokens = [word if word in known else "<UNK>" for word in test_words]
    often = Counter(word if word in known else "<UNK>" for word in train_words)
    ln_p = np.log(
        [(often[t] + 1) / (len(train_words) + len(known) + 1) for t in tokens]
    )
    kinds = len({*counts, *test_words} - known)
    return tokens, ln_p, kinds


for size in known_sizes:
    tokens, ln_p, kinds = unigram_report(size)
    share = tokens.count("<UNK>") / len(tokens)
    print(
        f"{size:5} words known: perplexity {np.exp(-ln_p.mean()):5.1f}, {share:.0%} of all tokens unknown"
    )

# %% [markdown]
# With thirty words it "beats" the same model with a thousand by far. It has not learned more; it has said less.

# %% [markdown]
# ## 2. Pay for what was not said
#
# `<UNK>` is a promise, not a prediction: the model still has to say *which* unknown word it was. If there are $U$ unknown words and it has no preference among them, that takes another $\ln U$ nats for each `<UNK>`. This is the fair price.
#
# Sums of bits over the same text can always be compared. Means can be, once all of them divide by the same number. We take the number of words, which does not depend on how a model cuts its tokens:

# %% [markdown] statement="bits_per_word"
# $$\text{bits per word} = \frac{-\sum_i \ln P(w_i) + n_{\text{UNK}} \ln U}{\ln 2 \cdot n_{\text{words}}}$$
#
# `bits_per_word(ln_p, tokens, kinds)` computes it from $\ln P$ of $N$ tokens $[N]$, the tokens, and $U$ (0 if no word is unknown). The sum over all $N$ tokens includes the cost of every `</s>`, but $n_{\text{words}}$ does not count them; $n_{\text{UNK}}$ is the number of `<UNK>`, and each of these is a word.

# %% [markdown] hints="bits_per_word"
# 1. Above the line: what the whole text costs. Below it: how many words it has.
# 2. Which tokens are words? What is to be paid if no word is unknown and $U$ is 0?
# 3. Count the `<UNK>` first; only if there is one, its price is needed. Bits are nats divided by $\ln 2$.


# %% task="bits_per_word" points=3 level=1 minutes=8
def bits_per_word(ln_p, tokens, kinds):
    """All bits of a text, those for naming unknown words too, per word (</s> is none)."""
    ### BEGIN SOLUTION
    unknown = list(tokens).count("<UNK>")
    total = -np.sum(ln_p) + (unknown * math.log(kinds) if unknown else 0)
    words = sum(token != "</s>" for token in tokens)
    return total / math.log(2) / words
    ### END SOLUTION


# %% test="bits_per_word" aspect="ends cost, and are no words" points=1
_ln_p = np.log([0.5, 0.25, 0.125])
_got = bits_per_word(_ln_p, ["a", "b", "</s>"], 0)
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, 3.0), f"6 bits for the 2 words `a b`: 3 bits a word; yours: {_got}."
### BEGIN HIDDEN TESTS
_ln_p = np.log([0.5, 0.5, 0.25, 0.5, 0.125, 0.5, 0.5])
_tokens = ["a", "</s>", "b", "c", "d", "</s>", "</s>"]
_got = bits_per_word(_ln_p, _tokens, 0)
assert is_number(_got) and close(_got, 10 / 4), (
    f"10 bits, 4 words and three ends: 2.5; yours: {_got}."
)
_got = bits_per_word(np.array([-1.0, -2.0]), ["a", "b"], 0)
assert is_number(_got) and close(_got, 1.5 / math.log(2)), (
    f"-1 and -2 nats for two words, and no end: {1.5 / math.log(2):.4f} bits; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="bits_per_word" aspect="unknown words must be named" points=1
_got = bits_per_word(np.log([0.5, 0.5]), ["<UNK>", "</s>"], 8)
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, 5.0), (
    f"2 bits, and 3 to say which of 8 words it was: 5; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _kinds in (1, 2, random.randint(20, 90)):
    _tokens = ["<UNK>", "a", "<UNK>", "</s>", "<UNK>", "</s>"]
    _ln_p = -np.random.default_rng().random(6) - 0.5
    _wanted = (-_ln_p.sum() / math.log(2) + 3 * math.log2(_kinds)) / 4
    _got = bits_per_word(_ln_p, list(_tokens), _kinds)
    assert is_number(_got) and close(_got, _wanted), (
        f"Three of four words unknown, {_kinds} kinds: {_wanted:.4f}; yours: {_got}."
    )
_tokens = ["<UNK>"] * 30 + ["a", "b", "a", "</s>"] * 7
_got = bits_per_word(np.full(58, -0.1), list(_tokens), 1000)
assert is_number(_got) and close(
    _got, (5.8 / math.log(2) + 30 * math.log2(1000)) / 51
), f"51 words, 30 of them unknown, 7 ends: another number is wanted; yours: {_got}."
_got = bits_per_word(np.log([0.5, 0.5]), ["a", "</s>"], 100)
assert is_number(_got) and close(_got, 2.0), (
    f"100 words are unknown, but none occurs: nothing more to pay, 2 bits; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="bits_per_word" aspect="arguments stay" points=1
_ln_p, _tokens = np.log([0.5, 0.25]), ["<UNK>", "</s>"]
_after = arguments_after(bits_per_word, _ln_p.copy(), list(_tokens), 4)
assert close(_after[0], np.log([0.5, 0.25])) and list(_after[1]) == _tokens, (
    f"ln_p and tokens should stay as they are; now {_after[0]} and {_after[1]}."
)
### BEGIN HIDDEN TESTS
_n = random.randint(3, 6)
_ln_p = np.full(_n, -0.7)
_wanted = _n * 0.7 / math.log(2) / _n
_got = [bits_per_word(_ln_p, ["a"] * _n, 0) for _ in range(2)]
assert all(is_number(one) and close(one, _wanted) for one in _got), (
    f"{_n} words at .7 nats, asked twice: {_wanted:.4f}; yours: {_got}."
)
### END HIDDEN TESTS

# %%
reports = [unigram_report(size) for size in known_sizes]
reported = [np.exp(-ln_p.mean()) for _, ln_p, _ in reports]
paid = [bits_per_word(ln_p, tokens, kinds) for tokens, ln_p, kinds in reports]
_, (left, right) = plt.subplots(1, 2, figsize=(9, 3))
left.plot(known_sizes, reported, "o-")
left.set(xscale="log", xlabel="known words (log)", ylabel="perplexity as reported")
right.plot(known_sizes, paid, "o-", color=plots.COLOURS[1])
right.set(xscale="log", xlabel="known words (log)", ylabel="bits per word, all paid")
plt.show()

# %% [markdown]
# As reported (left), knowing less looks better. Once every model names every word (right), the order is turned round.
#
# So all models of our scoreboard say the same symbols, everything rarer is `<UNK>` for each of them, and every `</s>` counts.

# %% [markdown]
# ## 3. Three ways, one number
#
# The Transformer beats the LSTM on our 200 stories. Would it on 200 others? Let $d_j$ be the difference of two models on story $j$, in nats per token, and $\bar d$ the mean of these $D$ numbers. Other stories would give another mean; how far such means scatter is the **standard error**.

# %% [markdown] statement="standard_error"
# Get it three ways:
#
# - `by_formula(d)`: $\sqrt{\sum_j (d_j - \bar d)^2 / (D - 1)} \,/\, \sqrt D$;
# - `by_jackknife(d)`: leave out one story at a time. With $\bar d_{-j}$ the mean of the others, and $\bar d_{-\cdot}$ the mean of those means, $\sqrt{\tfrac{D-1}{D} \sum_j (\bar d_{-j} - \bar d_{-\cdot})^2}$;
# - `by_bootstrap(d, draws)`: row $r$ of `draws` $[R, D]$ has the numbers of $D$ stories, drawn with replacement: some come twice, some not at all. Take the mean over each row; the answer is the standard deviation of the $R$ means (divide by $R$).
#
# The formula is special to means. Jackknife and bootstrap only recompute the number on altered data, so they also work where nobody has a formula: for a ratio, a correlation, a BLEU score. The bootstrap asks for little more than that. The jackknife also needs a number that moves smoothly when one story is left out, and a median does not: the cell below the checks shows what happens.

# %% [markdown] hints="standard_error"
# 1. The formula is that of a mean; which `ddof` does the inner root have?
# 2. The mean of the others needs no loop: take $d_j$ away from the sum.
# 3. An array of indices as an index, `d[draws]`, has the shape of the indices. Over which axis is a row's mean?


# %% task="standard_error" points=4 level=2 minutes=14
def by_formula(d):
    """Standard error of the mean of d [D]."""
    ### BEGIN SOLUTION
    return np.std(d, ddof=1) / math.sqrt(len(d))
    ### END SOLUTION


def by_jackknife(d):
    """The same, from the means of all but one of d [D]."""
    ### BEGIN SOLUTION
    D = len(d)
    means = (np.sum(d) - d) / (D - 1)
    return math.sqrt((D - 1) / D * ((means - means.mean()) ** 2).sum())
    ### END SOLUTION


def by_bootstrap(d, draws):
    """The same, as the scatter of the means of d[draws]; draws [R, D] has indices."""
    ### BEGIN SOLUTION
    return d[draws].mean(axis=1).std()
    ### END SOLUTION


# %% test="standard_error" aspect="the formula" points=1
_got = by_formula(np.array([1.0, 3.0]))
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, 1.0), f"1 and 3: deviation √2, by √2: 1; yours: {_got}."
### BEGIN HIDDEN TESTS
_d = np.random.default_rng().normal(2, 3, size=random.randint(5, 9))
_mean = sum(_d) / len(_d)
_wanted = math.sqrt(sum((x - _mean) ** 2 for x in _d) / (len(_d) - 1) / len(_d))
_got = by_formula(_d.copy())
assert is_number(_got) and close(_got, _wanted), (
    f"{len(_d)} random numbers: {_wanted:.4f} wanted; yours: {_got}."
)
_got = by_formula(np.array([-0.5, -0.5, -0.5]))
assert is_number(_got) and close(_got, 0, 0, 1e-9), (
    f"Three equal numbers do not scatter: 0; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="standard_error" aspect="leaving one out" points=1
_got = by_jackknife(np.array([1.0, 3.0]))
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, 1.0), (
    f"The formula gives 1 for 1 and 3, and so should this; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _size in (random.randint(5, 9), 200):
    _d = np.random.default_rng().normal(-1, 2, size=_size)
    _others = [np.delete(_d, j).mean() for j in range(_size)]
    _centre = sum(_others) / _size
    _wanted = math.sqrt((_size - 1) / _size * sum((x - _centre) ** 2 for x in _others))
    _got = by_jackknife(_d.copy())
    assert is_number(_got) and close(_got, _wanted), (
        f"{_size} random numbers: {_wanted:.4f} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="standard_error" aspect="drawing with replacement" points=2
_got = by_bootstrap(np.array([1.0, 3.0]), np.array([[0, 0], [1, 1], [0, 1], [1, 0]]))
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, math.sqrt(0.5)), f"Means 1, 3, 2, 2: √.5 = .707; yours: {_got}."
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _rows, _scale in ((1, 1), (3, 1e-5), (40, 1), (300, 100)):
    _d = _scale * _rng.normal(1, 2, size=5)
    _draws = _rng.integers(5, size=(_rows, 5))
    _means = [sum(_d[j] for j in row) / 5 for row in _draws]
    _centre = sum(_means) / _rows
    _wanted = math.sqrt(sum((x - _centre) ** 2 for x in _means) / _rows)
    _got = by_bootstrap(_d.copy(), _draws.copy())
    assert is_number(_got) and close(_got, _wanted, 1e-6, 1e-12), (
        f"{_rows} draws of 5: {_wanted:.4g} wanted; yours: {_got}."
    )
for _function, _inputs in (
    (by_formula, (_d,)),
    (by_jackknife, (_d,)),
    (by_bootstrap, (_d, _draws)),
):
    _after = arguments_after(_function, *(part.copy() for part in _inputs))
    assert all(close(a, b) for a, b in zip(_after, _inputs, strict=True)), (
        "d or draws is changed in place."
    )
### END HIDDEN TESTS

# %%
lengths = np.bincount(document)
per_story = {name: np.bincount(document, scores[name]) / lengths for name in names}
d = per_story["Transformer"] - per_story["LSTM"]
draws = np.random.default_rng(1).integers(len(d), size=(2000, len(d)))
print(f"mean difference {d.mean():.4f} nats per token")
print(
    f"formula {by_formula(d):.5f}, jackknife {by_jackknife(d):.5f}, bootstrap {by_bootstrap(d, draws):.5f}"
)
without_one = [np.median(np.delete(d, j)) for j in range(len(d))]
print(f"medians without one story: only {len(set(without_one))} different values")
print(
    f"medians of the bootstrap's draws: {len(set(np.median(d[draws], axis=1)))} values"
)

# %% [markdown]
# Formula and jackknife agree to the last digit, and must: $\bar d_{-j} - \bar d = (\bar d - d_j) / (D - 1)$, so each jackknife term is the formula's, scaled. The bootstrap comes close: it depends on the stories that happen to be drawn, and with more draws it settles.
#
# For a median the jackknife breaks down. Leave out any one of the 200 stories, and the median is one of two numbers, its two neighbours in the middle of the sorted list. Two values cannot say how far a median would scatter. The bootstrap's draws have nearly two hundred different medians, so it can.

# %% [markdown]
# ## 4. Better, or lucky?
#
# A story is hard for both models or easy for both: their losses go up and down together. So draw *stories*, and compare both models on the same draw: a **paired bootstrap**. Nor are the words of one story independent of each other: they share a town, a surname and a plot. This is why we draw whole stories and not words.

# %% [markdown] statement="paired_bootstrap"
# - `differences(a, b, document, draws)`: `a` and `b` have $\ln P$ of each token under two models, $[N]$; `document` $[N]$ says to which story each token belongs, 0 to $D - 1$; `draws` $[R, D]$ has stories. For each row: $b$'s loss in nats per token minus $a$'s, over all tokens of the drawn stories, as often as they were drawn. Shape $[R]$; above 0 where $a$ is better.
# - `interval(values, level)`: the lowest and the highest value, `(low, high)`, once the share $(1 - \text{level}) / 2$ is cut off at either end. Where a cut falls between two values, interpolate as `np.quantile` does.

# %% [markdown] hints="paired_bootstrap"
# 1. A loss per token is a ratio of two sums. In a draw, both sums change.
# 2. First sum up each story once, both what the models differ by and how many tokens it has. Tokens of a story need not stand together.
# 3. `np.bincount` with weights gives sums by story. Index both results with the draws, sum over a row, and divide last.


# %% task="paired_bootstrap" points=5 level=3 minutes=18
def differences(a, b, document, draws):
    """Loss of b minus loss of a, nats per token, over the stories of each row of draws: [R]."""
    ### BEGIN SOLUTION
    gains = np.bincount(document, np.asarray(a) - np.asarray(b))  # [D]
    lengths = np.bincount(document)
    return gains[draws].sum(axis=1) / lengths[draws].sum(axis=1)
    ### END SOLUTION


def interval(values, level):
    """Where the middle share `level` of the values lies: (low, high)."""
    ### BEGIN SOLUTION
    rest = (1 - level) / 2
    return np.quantile(values, rest), np.quantile(values, 1 - rest)
    ### END SOLUTION


# %% test="paired_bootstrap" aspect="a ratio of sums" points=2
_a, _b = np.array([-1.0, -1.0, -1.0]), np.array([-2.0, -2.0, -5.0])
_got = differences(_a, _b, np.array([0, 0, 1]), np.array([[0, 1], [0, 0], [1, 1]]))
assert np.shape(_got) == (3,), (
    f"Three draws: shape (3,) wanted; yours: {np.shape(_got)}."
)
assert close(_got, [2, 1, 4]), (
    f"Story 0 differs by 1 on each of 2 tokens, story 1 by 4 on one: 6/3, 4/4, 8/2; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _D, _R in ((4, 6), (1, 3), (6, 1), (20, 150)):
    _document = np.concatenate([np.full(j + 1, j) for j in range(_D)])
    _a, _b = _rng.normal(-3, 1, size=(2, len(_document)))
    _draws = _rng.integers(_D, size=(_R, _D))
    _wanted = []
    for _row in _draws:
        _at = np.concatenate([np.flatnonzero(_document == j) for j in _row])
        _wanted.append(_a[_at].mean() - _b[_at].mean())
    _got = differences(_a.copy(), _b.copy(), _document.copy(), _draws.copy())
    assert np.shape(_got) == (_R,), (
        f"{_R} draws: shape ({_R},); yours: {np.shape(_got)}."
    )
    assert close(_got, _wanted, 1e-6, 1e-9), (
        f"{_D} stories of 1 to {_D} tokens: {np.round(_wanted, 4)} wanted; yours: {_got}."
    )
_after = arguments_after(
    differences, _a.copy(), _b.copy(), _document.copy(), _draws.copy()
)
assert all(
    close(*pair, 0, 0) for pair in zip(_after, (_a, _b, _document, _draws), strict=True)
), "What is handed over is changed in place."
### END HIDDEN TESTS

# %% test="paired_bootstrap" aspect="tokens in any order" points=1
_a, _b = np.array([-1.0, -1.0, -1.0]), np.array([-2.0, -5.0, -2.0])
_got = differences(_a, _b, np.array([0, 1, 0]), np.array([[0, 1], [1, 1]]))
assert np.shape(_got) == (2,) and close(_got, [2, 4]), (
    f"Tokens 0 and 2 are story 0: 2 and 4 wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
_document = np.array([2, 0, 1, 1, 2, 0, 2, 2, 1, 3])
_mixed = _rng.permutation(10)
_a, _b = _rng.normal(-3, 1, size=(2, 10))
_draws = np.array([[3, 3, 3, 3], [0, 1, 2, 3], [1, 1, 2, 0]])
_first = differences(_a, _b, _document, _draws)
_second = differences(_a[_mixed], _b[_mixed], _document[_mixed], _draws)
assert close(_first, _second, 1e-6), "Shuffle the tokens and your differences change."
assert close(_first[0], _a[9] - _b[9], 1e-6), (
    f"Four times story 3, which has one token: {_a[9] - _b[9]:.4f}; yours: {_first[0]}."
)
assert close(np.negative(_first), differences(_b, _a, _document, _draws), 1e-6), (
    "With the two models swapped, each difference should change its sign."
)
### END HIDDEN TESTS

# %% test="paired_bootstrap" aspect="cut off at both ends" points=2
_got = interval(np.arange(101.0), 0.9)
assert _got is not None and np.shape(_got) == (2,), (
    f"Two numbers wanted; yours: {_got!r}."
)
assert close(_got, [5, 95]), f"0 to 100, the middle 90 %: 5 and 95; yours: {_got}."
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _size, _level in ((41, 0.95), (41, 0.5), (8, 0.8), (8, 0.95), (41, 0.0), (8, 1.0)):
    _values = _rng.normal(size=_size)  # of 8 values, most cuts lie between two
    _wanted = [np.quantile(_values, 0.5 + side * _level / 2) for side in (-1, 1)]
    _got = interval(_values.copy(), _level)
    assert _got is not None and np.shape(_got) == (2,), (
        f"Two numbers wanted; yours: {_got!r}."
    )
    assert close(_got, _wanted, 1e-6, 1e-9), (
        f"{_size} unsorted numbers, the middle {_level:.0%}: {np.round(_wanted, 3)} wanted; yours: {_got}."
    )
_got = interval(np.array([3.0]), 0.95)
assert _got is not None and close(_got, [3, 3]), f"A single 3: 3 and 3; yours: {_got}."
_after = arguments_after(interval, np.array([3.0, 1.0, 2.0]), 0.9)
assert close(_after[0], [3, 1, 2]), f"interval changes the values: {_after[0]}."
### END HIDDEN TESTS

# %%
pairs = [
    ("Transformer", "LSTM"),
    ("LSTM", "RNN"),
    ("RNN", "window"),
    ("window", "modified Kneser-Ney 5"),
]
draws = np.random.default_rng(2).integers(len(lengths), size=(2000, len(lengths)))
others = np.random.default_rng(3).integers(len(lengths), size=(2000, len(lengths)))
nothing, every_token = np.zeros(len(scores)), np.arange(len(scores))
token_draws = np.random.default_rng(4).integers(len(scores), size=(500, len(scores)))
spans = []
for first, second in pairs:
    a, b = scores[first], scores[second]
    paired = differences(a, b, document, draws)
    apart = differences(a, nothing, document, draws) - differences(
        b, nothing, document, others
    )
    tokens_alone = (a - b)[token_draws].mean(1)
    spans.append([interval(x, 0.95) for x in (paired, apart, tokens_alone)])

# %%
_, axes = plt.subplots(figsize=(9.5, 3.4))
ways = ("stories, paired", "stories, not paired", "single tokens, paired")
for i, (label, colour) in enumerate(zip(ways, plots.COLOURS, strict=False)):
    for y, row in enumerate(spans):
        axes.plot(row[i], [y + 0.2 - 0.2 * i] * 2, color=colour, lw=4)
    axes.plot([], [], color=colour, lw=4, label=label)
perplexity = recorded["perplexity"]
on_all = [math.log(perplexity[b] / perplexity[a]) for a, b in pairs]
axes.plot(on_all, range(len(pairs)), "k|", markersize=26, label="on all 1,220 stories")
axes.axvline(0, color="gray", linestyle=":")
axes.set_yticks(range(len(pairs)), [f"{a} better than\n{b} by" for a, b in pairs])
axes.set_xlabel("nats per token (bars: 95 % of the draws)")
axes.set_title("Only paired stories see every lead")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()
for (first, second), row in zip(pairs, spans, strict=True):
    widths = [high - low for low, high in row]
    print(
        f"{first} - {second}: widths {widths[0]:.3f}, {widths[1]:.3f}, {widths[2]:.3f}"
    )

# %% [markdown]
# On the same stories (blue) every lead is clear. With other stories for each model (orange) the intervals are three to six times as wide, and the RNN's lead over the window would be lost. The reason: some stories are hard for both models, and that is most of the scatter; the pairs cancel it. Drawing single tokens (green) changes little here, because in our made-up stories the *difference* between two models hardly depends on the story. In texts whose authors and topics differ it may, so draw documents.
#
# The black marks are a test that one rarely has: the difference on all 1,220 stories. Each should lie in its blue bar, or just beside it, since one interval in twenty misses.
#
# And here is what the blue bars do *not* tell you. They answer the question "would it be so on other stories?" They know nothing about "would it be so if we trained both again?" Three Transformers that differ in the seed alone were 0.08 bits apart, that is 0.05 nats, more than the width of the Transformer's bar. A comparison of *recipes* therefore needs several trainings of each as well as many stories.

# %% [markdown] statement="twenty_stories"
# #### Twenty stories
#
# A friend has a new model. On 20 test stories it needs 0.01 nats per token less than the old one, and 12 of the 20 stories got better. What do you answer, and what would you ask to see?

# %% [markdown] written="twenty_stories" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: says that the difference has to be held against its scatter between stories (a standard error or an interval from the paired differences), and that .01 alone decides nothing. 1 point: uses the 12 of 20: a coin does as well or better one time in four (probability .25), so this is no evidence. 1 point: asks for something that would decide: more stories, with how many are needed from the scatter; a paired interval; several seeds, since two trainings of one model differ, too.
#
# No point for "0.01 is small" without a scale. A usual wrong idea: to count tokens as independent draws, because there are many of them.
#
# **Sample, 3 points.** I would not believe it yet. 12 heads in 20 throws of a coin are nothing special, one gets 12 or more in a quarter of all tries. Whether .01 is much depends on how the 20 differences scatter: with a standard deviation of .05 the standard error is .011, so it could be zero. I would ask for the interval of a paired bootstrap over stories, and then for so many stories that two standard errors are below .01; also for a second seed.
#
# **Sample, 1 point.** The number of stories is too small, because of statistics one needs a standard error with it. Maybe with 1,000 stories it would be better.
#
# **Sample, 0 points.** It is better on 60 % of the stories and on average, so it is better. I would ask how many parameters it has.
# ### END SOLUTION

# %% [markdown] statement="documents_needed"
# ## 5. How large a test?
#
# A pilot of a few stories already says how many will be needed. If single differences scatter by $s$ (the standard deviation with $D - 1$ below), the mean of $D$ of them scatters by $s / \sqrt D$. We call two models told apart once their mean difference is at least $z$ standard errors, $|\bar d| \ge z\, s / \sqrt D$.
#
# `documents_needed(d, z=2)`: solve this for $D$, with $\bar d$ and $s$ from the pilot $d$; return the smallest whole number of stories, at least 1. If $\bar d$ is 0, no number suffices: `math.inf`. No test lets a rounding error of the computer decide between two numbers.

# %% [markdown] hints="documents_needed"
# 1. Square both sides; then $D$ stands alone.
# 2. A sign says who is better, not how hard it is to see. And stories come in whole numbers.
# 3. Round up, never below 1, and look at $\bar d = 0$ before you divide.


# %% task="documents_needed" points=3 level=2 minutes=10
def documents_needed(d, z=2):
    """The smallest D at which a mean difference like that of the pilot d is z standard errors."""
    ### BEGIN SOLUTION
    mean, s = np.mean(d), np.std(d, ddof=1)
    if mean == 0:
        return math.inf
    return max(1, math.ceil((z * s / mean) ** 2))
    ### END SOLUTION


# %% test="documents_needed" aspect="the smallest number" points=2
_got = documents_needed(np.array([0.0, 1.0, 0.0, 1.0]))
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert _got == 6, f"Mean .5, s² = 1/3: (2 s / .5)² = 5.33, so 6; yours: {_got}."
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _z, _size in ((2, 5), (3, 9), (1.5, 30), (1, 4), (0.5, 6), (20, 3)):
    _d = _rng.normal(0, 1, size=_size)
    _d += random.choice([-1, 1]) * random.uniform(0.15, 0.6) - _d.mean()
    _s = math.sqrt(((_d - _d.mean()) ** 2).sum() / (_size - 1))
    _wanted = next(
        D for D in range(1, 10**6) if abs(_d.mean()) >= _z * _s / math.sqrt(D)
    )
    _got = documents_needed(_d.copy(), _z)
    assert is_number(_got) and _got == _wanted, (
        f"A pilot of {_size} with mean {_d.mean():.3f}, s = {_s:.3f} and z = {_z}: "
        f"{_wanted} stories; yours: {_got}."
    )
for _d, _z, _wanted in (
    ([2.0, 4.0, 6.0], 4, 4),
    ([-6.0, -4.0, -2.0], 6, 9),
    ([2.0, 4.0, 6.0], 2, 1),
    ([-1.7, 0.3, 2.3], 0.5, 12),
):
    _got = documents_needed(np.array(_d), _z)
    assert is_number(_got) and _got == _wanted, (
        f"Mean {np.mean(_d):.1f}, s = 2, z = {_z}: {_wanted} wanted; yours: {_got}."
    )
_got = documents_needed(np.array([1.0, 0.0, -1.0]) + 2.0**-12)
assert is_number(_got) and _got == 2**26, (
    f"Mean {2.0**-12:.6f}, s = 1: small is not zero, {2**26} wanted; yours: {_got}."
)
_d = _rng.normal(1, 2, size=8)
_got = documents_needed(_d.copy())
assert _got == documents_needed(_d.copy(), 2), "Without a second argument, z is 2."
### END HIDDEN TESTS

# %% test="documents_needed" aspect="no difference, no scatter" points=1
_got = documents_needed(np.array([1.0, -1.0]))
assert _got == math.inf, f"The mean is 0: math.inf is wanted; yours: {_got!r}."
### BEGIN HIDDEN TESTS
for _d, _wanted in (
    ([0.25, 0.25, 0.25], 1),
    ([-3.0, -3.0], 1),
    ([0.0, 0.0], math.inf),
    ([-100.0, -101.0, -100.5], 1),
    ([-2.0, 2.0, 0.5, -0.5], math.inf),
):
    _got = documents_needed(np.array(_d))
    assert is_number(_got) and _got == _wanted, (
        f"d = {_d}: {_wanted} wanted; yours: {_got!r}."
    )
_d = np.array([0.5, -1.0, 2.0])
assert close(arguments_after(documents_needed, _d.copy())[0], _d), (
    "d is changed in place."
)
### END HIDDEN TESTS

# %% [markdown]
# Predict, then measure. A pilot of 30 stories says how many are needed. Then we draw that many of our 200 stories (with replacement), a thousand times. In what share of the draws is the difference at least two standard errors: nearly always? We also want cases that are hard, so some models are mixed by hand: 80 % Transformer and 20 % LSTM hardly differs from the Transformer alone.
#
# The share that you are about to see has a name. The **power** of a test is the probability that it sees a difference that really is there. If the true difference is $\delta$ and the standard error $s / \sqrt D$, the measured difference scatters around $\delta$ roughly as a normal distribution, so it lies above $z$ standard errors with probability
#
# $$\text{power} \approx \Phi\!\left(\frac{\delta}{s / \sqrt D} - z\right), \qquad \Phi(x) = P(\text{a standard normal number} < x) .$$

# %%
rng = np.random.default_rng(5)


def blend(first, second, share):
    """ln P of each token if a share of the probability comes from the first model."""
    return np.log(share * np.exp(scores[first]) + (1 - share) * np.exp(scores[second]))


transformer, lstm = scores["Transformer"], scores["LSTM"]
contests = {
    "LSTM, RNN": lstm - scores["RNN"],
    "RNN, window": scores["RNN"] - scores["window"],
    "LSTM, half RNN": lstm - blend("LSTM", "RNN", 0.5),
    "Transformer, half LSTM": transformer - blend("Transformer", "LSTM", 0.5),
    "Transformer, a fifth LSTM": transformer - blend("Transformer", "LSTM", 0.8),
}


def power(d, stories):
    """In what share of 1,000 draws of so many stories the mean is two standard errors from 0."""
    some = d[rng.integers(len(d), size=(1000, max(stories, 2)))]
    error = some.std(axis=1, ddof=1) / math.sqrt(some.shape[1])
    return np.mean(abs(some.mean(axis=1)) >= 2 * error)


rows = []
for gain in contests.values():
    d = np.bincount(document, gain) / lengths
    rows.append([d.mean()])
    for needed in documents_needed(d[:30]), documents_needed(d), documents_needed(d, 4):
        rows[-1] += [needed, f"{power(d, needed):.0%}"]
head = [
    "nats apart",
    "by the pilot",
    "power",
    "by all 200",
    "power ",
    "with z = 4",
    "power  ",
]
pd.DataFrame(rows, contests, head).round(4)

# %% [markdown]
# Not nearly always. Look at the last row, where there are enough stories for the formula to be exact. If $D$ is exactly the number that all 200 stories ask for, the true difference is two standard errors, so $\frac{\delta}{s / \sqrt D} - z = 0$ and the power should be $\Phi(0) = \frac12$: half of all draws fall short. It is 51 %. How many stories do you need for a power of 98 %? $\Phi(2)$ is about 0.98, so the true difference has to be *four* standard errors. Ask for $z = 4$, which means four times as many stories, and the last column shows that it works: 96 % or more in every row. (The formula is rough where few stories are needed, since then the scatter itself is estimated from a handful of numbers.)
#
# And a pilot can err. For the last pair it asks for 50 stories, where all 200 together say 231; with 50, one draw in five tells the two apart. Note also how expensive small differences are: at the same scatter, half the difference needs four times as many stories.

# %% [markdown] statement="fit_power_law"
# ## 6. A straight line on logarithms
#
# How does a model profit from more text? Loss often falls as a **power law** of the $n$ tokens it learns from, down to a floor $L_\infty$ that nothing can go below:
#
# $$L(n) - L_\infty = a\, n^{-b}, \qquad \ln (L(n) - L_\infty) = \ln a - b \ln n .$$
#
# On logarithms it is a straight line, and least squares finds it. For real text nobody knows $L_\infty$; ours is known.
#
# - `fit_power_law(sizes, losses, floor)` returns $(a, b)$: the line that minimises the sum of squares on logarithms;
# - `tokens_for(loss, a, b, floor)`: how many tokens the law asks for, not rounded. A loss at the floor or below it is never reached: `math.inf`.

# %% [markdown] hints="fit_power_law"
# 1. What are $x$ and $y$ of the straight line, and what are its slope and its intercept in terms of $a$ and $b$?
# 2. Subtract the floor before you take a logarithm, not after.
# 3. `np.polyfit(x, y, 1)` returns slope and intercept. Solving for $n$ turns the exponent round: $((L - L_\infty) / a)^{-1/b}$.


# %% task="fit_power_law" points=4 level=2 minutes=14
def fit_power_law(sizes, losses, floor):
    """(a, b) of losses - floor = a * sizes ** -b, least squares on logarithms."""
    ### BEGIN SOLUTION
    slope, intercept = np.polyfit(np.log(sizes), np.log(np.asarray(losses) - floor), 1)
    return math.exp(intercept), -slope
    ### END SOLUTION


def tokens_for(loss, a, b, floor):
    """The number of tokens at which the law reaches a loss; math.inf if it never does."""
    ### BEGIN SOLUTION
    if loss <= floor:
        return math.inf
    return ((loss - floor) / a) ** (-1 / b)
    ### END SOLUTION


# %% test="fit_power_law" aspect="points on a line" points=1
_got = fit_power_law(np.array([1.0, 4.0, 16.0]), np.array([9.0, 5.0, 3.0]), 1.0)
assert _got is not None and np.shape(_got) == (2,), f"(a, b) wanted; yours: {_got!r}."
assert close(_got, [8, 0.5], 1e-6), (
    f"8, 4 and 2 above the floor: a = 8, b = .5; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _floor in (0.0, random.uniform(1, 3)):
    _a, _b = random.uniform(0.5, 50), random.uniform(0.05, 1.5)
    _n = np.array([3e3, 1e4, 2e5, 5e6])
    _got = fit_power_law(_n, _floor + _a * _n**-_b, _floor)
    assert (
        _got is not None and np.shape(_got) == (2,) and close(_got, [_a, _b], 1e-5)
    ), (
        f"a = {_a:.3f}, b = {_b:.3f}, floor {_floor:.2f}, four points on the curve; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="fit_power_law" aspect="least squares on logarithms" points=1
_got = fit_power_law(np.array([1, 10, 100]), np.array([11.0, 101.0, 11.0]), 1.0)
assert _got is not None and np.shape(_got) == (2,), f"(a, b) wanted; yours: {_got!r}."
assert close(_got[1], 0, 1e-6, 1e-9), (
    f"Up and down by as much: b = 0; yours: {_got[1]}."
)
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _points in (3, 7):
    _n = np.exp(_rng.uniform(2, 12, size=_points))
    _losses = 2 + np.exp(3 - 0.3 * np.log(_n) + _rng.normal(0, 0.5, size=_points))
    _x, _y = np.log(_n), np.log(_losses - 2)
    _slope = ((_x - _x.mean()) * (_y - _y.mean())).sum() / ((_x - _x.mean()) ** 2).sum()
    _wanted = [math.exp(_y.mean() - _slope * _x.mean()), -_slope]
    _got = fit_power_law(_n.copy(), _losses.copy(), 2)
    assert _got is not None and np.shape(_got) == (2,) and close(_got, _wanted, 1e-5), (
        f"{_points} scattered points: {np.round(_wanted, 4)} wanted; yours: {_got}."
    )
_got = fit_power_law(np.array([1.0, 4.0, 16.0]), np.array([3.0, 5.0, 9.0]), 1.0)
assert _got is not None and close(_got, [2, -0.5], 1e-5), (
    f"2, 4 and 8 above the floor: a loss that grows has b = -.5; yours: {_got}."
)
_after = arguments_after(fit_power_law, _n.copy(), _losses.copy(), 2)
assert close(_after[0], _n) and close(_after[1], _losses), (
    "sizes or losses are changed in place."
)
### END HIDDEN TESTS

# %% test="fit_power_law" aspect="how much text for a loss" points=2
_got = tokens_for(3.0, 8.0, 0.5, 1.0)
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, 16.0), f"8 / √n = 2: n = 16; yours: {_got}."
### BEGIN HIDDEN TESTS
for _ in range(4):
    _n, _a, _b, _floor = (
        random.uniform(*span) for span in ((10, 1e6), (1, 20), (0.1, 0.9), (0, 2))
    )
    _got = tokens_for(_floor + _a * _n**-_b, _a, _b, _floor)
    assert is_number(_got) and close(_got, _n, 1e-5), (
        f"a = {_a:.2f}, b = {_b:.2f}, floor {_floor:.2f}: {_n:.1f} tokens; yours: {_got}."
    )
_got = tokens_for(3.5, 8.0, 0.5, 1.0)
assert is_number(_got) and close(_got, 10.24, 1e-6), (
    f"8 / √n = 2.5: n = 10.24, not rounded; yours: {_got}."
)
for _loss, _wanted in ((21.0, 0.16), (1.0 + 2.0**-21, 2.0**48)):
    _got = tokens_for(_loss, 8.0, 0.5, 1.0)
    assert is_number(_got) and close(_got, _wanted, 1e-6), (
        f"Loss {_loss:.7f}, floor 1, a = 8, b = .5: {_wanted:g} tokens; yours: {_got}."
    )
for _loss, _floor in ((1.5, 1.5), (1.0, 1.5), (0.0, 0.0), (-1.0, 0.0)):
    _got = tokens_for(_loss, 8.0, 0.5, _floor)
    assert _got == math.inf, (
        f"Loss {_loss} with the floor at {_floor}: math.inf; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %%
shares = scoreboard.table("shares")
true_bits = math.log2(recorded.loc["truth", "perplexity"])
fresh = {  # the board's recipes, four lengths of training; these never read a story twice
    name: [
        runs.load(f"kitchen-{name}{end}") for end in ("-1min", "", "-15min", "-60min")
    ]
    for name in ("lstm", "transformer")
}
shown = ["Good-Turing 3", "Katz 3", "modified Kneser-Ney 5", "lstm", "transformer"]
called = {"lstm": "LSTM", "transformer": "Transformer"}
_, axes = plt.subplots(figsize=(9, 4.4))
for i, name in enumerate(shown):
    rows = shares[shares["model"] == name].groupby("tokens")["bits above the floor"]
    mean = rows.mean()
    a, b = fit_power_law(mean.index, true_bits + mean, true_bits)
    _, forgot = fit_power_law(mean.index, true_bits + mean, 0)
    style = {"color": plots.COLOURS[i % len(plots.COLOURS)]}
    reach = np.array([1e4, 4e7 if name in fresh else 1e6])
    axes.plot(mean.index, mean, "o", **style, label=called.get(name, name))
    axes.plot(reach, a * reach**-b, **style, linewidth=1)
    print(f"{name:22} b = {b:.3f}, with the floor forgotten {forgot:.3f}")
    if name in fresh:
        read = [np.mean(run.each("tokens")) for run in fresh[name]]
        bits = [np.mean(run.each("bits above the floor")) for run in fresh[name]]
        axes.plot(read, bits, "D:", mfc="white", **style)
        wanted = tokens_for(true_bits + bits[1], a, b, true_bits)
        print(
            f"    on the board: {bits[1]:.2f} bits after {read[1] / 1e6:.1f} million tokens;"
            f" the line asks for {wanted / 1e6:.1f} million"
        )
        same_steps = math.log(mean.iloc[-1] / bits[0]) / math.log(
            read[0] / mean.index[-1]
        )
        print(
            f"    as many steps as on 100,000 tokens, but {read[0]:,.0f} fresh ones:"
            f" {mean.iloc[-1]:.2f} -> {bits[0]:.2f} bits, b = {same_steps:.2f}"
        )
axes.plot(
    [], [], "kD:", mfc="white", label="fresh text; the board\nis the second of four"
)
axes.set(xscale="log", yscale="log", xlabel="tokens to learn from (log)")
axes.set_yticks(
    [5, 2, 1, 0.5, 0.2, 0.1, 0.05], ["5", "2", "1", "0.5", "0.2", "0.1", "0.05"]
)
axes.minorticks_off()
axes.set_ylabel("bits above the floor (log)")
axes.set_title("The networks' lines do not survive the board")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()
passes = shares[shares["model"].isin(fresh)].groupby(["model", "tokens"])
passes[["passes", "CPU seconds"]].mean().round(1).unstack(0)

# %% [markdown]
# Look at the dots first, they are what the lines are fitted to. With ten thousand tokens Kneser-Ney and both networks are alike, 3.1 bits above the floor. Then they part: Kneser-Ney's line falls with $b = 0.19$, so it takes about forty times the text to halve its distance ($2^{1/0.186} \approx 42$); the networks' lines fall with $b = 0.5$, so four times the text would do. (Each dot of a network is the mean of three seeds.) So "which model is better?" has no answer until you say how much text there is.
#
# Now the white diamonds. They are the same two networks, trained on text that never repeats, for 1, 4, 15 and 60 minutes; those of four minutes are the rows of our scoreboard. If the lines were laws, the diamonds would lie on them. They do not. According to its line, the LSTM could have reached its place on the board with 0.2 million tokens; it needed 3.2 million.

# %% [markdown]
# What went wrong? The last table shows it. Along the dots *two* things grow: the text, and the training. With ten times the text the network also made three times as many steps, and read each story a third as often. So $b = 0.5$ is not what text buys. It is what text *and* steps buy together in this recipe. We can separate them once, because one pair of points has equal steps: 100,000 tokens read eight times (six times by the Transformer), and the first diamond, as many steps on fresh text. There, eight times as much text brings the LSTM from 0.98 to 0.82 bits, an exponent of 0.08.
#
# This is a trap in papers, too. J. Kaplan and others (2020) and J. Hoffmann and others (2022) fitted such lines to much larger models and came to different advice on how large a model should be; the second group traced this partly to the schedule of the learning rate, which the first had not adapted to the amount of text. A straight line through three points is a summary of three points. It becomes a law when it has predicted a fourth.
#
# And do not forget the floor. If it is unknown, as with any real text, one fits without it, and every exponent here shrinks to between 0.4 and 0.6 of itself.

# %% [markdown]
# ## 7. What two models know together
#
# An n-gram remembers exact phrases; a network generalises. Perhaps each knows something that the other lacks. Mix them, as chapter 2 mixed orders: with weights $\lambda_m \ge 0$ that sum to 1,
#
# $$P(w_i) = \sum_{m=1}^M \lambda_m P_m(w_i) .$$
#
# The weights are fitted by **EM**. Start with $\lambda_m = 1/M$. In each round, ask for every token which share of its probability came from model $m$, and make the mean share the new weight:
#
# $$r_{mi} = \frac{\lambda_m P_m(w_i)}{\sum_{k} \lambda_k P_k(w_i)}, \qquad \lambda_m \leftarrow \frac1N \sum_{i=1}^N r_{mi} .$$

# %% [markdown] statement="mixture"
# - `mix(ln_p, weights)`: from $\ln P_m(w_i)$ $[M, N]$ and $\lambda$ $[M]$, $\ln P(w_i)$ $[N]$. It must not underflow where all models give $e^{-2000}$; a weight may be 0, and a model may give $-\infty$ where another does not;
# - `em_weights(ln_p, rounds)`: the weights $[M]$ after exactly that many rounds; 0 rounds leave all of them equal.

# %% [markdown] hints="mixture"
# 1. Mix probabilities, not logarithms. But $e^{-2000}$ is 0 to a computer: what can be taken out of the sum first?
# 2. `np.logaddexp.reduce` adds probabilities that are given as logarithms, over an axis of your choice. What is added to $\ln P_m$ before?
# 3. A weight of 0 has the logarithm $-\infty$, which is right here; `np.errstate(divide="ignore")` keeps NumPy quiet. The shares are $\exp$ of (one row's logarithm minus that of the mixture).


# %% task="mixture" points=5 level=3 minutes=20
def mix(ln_p, weights):
    """ln of the mixture's probability of each token [N], from ln_p [M, N] and weights [M]."""
    ### BEGIN SOLUTION
    with np.errstate(divide="ignore"):
        ln_weights = np.log(np.asarray(weights, dtype=float))
    return np.logaddexp.reduce(np.asarray(ln_p) + ln_weights[:, None], axis=0)
    ### END SOLUTION


def em_weights(ln_p, rounds):
    """The weights [M] that EM has found after some rounds, from equal ones."""
    ### BEGIN SOLUTION
    ln_p = np.asarray(ln_p)
    weights = np.full(len(ln_p), 1 / len(ln_p))
    for _ in range(rounds):
        with np.errstate(divide="ignore"):
            rows = ln_p + np.log(weights)[:, None]
        weights = np.exp(rows - mix(ln_p, weights)).mean(axis=1)
    return weights
    ### END SOLUTION


# %% test="mixture" aspect="probabilities are mixed" points=1
_got = mix(np.log([[0.5, 0.1], [0.1, 0.3]]), np.array([0.25, 0.75]))
assert np.shape(_got) == (2,), (
    f"Two tokens: shape (2,) wanted; yours: {np.shape(_got)}."
)
assert close(_got, np.log([0.2, 0.25]), 1e-6), (
    f"ln .2 and ln .25 wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _M, _N in ((3, 5), (1, 4), (2, 1), (4, 2)):
    _p, _w = _rng.uniform(0.01, 0.9, size=(_M, _N)), _rng.dirichlet(np.ones(_M))
    _wanted = np.log([sum(_w[m] * _p[m, i] for m in range(_M)) for i in range(_N)])
    _got = mix(np.log(_p), _w.copy())
    assert np.shape(_got) == (_N,) and close(_got, _wanted, 1e-6), (
        f"{_M} models, {_N} tokens: {np.round(_wanted, 4)} wanted; yours: {_got}."
    )
_after = arguments_after(mix, np.log(_p), _w.copy())
assert close(_after[0], np.log(_p)) and close(_after[1], _w), (
    "ln_p or weights are changed in place."
)
### END HIDDEN TESTS

# %% test="mixture" aspect="no underflow, weight zero, impossible tokens" points=2
_got = mix(np.array([[-2000.0], [-2000.0]]), np.array([0.5, 0.5]))
assert np.shape(_got) == (1,) and close(_got, [-2000], 1e-6), (
    f"Both give e^-2000, so does the mixture: -2000 wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _rows, _w, _wanted, _what in (
    (
        [[-3000.0], [-1000.0]],
        [0.75, 0.25],
        [-1000 + math.log(0.25)],
        "e^-3000 beside e^-1000",
    ),
    ([[-1.0, -5.0], [-2.0, -0.5]], [1.0, 0.0], [-1.0, -5.0], "a weight of 0"),
    ([[-1.0, -5.0], [-2.0, -0.5]], [0.0, 1.0], [-2.0, -0.5], "the first weight 0"),
    (
        [[-math.inf, -1.0], [-2.0, -1.0]],
        [0.5, 0.5],
        [-2 + math.log(0.5), -1.0],
        "a token that one model calls impossible",
    ),
    ([[0.0], [-math.inf]], [0.5, 0.5], [math.log(0.5)], "sure beside impossible"),
    ([[-2000.0], [-1.0]], [1.0, 0.0], [-2000.0], "a weight of 0 for the likelier"),
    (
        [[-math.inf, -9e4], [-2000.0, -9e4]],
        [0.5, 0.5],
        [-2000 + math.log(0.5), -9e4],
        "e^-2000 beside impossible, and e^-90000",
    ),
    (
        [[-900.0], [-1000.0]],
        [1e-60, 1.0],
        [math.log(1e-60) - 900 + math.log1p(math.exp(-100 - math.log(1e-60)))],
        "a weight of 1e-60 for the likelier",
    ),
):
    _got = mix(np.array(_rows), np.array(_w))
    assert np.shape(_got) == np.shape(_wanted) and close(_got, _wanted, 1e-6, 1e-9), (
        f"With {_what}: {np.round(_wanted, 4)} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="mixture" aspect="rounds of EM" points=2
_got = em_weights(np.log([[0.6, 0.2], [0.2, 0.2]]), 1)
assert np.shape(_got) == (2,), f"Two weights wanted; yours: {np.shape(_got)}."
assert close(_got, [0.625, 0.375], 1e-6), (
    f"Shares 3/4 and 1/2 of the first model: weights .625 and .375; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _M, _N, _rounds in (
    (3, 6, 0),
    (3, 6, 1),
    (2, 5, 4),
    (4, 3, 7),
    (1, 5, 2),
    (9, 40, 60),
):
    _p = _rng.uniform(0.01, 0.9, size=(_M, _N))
    _w = np.full(_M, 1 / _M)
    for _ in range(_rounds):
        _share = _w[:, None] * _p
        _w = (_share / _share.sum(axis=0)).sum(axis=1) / _N
    _got = em_weights(np.log(_p), _rounds)
    assert np.shape(_got) == (_M,) and close(_got, _w, 1e-6), (
        f"{_M} models, {_N} tokens, {_rounds} rounds: {np.round(_w, 4)} wanted; yours: {_got}."
    )
_ln_p = np.array([[-1500.0, -1.0, -math.inf], [-1501.0, -1.0, -2.0]])
_w = np.array([0.5, 0.5])
for _ in range(3):
    _first = _w[0] / (_w[0] + _w[1] * math.exp(-1))
    _w = np.array([_first + _w[0], 2 + 1 - _first - _w[0]]) / 3
_got = em_weights(_ln_p.copy(), 3)
assert np.shape(_got) == (2,) and close(_got, _w, 1e-6), (
    f"e^-1500 and an impossible token: {np.round(_w, 4)} wanted; yours: {_got}."
)
_got = em_weights(np.array([[1e-6 - 1.0], [-1.0]]), 400)
assert np.shape(_got) == (2,) and close(
    _got[0], 1 / (1 + math.exp(-4e-4)), 1e-6, 1e-9
), (
    f"400 rounds were asked for, in each of which the weights move by little; yours: {_got}."
)
_got = em_weights(np.array([[-1.0, -2.0], [-math.inf, -math.inf]]), 5)
assert np.shape(_got) == (2,) and close(_got, [1, 0], 1e-6, 1e-9), (
    f"The second model calls every token impossible: weights 1 and 0; yours: {_got}."
)
assert close(arguments_after(em_weights, np.log(_p), 2)[0], np.log(_p)), (
    "ln_p is changed in place."
)
### END HIDDEN TESTS

# %% [markdown]
# Weights are fitted on the first half of the stories, and judged on the second. What would you bet: how much does the best network gain from an n-gram model?

# %%
fit_half, judged = document < len(lengths) // 2, document >= len(lengths) // 2
crews = [
    ("modified Kneser-Ney 5", "Laplace 2"),
    ("RNN", "window"),
    ("LSTM", "RNN"),
    ("Transformer", "LSTM"),
    ("Transformer", "modified Kneser-Ney 5"),
    ("Transformer, shift", "truth"),
]
floor = -scores["truth"][judged].mean()
for crew in crews:
    ln_p = np.array([scores[name] for name in crew])
    weights = em_weights(ln_p[:, fit_half], 100)
    alone = -ln_p[:, judged].mean(axis=1).max()  # the better of the two
    mixed = -mix(ln_p[:, judged], weights).mean()
    who = " + ".join(f"{w:.2f} {name}" for name, w in zip(crew, weights, strict=True))
    print(f"{who:44}: {alone:.3f} -> {mixed:.3f} nats; floor {floor:.3f}")

# %% [markdown]
# The surprise: next to a Transformer, Kneser-Ney's weight is 0.00. Whatever the n-gram knows, the network knows, too. Of the four pairs of learned models with a network in them, only one gained anything: RNN and window win 0.006 nats together.
#
# Is that so on every text? No. On the Penn Treebank T. Mikolov (thesis, 2012) found a recurrent network with a perplexity of 124.7 and a Kneser-Ney 5-gram with 141.2, and mixed they reached 105.7. That corpus has a million words, far fewer than our networks read, and it has names and fixed phrases to be known by heart. Which of the two reasons matters we have not measured. A claim about a mixture is a claim about a text as well.
#
# With the truth among the models there is nothing to win, and the 0.10 that EM gives to the Transformer is luck of the first half: on the second it costs 0.001 nats.

# %% [markdown]
# ## 8. When it says 70 %
#
# At each place a model has a likeliest word, and says how likely it is: its **confidence**. Take all places where it says about 70 %. If the word comes in about 70 % of them, and so for every other number, the model is **calibrated**.

# %% [markdown] statement="calibration"
# - `reliability(confidence, right, edges)`: confidences $[N]$, and whether the word came $[N]$; `edges` $[K + 1]$ cut the numbers from 0 to 1 into $K$ bins. Bin $k$ holds edge $k$ and what is between it and edge $k + 1$; the last bin holds its upper edge too. Return three arrays $[K]$: mean confidence, share that came, number of places. Where a bin is empty, the first two are NaN.
# - `calibration_error(confidence, right, edges)`: the distance between the first two, averaged over all *places* (a bin with many counts for more).

# %% [markdown] hints="calibration"
# 1. First give each place the number of its bin. What happens to a confidence of exactly 1?
# 2. With bin numbers, `np.bincount` gives sums and counts; its `minlength` keeps empty bins.
# 3. `np.digitize(confidence, edges[1:-1])` finds the bins, the last edge included. Divide sums by counts, with NaN where a count is 0; the error leaves such bins out.


# %% task="calibration" points=4 level=2 minutes=16
def reliability(confidence, right, edges):
    """Mean confidence, share right and number of places in each bin: three arrays [K]."""
    ### BEGIN SOLUTION
    K = len(edges) - 1
    place = np.digitize(confidence, edges[1:-1])
    number = np.bincount(place, minlength=K)
    with np.errstate(invalid="ignore"):
        said = np.bincount(place, confidence, minlength=K) / number
        came = np.bincount(place, right, minlength=K) / number
    return said, came, number
    ### END SOLUTION


def calibration_error(confidence, right, edges):
    """Mean over all places of the distance between what their bin says and what comes."""
    ### BEGIN SOLUTION
    said, came, number = reliability(confidence, right, edges)
    return np.nansum(number * abs(said - came)) / number.sum()
    ### END SOLUTION


# %% test="calibration" aspect="means and shares by bin" points=1
_said, _right = np.array([0.1, 0.3, 0.8, 0.6]), np.array([False, True, True, True])
_got = reliability(_said, _right, np.array([0.0, 0.5, 1.0]))
assert _got is not None and len(_got) == 3, f"Three arrays wanted; yours: {_got!r}."
for _part, _wanted, _name in zip(
    _got,
    ([0.2, 0.7], [0.5, 1], [2, 2]),
    ("mean confidence", "share that came", "number"),
    strict=True,
):
    assert np.shape(_part) == (2,) and close(_part, _wanted, 1e-6), (
        f"{_name}: {_wanted} wanted; yours: {_part}."
    )
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _K in (1, 3, 5):
    _edges = np.array(
        [
            0.0,
            *sorted(_rng.choice(np.arange(1, 20), size=_K - 1, replace=False) / 20),
            1.0,
        ]
    )
    _middle = np.concatenate(
        [
            _rng.uniform(low + 0.001, high - 0.001, size=4)
            for low, high in zip(_edges[:-1], _edges[1:], strict=True)
        ]
    )
    _right = _rng.random(len(_middle)) < 0.6
    _order = _rng.permutation(len(_middle))
    _got = reliability(_middle[_order], _right[_order], _edges.copy())
    _wanted = (
        _middle.reshape(_K, 4).mean(1),
        _right.reshape(_K, 4).mean(1),
        np.full(_K, 4),
    )
    assert _got is not None and len(_got) == 3, f"Three arrays wanted; yours: {_got!r}."
    for _part, _want, _name in zip(
        _got, _wanted, ("Mean confidence", "Share that came", "Number"), strict=True
    ):
        assert np.shape(_part) == (_K,) and close(_part, _want, 1e-6), (
            f"{_name} in {_K} bins of different widths: {np.round(_want, 3)} wanted; yours: {_part}."
        )
### END HIDDEN TESTS

# %% test="calibration" aspect="edges and empty bins" points=2
_got = reliability(
    np.array([0.5, 1.0, 0.0]), np.array([1, 0, 1]), np.array([0.0, 0.5, 1.0])
)
assert _got is not None and len(_got) == 3, f"Three arrays wanted; yours: {_got!r}."
assert np.shape(_got[2]) == (2,) and close(_got[2], [1, 2]), (
    f".5 and 1 belong to the upper bin, 0 to the lower: 1 and 2 places; yours: {_got[2]}."
)
### BEGIN HIDDEN TESTS
_edges = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
_got = reliability(
    np.array([0.25, 0.5, 0.5, 0.9]), np.array([True, False, True, True]), _edges.copy()
)
assert _got is not None and len(_got) == 3, f"Three arrays wanted; yours: {_got!r}."
assert close(_got[2], [0, 1, 2, 1]), (
    f".25, .5, .5, .9 in quarters: 0, 1, 2, 1 places; yours: {_got[2]}."
)
assert np.isnan(_got[0][0]) and np.isnan(_got[1][0]), (
    f"The first bin is empty: NaN and NaN; yours: {_got[0][0]} and {_got[1][0]}."
)
assert close(_got[0][1:], [0.25, 0.5, 0.9], 1e-6) and close(
    _got[1][1:], [1, 0.5, 1], 1e-6
), (
    f"In the other bins .25, .5, .9 are said and 1, .5, 1 come; yours: {_got[0]} and {_got[1]}."
)
_got = reliability(np.array([0.1]), np.array([False]), _edges.copy())
assert _got is not None and len(_got) == 3 and close(_got[2], [1, 0, 0, 0]), (
    "One place, in the first of four bins; the last three are empty and must be there."
)
_said = np.array([0.2499999, 0.25, 0.4999999, 0.9999999, 0.7500001])
_got = reliability(_said.copy(), np.array([0, 1, 0, 1, 1]), _edges.copy())
assert close(_got[2], [1, 2, 0, 2]) and close(_got[1][[0, 1, 3]], [0, 0.5, 1]), (
    f"Confidences {_said}, each close to an edge of a quarter: 1, 2, 0, 2 places; yours: {_got}."
)
for _function in (reliability, calibration_error):
    _given = (np.array([0.3, 1.0, 0.0]), np.array([True, False, True]), _edges)
    _after = arguments_after(_function, *(part.copy() for part in _given))
    assert all(close(*pair, 0, 0) for pair in zip(_after, _given, strict=True)), (
        "An argument is changed in place."
    )
### END HIDDEN TESTS

# %% test="calibration" aspect="places weigh, not bins" points=1
_said, _right = np.array([0.2, 0.2, 0.2, 0.9]), np.array([False, False, False, True])
_got = calibration_error(_said, _right, np.array([0.0, 0.5, 1.0]))
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, (3 * 0.2 + 0.1) / 4, 1e-6), (
    f"Three places off by .2, one by .1: .175; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_said = np.array([0.05, 0.1, 0.95, 0.9, 0.92, 0.99, 1.0])
_right = np.array([True, False, True, True, False, True, True])
for _edges in (np.linspace(0, 1, 11), np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0])):
    _wanted, _last = 0.0, len(_edges) - 2
    for _k in range(_last + 1):
        _in = (_said >= _edges[_k]) & ((_said < _edges[_k + 1]) | (_k == _last))
        _wanted += abs(_said[_in].sum() - _right[_in].sum()) / len(_said)
    _got = calibration_error(_said.copy(), _right.copy(), _edges)
    assert is_number(_got) and close(_got, _wanted, 1e-6), (
        f"Seven places, {_last + 1} bins, some of them empty: {_wanted:.4f} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %%
tenths = np.linspace(0, 1, 11)
asked = ["unigram", "modified Kneser-Ney 5", "LSTM", "Transformer", "truth"]
coin = np.random.default_rng(6)
_, panels = plt.subplots(1, 5, figsize=(11, 2.9), sharey=True, sharex=True)
for i, (name, axes) in enumerate(zip(asked, panels, strict=True)):
    confidence, came = scores.confidence(name), scores.top(name) == scores.tokens
    said, share, number = reliability(confidence, came, tenths)
    enough = number >= 30
    said, share, number = said[enough], share[enough], number[enough]
    axes.fill_between(
        said,
        -2 * np.sqrt(said * (1 - said) / number),
        2 * np.sqrt(said * (1 - said) / number),
        color="gray",
        alpha=0.25,
        linewidth=0,
    )
    axes.plot(said, share - said, "o-", color=plots.COLOURS[i], markersize=5)
    axes.axhline(0, color="gray", linestyle=":")
    axes.set(xlim=(0, 1), xticks=[0, 0.5, 1], xticklabels=["0", "0.5", "1"])
    axes.set_title(name.replace(" Kneser", "\nKneser"), fontsize=11)
    honest = [
        calibration_error(confidence, coin.random(len(confidence)) < confidence, tenths)
        for _ in range(200)
    ]
    error = calibration_error(confidence, came, tenths)
    distance = np.nanmean(abs(confidence - scores.true_confidence(name)))
    print(
        f"{name:22} mean confidence {confidence.mean():.2f}, calibration error {error:.3f} "
        f"(if it were perfectly calibrated: {np.quantile(honest, 0.025):.3f} to "
        f"{np.quantile(honest, 0.975):.3f}), from the truth, place by place {distance:.3f}"
    )
panels[0].set_ylabel("share that came\nminus confidence")
panels[2].set_xlabel("confidence")
plt.suptitle("Only Kneser-Ney leaves the band of chance by far", fontsize=12)
plt.show()

# %% [markdown]
# Read a panel like this: at 0, the model is as often right as it says; below, it is too sure; above, it is not sure enough. The grey band is what chance alone does to a model that is perfectly calibrated (two standard errors of a share).
#
# Something in the printed lines should bother you. The *truth* has a calibration error of 0.005. Is the truth not calibrated? It is, by definition. But the error is measured on a finite number of places: in the truth's own panel the shares miss by up to 3 points, up and down, by nothing but accident, and the error adds up distances, so an accident never makes up for another. So even a perfect model gets a number above 0. How large a number? We let the computer make up the outcomes, each word coming with exactly the probability that the model says, and computed the error 200 times: that is the bracket, 0.003 to 0.009 for the truth. Whatever lies inside its bracket cannot be told from a perfectly calibrated model by this number. All but one lie inside, though the LSTM only just; Kneser-Ney is far outside.
#
# Nobody trained any of them for calibration. It comes with the loss: $-\ln P$ is smallest on average for whoever states the true probabilities. Kneser-Ney errs most, by 0.04: it is too sure where it says little, and not sure enough where it says much. (Not every model is so honest. Laplace's bigram, not drawn, says 0.20 on average, and 0.34 come.) The unigram has a single dot, because it always says the same word with the same confidence.
#
# Only a text with a known truth allows the last number of each line. It asks at each place how far the confidence is from the *true* probability of that word: 0.21 for the unigram, 0.10, 0.04 and 0.04 for the others.

# %% [markdown] statement="calibrated_and_useless"
# #### Calibrated, and no use
#
# The unigram model has one of the smallest calibration errors. Why, and why does this not make it a good model? Say what calibration measures and what it leaves out, and name a second number of this chapter that shows the difference.

# %% [markdown] written="calibrated_and_useless" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: why it is calibrated: it always says the same word with that word's share in the training text, and the test text comes from the same language, so the word comes about that often. 1 point: what calibration leaves out: it compares averages over places with the same confidence, not whether the model tells one place from another (that is what context is for). 1 point: a second number with its figures from this chapter: perplexity or bits above the truth, mean confidence, or the distance from the truth place by place.
#
# No point for "it is too simple". A usual wrong idea: a calibrated model is right more often than others; it only knows how often it is wrong.
#
# **Sample, 3 points.** The unigram always bets on the same word and says its share in the text, so of course it comes that often: calibrated without knowing anything. Calibration asks if the confidences are right on average, not if they differ between an easy and a hard place. The perplexity shows it, the unigram's is far above the Transformer's.
#
# **Sample, 1 point.** Its confidence is always low, so it cannot be wrong by much. That is no use, because one wants a model that is sure.
#
# **Sample, 0 points.** It is an error in the measurement, because a model with such a high perplexity cannot be calibrated.
# ### END SOLUTION

# %% [markdown]
# ## 9. The cheapest for its money
#
# The best model of a table is seldom the one to take. Somebody pays for training, somebody waits for answers. A model is out of the question only if another is **at least as good and at least as cheap, and in one of the two better**. What remains is the **Pareto front**.

# %% [markdown] statement="pareto"
# - `pareto(cost, loss)`: from two arrays $[M]$, the numbers (0 to $M - 1$) of the models on the front, cheapest first. A low loss is good. Equal models do not push each other out; they stand in the order of their numbers.
# - `best_within(cost, loss, budget)`: the number of the model with the lowest loss among those that cost at most the budget; of equal ones the cheaper, then the first. `None` if there is none.

# %% [markdown] hints="pareto"
# 1. For one model, ask all others: is there one that is nowhere worse and somewhere better?
# 2. Sorted by cost and then by loss, a model is on the front if its loss is below all that come before it. What about equals?
# 3. Two loops are fine here. `sorted` keeps the order of equal ones; `min` with a key that is a tuple compares loss first.


# %% task="pareto" points=3 level=2 minutes=12
def pareto(cost, loss):
    """The numbers of the models that no other one pushes out, by cost."""
    ### BEGIN SOLUTION
    models = range(len(cost))

    def better(k, m):
        nowhere_worse = cost[k] <= cost[m] and loss[k] <= loss[m]
        return nowhere_worse and (cost[k] < cost[m] or loss[k] < loss[m])

    front = [m for m in models if not any(better(k, m) for k in models)]
    return sorted(front, key=lambda m: cost[m])
    ### END SOLUTION


def best_within(cost, loss, budget):
    """The number of the best model that costs at most the budget, or None."""
    ### BEGIN SOLUTION
    affordable = [m for m in range(len(cost)) if cost[m] <= budget]
    return min(affordable, key=lambda m: (loss[m], cost[m]), default=None)
    ### END SOLUTION


# %% test="pareto" aspect="who is pushed out" points=2
_got = pareto(np.array([3.0, 1.0, 2.0, 4.0]), np.array([5.0, 9.0, 7.0, 6.0]))
assert _got is not None and hasattr(_got, "__len__"), (
    f"A list of numbers is wanted; yours: {_got!r}."
)
assert list(_got) == [1, 2, 0], (
    f"Model 3 is dearer and worse than 0: 1, 2, 0 remain; yours: {list(_got)}."
)
### BEGIN HIDDEN TESTS
for _cost, _loss, _wanted in (
    ([], [], []),
    ([5.0], [5.0], [0]),
    ([1, 1, 1], [3, 2, 4], [1]),
    ([3, 1, 2], [4, 4, 4], [1]),
    ([2, 2, 1], [4, 4, 9], [2, 0, 1]),
    ([1, 2, 3], [1, 2, 3], [0]),
    ([3, 2, 1], [1, 2, 3], [2, 1, 0]),
    ([1, 1, 2, 2], [5, 5, 5, 5], [0, 1]),
    ([1.0, 1.0001, 1.0002], [2.0002, 2.0001, 2.0], [0, 1, 2]),
    ([1.0, 1.0001, 1.0002], [2.0, 2.0001, 2.0002], [0]),
    ([0, 9e9, 5], [1, 0, -3], [0, 2]),
):
    _got = pareto(np.array(_cost), np.array(_loss))
    assert _got is not None and hasattr(_got, "__len__") and list(_got) == _wanted, (
        f"Costs {_cost}, losses {_loss}: {_wanted} wanted; yours: {_got}."
    )
_cost, _loss = [random.sample(range(100), k=8) for _ in range(2)]
_rest = sorted(range(8), key=lambda m: _cost[m])
_wanted = [
    m for i, m in enumerate(_rest) if all(_loss[k] > _loss[m] for k in _rest[:i])
]
_cost, _loss = np.array(_cost), np.array(_loss)
_got = pareto(_cost.copy(), _loss.copy())
assert _got is not None and list(_got) == _wanted, (
    f"Costs {_cost}, losses {_loss}: {_wanted} wanted; yours: {_got}."
)
for _function, _rest in ((pareto, ()), (best_within, (3,))):
    _given = np.array([2, 0.1, 5, 1]), np.array([0.5, -1, 0, 3])
    _after = arguments_after(_function, *(part.copy() for part in _given), *_rest)
    assert all(close(*pair, 0, 0) for pair in zip(_after, _given, strict=False)), (
        "cost or loss is changed in place."
    )
### END HIDDEN TESTS

# %% test="pareto" aspect="the best that one can pay" points=1
_got = best_within(np.array([1, 2, 9]), np.array([5.0, 4.0, 1.0]), 2)
assert _got == 1, (
    f"With 2 to spend, models 0 and 1 can be had, and 1 is better; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _cost, _loss, _budget, _wanted in (
    ([3, 4], [1.0, 2.0], 2, None),
    ([], [], 5, None),
    ([4, 2, 3], [1.0, 1.0, 1.0], 5, 1),
    ([2, 2], [1.0, 1.0], 2, 0),
    ([1, 2, 2, 1], [4.0, 1.0, 1.0, 3.0], 2, 1),
    ([1, 5, 3], [3.0, 1.0, 2.0], 4.5, 2),
    ([1, 5, 3], [3.0, 1.0, 2.0], 5, 1),
    ([0, 1], [2.0, 3.0], 0, 0),
    ([1, 2.00001], [2.0, 1.0], 2, 0),
    ([1, 2, 3], [1.0001, 1.0, 1.0001], 9, 1),
    ([3, 2], [-1.0, 7.0], 9e9, 0),
    ([2, math.inf], [7.0, 1.0], math.inf, 1),
):
    _got = best_within(np.array(_cost), np.array(_loss), _budget)
    assert (_got is None) == (_wanted is None) and _got == _wanted, (
        f"Costs {_cost}, losses {_loss}, budget {_budget}: {_wanted} wanted; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %%
models = scoreboard.table("models")
models = models[models["kind"] != "truth"].dropna(subset=["CPU seconds"])
train_cost, loss = (
    models["CPU seconds"].to_numpy(),
    models["bits above the floor"].to_numpy(),
)
ask_cost = 1 / models["scored a second"].to_numpy()
affordable = best_within(train_cost, loss, 1.0)
print("best with one CPU second of training:", models["model"].iloc[affordable])

# %%
# Where each name stands, seen from its dot (points right, points up): training, asking.
beside = {
    "unigram": ((8, 5), (8, 5)),
    "Laplace 2": ((8, 5), (8, 5)),
    "Good-Turing 3": ((8, -1), (8, 0)),
    "Katz 3": ((8, 3), (8, -4)),
    "Kneser-Ney 3": ((-8, 6), (8, -4)),
    "modified Kneser-Ney 3": ((-8, -11), (-8, -4)),
    "modified Kneser-Ney 5": ((8, -12), (-8, -4)),
    "window": ((-8, 4), (8, -2)),
    "RNN": ((10, 2), (-8, 2)),
    "LSTM": ((-8, -4), (-8, -4)),
    "Transformer": ((-8, -8), (8, -4)),
    "Transformer, Muon": ((-8, -4), (8, -4)),
    "Transformer, shift": ((-8, -4), (8, -4)),
}
_, panels = plt.subplots(2, 1, figsize=(9.5, 8.4))
for row, (axes, cost, label, scale) in enumerate(
    zip(
        panels,
        (train_cost, 1e6 * ask_cost),
        ("CPU seconds of training (log)", "CPU µs for each token scored"),
        ("log", "linear"),
        strict=True,
    )
):
    front = pareto(cost, loss)
    axes.plot(cost, loss, "o", color=plots.COLOURS[0])
    axes.step(cost[front], loss[front], where="post", color=plots.COLOURS[1])
    for m, name in enumerate(models["model"]):
        x, y = beside[name][row]
        side = "left" if x > 0 else "right"
        style = {"xytext": (x, y), "textcoords": "offset points", "fontsize": 10}
        axes.annotate(name, (cost[m], loss[m]), ha=side, **style)
    axes.set(xscale=scale, yscale="log", xlabel=label)
    axes.set_yticks(
        [5, 2, 1, 0.5, 0.2, 0.1, 0.05], ["5", "2", "1", ".5", ".2", ".1", ".05"]
    )
    axes.minorticks_off()
    axes.set_ylabel("bits above the floor (log)")
    print("on the front:", " · ".join(models["model"].iloc[front]))
small = scoreboard.table("sizes")
panels[0].plot(
    small["CPU seconds"],
    small["bits above the floor"],
    "o",
    mfc="white",
    color=plots.COLOURS[2],
    label="LSTMs and Transformers of width 16 to 128, a minute at most",
)
panels[0].legend(loc="lower left")
panels[0].set(xlim=(0.02, 4000), title="Training: first counting, then networks")
panels[1].set(
    xlim=(0, 70), title="Asking: the LSTM is cheaper than the n-gram of order 5"
)
plt.show()

# %% [markdown]
# Every dot has its name, those that are pushed out too. Above, by the cost of training: up to a second, counting is unbeatable. From then on networks take over. The white dots are narrower or shorter trainings that are not on the board (judged on the first half of its stories): after 13 seconds the narrowest LSTM is still worse than Kneser-Ney, which took half a second; one of width 32 is ahead after 14. From four minutes on nothing but networks is on the front, and the two best of them took 17 and 32 minutes.
#
# Below, by what an answer costs, the picture changes. Our 5-gram looks up five tables for each token and is slower to ask than the LSTM, which is better as well. Memory tells a similar story: The largest n-gram holds 2.0 million numbers, each network 0.57 million. (All CPU times are those of our own Python and of torch, in one run; another program would move the dots sideways.)

# %% [markdown]
# ## 10. What the number hides
#
# One perplexity is a mean over easy and hard places. Ask for single abilities instead, as chapter 8 did: does a verb agree with its noun, does a surname come back? And what do n-grams cost and give, all in one table?

# %%
probes = scoreboard.table("probes")
probes["share"] = probes["right"] / probes["asked"]
wide = probes.pivot(index="probe", columns="model", values="share")
asked_models = ["modified Kneser-Ney 5", "window", "RNN", "LSTM"]
asked_models += ["Transformer", "Transformer, Muon", "Transformer, shift"]
attractor = "agreement, other number between, {} back"
kinds = [
    *(attractor.format(back) for back in ("2-4", "5-8", "9-13", "14+")),
    *(f"copy: surname, {back} back" for back in ("1-20", "21-50", "51+")),
    "copy: town",
]
table = 100 * wide.loc[kinds, asked_models]
_, axes = plt.subplots(figsize=(10.5, 4))
axes.imshow(table, cmap="cividis", aspect="auto", vmin=0, vmax=100)
axes.grid(False)
for (y, x), value in np.ndenumerate(table.to_numpy()):
    colour = "black" if value > 55 else "white"
    axes.text(x, y, f"{value:.0f}", ha="center", va="center", color=colour)
labels = [name.replace(" Kneser", "\nKneser").replace(", ", ",\n") for name in table]
axes.set_xticks(range(len(labels)), labels)
axes.set_yticks(range(len(kinds)), kinds)
axes.set_title("Right answers (%): what one perplexity hides")
plt.show()

# %%
pros = scoreboard.table("models").set_index("model")
columns = ["CPU seconds", "scored a second", "bytes", "perplexity"]
columns += ["bits above the floor"]
few = ["unigram", "Katz 3", *asked_models]
pros.loc[few, columns].round(2).astype({"scored a second": int})

# %% [markdown]
# One number hid all this. Kneser-Ney tosses a coin as soon as a noun of the other number stands between noun and verb. The LSTM gets agreement nearly perfect and copies no surname. The Transformer, after as many minutes, copies a third of them, though its perplexity is only 9 % below the LSTM's.
#
# The last two columns belong to the models below the line, with 17 and 32 minutes. The Transformer with token shift copies more than four fifths, from 51 words back as well as from 20; but before you praise the shift, remember that it was trained seven times as long. The last row shows what such a comparison is worth: no model of four minutes copies the *town* (8 % is what one gets by always saying the commonest town), and this one always does. Is that the shift? The column beside it says no: with Muon, 17 minutes and no shift, every town is right, too. (14 words back and more: there are only 27 questions, so read that row with care.)

# %% [markdown]
# In the table of costs, n-grams are fast: they are trained in half a second where networks take minutes. But a million tokens, where the networks of four minutes read about three million, did not teach them anything that lies outside their window.

# %% [markdown]
# ## 11. The lectures' tables
#
# Two tables are printed in lecture 004: perplexities of 141 (Kneser-Ney 5-gram), 140 (neural n-gram), 125 (RNN) and 115 (LSTM) on the Penn Treebank, and 1.25 against 1.07 bits per character (LSTM, Transformer) on text8. How large are these steps, in one unit?

# %%
printed = {"Kneser-Ney 5": 141, "neural n-gram": 140, "RNN": 125, "LSTM": 115}
ours = {
    "Kneser-Ney 5": "modified Kneser-Ney 5",
    "neural n-gram": "window",
    "RNN": "RNN",
    "LSTM": "LSTM",
}
rows = []
for name, perplexity in printed.items():
    here = pros.loc[ours[name], "perplexity"]
    rows.append([name, perplexity, math.log2(perplexity), here, math.log2(here)])
head = ["model", "printed perplexity", "bits", "perplexity on our text", "bits "]
tables = pd.DataFrame(rows, columns=head).set_index("model")
print(
    f"printed: {1 - 115 / 141:.1%} less perplexity is {1 - math.log2(115) / math.log2(141):.1%} fewer bits"
)
print(
    f"text8: {1 - 1.07 / 1.25:.1%} fewer bits; perplexity per character {2**1.25:.2f} -> {2**1.07:.2f}"
)
for name in ("lstm", "transformer"):
    found = runs.load(f"characters-{name}").each("bits above the floor")
    print(f"our text by characters, {name}: {min(found):.2f} to {max(found):.2f} bits")
tables.round(2)

# %% [markdown]
# Nearly a fifth less perplexity is only a twenty-fifth fewer bits: the unit can flatter. On our text the printed *order* comes out again, Kneser-Ney, neural n-gram, RNN, LSTM, but not the steps. In print the neural n-gram is level with Kneser-Ney; here it is far ahead, having read three times as much.
#
# Does the Transformer always win? That depends on the time. By words, chapter 8 found the LSTM ahead after one minute and the Transformer after four. By characters, as on text8, the LSTM is still ahead after four minutes (three seeds each: the last two printed lines, bits per character above the truth).
#
# And does the larger model always win? Compare two rows of the table: our RNN has 0.57 million weights, the 5-gram 2.0 million counts, and the smaller model is better by 0.5 bits per token. What counts is what the numbers are used for.

# %% [markdown]
# ## What you have now
#
# You came with a question, *which model is the best?* You can now give the answer that a good referee gives: at what, on which text, for how much money, and are you sure? In detail, you can
#
# - tell whether two numbers are about the same text, and charge a fair price for every word that a model refused to name;
# - say how far a difference would move on other stories, how many stories it takes to see it, and with what probability you will;
# - fit a line to a model's progress, and distrust it until it has predicted a point that it was not fitted to;
# - find out what two models know together, whether a confidence can be believed, and which model to take for the money.
#
# None of this needs our kitchen language. The same functions work on the $\ln P$ of any two models and any text, and the next time a paper claims "0.3 points better", you know which four questions to ask.

# %% [markdown]
# **Now it is your turn.** `autograder challenge my_model.ipynb` trains a model of yours within a budget of CPU time and scores it, in bits above the truth, on stories that are generated afterwards. The rules, and the smallest entry to start from, are in `docs/challenge.md`. A hint from the table of section 10: the models of four minutes lose most of their bits on names that were said before. If you win by a little, you know how to find out whether you have won.
#
# If you want to read on: R. Dror and others, *The hitchhiker's guide to testing statistical significance in NLP* (2018); D. Card and others, *With little power comes great responsibility* (2020); C. Guo and others, *On calibration of modern neural networks* (2017); J. Hoffmann and others, *Training compute-optimal large language models* (2022).
#
# One assumption is left that all our models share: that a token is a piece of text. Chapter 11 drops it.
