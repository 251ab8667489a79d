# ---
# title: A network that remembers
# ---

# %% [markdown]
# Finish this sentence: *The cooks with the bags beside the quiet fountain …* Does *dance* come next, or *dances*? You know at once that it must be *dance*,
# because of *cooks*. But look how far away that word is: eight words back. A trigram model looks at two words. The window network of chapter 04 looks at four.
# Neither of them can see *cooks*.
#
# One could make the window wider, but a table of counts runs out of text (chapter 01), and in a network every further word costs more weights (chapter 04). And
# wherever the window ends, the next sentence has its important word one place further back.
#
# So let us try something else. We read one word at a time, and we carry a note along: a list of numbers that we update after each word. A network that works like
# this is called a **recurrent network**, and its note is called its **state**. It has no window at all. What it knows about the past is what it has written down.

# %% [markdown]
# **What this chapter promises.** In the first half hour you will build a memory with your own hands: three numbers, chosen by you, that hold a single bit for
# thousands of steps while we shake its note. Then you will see why a memory that is so good is hard to *learn* by gradient descent, and you will build the
# network that gets around this problem, the **LSTM**. As soon as its equations work in your notebook, it learns for a minute from a text that you have chosen,
# and writes its first words. The rest of the chapter asks two questions about this: *how could it learn that?* And: *how do we make it good?*
#
# **And something that you should know beforehand.** At the end you may lose. Your opponent is the counting model of chapter 02, which predicts the next
# character of the same text. It counts for a few seconds, and you will train for a quarter of an hour. Who wins, and after how much training? Make a guess now.
# Sections 7 and 8 have the measurements.

# %% [markdown]
# The tasks take a little less than three hours. With reading, playing and training, count on five. Section 5 ends at a good place for a break.
#
# The next cell prints on which device your networks train. Use the CPU in this chapter: the networks are small, and each of their steps has to wait for the one
# before it. If the cell prints `cuda`, start Jupyter with `LMKIT_DEVICE=cpu`.

# %%
import math
import random
import time
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

import lmkit
from lmkit import drawings, gallery, kitchen, ngrams, paths, plots, runs
from lmkit.budgets import budget
from lmkit.playground import play
from lmkit.plots import log_ticks
from lmkit.recurrent import (
    PARTS,
    go_on,
    lstm_gradients,
    one_cell,
    one_number,
    stream_loss,
)
from lmkit.testing import (
    beside_the_answer,
    close,
    gradients,
    is_number,
    leave_gradients,
    torch_module,
    without_autograd,
    wrapped,
)
from lmkit.training import choose_device, set_seed, train

device = choose_device()
plots.use_style()
plt.rcParams.update({"figure.figsize": (7, 3.2), "figure.dpi": 140})
torch.set_num_threads(1)  # small networks: a second thread costs more than it brings
print("device:", device)


# %% folded="a helper for the checks"
def expect(got, names):
    """What the checks ask first: is the answer a tuple or list of these things?"""
    assert isinstance(got, tuple | list) and len(got) == names.count(",") + 1, (
        f"Return ({names}); yours: {got!r}."
    )


# %% [markdown]
# ## 1. One bit
#
# Here is the smallest task that needs a memory. A machine reads zeros and ones, one at a time, and after each of them we ask: *has there been a 1 yet?* If it
# reads
#
#     0 0 1 0 0 0 0 0 ...
#
# then the right answers are *no, no, yes, yes, yes*, and so on, for ever. It is one bit of memory, and the machine has to keep it however long the silence after
# the 1 may be.
#
# Our machine has a state of one number, $h$. If $h$ is positive, this means *yes*; if it is negative, *no*. At each step the machine reads a number $e_t$ (0 or
# 1) and makes its new state of two things: what it has just read, and its old state.
#
# $$h_t = \tanh(w_x e_t + w_h h_{t-1} + b), \qquad h_0 = 0$$
#
# The weight $w_x$ says how much the new number counts, and $w_h$ says how much the old state counts. The **bias** $b$ pushes the state in one direction at every
# step. The tanh keeps the result between $-1$ and 1. (A function in this place is called an **activation function**.)
#
# Take $w_x = 1$, $w_h = \tfrac12$ and $b = 0$, and let it read 1, 0, 0:
#
# $$h_1 = \tanh(1) = 0.76, \quad h_2 = \tanh(\tfrac12 \cdot 0.76) = 0.36, \quad h_3 = \tanh(\tfrac12 \cdot 0.36) = 0.18.$$
#
# There is an echo of the 1, but it fades. After twenty steps nothing is left of it. Does it help to give the past its full weight, $w_h = 1$?
#
# Let us watch both machines. The left panel shows them in silence. In the right panel we add a little random **noise** of up to $\pm 0.1$ to the state after each
# step, because a memory that only works when nothing else happens is not worth much. The 1 comes at step 10. Look for two things: is the state negative before
# the 1, and is it positive at the end?


