"""Answers to the task one_hot_slide of chapter 04."""


# %% right="factored, tolist, words counted"
def repaired_parameters(V, k):
    return V * (k * V + 1)


def leaks(rows, targets):
    wanted = targets.tolist()
    return [c for c, column in enumerate(rows.T.tolist()) if column == wanted]


def history_padding(T, N):
    empty = sum(1 for t in range(T) for k in range(1, N + 1) if t < k)
    return empty / (T * N)


# %% right="broadcast"
def repaired_parameters(V, k):
    return sum(p.numel() for p in nn.Linear(k, 1, bias=False).parameters()) * V * V + V


def leaks(rows, targets):
    return torch.nonzero((rows == targets[:, None]).all(0)).flatten().tolist()


def history_padding(T, N):
    return np.mean([max(0, N - t) / N for t in range(T)])


# %% wrong="as printed" caught_by="the word to guess left out"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return (k + 1) * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) for t in range(T)) / (T * N)


# %% wrong="the bias dropped too" caught_by="the word to guess left out"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) for t in range(T)) / (T * N)


# %% wrong="one output" caught_by="the word to guess left out"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) for t in range(T)) / (T * N)


# %% wrong="bias for each input" caught_by="the word to guess left out"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + k * V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) for t in range(T)) / (T * N)


# %% wrong="one hit is a leak" caught_by="columns that give it away"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).any()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) for t in range(T)) / (T * N)


# %% wrong="only the first row looked at" caught_by="columns that give it away"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if rows[0, column] == targets[0]]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) for t in range(T)) / (T * N)


# %% wrong="only the last column looked at" caught_by="columns that give it away"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1] - 1, rows.shape[1]) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) for t in range(T)) / (T * N)


# %% wrong="the first column left out" caught_by="columns that give it away"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(1, rows.shape[1]) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) for t in range(T)) / (T * N)


# %% wrong="the last column left out" caught_by="columns that give it away"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1] - 1) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) for t in range(T)) / (T * N)


# %% wrong="columns that do not leak" caught_by="columns that give it away"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if not (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) for t in range(T)) / (T * N)


# %% wrong="the share of words" caught_by="a history of padding"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return sum(min(t, N) for t in range(T)) / (T * N)


# %% wrong="counts the word itself" caught_by="a history of padding"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t + 1, N) for t in range(T)) / (T * N)


# %% wrong="long texts forgotten" caught_by="a history of padding"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(t for t in range(T)) / (T * N)


# %% wrong="the end counted as a word" caught_by="a history of padding"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) for t in range(T + 1)) / ((T + 1) * N)


# %% wrong="a window on both sides" caught_by="a history of padding"
def repaired_parameters(V, k):
    """Weights and biases of one layer from k one-hot words to V scores, without the word to guess."""
    return k * V**2 + V


def leaks(rows, targets):
    """A list: the numbers of the columns of rows (N, n) that equal targets (N,) in every row."""
    return [column for column in range(rows.shape[1]) if (rows[:, column] == targets).all()]


def history_padding(T, N):
    """The share of padding among the T N places of the contexts of T words (the end symbol not counted)."""
    return 1 - sum(min(t, N) + min(T - 1 - t, N) for t in range(T)) / (T * (2 * N + 1))
