# ---
# title: From one sequence to another
# ---

# %% [markdown]
# Chapter 8's model writes whatever is likely. A translator may not: its text must say what *another* text says. The step from the one to
# the other is small, a condition in each probability, and it has made machine translation, summaries, captions and transcripts.
#
# In this chapter you translate English into Selvan, a language invented for this course: verbs come last, endings agree, and one English sentence often has
# several right translations. All of them are known, so that each claim can be checked.

# %% [markdown]
# | letter | what |
# |---|---|
# | $S = x_1 \dots x_m$ | the source, $m$ words |
# | $T = y_1 \dots y_n$ | the target, $n$ words |
# | $B$ | pairs in a batch |
# | $d$ | numbers in a state, the width |
# | $V$ | kinds of target word |
#
# Shapes stand in brackets: $[B, n, V]$. Words have numbers, 0 for padding (`PAD`), 1 and 2 for the beginning and the end of a text (`BOS`, `EOS`), 3 for unknown words (`UNK`). No function of this chapter changes what it is given.
#
# Sources: lectures 002 (Fabrizio Silvestri), 003 (Yoav Artzi) and 004 (Benjamin Muller). You need no slides. (Lecture 004 uses $T$ for the
# transpose, the length and the translation; here it is only the last.)

# %%
import itertools
import math
import random
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

from lmkit import paths, plots, translation
from lmkit.testing import (
    close,
    is_number,
)

plots.use_style()
plt.rcParams.update({"figure.figsize": (6, 2.5), "figure.dpi": 68})  # many figures
torch.set_num_threads(1)  # our networks are small: a second thread costs more

# %%
sources, targets = translation.split("train")
valid_sources, valid_targets = translation.split("valid")
for i in (3, 0, 1):
    print(" ".join(sources[i]), "->", " ".join(targets[i]))
others = translation.references(sources[3])
print(f"The first has {len(others)} translations; another: {' '.join(others[1])}")

# %% [markdown]
# ## 11. Beam search
#
# Greedy search (section 2) bets all it has on one word at a time. `best_of_all` follows every prefix and never ends. A *beam* is the way between: it follows the $k$ best
# prefixes. One round:
#
# 1. each prefix that is followed is extended by each word that may come next, `</s>` included;
# 2. of all these candidates together, the $k$ most probable are kept;
# 3. those that end with `</s>` are finished and set aside; the others are followed in the next round.
#
# The search is over when nothing is left to follow. By hand, with $k = 2$ and the toy of section 2: round 1 keeps *agréablement* (.5) and *déçu* (.3), and *très* (.2) is gone. Round 2 has four candidates:
# *agréablement surpris* (.45), *déçu* `</s>` (.24), *déçu en* (.06), *agréablement* `</s>` (.05). The first is followed, the second is finished.


# %%
def toy_model(words, N, ends=1.0, seed=None):
    """A table with a random row for each prefix of at most N words; large `ends`: short texts."""
    dice = np.random.default_rng(seed)
    prefixes = (p for n in range(N + 1) for p in itertools.product(words, repeat=n))
    rows = [1.0] * len(words) + [ends]
    names = [*words, "</s>"]
    return {
        p: dict(zip(names, dice.dirichlet(rows).tolist(), strict=True))
        for p in prefixes
    }


def reads(table):
    """The step function of a table; a prefix without a row ends."""
    return lambda source, written: dict(table.get(tuple(written), {"</s>": 1.0}))


def pairs_in(found):
    """For the checks: what was found, as [(tuple of words, ln P), ...]."""
    assert isinstance(found, list | tuple), (
        f"A list of pairs is wanted; yours: {found!r}."
    )
    for pair in found:
        assert isinstance(pair, list | tuple) and len(pair) == 2, (
            f"Each part of the list is a pair (words, ln P); yours: {pair!r}."
        )
        assert isinstance(pair[0], list | tuple) and is_number(pair[1]), (
            f"A pair is a tuple of words and a number; yours: {pair!r}."
        )
    return [(tuple(words), float(total)) for words, total in found]


# %% [markdown] statement="beam_search"
# - `beam_search(step, source, k, N, alpha=0)`: all finished targets of at most $N$ words, as a list of pairs (words as a tuple without `</s>`, $\ln P(T \mid S)$). Best first, measured by
#
# $$\frac{\ln P(T \mid S)}{(n + 1)^{\alpha}} , \qquad n \text{ words and the end.}$$
#
# A prefix of $N$ words can only end. What has a probability of 0 is no candidate. Nothing can be finished: an empty list.

# %% [markdown] hints="beam_search"
# 1. What must you know of a prefix to extend it? Its words, and one number.
# 2. The $k$ best are chosen among the candidates of *all* prefixes, and the ended ones need a place among them too. With $k = 1$ this is greedy search: why?
# 3. One list of candidates for each round: sort it, cut it, and split what is left into finished and followed. $\alpha$ matters once, at the end.


# %% task="beam_search" points=4 level=3 minutes=22
def beam_search(step, source, k, N, alpha=0):
    """[(words, ln P), ...]: what a beam of k prefixes finishes, best first."""
    ### BEGIN SOLUTION
    beam, finished = [((), 0.0)], []
    while beam:
        candidates = [
            ((*words, word), total + math.log(p))
            for words, total in beam
            for word, p in step(source, words).items()
            if p > 0 and (len(words) < N or word == "</s>")
        ]
        best = sorted(candidates, key=lambda pair: -pair[1])[:k]
        finished += [
            (words[:-1], total) for words, total in best if words[-1] == "</s>"
        ]
        beam = [pair for pair in best if pair[0][-1] != "</s>"]
    return sorted(
        finished, key=lambda pair: pair[1] / (len(pair[0]) + 1) ** alpha, reverse=True
    )
    ### END SOLUTION


