# %% [markdown]
# ## 11. The gradient through the gates
#
# Four times the weights of an RNN: what do they buy? Look at the way back. If $f_t$ is near 1 and $i_t$ near 0, then
# $C_t = C_{t-1}$ as it was, and a gradient with respect to $C_t$ comes back to $C_{t-1}$ as it was: no matrix, no
# $1 - h^2$. That is the whole trick (chapter 07 has it too, as the *residual connection*); one step of the backward pass
# shows it.
#
# From later come two gradients, $dh = \partial \ell / \partial h_t$ and $dC$, which is what reaches $C_t$ by itself,
# through $C_{t+1}$. A tool for all that follows: for $\sigma$ as for tanh, the derivative can be written with the
# *value*, $\sigma' = \sigma (1 - \sigma)$.

# %% [markdown] statement="lstm_back"
# Write `lstm_back(e, h, C, W, b, dh, dC)`. The first five are what `lstm_step` read (`h` and `C` are the *old* ones, so
# compute the step again); `dh` and `dC`, shape $[B, k]$, are the two gradients from later, with respect to the *new*
# $h$ and the new $C$. It returns the gradients `(de, dh, dC, dW, db)` with respect to the first five: `dW` and `db` are
# dicts with the keys of `W`, summed over the batch. One check switches autograd off.
#
# Do it on paper first, for $B = k = 1$; the products become entry by entry.

# %% [markdown] hints="lstm_back"
# 1. Go backwards through the last line of the equations, then the line above it, then the four maps. Which quantities
#    have more than one way to the loss? Their shares add up.
# 2. The new $C$ has two: by itself (that is `dC`), and through $h_t = o_t \star \tanh(C_t)$. With that sum you have what
#    reaches $f_t$, $i_t$, $\tilde C_t$ and the old $C$, each by the product rule.
# 3. Times the derivative of its activation function, each of these gives a $\delta$, shape $[B, k]$: one for each of
#    the four parts. From there it is section 4 four times over: outer products for $W$, sums for $b$, and through the
#    four transposed matrices back to $[e, h]$, where the four shares add up.


# %% task="lstm_back" points=5 level=3 minutes=35
def lstm_back(e, h, C, W, b, dh, dC):
    """(de [B, d], dh [B, k], dC [B, k], dW, db): gradients with respect to what lstm_step(e, h, C, W, b) read.

    dh, dC: those with respect to the new h and the new C. All arguments stay as they are.
    """
    ### BEGIN SOLUTION
    x = torch.cat([e, h], dim=1)
    a = {part: x @ W[part].T + b[part] for part in "Cfio"}
    f, i, o = (torch.sigmoid(a[part]) for part in "fio")
    new = torch.tanh(a["C"])
    tanh_C = torch.tanh(i * new + f * C)
    dC = dC + dh * o * (1 - tanh_C**2)
    delta = {
        "C": dC * i * (1 - new**2),
        "f": dC * C * f * (1 - f),
        "i": dC * new * i * (1 - i),
        "o": dh * tanh_C * o * (1 - o),
    }
    dx = sum(delta[part] @ W[part] for part in "Cfio")
    dW = {part: delta[part].T @ x for part in "Cfio"}
    db = {part: delta[part].sum(dim=0) for part in "Cfio"}
    return dx[:, : e.shape[1]], dx[:, e.shape[1] :], dC * f, dW, db
    ### END SOLUTION


# %%
def lstm_gradients(e, h, C, W, b, dh, dC):
    """The same five by torch's autograd, of the loss sum(dh * new h) + sum(dC * new C)."""
    given = e, h, C, *(table[part] for table in (W, b) for part in "Cfio")
    given = [part.clone().requires_grad_(True) for part in given]
    x, C = torch.cat(given[:2], dim=1), given[2]
    a = [F.linear(x, *pair) for pair in zip(given[3:7], given[7:], strict=True)]
    C = a[2].sigmoid() * a[0].tanh() + a[1].sigmoid() * C
    loss = (dh * a[3].sigmoid() * C.tanh()).sum() + (dC * C).sum()
    found = torch.autograd.grad(loss, given)
    dW, db = (dict(zip("Cfio", part, strict=True)) for part in (found[3:7], found[7:]))
    return *found[:3], dW, db


