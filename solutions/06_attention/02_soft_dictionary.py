# %% [markdown]
# ## 1. A dictionary that answers softly
#
# A Python dict returns the value of the one key that *equals* your query, and a `KeyError` if there is none. That is too strict for words. A verb that looks for
# its subject does not know which noun the subject will be. It knows only roughly what it looks for.
#
# A **soft lookup** always answers. It compares the **query** with every **key**, and it mixes all the **values**: the better a key matches the query, the more
# its value counts.
#
# Here is the smallest example, a menu of four lines. The key of a line says what kind of thing it is: $[1, 0]$ is a drink and $[0, 1]$ is a dish. The value of a
# line is its price. Now somebody asks: what does a dish cost here? So the query is $[0, 1]$, and the answer is worked out from left to right:
#
# | | key | value (price) | score: query · key | 3 to the power of the score | weight: divided by their sum, 6 |
# |---|---|---|---|---|---|
# | tea | 1 0 | 2 | 0 | 1 | 1/6 |
# | juice | 1 0 | 3 | 0 | 1 | 1/6 |
# | soup | 0 1 | 6 | 1 | 3 | 3/6 |
# | water | 1 0 | 1 | 0 | 1 | 1/6 |
#
# 1. **Scores.** How well does each key match the query? The **score** of a key is its dot product with the query. The soup has the score 1, and each drink has
#    the score 0.
# 2. **Weights.** For a mixture we need weights that are positive, that grow with the score, and that sum to 1. So we raise a fixed number, here 3, to the power
#    of each score. That gives $3^1 = 3$ for the soup and $3^0 = 1$ for each drink. Then we divide by the sum of all four, which is 6.
# 3. **Mixture.** We multiply each price by its weight and add up: $2 \cdot \frac16 + 3 \cdot \frac16 + 6 \cdot \frac36 + 1 \cdot \frac16 = 4$.
#
# The soup costs 6, and the plain mean of the four prices is 3. So the answer, 4, is not the price of the dish, but it has moved towards it.
#
# In practice the fixed number is $e = 2.718\dots$, and making weights from scores in this way is called the **softmax**. In symbols, for a query $q$, keys $k_i$
# and values $v_i$, the same three steps are:
#
# $$s_i = q \cdot k_i \qquad p_i = \frac{e^{s_i}}{\sum_j e^{s_j}} \qquad z = \sum_i p_i v_i$$

# %% folded="draws the soft lookup" alt="A query meets four keys; the scores go through softmax to four weights, each weight multiplies a value, and the sum is the answer."
drawings.soft_lookup()

# %% [markdown]
# Read the drawing from left to right: the query meets each key, the scores become weights, and the weights mix the values.
#
# In the menu each value was one number. A value may also be a vector, and then so is the answer $z$. From here on we write shapes in brackets. There are $n$ keys
# and $n$ values. The query and each key have $d_k$ numbers, so their shape is $[d_k]$. Each value has $d_v$ numbers, and so has $z$. The two numbers $d_k$ and
# $d_v$ may differ: in the menu $d_k$ is 2, and $d_v$ is 1.

# %% [markdown] statement="soft_lookup"
# ### Your dictionary
#
# Write it down, in about three lines. This is the seed of everything below: each kind of attention in this chapter is these three lines and something more.
#
# - `lookup(q, K, V)`: $z$, without a loop, from arrays $K$ $[n, d_k]$ and $V$ $[n, d_v]$.
#
# It must also survive scores in the thousands, where $e^s$ is too large for a computer. When it works, the cell below the checks asks for the price of a dish, in
# three ways.

# %% [markdown] hints="soft_lookup"
# 1. The answer has as many numbers as a *value*, not as many as a key, and not as many as there are keys.
# 2. One product of arrays gives all scores, another one mixes the rows of $V$.
# 3. If you take the same constant off all scores, no weight changes. Which constant keeps the powers small?


# %% task="soft_lookup" points=2 level=1 minutes=10
def lookup(q, K, V):
    """z: [d_v], from arrays q: [d_k], K: [n, d_k], V: [n, d_v]."""
    ### BEGIN SOLUTION
    s = K @ q
    weights = np.exp(s - s.max())
    return weights @ V / weights.sum()
    ### END SOLUTION


