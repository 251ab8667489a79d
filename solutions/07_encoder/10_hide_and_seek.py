# %% [markdown]
# ## 10. Hide and seek
#
# Take words out of a text and ask for them: **masked language modelling** (Devlin and others, 2018: BERT, *Bidirectional
# Encoder Representations from Transformers*), the *cloze* test of
# language schools. The network may look at everything: the answer is no longer there.

# %% folded="draws the masked language model" alt="The text the cat is drinking milk with is and milk covered. A model in which every word sees every word guesses the two covered words."
drawings.masked_language_model(("the", "cat", "is", "drinking", "milk"), (2, 4))

# %% [markdown]
# Each word is chosen with probability .15. A larger rate asks more questions of a text, but leaves less to answer them from. Of the *chosen* places, 80 % get
# `<MASK>` (BERT writes `[MASK]`), 10 % a random word, and 10 % stay as they are. **All chosen places are asked.** Why so complicated? When you use the model
# later there is no `<MASK>`, so it must give good vectors for ordinary words, too. If the asked words that are not masked were always unchanged, it could
# just copy them. So some are replaced by a random word, and then only the context can tell which ones.
#
# How far may the model trust a word that it is shown? Suppose that the context gives this word the probability $p$. The next cell computes by Bayes' rule how
# probable it is that the word is the original one ($V = 1000$):

# %%
V = 1000
for prior in (0.3, 1e-3, 1e-6):
    true = prior * (0.1 + 0.1 / V)  # left as it is, or drawn by chance
    wrong = (1 - prior) * 0.1 / V  # another word was here, this one was drawn
    print(
        f"P(word | context) = {prior:<6}: genuine with probability {true / (true + wrong):.3f}"
    )

# %% [markdown]
# A word that fits may be trusted. A word drawn at random is this very one with probability $1/V$. So if the context makes the shown word much rarer than
# that, it was probably drawn at random, and the model should not trust it.

# %% [markdown] statement="mask_tokens"
# `mask_tokens(ids, lengths, rate, shares, blank, V, generator)` returns `(inputs, targets)`, two tensors like `ids`: whole
# numbers $[B, T]$.
#
# - Each of the first `lengths[i]` places of text $i$ is chosen, independently, with probability `rate` (0 to 1). Padding
#   never is; its filler may be the number of a real word.
# - `shares`, such as (.8, .1, .1): each *chosen* place, independently, gets the number `blank` ($\ge V$), or a word drawn
#   evenly from $0 \ldots V-1$ (it may hit the old word), or keeps its word.
# - `targets` holds the original word where chosen, and -100 elsewhere.
#
# All chance comes from `generator`, NumPy's (`np.random.default_rng(seed)`). `ids` stay as they are.

# %% [markdown] hints="mask_tokens"
# 1. What is decided once for each place? First whether it is asked, then what is done to it. These are two draws.
# 2. `torch.from_numpy(generator.random(ids.shape))` has a number between 0 and 1 for each place. How do you turn it into "with
#    probability .15", how into three shares?
# 3. `targets` follows from the first decision only, and from `ids`. For `inputs` replace in two steps by `torch.where`:
#    the random words can be drawn for all places and used at few.


# %% task="mask_tokens" points=4 level=2 minutes=20
def mask_tokens(ids, lengths, rate, shares, blank, V, generator):
    """Inputs [B, T] with chosen places changed, targets [B, T] with the original word where chosen, else -100."""
    ### BEGIN SOLUTION
    real = torch.arange(ids.shape[1]) < lengths[:, None]
    chosen = real & (torch.from_numpy(generator.random(ids.shape)) < rate)
    kind = torch.from_numpy(generator.random(ids.shape))
    words = torch.from_numpy(generator.integers(V, size=ids.shape))
    covered = chosen & (kind < shares[0])
    other = chosen & (kind >= shares[0]) & (kind < shares[0] + shares[1])
    inputs = torch.where(covered, blank, torch.where(other, words, ids))
    return inputs, torch.where(chosen, ids, -100)
    ### END SOLUTION


# %%
def checked(pair, shape):
    """Inputs and targets as arrays, if they are two of this shape."""
    assert isinstance(pair, (tuple, list)) and len(pair) == 2, (
        f"Return (inputs, targets); yours: {pair!r}."
    )
    arrays = [np.asarray(part) for part in pair]
    for array in arrays:
        assert array.shape == tuple(shape) and array.dtype.kind in "iu", (
            f"Whole numbers of shape {tuple(shape)} wanted; yours: {array!r}."
        )
    return arrays


