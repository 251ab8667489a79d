# %% [markdown]
# ## 4. The debugging laboratory
#
# Your model has just told you its first loss: it is about 44. (Is yours near 3.6? That can be right, too. The next pages are about the 44, and they come back to
# your case.) The number printed below it is $\ln V = 3.58$. A model that knows nothing should give each of the $V = 36$ letters the same probability, $1/V$, and
# then its loss is $\ln V$. So yours is far worse than a model that knows nothing. There is no error message, and your tests have passed. Let us find out what is
# going on.

# %% [markdown]
# ### The first loss
#
# A loss that is far *above* $\ln V$ means that the model is sure of something, and wrong. What could a model be sure of before it has seen a single letter? We
# let the same model begin in two ways. *As torch makes it*, the matrix that is both embedding and head consists of normal numbers with standard deviation 1. In
# the small start their standard deviation is 0.05.
#
# The function `initialise` makes the small start. It gives such numbers to all other layers, too, and sets the biases to 0. Two layers of each block begin
# smaller than the others, divided by $\sqrt{2N}$: `out` of attention and `down` of the feed-forward layer. These write into the stream, and in $N$ blocks
# there are $2N$ of them. A sum of $2N$ independent numbers of one size is $\sqrt{2N}$ times as large as one of them, so the division keeps the sum equally
# large for any $N$.
#
# The cell after it prints a table with a row for each start. Look at the first loss. Then look at the column beside it: how often is the model's favourite
# next token the one that it has just read? The last column, *length of what the blocks add*, is a ratio. Take the length of everything that the blocks have
# added to the stream, and divide it by the length of the stream before the first block.


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
by_start = {}
for start in ("as torch makes it", "small, 0.05"):
    set_seed(1)
    newborn, (inputs, targets) = gpt(), batch(0, B=64)
    if start != "as torch makes it":
        initialise(newborn, layers=2, std=0.05)
    with torch.no_grad():
        scores = newborn(inputs)
        given = newborn.embedding(inputs) + newborn.positions.weight
        stream = given
        for block in newborn.blocks:
            stream = block(stream)
    own_score = scores.gather(2, inputs[..., None])
    by_start[start] = {
        "first loss": lm_loss(scores, targets),
        "favours the token just read (%)": 100
        * (scores.argmax(-1) == inputs).float().mean(),
        "score of the token just read": own_score.mean(),
        "length of what the blocks add": (stream - given).norm() / given.norm(),
    }
print(f"ln V = {math.log(V):.2f}")
pd.DataFrame(by_start).T.astype(float).round(2)

