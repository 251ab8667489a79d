# %% [markdown]
# ## 7. Any number, in bins
#
# A robot's joint wants a number, not a word. RT-1 (Brohan and others, 2022) cuts the range of each command into 256 equal *bins* and predicts the number of the bin, as if it were a word. Where most values are small, bins may be finer near 0: WaveNet (van den Oord and others, 2016) and Gato (Reed and others, 2022) first bend the range with the $\mu$-law of old telephones. For $-1 \le x \le 1$:
#
# $$g(x) = \operatorname{sign}(x)\, \frac{\ln(1 + \mu |x|)}{\ln(1 + \mu)} , \qquad g(x) = x \ \text{ for } \mu = 0 .$$

# %% [markdown]
# Bin $k$ of $K$ holds the $x$ with $-1 + \frac{2k}{K} \le g(x) < -1 + \frac{2(k+1)}{K}$; the last bin also holds $x = 1$. Read back, a bin is the one $x$ whose $g(x)$ lies in its middle.

# %% [markdown] statement="to_bins"
# - `to_bins(x, K, mu=0)`: a tensor of floats, any shape → numbers of bins, `torch.int64`, same shape. What lies outside $[-1, 1]$, infinities too, goes into the first or the last bin.
# - `from_bins(k, K, mu=0)`: numbers of bins, a tensor of any shape → what they are read back as, floats, same shape.
# - `worst_error(K, mu=0)`: the smallest bound that is never broken: $|x - \text{what is read back}| \le$ this number, for all $x$ from $-1$ to $1$.
#
# $\mu \ge 0$ and $K \ge 1$.

# %% [markdown] hints="to_bins"
# 1. With $K = 4$ and $\mu = 0$: where are the three inner edges, and in which bin is $x = 0$ itself?
# 2. `floor`, not truncation and not rounding; `clamp` both $x$ before and the bin after. The inverse: $|x| = ((1 + \mu)^{|g|} - 1) / \mu$.
# 3. With $\mu > 0$, the bins are widest at the ends. How far is the middle (in $g$) of the last bin from $x = 1$, and how far from its other edge?


# %% task="to_bins" points=3 level=2 minutes=20
def to_bins(x, K, mu=0):
    """Numbers [...] -> which of K bins each is in, int64 [...]."""
    ### BEGIN SOLUTION
    x = x.clamp(-1, 1)
    g = x.sign() * (mu * x.abs()).log1p() / math.log1p(mu) if mu else x
    return ((g + 1) / 2 * K).floor().clamp(0, K - 1).long()
    ### END SOLUTION


def from_bins(k, K, mu=0):
    """Numbers of bins [...] -> the value in the middle of each, floats [...]."""
    ### BEGIN SOLUTION
    g = (2 * k + 1) / K - 1
    return g.sign() * (g.abs() * math.log1p(mu)).expm1() / mu if mu else g
    ### END SOLUTION


def worst_error(K, mu=0):
    """The largest |x - from_bins(to_bins(x))| for x in -1..1."""
    ### BEGIN SOLUTION
    g = 1 - 1 / K
    return 1 - (math.expm1(g * math.log1p(mu)) / mu if mu else g)
    ### END SOLUTION


