# %% [markdown]
# ### The loop itself
#
# One thing is missing: somebody has to call your `train_step` again and again, with the right piece, the right state and the right learning rate.

# %% [markdown] statement="train_on"
# ### Write the loop
#
# Write `train_on(step, pieces, steps, lr, watch)`. So that the loop need not know what a model is, it gets a function: `step(inputs, targets, state, lr)` takes one step of training and returns the loss, the norm and the new state. The loop
#
# - takes piece after piece from the list `pieces`, and when it has come to the end of the list, it begins with the first one again;
# - hands the state on from piece to piece. At the first piece of every pass there is no past, so the state is `None`;
# - lets the learning rate fall in a straight line: step $i$ gets $lr \cdot (1 - i / \text{steps})$. Large steps are good as long as everything is wrong, and small ones when only details are left;
# - calls `watch(i)` before step $i$, for $i = 0, 1, 2, \dots$, and once more, with `watch(steps)`, at the very end.
#
# It returns the list of the losses. When it works, press the key two cells below: your network learns your text, in your loop.

# %% [markdown] hints="train_on"
# 1. With 3 pieces and 7 steps, which piece does step 5 read? Which steps get `None` as their state?
# 2. The remainder of a division tells both: which piece it is, and whether a new pass begins.
# 3. In the loop over $i$: call `watch(i)`; if it is the first piece of the list, forget the state; take the step and keep its loss *and* its state. After the loop, watch once more.


# %% task="train_on" points=3 level=2 minutes=10
def train_on(step, pieces, steps, lr, watch):
    """Take `steps` steps over the list of pairs `pieces`, again and again; the list of their losses.

    step(inputs, targets, state, lr) -> (loss, norm, state).
    """
    ### BEGIN SOLUTION
    losses, state = [], None
    for i in range(steps):
        watch(i)
        place = i % len(pieces)
        if place == 0:
            state = None
        inputs, targets = pieces[place]
        loss, _, state = step(inputs, targets, state, lr * (1 - i / steps))
        losses.append(loss)
    watch(steps)
    return losses
    ### END SOLUTION


# %% folded="a helper for the checks"
def told_by(train_on, count, steps, lr):
    """What a loop over `count` pieces does: its losses, and every call of step and of watch in order."""
    events = []

    def step(inputs, targets, state, lr):
        events.append(("step", inputs, targets, state, round(float(lr), 9)))
        return 0.5 * len(events), 1.0, 10 * len(events)

    pieces = [(f"inputs {i}", f"targets {i}") for i in range(count)]
    losses = train_on(
        step, pieces, steps, lr, lambda i: events.append(("watch", int(i)))
    )
    return losses, events


# %% test="train_on" aspect="the state goes on" points=1
_losses, _events = told_by(train_on, 2, 3, 1.0)
_steps = [_event[1:4] for _event in _events if _event[0] == "step"]
assert [_step[0] for _step in _steps] == ["inputs 0", "inputs 1", "inputs 0"], (
    f"Three steps over two pieces read the pieces 0, 1 and 0 again; yours: {[_step[0] for _step in _steps]}."
)
assert _steps[0][2] is None and _steps[2][2] is None, (
    f"At the first piece of each pass the state is None; yours: {_steps[0][2]} and {_steps[2][2]}."
)
assert _steps[1][2] is not None, (
    "The second piece gets the state that the first step has returned; yours: None."
)
### BEGIN HIDDEN TESTS
agrees(
    train_on,
    ours.train_on,
    whole(1, 9, (1, 2, 5)),
    whole(0, 20, (1, 7)),
    number(0.1, 5),
    by=lambda loop, *sizes: [
        event[1:4] for event in told_by(loop, *sizes)[1] if event[0] == "step"
    ],
)
### END HIDDEN TESTS

# %% test="train_on" aspect="large steps first" points=1
_losses, _events = told_by(train_on, 2, 4, 8.0)
_found = [_event[4] for _event in _events if _event[0] == "step"]
assert close(_found, [8, 6, 4, 2]), (
    f"Four steps from 8: the learning rates are 8, 6, 4 and 2; yours: {_found}."
)
### BEGIN HIDDEN TESTS
agrees(
    train_on,
    ours.train_on,
    whole(1, 9, (1, 2, 5)),
    whole(0, 20, (1, 7)),
    number(0.1, 30),
    by=lambda loop, *sizes: [
        event[4] for event in told_by(loop, *sizes)[1] if event[0] == "step"
    ],
    rtol=1e-5,
    atol=1e-8,
)
### END HIDDEN TESTS

# %% test="train_on" aspect="watches, and keeps the losses" points=1
_losses, _events = told_by(train_on, 3, 2, 1.0)
_found = [
    (_event[0], _event[1]) if _event[0] == "watch" else "step" for _event in _events
]
assert _found == [("watch", 0), "step", ("watch", 1), "step", ("watch", 2)], (
    f"Two steps: watch 0, step, watch 1, step, watch 2; yours: {_found}."
)
assert hasattr(_losses, "__len__") and len(_losses) == 2, (
    f"Two steps have two losses; yours: {_losses!r}."
)
### BEGIN HIDDEN TESTS
agrees(
    train_on,
    ours.train_on,
    whole(1, 9, (1, 2, 5)),
    whole(0, 20, (1, 7)),
    choice(1.0),
    by=lambda loop, *sizes: [
        list(told_by(loop, *sizes)[0]),
        [
            event[:2] if event[0] == "watch" else "step"
            for event in told_by(loop, *sizes)[1]
        ],
    ],
)
### END HIDDEN TESTS

