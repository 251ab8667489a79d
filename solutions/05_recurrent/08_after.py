# %% [markdown] statement="train_on"
# ### The loop
#
# One thing is missing: somebody has to call your `train_step` again and again, with the right piece, the right state and the right learning rate. Write `train_on(step, pieces, steps, lr, watch)`. The loop need not know what a model is, because it gets a function: `step(inputs, targets, state, lr)` takes one step of training and returns the loss, the norm and the new state.
#
# - Take piece after piece from the list `pieces`. When the list is at its end, begin again with the first one.
# - Hand the state on from piece to piece. At the first piece of every pass there is no past, so the state is `None`.
# - Let the learning rate fall in a straight line: step $i$ gets $lr \cdot (1 - i / \text{steps})$. Large steps are good as long as everything is wrong, and small ones when only details are left.
# - Before each step $i = 0, 1, 2, \dots$, call `watch(i)`, and at the very end once more, `watch(steps)`. Whoever uses your loop can look at the network there.
#
# Return the list of the losses. When it works, press the key two cells below: your network learns your text, in your loop.

# %% [markdown] hints="train_on"
# 1. With 3 pieces and 7 steps, which piece does step 5 read? Which steps get `None` as their state?
# 2. The remainder of a division tells both: which piece it is, and whether a new pass begins.
# 3. In the loop over $i$: call `watch(i)`; if it is the first piece of the list, forget the state; take the step and keep its loss *and* its state. After the loop, watch once more.


# %% task="train_on" points=3 level=2 minutes=8
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
        return 0.5 * len(events), 1.0, 10 * (len(events) - 2)  # 0 is a state, too

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
# Everything is ready: the rows from your `stream_batches`, the step from your `train_step`, and your loop around them. The learning rate starts at 20. We clip at 0.5, and $20 \cdot 0.5 = 10$, so no step is longer than 10, for all the weights together. Every now and then `watch` measures how well the network predicts a part of your text that it does not learn from, and at four moments it lets the network write. Your step returns $\lVert g \rVert$ as well; the cell keeps it, and we look at it afterwards.
#
# On a laptop with one free core the second cell runs for five to ten minutes. While it runs, read on: the paragraph below it says what to expect.

