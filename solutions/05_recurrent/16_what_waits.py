# %% [markdown] statement="lstm_layer"
# ## 16. What waits, and what need not
#
# A loop over words runs many small products one after the other. But $W[e_t, h_{t-1}] = W_x e_t + W_h h_{t-1}$, if
# $W_x$ are the first $d$ columns of $W$ and $W_h$ the others, and no
# $e_t$ waits for a state. So compute all $W_x e_t + b$ at once, and all four parts in one product (blocks of $k$ in
# torch's order $i, f, \tilde C, o$):
#
# - `input_shares(e, W_x, b)`: $W_x e_t + b$ for all words, shape $[B, T, 4k]$;
# - `lstm_layer(a, h, C, W_h)`: from these shares the states $[B, T, k]$, and the last $h$ and $C$. One product in each
#   step is enough.
#
# Arguments may be views, such as a transposed batch.

# %% [markdown] hints="lstm_layer"
# 1. The first function needs no loop.
# 2. In the loop, add to the share of word $t$ what the last state brings, and cut the sum into four.
# 3. Replace `h` and `C` at each step, keep each `h`; at the end stack them along the time axis, which is the middle
#    one.


# %% task="lstm_layer" points=4 level=2 minutes=17
def input_shares(e, W_x, b):
    """[B, T, 4k] from e: [B, T, d], W_x: [4k, d], b: [4k]."""
    ### BEGIN SOLUTION
    return F.linear(e, W_x, b)
    ### END SOLUTION


def lstm_layer(a, h, C, W_h):
    """(states [B, T, k], h [B, k], C [B, k]) from a: [B, T, 4k], h: [B, k], C: [B, k], W_h: [4k, k]."""
    ### BEGIN SOLUTION
    states = []
    for a_t in a.unbind(1):
        i, f, new, o = torch.addmm(a_t, h, W_h.T).chunk(4, 1)
        C = torch.sigmoid(i) * torch.tanh(new) + torch.sigmoid(f) * C
        h = torch.sigmoid(o) * torch.tanh(C)
        states.append(h)
    return torch.stack(states, 1), h, C
    ### END SOLUTION


# %%
def only_states(a, h, C, W_h):
    return lstm_layer(a, h, C, W_h)[0]


# %% test="lstm_layer" aspect="shares of all words" points=1
_sizes = [(3, 5, 4, 2)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 4, 2, 3), (4, 1, 3, 2), (2, 6, 1, 1), (1, 1, 5, 2)]
### END HIDDEN TESTS
for _B, _T, _d, _k in _sizes:
    _e, _W_x, _b = (
        torch.randn(_B, _T, _d).double(),
        torch.randn(4 * _k, _d).double(),
        torch.randn(4 * _k).double(),
    )
    _got = input_shares(_e.clone(), _W_x.clone(), _b.clone())
    assert torch.is_tensor(_got) and _got.shape == (_B, _T, 4 * _k), (
        f"B = {_B}, T = {_T}, k = {_k}: shape {(_B, _T, 4 * _k)} wanted; yours: {tuple(getattr(_got, 'shape', ()))}."
    )
    _row, _t, _j = random.randrange(_B), random.randrange(_T), random.randrange(4 * _k)
    _wanted = ((_W_x[_j] * _e[_row, _t]).sum() + _b[_j]).item()
    assert close(_got[_row, _t, _j], _wanted, 1e-4, 1e-5), (
        f"Entry {_row, _t, _j} is {_got[_row, _t, _j]:.4f}, not {_wanted:.4f}."
    )
    assert close(_got, torch.einsum("btd,jd->btj", _e, _W_x) + _b, 1e-4, 1e-5), (
        "Some entry is not W_x e_t + b."
    )