# %% [markdown]
# ### After
#
# Everything is ready: the strips from your `stream_batches`, the step from your `train_step`, and your loop around them. The learning rate starts at 20. That would be absurd without clipping, but with it no step can be longer than 10, for all the weights together. Every now and then `watch` measures how well the network predicts a part of your text that it does not learn from, and at four moments it lets the network write.
#
# On a laptop with one free core the second cell runs for five to ten minutes. While it runs, read on: the paragraph below it says what to expect.

# %%
my_steps = budget().choose(grading=300, laptop=4_000, gpu=3_000)
rows, T = budget().choose(grading=(32, 64), laptop=(32, 64), gpu=(128, 64))
looks = [0, my_steps // 20, my_steps // 4, my_steps]
some = budget().choose(grading=5_000, laptop=20_000, gpu=50_000)


@torch.no_grad()
def held_out(model, ids):
    """Nats per character of a text, read in ten strips."""
    losses = []
    for inputs, targets in stream_batches(ids, 10, len(ids)):
        scores, _ = model(inputs.to(device))
        losses.append(
            F.cross_entropy(scores.flatten(0, 1), targets.to(device).flatten()).item()
        )
    return losses[0]


def look(i):
    """Now and then measure, and at some steps let the network write."""
    if i % max(1, my_steps // 20) and i != my_steps:
        return
    nats = held_out(my_model, ids["valid"][:some])
    history.append((i, nats))
    if i in looks:
        diary[i] = write(prompt, 0.8, length=180)
        print(f"step {i:5,}   held-out loss {nats:.3f} nats per character")


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
my_pieces = stream_batches(ids["train"].to(device), rows, T)
history, diary = [], {}
begin = time.perf_counter()
losses = train_on(
    lambda inputs, targets, state, lr: train_step(
        my_model, inputs, targets, state, lr, 0.5
    ),
    my_pieces,
    my_steps,
    20.0,
    look,
)
minutes = (time.perf_counter() - begin) / 60
print(f"{minutes:.1f} minutes")

# %% [markdown]
# **What to expect.** The loss starts near $\ln V$, as it must for a model that gives every character the same chance. Within the first few dozen steps it falls below 3 nats: by then the network knows how often each character occurs, and it begins to see which ones are neighbours. Then come short words, then long ones, then things that go beyond a word. Look for the first line in which you recognise *your* text.

# %% folded="prints the samples side by side"
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
import textwrap

columns = []
for s, said in diary.items():
    lines = [
        line for part in said.splitlines() for line in textwrap.wrap(part, 28) or [""]
    ]
    columns.append([f"{s:,} steps", "-" * 28, *lines])
for i in range(min(20, max(map(len, columns)))):
    print(
        " | ".join(f"{column[i] if i < len(column) else '':28}" for column in columns)
    )

# %% [markdown]
# From left to right: noise; then the letters of your language in about the right numbers; then words, half of them invented; and at the end something in which you recognise your text. The network was never told what a word is. It was only ever asked which character comes next. And every weight of it was moved by your `train_step`, in your `train_on`, through your `lstm_step`.
#
# Now play with it. What happens at temperature 0? At 1.5?


# %%
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a character, and all that follow)
play(write, prompt, top_p=False)

# %% [markdown]
# At a low temperature the text is safe and soon runs in a circle; at a high one it falls apart. You know this from chapter 01, and it is the same for every language model.

# %% [markdown]
# ### What does one number know?
#
# Your network has a cell of many numbers. What are they for? Nobody has decided that; the training has. But one can look. Here is a guess that we can test: a network that predicts characters should know *how far it is inside the current word*, since a word has to end at some point. So let the network read a piece of text that it has not learned from, and look for the one number of its cell that goes most closely with the count of characters since the last blank.
#
# A warning before you look: among so many numbers, one will always fit a bit by luck. So we choose it on one piece of text, and judge it on another.

# %% folded="looks for the number that counts" alt="One number of the cell over 70 characters of text, drawn above the count of characters since the last blank, which rises in each word and falls to zero at each blank."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)


@torch.no_grad()
def cells_on(text):
    """The cell C_t of your network after each character of a text, an array [len(text), k]."""
    state, found = None, []
    for word in to_ids(text):
        _, state = my_model(word.view(1, 1).to(device), state)
        found.append(state[1][0].cpu().numpy())
    return np.array(found)


def since_blank(text):
    """For each place, the number of characters since the last blank or line end."""
    counts, now = [], 0
    for character in text:
        now = 0 if character.isspace() else now + 1
        counts.append(now)
    return np.array(counts)


look_at = budget().choose(grading=400, laptop=1_500, gpu=1_500)
parts = [my_text["valid"][begin : begin + look_at] for begin in (0, look_at)]
cells = [cells_on(part) for part in parts]
truth = [since_blank(part) for part in parts]


def fits(cell, count):
    """The correlation of each number of the cell with the counts."""
    return np.corrcoef(cell.T, count)[-1, :-1]


chosen = int(np.nanargmax(np.abs(fits(cells[0], truth[0]))))
fit = fits(cells[1], truth[1])[chosen]
shown = slice(100, 170)
_, (above, below) = plt.subplots(
    2, 1, figsize=(8, 3.4), sharex=True, height_ratios=(2, 1)
)
above.plot(cells[1][shown, chosen] * np.sign(fit), color=plots.COLOURS[0])
above.set(
    title=f"Number {chosen} of {k}: correlation {fit:+.2f} on new text",
    ylabel="cell $C_t$",
)
below.bar(range(70), truth[1][shown], color="lightgray")
below.set(ylabel="since blank", xlabel="character")
below.set_xticks(range(70), [c if c.isprintable() else "⏎" for c in parts[1][shown]])
below.tick_params(axis="x", length=0)
plt.show()

# %% [markdown]
# (A number that goes down where the count goes up has been turned over in the figure.) If your network has learned for long enough, you see a saw: the number rises from letter to letter, and falls back at every blank, which means that a forget gate has closed there. It is your memory chip from section 3, and training has built it. A. Karpathy, J. Johnson and L. Fei-Fei (2015) found numbers of this kind in larger networks that knew whether they were inside quotation marks, or how long the line already was.

# %% [markdown]
# ### Against the counts
#
# It writes. But is it *good*? Let it compete with the best that counting offers, modified Kneser-Ney from chapter 02, on the same characters. We give the counts every advantage: the lengths 3, 5, 7 and 9 are tried, and the best one on the held-out part is taken. The figure shows the loss of your network while it learned, and the counts as a dashed line. (They need no training, so their line is flat.) Do the two lines cross, and if so, where?

# %% alt="Held-out loss of your LSTM in nats per character over the training steps: it falls steeply and then more and more slowly. A dashed horizontal line is Kneser-Ney on the same text; where the loss is known, a dotted line is the floor."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
all_symbols = [*symbols, "<UNK>", "</s>"]
valid_text = my_text["valid"][:some]
by_counts = {
    n: -ngrams.kneser_ney([[*my_text["train"]]], n, all_symbols)
    .score([[*valid_text]])[:-1]
    .mean()
    for n in (3, 5, 7, 9)
}
n_best = min(by_counts, key=by_counts.get)
floor = mine.floor("valid")

_, axes = plt.subplots()
axes.plot(*zip(*history, strict=True), "o-", color=plots.COLOURS[0], label="your LSTM")
axes.axhline(
    by_counts[n_best], linestyle="--", color="black", label=f"Kneser-Ney, n = {n_best}"
)
if floor:
    axes.axhline(
        floor.nats, linestyle=":", color="gray", label="floor: nobody can do better"
    )
axes.set(
    title="Does your network overtake the counts?",
    xlabel=f"steps of {rows} x {T} characters",
    ylabel="held-out loss (nats per character)",
    ylim=(0, 1.05 * history[0][1]),
)
axes.legend()
plt.show()

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
test_some = budget().choose(grading=5_000, laptop=50_000, gpu=200_000)
test_text = my_text["test"][:test_some]
test_nats = {
    "Kneser-Ney": -ngrams.kneser_ney([[*my_text["train"]]], n_best, all_symbols)
    .score([[*test_text]])[:-1]
    .mean(),
    "your LSTM": held_out(my_model, ids["test"][:test_some]),
}
for name, nats in test_nats.items():
    print(f"{name:11} {nats:.3f} nats per character of the test text")
better = min(test_nats, key=test_nats.get)
print(
    f"\nOn {len(ids['train']):,} characters, after {minutes:.1f} minutes: {better} is better."
)

# %% [markdown]
# If you have lost, do not be disappointed: section 8 tells you how much text, or how many steps, would turn it round. If you have won, look at how long the dashed line was below yours. A few seconds of counting had done as well as all those minutes.
#
# In any case, your network goes into the gallery. It continues the same three prompts as your machine from chapter 01.

# %%
test_bytes = len(test_text.encode())
gallery.keep(
    "05_lstm",
    model={"weights": my_model.state_dict(), "symbols": symbols, "sizes": [d, k]},
    text=mine.name,
    continuations={
        one: write(one, 0.8, length=160, seed=seed)[len(one) :]
        for seed, one in enumerate(gallery.prompts(mine))
    },
    bits_per_byte=test_nats["your LSTM"] * len(test_text) / math.log(2) / test_bytes,
    minutes=minutes,
    notes=f"your LSTM, {k} numbers of state, {my_steps:,} steps of gradient descent",
)

# %%
# NBVAL_IGNORE_OUTPUT
# (the day on which each model was kept stands in the table)
gallery.show(mine.name)
