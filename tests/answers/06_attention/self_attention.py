"""Answers to the task self_attention of chapter 06."""


# %% right="exponentials summed, einsum, shapes measured"
def attend_one(x, W_q, W_k, W_v, j):
    z, total = torch.zeros(W_v.shape[1], dtype=x.dtype), 0
    for word in x:
        weight = torch.exp((x[j] @ W_q * (word @ W_k)).sum())
        z, total = z + weight * (word @ W_v), total + weight
    return z / total


def self_attention(x, W_q, W_k, W_v):
    S = torch.einsum("ia,jb,ac,bc->ij", x, x, W_q, W_k)
    P = F.softmax(S, dim=-1)
    return torch.einsum("ij,jd->id", P, x @ W_v), P


def shapes(n, d, d_k, d_v):
    x, W_q, W_v = np.zeros((n, d)), np.zeros((d, d_k)), np.zeros((d, d_v))
    Q, V = x @ W_q, x @ W_v
    S = Q @ Q.T
    return dict(Q=Q.shape, K=Q.shape, V=V.shape, S=S.shape, P=S.shape, Z=(S @ V).shape)


def learned(n, d, d_k, d_v):
    return sum(d * width for width in (d_k, d_k, d_v))


# %% right="the loop of all words from one, lists as shapes"
def attend_one(x, W_q, W_k, W_v, j):
    s = torch.tensor([(x[j] @ W_q).dot(x[i] @ W_k).item() for i in range(len(x))], dtype=x.dtype)
    p = s.softmax(-1)
    return torch.stack([p[i] * (x[i] @ W_v) for i in range(len(x))]).sum(0)


def self_attention(x, W_q, W_k, W_v):
    S = x @ (W_q @ W_k.T) @ x.T
    P = torch.exp(S - S.max(dim=1, keepdim=True).values)
    P = P / P.sum(dim=1, keepdim=True)
    return P @ x @ W_v, P


def shapes(n, d, d_k, d_v):
    found = {name: [n, n] for name in "SP"}
    found |= {name: [n, d_k] for name in "QK"}
    return found | {name: [n, d_v] for name in "VZ"}


def learned(n, d, d_k, d_v):
    return torch.zeros(d, d_k).numel() * 2 + torch.zeros(d, d_v).numel()


# %% wrong="the word asks with its key" caught_by="one word, by loop"
# -     q = x[j] @ W_q
# -     s = torch.stack([q @ (word @ W_k) for word in x])
# -     p = torch.softmax(s, 0)
# +     q = x[j] @ W_k
# +     p = torch.softmax(torch.stack([q @ (word @ W_q) for word in x]), 0)


# %% wrong="the word leaves itself out" caught_by="one word, by loop"
#       s = torch.stack([q @ (word @ W_k) for word in x])
# +     s[j] = -math.inf


# %% wrong="always the first word" caught_by="one word, by loop"
# -     q = x[j] @ W_q
# -     s = torch.stack([q @ (word @ W_k) for word in x])
# -     p = torch.softmax(s, 0)
# +     q = x[0] @ W_q
# +     p = torch.softmax(torch.stack([q @ (word @ W_k) for word in x]), 0)


# %% wrong="softmax over the askers" caught_by="all words at once"
# -     s = torch.stack([q @ (word @ W_k) for word in x])
# -     p = torch.softmax(s, 0)
# +     p = torch.softmax(torch.stack([q @ (word @ W_k) for word in x]), 0)

# -     P = torch.softmax(Q @ K.T, dim=1)
# +     P = torch.softmax(Q @ K.T, dim=0)


# %% wrong="keys ask queries" caught_by="all words at once"
# -     s = torch.stack([q @ (word @ W_k) for word in x])
# -     p = torch.softmax(s, 0)
# +     p = torch.softmax(torch.stack([q @ (word @ W_k) for word in x]), 0)

# -     P = torch.softmax(Q @ K.T, dim=1)
# +     P = torch.softmax(K @ Q.T, dim=1)


