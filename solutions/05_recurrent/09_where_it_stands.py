# %% [markdown]
# ## 8. Where it stands
#
# One training proves little: another ten minutes, another random start, and the winner may be another. So let us ask the question properly, with the same text on both sides and, where we could afford it, several random starts. *What would an LSTM need to beat the counts?* More text? More time? Or something else?
#
# The answer first, because it may surprise you. **On Shakespeare, LSTMs of your size lose on average, whether they read 10,000 characters or 0.9 million.** Only on 10,000 characters is one of three ahead. More training steps bring it nearer, until there is a plateau: 8,000 steps, eighteen times through the whole text, are no better than 4,000. Your finding of section 6, the start with half-open gates, brings it more than half of the way to the counts, but not past them (with 4,000 steps; we have not tried more). Neither does a better optimiser alone, or twice the width alone. What turned the order round was both together, and it won by little.
#
# Here are the measurements. The text is a file of Shakespeare's plays (*tiny Shakespeare*, 1.1 million characters). Both read the same first $N$ characters of it, and both are judged on the same last tenth, which took no part in any choice. The LSTM is torch's, which computes the same as yours: one layer of 192, without dropout, trained by the same gradient descent. It reads the text again and again. Its forget gates start with a bias of 2, a half-life of five to six characters. Four changes of it are tried on the full text. Since section 6 has shown that half-open gates are a better start, one has a bias of 0, as your own had (4,000 steps). We have not tried this start with AdamW or with the larger layer. The other three train for 2,000 steps: with AdamW, an optimiser that you will write in chapter 08; with a layer of 384; and with both.
#
# At each size of the text in the left panel, we tried several numbers of steps and kept the one with the best held-out loss. On the full text the right panel shows all of them. Within a training, the moment with the best held-out loss counts. The command for the whole study is `python -m benchmarks.lstm_or_counts TEXT`, so you can repeat it with a text of yours.
#
# In the left panel, $N$ grows. In the right panel, the text stays as large as it can be, and the *training* grows. Each dot is one random start. Look at the right end of each line: how does the gap change?

# %% folded="draws the comparison" alt="Two panels of nats per character. Left, over the number of characters: both fall, and the LSTM stays above Kneser-Ney. Right, over training steps on all of the text: the LSTM falls towards the level dashed line of Kneser-Ney and flattens above it; of four changed LSTMs, only the one with 384 numbers and AdamW is below the line."
turn = pd.read_csv(paths.DATA / "recurrent" / "turn.csv")
most = turn.characters.max()
lstm_runs = turn[turn.model == "LSTM"]
others = {  # the name in the figure: the name in the file
    "half-open start": "LSTM, half open",
    "AdamW": "LSTM of 192, AdamW",
    "384 wide": "LSTM of 384, descent",
    "384 wide, AdamW": "LSTM of 384, AdamW",
}
others = {name: turn[turn.model == model] for name, model in others.items()}
counts = turn[turn.model == "Kneser-Ney"].set_index("characters").nats
on_all = lstm_runs[lstm_runs.characters == most]
longest_runs = lstm_runs[
    (lstm_runs.characters < most) | (lstm_runs.steps == lstm_runs.steps.max())
]
by_size = longest_runs.groupby("characters").nats
by_steps = on_all.groupby("steps").nats

_, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.4), sharey=True)
for axes, runs_here, means in (
    (left, longest_runs.characters, by_size.mean()),
    (right, on_all.steps, by_steps.mean()),
):
    axes.plot(means, color=plots.COLOURS[0], label="LSTM of 192")
    dots = longest_runs.nats if axes is left else on_all.nats
    axes.plot(runs_here, dots, "o", color=plots.COLOURS[0], alpha=0.6)
left.plot(counts.index, counts, "s--", color="black", label="Kneser-Ney")
right.axhline(counts[most], linestyle="--", color="black", label="Kneser-Ney")
for (name, found), marker, colour, aside in zip(
    others.items(), "^sPD", plots.COLOURS[1:], (1, 0.87, 1.15, 1), strict=False
):  # those of 2,000 steps stand side by side
    places = found.steps * aside
    right.plot(places, found.nats, marker, color=colour, label=name, alpha=0.8)
