# %% [markdown]
# ## 6. Your loop
#
# You have a text in tokens, a model, a loss and an optimiser. What connects them is a loop, and it is surprisingly short. What makes it a *good* loop are four things that one wants to know, or to have, when a training takes minutes or days.
#
# 1. **The held-out loss.** The loss of the training batches goes down even when the model only learns them by heart. So every now and then we stop and measure the loss on text that it has never read.
# 2. **Samples.** A number tells how good the model is, but not what it is like. At the same moments we let it continue our prompt.
# 3. **Early stopping, and a checkpoint.** From some step on, the held-out loss rises again, because the model begins to memorise. So we keep a copy of the best weights, a **checkpoint**. If the held-out loss has not improved for
#    `patience` measurements in a row, we stop. At the end the model gets the best weights back.
# 4. **Gradient accumulation.** A large batch makes a step more reliable, but it may not fit into memory. So cut it into `parts`, run forward and backward for one after the other, and let the gradients *add up* before the single step. The
#    loss of a batch is a mean. If the parts are equally large, the mean over the whole is the mean of the parts' means, so each part's loss is divided by the number of parts.

# %% [markdown] statement="learn"
# ### Write it
#
# Write `learn(model, batches, loss, step, measure, steps, every, patience, parts, watch)`. Five of its arguments are functions, so that the loop does not need to know what the model is:
#
# - `batches(i)` is the $i$-th batch, $i = 0, 1, 2, \dots$, none of them twice; `loss(model, batch)` is its mean loss, a tensor;
# - `step(model, s)` moves the weights by their gradients, `weight.grad`, and is told the number of the step;
# - `measure(model)` is the held-out loss, and `watch(s, model)` may do whatever it likes, such as let the model write.
#
# The order of events: before step 0, before every `every`-th step, and once more at the very end, the loop measures, then watches. The first measurement tells about the untrained model. `learn` returns the list of all
# pairs (step, held-out loss).
#
# Is it a long function? The reference has 24 lines. When yours works, the next cells press the key.

# %% [markdown] hints="learn"
# 1. Write the order of events on paper for `steps = 4`, `every = 2`: which numbers are measured, and which batches are read if `parts = 2`?
# 2. Gradients *add up* in `weight.grad` until somebody clears them. When must they be cleared, and when must they not?
# 3. A copy of the weights is `{name: value.detach().clone() for name, value in model.state_dict().items()}`; without `clone` it would go on
#    changing with the model. Let `s` run from 0 to `steps`, both included, measure first, and leave the loop when `s == steps` or when the patience is at its end.


# %% task="learn" points=5 level=3 minutes=32
def learn(
    model, batches, loss, step, measure, steps, every, patience, parts=1, watch=None
):
    """Train for `steps` steps of `parts` batches each; the list of (step, held-out loss) that were measured.

    Measures, then calls watch(s, model) if there is one, before each step s that is a multiple of `every`, and at s = steps.
    Stops when `patience` measurements in a row were not below the best one. At the end, in both cases, the model has the
    weights of the best measurement (of the first one, if equal).
    """
    ### BEGIN SOLUTION
    history, best, waited = [], math.inf, 0
    for s in range(steps + 1):
        if s % every == 0 or s == steps:
            held_out = measure(model)
            history.append((s, held_out))
            if watch is not None:
                watch(s, model)
            waited += 1
            if held_out < best:
                best, waited = held_out, 0
                kept = {
                    name: value.detach().clone()
                    for name, value in model.state_dict().items()
                }
            if waited >= patience:
                break
        if s == steps:
            break
        model.zero_grad()
        for part in range(parts):
            (loss(model, batches(s * parts + part)) / parts).backward()
        step(model, s)
    model.load_state_dict(kept)
    return history
    ### END SOLUTION


