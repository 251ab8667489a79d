# %% [markdown]
# ## 2. Pay for what was not said
#
# `<UNK>` is a promise, not a prediction: the model still has to say *which* unknown word it was. If there are $U$ unknown words and it has no preference
# among them, that takes another $\ln U$ nats for each `<UNK>`. That is a fair price for a model that says nothing more about its unknown words. (In the cell
# above, `kinds` is this $U$. It counts every word of the training *and the test* text that is not among the `size` known ones. A real model has not seen the
# test text, so for it even $U$ is a guess.)
#
# Sums of bits over the same text can always be compared. Means can be, once all of them divide by the same number. We take the number of words, which does not depend on how a model cuts its tokens:

# %% [markdown] statement="bits_per_word"
# $$\text{bits per word} = \frac{-\sum_i \ln P(w_i) + n_{\text{UNK}} \ln U}{\ln 2 \cdot n_{\text{words}}}$$
#
# `bits_per_word(ln_p, tokens, kinds)` computes it from $\ln P$ of $N$ tokens $[N]$, the tokens, and $U$ (0 if no word is unknown). The sum over all $N$ tokens includes the cost of every `</s>`, but $n_{\text{words}}$ does not count them; $n_{\text{UNK}}$ is the number of `<UNK>`, and each of these is a word.

# %% [markdown] hints="bits_per_word"
# 1. Above the line: what the whole text costs. Below it: how many words it has.
# 2. Which tokens are words? What is to be paid if no word is unknown and $U$ is 0?
# 3. Count the `<UNK>` first; only if there is one, its price is needed. Bits are nats divided by $\ln 2$.


# %% task="bits_per_word" points=3 level=1 minutes=8
def bits_per_word(ln_p, tokens, kinds):
    """All bits of a text, those for naming unknown words too, per word (</s> is none)."""
    ### BEGIN SOLUTION
    unknown = list(tokens).count("<UNK>")
    total = -np.sum(ln_p) + (unknown * math.log(kinds) if unknown else 0)
    words = sum(token != "</s>" for token in tokens)
    return total / math.log(2) / words
    ### END SOLUTION


# %% test="bits_per_word" aspect="ends cost, and are no words" points=1
_ln_p = np.log([0.5, 0.25, 0.125])
_got = bits_per_word(_ln_p, ["a", "b", "</s>"], 0)
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, 3.0), f"6 bits for the 2 words `a b`: 3 bits a word; yours: {_got}."
### BEGIN HIDDEN TESTS
_tokens = made(
    lambda rng, rest: rng.sample([*rest, "a"], len(rest) + 1),
    words(size("more", least=0), ["a", ".", "let's", "3", "</s>"]),
)
_ln_p = made(
    lambda rng, some: np.array([-9 * rng.random() for _ in some]),
    _tokens,
    edges=[lambda rng, some: np.array([-math.inf] + [-1.0] * (len(some) - 1))],
)
agrees(bits_per_word, ours.bits_per_word, _ln_p, _tokens, 0)
_ln_p, _tokens = np.full(21_000, -1.5), ["a", "b", "</s>"] * 7_000
agrees(bits_per_word, ours.bits_per_word, _ln_p, _tokens, 0, mixtures=0)
### END HIDDEN TESTS

# %% test="bits_per_word" aspect="unknown words must be named" points=1
_got = bits_per_word(np.log([0.5, 0.5]), ["<UNK>", "</s>"], 8)
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, 5.0), (
    f"2 bits, and 3 to say which of 8 words it was: 5; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_tokens = made(
    lambda rng, rest: rng.sample([*rest, "a"], len(rest) + 1),
    words(
        size("more", least=0),
        choice(["<UNK>", "a", "</s>"], ["a", "</s>"], ["<UNK>", "</s>"]),
    ),
)
_ln_p = made(lambda rng, some: np.array([-9 * rng.random() for _ in some]), _tokens)
agrees(bits_per_word, ours.bits_per_word, _ln_p, _tokens, whole(1, 1000, (2,)))
### END HIDDEN TESTS

# %% test="bits_per_word" aspect="arguments stay" points=1
_ln_p, _tokens = np.log([0.5, 0.25]), ["<UNK>", "</s>"]
_after = arguments_after(bits_per_word, _ln_p.copy(), list(_tokens), 4)
assert close(_after[0], np.log([0.5, 0.25])) and list(_after[1]) == _tokens, (
    f"ln_p and tokens should stay as they are; now {_after[0]} and {_after[1]}."
)
### BEGIN HIDDEN TESTS
_tokens = made(
    lambda rng, rest: rng.sample([*rest, "<UNK>"], len(rest) + 1),
    words(size("more", least=0), ["a", "<UNK>"]),
)
_ln_p = made(lambda rng, some: np.array([-9 * rng.random() for _ in some]), _tokens)
agrees(bits_per_word, ours.bits_per_word, _ln_p, _tokens, 8)
### END HIDDEN TESTS

