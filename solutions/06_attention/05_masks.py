# %% [markdown]
# ## 5. Words that must not be seen
#
# A language model should guess the next word. But in your first network each word looks at the *whole* text, and the next word is part of it. Let us see whether
# that makes a difference. We take a text of five words, exchange the last one, and ask which outputs of self-attention move:

# %%
x = torch.stack([vector[word] for word in ("the", "cook", "thanks", "the", "guest")])
other = x.clone()
other[4] = vector["cook"]  # the last word becomes another
moved = (scaled_attention(other, other, other) - scaled_attention(x, x, x)).abs()
print("outputs that move:", (moved.amax(1) > 1e-6).tolist())

# %% [markdown]
# All five move, even the first. Think of what that means at place 3. There the model should guess the word at place 4. But its output has changed with that word,
# so it has already seen the answer.
#
# This can explain the riddle. While your network was trained, and while its loss was measured, the next word stood in its input, one place further on. To copy
# that place would be enough. Is this what it does? Let us ask for its weights: how much does each word give to the place right after it, at the places that count
# for the loss?


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def weight_on_next(network):
    """The mean weight on the next place, of the words that have a next word to guess and to see."""
    words, repeats = lists(0, range(8, 21), B=64, seed=99)
    names, its_places = network.words_and_places
    with torch.no_grad():
        vectors = names[words[:, :-1].to(device)] + its_places[:38]
        Q, K, _ = network.maps(vectors).chunk(3, dim=-1)
        unit = torch.eye(38, device=device).expand(64, 38, 38)
        weights = scaled_attention(Q, K, unit).cpu()
    return weights.diagonal(1, dim1=1, dim2=2)[repeats[:, :-1]].mean().item()


def loss_at_the_end(network):
    """Its mean loss at the last place of these texts, and at all others that count."""
    words, repeats = (part.to(device) for part in lists(0, range(8, 21), B=64, seed=99))
    with torch.no_grad():
        scores = network(words[:, :-1]).transpose(1, 2)
    losses = F.cross_entropy(scores, words[:, 1:], reduction="none")
    return losses[:, -1].mean(), losses[:, :-1][repeats[:, :-1]].mean()


first_network = lookers["your first network"]
print(f"weight on the next place: {weight_on_next(first_network):.2f}")
print(
    "loss at the last place and at the others: {:.2f}, {:.3f}".format(
        *loss_at_the_end(first_network)
    )
)

# %% [markdown]
# Nearly all of it. The network copies the next place. Only at the last place of its input is there nothing to copy. The second line shows what that means: at
# all other places its loss is nearly 0, and at the last one it is about 3 nats. About 24 places of a text count for the loss, so their mean is 0.13. And when
# we stopped the texts after 25 words, we asked at the last place only.
#
# So never trust a loss before you know what the model could see. How do we forbid a word to look ahead? Its weight on the later words must be exactly 0, because
# even a small weight on the answer gives it away, and the remaining weights must still sum to one. The softmax does both if we set the score of each forbidden
# word to $-\infty$ beforehand, because $e^{-\infty} = 0$.
#
# Which word may see which is written in a **mask**. This is a table of True and False. It has a row for each word that looks, and a column for each word that is
# looked at. Here are three masks, in which a cross marks what is forbidden:

# %% folded="draws three masks" alt="Three square grids: full has no crosses; causal has crosses above the diagonal; padding has crosses in its last two columns."
full, places_5 = torch.ones(5, 5).bool(), torch.arange(5)
drawings.masks(
    {
        "full": full.tolist(),
        "causal": full.tril().tolist(),
        "padding": (full & (places_5 < 3)).tolist(),
    }
)

# %% [markdown]
# The left mask allows everything. The one in the middle is a **causal mask**: each word may look at itself and at those before it. With it a network can guess
# the next word at all places of a text at once, and no guess sees its answer. The mask on the right is for **padding**. If the texts of a batch differ in length,
# the short ones are filled up, and no word may look at the filling.

# %% [markdown] statement="masked_attention"
# ### The same function with a mask
#
# Your `scaled_attention` needs two more lines. Write:
#
# - `causal_mask(T)`: the causal mask, bools $[T, T]$;
# - `masked_attention(Q, K, V, mask)`: attention with a mask $[m, n]$. A row that may look nowhere gives *zeros*. (Set to $-\infty$ throughout, it would give "not
#   a number", which soon spreads through a whole network.)
#
# Below the checks we train your network once more, this time with your mask. All further attention networks that you train in this chapter use this function.

