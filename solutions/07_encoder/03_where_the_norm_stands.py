# %% [markdown]
# ## 3. Where the norm stands
#
# A stack of modules $f$ multiplies their derivatives, and small factors make the gradient vanish. So each module only *adds* to what comes in, a **residual** connection:
#
# $$b = a + f(a) \qquad \frac{\partial b}{\partial a} = I + \frac{\partial f}{\partial a}$$
#
# The $I$ loses nothing, however deep the stack. What runs through all the sums is called the **stream**. The norm can stand in two places: in the branch,
# that is, before $f$, or after the sum. The two orders are called pre-norm and post-norm, and the names are easily mixed up. Here are two lectures. Artzi's
# prints these two names, and you should check whether they are the right way round:
#
# > Post-norm (original and here): $b = \text{Module}(\text{LN}(a)) + a$
# >
# > Pre-norm (modern): $b = \text{LN}(\text{Module}(a) + a)$
#
# Silvestri's slide has the formula $\text{LayerNorm}(x + \text{SubLayer}(x))$, and beside it code that does something else: it returns
# `x + dropout(sublayer(norm(x)))`. You will name three things: Artzi's two formulas and Silvestri's code. Decide by the words *pre* and *post* alone.

# %% [markdown] statement="Block"
# - `labels`: for `"Module(LN(a)) + a"`, `"LN(Module(a) + a)"` and `"the code"` the right name, `"pre"` or `"post"`;
# - `Block(width, attention, feed_forward)`: keeps the two modules under these names (so that torch finds their weights), adds `attention_norm` and
#   `feed_forward_norm`, both `nn.LayerNorm(width)`; attention first, pre-norm. `forward` must use `self.attention_norm` and the three others, because a later
#   cell puts other modules under these names;
# - `PostBlock`: the same parts, post-norm.

# %% [markdown] hints="Block"
# 1. *Pre*: the norm comes before the module. What then flows from one block to the next without ever being normalised?
# 2. A block is two steps of one kind. The second begins with what the first has returned.
# 3. Two norms, since each has a gain and a bias of its own. `PostBlock` has the same `__init__`; a class can inherit it.


# %% task="Block" points=4 level=2 minutes=20
class Block(nn.Module):
    """Pre-norm: each module reads a normalised copy, and adds to the stream. The x handed over stays as it is."""

    def __init__(self, width, attention, feed_forward):
        super().__init__()
        ### BEGIN SOLUTION
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward
        ### END SOLUTION

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        ### BEGIN SOLUTION
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))
        ### END SOLUTION


class PostBlock(Block):
    """Post-norm: the sum is normalised."""

    def forward(self, x):
        """[B, T, C] -> [B, T, C]"""
        ### BEGIN SOLUTION
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))
        ### END SOLUTION


# labels = {"Module(LN(a)) + a": ..., "LN(Module(a) + a)": ..., "the code": ...}, each "pre" or "post"
### BEGIN SOLUTION
labels = {"Module(LN(a)) + a": "pre", "LN(Module(a) + a)": "post", "the code": "pre"}
### END SOLUTION


# %%
def block_of(kind, T, C):
    """A block of this class around simple modules, random weights in it; and the weights by name."""
    mixer, each = torch_module("Conv1d", T, T, 1), torch_module("Linear", C, C)
    shapes = {"attention.weight": (T, T, 1), "attention.bias": (T,)}
    shapes |= {"feed_forward.weight": (C, C), "feed_forward.bias": (C,)}
    for norm in ("attention_norm", "feed_forward_norm"):
        shapes |= {f"{norm}.{part}": (C,) for part in ("weight", "bias")}
    block, wanted = kind(C, mixer, each), sorted(shapes)
    found = sorted(dict(block.state_dict()))
    assert set(wanted) <= set(found), (
        f"Weights {wanted} wanted: both modules, and two norms, each its own; yours: {found}."
    )
    weights = {name: torch.randn(shape) for name, shape in shapes.items()}
    block.load_state_dict(weights, strict=False)
    return block, weights


