# %% [markdown]
# ## 8. Far places starve
#
# A wide window has many weights to learn. Do the places far from the middle get anything to learn from? The unsigned lecture
# suspects that for large windows they "mostly see padding". In $Hx = \sum_k H_k x_k$, the place at offset $k$ has its
# own block $H_k$ of $m$ columns and its own part $x_k$ of the input. By the chain rule, with $g_z$ the gradient of $L$
# at $z = d + Hx$, one example gives
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
# Do small gradients mean slow learning? Not with every optimiser. We let plain gradient descent (SGD) and AdamW train,
# and measure how far each block of $H$ has moved from where it began.


# %%
def movement(optimiser, rate, seed, steps=(5, 150)):
    """After so many steps: the distance that each block of H has moved, divided by that of the middle block."""
    set_seed(seed)
    model = WindowTagger(len(number) + 2, len(tag_names), 10).to(device)
    pick = shuffled(len(targets), 256, seed)
    begin, found = model.hidden.weight.detach().clone(), []
    chosen = optimiser(model.parameters(), lr=rate)
    for step in range(max(steps)):
        chosen.zero_grad()
        x, w = inputs[pick(step)].to(device), targets[pick(step)].to(device)
        F.cross_entropy(model(x), w).backward()
        chosen.step()
        if step + 1 in steps:
            moved = (model.hidden.weight.detach() - begin).cpu()
            way = norms_by_offset(moved.T, 10)
            found.append(way / way[10])
    return found


# %% alt="How far the vectors moved, relative to the middle. With SGD far places move a fifth as much as the middle, with AdamW about two thirds after 5 steps and two fifths after 150."
_, panels = plt.subplots(1, 2, sharey=True, figsize=(7, 2.2))
for (name, optimiser, rate), colour in zip(
    (("SGD", torch.optim.SGD, 0.5), ("AdamW", torch.optim.AdamW, 0.01)),
    plots.COLOURS,
    strict=False,
):
    for seed in (1, 2, 3):
        found = movement(optimiser, rate, seed)
        for axes, way, steps in zip(panels, found, (5, 150), strict=True):
            both_sides = (way + way.flip(0))[10:] / 2
            axes.plot(both_sides, ".", color=colour, label=name if seed == 1 else None)
            axes.set(xlabel="words from the tagged one")
            axes.set_title(f"after {steps} steps", loc="left", fontsize=10)
panels[0].set(ylabel="distance moved / the middle's", ylim=(0, 1.05))
panels[1].legend(loc="upper right")
plt.show()

# %% [markdown]
# A dot at 0.5 means that this block has moved half as far as the middle one (three seeds each; they nearly coincide). With SGD
# the outermost blocks move about a sixth as far. AdamW makes up for small gradients: after 5 steps, the outermost blocks have moved some seven
# tenths as far as the middle.
#
# After 150 steps they have moved only a third as far. A likely reason is in the formula: where the gradients of a weight keep flipping their sign, the
# running mean $\bar g$ is nearly 0, and so is AdamW's step. So the lecture's worry, weights that hardly move, is real for plain gradient descent and weaker
# for AdamW. But to move little is not to learn little: where a far word matters, as the planted cue of section 7 does, plain gradient descent learned it in
# the same 150 steps: at a learning rate of 3, the tagger of section 7 with $c = 10$ had 0.9 % of these wrong.
