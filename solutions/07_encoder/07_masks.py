# %% [markdown]
# ## 7. Who may look where
#
# *GPT* reads `[START] The cat` and writes on; *BERT* reads
# `The cat [MASK] on [MASK] mat` and fills in (Artzi). Their blocks are the same; what differs is one matrix, the **mask**: True in
# row $i$, column $j$ if place $i$ may look at place $j$. In between stands the **prefix** model, which reads the first $p$
# places, say a question, both ways and then writes from left to right.
#
# A mask describes *one* layer. Let each word look at itself and one neighbour on either side:

# %% folded="draws how far three layers reach" alt="Circles in four rows, joined by lines: one output after layer 3 is reached by three circles of layer 2, five of layer 1 and seven words."
drawings.reach()

# %% [markdown] statement="attention_masks"
# In the drawing seven words reach the output, though none looked further than one place: a
# stack's dependencies are another matrix than its mask. Write
#
# - `gpt(T)`, `bert(T)`, `prefix(T, p)`: the three masks, bool tensors $[T, T]$, for a text of $T$ places and
#   $0 \le p \le T$. Every word may look at itself; what is written may look at the whole prefix.
# - `layers_reach(mask, N)`: bool $[T, T]$: can a change of word $j$ move output $i$ of $N$ layers that all have this mask
#   (a bool tensor, any)? Each layer *adds* to what a place already holds, so no word loses itself, even where the mask
#   forbids a place to look at itself. $N$ may be 0, or a thousand.

# %% [markdown] hints="attention_masks"
# 1. Draw the prefix mask for $T = 4$, $p = 2$. Which rows of it are GPT's, which columns are BERT's?
# 2. Output $i$ of layer 2 hears $j$ if it looks at some $k$ that heard $j$ in layer 1. "Some $k$ such that both" is what a
#    product of matrices adds up.
# 3. Start with "each hears itself", and do one layer after the other. Large powers overflow: make it bool again after
#    each.


# %% task="attention_masks" points=4 level=2 minutes=20
def gpt(T):
    """bool [T, T]: row i may look at column j."""
    ### BEGIN SOLUTION
    return prefix(T, 0)
    ### END SOLUTION


def bert(T):
    """bool [T, T]: row i may look at column j."""
    ### BEGIN SOLUTION
    return prefix(T, T)
    ### END SOLUTION


def prefix(T, p):
    """bool [T, T]: the first p places are read both ways, the others from left to right."""
    ### BEGIN SOLUTION
    place = torch.arange(T)
    return (place <= place[:, None]) | (place < p)
    ### END SOLUTION


def layers_reach(mask, N):
    """bool [T, T]: does output i of N layers with this mask depend on word j?"""
    ### BEGIN SOLUTION
    itself = torch.eye(len(mask))
    look, reach = mask + itself, itself
    for _ in range(N):
        reach = (look @ reach > 0).float()
    return reach > 0
    ### END SOLUTION


# %% test="attention_masks" aspect="GPT and BERT" points=1
_T = 3
### BEGIN HIDDEN TESTS
for _mine, _right in ((gpt, ours.gpt), (bert, ours.bert)):
    agrees(_mine, _right, size("T"))
### END HIDDEN TESTS
_got = gpt(_T)
assert np.shape(_got) == (_T, _T), f"gpt({_T}): shape [{_T}, {_T}]; yours: {_got!r}."
assert np.asarray(_got).dtype == bool, f"gpt returns bools; yours: {_got!r}."
assert np.asarray(_got)[1, 0] and not np.asarray(_got)[0, 1], (
    f"Row 1 may look at place 0, row 0 not at place 1; yours: {_got!r}."
)
assert np.shape(bert(_T)) == (_T, _T) and np.asarray(bert(_T)).all(), (
    f"BERT: every word may look at every word; yours: {bert(_T)!r}."
)

