# ---
# title: Whatever can be tokenised
# ---

# %% [markdown]
# Somewhere there is a robot arm that is moved by a model made for predicting the next word (A. Brohan and others, 2023). Each part of a command, such as *how
# far to the left* or *close the hand*, is a number from 0 to 255, and to the model this number is a word like any other. It writes one, and the next, and the
# next, and the arm picks up a can.
#
# Look back at the models that you have built: not one of them knows what a word is. A model reads a row of symbols and says what could come next. We happened
# to feed it words. So what else can be fed to it? Yoav Artzi put the answer into one sentence, "whatever you can tokenize, the Transformer will take", and this
# chapter takes the sentence at its word. You will feed it the moves of a game, pictures, sound and the angles of an arm, and in the end one model learns
# pictures, their captions and the moves of an arm at once.
#
# The sentence has two halves, and each hides a question. *The Transformer will take it*: it takes every row of symbols, but does it understand what it takes? We begin with the two smallest languages that tell the difference. And *whatever you can tokenize*: what does it mean to make a token of a thing that is not made of symbols, such as a patch of a picture? You will see that the honest answer is sometimes "we did not".

# %% [markdown]
# Each section generates its own data in a few lines, and sections 4 to 6 train their models before your eyes, in seconds. Three comparisons and one model
# took minutes, so they were recorded, and each says so. Shapes stand in brackets, as ever: $[B, T]$ is a batch of $B$ rows of $T$ tokens.

# %%
import copy
import itertools
import math
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch.nn import functional as F

from lmkit import anything, drawings, paths, plots
from lmkit.models.networks import build
from lmkit.testing import beside_the_answer, close, is_number
from lmkit.training import set_seed
from lmkit.transformer import Transformer, TransformerConfig

plots.use_style()
plt.rcParams.update({"figure.dpi": 100})
torch.set_num_threads(1)

# %% [markdown]
# ## 1. Machines that say yes or no
#
# Before there were probabilities, a *formal language* was a set of words, and a machine that recognises it says yes or no (Fabrizio Silvestri's lecture). The simplest is a **deterministic finite automaton** (DFA). It stands in one of finitely many states; each symbol read takes it to another; at the end, some states mean yes. It has no other memory.

# %% [markdown] statement="accepts"
# - `accepts(word, step, start, accepting)`: `step` is a dict `{(state, symbol): state}`, `accepting` a set of states. The name of a state may be anything but
#   `None`. Where `step` has no entry, the word is refused. Return a bool.
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
def _machine(rng, states, missing):
    """Steps between these states for x, y and z, some of which are missing."""
    pairs = [(state, symbol) for state in states for symbol in "xyz"]
    return {pair: rng.choice(states) for pair in pairs if rng.random() > missing}


_few = size("few", least=0, most=3, large=None)  # often no step is missing
_word = choice(words(size("length", least=0, large=200), "xyz"), words(_few, "xyz"))
for _states in (
    [0, 1, 2],
    [-1, "", "trap"],
    [1, "1", (1,)],
    ["even", "odd"],
    ["s"],
):
    agrees(
        accepts,
        ours.accepts,
        choice(_word, made(lambda rng, word: "".join(word), _word)),
        made(_machine, _states, choice(0.0, 0.1, 0.5)),
        choice(*_states),
        made(lambda rng, s: set(rng.sample(s, rng.randrange(len(s) + 1))), _states),
        mixtures=40,
    )
_round = {(1, "x"): "1", ("1", "x"): (1,), ((1,), "x"): 1}  # states that look alike
_ends = choice({1}, {"1"}, {(1,)}, {0, 1}, {0, "1"})
agrees(
    accepts,
    ours.accepts,
    choice("", "x", "xx"),
    choice(_round),
    choice(1, "1", (1,)),
    _ends,
    mixtures=60,
)
### END HIDDEN TESTS

# %% test="accepts" aspect="your machine for (ab)*" points=1
_got = ab_star()
assert _got is not None and len(_got) == 3, f"Return three things; yours: {_got!r}."


_words = anything.short_words(*_got, 4)
assert "ab" in _words, "Your machine refuses `ab`."
assert "a" not in _words, "Your machine accepts `a`."
### BEGIN HIDDEN TESTS
_few = ["".join(word) for n in range(7) for word in itertools.product("ab", repeat=n)]


def _verdicts(machine):
    """What the machine says of short words and of two long ones."""
    found = machine()
    return {
        word: ours.accepts(word, *found)
        for word in [*_few, "ab" * 500, "ab" * 500 + "a"]
    }


agrees(ab_star, ours.ab_star, by=_verdicts, mixtures=0)
### END HIDDEN TESTS
