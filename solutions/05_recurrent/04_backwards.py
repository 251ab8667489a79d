# %% [markdown]
# ## 4. Backwards through the gates, once by hand
#
# An LSTM has four times the weights of an RNN. What do we get for them? Section 1 ended with a bad bargain: the better the memory, the less gradient. Let us see whether the cell has escaped from it, and let us really *see* it, by sending a gradient backwards through one step with our own hands. It is the one longer calculation in this chapter. You need it once in your life, and then you can leave it to autograd with a good conscience.
#
# Imagine that the text goes on after step $t$, and that somebody has already worked backwards through the rest of it. From there, two gradients arrive at our step: $dh = \partial \ell / \partial h_t$ and $dC = \partial \ell / \partial C_t$, where $\ell$ is the loss. The second one is what reaches the cell on its conveyor belt, from step $t + 1$. We have to find the gradients of everything that the step *read*: $e_t$, $h_{t-1}$, $C_{t-1}$, the weights and the biases.
#
# Start with the easiest one. On the conveyor belt, $C_t = f_t \star C_{t-1} + i_t \star \tilde C_t$. If $C_{t-1}$ changes a little, then $C_t$ changes by $f_t$ times as much. So whatever gradient has reached $C_t$ goes on to $C_{t-1}$ multiplied by the forget gate:
#
# $$\frac{\partial \ell}{\partial C_{t-1}} = f_t \star \frac{\partial \ell}{\partial C_t}.$$
#
# There is no matrix in this line, and no $1 - h^2$. If the gate is open, the gradient passes *as it is*. The same gate that protects the content on its way forwards protects the gradient on its way back. That is the whole trick of the LSTM. You will meet it again in every Transformer, where it is called the *residual connection*.
#
# There is one thing to watch. The new cell has *two* ways to the loss: on the conveyor belt (that is the $dC$ which arrives), and through $h_t = o_t \star \tanh(C_t)$. When something has several ways to the loss, their contributions add up. And one rule makes the rest easy: the slope of the sigmoid can be written with its own value, $\sigma' = \sigma\,(1 - \sigma)$, just as that of the tanh is $1 - \tanh^2$.

# %% [markdown] statement="lstm_back"
# ### One step back
#
# Write `lstm_back(e, h, C, W, b, dh, dC)`. The first five are what `lstm_step` has read, so `h` and `C` are the *old* ones, and you will have to compute the gates again. `dh` and `dC` are the two gradients that arrive, with respect to the *new* $h$ and the new $C$. Return the gradients `(de, dh, dC, dW, db)` with respect to the first five. All texts of the batch share the weights, so `dW` and `db` are sums over the batch.
#
# Do it with pencil and paper first, for $B = k = 1$; for larger sizes the products become products of entries. No autograd here: one check switches it off. When it works, you will send a gradient back through a whole text, and see how far it comes.

# %% [markdown] hints="lstm_back"
# 1. Go backwards through the right column of the equations, from the bottom to the top, and then through the four maps. Which quantities
#    have more than one way to the loss? Their shares add up.
# 2. The new $C$ has two: by itself (that is `dC`), and through $h_t = o_t \star \tanh(C_t)$. With that sum you have what
#    reaches $f_t$, $i_t$, $\tilde C_t$ and the old $C$, each by the product rule.
# 3. Times the slope of its activation function, each of these gives a $\delta$ of shape $[B, k]$: one for each of
#    the four parts. A map $a = W x + b$ gives $\delta^\top x$ to $W$, the sum of $\delta$ to $b$, and $\delta W$ back to $x = [e, h]$, where the
#    shares of all four add up.


