# %% [markdown] statement="ngram_mle"
# ## 14. As much memory as you like
#
# Counting works with any $n$, the **order** of the model: divide the count of *visited San Francisco* by that of
# *visited San*. `ngram_mle(sentences, n)` returns the nested dict `model[context][word]`, where `context` is the
# tuple of the $n-1$ tokens before `word`, padded as in section 3. For $n = 1$ the only context is `()`. To cut
# sentences, call `windows(sentence, n)`, given above.

# %% [markdown] hints="ngram_mle"
# 1. What do bigrams and trigrams share? All but the last token is past.
# 2. A row counts what follows its context; then it is divided by its own sum. `windows` may help.
# 3. A context must be something that a dict can take as a key, and for $n = 1$ it is empty, but still a key. No row
#    can be divided before the last sentence is counted.


# %% task="ngram_mle" points=4 level=2 minutes=11
def ngram_mle(sentences, n):
    """model[context][word] = P(word | context), where context is a tuple of n - 1 tokens."""
    ### BEGIN SOLUTION
    counts = defaultdict(Counter)
    for sentence in sentences:
        for *context, word in windows(sentence, n):
            counts[tuple(context)][word] += 1
    return {
        context: {word: k / row.total() for word, k in row.items()}
        for context, row in counts.items()
    }
    ### END SOLUTION


# %% test="ngram_mle" aspect="two words of context" points=1
_visits = [
    "i visited san francisco",
    "we visited san francisco in may",
    "they visited san diego",
    "san jose is big",
]
_got = ngram_mle([line.split() for line in _visits], 3)
assert hasattr(_got, "keys"), f"Return a dict of dicts; yours: {_got!r}."
_row = _got.get(("visited", "san"))
assert hasattr(_row, "keys"), (
    f"model[('visited', 'san')] should be a dict; your contexts: {list(_got)[:3]}..."
)
assert set(_row) == {"francisco", "diego"}, (
    f"After `visited san` stand francisco and diego; yours: {dict(_row)}."
)
assert close(_row["francisco"], 2 / 3), (
    f"P(francisco | visited san) = 2/3; yours: {_row['francisco']}."
)
### BEGIN HIDDEN TESTS
_numbers = {word: random.randint(1, 4) for word in ("tea", "soup", "rice")}
_lines = [
    ["i", "like", word] for word, number in _numbers.items() for _ in range(number)
]
_lines += [["you", "like", "rice"], ["like", "tea", "i", "like"]]
random.shuffle(_lines)
_got = ngram_mle([list(line) for line in _lines], 3)
_row = _got.get(("i", "like")) if hasattr(_got, "keys") else None
assert hasattr(_row, "keys"), (
    f"model[('i', 'like')] should be a dict; your model: {_got!r}."
)
_wanted = [number / (sum(_numbers.values()) + 1) for number in (*_numbers.values(), 1)]
assert set(_row) == {*_numbers, "</s>"} and close(
    [_row[w] for w in (*_numbers, "</s>")], _wanted
), f"After `i like` stand {_numbers} and one end; yours: {_row}."
_after = arguments_after(ngram_mle, [list(line) for line in _lines], 3)[0]
assert [list(line) for line in _after] == _lines, "Leave `sentences` as they are."
### END HIDDEN TESTS

# %% test="ngram_mle" aspect="no past and all of it" points=1
_lines = [
    line.split()
    for line in (
        "a quick brown fox jumps",
        "a quick brown fox sleeps",
        "the brown fox jumps",
    )
]
_got = ngram_mle(_lines, 1)
assert hasattr(_got, "keys"), f"Return a dict of dicts; yours: {_got!r}."
_row = _got.get(())
assert hasattr(_row, "keys"), (
    f"For n = 1 the only context is (); yours: {list(_got)[:3]}."
)
assert close(_row.get("fox", 0), 3 / 17), (
    f"P(fox) = 3/17, `</s>` counted, `<s>` not; yours: {_row.get('fox')}."
)
### BEGIN HIDDEN TESTS
assert "<s>" not in _row and close(_row.get("</s>", 0), 3 / 17), (
    "`</s>` is predicted, `<s>` is given."
)
_got = ngram_mle(_lines, 7)
assert hasattr(_got, "keys"), f"Return a dict of dicts; yours: {_got!r}."
_row = _got.get(("<s>", "<s>", "a", "quick", "brown", "fox"), {})
assert close(_row.get("jumps", 0), 1 / 2), (
    f"After `a quick brown fox`, jumps once of 2 times; yours: {dict(_row)}."
)
_got = ngram_mle([["b", "b", "a"], [], ["b"]], 1)
assert hasattr(_got, "keys") and set(_got) == {()}, (
    f"For n = 1 the only context is (); yours: {_got!r}."
)
_value = [_got[()].get(word, 0) for word in ("a", "b", "</s>", "<s>")]
assert close(_value, [1 / 7, 3 / 7, 3 / 7, 0]), (
    f"`b b a`, an empty sentence and `b`: 7 tokens with three ends; yours: {_got[()]}."
)
### END HIDDEN TESTS