# %% test="learn" aspect="measures, watches, steps in order" points=1
_log = training_log(learn, [5.0, 4.0, 3.0, 2.0], 5, 2, 9, 1)
assert _log["history"] == [(0, 5.0), (2, 4.0), (4, 3.0), (5, 2.0)], (
    f"5 steps, every = 2: measured before steps 0, 2, 4 and at the end, 5; yours: {_log['history']}."
)
assert _log["watched"] == [0, 2, 4, 5], (
    f"watch should be called at the same steps; yours: {_log['watched']}."
)
assert _log["stepped"] == [0, 1, 2, 3, 4], (
    f"step should be called with 0, 1, 2, 3, 4; yours: {_log['stepped']}."
)
### BEGIN HIDDEN TESTS
_told = choice(  # it falls all the time, or not all the time
    made(lambda rng: [9 - 0.1 * k for k in range(60)]),
    made(lambda rng: [rng.random() for _ in range(60)]),
)
_parts = "history", "watched", "stepped", "batches"
agrees(
    learn,
    ours.learn,
    _told,
    whole(0, 9),
    whole(1, 4),
    whole(1, 9),
    choice(1, 2, 3),
    by=lambda learn, *sizes: [training_log(learn, *sizes)[part] for part in _parts],
)
### END HIDDEN TESTS

# %% test="learn" aspect="gradients add up, then are cleared" points=1
_one = training_log(learn, [5.0, 4.0, 3.0], 2, 1, 9, 1)
_other = training_log(learn, [5.0, 4.0, 3.0], 2, 1, 9, 1, old_gradient=100.0)
assert close(_one["gradients"], _other["gradients"], 1e-9), (
    "Your first step finds a gradient that was there before training began: clear the gradients before each step."
)
_two = training_log(learn, [5.0, 4.0, 3.0], 2, 1, 9, 2)
assert _two["batches"] == [0, 1, 2, 3], (
    f"Two steps of two parts read the batches 0 1 2 3, each once; yours: {_two['batches']}."
)
### BEGIN HIDDEN TESTS
agrees(
    learn,
    ours.learn,
    made(lambda rng: [9 - 0.1 * k for k in range(60)]),
    whole(1, 6),
    choice(2),
    choice(9),
    whole(1, 5),
    by=lambda learn, *sizes: training_log(learn, *sizes)["gradients"],
    rtol=1e-6,
    atol=1e-8,
)
### END HIDDEN TESTS

# %% test="learn" aspect="patience" points=1
_log = training_log(learn, [3.0, 2.0, 2.5, 2.0, 1.0], 8, 1, 2, 1)
assert [value for _, value in _log["history"]] == [3.0, 2.0, 2.5, 2.0], (
    f"Held-out losses 3, 2, 2.5, 2 and patience 2: the last two were not below 2, so it ends there; yours: {_log['history']}."
)
### BEGIN HIDDEN TESTS
_told = made(
    lambda rng: [30.0 - k + rng.choice((0, 0, 1, 2.5)) for k in range(30)],
    edges=[
        [2.0] * 30,
        [30.0 - k + 2 * (k % 2) for k in range(30)],
        [2.0 - 1e-9 * k for k in range(30)],
    ],
)
agrees(
    learn,
    ours.learn,
    _told,
    choice(14, 29, 0),
    choice(1, 2),
    choice(2, 1, 3),
    choice(1),
    by=lambda learn, *sizes: training_log(learn, *sizes)["history"],
)
### END HIDDEN TESTS

# %% test="learn" aspect="the best weights come back" points=2
_best = training_log(learn, [3.0, 2.0], 1, 1, 9, 1)["weights"]
_log = training_log(learn, [3.0, 2.0, 2.5, 2.7], 3, 1, 9, 1)
assert close(_log["weights"], _best, 1e-9), (
    f"The held-out loss was best after one step, where the weights were {np.round(_best, 3)}; at the end they should be these again. Yours: {np.round(_log['weights'], 3)}."
)
### BEGIN HIDDEN TESTS
_told = made(
    lambda rng: [rng.choice((1.0, 2.0, 2.5, 3.0)) for _ in range(30)],
    edges=[[2.0] * 30, [3.0 - 0.1 * k for k in range(30)]],
)
agrees(
    learn,
    ours.learn,
    _told,
    whole(0, 14),
    whole(1, 3),
    whole(1, 4),
    choice(1, 2),
    by=lambda learn, *sizes: training_log(learn, *sizes)["weights"],
    rtol=1e-6,
    atol=1e-8,
)
### END HIDDEN TESTS

# %% [markdown]
# ### Everything of yours, together
#
# The next cells put your parts together. `Stepper` moves each weight with your `adamw_step`, at the rate that your `rate_factor` gives. (Norms and biases do not decay. And before a step, the gradients of all weights together are shortened to length 1 if they are longer, so
# that a single unlucky batch cannot throw the model off; this is called **clipping**.) Read how short it is.