# %% test="lstm_back" aspect="the last gate, by hand" points=1
_W = {part: torch.zeros(1, 2).double() for part in "Cfio"}
_b = {part: torch.zeros(1).double() for part in "Cfio"}
_zero, _one = torch.zeros(1, 1).double(), torch.ones(1, 1).double()
_got = lstm_back(_one, _zero, 2 * _one, _W, _b, _one, _zero)
expect(_got, "de, dh, dC, dW, db")
assert hasattr(_got[4], "keys") and all(part in _got[4] for part in "Cfio"), (
    f"db is a dict with the keys C, f, i and o; yours: {_got[4]!r}."
)
_wanted = math.tanh(1) / 4
assert close(_got[4]["o"], [_wanted], 1e-5), (
    f"All gates ½, new C = 1, dh = 1: tanh(1) · ½ · ½ = {_wanted:.4f} reaches b_o; yours: {_got[4]['o']}."
)
### BEGIN HIDDEN TESTS
for _k, _B in ((1, 1), (3, 2), (2, 5)):
    _W = {part: torch.zeros(_k, 2 + _k).double() for part in "Cfio"}
    _b = {part: torch.randn(_k).double() for part in "Cfio"}
    _e, _h, _C, _dh = (torch.randn(_B, n).double() for n in (2, _k, _k, _k))
    _gate = {part: _b[part].sigmoid() for part in "fio"}
    _cell = _gate["i"] * _b["C"].tanh() + _gate["f"] * _C
    _wanted = (_dh * _cell.tanh() * _gate["o"] * (1 - _gate["o"])).sum(0)
    _got = lstm_back(_e, _h, _C, _W, _b, _dh, torch.zeros(_B, _k).double())
    expect(_got, "de, dh, dC, dW, db")
    assert close(_got[4]["o"], _wanted, 1e-4, 1e-6), (
        f"B = {_B}, k = {_k}: db['o'] is off. It is summed over the batch, and tanh is taken of the *new* cell."
    )
### END HIDDEN TESTS

# %% test="lstm_back" aspect="back into the cell" points=1
_sizes = [(2, 3, 4)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 2, 3), (3, 1, 1), (4, 3, 3), (1, 4, 2)]
### END HIDDEN TESTS
for _B, _d, _k in _sizes:
    _W = {part: torch.randn(_k, _d + _k).double() for part in "Cfio"}
    _b = {part: torch.randn(_k).double() for part in "Cfio"}
    _e, _h, _C, _dh, _dC = (torch.randn(_B, n).double() for n in (_d, _k, _k, _k, _k))
    for _a, _c, _why in ((0, 1, "dh = 0"), (1, 0, "dC = 0"), (1, 1, "both")):
        _wanted = lstm_gradients(_e, _h, _C, _W, _b, _a * _dh, _c * _dC)
        _got = lstm_back(_e, _h, _C, _W, _b, _a * _dh, _c * _dC)
        expect(_got, "de, dh, dC, dW, db")
        assert np.shape(_got[2]) == (_B, _k), (
            f"dC has the shape of C, {(_B, _k)}; yours: {np.shape(_got[2])}."
        )
        assert close(_got[2], _wanted[2], 1e-4, 1e-6), (
            f"What comes from later is {_why}: the gradient of the old C is off. "
            "The new C has two ways to the loss, through h and by itself; the old C has one, through a gate."
        )

# %% test="lstm_back" aspect="back into word and state" points=1
_sizes = [(2, 3, 4)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 2, 3), (3, 1, 1), (4, 3, 3), (1, 4, 2)]
### END HIDDEN TESTS
for _B, _d, _k in _sizes:
    _W = {part: torch.randn(_k, _d + _k).double() for part in "foiC"}
    _b = {part: torch.randn(_k).double() for part in "Cfio"}
    _given = [torch.randn(_B, n).double() for n in (_d, _k, _k)]
    _later = [1e4 * torch.randn(_B, _k).double() for _ in "hC"]
    _wanted = lstm_gradients(*_given, _W, _b, *_later)
    _got = lstm_back(*_given, _W, _b, *_later)
    expect(_got, "de, dh, dC, dW, db")
    for _name, _one, _two in zip(("de", "dh"), _got, _wanted, strict=False):
        assert np.shape(_one) == tuple(_two.shape), (
            f"{_name}: shape {tuple(_two.shape)} wanted; yours: {np.shape(_one)}."
        )
        assert close(_one, _two, 1e-4, 1e-6), (
            f"B = {_B}, d = {_d}, k = {_k}: {_name} is off. All four parts have read word and state, word first."
        )

