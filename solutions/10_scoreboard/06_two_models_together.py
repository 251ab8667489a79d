# %% [markdown]
# ## 7. What two models know together
#
# An n-gram remembers exact phrases; a network generalises. Perhaps each knows something that the other lacks. Mix them, as chapter 2 mixed orders: with weights $\lambda_m \ge 0$ that sum to 1,
#
# $$P(w_i) = \sum_{m=1}^M \lambda_m P_m(w_i) .$$
#
# The weights are fitted by **EM**. Start with $\lambda_m = 1/M$. In each round, ask for every token which share of its probability came from model $m$, and make the mean share the new weight:
#
# $$r_{mi} = \frac{\lambda_m P_m(w_i)}{\sum_{k} \lambda_k P_k(w_i)}, \qquad \lambda_m \leftarrow \frac1N \sum_{i=1}^N r_{mi} .$$

# %% [markdown] statement="mixture"
# - `mix(ln_p, weights)`: from $\ln P_m(w_i)$ $[M, N]$ and $\lambda$ $[M]$, $\ln P(w_i)$ $[N]$. It must not underflow where all models give $e^{-2000}$; a weight may be 0, and a model may give $-\infty$ where another does not;
# - `em_weights(ln_p, rounds)`: the weights $[M]$ after exactly that many rounds; 0 rounds leave all of them equal.

# %% [markdown] hints="mixture"
# 1. Mix probabilities, not logarithms. But $e^{-2000}$ is 0 to a computer: what can be taken out of the sum first?
# 2. `np.logaddexp.reduce` adds probabilities that are given as logarithms, over an axis of your choice. What is added to $\ln P_m$ before?
# 3. A weight of 0 has the logarithm $-\infty$, which is right here; `np.errstate(divide="ignore")` keeps NumPy quiet. The shares are $\exp$ of (one row's logarithm minus that of the mixture).


# %% task="mixture" points=5 level=3 minutes=20
def mix(ln_p, weights):
    """ln of the mixture's probability of each token [N], from ln_p [M, N] and weights [M]."""
    ### BEGIN SOLUTION
    with np.errstate(divide="ignore"):
        ln_weights = np.log(np.asarray(weights, dtype=float))
    return np.logaddexp.reduce(np.asarray(ln_p) + ln_weights[:, None], axis=0)
    ### END SOLUTION


def em_weights(ln_p, rounds):
    """The weights [M] that EM has found after some rounds, from equal ones."""
    ### BEGIN SOLUTION
    ln_p = np.asarray(ln_p)
    weights = np.full(len(ln_p), 1 / len(ln_p))
    for _ in range(rounds):
        with np.errstate(divide="ignore"):
            rows = ln_p + np.log(weights)[:, None]
        weights = np.exp(rows - mix(ln_p, weights)).mean(axis=1)
    return weights
    ### END SOLUTION


