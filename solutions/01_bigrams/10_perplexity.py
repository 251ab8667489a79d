# %% [markdown]
# ## 11. Perplexity
#
# A good model gives high probability to text that it has not seen. But the probability of a text falls with its length
# $N$. So take the geometric mean of its factors, and turn it upside down: this is the **perplexity**. If all factors
# are 1/8, it is 8: the number of equally likely words among which the model seems to choose. Lower is better. With
# logarithms to any base $b$, since $x = b^{\log_b x}$,
#
# $$\mathrm{PP} = \Big(\prod_{i=1}^N P(w_i \mid \dots)\Big)^{-1/N} = b^{\,-\frac{1}{N} \sum_{i=1}^N \log_b P(w_i \mid \dots)}.$$
#
# The exponent, the mean of $-\log_b P$, is called **cross-entropy**: bits per token for $b = 2$. The networks of later
# chapters are trained to lower it.

# %% [markdown] statement="perplexity"
# Write
#
# - `perplexity(log_probabilities, base)`: from one logarithm for each factor, all to base `base`; a text with a zero
#   factor (a logarithm of −∞) has perplexity ∞.
# - `scored_symbols(sentence)`: the symbols that N counts, in order: those the model *predicts*.

# %% [markdown] hints="perplexity"
# 1. A fair die: what must the perplexity be? Try your function on six equal factors of 1/6.
# 2. The mean logarithm is the logarithm of the factors' geometric mean. Undo the logarithm with
#    the same base with which it was taken.
# 3. Stay with logarithms until the last step: the product of 100,000 factors is zero to a
#    computer. As for N: `<s>` is given, never predicted; the model does predict that a sentence
#    ends.


# %% task="perplexity" points=4 level=2 minutes=12
def perplexity(log_probabilities, base):
    """Perplexity of a text, from the logarithms (to that base) of its N factors."""
    ### BEGIN SOLUTION
    return base ** -(sum(log_probabilities) / len(log_probabilities))
    ### END SOLUTION


def scored_symbols(sentence):
    """The symbols of the padded sentence that get a factor, in order."""
    ### BEGIN SOLUTION
    return [*sentence, "</s>"]
    ### END SOLUTION


# %% test="perplexity" aspect="N-th root of inverse probability" points=1
_value = perplexity([-1.0, -2.0, -3.0, -1.0], 2)
assert is_number(_value), f"Return a number; yours returned {_value!r}."
assert close(_value, 128**0.25), (
    f"Factors 1/2, 1/4, 1/8, 1/2: the fourth root of 128 is {128**0.25:.4f}, yours is {_value:.4f}."
)
### BEGIN HIDDEN TESTS
_p = made(lambda rng, n: [rng.uniform(0.05, 1) for _ in range(n)], size("N"))
_logs = made(lambda rng, p: [math.log2(x) * (x < 0.9) for x in p], _p)  # some are 0
agrees(perplexity, ours.perplexity, _logs, 2, rtol=1e-5)
### END HIDDEN TESTS

# %% test="perplexity" aspect="base fits the logarithms" points=1
for _base in (2, math.e, 10):
    _value = perplexity([math.log(1 / 8) / math.log(_base)] * 5, _base)
    assert is_number(_value), f"Return a number, not {_value!r}."
    assert close(_value, 8), (
        f"Uniform over 8 words must give 8 in every base; with base {_base:.3g} yours is {_value:.3f}."
    )
### BEGIN HIDDEN TESTS
_base = choice(2, 3, 10, math.e, 1.3, 1.9, 17.5, 60)
_p = made(lambda rng, n: [rng.uniform(0.05, 1) for _ in range(n)], size("N"))
_logs = made(lambda rng, p, base: [math.log(x) / math.log(base) for x in p], _p, _base)
agrees(perplexity, ours.perplexity, _logs, _base, rtol=1e-5)
### END HIDDEN TESTS

# %% test="perplexity" aspect="long and impossible texts" points=1
_value = perplexity([-3.0] * 100_000, 2)
assert is_number(_value), f"Return a number; yours returned {_value!r}."
assert close(_value, 8), (
    f"100,000 factors of 1/8 must give 8, yours gives {_value}: does a product become 0 on the way?"
)
_value = perplexity([-1.0, -math.inf, -2.0], 2)
assert _value == math.inf, (
    f"One impossible word makes the perplexity infinite; yours is {_value}."
)
### BEGIN HIDDEN TESTS
_long = made(lambda rng, n: rng.choices([-2.0, -5.0], k=n), size("N", large=20_000))
_logs = made(  # one of them is tiny, or zero, wherever it stands
    lambda rng, few, log: rng.sample([log, *few], len(few) + 1),
    made(lambda rng: rng.choices([-1.0, -3.0, 0.0], k=99)),
    choice(-2000.0, -700.0, -math.inf),
)
_logs = choice(_long, _logs, [-math.inf])
agrees(perplexity, ours.perplexity, _logs, choice(2, math.e), rtol=1e-3)
### END HIDDEN TESTS

