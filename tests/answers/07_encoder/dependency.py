"""Answers to the task dependency of chapter 07."""


# %% right="loops"
def causal(D, ahead):
    for i in range(len(D)):
        for j in range(len(D)):
            if j >= i + ahead and bool(D[i, j]):
                return False
    return True


def copier_loss(D, ahead, honest):
    total = 0.0
    for i in range(len(D)):
        j = i + ahead
        if j >= len(D) or not bool(D[i, j]):
            total += float(honest[i])
    return total / len(D)


# %% right="triangle and diagonal, NumPy"
def causal(D, ahead):
    D = np.asarray(D)
    return np.array_equal(D, D & (np.tri(len(D), k=ahead - 1) > 0))


def copier_loss(D, ahead, honest):
    D = np.asarray(D).astype(bool)
    losses = np.array(honest, dtype=float)
    sees = np.diagonal(D, ahead) if ahead < len(D) else np.zeros(0, bool)
    losses[: len(sees)][sees] = 0
    return losses.mean()


# %% right="a tensor as the loss"
def causal(D, ahead):
    return (D.int().triu(ahead).sum() == 0).item()


def copier_loss(D, ahead, honest):
    T = len(D)
    wide = torch.cat([D, torch.zeros(T, ahead, dtype=torch.bool)], dim=1)
    sees = wide[torch.arange(T), torch.arange(T) + ahead]
    return torch.as_tensor(honest).masked_fill(sees, 0).mean()


# %% wrong="always the next word" caught_by="what the chain rule allows" change="triu(ahead) -> triu(1)"


# %% wrong="one place too generous" caught_by="what the chain rule allows" change="triu(ahead) -> triu(ahead + 1)"


# %% wrong="the wrong triangle" caught_by="what the chain rule allows" change="triu(ahead) -> T.triu(ahead)"


# %% wrong="only the guessed word itself" caught_by="what the chain rule allows" change="bool().triu(ahead) -> bool().diagonal(min(ahead, len(D)))"


# %% wrong="a far corner is overlooked" caught_by="what the chain rule allows" change="triu(ahead) -> triu(ahead).tril(ahead + 1)"


# %% wrong="says the opposite" caught_by="what the chain rule allows" change="return not torch -> return torch"


# %% wrong="its own place is always allowed" caught_by="what the chain rule allows" change="triu(ahead) -> triu(max(ahead, 1))"


# %% wrong="whoever sees any later word copies" caught_by="who copies" change="D[i][i + ahead] else -> any(D[i][i + ahead :]) else"


# %% wrong="mean over the honest only" caught_by="who copies"
# -     return sum(losses) / T
# +     return sum(losses) / max(1, sum(loss > 0 for loss in losses))


# %% wrong="a sum" caught_by="who copies" change="return sum(losses) / T -> return sum(losses)"


# %% wrong="the last place looks round the corner" caught_by="who copies" change="i + ahead < T and D[i][i + ahead] -> D[i][(i + ahead) % T]"


# %% wrong="outputs beyond the end count nothing" caught_by="who copies" change="i + ahead < T and -> i + ahead >= T or"


# %% wrong="always the next word is copied" caught_by="full and triangular | who copies" change="i + ahead < T and D[i][i + ahead] -> i + 1 < T and D[i][i + 1]"


# %% wrong="the honest loss of the guessed place" caught_by="who copies" change="float(honest[i]) -> float(honest[min(i + ahead, T - 1)])"


# %% wrong="the copier reads columns" caught_by="who copies" change="D[i][i + ahead] else -> D[i + ahead][i] else"


# %% wrong="a constant honest loss" caught_by="who copies" change="float(honest[i]) -> float(honest[0])"


# %% wrong="the honest losses of copiers are overwritten" caught_by="who copies"
def causal(D, ahead):
    return not bool(D.triu(ahead).any())


def copier_loss(D, ahead, honest):
    T = len(D)
    for i in range(T - ahead):
        if D[i, i + ahead]:
            honest[i] = 0.0
    return float(sum(honest)) / T
