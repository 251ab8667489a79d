# %% [markdown]
# ## 4. Every word asks
#
# So far somebody from outside asked one question. In a text, *each* word has something to ask: a verb looks for its subject, *she* for a name, the last word of our story for a town. So let every word ask, and let the same words answer.
#
# Let $x$ $[T, C]$ be a text of $T$ words, a vector of $C$ numbers in each row. The vector says what the word *is*. But what a word looks for is something else than what it is: a verb looks for nouns. And what others find it by may again differ from what it tells them. Therefore we let the network learn three matrices, which make three things of each word:
#
# $$Q = x W_q \qquad K = x W_k \qquad V = x W_v$$
#
# With them, your function does the rest: `scaled_attention(Q, K, V)`. This is **self-attention**: queries, keys and values come from the same words. Row $i$ of the scores $QK^T$ says how well each word answers word $i$, and row $i$ of the result is what word $i$ has found.
#
# Let us try it on two sentences. Each different word gets a random vector, the matrices are random as well, and we print what *cook* has found in each of them:

# %%
set_seed(1)
C = 8
W_q, W_k, W_v = torch.randn(3, C, C) / math.sqrt(C)
vector = {word: torch.randn(C) for word in ("the", "cook", "thanks", "guest")}


def found(sentence):
    """What each word of a sentence finds by self-attention, [T, C]."""
    x = torch.stack([vector[word] for word in sentence.split()])
    return scaled_attention(x @ W_q, x @ W_k, x @ W_v)


thanks, thanked = found("the cook thanks the guest"), found("the guest thanks the cook")
print("the COOK thanks the guest:", np.round(thanks[1].tolist(), 2))
print("the guest thanks the COOK:", np.round(thanked[4].tolist(), 2))

# %% [markdown]
# The same eight numbers. In one sentence the cook thanks, in the other he is thanked, and self-attention does not notice. It never asks *where* a word stands, because nothing in the formula depends on it. Is this a matter of the weights, or is it always so? And would some other way of using attention notice? This deserves a clean experiment.

# %% [markdown] statement="kind_of"
# ### Can a canner can a can?
#
# *Can a canner can a can* and *can can can a a canner* have the same words. Shuffle the words of a text, $X$ `[order]`, where `order` lists old places, and see what a layer makes of it. There are three possibilities:
#
# - it is **invariant** if `layer(X[order])` equals `layer(X)`: nothing changes;
# - it is **equivariant** if it equals `layer(X)[order]`: the same vectors, at other places;
# - else it is *neither*.
#
# First predict which it is, in `predicted[name]`, for the five layers in the cell below. In a *causal* layer each word looks only at itself and the words before it; in the two causal ones we look at the last word's output, and shuffle only the words before it. Then write `kind_of(layer, X, order)`, which finds it
# out (*invariant* if both hold). Two outputs that differ by a millionth differ by rounding only and count as equal; a hundredth is a real difference, even between numbers near 20.
#
# The cell after the checks measures all five with your function, so that you can compare.

# %%
LAYERS = {
    "attention": "one layer of self-attention",
    "bag": "its outputs, averaged over the words",
    "positions": "a vector for each place added to the words, then attention",
    "one causal layer": "the output of the last word only",
    "two causal layers": "the output of the last word only",
}

# %% [markdown] hints="kind_of"
# 1. Take two words, swap them, and follow the two rows of the result. What happened to *cook* above?
# 2. Two causal layers: do the words before the last still have the same *outputs* in the first layer when they are shuffled?
# 3. An output may have the shape $[T, d']$ or only $[d']$; the second cannot be shuffled. Numbers may differ by rounding.

# %% task="kind_of" points=4 level=2 minutes=16
# predicted = {"attention": "invariant", "equivariant" or "neither", "bag": ..., ...}
### BEGIN SOLUTION
predicted = {
    "attention": "equivariant",
    "bag": "invariant",
    "positions": "neither",
    "one causal layer": "invariant",
    "two causal layers": "neither",
}
### END SOLUTION


