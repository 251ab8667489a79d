# %% [markdown]
# ## 13. BLEU, as printed and as defined
#
# How good is a translation? People can judge it, or measure how long they need to mend it; both cost money (lecture 004). Papineni et al. (2002) compare with references by machine. Of the output's $N_i$ $i$-grams (rows of $i$ words), $C_i$ occur in a reference. Lecture 004 prints
#
# $$\text{BLEU} = \min\!\left(1, \frac{\text{out}}{\text{ref}}\right) \left( \prod_{i=1}^{4} \frac{C_i}{N_i} \right)^{1/4}$$
#
# with the numbers of words of output and reference. Something is missing, and something differs from the definition:

# %% [markdown]
# 1. $C_i$ must be **clipped**: an $i$-gram counts at most as often as in that reference which has it most often. Else *the the the the the the the* has seven hits of seven against *the cat is on the mat*; clipped, two of seven.
# 2. Precision rewards saying little, so short outputs pay a **brevity penalty**, by definition $\exp(1 - \text{ref}/\text{out})$ if out < ref and 1 otherwise. For 8 words of 10: .7788; the slide has .8.
# 3. All sums run over the **whole text**: $C_i = \sum$ over all sentences, then one ratio.
#
# As defined, this is what `sacrebleu` computes, the program that most papers use. Our tests compare the two on 200 random texts, and the BLEU values of sections 10 and 11 are its own.

# %% [markdown] statement="bleu"
# - `hits(output, references, i)`: $(C_i, N_i)$ of one sentence, clipped. `output`: a list of words; `references`: one or more such lists.
# - `bleu(outputs, references, printed=False)`: BLEU of a text between 0 and 1; `references[s]` are those of sentence $s$. "ref" sums, for each sentence, the length of the reference whose length is closest to the output's (the shorter of two equally close). With `printed`, the slide's penalty, clipped all the same. 0 if any $C_i$ is 0.

# %% [markdown] hints="bleu"
# 1. Two `Counter`s of tuples have a minimum, `&`, and a maximum, `|`. Which of them joins references, and which clips?
# 2. Add first, divide later: four sums of $C_i$, four of $N_i$, two of lengths.
# 3. The closest length: `min` with a key of two parts, the distance and the length itself.


# %% task="bleu" points=5 level=3 minutes=22
def hits(output, references, i):
    """(clipped matches, number) of a sentence's i-grams."""

    ### BEGIN SOLUTION
    def grams(words):
        return Counter(tuple(words[j : j + i]) for j in range(len(words) - i + 1))

    most = Counter()
    for reference in references:
        most |= grams(reference)
    mine = grams(output)
    return (mine & most).total(), mine.total()
    ### END SOLUTION


def bleu(outputs, references, printed=False):
    """BLEU of a text, 0 to 1; `printed`: with the penalty of the slide."""
    ### BEGIN SOLUTION
    pairs = list(zip(outputs, references, strict=True))
    precisions = []
    for i in range(1, 5):
        found = [hits(output, some, i) for output, some in pairs]
        C, N = (sum(column) for column in zip(*found, strict=True))
        if C == 0:
            return 0.0
        precisions.append(C / N)
    out = sum(map(len, outputs))
    ref = sum(
        min((abs(len(r) - len(output)), len(r)) for r in some)[1]
        for output, some in pairs
    )
    penalty = min(1, out / ref) if printed else math.exp(min(0, 1 - ref / out))
    return penalty * math.prod(precisions) ** (1 / 4)
    ### END SOLUTION


# %% test="bleu" aspect="clipped" points=1
_the, _cat = ["the"] * 7, ["the", "cat", "is", "on", "the", "mat"]
_got = hits(list(_the), [list(_cat)], 1)
assert isinstance(_got, list | tuple) and len(_got) == 2, (
    f"A pair (matches, number) is wanted; yours: {_got!r}."
)
assert tuple(_got) == (2, 7), f"*the* seven times: (2, 7) wanted; yours: {_got}."
### BEGIN HIDDEN TESTS


def _hits(output, references, i):
    grams = [tuple(output[j : j + i]) for j in range(len(output) - i + 1)]
    of = [[tuple(r[j : j + i]) for j in range(len(r) - i + 1)] for r in references]
    return sum(min(grams.count(g), max(r.count(g) for r in of)) for g in {*grams}), len(
        grams
    )


_one, _two = ["a", "b", "a"], ["b", "b", "a"]
for _i, _wanted in ((1, (4, 5)), (2, (2, 4)), (3, (0, 3))):
    _got = hits(["a", "a", "b", "b", "b"], [list(_one), list(_two)], _i)
    assert tuple(_got) == _wanted, (
        f"a a b b b against a b a and b b a, i = {_i}: at most as often as in one of them, {_wanted}; yours: {_got}."
    )
