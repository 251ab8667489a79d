# %% [markdown] statement="fit_power_law"
# ## 6. A straight line on logarithms
#
# How does a model profit from more text? Loss often falls as a **power law** of the $n$ tokens it learns from, down to a floor $L_\infty$ that nothing can go below:
#
# $$L(n) - L_\infty = a\, n^{-b}, \qquad \ln (L(n) - L_\infty) = \ln a - b \ln n .$$
#
# On logarithms it is a straight line, and least squares finds it. For real text nobody knows $L_\infty$; ours is known.
#
# - `fit_power_law(sizes, losses, floor)` returns $(a, b)$: the line that minimises the sum of squares on logarithms;
# - `tokens_for(loss, a, b, floor)`: how many tokens the law asks for, not rounded. A loss at the floor or below it is never reached: `math.inf`.

# %% [markdown] hints="fit_power_law"
# 1. What are $x$ and $y$ of the straight line, and what are its slope and its intercept in terms of $a$ and $b$?
# 2. Subtract the floor before you take a logarithm, not after.
# 3. `np.polyfit(x, y, 1)` returns slope and intercept. Solving for $n$ turns the exponent round: $((L - L_\infty) / a)^{-1/b}$.


# %% task="fit_power_law" points=4 level=2 minutes=14
def fit_power_law(sizes, losses, floor):
    """(a, b) of losses - floor = a * sizes ** -b, least squares on logarithms."""
    ### BEGIN SOLUTION
    slope, intercept = np.polyfit(np.log(sizes), np.log(np.asarray(losses) - floor), 1)
    return math.exp(intercept), -slope
    ### END SOLUTION


def tokens_for(loss, a, b, floor):
    """The number of tokens at which the law reaches a loss; math.inf if it never does."""
    ### BEGIN SOLUTION
    if loss <= floor:
        return math.inf
    return ((loss - floor) / a) ** (-1 / b)
    ### END SOLUTION


# %% test="fit_power_law" aspect="points on a line" points=1
_got = fit_power_law(np.array([1.0, 4.0, 16.0]), np.array([9.0, 5.0, 3.0]), 1.0)
assert _got is not None and np.shape(_got) == (2,), f"(a, b) wanted; yours: {_got!r}."
assert close(_got, [8, 0.5], 1e-6), (
    f"8, 4 and 2 above the floor: a = 8, b = .5; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_n, _floor = size("points", least=2), number(0.0, 3.0)
_sizes = made(
    lambda rng, n: np.exp([2 + 10 * (i + rng.random() / 2) / n for i in range(n)]), _n
)
_losses = made(
    lambda rng, sizes, floor, a, b: floor + a * sizes**-b,
    *(_sizes, _floor, number(0.5, 50.0), number(0.05, 1.5)),
)
agrees(fit_power_law, ours.fit_power_law, _sizes, _losses, _floor, rtol=1e-5)
### END HIDDEN TESTS

# %% test="fit_power_law" aspect="least squares on logarithms" points=1
_got = fit_power_law(np.array([1, 10, 100]), np.array([11.0, 101.0, 11.0]), 1.0)
assert _got is not None and np.shape(_got) == (2,), f"(a, b) wanted; yours: {_got!r}."
assert close(_got[1], 0, 1e-6, 1e-9), (
    f"Up and down by as much: b = 0; yours: {_got[1]}."
)
### BEGIN HIDDEN TESTS
_n, _floor = size("points", least=2), number(0.0, 3.0)
_sizes = made(
    lambda rng, n: np.exp([2 + 10 * (i + rng.random() / 2) / n for i in range(n)]), _n
)
_twice = made(lambda rng, sizes: np.concatenate([sizes, sizes[1:]]), _sizes)


def _scattered(rng, sizes, floor, b):
    """Losses above the floor, around the line of exponent b."""
    return np.array([floor + math.exp(3 + rng.gauss(0, 0.5)) * n**-b for n in sizes])


_sizes = choice(_sizes, _twice)  # two trainings on as many tokens
_losses = made(_scattered, _sizes, _floor, choice(0.3, -0.5))
agrees(fit_power_law, ours.fit_power_law, _sizes, _losses, _floor, rtol=1e-5)
### END HIDDEN TESTS

# %% test="fit_power_law" aspect="how much text for a loss" points=2
_got = tokens_for(3.0, 8.0, 0.5, 1.0)
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, 16.0), f"8 / √n = 2: n = 16; yours: {_got}."
### BEGIN HIDDEN TESTS
_floor = number(0.0, 2.0, (1.5,))
_above = number(0.01, 20.0, (0.0, -1.0, 2.0**-21))
_loss = made(lambda rng, floor, above: floor + above, _floor, _above)
_a, _b = number(0.5, 20.0), number(0.1, 0.9)
agrees(tokens_for, ours.tokens_for, _loss, _a, _b, _floor, rtol=1e-5)
agrees(tokens_for, ours.tokens_for, 1 + 2.0**-21, 5.0, 0.1, 1.0, rtol=1e-5, mixtures=0)
### END HIDDEN TESTS

