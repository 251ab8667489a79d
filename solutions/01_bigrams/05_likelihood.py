# %% [markdown]
# ## 4. Is dividing the best we can do?
#
# We divided a count by a sum because it felt natural. There are many other ways to turn counts into probabilities: take square
# roots of the counts, for example, or add a little to each of them. Which one is best?
#
# To answer this, we need a judge. Here is one. Let us look at one row of the table, the words after some $w_1$, and let $c(w)$ be
# their counts and $N$ the sum of the counts. A model proposes probabilities $q(w)$ for these words. Under this model, these $N$ next words, in
# the order in which they were said, have the probability
#
# $$L(q) = \prod_{w} q(w)^{c(w)}, \qquad\text{so}\qquad \ln L(q) = \sum_w c(w) \ln q(w).$$
#
# This is called the **likelihood** of $q$. (The whole text is a product of such factors, one for each row. No two rows share a number, so we may look for the best
# $q$ row by row.) A model that finds the text we really have improbable is not a good model of it. So the
# best model, by this judge, is the one with the largest likelihood. Let us try it. We take the words after *want*, change their
# probabilities at random, and look whether any change makes the text likelier than the shares $p(w) = c(w)/N$ do.

# %% alt="A cloud of 400 dots, one for each random change of the probabilities after want. All dots lie below the line at zero, and the further the probabilities are moved, the deeper the dots lie."
after_want = Counter(b for s in train_sentences for a, b in ngrams(s, 2) if a == "want")
c = np.array([*after_want.values()])
p = c / c.sum()
rng = np.random.default_rng(6)
moved, change = [], []
for strength in np.linspace(0.02, 1, 400):
    q = p * np.exp(strength * rng.normal(size=len(p)))
    q /= q.sum()
    moved.append(np.abs(q - p).sum() / 2)
    change.append((c * np.log(q)).sum() - (c * np.log(p)).sum())
_, axes = plt.subplots(figsize=(6, 2.8))
axes.plot(moved, change, ".", markersize=4)
axes.axhline(0, color="black", linewidth=1)
axes.set(
    title="No change makes the text likelier",
    xlabel="probability that was moved to other words",
    ylabel="change of ln L (nats)",
)
plt.show()
print(f"{sum(x > 0 for x in change)} of {len(change)} random changes are better")

# %% [markdown]
# Not one dot lies above the line. Is this luck? It is not, and the proof is so short that you should see it. It needs one fact about
# the logarithm: **$\ln x \le x - 1$ for all $x > 0$, and the two are equal only at $x = 1$.** The next figure shows why. The straight
# line touches the curve at $x = 1$, and the curve bends away below it on both sides.

# %% alt="The curve of ln x and the straight line x - 1. They touch at x = 1, and everywhere else the line lies above the curve."
x = np.linspace(0.05, 3, 200)
_, axes = plt.subplots(figsize=(6, 2.8))
axes.plot(x, x - 1, "--", label="x − 1")
axes.plot(x, np.log(x), label="ln x")
axes.plot([1], [0], "o", color="black")
axes.set(title="The line touches the curve once", xlabel="x", ylim=(-3, 2.2))
axes.legend()
plt.show()

# %% [markdown]
# Now compare any $q$ with the shares $p$. The sums run over the words that were counted. In the middle we put $x = q(w)/p(w)$ into $\ln x \le x - 1$:
#
# $$\ln L(q) - \ln L(p) = \sum_w c(w) \ln \frac{q(w)}{p(w)} = N \sum_w p(w) \ln \frac{q(w)}{p(w)} \;\le\; N \sum_w p(w) \Big(\frac{q(w)}{p(w)} - 1\Big)
# = N \Big(\sum_w q(w) - \sum_w p(w)\Big) \;\le\; 0.$$
#
# The first step is the rule for logarithms, and $c(w) = N p(w)$. The second step is our fact. The rest is arithmetic: the $p(w)$ cancel, the
# shares sum to 1, and the $q(w)$ sum to at most 1. So no $q$ is better than the shares, and none is as good unless all the ratios are 1,
# which means that $q = p$.
#
# This is why one calls the shares the **maximum likelihood estimate**, and why your function is named `bigram_mle`. **Count and divide
# is not a guess: no other bigram model makes the text you counted more probable.**
#
# That is good news and bad news. What makes the *counted* text most probable gives everything else the probability 0. The zeros of
# section 3 are not an accident; they are the price of being the best at the training text.
#
# *(This is a good place for a break.)*
