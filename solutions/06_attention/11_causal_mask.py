# %% [markdown] statement="masked_attention"
# ## 13. Words that must not be seen
#
# A model that guesses the next word must not see it. Where a word may not look, the score becomes $-\infty$ before the
# softmax: $e^{-\infty} = 0$. So *one* pass trains the guesses at all places of a text, and none sees its answer.
#
# - first predict each key's weight in a row with all four forbidden: filled with $-10^9$, as in lecture 002
#   (`weight_1e9`), and with $-\infty$ (`weight_inf`);
# - `causal_mask(T)`, bool $[T, T]$: row $i$ may look at columns $\le i$;
# - `masked_attention(Q, K, V, mask)`, written out, for shapes $[\dots, m, d_k]$, $[\dots, n, d_k]$, $[\dots, n, d_v]$ and
#   $[m, n]$. A row that may look nowhere gives *zeros*.

# %% folded="draws four masks" alt="Four square grids: full has no crosses, causal has crosses above the diagonal, padding in its last columns, banded everywhere except near the diagonal."
drawings.masks()

# %% [markdown] hints="masked_attention"
# 1. What does the softmax make of four equal numbers? And what is $-\infty - (-\infty)$, which it computes on the way?
# 2. `torch.tril` keeps what is on and below the diagonal.
# 3. Fill, softmax over the last axis; then put zeros in the rows where the mask has no True at all, before or after the product
#    with $V$. "Not a number" is `math.nan`.

# %% task="masked_attention" points=4 level=2 minutes=17
# weight_1e9 = a number
# weight_inf = a number
### BEGIN SOLUTION
weight_1e9 = 0.25
weight_inf = math.nan
### END SOLUTION


def causal_mask(T):
    """Tensor of bools, [T, T]: True where row i may look at column j."""
    ### BEGIN SOLUTION
    return torch.ones(T, T, dtype=torch.bool).tril()
    ### END SOLUTION


def masked_attention(Q, K, V, mask):
    """[..., m, d_v]; mask: bool [m, n], True = may look. Zeros where a row may look nowhere."""
    ### BEGIN SOLUTION
    S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
    A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
    return A @ V
    ### END SOLUTION


# %% test="masked_attention" aspect="on and below the diagonal" points=1
_got = causal_mask(3)
assert torch.is_tensor(_got) and _got.dtype == torch.bool, (
    f"causal_mask returns a tensor of bools; yours: {_got!r}."
)
assert _got.tolist() == [
    [True, False, False],
    [True, True, False],
    [True, True, True],
], f"Each word sees itself and those before it; yours: {_got.int().tolist()}."
### BEGIN HIDDEN TESTS
agrees(causal_mask, ours.causal_mask, size("T", large=600), strict=True)
### END HIDDEN TESTS

# %% test="masked_attention" aspect="only what may be seen" points=1
_sizes = [((2,), 3, 4, 1)]  # leading axes, n, m, size of the scores
for _lead, _n, _m, _large in _sizes:
    _Q, _K, _V = (
        torch.randn(*_lead, *_s).double() for _s in ((_n, 5), (_m, 5), (_m, 3))
    )
    _mask = torch.rand(_n, _m) < 0.5
    _mask[:, 1], _mask[0, 2], _mask[1:, 3] = True, False, False
    if _large > 1:  # what is seen scores about -2 * _large, a forbidden key 0
        _Q[..., 0], _K[..., 0] = 20, torch.rand(*_lead, _m) - 0.22 * _large
        _K[..., 3, 0] *= _large > 1000  # beyond, all scores are alike
    _got = masked_attention(_Q.clone(), _K.clone(), _V.clone(), _mask.clone())
    assert np.shape(_got) == (*_lead, _n, 3), (
        f"Shape {(*_lead, _n, 3)} wanted; yours: {_got!r}."
    )
    for _at in np.ndindex(_lead):
        for _i in range(_n):
            _seen = [j for j in range(_m) if _mask[_i, j]]
            _s = np.array(
                [(_Q[_at][_i] @ _K[_at][j]).item() / math.sqrt(5) for j in _seen]
            )
            _e = np.exp(_s - _s.max())
            _wanted = _e @ _V[_at][_seen].numpy() / _e.sum()
            assert close(_got[_at][_i], _wanted, 1e-4, 1e-5), (
                f"A query that may see keys {_seen} (of {_m}; scores from {_s.min():.1f} to "
                f"{_s.max():.1f}) should get {_wanted.tolist()}; yours: {_got[_at][_i].tolist()}."
            )