### BEGIN HIDDEN TESTS
_e, _W_x, _b = torch.randn(3, 5, 8), torch.randn(8, 8), torch.randn(8)
_got = laid_out_otherwise(input_shares, _e, _W_x, _b)
assert close(_got, torch.einsum("btd,jd->btj", _e, _W_x) + _b, 1e-4, 1e-5), (
    "Some entry is not W_x e_t + b where e is a view and d = 4k."
)
_left = arguments_after(input_shares, _e.clone(), _W_x.clone(), _b.clone())
assert close(_left[0], _e) and close(_left[1], _W_x) and close(_left[2], _b), (
    "input_shares changed its arguments."
)
### END HIDDEN TESTS

# %% test="lstm_layer" aspect="equal to nn.LSTM" points=1
_sizes = [(2, 5, 3)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 6, 4), (3, 1, 5), (4, 7, 1), (1, 1, 2), (3, 8, 6)]
### END HIDDEN TESTS
for _B, _T, _k in _sizes:
    _layer = nn.LSTM(4, _k, batch_first=True).double()
    _e, _h, _C = (
        torch.randn(_B, _T, 4).double(),
        torch.randn(_B, _k).double(),
        torch.randn(_B, _k).double(),
    )
    _wanted, (_last_h, _last_C) = _layer(_e, (_h[None], _C[None]))
    _a = F.linear(
        _e, _layer.weight_ih_l0, _layer.bias_ih_l0 + _layer.bias_hh_l0
    ).detach()
    _W_h = _layer.weight_hh_l0.detach()
    _got = lstm_layer(_a.clone(), _h.clone(), _C.clone(), _W_h.clone())
    expect(_got, "states, h, C")
    assert np.shape(_got[0]) == tuple(_wanted.shape), (
        f"B = {_B}, T = {_T}: states of shape {tuple(_wanted.shape)} wanted; yours: {tuple(np.shape(_got[0]))}."
    )
    assert close(_got[0][:, 0], _wanted[:, 0].detach(), 1e-4, 1e-5), (
        "The first state already differs from nn.LSTM's."
    )
    assert close(_got[0], _wanted.detach(), 1e-4, 1e-5), (
        "The first state is right, later ones are not: do h and C both go on?"
    )
    assert close(_got[1], _last_h[0], 1e-4, 1e-5) and close(
        _got[2], _last_C[0], 1e-4, 1e-5
    ), (
        f"B = {_B}, T = {_T}: the last h or C, each of shape {(_B, _k)}, is not nn.LSTM's."
    )
### BEGIN HIDDEN TESTS
_left = arguments_after(lstm_layer, _a.clone(), _h.clone(), _C.clone(), _W_h.clone())
for _name, _one, _two in zip(
    ("a", "h", "C", "W_h"), _left, (_a, _h, _C, _W_h), strict=True
):
    assert close(_one, _two), f"lstm_layer changed the caller's {_name}."
_again = laid_out_otherwise(lstm_layer, _a, _h, _C, _W_h)
expect(_again, "states, h, C")
assert all(close(_again[i], _got[i], 1e-4, 1e-5) for i in range(3)), (
    "The same shares as a view of a transposed batch: your states are others."
)
_a, _W_h = torch.randn(2, 5, 12).double(), torch.randn(12, 3).double()
_a[:, 1::2] += 2000 * (torch.randint(2, (2, 2, 12)) * 2 - 1)  # gates wide open or shut
_h, _C, _wanted = torch.zeros(2, 3).double(), torch.zeros(2, 3).double(), []
_got = lstm_layer(_a.clone(), _h.clone(), _C.clone(), _W_h.clone())
for _t in range(5):
    _i, _f, _new, _o = (_a[:, _t] + _h @ _W_h.T).split(3, 1)
    _C = _i.sigmoid() * _new.tanh() + _f.sigmoid() * _C
    _h = _o.sigmoid() * _C.tanh()
    _wanted.append(_h)
expect(_got, "states, h, C")
assert close(_got[0], torch.stack(_wanted, 1), 1e-4, 1e-5), (
    "With shares of ±2,000 gates are open or shut and the states as good as any; yours are not."
)
### END HIDDEN TESTS

