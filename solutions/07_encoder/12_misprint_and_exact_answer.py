# %% [markdown]
# ## 12. The printed slide is wrong: find it
#
# Lecture 004 writes what a masked model estimates "for a sequence of length $T$" as
#
# $$P(w_i \mid w_1, \ldots, w_{i-1}, w_i, \ldots, w_T).$$

# %% [markdown] statement="printed_conditional"
# - `printed_value`: the number that the printed expression equals, for every text with $P(w_1 \ldots w_T) > 0$;
# - `conditions(i, T)`: the *set* of places (from 1) whose words should stand after the bar, $1 \le i \le T$.
#
# Repaired, is the product over all $i$ a probability of the text? Then it would sum to 1 over all texts.
#
# - `sum_of_products(P)`: $P$ is an array of $T \ge 1$ axes of any sizes; `P[a, b, ...]` is the true probability of the text
#   $a, b, \ldots$ (all sum to 1). Return the sum over all texts of $\prod_i P(w_i \mid \text{all others})$. Texts with
#   $P = 0$ add 0.
#
# Predict: *good morning* and *guten Tag*, half each, nothing else. What is the sum?

# %% [markdown] hints="printed_conditional"
# 1. What is $P(A \mid A)$?
# 2. For two words, $P(a \mid b) = P(a, b) / \sum_{a'} P(a', b)$: the sum runs over the word that is asked.
# 3. `P.sum(axis=i, keepdims=True)` divides an array without a loop over texts. Where it is 0, so is $P$: keep 0/0 away.


# %% task="printed_conditional" points=3 level=2 minutes=18
# printed_value = a number
### BEGIN SOLUTION
printed_value = 1
### END SOLUTION


def conditions(i, T):
    """The set of places behind the bar when word i of T is asked, counted from 1."""
    ### BEGIN SOLUTION
    return set(range(1, T + 1)) - {i}
    ### END SOLUTION


def sum_of_products(P):
    """The sum over all texts of the product over i of P(w_i | all other words)."""
    ### BEGIN SOLUTION
    P = np.asarray(P, dtype=float)
    product = np.ones_like(P)
    for i in range(P.ndim):
        total = np.broadcast_to(P.sum(axis=i, keepdims=True), P.shape)
        product *= np.divide(P, total, out=np.zeros_like(P), where=P > 0)
    return product.sum()
    ### END SOLUTION


# %% test="printed_conditional" aspect="as printed" points=1
assert is_number(printed_value) and 0 <= printed_value <= 1, (
    f"printed_value is a probability; yours: {printed_value!r}."
)
### BEGIN HIDDEN TESTS
assert printed_value == 1, "Read what stands behind the bar once more."
assert conditions(1, 2) is not None, "conditions returns nothing."
for _i, _T in ((1, 1), (1, 2), (2, 2), (3, 8), (8, 8), (1, 8)):
    assert set(conditions(_i, _T)) == {j for j in range(1, _T + 1) if j != _i}, (
        f"i = {_i}, T = {_T}: not the places {conditions(_i, _T)!r}."
    )
### END HIDDEN TESTS

# %% test="printed_conditional" aspect="words that need each other" points=1
_got = sum_of_products(np.array([[0.5, 0.0], [0.0, 0.5]]))
assert is_number(_got), f"A number wanted; yours: {_got!r}."
### BEGIN HIDDEN TESTS
assert close(_got, 2.0), (
    f"Two texts, both words settled by each other; yours: {_got!r}."
)
for _V in (1, 3, 7):
    _P = np.diag(np.random.default_rng().dirichlet([1.0] * _V))
    assert close(sum_of_products(_P.copy()), float(_V)), f"{_V} pairs: not {_V}."
