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


def layers_needed(R):
    one = R.int()
    power, layers = one, 1
    while power[-1, 0] == 0:
        power, layers = (power @ one > 0).int(), layers + 1
    return layers


# %% right="lists, and a search by breadth"
wrong_row = "convolutional"


def influence(layer, X):
    old, result = layer(X.clone()), []
    for j in range(len(X)):
        new = layer(torch.cat([X[:j], -X[j : j + 1] - 3, X[j + 1 :]]))
        result.append([bool((a - b).abs().max() > 0) for a, b in zip(new, old)])
    return np.array(result).T


def layers_needed(R):
    table = R.tolist()
    seen, layers = {len(table) - 1}, 0
    while 0 not in seen or layers == 0:
        seen = {j for i in seen for j, hears in enumerate(table[i]) if hears}
        layers += 1
    return layers


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
# -         other[j] += torch.randn(X.shape[1])


# %% wrong="counted from zero" caught_by="layers until it is heard" change=", 1 -> , 0"


# %% wrong="one too many" caught_by="layers until it is heard" change="return layers -> return layers + 1"


# %% wrong="from the first to the last" caught_by="layers until it is heard"
# -     heard, layers = R[-1], 1
# -     while not heard[0]:
# -         heard, layers = R[heard].any(dim=0), layers + 1
# -     return layers
# +     heard = R[0]
# +     for layers in range(1, len(R) + 1):
# +         if heard[-1]:
# +             return layers
# +         heard = R[heard].any(dim=0)
# +     return len(R)


# %% wrong="words per layer, divided" caught_by="layers until it is heard"
# -     heard, layers = R[-1], 1
# -     while not heard[0]:
# -         heard, layers = R[heard].any(dim=0), layers + 1
# -     return layers
# +     return math.ceil(len(R) / int(R[-1].sum()))


# %% wrong="always one" caught_by="layers until it is heard"
# -     heard, layers = R[-1], 1
# -     while not heard[0]:
# -         heard, layers = R[heard].any(dim=0), layers + 1
# -     return layers
# +     return 1


# %% wrong="recurrent suspected" caught_by="the wrong row" change="= \"convolutional -> = \"recurrent"


# %% wrong="restricted suspected" caught_by="the wrong row" change="= \"convolutional -> = \"restricted"


# %% wrong="self-attention suspected" caught_by="the wrong row" change="= \"convolutional -> = \"self-attention"


# %% wrong="one added to all numbers" caught_by="rows hear columns" change="torch.randn(X.shape[1]) -> 1"


# %% wrong="the word doubled" caught_by="rows hear columns" change="+= torch.randn(X.shape[1]) -> *= 2"


# %% wrong="the word negated" caught_by="rows hear columns" change="+= torch.randn(X.shape[1]) -> = -other[j]"


# %% wrong="the word read backwards and negated" caught_by="rows hear columns" change="+= torch.randn(X.shape[1] -> = -other[j].flip(0"


# %% wrong="the word set to 0" caught_by="rows hear columns" change="+= torch.randn(X.shape[1]) -> = 0"


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
# -         other[j] += torch.randn(X.shape[1])
# -         columns.append((layer(other) != Y).any(dim=1))
# +         X[:j] = old[:j]
# +         X[j] += torch.randn(X.shape[1])
# +         columns.append((layer(X.clone()) != Y).any(dim=1))


# %% wrong="jumps to the earliest word" caught_by="layers until it is heard"
# -     heard, layers = R[-1], 1
# -     while not heard[0]:
# -         heard, layers = R[heard].any(dim=0), layers + 1
# +     place, layers = len(R) - 1, 0
# +     while layers < 100:
# +         place, layers = int(R[place].int().argmax()), layers + 1
# +         if place == 0:
# +             return layers


# %% wrong="collected in a row of R" caught_by="layers until it is heard"
# -         heard, layers = R[heard].any(dim=0), layers + 1
# +         heard |= R[heard].any(dim=0)
# +         layers += 1


# %% wrong="reach doubled, not added" caught_by="layers until it is heard"
# -     heard, layers = R[-1], 1
# -     while not heard[0]:
# -         heard, layers = R[heard].any(dim=0), layers + 1
# +     power, layers = R.int(), 1
# +     while power[-1, 0] == 0 and layers < 100:
# +         power, layers = (power @ power > 0).int(), 2 * layers


# %% wrong="a step leads both ways" caught_by="layers until it is heard"
# -     heard, layers = R[-1], 1
# +     both = R | R.T
# +     heard, layers = both[-1], 1

# -         heard, layers = R[heard].any(dim=0), layers + 1
# +         heard, layers = both[heard].any(dim=0), layers + 1


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


def layers_needed(R):
    heard, layers = R[-1].clone(), 1
    while not heard[0]:
        heard, layers = heard | R[heard].any(dim=0), layers + 1
    return torch.tensor(layers)


# %% wrong="outputs as wide as words, no wider" caught_by="faint voices count" change="= Y) -> = Y)[:, : X.shape[1]]"


# %% wrong="256 ways are none" caught_by="layers until it is heard"
# -     heard, layers = R[-1], 1
# -     while not heard[0]:
# -         heard, layers = R[heard].any(dim=0), layers + 1
# +     step = R.to(torch.uint8)
# +     ways, layers = step[-1], 1
# +     while not ways[0] and layers < 1000:
# +         ways, layers = ways @ step, layers + 1
