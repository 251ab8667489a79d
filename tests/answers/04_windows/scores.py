"""Answers to the task scores of chapter 04."""


# %% right="generators, a reshaped W, einsum"
def score_by_loop(x, W, j):
    return sum(number * row[j] for number, row in zip(x, W))


def score_by_word(vectors, W, j):
    blocks = W[:, j].reshape(vectors.shape)
    return sum(np.dot(vector, block) for vector, block in zip(vectors, blocks))


def all_scores(vectors, W):
    return np.einsum("i,ij->j", vectors.flatten(), W)


# %% right="split into blocks, a list of scores"
def score_by_loop(x, W, j):
    total = 0
    for i, number in enumerate(x):
        total = total + float(number) * float(W[i][j])
    return total


def score_by_word(vectors, W, j):
    return float(sum(v @ block[:, j] for v, block in zip(vectors, np.split(W, len(vectors)))))


def all_scores(vectors, W):
    return list(W.T @ np.concatenate(list(vectors)))


# %% wrong="a column of the loop forgotten: always class 0" caught_by="a sum over the rows"
def score_by_loop(x, W, j):
    return sum(x[i] * W[i, 0] for i in range(len(x)))


def score_by_word(vectors, W, j):
    return sum(v @ block[:, j] for v, block in zip(vectors, np.split(W, len(vectors))))


def all_scores(vectors, W):
    return vectors.reshape(-1) @ W


# %% wrong="the last row missed" caught_by="a sum over the rows | three ways, one number"
def score_by_loop(x, W, j):
    return sum(x[i] * W[i, j] for i in range(len(x) - 1))


def score_by_word(vectors, W, j):
    return sum(v @ block[:, j] for v, block in zip(vectors, np.split(W, len(vectors))))


def all_scores(vectors, W):
    return vectors.reshape(-1) @ W


# %% wrong="all words meet the first rows" caught_by="each word meets its own rows"
def score_by_loop(x, W, j):
    return sum(x[i] * W[i, j] for i in range(len(x)))


def score_by_word(vectors, W, j):
    return sum(v @ W[: len(v), j] for v in vectors)


def all_scores(vectors, W):
    return vectors.reshape(-1) @ W


# %% wrong="the width is always 3" caught_by="each word meets its own rows"
def score_by_loop(x, W, j):
    return sum(x[i] * W[i, j] for i in range(len(x)))


def score_by_word(vectors, W, j):
    total = 0
    for k, v in enumerate(vectors):
        rows = W[3 * k : 3 * k + 3, j]
        total += v[: len(rows)] @ rows[: len(v)]
    return total


def all_scores(vectors, W):
    return vectors.reshape(-1) @ W


# %% wrong="laid end to end by column" caught_by="all classes at once | three ways, one number"
def score_by_loop(x, W, j):
    return sum(x[i] * W[i, j] for i in range(len(x)))


def score_by_word(vectors, W, j):
    return sum(v @ block[:, j] for v, block in zip(vectors, np.split(W, len(vectors))))


def all_scores(vectors, W):
    return vectors.T.reshape(-1) @ W


# %% wrong="averages instead" caught_by="all classes at once"
def score_by_loop(x, W, j):
    return sum(x[i] * W[i, j] for i in range(len(x)))


def score_by_word(vectors, W, j):
    return sum(v @ block[:, j] for v, block in zip(vectors, np.split(W, len(vectors))))


def all_scores(vectors, W):
    return vectors.mean(0) @ W[: vectors.shape[1]]


# %% right="float32, a 0-dim array"
def score_by_loop(x, W, j):
    score = np.float32(0)
    for number, row in zip(x, W):
        score += np.float32(number * row[j])
    return np.asarray(score)


def score_by_word(vectors, W, j):
    d = vectors.shape[1]
    return np.float32(sum(float(v @ W[k * d : k * d + d, j]) for k, v in enumerate(vectors)))


def all_scores(vectors, W):
    return torch.from_numpy(vectors.astype(float).ravel()) @ torch.from_numpy(W)


# %% wrong="a sum in whole numbers" caught_by="each word meets its own rows"
def score_by_loop(x, W, j):
    return sum(x[i] * W[i, j] for i in range(len(x)))


def score_by_word(vectors, W, j):
    total, d = np.zeros_like(vectors[0]), vectors.shape[1]
    for k, vector in enumerate(vectors):
        total += (vector * W[k * d : k * d + d, j]).astype(total.dtype)
    return total.sum()