# %% [markdown] hints="masked_attention"
# 1. `torch.tril` keeps what is on and below the diagonal.
# 2. Between the scores and the softmax there is one new step: fill the scores of forbidden words. Which axis does the softmax go along?
# 3. Last, put zeros in the rows where the mask has no True at all, and do it before the product with $V$: zero times *not a number* is no zero, also on a gradient's
#    way back.


# %% task="masked_attention" points=3 level=2 minutes=20
def causal_mask(T):
    """Tensor of bools, [T, T]: True where row i may look at column j."""
    ### BEGIN SOLUTION
    return torch.ones(T, T, dtype=torch.bool).tril()
    ### END SOLUTION


def masked_attention(Q, K, V, mask):
    """[..., m, d_v]; mask: bool [m, n], True = may look. Zeros where a row may look nowhere. Gradients pass."""
    ### BEGIN SOLUTION
    S = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~mask, -math.inf)
    A = S.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
    return A @ V
    ### END SOLUTION


# %% test="masked_attention" aspect="on and below the diagonal" points=1
_got = causal_mask(3)
assert torch.is_tensor(_got) and _got.dtype == torch.bool, (
    f"causal_mask returns a tensor of bools; yours: {_got!r}."
)
assert _got.tolist() == [
    [True, False, False],
    [True, True, False],
    [True, True, True],
], f"Each word sees itself and those before it; yours: {_got.int().tolist()}."
### BEGIN HIDDEN TESTS
agrees(causal_mask, ours.causal_mask, size("T", large=600), strict=True)
### END HIDDEN TESTS

# %% test="masked_attention" aspect="only what may be seen" points=1
_sizes = [((2,), 3, 4, 1)]  # leading axes, n, m, size of the scores
### BEGIN HIDDEN TESTS
_sizes += [((), 3, 5, 20), ((), 4, 4, 250), ((3, 2), 2, 6, 4000)]
### END HIDDEN TESTS
for _lead, _n, _m, _large in _sizes:
    _Q, _K, _V = (
        torch.randn(*_lead, *_s).double() for _s in ((_n, 5), (_m, 5), (_m, 3))
    )
    _mask = torch.rand(_n, _m) < 0.5
    _mask[:, 1], _mask[0, 2], _mask[1:, 3] = True, False, False
    if _large > 1:  # what is seen scores about -2 * _large, a forbidden key 0
        _Q[..., 0], _K[..., 0] = 20, torch.rand(*_lead, _m) - 0.22 * _large
        _K[..., 3, 0] *= _large > 1000  # beyond, all scores are alike
    _got = masked_attention(_Q.clone(), _K.clone(), _V.clone(), _mask.clone())
    assert np.shape(_got) == (*_lead, _n, 3), (
        f"Shape {(*_lead, _n, 3)} wanted; yours: {_got!r}."
    )
    for _at in np.ndindex(_lead):
        for _i in range(_n):
            _seen = [j for j in range(_m) if _mask[_i, j]]
            _s = np.array(
                [(_Q[_at][_i] @ _K[_at][j]).item() / math.sqrt(5) for j in _seen]
            )
            _e = np.exp(_s - _s.max())
            _wanted = _e @ _V[_at][_seen].numpy() / _e.sum()
            assert close(_got[_at][_i], _wanted, 1e-4, 1e-5), (
                f"A query that may see keys {_seen} (of {_m}; scores from {_s.min():.1f} to "
                f"{_s.max():.1f}) should get {_wanted.tolist()}; yours: {_got[_at][_i].tolist()}."
            )
### BEGIN HIDDEN TESTS
_n, _m, _d_k, _d_v = (
    size("n"),
    size("m"),
    size("d_k", large=None),
    size("d_v", large=None),
)
_mask = made(  # each query may see one key at least
    lambda rng, n, m, mask: mask | torch.eye(m).bool()[[rng.randrange(m)] * n],
    _n,
    _m,
    truths(_n, _m),
)
for _lead in ((), (size("texts", large=None), 2)):
    _Q, _K = (  # the last numbers add the same to all scores
        made(
            lambda rng, X, last: torch.cat([X, torch.full_like(X[..., :1], last)], -1),
            tensor(*_lead, _length, _d_k, kind="float64"),
            _last,
        )
        for _length, _last in ((_n, 1000), (_m, number(-200, 60, (0,))))
    )
    _given = _Q, _K, tensor(*_lead, _m, _d_v, kind="float64"), _mask
    agrees(masked_attention, ours.masked_attention, *_given, rtol=1e-4, atol=1e-5)
_given = (
    tensor(_n, _d_k, kind="float64"),
    tensor(_m, _d_k, kind="float64"),
    tensor(_m, _d_v, kind="float64"),
    _mask,
)
agrees(
    masked_attention,
    ours.masked_attention,
    *_given,
    by=gradients,
    mixtures=2,
    rtol=1e-4,
    atol=1e-5,
)
### END HIDDEN TESTS

