# %% [markdown]
# ## 7. The books do not balance
#
# Compare two words of our text. *Panisse* is frequent, but it is only ever said after *chez*. *Greek* is rare: 25
# occurrences, after 16 different words. Now a context has some freed mass to give away. Who should get it? Surely
# *greek*, which turns up in one new place after the other, rather than *panisse*, which never does. But absolute
# discounting over a unigram deals the freed mass out by *frequency*, so *panisse* gets thirteen times as much.
#
# Can we see the damage without any new text? Let the model speak for a while, and count how often it says each word. If
# contexts come as often as in the text, $P(h) = n(h)/N$, it says $w$ with the **marginal** probability
#
# $$\sum_h \frac{n(h)}{N}\, P(w \mid h).$$
#
# A model that has its books in order says each word as often as the text does: the marginal is $c(w)/N$, as counted.

# %% [markdown] statement="keep_marginals"
# Let $T(h, w)$ be what is taken from the count $c(hw)$: with a constant discount, $k$ where $c(hw) > 0$ and else 0, but it may be anything between 0 and
# $c(hw)$. The freed mass goes to some distribution $q$ that is the same below all contexts:
#
# $$P(w \mid h) = \frac{c(hw) - T(h,w)}{n(h)} + \lambda(h)\, q(w), \qquad \lambda(h) = \frac{1}{n(h)} \sum_v T(h,v).$$
#
# - `marginal(C, P)`: the marginal probabilities, shape [V], from counts `C` and probabilities `P`, both of shape [contexts, V];
# - `lower_that_keeps(T)`: the one $q$, shape [V], with which *every* word's marginal is $c(w)/N$, from `T` of shape [contexts, V]
#   (not all 0). Paper first: put $P$ into the sum, and see what cancels.

# %% [markdown] hints="keep_marginals"
# 1. The more often a context occurs, the more its row counts. A context that never occurs has no say.
# 2. Multiply $P(w \mid h)$ by $n(h)$ before you sum: no fraction is left. What is the sum of $c(hw)$ over all $h$?
# 3. What $w$ lost in all contexts together must equal what it gets back: its share $q(w)$ of all that was taken
#    from anyone. Solve this for $q(w)$.


# %% task="keep_marginals" points=4 level=3 minutes=18
def marginal(C, P):
    """The sum over h of n(h)/N P(w | h), shape [V], from counts C and probabilities P, [contexts, V]; both stay."""
    ### BEGIN SOLUTION
    return C.sum(axis=1) @ P / C.sum()
    ### END SOLUTION


def lower_that_keeps(T):
    """The q, shape [V], that keeps every word's marginal, from what was taken: T, shape [contexts, V]; T stays."""
    ### BEGIN SOLUTION
    return T.sum(axis=0) / T.sum()
    ### END SOLUTION


# %% family="keep_marginals"
def _table(rng, m, V):
    C = np.reshape(rng.choices([0, 0, 1, 1, 2, 7], k=m * V), (m, V))
    C[0, -1] = 3
    return C


_C = made(
    _table,
    *(size("contexts", large=12), size("V", large=None)),
    edges=[
        lambda rng, m, V: np.eye(m, V, dtype=int),  # contexts seen just once
        lambda rng, m, V: 1 + np.eye(m, V),
        lambda rng, m, V: np.append(_table(rng, m, V), np.zeros((1, V), dtype=int), 0),
        lambda rng, m, V: np.append(np.zeros((m, 1), dtype=int), _table(rng, m, V), 1),
    ],
)

# %% test="keep_marginals" aspect="rows weigh by how often they occur" points=1
_C = np.array([[6, 2], [1, 1], [0, 0]])
_got = marginal(_C, np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]))
assert np.shape(_got) == (2,), f"One number for each of two words; yours: {_got!r}."
assert close(_got, [0.6, 0.4]), (
    "8 of 10 tokens stand after the first context, 2 after the second, none after the third: "
    f".8 · .5 + .2 · 1 = .6 and .4; yours: {_got}."
)


