# ---
# title: Word windows that guess the next word
# ---

# %%
import math
import random
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

import lmkit
from lmkit import plots
from lmkit.budgets import budget
from lmkit.testing import parameter_gradients
from lmkit.training import set_seed, shuffled, train, warmup_cosine

plots.use_style()
torch.set_num_threads(1)  # the nets are small: one core is the fastest

# %% [markdown] statement="examples"
# ## 9. The same window, guessing the next word
#
# "If you look at the language modeling objective closely, it is just a classification objective" (lecture 000): the classes are
# the words. The window may look back only.
#
# Write `examples(ids, n, start, end)` for one text of $T$ word numbers: the contexts, a tensor $(T+1, n)$, each the $n$ words before
# (in the order of the text, `start` where there is none), and the next words, $(T+1,)$, the last of them `end`.

# %% [markdown] hints="examples"
# 1. For the text 7 8 and $n = 2$ write the three contexts and their next words under each other.
# 2. Pad in front only. How many `start` does the first context need, and where does `end` belong?
# 3. Put $n$ times `start` before the text and `end` behind it. Windows of $n + 1$ places then hold a context and its next word.


# %% task="examples" points=3 level=1 minutes=8
def examples(ids, n, start, end):
    """Contexts (T + 1, n) and next words (T + 1,), as integer tensors, for a list of T word numbers."""
    ### BEGIN SOLUTION
    padded = torch.tensor([start] * n + list(ids) + [end])
    return padded.unfold(0, n + 1, 1)[:, :n], padded[n:]
    ### END SOLUTION


# %% test="examples" aspect="each word once, then the end" points=1
_got = examples([7, 8, 5], 2, 0, 1)
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return contexts and next words; yours: {_got!r}."
assert hasattr(_got[1], "tolist"), f"The next words are a tensor; yours: {_got[1]!r}."
assert _got[1].tolist() == [7, 8, 5, 1], f"The next words of 7 8 5 are 7 8 5 and the end, 1; yours: {_got[1].tolist()}."

# %% test="examples" aspect="the context stands before" points=1
_got = examples([7, 8, 5, 9], 2, 0, 1)
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return contexts and next words; yours: {_got!r}."
assert tuple(getattr(_got[0], "shape", ())) == (5, 2), f"Four words, n = 2: contexts (5, 2) wanted; yours: {_got[0]!r}."
assert _got[0].tolist()[3] == [8, 5], f"Before 9 stand 8 and 5, in this order; yours: {_got[0].tolist()[3]}."
### BEGIN HIDDEN TESTS
for _ in range(20):
    _ids, _n = [random.randint(2, 9) for _ in range(random.randint(1, 8))], random.randint(1, 5)
    _rows = examples(list(_ids), _n, 0, 1)[0].tolist()
    for _t in range(len(_ids) + 1):
        for _k in range(1, min(_n, _t) + 1):
            _seen = _rows[_t][_n - _k]
            assert _seen == _ids[_t - _k], f"{_ids}, n = {_n}: {_k} before place {_t} should not be {_seen}."
### END HIDDEN TESTS

# %% test="examples" aspect="start where nothing stands" points=1
_got = examples([7, 8], 3, 4, 6)
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return contexts and next words; yours: {_got!r}."
assert hasattr(_got[0], "tolist"), f"The contexts are a tensor; yours: {_got[0]!r}."
assert _got[0].tolist() == [[4, 4, 4], [4, 4, 7], [4, 7, 8]], f"Text 7 8, start 4, n = 3; yours: {_got[0].tolist()}."
### BEGIN HIDDEN TESTS
for _ in range(10):
    _n, _start = random.randint(1, 5), random.randint(20, 90)
    _rows = examples([2, 3, 5, 8], _n, _start, 1)[0].tolist()
    assert [row.count(_start) for row in _rows] == [max(0, _n - t) for t in range(5)], (
        f"n = {_n}: the contexts should begin with n, n - 1, ... times start; yours: {_rows}."
    )
### END HIDDEN TESTS

# %% [markdown]
# A kitchen story is one text. Words seen once in training become `<UNK>`, so the models learn to meet strangers.

# %%
from lmkit import kitchen as language
from lmkit import ngrams

stories, held_out = lmkit.load("kitchen").splits["train"], lmkit.load("kitchen").splits["valid"]
made = budget().choose(grading=0, laptop=300_000, gpu=1_000_000)  # more of the same language, if there is time
stories = stories + [document.tokens[:-1] for document in language.documents(tokens=made, seed=11)] if made else stories
words = [*ngrams.events(stories, min_count=2), "<s>"]
place = {word: i for i, word in enumerate(words)}
UNK, END, START = place["<UNK>"], place["</s>"], place["<s>"]


# %%
def all_examples(texts, n):
    """Contexts and next words of all texts."""
    pairs = [examples([place.get(word, UNK) for word in text], n, START, END) for text in texts]
    return torch.cat([rows for rows, _ in pairs]), torch.cat([targets for _, targets in pairs])


rows, targets = all_examples(stories, 2)
print(f"{len(targets):,} examples, {len(words):,} words; the first three:")
for row, target in zip(rows[:3].tolist(), targets[:3].tolist(), strict=True):
    print(" ".join(words[i] for i in row), "→", words[target])

# %% [markdown] statement="BengioLM"
# ## 10. The neural language model
#
# Y. Bengio and others (2003), with $\phi$ a word's vector and $[\,;\,]$ end to end:
#
# $$x = [\phi(x_{i-2}); \phi(x_{i-1})], \qquad y = b + Wx + U\tanh(d + Hx).$$
#
# - `BengioLM(V, n, m, h)`: an `nn.Module` of $V$ words, $n$ words back (the formula: 2), vectors of $m$ and a hidden layer of $h$ numbers. Its parts:
#   `embedding` ($\phi$), `hidden` ($H, d$), `direct` ($W$: no second bias), `out` ($U, b$).
# - `bengio_parameters(V, n, m, h)`: how many numbers it learns.

