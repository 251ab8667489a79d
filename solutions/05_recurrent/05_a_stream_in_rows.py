# %% [markdown] statement="stream_batches"
# ## 5. A stream in rows
#
# To read a text of $N$ words in batches, cut it into `rows` pieces of $L = \lfloor (N - 1) / \text{rows} \rfloor$ words
# ($N$ > `rows`; a rest is dropped), lay them one below the other, and read `steps` columns at a time. The words 0 to 12
# in 3 rows, 2 at a time:
#
# | row | batch 0 | batch 1 |
# |---|---|---|
# | 0 | 0 1 | 2 3 |
# | 1 | 4 5 | 6 7 |
# | 2 | 8 9 | 10 11 |
#
# Write `stream_batches(ids, rows, steps)`, the list of pairs `(inputs, targets)`: batch $j + 1$ goes on where $j$
# ended, in *every* row, so that the state can go on too. The last pair may be narrower; a target is the next word of
# the text.

# %% [markdown] hints="stream_batches"
# 1. In the table above, which number is the target of the last word in row 1? Why is one word left over at the end?
# 2. Targets are cut exactly as inputs are, only from a text that begins one word later.
# 3. First make the rows, for inputs and for targets; only then think of batches: each takes some neighbouring columns of
#    all rows at once. What does a slice do that reaches beyond the end?


# %% task="stream_batches" points=4 level=2 minutes=15
def stream_batches(ids, rows, steps):
    """[(inputs, targets), ...], tensors of shape [rows, steps], from a tensor of word numbers ids: [N] (integers)."""
    ### BEGIN SOLUTION
    L = (len(ids) - 1) // rows
    inputs, targets = (ids[first : first + rows * L].view(rows, L) for first in (0, 1))
    return [
        (inputs[:, j : j + steps], targets[:, j : j + steps])
        for j in range(0, L, steps)
    ]
    ### END SOLUTION


# %% test="stream_batches" aspect="targets are one ahead" points=1
_got = stream_batches(torch.arange(13), 3, 2)
assert hasattr(_got, "__len__") and len(_got) == 2, (
    f"13 words, 3 rows of 4, 2 at a time: 2 pairs; yours: {_got!r}."
)
for _inputs, _targets in _got:
    assert torch.is_tensor(_inputs) and _inputs.shape == (3, 2), (
        f"Inputs of shape (3, 2) wanted; yours: {_inputs!r}."
    )
    assert torch.is_tensor(_targets) and torch.equal(_targets, _inputs + 1), (
        f"After the words {_inputs.tolist()} come others than {_targets!r}."
    )
### BEGIN HIDDEN TESTS
_rows, _L, _steps = size("rows"), size("words in a row", large=90), size("steps")
_N = made(lambda rng, rows, L: rows * L + rng.randint(1, rows), _rows, _L)
agrees(stream_batches, ours.stream_batches, ids(_N, below=10**6), _rows, _steps)
_type = stream_batches(torch.arange(9), 2, 2)[0][1].dtype
assert "int" in str(_type), f"Word numbers stay integers; yours are {_type}."
### END HIDDEN TESTS

# %% test="stream_batches" aspect="rows go on in the next batch" points=1
_got = stream_batches(torch.arange(13), 3, 2)
assert hasattr(_got, "__len__") and len(_got) == 2, (
    f"13 words, 3 rows of 4, 2 at a time: 2 pairs; yours: {_got!r}."
)
assert _got[0][0].tolist() == [[0, 1], [4, 5], [8, 9]], (
    f"First batch: 0 1, 4 5 and 8 9; yours: {_got[0][0].tolist()}."
)
assert _got[1][0].tolist() == [[2, 3], [6, 7], [10, 11]], (
    f"Second batch: 2 3, 6 7, 10 11; yours: {_got[1][0].tolist()}."
)
### BEGIN HIDDEN TESTS
_rows, _L, _steps = size("rows"), size("words in a row", large=90), size("steps")
_N = made(lambda rng, rows, L: rows * L + rng.randint(1, rows), _rows, _L)
agrees(
    stream_batches,
    ours.stream_batches,
    made(lambda rng, N: torch.arange(N), _N),
    _rows,
    _steps,
)
### END HIDDEN TESTS

# %% test="stream_batches" aspect="a narrow end is kept" points=1
_got = stream_batches(torch.arange(11), 2, 3)
_widths = [tuple(pair[0].shape) for pair in _got or []]
assert _widths == [(2, 3), (2, 2)], (
    f"11 words in 2 rows of 5: a batch of width 3, one of 2; yours: {_widths}."
)
_widths = [tuple(pair[1].shape) for pair in stream_batches(torch.arange(11), 2, 9)]
assert _widths == [(2, 5)], (
    f"Steps of 9 in rows of 5: one batch of width 5; yours: {_widths}."
)
### BEGIN HIDDEN TESTS
_rows, _L, _steps = size("rows"), size("words in a row", large=90), size("steps")
_N = made(lambda rng, rows, L: rows * L + rng.randint(1, rows), _rows, _L)
_given = ids(_N, below=9), _rows, _steps
agrees(
    lambda *given: [[x.shape, y.shape] for x, y in stream_batches(*given)],
    lambda *given: [[x.shape, y.shape] for x, y in ours.stream_batches(*given)],
    *_given,
)
### END HIDDEN TESTS

# %% test="stream_batches" aspect="every word once" points=1
_cases = [(4, 3, 31)]
for _rows, _steps, _N in _cases:
    _text = torch.randint(50, (_N,))  # some words come more than once
    _L = (_N - 1) // _rows
    _got = stream_batches(_text.clone(), _rows, _steps)
    assert isinstance(_got, tuple | list) and len(_got) > 0, (
        f"Return a list of pairs; yours: {_got!r}."
    )
    for _side, _first in ((0, 0), (1, 1)):
        _read = torch.cat([pair[_side] for pair in _got], dim=1)
        assert _read.shape == (_rows, _L), (
            f"N = {_N}, {_rows} rows: {_L} words each; yours have {tuple(_read.shape)}."
        )
        assert "int" in str(_read.dtype), (
            f"Word numbers stay integers; yours: {_read.dtype}."
        )
        assert torch.equal(_read.flatten(), _text[_first : _first + _rows * _L]), (
            f"N = {_N}, {_rows} rows, {_steps} steps: put together again, your {('inputs', 'targets')[_side]} are not the text."
        )
### BEGIN HIDDEN TESTS
_rows, _L, _steps = size("rows"), size("words in a row", large=90), size("steps")
_N = made(lambda rng, rows, L: rows * L + rng.randint(1, rows), _rows, _L)
agrees(stream_batches, ours.stream_batches, ids(_N, below=50), _rows, _steps)
### END HIDDEN TESTS