# %% test="mixture" aspect="probabilities are mixed" points=1
_got = mix(np.log([[0.5, 0.1], [0.1, 0.3]]), np.array([0.25, 0.75]))
assert np.shape(_got) == (2,), (
    f"Two tokens: shape (2,) wanted; yours: {np.shape(_got)}."
)
assert close(_got, np.log([0.2, 0.25]), 1e-6), (
    f"ln .2 and ln .25 wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _M, _N in ((3, 5), (1, 4), (2, 1), (4, 2)):
    _p, _w = _rng.uniform(0.01, 0.9, size=(_M, _N)), _rng.dirichlet(np.ones(_M))
    _wanted = np.log([sum(_w[m] * _p[m, i] for m in range(_M)) for i in range(_N)])
    _got = mix(np.log(_p), _w.copy())
    assert np.shape(_got) == (_N,) and close(_got, _wanted, 1e-6), (
        f"{_M} models, {_N} tokens: {np.round(_wanted, 4)} wanted; yours: {_got}."
    )
_after = arguments_after(mix, np.log(_p), _w.copy())
assert close(_after[0], np.log(_p)) and close(_after[1], _w), (
    "ln_p or weights are changed in place."
)
### END HIDDEN TESTS

# %% test="mixture" aspect="no underflow, weight zero, impossible tokens" points=2
_got = mix(np.array([[-2000.0], [-2000.0]]), np.array([0.5, 0.5]))
assert np.shape(_got) == (1,) and close(_got, [-2000], 1e-6), (
    f"Both give e^-2000, so does the mixture: -2000 wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _rows, _w, _wanted, _what in (
    (
        [[-3000.0], [-1000.0]],
        [0.75, 0.25],
        [-1000 + math.log(0.25)],
        "e^-3000 beside e^-1000",
    ),
    ([[-1.0, -5.0], [-2.0, -0.5]], [1.0, 0.0], [-1.0, -5.0], "a weight of 0"),
    ([[-1.0, -5.0], [-2.0, -0.5]], [0.0, 1.0], [-2.0, -0.5], "the first weight 0"),
    (
        [[-math.inf, -1.0], [-2.0, -1.0]],
        [0.5, 0.5],
        [-2 + math.log(0.5), -1.0],
        "a token that one model calls impossible",
    ),
    ([[0.0], [-math.inf]], [0.5, 0.5], [math.log(0.5)], "sure beside impossible"),
    ([[-2000.0], [-1.0]], [1.0, 0.0], [-2000.0], "a weight of 0 for the likelier"),
    (
        [[-math.inf, -9e4], [-2000.0, -9e4]],
        [0.5, 0.5],
        [-2000 + math.log(0.5), -9e4],
        "e^-2000 beside impossible, and e^-90000",
    ),
    (
        [[-900.0], [-1000.0]],
        [1e-60, 1.0],
        [math.log(1e-60) - 900 + math.log1p(math.exp(-100 - math.log(1e-60)))],
        "a weight of 1e-60 for the likelier",
    ),
):
    _got = mix(np.array(_rows), np.array(_w))
    assert np.shape(_got) == np.shape(_wanted) and close(_got, _wanted, 1e-6, 1e-9), (
        f"With {_what}: {np.round(_wanted, 4)} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="mixture" aspect="rounds of EM" points=2
_got = em_weights(np.log([[0.6, 0.2], [0.2, 0.2]]), 1)
assert np.shape(_got) == (2,), f"Two weights wanted; yours: {np.shape(_got)}."
assert close(_got, [0.625, 0.375], 1e-6), (
    f"Shares 3/4 and 1/2 of the first model: weights .625 and .375; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng()
for _M, _N, _rounds in (
    (3, 6, 0),
    (3, 6, 1),
    (2, 5, 4),
    (4, 3, 7),
    (1, 5, 2),
    (9, 40, 60),
):
    _p = _rng.uniform(0.01, 0.9, size=(_M, _N))
    _w = np.full(_M, 1 / _M)
    for _ in range(_rounds):
        _share = _w[:, None] * _p
        _w = (_share / _share.sum(axis=0)).sum(axis=1) / _N
    _got = em_weights(np.log(_p), _rounds)
    assert np.shape(_got) == (_M,) and close(_got, _w, 1e-6), (
        f"{_M} models, {_N} tokens, {_rounds} rounds: {np.round(_w, 4)} wanted; yours: {_got}."
    )
_ln_p = np.array([[-1500.0, -1.0, -math.inf], [-1501.0, -1.0, -2.0]])
_w = np.array([0.5, 0.5])
for _ in range(3):
    _first = _w[0] / (_w[0] + _w[1] * math.exp(-1))
    _w = np.array([_first + _w[0], 2 + 1 - _first - _w[0]]) / 3
_got = em_weights(_ln_p.copy(), 3)
assert np.shape(_got) == (2,) and close(_got, _w, 1e-6), (
    f"e^-1500 and an impossible token: {np.round(_w, 4)} wanted; yours: {_got}."
)
_got = em_weights(np.array([[1e-6 - 1.0], [-1.0]]), 400)
assert np.shape(_got) == (2,) and close(
    _got[0], 1 / (1 + math.exp(-4e-4)), 1e-6, 1e-9
), (
    f"400 rounds were asked for, in each of which the weights move by little; yours: {_got}."
)
_got = em_weights(np.array([[-1.0, -2.0], [-math.inf, -math.inf]]), 5)
assert np.shape(_got) == (2,) and close(_got, [1, 0], 1e-6, 1e-9), (
    f"The second model calls every token impossible: weights 1 and 0; yours: {_got}."
)
assert close(arguments_after(em_weights, np.log(_p), 2)[0], np.log(_p)), (
    "ln_p is changed in place."
)
### END HIDDEN TESTS

# %% [markdown]
# Weights are fitted on the first half of the stories, and judged on the second. What would you bet: how much does the best network gain from an n-gram model?

# %%
fit_half, judged = document < len(lengths) // 2, document >= len(lengths) // 2
crews = [
    ("modified Kneser-Ney 5", "Laplace 2"),
    ("RNN", "window"),
    ("LSTM", "RNN"),
    ("Transformer", "LSTM"),
    ("Transformer", "modified Kneser-Ney 5"),
    ("Transformer, shift", "truth"),
]
floor = -scores["truth"][judged].mean()
for crew in crews:
    ln_p = np.array([scores[name] for name in crew])
    weights = em_weights(ln_p[:, fit_half], 100)
    alone = -ln_p[:, judged].mean(axis=1).max()  # the better of the two
    mixed = -mix(ln_p[:, judged], weights).mean()
    who = " + ".join(f"{w:.2f} {name}" for name, w in zip(crew, weights, strict=True))
    print(f"{who:44}: {alone:.3f} -> {mixed:.3f} nats; floor {floor:.3f}")

# %% [markdown]
# The surprise: next to a Transformer, Kneser-Ney's weight is 0.00. Whatever the n-gram knows, the network knows, too. Of the four pairs of learned models with a network in them, only one gained anything: RNN and window win 0.006 nats together.
#
# Is that so on every text? No. On the Penn Treebank T. Mikolov (thesis, 2012) found a recurrent network with a perplexity of 124.7 and a Kneser-Ney 5-gram with 141.2, and mixed they reached 105.7. That corpus has a million words, far fewer than our networks read, and it has names and fixed phrases to be known by heart. Which of the two reasons matters we have not measured. A claim about a mixture is a claim about a text as well.
#
# With the truth among the models there is nothing to win, and the 0.10 that EM gives to the Transformer is luck of the first half: on the second it costs 0.001 nats.