# %% alt="Against the known words, the reported perplexity rises from 8 to 190, while the bits per word, with all paid for, fall from 8.2 to 7.75."
reports = [unigram_report(size) for size in known_sizes]
reported = [np.exp(-ln_p.mean()) for _, ln_p, _ in reports]
paid = [bits_per_word(ln_p, tokens, kinds) for tokens, ln_p, kinds in reports]
_, (left, right) = plt.subplots(1, 2, figsize=(9, 3))
left.plot(known_sizes, reported, "o-")
left.set(xscale="log", xlabel="known words (log)", ylabel="perplexity as reported")
left.set_title("Knowing less looks better …")
right.plot(known_sizes, paid, "o-", color=plots.COLOURS[1])
right.set(xscale="log", xlabel="known words (log)", ylabel="bits per word, all paid")
right.set_title("… until every word is paid for")
plt.show()

# %% [markdown]
# As reported (left), knowing less looks better. Once every model names every word (right), the order is turned round. (Mind the axes: on the left the numbers
# differ by a factor of 27, on the right by less than half a bit.)
#
# This is why all models of our scoreboard share one vocabulary. The few words that are not in it are `<UNK>` for every one of them, so no model gains by it,
# and every model counts every `</s>`.

# %% [markdown]
# ## 3. Three ways, one number
#
# The Transformer beats the LSTM on our 200 stories. Would it on 200 others? Let $d_j$ be the difference of two models on story $j$, in nats per token, and $\bar d$ the mean of these $D$ numbers. Other stories would give another mean; how far such means scatter is the **standard error**.

# %% [markdown] statement="standard_error"
# Get it three ways:
#
# - `by_formula(d)`: $\sqrt{\sum_j (d_j - \bar d)^2 / (D - 1)} \,/\, \sqrt D$;
# - `by_jackknife(d)`: leave out one story at a time. With $\bar d_{-j}$ the mean of the others, and $\bar d_{-\cdot}$ the mean of those means, $\sqrt{\tfrac{D-1}{D} \sum_j (\bar d_{-j} - \bar d_{-\cdot})^2}$;
# - `by_bootstrap(d, draws)`: row $r$ of `draws` $[R, D]$ has the numbers of $D$ stories, drawn with replacement: some come twice, some not at all. Take the mean over each row; the answer is the standard deviation of the $R$ means (divide by $R$).
#
# The formula is special to means. Jackknife and bootstrap only recompute the number on altered data, so they also work where nobody has a formula: for a
# ratio, a correlation, a BLEU score. The bootstrap needs nothing else: it works for almost any number that can be computed again on other stories. The
# jackknife also needs a number that moves smoothly when one story is left out, and a median does not: the cell below the checks shows what happens.

# %% [markdown] hints="standard_error"
# 1. The formula is that of a mean; which `ddof` does the inner root have?
# 2. The mean of the others needs no loop: take $d_j$ away from the sum.
# 3. An array of indices as an index, `d[draws]`, has the shape of the indices. Over which axis is a row's mean?


# %% task="standard_error" points=4 level=2 minutes=14
def by_formula(d):
    """Standard error of the mean of d [D]."""
    ### BEGIN SOLUTION
    return np.std(d, ddof=1) / math.sqrt(len(d))
    ### END SOLUTION


def by_jackknife(d):
    """The same, from the means of all but one of d [D]."""
    ### BEGIN SOLUTION
    D = len(d)
    means = (np.sum(d) - d) / (D - 1)
    return math.sqrt((D - 1) / D * ((means - means.mean()) ** 2).sum())
    ### END SOLUTION


def by_bootstrap(d, draws):
    """The same, as the scatter of the means of d[draws]; draws [R, D] has indices."""
    ### BEGIN SOLUTION
    return d[draws].mean(axis=1).std()
    ### END SOLUTION


# %% test="standard_error" aspect="the formula" points=1
_got = by_formula(np.array([1.0, 3.0]))
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, 1.0), f"1 and 3: deviation √2, by √2: 1; yours: {_got}."
### BEGIN HIDDEN TESTS
_equal = [np.full(D, d) for D, d in ((3, 0.1), (5, 0.7), (6, 1.1), (7, 0.3), (9, 2.7))]
for _d in (array(size("D", 2)), *_equal):
    agrees(by_formula, ours.by_formula, _d, rtol=1e-6, atol=1e-9)
