# %% [markdown]
# ## 6. Neighbours in the batch
#
# In a batch short texts are filled up with **padding**, yet the answer to a text must not depend on the others. Words meet only in attention. So it is enough
# to forbid attention to look at padding, in *every* layer and with the same mask: True at words, False at padding. Its shape $[B, 1, 1, T]$ is stretched over
# all heads and all rows of the scores $[B, h, T, T]$.
#
# Attention does not see order (chapter 6). So the unsigned lecture adds a vector for each place "before the very first attention layer". The stream carries
# it on to the later layers.

# %% [markdown] statement="encode_batch"
# - `pad(texts, filler)` takes a list of $B$ lists of word numbers and returns `(ids, lengths)`, whole-number tensors $[B, T]$ and $[B]$. $T$ is the greatest length; the number `filler` stands behind the words of shorter texts. Texts may
#   be empty; no text at all gives the shapes $[0, 0]$ and $[0]$.
# - `encode_batch(encoder, table, positions, ids, lengths)`, $[B, T, C]$: looks words up in `table` $[V, C]$, adds the first $T$ rows of `positions` (which may have more), once; then calls
#   `encoder(x, mask)` with the mask above. What the encoder answers at words stays as it is; padded places become zeros, whatever it answers there, even `nan`.
#   Gradients pass through to `table`, `positions` and the encoder.

# %% [markdown] hints="encode_batch"
# 1. Which rows of `positions` belong to a text that is shorter than the table of positions?
# 2. A comparison of `torch.arange(T)` with the lengths gives $[B, T]$ (chapter 6's `padding_mask`). Two axes of size 1 make it fit the scores.
# 3. `nan` times 0 is `nan`: do not multiply, replace. And `max` of no texts is an error unless it is told what to answer then.


# %% task="encode_batch" points=4 level=2 minutes=20
def pad(texts, filler):
    """(ids [B, T], lengths [B]) of a list of lists of word numbers."""
    ### BEGIN SOLUTION
    lengths = torch.tensor([len(text) for text in texts], dtype=torch.long)
    T = max(map(len, texts), default=0)
    ids = torch.full((len(texts), T), filler)
    for row, text in zip(ids, texts, strict=True):
        row[: len(text)] = torch.tensor(text)
    return ids, lengths
    ### END SOLUTION


def encode_batch(encoder, table, positions, ids, lengths):
    """[B, T, C]: the encoder's answer at words, zeros at padding."""
    ### BEGIN SOLUTION
    T = ids.shape[1]
    real = torch.arange(T, device=ids.device) < lengths[:, None]
    y = encoder(table[ids] + positions[:T], real[:, None, None])
    return y.masked_fill(~real[..., None], 0)
    ### END SOLUTION


# %% family="encode_batch"
_B, _T = whole(2, 3, (1, 12)), whole(4, 6, (1, 12))
_C, _V = whole(7, 9, (1,)), whole(10, 14, (1,))
_given = {
    "table": tensor(_V, _C),
    "positions": tensor(made(lambda rng, T, more: T + more, _T, whole(0, 3)), _C),
    "ids": ids(_B, _T, below=_V),
    "lengths": made(
        lambda rng, B, T: torch.tensor([rng.randint(1, T) for _ in range(B)]),
        *(_B, _T),
        edges=[lambda rng, B, T: torch.full((B,), T)],
    ),
}


# %% test="encode_batch" aspect="filled up to the longest" points=1
_got = pad([[5, 6], [7], [8, 9, 3]], 0)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return the pair (ids, lengths); yours: {_got!r}."
)
assert close(_got[0], [[5, 6, 0], [7, 0, 0], [8, 9, 3]]), (
    f"Fillers stand behind the words; yours: {_got[0]!r}."
)
assert close(_got[1], [2, 1, 3]), f"Lengths 2, 1, 3 wanted; yours: {_got[1]!r}."


### BEGIN HIDDEN TESTS
def _as_wanted(got, wanted, texts, filler):
    if any(torch.is_floating_point(torch.as_tensor(part)) for part in got):
        return "holds floats: whole numbers are wanted"
    return difference(got, wanted)


_text = made(lambda rng, n: rng.choices(range(9), k=n), size("words", least=0))
_texts = listing(size("B", least=0), _text)
agrees(pad, ours.pad, _texts, whole(0, 8, (999,)), compare=_as_wanted)
_empty = made(lambda rng, B: [[] for _ in range(B)], size("B", large=None))
agrees(pad, ours.pad, _empty, 7, compare=_as_wanted, mixtures=0)
### END HIDDEN TESTS

