# %% [markdown]
# ## 11. The loss, only where asked
#
# The head scores all $V$ words at each place: $[B, T, V]$. A causal model is asked everywhere. Here only the chosen places
# have an answer, about seven times fewer ($1/.15$), and the mean must run over these alone.

# %% [markdown] statement="masked_loss"
# Write `masked_loss(scores, targets)`: for scores (logits) $[B, T, V]$ and targets $[B, T]$, as `mask_tokens` returns
# them, the mean of $-\ln P(\text{target})$ over *all asked places of the batch together*, where $P$ is the softmax of the
# scores at that place. A tensor of shape $[]$.
#
# - Places with target -100 count for nothing, neither in the sum nor in the number.
# - If no place is asked the loss is 0, and so is its gradient (still a tensor that `backward` can start from).
# - Scores may be in the thousands.
#
# You may use what `F` offers; find out what it does at the edge.

# %% [markdown] hints="masked_loss"
# 1. One text has 1 blank, the other 9. Does a mean of the two texts' means treat all ten blanks alike?
# 2. `scores[asked]` with a bool $[B, T]$ has the rows that count, $[n, V]$.
# 3. A mean is a sum divided by a number. At which number does it break, and what could you divide by instead so that 0
#    comes out?


# %% task="masked_loss" points=3 level=1 minutes=12
def masked_loss(scores, targets):
    """Mean of -ln P(target) over the places whose target is not -100; 0 if there are none."""
    ### BEGIN SOLUTION
    asked = targets != -100
    total = F.cross_entropy(scores[asked], targets[asked], reduction="sum")
    return total / asked.sum().clamp(min=1)
    ### END SOLUTION


# %% family="masked_loss"
_B, _T, _V = whole(2, 3, (1, 12)), whole(4, 6, (1, 12)), whole(7, 9, (1, 30))
_scores = tensor(_B, _T, _V, scale=3, edges=["huge"], kind="float64")
_targets = made(
    lambda rng, words, asked: words.masked_fill(~asked, -100),
    *(ids(_B, _T, below=_V), truths(_B, _T)),
)
_close = {"rtol": 1e-4, "atol": 1e-5}


# %% test="masked_loss" aspect="only where asked" points=1
_sizes = [(1, 2, 3)]
for _B, _T, _V in _sizes:
    _scores, _targets = torch.randn(_B, _T, _V), torch.randint(_V, (_B, _T))
    _targets[torch.rand(_B, _T) < 0.5] = -100
    _targets[0, 0] = _V - 1
    if _T > 1:
        _targets[-1, -1] = -100
    if _T == 5:  # one text is asked everywhere, the other once, for word 0
        _targets[0], _targets[1] = torch.tensor([3, 1, 2, 0, 1]), -100
        _targets[1, 2] = 0
    _rows = [(b, t) for b in range(_B) for t in range(_T) if _targets[b, t] >= 0]
    _losses = [
        np.log(np.exp(_scores[b, t].double().numpy()).sum())
        - float(_scores[b, t, _targets[b, t]])
        for b, t in _rows
    ]
    _got = masked_loss(_scores.clone(), _targets.clone())
    assert is_number(_got), f"A tensor with one number wanted; yours: {_got!r}."
    assert close(_got, np.mean(_losses), 1e-4, 1e-5), (
        f"Scores {[_B, _T, _V]}, targets {_targets.tolist()}: {np.mean(_losses):.4f} wanted; "
        f"yours: {float(_got):.4f}."
    )
    _scores[_targets == -100] += 50 * torch.randn(_V)
    assert close(masked_loss(_scores.clone(), _targets.clone()), _got, 1e-4, 1e-5), (
        "Scores at places that are not asked change the loss."
    )
### BEGIN HIDDEN TESTS
agrees(masked_loss, ours.masked_loss, _scores, _targets, **_close)
### END HIDDEN TESTS

# %% test="masked_loss" aspect="every blank weighs the same" points=1
_scores = torch.zeros(2, 3, 2)
_scores[0, :, 0], _targets = 4.0, torch.tensor([[0, 0, 0], [1, -100, -100]])
_wanted = (3 * math.log(1 + math.exp(-4)) + math.log(2)) / 4
_got = masked_loss(_scores.clone(), _targets.clone())
assert is_number(_got) and close(_got, _wanted, 1e-5), (
    f"Three blanks in one text, one in the other: {_wanted:.4f} wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_asked = made(  # many blanks in one text, few in another
    lambda rng, B, T: torch.tensor(
        [[rng.random() < (b % 3) / 2 for _ in range(T)] for b in range(B)]
    ),
    *(_B, _T),
)
_all = made(lambda rng, n, a: n.masked_fill(~a, -100), ids(_B, _T, below=_V), _asked)
agrees(masked_loss, ours.masked_loss, _scores, _all, **_close)
for _size in (1e3, 5e4):
    _big = torch.tensor([[[_size, 0.0, -_size], [_size, 0.0, -_size]]])
    _got = masked_loss(_big.clone(), torch.tensor([[0, 1]]))
    assert is_number(_got) and close(_got, _size / 2, 1e-5), (
        f"Scores {_size:g}, 0, {-_size:g}: loss {_size / 2:g}; yours: {_got!r}."
    )
