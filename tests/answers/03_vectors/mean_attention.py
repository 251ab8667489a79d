"""Answers to the task mean_attention of chapter 03."""


# %% right="counts times the matrix, softmax in loops"
def text_means(texts, A):
    A = np.asarray(A)
    counts = np.zeros((len(texts), len(A)))
    for n, text in enumerate(texts):
        for i in text:
            counts[n, i] += 1
    return counts @ A / np.maximum(counts.sum(1, keepdims=True), 1)


def attend(y, X):
    top = max(y)
    weights = [math.exp(v - top) for v in y]
    return np.sum([w / sum(weights) * x for w, x in zip(weights, X)], axis=0)


# %% right="torch, lists of numbers"
def text_means(texts, A):
    rows = torch.tensor(A)
    return [rows[list(t)].mean(0).tolist() if len(t) else [0.0] * rows.shape[1] for t in texts]


def attend(y, X):
    return torch.tensor(y).softmax(0) @ torch.tensor(X)


# %% wrong="the sum, not the mean" caught_by="the mean of each text" change=".mean(0) -> .sum(0)"

# %% wrong="each word once" caught_by="the mean of each text" change="A[list(text)] -> A[sorted(set(text))]"

# %% wrong="divided by the longest text" caught_by="the mean of each text" change="A[list(text)].mean(0) -> A[list(text)].sum(0) / max(map(len, texts))"

# %% wrong="mean over the wrong axis" caught_by="the mean of each text" change=".mean(0) -> .mean()"

# %% wrong="empty texts left out" caught_by="no words, and scores far out"
# -     means = np.zeros((len(texts), A.shape[1]))
# -     for row, text in enumerate(texts):
# -         if len(text):
# -             means[row] = A[list(text)].mean(0)
# -     return means
# +     return np.array([A[list(text)].mean(0) for text in texts if len(text)]).reshape(-1, A.shape[1])

# %% wrong="an empty text gets the mean of all words" caught_by="no words, and scores far out"
# -     means = np.zeros((len(texts), A.shape[1]))
# +     means = np.zeros((len(texts), A.shape[1])) + A.mean(0)

# %% wrong="weights do not sum to 1" caught_by="weights from scores" change="weights @ X / weights.sum() -> weights @ X"

# %% wrong="scores as weights" caught_by="weights from scores" change="weights = np.exp(y - y.max()) -> weights = abs(y) + 1e-9"

# %% wrong="only the best row" caught_by="weights from scores" change="weights = np.exp(y - y.max()) -> weights = (y == y.max()) * 1.0"

# %% wrong="the plain mean" caught_by="weights from scores" change="weights = np.exp(y - y.max()) -> weights = np.ones(len(y))"

# %% wrong="scores held below 700" caught_by="no words, and scores far out" change="np.exp(y - y.max()) -> np.exp(np.clip(y, -700, 700))"

# %% wrong="the mean subtracted, not the largest" caught_by="no words, and scores far out"
# -     weights = np.exp(y - y.max())
# +     weights = np.exp(np.minimum(y - y[np.isfinite(y)].mean(), 700))

# %% wrong="scores held within 18 of the largest" caught_by="no words, and scores far out" change="weights = np.exp(y - y.max()) -> weights = np.exp(np.maximum(y - y.max(), -18)) * (y > -np.inf)"

# %% wrong="scores in single precision" caught_by="no words, and scores far out" change="weights = np.exp(y - y.max()) -> weights = np.exp(y.astype(np.float32) - y.max())"


# %% wrong="five hundred words are enough" caught_by="the mean of each text" change="A[list(text)].mean(0) -> A[list(text)[:500]].mean(0)"


# %% wrong="minus infinity is minus a thousand" caught_by="no words, and scores far out" change="weights = np.exp(y - y.max()) -> y = np.where(np.isinf(y), -1000.0, y); weights = np.exp(y - y.max())"


# %% wrong="columns weighted" caught_by="weights from scores"
# -     weights = np.exp(y - y.max())
# -     return weights @ X / weights.sum()
# +     w = np.exp(y - y.max())
# +     return X @ w / w.sum()


# %% wrong="shifted only when the scores are large" caught_by="no words, and scores far out"
# -     weights = np.exp(y - y.max())
# -     return weights @ X / weights.sum()
# +     if y.max() > 700:
# +         y = y - y.max()
# +     w = np.exp(y)
# +     return w @ X / w.sum()


# %% wrong="means by running sums" caught_by="the mean of each text"
# -     means = np.zeros((len(texts), A.shape[1]))
# -     for row, text in enumerate(texts):
# -         if len(text):
# -             means[row] = A[list(text)].mean(0)
# -     return means
# +     ends = np.cumsum([0, *map(len, texts)])
# +     rows = A[np.array([word for text in texts for word in text], dtype=int)]
# +     sums = np.vstack([np.zeros(A.shape[1]), rows.cumsum(0)])[ends]
# +     return np.diff(sums, axis=0) / np.maximum(np.diff(ends), 1)[:, None]