log_ticks(left, [10_000, 100_000, 900_000], xlabel="characters of text")
left.set_xticks([10_000, 100_000, 900_000], ["10,000", "100,000", "900,000"])
left.set(title="More text, up to 0.9 million", ylabel="nats per character, test")
log_ticks(
    right, sorted(on_all.steps.unique()), xlabel=f"training steps, {most:,} characters"
)
right.set(title="More steps, and four changes")
right.legend(fontsize=9)
plt.show()
for size in sorted(by_size.groups):
    print(
        f"{size:9,} characters: Kneser-Ney {counts[size]:.3f}, LSTM {by_size.mean()[size]:.3f}"
    )
for name, found in {"LSTM of 192": on_all, **others}.items():
    for steps, nats in found.groupby("steps").nats:
        print(
            f"{name}, {steps:5,} steps on all of it: {nats.mean():.3f} ({nats.min():.3f} to {nats.max():.3f})"
        )

# %% [markdown]
# Why do the counts win so long? A table of counts learns a fact the first time that it sees it, and stores it in a place of its own. The network needs many small steps for every fact, on weights that all other facts use as well. On 10,000 characters neither has much to work with, and they are close: one of the three LSTMs is even ahead. With more text, the table profits at once, because many contexts of six characters come again. The network profits as well, and between 300,000 and 900,000 characters it gains a little more than the table. How this goes on beyond a million characters we have not measured.
#
# And why does the larger one win? We do not know; here is one thought. A table can only use what stands in the last few characters, and each context is a new case: what it has learned about *the cook* says nothing about *the baker*. In a network, what it learns about one word helps with similar words, and it can look back as far as its gates allow. Perhaps it takes enough weights and a good optimiser before these advantages show. (In the printed lines each of the two stands alone, the width with one random start. What dropout would do, or a half-open start of the larger network, we have not measured.) Other texts have other numbers. But the lesson is worth keeping: before you
# believe in a network, **let it compete with a good counter**.

# %% [markdown]
# ### What the cell buys
#
# One question is still open, the one from the beginning. *The cooks with the bags beside the quiet fountain …*: *dance* or *dances*? For this we take three recorded networks that learned the kitchen text word by word: a window of four words as in chapter 04, an RNN (started as torch starts it, not with a rotation), and an LSTM. Each had four minutes of processor time, the same number of weights (0.39 million, not counting the embedding), its own best learning rate, and three random starts. For more than 1,800 verbs in new stories we ask each of them which form is more likely. The verb has to agree with a noun, and we sort the
# questions by how far back that noun stands. The numbers in brackets under the axis say how many questions there are at each distance: at the last one only a few dozen.
#
# What do you expect of the window beyond four words? And of the RNN, after what you saw in section 2? Will it, which can see everything, be better than the window?

# %% folded="draws the right forms" alt="Right form of the verb by words back to the noun. The LSTM stays near 100 percent; the window of four falls to 68 and recovers; the RNN falls steadily to 45, below guessing."
keys = {"window of 4": "kitchen-window", "RNN": "kitchen-rnn", "LSTM": "kitchen-lstm"}
recorded = {name: runs.load(key) for name, key in keys.items()}
distances = ("1", "2-4", "5-8", "9-13", "14+")


def agreement(bands, distance):
    """[right answers, questions] at that distance, whatever stands between."""
    kinds = "no attractor", "other number between"
    found = [bands.get(f"agreement, {kind}, {distance} back", (0, 0)) for kind in kinds]
    return np.sum(found, axis=0)


asked = {  # [seed, distance, right answers and questions]
    name: np.array(
        [[agreement(bands, far) for far in distances] for bands in run.each("probes")]
    )
    for name, run in recorded.items()
}
_, axes = plt.subplots()
for (name, found), colour in zip(asked.items(), plots.COLOURS[2::-1], strict=False):
    percent = 100 * found[..., 0] / found[..., 1]
    axes.plot(percent.mean(0), "-", color=colour, label=name)
    axes.plot(percent.T, ".", color=colour)