# %%
my_steps = budget().choose(grading=400, laptop=4_000, gpu=3_000)
rows, T = budget().choose(grading=(32, 64), laptop=(32, 64), gpu=(128, 64))
looks = [0, my_steps // 20, my_steps // 4, my_steps]
some = budget().choose(grading=5_000, laptop=20_000, gpu=50_000)


def look(i):
    """Now and then measure, and at some steps let the network write."""
    if i % max(1, my_steps // 20) and i != my_steps:
        return
    nats = held_out(my_model, text_ids["valid"][:some])
    history.append((i, nats))
    if i in looks:
        diary[i] = write(prompt, 0.8, length=180)
        print(f"step {i:5,}   held-out loss {nats:.3f} nats per character")


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
my_pieces = stream_batches(text_ids["train"].to(device), rows, T)
history, diary, norms = [], {}, []


def my_step(inputs, targets, state, lr):
    """Your step, clipped at 0.5; it keeps the length of the gradient."""
    loss, norm, state = train_step(my_model, inputs, targets, state, lr, 0.5)
    norms.append(norm)
    return loss, norm, state


begin = time.perf_counter()
losses = train_on(my_step, my_pieces, my_steps, 20.0, look)
minutes = (time.perf_counter() - begin) / 60
print(f"{minutes:.1f} minutes")

# %% [markdown]
# **What to expect.** The loss starts near $\ln V$, as it must for a model that gives every character the same chance. In the first steps it may jump up, since a learning rate of 20 is large for a network that knows nothing. Within the first few dozen steps it falls below 3 nats: by then the network knows how often each character occurs, and it begins to see which ones are neighbours. Then come short words, then long ones, then things that go beyond a word. Look for the first line in which you recognise *your* text.

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
# Read from left to right. The first column is noise. In the second one, the frequent letters of your language have taken over. Then there are words, many of them invented, and the longer the training, the more of them are real. Compare the last column with what your first model wrote in section 3. The network was only ever asked which character comes next. And every weight of it was moved by your `train_step`, in your `train_on`, through your `lstm_step`.
#
# Here is how it went: above, the loss of each step, and below, the length of its gradient before clipping. How often was the gradient longer than the limit, and when?

# %% alt="Two panels over the training steps: the loss falls steeply and then slowly; the length of the gradient scatters below the dashed limit of 0.5, with peaks above it early in the training."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
_, (above, below) = plt.subplots(2, 1, figsize=(7, 4.2), sharex=True)
above.plot(losses, color=plots.COLOURS[0], linewidth=1)
above.set(title="What your loop did", ylabel="loss (nats)", ylim=(0, None))
below.semilogy(norms, color=plots.COLOURS[0], linewidth=1)
below.axhline(0.5, linestyle="--", color="gray")
below.set(xlabel="training steps", ylabel="length of the gradient")
plt.show()
print(f"clipped: {np.mean(np.array(norms) > 0.5):.0%} of all steps")

# %% [markdown]
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
# Your network has a cell of many numbers. What are they for? Nobody has decided that; the training has. But one can look. Words end at blanks, so a network that predicts characters may well have a number that goes with *how far it is inside the current word*. Let the network read a piece of text that it has not learned from, and look for the one number of its cell that goes most closely with the count of characters since the last blank.
#
# Then look at that number's forget gate, since a good fit alone shows little. A number need not count or decide anything to go with the count. Imagine a simple **trace**: at each blank it is set to 1, and at every other character it is multiplied by a constant. It makes a single decision, to begin again at a blank, and never counts. But it also tells how long ago the blank was. So the cell prints what the best of three such traces reaches.
#
# A warning before you look: among so many numbers, one will always fit a bit by luck. So we choose it on one piece of text, and judge it on another.

# %% folded="looks for the number that counts" alt="Three rows over 70 characters of text: one number of the cell, its forget gate, and the count of characters since the last blank, which rises in each word and falls to zero at each blank."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)


@torch.no_grad()
def inside(model, text):
    """The cell C_t and the forget gate f_t of a network after each character of a text: two arrays [len(text), k]."""
    layer, state, found = model.layer, None, []
    W, b = ({part: table[part] for part in PARTS} for table in (layer.W, layer.b))
    nothing = torch.zeros(1, layer.k, device=device)
    for token in to_ids(text):
        token = token.view(1, 1).to(device)
        e, h = model.embedding(token)[:, 0], nothing if state is None else state[0]
        # the gate is what a step leaves of an old cell of 1
        full, empty = (lstm_step(e, h, old, W, b)[1] for old in (nothing + 1, nothing))
        _, state = model(token, state)
        found.append(torch.stack([state[1][0], (full - empty)[0]]).cpu().numpy())
    return np.array(found).transpose(1, 0, 2)


def since_blank(text):
    """For each place, the number of characters since the last blank or line end."""
    counts, now = [], 0
    for character in text:
        now = 0 if character.isspace() else now + 1
        counts.append(now)
    return np.array(counts)


def best_counter(model):
    """(which number fits best on the first piece, its correlation on the second, cells and gates there)."""
    first, second = (inside(model, part) for part in parts)

    def fits(cell, count):
        return np.corrcoef(cell.T, count)[-1, :-1]

    number_of = int(np.nanargmax(np.abs(fits(first[0], truth[0]))))
    return number_of, fits(second[0], truth[1])[number_of], second


def traces(text):
    """Three numbers that need no decision: at a blank 1, elsewhere 0.5, 0.7 or 0.9 times what they were; [len(text), 3]."""
    found, now = [], np.zeros(3)
    for character in text:
        now = np.ones(3) if character.isspace() else now * (0.5, 0.7, 0.9)
        found.append(now)
    return np.array(found)


look_at = budget().choose(grading=400, laptop=1_500, gpu=1_500)
parts = [my_text["valid"][begin : begin + look_at] for begin in (0, look_at)]
truth = [since_blank(part) for part in parts]
set_seed(1)
_, by_luck, _ = best_counter(LanguageModel(V, d, k, forget_bias(best_start)).to(device))
chosen, fit, (cell, gate) = best_counter(my_model)
shown = slice(100, 170)
_, (above, middle, below) = plt.subplots(
    3, 1, figsize=(8, 4.6), sharex=True, height_ratios=(2, 1.3, 1)
)
above.plot(cell[shown, chosen], color=plots.COLOURS[0])
above.set(
    title=f"Number {chosen} of {k}, and the letters since the last blank",
    ylabel="cell $C_t$",
)
middle.plot(gate[shown, chosen], color=plots.COLOURS[2])
middle.set(ylabel="gate $f_t$", ylim=(-0.05, 1.05))
below.bar(range(70), truth[1][shown], color="lightgray")
below.set(ylabel="letters", xlabel="character")
below.set_xticks(range(70), [c if c.isprintable() else "⏎" for c in parts[1][shown]])
below.tick_params(axis="x", length=0)
plt.show()
at_blanks = truth[1] == 0
by_trace = np.corrcoef(traces(parts[1]).T, truth[1])[-1, :-1]
print(
    f"its forget gate: on average {gate[at_blanks, chosen].mean():.2f} at blanks, {gate[~at_blanks, chosen].mean():.2f} elsewhere"
)
print(f"correlation with the count, on new text: {fit:+.2f}")
print(f"the best of an untrained network:        {by_luck:+.2f}")
print(
    f"the best trace that decides nothing:     {by_trace[np.abs(by_trace).argmax()]:+.2f}"
)
low, high = np.quantile(gate, (0.1, 0.9))
print(
    f"all {k} forget gates began near {0.5 ** (1 / best_start):.2f}. Now, on this text, "
    f"a tenth of their values is below {low:.2f}, and a tenth is above {high:.2f}"
)

# %% [markdown]
# First the gate. If it is clearly lower at blanks than elsewhere, this number is erased at the end of a word and kept inside it. Training has made a decision there: the blank says *erase*, as *write* did in your memory chip of section 3. If it is not, the input gate does the work, and pushes the number back.
#
# Then the correlation. (Its sign does not matter.) Compare it with that of an untrained network, whose numbers fit as well, by luck, and with the trace. If the trace comes as high or higher, do not call your number a counter: the correlation alone could be had without counting. So the gate says more than the fit, and the figure more than both. Is the curve a staircase in every word, or only in some?
#
# The last line is about all gates at all places, and it belongs to the question of section 4. At the start, every one of them stood near the same value. Training has moved many of them far from it. While a gate is nearly open, its number is kept, and so is its gradient; in this way a network that starts with half-open gates can come to remember for longer.
#
# A. Karpathy, J. Johnson and L. Fei-Fei (2015) found numbers of this kind in larger networks. One knew whether the text was inside quotation marks, and another how long the line already was.

# %% [markdown]
# ### Against the counts
#
# It writes. But is it *good*? Let it compete with the best that counting offers, modified Kneser-Ney from chapter 02, on the same characters. For the counts, the lengths 3, 6, 9, 12 and 15 are tried, and the best one on the held-out part is taken. The figure shows the held-out loss of your network while it learned, and the counts as a dashed line. (They need no training, so their line is flat.) Do the two lines cross, and if so, where?

# %% alt="Held-out loss of your LSTM in nats per character over the training steps: it falls steeply and then more and more slowly. A dashed horizontal line is Kneser-Ney on the same text; where the loss is known, a dotted line is the floor."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
all_symbols = [*symbols, "<UNK>", "</s>"]
valid_text = my_text["valid"][:some]
by_counts = {
    n: -ngrams.kneser_ney([[*my_text["train"]]], n, all_symbols)
    .score([[*valid_text]])[:-1]
    .mean()
    for n in (3, 6, 9, 12, 15)
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
    "your LSTM": held_out(my_model, text_ids["test"][:test_some]),
}
for name, nats in test_nats.items():
    print(f"{name:11} {nats:.3f} nats per character of the test text")
better = min(test_nats, key=test_nats.get)
first_nats = held_out(first_model, text_ids["test"][:test_some])
print(f"first model {first_nats:.3f}, the one of section 3")
print(
    f"\nOn {len(text_ids['train']):,} characters, after {minutes:.1f} minutes: {better} is better."
)

# %% [markdown]
# Look at the third line first, because the second question of section 3 was how to make the model *good*. The two LSTMs differ in size, in the time that they had, and in the optimiser. The course's loop used AdamW, which adapts the length of the step for each weight, and with as many steps that is the better optimiser: in the table of section 6, after 400 steps, it is ahead of your gradient descent in every row. So if your last model is better, it owes that to more steps (and on a laptop to its size), not to the loop. (With 400 steps the course's loop, too, comes to 0.90 on the kitchen text.) You will write AdamW in chapter 08.
#
# If you have lost against the counts, you are in good company: so do we, and section 8 shows what it takes to win. If you have won, look at how long the dashed line was below yours. A few seconds of counting had done as well as all those minutes.
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
    bits_above_floor=(test_nats["your LSTM"] - floor.nats) / math.log(2)
    if floor
    else None,
    minutes=minutes,
    notes=f"your LSTM, {k} numbers of state, {my_steps:,} steps of gradient descent",
)

# %%
# NBVAL_IGNORE_OUTPUT
# (the day on which each model was kept stands in the table)
gallery.show(mine.name)
