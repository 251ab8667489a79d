# %% [markdown]
# ## 6. Several lookups at once
#
# Your network has a single lookup, and what a word finds by it is *one* weighted mean. The weights sum to 1, so if one word gets more, the others get less.
# Suppose that a word needs two things, one from the word before it and another from the far end of the story. With one lookup it must halve its attention,
# and it gets a mixture of the two. With two lookups it gets both. So let each word have several lookups of its own, and call each of them a **head**.
#
# A loop over the heads would be slow, because a computer prefers one large product to many small ones. So we make the heads an axis of the tensor. Your
# `masked_attention` works on the last two axes and leaves the ones in front alone, so it serves all heads in one go.
#
# How wide is a head? Let $H$ be the number of heads. The $C$ numbers of a query are shared out among them, and those of a key and of a value, too, so each head
# works with $D = C/H$ numbers. With 64 numbers and four heads, that is 16 numbers for each head.

# %% folded="draws two heads" alt="Q, K and V are each cut into a left and a right half; each three halves go through a soft look-up of their own; the two results are joined and mixed by a matrix."
drawings.two_heads()

# %% [markdown] statement="heads_at_once"
# ### Cut into heads, and put together again
#
# The drawing shows two heads: $Q$, $K$ and $V$ are cut into columns, each head looks up with its own columns, and the results are laid side by side again and
# mixed by a matrix.
#
# - `split_heads(X, heads)`: $[\dots, T, C] \to [\dots, H, T, D]$;
# - `merge_heads(Z)`: the way back, $[\dots, H, T, D] \to [\dots, T, C]$.
#
# There is a famous mistake here. It gives exactly the right shapes, raises no error, and mixes up words with heads. The cell below the checks shows it.

# %% [markdown] hints="heads_at_once"
# 1. Number the entries of two words with $C = 4$ from 1 to 8, as they lie in memory. Which of them must the second head get?
# 2. A reshape never changes the order in which numbers lie in memory. May one axis be cut into two without that? May two axes
#    swap places?
# 3. Cut the last axis in two (a reshape may do this), then swap two axes. To go back, do the opposite in the opposite order.


