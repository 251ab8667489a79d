# %% [markdown]
# ## 5. One number: how surprised is the model?
#
# In the game, the machine's surprise was different at each word. We want one number for a whole text, and it should not depend on how
# long the text is.
#
# Think of a die. Before you throw it, you are unsure among 6 equally likely sides, and each side has the probability $1/6$. A model
# that gives every true word the probability $1/6$ is as surprised by each of them as you are by the throw. We say that it has the **perplexity** 6.
#
# In a real text the probabilities differ from word to word. Suppose that the probability of a text has two factors, $1/2$ and $1/8$. Together they have the
# probability $\frac12 \cdot \frac18 = \frac1{16}$. Now look for a fair die whose two throws are just as improbable. It is a die with 4 sides, because
# $\frac14 \cdot \frac14 = \frac1{16}$. So the perplexity of this text is 4.
#
# Here is the same as a recipe for $N$ probabilities. Multiply them; in the example this gives $1/16$. Take the $N$-th root, which is $1/4$. Divide 1 by it,
# which is 4.
#
# Lower is better, and a model with perplexity 1 would always know what comes next. One warning: perplexity measures how much probability the *true* words got,
# and not how sure the model was. A model that is very sure of wrong words has a huge perplexity.

# %% [markdown] statement="perplexity"
# ### From logarithms to a die
#
# A text has $N$ factors $P(w_i \mid \dots)$, one for each word and one for each `</s>`, and you have their logarithms. Whatever the base $b$ of the logarithms
# is,
#
# $$\mathrm{PP} = \Big(\prod_{i=1}^N P(w_i \mid \dots)\Big)^{-1/N} = b^{\,H} \qquad\text{with}\qquad H = -\frac{1}{N} \sum_{i=1}^N \log_b P(w_i \mid \dots).$$
#
# The exponent $H$ is called **cross-entropy**. It is measured in bits for $b = 2$ and in nats for $b = e$. The cross-entropy is the number that was promised at
# the beginning: *the language models behind today's assistants are first trained to make it small.* (If $H$ falls, the perplexity falls with it.) In chapter 08
# you will watch it fall while your own Transformer learns.
#
# Write `perplexity(log_probabilities, base)`, the perplexity of a text from the logarithms of its factors. The cell below the checks shows two wrong ways to
# compute it, which look like right ones.

# %% [markdown] hints="perplexity"
# 1. A fair die: what must the perplexity be? Try your function on six equal factors of 1/6.
# 2. The mean logarithm is the logarithm of the factors' geometric mean. Undo the logarithm with
#    the same base with which it was taken.
# 3. Stay with logarithms until the last step: the product of 100,000 factors is zero to a
#    computer. $N$ is the number of the logarithms.


# %% task="perplexity" points=4 level=2 minutes=8
def perplexity(log_probabilities, base):
    """Perplexity of a text from the logarithms, to that base, of its N factors (a list or an array); infinite if one is -inf."""
    ### BEGIN SOLUTION
    return base ** -(sum(log_probabilities) / len(log_probabilities))
    ### END SOLUTION


# %% test="perplexity" aspect="N-th root of inverse probability" points=2
_value = perplexity([-1.0, -2.0, -3.0, -1.0], 2)
assert is_number(_value), f"Return a number; yours returned {_value!r}."
assert close(_value, 128**0.25), (
    f"Factors 1/2, 1/4, 1/8, 1/2: the fourth root of 128 is {128**0.25:.4f}, yours is {_value:.4f}."
)
### BEGIN HIDDEN TESTS
_p = made(lambda rng, n: [rng.uniform(0.05, 1) for _ in range(n)], size("N"))
_logs = made(lambda rng, p: [math.log2(x) * (x < 0.9) for x in p], _p)  # some are 0
_logs = choice(_logs, made(lambda rng, logs: np.array(logs), _logs))
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
_long = made(lambda rng, n: rng.choices([-2.0, -5.0], k=n), size("N", large=20_001))
_logs = made(  # one of them is tiny, or zero, wherever it stands
    lambda rng, few, log: rng.sample([log, *few], len(few) + 1),
    made(lambda rng: rng.choices([-1.0, -3.0, 0.0], k=99)),
    choice(-2000.0, -700.0, -math.inf),
)
_logs = choice(_long, _logs, [-math.inf])
agrees(perplexity, ours.perplexity, _logs, choice(2, math.e), rtol=1e-5)
### END HIDDEN TESTS