# %% [markdown]
# The model in the first row believes at every place that the letter just read will come again. It gives this letter a score of 44. If the true next letter is
# another one, the loss is about 44 minus the score of that letter. Those scores lie around 0, most of them between -16 and 16, so the mean loss is about 44.
#
# You can compute the 44 by hand:
#
# 1. The stream begins as the sum $e + r$. Here $e$ is the embedding of the token just read, and $r$ is the vector of its position. Both consist of $C = 64$
#    normal numbers with standard deviation 1. What the blocks add is short beside that, as the last column says, and we leave it out.
# 2. The numbers of the sum $e + r$ have variance 2, so the last norm divides them by $\sqrt 2$.
# 3. The head multiplies with the same embeddings again. So the token just read gets the score $(e + r) \cdot e / \sqrt 2$.
# 4. The product $e \cdot e$ is a sum of 64 squares, about 64, and $r \cdot e$ is small beside it. So the score is about $64 / \sqrt 2 \approx 45$. The
#    embeddings of the other tokens have nothing to do with $e$, so their scores are much smaller.
#
# So the cause is one matrix with two jobs. Numbers of size 1 suit an embedding, but they are far too large for a head.
#
# (Is your first loss near $\ln V$ instead of 44? Then you have tied the weights the other way round, `embedding.weight = head.weight`. That is right, too, but
# both now begin as torch makes a linear layer, with smaller numbers. Step 4 then gives a small score.)
#
# Now the small start, in the same four steps. One thing is different: what the blocks add is no longer short. It is about twice as long as $e + r$, as the
# last column says.
#
# 1. The stream begins with numbers that are 0.05 times as large as before. So those of $e + r$ have the size $0.05 \cdot \sqrt 2 = 0.071$.
# 2. The blocks add a vector that is twice as long, and nearly at a right angle to $e + r$, because the two have nothing to do with each other. By Pythagoras
#    the sum is about $\sqrt{1 + 2^2} \approx 2.2$ times as long. Its numbers have the size $2.2 \cdot 0.071 = 0.156$, and the last norm divides by that.
# 3. The head multiplies with the embeddings, so the token just read gets the score $(e + r) \cdot e / 0.156$.
# 4. The product $e \cdot e$ is about $64 \cdot 0.05^2 = 0.160$. So the score is $0.160 / 0.156 \approx 1.0$, as in the table.
#
# With such low scores no letter gets much more than a few times $1/V$, and the first loss is close to $\ln V$. (The token just read is still the favourite at
# two places of three, as the second column says: 1.0 is a low score, but most of the others are lower. To have a favourite is one thing, to be sure of it is
# another.)
#
# Why is what the blocks add so long here, although all numbers of this start are small? Each module reads a *normalised* copy of the stream. So what it
# writes depends on its own matrices, and not on how long the stream is. In the first row $e + r$ has a length of about 11, the root of $64 \cdot 2$, and the
# blocks add about 3. In the small start $e + r$ is twenty times shorter, 0.56. But the matrices of the blocks have shrunk much less. Those that read have
# numbers of the size 0.05, where torch makes 0.07. Those that write have 0.025, where torch makes 0.07 in `out` and 0.036 in `down`. So attention adds about
# four times less than before, the feed-forward layer about two times less, and both together about 1.
#
# This is the first thing to look at whenever you train a network: **predict the first loss, and compare.** It costs one line. If the prediction is wrong, then
# the model is not what you think, or its first weights are not, or the prediction was a bad one.
#
# And what does a bad start cost in the end? We have trained this small model from several starts for 400 steps, each with its best learning rate and three
# seeds. The next cell prints the mean first loss and the mean loss at the end. Before you run it: does the model that begins above 40 end worst?

# %%
starts = pd.read_csv(paths.DATA / "transformer" / "first_weights.csv")
starts = starts.query("seed != 4")  # seed 4 chose the rates
print(starts.groupby("start")[["first loss", "loss after 400 steps"]].mean().round(2))

# %% [markdown]
# It does not. It ends at 1.86, level with the small start of 0.02, whose first loss was right, and the small start of 0.05 ends lower than both, at 1.72.
# (The seeds of one start are at most 0.07 apart.) The lowest loss, 1.66, has a model with two matrices, one for the embedding and one for the head, which
# begins as torch makes it. (Small numbers do not help it: 1.75. And the learning rates were chosen from only five, so do not take a difference of a few
# hundredths for a law.) So do not read from the first loss how well a training will end. It tells you what you have built.

# %% [markdown]
# ### Overfit one batch
#
# The second test costs a few seconds, too. Take one single batch, here 8 texts of 16 letters, and train on it again and again. A
# healthy model learns these few texts by heart, and its loss goes to nearly 0. If it does not, more data will not help either: first find the mistake.


# %%
def my_loss(model, batch):
    """Your loss of a batch of inputs and targets."""
    return lm_loss(model(batch[0]), batch[1])


def batch_loss(model, batch):
    """The same, and of how many places it is the mean: lmkit's `train` wants to know both."""
    return my_loss(model, batch), batch[1].numel()


# %%
eight = kitchen_ids[: 8 * 170].view(8, 170).to(device)
one_batch = eight[:, :16], eight[:, 1:17]


