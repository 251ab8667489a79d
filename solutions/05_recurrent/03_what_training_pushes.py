# %% [markdown] statement="next_word_loss"
# ## 3. What training pushes
#
# The scores $s_t$ become probabilities by a **softmax**, $p_{tv} = e^{s_{tv}} / \sum_u e^{s_{tu}}$. The loss is the mean
# surprise at the words that really came, the **cross-entropy**:
#
# $$\ell = -\frac1T \sum_{t=1}^T \ln p_{t,\,x_{t+1}}$$
#
# Feeding the network the true words $x_1 \dots x_t$, not its own, is called **teacher forcing**.
#
# Write `next_word_loss(s, x)`: the loss in nats and its gradient with respect to the scores, which you derive yourself;
# autograd is switched off. `x[t]` is the word that follows at step $t$. Scores may be in the thousands.

# %% [markdown] hints="next_word_loss"
# 1. $\ln \mathrm{softmax}(s)_v = s_v - \ln \sum_u e^{s_u}$. Which constant may be taken off all scores of a row before?
# 2. Differentiate that by $s_v$, once for the right word and once for another: each time the probability appears.
# 3. Mind the sign, and that a *mean* of $T$ losses is differentiated. Check: what should each row of the gradient sum
#    to, given that adding the same number to all scores of a row changes nothing?


# %% task="next_word_loss" points=3 level=2 minutes=14
def next_word_loss(s, x):
    """(loss, gradient [T, V]) from scores s: [T, V] (an array, maybe of ints) and the next words x: [T] (ints).

    s and x stay as they are.
    """
    ### BEGIN SOLUTION
    s = s - s.max(axis=1, keepdims=True)
    log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    rows = np.arange(len(x))
    gradient = np.exp(log_p)
    gradient[rows, x] -= 1
    return -log_p[rows, x].mean(), gradient / len(x)
    ### END SOLUTION


# %% test="next_word_loss" aspect="two words, by hand" points=1
_got = next_word_loss(np.log([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]), np.array([0, 2]))
expect(_got, "loss, gradient")
assert is_number(_got[0]), f"The loss is one number; yours: {_got[0]!r}."
assert close(_got[0], (math.log(2) + math.log(10)) / 2, 1e-5), (
    f"The right words have probability .5 and .1: (ln 2 + ln 10) / 2 = 1.498; yours: {float(_got[0]):.4f}."
)
### BEGIN HIDDEN TESTS
for _T, _V in ((7, 5), (1, 4), (3, 8)):
    _s, _x = (
        np.random.default_rng().normal(size=(_T, _V)),
        np.random.default_rng().integers(0, _V, _T),
    )
    _x[0] = random.choice((0, _V - 1))
    _wanted = F.cross_entropy(torch.from_numpy(_s), torch.from_numpy(_x)).item()
    _got = next_word_loss(_s.copy(), _x.copy())
    expect(_got, "loss, gradient")
    assert close(_got[0], _wanted, 1e-5), (
        f"{_T} rows of {_V} random scores: {_wanted:.4f} wanted, yours {_got[0]}."
    )
    _left = arguments_after(next_word_loss, _s.copy(), _x.copy())
    assert close(_left[0], _s) and close(_left[1], _x), (
        "next_word_loss changed the caller's scores or words."
    )
### END HIDDEN TESTS

# %% test="next_word_loss" aspect="large scores do not overflow" points=1
for _large in ([[4000.0, 4000.0, -4000.0]], [[-9000.0, -9000.0, -9900.0]]):
    with np.errstate(all="ignore"):
        _got = next_word_loss(np.array(_large), np.array([1]))
    expect(_got, "loss, gradient")
    assert close(_got[0], math.log(2), 1e-5), (
        f"Scores {_large[0]}, right word 1: loss ln 2 = .6931; yours: {_got[0]}."
    )
    assert close(_got[1], [[0.5, -0.5, 0]], 1e-5, 1e-6), (
        f"Its gradient is [.5, -.5, 0]; yours: {_got[1]}."
    )
