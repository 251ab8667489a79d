# %% [markdown]
# ## 4. Teacher forcing, and its shift
#
# In training, the decoder reads the *true* target (chapter 8), shifted by one place: at each place it is given the word before the one that it should say. An
# example from Muller's lecture:
#
# | | | | | | |
# |---|---|---|---|---|---|
# | given | `BOS` | cette | semaine | nous | … |
# | wanted | cette | semaine | nous | … | `EOS` |
#
# Without the shift, the word to predict would already be in the decoder's input: it could reach loss 0 by copying and would learn nothing about translation.

# %% [markdown] statement="shift"
# - `shift(targets)`: a list of $B$ lists of word numbers → (given, wanted), both tensors $[B, n + 1]$ of whole numbers with $n$ the longest target; behind the end stands `PAD`. A target may be empty.
# - `translation_loss(scores, wanted)`: the mean of $-\ln P$, in nats, over all places of `wanted` that are not `PAD`; scores $[B, n, V]$. Gradients pass; padding sends none. Scores may be 1,000.

# %% [markdown] hints="shift"
# 1. Write both rows for the targets `[7, 8]` and `[9]` on paper. How many places hold a word that is wanted?
# 2. `EOS` comes after each target's own last word, not at the end of the row.
# 3. The mean is over real places of the whole batch: first a sum, then one division. torch's cross-entropy can also ignore a number.


# %% task="shift" points=3 level=1 minutes=12
def shift(targets):
    """(given, wanted), both [B, n + 1], from B lists of word numbers."""
    ### BEGIN SOLUTION
    n = max(map(len, targets))
    given = torch.full((len(targets), n + 1), PAD)
    wanted = torch.full((len(targets), n + 1), PAD)
    for b, target in enumerate(targets):
        given[b, : len(target) + 1] = torch.tensor([BOS, *target])
        wanted[b, : len(target) + 1] = torch.tensor([*target, EOS])
    return given, wanted
    ### END SOLUTION


def translation_loss(scores, wanted):
    """Mean of -ln P(wanted) over the places that are not PAD, without axes."""
    ### BEGIN SOLUTION
    return F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=PAD)
    ### END SOLUTION


# %% test="shift" aspect="one place apart" points=1
_cases = [[[7, 8], [9]]]
for _targets in _cases:
    _got, _n = shift([list(t) for t in _targets]), max(map(len, _targets))
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return the pair (given, wanted); yours: {_got!r}."
    )
    _rows = (
        [[BOS, *t] + [PAD] * (_n - len(t)) for t in _targets],
        [[*t, EOS] + [PAD] * (_n - len(t)) for t in _targets],
    )
    for _part, _name, _wanted in zip(_got, ("given", "wanted"), _rows, strict=True):
        assert close(_part, _wanted), (
            f"Targets {_targets}, {_name}: {_wanted} expected; yours: {_part}."
        )
        assert torch.is_tensor(_part) and not _part.is_floating_point(), (
            f"{_name} should be a tensor of whole numbers; yours: {_part!r}."
        )
### BEGIN HIDDEN TESTS
agrees(shift, ours.shift, listing(size("B"), words(size("n", 0), [1, 2, 7, 9, 9**5])))
for _part, _name in zip(shift([[], []]), ("given", "wanted"), strict=True):
    assert not _part.is_floating_point(), (
        f"Two empty targets, {_name}: whole numbers wanted; yours: {_part!r}."
    )
### END HIDDEN TESTS

