# %% [markdown] statement="cross_attention"
# ## 14. Words that are not there, words of another text
#
# Texts of a batch differ in length and are filled up with **padding**, which must never answer. And a translator's new
# sentence asks the *source* sentence: in **cross-attention** queries come from $x$ $[B, m, d]$, keys and values from
# another text $y$ $[B, n, d]$.
#
# - `padding_mask(lengths, n)`: bool $[B, n]$, True at the first `lengths[b]` places of text $b$; `lengths`: tensor of $B$
#   whole numbers from 0 to $n$;
# - `cross_attention(x, y, lengths, W_q, W_k, W_v, H, h)`, $[B, m, d]$: each word of $x$ looks up with $h$ heads among the
#   words of $y$, not its padding; all maps $[d, d]$. A text of length 0 answers zeros.
#
# `attend`, `heads_apart` and `heads_together` are given.

# %% folded="draws attention across texts" alt="The words the house ask with queries; das Haus brennt gives keys and values; the softmax of their products weighs the values, a row for each asking word."
drawings.cross_attention()

# %% [markdown] hints="cross_attention"
# 1. Whose rows must the result have? Then whose rows does a query come from, and which axis of the scores does padding concern?
# 2. A comparison of `torch.arange(n)` with the lengths can make the whole mask at once: which of the two needs a second axis?
# 3. Scores have the shape $[B, h, m, n]$, the mask $[B, n]$: put in two axes. The rest is section 11 with two texts. And what is
#    the softmax of a row in which nothing is allowed?


# %% task="cross_attention" points=4 level=2 minutes=20
def padding_mask(lengths, n):
    """Bools [B, n]: True at the first lengths[b] places of text b; lengths: tensor [B]."""
    ### BEGIN SOLUTION
    return torch.arange(n, device=lengths.device) < lengths[:, None]
    ### END SOLUTION


def cross_attention(x, y, lengths, W_q, W_k, W_v, H, h):
    """[B, m, d]: x: [B, m, d] asks the first lengths[b] words of y: [B, n, d], with h heads."""
    ### BEGIN SOLUTION
    Q, K, V = (heads_apart(X, h) for X in (x @ W_q, y @ W_k, y @ W_v))
    real = padding_mask(lengths, y.shape[1])[:, None, None]  # [B, 1, 1, n]
    Z = attend(Q, K, V, attn_mask=real)
    Z = Z.masked_fill((lengths == 0)[:, None, None, None], 0)
    return heads_together(Z) @ H
    ### END SOLUTION


# %% test="cross_attention" aspect="padding is marked" points=1
_lengths, _n = [2, 0, 3], 4
_got = padding_mask(torch.tensor(_lengths), _n)
assert torch.is_tensor(_got) and _got.dtype == torch.bool, (
    f"padding_mask returns a tensor of bools; yours: {_got!r}."
)
assert _got.tolist() == [[j < _length for j in range(_n)] for _length in _lengths], (
    f"Lengths {_lengths}, n = {_n}: True at the words; yours: {_got.int().tolist()}."
)
### BEGIN HIDDEN TESTS
_B, _n = size("B"), size("n", large=150)
_lengths = made(lambda rng, n, lengths: lengths % (n + 1), _n, ids(_B, below=302))
agrees(padding_mask, ours.padding_mask, _lengths, _n, strict=True)
### END HIDDEN TESTS

# %% test="cross_attention" aspect="another text answers" points=1
_sizes = [(2, 3, 5, 2, 3)]  # B, m, n, h, d / h
for _B, _m, _n, _h, _d_k in _sizes:
    _d = _h * _d_k
    _x, _y = torch.randn(_B, _m, _d).double(), torch.randn(_B, _n, _d).double()
    _W = torch.randn(4, _d, _d).double()
    _full = torch.full((_B,), _n)
    _got = cross_attention(
        _x.clone(), _y.clone(), _full, *(_M.clone() for _M in _W), _h
    )
    assert np.shape(_got) == (_B, _m, _d), (
        f"{_m} words ask {_n} words: shape {_B, _m, _d}; yours: {np.shape(_got)}."
    )
    for _b in range(_B):
        _heads = []
        for _l in range(_h):
            _own = slice(_l * _d_k, (_l + 1) * _d_k)
            _Q, _K = _x[_b] @ _W[0][:, _own], _y[_b] @ _W[1][:, _own]
            _P = (_Q @ _K.T / math.sqrt(_d_k)).softmax(1)
            _heads.append(_P @ (_y[_b] @ _W[2][:, _own]))
        assert close(_got[_b], torch.cat(_heads, 1) @ _W[3], 1e-4, 1e-5), (
            f"No padding, B, m, n, h, d/h = {_B, _m, _n, _h, _d_k}: text {_b} gets "
            "another answer than head by head. Who asks, who answers?"
        )