# %% test="encode_batch" aspect="words and places, once" points=1
_table, _positions = torch.randn(7, 3), torch.randn(5, 3)
_ids, _lengths = torch.tensor([[1, 2, 3], [4, 4, 6]]), torch.tensor([3, 3])
_seen = []
_got = encode_batch(
    lambda x, mask: (_seen.append(x), 2 * x)[1],
    _table.clone(),
    _positions.clone(),
    _ids.clone(),
    _lengths.clone(),
)
_wanted = torch.stack(
    [
        torch.stack([_table[i] + _positions[t] for t, i in enumerate(row)])
        for row in _ids
    ]
)
assert len(_seen) == 1, f"The encoder is to be called once, not {len(_seen)} times."
assert close(_seen[0], _wanted, 1e-5, 1e-5), (
    "The encoder is to get the vector of each word plus the vector of its place; "
    f"it got the shape {np.shape(_seen[0])} and other numbers."
)
assert close(_got, 2 * _wanted, 1e-5, 1e-5), (
    "An encoder that doubles, and no padding: the doubled vectors wanted, nothing added."
)


### BEGIN HIDDEN TESTS
@beside_the_answer
def _called(encode_batch, **given):
    seen = []
    got = encode_batch(lambda x, mask: (seen.append(x), x.exp())[1], *given.values())
    return {"what the encoder gets": seen, "result": got}


@beside_the_answer
def _slopes(encode_batch, **given):
    found = gradients(encode_batch, lambda x, mask: x.tanh(), *given.values())
    return dict(zip(("gradient of table", "of positions"), found, strict=True))


_full = made(lambda rng, B, T: torch.full((B,), T), _B, _T)
_all = {**_given, "lengths": _full}
agrees(encode_batch, ours.encode_batch, by=_called, **_all, mixtures=4)
agrees(encode_batch, ours.encode_batch, by=_slopes, **_given, mixtures=4)
### END HIDDEN TESTS

# %% test="encode_batch" aspect="alone or among longer texts" points=1
_texts, _C = [[1, 2], [3, 4, 5, 6], [2]], 4
_table, _positions, _mixer = (
    torch.randn(8, _C),
    torch.randn(9, _C),
    torch.randn(_C, _C) / (4 * _C),
)


def _encoder(x, mask):
    """One head of attention with its residual, twice, and the mask as the text says."""
    assert torch.is_tensor(mask) and mask.dtype == torch.bool, (
        f"The mask is a tensor of bools; yours: {mask!r}."
    )
    assert tuple(mask.shape) == (len(x), 1, 1, x.shape[1]), (
        f"The mask has the shape [B, 1, 1, T], here {len(x), 1, 1, x.shape[1]}; yours: {tuple(mask.shape)}."
    )
    for _ in range(2):
        scores = (x @ _mixer @ x.mT).masked_fill(~mask[:, 0], -math.inf)
        x = x + scores.softmax(-1) @ x
    return x


_longest = max(map(len, _texts))
_ids = torch.tensor([[*_text, *[7] * (_longest - len(_text))] for _text in _texts])
_lengths = torch.tensor([len(_text) for _text in _texts])
_got = encode_batch(_encoder, _table, _positions, _ids, _lengths)
assert np.shape(_got) == (len(_texts), _longest, _C), (
    f"Shape {len(_texts), _longest, _C} wanted; yours: {np.shape(_got)}."
)
for _row, _text in zip(_got, _texts, strict=True):
    _x = (_table[_text] + _positions[: len(_text)])[None]
    _alone = _encoder(_x, torch.ones(1, 1, 1, len(_text), dtype=torch.bool))[0]
    assert close(_row[: len(_text)], _alone, 1e-3, 1e-3), (
        f"The text {_text} among others of up to {_longest} words: not what it gets alone."
    )


### BEGIN HIDDEN TESTS
@beside_the_answer
def _mixed(encode_batch, mixer, **given):
    def attend(x, mask):
        assert torch.is_tensor(mask) and mask.dtype == torch.bool, (
            f"The mask is a tensor of bools; yours: {mask!r}."
        )
        assert tuple(mask.shape) == (len(x), 1, 1, x.shape[1]), (
            f"The mask has the shape [B, 1, 1, T]; yours: {tuple(mask.shape)}."
        )
        scores = x @ mixer @ x.mT / (4 * len(mixer))
        return x + scores.masked_fill(~mask[:, 0], -math.inf).softmax(-1) @ x

    return encode_batch(attend, *given.values())


