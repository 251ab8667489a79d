# %% [markdown]
# ## 8. Four patients
#
# A wrong model trains, too: its loss falls, and no message says what is wrong. Three questions find many faults before a long training: is the first loss $\ln V$? Does one batch, again and again, go down to nearly 0? And does any place see
# the future? We train four models on one batch; three of them are ill.


# %%
class Patient(nn.Module):
    """A small Transformer with one layer, and perhaps with something wrong."""

    def __init__(self, ill, C=32, T=16):
        super().__init__()
        self.C, self.embedding = C, nn.Embedding(V, C)
        self.positions = nn.Parameter(0.02 * torch.randn(T, C))
        self.qkv, self.out = nn.Linear(C, 3 * C), nn.Linear(C, C)
        self.feed_forward = FeedForward(C)
        nn.init.normal_(self.embedding.weight, std=1 if ill == 1 else 0.02)
        future = torch.full((T, T), -math.inf)
        masks = [future.triu(1)] * 2 + [torch.zeros(T, T), future.fill_diagonal_(0)]
        self.register_buffer("mask", masks[ill])
        self.register_buffer("use", torch.tensor(float(ill != 3)))

    def forward(self, tokens):
        x = self.embedding(tokens) + self.use * self.positions
        q, k, v = self.qkv(F.layer_norm(x, (self.C,))).chunk(3, -1)
        x = x + self.out(multi_head(q, k, v, 4, self.mask))
        x = x + self.feed_forward(F.layer_norm(x, (self.C,)))
        return F.layer_norm(x, (self.C,)) @ self.embedding.weight.T


# %%
rows = ids[: 8 * 170].view(8, 170).to(device)
one_batch = rows[:, :16], rows[:, 1:17]


def batch_loss(model, batch):
    inputs, targets = batch
    scores = model(inputs).flatten(0, 1)
    return F.cross_entropy(scores, targets.flatten()), targets.numel()


def by_heart(model, rate):
    """100 steps on one batch; the loss of each."""
    sizes = {"steps": 100, "rate": rate, "every": 1}
    return train(model, lambda _: one_batch, batch_loss, **sizes)["train loss"]


# %%
patients, table = {}, {}
order = sorted(range(4), key=lambda ill: hashlib.md5(b"ward 12, bed %d" % ill).digest())
for name, ill in zip("ABCD", order, strict=True):  # no peeping: measure
    set_seed(1)
    patients[name] = Patient(ill).to(device)
    losses = by_heart(patients[name], 1e-2)
    table[name] = {
        "first loss": losses.iloc[0],
        "after 100 steps on one batch": losses.iloc[-1],
    }
pd.DataFrame(table).T.round(1)

# %% [markdown] statement="leaks"
# The table answers two questions. The third needs a function:
#
# - `leaks(model, tokens)`: True if exchanging any *one* token changes a score at an *earlier* place. `model` maps tokens $[B, T]$ to scores
#   $[B, T, V]$; use other tokens of the same $V$. `tokens` stay as they are.
# - `diagnosis`: for each of `patients` (trained above) one of `"healthy"`, `"starts too sure"`, `"sees the future"`, `"sees no
#   past"`.

# %% [markdown] hints="leaks"
# 1. Which place can have no earlier one? Which tokens must you therefore try, one after the other?
# 2. (token + 1) modulo $V$ is another token. Work on a copy.
# 3. Exchange column $t$, ask the model again, compare only the columns *before* $t$; rounding may differ in the last digits. For the
#    diagnosis, two numbers of the table and your function decide.


# %% task="leaks" points=4 level=3 minutes=24
def leaks(model, tokens):
    """Whether a score depends on a later token: a change of .001 counts, beside scores of 500, too; one below .00001 is rounding."""
    ### BEGIN SOLUTION
    scores = model(tokens)
    for t in range(1, tokens.shape[1]):
        other = tokens.clone()
        other[:, t] = (other[:, t] + 1) % scores.shape[-1]
        if (model(other) - scores)[:, :t].abs().max() > 1e-4:
            return True
    return False
    ### END SOLUTION


