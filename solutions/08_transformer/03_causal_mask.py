# %% [markdown] statement="Attention"
# ## 3. The mask is nobody's weight
#
# "Do not learn the mask" (004): it belongs to the module but is not a parameter. torch calls that a **buffer**: `.to()` moves it along, the optimiser
# never sees it. `multi_head` above is chapter 6's; the four linear layers around it are yours. Write `Attention(width, heads, block)`, for texts of up to `block` tokens:
#
# - `query`, `key` and `value`, linear, $C \to C$ each; then `multi_head`; then `out`, linear, $C \to C$;
# - a buffer `mask`, $[\text{block}, \text{block}]$, the given `future_mask(block)`, not saved (`persistent=False`). `forward` adds it
#   as it is (for a shorter text, its top left corner), so that whoever exchanges the buffer changes what is seen.

# %% [markdown] hints="Attention"
# 1. A text may be shorter than `block`. Which part of the mask does it need?
# 2. `nn.Module` has a method that registers a tensor under a name, and `self.mask` is there from then on.
# 3. `__init__`: four linear layers, the number of heads, the mask. `forward`: three products, the given function with the top left corner
#    of the mask, one product more.


# %% task="Attention" points=4 level=2 minutes=18
class Attention(nn.Module):
    """Causal self-attention: each place mixes the values of the places up to its own."""

    def __init__(self, width, heads, block):
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.register_buffer("mask", future_mask(block), persistent=False)
        ### END SOLUTION

    def forward(self, x):
        """[B, T, C] -> [B, T, C], T at most `block`."""
        ### BEGIN SOLUTION
        T = x.shape[1]
        q, k, v = self.query(x), self.key(x), self.value(x)
        return self.out(multi_head(q, k, v, self.heads, self.mask[:T, :T]))
        ### END SOLUTION


# %% test="Attention" aspect="weights and a buffer" points=1
_C, _H, _T = 8, 2, 5
### BEGIN HIDDEN TESTS
_C, _H, _T = 9, 3, random.randint(4, 7)
### END HIDDEN TESTS
_layer = Attention(_C, _H, _T)
_buffers = dict(_layer.named_buffers())
_shapes = {name: np.shape(value) for name, value in _buffers.items()}
assert _shapes == {"mask": (_T, _T)}, (
    f"One buffer, mask, of shape {_T, _T} is wanted; yours: {_shapes}."
)
assert close(_buffers["mask"], torch.full((_T, _T), -math.inf).triu(1)), (
    f"The mask should be what future_mask({_T}) gives: 0, and -inf above the diagonal."
)
_wanted = {f"{_part}.weight": (_C, _C) for _part in ("query", "key", "value", "out")}
_wanted |= {f"{_part}.bias": (_C,) for _part in ("query", "key", "value", "out")}
_learned = {
    name: np.shape(value) for name, value in dict(_layer.named_parameters()).items()
}
assert _learned == _wanted, (
    f"width = {_C}: parameters {_wanted} wanted; yours: {_learned}."
)
assert set(dict(_layer.state_dict())) == set(_wanted), (
    "The mask is saved with the weights: it should not be."
)
_got = dict(_layer.double().named_buffers())["mask"]
assert _got.dtype == torch.float64, (
    "The module was moved to float64 and the mask stayed behind."
)

# %% test="Attention" aspect="equal to torch's attention" points=1
_sizes = ((2, 5, 2, 4),)
for _B, _T, _H, _D in _sizes:
    _C, _parts = _H * _D, ("query", "key", "value", "out")
    _layer, _x = Attention(_C, _H, _T), torch.randn(_B, _T, _C)
    _s = {f"{_part}.weight": torch.randn(_C, _C) / _C**0.5 for _part in _parts}
    _s |= {f"{_part}.bias": torch.randn(_C) for _part in _parts}
    _layer.load_state_dict(_s, strict=False)
    _got = _layer(_x.clone())
    assert np.shape(_got) == (_B, _T, _C), (
        f"x of shape {_B, _T, _C}: the same is wanted back; yours: {_got!r}."
    )
    _in = [
        F.linear(_x, _s[f"{_part}.weight"], _s[f"{_part}.bias"]) for _part in _parts[:3]
    ]
    _q, _k, _v = (part.view(_B, _T, _H, _D).transpose(1, 2) for part in _in)
    _z = (
        F.scaled_dot_product_attention(_q, _k, _v, is_causal=True)
        .transpose(1, 2)
        .reshape(_B, _T, _C)
    )
    assert close(_got, F.linear(_z, _s["out.weight"], _s["out.bias"]), 1e-4, 1e-4), (
        f"With given weights, C = {_C}, {_H} heads: not what torch's causal attention gives. "
        "Is each layer used once, in its place?"
    )