# %%
wish = ["i", "want", "thai", "food", "for", "lunch"]
logs = [math.log2(restaurant_model[w1][w2]) for w1, w2 in ngrams(wish, 2)]
print(f"perplexity of the wish:  {perplexity(logs, 2):.1f}")
print(f"if N forgets </s>:       {2 ** (-sum(logs) / (len(logs) - 1)):.1f}")
print(f"if e replaces 2:         {perplexity(logs, math.e):.1f}")

# %% [markdown]
# The first line is right: the perplexity is 9.2. The other two lines are mistakes that anybody can make. The second one takes the 6th root instead of the 7th,
# because it counts the six words and forgets `</s>`; the result is 13.3. The third one takes logarithms with base 2 and undoes them with base $e$; the result is
# 24.6. All three numbers look like ordinary results. So when somebody tells you a perplexity,
# ask how it was computed.

# %% [markdown]
# ### A first cure for the zeros
#
# What is the perplexity of the bigram model on all the new restaurant sentences? You can know it without computing it. Some pairs in these sentences were never
# seen, so they are factors 0. Then the product of all factors is 0, too, and the perplexity is infinite. A single unseen pair would be enough for that.
#
# There is a simple cure. **Add a number $k$ to the count of every possible pair, also to the counts of pairs that were never seen.** The number $k$
# need not be whole.
#
# Which pairs are possible? A new sentence may contain a word that is not in the training sentences. We replace every such word by one token, `<UNK>`, for
# *unknown*. So three kinds of tokens may come after a word: the different words of the training sentences, `</s>`, and `<UNK>`. Let $V$ be the number of all
# these tokens. Each of them gets $k$ more, so the sum of the row grows by $kV$:
#
# $$P(w_2 \mid w_1) = \frac{c(w_1 w_2) + k}{c(w_1) + k V}.$$
#
# With $k = 1$ this is **Laplace smoothing**. Now no pair is impossible, not even a pair with `<UNK>`.
#
# Which $k$ is good? Before you run the cell, guess: is $k = 1$ better or worse than $k = 0.01$? The figure shows the perplexity on the new sentences for many
# values of $k$.


# %% alt="Perplexity on new sentences against the number k that is added to each count. The curve is nearly flat for tiny k, is lowest at a few thousandths, and rises to several times that value at k = 1."
def smoothed(known):
    """The perplexity on the new sentences as a function of k, and V. Words that are not in `known` become <UNK>."""

    def pairs_of(sentences):
        for s in sentences:
            yield from ngrams([w if w in known else "<UNK>" for w in s], 2)

    pairs, contexts = Counter(pairs_of(train_sentences)), Counter()
    for (w1, _), count in pairs.items():
        contexts[w1] += count
    new_pairs = [*pairs_of(new_sentences)]
    V = len(known) + 2  # the known words, </s> and <UNK>

    def value(k):
        return perplexity(
            [
                math.log2((pairs[a, b] + k) / (contexts[a] + k * V))
                for a, b in new_pairs
            ],
            2,
        )

    return value, V


occurs = Counter(word for s in train_sentences for word in s)
value, V = smoothed({*occurs})
ks = np.geomspace(1e-4, 10, 26)
values = [value(k) for k in ks]
best = int(np.argmin(values))
_, axes = plt.subplots(figsize=(6, 2.8))
axes.plot(ks, values, ".-")
axes.plot(ks[best], values[best], "o", markersize=9)
axes.set(
    title="The same sentences, many values of k",
    xlabel="k, added to every count (log scale)",
    ylabel="perplexity (log scale)",
    xscale="log",
    yscale="log",
)
axes.set_yticks([15, 20, 50, 100, 200], ["15", "20", "50", "100", "200"])
axes.minorticks_off()
plt.show()
print(f"k = 1: perplexity {value(1):.0f};  k = 0.01: {value(0.01):.1f}")
print(f"k = {ks[best]:.2g}: perplexity {values[best]:.0f}, the best of these")
print(f"V = {V:,} tokens")
pairs = Counter(pair for s in train_sentences for pair in ngrams(s, 2))
for w1, w2 in (("chinese", "food"), ("want", "to")):
    seen, total = pairs[w1, w2], occurs[w1]
    print(f"{w1} {w2}: {seen} of {total} = {seen / total:.2f};", end=" ")
    print(f"with k = 1: {seen + 1} of {total + V} = {(seen + 1) / (total + V):.2f}")