# %% [markdown] hints="BengioLM"
# 1. It is the window tagger of section 6 and one more path from $x$ to the scores. How wide is $x$?
# 2. $W$ skips the hidden layer: from $nm$ numbers straight to $V$ scores. The bias $b$ is already in `out`.
# 3. For the count write down the shape of each of the six: $\phi$ has $Vm$ numbers, $H$ has $h \cdot nm$. For $V$ = 10,000,
#    $n = 2$, $m = 60$, $h = 50$ the sum is 2,316,050.


# %% task="BengioLM" points=4 level=2 minutes=15
class BengioLM(nn.Module):
    def __init__(self, V, n, m, h):
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = nn.Embedding(V, m)
        self.hidden = nn.Linear(n * m, h)
        self.direct = nn.Linear(n * m, V, bias=False)
        self.out = nn.Linear(h, V)
        ### END SOLUTION

    def forward(self, rows):
        """Contexts (B, n) of word numbers -> scores y (B, V)."""
        ### BEGIN SOLUTION
        x = self.embedding(rows).flatten(1)  # (B, n m)
        return self.direct(x) + self.out(torch.tanh(self.hidden(x)))
        ### END SOLUTION


def bengio_parameters(V, n, m, h):
    """How many numbers the model learns."""
    ### BEGIN SOLUTION
    return V * m + V * (1 + n * m + h) + h * (1 + n * m)
    ### END SOLUTION


# %% test="BengioLM" aspect="parts and their shapes" points=1
_shapes = {name: tuple(value.shape) for name, value in dict(BengioLM(9, 2, 3, 5).state_dict()).items()}
_wanted = {"embedding.weight": (9, 3), "hidden.weight": (5, 6), "hidden.bias": (5,), "direct.weight": (9, 6)}
_wanted |= {"out.weight": (9, 5), "out.bias": (9,)}
assert _shapes == _wanted, f"V=9, n=2, m=3, h=5: weights {_wanted} wanted; yours: {_shapes}."

# %% test="BengioLM" aspect="equal to the formula" points=2
_got = BengioLM(9, 3, 4, 5)(torch.tensor([[1, 2, 3], [3, 2, 1]]))
assert tuple(getattr(_got, "shape", ())) == (2, 9), f"Two contexts, nine words: shape (2, 9) wanted; yours: {_got!r}."
assert not np.allclose(_got[0].detach(), _got[1].detach()), "Reversed, a context gives the same scores: order is lost."
### BEGIN HIDDEN TESTS
for _n in (1, 2, 3):
    _model = BengioLM(9, _n, 4, 5)
    _s = {name: torch.randn(value.shape) for name, value in dict(_model.state_dict()).items()}
    _model.load_state_dict(_s)
    _rows = torch.randint(9, (6, _n))
    _x = torch.stack([torch.cat([_s["embedding.weight"][i] for i in row]) for row in _rows])
    _a = torch.tanh(_x @ _s["hidden.weight"].T + _s["hidden.bias"])
    _y = _s["out.bias"] + _x @ _s["direct.weight"].T + _a @ _s["out.weight"].T
    assert np.allclose(_model(_rows).detach(), _y, atol=1e-4), (
        f"n = {_n}: with given weights your scores are not b + W x + U tanh(d + H x)."
    )
### END HIDDEN TESTS

# %% test="BengioLM" aspect="how many numbers" points=1
_got = bengio_parameters(10_000, 2, 60, 50)
assert isinstance(_got, int | float | np.number), f"bengio_parameters returns a number; yours: {_got!r}."
assert _got == 2_316_050, f"10,000 words, n = 2, m = 60, h = 50: 2,316,050 wanted; yours: {_got:,}."
### BEGIN HIDDEN TESTS
for _ in range(10):
    _V, _n, _m, _h = (random.randint(1, 20) for _ in range(4))
    _wanted = sum(w.numel() for w in (torch.empty(_V, _m), torch.empty(_h, _n * _m), torch.empty(_h)))
    _wanted += sum(w.numel() for w in (torch.empty(_V, _n * _m), torch.empty(_V, _h), torch.empty(_V)))
    _got = bengio_parameters(_V, _n, _m, _h)
    assert _got == _wanted, f"V={_V}, n={_n}, m={_m}, h={_h}: {_wanted} wanted; yours: {_got}."
### END HIDDEN TESTS

# %% [markdown]
# (Lecture 003 lists $\theta = (b, d, W, U, H, C, \phi)$. But no $C$ is in the formula: in the paper, $C$ *is* the table of vectors, so one of the two
# is too many. It also lays the nearest word first; any fixed order will do.)

# %% [markdown] statement="gradients_by_hand"
# ## 11. Is the gradient right?
#
# One example, loss $L = -\ln \text{softmax}(y)_w$. Write
#
# - `numerical(loss, theta, step)`: central differences $\big(L(\theta_i + \epsilon) - L(\theta_i - \epsilon)\big) / 2\epsilon$ for each entry of the array `theta`,
#   $\epsilon$ = `step`;
# - `by_hand(theta, x, w)`: by the chain rule, a dict of the gradients for `b`, `W`, `U`, `d`, `H` and `x`. `theta` is a dict with the first five.

# %% [markdown] hints="gradients_by_hand"
# 1. Begin at the end: what is $\partial L / \partial y$? It holds the probabilities, but for one entry.
# 2. Call that vector $g$ and $a = \tanh(d + Hx)$. An entry $W_{jk}$ only touches $y_j$, by $x_k$: an outer product. And
#    $\tanh' = 1 - a^2$.
# 3. $g$ is $p$ minus the one-hot of $w$, and the gradient for $b$. Going back through $U$ gives $U^\top g$; times $1 - a^2$ it is the gradient for $d$,
#    which plays for $H$ the part that $g$ plays for $W$. Two paths lead to $x$: add them.


