# %% [markdown] statement="heads_at_once"
# ## 11. All heads at once
#
# Give the heads an axis of their own instead of a loop, and one batched product serves them all:
#
# - `split_heads(X, h)`: $[\dots, T, d] \to [\dots, h, T, d/h]$, where head $l$ holds the same columns as before;
# - `merge_heads(Z)`: back, $[\dots, h, T, d/h] \to [\dots, T, d]$;
# - `multihead(x, W_q, W_k, W_v, H, h)`: from $x$, $[\dots, T, d]$, and four matrices $[d, d]$, without a loop.
#
# "Transpose (not reshape!)", lecture 000 warns: the cell after the checks shows why.

# %% [markdown] hints="heads_at_once"
# 1. Number the entries of two words with $d = 4$ from 1 to 8, as they lie in memory. Which of them must head 2 get?
# 2. A reshape never changes the order in which numbers lie in memory. May one axis be cut into two without that? May two axes
#    swap places?
# 3. Cut the last axis in two (a reshape may do this), then swap two axes. To go back, do the opposite in the opposite order.


# %% task="heads_at_once" points=4 level=2 minutes=16
def split_heads(X, h):
    """[..., h, T, d / h] from X: [..., T, d]."""
    ### BEGIN SOLUTION
    return X.unflatten(-1, (h, X.shape[-1] // h)).transpose(-3, -2)
    ### END SOLUTION


def merge_heads(Z):
    """[..., T, d] from Z: [..., h, T, d / h]."""
    ### BEGIN SOLUTION
    return Z.transpose(-3, -2).flatten(-2)
    ### END SOLUTION


def multihead(x, W_q, W_k, W_v, H, h):
    """[..., T, d] from x: [..., T, d] and four matrices [d, d]."""
    ### BEGIN SOLUTION
    Q, K, V = (split_heads(x @ W, h) for W in (W_q, W_k, W_v))
    return merge_heads(attend(Q, K, V)) @ H
    ### END SOLUTION


# %% test="heads_at_once" aspect="each head its columns" points=1
_X = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
_got = split_heads(_X.clone(), 2)
assert np.shape(_got) == (2, 3, 2), (
    f"T = 3, d = 4, h = 2: shape (2, 3, 2); yours: {_got!r}."
)
assert close(_got[0], [[1, 2], [5, 6], [9, 10]], 0, 0), (
    f"Head 1 has the first two columns, [[1, 2], [5, 6], [9, 10]]; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
_T, _h, _d_k = size("T"), size("h", most=5, large=None), size("d/h", most=5, large=16)
_d = made(lambda rng, h, d_k: h * d_k, _h, _d_k)
_X = tensor(_T, _d, kind=choice("float32", "int64"))
agrees(split_heads, ours.split_heads, _X, _h)
### END HIDDEN TESTS

# %% test="heads_at_once" aspect="merged as it was" points=1
_Z = torch.tensor([[[1, 2], [5, 6], [9, 10]], [[3, 4], [7, 8], [11, 12]]])
_got = merge_heads(_Z.clone())
assert np.shape(_got) == (3, 4), (
    f"h = 2, T = 3, d/h = 2: shape (3, 4); yours: {_got!r}."
)
assert close(_got[0], [1, 2, 3, 4], 0, 0), (
    f"The first word has 1, 2 (head 1), then 3, 4; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
_T, _h, _d_k = size("T"), size("h", most=5, large=None), size("d/h", most=5, large=16)
_d = made(lambda rng, h, d_k: h * d_k, _h, _d_k)
_A, _B = size("texts", large=None), size("more texts", large=None)
for _lead in ((), (_A,), (_A, _B), (_A, 1, _B)):
    agrees(merge_heads, ours.merge_heads, tensor(*_lead, _h, _T, _d_k))
### END HIDDEN TESTS

# %% test="heads_at_once" aspect="batches stay apart" points=1
_X = torch.arange(2 * 3 * 4).view(2, 3, 4)
_got = split_heads(_X.clone(), 2)
assert np.shape(_got) == (2, 2, 3, 2), (
    f"[2, 3, 4] with 2 heads: (2, 2, 3, 2); yours: {_got!r}."
)
assert close(_got[1, 0], _X[1, :, :2], 0, 0), (
    "In the second text of a batch, head 1 has not the first two columns."
)
### BEGIN HIDDEN TESTS
_T, _h, _d_k = size("T"), size("h", most=5, large=None), size("d/h", most=5, large=16)
_d = made(lambda rng, h, d_k: h * d_k, _h, _d_k)
_A, _B = size("texts", large=None), size("more texts", large=None)
for _lead in ((_A,), (_A, _B), (_A, 1, _B)):
    agrees(split_heads, ours.split_heads, tensor(*_lead, _T, _d), _h)
### END HIDDEN TESTS

# %% test="heads_at_once" aspect="equal to the loop" points=1
_sizes = [((2,), 5, 3, 2)]  # leading axes, T, h, d/h
for _lead, _T, _h, _d_k in _sizes:
    _d = _h * _d_k
    _x, _W = (
        torch.randn(*_lead, _T, _d).double(),
        torch.randn(4, _d, _d).double() / math.sqrt(_d),
    )
    _got = multihead(_x.clone(), *(_M.clone() for _M in _W), _h)
    assert np.shape(_got) == _x.shape, (
        f"Shape {tuple(_x.shape)} wanted; yours: {_got!r}."
    )
    for _at in np.ndindex(_lead):
        _Q, _K, _V = ((_x[_at] @ _M).split(_d_k, dim=1) for _M in _W[:3])
        _A = [
            (_q @ _k.T / math.sqrt(_d_k)).softmax(1)
            for _q, _k in zip(_Q, _K, strict=True)
        ]
        _wanted = (
            torch.cat([_a @ _v for _a, _v in zip(_A, _V, strict=True)], dim=1) @ _W[3]
        )
        assert close(_got[_at], _wanted, 1e-4, 1e-5), (
            f"Leading axes, T, h, d/h = {_lead, _T, _h, _d_k}: text {_at} differs from the loop."
        )
### BEGIN HIDDEN TESTS
_T, _h, _d_k = size("T"), size("h", most=5, large=None), size("d/h", most=5, large=16)
_d = made(lambda rng, h, d_k: h * d_k, _h, _d_k)
_A, _B = size("texts", large=None), size("more texts", large=None)
for _lead in ((), (_A,), (_A, _B)):
    _inputs = [
        tensor(*_axes, kind="float64") for _axes in ((*_lead, _T, _d), *[(_d, _d)] * 4)
    ]
    agrees(multihead, ours.multihead, *_inputs, _h, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %%
X = torch.arange(1, 9).view(2, 4)  # 2 words, d = 4
print("words:", X.tolist())
print("split:", split_heads(X, 2).tolist())
print("reshape alone:", X.reshape(2, 2, 2).tolist())

# %%
q, K = torch.ones(1, 2), torch.eye(2) * math.log(3)
V, H = torch.tensor([[1.0, 2.0], [5.0, 6.0]]), torch.tensor([[1.0, 0.0], [1.0, 1.0]])
once = merge_heads(attend(*(split_heads(M, 2) for M in (q, K, V)))) @ H
print("by hand:", np.round([float(number) for number in heads_by_hand], 4))
print("loop:   ", multihead_loop(q, K, V, H, 2)[0].numpy().round(4))
print("at once:", once[0].numpy().round(4))

# %% [markdown]
# A reshape alone would give head 1 the whole first word and head 2 the second: the shapes fit, the numbers do not.
