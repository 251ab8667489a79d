# %% [markdown]
# ## 4. Parts that you know
#
# A Transformer stacks many layers, so its numbers must be kept tame and its gradients alive. Chapter 7 built the parts for that: **LayerNorm**, which brings each token's $C$ numbers to mean 0 and variance 1; a feed-forward layer with **GELU**; and the **pre-norm** block, whose
# two modules only add to the **stream** that runs through all layers. New is only that no place may see a later one. (`PostBlock` normalises after each sum; section 6 compares.)

# %% include="07_encoder:layer_norm"


# %%
class FeedForward(nn.Module):
    """Four times wider, an activation, and back: every token for itself."""

    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):  # [B, T, C] -> [B, T, C]
        return self.down(F.gelu(self.up(x)))


# %% include="07_encoder:Block"

# %% folded="draws the block" alt="The stream runs straight from a to b. Attention and feed-forward each read a normalised copy of it and add their result."
drawings.transformer_block("pre")

# %% [markdown] statement="Transformer"
# ## 5. The whole model
#
# Attention does not see order (chapter 6), so each place has a vector of its own, added to that of the token. Then blocks, a last norm, and a score for each token: the product with its embedding, so that one
# matrix serves both ends (**tied** weights).
#
# Write `Transformer(vocabulary, block, width, blocks)`:
#
# - `embedding` $[V, C]$, `positions` $[\text{block}, C]$, both `nn.Embedding`; then `blocks`, a list of modules, in order (a module may stand there
#   twice); then `norm`, an `nn.LayerNorm`;
# - `head`, linear without bias: logits $[B, T, V]$. Its weight *is* that of `embedding`.

# %% [markdown] hints="Transformer"
# 1. The first token of every text has place 0, also when a text is shorter than `block`.
# 2. A Python list hides modules: torch finds parameters only in attributes that it knows. There is a list of its own.
# 3. Tied means one tensor under two names, not two with equal numbers: both attributes must hold the *same* object, so that
#    an update of one is an update of the other.


# %% task="Transformer" points=4 level=2 minutes=18
class Transformer(nn.Module):
    """Scores for the next token at each place of texts of up to `block` tokens."""

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
_V, _T, _C = size("V"), size("T"), size("C", least=2, large=None)
_tokens = made(
    lambda rng, B, T, V: torch.tensor([rng.choices(range(V), k=T) for _ in range(B)]),
    *(size("B"), _T, _V),
)
_inputs = (whole(0, 10**6), _V, _C, choice(False, True), _tokens)


def _model_of(kind, seed, V, C, is_twice, T):
    torch.manual_seed(seed)
    here = kind is ours.Transformer  # parts are made where the model is
    part = (lambda name, *sizes: getattr(nn, name)(*sizes)) if here else torch_module
    blocks = [part("Linear", C, C), part("Softplus"), part("Conv1d", T, T, 1)]
    return kind(V, T, C, [*blocks, blocks[0] if is_twice else part("Linear", C, C)])


def _called(kind, seed, V, C, is_twice, tokens):
    sizes = seed, V, C, is_twice, tokens.shape[1]
    weights = dict(_model_of(ours.Transformer, *sizes).state_dict())
    del weights["head.weight"]  # it is embedding.weight
    model = _model_of(kind, *sizes)
    model.load_state_dict(
        {name: 1.5 * w + 0.1 for name, w in weights.items()}, strict=False
    )
    model.double()
    return model(tokens)


agrees(Transformer, ours.Transformer, *_inputs, by=_called, rtol=1e-4, atol=1e-4)
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
_V, _T, _C = size("V"), size("T"), size("C", least=2, large=None)
_tokens = made(
    lambda rng, B, T, V: torch.tensor([rng.choices(range(V), k=T) for _ in range(B)]),
    *(size("B"), _T, _V),
)
_inputs = (whole(0, 10**6), _V, _C, choice(False, True), _tokens)


def _model_of(kind, seed, V, C, is_twice, T):
    torch.manual_seed(seed)
    here = kind is ours.Transformer  # parts are made where the model is
    part = (lambda name, *sizes: getattr(nn, name)(*sizes)) if here else torch_module
    blocks = [part("Linear", C, C)]
    return kind(V, T, C, [*blocks, blocks[0] if is_twice else part("Linear", C, C)])


def _called(kind, seed, V, C, is_twice, tokens):
    sizes = seed, V, C, is_twice, tokens.shape[1]
    weights = dict(_model_of(ours.Transformer, *sizes).state_dict())
    del weights["head.weight"]  # it is embedding.weight
    model = _model_of(kind, *sizes)
    model.load_state_dict(
        {name: 1.5 * w + 0.1 for name, w in weights.items()}, strict=False
    )
    model.double()
    found = parameter_gradients(model, tokens)
    return {name.replace("head", "embedding"): w for name, w in found.items()}


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
_V, _T, _C = size("V"), size("T"), size("C", least=2, large=None)
_tokens = made(
    lambda rng, B, T, V: torch.tensor([rng.choices(range(V), k=T) for _ in range(B)]),
    *(size("B"), _T, _V),
)
_inputs = (whole(0, 10**6), _V, _C, choice(False, True), _tokens, whole(0, 4))


def _model_of(kind, seed, V, C, is_twice, T, more):
    torch.manual_seed(seed)
    here = kind is ours.Transformer  # parts are made where the model is
    part = (lambda name, *sizes: getattr(nn, name)(*sizes)) if here else torch_module
    blocks = [part("Linear", C, C), part("Softplus")]
    return kind(
        V, T + more, C, [*blocks, blocks[0] if is_twice else part("Linear", C, C)]
    )


def _called(kind, seed, V, C, is_twice, tokens, more):
    sizes = seed, V, C, is_twice, tokens.shape[1], more
    weights = dict(_model_of(ours.Transformer, *sizes).state_dict())
    del weights["head.weight"]  # it is embedding.weight
    model = _model_of(kind, *sizes)
    model.load_state_dict(
        {name: 1.5 * w + 0.1 for name, w in weights.items()}, strict=False
    )
    model.double()
    return [model(tokens[:, :n]) for n in (1, 1 + len(tokens[0]) // 2, len(tokens[0]))]


agrees(Transformer, ours.Transformer, *_inputs, by=_called, rtol=1e-4, atol=1e-4)
### END HIDDEN TESTS

# %% folded="draws the whole model" alt="Tokens become embeddings, positions are added, then come three blocks, a norm and the head, which gives scores. A dashed line says that embedding and head share their weights."
drawings.transformer_stack()

# %% [markdown]
# Your model, from left to right; the dashed line is the one matrix at both ends.
#
# <details><summary>A slip in the printed slides</summary>
#
# Lecture 003 stacks blocks as $h_i^k = \text{TransformerBlock}^k(h_i^{k-1}, \dots, h_i^{k-1})$, with $h_i^k$ the vector of place $i$ after block $k$. Printed so, all keys and values are one vector, and attention does nothing. Meant is
# $(h_1^{k-1}, \dots, h_i^{k-1})$: all places up to $i$.
#
# </details>
