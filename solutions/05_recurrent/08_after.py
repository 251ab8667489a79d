# %% [markdown]
# ### After
#
# Everything is ready: the batches from your `stream_batches`, the step from your `train_step`, and your loop around them. The learning rate starts at 20, and
# gradients are clipped at 0.5. Every now and then `watch` measures how well the network predicts a part of your text that it does not learn from, and at four
# moments it lets the network write.
#
# On a laptop with one free core we expect the second cell to run for five to ten minutes. It prints its own time at the end. While it runs, read on: the
# paragraph below it says what to expect.

# %%
my_steps = budget().choose(grading=400, laptop=4_000, gpu=3_000)
rows, T = budget().choose(grading=(32, 64), laptop=(32, 64), gpu=(128, 64))
looks = [0, 20, 100, my_steps]
some = budget().choose(grading=5_000, laptop=20_000, gpu=50_000)


def look(i):
    """Now and then measure, and at some steps let the network write."""
    if i % max(1, my_steps // 20) and i not in looks:
        return
    nats = held_out(my_model, text_ids["valid"][:some])
    history.append((i, nats))
    if i in looks:
        diary[i] = write(prompt, 0.8, length=180)
        print(f"step {i:5,}   held-out loss {nats:.3f} nats per character")


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
my_batches = stream_batches(text_ids["train"].to(device), rows, T)
history, diary, norms = [], {}, []


def my_step(inputs, targets, state, lr):
    """Your step, clipped at 0.5; it keeps the length of the gradient."""
    loss, norm, state = train_step(my_model, inputs, targets, state, lr, 0.5)
    norms.append(norm)
    return loss, norm, state


begin = time.perf_counter()
losses = train_on(my_step, my_batches, my_steps, 20.0, look)
minutes = (time.perf_counter() - begin) / 60
print(f"{minutes:.1f} minutes")

# %% [markdown]
# **What to expect.** The loss starts near $\ln V$, as it must for a model that gives every character the same chance. In the first steps it may jump up, since a
# learning rate of 20 is large for a network that knows nothing. Within the first few dozen steps it falls below 3 nats. Then come short words, then long ones,
# then things that go beyond a word. Look for the first line in which you recognise *your* text.

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
# Read from left to right. The first column is noise. What follows depends on your text. In the course's own run, the second column, after 20 steps, has the
# frequent letters of the language and hardly any words. The third, after 100 steps, has words, and many of them are invented. In the last column more of them are
# real. The network was only ever asked which character comes next. And every weight of it was moved by your `train_step`, in your `train_on`, through your
# `lstm_step`.
#
# The next figure shows the training itself: above, the loss of each step, and below, the length of its gradient before clipping. The dashed line is the limit of
# 0.5. Above it, your `train_step` has shortened the gradient. Look at where the peaks above the line are: at the beginning, or throughout?

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
# You know from chapter 01 what to expect: at a low temperature the text is safe and may run in a circle, and at a high one it falls apart. The stored output
# shows one temperature only, 0.8, so try both.

# %% [markdown]
# ### What did the gates learn?
#
# Your network has a cell of many numbers. What are they for? Nobody has decided that; the training has. But one can look, and the forget gates are a good place
# to begin. In the memory chip of section 3, *write* meant *erase the old bit*. What could mean *erase* in a text? Perhaps a blank, because it ends a word.
#
# So let the network read text that it has not learned from, and take two averages of each forget gate:
#
# - **at blanks**: over the places where it has just read a blank or the end of a line;
# - **elsewhere**: over all other places, that is, after letters, commas and full stops.
#
# In the figure each dot is one gate. Its place from left to right is the average elsewhere, and its height is the average at blanks. On the dotted diagonal both
# are equal. So a dot far *below* the diagonal is a gate that closes at blanks and is more open elsewhere. The grey dots show the gates before the training. Where
# are the gates now?

# %% folded="draws the forget gates" alt="Each dot is one forget gate: its average at all other characters to the right, its average at blanks upwards. Before the training all stand in one small cloud on the diagonal; after it they are spread over the square, and many lie far below the diagonal."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)


@torch.no_grad()
def forget_gates(model, text):
    """The forget gates f_t of a network after each character of a text, an array [len(text), k]."""
    layer, state, found = model.layer, None, []
    W, b = ({part: table[part] for part in PARTS} for table in (layer.W, layer.b))
    nothing = torch.zeros(1, layer.k, device=device)
    for token in to_ids(text):
        token = token.view(1, 1).to(device)
        e, h = model.embedding(token)[:, 0], nothing if state is None else state[0]
        # the gate is what a step leaves of an old cell of 1
        full, empty = (lstm_step(e, h, old, W, b)[1] for old in (nothing + 1, nothing))
        _, state = model(token, state)
        found.append((full - empty)[0].cpu().numpy())
    return np.array(found)


some_text = my_text["valid"][: budget().choose(grading=400, laptop=1_500, gpu=1_500)]
blank = np.array([character.isspace() for character in some_text])
set_seed(1)
fresh = LanguageModel(V, d, k, forget_bias(best_start)).to(device)
gates_before = forget_gates(fresh, some_text)
gates = forget_gates(my_model, some_text)
_, axes = plt.subplots(figsize=(7, 4))
for found, colour, name in (
    (gates, plots.COLOURS[2], "after the training"),
    (gates_before, "gray", "before"),
):
    elsewhere, at_blanks = found[~blank].mean(0), found[blank].mean(0)
    axes.plot(elsewhere, at_blanks, "o", color=colour, alpha=0.6, label=name)
    closing = (elsewhere > 0.5) & (at_blanks < 0.25)
    print(
        f"{name:18}: {closing.sum():3} of {k} gates close at blanks (below 0.25 there, above 0.5 elsewhere); "
        f"spread of a typical gate {np.median(found.std(0)):.2f}"
    )
axes.plot([0, 1], [0, 1], ":", color="gray")
axes.set(
    title="Each dot is one forget gate",
    xlabel="average elsewhere",
    ylabel="average at blanks",
)
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Before the training, all dots stood close together. Now they are far apart.
#
# Look first at the dots near the bottom, right of the middle. They are gates that are nearly closed at blanks (below 0.25) and more than half open elsewhere. In
# the course's own run, 46 of the 96 gates are of this kind, and before the training there was none. The numbers that these gates guard are nearly erased at a
# blank. So for them, a blank does one half of what *write* did in your memory chip: it erases. Whether something new is written at the same time depends on the
# input gates, and we have not looked at those. Nor have we counted how many gates close at some other character, at *e* for example.
#
# Then look at the dots above the diagonal. Their gates do the opposite: they are more open at a blank than elsewhere. But at the other characters even these
# gates are open to at most about 0.7, on average. So each letter costs their cell numbers some 30 % of what they hold, and none of these gates simply stays open.
#
# The printed lines end with a number called *spread*: 0.07 before the training and 0.34 after it in our run. It is the standard deviation of one typical gate
# from place to place. So before the training a gate hardly moved, and now it opens and closes with what the network reads. So a half-open gate is only the
# beginning: the gates now react to what they read. But they did not simply open, and whether a gradient comes further back through such gates, this figure does
# not say.
#
# The next figure shows one of these gates at work, the one that closes most clearly at blanks. Each character stands on the colour of the gate after the
# character was read. White is a gate of 0. A gate of 1 is a middle green, so that the letters stay legible. Does the gate close at *every* blank? And does it
# close anywhere else?

# %% folded="colours a text" alt="Three lines of text, each character on a coloured ground that shows one forget gate: dark where it is open, white where it is closed. It is white at nearly every blank."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
chosen = int((gates[~blank].mean(0) - gates[blank].mean(0)).argmax())
lines, width_of_line = 3, 50
values = gates[: lines * width_of_line, chosen].reshape(lines, width_of_line)
_, axes = plt.subplots(figsize=(8, 1.7))
axes.imshow(values, cmap="Greens", vmin=0, vmax=1.4, aspect="auto")
for place, character in enumerate(some_text[: values.size]):
    line, column = divmod(place, width_of_line)
    shown = character if character.isprintable() else "⏎"
    axes.text(column, line, shown, ha="center", va="center", fontsize=10)
axes.set(
    title=f"Forget gate number {chosen} (from 0) of {k}: dark is open, white is closed"
)
axes.set_axis_off()
plt.show()

# %% [markdown]
# In the course's own run this gate closes at every blank that is shown. But it also closes, or nearly so, at about a quarter of the other characters. So erasing
# at a blank is only a part of what it does. A gate reads the state as well as the character, and therefore it need not do the same at each *a*.
#
# A. Karpathy, J. Johnson and L. Fei-Fei (2015) coloured texts in this way to see what larger networks had learned. They found one number that knew whether the
# text was inside quotation marks, and another that knew how long the line already was.

# %% [markdown]
# ### Against the counts
#
# It writes. But is it *good*? Let it compete with the best counting model of this course, modified Kneser-Ney from chapter 02, on the same characters. Several
# lengths $n$ of the n-grams are tried, and the one that is best on the held-out part is taken. The figure shows the held-out loss of your network while it
# learned, and the counts as a dashed line. (They need no training steps, so their line is level.) If the text was made by a known rule, as the kitchen text was,
# a dotted line shows its *floor*. That is the best loss that is possible on it. The first points of your network lie above the frame. Do the two lines cross, and
# if so, where?

# %% alt="Held-out loss of your LSTM in nats per character over the training steps: it falls steeply and then more and more slowly. A dashed horizontal line is Kneser-Ney on the same text; where the loss is known, a dotted line is the floor."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
all_symbols = [*symbols, "<UNK>", "</s>"]
valid_text = my_text["valid"][:some]
begin = time.perf_counter()
counted = {  # for each n, minus the logarithm of the probability of each character
    n: -ngrams.kneser_ney([[*my_text["train"]]], n, all_symbols).score([[*valid_text]])
    for n in (2, 3, 4, 6, 9, 12, 15)
}
counting = time.perf_counter() - begin
by_counts = {n: nats[:-1].mean() for n, nats in counted.items()}
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
    xlabel=f"training steps of {rows} x {T} characters",
    ylabel="held-out loss (nats per character)",
    ylim=(0, 0.5 + 2 * by_counts[n_best]),
)
axes.legend(loc="upper right")
plt.show()
print(f"counting {len(counted)} times took {counting:.0f} seconds")

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
    "first model": held_out(first_model, text_ids["test"][:test_some]),
}
for name, nats in test_nats.items():
    print(
        f"{name:11} {nats:.3f} nats per character of the test text, or {nats / math.log(2):.2f} bits: "
        f"as if there were {math.exp(nats):.1f} equally likely characters"
    )
