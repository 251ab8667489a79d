# %% [markdown] statement="initialise"
# ## 6. The first loss
#
# A model that knows nothing should say so: all tokens alike, loss $\ln V$. For that, all scores must be small at first, and so must the weights. But $2N$ modules add to the stream; their variances add, so each should begin with a $2N$-th of the variance, that is $1 / \sqrt{2N}$ of the deviation.
#
# Write `initialise(model, layers)`, which changes the numbers in place (whoever shares a weight still shares it), $N$ = `layers`:
#
# - weights of every `nn.Linear` and `nn.Embedding` (classes derived from them, too): normal, standard deviation 0.02; biases of linear layers 0; norms stay as
#   they are;
# - but weights of linear layers called just `out` or `down` (the last part of the path), which write into the stream: $0.02 / \sqrt{2N}$.

# %% [markdown] hints="initialise"
# 1. `nn.init` has functions that fill a tensor in place.
# 2. `model.named_modules()` gives every module, however deep, with its path, such as `blocks.3.attention.out`.
# 3. Decide by the kind of a module *whether*, and by the last part of its path *how wide*. A layer may have no bias.


# %% task="initialise" points=3 level=2 minutes=14
def initialise(model, layers):
    """Fill the weights of a module that has `layers` blocks; returns nothing."""
    ### BEGIN SOLUTION
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = isinstance(module, nn.Linear) and name.split(".")[-1] in (
                "out",
                "down",
            )
            nn.init.normal_(
                module.weight, std=0.02 / math.sqrt(2 * layers) if writes else 0.02
            )
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
    ### END SOLUTION


# %%
def assembled(plan):
    """A module of modules, from kinds of modules by their dotted paths."""
    tree = {}
    for path, kind in plan.items():
        first, _, rest = path.partition(".")
        tree.setdefault(first, {})[rest] = kind
    parts = {
        name: torch_module(*inner[""]) if "" in inner else assembled(inner)
        for name, inner in tree.items()
    }
    return torch_module("ModuleDict", parts)


def stand_in(layers, C=48):
    """A module with parts named as in a model, full blocks at both ends; and the random numbers of its norms."""
    whole = {"norm": ("LayerNorm", C), "output_gate.query": ("Linear", C, C)}
    whole |= {"attention.query": ("Linear", C, C), "attention.out": ("Linear", C, C)}
    whole |= {"feed_forward.up": ("Linear", C, 2 * C)}
    whole |= {"feed_forward.down": ("Linear", 2 * C, C)}
    plan = {"embedding": ("Embedding", 60, C), "tables.down": ("Embedding", 50, C)}
    plan |= {"readout": ("Linear", C, 50), "head": ("Linear", C, 60, False)}
    plan |= {"out.query": ("Linear", C, C)}
    for k in range(layers):
        some = whole if k in (0, layers - 1) else ["attention.out"]
        plan |= {f"blocks.{k}.{path}": whole[path] for path in some}
    model = assembled(plan)
    norms = [name for name in dict(model.state_dict()) if ".norm." in name]
    norms = {name: torch.randn(C) for name in norms}
    model.load_state_dict(norms, strict=False)
    return model, norms


# %% test="initialise" aspect="small normal weights" points=1
_layers = 2
### BEGIN HIDDEN TESTS
_layers = 3
### END HIDDEN TESTS
_model, _ = stand_in(_layers)
_before = dict(_model.state_dict())
initialise(_model, _layers)
_state = dict(_model.state_dict())
for _name in (
    "embedding",
    "head",
    "blocks.0.attention.query",
    f"blocks.{_layers - 1}.feed_forward.up",
):
    _values = np.ravel(_state[f"{_name}.weight"])
    assert len(_values) == _before[f"{_name}.weight"].numel(), (
        f"{_name}: its weights are gone."
    )
    assert math.isclose(_values.std(), 0.02, rel_tol=0.1), (
        f"{_name}: deviation .02 wanted; yours: {_values.std():.4f}."
    )
    assert abs(_values.mean()) < 0.002, (
        f"{_name}: mean 0 wanted; yours: {_values.mean():.4f}."
    )
    assert abs(_values).max() > 0.05, (
        f"{_name}: normal numbers reach beyond 2.5 deviations; yours stop before."
    )
