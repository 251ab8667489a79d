# ---
# title: Everything that can cross the wall
# ---

# %%
import random
from collections import Counter, namedtuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

from lmkit.testing import describe_figure, gradients, parameter_gradients

TABLE = np.arange(6.0).reshape(2, 3)


def our_square(x):
    return x * x


# %% [markdown] statement="plain"
# ### plain
# Do it.

# %% [markdown] hints="plain"
# 1. One.
# 2. Two.
# 3. Three.


# %% task="plain" points=6 level=1 minutes=1
### BEGIN SOLUTION
def plain(kind):
    return {
        "counter": Counter("abca"),
        "tuple": (1, [2]),
        "pair": namedtuple("P", "a b")(1, 2),
        "generator": (n for n in range(3)),
        "view": {"a": 1}.keys(),
        "array": TABLE * 2,
        "frame": pd.DataFrame({"a": [1.5, 2.5]}, index=["x", "y"]),
        "none": None,
        "nan": float("nan"),
        "scalar": np.float32(0.5),
        "set": {1, 2},
        "big": 10**30,
        "text": "å\ud800",
    }[kind]


### END SOLUTION

# %% test="plain" aspect="counter" points=1
assert plain("counter") == {"a": 2, "b": 1, "c": 1} and plain("counter").most_common(1) == [("a", 2)], "counts"

# %% test="plain" aspect="tuple" points=1
assert plain("tuple") == (1, [2]) and plain("pair") == (1, 2), "tuples"

# %% test="plain" aspect="iterators" points=1
assert list(plain("generator")) == [0, 1, 2] and list(plain("view")) == ["a"], "iterators"
assert not isinstance(plain("generator"), list) and plain("generator") != [0, 1, 2], "no list"
assert next(plain("generator")) == 0 and next(iter(map(abs, plain("generator")))) == 0, "one by one"

# %% test="plain" aspect="array" points=1
assert np.array_equal(plain("array"), TABLE * 2) and plain("array").dtype == float, "array"

# %% test="plain" aspect="frame" points=1
assert plain("frame").loc["y", "a"] == 2.5 and list(plain("frame").columns) == ["a"], "frame"

# %% test="plain" aspect="others" points=1
assert plain("none") is None and plain("nan") != plain("nan") and plain("scalar") == 0.5, "some"
assert plain("set") == {2, 1} and plain("big") == 10**30 and plain("text") == "å\ud800", "others"

# %% [markdown] statement="raises"
# ### raises
# Do it.

# %% [markdown] hints="raises"
# 1. One.
# 2. Two.
# 3. Three.


# %% task="raises" points=1 level=1 minutes=1
### BEGIN SOLUTION
def raises(kind):
    raise {"value": ValueError("no"), "key": KeyError("k")}[kind]


### END SOLUTION

# %% test="raises" aspect="kinds of exceptions" points=1
try:
    raises("value")
except ValueError as error:
    assert str(error) == "no", "text"
else:
    assert False, "must raise"
try:
    raises("key")
except KeyError:
    pass
else:
    assert False, "must raise"

# %% [markdown] statement="calls_back"
# ### calls_back
# Do it.

# %% [markdown] hints="calls_back"
# 1. One.
# 2. Two.
# 3. Three.


# %% task="calls_back" points=3 level=1 minutes=1
### BEGIN SOLUTION
def calls_back(function, values):
    return sorted(values, key=function), [function(value) for value in values]


### END SOLUTION

# %% test="calls_back" aspect="a function of ours" points=1
assert calls_back(lambda x: -x, [1, 3, 2]) == ([3, 2, 1], [-1, -3, -2]), "sorted by it"

# %% test="calls_back" aspect="a given function" points=1
assert calls_back(our_square, [-3, 2])[1] == [9, 4], "squares"

# %% test="calls_back" aspect="their function comes back" points=1
assert calls_back(calls_back, [])[1] == [], "a function crosses twice"

# %% [markdown] statement="Counts"
# ### Counts
# Do it.

# %% [markdown] hints="Counts"
# 1. One.
# 2. Two.
# 3. Three.


