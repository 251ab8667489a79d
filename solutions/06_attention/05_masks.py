# %% [markdown]
# ## 5. Words that must not be seen
#
# We want attention in a *language model*, which has to guess each next word. But our words look at the whole text, and the next word is part of it. Here is what happens. We exchange the last word of a text of five, and ask which outputs of self-attention move:

# %%
x = torch.stack([vector[word] for word in ("the", "cook", "thanks", "the", "guest")])
other = x.clone()
other[4] = vector["cook"]  # the last word becomes another
moved = (scaled_attention(other, other, other) - scaled_attention(x, x, x)).abs()
print("outputs that move:", (moved.amax(1) > 1e-6).tolist())

# %% [markdown]
# All five move, even the first. So the output at place 3, from which the model should guess the word at place 4, has seen it already. A model that is trained like this need not guess at all: it can copy the answer. At the end of this section you will train one and see what it is good for.
#
# The cure must be exact. A weight that is only small still leaks, so forbidden words have to get the weight 0, and the weights of the others must still sum to 1. The softmax does this by itself, if we set the score of each forbidden word to $-\infty$ beforehand, because $e^{-\infty} = 0$. Which word may see which is written in a **mask**, a table of True and False with a row
# for each word that looks and a column for each word that is looked at:

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
# In a **causal mask** (the middle one) each row may look at itself and to the left. So *one* pass over a text trains the guesses at all its places, and none of them sees its answer. The mask on the right is for **padding**: texts of a batch differ in length, short ones are filled up, and no word may look at the filling.

# %% [markdown] statement="masked_attention"
# ### The same function with a mask
#
# Your `scaled_attention` needs two more lines. Write:
#
# - `causal_mask(T)`: the causal mask, bools $[T, T]$;
# - `masked_attention(Q, K, V, mask)`: attention with a mask $[m, n]$. A row that may look nowhere gives *zeros*. (Set to $-\infty$ throughout, it would give "not a number", which soon spreads through a whole network.)
#
# All attention networks of this chapter are trained with this function, the first of them a few cells below.

# %% [markdown] hints="masked_attention"
# 1. `torch.tril` keeps what is on and below the diagonal.
# 2. Between the scores and the softmax there is one new step: fill the scores of forbidden words. Which axis does the softmax go along?
# 3. Last, put zeros in the rows where the mask has no True at all, before or after the product with $V$.


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
    _V, _mask = torch.arange(float(_m))[:, None], torch.ones(1, _m).bool()
    _got = masked_attention(torch.zeros(1, 2), torch.zeros(_m, 2), _V, _mask)
    assert close(_got, [[(_m - 1) / 2]], 1e-4), (
        f"A row that sees {_m} keys with equal scores: the mean of the values; yours: {_got}."
    )
### END HIDDEN TESTS

# %%
mask = causal_mask(5)
moved = masked_attention(other, other, other, mask) - masked_attention(x, x, x, mask)
print("outputs that move now:", (moved.abs().amax(1) > 1e-6).tolist())
torchs = attend(x[None], x[None], x[None], is_causal=True)[0]
print("the same as torch:", close(masked_attention(x, x, x, mask), torchs, 1e-5, 1e-5))

# %% [markdown]
# Only the last output moves now. From here on this one function is enough. With a mask that allows everything it is `scaled_attention`, with a causal mask it serves a language model, and with a padding mask a batch of texts of unequal length.
#
# ### Your first network of attention
#
# We need texts to train on, and we take the simplest ones in which looking back is worth something. Each text is a list of random words, said again and again:

# %%
sixty_four = (
    "moss kite drum fig lamp rope salt crow bell fern mint harp silk pond oak plum "
    "wolf tent coin leaf star boat cork dune echo frog gate hill iron jade king lark "
    "mask nest opal pine quill reed sand tide urn vine wax yarn zinc ash bay clay "
    "dawn elm fog gull hay ink jar knot loom mud nut owl pear rain sage toad"
)
WORDS = sixty_four.split()


def lists(step, lengths, B=32, T=39, seed=0, before=(0,)):
    """B texts of T words: each says one random list again and again; its length is drawn from `lengths`.

    As many other words as drawn from `before` stand before the list (by default none).
    Returns the words [B, T] and, for each of the first T - 1 places, whether the word after it can be known.
    """
    draw = np.random.default_rng([seed, step])
    chosen, others = draw.choice(lengths, size=B), draw.choice(before, size=B)
    rows = []
    for n, k in zip(chosen, others, strict=True):
        words = draw.permutation(len(WORDS))
        rows.append(np.append(words[:k], np.resize(words[k : k + n], T - k)))
    # The word that begins round two is not counted: that the list ends there, nobody can know.
    repeats = np.arange(1, T) > (chosen + others)[:, None]
    return torch.from_numpy(np.array(rows)), torch.from_numpy(repeats)


def said(numbers):
    return " ".join(WORDS[i] for i in numbers)


