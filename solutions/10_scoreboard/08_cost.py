# %% [markdown]
# ## 9. The cheapest for its money
#
# The best model of a table is seldom the one to take. Somebody pays for training, somebody waits for answers. A model is out of the question only if another is **at least as good and at least as cheap, and in one of the two better**. What remains is the **Pareto front**.

# %% [markdown] statement="pareto"
# - `pareto(cost, loss)`: from two arrays $[M]$, the numbers (0 to $M - 1$) of the models on the front, cheapest first. A low loss is good. Equal models do not push each other out; they stand in the order of their numbers.
# - `best_within(cost, loss, budget)`: the number of the model with the lowest loss among those that cost at most the budget; of equal ones the cheaper, then the first. `None` if there is none.

# %% [markdown] hints="pareto"
# 1. For one model, ask all others: is there one that is nowhere worse and somewhere better?
# 2. Sorted by cost and then by loss, a model is on the front if its loss is below all that come before it. What about equals?
# 3. Two loops are fine here. `sorted` keeps the order of equal ones; `min` with a key that is a tuple compares loss first.


# %% task="pareto" points=3 level=2 minutes=12
def pareto(cost, loss):
    """The numbers of the models that no other one pushes out, by cost."""
    ### BEGIN SOLUTION
    models = range(len(cost))

    def better(k, m):
        nowhere_worse = cost[k] <= cost[m] and loss[k] <= loss[m]
        return nowhere_worse and (cost[k] < cost[m] or loss[k] < loss[m])

    front = [m for m in models if not any(better(k, m) for k in models)]
    return sorted(front, key=lambda m: cost[m])
    ### END SOLUTION


def best_within(cost, loss, budget):
    """The number of the best model that costs at most the budget, or None."""
    ### BEGIN SOLUTION
    affordable = [m for m in range(len(cost)) if cost[m] <= budget]
    return min(affordable, key=lambda m: (loss[m], cost[m]), default=None)
    ### END SOLUTION


# %% test="pareto" aspect="who is pushed out" points=2
_got = pareto(np.array([3.0, 1.0, 2.0, 4.0]), np.array([5.0, 9.0, 7.0, 6.0]))
assert _got is not None and hasattr(_got, "__len__"), (
    f"A list of numbers is wanted; yours: {_got!r}."
)
assert list(_got) == [1, 2, 0], (
    f"Model 3 is dearer and worse than 0: 1, 2, 0 remain; yours: {list(_got)}."
)
### BEGIN HIDDEN TESTS
_M = size("M")
_few = choice([1.0, 1 + 1e-9, 2.0, 5.0], [0, 1, 2, -3], [0.1, 1e-12, 9e9])
_cost, _loss = [
    made(lambda rng, M, few: np.array(rng.choices(few, k=M)), _M, _few)
    for _ in range(2)
]
agrees(pareto, ours.pareto, _cost, _loss)
agrees(pareto, ours.pareto, array(_M), array(_M))
_alike = made(lambda rng, M: np.array(rng.choices([3.0, 2.0, 1.0], k=4 * M)), _M)
_falling = made(lambda rng, a: np.where(a > a.min(), -a, math.inf), _alike)
agrees(pareto, ours.pareto, _alike, choice(_alike, _falling))
### END HIDDEN TESTS

