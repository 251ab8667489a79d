# %% [markdown]
# ## 8. Do far places starve?
#
# A wide window has many weights to learn. Do the places far from the middle get anything to learn from? One might suspect that in a large window they "mostly
# see padding". In $Hx = \sum_k H_k x_k$, the place at offset $k$ has its own block $H_k$ of $m$ columns and its own part $x_k$ of the input. By the chain
# rule, with $g_z$ the gradient of $L$ at $z = d + Hx$, one example gives
#
# $$\frac{\partial L}{\partial H_k} = g_z\, x_k^\top .$$
#
# Where `PAD` stands, $x_k = 0$, and this block gets nothing from this example.

# %% [markdown] statement="norms_by_offset"
# ### How much does each place get?
#
# Torch's gradient of $H$ has its shape, $(h, nm)$. Its transpose, `hidden.weight.grad.T`, has the rows of section 4:
# $m$ rows for each place, one block under the other. Write
#
# - `norms_by_offset(gradient, c)`: for such a transposed gradient, $((2c+1)m, h)$, the length $\sqrt{\sum g^2}$ of each
#   place's block, from offset $-c$ to $c$;
# - `real_share(T, k)`: the share of words in a text of $T$ that *have* a word at offset $k$ (any sign).

# %% [markdown] hints="norms_by_offset"
# 1. Section 4 said which rows belong to which word. How wide is a block here?
# 2. The width follows from the shape: the number of rows, shared fairly among the places.
# 3. A block's norm does not care how its numbers are arranged, so give the matrix a shape in which each place has
#    exactly one axis of its own. For the share: which words of a text have none $k$ places to the right?


# %% task="norms_by_offset" points=3 level=2 minutes=14
def norms_by_offset(gradient, c):
    """The norm of each place's block of rows, shape (2c + 1,).

    gradient is a tensor ((2c + 1) m, h), perhaps a transposed view.
    """
    ### BEGIN SOLUTION
    return gradient.reshape(2 * c + 1, -1).norm(dim=1)
    ### END SOLUTION


def real_share(T, k):
    """The share of the words of a text of length T that have a word k places further on (k < 0: before)."""
    ### BEGIN SOLUTION
    return max(0, T - abs(k)) / T
    ### END SOLUTION


# %% test="norms_by_offset" aspect="one block for each place" points=1
_gradient = torch.zeros(6, 2)
_gradient[2:4] = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
_got = norms_by_offset(_gradient, 1)
assert np.shape(_got) == (3,), f"c = 1: three places, three norms; yours: {_got!r}."
_got = [round(float(norm), 4) for norm in _got]
assert _got[1] > 0, f"Rows 2 and 3 of 6 belong to the middle place; yours: {_got}."
assert _got[0] == _got[2] == 0, (
    f"Only rows 2 and 3 are not zero, so the outer norms are; yours: {_got}."
)


### BEGIN HIDDEN TESTS
def _one_place(rng, c, m, h):
    gradient, place = torch.zeros(2 * c + 1, m, h), rng.randrange(2 * c + 1)
    gradient[place] = 1 + rng.random()
    return gradient.reshape(-1, h)


_c = whole(0, 3, (10,))
agrees(
    norms_by_offset,
    ours.norms_by_offset,
    *(made(_one_place, _c, whole(2, 6, (1,)), whole(2, 6, (1, 40))), _c),
    by=lambda norms, *inputs: [float(norm) > 0 for norm in norms(*inputs)],
    mixtures=1,
)
### END HIDDEN TESTS

