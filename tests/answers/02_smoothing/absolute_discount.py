"""Answers to the task absolute_discount of chapter 02."""


# %% right="loop over the words"
def absolute_discount(row, lower, k):
    n = float(sum(row))
    if n == 0:
        return list(lower)
    kinds = sum(1 for c in row if c > 0)
    return [max(c - k, 0) / n + k * kinds / n * p for c, p in zip(row, lower)]


# %% right="lambda as what is missing to one"
def absolute_discount(row, lower, k):
    row = np.array(row, dtype=float)
    if not row.any():
        return lower
    kept = np.where(row > 0, row - k, 0) / row.sum()
    return kept + (1 - kept.sum()) * np.array(lower)


# %% wrong="no max, as on the slide" caught_by="sums to one for every k"
def absolute_discount(row, lower, k):
    n = row.sum()
    if n == 0:
        return lower
    return (row - k) / n + k * np.sum(row > 0) / n * lower


# %% wrong="lambda is k" caught_by="sums to one for every k"
def absolute_discount(row, lower, k):
    n = row.sum()
    if n == 0:
        return lower
    return np.maximum(row - k, 0) / n + k * lower


# %% wrong="every word of the vocabulary pays" caught_by="freed mass goes to lower order"
def absolute_discount(row, lower, k):
    n = row.sum()
    if n == 0:
        return lower
    return np.maximum(row - k, 0) / n + k * len(row) / n * lower


# %% wrong="renormalised without the lower order" caught_by="freed mass goes to lower order"
def absolute_discount(row, lower, k):
    kept = np.maximum(row - k, 0.0)
    return kept / kept.sum() if kept.sum() > 0 else lower


# %% wrong="the mass shared equally" caught_by="freed mass goes to lower order"
def absolute_discount(row, lower, k):
    n = row.sum()
    if n == 0:
        return lower
    return np.maximum(row - k, 0) / n + k * np.sum(row > 0) / n / len(row)


# %% wrong="only unseen words receive" caught_by="freed mass goes to lower order | sums to one for every k"
def absolute_discount(row, lower, k):
    n = row.sum()
    if n == 0:
        return lower
    return np.where(row > 0, (row - k) / n, k * np.sum(row > 0) / n * lower)


# %% wrong="zeros for a context never seen" caught_by="a context never seen"
def absolute_discount(row, lower, k):
    n = max(row.sum(), 1)
    return np.maximum(row - k, 0) / n + k * np.sum(row > 0) / n * lower


# %% wrong="lower order scaled where it stands" caught_by="freed mass goes to lower order"
def absolute_discount(row, lower, k):
    n = row.sum()
    if n == 0:
        return lower
    lower *= k * np.count_nonzero(row) / n
    return np.maximum(row - k, 0) / n + lower


# %% wrong="counts discounted where they stand" caught_by="freed mass goes to lower order"
def absolute_discount(row, lower, k):
    row, n, kinds = (np.asarray(row, dtype=float), row.sum(), np.count_nonzero(row))
    if n == 0:
        return lower
    row -= k
    row[row < 0] = 0
    return row / n + k * kinds / n * lower


# %% wrong="only counts above k pay" caught_by="sums to one for every k"
def absolute_discount(row, lower, k):
    n = row.sum()
    if n == 0:
        return lower
    return np.maximum(row - k, 0) / n + k * np.sum(row > k) / n * lower


# %% wrong="a context never seen keeps the share k" caught_by="a context never seen"
def absolute_discount(row, lower, k):
    n = row.sum()
    if n == 0:
        return k * lower
    return np.maximum(row - k, 0) / n + k * np.count_nonzero(row) / n * lower


# %% right="single precision"
def absolute_discount(row, lower, k):
    row, lower, k = (row.astype(np.float32), lower.astype(np.float32), np.float32(k))
    n = row.sum()
    return lower if n == 0 else (np.maximum(row - k, 0) + k * np.count_nonzero(row) * lower) / n


# %% wrong="one count is no evidence" caught_by="sums to one for every k" change="if n == 0: -> if n < 2:"


# %% wrong="one kind of follower is no evidence" caught_by="sums to one for every k"
# -     if n == 0:
# +     if np.count_nonzero(row) < 2:


# %% wrong="keeps the answer for the same counts" caught_by="freed mass goes to lower order"
answers = {}


def absolute_discount(row, lower, k):
    same = (tuple(row.tolist()), k)
    if same not in answers:
        n, kinds = row.sum(), np.count_nonzero(row)
        answers[same] = np.maximum(row - k, 0) / n + k * kinds / n * lower if n else np.array(lower)
    return answers[same]


# %% wrong="keeps the weight for the same counts, whatever k" caught_by="freed mass goes to lower order"
weights = {}


def absolute_discount(row, lower, k):
    n = row.sum()
    if n == 0:
        return lower
    weight = weights.setdefault(tuple(row.tolist()), k * np.count_nonzero(row) / n)
    return np.maximum(row - k, 0) / n + weight * lower


# %% wrong="keeps what a context never seen gets" caught_by="a context never seen"
fallback = {}


def absolute_discount(row, lower, k):
    n = row.sum()
    if n == 0:
        return fallback.setdefault((len(row), k), np.array(lower))
    return np.maximum(row - k, 0) / n + k * np.count_nonzero(row) / n * lower


# %% wrong="who gets nothing from below pays nothing" caught_by="freed mass goes to lower order" change="np.count_nonzero(row) -> np.count_nonzero(row * lower)"


# %% wrong="rounded for printing" caught_by="freed mass goes to lower order" change="np.maximum(row - k, 0) / n + weight * lower -> np.round(np.maximum(row - k, 0) / n + weight * lower, 6)"


# %% wrong="the weight stays below one" caught_by="sums to one for every k" change="weight = k * np.count_nonzero(row) / n -> weight = min(k * np.count_nonzero(row) / n, 0.99)"


# %% right="divided by its own sum at the end"
def absolute_discount(row, lower, k):
    if not any(row):
        return np.array(lower)
    P = np.where(row > 0, row - k, 0) + lower * (k * sum(c > 0 for c in row))
    return P / P.sum()
