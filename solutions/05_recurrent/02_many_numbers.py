# %% [markdown]
# ## 2. Many numbers
#
# A text is not made of zeros and ones, and one number is a small note. So we make both of them larger. From now on we call what is read in one step a **token**:
# a bit, a character, or a word. Each token is a vector $e_t$ of $d$ numbers, as in the chapters before, and the state $h_t$ is a vector of $k$ numbers. The
# equation stays what it was. Only the weights become matrices:
#
# $$h_t = \tanh(W_x e_t + W_h h_{t-1} + b),$$
#
# with $W_x$ of shape $[k, d]$, $W_h$ of shape $[k, k]$ and $b$ of shape $[k]$. This is the **recurrent neural network**, or RNN, of J. Elman (1990). To predict
# the next token, one more matrix $U$, of shape $[V, k]$, turns the state into **scores** $s_t$, one for each of the $V$ tokens of the vocabulary. A softmax turns
# the scores into probabilities, exactly as in chapter 04.
#
# The picture shows the network while it reads four tokens. Drawing it out like this is called **unrolling**. It looks like four networks, but the four arrows
# with the name $W_x$ are the *same* matrix, and so are those with the name $W_h$. That is why it can read a text of any length without having one more weight.

# %% folded="draws the unrolled network" alt="Four states in a row. Each gets the state before it through one matrix, and its token from below through another; above each there is a score."
drawings.unrolled_rnn()

# %% [markdown] statement="rnn"
# ### Read a text
#
# Write `rnn(e, h, W_x, W_h, b)`. It gets the vectors of all tokens of a text, `e`, of shape $[T, d]$, and the state `h` before the first of them. It returns all
# the states $h_1, \dots, h_T$, of shape $[T, k]$. Write the loop yourself; torch has a module for it, `nn.RNN`, and the check compares the two.
#
# With your function we will then measure an echo: how long does a network remember its first token?

# %% [markdown] hints="rnn"
# 1. Read the equation as an assignment: the new state stands left, the old one right.
# 2. $W_x e_t$ is a matrix times a vector. Do the shapes $[k, d]$ and $[d]$ fit as they stand?
# 3. Go through the rows of `e`; each time replace `h` by the new state and keep it; at the end stack what you kept.


# %% task="rnn" points=3 level=1 minutes=8
def rnn(e, h, W_x, W_h, b):
    """States h_1..h_T, a tensor of shape [T, k], from e: [T, d], h: [k], W_x: [k, d], W_h: [k, k], b: [k]. Gradients pass."""
    ### BEGIN SOLUTION
    states = []
    for e_t in e:
        h = torch.tanh(W_x @ e_t + W_h @ h + b)
        states.append(h)
    return torch.stack(states)
    ### END SOLUTION


# %% test="rnn" aspect="two steps by hand" points=1
_one = torch.ones(1, 1, dtype=torch.float64)
_got = rnn(
    torch.tensor([[1.0], [0.0]]).double(),
    torch.zeros(1).double(),
    _one,
    2 * _one,
    torch.zeros(1).double(),
)
assert torch.is_tensor(_got), f"Return a tensor of shape [T, k]; yours: {_got!r}."
assert tuple(_got.shape) == (2, 1), (
    f"Two tokens and a state of one number: shape (2, 1); yours: {tuple(_got.shape)}."
)
assert close(_got[0, 0], math.tanh(1), 1e-5), (
    f"h_1 = tanh(1) = .7616; yours: {_got[0, 0]:.4f}."
)
assert close(_got[1, 0], math.tanh(2 * math.tanh(1)), 1e-5), (
    f"h_2 = tanh(2 × .7616) = .9094: only the old state speaks; yours: {_got[1, 0]:.4f}."
)
### BEGIN HIDDEN TESTS
_e, _h, _b = (
    tensor(size("T"), 1, kind="float64"),
    *(tensor(1, kind="float64") for _ in "hb"),
)
_W_x, _W_h = tensor(1, 1, kind="float64"), tensor(1, 1, kind="float64")
agrees(rnn, ours.rnn, _e, _h, _W_x, _W_h, _b, rtol=1e-5, atol=1e-6)
### END HIDDEN TESTS

# %% test="rnn" aspect="equal to nn.RNN" points=1
_sizes = [(3, 4, 6)]
for _d, _k, _T in _sizes:
    _cell = nn.RNN(_d, _k).double()
    _e, _h = torch.randn(_T, _d).double(), torch.randn(_k).double()
    _wanted = _cell(_e, _h[None])[0].detach()
    _bias = (_cell.bias_ih_l0 + _cell.bias_hh_l0).detach()
    _weights = _h, _cell.weight_ih_l0.detach(), _cell.weight_hh_l0.detach(), _bias
    _got = rnn(_e.clone(), *(part.clone() for part in _weights))
    assert torch.is_tensor(_got) and _got.shape == _wanted.shape, (
        f"Wanted a tensor of shape {tuple(_wanted.shape)}."
    )
    _off = (_got - _wanted).abs().max().item()
    assert _off < 1e-5, (
        f"With d = {_d}, k = {_k}, T = {_T} you differ from nn.RNN by up to {_off:.4f}."
    )
