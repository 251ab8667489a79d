# %% [markdown]
# ## 5. One number: how surprised is the model?
#
# In the game, the machine's surprise was different at each word. We want one number for a whole text, and it should not depend on how
# long the text is.
#
# Think of a die. Before you throw it, you are unsure among 6 equally likely sides, and each side has the probability $1/6$. A model
# that gives every true word the probability $1/6$ is as surprised by each of them as you are by the throw. In a real text the probabilities
# differ from word to word. So we multiply the $N$ probabilities, take the $N$-th root, and turn the result upside down: this is the **perplexity**. For example, two words with the probabilities $1/2$ and $1/8$ give
# $\sqrt{2 \cdot 8} = 4$. A perplexity of 6 means: *on average, the text surprised the model
# as much as the throw of a fair die with 6 sides surprises you.* It tells how much probability the true words got, and not how sure the model felt. A model that is very sure of wrong words has a huge perplexity. Lower is better, and 1 would be a model that
# always knows what comes next.

# %% folded="draws three dice as fans" alt="Three fans of branches that start in one point: two branches for a coin, six for a die, twenty for a model with perplexity 20. The more branches, the less one knows which of them comes next."
_, panels = plt.subplots(1, 3, figsize=(8, 2.4))
names = {2: "a coin", 6: "a die", 20: "a model with perplexity 20"}
for axes, (sides, name) in zip(panels, names.items(), strict=True):
    for height in np.linspace(-1, 1, sides):
        axes.plot([0, 1], [0, height], color=plots.COLOURS[0], linewidth=1)
        axes.plot(1, height, ".", color=plots.COLOURS[1])
    axes.plot(0, 0, "o", color="black")
    axes.set_title(name)
    axes.set_axis_off()
plt.show()

# %% [markdown] statement="perplexity"
# ### From logarithms to a die
#
# A text has $N$ factors $P(w_i \mid \dots)$, and you have their logarithms. Whatever the base $b$ of the logarithms is,
#
# $$\mathrm{PP} = \Big(\prod_{i=1}^N P(w_i \mid \dots)\Big)^{-1/N} = b^{\,H} \qquad\text{with}\qquad H = -\frac{1}{N} \sum_{i=1}^N \log_b P(w_i \mid \dots).$$
#
# The exponent $H$ is called **cross-entropy**. It is measured in bits for $b = 2$ and in nats for $b = e$. *This is the number that every language
# model, up to the largest ones of today, is first trained to make small.* In chapter 08 you will watch it fall while your own Transformer learns.
#
# Write
#
# - `perplexity(log_probabilities, base)`: the perplexity of a text from the logarithms of its factors;
# - `scored_symbols(sentence)`: the list of those symbols of a sentence that get a factor. Does `<s>`? Does `</s>`?

# %% [markdown] hints="perplexity"
# 1. A fair die: what must the perplexity be? Try your function on six equal factors of 1/6.
# 2. The mean logarithm is the logarithm of the factors' geometric mean. Undo the logarithm with
#    the same base with which it was taken.
# 3. Stay with logarithms until the last step: the product of 100,000 factors is zero to a
#    computer. As for N: `<s>` is given, never predicted; the model does predict that a sentence
#    ends.


# %% task="perplexity" points=4 level=2 minutes=12
def perplexity(log_probabilities, base):
    """Perplexity of a text, from the logarithms (to that base) of its N factors; infinite if one of them is -inf."""
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
wish = ["i", "want", "thai", "food", "for", "lunch"]
logs = [
    math.log2(restaurant_model[w1][w2])
    for w1, w2 in pairwise(["<s>", *scored_symbols(wish)])
]
print(f"perplexity of the wish:  {perplexity(logs, 2):.1f}")
print(f"if N forgets </s>:       {2 ** (-sum(logs) / (len(logs) - 1)):.1f}")
print(f"if e replaces 2:         {perplexity(logs, math.e):.1f}")

# %% [markdown]
# The last two lines are mistakes that anybody can make, and both of them look like ordinary results. When somebody tells you a perplexity,
# ask how it was computed.

# %% [markdown]
# ### A first cure for the zeros
#
# What is the perplexity of the bigram model on all the new sentences? You know the answer before you compute it. Four sentences in ten have a
# factor 0, so the perplexity is infinite: a die with infinitely many sides. A single unseen pair is enough for that.
#
# The simplest cure is the oldest one. **Add $k$ imaginary sightings to the count of every pair, and also of the pairs that were never seen.** With $V$ possible next
# words,
#
# $$P(w_2 \mid w_1) = \frac{c(w_1 w_2) + k}{c(w_1) + k V}.$$
#
# Words that the training text does not contain are all replaced by one token, `<UNK>`, for *unknown*. With $k = 1$ this is **Laplace smoothing**; Pierre-Simon Laplace used it in 1774. Nothing is impossible any more. But which $k$ is good? Before you run the cell,
# guess: is $k = 1$ better or worse than $k = 0.01$?

