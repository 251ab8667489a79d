# %% [markdown]
# ## 3. A number that nobody printed
#
# Silvestri's lecture smooths the Berkeley counts with $\alpha = 1$. It prints the probabilities and the counts they are worth, called
# *reconstituted*:
#
# $$P = \frac{c + 1}{n + V} \qquad\qquad c^* = n P = \frac{(c + 1)\, n}{n + V}$$
#
# $V$ itself is printed nowhere, and some cells are misprinted. But each printed cell, rounded to two digits, is a clue about $V$.
# Let the clues vote.

# %%
table, word_counts = (
    berkeley.table("bigram_counts"),
    berkeley.unigram_counts().to_dict(),
)
print(word_counts)
print("c* as printed:")
print(berkeley.table("reconstituted_printed_002").to_string())


# %%
def last_digit(printed):
    """The unit of the last printed digit: two significant digits, but whole numbers from 10 on."""
    return 10.0 ** min(0, math.floor(math.log10(printed)) - 1)


[last_digit(x) for x in (0.00025, 0.052, 3.8, 15, 527)]

# %% [markdown] statement="infer_v"
# ### The printed slide is wrong: find it
#
# *chinese* ($n = 158$) before *food* ($c = 82$): $P$ is printed as 0.052, so the true value lies between 0.0515 and 0.0525, and $V$
# between $83/0.0525 - 158$ and $83/0.0515 - 158$. Write
#
# - `v_interval(numerator, n, printed)`: `(low, high)`, the real numbers $V$ for which $\text{numerator} / (n + V)$ rounds to `printed`
#   (half a `last_digit` to either side; the numerator of $c^*$ is $(c+1)\,n$);
# - `most_supported(intervals)`: a list of all whole numbers that lie in the most intervals, ends included; at least one interval
#   holds one. Equal intervals are so many votes. (Misprints are a minority: they are outvoted.)

# %% [markdown] hints="infer_v"
# 1. Solve the formula for $V$ first. Which end of the rounding range of `printed` gives the *larger* $V$?
# 2. One clue leaves many $V$. True clues overlap; a misprinted cell points anywhere. So do not intersect all: vote.
# 3. Only whole numbers between the lowest and the highest end can win. Find for each how many intervals hold it, and
#    keep all that reach the largest number of votes.


# %% task="infer_v" points=4 level=3 minutes=20
def v_interval(numerator, n, printed):
    """(low, high): for V between them, numerator / (n + V) rounds to `printed`."""
    ### BEGIN SOLUTION
    half = last_digit(printed) / 2
    return numerator / (printed + half) - n, numerator / (printed - half) - n
    ### END SOLUTION


def most_supported(intervals):
    """All integers that lie in the largest number of the intervals [(low, high), ...]; the list stays as it is."""
    ### BEGIN SOLUTION
    votes = Counter(
        V
        for low, high in intervals
        for V in range(math.ceil(low), math.floor(high) + 1)
    )
    return sorted(V for V in votes if votes[V] == max(votes.values()))
    ### END SOLUTION


# %% family="infer_v"
_c, _n = whole(1, 90), whole(100, 3000)
_small = made(
    lambda rng, e: rng.randint(11, 99) / 10**e, whole(2, 6), edges=[0.05, 0.002]
)
_large = choice(10, 15, np.float64(293), 527, 9.7, np.float64(3.8), 1.2)


def _in_any_order(got, wanted, intervals):
    return difference(sorted(got), wanted)


