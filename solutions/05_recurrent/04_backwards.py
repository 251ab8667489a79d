# %% [markdown]
# ## 4. Backwards through the gates, once by hand
#
# Your first model has learned. Has a gradient come back to it through its gates, how much of it, and by which way? To *see* that, we send a gradient back through
# one step with our own hands. It is the one longer calculation of this chapter. You need it once in your life, and then you can leave it to autograd with a good
# conscience.
#
# The step is that of `lstm_step`. It has read a token $e_t$ of $d$ numbers, an old state $h_{t-1}$ and an old cell $C_{t-1}$ of $k$ numbers each, and each of its
# four parts has a matrix $W$ and a bias $b$.
#
# **What arrives.** The text goes on after step $t$. Imagine that somebody has already worked backwards through all of the rest. From there, two gradients of the
# loss $\ell$ arrive at our step:
#
# - $dh$ is the gradient of $h_t$, and it is complete. Three things have read $h_t$: the scores of step $t$, and the gates and the candidate of step $t+1$. What
#   comes back from them is already in $dh$.
# - $dC$ comes back along the belt, from $C_{t+1}$. It is *not* complete. $C_t$ has two readers: the next cell, and $h_t = o_t \star \tanh(C_t)$. What arrives
#   as $dC$ is the answer of the first one only. The answer of the second is the first thing that we compute, in Step 1.
#
# **An example to follow.** Take $k = 1$ and $d = 1$, with $C_{t-1} = 1$, the gates $f = 0.9$, $i = 0.5$ and $o = 0.5$, and the candidate $\tilde C = 0.4$.
# Forwards the step has computed $C_t = 0.9 \cdot 1 + 0.5 \cdot 0.4 = 1.1$, then $\tanh(1.1) = 0.80$ and $h_t = 0.40$. Now $dh = 1$ and $dC = 0.2$ arrive. Four
# steps lead back from here.

# %% [markdown]
# **Step 1: complete the gradient of $C_t$.** The cell has two ways to the loss: along the belt, and through $h_t = o_t \star \tanh(C_t)$. When something acts in
# several ways, their contributions add up:
#
# $$G = dC + dh \star o_t \star (1 - \tanh^2 C_t).$$
#
# In the example, the slope of the tanh is $1 - 0.80^2 = 0.36$, so $G = 0.2 + 1 \cdot 0.5 \cdot 0.36 = 0.38$. From here on, $G$ is *the* gradient of $C_t$, and we
# use it instead of the $dC$ that arrived.
#
# **Step 2: through the equations of $C_t$ and $h_t$.** In $C_t = f_t \star C_{t-1} + i_t \star \tilde C_t$, each factor is multiplied by a partner. If $C_{t-1}$
# changes a little, $C_t$ changes $f_t$ times as much. So the gradient of each factor is $G$ times its partner. The output gate stands in the other equation, $h_t
# = o_t \star \tanh(C_t)$, so it gets $dh$ times its partner there.
#
# | gradient of | is | in the example |
# |---|---|---|
# | $C_{t-1}$, along the belt | $G \star f_t$ | $0.38 \cdot 0.9 = 0.34$ |
# | $f_t$ | $G \star C_{t-1}$ | $0.38 \cdot 1 = 0.38$ |
# | $\tilde C_t$ | $G \star i_t$ | $0.38 \cdot 0.5 = 0.19$ |
# | $i_t$ | $G \star \tilde C_t$ | $0.38 \cdot 0.4 = 0.152$ |
# | $o_t$ | $dh \star \tanh(C_t)$ | $1 \cdot 0.80 = 0.80$ |
#
# The first row is the one for which we came. On the way from $G$ to $C_{t-1}$ there is no matrix, and no slope of a tanh. (The 0.34 is what the token before will
# receive as its $dC$. It is not complete either, and is completed there in the same way.) If the gate is open, the gradient passes *as it is*. The same gate that
# protects the content on its way forwards protects the gradient on its way back. This is the idea of the LSTM. (Transformers, in chapter 06 and later, have a
# relative of it without a gate, the *residual connection*.)

