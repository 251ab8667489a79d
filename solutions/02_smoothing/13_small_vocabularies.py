# %% [markdown] statement="fair_bits"
# ## 13. Small vocabularies look good
#
# How large should $V$ be? Take the extreme case, a vocabulary of only `<UNK>` and `</s>`. Every word is then `<UNK>`, the model predicts it easily, and its
# low perplexity says nothing about words. So perplexities over different vocabularies cannot be compared. To be fair, let each model *spell* what it does not
# know: the letters of the word, then `#` for its end, with the probabilities in a dict `letters`. And divide by the number of characters, which is the same
# for all models.
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


# %% family="fair_bits"
def _spelling(rng):
    symbols = "aeimstIé'7#"
    shares = [rng.uniform(0.1, 1) for _ in symbols]
    return {
        symbol: share / sum(shares)
        for symbol, share in zip(symbols, shares, strict=True)
    }


_letters = made(_spelling)
_words = made(
    lambda rng, n: rng.choices(["I", "am", "tea", "miss", "</s>"], k=n),
    size("tokens"),
    edges=[
        lambda rng, n: ["</s>"] * n,
        lambda rng, n: ["I", "tea", *["</s>"] * n],
        lambda rng, n: ["am", *["tea"] * n, "</s>", "miss", "tea"],
        lambda rng, n: ["tea", "mété", "I'm", "t7", "tea"],
    ],
)
_known = made(  # not `tea`, and ends hardly ever
    lambda rng, words: {"want", "steaks", "team", *rng.sample(["I", "am", "miss"], 2)},
    _words,
    edges=[set(), {"I"}, {"</s>", "<UNK>", "I"}],
)
_logs = made(
    lambda rng, words: [math.log(rng.uniform(0.05, 0.9)) for _ in words],
    _words,
    edges=[lambda rng, words: np.log([rng.uniform(0.05, 0.9) for _ in words])],
)

# %% test="fair_bits" aspect="spelling includes the end" points=1
_letters = {"a": 0.5, "b": 0.25, "#": 0.25}
_got = spelling_bits("ab", _letters)
assert is_number(_got), f"Return a number of bits; you return {_got!r}."
assert close(_got, 5), f"a, b and # cost 1 + 2 + 2 = 5 bits; yours: {_got}."
### BEGIN HIDDEN TESTS
_word = made(
    lambda rng, n: "".join(rng.choices("aeimst", k=n)), size("letters", large=600)
)
for _some in (_word, "tat"):
    agrees(spelling_bits, ours.spelling_bits, _some, _letters, rtol=1e-5)
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
_inputs = _logs, _words, made(lambda rng, words: set(words), _words), _letters
agrees(bits_per_character, ours.bits_per_character, *_inputs, mixtures=2, rtol=1e-5)
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
_inputs = _logs, _words, _known, _letters
agrees(bits_per_character, ours.bits_per_character, *_inputs, rtol=1e-5)
### END HIDDEN TESTS


# %% test="fair_bits" aspect="the end needs no spelling" points=1
_got = bits_per_character(
    [math.log(1 / 4), math.log(1 / 4)], ["tea", "</s>"], {"tea"}, {"t": 0.5, "#": 0.5}
)
assert is_number(_got), f"Return one number; you return {_got!r}."
assert close(_got, 4 / 5), f"`tea` and `</s>`: 4 bits, 5 characters, .8; yours: {_got}."
### BEGIN HIDDEN TESTS
_inputs = _logs, _words, choice(set(), {"</s>"}, {"</s>", "I", "tea"}), _letters
agrees(bits_per_character, ours.bits_per_character, *_inputs, mixtures=2, rtol=1e-5)
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
# By perplexity, the smallest vocabulary looks best (7.6 against 15.1). By bits per character it is the worst (2.2 against .9), because it has to spell.
#
# *And this is the third good place to stop.*
