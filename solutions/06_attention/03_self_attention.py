# %% [markdown]
# ## 4. Every word asks, every word answers
#
# In a text each word may ask: a verb for its subject, a pronoun for a name. Let the text be $x$, $[n, d]$, one word in each
# row. **Self-attention** makes queries, keys and values from the *same* words, by three learned matrices $W_q, W_k$
# $[d, d_k]$ and $W_v$ $[d, d_v]$: a word may ask for one thing, be found under another and hand over a third.
#
# Word $j$ asks $q = x_j W_q$ and scores word $i$ with $s_i = q \cdot (x_i W_k)$. With queries and keys in rows, this is entry
# $[j, i]$ of $QK^T$. So for all words at once:
#
# $$Q = xW_q \quad K = xW_k \quad V = xW_v \qquad S = QK^T \quad P = \mathrm{softmax}(S) \text{ in each row} \quad Z = PV$$

# %% [markdown] statement="self_attention"
# The heart of every Transformer, for one word and for all. Row $j$ of $P$ says how word $j$ divides its attention.
#
# - `attend_one(x, W_q, W_k, W_v, j)`: $z$ for word $j$, shape $[d_v]$, by a loop over words;
# - `self_attention(x, W_q, W_k, W_v)`: `(Z, P)`, no loop; here scores may be in the thousands;
# - `shapes(n, d, d_k, d_v)`: a dict with the shapes (tuples) of "Q", "K", "V", "S", "P", "Z";
# - `learned(n, d, d_k, d_v)`: how many numbers such a layer learns.

# %% [markdown] hints="self_attention"
# 1. Word $j$ asks once. How often are keys and values needed for it?
# 2. Row $j$ of $S$ holds the scores of the word that asks, $j$, with every word of the text. So over which axis must the
#    weights of one asker sum to 1?
# 3. Matrices: three products with $x$, one with a transpose, a softmax along the last axis, one more product. Only what does
#    not change with the text is learned.


# %% task="self_attention" points=4 level=2 minutes=18
def attend_one(x, W_q, W_k, W_v, j):
    """z: [d_v] for word j, from tensors x: [n, d], W_q, W_k: [d, d_k], W_v: [d, d_v]."""
    ### BEGIN SOLUTION
    q = x[j] @ W_q
    s = torch.stack([q @ (word @ W_k) for word in x])
    p = torch.softmax(s, 0)
    return sum(p[i] * (x[i] @ W_v) for i in range(len(x)))
    ### END SOLUTION


def self_attention(x, W_q, W_k, W_v):
    """(Z: [n, d_v], P: [n, n]) from tensors x: [n, d], W_q, W_k: [d, d_k], W_v: [d, d_v]."""
    ### BEGIN SOLUTION
    Q, K, V = x @ W_q, x @ W_k, x @ W_v
    P = torch.softmax(Q @ K.T, dim=1)
    return P @ V, P
    ### END SOLUTION


def shapes(n, d, d_k, d_v):
    """{"Q": (rows, columns), ...} for Q, K, V, S, P and Z."""
    ### BEGIN SOLUTION
    return {
        "Q": (n, d_k),
        "K": (n, d_k),
        "V": (n, d_v),
        "S": (n, n),
        "P": (n, n),
        "Z": (n, d_v),
    }
    ### END SOLUTION


def learned(n, d, d_k, d_v):
    """How many numbers the three maps hold, for texts of n words."""
    ### BEGIN SOLUTION
    return d * (2 * d_k + d_v)
    ### END SOLUTION


# %% test="self_attention" aspect="one word, by loop" points=1
_x = torch.tensor([[1.0, 0, 1], [0, 2, 0]])  # Thinking, Machines
_W = torch.tensor([[1.0, 0], [0, 1], [0, 0]])
_got = attend_one(_x, _W, _W, torch.tensor([[3.0], [1], [0]]), 1)
_wanted = (3 + 2 * math.exp(4)) / (1 + math.exp(4))
assert close(np.shape(_got), (1,), 0, 0), f"d_v = 1: z has one number; yours: {_got!r}."
assert close(_got, [_wanted], 1e-5), (
    f"Scores 0 and 4, values 3 and 2: {_wanted:.4f}; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_n, _d, _d_k, _d_v = (
    size("n"),
    size("d", large=None),
    size("d_k", large=None),
    size("d_v", large=None),
)
_maps = [tensor(_d, _width, kind="float64") for _width in (_d_k, _d_k, _d_v)]
_j = whole(0, made(lambda rng, n: n - 1, _n))
_x = tensor(_n, _d, kind="float64")
agrees(attend_one, ours.attend_one, _x, *_maps, _j, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="self_attention" aspect="all words at once" points=1
_sizes = [(6, 3, 2, 4)]  # n, d, d_k, d_v
for _n, _d, _d_k, _d_v in _sizes:
    _inputs = [
        torch.randn(*_size).double()
        for _size in ((_n, _d), (_d, _d_k), (_d, _d_k), (_d, _d_v))
    ]
    _got = self_attention(*(_M.clone() for _M in _inputs))
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"Return the pair (Z, P); yours: {_got!r}."
    )
    _Z, _P = _got
    assert np.shape(_P) == (_n, _n) and np.shape(_Z) == (_n, _d_v), (
        f"n = {_n}, d_v = {_d_v}: P {_n, _n}, Z {_n, _d_v}; "
        f"yours: {np.shape(_P)}, {np.shape(_Z)}."
    )
    assert close(np.sum(np.asarray(_P), axis=1), np.ones(_n), 1e-4), (
        "Each row of P, one asker's weights, should sum to 1."
    )
