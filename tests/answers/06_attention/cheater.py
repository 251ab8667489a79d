"""Answers to the task cheater of chapter 06."""


# %% right="a loop over places"
def by_distance(P):
    heads, T, _ = P.shape
    result = torch.zeros(heads, T, dtype=P.dtype)
    for k in range(T):
        for i in range(k, T):
            result[:, k] += P[:, i, i - k] / (T - k)
    return result


looks_back = 20 - 1
still_right = frozenset(n for n in (7, 8, 10, 12, 16, 19, 20) if 20 % n == 0)


# %% right="NumPy, lists"
def by_distance(P):
    return [[float(np.trace(one, -k)) / (len(one) - k) for k in range(len(one))] for one in P.numpy()]


looks_back = np.float64(19)
still_right = [20, 10]


# %% wrong="sums" caught_by="mean weight at each distance" change="dim2=2).mean(-1) -> dim2=2).sum(-1)"


# %% wrong="divided by all words" caught_by="mean weight at each distance" change="dim2=2).mean(-1) -> dim2=2).sum(-1) / T"


# %% wrong="places after" caught_by="mean weight at each distance" change="diagonal(-k -> diagonal(k"


# %% wrong="itself left out" caught_by="mean weight at each distance" change="for k in range(T) -> for k in range(1, T + 1)"


# %% wrong="mean over heads" caught_by="mean weight at each distance"
# -     return torch.stack(
# -         [P.diagonal(-k, dim1=1, dim2=2).mean(-1) for k in range(T)], dim=1
# -     )
# +     found = torch.stack([P.diagonal(-k, dim1=1, dim2=2).mean(-1) for k in range(T)], dim=1)
# +     return found.mean(0, keepdim=True).expand(len(P), -1)


# %% wrong="forty distances at most" caught_by="mean weight at each distance" change="for k in range(T) -> for k in range(min(T, 40))"


# %% wrong="twenty back" caught_by="how far it looks back" change="looks_back = 19 -> looks_back = 20"


# %% wrong="as many as can be looked at" caught_by="how far it looks back" change="looks_back = 19 -> looks_back = 37"


# %% wrong="one back, as the learner" caught_by="how far it looks back" change="looks_back = 19 -> looks_back = 1"


# %% wrong="only what it has learned" caught_by="where it is still right" change="{10, 20} -> {20}"


# %% wrong="all that are not longer" caught_by="where it is still right" change="{10, 20} -> {7, 8, 10, 12, 16, 19, 20}"


# %% wrong="neighbours" caught_by="where it is still right" change="{10, 20} -> {19, 20}"


# %% wrong="heads taken for words where both are as many" caught_by="mean weight at each distance" change="dim1=1, dim2=2).mean -> dim1=int(len(P) != T), dim2=2).mean"


# %% wrong="weights of 0 are left out of the mean" caught_by="mean weight at each distance" change="dim2=2).mean(-1) -> dim2=2).sum(-1) / (P.diagonal(-k, dim1=1, dim2=2) != 0).sum(-1).clamp(min=1)"
