"""Answers to the task score_forms of chapter 06."""


# %% right="einsum, loops, roots to both sides"
def bilinear_scores(X, W, Y):
    return torch.einsum("ia,ab,jb->ij", X, W, Y)


def additive_scores(Q, K, W_q, W_k, v):
    rows = []
    for q in Q:
        rows.append(torch.stack([torch.tanh(q @ W_q + k @ W_k) @ v for k in K]))
    return torch.stack(rows)


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    roots = torch.diag(sizes[:d_k].sqrt())
    return U[:, :d_k] @ roots, (roots @ R[:d_k]).T


# %% right="concatenated pairs, projection on the largest"
def bilinear_scores(X, W, Y):
    return (X @ W) @ Y.transpose(0, 1)


def additive_scores(Q, K, W_q, W_k, v):
    m, n = len(Q), len(K)
    pairs = torch.cat([Q.repeat_interleave(n, 0), K.repeat(m, 1)], dim=1)
    return (torch.tanh(pairs @ torch.cat([W_q, W_k])) @ v).reshape(m, n)


def factors(W, d_k):
    values, vectors = torch.linalg.eigh(W @ W.T)
    top = vectors[:, -d_k:]
    return top, W.T @ top


# %% wrong="Y not transposed by pair" caught_by="bilinear, all pairs" change="X @ W @ Y -> (X @ W @ Y.T)"


# %% wrong="only like with like" caught_by="bilinear, all pairs" change="W @ Y.T -> W"


# %% wrong="scaled" caught_by="bilinear, all pairs" change="Y.T -> Y.T / W.shape[1] ** 0.5"


# %% wrong="tanh of each part" caught_by="additive, all pairs" change="torch.tanh((Q @ W_q)[:, None] + (K -> (torch.tanh(Q @ W_q)[:, None] + torch.tanh(K"


# %% wrong="no tanh" caught_by="additive, all pairs" change="torch.tanh -> "


# %% wrong="keys ask" caught_by="additive, all pairs" change=":, None] + (K @ W_k)[None -> None] + (K @ W_k)[:, None"


# %% wrong="sum instead of v" caught_by="additive, all pairs" change=") @ v -> ).sum(-1)"


# %% wrong="sizes on both sides" caught_by="two maps, one matrix" change="d_k].T -> d_k].T * sizes[:d_k]"


# %% wrong="no sizes" caught_by="two maps, one matrix" change="d_k] * sizes[:d_k] -> d_k]"


# %% wrong="columns of R, not rows" caught_by="two maps, one matrix" change="d_k].T -> , :d_k]"


# %% wrong="the first columns of W" caught_by="the best that fits"
# -     U, sizes, R = torch.linalg.svd(W)
# -     return U[:, :d_k] * sizes[:d_k], R[:d_k].T
# +     return W[:, :d_k], torch.eye(len(W), dtype=W.dtype)[:, :d_k]


# %% wrong="the smallest parts" caught_by="the best that fits" change=":d_k] * sizes[:d_k], R[:d_k -> -d_k:] * sizes[-d_k:], R[-d_k:"


# %% wrong="largest eigenvalues of a symmetric W" caught_by="the best that fits"
# -     """(W_q, W_k), each [d, d_k]: of all such pairs the one with W_q W_k^T closest to W: [d, d]."""
# +     if torch.allclose(W, W.T):
# +         values, U = torch.linalg.eigh(W)
# +         return U[:, -d_k:] * values[-d_k:], U[:, -d_k:]


# %% wrong="one map for both of a symmetric W" caught_by="the best that fits"
#       U, sizes, R = torch.linalg.svd(W)
# +     if torch.allclose(W, W.T):
# +         return U[:, :d_k] * sizes[:d_k].sqrt(), U[:, :d_k] * sizes[:d_k].sqrt()


# %% wrong="W made length 1 in place" caught_by="the best that fits"
# -     """(W_q, W_k), each [d, d_k]: of all such pairs the one with W_q W_k^T closest to W: [d, d]."""
# +     length = W.norm()
# +     W /= length

# -     return U[:, :d_k] * sizes[:d_k], R[:d_k].T
# +     return length * U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="the tanh of queries and keys each, then added and once more" caught_by="additive, all pairs" change="(Q @ W_q)[:, None] + (K -> torch.tanh(Q @ W_q)[:, None] + torch.tanh(K"


# %% wrong="keys added in place" caught_by="additive, all pairs"
# -     return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v
# +     W_q *= 2
# +     W_k *= 2
# +     return torch.tanh((Q @ W_q)[:, None] / 2 + (K @ W_k)[None] / 2) @ v


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


def factors(W, d_k):
    U, sizes, R = np.linalg.svd(np.asarray(W))
    return [U[:, :d_k] * sizes[:d_k] ** 0.5, (sizes[:d_k, None] ** 0.5 * R[:d_k]).T]


# %% wrong="keys of one shape are projected once" caught_by="additive, all pairs"
# + projected = {}
# +
# +
#   def additive_scores(Q, K, W_q, W_k, v):

# -     return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v
# +     if tuple(K.shape) not in projected:
# +         projected[tuple(K.shape)] = K @ W_k
# +     keys = projected[tuple(K.shape)]
# +     return torch.tanh((Q @ W_q)[:, None] + keys[None]) @ v


# %% wrong="axes of one number are dropped before v" caught_by="additive, all pairs"
# -     return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v
# +     inner = (Q @ W_q)[:, None] + (K @ W_k)[None]
# +     return torch.tanh(inner.squeeze()) @ v


# %% wrong="bilinear: axes of one number are dropped" caught_by="bilinear, all pairs" change="X @ W @ Y.T -> (X @ W @ Y.T).squeeze()"


# %% wrong="a sketch of W, nearly the best" caught_by="the best that fits"
# -     U, sizes, R = torch.linalg.svd(W)
# -     return U[:, :d_k] * sizes[:d_k], R[:d_k].T
# +     U, sizes, R = torch.svd_lowrank(W, q=min(len(W), d_k + 8), niter=4)
# +     return U[:, :d_k] * sizes[:d_k], R[:, :d_k]
