# %% [markdown]
# ## 12. Weights that fit themselves
#
# Silvestri's lecture mixes all levels at once, with weights that depend on the context and come from held-out text:
#
# $$P = \pi_1 P_3 + \pi_2 P_2 + \pi_3 P_1 + \pi_4 / V, \qquad \textstyle\sum_\ell \pi_\ell = 1$$
#
# ($P_3$, $P_2$, $P_1$: relative frequencies after two, one, no words; $1/V$ is our addition.) Which weights make the tuning text most
# probable? Imagine that each token was said by one of the levels, and we did not see which.

# %% folded="draws the mixture" alt="Four boxes, the probability of food with two words of context, one, none, and 1/V, each with its weight, flow into a plus sign. The weights sum to one."
drawings.interpolation(weight=r"\pi")

# %% [markdown]
# Let $p_{i\ell}$ be what level $\ell$ gives token $i$. If the weights are $\pi$, level $\ell$ said token $i$ with probability
#
# $$r_{i\ell} = \frac{\pi_\ell\, p_{i\ell}}{\sum_m \pi_m\, p_{im}},$$
#
# its *share*. Given the shares, the best weight for level $\ell$ is their mean over all tokens. Take these two steps in turn: **expectation maximisation** (EM).
#
# By hand: two levels give the first token .5 and .1, the second .1 and .3. From $\pi = (\frac12, \frac12)$, the shares are $(\frac56, \frac16)$ and $(\frac14, \frac34)$,
# their means $\frac{13}{24}$ and $\frac{11}{24}$: the new weights.

# %% [markdown]
# <details><summary>Why the likelihood never falls</summary>
#
# The logarithm is concave, so for shares $r_{i\ell}$ that sum to 1, $\ln \sum_\ell \pi_\ell p_{i\ell} = \ln \sum_\ell r_{i\ell} \frac{\pi_\ell p_{i\ell}}{r_{i\ell}} \ge \sum_\ell r_{i\ell} \ln \frac{\pi_\ell p_{i\ell}}{r_{i\ell}}$,
# with equality if $r$ are the shares under the present $\pi$. Sum over $i$: a bound that touches the likelihood at the present weights. Its only part with $\pi$ in it is
# $\sum_\ell (\sum_i r_{i\ell}) \ln \pi_\ell$, which is largest where $\pi_\ell$ is the mean share. So the step raises the bound, and the likelihood lies above it.
#
# And each $\ln \sum_\ell \pi_\ell p_{i\ell}$ is concave in $\pi$, so their sum is: there are no lesser peaks to get stuck on.
# </details>

# %% [markdown]
# The weights may depend on the context: put the contexts into groups, *buckets*, by $n(h)$, and fit each bucket by itself.


# %%
def context_levels(pairs, table, V):
    """levels [N, 4]: relative frequencies after 2, 1 and 0 words, then 1/V; and the bucket [N] of each context by n(h).

    Bucket b: n(h) from 2**b - 1 on, 7 for all above. A level whose context was never seen repeats the level below.
    """
    levels, buckets = np.empty((len(pairs), 4)), np.empty(len(pairs), dtype=int)
    for i, (context, word) in enumerate(pairs):
        p = levels[i, 3] = 1 / V
        for length in (0, 1, 2):
            row = (
                table.get(context[len(context) - length :])
                if length <= len(context)
                else None
            )
            p = levels[i, 2 - length] = row[word] / row.total() if row else p
        buckets[i] = (
            min(7, int(math.log2(1 + table[context].total())))
            if context in table
            else 0
        )
    return levels, buckets


counted_levels, _ = context_levels(
    counted_pairs[:5000], trigrams, len(events)
)  # part of the counted text is enough
tuning_levels, tuning_buckets = context_levels(tuning_pairs, trigrams, len(events))