# %% alt="Perplexity on new sentences against the number k that is added to each count. The curve is nearly flat for tiny k, is lowest at a few thousandths, and rises to several times that value at k = 1."
pairs = Counter(pair for s in train_sentences for pair in ngrams(s, 2))
contexts = Counter(w1 for s in train_sentences for w1, _ in ngrams(s, 2))
known = {word for pair in pairs for word in pair} - {"<s>"}
V = len(known) + 1  # all words, </s>, and <UNK> for the words that we do not know
ks, values = np.geomspace(1e-4, 10, 26), []
for k in ks:
    logs = [
        math.log2((pairs[pair] + k) / (contexts[pair[0]] + k * V))
        for s in new_sentences
        for pair in ngrams([w if w in known else "<UNK>" for w in s], 2)
    ]
    values.append(perplexity(logs, 2))
best = int(np.argmin(values))
_, axes = plt.subplots(figsize=(6, 2.8))
axes.plot(ks, values, ".-")
axes.plot(ks[best], values[best], "o", markersize=9)
axes.set(
    title="A small k is best",
    xlabel="k, added to every count (log scale)",
    ylabel="perplexity",
    xscale="log",
    yscale="log",
)
axes.set_yticks([15, 20, 50, 100, 200], ["15", "20", "50", "100", "200"])
axes.minorticks_off()
plt.show()
print(
    f"V = {V:,}; half of the words were seen at most {np.median([*contexts.values()]):.0f} times"
)
one = values[int(np.argmin(abs(ks - 1)))]
print(
    f"k = 1: perplexity {one:.0f};  the best of these, k = {ks[best]:.2g}: {values[best]:.0f}"
)

# %% [markdown]
# Laplace's $k = 1$ is far from the best. It hands out $V$ imaginary counts after each word, and most words have far fewer real ones, so most of the probability goes to pairs that nobody says. A small $k$ does much better. But is it right to give *every* unseen pair the same? *Thai lunch* is surely likelier than *thai
# of*, even where neither was ever said. And we have found the best $k$ by looking at the test, which is not fair. **How should one share what was never seen?** That is
# the question of chapter 02, and its answers are better than anything one would think of at first.

# %% [markdown] statement="believe_it"
# ### Better than infinity?
#
# A friend reports a perplexity of 12 on `new_sentences`, where your bigram model has ∞. Which two questions do you ask before you call your friend's
# model better, and how could each of them explain a 12? Use what this chapter has shown.

# %% [markdown] written="believe_it" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point for each of two questions that comes with its effect: had the model read these sentences (then it
# remembers them); which vocabulary (the more words are turned into `<UNK>`, the lower the perplexity, though less is
# said); does $N$ count the same symbols, `</s>` among them; was anything, such as $k$, chosen on these very sentences;
# do its probabilities sum to 1 after each context (scores that give away more than 1 look better). 1 point: supports
# one of them with a measurement of this chapter, or with one of the student's own (40 % of the held-out sentences had
# leaked; the wish has 9.2 with `</s>` counted and 13.3 without; $k$ moves the perplexity from 57 to 15).
#
# No point for a question without its effect, or for one that does not touch the number (how long it trained, how
# large it is). A usual wrong idea: any finite perplexity beats ∞. The ∞ comes from single pairs that were never seen;
# it says nothing about all the other words.
#
# **Sample, 3 points.** First: were the new sentences in your training text? In section 1, 40 % of the held-out
# sentences had been said before, and we had to take them out. A model that has read the others would recognise them,
# and its 12 would be memory. Second: which words does your model know? If all rare words are the same token `<UNK>`,
# the model only has to guess that *some* rare word comes, which is easy, so a small vocabulary alone could give a 12.
#
# **Sample, 1 point.** I would ask whether it was trained on the test sentences, because then it knows them by heart
# and gets a low number. I would also ask how many parameters it has and on which computer it ran.
#
# **Sample, 0 points.** Infinity is the worst perplexity there is, so 12 is better in any case, and I would use the
# friend's model. A low perplexity always means that the next word is predicted well.
# ### END SOLUTION
