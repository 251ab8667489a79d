# %% [markdown]
# ## 2. One-hot times a matrix
#
# The plainest vector of word $i$ is **one-hot**: $e_i$ has $V$ numbers, a 1 at place $i$ and 0 elsewhere. Any two are
# equally far apart, so they say nothing about likeness. Multiply $e_i$ with a matrix $A$ of shape $(V, d)$:
#
# $$e_i A = \sum_{v} (e_i)_v\, a_v = a_i ,$$
#
# row $i$ of $A$. All other terms are multiplications by zero, so nobody computes them: one *looks up* the row. The
# table $A$ is then called an **embedding**.

# %% folded="draws the look-up" alt="A row of five numbers, a 1 at the third place and 0 elsewhere, times a table of five rows: the result is the highlighted row of the table."
drawings.look_up()

# %% [markdown] statement="lookup"
# ### There and back
#
# Write
#
# - `lookup(A, ids)`: for $n$ word numbers (a list) the tensor $(n, d)$ of their rows, without any one-hot;
# - `spread(ids, G, V)`: the way back. $G$, shape $(n, d)$, is the gradient of a loss with respect to the *result* of
#   the lookup. Return its gradient with respect to $A$, shape $(V, d)$. A word may occur several times.
# - `saved(V, d, n)`: how many multiplications the lookup saves: all those of the product of $n$ one-hot rows,
#   $(n, V)$, with $A$.

# %% [markdown] hints="lookup"
# 1. Write out $(0, 0, 1)$ times a matrix of three rows. Which numbers are left?
# 2. A row of $A$ that was looked up twice moves two rows of the result. By the chain rule, what it gets is the sum.
# 3. For the way back start from zeros, $(V, d)$, and add row after row. Careful with indexed assignment: for repeated
#    numbers `Z[ids] += G` keeps one of them. For `saved`: how many products does one number of the result take?


# %% task="lookup" points=3 level=1 minutes=14
def lookup(A, ids):
    """The rows of A (V, d) with these numbers, a tensor (n, d)."""
    ### BEGIN SOLUTION
    return A[ids]
    ### END SOLUTION


def spread(ids, G, V):
    """The gradient (V, d) of A, from the gradient G (n, d) of lookup(A, ids)."""
    ### BEGIN SOLUTION
    return torch.zeros(V, G.shape[1], dtype=G.dtype).index_add(0, torch.tensor(ids), G)
    ### END SOLUTION


def saved(V, d, n):
    """Multiplications in the product of (n, V) with (V, d)."""
    ### BEGIN SOLUTION
    return n * V * d
    ### END SOLUTION


# %% family="lookup"
_V, _n = size("V", large=300), size("n")
_ids = made(
    lambda rng, V, n: rng.choices(range(V), k=n),
    _V,
    _n,
    edges=[lambda rng, V, n: [0] * n, lambda rng, V, n: [V - 1] * n],
)

