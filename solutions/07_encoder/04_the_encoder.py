# %% [markdown]
# ## 4. The encoder, and torch's
#
# Chapter 6's `MultiHead(C, h)` takes a mask that tells which words may be looked at (True: may). Here it comes ready-made from `lmkit`, with `from_torch`,
# which renames the weights of torch's attention so that `MultiHead` can load them. `Layer` has the parts of your block, and its `forward` is the same with a
# mask. (Training often adds **drop-out** to each branch, as in Silvestri's code; ours has none.)


# %%
class Layer(Block):
    """One layer of an encoder: your pre-norm block, whose attention is told a mask."""

    def forward(self, x, mask=None):
        x = x + self.attention(self.attention_norm(x), mask)
        return x + self.feed_forward(self.feed_forward_norm(x))


def layer_of(C, h):
    return Layer(C, MultiHead(C, h), FeedForward(C))


# %% [markdown]
# An encoder is $N$ such layers, one after the other. Silvestri's lecture makes them by `copy.deepcopy`: they begin with equal numbers, but *share* none, so each learns for itself. One last norm follows, since in pre-norm nothing has
# normalised the stream itself.
#
# torch has such a layer, `nn.TransformerEncoderLayer` (`norm_first=True` for pre-norm). With the same weights it must give the same numbers. But torch's
# weights have other names, and those of queries, keys and values stand together in one matrix, the `in_proj_weight` of shape $[3C, C]$:

# %%
theirs = nn.TransformerEncoderLayer(8, 2, 32, 0.0, "gelu", norm_first=True)
for name, part in theirs.state_dict().items():
    print(f"{name:24} {list(part.shape)}")

# %% [markdown] statement="Encoder"
# - `clones(module, N)`: an `nn.ModuleList` of $N$ deep copies of `module` (none for $N = 0$). Nothing is shared, neither among them nor with `module`.
# - `Encoder(layer, N, C)`: keeps $N$ clones of `layer` as `layers` and an `nn.LayerNorm(C)` as `norm`. `forward(x, mask=None)`, $[B, T, C] \to [B, T, C]$: one layer after the other, each called as `layer(x, mask)`; then the norm, once.
# - `copied(state)`: from the state dict of torch's layer a dict with `Layer`'s names: `attention_norm`, `feed_forward_norm`, `attention.q`, `.k`, `.v`,
#   `.out`, `feed_forward.up` and `.down`, each with `.weight` and `.bias`. `from_torch` does this for the attention part: give it a dict with the keys
#   `in_proj_weight`, `in_proj_bias`, `out_proj.weight` and `out_proj.bias` (without `self_attn.` in front), and it returns one with `q.weight`, `q.bias` and
#   so on.

# %% [markdown] hints="Encoder"
# 1. `copy.deepcopy` copies a module with all that is in it. And a list that torch does not know hides its modules.
# 2. Which of torch's two norms stands before attention? In the state dict they come by number.
# 3. For `copied`, `from_torch` gives you eight of sixteen entries, if what it gets has names without `self_attn.` in front; prefix what comes back. The others only change their names.


# %% task="Encoder" points=4 level=2 minutes=25
def clones(module, N):
    """nn.ModuleList of N copies that share nothing."""
    ### BEGIN SOLUTION
    return nn.ModuleList(copy.deepcopy(module) for _ in range(N))
    ### END SOLUTION


class Encoder(nn.Module):
    """N copies of a layer, one behind the other, and a last LayerNorm."""

    def __init__(self, layer, N, C):
        super().__init__()
        ### BEGIN SOLUTION
        self.layers = clones(layer, N)
        self.norm = nn.LayerNorm(C)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """[B, T, C] -> [B, T, C]; the mask is handed to every layer."""
        ### BEGIN SOLUTION
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)
        ### END SOLUTION