# %%
def by_heart(model, rate):
    """100 steps on one batch; the loss of each."""
    sizes = {"steps": 100, "rate": rate, "every": 1}
    return train(model, lambda _: one_batch, batch_loss, **sizes)["train loss"]


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
set_seed(1)
examined = initialise(gpt(), layers=2, std=0.05).to(device)
losses = by_heart(examined, 5e-3)
marks = (1, 10, 20, 30, 50, 100)
print("loss by step, one batch:", {s: round(float(losses[s - 1]), 2) for s in marks})

# %% [markdown]
# The loss goes from $\ln V$ to nearly nothing. (To nothing it cannot go. Some of the eight texts begin alike and go on differently, which costs any model
# that does not see the future 0.026 nats.) But careful: this test only shows that a model *can* learn. It does not show that it learns the right thing, as
# you will soon see.

# %% [markdown]
# ### One minute with your own text
#
# Your model can learn, so let it read your own text, for one minute. For now the training loop is `train` from `lmkit`; in section 6 you write your own.
#
# The first cell has the sizes. On a laptop the model gets a little less than a million weights, and in each step it reads $B = 16$ stretches of $T = 128$ tokens.
# On a GPU the model is larger if your text is long enough for it.

# %%
small = {"block": 128, "layers": 4, "heads": 4, "width": 128}
large = {"block": 256, "layers": 6, "heads": 6, "width": 384}
much = len(my_tokens["train"]) > 3_000_000
my_size = budget().choose(
    grading={"block": 64, "layers": 2, "heads": 4, "width": 64},
    laptop=small,
    gpu=large if much else small,
)
my_B, my_rate, my_std = budget().choose(
    grading=(16, 1e-2, 0.05),
    laptop=(16, 3e-3, 0.05),
    gpu=(64, 1e-3, 0.02) if much else (16, 3e-3, 0.05),
)
T = my_size["block"]


# %%
def my_batch(i, seed=1):
    """Batch number i of your own text, on the device: inputs and targets [B, T]."""
    last = len(my_tokens["train"]) - T
    starts = np.random.default_rng([seed, i]).integers(0, last, my_B)
    inputs, targets = examples(my_tokens["train"], torch.from_numpy(starts), T)
    return inputs.to(device), targets.to(device)


def my_newborn(std=my_std, tied=True, seed=1):
    """A fresh model of your size, on the device; with tied=False its head has a matrix of its own."""
    set_seed(seed)
    model = gpt(my_V, **my_size)
    if not tied:
        model.head = nn.Linear(my_size["width"], my_V, bias=False)
    return initialise(model, my_size["layers"], std).to(device)


# %% [markdown]
# To judge the model we need text that it does not learn from. The function `held_out_loss` cuts such a text into separate stretches of $T$ tokens and returns the
# mean loss. With `most=40` it takes only 40 of these stretches, to save time. They are always the same 40, and they come from everywhere in the text, because the
# first pages of a book are often a title and a list of contents.


# %%
def windows(tokens, most=None):
    """Inputs and targets [B, T]: the stretches of a text, without overlap; or `most` of them, drawn once and for all."""
    count = (len(tokens) - 1) // T
    chosen = np.random.default_rng(1).permutation(count)[: most or count]
    return examples(tokens, T * torch.from_numpy(np.sort(chosen)), T)


@torch.no_grad()
def held_out_loss(model, tokens, most=None):
    """Mean loss (nats per token) in separate stretches of T tokens, 32 at a time."""
    inputs, targets = windows(tokens, most)
    batches = zip(inputs.split(32), targets.split(32), strict=True)
    losses = [
        my_loss(model, (x.to(device), y.to(device))).item() * len(x) for x, y in batches
    ]
    return sum(losses) / len(inputs)


# %% [markdown] statement="go_on"
# ### The loop that writes
#
# And how does a language model write? It reads what is there and gives scores for the next token. One token is chosen and added to the text. Then the model reads
# the longer text, and the
# round begins again.
#
# Write this loop: `go_on(model, tokens, n, pick, longest)` returns the tokens and $n$ more. The model gives the scores, and the function `pick` makes the choice,
# so that one loop will do for every way to choose. There is one obstacle. The model has vectors for `longest` places only, so if the text has become longer than
# that, it can read only the last `longest` tokens of it.
#
# Every text that your models write in this chapter comes out of this loop.