# %% [markdown]
# **Step 3: through the activation functions.** The forget gate is $f = \sigma(a_f)$ with $a_f = W_f\,[e_t, h_{t-1}] + b_f$. The slope of a sigmoid can be written
# with its own value, $\sigma' = \sigma\,(1 - \sigma)$, just as that of the tanh is $1 - \tanh^2$. In the example it is $0.9 \cdot 0.1 = 0.09$. So the gradient of
# $a_f$, which we call $\delta_f$, is $0.38 \cdot 0.09 = 0.034$. Each of the other three parts has its own $\delta$, made in the same way.
#
# **Step 4: through the weights.** Write $x = [e_t, h_{t-1}]$ for what all four parts have read, and let it be $(2, 0.5)$ in the example. Each weight was
# multiplied by a number of $x$. So the gradient of $W_f$ is $\delta_f$ times $x$, that is, $0.034 \cdot (2, 0.5) = (0.068, 0.017)$. The gradient of $b_f$ is
# $\delta_f$ itself. And $x$ was multiplied by the weights, so it gets $\delta_f$ times $W_f$. If $W_f$ is $(0.3, -0.2)$, this is $(0.010, -0.007)$. All four
# parts have read $x$, so its gradient is the sum of four such contributions.
#
# Now you: do steps 3 and 4 for the input gate, with pencil and paper. The gradient of $i_t$ is 0.152, from the table of step 2, and the gate itself is $i = 0.5$.
# (You should find $\delta_i = 0.152 \cdot 0.5 \cdot 0.5 = 0.038$, for $W_i$ the gradient
# $(0.076, 0.019)$, and for $b_i$ again 0.038.) Then the function is the same four steps, for arrays.

# %% [markdown] statement="lstm_back"
# ### One step back
#
# Write `lstm_back(e, h, C, W, b, dh, dC)`. The first five are what `lstm_step` has read, so `h` and `C` are the *old* ones, and you will have to compute the
# gates again. `dh` and `dC` are the two gradients that arrive, for the *new* $h$ and along the belt. Return the five gradients `(de, dh_old, dC_old, dW, db)` of
# what the step has read.
#
# For larger sizes, the products of steps 1 to 3 become products entry by entry. In step 4 they become matrix products: $\delta$ with $x$ gives the gradient
# of $W$, and $\delta$ with $W$ gives that of $x$. And all texts of the batch share the weights, so `dW` and `db` are sums over the batch.
#
# No autograd here: one check switches it off. When it works, you will send a gradient back through a whole text, and see how far it comes.

# %% [markdown] hints="lstm_back"
# 1. Compute forwards first, and keep the gates, the candidate and $\tanh(C_t)$. Then take the four steps of the text in their order. Which of
#    the results are products entry by entry?
# 2. The new $C$ has two ways to the loss: along the belt (that is `dC`), and through $h_t = o_t \star \tanh(C_t)$. With that sum $G$ you have what
#    reaches $f_t$, $i_t$, $\tilde C_t$ and the old $C$, each by the product rule.
# 3. Times the slope of its activation function, each of these gives a $\delta$ of shape $[B, k]$: one for each of
#    the four parts. A map $a = W x + b$ gives $\delta^\top x$ to $W$, the sum of $\delta$ to $b$, and $\delta W$ back to $x = [e, h]$, where the
#    contributions of all four add up.


