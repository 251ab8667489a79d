# %% [markdown]
# ## 2. Keep the numbers tame
#
# A Transformer stacks many layers, and a product of many factors explodes or dies. So **LayerNorm** brings each token's $C$ numbers $x$ to mean 0 and variance
# 1. A gain $g$ and a bias $b$, both $[C]$, are learned, so that each of the $C$ numbers can get another size and another middle (the same for all tokens);
# $\varepsilon$ is tiny and keeps a constant $x$ from a division by 0:
#
# $$y = g \star \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} + b \qquad \mu = \frac1C \sum_c x_c \qquad \sigma^2 = \frac1C \sum_c (x_c - \mu)^2$$
#
# ($\star$ multiplies entry by entry.) Between two linear layers stands an activation function; without it they would collapse into one. **GELU**, a ReLU with a soft knee, multiplies $x$ by the chance that a standard normal number lies below it:
# $\text{gelu}(x) = x\, \Phi(x)$, with $\Phi(x) = \frac12 (1 + \text{erf}(x / \sqrt 2))$.

# %% [markdown] statement="layer_norm"
# - `layer_norm(x, gain, bias, eps)`: $[\dots, C]$, each token for itself; also precise for large numbers that are close together, such as 1,000.1 and 1,000.2;
# - `gelu(x)`, entry by entry;
# - `printed_ratio(C)`: Silvestri's lecture divides by `x.std()`, which sums the same squares but divides them by $C - 1$ instead of $C$. By which factor is its result too
#   large or small ($C \ge 2$, $\varepsilon = 0$, $g = 1$, $b = 0$)?

# %% [markdown] hints="layer_norm"
# 1. Which axis of $[B, T, C]$ holds the numbers of one token?
# 2. torch's `var` and `std` divide by $C - 1$ unless told otherwise.
# 3. Keep the averaged axis, so that shapes fit. The $\varepsilon$ stands *inside* the root. For the ratio, write both results with the same
#    sum of squares; all else cancels.


# %% task="layer_norm" points=4 level=1 minutes=15
def layer_norm(x, gain, bias, eps=1e-5):
    """Each token's numbers normalised: x [..., C], gain [C], bias [C] -> [..., C]; large, close numbers, too."""
    ### BEGIN SOLUTION
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return gain * (x - mean) / torch.sqrt(variance + eps) + bias
    ### END SOLUTION


def gelu(x):
    """x times the probability that a standard normal number is below x, for each entry of a tensor; gradients pass."""
    ### BEGIN SOLUTION
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2
    ### END SOLUTION


def printed_ratio(C):
    """The printed LayerNorm divided by the right one."""
    ### BEGIN SOLUTION
    return math.sqrt((C - 1) / C)
    ### END SOLUTION


# %% family="layer_norm"
_C = size("C")
_gain, _bias = tensor(_C, kind="float64"), tensor(_C, kind="float64")


# %% test="layer_norm" aspect="mean 0, variance 1 per token" points=1
_one, _zero = torch.ones(2).double(), torch.zeros(2).double()
_got = layer_norm(torch.tensor([[[3.0, 5.0], [700.0, -100.0]]]).double(), _one, _zero)
assert np.shape(_got) == (1, 2, 2), (
    f"x of shape (1, 2, 2): the same is wanted; yours: {np.shape(_got)}."
)
assert close(_got, [[[-1, 1], [1, -1]]], 0, 1e-4), (
    f"Two numbers become -1 and 1, whatever they were; yours: {np.asarray(_got).tolist()}."
)
### BEGIN HIDDEN TESTS
_close = {  # where all numbers of a token are equal, rounding in float32 is magnified
    "compare": lambda got, wanted, x, *rest: difference(
        got, wanted, 1e-3, 1e-4 + 5e-4 * float(x.abs().max())
    ),
    "mixtures": 4,
}
for _axes in ((), (_C,), (2, size("T", large=None)), (2, 4, 3)):
    _scale = choice(5, 0.01, 0.004)
    _x = made(lambda rng, x: x + 0.5, tensor(*_axes, _C, scale=_scale, kind="float64"))
    agrees(layer_norm, ours.layer_norm, _x, _gain, _bias, **_close)
_eps = choice(1e-5, 1e-4, 0.5)
agrees(layer_norm, ours.layer_norm, _x, _gain, _bias, _eps, **_close)
_x = 1000 + 0.1 * torch.randn(5, 32)
_got = layer_norm(_x.clone(), torch.ones(32), torch.zeros(32))
assert close(_got, F.layer_norm(_x.double(), (32,)), 0, 0.02), (
    "float32 numbers like 1,000.1 and 1,000.2: digits are lost. Subtract the mean before you square."
)
### END HIDDEN TESTS