# %% [markdown] hints="go_on"
# 1. The model gives scores for *every* place that it has read, $[1, T, V]$. Which of these places tells about the next token?
# 2. The tokens are a list, and the model wants a tensor $[1, T]$. In a list, `tokens[-5:]` is what is at the end.
# 3. Copy the list. Then, $n$ times: make a tensor of the last `longest` tokens on the `device`, ask the model, give the scores of the last place
#    to `pick`, append what it returns.


# %% task="go_on" points=3 level=2 minutes=12
@torch.no_grad()
def go_on(model, tokens, n, pick, longest):
    """A new list: the tokens, and n more.

    model turns tokens [1, T] on `device`, T at most `longest`, into scores [1, T, V].
    pick turns the scores [1, V] of one place into the number of the next token.
    """
    ### BEGIN SOLUTION
    tokens = list(tokens)
    for _ in range(n):
        read = torch.tensor([tokens[-longest:]], device=device)
        tokens.append(pick(model(read)[:, -1]))
    return tokens
    ### END SOLUTION


# %% [markdown]
# To check your loop we need a model whose text can be told beforehand. The next one has seven tokens, 0 to 6. It adds up all tokens that it has read and gives
# the highest score to their sum, or, if the sum is above 6, to the remainder modulo 7. So after *1 2* it writes 3. Then it has read 1, 2 and 3, and it writes 6.


# %%
def adding_model(tokens, V=7):
    """Scores [1, T, V]: at each place the sum of the tokens [1, T] so far, modulo V, has the highest."""
    return F.one_hot(tokens.cumsum(1) % V, V).float()


def likeliest(scores):
    """The token with the highest of the scores [1, V]."""
    return scores.argmax(-1).item()


# %% family="go_on"
def _written(go_on, tokens, n, longest, V, rank):
    """What it writes with a model that weighs each token by its place, and a pick that takes tokens of two ranks in turn."""
    ranks = iter([rank, 0] * 99)

    def model(read):
        weights = torch.arange(1, read.shape[1] + 1, device=read.device)
        return F.one_hot((weights * read).cumsum(1) % V, V) * 9.0 + torch.arange(
            V, device=read.device
        )

    def pick(scores):
        return scores.flatten().argsort(descending=True)[next(ranks)].item()

    return [int(token) for token in go_on(model, tokens, n, pick, longest)]


_tokens = listing(size("tokens"), whole(0, 1))
_V = size("V", least=2, most=9, large=None)

# %% test="go_on" aspect="one token after the other" points=1
_seen = []


def _pick(scores):
    _seen.append(tuple(np.shape(scores)))
    return int(torch.as_tensor(scores).reshape(-1, 7)[-1].argmax())


_given = [1, 2]
_got = go_on(adding_model, _given, 4, _pick, 9)
assert hasattr(_got, "__len__"), f"go_on returns a list of tokens; yours: {_got!r}."
assert _seen == [(1, 7)] * 4, (
    f"pick should get the scores of one place, [1, 7], once for each new token; yours: {_seen}."
)
assert list(_got) == [1, 2, 3, 6, 5, 3], (
    f"After 1 2 the adding model goes on 3, 6, 5, 3, so 1 2 3 6 5 3 is wanted for n = 4; yours: {list(_got)}."
)
### BEGIN HIDDEN TESTS
agrees(
    go_on,
    ours.go_on,
    _tokens,
    whole(0, 12),
    choice(60),
    _V,
    choice(0, 1, -1),
    by=_written,
)
### END HIDDEN TESTS

# %% test="go_on" aspect="it reads what it has places for" points=1
_lengths = []


def _model(tokens):
    _lengths.append(int(np.shape(tokens)[1]))
    return adding_model(tokens)


