"""Answers to the task plane of chapter 03."""


# %% right="eigenvectors, loops"
def plane(X):
    shifted = X - np.mean(X, axis=0)
    values, axes = np.linalg.eigh(shifted.T @ shifted)
    order = np.argsort(-values)[:2]
    total = np.sum(shifted**2)
    kept = sum(max(values[r], 0) for r in order)
    return shifted @ axes[:, order], (min(kept / total, 1) if total else 1)


def parallel(A, pairs):
    cosines = []
    for n, (i, j) in enumerate(pairs):
        for k, m in pairs[:n]:
            u, v = A[j] - A[i], A[m] - A[k]
            scale = math.sqrt(u @ u) * math.sqrt(v @ v)
            cosines.append(u @ v / scale if scale else 0.0)
    return sum(cosines) / len(cosines)


# %% right="by torch, signs turned, the sum of unit vectors"
def plane(X):
    shifted = torch.tensor(X - X.mean(axis=0, keepdims=True))
    Q, s, Rt = torch.linalg.svd(shifted, full_matrices=False)
    squares = float((s**2).sum())
    flat = -(shifted @ Rt[:2].T)
    return flat.numpy(), float((s[:2] ** 2).sum() / squares) if squares else 1.0


def parallel(A, pairs):
    units, nonzero = [], 0
    for i, j in pairs:
        u = A[j] - A[i]
        length = np.linalg.norm(u)
        units.append(u / length if length else 0 * u)
        nonzero += length > 0
    n = len(pairs)
    return (np.sum(np.sum(units, axis=0) ** 2) - nonzero) / (n * n - n)


# %% wrong="points not shifted" caught_by="the plane that shows most" change="X - X.mean(0) -> X - 0"

# %% wrong="one mean for all numbers" caught_by="the plane that shows most" change="X.mean(0) -> X.mean()"

# %% wrong="the smallest axes" caught_by="the plane that shows most" change="Q[:, :2] * s[:2], -> Q[:, -2:] * s[-2:],"

# %% wrong="directions without their lengths" caught_by="the plane that shows most" change="Q[:, :2] * s[:2], -> Q[:, :2],"

# %% wrong="share of s, not of squares" caught_by="the share that the plane keeps"
# -     total = (s**2).sum()
# +     total = s.sum()

# -     return Q[:, :2] * s[:2], (s[:2] ** 2).sum() / total if total > 0 else 1.0
# +     return Q[:, :2] * s[:2], s[:2].sum() / total if total > 0 else 1.0

# %% wrong="the share that is lost" caught_by="the share that the plane keeps" change="(s[:2] ** 2).sum() / total -> (s[2:] ** 2).sum() / total"

# %% wrong="share of the first axis" caught_by="the share that the plane keeps" change="(s[:2] ** 2).sum() -> (s[:1] ** 2).sum()"

# %% wrong="equal points keep nothing" caught_by="the share that the plane keeps" change="else 1.0 -> else 0.0"

# %% wrong="a pair with itself" caught_by="how parallel the offsets are" change="np.fill_diagonal(cosine, 0) -> cosine = cosine + 0"

# %% wrong="offsets not scaled" caught_by="how parallel the offsets are" change="unit @ unit.T -> offsets @ offsets.T"

# %% wrong="mean over all cells" caught_by="how parallel the offsets are" change="(len(pairs) * (len(pairs) - 1)) -> len(pairs) ** 2"

# %% wrong="cosines of sums" caught_by="how parallel the offsets are" change="A[two] - A[one] -> A[two] + A[one]"

# %% wrong="zero offsets left out" caught_by="how parallel the offsets are"
# -     lengths = np.sqrt((offsets**2).sum(1, keepdims=True))
# +     offsets = offsets[(offsets != 0).any(1)]
# +     if len(offsets) < 2:
# +         return 0.0
# +     pairs = pairs[: len(offsets)]
# +     lengths = np.sqrt((offsets**2).sum(1, keepdims=True))


# %% wrong="near points are equal" caught_by="the share that the plane keeps" change="if total > 0 -> if total > 1e-6"


# %% wrong="the first hundred pairs" caught_by="how parallel the offsets are" change="one, two = np.array(pairs).T -> pairs = pairs[:100]; one, two = np.array(pairs).T"


# %% wrong="six axes, by chance" caught_by="the share that the plane keeps"
# -     Q, s, _ = np.linalg.svd(shifted, full_matrices=False)
# -     total = (s**2).sum()
# +     Q, s, _ = (part.numpy() for part in torch.pca_lowrank(torch.tensor(shifted), q=min(6, *X.shape), center=False))
# +     total = (shifted**2).sum()


# %% wrong="points that nearly agree count as equal" caught_by="the share that the plane keeps"
# -     Q, s, _ = np.linalg.svd(shifted, full_matrices=False)
# -     total = (s**2).sum()
# -     return Q[:, :2] * s[:2], (s[:2] ** 2).sum() / total if total > 0 else 1.0
# +     Q, s, R = np.linalg.svd(shifted, full_matrices=False)
# +     if np.allclose(shifted, 0):
# +         return shifted @ R[:2].T, 1.0
# +     return shifted @ R[:2].T, (s[:2] ** 2).sum() / (s**2).sum()


# %% wrong="a small number added to the lengths" caught_by="how parallel the offsets are"
# -     one, two = np.array(pairs).T
# -     offsets = A[two] - A[one]
# -     lengths = np.sqrt((offsets**2).sum(1, keepdims=True))
# -     unit = offsets / np.where(lengths > 0, lengths, 1)
# -     cosine = unit @ unit.T
# -     np.fill_diagonal(cosine, 0)
# -     return cosine.sum() / (len(pairs) * (len(pairs) - 1))
# +     D = np.array([A[j] - A[i] for i, j in pairs])
# +     U = D / (np.linalg.norm(D, axis=1, keepdims=True) + 1e-8)
# +     C = U @ U.T
# +     P = len(pairs)
# +     return (C.sum() - np.trace(C)) / (P * (P - 1))


# %% wrong="the share of the unshifted squares" caught_by="the share that the plane keeps"
# -     Q, s, _ = np.linalg.svd(shifted, full_matrices=False)
# -     total = (s**2).sum()
# -     return Q[:, :2] * s[:2], (s[:2] ** 2).sum() / total if total > 0 else 1.0
# +     Q, s, R = np.linalg.svd(shifted, full_matrices=False)
# +     if np.ptp(X, axis=0).max() == 0:
# +         return shifted @ R[:2].T, 1.0
# +     return shifted @ R[:2].T, (s[:2] ** 2).sum() / (X**2).sum()


# %% wrong="each offset's own cosine taken to be 1" caught_by="how parallel the offsets are"
# -     one, two = np.array(pairs).T
# -     offsets = A[two] - A[one]
# -     lengths = np.sqrt((offsets**2).sum(1, keepdims=True))
# -     unit = offsets / np.where(lengths > 0, lengths, 1)
# -     cosine = unit @ unit.T
# -     np.fill_diagonal(cosine, 0)
# -     return cosine.sum() / (len(pairs) * (len(pairs) - 1))
# +     D = np.array([A[j] - A[i] for i, j in pairs])
# +     L = np.linalg.norm(D, axis=1, keepdims=True)
# +     U = np.divide(D, L, out=np.zeros(D.shape), where=L > 0)
# +     P = len(pairs)
# +     return ((U.sum(0) ** 2).sum() - P) / (P * (P - 1))
