# %% [markdown]
# ## 10. A memory with gates
#
# The **LSTM**, *long short-term memory* (S. Hochreiter and J. Schmidhuber, 1997; the forget gate came with F. Gers and
# others, 2000), carries a *cell* $C_t$, $k$ numbers, beside $h_t$. At each step three **gates**, numbers between 0 and 1
# made by a sigmoid $\sigma(a) = 1 / (1 + e^{-a})$, decide for every one of them:
#
# - the forget gate $f_t$: how much of the old number stays;
# - the input gate $i_t$: how much of a new candidate $\tilde C_t$ is added;
# - the output gate $o_t$: how much of it shows, as the state $h_t$.
#
# The old number is *multiplied by a gate*, and something is *added* to it; there is no tanh around it and no matrix
# before it. One step with $k = 3$, gate by gate ($\star$ multiplies entry by entry):

# %% folded="draws the gates in numbers" alt="Four rows of three numbers each: forget multiplies the old cell, write multiplies the new content, add sums the two, and show multiplies the tanh of the sum to give the state."
drawings.lstm_gates()

# %% [markdown]
# The first number is kept, the second overwritten but not shown, the third half kept and half overwritten.

# %% [markdown] statement="lstm_step"
# This is how lecture 004 prints it; $[\cdot, \cdot]$ joins two vectors to one, each $W$ has shape $[k, d + k]$:
#
# $$\begin{aligned}\tilde C_t &= \tanh(W_C[e_t, h_{t-1}] + b_C) & f_t &= \sigma(W_f[x_t, h_{t-1}] + b_f)\\
# i_t &= \sigma(W_i[x_t, h_{t-1}] + b_i) & o_t &= \sigma(W_o[x_t, h_{t-1}] + b_o)\\
# C_t &= i_t \star \tilde C_t + f_t \star C_{t-1} & h_t &= o_t \star \tanh(C_t)\end{aligned}$$
#
# Not everything here fits the letters of this chapter: one symbol, perhaps in several places, stands for the wrong thing.
# Set `misprint`. Then write `lstm_step`, one step for a whole batch.

# %% [markdown] hints="lstm_step"
# 1. A matrix and a vector must fit. Count the columns of each $W$, and the entries of what stands in its brackets.
# 2. A batch has one word in each row, so products read *row times transposed matrix*.
# 3. Put `e` and `h` side by side once; four affine maps of it, one through tanh and three through the sigmoid; then the
#    last line of the equations. The new $h$ needs the *new* $C$.


# %% task="lstm_step" points=4 level=1 minutes=15
# misprint = ("the printed symbol", "the right one"), each written like "C_t"
### BEGIN SOLUTION
misprint = ("x_t", "e_t")
### END SOLUTION


def lstm_step(e, h, C, W, b):
    """New (h [B, k], C [B, k]) from e [B, d], h [B, k], C [B, k]; W and b: dicts with the keys "C", "f", "i", "o".

    All of these stay as they are: the new h and C are new tensors.
    """
    ### BEGIN SOLUTION
    x = torch.cat([e, h], dim=-1)
    a = {part: x @ W[part].T + b[part] for part in "Cfio"}
    C = torch.sigmoid(a["i"]) * torch.tanh(a["C"]) + torch.sigmoid(a["f"]) * C
    return torch.sigmoid(a["o"]) * torch.tanh(C), C
    ### END SOLUTION


# %% test="lstm_step" aspect="the misprinted symbol" points=1
assert np.shape(misprint) == (2,), (
    f"misprint is a pair (printed, right); yours: {misprint!r}."
)
_printed, _right = (str(_symbol).strip("$ ") for _symbol in misprint)
assert _printed != _right, "The printed symbol and the right one should differ."
assert {_printed, _right} <= {
    "C_t",
    "C_{t-1}",
    "e_t",
    "x_t",
    "h_t",
    "h_{t-1}",
    "f_t",
    "i_t",
    "o_t",
    "E",
    "b_C",
}, f"Take both symbols from the text, written like C_t; yours: {misprint!r}."
### BEGIN HIDDEN TESTS
assert (_printed, _right) == ("x_t", "e_t"), (
    f"Not {misprint!r}: look for the vector that does not fit its matrices."
)
### END HIDDEN TESTS

