# %% [markdown]
# ## 8. True or made up?
#
# **Negative sampling** asks an easier question than "which of $V$ words?". It takes one true pair $(i, j)$, and $k$
# made-up ones: $i$ with $k$ words drawn at random, the **negatives**. The model says only how likely a pair is to be
# true, $\sigma(x) = 1/(1 + e^{-x})$ for the score $x = a_i \cdot b_j$. This should be 1 for the true pair and 0 for
# the others. (Without any others, one long vector for *all* words would do: every $\sigma$ would be near 1.)

# %% folded="draws the true pair and the made-up ones" alt="The vector of bit is compared with four words: dog, which should give 1, and soup, the and golden, which were drawn and should give 0."
drawings.negative_sampling()

# %% [markdown] statement="negative_pair"
# ### A pair and its negatives
#
# Let $a$ be row $i$ of $A$, $b$ row $j$ of $B$, and $n_1 \dots n_k$ the rows of $B$ that belong to the negatives.
# Since $1 - \sigma(x) = \sigma(-x)$, the loss is
#
# $$L = -\ln\sigma(a \cdot b) - \sum_{r=1}^{k} \ln\sigma(-a \cdot n_r).$$
#
# Only $k + 2$ rows take part. Write
#
# - `negative_pair(a, b, n)`: for tensors $a$ and $b$, $(d,)$, and $n$, $(k, d)$: the loss and its gradients for
#   the three, in their shapes. Derive them by hand, no autograd; scores of several hundred must not overflow.

# %% [markdown] hints="negative_pair"
# 1. What is the derivative of $-\ln\sigma(x)$? Write $\sigma$ out, or take $\ln(1 + e^{-x})$.
# 2. All the terms have the same form: a score, and what it should have been, 1 or 0. In each derivative the difference
#    of the two shows up.
# 3. By the chain rule a score $a \cdot b$ passes its derivative on to $a$, times $b$, and to $b$, times $a$. $a$ takes
#    part in $k + 1$ scores. For large scores torch has a stable $\ln\sigma$.


# %% task="negative_pair" points=4 level=2 minutes=20
def negative_pair(a, b, n):
    """The loss of a true pair a, b (d,) with negatives n (k, d), and its gradients for a, b and n."""
    ### BEGIN SOLUTION
    true, made_up = a @ b, n @ a
    loss = -F.logsigmoid(true) - F.logsigmoid(-made_up).sum()
    g, g_n = torch.sigmoid(true) - 1, torch.sigmoid(made_up)
    return loss, g * b + g_n @ n, g * a, torch.outer(g_n, a)
    ### END SOLUTION


# %% family="negative_pair"
_k, _d = size("k"), size("d")
_a, _b = (tensor(_d, kind="float64", edges=["huge"]) for _ in "ab")
_n = tensor(_k, _d, kind="float64", edges=["huge"])

# %% test="negative_pair" aspect="one true, k made up" points=1
_got = negative_pair(torch.zeros(2), torch.ones(2), torch.ones(3, 2))
assert isinstance(_got, tuple | list) and len(_got) == 4, (
    f"Return the loss and three gradients; yours: {_got!r}."
)
assert is_number(_got[0]) and close(_got[0], 4 * math.log(2), 1e-5), (
    f"All scores 0, k = 3: four times ln 2; yours: {_got[0]!r}."
)
### BEGIN HIDDEN TESTS
_far = torch.tensor([30.0]), torch.tensor([-30.0]), torch.tensor([[20.0], [-20.0]])
_near = torch.tensor([2.0]), torch.tensor([-3.0]), torch.tensor([[3.0], [-3.0]])
for _inputs in ((_a, _b, _n), _far, _near):
    agrees(
        negative_pair,
        ours.negative_pair,
        *_inputs,
        by=lambda function, *inputs: function(*inputs)[0],
        rtol=1e-5,
        atol=1e-6,
    )
### END HIDDEN TESTS

# %% test="negative_pair" aspect="the gradient of the word" points=1
_a, _b = torch.zeros(2), torch.tensor([1.0, 2.0])
_got = negative_pair(_a, _b, torch.tensor([[4.0, 0.0]]))
assert isinstance(_got, tuple | list) and len(_got) == 4, (
    f"Return the loss and three gradients; yours: {_got!r}."
)
assert close(_got[1], [1.5, -1], 1e-5, 1e-6), (
    f"All scores 0: half of b pulls, half of the negative pushes; yours: {_got[1]!r}."
)
### BEGIN HIDDEN TESTS
agrees(
    negative_pair,
    ours.negative_pair,
    *(_a, _b, _n),
    by=lambda function, *inputs: without_autograd(function, *inputs)[1],
    rtol=1e-5,
    atol=1e-6,
)
### END HIDDEN TESTS

# %% test="negative_pair" aspect="the gradient of the neighbour" points=1
_got = negative_pair(torch.tensor([2.0, 4.0]), torch.zeros(2), torch.ones(1, 2))
assert isinstance(_got, tuple | list) and len(_got) == 4, (
    f"Return the loss and three gradients; yours: {_got!r}."
)
assert close(_got[2], [-1, -2], 1e-5, 1e-6), (
    f"The score is 0, so sigma is half too small: b is pulled by half of a; yours: {_got[2]!r}."
)
### BEGIN HIDDEN TESTS
agrees(
    negative_pair,
    ours.negative_pair,
    *(_a, _b, _n),
    by=lambda function, *inputs: without_autograd(function, *inputs)[2],
    rtol=1e-5,
    atol=1e-6,
)
### END HIDDEN TESTS

# %% test="negative_pair" aspect="the gradients of the negatives" points=1
_got = negative_pair(torch.tensor([2.0, 4.0]), torch.ones(2), torch.zeros(3, 2))
assert isinstance(_got, tuple | list) and len(_got) == 4, (
    f"Return the loss and three gradients; yours: {_got!r}."
)
assert close(_got[3], [[1, 2], [1, 2], [1, 2]], 1e-5, 1e-6), (
    f"Three negatives of score 0: each is pushed by half of a; yours: {_got[3]!r}."
)
### BEGIN HIDDEN TESTS
_n = made(  # a negative may be the very vector of the true neighbour
    lambda rng, n, b, k: torch.cat([n[1:], b[None]]) if rng.random() < 0.5 else n,
    _n,
    _b,
    _k,
    edges=[lambda rng, n, b, k: b.repeat(k, 1)],
)
agrees(
    negative_pair,
    ours.negative_pair,
    *(_a, _b, _n),
    by=lambda function, *inputs: without_autograd(function, *inputs)[3],
    rtol=1e-5,
    atol=1e-6,
)
### END HIDDEN TESTS