better = min(test_nats, key=test_nats.get)
print(
    f"\nOn {len(text_ids['train']):,} characters, after {minutes:.1f} minutes: {better} is better."
)

# %% [markdown]
# Compare your two networks first, because the second question of section 3 was how to make the model *good*. Is your last network better than your first? Then
# what has made it so? The two differ in several things: your last network has trained for more steps, your loop uses a stream and gradient descent in place of
# excerpts and AdamW, and on a laptop your network is larger, too. We have not separated these, so we cannot say how much each of them has brought. That is a
# limit of our answer to the second question: we know single effects from section 6, and here only their sum.
#
# Then compare your network with the counts. If you have lost, you are in good company: so did the course's own run, which had 400 steps only. Section 8 shows
# what it takes to win on a harder text. If you have won, look back at the figure. For how many of your minutes was the dashed line below yours? The counts needed
# a few seconds.

# %% [markdown]
# ### What is each further character worth?
#
# How far back does your network look? Let us take its past away from it and see. The network first reads 50 characters from some *other* place of the text. Then
# it reads the last $m$ true characters before the one that it has to predict. So everything that it knows from further back than $m$ is wrong. We let $m$ grow.
# From some $m$ on, the loss falls no more. What stands further back than that is of little use to the network. (We let $m$ grow up to 50, so we say nothing about
# characters that are further back.)
#
# Counts can be asked the same question. An $n$-gram model sees exactly $m = n - 1$ characters, so we take its losses for several $n$.
#
# In the figure, $m$ grows to the right. Our measurement has a fault: a network whose state comes from another place predicts at first how *that* place goes on.
# So the wrong past misleads a network for some characters, and its line is too high on the left. (We begin it at $m = 3$, and up to about $m = 10$ one should not
# trust it.) Look only for the place where each line becomes level. Does your network look as far back as the counts? And does it look further back than your
# first model?