# %% test="lstm_layer" aspect="no state sees the future" points=1
_cases = [(2, 6, 3)]
### BEGIN HIDDEN TESTS
_cases += [(3, 5, 0), (4, 7, 5), (1, 4, 1), (3, 2, 0)]
### END HIDDEN TESTS
for _B, _T, _t in _cases:
    _a, _W_h = torch.randn(_B, _T, 8).double(), torch.randn(8, 2).double()
    _h, _C = torch.randn(_B, 2).double(), torch.randn(_B, 2).double()
    _other = _a.clone()
    _other[:, _t + 1 :] += 1 + torch.rand(_B, _T - _t - 1, 8)
    _one, _two = (
        lstm_layer(part.clone(), _h.clone(), _C.clone(), _W_h.clone())[0]
        for part in (_a, _other)
    )
    assert np.shape(_one) == np.shape(_two) == (_B, _T, 2), (
        f"States of shape {(_B, _T, 2)} wanted; yours: {tuple(np.shape(_one))}."
    )
    assert torch.equal(_one[:, : _t + 1], _two[:, : _t + 1]), (
        f"Of {_T} words those from {_t + 2} on changed, and a state before them did too."
    )
    for _s in range(_t + 1, _T):
        assert not close(_one[:, _s], _two[:, _s]), (
            f"Of {_T} words those from {_t + 2} on changed, but the state after word {_s + 1} did not."
        )

# %% test="lstm_layer" aspect="gradients through all steps" points=1
_sizes = [(2, 5, 3)]
### BEGIN HIDDEN TESTS
_sizes += [(3, 4, 2), (1, 6, 1), (4, 1, 5), (2, 40, 3), (1, 130, 2)]
### END HIDDEN TESTS
for _B, _T, _k in _sizes:
    _parts = [
        torch.randn(*shape).double()
        for shape in ((_B, _T, 4 * _k), (_B, _k), (_B, _k), (4 * _k, _k))
    ]
    _asked = [part.clone().requires_grad_(True) for part in _parts]
    _a, _h, _C, _W_h = _asked
    _sum = 0
    for _t in range(_T):
        _i, _f, _new, _o = (_a[:, _t] + _h @ _W_h.T).split(_k, 1)
        _C = _i.sigmoid() * _new.tanh() + _f.sigmoid() * _C
        _h = _o.sigmoid() * _C.tanh()
        _sum = _sum + _h.sum()
    try:
        _got = gradients(lstm_layer, *_parts)
    except NotImplementedError:
        raise
    except RuntimeError as _error:
        raise AssertionError(
            f"No gradient comes back through the states ({_error})."
        ) from None
    for _name, _mine, _wanted in zip(
        ("a", "h", "C", "W_h"), _got, torch.autograd.grad(_sum, _asked), strict=True
    ):
        assert close(_mine, _wanted, 1e-4, 1e-5), (
            f"{_T} words: the gradient of the states' sum with respect to {_name} does not come through all steps."
        )


# %%
B, T, d, k = 12, 64, 64, 64
set_seed(1)
layer, e = nn.LSTM(d, k, batch_first=True), torch.randn(B, T, d)
W_x, W_h, b = (
    w.detach().clone().requires_grad_(True) for w in list(layer.parameters())[:3]
)
gates = {part: torch.randn(k, d + k).div(10).requires_grad_(True) for part in "Cfio"}
biases = {part: torch.zeros(k, requires_grad=True) for part in "Cfio"}
zero = torch.zeros(B, k)


# %%
def milliseconds(run, tries):
    """The processor's time for run(), of so many tries."""
    times = []
    for _ in range(tries):
        begin = time.process_time()
        run()
        times.append(1000 * (time.process_time() - begin))
    return times