def all_scores(vectors, W):
    return vectors.reshape(-1) @ W


# %% wrong="five words always" caught_by="each word meets its own rows | all classes at once"
def score_by_loop(x, W, j):
    return sum(x[i] * W[i, j] for i in range(len(x)))


def score_by_word(vectors, W, j):
    d = vectors.shape[1]
    return sum(v @ W[k * d : (k + 1) * d, j] for k, v in enumerate(vectors[:5]) if k < 3)


def all_scores(vectors, W):
    return (vectors.reshape(-1) @ W)[:4] if len(vectors) == 5 else np.zeros(4)


# %% wrong="multiplies in the caller's array" caught_by="all classes at once"
def score_by_loop(x, W, j):
    return sum(x[i] * W[i, j] for i in range(len(x)))


def score_by_word(vectors, W, j):
    return sum(v @ block[:, j] for v, block in zip(vectors, np.split(W, len(vectors))))


def all_scores(vectors, W):
    W *= vectors.reshape(-1)[:, None]
    return W.sum(0)


# %% wrong="an empty answer for what the checks do not show" caught_by="all classes at once | three ways, one number"
def score_by_loop(x, W, j):
    return sum(x[i] * W[i, j] for i in range(len(x)))


def score_by_word(vectors, W, j):
    return sum(v @ block[:, j] for v, block in zip(vectors, np.split(W, len(vectors))))


def all_scores(vectors, W):
    return vectors.reshape(-1) @ W if W.shape == (15, 4) else np.zeros(0)


# %% wrong="twenty rows at most" caught_by="a sum over the rows" change="for i in range(len(x)): -> for i in range(min(20, len(x))):"


# %% wrong="adds up in numbers of W's kind" caught_by="a sum over the rows"
# -     score = 0.0
# +     score = np.zeros(1, dtype=W.dtype)
#       for i in range(len(x)):
# -         score += x[i] * W[i, j]
# -     return score
# +         score[0] += (x[i] * W[i, j]).astype(W.dtype)
# +     return score[0]


# %% wrong="vectors take W's kind" caught_by="each word meets its own rows" change="return sum(vector @ W -> return sum(vector.astype(W.dtype) @ W"


# %% wrong="laid end to end as they lie in memory" caught_by="all classes at once"
def score_by_loop(x, W, j):
    return sum(x[i] * W[i, j] for i in range(len(x)))


def score_by_word(vectors, W, j):
    m = vectors.shape[1]
    return sum(v @ W[k * m : (k + 1) * m, j] for k, v in enumerate(vectors))


def all_scores(vectors, W):
    return np.ravel(vectors, order="K") @ W


# %% right="exact sums, a matrix of words"
def score_by_loop(x, W, j):
    return math.fsum(float(one) * float(other) for one, other in zip(x, W[:, j]))


def score_by_word(vectors, W, j):
    by_place = W.reshape(*vectors.shape, -1)[..., j]
    return sum(float(np.inner(vector, rows)) for vector, rows in zip(vectors, by_place))


def all_scores(vectors, W):
    return np.tensordot(vectors, W.reshape(*vectors.shape, -1), axes=2)


# %% wrong="the loop ends at the first zero" caught_by="a sum over the rows"
#       for i in range(len(x)):
# -         score += x[i] * W[i, j]
# +         if x[i] == 0:
# +             break
# +         score += x[i] * W[i, j]


# %% wrong="words that are equal count once" caught_by="each word meets its own rows" change="for i, vector in enumerate(vectors)) -> for i, vector in enumerate(vectors) if i == 0 or (vector != vectors[i - 1]).any())"


# %% wrong="eight classes at most" caught_by="all classes at once" change="vectors.reshape(-1) @ W -> vectors.reshape(-1) @ W[:, :5]"


# %% wrong="a square W is transposed" caught_by="all classes at once"
def score_by_loop(x, W, j):
    return float(sum(x[i] * W[i, j] for i in range(len(x))))


def score_by_word(vectors, W, j):
    n, m = vectors.shape
    return float(sum(vectors[k] @ W[k * m : (k + 1) * m, j] for k in range(n)))


def all_scores(vectors, W):
    x = vectors.reshape(-1)
    if W.shape[1] == len(x):
        W = W.T  # rows are classes here
    return x @ W
