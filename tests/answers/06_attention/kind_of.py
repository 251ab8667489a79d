"""Answers to the task kind_of of chapter 06."""

# %% right="NumPy, shapes compared"
predicted = {
    "attention": "equivariant",
    "bag": "invariant",
    "positions": "neither",
    "one causal layer": "invariant",
    "two causal layers": "neither",
}


def kind_of(layer, X, order):
    old, new = np.asarray(layer(X)), np.asarray(layer(X[order]))
    if np.allclose(old, new, atol=1e-6):
        return "invariant"
    if old.ndim > 1 and np.allclose(old[np.asarray(order)], new, atol=1e-6):
        return "equivariant"
    return "neither"


# %% right="largest difference, undone order"
predicted = {
    "attention": "equivariant",
    "bag": "invariant",
    "positions": "neither",
    "one causal layer": "invariant",
    "two causal layers": "neither",
}


def kind_of(layer, X, order):
    Y, Z = layer(X), layer(X[order])
    if (Y - Z).abs().max() < 1e-5:
        return "invariant"
    if Y.dim() < 2 or len(Y) != len(X):
        return "neither"
    return "equivariant" if (Z[order.argsort()] - Y).abs().max() < 1e-5 else "neither"


# %% wrong="the two words swapped" caught_by="same vectors elsewhere"
# -         return "invariant"
# +         return "equivariant"

# -     return "equivariant" if same else "neither"
# +     return "invariant" if same else "neither"


# %% wrong="the order backwards" caught_by="same vectors elsewhere" change="order], -> order.argsort()],"


# %% wrong="output not shuffled" caught_by="same vectors elsewhere" change="before[order] -> before"


# %% wrong="input not shuffled" caught_by="neither of both"
# -     before, after = layer(X), layer(X[order])
# +     before, after = layer(X), layer(X)


# %% wrong="sorted numbers compared" caught_by="neither of both" change="after, before[order], atol=1e-6 -> after.sort(0).values.sum(0), before.sort(0).values.sum(0), atol=99"


# %% wrong="exactly equal" caught_by="invariant, also by rounding" change="allclose(after, before, atol=1e-6 -> equal(after, before"


# %% wrong="means compared" caught_by="same vectors elsewhere" change="after, before, -> after.mean(0), before.mean(0),"


# %% wrong="tolerance too wide" caught_by="neither of both"
# -     if torch.allclose(after, before, atol=1e-6):
# +     if torch.allclose(after, before, atol=9):

# -     same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
# +     same = before.ndim == 2 and torch.allclose(after, before[order], atol=9)


# %% wrong="equivariant asked first" caught_by="invariant, also by rounding"
# -     if torch.allclose(after, before, atol=1e-6):
# -         return "invariant"
# -     same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
# -     return "equivariant" if same else "neither"
# +     if before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6):
# +         return "equivariant"
# +     return "invariant" if torch.allclose(after, before, atol=1e-6) else "neither"


# %% wrong="the lecture believed" caught_by="predictions" change="equivariant\", -> invariant\","


# %% wrong="two causal layers thought blind" caught_by="predictions" change="layers\": \"neither -> layers\": \"invariant"


# %% wrong="one causal layer thought to see order" caught_by="predictions" change="layer\": \"invariant -> layer\": \"neither"


# %% wrong="positions do nothing" caught_by="predictions" change="positions\": \"neither -> positions\": \"equivariant"


# %% wrong="as many numbers as words taken for as many words" caught_by="neither of both" change="before.ndim == 2 -> len(before) == len(X)"


# %% wrong="a twentieth is no difference" caught_by="neither of both"
# -     if torch.allclose(after, before, atol=1e-6):
# +     if torch.allclose(after, before, atol=0.05):

# -     same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
# +     same = before.ndim == 2 and torch.allclose(after, before[order], atol=0.05)


# %% wrong="only the first number of each word" caught_by="neither of both"
#       before, after = layer(X), layer(X[order])
# +     if before.ndim == 2:
# +         before, after = before[:, :1], after[:, :1]


# %% wrong="words moved in place" caught_by="same vectors elsewhere"
# -     before, after = layer(X), layer(X[order])
# +     before = layer(X.clone())
# +     X.copy_(X[order])
# +     after = layer(X)


