# %% [markdown]
# ## 15. A model of your own parts
#
# Now the parts become a block of the present day: pre-norm with RMSNorm, turned queries and keys, no biases, squared ReLU, and a cache. Two cells give it its tools, made of your functions. (Kitchen stories are short, so the slowest pairs may turn faster: base 1000 instead of 10000.)


# %%
def turn(x, first, base=1000):
    """Your rotate, for x [B, H, T, D] whose places are first, first + 1, ..."""
    T, D = x.shape[-2:]
    speeds = angles(2, D)[1] ** (math.log(base) / math.log(10_000))
    theta = torch.arange(first, first + T)[:, None] * speeds
    return rotate(x, theta.to(x.device))


# %%
def attend(q, k, v, past):
    """Your attend_next, or, for T tokens from the beginning, attention with your mask."""
    if past is not None:
        return attend_next(q, k, v, past)
    mask = additive_mask(q.shape[2]).to(q.device)
    s = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1]) + mask
    return s.softmax(-1) @ v, (k, v)


# %% [markdown] statement="ModernBlock"
# Write `ModernBlock(width, heads, norm, turn, attend, bend)`; the last four are functions, used as they are handed over: `norm(x, gain)`, `turn(x, first)`, `attend(q, k, v, past)` as above, and `bend(x)`, the activation function.
#
# - Parameters: `attention_gain` and `feed_forward_gain` $[C]$, ones; linear layers without bias: `query`, `key`, `value`, `out` ($C \to C$), `up` ($C \to 4C$), `down` ($4C \to C$).
# - `forward(x, past=None)`: $x$ $[B, T, C]$; returns the pair (new $x$, what `attend` returned as new past). Places begin at 0; with a past, at the number of places that its keys hold.
#
# Heads as in `multi_head`: head $h$ has columns $hD$ to $(h + 1)D - 1$.

# %% [markdown] hints="ModernBlock"
# 1. Twice: a normalised copy goes through a branch, and what comes out is added to the stream.
# 2. Queries and keys are turned, values are not; and turned only once they are cut into heads $[B, H, T, D]$.
# 3. Norm, three projections, heads, turn, attend, heads joined again, `out`, sum; norm, `up`, `bend`, `down`, sum. The first place is read off the shape of the past's keys.