# %% family="mask_tokens"
def _asked(mask_tokens, B, T, rate, is_padded):
    """Who is asked in a large batch: how often, and how often together with a neighbour."""
    ids = torch.arange(B * T).view(B, T) % 7
    lengths = torch.arange(B) % T if is_padded else torch.full((B,), T)
    given = ids, lengths, rate, (0.5, 0.2, 0.3), 9, 7, np.random.default_rng()
    inputs, targets = checked(mask_tokens(*given), (B, T))
    asked, real = targets != -100, np.arange(T) < lengths[:, None].numpy()
    return {
        "share of the words that are asked": asked[real].mean(),
        "share of pairs in a text, both asked": (asked[:, 1:] & asked[:, :-1]).mean(),
        "share of pairs in a column, both asked": (asked[1:] & asked[:-1]).mean(),
        "share of padding that is asked": asked[~real].sum() / asked.size,
        "every target is the word": bool((targets == ids.numpy())[asked].all()),
        "all else stays": bool((inputs == ids.numpy())[~asked].all()),
    }


# Two results of chance differ by less than this at any time: seven standard deviations.
_narrow = {"B": 6000, "T": 3, "atol": 0.05}, {"B": 3, "T": 6000, "atol": 0.05}
_sizes = *_narrow, {"B": 300, "T": 300, "atol": 0.03}


# %% test="mask_tokens" aspect="who is asked" points=1
_ids, _lengths = torch.tensor([[5, 3, 5], [2, 0, 0]]), torch.tensor([3, 1])
_real = np.array([[True] * 3, [True, False, False]])
for _rate in (0.0, 1.0):
    _got = mask_tokens(_ids, _lengths, _rate, (1, 0, 0), 6, 6, np.random.default_rng())
    _in, _out = checked(_got, (2, 3))
    _hit = _real & (_rate == 1)
    assert close(_in, np.where(_hit, 6, _ids)) and close(
        _out, np.where(_hit, _ids, -100)
    ), f"rate {_rate}, all chosen are covered: inputs {_in}, targets {_out}?"
### BEGIN HIDDEN TESTS
_given = {"rate": choice(0.15, 0.4), "is_padded": False, "mixtures": 0}
for _size in _sizes:
    agrees(mask_tokens, ours.mask_tokens, by=_asked, **_given, **_size)
### END HIDDEN TESTS

# %% test="mask_tokens" aspect="what becomes of the chosen" points=1
_ids = torch.full((3, 4), 2)
_lengths = torch.tensor([4, 4, 4])
_in, _out = checked(
    mask_tokens(_ids, _lengths, 1.0, (0, 0, 1), 9, 5, np.random.default_rng()), (3, 4)
)
assert close(_in, _ids) and close(_out, _ids), (
    f"All chosen, all kept: inputs and targets are the ids; yours: {_in}, {_out}."
)
for _shares, _may in (((1, 0, 0), {9}), ((0, 1, 0), {0, 1, 2, 3, 4})):
    _got = mask_tokens(_ids, _lengths, 1.0, _shares, 9, 5, np.random.default_rng())
    _in, _out = checked(_got, (3, 4))
    assert close(_out, _ids) and set(_in.ravel().tolist()) <= _may, (
        f"All chosen, shares {_shares}: inputs from {_may} wanted; yours: {_in}, {_out}."
    )


### BEGIN HIDDEN TESTS
def _fates(mask_tokens, B, T, word, rate, shares):
    ids, lengths = torch.full((B, T), word), torch.full((B,), T)
    given = ids, lengths, rate, shares, 9, 5, np.random.default_rng()
    inputs, targets = checked(mask_tokens(*given), (B, T))
    asked = inputs[targets != -100]
    return {
        "shares of the numbers 0 to 9 at asked places": np.bincount(asked, minlength=10)
        / len(asked),
        "share of equal pairs in a text": (inputs[:, 1:] == inputs[:, :-1]).mean(),
        "share of equal pairs in a column": (inputs[1:] == inputs[:-1]).mean(),
    }


_given = {"word": choice(0, 6), "rate": choice(0.5, 1.0)}  # 6 is never drawn
_given |= {"shares": choice((0.8, 0.1, 0.1), (0.2, 0.5, 0.3)), "mixtures": 0}
for _size in _sizes:
    agrees(mask_tokens, ours.mask_tokens, by=_fates, **_given, **_size)
### END HIDDEN TESTS

