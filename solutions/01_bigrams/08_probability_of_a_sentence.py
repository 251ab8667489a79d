# %% [markdown] statement="sentence_log_probability"
# ## 9. The probability of a sentence
#
# A bigram model gives a sentence the product of one factor for each of its bigrams. A long product of small factors is
# soon rounded to 0, so add natural logarithms instead. Write `sentence_log_probability(model, sentence, end=True)`,
# with `model[w1][w2]` as before:
#
# - first factor: $P(w_1 \mid \texttt{<s>})$;
# - with `end=True`, last factor: $P(\texttt{</s>} \mid w_T)$; without it, you get how likely a sentence *begins* so;
# - a factor that is zero or missing makes the result `-math.inf`;
# - the empty sentence has one factor, without `end` none (the result is 0).

# %% [markdown] hints="sentence_log_probability"
# 1. Write down the pairs of a two-word sentence first, with `end` and without.
# 2. Look up each pair without assuming that it is there: neither the row nor the word in it.
# 3. One zero factor decides the whole product; and the logarithm of 0 is an error in Python, so ask before you take
#    it.


# %% task="sentence_log_probability" points=4 level=2 minutes=14
def sentence_log_probability(model, sentence, end=True):
    """ln P(<s> w1 ... wT </s>) under a bigram model; without </s> if `end` is false."""
    ### BEGIN SOLUTION
    tokens = ["<s>", *sentence] + ["</s>"] * bool(end)
    total = 0.0
    for w1, w2 in zip(tokens[:-1], tokens[1:], strict=True):
        p = model.get(w1, {}).get(w2, 0.0)
        if p == 0:
            return -math.inf
        total += math.log(p)
    return total
    ### END SOLUTION


# %% test="sentence_log_probability" aspect="sentences of the house" points=1
_model = {
    "<s>": {"we": 2 / 3, "how": 1 / 3},
    "we": {"sat": 1 / 3, "two": 1 / 6, "said": 1 / 6},
}
_model |= {
    "sat": {"in": 1 / 2, "here": 1 / 2},
    "in": {"the": 1.0},
    "the": {"house": 1.0},
}
_model |= {
    "house": {"</s>": 1.0},
    "here": {"we": 1.0},
    "two": {"and": 1.0},
    "and": {"we": 1.0},
    "said": {"</s>": 1.0},
}
for _text, _wanted in (
    ("we sat in the house", 1 / 9),
    ("we sat here we two and we said", 1 / 324),
):
    _got = sentence_log_probability(_model, _text.split())
    assert is_number(_got), f"Return a number; for {_text!r} you return {_got!r}."
    assert close(_got, math.log(_wanted)), (
        f"{_text!r} has probability 1/{1 / _wanted:.0f}, ln = {math.log(_wanted):.4f}; yours: {_got:.4f}."
    )
### BEGIN HIDDEN TESTS
_ends = ["no", "tea", "or", "</s>"]
_model = made(
    lambda rng, *rows: {
        word: dict(zip(_ends, row, strict=True))
        for word, row in zip(["<s>", *_ends], rows, strict=False)
    },
    *(shares(4) for _ in _ends),
)
_inputs = _model, words(size("T"), _ends[:3])
agrees(sentence_log_probability, ours.sentence_log_probability, *_inputs)
### END HIDDEN TESTS

# %% test="sentence_log_probability" aspect="prefix and sentence differ" points=1
_model = {
    "<s>": {"no": 0.5, "tea": 0.5},
    "no": {"tea": 0.8, "</s>": 0.2},
    "tea": {"</s>": 0.7, "no": 0.3},
}
for _end, _wanted in ((True, 0.5 * 0.8 * 0.7), (False, 0.5 * 0.8)):
    _got = sentence_log_probability(_model, ["no", "tea"], end=_end)
    assert is_number(_got), f"Return a number; yours: {_got!r}."
    assert close(_got, math.log(_wanted)), (
        f"`no tea` with end={_end}: P = {_wanted:.2f}, ln = {math.log(_wanted):.4f}; yours: {_got:.4f}."
    )
### BEGIN HIDDEN TESTS
_ends = ["no", "tea", "or", "</s>"]
_model = made(
    lambda rng, *rows: {
        word: dict(zip(_ends, row, strict=True))
        for word, row in zip(["<s>", *_ends], rows, strict=False)
    },
    *(shares(4) for _ in _ends),
)
_inputs = _model, words(size("T", least=0), _ends[:3]), choice(True, False)
agrees(sentence_log_probability, ours.sentence_log_probability, *_inputs)
_got = sentence_log_probability({"<s>": {"tea": 0.25}}, ["tea"], end=False)
assert close(_got, math.log(0.25)), (
    f"A prefix does not ask what follows its last word: {_got!r}."
)
### END HIDDEN TESTS

