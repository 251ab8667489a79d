"""Answers to the task pmi of chapter 03."""


# %% right="probabilities, cell by cell"
def pmi(N):
    n = sum(map(sum, N))
    rows, columns = [sum(row) for row in N], [sum(column) for column in zip(*N)]
    return np.array(
        [
            [math.log(count * n / rows[i] / columns[j]) if count else -math.inf for j, count in enumerate(row)]
            for i, row in enumerate(N)
        ]
    )


def ppmi(N):
    return np.where(pmi(N) > 0, pmi(N), 0.0)


# %% right="warnings switched off"
def pmi(N):
    with np.errstate(all="ignore"):
        found = np.log(N) + np.log(N.sum()) - np.log(N.sum(1))[:, None] - np.log(N.sum(0))
    found[N == 0] = -np.inf
    return found


def ppmi(N):
    return pmi(N).clip(min=0)


# %% wrong="not divided by chance" caught_by="observed over expected" change="np.log(N[seen] / chance[seen]) -> np.log(N[seen] / N.sum())"

# %% wrong="row sums for both" caught_by="observed over expected"
# -     chance = N.sum(1, keepdims=True) * N.sum(0) / max(N.sum(), 1)
# +     if N.shape[0] != N.shape[1]:
# +         N = np.resize(N, (max(N.shape), max(N.shape)))
# +     chance = N.sum(1, keepdims=True) * N.sum(1) / max(N.sum(), 1)

# %% wrong="the total is missing" caught_by="observed over expected" change=" / max(N.sum(), 1) -> "

# %% wrong="log base 2" caught_by="observed over expected" change="np.log(N[seen] -> np.log2(N[seen]"

# %% wrong="0 for pairs that never met" caught_by="pairs that never met" change="np.full(N.shape, -np.inf) -> np.zeros(N.shape)"

# %% wrong="one added to all counts" caught_by="pairs that never met" change="N = np.asarray(N, dtype=float) -> N = np.asarray(N, dtype=float) + 1"

# %% wrong="absolute values" caught_by="the positive part"
# -     return np.maximum(pmi(N), 0)
# +     found = pmi(N)
# +     return np.where(np.isinf(found), 0, np.abs(found))

# %% wrong="minus infinity stays" caught_by="the positive part | words never seen"
# -     return np.maximum(pmi(N), 0)
# +     found = pmi(N)
# +     found[np.isfinite(found) & (found < 0)] = 0
# +     return found

# %% wrong="empty rows give NaN" caught_by="words never seen"
# -     found = np.full(N.shape, -np.inf)
# +     found = np.full(N.shape, -np.inf)
# +     found[N.sum(1) == 0] = np.nan

# %% wrong="single meetings are taken for accidents" caught_by="the positive part" change="np.maximum(pmi(N), 0) -> np.where(np.asarray(N) > 1, np.maximum(pmi(N), 0), 0)"


# %% wrong="logarithms of 0, put right afterwards" caught_by="pairs that never met"
# -     seen = N > 0
# -     found[seen] = np.log(N[seen] / chance[seen])
# -     return found
# +     ratio = np.divide(N, chance, out=np.zeros(N.shape), where=chance > 0)
# +     return np.log(ratio)


# %% wrong="axes of length 1 dropped" caught_by="the positive part" change="np.maximum(pmi(N), 0) -> np.maximum(pmi(N), 0).squeeze()"


# %% wrong="row sums lie down" caught_by="observed over expected"
# -     N = np.asarray(N, dtype=float)
# -     chance = N.sum(1, keepdims=True) * N.sum(0) / max(N.sum(), 1)
# -     found = np.full(N.shape, -np.inf)
# -     seen = N > 0
# -     found[seen] = np.log(N[seen] / chance[seen])
# -     return found
# +     out = np.full(N.shape, -np.inf)
# +     seen = N > 0
# +     expected = np.broadcast_to(N.sum(1) * N.sum(0), N.shape)
# +     out[seen] = np.log(N[seen] * N.sum() / expected[seen])
# +     return out


# %% wrong="zeros where nothing at all was counted" caught_by="words never seen"
# -     N = np.asarray(N, dtype=float)
# -     chance = N.sum(1, keepdims=True) * N.sum(0) / max(N.sum(), 1)
# -     found = np.full(N.shape, -np.inf)
# -     seen = N > 0
# -     found[seen] = np.log(N[seen] / chance[seen])
# -     return found
# +     if N.sum() == 0:
# +         return np.zeros(N.shape)
# +     out = np.full(N.shape, -np.inf)
# +     seen = N > 0
# +     out[seen] = np.log(N[seen] * N.sum() / np.outer(N.sum(1), N.sum(0))[seen])
# +     return out


# %% wrong="a word never seen has 0 in pmi" caught_by="words never seen"
# -     N = np.asarray(N, dtype=float)
# -     chance = N.sum(1, keepdims=True) * N.sum(0) / max(N.sum(), 1)
# -     found = np.full(N.shape, -np.inf)
# -     seen = N > 0
# -     found[seen] = np.log(N[seen] / chance[seen])
# -     return found
# +     expected = np.outer(N.sum(1), N.sum(0))
# +     out = np.where(expected > 0, -np.inf, 0.0)
# +     seen = N > 0
# +     out[seen] = np.log(N[seen] * N.sum() / expected[seen])
# +     return out


# %% wrong="minus infinity into a table like N" caught_by="observed over expected"
# -     N = np.asarray(N, dtype=float)
# -     chance = N.sum(1, keepdims=True) * N.sum(0) / max(N.sum(), 1)
# -     found = np.full(N.shape, -np.inf)
# -     seen = N > 0
# -     found[seen] = np.log(N[seen] / chance[seen])
# -     return found
# +     out = np.full_like(N, -np.inf)
# +     seen = N > 0
# +     out[seen] = np.log(N[seen] * N.sum() / np.outer(N.sum(1), N.sum(0))[seen])
# +     return out


# %% wrong="divides the counts in place" caught_by="observed over expected"
# -     N = np.asarray(N, dtype=float)
# -     chance = N.sum(1, keepdims=True) * N.sum(0) / max(N.sum(), 1)
# -     found = np.full(N.shape, -np.inf)
# -     seen = N > 0
# -     found[seen] = np.log(N[seen] / chance[seen])
# -     return found
# +     out = np.full(N.shape, -np.inf)
# +     seen = N > 0
# +     if seen.any():
# +         if N.dtype == float:
# +             N /= N.sum()
# +             P = N
# +         else:
# +             P = N / N.sum()
# +         out[seen] = np.log(P[seen] / np.outer(P.sum(1), P.sum(0))[seen])
# +     return out
