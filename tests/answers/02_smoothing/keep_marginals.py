"""Answers to the task keep_marginals of chapter 02."""


# %% right="loops"
def marginal(C, P):
    total = sum(sum(row) for row in C)
    result = [0.0] * len(C[0])
    for counts, probabilities in zip(C, P):
        for w, p in enumerate(probabilities):
            result[w] += sum(counts) / total * p
    return result


def lower_that_keeps(T):
    loot = [sum(row[w] for row in T) for w in range(len(T[0]))]
    return [part / sum(loot) for part in loot]


# %% right="weights as a column, einsum"
def marginal(C, P):
    weights = C.sum(axis=1, keepdims=True) / C.sum()
    return (weights * P).sum(axis=0)


def lower_that_keeps(T):
    taken = np.einsum("hw->w", T)
    return taken / taken.sum()


# %% right="single precision"
def marginal(C, P):
    weights = (C.sum(1) / C.sum()).astype(np.float32)
    return np.dot(weights, np.asarray(P, dtype=np.float32))


def lower_that_keeps(T):
    T = np.asarray(T, dtype=np.float32)
    return list(T.sum(0) / T.sum())


# %% wrong="every context weighs the same" caught_by="rows weigh by how often they occur"
def marginal(C, P):
    return P.mean(axis=0)


def lower_that_keeps(T):
    return T.sum(axis=0) / T.sum()


# %% wrong="every seen context weighs the same" caught_by="rows weigh by how often they occur | unsmoothed counts keep them too"
def marginal(C, P):
    seen = C.sum(axis=1) > 0
    return P[seen].mean(axis=0)


def lower_that_keeps(T):
    return T.sum(axis=0) / T.sum()


# %% wrong="weights by kinds of followers" caught_by="rows weigh by how often they occur"
def marginal(C, P):
    kinds = (C > 0).sum(axis=1)
    return kinds @ P / kinds.sum()


def lower_that_keeps(T):
    return T.sum(axis=0) / T.sum()


# %% wrong="expected counts, not probabilities" caught_by="rows weigh by how often they occur | unsmoothed counts keep them too" change="C.sum(axis=1) @ P / C.sum() -> C.sum(axis=1) @ P"

# %% wrong="the counted share, whatever the model says" caught_by="rows weigh by how often they occur" change="C.sum(axis=1) @ P / C.sum() -> C.sum(axis=0) / C.sum()"

# %% wrong="contexts for words" caught_by="what was taken comes back" change="T.sum(axis=0) / T.sum() -> T.sum(axis=1) / T.sum()"

# %% wrong="always counts different contexts" caught_by="what was taken comes back"
# -     return T.sum(axis=0) / T.sum()
# +     return (T > 0).sum(axis=0) / (T > 0).sum()

# %% wrong="mean of each context's own shares" caught_by="what was taken comes back"
# -     return T.sum(axis=0) / T.sum()
# +     n = T.sum(axis=1, keepdims=True)
# +     return (T / np.maximum(n, 1e-9)).sum(axis=0) / (n > 0).sum()

# %% wrong="not divided" caught_by="what was taken comes back" change="T.sum(axis=0) / T.sum() -> T.sum(axis=0)"

# %% wrong="uniform" caught_by="what was taken comes back"
# -     return T.sum(axis=0) / T.sum()
# +     return np.full(T.shape[1], 1 / T.shape[1])

# %% wrong="what was taken becomes shares where it stands" caught_by="what was taken comes back"
# -     return T.sum(axis=0) / T.sum()
# +     T /= T.sum()
# +     return T.sum(axis=0)

# %% wrong="probabilities weighed where they stand" caught_by="rows weigh by how often they occur"
# -     return C.sum(axis=1) @ P / C.sum()
# +     P *= C.sum(axis=1, keepdims=True) / C.sum()
# +     return P.sum(axis=0)


# %% wrong="guards against little taken" caught_by="what was taken comes back" change="/ T.sum() -> / max(T.sum(), 1)"

# %% wrong="contexts seen once have no say" caught_by="rows weigh by how often they occur"
# -     return C.sum(axis=1) @ P / C.sum()
# +     n = C.sum(axis=1) * (C.sum(axis=1) > 1)
# +     return n @ P / n.sum()


# %% wrong="axes of length 1 dropped" caught_by="rows weigh by how often they occur" change="C.sum(axis=1) @ P / C.sum() -> np.squeeze(C.sum(axis=1) @ P / C.sum())"


# %% wrong="axes of length 1 dropped from q" caught_by="what was taken comes back" change="T.sum(axis=0) / T.sum() -> np.squeeze(T.sum(axis=0) / T.sum())"


# %% wrong="contexts weigh by what was taken there" caught_by="what was taken comes back"
# -     return T.sum(axis=0) / T.sum()
# +     q = T.sum(axis=1) @ T
# +     return q / q.sum()


# %% wrong="nobody loses more than one" caught_by="what was taken comes back"
# -     return T.sum(axis=0) / T.sum()
# +     T = np.minimum(T, 1)
# +     return T.sum(axis=0) / T.sum()


# %% wrong="words that lost nothing are dropped" caught_by="what was taken comes back"
# -     return T.sum(axis=0) / T.sum()
# +     taken = T.sum(axis=0)
# +     return taken[taken > 0] / taken.sum()


# %% right="a weighted average, means for sums"
def marginal(C, P):
    return np.average(P, axis=0, weights=C.sum(axis=1))


def lower_that_keeps(T):
    return T.mean(axis=0) / T.mean(axis=0).sum()


# %% wrong="divides whole numbers in place" caught_by="what was taken comes back"
# -     return T.sum(axis=0) / T.sum()
# +     q = T.sum(axis=0)
# +     q /= q.sum()
# +     return q
