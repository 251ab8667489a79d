# %% [markdown]
# ## 14. A score for whole texts?
#
# A masked model gives no $\ln P$ of a text (section 12). What people use instead is the **pseudo-log-likelihood**
# (PLL; Salazar and others, 2020): hide each word alone, and add up
#
# $$\text{PLL}(w_1 \dots w_T) = \sum_{t=1}^{T} \ln P(w_t \mid \text{all other words}).$$

# %% [markdown] statement="pseudo"
# - `pseudo_log_likelihood(fill, words)`: a float. `fill(words, place)` gives a dictionary, word to probability
#   given all others; a word that is left out is impossible, and so is one with 0. With an impossible word:
#   `-math.inf`. A text without words: 0.
# - `ranked_right(good, bad)`: two lists or arrays of $n \ge 1$ scores. The share of the $n$ pairs in which the good
#   text has the higher score; equal scores count half, two of $-\infty$ too.

# %% [markdown] hints="pseudo"
# 1. A text of two words in which each settles the other: what is its PLL?
# 2. `math.log(0)` raises an error, and NumPy warns: look before you take the logarithm.
# 3. What is $-\infty - (-\infty)$? Which operators compare two infinities without a difference?


# %% task="pseudo" points=3 level=2 minutes=14
def pseudo_log_likelihood(fill, words):
    """The sum of ln P(word | all other words), a float, or -inf."""
    ### BEGIN SOLUTION
    total = 0.0
    for place, word in enumerate(words):
        p = fill(words, place).get(word, 0)
        total += math.log(p) if p > 0 else -math.inf
    return total
    ### END SOLUTION


def ranked_right(good, bad):
    """The share of pairs whose good score is the higher one; ties count half."""
    ### BEGIN SOLUTION
    good, bad = np.asarray(good), np.asarray(bad)
    return float(np.mean(good > bad) + np.mean(good == bad) / 2)
    ### END SOLUTION


# %% test="pseudo" aspect="one blank at a time" points=1
def _echo(words, place):
    return {"a": 0.5, "b": 0.25, "c": 0.25}


_got = pseudo_log_likelihood(_echo, ["a", "c"])
assert is_number(_got), f"A number wanted; yours: {_got!r}."
assert close(_got, math.log(1 / 8)), (
    f"ln .5 + ln .25 = {math.log(1 / 8):.4f}; yours: {_got}."
)


### BEGIN HIDDEN TESTS
def _fill(words, place):
    """Another distribution for each sentence with a gap."""
    rng = random.Random(repr([*words[:place], "___", *words[place + 1 :]]))
    return {word: rng.uniform(0.1, 0.5) for word in "abc"}


agrees(
    pseudo_log_likelihood,
    ours.pseudo_log_likelihood,
    words=words(size("T", least=0, large=60), "abc"),
    by=lambda score, words: score(_fill, words),
    rtol=1e-5,
)
### END HIDDEN TESTS

# %% test="pseudo" aspect="impossible words, long texts" points=1
_got = pseudo_log_likelihood(lambda words, place: {"a": 1.0}, ["a", "b"])
assert is_number(_got) and _got == -math.inf, f"b is impossible: -inf; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_found = {"a": 0.5, "b": 0.25, "never": 0.0, "c": 1e-40, "d": 1e-5}
_text = words(size("T"), [*_found, "unknown"])
_text = choice(["d"] * 400, ["c", "c"], ["a", "unknown"], ["never", "b"], _text)
agrees(
    pseudo_log_likelihood,
    ours.pseudo_log_likelihood,
    words=_text,
    by=lambda score, words: score(lambda words, place: dict(_found), words),
    rtol=1e-5,
)
### END HIDDEN TESTS

