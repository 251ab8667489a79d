# ---
# title: Whatever can be tokenised
# ---

# %% [markdown]
# Somewhere there is a robot arm that is moved by a model made for predicting the next word (A. Brohan and others, 2023). Each command to a joint is a number from 0 to 255, and to the model this number is a word like any other. It writes one, and the next, and the next, and the arm picks up a can.
#
# Look back at the models that you have built: not one of them knows what a word is. A model reads a row of symbols and says what could come next. We happened to feed it words. So what else can be fed to it? Yoav Artzi put the answer into one sentence, "whatever you can tokenize, the Transformer will take", and this chapter takes the sentence at its word. You will feed it the moves of a game, pictures, sound and the angles of an arm, and in the end one model reads and writes three of these at once.
#
# The sentence has two halves, and each hides a question. *The Transformer will take it*: it takes every row of symbols, but does it understand what it takes? We begin with the two smallest languages that tell the difference. And *whatever you can tokenize*: what does it mean to make a token of a thing that is not made of symbols, such as a patch of a picture? You will see that the honest answer is sometimes "we did not".

# %% [markdown]
# Each section generates its own data in a few lines, and most train their models before your eyes, in seconds. Three comparisons took minutes, so they were recorded; each says so and names the command that makes it again. Shapes stand in brackets, as ever: $[B, T]$ is a batch of $B$ rows of $T$ tokens.

# %%
import copy
import itertools
import math
import random
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch.nn import functional as F

from lmkit import anything, drawings, paths, plots
from lmkit.models.networks import build
from lmkit.testing import arguments_after, close, is_number, laid_out_otherwise
from lmkit.training import set_seed

plots.use_style()
plt.rcParams.update({"figure.dpi": 100})
torch.set_num_threads(1)

# %% [markdown]
# ## 1. Machines that say yes or no
#
# Before there were probabilities, a *formal language* was a set of words, and a machine that recognises it says yes or no (lecture 002, Fabrizio Silvestri). The simplest is a **deterministic finite automaton** (DFA). It stands in one of finitely many states; each symbol read takes it to another; at the end, some states mean yes. It has no other memory.

# %% [markdown] statement="accepts"
# - `accepts(word, step, start, accepting)`: `step` is a dict `{(state, symbol): state}`, `accepting` a set of states; no state is `None`. Where `step` has no entry, the word is refused. Return a bool.
# - `ab_star()`: return `(step, start, accepting)` of a machine for $(ab)^*$: the empty word, *ab*, *abab*, and so on. Which states you use, and what you call them, is up to you.

# %% [markdown] hints="accepts"
# 1. What must the machine for $(ab)^*$ remember at any time? One fact is enough.
# 2. Read symbol by symbol and keep only the state; a missing entry ends it.
# 3. Two states: *an a may come*, where the word may also end, and *a b must come*. The second is not accepting.


# %% task="accepts" points=3 level=1 minutes=12
def accepts(word, step, start, accepting):
    """Whether the automaton is in an accepting state after the word."""
    ### BEGIN SOLUTION
    state = start
    for symbol in word:
        if (state, symbol) not in step:
            return False
        state = step[state, symbol]
    return state in accepting
    ### END SOLUTION


def ab_star():
    """(step, start, accepting) of an automaton for (ab)*."""
    ### BEGIN SOLUTION
    return {(0, "a"): 1, (1, "b"): 0}, 0, {0}
    ### END SOLUTION


