# %% [markdown]
# ## 4. Better, or lucky?
#
# What is hard for one model is mostly hard for the other, so the losses of two models go up and down together from story to story. So draw *stories*, and
# compare both models on the same draw: a **paired bootstrap**. Why whole stories, and not tokens? The words of one story share a town, a surname and a plot,
# so they might not be independent of each other. If they are not, then drawing them one by one makes an interval too narrow.

# %% [markdown] statement="paired_bootstrap"
# - `differences(a, b, document, draws)`: `a` and `b` have $\ln P$ of each token under two models, $[N]$; `document` $[N]$ says to which story each token belongs, 0 to $D - 1$; `draws` $[R, D]$ has stories. For each row: $b$'s loss in nats per token minus $a$'s, over all tokens of the drawn stories, as often as they were drawn. Shape $[R]$; above 0 where $a$ is better.
# - `interval(values, level)`: the lowest and the highest value, `(low, high)`, once the share $(1 - \text{level}) / 2$ is cut off at either end. Where a cut falls between two values, interpolate as `np.quantile` does.

# %% [markdown] hints="paired_bootstrap"
# 1. A loss per token is a ratio of two sums. In a draw, both sums change.
# 2. First sum up each story once, both what the models differ by and how many tokens it has. Tokens of a story need not stand together.
# 3. `np.bincount` with weights gives sums by story. Index both results with the draws, sum over a row, and divide last.


# %% task="paired_bootstrap" points=5 level=3 minutes=18
def differences(a, b, document, draws):
    """Loss of b minus loss of a, nats per token, over the stories of each row of draws: [R]."""
    ### BEGIN SOLUTION
    gains = np.bincount(document, np.asarray(a) - np.asarray(b))  # [D]
    lengths = np.bincount(document)
    return gains[draws].sum(axis=1) / lengths[draws].sum(axis=1)
    ### END SOLUTION


def interval(values, level):
    """Where the middle share `level` of the values lies: (low, high)."""
    ### BEGIN SOLUTION
    rest = (1 - level) / 2
    return np.quantile(values, rest), np.quantile(values, 1 - rest)
    ### END SOLUTION


# %% family="paired_bootstrap"
_D, _R, _more = size("D"), size("R"), size("more", least=0, large=3000)
_draws = made(
    lambda rng, R, D: np.array([rng.choices(range(D), k=D) for _ in range(R)]), _R, _D
)


def _agree(document):
    """Compare for the story of each token."""
    a, b = [
        made(lambda rng, some: np.array([rng.gauss(-3, 1) for _ in some]), document)
        for _ in "ab"
    ]
    inputs = a, b, document, _draws
    agrees(differences, ours.differences, *inputs, rtol=1e-6, atol=1e-9)


# %% test="paired_bootstrap" aspect="a ratio of sums" points=2
_a, _b = np.array([-1.0, -1.0, -1.0]), np.array([-2.0, -2.0, -5.0])
_got = differences(_a, _b, np.array([0, 0, 1]), np.array([[0, 1], [0, 0], [1, 1]]))
assert np.shape(_got) == (3,), (
    f"Three draws: shape (3,) wanted; yours: {np.shape(_got)}."
)
assert close(_got, [2, 1, 4]), (
    f"Story 0 differs by 1 on each of 2 tokens, story 1 by 4 on one: 6/3, 4/4, 8/2; yours: {_got}."
)


### BEGIN HIDDEN TESTS
def _together(rng, D, more):
    """The story of each token: every story has one at least, all its tokens stand together."""
    return np.array(sorted([*range(D), *rng.choices(range(D), k=more)]))


_agree(made(_together, _D, _more))
### END HIDDEN TESTS

# %% test="paired_bootstrap" aspect="tokens in any order" points=1
_a, _b = np.array([-1.0, -1.0, -1.0]), np.array([-2.0, -5.0, -2.0])
_got = differences(_a, _b, np.array([0, 1, 0]), np.array([[0, 1], [1, 1]]))
assert np.shape(_got) == (2,) and close(_got, [2, 4]), (
    f"Tokens 0 and 2 are story 0: 2 and 4 wanted; yours: {_got}."
)


### BEGIN HIDDEN TESTS
def _mixed(rng, D, more):
    """The story of each token: every story has one at least, in any order."""
    document = [*range(D), *rng.choices(range(D), k=more)]
    return np.array(rng.sample(document, len(document)))


_agree(made(_mixed, _D, _more))
### END HIDDEN TESTS

# %% test="paired_bootstrap" aspect="cut off at both ends" points=2
_got = interval(np.arange(101.0), 0.9)
assert _got is not None and np.shape(_got) == (2,), (
    f"Two numbers wanted; yours: {_got!r}."
)
assert close(_got, [5, 95]), f"0 to 100, the middle 90 %: 5 and 95; yours: {_got}."
### BEGIN HIDDEN TESTS
_level = number(0.0, 1.0, (0.5, 0.8, 0.95))
_values = array(size("values", large=400))
agrees(interval, ours.interval, _values, _level, rtol=1e-6, atol=1e-9)
### END HIDDEN TESTS

