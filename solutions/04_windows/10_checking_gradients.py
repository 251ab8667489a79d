# %% [markdown]
# ## 12. Is the gradient right?
#
# Torch computes gradients, but once in your life you should, too: then a layer that does not learn is no mystery. And
# you should know how to *check* a gradient, by a method that knows no calculus. By Taylor,
#
# $$L(v \pm \epsilon) = L(v) \pm \epsilon L'(v) + \tfrac{\epsilon^2}{2} L''(v) \pm \tfrac{\epsilon^3}{6} L'''(v) + \dots$$
#
# Subtract the two and divide by $2\epsilon$: $L$ and $L''$ cancel, what remains is $L'(v)$ with an error of order
# $\epsilon^2$. One-sided differences keep an error of order $\epsilon$.

# %% [markdown] statement="gradients_by_hand"
# ### Two ways to a gradient
#
# One example: $a = \tanh(d + Hx)$, $y = b + Wx + Ua$, loss $L = -\ln \text{softmax}(y)_w$, $w$ the word that followed;
# $x$ has $D = nm$ numbers. Write
#
# - `numerical(loss, v, step)`: central differences $\big(L(v_i + \epsilon) - L(v_i - \epsilon)\big) / 2\epsilon$ for
#   each entry of the array `v`, $\epsilon$ = `step`;
# - `by_hand(theta, x, w)`: by the chain rule, a dict of the gradients for `b`, `W`, `U`, `d`, `H` and `x`. `theta` is a
#   dict with the first five. (Autograd is allowed, but teaches less.)
#
# The gradient for $x$ moves the vectors of the $n$ words: that is how words learn their vectors.

# %% [markdown] hints="gradients_by_hand"
# 1. Begin at the end: what is $\partial L / \partial y$? Write $L = \ln \sum_v e^{y_v} - y_w$ and differentiate. It
#    holds the probabilities, but for one entry.
# 2. Call that vector $g$. An entry $W_{jk}$ only touches $y_j$, by $x_k$: so its gradient is $g_j x_k$, an outer
#    product. And $\tanh' = 1 - a^2$.
# 3. Walk the drawing backwards. Through a matrix a gradient goes back by the transpose; through tanh, by a product
#    entry by entry. What arrives at $d$ plays for $H$ the part that $g$ plays for $W$. Two paths lead to $x$: add them.


# %%
def bengio_loss(theta, x, w):
    """-ln softmax(y)_w for one example; the dict theta holds b, W, U, d, H."""
    y = theta["b"] + theta["W"] @ x + theta["U"] @ np.tanh(theta["d"] + theta["H"] @ x)
    return float(np.log(np.exp(y).sum()) - y[w])


def random_theta(V, D, h):
    shapes = {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D)}
    return {
        name: np.random.default_rng().normal(size=shape)
        for name, shape in shapes.items()
    }


# %% task="gradients_by_hand" points=4 level=3 minutes=36
def numerical(loss, v, step=1e-5):
    """The gradient of loss(v), an array like v (float, any shape and layout), by central differences; v stays as it is."""
    ### BEGIN SOLUTION
    gradient = np.zeros_like(v)
    for i in np.ndindex(v.shape):
        shift = np.zeros_like(v)
        shift[i] = step
        gradient[i] = (loss(v + shift) - loss(v - shift)) / (2 * step)
    return gradient
    ### END SOLUTION


def by_hand(theta, x, w):
    """Gradients of -ln softmax(y)_w: {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D), "x": (D,)}.

    The arrays in theta stay as they are.
    """
    ### BEGIN SOLUTION
    b, W, U, d, H = (theta[name] for name in "bWUdH")
    a = np.tanh(d + H @ x)
    y = b + W @ x + U @ a
    g = np.exp(y - y.max())
    g /= g.sum()
    g[w] -= 1
    back = (U.T @ g) * (1 - a**2)
    return {
        "b": g,
        "W": np.outer(g, x),
        "U": np.outer(g, a),
        "d": back,
        "H": np.outer(back, x),
        "x": W.T @ g + H.T @ back,
    }
    ### END SOLUTION


