# %% [markdown] statement="documents_needed"
# ## 5. How large a test?
#
# A pilot of a few stories already says how many will be needed. If single differences scatter by $s$ (the standard deviation with $D - 1$ below), the mean of $D$ of them scatters by $s / \sqrt D$. We call two models told apart once their mean difference is at least $z$ standard errors, $|\bar d| \ge z\, s / \sqrt D$.
#
# `documents_needed(d, z=2)`: solve this for $D$, with $\bar d$ and $s$ from the pilot $d$; return the smallest whole number of stories, at least 1. If $\bar d$
# is 0, no number suffices: `math.inf`. You need not worry about rounding errors: in none of our checks does $D$ lie so close to a whole number that one would
# matter.

# %% [markdown] hints="documents_needed"
# 1. Square both sides; then $D$ stands alone.
# 2. A sign says who is better, not how hard it is to see. And stories come in whole numbers.
# 3. Round up, never below 1, and look at $\bar d = 0$ before you divide.


# %% task="documents_needed" points=3 level=2 minutes=10
def documents_needed(d, z=2):
    """The smallest D at which a mean difference like that of the pilot d is z standard errors."""
    ### BEGIN SOLUTION
    mean, s = np.mean(d), np.std(d, ddof=1)
    if mean == 0:
        return math.inf
    return max(1, math.ceil((z * s / mean) ** 2))
    ### END SOLUTION


# %% test="documents_needed" aspect="the smallest number" points=2
_got = documents_needed(np.array([0.0, 1.0, 0.0, 1.0]))
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert _got == 6, f"Mean .5, s² = 1/3: (2 s / .5)² = 5.33, so 6; yours: {_got}."


### BEGIN HIDDEN TESTS
def _pilot(rng, n, mean, unit):
    """Differences of n stories with this mean, never two that are equal."""
    values = [rng.gauss(0, 1) for _ in range(n)]
    return np.array([value - sum(values) / n + mean for value in values]) * unit


