# %% [markdown]
# ## 6. Cut the gradient, keep the memory
#
# Where a batch ends, two things meet the cut. The *state* can go on: it is just $k$ numbers. The *gradient* cannot,
# because the states of earlier batches are no longer kept. This is **truncated BPTT**, with pieces (*chunks*) of $\tau$
# words:

# %% folded="draws the pieces" alt="Nine states in three pieces of three words. Black arrows carry the state on from piece to piece; orange arrows for the gradient run back and stop at each border."
drawings.truncated_bptt()

# %% [markdown] statement="truncated_loss"
# Write `truncated_loss(e, y, W_x, W_h, b, tau)`: the loss of section 4 as a tensor, such that autograd finds no path
# from a piece back into an earlier one. The last piece may be shorter.

# %% [markdown] hints="truncated_loss"
# 1. Nothing about the *value* of the loss may change, whatever $\tau$ is.
# 2. Tensors have a method that returns the same numbers without their history.
# 3. Number the words from 0. A new chunk begins at 0, $\tau$, $2\tau$, …; just there the old state has to lose its
#    history.


# %% task="truncated_loss" points=4 level=2 minutes=14
def truncated_loss(e, y, W_x, W_h, b, tau):
    """Half the summed squared distance of h_t and y_t, a scalar tensor; gradients end at chunks of tau words."""
    ### BEGIN SOLUTION
    h, loss = torch.zeros_like(b), 0.0
    for t in range(len(e)):
        if t % tau == 0:
            h = h.detach()
        h = torch.tanh(W_x @ e[t] + W_h @ h + b)
        loss = loss + 0.5 * ((h - y[t]) ** 2).sum()
    return loss
    ### END SOLUTION


# %% test="truncated_loss" aspect="the loss knows no cut" points=1
_sizes = [(7, 2, 3)]
for _T, _d, _k in _sizes:
    _given = [
        torch.randn(*s).double()
        for s in ((_T, _d), (_T, _k), (_k, _d), (_k, _k), (_k,))
    ]
    _e, _y, _W_x, _W_h, _b = (part.numpy() for part in _given)
    _h, _wanted = np.zeros(_k), 0.0
    for _t in range(_T):
        _h = np.tanh(_W_x @ _e[_t] + _W_h @ _h + _b)
        _wanted += 0.5 * np.sum((_h - _y[_t]) ** 2)
    for _tau in (1, 2, 3, 7, 20):
        _got = truncated_loss(*(part.clone() for part in _given), _tau)
        assert torch.is_tensor(_got) and _got.numel() == 1, (
            f"Return a tensor with one number; yours: {_got!r}."
        )
        assert close(_got.item(), _wanted, 1e-5), (
            f"{_T} words: the loss is {_wanted:.4f} for every tau; with tau = {_tau} yours is {_got.item():.4f}. "
            "Is the state carried on?"
        )
### BEGIN HIDDEN TESTS
_left = arguments_after(truncated_loss, *(part.clone() for part in _given), 2)
assert not any(getattr(part, "requires_grad", True) for part in _left[:5]), (
    "After truncated_loss the caller's tensors ask for gradients: that is for the caller to say."
)
_kind = choice("float32", "float64")
_T, _tau = size("T", large=None), size("tau", large=1000)
_d, _k = size("d", large=None), size("k", large=None)
_given = [
    tensor(*_axes, kind=_kind)
    for _axes in ((_T, _d), (_T, _k), (_k, _d), (_k, _k), (_k,))
]
agrees(truncated_loss, ours.truncated_loss, *_given, _tau, rtol=1e-3, atol=1e-3)
_parts = torch.tensor([[0.5]]), torch.tensor([[0.7]]), torch.tensor([0.1])
_long = torch.linspace(-1, 1, 1500)[:, None], torch.zeros(1500, 1), *_parts
agrees(
    truncated_loss, ours.truncated_loss, *_long, 100, rtol=1e-3, atol=1e-3, mixtures=0
)
### END HIDDEN TESTS

# %% test="truncated_loss" aspect="no gradient crosses a cut" points=1
_cases = [(6, 3, 4)]  # T, tau and the only word with an error, counted from 0
### BEGIN HIDDEN TESTS
_cases += [(7, 2, 5), (8, 4, 4), (8, 4, 7), (5, 1, 3), (9, 3, 8), (7, 5, 6), (6, 10, 5)]
### END HIDDEN TESTS
for _T, _tau, _word in _cases:
    _e, _W_x, _W_h, _b = [
        torch.randn(*shape).double() / 2 for shape in ((_T, 2), (3, 2), (3, 3), (3,))
    ]
    _states, _h = [], np.zeros(3)
    for _t in range(_T):
        _h = np.tanh(_W_x.numpy() @ _e[_t].numpy() + _W_h.numpy() @ _h + _b.numpy())
        _states.append(_h)
    _y = torch.tensor(np.array(_states))
    _y[_word] += 1
    _found = gradients(truncated_loss, _e, _y, _W_x, _W_h, _b, _tau)[0]
    assert np.shape(_found) == (_T, 2), (
        "The loss should have a gradient for each word vector."
    )
    _reached, _first = _found.abs().sum(1), _word // _tau * _tau
    assert (_reached[:_first] < 1e-9).all(), (
        f"With tau = {_tau}, the error at word {_word + 1} must not reach words 1 to {_first}; gradients: {_reached}."
    )
    assert (_reached[_first : _word + 1] > 1e-9).all(), (
        f"With tau = {_tau}, it must reach words {_first + 1} to {_word + 1}, its own chunk; gradients: {_reached}."
    )

