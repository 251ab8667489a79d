# %% [markdown] statement="influence"
# ## 15. Who can hear whom
#
# A mask says who *may* listen. To see who does, change a word and see which outputs move.
#
# - `influence(layer, X)`: bool $[T, T]$ for a function `layer` from $[T, d]$ to $[T, d']$; entry $[i, j]$: does output $i$ change,
#   however little, when word $j$ becomes another?
# - `wrong_row`: lecture 001 prints how many layers (recurrent: steps) lie between the first word and the last output, for
#   $n$ words: self-attention $O(1)$, recurrent $O(n)$, convolutional (kernel $k$) $O(\log_k n)$, restricted (to $r$ words)
#   $O(n/r)$. Which is wrong for plain stacked layers?
#
# A causal mask that leaks lets a model read the answer; `influence` finds the leak.

# %% [markdown] hints="influence"
# 1. Change all numbers of a word, each by another amount (a layer may take the mean off each word). What moves may move a little or a lot:
#    compare old and new output exactly, row by row.
# 2. For `wrong_row`: if the last output hears the words within some reach, what does one more layer add to the reach?
# 3. Influence: one loop over words; change a *copy*. For the row: draw three layers with a kernel of 3.

# %% task="influence" points=3 level=2 minutes=15
# wrong_row = "self-attention", "recurrent", "convolutional" or "restricted"
### BEGIN SOLUTION
wrong_row = "convolutional"
### END SOLUTION


def influence(layer, X):
    """bool [T, T]: does row i of layer(X) change when row j of X changes?"""
    ### BEGIN SOLUTION
    Y, columns = layer(X), []
    for j in range(len(X)):
        other = X.clone()
        other[j] += torch.randn(X.shape[1], device=X.device)
        columns.append((layer(other) != Y).any(dim=1))
    return torch.stack(columns, dim=1)
    ### END SOLUTION


# %% test="influence" aspect="rows hear columns" points=1
_A = torch.tensor([[1, 2, 0], [0, 0, 3], [4, 0, 0]]).double()
_got = influence(lambda X: _A @ X, torch.ones(3, 2).double())
assert np.shape(_got) == (3, 3), f"T = 3: shape (3, 3); yours: {_got!r}."
assert np.array_equal(np.asarray(_got) != 0, _A != 0), (
    f"Y = A X with A = {_A.int().tolist()}: influence where A is not 0; yours: {np.asarray(_got).astype(int).tolist()}."
)
### BEGIN HIDDEN TESTS
_T = random.randint(4, 6)
_A = torch.from_numpy(np.random.default_rng().choice([0.0, 0.0, 1.0, -2.0], (_T, _T)))
_A[0, -1], _A[-1, 0], _A[2, 1] = 1, 0, 1
for _name, _layer in {
    "tanh(A X)": lambda X: torch.tanh(_A @ X),
    "A X, each word less its mean": lambda X: _A @ (X - X.mean(1, keepdim=True)),
    "the squares of the words, A X²": lambda X: _A @ X.square(),
    "A X, each word made length 1": lambda X: _A @ (X / X.norm(dim=1, keepdim=True)),
    "A X, the numbers of each word added": lambda X: _A @ X.sum(1, keepdim=True),
}.items():
    # whole numbers: a sum of them is exact, in whatever order
    _X = torch.stack(
        [torch.tensor([-3.0, 1, 2, 5])[torch.randperm(4)] + i for i in range(_T)]
    ).double()
    if "tanh" in _name:
        _X = torch.randn(_T, 3).double() / 9
        _X[1] = 0
    _got = influence(_layer, _X.clone())
    assert np.array_equal(np.asarray(_got) != 0, _A != 0), (
        f"{_name}, with other zeros in A (T = {_T}): your matrix is not that of A. "
        "Change all numbers of a word, not all by the same, and compare all numbers."
    )
_after = arguments_after(influence, _layer, _X.clone())[1]
assert close(_after, _X), "influence changes the X that it is given."
### END HIDDEN TESTS

# %% test="influence" aspect="faint voices count" points=1
_faint, _outs, _T = 1e-6, torch.eye(2)[1:], 4
### BEGIN HIDDEN TESTS
_faint, _outs, _T = 10.0 ** -random.randint(7, 9), torch.eye(3), 5
### END HIDDEN TESTS
for _out in _outs:
    _X = torch.ones(_T, len(_out)).double()
    _got = influence(lambda X, _out=_out: 0 * X + _faint * X.sum(0) * _out, _X)
    assert np.shape(_got) == (_T, _T) and bool(np.all(np.asarray(_got))), (
        f"All hear all here, faintly ({_faint:.0e}) and in one number of each word only."
    )