def kind_of(layer, X, order):
    """ "invariant", "equivariant" or "neither"; layer: from X, [T, d], to [T, d'] or [d']; order: T old places.

    An output [d'] is one vector: it has no places, so it cannot be equivariant.
    """
    ### BEGIN SOLUTION
    before, after = layer(X), layer(X[order])
    if torch.allclose(after, before, atol=1e-6):
        return "invariant"
    same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
    return "equivariant" if same else "neither"
    ### END SOLUTION


# %% test="kind_of" aspect="same vectors elsewhere" points=1
_X, _order = torch.randn(5, 3).double(), torch.tensor([1, 2, 3, 4, 0])
_got = kind_of(lambda X: X.tanh(), _X.clone(), _order.clone())
assert _got == "equivariant", (
    f"tanh of each word: the vectors move with their words, equivariant; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_layers = {
    "the sum of each word, [T, 1]": lambda X: X.sum(1, keepdim=True),
    "each word less the mean tanh of all": lambda X: X - X.tanh().mean(0),
    "words 0, 1, 2 moved in a ring": lambda X: X[[1, 2, 0, *range(3, len(X))]],
}
_T, _d = size("T", large=9), size("d", most=4, large=None)
_X = made(  # numbers that differ by an eighth at least
    lambda rng, T, d: torch.tensor(rng.sample(range(T * d), T * d)).view(T, d) / 8 - 1,
    _T,
    _d,
)
_order = made(  # some words stay
    lambda rng, T: torch.tensor(sorted(range(T), key=lambda i: i + rng.uniform(0, 3))),
    _T,
)
for _name in _layers:
    agrees(
        kind_of,
        ours.kind_of,
        _name,
        _X,
        _order,
        by=lambda kind_of, name, X, order: kind_of(_layers[name], X, order),
    )
### END HIDDEN TESTS