### BEGIN HIDDEN TESTS
def _any(rng, C):
    return np.random.default_rng(rng.getrandbits(60)).dirichlet(
        np.ones(C.shape[1]), len(C)
    )


agrees(marginal, ours.marginal, _C, made(_any, _C), mixtures=3, rtol=1e-5, atol=1e-7)
### END HIDDEN TESTS


# %% test="keep_marginals" aspect="unsmoothed counts keep them too" points=1
_C = np.array([[3, 1, 0], [0, 2, 2], [1, 0, 0]])
_got = marginal(_C, _C / _C.sum(axis=1, keepdims=True))
assert np.shape(_got) == (3,), f"One number for each of three words; yours: {_got!r}."
assert close(_got, [4 / 9, 3 / 9, 2 / 9]), (
    f"With P = c(hw) / n(h) the marginals are c(w) / N: 4/9, 3/9, 2/9; yours: {_got}."
)


### BEGIN HIDDEN TESTS
def _relative(rng, C):
    n = C.sum(axis=1, keepdims=True)
    return np.where(n > 0, C / np.maximum(n, 1), 1 / C.shape[1])


agrees(
    marginal, ours.marginal, _C, made(_relative, _C), mixtures=0, rtol=1e-5, atol=1e-7
)
### END HIDDEN TESTS


# %% test="keep_marginals" aspect="what was taken comes back" points=2
_C = np.array([[3, 1, 0], [0, 2, 2], [1, 0, 0]])
_got = lower_that_keeps(0.5 * (_C > 0))
assert np.shape(_got) == (3,), f"Return an array q of three numbers; yours: {_got!r}."
assert close(np.sum(_got), 1), f"q is a distribution; yours sums to {np.sum(_got)}."
### BEGIN HIDDEN TESTS
_share = choice(0.4, made(lambda rng, C: [rng.uniform(0.1, 1) for _ in C[0]], _C))
_T = made(
    lambda rng, C, share, scale: scale * C * share,
    *(_C, _share, choice(1, 1e-3)),
    edges=[lambda rng, C, *_: 0.4 * (C > 0), lambda rng, C, *_: 1 * (C > 0)],
)
agrees(lower_that_keeps, ours.lower_that_keeps, _T, rtol=1e-5, atol=1e-7)
### END HIDDEN TESTS


# %%
def discounted_with(lower):
    """P [V + 1, V]: your absolute discounting of every row, with the same lower distribution below all."""
    return np.vstack([absolute_discount(row, lower, predicted) for row in C])


balanced = lower_that_keeps(predicted * (C > 0))
shares = C.sum(axis=0) / C.sum()
says = {"unigram": unigram, "your q": balanced}
says = {name: marginal(C, discounted_with(lower)) for name, lower in says.items()}
for name, said in says.items():
    print(f"{name}: total error {abs(said - shares).sum() / 2:.4f}")
often = C.sum(axis=0) >= 20
loud = often & (says["unigram"] >= 1.05 * shares)
print(f"said 5 % too often or more: {loud.sum()} of the {often.sum()} frequent words,")
before = (C > 0).sum(axis=0)  # how many different words stand before w
print(f"   {(before[loud] == 1).sum()} of them always after the same word;")
at = bigrams.index["i"]
print(
    f"   “i” occurs {C[:, at].sum():,} times, after {before[at]} different words",
    end="; ",
)
print(f"said {says['unigram'][at] / shares[at]:.2f} times as often as counted")

# %% folded="draws which words the lower order starves" alt="What the model says divided by what was counted. With the unigram below, the points fall along a straight line, from 1.07 for panisse to 0.67 for greek, the more different words come before per occurrence; with your q all lie at one."
_, axes = plt.subplots(figsize=(7, 3.4))
places = before / np.maximum(C.sum(axis=0), 1)  # different places per occurrence
for name, said in says.items():
    ratio = said[often] / shares[often]
    axes.plot(places[often], ratio, ".", label=f"lower order: {name}")
