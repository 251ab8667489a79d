# %% [markdown] statement="top_k"
# ## 13. Writing: top-k sampling
#
# Greedy text never varies. **Top-k sampling** draws each word from the $k$ likeliest. Write
#
# - `top_k(distribution, k)`: the k likeliest words (or all, if fewer; if some tie for the last place, any of them) as a
#   dict, rescaled to sum to 1 and so that ratios stay as they were.
# - `sample(distribution, dart)`: one word, drawn by its probability. `dart` is a function, your only source of chance:
#   each call `dart()` returns a number, uniform in [0, 1), 0 included. A word of probability 0 is never drawn, and
#   some word always is, even where rounding leaves the sum a little below 1.

# %% [markdown] hints="top_k"
# 1. Cut a stick of length 1 into pieces as long as the probabilities, and throw the dart at it.
# 2. Rescaling keeps ratios: a word three times as likely before stays three times as likely.
# 3. A dart lies in a word's piece if it lies beyond all pieces before it, and not beyond this one: so running totals
#    decide. Look at the borders: a piece of length 0 must not be hit, not even by a dart of exactly 0, and a dart
#    beyond the last border must not fall into nothing.


# %% task="top_k" points=4 level=2 minutes=17
def top_k(distribution, k):
    """The k likeliest words of {word: probability}, rescaled to sum to 1."""
    ### BEGIN SOLUTION
    best = sorted(distribution, key=distribution.get, reverse=True)[:k]
    total = sum(distribution[word] for word in best)
    return {word: distribution[word] / total for word in best}
    ### END SOLUTION


def sample(distribution, dart):
    """One word of {word: probability}; each dart() is a uniform number in [0, 1)."""
    ### BEGIN SOLUTION
    hit, end = dart(), 0.0
    for word, probability in distribution.items():
        end += probability
        if hit < end:
            return word
    return max(distribution, key=distribution.get)
    ### END SOLUTION


# %% test="top_k" aspect="ratios are kept" points=1
_top = top_k({"a": 0.1, "b": 0.6, "c": 0.2, "d": 0.1}, 2)
assert hasattr(_top, "keys"), (
    f"Return a dict word -> probability; yours returned {_top!r}."
)
assert set(_top) == {"b", "c"}, (
    f"The two likeliest words are b and c; yours: {sorted(_top)}."
)
assert close(sum(_top.values()), 1), (
    f"The probabilities sum to {sum(_top.values()):.3f}."
)
assert close(_top["b"], 3 * _top["c"]), (
    f"b was 3 times as likely as c; now {dict(_top)}."
)
### BEGIN HIDDEN TESTS
for _k in (2, 3, 6):
    _p = np.random.default_rng().dirichlet(np.ones(7)).tolist()
    _old = {f"word{i}": p for i, p in enumerate(_p)}
    _best = sorted(_old, key=_old.get)[-_k:]
    _top = top_k(dict(_old), _k)
    assert hasattr(_top, "keys"), (
        f"Return a dict word -> probability; yours returned {_top!r}."
    )
    assert set(_top) == set(_best), (
        f"Of {_old} the {_k} likeliest are {_best}; yours: {list(_top)}."
    )
    _wanted = [_old[word] / sum(_old[word] for word in _best) for word in _best]
    assert close([_top[word] for word in _best], _wanted), (
        f"Rescaled, the {_k} likeliest of {_old} are not {dict(_top)}."
    )
_old = {"b": 0.1, "c": 0.6, "a": 0.3}
_after = arguments_after(top_k, dict(_old), 2)[0]
assert dict(_after) == _old, f"Leave `distribution` as it is; it became {_after}."
_after = arguments_after(top_k, defaultdict(float, _old), 5)[0]
assert dict(_after) == _old, f"Leave `distribution` as it is; it became {_after}."
### END HIDDEN TESTS