# %% test="layer_norm" aspect="gradients through mean and variance" points=1
_shape = (2, 5)
_x, _g, _b = (
    torch.randn(_shape).double(),
    torch.randn(5).double(),
    torch.randn(5).double(),
)
_found = gradients(layer_norm, _x, _g, _b, 0.1)
_leaves = [part.clone().requires_grad_(True) for part in (_x, _g, _b)]
_wanted = torch.autograd.grad(
    F.layer_norm(_leaves[0], (5,), *_leaves[1:], 0.1).sum(), _leaves
)
assert len(_found) == 3, "Gradients for x, gain and bias are wanted."
for _name, _mine, _theirs in zip(("x", "gain", "bias"), _found, _wanted, strict=True):
    assert close(_mine, _theirs, 1e-4, 1e-5), (
        f"The gradient with respect to {_name} is not that of torch's layer_norm."
    )
### BEGIN HIDDEN TESTS
_x = tensor(2, size("T", large=None), _C, kind="float64")
_rest = {"rtol": 1e-4, "atol": 1e-4, "mixtures": 2}
agrees(layer_norm, ours.layer_norm, _x, _gain, _bias, 0.1, by=gradients, **_rest)
### END HIDDEN TESTS

# %% test="layer_norm" aspect="a soft knee" points=1
_got = gelu(torch.tensor([-40.0, -1.0, 0.0, 1.0, 40.0]).double())
assert np.shape(_got) == (5,), f"Five numbers in, five out; yours: {_got!r}."
assert close(_got, [0, -0.158655, 0, 0.841345, 40], 1e-5, 1e-5), (
    f"gelu(-40, -1, 0, 1, 40) is 0, -.1587, 0, .8413, 40; yours: {np.asarray(_got).tolist()}."
)
### BEGIN HIDDEN TESTS
_all = torch.tensor([[[-4.1, -3, 2.2, 30]]]).double()  # far down, and not yet 0
_x = tensor(*(size(name, large=None) for name in "abc"), scale=2, kind="float64")
_x = choice(_all, _x)
agrees(gelu, ours.gelu, _x, rtol=1e-5, atol=1e-5)
agrees(gelu, ours.gelu, _x, by=gradients, rtol=1e-4, atol=1e-5, mixtures=0)
### END HIDDEN TESTS

# %% test="layer_norm" aspect="how far the print is off" points=1
_got = printed_ratio(2)
assert is_number(_got), f"printed_ratio returns a number; yours: {_got!r}."
assert close(_got, 1 / math.sqrt(2), 1e-5), (
    f"C = 2, numbers 3 and 5: ±1 is right, the print gives ±1/√2. Ratio .7071; yours: {_got}."
)
### BEGIN HIDDEN TESTS
agrees(printed_ratio, ours.printed_ratio, whole(2, 99, (3, 768)), rtol=1e-5)
### END HIDDEN TESTS

# %% alt="Three activations: ReLU is zero for negative x, ELU bends down to minus one, GELU dips slightly below zero; all run along x for positive numbers."
x = torch.linspace(-4, 4, 201)
_, axes = plt.subplots(figsize=(4, 2.4))
bends = {"GELU": gelu, "ReLU": torch.relu, "ELU": F.elu}
for name, function in bends.items():
    style = {"ls": "--", "zorder": 3} if name == "ReLU" else {}
    axes.plot(x, function(x), label=name, **style)
axes.set(xlabel="x", ylabel="activation", ylim=(-1.2, 4))
axes.legend()
plt.show()
at = torch.tensor([-2.0, -1.0, 0.0, 1.0])
table = {name: function(at).tolist() for name, function in bends.items()}
print(pd.DataFrame(table, at.tolist()).round(4).to_string())
off = (F.gelu(x, approximate="tanh") - gelu(x)).abs().max().item()
print("GELU by the tanh formula that some models use is off by at most", f"{off:.4f}")

# %% [markdown]
# GELU dips below zero where ReLU is flat; ELU, $e^x - 1$ below zero, goes down to $-1$.
#
# `FeedForward` is Muller's, with GELU for ReLU: attention moves information *between* places, this layer works *at* each.


# %%
class FeedForward(nn.Module):
    """Four times wider, an activation, and back: every token for itself."""

    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):  # [B, T, C] -> [B, T, C]
        return self.down(F.gelu(self.up(x)))