# %% alt="Bits above the floor over tokens on logarithmic axes. Counting models fall slowly, the networks' lines steeply; but the networks' diamonds on fresh text lie far above their lines."
shares = scoreboard.table("shares")
true_bits = math.log2(recorded.loc["truth", "perplexity"])
fresh = {  # the board's recipes, four lengths of training; these never read a story twice
    name: [
        runs.load(f"kitchen-{name}{end}") for end in ("-1min", "", "-15min", "-60min")
    ]
    for name in ("lstm", "transformer")
}
shown = ["Good-Turing 3", "Katz 3", "modified Kneser-Ney 5", "lstm", "transformer"]
called = {"lstm": "LSTM", "transformer": "Transformer"}
dots, diamonds = {}, {}
_, axes = plt.subplots(figsize=(9, 4.4))
for i, name in enumerate(shown):
    rows = shares[shares["model"] == name].groupby("tokens")["bits above the floor"]
    dots[name] = rows.mean()
    a, b = fit_power_law(dots[name].index, true_bits + dots[name], true_bits)
    style = {"color": plots.COLOURS[i % len(plots.COLOURS)]}
    reach = np.array([1e4, 4e7 if name in fresh else 1e6])
    style["markersize"] = 11 - 1.5 * i  # so that one dot on another can be seen
    axes.plot(dots[name].index, dots[name], "o", **style, label=called.get(name, name))
    axes.plot(reach, a * reach**-b, **style, linewidth=1)
    if name in fresh:
        diamonds[name] = [
            [np.mean(run.each(what)) for run in fresh[name]]
            for what in ("tokens", "bits above the floor", "CPU seconds")
        ]
        axes.plot(*diamonds[name][:2], "D:", mfc="white", **style)
label = "fresh text, longer and\nlonger (the first two: mean\nof three seeds, then one)"
axes.plot([], [], "kD:", mfc="white", label=label)
axes.set(xscale="log", yscale="log", xlabel="tokens to learn from (log)")
axes.set_yticks(
    [5, 2, 1, 0.5, 0.2, 0.1, 0.05], ["5", "2", "1", "0.5", "0.2", "0.1", "0.05"]
)
axes.minorticks_off()
axes.set_ylabel("bits above the floor (log)")
axes.set_title("The networks' lines do not survive the diamonds")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %%
for name, dot in dots.items():
    a, b = fit_power_law(dot.index, true_bits + dot, true_bits)
    _, last = fit_power_law(dot.index[-2:], true_bits + dot.iloc[-2:], true_bits)
    _, forgot = fit_power_law(dot.index, true_bits + dot, 0)
    print(
        f"{name:22} b = {b:.3f}; last two dots {last:.3f}; floor forgotten {forgot:.3f}"
    )
    if name in fresh:
        read, bits, cpu = diamonds[name]
        for tokens, found, minutes in zip(read, bits, np.array(cpu) / 60, strict=True):
            wanted = tokens_for(true_bits + found, a, b, true_bits) / 1e6
            print(
                f"    diamond, {minutes:4.1f} CPU minutes: {found:.2f} bits after"
                f" {tokens / 1e6:4.1f} million tokens; the line asks for {wanted:.1f}"
            )
        end = dot.index[-1]  # as many steps, but on fresh text
        b = math.log(dot[end] / bits[0]) / math.log(read[0] / end)
        print(
            f"    last dot to first diamond: {dot[end]:.2f} -> {bits[0]:.2f}, b = {b:.2f}"
        )
passes = shares[shares["model"].isin(fresh)].groupby(["model", "tokens"])
passes[["passes", "CPU seconds"]].mean().round(1).unstack(0)

# %% [markdown]
# Look at the dots first. Each dot is a model that got only so many tokens of text. The networks went over theirs again and again (the table below the printed
# lines counts the passes), and each of their dots is the mean of three seeds. The lines are fitted to the dots.
#
# With ten thousand tokens Kneser-Ney and both networks are alike, 3.1 bits above the floor. Then they part. Kneser-Ney's line falls with $b = 0.19$, so it
# takes about forty times the text to halve its distance ($2^{1/0.186} \approx 42$). Even that is too good, for its dots bend: between the last two $b$ is
# only 0.14, and that would take more than a hundred times the text. The networks' lines fall with $b = 0.5$, so four times the text would do. So "which model
# is better?" has no answer until you say how much text there is.
#
# Now the white diamonds. They are the same two networks, trained longer and longer on text that never repeats. The second diamond of each is the mean of
# trainings like the rows of our scoreboard. If the lines were laws, the diamonds would lie on them. They do not. After four minutes the LSTM was 0.65 bits
# above the floor. Its line says that 0.2 million tokens are enough for that. It had read 3.2 million.

