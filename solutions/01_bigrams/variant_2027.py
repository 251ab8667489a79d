# Chapter 01 for 2027: the chain rule from the back, and n-grams counted once each.

# %% replaces="4-the-chain-rule-and-where-a-bigram-model-cuts-it-6"
joint = {
    ("he", "often", "sings"): 0.4,
    ("he", "never", "sings"): 0.1,
    ("they", "often", "sing"): 0.5,
}


# %% [markdown] statement="chain_rule"
# `joint` maps texts (tuples of three words) to probabilities; a text that is not listed has probability 0. The chain
# rule holds in any order of the words; let us read *from the back*:
# $P(w_1, w_2, w_3) = P(w_3)\,P(w_2 \mid w_3)\,P(w_1 \mid w_2, w_3)$. Compute from such a table
#
# - `chain_factors(joint, sequence)`: these three factors, in this order, as a list;
# - `markov_factors(joint, sequence)`: the same with $P(w_1 \mid w_2)$ as the third.
#
# $w_k$ is the word at place $k$: the same word elsewhere does not count. At least one listed text ends with the last
# two words of `sequence`.

# %% [markdown] hints="chain_rule"
# 1. Each factor is one sum of table entries divided by another.
# 2. $P(w_2 \mid w_3)$: of all texts that end with $w_3$, how much probability has $w_2$ before it? The third factor
#    is alike.
# 3. Markov's factor conditions on less, so *more* texts take part above and below the line than in the chain rule's:
#    what they have in common says nothing about the last word.


# %% task="chain_rule" points=3 level=2 minutes=16
def chain_factors(joint, sequence):
    """[P(w3), P(w2 | w3), P(w1 | w2, w3)] for the three words of `sequence`."""
    ### BEGIN SOLUTION
    ends = [
        sum(p for words, p in joint.items() if words[k:] == tuple(sequence[k:]))
        for k in range(4)
    ]
    return [ends[2], ends[1] / ends[2], ends[0] / ends[1]]
    ### END SOLUTION


def markov_factors(joint, sequence):
    """[P(w3), P(w2 | w3), P(w1 | w2)] for the three words of `sequence`."""
    ### BEGIN SOLUTION
    pair = sum(p for words, p in joint.items() if words[:2] == tuple(sequence[:2]))
    middle = sum(p for words, p in joint.items() if words[1] == sequence[1])
    return [*chain_factors(joint, sequence)[:2], pair / middle]
    ### END SOLUTION