# %% test="accepts" aspect="states and missing steps" points=2
_even = {("even", "a"): "odd", ("odd", "a"): "even"}
for _word, _wanted in (("", True), ("a", False), ("aa", True), ("ab", False)):
    _got = accepts(_word, dict(_even), "even", {"even"})
    assert _got is not None, "You return None; return True or False."
    assert bool(_got) == _wanted, (
        f"An even number of a and nothing else: {_word!r} gives {_wanted}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_step = {(1, "x"): 2, (2, "x"): 3, (3, "x"): 3, (2, "y"): 1, (1, "z"): 0}
for _word, _start, _accepting, _wanted in (
    ("", 1, {1}, True),
    ("", 1, {2, 3}, False),
    ("", 1, set(), False),
    ("xxxxx", 1, {3}, True),
    ("xyxyxy", 1, {1}, True),
    ("xyx", 1, {1, 3}, False),
    ("xyx", 1, {2}, True),
    ("yxx", 1, {1, 3}, False),
    ("xxy", 1, {1, 3}, False),
    ("xxyx", 1, {1, 2, 3}, False),
    ("xxxy", 1, {1, 3}, False),
    ("x", 3, {3}, True),
    (["x", "y"], 1, {1}, True),
    ("z", 1, {0}, True),
    ("zx", 1, {0, 1}, False),
    ("xq", 1, {2}, False),  # no step anywhere reads a q
    ("qx", 1, {1, 2}, False),
):
    _got = accepts(_word, dict(_step), _start, set(_accepting))
    assert _got is not None and bool(_got) == _wanted, (
        f"Steps {_step}, start {_start}, accepting {_accepting}: {_word!r} gives {_wanted}; yours: {_got}."
    )
_after = arguments_after(accepts, ["x", "x", "y"], dict(_step), 1, {1})
assert list(_after[0]) == ["x", "x", "y"] and dict(_after[1]) == _step, (
    "The word or the steps are changed."
)
### END HIDDEN TESTS

# %% test="accepts" aspect="your machine for (ab)*" points=1
_got = ab_star()
assert _got is not None and len(_got) == 3, f"Return three things; yours: {_got!r}."


_words = anything.short_words(*_got, 4)
assert "ab" in _words, "Your machine refuses `ab`."
assert "a" not in _words, "Your machine accepts `a`."
### BEGIN HIDDEN TESTS


def _says(machine, word):
    """What the machine says of the word, run by this test's own loop."""
    step, state, accepting = machine
    for symbol in word:
        if (state, symbol) not in dict(step):
            return False
        state = dict(step)[state, symbol]
    return state in accepting


for _length in range(7):
    for _letters in itertools.product("ab", repeat=_length):
        _word = "".join(_letters)
        _wanted = _word == "ab" * (_length // 2)
        assert _says(_got, _word) == _wanted, (
            f"Your machine should {'accept' if _wanted else 'refuse'} {_word!r}."
        )
assert _says(_got, "ab" * 500) and not _says(_got, "ab" * 500 + "a"), (
    "On words of 1,000 letters your machine is wrong."
)
### END HIDDEN TESTS

# %% [markdown]
# ## 2. A stack
#
# No DFA recognises $a^n b^n$, $n$ letters *a* and then as many *b*: with $k$ states it cannot tell more than $k$ different numbers apart. Brackets that close are of this kind. A **push-down automaton** has a stack as well, and sees only its top. Ours reads rules
#
# `{(state, symbol, top): (state, action)}`
#
# where the action `"push"` lays the symbol just read on the stack, `"pop"` takes the top away, and `"keep"` does nothing. On the empty stack the top is `None`; a `"pop"` there refuses the word, and so does a missing rule. A word is accepted if it ends in an accepting state **with an empty stack**.

# %% [markdown] statement="pushdown"
# - `accepts_pushdown(word, rules, start, accepting)`: a bool;
# - `anbn()`: `(rules, start, accepting)` for all $a^n b^n$ with $n \ge 0$. It gets by with two states.

# %% [markdown] hints="pushdown"
# 1. What should lie on the stack after three *a*? What does each *b* do to it?
# 2. A list is a stack; its last item is the top. Look up the rule *before* you change anything.
# 3. State "reading a": an *a* is pushed, whatever the top is; a *b* on an *a* pops and goes to "reading b". There only *b* on *a* has a rule. Both states may accept, for the stack decides.


# %% task="pushdown" points=4 level=2 minutes=18
def accepts_pushdown(word, rules, start, accepting):
    """Whether the push-down automaton ends in an accepting state with an empty stack."""
    ### BEGIN SOLUTION
    state, stack = start, []
    for symbol in word:
        rule = rules.get((state, symbol, stack[-1] if stack else None))
        if rule is None:
            return False
        state, action = rule
        if action == "push":
            stack.append(symbol)
        elif action == "pop":
            if not stack:
                return False
            stack.pop()
    return state in accepting and not stack
    ### END SOLUTION


def anbn():
    """(rules, start, accepting) of a push-down automaton for a^n b^n, n >= 0."""
    ### BEGIN SOLUTION
    rules = {
        ("a", "a", None): ("a", "push"),
        ("a", "a", "a"): ("a", "push"),
        ("a", "b", "a"): ("b", "pop"),
        ("b", "b", "a"): ("b", "pop"),
    }
    return rules, "a", {"a", "b"}
    ### END SOLUTION


# %% test="pushdown" aspect="brackets" points=2
_rules = {(0, "(", None): (0, "push"), (0, "(", "("): (0, "push")}
_rules |= {(0, ")", "("): (0, "pop"), (0, ".", None): (0, "keep")}
for _word, _wanted in (("()", True), ("(", False), (")", False), ("(()())", True)):
    _got = accepts_pushdown(_word, dict(_rules), 0, {0})
    assert _got is not None, "You return None; return True or False."
    assert bool(_got) == _wanted, f"Brackets: {_word!r} gives {_wanted}; yours: {_got}."
### BEGIN HIDDEN TESTS
for _word, _wanted in (
    ("", True),
    ("()()", True),
    ("())", False),
    (")(", False),
    ("(()", False),
    (".().", True),
    ("(.)", False),
    ("((((()))))", True),
    ("((((())))", False),
    ("(x)", False),
):
    _got = accepts_pushdown(_word, dict(_rules), 0, {0})
    assert _got is not None and bool(_got) == _wanted, (
        f"Brackets, and dots outside of them: {_word!r} gives {_wanted}; yours: {_got}."
    )
_two = {(s, x, t): (s, "push") for s in (0,) for x in "([" for t in (None, "(", "[")}
_two |= {(0, ")", "("): (0, "pop"), (0, "]", "["): (0, "pop")}
for _word, _wanted in (
    ("([])[]", True),
    ("([)]", False),
    ("[(])", False),
    ("[([])]", True),
):
    _got = accepts_pushdown(_word, dict(_two), 0, {0})
    assert _got is not None and bool(_got) == _wanted, (
        f"Two kinds of brackets: {_word!r} gives {_wanted}; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="pushdown" aspect="states, empty stacks and keep" points=1
_rules = {("s", "x", None): ("t", "push"), ("t", "y", "x"): ("u", "pop")}
_got = accepts_pushdown("xy", dict(_rules), "s", {"t"})
assert _got is not None and not _got, (
    "The stack is empty, but the state `u` is not accepting."
)
### BEGIN HIDDEN TESTS
for _word, _more, _accepting, _wanted, _what in (
    ("xy", {}, {"u"}, True, "accepting state and empty stack"),
    ("x", {}, {"t"}, False, "accepting state, but something on the stack"),
    ("", {}, {"s"}, True, "nothing read, start accepting"),
    ("", {}, {"t"}, False, "nothing read, start not accepting"),
    ("z", {("s", "z", None): ("s", "pop")}, {"s"}, False, "a pop on the empty stack"),
    ("xz", {("t", "z", "x"): ("t", "keep")}, {"t"}, False, "`keep` keeps the top"),
    ("xzy", {("t", "z", "x"): ("t", "keep")}, {"u"}, True, "`keep`, and then a pop"),
    (
        "zxy",
        {("s", "z", None): ("s", "keep")},
        {"u"},
        True,
        "`keep` on the empty stack",
    ),
    (["x", "y"], {}, {"u"}, True, "a list of symbols"),
    ("z", {("s", "z", None): ("v", "keep")}, {"v"}, True, "`keep` changes the state"),
    (
        "z",
        {("s", "z", None): ("v", "keep")},
        {"s"},
        False,
        "`keep` changes the state, too",
    ),
    (
        "xxy",
        {("t", "x", "x"): ("t", "keep")},
        {"u"},
        True,
        "`keep` on a symbol like the top",
    ),
):
    _all = {**_rules, **_more}
    _got = accepts_pushdown(_word, dict(_all), "s", set(_accepting))
    assert _got is not None and bool(_got) == _wanted, (
        f"{_what}: {_word!r} gives {_wanted}; yours: {_got}."
    )
_after = arguments_after(accepts_pushdown, ["x", "y"], dict(_rules), "s", {"u"})
assert list(_after[0]) == ["x", "y"] and dict(_after[1]) == _rules, (
    "An argument is changed."
)
### END HIDDEN TESTS

# %% test="pushdown" aspect="your machine for a^n b^n" points=1
_got = anbn()
assert _got is not None and len(_got) == 3, f"Return three things; yours: {_got!r}."


_words = anything.short_words(*_got, 4)
assert "aabb" in _words, "Your machine refuses `aabb`."
assert "aab" not in _words, "Your machine accepts `aab`."
### BEGIN HIDDEN TESTS


def _says(machine, word):
    """What the machine says of the word, run by this test's own loop."""
    rules, state, accepting = machine
    stack = []
    for symbol in word:
        rule = dict(rules).get((state, symbol, stack[-1] if stack else None))
        if rule is None or (rule[1] == "pop" and not stack):
            return False
        state = rule[0]
        if rule[1] == "push":
            stack.append(symbol)
        elif rule[1] == "pop":
            stack.pop()
    return state in accepting and not stack


for _length in range(8):
    for _letters in itertools.product("ab", repeat=_length):
        _word = "".join(_letters)
        _half = _length // 2
        _wanted = _word == "a" * _half + "b" * _half
        assert _says(_got, _word) == _wanted, (
            f"Your machine should {'accept' if _wanted else 'refuse'} {_word!r}."
        )
assert _says(_got, "a" * 300 + "b" * 300) and not _says(_got, "a" * 300 + "b" * 299), (
    "With 300 letters a your machine is wrong."
)
### END HIDDEN TESTS

# %% [markdown] statement="knows"
# ## 3. Which of our models learn them?
#
# A language model says no by giving no probability. In $a^n b^n$, once the first *b* has been read, everything is decided: *b* until there are $n$ of them, then the end. So we can ask a model for one word of the language whether it **knows** $n$.
#
# `knows(following, n)`: `following(prefix)` takes a string of *a* and *b* and returns a dict `{"a": p, "b": p, "</s>": p}`. Return `True` if for each prefix $a^n b^k$, $1 \le k \le n$, the right symbol has more probability than either of the others. (Equal is not enough. For $n = 0$ nothing is asked, so `True`.)

# %% [markdown] hints="knows"
# 1. Which symbol is right for $k < n$, and which for $k = n$?
# 2. The prefixes begin with the first *b*: before it, nobody can know $n$.
# 3. "More than either of the others": compare the right one with the largest of the other two, and stop at the first failure.


# %% task="knows" points=3 level=2 minutes=12
def knows(following, n):
    """Whether a model continues a^n b^k rightly for every k from 1 to n."""
    ### BEGIN SOLUTION
    for k in range(1, n + 1):
        p = following("a" * n + "b" * k)
        right = "</s>" if k == n else "b"
        others = [p[symbol] for symbol in ("a", "b", "</s>") if symbol != right]
        if p[right] <= max(others):
            return False
    return True
    ### END SOLUTION


# %% test="knows" aspect="b, and then the end" points=1
def _perfect(prefix):
    """The language itself."""
    left = prefix.count("a") - prefix.count("b")
    if "b" not in prefix:
        return {"a": 0.5, "b": 0.4, "</s>": 0.1}
    return (
        {"a": 0.1, "b": 0.6, "</s>": 0.3} if left else {"a": 0.1, "b": 0.3, "</s>": 0.6}
    )


def _always(symbol):
    """A model that always expects the same."""
    return lambda prefix: {s: 0.8 if s == symbol else 0.1 for s in ("a", "b", "</s>")}


_got = [knows(_perfect, 3), knows(_always("b"), 3), knows(_always("</s>"), 3)]
assert None not in _got, "You return None; return True or False."
assert [bool(one) for one in _got] == [True, False, False], (
    f"The language knows 3; who always says b does not, nor who always ends; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _n in (1, 2, random.randint(4, 9), 30):
    assert knows(_perfect, _n), f"The language itself knows n = {_n}; yours: False."
    assert not knows(_always("b"), _n), f"n = {_n}: who never ends does not know it."
    assert not knows(_always("a"), _n), f"n = {_n}: who always says a does not know it."
assert knows(_always("</s>"), 1), "For n = 1 the end is right at once; yours: False."
assert not knows(_always("</s>"), 2), "For n = 2 a b must come before the end."
assert knows(_always("a"), 0), "For n = 0 nothing is asked; yours: False."
### END HIDDEN TESTS

# %% test="knows" aspect="one failure is enough" points=2
_got = knows(lambda prefix: {"a": 0.2, "b": 0.4, "</s>": 0.4}, 1)
assert _got is not None and not _got, (
    "b and the end are equally likely: that is not knowing."
)


def _except(place):
    """Right everywhere but after the b of that number."""

    def following(prefix):
        p = dict(_likely(prefix))
        if prefix.count("b") == place:
            p["b"], p["</s>"] = p["</s>"], p["b"]
        return p

    return following


def _likely(prefix):
    more = prefix.count("b") < prefix.count("a")
    return {"a": 0.0, "b": 0.9 if more else 0.1, "</s>": 0.1 if more else 0.9}


### BEGIN HIDDEN TESTS
for _n in (2, 5, 12):
    for _place in range(1, _n + 1):
        assert not knows(_except(_place), _n), (
            f"n = {_n}, wrong after the b of number {_place} only: False is wanted."
        )
    assert knows(_except(_n + 1), _n), (
        f"n = {_n}: nothing wrong up to there; True is wanted."
    )
    assert knows(_except(0), _n), (
        f"n = {_n}: before the first b nothing is asked; True is wanted."
    )
_asked = []


def _noting(prefix):
    _asked.append(prefix)
    return _likely(prefix)


assert knows(_noting, 4), "A model that is right is told that it does not know 4."
assert all(one == "a" * 4 + "b" * (len(one) - 4) for one in _asked), (
    f"Asked after {_asked}: every prefix should be 4 a and then b only."
)
assert not knows(
    lambda prefix: (
        {"a": 0.5, "b": 0.3, "</s>": 0.2} if prefix.count("b") == 1 else _likely(prefix)
    ),
    3,
), "After the first b an a is expected: False is wanted."
assert not knows(lambda prefix: {"a": 0.5, "b": 0.0, "</s>": 0.5}, 1), (
    "a and the end are equally likely: that is not knowing."
)
for _order in itertools.permutations(["a", "b", "</s>"]):
    assert not knows(
        lambda prefix, _order=_order: {s: 0.2 if s == "a" else 0.4 for s in _order}, 1
    ), (
        "b and the end are equally likely, in any order of the dict: that is not knowing."
    )
assert knows(lambda prefix: {"</s>": 0.34, "b": 0.33, "a": 0.33}, 1), (
    "A little more for the end is enough; yours: False."
)
assert knows(lambda prefix: {"</s>": 0.334, "b": 0.333, "a": 0.333}, 1), (
    "0.334 is more than 0.333 and 0.333; yours: False."
)
### END HIDDEN TESTS

# %% [markdown]
# A bigram model first, by counting, on one word of each $n$ from 1 to 12:

# %%
words = ["a" * n + "b" * n for n in range(1, 13)]
after = {symbol: Counter() for symbol in "ab"}
for word in words:
    for x, y in zip(word, [*word[1:], "</s>"], strict=True):
        after[x][y] += 1


def bigram(prefix):
    """P of each symbol after the last one of the prefix."""
    row = after[prefix[-1]]
    return {symbol: row[symbol] / row.total() for symbol in ("a", "b", "</s>")}


print([n for n in range(1, 41) if knows(bigram, n)], bigram("aab"))

# %% [markdown]
# It knows no $n$ at all. After a *b* it always expects another one, and it cannot know better: it has no memory. But recurrent networks have a state, and Transformers see all that was read.
#
# We trained both, and a bigram model, on $(ab)^*$ and on $a^n b^n$ with $n$ up to 12, for the same CPU time, each at the best of three learning rates, with three seeds (recorded: `data/anything`). The Transformer comes with rotary positions and with none. Predict: who is right on the lengths it has seen? Who on lengths up to 40, which it has not?

# %%
record = pd.read_csv(paths.DATA / "anything" / "automata.csv")
spans = ["1-12", "13-24", "25-40"]
kinds = list(dict.fromkeys(record["model"]))
for language, found in record.groupby("language"):
    seen, beyond = found["1-12"], found[["13-24", "25-40"]]
    print(
        f"{language:8} {len(found)} models; right on every length that was seen: {(seen == 1).sum()},"
        f" on every length up to 40: {((seen == 1) & (beyond == 1).all(axis=1)).sum()}"
    )
_, axes = plt.subplots(figsize=(9, 3.6))
for i, kind in enumerate(kinds):
    rows = record[(record["model"] == kind) & (record["language"] == "a^n b^n")]
    for j, values in enumerate(100 * rows[spans].to_numpy(float)):
        places = np.arange(3) + 0.15 * (i - 2) + 0.035 * (j - (len(rows) - 1) / 2)
        label = kind if j == 0 else None
        axes.plot(places, values, "o", color=plots.COLOURS[i], label=label)
for place in (0.5, 1.5):
    axes.axvline(place, color="lightgray", linewidth=1)
labels = ["n = 1-12\n(seen in training)", "n = 13-24", "n = 25-40"]
axes.set_xticks(range(3), labels)
axes.set_ylabel("lengths right (%)")
axes.set_title("$a^n b^n$: right on what they have seen, mostly lost beyond it")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# The pattern $(ab)^*$ needs one fact of memory, and every model knows it for every length, the bigram included. So the figure shows $a^n b^n$ only; each dot is one training, three of them for each network. The bigram knows nothing. All networks are right on the lengths that they have seen. On the next twelve the RNN is lost; the LSTM and the Transformer with rotary positions know 42 to 83 % of them; beyond 24, none of their six trainings knows a single one.
#
# And then there is one dot at 100 %: of the three Transformers *without* positions, one gets every length right. Is that possible, if it has no positions? It is, because our Transformer is causal. The first token can look at one token only, the tenth at ten, so a layer of attention can find out how far along it is; A. Haviv and others (2022) showed that such models do learn positions. A. Kazemnejad and others (2023) compared the usual ways to encode positions on tasks where the test is longer than the training, and having none at all did best. So our lucky dot is not a miracle. But look at its two sisters: one knows a third of the next twelve lengths and the other none. What the good one has learned we have not looked at. With a single seed we would have drawn one of two opposite conclusions, and believed it.
#
# So the answer to the first question: they *take* every row of symbols, and on the lengths they have seen they are perfect. Whether they have understood the rule is another matter. The push-down automaton has four rules and is right for every $n$.

# %% [markdown] statement="taking_everything"
# #### Does it take everything?
#
# "Whatever you can tokenize, the Transformer will take." Say what the figure above supports of this sentence, what it contradicts, and which of the two a person needs who wants a model to check whether brackets close.

# %% [markdown] written="taking_everything" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: what is supported: any rows of symbols can be trained on, and within the lengths seen the Transformers reach what the figure shows for n up to 12 (with the figure named). 1 point: what is contradicted: taking is not generalising; beyond 12 they fail where a push-down automaton, with four rules, is right for every n. 1 point: a reasoned choice for brackets: the automaton, because it is right for all lengths and one can prove it; or a network only if lengths are bounded and covered by its training.
#
# No point for "Transformers are universal" or "neural networks cannot count". A usual wrong idea: more training on the same lengths would mend it.
#
# **Sample, 3 points.** One can train on any symbols, and up to n = 12 the networks learned it. But for longer words almost all of them are wrong, so they learned something about these lengths and not the rule. For brackets I would take the push-down automaton: it needs a stack and four rules and is right for every length.
#
# **Sample, 1 point.** The Transformer takes the tokens but it is not perfect for long ones. I would train it with longer examples.
#
# **Sample, 0 points.** It takes everything, since everything can be tokenised, and it would learn brackets too if it were larger.
# ### END SOLUTION

# %% [markdown]
# ## 4. Actions are tokens
#
# A game is also a sequence: a state, an action, a reward, the next state, the next action. L. Chen and others (2021) had a lovely idea what to do with such sequences, the **Decision Transformer**. Before each action they wrote *how much reward is still to come* in that game, a number that is known once the game is over. Then they trained an ordinary language model on these rows.
#
# What does such a model learn? Two things at once: what players do who are about to earn 3, and what players do who are about to earn 10. So to make it play well, you do not have to train it again. You ask it for a lot: you write "10 still to come" where the row begins, and let it continue.

# %% [markdown] statement="returns"
# - `returns_to_go(rewards)`: rewards $[B, T]$ of $B$ games → what comes from each step on, that step's own reward included, $[B, T]$: $G_t = r_t + r_{t+1} + \dots + r_T$.
# - `interleave(returns, states, actions, most, places)`: three arrays of whole numbers $[B, T]$ → tokens $[B, 3T]$ in the order $G_1, s_1, a_1, G_2, s_2, a_2, \dots$ All kinds share one vocabulary: a return keeps its number (from 0 to `most`; larger ones are written as `most`), a state gets `most + 1` added, an action `most + 1 + places`.

# %% [markdown] hints="returns"
# 1. The last return is the last reward. And the one before?
# 2. A sum from the end: turn round, add up, turn back. The kinds must not share a number: whose numbers begin where?
# 3. `np.cumsum` on the reversed axis; for the tokens, `np.stack` the three on a new last axis and `reshape`.


# %% task="returns" points=4 level=2 minutes=14
def returns_to_go(rewards):
    """What is earned from each step on: [B, T]."""
    ### BEGIN SOLUTION
    return np.cumsum(np.asarray(rewards)[:, ::-1], axis=1)[:, ::-1]
    ### END SOLUTION


def interleave(returns, states, actions, most, places):
    """Tokens [B, 3T] of returns, states and actions in turns, each kind with numbers of its own."""
    ### BEGIN SOLUTION
    returns = np.minimum(returns, most)
    states = np.asarray(states) + most + 1
    actions = np.asarray(actions) + most + 1 + places
    return np.stack([returns, states, actions], axis=2).reshape(len(returns), -1)
    ### END SOLUTION


# %% test="returns" aspect="what is still to come" points=2
_got = returns_to_go(np.array([[1, 0, 2], [0, 5, 0]]))
assert np.shape(_got) == (2, 3), f"Shape (2, 3) wanted; yours: {np.shape(_got)}."
assert close(_got, [[3, 2, 2], [5, 5, 0]]), f"3 2 2 and 5 5 0 wanted; yours: {_got}."
### BEGIN HIDDEN TESTS
for _B, _T in ((1, 1), (1, 6), (4, 3), (3, 3)):
    _r = np.random.default_rng().integers(-3, 9, size=(_B, _T))
    _wanted = [[sum(row[t:]) for t in range(_T)] for row in _r.tolist()]
    _got = returns_to_go(_r.copy())
    assert np.shape(_got) == (_B, _T) and close(_got, _wanted), (
        f"{_B} games of {_T} steps, rewards {_r.tolist()}: {_wanted} wanted; yours: {_got}."
    )
_got = returns_to_go(np.array([[0.5, 0.25]]))
assert close(_got, [[0.75, 0.25]]), f"Rewards .5 and .25: .75 and .25; yours: {_got}."
assert close(arguments_after(returns_to_go, _r.copy())[0], _r), (
    "The rewards are changed in place."
)
### END HIDDEN TESTS

# %% test="returns" aspect="three kinds in turns" points=2
_got = interleave(np.array([[3, 2]]), np.array([[0, 1]]), np.array([[1, 0]]), 9, 4)
assert np.shape(_got) == (1, 6), (
    f"Two steps: shape (1, 6) wanted; yours: {np.shape(_got)}."
)
assert close(_got, [[3, 10, 15, 2, 11, 14]]), f"3 10 15 2 11 14 wanted; yours: {_got}."
### BEGIN HIDDEN TESTS
for _B, _T, _most, _places in (
    (1, 1, 0, 1),
    (2, 5, 7, 3),
    (4, 2, 12, 60),
    (3, 3, 5, 2),
):
    _rng = np.random.default_rng()
    _G = _rng.integers(0, _most + 1, size=(_B, _T))
    _s, _a = (
        _rng.integers(0, _places, size=(_B, _T)),
        _rng.integers(0, 9, size=(_B, _T)),
    )
    _s[-1, -1], _a[-1, -1] = _places - 1, 8
    _wanted = np.zeros((_B, 3 * _T))
    for _b in range(_B):
        for _t in range(_T):
            _wanted[_b, 3 * _t] = _G[_b, _t]
            _wanted[_b, 3 * _t + 1] = _most + 1 + _s[_b, _t]
            _wanted[_b, 3 * _t + 2] = _most + 1 + _places + _a[_b, _t]
    _got = interleave(_G.copy(), _s.copy(), _a.copy(), _most, _places)
    assert np.shape(_got) == (_B, 3 * _T) and close(_got, _wanted), (
        f"{_B} games of {_T} steps, most = {_most}, places = {_places}: "
        f"{_wanted.astype(int).tolist()} wanted; yours: {_got}."
    )
_got = interleave(
    np.array([[9, 10, 4], [8, 2, 20]]),
    np.zeros((2, 3), int),
    np.zeros((2, 3), int),
    8,
    2,
)
assert np.shape(_got) == (2, 9) and close(
    _got, [[8, 9, 11, 8, 9, 11, 4, 9, 11], [8, 9, 11, 2, 9, 11, 8, 9, 11]]
), (
    f"Returns 9 10 4 and 8 2 20 with most = 8: all above 8 are written as 8; yours: {_got}."
)
_G = _G + 3  # so that some are larger than most
_after = arguments_after(interleave, _G.copy(), _s.copy(), _a.copy(), 5, 2)
assert all(close(x, y) for x, y in zip(_after[:3], (_G, _s, _a), strict=True)), (
    "Returns, states or actions are changed in place."
)
### END HIDDEN TESTS

# %% [markdown]
# The game: a grid of five by five places, start in the middle, eight moves. The place entered pays 0 to 3 coins, every time. The players that we watch move at random, so nobody here has ever played on purpose. A small Transformer learns their rows.

# %%
SIDE, STEPS, MOST = 5, 8, 24
PLACES, ACTIONS = SIDE * SIDE, 4
coins = np.random.default_rng(3).choice([0, 0, 1, 3], size=PLACES)
VOCABULARY = MOST + 1 + PLACES + ACTIONS


def moved(place, action):
    """Where the actions 0 to 3 (up, down, left, right) lead; at the border one stays."""
    row, column = place // SIDE, place % SIDE
    row = np.clip(row + np.array([-1, 1, 0, 0])[action], 0, SIDE - 1)
    column = np.clip(column + np.array([0, 0, -1, 1])[action], 0, SIDE - 1)
    return row * SIDE + column


def play(choose, games):
    """Places [games, STEPS], actions, rewards; `choose(places, actions, rewards)` gives the next actions [games]."""
    place = np.full(games, PLACES // 2)
    places, actions, rewards = (np.zeros((games, 0), dtype=int) for _ in range(3))
    for _ in range(STEPS):
        places = np.concatenate([places, place[:, None]], axis=1)
        action = choose(places, actions, rewards)
        place = moved(place, action)
        actions = np.concatenate([actions, action[:, None]], axis=1)
        rewards = np.concatenate([rewards, coins[place][:, None]], axis=1)
    return places, actions, rewards


rng = np.random.default_rng(4)
places, actions, rewards = play(
    lambda places, *_: rng.integers(ACTIONS, size=len(places)), 4000
)
rows = interleave(returns_to_go(rewards), places, actions, MOST, PLACES)
print(coins.reshape(SIDE, SIDE))
print("a game as tokens:", rows[0][:9], f"... it earned {rewards[0].sum()}")
print(
    f"random players earn {rewards.sum(1).mean():.1f} on average, the luckiest {rewards.sum(1).max()};"
    f" {100 * (rewards.sum(1) > 10).mean():.0f} % of the games earn more than 10"
)

# %%
set_seed(1)
player = build("transformer", VOCABULARY, width=32, layers=2, heads=2, block=3 * STEPS)
data = torch.from_numpy(rows)
optimiser = torch.optim.AdamW(player.parameters(), lr=5e-3)
for step in range(1, 1601):
    batch = data[torch.randint(len(data), (64,))]
    # Only the actions are learned: token 3t + 2 is predicted from all up to the state before it.
    logits = player(batch[:, :-1])[:, 1::3]
    loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 2::3].flatten())
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if step == 400:
        beginner = copy.deepcopy(player)


@torch.no_grad()
def asking_for(total, model):
    """Chooses actions by the model, asked for `total` in all."""

    def choose(places, actions, rewards):
        earned = np.concatenate(
            [np.zeros((len(places), 1), dtype=int), rewards.cumsum(1)], axis=1
        )
        wanted = np.clip(total - earned, 0, MOST)
        missing = np.zeros((len(places), 1), dtype=int)  # the action that is asked for
        tokens = interleave(
            wanted, places, np.concatenate([actions, missing], axis=1), MOST, PLACES
        )
        logits = model(torch.from_numpy(tokens[:, :-1]))[:, -1, -ACTIONS:]
        return torch.multinomial(logits.softmax(-1), 1)[:, 0].numpy()

    return choose


# %%
# NBVAL_IGNORE_OUTPUT
# Another machine rounds otherwise, and one other action changes the rest of a game.
torch.manual_seed(2)
asked = np.arange(0, MOST + 1, 3)
_, axes = plt.subplots(figsize=(9, 4))
axes.plot(asked, asked, ":", color="gray", label="as asked")
for i, (model, steps) in enumerate(((beginner, 400), (player, 1600))):
    earned = np.array(
        [play(asking_for(total, model), 200)[2].sum(1) for total in asked]
    )
    axes.errorbar(
        asked + 0.15 * i,
        earned.mean(1),
        earned.std(1),
        fmt="o-",
        capsize=3,
        color=plots.COLOURS[i],
        label=f"after {steps:,} steps\n(200 games, ± deviation)",
    )
    print(
        f"after {steps:,} steps:",
        dict(zip(asked.tolist(), earned.mean(1).round(1).tolist(), strict=True)),
    )
axes.axhline(
    rewards.sum(1).mean(), color=plots.COLOURS[2], label="players it learned from"
)
axes.axvline(rewards.sum(1).max() + 0.5, color="gray", linewidth=1)
axes.set(xlabel="coins asked for", ylabel="coins earned", xticks=asked)
axes.set_title("Ask for more, get more: returns on demand")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Follow the orange curve, the model after 1,600 steps. Asked for nothing, it avoids nearly every coin. Asked for 3, it earns 3; asked for 12, between 11 and 12; asked for 21, still more than 19. The players that it learned from earned 5.4 on average and moved *at random*. Nobody ever played well on purpose, and nobody rewarded the model. It has only learned which kind of game goes with which number, and you choose the number.
#
# Two honest remarks. After 400 steps (blue) the curve goes flat at about ten, although every eighth game in the data earned more: the data was good enough, the training was too short. And look at the right end. No game that it has seen earned more than 22 (the grey line), so the token "24 to come" never occurred in training, and asked for that the model plays worse, and not at its best. You can ask it for what it has seen. You cannot ask it for more.
#
# Nothing in the model knows that these tokens are actions and those are places. We numbered them, and kept the numbers apart.

# %% [markdown]
# ## 5. A picture is a row of patches
#
# A picture has no words. A. Dosovitskiy and others (2021) found a way in: cut it into square *patches*, project each to a vector, and hand these vectors to a Transformer where it expects embeddings. This is the **Vision Transformer**.
#
# Is a patch a *token*, then? Many people call it so, but be careful with the word. In chapters 1 to 10 a token was one of $V$ symbols, and a model could say $\ln P$ of each. A patch is a list of 48 numbers, any numbers. There is no list of all patches, so there is no softmax over them, and "what is $\ln P$ of the next patch?" has no answer in this model. Patches only go *in*; what comes out is the name of a shape. We call them **inputs**, and keep "token" for what can be predicted.
#
# Can one have real tokens of a picture, so that a model can *write* one? Yes: make a finite list first. Section 8 does the simplest thing, the brightness of a patch in eight steps. A better list is learned: A. van den Oord and others (2017) train a codebook of, say, 512 vectors, and replace each patch by the number of the vector that is nearest to it. Then a picture is a row of whole numbers below 512, and every model of chapter 8 can learn to write pictures.
#
# | letter | what |
# |---|---|
# | $B$ | pictures in a batch |
# | $C$ | colours, here 3 |
# | $H, W$ | rows and columns of pixels |
# | $p$ | pixels on each side of a patch |
# | $T$ | patches, $T = HW / p^2$ |
# | $n$ | numbers in a patch, $n = p^2 C$ |
# | $d$ | numbers in an embedding |

# %%
drawings.patches()

# %% [markdown]
# The order is a convention, but one has to keep to one. Ours: patches are read like a page, row by row, each from the left. Within a patch, pixels are read the same way, and each pixel gives its $C$ colours:
#
# $$\text{patch}[b,\ i \tfrac{W}{p} + j,\ (r p + s)\, C + c] = \text{image}[b,\ c,\ i p + r,\ j p + s] , \qquad 0 \le r, s < p .$$
#
# So $i, j$ say which patch, $r, s$ which pixel of it, and $c$ which colour.

# %% [markdown] statement="patchify"
# - `patchify(images, p)`: a tensor `images` $[B, C, H, W]$ → patches $[B, T, n]$, of the same kind of numbers. If $p$ does not divide both $H$ and $W$, raise `ValueError`.
# - `unpatchify(patches, p, H, W)`: patches $[B, T, n]$ → images $[B, C, H, W]$, again of the same kind of numbers. How many colours there are follows from $n$.
#
# Nothing that is given may be changed.

# %% [markdown] hints="patchify"
# 1. Chapter 6 cut vectors into heads: a `reshape` that only splits axes, a `permute`, and a `reshape` that only joins neighbours.
# 2. Split $H$ into $(H/p, p)$ and $W$ into $(W/p, p)$. Which six axes do you have now, and in which order does the formula want them?
# 3. The way back is the same three steps from the end: split, permute back, join. Write the name of each axis beside each line.


# %% task="patchify" points=3 level=2 minutes=16
def patchify(images, p):
    """Images [B, C, H, W] -> patches [B, HW/p², p²C]; ValueError if p does not divide H and W."""
    ### BEGIN SOLUTION
    B, C, H, W = images.shape
    if H % p or W % p:
        raise ValueError(f"Patches of {p} x {p} pixels do not fill {H} x {W} pixels.")
    x = images.reshape(B, C, H // p, p, W // p, p)  # b c i r j s
    return x.permute(0, 2, 4, 3, 5, 1).reshape(B, (H // p) * (W // p), p * p * C)
    ### END SOLUTION


def unpatchify(patches, p, H, W):
    """Patches [B, HW/p², p²C] -> images [B, C, H, W]."""
    ### BEGIN SOLUTION
    B, _, n = patches.shape
    x = patches.reshape(B, H // p, W // p, p, p, n // p**2)  # b i j r s c
    return x.permute(0, 5, 1, 3, 2, 4).reshape(B, n // p**2, H, W)
    ### END SOLUTION


# %% test="patchify" aspect="pixels where the formula wants them" points=1
_image = torch.arange(24).reshape(1, 1, 4, 6)
_got = patchify(_image.clone(), 2)
assert close(
    _got,
    [
        [
            [0, 1, 6, 7],
            [2, 3, 8, 9],
            [4, 5, 10, 11],
            [12, 13, 18, 19],
            [14, 15, 20, 21],
            [16, 17, 22, 23],
        ]
    ],
), (
    f"One colour, 4 rows of 6 pixels, numbered from 0, p = 2: the first patch is 0, 1, 6, 7. Yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _B, _C, _H, _W, _p in (
    (2, 3, 4, 6, 2),
    (1, 3, 9, 3, 3),
    (3, 2, 2, 8, 2),
    (2, 1, 3, 5, 1),
    (1, 5, 4, 4, 4),
    (2, 4, 6, 12, 3),
):
    _images = torch.randn(_B, _C, _H, _W, dtype=torch.float64)
    if _p == 3:
        _images = torch.randint(0, 256, (_B, _C, _H, _W))
    _wanted = torch.zeros(_B, _H * _W // _p**2, _p**2 * _C, dtype=_images.dtype)
    for _b in range(_B):
        for _c in range(_C):
            for _y in range(_H):
                for _x in range(_W):
                    _t = (_y // _p) * (_W // _p) + _x // _p
                    _n = ((_y % _p) * _p + _x % _p) * _C + _c
                    _wanted[_b, _t, _n] = _images[_b, _c, _y, _x]
    _what = f"B, C, H, W = {_B, _C, _H, _W}, p = {_p}"
    _got = patchify(_images.clone(), _p)
    assert torch.is_tensor(_got), f"{_what}: a tensor is wanted; yours: {_got!r}."
    assert tuple(_got.shape) == tuple(_wanted.shape), (
        f"{_what}: shape {tuple(_wanted.shape)} wanted; yours: {tuple(_got.shape)}."
    )
    assert _got.dtype == _images.dtype, (
        f"{_what}, {_images.dtype}: the kind of number changes to {_got.dtype}."
    )
    assert close(_got, _wanted), f"{_what}: right shape, but numbers in wrong places."
    _got = laid_out_otherwise(patchify, _images, _p)
    assert close(_got, _wanted), (
        f"{_what}: wrong for a tensor whose numbers lie in memory in another order."
    )
    assert close(arguments_after(patchify, _images, _p)[0], _images), (
        f"{_what}: the images that were given are changed."
    )
### END HIDDEN TESTS

# %% test="patchify" aspect="and back" points=1
_patches = torch.tensor([[[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]])
_got = unpatchify(_patches.clone(), 2, 2, 6)
assert close(_got, torch.arange(12).reshape(1, 1, 2, 6)), (
    f"Three patches of one colour side by side, H, W = 2, 6, numbered by pixel from 0: 0 to 11 in order wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _B, _C, _H, _W, _p in (
    (2, 3, 4, 6, 2),
    (2, 3, 6, 4, 2),
    (1, 3, 3, 9, 3),
    (3, 4, 2, 8, 2),
    (2, 1, 3, 5, 1),
    (1, 5, 4, 4, 4),
):
    _T, _n = _H * _W // _p**2, _p**2 * _C
    _patches = torch.randn(_B, _T, _n)
    if _p == 3:
        _patches = torch.randint(0, 256, (_B, _T, _n))
    _wanted = torch.zeros(_B, _C, _H, _W, dtype=_patches.dtype)
    for _t, _i in itertools.product(range(_T), range(_n)):
        _y = _t // (_W // _p) * _p + _i // _C // _p
        _x = _t % (_W // _p) * _p + _i // _C % _p
        _wanted[:, _i % _C, _y, _x] = _patches[:, _t, _i]
    _what = f"B, T, n = {_B, _T, _n}, p = {_p}, H, W = {_H, _W}"
    _got = unpatchify(_patches.clone(), _p, _H, _W)
    assert torch.is_tensor(_got), f"{_what}: a tensor is wanted; yours: {_got!r}."
    assert tuple(_got.shape) == tuple(_wanted.shape), (
        f"{_what}: shape {tuple(_wanted.shape)} wanted; yours: {tuple(_got.shape)}."
    )
    assert _got.dtype == _patches.dtype, (
        f"{_what}, {_patches.dtype}: the kind of number changes to {_got.dtype}."
    )
    assert close(_got, _wanted), f"{_what}: right shape, but numbers in wrong places."
    assert close(laid_out_otherwise(unpatchify, _patches, _p, _H, _W), _wanted), (
        f"{_what}: wrong for a tensor whose numbers lie in memory in another order."
    )
    assert close(arguments_after(unpatchify, _patches, _p, _H, _W)[0], _patches), (
        f"{_what}: the patches that were given are changed."
    )
### END HIDDEN TESTS

# %% test="patchify" aspect="patches that do not fit" points=1
for _H, _W, _p in [
    (4, 5, 2),
    ### BEGIN HIDDEN TESTS
    (5, 4, 2),
    (6, 8, 4),
    (8, 6, 4),
    (2, 18, 6),
    (3, 3, 2),
    (4, 4, 5),
    ### END HIDDEN TESTS
]:
    try:
        _got = patchify(torch.zeros(2, 3, _H, _W), _p)
    except ValueError:
        continue
    assert False, (
        f"H, W = {_H, _W}, p = {_p}: ValueError wanted; yours: {tuple(getattr(_got, 'shape', ()))}."
    )
### BEGIN HIDDEN TESTS
_got = patchify(torch.zeros(1, 2, 4, 10), 2)
assert tuple(_got.shape) == (1, 10, 8), "H, W = 4, 10, p = 2: these patches do fit."
### END HIDDEN TESTS

# %% [markdown] statement="three_ways"
# ### Three ways, one number
#
# *Project each patch to a vector*: with a matrix $E\ [d, n]$ that is patches times $E^\top$. People who built it wrote a convolution instead. Is that the same? Make sure, in three ways:
#
# - `by_unfold(images, p)`: what `patchify` gives, $[B, T, n]$, from `F.unfold(images, p, stride=p)`. Beware: unfold puts numbers in another order.
# - `one_hot_kernels(C, p)`: kernels $[n, C, p, p]$, each 1 at one place and 0 elsewhere, so that `F.conv2d(images, kernels, stride=p)`, $[B, n, H/p, W/p]$, holds the numbers of each patch in the order of `patchify`.
# - `as_kernels(E, C, p)`: kernels $[d, C, p, p]$, of the same kind of numbers as $E$, so that the same convolution gives the *projected* patches.
#
# Sides here are multiples of $p$.

# %% [markdown] hints="three_ways"
# 1. What is the shape of `F.unfold`'s result? Try it on a picture with two colours whose pixels are numbered.
# 2. A convolution without overlap multiplies each patch with a kernel and adds up. Which kernel reads out the single number $(rp + s)C + c$?
# 3. Row $i$ of $E$ holds a weight for each number of a patch, in our order. A kernel holds the same weights as $[C, p, p]$. What is `one_hot_kernels` if $E$ is the unit matrix?


# %% task="three_ways" points=3 level=2 minutes=16
def by_unfold(images, p):
    """Images [B, C, H, W] -> patches [B, HW/p², p²C], by F.unfold."""
    ### BEGIN SOLUTION
    B, C, _, _ = images.shape
    x = F.unfold(images, p, stride=p)  # [B, C p p, T]
    T = x.shape[2]
    return x.reshape(B, C, p * p, T).permute(0, 3, 2, 1).reshape(B, T, p * p * C)
    ### END SOLUTION


def one_hot_kernels(C, p):
    """Kernels [p²C, C, p, p]: kernel i reads out number i of a patch."""
    ### BEGIN SOLUTION
    return as_kernels(torch.eye(p * p * C), C, p)
    ### END SOLUTION


def as_kernels(E, C, p):
    """A projection E [d, p²C] of patches, as kernels [d, C, p, p] of a convolution."""
    ### BEGIN SOLUTION
    return E.reshape(len(E), p, p, C).permute(0, 3, 1, 2)
    ### END SOLUTION


# %% test="three_ways" aspect="unfold, in our order" points=1
_images = torch.arange(16.0).reshape(1, 2, 2, 4)
_got = by_unfold(_images.clone(), 2)
assert close(_got, [[[0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]]]), (
    f"Two colours (0 to 7, 8 to 15) of 2 rows of 4 pixels: the first patch is 0, 8, 1, 9, 4, 12, 5, 13. Yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _B, _C, _H, _W, _p in (
    (2, 3, 4, 6, 2),
    (1, 2, 9, 3, 3),
    (3, 4, 2, 8, 2),
    (2, 1, 6, 4, 2),
    (2, 3, 2, 5, 1),
    (1, 5, 4, 4, 4),
):
    _images = torch.randn(_B, _C, _H, _W)
    _wanted = torch.zeros(_B, _H * _W // _p**2, _p**2 * _C)
    for _c, _y, _x in itertools.product(range(_C), range(_H), range(_W)):
        _t = (_y // _p) * (_W // _p) + _x // _p
        _wanted[:, _t, ((_y % _p) * _p + _x % _p) * _C + _c] = _images[:, _c, _y, _x]
    _got = by_unfold(_images.clone(), _p)
    assert close(_got, _wanted), (
        f"B, C, H, W = {_B, _C, _H, _W}, p = {_p}: not the patches [{_B}, {_wanted.shape[1]}, {_wanted.shape[2]}] of patchify; yours: {tuple(getattr(_got, 'shape', ()))}."
    )
### END HIDDEN TESTS

# %% test="three_ways" aspect="kernels that read one number" points=1
_got = one_hot_kernels(2, 1)
assert close(_got, torch.eye(2).reshape(2, 2, 1, 1)), (
    f"C = 2, p = 1: kernel 0 reads colour 0, kernel 1 colour 1; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _C, _p in ((3, 2), (1, 3), (2, 3), (4, 1), (5, 2)):
    _n = _p**2 * _C
    _got = one_hot_kernels(_C, _p)
    assert torch.is_tensor(_got) and tuple(_got.shape) == (_n, _C, _p, _p), (
        f"C = {_C}, p = {_p}: a tensor {_n, _C, _p, _p} wanted; yours: {tuple(getattr(_got, 'shape', ()))}."
    )
    for _i in range(_n):
        _one = torch.zeros(_C, _p, _p)
        _one[_i % _C, _i // _C // _p, _i // _C % _p] = 1
        assert close(_got[_i], _one), (
            f"C = {_C}, p = {_p}: kernel {_i} should read colour {_i % _C}, row {_i // _C // _p}, column {_i // _C % _p} of a patch, and nothing else."
        )
    _images = torch.randn(2, _C, _p, 3 * _p)
    try:
        F.conv2d(_images, _got, stride=_p)
    except RuntimeError as _error:
        assert False, f"F.conv2d does not take these kernels: {_error}."
### END HIDDEN TESTS

# %% test="three_ways" aspect="a projection is a convolution" points=1
_E = torch.tensor([[1.0, 10, 100, 1000]])
_got = as_kernels(_E.clone(), 1, 2)
assert close(_got, [[[[1, 10], [100, 1000]]]]), (
    f"One colour, p = 2: the kernel [[1, 10], [100, 1000]] wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _d, _C, _p, _B in (
    (5, 3, 2, 2),
    (1, 2, 3, 1),
    (12, 3, 2, 3),
    (7, 4, 1, 2),
    (4, 2, 2, 1),
):
    _E = torch.randn(_d, _p**2 * _C, dtype=torch.float64)
    _wanted = torch.zeros(_d, _C, _p, _p, dtype=torch.float64)
    for _c, _r, _s in itertools.product(range(_C), range(_p), range(_p)):
        _wanted[:, _c, _r, _s] = _E[:, (_r * _p + _s) * _C + _c]
    _got = as_kernels(_E.clone(), _C, _p)
    assert close(_got, _wanted), (
        f"d, C, p = {_d, _C, _p}: convolved with your kernels, a patch does not give patch times E; shape {tuple(getattr(_got, 'shape', ()))}."
    )
    assert torch.is_tensor(_got) and _got.dtype == _E.dtype, (
        f"An E of {_E.dtype} wants kernels of {_E.dtype}, or F.conv2d refuses its images; yours: {getattr(_got, 'dtype', type(_got))}."
    )
    assert close(laid_out_otherwise(as_kernels, _E, _C, _p), _wanted), (
        f"d, C, p = {_d, _C, _p}: wrong for an E whose numbers lie in memory in another order."
    )
    assert close(arguments_after(as_kernels, _E, _C, _p)[0], _E), (
        f"d, C, p = {_d, _C, _p}: the E that was given is changed."
    )
### END HIDDEN TESTS

# %%
images, kinds = anything.shapes(8, seed=1)
E = torch.randn(5, 48)
one = patchify(images, 4) @ E.T
two = by_unfold(images, 4) @ E.T
three = F.conv2d(images, as_kernels(E, 3, 4), stride=4).flatten(2).transpose(1, 2)
print(
    f"largest difference: {max((one - two).abs().max(), (one - three).abs().max()):.0e}"
)

# %%
_, axes = plt.subplots(1, 5, figsize=(10, 2.2))
for ax, image, kind in zip(axes, images, kinds, strict=False):
    ax.imshow(image.permute(1, 2, 0))
    ax.set(
        title=anything.SHAPES[kind],
        xticks=np.arange(3.5, 15, 4),
        yticks=np.arange(3.5, 15, 4),
    )
    ax.tick_params(labelleft=False, labelbottom=False)
    ax.grid(True, axis="both", color="white", linewidth=1.5, alpha=1)
plt.show()

# %% [markdown]
# So the claim that a Vision Transformer has no convolutions is not quite true: its first layer is one, with a stride as large as its kernel.

# %% [markdown]
# What is won by attention over patches? Above are drawn shapes, 16 by 16 pixels, with the lines along which $p = 4$ cuts them into $T = 16$ patches of $n = 48$ numbers; place, size and colours differ each time. Four models learned which shape it is, each for the same ten seconds of CPU time (recorded: `python -m benchmarks.record.pictures`):
#
# - *linear*: one matrix on all 768 numbers;
# - *no places*: two encoder layers (chapter 7) over the patches, without positions;
# - *places*: the same, with a learned vector for each place;
# - *convolution*: two layers of small kernels, each slid over all pixels.
#
# Predict their order with 250 pictures and with 4,000.

# %%
table = pd.read_csv(paths.DATA / "anything" / "pictures.csv")
_, axes = plt.subplots(figsize=(9, 3.6))
names = ["linear", "no places", "places", "convolution"]
for name, colour in zip(names, plots.COLOURS, strict=False):
    rows = table[table["model"] == name].pivot(
        index="pictures", columns="seed", values="right"
    )
    plots.dots(axes, list(rows.index), rows.to_numpy(), colour, name)
axes.axhline(1 / 4, color="gray", linestyle="--", linewidth=1, label="guessing")
sizes = sorted({*table["pictures"]})
plots.log_ticks(
    axes,
    sizes,
    xlabel="pictures learned from",
    ylabel="share of new ones right",
    ylim=(0, 1.03),
)
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()
table.groupby("model", sort=False)[["weights", "steps"]].median().astype(int).T

# %% [markdown]
# The linear model knows a shape only where it has seen it; it stays below one half. The Transformer reaches 98 % with 4,000 pictures. The surprise is that it does so *without* places, and with few pictures it is even better: the positions are one more thing to learn, and this question can be answered without them, perhaps because corners and edges look the same wherever they lie.
#
# Is that so for every question? Ask the same two models not *what* the picture shows but *where*: in which quarter of the picture is the middle of the shape? Guessing would be right one time in four. Predict the two numbers, then run the cell.

# %%
# NBVAL_IGNORE_OUTPUT


def quarter(images):
    """In which quarter of each picture the middle of the bright pixels is, 0 to 3: [B]."""
    bright, along = (images.mean(1) > 0.5).float(), torch.arange(16.0)
    size = bright.sum((1, 2)).clamp(min=1)
    down, right = (bright * along[:, None]).sum((1, 2)), (bright * along).sum((1, 2))
    return 2 * (down / size > 7.5).long() + (right / size > 7.5).long()


pictures, new = anything.shapes(1000, seed=3)[0], anything.shapes(1000, seed=4)[0]
for name, places in (("no places", False), ("places", True)):
    set_seed(1)
    reader = anything.PatchReader(16, 48, kinds=4, places=places)
    optimiser = torch.optim.Adam(reader.parameters(), 0.003)
    x, y = patchify(pictures, 4) - 0.5, quarter(pictures)
    for _ in range(200):
        pick = torch.randint(len(x), (64,))
        optimiser.zero_grad()
        F.cross_entropy(reader(x[pick]), y[pick]).backward()
        optimiser.step()
    with torch.no_grad():
        share = (
            (reader(patchify(new, 4) - 0.5).argmax(1) == quarter(new)).float().mean()
        )
    print(f"{name:10} {share:.0%} of 1,000 new pictures right")

# %% [markdown]
# There it is. A Transformer without positions sees a *bag* of patches: it knows which patches there are, and not where. (This one looks at all patches at once, without a causal mask, so nothing tells it about the order.) It can name a shape from its corners, and it can hardly do better than guess where the shape is.

# %% [markdown]
# Back to the figure, to the curve on top. The convolution needs a quarter of the pictures, with a sixth of the weights: 7,140 against about 40,000 (the table under the figure). In fairness, it also made twice as many steps in its ten seconds. That neighbouring pixels belong together and that a corner is a corner everywhere is built into a convolution, and the others must learn it. Dosovitskiy and others found the same with photographs: their Transformer lost after 1.3 million of them, drew level after 14 million and won after 300 million.

# %% [markdown]
# ## 6. Sound is a row of frames
#
# A sound is a row of samples $x_0, x_1, \dots$, thousands each second, far too many to read one by one. What we hear in it are *frequencies*, so let us measure those. Cut the sound into short *frames* of $N$ samples, a new one every `hop` samples, so that frames may overlap; and ask of each frame how strong each frequency is in it. How does one ask? Multiply the frame by a cosine that swings $k$ times within it, and add up. If the frame swings in step with the cosine, large meets large and the sum is large; if not, positive and negative products cancel. A sound can also swing out of step with the cosine, so the same is done with a sine, and the two sums are combined as the two sides of a right angle. With $e^{-i\varphi} = \cos\varphi - i \sin\varphi$ both fit into one line:
#
# $$m_k = \left| \sum_{j=0}^{N-1} w_j\, x_j\, e^{-2 \pi i\, k j / N} \right| , \qquad w_j = \tfrac12 - \tfrac12 \cos \frac{2 \pi j}{N} , \qquad k = 0, \dots, \lfloor N/2 \rfloor .$$

# %% [markdown]
# So $m_k$ is large if the frame swings $k$ times. The window $w$ fades the frame in and out, since its cut edges would sound like a click. A row of such frames is a **spectrogram**, and it is what Whisper reads (A. Radford and others, 2022). As with patches, a frame is an *input*: a list of numbers that goes in, and that this model never predicts.

# %% [markdown] statement="spectrogram"
# - `frames(x, N, hop)`: $B$ sounds of $L$ samples, $[B, L]$ → $T$ frames of each, $[B, T, N]$. Frame $t$ begins at sample $t \cdot$ `hop`; there are as many as fit *whole*, and samples that are left over are dropped. `hop` may be larger than $N$. If not one frame fits, raise `ValueError`.
# - `magnitudes(frames)`: frames $[B, T, N]$ with $N \ge 2$, even or odd → $m$, $[B, T, \lfloor N/2 \rfloor + 1]$.
#
# Together they are what `torch.stft` computes; the next cell compares.

# %% [markdown] hints="spectrogram"
# 1. How many frames fit into 10 samples with $N = 4$ and a hop of 3? Into 9? Into 4?
# 2. `tensor.unfold` cuts along one axis, or index with a sum of two `arange`s, one upright.
# 3. The sum over $j$ is a product with a matrix of cosines and one of sines, $[N, \lfloor N/2 \rfloor + 1]$; `torch.fft.rfft` does the same faster. Mind which $N$ the window's cosine is divided by: not $N - 1$.


# %% task="spectrogram" points=3 level=2 minutes=18
def frames(x, N, hop):
    """Sounds [B, L] -> frames [B, T, N], all that fit whole; ValueError if none does."""
    ### BEGIN SOLUTION
    if x.shape[1] < N:
        raise ValueError(f"{x.shape[1]} samples are less than a frame of {N}.")
    return x.unfold(1, N, hop)
    ### END SOLUTION


def magnitudes(frames):
    """Frames [B, T, N] -> how strong each frequency is, [B, T, N // 2 + 1]."""
    ### BEGIN SOLUTION
    N = frames.shape[-1]
    j = torch.arange(N, dtype=frames.dtype)
    w = 0.5 - 0.5 * torch.cos(2 * torch.pi * j / N)
    return torch.fft.rfft(frames * w).abs()
    ### END SOLUTION


# %% test="spectrogram" aspect="whole frames, overlapping or not" points=1
_got = frames(torch.arange(10.0)[None], 4, 3)
assert close(_got, [[[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9]]]), (
    f"Samples 0 to 9, N = 4, hop = 3: three frames that begin with 0, 3 and 6; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _B, _L, _N, _hop in (
    (2, 9, 4, 3),
    (1, 12, 4, 4),
    (3, 7, 7, 2),
    (2, 11, 3, 5),
    (1, 13, 3, 5),
    (2, 8, 5, 1),
    (2, 5, 1, 2),
    (1, 6, 2, 9),
    (4, 23, 6, 4),
):
    _x = torch.randn(_B, _L, dtype=torch.float64)
    _starts = [s for s in range(0, _L, _hop) if s + _N <= _L]
    _wanted = torch.stack([_x[:, s : s + _N] for s in _starts], dim=1)
    _got = frames(_x.clone(), _N, _hop)
    assert close(_got, _wanted), (
        f"B, L = {_B, _L}, N = {_N}, hop = {_hop}: frames that begin with samples {_starts} wanted, shape {tuple(_wanted.shape)}; yours: {tuple(getattr(_got, 'shape', ()))}."
    )
for _L, _N in ((3, 4), (1, 9)):
    try:
        _got = frames(torch.ones(2, _L), _N, 1)
    except ValueError:
        continue
    assert False, f"{_L} samples, N = {_N}: ValueError wanted; yours: {_got!r}."
### END HIDDEN TESTS

# %% test="spectrogram" aspect="each frequency, by the sum" points=1
_got = magnitudes(torch.tensor([[[1.0, 1, 1, 1]]]))
assert close(_got, [[[2, 1, 0]]], 1e-4, 1e-4), (
    f"The frame 1, 1, 1, 1 has the window's own frequencies, 2, 1, 0; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _B, _T, _N in ((2, 3, 8), (1, 1, 5), (2, 5, 9), (3, 2, 2), (1, 4, 3), (2, 1, 16)):
    _f = torch.randn(_B, _T, _N)
    _wanted = torch.zeros(_B, _T, _N // 2 + 1, dtype=torch.float64)
    for _k in range(_N // 2 + 1):
        _sum = torch.zeros(_B, _T, dtype=torch.complex128)
        for _j in range(_N):
            _w = 0.5 - 0.5 * math.cos(2 * math.pi * _j / _N)
            _turn = complex(
                math.cos(2 * math.pi * _k * _j / _N),
                -math.sin(2 * math.pi * _k * _j / _N),
            )
            _sum += _w * _turn * _f[:, :, _j]
        _wanted[:, :, _k] = _sum.abs()
    _got = magnitudes(_f.clone())
    assert torch.is_tensor(_got) and not _got.is_complex(), (
        f"Frames {_B, _T, _N}: a tensor of real numbers wanted; yours: {_got!r}."
    )
    assert tuple(_got.shape) == tuple(_wanted.shape), (
        f"Frames {_B, _T, _N}: shape {tuple(_wanted.shape)} wanted; yours: {tuple(_got.shape)}."
    )
    assert close(_got, _wanted, 1e-4, 1e-4), (
        f"Random frames {_B, _T, _N}: right shape, wrong numbers (window, square, scale, or order?)."
    )
    assert close(arguments_after(magnitudes, _f)[0], _f), (
        f"Random frames {_B, _T, _N}: the frames that were given are changed."
    )
### END HIDDEN TESTS

# %% test="spectrogram" aspect="both together are torch's stft" points=1
_time = torch.arange(400) / 8000
_x = torch.sin(2 * torch.pi * 1000 * _time)[None]
_got = magnitudes(frames(_x.clone(), 80, 40))
assert torch.is_tensor(_got) and _got.ndim == 3, (
    f"A tensor [1, 9, 41] wanted; yours: {_got!r}."
)
assert (_got[0].argmax(1) == 10).all(), (
    f"1000 Hz in frames of 80 samples at 8 kHz swing 10 times; yours: {_got[0].argmax(1).tolist()}."
)
### BEGIN HIDDEN TESTS
for _B, _L, _N, _hop in (
    (2, 300, 64, 16),
    (1, 101, 25, 10),
    (3, 50, 50, 7),
    (2, 90, 16, 30),
    (1, 230, 101, 33),
):
    _x = torch.randn(_B, _L) * 3
    _wanted = torch.stft(
        _x, _N, _hop, window=torch.hann_window(_N), center=False, return_complex=True
    ).abs()
    _got = magnitudes(frames(_x.clone(), _N, _hop))
    assert close(_got, _wanted.transpose(1, 2), 1e-4, 1e-3), (
        f"B, L = {_B, _L}, N = {_N}, hop = {_hop}: not torch.stft(..., center=False) with a Hann window, as [B, T, N // 2 + 1]; yours: {tuple(getattr(_got, 'shape', ()))}."
    )
### END HIDDEN TESTS

# %%
sound, notes = anything.tunes(24, seed=1)  # a second each, at 8 kHz
new_sound, new_notes = anything.tunes(100, seed=2)
mine = magnitudes(frames(sound, 256, 80))
torchs = torch.stft(
    sound, 256, 80, window=torch.hann_window(256), center=False, return_complex=True
)
print(
    f"difference from torch.stft: {(mine - torchs.abs().transpose(1, 2)).abs().max():.0e}"
)

# %%
_, axes = plt.subplots(figsize=(9, 3.6))
axes.imshow(
    mine[0, :, :48].T,
    origin="lower",
    aspect="auto",
    cmap="cividis",
    extent=(0.016, 0.984, 0, 1500),
)
axes.grid(False)
axes.set(xlabel="seconds", ylabel="frequency (Hz)", xlim=(0.016, 0.984))
axes.set_title("A spectrogram: each note is a stripe, with overtones above it")
played = np.where(notes[0] > 0, anything.NOTES[(notes[0] - 1).clamp(min=0)], np.nan)
line = {"color": "white", "linewidth": 1.5, "linestyle": (0, (3, 2))}
axes.plot(np.arange(8000) / 8000, played - 200, **line)
axes.text(0.03, 130, "played (drawn 200 Hz lower)", color="white")
plt.show()

# %% [markdown]
# The bright stripe near 500 Hz is what a reader has to find: eight neighbouring semitones, 440 to 659 Hz, in much noise. So that you can see it, what was really played is drawn 200 Hz below. The fainter stripes above are overtones, at two and three times the frequency.
#
# How long should a frame be? Frequencies lie $8000/N$ Hz apart and the closest semitones 26 Hz, so a frame of 256 samples (31 Hz) should be too coarse and one of 512 (16 Hz) fine enough. But a long frame holds more than one note, since notes last 40 to 160 ms. Predict the best $N$ for writing down, every 10 ms, which note sounds, if a linear model reads single frames. We let it read once only the frequencies below 700 Hz, where no overtone is, and once those up to 1,200 Hz.


# %%
def inputs(sound, notes, N, top=1200, hop=80):
    """Logarithms of magnitudes up to `top` Hz [B, T, ...], and the note at the middle of each frame [B, T]."""
    found = magnitudes(frames(F.pad(sound, (N // 2, N // 2)), N, hop))[:, :100]
    middles = torch.arange(found.shape[1]) * hop
    return (found + 0.1).log()[:, :, : N * top // 8000 + 1], notes[:, middles]


# %%
def linear_reader(x, y, steps=150):
    """A function of inputs [..., n]: the number of the note for each, by a linear model that learned x, y."""
    x, y = x.flatten(0, 1), y.flatten()
    mean, deviation = x.mean(0), x.std(0)
    set_seed(1)
    model = torch.nn.Linear(x.shape[1], 9)
    optimiser = torch.optim.AdamW(model.parameters(), 0.01, weight_decay=0.1)
    for _ in range(steps):
        optimiser.zero_grad()
        F.cross_entropy(model((x - mean) / deviation), y).backward()
        optimiser.step()
    return lambda x: model((x - mean) / deviation).argmax(-1)


# %%
# NBVAL_IGNORE_OUTPUT
lengths = [64, 128, 256, 512, 1024, 2048]
right = {}  # (top, N) -> share of right notes in each new tune
for top, N in itertools.product((700, 1200), lengths):
    read = linear_reader(*inputs(sound, notes, N, top))
    x, y = inputs(new_sound, new_notes, N, top)
    right[top, N] = (read(x) == y).float().mean(1)
for top in (700, 1200):
    gain = 100 * (right[top, 512] - right[top, 256])
    error = gain.std() / len(gain) ** 0.5
    short, long = 100 * right[top, 256].mean(), 100 * right[top, 512].mean()
    print(
        f"up to {top:4} Hz: {short:.1f} % right with N = 256, {long:.1f} % with N = 512,"
        f" difference {gain.mean():+.1f} ± {error:.1f} (standard error, paired by tune)"
    )

# %%
_, axes = plt.subplots(figsize=(9, 3.6))
for top, name in ((700, "up to 700 Hz: no overtones"), (1200, "up to 1,200 Hz")):
    some = 1 - torch.stack([right[top, N] for N in lengths])
    error = 2 * some.std(1) / some.shape[1] ** 0.5
    axes.errorbar(lengths, some.mean(1), error, fmt="o-", capsize=3, label=name)
axes.set_title("A frame must be long enough for the pitch, short enough for the note")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
labels = {"xlabel": "samples in a frame, N", "ylabel": "share of notes wrong (log)"}
plots.log_ticks(axes, lengths, yscale="log", **labels)
axes.set_yticks([0.05, 0.1, 0.2, 0.5], ["5 %", "10 %", "20 %", "50 %"])
axes.minorticks_off()
plt.show()

# %% [markdown]
# (The bars are two standard errors over 100 new tunes.) Too short a frame cannot tell neighbouring semitones apart, too long a one holds two or three notes at once. No $N$ has both: what is exact in frequency is blurred in time. Did your prediction come true? Without overtones it does: 512 beats 256, as the 26 Hz demand. With overtones, 256 is best. The first overtone of a semitone's neighbour is twice as far away, 52 Hz or more, so a shorter and therefore sharper frame is enough. (Whisper's frames have 25 ms, that is 200 samples here, a new one every 10 ms.)


# %%
def melody(row):
    """What changes in a row of notes: equal neighbours are one note, silence (0) is left out."""
    return " ".join(str(note) for note, _ in itertools.groupby(row.tolist()) if note)


read = linear_reader(*inputs(sound, notes, 256))
x, y = inputs(new_sound, new_notes, 256)
print("played", melody(y[0]))
print("read  ", melody(read(x)[0]))

# %% [markdown]
# About 95 % of the frames are right, and yet there are more notes in the melody than were played: each wrong frame in the middle or at the edge of a note makes a note of its own. Frames go in, notes come out, and neither their number nor their places agree. That is the problem of chapter 9, and Whisper solves it as chapter 9 did: an encoder reads the frames, and a decoder writes a text. There, at the output, are the tokens.

# %% [markdown]
# ## 7. Any number, in bins
#
# A robot's joint wants a number, not a word. RT-1 (Brohan and others, 2022) cuts the range of each command into 256 equal *bins* and predicts the number of the bin, as if it were a word. Where most values are small, bins may be finer near 0: WaveNet (van den Oord and others, 2016) and Gato (Reed and others, 2022) first bend the range with the $\mu$-law of old telephones. For $-1 \le x \le 1$:
#
# $$g(x) = \operatorname{sign}(x)\, \frac{\ln(1 + \mu |x|)}{\ln(1 + \mu)} , \qquad g(x) = x \ \text{ for } \mu = 0 .$$

# %% [markdown]
# Bin $k$ of $K$ holds the $x$ with $-1 + \frac{2k}{K} \le g(x) < -1 + \frac{2(k+1)}{K}$; the last bin also holds $x = 1$. Read back, a bin is the one $x$ whose $g(x)$ lies in its middle.

# %% [markdown] statement="to_bins"
# - `to_bins(x, K, mu=0)`: a tensor of floats, any shape → numbers of bins, `torch.int64`, same shape. What lies outside $[-1, 1]$, infinities too, goes into the first or the last bin.
# - `from_bins(k, K, mu=0)`: numbers of bins, a tensor of any shape → what they are read back as, floats, same shape.
# - `worst_error(K, mu=0)`: the smallest bound that is never broken: $|x - \text{what is read back}| \le$ this number, for all $x$ from $-1$ to $1$.
#
# $\mu \ge 0$ and $K \ge 1$. Nothing that is given may be changed.

# %% [markdown] hints="to_bins"
# 1. With $K = 4$ and $\mu = 0$: where are the three inner edges, and in which bin is $x = 0$ itself?
# 2. `floor`, not truncation and not rounding; `clamp` both $x$ before and the bin after. The inverse: $|x| = ((1 + \mu)^{|g|} - 1) / \mu$.
# 3. With $\mu > 0$, the bins are widest at the ends. How far is the middle (in $g$) of the last bin from $x = 1$, and how far from its other edge?


# %% task="to_bins" points=3 level=2 minutes=20
def to_bins(x, K, mu=0):
    """Numbers [...] -> which of K bins each is in, int64 [...]."""
    ### BEGIN SOLUTION
    x = x.clamp(-1, 1)
    g = x.sign() * (mu * x.abs()).log1p() / math.log1p(mu) if mu else x
    return ((g + 1) / 2 * K).floor().clamp(0, K - 1).long()
    ### END SOLUTION


def from_bins(k, K, mu=0):
    """Numbers of bins [...] -> the value in the middle of each, floats [...]."""
    ### BEGIN SOLUTION
    g = (2 * k + 1) / K - 1
    return g.sign() * (g.abs() * math.log1p(mu)).expm1() / mu if mu else g
    ### END SOLUTION


def worst_error(K, mu=0):
    """The largest |x - from_bins(to_bins(x))| for x in -1..1."""
    ### BEGIN SOLUTION
    g = 1 - 1 / K
    return 1 - (math.expm1(g * math.log1p(mu)) / mu if mu else g)
    ### END SOLUTION


# %% test="to_bins" aspect="edges and ends" points=1
_x = torch.tensor([-1, -0.6, -0.5, 0, 0.25, 0.5, 1])
_got = to_bins(_x.clone(), 4)
assert close(_got, [0, 0, 1, 2, 2, 3, 3]), (
    f"-1, -.6, -.5, 0, .25, .5, 1 in 4 equal bins: 0 0 1 2 2 3 3 wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
assert _got.dtype == torch.int64, f"Numbers of bins are int64; yours: {_got.dtype}."
_far = torch.tensor([[-math.inf, -7, -1.001], [1.001, 2, math.inf]])
for _K in (1, 2, 3, 5, 8, 255, 256):
    for _mu in (0, 1, 100, 255, 0.5):
        _base = [-1 + 2 * k / _K for k in range(_K + 1)]  # edges, in g
        _g = torch.tensor(
            [
                a + (b - a) * s
                for a, b in itertools.pairwise(_base)
                for s in (0.02, 0.5, 0.98)
            ],
            dtype=torch.float64,
        )
        _x = _g
        if _mu:
            _x = _g.sign() * ((1 + _mu) ** _g.abs() - 1) / _mu
        _wanted = torch.arange(_K).repeat_interleave(3)
        _got = to_bins(_x.clone(), _K, _mu)
        assert close(_got, _wanted), (
            f"K = {_K}, mu = {_mu}: values just above the lower edge of each bin, in its middle and just below its upper edge do not all get the bin's number."
        )
        _got = to_bins(_far.clone(), _K, _mu)
        assert close(_got, [[0] * 3, [_K - 1] * 3]), (
            f"K = {_K}, mu = {_mu}: {_far.tolist()} should go into bins 0 and {_K - 1}; yours: {_got!r}."
        )
        assert close(arguments_after(to_bins, _far, _K, _mu)[0], _far), (
            f"K = {_K}, mu = {_mu}: the x that was given is changed."
        )
for _K in (2, 4, 256):
    _got = to_bins(torch.zeros(1), _K, 255)
    assert close(_got, [_K // 2]), (
        f"K = {_K}, mu = 255: x = 0 is an edge and belongs to the bin above it, {_K // 2}; yours: {_got!r}."
    )
_got = to_bins(torch.tensor([-0.75, -0.25, 0.0, 0.75, 0.999, 1]), 8)
assert close(_got, [1, 3, 4, 7, 7, 7]), (
    f"K = 8: an edge belongs to the bin above it, 1 to the last: 1 3 4 7 7 7 wanted; yours: {_got!r}."
)
for _x in (torch.tensor(0.3), torch.zeros(0), torch.rand(2, 1, 3, dtype=torch.float64)):
    for _mu in (0, 255):
        _got = to_bins(_x.clone(), 6, _mu)
        assert tuple(getattr(_got, "shape", ("none",))) == tuple(_x.shape), (
            f"x of shape {tuple(_x.shape)}, mu = {_mu}: same shape wanted; yours: {_got!r}."
        )
        assert _got.dtype == torch.int64, (
            f"mu = {_mu}: int64 wanted; yours: {_got.dtype}."
        )
### END HIDDEN TESTS

# %% test="to_bins" aspect="the middle of a bin" points=1
_got = from_bins(torch.tensor([0, 1, 2, 3]), 4)
assert close(_got, [-0.75, -0.25, 0.25, 0.75], 1e-5), (
    f"4 equal bins: -.75, -.25, .25, .75 wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _K in (1, 2, 3, 7, 16, 256):
    for _mu in (0, 1, 0.5, 100, 255):
        _wanted = []
        for _k in range(_K):
            _g = (_k + 0.5) / _K * 2 - 1
            _size = ((1 + _mu) ** abs(_g) - 1) / _mu if _mu else abs(_g)
            _wanted.append(math.copysign(_size, _g))
        _got = from_bins(torch.arange(_K), _K, _mu)
        assert close(_got, _wanted, 1e-4, 1e-5), (
            f"K = {_K}, mu = {_mu}: bins 0 to {_K - 1} are not read back as the x in the middle of g; yours begin {_got[:3]!r}, wanted {_wanted[:3]}."
        )
for _k in (
    torch.tensor(2),
    torch.tensor([[0], [4]]),
    torch.zeros(0, dtype=torch.int64),
):
    for _mu in (0, 9):
        _got = from_bins(_k.clone(), 5, _mu)
        assert tuple(getattr(_got, "shape", ("none",))) == tuple(_k.shape), (
            f"k of shape {tuple(_k.shape)}, mu = {_mu}: same shape wanted; yours: {_got!r}."
        )
        assert _got.is_floating_point(), f"Floats wanted; yours: {_got.dtype}."
        assert close(arguments_after(from_bins, _k, 5, _mu)[0], _k), (
            f"mu = {_mu}: the numbers of bins that were given are changed."
        )
### END HIDDEN TESTS

# %% test="to_bins" aspect="the worst error" points=1
_got = worst_error(10)
assert is_number(_got) and close(_got, 0.1), (
    f"10 equal bins: 0.1 wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _K in (1, 2, 3, 6, 17, 256):
    for _mu in (0, 0.5, 10, 255):
        _back = [x / 1000 for x in range(1001)]
        if _mu:
            _back = [((1 + _mu) ** x - 1) / _mu for x in _back]
        _edges = [
            i / 2 / _K for i in range(-2 * _K, 2 * _K + 1)
        ]  # 4 K + 1 places, in g
        _places = [
            math.copysign(
                ((1 + _mu) ** (2 * abs(e)) - 1) / _mu if _mu else 2 * abs(e), e
            )
            for e in (i / 2 for i in _edges)
        ]
        _bins = [
            _places[4 * k : 4 * k + 5] for k in range(_K)
        ]  # edge, quarter, middle, ...
        _wanted = max(max(b[2] - b[0], b[4] - b[2]) for b in _bins)
        _got = worst_error(_K, _mu)
        assert is_number(_got) and close(_got, _wanted, 1e-4), (
            f"K = {_K}, mu = {_mu}: {_wanted:.6f} wanted; yours: {_got!r}."
        )
### END HIDDEN TESTS

# %% [markdown]
# A hand draws a circle in 200 steps, by an arm with two joints. Three robots get their commands in bins:
#
# - *angles*: the two angles of each step, from $-\pi$ to $\pi$;
# - *changes*: by how much each angle changes; the robot adds them up;
# - *changes, looking*: the same, but each change is chosen from where the arm *is*, not from where it should be.
#
# Each bin is at most $1/K$ of its range wrong. Predict which robot strays least.


# %%
def binned(x, K, mu):
    """Numbers [...] from -1 to 1, there and back."""
    return from_bins(to_bins(torch.as_tensor(x), K, mu), K, mu).numpy()


turn = np.linspace(0, 2 * np.pi, 201)
circle = np.stack([1 + 0.5 * np.cos(turn), 0.3 + 0.5 * np.sin(turn)], axis=1)
angles = anything.reach(circle)  # [201, 2]
changes = np.diff(angles, axis=0)
most = np.abs(changes).max()


# %%
def drawn(robot, K, mu=0):
    """Where the hand goes, [201, 2]."""
    if robot == "angles":
        return anything.hand(np.pi * binned(angles / np.pi, K, mu))
    now = [angles[0]]
    for change, aim in zip(changes, angles[1:], strict=True):
        wish = aim - now[-1] if robot == "changes, looking" else change
        now.append(now[-1] + most * binned(wish / most, K, mu))
    return anything.hand(np.array(now))


# %%
robots = ["angles", "changes", "changes, looking"]
_, axes = plt.subplots(1, 3, figsize=(7.5, 2.5), sharey=True, sharex=True)
for ax, robot in zip(axes, robots, strict=True):
    ax.plot(*drawn(robot, 16).T, label="16 bins")
    ax.plot(*circle.T, "--", color="gray", label="asked")
    ax.set(title=robot, xlabel="x (bones)", aspect="equal")
axes[0].set(ylabel="y (bones)")
axes[1].legend(fontsize=9, loc="center")
plt.show()


# %%
def strays(robot, K, mu=0):
    """The largest distance between the hand and the circle's point of that step."""
    return np.hypot(*(drawn(robot, K, mu) - circle).T).max()


for mu, K in itertools.product((0, 100), (8, 16, 64, 256)):
    print(f"mu {mu:3}, {K:3} bins:", {r: f"{strays(r, K, mu):.4f}" for r in robots})

# %% [markdown]
# A bin of 16 is 0.39 radians wide for angles, but only 0.004 for changes, whose range is a hundred times smaller; so *angles* jerks. *Changes* adds up 200 small errors, and the bound of one error says nothing about their sum. *Looking* puts each error right in the next step: at 16 bins the hand strays 0.007 instead of 0.064.
#
# And the $\mu$-law makes everything worse. Its fine bins lie around 0, where these commands rarely are. Bins belong where the values are: count before you cut.

# %% [markdown] statement="two_ways_round"
# #### Left or right?
#
# A robot learns from people how to steer round an obstacle straight ahead. In half of the examples they steer left, $x = -0.6$; in the other half right, $x = 0.6$. One network gives a single number and learns by squared error. Another gives a probability for each of 16 bins and learns by cross-entropy; its command is drawn from them.
#
# What will each of them do in front of the obstacle, and why? Then name one thing that the bins lose.

# %% [markdown] written="two_ways_round" points=2 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: the single number goes to the mean, 0, straight into the obstacle, because the mean makes squared
# error smallest; the bins keep both sides, about one half each near -0.6 and 0.6, and a draw goes round. 1 point for one
# true loss: the command is exact only to half a bin (1/16); the network is not told that neighbouring bins are near each other, so it
# needs more examples; several joints multiply the bins or must be written one after the other; what lies outside the range is cut
# off.
#
# Half of the first point is not given: both networks must be there with a reason for one. A usual wrong idea: the single number
# is undecided and swings between both sides. Another: bins are less exact, and this is why they avoid the obstacle.
#
# **Sample, 2 points.** The first gives the mean of both, 0, since that has the smallest squared error, and hits the obstacle.
# The second learns half for the bin of -0.6 and half for that of 0.6, so either draw is good. It can command only 16 different
# numbers.
#
# **Sample, 1 point.** The network with one number averages left and right and drives straight on; the other has two peaks and
# chooses one. The bins have no disadvantage if there are enough of them.
#
# **Sample, 0 points.** Both steer left or right half of the time, because that is what the examples show.
# ### END SOLUTION

# %% [markdown]
# ## 8. One model for all of them
#
# So far each model had one kind of thing to read. Now for the last step: one model that reads and writes several. Everything in this section is a real token, one of finitely many that can be predicted: words, bins of brightness, bins of angles. To share a model they need *one* numbering. Each kind gets a stretch of its own, one after another:

# %%
drawings.shared_vocabulary()

# %% [markdown]
# And one softmax over all $V$ numbers decides two things at once. With $q$ for the kind of the token $k$:
#
# $$-\ln P(k) = \underbrace{-\ln P(q)}_{\text{which kind?}} \; \underbrace{- \ln P(k \mid q)}_{\text{which of its tokens?}} , \qquad P(q) = \sum_{k' \text{ of kind } q} P(k') .$$
#
# The first part is the price of sharing: a model for one kind never pays it.

# %% [markdown] statement="join"
# `sizes`: a dict, kind → how many tokens it has (perhaps 0). With `{"words": 8, "arm": 32}`, the words have the numbers 0 to 7, the arm 8 to 39.
#
# - `stretches(sizes)`: a dict, kind → the `range` of its shared numbers.
# - `join(parts, sizes)`: `parts` is a list of pairs (kind, list of tokens, perhaps empty), tokens numbered from 0 in their kind. Returns one list of shared numbers. A token that its kind does not have: `ValueError`.
# - `split(numbers, sizes)`: back, a list of such pairs. Neighbours of one kind share a pair; none is empty.
# - `kind_and_token(logits, numbers, sizes)`: logits $[T, V]$, perhaps large, and the shared numbers that came, a tensor $[T]$. Returns two tensors $[T]$, $-\ln P(q)$ and $-\ln P(k \mid q)$.

# %% [markdown] hints="join"
# 1. The first number of a kind is the sum of all sizes before it. Which kind owns a number, if one kind has size 0?
# 2. `itertools.groupby` finds stretches of equal neighbours, if its key is the kind of a number.
# 3. $\ln P(q)$ is a `logsumexp` over a slice of the `log_softmax`; what is left of the cross-entropy is the second part.


# %% task="join" points=3 level=2 minutes=18
def stretches(sizes):
    """Dict kind -> the range of its shared numbers."""
    ### BEGIN SOLUTION
    ends = itertools.accumulate(sizes.values())
    return {q: range(e - n, e) for (q, n), e in zip(sizes.items(), ends, strict=True)}
    ### END SOLUTION


def join(parts, sizes):
    """Pairs (kind, tokens) -> one list of shared numbers; ValueError if a kind lacks a token."""
    ### BEGIN SOLUTION
    numbers, owned = [], stretches(sizes)
    for q, tokens in parts:
        for token in tokens:
            if not 0 <= token < sizes[q]:
                raise ValueError(
                    f"{q} has {sizes[q]} tokens, but none numbered {token}."
                )
            numbers.append(owned[q][token])
    return numbers
    ### END SOLUTION


def split(numbers, sizes):
    """Shared numbers -> pairs (kind, tokens); neighbours of one kind share a pair."""
    ### BEGIN SOLUTION
    pairs, owned = [], stretches(sizes)
    for number in numbers:
        q = next(q for q, some in owned.items() if number in some)
        if not pairs or pairs[-1][0] != q:
            pairs.append((q, []))
        pairs[-1][1].append(number - owned[q].start)
    return pairs
    ### END SOLUTION


def kind_and_token(logits, numbers, sizes):
    """Logits [T, V], shared numbers [T] -> -ln P(kind) [T] and -ln P(token | kind) [T]."""
    ### BEGIN SOLUTION
    logs = logits.log_softmax(-1)
    whole = -logs.gather(1, numbers[:, None])[:, 0]
    kind = torch.zeros_like(whole)
    for some in stretches(sizes).values():
        there = (numbers >= some.start) & (numbers < some.stop)
        if there.any():
            kind[there] = -logs[there, some.start : some.stop].logsumexp(-1)
    return kind, whole - kind
    ### END SOLUTION


# %% test="join" aspect="no two kinds share a number" points=1
_sizes = {"words": 8, "arm": 32}
_got = stretches(dict(_sizes))
assert {q: list(some) for q, some in _got.items()} == {
    "words": list(range(8)),
    "arm": list(range(8, 40)),
}, f"words 0 to 7, arm 8 to 39; yours: {_got!r}."
_got = join([("words", [7, 0]), ("arm", [0, 31])], dict(_sizes))
assert isinstance(_got, list | tuple), f"join returns a list; yours: {_got!r}."
assert list(_got) == [7, 0, 8, 39], (
    f"words 7, 0, arm 0, 31: 7 0 8 39 wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _ in range(4):
    _kinds = random.sample(["words", "arm", "picture", "sound", "", 3], 4)
    _sizes = {q: random.randint(2, 9) for q in _kinds}
    _sizes = {**_sizes, "nothing": 0, "last": random.randint(1, 4)}
    _first = {q: sum(list(_sizes.values())[:i]) for i, q in enumerate(_sizes)}
    _parts = [(q, [random.randrange(_sizes[q]) for _ in range(3)]) for q in _kinds]
    _parts += [("last", [_sizes["last"] - 1, 0]), (_kinds[1], []), ("nothing", [])]
    _parts += [(q, [_sizes[q] - 1]) for q in _kinds]
    random.shuffle(_parts)
    _got = {q: list(some) for q, some in stretches(dict(_sizes)).items()}
    _wanted = {q: list(range(_first[q], _first[q] + n)) for q, n in _sizes.items()}
    assert _got == _wanted, (
        f"sizes {_sizes}: stretches {_wanted} wanted; yours: {_got}."
    )
    _wanted = [_first[q] + k for q, some in _parts for k in some]
    _got = join([(q, [*some]) for q, some in _parts], dict(_sizes))
    assert isinstance(_got, list | tuple) and list(_got) == _wanted, (
        f"sizes {_sizes}, parts {_parts}: {_wanted} wanted; yours: {_got!r}."
    )
    for _q in (*_kinds, "nothing", "last"):
        for _bad in ([0] * (_sizes[_q] > 0) + [_sizes[_q]], [-1], [_sizes[_q] + 1]):
            try:
                _got = join([("last", [0]), (_q, list(_bad))], dict(_sizes))
            except ValueError:
                continue
            assert False, (
                f"{_q!r} has {_sizes[_q]} tokens, {_bad} are asked: ValueError wanted; yours: {_got!r}."
            )
assert list(join([], {"words": 3})) == [], "No parts: an empty list wanted."
_sizes = {"words": 300, "nothing": 0, "picture": 256, "arm": 50}
_got = {q: list(some) for q, some in stretches(dict(_sizes)).items()}
assert _got["arm"] == list(range(556, 606)) and _got["nothing"] == [], (
    "300 words, nothing, 256 for pictures, 50 for the arm: arm has 556 to 605."
)
_parts = [("arm", [3]), ("words", [299, 0]), ("picture", [255])]
_got = join([(q, [*some]) for q, some in _parts], dict(_sizes))
assert list(_got) == [559, 299, 0, 555], f"559 299 0 555 wanted; yours: {_got!r}."
_after = arguments_after(join, [(q, [*some]) for q, some in _parts], dict(_sizes))
assert [(q, list(some)) for q, some in _after[0]] == _parts and _after[1] == _sizes, (
    "join changes the parts or the sizes that it is given."
)
### END HIDDEN TESTS

# %% test="join" aspect="back into kinds" points=1
_sizes = {"words": 8, "arm": 32}
_got = split([7, 0, 8, 39, 3], dict(_sizes))
_wanted = [("words", [7, 0]), ("arm", [0, 31]), ("words", [3])]
assert isinstance(_got, list | tuple), (
    f"split returns a list of pairs; yours: {_got!r}."
)
assert [(q, list(some)) for q, some in _got] == _wanted, (
    f"7 0 8 39 3: {_wanted} wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _ in range(4):
    _kinds = random.sample(["words", "arm", "picture", "sound", "", 3], 4)
    _sizes = {q: random.randint(2, 9) for q in _kinds}
    _sizes = {_kinds[0]: _sizes[_kinds[0]], "nothing": 0, **_sizes}
    _first = {q: sum(list(_sizes.values())[:i]) for i, q in enumerate(_sizes)}
    _order = [*_kinds, _kinds[0], _kinds[2], _kinds[1]]
    _wanted = [
        (q, random.choices(range(_sizes[q]), k=random.randint(1, 4))) for q in _order
    ]
    _wanted += [
        (_kinds[3], [0, _sizes[_kinds[3]] - 1]),
        (_kinds[0], [_sizes[_kinds[0]] - 1, 0]),
    ]
    _numbers = [_first[q] + k for q, some in _wanted for k in some]
    _got = split(list(_numbers), dict(_sizes))
    assert isinstance(_got, list | tuple), f"A list wanted; yours: {_got!r}."
    assert [(q, list(some)) for q, some in _got] == _wanted, (
        f"sizes {_sizes}, numbers {_numbers}: {_wanted} wanted; yours: {_got!r}."
    )
_got = split([2, 2, 0], {"nothing": 0, "words": 3, "arm": 4})
assert [(q, list(some)) for q, some in _got] == [("words", [2, 2, 0])], (
    f"A kind without tokens owns no number: all of 2 2 0 are words; yours: {_got!r}."
)
assert list(split([], {"words": 3})) == [], "No numbers: an empty list wanted."
_after = arguments_after(split, [1, 0, 4], {"words": 3, "nothing": 0, "arm": 4})
assert list(_after[0]) == [1, 0, 4] and list(_after[1].values()) == [3, 0, 4], (
    "split changes the numbers or the sizes that it is given."
)
### END HIDDEN TESTS

# %% test="join" aspect="which kind, then which token" points=1
_logits = torch.tensor([[0.0, 0, 0, 0], [0, 0, 0, math.log(3)]])
_got = kind_and_token(_logits.clone(), torch.tensor([0, 3]), {"words": 1, "arm": 3})
assert isinstance(_got, list | tuple) and len(_got) == 2, (
    f"Two tensors wanted; yours: {_got!r}."
)
assert close(_got[0], [math.log(4), math.log(6 / 5)], 1e-4, 1e-5), (
    f"P(words) = 1/4, then P(arm) = 5/6: -ln of them wanted; yours: {_got[0]!r}."
)
assert close(_got[1], [0, math.log(5 / 3)], 1e-4, 1e-5), (
    f"The only word is certain, then 3/5: -ln of them wanted; yours: {_got[1]!r}."
)
### BEGIN HIDDEN TESTS
for _sizes in (
    {"words": 5, "arm": 2, "sound": 4},
    {"a": 1, "nothing": 0, "b": 6},
    {"only": 7},
    {"a": 3, "b": 3, "c": 3},
):
    _V = sum(_sizes.values())
    for _scale in (1, 3, 400):
        _numbers = torch.cat([torch.arange(_V), torch.randint(_V, (3,))])
        _numbers = _numbers[torch.randperm(len(_numbers))]
        _logits = torch.randn(len(_numbers), _V) * _scale + 50
        _kind, _token = [], []
        for _row, _number in zip(_logits.tolist(), _numbers.tolist(), strict=True):
            _low = 0
            for _size in _sizes.values():
                if _low <= _number < _low + _size:
                    break
                _low += _size
            _top = max(_row)
            _own = max(_row[_low : _low + _size])
            _all = _top + math.log(sum(math.exp(z - _top) for z in _row))
            _some = _own + math.log(
                sum(math.exp(z - _own) for z in _row[_low : _low + _size])
            )
            _kind.append(_all - _some)
            _token.append(_some - _row[_number])
        _got = kind_and_token(_logits.clone(), _numbers.clone(), dict(_sizes))
        _what = f"sizes {_sizes}, {len(_numbers)} random rows of logits times {_scale}"
        # float32 keeps logits of 1,000 to about 0.0001
        assert close(_got[0], _kind, 1e-4, 1e-3), f"{_what}: -ln P(kind) is wrong."
        assert close(_got[1], _token, 1e-4, 1e-3), (
            f"{_what}: -ln P(token | kind) is wrong."
        )
_got = kind_and_token(torch.zeros(1, 3), torch.tensor([2]), {"a": 1, "b": 2})
assert close(_got[0], [math.log(3 / 2)], 1e-4) and close(
    _got[1], [math.log(2)], 1e-4
), f"One row: shapes [1] wanted; yours: {_got!r}."
_got = kind_and_token(
    torch.tensor([[0.0, 0, 2000]]), torch.tensor([1]), {"a": 2, "b": 1}
)
assert close(_got[0], [2000 - math.log(2)], 1e-4), (
    f"Logits 0, 0, 2000, and a token of the first two came: -ln P(kind) = 1999.307 wanted; yours: {_got[0]!r}."
)
_after = arguments_after(kind_and_token, _logits, _numbers, dict(_sizes))
assert close(_after[0], _logits) and close(_after[1], _numbers), (
    "The logits or the numbers that were given are changed."
)
assert _after[2] == _sizes, "kind_and_token changes the sizes that it is given."
### END HIDDEN TESTS

# %% [markdown]
# What happens when they share? Three kinds: the brightness of 64 patches of a drawn shape, in 8 bins; a caption of three words, such as *cross top left*; the two angles of an arm at 12 points of a circle, in 32 bins. Three causal Transformers (chapter 8) learned one kind each, *alone*, for 20 seconds. One Transformer of the same width learned all of them for 60 seconds, *together*; there each caption follows its picture. (Recorded: `python -m benchmarks.record.mixed`.)

# %%
table = pd.read_csv(paths.DATA / "anything" / "mixed.csv")
kinds = ["picture", "words", "arm"]
means = table.groupby(["model", "kind"])[["nats", "kind_nats", "steps"]].mean()
_, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6))
for side, name in ((-1, "alone"), (1, "together")):
    rows = table[table["model"] == name].pivot(
        index="kind", columns="seed", values="nats"
    )
    colour = plots.COLOURS[(side + 1) // 2]
    x = np.arange(2) + 0.17 * side
    shown = rows.loc[["picture", "arm"]]
    left.bar(x, shown.mean(axis=1), 0.32, color=colour, label=name)
    left.plot(x, shown, "k.")
    right.bar((side + 1) // 2, rows.loc["words"].mean(), 0.5, color=colour)
    right.plot([(side + 1) // 2] * 3, rows.loc["words"], "k.")
swapped = table["swapped"].dropna()
right.bar(2, swapped.mean(), 0.5, color=plots.COLOURS[2])
right.plot([2] * 3, swapped, "k.")
left.set(xticks=range(2), xticklabels=["picture", "arm"], ylabel="nats per token")
left.set(title="Sharing a model changes little", ylim=(0, 1.1))
left.legend(loc="upper left", ncols=2)
labels = ["alone", "together,\nits picture before", "together, another\npicture before"]
right.set(xticks=range(3), xticklabels=labels, title="A caption reads its picture")
plt.show()
means.loc[["alone", "together"]].round({"nats": 3, "kind_nats": 4, "steps": 0})

# %% [markdown]
# (A black dot is one training.) On the left: what a token of a picture or an arm costs is nearly the same, alone or together. Do not read more into it. Pictures are 2 % *better* together, but that model also made about 1,340 steps on pictures and captions, half of its 2,670, where the model alone made 690, since of the shared 60 seconds these long rows took much more than a third. Arms are 1 % worse. All we can say is that one small model holds both without visible harm.
#
# On the right is what no model of one kind can have. With its picture before it, a caption takes less than half of the nats, and after *another* picture more than three times as many as alone. So the model really looks: the tokens of one kind have become a condition for those of the next (chapter 9), and nobody had to tell it how.

# %% [markdown]
# One column of the table is strange. `kind_nats` is what it costs to say of which kind a token is, and in the model of many kinds it is 0.013 for an arm and 0.021 for a picture. Should it not be $\ln 2$ once, at the first token, where nobody can know which kind of document comes?
#
# Let $p$ be the probability that the model gives there to *arm*. Half of its batches are arms, and the loss is a mean over the tokens of a batch. An arm has 24 tokens, so in its batches the first token has weight $\frac{1}{24}$; a picture with its caption has 67, so there it has weight $\frac{1}{67}$. What the training makes small is therefore
#
# $$\tfrac12 \cdot \tfrac{1}{24} (-\ln p) + \tfrac12 \cdot \tfrac{1}{67} (-\ln (1 - p)) , \qquad \text{smallest where } \frac{1}{24\, p} = \frac{1}{67\, (1 - p)} , \text{ that is } p = \frac{67}{67 + 24} .$$
#
# Not ½ but 0.74: the model leans towards arms, because a mistake there weighs more. Now spread the cost over the tokens of a kind: $-\frac{1}{24} \ln \frac{67}{91} = 0.0128$ for each of the 24 of an arm, $-\frac{1}{64} \ln \frac{24}{91} = 0.0208$ for each of the 64 of a picture. Compare with the table. How batches are mixed is part of what a model of mixed kinds learns.

# %% [markdown]
# ## What this course was
#
# One question, *what comes next?*, and one number to judge an answer. Each model answered well until something broke it, and what broke it was the reason for the next:
#
# | chapter | what it brought | what broke it |
# |---|---|---|
# | 1 | Counting gives every sentence a probability. | A pair of words that was never seen is impossible. |
# | 2 | Smoothing keeps something for what was never seen. | In a table of counts, no two words are alike. |
# | 3 | Word vectors put similar words near each other. | A word has one vector, whatever it means in this sentence. |
# | 4 | A network over a window learns its own features. | Nothing beyond the window can matter. |
# | 5 | A recurrent network carries a state through a text of any length. | Old news fades, and each step has to wait for the one before. |
# | 6 | Attention looks at all places at once. | By itself it does not know their order. |
# | 7 | An encoder reads both sides of a gap. | It cannot write. |
# | 8 | A causal Transformer reads and writes. | It says what is likely, which need not be what you want it to say. |
# | 9 | A condition tells it what to say: *this*, in another language. | Many translations are right, and a score knows only some of them. |
# | 10 | A scoreboard compares all models fairly. | On one text, in one language. |
# | 11 | A token need not be a word. | That part is yours. |

# %% [markdown]
# What never changed is the chain rule of chapter 1: a probability for each next token, multiplied together. All that the models learned was how to fill in these factors. And most of the work was in two questions that no architecture answers for you: *what are the tokens*, and *is the comparison fair?*

# %% [markdown]
# *Sources.* Much of this chapter's plan, and the sentence that it takes at its word, come from a lecture by Yoav Artzi, which thanks Lucas Beyer, from whose slides some of its content comes, and Greg Durrett, Ana Marasović and Christian von der Weth. Benjamin Muller's lecture ends with these references: Devlin and others 2018 (BERT), Radford and others 2019 (GPT-2), Rae and others 2018, Siegelmann and Sontag 1992, Vaswani and others 2017.
#
# Named in this chapter: Chen and others 2021 (Decision Transformer), Haviv and others 2022 and Kazemnejad and others 2023 (no positions), Dosovitskiy and others 2021 (Vision Transformer), van den Oord and others 2017 (learned codes for pictures), Radford and others 2022 (Whisper), Brohan and others 2022 and 2023 (RT-1, RT-2), Reed and others 2022 (Gato), van den Oord and others 2016 (WaveNet).

# %% [markdown]
# ## What you can do now
#
# You have reached the last page of the course. Take a moment to see how far that is. You started with a table of eight words, and you have since written, with your own hands, a smoothed n-gram model, word vectors, a recurrent network with its gradients, attention, an encoder, a Transformer that writes, beam search, and the statistics that tell whether any of it is better than the rest. Every part was checked by tests that you could not see. Nobody can tell you any more that a language model is magic; you know which multiplication it is.
#
# So, if somebody now hands you a new model, you can
#
# - read its paper with a pencil: find the tokens, the factors of the chain rule, and the place where information flows from one position to another;
# - build a small version that runs on your own computer, and test it against a case whose answer you know;
# - find the usual bugs, such as a mask that leaks, a softmax over the wrong axis, or a target that stands in the input;
# - and ask the four questions of chapter 10 before you believe its table.
#
# **Something to build next.** Start small and finish it.
#
# - *A writer of your own.* Train the Transformer of chapter 8 on a text that you love, and let it continue a sentence of yours.
# - *An entry for the challenge.* `autograder challenge my_model.ipynb`: a fixed budget of computing time, an exact floor, and room below every model of this course.
# - *A painter.* Give this chapter's patches real tokens: cluster them into 64 kinds, number the kinds, train a causal Transformer on the rows, and let it draw a shape. You have every part already; only the clustering is new.
# - *A reader of bytes.* Every file on your disk is a row of numbers below 256. What does a Transformer make of pictures, songs or programs without being told what they are?
#
# **Something to read next**, from near to far.
#
# - A. Karpathy's *nanoGPT* and *nanochat*: the Transformer of chapter 8, grown up, in code short enough to read in an afternoon. You will recognise nearly every line.
# - Stanford's *CS336, Language Modeling from Scratch*: the same journey on real data and many GPUs.
# - J. Hoffmann and others, *Training compute-optimal large language models* (2022): how large a model, and how much text, for a given budget?
# - C. Olsson and others, *In-context learning and induction heads* (2022): what the attention heads of chapter 6 do inside a model that nobody wired.
# - L. Ouyang and others, *Training language models to follow instructions with human feedback* (2022): how a model that says what is likely becomes one that says what you asked for. It begins where chapter 8 broke.
#
# One question has carried you from counting pairs of words to moving an arm. It is a good question to keep asking.
#
# *What comes next?*
