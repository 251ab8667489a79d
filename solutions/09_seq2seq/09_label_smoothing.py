# %% [markdown]
# ## 10. Do not be so sure
#
# Selvan often has several right words for the next place, yet each pair shows just one of them. In a large text the usual loss handles this well: if two
# words follow equally often, the mean of $-\ln P(\text{word})$ is smallest when the model gives each one half. But our model reads the *same* 5,000 pairs
# again and again, and the more it knows them by heart, the closer to 1 goes the probability of the one word that the pair shows. **Label smoothing** asks for
# less. The target of each place is no longer one word, but a distribution over all $V$: a share $\varepsilon$ is spread evenly,
#
# $$q(v) = (1 - \varepsilon)\,[v = y] + \frac{\varepsilon}{V} \qquad\qquad \text{loss} = -\sum_v q(v) \ln P(v)$$
#
# where $[v = y]$ is 1 for the word that stands there, and 0 for all others. Note that the share goes to all words alike. The formula does not know which
# other words would be right, so these get no more than the wrong ones.

# %% [markdown] statement="smoothed_loss"
# - `smoothed_loss(scores, targets, eps)`: from scores $[B, n, V]$ (before the softmax) and targets $[B, n]$ the mean loss over all places whose target is not `PAD`. With `eps` $= 0$ it is the usual loss.
# - `least_loss(V, eps)`: no model can get below a certain loss; which? In nats, for $0 \le \varepsilon \le 1$.

# %% [markdown] hints="smoothed_loss"
# 1. The sum over $v$ splits into two: the usual loss, and the mean of $-\ln P(v)$ over all words.
# 2. A place of padding counts neither above nor below the line of the mean.
# 3. Chapter 1: $-\sum_v q(v) \ln P(v)$ is smallest for $P = q$. Then it is the entropy of $q$, and $q$ has only two different values. What is $0 \ln 0$ here?


# %% task="smoothed_loss" points=3 level=2 minutes=15
def smoothed_loss(scores, targets, eps):
    """The mean in nats, without axes; gradients pass. A score may be 1,000 beside 0."""
    ### BEGIN SOLUTION
    log_p = scores.log_softmax(-1)
    usual = -log_p.gather(-1, targets[..., None])[..., 0]  # [B, n]
    loss = (1 - eps) * usual - eps * log_p.mean(-1)
    return loss[targets != PAD].mean()
    ### END SOLUTION


def least_loss(V, eps):
    """The smallest smoothed loss that any scores can reach."""
    ### BEGIN SOLUTION
    first, other = 1 - eps + eps / V, eps / V
    parts = [(1, first), (V - 1, other)]
    return -sum(count * q * math.log(q) for count, q in parts if count and q > 0)
    ### END SOLUTION


# %% test="smoothed_loss" aspect="a share for every word" points=1
_got = smoothed_loss(torch.zeros(1, 2, 5), torch.tensor([[3, 4]]), 0.1)
assert np.shape(_got) == (), f"The loss is one number; yours: {_got!r}."
assert close(_got, math.log(5), 1e-5), (
    f"Five words alike: ln 5 = 1.609 for any target; yours: {_got}."
)
### BEGIN HIDDEN TESTS
B, n, V = size("B"), size("n"), size("V", least=2)
scores = tensor(B, n, V, scale=3, edges=["huge"], kind="float64")
inputs = [
    made(lambda rng, scores: scores.contiguous(), scores),
    made(lambda rng, B, n, V: padded_rows(rng, B, n, V, least=n), B, n, V),
    number(0, 1),
]
agrees(smoothed_loss, ours.smoothed_loss, *inputs, rtol=1e-4, atol=1e-5)
agrees(smoothed_loss, ours.smoothed_loss, *inputs, by=gradients, rtol=1e-3, atol=1e-5)
### END HIDDEN TESTS

