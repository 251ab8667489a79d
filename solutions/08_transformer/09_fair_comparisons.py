# %% [markdown]
# ## 9. What matters, as fairly as we could measure it
#
# "Transformers are better than LSTMs." "You need layer norm." Such sentences are easy to say. What would one have to do to *know*? Give each network about the same number of weights, the same time, and its own
# best learning rate. Train with several seeds, and measure on the same text. We have come as near to this as our machines allowed, on the kitchen text, word by word, and every run is recorded. On this text we
# even know the floor, so we can say how many bits per word a model is above what is possible at all.
#
# Here is what we did not do. The two longest lengths were run with a single seed. The learning rates were chosen in trainings of two minutes or less, and they may not be the best ones for 45. And all of it is one
# generated text in words, so it does not explain what you saw on your own text in pieces of words.

# %% [markdown]
# ### The same time
#
# All LSTMs and Transformers below have 0.39 million weights, not counting the embedding. They were trained for one, four, about ten and about forty-five minutes on one core of a CPU. Look at who is in front, on
# the left and on the right.

# %% folded="draws the crossing" alt="Bits above the floor over CPU minutes: after one minute the LSTM is ahead, they cross before four minutes, and at the end the Transformer is at 0.14 and the LSTM at 0.53."
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
# After one minute every LSTM is ahead of every Transformer. Between one minute and four the lines cross. After forty-five minutes the LSTM is still more than three times as far from the floor as the Transformer (one
# seed each, at learning rates chosen in short trainings). So "Which network is better?" has no answer without "after how long?", and without "on which text?".

# %% [markdown]
# ### Another optimiser
#
# Something does not fit. The model that you loaded in section 8 had read for 3.3 minutes, and it was 0.11 bits above the floor. The Transformer of the figure is at 0.14 after 45 minutes. How can that be? The next
# table has four recorded Transformers. Compare the second row with the third: they have read nearly the same number of words.

# %%
rows = {}
for name in (
    "kitchen-transformer-60min",
    "kitchen-transformer-15min",
    "kitchen-transformer-muon",
    "kitchen-gpt",
):
    one = runs.load(name)
    found, sizes = one.numbers["1"], one.config.sizes
    rows[name] = {
        "optimiser": one.config.optimiser,
        "positions": sizes.get("positions", "rotary"),
        "context": sizes["block"],
        "weights": found["parameters"],
        "words read (millions)": round(found["tokens"] / 1e6, 1),
        "bits above the floor": round(found["bits above the floor"], 2),
    }
pd.DataFrame(rows).T

# %% [markdown]
# At about nine million words, AdamW stands at 0.22 and Muon at 0.16 (one seed each). So the optimiser is a part of the answer. The last row has Muon, too. It has read the fewest words and is the nearest to the
# floor. But it differs from the row above it in several ways at once: in positions, context, norm, activation and biases. We cannot say which of them has helped.
#
# Now imagine a comparison of two networks in which only one of them had the better optimiser.

# %% [markdown]
# ### One thing at a time
#
# To find out what each part of a model is worth, change one thing and leave all others as they are. We began with a Transformer of two layers, four heads and width 128. It has rotary positions, RMSNorm before each
# module, the square of ReLU as its activation, and AdamW as its optimiser. It is called "as it is" below. Then we changed one thing at a time and trained each variant for 485 steps, which takes about a minute,
# with the best of three learning rates and three seeds.
#
# Points on the right are worse than "as it is". Which changes matter more than the spread of the three dots?

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
axes.plot(found["as it is"] - usual, [order.index("as it is")] * 3, "o", color="black")
axes.set(
    title="Residuals, norms and positions matter most",
    yticks=range(len(order)),
    yticklabels=order,
    ylim=(len(order) - 0.5, -0.5),
    xlabel="bits per word more than “as it is” (a dot is a seed)",
)
plt.show()

# %% [markdown]
# The largest losses come from leaving out the residual connections, any norm at all, or the positions, and from plain SGD. Learned positions, such as yours, cost a tenth of a bit. One head and *post-norm*, which normalises after each module instead of before it, cost a little (0.05 and 0.03), but all their dots are worse. Muon gains a tenth of a bit. The choice
# *among* norms, among activations, and among two or four layers makes no difference that we can see. (**Token shift**, due to B. Peng and others, 2023, lets each module read a learned share of the token before.)
#
# For most variants the largest of the three learning rates was the best, so a wider grid might still move some points, plain SGD most of all. Each variant had equal steps, and not equal time. And what holds after 485 steps need not hold later.

# %% [markdown]
# ## What you have now
#
# You have a Transformer. Its tokens, its model, its loss, its optimiser, the loop in which it learns and the loop in which it writes are your code. The inside of attention came with you from chapter 06. It has written in the manner of a text that you chose, more or less well. You know its size, its cost and its first loss before it runs, and you can find out whether it cheats. And the class that you wrote is big enough for GPT-2.
#
# In chapter 09 your model gets a second text to look at, so that it can translate. Chapter 10 puts all the models of your gallery on one scoreboard and asks whether one can forecast what a larger one will bring. And chapter 11 shows that the tokens need not be language at all.
