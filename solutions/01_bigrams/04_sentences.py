# %% [markdown]
# ## 3. The probability of a sentence
#
# How do we get from pairs to a whole sentence? Take the sentence *i want food*. If somebody says it, four things happen, one after the other: *i* begins the sentence, *want* comes next, *food* comes next, and then the sentence ends. The probability of *two* things is that of the first one, times that of the second one once the first has happened: $P(a, b) = P(a)\,P(b \mid a)$. Using this again and again, we get
#
# $$P(\textit{i want food}) = P(\textit{i} \mid \texttt{<s>}) \cdot P(\textit{want} \mid \texttt{<s>}\ \textit{i}) \cdot P(\textit{food} \mid \texttt{<s>}\ \textit{i want}) \cdot P(\texttt{</s>} \mid \texttt{<s>}\ \textit{i want food}).$$
#
# There is one factor for each word and one for `</s>`, because the model has to predict all of these. The mark `<s>` is given, so it has no factor of its own. In general, let $w_0$ be `<s>`, let $w_1, \dots, w_{T-1}$ be the words, and let $w_T$ be `</s>`. Then
#
# $$P(w_1, \dots, w_T) = \prod_{t=1}^{T} P(w_t \mid w_0, \dots, w_{t-1}).$$
#
# This **chain rule** is always true. But its later factors ask what comes after a long beginning, and long beginnings hardly ever
# come a second time. A bigram model simply cuts the memory off. It pretends that only the last token matters:
#
# $$P(w_t \mid w_0, \dots, w_{t-1}) \approx P(w_t \mid w_{t-1}).$$
#
# This is called the **Markov assumption**, after Andrey Markov, who counted in 1913 how vowels and consonants follow each other in 20,000
# letters of Pushkin's *Eugene Onegin*.
#
# The drawing shows both for *i want food*. Each row is a factor: it ends with the token that is predicted, and before it stands what is known. On the right, what the bigram model forgets is dashed.

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
    "<s>": {"tea": 0.5, "oh": 0.5},
    "tea": {"now": 1.0, "no": 0.0},
    "now": {"</s>": 1.0},
}
_grown = defaultdict(dict, {word: defaultdict(float, _model[word]) for word in _model})
_text = words(size("T", least=0), ["tea", "no", "now", "oh", "later"])
_inputs = choice(_model, _grown, {"tea": {"</s>": 1.0}}), _text
agrees(sentence_log_probability, ours.sentence_log_probability, *_inputs, rtol=1e-5)
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
# Compare the first two lines. The second sentence is longer, and it is still the likelier one: hardly anybody says *want lunch*, but *to* comes after *want* very often, and *eat* after *to*. So the probability
# of a sentence is not just a matter of its length.
#
# The third sentence has $\ln P = -\infty$, which means that $P = 0$. Here this is right, more or less: nobody talks like that. But how often does it happen to the sentences of our test, which make sense? Guess, then run the next cell.

# %%
for name, group in (
    ("all test sentences", test_sentences),
    ("new ones", new_sentences),
):
    zero = [sentence_log_probability(restaurant_model, s) == -math.inf for s in group]
    print(f"impossible for the model: {np.mean(zero):.0%} of {name}")
for s in new_sentences[:40]:
    unseen = [(a, b) for a, b in ngrams(s, 2) if b not in restaurant_model.get(a, {})]
    if len(unseen) == 1:
        print("for example:", " ".join(s), "  because nobody ever said:", *unseen[0])
        break

# %% [markdown]
# **One pair that was never seen is enough to make a whole sentence impossible.** You have met this already in the game, where the
# machine gave the truth the probability 0. Would more text help?

# %% alt="The share of new sentences that the bigram model calls impossible falls as the training text grows from 100 to 8,300 sentences, from nearly all to four in ten."
sizes, impossible = [100, 300, 1000, 3000, 8300], []
for size in sizes:
    some = {pair for s in train_sentences[:size] for pair in ngrams(s, 2)}
    impossible.append(
        100 * np.mean([not {*ngrams(s, 2)} <= some for s in new_sentences])
    )
_, axes = plt.subplots(figsize=(6, 2.8))
axes.plot(sizes, impossible, "o-")
axes.set(
    title="New sentences that the model calls impossible",
    xlabel="sentences the model has read (log scale)",
    ylabel="impossible new sentences (%)",
    xscale="log",
    ylim=(0, 105),
)
axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
axes.minorticks_off()
plt.show()
for size, percent in zip(sizes, impossible, strict=True):
    print(f"{size:5,} sentences read: {percent:.0f} % impossible")

# %% [markdown]
# Read the printed numbers. Each line has about three times as much text as the one before. The first tripling saves 5 sentences in a hundred, and the last one about 20. Would two more be enough?
#
# The figure cannot tell us, because it ends here. But two things speak against it. The pairs that are still missing are the rare ones, so each of them takes longer to turn up. And real text, unlike ours, brings new words without end, most of them names. As long as a single pair is missing, the model says *impossible* about a sentence that makes sense. What to do about
# the zeros is the question of chapter 02. Section 5 will give you a first taste of it.