for word, shift in {
    "panisse": (4, 8),
    "nearby": (6, 4),
    "greek": (-18, 10),
}.items():
    at = bigrams.index[word]
    ratio = says["unigram"][at] / shares[at]
    axes.plot(places[at], ratio, "o", color="black", fillstyle="none")
    axes.annotate(word, (places[at], ratio), shift, textcoords="offset points")
axes.set(xlabel="different words before w, per occurrence of w")
axes.set(ylabel="said by the model / counted", ylim=(0.6, 1.2))
axes.set_title("The unigram starves versatile words", loc="left", fontsize=11)
axes.legend(fontsize=10, loc="upper right")
plt.show()

# %% [markdown]
# Each dot is a word that was seen 20 times or more; at height 1 the model says it exactly as often as the text does. With the unigram as lower order,
# *panisse* comes 7 % too often. Of the 285 words in the figure, 57 are said at least 5 % too often. Of these, 25 always stand after the same word, as
# *panisse* and *lantern* do. But *i* is among them, too. It follows 29 different words, and yet these are few for a word that occurs 2,273 times. So what
# decides is the number of different places *per occurrence*. The versatile words pay for it: *greek*, with 16 places for 25 occurrences, is said a third too
# rarely. With your $q$ every word lies at 1.
#
# The dots lie on a straight line, but do not take this for 285 confirmations. It is arithmetic: with a constant discount a word loses $k$ for each of its
# places, and what it gets back from the unigram is nearly proportional to its count. Divide by the count, and the ratio is a constant minus something
# proportional to the places per occurrence. Only where on this line a word stands is a fact about the text.
#
# Now look at your formula once more, for the case that all discounts are equal. The $k$ cancels! What is left says: $q(w)$ is the number of **different
# contexts** in which $w$ was seen, divided by the number of different pairs. Frequency has dropped out altogether.
#
# Balanced books are nice, but does it pay? The new sentences of section 6 can tell. One thing is missing still: this $q$ gives a word that was never seen the
# probability 0, so an unknown word would be impossible again. So we discount the numbers of contexts, too, and let what is freed go to $1/V$, just as the
# unigram of section 5 does. But numbers of contexts are smaller than frequencies, so the same discount of .5 frees a larger part of them. To see what this
# alone brings, the middle line of the next table is a *generous unigram*. It counts frequencies, and gives $1/V$ exactly as much as the last line does.

# %%
versatile = absolute_discount(before, uniform, 0.5)
unknown = bigrams.index["<UNK>"]  # was never seen: has nothing but its share of 1/V
evenly = versatile[unknown] * V  # how much `versatile` gives to 1/V
generous = (1 - evenly) * shares + evenly * uniform
known_pairs = new_pairs[new_pairs[:, 1] != unknown]
judges = {"new pairs": new_pairs, "known words only": known_pairs}
lowers = {"unigram": unigram, "generous unigram": generous}
lowers["different contexts"] = versatile
rows = {
    name: {"to 1/V": f"{100 * lower[unknown] * V:.1f} %"}
    for name, lower in lowers.items()
}
for name, lower in lowers.items():
    for judge, pairs in judges.items():
        reached = held_out_perplexity(C, lower, pairs, predicted)
        rows[name][judge] = f"{reached:.2f}"
print(f"{len(new_pairs) - len(known_pairs)} of {len(new_pairs):,} tokens are <UNK>")
print("perplexity by lower order:", pd.DataFrame(rows).T.to_string(), sep="\n")

# %% [markdown]
# It pays: the perplexity falls from 14.43 to 13.33. But look at the middle line. A unigram that is merely more generous reaches 13.89, so about half of the
# gain has nothing to do with *what* is counted. Of the judged tokens 48 are `<UNK>`. They live on $1/V$ alone, and the unigram had left them far too little.
#
# The other half is your idea. From the second line to the third, only what the lower order counts has changed. Where all words are known (last column), the
# generous unigram brings less, and the larger part of the gain, from 12.54 to 12.03, is due to the different contexts. A new method often brings a second
# change with it that nobody asked for. A middle line like this one tells the two apart.
#
# You have just derived the central idea of the method that outlived nearly all the others. It has a name, and it is the next section.