### BEGIN HIDDEN TESTS
_T, _H, _D = size("T"), size("heads", most=5, large=None), size("D", large=None)
_C = made(lambda rng, heads, D: heads * D, _H, _D)
_inputs = [whole(0, 10**6), _C, _H, _T, tensor(size("B"), _T, _C, kind="float64")]


def _called(Attention, seed, C, heads, block, x):
    torch.manual_seed(seed)
    weights = ours.Attention(C, heads, block).state_dict()
    layer = Attention(C, heads, block)
    layer.load_state_dict({name: 2 * w for name, w in weights.items()}, strict=False)
    layer.double()
    return layer(x), parameter_gradients(layer, x)


agrees(Attention, ours.Attention, *_inputs, by=_called, rtol=1e-4, atol=1e-4)
### END HIDDEN TESTS

# %% test="Attention" aspect="the past is deaf to the future" points=1
_layer, _x = Attention(6, 2, 7), torch.randn(2, 7, 6)
assert np.shape(_layer(_x)) == (2, 7, 6), (
    "x of shape [2, 7, 6]: the same shape is wanted back."
)
for _t in (1, 4, 6):
    _other = _x.clone()
    _other[:, _t] += 3
    _change = (_layer(_other) - _layer(_x)).abs().amax((0, 2))
    assert _change[:_t].max() < 1e-6, (
        f"Token {_t} (from 0) was exchanged, and an output before it changed."
    )
    assert _change[_t] > 1e-6, (
        f"Token {_t} (from 0) was exchanged, and its own output did not notice."
    )
    assert (_change[_t:] > 1e-6).all(), (
        f"Token {_t} (from 0) was exchanged; all outputs after it should notice."
    )
### BEGIN HIDDEN TESTS
_T, _H, _D = size("T"), size("heads", most=5, large=None), size("D", large=None)
_C = made(lambda rng, heads, D: heads * D, _H, _D)
_inputs = [whole(0, 10**6), _C, _H, _T, tensor(size("B"), _T, _C, kind="float64")]
_inputs.append(tensor(_T, _T, scale=2, edges=("-inf",), kind="float64"))


def _called(Attention, seed, C, heads, block, x, mask):
    torch.manual_seed(seed)
    weights = ours.Attention(C, heads, block).state_dict()
    layer = Attention(C, heads, block)
    layer.load_state_dict({name: 2 * w for name, w in weights.items()}, strict=False)
    layer.double()
    layer.mask = mask
    return layer(x)


agrees(Attention, ours.Attention, *_inputs, by=_called, rtol=1e-4, atol=1e-4)
### END HIDDEN TESTS

# %% test="Attention" aspect="shorter texts than the block" points=1
_sizes = ((6, 3, 9, (1, 2, 5)),)
for _C, _H, _block, _lengths in _sizes:
    _layer, _x = Attention(_C, _H, _block), torch.randn(2, _block, _C)
    _whole = _layer(_x)
    assert np.shape(_whole) == (2, _block, _C), (
        f"x of shape {2, _block, _C}: the same shape is wanted back."
    )
    for _T in _lengths:
        _got = _layer(_x[:, :_T])
        assert np.shape(_got) == (2, _T, _C), (
            f"Block {_block}, a text of {_T}: shape {2, _T, _C} wanted; yours {np.shape(_got)}."
        )
        assert close(_got, _whole[:, :_T], 1e-4, 1e-5), (
            f"The first {_T} tokens alone give something else than as the beginning of {_block}: "
            "step by step and all at once differ."
        )
