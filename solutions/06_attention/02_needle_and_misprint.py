# %% [markdown] statement="needle"
# ## 2. Predict, then measure: one needle, much hay
#
# Of $n \ge 2$ keys one, the needle, has the score $s$; all others, the hay, have 0.
#
# - `guess`, first: with $s = 10$ and $n = 100{,}000$, how much weight (0 to 1) does that one key get? Any honest guess counts;
# - `weight_on_one(n, s)`: its weight; $s$ from -100 to 1,000;
# - `score_needed(n, share)`: the $s$, perhaps negative, with which its weight is `share` (above 0, below 1);
# - `measured`: the weight you guessed, computed.

# %% [markdown] hints="needle"
# 1. What do the other $n - 1$ keys contribute to the denominator, all together?
# 2. Divide above and below by $e^s$: then no power is large.
# 3. Needle to hay is as `share` to $1 -$ `share`. Solve that for $e^s$, then take the logarithm.


# %% task="needle" points=3 level=2 minutes=11
def weight_on_one(n, s):
    """Weight of one key with score s among n, the others' scores being 0."""
    ### BEGIN SOLUTION
    return 1 / (1 + (n - 1) * math.exp(-s))
    ### END SOLUTION


def score_needed(n, share):
    """The score s for which weight_on_one(n, s) is `share`."""
    ### BEGIN SOLUTION
    return math.log((n - 1) * share / (1 - share))
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

