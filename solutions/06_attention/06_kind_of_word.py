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
for _ in range(3):
    _order = torch.tensor([2, 0, 1, *(3 + torch.randperm(4)).tolist()])
    for _X in (torch.randn(7, 3).double(), torch.randn(7, 4)):
        _got = kind_of(lambda X: attend(X, X, X)[:, :2], _X.clone(), _order.clone())
        assert _got == "equivariant", (
            f"Order {_order.tolist()}: attention is equivariant; yours: {_got!r}."
        )
_order = torch.tensor([2, 0, 1, 3])
for _name, _layer in {
    "the sum of each word, [T, 1]": lambda X: X.sum(1, keepdim=True),
    "each word less the mean of all": lambda X: X - X.mean(0),
}.items():
    for _X in (torch.randn(4, 3).double(), torch.randn(4, 1).double()):
        _got = kind_of(_layer, _X.clone(), _order.clone())
        assert _got == "equivariant", (
            f"{_name} (X {tuple(_X.shape)}): equivariant; yours: {_got!r}."
        )
_got = kind_of(
    lambda X: X[[1, 2, 0, 3]], torch.randn(4, 3).double(), torch.tensor([0, 3, 1, 2])
)
assert _got == "neither", (
    f"A layer that itself moves words 0, 1, 2 in a ring is neither; yours: {_got!r}."
)
_after = arguments_after(kind_of, torch.tanh, _X.clone(), _order.clone())[1:]
assert all(map(close, _after, (_X, _order))), (
    "kind_of changes X or the order it is given."
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
_X, _order = (
    torch.randn(9, 4),
    torch.tensor([*torch.randperm(7).roll(1).tolist(), 7, 8]),
)
for _name, _layer in {
    "the mean of attention": lambda X: attend(X, X, X).mean(0),
    "the sum of all, at each place": lambda X: 0 * X + X.sum(0),
    "the last output of a causal layer, while the last word stays": lambda X: attend(
        X, X, X, is_causal=True
    )[-1],
}.items():
    _got = kind_of(_layer, _X.clone(), _order.clone())
    assert _got == "invariant", f"{_name}: invariant, up to rounding; yours: {_got!r}."
_X = torch.randn(4, 3).double()
_first, _far = _X[0].clone(), torch.tensor([20.0, 0, 5]).double()
for _change in (9e-7, -9e-7):
    _got = kind_of(
        lambda X, _change=_change: _far + _change * (X[0] == _first),
        _X.clone(),
        torch.tensor([2, 0, 1, 3]),
    )
    assert _got == "invariant", (
        "An output near 20, 0, 5, of which the order changes each number by less than a "
        f"millionth: that is rounding, invariant; yours: {_got!r}."
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
for _name, _layer in {
    "words plus a hundredth of their places": lambda X: (
        X + torch.arange(5.0)[:, None] / 100
    ),
    "the mean plus a hundredth of the first": lambda X: X.mean(0) + X[0] / 100,
    "the last word": lambda X: X[-1],
    "a layer of which only the last number minds the order": lambda X: torch.cat(
        [X[:, :2], X[:, 2:].cumsum(0)], dim=1
    ),
    "each word's numbers turned as often as its place says": lambda X: torch.stack(
        [_word.roll(i) for i, _word in enumerate(X)]
    ),
    "the first word at place 2, zeros elsewhere": lambda X: torch.cat(
        [0 * X[:2], X[:1], 0 * X[3:]]
    ),
    "the first number of the first word": lambda X: X[0, :1],
    "the words from last to first": lambda X: X.flip(0),
    "all words one place on": lambda X: X.roll(1, 0),
}.items():
    _got = kind_of(_layer, torch.randn(5, 3).double(), _order.clone())
    assert _got == "neither", (
        f"{_name}: neither invariant nor equivariant; yours: {_got!r}."
    )
_X = torch.arange(15.0).view(5, 3).double()
for _name, _layer in {
    "words near 20 plus a hundredth of their places": lambda X: (
        20 + X / 100 + torch.arange(5.0)[:, None] / 100
    ),
    "a vector near 20, of which the order changes a hundredth": lambda X: (
        20 + X[0] / 300
    ),
}.items():
    _got = kind_of(_layer, _X.clone(), torch.tensor([1, 0, 2, 3, 4]))
    assert _got == "neither", (
        f"{_name}: neither invariant nor equivariant; yours: {_got!r}."
    )
for _i, _j in ((0, 1), (1, 2), (2, 3), (3, 4), (0, 4)):
    _swap = torch.arange(5)
    _swap[_i], _swap[_j] = _j, _i
    _got = kind_of(
        lambda X, _i=_i: X + (torch.arange(5)[:, None] == _i), _X.clone(), _swap
    )
    assert _got == "neither", (
        f"1 added at place {_i}, words {_i} and {_j} swapped: neither; "
        f"yours: {_got!r}. Are all words compared?"
    )
_T = random.randint(4, 7)
_places = torch.arange(_T)
_X = torch.randn(_T).double()[
    (_places[:, None] + _places) % _T
]  # each row: the one above, turned
_got = kind_of(lambda X: X[0], _X, torch.arange(1, _T + 1) % _T)
assert _got == "neither", (
    f"The first word alone is one vector, here of d = T = {_T} numbers: neither; yours: {_got!r}."
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
