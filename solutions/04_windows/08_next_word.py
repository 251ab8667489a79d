# %% [markdown]
# ## 9. What moves when a word is removed
#
# In a concatenation *cook* at offset $-1$ and *cook* at offset $-2$ are different inputs; they meet different weights.
# So what changes if a word disappears? Suppose first that the network reads the **whole text** end to end: word 0 meets the first block of weights, word 1
# the second, and so on. Delete *brown* from *a quick brown fox jumps over the lazy dog*: which words now meet another block? Suppose then that each word has
# its own centred window, with $c = 2$: whose windows now hold other words? Mark the words of both kinds before you look.

# %%
fox_words, gap, c = fox.splits["train"][0], 2, 2
grid = np.full((2, 9), np.nan)
grid[0] = [i > gap for i in range(9)]
grid[1] = [abs(i - gap) <= c for i in range(9)]
grid[:, gap] = np.nan

# %% folded="draws what the removal moves" alt="Two rows of nine words. In the whole text all words behind brown meet other weights; of the centred windows only those of the four words within two places change."
_, axes = plt.subplots(figsize=(7, 1.4))
axes.imshow(grid, cmap="cividis", aspect="auto", vmin=-0.3, vmax=1.3)
axes.axhline(0.5, color="white", linewidth=4)
axes.set_xticks(range(9), fox_words)
axes.set_yticks(
    [0, 1], ["whole text: meets other weights", "own window: holds other words"]
)
axes.set_title("light: changes without brown; dark: as before", loc="left")
axes.grid(False)
plt.show()

# %% [markdown]
# In the whole text, each of the six later words slips into its neighbour's place, where other weights wait. Of the centred windows only four change, those of
# *a* and *quick* among them: a window looks at a word's own surroundings, wherever these stand in the text.
#
# So a window is local and, while narrow, cheap. But it is blind beyond its edge, and each further word costs $mh$
# weights.
#
# **Break.** The first sitting ends here.

# %% [markdown] statement="examples"
# ## 10. The same window, guessing the next word
#
# Guessing the next word is a classification like tagging. Only the classes are many more: they are the $V$ words. Here the window may look back and never
# ahead. So every text of $T$ words holds $T + 1$ examples: the $n$ words before, and the word that follows; the last one is the end of the text.
#
# Write `examples(ids, n, start, end)` for one text of $T$ word numbers: the contexts, a tensor $(T+1, n)$, each the $n$
# words before (in the order of the text, `start` where there is none), and the next words, $(T+1,)$, the last of them
# `end`.

# %% [markdown] hints="examples"
# 1. For the text 7 8 and $n = 2$ write the three contexts and their next words under each other.
# 2. Pad in front only. How many `start` does the first context need, and where does `end` belong?
# 3. You wrote `windows` in section 3. What is different here: on which side do you pad, how wide is a window that holds
#    a context *and* its next word, and how do you take the two apart?


# %% task="examples" points=3 level=1 minutes=11
def examples(ids, n, start, end):
    """Tensors of a list of T word numbers: contexts (T + 1, n), integers, and next words (T + 1,), int64.

    T may be 0, and any of the numbers may equal start or end.
    """
    ### BEGIN SOLUTION
    padded = torch.tensor([start] * n + list(ids) + [end])
    return padded.unfold(0, n + 1, 1)[:, :n], padded[n:]
    ### END SOLUTION


# %% family="examples"
_start, _end = choice(3, 0, 70_000), choice(6, 1, 20_000_001)
_ids = made(  # start and end are words like others
    lambda rng, T, start, end: rng.choices([0, 2, 7, 20_000_003, start, end], k=T),
    *(whole(1, 7, (0, 40)), _start, _end),
    edges=[
        lambda rng, T, start, end: [end] * T,
        lambda rng, T, start, end: [start, start, 7, start],
        lambda rng, T, start, end: [7, end, 7, start, 7, end],
    ],
)
_n = whole(2, 6, (1, 12))
_given = {"ids": _ids, "n": _n, "start": _start, "end": _end, "mixtures": 1}