### BEGIN HIDDEN TESTS
_T, _d, _k = size("T"), size("d"), size("k", large=None)
_e, _h, _W_x, _b = (
    tensor(*_axes, kind="float64", edges=("huge",))
    for _axes in ((_T, _d), (_k,), (_k, _d), (_k,))
)
_W_h = tensor(_k, _k, kind="float64", scale=0.5)
agrees(rnn, ours.rnn, _e, _h, _W_x, _W_h, _b, rtol=1e-5, atol=1e-6)
_square = tensor(_T, _k, kind="float64")
agrees(rnn, ours.rnn, _square, _h, _W_h, _W_h, _b, rtol=1e-5, atol=1e-6)
_cell = nn.RNN(1, 2).double()  # a long text
_e, _h = torch.randn(1500, 1).double(), torch.randn(2).double()
_wanted = _cell(_e, _h[None])[0].detach()
_bias = (_cell.bias_ih_l0 + _cell.bias_hh_l0).detach()
_weights = _cell.weight_ih_l0.detach(), _cell.weight_hh_l0.detach(), _bias
_off = (rnn(_e.clone(), _h.clone(), *_weights) - _wanted).abs().max().item()
assert _off < 1e-5, f"In a text of 1,500 tokens you differ from nn.RNN by {_off:.4f}."
### END HIDDEN TESTS

# %% test="rnn" aspect="the past goes on" points=1
_e, _W_x, _W_h, _b = (
    torch.randn(7, 3),
    torch.randn(2, 3) / 4,
    torch.linalg.qr(torch.randn(2, 2))[0],  # so that the past is not soon forgotten
    torch.randn(2) / 4,
)
_whole = rnn(_e, torch.zeros(2), _W_x, _W_h, _b)
assert torch.is_tensor(_whole) and len(_whole) == 7, (
    f"Seven tokens make seven states; yours: {_whole!r}."
)
_second = rnn(_e[4:], _whole[3].clone(), _W_x, _W_h, _b)
assert close(_second, _whole[4:], 1e-4, 1e-4), (
    "Tokens 5 to 7, started from the state after token 4, should give the states of the whole text; yours do not."
)
### BEGIN HIDDEN TESTS
_T, _d, _k = size("T"), size("d", large=None), size("k", large=None)
_e, _h, _W_x, _W_h, _b = (
    tensor(*_axes, scale=0.3) for _axes in ((_T, _d), (_k,), (_k, _d), (_k, _k), (_k,))
)
_given = _e, _h, _W_x, _W_h, _b
agrees(rnn, ours.rnn, *_given, rtol=1e-4, atol=1e-4)
agrees(rnn, ours.rnn, *_given, by=gradients, mixtures=2, rtol=1e-3, atol=1e-3)
### END HIDDEN TESTS


# %% [markdown]
# ### How long is an echo?
#
# Take two texts that differ only in their first token, and let the same network read both. After each token, compare the two states. As long as they differ, the
# network still knows something about the first token. When they are equal, the first token is forgotten for good.
#
# How long that takes depends on $W_h$. To have a single knob, we make $W_h$ a rotation times a number $\rho$. (Ours may mirror the space as well. The word for
# both is an *orthogonal* matrix.) A rotation changes no lengths. So at each step the old state becomes $\rho$ times as long, before the tanh squeezes it.
#
# Make a guess for $\rho$ = 0.8, 1 and 1.1 before you run the cell: which of the three curves will go down? (The vertical axis is logarithmic. On such an axis, a
# straight line means *the same factor at each step*.)

# %% alt="Distance between two runs that differ in the first token, over 60 tokens: with rho 0.8 it falls in a straight line to a millionth, with 1 it falls slowly, with 1.1 it stays near one."
set_seed(5)
width, rhos = 32, (0.8, 1.0, 1.1)
rotation = torch.linalg.qr(torch.randn(width, width))[0]
story = 0.05 * torch.randn(60, width)  # the vectors of 60 tokens
other = torch.cat([0.05 * torch.randn(1, width), story[1:]])  # with another first token


def states_of(e, W_h):
    """Your states of a text, from zero; W_x is the identity, b is zero."""
    return rnn(e, torch.zeros(width), torch.eye(width), W_h, torch.zeros(width))


_, axes = plt.subplots()
for rho, colour in zip(rhos, plots.COLOURS, strict=False):
    apart = states_of(story, rho * rotation) - states_of(other, rho * rotation)
    axes.semilogy(
        range(1, 61), apart.norm(dim=1), color=colour, label=f"$\\rho$ = {rho}"
    )
axes.set(
    title="How long is an echo?",
    xlabel="tokens read",
    ylabel="distance of the states (log)",
)
axes.legend(loc="lower left")
plt.show()

# %% [markdown]
# With $\rho = 0.8$ the line is straight: at every step, the difference shrinks by the same factor. At $\rho = 1$ only the tanh wears it down, and it does so
# slowly. At 1.1 the difference even grows at first, until the tanh stops it. After about thirty tokens it, too, begins to sink.

