# %% [markdown]
# ## 9. What matters, as fairly as we could measure it
#
# "Transformers are better than LSTMs." "You need layer norm." Such sentences are easy to say. What would one have to do to *know*? Give each network about the same number of weights, the same time, and its own best learning rate, train with several seeds, and measure on the same text. We have come as near to this as our machines allowed, on the kitchen text, word by word, and every run is
# recorded. On this text we even know the floor, so we can say how many bits per word a model is above what is possible at all.
#
# Here is what we did not do. The two longest lengths were run with a single seed. The learning rates were chosen in trainings of two minutes or less, and they may not be the best ones for 45. And all of it is one generated text in words, so it does not explain what you saw on your own text in pieces of words.
#
# ### The same time
#
# All LSTMs and Transformers below have 0.39 million weights, not counting the embedding. They were trained for one, four, about ten and about forty-five minutes on one core of a CPU. Look at who is in front, on the left and on the right.

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
# After one minute every LSTM is ahead of every Transformer. Between one minute and four the lines cross, and after forty-five the LSTM is still more than three times as far from the floor as the Transformer. "Which network is better?" has no answer without "after how long?", and without "on which text?".
#
# You may wonder about the model that you loaded in section 8: it was nearer to the floor after a few minutes than this Transformer is at the end. The next cell puts three recorded Transformers side by side.

# %%
rows = {}
for name in ("kitchen-transformer-60min", "kitchen-transformer-muon", "kitchen-gpt"):
    one = runs.load(name)
    found, sizes = one.numbers["1"], one.config.sizes
    rows[name] = {
        "optimiser": one.config.optimiser,
        "positions": sizes.get("positions", "rotary"),
        "context": sizes["block"],
        "weights": found["parameters"],
        "words read (millions)": round(found["tokens"] / 1e6, 1),
        "words a second": int(found["tokens"] / found["CPU seconds"]),
        "bits above the floor": round(found["bits above the floor"], 2),
    }
pd.DataFrame(rows).T

# %% [markdown]
# So the minutes are not the secret. The optimiser is a large part of it: with Muon, a fifth of the words is enough for nearly the same loss. The last model has read even fewer words. It also has learned positions and a longer context, and we have not taken these two apart. (The words a second were measured on different days, on machines that had other things to do.) Now imagine a comparison of two networks in which only one of them had the better optimiser.
#
# ### One thing at a time
#
# And which of all the parts matter? Here a Transformer with rotary positions and RMSNorm is trained for one minute (485 steps), again and again, each time with one thing changed. Every variant has its own best of three learning rates and three seeds. Points on the right are worse than "as it is". For most variants the largest of the three learning rates was the best, so a wider grid might still move some of them.

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
# And what holds after a minute need not hold later.

# %% [markdown]
# ## What you have now
#
# You have a Transformer. Its tokens, its model, its loss, its optimiser, its loop and its choice of the next word are your code; the inside of attention came with you from chapter 06. It has written in the voice of a text that you chose. You know its size and its cost before it runs, you know what its first loss must be, and you can
# find out whether it cheats. And the class that you wrote is big enough for GPT-2.
#
# In chapter 09 your model gets a second text to look at, so that it can translate. Chapter 10 puts all the models of your gallery on one scoreboard and asks whether one can forecast what a larger one will bring. And chapter 11 shows that the tokens need not be language at all.
