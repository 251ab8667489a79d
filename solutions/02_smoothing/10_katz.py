# %% [markdown]
# ## 10. Ask the shorter memory only when you must
#
# So far the shorter memory was **mixed in** (*interpolated*): seen words, too, receive something from below. S. Katz (1987) had another idea, **backing off**: trust a seen pair's discounted count and nothing else. Only the unseen ask the shorter memory, and only they share what was taken. In Silvestri's words: use the longer
# context "if you have enough evidence". Katz took Good and Turing's $c^*$ for the seen; we take $c - k$.
#
# T. Brants and others (2007) had two trillion words and did without discounts: **stupid backoff**.

# %% [markdown] statement="backing_off"
# - `back_off(row, lower, k)`: [V] in, [V] out. Seen words get $(c - k)/n$. Unseen ones get $\beta(h)\, P(w \mid h')$, and no seen word gets any of that. Find the $\beta(h)$
#   that makes the sum 1 (`lower` is nowhere 0). If no word is unseen, nothing is taken: $c/n$. If $h$ was never seen: $P(w \mid h')$.
# - `stupid(row, lower)`: seen words $c/n$, unseen ones $0.4\, S(w \mid h')$, with the scores $S$ of the shorter memory as `lower`. If $h$ was never seen, $0.4\, S(w \mid h')$.

# %% [markdown] hints="backing_off"
# 1. As much is free as in section 5. What differs is who shares it.
# 2. $P(w \mid h')$ over the unseen words alone sums to less than 1. By what must you divide?
# 3. A mask of the unseen words gives you both: how many are seen, and what the unseen had below. If no word is unseen, nobody can
#    take the free mass.


# %% task="backing_off" points=4 level=2 minutes=14
def back_off(row, lower, k):
    """P(w | h), shape [V], from counts row = c(hw) and lower = P(w | h'); both stay as they are."""
    ### BEGIN SOLUTION
    n, unseen = row.sum(), row == 0
    if n == 0:
        return lower
    if not lower[unseen].sum() > 0:
        return row / n
    beta = k * np.sum(~unseen) / n / lower[unseen].sum()
    return np.where(unseen, beta * lower, (row - k) / n)
    ### END SOLUTION


def stupid(row, lower):
    """S(w | h), shape [V], from counts row = c(hw) and lower = S(w | h')."""
    ### BEGIN SOLUTION
    return np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)
    ### END SOLUTION


# %% family="backing_off"
_V = size("V")
_row = made(
    lambda rng, V: np.array(rng.choices([0, 0, 1, 1, 2, 5, 40], k=V)),
    _V,
    edges=[
        lambda rng, V: np.array(rng.sample([1, *[0] * (V - 1)], V)),
        lambda rng, V: np.array(rng.sample([0.0, *[1] * (V - 1)], V)),
    ],
)
_none_or_all = made(
    lambda rng, V: np.zeros(V, dtype=rng.choice([int, float])),
    _V,
    edges=[
        lambda rng, V: np.array(rng.choices([1, 2, 5], k=V)),
        lambda rng, V: np.ones(V, dtype=int),
    ],
)
_scores = made(lambda rng, V: np.array([rng.uniform(0.1, 1.5) for _ in range(V)]), _V)
_lower = made(lambda rng, p: p / p.sum(), _scores)

# %% test="backing_off" aspect="beta makes the sum one" points=2
_row, _lower = np.array([6, 3, 1, 0, 0]), np.array([0.4, 0.2, 0.2, 0.15, 0.05])
_got = back_off(_row, _lower, 0.5)
assert np.shape(_got) == (5,), (
    f"back_off returns an array of 5 probabilities; yours: {_got!r}."
)
assert close(_got[0], 0.55), (
    f"A seen word gets (6 - .5) / 10 and no more; yours: {_got[0]}."
)
assert close(np.sum(_got), 1), f"Yours sums to {np.sum(_got):.4f}."
### BEGIN HIDDEN TESTS
_k = number(0.05, 1)
agrees(back_off, ours.back_off, _row, _lower, _k, rtol=1e-5, atol=1e-7)
_row = choice(np.array([0, 1, 0, 1]), np.array([0, 2, 1, 0]))
_some = [np.array(p) for p in ([0.2, 0.3, 0.1, 0.4], [0.4, 0.1, 0.3, 0.2])]
_tiny = [np.array([t, 0.6, 0.4 - 2 * t, t]) for t in (1e-5, 1e-10)]
for _k in (1, 0.5):
    agrees(
        back_off, ours.back_off, _row, choice(*_some, *_tiny), _k, mixtures=0, rtol=1e-5
    )
### END HIDDEN TESTS