# %% test="shift" aspect="mean over real places" points=1
_scores = torch.zeros(2, 3, 5)
_scores[1, 1:] = torch.tensor([9.0, 1, 2, 3, 4])
_got = translation_loss(_scores, torch.tensor([[4, 3, 2], [2, 0, 0]]))
assert np.shape(_got) == (), (
    f"The loss is one number; yours has the shape {np.shape(_got)}."
)
assert close(_got, math.log(5), 1e-5), (
    f"Four real places, all 5 words alike: ln 5 = 1.609; yours: {_got}."
)
### BEGIN HIDDEN TESTS
B, n, V = size("B"), size("n"), size("V", least=2)
scores = tensor(B, n, V, scale=3, edges=["huge"], kind=choice("float32", "float64"))
agrees(
    translation_loss,
    ours.translation_loss,
    made(lambda rng, scores: scores.contiguous(), scores),
    # in memory not row by row, as a batch from which columns have been cut off
    made(lambda rng, rows: rows.T.contiguous().T, made(padded_rows, B, n, V)),
    rtol=1e-4,
    atol=1e-3,  # float32 keeps scores of 1,000 to about 0.0001
)
### END HIDDEN TESTS

# %% test="shift" aspect="padding teaches nothing" points=1
_scores, _wanted = torch.randn(2, 3, 5), torch.tensor([[4, 3, 2], [2, 0, 0]])
_got = gradients(translation_loss, _scores.clone(), _wanted.clone())[0]
_real = _wanted != PAD
_right = _scores.softmax(-1) - F.one_hot(_wanted, _scores.shape[2])
_right = _right * _real[..., None] / _real.sum()
assert close(_got, _right, 1e-3, 1e-5), (
    "The gradient that your loss sends to the scores is wrong: at padded places it is 0, at the others "
    "(softmax minus 1 at the wanted word) / number of real places."
)
### BEGIN HIDDEN TESTS
B, n, V = size("B"), size("n"), size("V", least=2)
scores = tensor(B, n, V, scale=3, edges=["huge"], kind=choice("float32", "float64"))
agrees(
    translation_loss,
    ours.translation_loss,
    made(lambda rng, scores: scores.contiguous(), scores),
    # in memory not row by row, as a batch from which columns have been cut off
    made(lambda rng, rows: rows.T.contiguous().T, made(padded_rows, B, n, V)),
    by=gradients,
    rtol=1e-3,
    atol=1e-4,
)
### END HIDDEN TESTS

# %% [markdown]
# ## 5. Predict, then measure: what can one vector hold?
#
# Muller's lecture calls this network "very simple", and names the price: it needs a large state, fails on very long sentences, and gives each word of the target the same condition. The vector must carry the whole source. How long can that be? Count: with $b$ bits in each of its $d$ numbers a state has $2^{b d}$ values, and two sources with the same state get the same translation.

# %% [markdown] statement="longest"
# The test bench is *copying*: the target is the source, random words of $V$ kinds.
#
# - `longest(d, b, V)`: the largest $n$ such that all sequences of exactly $n$ words, $V \ge 2$ kinds, can have states of their own. Exact, also where numbers are huge.
# - `half(right)`: `right[i]` is the share of sequences of $i + 1$ words that are copied without mistake. Up to which length are *all* shares at least 0.5? 0, if the first is below.
#
# Predict before you run on: for $V = 20$, 32 bits, $d = 32$, what is `longest`? And up to which length does a *trained* network of this size copy at least
# half of the sequences without mistake?

# %% [markdown] hints="longest"
# 1. How many different sequences of $n$ words are there?
# 2. Python's whole numbers have no bound; logarithms round. Compare powers.
# 3. For `half`, stop at the first share that is too small: later ones do not count, even if they are high.


# %% task="longest" points=2 level=2 minutes=10
def longest(d, b, V):
    """The largest n with a state of its own for each of the V^n sequences."""
    ### BEGIN SOLUTION
    n = 0
    while V ** (n + 1) <= 2 ** (d * b):
        n += 1
    return n
    ### END SOLUTION


def half(right):
    """The length up to which all shares right[0], right[1], ... are at least 0.5."""
    ### BEGIN SOLUTION
    return next((i for i, share in enumerate(right) if share < 0.5), len(right))
    ### END SOLUTION


