# %% [markdown] statement="MultiHead"
# ## 12. The module, and what it weighs
#
# - `MultiHead(d, h)`: parts `q`, `k`, `v`, `out`, each `nn.Linear(d, d)`; `forward(x, mask=None)`: $x$ $[B, T, d]$; `mask`
#   $[T, T]$, True where a row may look at a column;
# - `from_torch(state)`: the state dict of `nn.MultiheadAttention(d, h)`, cut and renamed to fit yours;
# - `parameters(d, h, d_k, d_v)`: how many numbers all $W$ and $H$ hold, without biases;
# - `parameters_sliced(d, h)`: the same if each head, as in lecture 004, is given only its slice of $x$; no $H$.
#
# Chapter 7 stacks this layer. Use `attend`, `heads_apart` and `heads_together` (section 11, ours): then a slip there costs you
# only once.


# %%
def heads_apart(X, h):
    """[..., h, T, d / h] from X: [..., T, d]: section 11, ours."""
    return X.unflatten(-1, (h, -1)).transpose(-3, -2)


def heads_together(Z):
    """[..., T, d] from Z: [..., h, T, d / h]."""
    return Z.transpose(-3, -2).flatten(-2)


# %% [markdown] hints="MultiHead"
# 1. Print the names and shapes in torch's state dict. One name holds three matrices.
# 2. `nn.Linear` keeps its matrix transposed, and so does torch's module: nothing needs to be turned. `attend` has the argument
#    `attn_mask`, None or just such a mask.
# 3. Counting: a head has two matrices $[d, d_k]$ and one $[d, d_v]$; $H$ maps all $h d_v$ numbers to $d$. A slice has only $d/h$
#    numbers in and $d/h$ out.