### BEGIN HIDDEN TESTS
_n, _d, _d_k, _d_v = size("n"), size("d"), size("d_k"), size("d_v")
_maps = [tensor(_d, _width, kind="float64") for _width in (_d_k, _d_k, _d_v)]
_x = tensor(_n, _d, kind="float64", edges=("huge",))
agrees(self_attention, ours.self_attention, _x, *_maps, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="self_attention" aspect="lecture 001: look for ones" points=1
_E = torch.tensor([[1.0, 0], [1, 0], [0, 1], [1, 0]])
_got = self_attention(
    _E, torch.tensor([[0.0, 1], [0, 1]]), 10 * torch.eye(2), torch.eye(2)
)
assert isinstance(_got, tuple | list) and len(_got) == 2, (
    f"Return the pair (Z, P); yours: {_got!r}."
)
assert close(_got[1], [[4.54e-5, 4.54e-5, 0.99986, 4.54e-5]] * 4, 0, 1e-5), (
    f"Each row of S is 0, 0, 10, 0, so the third word gets .99986; yours: {_got[1]}."
)
assert close(_got[0], [[1.36e-4, 0.99986]] * 4, 0, 1e-5), (
    f"Each row of Z is [1.4e-4, .99986]; yours: {_got[0]}."
)
### BEGIN HIDDEN TESTS
_n, _d_k, _d_v = size("n"), size("d_k", large=None), size("d_v", large=None)
_E = made(lambda rng, which: torch.eye(2).double()[which], ids(_n, below=2))
_W_q, _W_k = (tensor(2, _d_k, kind="float64", scale=_scale) for _scale in (1, 8))
_W_v = tensor(2, _d_v, kind="float64")
agrees(self_attention, ours.self_attention, _E, _W_q, _W_k, _W_v, rtol=1e-4, atol=1e-6)
### END HIDDEN TESTS

# %% test="self_attention" aspect="a shape for each step" points=1
_got = shapes(9, 5, 4, 3)
assert hasattr(_got, "keys") and {*"QKVSPZ"} <= {*_got}, (
    f"Return a dict with the keys Q, K, V, S, P, Z; yours: {_got!r}."
)
assert close(_got["Q"], (np.zeros((9, 5)) @ np.zeros((5, 4))).shape, 0, 0), (
    f"x [9, 5] times W_q [5, 4] has 9 rows, 4 columns; yours: {_got['Q']!r}."
)
_got = learned(9, 5, 4, 3)
assert is_number(_got) and _got == learned(99, 5, 4, 3), (
    "A longer text needs no further maps: learned is a number that does not grow with n."
)
### BEGIN HIDDEN TESTS
_sizes = size("n"), size("d"), size("d_k"), size("d_v")
agrees(
    shapes,
    ours.shapes,
    *_sizes,
    by=lambda shapes, *sizes: {_name: shapes(*sizes)[_name] for _name in "QKVSPZ"},
)
agrees(learned, ours.learned, *_sizes)
### END HIDDEN TESTS

# %% scratch=true
shapes(n=9, d=512, d_k=64, d_v=64), learned(9, 512, 64, 64)  # sizes of your own


# %%
def milliseconds(function, *inputs, tries=3):
    """Processor time of function(*inputs), the best of so many tries."""
    times = []
    for _ in range(tries):
        begin = time.process_time()
        function(*inputs)
        times.append(1000 * (time.process_time() - begin))
    return min(times)


# %%
def one_by_one(x, W_q, W_k, W_v):
    """Z by a loop over the asking words; keys and values are computed once."""
    K, V = x @ W_k, x @ W_v
    return torch.stack([torch.softmax(K @ (word @ W_q), 0) @ V for word in x])


def at_once(x, W_q, W_k, W_v):
    return torch.softmax((x @ W_q) @ (x @ W_k).T, dim=1) @ (x @ W_v)


# %%
# NBVAL_IGNORE_OUTPUT
# (times differ from run to run)
set_seed(1)
maps, rows = torch.randn(3, 32, 32) / 32**0.5, {}
for n in (16, 64, 256):
    x, column = torch.randn(n, 32), rows.setdefault(f"n = {n}", {})
    for way in (one_by_one, at_once):
        times = [milliseconds(way, x, *maps) for _ in range(5)]
        column[way.__name__] = f"{min(times):.2f} to {max(times):.2f}"
print("processor time (ms)", pd.DataFrame(rows).to_string(), sep="\n")

# %% [markdown]
# Lecture 003 calls loops "crazy slow". Ours, with keys and values computed once, still takes about ten times as long as the
# products, or more (compare the least of five).
#
# <details><summary>A slip in the printed slides: shapes catch it</summary>
#
# Words are rows in 000, 001 and 002, columns in 003 and 004; who mixes the two prints products that cannot be computed.
# 000's $p\,x^T$ and $\mathrm{softmax}(QK^T)\,V^T$ should be $p\,x$ and $PV$, 003's $\mathrm{softmax}(QK)\,V$ should have
# $QK^T$. 000 gives $p\,v$ the shape $[n, d]$; it is $[1, d]$. In columns 004 is right: $VWA$ with
# $A = \mathrm{softmax}(W^T K^T Q W)$, *each column* summing to 1, is our line transposed. 001's
# $W^Q = \begin{pmatrix}0&1\\0&1\end{pmatrix}$ "looks for 1s" in rows only.
# </details>
#
# Were all matrices square, these slips would run and be wrong.