# diagnosis = {"A": ..., "B": ..., "C": ..., "D": ...}
### BEGIN SOLUTION
diagnosis = {
    "A": "starts too sure",
    "B": "sees no past",
    "C": "healthy",
    "D": "sees the future",
}
### END SOLUTION


# %%
def linear_model(W, V=5, noise=0):
    """Tokens [B, T] -> scores [B, T, V]: place t sums the tokens' one-hot vectors with the weights W[t]."""

    def model(tokens):
        one_hot = F.one_hot(tokens, V).float()
        return torch.einsum("ti,biv->btv", W, one_hot) + noise * torch.rand(
            one_hot.shape
        )

    return model


# %% test="leaks" aspect="the past is allowed" points=1
_tokens = torch.tensor([[1, 2, 3, 0, 1, 4]])
for _W in (torch.eye(6), torch.tril(torch.rand(6, 6) + 0.1), torch.zeros(6, 6)):
    _got = leaks(linear_model(_W), _tokens.clone())
    assert _got in (True, False), f"leaks returns True or False; yours: {_got!r}."
    assert not _got, (
        f"This model only uses tokens up to its own place: no leak. Weights of place 5: {_W[4]}."
    )
### BEGIN HIDDEN TESTS
_tokens = torch.randint(5, (3, 4))
for _W in (torch.eye(4), torch.tril(torch.rand(4, 4) + 0.1), torch.zeros(4, 4)):
    for _noise in (0, 1e-7):
        _got = leaks(linear_model(_W, noise=_noise), _tokens.clone())
        assert _got in (True, False), f"leaks returns True or False; yours: {_got!r}."
        assert not _got, (
            f"Three texts, a model that only looks back: no leak{', just rounding in the last digits' * (_noise > 0)}."
        )
assert leaks(linear_model(torch.ones(4, 4)), _tokens[:1].clone()) in (True,), (
    "You see no leak anywhere, not even where every place sums all tokens."
)
for _W in (torch.tril(torch.ones(4, 4)), torch.ones(4, 4)):
    _after = arguments_after(leaks, linear_model(_W), _tokens.clone())
    assert close(_after[1], _tokens), (
        "The tokens that were handed over are changed by your leaks, be it where it finds "
        "a leak: work on a copy."
    )
### END HIDDEN TESTS

# %% test="leaks" aspect="every look ahead is found" points=1
_tokens = torch.tensor([[1, 2, 3, 0, 1, 4]])
_got = leaks(linear_model(torch.ones(6, 6)), _tokens.clone())
assert _got in (True, False), f"leaks returns True or False; yours: {_got!r}."
assert _got, "This model sums all tokens at every place, and you found no leak."
### BEGIN HIDDEN TESTS
_few = torch.tensor([[1, 2, 3, 0]])
for _t, _i, _T in (
    *((t, i, 4) for i in range(4) for t in range(i)),
    (0, 5, 6),
    (4, 5, 6),
):
    _W = torch.tril(torch.ones(_T, _T))
    _W[_t, _i] = 0.001
    _got = leaks(linear_model(_W), (_few if _T == 4 else _tokens).clone())
    assert _got in (True,), (
        f"Place {_t + 1} of {_T} sees token {_i + 1}, which changes scores by .001, "
        f"a leak; you returned {_got!r}."
    )
_W = torch.tril(torch.ones(3, 3))
for _much, _wanted in ((0.002, True), (0, False)):
    _W[0, 2] = _much
    _high = linear_model(_W)
    _got = leaks(lambda x, model=_high: model(x) + 500, _few[:, :3].clone())
    assert _got in (True, False) and _got == _wanted, (
        f"Scores around 500, of which place 1 sees token 3 by {_much}: {_wanted} wanted; "
        f"yours: {_got!r}."
    )
