# %% [markdown]
# ## 17. One vector for each word, and what to do with it
#
# *increase* is a noun in "a salary increase" and a verb in "please increase the volume", with one vector, however it
# was made. What can the best function of the word alone reach, on the text itself?

# %%
best = sum(max(found.values()) for found in tags_seen.values())
total = sum(found.total() for found in tags_seen.values())
print(f"{total:,} tokens, {best / total:.1%} right at best")

# %% [markdown]
# No training lifts this ceiling, because the layer must see neighbours to do better (chapter 04).
#
# Below it, the question is how to use vectors in a task with few labels. A linear layer names the tag of a token from the vector of
# its word. We can leave the vectors **frozen** and train the layer only, or let the loss of the task move the vectors as
# well. If they were trained before, that is called **fine-tuning**.
#
# This comparison is easily made unfair. The layer begins at zero and needs large steps; vectors that took a million words to learn do not. So the vectors get
# a learning rate of their own, and we try five, besides *frozen*. For each of these, the layer's rate and the step at which to stop (*early stopping*) are
# chosen on one half of the validation text. The other half gives the number that you see. We recorded this for 50, 200 and 1,000 labelled tokens, with random
# vectors and with trained ones. Each number is the mean of 15 runs: three trainings of the vectors, each with five draws of the labelled tokens. *Predict:*
# which rate wins?

# %%
used = pd.read_csv(paths.DATA / "vectors" / "ways.csv")
keys = ["start", "examples", "rate"]
levels = 100 * used.groupby(keys)[["right", "right_new_words"]].mean()
levels.columns = ["right (%)", "words without a label (%)"]
shown = levels.unstack("rate")[[(c, r) for c in levels for r in (0.0, 0.001, 0.03)]]
shown.rename(columns={0.0: "frozen"}).round(1)


# %% alt="Tags gained by moving the vectors. Random vectors gain about ten points with 1,000 labels and nothing with fewer; trained vectors gain nothing, and lose more the larger the learning rate."
def gain(start):
    """Right tags gained by moving the vectors (percentage points): a row for each draw, a column for each rate."""
    some = used[used.start == start]
    right = some.set_index(["examples", "seed", "draw", "rate"]).right.unstack()
    return 100 * right.sub(right[0.0], axis=0).drop(columns=0.0)


_, panels = plt.subplots(1, 2, figsize=(9, 3.6))
titles = (
    "Random vectors should move, given labels ...",
    "... trained ones had better stay",
)
for axes, start, title in zip(panels, ("random", "word vectors"), titles, strict=True):
    for shift, (examples, found) in enumerate(gain(start).groupby("examples")):
        places = np.arange(5) + 0.15 * (shift - 1)
        axes.errorbar(
            places,
            found.mean(),
            found.std(),
            fmt="osv"[shift],
            label=f"{examples} labels",
        )
    axes.axhline(0, color="black", linestyle=":", linewidth=1)
    axes.set_xticks(range(5), found.columns)
    axes.set_xlabel("learning rate of the vectors")
    axes.set_title(title, loc="left", fontsize=11)
panels[0].set_ylabel("right tags gained over frozen\n(percentage points)")
panels[0].legend(fontsize=10)
plt.show()

# %%
for examples, found in gain("word vectors").groupby("examples"):
    best = found.mean().idxmax()
    error = found[best].std() / math.sqrt(len(found))
    print(
        f"{examples} labels: best rate {best}, gain {found[best].mean():+.2f} ± {error:.2f}"
    )

# %% [markdown]
# The table has the levels, with the vectors frozen and moved at two of the rates; the figure has the differences to *frozen* (mean and standard
# deviation over 15 runs; mind the two scales). The first thing to see in the table is that trained vectors are far ahead, most of all on words
# without a label, about which random vectors know nothing.
#
# Random vectors gain a lot from moving once there are 1,000 labels. Trained ones gain nothing. At a small rate, moving them is about as good as freezing. We
# even let them cheat: we picked the best rate on the very half that gives the numbers, and still they gain nothing to speak of, as printed. At the largest
# rate, 0.03, moving costs more than a point. The table shows where: words without a label lose most. That fits a simple picture. Labelled words move, the
# layer follows them, and words without a label stay where they were. (The table does not show whether the labelled words gain.)
#
# So with few labels freezing is safe, and fine-tuning needs a small rate. Durrett's lecture says that nearly all transfer fine-tunes. What would more labels change?

