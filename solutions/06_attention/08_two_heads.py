# %% [markdown] statement="two_heads"
# ## 10. Two heads
#
# With $h$ **heads**, head $l$ sees its own $d_k = d/h$ columns of $Q, K, V$ $[T, d]$. The results
# stand side by side, $[T, d]$, and are mixed by $H$, $[d, d]$.
#
# - `heads_by_hand`: $d = h = 2$, query $(1, 1)$, keys $(\ln 3, 0)$ and $(0, \ln 3)$, values $(1, 2)$ and $(5, 6)$,
#   $H = \begin{pmatrix}1 & 0\\1 & 1\end{pmatrix}$. Give the two numbers;
# - `multihead_loop(Q, K, V, H, h)`, head by head, by `attend` (given above);
# - `wrong_lines`: a set. Which lines of lecture 000's code, below, fail (9 words, hidden 8, 2 heads), as Python or by their shapes?

# %% folded="draws two heads" alt="Q, K and V are each cut into a left and a right half; each three halves go through a soft look-up of their own; the two results are joined and mixed by a matrix H."
drawings.two_heads()

# %% [markdown]
# ```
# 1  Q1 = x @ W_q1                             # [seq_len, hidden / 2]
# 2  h1 = softmax(Q1 @ K1.T) @ V1.T            # the output of the first head
# 3  h = [h1:h2] @ H                           # concatenate and mix them together
# 4  s = Q @ K.mT                              # all heads; the slide prints .T
# 5  h = softmax(s) @ V                        # [num_heads, seq_len, hidden / num_heads]
# 6  h = h.transpose(0, 1).reshape(1, 2)       # [seq_len, hidden]
# ```

# %% [markdown] hints="two_heads"
# 1. $e^{\ln 3} = 3$. And how wide is one head's query here, so what is $\sqrt{d_k}$?
# 2. By hand: each head sees one number of the query, of each key and of each value, and does a whole soft lookup with
#    these. For the lines: write the shape of both factors below each product.
# 3. Loop: cut the same columns out of all three, attend, collect; at the end one concatenation and one product.

# %% task="two_heads" points=4 level=2 minutes=20
# heads_by_hand = [number, number]
# wrong_lines = {numbers of the lines that cannot run}
### BEGIN SOLUTION
heads_by_hand = [7, 5]
wrong_lines = {2, 3, 6}
### END SOLUTION


def multihead_loop(Q, K, V, H, h):
    """[T, d] from Q, K, V: [T, d] and H: [d, d]; head l has the columns l * d/h up to (l + 1) * d/h."""
    ### BEGIN SOLUTION
    d_k, heads = Q.shape[1] // h, []
    for head in range(h):
        own = slice(head * d_k, (head + 1) * d_k)
        heads.append(attend(Q[:, own], K[:, own], V[:, own]))
    return torch.cat(heads, dim=1) @ H
    ### END SOLUTION


# %% test="two_heads" aspect="two heads by hand" points=1
assert np.shape(heads_by_hand) == (2,) and all(map(is_number, heads_by_hand)), (
    f"heads_by_hand holds two numbers; yours: {heads_by_hand!r}."
)
assert min(heads_by_hand) > 1, (
    f"Both numbers are averages of positive values, or sums of such; yours: {heads_by_hand!r}."
)
### BEGIN HIDDEN TESTS
_got = [float(_number) for _number in heads_by_hand]
_hint = "Weights 3/4, 1/4 in head 1 and 1/4, 3/4 in head 2."
if close(_got, [2, 5], 0, 0.01):
    _hint = "That is before H mixes the heads."
elif close(_got, [2, 7], 0, 0.01):
    _hint = "A row times H, not H times a column."
assert close(_got, [7, 5], 0, 0.01), f"Not {_got}. {_hint}"
### END HIDDEN TESTS

# %% test="two_heads" aspect="head by head" points=1
_sizes = [(5, 2, 3)]  # T, h, d_k
for _T, _h, _d_k in _sizes:
    _d = _h * _d_k
    _Q, _K, _V = (torch.randn(_T, _d).double() for _ in range(3))
    _got = multihead_loop(
        _Q.clone(), _K.clone(), _V.clone(), torch.eye(_d).double(), _h
    )
    assert np.shape(_got) == (_T, _d), f"Shape {_T, _d} wanted; yours: {_got!r}."
    for _l in range(_h):
        _own = slice(_l * _d_k, (_l + 1) * _d_k)
        for _t in range(_T):
            _a = np.exp((_K[:, _own] @ _Q[_t, _own]).numpy() / math.sqrt(_d_k))
            _wanted = _a @ _V[:, _own].numpy() / _a.sum()
            assert close(_got[_t][_own], _wanted, 1e-4, 1e-5), (
                f"H = I, h = {_h}, d = {_d}: word {_t}, columns of head {_l + 1} (of {_h}) are "
                "not softmax(QKᵀ/√(d/h))V of these columns."
            )
### BEGIN HIDDEN TESTS
_T, _h, _d_k = size("T"), size("h", most=5, large=16), size("d/h", most=5, large=16)
_d = made(lambda rng, h, d_k: h * d_k, _h, _d_k)
_Q, _K, _V = (tensor(_T, _d, kind="float64") for _ in range(3))
_I = made(lambda rng, d: torch.eye(d).double(), _d)
agrees(multihead_loop, ours.multihead_loop, _Q, _K, _V, _I, _h, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="two_heads" aspect="the mixing matrix" points=1
_Q, _V, _H = (
    torch.zeros(3, 4).double(),
    torch.randn(3, 4).double(),
    torch.randn(4, 4).double(),
)
_got = multihead_loop(_Q, _V.clone(), _V.clone(), _H.clone(), 2)
assert np.shape(_got) == (3, 4), f"Shape (3, 4) wanted; yours: {_got!r}."
_wanted = _V.mean(0) @ _H
assert close(_got[0], _wanted, 1e-4, 1e-5), (
    f"Queries of zeros: all heads average, then (mean of V) H = {_wanted}; yours: {_got[0]}."
)
### BEGIN HIDDEN TESTS
_T, _h, _d_k = size("T"), size("h", most=5, large=16), size("d/h", most=5, large=16)
_d = made(lambda rng, h, d_k: h * d_k, _h, _d_k)
_Q, _K, _V = (tensor(_T, _d, kind="float64") for _ in range(3))
_H = tensor(_d, _d, kind="float64")
agrees(multihead_loop, ours.multihead_loop, _Q, _K, _V, _H, _h, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="two_heads" aspect="lines that cannot run" points=1
assert isinstance(wrong_lines, set | list | tuple | frozenset | np.ndarray), (
    f"wrong_lines is a set; yours: {wrong_lines!r}."
)
assert {*wrong_lines} < {1, 2, 3, 4, 5, 6}, (
    f"Numbers of lines, and not of all six; yours: {wrong_lines!r}."
)
### BEGIN HIDDEN TESTS
assert not {*wrong_lines} - {2, 3, 6}, (
    "One of the lines that you name does run, as Python and with these shapes: try it with torch.zeros (softmax keeps a shape)."
)
assert {*wrong_lines} == {2, 3, 6}, (
    "A line that you do not name cannot run: is each Python as it stands? Then try it with torch.zeros of these shapes (softmax keeps a shape)."
)
### END HIDDEN TESTS
