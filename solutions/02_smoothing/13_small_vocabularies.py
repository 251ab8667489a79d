# %% [markdown] statement="fair_bits"
# ## 13. Small vocabularies look good
#
# How large should $V$ be? With `<UNK>` and `</s>` alone, perplexity is low and says nothing: the next word is *some* word. So perplexities over
# different vocabularies cannot be compared. To be fair, let each model *spell* what it does not know: its
# letters, then `#` for the end, with the probabilities in a dict `letters`. And divide by characters, the same for all.
#
# - `spelling_bits(word, letters)`: the bits to spell it;
# - `bits_per_character(logs, words, known, letters)`: all bits by all characters. `logs[i]` (list or array) is $\ln P$ of `words[i]`, or of
#   `<UNK>` if not in `known`: then the spelling comes on top. A word counts its letters and a blank; `</s>` is one character.

# %% [markdown] hints="fair_bits"
# 1. How many bits does an event of probability 1/8 cost?
# 2. Natural logarithms become bits when divided by ln 2. An unknown word costs twice: as `<UNK>`, and for its spelling.
# 3. Two sums: bits (of all tokens, and the spelling of those not known; `</s>` is never spelled) and characters. Divide once, at the end.


# %% task="fair_bits" points=4 level=2 minutes=15
def spelling_bits(word, letters):
    """Bits to spell `word` and end it with `#`, each symbol with its probability in the dict `letters`."""
    ### BEGIN SOLUTION
    return -sum(math.log2(letters[symbol]) for symbol in [*word, "#"])
    ### END SOLUTION


def bits_per_character(logs, words, known, letters):
    """Bits for all words, strangers spelled out, divided by the number of characters."""
    ### BEGIN SOLUTION
    bits, characters = -sum(logs) / math.log(2), 0
    for word in words:
        characters += 1 if word == "</s>" else len(word) + 1
        if word != "</s>" and word not in known:
            bits += spelling_bits(word, letters)
    return bits / characters
    ### END SOLUTION


# %% test="fair_bits" aspect="spelling includes the end" points=1
_letters = {"a": 0.5, "b": 0.25, "#": 0.25}
_got = spelling_bits("ab", _letters)
assert is_number(_got), f"Return a number of bits; you return {_got!r}."
assert close(_got, 5), f"a, b and # cost 1 + 2 + 2 = 5 bits; yours: {_got}."
### BEGIN HIDDEN TESTS
_source = np.random.default_rng()
for _size in (1, 6, 1500):
    _letters = dict(
        zip("abc#", _source.dirichlet(np.ones(4) * 5).tolist(), strict=True)
    )
    _word = "".join(_source.choice(list("abc"), size=_size))
    _wanted = -sum(math.log2(_letters[_c]) for _c in _word + "#")
    _got = spelling_bits(_word, dict(_letters))
    assert close(_got, _wanted, 1e-5), (
        f"{_word[:9]!r}, {_size} letters, with {_letters} costs {_wanted:.4f} bits; yours: {_got!r}."
    )
for _letters in ({"a": 0.25, "b": 0.25, "#": 0.5}, {"a": 0.125, "b": 0.125, "#": 0.75}):
    for _word in ("a", "ab"):
        _wanted = -sum(math.log2(_letters[_c]) for _c in _word + "#")
        _got = spelling_bits(_word, dict(_letters))
        assert close(_got, _wanted, 1e-5), (
            f"{_word!r} with {_letters} costs {_wanted:.4f} bits; yours: {_got!r}."
        )
_after = arguments_after(spelling_bits, "a", dict(_letters))[1]
assert _after == _letters, "spelling_bits changes the dict of letters that it is given."
### END HIDDEN TESTS


# %% test="fair_bits" aspect="bits and characters of known words" points=1
_logs = [math.log(1 / 8), math.log(1 / 4), math.log(1 / 2)]
_got = bits_per_character(
    list(_logs), ["hot", "tea", "</s>"], {"hot", "tea"}, {"h": 0.5, "#": 0.5}
)
assert is_number(_got), f"Return one number; you return {_got!r}."
assert close(_got, 6 / 9), (
    f"`hot tea` takes 3 + 2 + 1 bits for 4 + 4 + 1 characters, and nothing is spelled: .6667; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _words, _characters in (
    (["i", "want", "thai", "</s>"], 13),
    (["tea", "tea", "</s>", "i", "</s>"], 12),
    (["restaurants", "i", "i"], 16),
):
    _logs = np.log(np.random.default_rng().uniform(0.01, 0.9, len(_words))).tolist()
    _wanted = -sum(_logs) / math.log(2) / _characters
    _got = bits_per_character(
        list(_logs), list(_words), set(_words), {"h": 0.5, "#": 0.5}
    )
    assert close(_got, _wanted, 1e-5), (
        f"{_words}, all known, have {_characters} characters (blanks and ends too), "
        f"and nothing is spelled: {_wanted:.4f}; yours: {_got!r}."
    )