# %% family="Block"
_T, _C = whole(4, 5, (1,)), whole(6, 8, (2, 16))
_given = {
    "x": tensor(whole(2, 3, (1,)), _T, _C, kind="float64"),
    "swapped": choice(None, "attention", "feed_forward"),
}


@beside_the_answer
def _called(kind, x, swapped, slopes=False):
    """What a block with weights of every size makes of x; or its gradients. Some parts may be other modules by then."""
    T, C = x.shape[1:]
    block = kind(C, nn.Conv1d(T, T, 1), nn.Linear(C, C)).double()
    state = dict(block.state_dict())
    for i, name in enumerate(sorted(state)):
        wave = torch.arange(1 + i, 1 + i + state[name].numel()).double().sin()
        state[name] = wave.view(state[name].shape)
    block.load_state_dict(state)
    if swapped:
        setattr(block, swapped, nn.Tanh())
        other = "feed_forward" if swapped == "attention" else "attention"
        setattr(block, f"{other}_norm", nn.Softplus())
    if not slopes:
        return block(x)
    return {"gradient of x": gradients(block, x)[0], **parameter_gradients(block, x)}


# %% test="Block" aspect="three labels, pre or post" points=1
assert hasattr(labels, "keys"), f"labels is a dict with three keys; yours: {labels!r}."
for _key in ("Module(LN(a)) + a", "LN(Module(a) + a)", "the code"):
    assert labels.get(_key) in ("pre", "post"), (
        f'labels[{_key!r}] should be "pre" or "post"; yours: {labels!r}.'
    )
### BEGIN HIDDEN TESTS
assert labels["Module(LN(a)) + a"] == "pre" and labels["LN(Module(a) + a)"] == "post", (
    "Pre and post say whether the norm comes before the module or after the sum, not which lecture is older."
)
assert labels["the code"] == "pre", (
    "Read Silvestri's code from the inside: what happens to x first?"
)
### END HIDDEN TESTS

# %% test="Block" aspect="pre-norm, by formula" points=1
_B, _T, _C = 2, 4, 5
(_block, _s), _x = block_of(Block, _T, _C), torch.randn(_B, _T, _C)
_in = F.layer_norm(_x, (_C,), _s["attention_norm.weight"], _s["attention_norm.bias"])
_h = _x + F.conv1d(_in, _s["attention.weight"], _s["attention.bias"])
_in = F.layer_norm(
    _h, (_C,), _s["feed_forward_norm.weight"], _s["feed_forward_norm.bias"]
)
_wanted = _h + F.linear(_in, _s["feed_forward.weight"], _s["feed_forward.bias"])
_got = _block(_x.clone())
assert np.shape(_got) == (_B, _T, _C), (
    f"Shape {_B, _T, _C} wanted back; yours: {_got!r}."
)
assert close(_got, _wanted, 1e-3, 1e-3), (
    "With random gains and random linear maps as modules: not x + Module(LN(x)), twice."
)
### BEGIN HIDDEN TESTS
agrees(Block, ours.Block, by=_called, **_given, rtol=1e-4, atol=1e-4)
_parts = [torch_module("Linear", 5, 5, bias=False) for _ in range(2)]
_block = Block(5, *_parts)
for _part in _parts:
    _part.load_state_dict({"weight": torch.zeros(5, 5)})
assert close(_block(_x), _x, 0, 1e-6), (
    "The two modules got weights of 0 after they were handed over, and the block still adds something: it has copies."
)
### END HIDDEN TESTS

# %% test="Block" aspect="post-norm, by formula" points=1
_B, _T, _C = 2, 4, 5
(_block, _s), _x = block_of(PostBlock, _T, _C), torch.randn(_B, _T, _C) * 3
_got = PostBlock(_C, torch_module("Identity"), torch_module("Tanh"))(_x.clone())
assert np.shape(_got) == (_B, _T, _C), (
    f"Shape {_B, _T, _C} wanted back; yours: {_got!r}."
)
assert close(_got.mean(2), torch.zeros(_B, _T), 0, 1e-4), (
    "After a post-norm block every token has mean 0."
)
_h = _x + F.conv1d(_x, _s["attention.weight"], _s["attention.bias"])
_h = F.layer_norm(_h, (_C,), _s["attention_norm.weight"], _s["attention_norm.bias"])
_h = _h + F.linear(_h, _s["feed_forward.weight"], _s["feed_forward.bias"])
_wanted = F.layer_norm(
    _h, (_C,), _s["feed_forward_norm.weight"], _s["feed_forward_norm.bias"]
)
assert close(_block(_x), _wanted, 1e-3, 1e-3), (
    "With random gains and random linear maps as modules: not LN(x + Module(x)), twice."
)
### BEGIN HIDDEN TESTS
agrees(PostBlock, ours.PostBlock, by=_called, **_given, rtol=1e-4, atol=1e-4)
### END HIDDEN TESTS

