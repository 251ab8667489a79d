# %% [markdown]
# ## 4. The chain rule, and where a bigram model cuts it
#
# By the definition of conditional probability, $P(a, b) = P(a)\,P(b \mid a)$. Use this again and again, and the
# probability of $T$ words $w_1, \dots, w_T$ becomes a product with one factor for each word, the **chain rule**:
#
# $$P(w_1, \dots, w_T) = \prod_{t=1}^{T} P(w_t \mid w_1, \dots, w_{t-1}).$$
#
# It assumes nothing. But the later factors ask for a long past, and long pasts hardly ever come again. A bigram model
# makes the **Markov assumption**: of the past, only the last word counts,
# $P(w_t \mid w_1, \dots, w_{t-1}) \approx P(w_t \mid w_{t-1})$. What it forgets is dashed:

# %% folded="draws what is cut" alt="Two staircases for the text i want thai food. With the chain rule each word sees all words before it; with the bigram model all but the last of them are greyed out."
drawings.chain_rule(["i", "want", "thai", "food"])

# %% [markdown]
# In 1913 Andrey Markov counted how vowels and consonants follow one another in 20,000 letters of Pushkin's *Eugene
# Onegin*. The same for our text (rows sum to 1):

# %%
kinds = [
    "vowel" if letter in "aeiou" else "consonant"
    for letter in "".join(train_words)
    if letter.isalpha()
]
print(
    pd.crosstab(
        pd.Series(kinds[:-1], name="before"),
        kinds[1:],
        normalize="index",
        colnames=["after"],
    ).round(2)
)


# %% [markdown]
# Vowels rarely follow vowels, and in Pushkin even less often (Markov: .13, against .66 after consonants). One letter
# of past does tell something.
#
# What does it cost to forget the rest? A toy language has only three texts, with these probabilities:

# %%
joint = {
    ("cook", "here", "eats"): 0.3,
    ("cook", "now", "eats"): 0.2,
    ("cooks", "here", "eat"): 0.5,
}


# %% [markdown] statement="chain_rule"
# `joint` maps texts (tuples of three words) to probabilities; a text that is not listed has probability 0. Compute
# from such a table
#
# - `chain_factors(joint, sequence)`: the three factors $P(w_1)$, $P(w_2 \mid w_1)$, $P(w_3 \mid w_1, w_2)$ of the
#   chain rule, as a list;
# - `markov_factors(joint, sequence)`: the same with $P(w_3 \mid w_2)$ as the third.
#
# $w_k$ is the word at place $k$: the same word elsewhere does not count. At least one listed text begins with the first
# two words of `sequence`.

# %% [markdown] hints="chain_rule"
# 1. Each factor is one sum of table entries divided by another.
# 2. $P(w_2 \mid w_1)$: of all texts that begin with $w_1$, how much probability goes on with $w_2$? The third factor
#    is alike.
# 3. Markov's factor conditions on less, so *more* texts take part above and below the line than in the chain rule's:
#    what they have in common says nothing about the first word.


# %% task="chain_rule" points=3 level=2 minutes=16
def chain_factors(joint, sequence):
    """[P(w1), P(w2 | w1), P(w3 | w1, w2)] for the three words of `sequence`."""
    ### BEGIN SOLUTION
    start = [
        sum(p for words, p in joint.items() if words[:k] == tuple(sequence[:k]))
        for k in range(4)
    ]
    return [start[1], start[2] / start[1], start[3] / start[2]]
    ### END SOLUTION


def markov_factors(joint, sequence):
    """[P(w1), P(w2 | w1), P(w3 | w2)] for the three words of `sequence`."""
    ### BEGIN SOLUTION
    pair = sum(p for words, p in joint.items() if words[1:] == tuple(sequence[1:]))
    middle = sum(p for words, p in joint.items() if words[1] == sequence[1])
    return [*chain_factors(joint, sequence)[:2], pair / middle]
    ### END SOLUTION


