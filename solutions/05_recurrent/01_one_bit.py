# ---
# title: A network that remembers
# ---

# %% [markdown]
# Finish this sentence: *The cooks with the bags beside the quiet fountain …* Does *dance* come next, or *dances*? You know at once that it must be *dance*, because of *cooks*. But look how far away that word is:
# eight words back. A trigram model looks at two words. The window network of chapter 04 looks at four. For both of them, *cooks* does not exist any more.
#
# One could make the window wider, but a table of counts runs out of text (chapter 01), and in a network every further word costs more weights (chapter 04). And wherever the window ends, the next sentence has its
# important word one place further back. So let us try something else. We read one word at a time, and we carry a note along, a list of numbers that we update after each word. A network that works like this is called a **recurrent network**, and its note is called its **hidden state**. It has no window at
# all. What it knows about the past is what it has written down.
#
# **What this chapter promises.** In the first half hour you will build a memory with your own hands: three numbers, chosen by you, that hold a single bit for 10,000 steps while we shake them. Then you will see why a memory that is
# so good is hard to *learn* by gradient descent, and you will build the network that gets around this problem, the **LSTM**. As soon as its equations stand in your notebook, it reads a text that you have chosen, and writes in its alphabet. The rest of the chapter asks two questions about
# this: *how could it learn that?* And: *how do we make it good?* At the end you train it once more, with a training step and a loop that you have written yourself, and a number tells you how much better it has become.
#
# **And something that you should know beforehand.** At the end you may lose. Your opponent is the counting model of chapter 02, which predicts the next character of the same text. It needs seconds, and you will need ten minutes. Who wins, with how much text, and after how much training? Make a guess now. Section 8 has the measurements.

# %% [markdown]
# The tasks take a little less than three hours. With reading, playing and training, count on four or four and a half. Section 5 ends at a good place for a break.
#
# The next cell prints on which device your networks train. The networks here are small, and their steps come one after the other. For such work a GPU is no help: in our test a large one was slower than a single core of a CPU. If the cell says `cuda`, start Jupyter with `LMKIT_DEVICE=cpu`.

# %%
import math
import random
import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

import lmkit
from lmkit import drawings, gallery, ngrams, paths, plots, runs
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
    close,
    gradients,
    is_number,
    leave_gradients,
    torch_module,
    without_autograd,
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
# Here is the smallest task that needs a memory. A machine reads zeros and ones, one at a time, and after each of them we ask: *has there been a 1 yet?* In
#
#     0 0 1 0 0 0 0 0 ...
#
# the answer is *no, no, yes, yes, yes*, and so on, for ever. It is one bit of memory, and the machine has to keep it however long the silence after the 1 may be.
#
# Our machine has a state of one number, $h$. If $h$ is positive, this means *yes*; if it is negative, *no*. At each step the machine reads a number $e_t$ (0 or 1) and makes its new state of two things: what it has just read, and its old state.
#
# $$h_t = \tanh(w_x e_t + w_h h_{t-1} + b), \qquad h_0 = 0$$
#
# The weight $w_x$ says how much the new number counts, $w_h$ says how much the machine's own past counts, and $b$, the **bias**, gives it a push in one direction at every step. The tanh keeps the result between $-1$ and 1. (A function in this place is called an
# **activation function**.)
#
# Take $w_x = 1$, $w_h = \tfrac12$ and $b = 0$, and let it read 1, 0, 0:
#
# $$h_1 = \tanh(1) = 0.76, \quad h_2 = \tanh(\tfrac12 \cdot 0.76) = 0.36, \quad h_3 = \tanh(\tfrac12 \cdot 0.36) = 0.18.$$
#
# There is an echo of the 1, but it fades. After twenty steps nothing is left of it. Does it help to give the past its full weight, $w_h = 1$? Let us watch both, once in silence, and once while we add a little random **noise** of up to $\pm 0.1$ to the state after each step, because a memory that only works
# when nothing else happens is not worth much. The 1 comes at step 10. Look for two things: is the state negative before the 1, and is it positive at the end?


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
# Neither of them does the job. With $w_h = \tfrac12$ the 1 is forgotten after a few steps. With $w_h = 1$ it fades slowly, because the tanh squeezes the state a little at every step, and with noise it drifts up and down without any hold. Before the 1, the state is not even negative.
#
# Now it is your turn. Change the three numbers and run the cell again, a few times. Can you find some that hold?

# %% scratch=true
watch({"mine": (1.0, 1.0, 0.0)}, noise=0.1)

# %% [markdown]
# ### Where a state comes to rest
#
# Instead of searching blindly, look at what happens while only zeros are read. Then the new state depends on the old state alone, $h_t = \tanh(w_h h_{t-1} + b)$. This is a curve that we can draw: for each old state on the horizontal axis, its height is the new state. We also draw the diagonal, on which the new state equals the old one.
#
# With a curve and the diagonal you can follow a state with your finger. Have the figure below before you while you read this. The thin staircase on the steep curve starts at 0.15. Go up to the curve: its height is the next state. Go sideways to the diagonal: now that height has become your place on the axis. Go up to the curve again, sideways to the diagonal again, and so on. Each stair is one step in time.
#
# Where curve and diagonal cross, the state stays where it is. Such a place is called a **fixed point**. Look for the difference between the two curves. How many fixed points has each, and where do their staircases end?

