# %% [markdown]
# ## 9. Remember a 1 for 10,000 steps
#
# Is it that recurrent networks *cannot* remember, or that they do not learn to? Lecture 001 has a test: zeros with one 1
# among them, 0 0 1 0. Has there been a 1? Over many positions recurrent networks "generally struggle", it says.
#
# Look at a state of one number when nothing is read: $h_t = \tanh(w_h h_{t-1} + b)$. Where the curve
# $y = \tanh(w_h h + b)$ crosses the line $y = h$, the state stays where it is. With one crossing, every state ends
# there and the past is forgotten. With three, there are two resting places (*stable fixed points*, dots) and between
# them a watershed (an *unstable* one, ring):

# %% folded="draws the fixed points" alt="Two curves of the next state over the state, and a diagonal. The flat one crosses it once, at zero; the steep one three times, with dots at plus and minus 0.96 and a ring at zero."
_, axes = plt.subplots(figsize=(4.4, 2.5))
grid = np.linspace(-1.2, 1.2, 200)
for slope, colour in ((0.7, plots.COLOURS[1]), (2.0, plots.COLOURS[0])):
    axes.plot(grid, np.tanh(slope * grid), color=colour, label=f"$w_h$ = {slope:.1f}")
axes.plot(grid, grid, color="gray", linestyle=":", label="stays as it is")
axes.plot([-0.957, 0.957], [-0.957, 0.957], "o", color=plots.COLOURS[0])
axes.plot(0, 0, "o", color=plots.COLOURS[0], markerfacecolor="white")
axes.set(xlabel="state $h_{t-1}$", ylabel="next state $h_t$  ($b$ = 0)")
axes.legend(loc="upper left")
plt.show()

# %% [markdown] statement="latch"
# Build a memory of this: with a state and a word of one number each, $h_t = \tanh(w_x e_t + w_h h_{t-1} + b)$, $h_0 = 0$.
# `latch()` returns numbers `(w_x, w_h, b)` such that $h_t > 0$ from the 1 on and $h_t < 0$ before.
#
# It must hold for 10,000 steps after the 1, however late that comes, and with noise: after each step a number of up to
# ±0.1 is added to the state, and from there the next step goes on. What must have the right sign is $h_t$ as the tanh
# gives it, *before* the noise is added.

# %% [markdown] hints="latch"
# 1. You want two resting places, one negative and one positive, and a push that carries over from one to the other.
# 2. For $w_h$ well above 1, $h = \tanh(w_h h)$ has three solutions, and 0 is the one that no noise may touch. Which
#    side should a state that starts at 0 fall to, and what does that?
# 3. $b$ tips the start to the negative side, but must be too weak to tip over a state near 1; $w_x$ must be strong
#    enough to lift a state near -1. Write down these three inequalities, each with a noise of 0.1 against you, then
#    choose.


# %% task="latch" points=3 level=3 minutes=30
def latch():
    """Three numbers (w_x, w_h, b) of a cell that remembers whether it has read a 1."""
    ### BEGIN SOLUTION
    return 10.0, 4.0, -1.0
    ### END SOLUTION