# %%
class Stepper:
    """Your optimiser: adamw_step for every weight, at the learning rate of the step."""

    def __init__(self, model, rate, steps, warmup, decay=0.1, betas=(0.9, 0.95)):
        self.rate, self.steps, self.warmup = rate, steps, warmup
        self.decay, self.betas = decay, betas
        self.means = [
            (torch.zeros_like(w), torch.zeros_like(w)) for w in model.parameters()
        ]

    @torch.no_grad()
    def __call__(self, model, s):
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        now = self.rate * float(rate_factor(s, self.steps, self.warmup, 0.0))
        for i, w in enumerate(model.parameters()):
            decay = self.decay if w.ndim >= 2 else 0.0
            new, *self.means[i] = adamw_step(
                w, w.grad, *self.means[i], s + 1, now, decay, self.betas, 1e-8
            )
            w.copy_(new)


# %% [markdown]
# And here are the sizes. On a laptop the model has a little less than a million weights, and it reads $B = 16$ stretches of $T = 128$ tokens in each step. On a GPU it has more than ten million. You may change every number in this cell, but change one at
# a time. (A narrow model learned faster in our trials when its first weights were a bit larger, 0.05 instead of 0.02. Its first loss is then a little above $\ln V$, and from section 4 you know why.)

# %%
my_size = budget().choose(
    grading={"block": 64, "layers": 2, "heads": 4, "width": 64},
    laptop={"block": 128, "layers": 4, "heads": 4, "width": 128},
    gpu={"block": 256, "layers": 6, "heads": 6, "width": 384},
)
my_steps = budget().choose(grading=600, laptop=1_500, gpu=5_000)
my_B, my_rate, my_std = budget().choose(
    grading=(16, 4e-3, 0.05), laptop=(16, 3e-3, 0.05), gpu=(64, 1e-3, 0.02)
)
my_every = budget().choose(grading=50, laptop=50, gpu=100)  # steps between measurements
my_parts = 1  # 2 or 4, if the memory is too small for a whole batch
T = my_size["block"]


# %%
def my_batch(i):
    """Batch number i of your own text, on the device; my_parts of these make a step."""
    starts = np.random.default_rng([1, i]).integers(
        0, len(my_tokens["train"]) - T, my_B // my_parts
    )
    inputs, targets = examples(my_tokens["train"], torch.from_numpy(starts), T)
    return inputs.to(device), targets.to(device)


# %%
def windows(tokens, most=None):
    """A text as inputs and targets [B, T], stretch by stretch, without overlap."""
    count = (len(tokens) - 1) // T
    starts = T * torch.arange(min(count, most or count))
    return examples(tokens, starts, T)


# %%
@torch.no_grad()
def held_out_loss(model, tokens, most=None):
    """Mean loss (nats per token) in separate stretches of T tokens, 32 at a time."""
    inputs, targets = windows(tokens, most)
    parts = zip(inputs.split(32), targets.split(32), strict=True)
    losses = [
        lm_loss(model(x.to(device)), y.to(device)).item() * len(x) for x, y in parts
    ]
    return sum(losses) / len(inputs)


# %% [markdown]
# The last piece lets the model continue a text of yours, in its tokens. For the samples during training we draw exactly by the model's probabilities. In section 7 we will be more clever.


# %%
def continued(model, text, n, choose, seed=0):
    """Your text and n tokens more, read and written with your encode and decode."""
    tokens = encode(text, merges) or [
        10
    ]  # a model cannot begin from nothing: an end of line
    return decode(go_on(model, tokens, n, choose, T, seed), merges)


# %% [markdown]
# Before a training that takes minutes, use the instruments of section 4 on this very model: what is its first loss, and does it see the future? And ten steps, whose result is thrown away, tell how long the whole training will take.


# %%
def my_loss(model, batch):
    """Your loss of a batch of inputs and targets."""
    return lm_loss(model(batch[0]), batch[1])


def my_newborn():
    """A fresh model of your size, on the device."""
    set_seed(1)
    model = gpt(my_V, **my_size)
    return initialise(model, my_size["layers"], my_std).to(device)


# %%
# NBVAL_IGNORE_OUTPUT
# (times differ from run to run)
my_model = my_newborn()
weights = sum(w.numel() for w in my_model.parameters())
print(f"{weights:,} weights, {my_steps:,} steps of {my_B} x {T} tokens")
print(f"ln V = {math.log(my_V):.2f}; first loss {my_loss(my_model, my_batch(0)):.2f}")
print("sees the future:", leaks(my_model, my_batch(0)[0][:2, :8]))
stepper, begin = Stepper(my_model, my_rate, my_steps, 0), time.perf_counter()
for s in range(10):
    my_loss(my_model, my_batch(s)).backward()
    stepper(my_model, s)
    my_model.zero_grad()