# %% [markdown] statement="fit_weights"
# - `fit_weights(levels, buckets, rounds)`: weights of shape [B, K], at first $1/K$, after so many rounds of EM. `levels` [N, K] holds $p_{i\ell}$ (no row is all zero), `buckets` [N] each token's
#   bucket, 0 to B − 1, with B = max + 1. A bucket is fitted by its own tokens; without any it keeps $1/K$;
# - `log_likelihood(levels, buckets, weights)`: $\sum_i \ln P_i$, each token with the weights of its bucket.
#
# **Predict, then measure.** Fitted on *counted* text, in one bucket, 50 rounds: what is the trigram's weight? `guess_weight`
# first, then `measured_weight`, from `counted_levels` above.

# %% [markdown] hints="fit_weights"
# 1. Do the two tokens of the example on paper, for a second round. The new weights must sum to 1.
# 2. One bucket at a time: take its rows of `levels`. A row times the weights, divided by its own sum, is that token's shares.
# 3. Only buckets that have tokens change. For the likelihood every token needs the weights of *its* bucket: an array indexed by an
#    array gives them all at once.


# %% task="fit_weights" points=5 level=3 minutes=30
def fit_weights(levels, buckets, rounds):
    """Weights [B, K] after `rounds` rounds of EM within each bucket; levels [N, K], buckets [N] of int stay."""
    ### BEGIN SOLUTION
    K = levels.shape[1]
    weights = np.full((max(buckets) + 1, K), 1 / K)
    for bucket in set(buckets.tolist()):
        inside = levels[buckets == bucket]
        for _ in range(rounds):
            shares = inside * weights[bucket]
            weights[bucket] = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
    return weights
    ### END SOLUTION


def log_likelihood(levels, buckets, weights):
    """Natural log of the probability of all N tokens, each with the weights of its bucket."""
    ### BEGIN SOLUTION
    return np.log((levels * weights[buckets]).sum(axis=1)).sum()
    ### END SOLUTION


# guess_weight = the trigram's weight if fitted on counted text: a number between 0 and 1
# measured_weight = the same, from fit_weights on counted_levels with all tokens in bucket 0
### BEGIN SOLUTION
guess_weight = 0.7
measured_weight = fit_weights(
    counted_levels, np.zeros(len(counted_levels), dtype=int), 50
).ravel()[0]
### END SOLUTION


# %% family="fit_weights"
def _uniform(rng, N, K):
    return np.random.default_rng(rng.getrandbits(60)).uniform(0.01, 1, (N, K))


def _with_zeros(rng, N, K):
    levels = _uniform(rng, N, K)
    levels[levels < 0.5] = 0
    levels[np.arange(N), rng.choices(range(K), k=N)] = 0.3
    return levels


_N, _K = size("N"), size("K", large=9)
_levels = made(
    *(_uniform, _N, _K),
    edges=[_with_zeros, lambda rng, N, K: 1e-12 * _uniform(rng, N, K)],
)
_buckets = made(
    lambda rng, N: np.array(rng.choices([0, 2, 3, 5], k=N)),
    _N,
    edges=[
        lambda rng, N: np.arange(N)[::-1],  # one token in each
        lambda rng, N: np.full(N, 2),
    ],
)
_one = made(lambda rng, N: np.zeros(N, dtype=int), _N)

# %% test="fit_weights" aspect="one round by hand" points=1
_levels = np.array([[0.5, 0.1], [0.1, 0.3]])
_got = fit_weights(_levels, np.array([0, 0]), 1)
assert np.shape(_got) == (1, 2), (
    f"One bucket, two levels: an array of shape (1, 2); yours: {_got!r}."
)
assert close(_got, [[13 / 24, 11 / 24]]), (
    "From .5 each, the first token's shares are 5/6 and 1/6, the second's 1/4 and 3/4: "
    f"means 13/24, 11/24; yours: {_got}."
)
### BEGIN HIDDEN TESTS
agrees(fit_weights, ours.fit_weights, _levels, _buckets, 1, rtol=1e-5, atol=1e-6)
_inputs = made(_uniform, 3, 4), np.array([2, 0, 2]), 0
agrees(fit_weights, ours.fit_weights, *_inputs, mixtures=0, rtol=1e-5)
### END HIDDEN TESTS