# %% alt="Held-out loss over the number of true characters that are read, for the counts, the first model and your LSTM: all fall steeply and become level, the counts at the lowest loss where the training was short."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
@torch.no_grad()
def loss_after(model, ids, lengths):
    """Nats per character when only the m characters before it are the true ones, for each m; before them come 50 others."""
    ends = torch.arange(100, len(ids) - 1)  # the last character that is read
    dice = torch.Generator().manual_seed(1)
    elsewhere = ends[torch.randperm(len(ends), generator=dice)]

    def window(ends, m):
        return ids[ends[:, None] + torch.arange(1 - m, 1)].to(device)

    _, state = model(window(elsewhere, 50))
    scores = {m: model(window(ends, m), state)[0][:, -1] for m in lengths}
    true = ids[ends + 1].to(device)
    return {m: F.cross_entropy(found, true).item() for m, found in scores.items()}


asked = text_ids["valid"][: budget().choose(grading=1_500, laptop=3_000, gpu=3_000)]
reads = (3, 5, 8, 11, 14, 20, 30, 50)
curves = {
    "Kneser-Ney": {n - 1: x[101 : len(asked)].mean() for n, x in counted.items()},
    "first model": loss_after(first_model, asked, reads),
    "your LSTM": loss_after(my_model, asked, reads),
}
_, axes = plt.subplots()
for (name, found), style, colour in zip(
    curves.items(), ("s--", "o-", "o-"), ("black", "gray", "C0"), strict=True
):
    axes.plot(*zip(*found.items(), strict=True), style, color=colour, label=name)
