# %% [markdown]
# ## 3. The model
#
# In attention each place takes a weighted mean of the *values* of all places, and the weights are a softmax over scores. As in chapter 06, there is a mask: a
# place must not look at the places after it. They must get weight 0, and the remaining weights must still sum to 1.
#
# Take a text of three words, and let the second word look. It may look at the first word and at itself, but not at the third. Suppose that its scores are 0, ln 3
# and ln 4. To get rid of the third one, we add $-\infty$ to it before the softmax, because $e^{-\infty} = 0$:
#
# | the second word looks at | the first | itself | the third |
# |---|---|---|---|
# | its score | 0 | ln 3 | ln 4 |
# | we add | 0 | 0 | $-\infty$ |
# | exponential of the sum | 1 | 3 | 0 |
# | weight | 1/4 | 3/4 | 0 |
#
# The third word gets the weight 0, whatever its score was. The other two weights sum to 1.
#
# Every place needs such a row of zeros and $-\infty$. One below the other, these rows form a square, the **causal mask**. It is 0 up to the diagonal, because a
# place may look at itself and at all places before it, and $-\infty$ to the right of the diagonal.
#
# The next cells make this square, take over the attention of chapter 06, and print a mask for four places. Read the attention once more with the shapes in its
# comments, because you will call it in the next task.


# %%
def future_mask(T):
    """What is added to scores [T, T]: 0 up to the place that looks, -inf after it."""
    return torch.full((T, T), -math.inf).triu(1)