_X = torch.randn(_T, 2).double()
_got = influence(lambda X: X[:, 1:], _X.clone())
assert np.array_equal(np.asarray(_got) != 0, np.eye(_T)), (
    "Each word hears only itself here, through its second number."
)
_last = []
influence(lambda X: _last.append(X.clone()) or X, _X.clone())
assert all((_one != _X).any(1).sum() <= 1 for _one in _last), (
    "More than one word is changed at a time: undo each change."
)
### BEGIN HIDDEN TESTS
_wide = {
    "the last of seven": lambda X: torch.cat([0 * X, 0 * X, 0 * X, X[:, :1]], dim=1),
    "the third of four": lambda X: torch.cat([0 * X, X], dim=1)[:, [0, 1, 3, 0]],
}
for _name, _layer in _wide.items():
    for _words in (_X, _X[:1]):
        _got = influence(_layer, _words.clone())
        assert np.array_equal(np.asarray(_got) != 0, np.eye(len(_words))), (
            f"Words of 2 numbers, outputs wider than that: each of {len(_words)} words "
            f"hears only itself, in {_name}; yours: {_got!r}."
        )
_got = influence(lambda X: X.cumsum(0), _X[:, :1].clone())
assert np.array_equal(np.asarray(_got) != 0, np.tri(5)), (
    "Running sums of words of one number: each hears itself and those before; "
    f"yours: {_got!r}."
)
_got = influence(lambda X: X[:, :1] + 1e-9 * X.flip(0)[:, 1:], _X.clone())  # [T, 1]
assert np.array_equal(np.asarray(_got) != 0, (np.eye(5) + np.eye(5)[::-1]) > 0), (
    "Each word hears itself loudly and one other faintly, in one number: some are not found."
)
### END HIDDEN TESTS

# %% test="influence" aspect="the wrong row" points=1
_names = ("self-attention", "recurrent", "convolutional", "restricted")
assert wrong_row in _names, (
    f"wrong_row is one of {', '.join(_names)}; yours: {wrong_row!r}."
)
### BEGIN HIDDEN TESTS
assert wrong_row == "convolutional", (
    f"{wrong_row} is right. Count what one more layer adds (recurrent: one more step)."
)
### END HIDDEN TESTS


# %%
def layers_needed(heard):
    """Fewest layers, each of reach heard: bool [T, T], until the last output hears word 0."""
    words, layers = heard[-1], 1
    while not words[0]:
        words, layers = heard[words].any(dim=0), layers + 1
    return layers


# %%
set_seed(1)
rnn, convolution = nn.RNN(8, 8), nn.Conv1d(8, 8, 3, padding=1)
here, there = torch.arange(16)[:, None], torch.arange(16)

# %%
layers = {
    "self-attention": lambda X: attend(X, X, X),
    "causal": lambda X: attend(X, X, X, attn_mask=there <= here),
    "restricted, r = 5": lambda X: attend(X, X, X, attn_mask=(here - there).abs() <= 2),
    "convolution, k = 3": lambda X: convolution(X.T).T,
    "RNN (one layer)": lambda X: rnn(X)[0],
}

# %% folded="draws who can hear whom" alt="Five square patterns of which output hears which word: all of it for self-attention, a lower triangle for causal attention and the RNN, a band for restricted attention and convolution."
_, axes = plt.subplots(1, 5, figsize=(7, 1.8), sharey=True)
for axis, (name, layer) in zip(axes, layers.items(), strict=True):
    heard = torch.as_tensor(influence(layer, torch.randn(16, 8))).bool()
    axis.imshow(heard, cmap="Blues", vmin=0, vmax=1)
    axis.set_title(name.replace(", ", "\n"), fontsize=10)
    axis.set_xlabel("word changed", fontsize=9)
    print(f"{name}: layers needed {layers_needed(heard)}", end="; ")
    axis.grid(False)
axes[0].set_ylabel("output")
plt.show()

# %% [markdown]
# Dark: the output moves. Nothing above the diagonal means no look ahead. The RNN is *one* layer, but 16 *steps* deep.
#
# <details><summary>After you have decided: how far a layer reaches</summary>
#
# A layer with a kernel of $k$ adds $(k-1)/2$ words on either side, so the last output needs about $2(n-1)/(k-1)$ layers to
# hear the first. The logarithm needs *dilation*: each layer skips $k$ times more words than the one below.
# </details>
