# %% [markdown]
# ## 4. The debugging laboratory
#
# Look at the last two lines. A model that knows nothing should say so: it should give each of the $V$ tokens the same probability, $1/V$, and then its loss is $\ln V$. Yours has
# a far higher loss. There is no error message, your tests have passed, and if you trained it, its loss would go down. Something is wrong, though. Let us find out what.
#
# ### The first loss
#
# A loss that is far *above* $\ln V$ means that the model is sure of something, and wrong. What could a model be sure of before it has seen a single word? The next cell looks at three models. The first is
# yours, with the weights that torch gives it: its embeddings are normal numbers with standard deviation 1. The second is the same, but with two different matrices at its ends. The third begins with small weights,
# which the function `initialise` sets as in GPT-2: standard deviation 0.02 everywhere, and a bit less for the layers that write into the stream (`out` and `down`), because
# $2N$ of them add up, and their sum should not grow with the number of layers.
#
# Look at the loss first. Then look at the next column: how often is the model's favourite next token the one that it has just read?


# %%
def initialise(model, layers, std=0.02):
    """Small normal weights, biases 0; layers that write into the stream begin smaller by the root of their number, 2N."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes = name.endswith((".out", ".down"))
            nn.init.normal_(
                module.weight, std=std / math.sqrt(2 * layers if writes else 1)
            )
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
    return model


# %%
rows = {}
for start in ("as torch makes it", "two matrices", "small weights"):
    set_seed(1)
    model, (inputs, targets) = gpt(), batch(0, B=64)
    if start == "two matrices":
        model.head.weight = nn.Parameter(torch.randn(V, 64))
    if start == "small weights":
        initialise(model, layers=2)
    with torch.no_grad():
        scores = model(inputs)
    rows[start] = {
        "first loss": lm_loss(scores, targets).item(),
        "favours the token just read (%)": 100
        * (scores.argmax(-1) == inputs).float().mean(),
        "score of the token just read": scores.gather(2, inputs[..., None])
        .mean()
        .item(),
        "standard deviation of scores": scores.std().item(),
    }
print(f"ln V = {math.log(V):.2f}")
pd.DataFrame(rows).T.astype(float).round(1)

# %% [markdown]
# The first model believes that every letter comes twice, and it is completely sure of it. This can be computed by hand. The stream still contains the embedding $u$ of
# the token just read, next to a position vector of the same size. After the last norm it is about $u / \sqrt 2$, and because the weights are tied, the score of the same token is the product with
# $u$ itself: $\lvert u \rvert^2 / \sqrt 2 = 64 / \sqrt 2 \approx 45$. All other scores are much smaller.
#
# The second model has no such preference, but its scores are sums of 64 products of ordinary numbers, with a standard deviation of $\sqrt{64} = 8$. So it is very sure of something random. That alone costs many nats.
#
# The third model starts at $\ln V$. Its favourite is still the token just read, for the same reason, but by a score of less than 1, so that all probabilities are nearly equal. That is the first thing to look at whenever you train a network: **predict the first loss, and compare.** It costs one line and has saved many people a night.

# %% [markdown]
# ### Overfit one batch
#
# The second thing costs a few seconds. Take one single batch and train on it again and again. A healthy model learns a handful of texts by heart, and its loss goes to nearly 0. If it does not, it makes no sense to continue with more data.


# %%
def batch_loss(model, batch):
    """Your loss of a batch, and of how many places it is the mean."""
    inputs, targets = batch
    return lm_loss(model(inputs), targets), targets.numel()


# %%
rows = kitchen_ids[: 8 * 170].view(8, 170).to(device)
one_batch = rows[:, :16], rows[:, 1:17]


# %%
def by_heart(model, rate):
    """100 steps on one batch; the loss of each."""
    sizes = {"steps": 100, "rate": rate, "every": 1}
    return train(model, lambda _: one_batch, batch_loss, **sizes)["train loss"]


# %%
set_seed(1)
model = initialise(gpt(), layers=2).to(device)
losses = by_heart(model, 5e-3)
marks = (1, 10, 20, 30, 50, 100)
print("loss by step, one batch:", {s: round(float(losses[s - 1]), 2) for s in marks})

# %% [markdown]
# From $\ln V$ to nearly nothing. But careful: this test only shows that a model *can* learn. It does not show that it learns the right thing, as the next experiment will make clear.

# %% [markdown]
# ### What if we forget the mask?
#
# Suppose that you had forgotten the causal mask. What would you see? Write down a prediction before you run the cell: what will the loss be at each of the 16 places of a text, for a network with a mask and for one without?
# Both networks have one layer of your attention, and each is trained with three seeds.


# %%
class OneLayer(nn.Module):
    """Embedding, positions, your attention, scores."""

    def __init__(self, masked, width=64, T=16):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(V, width), nn.Embedding(T, width)
        self.attention, self.head = Attention(width, 4, T), nn.Linear(width, V)
        if not masked:
            self.attention.mask.zero_()

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        return self.head(x + self.attention(x))


# %%
def loss_by_place(masked, seed, steps):
    """Mean loss at each of the 16 places of 500 texts, after training; the network stays in `networks`."""
    set_seed(seed)
    model = OneLayer(masked).to(device)
    sizes = {"steps": steps, "rate": 1e-2}
    train(model, batch, batch_loss, schedule=warmup_cosine(10), **sizes)
    networks[masked] = model
    inputs, targets = (side.to(device) for side in batch(10**6, B=500))
    with torch.no_grad():
        scores = model(inputs).transpose(1, 2)
    return F.cross_entropy(scores, targets, reduction="none").mean(0).cpu()


# %% alt="Loss by place in the text: with the mask about 2.2 nats at each place; without it zero everywhere except at the last place, where it is nearly 3."
steps = budget().choose(grading=100, laptop=1_000, gpu=1_000)
networks = {}
_, axes = plt.subplots()
for colour, masked in zip(plots.COLOURS, (True, False), strict=False):
    found = [loss_by_place(masked, seed, steps) for seed in (1, 2, 3)]
    label = "with the mask" if masked else "without a mask"
    dots(axes, range(1, 17), np.stack(found, axis=1), colour, label)
axes.axhline(math.log(V), color="gray", linestyle=":", label="ln V: knows nothing")
axes.set(
    title="Without a mask the loss is 0, except where it counts",
    xlabel="place in the text",
    ylabel="loss (nats per letter)",
    ylim=(0, None),
)
axes.set_xticks(range(1, 17, 3))
axes.legend()
plt.show()

# %% [markdown]
# Each dot is one seed. Without the mask the loss is close to 0 at 15 of the 16 places: the network simply copies the next letter from the input. But look at the last place. There is nothing to copy there, and when a model
# writes, *every* place is the last one. At the only place that counts, the network without a mask is worse than the honest one: in training nearly all of its questions could be answered by copying.
#
# What does such a model write? A language model writes by reading what is there, giving scores for the next token, turning them into probabilities with the softmax, drawing one token, adding it to the text, and so on. The function `go_on` does this. Your own models will write with it, too, later in this chapter.


# %%
@torch.no_grad()
def go_on(model, tokens, n, choose, longest, seed=0):
    """The tokens and n more. choose(scores [1, V]) gives the probabilities [1, V] from which each is drawn."""
    tokens, dice = list(tokens), torch.Generator().manual_seed(seed)
    for _ in range(n):
        read = torch.tensor([tokens[-longest:]], device=device)  # it has no more places
        chances = choose(model(read)[:, -1].float().cpu())
        tokens.append(torch.multinomial(chances, 1, generator=dice).item())
    return tokens


def by_chance(scores):
    """The probabilities as the model has them."""
    return scores.softmax(-1)


# %%
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a letter, and all that follow)
beginning = [number_of[letter] for letter in "on a foggy day "]
for masked, one in networks.items():
    written = go_on(one, beginning, 60, by_chance, 16)
    name = "with the mask:   " if masked else "without a mask: "
    print(name, repr("".join(alphabet[i] for i in written)))

# %% [markdown]
# One layer and some seconds of training are not enough for good English, but the first line has letters in a plausible order, and blanks where words might end. The second line is what you get from a model with the lower loss.
#
# So **a training loss can be too good.** If you ever see a loss that is better than it should be, do not celebrate. Look for a leak.

# %% [markdown]
# ### Four patients
#
# Now it is your turn to be the doctor. Here are four small Transformers. One is healthy. One starts too sure of itself, one can see the future, and one cannot see the past. (The last one has no position vectors either, so it knows nothing but the token itself.) The code that makes them is below, but the
# order in which they lie in their beds has been shuffled, so reading it does not help. You have to measure.


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
patients, table = {}, {}
order = sorted(range(4), key=lambda ill: hashlib.md5(b"ward 12, bed %d" % ill).digest())
for name, ill in zip("ABCD", order, strict=True):
    set_seed(1)
    patients[name] = Patient(ill).to(device)
    losses = by_heart(patients[name], 1e-2)
    table[name] = {
        "first loss": losses.iloc[0],
        "after 100 steps on one batch": losses.iloc[-1],
    }
print(f"ln V = {math.log(V):.2f}")
pd.DataFrame(table).T.round(1)

# %% [markdown] statement="leaks"
# ### Who sees the future?
#
# The table answers two of your questions: how sure is the patient at the start, and can it learn one batch by heart? The third question needs an instrument. A model leaks if an *earlier* score changes when a *later* token is exchanged. Write
#
# - `leaks(model, tokens)`: True if exchanging any single token changes a score at an earlier place. The model turns tokens $[B, T]$ into scores $[B, T, V]$, and the tokens that you try must be
#   among these $V$.
#
# Then use it on the four `patients` and fill in `diagnosis`: for each letter one of `"healthy"`, `"starts too sure"`, `"sees the future"` and `"sees no past"`.

# %% [markdown] hints="leaks"
# 1. Which place can have no earlier one? Which tokens must you therefore try, one after the other?
# 2. (token + 1) modulo $V$ is another token. Work on a copy.
# 3. Exchange column $t$, ask the model again, compare only the columns *before* $t$; rounding may differ in the last digits. For the
#    diagnosis, two numbers of the table and your function decide.


# %% task="leaks" points=4 level=3 minutes=20
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
_parts = torch_module("Embedding", 5, 5), torch_module("Dropout", 0.5)
_model = torch_module("Sequential", *_parts).eval().requires_grad_(False)
assert leaks(_model, _tokens.clone()) in (False,), (
    "A model with dropout, in eval mode, sees no other token: no leak. Its mode is not yours to change."
)
leaks(linear_model(torch.ones(4, 4)), _tokens.clone())  # its tokens stay as they are
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
print("your own model leaks:", leaks(model, one_batch[0]))

# %% [markdown]
# Look at the table once more. The patient who sees the future has an impeccable first loss and learns its batch by heart, just like the healthy one. These two losses could not tell them apart, but the exchange of a single token did. So you now have
# three instruments, and each takes seconds: the first loss, one batch by heart, and one exchanged token. Use them on every network that you will ever train.

# %% [markdown]
# ### A minute of names
#
# Your model is built and examined, and it deserves a reward. In chapter 04 a network with a window invented first names. Let your Transformer do the same. The text is a list of
# names, one on each line, read letter by letter, and `train` from `lmkit` moves the weights for now.

# %%
names = "".join(
    "".join(name) + "\n"
    for name in random.Random(1).sample(lmkit.load("names").splits["train"], 25_600)
)
letters = sorted(set(names))
name_ids = torch.tensor([letters.index(letter) for letter in names])
print(f"{len(name_ids):,} letters, {len(letters)} different ones:", names[:60].split())


# %%
def name_batch(step, B=16, T=32):
    """The batch of a step, on the device: B stretches of T letters."""
    starts = np.random.default_rng([4, step]).integers(0, len(name_ids) - T, B)
    inputs, targets = examples(name_ids, torch.from_numpy(starts), T)
    return inputs.to(device), targets.to(device)


def new_names(model):
    """What the model writes after the end of a line, the last and unfinished name left out."""
    written = go_on(model, [0], 80, by_chance, 32, seed=3)
    return "".join(letters[i] for i in written).split("\n")[1:-1]


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
set_seed(1)
namer = initialise(gpt(len(letters), block=32, layers=4, width=128), 4, 0.05).to(device)
steps = budget().choose(grading=120, laptop=800, gpu=3_000)
print("before:", *new_names(namer))
begin = time.perf_counter()
sizes = {"steps": steps, "rate": 3e-3, "clip": 1.0}
train(namer, name_batch, batch_loss, schedule=warmup_cosine(steps // 20), **sizes)
print(f"after {steps} steps, {time.perf_counter() - begin:.0f} seconds:")
print(*new_names(namer))

# %% [markdown]
# Some of these are names that exist, some are not but could, and a few are accidents.

# %% [markdown] statement="count"
# ### Count the work
#
# One more prediction, before a training that takes minutes: how much work is it? You cannot buy or rent computing time without this number, and it also tells what a GPU could do and how
# far you are from that.
#
# Nearly all of the work of a Transformer is in products of matrices. A product of $[n, a]$ and $[a, b]$ has $n \cdot b$ results, and each of them takes $a$ multiplications and $a$ additions: that is $2nab$ operations. Count only these products, in one forward pass of *one* text of $T$ tokens
# through a model with $N$ layers, as you have built it. Write
#
# - `flops(V, T, C, N)`: the pair `(rest, square)`, where `square` is the part that grows with $T^2$, and `rest` all other products.
#
# Before you count, write down a guess: which share of the operations of GPT-2 ($V = 50257$, $T = 1024$, $C = 768$, $N = 12$) is in the famous squares of attention? Then compute it with your function. The variables are `guess_square` and `measured_square`.

# %% [markdown] hints="count"
# 1. A linear layer from $a$ to $b$ costs $2Tab$ for $T$ tokens. Which six are there, and how wide?
# 2. Tied weights are counted once as weights, but *used* twice: once to look up, which is free, and once in a product.
# 3. Two products in a layer have no weights: queries with keys, weights with values. In each head $[T, D]$ meets $[D, T]$; all
#    heads together have $H \cdot D = C$.


# %% task="count" points=3 level=3 minutes=20
def flops(V, T, C, N):
    """(operations in products with weights, in products of the T x T tables), one text forward."""
    ### BEGIN SOLUTION
    return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
    ### END SOLUTION


# guess_square = a share between 0 and 1, written down before you count
# measured_square = the share of the second number in the sum of both, for GPT-2
### BEGIN SOLUTION
guess_square = 0.5
rest, square = flops(50257, 1024, 768, 12)
measured_square = square / (rest + square)
### END SOLUTION

# %% test="count" aspect="products with weights" points=1
_got = flops(50257, 1024, 768, 12)
assert np.shape(_got) == (2,), f"flops returns two numbers; yours: {_got!r}."
assert _got[0] + _got[1] == 291_648_307_200, (
    f"For GPT-2's sizes 291,648,307,200 operations are known; yours in all: {_got[0] + _got[1]:,}."
)
### BEGIN HIDDEN TESTS
agrees(
    flops,
    ours.flops,
    # exact also where floating-point numbers are not
    *(whole(1, 90, (largest,)) for largest in (10**15 + 37, 10**12 + 39, 10**7 + 19)),
    whole(1, 9, (0, 97)),
    by=lambda flops, *sizes: flops(*sizes)[0],
    rtol=1e-12,
)
### END HIDDEN TESTS

# %% test="count" aspect="what grows with the square" points=1
_one, _two = flops(10, 8, 4, 3), flops(10, 16, 4, 3)
assert np.shape(_one) == np.shape(_two) == (2,), (
    f"flops returns two numbers; yours: {_one!r}."
)
assert _two[0] == 2 * _one[0] and _two[1] == 4 * _one[1], (
    f"Twice the length: the first number should double, the second be four times as large; yours: {_one}, {_two}."
)
### BEGIN HIDDEN TESTS
agrees(
    flops,
    ours.flops,
    *(whole(1, 90, (largest,)) for largest in (200_003, 65_537, 12_289)),
    whole(1, 9, (0, 97)),
    by=lambda flops, *sizes: flops(*sizes)[1],
    rtol=1e-12,
)
### END HIDDEN TESTS

# %% test="count" aspect="guess and measurement" points=1
for _name, _value in (
    ("guess_square", guess_square),
    ("measured_square", measured_square),
):
    assert is_number(_value), f"{_name} should be a number; yours: {_value!r}."
    assert 0 <= _value <= 1, f"{_name} is a share between 0 and 1; yours: {_value}."
### BEGIN HIDDEN TESTS
assert abs(measured_square - 0.132539) < 5e-5, (
    f"The T x T products are not a share of {measured_square:.4f} of all operations of GPT-2."
)
### END HIDDEN TESTS

# %%
model, tokens = gpt(), torch.zeros(1, 16, dtype=torch.long)
counter = FlopCounterMode(display=False)
with counter, torch.no_grad():
    model(tokens)
print("operations, counted by you:  ", sum(flops(V, 16, 64, 2)))
print("operations, counted by torch:", counter.get_total_flops())

# %% [markdown]
# The two numbers are equal to the last digit. And was your guess for GPT-2 near? The squares take 13 %. For training, multiply by three: in the backward pass each product needs two more, one for the gradient of its input and one for that of its weights.
#
# The cost of attention is often said to grow with the square of the length, and it does. But look at the picture for GPT-2 at different lengths before you worry about it. Where does the square become the largest part?

# %% folded="draws the shares of the operations" alt="Three shares over the length of the text: the weights of the layers take two thirds at first; the T × T tables grow, cross them at T = 6C and take more than 80 percent at 65,000 tokens."
T = 2 ** np.arange(6, 17)
parts = np.array([[*flops(0, t, 768, 12), 2 * t * 768 * 50257] for t in T.tolist()]).T
parts = 100 * parts / parts.sum(0)
_, axes = plt.subplots()
for part, label in zip(
    parts, ("weights of the layers", "T × T tables", "output"), strict=True
):
    axes.plot(T, part, label=label)
axes.axvline(6 * 768, color="black", linestyle=":")
axes.annotate("T = 6C", (6 * 768, 90), xytext=(4, 0), textcoords="offset points")
axes.set(
    title="The squares of attention win only beyond T = 6C",
    xscale="log",
    xlabel="T, tokens in a text (log)",
    ylabel="operations (%)",
    xlim=(64, 65536),
    ylim=(0, 100),
)
axes.legend()
plt.show()

# %% [markdown]
# For texts of the length that GPT-2 reads, attention's squares are the smaller part. They overtake the weights of the layers only when a text is six times as long as the model is wide.
#
# *This is a good place for a break.* What is left is to train it on your text, with an optimiser and a loop of your own.