for _sign in (1, -1):  # all scores rise, or all fall, with each other token
    _got = leaks(
        lambda x, sign=_sign: (
            torch.zeros(1, 4, 5) + 0.01 * sign * (x != _few).sum(1)[:, None, None]
        ),
        _few.clone(),
    )
    assert _got in (True,), (
        f"Each other token changes all scores by {0.01 * _sign}: the leak is not found."
    )
_wide = linear_model(torch.ones(3, 3))
for _tokens in (torch.zeros(1, 3, dtype=torch.long), torch.full((2, 3), 4)):
    assert leaks(_wide, _tokens.clone()) in (True,), (
        f"A model that sums all tokens, asked with nothing but token {_tokens[0, 0]}: the leak is not found. "
        "Which other tokens there are, the last axis of the scores says."
    )
assert leaks(linear_model(torch.ones(2, 2)), torch.tensor([[1, 1]])) in (True,), (
    "Texts of two tokens, where place 1 sees token 2: the leak is not found."
)
_strict = linear_model(torch.tril(torch.ones(3, 3)))
for _row in range(3):
    _tokens = torch.zeros(3, 3, dtype=torch.long)
    _tokens[_row, 0] = 3
    _got = leaks(
        lambda x: torch.where(x[:, :1, None] == 3, _wide(x), _strict(x)),
        _tokens.clone(),
    )
    assert _got in (True,), (
        f"Of three texts only number {_row + 1} gives the leak away, and you miss it."
    )
### END HIDDEN TESTS

# %% test="leaks" aspect="the right diagnosis" points=2
_ills = {"healthy", "starts too sure", "sees the future", "sees no past"}
assert hasattr(diagnosis, "keys") and sorted(diagnosis) == list("ABCD"), (
    f"diagnosis has the keys A to D; yours: {diagnosis!r}."
)
assert set(diagnosis.values()) <= _ills, (
    f"Each is one of {sorted(_ills)}; yours: {sorted(map(str, diagnosis.values()))}."
)
### BEGIN HIDDEN TESTS
_wanted = {
    "A": "starts too sure",
    "B": "sees no past",
    "C": "healthy",
    "D": "sees the future",
}
for _name, _ill in _wanted.items():
    assert diagnosis[_name] == _ill, (
        f"Patient {_name}: not {diagnosis[_name]!r}. Measure all three once more."
    )
### END HIDDEN TESTS

# %%
set_seed(1)
model = gpt().to(device)
initialise(model, 2)
losses = by_heart(model, 5e-3)
steps = (1, 10, 20, 30, 50, 100)
print("loss by step, one batch:", {s: round(float(losses[s - 1]), 2) for s in steps})
print("your model leaks:", leaks(model, one_batch[0]))

# %% [markdown]
# From $\ln V$ to nearly nothing: your model can learn eight texts by heart.

# %% [markdown]
# *A good place to stop for today.*

# %% [markdown]
# Your model works. Now for what makes it learn quickly and write well. From here on `lmkit.transformer` holds the model of the first half for experiments: yours, with switches.

# %%
others = "\n".join(" ".join(document) for document in corpus.splits["valid"])
lines = torch.tensor([number[letter] for letter in others])[: 33 * 100].view(100, 33)
held_out = [(lines[:, :-1], lines[:, 1:])]  # 100 texts of 32 letters


# %%
def windows(step, B=16):
    """As `batch`, with texts of 32 letters."""
    return batch(step, B, 32)


# %%
def small(**switches):
    """The library's model: at first with learned positions, LayerNorm and GELU, as you built it."""
    usual = {"block": 32, "layers": 2, "heads": 4, "width": 32, "bias": True}
    usual |= {"positions": "learned", "norm": "layer", "activation": "gelu"}
    return transformer.Transformer(transformer.TransformerConfig(V, **usual | switches))


# %%
set_seed(1)
theirs, mine = small(), gpt(block=32, width=32)
mine.load_state_dict(theirs.state_dict())
print(
    "the library's model is yours:",
    torch.allclose(mine(ids[None, :16]), theirs(ids[None, :16]), atol=1e-5),
)