# %% task="lstm_back" points=5 level=3 minutes=40
def lstm_back(e, h, C, W, b, dh, dC):
    """(de [B, d], dh_old [B, k], dC_old [B, k], dW, db): gradients of what lstm_step(e, h, C, W, b) has read.

    dh, dC [B, k]: those that arrive, for the new h and along the belt. dW and db have the keys and shapes of W and b.
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
expect(_got, "de, dh_old, dC_old, dW, db")
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
    expect(_got, "de, dh_old, dC_old, dW, db")
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
        expect(_got, "de, dh_old, dC_old, dW, db")
        assert np.shape(_got[2]) == (_B, _k), (
            f"dC_old has the shape of C, {(_B, _k)}; yours: {np.shape(_got[2])}."
        )
        assert close(_got[2], _wanted[2], 1e-4, 1e-6), (
            f"What comes from later is {_why}: the gradient of the old C is off. "
            "The new C has two ways to the loss, through h and by itself; the old C has one, through a gate."
        )

# %% test="lstm_back" aspect="back into token and state" points=1
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
    expect(_got, "de, dh_old, dC_old, dW, db")
    for _name, _one, _two in zip(("de", "dh_old"), _got, _wanted, strict=False):
        assert np.shape(_one) == tuple(_two.shape), (
            f"{_name}: shape {tuple(_two.shape)} wanted; yours: {np.shape(_one)}."
        )
        assert close(_one, _two, 1e-4, 1e-6), (
            f"B = {_B}, d = {_d}, k = {_k}: {_name} is off. All four parts have read token and state, token first."
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
    expect(_got, "de, dh_old, dC_old, dW, db")
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
expect(_usual, "de, dh_old, dC_old, dW, db")
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
    for _parts in (
        tensor(4, _k, _both, kind="float64"),
        tensor(4, _k, kind="float64", edges=("huge",)),
    )
)
_later = [tensor(_B, _k, kind="float64", scale=choice(1, 1e8)) for _ in range(2)]
_C = tensor(_B, _k, kind="float64", scale=choice(1, 1000))
_given = _e, _h, _C, _W, _b, *_later
for _by in (without_autograd, None):
    agrees(lstm_back, ours.lstm_back, *_given, by=_by, rtol=1e-4, atol=1e-6)
_given = (
    *(tensor(_B, _width) for _width in (_d, _k, _k)),
    *(
        made(lambda rng, parts: dict(zip("foiC", parts, strict=True)), _parts)
        for _parts in (tensor(4, _k, _both, scale=0.3), tensor(4, _k))
    ),
    *(tensor(_B, _k) for _ in range(2)),
)
agrees(lstm_back, ours.lstm_back, *_given, rtol=1e-2, atol=1e-2, mixtures=2)
### END HIDDEN TESTS


# %% [markdown]
# ### A whole text
#
# Repeat this one step from the last token to the first, and you have **backpropagation through time**. The next cell does it with a text of 30 tokens: forwards
# with your `lstm_step`, backwards with your `lstm_back`. For comparison, torch does the same with `nn.LSTM` and autograd. (torch keeps the four matrices in one,
# in the order $i, f, \tilde C, o$, and it has two biases that are added up.)


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
by_hand = []  # de of each step, from the last token to the first
sum_W, sum_b = dict.fromkeys(PARTS, 0), dict.fromkeys(PARTS, 0)
for e, h, C in reversed(read):
    de, dh, dC, dW, db = lstm_back(e, h, C, W, b, dh, dC)
    by_hand.append(de)
    sum_W = {part: sum_W[part] + dW[part] for part in PARTS}
    sum_b = {part: sum_b[part] + db[part] for part in PARTS}

layer(texts.requires_grad_())[0][:, -1].sum().backward()
torch_W, torch_b = parts_of([weight.grad for weight in layer.parameters()])
# each of torch's two biases gets the whole gradient, so their sum is twice as much
pairs = [(sum_W[part], torch_W[part]) for part in PARTS]
pairs += [(sum_b[part], torch_b[part] / 2) for part in PARTS]
pairs.append((torch.stack(by_hand[::-1], 1), texts.grad))
off = max((one - two).abs().max().item() for one, two in pairs)
print("30 steps; dW, db and de differ by less than 1e-10:", off < 1e-10)

# %% [markdown]
# Your hands have done what autograd does, to ten decimals: for the weights, for the biases and for the tokens. For a whole training, autograd may do it from now
# on. For the next figure we need your function once more, since it shows each single step.

# %% [markdown]
# ### How far does it come?
#
# And now the question of section 2 again: how much of a gradient arrives after many steps? We start at the end of a text and go back step by step. After each
# step we measure the length of `dC_old`, the third answer of your `lstm_back`. It is what the belt brings, before Step 1 of the next call adds the part that
# comes through $h_{t-1}$. (With that part the lines would be a little higher, and of the same shape.) Our loss is the sum of the last cell $C_T$, divided by
# $\sqrt{k}$. So the first gradient has $k$ equal numbers, and its length is 1.
#
# What should we expect? *On the belt*, by Step 2, each step back multiplies the gradient by $f_t$. Suppose that the forget gate has the same value
# $f = \sigma(b_f)$ at every step. Then half of the gradient is left after as many steps as the half-life of the memory. With half-life 100, two thirds are left
# after 60 steps. With half-life 1, like your first model at its start, a thousandth is left after ten.
#
# But there is a second way back. The gates and the candidate of step $t$ have read $h_{t-1}$, and $h_{t-1}$ was made from $C_{t-1}$:
#
# $$C_{t-1} \;\rightarrow\; \tanh \;\rightarrow\; \text{times } o_{t-1} \;\rightarrow\; h_{t-1} \;\rightarrow\; \text{a gate or the candidate of step } t
# \;\rightarrow\; C_t$$
#
# A gradient runs along this chain from right to left, too. We call it the **detour**. It leads through a weight matrix, that of the gate or of the candidate.
#
# The next cell takes the 60 random tokens of section 2, and random weights as your class `LSTM` starts with them, from six seeds. Your `forget_bias` sets $b_f$
# to half-lives of 100 and of 1. The dashed lines show what the belt alone would leave. Will the detours make the gradient smaller or larger than that? Make one
# guess for each half-life.

# %% alt="The gradient of the cell by steps back for six starts of the real LSTM and two half-lives, on a logarithmic scale. With half-life 100 all six lines climb above the dashed prediction; with half-life 1 all fall steeply, but more slowly than the dashed line."


def cell_gradients(half_life, W, e_all):
    """Lengths of dC, what comes back to C_T, C_(T-1), ..., for the loss sum(C_T) / sqrt(k)."""
    b = {part: torch.zeros(width) for part in PARTS}
    b["f"] = torch.full((width,), float(forget_bias(half_life)))
    h, C, read = torch.zeros(1, width), torch.zeros(1, width), []
    for e in e_all[:, None]:
        read.append((e, h, C))
        h, C = lstm_step(e, h, C, W, b)
    dh, dC = torch.zeros_like(h), torch.ones_like(C) / width**0.5
    lengths = []
    for e, h, C in reversed(read):
        lengths.append(float(dC.norm()))
        _, dh, dC, _, _ = lstm_back(e, h, C, W, b, dh, dC)
    return lengths


starts = []
for seed in range(6):
    set_seed(seed)
    starts.append({part: W.detach() for part, W in LSTM(width, width).W.items()})
grown = {
    half_life: [cell_gradients(half_life, W, story) for W in starts]
    for half_life in (100, 1)
}
_, axes = plt.subplots()
for (half_life, found), colour in zip(grown.items(), plots.COLOURS, strict=False):
    for lengths_back in found:
        axes.semilogy(lengths_back, color=colour, linewidth=1)
    axes.semilogy([], [], color=colour, label=f"half-life {half_life}, six starts")
    axes.semilogy([0, 59], [1, 2 ** (-59 / half_life)], "--", color=colour)
axes.set(
    title="How far does a gradient come in an LSTM?",
    xlabel="steps back, $T - t$ (dashed: the belt alone)",
    ylabel="length of $dC$ (log)",
)
axes.legend(loc="lower left")
plt.show()
for half_life, found in grown.items():
    print(f"half-life {half_life}:")
    for back in (2, 5, 10, 20, 59):
        left = [lengths_back[back] for lengths_back in found]
        print(
            f"{back:4} steps back: the belt alone {2 ** (-back / half_life):8.2g}, "
            f"with detours, on average {np.mean(left):8.2g}"
        )
print(
    "\nhalf-life 100, 59 steps back, from the smallest to the largest of the six starts:"
)
for larger in (1, 20):
    left = [cell_gradients(100, W, larger * story)[59] for W in starts]
    print(
        f"tokens of size {0.05 * larger:4}: {min(left):3.0f} to {max(left):3.0f} times"
    )

# %% [markdown]
# In both cases the detours make the gradient larger than the belt alone would leave it.
#
# With half-life 100 the gradient grows: 59 steps back it is about a hundred times as long as at the end of the text. This is an **exploding gradient**,
# before your eyes. On the belt each step multiplies it by 0.993. To become a hundred times as long in 59 steps, it must be multiplied by about 1.08 in each,
# on average. The belt alone gives 0.993, and the detours raise it to 1.08. So with these gates the gradient does not vanish. How much it grows depends on the
# tokens. The numbers of ours have a size of 0.05, and with them the gradient becomes 18 to 246 times as long. With numbers of size 1, as in the embedding
# with which your first model started, it becomes only 3 to 23 times as long. With larger tokens the cell becomes larger, and then the slope of
# $\tanh(C_{t-1})$ is smaller, through which each detour leads. (The last two lines print how much less the gradient grows, for a state of 32 numbers.)
#
# With half-life 1 it vanishes all the same. How, then, could a model that starts like this learn anything? The printed lines give a hint. Two steps back, what
# comes along the belt, `dC`, is about a quarter as long, and five steps back about a twentieth. To learn which letters follow each other, that may be enough.
# In section 7 we will test it: we train a network whose gradients end after eight steps.
#
# Besides, the gates are half open only at the *start*. Training can change them. In section 7 you will look at the gates of your trained network.