axes.axhline(50, color="gray", linestyle=":", label="guessing")
questions = asked["RNN"][0, :, 1]
axes.set_xticks(
    range(5), [f"{far}\n({n})" for far, n in zip(distances, questions, strict=True)]
)
axes.set(
    title="The LSTM keeps singular or plural; this RNN loses it",
    xlabel="words back to the noun (number of verbs asked)",
    ylabel="right form (%)",
    ylim=(30, 103),
)
axes.legend(loc="lower left")
plt.show()
for name, run in recorded.items():
    print(
        f"{name:11} {np.mean(run.each('bits above the floor')):.2f} bits per word above the floor"
    )

# %% [markdown]
# At a distance of one word all three do well. The RNN gets worse with every band, and beyond thirteen words each of its three starts only guesses. The surprise is that it falls *below the window* from two words on, on average, although nothing is hidden from it. (Between five and eight words one of its three starts is well above it.) (A start with a rotation might have helped it, as in game A. We have not tried that here.) The window cannot see the noun beyond four words. It does better than chance there, so it must go by something nearer; by what, we have not measured. And the LSTMs hardly notice the distance. *Singular* or *plural* is one bit. You built such a memory by hand in section 3. These networks have built one for themselves, because it made their loss smaller.
#
# How much smaller? The printed lines say how many bits per word each network is above the floor, that is, above the best that is possible on this text. The LSTM's is lower by about a fifth. But the mean over all words hardly tells you *what* it has learned; for a reader, it is the difference between a sentence and a mistake.

# %% [markdown]
# ### What is left to wish
#
# **Fewer gates.** The **GRU** (K. Cho and others, 2014) is an LSTM made simpler. It has no cell beside the state, and one gate $z_t$ does the work of two: $h_t = (1 - z_t) \star h_{t-1} + z_t \star \tilde h_t$. What is not kept is replaced. A second gate, $r_t$, decides how much of the old state the candidate $\tilde h_t$ may read. With the candidate's own that makes three matrices instead of four, and on many tasks it does as well. torch has it as `nn.GRU`.
#
# **More layers.** The states of one LSTM can be the inputs of a second one. Two or three such layers, with **dropout** between them (which switches off random numbers during the training, so that the network cannot learn the text by heart), were what people used for texts until about 2017. An LSTM can also read from right to left, and two that read in opposite directions are called **bidirectional**. That is no use for writing, because a writer does not know the future, but it helps to understand a finished text.
#
# **No waiting.** This wish cannot be granted to an LSTM. The state $h_t$ needs $h_{t-1}$, which needs $h_{t-2}$. Even the largest computer has to go through a text one step after the other, and whatever the network learns from the first word has been handed on through every state in between. (What makes it wait are the gates, because they read $h_{t-1}$. If gates read the tokens alone, all of them can be computed at once, and the sums along the belt in parallel. Networks of this kind, such as Mamba, have made recurrence popular again.)
#
# Here is where your models stand:
#
# | | looks back | weights as the past grows | similar words help | training steps of one text |
# |---|---|---|---|---|
# | n-gram | $n - 1$ tokens | explode | no | counting |
# | window network | $n - 1$ tokens | grow | yes | side by side |
# | RNN | all, fading | stay | yes | one after the other |
# | LSTM | as far as its gates allow | stay | yes | one after the other |
#
# ## What you have now
#
# You have held a bit with three numbers, and you know what such a memory costs. You have written an LSTM, forwards and backwards, and seen that its cell took the other side of the bargain: it lets noise pass, and with it the gradient. You know how much the start decides whether a network can learn to keep something, that the best start for a game need not be the best for a text, and what gates are for (to keep and to overwrite, each at the right moment). Your LSTM has learned a text of yours, by your own training step, and it has written. And you know that a counter may still
# beat it, and why.
#
# Look at the last column of the table once more. It is the weak point of everything in this chapter. In chapter 06, each word looks at every other word *directly*, all of them at once.