# %% test="pseudo" aspect="pairs and ties" points=1
_got = ranked_right([-3.0, -5.0, -2.0, -7.0], [-4.0, -1.0, -2.0, -8.0])
assert is_number(_got) and close(_got, 0.625), (
    f"Two of four right, one tie: .625; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_some = -math.inf, -9.0, -2.0, -1000.0, -1000.001, -1e-9, -1.1e-9
_n, _kind = size("n"), choice(list, np.array)
_good, _bad = (
    made(lambda rng, found, kind: kind(found), words(_n, some), _kind)
    for some in (_some, choice(_some, [-math.inf], _some[3:5], _some[5:]))
)
agrees(ranked_right, ours.ranked_right, _good, _bad)
### END HIDDEN TESTS

# %% [markdown]
# Does PLL order texts as $\ln P$ does? Recorded: 150 kitchen stories, each also with one word exchanged for another
# possible one, with both scores exact. *Predict* the share of pairs that PLL puts in the right order.

# %%
pairs = pd.read_csv(paths.DATA / "masked" / "pseudo.csv")
ranks = (pairs[["ln_p", "pll"]].div(pairs.length, axis=0)).rank()
draw = np.random.default_rng(1)
spearman = [
    ranks.iloc[draw.integers(len(ranks), size=len(ranks))].corr().iloc[0, 1]
    for _ in range(1000)
]
low, high = np.quantile(spearman, [0.025, 0.975])
print(f"Spearman, per word: {ranks.corr().iloc[0, 1]:.2f}", end=" ")
print(f"(95 % of 1,000 resamplings: {low:.2f} to {high:.2f})")
sign = np.sign(pairs.ln_p - pairs.other_ln_p)
order = ranked_right(sign * pairs.pll, sign * pairs.other_pll)
error = math.sqrt(order * (1 - order) / len(pairs))
print(
    f"one word exchanged: {order:.0%} ± {error:.0%} (one standard error) in the same order"
)

# %% folded="draws the score against the truth" alt="Dots for stories: the score PLL rises with ln P, but all dots lie far above the dashed line where the two would be equal."
_, axes = plt.subplots(figsize=(4.5, 2.9))
axes.plot(pairs.ln_p, pairs.pll, ".", markersize=5)
axes.plot([-140, -40], [-140, -40], "--", color="gray", label="PLL = ln P")
axes.set_xlabel("ln P of the story (nats)")
axes.set_ylabel("PLL (nats)")
axes.legend()
plt.show()

# %% [markdown]
# Each dot is a story, far above the line, since with both sides known words are easier on average. A name said twice, for example, is free in PLL both times,
# because each copy settles the other. $\ln P$ pays for it once. Per word the ranks agree well, and few pairs are turned round.
#
# For the pairs this is partly built in. At the exchanged place all *other* words are the same in both stories, so the two terms have the same denominator,
# and their difference is exactly that of the two $\ln P$. This one term alone would order each pair rightly. Only the terms of the other places can turn a
# pair round.
#
# These scores were exact. **What is the PLL of your own encoder worth?** The next cell asks the question with which this chapter began, *cook* or *cooks*, in
# four sentences, of which two are wrong. Then it takes sentences of new stories and puts one verb of each into the wrong number. *Other number between* means
# that a noun of the other number stands between the subject and its verb, as in *the answer of the judges grows*; all other sentences have *no attractor*. A
# coin would put half of the pairs right. What do you expect?

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
for text in (
    "the cook sings .",
    "the cook sing .",
    "the cooks sing .",
    "the cooks sings .",
):
    print(f"{text:18} PLL {pseudo_log_likelihood(your_fill, text.split()):.2f}")

scores = {"no attractor": [], "other number between": []}
for probe in kitchen.probes_in("agreement", kitchen.documents(tokens=10_000, seed=41)):
    for begin, words in sentences_of(probe.document.tokens):
        place = probe.position - begin
        if (
            0 <= place < len(words)
            and words[place] in number
            and probe.wrong[0] in number
        ):
            broken = [*words[:place], probe.wrong[0], *words[place + 1 :]]
            pair = [pseudo_log_likelihood(your_fill, some) for some in (words, broken)]
            scores[probe.label].append(pair)
for label, pairs in scores.items():
    share = ranked_right(*zip(*pairs, strict=True))
    print(f"{label:21} {len(pairs)} pairs, right: {share:.0%}")

# %% [markdown]
# In the course's own run, with 800 steps, the encoder is the coin, and it even likes *the cook sing* a little better than *the cook sings*. Here is what the
# recorded trainings of section 11 say to the same questions:

# %%
print(after("pll").to_string(), "\n")
print(after("verbs").to_string())

# %% [markdown]
# After 6,000 steps both right sentences are ahead of both wrong ones, and so is the right sentence in 72 % of the pairs without another noun between. With a
# noun of the other number between, it is no better than a coin. So that encoder can tell *cook* from *cooks*, but not yet which of two nouns a verb belongs
# to. A PLL ranks texts only as well as its model knows the language.