# %% test="lstm_back" aspect="back into weights and biases" points=1
_sizes = [(2, 3, 4)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 2, 3), (3, 1, 1), (4, 3, 3), (5, 4, 2)]
### END HIDDEN TESTS
for _B, _d, _k in _sizes:
    _W = {part: torch.randn(_k, _d + _k).double() for part in "Cfio"}
    _b = {part: torch.randn(_k).double() for part in "Cfio"}
    _given = [torch.randn(_B, n).double() for n in (_d, _k, _k)]
    _later = [1e4 * torch.randn(_B, _k).double() for _ in "hC"]
    _wanted = lstm_gradients(*_given, _W, _b, *_later)
    _got = lstm_back(*_given, _W, _b, *_later)
    expect(_got, "de, dh, dC, dW, db")
    for _part in "oifC":
        for _name, _one, _two in zip(("dW", "db"), _got[3:], _wanted[3:], strict=True):
            assert hasattr(_one, "keys") and _part in _one, (
                f"{_name} is a dict with the keys C, f, i and o; yours: {_one!r}."
            )
            assert np.shape(_one[_part]) == tuple(_two[_part].shape), (
                f"{_name}[{_part!r}]: shape {tuple(_two[_part].shape)} wanted; yours: {np.shape(_one[_part])}."
            )
            assert close(_one[_part], _two[_part], 1e-4, 1e-6), (
                f"B = {_B}, d = {_d}, k = {_k}: {_name}[{_part!r}] is off. Weights add up over the batch."
            )

# %% test="lstm_back" aspect="autograd is switched off" points=1
_W = {part: torch.randn(3, 5).double() for part in "Cfio"}
_b = {part: torch.randn(3).double() for part in "Cfio"}
_given = [torch.randn(4, n).double() for n in (2, 3, 3)]
_later = [torch.randn(4, 3).double() for _ in range(2)]
_usual = lstm_back(*_given, _W, _b, *_later)
expect(_usual, "de, dh, dC, dW, db")
try:
    _got = without_autograd(lstm_back, *_given, _W, _b, *_later)
except NotImplementedError:
    raise
except RuntimeError as _error:
    raise AssertionError(
        f"Here autograd is switched off, and your lstm_back needs it ({_error})."
    ) from None
for _one, _two in zip(_got[:3], _usual[:3], strict=True):
    assert np.size(_two) and close(_one, _two, 1e-5, 1e-6), (
        "With autograd switched off your gradients are others."
    )
### BEGIN HIDDEN TESTS
_B, _d, _k = size("B"), size("d", large=None), size("k", large=None)
_e, _h, _C = (tensor(_B, _width, kind="float64") for _width in (_d, _k, _k))
_both = made(lambda rng, d, k: d + k, _d, _k)
_W, _b = (
    made(lambda rng, parts: dict(zip("foiC", parts, strict=True)), _parts)
    for _parts in (tensor(4, _k, _both, kind="float64"), tensor(4, _k, kind="float64"))
)
_later = [tensor(_B, _k, kind="float64", edges=("huge",)) for _ in range(2)]
_given = _e, _h, _C, _W, _b, *_later
agrees(lstm_back, ours.lstm_back, *_given, by=without_autograd, rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS


# %% [markdown]
# One step back, repeated, is BPTT for an LSTM. Here is a whole text of 30 words, forward with your `lstm_step`, back
# with your `lstm_back`, beside what `nn.LSTM` and autograd find:

# %%
set_seed(3)
layer, words = nn.LSTM(5, 4, batch_first=True).double(), torch.randn(2, 30, 5).double()
W, b = from_torch({name[:-3]: w.detach() for name, w in layer.state_dict().items()})
h = C = torch.zeros(2, 4).double()
read = []
for e in words.unbind(1):
    read.append((e, h, C))
    h, C = lstm_step(e, h, C, W, b)

# %%
dh, dC = torch.ones_like(h), torch.zeros_like(C)  # the loss: sum of the last h
total = dict.fromkeys("Cfio", 0)
for e, h, C in reversed(read):
    _, dh, dC, dW, _ = lstm_back(e, h, C, W, b, dh, dC)
    total = {part: total[part] + dW[part] for part in "Cfio"}

layer(words)[0][:, -1].sum().backward()
by_torch, _ = from_torch({name[:-3]: w.grad for name, w in layer.named_parameters()})
off = max((total[part] - by_torch[part]).abs().max().item() for part in "Cfio")
print("30 steps, largest difference below 1e-10:", off < 1e-10)

# %% [markdown]
# So the gradient of the cell is multiplied by $f_t$ at each step (and receives a share through $h$).