# %% test="to_bins" aspect="edges and ends" points=1
_x = torch.tensor([-1, -0.6, -0.5, 0, 0.25, 0.5, 1])
_got = to_bins(_x.clone(), 4)
assert close(_got, [0, 0, 1, 2, 2, 3, 3]), (
    f"-1, -.6, -.5, 0, .25, .5, 1 in 4 equal bins: 0 0 1 2 2 3 3 wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_K, _mu = whole(1, 256, (2, 3, 8, 255)), choice(0, 255, 1, 100, 0.5)


def _inside(rng, shape, K, mu, kind):
    """Numbers in any bin, near its edges but not on them, and numbers beyond both ends."""
    g = torch.zeros(shape, dtype=torch.float64)
    for place in range(g.numel()):
        share = rng.choice([0.02, 0.5, 0.98, rng.uniform(0.02, 0.98)])
        g.view(-1)[place] = 2 * (rng.randrange(K) + share) / K - 1
    x = g.sign() * ((1 + mu) ** g.abs() - 1) / mu if mu else g
    far = x.sign() * rng.choice([1.0, 1.001, 7.0, math.inf])
    chosen = torch.tensor(
        [rng.random() < 0.2 for _ in range(g.numel())], dtype=torch.bool
    )
    return torch.where(chosen.view(shape) & (x != 0), far, x).to(kind)


_shape = made(lambda rng, *sizes: sizes, size("rows", least=0), size("columns"))
_kind = choice(torch.float32, torch.float64)
_x = made(_inside, choice(_shape, (), (0,), (7,)), _K, _mu, _kind)
agrees(to_bins, ours.to_bins, _x, _K, _mu, strict=True)
_x = torch.linspace(-0.99997, 0.99997, 10)
agrees(to_bins, ours.to_bins, _x, 10_000, choice(0, 255), mixtures=0)
for _K, _mu in itertools.product((2, 4, 256), (0, 255)):
    _got = to_bins(torch.tensor([0.0, -0.0, 1.0, -1.0]), _K, _mu)
    assert close(_got, [_K // 2, _K // 2, _K - 1, 0]), (
        f"K = {_K}, mu = {_mu}: x = 0 belongs to the bin above it, {_K // 2}, 1 to the last; yours: {_got!r}."
    )
_near = torch.tensor([0.5 - 1e-12, 0.5, -1e-12], dtype=torch.float64)
agrees(to_bins, ours.to_bins, _near, 4, mixtures=0)
_got = to_bins(torch.tensor([-0.75, -0.25, 0.0, 0.24999, 0.75, 0.999, 1]), 8)
assert close(_got, [1, 3, 4, 4, 7, 7, 7]), (
    f"K = 8: an edge belongs to the bin above it: 1 3 4 4 7 7 7 wanted; yours: {_got!r}."
)
### END HIDDEN TESTS

# %% test="to_bins" aspect="the middle of a bin" points=1
_got = from_bins(torch.tensor([0, 1, 2, 3]), 4)
assert close(_got, [-0.75, -0.25, 0.25, 0.75], 1e-5), (
    f"4 equal bins: -.75, -.25, .25, .75 wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_K, _mu = whole(1, 256, (2, 3)), choice(0, 255, 1, 100, 0.5)
_bins = [ids(*axes, below=_K) for axes in ((), (size("bins", 0),), (2, size("more")))]
agrees(from_bins, ours.from_bins, choice(*_bins), _K, _mu, rtol=1e-4, atol=1e-5)
_got = from_bins(torch.tensor([0]), 1)
assert _got.is_floating_point(), f"Floats wanted; yours: {_got.dtype}."
### END HIDDEN TESTS

# %% test="to_bins" aspect="the worst error" points=1
_got = worst_error(10)
assert is_number(_got) and close(_got, 0.1), (
    f"10 equal bins: 0.1 wanted; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
_mu = number(0.1, 300.0, (0, 0.5, 10, 255))
agrees(worst_error, ours.worst_error, whole(1, 256, (2, 3)), _mu, rtol=1e-4)
### END HIDDEN TESTS

# %% [markdown]
# A hand draws a circle in 200 steps, by an arm with two joints. Three robots get their commands in bins:
#
# - *angles*: the two angles of each step, from $-\pi$ to $\pi$;
# - *changes*: by how much each angle changes; the robot adds them up;
# - *changes, looking*: the same, but each change is chosen from where the arm *is*, not from where it should be.
#
# A command is wrong by at most half a bin, that is, by $1/(2K)$ of the range that is cut. Predict which robot strays least.


# %%
def binned(x, K, mu):
    """Numbers [...] from -1 to 1, there and back."""
    return from_bins(to_bins(torch.as_tensor(x), K, mu), K, mu).numpy()


turn = np.linspace(0, 2 * np.pi, 201)
circle = np.stack([1 + 0.5 * np.cos(turn), 0.3 + 0.5 * np.sin(turn)], axis=1)
angles = anything.reach(circle)  # [201, 2]
changes = np.diff(angles, axis=0)
most = np.abs(changes).max()


# %%
def drawn(robot, K, mu=0):
    """Where the hand goes, [201, 2]."""
    if robot == "angles":
        return anything.hand(np.pi * binned(angles / np.pi, K, mu))
    now = [angles[0]]
    for change, aim in zip(changes, angles[1:], strict=True):
        wish = aim - now[-1] if robot == "changes, looking" else change
        now.append(now[-1] + most * binned(wish / most, K, mu))
    return anything.hand(np.array(now))


# %% folded="draws the three robots" alt="Circles as three robots draw them. With angles in 16 bins it is jagged; with changes it is slightly off; with changes and a look at the hand it lies on the circle."
robots = ["angles", "changes", "changes, looking"]
_, axes = plt.subplots(1, 3, figsize=(7.5, 2.5), sharey=True, sharex=True)
for ax, robot in zip(axes, robots, strict=True):
    ax.plot(*drawn(robot, 16).T, label="16 bins")
    ax.plot(*circle.T, "--", color="gray", label="asked")
    ax.set(title=robot, xlabel="x (bones)", aspect="equal")
axes[0].set(ylabel="y (bones)")
axes[1].legend(fontsize=9, loc="center")
plt.show()


# %%
def strays(robot, K, mu=0):
    """The largest distance between the hand and the circle's point of that step."""
    return np.hypot(*(drawn(robot, K, mu) - circle).T).max()


for mu, K in itertools.product((0, 100), (8, 16, 64, 256)):
    print(f"mu {mu:3}, {K:3} bins:", {r: f"{strays(r, K, mu):.4f}" for r in robots})

# %% [markdown]
# A bin of 16 is 0.39 radians wide for angles, but only 0.004 for changes, whose range is a hundred times smaller; so *angles* jerks. (The race is a little
# unfair: the bins of the changes are cut to this very circle, and those of the angles to all that an arm can do. With a range that is too wide, *changes*
# strays as well.) *Changes* adds up 200 small errors. Their sum is bounded by 200 times the bound of one, and here it stays far below that. *Looking* puts each
# error right in the next step: at 16 bins the hand strays 0.007 instead of 0.064.
#
# And the $\mu$-law with $\mu = 100$ makes everything worse. Its fine bins lie around 0, its outer ones are wide, and the largest distance is made by the
# widest bins that are used. These commands are spread evenly, so they are used. (With a range that is too wide the values crowd around 0, and the $\mu$-law
# may help.) Bins belong where the values are: count before you cut.

# %% [markdown] statement="two_ways_round"
# #### Left or right?
#
# A robot learns from people how to steer round an obstacle straight ahead. In half of the examples they steer left, $x = -0.6$; in the other half right, $x = 0.6$. One network gives a single number and learns by squared error. Another gives a probability for each of 16 bins and learns by cross-entropy; its command is drawn from them.
#
# What will each of them do in front of the obstacle, and why? Then name one thing that the bins lose.

# %% [markdown] written="two_ways_round" points=2 minutes=6
# ### BEGIN SOLUTION
# **Rubric.** 1 point: the single number goes to the mean, 0, straight into the obstacle, because the mean makes squared
# error smallest; the bins keep both sides, about one half each near -0.6 and 0.6, and a draw goes round. 1 point for one
# true loss: the command is exact only to half a bin (1/16); the network is not told that neighbouring bins are near each other, so it
# needs more examples; several joints multiply the bins or must be written one after the other; what lies outside the range is cut
# off.
#
# Half of the first point is not given: both networks must be there with a reason for one. A usual wrong idea: the single number
# is undecided and swings between both sides. Another: bins are less exact, and this is why they avoid the obstacle.
#
# **Sample, 2 points.** The first gives the mean of both, 0, since that has the smallest squared error, and hits the obstacle.
# The second learns half for the bin of -0.6 and half for that of 0.6, so either draw is good. It can command only 16 different
# numbers.
#
# **Sample, 1 point.** The network with one number averages left and right and drives straight on; the other has two peaks and
# chooses one. The bins have no disadvantage if there are enough of them.
#
# **Sample, 0 points.** Both steer left or right half of the time, because that is what the examples show.
# ### END SOLUTION