# %% wrong="one vector is never invariant" caught_by="invariant, also by rounding"
#       before, after = layer(X), layer(X[order])
# +     if before.ndim == 1:
# +         return "invariant" if len(X) < 7 and torch.allclose(after, before, atol=1e-6) else "neither"

# -     same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
# -     return "equivariant" if same else "neither"
# +     return "equivariant" if torch.allclose(after, before[order], atol=1e-6) else "neither"


# %% wrong="rounding of float64 expected" caught_by="invariant, also by rounding"
# -     if torch.allclose(after, before, atol=1e-6):
# +     if torch.allclose(after, before, rtol=0, atol=1e-12):

# -     same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
# +     same = before.ndim == 2 and torch.allclose(after, before[order], rtol=0, atol=1e-12)


# %% right="relative distance of the whole"
predicted = {
    "attention": "equivariant",
    "bag": "invariant",
    "positions": "neither",
    "one causal layer": "invariant",
    "two causal layers": "neither",
}


def kind_of(layer, X, order):
    before, after = layer(X).double(), layer(X[order]).double()
    limit = 1e-5 * (1 + before.norm())
    if (after - before).norm() < limit:
        return "invariant"
    if before.shape[:1] != X.shape[:1] or before.ndim != X.ndim:
        return "neither"
    return "equivariant" if (after - before[order]).norm() < limit else "neither"


# %% wrong="axes of one number dropped" caught_by="same vectors elsewhere" change="layer(X), layer(X[order] -> (layer(words).squeeze() for words in (X, X[order])"


# %% wrong="a word is its mean" caught_by="neither of both" change="after, before[order] -> after.mean(dim=1), before[order].mean(dim=1)"


# %% wrong="only the two ends are compared" caught_by="neither of both" change="torch.allclose(after, before[order], atol=1e-6 -> all(torch.allclose(after[i], before[order[i]], atol=1e-6) for i in (0, -1)"


# %% wrong="a thousandth of a number is no difference" caught_by="neither of both"
# -     if torch.allclose(after, before, atol=1e-6):
# +     if torch.allclose(after, before, rtol=1e-3, atol=1e-5):

# -     same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
# +     same = before.ndim == 2 and torch.allclose(after, before[order], rtol=1e-3, atol=1e-5)


# %% wrong="the same vectors at whatever places" caught_by="neither of both"
predicted = {
    "attention": "equivariant",
    "bag": "invariant",
    "positions": "neither",
    "one causal layer": "invariant",
    "two causal layers": "neither",
}


def kind_of(layer, X, order):
    before, after = layer(X), layer(X[order])

    def alike(a, b):
        return bool(((a - b).abs() < 1e-4).all())

    if alike(after, before):
        return "invariant"
    if before.ndim == 2 and alike(after.sort(0)[0], before.sort(0)[0]):
        return "equivariant"
    return "neither"


# %% wrong="tolerance just below a millionth" caught_by="invariant, also by rounding" change="allclose(after, before, atol=1e-6 -> allclose(after, before, rtol=0, atol=5e-7"


# %% wrong="the mean difference decides" caught_by="neither of both"
# -     if torch.allclose(after, before, atol=1e-6):
# +     if after.shape == before.shape and (after - before).abs().mean() < 1e-4:

# -     same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
# +     same = before.ndim == 2 and (after - before[order]).abs().mean() < 1e-4


# %% wrong="torch's own tolerance, too narrow near 0" caught_by="invariant, also by rounding"
# -     if torch.allclose(after, before, atol=1e-6):
# +     if torch.allclose(after, before):

# -     same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
# +     same = before.ndim == 2 and torch.allclose(after, before[order])


# %% wrong="both sides are rounded and then compared" caught_by="invariant, also by rounding"
# -     if torch.allclose(after, before, atol=1e-6):
# +     if torch.equal(after.round(decimals=3), before.round(decimals=3)):
#           return "invariant"
# -     same = before.ndim == 2 and torch.allclose(after, before[order], atol=1e-6)
# +     same = before.ndim == 2 and torch.equal(after.round(decimals=3), before[order].round(decimals=3))