# %% [markdown]
# What went wrong? The last table shows it, if you multiply. The LSTM read $10{,}142 \cdot 24.1$, about 0.24 million tokens, for its first dot, and $100{,}033
# \cdot 7.9$, about 0.79 million, for its last. So along the dots *two* things grow: the text, and the training. With ten times the text the network also made
# three times as many steps, and read each story a third as often. So $b = 0.5$ is not what text buys. It is what text *and* steps buy together in this
# recipe. One pair of points differs in the text alone. For its last dot the LSTM took as many steps as 0.8 million tokens need, but on 100,000 tokens, which
# it read eight times. For its first diamond it took as many steps on 0.8 million different tokens. (The Transformer's pair is of the same kind, with 0.6
# million.) There, eight times as much text brings the LSTM from 0.98 to 0.82 bits, an exponent of 0.08. That is not *the* exponent of text either. It holds
# at this one place, where a text was read only eight times. At the first dot a tiny text was read 24 times, and fresh text would probably have helped more
# there. We have no such pair.
#
# This is a trap in papers, too. J. Kaplan and others (2020) and J. Hoffmann and others (2022) fitted such lines to much larger models and came to different
# advice on how large a model should be; the second group traced this partly to the schedule of the learning rate, which the first had not adapted to the
# amount of text. A straight line through three points is a summary of three points. It becomes a law when it has predicted a fourth.
#
# Do the diamonds form a line of their own? Look at the Transformer between its second and its third: the distance falls from 0.53 to 0.22 bits, more steeply
# than any line in the figure, while the LSTM crawls. After 42 minutes it is where the Transformer was after four. No power law makes such a step. Something
# happens in those minutes, and a loss alone cannot say what; in section 10 we ask the networks themselves.

# %% [markdown]
# One thing is left: the floor. We know it, and for a real text nobody does. What if one forgets it, as if the loss could fall to 0? Then every exponent
# shrinks to between 0.4 and 0.6 of itself (the last number of each line). So one usually fits the floor as a third number, as Hoffmann and others did: of all
# floors, take the one for which the dots lie straightest.
#
# Let us hold this to our own rule: predict a point that the line was not fitted to. Each counting model has five dots. The next cell fits a line to the first
# four, once with the true floor and once with the straightest one, and predicts the fifth. Which prediction will be better? (The true floor is that of the
# language.)

# %%


def straightest(dot):
    """The floor, in bits above the true one, for which the dots lie straightest."""
    tried = []
    for above in np.arange(-1.0, dot.min(), 0.01):
        floor = true_bits + above
        a, b = fit_power_law(dot.index, true_bits + dot, floor)
        miss = np.log(true_bits + dot - floor) - np.log(a * dot.index**-b)
        tried.append(((miss**2).sum(), above))
    return min(tried)[1]


for name in (
    "Good-Turing 3",
    "Katz 3",
    "modified Kneser-Ney 3",
    "modified Kneser-Ney 5",
):
    rows = shares[shares["model"] == name].groupby("tokens")["bits above the floor"]
    dot = rows.mean()
    four, fifth = dot.iloc[:4], dot.index[4]
    line = f"{name:21} fifth dot {dot[fifth]:.2f};"
    for label, above in (("true", 0.0), ("fitted", straightest(four))):
        a, b = fit_power_law(four.index, true_bits + four, true_bits + above)
        line += f" {label} floor: {above + a * fifth**-b:.2f};"
    print(
        f"{line} fitted floors {straightest(four):.2f} and, to five, {straightest(dot):.2f}"
    )

# %% [markdown]
# For Katz's model and both of Kneser-Ney the fitted floor predicts the fifth dot far better: 1.51, 1.38 and 1.32, where 1.51, 1.41 and 1.33 came. The true
# floor is too hopeful by about 0.1 bits. That is no contradiction. A model that sees two or four words cannot end at the floor of the language, however much
# text it counts: **it has a floor of its own**, which is higher. A line that aims below it falls too steeply in the end, and dots that come near such a floor
# must bend away from it. (The neural n-gram sees four words as well, and its three trainings reached 0.85. So the floor of four words is at most that high.)
#
# But can we believe the fitted floors themselves? Look at the last two numbers of each line. One more dot lifts them by up to 0.1. And Katz's model and
# Kneser-Ney of order 3 see the same two words, so with all the text in the world they should end at the same place. Their fitted floors are 0.77 and 0.89.
# For Good-Turing the search ran to its edge of -1, that is below the truth: its dots do not bend at all yet, so they tell nothing about a floor, and the
# prediction is no better than that of the true one.
#
# So a fitted floor is useful for a short step beyond the dots, because it describes how they bend. Where the model would end, it tells to a tenth of a bit at
# best. And about the floor of the *text* it tells nothing: the Transformer, which sees more words, went far below all three. (We have not fitted one to the
# three dots of a network. A curve with three free numbers goes through any three dots, so it could not fail.)
