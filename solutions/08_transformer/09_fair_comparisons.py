# %% [markdown]
# ## 9. What matters, measured fairly
#
# "Transformers are better than LSTMs." "You need layer norm." Such sentences are easy to say. What would one have to do to *know*? Give each network about the same number of weights, the same time, and its own best learning rate, train with several seeds, and measure on the same text. That takes days on our machines, so we have
# done it for you on the kitchen text, word by word, and recorded every run. On this text we even know the floor, so we can say how many bits per word a model is above what is possible at all.
#
# ### The same time
#
# All LSTMs and Transformers below have 0.39 million weights, not counting the embedding. They were trained for one, four, about ten and about forty-five minutes on one core of a CPU. Look at who is in front, on the left and on the right.

# %% folded="draws the crossing" alt="Bits above the floor over CPU minutes: after one minute the LSTM is ahead, they cross before four minutes, and at the end the Transformer is at 0.15 and the LSTM at 0.53."
_, axes = plt.subplots()
ends = {}
for name, colour in (("lstm", plots.COLOURS[1]), ("transformer", plots.COLOURS[0])):
    means = []
    for length in ("-1min", "", "-15min", "-60min"):
        one = runs.load(f"kitchen-{name}{length}")
        spent = one.history.groupby("seed")["seconds"].max() / 60
        bits = one.each("bits above the floor")
        axes.plot(spent, bits, "o", color=colour, alpha=0.7)
        means.append((spent.mean(), np.mean(bits)))
    ends[name] = means[-1]
    axes.plot(
        *zip(*means, strict=True),
        color=colour,
        label={"lstm": "LSTM", "transformer": "Transformer"}[name],
    )
log_ticks(axes, [1, 4, 10, 45], xlabel="CPU minutes (log); a dot is a seed")
axes.set(
    title="The LSTM starts faster, the Transformer ends lower",
    ylabel="bits per word above the floor",
    ylim=(0, None),
)
axes.legend()
plt.show()
for name, (spent, bits) in ends.items():
    print(f"{name:12} {bits:.2f} bits above the floor after {spent:.1f} minutes")

# %% [markdown]
# After one minute every LSTM is ahead of every Transformer. Before four minutes the lines cross, and after forty-five the LSTM is still more than three times as far from the floor as the Transformer. "Which network is better?" has no answer without "after how long?".
#
# Two limits of this comparison should be said. The longest runs have one seed each, and there the Transformer took about 12 % more time than the LSTM (see the printed minutes), which is little beside the gap. And a learning rate was chosen for each network in trainings of two minutes; it may not be the best one for forty-five. Nor was another optimiser tried for the LSTM, and you will see below that the optimiser matters.
#
# ### One thing at a time
#
# And which of all the parts matter? Here a Transformer with rotary positions and RMSNorm is trained for one minute (485 steps), again and again, each time with one thing changed. Every variant has its own best of three learning rates and three seeds. Points on the right are worse than "as it is".

# %% folded="draws the ablations" alt="Dots for sixteen changes of the model: no residual and no norm cost half a bit and more, no positions 0.3, SGD 0.2; most others change little, and Muon gains 0.1."
study = runs.load_study("ablations").query("seed != 4")  # seed 4 chose the rates
bits = study["valid nats"] / math.log(2)
found = {name: bits[rows.index].to_numpy() for name, rows in study.groupby("variant")}
usual = found["as it is"].mean()
order = sorted(found, key=lambda name: -found[name].mean())
_, axes = plt.subplots(figsize=(7, 4.6))
for y, name in enumerate(order):
    axes.plot(found[name] - usual, [y] * 3, "o", color=plots.COLOURS[0], alpha=0.7)
axes.axvline(0, color="gray", linestyle=":")
axes.set(
    title="After one minute, most changes matter little",
    yticks=range(len(order)),
    yticklabels=order,
    ylim=(len(order) - 0.5, -0.5),
    xlabel="bits per word more than “as it is” (a dot is a seed)",
)
plt.show()

# %% [markdown]
# After one minute of training, the largest losses come from leaving out the residual connections, any norm at all, or the positions, and from a poor optimiser. The choice *among* norms, among activations, and among numbers of layers makes differences that are mostly within the spread of the seeds. Learned positions, such as yours, cost a tenth of a bit, and Muon gains as much. (**Token shift**, due to B. Peng and
# others, 2023, lets each part read a learned share of the token before.)
#
# This study has limits as well. For most variants the largest of the three learning rates was the best one, so a wider grid might still move some of them. And what holds after a minute need not hold later. We have no run that tells whether the tenth of a bit is still there after an
# hour. But the model that you loaded in section 8 has learned positions and ends only 0.11 bits above the floor, so they need not be a hindrance.

# %% [markdown]
# ## What you have now
#
# You have a Transformer, and its tokens, its attention, its loss, its optimiser, its loop and its dice are yours. It has written in the voice of a text that you chose. You know its size and its cost before it runs, you know what its first loss must be, and you can
# find out whether it cheats. And the class that you wrote is big enough for GPT-2.
#
# In chapter 09 your model gets a second text to look at, so that it can translate. Chapter 10 puts all the models of your gallery on one scoreboard and asks whether one can forecast what a larger one will bring. And chapter 11 shows that the tokens need not be language at all.