def _parts(examples, given):
    """Contexts and next words as lists, if they are whole numbers."""
    rows, following = examples(*given.values())
    assert str(following.dtype) == "torch.int64" and "int" in str(rows.dtype), (
        f"Contexts of integers and next words in int64 wanted; yours: {rows.dtype}, {following.dtype}."
    )
    return rows.tolist(), following.tolist()


# %% test="examples" aspect="each word once, then the end" points=1
_got = examples([7, 8, 5], 2, 0, 1)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return contexts and next words; yours: {_got!r}."
)
assert torch.is_tensor(_got[1]), f"The next words are a tensor; yours: {_got[1]!r}."
assert str(_got[1].dtype) == "torch.int64", (
    f"The next words are int64, cross-entropy needs them so; yours: {_got[1].dtype}."
)
assert _got[1].tolist() == [7, 8, 5, 1], (
    f"The next words of 7 8 5 are 7 8 5 and the end, 1; yours: {_got[1].tolist()}."
)
### BEGIN HIDDEN TESTS
agrees(
    examples,
    ours.examples,
    **_given,
    by=lambda examples, **given: _parts(examples, given)[1],
)
### END HIDDEN TESTS

# %% test="examples" aspect="the context stands before" points=1
_got = examples([7, 8, 5, 9], 2, 0, 1)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return contexts and next words; yours: {_got!r}."
)
assert tuple(getattr(_got[0], "shape", ())) == (5, 2), (
    f"Four words, n = 2: contexts (5, 2) wanted; yours: {_got[0]!r}."
)
assert "int" in str(_got[0].dtype), (
    f"Contexts are integers, an embedding takes no others; yours: {_got[0].dtype}."
)
assert _got[0].tolist()[3] == [8, 5], (
    f"Before 9 stand 8 and 5, in this order; yours: {_got[0].tolist()[3]}."
)
### BEGIN HIDDEN TESTS
agrees(
    examples,
    ours.examples,
    **_given,
    by=lambda examples, **given: [
        (len(row), row[max(given["n"] - t, 0) :])
        for t, row in enumerate(_parts(examples, given)[0])
    ],
)
### END HIDDEN TESTS

# %% test="examples" aspect="start where nothing stands" points=1
_got = examples([7, 8], 3, 4, 6)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return contexts and next words; yours: {_got!r}."
)
assert torch.is_tensor(_got[0]), f"The contexts are a tensor; yours: {_got[0]!r}."
assert _got[0].tolist() == [[4, 4, 4], [4, 4, 7], [4, 7, 8]], (
    f"Text 7 8, start 4, n = 3; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
agrees(
    examples,
    ours.examples,
    **_given,
    by=lambda examples, **given: [
        row[: max(given["n"] - t, 0)]
        for t, row in enumerate(_parts(examples, given)[0])
    ],
)
### END HIDDEN TESTS

# %% [markdown]
# A kitchen story is one text. Words seen once in training become `<UNK>`, whose vector is thus trained too.

# %%
stories, held_out = (
    lmkit.load("kitchen").splits["train"],
    lmkit.load("kitchen").splits["valid"],
)
more = budget().choose(grading=0, laptop=300_000, gpu=1_000_000)  # tokens
if more:  # of the same language, if there is time
    made = language.documents(tokens=more, seed=11)
    stories = stories + [document.tokens[:-1] for document in made]
lexicon = [*ngrams.events(stories, min_count=2), "<s>"]
place = {word: i for i, word in enumerate(lexicon)}
UNK, END, START = place["<UNK>"], place["</s>"], place["<s>"]


# %%
def all_examples(texts, n):
    """Contexts and next words of all texts."""
    pairs = [
        examples([place.get(word, UNK) for word in text], n, START, END)
        for text in texts
    ]
    return torch.cat([rows for rows, _ in pairs]), torch.cat(
        [targets for _, targets in pairs]
    )


contexts, next_words = all_examples(stories, 2)
print(f"{len(next_words):,} examples, {len(lexicon):,} words; the first three:")
for before, after in zip(contexts[:3].tolist(), next_words[:3].tolist(), strict=True):
    print(" ".join(lexicon[i] for i in before), "→", lexicon[after])