# %% test="Block" aspect="the stream carries gradients" points=1
_block = Block(
    5,
    torch_module("Conv1d", 3, 3, 1, bias=False),
    torch_module("Linear", 5, 5, bias=False),
)
_norms, _x = ("attention_norm", "feed_forward_norm"), torch.randn(2, 3, 5)
_zeros = {
    f"{norm}.{part}": torch.zeros(5) for norm in _norms for part in ("weight", "bias")
}
_block.load_state_dict(_zeros, strict=False)
assert close(_block(_x), _x, 0, 1e-6), (
    "Gains and biases at zero, so both modules add 0: pre-norm passes x on unchanged."
)
assert close(gradients(_block, _x)[0], torch.ones(2, 3, 5), 0, 1e-6), (
    "Then the gradient should pass unchanged, too."
)
### BEGIN HIDDEN TESTS
_given |= {"slopes": True, "mixtures": 2}
for _kind, _right in ((Block, ours.Block), (PostBlock, ours.PostBlock)):
    agrees(_kind, _right, by=_called, **_given, rtol=1e-4, atol=1e-4)
### END HIDDEN TESTS

# %% folded="draws the pre-norm block" alt="The stream runs straight from a to b. Attention and feed-forward each read a normalised copy of it and add their result."
drawings.transformer_block("pre")

# %% folded="draws the post-norm block" alt="The stream runs from a to b through two norms: each stands behind the sum of the stream with attention or feed-forward."
drawings.transformer_block("post")

# %% [markdown]
# How much of the gradient comes through? We stack 1 to 32 feed-forward layers, send a random score's gradient back, and measure what reaches the weights of the
# first layer and of the last. Each stack with residual connections ends with one more norm, as our encoder will.


# %%
class NoNorm(Block):
    """The same block with norms that do nothing."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self.attention_norm = self.feed_forward_norm = nn.Identity()


class Silent(nn.Module):
    """Attention that adds nothing."""

    def forward(self, x):
        return torch.zeros_like(x)


# %%
def gradient_norms(kind, depth, seed, C=64):
    """How large the gradient of the first and of the last layer's weights is, with `depth` layers."""
    set_seed(seed)
    layers = [FeedForward(C) for _ in range(depth)]
    blocks = [kind(C, Silent(), layer) for layer in layers] if kind else layers
    end = nn.LayerNorm(C) if kind else nn.Identity()
    out = nn.Sequential(*blocks, end)(torch.randn(1, 32, C))
    (out * torch.randn(32, C)).mean().backward()
    return [layer.up.weight.grad.norm().item() for layer in (layers[0], layers[-1])]


# %%
depths = (1, 2, 4, 8, 16, 32)
kinds = {"pre-norm": Block, "post-norm": PostBlock, "no norm": NoNorm}
kinds["no residual"] = None
first, last = {}, {}
for name, kind in kinds.items():
    norms = [[gradient_norms(kind, d, s) for s in (1, 2, 3)] for d in depths]
    norms = np.array(norms) / norms[0]  # one layer: 1
    first[name], last[name] = norms[..., 0], norms[..., 1]

# %% folded="draws the gradients" alt="Two panels of gradients by number of layers. First layer: without residual connections it falls to a trillionth within 16 layers, with them it stays at one. Last layer: post-norm and no norm stay near one, pre-norm falls to two thirds at 32 layers."
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
for colour, name in zip(plots.COLOURS, kinds, strict=False):
    dots(left, depths, first[name], colour, name)
    if name != "no residual":
        dots(right, depths, last[name], colour, name)