def copied(state):
    """The state dict of a `Layer` with the weights of torch's layer."""
    ### BEGIN SOLUTION
    front = "self_attn."
    attention = {k.removeprefix(front): w for k, w in state.items() if front in k}
    found = {f"attention.{name}": part for name, part in from_torch(attention).items()}
    names = {"norm1": "attention_norm", "norm2": "feed_forward_norm"}
    names |= {"linear1": "feed_forward.up", "linear2": "feed_forward.down"}
    for old, new in names.items():
        for end in ("weight", "bias"):
            found[f"{new}.{end}"] = state[f"{old}.{end}"]
    return found
    ### END SOLUTION


# %% family="Encoder"
_x = made(
    lambda rng, B, T: 2 * torch.arange(6.0 * B * T).view(B, T, 6).double().cos(),
    *(choice(1, 3), choice(1, 4)),
)
_given = {"N": choice(0, 1, 2, 4), "kind": choice("pre", "post"), "x": _x}
_given |= {"mixtures": 2, "rtol": 1e-4, "atol": 1e-6}


def _encoder(Encoder, N, kind):
    """An encoder of torch's layers, called by position only, each with weights of its own."""
    options = {"batch_first": True, "norm_first": kind == "pre"}
    layer = nn.TransformerEncoderLayer(6, 2, 8, 0.0, **options)
    made = Encoder(wrapped(layer), N, 6).double()
    state = dict(made.state_dict())
    for i, name in enumerate(sorted(state)):
        wave = torch.arange(1 + i, 1 + i + state[name].numel()).double().sin()
        state[name] = wave.view(state[name].shape)
    made.load_state_dict(state)
    return made


# %% test="Encoder" aspect="clones that share nothing" points=1
_module = torch_module("Linear", 3, 2)
_list = clones(_module, 3)
assert len(_list) == 3, f"N = 3: three copies wanted; yours: {len(_list)}."
assert len(dict(_list.state_dict())) == 6, (
    "An nn.ModuleList of 3 linear layers has 6 weights that torch can find; "
    f"yours: {sorted(dict(_list.state_dict()))}."
)
_ones = {_k: torch.ones(_w.shape) for _k, _w in dict(_list[0].state_dict()).items()}
_list[0].load_state_dict(_ones)
assert not close(dict(_list[1].state_dict())["weight"], _ones["weight"]), (
    "The first copy got weights of 1, and so did the second: they share them."
)
### BEGIN HIDDEN TESTS
for _N in (0, 1, 4):
    _module = torch_module("BatchNorm1d", 5)  # weights, and numbers that do not learn
    _names = "weight", "bias", "running_mean"
    _start = {_name: torch.randn(5) for _name in _names}
    _module.load_state_dict(_start, strict=False)
    _list = clones(_module, _N)
    assert len(_list) == _N and hasattr(_list, "state_dict"), (
        f"N = {_N}: an nn.ModuleList of this length wanted; yours: {_list!r}."
    )
    for _place, _one in enumerate([_module, *(_list[i] for i in range(_N))]):
        _state = dict(_one.state_dict())
        assert all(close(_state[_name], _start[_name]) for _name in _names), (
            f"Module and copies got other numbers, one after the other; number {_place} had changed before its turn, "
            "or a copy does not begin with the numbers of the module."
        )
        _one.load_state_dict({_k: torch.full((5,), 7.0) for _k in _names}, strict=False)
### END HIDDEN TESTS

# %% test="Encoder" aspect="equal to torch's encoder" points=1
_sizes = [(2, 3, 8, 2, 2)]  # B, T, C, h, N
for _B, _T, _C, _h, _N in _sizes:
    _options = {"batch_first": True, "norm_first": _N != 4, "activation": "gelu"}
    _their = nn.TransformerEncoderLayer(_C, _h, 3 * _C, 0.0, **_options)
    _layer = torch_module("TransformerEncoderLayer", _C, _h, 3 * _C, 0.0, **_options)
    _torch = nn.TransformerEncoder(
        _their, _N, nn.LayerNorm(_C), enable_nested_tensor=False
    )
    _mine = Encoder(_layer, _N, _C)
    _shapes = {_k: tuple(_v.shape) for _k, _v in _torch.state_dict().items()}
    _got = {_k: tuple(np.shape(_v)) for _k, _v in dict(_mine.state_dict()).items()}
    assert _got == _shapes, (
        f"N = {_N}: weights {sorted(_shapes)} wanted; yours: {sorted(_got)}."
    )
    _s = {_k: torch.randn(_v) for _k, _v in _shapes.items()}
    _torch.load_state_dict(_s)
    _mine.load_state_dict(_s)
    _x = torch.randn(_B, _T, _C)
    _got, _wanted = _mine(_x.clone()), _x
    for _part in [*_torch.layers, _torch.norm]:
        _wanted = _part(_wanted)
    assert np.shape(_got) == (_B, _T, _C), (
        f"Shape {_B, _T, _C} wanted; yours: {np.shape(_got)}."
    )
    assert close(_got, _wanted, 1e-3, 1e-3), (
        f"N = {_N}: same weights, other result than nn.TransformerEncoder."
    )


