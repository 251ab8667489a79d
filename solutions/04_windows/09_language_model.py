# %% [markdown]
# ## 11. The neural language model
#
# A table of counts for $n$ words back has $V^{n+1}$ cells, and each must be filled on its own: what *tea* did teaches nothing about *coffee*. Y. Bengio and
# others (2003) replaced the table by a function with few parameters. One table gives each word $w$ a vector $\phi(w)$ of $m$ numbers, the same at every place
# of the window. We write $[u; v]$ for $u$ and $v$ laid end to end. With two words back, the model is
#
# $$x = [\phi(w_{t-2}); \phi(w_{t-1})], \qquad a = \tanh(d + Hx), \qquad y = b + Wx + Ua, \qquad p = \text{softmax}(y).$$
#
# It is the window tagger with words for tags, and one more path: $W$ leads straight from $x$ to the scores, as in
# section 4 (there in the form $xW$, so transposed). Words with similar vectors get similar predictions.

# %% folded="draws Bengio's network" alt="From below: the last two words want and thai, one table of vectors for both places, a tanh layer, scores for all words, softmax. A side arrow W leads from the vectors straight to the scores."
drawings.bengio_network()

# %% [markdown] statement="BengioLM"
# ### Build the model
#
# - `BengioLM(V, n, m, h)`: an `nn.Module` for $V$ words, $n$ words back in the order of the text (in the formula 2),
#   vectors of $m$ numbers, $h$ hidden units. Its parts: `embedding` ($\phi$), `hidden` ($H, d$), `direct` ($W$, which
#   brings no second bias), `out` ($U, b$). `forward` returns the scores $y$.
# - `bengio_parameters(V, n, m, h)`: how many numbers it learns. Chapter 01 needed $V^{n+1}$.

# %% [markdown] hints="BengioLM"
# 1. It is the window tagger of section 7 and one more path from $x$ to the scores. How wide is $x$?
# 2. $W$ skips the hidden layer: from $nm$ numbers straight to $V$ scores. The bias $b$ is already in `out`.
# 3. For the count write down the shape of each of the six: $\phi$ has $Vm$ numbers, $H$ has $h \cdot nm$. For $V$ =
#    10,000, $n = 2$, $m = 60$, $h = 50$ the sum is 2,316,050.


# %% task="BengioLM" points=4 level=2 minutes=19
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


# %% family="BengioLM"
_sizes = choice(8, 2), choice(3, 1, 12), choice(4, 1), choice(5, 1, 40)


def _weights(rng, V, n, m, h, scale):
    """All weights; with a large scale, no tanh is far from 1 or -1."""
    draw = torch.Generator().manual_seed(rng.getrandbits(60))
    shapes = {"embedding.weight": (V, m), "hidden.weight": (h, n * m)}
    shapes |= {"hidden.bias": (h,), "direct.weight": (V, n * m)}
    shapes |= {"out.weight": (V, h), "out.bias": (V,)}
    found = {k: torch.randn(shape, generator=draw) / 2 for k, shape in shapes.items()}
    found["hidden.bias"] *= scale
    return found


def _model(BengioLM, V, n, m, h, state):
    model = BengioLM(V, n, m, h)
    BengioLM(2, n + 2, 3, 4)  # a newer one changes nothing
    model.load_state_dict(state)
    return model


_rows = ids(choice(7, 1, 3), _sizes[1], below=_sizes[0])
_given = *_sizes, made(_weights, *_sizes, choice(1, 1e6)), _rows
_close = {"mixtures": 1, "rtol": 1e-3, "atol": 1e-4}

# %% test="BengioLM" aspect="parts and their shapes" points=1
_shapes = {
    name: tuple(value.shape)
    for name, value in dict(BengioLM(9, 2, 3, 5).state_dict()).items()
}
_wanted = {
    "embedding.weight": (9, 3),
    "hidden.weight": (5, 6),
    "hidden.bias": (5,),
    "direct.weight": (9, 6),
}
_wanted |= {"out.weight": (9, 5), "out.bias": (9,)}
assert _shapes == _wanted, (
    f"V=9, n=2, m=3, h=5: weights {_wanted} wanted; yours: {_shapes}."
)
### BEGIN HIDDEN TESTS
agrees(
    BengioLM,
    ours.BengioLM,
    *_sizes,
    by=lambda Model, *sizes: {
        name: list(value.shape)
        for name, value in dict(Model(*sizes).state_dict()).items()
    },
    mixtures=1,
)
### END HIDDEN TESTS

# %% test="BengioLM" aspect="equal to the formula" points=1
_got = BengioLM(9, 3, 4, 5)(torch.tensor([[1, 2, 3], [3, 2, 1]]))
assert tuple(getattr(_got, "shape", ())) == (2, 9), (
    f"Two contexts, nine words: shape (2, 9) wanted; yours: {_got!r}."
)
assert not close(_got[0].detach(), _got[1].detach()), (
    "Reversed, a context gives the same scores: order is lost."
)
_small = BengioLM(2, 1, 1, 1)
_numbers = {"embedding.weight": [[0.0], [1.0]], "hidden.weight": [[2.0]]}
_numbers |= {"hidden.bias": [1.0], "direct.weight": [[5.0], [-1.0]]}
_numbers |= {"out.weight": [[10.0], [20.0]], "out.bias": [0.5, 0.0]}
_small.load_state_dict({name: torch.tensor(_numbers[name]) for name in _numbers})
_got = _small(torch.tensor([[1]])).detach()
assert close(_got, [[5.5 + 10 * math.tanh(3), 20 * math.tanh(3) - 1]], 1e-4, 1e-4), (
    f"x = 1, H = 2, d = 1, W = 5 -1, U = 10 20, b = .5 0: y = 15.45 and 18.90 wanted; yours: {_got.tolist()}."
)


### BEGIN HIDDEN TESTS
agrees(
    BengioLM,
    ours.BengioLM,
    *_given,
    by=lambda Model, *inputs: _model(Model, *inputs[:-1])(inputs[-1]),
    **_close,
)
### END HIDDEN TESTS

# %% test="BengioLM" aspect="how many numbers" points=1
_got = bengio_parameters(10_000, 2, 60, 50)
assert is_number(_got), f"bengio_parameters returns a number; yours: {_got!r}."
assert _got == 2_316_050, (
    f"10,000 words, n = 2, m = 60, h = 50: 2,316,050 wanted; yours: {_got:,}."
)
### BEGIN HIDDEN TESTS
_numbers = (whole(1, 30, (100,)) for _ in "Vnmh")
agrees(bengio_parameters, ours.bengio_parameters, *_numbers, mixtures=1)
### END HIDDEN TESTS

# %% test="BengioLM" aspect="all weights learn" points=1
_model = BengioLM(9, 2, 3, 5)
_found = parameter_gradients(_model, torch.tensor([[1, 2], [4, 0]]))
for _name in (
    "embedding.weight",
    "hidden.weight",
    "hidden.bias",
    "direct.weight",
    "out.weight",
    "out.bias",
):
    assert _name in _found, (
        f"{_name} is no parameter of your model, so it would not learn; found: {sorted(_found)}."
    )
    assert torch.is_tensor(_found[_name]), (
        f"{_name} receives no gradient from the scores: it would never learn."
    )
### BEGIN HIDDEN TESTS
agrees(
    BengioLM,
    ours.BengioLM,
    *_given,
    by=lambda Model, *inputs: parameter_gradients(
        _model(Model, *inputs[:-1]), inputs[-1]
    ),
    **_close,
)
### END HIDDEN TESTS

# %% [markdown]
# All these numbers are found by descent, so we need the gradient with respect to each of them.
