# %% [markdown] statement="vocabulary"
# ## 2. A vocabulary, and a place for unknown words
#
# A model knows a fixed set of tokens, its **vocabulary**, chosen from the training text. Any other word is
# **out-of-vocabulary**, and is replaced by the token `<UNK>`. So are rare words of the training text: from them the
# model learns what surrounds an unknown word. Write
#
# - `build_vocabulary(tokens, min_count)`: the set of words that occur at least `min_count` times, and `<UNK>`;
# - `replace_unknown(tokens, vocabulary)`: a new list of the tokens, with `<UNK>` where a word is not in the
#   vocabulary.

# %% [markdown] hints="vocabulary"
# 1. Count first, decide later.
# 2. *At least* includes the number itself, and `<UNK>` belongs to the set even if the text never shows it.
# 3. The second function keeps length and order, so it decides for one token at a time, whatever its neighbours are.


# %% task="vocabulary" points=3 level=1 minutes=7
def build_vocabulary(tokens, min_count):
    """The set of words that occur at least `min_count` times in the list `tokens`, and `<UNK>`."""
    ### BEGIN SOLUTION
    return {word for word, count in Counter(tokens).items() if count >= min_count} | {
        "<UNK>"
    }
    ### END SOLUTION


def replace_unknown(tokens, vocabulary):
    """A new list: each token that is not in `vocabulary` is replaced by `<UNK>`."""
    ### BEGIN SOLUTION
    return [token if token in vocabulary else "<UNK>" for token in tokens]
    ### END SOLUTION


