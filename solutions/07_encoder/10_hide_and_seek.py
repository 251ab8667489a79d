# %% [markdown]
# ## 10. Hide and seek
#
# Take words out of a text and ask for them: **masked language modelling** (Devlin and others, 2018: BERT, *Bidirectional
# Encoder Representations from Transformers*), the *cloze* test of
# language schools. The network may look at everything: the answer is no longer there.

# %% folded="draws the masked language model" alt="The text the cat is drinking milk with is and milk covered. A model in which every word sees every word guesses the two covered words."
drawings.masked_language_model(("the", "cat", "is", "drinking", "milk"), (2, 4))

# %% [markdown]
# Each word is chosen with probability .15. A larger rate asks more questions of a text, but leaves less to answer them
# from. Of the *chosen* places, 80 % get `<MASK>`, 10 % a random word, and 10 % stay as they are. **All chosen places are
# asked.** Why so complicated? When you use the model later there is no `<MASK>`, so it must give good vectors for ordinary
# words, too. If the asked words that are not masked were always unchanged, it could just copy them; so some are replaced by a random word,
# and then only the context can tell which ones:

# %%
V = 1000
for prior in (0.3, 1e-3, 1e-6):
    true = prior * (0.1 + 0.1 / V)  # left as it is, or drawn by chance
    wrong = (1 - prior) * 0.1 / V  # another word was here, this one was drawn
    print(
        f"the context gives {prior:<6}: the word is genuine with {true / (true + wrong):.3f}"
    )

# %% [markdown]
# This is Bayes' rule for an asked place that shows an ordinary word ($V = 1000$). A word that fits may be trusted. If the context makes
# the shown word much rarer than $1/V$, it was probably put there at random, and the model should not trust it.
#
# <details><summary>Two slips in the printed slides</summary>
#
# Lecture 004 says 15 % and covers 2 of 8 words, which is 25 %. And its "extension" puts random words
# (*mushroom*, *shoes*) *instead of* `<MASK>`; BERT uses both.
# </details>

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
_ids, _lengths = torch.full((30, 40), 5), torch.full((30,), 40)
_got = mask_tokens(_ids, _lengths, 1.0, (1, 0, 0), 6, 6, np.random.default_rng())
assert (checked(_got, (30, 40))[0] == 6).all(), "Rate 1, shares (1, 0, 0): all covered."
for _B, _T, _rate in ((30_000, 3, 0.15), (1, 90_000, 0.15), (300, 300, 0.4)):
    _ids = torch.randint(7, (_B, _T))
    _lengths = torch.full((_B,), _T)
    _got = mask_tokens(
        _ids, _lengths, _rate, (0.8, 0.1, 0.1), 9, 7, np.random.default_rng()
    )
    _in, _out = checked(_got, (_B, _T))
    _hit = _out != -100
    assert abs(_hit.mean() - _rate) < 0.01, (
        f"B = {_B}, T = {_T}, rate {_rate}: a share of {_hit.mean():.3f} is asked."
    )
    assert close(_out, np.where(_hit, _ids, -100)), (
        "Targets hold the original word where asked, else -100."
    )
    assert close(np.where(_hit, 0, _in), np.where(_hit, 0, _ids)), (
        "A place that is not asked has another word."
    )
    if _T == 3:
        _none = (~_hit).all(1).mean()
        assert abs(_none - (1 - _rate) ** 3) < 0.02, (
            f"Texts of 3 words: {_none:.3f} of them have no blank; each word is chosen on its own."
        )
    if _T == 300:
        assert _hit.mean(0).std() < 0.06 and _hit.mean(1).std() < 0.06, (
            "Some rows or columns are asked much more often than others."
        )
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
### BEGIN HIDDEN TESTS
_V = 5
for _B, _T in ((1, 60_000), (60_000, 1), (300, 200)):
    _ids = torch.full((_B, _T), _V + 1)  # no word that could be drawn
    _lengths = torch.full((_B,), _T)
    for _shares, _rate in (((0.8, 0.1, 0.1), 1.0), ((0.2, 0.5, 0.3), 0.5)):
        _rate = 1.0 if _T == 1 else _rate
        _got = mask_tokens(
            _ids, _lengths, _rate, _shares, 9, _V, np.random.default_rng()
        )
        _in, _out = checked(_got, (_B, _T))
        _hit = _in[_out != -100]
        _found = [(_hit == 9).mean(), (_hit < _V).mean(), (_hit == _V + 1).mean()]
        assert close(_found, _shares, 0, 0.015), (
            f"B = {_B}, T = {_T}, shares {_shares} among the chosen; yours: {np.round(_found, 3)}."
        )
        _words = np.bincount(_hit[_hit < _V], minlength=_V) / (_hit < _V).sum()
        assert close(_words, [1 / _V] * _V, 0, 0.04), (
            f"Random words from 0 to {_V - 1}, evenly; shares found: {_words.round(3)}."
        )
        _runs = _in.ravel()[:-1] == _in.ravel()[1:]
        _seen = np.unique(_in, return_counts=True)[1] / _in.size
        assert abs(_runs.mean() - (_seen**2).sum()) < 0.03, (
            "Neighbouring places share their fate more often than by chance."
        )
