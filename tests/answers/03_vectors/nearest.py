"""Answers to the task nearest of chapter 03."""


# %% right="row by row"
def cosines(A, i):
    found = []
    for row in A:
        lengths = np.linalg.norm(row) * np.linalg.norm(A[i])
        found.append(float(row @ A[i]) / lengths if lengths else 0.0)
    return found


def nearest(A, i, n):
    scores = cosines(A, i)
    others = [j for j in range(len(A)) if j != i]
    return sorted(others, key=lambda j: -round(scores[j], 12))[:n]


counter_example = ([0.5, 0.5], [0.1, 0.1], [0, 7])


# %% right="unit vectors"
def cosines(A, i):
    lengths = np.linalg.norm(A, axis=1, keepdims=True)
    unit = np.divide(A, lengths, out=np.zeros_like(A), where=lengths > 0)
    return unit @ unit[i]


def nearest(A, i, n):
    scores = np.round(cosines(A, i), 12)
    scores[i] = -np.inf
    return np.argsort(-scores, kind="stable")[: min(n, len(A) - 1)]


counter_example = (np.array([2, 0]), np.array([1, 0]), np.array([5, -5]))


# %% wrong="the dot product" caught_by="lengths do not matter | nearest first, without itself"
# -     return np.where(scale > 0, A @ A[i] / np.where(scale > 0, scale, 1), 0)
# +     return A @ A[i]

# %% wrong="one of the two lengths" caught_by="lengths do not matter" change="scale = lengths * lengths[i] -> scale = lengths"

# %% wrong="lengths not rooted" caught_by="lengths do not matter" change="np.sqrt((A**2).sum(1)) -> (A**2).sum(1)"

# %% wrong="NaN for zero vectors" caught_by="vectors of length zero"
# -     return np.where(scale > 0, A @ A[i] / np.where(scale > 0, scale, 1), 0)
# +     with np.errstate(all="ignore"):
# +         return A @ A[i] / scale

# %% wrong="a zero vector is like itself" caught_by="vectors of length zero"
# -     return np.where(scale > 0, A @ A[i] / np.where(scale > 0, scale, 1), 0)
# +     found = np.where(scale > 0, A @ A[i] / np.where(scale > 0, scale, 1), 0)
# +     found[i] = 1
# +     return found

# %% wrong="the word is its own neighbour" caught_by="nearest first, without itself" change="[int(j) for j in order if j != i][:n] -> [int(j) for j in order][:n]"

# %% wrong="the first is cut off, whoever it is" caught_by="nearest first, without itself" change="[int(j) for j in order if j != i][:n] -> [int(j) for j in order][1 : n + 1]"

# %% wrong="zero vectors are left out" caught_by="nearest first, without itself" change="for j in order if j != i -> for j in order if j != i and A[j].any()"

# %% wrong="of equal ones the larger number first" caught_by="nearest first, without itself"
# -     order = np.argsort(-cosines(A, i), kind="stable")
# +     order = np.argsort(cosines(A, i), kind="stable")[::-1]

# %% wrong="farthest first" caught_by="nearest first, without itself" change="np.argsort(-cosines(A, i) -> np.argsort(cosines(A, i)"

# %% wrong="too small an angle" caught_by="a large product without likeness" change="[10, 10] -> [10, 9]"

# %% wrong="the long one is v" caught_by="a large product without likeness" change="([1, 0], [1, 0], [10, 10]) -> ([1, 0], [10, 0], [1, 1])"

# %% wrong="a little added to the product of the lengths" caught_by="lengths do not matter" change="return np.where(scale > 0, A @ A[i] / np.where(scale > 0, scale, 1), 0) -> return A @ A[i] / (scale + 1e-8)"

# %% wrong="only words of positive cosine" caught_by="nearest first, without itself" change="for j in order if j != i -> for j in order if j != i and cosines(A, i)[j] > 0"


# %% wrong="short vectors are taken for zero" caught_by="vectors of length zero"
# -     return np.where(scale > 0, A @ A[i] / np.where(scale > 0, scale, 1), 0)
# +     some = scale > 1e-12
# +     return np.where(some, A @ A[i] / np.where(some, scale, 1), 0)


# %% wrong="cosines to four decimals" caught_by="nearest first, without itself" change="np.argsort(-cosines(A, i), -> np.argsort(-cosines(A, i).round(4),"


# %% wrong="itself is put last among the opposites" caught_by="nearest first, without itself"
# -     order = np.argsort(-cosines(A, i), kind="stable")
# -     return [int(j) for j in order if j != i][:n]
# +     found = cosines(A, i)
# +     found[i] = -1
# +     return [int(j) for j in np.argsort(-found, kind="stable")][:n]


# %% wrong="itself leaves after the cut" caught_by="nearest first, without itself"
# -     order = np.argsort(-cosines(A, i), kind="stable")
# -     return [int(j) for j in order if j != i][:n]
# +     order = np.argsort(-cosines(A, i), kind="stable")[: n + 1]
# +     return [int(j) for j in order if j != i]


# %% wrong="scales A in place" caught_by="lengths do not matter"
# -     lengths = np.sqrt((A**2).sum(1))
# -     scale = lengths * lengths[i]
# -     return np.where(scale > 0, A @ A[i] / np.where(scale > 0, scale, 1), 0)
# +     lengths = np.linalg.norm(A, axis=1, keepdims=True)
# +     A /= np.where(lengths == 0, 1, lengths)
# +     return A @ A[i]