# %% test="fit_weights" aspect="likelihood never falls" points=1
_levels = np.array([[0.5, 0.1, 0.2], [0.1, 0.3, 0.2], [0.0, 0.4, 0.2]])
_one, _logs = np.zeros(3, dtype=int), []
for _n in range(6):
    _got = fit_weights(_levels.copy(), _one.copy(), _n)
    assert np.shape(_got) == (1, 3), (
        f"One bucket, three levels: shape (1, 3); yours: {_got!r}."
    )
    _logs.append(float(np.log(_levels @ np.ravel(_got)).sum()))
assert np.isfinite(_logs).all(), (
    f"With your weights a token has probability 0 or less: ln P = {_logs}."
)
assert np.all(np.diff(_logs) >= -1e-6), (
    f"Round by round ln P of the held-out text must not fall; yours: {np.round(_logs, 4)}."
)
### BEGIN HIDDEN TESTS
_inputs = _levels, _one, whole(2, 9)
agrees(fit_weights, ours.fit_weights, *_inputs, mixtures=2, rtol=1e-5, atol=1e-6)
for _level, _rounds in (([0.5, 0.49995], 200), ([0.9, 0.1], 4)):  # slow, and soon tiny
    _inputs = np.array([_level]), np.array([0]), _rounds
    agrees(fit_weights, ours.fit_weights, *_inputs, mixtures=0, rtol=1e-5)
### END HIDDEN TESTS