# %%
def multi_head(q, k, v, heads, mask):
    """Attention of H heads: [B, T, C] from q, k, v: [B, T, C]; mask [T, T] is added to the scores. Head h has C / H columns."""
    B, T, C = q.shape
    q, k, v = (
        each.view(B, T, heads, C // heads).transpose(1, 2) for each in (q, k, v)
    )  # [B, H, T, D]
    s = q @ k.transpose(2, 3) / math.sqrt(C // heads) + mask  # [B, H, T, T]
    return (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C)


# %%
print(future_mask(4))

# %% [markdown] statement="Attention"
# ### Causal self-attention
#
# Write the module `Attention(width, heads, block)`, for texts of up to `block` tokens. It has four linear layers $C \to C$, called `query`, `key`, `value` and
# `out`. The first three make the queries, keys and values for `multi_head`. The last one mixes what the heads bring back.
#
# The mask belongs to the module, but it is not a weight to be learned. For such a tensor torch has the **buffer**: it moves to the GPU together with the
# module, and the optimiser never sees it. Register `future_mask(block)` under the name `mask`, with `persistent=False`, so that it is not saved with the
# weights. A text may be shorter than `block`. Then it needs the top left corner of the mask.
#
# In the laboratory we will overwrite this buffer with zeros, to see what a forgotten mask does. So let `forward` read `self.mask` each time.

# %% [markdown] hints="Attention"
# 1. A text may be shorter than `block`. Which part of the mask does it need?
# 2. `nn.Module` has a method that registers a tensor under a name, and `self.mask` is there from then on.
# 3. `__init__`: four linear layers, the number of heads, the mask. `forward`: three products, the given function with the top left corner
#    of the mask, one product more.


# %% task="Attention" points=4 level=2 minutes=14
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


# %% family="Attention"
_T, _H, _D = size("T"), size("heads", most=5, large=None), size("D", large=None)
_C = made(lambda rng, heads, D: heads * D, _H, _D)


@beside_the_answer
def _called(Attention, seed, C, heads, block, x, mode, mask=None):
    """What a layer makes of x, then of half of it, with its gradients; or of x with another mask."""
    layer, dice = Attention(C, heads, block), torch.Generator().manual_seed(seed)
    weights = {}
    for part in ("query", "key", "value", "out"):
        weights[f"{part}.weight"] = torch.randn(C, C, generator=dice) / C**0.5
        weights[f"{part}.bias"] = torch.randn(C, generator=dice)
    layer.load_state_dict(weights, strict=False)
    getattr(layer.double(), mode)()
    before = layer(x)
    if mask is None:
        return before, layer(x / 2), parameter_gradients(layer, x)
    layer.mask = mask
    return before, layer(x)


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
_x = tensor(size("B"), _T, _C, edges=("huge",), kind="float64")
_inputs = [whole(0, 10**6), _C, _H, _T, _x, choice("train", "eval")]
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
_mask = tensor(_T, _T, scale=2, edges=("-inf",), kind="float64")
_mask = made(lambda rng, mask: mask.clone().fill_diagonal_(0.0), _mask)
_x = tensor(size("B"), _T, _C, kind="float64")
_inputs = [whole(0, 10**6), _C, _H, _T, _x, "train", _mask]
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
_block = made(lambda rng, T, further: T + further, _T, whole(0, 5))
_mask = tensor(_block, _block, scale=2, edges=("-inf",), kind="float64")
_mask = made(lambda rng, mask: mask.clone().fill_diagonal_(0.0), _mask)
_x = tensor(size("B"), _T, _C, kind="float64")
_inputs = [whole(0, 10**6), _C, _H, _block, _x, "train", _mask]
agrees(Attention, ours.Attention, *_inputs, by=_called, rtol=1e-4, atol=1e-4)
### END HIDDEN TESTS

# %% [markdown]
# ### The modules around it
#
# You know the other modules from chapter 07. Attention moves information *between* places. The **feed-forward layer** then works on each place alone: it makes
# the vector four times wider, applies the activation GELU, and makes it narrow again.
#
# Both stand inside a **block**. The picture shows one block, as a single place sees it. The vector of this place comes in as $a$ and goes out as $b$, and LN is a
# layer norm. Follow the thick line. What happens to the vector on its way?

# %% folded="draws the block" alt="The stream runs straight from a to b. Attention and feed-forward each read a normalised copy of it and add their result."
drawings.transformer_block("pre")

# %% [markdown]
# Two things are added to the vector, and nothing else happens to it. Each module reads a normalised copy of the vector, computes something, and adds its result
# to the original. This is called a **residual connection**. The vector on the thick line, from $a$ to $b$, is called the **stream**. In code it has a single
# name, $x$.
#
# Adding has an advantage for training: the gradient has a straight way back from the loss to the first layer, along the thick line. The norm stands before each
# module, so this arrangement is called *pre-norm*.
#
# The next cell has the feed-forward layer. The block is yours to write.


# %%
class FeedForward(nn.Module):
    """Four times wider, an activation, and back: every token for itself."""

    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):  # [B, T, C] -> [B, T, C]
        return self.down(F.gelu(self.up(x)))


# %% [markdown] statement="Transformer"
# ### The block, and the whole model
#
# First write what the picture shows: the `forward` of `Block(width, attention, feed_forward)`. It takes two lines, and its four modules are there already.
#
# Then put the blocks together. At the bottom of the model, each token number fetches its vector from an **embedding** $[V, C]$. But this vector does not say
# where the token stands. So each place has a vector of its own, too, from a second table. This table has a row for each place of the longest text that the
# model can read; their number is called `block`, and has nothing to do with the class `Block`. The two vectors are added. Then come the $N$ blocks, one last
# norm, and at the top a score for each token of the vocabulary.
#
# How does a vector become scores? The score of a token is the product of the final vector with that token's own row of the embedding. So one matrix is used at
# both ends. Such **tied weights** save parameters. The idea behind them is that what a token means when it is read has much to do with what it means when it is
# written.
#
# So write `Transformer(vocabulary, block, width, blocks)` with
#
# - `embedding` and `positions`, both `nn.Embedding`;
# - `blocks`, a list of modules that are applied in order;
# - `norm`, an `nn.LayerNorm`, and `head`, a linear layer without bias whose weight *is* the one of `embedding`. It makes the scores.

# %% [markdown] hints="Transformer"
# 1. In the picture of the block, which two sums are on the thick line, and what does each module read? In the model, the first token of every text has place 0,
#    also when a text is shorter than `block`.
# 2. A Python list hides modules: torch finds parameters only in attributes that it knows. There is a list of its own.
# 3. Tied means one tensor under two names, not two with equal numbers: both attributes must hold the *same* object, so that
#    an update of one is an update of the other.


# %% task="Transformer" points=5 level=2 minutes=20
class Block(nn.Module):
    """Two modules, each of which reads a normalised copy of the stream and adds to it."""

    def __init__(self, width, attention, feed_forward):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), attention
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), feed_forward

    def forward(self, x):
        """[B, T, C] -> [B, T, C]; x stays as it is."""
        ### BEGIN SOLUTION
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))
        ### END SOLUTION


