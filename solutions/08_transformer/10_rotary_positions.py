# %% [markdown]
# ## 12. Turning pairs
#
# A table of positions ends with the block, and says *where* a word stands, while grammar asks *how far apart* two words are. **Rotary positions** (J. Su et al.) turn queries and keys instead. Take two numbers of a query as an arrow in the plane and turn it by $m$ times an angle $\alpha$, where $m$ is its place; turn the key of place $n$ by $n \alpha$. The angle *between* them
# changed by $(m - n)\alpha$, so their product depends on the distance $m - n$ alone.
#
# By hand: the arrow $(3, 1)$, turned a quarter anticlockwise, is $(-1, 3)$. In general, turned by the angle $\theta$:
#
# $$x'_i = x_i \cos\theta - x_{i+D/2} \sin\theta \qquad x'_{i+D/2} = x_i \sin\theta + x_{i+D/2} \cos\theta$$

# %% [markdown] statement="rotate"
# Pair $i = 0, \dots, D/2 - 1$ of a head's $D$ numbers is $(x_i, x_{i + D/2})$, *not* two neighbours. At place $m = 0, 1, \dots$ it turns by $\theta_{mi} = m \cdot 10000^{-2i/D}$: the first pair quickly, for near words, the last slowly, for far ones.
#
# - `angles(T, D)`: $\theta$, shape $[T, D/2]$;
# - `rotate(x, theta)`: $[\dots, T, D]$ from $x$ of that shape, by the formulas above, no loop.

# %% [markdown] hints="rotate"
# 1. On paper: which of the two formulas gives the $-1$ of the example, which the 3?
# 2. Pair $i$'s partner stands half a vector further right.
# 3. Cut the last axis in the middle, into $a$ and $b$; both new halves use both old ones; join them along the last axis. A table of angles is
#    a column of places times a row of speeds.


# %% task="rotate" points=4 level=2 minutes=15
def angles(T, D):
    """theta [T, D/2], a tensor of floats: places 0 to T - 1."""
    ### BEGIN SOLUTION
    return torch.arange(T)[:, None] * 10_000.0 ** (-torch.arange(0, D, 2) / D)
    ### END SOLUTION


def rotate(x, theta):
    """[..., T, D] from x [..., T, D] and theta [T, D/2]."""
    ### BEGIN SOLUTION
    a, b = x.chunk(2, dim=-1)
    return torch.cat(
        [a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], dim=-1
    )
    ### END SOLUTION


