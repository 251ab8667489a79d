"""Answers to the task mask_tokens of chapter 07."""


# %% right="one draw for both decisions"
def mask_tokens(ids, lengths, rate, shares, blank, V, generator):
    u = torch.from_numpy(generator.random(ids.shape))
    u[torch.arange(ids.shape[1]).expand(ids.shape) >= lengths[:, None]] = 2
    inputs = ids.clone()
    inputs[u < rate * (shares[0] + shares[1])] = blank
    other = (u < rate * (shares[0] + shares[1])) & (u >= rate * shares[0])
    new = generator.integers(0, V, int(other.sum()))
    inputs[other] = torch.as_tensor(new, dtype=ids.dtype)
    targets = torch.full_like(ids, -100)
    targets[u < rate] = ids[u < rate]
    return inputs, targets


# %% right="NumPy row by row, a draw among three kinds"
def mask_tokens(ids, lengths, rate, shares, blank, V, generator):
    inputs = np.array(ids)
    targets = np.full(inputs.shape, -100)
    for row, n in enumerate(lengths.tolist()):
        yes = np.flatnonzero(generator.random(n) < rate)
        targets[row, yes] = inputs[row, yes]
        kinds = generator.choice(3, size=len(yes), p=shares)
        words = generator.choice(V, size=len(yes))
        inputs[row, yes[kinds == 0]] = blank
        inputs[row, yes[kinds == 1]] = words[kinds == 1]
    return torch.tensor(inputs), torch.tensor(targets)


# %% wrong="padding is chosen" caught_by="padding is left alone" change="chosen = real & -> chosen ="


# %% wrong="the filler is told by its number" caught_by="padding is left alone" change="torch.arange(ids.shape[1]) < lengths[:, None] -> ids != 0"


# %% wrong="one place of padding too many" caught_by="padding is left alone" change="< lengths[:, None] -> <= lengths[:, None]"


# %% wrong="targets hold what the input shows" caught_by="who is asked"
# -     inputs = torch.where(covered, blank, torch.where(other, words, ids))
# -     return inputs, torch.where(chosen, ids, -100)
# +     inputs = torch.where(covered, blank, torch.where(other, words, ids))
# +     return inputs, torch.where(chosen, inputs, -100)


# %% wrong="only blanks are asked" caught_by="what becomes of the chosen" change="torch.where(chosen, ids, -100) -> torch.where(covered, ids, -100)"


# %% wrong="all places are asked" caught_by="who is asked" change="torch.where(chosen, ids, -100) -> ids.clone()"


# %% wrong="what stays is not asked" caught_by="what becomes of the chosen" change="torch.where(chosen, ids, -100) -> torch.where(covered | other, ids, -100)"


# %% wrong="shares of random and kept changed over" caught_by="what becomes of the chosen" change="kind < shares[0] + shares[1] -> kind < shares[0] + shares[2]"


# %% wrong="one random word for all" caught_by="what becomes of the chosen" change="generator.integers(V, size=ids.shape) -> generator.integers(V, size=(1,))"


# %% wrong="word 0 is never drawn" caught_by="what becomes of the chosen" change="integers(V, size -> integers(1, V, size"


# %% wrong="the blank is drawn, too" caught_by="what becomes of the chosen" change="integers(V, size -> integers(blank + 1, size"


# %% wrong="one choice for all texts" caught_by="who is asked" change="generator.random(ids.shape)) < rate -> generator.random(ids.shape[1])) < rate"


# %% wrong="one kind for each text" caught_by="what becomes of the chosen" change="kind = torch.from_numpy(generator.random(ids.shape)) -> kind = torch.from_numpy(generator.random((len(ids), 1)))"


# %% wrong="exactly the rate in each text" caught_by="who is asked"
# -     chosen = real & (torch.from_numpy(generator.random(ids.shape)) < rate)
# +     rank = torch.from_numpy(generator.random(ids.shape)).argsort(1).argsort(1)
# +     chosen = real & (rank < rate * ids.shape[1])


# %% wrong="one draw decides whether and what" caught_by="what becomes of the chosen"
# -     chosen = real & (torch.from_numpy(generator.random(ids.shape)) < rate)
# -     kind = torch.from_numpy(generator.random(ids.shape))
# +     kind = torch.from_numpy(generator.random(ids.shape))
# +     chosen = real & (kind < rate)


# %% wrong="kinds without the generator" caught_by="the generator decides" change="kind = torch.from_numpy(generator.random(ids.shape)) -> kind = torch.rand(ids.shape)"


# %% wrong="random words without the generator" caught_by="the generator decides" change="torch.from_numpy(generator.integers(V, size=ids.shape)) -> torch.randint(V, ids.shape)"


# %% wrong="a seed of its own" caught_by="the generator decides"
#       real = torch.arange(ids.shape[1]) < lengths[:, None]
# +     generator = np.random.default_rng(0)


# %% wrong="80 % whatever the shares say" caught_by="what becomes of the chosen" change="covered = chosen & (kind < shares[0]) -> covered = chosen & (kind < 0.8)"


# %% wrong="the ids are changed in place" caught_by="who is asked"
# -     return inputs, torch.where(chosen, ids, -100)
# +     targets = torch.where(chosen, ids, -100)
# +     ids.copy_(inputs)
# +     return inputs, targets


# %% wrong="a random word is always another one" caught_by="what becomes of the chosen"
#       words = torch.from_numpy(generator.integers(V, size=ids.shape))
# +     words = torch.where(words == ids, (words + 1) % V, words)
