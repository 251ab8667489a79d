"""Answers to the task soft_lookup of chapter 06."""


# %% right="fractions by hand, zip, log-sum-exp"
def by_hand():
    return (0.5, 0.5)


def lookup_loop(q, keys, values, e=math.e):
    total, z = 0, [0] * len(values[0])
    for k, v in zip(keys, values, strict=True):
        weight = e ** sum(a * b for a, b in zip(q, k, strict=True))
        total += weight
        z = [old + weight * new for old, new in zip(z, v, strict=True)]
    return [number / total for number in z]


def lookup(q, K, V):
    s = K @ q
    return np.exp(s - np.logaddexp.reduce(s)) @ V


# %% right="torch and einsum"
def by_hand():
    p = np.array([1, 1, 3, 1]) / 6
    return p @ [[1, 0], [1, 0], [0, 1], [1, 0]]


def lookup_loop(q, keys, values, e=math.e):
    powers = [math.pow(e, np.dot(q, k)) for k in keys]
    return np.average(values, axis=0, weights=powers).tolist()


def lookup(q, K, V):
    p = torch.softmax(torch.tensor(np.einsum("nk,k->n", K, q)).double(), 0).numpy()
    return (p[:, None] * V).sum(axis=0)


# %% right="the smallest difference, one row at a time"
def by_hand():
    return [1 / 2, 1 / 2]


def lookup_loop(q, keys, values, e=math.e):
    weights = [e ** sum(q[j] * k[j] for j in range(len(q))) for k in keys]
    p = [weight / sum(weights) for weight in weights]
    return [sum(p[i] * values[i][j] for i in range(len(p))) for j in range(len(values[0]))]


def lookup(q, K, V):
    s = (K * q).sum(axis=-1)
    weights = np.exp(s - np.max(s))
    p = weights / np.sum(weights)
    return V.T @ p


# %% wrong="the mean, no weights" caught_by="four words by hand"
# -     return [3 / 6, 3 / 6]
# +     return [3 / 4, 1 / 4]

# -     weights = []
# -     for k in keys:
# -         weights.append(e ** sum(q[j] * k[j] for j in range(len(q))))
# +     weights = [e ** sum(q[j] * k[j] for j in range(len(q))) for k in keys]


# %% wrong="the true e by hand" caught_by="four words by hand"
# -     return [3 / 6, 3 / 6]
# +     return [0.5246, 0.4754]

# -     weights = []
# -     for k in keys:
# -         weights.append(e ** sum(q[j] * k[j] for j in range(len(q))))
# +     weights = [e ** sum(q[j] * k[j] for j in range(len(q))) for k in keys]


# %% wrong="e fixed" caught_by="a loop, any e"
# -     return [3 / 6, 3 / 6]
# +     return [1 / 2, 1 / 2]

# -     weights = []
# -     for k in keys:
# -         weights.append(e ** sum(q[j] * k[j] for j in range(len(q))))
# +     weights = [math.exp(sum(q[j] * k[j] for j in range(len(q)))) for k in keys]


# %% wrong="scores normalised without powers" caught_by="a loop, any e | arrays, without a loop"
def by_hand():
    return [1 / 2, 1 / 2]


def lookup_loop(q, keys, values, e=math.e):
    scores = [sum(q[j] * k[j] for j in range(len(q))) for k in keys]
    p = [s / sum(scores) for s in scores]
    return [sum(p[i] * values[i][j] for i in range(len(p))) for j in range(len(values[0]))]


def lookup(q, K, V):
    s = K @ q
    return s / s.sum() @ V


# %% wrong="weights not normalised" caught_by="arrays, without a loop"
def by_hand():
    return [1 / 2, 1 / 2]


def lookup_loop(q, keys, values, e=math.e):
    weights = [e ** sum(q[j] * k[j] for j in range(len(q))) for k in keys]
    p = [weight / sum(weights) for weight in weights]
    return [sum(p[i] * values[i][j] for i in range(len(p))) for j in range(len(values[0]))]


def lookup(q, K, V):
    s = K @ q
    return np.exp(s - s.max()) @ V


# %% wrong="the keys mixed instead of the values" caught_by="arrays, without a loop"
def by_hand():
    return [1 / 2, 1 / 2]


def lookup_loop(q, keys, values, e=math.e):
    weights = [e ** sum(q[j] * k[j] for j in range(len(q))) for k in keys]
    p = [weight / sum(weights) for weight in weights]
    return [sum(p[i] * values[i][j] for i in range(len(p))) for j in range(len(values[0]))]