### BEGIN HIDDEN TESTS
_T, _H, _D = size("T"), size("heads", most=5, large=None), size("D", large=None)
_C = made(lambda rng, heads, D: heads * D, _H, _D)
_block = made(lambda rng, T, further: T + further, _T, whole(0, 5))
_inputs = [whole(0, 10**6), _C, _H, _block, tensor(size("B"), _T, _C, kind="float64")]
_inputs.append(tensor(_block, _block, scale=2, edges=("-inf",), kind="float64"))


def _called(Attention, seed, C, heads, block, x, mask):
    torch.manual_seed(seed)
    weights = ours.Attention(C, heads, block).state_dict()
    layer = Attention(C, heads, block)
    layer.load_state_dict({name: 2 * w for name, w in weights.items()}, strict=False)
    layer.double()
    layer.mask = mask
    return layer(x)


agrees(Attention, ours.Attention, *_inputs, by=_called, rtol=1e-4, atol=1e-4)
### END HIDDEN TESTS

# %% [markdown]
# What if we forget the mask? Predict the loss at each place of a text for a network without one. Two networks with your attention, one with its mask set to zero:


# %%
class OneLayer(nn.Module):
    """Embedding, positions, your attention, scores."""

    def __init__(self, masked, width=64, T=16):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(V, width), nn.Embedding(T, width)
        self.attention, self.head = Attention(width, 4, T), nn.Linear(width, V)
        if not masked:
            self.attention.mask.zero_()

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight
        return self.head(x + self.attention(x))


# %%
def next_loss(model, batch):
    return lm_loss(model(batch[0]), batch[1]), batch[1].numel()


# %%
def loss_by_place(masked, seed, steps):
    """Mean loss at each of the 16 places of 500 texts, after training."""
    set_seed(seed)
    model = OneLayer(masked).to(device)
    sizes = {"steps": steps, "rate": 1e-2}
    train(model, batch, next_loss, schedule=warmup_cosine(10), **sizes)
    inputs, targets = (side.to(device) for side in batch(10**6, B=500))
    with torch.no_grad():
        scores = model(inputs).transpose(1, 2)
    return F.cross_entropy(scores, targets, reduction="none").mean(0).cpu()


# %%
from lmkit.plots import dots, log_ticks

# %% alt="Loss by place in the text: with the mask about 2.2 nats at each place; without it zero everywhere except at the last place, where it is nearly 3."
steps = budget().choose(grading=100, laptop=1_000, gpu=1_000)
_, axes = plt.subplots()
for colour, masked in zip(plots.COLOURS, (True, False), strict=False):
    found = [loss_by_place(masked, seed, steps) for seed in (1, 2, 3)]
    label = "masked" if masked else "not masked"
    dots(axes, range(1, 17), np.stack(found, axis=1), colour, label)
axes.axhline(math.log(V), color="gray", linestyle=":", label="ln V: knows nothing")
axes.set(xlabel="place in the text", ylabel="loss (nats per letter)", ylim=(0, None))
axes.set_xticks(range(1, 17, 3))
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Three seeds each. Without the mask the loss is far lower at all places but one: the network copies the next letter. At the last place, the one that counts when it
# writes, there is nothing to copy, and there it is *worse* than the honest one. A training loss can be too good.
#
# Is it worth asking at every place? The same network size (two layers, recorded: `data/transformer`), once with the loss of all 32 places of each text, once with that of the last place only:


# %% folded="draws the lessons" alt="Loss by number of steps: learning from all places falls to 2.1 nats, from the last place alone only to 2.8."
lessons = pd.read_csv(paths.DATA / "transformer" / "lessons.csv")
_, axes = plt.subplots()
for colour, (kind, found) in zip(plots.COLOURS, lessons.groupby("kind"), strict=False):
    table = found.pivot(index="steps", columns="seed", values="nats")
    dots(axes, table.index, table, colour, kind)
log_ticks(axes, table.index, xlabel="steps of 8 texts (log)")
axes.set_ylabel("loss (nats per letter)")
axes.legend(title="learned from")
plt.show()

# %% [markdown]
# Dots are seeds, lines their means; the loss is over all places of held-out texts. Both pay the same forward pass, but learning from all places is ahead on average at each length, and in every seed at 400 steps; there the last place alone ends where 100 steps with 32 questions each do.