# %% test="chain_rule" aspect="three factors by hand" points=1
_got = chain_factors(joint, ("he", "often", "sings"))
assert np.shape(_got) == (3,), f"chain_factors returns three numbers; yours: {_got!r}."
assert close(_got, [0.5, 0.8, 1.0]), (
    f"For `he often sings`: .5 end with sings, .4 of those .5 have often before it, and all of them he; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_p = np.random.default_rng().dirichlet([3] * 5).tolist()
_table = dict(
    zip([tuple(text) for text in ("aba", "cba", "bca", "cbb", "abc")], _p, strict=True)
)
_a, _ba = _p[0] + _p[1] + _p[2], _p[0] + _p[1]
for _text, _third in (("aba", _p[0] / _ba), ("cba", _p[1] / _ba), ("bba", 0)):
    _got = chain_factors(dict(_table), tuple(_text))
    assert close(_got, [_a, _ba / _a, _third]), (
        f"On a random table, where words stand at several places, you give {_got!r}. "
        "(Where the text is not listed, the first two factors are not zero.)"
    )
_after = arguments_after(chain_factors, dict(_table), ("b", "b", "a"))[0]
assert dict(_after) == _table, "Leave `joint` as it is: your function changes it."
_after = arguments_after(chain_factors, defaultdict(float, _table), ("b", "b", "a"))[0]
assert dict(_after) == _table, (
    f"A look-up made your function's `defaultdict` grow: {set(_after) - set(_table)}."
)
### END HIDDEN TESTS

# %% test="chain_rule" aspect="chain product is the joint" points=1
_got = chain_factors(joint, ("they", "often", "sings"))
assert np.shape(_got) == (3,), f"chain_factors returns three numbers; yours: {_got!r}."
assert np.prod(_got) == 0, (
    f"`they often sings` is not in the table, so its product is 0; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _ in range(4):
    _p = np.random.default_rng().dirichlet(np.ones(24)).tolist()
    _table = {(a, b, c): _p.pop() for a in "wxyz" for b in "xyz" for c in "xy"}
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

# %% test="chain_rule" aspect="Markov forgets the last word" replaces="chain_rule--markov-forgets-the-first-word" points=1
_got = markov_factors(joint, ("he", "often", "sings"))
assert np.shape(_got) == (3,), f"markov_factors returns three numbers; yours: {_got!r}."
assert close(_got, [0.5, 0.8, 4 / 9]), (
    f"Whatever comes last: `often` is second in .9, with he before it in .4: third factor .444; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_p = np.random.default_rng().dirichlet(np.ones(24)).reshape(4, 3, 2)
_cells = list(np.ndindex(4, 3, 2))
_table = {("wxyz"[a], "xyz"[b], "xy"[c]): float(_p[a, b, c]) for a, b, c in _cells}
for _a, _b, _c in random.sample(_cells, 10):
    _got = markov_factors(dict(_table), ("wxyz"[_a], "xyz"[_b], "xy"[_c]))
    _wanted = [
        _p[..., _c].sum(),
        _p[:, _b, _c].sum() / _p[..., _c].sum(),
        _p[_a, _b].sum() / _p[:, _b].sum(),
    ]
    assert close(_got, _wanted), (
        f"On a random table you give {_got!r}: look at the words' places."
    )
_p = np.random.default_rng().dirichlet([3] * 5).tolist()
_table = dict(
    zip([tuple(text) for text in ("aba", "cba", "bca", "cbb", "abc")], _p, strict=True)
)
_a, _ba, _b = sum(_p[:3]), _p[0] + _p[1], 1 - _p[2]
for _text, _wanted in (
    ("bba", [_a, _ba / _a, 0]),
    ("cba", [_a, _ba / _a, (_p[1] + _p[3]) / _b]),
    ("cbc", [_p[4], 1, (_p[1] + _p[3]) / _b]),
):
    _got = markov_factors(dict(_table), tuple(_text))
    assert close(_got, _wanted), (
        f"Listed or not, a text has its three factors; yours: {_got!r}."
    )
_after = arguments_after(markov_factors, dict(_table), ("b", "b", "a"))[0]
assert dict(_after) == _table, "Leave `joint` as it is: your function changes it."
_after = arguments_after(markov_factors, defaultdict(float, _table), ("b", "b", "a"))[0]
assert dict(_after) == _table, (
    f"A look-up made your function's `defaultdict` grow: {set(_after) - set(_table)}."
)
### END HIDDEN TESTS

# %% replaces="4-the-chain-rule-and-where-a-bigram-model-cuts-it-9" folded="draws both distributions" alt="Pairs of bars for four texts. The joint probability is on he often sings and they often sing alone; the Markov model spreads it over all four, the wrong forms as well."
texts = [(who, "often", verb) for who in ("he", "they") for verb in ("sings", "sing")]
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


# %% [markdown] replaces="4-the-chain-rule-and-where-a-bigram-model-cuts-it-10"
# The bigram model gets it wrong, from the back as well: before *often* it has forgotten which form of the verb follows,
# and *they often sings* receives a probability that the language never gave it.

# %% [markdown] replaces="4-the-chain-rule-and-where-a-bigram-model-cuts-it-11"
# <details><summary>Slips in the printed slides: two chain rules and a poem</summary>
#
# Read from the front, the factors of *he often sings* are .5, .8 and 1, and the product is .4. The unsigned notes lose a
# factor, $P(w_1)\,P(w_3 \mid w_1, w_2)$: .5. F. Silvestri prints $P(w_1)\,P(w_2 \mid w_1)$ *after* the product sign, so
# that it comes in once for every word: .4³ · .4 = .0256. In the notes, Markov predicts the words of *Ruslan and Ludmila*,
# and it is "the trick" to assume Markov in one equation only: no trick, .5 · .8 · .2 / (.5 · .8) is .2 again.
#
# </details>

# %% [markdown] statement="unseen_share"
# ## 15. The price of a longer memory
#
# `unseen_share(train_sentences, test_sentences, n)`: of all *different* n-grams in the test sentences, which share
# never occurs in the training sentences? Count *types*: an n-gram that stands twice in the test text counts once. Pad
# as before: $n - 1$ symbols `<s>` in front, one `</s>` at the end; `windows` does that.

# %% [markdown] hints="unseen_share"
# 1. For n = 1 this is the share of unknown words in the test text's own vocabulary (with `</s>` in it).
# 2. Neither order nor number matters, on either side: which container fits?
# 3. What the test text has and the training text lacks is a difference of two sets; its size is compared with the size
#    of one of them. Which?


# %% task="unseen_share" points=3 level=2 minutes=8
def unseen_share(train_sentences, test_sentences, n):
    """Share of the n-gram types of the test sentences that the training sentences do not hold."""
    ### BEGIN SOLUTION
    seen = {gram for sentence in train_sentences for gram in windows(sentence, n)}
    asked = {gram for sentence in test_sentences for gram in windows(sentence, n)}
    return len(asked - seen) / len(asked)
    ### END SOLUTION


# %% test="unseen_share" aspect="types, not tokens" replaces="unseen_share--tokens-not-types" points=1
_share = unseen_share([["a", "b"]], [["a", "c", "c", "c"]], 1)
assert is_number(_share), f"Return a number; yours returned {_share!r}."
assert close(_share, 1 / 3), (
    f"a, c and `</s>` are three types, one of them unseen: 1/3. Yours: {_share:.3f}."
)
### BEGIN HIDDEN TESTS
for _train, _test, _n, _wanted, _why in (
    ("a b", "c c a/c c", 1, 1 / 3, "`c` is one type of three"),
    (
        "c b",
        "a c b/a c",
        2,
        3 / 5,
        "`<s> a`, `a c` and `c </s>` are three types of five",
    ),
    ("a b/a b a", "c a b/b", 1, 1 / 4, "`c` is one type of four, a, b, c and `</s>`"),
    ("no tea", "No tea", 1, 1 / 3, "`No` is not `no`"),
    ("ab c", "a bc", 2, 1, "`a bc` is not `ab c`"),
    ("a bb", "ab b", 3, 1, "`ab b` is not `a bb`"),
):
    _lines = [[line.split() for line in text.split("/")] for text in (_train, _test)]
    _share = unseen_share(*_lines, _n)
    assert close(_share, _wanted, rtol=1e-5), (
        f"Train `{_train}`, test `{_test}`, n = {_n}: {_why}; yours: {_share!r}."
    )
_after = arguments_after(unseen_share, [["a"], ["b"]], [["b", "c"]], 3)
assert [list(line) for line in _after[0]] == [["a"], ["b"]], (
    "Leave the training sentences as they are."
)
assert [list(line) for line in _after[1]] == [["b", "c"]], (
    "Leave the test sentences as they are."
)
### END HIDDEN TESTS

# %% test="unseen_share" aspect="padding at both ends" points=1
_share = unseen_share([["a", "b"]], [["b", "a"]], 2)
assert is_number(_share), f"Return a number; yours returned {_share!r}."
assert close(_share, 1), (
    f"`<s> b`, `b a`, `a </s>` are all unseen: 1. Yours: {_share:.3f}."
)
_share = unseen_share([["a", "b"]], [["a", "c"]], 3)
assert close(_share, 2 / 3), (
    f"For n = 3 a sentence of 2 words has 3 trigrams; two are unseen here. Yours: {_share:.3f}."
)
### BEGIN HIDDEN TESTS
for _train, _test, _n, _wanted in (
    ([["a"]], [["a"]], 5, 0),
    ([["a"]], [["b"]], 5, 1),
    ([["a", "b"]], [["a"], ["a", "b", "b"]], 4, 3 / 5),
    ([["a"]], [[], ["a"]], 3, 1 / 3),
    ([[], ["a"]], [[]], 2, 0),
    ([["a"]], [["a"], [], ["a"]], 3, 1 / 3),
):
    _share = unseen_share(_train, _test, _n)
    assert close(_share, _wanted, rtol=1e-5), (
        f"Train {_train}, test {_test}, n = {_n}: {_wanted:.3f} are new; yours: {_share!r}."
    )
### END HIDDEN TESTS

# %% test="unseen_share" aspect="right share for every n" points=1
_train, _test = [["a", "b", "a"], ["b"]], [["a", "b", "b"], ["b", "a"]]
_shares = [unseen_share(_train, _test, n) for n in (1, 2, 3)]
assert all(is_number(s) for s in _shares), f"Return numbers: {_shares}."
assert close(_shares, [0, 1 / 7, 3 / 7]), (
    f"Train `a b a` and `b`, test `a b b` and `b a`: the shares are 0, 1/7, 3/7; yours: {_shares}."
)
### BEGIN HIDDEN TESTS
_text = [random.choices("abcd", k=random.randint(1, 7)) for _ in range(60)]
for _n in range(1, 6):
    _known, _new = set(), set()
    for _number, _s in enumerate(_text):
        for _end in range(len(_s) + 1):
            _gram = " ".join((["<s>"] * _n + _s + ["</s>"])[_end + 1 : _end + 1 + _n])
            (_known if _number < 30 else _new).add(_gram)
    _wanted = sum(_gram not in _known for _gram in _new) / len(_new)
    _share = unseen_share(_text[:30], _text[30:], _n)
    assert close(_share, _wanted, rtol=1e-5), (
        f"On a random text, n = {_n}: yours is {_share!r}, not {_wanted:.3f}."
    )
### END HIDDEN TESTS


# %% [markdown] replaces="15-the-price-of-a-longer-memory-8"
# In every text, the longer the n-gram, the more likely it is new, most of all in the one that people really wrote. Ten
# times as much text leaves about 9 % of the kinds of bigrams new, but two thirds of the kinds of 5-grams. (Three splits;
# the whiskers are hardly longer than the marks.) Each word of memory multiplies the possible n-grams by $V$, here some
# 1,400, and those in our text by 4.5, 1.9, 1.4 and 1.2.
#
# A context gets rare as it grows:
