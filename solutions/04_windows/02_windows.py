# %% [markdown] statement="windows"
# ## 3. A window, and what stands beyond the edge
#
# The simplest way to let neighbours in: look at $c$ words to the left and $c$ to the right. That is a **window** of
# $2c + 1$ places with the tagged word in the middle. For *please increase the volume* and $c = 1$, the window of
# *increase* is `please increase the`. But what stands left of *please*? A padding symbol, `PAD`, number 0. Write
#
# - `windows(ids, c)`: for a list of $T$ word numbers, the integer tensor of shape $(T, 2c + 1)$, a row for each word;
# - `pad_share(T, c)`: the share of `PAD` among the $T(2c + 1)$ places of one text of $T$ words, for any $c$, also
#   $c \ge T$.

# %% [markdown] hints="windows"
# 1. Write out the four windows of `please increase the volume` for $c = 1$. How many places hold `PAD`?
# 2. Lengthen the text at both ends; then each window is a slice. For the share, you may count, or think column by
#    column: in the column at offset $k$, which words of the text show up?
# 3. In the lengthened text, how far apart are the starts of two neighbouring windows? For the share: the column $k$ to
#    the right lacks the first $k$ words of the text, and shows each of the others once. When does it show none?


# %% task="windows" points=4 level=1 minutes=17
def windows(ids, c):
    """Tensor (T, 2c + 1): row t holds the numbers of words t-c ... t+c, and 0 beyond the ends."""
    ### BEGIN SOLUTION
    return F.pad(torch.tensor(ids), (c, c)).unfold(0, 2 * c + 1, 1)
    ### END SOLUTION


def pad_share(T, c):
    """The share of PAD among all places of the windows of one text of T words."""
    ### BEGIN SOLUTION
    real = sum(max(0, T - abs(k)) for k in range(-c, c + 1))
    return 1 - real / (T * (2 * c + 1))
    ### END SOLUTION


# %% family="windows"
_T = whole(2, 7, (1, 80))
_ids = made(
    lambda rng, T: rng.choices([1, 2, 3, 300, 70_000, 20_000_001], k=T),
    _T,
    edges=[lambda rng, T: [5] * T, lambda rng, T: list(range(1, T + 1))],
)
_c = made(
    lambda rng, T: rng.randint(0, min(2 * T, 9)),
    _T,
    edges=[0, 1, *(lambda rng, T, k=k: T + k for k in (-1, 0, 1, 2, 5)), 60],
)
_given = {"ids": _ids, "c": _c, "mixtures": 1}

# %% test="windows" aspect="one row for each word" points=1
for _c in (0, 1, 2, 5):
    _got = windows([4, 8, 6], _c)
    assert torch.is_tensor(_got), f"Return a tensor; you return {_got!r}."
    assert tuple(_got.shape) == (3, 2 * _c + 1), (
        f"Three words, c = {_c}: shape (3, {2 * _c + 1}) wanted; yours: {tuple(_got.shape)}."
    )
    assert str(_got.dtype) in ("torch.int64", "torch.int32"), (
        f"Word numbers are integers, an embedding takes no others than int64 and int32; yours: {_got.dtype}."
    )


### BEGIN HIDDEN TESTS
def _kind(got, wanted, **given):
    if not torch.is_tensor(got) or str(got.dtype) not in ("torch.int64", "torch.int32"):
        return f"is no tensor of int64 or int32: {got!r}"
    return difference(got * 0, wanted * 0)  # the shape


agrees(windows, ours.windows, **_given, compare=_kind)
### END HIDDEN TESTS

# %% test="windows" aspect="the word stands in the middle" points=1
_got = windows([4, 8, 6, 3, 9], 1)
assert torch.is_tensor(_got), f"Return a tensor; you return {_got!r}."
_got = _got.tolist()
assert len(_got) == 5 and len(_got[0]) == 3, f"Shape (5, 3) wanted; yours: {_got}."
assert [row[1] for row in _got] == [4, 8, 6, 3, 9], (
    f"The middle column should read like the text; yours: {_got}."
)
assert _got[2] == [8, 6, 3], f"Left of 6 stands 8, right of it 3; yours: {_got[2]}."


### BEGIN HIDDEN TESTS
def _inside(got, wanted, ids, c):
    if not torch.is_tensor(got) or got.shape != wanted.shape:
        return f"is no tensor of the shape {tuple(wanted.shape)}: {got!r}"
    got, wanted = (
        [row[max(c - t, 0) : c + len(ids) - t] for t, row in enumerate(found.tolist())]
        for found in (got, wanted)
    )
    return difference(got, wanted)


agrees(windows, ours.windows, **_given, compare=_inside)
### END HIDDEN TESTS

# %% test="windows" aspect="PAD beyond both ends" points=1
_got = windows([4, 8, 6, 3], 2)
assert torch.is_tensor(_got) and len(_got) == 4, (
    f"Return a tensor with four rows; you return {_got!r}."
)
_got = _got.tolist()
assert _got[0] == [0, 0, 4, 8, 6], (
    f"The first window of 4 8 6 3 has two PAD in front, then 4 8 6; yours: {_got[0]}."
)
assert _got[-1] == [8, 6, 3, 0, 0], (
    f"The last window ends with two PAD; yours: {_got[-1]}."
)
### BEGIN HIDDEN TESTS
agrees(
    windows,
    ours.windows,
    **_given,
    by=lambda windows, ids, c: [
        [word == 0 for word in row] for row in windows(ids, c).tolist()
    ],
)
### END HIDDEN TESTS

# %% test="windows" aspect="the share of PAD" points=1
for _c, _wanted in ((0, 0.0), (1, 2 / 12), (2, 6 / 20)):
    _got = pad_share(4, _c)
    assert is_number(_got), f"pad_share returns a number; yours: {_got!r}."
    assert close(_got, _wanted, atol=1e-6), (
        f"Four words, c = {_c}: {_wanted:.3f} wanted; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
agrees(pad_share, ours.pad_share, _T, _c, mixtures=1, rtol=1e-5, atol=1e-6)
_wide = choice(100, 149, 150, 200)
agrees(pad_share, ours.pad_share, 150, _wide, mixtures=0, rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %%
please = ["PAD", *increase.splits["train"][1]]
for row in windows([1, 2, 3, 4], 1):
    print([please[i] for i in row])


# %%
def sentences(split):
    """The sentences of a split, and their tags: documents cut after each full stop."""
    for document, tags in zip(kitchen.splits[split], kitchen.tags[split], strict=True):
        ends = [
            0,
            *(i + 1 for i, word in enumerate(document) if word == "."),
            len(document),
        ]
        yield from (
            (document[a:b], tags[a:b])
            for a, b in zip(ends, ends[1:], strict=False)
            if a < b
        )


train_text, valid_text = list(sentences("train")), list(sentences("valid"))
print(*train_text[4][0])

# %% alt="Left: a histogram of sentence lengths with its peak at 12 words. Right: the share of PAD in the windows of a text of 16 words grows from 5 percent for c = 1 to more than 90 percent for c = 100."
sides = [1, 2, 5, 10, 20, 50, 100]
_, (left, right) = plt.subplots(1, 2, figsize=(7, 2.1))
plots.lengths([len(words) for words, _ in train_text], left)
left.set_xticks([5, 10, 15, 20, 25], [5, 10, 15, 20, "25+"])
right.plot(sides, [100 * pad_share(16, c) for c in sides], "o-", color=plots.COLOURS[1])
right.set(
    xlabel="words on each side, c",
    ylabel="PAD, % of the places",
    xscale="log",
    ylim=(0, 100),
)
right.set_title("a text of 16 words", loc="left")
plt.show()

# %% [markdown]
# Left: few sentences have more than 20 words. Right: in a text of 16 words, a window of 100 words on each side is 92 % padding: nearly all that the network
# reads says nothing.
#
# So we take a few words. How do their vectors become *one* input?