log_ticks(axes, (1, 2, *reads), xlabel="true characters read, $m$")
axes.set(
    title="What is each further character worth?",
    ylabel="held-out loss (nats)",
    ylim=(0, None),
)
axes.legend()
plt.show()
print(pd.DataFrame(curves).T[[*reads]].round(2).to_string(na_rep="-"))

# %% [markdown]
# The counts are level from about eleven characters on. What you see of your own network depends on how long it was trained.
#
# After a short training, such as the 400 steps of the course's own run, both networks become level at about the same place as the counts, or before it. So such a
# network does not lose by its reach alone.
#
# After the 4,000 steps of a laptop, something new can appear: the line of the LSTM goes on falling where the counts are level. We have trained three networks of
# that size on the kitchen text. These are their losses in nats, from the lowest to the highest of the three:
#
# | before the last $m$ characters | $m = 10$ | $m = 50$ |
# |---|---|---|
# | another place of the text | 0.94 to 1.03 | 0.52 to 0.54 |
# | nothing: a state of zero | 0.83 to 0.88 | 0.52 to 0.54 |
# | (the counts) | about 0.6 | no lower |
#
# In the first row the wrong past misleads a network that has only ten true characters. So the second row begins with a state of zero, which is not quite neutral,
# either: in its training a network meets it at the beginning of a row only. But in both rows characters more than ten back help these networks, and they do not
# help the counts. (`python -m benchmarks.lstm_reach` measures it and writes it into `data/recurrent/reach.csv`.)
#
# So what do we answer to *how could it learn that?* We have three pieces. First, a part of the gradient reaches back a few characters at the start (section 4).
# Second, gates can be trained to keep and to overwrite (game B in section 5). Third, the loss of the trained networks still falls a little when they may see more
# than ten characters back. By which way the gradient has taught them that, we do not know: we have looked at neither the gates of these three networks nor their
# gradients. A test would be to train once more with pieces of $T = 8$ characters, so that no gradient can come from further back. We have not done that.
#
# Your network goes into the gallery. It continues the same three prompts as your machine from chapter 01.

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