# %%
pairs = [
    ("Transformer", "LSTM"),
    ("LSTM", "RNN"),
    ("RNN", "window"),
    ("window", "modified Kneser-Ney 5"),
]
draws = np.random.default_rng(2).integers(len(lengths), size=(2000, len(lengths)))
others = np.random.default_rng(3).integers(len(lengths), size=(2000, len(lengths)))
nothing = np.zeros(len(scores))
token_draws = np.random.default_rng(4).integers(len(scores), size=(500, len(scores)))
spans = []
for first, second in pairs:
    a, b = scores[first], scores[second]
    paired = differences(a, b, document, draws)
    apart = differences(a, nothing, document, draws) - differences(
        b, nothing, document, others
    )
    tokens_alone = (a - b)[token_draws].mean(1)
    spans.append([interval(x, 0.95) for x in (paired, apart, tokens_alone)])

# %% alt="Four leads with three intervals each. Those of paired stories and tokens are narrow and all beyond zero; those of stories that are not paired are three times as wide, and one reaches zero."
_, axes = plt.subplots(figsize=(9.5, 3.4))
ways = ("stories, paired", "stories, not paired", "single tokens, paired")
for i, (label, colour) in enumerate(zip(ways, plots.COLOURS, strict=False)):
    for y, row in enumerate(spans):
        axes.plot(row[i], [y - 0.2 + 0.2 * i] * 2, color=colour, lw=4)
    axes.plot([], [], color=colour, lw=4, label=label)
perplexity = recorded["perplexity"]
on_all = [math.log(perplexity[b] / perplexity[a]) for a, b in pairs]
axes.plot(on_all, range(len(pairs)), "k|", markersize=26, label="on all 1,220 stories")
axes.axvline(0, color="gray", linestyle=":")
axes.set_yticks(range(len(pairs)), [f"{a} better than\n{b} by" for a, b in pairs])
axes.invert_yaxis()
axes.set_xlabel("nats per token (bars: 95 % of the draws)")
axes.set_title("Paired draws see every lead")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()
for (first, second), row in zip(pairs, spans, strict=True):
    widths = [high - low for low, high in row]
    print(
        f"{first} - {second}: widths {widths[0]:.3f}, {widths[1]:.3f}, {widths[2]:.3f}"
    )
loss = -scores["Transformer"]
alone = differences(nothing, -loss, document, draws), loss[token_draws].mean(1)
widths = [high - low for low, high in (interval(x, 0.95) for x in alone)]
print(
    f"loss of the Transformer alone: by stories {widths[0]:.3f}, by tokens {widths[1]:.3f}"
)
together = np.corrcoef(per_story["Transformer"], per_story["LSTM"])[0, 1]
print(f"losses of a story under Transformer and LSTM: correlation {together:.2f}")

# %% [markdown]
# On the same stories (blue) every lead is clear. With other stories for each model (orange) the intervals are three to six times as wide, and the RNN's lead
# over the window would be lost. The reason is the last printed number, the correlation of 0.95: what is hard for one model is hard for the other, and that is
# most of the scatter; the pairs cancel it.
#
# I said that the words of a story might not be independent. On our text this does no harm. Drawing single tokens (green) gives nearly the same widths. For
# the loss of one model alone, the draws of stories even scatter a little *less* than the draws of tokens. That is because our stories are built alike: each
# has its opening, its orders and its ending, so every story has its share of easy and hard places, which a draw of single tokens has not. In texts whose
# authors and topics differ it may well be the other way round, so draw documents.
#
# The black marks are a test that one rarely has: the difference on all 1,220 stories. Each should lie in its blue bar, or just beside it. (A bar of 95 %
# misses the truth one time in 20. It misses this mark only about one time in 30, because the 1,220 contain our 200 stories, and so their mean lies nearer to
# our mean than the truth does.)
#
# And here is what the blue bars do *not* tell you. They answer the question "would it be so on other stories?" They know nothing about "would it be so if we trained both again?" Three Transformers that differ in the seed alone were 0.08 bits apart, that is 0.05 nats, more than the width of the Transformer's bar. A comparison of *recipes* therefore needs several trainings of each as well as many stories.

# %% [markdown] statement="twenty_stories"
# #### Twenty stories
#
# A friend has a new model. On 20 test stories it needs 0.01 nats per token less than the old one, and 12 of the 20 stories got better. What do you answer, and what would you ask to see?

# %% [markdown] written="twenty_stories" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: says that the difference has to be held against its scatter between stories (a standard error or an interval from the paired differences), and that .01 alone decides nothing. 1 point: uses the 12 of 20: a coin does as well or better one time in four (probability .25), so this is no evidence. 1 point: asks for something that would decide: more stories, with how many are needed from the scatter; a paired interval; several seeds, since two trainings of one model differ, too.
#
# No point for "0.01 is small" without a scale. A usual wrong idea: to count tokens as independent draws, because there are many of them.
#
# **Sample, 3 points.** I would not believe it yet. 12 heads in 20 throws of a coin are nothing special, one gets 12 or more in a quarter of all tries. Whether .01 is much depends on how the 20 differences scatter: with a standard deviation of .05 the standard error is .011, so it could be zero. I would ask for the interval of a paired bootstrap over stories, and then for so many stories that two standard errors are below .01; also for a second seed.
#
# **Sample, 1 point.** The number of stories is too small, because of statistics one needs a standard error with it. Maybe with 1,000 stories it would be better.
#
# **Sample, 0 points.** It is better on 60 % of the stories and on average, so it is better. I would ask how many parameters it has.
# ### END SOLUTION