# %% test="infer_v" aspect="one cell leaves a range" points=1
_got = v_interval(83, 158, 0.052)
assert np.shape(_got) == (2,), (
    f"v_interval returns two numbers, low and high; yours: {_got!r}."
)
assert close(_got, (83 / 0.0525 - 158, 83 / 0.0515 - 158)), (
    f"83 / (158 + V) is .0515 to .0525 for V from 1422.95 to 1453.65; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
agrees(v_interval, ours.v_interval, _c, _n, _small, rtol=1e-5, atol=0.01)
### END HIDDEN TESTS


# %% test="infer_v" aspect="large numbers are printed whole" points=1
_got = v_interval(828 * 2533, 2533, 527)
assert np.shape(_got) == (2,), (
    f"v_interval returns two numbers, low and high; yours: {_got!r}."
)
assert close(_got, (828 * 2533 / 527.5 - 2533, 828 * 2533 / 526.5 - 2533)), (
    f"527 stands for 526.5 to 527.5, so V is between 1442.9 and 1450.5; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_numerator = made(
    lambda rng, printed, n: round(printed * (n + rng.randint(900, 2000))), _large, _n
)
agrees(v_interval, ours.v_interval, _numerator, _n, _large, rtol=1e-5, atol=0.01)
### END HIDDEN TESTS


# %% test="infer_v" aspect="a misprint is outvoted" points=1
_got = most_supported([(3.2, 9.7), (5.5, 20.1), (40.0, 41.0), (6.9, 8.5)])
assert hasattr(_got, "__iter__"), (
    f"most_supported returns a list of integers; yours: {_got!r}."
)
assert sorted(_got) == [7, 8], (
    f"7 and 8 lie in three of the four intervals; yours: {_got!r}."
)


### BEGIN HIDDEN TESTS
def _clues(rng, n):
    ends = [sorted(rng.sample(range(1, 60), 2)) for _ in range(n)]
    return [(a + rng.choice([0, 0.3]), b + rng.choice([0, 0.4])) for a, b in ends]


_thrice = [(5, 8.5)] * 3 + [(11, 14), (13, 17.1)]
_some = made(_clues, size("clues"), edges=[_thrice, [(90, 91), *_thrice, (7, 40)]])
agrees(most_supported, ours.most_supported, _some, compare=_in_any_order)
### END HIDDEN TESTS


# %% test="infer_v" aspect="ends and ties count" points=1
_got = most_supported([(3, 6), (6, 8), (10, 12), (12, 15)])
assert hasattr(_got, "__iter__"), (
    f"most_supported returns a list of integers; yours: {_got!r}."
)
assert sorted(_got) == [6, 12], (
    f"6 and 12 are each an end of two intervals: both win; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_some = choice(
    *([(5, 5)], [(-3.5, -1.5)], [(2.2, 2.8), (7.0, 8.9)], [(0.5, 2.0), (4, 6)]),
    *([(1448.2, 1452.9), (1440, 1449.0)], [(-2, 0), (0, 1), (7, 8)], [(0, 0.5)]),
)
agrees(most_supported, ours.most_supported, _some, compare=_in_any_order, mixtures=0)
### END HIDDEN TESTS


# %% scratch=true
v_interval(83, 158, 0.052)  # chinese food; try another cell

# %%
clues = {"P": [], "c*": []}
for w1, n in word_counts.items():
    for w2, c in table.loc[w1].items():
        clues["P"].append(
            v_interval(c + 1, n, berkeley.table("laplace_printed_002").loc[w1, w2])
        )
        clues["c*"].append(
            v_interval(
                (c + 1) * n, n, berkeley.table("reconstituted_printed_002").loc[w1, w2]
            )
        )
print(
    {name: most_supported(intervals) for name, intervals in clues.items()},
    most_supported(clues["P"] + clues["c*"]),
)

# %%
every = clues["P"] + clues["c*"]
for V_tried in (1446, 1447, 1448):
    agree, different = (
        f"{sum(low <= V_tried <= high for low, high in some)} of {len(some)}"
        for some in (every, set(every))
    )
    print(f"V = {V_tried} explains {agree} cells, {different} different clues")
places = [(w1, w2) for w1 in word_counts for w2 in table]
for name, intervals in clues.items():
    wrong = [
        " ".join(place)
        for place, (low, high) in zip(places, intervals, strict=True)
        if not low <= 1447 <= high
    ]
    print(f"cells of {name} that 1,447 does not explain:", ", ".join(wrong))
printed = berkeley.table("laplace_printed_002")["i"]
ratios = (table["i"] / pd.Series(word_counts)).map("{:.2g}".format)
print(pd.DataFrame({"column i of P": printed, "c / n": ratios}).T.to_string())

# %% [markdown]
# Only both tables together leave one number: 1,447. (Perhaps these are the 1,446 words of D. Jurafsky and J. Martin's textbook, and `</s>`. The tables do not
# say so.) The cells that disagree are the misprints: *spend spend* (.19; the other zeros of its row have .16), and the Laplace table's column *i*. As the
# last printed lines show, it was copied from the unsmoothed table, all but its 0.
#
# But how safe is this verdict? The textbook's $V = 1{,}446$ explains five cells fewer. Now look at these five: they are all in the row *chinese* of $c^*$,
# and all of them are printed as .098, because they all stand for $158/(158 + V)$. For $V = 1{,}446$ this is .098504, so close to .0985 that somebody who cuts
# off digits where he should round up prints .098 as well. One such slip makes five wrong cells. If equal clues are counted only once, as in the second
# column, 1,447 wins by a single clue against either neighbour. So 1,447 is the best guess and no certainty. **Votes that have the same origin are one vote**,
# however many they are.

# %%
kept_by = {"Laplace, α = 1": 1, "Jeffreys-Perks, α = ½": 0.5, "α = 0.003": 0.003}
kept = pd.DataFrame(
    {
        name: {word: n / (n + 1447 * alpha) for word, n in word_counts.items()}
        for name, alpha in kept_by.items()
    }
)
print("share that each row keeps:", kept.round(2).T.to_string(), sep="\n")

# %% [markdown]
# A row keeps the share $n/(n + V\alpha)$ of its frequencies; the rest is dealt out evenly. With Laplace, *chinese*
# keeps 10 %, and *food* after it falls from 82 to 8.2. The rarer the context, the more it loses, predictable or not.
