# %% [markdown]
# ## 9. Where the negatives come from
#
# If negatives were drawn as often as words occur, nearly a fifth would be *the* and commas, and rare words would seldom learn what they do *not* stand beside.
# If all words were equally likely, the model could tell a made-up pair by its rare word. Mikolov and others found a compromise by trial, on much text (on ours,
# powers of 0, ¾ and 1 gave equally good neighbours when we tried them): draw word $v$, which occurs $h_v$ times, with
#
# $$q_v = \frac{h_v^{\alpha}}{\sum_w h_w^{\alpha}}, \qquad \alpha = \tfrac34.$$
#
# To draw, put intervals of the lengths $q_0, q_1, \dots$ side by side: they fill the line from 0 to 1. A number that
# is uniform on $[0, 1)$ falls into interval $v$ with probability $q_v$.

# %% [markdown] statement="noise"
# ### Intervals on a line
#
# Write
#
# - `noise(occurrences, power)`: the array $q$;
# - `draw(q, u)`: for an array $u$ of numbers in $[0, 1)$, of any shape, the array of the same shape with the word that
#   each falls on. Interval $v$ contains its left end, not its right end.

# %% [markdown] hints="noise"
# 1. For $q = (0.5, 0.2, 0.3)$, write down the intervals. Where does 0.5 fall, where 0.69?
# 2. The right ends of the intervals are the running sums of $q$. You look for the first one that is beyond the number.
# 3. NumPy finds places in a sorted array, `np.searchsorted`, and its option `side` decides what happens on a border.
#    Rounding can leave the last running sum a little below 1: what if a number falls beyond? For the power: what is
#    $0^0$ in Python?


# %% task="noise" points=3 level=2 minutes=17
def noise(occurrences, power):
    """The noise distribution (V,) of words that occur so often; 0 for words that never do, whatever the power >= 0."""
    ### BEGIN SOLUTION
    counts = np.asarray(occurrences, dtype=float)
    weights = np.where(counts > 0, counts**power, 0)
    return weights / weights.sum()
    ### END SOLUTION


def draw(q, u):
    """The words (an integer array like u) on which the uniform numbers u fall; q (V,) sums to 1.

    A word of probability 0 is never drawn.
    """
    ### BEGIN SOLUTION
    last = np.flatnonzero(q)[-1]
    return np.minimum(np.searchsorted(np.cumsum(q), u, side="right"), last)
    ### END SOLUTION


# %% test="noise" aspect="powers of the counts" points=1
_got = noise([16, 1, 0], 0.75)
assert np.shape(_got) == (3,), f"Three words, three probabilities; yours: {_got!r}."
assert close(_got, [8 / 9, 1 / 9, 0], 1e-6), (
    f"16 to the power 3/4 is 8: (8, 1, 0) / 9 wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_occurrences = made(
    lambda rng, V: [*rng.choices([0, 1, 5, 99], k=V - 1), rng.randint(1, 20)],
    size("V"),
    edges=[
        lambda rng, V: np.array([16] + [0] * (V - 1)),
        [0, 7, 0, 5],
    ],
)
_power = choice(0, 0.5, 0.75, 1, 2, 4)
agrees(noise, ours.noise, _occurrences, _power, rtol=1e-6, atol=1e-9)
for _counts in ([10**10, 3 * 10**10, 7], np.array([16.0, 81.0, 1.0])):
    agrees(noise, ours.noise, _counts, _power, rtol=1e-6, atol=1e-9)
### END HIDDEN TESTS

# %% test="noise" aspect="a word for each number" points=1
_q = np.array([0.5, 0.2, 0.3])
_got = draw(_q.copy(), np.array([[0.1, 0.6], [0.9, 0.45]]))
assert np.shape(_got) == (2, 2), f"The shape of u, (2, 2), wanted; yours: {_got!r}."
assert close(_got, [[0, 1], [2, 0]]), (
    f"0.1, 0.6, 0.9, 0.45 fall on 0, 1, 2, 0; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_q = made(lambda rng, q: np.array(q), shares(size("V")))
_u = made(
    lambda rng, shape, order: np.array(
        np.reshape([rng.random() for _ in range(math.prod(shape))], shape), order=order
    ),
    choice((40,), (1,), (3, 5), (2, 3, 4), (0,), ()),
    choice("C", "F"),
)


def _whole(got, wanted, *_):
    floats = np.asarray(got).dtype.kind not in "iu"
    return difference(got, wanted) or (floats and "holds floats, wanted whole numbers")


agrees(draw, ours.draw, _q, _u, compare=_whole)
### END HIDDEN TESTS

# %% test="noise" aspect="the ends of the intervals" points=1
_got = draw(np.array([0.25, 0.75]), np.array([0.0, 0.25]))
assert np.shape(_got) == (2,), f"The shape of u, (2,), wanted; yours: {_got!r}."
assert close(_got, [0, 1]), (
    f"0.25 is the left end of the interval of word 1; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
assert close(
    draw(np.array([0.0, 0.5, 0.0, 0.5, 0.0]), np.array([0.0, 0.5, 0.9999999])),
    [1, 3, 3],
), (
    "Words of probability 0 are never drawn: with q = (0, 0.5, 0, 0.5, 0), 0 falls on word 1 and 0.5 on word 3."
)
_q = np.array([0.1] * 10 + [0.0])
assert close(draw(_q, np.array([np.nextafter(1, 0)])), [9]), (
    "Ten times 0.1, then 0: the largest number below 1 falls on word 9, even if the running sum is rounded."
)
_u = np.array([0.3 - 1e-12, 0.3 + 1e-12, 0.7 - 1e-12, 0.7 + 1e-12])
assert close(draw(_q, _u), [2, 3, 6, 7]), (
    "Ten times 0.1: numbers just beside the ends 0.3 and 0.7 fall on words 2, 3, 6 and 7."
)
_q = made(lambda rng, q: np.array(q), shares(size("V")))
_u = made(
    lambda rng, q, side: np.clip(np.cumsum(q) + side, 0, np.nextafter(1, 0)),
    *(_q, choice(-1e-9, 1e-9)),
)
agrees(draw, ours.draw, _q, _u)
### END HIDDEN TESTS

# %% folded="draws three ways to draw" alt="Share of the draws by rank of the word. With power 1 frequent words are drawn far more often, with 0.75 somewhat less so, and with 0 all words lie on one level line."
_, axes = plt.subplots(figsize=(7, 2.4))
ranks, u = range(1, V + 1), np.random.default_rng(1).random(100_000)
for power, colour in zip((1, 0.75, 0), plots.COLOURS, strict=False):
    chances = noise(occurrences, power)
    found = np.bincount(draw(chances, u), minlength=V) / len(u)
    found[found == 0] = np.nan
    axes.loglog(ranks, 100 * chances, color=colour, label=f"power {power}")
    axes.loglog(ranks, 100 * found, ".", color=colour, markersize=2)
axes.set_xlabel("place of the word (first <UNK>, then by frequency)")
axes.set_ylabel("drawn (%)")
axes.legend()
plt.show()

# %% [markdown]
# Lines: $q$; dots: 100,000 draws. With power ¾ frequent words are drawn less often than they occur and rare ones more
# often. (Mikolov and others also skip many occurrences of frequent words in the text, *subsampling*; we keep all.)
