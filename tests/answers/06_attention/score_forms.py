"""Answers to the task score_forms of chapter 06."""


# %% right="einsum, loops, roots to both sides"
def bilinear_scores(X, W, Y):
    return torch.einsum("ia,ab,jb->ij", X, W, Y)


def additive_scores(Q, K, W_q, W_k, v):
    rows = []
    for q in Q:
        rows.append(torch.stack([torch.tanh(q @ W_q + k @ W_k) @ v for k in K]))
    return torch.stack(rows)


# %% right="concatenated pairs, projection on the largest"
def bilinear_scores(X, W, Y):
    return (X @ W) @ Y.transpose(0, 1)


def additive_scores(Q, K, W_q, W_k, v):
    m, n = len(Q), len(K)
    pairs = torch.cat([Q.repeat_interleave(n, 0), K.repeat(m, 1)], dim=1)
    return (torch.tanh(pairs @ torch.cat([W_q, W_k])) @ v).reshape(m, n)


# %% wrong="Y not transposed by pair" caught_by="bilinear, all pairs" change="X @ W @ Y -> (X @ W @ Y.T)"


# %% wrong="only like with like" caught_by="bilinear, all pairs" change="W @ Y.T -> W"


# %% wrong="scaled" caught_by="bilinear, all pairs" change="Y.T -> Y.T / W.shape[1] ** 0.5"


# %% wrong="tanh of each part" caught_by="additive, all pairs" change="torch.tanh((Q @ W_q)[:, None] + (K -> (torch.tanh(Q @ W_q)[:, None] + torch.tanh(K"


# %% wrong="no tanh" caught_by="additive, all pairs" change="torch.tanh -> "


# %% wrong="keys ask" caught_by="additive, all pairs" change=":, None] + (K @ W_k)[None -> None] + (K @ W_k)[:, None"


# %% wrong="sum instead of v" caught_by="additive, all pairs" change=") @ u -> ).sum(-1)"


# %% wrong="the tanh of queries and keys each, then added and once more" caught_by="additive, all pairs" change="(Q @ W_q)[:, None] + (K -> torch.tanh(Q @ W_q)[:, None] + torch.tanh(K"


# %% wrong="keys added in place" caught_by="additive, all pairs"
# -     return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ u
# +     W_q *= 2
# +     W_k *= 2
# +     return torch.tanh((Q @ W_q)[:, None] / 2 + (K @ W_k)[None] / 2) @ u


# %% wrong="symmetric part of W alone" caught_by="bilinear, all pairs"
# -     """[m, n] from tensors X: [m, d], W: [d, d'], Y: [n, d']."""
# +     d = min(W.shape)
# +     W = W.clone()
# +     W[:d, :d] = (W[:d, :d] + W[:d, :d].T) / 2


# %% right="float32 and NumPy"
def bilinear_scores(X, W, Y):
    return np.asarray(X) @ np.asarray(W) @ np.asarray(Y).T


def additive_scores(Q, K, W_q, W_k, v):
    Q, K, W_q, W_k, v = (M.float() for M in (Q, K, W_q, W_k, v))
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


# %% wrong="keys of one shape are projected once" caught_by="additive, all pairs"
# + projected = {}
# +
# +
#   def additive_scores(Q, K, W_q, W_k, u):

# -     return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ u
# +     if tuple(K.shape) not in projected:
# +         projected[tuple(K.shape)] = K @ W_k
# +     keys = projected[tuple(K.shape)]
# +     return torch.tanh((Q @ W_q)[:, None] + keys[None]) @ u


# %% wrong="axes of one number are dropped before v" caught_by="additive, all pairs"
# -     return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ u
# +     inner = (Q @ W_q)[:, None] + (K @ W_k)[None]
# +     return torch.tanh(inner.squeeze()) @ u


# %% wrong="bilinear: axes of one number are dropped" caught_by="bilinear, all pairs" change="X @ W @ Y.T -> (X @ W @ Y.T).squeeze()"


# %% wrong="a square W is made symmetric" caught_by="bilinear, all pairs"
def bilinear_scores(X, W, Y):
    if W.shape[0] == W.shape[1]:
        W = (W + W.T) / 2
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, u):
    inner = (Q @ W_q)[:, None] + (K @ W_k)[None]
    return torch.tanh(inner) @ u