_got = list(go_on(_model, [1, 2], 4, likeliest, 2))
assert max(_lengths) <= 2, (
    f"longest = 2: the model has vectors for two places, and you let it read {max(_lengths)} tokens."
)
assert _got == [1, 2, 3, 5, 1, 6], (
    f"longest = 2: 1 2 gives 3, then 2 3 gives 5, then 3 5 gives 1, then 5 1 gives 6; yours: {_got}."
)
### BEGIN HIDDEN TESTS
agrees(
    go_on,
    ours.go_on,
    _tokens,
    whole(0, 12),
    whole(1, 6),
    _V,
    choice(0, 1, -1),
    by=_written,
)
### END HIDDEN TESTS

# %% test="go_on" aspect="your list stays as it is" points=1
_given = [4, 0, 1]
_got = go_on(adding_model, _given, 2, likeliest, 9)
assert _given == [4, 0, 1], (
    f"The list that go_on gets should stay 4 0 1; it has become {_given}: work on a copy."
)
assert list(go_on(adding_model, _given, 0, likeliest, 9)) == [4, 0, 1], (
    "n = 0: the tokens come back, and nothing is added."
)
### BEGIN HIDDEN TESTS
for _n in (0, 1, 7):
    _given = [random.randrange(7) for _ in range(random.randint(1, 9))]
    _before = list(_given)
    _got = list(go_on(adding_model, _given, _n, likeliest, 4))
    assert _given == _before, f"The list {_before} has become {_given}: work on a copy."
    assert _got[: len(_before)] == _before and len(_got) == len(_before) + _n, (
        f"{len(_before)} tokens and {_n} more are wanted, with the given ones first; yours: {_got}."
    )
    assert not is_an_argument(go_on, adding_model, _given, _n, likeliest, 4), (
        f"n = {_n}: a new list is wanted; yours is the given one."
    )
### END HIDDEN TESTS

# %% [markdown]
# Now your loop needs a `pick` for real text. Writing one token takes two steps. First the scores become probabilities. The function `to_probabilities` does
# this, and for now it is the softmax alone; in section 7 you write a better one. Then a token is drawn with these probabilities. `drawn(to_probabilities)` puts
# the two steps together and gives you a `pick`.
#
# The last cell trains your model for one minute and lets it go on from your prompt.


# %%
def to_probabilities(scores):
    """The probabilities [1, V] of the next token, as the model has them."""
    return scores.softmax(-1)


def drawn(to_probabilities, seed=0):
    """A pick for go_on: draws a token with the probabilities to_probabilities(scores [1, V])."""
    dice = torch.Generator().manual_seed(seed)

    def pick(scores):
        chances = to_probabilities(scores.float().cpu())
        return torch.multinomial(chances, 1, generator=dice).item()

    return pick


def continued(model, text, n, to_probabilities, seed=0):
    """Your text and n tokens more, read and written with your encode and decode."""
    tokens = encode(text, merges) or [10]  # it cannot begin from nothing: a line end
    pick = drawn(to_probabilities, seed)
    return decode(go_on(model, tokens, n, pick, T), merges)


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
first_model = my_newborn()
limit = budget().choose(
    grading={"steps": 100}, laptop={"seconds": 60}, gpu={"seconds": 60}
)
schedule = warmup_cosine(20)
done = train(
    first_model, my_batch, batch_loss, rate=my_rate, schedule=schedule, **limit
)
first_loss = held_out_loss(first_model, my_tokens["valid"], 40)
print(f"after {done['step'].iloc[-1]:,} steps, {done['seconds'].iloc[-1]:.0f} seconds:")
print(continued(first_model, prompt, 60, to_probabilities))
print(f"\nloss on text that it has not read: {first_loss:.2f} nats per token", end=" ")
print(f"(ln V = {math.log(my_V):.2f})")

# %% [markdown]
# There it is: a text written by your tokens, your model and your loop. It is not good yet. But compare it with the babble at the beginning of this chapter. After
# one minute there should be blanks at plausible distances, word-like pieces, and perhaps some words of your author.
#
# Remember the last line, its loss on held-out text. The long training of section 6 begins with a fresh model, and it should end lower.