# %% test="longest" aspect="a state for each sequence" points=1
_got = longest(2, 3, 8)
assert is_number(_got), f"longest returns a number; yours: {_got!r}."
assert close(_got, 2, 0, 0), f"2 x 3 bits, 8 kinds of word: 2; yours: {_got}."
### BEGIN HIDDEN TESTS
agrees(
    longest,
    ours.longest,
    whole(1, 40),
    whole(1, 64),
    choice(2, 3, 8, 32, 1000, 2**64 - 1, 2**64 + 1, whole(2, 50)),
)
for _d, _b, _V in (  # where logarithms round to the other side
    (5, 7, 32),
    (107, 5, 32),
    (119, 5, 32),
    (13, 3, 125),
    (40, 32, 2**64 - 1),
    (40, 32, 2**64 + 1),
    (2, 64, 2**128 - 1),
    (2, 64, 2**128 + 1),
    (180, 64, 2),
):
    _got, _wanted = longest(_d, _b, _V), ours.longest(_d, _b, _V)
    assert close(_got, _wanted, 0, 0), (
        f"d = {_d}, b = {_b}, V = {_V}: {_wanted} wanted; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="longest" aspect="until half fail" points=1
_cases = [([1, 0.9, 0.3, 0.1], 2)]
for _right, _wanted in _cases:
    _got = half(list(_right))
    assert is_number(_got) and close(_got, _wanted, 0, 0), (
        f"Shares {_right}: {_wanted} wanted; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
agrees(half, ours.half, listing(size("n"), choice(0.0, 0.4999, 0.5, 0.7, 1, 0.9)))
agrees(half, ours.half, listing(size("n"), choice(0.5, 0.7, 1)))
### END HIDDEN TESTS

# %%
copying = pd.read_csv(paths.DATA / "seq2seq" / "copying.csv")
print(
    "32 numbers of 32 bits:",
    longest(32, 32, 20),
    "words; of 8 bits:",
    longest(32, 8, 20),
)
for d in (32, 128):
    steps = copying[~copying.attention & (copying.d == d)].steps
    print(f"one vector, d = {d}: {steps.min():,} to {steps.max():,} steps in a minute")


# %% folded="draws how much is copied" alt="Copies without mistake by length. With one vector, d = 32 is at one half with 8 words and d = 128 with 14; both with attention stay near 100 percent."
_, axes = plt.subplots(figsize=(7.5, 4))
for (attention, d), found in copying.groupby(["attention", "d"]):
    mean = found.groupby("length")["right"].mean()
    end = half(mean.tolist())
    how_far = f"half at {end}" if end < 16 else "above half to the end"
    label = f"d = {d}{', attention' if attention else ''}: {how_far}"

    axes.plot(100 * mean, "-" if attention else "--", marker="o", ms=3, label=label)
axes.set(xlabel="words to copy", ylabel="without mistake (%)", ylim=(-3, 104))
axes.set_title("After a minute of training, one vector loses long texts")
axes.set_xticks([1, 4, 8, 12, 16])
axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
plt.show()


# %% [markdown]
# Each curve is the mean of two networks, each trained for one minute of CPU time, all with the same learning rate, 0.003. By counting, 32 numbers of 32 bits
# can tell all sequences of 236 words apart, and with only 8 bits each still those of 59 words. (An LSTM hands on two such vectors, $h$ and $c$, so there is
# room for twice as many words.) The trained network with $d = 32$ gets more than half of its sequences wrong from 9 words on. So it does not fail because
# there are too few different states.
#
# Then why does it fail? Perhaps it is hard to learn how to pack the words in and to unpack them again, and a longer training or another learning rate would
# help. This figure cannot tell. The wider network gets six words further, although it had time for fewer than a third of the steps.
#
# The solid lines are networks with attention, which is the subject of the next section. They had the same minute, and up to 16 words length hardly matters to them: 100 % with $d = 32$, and 96 % with $d = 128$, which again took fewer steps.