# %% test="masked_attention" aspect="a row that sees nothing" points=1
_Q, _K, _V = (torch.randn(3, 4).double() for _ in range(3))
_mask = torch.tensor([[1, 1, 0], [0, 0, 0], [1, 1, 1]]).bool()
_got = masked_attention(_Q.clone(), _K.clone(), _V.clone(), _mask.clone())
assert np.shape(_got) == (3, 4), f"Shape (3, 4) wanted; yours: {_got!r}."
assert close(_got[1], [0, 0, 0, 0]), (
    f"Row 1 may look nowhere: zeros; yours: {_got[1].tolist()}."
)
assert close(_got[2], attend(_Q, _K, _V)[2], 1e-4, 1e-5), (
    "Row 2 may look everywhere, but is not plain attention."
)
### BEGIN HIDDEN TESTS
_n, _m, _d_k, _d_v = (
    size("n"),
    size("m"),
    size("d_k", large=None),
    size("d_v", large=None),
)
_mask = made(lambda rng, rows, mask: rows & mask, truths(_n, 1), truths(_n, _m))
for _lead in ((), (size("texts", large=None),), (1, size("texts", large=None))):
    _Q, _K, _V = (
        tensor(*_lead, *_axes, kind="float64")
        for _axes in ((_n, _d_k), (_m, _d_k), (_m, _d_v))
    )
    _given = _Q, _K, _V, _mask
    agrees(masked_attention, ours.masked_attention, *_given, rtol=1e-4, atol=1e-5)
for _m in (256, 300):
    _V, _mask = torch.arange(_m + 200.0)[:, None], torch.arange(_m + 200)[None] > 199
    _got = masked_attention(torch.zeros(1, 2), torch.zeros(_m + 200, 2), _V, _mask)
    assert close(_got, [[(_m + 399) / 2]], 1e-4), (
        f"A row that sees the last {_m} keys with equal scores: the mean of their values; yours: {_got}."
    )
### END HIDDEN TESTS

# %%
mask = causal_mask(5)
moved = masked_attention(other, other, other, mask) - masked_attention(x, x, x, mask)
print("outputs that move now:", (moved.abs().amax(1) > 1e-6).tolist())
torchs = attend(x[None], x[None], x[None], is_causal=True)[0]
print("the same as torch:", close(masked_attention(x, x, x, mask), torchs, 1e-5, 1e-5))

# %% [markdown]
# Only the last output moves now, the one of the word that we have exchanged. From here on this one function is enough. With a mask that allows everything it is
# `scaled_attention`, and with a causal mask it serves a language model.
#
# Now the same network again, trained for the same 300 steps from the same beginning. The only difference is the causal mask. It is the second line that the cell
# prints:


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def causal_attention(Q, K, V):
    return masked_attention(Q, K, V, causal_mask(Q.shape[-2]).to(Q.device))


def count_guessed():
    """How many of the 200 texts a reader continues rightly, on average, that picks from the words said least often."""
    texts, _ = cut_after(lists(0, range(8, 21), B=200, seed=97)[0])
    times = [[row.count(word) for word in {*row}] for row in texts.tolist()]
    return sum(1 / its.count(min(its)) for its in times)


set_seed(1)
lookers["with a causal mask"] = OneLook(causal_attention).to(device)
practise(lookers["with a causal mask"], range(8, 21), steps=300)
for name, model in lookers.items():
    tell(name, held_out_loss(model), guessed(model))
tell_readers()
print(f"and one that counts how often each was said: right in {count_guessed():.0f}")

# %% [markdown]
# The second line is honest, and it is modest. Its loss is 3.03, where the reader that knows which words were said has 2.58. It is right in 40 texts, and that
# reader only in 15. Has your network found out something about the order of the words? Not necessarily. Suppose that the list has twelve words and that the
# text stops after fifteen words. Then the first three words have been said twice and the other nine once, and the next word is one of these nine. So the next
# word is always among those that were said least often so far. A reader that only counts, and picks one of these, is right in 43 of our texts, on average, as
# the last line says. And the reader that strikes out the last seven is right in 50. Neither of them looks at what came after a word.
#
# So nothing here looks like copying, at least after 300 steps and with one seed. What is missing? Think of the text *moss kite drum fig moss kite …*. At its
# second *kite* the network should say *drum*. It can look back at *drum*, but how should it know that *drum* is the right one? The vector of *drum* says "I am
# drum, at place 2". It does not say that *kite* stood before it.
#
# So somebody would have to tell *drum* first that it stands after *kite*. That would be one lookup, and finding *drum* would be a second one. Your network has
# only one.
