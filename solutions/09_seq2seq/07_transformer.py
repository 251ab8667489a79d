# %% [markdown]
# With six layers, three masks and two sequences of different lengths, the numbers are torch's.

# %% [markdown] statement="EncoderDecoder"
# Lecture 002 prints a class `EncoderDecoder` with `encode`, `decode` and `forward`. It keeps a *generator*, the layer that turns vectors into scores, but none of its three methods calls it. Ours does.
#
# - `EncoderDecoder(encoder, decoder, src_embed, tgt_embed, generator)` keeps the five parts under these names.
# - `encode(source, inside_source)`: the encoder is called with the embedded source and its mask.
# - `decode(memory, across, target, inside_target)`: the decoder is called with the embedded target, the memory, the mask inside the target and the mask across, in this order; the generator makes scores $[B, n, V]$ of what it returns.
# - `forward(source, target, masks)`: both, with the three masks in the order of `three_masks`.

# %% [markdown]
# **Encode once, decode many**: every round of writing needs the memory, but it never changes.
#
# - `write(encode, decode, source, n, masks)`: `encode` and `decode` are two such methods, `masks(source, target)` gives the three masks. Each round appends the best next word, for all texts at once. A text ends with its first `EOS` and with nothing else; behind it stands `PAD`. It returns the words without `BOS`, $[B, t]$, $t \le n$, and stops when all texts are over.

# %% [markdown] hints="EncoderDecoder"
# 1. Which of the calls does *not* depend on the words that have been written? It belongs before the loop.
# 2. The target begins as a column of `BOS`; each round decodes all of it, and only the scores of the last place count.
# 3. `masked_fill` overrules the choice for texts that are over. Which mask does `encode` need, and does it change while you write? You may ask `masks` with the first column.


# %% task="EncoderDecoder" points=3 level=2 minutes=20
class EncoderDecoder(nn.Module):
    """Lecture 002's class, with its generator in use."""

    def __init__(self, encoder, decoder, src_embed, tgt_embed, generator):
        super().__init__()
        ### BEGIN SOLUTION
        self.encoder, self.decoder, self.generator = encoder, decoder, generator
        self.src_embed, self.tgt_embed = src_embed, tgt_embed
        ### END SOLUTION

    def encode(self, source, inside_source):
        """The memory of a source [B, m]."""
        ### BEGIN SOLUTION
        return self.encoder(self.src_embed(source), inside_source)
        ### END SOLUTION

    def decode(self, memory, across, target, inside_target):
        """Scores [B, n, V] for the word after each of the target [B, n]."""
        ### BEGIN SOLUTION
        x = self.decoder(self.tgt_embed(target), memory, inside_target, across)
        return self.generator(x)
        ### END SOLUTION

    def forward(self, source, target, masks):
        """Scores [B, n, V]; masks: inside the source, inside the target, across."""
        ### BEGIN SOLUTION
        inside_source, inside_target, across = masks
        memory = self.encode(source, inside_source)
        return self.decode(memory, across, target, inside_target)
        ### END SOLUTION


def write(encode, decode, source, n, masks):
    """At most n words for each source [B, m], greedily: [B, t] without BOS."""
    ### BEGIN SOLUTION
    target = torch.full((len(source), 1), BOS, device=source.device)
    over = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    memory = encode(source, masks(source, target)[0])
    for _ in range(n):
        if over.all():
            break
        _, inside, across = masks(source, target)
        scores = decode(memory, across, target, inside)
        word = scores[:, -1].argmax(-1).masked_fill(over, PAD)
        over = over | (word == EOS)
        target = torch.cat([target, word[:, None]], dim=1)
    return target[:, 1:]
    ### END SOLUTION


# %%
class ByRule:
    """A model that computes its next word from all it was given, and notes what it is asked."""

    V = 13

    def __init__(self):
        self.encoded, self.decoded = [], []

    def encode(self, source, inside_source):
        self.encoded.append((source.tolist(), tuple(inside_source.shape)))
        return 2 * source + 1

    def decode(self, memory, across, target, inside_target):
        self.decoded.append(tuple(target.shape))
        heard = (memory * across[:, 0]).sum(1, keepdim=True)
        said = (inside_target * target[:, None]).sum(2)
        return F.one_hot(EOS + (heard + 3 * said) % (self.V - EOS), self.V).float()


def by_rule(row, n):
    """What `ByRule` writes for one source, by hand."""
    heard, target = sum(2 * word + 1 for word in row if word != PAD), [BOS]
    while len(target) <= n and target[-1] != EOS:
        target.append(EOS + (heard + 3 * sum(target)) % (ByRule.V - EOS))
    return target[1:]


