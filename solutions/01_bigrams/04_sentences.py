# %% [markdown]
# ## 3. The probability of a sentence
#
# Your model gives probabilities to pairs. How do we get from pairs to a whole sentence?
#
# Take the sentence *i want food*. If somebody says it, four things happen, one after the other: *i* begins the sentence, *want* comes next, *food* comes next,
# and then the sentence ends. Now we use a rule for the probability of two events $a$ and $b$. Both happen with the probability of $a$, times the probability of
# $b$ given that $a$ has happened: $P(a, b) = P(a)\,P(b \mid a)$. We use this rule for one thing after the other and get four factors:
#
# $$P(\textit{i want food}) = P(\textit{i} \mid \texttt{<s>}) \cdot P(\textit{want} \mid \texttt{<s>}\ \textit{i}) \cdot P(\textit{food} \mid \texttt{<s>}\
# \textit{i want}) \cdot P(\texttt{</s>} \mid \texttt{<s>}\ \textit{i want food}).$$
#
# There is one factor for each word and one for `</s>`, because the model has to predict all of these. The mark `<s>` is always there, so it needs no factor.
#
# For the general formula, we number the tokens of a sentence from left to right. The mark `<s>` is $w_0$, the words are $w_1, \dots, w_{T-1}$, and `</s>` is
# $w_T$. Then
#
# $$P(w_1, \dots, w_T) = \prod_{t=1}^{T} P(w_t \mid w_0, \dots, w_{t-1}).$$
#
# This is called the **chain rule**.

# %% [markdown]
# ### Cut the memory off
#
# The chain rule is always true, but it does not help us yet. The last factor of a long sentence asks what comes after a long beginning, and hardly any long
# beginning occurs twice. So there is hardly anything to count. The bigram model has a radical answer. It pretends that only the last token matters:
#
# $$P(w_t \mid w_0, \dots, w_{t-1}) \approx P(w_t \mid w_{t-1}).$$
#
# This is called the **Markov assumption**, after Andrey Markov. In 1913 he counted how vowels and consonants follow each other in 20,000
# letters of Pushkin's *Eugene Onegin*.
#
# The drawing shows the four factors of *i want food*, one in each row. The green box is the token that is predicted, and the blue boxes are what the model may
# look at. On the left this is everything before, as in the chain rule. On the right it is one token only, and the dashed boxes are forgotten.

# %% alt="The four factors of the sentence i want food, one in each row: i, want, food and the end of the sentence. On the left, each is predicted from all tokens before it. On the right, in a bigram model, all of these but the last one are dashed."
drawings.chain_rule(["i", "want", "food"])

# %% [markdown] statement="sentence_log_probability"
# ### Add logarithms
#
# The product of fifty small factors is a very small number, and the product of a thousand is too small for a computer: it is rounded
# to 0. So we add the natural logarithms of the factors instead of multiplying the factors. Since $\ln(ab) = \ln a + \ln b$, this is the
# logarithm of the same product.
#
# Write `sentence_log_probability(model, sentence)`, which returns $\ln P$ of a sentence under a bigram model `model[w1][w2]`.
# The first factor is $P(w_1 \mid \texttt{<s>})$, and the last one is that of `</s>`: the model also has to
# predict that the sentence is over.

# %% [markdown] hints="sentence_log_probability"
# 1. Write down the pairs of a two-word sentence first. You have a function that makes them.
# 2. Look up each pair without assuming that it is there: neither the row nor the word in it.
# 3. One zero factor decides the whole product; and the logarithm of 0 is an error in Python, so ask before you take
#    it.


# %% task="sentence_log_probability" points=4 level=2 minutes=14
def sentence_log_probability(model, sentence):
    """ln P(<s> w1 w2 ... </s>) under a bigram model.

    A factor that is zero or missing makes it -math.inf. The empty sentence has only the factor of </s>.
    """
    ### BEGIN SOLUTION
    tokens = ["<s>", *sentence, "</s>"]
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
_ends = ["no", "tea", ".", "</s>"]
_model = made(
    lambda rng, *rows: {
        word: dict(zip(_ends, row, strict=True))
        for word, row in zip(["<s>", *_ends], rows, strict=False)
    },
    *(shares(4) for _ in _ends),
)
_inputs = _model, words(size("T"), _ends[:3])
agrees(sentence_log_probability, ours.sentence_log_probability, *_inputs, rtol=1e-5)
### END HIDDEN TESTS

