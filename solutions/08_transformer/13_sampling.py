# %% [markdown] statement="next_distribution"
# ## 16. From scores to a word
#
# Always taking the likeliest word ends in a loop, drawing from all is nonsense now and then (chapter 5 measured both). In between, from scores $s$ to probabilities, in this order: **temperature** $\tau$, $\text{softmax}(s / \tau)$, where $\tau = 0$ means all to the best (of equals, any one); **top-k** keeps
# the $k$ most likely; **top-p** keeps the *fewest* most likely that together have at least $p$. Either way, what is *just as likely* as the last one kept
# stays, too: a token's number never decides. What is dropped gets 0, the rest is scaled to sum 1, after top-k and after top-p.
#
# Write `next_distribution(s, tau, k, p)`, $[B, V]$; `None` for $k$ or $p$ means all.

# %% [markdown] hints="next_distribution"
# 1. Probabilities .5, .3, .2 and $p = 0.6$: is the second one kept?
# 2. Sort each row from likely to unlikely; then top-k is a slice, and top-p a running sum.
# 3. A token is kept as long as those *before* it have less than $p$ together. You need not sort back: the probability of the last one kept is a threshold, and what equals it
#    stays.


# %% task="next_distribution" points=4 level=2 minutes=28
def next_distribution(s, tau=1.0, k=None, p=None):
    """Chances [B, V] from scores s [B, V], which stay as they are."""
    ### BEGIN SOLUTION
    if tau == 0:
        return F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
    chances = torch.softmax(s / tau, dim=-1)
    if k is not None:
        least = chances.sort(descending=True).values[:, min(k, s.shape[-1]) - 1, None]
        chances = chances * (chances >= least)
        chances = chances / chances.sum(-1, keepdim=True)
    if p is not None:
        ordered = chances.sort(descending=True).values
        kept = ordered.cumsum(-1) - ordered < p
        chances = chances * (
            chances >= ordered.gather(-1, kept.sum(-1, keepdim=True) - 1)
        )
        chances = chances / chances.sum(-1, keepdim=True)
    return chances
    ### END SOLUTION


# %% test="next_distribution" aspect="temperature" points=1
_s = torch.tensor([[0.0, math.log(2), math.log(3)], [5.0, 900.0, 1.0]]).double()
for _tau, _wanted in (
    (1.0, [1 / 6, 2 / 6, 3 / 6]),
    (0.5, [1 / 14, 4 / 14, 9 / 14]),
    (0, [0, 0, 1]),
):
    _got = next_distribution(_s.clone(), _tau)
    assert np.shape(_got) == (2, 3), (
        f"Chances of shape (2, 3) are wanted; yours: {np.shape(_got)}."
    )
    assert close(_got[0], _wanted, 1e-5, 1e-6), (
        f"Scores ln 1, ln 2, ln 3 at {_tau}: {np.round(_wanted, 3)}; yours: {_got[0]}."
    )
    assert close(_got[1], [0, 1, 0], 1e-5, 1e-6), (
        f"A score of 900 beside 5 and 1 at {_tau}: all to it; yours: {_got[1]}."
    )
assert close(next_distribution(_s.clone())[0], [1 / 6, 2 / 6, 3 / 6], 1e-5), (
    "If none is given, the temperature is 1."
)
### BEGIN HIDDEN TESTS
_s = tensor(size("B"), size("V"), scale=3, edges=("huge",), kind="float64")
_tau = choice(0.3, 1.0, 1.7, 4.0)
agrees(next_distribution, ours.next_distribution, _s, _tau, rtol=1e-3, atol=1e-5)
_distinct = made(
    lambda rng, B, V: torch.tensor([rng.sample(range(50), V) for _ in range(B)]) / 7,
    *(size("B"), size("V")),
    edges=[torch.tensor([[1e-30, 0.0, -1.0], [-900.0, 3.0, 3.001]])],
)
_more = {"tau": choice(0, 0.0), "k": choice(None, 2, 3), "p": choice(None, 0.5, 0.9)}
agrees(next_distribution, ours.next_distribution, _distinct, **_more, atol=1e-6)
_s = torch.tensor([[1.0, 2.0, 2.0], [3.0, 3.0, 3.0], [0.0, -1.0, 0.0]])
for _more in ((0,), (0, 2, 0.9)):
    for _line, _scores in zip(next_distribution(_s.clone(), *_more), _s, strict=True):
        _line = np.asarray(_line)
        assert close(sorted(_line), [0, 0, 1], 0, 1e-6), (
            f"tau = 0 gives all to one token, of equals to any one: scores {_scores}; yours: {_line}."
        )
        assert _scores[_line.argmax()] == _scores.max(), (
            f"tau = 0 gives all to one of the best: scores {_scores}; yours: {_line}."
        )
