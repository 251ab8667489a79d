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


# %% wrong="Y not transposed by pair" caught_by="bilinear, all pairs"
def bilinear_scores(X, W, Y):
    return (X @ W @ Y.T).T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="only like with like" caught_by="bilinear, all pairs"
def bilinear_scores(X, W, Y):
    return X @ W


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="scaled" caught_by="bilinear, all pairs"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T / W.shape[1] ** 0.5


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="tanh of each part" caught_by="additive, all pairs"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return (torch.tanh(Q @ W_q)[:, None] + torch.tanh(K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="no tanh" caught_by="additive, all pairs"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return ((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="keys ask" caught_by="additive, all pairs"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[None] + (K @ W_k)[:, None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="sum instead of v" caught_by="additive, all pairs"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]).sum(-1)


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="sizes on both sides" caught_by="two maps, one matrix"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T * sizes[:d_k]


# %% wrong="no sizes" caught_by="two maps, one matrix"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k], R[:d_k].T


# %% wrong="columns of R, not rows" caught_by="two maps, one matrix"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:, :d_k]


# %% wrong="the first columns of W" caught_by="the best that fits"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    return W[:, :d_k], torch.eye(len(W), dtype=W.dtype)[:, :d_k]


# %% wrong="the smallest parts" caught_by="the best that fits"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return U[:, -d_k:] * sizes[-d_k:], R[-d_k:].T


# %% wrong="largest eigenvalues of a symmetric W" caught_by="the best that fits"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    if torch.allclose(W, W.T):
        values, U = torch.linalg.eigh(W)
        return U[:, -d_k:] * values[-d_k:], U[:, -d_k:]
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="one map for both of a symmetric W" caught_by="the best that fits"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    if torch.allclose(W, W.T):
        return U[:, :d_k] * sizes[:d_k].sqrt(), U[:, :d_k] * sizes[:d_k].sqrt()
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="W made length 1 in place" caught_by="the best that fits"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    length = W.norm()
    W /= length
    U, sizes, R = torch.linalg.svd(W)
    return length * U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="the tanh of queries and keys each, then added and once more" caught_by="additive, all pairs"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh(torch.tanh(Q @ W_q)[:, None] + torch.tanh(K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return (U[:, :d_k] * sizes[:d_k], R[:d_k].T)


# %% wrong="keys added in place" caught_by="additive, all pairs"
def bilinear_scores(X, W, Y):
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    W_q *= 2
    W_k *= 2
    return torch.tanh((Q @ W_q)[:, None] / 2 + (K @ W_k)[None] / 2) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return (U[:, :d_k] * sizes[:d_k], R[:d_k].T)


# %% wrong="symmetric part of W alone" caught_by="bilinear, all pairs"
def bilinear_scores(X, W, Y):
    d = min(W.shape)
    W = W.clone()
    W[:d, :d] = (W[:d, :d] + W[:d, :d].T) / 2
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    U, sizes, R = torch.linalg.svd(W)
    return (U[:, :d_k] * sizes[:d_k], R[:d_k].T)


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
def bilinear_scores(X, W, Y):
    """[m, n] from tensors X: [m, d], W: [d, d'], Y: [n, d']."""
    return X @ W @ Y.T


projected = {}


def additive_scores(Q, K, W_q, W_k, v):
    """[m, n] from tensors Q: [m, d_q], K: [n, d_k], W_q: [d_q, a], W_k: [d_k, a], v: [a]."""
    if tuple(K.shape) not in projected:
        projected[tuple(K.shape)] = K @ W_k
    keys = projected[tuple(K.shape)]
    return torch.tanh((Q @ W_q)[:, None] + keys[None]) @ v


def factors(W, d_k):
    """(W_q, W_k), each [d, d_k]: of all such pairs the one with W_q W_k^T closest to W: [d, d]."""
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="axes of one number are dropped before v" caught_by="additive, all pairs"
def bilinear_scores(X, W, Y):
    """[m, n] from tensors X: [m, d], W: [d, d'], Y: [n, d']."""
    return X @ W @ Y.T


def additive_scores(Q, K, W_q, W_k, v):
    """[m, n] from tensors Q: [m, d_q], K: [n, d_k], W_q: [d_q, a], W_k: [d_k, a], v: [a]."""
    inner = (Q @ W_q)[:, None] + (K @ W_k)[None]
    return torch.tanh(inner.squeeze()) @ v


def factors(W, d_k):
    """(W_q, W_k), each [d, d_k]: of all such pairs the one with W_q W_k^T closest to W: [d, d]."""
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T


# %% wrong="bilinear: axes of one number are dropped" caught_by="bilinear, all pairs"
def bilinear_scores(X, W, Y):
    """[m, n] from tensors X: [m, d], W: [d, d'], Y: [n, d']."""
    return (X @ W @ Y.T).squeeze()


def additive_scores(Q, K, W_q, W_k, v):
    """[m, n] from tensors Q: [m, d_q], K: [n, d_k], W_q: [d_q, a], W_k: [d_k, a], v: [a]."""
    return torch.tanh((Q @ W_q)[:, None] + (K @ W_k)[None]) @ v


def factors(W, d_k):
    """(W_q, W_k), each [d, d_k]: of all such pairs the one with W_q W_k^T closest to W: [d, d]."""
    U, sizes, R = torch.linalg.svd(W)
    return U[:, :d_k] * sizes[:d_k], R[:d_k].T