# %% test="pareto" aspect="the best that one can pay" points=1
_got = best_within(np.array([1, 2, 9]), np.array([5.0, 4.0, 1.0]), 2)
assert _got == 1, (
    f"With 2 to spend, models 0 and 1 can be had, and 1 is better; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_M = size("M")


def _some(few):
    """M numbers out of a few."""
    return made(lambda rng, M: np.array(rng.choices(few, k=M)), _M)


_cost = _some([0, 1, 2, 2.00001, 5, math.inf])
_falling = made(lambda rng, cost: -np.minimum(cost, 9.0), _cost)
_loss = choice(_some([-1.0, 1.0, 1.0001, 4.0]), _falling)
_budget = choice(2, 2, number(0.0, 6.0), 9e9, math.inf)
agrees(best_within, ours.best_within, _cost, _loss, _budget, mixtures=60)
### END HIDDEN TESTS

# %%
models = scoreboard.table("models")
models = models[models["kind"] != "truth"].dropna(subset=["CPU seconds"])
train_cost, loss = (
    models["CPU seconds"].to_numpy(),
    models["bits above the floor"].to_numpy(),
)
ask_cost = 1 / models["scored a second"].to_numpy()
affordable = best_within(train_cost, loss, 1.0)
print("best with one CPU second of training:", models["model"].iloc[affordable])

# %% alt="Two panels of bits above the floor against cost. In training, counting models are on the front up to a second and networks beyond; in asking, the LSTM is on it and the n-gram of order 5 is the dearest."
# Where each name stands, seen from its dot (points right, points up): training, asking.
beside = {
    "unigram": ((8, 5), (8, 5)),
    "Laplace 2": ((8, 5), (8, 5)),
    "Good-Turing 3": ((8, -1), (8, 0)),
    "Katz 3": ((8, 3), (8, -4)),
    "Kneser-Ney 3": ((-8, 6), (8, -4)),
    "modified Kneser-Ney 3": ((-8, -11), (-8, -4)),
    "modified Kneser-Ney 5": ((8, -12), (-8, -4)),
    "window": ((-8, 4), (8, -2)),
    "RNN": ((10, 2), (-8, 2)),
    "LSTM": ((-8, -4), (-8, -4)),
    "Transformer": ((-8, -8), (8, -4)),
    "Transformer, Muon": ((-8, -4), (8, -4)),
    "Transformer, shift": ((-8, -4), (8, -4)),
}
_, panels = plt.subplots(2, 1, figsize=(9.5, 8.4))
for row, (axes, cost, label, scale) in enumerate(
    zip(
        panels,
        (train_cost, 1e6 * ask_cost),
        ("CPU seconds of training (log)", "CPU µs for each token scored"),
        ("log", "linear"),
        strict=True,
    )
):
    front = pareto(cost, loss)
    axes.plot(cost, loss, "o", color=plots.COLOURS[0])
    axes.step(cost[front], loss[front], where="post", color=plots.COLOURS[1])
    for m, name in enumerate(models["model"]):
        x, y = beside[name][row]
        side = "left" if x > 0 else "right"
        style = {"xytext": (x, y), "textcoords": "offset points", "fontsize": 10}
        axes.annotate(name, (cost[m], loss[m]), ha=side, **style)
    axes.set(xscale=scale, yscale="log", xlabel=label)
    axes.set_yticks(
        [5, 2, 1, 0.5, 0.2, 0.1, 0.05], ["5", "2", "1", ".5", ".2", ".1", ".05"]
    )
    axes.minorticks_off()
    axes.set_ylabel("bits above the floor (log)")
    print("on the front:", " · ".join(models["model"].iloc[front]))
small = scoreboard.table("sizes")
panels[0].plot(
    small["CPU seconds"],
    small["bits above the floor"],
    "o",
    mfc="white",
    color=plots.COLOURS[2],
    label="LSTMs and Transformers of width 16 to 128, a minute at most",
)
panels[0].legend(loc="lower left")
panels[0].set(xlim=(0.02, 4000), title="Training: first counting, then networks")
panels[1].set(
    xlim=(0, 70), title="Asking: the LSTM is cheaper than the n-gram of order 5"
)
plt.show()

# %% [markdown]
# Every dot has its name, those that are pushed out too. The line joins the front of the models on the board. Above, by the cost of training: up to a second,
# counting is unbeatable, and between half a second and some 14 seconds nothing beats Kneser-Ney. From then on networks take over, as the white dots show. They
# are narrower or shorter trainings that are not on the board (judged on the first half of its stories): after 13 seconds the narrowest LSTM is still worse than
# Kneser-Ney, which took half a second; one of width 32 is ahead after 14. From four minutes on nothing but networks is on the front, and the two best of them
# took 17 and 32 minutes.
#
# Below, by what an answer costs, the picture changes. Our 5-gram looks up five tables for each token and is slower to ask than the LSTM, which is better as
# well. Memory tells a similar story: The largest n-gram holds 2.0 million numbers, each network 0.57 million. (All CPU times are those of our own Python and of
# torch, in one run; another program would move the dots sideways. *Transformer* and *Transformer, Muon* are the same network, so the 2 % between their times
# are noise, and that Muon is not on the front by so little means nothing.)

# %% [markdown]
# ## 10. What the number hides
#
# One perplexity is a mean over easy and hard places. Ask for single abilities instead, as chapter 8 did: does a verb agree with its noun, does a surname come
# back? And a second table puts beside each other what a model costs and what it gives.

# %% alt="A coloured table of right answers. Agreement is near 100 percent for LSTM and Transformers; copies of surnames are near zero for all but the Transformers, and at 84 to 88 for the one with shift."
probes = scoreboard.table("probes")
probes["share"] = probes["right"] / probes["asked"]
wide = probes.pivot(index="probe", columns="model", values="share")
asked_models = ["modified Kneser-Ney 5", "window", "RNN", "LSTM"]
asked_models += ["Transformer", "Transformer, Muon", "Transformer, shift"]
attractor = "agreement, other number between, {} back"
kinds = [
    *(attractor.format(back) for back in ("2-4", "5-8", "9-13", "14+")),
    *(f"copy: surname, {back} back" for back in ("1-20", "21-50", "51+")),
    "copy: town",
]
table = 100 * wide.loc[kinds, asked_models]
_, axes = plt.subplots(figsize=(10.5, 4))
axes.imshow(table, cmap="cividis", aspect="auto", vmin=0, vmax=100)
axes.grid(False)
for (y, x), value in np.ndenumerate(table.to_numpy()):
    colour = "black" if value > 55 else "white"
    axes.text(x, y, f"{value:.0f}", ha="center", va="center", color=colour)
labels = [name.replace(" Kneser", "\nKneser").replace(", ", ",\n") for name in table]
axes.set_xticks(range(len(labels)), labels)
axes.set_yticks(range(len(kinds)), kinds)
axes.set_title("Right answers (%): what one perplexity hides")
plt.show()

# %%
pros = scoreboard.table("models").set_index("model")
columns = ["CPU seconds", "scored a second", "bytes", "perplexity"]
columns += ["bits above the floor"]
few = ["unigram", "Katz 3", *asked_models]
pros.loc[few, columns].round(2).astype({"scored a second": int})

# %% [markdown]
# One number hid all this. Kneser-Ney tosses a coin as soon as a noun of the other number stands between noun and verb. The LSTM gets agreement nearly perfect and copies no surname. The Transformer, after as many minutes, copies a third of them, though its perplexity is only 9 % below the LSTM's.
#
# The last two columns are the two networks of the group *longer: not comparable*, with 17 and 32 minutes. The Transformer with token shift copies more than
# four fifths, from 51 words back as well as from 20; but before you praise the shift, remember that it was trained seven times as long. The last row shows what
# such a comparison is worth: no model of four minutes copies the *town* (8 % is what one gets by always saying the commonest town), and the Transformer with
# token shift always does. Is that the shift? The column beside it says no: with Muon, 17 minutes and no shift, every town is right, too. (14 words back and
# more: there are only 27 questions, so read that row with care.)

# %% [markdown]
# In the table of costs, n-grams are fast: they are trained in half a second where networks take minutes. But an n-gram cannot learn anything that lies outside
# its window, however much text it reads.

# %% [markdown]
# ## 11. The lectures' tables
#
# Muller's lecture has two tables: perplexities of 141 (Kneser-Ney 5-gram), 140 (neural n-gram), 125 (RNN) and 115 (LSTM) on the Penn Treebank, and 1.25 against 1.07 bits per character (LSTM, Transformer) on text8. How large are these steps, in one unit?

# %%
printed = {"Kneser-Ney 5": 141, "neural n-gram": 140, "RNN": 125, "LSTM": 115}
ours = {
    "Kneser-Ney 5": "modified Kneser-Ney 5",
    "neural n-gram": "window",
    "RNN": "RNN",
    "LSTM": "LSTM",
}
rows = []
for name, perplexity in printed.items():
    here = pros.loc[ours[name], "perplexity"]
    rows.append([name, perplexity, math.log2(perplexity), here, math.log2(here)])
head = ["model", "printed perplexity", "bits", "perplexity on our text", "bits "]
tables = pd.DataFrame(rows, columns=head).set_index("model")
print(
    f"printed: {1 - 115 / 141:.1%} less perplexity is {1 - math.log2(115) / math.log2(141):.1%} fewer bits"
)
print(
    f"text8: {1 - 1.07 / 1.25:.1%} fewer bits; perplexity per character {2**1.25:.2f} -> {2**1.07:.2f}"
)
for name in ("lstm", "transformer"):
    found = runs.load(f"characters-{name}").each("bits above the floor")
    print(f"our text by characters, {name}: {min(found):.2f} to {max(found):.2f} bits")
tables.round(2)

# %% [markdown]
# Nearly a fifth less perplexity is only a twenty-fifth fewer bits: the unit can flatter. On our text the printed *order* comes out again, Kneser-Ney, neural
# n-gram, RNN, LSTM, but not the steps. In print the neural n-gram is level with Kneser-Ney; here it is far ahead. It has read three times as much, but this is
# not the whole reason: by its own line of section 6, Kneser-Ney would come from 1.34 to no better than 1.07 bits with as much text, and the neural n-gram has
# 0.86.
#
# Does the Transformer always win? That depends on the time. By words, chapter 8 found the LSTM ahead after one minute and the Transformer after four. By characters, as on text8, the LSTM is still ahead after four minutes (three seeds each: the last two printed lines, bits per character above the truth).
#
# And does the larger model always win? Between different kinds of model, no: our RNN has 0.57 million weights, the 5-gram 2.0 million counts, and the smaller
# model is better by 0.5 bits per token. What counts is what the numbers are used for. Within one kind, in our trainings, yes: the LSTMs among the white dots of
# section 9, of width 16, 32, 64 and 128, have 2.01, 1.24, 0.96 and 0.82 bits after the same text.

# %% [markdown]
# ## What you have now
#
# You came with a question, *which model is the best?* You can now give the answer that a good referee gives: at what, on which text, for how much money, and are you sure? In detail, you can
#
# - tell whether two numbers are about the same text, and charge a fair price for every word that a model refused to name;
# - say how far a difference would move on other stories, how many stories it takes to see it, and with what probability you will;
# - fit a line to a model's progress, and distrust it until it has predicted a point that it was not fitted to;
# - find out what two models know together, whether a confidence can be believed, and which model to take for the money.
#
# None of this needs our kitchen language. The same functions work on the $\ln P$ of any two models and any text, and the next time a paper claims "0.3 points better", you know which four questions to ask.

# %% [markdown]
# **Now it is your turn.** `autograder challenge my_model.ipynb` trains a model of yours within a budget of CPU time and scores it, in bits above the truth, on
# stories that are generated afterwards. The rules, and the smallest entry to start from, are in `docs/challenge.md`. A hint: the models of four minutes lose
# about half of their bits or more on rarer words, names above all, that the story has said before. If you win by a little, you know how to find out whether you
# have won.
#
# If you want to read on: R. Dror and others, *The hitchhiker's guide to testing statistical significance in NLP* (2018); D. Card and others, *With little power comes great responsibility* (2020); C. Guo and others, *On calibration of modern neural networks* (2017); J. Hoffmann and others, *Training compute-optimal large language models* (2022).
#
# One assumption is left that all our models share: that a token is a piece of text. Chapter 11 drops it.