# %% wrong="scaled too early" caught_by="all words at once | lecture 001: look for ones"
# -     s = torch.stack([q @ (word @ W_k) for word in x])
# -     p = torch.softmax(s, 0)
# +     p = torch.softmax(torch.stack([q @ (word @ W_k) for word in x]), 0)

# -     P = torch.softmax(Q @ K.T, dim=1)
# +     P = torch.softmax(Q @ K.T / Q.shape[1] ** 0.5, dim=1)


# %% wrong="P transposed in the mix" caught_by="all words at once"
# -     s = torch.stack([q @ (word @ W_k) for word in x])
# -     p = torch.softmax(s, 0)
# +     p = torch.softmax(torch.stack([q @ (word @ W_k) for word in x]), 0)

# -     return P @ V, P
# +     return P.T @ V, P


# %% wrong="only Z" caught_by="all words at once | lecture 001: look for ones"
# -     s = torch.stack([q @ (word @ W_k) for word in x])
# -     p = torch.softmax(s, 0)
# +     p = torch.softmax(torch.stack([q @ (word @ W_k) for word in x]), 0)

# -     Q, K, V = x @ W_q, x @ W_k, x @ W_v
# -     P = torch.softmax(Q @ K.T, dim=1)
# -     return P @ V, P
# +     return torch.softmax(x @ W_q @ (x @ W_k).T, dim=1) @ x @ W_v


# %% wrong="Z as wide as keys" caught_by="a shape for each step"
def attend_one(x, W_q, W_k, W_v, j):
    q = x[j] @ W_q
    p = torch.softmax(torch.stack([q @ (word @ W_k) for word in x]), 0)
    return sum(p[i] * (x[i] @ W_v) for i in range(len(x)))


def self_attention(x, W_q, W_k, W_v):
    Q, K, V = x @ W_q, x @ W_k, x @ W_v
    P = torch.softmax(Q @ K.T, dim=1)
    return P @ V, P


def shapes(n, d, d_k, d_v):
    return {"Q": (n, d_k), "K": (n, d_k), "V": (n, d_v), "S": (n, n), "P": (n, n), "Z": (n, d_k)}


def learned(n, d, d_k, d_v):
    return d * (2 * d_k + d_v)


# %% wrong="keys already transposed" caught_by="a shape for each step"
def attend_one(x, W_q, W_k, W_v, j):
    q = x[j] @ W_q
    p = torch.softmax(torch.stack([q @ (word @ W_k) for word in x]), 0)
    return sum(p[i] * (x[i] @ W_v) for i in range(len(x)))


def self_attention(x, W_q, W_k, W_v):
    Q, K, V = x @ W_q, x @ W_k, x @ W_v
    P = torch.softmax(Q @ K.T, dim=1)
    return P @ V, P


def shapes(n, d, d_k, d_v):
    return {"Q": (n, d_k), "K": (d_k, n), "V": (n, d_v), "S": (n, n), "P": (n, n), "Z": (n, d_v)}


def learned(n, d, d_k, d_v):
    return d * (2 * d_k + d_v)


# %% wrong="one map only" caught_by="a shape for each step"
# -     s = torch.stack([q @ (word @ W_k) for word in x])
# -     p = torch.softmax(s, 0)
# +     p = torch.softmax(torch.stack([q @ (word @ W_k) for word in x]), 0)

# -     return d * (2 * d_k + d_v)
# +     return d * d_k


# %% wrong="each word its own maps" caught_by="a shape for each step"
# -     s = torch.stack([q @ (word @ W_k) for word in x])
# -     p = torch.softmax(s, 0)
# +     p = torch.softmax(torch.stack([q @ (word @ W_k) for word in x]), 0)

# -     return d * (2 * d_k + d_v)
# +     return n * d * (2 * d_k + d_v)


# %% wrong="all maps square" caught_by="a shape for each step"
# -     s = torch.stack([q @ (word @ W_k) for word in x])
# -     p = torch.softmax(s, 0)
# +     p = torch.softmax(torch.stack([q @ (word @ W_k) for word in x]), 0)

# -     return d * (2 * d_k + d_v)
# +     return 3 * d * d