# %% test="attention_masks" aspect="the prefix" points=1
_cases = [(4, 2, [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]])]
for _T, _p, _see in _cases:
    _got = prefix(_T, _p)
    assert close(_got, np.array(_see) > 0), (
        f"T = {_T}, p = {_p}: the prefix sees itself both ways, all others look left; "
        f"yours: {_got!r}."
    )
    assert np.asarray(_got).dtype == bool, f"prefix returns bools; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_size = size("T")
_p = made(lambda rng, T: rng.randint(0, T), _size, edges=[0, 1, lambda rng, T: T])
agrees(prefix, ours.prefix, _size, _p)
### END HIDDEN TESTS

# %% test="attention_masks" aspect="reach after N layers" points=1
_cases = [(torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 1]]) > 0, 2)]
for _mask, _N in _cases:
    _heard = [{i} for i in range(len(_mask))]
    for _ in range(_N):
        _heard = [
            set().union({i}, *(_heard[k] for k in np.flatnonzero(_row)))
            for i, _row in enumerate(_mask.numpy())
        ]
    _wanted = [[j in _row for j in range(len(_mask))] for _row in _heard]
    _got = layers_reach(_mask.clone(), _N)
    assert close(_got, _wanted), (
        f"N = {_N}, mask {_mask.int().tolist()}: wrong reach {_got!r}."
    )
    assert np.asarray(_got).dtype == bool, f"Bools wanted; yours: {_got!r}."
### BEGIN HIDDEN TESTS
_size = size("T")
_some = made(  # each looks at itself and at one or two others; or only at the next
    lambda rng, T: torch.tensor(
        [[i == j or rng.random() < 1.5 / T for j in range(T)] for i in range(T)]
    ),
    _size,
    edges=[lambda rng, T: torch.zeros(T, T) > 0],
)
agrees(layers_reach, ours.layers_reach, _some, whole(0, 4))
_long = torch.eye(90).bool() | torch.eye(90).roll(1, 1).triu().bool()
agrees(layers_reach, ours.layers_reach, _long, whole(25, 88), mixtures=0)
### END HIDDEN TESTS

# %% test="attention_masks" aspect="nobody loses himself" points=1
_mask = torch.tensor([[0, 1], [0, 0]]) > 0
_got = layers_reach(_mask, 2)
assert np.shape(_got) == (2, 2), f"Shape [2, 2] wanted; yours: {_got!r}."
assert close(_got, [[True, True], [False, True]]), (
    f"Place 0 looks at 1 only, place 1 at nothing; each keeps itself. Yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_size = size("T")
_next = made(lambda rng, T: torch.eye(T).roll(1, 1).bool(), _size)
_mask = choice(_next, truths(_size, _size))
agrees(layers_reach, ours.layers_reach, _mask, whole(0, 4, (300,)))
for _T, _N in ((2, 65), (4, 64), (40, 1000), (256, 2)):
    _all, _half = torch.ones(_T, _T), torch.ones(_T // 2, _T // 2)
    for _mask in (_all > 0, _all.tril() > 0, torch.block_diag(_half, _half) > 0):
        assert close(layers_reach(_mask.clone(), _N), _mask), (
            f"T = {_T}, N = {_N}: full masks, triangles and two groups reach what they show. "
            "Do your numbers grow too large?"
        )
### END HIDDEN TESTS

# %% folded="draws three masks" alt="Three grids: GPT with crosses above the diagonal, prefix with crosses there except in the first three columns, BERT without crosses."
drawings.masks({"GPT": gpt(6), "prefix, p = 3": prefix(6, 3), "BERT": bert(6)})

# %%
place = torch.arange(9)
neighbours = (place - place[:, None]).abs() <= 1
shapes = {"GPT": gpt(9), "prefix": prefix(9, 3), "BERT": bert(9), "window": neighbours}
for name, mask in shapes.items():
    sizes = [int(layers_reach(mask, N).sum()) for N in (1, 2, 3, 8)]
    print(f"{name:7} pairs after 1, 2, 3, 8 layers: {sizes}")

# %% [markdown]
# GPT's, BERT's and the prefix mask are *closed*: more layers add no pair, so a causal mask stays causal in any
# stack. A window widens by one place on either side with each layer.
