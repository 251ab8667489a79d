# %% [markdown]
# ## 13. BLEU, as printed and as defined
#
# How good is a translation? People can judge it, or measure how long they need to mend it; both cost money (Muller). Papineni et al. (2002) compare with references by machine. Of the output's $N_i$ $i$-grams (rows of $i$ words), $C_i$ occur in a reference. Muller's lecture prints
#
# $$\text{BLEU} = \min\!\left(1, \frac{\text{out}}{\text{ref}}\right) \left( \prod_{i=1}^{4} \frac{C_i}{N_i} \right)^{1/4}$$
#
# with the numbers of words of output and reference. Something is missing, and something differs from the definition:

# %% [markdown]
# 1. $C_i$ must be **clipped**. Suppose that an $i$-gram stands seven times in the output, and at most twice in any one reference. Then it counts twice. Else
#    *the the the the the the the* would have seven hits of seven against *the cat is on the mat*; clipped, two of seven.
# 2. Precision rewards saying little, so short outputs pay a **brevity penalty**, by definition $\exp(1 - \text{ref}/\text{out})$ if out < ref and 1 otherwise. For 8 words of 10: .7788; the slide has .8.
# 3. All sums run over the **whole text**: $C_i = \sum$ over all sentences, then one ratio.
#
# As defined, this is what `sacrebleu` computes, the program that most papers use, if its smoothing is switched off (`smooth_method="none"`). Our tests
# compare the two on 200 random texts, and the BLEU values of section 10 are its own.

# %% folded="random texts for checks"
def random_text(rng, n, letters="abc", longest=12):
    """(outputs, references) of n sentences; some outputs are one of their references."""
    references = [
        [
            rng.choices(letters, k=rng.randint(1, longest))
            for _ in range(rng.randint(1, 4))
        ]
        for _ in range(n)
    ]
    others = [rng.choices(letters, k=rng.randrange(longest)) for _ in range(n)]
    pairs = zip(others, references, strict=True)
    return [rng.choice([other, list(some[-1])]) for other, some in pairs], references


# %% [markdown] statement="bleu"
# - `hits(output, references, i)`: $(C_i, N_i)$ of one sentence, clipped. `output`: a list of words; `references`: one or more such lists.
# - `bleu(outputs, references, printed=False)`: BLEU of a text between 0 and 1; `references[s]` are those of sentence $s$. "ref" sums, for each sentence, the
#   length of the reference whose length is closest to the output's (the shorter of two equally close). With `printed=True`, use the slide's penalty, $\min(1,
#   \text{out}/\text{ref})$, in place of the exponential. The hits are clipped in both cases. 0 if any $C_i$ is 0.

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
_pieces = choice("abc", ["a", "bc", "ab", "c"], ["a", "A"])
agrees(
    hits,
    ours.hits,
    words(size("output", least=0), _pieces),
    listing(size("references", most=3, large=None), words(size("length"), _pieces)),
    choice(1, 2, 3, 4),
)
_got = hits(["a", "bc"], [["ab", "c"]], 2)
assert tuple(_got) == (0, 1), f"*a bc* against *ab c*: (0, 1) wanted; yours: {_got}."
### END HIDDEN TESTS

# %% test="bleu" aspect="brevity, as defined and as printed" points=1
_ref = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
_got = bleu([_ref[:8]], [[list(_ref)]]), bleu([_ref[:8]], [[list(_ref)]], printed=True)
assert all(map(is_number, _got)), f"bleu returns a number; yours: {_got}."
assert close(_got, (math.exp(-0.25), 0.8)), (
    f"8 right words of 10: .7788 as defined, .8 as printed; yours: {_got}."
)
### BEGIN HIDDEN TESTS
agrees(
    bleu,
    ours.bleu,
    whole(4, 14),
    choice(False, True),
    by=lambda bleu, n, printed: bleu(
        [list("abcdefghijklmn")[:n]], [[list("abcdefghij")]], printed=printed
    ),
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
agrees(
    bleu,
    ours.bleu,
    made(
        random_text,
        size("sentences", least=2),
        choice("ab", ["a", "bc", "ab", "c"]),
        choice(12, 40),
    ),
    choice(False, True),
    choice(1, 2),  # the same sentences again
    by=lambda bleu, text, printed, times: bleu(*(times * s for s in text), printed),
    mixtures=40,
)
### END HIDDEN TESTS


# %% test="bleu" aspect="edges" points=1
_got = bleu([["a", "b", "c", "x"]], [[["a", "b", "c", "d"]]])
assert close(_got, 0) and is_number(_got), (
    f"No 4-gram is right, so BLEU is 0; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_five = list("abcde")
for _out, _refs in (
    (_five, [list("abcdefg"), list("abcd")]),  # lengths 7 and 4: the closest is 4
    (_five, [list("abcd"), list("abcdef")]),  # equally close: the shorter one
    (_five, [list("abcdef"), list("abcd")]),
    ([], [_five]),
    (["a", "b"], [["a", "b"]]),
):
    _got, _wanted = bleu([list(_out)], [_refs]), ours.bleu([_out], [_refs])
    assert is_number(_got) and close(_got, _wanted), (
        f"{_out} against {_refs}: {_wanted} wanted; yours: {_got!r}."
    )
agrees(
    bleu,
    ours.bleu,
    made(random_text, size("sentences", large=None), choice("ab", ["the", "The"])),
    choice(False, True),
    by=lambda bleu, text, printed: bleu(*text, printed),
)
### END HIDDEN TESTS

# %%
references = [translation.references(S) for S in valid_sources[:200]]
dice = random.Random(2)


# %%
def spoil(words, how):
    """The words with one thing wrong; a wrong ending says that somebody else acts."""
    words = list(words)
    place = dice.randrange(len(words) - 1)
    if how == "two words swapped":
        words[place : place + 2] = words[place + 1], words[place]
    elif how == "a word lost":
        del words[place]
    elif how == "a word of another sentence":
        words[place] = dice.choice(dice.choice(targets))
    elif how == "a wrong ending":
        stem, tense, person = verb(words)
        other = dice.choice([e for e in ("m", "s", "", "mu", "su", "n") if e != person])
        words[-2 if words[-1] == "ka" else -1] = stem + tense + other
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
# Into each sentence one error was put. (A few of the outputs are valid all the same. These numbers, multiplied by 100, are what papers print.) The mean over
# sentences is much lower and is not BLEU: a short sentence with one error often has no right 4-gram left, so alone it gets 0, while in the whole text it merely
# adds few hits to the sums. That is why BLEU of a single sentence says so little.

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