# %% test="top_k" aspect="any k, any order" points=1
_top = top_k({"x": 0.25, "y": 0.75}, 5)
assert hasattr(_top, "keys"), (
    f"Return a dict word -> probability; yours returned {_top!r}."
)
assert dict(_top) == {"x": 0.25, "y": 0.75}, (
    f"With k = 5 of 2 words nothing changes: {dict(_top)}."
)
_top = top_k({"x": 0.25, "y": 0.75}, 1)
assert dict(_top) == {"y": 1.0}, (
    f"k = 1 leaves only y, with probability 1; yours: {dict(_top)}."
)
### BEGIN HIDDEN TESTS
_p = np.random.default_rng().dirichlet(np.ones(9)).tolist()
for _k in (1, 4, 8, 9, 10, 30):
    _top = top_k({f"word{i}": p for i, p in enumerate(_p)}, _k)
    _best = np.array(sorted(_p)[-_k:])
    assert hasattr(_top, "keys") and close(
        sorted(_top.values()), _best / _best.sum()
    ), f"k = {_k} of nine words: the best {min(_k, 9)} stay, rescaled; yours: {_top!r}."
for _old, _k, _wanted in (
    ({"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25}, 3, [1 / 3] * 3),
    ({"a": 0.2, "b": 0.4, "c": 0.2, "d": 0.2}, 2, [1 / 3, 2 / 3]),
):
    _top = top_k(dict(_old), _k)
    assert hasattr(_top, "keys") and close(sorted(_top.values()), _wanted), (
        f"Of equals any may stay, but only {_k} words in all; yours: {_top!r}."
    )
### END HIDDEN TESTS

# %% test="top_k" aspect="draws by probability" points=1
_dart = random.Random(3).random
_words = [sample({"rare": 0.25, "common": 0.75}, _dart) for _ in range(80)]
_share = sum(word == "common" for word in _words) / 80
assert set(_words) <= {"rare", "common"}, (
    f"sample must return a word; yours returned {_words[0]!r}."
)
assert abs(_share - 0.75) < 0.15, (
    f"A word with probability .75 was drawn in {_share:.2f} of cases."
)
### BEGIN HIDDEN TESTS
_few = {"a": 0.3, "b": 0.25, "c": 0.25, "d": 0.19, "e": 0.01}
_many = {"a": 0.82} | dict.fromkeys("bcdefghij", 0.02)
for _wanted, _groups in ((_few, "abcde"), (_many, ("a", "bcdef", "ghij"))):
    _darts = [(i + random.random()) / 50 for i in range(50)]  # one in each part of 50
    random.shuffle(_darts)
    _thrown = []

    def _dart(darts=_darts, thrown=_thrown):
        thrown.append(darts.pop() if darts else random.random())
        return thrown[-1]

    _words = [sample(dict(_wanted), _dart) for _ in range(50)]
    assert all(isinstance(word, str) for word in _words), (
        f"Return a word, not {_words[0]!r}."
    )
    for _group in _groups:
        _p = sum(_wanted[word] for word in _group)
        _share = sum(word in _group for word in _words) / 50
        _luck = 0 if len(_thrown) == 50 else 5 * math.sqrt(_p * (1 - _p) / 50)
        assert abs(_share - _p) < 2 * len(_group) / 50 + _luck, (
            f"Words of probability {_p:.2f} together: drawn in {_share:.2f} of 50 cases."
        )
_many = {"often": 0.1} | {f"rare{i}": 0.0045 for i in range(200)}
_throws = [(i + random.random()) / 20 for i in range(20)]  # one in each part of 20
random.shuffle(_throws)
_words = [
    sample(_many, lambda: _throws.pop() if _throws else random.random())
    for _ in range(20)
]
_share = sum(word == "often" for word in _words) / 20
assert _share < 0.6, (
    f"200 rare words have .9 together, but were drawn in {1 - _share:.2f} of 20 cases."
)
assert any(word in list(_many)[101:] for word in _words), (
    "The last 100 of 201 words have .45 together, but none was drawn in 20 cases: "
    "is a new dart thrown for each word that is looked at?"
)
_many = {f"word{i}": 0.0005 for i in range(2000)}
_word = sample(_many, random.random)
assert isinstance(_word, str) and _word in _many, (
    f"Of 2000 words, all of probability .0005, one is drawn, not {_word!r}."
)
### END HIDDEN TESTS

# %% test="top_k" aspect="all chance comes from the dart" points=1
_coin = {"heads": 0.5, "tails": 0.5}
_dart = random.Random(8).random
_first = [sample(_coin, _dart) for _ in range(30)]
_dart = random.Random(8).random
_again = [sample(_coin, _dart) for _ in range(30)]
assert _first == _again, (
    "The same numbers from dart() gave different words: use no other chance."
)
assert len(set(_first)) == 2, f"30 throws of a fair coin gave only {_first[0]!r}."
### BEGIN HIDDEN TESTS
_old, _seed = {"a": 0.4, "b": 0.25, "c": 0.35}, random.random()
_darts = [random.Random(_seed).random for _ in range(2)]
_first, _again = ([sample(dict(_old), dart) for _ in range(30)] for dart in _darts)
assert all(isinstance(word, str) for word in _first), (
    f"Return a word, not {_first[0]!r}."
)
assert _first == _again, (
    "The same numbers from dart() gave different words: use no other chance."
)
assert len(set(_first)) > 1, f"30 darts all hit the same of three words: {_first[0]!r}."
for _old in ({"never": 0.0, "a": 0.5, "b": 0.5}, {"a": 0.5, "never": 0.0, "b": 0.5}):
    for _edge in (0.0, 0.5):
        _throws = iter([_edge])
        _word = sample(dict(_old), lambda throws=_throws: next(throws, random.random()))
        assert isinstance(_word, str) and _word in set("ab"), (
            f"A dart of exactly {_edge} drew {_word!r} from {_old}."
        )
_old = dict.fromkeys("abcdefghij", 0.1)  # the sum is rounded to a little less than 1
_never = {"no": 0.0}
for _all in (_old, _old | _never, _never | _old, _old | _never | {"nor": 0.0}):
    for _edge in (1 - 2**-53, 0.0):
        # Whoever throws again for each word misses every tenth that begins at 0.
        _throws = iter([_edge, *(random.uniform(0.1, 1) for _ in range(20))])
        _word = sample(dict(_all), lambda throws=_throws: next(throws, random.random()))
        assert isinstance(_word, str) and _word in _old, (
            f"Rounding leaves the sum a little below 1: the dart {_edge!r} still hits "
            f"a word, and none of probability 0; not {_word!r}."
        )
    for _kind in ({}, defaultdict(float)):
        _after = arguments_after(sample, _kind | _all, random.random)[0]
        assert dict(_after) == _all, (
            f"Leave `distribution` as it is; {_all} became {_after}."
        )
### END HIDDEN TESTS


# %%
best = top_k(restaurant_model["eat"], 5)
for word, p in best.items():
    print(f"eat {word:6} {p:.2f}, not {1 / len(best):.2f}  {'#' * round(60 * p)}")

# %% [markdown]
# The shares keep their ratios. It is a tempting shortcut to draw uniformly from the five best words instead, but then
# the model forgets what it has counted.
#
# When is it safe to let a model choose? Its **entropy** $H = -\sum_w P(w) \log_2 P(w)$ says how unsure it is of the
# next word: 0 bits if only one can follow, $\log_2 k$ bits for $k$ equally likely words. G. Durrett's lecture tests
# models with blanks. Which of these would be easier with two words of context?

# %%
blanks = {
    "i'm looking ___": "grammar",
    "tell me about chez ___": "a name",
    "less than ten ___": "sense",
    "is it open for ___": "sense",
    "do you have ___": "open",
    "tell me about ___": "open",
}


def entropy_after(context):
    """Bits of the next word after a context, a list of words, in the training text."""
    size = len(context)
    texts = [[*s, "</s>"] for s in train_sentences]
    found = Counter(
        text[i + size]
        for text in texts
        for i in range(len(text) - size)
        if text[i : i + size] == context
    )
    p = np.array(list(found.values())) / found.total()
    return (p * np.log2(1 / p)).sum()


# %%
bits, right_guess = [], []
for sentence in new_sentences:
    for w1, w2 in windows(sentence, 2):
        row = restaurant_model.get(w1, {"": 1.0})
        p = np.array(list(row.values()))
        bits.append(-(p * np.log2(p)).sum())
        right_guess.append(max(row, key=row.get) == w2)
groups = pd.DataFrame({"right": right_guess}).groupby(np.digitize(bits, range(1, 6)))
sure = groups["right"].agg(["mean", "count"])

# %% alt="Bars that fall from left to right: the likeliest word is right in 80 percent of the places with less than one bit of entropy, and in about 13 percent of those with more than five."
for text, kind in blanks.items():
    one, two = (entropy_after(text.split()[:-1][-size:]) for size in (1, 2))
    print(f"{text:23} {kind:7}: {one:.1f} bits, with two words of context {two:.1f}")
_, axes = plt.subplots(figsize=(5, 2.7))
error = np.sqrt(sure["mean"] * (1 - sure["mean"]) / sure["count"])
axes.bar(sure.index, 100 * sure["mean"], yerr=200 * error, capsize=3)
axes.set_xticks(range(6), ["0-1", "1-2", "2-3", "3-4", "4-5", "5+"])
axes.set(xlabel="entropy, one word of context (bits)", ylabel="likeliest is right (%)")
plt.show()

# %% [markdown]
# In these six examples, one word of context is enough for grammar and for the name. Where sense decides, a second
# word helps most: less than 1 bit is left. The two open blanks stay less sure, although *do you have* gains from the
# second word, too. Six examples that somebody picked by hand are no rule, of course.
#
# The bars show all new sentences: the surer the model is, the more often its likeliest word is right. (The whiskers
# are two standard errors.)

# %% [markdown] statement="own_figure"
# #### A figure of your own
#
# Draw something about `train_sentences` that no figure of this chapter shows, with labelled axes. Below, in comments,
# write two sentences: what one sees, and what the figure cannot tell.

# %% written="own_figure" points=4 minutes=8
### BEGIN SOLUTION
# **Rubric.** 1 point: the cell runs and draws something that the chapter does not draw.
# 1 point: both axes say what they show, with the unit or what is counted. 1 point: the
# first sentence says what is to be seen, and it is true of this figure. 1 point: the
# second names a limit of this very figure (one made-up text, one order of the
# sentences, no spread, two causes at once). “More data would be better” fits any figure
# and earns nothing. A usual mistake: the sentence tells what was computed, not what
# came out.
#
# **Sample, 4 points.**
seen_words, growth = set(), []
for word in train_words:
    seen_words.add(word)
    growth.append(len(seen_words))
_, axes = plt.subplots(figsize=(5, 2.2))
axes.plot(range(1, len(growth) + 1), growth)
axes.set(xlabel="words read", ylabel="different words so far")
plt.show()
# The first 10,000 words bring more than half of all different ones (838 of 1,398), but
# the curve still rises at the end, so new text will hold words that we do not know. It
# is one made-up text in one order: how fast real speakers bring new words it cannot
# tell.
#
# **Sample, 2 points.** A bar chart of the ten most frequent words, without labels at
# the axes. “The most frequent words are i and to, each more than 2,000 times, then a
# with 1,403. More data would be better.” (Drawn: 1, what is to be seen: 1.)
#
# **Sample, 0 points.** The chapter's own bars of the mean count of a sentence by its
# length, copied, with the comment “I plotted the sentences with matplotlib.”
### END SOLUTION