for _ in range(12):
    _out = random.choices("abc", k=random.randint(0, 9))
    _refs = [random.choices("abc", k=random.randint(1, 9)) for _ in range(3)]
    for _i in (1, 2, 3, 4):
        _got = hits(list(_out), [list(r) for r in _refs], _i)
        assert tuple(_got) == _hits(_out, _refs, _i), (
            f"{_out} against {_refs}, i = {_i}: {_hits(_out, _refs, _i)} wanted; yours: {_got}."
        )
### END HIDDEN TESTS

# %% test="bleu" aspect="brevity, as defined and as printed" points=1
_ref = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
_got = bleu([_ref[:8]], [[list(_ref)]]), bleu([_ref[:8]], [[list(_ref)]], printed=True)
assert all(map(is_number, _got)), f"bleu returns a number; yours: {_got}."
assert close(_got, (math.exp(-0.25), 0.8)), (
    f"8 right words of 10: .7788 as defined, .8 as printed; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _out, _wanted, _slide in (
    (_ref[:5], math.exp(-1), 0.5),
    (_ref, 1, 1),
    (_ref[:9], math.exp(1 - 10 / 9), 0.9),
):
    _got = (
        bleu([list(_out)], [[list(_ref)]]),
        bleu([list(_out)], [[list(_ref)]], printed=True),
    )
    assert close(_got, (_wanted, _slide)), (
        f"{len(_out)} right words of 10: {_wanted:.4f} and {_slide}; yours: {_got}."
    )