# %% test="needle" aspect="the score a share needs" points=1
_got = score_needed(101, 0.5)
assert is_number(_got), f"score_needed returns a number; yours: {_got!r}."
assert close(_got, math.log(100), 1e-5), (
    f"As heavy as 100 others: s = ln 100 = 4.605; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_n = whole(2, 5000, (4, 10**6))
_less = made(lambda rng, n: rng.uniform(0.1, 0.9) / n, _n)  # than equal: s < 0
_share = choice(number(0.02, 0.98, (0.5, 1e-9, 1e-30, 1 - 1e-6)), _less)
agrees(score_needed, ours.score_needed, _n, _share, rtol=1e-4, atol=1e-4)
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

# %% scratch=true
weight_on_one(1000, 5), score_needed(1000, 0.9)  # numbers of your own

# %%
lengths = np.logspace(0.31, 6, 60)
curves = {s: [weight_on_one(n, s) for n in lengths] for s in (1, 3, 10)}
needed = [score_needed(n, 0.5) for n in lengths]

# %% folded="draws the needle" alt="Left: the needle's weight over the length of the text, for scores 1, 3 and 10: each falls from near one to zero, the larger the score the later. Right: the score needed for half the weight is a line in log length."
_, (left, right) = plt.subplots(1, 2, figsize=(6.4, 2.1))
for s, weights in curves.items():
    left.semilogx(lengths, weights)
    left.text(1.3 * math.exp(s), 0.5, s)
left.plot(1e5, measured, "ko", label="measured")
left.plot(1e5, guess, "kx", label="your guess")
left.set(xlabel="length of the text (words, log)", ylabel="weight of the needle")
right.semilogx(lengths, needed)
right.set(xlabel="length of the text (words, log)", ylabel="score for weight ½")
left.legend(loc="upper center", bbox_to_anchor=(0.5, 1.22), ncols=2, fontsize=9)
plt.show()

# %% [markdown]
# Left (the numbers are scores): a fixed score loses its weight as the text grows, since $n - 1$ keys of score 0 add $n - 1$
# to the denominator. Right: to keep half of the weight, the score must grow like the logarithm of the length.
#
# ## 3. The printed slide is wrong: find it
#
# Lecture 000 asks how the word *fox* relates to the nine words of its sentence. A "hard" maximum, it says, would pick *brown* alone, while
# "softmax would return us something like this":

# %%
fox = pd.DataFrame(
    {
        "score": [4, 6, 6.1, 4, 6, 1, -3, -4, -3],
        "printed": [0.05, 0.36, 0.40, 0.06, 0.13, 0.0, 0.0, 0.0, 0.0],
    },
    index=["a", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"],
)
print(fox.T.to_string())

# %% [markdown] statement="explain_print"
# Two equal scores have unequal printed weights: no softmax gives that. Which score would explain it?
#
# - `best_repair(scores, printed, candidates)`: change *one* score, to one of the candidates, so that the softmax comes as close to
#   the print as possible (any reasonable distance will do). Return `(i, new score)`;
# - `repaired`: the lecture's word and the whole number, from -9 to 9, that explain its print: `("word", number)`.

# %% [markdown] hints="explain_print"
# 1. Which words have equal scores? What should their printed weights be like?
# 2. There are only nine places and a few candidates: try all. How far are two lists of weights apart?
# 3. For each place and candidate, what would be printed? The pair whose print differs least from the real one explains it best.


# %% task="explain_print" points=3 level=2 minutes=13
def best_repair(scores, printed, candidates):
    """(i, s): with scores[i] replaced by s, one of the candidates, the softmax is closest to `printed`."""

    ### BEGIN SOLUTION
    def distance(repair):
        weights = np.exp(
            [repair[1] if i == repair[0] else s for i, s in enumerate(scores)]
        )
        return np.abs(weights / weights.sum() - printed).max()

    return min([(i, s) for i in range(len(scores)) for s in candidates], key=distance)
    ### END SOLUTION


# repaired = (a word of the sentence, the whole number that its score should be)
### BEGIN SOLUTION
repaired = best_repair(
    fox["score"].to_numpy(), fox["printed"].to_numpy(), range(-9, 10)
)
repaired = (fox.index[repaired[0]], repaired[1])
### END SOLUTION

# %% test="explain_print" aspect="one score, best of all" points=1
_got = best_repair([0.0, 1.0, 2.0], [0.09, 0.67, 0.24], [0, 1.0, 3.0])
assert close(np.shape(_got), (2,), 0, 0), (
    f"best_repair returns a pair (i, new score); yours: {_got!r}."
)
assert close(_got, (1, 3)), (
    f"Softmax of 0, 3, 2 is .04, .70, .26: the pair is (1, 3); yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_candidates = [-1.75, 0.25, 1.25, 2.25, 3.75]
for _i in (0, 6, random.randrange(7)):
    _scores, _s = np.random.default_rng().normal(size=7), random.choice(_candidates)
    if _i == 0:
        _s = 3.75  # which changes all other weights much
    _print = np.exp(np.where(np.arange(7) == _i, _s, _scores))
    _got = best_repair(
        _scores.tolist(), (_print / _print.sum()).tolist(), list(_candidates)
    )
    assert close(_got, (_i, _s)), (
        f"Score {_i} was changed to {_s}, and printed without rounding; you find {_got}."
    )
for (
    _at,
    _s,
    _scores,
    _print,
) in (  # rounded: the word printed worst is not the one, all distances agree
    (
        0,
        1.25,
        [1.222, 0.081, -1.025, -0.119, 0.924, -0.267, -0.754],
        [36, 11, 4, 9, 26, 8, 5],
    ),
    (
        2,
        -1.75,
        [1.637, -0.469, -2.15, 0.607, 1.006, -0.116, -0.113],
        [42, 5, 1, 15, 22, 7, 7],
    ),
    (
        6,
        -1.75,
        [-0.136, -0.255, 0.083, 1.309, -0.164, 0.023, -1.705],
        [10, 9, 13, 44, 10, 12, 2],
    ),
):
    _order, _more = np.random.default_rng().permutation(7), random.uniform(-3, 3)
    _i = int(np.flatnonzero(_order == _at)[0])
    _scores, _print = np.array(_scores)[_order] + _more, np.array(_print)[_order] / 100
    _changed = [_one + _more for _one in _candidates]
    _got = best_repair(_scores.tolist(), _print.tolist(), list(_changed))
    assert close(_got, (_i, _s + _more)), (
        f"Score {_i} of 7 should be {_s + _more:.2f}, to explain a print of two digits; you find "
        f"{_got}. Have you tried all places with all candidates?"
    )
for _scores, _at, _s, _candidates in (
    ([0, 1, 2], 1, 2, [2, 5]),  # the score that another word has
    ([2, 0, 0], 2, 2, [5, 2]),
    ([3, -1, 1], 0, 0, [2, 0, -2]),  # a candidate of 0
    *[([0, 1, 2], 0, _s, [2.1, 2.9, 2.4]) for _s in (2.1, 2.4, 2.9)],
    *[([3, -1], 1, _s, [-0.6, 0.3, 0.7]) for _s in (-0.6, 0.3, 0.7)],
):
    _print = np.exp([_s if i == _at else _one for i, _one in enumerate(_scores)])
    _print = (_print / _print.sum()).tolist()
    _got = best_repair(list(_scores), list(_print), list(_candidates))
    assert close(_got, (_at, _s)), (
        f"Scores {_scores}, candidates {_candidates}: score {_at} was changed to {_s}, "
        f"and printed without rounding; you find {_got}."
    )
_got = best_repair([1, 1, 2], [0.08, 0.10, 0.82], [4, 0])
assert close(_got, (2, 4)), (
    "Equal scores 1 and 1 are printed .08 and .10, yet it is the score 2, printed .82, "
    f"that 4 explains best: (2, 4); you find {_got}. Try all places."
)
_lists = [0.5, 2.0, -1.0, 1.5], [0.2, 0.5, 0.1, 0.2], [2.0, -1.0, 3.0, 0.5]
_after = arguments_after(best_repair, *(list(_list) for _list in _lists))
assert all(map(close, _after, _lists)), (
    "best_repair changes the lists that it is given: put scores into a copy."
)
### END HIDDEN TESTS

# %% test="explain_print" aspect="the lecture's print explained" points=2
assert isinstance(repaired, tuple | list) and len(repaired) == 2, (
    f"repaired is a pair (word, number); yours: {repaired!r}."
)
assert repaired[0] in [*fox.index], (
    f"The first of `repaired` is one of the nine words; yours: {repaired[0]!r}."
)
assert is_number(repaired[1]), (
    f"The second of `repaired` is a number; yours: {repaired[1]!r}."
)
### BEGIN HIDDEN TESTS
assert repaired[0] == "jumps", (
    f"Not {repaired[0]}: whose printed weight is far from its score's?"
)
assert close(repaired[1], 5), f"The word is right, its score is not {repaired[1]}."
### END HIDDEN TESTS

# %% scratch=true
softmax_of = np.exp([4.0, 6, 5]) / np.exp([4.0, 6, 5]).sum()
softmax_of.round(2)  # scores of your own


# %%
def softmax(s):
    """Weights p: [n] of scores s: [n]."""
    p = np.exp(s - np.max(s))
    return p / p.sum()


fox["true"] = softmax(fox["score"])
fox["repaired"] = softmax(fox["score"].where(fox.index != repaired[0], repaired[1]))
print(fox.round(3).T.to_string())

# %% [markdown]
# The repaired score explains all weights but that of *fox* itself, .06 for .05, perhaps so that the printed row sums to 1.
# And no softmax weight is ever 0: the four printed as 0.00 hold .002 together (row *true*).
#
# <details><summary>Slips in the printed slides</summary>
#
# Lecture 001 prints its example of section 1 with weights 1/6, 1/6, 1/2, 1/6: these belong to $e = 3$. With the true $e$
# they are .175, .175, .475, .175. The identity matrix that is to make its keys ten times as long should be $10\,I$.
# </details>
#
# How peaked is a softmax? Multiply all scores by one number:

# %%
scales = [0, 0.2, 0.5, 1, 10, 100]
rows = np.array([softmax(scale * fox["score"].to_numpy()) for scale in scales])
bits = [-(p[p > 0] * np.log2(p[p > 0])).sum() + 0 for p in rows]  # the entropy
labels = [f"× {scale}: {b:.1f} bits" for scale, b in zip(scales, bits, strict=True)]
tried = np.linspace(4, 8, 81)
changed = [fox["score"].where(fox.index != "quick", s).to_numpy() for s in tried]

# %% folded="draws the temperatures" alt="Left: six rows of weights on nine words; the larger the factor, the more lies on brown alone. Right: the soft weight on quick rises smoothly with its score, the hard one jumps from 0 to 1."
_, (left, right) = plt.subplots(1, 2, width_ratios=[5, 4], figsize=(6.6, 2.1))
image = left.imshow(rows, cmap="Blues", aspect="auto", vmin=0, vmax=1)
left.set_xticks(range(9), fox.index, rotation=60)
left.set_yticks(range(6), labels)
left.grid(False)
plt.colorbar(image, ax=left, label="weight")
right.plot(tried, [softmax(s)[1] for s in changed], label="soft")
right.plot(tried, [float(s.argmax() == 1) for s in changed], "--", label="hard")
right.set(xlabel="score of quick", ylabel="weight on quick")
right.legend(loc="upper left", fontsize=9, handlelength=1)
plt.show()

# %% [markdown]
# Left, downwards: from the bag of words (3.2 bits of entropy, weights all equal) to a dict (0). Why not take the hard
# maximum at once? Right: its weight is a step. Its slope is 0 wherever there is one, so nothing could be learned.