### END HIDDEN TESTS

# %% test="next_distribution" aspect="the k most likely" points=1
_s = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.4, 0.3, 0.2, 0.1]]).double().log()
_got = next_distribution(_s.clone(), 1.0, 2)
assert np.shape(_got) == (2, 4), (
    f"Chances of shape (2, 4) are wanted; yours: {np.shape(_got)}."
)
assert close(_got, [[0, 4 / 7, 0, 3 / 7], [4 / 7, 3 / 7, 0, 0]], 1e-5, 1e-6), (
    f"k = 2: two of each row, sum 1; yours: {_got}."
)
assert close(next_distribution(_s.clone(), 1.0, 9), _s.exp(), 1e-5), (
    "k larger than V keeps everything."
)
### BEGIN HIDDEN TESTS
_B, _V = size("B"), size("V")
_s = choice(
    made(lambda rng, s: s.round(), tensor(_B, _V, kind="float64")),  # many ties
    tensor(_B, _V, scale=3, edges=("huge",), kind="float64"),
)
_k = choice(1, 2, 3, 6, _V, 50)
agrees(next_distribution, ours.next_distribution, _s, 1.0, _k, rtol=1e-3, atol=1e-5)
_s = torch.tensor([[0.0, 3.0, 3.001], [3.001, -1.0, 3.0]])
for _more in ((1.0, 1), (1.0, None, 0.4), (1.0, 2, 0.4)):
    _got = next_distribution(_s.clone(), *_more)
    assert close(_got, [[0, 0, 1], [1, 0, 0]], 0, 1e-6), (
        f"A score of 3.001 is better than one of 3, if only by a thousandth: it alone stays "
        f"with tau, k, p = {_more}; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="next_distribution" aspect="the fewest that reach p" points=1
_s = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.02, 0.03, 0.9, 0.05]]).double().log()
for _p, _wanted in (
    (0.6, [[0, 4, 0, 3], [0, 0, 1, 0]]),
    (0.95, [[1, 4, 2, 3], [0, 0, 90, 5]]),
    (0.3, [[0, 1, 0, 0], [0, 0, 1, 0]]),
):
    _wanted = np.array(_wanted) / np.sum(_wanted, axis=1, keepdims=True)
    _p = _p - 1e-6  # .9 and .05 are .95, whatever rounding makes of it
    _got = next_distribution(_s.clone(), 1.0, None, _p)
    assert np.shape(_got) == (2, 4), (
        f"Chances of shape (2, 4) are wanted; yours: {np.shape(_got)}."
    )
    assert close(_got, _wanted, 1e-5, 1e-6), (
        f"p = {_p:.2f}, chances {_s.exp().numpy()}: {_wanted.round(3)} wanted; yours {_got}."
    )
### BEGIN HIDDEN TESTS
_half = torch.tensor([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]).double()
for _s in (_half.log() + shift for shift in range(9)):
    if all(
        torch.equal(part.softmax(1).double(), _half) for part in (_s, _s.float())
    ):  # rounding leaves the half alone
        _got = next_distribution(_s.clone(), 1.0, None, 0.5)
        assert close(_got, [[1, 0, 0], [0, 1, 0]], 0, 1e-6), (
            f"Chances .5, .25, .25 and p = .5: the best alone has at least p, so only it stays; yours: {_got[0]}."
        )


