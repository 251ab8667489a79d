"""Answers to the task discount_slide of chapter 02."""


# %% right="loops"
def slide_sum(row, lower, k):
    n, kinds, total = sum(row), sum(c > 0 for c in row), 0
    for c, p in zip(row, lower):
        total += (c - k) / n + k * kinds / n * p
    return total


def slide_lambda(row, k):
    return 1 - sum((c - k) / sum(row) for c in row)


def slide_negative(row, lower, k):
    lam, n = slide_lambda(row, k), sum(row)
    return len([1 for c, p in zip(row, lower) if (c - k) / n + lam * p < 0])


# %% right="formulas from paper"
def slide_sum(row, lower, k):
    return 1 - k * (row == 0).sum() / row.sum()


def slide_lambda(row, k):
    return k * row.size / row.sum()


def slide_negative(row, lower, k):
    return (row - k + k * row.size * lower < 0).sum()


# %% wrong="max put in, so nothing is lost" caught_by="first reading loses mass"
def slide_sum(row, lower, k):
    n = row.sum()
    return np.sum(np.maximum(row - k, 0) / n + k * np.sum(row > 0) / n * lower)


def slide_lambda(row, k):
    return k * len(row) / row.sum()


def slide_negative(row, lower, k):
    return int(np.sum((row - k) / row.sum() + k * len(row) / row.sum() * lower < 0))


# %% wrong="the lambda of task 7 again" caught_by="second reading has another lambda"
def slide_sum(row, lower, k):
    return 1 - k * np.sum(row == 0) / row.sum()


def slide_lambda(row, k):
    return k * np.sum(row > 0) / row.sum()


def slide_negative(row, lower, k):
    return int(np.sum((row - k) / row.sum() + k * len(row) / row.sum() * lower < 0))


# %% wrong="lambda is the rest of the first sum" caught_by="second reading has another lambda"
def slide_sum(row, lower, k):
    return 1 - k * np.sum(row == 0) / row.sum()


def slide_lambda(row, k):
    return k * np.sum(row == 0) / row.sum()


def slide_negative(row, lower, k):
    return int(np.sum((row - k) / row.sum() + k * len(row) / row.sum() * lower < 0))


# %% wrong="every unseen word is called negative" caught_by="negative probabilities"
def slide_sum(row, lower, k):
    return 1 - k * np.sum(row == 0) / row.sum()


def slide_lambda(row, k):
    return k * len(row) / row.sum()


def slide_negative(row, lower, k):
    return int(np.sum(row - k < 0))


# %% wrong="negative ones with the lambda of task 7" caught_by="negative probabilities"
def slide_sum(row, lower, k):
    return 1 - k * np.sum(row == 0) / row.sum()


def slide_lambda(row, k):
    return k * len(row) / row.sum()


def slide_negative(row, lower, k):
    return int(np.sum(row - k + k * np.sum(row > 0) * lower < 0))


# %% wrong="zero called negative" caught_by="negative probabilities" change="lower < -> lower <="


# %% wrong="lower order scaled where it stands" caught_by="negative probabilities"
# -     return int(np.sum((row - k) / np.sum(row) + slide_lambda(row, k) * lower < 0))
# +     lower *= k * len(row)
# +     return int(np.sum(row - k + lower < 0))


# %% wrong="k taken where the counts stand" caught_by="first reading loses mass | second reading has another lambda"
def slide_sum(row, lower, k):
    row = np.asarray(row, dtype=float)
    n, kinds = (row.sum(), np.count_nonzero(row))
    row -= k
    return np.sum(row / n + k * kinds / n * lower)


def slide_lambda(row, k):
    row = np.asarray(row, dtype=float)
    n = row.sum()
    row -= k
    return 1 - row.sum() / n


def slide_negative(row, lower, k):
    return int(np.sum((row - k) / np.sum(row) + slide_lambda(row, k) * lower < 0))


# %% wrong="only words in doubt if all were seen" caught_by="negative probabilities" change="0)) -> 0)) or int(np.sum(row == 1))"


# %% right="only the unseen, and rarer than 1/V, can fall below zero" change="int(np.sum((row - k) / np.sum(row) + slide_lambda(row, k) * lower < 0 -> np.sum((row == 0) & (lower < 1 / len(row)"


# %% wrong="nothing to deal out behind one token" caught_by="second reading has another lambda"
# -     return k * len(row) / np.sum(row)
# +     return k * len(row) / np.sum(row) if np.sum(row) > 1 else 1.0


# %% wrong="a context seen once sums to one" caught_by="first reading loses mass"
# -     n = np.sum(row)
# +     n = np.sum(row)
# +     if n < 2:
# +         return 1.0
