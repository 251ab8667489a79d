# %% [markdown]
# ## 9. Any length, three discounts
#
# For trigrams, the shorter memory is a bigram model, and it too should count *different* words to the left, that is, $N_{1+}(\cdot\,w_1 w_2)$. So go down the
# ladder step by step. The trigram level counts tokens. What it frees goes to the bigram level, which counts different words to the left. What the bigrams
# free goes to the unigram level, which does the same. And what the unigrams free goes to $1/V$. Only the longest n-grams count tokens (and, as you will see
# below, those that begin with `<s>`).
#
# `NgramCounts` numbers the different n-grams of each length, in sorted order. `counts[2]` is a dict of arrays with one entry for each bigram. Here it is for
# the toy text. (The drawing shows six of the twelve 1-grams and four of the bigrams. The printed table counts them all, so that *panisse* is number 7 there.)

# %% folded="draws the two tables" alt="Bigrams in the middle, words on the left. From each bigram one arrow leads to its context and one to its shorter form; columns on the right show its count and how many words were seen to its left."
drawings.ngram_tables()

# %%
toy_levels = ngrams.NgramCounts(toy, 3)
names = [*toy_levels.vocabulary, "<s>"]
pair_table = pd.DataFrame(toy_levels[2])
pair_table.index = [
    f"{names[h]} {names[w]}" for h, w in pair_table[["context", "word"]].to_numpy()
]
print(dict(enumerate(names)))
print(pair_table.loc[["at chez", "chez panisse", "thai food", "food </s>"]].to_string())

# %% [markdown]
# How to read an entry, say *chez panisse*:
#
# - `count`: the pair occurs 3 times. `left`: it stands after three different symbols, *at*, *is* and `<s>`. This is $N_{1+}(\cdot\,g)$ for the n-gram $g$.
#   (There is one exception. An n-gram that begins with `<s>` has nothing to its left. For it, `left` repeats `count`.)
# - `context`: the *number*, or index, that its first part, *chez*, has among the n-grams one shorter.
# - `shorter`: the number of its last part, *panisse*, that is, of the n-gram without its first word. There its $P(w \mid h')$ is found.
#
# So if `lower` holds a probability for each 1-gram, `lower[shorter]` is an array with one entry for each bigram: its $P(w \mid h')$, all at once.

# %% [markdown]
# S. Chen and J. Goodman (1998) measured what several discounts bring: different ones for the counts 1, 2 and *3 or
# more*. This is **modified Kneser-Ney**, long the standard among models that only count. For an n-gram with count $c$
# and its context's $n$,
#
# $$D_j = j - (j+1)\, Y\, \frac{N_{j+1}}{N_j} \quad\text{with } Y = \frac{N_1}{N_1 + 2 N_2},$$
#
# $$P(w \mid h) = \frac{c - D_{\min(c, 3)}}{n} + \lambda(h)\, P(w \mid h'), \qquad \lambda(h) = \frac{1}{n} \sum_w D_{\min(c, 3)}$$
#
# with $D_0 = 0$. Each level has discounts of its own. There, $N_j$ says how many of its n-grams have $c = j$, where $c$ is `count` at the top and `left` at
# the levels below. For $j = 1$ the formula gives $D_1 = Y$: the $k$ of section 6. And $D_3$, which is computed from $N_3$, $N_4$ and the factor $Y$, is taken
# from *every* count of 3 or more.