### END HIDDEN TESTS

# %% test="masked_loss" aspect="nothing asked" points=1
_got = masked_loss(torch.randn(1, 2, 3), torch.full((1, 2), -100))
assert is_number(_got) and float(_got) == 0, (
    f"No place asked: 0 wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_none = made(lambda rng, targets: torch.full_like(targets, -100), _targets)
agrees(masked_loss, ours.masked_loss, _scores, _none)
for _asked in (_none, _targets):
    agrees(masked_loss, ours.masked_loss, _scores, _asked, by=gradients, **_close)
### END HIDDEN TESTS

# %%
scores = torch.randn(2, 3, 5, requires_grad=True)
nobody, asked = torch.full((2, 3), -100), torch.zeros(2, 3)
losses = {
    "F.cross_entropy": F.cross_entropy(scores.flatten(0, 1), nobody.flatten()),
    "times a mask": (scores.logsumexp(-1) * asked).sum() / asked.sum(),
    "ours": masked_loss(scores, nobody),
}
for name, loss in losses.items():
    gradient = torch.autograd.grad(loss, scores, materialize_grads=True)[0].abs()
    print(f"no place asked: {name:16} {loss.item()}, gradient {gradient.max().item()}")

# %% [markdown]
# torch divides 0 by 0; its gradient is 0 nevertheless, but any sum with this loss is NaN. If you multiply by a mask instead, the gradient is NaN,
# too: after one such batch all weights are NaN.
#
# ### Train it
#
# Now all parts are there: your `pad`, `mask_tokens`, `encode_batch`, `Encoder` and `masked_loss`. `Filler` puts them together, with the ready-made attention
# and feed-forward layer inside. Its table of word vectors has one row more for `<MASK>`, and the same table makes the scores. It learns from the sentences of
# our kitchen stories, and we hide 30 % of the words. (Why not 15? Wait for section 15.)


# %%
class Filler(nn.Module):
    """Your encoder, asked for hidden words: ids [B, T] and lengths [B] -> scores [B, T, V]."""

    def __init__(self, V, C=64, N=2, h=4, T=64):
        super().__init__()
        self.table = nn.Parameter(torch.randn(V + 1, C) * 0.1)  # last row: <MASK>
        self.positions = nn.Parameter(torch.randn(T, C) * 0.1)
        self.encoder = Encoder(layer_of(C, h), N, C)

    def forward(self, ids, lengths):
        X = encode_batch(self.encoder, self.table, self.positions, ids, lengths)
        return X @ self.table[:-1].T


# %%
def sentences(split):
    """Every sentence of the stories, a list of words that ends with its full stop."""
    text = " ".join(word for s in kitchen.split(split) for word in s.tokens[:-1])
    return [f"{part} .".split() for part in text.split(" . ")]


vocabulary = sorted({word for s in kitchen.split("train") for word in s.tokens})
number = {word: i for i, word in enumerate(vocabulary)}
lines = [[number[word] for word in line][:64] for line in sentences("train")]
new_lines = [
    [number[w] for w in line if w in number][:64] for line in sentences("valid")
]


# %%
def lesson(lines, size, draw):
    """Sentences with hidden words: (inputs, lengths, targets)."""
    chosen = [lines[i] for i in draw.integers(len(lines), size=size)]
    ids, lengths = pad(chosen, 0)
    blank = len(vocabulary)
    inputs, targets = mask_tokens(
        ids, lengths, 0.3, (0.8, 0.1, 0.1), blank, blank, draw
    )
    return inputs, lengths, targets


def guesses(model, text):
    """The three likeliest words for the gap ___ of a sentence."""
    words = text.split()
    ids = [[number.get(word, len(vocabulary)) for word in words]]
    ids, lengths = torch.tensor(ids), torch.tensor([len(words)])
    with torch.no_grad():
        scores = model(ids.to(device), lengths.to(device))[0, words.index("___")]
    best = scores.softmax(-1).topk(3)
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return ", ".join(f"{vocabulary[i]} {p:.2f}" for i, p in pairs)


# %%
# NBVAL_IGNORE_OUTPUT
# Another machine rounds otherwise, and training makes more of it.
GAPS = [
    "the ___ sings .",
    "the ___ sing .",
    "robert ___ the soup .",
    "a cook in the ___ .",
]
set_seed(1)
filler = Filler(len(vocabulary)).to(device)
untrained = [guesses(filler, text) for text in GAPS]
history = train(
    filler,
    batches=lambda step: lesson(lines, 32, np.random.default_rng([1, step])),
    loss=lambda model, batch: (
        masked_loss(model(*batch[:2]), batch[2]),
        int((batch[2] != -100).sum()),
    ),
    steps=budget().choose(800, 6_000, 6_000),
    rate=0.003,
    validation=[lesson(new_lines, 400, np.random.default_rng(2))],
)
for text, before in zip(GAPS, untrained, strict=True):
    print(f"{text:22} untrained: {before}\n{'':22} trained:   {guesses(filler, text)}")

# %% alt="Loss on sentences never seen falls over 800 steps from 4.8 to 2.8 nats for each hidden word; the dotted line of one who knows frequencies only lies at 5.3."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
counts = np.bincount([i for line in lines for i in line], minlength=len(vocabulary)) + 1
asked = lesson(new_lines, 400, np.random.default_rng(2))[2]
frequencies = -np.log(counts / counts.sum())[asked[asked != -100]].mean()
_, axes = plt.subplots()
axes.plot(history["step"], history["validation loss"], label="your encoder")
axes.axhline(frequencies, color="gray", ls=":", label="knows frequencies only")
axes.set(xlabel="step", ylabel="nats per hidden word", ylim=(0, None))
axes.set_title("Your encoder on sentences that it has never seen")
axes.legend()
plt.show()

# %% [markdown]
# The dotted line is the loss of somebody who knows how frequent each word is and does not look at the sentence at all. Most of what is below it was read off
# the *other* words, on both sides of the gap. Two smaller gains come from elsewhere. Two asked places in ten show a word instead of `<MASK>`, and about half
# of these words are the right ones. Somebody who looked at nothing but this word would already save a little less than half a nat. And the places help: the
# last word of a sentence is nearly always a full stop.
#
# Your notebook takes 6,000 steps (a few minutes). The solution that comes with this course trained for 800 steps only, and it does not know yet that *sings*
# wants a singular: its best guess for *the ___ sings* is *cooks*. When does an encoder learn that? We recorded the guesses of four trainings of the same
# encoder, of 0, 200, 800 and 6,000 steps:

# %%
recorded = pd.read_csv(paths.DATA / "encoder" / "steps.csv")


def after(what):
    """What the recorded trainings say: a row for each name, a column for each number of steps."""
    rows = recorded[recorded.what == what]
    return rows.pivot(index="name", columns="steps", values="value")


for text, said in after("guesses").loc[GAPS].iterrows():
    print(text)
    for steps, three in said.items():
        print(f"{steps:8,} steps: {three}")
print("nats per hidden word:", after("loss").to_string(index=False, header=False))

# %% [markdown]
# After 200 steps the encoder still says *waitress* in three of the four gaps, whether a person is missing or a verb. After 800 it tells them apart. After
# 6,000 the three best words for *the ___ sings* are all singular, and those for *the ___ sing* are all plural. What does yours say?
#
# Try gaps of your own:

# %% scratch=true
# NBVAL_IGNORE_OUTPUT
# Another machine trains slightly other weights.
print(guesses(filler, "on a snowy ___ , the guests drink a glass of milk ."))

# %% [markdown]
# Gaps are not all that such an encoder is good for. Let us use it to *search*. Your `class_head` of section 9, with a $W$ that changes nothing, makes one
# vector of each new sentence, the mean over its words. Then we ask for a sentence, and the machine answers with the two others whose vectors point most
# nearly in the same direction (by cosine, as in chapter 3). Guess: how many words will they share with it?

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
ids, lengths = pad(new_lines[:1500], 0)
with torch.no_grad():
    parts = filler.encoder, filler.table, filler.positions
    X = encode_batch(*parts, ids.to(device), lengths.to(device)).cpu()
vectors = class_head(X, lengths, torch.eye(64), torch.zeros(64), "mean")
vectors = F.normalize(vectors - vectors.mean(0))  # without what all have in common
for wanted in (3, 17, 40, 101):
    for i in (vectors @ vectors[wanted]).topk(3).indices.tolist():
        words = " ".join(vocabulary[w] for w in new_lines[i])
        print(words if i == wanted else f"      {words}")

# %% [markdown]
# They are sentences that say the same kind of thing, often with few words in common. Nobody told the encoder that *orders* and *requests* are alike, or
# *roast* and *burger*. It found out because they fit the same gaps.
