# %% [markdown]
# ## 4. Is dividing the best we can do?
#
# We divided a count by a sum because it felt natural. There are many other ways to turn counts into probabilities: take square
# roots of the counts, for example, or add a little to each of them. Which one is best?
#
# To answer this, we need a judge. Suppose that *want* was said four times, and that what followed was *to*, *to*, *a* and *to*. A model proposes a probability $q(w)$ for each word $w$ that may come after *want*. If it proposes $q(\textit{to}) = 0.7$ and $q(\textit{a}) = 0.2$, then it gives to what really followed the probability $0.7 \cdot 0.7 \cdot 0.2 \cdot 0.7 = 0.7^3 \cdot 0.2^1$. In general, a word that followed $c(w)$ times brings the factor $q(w)$ so many times:
#
# $$L(q) = \prod_{w} q(w)^{c(w)}, \qquad\text{so}\qquad \ln L(q) = \sum_w c(w) \ln q(w).$$
#
# This is called the **likelihood** of $q$. Our judge says: a model that finds the text we really have improbable is not a good model of it, so the
# best model is the one with the largest likelihood. (The whole text is a product of such factors, one for each row of the table. No two rows have a number in common, so we may look for the best
# $q$ row by row.)
#
# Let us try it on the row of *want*. Call $n$ the sum of all the $c(w)$, that is, the number of times that *want* was said. Our own answer is the share $p(w) = c(w)/n$ of each word. We change these shares at random, 400 times, and see whether any change makes the likelihood larger. In the figure each dot is one change. The line at 0 belongs to the shares, so a dot above it would be better than they are.

# %% alt="A cloud of 400 dots, one for each random change of the probabilities after want. All dots lie below the line at zero, and the further the probabilities are moved, the deeper the dots lie."
after_want = Counter(b for s in train_sentences for a, b in ngrams(s, 2) if a == "want")
c = np.array([*after_want.values()])
p = c / c.sum()  # the shares
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
    title="400 changes of the shares",
    xlabel="probability that was moved to other words",
    ylabel="change of ln L (nats)",
)
plt.show()
print(f"{sum(x > 0 for x in change)} of {len(change)} random changes are better")

# %% [markdown]
# None of the 400 changes is better. (The dots at the left lie so close to the line that the eye cannot tell; the printed number can.) Is this luck? It is not, and the proof is so short that you should see it. It needs one fact about
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
# Now compare any $q$ with the shares $p$. The sums run over the words that were counted.
#
# $$\ln L(q) - \ln L(p) = \sum_w c(w) \ln \frac{q(w)}{p(w)} = n \sum_w p(w) \ln \frac{q(w)}{p(w)} \;\le\; n \sum_w p(w) \Big(\frac{q(w)}{p(w)} - 1\Big)
# = n \Big(\sum_w q(w) - \sum_w p(w)\Big) \;\le\; 0.$$
#
# Follow it from left to right. The first step is the rule for the difference of logarithms. In the second step, $c(w) = n\,p(w)$. The third step is our fact, with $x = q(w)/p(w)$. In the fourth step the $p(w)$ in front of the bracket cancels. And in the last one, the
# shares sum to 1, and the $q(w)$ of these words sum to at most 1. So no $q$ is better than the shares, and none is as good unless all the ratios are 1, which means that $q = p$. (If $q$ gives a counted word the probability 0, then $L(q) = 0$, and there is nothing to show.)
#
# This is why one calls the shares the **maximum likelihood estimate**, and why your function is named `bigram_mle`. **Count and divide
# is not a guess: no other bigram model makes the text you counted more probable.**
#
# That is good news and bad news. What makes the *counted* text most probable gives everything else the probability 0. The zeros of
# section 3 are not an accident; they are the price of being the best at the training text.
#
# *(This is a good place for a break.)*