class Transformer(nn.Module):
    """Scores for the next token at each place of texts of up to `block` tokens; in `blocks` the same module may come twice."""

    def __init__(self, vocabulary, block, width, blocks):
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight
        ### END SOLUTION

    def forward(self, tokens):
        """[B, T] -> [B, T, V]"""
        ### BEGIN SOLUTION
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
        ### END SOLUTION


# %% family="Transformer"
def _with_weights(model, seed):
    """The model with other weights in all parameters; those of `head` are the embedding's."""
    weights = {}
    for name, old in model.named_parameters():
        name = name.replace("head", "embedding")  # tied, either may have come first
        dice = torch.Generator().manual_seed(seed + sum(map(ord, name)))
        new = torch.randn(old.shape, generator=dice) + 0.1
        weights[name] = new / old.shape[-1] ** 0.5 if old.ndim > 1 else new
    model.load_state_dict(weights, strict=False)
    return model


@beside_the_answer
def _called(kind, seed, V, C, tokens, order, mode, asked="scores", more=0):
    """Scores of a model of simple blocks, for tokens or beginnings of them; or its gradients."""
    T = tokens.shape[1]
    parts = [nn.Linear(C, C), nn.Softplus(), nn.Conv1d(T, T, 1), nn.Linear(C, C)]
    model = _with_weights(kind(V, T + more, C, [parts[i] for i in order]), seed)
    getattr(model.double(), mode)()
    if asked == "another head":
        model.head = nn.Linear(C, V + 1, bias=False).double()
        model.head.weight.data = torch.arange(V * C + C).view(V + 1, C).sin().double()
    if asked == "gradients":
        found = parameter_gradients(model, tokens)
        return {name.replace("head", "embedding"): w for name, w in found.items()}
    lengths = (1, 1 + T // 2, T) if asked == "beginnings" else (T,)
    return [model(tokens[:, :n]) for n in lengths]


_V, _C = size("V"), size("C", least=2, large=16)
_tokens = made(
    lambda rng, B, T, V: torch.tensor([rng.choices(range(V), k=T) for _ in range(B)]),
    *(size("B"), size("T"), _V),
)
_given = whole(0, 10**6), _V, _C, _tokens


# %% test="Transformer" aspect="a block adds to the stream" points=1
_C = 3
_block = Block(_C, torch_module("Linear", _C, _C), torch_module("Softplus"))
_s = {"attention.weight": torch.randn(_C, _C), "attention.bias": torch.randn(_C)}
for _norm in ("attention_norm", "feed_forward_norm"):
    _s |= {f"{_norm}.{_part}": torch.randn(_C) for _part in ("weight", "bias")}
_block.load_state_dict(_s)
_x = torch.randn(2, 4, _C)
_got = _block(_x.clone())
assert np.shape(_got) == (2, 4, _C), (
    f"x of shape {2, 4, _C}: the same is wanted back; yours: {_got!r}."
)
_read = F.layer_norm(_x, (_C,), _s["attention_norm.weight"], _s["attention_norm.bias"])
_x = _x + F.linear(_read, _s["attention.weight"], _s["attention.bias"])
_read = F.layer_norm(
    _x, (_C,), _s["feed_forward_norm.weight"], _s["feed_forward_norm.bias"]
)
assert close(_got, _x + F.softplus(_read), 1e-4, 1e-4), (
    "With given weights and simple modules your block is off. Attention reads the normalised stream and its result is added; "
    "then the feed-forward layer reads the normalised sum, and its result is added, too."
)


### BEGIN HIDDEN TESTS
@beside_the_answer
def _added(kind, seed, C, x):
    block = _with_weights(kind(C, nn.Linear(C, C), nn.Linear(C, C)), seed).double()
    x = x.clone().requires_grad_()
    stream = block(x)
    return stream.detach(), torch.autograd.grad(stream.square().sum(), x)[0]


agrees(
    Block,
    ours.Block,
    whole(0, 10**6),
    _C,
    tensor(size("B"), size("T"), _C, kind="float64"),
    by=_added,
    rtol=1e-4,
    atol=1e-4,
)
### END HIDDEN TESTS

# %% test="Transformer" aspect="scores by formula" points=1
_V, _T, _C = 7, 4, 3
_parts = [
    torch_module("Linear", _C, _C),
    torch_module("Softplus"),
    torch_module("Conv1d", _T, _T, 1),
]
_model = Transformer(_V, _T, _C, _parts)
_shapes = {"embedding.weight": (_V, _C), "positions.weight": (_T, _C)}
_shapes |= {"norm.weight": (_C,), "norm.bias": (_C,), "blocks.0.weight": (_C, _C)}
_shapes |= {"blocks.0.bias": (_C,), "blocks.2.weight": (_T, _T, 1)}
_shapes |= {"blocks.2.bias": (_T,), "head.weight": (_V, _C)}
_names = set(dict(_model.state_dict()))
assert set(_shapes) <= _names, (
    f"Weights {sorted(_shapes)} wanted; yours: {sorted(_names)}."
)
_s = {name: torch.randn(shape) for name, shape in _shapes.items()}
_s["head.weight"] = _s["embedding.weight"]
_model.load_state_dict(_s, strict=False)
_tokens = torch.randint(_V, (3, _T))
_got = _model(_tokens)
assert np.shape(_got) == (3, _T, _V), (
    f"Scores of shape {3, _T, _V} wanted; yours: {_got!r}."
)
_x = _s["embedding.weight"][_tokens] + _s["positions.weight"]
_x = F.softplus(F.linear(_x, _s["blocks.0.weight"], _s["blocks.0.bias"]))
_x = F.conv1d(_x, _s["blocks.2.weight"], _s["blocks.2.bias"])
_wanted = (
    F.layer_norm(_x, (_C,), _s["norm.weight"], _s["norm.bias"])
    @ _s["embedding.weight"].T
)
assert close(_got, _wanted, 1e-3, 1e-2), (
    "With given weights and simple blocks your scores are off: embedding + positions, blocks in order, norm, head."
)
### BEGIN HIDDEN TESTS
_order = choice([0, 1, 2, 3], [0, 1, 2, 0], [])  # of the blocks: one twice, none at all
_inputs = [*_given, _order, choice("train", "eval")]
for _asked in ("scores", "another head"):
    agrees(
        Transformer,
        ours.Transformer,
        *(*_inputs, choice(_asked)),
        by=_called,
        rtol=1e-4,
        atol=1e-4,
    )
### END HIDDEN TESTS

# %% test="Transformer" aspect="one matrix at both ends" points=1
_V, _block, _C = 7, 4, 3
### BEGIN HIDDEN TESTS
_V, _block, _C = 11, 5, 6
### END HIDDEN TESTS
_model = Transformer(_V, _block, _C, [torch_module("Linear", _C, _C)])
_state = dict(_model.state_dict())
assert np.shape(_state["embedding.weight"]) == (_V, _C), (
    f"embedding should be [V, C]; yours: {np.shape(_state['embedding.weight'])}."
)
assert close(_state["embedding.weight"], _state["head.weight"]), (
    "embedding and head start with different numbers."
)
_learned = {
    name: value.numel() for name, value in dict(_model.named_parameters()).items()
}
_wanted = _V * _C + _block * _C + (_C * _C + _C) + 2 * _C
assert sum(_learned.values()) == _wanted, (
    f"V = {_V}, block = {_block}, C = {_C}, one block of {_C * _C + _C}: {_wanted} numbers in all, for one matrix of "
    f"{_V * _C} serves both ends. Yours has {_learned}."
)
### BEGIN HIDDEN TESTS
_other = torch.randn(_V, _C)
_model.load_state_dict({"embedding.weight": _other}, strict=False)
assert close(dict(_model.state_dict())["head.weight"], _other), (
    "embedding got new numbers, and head did not notice."
)
### END HIDDEN TESTS

# %% test="Transformer" aspect="the weights of blocks are found" points=1
_model = Transformer(
    7, 4, 3, [torch_module("Linear", 3, 3), torch_module("Linear", 3, 3)]
)
_learned = dict(_model.named_parameters())
for _name in ("blocks.0.weight", "blocks.1.bias"):
    assert _name in _learned, (
        f"{_name} is not among {sorted(_learned)}: nothing would train it."
    )
_found = parameter_gradients(_model, torch.tensor([[1, 2, 3, 6]]))
for _name in _learned:
    assert _found[_name] is not None, f"No gradient reaches {_name}."
### BEGIN HIDDEN TESTS
_inputs = [*_given, choice([0, 3], [0, 0]), "train", "gradients"]
agrees(Transformer, ours.Transformer, *_inputs, by=_called, rtol=1e-4, atol=1e-4)
### END HIDDEN TESTS

# %% test="Transformer" aspect="shorter texts begin at place 0" points=1
_block, _lengths = 6, (1, 3)
_model = Transformer(
    11, _block, 3, [torch_module("Linear", 3, 3), torch_module("Softplus")]
)
_tokens = torch.randint(11, (2, _block))
_whole = _model(_tokens)
assert np.shape(_whole) == (2, _block, 11), (
    f"Scores of shape {2, _block, 11} wanted; yours: {_whole!r}."
)
for _T in _lengths:
    _got = _model(_tokens[:, :_T])
    assert np.shape(_got) == (2, _T, 11), (
        f"Block {_block}, a text of {_T}: shape {2, _T, 11} wanted; yours {np.shape(_got)}."
    )
    assert close(_got, _whole[:, :_T], 1e-3, 1e-4), (
        f"The first {_T} tokens alone do not get places 0 to {_T - 1}."
    )
### BEGIN HIDDEN TESTS
_order = choice([0, 1, 3], [0, 1, 0])
_inputs = [*_given, _order, "train", "beginnings", whole(0, 4)]
agrees(Transformer, ours.Transformer, *_inputs, by=_called, rtol=1e-4, atol=1e-4)
### END HIDDEN TESTS

# %% folded="draws the whole model" alt="Tokens become embeddings, positions are added, then come three blocks, a norm and the head, which gives scores. A dashed line says that embedding and head share their weights."
drawings.transformer_stack()

# %% [markdown]
# This is your model, from left to right. It is drawn with three blocks; you choose how many there are. The dashed line says that embedding and head are one
# matrix. Part by part, this is also the architecture of GPT-2.
#
# The next cell puts a small model together, with two blocks. The cell below it asks this model for the scores of one batch and prints their loss. No weight has
# been trained yet. Which loss do you expect?


# %%
def gpt(V=V, block=16, layers=2, heads=4, width=64):
    """The whole model, put together from your modules."""
    blocks = [
        Block(width, Attention(width, heads, block), FeedForward(width))
        for _ in range(layers)
    ]
    return Transformer(V, block, width, blocks)


# %%
set_seed(1)
scores = gpt()(batch(0)[0])
print(
    "scores:",
    list(scores.shape),
    " first loss:",
    round(lm_loss(scores, batch(0)[1]).item(), 1),
)
print(f"a model that knows nothing: ln V = {math.log(V):.2f}")