def lookup(q, K, V):
    s = K @ q
    weights = np.exp(s - s.max())
    return weights @ K / weights.sum()


# %% wrong="the best value alone" caught_by="arrays, without a loop"
def by_hand():
    return [1 / 2, 1 / 2]


def lookup_loop(q, keys, values, e=math.e):
    weights = [e ** sum(q[j] * k[j] for j in range(len(q))) for k in keys]
    p = [weight / sum(weights) for weight in weights]
    return [sum(p[i] * values[i][j] for i in range(len(p))) for j in range(len(values[0]))]


def lookup(q, K, V):
    return V[np.argmax(K @ q)]


# %% wrong="overflow" caught_by="large scores do not overflow"
def by_hand():
    return [1 / 2, 1 / 2]


def lookup_loop(q, keys, values, e=math.e):
    weights = [e ** sum(q[j] * k[j] for j in range(len(q))) for k in keys]
    p = [weight / sum(weights) for weight in weights]
    return [sum(p[i] * values[i][j] for i in range(len(p))) for j in range(len(values[0]))]


def lookup(q, K, V):
    weights = np.exp(K @ q)
    return weights @ V / weights.sum()


# %% wrong="the smallest score taken off" caught_by="large scores do not overflow"
def by_hand():
    return [1 / 2, 1 / 2]


def lookup_loop(q, keys, values, e=math.e):
    weights = [e ** sum(q[j] * k[j] for j in range(len(q))) for k in keys]
    p = [weight / sum(weights) for weight in weights]
    return [sum(p[i] * values[i][j] for i in range(len(p))) for j in range(len(values[0]))]


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


# %% wrong="values weighted in place" caught_by="a loop, any e"
def by_hand():
    return [3 / 6, 3 / 6]


def lookup_loop(q, keys, values, e=math.e):
    weights = [e ** sum(a * b for a, b in zip(q, k)) for k in keys]
    for i in range(len(values)):
        values[i] = [weights[i] / sum(weights) * number for number in values[i]]
    return [sum(column) for column in zip(*values)]


def lookup(q, K, V):
    s = K @ q
    weights = np.exp(s - s.max())
    return weights @ V / weights.sum()


# %% wrong="e is 3 if nobody says" caught_by="a loop, any e"
def by_hand():
    return [3 / 6, 3 / 6]


def lookup_loop(q, keys, values, e=3):
    weights = [e ** sum(a * b for a, b in zip(q, k)) for k in keys]
    return [sum(w * v[j] for w, v in zip(weights, values)) / sum(weights) for j in range(len(values[0]))]


def lookup(q, K, V):
    s = K @ q
    weights = np.exp(s - s.max())
    return weights @ V / weights.sum()


# %% wrong="as many numbers as the key has" caught_by="a loop, any e"
def by_hand():
    return [3 / 6, 3 / 6]


def lookup_loop(q, keys, values, e=math.e):
    weights = [e ** sum(a * b for a, b in zip(q, k)) for k in keys]
    return [sum(w * v[min(j, len(v) - 1)] for w, v in zip(weights, values)) / sum(weights) for j in range(len(q))]


def lookup(q, K, V):
    s = K @ q
    weights = np.exp(s - s.max())
    return weights @ V / weights.sum()


# %% right="float32 arrays, a tuple, a tensor"
# -     return [3 / 6, 3 / 6]
# +     return 0.5, 0.5

# -     s = K @ q
# -     weights = np.exp(s - s.max())
# -     return weights @ V / weights.sum()
# +     s = (K.astype(np.float32) @ q.astype(np.float32)).tolist()
# +     return torch.softmax(torch.tensor(s), 0) @ torch.tensor(V).float()


# %% wrong="no more numbers than the query has" caught_by="a loop, any e"
# -     return [
# -         sum(p[i] * values[i][j] for i in range(len(p))) for j in range(len(values[0]))
# -     ]
# +     return [sum(p[i] * values[i][j] for i in range(len(p))) for j in range(len(values[0]))[: len(q)]]


# %% wrong="the query in the keys' kind of number" caught_by="arrays, without a loop" change="@ q -> @ np.array(q, dtype=K.dtype)"


# %% wrong="the keys in the query's kind of number" caught_by="arrays, without a loop" change="= K -> = K.astype(q.dtype)"