# %% test="kind_of" aspect="invariant, also by rounding" points=1
_X = torch.tensor([[0.1], [0.2], [0.3], [0.7], [0.9], [3.3]])
_order = torch.tensor([4, 3, 5, 0, 1, 2])
for _name, _layer in {
    "the mean": lambda X: X.mean(0),
    "the sum of float32, word by word": sum,
    "zeros": lambda X: 0 * X,
}.items():
    _got = kind_of(_layer, _X.clone(), _order.clone())
    assert _got == "invariant", (
        f"{_name}: the order leaves it as it is, up to rounding; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
_layers = {
    "the mean tanh": lambda X: X.tanh().mean(0),
    "the sum of all, at each place": lambda X: 0 * X + X.sum(0),
    "a vector near 20 that moves by less than a millionth": lambda X: (
        20.0000496 + 9e-7 * (X[0] > X.mean(0)).double()
    ),
}
_T, _d = size("T", large=9), size("d", most=4, large=None)
_X = made(  # numbers that differ by an eighth at least
    lambda rng, T, d: torch.tensor(rng.sample(range(T * d), T * d)).view(T, d) / 8 - 1,
    _T,
    _d,
)
_order = made(  # some words stay
    lambda rng, T: torch.tensor(sorted(range(T), key=lambda i: i + rng.uniform(0, 3))),
    _T,
)
for _name in _layers:
    agrees(
        kind_of,
        ours.kind_of,
        _name,
        _X,
        _order,
        by=lambda kind_of, name, X, order: kind_of(_layers[name], X, order),
    )
### END HIDDEN TESTS

# %% test="kind_of" aspect="neither of both" points=1
_X, _order = torch.randn(5, 3).double(), torch.tensor([3, 0, 4, 1, 2])
for _name, _layer in {
    "the first word": lambda X: X[0],
    "running sums": lambda X: X.cumsum(0),
    "words plus places": lambda X: X + torch.arange(5.0)[:, None],
}.items():
    _got = kind_of(_layer, _X.clone(), _order.clone())
    assert _got == "neither", (
        f"{_name}: neither invariant nor equivariant; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
_layers = {
    "words plus a hundredth of their places": lambda X: (
        X + torch.arange(len(X))[:, None] / 100
    ),
    "the same near 20": lambda X: 20 + 0.08 * X + torch.arange(len(X))[:, None] / 100,
    "the mean plus a tenth of the first": lambda X: X.mean(0) + X[0] / 10,
    "the last word": lambda X: X[-1],
    "the first number of each word, as one vector": lambda X: X[:, 0],
    "running sums of the last number": lambda X: torch.cat(
        [X[:, :-1], X[:, -1:].cumsum(0)], dim=1
    ),
    "each word's numbers turned as often as its place says": lambda X: torch.stack(
        [_word.roll(i) for i, _word in enumerate(X)]
    ),
    "the first word at the last place": lambda X: torch.cat([0 * X[1:], X[:1]]),
    "the words from last to first": lambda X: X.flip(0),
}
_T, _d = size("T", large=9), size("d", most=4, large=None)
_X = made(  # numbers that differ by an eighth at least
    lambda rng, T, d: torch.tensor(rng.sample(range(T * d), T * d)).view(T, d) / 8 - 1,
    _T,
    _d,
)
_order = made(  # some words stay
    lambda rng, T: torch.tensor(sorted(range(T), key=lambda i: i + rng.uniform(0, 3))),
    _T,
)
for _name in _layers:
    agrees(
        kind_of,
        ours.kind_of,
        _name,
        _X,
        _order,
        by=lambda kind_of, name, X, order: kind_of(_layers[name], X, order),
    )
_inside, _X = torch.tensor([0, 3, 2, 1, 4]), torch.randn(5, 3).double()
_got = kind_of(_layers["words plus a hundredth of their places"], _X, _inside)
assert _got == "neither", f"Only words 1 and 3 change places: neither; yours: {_got!r}."
_X, _one = torch.randn(40, 50).double(), (torch.arange(2000) == 0).view(40, 50)
_got = kind_of(lambda X: X + 0.05 * _one, _X, torch.arange(39, -1, -1))
assert _got == "neither", (
    f"Of 40 x 50 numbers one is larger by .05, always at place 0: neither; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% test="kind_of" aspect="predictions" points=1
assert hasattr(predicted, "keys") and {*predicted} == {*LAYERS}, (
    f"predicted has the keys {[*LAYERS]}: {predicted!r}?"
)
for _name in LAYERS:
    assert predicted[_name] in ("invariant", "equivariant", "neither"), (
        f"{_name}: one of the three words, not {predicted[_name]!r}."
    )
### BEGIN HIDDEN TESTS
_wanted = ("equivariant", "invariant", "neither", "invariant", "neither")
_wrong = [
    _n for _n, _kind in zip(LAYERS, _wanted, strict=True) if predicted[_n] != _kind
]
assert not _wrong, f"Predicted otherwise than measured: {', '.join(_wrong)}."
### END HIDDEN TESTS

# %%
set_seed(1)
places = torch.randn(6, C)


def causal(X):
    """Torch's attention, in which a word looks at itself and the words before it."""
    return attend(X, X, X, is_causal=True)


functions = {"attention": lambda X: scaled_attention(X, X, X)}
functions["bag"] = lambda X: functions["attention"](X).mean(0)
functions["positions"] = lambda X: functions["attention"](X + places)
functions["one causal layer"] = lambda X: causal(X)[-1]
functions["two causal layers"] = lambda X: causal(causal(X))[-1]

X, order = torch.randn(6, C), torch.tensor([2, 0, 3, 1, 4, 5])
for name, layer in functions.items():
    print(
        f"{name:18} measured: {kind_of(layer, X, order):12} predicted:", predicted[name]
    )

# %% [markdown]
# So self-attention by itself sees a bag of words: shuffle them, and each finds exactly what it found before. There are two ways out, and you have just measured both. The one that everybody uses is the third line: **add a vector for the place** to the vector of the word. Then a word can ask for what stands three places back, and *cook* at place 1 differs
# from *cook* at place 4. In section 9 you will see whether it matters *which* vectors one adds.
#
# The last line is a surprise to many people: a causal network of two layers notices the order without being told any places. In the first layer, the third word hears three words and the first one only itself. So what a word becomes depends on how many stand before it, and the second layer sees that.
#
# *This is a good place for a break.*