### END HIDDEN TESTS


# %% test="fair_bits" aspect="a stranger costs twice" points=1
_letters = {"a": 0.5, "b": 0.25, "#": 0.25}
_got = bits_per_character(
    [math.log(1 / 2)] * 3, ["hot", "ab", "</s>"], {"hot"}, _letters
)
assert is_number(_got), f"Return one number; you return {_got!r}."
assert close(_got, 8 / 8), (
    f"`hot ab`: 1 bit for each of three tokens, and 5 to spell `ab`; 4 + 3 + 1 characters: 1; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_source = np.random.default_rng()
for _ in range(5):
    _letters = dict(zip("abc#", _source.dirichlet(np.ones(4)).tolist(), strict=True))
    _words = [
        "".join(_source.choice(list("abc"), size=_n))
        for _n in _source.integers(1, 5, size=6)
    ]
    _known = set(_words[:4]) - {"bb"}
    _words += [
        "bb",
        "caca",
        "</s>",
        "bb",
        _words[0],
        "caca",
        "bb",
        "</s>",
    ]  # strangers come again
    _p = _source.uniform(0.05, 0.9, size=len(_words))
    _bits = -sum(math.log2(_one) for _one in _p)
    for _word in _words:
        if _word != "</s>" and _word not in _known:
            _bits -= sum(math.log2(_letters[_c]) for _c in _word + "#")
    _wanted = _bits / (len("".join(_words)) - 2 * 4 + len(_words))
    _got = bits_per_character(
        np.log(_p).tolist(), list(_words), set(_known), dict(_letters)
    )
    assert close(_got, _wanted, 1e-5), (
        f"{_words}, known {sorted(_known)}: wanted {_wanted:.4f}, yours {_got!r}. "
        "Each occurrence of a stranger is spelled."
    )
### END HIDDEN TESTS


# %% test="fair_bits" aspect="the end needs no spelling" points=1
_got = bits_per_character(
    [math.log(1 / 4), math.log(1 / 4)], ["tea", "</s>"], {"tea"}, {"t": 0.5, "#": 0.5}
)
assert is_number(_got), f"Return one number; you return {_got!r}."
assert close(_got, 4 / 5), f"`tea` and `</s>`: 4 bits, 5 characters, .8; yours: {_got}."
### BEGIN HIDDEN TESTS
_letters = {"t": 0.5, "#": 0.5}
_got = bits_per_character(
    [math.log(1 / 4)] * 2, ["tea", "</s>"], {"tea", "</s>", "<UNK>"}, dict(_letters)
)
assert close(_got, 4 / 5, 1e-5), (
    f"Whether `known` lists `</s>` or not, it is one character; yours: {_got!r}."
)
_got = bits_per_character([math.log(1 / 8)] * 3, ["</s>"] * 3, set(), dict(_letters))
assert close(_got, 3, 1e-5), (
    f"Three empty sentences of 3 bits each are three characters: 3; yours: {_got!r}."
)
_given = [[math.log(1 / 4)] * 3, ["tea", "t", "</s>"], {"tea"}, dict(_letters)]
_after = arguments_after(
    bits_per_character,
    list(_given[0]),
    list(_given[1]),
    set(_given[2]),
    dict(_given[3]),
)
assert list(_after) == _given, (
    "bits_per_character changes a list, set or dict that it is given."
)
_after = arguments_after(bits_per_character, np.array(_given[0]), *_given[1:])[0]
assert close(_after, _given[0]), (
    f"`logs` as an array: bits_per_character changes it to {_after}."
)
### END HIDDEN TESTS


# %%
spelled = Counter(symbol for word in frequency for symbol in word + "#")
letters = {
    symbol: (spelled[symbol] + 1) / (spelled.total() + 38)
    for symbol in "abcdefghijklmnopqrstuvwxyz0123456789'#"
}
truth = [word for sentence in new_sentences for word in [*sentence, "</s>"]]
rows = {}
for least in (1, 2, 3, 5, 10, 20, 50, 100):
    common = {word for word, count in frequency.items() if count >= least}
    small = count_table(continuations(counted, common, 2))
    pairs = continuations(new_sentences, common, 2)
    logs = [
        math.log(jelinek_mercer(w, h, small, len(common) + 2, 0.8)) for h, w in pairs
    ]
    rows[len(common) + 2] = (
        math.exp(-np.mean(logs)),
        bits_per_character(logs, truth, common, letters),
    )

# %%
by_size = pd.DataFrame(rows, ["perplexity", "bits per character"])
print(by_size.T.rename_axis("V").round(2).to_string())

# %% [markdown]
# By perplexity, the smallest vocabulary looks best (7.6 against 15.1); by bits per character, it is the worst (2.2
# against .9), for it has to spell.