def loop_masks(source, target):
    return tuple(map(torch.tensor, masks_by_loop(source, target)))


# %% test="EncoderDecoder" aspect="five parts, wired" points=1
_parts = [torch_module("Linear", 2, 3) for _ in range(5)]
_names = ["encoder", "decoder", "src_embed", "tgt_embed", "generator"]
_state = dict(EncoderDecoder(*_parts).state_dict())
assert sorted({name.split(".")[0] for name in _state}) == sorted(_names), (
    f"Five modules wanted, {_names}; torch finds the weights {sorted(_state)}."
)
### BEGIN HIDDEN TESTS
_calls = []


def _noting(name, answer):
    def part(*inputs):
        _calls.append((name, [one.clone() for one in inputs]))
        return answer.clone()

    return part


for _rows in ([[4, 5, 0]], [[4, 5, 2], [6, 2, 0]]):
    _answers = {name: torch.randn(len(_rows), 2, 4) for name in _names}
    _model = EncoderDecoder(*(_noting(name, _answers[name]) for name in _names))
    _source, _target = torch.tensor(_rows), torch.tensor([[1, 7], [1, 0]])[: len(_rows)]
    _m = loop_masks(_source, _target)
    _order = [
        ("src_embed", [_source]),
        ("encoder", [_answers["src_embed"], _m[0]]),
        ("tgt_embed", [_target]),
        ("decoder", [_answers["tgt_embed"], _answers["encoder"], _m[1], _m[2]]),
        ("generator", [_answers["decoder"]]),
    ]
    for _what in ("encode", "decode", "forward"):
        _calls.clear()
        if _what == "encode":
            _got, _end = _model.encode(_source, _m[0]), "encoder"
        elif _what == "decode":
            _got = _model.decode(_answers["encoder"], _m[2], _target, _m[1])
            _end = "generator"
        else:
            _got, _end = _model(_source, _target, _m), "generator"
        assert close(_got, _answers[_end]), f"{_what} returns what the {_end} says."
        _wanted = {"encode": _order[:2], "decode": _order[2:], "forward": _order}[_what]
        _found = dict(_calls)
        assert sorted(name for name, _ in _calls) == sorted(
            name for name, _ in _wanted
        ), (
            f"{_what} calls {[name for name, _ in _wanted]}, each once; yours: {[name for name, _ in _calls]}."
        )
        for _name, _inputs in _wanted:
            assert len(_found[_name]) == len(_inputs) and all(
                close(one, other)
                for one, other in zip(_found[_name], _inputs, strict=True)
            ), f"{_what}: {_name} is called with something else, or in another order."
### END HIDDEN TESTS

# %% test="EncoderDecoder" aspect="encode once, decode many" points=1
_rows, _n = [[4, 5, 2], [7, 2, 0]], 3
### BEGIN HIDDEN TESTS
_rows = [[random.randint(4, 30) for _ in range(4)] for _ in range(500)]
_rows = [_row for _row in _rows if EOS not in by_rule(_row, 5)][:3]
_rows[1:2], _n = [[*_rows[1], 0]], 5
_rows = [(_row + [0])[:5] for _row in _rows]
### END HIDDEN TESTS
_model, _source = ByRule(), torch.tensor(_rows)
_got = write(_model.encode, _model.decode, _source.clone(), _n, loop_masks)
_wanted = [by_rule(_row, _n) for _row in _rows]
_longest = max(map(len, _wanted))
_wanted = [_row + [PAD] * (_longest - len(_row)) for _row in _wanted]
assert close(_got, _wanted), (
    f"Sources {_rows}, n = {_n}, a model that adds up what it is given: {_wanted} wanted; yours: {_got}."
)
assert _model.encoded == [(_rows, (len(_rows), len(_rows[0]), len(_rows[0])))], (
    f"The encoder should be asked once, with the whole source and its mask; yours asks {len(_model.encoded)} times."
)
assert _model.decoded == [(len(_rows), _t + 1) for _t in range(_longest)], (
    f"Each round decodes BOS and the words so far; yours decodes the shapes {_model.decoded}."
)
### BEGIN HIDDEN TESTS
_shapes = []


def _decode(memory, across, target, inside_target):
    _shapes.append((tuple(across.shape), tuple(inside_target.shape)))
    return _model.decode(memory, across, target, inside_target)


_source = torch.tensor([[*_row[:4], 0, 0] for _row in _rows])
write(_model.encode, _decode, _source, 4, loop_masks)
for _t, _pair in enumerate(_shapes, 1):
    _wanted = (len(_rows), _t, 6), (len(_rows), _t, _t)
    assert _pair == _wanted, (
        f"Round {_t}: masks across and inside the target of the shapes {_wanted} wanted; yours: {_pair}."
    )
