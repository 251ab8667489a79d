# %% [markdown]
# ## 11. Mixing long and short memory
#
# So far the counts said how much the shorter memory may say. Could weights be *learned* instead? As section 2 showed,
# they need text that was not counted. So there are three parts: most of the training text to count; 900 of its
# sentences to **tune** the weights (without those that repeat counted ones); the held-out text for the verdict.
#
# Words that were counted once become `<UNK>`. So it has counts of its own, and can be predicted like any word.

# %%
counted = train_sentences[900:]
known_counted = {tuple(sentence) for sentence in counted}
tuning = [
    sentence
    for sentence in train_sentences[:900]
    if tuple(sentence) not in known_counted
]
frequency = Counter(word for sentence in counted for word in sentence)
known = {word for word, count in frequency.items() if count > 1}
events = [*sorted(known), "<UNK>", "</s>"]


def continuations(sentences, known, order):
    """Each predicted symbol with up to order - 1 symbols before it: a list of pairs (context, symbol)."""
    found = []
    for sentence in sentences:
        words = [
            "<s>",
            *(word if word in known else "<UNK>" for word in sentence),
            "</s>",
        ]
        found += [
            (tuple(words[max(0, i - order + 1) : i]), words[i])
            for i in range(1, len(words))
        ]
    return found


# %%
def count_table(pairs):
    """table[h][w]: how often w stands after h, for the contexts of `pairs` and all that is left of them, down to ()."""
    table = defaultdict(Counter)
    for context, word in pairs:
        for skip in range(len(context) + 1):
            table[context[skip:]][word] += 1
    return dict(table)


counted_pairs, tuning_pairs = (
    continuations(part, known, 3) for part in (counted, tuning)
)
trigrams = count_table(counted_pairs)
trigrams["i", "want"].most_common(3)

# %% [markdown] statement="jelinek_mercer"
# ### Smooth this too!
#
# Durrett's lecture mixes what follows *visited San* with what follows *San*, and notes: "smooth this too!" So the rule calls itself
# (F. Jelinek and R. Mercer, 1980). With a weight $\pi$ for the longer context ($\pi$ as in *proportion*; many books write $\lambda$):
#
# $$P(w \mid h) = \pi\, \frac{c(hw)}{n(h)} + (1-\pi)\, P(w \mid h')$$
#
# Below the empty context stands $1/V$. A context never seen asks $h'$ and changes nothing. Write
# `jelinek_mercer(word, context, table, V, weight)`; `weight` is $\pi$, `context` a tuple, oldest word first.

# %% [markdown] hints="jelinek_mercer"
# 1. Do the empty context first: one mixture of a count ratio and $1/V$.
# 2. The function needs its own answer for a shorter context. Which context ends the recursion, and what comes below it?
# 3. Get the answer below first. Then ask: is there a row for this context, and has it anything in it? Only then is there something to
#    mix; and mind that a row may lack the word.


# %% task="jelinek_mercer" points=4 level=2 minutes=14
def jelinek_mercer(word, context, table, V, weight):
    """P(word | context). `table[h]` is a dict {word: count} for tuples h of any length; unseen h are absent
    or have an empty row. The table stays as it is."""
    ### BEGIN SOLUTION
    below = jelinek_mercer(word, context[1:], table, V, weight) if context else 1 / V
    row = table.get(context)
    if not row:
        return below
    return weight * row.get(word, 0) / sum(row.values()) + (1 - weight) * below
    ### END SOLUTION


# %% family="jelinek_mercer"
_word, _V, _weight = choice(*"abz"), whole(5, 9), number(0, 1)
_context = made(
    lambda rng, n: tuple(rng.choices("abcd", k=n)), whole(0, 6, range(1, 6))
)


def _row(rng):
    return {word: rng.randint(1, 9) for word in rng.sample("abc", rng.randint(1, 3))}


def _rows(rng, h):
    """A row for each part of the context, also for those that leave out its newest words."""
    return {h[i:j]: _row(rng) for i in range(len(h) + 1) for j in range(i, len(h) + 1)}


_table = made(_rows, _context, edges=[{}, lambda rng, h: {h[-1:]: {"a": 1}}])

