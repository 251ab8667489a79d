# Chapter 02 for 2027: bits are divided by letters, not by characters.

# %% [markdown] statement="fair_bits"
# ## 13. Small vocabularies look good
#
# How large should $V$ be? With `<UNK>` and `</s>` alone, perplexity is low and says nothing: the next word is *some* word. So perplexities over
# different vocabularies cannot be compared. To be fair, let each model *spell* what it does not know: its
# letters, then `#` for the end, with the probabilities in a dict `letters`. And divide by letters, the same for all.
#
# - `spelling_bits(word, letters)`: the bits to spell it;
# - `bits_per_letter(logs, words, known, letters)`: all bits by all letters. `logs[i]` (list or array) is $\ln P$ of `words[i]`, or of
#   `<UNK>` if not in `known`: then the spelling comes on top. Letters are those of the words (digits and `'` too);
#   blanks, `#` and `</s>` count none. At least one token is a word.

# %% [markdown] hints="fair_bits"
# 1. How many bits does an event of probability 1/8 cost?
# 2. Natural logarithms become bits when divided by ln 2. A stranger costs twice: being a stranger, and its spelling.
# 3. Two sums: bits (of all tokens, and the spelling of those not known; `</s>` is never spelled) and letters. Divide once, at the end.


# %% task="fair_bits" points=4 level=2 minutes=15
def spelling_bits(word, letters):
    """Bits to spell `word` and end it with `#`, each symbol with its probability in the dict `letters`."""
    ### BEGIN SOLUTION
    return -sum(math.log2(letters[symbol]) for symbol in [*word, "#"])
    ### END SOLUTION


def bits_per_letter(logs, words, known, letters):
    """Bits for all tokens, strangers spelled out, divided by the number of letters of the words."""
    ### BEGIN SOLUTION
    bits, count = -sum(logs) / math.log(2), 0
    for word in words:
        if word != "</s>":
            count += len(word)
            bits += 0 if word in known else spelling_bits(word, letters)
    return bits / count
    ### END SOLUTION


# %% test="fair_bits" aspect="bits and letters of known words" replaces="fair_bits--bits-and-characters-of-known-words" points=1
_logs = [math.log(1 / 8), math.log(1 / 4), math.log(1 / 2)]
_got = bits_per_letter(
    list(_logs), ["hot", "tea", "</s>"], {"hot", "tea"}, {"h": 0.5, "#": 0.5}
)
assert is_number(_got), f"Return one number; you return {_got!r}."
assert close(_got, 1), (
    f"`hot tea` takes 3 + 2 + 1 bits for 3 + 3 letters, and nothing is spelled: 1; yours: {_got}."
)
### BEGIN HIDDEN TESTS
for _words, _count in (
    (["i", "want", "thai", "</s>"], 9),
    (["tea", "tea", "</s>", "i", "</s>"], 7),
    (["restaurants", "i", "i"], 13),
):
    _logs = np.log(np.random.default_rng().uniform(0.01, 0.9, len(_words))).tolist()
    _wanted = -sum(_logs) / math.log(2) / _count
    _got = bits_per_letter(list(_logs), list(_words), set(_words), {"h": 0.5, "#": 0.5})
    assert close(_got, _wanted, 1e-5), (
        f"{_words}, all known, have {_count} letters (blanks and ends are none), "
        f"and nothing is spelled: {_wanted:.4f}; yours: {_got!r}."
    )
### END HIDDEN TESTS


# %% test="fair_bits" aspect="a stranger costs twice" points=1
_letters = {"a": 0.5, "b": 0.25, "#": 0.25}
_got = bits_per_letter([math.log(1 / 2)] * 3, ["hot", "ab", "</s>"], {"hot"}, _letters)
assert is_number(_got), f"Return one number; you return {_got!r}."
assert close(_got, 8 / 5), (
    f"`hot ab`: 1 bit for each of three tokens, and 5 to spell `ab`; 3 + 2 letters: 1.6; yours: {_got}."
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
    _wanted = _bits / (len("".join(_words)) - 2 * 4)
    _got = bits_per_letter(
        np.log(_p).tolist(), list(_words), set(_known), dict(_letters)
    )
    assert close(_got, _wanted, 1e-5), (
        f"{_words}, known {sorted(_known)}: wanted {_wanted:.4f}, yours {_got!r}. "
        "Each occurrence of a stranger is spelled."
    )
### END HIDDEN TESTS


# %% test="fair_bits" aspect="the end needs no spelling" points=1
_got = bits_per_letter(
    [math.log(1 / 4), math.log(1 / 4)], ["tea", "</s>"], {"tea"}, {"t": 0.5, "#": 0.5}
)
assert is_number(_got), f"Return one number; you return {_got!r}."
assert close(_got, 4 / 3), f"`tea` and `</s>`: 4 bits, 3 letters, 1.333; yours: {_got}."
### BEGIN HIDDEN TESTS
_letters = {"t": 0.5, "#": 0.5}
_got = bits_per_letter(
    [math.log(1 / 4)] * 2, ["tea", "</s>"], {"tea", "</s>", "<UNK>"}, dict(_letters)
)
assert close(_got, 4 / 3, 1e-5), (
    f"Whether `known` lists `</s>` or not, it has no letters; yours: {_got!r}."
)
_got = bits_per_letter(
    [math.log(1 / 8)] * 3, ["</s>", "tt", "</s>"], set(), dict(_letters)
)
assert close(_got, 6, 1e-5), (
    f"Two empty sentences and `tt`, 3 bits each, and 3 to spell it: 12 bits, 2 letters; yours: {_got!r}."
)
_given = [[math.log(1 / 4)] * 3, ["tea", "t", "</s>"], {"tea"}, dict(_letters)]
_after = arguments_after(
    bits_per_letter,
    list(_given[0]),
    list(_given[1]),
    set(_given[2]),
    dict(_given[3]),
)
assert list(_after) == _given, (
    "bits_per_letter changes a list, set or dict that it is given."
)
_after = arguments_after(bits_per_letter, np.array(_given[0]), *_given[1:])[0]
assert close(_after, _given[0]), (
    f"`logs` as an array: bits_per_letter changes it to {_after}."
)
### END HIDDEN TESTS


# %% replaces="13-small-vocabularies-look-good-3"
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
        bits_per_letter(logs, truth, common, letters),
    )

# %% replaces="13-small-vocabularies-look-good-4"
by_size = pd.DataFrame(rows, ["perplexity", "bits per letter"])
print(by_size.T.rename_axis("V").round(2).to_string())

# %% [markdown] replaces="13-small-vocabularies-look-good-5"
# By perplexity, the smallest vocabulary looks best (7.6 against 15.1); by bits per letter, it is the worst (2.8
# against 1.2), for it has to spell.
