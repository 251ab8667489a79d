# %% [markdown]
# ## 5. A picture is a row of patches
#
# A picture has no words. A. Dosovitskiy and others (2021) found a way in: cut it into square *patches*, project each to a vector, and hand these vectors to a Transformer where it expects embeddings. This is the **Vision Transformer**.
#
# Is a patch a *token*, then? Many people call it so, but be careful with the word. In chapters 1 to 10 a token was one of $V$ symbols, and a model could say $\ln P$ of each. A patch is a list of 48 numbers, any numbers. There is no list of all patches, so there is no softmax over them, and "what is $\ln P$ of the next patch?" has no answer in this model. Patches only go *in*; what comes out is the name of a shape. We call them **inputs**, and keep "token" for what can be predicted.
#
# Can one have real tokens of a picture, so that a model can *write* one? Yes: make a finite list first. Section 8 does the simplest thing, the brightness of a patch in eight steps. A better list is learned: A. van den Oord and others (2017) train a codebook of, say, 512 vectors, and replace each patch by the number of the vector that is nearest to it. Then a picture is a row of whole numbers below 512, and every model of chapter 8 can learn to write pictures.
#
# | letter | what |
# |---|---|
# | $B$ | pictures in a batch |
# | $C$ | colours, here 3 |
# | $H, W$ | rows and columns of pixels |
# | $p$ | pixels on each side of a patch |
# | $T$ | patches, $T = HW / p^2$ |
# | $n$ | numbers in a patch, $n = p^2 C$ |
# | $d$ | numbers in an embedding |

# %% folded="draws the patches" alt="An image of six coloured patches is cut into a row of six columns of numbers; each is multiplied by a matrix and goes into a Transformer."
drawings.patches()

# %% [markdown]
# The order is a convention, but one has to keep to one. Ours: patches are read like a page, row by row, each from the left. Within a patch, pixels are read the same way, and each pixel gives its $C$ colours:
#
# $$\text{patch}[b,\ i \tfrac{W}{p} + j,\ (r p + s)\, C + c] = \text{image}[b,\ c,\ i p + r,\ j p + s] , \qquad 0 \le r, s < p .$$
#
# So $i, j$ say which patch, $r, s$ which pixel of it, and $c$ which colour.

# %% [markdown] statement="patchify"
# - `patchify(images, p)`: a tensor `images` $[B, C, H, W]$ → patches $[B, T, n]$, of the same kind of numbers. If $p$ does not divide both $H$ and $W$, raise `ValueError`.
# - `unpatchify(patches, p, H, W)`: patches $[B, T, n]$ → images $[B, C, H, W]$, again of the same kind of numbers. How many colours there are follows from $n$.

# %% [markdown] hints="patchify"
# 1. Chapter 6 cut vectors into heads: a `reshape` that only splits axes, a `permute`, and a `reshape` that only joins neighbours.
# 2. Split $H$ into $(H/p, p)$ and $W$ into $(W/p, p)$. Which six axes do you have now, and in which order does the formula want them?
# 3. The way back is the same three steps from the end: split, permute back, join. Write the name of each axis beside each line.