# %% test="backing_off" aspect="nothing seen, nothing unseen" points=1
_lower = np.array([0.5, 0.3, 0.2])
_got = back_off(np.zeros(3, dtype=int), _lower.copy(), 0.5)
assert np.shape(_got) == (3,), (
    f"back_off returns an array of 3 probabilities; yours: {_got!r}."
)
assert close(_got, _lower), (
    f"A context never seen: back_off gives P(w | h'); yours: {_got}."
)
_got = back_off(np.array([5, 3, 2]), _lower.copy(), 0.5)
assert close(_got, [0.5, 0.3, 0.2]), (
    f"No word is unseen: back_off gives c / n; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_k = number(0.05, 1)
agrees(
    back_off, ours.back_off, _none_or_all, _lower, _k, mixtures=0, rtol=1e-5, atol=1e-7
)
agrees(stupid, ours.stupid, _none_or_all, _scores, mixtures=0, rtol=1e-5, atol=1e-7)
agrees(
    stupid, ours.stupid, np.zeros(3), choice(np.ones(3), np.full(3, 0.5)), mixtures=0
)
### END HIDDEN TESTS


# %% test="backing_off" aspect="stupid backoff takes nothing away" points=1
_got = stupid(np.array([6, 3, 1, 0, 0]), np.array([0.4, 0.2, 0.2, 0.15, 0.05]))
assert np.shape(_got) == (5,), f"stupid returns an array of 5 scores; yours: {_got!r}."
assert close(_got, [0.6, 0.3, 0.1, 0.06, 0.02]), (
    f"6 of 10, 3 of 10, ..., then .4 times the lower; yours: {_got}."
)
### BEGIN HIDDEN TESTS
agrees(stupid, ours.stupid, _row, _scores, rtol=1e-5, atol=1e-7)
_scores = choice(np.array([0.2, 1.3, 0.5]), np.array([0.7, 0.1, 0.2]))
agrees(stupid, ours.stupid, np.array([0, 0, 1]), _scores, mixtures=0, rtol=1e-5)
### END HIDDEN TESTS


# %%
def compare(split, order):
    """Perplexity of models of one order on 200 new sentences of known words, of a random split; k from the counted text."""
    kept, rest = berkeley.split(seed=split)
    known = {tuple(sentence) for sentence in kept}
    words = set().union(*kept)  # an unknown word would get all that a unigram frees
    new = [s for s in rest if tuple(s) not in known and words.issuperset(s)][:200]
    counts = ngrams.NgramCounts(kept, order)
    k = estimate_discount(counts[order]["count"])
    kinds = {
        "interpolated": lambda row, lower: absolute_discount(row, lower, k),
        "backed off": lambda row, lower: back_off(row, lower, k),
        "stupid backoff": stupid,
    }
    for least in (3, 10) if order == 2 else ():
        kinds[f"only if n ≥ {least}"] = lambda row, lower, least=least: (
            back_off(row, lower, k) if row.sum() >= least else lower
        )
    found = {
        name: ngrams.RowModel(counts, rule).perplexity(new)
        for name, rule in kinds.items()
    }
    found["modified Kneser-Ney"] = fit_kneser_ney(kept, order).perplexity(new)
    plain = [{**level, "left": level["count"]} for level in counts.levels]
    tables = zip(*kneser_ney(plain, len(counts.vocabulary)), strict=True)
    found["three discounts, plain counts"] = ngrams.BackoffModel(
        counts, *tables
    ).perplexity(new)
    return found


# %%
tried = {
    (order, split): compare(split, order)
    for order in range(2, 6)
    for split in range(1, 6)
}
tried = pd.DataFrame(tried).T.rename_axis(["order", "split"])
seen_contexts = [(word,) for word in bigrams.vocabulary if bigrams.row((word,)).any()]
stupid_mass = ngrams.RowModel(bigrams, stupid).mass(seen_contexts)

# %% alt="Perplexity by order, 2 to 5. All four lines fall up to order 3; then modified Kneser-Ney goes on falling a little, and at order 5 the three with plain counts rise."
print(
    "stupid scores sum to",
    *np.quantile(stupid_mass, (0, 0.5, 1)).round(2),
    "(least, median, most)",
)
_, axes = plt.subplots()
shown = (
    "interpolated",
    "backed off",
    "three discounts, plain counts",
    "modified Kneser-Ney",
)
for i, (line, name) in enumerate(zip(("o-", "o--", "s-", "^-"), shown, strict=True)):
    by_order = tried[name].groupby("order")
    mean, sd = by_order.mean(), by_order.std()
    beside = mean.index + 0.06 * (i - 1.5)  # so that the bars can be told apart
    axes.errorbar(beside, mean, sd, fmt=line, markersize=4, label=name)
axes.set(
    xlabel="order (words in an n-gram)",
    ylabel="perplexity, new sentences",
    xticks=range(2, 6),
)
axes.set_title(
    "At order 5 only continuation counts still gain", loc="left", fontsize=11
)
axes.legend(fontsize=10, loc="upper center")
plt.show()

# %%
worse = (tried.loc[5] > tried.loc[3])[list(shown)].sum()
rise = (tried.loc[5] - tried.loc[3])[list(shown)].mean().round(2)
from_3_to_5 = {"change of perplexity": rise, "worse in splits of 5": worse}
print("from order 3 to order 5:", pd.DataFrame(from_3_to_5).to_string(), sep="\n")
wins = (tried["backed off"] < tried["interpolated"]).groupby("order").sum()
print("splits of 5 in which backing off beats interpolation:", wins.to_dict())
more = 100 * (tried["backed off"] / tried["interpolated"] - 1)
print("perplexity of backing off, % more than interpolation:")
print(more.unstack("split").round(1).to_string())
by_order = tried["modified Kneser-Ney"].unstack("order")
better = {n: int((by_order[n] < by_order[n - 1]).sum()) for n in (3, 4, 5)}
print("splits of 5 in which modified Kneser-Ney gains from one word more:", better)
bigrams_only = tried.loc[2].drop(columns="three discounts, plain counts")
print("bigrams:", bigrams_only.round(2).to_string(), sep="\n")

# %% [markdown]
# Stupid scores sum to as much as 1.4, so what the table prints in their column is no perplexity and cannot be compared with the others. (The bars in the
# figure are standard deviations over five splits. They overlap, because the same split is hard for all models. So we count in how many splits one model beats
# another.)
#
# Silvestri's lecture says that "interpolation works better". For bigrams it does here, with the same $k$, in all five splits, and for trigrams in four of
# them, by less than two per cent. At orders 4 and 5 backing off wins four of five, by about 6 % in split 2 and by less than 3 % in the others. So there is no
# general winner on a text of this size.
#
# We leave out sentences with unknown words here, because one detail would decide them. Of all events only `<UNK>` has the unigram count 0. Backing off shares
# what the unigrams free among the events with count 0, so `<UNK>` would get all of it. Interpolation shares it among all $V$ events.
#
# With plain counts, interpolation gets worse from order 3 to order 5 in all five splits, and backing off in four (first table).
#
# A likely reason is that the same evidence is counted several times. A frequent trigram also raises the counts of the bigram and of the unigram inside it,
# and an interpolated model adds up all three. Continuation counts avoid just this, because a trigram that occurs fifty times adds only 1 to the counts below.
# With them, in modified Kneser-Ney, each longer context helps in all five splits, although little at order 5.
#
# But modified Kneser-Ney also has three discounts for each order, and either change could be the cause. So the line *three discounts, plain counts* is made
# by your functions of section 9 as they are, with one change: below the top they get `count` in the place of `left`. From order 3 to order 5 this model loses
# .25 of perplexity, and it is worse in all five splits. With one discount the loss was .63, and with continuation counts the perplexity *falls* by .42. So
# the discounts explain a part of the difference, and the counting explains the larger part. (Two notes. The models with one discount use the $k$ of the
# longest n-grams at all levels. When we gave each level its own, the interpolated model lost .74 in the place of .63. And section 14 asks what in the three
# discounts it is that helps here.)
#
# In the table, *only if n ≥ 3* and *n ≥ 10* ask for more evidence before they trust a context, and each time backing off
# becomes worse. Even a context seen once or twice knows more than its lower order.

# %% [markdown] statement="normalise_stupid"
# #### Stupid, but divided
#
# A friend divides each row of stupid scores by its sum. Is there a perplexity now? Estimate it for bigrams on split 1, and compare it with backing off. And
# what does the division cost a program in computing time?

# %% [markdown] written="normalise_stupid" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: yes; every row then sums to 1, so it is a probability distribution. 1 point: an estimate with a comparison. The sums lie between 1.26 and
# 1.40, so each probability falls, and the perplexity rises, by about that factor: $10.66 \cdot 1.34 \approx 14.3$ (13.4 to 15 is accepted; measured it is
# 14.1). That is worse than backing off, 12.05: the lead is gone. 1 point: the cost. To know a row's sum one must add up the scores of all $V$ words for each
# context, which a model of two trillion words was made to avoid. (Also right: the order of the words within a row was known without it.)
#
# A usual wrong idea: if all rows are divided, nothing changes between the models. Only the stupid scores are divided;
# the other models sum to 1 already.
#
# **Sample, 3 points.** After the division each row sums to 1, so it has a perplexity. The sums are 1.26 to 1.40 with median 1.34, so all probabilities get
# smaller by about 1.34 and the perplexity goes from 10.66 to about 14.3. Backing off has 12.05, so it wins. And for every context I now need the scores of the
# whole vocabulary before I know a single probability, while before I needed one count divided by another.
#
# **Sample, 2 points.** Yes, it is a perplexity now because it sums to 1. The perplexity becomes larger since the probabilities get smaller, about $10.66 \cdot
# 1.3 = 13.9$, which is worse than 12.05. The division costs nothing, it is one operation.
#
# **Sample, 0 points.** No, since stupid backoff has no discounts, it can have no perplexity. It would stay at 10.66, because dividing everything by the same
# number does not change who wins.
# ### END SOLUTION

# %% [markdown]
# *Another good place to stop.*