# %% task="MultiHead" points=4 level=2 minutes=25
class MultiHead(nn.Module):
    """[B, T, d] from x: [B, T, d]; mask: None, or [T, T] with True where row may look at column."""

    ### BEGIN SOLUTION
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.out = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, mask=None):
        B, T, d = x.shape
        Q, K, V = (
            part(x).view(B, T, self.h, d // self.h).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        return self.out(
            attend(Q, K, V, attn_mask=mask).transpose(1, 2).reshape(B, T, d)
        )

    ### END SOLUTION


def from_torch(state):
    """State dict of a MultiHead: q.weight, q.bias, k.weight, ..., out.bias."""
    ### BEGIN SOLUTION
    mine = {"out.weight": state["out_proj.weight"], "out.bias": state["out_proj.bias"]}
    for kind in ("weight", "bias"):
        for name, part in zip("qkv", state[f"in_proj_{kind}"].chunk(3), strict=True):
            mine[f"{name}.{kind}"] = part
    return mine
    ### END SOLUTION


def parameters(d, h, d_k, d_v):
    """Numbers in h heads of widths d_k (queries, keys) and d_v (values), and in H."""
    ### BEGIN SOLUTION
    return h * d * (2 * d_k + d_v) + h * d_v * d
    ### END SOLUTION


def parameters_sliced(d, h):
    """Numbers in h heads that each see d / h numbers of a word only; no H."""
    ### BEGIN SOLUTION
    return h * 3 * (d // h) ** 2
    ### END SOLUTION


# %% test="MultiHead" aspect="equal to nn.MultiheadAttention" points=1
_sizes, _texts = [(6, 2)], [(3, 7)]  # d, h; B, T
_all = [
    f"{_name}.{_kind}"
    for _name in ("q", "k", "v", "out")
    for _kind in ("weight", "bias")
]
_pairs = []
for _d, _h in _sizes:
    _torch, _mine = nn.MultiheadAttention(_d, _h, batch_first=True), MultiHead(_d, _h)
    _s = {
        _name: torch.randn(_d, _d)[slice(None) if "w" in _name else 0] for _name in _all
    }
    _shapes = {
        _name: tuple(np.shape(_part))
        for _name, _part in dict(_mine.state_dict()).items()
    }
    assert _shapes == {_name: tuple(_part.shape) for _name, _part in _s.items()}, (
        f"q, k, v, out, each nn.Linear(d, d): {_shapes}?"
    )
    _mine.load_state_dict(_s)
    _in = {
        f"in_proj_{_k}": torch.cat([_s[f"{n}.{_k}"] for n in "qkv"])
        for _k in ("weight", "bias")
    }
    _out = {"out_proj.weight": _s["out.weight"], "out_proj.bias": _s["out.bias"]}
    _torch.load_state_dict(_in | _out)
    _pairs.append((_torch, _mine))
for (_d, _h), (_torch, _mine) in zip(_sizes, _pairs, strict=True):  # after all are made
    for _B, _T in _texts:
        _x = torch.randn(_B, _T, _d)
        _got, _wanted = _mine(_x.clone()), _torch(_x, _x, _x)[0]
        assert torch.is_tensor(_got), (
            "Without a mask, forward should return a tensor of shape "
            f"{tuple(_x.shape)}, not {_got!r}."
        )
        assert _got.shape == _x.shape, (
            f"Shape {tuple(_x.shape)} wanted; yours: {tuple(_got.shape)}."
        )
        assert close(_got, _wanted, 1e-3, 1e-3), (
            f"d = {_d}, h = {_h}, {_B} texts of {_T} words: same weights, other result "
            "than nn.MultiheadAttention."
        )
### BEGIN HIDDEN TESTS
_slopes = parameter_gradients(_mine, _x.clone())
_parts = [_name for _name in _all if _name != "k.bias"]  # which moves no weight
assert not [_name for _name in _parts if _slopes.get(_name) is None], (
    "Some of q, k, v, out cannot learn: the result does not depend on them for autograd."
)


def _called(MultiHead, d, h, state, x):
    model = MultiHead(d, h)
    MultiHead(2 * d, 2 * h)  # another one, made later
    model.load_state_dict(state)
    return [model(x), model.eval()(x)]


_B, _T, _h = size("B", large=None), size("T"), size("h", most=4, large=None)
_d = made(lambda rng, h, each: h * each, _h, size("d/h", most=4, large=8))
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
_before = _mine(_x.clone(), _mask.clone())
assert torch.is_tensor(_before) and _before.shape == _x.shape, (
    f"With a mask: shape {tuple(_x.shape)}; yours: {_before!r}."
)
for _j in range(_T):
    _other = _x.clone()
    _other[1, _j] += 2
    _moved = (_mine(_other, _mask.clone()) - _before).abs().amax(2) > 1e-6
    assert not _moved[0].any() and not _moved[2].any(), (
        "A word of the second text changed, and another text's result moved."
    )
    assert _moved[1].tolist() == _mask[:, _j].tolist(), (
        f"Word {_j} changed. Rows that may look at it: {_mask[:, _j].tolist()}; rows that moved: {_moved[1].tolist()}."
    )


### BEGIN HIDDEN TESTS
def _called(MultiHead, d, h, state, x, mask):
    model = MultiHead(d, h)
    model.load_state_dict(state)
    other = mask.mT | torch.eye(len(mask)).bool()
    return {
        mode: [getattr(model, mode)()(x, mask), model(x), model(x, other)]
        for mode in ("train", "eval")
    }


_B, _T, _h = size("B", large=None), size("T", large=100), size("h", most=4, large=None)
_d = made(lambda rng, h, each: h * each, _h, size("d/h", most=4, large=8))
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

# %% test="MultiHead" aspect="weights from torch" points=1
_d = 2
_state = {"in_proj_weight": torch.arange(3.0 * _d * _d).view(3 * _d, _d)}
_state |= {"in_proj_bias": torch.arange(3.0 * _d), "out_proj.weight": torch.eye(_d)}
_state |= {"out_proj.bias": torch.arange(7.0, 7 + _d)}
_got = from_torch({_name: _part.clone() for _name, _part in _state.items()})
_all = {
    f"{_name}.{_kind}"
    for _name in ("q", "k", "v", "out")
    for _kind in ("weight", "bias")
}
assert hasattr(_got, "keys") and {*_got} == _all, (
    f"from_torch returns a dict with {sorted(_all)}; yours: {_got!r}."
)
for _row, _name in enumerate("qkv"):
    _own = slice(_d * _row, _d * _row + _d)
    assert close(_got[f"{_name}.weight"], _state["in_proj_weight"][_own]), (
        f"{_name}.weight is not torch's rows from {_own.start} to {_own.stop - 1}."
    )
    assert close(_got[f"{_name}.bias"], _state["in_proj_bias"][_own]), (
        f"{_name}.bias is not {_got[f'{_name}.bias']}."
    )
for _kind in ("weight", "bias"):
    assert close(_got[f"out.{_kind}"], _state[f"out_proj.{_kind}"]), (
        f"out.{_kind} is not out_proj's."
    )
### BEGIN HIDDEN TESTS
_d = size("d")
_state = made(
    lambda rng, W, b: {
        "in_proj_weight": W[:3].flatten(0, 1),
        "in_proj_bias": b[:3].flatten(),
        "out_proj.weight": W[3],
        "out_proj.bias": b[3],
    },
    tensor(4, _d, _d),
    tensor(4, _d),
)
agrees(from_torch, ours.from_torch, _state)
### END HIDDEN TESTS

# %% test="MultiHead" aspect="parameters are counted" points=1
_got = parameters(4, 2, 3, 5), parameters_sliced(4, 2)
assert all(map(is_number, _got)), f"Both return a number; yours: {_got!r}."
assert _got[0] == 128, (
    f"d = 4, 2 heads, d_k = 3, d_v = 5: 2 · (12 + 12 + 20) + 10 · 4 = 128; yours: {_got[0]}."
)
assert _got[1] == 24, (
    f"Two slices of 2 numbers, three 2 × 2 matrices each: 24; yours: {_got[1]}."
)
### BEGIN HIDDEN TESTS
_h, _each = size("h"), size("d/h")
_d = made(lambda rng, h, each: h * each, _h, _each)
agrees(parameters, ours.parameters, _d, _h, size("d_k"), size("d_v"))
agrees(parameters_sliced, ours.parameters_sliced, _d, _h)
### END HIDDEN TESTS

# %%
eight = parameters(512, 8, 64, 64)
print(f"d = 512, 8 heads of 64: {eight:,} (W alone {eight - 512**2:,})")
print(f"1 head of 512:          {parameters(512, 1, 512, 512):,}")
print(f"sliced first:           {parameters_sliced(512, 8):,}")

# %%
set_seed(1)
full, sliced = (nn.MultiheadAttention(16, 4, batch_first=True) for _ in range(2))
blocks = torch.block_diag(*[torch.ones(4, 4)] * 4)  # each slice talks to itself only
sliced.in_proj_weight.data *= blocks.repeat(3, 1)
sliced.out_proj.weight.data = torch.eye(16)


# %%
def who_feeds_whom(layer, x):
    """|d output / d input| between the numbers of a word and those of all words, shape [d, d]."""
    slopes = torch.autograd.functional.jacobian(lambda x: layer(x, x, x)[0], x)
    return slopes.abs().sum((0, 1, 3, 4))


# %%
for name, layer in {"projected (the usual way)": full, "sliced": sliced}.items():
    heard = (who_feeds_whom(layer, torch.randn(1, 5, 16)) > 1e-9).sum(1)
    print(f"{name:26} an output number hears {set(heard.tolist())} input numbers")

# %% [markdown]
# In *parameters* heads cost nothing: eight of width 64 hold what one of 512 does (but have eight tables $P$). Slicing
# saves a factor $h$, but slices never speak to one another.
#
# <details><summary>Two slips in the printed slides</summary>
#
# Lecture 002's listing of this module indents nearly all of `forward` below `if mask is not None:`, so without a mask it
# returns None (next cell). Lectures 003 and 004 draw heads side by side without the matrix $H$ that mixes them.
# </details>


# %%
def forward_as_printed(x, mask=None):
    if mask is not None:
        mask = mask.unsqueeze(1)
        return attend(x, x, x, attn_mask=mask)


print("as indented, without a mask:", forward_as_printed(torch.ones(1, 2, 3)))

# %%
ladder(*[*RUNGS][:5])

# %% [markdown]
# Four heads of width 16 for one of 64, with as many parameters: a gain no larger than the spread of the seeds.