# %% test="lstm_step" aspect="half-open gates, by hand" points=1
_W = {part: torch.zeros(1, 3).double() for part in "Cfio"}
_b = {part: torch.zeros(1).double() for part in "Cfio"} | {"C": torch.ones(1).double()}
_got = lstm_step(
    torch.ones(2, 2).double(),
    torch.ones(2, 1).double(),
    torch.full((2, 1), 0.4).double(),
    _W,
    _b,
)
expect(_got, "h, C")
_h, _C = _got
assert np.shape(_h) == np.shape(_C) == (2, 1), (
    "h and C should both have the shape [B, k]."
)
assert close(_C[0, 0], 0.5 * math.tanh(1) + 0.2, 1e-5), (
    f"Gates at 1/2: C = ½ tanh(1) + ½ · 0.4 = .5808; yours: {_C[0, 0]:.4f}."
)
assert close(_h[1, 0], 0.5 * math.tanh(0.5 * math.tanh(1) + 0.2), 1e-5), (
    f"h = ½ tanh(C) = .2617, with the new C; yours: {_h[1, 0]:.4f}."
)
### BEGIN HIDDEN TESTS
_B, _d, _k = size("B"), size("d", large=None), size("k", large=None)
_e, _h, _C = (tensor(_B, _width, kind="float64") for _width in (_d, _k, _k))
_both = made(lambda rng, d, k: d + k, _d, _k)
_W, _b = (
    made(lambda rng, parts: dict(zip("foiC", parts, strict=True)), _parts)
    for _parts in (
        tensor(4, _k, _both, kind="float64", scale=0),
        tensor(4, _k, kind="float64"),
    )
)
agrees(lstm_step, ours.lstm_step, _e, _h, _C, _W, _b, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="lstm_step" aspect="each gate does its own" points=1
_cases = [(1, 0, 1, 0.3), (0, 1, 1, 0.3), (1, 1, 0, 0.3), (0, 0, 1, 0.3)]
for _f, _i, _o, _old in _cases:
    _W = {part: torch.zeros(1, 2).double() for part in "Cfio"}
    _b = {
        part: torch.full((1,), 80.0 * gate - 40).double()
        for part, gate in zip("fio", (_f, _i, _o), strict=True)
    }
    _one, _C = torch.ones(1, 1).double(), torch.full((1, 1), _old).double()
    _got = lstm_step(
        _one, _one.clone(), _C, _W, _b | {"C": torch.full((1,), 0.5).double()}
    )
    expect(_got, "h, C")
    _wanted = _f * _old + _i * math.tanh(0.5)
    assert close(_got[1], [[_wanted]], 1e-5, 1e-6), (
        f"Gates f = {_f}, i = {_i}, old C = {_old:.2f}, candidate tanh(.5): C should be {_wanted:.4f}; yours: {_got[1]}."
    )
    assert close(_got[0], [[_o * math.tanh(_wanted)]], 1e-5, 1e-6), (
        f"Output gate o = {_o} and C = {_wanted:.4f}: h should be {_o * math.tanh(_wanted):.4f}; yours: {_got[0]}."
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
agrees(lstm_step, ours.lstm_step, _e, _h, _C, _W, _b, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="lstm_step" aspect="word first, then state" points=1
_W = {part: torch.zeros(1, 3).double() for part in "Cfio"}
_b = {part: torch.full((1,), 40.0).double() for part in "fio"} | {
    "C": torch.zeros(1).double()
}
_W["C"][0] = torch.tensor([0.1, 0.2, 0.4])
_got = lstm_step(
    torch.tensor([[1.0, 0.0]]).double(),
    torch.ones(1, 1).double(),
    torch.zeros(1, 1).double(),
    _W,
    _b,
)
expect(_got, "h, C")
assert close(_got[1], [[math.tanh(0.5)]], 1e-5), (
    f"W_C [1, 0, h=1] = .1 + .4, so C = tanh(.5) = .4621; yours: {_got[1]}. Which comes first, e or h?"
)
### BEGIN HIDDEN TESTS
_B, _d, _k = size("B"), size("d", large=None), size("k", large=None)
_e, _h, _C = (tensor(_B, _width, kind="float64") for _width in (_d, _k, _k))
_both = made(lambda rng, d, k: d + k, _d, _k)
_W, _b = (
    made(lambda rng, parts: dict(zip("foiC", parts, strict=True)), _parts)
    for _parts in (tensor(4, _k, _both, kind="float64"), tensor(4, _k, kind="float64"))
)
agrees(lstm_step, ours.lstm_step, _e, _h, _C, _W, _b, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS


# %% folded="draws the cell" alt="Above a straight line carries the cell past a product and a sum. Below, state and word feed four boxes: forget, write, new content and show, whose results meet that line."
drawings.lstm_cell()

# %% [markdown]
# Along the top runs the cell, past one multiplication and one addition: a conveyor belt. The four grey
# boxes hold all the weights; each reads the word and the last state.
#
# <details><summary>The same cell in torch</summary>
#
# `nn.LSTMCell` and `nn.LSTM` keep four blocks of $k$ rows in one matrix `weight_ih` $[4k, d]$ for the word and one
# `weight_hh` $[4k, k]$ for the state, in the order $i, f, \tilde C, o$. They have *two* biases, `bias_ih` and `bias_hh`,
# which do what their sum would do.
# </details>


# %%
def from_torch(state):
    """The dicts (W, b) of lstm_step from the state_dict of an nn.LSTMCell."""
    W = torch.cat([state["weight_ih"], state["weight_hh"]], dim=1).chunk(4)
    b = (state["bias_ih"] + state["bias_hh"]).chunk(4)
    return dict(zip("ifCo", W, strict=True)), dict(zip("ifCo", b, strict=True))


# %%
set_seed(1)
cell = nn.LSTMCell(100, 100)
e, h, C = torch.randn(1, 100), torch.randn(1, 100), torch.randn(1, 100)
W, b = from_torch(cell.state_dict())
pairs = zip(lstm_step(e, h, C, W, b), cell(e, (h, C)), strict=True)
print("the same to 1e-5:", all(torch.allclose(*two, atol=1e-5) for two in pairs))
lstm_size = sum(part.numel() for table in (W, b) for part in table.values())
print(f"d = k = 100: {lstm_size:,} numbers; an RNN has {100 * 200 + 100:,}")