# %% family="gradients_by_hand"
_V, _D, _h = whole(2, 6, (1, 40)), whole(2, 6, (1, 40)), whole(2, 6, (1, 40))
_w = made(lambda rng, V: rng.randrange(V), _V, edges=[0, lambda rng, V: V - 1])


def _random(rng, V, D, h):
    shapes = {"b": (V,), "W": (V, D), "U": (V, h), "d": (h,), "H": (h, D)}
    draw = np.random.default_rng(rng.getrandbits(60))
    return {name: draw.normal(size=shape) for name, shape in shapes.items()}


def _agree_on(*names):
    agrees(
        by_hand,
        ours.by_hand,
        *(made(_random, _V, _D, _h), array(_D), _w),
        by=lambda by_hand, *inputs: {name: by_hand(*inputs)[name] for name in names},
        mixtures=1,
        rtol=1e-4,
        atol=1e-5,
    )


# %% test="gradients_by_hand" aspect="central differences" points=1
_got = numerical(
    lambda v: float((v**3).sum()), np.array([[1.0, -2.0], [0.0, 3.0]]), 0.1
)
assert np.shape(_got) == (2, 2), (
    f"The gradient has the shape of v, here (2, 2); yours: {_got!r}."
)
assert close(_got, [[3.01, 12.01], [0.01, 27.01]], 1e-5, 1e-6), (
    f"Sum of cubes at 1, -2, 0, 3 with steps of .1: 3.01, 12.01, .01, 27.01 wanted; yours: {_got.tolist()}."
)


### BEGIN HIDDEN TESTS
@beside_the_answer
def _steep(numerical, v, A, *step):
    """A loss with slopes and bends of all sizes, for arrays like v only."""
    return numerical(
        lambda u: float((A * u).sum() ** 2 + (u**3).sum() + 900 * (A**2 * u**2).sum()),
        v,
        *step,
    )


_shape = choice((4,), (1,), (2, 3), (3, 1), (2, 1, 3), (9, 4), (2, 0))
_v, _A = (
    made(
        lambda rng, shape, order: np.array(
            np.reshape([rng.gauss(0, 1) for _ in range(math.prod(shape))], shape),
            order=order,
        ),
        *(_shape, choice("C", "F")),
    )
    for _ in "vA"
)
_step = number(0.01, 0.5)
_given = numerical, ours.numerical, _v, _A
agrees(*_given, _step, by=_steep, mixtures=1, rtol=1e-6, atol=1e-6)
agrees(*_given, by=_steep, mixtures=1, rtol=1e-5, atol=1e-4)
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="p minus one-hot" points=1
_zero = {
    "b": np.zeros(4),
    "W": np.zeros((4, 2)),
    "U": np.zeros((4, 3)),
    "d": np.zeros(3),
    "H": np.zeros((3, 2)),
}
_got = by_hand(_zero, np.array([1.0, -2.0]), 2)
assert hasattr(_got, "keys") and set(_got.keys()) >= {"b", "W"}, (
    f"Return a dict with b, W, U, d, H, x; yours: {_got!r}."
)
assert close(_got["b"], [0.25, 0.25, -0.75, 0.25], 1e-5), (
    f"All weights 0: p is 1/4 each; yours for b: {_got['b']}."
)
assert np.shape(_got["W"]) == (4, 2), (
    f"The gradient for W has its shape, (4, 2); yours: {np.shape(_got['W'])}."
)
### BEGIN HIDDEN TESTS
_agree_on("b", "W")
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="through the tanh" points=1
_theta = {
    "b": np.zeros(2),
    "W": np.zeros((2, 1)),
    "U": np.array([[1.0], [0.0]]),
    "d": np.zeros(1),
    "H": np.zeros((1, 1)),
}
_got = by_hand(_theta, np.array([2.0]), 0)
assert hasattr(_got, "keys") and set(_got.keys()) >= {"U", "d", "H"}, (
    f"Return a dict with b, W, U, d, H, x: {_got!r}."
)
assert close(_got["d"], [-0.5], 1e-5), (
    f"y = 0 0, w = 0, a = 0: d has gradient -1/2; yours: {_got['d']}."
)
### BEGIN HIDDEN TESTS
_agree_on("U", "d", "H")
### END HIDDEN TESTS