# %% test="jelinek_mercer" aspect="one level over the uniform" points=1
_rows = {(): {"tea": 2, "no": 1, "</s>": 1}}
for _word, _wanted in (("tea", 0.375), ("<UNK>", 0.125)):
    _got = jelinek_mercer(_word, (), dict(_rows), 4, 0.5)
    assert is_number(_got), f"Return one number; you return {_got!r}."
    assert close(_got, _wanted), (
        f"Half of {_rows[()].get(_word, 0)}/4 and half of 1/4 make {_wanted} for {_word!r}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_table = made(lambda rng: {(): _row(rng), ("a",): {"b": 3}}, edges=[{(): {"a": 1}}])
agrees(jelinek_mercer, ours.jelinek_mercer, _word, (), _table, _V, _weight, rtol=1e-5)
### END HIDDEN TESTS


# %% test="jelinek_mercer" aspect="every level is smoothed" points=1
_rows = {(): {"tea": 2, "no": 1, "</s>": 1}, ("tea",): {"no": 3, "</s>": 1}}
_got = jelinek_mercer("tea", ("tea",), dict(_rows), 4, 0.8)
assert is_number(_got), f"Return one number; you return {_got!r}."
assert close(_got, 0.09), (
    "P(tea | tea) with π = .8: after tea it was never seen, the level below says .45, "
    f"and .2 of that is .09; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_inputs = _word, _context, _table, _V, _weight
agrees(jelinek_mercer, ours.jelinek_mercer, *_inputs, rtol=1e-5, atol=1e-7)
_rows = {(): {"a": 3, "b": 1}, ("a",): {"b": 1}}
_same = [_rows | {("b", "a"): row} for row in ({"a": 1}, {}, {"a": 2, "b": 2})]
_inputs = "a", ("b", "a"), choice(*_same), 5, 0.6  # the same contexts, counted anew
agrees(jelinek_mercer, ours.jelinek_mercer, *_inputs, mixtures=0, rtol=1e-5)
for _context in ((), ("a",), ("c", "b", "a")):
    _given = defaultdict(dict, {h: defaultdict(int, row) for h, row in _rows.items()})
    _after = arguments_after(jelinek_mercer, "z", _context, _given, 5, 0.6)[2]
    assert _after == _rows, (
        f"Table and rows may be defaultdicts: your look-ups of 'z' after {_context} left {_after}."
    )
### END HIDDEN TESTS


# %% test="jelinek_mercer" aspect="unseen contexts pass the question on" points=1
_rows = {(): {"tea": 2, "no": 2}, ("hot",): {"tea": 5}}
_pair = [
    jelinek_mercer("tea", _context, dict(_rows), 4, 0.9)
    for _context in (("more", "hot"), ("hot",))
]
assert all(is_number(_got) for _got in _pair), f"Return one number; yours: {_pair!r}."
assert close(_pair[0], _pair[1]), (
    f"`more hot` was never seen, so P(tea | more hot) = P(tea | hot); yours: {_pair}."
)


### BEGIN HIDDEN TESTS
def _some_rows(rng, which, has_empty):
    rows = {(): {"a": 1, "b": 2}, ("c",): {"b": 4}, ("b", "c"): {"a": 1}}
    rows = {**rows, ("a", "b", "c"): {"a": 1, "c": 1}}
    rows = {h: row if which >> len(h) & 1 else {} for h, row in rows.items()}
    return {h: row for h, row in rows.items() if row or has_empty}


for _has_empty in (False, True):
    _table = made(_some_rows, whole(0, 15, range(1, 15)), _has_empty)
    _inputs = "a", ("a", "b", "c"), _table, 7, 0.7
    agrees(jelinek_mercer, ours.jelinek_mercer, *_inputs, mixtures=0, rtol=1e-5)
_inputs = "a", tuple("abcdef"), made(_rows, tuple("abcdef")), 7, 0.7
agrees(jelinek_mercer, ours.jelinek_mercer, *_inputs, mixtures=0, rtol=1e-5)
### END HIDDEN TESTS


# %% test="jelinek_mercer" aspect="sums to one for every weight" points=1
_rows = {(): {"a": 3, "b": 1}, ("a",): {"a": 1, "b": 1}, ("b", "a"): {"b": 2}}
for _weight in (0, 0.25, 1):
    for _context in ((), ("a",), ("b", "a")):
        _each = [
            jelinek_mercer(_word, _context, dict(_rows), 5, _weight)
            for _word in "abcde"
        ]
        assert all(is_number(_got) for _got in _each), (
            f"Return one number; yours: {_each!r}."
        )
        assert close(sum(_each), 1, 1e-5), (
            f"π = {_weight}, after {_context} the five words sum to {sum(_each):.4f}."
        )


### BEGIN HIDDEN TESTS
def _sum(function, *inputs):
    return sum(function(word, *inputs) for word in "abcde")


_inputs = _context, _table, 5, _weight
agrees(jelinek_mercer, ours.jelinek_mercer, *_inputs, by=_sum, rtol=1e-5)
### END HIDDEN TESTS


# %%
def perplexity_at(pairs, weight):
    """Perplexity of (context, word) pairs under the trigram mixture with one weight everywhere."""
    logs = [
        math.log(jelinek_mercer(w, h, trigrams, len(events), weight)) for h, w in pairs
    ]
    return math.exp(-np.mean(logs))


weights = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
curves = {"counted": counted_pairs[:5000], "tuning": tuning_pairs}
curves = {
    name: [perplexity_at(pairs, weight) for weight in weights]
    for name, pairs in curves.items()
}

# %%
by_weight = pd.DataFrame(curves, weights).rename_axis("π")
print("perplexity\n", by_weight.T.round(1).to_string())

# %% [markdown]
# New text wants some of everything: its best $\pi$ is .7 or .8. Counted text wants $\pi = 1$. But why one $\pi$ for all? A context seen
# a thousand times deserves more trust than one seen twice.