# %% task="patchify" points=3 level=2 minutes=16
def patchify(images, p):
    """Images [B, C, H, W] -> patches [B, HW/p², p²C]; ValueError if p does not divide H and W."""
    ### BEGIN SOLUTION
    B, C, H, W = images.shape
    if H % p or W % p:
        raise ValueError(f"Patches of {p} x {p} pixels do not fill {H} x {W} pixels.")
    x = images.reshape(B, C, H // p, p, W // p, p)  # b c i r j s
    return x.permute(0, 2, 4, 3, 5, 1).reshape(B, (H // p) * (W // p), p * p * C)
    ### END SOLUTION


def unpatchify(patches, p, H, W):
    """Patches [B, HW/p², p²C] -> images [B, C, H, W]."""
    ### BEGIN SOLUTION
    B, _, n = patches.shape
    x = patches.reshape(B, H // p, W // p, p, p, n // p**2)  # b i j r s c
    return x.permute(0, 5, 1, 3, 2, 4).reshape(B, n // p**2, H, W)
    ### END SOLUTION


# %% family="patchify"
_C, _p = size("C"), size("p", most=4, large=None)
_rows, _columns = [size(name, most=5, large=None) for name in ("rows", "columns")]
_H, _W = [made(lambda rng, n, p: n * p, n, _p) for n in (_rows, _columns)]

# %% test="patchify" aspect="pixels where the formula wants them" points=1
_image = torch.arange(24).reshape(1, 1, 4, 6)
_got = patchify(_image.clone(), 2)
assert close(
    _got,
    [
        [
            [0, 1, 6, 7],
            [2, 3, 8, 9],
            [4, 5, 10, 11],
            [12, 13, 18, 19],
            [14, 15, 20, 21],
            [16, 17, 22, 23],
        ]
    ],
), (
    f"One colour, 4 rows of 6 pixels, numbered from 0, p = 2: the first patch is 0, 1, 6, 7. Yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_images = tensor(
    *(size("B"), _C, _H, _W), scale=1e9, kind=choice("float32", "float64", "int64")
)
agrees(patchify, ours.patchify, _images, _p, strict=True)
### END HIDDEN TESTS

# %% test="patchify" aspect="and back" points=1
_patches = torch.tensor([[[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]])
_got = unpatchify(_patches.clone(), 2, 2, 6)
assert close(_got, torch.arange(12).reshape(1, 1, 2, 6)), (
    f"Three patches of one colour side by side, H, W = 2, 6, numbered by pixel from 0: 0 to 11 in order wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_T = made(lambda rng, rows, columns: rows * columns, _rows, _columns)
_numbers = made(lambda rng, C, p: p * p * C, _C, _p)
_kind = choice("float32", "float64", "int64", "int32")
_patches = tensor(size("B"), _T, _numbers, scale=1e9, kind=_kind)
agrees(unpatchify, ours.unpatchify, _patches, _p, _H, _W, strict=True)
### END HIDDEN TESTS

# %% test="patchify" aspect="patches that do not fit" points=1
for _H, _W, _p in [
    (4, 5, 2),
]:
    try:
        _got = patchify(torch.zeros(2, 3, _H, _W), _p)
    except ValueError:
        continue
    assert False, (
        f"H, W = {_H, _W}, p = {_p}: ValueError wanted; yours: {tuple(getattr(_got, 'shape', ()))}."
    )
### BEGIN HIDDEN TESTS
_B, _H, _W = size("B", large=None), size("H", most=9), size("W", most=9)
_p = whole(1, 6, (2, 4))
agrees(
    patchify, ours.patchify, tensor(_B, 2, _H, _W), _p, raises=ValueError, mixtures=60
)
### END HIDDEN TESTS

# %% [markdown] statement="three_ways"
# ### Three ways, one number
#
# *Project each patch to a vector*: with a matrix $E\ [d, n]$ that is patches times $E^\top$. People who built it wrote a convolution instead. Is that the same? Make sure, in three ways:
#
# - `by_unfold(images, p)`: what `patchify` gives, $[B, T, n]$, from `F.unfold(images, p, stride=p)`. Beware: unfold puts numbers in another order.
# - `one_hot_kernels(C, p)`: kernels $[n, C, p, p]$, each 1 at one place and 0 elsewhere, so that `F.conv2d(images, kernels, stride=p)`, $[B, n, H/p, W/p]$, holds the numbers of each patch in the order of `patchify`.
# - `as_kernels(E, C, p)`: kernels $[d, C, p, p]$, of the same kind of numbers as $E$, so that the same convolution gives the *projected* patches.
#
# Sides here are multiples of $p$.

# %% [markdown] hints="three_ways"
# 1. What is the shape of `F.unfold`'s result? Try it on a picture with two colours whose pixels are numbered.
# 2. A convolution without overlap multiplies each patch with a kernel and adds up. Which kernel reads out the single number $(rp + s)C + c$?
# 3. Row $i$ of $E$ holds a weight for each number of a patch, in our order. A kernel holds the same weights as $[C, p, p]$. What is `one_hot_kernels` if $E$ is the unit matrix?


# %% task="three_ways" points=3 level=2 minutes=16
def by_unfold(images, p):
    """Images [B, C, H, W] -> patches [B, HW/p², p²C], by F.unfold."""
    ### BEGIN SOLUTION
    B, C, _, _ = images.shape
    x = F.unfold(images, p, stride=p)  # [B, C p p, T]
    T = x.shape[2]
    return x.reshape(B, C, p * p, T).permute(0, 3, 2, 1).reshape(B, T, p * p * C)
    ### END SOLUTION


def one_hot_kernels(C, p):
    """Kernels [p²C, C, p, p]: kernel i reads out number i of a patch."""
    ### BEGIN SOLUTION
    return as_kernels(torch.eye(p * p * C), C, p)
    ### END SOLUTION


def as_kernels(E, C, p):
    """A projection E [d, p²C] of patches, as kernels [d, C, p, p] of a convolution."""
    ### BEGIN SOLUTION
    return E.reshape(len(E), p, p, C).permute(0, 3, 1, 2)
    ### END SOLUTION


# %% test="three_ways" aspect="unfold, in our order" points=1
_images = torch.arange(16.0).reshape(1, 2, 2, 4)
_got = by_unfold(_images.clone(), 2)
assert close(_got, [[[0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]]]), (
    f"Two colours (0 to 7, 8 to 15) of 2 rows of 4 pixels: the first patch is 0, 8, 1, 9, 4, 12, 5, 13. Yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_C, _p = size("C"), size("p", most=4, large=None)
_rows, _columns = [size(name, most=5, large=None) for name in ("rows", "columns")]
_H, _W = [made(lambda rng, n, p: n * p, n, _p) for n in (_rows, _columns)]
agrees(by_unfold, ours.by_unfold, tensor(size("B"), _C, _H, _W), _p)
### END HIDDEN TESTS

# %% test="three_ways" aspect="kernels that read one number" points=1
_got = one_hot_kernels(2, 1)
assert close(_got, torch.eye(2).reshape(2, 2, 1, 1)), (
    f"C = 2, p = 1: kernel 0 reads colour 0, kernel 1 colour 1; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_C, _p = size("C", large=None), size("p", most=4, large=None)
agrees(one_hot_kernels, ours.one_hot_kernels, _C, _p)
_side = made(lambda rng, p: 3 * p, _p)
agrees(
    one_hot_kernels,
    ours.one_hot_kernels,
    _C,
    _p,
    tensor(2, _C, _p, _side),
    by=lambda kernels, C, p, images: F.conv2d(images, kernels(C, p), stride=p),
)
### END HIDDEN TESTS

# %% test="three_ways" aspect="a projection is a convolution" points=1
_E = torch.tensor([[1.0, 10, 100, 1000]])
_got = as_kernels(_E.clone(), 1, 2)
assert close(_got, [[[[1, 10], [100, 1000]]]]), (
    f"One colour, p = 2: the kernel [[1, 10], [100, 1000]] wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_C, _p = size("C"), size("p", most=4, large=None)
_numbers = made(lambda rng, C, p: p * p * C, _C, _p)
_E = tensor(size("d"), _numbers, kind=choice("float32", "float64"))
agrees(as_kernels, ours.as_kernels, _E, _C, _p, strict=True, rtol=0, atol=0)
### END HIDDEN TESTS

# %%
images, kinds = anything.shapes(8, seed=1)
E = torch.randn(5, 48)
one = patchify(images, 4) @ E.T
two = by_unfold(images, 4) @ E.T
three = F.conv2d(images, as_kernels(E, 3, 4), stride=4).flatten(2).transpose(1, 2)
print(
    "the same numbers in three ways:",
    close(one, two, atol=1e-4) and close(one, three, atol=1e-4),
)

# %% folded="draws five of the pictures" alt="Five noisy pictures with a grid of 16 patches upon them: a disk, a triangle, two crosses and a square."
_, axes = plt.subplots(1, 5, figsize=(10, 2.2))
for ax, image, kind in zip(axes, images, kinds, strict=False):
    ax.imshow(image.permute(1, 2, 0))
    ax.set(
        title=anything.SHAPES[kind],
        xticks=np.arange(3.5, 15, 4),
        yticks=np.arange(3.5, 15, 4),
    )
    ax.tick_params(labelleft=False, labelbottom=False)
    ax.grid(True, axis="both", color="white", linewidth=1.5, alpha=1)
plt.show()

# %% [markdown]
# So the claim that a Vision Transformer has no convolutions is not quite true: its first layer is one, with a stride as large as its kernel.

# %% [markdown]
# What is won by attention over patches? Above are drawn shapes, 16 by 16 pixels, with the lines along which $p = 4$ cuts them into $T = 16$ patches of $n = 48$ numbers; place, size and colours differ each time. Four models learned which shape it is, each for the same ten seconds of CPU time (recorded: `python -m benchmarks.record.pictures`):
#
# - *linear*: one matrix on all 768 numbers;
# - *no places*: two encoder layers (chapter 7) over the patches, without positions;
# - *places*: the same, with a learned vector for each place;
# - *convolution*: two layers of small kernels, each slid over all pixels.
#
# Predict their order with 250 pictures and with 4,000.

# %% folded="draws right answers by number of pictures" alt="Share right over pictures learned from: convolution is best with few, the two with patches catch up at 4,000, and the linear model stays below one half."
table = pd.read_csv(paths.DATA / "anything" / "pictures.csv")
_, axes = plt.subplots(figsize=(9, 3.6))
names = ["linear", "no places", "places", "convolution"]
for name, colour in zip(names, plots.COLOURS, strict=False):
    rows = table[table["model"] == name].pivot(
        index="pictures", columns="seed", values="right"
    )
    plots.dots(axes, list(rows.index), rows.to_numpy(), colour, name)
axes.axhline(1 / 4, color="gray", linestyle="--", linewidth=1, label="guessing")
sizes = sorted({*table["pictures"]})
plots.log_ticks(
    axes,
    sizes,
    xlabel="pictures learned from",
    ylabel="share of new ones right",
    ylim=(0, 1.03),
)
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()
table.groupby("model", sort=False)[["weights", "steps"]].median().astype(int).T

# %% [markdown]
# The linear model knows a shape only where it has seen it; it stays below one half. The Transformer reaches 98 % with 4,000 pictures. The surprise is that it
# does so *without* places, and with few pictures it is even a little better in most trainings. Perhaps the positions are one more thing to learn, and this
# question can be answered without them, because corners and edges look the same wherever they lie.
#
# Is that so for every question? Ask two models of these two kinds not *what* the picture shows but *where*: in which quarter of the picture is the middle of
# the shape? Guessing would be right one time in four. Predict the two numbers, then run the cell.

# %%
# NBVAL_IGNORE_OUTPUT
# (on another CPU a training ends a little differently)


def quarter(images):
    """In which quarter of each picture the middle of the bright pixels is, 0 to 3: [B]."""
    bright, along = (images.mean(1) > 0.5).float(), torch.arange(16.0)
    size = bright.sum((1, 2)).clamp(min=1)
    down, right = (bright * along[:, None]).sum((1, 2)), (bright * along).sum((1, 2))
    return 2 * (down / size > 7.5).long() + (right / size > 7.5).long()


pictures, new = anything.shapes(1000, seed=3)[0], anything.shapes(1000, seed=4)[0]
for name, places in (("no places", False), ("places", True)):
    set_seed(1)
    reader = anything.PatchReader(16, 48, kinds=4, places=places)
    optimiser = torch.optim.Adam(reader.parameters(), 0.003)
    x, y = patchify(pictures, 4) - 0.5, quarter(pictures)
    for _ in range(200):
        pick = torch.randint(len(x), (64,))
        optimiser.zero_grad()
        F.cross_entropy(reader(x[pick]), y[pick]).backward()
        optimiser.step()
    with torch.no_grad():
        share = (
            (reader(patchify(new, 4) - 0.5).argmax(1) == quarter(new)).float().mean()
        )
    print(f"{name:10} {share:.0%} of 1,000 new pictures right")

# %% [markdown]
# There it is. A Transformer without positions sees a *bag* of patches: it knows which patches there are, and not where. (This one looks at all patches at once, without a causal mask, so nothing tells it about the order.) It can name a shape from its corners, and it can hardly do better than guess where the shape is.

# %% [markdown]
# Back to the figure, to the curve on top. The convolution needs a quarter of the pictures, with a sixth of the weights: 7,140 against about 40,000 (the table under the figure). In fairness, it also made twice as many steps in its ten seconds. That neighbouring pixels belong together and that a corner is a corner everywhere is built into a convolution, and the others must learn it. Dosovitskiy and others found the same with photographs: their Transformer lost after 1.3 million of them, drew level after 14 million and won after 300 million.