# %% test="lookup" aspect="rows by number" points=1
_A = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
_got = lookup(_A.clone(), [2, 0, 2, 1])
assert torch.is_tensor(_got), f"Return a tensor; you return {_got!r}."
assert close(_got, [[5, 6], [1, 2], [5, 6], [3, 4]]), (
    f"Rows 2, 0, 2, 1 of A wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
agrees(lookup, ours.lookup, tensor(_V, size("d"), edges=["-inf"]), _ids)
### END HIDDEN TESTS

# %% test="lookup" aspect="gradients of a repeated word add up" points=1
_got = spread([1, 1], torch.tensor([[1.0, 2.0], [10.0, 20.0]]), 3)
assert np.shape(_got) == (3, 2), f"Shape (V, d) = (3, 2) wanted; yours: {_got!r}."
assert close(_got, [[0, 0], [11, 22], [0, 0]]), (
    f"Word 1 was looked up twice, words 0 and 2 never; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_G = tensor(_n, size("d"), kind=choice("float32", "float64"))
agrees(spread, ours.spread, _ids, _G, _V, rtol=1e-5, atol=1e-5)
_V = size("V", least=4, large=None)
_four = made(lambda rng, V: rng.sample(range(V), 4), _V)
agrees(spread, ours.spread, _four, tensor(4, 4), _V, mixtures=0, rtol=1e-5, atol=1e-5)
### END HIDDEN TESTS

# %% test="lookup" aspect="what the lookup saves" points=1
_got = saved(3, 2, 1)
assert is_number(_got), f"saved returns a number; yours: {_got!r}."
assert _got == 6, (
    f"(1, 3) times (3, 2): 2 numbers of 3 products each, 6; yours: {_got}."
)
### BEGIN HIDDEN TESTS
agrees(saved, ours.saved, whole(1, 100_000), whole(1, 300), whole(1, 1000))
### END HIDDEN TESTS

# %%
table = torch.arange(8.0).reshape(4, 2)
ids = [3, 0, 3]
one_hot = F.one_hot(torch.tensor(ids), 4).float()
print("product:", (one_hot @ table).tolist())
print("loop:   ", [[float(number) for number in table[i]] for i in ids])
print("lookup: ", lookup(table, ids).tolist())
print(f"saved for 100,000 words of 300 numbers: {saved(100_000, 300, 1):,} products")

# %% [markdown]
# Three ways, one result. A step of learning moves only the rows that were looked up.
#
# We could let $A$ begin at random and learn it together with whatever network stands on it, as the unsigned lecture says. But labelled
# text is scarce, and most words never occur in it, while unlabelled text costs next to nothing. So let us learn the vectors from
# unlabelled text first.

# %% [markdown] statement="cooccurrences"
# ## 3. The company of a word
#
# Note for each word of a text all neighbours up to $c$ places to the left and to the right, as far as the text
# reaches. In `the dog bit the man` with $c = 1$, *dog* has the neighbours *the* and *bit*. The **co-occurrence
# counts** $N$ hold in row $i$ and column $j$ how often $j$ stood near $i$. Write
#
# - `cooccurrences(texts, V, c)`: the counts of a list of texts, each a list of word numbers below $V$; an array
#   $(V, V)$. No window reaches into another text.
#
# A neighbour that occurs twice in one window counts twice. A word has itself as a neighbour if it stands there
# *again*; its own place never counts.

# %% [markdown] hints="cooccurrences"
# 1. Do `the dog bit the man` on paper with $c = 1$, then with $c = 2$. Is your table symmetric? Must it be?
# 2. Take the pairs of places one *distance* at a time: distance 1, then 2, up to $c$. Whoever is my neighbour has me
#    as a neighbour.
# 3. For one text and one distance $o$, the pairs are place $t$ and place $t + o$, as long as both exist. Each adds one
#    at two places of the table, and if both words are the same, these two are one cell.


# %% task="cooccurrences" points=4 level=1 minutes=15
def cooccurrences(texts, V, c):
    """Array (V, V): how often word j stood up to c places from word i, in all texts (lists of numbers)."""
    ### BEGIN SOLUTION
    N = np.zeros((V, V))
    for text in texts:
        ids = np.array(text, dtype=int)
        for o in range(1, min(c, len(ids) - 1) + 1):
            np.add.at(N, (ids[:-o], ids[o:]), 1)
    return N + N.T
    ### END SOLUTION


# %% test="cooccurrences" aspect="neighbours on both sides" points=1
_got = cooccurrences([[0, 1, 2, 0, 3]], 4, 1)
assert np.shape(_got) == (4, 4), f"V = 4: shape (4, 4) wanted; yours: {_got!r}."
assert close(_got, [[0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]), (
    f"the dog bit the man, c = 1: word 0 stands beside 1, 2 and 3; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_V = size("V")
_texts = made(lambda rng, V: [rng.sample(range(V), V)], _V)  # each word once
agrees(cooccurrences, ours.cooccurrences, _texts, _V, 1)
### END HIDDEN TESTS

# %% test="cooccurrences" aspect="every place counts" points=1
_got = cooccurrences([[1, 0, 1, 0]], 2, 1)
assert np.shape(_got) == (2, 2), f"V = 2: shape (2, 2) wanted; yours: {_got!r}."
assert close(_got, [[0, 3], [3, 0]]), (
    f"1 0 1 0: three pairs of neighbours, each seen from both sides; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_V = size("V", most=4, large=None)
_texts = made(
    lambda rng, V, T: [rng.choices(range(V), k=T)],
    _V,
    size("T", large=200),
    edges=[lambda rng, V, T: [[0] * T], lambda rng, V, T: [[0, V - 1] * 200]],
)
agrees(cooccurrences, ours.cooccurrences, _texts, _V, whole(1, 4))
_many = [[0, 299] * 20] * 1000  # 39,000 meetings
agrees(cooccurrences, ours.cooccurrences, _many, 300, 1, mixtures=0)
### END HIDDEN TESTS

# %% test="cooccurrences" aspect="as far as the window reaches" points=1
_got = cooccurrences([[0, 1, 2, 3]], 4, 2)
assert np.shape(_got) == (4, 4), f"V = 4: shape (4, 4) wanted; yours: {_got!r}."
assert close(_got[0], [0, 1, 1, 0]), (
    f"0 1 2 3, c = 2: word 0 stands near 1 and 2, not near 3; yours: {_got[0]!r}."
)
### BEGIN HIDDEN TESTS
_T = size("T")
_texts = made(lambda rng, T: [list(range(T))], _T)
agrees(cooccurrences, ours.cooccurrences, _texts, _T, whole(0, 9, (50,)))
### END HIDDEN TESTS

# %% test="cooccurrences" aspect="texts stay apart" points=1
_got = cooccurrences([[0, 1], [2, 1]], 3, 2)
assert np.shape(_got) == (3, 3), f"V = 3: shape (3, 3) wanted; yours: {_got!r}."
assert close(_got, [[0, 1, 0], [1, 0, 1], [0, 1, 0]]), (
    f"Texts 0 1 and 2 1: 0 and 2 never meet, nor does 1 meet itself; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_V = size("V")
_texts = made(
    lambda rng, V, n: [rng.choices(range(V), k=rng.randint(0, 6)) for _ in range(n)],
    _V,
    size("texts", least=0),
    edges=[[[]], [[], [0], [0, 0]]],
)
agrees(cooccurrences, ours.cooccurrences, _texts, _V, whole(1, 4))
### END HIDDEN TESTS

# %%
word_counts = Counter(word for story in stories for word in story)
frequent = [word for word, count in word_counts.most_common() if count >= 20]
words = ["<UNK>", *frequent]  # all rarer words are word 0
number = {word: i for i, word in enumerate(words)}
texts = [[number.get(word, 0) for word in story] for story in stories]
V = len(words)
occurrences = np.bincount(np.concatenate(texts), minlength=V)
N = cooccurrences(texts, V, 2)
print(f"{len(word_counts):,} words, {V - 1:,} of them 20 times or more")
print(f"{(N > 0).mean():.0%} of the {V * V:,} pairs ever stood within two places")

# %%
some = ["tea", "coffee", "soup", "guard", "nurse", "quiet"]
company = ["a", "glass", "of", "the", "cook", "was"]
places = np.ix_([number[word] for word in some], [number[word] for word in company])
pd.DataFrame(N[places].astype(int), index=some, columns=company)

# %% [markdown]
# *tea* and *coffee* have similar rows, as *guard* and *nurse* have. But *the* stands near everything, only because it
# is everywhere: raw counts mostly say how frequent the two words are. We want to know whether they meet *more often
# than they should*.
