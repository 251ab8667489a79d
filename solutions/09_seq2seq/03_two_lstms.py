# %% [markdown]
# ## 3. Two LSTMs, joined by one vector
#
# Take two networks: an **encoder** reads the source, and a **decoder**, a language model, begins where the encoder has ended: its first state is the encoder's last (Muller).

# %% folded="draws the joined LSTMs" alt="An encoder reads the cook slept; its last state is the first of a decoder, which writes kubar to dormi and the end mark, each time reading what it wrote before."
drawings.joined_lstms()


# %%
def two_lstms(weights, source, given):
    """For tests: scores [n, V] for one pair without padding, by two LSTMs of torch with these weights; and (h, c)."""
    V, d = weights["out.weight"].shape
    state = None
    for part, words, ids in (
        ("encoder", "source_words", source),
        ("decoder", "target_words", given),
    ):
        lstm = nn.LSTM(d, d, batch_first=True)
        names = [name for name in weights if name.startswith(part)]
        lstm.load_state_dict({name[len(part) + 1 :]: weights[name] for name in names})
        with torch.no_grad():
            states, after = lstm(weights[f"{words}.weight"][ids][None], state)
        if part == "encoder":
            state = after
    return F.linear(states[0], weights["out.weight"], weights["out.bias"]), state


# %%
def random_weights(rng, V_source, V, d):
    """For tests: a state dict of Seq2Seq(V_source, V, d), drawn by rng."""
    shapes = {"source_words.weight": (V_source, d), "target_words.weight": (V, d)}
    for part in ("encoder", "decoder"):
        for end in ("ih", "hh"):
            shapes[f"{part}.weight_{end}_l0"] = 4 * d, d
            shapes[f"{part}.bias_{end}_l0"] = (4 * d,)
    shapes |= {"out.weight": (V, d), "out.bias": (V,)}
    dice = torch.Generator().manual_seed(rng.getrandbits(60))
    return {n: 0.7 * torch.randn(shape, generator=dice) for n, shape in shapes.items()}


# %%
def padded_rows(rng, B, n, below=9, least=1):
    """For tests: word numbers [B, n]; each row has `least` to n words, then padding."""
    rows = torch.full((B, n), PAD)
    for row in rows:
        length = rng.randint(least, n)
        row[:length] = torch.tensor([rng.randrange(1, below) for _ in range(length)])
    return rows


# %%
def loaded(Model, weights):
    """For tests: a model of that class with these weights."""
    V, d = weights["out.weight"].shape
    model = Model(len(weights["source_words.weight"]), V, d)
    model.load_state_dict(weights)
    return model


# %% [markdown] statement="Seq2Seq"
# - `Seq2Seq(V_source, V, d)`: parts `source_words` and `target_words`, each `nn.Embedding` of width $d$; `encoder` and `decoder`, each `nn.LSTM(d, d, batch_first=True)`; `out`, `nn.Linear(d, V)`.
# - `encode(source, lengths)`: source $[B, m]$, row $b$ holds `lengths[b]` $\ge 1$ words, then padding. Returns $(h, c)$, each $[1, B, d]$, as they are after the *last word*: padding is not read.
# - `decode(state, given)`: what was written, $[B, n]$ → scores $[B, n, V]$ for the word after each. All that it knows of the source is `state`, the pair $(h, c)$.
# - `forward(source, lengths, given)`: both in turn.
#
# No row may be affected by its neighbours in the batch.

# %% [markdown] hints="Seq2Seq"
# 1. What does `nn.LSTM` return besides its outputs? And what does it take besides its input?
# 2. The outputs hold $h$ at every place, but $c$ only at the last one: picking a place is not enough.
# 3. `nn.utils.rnn.pack_padded_sequence` tells the LSTM where each row ends; rows need not be sorted by length if you say so.