# %%
def by_equation():
    h, C, states = zero, zero, []
    for t in range(T):
        h, C = lstm_step(e[:, t], h, C, gates, biases)
        states.append(h)
    return torch.stack(states, 1)


ways = {
    "equations": by_equation,
    "your layer": lambda: only_states(input_shares(e, W_x, b), zero, zero, W_h),
    "nn.LSTM": lambda: layer(e)[0],
}
step_times = np.array(
    [milliseconds(lambda way=way: way().sum().backward(), 9) for way in ways.values()]
)

# %%
text_lengths = (4, 16, 64, 256, 1024)
texts = [torch.randn(2048 // n, n, 64) for n in text_lengths]
W_64 = torch.randn(256, 64) / 8


def your_layer(e):
    return lstm_layer(input_shares(e, W_64, W_64[:, 0]), e[:, 0], e[:, 0], W_64)


kinds = nn.RNN, nn.LSTM, nn.GRU
cells = {kind.__name__: kind(64, 64, batch_first=True) for kind in kinds}
with torch.no_grad():
    waits = {
        name: [milliseconds(lambda read=read, e=e: read(e), 5) for e in texts]
        for name, read in {**cells, "your layer": your_layer}.items()
    }

# %% folded="draws the processor times" alt="Left: your layer takes 0.57 of the equations' time and nn.LSTM 0.12. Right: forward time by words in a text: it rises with the length for your layer, the GRU and the RNN and stays almost level for the LSTM."
_, (left, right) = plt.subplots(1, 2)
shares = step_times / np.median(step_times[0])
bars = left.bar(list(ways), np.median(shares, axis=1), color="gray")
left.bar_label(bars, fmt="%.2f", label_type="center", color="white")
left.plot(shares, "k.", markersize=3)
left.set(ylabel="processor time (equations = 1)")
for name, values in waits.items():
    line = right.loglog(text_lengths, np.median(values, axis=1), label=name)
    right.loglog(text_lengths, values, ".", color=line[0].get_color())
right.set(xlabel="words in a text (2,048 in all)", ylabel="processor, forward (ms)")
right.set_yticks([1, 2, 5, 10, 20, 50, 100], [1, 2, 5, 10, 20, 50, 100])
right.set_xticks(text_lengths, text_lengths)
right.minorticks_off()
right.legend()
plt.show()

# %% [markdown]
# Bars and lines are medians, dots single tries. Left, 12 texts of 64 words, forward and back: one product instead of four
# in each step saves a third of the time or more, and `nn.LSTM`, whose loop is not in Python, over four fifths.
#
# Right: the same 2,048 words, cut into fewer and longer texts. The arithmetic stays the same, but there are more steps,
# one after the other, and each costs something however little it computes. In Python that cost is large, in torch's
# compiled loops for the RNN and the GRU smaller. The LSTM hardly pays it, but that is not its cell's doing: torch hands
# its loop as a whole to a library, oneDNN.

# %% [markdown]
# A second processor could not shorten this waiting, because $h_t$ needs $h_{t-1}$. It keeps recurrent networks from
# being trained on very much text, as lecture 004 says. (Recurrences that are *linear* in the state need not wait;
# *state space models* build on that.)
#
# ## What you have now
#
# You have trained through time by hand, seen gradients vanish, and built the cell that keeps them alive. The LSTM
# remembers one bit for 40 steps and more where the plain network gives up, if it starts with open forget gates. Here
# is where your models stand:
#
# | | past | weights as the past grows | similar words help | steps of training |
# |---|---|---|---|---|
# | n-gram | $n - 1$ words | explode | no | counting |
# | window network | $n - 1$ words | grow | yes | side by side |
# | RNN | all, fading | stay | yes | one after the other |
# | LSTM | all, fading as it learns to | stay | yes | one after the other |
#
# Look at the last column. It is the weak point of everything in this chapter: a word waits for all the words before
# it, and whatever it learns from the first of them has gone through every state in between. In chapter 06 each word
# looks at every other word directly, all at once.