# %% folded="draws the fixed points" alt="Two curves of the next state over the state, and a diagonal. The flat one crosses it once, at zero, and its staircase runs down to there; the steep one crosses it three times, and its staircase climbs from 0.15 to the dot at 0.96."
_, axes = plt.subplots(figsize=(7, 4.2))
grid = np.linspace(-1.2, 1.2, 200)
axes.plot(grid, grid, color="gray", linestyle=":", label="stays as it is")
for slope, colour in ((0.7, plots.COLOURS[1]), (2.0, plots.COLOURS[0])):
    axes.plot(grid, np.tanh(slope * grid), color=colour, label=f"$w_h$ = {slope:.1f}")
    places = [0.15 if slope > 1 else 0.9]
    heights = [0.0]
    for _ in range(8):  # up (or down) to the curve, then sideways to the diagonal
        after = math.tanh(slope * places[-1])
        places, heights = [*places, places[-1], after], [*heights, after, after]
    axes.plot(places, heights, color=colour, linewidth=1, alpha=0.7)
axes.plot([-0.957, 0.957], [-0.957, 0.957], "o", color=plots.COLOURS[0])
axes.plot(0, 0, "o", color=plots.COLOURS[0], markerfacecolor="white", markersize=12)
axes.plot(0, 0, "o", color=plots.COLOURS[1])
axes.set(
    title="A steep curve has three fixed points, a flat one has one",
    xlabel="state $h_{t-1}$",
    ylabel="next state $h_t$ ($b$ = 0)",
)
axes.legend(loc="upper left")
plt.show()

# %% [markdown]
# The flat curve has slope 0.7 at zero. Its staircase started at 0.9, and it runs down to the only crossing. It would end there from everywhere, so the past is forgotten. The steep curve has slope 2 at zero, more than the diagonal, and therefore it crosses the diagonal three times. From 0.15 the staircase climbs to the filled dot at 0.96, and from the negative side it would run down to the one at -0.96.
#
# These outer two fixed points are **stable**: a state near one of them is pulled towards it. The middle one of the steep curve, the ring, is **unstable**: it is a watershed, and the slightest push sends a state away from it, to one side or the other.

# %% [markdown] statement="latch"
# ### Hold a bit
#
# Two stable fixed points are exactly what a bit needs: one for *no*, one for *yes*. Engineers call such a thing a **latch**. Find three numbers $(w_x, w_h, b)$ such that $h_t$ is negative until the 1 comes, and positive from the 1 on.
#
# Your latch must hold for 10,000 steps after the 1, however late the 1 comes, and it must hold under the noise: after each step up to $\pm 0.1$ is added to the state, and the next step sees the noisy value. We check the sign of $h_t$ before that step's noise is added.
#
# When it works, run the cell behind the checks. It draws your latch under a storm.

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
# Here is your latch, three times, on 300 steps, with the 1 at step 100. The noise grows from $\pm 0.1$ to $\pm 0.5$ and to $\pm 1.2$. (You have only promised to survive the first one.) At which noise does it break?

# %% folded="draws your latch under noise" alt="Three panels of a state over 300 steps under growing noise. It is near minus one until the 1 comes and near plus one afterwards; under the strongest noise it falls from one side to the other."
_, panels = plt.subplots(1, 3, figsize=(7.4, 2.6), sharey=True)
for axes, loud in zip(panels, (0.1, 0.5, 1.2), strict=True):
    axes.plot(
        one_number(
            *(float(value) for value in latch()), [t == 100 for t in range(300)], loud
        ),
        color=plots.COLOURS[0],
        linewidth=1,
    )
    axes.axhline(0, color="gray", linewidth=0.8)
    axes.axvline(100, color="gray", linestyle=":")
    axes.set(title=f"noise ±{loud}", xlabel="step")
panels[0].set(ylabel="state $h_t$", ylim=(-1.1, 1.1))
plt.show()

# %% [markdown]
# Under the noise that you promised to survive, one number remembers. Under the middle one it may hold in your picture, but let it run longer, and it will usually fall. Under the strongest one a single bad step can lose the bit, and a few in a row can make a 1 that never came. Every latch has such a limit, and below it, the latch holds for as long as you like. So a recurrent network *can* keep something; you have just built one that does. You may
# wonder why people say that recurrent networks forget.
#
# ### The price
#
# You found the three numbers by thinking. A network has to find them by **gradient descent**: it asks how the loss at the end would change if a weight were a little different. For a bit that was read long ago, that question has to travel back through all the states in between: a tiny change of $h_{t-1}$ changes $h_t$, which changes $h_{t+1}$, and so on. By the chain rule each
# step multiplies by
#
# $$\frac{\partial h_t}{\partial h_{t-1}} = (1 - h_t^2)\, w_h,$$
#
# because the slope of the tanh at the place where its value is $h_t$ is $1 - h_t^2$. Let us see how large this factor is for your latch, when it rests.

# %%
w_x, w_h, b = (float(value) for value in latch())
resting = one_number(w_x, w_h, b, [1.0] + [0.0] * 100)[-1]
factor = w_h * (1 - resting**2)
print(
    f"your latch rests at h = {resting:.4f}; one step multiplies a gradient by {factor:.2g}"
)
for steps in (2, 10, 40):
    print(f"{steps:3} steps multiply it by {abs(factor) ** steps:.1e}")

# %% [markdown]
# After ten steps, practically nothing is left. This had to happen. A stable fixed point is a place where small changes die out; that is why noise cannot harm you. But a gradient *is* a small change. A stable fixed point shrinks every small change, so $\lvert \partial h_t / \partial h_{t-1} \rvert < 1$ there. The gradient is multiplied by the same number at every step, so it shrinks too. The better a
# state ignores noise, the less gradient survives. **Robust memory and learnability pull against each other** (Y. Bengio, P. Simard and P. Frasconi, 1994).
#
# If we want a network to *learn* what to remember, we need another kind of memory. But first let us see the same thing with more than one number.