# %% task="Seq2Seq" points=4 level=2 minutes=22
class Seq2Seq(nn.Module):
    """An encoder and a decoder that share one pair of vectors (h, c)."""

    ### BEGIN SOLUTION
    def __init__(self, V_source, V, d):
        super().__init__()
        self.source_words = nn.Embedding(V_source, d)
        self.target_words = nn.Embedding(V, d)
        self.encoder = nn.LSTM(d, d, batch_first=True)
        self.decoder = nn.LSTM(d, d, batch_first=True)
        self.out = nn.Linear(d, V)

    def encode(self, source, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(
            self.source_words(source), lengths, batch_first=True, enforce_sorted=False
        )
        return self.encoder(packed)[1]

    def decode(self, state, given):
        return self.out(self.decoder(self.target_words(given), state)[0])

    def forward(self, source, lengths, given):
        return self.decode(self.encode(source, lengths), given)

    ### END SOLUTION


# %% test="Seq2Seq" aspect="equal to two LSTMs" points=1
_sizes = [(7, 9, 4, 3, 5, 2)]  # V_source, V, d, m, n, B
for _V_source, _V, _d, _m, _n, _B in _sizes:
    _model = Seq2Seq(_V_source, _V, _d)
    _weights = random_weights(random, _V_source, _V, _d)
    _shapes = {n: tuple(np.shape(p)) for n, p in dict(_model.state_dict()).items()}
    assert _shapes == {n: tuple(p.shape) for n, p in _weights.items()}, (
        f"The parts are named and sized otherwise: {_shapes}."
    )
    _model.load_state_dict(_weights)
    _source = torch.randint(1, _V_source, (_B, _m))
    _given = torch.randint(1, _V, (_B, _n))
    _got = _model(_source.clone(), torch.full((_B,), _m), _given.clone())
    assert torch.is_tensor(_got) and tuple(_got.shape) == (_B, _n, _V), (
        f"Scores {_B, _n, _V} wanted; yours: {getattr(_got, 'shape', _got)}."
    )
    _wanted = [
        two_lstms(_weights, s, g)[0] for s, g in zip(_source, _given, strict=True)
    ]
    assert close(_got, torch.stack(_wanted), 1e-3, 1e-4), (
        f"V_source, V, d, m, n, B = {_V_source, _V, _d, _m, _n, _B}: other scores than two LSTMs in a row."
    )
### BEGIN HIDDEN TESTS
B, m, n = size("B"), size("m"), size("n")
V_source, V, d = (size(name, least=4, large=None) for name in ("V_source", "V", "d"))
agrees(
    Seq2Seq,
    ours.Seq2Seq,
    made(random_weights, V_source, V, d),
    made(lambda rng, B, m, V: padded_rows(rng, B, m, V, m), B, m, V_source),
    ids(B, n, below=V),
    choice("train", "eval"),
    by=beside_the_answer(
        lambda Model, weights, source, given, mode: getattr(
            loaded(Model, weights), mode
        )()(source, (source != PAD).sum(1), given)
    ),
)
### END HIDDEN TESTS

# %% test="Seq2Seq" aspect="padding is not read" points=1
_lengths = [2, 4]
_model, _weights = Seq2Seq(9, 8, 5), random_weights(random, 9, 8, 5)
_model.load_state_dict(_weights)
_source = torch.randint(4, 9, (len(_lengths), max(_lengths) + 1))
for _b, _length in enumerate(_lengths):
    _source[_b, _length:] = PAD
_state = _model.encode(_source.clone(), torch.tensor(_lengths))
assert isinstance(_state, tuple | list) and len(_state) == 2, (
    f"encode returns the pair (h, c); yours: {type(_state).__name__}."
)
for _got, _name, _side in zip(_state, "hc", (0, 1), strict=True):
    assert tuple(np.shape(_got)) == (1, len(_lengths), 5), (
        f"{_name}: shape {(1, len(_lengths), 5)} wanted; yours: {tuple(np.shape(_got))}."
    )
    for _b, _length in enumerate(_lengths):
        _alone = two_lstms(_weights, _source[_b, :_length], _source[_b, :1] % 8)[1]
        assert close(_got[0, _b], _alone[_side][0, 0], 1e-3, 1e-4), (
            f"Sources of {_lengths} words, padded to {max(_lengths) + 1}: {_name} of row {_b} is not that of its words alone."
        )
### BEGIN HIDDEN TESTS
B, m, n = size("B"), size("m"), size("n")
agrees(
    Seq2Seq,
    ours.Seq2Seq,
    made(random_weights, 9, 8, 5),
    made(padded_rows, B, m),
    ids(B, n, below=8),
    by=beside_the_answer(
        lambda Model, weights, source, given: [
            ask(source, (source != PAD).sum(1), *more)
            for model in [loaded(Model, weights)]
            for ask, more in ((model.encode, ()), (model, (given,)))
        ]
    ),
)
### END HIDDEN TESTS

# %% test="Seq2Seq" aspect="only the vector crosses" points=1
_model, _weights = Seq2Seq(9, 8, 5), random_weights(random, 9, 8, 5)
_model.load_state_dict(_weights)
_one, _two, _given = (
    torch.tensor([[5, 6, 7]]),
    torch.tensor([[8, 4]]),
    torch.tensor([[1, 4, 6]]),
)
_first = _model.encode(_one.clone(), torch.tensor([3]))
_model.encode(_two.clone(), torch.tensor([2]))
_got = _model.decode(_first, _given.clone())
assert close(_got, two_lstms(_weights, _one[0], _given[0])[0][None], 1e-3, 1e-4), (
    "encode(one), encode(two), then decode with the state of one: the scores are not those of source one."
)
### BEGIN HIDDEN TESTS
B, n = size("B"), size("n")


@beside_the_answer
def _decoded_twice(Model, weights, h, c, given, mode):
    model, h, c = loaded(Model, weights), h.contiguous(), c.contiguous()
    getattr(model, mode)()
    return [model.decode(state, given) for state in ((h, c), (c, h), (h, c))]


agrees(
    Seq2Seq,
    ours.Seq2Seq,
    made(random_weights, 9, 8, 5),
    tensor(1, B, 5),
    tensor(1, B, 5),
    ids(B, n, below=8),
    choice("train", "eval"),
    by=_decoded_twice,
)
### END HIDDEN TESTS

# %% test="Seq2Seq" aspect="both halves learn" points=1
_model = Seq2Seq(9, 8, 5)
_model.load_state_dict(random_weights(random, 9, 8, 5))
_source, _given = torch.randint(4, 9, (2, 4)), torch.randint(1, 8, (2, 3))
_source[1, 2:] = PAD
_slopes = parameter_gradients(
    _model, _source.clone(), torch.tensor([4, 2]), _given.clone()
)
_still = [n for n, g in _slopes.items() if g is None or not float(abs(g).sum()) > 0]
assert not _still, (
    f"No gradient reaches {', '.join(_still)}: these parts cannot learn from the target's loss."
)
### BEGIN HIDDEN TESTS
B, m, n = size("B"), size("m"), size("n")
agrees(
    Seq2Seq,
    ours.Seq2Seq,
    made(random_weights, 9, 8, 5),
    made(padded_rows, B, m),
    # no padding: whether its own row learns is left open (padding_idx)
    made(lambda rng, B, n: padded_rows(rng, B, n, 8, n), B, n),
    by=beside_the_answer(
        lambda Model, weights, source, given: parameter_gradients(
            loaded(Model, weights), source, (source != PAD).sum(1), given
        )
    ),
    rtol=1e-2,
    atol=1e-3,
)
### END HIDDEN TESTS

# %% [markdown]
# The same lecture also describes the network as a *single* LSTM that reads source and target, one after the other. Is that the same?

# %%
torch.manual_seed(0)
lstm, x, y = nn.LSTM(4, 4, batch_first=True), torch.randn(1, 3, 4), torch.randn(1, 5, 4)
joined = lstm(torch.cat([x, y], dim=1))[0][:, 3:]
for name, decoder in (("the same", lstm), ("another", nn.LSTM(4, 4, batch_first=True))):
    print(
        f"{name} LSTM decodes:",
        torch.allclose(joined, decoder(y, lstm(x)[1])[0], atol=1e-6),
    )

# %% [markdown]
# It is the same only if a single LSTM plays both parts. With two, you have twice the weights, and each can specialise in its own language.
