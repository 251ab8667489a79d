# %% [markdown]
# ## 8. When it says 70 %
#
# At each place a model has a likeliest word, and says how likely it is: its **confidence**. Take all places where it says about 70 %. If the word comes in about 70 % of them, and so for every other number, the model is **calibrated**.

# %% [markdown] statement="calibration"
# - `reliability(confidence, right, edges)`: confidences $[N]$, and whether the word came $[N]$; `edges` $[K + 1]$ cut the numbers from 0 to 1 into $K$ bins. Bin $k$ holds edge $k$ and what is between it and edge $k + 1$; the last bin holds its upper edge too. Return three arrays $[K]$: mean confidence, share that came, number of places. Where a bin is empty, the first two are NaN.
# - `calibration_error(confidence, right, edges)`: the distance between the first two, averaged over all *places*, so a bin that holds more places has more
#   weight.

# %% [markdown] hints="calibration"
# 1. First give each place the number of its bin. What happens to a confidence of exactly 1?
# 2. With bin numbers, `np.bincount` gives sums and counts; its `minlength` keeps empty bins.
# 3. `np.digitize(confidence, edges[1:-1])` finds the bins, the last edge included. Divide sums by counts, with NaN where a count is 0; the error leaves such bins out.


# %% task="calibration" points=4 level=2 minutes=16
def reliability(confidence, right, edges):
    """Mean confidence, share right and number of places in each bin: three arrays [K]."""
    ### BEGIN SOLUTION
    K = len(edges) - 1
    place = np.digitize(confidence, edges[1:-1])
    number = np.bincount(place, minlength=K)
    with np.errstate(invalid="ignore"):
        said = np.bincount(place, confidence, minlength=K) / number
        came = np.bincount(place, right, minlength=K) / number
    return said, came, number
    ### END SOLUTION


def calibration_error(confidence, right, edges):
    """Mean over all places of the distance between what their bin says and what comes."""
    ### BEGIN SOLUTION
    said, came, number = reliability(confidence, right, edges)
    return np.nansum(number * abs(said - came)) / number.sum()
    ### END SOLUTION


# %% family="calibration"
_n, _K = size("places", large=3000), size("bins", large=19)
_edges = made(
    lambda rng, K: np.array([0, *sorted(rng.sample(range(1, 20), K - 1)), 20]) / 20, _K
)
_right = made(
    lambda rng, n, kind: np.array([rng.random() < 0.6 for _ in range(n)]).astype(kind),
    *(_n, choice("bool", "int64")),
)
_said = made(
    lambda rng, n, below: np.maximum(
        np.array(rng.choices(range(21), k=n)) / 20 - below, 0
    ),
    *(_n, choice(0, 1e-7)),  # on edges, and just below them
)

# %% test="calibration" aspect="means and shares by bin" points=1
_said, _right = np.array([0.1, 0.3, 0.8, 0.6]), np.array([False, True, True, True])
_got = reliability(_said, _right, np.array([0.0, 0.5, 1.0]))
assert _got is not None and len(_got) == 3, f"Three arrays wanted; yours: {_got!r}."
for _part, _wanted, _name in zip(
    _got,
    ([0.2, 0.7], [0.5, 1], [2, 2]),
    ("mean confidence", "share that came", "number"),
    strict=True,
):
    assert np.shape(_part) == (2,) and close(_part, _wanted, 1e-6), (
        f"{_name}: {_wanted} wanted; yours: {_part}."
    )
### BEGIN HIDDEN TESTS
_said = made(lambda rng, n: np.array([rng.random() for _ in range(n)]), _n)
agrees(reliability, ours.reliability, _said, _right, _edges, rtol=1e-6)
### END HIDDEN TESTS

# %% test="calibration" aspect="edges and empty bins" points=2
_got = reliability(
    np.array([0.5, 1.0, 0.0]), np.array([1, 0, 1]), np.array([0.0, 0.5, 1.0])
)
assert _got is not None and len(_got) == 3, f"Three arrays wanted; yours: {_got!r}."
assert np.shape(_got[2]) == (2,) and close(_got[2], [1, 2]), (
    f".5 and 1 belong to the upper bin, 0 to the lower: 1 and 2 places; yours: {_got[2]}."
)
### BEGIN HIDDEN TESTS
agrees(reliability, ours.reliability, _said, _right, _edges, rtol=1e-6)
### END HIDDEN TESTS

# %% test="calibration" aspect="places weigh, not bins" points=1
_said, _right = np.array([0.2, 0.2, 0.2, 0.9]), np.array([False, False, False, True])
_got = calibration_error(_said, _right, np.array([0.0, 0.5, 1.0]))
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, (3 * 0.2 + 0.1) / 4, 1e-6), (
    f"Three places off by .2, one by .1: .175; yours: {_got}."
)
### BEGIN HIDDEN TESTS
agrees(
    calibration_error,
    ours.calibration_error,
    _said,
    _right,
    _edges,
    rtol=1e-6,
    atol=1e-9,
)
### END HIDDEN TESTS