# %% [markdown]
# ### What if we forget the mask?
#
# Suppose that you had forgotten the causal mask. What would you see? To find out, we go back to the kitchen text, in letters. We train two networks with one
# layer of your attention, one with the mask and one without. Each reads texts of 16 letters, so it makes 16 predictions for each text. Write down your prediction
# first: what will the loss be at each of the 16 places, with a mask, and without?


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


# %% alt="Loss by place in the text: with the mask it falls from 2.3 nats at the first place to about 1.7 at the fourth and stays there; without it the loss is zero everywhere except at the last place, where it is 2."
networks = {}
_, axes = plt.subplots()
for colour, masked in zip(plots.COLOURS, (True, False), strict=False):
    found = [loss_by_place(masked, seed, steps=1_000) for seed in (1, 2, 3)]
    label = "with the mask" if masked else "without a mask"
    dots(axes, range(1, 17), np.stack(found, axis=1), colour, label)
axes.axhline(math.log(V), color="gray", linestyle=":", label="ln V: knows nothing")
axes.set(
    title="One layer of attention: the loss at each place",
    xlabel="place in the text",
    ylabel="loss (nats per letter)",
    ylim=(0, None),
)
axes.set_xticks(range(1, 17, 3))
axes.legend()
plt.show()

# %% [markdown]
# Each dot is one of three seeds. Without the mask the loss is 0 at places 1 to 15, because there the network simply copies the next letter from the input. At
# place 16 there is nothing to copy. The next letter is not in the input, and the loss is about 2.0. That is worse than with the mask, 1.7, and one reason is
# that only one in sixteen of its lessons was about guessing at all. With the mask the loss falls from 2.3 at place 1 to about 1.65 at place 4, because up to
# there each further letter to look back at helps. From there on it hardly falls.
#
# What if such a network should write? Its text begins short. Suppose that it has 8 letters. Then the scores of place 8 must say which letter comes ninth. But in
# training place 8 never had to guess, because the ninth letter was always in the input.
#
# So the next cell shows both networks only the first 8 letters of 500 texts, and measures the loss of the ninth letter. Then it lets each of them write 60
# letters after the first 8 of the kitchen text. Your `go_on` gives it the last 8 letters each time, so it is always place 8 that has to guess. Will the network
# without a mask be better or worse than a model that knows nothing, whose loss is $\ln V$?

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
inputs, targets = (side.to(device) for side in batch(10**6, B=500))
print(f"a model that knows nothing: ln V = {math.log(V):.1f} nats")
for masked, one in networks.items():
    with torch.no_grad():
        cost = F.cross_entropy(one(inputs[:, :8])[:, -1], targets[:, 7]).item()
        said = go_on(one, kitchen_ids[:8].tolist(), 60, drawn(to_probabilities), 8)
    print("with the mask: " if masked else "without a mask:", f"{cost:.1f} nats")
    print("   it writes:", repr("".join(alphabet[i] for i in said)))

# %% [markdown]
# After 8 letters the network without a mask is worse than a model that knows nothing, although its loss in the figure was close to 0 at place 8. The network
# with the mask is much better. Its loss is the one of place 8 in the figure. No wonder: with a mask, place 8 never saw the letters after it, so it does not
# notice that they are gone.
#
# And look at what they write. With the mask, something like words comes out. Without it, the network soon stutters the same few letters. This is the nonsense
# of which the first page has warned you, and it comes from the network that had the lower loss.
#
# So **a training loss can be too good.** If you ever see a loss that is better than it should be, do not celebrate. Look for a leak.

# %% [markdown]
# ### Four patients
#
# Now it is your turn to be the doctor. Here are four small Transformers, the patients A to D. One is healthy. One starts too sure of itself. One can see the
# future. One cannot see the past: it has no position vectors either, so at each place it knows nothing but the token there.
#
# The code that makes them is below, but which illness hides behind which of the names A to D was decided by a hash, so reading it does not help. And do not
# print their masks: measure. The second cell prints two measurements of each.


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
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def shuffled(ill):
    """A number by which the four are put into an order that nobody can read off."""
    return hashlib.md5(b"ward 12, bed %d" % ill).digest()


