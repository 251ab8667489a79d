# %% [markdown]
# ## 6. Your loop
#
# You have a text in tokens, a model, a loss and an optimiser. What connects them is a loop, and it is surprisingly short. What makes it a *good* loop are four things that one wants to know, or to have, when a training takes minutes or days.
#
# 1. **The held-out loss.** The loss of the training batches goes down even when the model only learns them by heart. So every now and then we stop and measure the loss on text that it has never read.
# 2. **Samples.** A number tells how good the model is, but not what it is like. At the same moments we let it continue our prompt.
# 3. **Early stopping, and a checkpoint.** If the text is short, the held-out loss rises again from some step on, because the model begins to memorise. So we keep a copy of the best weights, a **checkpoint**. If the held-out loss has not improved for
#    `patience` measurements in a row, we stop. At the end the model gets the best weights back.
# 4. **Gradient accumulation.** A large batch makes a step more reliable, but it may not fit into memory. So cut it into `parts`, run forward and backward for one after the other, and let the gradients *add up* before the single step. With
#    four parts of equal size, call `(loss / 4).backward()` for each: the four gradients add up to that of the whole batch.

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
_mean = np.mean(_two["of each loss"][:2], axis=0)
assert close(_two["gradients"][0], _mean, 1e-6), (
    f"Two parts: the step should find the mean of their two gradients, {np.round(_mean, 3)}; "
    f"yours: {np.round(_two['gradients'][0], 3)}."
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
_log = training_log(learn, [2.0 - 1e-9 * k for k in range(15)], 14, 1, 2, 1)
assert len(_log["history"]) == 15, (
    "The held-out loss falls by a billionth at each measurement. That is below the best one, so no patience is used "
    f"up and 14 steps have 15 measurements; yours: {len(_log['history'])}."
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
# The next cells put your parts together. `Stepper` moves each weight with your `adamw_step`, at the rate that your `rate_factor` gives. Norms and biases do not decay. The line with `clip_grad_norm_` is new: think of all gradients as one long vector. If its
# length is above 1, we divide it by its length, so that one huge gradient does not fill $m$ and $v$ for the next steps. This is called **clipping**.


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
# The sizes, the batches and the held-out loss are those of section 4. The function `my_training` hands all of it to your loop. You may change the numbers below as you like.

# %%
my_steps = budget().choose(grading=600, laptop=1_500, gpu=5_000)
my_every = budget().choose(grading=50, laptop=50, gpu=100)  # steps between measurements
my_parts = 1  # if the memory is too small: 2 here, and half of my_B in section 4


def my_loss(model, batch):
    """Your loss of a batch of inputs and targets."""
    return lm_loss(model(batch[0]), batch[1])


def my_training(
    model, steps, rate=my_rate, warmup=0.1, T=T, look=None, watch=None, most=40
):
    """Your loop on your text, with as many tokens in a step whatever T is; the (step, held-out loss) that it measured.

    warmup is the share of the steps; look(s, model) is called before every step, watch at every measurement.
    """
    move = Stepper(model, rate, steps, int(warmup * steps))
    B, stretches = my_B * my_size["block"] // T, most * my_size["block"] // T

    def step(model, s):
        if look is not None:
            look(s, model)
        move(model, s)

    return learn(
        model,
        lambda i: my_batch(i, B, T),
        my_loss,
        step,
        lambda model: held_out_loss(model, my_tokens["valid"], stretches, T),
        steps,
        my_every,
        patience=8,
        parts=my_parts,
        watch=watch,
    )


# %% [markdown]
# Before a training that takes minutes, use the instruments of section 4 on this very model: what is its first loss, and does it see the future? And ten steps, whose result is thrown away, tell how long the whole training will take.

# %%
# NBVAL_IGNORE_OUTPUT
# (times differ from run to run)
my_model = my_newborn()
weights = sum(w.numel() for w in my_model.parameters())
print(f"{weights:,} weights, {my_steps:,} steps of {my_parts * my_B} x {T} tokens")
print(f"ln V = {math.log(my_V):.2f}; first loss {my_loss(my_model, my_batch(0)):.2f}")
print("sees the future:", leaks(my_model, my_batch(0)[0][:2, :8]))
stepper, begin = Stepper(my_model, my_rate, my_steps, 0), time.perf_counter()
for s in range(10):
    my_loss(my_model, my_batch(s)).backward()
    stepper(my_model, s)
    my_model.zero_grad()
seconds = (time.perf_counter() - begin) / 10 * my_parts * my_steps * 1.1
about = f"{seconds / 60:.0f} minutes" if seconds > 100 else f"{seconds:.0f} seconds"
print(f"the training will take about {about}")

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


def look(s, model):
    """At the steps in `looks`: what the model makes of the prompt."""
    if s in looks:
        diary[f"{s:,} steps"] = continued(model, prompt, 60, by_chance)
        print(f"\n--- after {s:,} steps:\n{diary[f'{s:,} steps']}\n")


def watch(s, model):
    """At every measurement the loss on text that it learns from; now and then both losses are printed."""
    on_train.append((s, held_out_loss(model, my_tokens["train"], 40)))
    if s % (4 * my_every) == 0:
        held_out = held_out_loss(model, my_tokens["valid"], 40)
        print(
            f"step {s:5,}: {held_out:.3f} on held-out text, {on_train[-1][1]:.3f} on text that it learns from"
        )


begin = time.perf_counter()
history = my_training(my_model, my_steps, look=look, watch=watch)
minutes = (time.perf_counter() - begin) / 60
taken = history[-1][0]
best_step, my_best = min(history, key=lambda pair: pair[1])
best = f"best: {best_step:,} steps"
diary[best] = continued(my_model, prompt, 60, by_chance)
print(
    f"\n--- {taken:,} steps, {minutes:.1f} minutes. The weights of step {best_step:,}:"
)
print(diary[best])
print(
    f"\nheld-out loss: {my_best:.2f} nats per token; one minute of lmkit's loop had {first_loss:.2f}"
)

# %% [markdown]
# Here are the samples once more, side by side:

# %% folded="prints the samples side by side"
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
import textwrap

columns = []
for title, said in diary.items():
    rows = [
        row for line in said.splitlines() for row in textwrap.wrap(line, 28) or [""]
    ]
    columns.append([title, "-" * 28, *rows])
for i in range(min(20, max(map(len, columns)))):
    print(
        " | ".join(f"{column[i] if i < len(column) else '':28}" for column in columns)
    )

# %% [markdown]
# Read them slowly, from left to right. In the beginning there is noise, and the noise is in *your* tokens, so pieces of words may already be in it. After a few hundred steps there are words, and punctuation where punctuation belongs. What comes next depends on your text: names that return, the shape of its lines, a rhythm. Nobody has told the model what a
# word is, or a line. It has only tried to be less surprised by the next token.
#
# Is it good, or does it only look good? Look at the curves. Before the first step both are near $\ln V$, where a model stands that knows nothing. The fall from there is the least interesting part, because the model only learns which tokens occur in your text at all, and how often. So the figure
# begins with the second measurement. Watch the distance between the two lines.

# %% alt="Loss on held-out text and on training text over the steps: both fall steeply at first and then more and more slowly."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
_, axes = plt.subplots()
axes.plot(*zip(*history[1:], strict=True), "o-", markersize=3, label="held-out text")
axes.plot(*zip(*on_train[1:], strict=True), "--", label="text that it learns from")
axes.set(
    title=f"Your model learns: {history[1][1]:.2f} to {my_best:.2f} nats per token",
    xlabel="step",
    ylabel="loss (nats per token)",
)
axes.legend()
plt.show()
side = budget().choose(grading=512, laptop=1_024, gpu=8_192)
square = torch.randn(side, side, device=device)
for _ in range(2):  # the first product is slower: it makes room
    begin = time.perf_counter()
    (square @ square).sum().item()
    peak = 2 * side**3 / (time.perf_counter() - begin)
operations = 3 * sum(flops(my_V, T, my_size["width"], my_size["layers"]))
operations *= my_parts * my_B * taken
reached = operations / minutes / 60
print(f"{operations:.1e} operations by your own count from section 4, or")
print(
    f"{reached / 1e9:,.0f} billion a second: {reached / peak:.0%} of one large product"
)

# %% [markdown]
# The last line compares your training with the fastest thing that your machine does, a single product of two large matrices. Their ratio is called the **utilisation**. Small products keep a machine less busy than large ones, and the samples and the held-out losses take time as well. (On an H100, eleven million weights with your parts reached a half.)
#
# Now back to the curves. As long as the two lines lie together, your model learns what holds for all of your text. Where the dashed one falls and the other one does not, it learns your text by heart. If the held-out loss has even risen, then your text is too short for this
# model, and early stopping has saved the best weights for you. (Larger models are often trained with **dropout** then, which sets some of the numbers in the stream to 0 at random, so that nothing can be learned by heart from a single one of them.)
#
# ### Make it better
#
# So far the model has learned with our settings. Now you decide. You have five changes. The function `attempt` trains a fresh model for a fifth of the steps, with one thing changed, and adds a row to a table:
#
# | change | for example | the question |
# |---|---|---|
# | `rate` | `2 * my_rate`, `my_rate / 2` | Was our learning rate good for your text? |
# | `std` | `0.02`, `0.1` | Is 0.05 a good size for the first weights here, too? |
# | `context` | `2 * T`, `T // 2` | Does it help to look further back? (Every step reads the same number of tokens, so with a longer context it reads fewer texts. The held-out text is also cut elsewhere; only a large difference counts here.) |
# | `tied` | `False` | Is a second matrix worth its weights? |
# | `warmup` | `0`, `0.2` | Do you need it, and how long should it be? (A share of the steps; we took 0.1.) |
#
# The first row changes nothing, because a change can be judged only beside a model that had as many steps. Bet before each row. And be careful with small differences: with equal settings, three seeds differed by up to 0.04 nats in our trial on Shakespeare (300 steps of a laptop's sizes).

# %%
attempts = []


def attempt(
    steps=my_steps // 5, rate=my_rate, std=my_std, context=T, tied=True, warmup=0.1
):
    """Trains a fresh model with these settings and your loop; the table of all attempts so far."""
    begin, model = time.perf_counter(), my_newborn(std, context, tied)
    history = my_training(model, steps, rate, warmup, context)
    settings = {"rate": rate, "std": std, "context": context, "tied": tied}
    found = {"held-out loss": min(loss for _, loss in history), "model": model}
    found["minutes"] = (time.perf_counter() - begin) / 60
    attempts.append({"steps": steps, **settings, "warmup": warmup, **found})
    return pd.DataFrame(attempts).drop(columns="model").round(4)


# %% scratch=true
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
attempt()  # nothing changed
attempt(warmup=0.2)

# %% [markdown]
# Is one row clearly better than the first? Then give its changes the whole number of steps: write them into `my_choice`. If the new model has the lower held-out loss, it becomes `my_model`, and everything below is done with it. (Changes that were good for a short training need not be good for a long one. That is why the two long ones are compared, too.)

# %% scratch=true
my_choice = {}  # for example {"rate": 2 * my_rate, "tied": False}

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
if my_choice:
    attempt(my_steps, **my_choice)
    latest = attempts[-1]
    print(f"our settings: {my_best:.3f}, yours: {latest['held-out loss']:.3f}")
    if latest["held-out loss"] < my_best:
        my_model, T, minutes = (latest[key] for key in ("model", "context", "minutes"))
        weights = sum(w.numel() for w in my_model.parameters())
        print("your choice has won:")
        print(continued(my_model, prompt, 60, by_chance, T=T))
else:
    print("my_choice is empty: my_model stays as it is.")

# %% [markdown]
# ### What your heads look at
#
# A trained model is not a closed box. Two views into it cost little. The first asks where your model is surprised: the cell lets it read a line that it has not learned from, and prints behind each token how many nats it cost. Look for the beginnings of words and names.

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
line = encode(my_text["valid"].strip()[:400], merges)[: min(T, 24)]
shown = str.maketrans({"\n": "⏎", " ": "␣"})
labels = [decode([token], merges).translate(shown) for token in line]
with torch.no_grad():
    scores = my_model(torch.tensor([line], device=device))[0, :-1].cpu()
costs = F.cross_entropy(scores, torch.tensor(line[1:]), reduction="none")
print(
    labels[0],
    *(f"{a} {cost:.1f}" for a, cost in zip(labels[1:], costs, strict=True)),
    sep=" | ",
)

# %% [markdown]
# The second view is attention, as in chapter 06. For each head the next cell prints how much of its weight goes to the token
# just before, on average over a few held-out stretches, and how many tokens it looks back on average. The last line of each table says what a head gets that has learned nothing and looks at all tokens equally. Then the cell draws the head that looks most at the token before.


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
stretches = windows(my_tokens["valid"], 8, T)[0].to(device)
looked = attention_weights(my_model, stretches).mean(1)  # [layers, H, T, T]
equal = future_mask(T).softmax(-1)  # a head that has learned nothing
places = torch.arange(T)


def looks_back(looked):
    """Tokens that it looks back on average, [...] from weights [..., T, T]; the second half of the places."""
    return (looked * (places[:, None] - places)).sum(-1)[..., T // 2 :].mean(-1)


def on_the_one_before(looked):
    """The weight on the token just before, likewise."""
    return looked.diagonal(-1, dim1=-2, dim2=-1)[..., T // 2 :].mean(-1)


for title, measure, unit in (
    ("weight of the token before (%)", on_the_one_before, 100),
    ("tokens it looks back", looks_back, 1),
):
    print(title)
    for layer, values in enumerate(measure(looked), start=1):
        print(f"  layer {layer}:", *(f"{unit * value:5.0f}" for value in values))
    print(f"  nothing learned: {unit * measure(equal):5.0f}\n")

# %% folded="draws one head" alt="A table of attention weights for one line of your text, a row for each token that looks: the head with most weight on the token before."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
own = attention_weights(my_model, torch.tensor([line], device=device))[:, 0]
layer, head = divmod(on_the_one_before(looked).argmax().item(), my_size["heads"])
_, axes = plt.subplots(figsize=(6.2, 5.2))
drawn = axes.imshow(own[layer, head], cmap="Blues", vmin=0, vmax=1)
plt.colorbar(drawn, ax=axes, label="weight", shrink=0.8)
axes.set_xticks(range(len(line)), labels, rotation=90)
axes.set_yticks(range(len(line)), labels)
axes.tick_params(labelsize=9)
axes.grid(visible=False)
axes.set(
    title=f"Layer {layer + 1}, head {head + 1}: what it looks at",
    ylabel="the token that looks",
    xlabel="what it looks at",
)
plt.show()

# %% [markdown]
# If there is a dark line just below the diagonal, this head has found out that the token before is worth knowing. Together with its own token, a place then knows two, which is what a trigram uses. After a short training only some rows may show it. A head whose numbers are near those of the last line looks at no fixed distance. Whether it looks at particular tokens, these two numbers cannot tell.
