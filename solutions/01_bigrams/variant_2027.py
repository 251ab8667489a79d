# Chapter 01 for 2027: a knob that works the other way round, the inverse temperature.

# %% [markdown] statement="temperature"
# ### Dice with a knob
#
# Physicists often use the *inverse* temperature $\beta = 1/\tau$, because then every probability is simply raised to the power $\beta$. With $\beta = 0$ all
# words become equally likely, and the larger $\beta$ is, the more the likely words win. Write
#
# - `temper(distribution, beta)`: the dictionary `{word: probability}` at an inverse temperature from 0 upwards;
# - `sample(distribution, dart)`: one word, drawn by its probability. Your only source of chance is `dart`: each call `dart()` returns a random
#   number from 0 up to, but not including, 1.
#
# Think of a stick of length 1 that is cut into pieces, one for each word and as long as its probability. The dart hits the stick somewhere. When your two
# functions work, your own machine talks in the cell below the checks.

# %% [markdown] hints="temperature"
# 1. Try it on paper with the probabilities 0.8 and 0.2 and $\beta = 2$. What do you divide by?
# 2. The dart decides by running totals: the first word whose piece ends beyond the dart is hit. What about a word of length 0?
# 3. With a very large $\beta$, $P^{\beta}$ is too small for a computer, for all words at once, and you would divide 0 by 0. What happens to
#    the formula if you first divide all probabilities by the largest one?


# %% task="temperature" points=4 level=2 minutes=18
def temper(distribution, beta):
    """{word: probability} at an inverse temperature of 0 or more; a word of probability 0 keeps it (unless beta is 0)."""
    ### BEGIN SOLUTION
    largest = max(distribution.values())
    raised = {word: (p / largest) ** beta for word, p in distribution.items()}
    total = sum(raised.values())
    return {word: weight / total for word, weight in raised.items()}
    ### END SOLUTION


def sample(distribution, dart):
    """One word, drawn by its probability with uniform numbers dart() in [0, 1).

    A word of probability 0 is never drawn; some word always is, even where rounding leaves the sum a little below 1.
    """
    ### BEGIN SOLUTION
    hit, end = dart(), 0.0
    for word, probability in distribution.items():
        end += probability
        if hit < end:
            return word
    return max(distribution, key=distribution.get)
    ### END SOLUTION


# %% test="temperature" aspect="ratios become powers" points=1
_got = temper({"a": 0.8, "b": 0.2}, 2)
assert hasattr(_got, "keys"), (
    f"Return a dict word -> probability; yours returned {_got!r}."
)
assert close(sum(_got.values()), 1), (
    f"The probabilities sum to {sum(_got.values()):.3f}."
)
assert close(_got["a"], 16 * _got["b"]), (
    f"a is 4 times as likely as b; with beta = 2 it is 16 times. Yours: {dict(_got)}."
)
### BEGIN HIDDEN TESTS
_row = made(
    lambda rng, shares: dict(zip("abcdefghijkl", shares, strict=False)),
    shares(size("words", large=12)),
)
agrees(temper, ours.temper, _row, number(0.2, 5, (1.0, 0.5, 0.03)), rtol=1e-5)
agrees(temper, ours.temper, choice({"a": 0.3, "b": 0.7}, {"a": 1.0}), choice(0, 0.0))
### END HIDDEN TESTS

# %% test="temperature" aspect="nearly frozen" points=1
_got = temper({"a": 0.6, "b": 0.4}, 1000)
assert hasattr(_got, "keys"), (
    f"Return a dict word -> probability; yours returned {_got!r}."
)
assert close(_got["a"], 1) and close(_got["b"], 0), (
    f"With beta = 1000 nearly all of the probability is on the likeliest word; yours: {dict(_got)}."
)
### BEGIN HIDDEN TESTS
agrees(
    temper,
    ours.temper,
    choice(
        {"a": 0.3, "b": 0.7},
        {"a": 0.4995, "b": 0.5005},
        {"a": 0.5, "b": 0.5},
        {"a": 1e-9, "b": 1 - 1e-9},
        dict.fromkeys("abcd", 0.25),
    ),
    number(100, 2500, (1e6,)),
    atol=1e-9,
)
### END HIDDEN TESTS

# %% [markdown] replaces="the-machine-itself-6"
# These three lines came from your own machine. Now turn the knob: the next cell lets the machine with one word of memory go on from *the* at four values of $\beta$. What will happen with $\beta = 10$, and why?

# %% replaces="the-machine-itself-7"
for beta in (10.0, 2.0, 1.0, 0.2):
    said = say(my_machines[1], ["the"], beta, seed=1)
    print(f"beta {beta}:  {said}\n")

# %% [markdown] replaces="the-machine-itself-8"
# With $\beta = 10$ the machine takes the likeliest next word nearly every time. After the same word it then nearly always goes on in the same way, so the same few phrases come again and again. With $\beta = 0.2$ it takes any word that it has ever seen there, and the text falls apart.