for _shape in ((2, 3), (5, 2), (1, 4), (4, 4)):
    _P = np.random.default_rng().dirichlet([0.5] * math.prod(_shape)).reshape(_shape)
    _P[0, -1] = 0
    if _shape[0] > 2:
        _P[1] = 0  # a word that never occurs
    _P /= _P.sum()
    _wanted = 0.0
    for _a, _b in zip(*np.nonzero(_P), strict=True):
        _wanted += _P[_a, _b] ** 2 / (_P[_a].sum() * _P[:, _b].sum())
    _got = sum_of_products(_P.copy())
    assert is_number(_got) and close(_got, _wanted), (
        f"P = {_P.round(3).tolist()}: {_wanted:.4f} wanted; yours: {_got!r}."
    )
_P = np.diag([1.0, 1e-30])
_got = sum_of_products(_P.copy())
assert is_number(_got) and close(_got, 2.0), (
    f"P = {_P.tolist()}: a text may be as rare as that, its words are certain all the same, 2; yours: {_got!r}."
)
_left = arguments_after(sum_of_products, _P.copy())[0]
assert close(_left, _P), "sum_of_products changes its argument."
### END HIDDEN TESTS

# %% test="printed_conditional" aspect="texts of any length" points=1
_got = sum_of_products(np.full((2, 2), 0.25))
assert is_number(_got) and close(_got, 1.0), (
    f"Two words that know nothing of each other: 1; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _shape in ((1,), (4,), (2, 3, 4), (3, 1, 2), (2, 2, 2, 3), (2,) * 5):
    _P = np.random.default_rng().dirichlet([0.5] * math.prod(_shape)).reshape(_shape)
    _wanted = 0.0
    for _at in np.ndindex(*_shape):
        _product = 1.0
        for _i in range(len(_shape)):
            _line = _P[_at[:_i] + (slice(None),) + _at[_i + 1 :]]
            _product *= _P[_at] / _line.sum() if _line.sum() else 0.0
        _wanted += _product
    _got = sum_of_products(_P.copy())
    assert is_number(_got) and close(_got, _wanted), (
        f"P of shape {_shape}: {_wanted:.4f} wanted; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% folded="draws the sums" alt="The sum over all texts falls from V to one as the second word is more and more drawn blindly, for vocabularies of 2, 3 and 5 words."
_, axes = plt.subplots()
shares = np.linspace(0, 1, 21)
for V in (2, 3, 5):
    sums = [
        sum_of_products((1 - s) * np.eye(V) / V + s * np.ones((V, V)) / V**2)
        for s in shares
    ]
    axes.plot(shares, sums, marker=".", label=f"V = {V} words")
axes.set_xlabel("share of texts whose second word is drawn blindly")
axes.set_ylabel("sum over all texts")
axes.legend()
plt.show()

# %% [markdown]
# Only where words are independent (right end) is the sum 1. The more two words determine each other, the more often the
# product counts the same certainty twice: it is a **pseudo-likelihood**. Section 14 measures whether it *ranks* texts.

# %% [markdown]
# ## 13. The exact answer: three ways, one number
#
# How good *can* a masked model be? Where the probability of whole texts is known, the answer follows from the
# definition: put each word into the blank and compare (section 1), in logarithms, because a page of text has $\ln
# P$ near $-1{,}000$.
#
# In a bigram model nearly all factors cancel. With neighbours $l$ and $r$:
#
# $$P(w \mid l, r) = \frac{P(w \mid l)\, P(r \mid w)}{\sum_v P(v \mid l)\, P(r \mid v)}$$
#
# An example: `the _ sings`. $P(\text{cook} \mid \text{the}) = P(\text{soup} \mid \text{the}) = \tfrac12$;
# $P(\text{sings} \mid \text{cook}) = .8$, $P(\text{sings} \mid \text{soup}) = .2$. Then *cook* has $.4 / (.4 + .1)
# = .8$.

# %% [markdown] statement="fill_in"
# - `fill_in(ln_p, words, place, candidates)`: array $(n,)$, the probability of each of the $n$ `candidates` (a list
#   of words), in their order, at `place` (from 0) of the list `words`, all others given. `ln_p(list of words)` is
#   $\ln P$ of a whole text, `-math.inf` where it is impossible. What stood at the place changes nothing. No
#   candidate possible: `ValueError`.
# - `fill_bigram(ln_a, ids)`: array $(T, V)$, row $t$ the distribution of word $t$, all others given. `ids` is a
#   list of $T \ge 1$ numbers from 1 to $V - 1$; symbol 0 is `</s>`, which stands before and after each text, and
#   never inside. `ln_a` is an array $(V, V)$: row $l$, column $w$ has $\ln P(w \mid l)$; some are $-\infty$, but
#   the text itself is possible.

# %% [markdown] hints="fill_in"
# 1. By hand: the example above, once with its probabilities, once with their logarithms.
# 2. $e^{-1000}$ is 0 for the machine. Only differences between candidates count: what may you subtract from all of
#    them first?
# 3. Each place needs one row of `ln_a` (which?) and one column (which?). An index list such as `[0, *ids[:-1]]`
#    fetches all rows at once; for columns, mind which axis is which.


# %% task="fill_in" points=4 level=3 minutes=28
def fill_in(ln_p, words, place, candidates):
    """Array (n,): the probability of each candidate, all other words given."""
    ### BEGIN SOLUTION
    scores = np.array(
        [ln_p([*words[:place], word, *words[place + 1 :]]) for word in candidates]
    )
    if not (scores > -math.inf).any():
        raise ValueError("No candidate is possible here.")
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()
    ### END SOLUTION


def fill_bigram(ln_a, ids):
    """Array (T, V): for each place the distribution of its word; ln_a (V, V)."""
    ### BEGIN SOLUTION
    before, after = [0, *ids[:-1]], [*ids[1:], 0]
    scores = ln_a[before] + ln_a[:, after].T
    scores[:, 0] = -math.inf
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)
    ### END SOLUTION


# %% test="fill_in" aspect="every candidate in the blank" points=1
_p = {"the cook sings": 0.4, "the soup sings": 0.1, "the cook eats": 0.3}


def _ln_p(words):
    return math.log(_p.get(" ".join(words), 0)) if " ".join(words) in _p else -math.inf


_got = fill_in(_ln_p, ["the", "?", "sings"], 1, ["soup", "cook"])
assert hasattr(_got, "__len__") and np.shape(_got) == (2,), (
    f"Two candidates: an array of two numbers wanted; yours: {_got!r}."
)
assert close(_got, [0.2, 0.8], 1e-5), (
    f"the _ sings: soup .2, cook .8, in this order; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _T, _n in ((1, 4), (2, 3), (6, 2), (5, 7)):
    _letters = random.sample("abcdefghijkl", _n)
    _words = random.choices(_letters, k=_T)
    for _place in {0, _T - 1, random.randrange(_T)}:
        _ln = dict(zip(_letters, np.random.default_rng().normal(size=_n), strict=True))
        _seen = []

        def _of_text(words, _ln=_ln, _words=_words, _place=_place, _seen=_seen):
            _seen.append(list(words))
            return float(_ln[words[_place]]) - len(words)

        _got = fill_in(_of_text, list(_words), _place, list(_letters))
        _total = sum(math.exp(v) for v in _ln.values())
        _wanted = [math.exp(_ln[w]) / _total for w in _letters]
        assert close(_got, _wanted, 1e-5, 1e-8), (
            f"Place {_place} of {_T}, {_n} candidates: wanted {_wanted}; yours: {_got!r}."
        )
        assert all(
            len(_one) == _T
            and _one[:_place] == _words[:_place]
            and _one[_place + 1 :] == _words[_place + 1 :]
            for _one in _seen
        ), "ln_p must be asked for whole texts that differ at the place only."
_left = arguments_after(fill_in, _ln_p, ["the", "cook", "sings"], 1, ["cook", "soup"])
assert _left[1:] == (["the", "cook", "sings"], 1, ["cook", "soup"]), (
    "fill_in changed its arguments."
)
### END HIDDEN TESTS

# %% test="fill_in" aspect="far down, and impossible" points=1
_got = fill_in(
    lambda words: -1000.0 - math.log(1 + len(words[0])), ["?"], 0, ["a", "abc"]
)
assert close(_got, [2 / 3, 1 / 3], 1e-3, 1e-6), (
    f"ln P of -1000 - ln 2 and -1000 - ln 4: 2/3 and 1/3; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_no = -math.inf
for _scores, _wanted in (
    ([-5000.0, _no, -5000.0], [0.5, 0, 0.5]),
    ([_no, -3000.0], [0, 1]),
    ([-2000.0], [1]),
    ([-1500.0, -1500 - math.log(3), _no, _no], [0.75, 0.25, 0, 0]),
    ([800.0, 800 + math.log(4)], [0.2, 0.8]),
    ([-9000.0, -1000.0], [0, 1]),
):
    _ln = dict(zip("abcdef", _scores, strict=False))
    _got = fill_in(lambda words, _ln=_ln: _ln[words[1]], ["x", "?", "y"], 1, list(_ln))
    assert close(_got, _wanted, 1e-3, 1e-6), (
        f"ln P {_scores}: {_wanted}; yours: {_got!r}."
    )
for _n in (1, 3):
    try:
        _got = fill_in(lambda words: -math.inf, ["x", "y"], 0, list("abc")[:_n])
    except ValueError:
        continue
    assert False, f"No candidate is possible: ValueError wanted; yours: {_got!r}."
### END HIDDEN TESTS

# %% test="fill_in" aspect="both neighbours" points=1
_a = np.array([[0.0, 1, 0, 0], [0, 0, 0.5, 0.5], [0.2, 0, 0, 0.8], [1, 0, 0, 0]])
with np.errstate(divide="ignore"):
    _ln_a = np.log(_a)
_got = fill_bigram(_ln_a.copy(), [1, 2, 3])
assert hasattr(_got, "shape") and np.shape(_got) == (3, 4), (
    f"T = 3, V = 4: shape (3, 4) wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _V, _T in ((4, 3), (6, 2), (3, 5), (5, 5), (9, 4)):
    _a = np.random.default_rng().dirichlet(np.ones(_V), _V)
    _ids = np.random.default_rng().integers(1, _V, _T).tolist()
    _wanted = np.zeros((_T, _V))
    for _t in range(_T):
        for _w in range(1, _V):
            _text = [0, *_ids[:_t], _w, *_ids[_t + 1 :], 0]
            _wanted[_t, _w] = math.prod(
                _a[i, j] for i, j in zip(_text, _text[1:], strict=False)
            )
    _wanted = _wanted / _wanted.sum(1, keepdims=True)
    _got = fill_bigram(np.log(_a), list(_ids))
    assert close(_got, _wanted, 1e-4, 1e-7), (
        f"V = {_V}, ids {_ids}: not what comes from scoring whole texts; yours: {_got!r}."
    )
_left = arguments_after(fill_bigram, np.log(_a), list(_ids))
assert close(_left[0], np.log(_a)) and list(_left[1]) == _ids, (
    "fill_bigram changed its arguments."
)
### END HIDDEN TESTS

# %% test="fill_in" aspect="ends of a text, zeros, small numbers" points=1
_a = np.array([[0.0, 0.5, 0.5], [0.5, 0.25, 0.25], [0.25, 0.5, 0.25]])
with np.errstate(divide="ignore"):
    _ln_a = np.log(_a)
_got = fill_bigram(_ln_a.copy(), [2])
assert close(_got, [[0, 2 / 3, 1 / 3]], 1e-3, 1e-6), (
    f"A text of one word: (.5 · .5, .5 · .25), divided by their sum; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_got = fill_bigram(_ln_a.astype(np.float32), [1, 2])
assert close(_got, [[0, 1 / 2, 1 / 2], [0, 2 / 3, 1 / 3]], 1e-3, 1e-6), (
    f"</s> before the first and after the last word counts; yours: {_got!r}."
)
_wide = np.array(
    [[0.0, 0.5, 0.5, 0.0], [1, 0, 0, 0], [0, 0.2, 0, 0.8], [0.5, 0, 0.5, 0]]
)
with np.errstate(divide="ignore"):
    _ln_wide = np.log(_wide)
_got = fill_bigram(_ln_wide.copy(), [2, 3])
assert close(_got, [[0, 0, 1, 0], [0, 0.2 / 0.6, 0, 0.4 / 0.6]], 1e-3, 1e-6), (
    f"Impossible neighbours have probability 0; yours: {_got!r}."
)
_got = fill_bigram(np.where(_wide > 0, _ln_wide - 900, -math.inf), [2, 3])
assert close(_got, [[0, 0, 1, 0], [0, 0.2 / 0.6, 0, 0.4 / 0.6]], 1e-3, 1e-6), (
    f"All of ln_a less 900: the same answer wanted; yours: {_got!r}."
)
_rare = _ln_wide.copy()
_rare[3] -= 2000  # only the row of one neighbour is far down
_got = fill_bigram(_rare, [2, 3, 2, 1])
_wanted = [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]]
assert close(_got, _wanted, 1e-3, 1e-6), (
    "Two places far less probable than the others: their rows sum to 1, too; "
    f"yours: {_got!r}."
)
### END HIDDEN TESTS

# %%
with np.errstate(divide="ignore"):  # </s> the cook sings
    a = np.array([[0, 1, 0, 0], [0, 0, 0.5, 0.5], [0.2, 0, 0, 0.8], [0.9, 0, 0, 0.1]])
    ln_a = np.log(a)
path = [0, 1, 2, 3, 0]


def ln_text(ids):
    return sum(ln_a[i, j] for i, j in zip([0, *ids], [*ids, 0], strict=True))


left_right = [a[1, w] * a[w, 3] for w in (2, 3)]
print("whole texts:   ", fill_in(ln_text, [1, 2, 3], 1, [2, 3]).round(4))
print("two neighbours:", (np.array(left_right) / sum(left_right)).round(4))
print("one array:     ", fill_bigram(ln_a, [1, 2, 3])[1, 2:].round(4))

# %% [markdown]
# All agree. Now the kitchen language: no bigram model, but `kitchen.read` knows $\ln P$ of every whole
# story. *Predict* what is left to guess at four places of the story below: its first word, *spoon*, the verb
# *orders*, and *cherry*.


# %%
def ln_kitchen(words):
    try:
        return kitchen.read(words).log_probability
    except kitchen.NotKitchen:
        return -math.inf


story = next(s.tokens for s in kitchen.split("test") if len(s) <= 46)
known = sorted({word for s in kitchen.split("train") for word in s.tokens})
print(" ".join(story), "\n")
for place in (0, 5, 13, 15):
    p = fill_in(ln_kitchen, story, place, known)
    best = sorted(zip(p, known, strict=True), reverse=True)[:3]
    shown = ", ".join(f"{word} {chance:.3f}" for chance, word in best if chance > 0)
    exact = kitchen.masked_distribution(story, place)
    off = max(abs(p[i] - exact.get(word, 0)) for i, word in enumerate(known))
    print(f"{story[place]:7} {(p > 0).sum():3} possible: {shown} (equal: {off < 1e-9})")

# %% [markdown]
# A copied name is certain, though nothing before the first word says it. A verb keeps three possibilities: its
# number is settled, its choice is not. A dish keeps 82. `kitchen.masked_distribution` gives the same numbers with
# less work.