# %% test="mask_tokens" aspect="padding is left alone" points=1
_ids, _lengths = torch.tensor([[1, 2, 0, 0]]), torch.tensor([2])
_got = mask_tokens(_ids, _lengths, 1.0, (1, 0, 0), 3, 3, np.random.default_rng())
_in, _out = checked(_got, (1, 4))
assert close(_in, [[3, 3, 0, 0]]) and close(_out, [[1, 2, -100, -100]]), (
    f"Length 2, all real words covered: yours {_in}, {_out}."
)


### BEGIN HIDDEN TESTS
def _certain(mask_tokens, ids, lengths, rate, shares):
    given = ids, lengths, rate, shares, 7, 5, np.random.default_rng()
    inputs, targets = checked(mask_tokens(*given), ids.shape)
    return {"inputs": inputs, "targets": targets}


_B, _T = size("B"), size("T")
_given = {"ids": ids(_B, _T, below=5), "rate": choice(0, 1)}  # fillers are words, too
_given["lengths"] = made(
    lambda rng, B, T: torch.tensor([rng.randint(0, T) for _ in range(B)]), _B, _T
)
_given["shares"] = choice((1, 0, 0), (0, 0, 1))  # nothing is left to chance
agrees(mask_tokens, ours.mask_tokens, by=_certain, **_given)
_given = {"rate": choice(0.15, 0.4), "is_padded": True, "mixtures": 0}
agrees(mask_tokens, ours.mask_tokens, by=_asked, **_given, **_sizes[-1])
### END HIDDEN TESTS

# %% test="mask_tokens" aspect="the generator decides" points=1
_ids, _lengths = torch.arange(60).reshape(3, 20), torch.tensor([20, 12, 20])
_shares, _all = (0.4, 0.4, 0.2), []
_state = np.random.default_rng().bit_generator.state
for _ in range(2):
    _same = np.random.default_rng()
    _same.bit_generator.state = _state
    _got = mask_tokens(_ids.clone(), _lengths, 0.5, _shares, 60, 60, _same)
    _all.append(checked(_got, (3, 20)))
assert all(close(one, two) for one, two in zip(*_all, strict=True)), (
    "The same generator twice: the draws differ. Use it for all chance."
)
### BEGIN HIDDEN TESTS
_other = np.random.default_rng()
_other.bit_generator.state = _state
_other.random(1000)
_got = mask_tokens(_ids.clone(), _lengths, 0.5, _shares, 60, 60, _other)
assert not close(checked(_got, (3, 20))[1], _all[0][1]), (
    "Another generator makes the same choice."
)
### END HIDDEN TESTS

# %% [markdown]
# Here is one sentence, masked four times with 30 % asked. Each asked place has a star. Below, the same sentence is masked 2,000 times, and we count what became
# of the asked places:

# %%
line = "the rude teacher beside the stoves sings for the first time in years"
sentence = line.split()
some = sorted({*sentence, "soup", "guard", "orders", "warm", "church"})
ids = torch.tensor([[some.index(word) for word in sentence]]).repeat(2000, 1)
lengths, draw = torch.full((2000,), len(sentence)), np.random.default_rng(8)
shares, blank = (0.8, 0.1, 0.1), len(some)
shown, asked = mask_tokens(ids, lengths, 0.3, shares, blank, blank, draw)
for row, marks in zip(shown[:4].tolist(), asked[:4].tolist(), strict=True):
    words = [
        [*some, "<MASK>"][i] + "*" * (m != -100)
        for i, m in zip(row, marks, strict=True)
    ]
    print(" ".join(words))
chosen = asked != -100
print(f"{chosen.float().mean():.1%} of the words are asked. Of these")
fates = {"<MASK>": shown == blank, "the word itself": shown == ids}
fates["another word"] = ~(fates["<MASK>"] | fates["the word itself"])
for name, fate in fates.items():
    print(f"{fate[chosen].float().mean():6.1%} show {name}")

# %% [markdown]
# Most asked places show `<MASK>`, and some show a word that may or may not be the right one. (We must expect 10.6 % and 9.4 %, not 10 % each: here one random
# word in 16 is the old word again. The counts above differ from that by chance.)
#
# BERT asks 15 % of the words. How many words does this take from a text of eight?

# %%
for n in range(4):
    chance = math.comb(8, n) * 0.15**n * 0.85 ** (8 - n)
    print(f"{n} of 8 words asked: {chance:.0%} of the texts")

# %% [markdown]
# About a quarter of these texts ask nothing, and nearly as many ask two. The loss must be ready for both.