seconds = (time.perf_counter() - begin) / 10
print(f"the training will take about {seconds * my_steps * 1.1 / 60:.0f} minutes")

# %% [markdown]
# Now press the key. Before the lines come, make a bet with yourself: after how many steps will you recognise your text? The cell prints the held-out loss as it goes, and what the
# model makes of your prompt before the first step, after 200, after 1,000, and at the end.

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
my_model = my_newborn()
looks = budget().choose(
    grading=(0, 50, 200), laptop=(0, 200, 1_000), gpu=(0, 200, 1_000)
)
diary, on_train = {}, []


def watch(s, model):
    """Prints the held-out loss now and then, and what the model makes of the prompt at the steps in `looks`."""
    if s in looks:
        diary[s] = continued(model, prompt, 60, by_chance)
        print(f"\n--- after {s:,} steps:\n{diary[s]}\n")
    on_train.append((s, held_out_loss(model, my_tokens["train"], 40)))
    if s % (4 * my_every) == 0:
        held_out = held_out_loss(model, my_tokens["valid"], 40)
        print(
            f"step {s:5,}: {held_out:.3f} on held-out text, {on_train[-1][1]:.3f} on text that it learns from"
        )


begin = time.perf_counter()
history = learn(
    my_model,
    my_batch,
    my_loss,
    Stepper(my_model, my_rate, my_steps, my_steps // 20),
    lambda model: held_out_loss(model, my_tokens["valid"], 40),
    my_steps,
    my_every,
    patience=8,
    parts=my_parts,
    watch=watch,
)
minutes = (time.perf_counter() - begin) / 60
taken = history[-1][0]
diary[taken] = continued(my_model, prompt, 60, by_chance)
print(
    f"\n--- at the end, with the best weights:\n{diary[taken]}\n\n{taken:,} steps, {minutes:.1f} minutes"
)

# %% [markdown]
# Here they are once more, side by side:

# %% folded="prints the samples side by side"
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
import textwrap

columns = []
for s, said in diary.items():
    rows = [
        row for line in said.splitlines() for row in textwrap.wrap(line, 28) or [""]
    ]
    columns.append([f"{s:,} steps", "-" * 28, *rows])
for i in range(min(20, max(map(len, columns)))):
    print(
        " | ".join(f"{column[i] if i < len(column) else '':28}" for column in columns)
    )

# %% [markdown]
# Read them slowly, from left to right. In the beginning there is noise, and the noise is in *your* tokens, so pieces of words may already be in it. After a few hundred steps there are words, and punctuation where punctuation belongs. Later there are lines and names, and a rhythm. The model has never been told what a
# word is, or a line, or a speaker. It has only tried to be less surprised by the next token.
#
# Is it good, or does it only look good? Look at the curves. The dotted line is $\ln V$, where every model has to start.

# %% alt="Loss on held-out text and on training text over the steps: both start at ln V, fall steeply within the first steps and then more and more slowly."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
_, axes = plt.subplots()
axes.plot(*zip(*history, strict=True), "o-", markersize=3, label="held-out text")
axes.plot(*zip(*on_train, strict=True), "--", label="text that it learns from")
axes.axhline(math.log(my_V), color="gray", linestyle=":", label="ln V")
axes.set(
    title=f"Your model learns: {history[0][1]:.2f} to {min(loss for _, loss in history):.2f} nats per token",
    xlabel="step",
    ylabel="loss (nats per token)",
    ylim=(0, None),
)
axes.legend()
plt.show()

# %%
# NBVAL_IGNORE_OUTPUT
# (times differ from run to run)
used = (
    3 * my_B * sum(flops(my_V, T, my_size["width"], my_size["layers"])) * history[-1][0]
)
side = budget().choose(grading=512, laptop=1_024, gpu=8_192)
square = torch.randn(side, side, device=device)
for _ in range(2):  # the first product is slower: it makes room
    begin = time.perf_counter()
    (square @ square).sum().item()
    peak = 2 * side**3 / (time.perf_counter() - begin)
reached = used / (60 * minutes)
print(
    f"your training:     {reached / 1e9:10,.1f} billion operations a second ({used:.1e} in all)"
)
print(
    f"one large product: {peak / 1e9:10,.1f} billion a second; you use {reached / peak:.0%} of that"
)

# %% [markdown]
# The first of the two lines uses your own count from section 4, and the second one is what the same machine does when it has nothing to do but one large product of matrices. The ratio of the two is called the **utilisation**. The time in which it is measured includes the samples and the held-out losses, and small products
# keep a machine less busy than large ones.
#
# Now look at the curves once more. As long as they lie together, your model learns what holds for all of your text. Where the dashed one falls and the other one does not, it learns your text by heart. If the held-out loss has even risen, then your text is too short for this
# model, and early stopping has saved the best weights for you. (Larger models are often trained with **dropout** then, which sets some of the numbers in the stream to 0 at random, so that nothing can be learned by heart from a single one of them.)
#
# ### What your heads look at
#
# A trained model is not a closed box. Its attention weights can be looked at, as in chapter 06. The next cell lets your model read a line that it has not learned from. For each of its heads it prints how much of the weight goes to the token
# just before, on average over a few held-out stretches, and how many tokens it looks back on average. Then it draws the head that looks most at the token before, and the one that looks furthest back.


# %%
@torch.no_grad()
def attention_weights(model, tokens):
    """The weights [layers, B, H, T, T] with which each place of tokens [B, T] looks at the others."""
    found, hooks = [], []

    def look(attention, inputs):
        (x,), heads = inputs, my_size["heads"]
        B, T, C = x.shape
        sizes = B, T, heads, C // heads
        q, k = (
            part(x).view(sizes).transpose(1, 2)
            for part in (attention.query, attention.key)
        )
        scores = q @ k.transpose(2, 3) / math.sqrt(sizes[-1]) + future_mask(T).to(x)
        found.append(scores.softmax(-1).cpu())

    for block in model.blocks:
        hooks.append(block.attention.register_forward_pre_hook(look))
    model(tokens)
    for hook in hooks:
        hook.remove()
    return torch.stack(found)


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
stretches = windows(my_tokens["valid"], 8)[0].to(device)
looked = attention_weights(my_model, stretches).mean(1)  # [layers, H, T, T]
places = torch.arange(T)
back = (looked * (places[:, None] - places)).sum(-1)[..., T // 2 :].mean(-1)
before = looked.diagonal(-1, dim1=-2, dim2=-1)[..., T // 2 :].mean(-1)
names_of_heads = [f"head {h}" for h in range(my_size["heads"])]
for title, values in (
    ("weight of the token before (%)", 100 * before),
    ("tokens it looks back", back),
):
    table = pd.DataFrame(values.numpy().round(0).astype(int), columns=names_of_heads)
    print(title, table.rename_axis("layer"), sep="\n", end="\n\n")

# %% folded="draws two heads" alt="Two tables of attention weights for one line of your text, a row for each token that looks: on the left the head with most weight on the token before, on the right the one that looks furthest back."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
line = encode(my_text["valid"].strip()[:400], merges)[: min(T, 24)]
own = attention_weights(my_model, torch.tensor([line], device=device))[:, 0]
shown = str.maketrans({"\n": "⏎", " ": "␣"})
_, axes = plt.subplots(1, 2, figsize=(9, 4.8))
for ax, which, title in (
    (axes[0], before, "looks at the token before"),
    (axes[1], back, "looks furthest back"),
):
    layer, head = divmod(which.argmax().item(), my_size["heads"])
    ax.imshow(own[layer, head], cmap="Blues", vmin=0, vmax=1)
    labels = [decode([token], merges).translate(shown) for token in line]
    ax.set_xticks(range(len(line)), labels, rotation=90)
    ax.set_yticks(range(len(line)), labels)
    ax.tick_params(labelsize=8)
    ax.grid(visible=False)
    ax.set_title(f"Layer {layer}, head {head}: {title}", fontsize=11)
axes[0].set(ylabel="the token that looks", xlabel="what it looks at (darker: more)")
axes[1].set(xlabel="what it looks at (darker: more)")
plt.show()

# %% [markdown]
# If one of them has a dark line just below the diagonal, it has found out that the token before is worth knowing. Together with its own token, a place then knows two, which is what a trigram uses. In the stored run, after some seconds of training, this has already begun in the first layer. Other heads spread
# their weight over many tokens, and it is hard to say in words what they do.