# %% test="truncated_loss" aspect="weights feel their own chunk" points=1
_sizes = [(8, 3)]
for _T, _tau in _sizes:
    _e, _y, _W_x, _W_h, _b = [
        torch.randn(*shape).double()
        for shape in ((_T, 2), (_T, 3), (3, 2), (3, 3), (3,))
    ]
    _weights = [weight.clone().requires_grad_(True) for weight in (_W_x, _W_h, _b)]
    _loss, _h = 0, torch.zeros(3).double()
    for _start in range(0, _T, _tau):
        _h = torch.tensor(_h.tolist()).double()
        for _t in range(_start, min(_start + _tau, _T)):
            _h = torch.tanh(_weights[0] @ _e[_t] + _weights[1] @ _h + _weights[2])
            _loss = _loss + ((_h - _y[_t]) ** 2).sum() / 2
    _got = gradients(truncated_loss, _e, _y, _W_x, _W_h, _b, _tau)[2:]
    for _name, _mine, _wanted in zip(
        ("W_x", "W_h", "b"), _got, torch.autograd.grad(_loss, _weights), strict=True
    ):
        assert close(_mine, _wanted, 1e-4, 1e-5), (
            f"T = {_T}, tau = {_tau}: the gradient of {_name} is not the one of chunks of {_tau} words."
        )
### BEGIN HIDDEN TESTS
_T, _d, _k = size("T", large=20), size("d", large=None), size("k", large=None)
_given = [
    tensor(*_axes, kind="float64")
    for _axes in ((_T, _d), (_T, _k), (_k, _d), (_k, _k), (_k,))
]
agrees(
    truncated_loss,
    ours.truncated_loss,
    *_given,
    size("tau", large=1000),
    by=lambda loss, *given: gradients(loss, *given)[2:],
    rtol=1e-4,
    atol=1e-5,
)
### END HIDDEN TESTS

# %% test="truncated_loss" aspect="one long chunk is plain BPTT" points=1
_cases = [(6, 6), (6, 50)]
### BEGIN HIDDEN TESTS
_cases += [(1, 1), (3, 4), (9, 9), (4, 1000)]
### END HIDDEN TESTS
for _T, _tau in _cases:
    _random = [
        torch.randn(*shape).double()
        for shape in ((_T, 2), (_T, 3), (3, 2), (3, 3), (3,))
    ]
    _got = gradients(truncated_loss, *_random, _tau)[2:]
    for _name, _mine, _wanted in zip(
        ("W_x", "W_h", "b"), _got, by_autograd(*_random), strict=True
    ):
        assert close(_mine, _wanted, 1e-4, 1e-5), (
            f"{_T} words fit into one chunk of {_tau}: the gradient of {_name} should be that of plain BPTT; yours is cut."
        )


# %% [markdown]
# What do longer pieces buy? A puzzle: from a stream of random bits, say at each step which bit stood 6 (or 8) steps
# *back*. In the course's training loop, `carry` brings the state into the next batch; each batch has 512 bits, whatever
# $\tau$ is. Predict: from which $\tau$ on can it be learned?


# %%
def stream_loss(model, batch, carry):
    """The loss of one batch, read from the state at the end of the batch before."""
    scores, state = model(batch[0], carry.get("state"))
    carry["state"] = state.detach()
    number = batch[1].numel()
    return F.cross_entropy(scores.flatten(0, 1), batch[1].flatten()), number


# %%
def remember(tau, lag, seed):
    """Learn to say which bit stood `lag` steps back; the share of right answers on new bits."""
    set_seed(seed)
    bits = torch.randint(2, (100_000,))
    now, then = (
        stream_batches(part, 512 // tau, tau) for part in (bits[lag:], bits[:-lag])
    )
    model = LanguageModel(nn.RNN, 2, 8, 32).to(device)
    loop = {"steps": 190, "rate": 5e-3, "carry": {}}
    train(model, lambda i: (now[i][0], then[i][0]), stream_loss, **loop)
    bits = torch.randint(2, (3_000,))
    with torch.no_grad():
        answers = model(bits[None].to(device))[0][0].argmax(1).cpu()
    return (answers[lag:] == bits[:-lag]).float().mean().item()


# %%
taus, seeds = (4, 8, 16), (1, 2, 3)
found_bits = {
    lag: [[100 * remember(tau, lag, seed) for seed in seeds[:2]] for tau in taus]
    for lag in (6, 8)
}

# %% folded="draws answers by length of a piece" alt="Right answers by words in a piece. What lies 6 steps back is found with pieces of 8 and 16 words, what lies 8 steps back only with 16; otherwise the dots are at one half."
_, axes = plt.subplots()
for lag, percent in found_bits.items():
    places = np.array(taus) * (0.97 if lag == 6 else 1.03)  # side by side
    line = axes.plot(places, [np.mean(found) for found in percent], "-", alpha=0.5)
    for place, found in zip(places, percent, strict=True):
        label = f"{lag} steps back" if place == places[0] else None
        axes.plot([place] * 2, found, "o", color=line[0].get_color(), label=label)
axes.axhline(50, color="gray", linestyle=":", label="guessing")
axes.set_xscale("log", base=2)
axes.set_xticks(taus, taus)
axes.set(xlabel="words in a piece, $\\tau$", ylabel="right answers (%)", ylim=(40, 105))
axes.legend(loc="upper left")
plt.show()

# %% [markdown]
# Each dot is one of two seeds. The state carries the bit in any case; but to learn *to keep* it, a gradient must come
# back that far. From a word to the one 8 steps back there are *nine* words, both ends counted: with $\tau$ = 8 no error
# ever meets the word that caused it. Then why not take $\tau$ = 10,000?
