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
# Lecture 001 mixes what follows *visited San* with what follows *San*, and notes: "smooth this too!" So the rule calls itself
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


# %% test="jelinek_mercer" aspect="one level over the uniform" points=1
_rows = {(): {"tea": 2, "no": 1, "</s>": 1}}
for _word, _wanted in (("tea", 0.375), ("<UNK>", 0.125)):
    _got = jelinek_mercer(_word, (), dict(_rows), 4, 0.5)
    assert is_number(_got), f"Return one number; you return {_got!r}."
    assert close(_got, _wanted), (
        f"Half of {_rows[()].get(_word, 0)}/4 and half of 1/4 make {_wanted} for {_word!r}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
for _weight in (0, 0.3, 1):
    _n, _V = [random.randint(1, 9) for _ in range(3)], random.randint(4, 9)
    _rows = {(): dict(zip(("tea", "no", "</s>"), _n, strict=True)), ("tea",): {"no": 3}}
    for _word, _count in (("tea", _n[0]), ("no", _n[1]), ("<UNK>", 0)):
        _wanted = _weight * _count / sum(_n) + (1 - _weight) / _V
        _got = jelinek_mercer(_word, (), dict(_rows), _V, _weight)
        assert close(_got, _wanted, 1e-5), (
            f"π = {_weight}, V = {_V}, row {_rows[()]}: P({_word}) = {_wanted:.4f}; yours: {_got!r}."
        )
for _row, _V in (({"tea": 1}, 4), ({"tea": 1}, 9), ({"no": 1}, 9), ({"tea": 5}, 9)):
    _got = jelinek_mercer("tea", (), {(): dict(_row)}, _V, 0.75)
    _wanted = 0.75 * ("tea" in _row) + 0.25 / _V
    assert close(_got, _wanted, 1e-5), (
        f"π = .75, V = {_V}, row {_row}: P(tea) = {_wanted:.4f}; yours: {_got!r}."
    )
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
for _weight in [random.uniform(0.1, 0.9) for _ in range(6)]:
    _V, _context = random.randint(6, 9), ("c", "a", "b")
    _rows = {
        _context[3 - _length :]: {"a": random.randint(1, 9), "b": random.randint(1, 9)}
        for _length in range(4)
    }
    _rows["a", "b"].pop("b")
    _rows |= {("c",): {"a": 1, "b": 6}, ("c", "a"): {"a": 8}, ("a",): {"b": 7}}
    for _word in ("a", "b", "z"):
        _wanted = 1 / _V
        for _length in range(4):
            _row = _rows[_context[3 - _length :]]
            _share = _row.get(_word, 0) / sum(_row.values())
            _wanted = _weight * _share + (1 - _weight) * _wanted
            _copy = {context: dict(row) for context, row in _rows.items()}
            _got = jelinek_mercer(_word, _context[3 - _length :], _copy, _V, _weight)
            assert close(_got, _wanted, 1e-5), (
                f"π = {_weight:.3f}, a context of {_length} words over 1/{_V}: wanted {_wanted:.6f}, "
                f"yours {_got!r}. Does π weight the longer context?"
            )
for _row in ({"a": 1}, {"b": 1}, {"a": 2, "b": 2}):  # seen just once, then more often
    _given = {(): {"a": 3, "b": 1}, ("a",): {"b": 1}, ("b", "a"): dict(_row)}
    _got = jelinek_mercer("a", ("b", "a"), _given, 5, 0.6)
    _wanted = 0.6 * _row.get("a", 0) / sum(_row.values())
    _wanted += 0.4 * (0.6 * 0 + 0.4 * (0.6 * 0.75 + 0.4 / 5))
    assert close(_got, _wanted, 1e-5), (
        f"π = .6, V = 5, {_given}: P(a | b a) = {_wanted:.5f}; yours: {_got!r}."
    )
_copy = {context: dict(row) for context, row in _rows.items()}
_after = arguments_after(jelinek_mercer, "z", ("q", "c", "b"), _copy, 6, 0.5)[2]
assert _after == _rows, (
    "jelinek_mercer changes the table: ask for a row with .get, it may be absent."
)
for _word, _context in (("z", ("q", "c", "b")), ("z", ("c", "a", "b")), ("z", ())):
    _copy = {context: defaultdict(int, row) for context, row in _rows.items()}
    _after = arguments_after(
        jelinek_mercer, _word, _context, defaultdict(dict, _copy), 6, 0.5
    )[2]
    assert _after == _rows, (
        f"Table and rows may be defaultdicts: asked for {_word!r} after {_context}, "
        f"your look-ups left {_after}."
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
for _n in range(4):
    _got = jelinek_mercer("tea", ("no",) * _n, dict(_rows), 4, 0.9)
    assert close(_got, 0.475, 1e-5), (
        f"Without any row for `no`, `no no` ... the unigram level answers; yours: {_got!r}."
    )
_full = {("a", "b", "c")[3 - n :]: {"a": n + 1, "b": 2, "c": 5 - n} for n in range(4)}
for _case in range(16):  # which of the four rows are there
    for _empty in (False, True):
        _rows = {h: dict(row) for h, row in _full.items() if _case >> len(h) & 1}
        _wanted = 1 / 7
        for _length in range(4):
            _row = _rows.get(("a", "b", "c")[3 - _length :])
            if _row:
                _wanted = 0.3 * _wanted + 0.7 * _row["a"] / 8
        if _empty:
            _rows |= {h: {} for h in _full if h not in _rows}
        _got = jelinek_mercer("a", ("a", "b", "c"), _rows, 7, 0.7)
        assert close(_got, _wanted, 1e-5), (
            f"After `a b c`, with rows for {[' '.join(h) for h, row in _rows.items() if row]} only, "
            f"the others {'empty' if _empty else 'absent'}: wanted {_wanted:.5f}; yours: {_got!r}. "
            "A row that is not there changes nothing; below the empty context stands 1/V."
        )
_full = {tuple("abcdef")[6 - n :]: {"a": n + 1, "b": 2, "c": 8 - n} for n in range(7)}
_wanted = 1 / 7
for _row in _full.values():
    _wanted = 0.3 * _wanted + 0.7 * _row["a"] / 11
_got = jelinek_mercer("a", tuple("abcdef"), _full, 7, 0.7)
assert close(_got, _wanted, 1e-5), (
    f"After six words all seven levels answer: {_wanted:.5f} wanted; yours: {_got!r}."
)
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
_source = np.random.default_rng()
for _order in (1, 2, 3, 4):
    _text = [str(_word) for _word in _source.choice(list("abcdef"), size=40)]
    _rows = {}
    for _i in range(_order - 1, 40):
        for _k in range(_order):
            _row = _rows.setdefault(tuple(_text[_i - _k : _i]), {})
            _row[_text[_i]] = _row.get(_text[_i], 0) + 1
    _contexts = [tuple(_text[_i : _i + _order - 1]) for _i in (3, 20)] + [
        ("g",) * (_order - 1)
    ]
    for _context in _contexts:
        _weight = float(_source.uniform())
        _each = [
            jelinek_mercer(_word, _context, _rows, 8, _weight) for _word in "abcdefgh"
        ]
        assert all(is_number(_got) for _got in _each), (
            f"Return one number; yours: {_each!r}."
        )
        assert close(sum(_each), 1, 1e-5), (
            f"π = {_weight:.3f}, after {_context} the eight words sum to {sum(_each):.6f}."
        )
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
