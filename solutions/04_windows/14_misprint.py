# %% [markdown] statement="one_hot_slide"
# ## 15. The printed slide is wrong: find it
#
# A slide of F. Silvestri's lecture builds a network that predicts a word $w$ from $n$ others. Its input, the slide says, is "a concatenation of $w$ with each
# context word", each as a one-hot vector. One layer leads from it to $|V|$ scores, and so it has $(n+1)|V|^2 + |V|$ parameters. With $n = 10$
# that is 11,001,000 for $10^3$ words, and 110,000,100,000 for $10^5$. Something stands in this input that must not be
# there. Write
#
# - `repaired_parameters(V, n)`: the number of weights and biases without it;
# - `leaks(rows, targets)`: the columns of `rows` that equal `targets` in every row: a check for any data set.

# %% [markdown] hints="one_hot_slide"
# 1. Which word do we want to guess, and which word is in the input?
# 2. Each of the remaining words is $|V|$ numbers long, and each number meets every output.
# 3. Count weights, then one bias for each output. A column is suspicious if no row contradicts it: compare it with the
#    targets as a whole.


# %% task="one_hot_slide" points=3 level=2 minutes=11
def repaired_parameters(V, n):
    """Weights and biases of one layer from n one-hot words to V scores, without the word to guess."""
    ### BEGIN SOLUTION
    return n * V**2 + V
    ### END SOLUTION


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    ### BEGIN SOLUTION
    return [
        column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()
    ]
    ### END SOLUTION


# %% test="one_hot_slide" aspect="the word to guess left out" points=1
_got = repaired_parameters(10, 2)
assert is_number(_got), f"repaired_parameters returns a number; yours: {_got!r}."
assert _got < 310, (
    f"V = 10, n = 2: the slide would say 310, with the word to guess in the input; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_V, _n = whole(1, 90, (1000, 100_000)), whole(1, 10, (2,))
agrees(repaired_parameters, ours.repaired_parameters, _V, _n)
### END HIDDEN TESTS

# %% test="one_hot_slide" aspect="columns that give it away" points=2
_rows = torch.tensor([[5, 1, 3], [2, 1, 4], [3, 1, 3]])
_got = leaks(_rows, torch.tensor([3, 4, 3]))
assert hasattr(_got, "__iter__"), f"leaks returns a list of columns; yours: {_got!r}."
assert list(_got) == [2], (
    f"Only the last column equals the targets 3 4 3 everywhere; yours: {_got}."
)
assert list(leaks(_rows, torch.tensor([3, 4, 5]))) == [], (
    "One row that differs clears a column: no leak here."
)


### BEGIN HIDDEN TESTS
def _columns(rng, targets, kinds):
    """Columns that equal the targets, or differ in one row, or in their order only."""
    columns, N = [], len(targets)
    for kind in kinds:
        column = targets.roll(1) if kind == "turned" else targets.clone()
        row = {"first": 0, "last": N - 1, "any": rng.randrange(N)}.get(kind)
        if row is not None:
            column[row] += rng.choice((-1, 1))
        columns.append(column)
    return torch.stack(columns, 1)


_all = ["same", "first", "last", "any", "turned"]
_kinds = made(
    lambda rng, n: rng.choices(_all, k=n),
    whole(2, 6, (1, 40)),
    edges=[_all, ["same"] * 3, lambda rng, n: ["any"] * n],
)
for _N in (whole(2, 9, (1,)), 1500):
    _y = made(  # only whole numbers tell large ones apart
        lambda rng, least, y: least + y, choice(1, 20_000_000), ids(_N, below=4)
    )
    agrees(
        leaks,
        ours.leaks,
        *(made(_columns, _y, _kinds), _y),
        by=lambda leaks, *inputs: sorted(int(column) for column in leaks(*inputs)),
        mixtures=1,
    )
### END HIDDEN TESTS

# %%
print(
    f"printed: {11 * 1000**2 + 1000:,}, and {4e-9 * (11 * 10**10 + 10**5):.0f} GB for 100,000 words in float32"
)
print(
    f"repaired: {repaired_parameters(1000, 10):,}; with vectors: {bengio_parameters(1000, 10, 60, 50):,}"
)
leaky = torch.cat([contexts, next_words[:, None]], 1)
print(
    "columns that leak:", leaks(contexts, next_words), "and", leaks(leaky, next_words)
)

# %% [markdown]
# With learned vectors and a hidden layer, the model has 741,050 numbers, a thirteenth of what the repaired slide has.
#
# Does a leak show in training? We give one model the honest context of two words, and another one the word to guess as
# a third.

# %%
curves = {"the words before": [], "with the word to guess": []}
for seed in (1, 2, 3):
    for found, rows in zip(curves.values(), (contexts, leaky), strict=True):
        _, history = train_lm(rows.shape[1], seed, 80, rows, next_words, batch=128)
        found.append(history["train loss"])

# %% folded="draws both learning curves" alt="Loss over 80 steps from three seeds. With the words before it ends near 3.8 nats; with the word to guess among the inputs it falls below the dashed floor."
_, axes = plt.subplots(figsize=(7, 2))
for (name, found), colour in zip(curves.items(), plots.COLOURS, strict=False):
    for losses in found:
        axes.plot(history["step"], losses, color=colour)
    axes.plot([], color=colour, label=f"{name} (three seeds)")
axes.axhline(
    floor.nats, color="black", linestyle="--", label="floor (held-out stories)"
)
axes.set(xlabel="step", ylabel="loss (nats per token)", ylim=(0, 8))
axes.legend(fontsize=10, loc="upper right")
plt.show()

# %% [markdown]
# The loss of the second model falls below the floor, which means below what the language itself allows (on the training stories the floor is 1.57 nats, too),
# and it does so before any example has been seen twice. That is no triumph but a leak. Remember what made it visible: we know the floor. On real text the
# same curve would only have looked very good. (After many passes a *training* loss can fall below the floor, because the model has memorised the text. A
# held-out loss cannot, apart from luck. If it does, look for a leak.)
#
# Back to the window. It sees $n$ words and no more than $n$. How hard is that limit?