# %% test="gradients_by_hand" aspect="the vectors learn too" points=1
_theta = {
    "b": np.zeros(2),
    "W": np.array([[3.0], [1.0]]),
    "U": np.ones((2, 1)),
    "d": np.zeros(1),
    "H": np.ones((1, 1)),
}
_got = by_hand(_theta, np.array([0.0]), 1)
assert hasattr(_got, "keys") and "x" in _got, (
    f"Return a dict with b, W, U, d, H and x; yours: {_got!r}."
)
assert close(_got["x"], [1.0], 1e-5), (
    f"Here W alone moves x: 3/2 - 1/2 = 1; yours: {_got['x']}."
)
### BEGIN HIDDEN TESTS
_agree_on("x")
### END HIDDEN TESTS

# %%
theta, x = random_theta(6, 4, 3), np.random.default_rng(1).normal(size=4)
hand = by_hand(theta, x, 2)
slopes = {
    name: numerical(
        lambda v, name=name: bengio_loss(theta | {name: v}, x, 2), theta[name]
    )
    for name in theta
}
slopes["x"] = numerical(lambda v: bengio_loss(theta, v, 2), x)
for name, slope in slopes.items():
    print(name, "agrees" if np.allclose(hand[name], slope, atol=1e-7) else "differs")

# %% [markdown]
# Two methods that share no line of code agree: both would have to be wrong in the same way.
#
# Are your gradients good enough to learn with? The next cell trains a Bengio model of two words back without torch, on 4,000 examples, one at a time. Each
# step moves the six arrays against *your* gradients, and the gradient of $x$ goes to the vectors of the two words. Two things to compare with: a model that
# gives all words the same probability has a loss of $\ln V$, and one that knows nothing but how frequent each word is has the entropy of these frequencies.


# %%
def own_training(steps, rate=0.1, m=32, h=64, seed=1):
    """The losses of a model that by_hand trains, one example after the other."""
    rng, V = np.random.default_rng(seed), len(lexicon)
    shapes = {"b": (V,), "W": (V, 2 * m), "U": (V, h), "d": (h,), "H": (h, 2 * m)}
    own = {name: rng.normal(scale=0.1, size=shape) for name, shape in shapes.items()}
    table, losses = rng.normal(scale=0.1, size=(V, m)), []
    for i in rng.permutation(len(next_words))[:steps]:
        two, w = contexts[i].numpy(), int(next_words[i])
        x = table[two].ravel()
        losses.append(bengio_loss(own, x, w))
        slopes = by_hand(own, x, w)
        for name in own:
            own[name] -= rate * slopes[name]
        np.subtract.at(table, two, rate * slopes["x"].reshape(2, m))
    return losses


losses = own_training(4000)
share = torch.bincount(next_words) / len(next_words)
frequencies = torch.special.entr(share).sum().item()
print(
    f"ln V = {math.log(len(lexicon)):.1f}, with word frequencies {frequencies:.1f};",
    end=" ",
)
print("mean loss of 500 examples each:")
print(*(f"{part.mean():.1f}" for part in np.reshape(losses, (8, 500))))

# %% [markdown]
# It learns, and more than which words are frequent. Each example is new to it, so these are honest losses. From here on torch takes the derivatives, many
# examples at a time. You know what it does.