# %% [markdown] statement="freeze_or_tune"
# #### A million labels
#
# With a million labelled tokens instead of 1,000, would you still freeze the vectors? Argue from what fine-tuning
# does to words with and without labels, and name a measurement that would change your mind.

# %% [markdown] written="freeze_or_tune" points=3 minutes=5
# ### BEGIN SOLUTION
# **Rubric.** 1 point: the mechanism. Fine-tuning moves the vectors of labelled words only; words without a label stay
# behind, and the layer now fits the moved ones. 1 point: a decision that follows for a million: hardly a frequent
# word is left without a label, so little is left behind and tuning may pay. ("Still freeze" earns it too, if argued:
# for the rare and new words, or since a tagger of single words stays below 94.7 % right in any case.) 1 point: a
# measurement that could go either way: both ways at a million, on new text, several draws or seeds, best with words
# without a label apart.
#
# No point for "more data is always better for fine-tuning". A usual wrong idea: the figure settles it for any number of
# labels; it was measured at 50 to 1,000.
#
# **Sample, 3 points.** With 1,000 tokens many words have no label. Fine-tuning pulls the labelled ones away, their
# old neighbours stay where they were and get wrong tags. With a million tokens nearly each of the 1,212 words has
# many labels, so almost nobody is left behind, and I would fine-tune. I would train both ways on several draws and
# look at all tokens and at words without a label; if frozen still wins on both, I was wrong.
#
# **Sample, 2 points.** I would fine-tune. The problem with few labels is that only the labelled words move. With a
# million labels nearly all words move together, so that the problem is gone. Durrett's lecture also says that nearly all
# transfer is fine-tuned.
#
# **Sample, 0 points.** Freeze, because no rate was better than frozen, with 50, 200 and 1,000 tokens. That is clear
# enough, and frozen vectors also train faster.
# ### END SOLUTION

# %% [markdown] statement="mean_attention"
# ### The vector of a text
#
# The plainest vector of a text is the mean of its words' vectors; a network on top is a *deep averaging network* (M.
# Iyyer and others, 2015). Each of $T$ words has weight $1/T$. Let scores $y$, $(T,)$, set the weights instead:
# $\sum_t \text{softmax}(y)_t\, X_{t:}$, with the word vectors as rows of $X$. That is **attention**, which chapter 06
# builds. Write
#
# - `text_means(texts, A)`: for a list of texts, each a list of word numbers, the means of their rows of the array $A$
#   of floats, shape $(n, d)$; zeros for a text without words;
# - `attend(y, X)`: this weighted mean, $(d,)$, for arrays $y$ and $X$, $(T, d)$. Scores of several thousand must not
#   overflow.

# %% [markdown] hints="mean_attention"
# 1. On paper: `0 0 1 0` with one-hot vectors. What is the mean; what does `attend` give for four equal scores?
# 2. What does the mean of no rows give in NumPy? Treat that text first.
# 3. A softmax does not change if you subtract the same number from all scores. Which number keeps every exponent at
#    or below zero?


# %% task="mean_attention" points=3 level=1 minutes=12
def text_means(texts, A):
    """Array (n, d): the mean of the rows of A (V, d) of each text, a list of numbers; zeros if it is empty."""
    ### BEGIN SOLUTION
    means = np.zeros((len(texts), A.shape[1]))
    for row, text in enumerate(texts):
        if len(text):
            means[row] = A[list(text)].mean(0)
    return means
    ### END SOLUTION


def attend(y, X):
    """The mean (d,) of the rows of X (T, d), weighted with the softmax of the scores y (T,).

    A score of -inf gives weight 0; one at least is finite.
    """
    ### BEGIN SOLUTION
    weights = np.exp(y - y.max())
    return weights @ X / weights.sum()
    ### END SOLUTION