### END HIDDEN TESTS

# %% test="EncoderDecoder" aspect="each text ends by itself" points=1
_cases = [([[5, 2], [9, 2]], 4)]
### BEGIN HIDDEN TESTS
_pool = [[random.randint(4, 40), random.randint(4, 40), 2] for _ in range(2000)]
_by_end = {
    _t: [
        _row
        for _row in _pool
        if EOS in by_rule(_row, 8) and len(by_rule(_row, 8)) == _t
    ]
    for _t in (1, 2, 3, 5)
}
_cases = [
    ([_by_end[_t][0] for _t in (3, 1, 5)], 8),
    ([_by_end[_t][0] for _t in (2, 5)], 3),
    ([_by_end[1][0]] * 2, 6),
    ([_by_end[3][0]], 3),
    ([_by_end[2][0]], 0),
]
### END HIDDEN TESTS
for _rows, _n in _cases:
    _wanted = [by_rule(_row, _n) for _row in _rows]
    _longest = max(map(len, _wanted))
    _wanted = [_row + [PAD] * (_longest - len(_row)) for _row in _wanted]
    _model = ByRule()
    _got = write(_model.encode, _model.decode, torch.tensor(_rows), _n, loop_masks)
    assert np.shape(_got) == (len(_rows), _longest), (
        f"Sources {_rows}, n = {_n}: {_longest} columns wanted, without BOS; yours has the shape {np.shape(_got)}."
    )
    assert close(_got, np.reshape(_wanted, (len(_rows), _longest))), (
        f"Sources {_rows}, n = {_n}: {_wanted} wanted; yours: {_got}."
    )
    assert len(_model.decoded) == _longest, (
        f"When all texts are over, nothing more should be decoded: {_longest} rounds wanted, yours: {len(_model.decoded)}."
    )
### BEGIN HIDDEN TESTS
_says = torch.tensor([[5, PAD, 6, EOS, 7], [EOS, 4, 4, 4, 4]])
_got = write(
    lambda source, mask: source,
    lambda memory, across, target, inside: F.one_hot(
        _says[:, : target.shape[1]], 9
    ).float(),
    torch.tensor([[5, 2], [9, 2]]),
    5,
    loop_masks,
)
assert close(_got, [[5, PAD, 6, EOS], [EOS, PAD, PAD, PAD]]), (
    f"A model that says PAD in the middle of a text: only EOS ends it; yours: {_got}."
)
### END HIDDEN TESTS

# %% [markdown]
# ### Three ways, one number
#
# Chapter 8 kept keys and values of old words. Here it pays even more, for the source never grows: its keys and values are needed in every round, and never change. Take one head. A word $x$ $[d]$ asks the memory $Y$ $[m, d]$:
#
# $$\text{anew}(x, Y) = \text{softmax}\!\left(\frac{(x W_q)(Y W_k)^\top}{\sqrt d}\right) (Y W_v)$$
#
# with three matrices $[d, d]$. Get the same numbers in two other ways:

# %% [markdown] statement="cross_cache"
# - `keep(Y, W_k, W_v)` returns a tuple of tensors, what `ask(x, kept, W_q)` needs: all products of $Y$ with the two matrices are done here, once;
# - `fold(W_q, W_k)`: one matrix $A$ $[d, d]$ with $x A Y^\top = (x W_q)(Y W_k)^\top$ for all $x$ and $Y$, so that the memory itself serves as keys.
#
# And the price: `products(m, n, d)` returns a dict: how many multiplications of two numbers the products with $W_k$ and $W_v$ need for $m$ words of memory, in all $n$ rounds, `"anew"` (in every round) and `"kept"`.

# %% [markdown] hints="cross_cache"
# 1. Underline in the formula what does not change from round to round.
# 2. $(Y W_k)^\top = W_k^\top Y^\top$. Write the score with this, and look for two neighbours that know nothing of the texts.
# 3. A product of $[m, d]$ and $[d, d]$ has $m d$ entries, each a sum of $d$ products.


# %% task="cross_cache" points=3 level=2 minutes=14
def keep(Y, W_k, W_v):
    """What is needed of the memory Y [m, d], as a tuple of tensors."""
    ### BEGIN SOLUTION
    return Y @ W_k, Y @ W_v
    ### END SOLUTION


def ask(x, kept, W_q):
    """[d]: what one word x [d] gets from the kept source."""
    ### BEGIN SOLUTION
    K, V = kept
    return torch.softmax(x @ W_q @ K.T / math.sqrt(len(x)), dim=-1) @ V
    ### END SOLUTION