# %% [markdown]
# ### And how far does a gradient reach?
#
# The echo went forwards: we changed the beginning of a text and looked at the end. Learning goes backwards. It starts from the *last* state and asks of each
# earlier one: if this state had been a little different, how much would the last one have changed? For a state of one number, each step back contributed the
# factor $(1 - h_t^2)\, w_h$.
#
# We need one number to differentiate, in place of a loss. We take the sum of the $k$ entries of the last state, divided by $\sqrt k$. So its gradient with
# respect to the last state has the length 1, since it consists of $k$ times the same number, $1/\sqrt k$. Its gradient with respect to an earlier state $h_t$
# is a vector of $k$ numbers, like the state, and each step back does two things to it. First every number of the gradient is multiplied by its own slope, $1 -
# h_t^2$. Then the whole vector is multiplied by the matrix $W_h^\top$.
#
# Here is an example with $k = 2$. Let $W_h$ be a quarter turn times $\rho = 0.8$, that is, $W_h = \begin{pmatrix} 0 & -0.8 \\ 0.8 & 0 \end{pmatrix}$, and let the
# states be so small that all slopes are nearly 1. If the gradient of $h_t$ is $(1, 0)$, then that of $h_{t-1}$ is $W_h^\top (1, 0) = (0, -0.8)$, and that of
# $h_{t-2}$ is $(-0.64, 0)$. So the gradient turns, and each step back makes it 0.8 times as long.

# %% [markdown]
# In the next cell, autograd does this with 32 numbers. It goes back through *your* loop, one state at a time, and after each step back we measure the **length**
# of the gradient, that is, the root of the sum of its squares. The dashed lines are the prediction from the example, $\rho$ to the power of the steps. Some of
# the three measured lines will leave their predictions. Which ones, and in which direction?

# %% alt="Length of the gradient by steps back, on a logarithmic scale: for rho 0.8 it falls in a straight line along the dashed prediction; for 1.0 it falls slowly; for 1.1 it stays far below its dashed line."


def gradient_lengths(W_h):
    """Lengths of the gradient of one direction of h_T with respect to h_T, h_(T-1), ..., h_1."""
    h = torch.zeros(width, requires_grad=True)
    states = [h]
    for e_t in story:
        h = rnn(e_t[None], h, torch.eye(width), W_h, torch.zeros(width))[0]
        states.append(h)
    one_direction = torch.ones(width) / width**0.5
    found = torch.autograd.grad(states[-1] @ one_direction, states[1:])
    return [float(gradient.norm()) for gradient in reversed(found)]


_, axes = plt.subplots()
for rho, colour in zip(rhos, plots.COLOURS, strict=False):
    axes.semilogy(
        gradient_lengths(rho * rotation), color=colour, label=f"$\\rho$ = {rho}"
    )
    axes.semilogy([0, 59], [1, rho**59], "--", color=colour, linewidth=1)
axes.set(
    title="How much of a gradient is left",
    xlabel="steps back, $T - t$ (dashed: $\\rho^{T-t}$)",
    ylabel="length of the gradient (log)",
    ylim=(1e-6, 1e3),
)
axes.legend(loc="lower left")
plt.show()

# %% [markdown]
# Take the lines one by one.
#
# - With $\rho = 0.8$ the gradient follows its prediction, and it **vanishes**. A token fifty steps back has about a hundred thousandth of the influence of the
#   last one. Training hardly ever notices it.
# - With $\rho = 1$ the prediction is level. The measured gradient sinks slowly, to about a sixth, because the slopes of the tanh are a little smaller than 1.
# - With $\rho = 1.1$ each $W_h$ makes the gradient 1.1 times as long. Without the tanh it would follow its dashed line, up to nearly 300 times. This is called
#   **exploding**. Here the tanh holds it back for a good part of the way. At the right end we have come back to the first tokens, whose states are still small.
#   There the tanh hardly squeezes, and the line rises like the dashed one.
#
# Now compare this figure with that of the echo. The echo asks how much of an early token arrives at the end. The gradient asks how strongly an error at the
# end would correct what was done at an early token. With $\rho = 0.8$ the echo shrinks to about a millionth of its first value over the 60 tokens, and so
# does the gradient. With $\rho = 1$ both shrink to about a sixth. So what is soon forgotten also gets little gradient: both ways lead through the same slopes
# and the same $W_h$. (The two figures run in opposite directions: the first tokens are at the *left* of the echo and at the *right* of the gradient. There
# the states are small, and the tanh hardly squeezes. That is why, with 1.1, the echo grows at the left and the gradient at the right.)

# %% [markdown]
# So could one simply start an RNN with $\rho = 1$, a rotation? People do; it is called an **orthogonal start**. But such a network keeps everything for equally
# long at first, a comma as well as the subject of the sentence. Training can change that, but nothing in its equation is made for it. A reader should be able to
# *decide*: this I keep, that I forget, and this new thing replaces that old one. For decisions we need another kind of network.
