# %% [markdown]
# ## 11. The neural language model
#
# A table of counts for $n$ words back has $V^{n+1}$ cells, and each must be filled on its own: what *tea* did teaches
# nothing about *coffee*. Y. Bengio and others (2003) replaced the table by a function with few parameters. Each word
# has a vector $\phi(w)$ of $m$ numbers, in one table for all places; with $[\,;\,]$ for end to end and two words back,
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
for _V, _n, _m, _h in ((12, 1, 5, 7), (8, 4, 3, 6), random.sample(range(2, 20), 4)):
    _wanted = {
        "embedding.weight": (_V, _m),
        "hidden.weight": (_h, _n * _m),
        "hidden.bias": (_h,),
    }
    _wanted |= {
        "direct.weight": (_V, _n * _m),
        "out.weight": (_V, _h),
        "out.bias": (_V,),
    }
    _state = dict(BengioLM(_V, _n, _m, _h).state_dict())
    assert set(_state) == set(_wanted), (
        f"Weights {sorted(_wanted)} wanted; yours: {sorted(_state)}."
    )
    _shapes = {name: tuple(_state[name].shape) for name in _wanted}
    assert _shapes == _wanted, (
        f"V={_V}, n={_n}, m={_m}, h={_h}: weights {_wanted} wanted; yours: {_shapes}."
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
### BEGIN HIDDEN TESTS
_cases = ((1, 6), (2, 7), (3, 1), (3, 8), (5, 6))
_models = [BengioLM(9, n, 4, 7) for n, _ in _cases]
BengioLM(8, 4, 3, 5)  # a newer one changes none of these
for (_n, _B), _model in zip(_cases, _models, strict=True):
    _s = {"embedding.weight": (9, 4), "hidden.weight": (7, 4 * _n), "hidden.bias": (7,)}
    _s |= {"direct.weight": (9, 4 * _n), "out.weight": (9, 7), "out.bias": (9,)}
    _s = {name: torch.randn(shape) for name, shape in _s.items()}
    _model.load_state_dict(_s)
    _rows = torch.randint(9, (_B, _n))
    _rows[0, 0] = 0
    _x = torch.stack(
        [torch.cat([_s["embedding.weight"][i] for i in row]) for row in _rows]
    )
    _a = torch.tanh(_x @ _s["hidden.weight"].T + _s["hidden.bias"])
    _y = _s["out.bias"] + _x @ _s["direct.weight"].T + _a @ _s["out.weight"].T
    _got = _model(_rows.clone())
    assert tuple(getattr(_got, "shape", ())) == (_B, 9), (
        f"{_B} contexts, nine words: shape {(_B, 9)} wanted."
    )
    assert close(_got, _y, 1e-3, 1e-3), (
        f"n = {_n}: with given weights your scores are not b + W x + U tanh(d + H x)."
    )
    assert close(arguments_after(_model, _rows.clone())[0], _rows), (
        "forward changed the caller's contexts."
    )
### END HIDDEN TESTS

# %% test="BengioLM" aspect="how many numbers" points=1
_got = bengio_parameters(10_000, 2, 60, 50)
assert is_number(_got), f"bengio_parameters returns a number; yours: {_got!r}."
assert _got == 2_316_050, (
    f"10,000 words, n = 2, m = 60, h = 50: 2,316,050 wanted; yours: {_got:,}."
)
### BEGIN HIDDEN TESTS
for _V, _n, _m, _h in [
    (12, 1, 5, 7),
    (8, 4, 3, 6),
    *(random.sample(range(3, 20), 4) for _ in range(5)),
]:
    _wanted = sum(
        w.numel()
        for w in (torch.empty(_V, _m), torch.empty(_h, _n * _m), torch.empty(_h))
    )
    _wanted += sum(
        w.numel()
        for w in (torch.empty(_V, _n * _m), torch.empty(_V, _h), torch.empty(_V))
    )
    _got = bengio_parameters(_V, _n, _m, _h)
    assert is_number(_got) and _got == _wanted, (
        f"V={_V}, n={_n}, m={_m}, h={_h}: {_wanted} wanted; yours: {_got}."
    )
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
for _n in (1, 3):
    _s = {"embedding.weight": (9, 4), "hidden.weight": (7, 4 * _n), "hidden.bias": (7,)}
    _s |= {"direct.weight": (9, 4 * _n), "out.weight": (9, 7), "out.bias": (9,)}
    _s = {name: torch.randn(shape) / 2 for name, shape in _s.items()}
    _model = BengioLM(9, _n, 4, 7)
    _model.load_state_dict(_s)
    _rows = torch.randint(9, (6, _n))
    _rows[0, 0] = 0  # a word like others: no vector is kept at zero here
    _rows[1] = _rows[2]
    _found = parameter_gradients(_model, _rows.clone())
    _s = {name: value.requires_grad_() for name, value in _s.items()}
    _x = _s["embedding.weight"][_rows].flatten(1)
    _a = torch.tanh(_x @ _s["hidden.weight"].T + _s["hidden.bias"])
    _y = _s["out.bias"] + _x @ _s["direct.weight"].T + _a @ _s["out.weight"].T
    for _name, _wanted in zip(
        _s, torch.autograd.grad(_y.sum(), list(_s.values())), strict=True
    ):
        assert close(_found.get(_name), _wanted, 1e-3, 1e-4), (
            f"n = {_n}: {_name} does not receive the gradient of the formula; word 0 is a word like others."
        )
### END HIDDEN TESTS

# %% [markdown]
# <details><summary>A slip in the printed slides</summary>
#
# Lecture 003 lists the parameters as $\theta = (b, d, W, U, H, C, \phi)$. But no $C$ occurs in its formulas: in the
# paper, $C$ *is* the table of vectors, so one of the two is too many.
# </details>
#
# All these numbers are found by descent, so we need the gradient with respect to each of them.
