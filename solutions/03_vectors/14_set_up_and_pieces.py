# %% [markdown]
# ## 15. Three questions about the set-up
#
# **Does a score mean something?** By section 11, negative sampling makes $x_{ij}$ approach $\ln p(j \mid i) - \ln(k q_j)$. **Noise-contrastive estimation**
# (NCE; M. Gutmann and A. Hyvärinen, 2012) asks the same question, true or made up?, but answers $\sigma(x_{ij} - \ln(k q_j))$ in the place of
# $\sigma(x_{ij})$. At the optimum $x_{ij} - \ln(k q_j)$ is $\ln p(j \mid i) - \ln(k q_j)$, as before. So $x_{ij}$ itself is $\ln p(j \mid i)$, a logarithm of
# a probability, and the sum $\sum_j e^{x_{ij}}$ over all contexts should be 1, although nobody ever computes it. We recorded three seeds of each. Look at the
# logarithm of this sum, which should be 0:

# %%
kinds = pd.read_csv(paths.DATA / "vectors" / "negatives.csv").groupby(["kind", "k"])
shown = pd.DataFrame(index=kinds.size().index)
shown["mean of ln of the sum"] = span(kinds, "mean_log_z", "+.2f")
shown["its standard deviation"] = span(kinds, "spread_log_z", ".2f")
shown["neighbours with the same tag"] = span(kinds, "same_tag", ".1%")
shown

# %% [markdown]
# NCE normalises itself: the logarithm of the sum is about 0, with a standard deviation over the words of at most 0.1. Negative sampling puts the sum elsewhere,
# and section 11 says where: each product ends lower by $\ln k$, so from $k = 1$ to 5 to 15 the logarithm of the sum falls by about $\ln 5$ and $\ln 3$.
#
# Does that make NCE the better source of probabilities? Careful: the comparison is not fair yet. If a trained $x_{ij}$ stands for
# $\ln p(j \mid i) - \ln(k q_j)$, then you only have to add $\ln(k q_j)$, which you know. Let us do so with your vectors of section 11:

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
shares = occurrences / occurrences.sum()
for name, x in {"x": scores, "x + ln(k q)": scores + np.log(5 * power_one)}.items():
    log_z = np.log(np.exp(x).sum(1))
    middle = shares @ log_z
    spread = math.sqrt(shares @ (log_z - middle) ** 2)
    print(
        f"ln of the sum of e^({name}): {middle:+.2f}, standard deviation {spread:.2f}"
    )

# %% [markdown]
# With the missing term added, negative sampling normalises itself just as well as NCE. The two methods only write the same term in different places. What is
# left of the difference is the last column of the table (how many of a word's ten nearest words share its commonest tag): there negative sampling is ahead by
# one to two percentage points at $k = 1$ and 5, and by half a point at $k = 15$, at these learning rates and on this text.
#
# **Is this a language model?** Count only the *next* word as neighbour, with the softmax of section 7. That is a
# bigram model, with $2dV$ numbers instead of $V^2$. How close does it come to the counts?


# %% folded="prepares the next figures"
def band(axes, table, across, column, mark, label):
    """The mean over the seeds as a line, from their lowest to their highest as a band."""
    seeds = table.groupby(across)[column].agg(["mean", "min", "max"])
    (line,) = axes.plot(seeds.index, seeds["mean"], mark, markersize=4, label=label)
    axes.fill_between(
        seeds.index, seeds["min"], seeds["max"], color=line.get_color(), alpha=0.3
    )


def next_words(split):
    """Counts (V + 1, V + 1) of the next word in a split; `</s>`, number V, ends each story."""
    table = np.zeros((V + 1, V + 1))
    for story in kitchen.splits[split]:
        ids = [*(number.get(word, 0) for word in story), V]
        np.add.at(table, (ids[:-1], ids[1:]), 1)
    return table


# %% alt="Left: divergence falls to zero with 50 numbers, less far with 10 and 2. Right: on new text 50 numbers get worse after 30 steps; 10 numbers end below the line of the counts."
bigram = pd.read_csv(paths.DATA / "vectors" / "bigrams.csv")
followed, followed_new, counted = next_words("train"), next_words("valid"), {}
for alpha in (0.003, 0.01, 0.03, 0.1, 0.3):
    P = (followed + alpha) / (followed + alpha).sum(1, keepdims=True)
    counted[alpha] = -(followed_new * np.log(P)).sum() / followed_new.sum()
print({f"counts + {alpha}": f"{loss:.2f}" for alpha, loss in counted.items()})
_, panels = plt.subplots(1, 2, figsize=(7, 2.5))
for column, axes in zip(("kl", "valid_nats"), panels, strict=True):
    for d in (2, 10, 50):
        band(axes, bigram[bigram.d == d], "step", column, "o-", f"d = {d}")
    axes.set_xticks([0, 30, 100, 300])
    axes.set_xlabel("training steps")