### BEGIN HIDDEN TESTS
@beside_the_answer
def _called(Encoder, N, kind, x):
    encoder = _encoder(Encoder, N, kind)
    found = parameter_gradients(encoder, x)
    # how far a shift moves what softmax sees is rounding
    found = [g for k, g in sorted(found.items()) if "in_proj_bias" not in k]
    return {"result": encoder(x), "gradients": found}


agrees(Encoder, ours.Encoder, by=_called, **_given)
### END HIDDEN TESTS

# %% test="Encoder" aspect="every layer gets the mask" points=1
_N = 2
_layer = torch_module("TransformerEncoderLayer", 4, 2, 8, 0.0, batch_first=True)
_mine = Encoder(_layer, _N, 4)
_blind = ~torch.eye(5, dtype=torch.bool)  # in torch's layer True is "must not"
_x, _y = torch.randn(1, 5, 4), torch.randn(1, 5, 4)
_y[:, 2] = _x[:, 2]
_got, _other = _mine(_x, _blind), _mine(_y, _blind)
assert np.shape(_got) == (1, 5, 4), f"Shape (1, 5, 4) wanted; yours: {np.shape(_got)}."
assert close(_got[:, 2], _other[:, 2], 1e-4, 1e-5), (
    "By this mask each word sees only itself, yet a word changed with its neighbours: some layer did not get it."
)


### BEGIN HIDDEN TESTS
@beside_the_answer
def _masked(Encoder, N, kind, x, mask):
    encoder = _encoder(Encoder, N, kind)
    return {"with the mask": encoder(x, mask), "without": encoder(x)}


_T = made(lambda rng, x: x.shape[1], _x)
_mask = made(lambda rng, T, hidden: hidden & ~torch.eye(T).bool(), _T, truths(_T, _T))
agrees(Encoder, ours.Encoder, by=_masked, **_given, mask=_mask)
### END HIDDEN TESTS

# %% test="Encoder" aspect="torch's weights under our names" points=1
_sizes = [(4, 2)]
for _C, _h in _sizes:
    _their = nn.TransformerEncoderLayer(
        _C, _h, 4 * _C, 0.0, "gelu", batch_first=True, norm_first=True
    )
    _s = {_k: torch.randn(_v.shape) for _k, _v in _their.state_dict().items()}
    _their.load_state_dict(_s)
    _got = copied({_k: _v.clone() for _k, _v in _s.items()})
    _parts = ["attention_norm", "feed_forward_norm", "feed_forward.up"]
    _parts += [
        "feed_forward.down",
        *(f"attention.{_p}" for _p in ("q", "k", "v", "out")),
    ]
    _names = sorted(f"{_p}.{_kind}" for _p in _parts for _kind in ("weight", "bias"))
    assert hasattr(_got, "keys") and sorted(_got) == _names, (
        f"Sixteen names wanted: {_names}; yours: {_got.keys() if hasattr(_got, 'keys') else _got!r}."
    )
    _norms = [nn.LayerNorm(_C), nn.LayerNorm(_C)]
    _modules = dict(zip(("attention_norm", "feed_forward_norm"), _norms, strict=True))
    _modules |= {"attention": MultiHead(_C, _h), "feed_forward": FeedForward(_C)}
    for _name, _module in _modules.items():
        _own = {
            _k.removeprefix(f"{_name}."): _v
            for _k, _v in _got.items()
            if _k.startswith(f"{_name}.")
        }
        for _k, _v in _module.state_dict().items():
            assert np.shape(_own[_k]) == _v.shape, (
                f"{_name}.{_k}: shape {tuple(_v.shape)} wanted; yours: {np.shape(_own[_k])}."
            )
        _module.load_state_dict(_own)
    _x = torch.randn(2, 3, _C)
    _y = _x + _modules["attention"](_norms[0](_x))
    _y = _y + _modules["feed_forward"](_norms[1](_y))
    assert close(_y, _their(_x), 1e-3, 1e-3), (
        f"C = {_C}, h = {_h}: with these weights a Layer gives other numbers than torch's."
    )