# %% [markdown]
# <details><summary>Where the three discounts come from</summary>
#
# Take section 6 again, with a discount for each count. Leave out one token of a pair with count $j + 1$. The rest has the pair $j$ times, so its probability
# is proportional to $j - D_j$. A singleton is new to the rest. Its probability is proportional to what is freed. For this we take the total of all contexts,
# $M = \sum_j D_j N_j$, which is an approximation. So $F = N_1 \ln M + \sum_j (j+1) N_{j+1} \ln(j - D_j)$. Its derivative by $D_j$ is 0 where $N_1 N_j / M =
# (j+1) N_{j+1} / (j - D_j)$, that is, $D_j = j - (j+1)\,(M/N_1)\,N_{j+1}/N_j$. The factor $M/N_1$ is the same for all $j$. Chen and Goodman take for it the
# $Y$ of the simplest case.
#
# But the factor can also be worked out. Call it $f$. Then $D_j = j - f c^*(j)$, with Turing's $c^*(j) = (j+1) N_{j+1}/N_j$ of section 4. Added up over all
# pairs, this gives $M = \sum_j D_j N_j = N - f\,(N - N_1)$. Since $M = f N_1$, it follows that $f = 1$. So if every count has a discount of its own, leaving
# one out gives Turing's result again: $D_j = j - c^*(j)$. $Y$ is smaller than 1, so the discounts of Chen and Goodman take *more* than that. Section 14
# measures whether this is wise.
#
# </details>

# %% [markdown] statement="modified_kneser_ney"
# ### Modified Kneser-Ney
#
# This is the hardest task of the chapter, so we say beforehand what it will bring. On the two texts of section 14 three discounts do *not* pay: the model
# loses by a hair to plain Kneser-Ney with its one discount. There you will also find the reason, in the formula for $D_j$ itself. In section 15 the model
# wins at both ends: bigrams gain with a few thousand tokens, and long contexts gain with hundreds of thousands. You will have built the method that the tools
# use.
#
# - `three_discounts(c)`: $[0, D_1, D_2, D_3]$ from an array of counts, or $[0, .5, 1, 1.5]$ if $N_1$, $N_2$ or $N_3$ is 0 or a $D_j < 0$
#   ($N_4$ may be 0);
# - `smooth_level(c, context, shorter, lower)`: one level, as two arrays: $P$ of each n-gram, and $\lambda$ of each context. `lower` holds $P$ of each n-gram
#   that is one word shorter, and both `context` and `shorter` are indices into it. Return a $\lambda$ for all `len(lower)` of these shorter n-grams. Some of
#   them were never followed by anything, such as one that ends in `</s>`. These have $n = 0$, and their $\lambda$ is 1;
# - `kneser_ney(levels, V)`: a list of such pairs, shortest n-grams first. `levels` is a list of dicts as above; $c$ is `count` for the longest n-grams, else `left`.

# %% [markdown] hints="modified_kneser_ney"
# 1. `np.bincount` does most of the work: it counts how many n-grams have count $j$, and with `weights` it sums something over all
#    n-grams of one context. `minlength` gives those without any a place.
# 2. $n$ is the sum of $c$ over a context; $\lambda$ is the sum of what was taken there, divided by $n$. An array indexed by an array
#    picks for each n-gram its discount, its context's $n$, its shorter self's probability.
# 3. The levels come shortest first. Below the 1-grams there is one context, the empty one, and one probability, $1/V$. What a
#    level finds is what the next one calls `lower`.


# %% task="modified_kneser_ney" points=5 level=4 minutes=45
def three_discounts(c):
    """[0, D1, D2, D3] from an array of counts; zeros among them do not matter."""
    ### BEGIN SOLUTION
    n = np.bincount(np.minimum(c, 5), minlength=6)
    j = np.arange(1, 4)
    with np.errstate(
        divide="ignore", invalid="ignore"
    ):  # what cannot be divided fails the test below
        D = j - (j + 1) * n[1] / (n[1] + 2 * n[2]) * n[j + 1] / n[j]
    return np.array([0, *D]) if np.all(D >= 0) else np.array([0, 0.5, 1, 1.5])
    ### END SOLUTION


def smooth_level(c, context, shorter, lower):
    """(P, lambda): P of each n-gram, shape [G]; lambda of each context, shape [G'] like lower, P of each (n-1)-gram."""
    ### BEGIN SOLUTION
    taken = three_discounts(c)[np.minimum(c, 3)]
    n = np.bincount(context, weights=c, minlength=len(lower))
    weight = np.bincount(context, weights=taken, minlength=len(lower))
    weight = np.where(n > 0, weight / np.maximum(n, 1), 1)
    return (c - taken) / n[context] + weight[context] * lower[shorter], weight
    ### END SOLUTION