_given["mixer"] = tensor(_C, _C)
_close = {"rtol": 1e-3, "atol": 1e-3}
agrees(encode_batch, ours.encode_batch, by=_mixed, **_given, **_close)
### END HIDDEN TESTS

# %% test="encode_batch" aspect="zeros at padding" points=1
_table, _positions = torch.randn(6, 3), torch.randn(4, 3)
_ids, _lengths = torch.tensor([[1, 2, 3], [4, 0, 0]]), torch.tensor([3, 1])
_got = encode_batch(lambda x, mask: x + 1, _table, _positions, _ids, _lengths)
assert np.shape(_got) == (2, 3, 3), f"Shape (2, 3, 3) wanted; yours: {np.shape(_got)}."
assert close(_got[1, 1:], torch.zeros(2, 3)), (
    f"The second text has one word: zeros behind it; yours: {_got[1, 1:]}."
)


### BEGIN HIDDEN TESTS
@beside_the_answer
def _spoilt(encode_batch, answer, everywhere, **given):
    def encoder(x, mask):
        return (x + 1).masked_fill(~mask[:, 0, 0, :, None] | everywhere, answer)

    return encode_batch(encoder, *given.values())


_given |= {"answer": choice(math.nan, math.inf, 9), "everywhere": choice(False, True)}
_some = made(lambda rng, n, empty: n * empty, _given["lengths"], ids(_B, below=2))
_given["lengths"] = _some  # empty texts, too
agrees(encode_batch, ours.encode_batch, by=_spoilt, **_given)
_given |= {"ids": torch.zeros(0, 0).long(), "lengths": torch.zeros(0).long()}
agrees(encode_batch, ours.encode_batch, by=_spoilt, **_given, mixtures=0)
### END HIDDEN TESTS


# %%
def moved(seed, neighbour, is_masked, C=32):
    """By how much a text's vectors move, relative to their size, beside a longer text."""
    set_seed(seed)
    encoder, table = Encoder(layer_of(C, 4), 2, C), torch.randn(10, C)
    positions, text = torch.randn(40, C), [1, 2, 3, 4, 5]
    ids, lengths = pad([text, [6] * neighbour], 0)
    if not is_masked:
        lengths = torch.full((2,), ids.shape[1])
    alone = encode_batch(encoder, table, positions, *pad([text], 0))[0]
    beside = encode_batch(encoder, table, positions, ids, lengths)[0, :5]
    return ((beside - alone).norm() / alone.norm()).item()


# %% alt="Without a mask the result changes by up to 0.35 as a neighbour in the batch grows to 40 words; with the mask the line stays at zero."
neighbours = (5, 6, 8, 12, 20, 40)
_, axes = plt.subplots(figsize=(5, 2.2))
for colour, is_masked in zip(plots.COLOURS, (False, True), strict=False):
    with torch.no_grad():
        rows = [[moved(s, n, is_masked) for s in (1, 2, 3)] for n in neighbours]
    dots(axes, neighbours, rows, colour, "mask" if is_masked else "no mask")
axes.set(xlabel="words of the neighbour", ylabel="change (relative)")
axes.legend()
plt.show()

# %% [markdown]
# A text of five words beside a longer one, three fresh encoders: without a mask its vectors move with every filler.
#
# Where should positions be added? We trained two-layer encoders to guess words that had been taken out of their sentences (section 10 tells how). The
# positions were added in four ways, with three seeds each. The lower the loss, the better the encoder guesses:

# %%
places = pd.read_csv(paths.DATA / "encoder" / "positions.csv")
table = places.pivot(index="positions", columns="seed", values="nats")
table["mean"] = table.mean(axis=1)
print("loss in nats for each hidden word")
print(table.sort_values("mean").round(3).to_string())

# %% [markdown]
# Once, before layer 1, and before every layer cannot be told apart with three seeds, so we take the simpler one. Behind the last layer the positions gain
# half a nat, which is a third of what they gain before the first. There they come too late for attention, which has already mixed the words without their
# order. All that is left for them is to make some words likelier at some places, whatever the sentence says.