# %% task="lstm_back" points=5 level=3 minutes=35
def lstm_back(e, h, C, W, b, dh, dC):
    """(de [B, d], dh [B, k], dC [B, k], dW, db): gradients with respect to what lstm_step(e, h, C, W, b) read.

    dh, dC: those with respect to the new h and the new C. dW and db have the keys and shapes of W and b.
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
# ### A whole text
#
# Repeat this one step from the last token to the first, and you have **backpropagation through time**. Here is a text of 30 tokens: forwards with your `lstm_step`, backwards with your `lstm_back`. For comparison, torch does the same with `nn.LSTM` and autograd. (torch keeps the four matrices in one, in the order $i, f, \tilde C, o$, and it has two biases that are added up.)


# %%
def parts_of(weights):
    """The dicts (W, b) of lstm_step from the four weights of torch's nn.LSTM (or from their gradients)."""
    word, state, one, two = weights
    rows = torch.cat([word, state], dim=1).chunk(4)
    return dict(zip("ifCo", rows, strict=True)), dict(
        zip("ifCo", (one + two).chunk(4), strict=True)
    )


set_seed(3)
layer, texts = nn.LSTM(5, 4, batch_first=True).double(), torch.randn(2, 30, 5).double()
W, b = parts_of([weight.detach() for weight in layer.parameters()])
h = C = torch.zeros(2, 4).double()
read = []
for e in texts.unbind(1):
    read.append((e, h, C))
    h, C = lstm_step(e, h, C, W, b)

dh, dC = torch.ones_like(h), torch.zeros_like(C)  # the loss is the sum of the last h
total = dict.fromkeys(PARTS, 0)
for e, h, C in reversed(read):
    _, dh, dC, dW, _ = lstm_back(e, h, C, W, b, dh, dC)
    total = {part: total[part] + dW[part] for part in PARTS}

layer(texts)[0][:, -1].sum().backward()
by_torch, _ = parts_of([weight.grad for weight in layer.parameters()])
off = max((total[part] - by_torch[part]).abs().max().item() for part in PARTS)
print("30 steps, the largest difference is below 1e-10:", off < 1e-10)

# %% [markdown]
# Your hands have done what autograd does, to ten decimals. From now on, autograd may do it.
#
# ### How far does it come?
#
# And now the question of section 2 again: how much of a gradient arrives after many steps? If the forget gate were constant, $f = \sigma(b_f)$, the answer would be $f$ to the power of the steps. Your `forget_bias` chooses $b_f$ for a given half-life. In the next cell your two functions run over the same text of 60 words as in section 2, with small random weights, for four half-lives. The dashed lines are the prediction. Do the measured lines follow it?

# %% alt="The gradient of the cell by steps back on a logarithmic scale: straight lines that fall fast for half-life 1 and hardly at all for half-life 100, each along its dashed prediction."
set_seed(2)
random_W = {part: torch.randn(width, 2 * width) / 200 for part in PARTS}


def cell_gradients(half_life):
    """Lengths of the gradients of sum(C_T) with respect to C_T, C_(T-1), ..., by your two functions."""
    b = {part: torch.zeros(width) for part in PARTS}
    b["f"] = torch.full((width,), float(forget_bias(half_life)))
    h, C, read = torch.zeros(1, width), torch.zeros(1, width), []
    for e in story[:, None]:
        read.append((e, h, C))
        h, C = lstm_step(e, h, C, random_W, b)
    dh, dC = torch.zeros_like(h), torch.ones_like(C)
    lengths = []
    for e, h, C in reversed(read):
        lengths.append(float(dC.norm()) / width**0.5)
        _, dh, dC, _, _ = lstm_back(e, h, C, random_W, b, dh, dC)
    return lengths


_, axes = plt.subplots()
for half_life, colour in zip((1, 5, 20, 100), plots.COLOURS, strict=False):
    axes.semilogy(
        cell_gradients(half_life), color=colour, label=f"half-life {half_life}"
    )
    axes.semilogy([0, 59], [1, 2 ** (-59 / half_life)], "--", color=colour, linewidth=1)
axes.set(
    title="The gradient lives as long as the memory",
    xlabel="steps back, $T - t$ (dashed: predicted)",
    ylabel="length of the gradient (log)",
    ylim=(1e-8, 3),
)
axes.legend(loc="lower left")
plt.show()

# %% [markdown]
# The lines lie almost on the prediction. (Not exactly: the gates also depend on the words and on the state, and a part of the gradient takes the way through $h$.) So in an LSTM, memory and gradient have the *same* half-life, and it is a number that a single bias sets. The bad bargain is off. With a half-life of 100, a word 60 steps back still gets two thirds of the gradient.