### BEGIN HIDDEN TESTS
_n, _m, _d_k, _d_v = (
    size("n"),
    size("m"),
    size("d_k", large=None),
    size("d_v", large=None),
)
_mask = made(  # each query may see one key at least
    lambda rng, n, m, mask: mask | torch.eye(m).bool()[[rng.randrange(m)] * n],
    _n,
    _m,
    truths(_n, _m),
)
for _lead in ((), (size("texts", large=None), 2)):
    _Q, _K = (  # the last numbers add the same to all scores
        made(
            lambda rng, X, last: torch.cat([X, torch.full_like(X[..., :1], last)], -1),
            tensor(*_lead, _length, _d_k, kind="float64"),
            _last,
        )
        for _length, _last in ((_n, 1000), (_m, number(-200, 60, (0,))))
    )
    _given = _Q, _K, tensor(*_lead, _m, _d_v, kind="float64"), _mask
    agrees(masked_attention, ours.masked_attention, *_given, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="masked_attention" aspect="a row that sees nothing" points=1
_Q, _K, _V = (torch.randn(3, 4).double() for _ in range(3))
_mask = torch.tensor([[1, 1, 0], [0, 0, 0], [1, 1, 1]]).bool()
_got = masked_attention(_Q.clone(), _K.clone(), _V.clone(), _mask.clone())
assert np.shape(_got) == (3, 4), f"Shape (3, 4) wanted; yours: {_got!r}."
assert close(_got[1], [0, 0, 0, 0]), (
    f"Row 1 may look nowhere: zeros; yours: {_got[1].tolist()}."
)
assert close(_got[2], attend(_Q, _K, _V)[2], 1e-4, 1e-5), (
    "Row 2 may look everywhere, but is not plain attention."
)
### BEGIN HIDDEN TESTS
_n, _m, _d_k, _d_v = (
    size("n"),
    size("m"),
    size("d_k", large=None),
    size("d_v", large=None),
)
_mask = made(lambda rng, rows, mask: rows & mask, truths(_n, 1), truths(_n, _m))
for _lead in ((), (size("texts", large=None),), (1, size("texts", large=None))):
    _Q, _K, _V = (
        tensor(*_lead, *_axes, kind="float64")
        for _axes in ((_n, _d_k), (_m, _d_k), (_m, _d_v))
    )
    _given = _Q, _K, _V, _mask
    agrees(masked_attention, ours.masked_attention, *_given, rtol=1e-4, atol=1e-5)
for _m in (256, 300):
    _V, _mask = torch.arange(float(_m))[:, None], torch.ones(1, _m).bool()
    _got = masked_attention(torch.zeros(1, 2), torch.zeros(_m, 2), _V, _mask)
    assert close(_got, [[(_m - 1) / 2]], 1e-4), (
        f"A row that sees {_m} keys with equal scores: the mean of the values; yours: {_got}."
    )
### END HIDDEN TESTS

# %% test="masked_attention" aspect="the two fillings" points=1
assert is_number(weight_1e9), f"weight_1e9 should be a number, not {weight_1e9!r}."
assert (
    is_number(weight_inf) or np.shape(weight_inf) == () and weight_inf != weight_inf
), f"weight_inf should be a number, perhaps math.nan, not {weight_inf!r}."
### BEGIN HIDDEN TESTS
assert close(weight_1e9, 0.25, 1e-5), (
    f"With -1e9 everywhere a weight is not {weight_1e9}: what of equal scores?"
)
assert math.isnan(weight_inf), (
    f"With -inf everywhere a weight is not {weight_inf}: work out -inf minus -inf."
)
### END HIDDEN TESTS

# %%
for fill in (-1e9, -math.inf):
    print(f"{fill}: weights {torch.full((4,), fill).softmax(0).tolist()}")

# %%
Q, K, V = torch.randn(3, 1, 2, 256, 32).unbind()
allowed = torch.ones(256, 256).tril().bool()
masks = {"True or False": {"attn_mask": allowed}, "is_causal": {"is_causal": True}}
added = torch.zeros(256, 256).masked_fill(~allowed, -math.inf)
masks["0 or -inf, added to the scores"] = {"attn_mask": added}
yours = masked_attention(Q, K, V, allowed)
for name, mask in masks.items():
    same = close(attend(Q, K, V, **mask), yours, 1e-5, 1e-5)
    print(f"torch's function, {name}: the same as yours {same}")

# %% [markdown]
# (A trap: `nn.MultiheadAttention` reads a True in its masks as *forbidden*, and
# `scaled_dot_product_attention` as *allowed*.) What does torch's function buy, then?


# %%
def kept_for_backward(function, *inputs):
    """MiB that autograd keeps for the way back."""
    kept = {}
    inputs = [x.clone().requires_grad_(True) for x in inputs]
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: kept.setdefault(t.data_ptr(), t), lambda t: t
    ):
        function(*inputs)
    return sum(t.untyped_storage().nbytes() for t in kept.values()) / 2**20


# %%
sizes = (128, 256, 512, 1024)
inputs = [torch.randn(3, 1, 4, n, 32).unbind() for n in sizes]


def written_out(Q, K, V):
    return masked_attention(Q, K, V, torch.ones(Q.shape[-2], Q.shape[-2]).tril().bool())


def fused(Q, K, V):
    return attend(Q, K, V, is_causal=True)


# %%
# NBVAL_IGNORE_OUTPUT
# (times differ from run to run)
rows = {}
for name, way in {"yours": written_out, "torch's": fused}.items():
    times = [[milliseconds(way, *x) for _ in range(3)] for x in inputs]
    rows[f"{name}, ms"] = [f"{min(tries):.2f} to {max(tries):.2f}" for tries in times]
    rows[f"{name}, MiB kept"] = [f"{kept_for_backward(way, *x):.2f}" for x in inputs]
columns = [f"n = {n:,}" for n in sizes]
print(pd.DataFrame.from_dict(rows, orient="index", columns=columns).to_string())

# %% [markdown]
# Torch's function (*flash attention*, T. Dao and others, 2022) works block by block and never stores the $n \times n$
# weights: when $n$ doubles, what it keeps for the backward pass doubles, what ours keeps grows nearly fourfold. (Times:
# least and most of three.) With scores of 0 a causal mask leaves the mean of all words so far: section 7's second model.