### BEGIN HIDDEN TESTS
_got = np.ravel(_state["out.query.weight"]).std()
assert math.isclose(_got, 0.02, rel_tol=0.1), (
    "out.query: the last part of its path is query, so deviation .02 wanted; "
    f"yours: {_got:.4f}."
)
for _name in ("embedding", "head", "tables.down"):
    assert np.asarray(_state[f"{_name}.weight"]).std(1).min() > 0.01, (
        f"{_name}: each row should be drawn, also that of token 0; one of yours is constant."
    )
assert not close(
    _state["blocks.0.attention.query.weight"], _state["blocks.2.attention.query.weight"]
), "Two layers begin with the same numbers: each should be drawn for itself."
_learned, _head = dict(_model.named_parameters()), _state["head.weight"].clone()
initialise(_model, _layers)
assert not close(_model.get_parameter("head.weight"), _head), (
    "A second time begins with the same numbers as the first: no fixed seed in here, please."
)
for _name in _before:
    assert _name in _learned, f"{_name} is no parameter any more after your initialise."
_model, _table = torch_module("Module"), torch_module("Embedding", 60, 50)
_tied, _steps = torch_module("ParameterList"), [torch_module("Module") for _ in "ab"]
_steps[0].forward, _steps[1].forward = _table.get_parameter, _tied.append
torch_module("Sequential", *_steps)("weight")  # one tensor in two places
_model.add_module("table", _table)
_model.add_module("tied", _tied)
_model.add_module("mixer", torch_module("MultiheadAttention", 60, 2))
initialise(_model, 3)
_state = dict(_model.state_dict())
assert close(_state["tied.0"], _state["table.weight"]), (
    "An embedding shared its weight with another part of the model; after your initialise "
    "they differ. Fill the tensor that is there, and put no new one in its place."
)
_got = np.ravel(_state["mixer.out_proj.weight"]).std()
assert math.isclose(_got, 0.02, rel_tol=0.1), (
    "out_proj of torch's MultiheadAttention is of a class derived from nn.Linear: "
    f"deviation .02 wanted; yours: {_got:.4f}."
)
### END HIDDEN TESTS

# %% test="initialise" aspect="writers start smaller" points=1
_cases = (2, 4)
### BEGIN HIDDEN TESTS
_cases = (1, 5)
### END HIDDEN TESTS
for _layers in _cases:
    _model, _ = stand_in(_layers)
    initialise(_model, _layers)
    _state = dict(_model.state_dict())
    for _name in (f"blocks.{_layers // 2}.attention.out", "blocks.0.feed_forward.down"):
        _wanted, _got = (
            0.02 / math.sqrt(2 * _layers),
            np.ravel(_state[f"{_name}.weight"]).std(),
        )
        assert math.isclose(_got, _wanted, rel_tol=0.1), (
            f"{_layers} layers, {_name}: deviation {_wanted:.4f} wanted; yours: {_got:.4f}."
        )
### BEGIN HIDDEN TESTS
for _name in ("blocks.0.output_gate.query", "blocks.4.output_gate.query", "readout"):
    _got = np.ravel(_state[f"{_name}.weight"]).std()
    assert math.isclose(_got, 0.02, rel_tol=0.1), (
        f"A linear layer {_name} is not called out or down, so deviation .02 wanted; yours: {_got:.4f}. "
        "The whole last part of the path counts."
    )
_got = np.ravel(_state["tables.down.weight"]).std()
assert math.isclose(_got, 0.02, rel_tol=0.1), (
    f"An embedding called down is no linear layer, so deviation .02 wanted; yours: {_got:.4f}."
)
_model = torch_module("Module")
_model.add_module("out", torch_module("Linear", 70, 60))
initialise(_model, 8)
_got = np.ravel(dict(_model.state_dict())["out.weight"]).std()
assert math.isclose(_got, 0.005, rel_tol=0.1), (
    f"8 layers, a layer out that lies in no block: deviation .0050 wanted; yours: {_got:.4f}."
)
### END HIDDEN TESTS

# %% test="initialise" aspect="biases zero, norms untouched" points=1
_layers = 2
### BEGIN HIDDEN TESTS
_layers = 3
### END HIDDEN TESTS
_model, _norms = stand_in(_layers)
_before = dict(_model.state_dict())
initialise(_model, _layers)
_state = dict(_model.state_dict())
for _name in _before:
    assert np.shape(_state[_name]) == np.shape(_before[_name]), (
        f"{_name} should keep its shape."
    )
    if _name in _norms:
        assert close(_state[_name], _norms[_name]), (
            f"{_name}: norms should stay as they are; yours is changed."
        )
    elif _name.endswith("bias"):
        assert not np.any(np.asarray(_state[_name])), (
            f"{_name}: a bias should start at 0."
        )