# %% test="norms_by_offset" aspect="root of the sum of squares" points=1
_got = norms_by_offset(torch.tensor([[3.0, -4.0], [0.0, 0.0], [5.0, 12.0]]), 1)
assert np.shape(_got) == (3,), f"c = 1: three places, three norms; yours: {_got!r}."
assert close(_got, [5, 0, 13], 1e-5), (
    f"The norms of (3, -4), (0, 0) and (5, 12) are 5, 0 and 13; yours: {_got}."
)
### BEGIN HIDDEN TESTS
_c = whole(0, 3, (10,))
_rows = made(lambda rng, c, m: (2 * c + 1) * m, _c, whole(2, 6, (1,)))
_gradient = tensor(_rows, whole(2, 6, (1, 40)), scale=choice(1, 1e-4))  # often small
for _by in (None, laid_out_otherwise):
    agrees(
        norms_by_offset,
        ours.norms_by_offset,
        *(_gradient, _c),
        by=_by,
        rtol=1e-4,
        atol=0,
        mixtures=1,
    )
### END HIDDEN TESTS

# %% test="norms_by_offset" aspect="who has a word there" points=1
for _k, _wanted in ((0, 1), (1, 0.75), (-1, 0.75), (4, 0), (-9, 0)):
    _got = real_share(4, _k)
    assert is_number(_got), f"real_share returns a number; yours: {_got!r}."
    assert close(_got, _wanted, atol=1e-6), (
        f"Of 4 words, a share {_wanted} has a word at {_k}; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_T = whole(1, 40)
_k = made(
    lambda rng, T: rng.choice((-1, 1)) * rng.randint(0, 2 * T + 1),
    _T,
    edges=[
        lambda rng, T, s=s, k=k: s * (T + k) for s in (-1, 1) for k in (-1, 0, 1, 2, 30)
    ],
)
agrees(real_share, ours.real_share, _T, _k, rtol=1e-5, atol=1e-6, mixtures=1)
_near = whole(-9, 9, (-1, 0, 1, 6))
agrees(real_share, ours.real_share, 7, _near, mixtures=0, rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %%
norms = torch.zeros(3, 21)
for seed in (1, 2, 3):
    set_seed(seed)
    fresh = WindowTagger(len(number) + 2, len(tag_names), 10).to(device)
    pick = shuffled(len(targets), 256, seed)
    for step in range(30):
        fresh.zero_grad()
        x, w = inputs[pick(step)].to(device), targets[pick(step)].to(device)
        F.cross_entropy(fresh(x), w).backward()
        norms[seed - 1] += norms_by_offset(fresh.hidden.weight.grad.cpu().T, 10) / 30

# %%
offsets = range(-10, 11)
lengths = [len(words) for words, _ in train_text]
expected = [
    100 * sum(T * real_share(T, k) for T in lengths) / sum(lengths) for k in offsets
]

# %% folded="draws places and gradients" alt="Left: the share of windows with a word at an offset falls in straight lines from 100 percent in the middle to a quarter at ten. Right: the norm of the gradient falls likewise, from 0.5 to 0.1."
_, (left, right) = plt.subplots(1, 2, figsize=(9, 3.3))
left.plot(offsets, 100 * (inputs > 0).double().mean(0), "o", label="counted")
left.plot(offsets, expected, color="gray", label="from the lengths")
left.set(
    xlabel="offset from the tagged word", ylabel="a word stands there, %", ylim=(0, 105)
)
left.legend(loc="lower center")
right.bar(offsets, norms.mean(0), color=plots.COLOURS[1])
right.plot(offsets, norms.T, "k.", markersize=3)
right.set(xlabel="offset from the tagged word", ylabel="norm of the gradient of H_k")
left.set_title("Far places are mostly empty ...", loc="left", fontsize=11)
right.set_title("... and get small gradients", loc="left", fontsize=11)
plt.show()

# %% [markdown]
# Ten words away, three places in four are empty (left). The blocks of these places get only about a fifth of the middle's
# gradient (right; untrained taggers, dots are three seeds). Padding is not the only reason. At ±1 nine places in ten hold a
# word, and yet the norm stays well below the middle's, probably because a neighbour tells less about the tag than the word
# itself.
#
# Do small gradients mean slow learning? Let plain gradient descent (SGD) and AdamW train, and measure two things: how far each block of $H$ has moved from
# where it began, and how often a gradient has the same sign as in the step before.


# %%
def movement(optimiser, rate, seed, rows=inputs, right=targets, steps=(5, 150)):
    """Trains a tagger with c = 10 and returns four things.

    For each of `steps`: how far each block of H has moved by then, divided by the middle's, (21,). The model. For each
    step but the first: the share of each block's gradients that have the sign of the step before, (149, 21). And for
    each step: how long the step of each block was, divided by the middle's, (150, 21).
    """
    set_seed(seed)
    model = WindowTagger(len(number) + 6, len(tag_names), 10).to(device)
    pick = shuffled(len(right), 256, seed)
    begin, found, kept, last = model.hidden.weight.detach().clone(), [], [], None
    lengths = []
    chosen = optimiser(model.parameters(), lr=rate)
    for step in range(max(steps)):
        chosen.zero_grad()
        x, w = rows[pick(step)].to(device), right[pick(step)].to(device)
        F.cross_entropy(model(x), w).backward()
        gradient = model.hidden.weight.grad.detach().clone()
        if last is not None:
            same = (gradient * last > 0).float().T.reshape(21, -1)
            kept.append(same.mean(1).cpu())
        last = gradient
        before = model.hidden.weight.detach().clone()
        chosen.step()
        now = model.hidden.weight.detach()
        length = norms_by_offset((now - before).cpu().T, 10)
        lengths.append(length / length[10])
        if step + 1 in steps:
            way = norms_by_offset((now - begin).cpu().T, 10)
            found.append(way / way[10])
    return found, model.to("cpu"), torch.stack(kept), torch.stack(lengths)


# %% alt="How far the blocks moved, relative to the middle. With SGD far places move a sixth as much as the middle, with AdamW about two thirds after 5 steps and a third after 150."
_, panels = plt.subplots(1, 2, sharey=True, figsize=(7, 2.2))
signs, lengths_of_steps = torch.zeros(3, 149, 21), torch.zeros(3, 150, 21)
for (name, optimiser, rate), colour in zip(
    (("SGD", torch.optim.SGD, 0.5), ("AdamW", torch.optim.AdamW, 0.01)),
    plots.COLOURS,
    strict=False,
):
    for seed in (1, 2, 3):
        ways = movement(optimiser, rate, seed)
        found, _, signs[seed - 1], lengths_of_steps[seed - 1] = ways
        for axes, way, steps in zip(panels, found, (5, 150), strict=True):
            both_sides = (way + way.flip(0))[10:] / 2
            axes.plot(both_sides, ".", color=colour, label=name if seed == 1 else None)
            axes.set(xlabel="words from the tagged one")
            axes.set_title(f"after {steps} steps", loc="left", fontsize=10)
panels[0].set(ylabel="distance moved / the middle's", ylim=(0, 1.05))
panels[1].legend(loc="upper right")
plt.show()

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
print("AdamW        gradients that keep their sign     length of a step,")
print("             middle       outermost             outermost / middle")
for first, last in ((2, 5), (6, 20), (21, 50), (101, 150)):
    part = signs[:, first - 2 : last - 1]
    middle_block, outermost = part[..., 10].mean(), part[..., [0, 20]].mean()
    length = lengths_of_steps[:, first - 1 : last, [0, 20]].mean()
    print(
        f"steps {first:3} to {last:3}: {middle_block:.0%}{outermost:16.0%}{length:22.2f}"
    )

# %% [markdown]
# A dot at 0.5 means that this block has moved half as far as the middle one (three seeds each; they nearly coincide). With SGD
# the outermost blocks move about a sixth as far. AdamW makes up for small gradients: after 5 steps, the outermost blocks have moved some seven
# tenths as far as the middle. After 150 steps they have moved only a third as far.
#
# The table tells why. In the first 20 steps, the gradients of the middle block mostly keep the sign that they had before: 77 % of them at first, then 60 %.
# So this block walks in one direction, and its steps are long, because little cancels in $\bar g$. In the outermost blocks hardly more than half of the
# gradients keep their sign, as if a coin were tossed each time. So their steps are shorter (in steps 6 to 20, 0.58 of the middle's), and they go forward and
# back. Later all blocks toss coins and take equally long steps, but by then the middle one is far ahead. So a part of what AdamW adds to the far blocks may
# be movement and not learning. We have not measured how much.

# %% [markdown]
# Are the far places starved, then? Or is there simply nothing to learn there? Here is a text in which we know that one far place matters: the planted one of
# section 7, whose cue stands 8 words before `THIS`. If far places starve, the block at offset $-8$ should move as little as its neighbours. We take plain
# gradient descent, with the learning rate of the figure above.

# %% alt="Distance moved by the blocks at offsets -10 to 10, after 150 steps of SGD. The ordinary and the planted text give the same curve, but for offset -8, where the planted one stands out like the block two places from the middle."
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
_, axes = plt.subplots(figsize=(7, 2.4))
this_errors = []
for (name, some, right), colour in zip(
    (("the text", inputs, targets), ("planted", all_inputs, all_targets)),
    plots.COLOURS,
    strict=False,
):
    for seed in (1, 2, 3):
        found, model, *_ = movement(torch.optim.SGD, 0.5, seed, some, right)
        mark = "x" if name == "planted" else "."
        axes.plot(
            offsets, found[1], mark, color=colour, label=name if seed < 2 else None
        )
        if name == "planted":
            this_errors.append(errors_of(model, 10)["THIS"])
axes.set(xlabel="offset from the tagged word", ylim=(0, 1.05), xticks=offsets[::2])
axes.set(ylabel="moved / the middle's")
axes.set_title("A far block moves if its words matter", loc="left", fontsize=11)
axes.legend()
plt.show()
print("wrong on THIS, three seeds:", *(f"{e:.1f} %" for e in sorted(this_errors)))

# %% [markdown]
# The two curves are the same, but for one place. On the planted text, the block at offset $-8$ moves 0.42 to 0.45 as far as the middle block: as far as the
# blocks at offsets $-2$ and 2. The blocks beside it, at $-9$ and $-7$, move 0.2 or less. And it has learned: only 2.2 to 3.8 % of the `THIS` words are wrong,
# with plain gradient descent and in 150 steps.
#
# Is that slower than for a near place? We plant the same cues in the same windows once more, but right before `THIS`, and we also plant fewer of them.


# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)
def wrong_on_this(count, back, seed):
    """Per cent of THIS wrong, after SGD with `count` planted windows, the cue `back` words before."""
    rows, right = plant(inputs, count, seed=1, back=back)
    far, far_right = plant(valid_inputs, 1000, seed=2, back=back)
    rows, right = torch.cat([inputs, rows]), torch.cat([targets, right])
    _, model, *_ = movement(torch.optim.SGD, 0.5, seed, rows, right, steps=(150,))
    return 100 * error_rate(model(far).argmax(1), far_right, far_right >= 0)


print("wrong on THIS, %, three seeds    cue at -8               cue at -1")
for count in (500, 1500, 5000):
    ends = []
    for back in (8, 1):
        three = sorted(wrong_on_this(count, back, seed) for seed in (1, 2, 3))
        ends.append("".join(f"{share:6.1f}" for share in three))
    print(f"{count:5,} planted windows:       {ends[0]}{ends[1]:>24}")

# %% [markdown]
# The cue eight words away is learned about as well as the one right before `THIS`, however many we plant: the two columns differ no more than the seeds do.
# So a block moves where there is something to learn, far away or not. The other far blocks move little mostly because far words say little about a tag. (Here
# the cue was always there. Where padding leaves a place empty, its block gets fewer examples to learn from, just as with fewer planted windows.)