# %% test="mean_attention" aspect="the mean of each text" points=1
_A = np.array([[1.0, 0.0], [0.0, 1.0], [4.0, 4.0]])
_got = text_means([[0, 0, 1, 0], [2]], _A.copy())
assert np.shape(_got) == (2, 2), (
    f"Two texts, d = 2: shape (2, 2) wanted; yours: {_got!r}."
)
assert close(_got, [[0.75, 0.25], [4, 4]], 1e-5), (
    f"0 0 1 0 with one-hot vectors: (0.75, 0.25); yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_V = size("V")
_texts = made(
    lambda rng, V, n: [rng.choices(range(V), k=rng.randint(1, 7)) for _ in range(n)],
    _V,
    size("texts"),
    edges=[lambda rng, V, n: [rng.choices(range(V), k=1000), [V - 1] * 2]],
)
agrees(text_means, ours.text_means, _texts, array(_V, size("d")), rtol=1e-5, atol=1e-7)
agrees(text_means, ours.text_means, [[0], [1]], np.array([[1e17], [1.0]]))
### END HIDDEN TESTS

# %% test="mean_attention" aspect="weights from scores" points=1
_X = np.array([[1.0, 0.0], [0.0, 1.0]])
_got = attend(np.array([0.0, math.log(3)]), _X.copy())
assert np.shape(_got) == (2,), f"A vector of d = 2 numbers wanted; yours: {_got!r}."
assert close(_got, [0.25, 0.75], 1e-5), (
    f"Scores 0 and ln 3: weights 1/4 and 3/4; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_T = size("T")
_y, _X = array(_T, scale=2), array(_T, size("d"))
agrees(attend, ours.attend, _y, _X, rtol=1e-5, atol=1e-7)
### END HIDDEN TESTS

# %% test="mean_attention" aspect="no words, and scores far out" points=1
_got = text_means([[], [1, 1]], np.array([[1.0, 2.0], [3.0, 4.0]]))
assert np.shape(_got) == (2, 2), (
    f"Two texts, d = 2: shape (2, 2) wanted; yours: {_got!r}."
)
assert close(_got, [[0, 0], [3, 4]]), (
    f"A text without words has zeros; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_V, _T = size("V"), size("T")
_texts = made(
    lambda rng, V, n: [rng.choices(range(V), k=rng.randint(0, 1)) for _ in range(n)],
    _V,
    size("texts"),
    edges=[[[]], [[], [0], []]],
)
agrees(text_means, ours.text_means, _texts, array(_V, size("d")), rtol=1e-5, atol=1e-7)
_y = made(
    lambda rng, T: np.array(
        [rng.choice([-5000, 0, 4000]) + rng.random()]
        + [rng.choice([-math.inf, -5000, 0, 4000]) + rng.random() for _ in range(T - 1)]
    ),
    _T,
    edges=[lambda rng, T: np.array([-5000.0] + [-math.inf] * (T - 1))],
)
agrees(attend, ours.attend, _y, array(_T, size("d")), rtol=1e-6, atol=1e-9)
_y, _X = np.array([0.0, -40.0]), np.array([[0.0], [math.exp(40)]])
agrees(attend, ours.attend, _y, _X)  # a small weight, a large number
### END HIDDEN TESTS

# %%
fox_words = sorted(set(fox.splits["train"][0]))
two = [[fox_words.index(w) for w in story] for story in fox.splits["train"][:2]]
table = np.random.default_rng(1).normal(size=(9, 3))
print("means:", text_means(two, table).round(3).tolist())
one_hots = F.one_hot(torch.tensor(two), 9).reshape(2, -1)
print("end to end:", tuple(one_hots.shape), "numbers, ones:", one_hots.sum(1).tolist())
print("the same end to end?", bool((one_hots[0] == one_hots[1]).all()))

# %% [markdown]
# A mean is the count vector of section 1 times $A$, divided by $T$: the two sentences coincide again. To keep the
# order, put vectors *end to end*: as one-hots, $T$ words become $TV$ numbers with $T$ ones. There chapter 04 begins.

# %% [markdown]
# ## What you can do now
#
# You have made word vectors in three ways: by counting and factoring a table, by guessing neighbours, and by fitting the logarithms of counts. They are close
# relatives: each fits products of short vectors to logarithms of how often words meet. You also know how to examine such vectors, and how not to be fooled:
# by pairs that met by chance, by dot products where lengths only say how frequent a word is, by parallel lines without a control, and by a comparison in
# which only one side was tuned.
#
# A warning for when you use vectors of real text. They learn whatever company words keep, and so they also learn the prejudices of those who wrote it (A.
# Caliskan and others, 2017, measured it with controls. Names of women, for example, stand nearer to words about families, and names of men nearer to words
# about careers.)
#
# What is still missing? Each word has one vector, the same in every sentence, and *increase* is a noun in one and a verb in another.
# To tell them apart, a network must look at the neighbours of *this* occurrence. That is chapter 04.
#
# *Also used:* C. Dyer's notes on NCE (2014).