# %% test="sentence_log_probability" aspect="the end is a factor" points=1
_model = {
    "<s>": {"no": 0.5, "tea": 0.4, "</s>": 0.1},
    "no": {"tea": 0.8, "</s>": 0.2},
    "tea": {"</s>": 0.7, "no": 0.3},
}
for _text, _wanted in ((["no", "tea"], 0.5 * 0.8 * 0.7), ([], 0.1)):
    _got = sentence_log_probability(_model, list(_text))
    assert is_number(_got), f"Return a number; yours: {_got!r}."
    assert close(_got, math.log(_wanted)), (
        f"{_text}: P = {_wanted:.2f}, with the factor of </s>, ln = {math.log(_wanted):.4f}; yours: {_got:.4f}."
    )
### BEGIN HIDDEN TESTS
_ends = ["no", "tea", ".", "</s>"]
_model = made(
    lambda rng, *rows: {
        word: dict(zip(_ends, row, strict=True))
        for word, row in zip(["<s>", *_ends], rows, strict=False)
    },
    *(shares(4) for _ in _ends),
)
_inputs = _model, words(size("T", least=0), _ends[:3])
agrees(sentence_log_probability, ours.sentence_log_probability, *_inputs, rtol=1e-5)
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
    "<s>": {"tea": 0.5, "oh": 0.4, "<UNK>": 0.1},
    "tea": {"now": 1.0, "no": 0.0},
    "now": {"</s>": 1.0},
}
_grown = defaultdict(dict, {word: defaultdict(float, _model[word]) for word in _model})
_text = words(size("T", least=0), ["tea", "no", "now", "oh", "later"])
_inputs = choice(_model, _grown, {"tea": {"</s>": 1.0}}), _text
agrees(sentence_log_probability, ours.sentence_log_probability, *_inputs, rtol=1e-5)
agrees(
    sentence_log_probability,
    ours.sentence_log_probability,
    _model,
    ["tea", "now"],  # which is possible
    rtol=1e-5,
)
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

# %%
for line in ("i want lunch", "i want to eat lunch", "lunch eat to want i"):
    value = sentence_log_probability(restaurant_model, line.split())
    print(f"{line:27} ln P = {value:6.1f}    P = {math.exp(value):.1e}")

# %% [markdown]
# Compare the first two lines. *i want to eat lunch* has two words more than *i want lunch*, and still it is the likelier one: $3.6 \cdot 10^{-4}$ against
# $2.4 \cdot 10^{-4}$. The reason is in the pairs. *To* often comes after *want*, and *eat* often after *to*: the two words together make the sentence only
# about five times less likely. And the share of *lunch* after *eat* is eight times its share after *want*, which wins back more than that. So the probability
# of a sentence is not just a matter of its length.
#
# The third line has $\ln P = -\infty$, which means that $P = 0$. The model calls this sentence impossible. Here this is more or less right, because *lunch eat to
# want i* makes no sense. But the 922 test sentences do make sense. How many of them does the model call impossible? Guess, then run the next cell.

# %%
for name, group in (
    ("all 922 test sentences", test_sentences),
    ("the new ones", new_sentences),
):
    zero = [sentence_log_probability(restaurant_model, s) == -math.inf for s in group]
    print(f"impossible for the model: {np.mean(zero):.0%} of {name}")
for s in new_sentences[:40]:
    unseen = [(a, b) for a, b in ngrams(s, 2) if b not in restaurant_model.get(a, {})]
    if len(unseen) == 1:
        print(
            "for example:",
            " ".join(s),
            "  because this pair is not in the training sentences:",
            *unseen[0],
        )
        break

# %% [markdown]
# The model calls 24 % of all the test sentences impossible, and 41 % of the new ones. The reason is always the same: **one pair that was never seen is enough to
# make a whole sentence impossible.** You have met this already in the game, where the
# machine sometimes gave the truth the probability 0.
#
# More text makes such sentences rarer: in section 7 you will see how much. But one unseen pair is always enough, so we shall have to do something about the zeros
# ourselves. You will see a first cure in section 5, and better ones in chapter 02.
