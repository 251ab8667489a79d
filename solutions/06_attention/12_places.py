# %% [markdown]
# ## 11. Which places?
#
# In section 4 *cook* found the same eight numbers in two sentences with the same words, and we added vectors for the places. Since then our attention
# networks have used them: the cheater, and your circuit, in which they say which word is the previous one. Was it bad luck with the weights that *cook* found
# the same numbers twice, or is it always so? And must a network be told the places, as ours have been since then?

# %% [markdown] statement="kind_of"
# ### Can a canner can a can?
#
# *Can a canner can a can* and *can can can a a canner* have the same words. `X[order]` is a shuffled text: its row $i$ is the old row `order[i]`. See what a
# layer makes of it. There are three possibilities:
#
# - it is **invariant** if `layer(X[order])` equals `layer(X)`: nothing changes;
# - it is **equivariant** if it equals `layer(X)[order]`: the same vectors, at other places;
# - else it is *neither*.
#
# First, predict which it is for the five layers in the cell below: `predicted[name]`. In a *causal* layer each word looks only at itself and the words before it.
# There we ask for the output of the last word alone, and shuffle only the words before it.
#
# Second, write `kind_of(layer, X, order)`, which finds it out by trying. Computers round, so count numbers as equal if they differ by a millionth, but not if
# they differ by a hundredth.
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

# %% task="kind_of" points=4 level=2 minutes=20
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

    An output [d'] is one vector: it has no places, so it cannot be equivariant. If both hold, it is "invariant".
    """
    ### BEGIN SOLUTION
    before, after = layer(X), layer(X[order])
    if torch.allclose(after, before, atol=1e-6):
        return "invariant"
    same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
    return "equivariant" if same else "neither"
    ### END SOLUTION


# %% family="kind_of"
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


def _agree_on(layers):
    """Compare for each of these layers."""
    for name in layers:
        agrees(
            kind_of,
            ours.kind_of,
            name,
            _X,
            _order,
            by=lambda kind_of, name, X, order: kind_of(layers[name], X, order),
        )


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
_agree_on(_layers)
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
    "a vector at .0005 that moves by less than a millionth": lambda X: (
        0.0005 + 8e-7 * ((X[0] > X.mean(0)).double() - 0.5)
    ),
    "20 and zeros that move by less than a millionth": lambda X: torch.cat(
        [20 + 0 * X[0], 9e-7 * (X[0] > X.mean(0)).double()]
    ),
}
_agree_on(_layers)
_X = torch.arange(4.0)[:, None].double()
for _name, _layer in _layers.items():  # by rule: the order turns what is compared
    _got = kind_of(_layer, _X.clone(), torch.tensor([3, 2, 1, 0]))
    assert _got == "invariant", f"{_name}: invariant is wanted; yours: {_got!r}."
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
_agree_on(_layers)
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
# Read the first line. If we shuffle the words, self-attention returns the same vectors in the shuffled order. So each word finds exactly what it found before.
# This is always so, and one can see it without a computer: shuffling the words shuffles the rows of $Q$, $K$ and $V$, so each query meets the same pairs of keys
# and values, and a sum does not care about the order. The third line says that vectors for the places end this.
#
# The last line may surprise you. A causal network of *two* layers notices the order without being told any places. To see why, take the words *a b c*
# and their causal mask. In the first layer *b* sees *a* and *b*. Shuffle the first two words, *b a c*, and *b* sees only itself. So the first layer gives *b*
# another vector than before, and *c* in the second layer meets other vectors.
#
# Is that enough to learn our lists? If it is not, which vectors for the places are good? Let us train the network of section 7 again, with three kinds:
#
# - *none*: no vectors for the places. The order shows only through the mask.
# - *waves*: sines and cosines of many speeds, like the hands of many clocks. A. Vaswani and others used them in 2017. For place $j$, the numbers $2i$ and $2i+1$
#   of the vector are $\sin(\omega_i\, j)$ and $\cos(\omega_i\, j)$, with the speed $\omega_i = 10000^{-2i/C}$.
# - *learned*: a random vector for each place, which is trained like everything else. This is what you have used.
#
# To be fair, we scale the waves and the random vectors to the size that the vectors of the words have at the beginning. Each kind is trained with two seeds,
# for 300 steps, and *none* also for 1,000. (These are eight trainings, so the cell takes a while.)


# %%
def place_table(kind, longest=64, C=64):
    """[longest, C]: a vector for each place; the first 38 have a root mean square of 0.3."""
    j = torch.arange(longest)[:, None].float()
    if kind == "none":
        return torch.zeros(longest, C)
    if kind == "waves":
        angles = j * 10000 ** (-torch.arange(0, C, 2) / C)
        table = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    else:
        table = torch.randn(longest, C)
    return 0.3 * table / table[:38].square().mean().sqrt()


def learned_with(kind, seed, steps):
    """A new learner after so many steps with these vectors for the places."""
    model = fresh(seed)
    table = place_table(kind).to(device)
    model.positions.weight = nn.Parameter(table, requires_grad=kind == "learned")
    practise(model, range(8, 21), steps=steps)
    return model


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
rows = {}
for kind, steps in (("none", 300), ("none", 1000), ("waves", 300), ("learned", 300)):
    for seed in (1, 2):
        model = learned_with(kind, seed, steps)
        rows[f"{kind}, {steps} steps, seed {seed}"] = [
            f"{held_out_loss(model):.2f}",
            guessed(model),
            *leap(model),
            f"{round_two(model, 20)[0]:.2f}",
        ]
columns = ["loss", "of 200", "before leap", "copies", "waited", "20 in front"]
print(pd.DataFrame(rows, columns).T.to_string())

# %% [markdown]
# There is a row for each network. First come its loss and in how many of the 200 texts it is right. The next three columns are those of the leap in section
# 7: right before the leap, copies after it, and says the word that has waited longest. The last column says how much of round two is right with 20 words in
# front of a list of eight.
#
# With *none*, the loss after 300 steps is above the 2.58 of the reader that knows which words were said. After 1,000 steps it is below, and the network is
# right in more than half of the 200 texts, where no reader of section 4 comes near that.
#
# Does it copy? The leap tells. After it, the networks with *none* and 1,000 steps copy in 70 and 56 of the texts, when we ran this, and say the word that has
# waited longest in only about a dozen. Compare them with the reader that strikes out the last seven words. After the leap it has five of the twelve words
# left, numbers 3, 4, 5, 6 and 8. It says each of them in $200 / 5 = 40$ texts, so it would have 40 in each of these two columns. So they have begun to copy,
# far less surely than your learner does. Something of the order shows through the mask and can be used.
#
# With *waves* and with *learned* vectors, the loss is small after 300 steps. We do not make a ranking of these two: a longer training, another learning rate or
# another size may turn it.
#
# There is one difference between them that needs no training. Waves give a vector for any place, while a learned table ends with its last row. But to have a
# vector for a place is one thing, and to have learned what to do there is another: with 20 words in front both kinds fail, as the last column says, though no
# text here goes beyond the end of the table.