### BEGIN HIDDEN TESTS
for _cost in (800, 3000, 20_000):
    _got = next_word_loss(
        np.array([[0.0, _cost, 0.0], [5.0, 5.0, -_cost]]), np.array([0, 1])
    )
    expect(_got, "loss, gradient")
    assert close(_got[0], (_cost + math.log(2)) / 2, 1e-6), (
        f"A right word {_cost} below another costs {_cost} nats, not infinitely many; yours: {_got[0]}."
    )
    assert close(_got[1], [[-0.5, 0.5, 0], [0.25, -0.25, 0]], 1e-5, 1e-6), (
        f"Large scores: your gradient is {_got[1]}."
    )
_s = np.array(
    [[-2000.0, -2001.0], [2000.0, 2001.0], [0.0, 1.0]]
)  # rows at very different heights
_wanted = F.cross_entropy(torch.from_numpy(_s), torch.tensor([0, 0, 1])).item()
_got = next_word_loss(_s.copy(), np.array([0, 0, 1]))
assert close(_got[0], _wanted, 1e-5), (
    f"Rows around -2000, 2000 and 0: {_wanted:.4f} wanted; yours: {_got[0]}."
)
### END HIDDEN TESTS

# %% test="next_word_loss" aspect="gradient by hand" points=1
_sizes = [(4, 3)]
### BEGIN HIDDEN TESTS
_sizes += [(1, 5), (7, 2), (3, 9), (4, 4)]
### END HIDDEN TESTS
for _T, _V in _sizes:
    _s, _x = (
        np.random.default_rng().normal(size=(_T, _V)),
        np.random.default_rng().integers(0, _V, _T),
    )
    _by_torch = torch.from_numpy(_s.copy()).requires_grad_(True)
    F.cross_entropy(_by_torch, torch.from_numpy(_x)).backward()
    _got = next_word_loss(_s.copy(), _x.copy())
    expect(_got, "loss, gradient")
    assert np.shape(_got[1]) == (_T, _V), (
        f"The gradient has the shape of s, {(_T, _V)}; yours: {np.shape(_got[1])}."
    )
    assert close(np.sum(np.asarray(_got[1]), axis=1), [0] * _T, atol=1e-5), (
        "Each row of the gradient should sum to 0: what one word wins, others lose."
    )
    assert close(_got[1], _by_torch.grad, 1e-4, 1e-5), (
        f"{_T} words: the gradient is not autograd's; first row {_by_torch.grad[0]}, yours {_got[1][0]}."
    )
### BEGIN HIDDEN TESTS
try:
    _again = without_autograd(next_word_loss, _s.copy(), _x.copy())[1]
except NotImplementedError:
    raise
except RuntimeError as _error:
    raise AssertionError(
        f"Here autograd is switched off, and your gradient needs it ({_error})."
    ) from None
assert close(_again, _by_torch.grad, 1e-4, 1e-5), (
    "With autograd switched off your gradient is another one."
)
_s, _x = np.array([[3, 1, 0, 2], [-1, 1, 2, 0], [0, 0, 0, 0]]), np.array([1, 2, 0])
_by_torch = torch.from_numpy(_s).double().requires_grad_(True)
F.cross_entropy(_by_torch, torch.from_numpy(_x)).backward()
_got = next_word_loss(_s.copy(), _x.copy())
expect(_got, "loss, gradient")
assert close(_got[1], _by_torch.grad, 1e-4, 1e-5), (
    f"Scores may be whole numbers, the gradient is not: {_by_torch.grad} wanted; yours: {_got[1]}."
)
### END HIDDEN TESTS


# %% [markdown]
# So the gradient of the scores is *what was said minus what is true*: it pulls the right word up by as much as all
# others together are pushed down, and it vanishes only when the model is sure and right.
#
# <details><summary>Slips in the printed slides: a loss without its minus</summary>
#
# Lecture 004 prints $\hat p_t = \mathrm{softmax}_V(o_t)$ and $\mathrm{CE}(\hat p_t, p_t) = \log(\hat p_{t, x^{t+1}})$.
# Without the minus, a model that gives the right word 1 % has the loss $\ln .01 = -4.6$, *less* than a perfect one's 0:
# training would make it worse.
# </details>