# %% test="fit_weights" aspect="each bucket by itself" points=1
_levels = np.array([[0.8, 0.2], [0.1, 0.4], [0.6, 0.3]])
_got = fit_weights(_levels, np.array([2, 0, 2]), 30)
assert np.shape(_got) == (3, 2), (
    f"Buckets 0 to 2, two levels: wanted shape (3, 2); yours: {np.shape(_got)}."
)
assert close(_got[1], [0.5, 0.5]), (
    f"Bucket 1 has no tokens and keeps 1/2, 1/2; yours: {_got[1]}."
)
assert _got[0][0] < 0.01 and _got[2][0] > 0.99, (
    f"Bucket 0's token prefers the second level, both of bucket 2 the first; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_inputs = _levels, _buckets, whole(2, 6)
agrees(fit_weights, ours.fit_weights, *_inputs, mixtures=2, rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS


# %% test="fit_weights" aspect="log-likelihood of the mixture" points=1
_levels, _weights = (
    np.array([[0.5, 0.1], [0.1, 0.3]]),
    np.array([[1.0, 0.0], [0.5, 0.5]]),
)
_got = log_likelihood(_levels, np.array([0, 1]), _weights)
assert is_number(_got), f"Return one number; you return {_got!r}."
assert close(_got, math.log(0.1)), (
    f"The first token has .5 (bucket 0), the second .2 (bucket 1): ln .1 = {math.log(0.1):.4f}; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_N = size("N", large=3000)
_buckets = made(lambda rng, N: np.array(rng.choices([0, 2, 3], k=N)), _N)
_weights = made(
    lambda rng, K: np.array(
        [[(b + k) % 5 + rng.random() for k in range(K)] for b in range(5)]
    ),
    _K,
)
_weights = made(lambda rng, w: w / w.sum(axis=1, keepdims=True), _weights)
_p = choice(
    made(_uniform, _N, _K), made(lambda rng, N, K: 1e-30 * _uniform(rng, N, K), _N, _K)
)
agrees(
    log_likelihood, ours.log_likelihood, _p, _buckets, _weights, rtol=1e-5, atol=1e-5
)
_inputs = made(_uniform, 2, 3), np.array([1, 0]), made(_uniform, 2, 3)  # as many tokens
agrees(log_likelihood, ours.log_likelihood, *_inputs, mixtures=0, rtol=1e-5, atol=1e-5)
### END HIDDEN TESTS


# %% test="fit_weights" aspect="fitted on the counted text" points=1
for _name, _value in (
    ("guess_weight", guess_weight),
    ("measured_weight", measured_weight),
):
    assert is_number(_value), f"`{_name}` must be a number, not {_value!r}."
    assert 0 <= _value <= 1 + 1e-6, (
        f"A weight lies between 0 and 1; `{_name}` is {_value}."
    )
### BEGIN HIDDEN TESTS
assert math.isclose(measured_weight, ours.measured_weight, abs_tol=5e-4), (
    f"`measured_weight` is {measured_weight:.4f}; fit on all of `counted_levels` in one bucket "
    "and take the first level."
)
### END HIDDEN TESTS


# %%
one_bucket = np.zeros_like(tuning_buckets)
fitted = fit_weights(tuning_levels, one_bucket, 50)
bucket_weights = fit_weights(tuning_levels, tuning_buckets, 50)
names = ["trigram", "bigram", "unigram", "uniform"]
print(
    f"trigram weight: guessed {guess_weight}, fitted on counted text {measured_weight:.4f}"
)
pd.DataFrame(fitted.round(3), columns=names, index=["fitted on tuning text"])

# %% alt="Stacked bars of four weights. The share of the trigram grows from 40 percent for contexts never seen to 85 percent for those seen more than 60 times; the unigram's share vanishes."
for rounds in (0, 1, 2, 5, 10, 50):
    step = fit_weights(tuning_levels, one_bucket, rounds)
    print(
        f"{rounds} rounds: ln P {log_likelihood(tuning_levels, one_bucket, step):.0f}",
        end="; ",
    )
_, axes = plt.subplots()
base = np.zeros(len(bucket_weights))
for name, part in zip(names, bucket_weights.T, strict=True):
    axes.bar(range(len(base)), part, bottom=base, label=name)
    base += part
rng, again = np.random.default_rng(1), []
for _ in range(10):
    some = rng.integers(0, len(tuning_levels), len(tuning_levels))
    again.append(fit_weights(tuning_levels[some], tuning_buckets[some], 50)[:, 0])
axes.errorbar(range(len(base)), bucket_weights[:, 0], np.std(again, axis=0), fmt="k.")
axes.set(xlabel="how often the context was seen, n(h)", ylabel="weight", ylim=(0, 1))
starts = [2**b - 1 for b in range(len(base))]
axes.set_xticks(
    range(len(base)), [f"from {start}" if start else "0" for start in starts]
)
axes.set_title(
    "Better known contexts earn more weight, roughly", loc="left", fontsize=11, pad=28
)
axes.legend(ncols=4, fontsize=10, bbox_to_anchor=(0.5, 1), loc="lower center")
plt.show()

# %%
tokens = len(counted_levels)
for name, level in {"bigram": 1, "unigram": 2, "uniform": 3}.items():
    gain = (counted_levels[:, level] / counted_levels[:, 0]).sum() - tokens
    print(f"small weight ε from the trigram to the {name}: {gain:.0f} ε in ln P")

# %% [markdown]
# The likelihood rises from round to round, as it must. In the figure, roughly, the better known a context is, the more weight its own counts get, from .47 to
# .86. (The black bars are standard deviations over ten resamplings. Read the first column with care. Its contexts were never seen, so that the trigram has
# nothing of its own to say and repeats the bigram. Then EM cannot tell the two apart and splits one weight into two equal halves, which you should read as
# one. In the last column the same is true of the first words of sentences, because nothing but `<s>` stands before them.)
#
# Why does the trigram take everything on counted text? Because of what you proved in chapter 01: on the text that was counted, no distribution after a
# context does better than the relative frequencies themselves. A mixture is just some other distribution after that context, so it cannot win. The last
# printed lines say the same for our 5,000 tokens. Take a small weight $\varepsilon$ from the trigram and give it to the bigram. Then $\ln P$ changes by about
# $\varepsilon \sum_i (p_{i2}/p_{i1} - 1)$, where level 1 is the trigram and level 2 the bigram. This sum is −1237. For the other two levels it is negative,
# too, so no weight should leave the trigram.