# %% folded="draws what a state does"
def watch(cells, noise, length=200, place=10):
    """Draw the states of several cells (w_x, w_h, b) that read a single 1 at `place`, without noise and with it."""
    bits = [float(t == place) for t in range(length)]
    _, panels = plt.subplots(1, 2, figsize=(7.4, 2.8), sharey=True)
    for axes, loud in zip(panels, (0.0, noise), strict=True):
        for (name, cell), colour in zip(cells.items(), plots.COLOURS, strict=False):
            axes.plot(one_number(*cell, bits, loud), color=colour, label=name)
        axes.axhline(0, color="gray", linewidth=0.8)
        axes.axvline(place, color="gray", linestyle=":")
        title = f"with noise of up to ±{loud}" if loud else "in silence"
        axes.set(title=title, xlabel="step (the 1 comes at the dotted line)")
    panels[0].set(ylabel="state $h_t$", ylim=(-1.1, 1.1))
    panels[0].legend(fontsize=10)
    plt.show()


# %% alt="Two panels with the states of two cells over 200 steps. In silence both are 0 until the 1 comes, jump up and fade, one at once and one slowly. With noise both wander around 0 and are negative or positive by chance."
watch({"$w_h$ = 0.5": (1.0, 0.5, 0.0), "$w_h$ = 1": (1.0, 1.0, 0.0)}, noise=0.1)

# %% [markdown]
# Neither of them does the job. With $w_h = \tfrac12$ the 1 is forgotten after a few steps. With $w_h = 1$ it fades slowly, because the tanh squeezes the state a
# little at every step, and under noise the state drifts up and down without any hold. And before the 1, neither state is reliably negative: in silence both are
# 0, and under noise their sign is chance.
#
# Now it is your turn. In the next cell the first numbers are ours, and they are not right yet. Change the three numbers and run the cell again, a few times. Can
# you find some that hold?

# %% scratch=true
watch({"mine": (1.0, 1.2, 0.0)}, noise=0.1)

# %% [markdown]
# ### Where a state comes to rest
#
# Instead of searching blindly, look at what happens while only zeros are read. Then the new state depends on the old state alone: $h_t = \tanh(w_h h_{t-1} + b)$.
# This is a curve that we can draw. The horizontal axis is the old state, and the height of the curve is the new one. The dotted diagonal marks all places where
# the new state equals the old one.
#
# Begin with the left panel, where $b = 0$. How often does each of the two curves cross the diagonal? And where do the thin staircases end?

# %% folded="draws the fixed points" alt="Two panels with curves of the next state over the state, and a diagonal. Left, the flat curve crosses it once, at zero, and its staircase runs down to there; the steep one crosses it three times, and its staircase climbs from 0.15 to the dot at 0.96. Right, the steep curve is shifted down; it still crosses three times, but the middle crossing has moved to 0.31, and a staircase that starts at zero runs down to the dot at minus 0.98."
_, panels = plt.subplots(1, 2, figsize=(7.4, 4.0), sharey=True)
grid = np.linspace(-1.2, 1.2, 200)
for axes, curves, resting, unstable in (  # curves: slope, bias, first state, colour
    (panels[0], ((0.7, 0, 0.9, 1), (2.0, 0, 0.15, 0)), (-0.957, 0.957), 0.0),
    (panels[1], ((2.0, -0.3, 0.0, 0),), (-0.978, 0.908), 0.311),
):
    axes.plot(grid, grid, color="gray", linestyle=":")
    for slope, bias, start, colour in curves:
        colour = plots.COLOURS[colour]
        axes.plot(grid, np.tanh(slope * grid + bias), color=colour)
        places, heights = [start], [start]
        for _ in range(8):  # up (or down) to the curve, then sideways to the diagonal
            after = math.tanh(slope * places[-1] + bias)
            places, heights = [*places, places[-1], after], [*heights, after, after]
        axes.plot(places, heights, color=colour, linewidth=1, alpha=0.7)
    axes.plot(resting, resting, "o", color=plots.COLOURS[0])
    axes.plot(
        unstable, unstable, "o", color=plots.COLOURS[0], markerfacecolor="white", ms=11
    )
    axes.set(xlabel="old state $h_{t-1}$")
panels[0].plot(0, 0, "o", color=plots.COLOURS[1], markersize=5)
panels[0].text(0.35, 1.05, "$w_h$ = 2", color=plots.COLOURS[0])
panels[0].text(0.75, 0.35, "$w_h$ = 0.7", color=plots.COLOURS[1])
panels[0].set(title="$b$ = 0: one crossing, or three", ylabel="new state $h_t$")
panels[1].set(title="$b$ = -0.3: the watershed moves")
plt.show()