# %% test="sentence_log_probability" aspect="unseen means minus infinity" points=1
_model = {"<s>": {"tea": 1.0}, "tea": {"now": 1.0, "no": 0.0}, "now": {"</s>": 1.0}}
for _text in ("tea later", "tea tea now"):
    _got = sentence_log_probability(_model, _text.split())
    assert _got == -math.inf, (
        f"{_text!r} has a pair that the model lacks: wanted -inf; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
_model = {
    "<s>": {"tea": 0.5, "oh": 0.5},
    "tea": {"now": 1.0, "no": 0.0},
    "now": {"</s>": 1.0},
}
_grown = defaultdict(dict, {word: defaultdict(float, _model[word]) for word in _model})
_text = words(size("T", least=0), ["tea", "no", "now", "oh", "later"])
_inputs = choice(_model, _grown, {"tea": {"</s>": 1.0}}), _text, choice(True, False)
agrees(sentence_log_probability, ours.sentence_log_probability, *_inputs)
### END HIDDEN TESTS

# %% test="sentence_log_probability" aspect="long sentences do not vanish" points=1
_model = {"<s>": {"tea": 1.0}, "tea": {"tea": 0.1, "</s>": 0.9}}
_got = sentence_log_probability(_model, ["tea"] * 1001)
assert is_number(_got), f"Return a number; yours: {_got!r}."
assert close(_got, 1000 * math.log(0.1) + math.log(0.9)), (
    f"A thousand factors of .1 and one of .9: about -2302.7; yours: {_got}. Is a tiny product rounded to 0 on the way?"
)
### BEGIN HIDDEN TESTS
_p = random.uniform(1e-35, 9e-35)
_model = {"<s>": {"tea": 1.0}, "tea": {"tea": _p, "</s>": 1 - _p}}
for _number in (12, 300):
    _got = sentence_log_probability(_model, ["tea"] * (_number + 1))
    assert close(_got, _number * math.log(_p), rtol=1e-4), (
        f"{_number} factors of {_p:.1g}: is their product rounded to 0? Yours: {_got}."
    )
### END HIDDEN TESTS


# %% [markdown]
# *i want chinese food* under the bigram model of all 9,222 sentences: its beginnings, word by word, then the whole
# sentence, up to `</s>`.

# %%
diner = bigram_mle(
    Counter(pair for sentence in everything for pair in ngrams(sentence, 2))
)
wish = ["i", "want", "chinese", "food"]
logs = [sentence_log_probability(diner, wish[:k], end=False) for k in range(5)]
logs.append(sentence_log_probability(diner, wish))
for token, log in zip(["<s>", *wish, "</s>"], logs, strict=True):
    print(f"up to {token:7}: ln P = {log:6.3f}, P = {math.exp(log):.6f}")

# %% [markdown]
# The last step asks whether the sentence ends here: the *prefix* (however it goes on) and the *sentence* are two
# events, and the prefix is never the less likely one.
#
# A language model spreads the probability 1 over *all* texts, of every length. How much of it does the model of the
# three small sentences give to short texts? With $P$ its table, $P^k$ holds the probabilities of going from one token
# to another in $k$ steps:

# %%
start, end = order.index("<s>"), order.index("</s>")
ends_at = [np.linalg.matrix_power(P, steps)[start, end] for steps in range(1, 52)]
print(
    "at most so many words:",
    {words: f"{sum(ends_at[: words + 1]):.6f}" for words in (5, 10, 20, 50)},
)


# %% [markdown]
# Sentences of up to 50 words hold nearly all of it.

# %% [markdown]
# <details><summary>Slips in the printed slides: five numbers</summary>
#
# B. Muller's P(English | The moment one learns) = 35/73 = .48 stands beside "appears 75 times": .47. He also
# multiplies *rounded* factors, 1 × .25 × .33 × .0065 × .52, and prints .00027885; the counts give .000274. F.
# Silvestri has .25 × .33 × .0011 × .5 × .68 = .00031 for *i want english food*, ten times too much. His P(lunch | want)
# = P(chinese | want) = 0 stands beside counts of 5 and 6.
#
# </details>

# %% [markdown]
# You are halfway, and this is a good place to stop. So far you can count a bigram model and ask it how probable a
# sentence is. In the second half it meets sentences that it has never seen, you learn to say in one number how good
# it is, and it begins to write.


# %% [markdown]
# (Three given functions do what yours do: `estimate` is `ngrams` and `bigram_mle` together, `windows` is `ngrams`,
# `ln_probability` is `sentence_log_probability` with `</s>`.)


# %%
def estimate(sentences):
    """The bigram model of some sentences: model[w1][w2] = P(w2 | w1)."""
    previous = [word for sentence in sentences for word in ["<s>", *sentence]]
    following = pd.Series(
        [word for sentence in sentences for word in [*sentence, "</s>"]]
    )
    shares = following.groupby(previous).value_counts(normalize=True)
    model = defaultdict(dict)
    for (w1, w2), share in shares.items():
        model[w1][w2] = share
    return dict(model)


restaurant_model = estimate(train_sentences)


# %%
def windows(sentence, n):
    """The n-grams of one sentence: each token with the n - 1 before it."""
    shifted = [["<s>"] * back + [*sentence, "</s>"] for back in reversed(range(n))]
    return list(zip(*shifted, strict=False))


def ln_probability(model, sentence):
    """ln P(<s> w1 ... wT </s>) under a bigram model."""
    factors = [model.get(w1, {}).get(w2, 0) for w1, w2 in windows(sentence, 2)]
    with np.errstate(divide="ignore"):
        return float(np.log(factors).sum())