# %% task="Counts" points=3 level=1 minutes=1
### BEGIN SOLUTION
class Counts:
    def __init__(self, words):
        self.words = list(words)

    def count(self, word):
        return self.words.count(word)

    def __len__(self):
        return len(self.words)

    def __getitem__(self, place):
        return self.words[place]


### END SOLUTION

# %% test="Counts" aspect="methods and attributes" points=1
c = Counts(["a", "b", "a"])
assert c.count("a") == 2 and c.words == ["a", "b", "a"], "count"

# %% test="Counts" aspect="length, items, iteration" points=1
c = Counts("ab")
assert len(c) == 2 and c[1] == "b" and list(c) == ["a", "b"], "as a list"

# %% test="Counts" aspect="attributes can be set" points=1
c = Counts("ab")
c.words = ["z"]
assert len(c) == 1, "one"

# %% [markdown] statement="Layer"
# ### Layer
# Do it.

# %% [markdown] hints="Layer"
# 1. One.
# 2. Two.
# 3. Three.


# %% task="Layer" points=3 level=1 minutes=1
### BEGIN SOLUTION
class Layer(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(size))

    def forward(self, x):
        return (x * self.weight) ** 2


### END SOLUTION

# %% test="Layer" aspect="values" points=1
assert torch.equal(Layer(3)(torch.tensor([1.0, 2.0, 3.0])), torch.tensor([1.0, 4.0, 9.0])), "squares"

# %% test="Layer" aspect="state and gradients" points=1
layer = Layer(2)
layer.load_state_dict({"weight": torch.tensor([2.0, 0.0])})
x = torch.tensor([1.0, 5.0])
assert torch.equal(gradients(layer, x)[0], 2 * x * torch.tensor([4.0, 0.0])), "by the input"
assert torch.equal(parameter_gradients(layer, x)["weight"], 2 * x**2 * torch.tensor([2.0, 0.0])), "by the weight"

# %% test="Layer" aspect="state dict" points=1
assert list(Layer(2).state_dict()) == ["weight"], "one parameter"

# %% [markdown] statement="draws"
# ### draws
# Do it.

# %% [markdown] hints="draws"
# 1. One.
# 2. Two.
# 3. Three.


# %% task="draws" points=2 level=1 minutes=1
### BEGIN SOLUTION
def draws(generator, count):
    return [generator.random() for _ in range(count)]


### END SOLUTION

# %% test="draws" aspect="Python's generator" points=1
assert draws(random.Random(7), 3) == draws(random.Random(7), 3), "the same draws"

# %% test="draws" aspect="NumPy's generator" points=1
rng = np.random.default_rng(3)
assert np.allclose(draws(np.random.default_rng(3), 2), rng.random(2)), "same"

# %% [markdown] statement="figure"
# ### figure
# Do it.

# %% [markdown] hints="figure"
# 1. One.
# 2. Two.
# 3. Three.

# %% task="figure" points=1 level=1 minutes=1
### BEGIN SOLUTION
figure, _axes = plt.subplots()
_axes.plot([0, 1], [2, 3])
_axes.set_xlabel("time, s")
### END SOLUTION

# %% test="figure" aspect="labels and lines" points=1
shown = describe_figure(figure)[0]
assert shown["x_label"] == "time, s", "label"
assert shown["lines"] == [[[0, 1], [2, 3]]], "line"

# %% [markdown] statement="prints"
# ### prints
# Do it.

# %% [markdown] hints="prints"
# 1. One.
# 2. Two.
# 3. Three.

# %% task="prints" points=1 level=1 minutes=1
### BEGIN SOLUTION
print("hello")
printed = 1
printed
### END SOLUTION

# %% test="prints" aspect="a number" points=1
assert printed == 1, "one"

# %%
theirs = raises

# %%
TABLE[0, 0] = 5

# %%
helper = TABLE * 2

# %% [markdown] statement="last"
# ### last
# Do it.

# %% [markdown] hints="last"
# 1. One.
# 2. Two.
# 3. Three.

# %% task="last" points=1 level=1 minutes=1
### BEGIN SOLUTION
last = 1
### END SOLUTION

# %% test="last" aspect="a given helper" points=1
assert helper[0, 0] == 10 and theirs and last == 1, f"ten {last}"
