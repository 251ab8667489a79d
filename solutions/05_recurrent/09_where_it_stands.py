# %% [markdown]
# ## 8. Where it stands
#
# One text and one training prove little: another text, another ten minutes, and the winner may be another. So let us ask the question properly, with everything equal on both sides and several random starts. *When does an LSTM beat the counts?* There are two knobs: how much text there is, and how long the network may train.
#
# We have recorded such a comparison on Shakespeare's plays (the file *tiny Shakespeare*, 1.1 million characters). Both read the same first $N$ characters of it, and both are judged on the same last tenth, which took no part in any choice. The LSTM is yours in torch's clothes: one layer of 192, the same forget bias, the same gradient descent. It reads the text again and again. How many steps it trains is chosen on held-out text, and so is the best moment of each training. The command for the
# whole study is `python -m benchmarks.lstm_or_counts TEXT`, so you can repeat it with a text of yours.
#
# In the left panel, $N$ grows. In the right panel, the text stays as large as it can be, and the *training* grows. Each dot is one random start.

# %% folded="draws the comparison" alt="Two panels of nats per character. Left, over the number of characters: both fall; Kneser-Ney is lower for short texts, the LSTM for long ones. Right, over training steps on all of the text: the LSTM falls and crosses the level dashed line of Kneser-Ney."
turn = pd.read_csv(paths.DATA / "recurrent" / "turn.csv")
most = turn.characters.max()
lstm_runs = turn[turn.model == "LSTM"]
counts = turn[turn.model == "Kneser-Ney"].set_index("characters").nats
longest_runs = lstm_runs[
    (lstm_runs.characters < most) | (lstm_runs.steps == lstm_runs.steps.max())
]
by_size = longest_runs.groupby("characters").nats
by_steps = lstm_runs[lstm_runs.characters == most].groupby("steps").nats

_, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.2), sharey=True)
left.plot(counts.index, counts, "s--", color="black", label="Kneser-Ney")
left.plot(by_size.mean(), color=plots.COLOURS[0], label="LSTM")
left.plot(
    longest_runs.characters, longest_runs.nats, "o", color=plots.COLOURS[0], alpha=0.6
)
log_ticks(left, [10_000, 100_000, 1_000_000], xlabel="characters of text")
left.set_xticks([10_000, 100_000, 1_000_000], ["10,000", "100,000", "1,000,000"])
left.set(title="More text: the order turns", ylabel="nats per character, test")
left.legend()
right.axhline(counts[most], linestyle="--", color="black")
right.plot(by_steps.mean(), color=plots.COLOURS[0])
on_all = lstm_runs[lstm_runs.characters == most]
right.plot(on_all.steps, on_all.nats, "o", color=plots.COLOURS[0], alpha=0.6)
log_ticks(
    right, sorted(on_all.steps.unique()), xlabel=f"training steps, {most:,} characters"
)
right.set(title="More time: it turns as well")
plt.show()
for size in sorted(by_size.groups):
    spread = by_size.get_group(size)
    print(
        f"{size:9,} characters: Kneser-Ney {counts[size]:.3f}, LSTM {spread.mean():.3f} ({spread.min():.3f} to {spread.max():.3f})"
    )
for steps, spread in by_steps:
    print(f"{steps:9,} steps on all of it: LSTM {spread.mean():.3f}")

# %% [markdown]
# TURN
#
# Why? A table of counts learns a fact the first time that it sees it, and stores it in a place of its own. But it can only use what stands in the last few characters, and each context is a new case: what it has learned about *the cook* says nothing about *the baker*. The network needs many small steps for every fact, on weights that all other facts use as well. In return, what it learns about one word helps with similar words, and it can look back as far as its gates allow. With little text, the first method is better. With much
# text, the second one goes on improving when the table is full of contexts that never come again.
#
# Two limits of this study should be said. Our LSTM has no **dropout**, which switches off random parts of a network during training and keeps it from learning a short text by heart; with it, the network would lose less on the left. And the numbers are for characters. With words, every fact is rarer, and the network needs more text before it overtakes.

# %% [markdown]
# ### What the cell buys
#
# One question is still open, the one from the beginning. *The cooks with the bags beside the quiet fountain …*: *dance* or *dances*? For this we take three recorded networks that learned the kitchen text word by word, each for four minutes of processor time, each with the same number of weights (0.39 million, not counting the embedding), its own best learning rate, and three random starts: a window of four words as in chapter 04, an RNN, and an LSTM. For thousands of verbs in new stories we ask each of them which form is more likely. The verb has to agree with a noun, and we sort the
# questions by how far back that noun stands.
#
# What do you expect of the window beyond four words? And of the RNN, after what you saw in section 2?

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
    title="The LSTM carries singular or plural past everything",
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
# At a distance of one word all three do well. Then the RNNs get worse and worse, and beyond thirteen words all three of them only guess. The window cannot see the noun beyond four words; it does better than chance there, so it must go by something nearer, perhaps by another verb that agrees with the same noun. And the LSTMs hardly notice the distance. *Singular* or *plural* is one bit. You built such a memory by hand in section 3. These networks have built one for themselves, because it made their loss smaller.
#
# In the loss, it is a small matter: the printed lines say how many bits per word each network is above the floor, that is, above the best that is possible on this text. For a reader, it is the difference between a sentence and a mistake.

# %% [markdown]
# ### What is left to wish
#
# Two things cannot be repaired inside this chapter.
#
# An LSTM reads from left to right. When it has read *the cook*, it does not know yet whether *book* will follow, so what it notes about *cook* cannot take that into account. For writing this is as it should be, because a writer does not know the future either. For understanding a finished text one can let a second LSTM read from right to left, and put the two states side by side: a **bidirectional** LSTM. Then one and the same word gets different vectors in different sentences, and that was the idea of **ELMo** (M. Peters and others, 2018). Chapter 07 measures what it is worth.
#
# And an LSTM must wait. The state $h_t$ needs $h_{t-1}$, which needs $h_{t-2}$. Even the largest computer has to go through a text one step after the other, and whatever the network learns from the first word has been handed on through every state in between. Here is where your models stand:
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
# You have held a bit with three numbers, and you know what such a memory costs. You have written an LSTM, forwards and backwards, and with one bias you have opened its memory from a handful of steps to more than forty. It has learned a text of yours, by your own training step, and it has written. And you know when to trust a counter more.
#
# Look at the last column of the table once more. It is the weak point of everything in this chapter. In chapter 06, each word looks at every other word *directly*, all of them at once.