patients, measured = {}, {}
for name, patient in zip("ABCD", sorted(range(4), key=shuffled), strict=True):
    set_seed(1)
    patients[name] = Patient(patient).to(device)
    losses = by_heart(patients[name], 1e-2)
    measured[name] = {
        "first loss": losses.iloc[0],
        "after 100 steps on one batch": losses.iloc[-1],
    }
print(f"ln V = {math.log(V):.2f}")
pd.DataFrame(measured).T.round(3)

# %% [markdown] statement="leaks"
# ### Who sees the future?
#
# The table answers two questions: how sure is the patient at the start, and can it learn one batch by heart? The third question is whether it sees the future,
# and for this we need an instrument. A model **leaks** if an *earlier* score changes when a *later* token is exchanged. Write
#
# - `leaks(model, tokens)`: True if exchanging any single token changes a score at an earlier place. The model turns tokens $[B, T]$ into scores $[B, T, V]$, and
#   the tokens that you try must be among these $V$.
#
# Then use it on the four `patients` and fill in `diagnosis`: for each letter one of `"healthy"`, `"starts too sure"`, `"sees the future"` and `"sees no past"`.

# %% [markdown] hints="leaks"
# 1. Which place can have no earlier one? Which tokens must you therefore try, one after the other?
# 2. (token + 1) modulo $V$ is another token. Work on a copy.
# 3. Exchange column $t$, ask the model again, compare only the columns *before* $t$; rounding may differ in the last digits. For the
#    diagnosis, two numbers of the table and your function decide.