# %% [markdown]
# Follow one staircase with your finger, the blue one on the left. Start at 0.15 on the diagonal and go up to the curve: its height is the next state, 0.29. Go
# sideways to the diagonal: now 0.29 is the old state. Go up to the curve again: 0.52. One stair is one step in time, and the staircase climbs to the filled dot
# at 0.96. There curve and diagonal cross, so the new state equals the old one. Such a place is called a **fixed point**.
#
# The flat curve has only one fixed point, at 0. Its staircase started at 0.9 and runs down to it, and it would do so from everywhere. Whatever the state was, it
# ends at 0, so the past is forgotten.
#
# The steep curve is steeper than the diagonal at 0, and therefore it crosses the diagonal three times. From every positive state the staircase goes to 0.96, from
# every negative state it goes to $-0.96$. These two fixed points are **stable**: a state near one of them is pulled towards it. The one in the middle, the ring,
# is **unstable**: the slightest push sends a state away from it, to one side or the other. It is a watershed.
#
# Now look at the right panel. It has the steep curve again, now with a bias of $-0.3$, which shifts the curve a little to the right. Both stable fixed points are
# still there, but the watershed has moved to 0.31. So a state that starts at 0 is now on the left of the watershed, and it runs down to *no*.

# %% [markdown] statement="latch"
# ### Hold a bit
#
# Two stable fixed points are exactly what a bit needs: one for *no*, one for *yes*. Engineers call such a thing a **latch**. Find three numbers $(w_x, w_h, b)$
# such that $h_t$ is negative until the 1 comes, and positive from the 1 on.
#
# Your latch must hold for 10,000 steps after the 1, however late the 1 comes. It must also hold under noise: after each step up to $\pm 0.1$ is added to the
# state, and the next step sees the noisy value. We check the sign of $h_t$ before that step's noise is added. (To save your time, the check in this notebook
# shakes the latch for 2,000 steps after the 1. The grading does it for all 10,000.)
#
# When it works, you will put your latch into a storm.

# %% [markdown] hints="latch"
# 1. You want two resting places, one negative and one positive, and a push that carries over from one to the other.
# 2. For $w_h$ well above 1, $h = \tanh(w_h h)$ has three solutions, and 0 is the one that no noise may touch. Which
#    side should a state that starts at 0 fall to, and what does that?
# 3. $b$ tips the start to the negative side, but must be too weak to tip over a state near 1; $w_x$ must be strong
#    enough to lift a state near -1. Write down these three inequalities, each with a noise of 0.1 against you, then
#    choose.


# %% task="latch" points=3 level=3 minutes=25
def latch():
    """Three numbers (w_x, w_h, b) of a cell that remembers whether it has read a 1."""
    ### BEGIN SOLUTION
    return 10.0, 4.0, -1.0
    ### END SOLUTION