### BEGIN HIDDEN TESTS
def _named(rng, C):
    """A state dict of torch's layer, each of its numbers another one."""
    layer = nn.TransformerEncoderLayer(C, 1, 4 * C).state_dict()
    return {
        k: torch.arange(w.numel()).view(w.shape) + 1e6 * i
        for i, (k, w) in enumerate(layer.items())
    }


_state = made(_named, size("C", large=None))
agrees(copied, ours.copied, _state)
### END HIDDEN TESTS

# %%
C, h, N, T = 32, 4, 6, 10
set_seed(1)
theirs = nn.TransformerEncoderLayer(C, h, 4 * C, 0.0, "gelu", 1e-5, True, True)
stack = nn.TransformerEncoder(theirs, N, nn.LayerNorm(C), enable_nested_tensor=False)
ours = Encoder(layer_of(C, h), N, C)
with torch.no_grad():  # six different layers, and no gain of 1 or bias of 0
    for weight in stack.parameters():
        weight.normal_(0, 0.3)
for mine, other in zip(ours.layers, stack.layers, strict=True):
    mine.load_state_dict(copied(other.state_dict()))
ours.norm.load_state_dict(stack.norm.state_dict())
x = torch.randn(2, T, C)
print("six different layers, ours against torch's:", end=" ")
print("below 0.00001:", (ours(x) - stack(x)).abs().max().item() < 1e-5)
y = x  # once more, with your own norm at the end
for layer in ours.layers:
    y = layer(y)
off = layer_norm(y, ours.norm.weight, ours.norm.bias) - stack(x)
print(
    "with your layer_norm as the last norm: below 0.00001:",
    off.abs().max().item() < 1e-5,
)


# %% alt="The standard deviation of the stream grows with the layers passed: from 1.0 to 1.7 in 24 fresh layers, and to between 5 and 9 in 24 copies of one layer."
def spread_by_layer(seed, as_copies, N=24, C=32):
    """Mean standard deviation of a word's numbers before layer 1, 2, ... and at the end."""
    set_seed(seed)
    layers, x = [layer_of(C, 4) for _ in range(N)], torch.randn(4, 10, C)
    if as_copies:
        layers = clones(layers[0], N)
    stds = [x.std(-1, correction=0).mean().item()]
    for layer in layers:
        x = layer(x)
        stds.append(x.std(-1, correction=0).mean().item())
    return stds


_, axes = plt.subplots(figsize=(6, 2.6))
for as_copies, colour in zip((True, False), plots.COLOURS, strict=False):
    with torch.no_grad():
        found = [spread_by_layer(seed, as_copies) for seed in (1, 2, 3)]
    name = "copies of one layer" if as_copies else "24 fresh layers"
    dots(axes, range(25), np.array(found).T, colour, name)
    print(f"after {name}:", sorted(round(stds[-1], 1) for stds in found))
axes.set(xlabel="layers passed", ylabel="standard deviation", ylim=(0, None))
axes.legend()
plt.show()

# %% [markdown]
# The figure has three seeds of each kind. The stream grows, since each layer adds to it, and with the copies it grows much more: your `clones` begin with
# *equal* weights, so they all push in similar directions. (torch's `nn.TransformerEncoder` copies one layer as well. They do not stay equal, since in
# training each gets gradients of its own.)
#
# The more layers, the larger the numbers at the end. Without the last norm an output layer would get numbers of another size for each $N$; with it, they have
# one size, whatever $N$ is.