### BEGIN HIDDEN TESTS
_B, _m, _n = size("B", large=None), size("m", large=None), size("n")
_h, _each = size("h", most=4, large=None), size("d/h", most=4, large=None)
_d = made(lambda rng, h, each: h * each, _h, _each)
_W = [tensor(_d, _d, kind="float64") for _ in range(4)]
_x, _y = tensor(_B, _m, _d, kind="float64"), tensor(_B, _n, _d, kind="float64")
_lengths = made(lambda rng, B, n: torch.full((B,), n), _B, _n)
_given = _x, _y, _lengths, *_W, _h
agrees(cross_attention, ours.cross_attention, *_given, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="cross_attention" aspect="padding is unseen" points=1
_lengths, _h, _d, _loud = [3, 1], 2, 4, 5.0
_B, _n, _lengths = len(_lengths), 5, torch.tensor(_lengths)
_x, _y = torch.randn(_B, 2, _d).double(), torch.randn(_B, _n, _d).double()
_W = torch.randn(4, _d, _d).double()
_got = cross_attention(_x.clone(), _y.clone(), _lengths.clone(), *_W, _h)
assert np.shape(_got) == (_B, 2, _d), (
    f"Shape {_B, 2, _d} wanted; yours: {np.shape(_got)}."
)
_other = _y.clone()
for _b, _length in enumerate(_lengths.tolist()):
    _other[_b, _length:] = _loud * torch.randn(_n - _length, _d).double()
_moved = cross_attention(_x.clone(), _other, _lengths.clone(), *_W, _h)
assert close(_moved, _got, 1e-6, 1e-6), (
    "Other numbers in the padding, and the result moves: padding is heard."
)
### BEGIN HIDDEN TESTS
_B, _m, _n = size("B", large=None), size("m", large=None), size("n")
_h, _each = size("h", most=4, large=None), size("d/h", most=4, large=None)
_d = made(lambda rng, h, each: h * each, _h, _each)
_W = [tensor(_d, _d, kind="float64") for _ in range(4)]
_lengths = made(
    lambda rng, n, lengths: lengths % (n + 1),
    _n,
    ids(_B, below=41),
    edges=[lambda rng, n, lengths: n * (torch.arange(len(lengths)) % 3 != 1)],
)
_x = tensor(_B, _m, _d, kind="float64")
_y = made(  # in the padding stand large numbers
    lambda rng, y, lengths: torch.where(
        ours.padding_mask(lengths, y.shape[1])[..., None], y, 100 * y
    ),
    tensor(_B, _n, _d, kind="float64"),
    _lengths,
)
_given = _x, _y, _lengths, *_W, _h
agrees(cross_attention, ours.cross_attention, *_given, rtol=1e-4, atol=1e-5)
_x, _y, _I = (torch.tensor(_one) for _one in ([[[40.0]]], [[[-30.0], [0]]], [[1.0]]))
_got = cross_attention(_x, _y, torch.tensor([1]), _I, _I, _I, _I, 1)
assert close(_got, [[[-30]]], 1e-5), (
    f"One word with the score -1200, and padding with 0: the word's -30; yours: {_got}."
)
### END HIDDEN TESTS

# %% test="cross_attention" aspect="equal to nn.MultiheadAttention" points=1
_d, _h, _lengths, _n = 4, 2, [2, 3], 3
### BEGIN HIDDEN TESTS
_d, _h, _lengths, _n = 12, 3, [4, 6, 1, 3], 6
### END HIDDEN TESTS
_torch = nn.MultiheadAttention(_d, _h, bias=False, batch_first=True)
_W = [_part.T for _part in _torch.in_proj_weight.detach().chunk(3)]
_W.append(_torch.out_proj.weight.detach().T)
_x, _y = torch.randn(len(_lengths), 5, _d), torch.randn(len(_lengths), _n, _d)
_forbidden = torch.tensor([[j >= _length for j in range(_n)] for _length in _lengths])
_wanted = _torch(_x, _y, _y, key_padding_mask=_forbidden)[0].detach()
_got = cross_attention(
    _x.clone(), _y.clone(), torch.tensor(_lengths), *(_M.clone() for _M in _W), _h
)
assert np.shape(_got) == tuple(_x.shape), (
    f"Shape {tuple(_x.shape)} wanted; yours: {np.shape(_got)}."
)
assert close(_got, _wanted, 1e-3, 1e-4), (
    f"d = {_d}, h = {_h}, lengths {_lengths}: with the same weights not what "
    "nn.MultiheadAttention(x, y, y, key_padding_mask) computes."
)

# %%
torch.manual_seed(1)
P = torch.softmax(torch.randn(4, 6), dim=-1)
print("each row of P sums to", P.sum(1).numpy().round(2))
print("after dropout of 0.2  ", F.dropout(P, 0.2).sum(1).numpy().round(2))
many = torch.stack([F.dropout(P, 0.2).sum(1) for _ in range(5000)])
print("mean of 5,000 dropouts", many.mean(0).numpy().round(2))

# %% [markdown]
# While training, lecture 002's listing also applies **dropout** to the weights: some are set to 0 at random, the others grow to make up
# for it. A row sums to 1 only on average. No word should come to rely on a single other.
