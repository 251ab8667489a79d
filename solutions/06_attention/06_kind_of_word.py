# %% [markdown] statement="kind_of"
# ## 8. Can a canner can a can?
#
# Shuffle the words of a text: `X[order]`, where `order` lists old places. A layer is
#
# - *invariant* if `layer(X[order])` is `layer(X)`,
# - *equivariant* if it is `layer(X)[order]`: the same vectors, at other places,
# - else *neither*.
#
# First fill in `predicted[name]` for the five layers below. (In a *causal* layer each word looks only at itself and the
# words before it. In the last two, the last word stays.) Then write `kind_of(layer, X, order)`, which returns one of these
# words (*invariant* if both hold). A millionth is rounding and no difference; a hundredth is
# one, even between numbers near 20.

# %%
LAYERS = {
    "attention": "one layer of self-attention",
    "bag": "its outputs, averaged over the words",
    "positions": "a vector for each place added to the words, then attention",
    "one causal layer": "the output of the last word only",
    "two causal layers": "the output of the last word only",
}

# %% [markdown] hints="kind_of"
# 1. Two lectures describe attention by *one* of the three words, and by the wrong one. Take two words, swap them, and
#    follow the two rows of the result.
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
sentences = "can a canner can a can", "can can can a a canner"
set_seed(1)
vectors = {word: torch.randn(8) for word in ("can", "a", "canner")}
X, Y = (torch.stack([vectors[word] for word in words.split()]) for words in sentences)
before, after, places = attend(X, X, X), attend(Y, Y, Y), torch.randn(6, 8)

# %%
marked = attend(X + places, X + places, X + places)
every = all(torch.allclose(before[0], before[i]) for i in (3, 5))
both = torch.allclose(before[[0, 1, 2]], after[[0, 3, 5]])
print("the same vector for every can:", every)
print("the same in both sentences:", both)
print("the same with places added:", torch.allclose(marked[0], marked[3]))


# %%
def causal(X):
    return attend(X, X, X, is_causal=True)


functions = {"attention": lambda X: attend(X, X, X)}
functions["bag"] = lambda X: attend(X, X, X).mean(0)
functions["positions"] = lambda X: functions["attention"](X + places)
functions["one causal layer"] = lambda X: causal(X)[-1]
functions["two causal layers"] = lambda X: causal(causal(X))[-1]

# %%
X, order = torch.randn(6, 8), torch.tensor([2, 0, 3, 1, 4, 5])
for name, layer in functions.items():
    print(f"{name:18} {kind_of(layer, X, order)}")

# %% [markdown]
# The three *can*s come out alike, in both sentences, unless places are added.
#
# <details><summary>After you have compared: why a mask knows the order</summary>
#
# Lectures 000, 003 and 004 call attention "position-invariant", or say that shuffling gives "the same results". Its outputs
# do move: with their words. Under a causal mask word 2 (counted from 0) hears three words and word 0 only itself, so what a
# word becomes depends on its place. One layer's *last* output hears all words in any case; a second layer hears those
# changed outputs, and can tell.
# </details>