# %% [markdown]
# Laplace's $k = 1$ gives the perplexity 57, and the best $k$ of the figure, about 0.004, gives 15. (Around it the curve is nearly flat.) Why is $k = 1$ so bad?
# It adds 1 to each of the $V = 1{,}400$ tokens that may follow a word, so each row gets 1,400 imaginary counts. In the row of a word that was seen less often
# than that, most of the counts are imaginary.
#
# Take *chinese*. In the training sentences it was said 135 times, and *food* followed 73 times. With $k = 1$ its row sums to $135 + 1400 = 1535$, so nine tenths
# of the row are imaginary. Then $P(\textit{food} \mid \textit{chinese})$ falls from $73/135 = 0.54$ to $74/1535 = 0.05$. Even in the row of *want*, one of the
# eight frequent words, $P(\textit{to} \mid \textit{want})$ falls from $0.65$ to $0.24$.
#
# A small $k$ does much better, and still two things are not right. First, all words that were never seen after *want* get the same probability, *want of* as
# much as *want chicken*. (Neither was ever said in the training sentences. The new ones have *want chicken* twice.) **How should one share out the
# probability of what was never seen?** That is the question of chapter 02. Second, we have found our $k$ by looking at the test sentences themselves, which
# one should not do: what is chosen on a text fits that text too well. (Here it does no harm. If we choose $k$ on every second new sentence, it is 0.004
# again, and it is also the best of the 26 for the other half.)
#
# There is also a way to cheat. We may decide that rare words are not in the vocabulary, so that they become `<UNK>`, too. The next cell takes $k = 0.004$. In
# its first line the known words are all those of the training sentences. In the second line they are the words that were seen at least twice there, and in
# the third line at least 5 times.
#
# Each line has a second number, for a harder job: whenever the model has said `<UNK>`, it must also say which word it is. It chooses blindly among $R + 1$
# answers: the $R$ words that were declared rare, and *a word that I have never read*. (In the first line $R$ is 0, so there is nothing to choose.) Which of
# the two numbers will fall?

# %%
tokens = sum(len(s) + 1 for s in new_sentences)
for least in (1, 2, 5):
    frequent = {word for word in occurs if occurs[word] >= least}
    value, V = smoothed(frequent)
    unknown = sum(word not in frequent for s in new_sentences for word in s)
    answers = len(occurs) - len(frequent) + 1  # one is: a word never read
    named = value(ks[best]) * answers ** (unknown / tokens)
    print(
        f"at least {least} times: V = {V:5,}, perplexity {value(ks[best]):.1f}, with names {named:.1f}"
    )

# %% [markdown]
# The first perplexity falls from 15.3 to 12.8 and to 11.5, but these three numbers cannot be compared. The models of the second and third line need not say
# *which* rare word comes. They only have to say that *some* rare word comes, and that is easier. Once they must name it, the three models have 15.3, 14.5 and
# 15.3. A little of the gain of the second line is honest: it has learned from its rare words what may follow a word that it does not know. In the third, this
# gain is eaten up by the blind guessing.

# %% [markdown] statement="believe_it"
# ### Better than infinity?
#
# A friend reports a perplexity of 12 on `new_sentences`, where your bigram model has ∞. Which two questions do you ask before you call your friend's
# model better, and how could each of them explain a 12? Use what this chapter has shown.

# %% [markdown] written="believe_it" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point for each of two questions that comes with its effect: had the model read these sentences (then it
# remembers them); which vocabulary (the more words are turned into `<UNK>`, the lower the perplexity, though less is
# said); is it only smoothed better (then 12 may be honest); does $N$ count the same symbols, `</s>` among them; was anything, such as $k$, chosen on these very
# sentences; do its probabilities sum to 1 after each context (scores that give away more than 1 look better). 1 point: supports one of them with a measurement of
# this chapter, or with one of the student's own (40 % of the held-out sentences also stood in training; the wish has 9.2 with `</s>` counted and 13.3 without;
# $k$ moves the perplexity from 57 to 15, and more unknown words make it smaller still).
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