### END HIDDEN TESTS

# %% test="standard_error" aspect="leaving one out" points=1
_got = by_jackknife(np.array([1.0, 3.0]))
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, 1.0), (
    f"The formula gives 1 for 1 and 3, and so should this; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_D = size("D", least=2, large=200)
for _d in (array(_D), array(_D, below=30)):  # numbers, or counts
    agrees(by_jackknife, ours.by_jackknife, _d, rtol=1e-6, atol=1e-9)
### END HIDDEN TESTS

# %% test="standard_error" aspect="drawing with replacement" points=2
_got = by_bootstrap(np.array([1.0, 3.0]), np.array([[0, 0], [1, 1], [0, 1], [1, 0]]))
assert is_number(_got), f"A number is wanted; yours: {_got!r}."
assert close(_got, math.sqrt(0.5)), f"Means 1, 3, 2, 2: √.5 = .707; yours: {_got}."
### BEGIN HIDDEN TESTS
_D, _R, _scale = size("D", least=4), size("R", large=1200), choice(1, 1e-5, 100)
_d = made(
    lambda rng, D, s: np.array([s * rng.gauss(1, 2) for _ in range(D)]), _D, _scale
)


def _drawn(rng, R, D):
    """R draws of D stories, the first of them with one story only."""
    rows = [rng.choices(range(D), k=D) for _ in range(R - 1)]
    return np.array([[0] * D, *rows])


agrees(by_bootstrap, ours.by_bootstrap, _d, made(_drawn, _R, _D), rtol=1e-6)
### END HIDDEN TESTS

# %%
lengths = np.bincount(document)
per_story = {name: np.bincount(document, scores[name]) / lengths for name in names}
d = per_story["Transformer"] - per_story["LSTM"]
draws = np.random.default_rng(1).integers(len(d), size=(2000, len(d)))
print(f"mean difference {d.mean():.4f} nats per token, every story alike")
gain = (scores["Transformer"] - scores["LSTM"]).mean()
on_board = math.log(recorded.loc["LSTM", "perplexity"]) - math.log(
    recorded.loc["Transformer", "perplexity"]
)
print(f"    every token alike {gain:.4f}; on all 1,220 stories {on_board:.4f}")
print(
    f"formula {by_formula(d):.5f}, jackknife {by_jackknife(d):.5f}, bootstrap {by_bootstrap(d, draws):.5f}"
)


def median_errors(values, draws):
    """Standard errors of the median of values [D], by jackknife and by bootstrap."""
    D = len(values)
    one_out = np.array([np.median(np.delete(values, j)) for j in range(D)])
    jackknife = math.sqrt((D - 1) / D * ((one_out - one_out.mean()) ** 2).sum())
    return jackknife, np.median(values[draws], axis=1).std()


nature = np.random.default_rng(7)  # 200 made-up stories, again and again
real = np.median(nature.normal(0, d.std(), (5000, len(d))), axis=1).std()
found = [
    median_errors(nature.normal(0, d.std(), len(d)), draws[:500]) for _ in range(60)
]
print(f"medians of 5,000 made-up tests really scatter by {real:.4f}")
for way, values in zip(("jackknife", "bootstrap"), np.transpose(found), strict=True):
    low, high = np.quantile(values, [0.05, 0.95])
    print(f"    {way}: says {low:.4f} to {high:.4f} in nine of ten single tests")

# %% [markdown]
# Formula and jackknife agree to the last digit, and must: $\bar d_{-j} - \bar d = (\bar d - d_j) / (D - 1)$, so each jackknife term is the formula's, scaled.
# The bootstrap comes close. It depends on the stories that happen to be drawn, and with more and more draws it settles at $\sqrt{(D - 1) / D}$ of the
# formula, because it takes the 200 stories for the whole world and divides by their number. With 200 stories nobody sees the difference. With the two numbers
# of the check it is the factor between 1 and 0.707.
#
# For a median the jackknife breaks down. Leave out any one of the 200 stories, and the median is one of only two numbers, its two neighbours in the middle of
# the sorted list. So the jackknife looks at a single gap in that list, and whether this gap is wide or narrow is luck. To see what that does, the cell makes
# up tests of 200 numbers from a normal distribution, where we can find out how far medians really scatter. The last two lines show what each method says when
# it is given just one such test: the bootstrap is about right, the jackknife may say nearly anything.
#
# One more look at the first two lines. In the first, each *story* counts alike, whether it is long or short. In the second we divide all nats by all tokens,
# as the board does, so long stories weigh more, and 0.0977 becomes 0.0934 (and 0.0890 on all 1,220 stories). In this form a difference is a ratio of two
# sums, a case for the bootstrap.