# %% test="ngram_mle" aspect="starts and ends of sentences" points=1
_got = ngram_mle([["no", "tea"], ["no"]], 3)
assert hasattr(_got, "keys"), f"Return a dict of dicts; yours: {_got!r}."
assert set(_got) == {("<s>", "<s>"), ("<s>", "no"), ("no", "tea")}, (
    f"`no tea` and `no` have the contexts `<s> <s>`, `<s> no`, `no tea`; yours: {list(_got)}."
)
assert dict(_got["<s>", "no"]) == {"tea": 0.5, "</s>": 0.5}, (
    f"After `<s> no`: tea or the end; yours: {_got['<s>', 'no']}."
)
### BEGIN HIDDEN TESTS
for _n in (2, 4, 5):
    _starts = [("<s>",) * (_n - 1), ("<s>",) * (_n - 2) + ("or",)]
    _got = ngram_mle([["or"], [], ["or"], ["or"]], _n)
    assert hasattr(_got, "keys") and set(_got) == set(_starts), (
        f"n = {_n}: `or` and an empty sentence have the contexts {_starts}; yours: {_got!r}."
    )
    _row = _got[_starts[0]]
    assert close([_row.get("or"), _row.get("</s>")], [3 / 4, 1 / 4]), (
        f"n = {_n}: an empty sentence has one n-gram, with `</s>`; yours: {_row}."
    )
    assert close(_got[_starts[1]].get("</s>"), 1), (
        f"n = {_n}: `or` always ends; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="ngram_mle" aspect="every row sums to one" points=1
_got = ngram_mle([["a", "b"], ["a", "a", "b"], ["b"]], 2)
assert hasattr(_got, "keys") and _got, f"Return a dict of dicts; yours: {_got!r}."
for _context, _row in _got.items():
    assert hasattr(_row, "keys"), (
        f"model[{_context!r}] should be a dict; yours: {_row!r}."
    )
    assert close(sum(_row.values()), 1), (
        f"The row of {_context!r} sums to {sum(_row.values()):.3f}."
    )
### BEGIN HIDDEN TESTS
for _n in (1, 2, 3, 4):
    _text = [[], *(random.choices("abc", k=random.randint(0, 6)) for _ in range(20))]
    _got = ngram_mle([list(sentence) for sentence in _text], _n)
    assert hasattr(_got, "keys"), f"Return a dict of dicts; yours: {_got!r}."
    _starts = [
        "".join(["^"] * (_n - 1) + s + ["$"])[i : i + _n]
        for s in _text
        for i in range(len(s) + 1)
    ]
    for _gram in set(_starts):
        _names = [{"^": "<s>", "$": "</s>"}.get(letter, letter) for letter in _gram]
        _wanted = _starts.count(_gram) / sum(
            other[:-1] == _gram[:-1] for other in _starts
        )
        _value = _got.get(tuple(_names[:-1]), {}).get(_names[-1], 0)
        assert close(_value, _wanted), (
            f"n = {_n}: P({_names[-1]} | {_names[:-1]}) is {_value} on a random text."
        )
    _contexts = len({gram[:-1] for gram in _starts})
    assert len(_got) == _contexts, (
        f"n = {_n}: {_contexts} contexts occur; yours has {len(_got)}."
    )
### END HIDDEN TESTS


# %% [markdown]
# Does memory pay? For $n = 1, 2, 3$ we draw 200 sentences, five times. How many of their trigrams does the training
# text hold, and what is each model's perplexity on it?


# %%
def draw(model, n, dart):
    """One sentence from an n-gram model."""
    tokens = ["<s>"] * (n - 1)
    while "</s>" not in tokens and len(tokens) < 1000:
        tokens.append(sample(model[tuple(tokens[len(tokens) - n + 1 :])], dart))
    return tokens[n - 1 : -1]


# %%
heard = {gram for sentence in train_sentences for gram in ngrams(sentence, 3)}
for n in (1, 2, 3):
    model = ngram_mle(train_sentences, n)
    logs = [
        math.log2(model[gram[:-1]][gram[-1]])
        for sentence in train_sentences
        for gram in ngrams(sentence, n)
    ]
    shares = []
    for seed in range(5):
        throw = random.Random(seed).random
        drawn = [draw(model, n, throw) for _ in range(200)]
        shares.append(np.mean([g in heard for s in drawn for g in ngrams(s, 3)]))
    print(
        f"n = {n}: perplexity {perplexity(logs, 2):.1f}, trigrams known "
        f"{min(shares):.0%} to {max(shares):.0%}:",
        *max(drawn[:5], key=len),
    )

# %% [markdown]
# On the text that was counted, memory pays. (The 100 % at $n = 3$ is no merit: a trigram model can only write
# trigrams that it has seen. And on the new sentences, bigrams and trigrams both have perplexity ∞.)
#
# So why not remember five words? With a vocabulary of $V$ words there are $V^n$ possible
# n-grams, and a text shows only a few.