best = min(counted, key=counted.get)
panels[1].axhline(counted[best], color="gray", ls=":", label=f"counts + {best}")
panels[0].set_ylabel("divergence (nats)")
panels[1].set(ylabel="loss, new text (nats)", ylim=(2.8, 5))
panels[1].legend(fontsize=10, loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# Left: the mean Kullback-Leibler divergence from the text's relative frequencies; right: the loss on new text (bands: three seeds). Follow $d = 50$ first.
# Its divergence goes to 0, so the model has become the table of relative frequencies, accidents included. On new text it is below the dotted line of the
# counts after 30 steps, but far above it at the end. With $d = 10$ the model cannot store every count, and it ends *below* the dotted line. So a model with
# few numbers smooths, and so does stopping a large one early: at 30 steps, $d = 50$ is nearly as good. (Adding a constant is the weakest method of chapter
# 02. With Kneser-Ney smoothing we got 3.16, so ten numbers are still ahead of the counts.)
#
# **How wide a window?** Neighbours next door tell what may stand here; far ones, what the story is about. Of a word's
# ten nearest, how many have its tag, and how many times as often as by chance do they share its stories?

# %% folded="draws two measures of neighbours" alt="The wider the window, the fewer neighbours share a tag, from 90 down to 66 percent, and the more come from the same story. The sum A + B stands lower on the left and higher on the right."
sweep = pd.read_csv(paths.DATA / "vectors" / "windows.csv")
_, panels = plt.subplots(1, 2, figsize=(7, 2.5))
for column, axes in zip(("same_tag", "story_ratio"), panels, strict=True):
    for name, mark in (("A", "o-"), ("B", "s-"), ("A + B", "v-")):
        band(axes, sweep[sweep.vectors == name], "c", column, mark, name)
    axes.set_xscale("log")
    axes.set_xticks([1, 2, 5, 10], [1, 2, 5, 10])
    axes.minorticks_off()
    axes.set_xlabel("reach of the window c (words)")
panels[0].set_ylabel("share with the same tag")
panels[1].set_ylabel("same story (times chance)")
panels[0].legend(fontsize=10)
plt.show()

# %% [markdown]
# The bands are three seeds. The wider the window, the fewer of a word's nearest neighbours have its tag, and the more often they share its
# stories. With windows of 1 and 2 the ratio is even a little *below* chance for $A$ and $B$, probably because near words are then those that can replace each
# other, such as two names, and a story that has the one does not need the other.
#
# Durrett's lecture calls $B$ "also usable", and indeed it does about as well as $A$. The sum $A + B$ is another matter. The product of two sums, $(a_i + b_i)
# \cdot (a_j + b_j)$, contains $a_i \cdot b_j$ and $b_i \cdot a_j$, and these are large for words that stand *beside each other*. So from $c = 5$ on the sum
# finds more words of the same topic; with windows of 1 and 2 its ratio is near chance.

# %% [markdown]
# ## 16. Pieces of words
#
# All words seen fewer than 20 times share the vector of `<UNK>`, slips of the pen included. But the letters of
# *chikcen* say a lot. **FastText** (P. Bojanowski and others, 2017) adds up vectors of **pieces**: put `<` before and
# `>` after the word and take all stretches of some lengths. The marks tell ends from middles: `ed>` is not the `ed`
# of *edge*.

# %% [markdown] statement="pieces"
# ### A vector for any word
#
# Write
#
# - `pieces(word, low, high)`: the list, in any order, of all pieces with `low` to `high` characters of the marked
#   word; marks are characters too, and a piece that occurs twice is listed twice;
# - `compose(word, Z, low, high)`: the sum of the vectors of the word's pieces in the dictionary `Z`, piece to array
#   $(d,)$. A piece that occurs twice counts twice.

# %% [markdown] hints="pieces"
# 1. Write the marked word `<tea>` on paper. How many pieces of three characters has it, how many of four, of five, of
#    six?
# 2. A piece is fixed by where it begins and how long it is. At which places can a piece of length $n$ begin?
# 3. Start the sum with zeros: any vector in `Z` tells how many.


# %% task="pieces" points=3 level=1 minutes=12
def pieces(word, low, high):
    """All stretches of low to high characters of <word>, none of a length that it is too short for.

    The word may be empty.
    """
    ### BEGIN SOLUTION
    marked = f"<{word}>"
    return [
        marked[t : t + n]
        for n in range(low, high + 1)
        for t in range(len(marked) - n + 1)
    ]
    ### END SOLUTION


def compose(word, Z, low, high):
    """The sum (d,) of the vectors of the word's pieces in Z (never empty); zeros if Z has none of them."""
    ### BEGIN SOLUTION
    total = np.zeros(len(next(iter(Z.values()))))
    for piece in pieces(word, low, high):
        if piece in Z:
            total = total + Z[piece]
    return total
    ### END SOLUTION


# %% test="pieces" aspect="stretches of every length" points=1
_got = pieces("tea", 3, 4)
assert hasattr(_got, "__len__") and not isinstance(_got, str), (
    f"pieces returns a list; yours: {_got!r}."
)
assert sorted(_got) == ["<te", "<tea", "ea>", "tea", "tea>"], (
    f"<tea> has three pieces of 3 characters and two of 4; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_word = made(
    lambda rng, n: "".join(rng.sample("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN", n)),
    size("n", least=0),
    edges=["Tom", "thé", "-tea-tea-", "tea-pot", "Größe", "<UNK>"],
)
_low = whole(1, 5)
_high = made(
    lambda rng, low: low + rng.randint(1, 3), _low, edges=[lambda rng, low: low]
)
agrees(
    pieces,
    ours.pieces,
    _word,
    _low,
    _high,
    by=lambda function, *of: sorted(function(*of)),
)
### END HIDDEN TESTS

# %% test="pieces" aspect="short words and repeated pieces" points=1
_got = pieces("banana", 3, 3)
assert hasattr(_got, "__len__") and sorted(_got) == sorted(
    ["<ba", "ban", "ana", "nan", "ana", "na>"]
), f"banana has the piece ana twice; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_word = made(lambda rng, n: "".join(rng.choices("ab", k=n)), size("n"), edges=["a"])
_low = whole(1, 6)
_high = made(lambda rng, low: low + rng.randint(0, 3), _low)
for _inputs in ((_word, _low, _high), ("a", 4, 6)):
    agrees(
        pieces, ours.pieces, *_inputs, by=lambda function, *of: sorted(function(*of))
    )
_Z = {"ana": np.array([1.0, 10.0]), "na>": np.array([100.0, 0.0])}
agrees(compose, ours.compose, choice("banana", "anana", "ban"), _Z, 3, choice(3, 4))
### END HIDDEN TESTS

# %% test="pieces" aspect="the sum of known pieces" points=1
_Z = {
    "<te": np.array([1.0, 2.0]),
    "ea>": np.array([10.0, 0.0]),
    "xyz": np.array([5.0, 5.0]),
}
_got = compose("tea", dict(_Z), 3, 4)
assert np.shape(_got) == (2,), f"A vector of d = 2 numbers wanted; yours: {_got!r}."
assert close(_got, [11, 2]), (
    f"<tea> has <te and ea>, not xyz: (11, 2); yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_word = made(
    lambda rng, n: "".join(rng.sample("abcdefghijklm", n)), size("n", large=12)
)
_Z = made(
    lambda rng, word, d: (
        {
            f"<{word}>"[t : t + n]: np.array([rng.gauss(0, 1) for _ in range(d)])
            for t in range(len(word) + 2)
            for n in range(1, 6)
            if rng.random() < 0.5
        }
        | {"qqq": np.ones(d)}
    ),
    _word,
    size("d"),
    edges=[lambda rng, word, d: {"qqq": np.ones(d)}],
)
_low = whole(1, 4)
_high = made(lambda rng, low: low + rng.randint(0, 2), _low)
agrees(compose, ours.compose, _word, _Z, _low, _high, rtol=1e-6, atol=1e-8)
### END HIDDEN TESTS

# %% [markdown]
# Recorded: the training of section 10 on a million words, each vector such a sum (3 to 4 characters). Slips and rare
# words get a vector too:

# %%
stored = np.load(paths.DATA / "vectors" / "pieces.npz")
Z = dict(zip(stored["pieces"].tolist(), stored["Z"].astype(float), strict=True))
spelt = np.array([compose(word, Z, 3, 4) for word in words_1m[1:]])
for word in ("chikcen", "gaurds", "singger", "reserve", "forests", "koltovar"):
    near = nearest(np.vstack([compose(word, Z, 3, 4), spelt]), 0, 5)
    seen_here = "known" if word in place else "not known"
    print(f"{word:10} ({seen_here}):", ", ".join(words_1m[j] for j in near))

# %%
recorded = pd.read_csv(paths.DATA / "vectors" / "pieces.csv")
tables = recorded.groupby("table")  # learned, random
shown = pd.DataFrame(index=[*tables.groups, "chance"])
shown["slips: nearest is the word"] = [*span(tables, "typos_right"), "0%"]
for tag, name in (("NOUN", "new nouns"), ("PROPN", "new names"), ("VERB", "new verbs")):
    chance = recorded[f"{tag}_chance"].mean()
    shown[name] = [*span(tables, f"{tag}_same_tag"), f"{chance:.0%}"]
shown

# %% [markdown]
# Read the columns of new words first (three seeds; *chance* is the share of known words with that tag). These words have never been seen, so all that
# the vectors can use is their spelling. For a new name, nearly nine of the ten nearest words are names, and for a new verb two
# thirds are verbs. With random vectors of pieces it is about a third, so the training has taught the pieces something: that
# *ed>* belongs to verbs, for example. (There are only 17 new verbs, so do not trust the last digit.) For new nouns it taught nothing:
# all but one of them are coined spices, such as *tilundi*, and only two spices are frequent enough to be among the known words, too few
# to learn the endings from.
#
# With slips it is the other way round, and that is the surprise. Random pieces find the right word *more* often than learned ones. To find a misspelt word,
# mere similarity of spelling is the better of the two. Learned vectors also pull together words that are used alike, and so another word may come closer.
#
# English has few endings. In languages with many forms for each word, as Turkish or Finnish, pieces matter far more, and that is
# what FastText was made for.