# %% wrong="a map turned in place" caught_by="all words at once"
# -     Q, K, V = x @ W_q, x @ W_k, x @ W_v
# -     P = torch.softmax(Q @ K.T, dim=1)
# -     return P @ V, P
# +     P = torch.softmax(x @ W_q @ W_k.t_() @ x.T, dim=1)
# +     return P @ x @ W_v, P


# %% wrong="the query written into the word" caught_by="one word, by loop"
# -     q = x[j] @ W_q
# -     s = torch.stack([q @ (word @ W_k) for word in x])
# -     p = torch.softmax(s, 0)
# -     return sum(p[i] * (x[i] @ W_v) for i in range(len(x)))
# +     q, keys = x[j] @ W_q, x @ W_k
# +     p, V = torch.softmax(keys @ q, 0), x @ W_v
# +     x[j] = 0
# +     return p @ V


# %% wrong="values counted twice" caught_by="a shape for each step" change="2 * d_k + -> d_k + 2 *"


# %% wrong="scores as wide as keys" caught_by="a shape for each step"
# -     return {
# -         "Q": (n, d_k),
# -         "K": (n, d_k),
# -         "V": (n, d_v),
# -         "S": (n, n),
# -         "P": (n, n),
# -         "Z": (n, d_v),
# -     }
# +     return {"Q": (n, d_k), "K": (n, d_k), "V": (n, d_v), "S": (d_k, d_k), "P": (n, n), "Z": (n, d_v)}


# %% wrong="the largest score alone when it is large" caught_by="lecture 001: look for ones"
# -     Q, K, V = x @ W_q, x @ W_k, x @ W_v
# -     P = torch.softmax(Q @ K.T, dim=1)
# -     return P @ V, P
# +     S = x @ W_q @ (x @ W_k).T
# +     P = torch.softmax(S.clamp(max=12), dim=1)
# +     return P @ x @ W_v, P


# %% right="NumPy throughout, lists of lists"
def attend_one(x, W_q, W_k, W_v, j):
    x, W_q, W_k, W_v = (np.asarray(M) for M in (x, W_q, W_k, W_v))
    p = [math.exp(float(x[j] @ W_q @ (word @ W_k))) for word in x]
    return [float(sum(p[i] * (x[i] @ W_v)[c] for i in range(len(x))) / sum(p)) for c in range(W_v.shape[1])]


def self_attention(x, W_q, W_k, W_v):
    x, W_q, W_k, W_v = (np.asarray(M) for M in (x, W_q, W_k, W_v))
    S = x @ W_q @ (x @ W_k).T
    P = np.exp(S - S.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    return [P @ (x @ W_v), P]


def shapes(n, d, d_k, d_v):
    wide = dict(zip("QKVSPZ", (d_k, d_k, d_v, n, n, d_v)))
    return {name: [np.int64(n), width] for name, width in wide.items()}


def learned(n, d, d_k, d_v):
    return d * (2 * d_k + d_v)


# %% wrong="Z without its axes of one number" caught_by="all words at once" change="P @ V -> (P @ V).squeeze()"


# %% wrong="the largest score of all words is taken off" caught_by="all words at once"
# -     P = torch.softmax(Q @ K.T, dim=1)
# +     P = (Q @ K.T - (Q @ K.T).max()).exp()
# +     P = P / P.sum(1, keepdim=True)


# %% wrong="scores beyond 500 are cut" caught_by="all words at once"
def attend_one(x, W_q, W_k, W_v, j):
    q = x[j] @ W_q
    scores = [q @ (word @ W_k) for word in x]
    powers = [s.exp() for s in scores]
    return sum(p * (word @ W_v) for p, word in zip(powers, x)) / sum(powers)


def self_attention(x, W_q, W_k, W_v):
    P = torch.softmax(((x @ W_q) @ (x @ W_k).T).clamp(-500, 500), dim=-1)
    return P @ (x @ W_v), P


def shapes(n, d, d_k, d_v):
    return {"Q": (n, d_k), "K": (n, d_k), "V": (n, d_v), "S": (n, n), "P": (n, n), "Z": (n, d_v)}


def learned(n, d, d_k, d_v):
    return 2 * d * d_k + d * d_v