# %% test="smoothed_loss" aspect="padding does not count" points=1
_t = torch.tensor([[3, 2], [1, PAD]])
_s = torch.randn(*_t.shape, 6).double() * 2
_wanted = F.cross_entropy(
    _s.flatten(0, 1), _t.flatten(), ignore_index=PAD, label_smoothing=0.2
)
_got = smoothed_loss(_s.clone(), _t.clone(), 0.2)
assert close(_got, _wanted, 1e-4, 1e-5), (
    f"Targets {_t.tolist()}, ε = 0.2: {_wanted:.4f} wanted, the mean over all words; yours: {_got}."
)
### BEGIN HIDDEN TESTS
B, n, V = size("B"), size("n"), size("V", least=2)
scores = tensor(B, n, V, scale=3, edges=["huge"], kind="float64")
inputs = [
    made(lambda rng, scores: scores.contiguous(), scores),
    made(lambda rng, B, n, V: padded_rows(rng, B, n, V), B, n, V),
    number(0, 1),
]
agrees(smoothed_loss, ours.smoothed_loss, *inputs, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="smoothed_loss" aspect="as low as it gets" points=1
_got = least_loss(2, 1)
assert is_number(_got), f"least_loss returns a number; yours: {_got!r}."
assert close(_got, math.log(2), 1e-6), (
    f"V = 2, ε = 1: both words are wanted equally, ln 2 = 0.693; yours: {_got}."
)
### BEGIN HIDDEN TESTS
agrees(
    least_loss,
    ours.least_loss,
    whole(1, 50, (2, 719)),
    number(0, 1, (1e-4,)),
    atol=1e-9,
)
### END HIDDEN TESTS

# %% alt="Three panels of points gained by label smoothing. The black means stay within half a point of zero for both kinds of BLEU; for the grammar the mean falls by a point at 0.2. Single trainings differ by up to two points."
smooth = record[(record.encoder == "transformer") & (record.decoder == "transformer")]
smooth = smooth[smooth.part.isin(["models", "smoothing"])]
smooth = smooth[smooth.groupby("seed").smoothing.transform("nunique") == 3]
judges = {
    "bleu": "BLEU, one reference",
    "bleu_all": "BLEU, all references",
    "right": "grammar: right (%)",
}
figure, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True)
for ax, (column, title) in zip(axes, judges.items(), strict=True):
    values = smooth[column] * (100 if column == "right" else 1)
    for (seed, rows), marker in zip(smooth.groupby("seed"), "os^", strict=True):
        some = values[rows.index].set_axis(rows.smoothing).sort_index()
        ax.plot(
            some.index, some - some[0], marker + "--", alpha=0.7, label=f"seed {seed}"
        )
    mean = values.groupby(smooth.smoothing).mean()
    ax.plot(mean.index, mean - mean[0], color="black", lw=2.5, label="mean")
    ax.axhline(0, color="gray", lw=0.8)
    ax.set(title=title, xlabel="ε", xticks=sorted(set(smooth.smoothing)))
axes[0].set_ylabel("points against ε = 0")
axes[2].legend(loc="center left", bbox_to_anchor=(1, 0.5))
figure.suptitle("Label smoothing changes little here")
plt.show()

# %%
table = smooth.assign(right=100 * smooth.right)
print(table.groupby("smoothing")[["loss", *judges]].mean().round(2).to_string())
V = len(selvan)
least = {eps: round(least_loss(V, eps), 2) for eps in (0.1, 0.2)}
print(f"least smoothed loss for V = {V} ({V - 4} words and 4 special ones): {least}")

# %%
# NBVAL_IGNORE_OUTPUT
# Another machine trains slightly other weights.
with torch.no_grad():
    source, _, given, wanted = held_out
    scores = my_transformer(source, given, three_masks(source, given))
print("your Transformer of section 7 on new sentences:")
for eps in (0, 0.1, 0.2):
    loss, lowest = smoothed_loss(scores, wanted, eps), abs(least_loss(V, eps))
    print(f"ε = {eps:3}: smoothed loss {loss:.2f}, and no model is below {lowest:.2f}")

