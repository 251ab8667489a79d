# %% [markdown]
# ### After
#
# Everything is ready: the batches from your `stream_batches`, the step from your `train_step`, and your loop around them. Every now and then the function
# `look` (your loop calls it as its `watch`) measures how well the network predicts a part of your text that it does not learn from, and lets the network
# write a line. Four longer samples are kept, and printed side by side below.
#
# On a laptop with one free core the second cell runs for about a quarter of an hour. While it runs, read on: the paragraph below it says what to expect.

# %%
my_steps = budget().choose(grading=400, laptop=4_000, gpu=3_000)
rows, T = budget().choose(grading=(32, 64), laptop=(32, 64), gpu=(128, 64))
looks = [0, 20, 100, my_steps]
some = budget().choose(grading=5_000, laptop=20_000, gpu=50_000)


def look(i):
    """Now and then measure, and at some steps let the network write."""
    if i % max(1, my_steps // 16) and i not in looks:
        return
    nats = held_out(my_model, text_ids["valid"][:some])
    history.append((i, nats))
    if i in looks:
        diary[i] = write(prompt, 0.8, length=180)
    if i in looks or i % max(1, my_steps // 8) == 0:
        said = write(prompt, 0.8, length=50)
        print(f"step {i:5,}   held-out loss {nats:.3f} nats per character   {said!r}")


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
my_batches = stream_batches(text_ids["train"].to(device), rows, T)
history, diary, clipped = [], {}, []


def my_step(inputs, targets, state, lr):
    """Your step, clipped at 0.5; it keeps whether the gradient was longer than that."""
    loss, norm, state = train_step(my_model, inputs, targets, state, lr, 0.5)
    clipped.append(norm > 0.5)
    return loss, norm, state


begin = time.perf_counter()
losses = train_on(my_step, my_batches, my_steps, 20.0, look)
minutes = (time.perf_counter() - begin) / 60
print(f"{minutes:.1f} minutes; {np.mean(clipped):.0%} of all steps were clipped")

# %% [markdown]
# **What to expect.** The loss starts near $\ln V$, as it must for a model that gives every character the same chance. Within the first few dozen steps it falls
# below 3 nats. Then come short words, and then longer ones. Look for the first line in which you recognise *your* text.

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
# Read from left to right. The first column is noise. After 20 steps come the frequent letters of the language, after 100 steps words, many of them invented,
# and in the last column more of them are real. The network was only ever asked which character comes next. And every weight of it was moved by your
# `train_step`, in your `train_on`, through your `lstm_step`. Now play with it. What happens at temperature 0? At 1.5?

# %%
# NBVAL_IGNORE_OUTPUT
# (one last digit rounded otherwise changes a character, and all that follow)
play(write, prompt, top_p=False)

# %% [markdown]
# ### What did the gates learn?
#
# Your network has a cell of many numbers. What are they for? Nobody has decided that; the training has. But one can look at the forget gates. In the memory
# chip of section 3, *write* meant *erase the old bit*. What could mean *erase* in a text? Perhaps a blank, because it ends a word.
#
# So let the network read held-out text, and take two averages of each forget gate: at blanks (it has just read a blank or a line end), and elsewhere. Each dot
# is one gate. A dot far *below* the dotted diagonal is a gate that closes at blanks. The grey dots show the gates before the training. Where are they now?

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


def closing(found, places):
    """How many gates are below 0.25 at these places, on average, and above 0.5 at all others but blanks."""
    others = ~places & ~blank
    return ((found[places].mean(0) < 0.25) & (found[others].mean(0) > 0.5)).sum()


frequent = Counter(filter(str.isalpha, some_text)).most_common(3)
at_places = {"blanks": blank} | {
    repr(letter): np.array([one == letter for one in some_text])
    for letter, _ in frequent
}
_, axes = plt.subplots(figsize=(7, 4))
for found, colour, name in (
    (gates, plots.COLOURS[2], "after the training"),
    (gates_before, "gray", "before"),
):
    elsewhere, at_blanks = found[~blank].mean(0), found[blank].mean(0)
    axes.plot(elsewhere, at_blanks, "o", color=colour, alpha=0.6, label=name)
    kept = np.lib.stride_tricks.sliding_window_view(found, 10, axis=0).prod(-1)
    print(
        f"{name}: on average a gate keeps {found.mean():.0%} of its cell in one step,",
        end=" ",
    )
    print(f"and the best one {kept.mean(0).max():.1%} over ten; of {k} gates close")
    for what, places in at_places.items():
        print(f"    at {what:8}: {closing(found, places):3}")
axes.plot([0, 1], [0, 1], ":", color="gray")
axes.set(
    title="Each dot is one forget gate",
    xlabel="average elsewhere",
    ylabel="average at blanks",
)
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Before the training, all dots stood close together. Now they are far apart: the gates react to what is read. In the course's own run 46 of the 96 gates are
# nearly closed at blanks (below 0.25) and more than half open elsewhere. Is a blank special? The printed lines count in the same way for the three most
# frequent letters. At each of them, 11 to 27 gates are nearly closed and more than half open elsewhere. (When we count for a letter, we leave the blanks out
# of *elsewhere*: so many gates close at blanks that hardly any gate would be open elsewhere.) So a blank closes more gates than any of these three letters,
# and nobody has told the network that words exist. Some gates do the opposite: their dots lie above the diagonal, so they keep more at a blank than
# elsewhere.
#
# Section 4 has left a question: gates that start half open let hardly any gradient through, but training can change them. Has it? The lines *before* and
# *after* say what the belt keeps. In the course's own run a gate keeps about a half of its cell in a step, before and after, and over ten characters even the
# best of the 96 keeps only 3 %. So the gates have learned *when* to close, and not to stay open for long.
#
# The next figure shows one gate at work, the one that closes most clearly at blanks. White is closed, and the darkest green is open. Does it close anywhere
# else?

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
# In the course's own run this gate closes at every blank that is shown, and also, or nearly so, at about a quarter of the other characters. A. Karpathy, J.
# Johnson and L. Fei-Fei (2015) coloured texts in this way. In larger networks they found a number that knew whether the text was inside quotation marks, and
# another that knew how long the line already was.

# %% [markdown]
# ### Against the counts
#
# It writes. But is it *good*? Let it compete with modified Kneser-Ney from chapter 02 on the same characters, with the $n$ that is best on the held-out part.
# In the figure the counts are the dashed line. On the kitchen text a dotted line shows the *floor*: minus the logarithm of the true probability of these
# characters, which nobody beats on average. Does your network cross the dashed line, and if so, after how many steps?

# %% alt="Held-out loss of your LSTM in nats per character over the training steps: it falls steeply and then more and more slowly. A dashed horizontal line is Kneser-Ney on the same text; where the loss is known, a dotted line is the floor."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
all_symbols = [*symbols, "<UNK>", "</s>"]
valid_text = my_text["valid"][:some]
begin = time.perf_counter()
counters = {
    n: ngrams.kneser_ney([[*my_text["train"]]], n, all_symbols)
    for n in (2, 3, 4, 6, 9, 12, 15)
}
by_counts = {  # minus the logarithm of the probability of each character, on average
    n: -counter.score([[*valid_text]])[:-1].mean() for n, counter in counters.items()
}
counting = time.perf_counter() - begin
n_best = min(by_counts, key=by_counts.get)


floor = None  # known for the kitchen text only
if mine.name == "kitchen":
    floor = kitchen.nats_of_characters("valid")[:some].mean()

_, axes = plt.subplots()
axes.plot(*zip(*history, strict=True), "o-", color=plots.COLOURS[0], label="your LSTM")
axes.axhline(
    by_counts[n_best], linestyle="--", color="black", label=f"Kneser-Ney, n = {n_best}"
)
if floor:
    axes.axhline(
        floor, linestyle=":", color="gray", label="floor: on average nobody does better"
    )
axes.set(
    title="Does your network overtake the counts?",
    xlabel=f"training steps of {rows} x {T} characters",
    ylabel="held-out loss (nats per character)",
    ylim=(0, 0.5 + 2 * by_counts[n_best]),
)
axes.legend(loc="upper right")
plt.show()
print(f"counting {len(counters)} times took {counting:.0f} seconds")

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
test_some = budget().choose(grading=5_000, laptop=50_000, gpu=200_000)
test_text = my_text["test"][:test_some]
test_nats = {
    "Kneser-Ney": -counters[n_best].score([[*test_text]])[:-1].mean(),
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
# **If you have lost, you are in good company: so did the course's own run**, which had 400 steps. On the kitchen text one can win. The next figure shows a
# recorded run of the same cells at a laptop's size, with 192 numbers instead of 96 and 4,000 steps, a quarter of an hour on one core. When does it cross the
# line of the counts?

# %% alt="Held-out loss of the recorded run over 4,000 steps. It crosses the dashed line of the counts, 0.593, after about 1,400 steps and ends at 0.529, still far above the floor of 0.318."
laptop = pd.read_csv(paths.DATA / "recurrent" / "laptop.csv")
_, axes = plt.subplots(figsize=(7, 3))
axes.plot(laptop.step, laptop.nats, "o-", label="recorded LSTM, 192 numbers")
axes.axhline(
    laptop.counts[0], linestyle="--", color="black", label="Kneser-Ney, same text"
)
axes.axhline(laptop.floor[0], linestyle=":", color="gray", label="floor")
axes.set(xlabel="training steps of 32 x 64 characters", ylim=(0, 1.4))
axes.set(ylabel="held-out loss (nats)", title="As on a laptop: the kitchen text")
axes.legend(loc="upper right")
plt.show()
print(
    f"at the end {laptop.nats.iloc[-1]:.3f}, the counts {laptop.counts[0]:.3f}, the floor {laptop.floor[0]:.3f}"
)

# %% [markdown]
# The recorded network crosses the line between 1,250 and 1,500 steps. At the end it has 0.529 nats and the counts have 0.593. So the LSTM wins, and it is
# still far from the floor. Whether the steps or the 192 numbers did it, one run cannot tell. (The three losses of *your* run, printed above this figure, are
# measured on the test text, from which nothing was chosen.) Section 8 shows what it takes on a harder text.
#
# Your first network, the one of section 3, stands in the printed list of your run, too. Your last one has more steps, reads a stream, learns by gradient
# descent with larger steps, and is wider on a laptop. So we cannot say which of these has made the difference between the two.

# %% [markdown]
# ### How far back must a gradient reach?
#
# One question of section 3 is still open: *how could it learn that?* With half-open gates hardly any gradient comes back further than a few steps (section
# 4). Perhaps that is enough. Your functions can test it. The next cell trains small networks of 96 numbers for 400 steps each, on pieces of $T$ = 1, 2, 4, 8,
# 16 and 64 characters, with fewer rows where pieces are longer, so that each step reads as many characters. The state goes on from piece to piece as before,
# but no gradient reaches back further than $T$ steps. With $T = 1$ none comes back through the state at all.
#
# Two more networks are *trained* with an empty state at the beginning of each piece, of 8 and of 64 characters. (When they are measured, their state goes on
# like that of the others.) And at the end two of the networks, those with $T = 1$ and $T = 8$, are asked once more: how good are they if they may read only
# the last 1, 2, 4, ... characters before each answer? Make a guess: how bad is $T = 1$?


# %% alt="Held-out loss over the length of the pieces from 1 to 64, falling more and more slowly; two crosses for networks whose state is emptied lie above the line, the one at 8 far above."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def short_training(T, empty=False):
    """A small network trained on pieces of T characters, with the state carried over or emptied."""
    set_seed(1)
    model = LanguageModel(V, 32, 96, forget_bias(best_start)).to(device)

    def step(inputs, targets, state, lr):
        return train_step(
            model, inputs, targets, None if empty else state, lr, limit=0.5
        )

    batches = stream_batches(text_ids["train"].to(device), 2_048 // T, T)
    train_on(step, batches, 400, 20.0, lambda i: None)
    return model


@torch.no_grad()
def with_last(model, length, count=1_000):
    """Held-out loss of characters before which the network has read the last `length` ones only."""
    places = torch.arange(count) * ((some - length - 1) // count)
    texts = torch.stack([text_ids["valid"][i : i + length + 1] for i in places])
    texts = texts.to(device)
    scores, _ = model(texts[:, :-1])
    return F.cross_entropy(scores[:, -1], texts[:, -1]).item()


pieces = (1, 2, 4, 8, 16, 64)
learned_from = {T: short_training(T) for T in pieces}
valid_ids = text_ids["valid"][:some]
carried = [held_out(model, valid_ids) for model in learned_from.values()]
emptied = [held_out(short_training(T, empty=True), valid_ids) for T in (8, 64)]
_, axes = plt.subplots(figsize=(7, 3))
axes.plot(pieces, carried, "o-", label="the state goes on")
axes.plot((8, 64), emptied, "x", ms=9, label="each piece begins with an empty state")
log_ticks(axes, pieces, xlabel="T, the length of a piece (characters)")
axes.set_xticks(pieces, pieces)
axes.set(ylabel="held-out loss (nats)", title="How far back must a gradient reach?")
axes.legend()
plt.show()
print("T      ", *(f"{T:5}" for T in pieces))
print("goes on", *(f"{nats:5.2f}" for nats in carried))
print("emptied", " " * 17, f"{emptied[0]:5.2f}", " " * 5, f"{emptied[1]:5.2f}")
for T in (1, 8):
    print(f"\nT = {T}, loss if it reads only the last", end=" ")
    far = (1, 2, 4, 8, 16, 64)
    print(*(f"{n}: {with_last(learned_from[T], n):.2f}" for n in far), sep="   ")

# %% [markdown]
# Begin with $T = 1$, in the course's own run. No gradient has ever come back through its state, and yet its loss has fallen from $\ln V = 3.61$ to 1.19. That
# is most of what any of these networks has learned. And it is not the last character alone: the line of $T = 1$ has 2.75 if the network may read one
# character, 1.88 with two, and 1.20 with eight. So it uses about eight characters of the past, although no gradient ever told it to keep them. How can that
# be? A state holds an echo of the last tokens before anybody has trained it (section 2). And the weights that *read* the state are trained without any way
# back.
#
# Gradients through time add the rest: 0.94 with $T = 8$, and 0.90 with 64. **This is our answer to *how could it learn that?*: most of it needs no gradient
# through time at all, and nearly all of the rest only a few steps.** (It is what they learn in 400 steps, with one seed. There the counts, with 0.59, are
# still far ahead. All networks have the rate of $T = 64$, and more rows at a time may help the short pieces.)
#
# And the crosses? Training with empty states costs much with $T = 8$, 1.10 against 0.94: in training, half of the characters had less than four characters
# before them, and the network never met a state that had read more than eight. How far back does the state reach at all? The last line says it for $T = 8$:
# 0.97 with the last eight characters, 0.95 with sixteen, 0.94 with 64. So from beyond sixteen characters there comes next to nothing. Is that also true of a
# verb and its noun? In section 8 your network will be asked.
#
# Your network goes into the gallery. It continues the same three prompts as your machine from chapter 01.

# %%
test_bytes = len(test_text.encode())
test_floor = None
if mine.name == "kitchen":
    test_floor = kitchen.nats_of_characters("test")[:test_some].mean()
gallery.keep(
    "05_lstm",
    model={"weights": my_model.state_dict(), "symbols": symbols, "sizes": [d, k]},
    text=mine.name,
    continuations={
        one: write(one, 0.8, length=160, seed=seed)[len(one) :]
        for seed, one in enumerate(gallery.prompts(mine))
    },
    bits_per_byte=test_nats["your LSTM"] * len(test_text) / math.log(2) / test_bytes,
    bits_above_floor=(test_nats["your LSTM"] - test_floor) / math.log(2)
    if test_floor
    else None,
    minutes=minutes,
    notes=f"your LSTM, {k} numbers of state, {my_steps:,} steps of gradient descent",
)

# %%
# NBVAL_IGNORE_OUTPUT
# (the day on which each model was kept stands in the table)
gallery.show(mine.name)