# %% test="latch" aspect="silence is not a 1" points=1
_got = latch()
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
assert all(is_number(value) for value in _got), (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
_w_x, _w_h, _b = (float(value) for value in _got)
_h = 0.0
for _t in range(10_000):
    _h = math.tanh(_w_h * _h + _b)
    assert _h < 0, (
        f"After {_t + 1} zeros and no 1 the state is {_h:.4f}; it should be negative."
    )
### BEGIN HIDDEN TESTS
for _t in range(10_000, 40_000):
    _h = math.tanh(_w_h * _h + _b)
    assert _h < 0, (
        f"After {_t + 1} zeros and no 1 the state is {_h:.4f}; it has crept up and should be negative."
    )
### END HIDDEN TESTS

# %% test="latch" aspect="a 1 is remembered" points=1
_got = latch()
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
assert all(is_number(value) for value in _got), (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
_w_x, _w_h, _b = (float(value) for value in _got)
_places = (0, 1, 2, 10, 100, 10_000)
### BEGIN HIDDEN TESTS
_places += (3, 5, random.randint(11, 99), random.randint(101, 999))
### END HIDDEN TESTS
for _before in _places:
    _h = 0.0
    for _t in range(_before + 10_000):
        _h = math.tanh(_w_x * (_t == _before) + _w_h * _h + _b)
        assert _t < _before or _h > 0, (
            f"A 1 stood after {_before} zeros; {_t - _before} steps after it the state is {_h:.4f}: not positive."
        )

# %% test="latch" aspect="noise does no harm" points=1
_got = latch()
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
assert all(is_number(value) for value in _got), (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
_w_x, _w_h, _b = (float(value) for value in _got)
_draw, _after = random.Random(1), 2_000
### BEGIN HIDDEN TESTS
_draw, _after = random.Random(), 10_000
### END HIDDEN TESTS
for _before in (1, 5, 50, 10_000):
    for _kind, _noise in (
        ("a random noise of up to ±.1", lambda: _draw.uniform(-0.1, 0.1)),
        ("a noise of +.1 after each step", lambda: 0.1),
        ("a noise of -.1 after each step", lambda: -0.1),
    ):
        _h = 0.0
        for _t in range(_before + _after):
            _h = math.tanh(_w_x * (_t == _before) + _w_h * _h + _b)
            assert (_h > 0) == (_t >= _before), (
                f"With {_kind} the state at step {_t} (from 0) is {_h:.3f}; the 1 came at step {_before}, "
                f"so it should be {'positive' if _t >= _before else 'negative'}."
            )
            _h += _noise()


# %% [markdown]
# Here is your latch in three storms. In each panel twenty copies of it read the same 300 numbers, with the 1 at step 100, and each copy gets its own noise. The
# noise grows from $\pm 0.1$ to $\pm 0.5$ and to $\pm 1.2$. (You have only promised to survive the first one.) The title of each panel counts the copies whose
# answer was right at every step. At which noise does your latch break?

# %% folded="draws your latch under noise" alt="Three panels with the states of twenty latches over 300 steps under growing noise. Under the weakest noise all are near minus one until the 1 comes and near plus one afterwards; under the middle one some fall back later; under the strongest they fall from one side to the other."
numbers = [float(value) for value in latch()]
storm_bits = [float(t == 100) for t in range(300)]
right_sign = np.arange(300) >= 100
_, panels = plt.subplots(1, 3, figsize=(7.4, 2.6), sharey=True)
for axes, loud in zip(panels, (0.1, 0.5, 1.2), strict=True):
    copies = np.array(
        [one_number(*numbers, storm_bits, loud, seed) for seed in range(20)]
    )
    survive = ((copies > 0) == right_sign).all(1).sum()
    axes.plot(copies.T, color=plots.COLOURS[0], linewidth=0.6, alpha=0.3)
    axes.axhline(0, color="gray", linewidth=0.8)
    axes.axvline(100, color="gray", linestyle=":")
    axes.set(title=f"±{loud}: {survive} of 20 right", xlabel="step")
panels[0].set(ylabel="state $h_t$", ylim=(-1.1, 1.1))
plt.show()

# %% [markdown]
# Under the noise that you promised to survive, no copy is lost. (Each state is drawn before its noise is added, so under weak noise the lines look calm.) How
# many survive $\pm 0.5$ depends on your three numbers; with ours only a few do. Every latch has such a limit. Above it, losing the bit is a matter of time,
# because sooner or later several bad steps come in a row. Below it, the latch holds for ever. So a recurrent network *can* keep something; you have just
# built one that does. Why, then, do people say that recurrent networks forget?

# %% [markdown]
# ### The price
#
# You found the three numbers by thinking. A network has to find them by **gradient descent**: it asks how the loss at the end would change if a weight were a
# little different. For a bit that was read long ago, this question has to travel back through all the states in between: a tiny change of $h_{t-1}$ changes
# $h_t$, which changes $h_{t+1}$, and so on. By the chain rule each step multiplies by
#
# $$\frac{\partial h_t}{\partial h_{t-1}} = (1 - h_t^2)\, w_h,$$
#
# because the slope of the tanh at the place where its value is $h_t$ is $1 - h_t^2$. Let us see how large this factor is for your latch, when it rests.

# %%
w_x, w_h, b = numbers
resting = one_number(w_x, w_h, b, [1.0] + [0.0] * 100)[-1]
factor = w_h * (1 - resting**2)
print(
    f"your latch rests at h = {resting:.4f}; one step multiplies a gradient by {factor:.2g}"
)
for steps in (2, 10, 40):
    print(f"{steps:3} steps multiply it by {abs(factor) ** steps:.1e}")

# %% [markdown]
# After ten steps, practically nothing is left. This had to happen. A stable fixed point is a place where small changes die out; that is why a small noise cannot
# harm you. But a gradient asks about exactly such a small change: what would be different at the end if this state were a little different now? At a stable fixed
# point the answer is *hardly anything*, since $\lvert \partial h_t / \partial h_{t-1} \rvert < 1$ there, and the gradient is multiplied by this number at every
# step. And it does not matter which weights have made the fixed point. With $w_h = 0.7$ and $b = 0$, for example, a state rests at 0, and each step multiplies
# the gradient by $(1 - 0^2) \cdot 0.7 = 0.7$. The faster a state shakes off a small push, the less gradient survives. **Robust memory and learnability pull
# against each other** (Y. Bengio, P. Simard and P. Frasconi, 1994).
#
# If we want a network to *learn* what to remember, we need another kind of memory. But first let us see the same thing with more than one number.
