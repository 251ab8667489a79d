"""Answers to the task influence of chapter 06."""

# %% right="rows replaced, matrix filled; powers of R"
wrong_row = "convolutional"


def influence(layer, X):
    T = X.shape[0]
    before = layer(X)
    R = torch.zeros(T, T, dtype=torch.bool)
    for j in range(T):
        changed = X.clone()
        changed[j] = X[j] * 1.5 + 1
        after = layer(changed)
        for i in range(T):
            R[i, j] = not torch.equal(after[i], before[i])
    return R


# %% right="lists, and a search by breadth"
wrong_row = "convolutional"


def influence(layer, X):
    old, result = layer(X.clone()), []
    for j in range(len(X)):
        new = layer(torch.cat([X[:j], -X[j : j + 1] - 3, X[j + 1 :]]))
        result.append([bool((a - b).abs().max() > 0) for a, b in zip(new, old)])
    return np.array(result).T


# %% wrong="columns hear rows" caught_by="rows hear columns" change="columns, dim=1 -> columns, dim=0"


# %% wrong="differences instead of bools of the first number" caught_by="faint voices count" change=".any(dim=1) -> [:, 0]"


# %% wrong="only if every number of the row moves" caught_by="faint voices count" change="Y).any -> Y).all"


# %% wrong="threshold too high" caught_by="faint voices count" change="layer(other) != Y -> (layer(other) - Y).abs() > 1e-3"


# %% wrong="changes pile up" caught_by="faint voices count"
#       Y, columns = layer(X), []
# +     other = X.clone()

# -         other = X.clone()


# %% wrong="what stays instead of what moves" caught_by="rows hear columns" change="!= Y).any -> == Y).all"


# %% wrong="only the changed word is asked" caught_by="rows hear columns" change="(layer(other) != Y).any(dim=1) -> torch.arange(len(X)) == j"


# %% wrong="nothing is disturbed" caught_by="rows hear columns"
# -         other[j] += torch.randn(X.shape[1], device=X.device)


# %% wrong="recurrent suspected" caught_by="the wrong row" change="= \"convolutional -> = \"recurrent"


# %% wrong="restricted suspected" caught_by="the wrong row" change="= \"convolutional -> = \"restricted"


# %% wrong="self-attention suspected" caught_by="the wrong row" change="= \"convolutional -> = \"self-attention"


# %% wrong="one added to all numbers" caught_by="rows hear columns" change="torch.randn(X.shape[1], device=X.device) -> 1"


# %% wrong="the word doubled" caught_by="rows hear columns" change="+= torch.randn(X.shape[1], device=X.device) -> *= 2"


# %% wrong="the word negated" caught_by="rows hear columns" change="+= torch.randn(X.shape[1], device=X.device) -> = -other[j]"


# %% wrong="the word read backwards and negated" caught_by="rows hear columns" change="+= torch.randn(X.shape[1], device=X.device -> = -other[j].flip(0"


# %% wrong="the word set to 0" caught_by="rows hear columns" change="+= torch.randn(X.shape[1], device=X.device) -> = 0"


# %% wrong="only the last number compared" caught_by="faint voices count"
# -     Y, columns = layer(X), []
# +     Y, columns = layer(X)[:, -1], []

# -         columns.append((layer(other) != Y).any(dim=1))
# +         columns.append(layer(other)[:, -1] != Y)


# %% wrong="compared up to rounding" caught_by="faint voices count" change="layer(other) != Y -> ~torch.isclose(layer(other), Y)"


# %% wrong="X itself is changed, one word at a time" caught_by="rows hear columns"
# -     Y, columns = layer(X), []
# +     Y, columns, old = layer(X), [], X.clone()

# -         other = X.clone()
# -         other[j] += torch.randn(X.shape[1], device=X.device)
# -         columns.append((layer(other) != Y).any(dim=1))
# +         X[:j] = old[:j]
# +         X[j] += torch.randn(X.shape[1], device=X.device)
# +         columns.append((layer(X.clone()) != Y).any(dim=1))


# %% right="numbers for bools, a list; all that was ever heard"
wrong_row = "convolutional"


def influence(layer, X):
    Y = layer(X.clone())
    table = [[0] * len(X) for _ in X]
    for j in range(len(X)):
        noise = torch.zeros_like(X)
        noise[j] = torch.rand(X.shape[1]) + 1
        for i, row in enumerate(layer(X + noise)):
            table[i][j] = int((row != Y[i]).any())
    return table


# %% wrong="outputs as wide as words, no wider" caught_by="faint voices count" change="= Y) -> = Y)[:, : X.shape[1]]"