_mean, _unit = choice(0.3, -0.5, 0.2, 0.01), choice(1.0, 2.0**-30)
_d = made(_pilot, size("stories", least=2), _mean, _unit)
agrees(documents_needed, ours.documents_needed, _d, number(0.5, 20.0, (0, 1, 2, 4)))
agrees(documents_needed, ours.documents_needed, _d)
for _d, _z, _wanted in (
    (np.array([2.0, 4.0, 6.0]), 4, 4),
    (np.array([-6.0, -4.0, -2.0]), 6, 9),
    (np.array([1.0, 0.0, -1.0]) + 2.0**-12, 2, 2**26),
):
    _got = documents_needed(_d, _z)
    assert is_number(_got) and _got == _wanted, (
        f"d = {_d}, z = {_z}: {_wanted} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="documents_needed" aspect="no difference, no scatter" points=1
_got = documents_needed(np.array([1.0, -1.0]))
assert _got == math.inf, f"The mean is 0: math.inf is wanted; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_rows = ([0.25] * 3, [-3.0] * 2, [0.0] * 2, [-100.0, -101.0], [-2.0, 2.0, 0.5, -0.5])
agrees(documents_needed, ours.documents_needed, choice(*map(np.array, _rows)))
### END HIDDEN TESTS

# %% [markdown]
# Predict, then measure. A pilot of 30 stories says how many are needed. To try it out we need a world in which the true difference is known, so for the
# moment let our 200 stories be the whole world. Then we draw as many stories from them as the pilot asks for (with replacement), a thousand times. In what
# share of the draws is the difference at least two standard errors: nearly always? (One story alone has no scatter, so where the formula asks for a single
# one we draw two.) We also want cases that are hard, so some models are mixed by hand: 80 % Transformer and 20 % LSTM hardly differs from the Transformer
# alone.
#
# The share that you are about to see has a name. The **power** of a test is the probability that it sees a difference that really is there. If the true difference is $\delta$ and the standard error $s / \sqrt D$, the measured difference scatters around $\delta$ roughly as a normal distribution, so it lies above $z$ standard errors with probability
#
# $$\text{power} \approx \Phi\!\left(\frac{\delta}{s / \sqrt D} - z\right), \qquad \Phi(x) = P(\text{a standard normal number} < x) .$$

# %%
rng = np.random.default_rng(5)


def blend(first, second, share):
    """ln P of each token if a share of the probability comes from the first model."""
    return np.log(share * np.exp(scores[first]) + (1 - share) * np.exp(scores[second]))


transformer, lstm = scores["Transformer"], scores["LSTM"]
contests = {
    "LSTM, RNN": lstm - scores["RNN"],
    "RNN, window": scores["RNN"] - scores["window"],
    "LSTM, half RNN": lstm - blend("LSTM", "RNN", 0.5),
    "Transformer, half LSTM": transformer - blend("Transformer", "LSTM", 0.5),
    "Transformer, a fifth LSTM": transformer - blend("Transformer", "LSTM", 0.8),
}


def power(d, stories, times=1000):
    """In what share of the draws of so many stories the mean is two standard errors from 0."""
    some = d[rng.integers(len(d), size=(times, max(stories, 2)))]
    error = np.array([by_formula(one) for one in some])  # yours, of section 3
    return np.mean(abs(some.mean(axis=1)) >= 2 * error)


rows = []
for gain in contests.values():
    d = np.bincount(document, gain) / lengths
    rows.append([d.mean()])
    for needed in documents_needed(d[:30]), documents_needed(d), documents_needed(d, 4):
        rows[-1] += [needed, f"{power(d, needed):.0%}"]
head = ["nats apart", "by pilot", "power, pilot", "by all 200", "power, all 200"]
head += ["with z = 4", "power, z = 4"]
pd.DataFrame(rows, contests, head).round(4)

# %% [markdown]
# Not nearly always. Look at the last row, where many stories are needed. In a world of these 200 stories it takes $D = 231$ draws until the true difference
# is two standard errors. Then $\frac{\delta}{s / \sqrt D} - z = 0$ and the power should be $\Phi(0) = \frac12$: half of all draws fall short. It is 51 %. How
# many stories do you need for a power of 98 %? $\Phi(2)$ is about 0.98, so the true difference has to be *four* standard errors. Ask for $z = 4$, which means
# four times as many stories, and the last column shows that it works: 96 % or more in every row. (The formula is rough where few stories are needed, since
# then the scatter itself is estimated from a handful of numbers.)
#
# Note also how expensive small differences are: at the same scatter, half the difference needs four times as many stories.
#
# Outside this small world even 231 is a guess. All 200 stories are a pilot, too, of a language with endless stories, and 231 is more than 200: so these
# stories do not tell the last pair apart. How far can a pilot err? The next cell asks 3,000 pilots of 30 of our stories, and 3,000 of 200 (drawn with
# replacement). What would you bet: do they agree to a factor of two?

# %%
d = np.bincount(document, contests["Transformer, a fifth LSTM"]) / lengths
draw = np.random.default_rng(9)
low, high = interval(d[draw.integers(len(d), size=(3000, len(d)))].mean(axis=1), 0.95)
print(f"the last pair: {d.mean() / by_formula(d):.1f} standard errors from 0;", end="")
print(f" 95 % of the draws lie from {low:.4f} to {high:.4f}")
for size, again in ((30, False), (200, True)):
    asked = [documents_needed(draw.choice(d, size, replace=again)) for _ in range(3000)]
    low, middle, high = np.quantile(asked, [0.05, 0.5, 0.95])
    print(
        f"pilots of {size} stories ask for {low:.0f} to {high:,.0f} (nine of ten), half of"
        f" them for {middle:.0f} at most"
    )

# %% [markdown]
# They do not agree to a factor of a thousand. Nine of ten pilots of 30 stories ask for 16 to about 24,000 stories, half of them for 168 at most. Our pilot
# with its 50 was a hopeful one, but not an unusual one. Even pilots of 200 ask for 54 to about 10,000. The first line says why: with all 200 stories the
# difference is 1.9 standard errors from zero, and draws as low as 0 are among the 95 %. If the true difference is half of what we measured, it takes four
# times as many stories; if it is zero, no number is enough. So a pilot tells the size of a test well where the difference is many standard errors, and hardly
# at all where it is one or two.
#
# One number of the table is strange. With the 50 stories of the first pilot, one draw in five told the last pair apart. The formula gives a power of $\Phi(2
# \sqrt{50 / 231} - 2)$, which is 14 %, and 50 stories are not a handful. Whom does the formula not fit? It takes the differences for normal numbers. The next
# cell draws 50 of three kinds: our differences; normal numbers of the same mean and the same scatter; and our differences mirrored about their mean.

# %%
normal = rng.normal(d.mean(), d.std(), 100_000)
mirrored = 2 * d.mean() - d
for label, values in (("ours", d), ("normal", normal), ("mirrored", mirrored)):
    low, high = np.quantile(values, [0.01, 0.99]) - values.mean()
    print(
        f"{label:9} 98 % of them lie from {low:+.3f} to {high:+.3f} round the mean:"
        f" power with 50 stories {power(values, 50, 20_000):.0%}"
    )

# %% [markdown]
# It is the shape. Our differences are lopsided: a few stories, in which the mixture is much the better one, reach far down, and none reaches as far up. A
# draw without such stories has a high mean and *at the same time* a small scatter, so it passes the test easily. Mirrored, the same stories do the contrary,
# and the power is less than the formula says. With 231 stories every draw has its share of the far ones, and the lopsidedness hardly matters any more.