# %% task="leaks" points=4 level=3 minutes=20
def leaks(model, tokens):
    """Whether a score depends on a later token.

    Scores may be as large as 500. A change of 0.001 or more is a leak, and one below 0.0001 is rounding.
    """
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
for _t, _i in ((0, 5), (2, 3), (0, 1), (3, 5)):
    _W = torch.tril(torch.ones(6, 6))
    _W[_t, _i] = 1
    assert leaks(linear_model(_W), _tokens.clone()), (
        f"Here only place {_t + 1} sees a later token, number {_i + 1}, and you found no leak."
    )
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
_said = " ".join(f"{_name}: {diagnosis[_name]}" for _name in "ABCD")
assert hashlib.md5(_said.encode()).hexdigest()[:6] == "17ff54", (
    "This diagnosis is not right yet. For each patient: is its first loss near ln V, does it learn one batch by heart, "
    "and does it leak?"
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
print("your own model leaks:", leaks(examined, one_batch[0]))

# %% [markdown]
# Two of the four patients begin near $\ln V$ and learn the batch, the healthy one and the one who sees the future. Do the two losses tell them apart? Here
# they do, if you look closely. Some of the eight texts of this batch begin alike and go on differently, and so no model that sees only the past can get below
# 0.026 nats (see *Overfit one batch*). One of the two is below that. So it must have seen more than the past: a training loss can be too good. But on a whole
# text nobody tells you the number below which it is too good. Your function `leaks`, which exchanges a single token, needs no such number.
#
# You now have three instruments, and each takes seconds: the first loss, one batch by heart, and one exchanged token. Use them on every network that writes
# from left to right.
#
# They do not find everything. Take a patient that looks back by one letter only, and give it position vectors. In our trial it passes all three tests: its
# first loss is 3.6, and after 100 steps on one batch its loss is 0.04, as that of the healthy one, because the place and two letters are enough to recognise
# nearly every spot of so short a batch. To find such a patient, exchange an *earlier* token and look how far away a score still notices it.

# %% [markdown] statement="count"
# ### Count the work
#
# One more prediction, before a training that takes minutes: how much work is it? In section 6 you will use your count twice: for the number of operations of
# the whole training, and, with a clock, for how many your machine does in a second.
#
# Nearly all of the work of a Transformer is in products of matrices. A product of $[a, b]$ and $[b, c]$ has $a \cdot c$ results, and each of them takes $b$
# multiplications and $b$ additions:
# that is $2abc$ operations. Count only these products, in one forward pass of *one* text of $T$ tokens through a model with $N$ layers, as you have built it.
# Write
#
# - `flops(V, T, C, N)`: the pair `(rest, square)`, where `square` is the part that grows with $T^2$, and `rest` all other products.
#
# The second number is made of two products. In each head the queries meet the keys, and the weights meet the values, and in both a table of $T \times T$
# numbers takes part. People speak of the *square* of attention. Which share of the operations of GPT-2 ($V = 50257$, $T = 1024$, $C = 768$, $N = 12$) is in
# it? Guess first. Then compute the share with your function, and call it `measured_square`.

# %% [markdown] hints="count"
# 1. A linear layer from $a$ to $b$ costs $2Tab$ for $T$ tokens. Which six are there, and how wide?
# 2. Tied weights are counted once as weights, but *used* twice: once to look up, which is free, and once in a product.
# 3. Two products in a layer have no weights: queries with keys, weights with values. In each head $[T, D]$ meets $[D, T]$; all
#    heads together have $H \cdot D = C$.


# %% task="count" points=3 level=3 minutes=18
def flops(V, T, C, N):
    """(operations in products with weights, in products of the T x T tables), one text forward."""
    ### BEGIN SOLUTION
    return 2 * T * (12 * N * C * C + V * C), 4 * N * T * T * C
    ### END SOLUTION


# measured_square = the share of the second number in the sum of both, for GPT-2
### BEGIN SOLUTION
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
    *(whole(1, 90, (largest,)) for largest in (10**12 + 39, 10**6 + 33, 10**6 + 3)),
    whole(1, 9, (0, 97)),
    by=lambda flops, *sizes: flops(*sizes)[0],
    rtol=1e-12,
)
agrees(  # exact also where floating-point numbers are not
    flops,
    ours.flops,
    *(choice(size) for size in (10**12 + 39, 1_009, 1_013)),
    choice(0, 97),
    by=lambda flops, *sizes: flops(*sizes)[0],
    rtol=0,
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

# %% test="count" aspect="the share for GPT-2" points=1
assert is_number(measured_square), (
    f"measured_square should be a number; yours: {measured_square!r}."
)
assert 0 <= measured_square <= 1, (
    f"measured_square is a share between 0 and 1; yours: {measured_square}."
)
_rest, _square = flops(50257, 1024, 768, 12)
assert close(measured_square, _square / (_rest + _square), 1e-3), (
    f"Your function counts {_square:,} of {_rest + _square:,} operations in squares; that is not a share of {measured_square}."
)
### BEGIN HIDDEN TESTS
assert abs(measured_square - 0.132539) < 5e-5, (
    f"The T x T products are not a share of {measured_square:.4f} of all operations of GPT-2."
)
### END HIDDEN TESTS

# %%
counter = FlopCounterMode(display=False)
with counter, torch.no_grad():
    gpt()(torch.zeros(1, 16, dtype=torch.long))
print("operations, counted by you:  ", sum(flops(V, 16, 64, 2)))
print("operations, counted by torch:", counter.get_total_flops())
print(f"squares of attention in GPT-2: {measured_square:.0%}")

# %% [markdown]
# Your count and torch's are equal. This was the forward pass. A training step costs three times as much: in the backward pass each product needs two more,
# one for the gradient of each of its two factors.
#
# You have often heard that the cost of attention grows with the square of the length, and it does. Take one layer alone, without the head at the top. What
# grows with the square is the product of queries and keys and the mean of the values, together $4T^2C$ operations. The matrices of the layer have $12C^2$
# weights, and each is used for one multiplication and one addition at each of the $T$ places: $24TC^2$ operations. Within the layer the two are equal at $T =
# 6C$. For GPT-2, with $C = 768$, that means a text of 4,608 tokens, and it reads only 1,024. (Your function also counts the head, as part of the first
# number. So if you give it $T = 4{,}608$, the squares are not half of the sum but 41 % of it.)
#
# *This is a good place for a break.* Next you write an optimiser and a loop of your own, and with them you train your model on your text.