# %% test="soft_lookup" aspect="arrays, without a loop" points=1
_seen = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])
_got = lookup(
    np.array([0.0, 1.0]), _seen, np.array([[6, 1, 0], [6, 1, 0], [12, 0, 0], [0, 1, 0]])
)
_wanted = np.array([12 + 12 * math.e, 3, 0]) / (3 + math.e)
assert close(np.shape(_got), (3,), 0, 0), (
    f"Values of three numbers: z has three; yours: {_got!r}."
)
assert close(_got, _wanted, 1e-4, 1e-6), f"Wanted {_wanted.round(4)}; yours: {_got}."
### BEGIN HIDDEN TESTS
_n, _d_k, _d_v = size("n"), size("d_k"), size("d_v")
_q, _K, _V = (
    array(*_axes, kind=choice("float64", "int64"))
    for _axes in ((_d_k,), (_n, _d_k), (_n, _d_v))
)
agrees(lookup, ours.lookup, _q, _K, _V, rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS

# %% test="soft_lookup" aspect="large scores do not overflow" points=1
_K, _V = np.array([[1.0, 2], [1, 3], [2, 4], [2, 5]]), np.diag([1.0, 2, 3, 4])
with np.errstate(all="ignore"):
    for _large in (3000.0, -3000.0):
        _got, _wanted = lookup(np.array([_large, 0.0]), _K, _V), [0.5, 1, 0, 0]
        if _large > 0:
            _wanted = [0, 0, 1.5, 2]
        assert close(_got, _wanted, 1e-4, 1e-6), (
            f"Scores {_large}, twice, and {2 * _large}, twice: {_wanted}; yours: {_got}."
        )
### BEGIN HIDDEN TESTS
_n, _d_k, _d_v = size("n"), size("d_k", large=None), size("d_v", large=None)
_q = made(lambda rng, q: np.append(q, 1.0), array(_d_k, edges=("huge",)))
_K = made(  # the last number of each key adds the same to all scores
    lambda rng, K, high: np.hstack([K, np.full((len(K), 1), high)]),
    array(_n, _d_k),
    number(-1000, 1000, (0,)),
)
agrees(lookup, ours.lookup, _q, _K, array(_n, _d_v), rtol=1e-3, atol=1e-3)
### END HIDDEN TESTS

# %%
keys = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])  # drink, drink, dish, drink
prices = np.array([[2], [3], [6], [1]])
dish = np.array([0, 1])
print("powers of e:            ", lookup(dish, keys, prices).round(3))
print("keys ten times as long: ", lookup(dish, 10 * keys, prices).round(3))
print("a query of zeros:       ", lookup(0 * dish, keys, prices).round(3))

# %% [markdown]
# The first line asks what we asked by hand, with powers of $e$ instead of 3. The soup gets a little less weight, so the answer is 3.9 and no longer 4. Now the
# other two lines:
#
# - With keys ten times as long, the score of the soup is 10 instead of 1, and it gets nearly all the weight. The answer is 6.0, the price of the soup. Your soft
#   dictionary has become a Python dict again.
# - With a query of zeros, all four scores are 0 and all weights are equal. The answer is 3, the plain mean of the four prices. This is the bag of words of
#   chapter 04.
#
# These are the two ends, certain and undecided. In between, attention mixes. It is always a **weighted mean** of the values: no weight is negative, and the
# weights sum to 1.
#
# ## 2. One needle in much hay
#
# A soft lookup gives some weight to *every* word. With four words this already made a 6 into a 4. What will it do in a story of fifty words, or in a book with a
# hundred thousand? Suppose that exactly one of them is what the query looks for. We call it the **needle**, and all the other words the **hay**. The needle has
# the score $s$, and each word of the hay has the score 0. How much of the answer comes from the needle, and how much from the hay?

# %% [markdown] statement="needle"
# ### Guess, then compute
#
# First guess, seriously, and write it down: with the score $s = 10$, how much weight (0 to 1) does the needle get among $n = 100{,}000$ words? Any honest guess
# counts. Then work it out:
#
# - `guess`: your guess, a number;
# - `weight_on_one(n, s)`: the weight of the needle among $n \ge 2$ words, itself included;
# - `measured`: the weight for this $n$ and this $s$, computed with your function.
#
# The figure below the checks will show your guess beside the truth.