def kneser_ney(levels, V):
    """[(P, lambda), ...] for 1-grams, 2-grams, ...; levels: dicts with count, context, shorter and (but the last) left."""
    ### BEGIN SOLUTION
    lower, tables = np.array([1 / V]), []
    for level in levels:
        c = level["count"] if level is levels[-1] else level["left"]
        tables.append(smooth_level(c, level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    return tables
    ### END SOLUTION


# %% family="modified_kneser_ney"
def _level(c, context, shorter, lower):
    """One level with the student's discounts, which another test checks."""
    taken = np.asarray(three_discounts(c.copy()), dtype=float)[np.minimum(c, 3)]
    n, free = (np.bincount(context, x, minlength=len(lower)) for x in (c, taken))
    weight = np.where(n > 0, free / np.maximum(n, 1), 1)
    return (c - taken) / n[context] + weight[context] * lower[shorter], weight


def _model(levels, V):
    lower, tables = np.array([1 / V]), []
    for level in levels:
        c = level["count"] if level is levels[-1] else level["left"]
        tables.append(_level(c, level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    return tables


# %% test="modified_kneser_ney" aspect="three discounts" points=1
_got = three_discounts(np.repeat([0, 1, 2, 3, 4, 9], [3, 20, 8, 5, 3, 2]))
assert np.shape(_got) == (4,), (
    f"Return an array of four numbers, the first 0; yours: {_got!r}."
)
_wanted = [0, 1 - 2 * 5 / 9 * 8 / 20, 2 - 3 * 5 / 9 * 5 / 8, 3 - 4 * 5 / 9 * 3 / 5]
assert close(_got, _wanted), (
    f"20, 8, 5, 3 n-grams of count 1 to 4: {np.round(_wanted, 4)}; yours: {_got!r}."
)


### BEGIN HIDDEN TESTS
def _mixed(rng, N):
    c = np.repeat([0, 1, 2, 3, 4, 5, 8], [rng.randint(0, 3), *N, 2, 1])
    return c[rng.sample(range(len(c)), len(c))]


def _many(rng):
    """N_1 to N_4 with which no D is 0, be it by rounding only."""
    N = [rng.randint(*ends) for ends in ((5, 30), (3, 15), (1, 9), (0, 6))]
    D = [j * (N[0] + 2 * N[1]) * N[j - 1] - (j + 1) * N[0] * N[j] for j in (1, 2, 3)]
    return N if all(D) else _many(rng)


_N = choice(
    *(made(_many), [8, 4, 2, 3], [5, 5, 5, 0]),  # the formula holds, also with a D of 0
    *(
        [0, 5, 5, 5],
        [5, 0, 5, 5],
        [20, 9, 0, 0],
        [5, 9, 60, 9],
        [9, 5, 1, 9],
        [7, 0, 0, 0],
    ),
)
for _some in (made(_mixed, _N), made(_mixed, made(_many))):
    agrees(three_discounts, ours.three_discounts, _some, rtol=1e-5, atol=1e-7)
### END HIDDEN TESTS


# %% test="modified_kneser_ney" aspect="one level sums to one" points=2
_c, _context, _shorter = (
    np.array([1, 3, 3, 5, 5]),
    np.array([0, 0, 1, 1, 3]),
    np.array([0, 1, 0, 2, 2]),
)
_got = smooth_level(_c, _context, _shorter, np.array([0.4, 0.3, 0.2, 0.1]))
assert hasattr(_got, "__len__") and len(_got) == 2, (
    f"Return two arrays, P and lambda; yours: {_got!r}."
)
assert close(_got[1], [0.5, 0.375, 1, 0.3]), (
    f"With .5, 1, 1.5 the four contexts give away 2 of 4, 3 of 8, 1 (no counts) and 1.5 of 5; your lambda: {_got[1]}."
)


### BEGIN HIDDEN TESTS
def _grams(rng, V):
    """Counts, contexts and shorter forms: a context seen just once, one never, n-grams with count 0."""
    C = np.reshape(rng.choices([0, 0, 1, 1, 2, 3, 8], k=V * V), (V, V))
    C[0], C[0, -1] = 0, 1
    C[V // 2 :, 0] += 4
    C[-1] *= V == 1
    is_listed = C > 0
    is_listed[V // 2 : -1, :2] = True
    return C[is_listed], *np.nonzero(is_listed)


def _of_grams(function, grams, lower):
    return function(*grams, np.array(lower))


_V = size("contexts", large=20)
_inputs = made(_grams, _V), shares(_V)
agrees(smooth_level, _level, *_inputs, by=_of_grams, rtol=1e-5, atol=1e-7)
_grams = [
    np.array(some) for some in ([1, 3, 3, 5, 5], [0, 1, 3, 0, 1], [0, 1, 0, 2, 2])
]
_inputs = _grams, choice([0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4])  # the same n-grams
agrees(smooth_level, _level, *_inputs, by=_of_grams, mixtures=0, rtol=1e-5)
### END HIDDEN TESTS


# %% test="modified_kneser_ney" aspect="continuation counts below the top" points=2
_levels = ngrams.NgramCounts([["a", "b"], ["b", "b"], ["c", "b"], ["c", "b"]], 3)
_got = kneser_ney(_levels.levels, len(_levels.vocabulary))
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return a list of three pairs for n = 1, 2, 3; yours: {_got!r}."
)
_b, _UNK = (float(_got[0][0][_levels.index[word]]) for word in ("b", "<UNK>"))
assert close(_UNK, 3 / 35), (
    f"1-grams: n = 7, 3 are taken, V = 5: 3/7 times 1/5 for <UNK>; yours: {_UNK:.4f}."
)
assert close(_b, 2.5 / 7 + 3 / 35), (
    f"`b` stands after 4 different words: (4 - 1.5) / 7 + 3/35; yours: {_b:.4f}."
)


### BEGIN HIDDEN TESTS
def _levels(rng, n, order):
    text = [rng.choices("aabbbcd", k=rng.randint(1, 6)) for _ in range(n)]
    return ngrams.NgramCounts(text, order, [*"abcd", "<UNK>", "</s>"]).levels


_some = made(_levels, size("sentences", large=60), whole(1, 4, [2, 3]))
agrees(kneser_ney, _model, _some, 6, mixtures=2, rtol=1e-5, atol=1e-7)
_same = _levels(random.Random(), 9, 3)  # with other V
agrees(kneser_ney, _model, _same, choice(6, 9), mixtures=0, rtol=1e-5, atol=1e-7)
### END HIDDEN TESTS


# %%
def fit_kneser_ney(sentences, n):
    """A modified Kneser-Ney model of order n, made of your tables."""
    counts = ngrams.NgramCounts(sentences, n)
    P, weights = zip(*kneser_ney(counts.levels, len(counts.vocabulary)), strict=True)
    return ngrams.BackoffModel(counts, P, weights)


orders = range(1, 6)
kn_models = [fit_kneser_ney(train_sentences, n) for n in orders]
print(
    "sums:",
    kn_models[-1]
    .mass([("<s>",), ("i", "want"), ("thai", "food", "please"), ("chez",)])
    .round(6),
)

# %%
count_models = [
    ngrams.RowModel(kn.counts, lambda row, lower: row / max(row.sum(), 1))
    for kn in kn_models
]
impossible = {
    name: [np.mean(np.isinf(model.score(new_sentences))) for model in series]
    for name, series in {
        "P = 0, counts alone": count_models,
        "P = 0, smoothed": kn_models,
    }.items()
}
blocked = pd.DataFrame(impossible, orders).rename_axis("order")
print(blocked.map("{:.1%}".format).to_string())

# %% [markdown]
# Durrett's lecture warns that smoothing matters most for "4+ grams", and the table agrees: counts alone call 1 % of the next
# words impossible at order 1, and 37 % at order 5.
#
# Are your functions right? KenLM is a widely used tool for such models (its command `lmplz -o 3` makes a modified Kneser-Ney model of order 3). On a text of
# 30,000 words made by a program, KenLM printed a perplexity of 821.4746 with trigrams, and the reference answer gets the same in all these digits (a test of
# this course, `test_perplexity_of_kenlm`, compares them at orders 2, 3 and 5).
