# %% [markdown]
# ## 5. Take the same from everyone
#
# K. Church and W. Gale saw it more clearly in 44 million words of news: a count is worth about .75 less than itself, be it 2 or 9. (In our small text the
# loss was .4 for 2 and 1.1 for 9.) **Absolute discounting** (H. Ney and others, 1994) makes it a rule. Take a constant $k$ from every count that is not 0,
# and share the freed mass out in the proportions of the shorter memory $h'$. With $0 < k \le 1$:
#
# $$P(w \mid h) = \frac{\max(c(hw) - k,\, 0)}{n(h)} + \lambda(h)\, P(w \mid h')$$

# %% folded="draws the ladder of contexts" alt="A ladder of four rows, from a context of three words down to none. In each row a discounted count is kept, and the rest of the mass is handed down to the row below, at the end to 1/V for every word."
drawings.backing_off()

# %% [markdown] statement="absolute_discount"
# From top to bottom: each context keeps what its counts say, less $k$; the free rest, $\lambda(h)$, widens into the distribution
# of the shorter memory, built in the same way. At the bottom every event gets $1/V$.
#
# Find the $\lambda(h)$ that makes the sum over all $w$ equal to 1. Write `absolute_discount(row, lower, k)`: arrays of shape [V] in, one
# of shape [V] out, with `row` $= c(h\,\cdot)$ and `lower` $= P(\cdot \mid h')$. If $h$ was never seen, $P(w \mid h')$ is all you have.

# %% [markdown] hints="absolute_discount"
# 1. How much is taken in all? Not $k$ from each word of the vocabulary: who has nothing, pays nothing.
# 2. What was taken, divided by $n$, is the probability that is free. $P(w \mid h')$ sums to 1, so $\lambda$ is just that.
# 3. How many entries of the row are not 0? (Often written $N_{1+}(h\,\cdot)$.) Each paid $k$.
#    Take care of $n = 0$ before you divide.


# %% task="absolute_discount" points=3 level=1 minutes=10
def absolute_discount(row, lower, k):
    """P(w | h), shape [V], from counts row = c(hw) and lower = P(w | h'), both of shape [V]; both stay as they are."""
    ### BEGIN SOLUTION
    row, lower = np.asarray(row), np.asarray(lower)
    n = row.sum()
    if n == 0:
        return lower
    weight = k * np.count_nonzero(row) / n
    return np.maximum(row - k, 0) / n + weight * lower
    ### END SOLUTION


# %% family="absolute_discount"
_V, _k = size("V"), number(0.05, 1)
_row = made(
    lambda rng, V: np.array([*rng.choices([0, 0, 1, 1, 2, 5, 40], k=V - 1), 1]),
    _V,
    edges=[
        lambda rng, V: np.array(rng.sample([1, *[0] * (V - 1)], V)),
        lambda rng, V: np.array(rng.sample([3.0, *[0] * (V - 1)], V)),
        lambda rng, V: np.array(rng.choices([1, 2, 5], k=V)),
    ],
)
_lower = made(lambda rng, p: np.array(p), shares(_V))

# %% test="absolute_discount" aspect="freed mass goes to lower order" points=1
_got = absolute_discount(np.array([6, 3, 1, 0]), np.array([0.1, 0.2, 0.3, 0.4]), 0.5)
assert np.shape(_got) == (4,), f"Return an array of 4 probabilities; yours: {_got!r}."
assert close(_got[3], 0.15 * 0.4), (
    "Three words give .5 each, 1.5 of 10 tokens: .15 is free, and the word with count 0 gets .4 of it, "
    f".06; yours: {_got[3]!r}."
)
assert close(_got[0], 0.565), (
    f"The first word: (6 - .5) / 10 + .15 * .1 = .565; yours: {_got[0]!r}."
)
### BEGIN HIDDEN TESTS
agrees(
    absolute_discount, ours.absolute_discount, _row, _lower, _k, rtol=1e-5, atol=1e-7
)
# the same counts with another k or lower order, such as one that gives nothing to a seen word
_row, _p = np.array([1, 1, 0]), np.array([0, 0.25, 0.75])
agrees(absolute_discount, ours.absolute_discount, _row, _p, _k, mixtures=0, rtol=1e-5)
_lower = choice(_p, np.array([0.2, 0.3, 0.5]))
agrees(
    absolute_discount, ours.absolute_discount, _row, _lower, 0.5, mixtures=0, rtol=1e-5
)
### END HIDDEN TESTS


# %% test="absolute_discount" aspect="sums to one for every k" points=1
_got = absolute_discount(np.array([2, 0, 0, 1, 1]), np.full(5, 0.2), 1.0)
assert np.shape(_got) == (5,), f"Return an array of 5 probabilities; yours: {_got!r}."
assert close(np.sum(_got), 1), f"With k = 1 yours sums to {np.sum(_got):.4f}."
### BEGIN HIDDEN TESTS
agrees(
    absolute_discount, ours.absolute_discount, _row, _lower, _k, rtol=1e-5, atol=1e-7
)
_once, _p = choice(np.array([0, 1, 0]), np.array([1, 0, 1])), np.array([0.5, 0.3, 0.2])
for _k in (0.5, 1):  # each word seen once: with k = 1 nothing is kept
    agrees(
        absolute_discount, ours.absolute_discount, _once, _p, _k, mixtures=0, rtol=1e-5
    )
### END HIDDEN TESTS


# %% test="absolute_discount" aspect="a context never seen" points=1
_lower = np.array([0.5, 0.3, 0.2])
_got = absolute_discount(np.zeros(3, dtype=int), _lower.copy(), 0.7)
assert np.shape(_got) == (3,), f"Return an array of 3 probabilities; yours: {_got!r}."
assert close(_got, _lower), (
    f"Nothing was counted: return the shorter memory's distribution; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_row = made(lambda rng, V: np.zeros(V, dtype=rng.choice([int, float])), _V)
agrees(
    absolute_discount, ours.absolute_discount, _row, _lower, _k, mixtures=0, rtol=1e-5
)
_lower = choice(np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.1, 0.8]))
_inputs = np.zeros(3), _lower, 0.5
agrees(absolute_discount, ours.absolute_discount, *_inputs, mixtures=0, rtol=1e-5)
### END HIDDEN TESTS


# %%
uniform = np.full(V, 1 / V)
unigram = absolute_discount(bigrams.row(()), uniform, 0.5)
after_thai = absolute_discount(bigrams.row(("thai",)), unigram, 0.5)
pd.Series(after_thai, bigrams.vocabulary).nlargest(5).round(4)

# %% [markdown]
# <details><summary>A slip in the printed slides: where is the max?</summary>
#
# Durrett's lecture prints $(c(hw) - k)/n + \lambda P(w \mid h')$ for *every* word, also those with count 0. Then the unseen
# pay, too. With the $\lambda$ that you found, the sum stays below 1.
# </details>