# %% [markdown] hints="needle"
# 1. What do the other $n - 1$ keys contribute to the denominator, all together?
# 2. The needle contributes $e^s$ to the denominator, and each word of the hay $e^0$.
# 3. Divide above and below by $e^s$. What is left, $e^{-s}$, is small for a large $s$, and does not overflow for any $s$ in the range.


# %% task="needle" points=2 level=1 minutes=8
def weight_on_one(n, s):
    """Weight of one key with score s (from -100 to 1,000) among n, the others' scores being 0."""
    ### BEGIN SOLUTION
    return 1 / (1 + (n - 1) * math.exp(-s))
    ### END SOLUTION


# guess = a number from 0 to 1, written down before you compute
# measured = the weight of the one for n = 100,000 and s = 10
### BEGIN SOLUTION
guess = 0.9
measured = weight_on_one(100_000, 10)
### END SOLUTION

# %% test="needle" aspect="one among n" points=1
for _n, _s, _wanted in (
    (4, 1, 0.475367),
    (10, 1, 0.231969),
    (1000, 10, 0.956614),
    (7, 0, 1 / 7),
    (5, 1000, 1),
):
    _got = weight_on_one(_n, _s)
    assert is_number(_got), f"weight_on_one returns a number; yours: {_got!r}."
    assert close(_got, _wanted, 0, 1e-6), (
        f"n = {_n}, s = {_s}: {_wanted:.6f}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_n = whole(2, 90, (3, 10**6, 10**9, 10**16))
_s = made(  # near ln n, where the weight is neither 0 nor 1
    lambda rng, n: math.log(n - 1) + rng.uniform(-3, 3), _n, edges=[0, -100, 1000, -3.5]
)
agrees(weight_on_one, ours.weight_on_one, _n, _s, rtol=1e-5, atol=1e-9)
### END HIDDEN TESTS

# %% test="needle" aspect="guess and measurement" points=1
for _name, _value in (("guess", guess), ("measured", measured)):
    assert is_number(_value), f"{_name} should be a number, not {_value!r}."
    assert 0 <= _value <= 1, f"A weight lies between 0 and 1; your {_name}: {_value}."
### BEGIN HIDDEN TESTS
assert close(measured, 0.180514, 0, 0.001), (
    f"measured is not {measured}: n = 100,000, s = 10."
)
### END HIDDEN TESTS

# %%
lengths = np.logspace(0.31, 6, 60)
curves = {s: [weight_on_one(n, s) for n in lengths] for s in (1, 3, 10)}

# %% folded="draws the needle" alt="The needle's weight over the length of the text, for scores 1, 3 and 10: each falls from near one to zero, the larger the score the later. Two marks show your guess and the computed weight."
_, axes = plt.subplots(figsize=(8, 3.2))
for (s, weights), colour in zip(curves.items(), plots.COLOURS, strict=False):
    axes.semilogx(lengths, weights, color=colour, label=f"score {s}")
axes.plot(1e5, measured, "ko", label="computed")
axes.plot(1e5, guess, "kx", markersize=9, label="your guess")
axes.set(xlabel="words in the text (log)", ylabel="weight of the needle")
axes.set(title="Any fixed score drowns in a long text", ylim=(-0.03, 1.03))
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=10)
plt.show()

# %% [markdown]
# Does your cross lie far above the dot? Then remember that a hundred thousand times a little is a lot. Each word of the hay contributes only $e^0 = 1$ to the
# denominator. But there are 99,999 of them, and the needle contributes $e^{10} \approx 22{,}000$. So the needle gets $22{,}000 / 122{,}000$, which is 0.18.
#
# This happens to every score: each curve falls to one half, and then towards 0. It is at one half where the hay weighs as much as the needle, $n - 1 = e^s$.
#
# The same equation shows the way out. To keep half of the weight, the needle needs the score $s = \ln(n - 1)$, and this grows slowly: for 100 words it is 4.6,
# and for a million words 13.8. So attention can find one word in a book, but only if it can make large scores.