left.set(
    yscale="log", title="first layer, logarithmic", ylabel="gradient (1 layer = 1)"
)
right.set(title="last layer, linear", ylim=(0, 1.2))
figure.suptitle(
    "Residual connections save the first layer; the last one tells pre from post"
)
for axes in (left, right):
    log_ticks(axes, depths, xlabel="layers (log)")
    axes.legend()
plt.show()
falls = first["no residual"]
print(
    "each layer without residual divides the gradient by",
    (falls[3] ** (-1 / 7)).round(1),
)
print("no residual, 32 layers, first layer:", falls[-1])
for name in ("pre-norm", "post-norm", "no norm"):
    ends = [" ".join(f"{x:.2f}" for x in found[name][-1]) for found in (first, last)]
    print(f"{name:9} 32 layers: first layer {ends[0]}, last layer {ends[1]}")

# %% [markdown]
# Each dot is a seed, and the gradient of a single layer counts as 1.
#
# On the left, look at the line that falls. This stack has neither residual connections nor norms, and with torch's first weights each layer divides the
# gradient by about 6, so that after 5 layers less than a thousandth is left. (A norm in each layer would help it, too, and so would first weights of just the
# right size. Weights that are too large make the gradient explode instead.) Its point at 32 layers is missing, because the norm there is exactly 0, as
# printed: the squares of such tiny numbers are too small for float32, and a logarithmic axis has no zero. The other three lines lie one over the other, and
# the printed numbers are all near 1: with residual connections nearly the same gradient reaches the first layer through 32 layers as through one, with norms
# or without. So the *first* layer does not decide where the norm should stand.
#
# The *last* layer tells the two orders apart. On the right, post-norm's gradient stays as it is, however deep the stack, while pre-norm's has shrunk to about
# two thirds at 32 layers. You might think of the stream: with pre-norm nothing normalises it, and every layer adds to it, so it grows. But the stream without
# norms grows, too, and its last gradient is as large as ever. So growth is only half of the reason.
#
# The gradient of the last layer's weights is a product of two things: what the layer *reads*, and what comes *back* to it. The one norm at the end divides by
# the size of the stream, so what comes back is divided by it as well. If this is all, then the gradient should follow the quotient of the two sizes: what the
# layer reads, divided by the stream. Let us measure both at 32 layers:


# %%
def sizes(kind, depth, seed, C=64):
    """Standard deviations of what the last layer reads, and of the stream behind it."""
    set_seed(seed)
    layers, found = [FeedForward(C) for _ in range(depth)], {}
    stream = nn.Sequential(*[kind(C, Silent(), layer) for layer in layers])
    # torch calls a hook with what the layer is about to read
    layers[-1].register_forward_pre_hook(lambda _, x: found.update(reads=x[0]))
    found["stream"] = stream(torch.randn(1, 32, C))
    return [found[k].std(-1, correction=0).mean().item() for k in ("reads", "stream")]


print("32 layers, last one:  reads   stream   reads / stream   gradient")
for name, kind in list(kinds.items())[:3]:
    reads, stream = np.mean([sizes(kind, 32, seed) for seed in (1, 2, 3)], axis=0)
    row = f"{reads:5.2f}   {stream:6.2f}   {reads / stream:14.2f}"
    print(f"{name:20} {row}   {last[name][-1].mean():8.2f}")

# %% [markdown]
# In all three rows the quotient comes within about a tenth of the gradient. With pre-norm the stream has grown to one and a half times its size, but the
# layer still reads a *normalised copy* of it, so nothing makes up for the division at the end. Without norms the layer reads the stream itself, which has
# grown even more, so the two cancel. With post-norm each layer ends with a norm, and neither grows.
#
# Xiong and others (2020) found the same in whole Transformers before any training. A large gradient in the last layers needs small first steps, so their deep
# post-norm stacks had to be trained with a learning rate that starts near 0 and *warms up*, and their pre-norm stacks did without. This is one reason why
# nearly all large models of today are pre-norm, and so is ours. (We have measured only the gradient, and we have not trained a deep stack of either kind
# here.)