_ids = torch.zeros(1, 40_000, dtype=torch.long)  # a word that may be drawn again
_got = mask_tokens(
    _ids, torch.tensor([40_000]), 1.0, (0, 1, 0), 4, 4, np.random.default_rng()
)
assert abs((checked(_got, (1, 40_000))[0] == 0).mean() - 0.25) < 0.02, (
    "V = 4, only random words: a quarter of them hit the old word."
)
### END HIDDEN TESTS

# %% test="mask_tokens" aspect="padding is left alone" points=1
_ids, _lengths = torch.tensor([[1, 2, 0, 0]]), torch.tensor([2])
_got = mask_tokens(_ids, _lengths, 1.0, (1, 0, 0), 3, 3, np.random.default_rng())
_in, _out = checked(_got, (1, 4))
assert close(_in, [[3, 3, 0, 0]]) and close(_out, [[1, 2, -100, -100]]), (
    f"Length 2, all real words covered: yours {_in}, {_out}."
)
### BEGIN HIDDEN TESTS
_ids = torch.randint(3, (50, 40))  # fillers are real words, and these fill texts, too
_lengths = torch.randint(1, 41, (50,))
_lengths[0], _lengths[1] = 1, 40
_real = np.arange(40) < _lengths[:, None].numpy()
for _shares in ((1, 0, 0), (0, 1, 0), (0.8, 0.1, 0.1)):
    _got = mask_tokens(_ids, _lengths, 1.0, _shares, 3, 3, np.random.default_rng())
    _in, _out = checked(_got, (50, 40))
    assert close(_out, np.where(_real, _ids, -100)), (
        "Rate 1: all real words are asked, also those that equal the filler, and no padding."
    )
    assert close(np.where(_real, 0, _in), np.where(_real, 0, _ids)), (
        "The padding has changed."
    )
    assert _shares[0] < 1 or (_in[_real] == 3).all(), "All are to be covered here."
_ids, _lengths = torch.randint(3, (10, 3000)), torch.randint(1000, 3001, (10,))
_real = np.arange(3000) < _lengths[:, None].numpy()
_got = mask_tokens(_ids, _lengths, 0.4, (0.5, 0.5, 0), 3, 3, np.random.default_rng())
_in, _out = checked(_got, (10, 3000))
_share = (_out != -100)[_real].mean()
assert abs(_share - 0.4) < 0.1, f"Rate .4 of the real words; yours: {_share:.2f}."
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
_left = arguments_after(
    mask_tokens, _ids.clone(), _lengths.clone(), 1.0, _shares, 60, 60, _other
)
assert close(_left[0], _ids) and close(_left[1], _lengths), "ids or lengths changed."
### END HIDDEN TESTS

# %%
line = "the rude teacher beside the stoves sings for the first time in years"
sentence = line.split()
draw, full = np.random.default_rng(3), torch.tensor([len(sentence)])
some = sorted({*sentence, "soup", "guard", "orders", "warm", "church"})
ids = torch.tensor([[some.index(word) for word in sentence]])
for _ in range(4):
    shown, asked = mask_tokens(
        ids, full, 0.3, (0.8, 0.1, 0.1), len(some), len(some), draw
    )
    words = [[*some, "<MASK>"][i] for i in shown[0].tolist()]
    marks = asked[0].tolist()
    marked = zip(words, marks, strict=True)
    print(" ".join(word + "*" * (mark != -100) for word, mark in marked))

# %% [markdown]
# Asked places have a star (rate .3). How many words does a rate of .15 take from eight?

# %%
for n in range(4):
    chance = math.comb(8, n) * 0.15**n * 0.85 ** (8 - n)
    print(f"{n} of 8 words asked: {chance:.0%} of the texts")

# %% [markdown]
# About a quarter of these texts ask nothing, and nearly as many ask two. The loss must be ready for both.