# %% test="chain_rule" aspect="three factors by hand" points=1
_got = chain_factors(joint, ("cook", "here", "eats"))
assert np.shape(_got) == (3,), f"chain_factors returns three numbers; yours: {_got!r}."
assert close(_got, [0.5, 0.6, 1.0]), (
    f"For `cook here eats`: .5 begin with cook, .3 of those .5 go on with here, and all of them with eats; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_p = np.random.default_rng().dirichlet([3] * 5).tolist()
_table = dict(
    zip([tuple(text) for text in ("aba", "abc", "acb", "bbc", "cba")], _p, strict=True)
)
_a, _ab = _p[0] + _p[1] + _p[2], _p[0] + _p[1]
for _text, _third in (("aba", _p[0] / _ab), ("abc", _p[1] / _ab), ("abb", 0)):
    _got = chain_factors(dict(_table), tuple(_text))
    assert close(_got, [_a, _ab / _a, _third]), (
        f"On a random table, where words stand at several places, you give {_got!r}. "
        "(Where the text is not listed, the first two factors are not zero.)"
    )
_after = arguments_after(chain_factors, dict(_table), ("a", "b", "b"))[0]
assert dict(_after) == _table, "Leave `joint` as it is: your function changes it."
_after = arguments_after(chain_factors, defaultdict(float, _table), ("a", "b", "b"))[0]
assert dict(_after) == _table, (
    f"A look-up made your function's `defaultdict` grow: {set(_after) - set(_table)}."
)
### END HIDDEN TESTS

# %% test="chain_rule" aspect="chain product is the joint" points=1
_got = chain_factors(joint, ("cook", "here", "eat"))
assert np.shape(_got) == (3,), f"chain_factors returns three numbers; yours: {_got!r}."
assert np.prod(_got) == 0, (
    f"`cook here eat` is not in the table, so its product is 0; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _ in range(4):
    _p = np.random.default_rng().dirichlet(np.ones(24)).tolist()
    _table = {(a, b, c): _p.pop() for a in "xy" for b in "xyz" for c in "wxyz"}
    for _text in random.sample(list(_table), 8):
        _got = chain_factors(dict(_table), _text)
        assert np.shape(_got) == (3,), (
            f"chain_factors returns three numbers; yours: {_got!r}."
        )
        _product = np.prod(_got)
        assert close(_product, _table[_text]), (
            f"The factors multiply to the joint, without any assumption: {_table[_text]:.4f}; yours: {_product:.4f}."
        )
### END HIDDEN TESTS

# %% test="chain_rule" aspect="Markov forgets the first word" points=1
_got = markov_factors(joint, ("cook", "here", "eats"))
assert np.shape(_got) == (3,), f"markov_factors returns three numbers; yours: {_got!r}."
assert close(_got, [0.5, 0.6, 0.375]), (
    f"Whoever comes first: `here` is second in .8, with eats after it in .3: third factor .375; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_p = np.random.default_rng().dirichlet(np.ones(24)).reshape(2, 3, 4)
_cells = list(np.ndindex(2, 3, 4))
_table = {("xy"[a], "xyz"[b], "wxyz"[c]): float(_p[a, b, c]) for a, b, c in _cells}
for _a, _b, _c in random.sample(_cells, 10):
    _got = markov_factors(dict(_table), ("xy"[_a], "xyz"[_b], "wxyz"[_c]))
    _wanted = [
        _p[_a].sum(),
        _p[_a, _b].sum() / _p[_a].sum(),
        _p[:, _b, _c].sum() / _p[:, _b].sum(),
    ]
    assert close(_got, _wanted), (
        f"On a random table you give {_got!r}: look at the words' places."
    )
_p = np.random.default_rng().dirichlet([3] * 5).tolist()
_table = dict(
    zip([tuple(text) for text in ("aba", "abc", "acb", "bbc", "cba")], _p, strict=True)
)
_a, _ab, _b = sum(_p[:3]), _p[0] + _p[1], 1 - _p[2]
for _text, _wanted in (
    ("abb", [_a, _ab / _a, 0]),
    ("abc", [_a, _ab / _a, (_p[1] + _p[3]) / _b]),
    ("cbc", [_p[4], 1, (_p[1] + _p[3]) / _b]),
):
    _got = markov_factors(dict(_table), tuple(_text))
    assert close(_got, _wanted), (
        f"Listed or not, a text has its three factors; yours: {_got!r}."
    )
_after = arguments_after(markov_factors, dict(_table), ("a", "b", "b"))[0]
assert dict(_after) == _table, "Leave `joint` as it is: your function changes it."
_after = arguments_after(markov_factors, defaultdict(float, _table), ("a", "b", "b"))[0]
assert dict(_after) == _table, (
    f"A look-up made your function's `defaultdict` grow: {set(_after) - set(_table)}."
)
### END HIDDEN TESTS

# %% folded="draws both distributions" alt="Pairs of bars for four texts. The joint probability is on cook here eats and cooks here eat alone; the Markov model spreads it over all four, the wrong forms as well."
texts = [(who, "here", verb) for who in ("cook", "cooks") for verb in ("eats", "eat")]
_, axes = plt.subplots()
axes.bar(
    np.arange(4) - 0.2,
    [joint.get(text, 0) for text in texts],
    width=0.4,
    label="joint = chain rule",
)
axes.bar(
    np.arange(4) + 0.2,
    [np.prod(markov_factors(joint, text)) for text in texts],
    width=0.4,
    label="Markov",
)
axes.set_xticks(range(4), [" ".join(text) for text in texts])
axes.set(xlabel="text", ylabel="probability")
axes.legend()
plt.show()


# %% [markdown]
# The bigram model gets it wrong: after *here* it has forgotten who eats, and *cook here eat* receives a probability
# that the language never gave it.

# %% [markdown]
# <details><summary>Slips in the printed slides: two chain rules and a poem</summary>
#
# With the exact factors .5, .6 and 1 of *cook here eats*, the product is .3. The unsigned notes lose a factor,
# $P(w_1)\,P(w_3 \mid w_1, w_2)$: .5. F. Silvestri prints $P(w_1)\,P(w_2 \mid w_1)$ *after* the product sign, so that
# it comes in once for every word: .3³ · .3 = .0081. The notes call it "the trick" to make the Markov assumption in only
# one of two equal expressions; but the two stay equal, .5 · .6 · .2 / (.5 · .6) = .2, so nothing is gained. And in the
# notes Markov predicts the words of *Ruslan and Ludmila*.
#
# </details>