# %% task="gradients_by_hand" points=4 level=3 minutes=18
def numerical(loss, theta, step=1e-5):
    """The gradient of loss(theta), an array like theta (float, any shape), by central differences."""
    ### BEGIN SOLUTION
    gradient = np.zeros_like(theta)
    for i in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[i] = step
        gradient[i] = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
    return gradient
    ### END SOLUTION


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}."""
    ### BEGIN SOLUTION
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }
    ### END SOLUTION


# %%
def bengio_loss(theta, x, w):
    """-ln softmax(y)_w for one example; the dict theta holds b, W, U, d, H."""
    y = theta["b"] + theta["W"] @ x + theta["U"] @ np.tanh(theta["d"] + theta["H"] @ x)
    return float(np.log(np.exp(y).sum()) - y[w])


def random_theta(V, D, h):
    shapes = {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D)}
    return {name: np.random.default_rng().normal(size=shape) for name, shape in shapes.items()}


# %% test="gradients_by_hand" aspect="central differences" points=1
_got = numerical(lambda v: float((v**3).sum()), np.array([[1.0, -2.0], [0.0, 3.0]]), 0.1)
assert np.shape(_got) == (2, 2), f"The gradient has the shape of theta, here (2, 2); yours: {_got!r}."
assert np.allclose(_got, [[3.01, 12.01], [0.01, 27.01]]), (
    f"Sum of cubes at 1, -2, 0, 3 with steps of .1: 3.01, 12.01, .01, 27.01 wanted; yours: {_got.tolist()}."
)
### BEGIN HIDDEN TESTS
for _ in range(5):
    _v, _A = np.random.default_rng().normal(size=4), np.random.default_rng().normal(size=(4, 4))
    _got = numerical(lambda v, A=_A: float(v @ A @ v), _v.copy(), random.uniform(0.01, 0.5))
    assert np.allclose(_got, (_A + _A.T) @ _v, atol=1e-6), (
        "For a quadratic, central differences are exact; yours are not."
    )
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="p minus one-hot" points=1
_zero = {"b": np.zeros(4), "W": np.zeros((4, 2)), "U": np.zeros((4, 3)), "d": np.zeros(3), "H": np.zeros((3, 2))}
_got = by_hand(_zero, np.array([1.0, -2.0]), 2)
assert hasattr(_got, "keys") and set(_got.keys()) >= {"b", "W"}, (
    f"Return a dict with b, W, U, d, H, x; yours: {_got!r}."
)
assert np.allclose(_got["b"], [0.25, 0.25, -0.75, 0.25]), f"All weights 0: p is 1/4 each; yours for b: {_got['b']}."
assert np.shape(_got["W"]) == (4, 2), f"The gradient for W has its shape, (4, 2); yours: {np.shape(_got['W'])}."
### BEGIN HIDDEN TESTS
for _ in range(5):
    _theta, _x, _w = random_theta(5, 4, 3), np.random.default_rng().normal(size=4), random.randrange(5)
    _got = by_hand(dict(_theta), _x.copy(), _w)
    for _name in "bW":
        _t = torch.tensor(_theta[_name], requires_grad=True)
        _s = {name: torch.tensor(value) for name, value in _theta.items()} | {_name: _t}
        _z = torch.tensor(_x)
        _y = _s["b"] + _s["W"] @ _z + _s["U"] @ torch.tanh(_s["d"] + _s["H"] @ _z)
        F.cross_entropy(_y, torch.tensor(_w)).backward()
        assert np.allclose(_got[_name], _t.grad, atol=1e-6), f"Your gradient for {_name} is not autograd's."
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="through the tanh" points=1
_theta = {
    "b": np.zeros(2),
    "W": np.zeros((2, 1)),
    "U": np.array([[1.0], [0.0]]),
    "d": np.zeros(1),
    "H": np.zeros((1, 1)),
}
_got = by_hand(_theta, np.array([2.0]), 0)
assert hasattr(_got, "keys") and set(_got.keys()) >= {"U", "d", "H"}, f"Return a dict with b, W, U, d, H, x: {_got!r}."
assert np.allclose(_got["d"], [-0.5]), f"y = 0 0, w = 0, a = 0: d has gradient -1/2; yours: {_got['d']}."
### BEGIN HIDDEN TESTS
for _ in range(5):
    _theta, _x, _w = random_theta(5, 4, 3), np.random.default_rng().normal(size=4), random.randrange(5)
    _got = by_hand(dict(_theta), _x.copy(), _w)
    for _name in "UdH":
        assert np.shape(_got[_name]) == _theta[_name].shape, f"The gradient for {_name} has the shape of {_name}."
        _v = np.random.default_rng().normal(size=_theta[_name].shape)
        _up = bengio_loss(_theta | {_name: _theta[_name] + 1e-5 * _v}, _x, _w)
        _down = bengio_loss(_theta | {_name: _theta[_name] - 1e-5 * _v}, _x, _w)
        assert np.isclose((_got[_name] * _v).sum(), (_up - _down) / 2e-5, atol=1e-6), (
            f"Along a random direction the loss does not change as your gradient for {_name} says."
        )
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="the vectors learn too" points=1
_theta = {"b": np.zeros(2), "W": np.array([[3.0], [1.0]]), "U": np.ones((2, 1)), "d": np.zeros(1), "H": np.ones((1, 1))}
_got = by_hand(_theta, np.array([0.0]), 1)
assert hasattr(_got, "keys") and "x" in _got, f"Return a dict with b, W, U, d, H and x; yours: {_got!r}."
assert np.allclose(_got["x"], [1.0]), f"Here W alone moves x: 3/2 - 1/2 = 1; yours: {_got['x']}."
### BEGIN HIDDEN TESTS
for _ in range(5):
    _theta, _x, _w = random_theta(5, 4, 3), np.random.default_rng().normal(size=4), random.randrange(5)
    _got, _v = by_hand(dict(_theta), _x.copy(), _w)["x"], np.random.default_rng().normal(size=4)
    _slope = (bengio_loss(_theta, _x + 1e-5 * _v, _w) - bengio_loss(_theta, _x - 1e-5 * _v, _w)) / 2e-5
    assert np.shape(_got) == (4,), f"The gradient for x has its shape, (4,); yours: {np.shape(_got)}."
    assert np.isclose(_got @ _v, _slope, atol=1e-6), "Your gradient for x misses a path, or goes it the wrong way."
### END HIDDEN TESTS

# %%
theta, x = random_theta(6, 4, 3), np.random.default_rng(1).normal(size=4)
hand = by_hand(theta, x, 2)
for name in theta:
    measured_gradient = numerical(lambda value, name=name: bengio_loss(theta | {name: value}, x, 2), theta[name])
    print(name, "agrees" if np.allclose(hand[name], measured_gradient, atol=1e-7) else "differs")

# %% [markdown]
# From now on torch does this, and we trust it. Training in seconds, on 100,000 words:


# %%
def train_lm(n, steps, rows=None, targets=None, seed=1):
    """A trained Bengio model of n words back."""
    if rows is None:
        rows, targets = all_examples(stories, n)
    set_seed(seed)
    model = BengioLM(len(words), rows.shape[1], m=32, h=64)
    nn.init.normal_(model.embedding.weight, std=0.3)  # near each other: words that are alike start alike
    pick = shuffled(len(targets), 512, seed)
    history = train(
        model,
        lambda step: (rows[pick(step)], targets[pick(step)]),
        lambda model, batch: (F.cross_entropy(model(batch[0]), batch[1]), len(batch[1])),
        steps=steps,
        rate=2e-2,
        schedule=warmup_cosine(20, lowest=0.02),
        every=10,
        device="cpu",
    )
    return model, history


# %%
def perplexity_of(model, rows, targets):
    """exp of the mean loss, computed in parts."""
    with torch.no_grad():
        parts = zip(rows.split(4000), targets.split(4000), strict=True)
        return math.exp(sum(F.cross_entropy(model(x), y, reduction="sum").item() for x, y in parts) / len(targets))


bengio, perplexity = {}, {}
for n in (2, 4):
    bengio[n], _ = train_lm(n, steps=budget().choose(grading=200, laptop=2000, gpu=8000))
    perplexity[f"Bengio, {n} back"] = perplexity_of(bengio[n], *all_examples(held_out, n))

# %% [markdown]
# Its rival is the best counter of chapter 2, modified Kneser-Ney, on the same words:

# %% include="02_smoothing:modified_kneser_ney"

# %%
for n in (1, 2, 4):
    counts = ngrams.NgramCounts(stories, n + 1, words[:-1])
    P, weights = zip(*kneser_ney(counts.levels, len(counts.vocabulary)), strict=True)  # noqa: F821
    perplexity[f"Kneser-Ney, {n} back"] = ngrams.BackoffModel(counts, P, weights).perplexity(held_out)
floor = language.floor("valid", set(words))

# %%
_, axes = plt.subplots(figsize=(7, 2.3))
names = sorted(perplexity, key=perplexity.get)
axes.barh(names, [perplexity[name] for name in names], color=[plots.COLOURS["Kneser" in name] for name in names])
axes.axvline(floor.perplexity, color="black", linestyle="--")
axes.set(xlabel="perplexity on held-out stories (dashed: the language itself)")
axes.grid(axis="y", visible=False)
plt.show()
for name in names:
    print(f"{name:20} {math.log2(perplexity[name]) - floor.bits:.1f} bits above the floor")

# %% [markdown]
# With the same window, vectors beat counts. A counter must have *met* a context; the network only needs to have met words *like* these. Which
# are alike, it learned by itself:

# %% scratch=true
table = F.normalize(bengio[2].embedding.weight.detach(), dim=1)
for word in ("boris", "near", "old", "is"):
    near = (table @ table[place[word]]).topk(5).indices.tolist()[1:]
    print(f"{word:8}", *(words[i] for i in near))

# %% [markdown] statement="softmax_smoothing"
# ## 12. Softmax smooths, at a price
#
# $\exp$ is never 0, so no word is impossible. On paper! In float64 $e^{-800}$ *is* 0 and $e^{800}$ is infinite. Write
#
# - `log_probability(y, w)`: $\ln \text{softmax}(y)_w$, right for scores of any size;
# - `never_met(train_grams, test_grams)`: the share of the tuples in the second list that plain counting calls impossible (with any context before);
# - `multiplications(V, n, m, h)`: how many the Bengio model needs for *one* probability (no exp, no divisions).

# %% [markdown] hints="softmax_smoothing"
# 1. Add 5 to all scores: what happens to the probabilities?
# 2. So shift until the largest exponent is 0: nothing overflows, and the sum is at least 1. Stay with logarithms to the end.
# 3. $\ln p_w = y_w - c - \ln \sum_v e^{y_v - c}$ with the right $c$. For the price: each entry of each of three matrices is
#    used once, and a softmax needs *all* scores, even for one word.


# %% task="softmax_smoothing" points=3 level=2 minutes=10
def log_probability(y, w):
    """ln softmax(y)_w for an array of scores y, shape (V,)."""
    ### BEGIN SOLUTION
    largest = np.max(y)
    return y[w] - largest - np.log(np.sum(np.exp(y - largest)))
    ### END SOLUTION


def never_met(train_grams, test_grams):
    """The share of test_grams (list of tuples, repeats count) that do not occur in train_grams."""
    ### BEGIN SOLUTION
    known = set(train_grams)
    return sum(gram not in known for gram in test_grams) / len(test_grams)
    ### END SOLUTION


def multiplications(V, n, m, h):
    """Multiplications for one probability of the Bengio model; looking up vectors costs none."""
    ### BEGIN SOLUTION
    return V * n * m + h * n * m + V * h
    ### END SOLUTION


# %% test="softmax_smoothing" aspect="right for scores of any size" points=1
_got = log_probability(np.array([1.0, 2.0, 4.0]), 1)
assert isinstance(_got, int | float | np.number), f"log_probability returns a number; yours: {_got!r}."
assert math.isclose(_got, 2 - math.log(math.e + math.e**2 + math.e**4)), f"Scores 1, 2, 4, word 1; yours: {_got}."
assert math.isclose(log_probability(np.array([0.0, 5000.0]), 0), -5000), "Scores 0 and 5000: word 0 has ln P = -5000."
### BEGIN HIDDEN TESTS
for _scale in (1, 30, 3000):
    for _ in range(5):
        _y, _w = (
            np.random.default_rng().normal(size=7) * _scale + random.choice([-3, 0, 3]) * _scale,
            random.randrange(7),
        )
        _wanted = torch.log_softmax(torch.tensor(_y), 0)[_w].item()
        _got = log_probability(_y.copy(), _w)
        assert math.isclose(_got, _wanted, rel_tol=1e-9, abs_tol=1e-9), f"Scores {_y}, word {_w}: yours is {_got}."
### END HIDDEN TESTS

# %% test="softmax_smoothing" aspect="impossible for counts" points=1
_got = never_met([("a", "b"), ("b", "c")], [("a", "b"), ("c", "b"), ("c", "b"), ("a", "c")])
assert isinstance(_got, int | float | np.number), f"never_met returns a share, a number; yours: {_got!r}."
assert math.isclose(_got, 0.75), f"Three of these four were never met, (c, b) counts twice; yours: {_got}."
### BEGIN HIDDEN TESTS
for _ in range(20):
    _train = [tuple(random.choices("abc", k=2)) for _ in range(random.randint(1, 8))]
    _test = [tuple(random.choices("abc", k=2)) for _ in range(random.randint(1, 8))]
    _wanted = sum(all(gram != other for other in _train) for gram in _test) / len(_test)
    assert math.isclose(never_met(list(_train), list(_test)), _wanted), (
        f"Met {_train}, asked {_test}: {_wanted} wanted."
    )
### END HIDDEN TESTS

# %% test="softmax_smoothing" aspect="the price of one probability" points=1
_got = multiplications(10, 1, 2, 3)
assert isinstance(_got, int | float | np.number), f"multiplications returns a number; yours: {_got!r}."
assert _got == 56, f"V=10, n=1, m=2, h=3: W has 20 entries, H 6, U 30; yours: {_got}."
### BEGIN HIDDEN TESTS
for _ in range(10):
    _V, _n, _m, _h = (random.randint(1, 30) for _ in range(4))
    _wanted = np.size(np.zeros((_V, _n * _m))) + np.size(np.zeros((_h, _n * _m))) + np.size(np.zeros((_V, _h)))
    assert multiplications(_V, _n, _m, _h) == _wanted, f"V={_V}, n={_n}, m={_m}, h={_h}: {_wanted} wanted."
### END HIDDEN TESTS

# %%
costs = {}
for n in (1, 2, 4):
    met, asked = (
        [tuple(gram) for gram in torch.column_stack(all_examples(texts, n)).tolist()] for texts in (stories, held_out)
    )
    costs[n] = {"impossible for counts, %": round(100 * never_met(met, asked))}
    costs[n]["multiplications of the net"] = f"{multiplications(len(words), n, 32, 64):,}"
pd.DataFrame.from_dict(costs, orient="index").rename_axis("words back")

# %%
with torch.no_grad():
    smallest = F.log_softmax(bengio[2](all_examples(held_out[:10], 2)[0]), 1).min().item()
print(f"the network's least probable word: about 10 to the {round(smallest / math.log(10), -1):.0f}, never 0")

# %% [markdown]
# So no held-out word is impossible, and likely ones share what they learned. The costs: a counter looks up one number where the network multiplies for
# all words, at each query, and it trains for many passes. Lecture 001 sums up such models: "Slow to train over lots of data! But otherwise this seems okay?"

# %% [markdown] statement="one_hot_slide"
# ## 13. The printed slide is wrong: find it
#
# Lecture 002 predicts word $w$ from $k$ others: "Input is a concatenation of $w$ with each context word", one-hot, one layer,
# $(k+1)|V|^2 + |V|$ parameters. With $k = 10$: 11,001,000 for $10^3$ words, 110,000,100,000 for $10^5$. Write
#
# - `repaired_parameters(V, k)`: without what must not be in the input;
# - `leaks(rows, targets)`: columns of `rows` that equal `targets` in every row;
# - `history_padding(T, N)`: the share of `start` in the contexts of one text's $T$ words ($N$ back).

# %% [markdown] hints="one_hot_slide"
# 1. Which word do we want to guess, and which word is in the input?
# 2. Each of the remaining words is $|V|$ numbers long, and each number meets every output. For the padding count words, not
#    `start`: how many words stand before word $t$, at most $N$ of them visible?
# 3. A column is suspicious if no row contradicts it: compare it with the targets as a whole. Before word $t = 0, \dots, T - 1$ stand $\min(t, N)$ visible words;
#    their sum over $TN$ is the share that is *not* padding.


# %% task="one_hot_slide" points=3 level=2 minutes=12
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    ### BEGIN SOLUTION
    return k * V**2 + V
    ### END SOLUTION


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    ### BEGIN SOLUTION
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()]
    ### END SOLUTION


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    ### BEGIN SOLUTION
    return 1 - sum(min(t, N) for t in range(T)) / (T * N)
    ### END SOLUTION


# %% test="one_hot_slide" aspect="the word to guess left out" points=1
_got = repaired_parameters(10, 2)
assert isinstance(_got, int | float | np.number), f"repaired_parameters returns a number; yours: {_got!r}."
assert _got < 310, f"V = 10, k = 2: the slide would say 310, with the word to guess in the input; yours: {_got}."
### BEGIN HIDDEN TESTS
for _V, _k in ((10, 2), (1000, 10), (100_000, 10), (7, 1), (20, 5)):
    _got = repaired_parameters(_V, _k)
    assert _got == sum(_V * _V for _ in range(_k)) + _V, f"V = {_V}, k = {_k}: {_got} is not weights plus biases."
### END HIDDEN TESTS

# %% test="one_hot_slide" aspect="columns that give it away" points=1
_rows = torch.tensor([[5, 1, 3], [2, 1, 4], [3, 1, 3]])
_got = leaks(_rows, torch.tensor([3, 4, 3]))
assert hasattr(_got, "__iter__"), f"leaks returns a list of columns; yours: {_got!r}."
assert list(_got) == [2], f"Only the last column equals the targets 3 4 3 everywhere; yours: {_got}."
assert list(leaks(_rows, torch.tensor([3, 4, 5]))) == [], "One row that differs clears a column: no leak here."
### BEGIN HIDDEN TESTS
for _ in range(20):
    _n, _N = random.randint(1, 4), random.randint(2, 5)
    _y, _x = torch.randint(3, (_N,)), torch.randint(3, (_N, _n))
    for _column in random.sample(range(_n), random.randint(0, _n)):
        _x[:, _column] = _y
    _wanted = [c for c in range(_n) if _x[:, c].tolist() == _y.tolist()]
    _got = sorted(int(column) for column in leaks(_x.clone(), _y.clone()))
    assert _got == _wanted, f"Rows {_x.tolist()}, targets {_y.tolist()}: {_wanted} wanted; yours: {_got}."
### END HIDDEN TESTS

# %% test="one_hot_slide" aspect="a history of padding" points=1
for _T, _N, _wanted in ((2, 1, 0.5), (3, 2, 0.5), (4, 2, 3 / 8)):
    _got = history_padding(_T, _N)
    assert isinstance(_got, int | float | np.number), f"history_padding returns a number; yours: {_got!r}."
    assert math.isclose(_got, _wanted), f"{_T} words, {_N} back: {_wanted:.3f} wanted; yours: {_got}."
### BEGIN HIDDEN TESTS
for _ in range(20):
    _T, _N = random.randint(1, 20), random.randint(1, 30)
    _wanted = sum(t - k < 0 for t in range(_T) for k in range(1, _N + 1)) / (_T * _N)
    _got = history_padding(_T, _N)
    assert math.isclose(_got, _wanted, abs_tol=1e-9), f"{_T} words, {_N} back: {_wanted:.4f} wanted; yours: {_got}."
### END HIDDEN TESTS

# %%
print(f"printed: {11 * 1000**2 + 1000:,}, and {4e-9 * (11 * 10**10 + 10**5):.0f} GB for 100,000 words in float32")
print(f"repaired: {repaired_parameters(1000, 10):,}; with vectors: {bengio_parameters(1000, 10, 60, 50):,}")
print(f"history of 512, a text of 16 words: {history_padding(16, 512):.1%} padding")
leaky = torch.cat([rows, targets[:, None]], 1)
print("columns that leak:", leaks(rows, targets), "and", leaks(leaky, targets))

# %%
_, honest = train_lm(2, steps=60)
_, cheating = train_lm(3, 60, leaky, targets)
_, axes = plt.subplots()
for name, history in (("the words before", honest), ("with the word to guess", cheating)):
    axes.plot(history["step"], history["train loss"], ".-", label=name)
axes.set(xlabel="step", ylabel="loss (nats per token)", ylim=(0, None))
axes.legend()
plt.show()

# %% [markdown]
# A loss that falls to nearly nothing is no triumph but a leak. And drawback by drawback (lecture 000): the first layer grows with $N$, short texts are
# almost all padding, and "your history length is N and no more than N".

# %% [markdown] statement="beyond_the_window"
# ## 14. One word too far: predict, then measure
#
# *I visited New York. I had a really fun time going up the ...* Plant such a cue, 0 or 1, `distance` places before
# the blank. Write
#
# - `exam(fillers, distance, n)`: all texts $(N, L)$ with cue 0, then all with cue 1; their last $n$ words, $(2N, n)$, and the cues;
# - `guess`: the share right at distance 5 for a model of 4 words back;
# - `measured`: the shares of `reader`, a list for distances 1 to 6.

# %% [markdown] hints="beyond_the_window"
# 1. Which column of a text of $L$ words is `distance` places before the blank behind it?
# 2. Overwrite that column in two copies, put them under each other, *then* cut off all but the last $n$ columns. Leave `fillers` itself unchanged.
# 3. At distance $n + 1$ the rows $i$ and $i + N$ are equal, but their answers differ. How many of the two can any model get right? `reader(rows)` gives scores $(2N, 2)$;
#    compare its argmax with the cues.

# %%
set_seed(5)
reader = nn.Sequential(nn.Embedding(12, 8), nn.Flatten(1), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
exam_fillers = torch.randint(2, 12, (500, 8), generator=torch.Generator().manual_seed(5))


def practice(step):
    """256 texts with the cue at a random distance from 1 to 6, cut to 4 words; and their cues."""
    generator = torch.Generator().manual_seed(step)
    texts, cues = torch.randint(2, 12, (256, 8), generator=generator), torch.randint(2, (256,), generator=generator)
    texts[torch.arange(256), 8 - torch.randint(1, 7, (256,), generator=generator)] = cues
    return texts[:, -4:], cues


def reader_loss(net, batch):
    return F.cross_entropy(net(batch[0]), batch[1]), len(batch[1])


history = train(reader, practice, reader_loss, steps=200, rate=1e-2, device="cpu")
print("trained on cues at distance 1 to 6, sees 4 words back")


# %% task="beyond_the_window" points=4 level=3 minutes=12
def exam(fillers, distance, n):
    """Rows (2N, n) and cues (2N,): all fillers with cue 0, then all with cue 1, at this distance; last n words."""
    ### BEGIN SOLUTION
    N, L = fillers.shape
    cues = torch.arange(2).repeat_interleave(N)
    texts = fillers.repeat(2, 1)
    texts[:, L - distance] = cues
    return texts[:, L - n :], cues
    ### END SOLUTION


# guess = a number between 0 and 1, written down before you measure
# measured = [..., ..., ..., ..., ..., ...]
### BEGIN SOLUTION
guess = 0.5
measured = []
for distance in range(1, 7):
    exam_rows, cues = exam(exam_fillers, distance, 4)
    measured.append((reader(exam_rows).argmax(1) == cues).double().mean().item())
### END SOLUTION

# %% test="beyond_the_window" aspect="the cue at its distance" points=1
_got = exam(torch.tensor([[7, 8, 9], [4, 5, 6]]), 2, 3)
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return rows and cues; yours: {_got!r}."
assert hasattr(_got[0], "tolist"), f"The rows are a tensor; yours: {_got[0]!r}."
assert _got[0].tolist() == [[7, 0, 9], [4, 0, 6], [7, 1, 9], [4, 1, 6]], f"Distance 2 of 3; yours: {_got[0].tolist()}."
### BEGIN HIDDEN TESTS
for _ in range(10):
    _N, _L = random.randint(1, 4), random.randint(2, 6)
    _fillers, _distance = torch.randint(2, 9, (_N, _L)), random.randint(1, _L)
    _rows = exam(_fillers.clone(), _distance, _L)[0].tolist()
    for _i, _row in enumerate(_rows):
        _text = _fillers[_i % _N].tolist()
        _text[-_distance] = _i // _N
        assert _row == _text, f"{_fillers.tolist()}, distance {_distance}: row {_i} should be {_text}; yours: {_row}."
### END HIDDEN TESTS

# %% test="beyond_the_window" aspect="each filler with both cues" points=1
_got = exam(torch.tensor([[7, 8, 9], [4, 5, 6]]), 1, 2)
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return rows and cues; yours: {_got!r}."
assert hasattr(_got[1], "tolist"), f"The cues are a tensor; yours: {_got[1]!r}."
assert _got[1].tolist() == [0, 0, 1, 1], f"Two fillers, first both with cue 0, then with 1; yours: {_got[1].tolist()}."

# %% test="beyond_the_window" aspect="only the last n words" points=1
_got = exam(torch.tensor([[7, 8, 9, 3]]), 3, 2)
assert isinstance(_got, tuple | list) and len(_got) == 2, f"Return rows and cues; yours: {_got!r}."
assert hasattr(_got[0], "tolist"), f"The rows are a tensor; yours: {_got[0]!r}."
assert _got[0].tolist() == [[9, 3], [9, 3]], f"Cue 3 back, 2 words seen: only 9 3 is left; yours: {_got[0].tolist()}."
### BEGIN HIDDEN TESTS
for _ in range(10):
    _fillers, _n = torch.randint(2, 9, (3, 6)), random.randint(1, 5)
    _distance = random.randint(_n + 1, 6)
    _rows = exam(_fillers.clone(), _distance, _n)[0].tolist()
    assert _rows == _fillers[:, 6 - _n :].tolist() * 2, f"Distance {_distance}, n = {_n}: the cue should not be seen."
### END HIDDEN TESTS

# %% test="beyond_the_window" aspect="predicted, then measured" points=1
assert isinstance(guess, int | float | np.number), f"guess should be a number, not {guess!r}."
assert 0 <= guess <= 1, f"guess is a share between 0 and 1, not {guess}; a wrong guess costs nothing."
assert np.shape(measured) == (6,), f"measured is a list of six shares; yours: {measured!r}."
### BEGIN HIDDEN TESTS
_measured = [float(share) for share in measured]
assert all(share > 0.9 for share in _measured[:4]), (
    f"Within the window reader is right nearly always; yours: {_measured}."
)
assert _measured[4] == _measured[5] == 0.5, f"Beyond it the two of a pair look alike; yours: {_measured[4:]}."
### END HIDDEN TESTS

# %%
_, axes = plt.subplots()
axes.plot(range(1, 7), [100 * share for share in measured], "o-")
axes.axvline(4.5, color="gray", linestyle="--")
axes.set(xlabel="distance of the cue (words before the blank)", ylabel="right, %", ylim=(0, 105))
axes.set_title("dashed: the end of the window", loc="left")
plt.show()

# %% [markdown]
# Not *about* chance: exactly chance, for every model with this window, trained however long. The network smooths, but it keeps the Markov assumption of the n-gram:
# *strawberry that was picked ... by the best farmer in the world with some* — *cream*, or *clippers*?

# %% [markdown] statement="bag_means"
# ## 15. All words, no order
#
# Lecture 003 averages all words so far, $\frac1i \sum_{j=1}^{i} \phi(x_j)$, before a tanh layer and a softmax: a **bag of words**. Three ways:
#
# - `bag_by_loop(vectors, i)`: this mean for one $i$ from 0 to $T$. At $i = 0$ return what the formula gives: NaN;
# - `bag_means(vectors)`: for all $i = 1, \dots, T$ at once;
# - `uniform_attention(T)`: the matrix $A$ with the same means in `A @ vectors`: row $i$ a softmax of zeros over the first $i$ places, then 0.

# %% [markdown] hints="bag_means"
# 1. At $i = 0$ there is a sum of nothing, divided by nothing; in torch, 0/0 is NaN, in Python an error.
# 2. A running total is one call in torch. Divide each row by how many words it holds; mind the shapes.
# 3. For $A$: scores of zero where a word may be seen, minus infinity where it stands in the future, then a softmax over each row.


# %% task="bag_means" points=4 level=2 minutes=12
def bag_by_loop(vectors, i):
    """The mean of the first i of the vectors (T, d), shape (d,); NaN for i = 0."""
    ### BEGIN SOLUTION
    total = torch.zeros(vectors.shape[1], dtype=vectors.dtype)
    for j in range(i):
        total = total + vectors[j]
    return total / i if i else total / torch.zeros(1)
    ### END SOLUTION


def bag_means(vectors):
    """Row i - 1: the mean of the first i vectors, for i = 1 ... T; (T, d) -> (T, d)."""
    ### BEGIN SOLUTION
    return vectors.cumsum(0) / torch.arange(1, len(vectors) + 1)[:, None]
    ### END SOLUTION


def uniform_attention(T):
    """The tensor (T, T) of weights: attention with zero scores that sees no future."""
    ### BEGIN SOLUTION
    future = torch.ones(T, T).triu(1).bool()
    return torch.zeros(T, T).masked_fill(future, -math.inf).softmax(1)
    ### END SOLUTION


# %% test="bag_means" aspect="undefined before the first word" points=1
_got = bag_by_loop(torch.tensor([[1.0, 2.0], [3.0, 8.0]]), 0)
assert hasattr(_got, "tolist"), f"bag_by_loop returns a tensor; yours: {_got!r}."
assert tuple(_got.shape) == (2,), f"Vectors of two numbers, so is their mean; yours: {_got!r}."
assert all(math.isnan(value) for value in _got.tolist()), f"(1/0) times an empty sum is NaN; yours: {_got.tolist()}."

# %% test="bag_means" aspect="mean of the words so far" points=1
_got = bag_means(torch.tensor([[1.0, 2.0], [3.0, 8.0], [2.0, -1.0]]))
assert tuple(getattr(_got, "shape", ())) == (3, 2), f"Three words, three means: shape (3, 2); yours: {_got!r}."
assert np.allclose(_got, [[1, 2], [2, 5], [2, 3]]), f"The means are (1, 2), (2, 5), (2, 3); yours: {_got.tolist()}."
### BEGIN HIDDEN TESTS
for _ in range(10):
    _vectors = torch.randn(random.randint(1, 9), random.randint(1, 5))
    _wanted = torch.stack([_vectors[: i + 1].mean(0) for i in range(len(_vectors))])
    assert np.allclose(bag_means(_vectors.clone()), _wanted, atol=1e-5), "bag_means: some row is not the mean so far."
### END HIDDEN TESTS

# %% test="bag_means" aspect="attention to the past, evenly" points=1
_got = uniform_attention(3)
assert tuple(getattr(_got, "shape", ())) == (3, 3), f"T = 3: shape (3, 3) wanted; yours: {_got!r}."
assert np.allclose(np.sum(_got.numpy(), 1), 1), f"Each row sums to 1; yours: {_got.sum(1).tolist()}."
assert _got[0, 1] == _got[0, 2] == _got[1, 2] == 0, f"Nobody sees a later word; yours: {_got.tolist()}."
### BEGIN HIDDEN TESTS
for _T in (1, 2, 5, 9):
    _wanted = [[1 / (i + 1) if j <= i else 0 for j in range(_T)] for i in range(_T)]
    assert np.allclose(uniform_attention(_T), _wanted), f"T = {_T}: row i should hold 1/i at its first i places."
### END HIDDEN TESTS

# %% test="bag_means" aspect="three ways, one number" points=1
_vectors = torch.tensor([[1.0, 2.0], [3.0, 8.0], [2.0, -1.0], [0.0, 5.0]])
_all, _weights = bag_means(_vectors.clone()), uniform_attention(4)
assert tuple(getattr(_all, "shape", ())) == (4, 2), f"bag_means: shape (4, 2) wanted; yours: {_all!r}."
assert tuple(getattr(_weights, "shape", ())) == (4, 4), f"uniform_attention(4): shape (4, 4); yours: {_weights!r}."
for _i in range(1, 5):
    _one = bag_by_loop(_vectors.clone(), _i)
    assert tuple(getattr(_one, "shape", ())) == (2,), f"bag_by_loop: shape (2,) wanted; yours: {_one!r}."
    _ways = [_one.tolist(), _all[_i - 1].tolist(), (_weights @ _vectors)[_i - 1].tolist()]
    assert np.allclose(_ways, _vectors[:_i].mean(0)), f"i = {_i}: loop, running total, attention give {_ways}."

# %% [markdown]
# The start symbol mends the first step: with `<s>` as $x_1$, the mean is never empty (and there it *is* a bigram model: only one word counts).


# %%
class BagLM(nn.Module):
    def __init__(self, V, m=32, h=64):
        super().__init__()
        self.embedding, self.hidden, self.out = nn.Embedding(V, m), nn.Linear(m, h), nn.Linear(h, V)
        nn.init.normal_(self.embedding.weight, std=0.3)

    def forward(self, ids):
        """Word numbers (T,) of one text, <s> first -> scores (T, V) for the word after each."""
        return self.out(torch.tanh(self.hidden(bag_means(self.embedding(ids)))))


# %%
def story(text):
    """Inputs (T + 1,), <s> first, and next words (T + 1,)."""
    ids = [place.get(word, UNK) for word in text]
    return torch.tensor([START, *ids]), torch.tensor([*ids, END])


def bag_loss(model, batch):
    scores = torch.cat([model(inputs) for inputs, _ in batch])
    return F.cross_entropy(scores, torch.cat([targets for _, targets in batch])), len(scores)


set_seed(1)
bag, encoded, pick = BagLM(len(words)), [story(text) for text in stories], shuffled(len(stories), 8, seed=1)
many = budget().choose(grading=120, laptop=1200, gpu=4000)
some = lambda step: [encoded[i] for i in pick(step)]  # noqa: E731
history = train(bag, some, bag_loss, steps=many, rate=2e-2, schedule=warmup_cosine(20), device="cpu")
with torch.no_grad():
    bag_perplexity = math.exp(bag_loss(bag, [story(text) for text in held_out])[0].item())
print(f"perplexity: {bag_perplexity:.2g}; Kneser-Ney, 1 back: {perplexity['Kneser-Ney, 1 back']:.2g}")

# %%
inputs, _ = story(held_out[0])
mixed = torch.cat([inputs[torch.randperm(len(inputs) - 1)], inputs[-1:]])
with torch.no_grad():
    change = (bag(inputs)[-1] - bag(mixed)[-1]).abs().max().item()
print(f"the past in another order changes the scores by {change:.0e}" if change > 1e-4 else "another order: no change")

# %%
_, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.3])
left.imshow(uniform_attention(8), cmap="cividis_r")
left.set(xlabel="word looked at", ylabel="word that looks")
left.grid(False)
shown = {"bag of words": bag_perplexity} | {name: perplexity[name] for name in names[::-1]}
right.barh(list(shown), list(shown.values()), color=plots.COLOURS[2])
right.axvline(floor.perplexity, color="black", linestyle="--")
right.set(xlabel="perplexity on held-out stories")
right.grid(axis="y", visible=False)
plt.show()

# %% [markdown]
# A memory of everything, and it loses to one word back: what comes next depends on what stood *last*, and the mean has forgotten it. (To sort texts by topic, a bag is often enough.)
#
# Left, the same bag as **attention**: each word looks at all before it, evenly. Two repairs suggest themselves. Carry a summary along, word by word: chapter 5. Or let
# the weights adapt to the words and their order: chapter 6.
