# %% [markdown]
# ## 8. Where it stands
#
# One training proves little: after another ten minutes, or with another random start, the winner may be another. So let us ask the question properly. *What would an LSTM need to beat the counts?* More text? More training? A better start? A larger network?
#
# We have measured this on a file of Shakespeare's plays (*tiny Shakespeare*, 1.1 million characters). The LSTM and the counts read the same first $N$ characters of it, and both are judged on the same last tenth, which took no part in any choice. The LSTM is torch's, which computes the same as yours, and it is trained like yours: one layer of 192 numbers, gradient descent, clipping. (`python -m benchmarks.lstm_or_counts TEXT` makes the whole study, so you can repeat it with a text of yours.)
#
# **Does more text help?** In the first figure $N$ grows from 10,000 to 0.9 million characters. The LSTM reads its $N$ characters again and again. We tried several numbers of training steps and took the one with the lowest held-out loss (at the largest $N$, the longest training). Each dot is one of three random starts. The forget gates start with a bias of 2, a half-life of five to six characters. (We began this study before we had made the table of section 6. The better start comes in the second figure.) Look at the gap between the two lines. Does it close?

# %% folded="draws both over the size of the text" alt="Nats per character over the number of characters, on a logarithmic axis: both lines fall, and the LSTM stays above Kneser-Ney by about a tenth of a nat everywhere but at the left end, where they nearly touch."
turn = pd.read_csv(paths.DATA / "recurrent" / "turn.csv")
most = turn.characters.max()
counts = turn[turn.model == "Kneser-Ney"].set_index("characters").nats
lstm_runs = turn[turn.model == "LSTM"]
longest_runs = lstm_runs[
    (lstm_runs.characters < most) | (lstm_runs.steps == lstm_runs.steps.max())
]
by_size = longest_runs.groupby("characters").nats.mean()
_, axes = plt.subplots(figsize=(6, 3.2))
axes.plot(by_size, color=plots.COLOURS[0], label="LSTM of 192")
axes.plot(longest_runs.characters, longest_runs.nats, "o", color=plots.COLOURS[0])
axes.plot(counts, "s--", color="black", label="Kneser-Ney")
sizes = sorted(counts.index)
log_ticks(axes, sizes, xlabel="characters of text, $N$")
axes.set_xticks(sizes, [f"{size // 1000:,} k" for size in sizes])
axes.set(
    title="More text helps both, up to 0.9 million characters",
    ylabel="test loss (nats)",
)
axes.legend()
plt.show()
for size in sizes:
    print(f"{size:9,} characters: counts {counts[size]:.2f}, LSTM {by_size[size]:.2f}")

# %% [markdown]
# Both become better, and the gap does not close. At the left end one of the three LSTMs is ahead of the counts; with more text, none is.
#
# Why do the counts keep up so well? A table of counts learns a fact the first time that it sees it, and stores it in a place of its own. The network needs many small steps for every fact, on weights that all other facts use as well. (This is how the two work. That it is the reason for the gap, we have not shown. Nor have we measured how it goes on beyond a million characters.)
#
# **What else helps?** In the second figure both have read all of the text. Every row is one kind of LSTM. The rows at the bottom differ only in the number of training steps. In the rows above, we have changed the start (half open, like your own), the optimiser (AdamW, which you will write in chapter 08) or the width (384 numbers), one at a time or together. The dashed line is Kneser-Ney. Which changes bring an LSTM past it?

# %% folded="draws what helps" alt="Test losses of nine kinds of LSTM as dots, with a dashed line for Kneser-Ney. More training steps bring the dots nearer to the line until 4,000 steps. With equal steps, the half-open start, AdamW and 384 numbers each bring them nearer still. Only the LSTM with AdamW and 384 numbers is on the better side of the line, in all three starts."
kinds = {  # name in the figure: name in the file, training steps
    "1,000 steps": ("LSTM", 1_000),
    "2,000 steps": ("LSTM", 2_000),
    "4,000 steps": ("LSTM", 4_000),
    "8,000 steps": ("LSTM", 8_000),
    "4,000 steps, half open": ("LSTM, half open", 4_000),
    "2,000 steps, 384 wide": ("LSTM of 384, descent", 2_000),
    "2,000 steps, AdamW": ("LSTM of 192, AdamW", 2_000),
    "2,000 steps, AdamW, half open": ("LSTM of 192, AdamW, half open", 2_000),
    "2,000 steps, AdamW, 384 wide": ("LSTM of 384, AdamW", 2_000),
}
on_all = turn[turn.characters == most]
_, axes = plt.subplots(figsize=(7.4, 3.6))
for place, (name, (model, steps)) in enumerate(kinds.items()):
    found = on_all[(on_all.model == model) & (on_all.steps == steps)].nats
    axes.plot(found, [place] * len(found), "o", color=plots.COLOURS[place > 3], ms=7)
    print(f"{name:40} {found.mean():.2f}")
axes.axvline(counts[most], linestyle="--", color="black")
axes.text(counts[most] - 0.002, 0, "Kneser-Ney", ha="right", fontsize=10)
axes.set_yticks(range(len(kinds)), list(kinds))
axes.set(title="LSTMs on 0.9 million characters", xlabel="test loss (nats)")
plt.show()