# %% test="rotate" aspect="the table of angles" points=1
_sizes = ((5, 6),)
for _T, _D in _sizes:
    _got = angles(_T, _D)
    assert np.shape(_got) == (_T, _D // 2), (
        f"T = {_T}, D = {_D}: shape {_T, _D // 2} wanted; yours: {np.shape(_got)}."
    )
    assert torch.is_tensor(_got) and _got.is_floating_point(), (
        f"A tensor of floats is wanted; yours: {_got!r}."
    )
    for _m in range(_T):
        for _i in range(_D // 2):
            _wanted = _m / 10_000 ** (2 * _i / _D)
            assert close(_got[_m, _i], _wanted, 1e-4), (
                f"D = {_D}, place {_m}, pair {_i}: {_wanted:.5f} wanted; yours: {float(_got[_m, _i]):.5f}."
            )
### BEGIN HIDDEN TESTS
_D = made(lambda rng, half: 2 * half, whole(1, 15, (2, 4)))
agrees(angles, ours.angles, whole(1, 12, (2, 6000)), _D, rtol=1e-4, atol=1e-7)
### END HIDDEN TESTS

# %% test="rotate" aspect="all at once" points=1
_shapes = ((2, 4, 6),)
for _shape in _shapes:
    _T, _D = _shape[-2:]
    _x, _theta = (
        torch.randn(_shape).double(),
        torch.rand(_T, _D // 2).double() * 3 + 0.2,
    )
    _got = rotate(_x.clone(), _theta.clone())
    assert np.shape(_got) == _shape, (
        f"The shape of x, {_shape}, is wanted; yours: {np.shape(_got)}."
    )
    _turned = torch.complex(*_x.chunk(2, -1)) * torch.polar(
        torch.ones_like(_theta), _theta
    )
    assert close(_got, torch.cat([_turned.real, _turned.imag], -1), 1e-4, 1e-5), (
        f"x of shape {_shape}, random vectors and angles: some entries differ from the formula."
    )
### BEGIN HIDDEN TESTS
_T, _half, _kind = size("T"), size("pairs"), choice("float64", "float32")
_D = made(lambda rng, half: 2 * half, _half)
_theta = tensor(_T, _half, scale=2, kind=_kind)
for _axes in ((_T, _D), (size("B"), _T, _D)):
    agrees(
        rotate, ours.rotate, tensor(*_axes, kind=_kind), _theta, rtol=1e-4, atol=1e-5
    )
### END HIDDEN TESTS

# %% test="rotate" aspect="lengths stay" points=1
_x = torch.randn(3, 2, 5, 8).double()
_got = rotate(_x.clone(), 3 * torch.rand(5, 4).double())
assert np.shape(_got) == (3, 2, 5, 8), (
    f"[B, H, T, D] in, the same out; yours: {np.shape(_got)}."
)
assert close(_got.norm(dim=-1), _x.norm(dim=-1), 1e-4), (
    "Turning changes no length, but some of yours change."
)
_zero = rotate(_x.clone(), torch.zeros(5, 4).double())
assert close(_zero, _x, 1e-4, 1e-6), "With all angles zero nothing should change."
### BEGIN HIDDEN TESTS
_T, _half, _kind = size("T"), size("pairs"), choice("float64", "float32")
_D = made(lambda rng, half: 2 * half, _half)
_theta = tensor(_T, _half, scale=2, kind=_kind)
_x = tensor(size("B"), size("H"), _T, _D, kind=_kind)
agrees(rotate, ours.rotate, _x, _theta, rtol=1e-4, atol=1e-5)
### END HIDDEN TESTS

# %% test="rotate" aspect="only the distance counts" points=1
_theta = torch.as_tensor(angles(40, 8)).double()
assert _theta.shape == (40, 4), (
    f"T = 40, D = 8: angles of shape (40, 4) are wanted; yours: {tuple(_theta.shape)}."
)
_q, _k = torch.arange(1, 9).double(), torch.arange(8, 0, -1).double()
### BEGIN HIDDEN TESTS
_q, _k = torch.rand(8).double().cumsum(0) + 1, torch.rand(8).double().cumsum(0) + 1
_k = _k.flip(0)  # up and down: other pairs than half against half give something else
### END HIDDEN TESTS
_turned = [rotate(part.repeat(40, 1), _theta) for part in (_q, _k)]
assert np.shape(_turned[0]) == np.shape(_turned[1]) == (40, 8), (
    "x of shape (40, 8): the same is wanted back."
)
_scores = _turned[0] @ _turned[1].T
for _distance in (0, 1, 7, 30):
    _same = _scores.diagonal(_distance)
    assert close(_same, _same[0].expand_as(_same), 1e-3, 1e-3), (
        f"The same query and key, always {_distance} places apart, should always have the same product."
    )
_turn = torch.tensor([7 / 10_000 ** (i / 4) for i in range(4)]).double()
_a, _b = (
    torch.complex(*_q.chunk(2)),
    torch.complex(*_k.chunk(2)) * torch.polar(torch.ones(4).double(), _turn),
)
assert close(_scores[0, 7], (_a.conj() * _b).real.sum(), 1e-3, 1e-3), (
    f"The product of places 0 and 7 should be {(_a.conj() * _b).real.sum():.3f}; yours: {_scores[0, 7]:.3f}."
)

# %% folded="draws the turning pairs" alt="Two rows of three clocks. The hand of pair 0 turns by one radian from place to place, that of pair 1 by a tenth."
drawings.rotary(places=3)

# %% [markdown]
# Each place turns the first pair by 1 radian (57°), the second by a tenth of that ($D = 8$).
#
# "You can only handle positions up to the length you observed" (003). We trained small models on texts of 32 letters, 400 steps, with three kinds of position, three seeds each (recorded), and ask them about texts four times as long. Predict who fails beyond the dotted line:

# %% folded="draws losses beyond the trained length" alt="Loss by place, trained up to place 32. Beyond it rotary rises most, to 3 nats, learned places to 2.6, and sinusoids stay lowest at 2.2."
places = pd.read_csv(paths.DATA / "transformer" / "places.csv")
_, axes = plt.subplots()
for colour, (kind, found) in zip(plots.COLOURS, places.groupby("kind"), strict=False):
    table = found.pivot(index="first", columns="seed", values="nats")
    dots(axes, table.index + 8, table, colour, kind)
axes.axvline(32, color="gray", linestyle=":")
axes.set_xlabel("place in the text; trained up to the dotted line")
axes.set_ylabel("loss (nats per letter)")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Dots are three seeds. Before the line turning pairs are best. Beyond it, the table has rows that no training touched, and loses about half a nat; fixed sinusoids lose only a tenth. The surprise: rotary, with an angle for every place, loses most from the 48th on, 1.3 nats. A formula for every place is not enough: what the layers make of distances never seen is not trained either.
