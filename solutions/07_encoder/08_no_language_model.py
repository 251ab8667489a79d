# %% [markdown]
# ## 8. Why this is no language model
#
# A causal language model multiplies $P(w_1)\,P(w_2 \mid w_1) \cdots P(w_T \mid w_1 \ldots w_{T-1})$. By the chain rule that
# is the probability of the text, if no factor has seen its own word or a later one. For the kitchen text it is known that no such
# model can have a mean loss below 1.58 nats, the **floor** (section 15).
#
# The mask is what we *wanted*. What a network really does must be measured: chapter 6's `influence` (ready-made here) changes one word at a time
# and notes which outputs move.

# %%
torch.manual_seed(1)
stack = [nn.TransformerEncoderLayer(8, 2, 16, 0.0, norm_first=True) for _ in range(3)]


# %%
def outputs(mask):
    """The three layers with this mask, a function from [T, C] to [T, C]."""

    def run(X):
        for layer in stack:
            X = layer.double()(X, src_mask=~mask)  # torch asks who may NOT look
        return X

    return run


# %% folded="draws masks and what is heard" alt="Above four masks, below what three layers hear. For GPT, prefix and BERT the two patterns are equal; for the window the pattern below is a wider band."
figure, axes = plt.subplots(2, 4, figsize=(8, 4.3), sharex=True, sharey=True)
figure.suptitle("Three layers look further than their mask only with a window")
for (name, mask), (above, below) in zip(shapes.items(), axes.T, strict=True):
    above.imshow(mask, cmap="Blues", vmin=0, vmax=1)
    heard = influence(outputs(mask), torch.randn(9, 8).double())
    below.imshow(heard, cmap="Oranges", vmin=0, vmax=1)
    above.set_title(name)
    above.set_xlabel("word looked at")
    below.set_xlabel("word changed")
axes[0, 0].set_ylabel("mask: looks")
axes[1, 0].set_ylabel("output that moves")
for axis in axes.flat:
    axis.grid(False)
    axis.set(xticks=[0, 4, 8], yticks=[0, 4, 8])
plt.show()

# %% [markdown]
# The upper row shows the masks, the lower row what three random layers depend on. For the window the two differ, and the lower one counts.

# %% [markdown] statement="dependency"
# Output $i$ guesses the word `ahead` places further on: `ahead=1` is the next word, `ahead=0` the word at its own place. $D$ is any bool matrix $[T, T]$, not
# only a triangular one: `D[i, j]` tells whether output $i$ depends on word $j$. Write
#
# - `causal(D, ahead)`: True if no output depends on the word it guesses or on any word after that;
# - `copier_loss(D, ahead, honest)`: the mean loss of the $T$ outputs if each that depends on *the very word it guesses* copies it, at a loss of 0, and every
#   other output $i$ has its honest loss, `honest[i]`. Where the guessed word would lie beyond the end of the text, the output cannot copy it, and has its
#   honest loss.
#
# Predict: every output depends on every word, $T = 8$, and each honest loss is the floor. What is the copier's mean loss for `ahead=1`?

# %% [markdown] hints="dependency"
# 1. Draw $D$ for $T = 4$ and mark in each row the column of the guessed word. On which side of the mark must all be
#    False?
# 2. The two functions ask different things: one about a whole corner of $D$, the other about a single diagonal.
# 3. Which outputs have no guessed word inside the text? They cannot copy. And the mean is over all $T$ outputs, honest
#    or not.


# %% task="dependency" points=3 level=2 minutes=15
def causal(D, ahead):
    """May these outputs be multiplied by the chain rule? True or False."""
    ### BEGIN SOLUTION
    return not torch.as_tensor(D).bool().triu(ahead).any()
    ### END SOLUTION


def copier_loss(D, ahead, honest):
    """The mean of T losses: 0 where an output sees the word it guesses, else honest[i]."""
    ### BEGIN SOLUTION
    T = len(D)
    losses = [
        0.0 if i + ahead < T and D[i][i + ahead] else float(honest[i]) for i in range(T)
    ]
    return sum(losses) / T
    ### END SOLUTION