def _safe(rng, s, tau, k):  # a p that no sum of chances comes near
    sums = ours.next_distribution(s, tau, k).sort(descending=True).values.cumsum(-1)
    tries = [rng.uniform(0.2, 0.98) for _ in range(8)]
    return max(tries, key=lambda p: (sums - p).abs().min())


_B, _V = size("B", large=None), size("V")
_s = choice(
    made(lambda rng, s: s.round(), tensor(_B, _V, kind="float64")),  # many ties
    tensor(_B, _V, kind="float64"),
)
_p = made(_safe, _s, 1.0, None, edges=[1e-6])
agrees(
    next_distribution, ours.next_distribution, _s, 1.0, None, _p, rtol=1e-3, atol=1e-5
)
_s = torch.randn(60, 50)
assert close(
    next_distribution(_s.clone(), 1.0, None, 1.0), _s.softmax(-1), 1e-3, 1e-5
), "p = 1 keeps everything, also where 50 chances in float32 add up to 0.9999999."
### END HIDDEN TESTS

# %% test="next_distribution" aspect="all three in order" points=1
_cases = [(torch.tensor([[0.0, 1, 0.5, -1], [2, 1.9, 1.8, 1.7]]).double(), 0.7, 3, 0.8)]


### BEGIN HIDDEN TESTS
def _safe(rng, s, tau, k):  # a p that no sum of chances comes near
    sums = ours.next_distribution(s, tau, k).sort(descending=True).values.cumsum(-1)
    tries = [rng.uniform(0.2, 0.98) for _ in range(8)]
    return max(tries, key=lambda p: (sums - p).abs().min())


_s = tensor(size("B", large=None), size("V", least=6, most=9), kind="float64")
_tau, _k = choice(0.6, 0.8, 2.0), choice(3, 4, 5, 1, None)
_inputs = (_s, _tau, _k, made(_safe, _s, _tau, _k))
agrees(
    next_distribution,
    ours.next_distribution,
    *_inputs,
    mixtures=60,
    rtol=1e-3,
    atol=1e-5,
)
### END HIDDEN TESTS
for _s, _tau, _k, _p in _cases:
    _got = next_distribution(_s.clone(), _tau, _k, _p)
    assert np.shape(_got) == tuple(_s.shape), (
        f"Shape {tuple(_s.shape)} is wanted; yours: {np.shape(_got)}."
    )
    for _row, _line in enumerate(_s.tolist()):
        _best = sorted(range(len(_line)), key=lambda v: -_line[v])[:_k]
        _all = sum(math.exp(_line[v] / _tau) for v in _best)
        _kept, _sum = [], 0.0
        for _v in _best:
            if _sum < _p:
                _kept.append(_v)
            _sum += math.exp(_line[_v] / _tau) / _all
        _total = sum(math.exp(_line[v] / _tau) for v in _kept)
        _wanted = [
            math.exp(_line[v] / _tau) / _total if v in _kept else 0
            for v in range(len(_line))
        ]
        assert close(_got[_row], _wanted, 1e-4, 1e-5), (
            f"tau = {_tau}, k = {_k}, p = {_p}: {np.round(_wanted, 3)} wanted; yours: {np.round(_got[_row], 3)}."
        )

# %%
words_before = ["</s>", "ivan", "hartwick", "visits", "the"]
prompt = encode(symbols, [words_before])[0][None].to(device)
with torch.no_grad():
    s = writer(prompt)[0][:, -1].double().cpu()
best = s[0].topk(9).indices

# %% folded="draws the probabilities" alt="Probabilities of the nine likeliest words after visits the: steep for temperature 0.5, golden at 0.37, flatter for 1 and almost level for 2."
likely = [symbols[i] for i in best]
_, axes = plt.subplots(figsize=(6, 2.2))
for tau in (0.5, 1, 2):
    axes.plot(likely, next_distribution(s, tau)[0][best], "o-", label=f"τ = {tau}")
axes.set(xlabel="nine likeliest words after 'visits the'", ylabel="probability")
axes.tick_params(axis="x", rotation=30)
axes.legend()
plt.show()

# %% [markdown]
# A low temperature sharpens the choice, a high one flattens it.
