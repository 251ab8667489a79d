# %% [markdown]
# ## 4. Is dividing the best we can do?
#
# We divided a count by a sum because it felt natural. There are many other ways to turn counts into probabilities. We could take square roots of the counts
# first, for example, or add 1 to the count of each word that did come. Which way is best?
#
# To answer this, we need a judge. Suppose that *want* was said four times, and that what followed was *to*, *to*, *a* and *to*. A model proposes a probability
# $q(w)$ for each word $w$ that may come after *want*. Say that it proposes $q(\textit{to}) = 0.7$ and $q(\textit{a}) = 0.2$. Then it gives to what really
# followed the probability $0.7 \cdot 0.7 \cdot 0.2 \cdot 0.7 = 0.7^3 \cdot 0.2 = 0.069$. This number is called the **likelihood** of $q$.
#
# Our judge prefers the model with the largest likelihood: the one that gives the most probability to the text that we have. The shares of our example are $3/4$
# for *to* and $1/4$ for *a*. Their likelihood is $0.75^3 \cdot 0.25 = 0.105$, so the judge prefers them to $0.7$ and $0.2$.
#
# Now the general formula. Let $c(w)$ be the number of times that $w$ came after *want*. In the example $c(\textit{to}) = 3$, so the factor $q(\textit{to})$
# occurs three times. In general the factor $q(w)$ occurs $c(w)$ times:
#
# $$L(q) = \prod_{w} q(w)^{c(w)}, \qquad\text{so}\qquad \ln L(q) = \sum_w c(w) \ln q(w).$$

# %% [markdown]
# Are the shares better than *all* other choices? Let us try it on the row *want* of the restaurant sentences. Let $n$ be the number of times that *want* was
# said. Then the share of $w$ is $p(w) = c(w)/n$.
#
# The next cell changes the shares at random, 400 times. Each dot in the figure is one change. The further to the right a dot is, the more probability was moved
# from some words to others. Its height is the change of $\ln L$: a dot above the line at 0 would be better than the shares, and a dot below it is worse. The
# square and the triangle are the two other ways that we have just named: square roots of the counts, and one more for each word that did come.

# %% alt="A cloud of 400 dots, one for each random change of the probabilities after want. All dots lie below the line at zero, and the further the probabilities are moved, the deeper the dots lie. A square for square roots of the counts lies far below the line, a triangle for one more to each count a little below it."
after_want = Counter(b for s in train_sentences for a, b in ngrams(s, 2) if a == "want")
c = np.array([*after_want.values()])
p = c / c.sum()  # the shares


def compare(weights):
    """The probability that was moved from the shares, and the change of ln L."""
    q = weights / weights.sum()
    return np.abs(q - p).sum() / 2, (c * np.log(q)).sum() - (c * np.log(p)).sum()


rng = np.random.default_rng(6)
strengths = np.linspace(0.02, 1, 400)
dots = [compare(p * np.exp(size * rng.normal(size=len(p)))) for size in strengths]
_, axes = plt.subplots(figsize=(6, 2.8))
axes.plot(*zip(*dots, strict=True), ".", markersize=4)
axes.axhline(0, color="black", linewidth=1)
print(f"{sum(y > 0 for _, y in dots)} of {len(dots)} random changes are better")
for name, mark, weights in (("square roots", "s", c**0.5), ("1 more", "^", c + 1)):
    x, y = compare(weights)
    axes.plot(x, y, mark, markersize=8, label=name)
    print(f"{name}: ln L changes by {y:.1f}")
axes.set(
    title="400 changes of the shares, and two other ways to divide",
    xlabel="probability that was moved to other words",
    ylabel="change of ln L",
)
axes.legend()
plt.show()

# %% [markdown]
# None of the 400 changes is better than the shares, and neither of the two other ways is. Is this luck? It is not, and the proof is so short that you should
# see it. It needs one fact about the logarithm: **$\ln x \le x - 1$ for all $x > 0$, and the two sides are equal only at $x = 1$.** The next figure shows it.
# The straight line $x - 1$ touches the curve $\ln x$ at $x = 1$, where both have the slope 1. From there the curve bends down on both sides (its slope $1/x$
# falls all the time), so everywhere else it is below the line.

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
# Now compare any $q$ with the shares $p$. As before, $c(w)$ is the number of times that $w$ came after *want*, and $n$ is the number of times that *want* was
# said. The sums run over the words that came after *want* at least once.
#
# $$\begin{aligned}
# \ln L(q) - \ln L(p) &= \sum_w c(w) \ln \frac{q(w)}{p(w)} && (1)\\
# &= n \sum_w p(w) \ln \frac{q(w)}{p(w)} && (2)\\
# &\le n \sum_w p(w) \Big(\frac{q(w)}{p(w)} - 1\Big) && (3)\\
# &= n \Big(\sum_w q(w) - \sum_w p(w)\Big) && (4)\\
# &\le 0. && (5)
# \end{aligned}$$
#
# 1. The difference of two logarithms is the logarithm of the ratio.
# 2. The share is $p(w) = c(w)/n$, so $c(w) = n\,p(w)$.
# 3. This is our fact $\ln x \le x - 1$, with $x = q(w)/p(w)$.
# 4. We multiply the bracket out. In the first term, $p(w)$ cancels.
# 5. The shares sum to 1, and the $q(w)$ of these words sum to at most 1.
#
# So no $q$ has a larger likelihood than the shares. In step 3 the two sides are equal only if every ratio $q(w)/p(w)$ is 1, so any other $q$ is worse. (Step 1
# needs $q(w) > 0$. If $q$ gives 0 to a word that was counted, its likelihood is 0, which is worse, too.)

# %% [markdown]
# The same holds for the row of every other word. This is why the shares are called the **maximum likelihood estimate**, and why your function is named
# `bigram_mle`. **Count and divide is not a guess: no other bigram model makes the text that you counted more probable.**
#
# That is good news and bad news. In each row, the words that were seen share the whole probability 1 among them. So a word that was never seen there gets 0. So
# the zeros that made sentences impossible in section 3 are not an accident. They are the price of being the best model of the training text.
#
# *(This is a good place for a break.)*