# %% [markdown]
# More training steps help until there is a plateau: 8,000 steps, eighteen times through the whole text, are no better than 4,000. With equal steps, each of the three changes is better than none: the start, the optimiser, and the width. But none of them is enough alone. With 192 numbers, AdamW and the half-open start together have had 2,000 steps only, and there they were not enough either (1.73). Of all the rows that we ran, only AdamW with 384 numbers came past the counts, in all three starts, and by little.
#
# Why the larger network wins, we do not know. Here is one thought. A table can only use what stands in the last few characters, and each context is a new case: what it has learned about *the cook* says nothing about *the baker*. In a network, what it learns about one word helps with similar words. Perhaps it takes enough weights and a good optimiser before this advantage shows.
#
# Some things we have not measured: the half-open start with 384 numbers, dropout, two layers. (And 384 numbers with gradient descent were tried with one random start only.) Other texts have other numbers. On the kitchen text, for example, 4,000 steps with your kind of LSTM are enough to win. But the lesson is worth keeping: before you believe in a network, **let it compete with a good counter**.

# %% [markdown]
# ### What the cell buys
#
# One question is still open, the one from the beginning. *The cooks with the bags beside the quiet fountain …*: *dance* or *dances*? Your own networks read characters, and eight words back is far for them. So here we take three networks that we have trained for longer, on the kitchen text word by word: a window of four words as in chapter 04, an RNN as torch starts it, and an LSTM. Each had four minutes of processor time, the same number of weights (0.39 million, not counting the embedding), its own best learning rate, and three random starts.
#
# We ask each of them about more than 1,800 verbs in new stories: which form is more likely, singular or plural? The verb has to agree with a noun, and we sort the questions by how many words back that noun stands. The numbers in brackets under the axis count the questions at each distance.
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
# Each dot is one random start, and the lines join the averages.
#
# The LSTM hardly notices the distance. *Singular* or *plural* is one bit. You built a memory for one bit by hand in section 3. These networks behave as if they had built one for themselves, because it made their loss smaller.
#
# The RNN gets worse with every distance. Between five and eight words back its three starts differ widely, and beyond thirteen words all three are at or below one half. (There are only 34 such verbs, so that is hardly different from guessing.) On average it is *below the window* from the first distance on, and clearly so from two words on, although nothing is hidden from it. (A start with a rotation might have helped it, as in game A. We have not tried that here.)
#
# The window cannot see the noun beyond four words. It is right more often than not there. Some of that may come from nearer words, and some from always preferring the more frequent form; we have not measured how much.
#
# And how much is this worth in bits? The printed lines say how far each network is above the floor, that is, above the best that is possible on this text. The LSTM is about a fifth closer to it than the other two. But such an average over all words hardly tells you *what* a network has learned; for a reader, it is the difference between a sentence and a mistake.

# %% [markdown]
# ### What is left to wish
#
# **Fewer gates.** The **GRU** (K. Cho and others, 2014) is an LSTM made simpler. It has no cell beside the state, and one gate $z_t$ does the work of two: $h_t = (1 - z_t) \star h_{t-1} + z_t \star \tilde h_t$. What is not kept is replaced. A second gate, $r_t$, decides how much of the old state the candidate $\tilde h_t$ may read. With the matrix of the candidate, that makes three matrices instead of four. torch has it as `nn.GRU`.
#
# **More layers.** The states of one LSTM can be the inputs of a second one. Two or three such layers, with **dropout** between them (which switches off random numbers during the training, so that the network cannot learn the text by heart), were what people used for texts until about 2017. An LSTM can also read from right to left, and two that read in opposite directions are called **bidirectional**. That is no use for writing, because a writer does not know the future, but it helps to understand a finished text.
#
# **No waiting.** This wish cannot be granted to an LSTM. Its gates read $h_{t-1}$, so the state $h_t$ has to wait for $h_{t-1}$, which has to wait for $h_{t-2}$. Even the largest computer must go through a text one step after the other. One way out is to let the gates read the tokens alone. Then all gates can be computed at once, and the sums along the belt in parallel. Networks of this kind, such as Mamba, have made recurrence popular again.

# %% [markdown]
# Here is where your models stand:
#
# | | looks back | weights as the past grows | similar words help | the places of one text are trained |
# |---|---|---|---|---|
# | n-gram | $n - 1$ tokens | explode | no | (counted) |
# | window network | $n - 1$ tokens | grow | yes | side by side |
# | RNN | all, usually fading | stay | yes | one after the other |
# | LSTM | all; how far, one must measure | stay | yes | one after the other |

# %% [markdown]
# ## What you have now
#
# You have held a bit with three numbers, and you know what such a memory costs. You have written an LSTM, forwards and backwards, and seen that its cell took the other side of the bargain: it lets noise pass, and with it the gradient. You know that the start can decide how soon a network learns to keep something, that the best start for a game need not be the best for a text, and what gates are for. Your LSTM has learned a text of yours, by your own training step, and it has written. You have measured how far back it looks. And you know that a counter may still beat it.
#
# Look at the last column of the table once more. It is the weak point of everything in this chapter. In chapter 06, each word looks at every other word *directly*, all of them at once.