# %% alt="Share that came minus confidence for five models. Only modified Kneser-Ney is far outside the grey bars of chance: too sure at low confidence, not sure enough at high."
tenths = np.linspace(0, 1, 11)
asked = ["unigram", "modified Kneser-Ney 5", "LSTM", "Transformer", "truth"]
coin = np.random.default_rng(6)
_, panels = plt.subplots(1, 5, figsize=(11, 2.9), sharey=True, sharex=True)
for i, (name, axes) in enumerate(zip(asked, panels, strict=True)):
    confidence, came = scores.confidence(name), scores.top(name) == scores.tokens
    said, share, number = reliability(confidence, came, tenths)
    enough = number >= 30
    said, share, number = said[enough], share[enough], number[enough]
    band = 2 * np.sqrt(said * (1 - said) / number)
    axes.bar(said, 2 * band, 0.09, -band, color="gray", alpha=0.25)
    axes.plot(said, share - said, "o-", color=plots.COLOURS[i], markersize=5)
    axes.axhline(0, color="gray", linestyle=":")
    axes.set(xlim=(0, 1), xticks=[0, 0.5, 1], xticklabels=["0", "0.5", "1"])
    axes.set_title(name.replace(" Kneser", "\nKneser"), fontsize=11)
    honest = [
        calibration_error(confidence, coin.random(len(confidence)) < confidence, tenths)
        for _ in range(200)
    ]
    low, high = interval(honest, 0.95)
    error = calibration_error(confidence, came, tenths)
    distance = np.nanmean(abs(confidence - scores.true_confidence(name)))
    print(
        f"{name:21} mean confidence {confidence.mean():.2f}, calibration error {error:.3f}"
        f" (perfect: {low:.3f} to {high:.3f}), from the truth {distance:.3f}"
    )
panels[0].set_ylabel("share that came\nminus confidence")
panels[2].set_xlabel("confidence")
plt.suptitle("Only Kneser-Ney is far outside the grey bars of chance", fontsize=12)
plt.show()
said, came = scores.confidence("Laplace 2"), scores.top("Laplace 2") == scores.tokens
print(
    f"Laplace 2, not drawn: says {said.mean():.2f} on average, {came.mean():.2f} come"
)

# %% [markdown]
# Read a panel like this: at 0, the model is as often right as it says; below, it is too sure; above, it is not sure enough. The grey bar round each dot is
# what chance alone does to a model that is perfectly calibrated (two standard errors of a share). Tenths with fewer than 30 places have no dot, because
# chance alone would throw them anywhere.
#
# Something in the printed lines should bother you. The *truth* has a calibration error of 0.005. Is the truth not calibrated? It is, by definition. But the
# error is measured on a finite number of places: in the truth's own panel the shares miss by up to 3 points, up and down, by nothing but accident, and the
# error adds up distances, so an accident never makes up for another. So even a perfect model gets a number above 0. How large a number? We let the computer
# make up the outcomes, each word coming with exactly the probability that the model says, and computed the error 200 times. The middle 95 % of these are the
# bracket (your `interval` again), 0.003 to 0.009 for the truth. Whatever lies inside its bracket cannot be told from a perfectly calibrated model by this
# number. All but one lie inside, though the LSTM only just; Kneser-Ney is far outside.
#
# Nobody trained any of them for calibration. Why is it there? For the networks one reason is their loss: $-\ln P$ is smallest, on average over the true
# distribution, for whoever states the true probabilities. That is not enough. C. Guo and others (see the end of the chapter) found large networks, trained
# with this same loss, that are far too sure of themselves: they had gone over the same examples many times, and overfitted this loss. Our networks never read
# a story twice, so there is nothing to overfit. The Kneser-Ney model minimises no loss at all. Of the five models in the figure, Kneser-Ney errs most, by
# 0.04: it is too sure where it says little, and not sure enough where it says much. And there are far worse ones. Laplace's bigram, not drawn, says 0.20 on
# average, and 0.34 come (the last printed line). The unigram has a single dot, because it always says the same word with the same confidence.
#
# Only a text with a known truth allows the last number of each line. It asks at each place how far the confidence is from the *true* probability of that word: 0.21 for the unigram, 0.10, 0.04 and 0.04 for the others.

# %% [markdown] statement="calibrated_and_useless"
# #### Calibrated, and no use
#
# The unigram model has one of the smallest calibration errors. Why, and why does this not make it a good model? Say what calibration measures and what it leaves out, and name a second number of this chapter that shows the difference.

# %% [markdown] written="calibrated_and_useless" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: why it is calibrated: it always says the same word with that word's share in the training text, and the test text comes from the same language, so the word comes about that often. 1 point: what calibration leaves out: it compares averages over places with the same confidence, not whether the model tells one place from another (that is what context is for). 1 point: a second number with its figures from this chapter: perplexity or bits above the truth, mean confidence, or the distance from the truth place by place.
#
# No point for "it is too simple". A usual wrong idea: a calibrated model is right more often than others; it only knows how often it is wrong.
#
# **Sample, 3 points.** The unigram always bets on the same word and says its share in the text, so of course it comes that often: calibrated without knowing anything. Calibration asks if the confidences are right on average, not if they differ between an easy and a hard place. The perplexity shows it, the unigram's is far above the Transformer's.
#
# **Sample, 1 point.** Its confidence is always low, so it cannot be wrong by much. That is no use, because one wants a model that is sure.
#
# **Sample, 0 points.** It is an error in the measurement, because a model with such a high perplexity cannot be calibrated.
# ### END SOLUTION