# %% test="vocabulary" aspect="exactly min_count is enough" points=1
_got = build_vocabulary(["tea", "or", "tea", "no", "tea", "or", "no", "or", "milk"], 2)
assert hasattr(_got, "__iter__"), f"Return a set of words; you return {_got!r}."
assert "no" in set(_got), (
    f"`no` occurs twice, which is at least min_count=2; yours: {_got!r}."
)
assert "milk" not in set(_got), (
    f"`milk` occurs once, less than min_count=2; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_tokens = ["Tea", "tea", "team", "tea", "Tea", "steam"]
_got = build_vocabulary(list(_tokens), 2)
assert hasattr(_got, "__iter__") and set(_got) - {"<UNK>"} == {"Tea", "tea"}, (
    f"Tea and tea are two words, both twice in {_tokens}; yours: {_got!r}."
)
for _ in range(20):
    _tokens, _least = random.choices("abcdefgh", k=20), random.randint(1, 4)
    _wanted = {
        word for word in "abcdefgh" if _tokens.count(word) >= _least and word in _tokens
    }
    _got = build_vocabulary(list(_tokens), _least)
    assert hasattr(_got, "__iter__") and set(_got) - {"<UNK>"} == _wanted, (
        f"With min_count={_least}, {_tokens} should not give {_got!r}."
    )
_after = arguments_after(build_vocabulary, ["or", "tea", "no", "tea"], 2)[0]
assert list(_after) == ["or", "tea", "no", "tea"], (
    f"Leave `tokens` as they are; now: {_after}."
)
### END HIDDEN TESTS

# %% test="vocabulary" aspect="UNK belongs to the vocabulary" points=1
_got = build_vocabulary(["tea", "tea"], 1)
assert _got is not None, "build_vocabulary returns None; return a set."
assert set(_got) == {"tea", "<UNK>"}, (
    f"For the text `tea tea` wanted: tea and <UNK>; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _tokens, _least in (([], 1), (["tea", "no", "tea"], 3), (["<UNK>", "no"], 2)):
    _got = build_vocabulary(list(_tokens), _least)
    assert hasattr(_got, "__iter__") and set(_got) == {"<UNK>"}, (
        f"No word occurs {_least} times in {_tokens}: <UNK> alone; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="vocabulary" aspect="strangers become UNK" points=1
_got = replace_unknown(["more", "tea", "please", "tea"], {"tea", "more", "<UNK>"})
assert _got is not None, "replace_unknown returns None; return a list."
assert list(_got) == ["more", "tea", "<UNK>", "tea"], (
    f"Only `please` is unknown in `more tea please tea`, and the length stays 4; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_got = replace_unknown(["te", "Tea", "<UNK>", "tea", "teas", "ea"], {"tea", "<UNK>"})
assert (
    hasattr(_got, "__iter__") and list(_got) == ["<UNK>"] * 3 + ["tea"] + ["<UNK>"] * 2
), f"Only `tea` is known, so te, Tea, teas and ea are strangers; yours: {_got!r}."
for _ in range(10):
    _tokens, _known = random.choices("abcdef", k=9), set(random.sample("abcdef", 3))
    _got = replace_unknown(list(_tokens), _known | {"<UNK>"})
    _wanted = [{True: word, False: "<UNK>"}[word in _known] for word in _tokens]
    assert hasattr(_got, "__iter__") and list(_got) == _wanted, (
        f"Known are {sorted(_known)}; {_tokens} became {_got!r}."
    )
_after = arguments_after(replace_unknown, ["no", "tea", "now"], {"tea", "<UNK>"})
assert list(_after[0]) == ["no", "tea", "now"], (
    f"Make a *new* list; the old one became {_after[0]}."
)
assert set(_after[1]) == {"tea", "<UNK>"}, (
    f"Leave the vocabulary as it is; now: {_after[1]}."
)
_got = replace_unknown(["no", "tea", "<UNK>"], {"tea"})
assert hasattr(_got, "__iter__") and list(_got) == ["<UNK>", "tea", "<UNK>"], (
    f"Also without <UNK> in the vocabulary a stranger becomes <UNK>; yours: {_got!r}."
)
_after = arguments_after(replace_unknown, ["no", "tea"], {"tea"})[1]
assert set(_after) == {"tea"}, f"Leave the vocabulary as it is; now: {set(_after)}."
### END HIDDEN TESTS


# %% [markdown]
# How many words should be known? We try `min_count` from 2 to 100, and ask the laziest model there is: it always
# predicts the most frequent token of the training text. How often is it right on new sentences?

# %%
train_words = [word for sentence in train_sentences for word in sentence]
test_words = [word for sentence in new_sentences for word in sentence]
vocabularies = {
    least: build_vocabulary(train_words, least) for least in (2, 5, 10, 20, 50, 100)
}
sizes, unknown, lazy = [], [], []
for known in vocabularies.values():
    asked = list(replace_unknown(test_words, known))
    often = Counter(replace_unknown(train_words, known)).most_common(1)[0][0]
    sizes.append(len(known))
    unknown.append(100 * asked.count("<UNK>") / len(asked))
    lazy.append(100 * asked.count(often) / len(asked))

# %% folded="draws both shares by vocabulary size" alt="A falling line, words outside the vocabulary, from 29 to 3 percent as the vocabulary grows from 100 to 1,000 words. The right guesses of the laziest model lie on it up to 650 words and then stay at 5 percent."
_, axes = plt.subplots()
axes.plot(sizes, unknown, linewidth=8, alpha=0.4, label="out-of-vocabulary words")
axes.plot(sizes, lazy, "s--", label="right guesses of the laziest model")
axes.set(
    xlabel="size of the vocabulary (words)",
    ylabel="% of the new sentences' words",
    ylim=(0, None),
)
axes.legend()
plt.show()

# %% [markdown]
# The smaller the vocabulary, the more words become `<UNK>`, and soon `<UNK>` is the most frequent token of all. From
# then on the laziest model always answers `<UNK>`, so its line lies on the line of the unknown words. With 94 known
# words it is right 28 % of the time without having predicted a single word. So never compare models that have
# different vocabularies.

# %% [markdown]
# ## 3. n-grams
#
# How much of the past should the next word depend on? To fill the gap in *I visited San ___*, a **bigram** model looks
# at *San*, a **trigram** model at *visited San*. An **n-gram** is a run of $n$ tokens: $n-1$ tokens of **context** and
# the word they lead to. So that the first words have a context too, $n-1$ start symbols are put before the sentence,
# and one end symbol after it. A window of $n$ tokens slides along; here $n = 3$:

# %% folded="draws the window of a trigram model" alt="Four rows of boxes: a window of three slides over the start marks, visited, san, jose and the end mark. The last box of each row is the word, the two before it are its context."
drawings.ngram_window(["visited", "san", "jose"], 3)

# %% [markdown] statement="ngrams"
# Write `ngrams(tokens, n)`: put $n-1$ symbols `<s>` before the sentence `tokens` (a list) and one `</s>` after it,
# and return the list of its n-grams from left to right, each of them a tuple of $n$ tokens.

# %% [markdown] hints="ngrams"
# 1. Pad first; then slide a window of fixed width along the padded sentence.
# 2. How many windows of width $n$ fit into a list of length $L$? Try $L = 4$, $n = 2$ with your fingers.
# 3. Every window ends at a different token, and may end at each that the model has to predict. So there is one n-gram
#    for each word and one for `</s>`, whatever $n$ is: a good check of where your windows start and stop.


# %% task="ngrams" points=3 level=1 minutes=8
def ngrams(tokens, n):
    """The n-grams (tuples) of one sentence, padded with n-1 `<s>` in front and one `</s>` at the end."""
    ### BEGIN SOLUTION
    padded = ["<s>"] * (n - 1) + list(tokens) + ["</s>"]
    return [tuple(padded[i : i + n]) for i in range(len(padded) - n + 1)]
    ### END SOLUTION


# %% test="ngrams" aspect="bigrams of three words" points=1
_got = ngrams(["we", "sat", "here"], 2)
_wanted = [("<s>", "we"), ("we", "sat"), ("sat", "here"), ("here", "</s>")]
assert _got is not None, "You return None; return a list of tuples."
assert list(_got) == _wanted, (
    f"The bigrams of `we sat here` are {_wanted}; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _number in (1, 2, 5, 8):
    _tokens = ["no"] * 3 * (_number > 2) + random.choices(
        ["no", "tea", "or"], k=_number
    )
    _wanted = list(pairwise(["<s>", *_tokens, "</s>"]))
    _got = ngrams(list(_tokens), 2)
    assert hasattr(_got, "__iter__") and list(_got) == _wanted, (
        f"The bigrams of {_tokens} are {_wanted}; yours: {_got!r}."
    )
_after = arguments_after(ngrams, ["we", "sat"], 3)[0]
assert list(_after) == ["we", "sat"], f"Leave `tokens` as they are; now: {_after}."
### END HIDDEN TESTS

# %% test="ngrams" aspect="n minus one start symbols" points=1
for _n, _first in (
    (1, ("we",)),
    (3, ("<s>", "<s>", "we")),
    (4, ("<s>", "<s>", "<s>", "we")),
):
    _got = ngrams(["we", "sat"], _n)
    assert hasattr(_got, "__iter__"), f"Return a list of tuples; you return {_got!r}."
    _got = list(_got)
    assert _got[:1] == [_first], (
        f"The first {_n}-gram of `we sat` is {_first}; yours: {_got[:1]}."
    )
### BEGIN HIDDEN TESTS
for _n in range(1, 8):
    for _tokens in (["no"], ["no", "tea", "no"], []):
        _got = ngrams(list(_tokens), _n)
        assert hasattr(_got, "__iter__"), (
            f"Return a list of tuples; you return {_got!r}."
        )
        _wanted = (*["<s>"] * (_n - 1), *_tokens, "</s>")[:_n]
        _got = list(_got)[:1]
        assert _got == [_wanted], (
            f"The first {_n}-gram of {_tokens} is {_wanted}; yours: {_got}."
        )
### END HIDDEN TESTS

# %% test="ngrams" aspect="one for each word, one for the end" points=1
_got = list(ngrams(["a", "b", "c"], 3) or [])
assert len(_got) == 4, (
    f"Three words have four 3-grams, the last for `</s>`; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _number, _n in ((0, 1), (0, 4), (1, 2), (2, 7), (3, 3), (5, 1), (6, 4), (9, 6)):
    _tokens = random.choices("abcd", k=_number)
    _got = ngrams(list(_tokens), _n)
    assert hasattr(_got, "__len__"), f"Return a list of tuples; you return {_got!r}."
    _last = [gram[-1] for gram in _got]
    assert _last == [*_tokens, "</s>"], (
        f"n = {_n}, {_tokens}: your {_n}-grams end with {_last}."
    )
    for _i, _gram in enumerate(_got):
        _past = tuple((["<s>"] * _n + _tokens)[_i + 1 : _i + _n])
        assert tuple(_gram) == (*_past, _last[_i]), (
            f"n = {_n}, {_tokens}: {_gram} has another past."
        )
### END HIDDEN TESTS


# %% [markdown]
# Three sentences from B. Muller's lecture can be counted by hand. Their most frequent bigrams, and some 4-grams:

# %%
sentences = [
    ["we", "sat", "in", "the", "house"],
    ["we", "sat", "here", "we", "two", "and", "we", "said"],
    ["how", "we", "wish", "we", "had", "something", "to", "do"],
]

# %%
counts = Counter(pair for sentence in sentences for pair in ngrams(sentence, 2))
counts.most_common(4)

# %%
ngrams(sentences[0], 4)[:3]