# %% task="ModernBlock" points=3 level=3 minutes=23
class ModernBlock(nn.Module):
    """Pre-norm block without biases, made of functions; it can go on where a past ends."""

    def __init__(self, width, heads, norm, turn, attend, bend):
        super().__init__()
        ### BEGIN SOLUTION
        self.heads, self.norm, self.turn = heads, norm, turn
        self.attend, self.bend = attend, bend
        self.attention_gain = nn.Parameter(torch.ones(width))
        self.feed_forward_gain = nn.Parameter(torch.ones(width))
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)
        ### END SOLUTION

    def forward(self, x, past=None):
        """([B, T, C], new past) from x [B, T, C], which stays as it is."""
        ### BEGIN SOLUTION
        B, T, C = x.shape
        y = self.norm(x, self.attention_gain)
        q, k, v = (
            part(y).view(B, T, self.heads, C // self.heads).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        first = 0 if past is None else past[0].shape[2]
        z, past = self.attend(self.turn(q, first), self.turn(k, first), v, past)
        x = x + self.out(z.transpose(1, 2).reshape(B, T, C))
        y = self.norm(x, self.feed_forward_gain)
        return x + self.down(self.bend(self.up(y))), past
        ### END SOLUTION


# %%
def block_parts(C):
    """Random weights for a block, by name."""
    shapes = {"attention_gain": (C,), "feed_forward_gain": (C,)}
    shapes |= {f"{name}.weight": (C, C) for name in ("query", "key", "value", "out")}
    shapes |= {"up.weight": (4 * C, C), "down.weight": (C, 4 * C)}
    return {name: torch.randn(shape) / C**0.5 for name, shape in shapes.items()}


def some_norm(x, gain):
    return gain * x / (1 + x.abs().amax(-1, keepdim=True))


def some_turn(x, first):  # not a rotation: a test can see which places were meant
    return x * (1 + 0.3 * (first + torch.arange(x.shape[-2])))[:, None]


def some_attend(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
    t = k.shape[2]
    s = q @ k.mT / q.shape[-1] ** 0.5
    s = s + torch.full((t, t), -math.inf).triu(1)[t - q.shape[2] :]
    return s.softmax(-1) @ v, (k, v)


def some_bend(x):
    return x.clamp(min=-0.5) ** 2


def block_by_formula(w, x, H, past=None):
    """What a block with weights w makes of x [B, T, C], and the new past, head by head."""
    B, T, C = x.shape
    D, y = C // H, some_norm(x, w["attention_gain"])
    q, k, v = (y @ w[f"{name}.weight"].T for name in ("query", "key", "value"))
    q, k, v = (torch.stack(part.split(D, dim=2), dim=1) for part in (q, k, v))
    first = 0 if past is None else past[0].shape[2]
    z, past = some_attend(some_turn(q, first), some_turn(k, first), v, past)
    x = x + torch.cat(z.unbind(1), dim=2) @ w["out.weight"].T
    y = some_norm(x, w["feed_forward_gain"]) @ w["up.weight"].T
    return x + some_bend(y) @ w["down.weight"].T, past


# %% test="ModernBlock" aspect="weights by name" points=1
_C, _H = 6, 2
### BEGIN HIDDEN TESTS
_C, _H = 12, random.choice((3, 4))
### END HIDDEN TESTS
_block = ModernBlock(_C, _H, some_norm, some_turn, some_attend, some_bend)
_wanted = {name: tuple(part.shape) for name, part in block_parts(_C).items()}
_found = {n: np.shape(part) for n, part in dict(_block.named_parameters()).items()}
assert _found == _wanted, f"width = {_C}: parameters {_wanted} wanted; yours: {_found}."
for _name in ("attention_gain", "feed_forward_gain"):
    assert close(dict(_block.state_dict())[_name], np.ones(_C)), (
        f"{_name} should begin as {_C} ones."
    )
### BEGIN HIDDEN TESTS
_state = dict(_block.state_dict())
assert not close(_state["query.weight"], _state["key.weight"]), (
    "Queries and keys begin with the same numbers."
)
### END HIDDEN TESTS

# %% test="ModernBlock" aspect="from the beginning, by formula" points=1
_sizes = ((2, 4, 6, 2),)
### BEGIN HIDDEN TESTS
_sizes = ((3, 5, 8, 2), (1, 1, 6, 3), (2, 7, 9, 1), (3, 4, 12, 6), (1, 3, 8, 8))
### END HIDDEN TESTS
for _B, _T, _C, _H in _sizes:
    _block = ModernBlock(_C, _H, some_norm, some_turn, some_attend, some_bend)
    _w, _x = block_parts(_C), torch.randn(_B, _T, _C)
    _block.load_state_dict(_w)
    _got, (_wanted, _past) = _block(_x.clone()), block_by_formula(_w, _x, _H)
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"forward returns the pair (new x, new past); yours: {_got!r}."
    )
    assert np.shape(_got[0]) == (_B, _T, _C), (
        f"x is {_B, _T, _C}, so the new x is; yours: {np.shape(_got[0])}."
    )
    assert close(_got[0], _wanted, 1e-3, 1e-4), (
        f"B, T, C = {_B, _T, _C}, {_H} heads, random weights: not what the parts give. Norm before each branch? Values not turned? "
        "Both sums?"
    )
    assert isinstance(_got[1], tuple | list) and len(_got[1]) == 2, (
        f"The new past is the pair that attend returned; yours: {_got[1]!r}."
    )
    assert all(close(*two, 1e-3, 1e-4) for two in zip(_got[1], _past, strict=True)), (
        f"B, T, C = {_B, _T, _C}, {_H} heads: the new past is not turned keys and values, "
        "both [B, H, T, D]."
    )
### BEGIN HIDDEN TESTS
assert close(arguments_after(_block, _x.clone())[0], _x), "x is changed in place."
_other = ModernBlock(
    8,
    4,
    lambda x, gain: 2 * x + gain,
    lambda x, first: -x,
    lambda q, k, v, past: (q + 2 * k + 3 * v, (k, v)),
    lambda x: 1 - x,
)
_w, _x = block_parts(8), torch.randn(2, 3, 8)
_other.load_state_dict(_w)
_y = 2 * _x + _w["attention_gain"]
_z = (-_y @ _w["query.weight"].T) - 2 * (_y @ _w["key.weight"].T)
_z = _z + 3 * (_y @ _w["value.weight"].T)
_h = _x + _z @ _w["out.weight"].T
_y = (2 * _h + _w["feed_forward_gain"]) @ _w["up.weight"].T
assert close(_other(_x.clone())[0], _h + (1 - _y) @ _w["down.weight"].T, 1e-3, 1e-3), (
    "Other functions were handed over as norm, turn, attend and bend, and the block does "
    "not use them, or not as they are."
)
### END HIDDEN TESTS

# %% test="ModernBlock" aspect="goes on behind a past" points=1
_cases = ((2, 3, 6, 2),)
### BEGIN HIDDEN TESTS
_cases = ((3, 4, 8, 2), (1, 1, 6, 3), (2, 6, 9, 1), (2, 5, 12, 4))
### END HIDDEN TESTS
for _B, _t, _C, _H in _cases:
    _block = ModernBlock(_C, _H, some_norm, some_turn, some_attend, some_bend)
    _w, _x = block_parts(_C), torch.randn(_B, _t + 2, _C)
    _block.load_state_dict(_w)
    _whole, _ = block_by_formula(_w, _x, _H)
    _got = _block(_x[:, :_t])
    assert isinstance(_got, tuple | list) and len(_got) == 2, (
        f"forward returns the pair (new x, new past); yours: {_got!r}."
    )
    for _new in (_t, _t + 1):
        _kept = tuple(torch.as_tensor(part) for part in _got[1])
        _got = _block(_x[:, _new : _new + 1], _kept)
        assert isinstance(_got, tuple | list) and np.shape(_got[0]) == (_B, 1, _C), (
            f"One new token for each of {_B} texts: a new x of shape {_B, 1, _C} wanted."
        )
        assert close(_got[0], _whole[:, _new : _new + 1], 1e-3, 1e-4), (
            f"{_H} heads, {_new} tokens in the past: the new one gets something else than in the whole text. "
            f"Its place is {_new}."
        )
        assert np.shape(_got[1][0]) == (_B, _H, _new + 1, _C // _H), (
            f"Then the past holds {_new + 1} places; yours: {np.shape(_got[1][0])}."
        )
### BEGIN HIDDEN TESTS
_fresh = ModernBlock(_C, _H, some_norm, some_turn, some_attend, some_bend)
_fresh.load_state_dict(_w)
for _block_again in (_fresh, _block):
    _, _half = block_by_formula(_w, _x[:, :3], _H)
    _got = _block_again(_x[:, 3:4], tuple(part.clone() for part in _half))
    assert close(_got[0], _whole[:, 3:4], 1e-3, 1e-4), (
        "A past of three places was handed over: only it says what was before, nothing that the block remembers itself."
    )
    _alone, _ = block_by_formula(_w, _x[:, 3:4], _H)
    assert close(_block_again(_x[:, 3:4])[0], _alone, 1e-3, 1e-4), (
        "A text of one token without a past: it begins at place 0, whatever was read before."
    )


def _forgetful(q, k, v, past):  # keeps the last two places only
    z, kept = some_attend(q, k, v, past)
    return z, tuple(part[:, :, -2:] for part in kept)


_short = ModernBlock(_C, _H, some_norm, some_turn, _forgetful, some_bend)
_short.load_state_dict(_w)
_kept = _short(_x[:, :3])[1]
for _new in (3, 4):
    assert np.shape(_kept[0]) == (_B, _H, 2, _C // _H), (
        "An `attend` that keeps the last two places: its pair is the new past, as it is; "
        f"yours holds keys of the shape {np.shape(_kept[0])}."
    )
    _kept = _short(_x[:, _new : _new + 1], tuple(map(torch.as_tensor, _kept)))[1]
assert np.shape(_kept[0]) == (_B, _H, 2, _C // _H), (
    "Behind a past, too, what `attend` returns is the new past, as it is."
)
_, _half = block_by_formula(_w, _x[:, :2], _H)
_got = _block(_x[:, 2:], tuple(part.clone() for part in _half))
assert np.shape(_got[0]) == (_B, _t, _C), (
    f"{_t} new tokens behind a past: a new x of shape {_B, _t, _C} wanted."
)
assert close(_got[0], _whole[:, 2:], 1e-3, 1e-4), (
    f"{_t} new tokens behind a past of 2 places: the first of them stands at place 2, the "
    "others after it; they get something else than in the whole text."
)
### END HIDDEN TESTS

# %% [markdown]
# The rest of the model is as in section 5, with a past for each block:


# %%
class Modern(nn.Module):
    """Logits [B, T, V] and the new past, from tokens [B, T] and a past; blocks of your parts."""

    def __init__(self, V, C, layers, heads):
        super().__init__()
        self.embedding = nn.Embedding(V, C)
        parts = C, heads, rms_norm, turn, attend, squared_relu
        self.blocks = nn.ModuleList(ModernBlock(*parts) for _ in range(layers))
        self.gain = nn.Parameter(torch.ones(C))

    def forward(self, tokens, past=None):
        x, kept = self.embedding(tokens), []
        for i, block in enumerate(self.blocks):
            x, pair = block(x, None if past is None else past[i])
            kept.append(pair)
        return rms_norm(x, self.gain) @ self.embedding.weight.T, kept


# %%
run = runs.load("kitchen-transformer-muon")  # recorded: trained for longer
network, symbols = run.model.network, run.model.symbols
size = network.config
documents = [document.tokens for document in kitchen.split("train")]
words = torch.cat(encode(symbols, documents))  # each story ends with </s>
print(f"{len(words):,} words, V = {len(symbols):,}:", *symbols[200:210])


# %%
def word_batch(step, B=16, T=32):
    starts = np.random.default_rng([16, step]).integers(0, len(words) - T, B)
    return examples(words, torch.from_numpy(starts), T)


# %%
def own_training(model, steps, rate, n, decay=0.01, betas=(0.9, 0.98)):
    """Train with your loss, rate_factor and adamw_step, nothing of torch's but gradients."""
    weights, losses = list(model.parameters()), []
    means = [(torch.zeros_like(w), torch.zeros_like(w)) for w in weights]
    for s in range(steps):
        inputs, targets = (side.to(device) for side in word_batch(s))
        loss = lm_loss(model(inputs)[0], targets)
        slopes = torch.autograd.grad(loss, weights)
        now = rate * float(rate_factor(s, steps, n, 0.0))
        with torch.no_grad():
            for i, (w, g) in enumerate(zip(weights, slopes, strict=True)):
                shrink = decay if w.ndim >= 2 else 0.0  # gains do not decay
                new, *means[i] = adamw_step(
                    w, g, *means[i], s + 1, now, shrink, betas, 1e-8
                )
                w.copy_(new)
        losses.append(loss.item())
    return losses


# %%
def fresh():
    set_seed(1)
    model = Modern(len(symbols), size.width, size.layers, size.heads)
    initialise(model, size.layers)
    return model.to(device)


def word_loss(model, batch):
    return lm_loss(model(batch[0])[0], batch[1]), batch[1].numel()


# %%
steps = budget().choose(grading=40, laptop=1_000, gpu=1_000)
mine, theirs = fresh(), fresh()
losses = own_training(mine, steps, 4e-3, steps // 10)
history = train(
    theirs,
    word_batch,
    word_loss,
    steps=steps,
    optimiser=adamw(theirs, 4e-3, 0.01, (0.9, 0.98)),
    schedule=warmup_cosine(steps // 10, 0.0),
    clip=None,
    every=max(1, steps // 20),
)

# %% alt="The loss of your steps falls from 7 to 5 nats within 40 steps, and the crosses of torch's AdamW lie on it."
_, axes = plt.subplots()
axes.plot(range(1, steps + 1), losses, color=plots.COLOURS[0], label="your steps")
axes.plot(
    history["step"], history["train loss"], "x", color="black", label="torch's AdamW"
)
axes.axhline(math.log(len(symbols)), color="gray", linestyle=":", label="ln V")
axes.set(xlabel="step", ylabel="loss (nats per word)", ylim=(0, None))
axes.legend()
plt.show()

# %% [markdown]
# Your model, trained by your optimiser on your schedule, follows torch's from the first loss, $\ln V$, down. (Crosses are means of the steps since the last cross.) Forty steps are few; on your machine this cell runs 1,000. The same model was trained on fresh stories for 17 minutes of CPU time, by an optimiser that treats each matrix as a whole (Muon, K. Jordan), and recorded. Its weights fit into yours; only names differ:


# %%
def own_name(name):
    """The recorded name of a weight -> the name in your model."""
    name = name.replace("attention.", "").replace("feed_forward.", "")
    name = name.replace("_norm.weight", "_gain")
    return "gain" if name == "norm.weight" else name


# %%
writer = fresh()
recorded = {own_name(name): w for name, w in network.state_dict().items()}
del recorded["head.weight"]  # tied: it is the embedding
writer.load_state_dict(recorded)
held_out = [document.tokens for document in kitchen.split("valid")[:60]]
before = words.new_tensor([symbols.index("</s>")])  # what stands before a story
heard = torch.stack(
    [torch.cat([before, one[:32]]) for one in encode(symbols, held_out)]
)
heard = heard.to(device)
with torch.no_grad():
    difference = (writer(heard)[0] - network.to(device)(heard)).abs().max().item()
    losses = [
        lm_loss(model(heard[:, :-1])[0], heard[:, 1:]) for model in (mine, writer)
    ]
print(f"your model and the recorded one differ by at most {difference:.3f} in a score")
print(
    f"loss on held-out stories, first 32 words: after {steps} steps {losses[0]:.2f},",
    f"recorded {losses[1]:.2f}",
)

# %% [markdown]
# The scores are the same: what you built *is* that model. The two losses are on sixty stories that neither of them has
# learned from, and the longer training shows. Scores are not yet words, though. How do we choose a word from scores?