# %% [markdown]
# The figure shows nine trainings of the Transformer of section 8: three seeds for each of $\varepsilon = 0$, 0.1 and 0.2, and what three judges say about the
# outputs. Each panel shows by how much a judge's number differs from that without smoothing, so all lines start at 0. (BLEU compares words and short rows of
# words with references, and 100 is perfect; you write it in section 13. Here it is measured twice: once against the one reference that stands in the text,
# once against *all* valid translations.) The table has the means, and the usual loss, $-\ln P$ per word: it rises, since it is no longer what is trained.
#
# Your Transformer was trained without smoothing. With $\varepsilon = 0.1$ its loss is 2.18 when we ran it, far above the 0.98 that no model can beat. Part of
# the gap is no fault: nobody can be sure of the next word where Selvan leaves it free. But that does not explain most of it. Take nine parts of your
# network's probabilities and one part of an even spread over all words. This mixture knows nothing that your network does not know, and its loss would be at
# most 1.33. The rest is the network's own: it is so sure of which words are wrong that even a small share for them costs a lot.
#
# Vaswani and others (2017) report that smoothing costs perplexity and gains BLEU. The first is so in the nine trainings: the more smoothing, the higher the
# usual loss. The second is not. With $\varepsilon = 0.1$ all three judges stay where they were, as far as three trainings can tell. With $\varepsilon = 0.2$
# the grammar counts one point fewer right translations on average, but one of the three trainings has more. So on this text, smoothing neither helps nor does
# it do clear harm.

# %% [markdown] statement="two_judges"
# #### Two judges
#
# Here the judges agree, more or less. Suppose that in another study they do not. With smoothing, BLEU with one reference rises by a point, BLEU with *all*
# references stays where it was, and the grammar counts two points *fewer* right translations. (All that you need of BLEU is in the text above. If you would
# like to know its formula first, do section 13 and come back.)
#
# - How can the first and the last be right about the same outputs?
# - BLEU with *all* references uses the same formula as the first judge, and knows all right translations, as the grammar does. It stayed where it was. What
#   does that tell you about the reason?
# - What would you do with a real language, for which nobody has such a grammar?

# %% [markdown] written="two_judges" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: a way for BLEU with one reference to rise while fewer sentences are right, that fits what the two
# measure: BLEU pays for each shared word and row of words, also in wrong sentences, and pays less for a valid sentence in other
# words; the grammar gives a whole sentence all or nothing. So outputs that come closer to the wording of the reference, or wrong
# ones that become less wrong, raise BLEU without one more right sentence. 1 point: uses the third judge: with all references
# nothing is left of the gain, so it was closeness to the *one* wording; if wrong sentences had become less wrong, BLEU with all
# references would have risen, too. "A point in few trainings may be luck" earns this point as well if it says what a clear rise or fall
# would have meant. 1 point: a sensible proposal for a
# real language: people judge a sample without knowing which model wrote it, several references for each sentence, or more
# than one measure, and more than three trainings.
#
# "BLEU is useless" earns nothing by itself. The third point does not need more trainings, but say so if they are
# missing: differences of about a point in three trainings are little evidence.
#
# **Sample, 3 points.** The grammar only counts sentences that are right from the first word to the last. BLEU pays for every row
# of words that the output shares with the reference. So if the smoothed model picks the usual order of words more often, it gets
# more BLEU even where another order was valid, too. Against all references this gain is gone, which fits: there the other orders
# count as well. For German I would let two people compare the outputs of both models for 200 sentences, without telling them
# which is which, and train each model with more seeds.
#
# **Sample, 2 points.** BLEU has just one reference, so it punishes correct translations with another order of words. The
# smoothed model may choose the usual order more often and then gets more BLEU, although both orders are valid. With all references
# BLEU stays the same, so this was the reason. With a real language I would trust BLEU, because there is nothing else.
#
# **Sample, 0 points.** One of them must be wrong. The grammar was made by a program, so I believe BLEU, which everybody uses.
# ### END SOLUTION