# %% family="dependency"
_size, _far = size("T", large=12), whole(0, 3, (9,))
_matrix = made(  # True up to a diagonal, and here and there beyond
    lambda rng, T, most, share: torch.tensor(
        [[j < i + most or rng.random() < share for j in range(T)] for i in range(T)]
    ),
    *(_size, whole(-1, 3), choice(0, 0.1, 0.5)),
    edges=[  # one True, in the corner
        lambda rng, T, most, share: torch.tensor(
            [[j - i == T - 1 for j in range(T)] for i in range(T)]
        )
    ],
)


# %% test="dependency" aspect="what the chain rule allows" points=1
_cases = [(torch.ones(3, 3) > 0, 1, False), (torch.ones(3, 3).tril() > 0, 1, True)]
for _D, _ahead, _wanted in _cases:
    _got = causal(_D.clone(), _ahead)
    assert is_number(_got), f"causal returns True or False; yours: {_got!r}."
    assert bool(_got) == _wanted, (
        f"D = {_D.int().tolist()}, ahead = {_ahead}: causal is {_wanted}; yours: {_got!r}."
    )
### BEGIN HIDDEN TESTS
_D = choice(torch.ones(6, 6).triu(5) > 0, _matrix)
agrees(
    causal,
    ours.causal,
    D=_D,
    by=lambda causal, D: {f"ahead = {a}": causal(D, a) for a in range(len(D) + 2)},
)
### END HIDDEN TESTS

# %% test="dependency" aspect="who copies" points=1
_cases = [(torch.tensor([[1, 1], [0, 1]]) > 0, 1, [3.0, 5.0], 2.5)]
for _D, _ahead, _honest, _wanted in _cases:
    _got = copier_loss(_D.clone(), _ahead, _honest)
    assert is_number(_got), f"copier_loss returns a number; yours: {_got!r}."
    assert close(float(_got), _wanted, 1e-5), (
        f"D = {_D.int().tolist()}, ahead = {_ahead}, honest {list(_honest)}: "
        f"{_wanted:.4f} wanted; yours: {_got}."
    )
### BEGIN HIDDEN TESTS
_n, _kind = _size, choice(list, torch.tensor, np.array)
_honest = made(
    lambda rng, T, kind: kind([rng.uniform(1, 2) for _ in range(T)]), _n, _kind
)
agrees(copier_loss, ours.copier_loss, _matrix, _far, _honest, rtol=1e-5)
### END HIDDEN TESTS

# %% test="dependency" aspect="full and triangular" points=1
_T = 4
_full, _tri = torch.ones(_T, _T) > 0, torch.ones(_T, _T).tril() > 0
for _D, _ahead, _wanted in (
    (_full, 0, 0),
    (_full, 1, 2 / _T),
    (_tri, 1, 2),
    (_tri, 0, 0),
):
    _got = copier_loss(_D.clone(), _ahead, [2.0] * _T)
    assert is_number(_got), f"copier_loss returns a number; yours: {_got!r}."
    assert close(float(_got), _wanted), (
        f"T = {_T}, {'full' if _D.all() else 'triangular'} D, ahead = {_ahead}, "
        f"2 nats each: {_wanted:.4f} wanted; yours: {_got}."
    )

# %%
for name, mask in shapes.items():
    D = layers_reach(mask, 3)[:8, :8]
    loss = copier_loss(D, 1, [1.58] * 8)
    print(
        f"{name:7} next word, causal: {causal(D, 1)!s:5}  a copier's loss: {loss:.2f}"
    )

# %% [markdown]
# With a full mask only the last output must guess, and mere copying brings the mean loss to 0.20 nats. That is an eighth of the floor, below which no honest
# model can be. So a model that sees both sides cannot be trained on "what comes next", because the answer is in its input. We must take the answer out
# (section 10).