# %%
def gpt(kind=Block, V=V, block=16, layers=2, heads=4, width=64):
    """The whole model, put together of your parts."""
    blocks = [
        kind(width, Attention(width, heads, block), FeedForward(width))
        for _ in range(layers)
    ]
    return Transformer(V, block, width, blocks)


# %% [markdown]
# Predict: torch draws embeddings with deviation 1. Is the first loss then a little above $\ln V$, twice, ten times? We measure three starts, and how often the model's favourite next token is the one it has just read:


# %%
def first_scores(start):
    """Scores and targets of a fresh model on 64 texts; start: "torch", "untied" or "ours"."""
    set_seed(1)
    model, (inputs, targets) = gpt(), batch(0, B=64)
    if start == "untied":
        model.head.weight = nn.Parameter(torch.randn(V, 64))  # a matrix of its own
    elif start == "ours":
        initialise(model, 2)
    with torch.no_grad():
        return model(inputs), inputs, targets


# %%
rows = {}
for start in ("torch", "untied", "ours"):
    scores, inputs, targets = first_scores(start)
    itself = scores.gather(2, inputs[..., None]).mean().item()
    rows[start] = {
        "first loss": lm_loss(scores, targets).item(),
        "favours its own token (%)": 100 * (scores.argmax(-1) == inputs).float().mean(),
        "score of its own token": itself,
        "deviation of scores": scores.std().item(),
    }
print(f"ln V = {math.log(V):.2f}")
pd.DataFrame(rows).T.astype(float).round(1)

# %% [markdown]
# The start "untied" tells two causes apart (one draw each; the sizes can be worked out). A score is a product of $C = 64$ normalised numbers with $C$ numbers of deviation 1: deviation $\sqrt{64} = 8$. So the model is sure of something random, and that alone costs some 18 nats. The rest is
# tying: the stream still holds the input token's embedding $u$, beside a position vector of the same size, and its score is the product of $u / \sqrt 2$ with $u$ itself, about $64 / \sqrt 2 = 45$. It is sure that every letter comes twice. Your start leans the same way, but so little (a score of 0.8, deviations of 0.2) that its loss is $\ln V$.

# %% [markdown]
# Now the two norms, and none. "Transformers are very sensitive to the learning rate", says lecture 003, so *one* rate would prove nothing: we try seven rates, each with three seeds, and let every kind have its own best. Four layers, 80 steps, no clipping,
# no weight decay; recorded in `data/transformer` (`python -m benchmarks.record.transformer` makes it again).

# %%
shares = torch.bincount(ids) / len(ids)
alone = -(shares * shares.log()).sum()  # entropy of a letter without context
rates = pd.read_csv(paths.DATA / "transformer" / "rates.csv")
no_decay = rates[rates.decay == 0].groupby("schedule")

# %% folded="draws the learning rates" alt="Valleys of loss over the learning rate. With a constant rate the model without norm is lost from 0.1 on; with warm-up and cosine the others stay low over a wider range."
kinds = ("pre-norm", "post-norm", "no norm")
_, panels = plt.subplots(1, 2, sharey=True, figsize=(8, 2.6))
for axes, (schedule, part) in zip(panels, no_decay, strict=True):
    for colour, kind in zip(plots.COLOURS, kinds, strict=False):
        one = part[part.kind == kind].pivot(index="rate", columns="seed", values="nats")
        if len(one):
            dots(axes, one.index, one.fillna(5).clip(upper=5), colour, kind)
    axes.axhline(alone, color="gray", linestyle=":", label="letters alone")
    axes.set(xscale="log", xlabel="learning rate (log)", title=schedule)
panels[0].set(ylabel="loss (nats per letter)", ylim=(2.2, 5.1))
panels[1].legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Pre-norm's lowest point, at rate 0.003, is clearly below the dotted line: it uses context. Post-norm reaches that line at nearly every rate, in every seed, and stays there: in 80 steps it has learned how frequent letters are, and no more. That is no verdict on longer trainings: in section 18, after 485 steps with two layers, post-norm is only 0.03 bits behind. It is slower to *start*.
#
# No norm at all? At the constant rate 0.01 it uses context as well; from 0.1 on its loss is no longer a number. What pre-norm buys here is a wider choice of rates. (A dot above 5 or lost stands at 5.)