# %% task="heads_at_once" points=3 level=2 minutes=15
def split_heads(X, heads):
    """[..., H, T, D] from X: [..., T, C]; H is `heads`, D = C / H, and head 0 has the first D columns. Gradients pass."""
    ### BEGIN SOLUTION
    return X.unflatten(-1, (heads, X.shape[-1] // heads)).transpose(-3, -2)
    ### END SOLUTION


def merge_heads(Z):
    """[..., T, C] from Z: [..., H, T, D]. Gradients pass."""
    ### BEGIN SOLUTION
    return Z.transpose(-3, -2).flatten(-2)
    ### END SOLUTION


# %% test="heads_at_once" aspect="each head its columns" points=1
_X = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
_got = split_heads(_X.clone(), 2)
assert np.shape(_got) == (2, 3, 2), (
    f"T = 3, C = 4, H = 2: shape (2, 3, 2); yours: {_got!r}."
)
assert close(_got[0], [[1, 2], [5, 6], [9, 10]], 0, 0), (
    f"Head 0 has the first two columns, [[1, 2], [5, 6], [9, 10]]; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
_T, _h, _d_k = size("T"), size("H", most=5, large=None), size("D", most=5, large=16)
_d = made(lambda rng, h, d_k: h * d_k, _h, _d_k)
_X = tensor(_T, _d, kind=choice("float32", "int64"))
agrees(split_heads, ours.split_heads, _X, _h)
agrees(
    split_heads,
    ours.split_heads,
    tensor(_T, _d, kind="float64"),
    _h,
    by=gradients,
)
### END HIDDEN TESTS

# %% test="heads_at_once" aspect="merged as it was" points=1
_Z = torch.tensor([[[1, 2], [5, 6], [9, 10]], [[3, 4], [7, 8], [11, 12]]])
_got = merge_heads(_Z.clone())
assert np.shape(_got) == (3, 4), f"H = 2, T = 3, D = 2: shape (3, 4); yours: {_got!r}."
assert close(_got[0], [1, 2, 3, 4], 0, 0), (
    f"The first word has 1, 2 (head 0), then 3, 4; yours: {_got[0].tolist()}."
)
### BEGIN HIDDEN TESTS
_T, _h, _d_k = size("T"), size("H", most=5, large=None), size("D", most=5, large=16)
_d = made(lambda rng, h, d_k: h * d_k, _h, _d_k)
_A, _B = size("texts", large=None), size("more texts", large=None)
for _lead in ((), (_A,), (_A, _B), (_A, 1, _B)):
    agrees(merge_heads, ours.merge_heads, tensor(*_lead, _h, _T, _d_k))
agrees(merge_heads, ours.merge_heads, tensor(3, 3, 2))
agrees(merge_heads, ours.merge_heads, tensor(_h, _T, _d_k), by=gradients)
### END HIDDEN TESTS

# %% test="heads_at_once" aspect="batches stay apart" points=1
_X = torch.arange(2 * 3 * 4).view(2, 3, 4)
_got = split_heads(_X.clone(), 2)
assert np.shape(_got) == (2, 2, 3, 2), (
    f"[2, 3, 4] with 2 heads: (2, 2, 3, 2); yours: {_got!r}."
)
assert close(_got[1, 0], _X[1, :, :2], 0, 0), (
    "In the second text of a batch, head 0 has not the first two columns."
)
### BEGIN HIDDEN TESTS
_T, _h, _d_k = size("T"), size("H", most=5, large=None), size("D", most=5, large=16)
_d = made(lambda rng, h, d_k: h * d_k, _h, _d_k)
_A, _B = size("texts", large=None), size("more texts", large=None)
for _lead in ((_A,), (_A, _B), (_A, 1, _B)):
    agrees(split_heads, ours.split_heads, tensor(*_lead, _T, _d), _h)
### END HIDDEN TESTS

# %%
X = torch.arange(1, 9).view(2, 4)  # 2 words, C = 4
print("words:", X.tolist())
print("split, a row for each head:", split_heads(X, 2).tolist())
print("reshape alone:             ", X.reshape(2, 2, 2).tolist())

# %% [markdown]
# The first word is 1 2 3 4, and the second one is 5 6 7 8. In the second printed line, the first head has 1 2 and 5 6: the left half of both words. That is what
# we want. In the third line, the first head has 1 2 and 3 4, which is the whole first word, and the second head has the whole second word. The shapes fit, and
# everything is wrong.
#
# Now we can put the pieces together. Your layer gets one more ability, which chapter 09 will need: the words of one text may look at the words of *another* one.
# Think of a translator who writes English and looks at a German text in front of her. The words of the *English* text ask, with their queries. The words of the
# *German* text answer, with their keys and values. This is called **cross-attention**:

# %% folded="draws attention across texts" alt="The words the house ask with queries; das Haus brennt gives keys and values; the softmax of their products weighs the values, a row for each asking word."
drawings.cross_attention()

# %% [markdown] statement="MultiHead"
# ### The layer
#
# Write `MultiHead(C, heads)` with four linear maps $C \to C$, called `q`, `k`, `v` and `out`. Call your `split_heads`, `masked_attention` and `merge_heads`, and
# give what the heads bring back to `out`, which mixes it. Without a mask, everything may be seen.
#
# The layer is called as `layer(x, y)`: the words of a text $x$ $[B, m, C]$ look at the words of another text $y$ $[B, n, C]$. So queries come from $x$, and keys
# and values from $y$. If no $y$ is given, $x$ looks at itself, and in this chapter it always does.
#
# From here on, every attention network that you train in this chapter is built of your layer. The checks compare it with torch's own, given the same weights.

# %% [markdown] hints="MultiHead"
# 1. Of what shape must a mask be that allows everything: how many rows ask, and how many columns answer?
# 2. If `y` is None, let it be `x`. Then there is only one case left: queries from `x`, keys and values from `y`.
# 3. A mask $[m, n]$ fits scores $[B, H, m, n]$ by broadcasting. The four steps: map, split, attend, merge; and `out` at the end.


# %% task="MultiHead" points=3 level=2 minutes=25
class MultiHead(nn.Module):
    """Several heads: words of x [B, m, C] look at words of y [B, n, C], or at x itself if y is None -> [B, m, C].

    mask: None, or bools [m, n], True where a row may look at a column (also [B, 1, m, n], or what else fits [B, H, m, n]).
    """

    def __init__(self, C, heads):
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(C, C) for _ in range(4))
        ### END SOLUTION

    def forward(self, x, y=None, mask=None):
        ### BEGIN SOLUTION
        y = x if y is None else y
        if mask is None:
            mask = torch.ones(x.shape[1], y.shape[1], dtype=torch.bool, device=x.device)
        Q = split_heads(self.q(x), self.heads)
        K = split_heads(self.k(y), self.heads)
        V = split_heads(self.v(y), self.heads)
        return self.out(merge_heads(masked_attention(Q, K, V, mask)))
        ### END SOLUTION


# %% test="MultiHead" aspect="equal to nn.MultiheadAttention" points=1
_d, _h, _B, _T = 6, 2, 3, 7
_names = ("q", "k", "v", "out")
_all = [f"{_name}.{_kind}" for _name in _names for _kind in ("weight", "bias")]
_torch, _mine = nn.MultiheadAttention(_d, _h, batch_first=True), MultiHead(_d, _h)
_s = {_name: torch.randn(_d, _d)[slice(None) if "w" in _name else 0] for _name in _all}
_shapes = {
    _name: tuple(np.shape(_part)) for _name, _part in dict(_mine.state_dict()).items()
}
assert _shapes == {_name: tuple(_part.shape) for _name, _part in _s.items()}, (
    f"q, k, v, out, each nn.Linear(C, C), and nothing else: yours has {_shapes}."
)
_mine.load_state_dict(_s)
_in = {
    f"in_proj_{_k}": torch.cat([_s[f"{n}.{_k}"] for n in "qkv"])
    for _k in ("weight", "bias")
}
_out = {"out_proj.weight": _s["out.weight"], "out_proj.bias": _s["out.bias"]}
_torch.load_state_dict(_in | _out)
_x = torch.randn(_B, _T, _d)
_got, _wanted = _mine(_x.clone()), _torch(_x, _x, _x)[0]
assert torch.is_tensor(_got), (
    f"Without a mask, forward should return a tensor of shape {tuple(_x.shape)}, not {_got!r}."
)
assert _got.shape == _x.shape, (
    f"Shape {tuple(_x.shape)} wanted; yours: {tuple(_got.shape)}."
)
assert close(_got, _wanted, 1e-3, 1e-3), (
    f"C = {_d}, {_h} heads, {_B} texts of {_T} words: same weights, other result than nn.MultiheadAttention."
)
### BEGIN HIDDEN TESTS
_slopes = parameter_gradients(_mine, _x.clone())
_parts = [_name for _name in _all if _name != "k.bias"]  # which moves no weight
assert not [_name for _name in _parts if _slopes.get(_name) is None], (
    "Some of q, k, v, out cannot learn: the result does not depend on them for autograd."
)


@beside_the_answer
def _called(MultiHead, d, h, state, x):
    model = MultiHead(d, h)
    MultiHead(2 * d, 2 * h)  # another one, made later
    model.load_state_dict(state)
    return [model(x), model.eval()(x)]


_B, _T, _h = size("B", large=None), size("T"), size("H", most=4, large=16)
_d = made(lambda rng, h, each: h * each, _h, size("D", most=4, large=8))
_state = made(
    lambda rng, W, b: {
        f"{_name}.{_kind}": _part[i]
        for _kind, _part in (("weight", W), ("bias", b))
        for i, _name in enumerate(("q", "k", "v", "out"))
    },
    tensor(4, _d, _d, scale=0.5),
    tensor(4, _d),
)
_given = _d, _h, _state, tensor(_B, _T, _d)
agrees(MultiHead, ours.MultiHead, *_given, by=_called, rtol=1e-3, atol=1e-3)
### END HIDDEN TESTS

# %% test="MultiHead" aspect="masked words are unseen" points=1
_d, _h, _mask = 6, 2, [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1]]
_mask = torch.tensor(_mask).bool()
_T, _mine = len(_mask), MultiHead(_d, _h)
_x = torch.randn(3, _T, _d)
_before = _mine(_x.clone(), mask=_mask.clone())
assert torch.is_tensor(_before) and _before.shape == _x.shape, (
    f"With a mask: shape {tuple(_x.shape)}; yours: {_before!r}."
)
for _j in range(_T):
    _other = _x.clone()
    _other[1, _j] += 2
    _moved = (_mine(_other, mask=_mask.clone()) - _before).abs().amax(2) > 1e-6
    assert not _moved[0].any() and not _moved[2].any(), (
        "A word of the second text changed, and another text's result moved."
    )
    assert _moved[1].tolist() == _mask[:, _j].tolist(), (
        f"Word {_j} changed. Rows that may look at it: {_mask[:, _j].tolist()}; rows that moved: {_moved[1].tolist()}."
    )


### BEGIN HIDDEN TESTS
@beside_the_answer
def _called(MultiHead, d, h, state, x, mask):
    model = MultiHead(d, h)
    model.load_state_dict(state)
    other = mask.mT | torch.eye(len(mask)).bool()
    return {
        mode: [getattr(model, mode)()(x, mask=mask), model(x), model(x, mask=other)]
        for mode in ("train", "eval")
    }


_B, _T, _h = size("B", large=None), size("T", large=100), size("H", most=4, large=None)
_d = made(lambda rng, h, each: h * each, _h, size("D", most=4, large=8))
_state = made(
    lambda rng, W, b: {
        f"{_name}.{_kind}": _part[i]
        for _kind, _part in (("weight", W), ("bias", b))
        for i, _name in enumerate(("q", "k", "v", "out"))
    },
    tensor(4, _d, _d, scale=0.5),
    made(lambda rng, b: b + torch.tensor([[20.0], [-20], [0], [0]]), tensor(4, _d)),
)
_mask = made(  # each row sees one at least
    lambda rng, T, mask: (
        mask | torch.eye(T).bool()[[rng.randrange(T) for _ in range(T)]]
    ),
    _T,
    truths(_T, _T),
)
_given = _d, _h, _state, tensor(_B, _T, _d), _mask
agrees(MultiHead, ours.MultiHead, *_given, by=_called, rtol=1e-3, atol=1e-3)
### END HIDDEN TESTS

# %% test="MultiHead" aspect="another text answers" points=1
_d, _h, _m, _n = 6, 3, 2, 5
_mine, _x, _y = MultiHead(_d, _h), torch.randn(2, _m, _d), torch.randn(2, _n, _d)
_got = _mine(_x.clone(), _y.clone())
assert np.shape(_got) == (2, _m, _d), (
    f"{_m} words look at {_n} words of another text: shape {2, _m, _d}; yours: {np.shape(_got)}."
)
_other = _y.clone()
_other[0, 3] += 2
_moved = (_mine(_x.clone(), _other) - _got).abs().amax(2) > 1e-6
assert _moved.tolist() == [[True, True], [False, False]], (
    "A word of y changed in the first text: both words of x there should notice, and the second text should not. "
    "Keys and values come from y."
)


### BEGIN HIDDEN TESTS
@beside_the_answer
def _called(MultiHead, d, h, state, x, y, lengths):
    model = MultiHead(d, h)
    model.load_state_dict(state)
    real = (torch.arange(y.shape[1]) < lengths[:, None])[:, None, None]
    loud = torch.where(real[:, 0, 0, :, None], y, 9.0)
    seen = [model(z, loud, real.expand(-1, 1, z.shape[1], -1)) for z in (x, y)]
    return [model(x, y), model(x, loud, real), *seen, model(x), model(y, x)]


_B, _m, _n = size("B", large=None), size("m", large=None), size("n", large=70)
_h = size("H", most=4, large=None)
_d = made(lambda rng, h, each: h * each, _h, size("D", most=4, large=8))
_state = made(
    lambda rng, W, b: {
        f"{_name}.{_kind}": _part[i]
        for _kind, _part in (("weight", W), ("bias", b))
        for i, _name in enumerate(("q", "k", "v", "out"))
    },
    tensor(4, _d, _d, scale=0.5),
    tensor(4, _d),
)
_lengths = made(lambda rng, n, lengths: 1 + lengths % n, _n, ids(_B, below=99))
_given = _d, _h, _state, tensor(_B, _m, _d), tensor(_B, _n, _d), _lengths
agrees(MultiHead, ours.MultiHead, *_given, by=_called, rtol=1e-3, atol=1e-3)
### END HIDDEN TESTS