# %% test="latch" aspect="silence is not a 1" points=1
_got = latch()
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
assert all(is_number(value) for value in _got), (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
_w_x, _w_h, _b = (float(value) for value in _got)
_h = 0.0
for _t in range(10_000):
    _h = math.tanh(_w_h * _h + _b)
    assert _h < 0, (
        f"After {_t + 1} zeros and no 1 the state is {_h:.4f}; it should be negative."
    )
### BEGIN HIDDEN TESTS
for _t in range(10_000, 40_000):
    _h = math.tanh(_w_h * _h + _b)
    assert _h < 0, (
        f"After {_t + 1} zeros and no 1 the state is {_h:.4f}; it has crept up and should be negative."
    )
### END HIDDEN TESTS

# %% test="latch" aspect="a 1 is remembered" points=1
_got = latch()
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
assert all(is_number(value) for value in _got), (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
_w_x, _w_h, _b = (float(value) for value in _got)
_places = (0, 1, 2, 10, 100, 10_000)
### BEGIN HIDDEN TESTS
_places += (3, 5, random.randint(11, 99), random.randint(101, 999))
### END HIDDEN TESTS
for _before in _places:
    _h = 0.0
    for _t in range(_before + 10_000):
        _h = math.tanh(_w_x * (_t == _before) + _w_h * _h + _b)
        assert _t < _before or _h > 0, (
            f"A 1 stood after {_before} zeros; {_t - _before} steps after it the state is {_h:.4f}: not positive."
        )

# %% test="latch" aspect="noise does no harm" points=1
_got = latch()
assert hasattr(_got, "__len__") and len(_got) == 3, (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
assert all(is_number(value) for value in _got), (
    f"Return three numbers (w_x, w_h, b); yours: {_got!r}."
)
_w_x, _w_h, _b = (float(value) for value in _got)
_draw, _after = random.Random(1), 2_000
### BEGIN HIDDEN TESTS
_draw, _after = random.Random(), 10_000
### END HIDDEN TESTS
for _before in (1, 5, 50, 10_000):
    for _kind, _noise in (
        ("a random noise of up to ±.1", lambda: _draw.uniform(-0.1, 0.1)),
        ("a noise of +.1 after each step", lambda: 0.1),
        ("a noise of -.1 after each step", lambda: -0.1),
    ):
        _h = 0.0
        for _t in range(_before + _after):
            _h = math.tanh(_w_x * (_t == _before) + _w_h * _h + _b)
            assert (_h > 0) == (_t >= _before), (
                f"With {_kind} the state at step {_t} (from 0) is {_h:.3f}; the 1 came at step {_before}, "
                f"so it should be {'positive' if _t >= _before else 'negative'}."
            )
            _h += _noise()


# %% [markdown]
# So the weights exist. Does training find them? Half of the texts begin with a 1, all else is 0; at the end: how did it
# begin? For each length 100 steps, three seeds; *learned* means 90 % right.


# %%
class Reader(nn.Module):
    """Reads numbers, answers once, at the end."""

    def __init__(self, cell, b_f=0.0, k=16):
        super().__init__()
        self.cell, self.out = cell(1, k, batch_first=True), nn.Linear(k, 1)
        if cell is nn.LSTM:  # section 12
            self.cell.bias_ih_l0.data[k : 2 * k] += b_f

    def forward(self, numbers):  # [B, T, 1] -> [B]
        return self.out(self.cell(numbers)[0][:, -1])[:, 0]


# %%
def bit_loss(model, batch):
    numbers, first = batch
    return F.binary_cross_entropy_with_logits(model(numbers), first), len(first)


def recall(length, cell, seed, b_f=0.0, steps=100):
    """The share of right answers after training on texts of that length."""
    set_seed(seed)
    model, draw = Reader(cell, b_f).to(device), torch.Generator().manual_seed(seed)

    def batch(_, size=32):
        first = torch.randint(2, (size,), generator=draw).float()
        return F.pad(first[:, None], (0, length - 1))[..., None], first

    train(model, batch, bit_loss, steps=steps, rate=5e-3)
    numbers, first = (part.to(device) for part in batch(0, 1000))
    return ((model(numbers) > 0) == (first > 0)).float().mean().item()


# %%
read_lengths = (7, 10, 14, 20, 28, 40, 80)


def longest_learned(cell, seed, b_f=0.0):
    """The longest of read_lengths up to which all were learned; 0: none."""
    longest = 0
    for length in read_lengths:
        if recall(length, cell, seed, b_f) < 0.9:
            break
        longest = length
    return longest


learned = {"RNN": [longest_learned(nn.RNN, seed) for seed in seeds]}
print(f"of {read_lengths}, learned up to: {learned['RNN']}, for three seeds")

# %%
w_x, w_h, b = latch()
h = math.tanh(w_x + b)
for _ in range(100):
    h = math.tanh(w_h * h + b)
print(f"by hand: remembering multiplies a gradient by {w_h * (1 - h * h):.2g} a step")

set_seed(1)
draws = [nn.RNN(1, 16).weight_hh_l0 for _ in range(100)]
starts = [torch.linalg.eigvals(W_h).abs().max().item() for W_h in draws]
print(f"trained: 100 draws of W_h start with {min(starts):.1f} to {max(starts):.1f}")

# %% [markdown]
# Up to 14 or 20 inputs training succeeds; at the next length it fails. It *starts* with weights that shrink what comes
# from the past (the last line: the largest absolute eigenvalue of $W_h$, its factor for each step in the long run), so
# over many steps hardly any gradient says how to begin. Your latch has another trouble. At a stable resting place,
# small changes die out: $\lvert \partial h_t / \partial h_{t-1} \rvert < 1$, so a gradient shrinks at every step as
# well. The better a state ignores noise, the less gradient survives. Robust memory and learnability pull against each
# other (Y. Bengio and others, 1994).
#
# Hence the next idea: a memory that stays *without* being squeezed at each step.