# %% test="beam_search" aspect="one prefix is greedy" points=1
_toy = {
    (): {"agréablement": 0.5, "déçu": 0.3, "très": 0.2},
    ("agréablement",): {"surpris": 0.9, "</s>": 0.1},
    ("déçu",): {"</s>": 0.8, "en": 0.2},
    ("déçu", "en"): {"bien": 1},
    ("très",): {"surpris": 1},
}
_got = pairs_in(beam_search(lambda s, w: _toy.get(tuple(w), {"</s>": 1}), (), 1, 4))
assert len(_got) == 1 and _got[0][0] == ("agréablement", "surpris"), (
    f"k = 1 finishes one target, *agréablement surpris*; yours: {_got}."
)
assert close(_got[0][1], math.log(0.45)), f"Its ln P is ln 0.45; yours: {_got[0][1]}."
### BEGIN HIDDEN TESTS


for _N in (1, 3, 5):
    _table = toy_model("abc", _N)
    _words, _total = (), 0.0
    while True:
        _row = _table[_words]
        _w = max(_row, key=_row.get) if len(_words) < _N else "</s>"
        _total += math.log(_row[_w])
        if _w == "</s>":
            break
        _words += (_w,)
    _got = pairs_in(beam_search(reads(_table), (), 1, _N))
    assert len(_got) == 1 and _got[0][0] == _words and close(_got[0][1], _total), (
        f"k = 1, at most {_N} words: greedy finds {_words}, {_total:.4f}; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="beam_search" aspect="a wide beam finds the best of all" points=1
_row = {"a": 0.6, "</s>": 0.4}
_got = pairs_in(beam_search(lambda s, w: dict(_row), (), 20, 2))
_wanted = [((), 0.4), (("a",), 0.24), (("a", "a"), 0.36 * 0.4)]
assert [words for words, _ in _got] == [words for words, _ in _wanted], (
    f"P(a) = .6 and P(</s>) = .4 always, at most 2 words: {_wanted} with logarithms wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS


def _all_targets(table, N):
    found = []
    for n in range(N + 1):
        for words in itertools.product("ab", repeat=n):
            steps = [table[words[:t]][w] for t, w in enumerate((*words, "</s>"))]
            if all(steps):
                found.append((words, sum(map(math.log, steps))))
    return sorted(found, key=lambda pair: -pair[1])


for _N, _zeros in ((0, 0), (1, 0), (3, 4), (6, 0), (6, 30)):
    _table = toy_model("ab", _N, 0.4)
    for _prefix in random.sample(sorted(_table), min(_zeros, len(_table))):
        _table[_prefix] = {"a": 0.0, "b": 0.3, "</s>": random.choice([0.0, 0.7])}
    _wanted = _all_targets(_table, _N)
    _asked = ("x", "y")

    def _step(source, words, _table=_table):
        assert tuple(source) == ("x", "y"), "step was asked with another source."
        return dict(_table[tuple(words)])

    _got = pairs_in(beam_search(_step, _asked, 2 ** (_N + 1), _N))
    assert len(_got) == len(_wanted), (
        f"Two words, at most {_N} of them, a beam that loses nothing: {len(_wanted)} targets wanted; yours: {len(_got)}."
    )
    for (_words, _total), (_ours, _best) in zip(_got, _wanted, strict=True):
        assert _words == _ours and close(_total, _best), (
            f"At most {_N} words, beam of {2 ** (_N + 1)}: {_ours} with {_best:.4f} wanted here; yours: {_words} with {_total}."
        )
_got = beam_search(lambda s, w: {"a": 1.0}, (), 3, 4)
assert list(_got) == [], f"A model that never ends: an empty list; yours: {_got!r}."
_got = pairs_in(beam_search(lambda s, w: {"</s>": 1.0}, (), 3, 4))
assert _got == [((), 0.0)], f"A model that only ends: [((), 0)]; yours: {_got}."
### END HIDDEN TESTS

# %% test="beam_search" aspect="the k best of each round" points=1
_trap = {(): {"a": 0.5, "b": 0.4, "c": 0.1}, ("a",): {str(i): 0.1 for i in range(10)}}
_got = pairs_in(
    beam_search(lambda s, w: dict(_trap.get(tuple(w), {"</s>": 1.0})), (), 2, 5)
)
assert _got and _got[0][0] == ("b",), f"k = 2 finds *b*; yours: {_got}."
### BEGIN HIDDEN TESTS


def _rounds(table, k, N):
    """As the text has it, round by round."""
    followed, finished = [((), 0.0)], []
    for _ in range(N + 1):
        candidates = []
        for words, total in followed:
            for word, p in table[words].items():
                if p > 0 and (word == "</s>" or len(words) < N):
                    candidates.append((total + math.log(p), (*words, word)))
        candidates = sorted(candidates, reverse=True)[:k]
        finished += [(w[:-1], total) for total, w in candidates if w[-1] == "</s>"]
        followed = [(w, total) for total, w in candidates if w[-1] != "</s>"]
    return sorted(finished, key=lambda pair: -pair[1])


for _k, _N, _letters, _ends in (
    (2, 5, "ab", 0.6),
    (3, 4, "abcd", 1.0),
    (4, 3, "abcd", 2.0),
    (2, 4, "abcd", 6.0),
    (5, 6, "ab", 0.3),
):
    _table = toy_model(_letters, _N, _ends)
    _wanted = _rounds(_table, _k, _N)
    _got = pairs_in(beam_search(reads(_table), (), _k, _N))
    assert [words for words, _ in _got] == [words for words, _ in _wanted], (
        f"{len(_letters)} words, at most {_N}, k = {_k}: {[''.join(w) for w, _ in _wanted]} wanted in this order; "
        f"yours: {[''.join(w) for w, _ in _got]}."
    )
    assert close([t for _, t in _got], [t for _, t in _wanted]), (
        f"The ln P of {_wanted} wanted; yours: {_got}."
    )
# The ended one is third in its round: there is no place for it among two.
_table = {(): {"a": 0.5, "b": 0.3, "</s>": 0.2}}
_got = pairs_in(beam_search(reads(_table), (), 2, 3))
assert [words for words, _ in _got] == [("a",), ("b",)], (
    f"First round a .5, b .3, </s> .2 with k = 2: the empty target is not kept; yours: {_got}."
)
# Ended ones take places: only *b* is followed after the first round.
_table = {(): {"</s>": 0.5, "b": 0.3, "a": 0.2}, ("b",): {"</s>": 0.9, "c": 0.1}}
_got = pairs_in(beam_search(reads(_table), (), 2, 3))
assert [words for words, _ in _got] == [(), ("b",), ("b", "c")], (
    f"First round </s> .5, b .3, a .2 with k = 2: the empty target, b, and b c are finished; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="beam_search" aspect="normalised by length" points=1
_long = {
    (): {"no": 0.6, "a": 0.4},
    ("no",): {"</s>": 1.0},
    ("a", "b", "c"): {"</s>": 1.0},
}
_long |= {("a",): {"b": 1.0}, ("a", "b"): {"c": 1.0}}
_got = pairs_in(beam_search(lambda s, w: dict(_long[tuple(w)]), (), 2, 3, 1))
assert [words for words, _ in _got] == [("a", "b", "c"), ("no",)], (
    f"ln .4 / 4 = -.229 is above ln .6 / 2 = -.255, so *a b c* comes first; yours: {_got}."
)
### BEGIN HIDDEN TESTS
assert close([t for _, t in _got], [math.log(0.4), math.log(0.6)]), (
    f"What stands beside the words is ln P itself, ln 0.4 and ln 0.6; yours: {_got}."
)
for _alpha in (0, 0.5, 1, 2):
    _n = random.randint(2, 5)
    _ends = np.random.default_rng().uniform(0.1, 0.9, _n).tolist() + [1.0]
    _table = {("a",) * t: {"a": 1 - p, "</s>": p} for t, p in enumerate(_ends)}
    _totals = [
        sum(math.log(1 - q) for q in _ends[:t]) + math.log(_ends[t])
        for t in range(_n + 1)
    ]
    _order = sorted(range(_n + 1), key=lambda t: -_totals[t] / (t + 1) ** _alpha)
    _got = pairs_in(beam_search(reads(_table), (), 9, _n, _alpha))
    assert [len(words) for words, _ in _got] == _order, (
        f"alpha = {_alpha}, ln P of 0 to {_n} words: {np.round(_totals, 3).tolist()}; the order {_order} wanted, "
        f"yours: {[len(words) for words, _ in _got]}."
    )
### END HIDDEN TESTS


# %%
widths = (1, 2, 4, 8, 16, 1000)
best = []
for seed in range(300):
    table = toy_model("abc", 4, 0.7, seed)
    found = [beam_search(reads(table), (), k, 4) for k in widths]
    best.append([ends[0][1] if ends else -math.inf for ends in found])
best = np.array(best)
print("k             ", *(f"{k:6}" for k in widths))
print("best of all   ", *(f"{x:6.0%}" for x in np.mean(best > best[:, -1:] - 1e-9, 0)))
worse = np.mean(best[:, 1:] < best[:, :-1] - 1e-9, 0)
print("below narrower", " " * 6, *(f"{x:6.1%}" for x in worse))

on_and_on = {"go": 0.9, "</s>": 0.1}
for alpha in (0, 1):
    words, total = beam_search(lambda s, w: on_and_on, (), 30, 20, alpha)[0]
    print(f"α = {alpha}: {len(words)} words, P = {math.exp(total):.3f}")

# %% [markdown]
# On 300 toys a wider beam finds the best target more and more often. Is its find never below that of a narrower one? Nearly: the last row counts exceptions. A wider beam can follow a
# prefix that looks better and thereby push out, one round later, the one that would have won. Only a beam that drops nothing is sure.
#
# The last two lines show what $\alpha$ is for. A model that goes on with probability .9 and ends with .1 has the *empty* target as its most probable one: each further word is one more factor below 1. So the better the search, the shorter the text. With $\alpha = 1$ the mean per word decides, and now the longest wins; in
# practice $\alpha$ lies between and is tuned.
#
# ### Whose fault is it?
#
# A wrong translation has one of two causes. If a valid one has a higher $P(T \mid S)$ than what was found, the *search* has failed. If what was found is at least as probable, the *model* prefers nonsense, and no search helps.
# Here is a trained translator (LSTM with attention, 75 seconds of CPU time; `python -m benchmarks.beams`), asked for 300 new sentences:

# %%
beams = pd.read_csv(paths.DATA / "seq2seq" / "beams.csv")
_, (left, right) = plt.subplots(1, 2, figsize=(9, 2.8))
plain = beams[beams.alpha == 0]
ticks = range(len(plain))
left.bar(ticks, 100 * plain.model_error, label="the model's")
left.bar(
    ticks, 100 * plain.search_error, bottom=100 * plain.model_error, label="search"
)
left.set(xticks=ticks, xticklabels=plain.k, xlabel="k", ylabel="sources, %")
left.legend(title="fault", loc="lower right")
for alpha, some in beams[beams.alpha != 0.5].groupby("alpha"):
    right.plot(ticks, some.bleu, "o-", label=f"α = {alpha:g}")
right.set(xticks=ticks, xticklabels=plain.k, xlabel="k", ylabel="BLEU × 100")
right.legend()
plt.show()

# %% [markdown]
# With greedy search 8 % of the sentences have a search error; a beam of 4 has none left. And the translations? Valid ones stay at 65 %, BLEU (section 13) moves by less than half a point: what the search now finds is more probable, and just as wrong. The model is at fault, and a beam cannot mend it. (Here the end of a
# sentence is easy to see, so even without $\alpha$ outputs keep their length, 1.00 words per reference word, and a large $\alpha$ does harm. Lecture 004 prefers beams to greedy search; with a weaker model on longer sentences they win more.)

# %% [markdown]
# ## 12. The noisy channel
#
# Before networks, translation went backwards. Read the source as if it were a target that came through a *noisy channel* (lecture 002), and ask Bayes:
#
# $$P(T \mid S) \propto P(S \mid T)\, P(T) .$$
#
# The product is a division of labour. The channel $P(S \mid T)$ keeps the meaning; the language model $P(T)$ keeps the target fluent, and it learns from target text alone, of which there is far more. The oldest channel (Brown et al., 1993, *Model 1*) is simple: each source word $x_j$ comes from one
# target word, any of them alike, or from none, the empty word $y_0$:
#
# $$P(S \mid T) = \prod_{j=1}^{m} \frac{1}{n+1} \sum_{i=0}^{n} t(x_j \mid y_i)$$
#
# $t(x \mid y)$ is a table: how $y$ says itself in the source language.

# %% [markdown] statement="noisy_channel"
# - `channel(t, source, target)`: $\ln P(S \mid T)$ by Model 1. `t` maps pairs $(x, y)$ to probabilities; what is not in it is 0; `y_0` is the word `""`. $-\infty$ if impossible; an empty source has $\ln 1$.
# - `noisy_channel(t, language, source, candidates, weight=1)`: the candidate with the highest $\ln P(S \mid T) + \text{weight} \cdot \ln P(T)$; `language(target)` gives $\ln P(T)$. The first of equals.

# %% [markdown] hints="noisy_channel"
# 1. For each source word: a sum over the target words and one more. For the sentence: a product, so a sum of logarithms.
# 2. The $n + 1$ counts the empty word; a word that stands twice in the target counts twice.
# 3. `max` with a key returns the first of equals. With a weight of 0, beware of `0 * -math.inf`.


# %% task="noisy_channel" points=3 level=2 minutes=12
def channel(t, source, target):
    """ln P(source | target) by Model 1."""
    ### BEGIN SOLUTION
    total = 0
    for x in source:
        p = sum(t.get((x, y), 0) for y in ["", *target]) / (len(target) + 1)
        if p == 0:
            return -math.inf
        total += math.log(p)
    return total
    ### END SOLUTION


def noisy_channel(t, language, source, candidates, weight=1):
    """The best candidate by channel and language model together."""

    ### BEGIN SOLUTION
    def value(target):
        fluent = weight * language(target) if weight else 0
        return channel(t, source, target) + fluent

    return max(candidates, key=value)
    ### END SOLUTION


# %% test="noisy_channel" aspect="the channel" points=1
_t = {
    ("el", "the"): 0.9,
    ("café", "coffee"): 0.8,
    ("negro", "black"): 0.7,
    ("el", ""): 0.3,
}
_got = channel(_t, ["el", "café", "negro"], ["black", "coffee"])
assert is_number(_got), f"channel returns a number; yours: {_got!r}."
assert close(_got, math.log(0.3 / 3 * 0.8 / 3 * 0.7 / 3)), (
    f"Three places (two words and the empty one): (.3/3)(.8/3)(.7/3), ln = -5.080; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_dice = np.random.default_rng()
for _m, _n in ((0, 3), (4, 0), (3, 5), (3000, 2)):
    _S = random.choices("abc", k=_m)
    _T = random.choices("xyz", k=_n)
    _t = {(x, y): float(_dice.uniform(0.01, 1)) for x in "abc" for y in ("", *"xy")}
    _wanted = sum(
        math.log((_t[x, ""] + sum(_t.get((x, y), 0) for y in _T)) / (_n + 1))
        for x in _S
    )
    _got = channel(dict(_t), list(_S), list(_T))
    assert close(_got, _wanted), (
        f"{_m} source words, {_n} target words (some not in t): {_wanted:.4f} wanted; yours: {_got}."
    )
_t = {("a", "x"): 0.5}
assert channel(_t, ["a", "b"], ["x"]) == -math.inf, (
    "No target word can give b: -inf wanted."
)
_got = channel(_t, ["a", "a"], ["x", "x", "z"])
assert close(_got, 2 * math.log(1.0 / 4)), (
    f"x stands twice among four places: 2 ln(1/4) wanted; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="noisy_channel" aspect="both together" points=2
_t = {
    ("me", "me"): 0.5,
    ("gusta", "like"): 0.4,
    ("gusta", "pleases"): 0.6,
    ("me", "I"): 0.4,
}
_fluent = {"I like": -1.0, "pleases me": -6.0, "I pleases": -9.0}
_some = [["pleases", "me"], ["I", "like"], ["I", "pleases"]]
_got = noisy_channel(_t, lambda T: _fluent[" ".join(T)], ["me", "gusta"], list(_some))
assert isinstance(_got, list | tuple), f"A candidate is wanted; yours: {_got!r}."
assert list(_got) == ["I", "like"], f"*I like* wanted; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_dice = np.random.default_rng()
for _weight in (0, 0.3, 1, 4, 1):
    _S = random.choices("abc", k=3)
    _t = {(x, y): float(_dice.uniform(0.01, 1)) for x in "abc" for y in ("", *"xyz")}
    _some = [tuple(random.choices("xyz", k=n)) for n in (1, 2, 3, 4, 5, 2)]
    _P = {T: float(_dice.uniform(-6, -1)) for T in _some}
    _values = [
        sum(math.log(sum(_t[x, y] for y in ("", *T)) / (len(T) + 1)) for x in _S)
        + _weight * _P[T]
        for T in _some
    ]
    _got = noisy_channel(
        dict(_t), lambda T, _P=_P: _P[tuple(T)], _S, list(_some), _weight
    )
    assert tuple(_got) == _some[int(np.argmax(_values))], (
        f"weight {_weight}, candidates {_some} with {np.round(_values, 3).tolist()}: not {_got!r}."
    )
_t = {("a", "x"): 0.5, ("a", "y"): 0.4}
for _weight, _wanted in ((0, ["x"]), (1, ["y"])):
    _got = noisy_channel(
        _t,
        lambda T: -math.inf if T[0] == "x" else -1.0,
        ["a"],
        [["z"], ["x"], ["y"]],
        _weight,
    )
    assert list(_got) == _wanted, (
        f"The language model calls x impossible, weight {_weight}: {_wanted} wanted; yours: {_got!r}."
    )
_got = noisy_channel({("a", "x"): 0.5}, lambda T: -1.0, ["a"], [["x", "z"], ["z", "x"]])
assert list(_got) == ["x", "z"], f"The first of equals; yours: {_got!r}."
### END HIDDEN TESTS

# %% [markdown]
# Where does $t$ come from? Nobody links words by hand. *Expectation maximisation* guesses: share each source word among the target words by the present $t$, count these shares, divide, and begin again. A uniform start is enough:


# %%
def learn_channel(sources, targets, rounds=6):
    """t(x | y) of Model 1, by expectation maximisation."""
    t = {}
    for turn in range(rounds):
        counts, totals = Counter(), Counter()
        for S, T in zip(sources, targets, strict=True):
            for x in S:
                shares = [t[x, y] if turn else 1 for y in ("", *T)]
                whole = sum(shares)
                for y, share in zip(("", *T), shares, strict=True):
                    counts[x, y] += share / whole
                    totals[y] += share / whole
        t = {(x, y): n / totals[y] for (x, y), n in counts.items()}
    return t


links = learn_channel(sources[:1500], targets[:1500])
known_words = {y for T in targets[:1500] for y in T}
following = Counter(
    pair for T in targets for pair in itertools.pairwise(["<s>", *T, "</s>"])
)
before = Counter(v for v, _ in following.elements())


def fluency(target):
    """ln P of a Selvan text by counted pairs, Laplace's way."""
    texts = itertools.pairwise(["<s>", *target, "</s>"])
    return sum(math.log((following[v, w] + 0.1) / (before[v] + 70)) for v, w in texts)


for y in ("", "fenas", "ne", "ka"):
    row = sorted(((p, x) for (x, z), p in links.items() if z == y), reverse=True)[:3]
    print(f"{y or '(empty)':8}", ", ".join(f"{x} {p:.2f}" for p, x in row))

# %%
dice = random.Random(1)
kinds = {"other order": [], "other word": [], "both": []}
for S, T in zip(valid_sources, valid_targets, strict=True):
    if not 4 <= len(T) <= 9 or not {*T} <= known_words:
        continue
    orders = [dice.sample(T, len(T)) for _ in range(8)]
    words = []
    for _ in range(8):
        other = dice.choice([X for X in targets if len(X) > 3])
        place = dice.randrange(len(T))
        words.append([*T[:place], dice.choice(other), *T[place + 1 :]])
    for kind, others in (
        ("other order", orders),
        ("other word", words),
        ("both", orders + words),
    ):
        some = [T, *(X for X in others if X != T)]
        dice.shuffle(some)
        picks = (
            noisy_channel(links, fluency, S, some, weight=0),
            max(some, key=fluency),
            noisy_channel(links, fluency, S, some),
        )
        kinds[kind].append([pick == T for pick in picks])
_, axes = plt.subplots(figsize=(6, 2.6))
for i, (who, colour) in enumerate(
    (("channel alone", "C0"), ("language model alone", "C1"), ("product", "C2"))
):
    shares = [100 * np.mean([row[i] for row in rows]) for rows in kinds.values()]
    axes.bar(np.arange(3) + 0.27 * (i - 1), shares, 0.25, label=who, color=colour)
axes.set(
    xticks=range(3), xticklabels=kinds, ylabel="true target chosen, %", ylim=(0, 100)
)
axes.legend(fontsize=8)
plt.show()

# %% [markdown]
# For the channel all orders of the same words are equally probable, so against other orders it can only guess. Order is the language model's business, and there it hardly errs. Against another word both are useful, each where the other is
# blind: the channel knows what must be said, the language model what goes together. Only the product is nearly always right. *The coffee black me pleases much* (lecture 002) is what remains of *El café negro me gusta mucho* without the second factor. Modern decoders
# have both in one network; yet a language model trained on far more text is still mixed in where pairs are rare.

# %% [markdown]
# ## 13. BLEU, as printed and as defined
#
# How good is a translation? People can judge it, or measure how long they need to mend it; both cost money (lecture 004). Papineni et al. (2002) compare with references by machine. $C_i$ of the output's $N_i$ $i$-grams occur in a reference. Lecture 004 prints
#
# $$\text{BLEU} = \min\!\left(1, \frac{\text{out}}{\text{ref}}\right) \left( \prod_{i=1}^{4} \frac{C_i}{N_i} \right)^{1/4}$$
#
# with the numbers of words of output and reference. Something is missing, and something differs from the definition:
#
# 1. $C_i$ must be **clipped**: an $i$-gram counts at most as often as in that reference which has it most often. Else *the the the the the the the* has seven hits of seven against *the cat is on the mat*; clipped, two of seven.
# 2. Precision rewards saying little, so short outputs pay a **brevity penalty**, by definition $\exp(1 - \text{ref}/\text{out})$ if out < ref and 1 otherwise. For 8 words of 10: .7788; the slide has .8.
# 3. All sums run over the **whole text**: $C_i = \sum$ over all sentences, then one ratio.

# %% [markdown] statement="bleu"
# - `hits(output, references, i)`: $(C_i, N_i)$ of one sentence, clipped. `output`: a list of words; `references`: one or more such lists.
# - `bleu(outputs, references, printed=False)`: BLEU of a text between 0 and 1; `references[s]` are those of sentence $s$. "ref" sums, for each sentence, the length of the reference whose length is closest to the output's (the shorter of two equally close). With `printed`, the slide's penalty, clipped all the same. 0 if any $C_i$ is 0.

# %% [markdown] hints="bleu"
# 1. Two `Counter`s of tuples have a minimum, `&`, and a maximum, `|`. Which of them joins references, and which clips?
# 2. Add first, divide later: four sums of $C_i$, four of $N_i$, two of lengths.
# 3. The closest length: `min` with a key of two parts, the distance and the length itself.


# %% task="bleu" points=5 level=3 minutes=22
def hits(output, references, i):
    """(clipped matches, number) of a sentence's i-grams."""

    ### BEGIN SOLUTION
    def grams(words):
        return Counter(tuple(words[j : j + i]) for j in range(len(words) - i + 1))

    most = Counter()
    for reference in references:
        most |= grams(reference)
    mine = grams(output)
    return (mine & most).total(), mine.total()
    ### END SOLUTION


def bleu(outputs, references, printed=False):
    """BLEU of a text, 0 to 1; `printed`: with the penalty of the slide."""
    ### BEGIN SOLUTION
    pairs = list(zip(outputs, references, strict=True))
    precisions = []
    for i in range(1, 5):
        found = [hits(output, some, i) for output, some in pairs]
        C, N = (sum(column) for column in zip(*found, strict=True))
        if C == 0:
            return 0.0
        precisions.append(C / N)
    out = sum(map(len, outputs))
    ref = sum(
        min((abs(len(r) - len(output)), len(r)) for r in some)[1]
        for output, some in pairs
    )
    penalty = min(1, out / ref) if printed else math.exp(min(0, 1 - ref / out))
    return penalty * math.prod(precisions) ** (1 / 4)
    ### END SOLUTION


# %% test="bleu" aspect="clipped" points=1
_the, _cat = ["the"] * 7, ["the", "cat", "is", "on", "the", "mat"]
_got = hits(list(_the), [list(_cat)], 1)
assert isinstance(_got, list | tuple) and len(_got) == 2, (
    f"A pair (matches, number) is wanted; yours: {_got!r}."
)
assert tuple(_got) == (2, 7), f"*the* seven times: (2, 7) wanted; yours: {_got}."
### BEGIN HIDDEN TESTS


def _hits(output, references, i):
    grams = [tuple(output[j : j + i]) for j in range(len(output) - i + 1)]
    of = [[tuple(r[j : j + i]) for j in range(len(r) - i + 1)] for r in references]
    return sum(min(grams.count(g), max(r.count(g) for r in of)) for g in {*grams}), len(
        grams
    )


_one, _two = ["a", "b", "a"], ["b", "b", "a"]
for _i, _wanted in ((1, (4, 5)), (2, (2, 4)), (3, (0, 3))):
    _got = hits(["a", "a", "b", "b", "b"], [list(_one), list(_two)], _i)
    assert tuple(_got) == _wanted, (
        f"a a b b b against a b a and b b a, i = {_i}: at most as often as in one of them, {_wanted}; yours: {_got}."
    )
for _ in range(12):
    _out = random.choices("abc", k=random.randint(0, 9))
    _refs = [random.choices("abc", k=random.randint(1, 9)) for _ in range(3)]
    for _i in (1, 2, 3, 4):
        _got = hits(list(_out), [list(r) for r in _refs], _i)
        assert tuple(_got) == _hits(_out, _refs, _i), (
            f"{_out} against {_refs}, i = {_i}: {_hits(_out, _refs, _i)} wanted; yours: {_got}."
        )
### END HIDDEN TESTS

# %% test="bleu" aspect="brevity, as defined and as printed" points=1
_ref = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
_got = bleu([_ref[:8]], [[list(_ref)]]), bleu([_ref[:8]], [[list(_ref)]], printed=True)
assert all(map(is_number, _got)), f"bleu returns a number; yours: {_got}."
assert close(_got, (math.exp(-0.25), 0.8)), (
    f"8 right words of 10: .7788 as defined, .8 as printed; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _out, _wanted, _slide in (
    (_ref[:5], math.exp(-1), 0.5),
    (_ref, 1, 1),
    (_ref[:9], math.exp(1 - 10 / 9), 0.9),
):
    _got = (
        bleu([list(_out)], [[list(_ref)]]),
        bleu([list(_out)], [[list(_ref)]], printed=True),
    )
    assert close(_got, (_wanted, _slide)), (
        f"{len(_out)} right words of 10: {_wanted:.4f} and {_slide}; yours: {_got}."
    )
_out = [*_ref, "k", "l"]
_wanted = (10 / 12 * 9 / 11 * 8 / 10 * 7 / 9) ** (1 / 4)
for _printed in (False, True):
    _got = bleu([list(_out)], [[list(_ref)]], printed=_printed)
    assert close(_got, _wanted), (
        f"12 words, the first 10 right: longer outputs pay nothing more, {_wanted:.4f}; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="bleu" aspect="one sum over the whole text" points=2
_ref = list("abcdefghij")
_outs = [_ref[:6], ["x", "y", "z", "a", "b"]]
_refs = [[_ref[:6]], [["a", "b", "u", "v", "w"]]]
_got = bleu([list(o) for o in _outs], [[list(r) for r in some] for some in _refs])
assert close(_got, (8 / 11 * 6 / 9 * 4 / 7 * 3 / 5) ** (1 / 4)), (
    f"C = 8, 6, 4, 3 of N = 11, 9, 7, 5: .6386 wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS


def _hits(output, references, i):
    grams = [tuple(output[j : j + i]) for j in range(len(output) - i + 1)]
    of = [[tuple(r[j : j + i]) for j in range(len(r) - i + 1)] for r in references]
    return sum(min(grams.count(g), max(r.count(g) for r in of)) for g in {*grams}), len(
        grams
    )


def _bleu(outputs, references, printed):
    C, N = np.sum(
        [
            [_hits(o, some, i) for i in (1, 2, 3, 4)]
            for o, some in zip(outputs, references, strict=True)
        ],
        axis=0,
    ).T
    if not C.all():
        return 0.0
    out = sum(len(o) for o in outputs)
    ref = 0
    for o, some in zip(outputs, references, strict=True):
        lengths = sorted(len(r) for r in some)
        ref += min(lengths, key=lambda n: abs(n - len(o)))
    short = out / ref if printed else math.exp(1 - ref / max(out, 1))
    return min(1.0, short) * math.exp(np.log(C / N).mean())


for _number in range(6):
    _refs = [
        [
            random.choices("abcd", k=random.randint(5, 12))
            for _ in range(1 + _number % 3)
        ]
        for _ in range(4)
    ]
    _outs = [
        [random.choice("abcd") if random.random() < 0.15 else w for w in some[0]][
            : 3 + 3 * s
        ]
        for s, some in enumerate(_refs)
    ]
    _outs[_number % 4] = list(_refs[_number % 4][-1])
    for _printed in (False, True):
        _wanted = _bleu(_outs, _refs, _printed)
        _got = bleu([[*o] for o in _outs], [[[*r] for r in s] for s in _refs], _printed)
        assert close(_got, _wanted), (
            f"outputs {_outs}, references {_refs}, printed={_printed}: {_wanted:.5f} wanted; yours: {_got}."
        )
### END HIDDEN TESTS

# %% test="bleu" aspect="edges" points=1
_got = bleu([["a", "b", "c", "x"]], [[["a", "b", "c", "d"]]])
assert close(_got, 0) and is_number(_got), (
    f"No 4-gram is right, so BLEU is 0; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _outs, _refs in (
    ([[]], [[["a", "b", "c", "d", "e"]]]),
    ([["a", "b"]], [[["a", "b"]]]),
    ([["x", "y", "z", "u", "v"]], [[["a", "b", "c", "d", "e"]]]),
):
    _got = bleu(_outs, _refs)
    assert is_number(_got) and close(_got, 0), (
        f"{_outs} against {_refs}: there is no right 4-gram, 0 wanted; yours: {_got!r}."
    )
_five = ["a", "b", "c", "d", "e"]
_got = bleu([[], [*_five]], [[["a"]], [[*_five]]])
assert close(_got, math.exp(1 - 6 / 5)), (
    f"An empty sentence beside a right one of 5 words: only the penalty, exp(1 - 6/5); yours: {_got}."
)
_long, _short = [*_five, "f", "g"], _five[:3] + ["d"]
_got = bleu([[*_five]], [[[*_long], [*_short]]])
assert close(_got, 1), (
    f"5 words, references of 7 and 4: the closest is 4, so no penalty; yours: {_got}."
)
for _refs in ([_five[:4], [*_five, "f"]], [[*_five, "f"], _five[:4]]):
    _got = bleu([[*_five]], [[[*r] for r in _refs]])
    assert close(_got, 1), (
        f"5 words, references of 4 and 6: the shorter one counts, no penalty; yours: {_got}."
    )
### END HIDDEN TESTS

# %%
references = [translation.references(S) for S in valid_sources[:200]]
dice = random.Random(2)


def spoil(words, how):
    """The words with one thing wrong."""
    words = list(words)
    place = dice.randrange(len(words) - 1)
    if how == "two words swapped":
        words[place : place + 2] = words[place + 1], words[place]
    elif how == "a word lost":
        del words[place]
    elif how == "a word of another sentence":
        words[place] = dice.choice(dice.choice(targets))
    elif how == "a wrong ending":
        words[place] += "mu"
    return words


HOW = [
    "two words swapped",
    "a word lost",
    "a word of another sentence",
    "a wrong ending",
]
spoilt = {how: [spoil(T, how) for T in valid_targets[:200]] for how in HOW}
for how, outputs in spoilt.items():
    alone = [bleu([o], [r]) for o, r in zip(outputs, references, strict=True)]
    print(
        f"{how:27} text {bleu(outputs, references):.3f}, mean of sentences {np.mean(alone):.3f}"
    )

# %% [markdown]
# One error in each sentence, and four numbers. (Multiplied by 100, they are what papers print.) The mean over sentences is much lower and is not BLEU: a short sentence with one error often has no right 4-gram left, so alone it gets 0, while in the
# whole text it merely adds few hits to the sums. That is why BLEU of a single sentence says so little.

# %% [markdown]
# ## 14. A second opinion
#
# BLEU sees only whole words and short rows of them. What does a person do who mends a translation? The *edit distance* counts: how many words must be inserted, deleted or exchanged to make the reference out of the output. Let $D_{ij}$ be the distance between the first $i$ words of $a$ and the first $j$ of $b$:
#
# $$D_{i0} = i, \quad D_{0j} = j, \qquad D_{ij} = \min \begin{cases} D_{i-1,j} + 1 & \text{delete } a_i \\ D_{i,j-1} + 1 & \text{insert } b_j \\ D_{i-1,j-1} + [a_i \ne b_j] & \text{keep or exchange} \end{cases}$$

# %% [markdown] statement="edit_distance"
# - `edit_distance(a, b)`: $D$ for two lists of words, an integer.
# - `post_editing(outputs, references)`: edits per reference word. For each sentence take the fewest edits to any of its references; divide their sum by the sum, over the sentences, of the *mean* length of its references.

# %% [markdown] hints="edit_distance"
# 1. Fill a table row by row; its first row and column are known.
# 2. Row $i$ needs only row $i - 1$, so one list is enough, or keep it all: a table of lists is fine.
# 3. The translation error rate TER (Snover et al., 2006) is this, with one more kind of edit: a whole phrase moved counts once. Ours does not know that edit.


# %% task="edit_distance" points=3 level=2 minutes=14
def edit_distance(a, b):
    """The fewest insertions, deletions and exchanges of words that make b of a."""
    ### BEGIN SOLUTION
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            new.append(min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (x != y)))
        row = new
    return row[-1]
    ### END SOLUTION


def post_editing(outputs, references):
    """Edits per reference word of a text."""
    ### BEGIN SOLUTION
    edits = words = 0
    for output, some in zip(outputs, references, strict=True):
        edits += min(edit_distance(output, reference) for reference in some)
        words += sum(map(len, some)) / len(some)
    return edits / words
    ### END SOLUTION


# %% test="edit_distance" aspect="the table" points=2
_got = edit_distance(
    ["the", "coffee", "black", "me", "pleases"], ["I", "like", "black", "coffee"]
)
assert is_number(_got), f"edit_distance returns a number; yours: {_got!r}."
assert _got == 4, (
    f"*the coffee black me pleases* to *I like black coffee*: 4 edits; yours: {_got}."
)
### BEGIN HIDDEN TESTS


def _distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(
        _distance(a[1:], b) + 1,
        _distance(a, b[1:]) + 1,
        _distance(a[1:], b[1:]) + (a[0] != b[0]),
    )


for _a, _b in (
    ([], []),
    ([], ["x", "y", "z"]),
    (["x", "y"], []),
    (["a", "b"], ["b", "a"]),
    (["word"], ["ward"]),
    (["a", "b", "c", "d"], ["b", "c", "d", "a"]),
    *(
        (random.choices("abc", k=random.randint(1, 6)), random.choices("abc", k=5))
        for _ in range(8)
    ),
):
    _got = edit_distance(list(_a), list(_b))
    assert is_number(_got) and _got == _distance(_a, _b), (
        f"{_a} to {_b}: {_distance(_a, _b)} wanted; yours: {_got!r}."
    )
_n = random.randint(150, 200)
_got = edit_distance(["a", "b"] * _n, ["b", "a"] * _n)
assert _got == 2, f"{2 * _n} words, shifted by one: 2 wanted (and soon); yours: {_got}."
### END HIDDEN TESTS

# %% test="edit_distance" aspect="edits per reference word" points=1
_outs, _refs = [["a", "b"], ["c"]], [[["a", "x"], ["a", "b", "c", "d"]], [["c"]]]
_got = post_editing(
    [list(o) for o in _outs], [[list(r) for r in some] for some in _refs]
)
assert is_number(_got) and close(_got, 1 / 4), (
    f"1 edit and 0 edits, 3 words on average and 1: 1/4 wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS


def _distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(
        _distance(a[1:], b) + 1,
        _distance(a, b[1:]) + 1,
        _distance(a[1:], b[1:]) + (a[0] != b[0]),
    )


for _ in range(6):
    _refs = [
        [random.choices("abc", k=random.randint(2, 6)) for _ in range(n)]
        for n in (1, 3, 2)
    ]
    _outs = [random.choices("abc", k=random.randint(0, 5)) for _ in range(3)]
    _edits = sum(
        min(_distance(o, r) for r in s) for o, s in zip(_outs, _refs, strict=True)
    )
    _wanted = _edits / sum(np.mean([len(r) for r in s]) for s in _refs)
    _got = post_editing([[*o] for o in _outs], [[[*r] for r in s] for s in _refs])
    assert close(_got, _wanted), (
        f"outputs {_outs}, references {_refs}: {_edits} edits, {_wanted:.4f} wanted; yours: {_got}."
    )
### END HIDDEN TESTS


# %%
def chrf(output, references, longest=6, beta=2):
    """chrF (Popovic, 2015), the best over references: shared rows of letters, recall weighing beta times precision."""

    def grams(text, i):
        return Counter(text[j : j + i] for j in range(len(text) - i + 1))

    def one(mine, other):
        parts = []
        for i in range(1, longest + 1):
            a, b = grams(mine, i), grams(other, i)
            if a and b:
                shared = (a & b).total()
                parts.append((shared / a.total(), shared / b.total()))
        precision, recall = np.mean(parts, 0)
        both = beta**2 * precision + recall
        return (1 + beta**2) * precision * recall / both if both else 0.0

    return max(one("".join(output), "".join(r)) for r in references)


rows = {
    how: (
        bleu(outputs, references),
        1 - post_editing(outputs, references),
        np.mean([chrf(o, r) for o, r in zip(outputs, references, strict=True)]),
    )
    for how, outputs in spoilt.items()
}
_, axes = plt.subplots(figsize=(6, 2.8))
for i, (name, marker) in enumerate(
    (("BLEU", "o"), ("1 - edits per word", "s"), ("chrF", "^"))
):
    axes.plot([row[i] for row in rows.values()], range(len(rows)), marker, label=name)
axes.set(yticks=range(len(rows)), yticklabels=list(rows), xlabel="score", xlim=(0, 1))
axes.invert_yaxis()
axes.legend()
plt.show()

# %% [markdown]
# The three agree that all of these texts are worse than perfect, and on nothing else. For BLEU a swap is the worst (it breaks up to five 2- to 4-grams on either side), though no word is wrong; for an editor without the move it is two edits, for one with it, one. A lost word, a foreign one and a wrong ending cost
# an editor the same. chrF, which reads letters, forgives the ending: nearly all of the word is there, and a reader would understand it. Which error matters? That is not a question for a formula. Where it counts, people compare the outputs, or mend them and the edits are counted.

# %% [markdown]
# ## 15. What comes next
#
# You have conditioned a language model on a text, searched its best answer, and measured that answer in three ways that disagree. All models of this course now wait side by side. Chapter 10 puts them on one scoreboard.