def fold(W_q, W_k):
    """A [d, d] such that x A Y^T are the scores before they are divided."""
    ### BEGIN SOLUTION
    return W_q @ W_k.T
    ### END SOLUTION


def products(m, n, d):
    """{"anew": ..., "kept": ...}: multiplications for all keys and values, n words written, m read."""
    ### BEGIN SOLUTION
    once = 2 * m * d * d
    return {"anew": n * once, "kept": once}
    ### END SOLUTION


# %%
def anew(x, Y, W_q, W_k, W_v):
    """The first way, the formula as it stands."""
    return torch.softmax((x @ W_q) @ (Y @ W_k).T / math.sqrt(len(x)), -1) @ (Y @ W_v)


# %% test="cross_cache" aspect="kept once, asked often" points=1
_sizes = [(3, 2, 2)]  # m, d, rounds
### BEGIN HIDDEN TESTS
_sizes = [(5, 3, 3), (1, 4, 2), (2, 6, 4), (7, 1, 2)]
### END HIDDEN TESTS
for _m, _d, _rounds in _sizes:
    _Y, _W = torch.randn(_m, _d).double(), torch.randn(3, _d, _d).double()
    _x = torch.randn(_rounds, _d).double() * 2
    _kept = keep(_Y.clone(), _W[1].clone(), _W[2].clone())
    _other = keep(torch.randn(_m, _d).double(), _W[2].clone(), _W[1].clone())
    for _one in _x:
        _got, _wanted = ask(_one.clone(), _kept, _W[0].clone()), anew(_one, _Y, *_W)
        assert np.shape(_got) == (_d,), (
            f"m = {_m}, d = {_d}: shape ({_d},) wanted; yours: {np.shape(_got)}."
        )
        assert close(_got, _wanted, 1e-5, 1e-7), (
            f"m = {_m}, d = {_d}: {_wanted.tolist()} wanted, as the formula says; yours: {_got}."
        )
### BEGIN HIDDEN TESTS
_Y, _W = torch.randn(1, 9).double(), torch.randn(2, 9, 9).double()
_kept = keep(_Y.clone(), _W[0].clone(), _W[1].clone())
assert isinstance(_kept, tuple | list), f"keep returns a tuple; yours: {_kept!r}."
_numbers = sum(math.prod(np.shape(_part)) for _part in _kept)
assert _numbers < 81, (
    f"Of one word with d = 9 you keep {_numbers} numbers: matrices, so their products are still to be computed in every round."
)
### END HIDDEN TESTS

# %% test="cross_cache" aspect="one matrix in place of two" points=1
_d = 2
### BEGIN HIDDEN TESTS
for _d in (1, 4, 5):
    _Y, _W = torch.randn(3, _d).double(), torch.randn(2, _d, _d).double()
    _x = torch.randn(2, _d).double()
    _got = fold(_W[0].clone(), _W[1].clone())
    assert np.shape(_got) == (_d, _d), f"A is [{_d}, {_d}]; yours: {np.shape(_got)}."
    _mine = _x @ torch.tensor(np.asarray(_got).tolist(), dtype=torch.double) @ _Y.T
    assert close(_mine, (_x @ _W[0]) @ (_Y @ _W[1]).T, 1e-5, 1e-7), (
        f"d = {_d}: x A Yᵀ should be (x W_q)(Y W_k)ᵀ, undivided; for random numbers it is not."
    )
_d = 2
### END HIDDEN TESTS
_got = fold(torch.eye(_d).double(), torch.eye(_d).double())
assert close(_got, np.eye(_d)), (
    f"Both maps do nothing, so x A Yᵀ is x Yᵀ; your A: {_got}."
)

# %% test="cross_cache" aspect="multiplications" points=1
_got = products(1, 1, 1)
assert hasattr(_got, "keys") and {"anew", "kept"} <= set(_got), (
    f'A dict with "anew" and "kept" wanted; yours: {_got!r}.'
)
assert _got["anew"] == _got["kept"] == 2, (
    f"One word, one round, d = 1: one product for the key, one for the value; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _m, _n, _d in ((3, 1, 2), (1, 4, 3), (9, 12, 64), (random.randint(2, 30), 7, 5)):
    _got = products(_m, _n, _d)
    for _name, _rounds in (("anew", _n), ("kept", 1)):
        _wanted = sum(2 * _d * _d for _ in range(_m) for _ in range(_rounds))
        assert _got[_name] == _wanted, (
            f"m = {_m}, n = {_n}, d = {_d}: {_name} {_wanted:,}; yours: {_got[_name]}."
        )
### END HIDDEN TESTS
