"""Answers to the task soft_lookup of chapter 06."""


# %% right="log-sum-exp"
def lookup(q, K, V):
    s = K @ q
    return np.exp(s - np.logaddexp.reduce(s)) @ V


# %% right="torch and einsum"
def lookup(q, K, V):
    p = torch.softmax(torch.tensor(np.einsum("nk,k->n", K, q)).double(), 0).numpy()
    return (p[:, None] * V).sum(axis=0)


# %% right="the smallest difference, one row at a time"
def lookup(q, K, V):
    s = (K * q).sum(axis=-1)
    weights = np.exp(s - np.max(s))
    p = weights / np.sum(weights)
    return V.T @ p


# %% wrong="scores normalised without powers" caught_by="arrays, without a loop"
def lookup(q, K, V):
    s = K @ q
    return s / s.sum() @ V


# %% wrong="weights not normalised" caught_by="arrays, without a loop"
def lookup(q, K, V):
    s = K @ q
    return np.exp(s - s.max()) @ V


# %% wrong="the keys mixed instead of the values" caught_by="arrays, without a loop"
def lookup(q, K, V):
    s = K @ q
    weights = np.exp(s - s.max())
    return weights @ K / weights.sum()


# %% wrong="the best value alone" caught_by="arrays, without a loop"
def lookup(q, K, V):
    return V[np.argmax(K @ q)]


# %% wrong="overflow" caught_by="large scores do not overflow"
def lookup(q, K, V):
    weights = np.exp(K @ q)
    return weights @ V / weights.sum()


# %% wrong="the smallest score taken off" caught_by="large scores do not overflow"
def lookup(q, K, V):
    s = K @ q
    weights = np.exp(s - s.min())
    return weights @ V / weights.sum()


# %% wrong="scores divided by the largest" caught_by="large scores do not overflow"
# -     weights = np.exp(s - s.max())
# +     largest = np.abs(s).max()
# +     weights = np.exp(s if largest < 600 else s / largest * 600)


# %% wrong="hard where scores are large" caught_by="large scores do not overflow"
# -     weights = np.exp(s - s.max())
# +     if np.abs(s).max() > 700:
# +         return V[s == s.max()].mean(axis=0)
# +     weights = np.exp(s)


# %% wrong="keys multiplied in place" caught_by="arrays, without a loop"
# -     s = K @ q
# +     K[:] = K * q
# +     s = K.sum(axis=1)


# %% right="float32 arrays, a tuple, a tensor"
# -     s = K @ q
# -     weights = np.exp(s - s.max())
# -     return weights @ V / weights.sum()
# +     s = (K.astype(np.float32) @ q.astype(np.float32)).tolist()
# +     return torch.softmax(torch.tensor(s), 0) @ torch.tensor(V).float()


# %% wrong="the query in the keys' kind of number" caught_by="arrays, without a loop" change="@ q -> @ np.array(q, dtype=K.dtype)"


# %% wrong="the keys in the query's kind of number" caught_by="arrays, without a loop" change="= K -> = K.astype(q.dtype)"
