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