# %% test="perplexity" aspect="symbols that N counts" points=1
_symbols = scored_symbols(["we", "eat"])
assert hasattr(_symbols, "__len__"), (
    f"Return a list of symbols; yours returned {_symbols!r}."
)
assert "<s>" not in _symbols, "`<s>` is given, not predicted: N must not count it."
assert "</s>" in _symbols, "The model predicts where a sentence ends: N counts `</s>`."
assert list(_symbols) == ["we", "eat", "</s>"], (
    f"Keep words in order; yours is {list(_symbols)}."
)
### BEGIN HIDDEN TESTS
_text = words(size("T", least=0), ["we", "eat", "no", "<UNK>", "tea", "Tea"])
agrees(scored_symbols, ours.scored_symbols, _text)
### END HIDDEN TESTS

# %%
uniform = [math.log(1 / 8)] * 5  # natural logarithms
print("base e:", round(perplexity(uniform, math.e), 2))
print("base 2 by mistake:", round(perplexity(uniform, 2), 2))
wish_pairs = pairwise(
    ["<s>", *scored_symbols(["i", "want", "thai", "food", "for", "lunch"])]
)
logs = [math.log2(restaurant_model[w1][w2]) for w1, w2 in wish_pairs]
print("N counts </s>:", round(perplexity(logs, 2), 2))
print("N forgets </s>:", round(2 ** (-sum(logs) / (len(logs) - 1)), 2))


# %% [markdown]
# These are two mistakes that anybody can make: taking the power with another base than that of the logarithms, and
# multiplying in the factor of `</s>` but not counting it in $N$.
#
# A third one is harder to see, because nothing in it is computed wrongly. A unigram model gives each token its share
# of the training text, whatever came before. We let it read the same new sentences with a smaller and smaller
# vocabulary:

# %%
flattered = {}
for known in vocabularies.values():
    told, asked = (
        replace_unknown([t for s in group for t in scored_symbols(s)], known | {"</s>"})
        for group in (train_sentences, new_sentences)
    )
    share = {word: count / len(told) for word, count in Counter(told).items()}
    flattered[len(known)] = perplexity([math.log2(share[word]) for word in asked], 2)
for size, value in flattered.items():
    print(f"{size:5} words known: perplexity {value:.0f}")

# %% [markdown]
# Its perplexity falls from 148 to 32, and not because it got any better. Every word that it does not know has become
# the same token, `<UNK>`, and this token is easy to predict. The model says less, so it is wrong less often.

# %% [markdown]
# <details><summary>A slip in the printed slides: a formula without its sum</summary>
#
# B. Muller's slide has $2^{-p_i \log \hat p_i}$: the sum over $i$ is missing,
# and so is the base of the logarithm, which must be 2.
#
# </details>

# %% [markdown] statement="believe_it"
# #### Better than infinity?
#
# A friend reports perplexity 21 on `new_sentences`, where section 10's bigram model has ∞. Which two questions do you
# ask before you call the friend's model better, and how could each explain a 21?

# %% [markdown] written="believe_it" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point for each of two questions that comes with its effect: which vocabulary (the more words are
# turned into `<UNK>`, the lower the perplexity, though less is said); had the model read these sentences (then it
# remembers them); does $N$ count the same symbols, `</s>` among them; do its probabilities sum to 1 after each
# context (scores that give away more than 1 look better). 1 point: supports one of them with a measurement of this
# chapter (148 to 32 as the vocabulary shrinks; 9.21 if N counts `</s>`, 13.33 if it does not; 40 % of the held-out
# sentences had leaked).
#
# No point for a question without its effect, or for one that does not touch the number (how long it trained, how
# large it is). A usual wrong idea: any finite perplexity beats ∞. The ∞ comes from single pairs that were never seen;
# it says nothing about all the other words.
#
# **Sample, 3 points.** First: which words does your model know? In section 11 the perplexity of the unigram model
# went from 148 to 32 just because fewer words were known, so a small vocabulary alone could give a 21. Second: were
# the new sentences in your training text? We took out the 40 % that had leaked. A model that has read the others
# would recognise them, and its 21 would be memory.
#
# **Sample, 1 point.** I would ask whether it was trained on the test sentences, because then it knows them by heart
# and gets a low number. I would also ask how many parameters it has and on which computer it ran.
#
# **Sample, 0 points.** Infinity is the worst perplexity there is, so 21 is better in any case, and I would use the
# friend's model. A low perplexity always means that the next word is predicted well.
# ### END SOLUTION
