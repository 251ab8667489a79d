"""Answers to the task factors of chapter 03."""


# %% right="torch"
def factors(M, d):
    Q, s, R = torch.linalg.svd(torch.tensor(M), full_matrices=False)
    half = torch.diag(s[:d] ** 0.5)
    return (Q[:, :d] @ half).numpy(), (half @ R[:d]).T.numpy()


def lost(M, d):
    s = torch.linalg.svdvals(torch.tensor(M)) ** 2
    return float(1 - s[:d].sum() / s.sum())


# %% right="full matrices; what is left over by subtraction"
def factors(M, d):
    Q, s, R = np.linalg.svd(M)
    A, B = np.zeros((M.shape[0], d)), np.zeros((M.shape[1], d))
    for r in range(d):
        A[:, r] = Q[:, r] * math.sqrt(s[r])
        B[:, r] = R[r] * math.sqrt(s[r])
    return A, B


def lost(M, d):
    Q, s, R = np.linalg.svd(M, full_matrices=False)
    left = M - Q[:, :d] @ np.diag(s[:d]) @ R[:d]
    return np.linalg.norm(left) ** 2 / np.linalg.norm(M) ** 2


# %% wrong="the whole of s on both sides" caught_by="the best fit | each side half" change="np.sqrt(s[:d]) -> s[:d]"

# %% wrong="all of s on one side" caught_by="each side half" change="return Q[:, :d] * root, R[:d].T * root -> return Q[:, :d] * root**2, R[:d].T"

# %% wrong="no singular values" caught_by="the best fit | each side half" change="np.sqrt(s[:d]) -> np.ones(len(s[:d]))"

# %% wrong="columns of the third part" caught_by="the best fit"
# -     Q, s, R = np.linalg.svd(M, full_matrices=False)
# -     root = np.sqrt(s[:d])
# -     return Q[:, :d] * root, R[:d].T * root
# +     Q, s, R = np.linalg.svd(M)
# +     root = np.sqrt(s[:d])
# +     return Q[:, :d] * root, R[:, :d] * root

# %% wrong="the last ones, not the first" caught_by="the best fit"
# -     root = np.sqrt(s[:d])
# -     return Q[:, :d] * root, R[:d].T * root
# +     last = slice(len(s) - d, len(s))
# +     root = np.sqrt(s[last])
# +     return Q[:, last] * root, R[last].T * root

# %% wrong="shares of s, not of its squares" caught_by="what a rank leaves over" change="(s[d:] ** 2).sum() / (s**2).sum() -> s[d:].sum() / s.sum()"

# %% wrong="what is kept" caught_by="what a rank leaves over" change="(s[d:] ** 2).sum() -> (s[:d] ** 2).sum()"

# %% wrong="not a share" caught_by="what a rank leaves over" change=" / (s**2).sum() -> "

# %% wrong="thirty rounds of power iteration" caught_by="the best fit"
# -     Q, s, R = np.linalg.svd(M, full_matrices=False)
# -     root = np.sqrt(s[:d])
# -     return Q[:, :d] * root, R[:d].T * root
# +     Q = np.linalg.qr(np.random.default_rng(0).normal(size=(len(M), d)))[0]
# +     for _ in range(30):
# +         Q = np.linalg.qr(M @ (M.T @ Q))[0]
# +     turned, s, R = np.linalg.svd(Q.T @ M, full_matrices=False)
# +     return Q @ turned * np.sqrt(s), R.T * np.sqrt(s)

# %% wrong="a hundredth of the largest is nothing" caught_by="what a rank leaves over" change="s = np.linalg.svd(M, compute_uv=False) -> s = np.linalg.svd(M, compute_uv=False) ; s[s < s[0] / 100] = 0"


# %% right="rank d by a diagonal matrix; what is left over by subtraction"
def factors(M, d):
    Q, s, R = np.linalg.svd(M)
    half = np.diag(s[:d] ** 0.5)
    return [Q[:, :d] @ half, (half @ R[:d]).T]


def lost(M, d):
    A, B = factors(M, d)
    return float(np.linalg.norm(M - A @ B.T) ** 2 / np.linalg.norm(M) ** 2)


# %% wrong="singular values below a millionth are noise" caught_by="the best fit" change="np.sqrt(s[:d]) -> np.sqrt(np.where(s > 1e-6, s, 0)[:d])"


# %% wrong="ten further terms only" caught_by="what a rank leaves over" change="s = np.linalg.svd(M, compute_uv=False) -> s = np.linalg.svd(M, compute_uv=False)[: d + 10]"


# %% wrong="tall matrices come back exchanged" caught_by="the best fit"
#       """A (n1, d) and B (n2, d): the product of A and B transposed is the best fit of rank d to M (n1, n2)."""
# +     if M.shape[0] > M.shape[1]:
# +         return factors(M.T, d)


# %% wrong="the last factors by a negative index" caught_by="what a rank leaves over"
# -     s = np.linalg.svd(M, compute_uv=False)
# -     return (s[d:] ** 2).sum() / (s**2).sum()
# +     s = np.linalg.svd(M, compute_uv=False) ** 2
# +     return s[-(len(s) - d) :].sum() / s.sum()


# %% wrong="subtracts the fit from M itself" caught_by="what a rank leaves over"
# -     s = np.linalg.svd(M, compute_uv=False)
# -     return (s[d:] ** 2).sum() / (s**2).sum()
# +     total = (M**2).sum()
# +     A, B = factors(M, d)
# +     M -= A @ B.T
# +     return (M**2).sum() / total


# %% wrong="the other side by division" caught_by="each side half"
# -     Q, s, R = np.linalg.svd(M, full_matrices=False)
# -     root = np.sqrt(s[:d])
# -     return Q[:, :d] * root, R[:d].T * root
# +     Q, s, _ = np.linalg.svd(M, full_matrices=False)
# +     A = Q[:, :d] * np.sqrt(s[:d])
# +     return A, M.T @ A / s[:d]


# %% wrong="a singular value of 0 divides" caught_by="the best fit"
# -     return Q[:, :d] * root, R[:d].T * root
# +     return Q[:, :d] * root, M.T @ Q[:, :d] / root
