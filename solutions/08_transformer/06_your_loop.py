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


# %% task="learn" points=5 level=3 minutes=28
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
_falling = made(lambda rng: [9 - 0.1 * k for k in range(60)])
for _part in ("history", "watched", "stepped", "batches"):
    agrees(
        learn,
        ours.learn,
        _falling,
        whole(0, 9),
        whole(1, 4),
        whole(1, 9),
        choice(1, 2, 3),
        by=lambda learn, *sizes, part=_part: training_log(learn, *sizes)[part],
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
    edges=[[2.0] * 30, [30.0 - k + 2 * (k % 2) for k in range(30)]],
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
        now = self.rate * float(rate_factor(s, self.steps, self.warmup, 0.1))
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
T = my_size["block"]


# %%
def my_batch(i):
    """Batch number i of your own text, on the device."""
    starts = np.random.default_rng([1, i]).integers(
        0, len(my_tokens["train"]) - T, my_B
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
# The last piece: how does a model write? It reads what is there, gives scores for the next token, one token is drawn, it is added to the text, and so on. For the samples during training we draw exactly by the model's
# probabilities. In section 7 we will be more clever.


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


# %%
def continued(model, text, n, choose, seed=0):
    """Your text and n tokens more, read and written with your encode and decode."""
    tokens = encode(text, merges) or [
        10
    ]  # a model cannot begin from nothing: an end of line
    return decode(go_on(model, tokens, n, choose, T, seed), merges)


# %% [markdown]
# Now press the key. Before the line comes, make a bet with yourself: after how many steps will you recognise your text? On one core of a laptop this cell runs for some minutes. It prints the held-out loss as it goes, and what the
# model makes of your prompt before the first step, after 200, after 1,000, and at the end.

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
set_seed(1)
my_model = initialise(gpt(my_V, **my_size), my_size["layers"], my_std).to(device)
weights = sum(w.numel() for w in my_model.parameters())
print(
    f"{weights:,} weights, {my_steps:,} steps of {my_B} x {T} tokens; ln V = {math.log(my_V):.2f}"
)
looks = budget().choose(
    grading=(0, 50, 200, 600), laptop=(0, 200, 1_000, 1_500), gpu=(0, 200, 1_000, 5_000)
)
diary = {}


def watch(s, model):
    """Prints the held-out loss now and then, and what the model makes of the prompt at the steps in `looks`."""
    if s in looks:
        diary[s] = continued(model, prompt, 60, lambda scores: scores.softmax(-1))
        print(f"\n--- after {s:,} steps:\n{diary[s]}\n")
    if s % max(1, my_steps // 10) == 0:
        print(
            f"step {s:5,}: held-out loss {held_out_loss(model, my_tokens['valid'], 40):.3f}"
        )


begin = time.perf_counter()
history = learn(
    my_model,
    my_batch,
    lambda model, batch: lm_loss(model(batch[0]), batch[1]),
    Stepper(my_model, my_rate, my_steps, my_steps // 20),
    lambda model: held_out_loss(model, my_tokens["valid"], 40),
    my_steps,
    every=budget().choose(grading=50, laptop=50, gpu=100),
    patience=8,
    watch=watch,
)
minutes = (time.perf_counter() - begin) / 60
print(f"{minutes:.1f} minutes")

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
# Read them slowly, from left to right. In the beginning there is noise, and the noise is in *your* tokens, so pieces of words may already be in it. After a few hundred steps there are words, and punctuation where punctuation belongs. Later there are lines and names, and a rhythm. Nobody has told the model what a
# word is, or a line, or a speaker. It has only tried to be less surprised by the next token.
#
# Is it good, or does it only look good? Look at the curve. The dashed line is $\ln V$, where every model has to start.

# %% alt="Held-out loss over training steps: it starts at ln V, falls steeply within the first steps and then more and more slowly."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
_, axes = plt.subplots()
axes.plot(*zip(*history, strict=True), "o-", markersize=3, label="held-out loss")
axes.axhline(math.log(my_V), color="gray", linestyle="--", label="ln V")
axes.set(
    title=f"Your model learns: {history[0][1]:.2f} to {min(loss for _, loss in history):.2f} nats per token",
    xlabel="step",
    ylabel="held-out loss (nats per token)",
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
# The first line uses your own count from section 4, and the second one is what the same machine does when it has nothing to do but one large product of matrices. The ratio of the two is called the **utilisation**. The time in which it is measured includes the samples and the held-out losses, and small products
# keep a machine less busy than large ones. On a GPU a model as small as the laptop's would use a percent or so, which is why the GPU gets a larger one.
#
# If the curve rises again at the end, your text is too short for this model, and early stopping has saved the best weights for you.