print(len(WORDS), "words; two texts:\n")
for row in lists(0, [8, 13], B=2, seed=3)[0]:
    print(said(row), "\n")

# %% [markdown]
# The first round of a list cannot be guessed, because the words are random. Nor can the word that begins round two, because nothing says that the list ends there. But from then on a perfect reader makes no mistakes. How would *you* do it? You come to *kite*. You find the last place where *kite* was said, look at the word after it, and say that. The length of the list is another one in each text, between 8 and 20, so you cannot simply count.
#
# Now a network, called `OneLook`, because it has one single lookup, which is yours. Each word gets a vector, a vector for its place is added, every word looks at the text and adds what it has found to its own vector, and a linear map turns that into a score for each of the 64 words that may come next. (Its vectors have 64 numbers. You will write a larger one soon.) We train it twice, without a mask and with a causal one. The loss is
# counted only where the next word is a repeat, because only there is something to learn.
#
# To judge a loss we need something to compare it with, and here are two readers that we can compute. One that *knows nothing* gives each of the 64 words the same probability, and its loss is $\ln 64 = 4.16$. A better one *knows which words were said, but not in which order*. Where the next word is a repeat, all $n$ words of the list have been said, so it gives $1/n$ to each of them, and its
# loss there is $\ln n$. `bag_loss` takes the mean of this over all repeats of the texts that we test on. If such a reader has to name one word, it is right once in $n$ times.


# %%
def repeat_loss(model, batch):
    """Mean loss (nats) of the words that are repeats, and how many they are."""
    words, repeats = batch
    scores = model(words[:, :-1])
    losses = F.cross_entropy(
        scores.flatten(0, 1), words[:, 1:].flatten(), reduction="none"
    )
    known = repeats.flatten().to(losses.dtype)
    return (losses * known).sum() / known.sum(), int(known.sum())


def practise(model, lengths, steps=500, watch=None, before=(0,), rate=0.01):
    return train(
        model,
        batches=lambda step: lists(step, lengths, before=before),
        loss=repeat_loss,
        steps=steps,
        rate=rate,
        schedule=warmup_cosine(10, 0.1),
        every=20,
        watch=watch,
    )


def held_out_loss(model, lengths=range(8, 21)):
    """Loss on the repeats of 64 texts that the model has never seen."""
    batch = [part.to(device) for part in lists(0, lengths, B=64, seed=99)]
    with torch.no_grad():
        return repeat_loss(model, batch)[0].item()


def bag_loss(lengths=range(8, 21)):
    """The loss there of a reader that knows which words were said, but not their order."""
    words, repeats = lists(0, lengths, B=64, seed=99)
    different = [
        [len({*row[: i + 1]}) for i in range(len(row))]
        for row in words[:, :-1].tolist()
    ]
    return torch.tensor(different)[repeats].float().log().mean().item()


def cut_after(words, n=25):
    """Texts that end after n words, and the word that comes next in each."""
    return words[:, :n], words[:, n]


def guessed(model):
    """How many of 200 new texts, cut after 25 words, are continued with the right word."""
    texts, following = cut_after(lists(0, range(8, 21), B=200, seed=97)[0].to(device))
    with torch.no_grad():
        return int((model(texts)[:, -1].argmax(-1) == following).sum())


def bag_guessed():
    """How many of them the reader continues rightly, on average, that knows which words were said."""
    texts, _ = cut_after(lists(0, range(8, 21), B=200, seed=97)[0])
    return sum(1 / len({*row}) for row in texts.tolist())


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
lookers = {}
for name, causal in {"without a mask": False, "with a causal mask": True}.items():
    set_seed(1)
    lookers[name] = OneLook(masked_attention, causal).to(device)
    practise(lookers[name], range(8, 21), steps=300)
    print(
        f"{name:18}  loss {held_out_loss(lookers[name]):.2f},  "
        f"next word right in {guessed(lookers[name])} of 200 texts"
    )
for name, loss, right in (
    ("knows nothing", math.log(64), 200 / 64),
    ("knows which words", bag_loss(), bag_guessed()),
):
    print(f"{name:18}  loss {loss:.2f},  next word right in {right:.0f} of 200 texts")

# %% [markdown]
# By its loss, the first network is a genius. But ask it for a word that is not there yet, and it does no better than the reader of the last line, who picks any word of the list. All that it had learned to use was the answer itself. So never trust a loss before you know what the model could see.
#
# The second network is honest, and it has learned something. By its loss it has not yet reached the reader of the last line, but it names the right word more often. So it has found out a little about the order. But do not be impressed: no list is shorter than eight words, so none of the last seven can come next, and a reader who knows that, and strikes out these seven, is right in about 50. It is still wrong in most texts, and in section 7 we give a network of one layer more steps and more heads, and it will not copy either. What is missing? At *kite* a word can find an earlier *kite*, but it wants the word *after* it, and that word does not know what stood before it.
# So a first lookup would have to prepare what a second one needs.
