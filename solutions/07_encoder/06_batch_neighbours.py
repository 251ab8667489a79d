# %% [markdown]
# ## 6. Neighbours in the batch
#
# In a batch short texts are filled up with **padding**, yet the answer to a text must not depend on the others. Words meet only in attention, so one mask suffices, but in
# *every* layer: $[B, 1, 1, T]$, True at words. It holds for all heads and all rows, and so fits the scores $[B, h, T, T]$.
#
# Attention does not see order (chapter 6). So lecture 000 adds a vector for each place "before the very first attention layer". The stream carries it to all the others.

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
for _texts, _filler in (
    ([[4]], 9),
    ([[], [3, 0, 2, 2]], 7),
    ([[], []], 1),
    ([], 5),
    ([random.choices(range(9), k=random.randint(1, 8)) for _ in range(5)], 8),
    ([[0, 3, 3], [3]], 3),
):
    _got = pad([list(_text) for _text in _texts], _filler)
    _T = max([0, *map(len, _texts)])
    for _part, _shape in zip(_got, ((len(_texts), _T), (len(_texts),)), strict=True):
        assert torch.is_tensor(_part) and not _part.is_floating_point(), (
            f"{_texts}: tensors of whole numbers wanted; yours: {_part!r}."
        )
        assert tuple(_part.shape) == _shape, (
            f"{_texts}: shape {_shape} wanted; yours: {tuple(_part.shape)}."
        )
    _wanted = [[*_text, *[_filler] * (_T - len(_text))] for _text in _texts]
    assert _got[0].tolist() == _wanted, (
        f"{_texts}, filler {_filler}: {_wanted} wanted; yours: {_got[0].tolist()}."
    )
    assert _got[1].tolist() == [len(_text) for _text in _texts], (
        f"{_texts}: the lengths are not {_got[1].tolist()}."
    )
_after = arguments_after(pad, [[1], [2, 3]], 0)[0]
assert [list(_text) for _text in _after] == [[1], [2, 3]], "pad changed the texts."
### END HIDDEN TESTS

# %% test="encode_batch" aspect="words and places, once" points=1
_table, _positions = torch.randn(7, 3), torch.randn(5, 3)
_ids, _lengths = torch.tensor([[1, 2, 3], [4, 4, 6]]), torch.tensor([3, 3])
### BEGIN HIDDEN TESTS
_B, _T = random.randint(3, 5), random.randint(6, 8)
_table, _positions = torch.randn(9, 4), torch.randn(_T + random.randint(1, 3), 4)
_ids = (torch.randperm(_B * _T) % 9).reshape(_B, _T)  # each word somewhere
_lengths = torch.full((_B,), _T)
### END HIDDEN TESTS
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
_args = (_table.clone(), _positions.clone(), _ids.clone(), _lengths.clone())
_after = arguments_after(encode_batch, lambda x, mask: x, *_args)[1:]
assert all(
    close(_a, _b)
    for _a, _b in zip(_after, (_table, _positions, _ids, _lengths), strict=True)
), "An argument is changed by your encode_batch."
_table, _positions = torch.randn(6, 3), torch.randn(4, 3)
_ids, _lengths = torch.tensor([[0, 2], [5, 0]]), torch.tensor([2, 1])
_same = wrapped(torch_module("Identity"), most=1)  # an encoder that answers x
_back = gradients(encode_batch, _same, _table, _positions, _ids, _lengths)
assert close(_back[0][:, 0], [1, 0, 1, 0, 0, 1]) and close(
    _back[1][:, 0], [2, 1, 0, 0]
), (
    "Texts 0 2 and 5: each row that was looked up gets the gradient of its places, word 0 too, "
    f"and padding none; yours: {_back}."
)
### END HIDDEN TESTS

# %% test="encode_batch" aspect="alone or among longer texts" points=1
_texts, _C = [[1, 2], [3, 4, 5, 6], [2]], 4
### BEGIN HIDDEN TESTS
_C = random.choice([2, 6])
_texts = [random.choices(range(1, 7), k=n) for n in (3, 1, 5)]
_texts.insert(1, [*random.sample(range(1, 7), 6), 3])  # each word somewhere
### END HIDDEN TESTS
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
_table[7] = 50  # whatever the filler's vector is
_again = encode_batch(_encoder, _table, _positions, _ids, _lengths)
assert close(_again, _got, 1e-3, 1e-3), (
    "The vector of the filler was changed, and with it the answers."
)
_one = encode_batch(_encoder, _table, _positions, _ids[2:3, :1], _lengths[2:3])
assert close(_one[0], _got[2, :1], 1e-3, 1e-3), (
    "One text of one word: not as in a batch."
)
_turned = _texts[1][::-1]
if _turned != _texts[1]:
    _ids[1] = torch.tensor([*_turned, *[7] * (_longest - len(_turned))])
    _x = (_table[_turned] + _positions[: len(_turned)])[None]
    _alone = _encoder(_x, torch.ones(1, 1, 1, len(_turned), dtype=torch.bool))[0]
    _got = encode_batch(_encoder, _table, _positions, _ids, _lengths)
    assert close(_got[1, : len(_turned)], _alone, 1e-3, 1e-3), (
        "The words of a text in another order: not what it gets alone."
    )
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
for _n in ([0, 4, 2], [4, 4], [1, 0], [0]):
    _ids, _lengths = torch.randint(6, (len(_n), 4)), torch.tensor(_n)
    _ids[_lengths > 0, 0] = 2
    _x = _table[_ids] + _positions
    for _wrong in (math.nan, math.inf):

        def _spoilt(x, mask, wrong=_wrong):
            return (x + 1).masked_fill(~mask[:, 0, 0, :, None], wrong)

        _got = encode_batch(_spoilt, _table, _positions, _ids, _lengths)
        for _b, _length in enumerate(_n):
            assert close(_got[_b, :_length], _x[_b, :_length] + 1, 1e-5, 1e-5), (
                f"Lengths {_n}: text {_b} should keep the encoder's answer at its words."
            )
            assert close(_got[_b, _length:], torch.zeros(4 - _length, 3)), (
                f"Lengths {_n}, the encoder answers {_wrong} at padding: zeros wanted there; "
                f"yours: {_got[_b, _length:]}."
            )
_ids, _lengths = torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1])
for _wrong in (math.inf, math.nan):
    _got = encode_batch(
        lambda x, mask, wrong=_wrong: x * 0 + wrong, _table, _positions, _ids, _lengths
    )
    _found = [repr(float(_value)) for _value in np.asarray(_got)[..., 0].flat]
    assert _found == [repr(_wrong)] * 3 + ["0.0"], (
        f"The encoder answers {_wrong} everywhere: that stays at words, 0 at padding; "
        f"yours: {_found}."
    )
_none = encode_batch(
    lambda x, mask: x,
    _table,
    _positions,
    torch.zeros(0, 0, dtype=torch.long),
    torch.zeros(0, dtype=torch.long),
)
assert np.shape(_none) == (0, 0, 3), (
    f"No text at all: shape (0, 0, 3) wanted; yours: {np.shape(_none)}."
)
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
# Where should positions be added? Recorded: two-layer encoders that fill in blanks (section 10), three seeds each:

# %%
places = pd.read_csv(paths.DATA / "encoder" / "positions.csv")
table = places.pivot(index="positions", columns="seed", values="nats")
table["mean"] = table.mean(axis=1)
print("loss in nats for each hidden word")
print(table.sort_values("mean").round(3).to_string())

# %% [markdown]
# Once, before layer 1, and before every layer cannot be told apart with three seeds, so we take the simpler one. After the last layer is too late: attention has already mixed words without their order.