_out = [*_ref, "k", "l"]
_wanted = (10 / 12 * 9 / 11 * 8 / 10 * 7 / 9) ** (1 / 4)
for _printed in (False, True):
    _got = bleu([list(_out)], [[list(_ref)]], printed=_printed)
    assert close(_got, _wanted), (
        f"12 words, the first 10 right: longer outputs pay nothing more, {_wanted:.4f}; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="bleu" aspect="one sum over the whole text" points=2
_ref = list("abcdefghij")
_outs = [_ref[:6], ["x", "y", "z", "a", "b"]]
_refs = [[_ref[:6]], [["a", "b", "u", "v", "w"]]]
_got = bleu([list(o) for o in _outs], [[list(r) for r in some] for some in _refs])
assert close(_got, (8 / 11 * 6 / 9 * 4 / 7 * 3 / 5) ** (1 / 4)), (
    f"C = 8, 6, 4, 3 of N = 11, 9, 7, 5: .6386 wanted; yours: {_got}."
)
### BEGIN HIDDEN TESTS


def _hits(output, references, i):
    grams = [tuple(output[j : j + i]) for j in range(len(output) - i + 1)]
    of = [[tuple(r[j : j + i]) for j in range(len(r) - i + 1)] for r in references]
    return sum(min(grams.count(g), max(r.count(g) for r in of)) for g in {*grams}), len(
        grams
    )


def _bleu(outputs, references, printed):
    C, N = np.sum(
        [
            [_hits(o, some, i) for i in (1, 2, 3, 4)]
            for o, some in zip(outputs, references, strict=True)
        ],
        axis=0,
    ).T
    if not C.all():
        return 0.0
    out = sum(len(o) for o in outputs)
    ref = 0
    for o, some in zip(outputs, references, strict=True):
        lengths = sorted(len(r) for r in some)
        ref += min(lengths, key=lambda n: abs(n - len(o)))
    short = out / ref if printed else math.exp(1 - ref / max(out, 1))
    return min(1.0, short) * math.exp(np.log(C / N).mean())


for _number in range(6):
    _refs = [
        [
            random.choices("abcd", k=random.randint(5, 12))
            for _ in range(1 + _number % 3)
        ]
        for _ in range(4)
    ]
    _outs = [
        [random.choice("abcd") if random.random() < 0.15 else w for w in some[0]][
            : 3 + 3 * s
        ]
        for s, some in enumerate(_refs)
    ]
    _outs[_number % 4] = list(_refs[_number % 4][-1])
    for _printed in (False, True):
        _wanted = _bleu(_outs, _refs, _printed)
        _got = bleu([[*o] for o in _outs], [[[*r] for r in s] for s in _refs], _printed)
        assert close(_got, _wanted), (
            f"outputs {_outs}, references {_refs}, printed={_printed}: {_wanted:.5f} wanted; yours: {_got}."
        )
### END HIDDEN TESTS

# %% test="bleu" aspect="edges" points=1
_got = bleu([["a", "b", "c", "x"]], [[["a", "b", "c", "d"]]])
assert close(_got, 0) and is_number(_got), (
    f"No 4-gram is right, so BLEU is 0; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _outs, _refs in (
    ([[]], [[["a", "b", "c", "d", "e"]]]),
    ([["a", "b"]], [[["a", "b"]]]),
    ([["x", "y", "z", "u", "v"]], [[["a", "b", "c", "d", "e"]]]),
):
    _got = bleu(_outs, _refs)
    assert is_number(_got) and close(_got, 0), (
        f"{_outs} against {_refs}: there is no right 4-gram, 0 wanted; yours: {_got!r}."
    )
_five = ["a", "b", "c", "d", "e"]
_got = bleu([[], [*_five]], [[["a"]], [[*_five]]])
assert close(_got, math.exp(1 - 6 / 5)), (
    f"An empty sentence beside a right one of 5 words: only the penalty, exp(1 - 6/5); yours: {_got}."
)
_outs = [[*_five, "x", "y"], _five[:4], ["e", "d"]]
_refs = [[[*_five]], [[*_five, "f"]], [["g", "h"]]]
_wanted = (9 / 13 * 7 / 10 * 5 / 7 * 3 / 5) ** (1 / 4)
_got = bleu([[*o] for o in _outs], [[[*r] for r in some] for some in _refs])
assert close(_got, _wanted), (
    f"{_outs} against {_refs}: each sentence has its own references; 13 words of 13, so no penalty: {_wanted:.4f}; "
    f"yours: {_got}."
)
_long, _short = [*_five, "f", "g"], _five[:3] + ["d"]
_got = bleu([[*_five]], [[[*_long], [*_short]]])
assert close(_got, 1), (
    f"5 words, references of 7 and 4: the closest is 4, so no penalty; yours: {_got}."
)
for _refs in ([_five[:4], [*_five, "f"]], [[*_five, "f"], _five[:4]]):
    _got = bleu([[*_five]], [[[*r] for r in _refs]])
    assert close(_got, 1), (
        f"5 words, references of 4 and 6: the shorter one counts, no penalty; yours: {_got}."
    )
### END HIDDEN TESTS

# %%
references = [translation.references(S) for S in valid_sources[:200]]
dice = random.Random(2)


# %%
def spoil(words, how):
    """The words with one thing wrong."""
    words = list(words)
    place = dice.randrange(len(words) - 1)
    if how == "two words swapped":
        words[place : place + 2] = words[place + 1], words[place]
    elif how == "a word lost":
        del words[place]
    elif how == "a word of another sentence":
        words[place] = dice.choice(dice.choice(targets))
    elif how == "a wrong ending":
        words[place] += "mu"
    return words


# %%
HOW = [
    "two words swapped",
    "a word lost",
    "a word of another sentence",
    "a wrong ending",
]
spoilt = {how: [spoil(T, how) for T in valid_targets[:200]] for how in HOW}

# %%
for how, outputs in spoilt.items():
    alone = [bleu([o], [r]) for o, r in zip(outputs, references, strict=True)]
    print(
        f"{how:27} text {bleu(outputs, references):.3f}, mean of sentences {np.mean(alone):.3f}"
    )


# %% [markdown]
# Each sentence has one error. (These numbers, multiplied by 100, are what papers print.) The mean over sentences is much lower and is not BLEU: a short sentence with one error often has no right 4-gram left, so alone it gets 0, while in the
# whole text it merely adds few hits to the sums. That is why BLEU of a single sentence says so little.

# %% [markdown] statement="not_comparable"
# #### 34 against 28
#
# A friend writes: "My translator has BLEU 34, the one in the paper only 28, so mine is better." Name three different
# things that you would have to know before you believe it, and say for each how it can move BLEU without a better translation.

# %% [markdown] written="not_comparable" points=3 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point for each thing, at most 3, if the answer says how it moves the number. Right are: another test text
# or pair of languages (easier, or shorter sentences); the number of references (more of them can only add hits); the mean
# over sentences instead of the whole text; how words are cut, capital letters and punctuation (more or fewer pieces that
# agree); the printed brevity penalty instead of the defined one, or none; no clipping; test sentences that occur in training;
# the best of many runs, or settings chosen on the test text.
#
# No point for a thing without its effect ("other hyperparameters"). Two names for one thing count once. A usual wrong
# idea: a larger model or more training text makes the comparison unfair; it does, but then the translations are better.
#
# **Sample, 3 points.** Whether both used the same test sentences, since short and simple ones have more 4-grams right.
# How many references there were: an n-gram that is in any of them counts, so four references give more hits than
# one. And how the text was split into words: if "don't" is cut into pieces or everything is written small, more pieces agree.
#
# **Sample, 1 point.** I would ask how many references were used, because more references make BLEU higher. Also how long
# they trained and how many weights they have.
#
# **Sample, 0 points.** BLEU is between 0 and 1, so 34 is not possible and both have made a mistake.
# ### END SOLUTION
