"""Answers to the task backing_off of chapter 02."""


# %% right="loops"
def back_off(row, lower, k):
    n = sum(row)
    if n == 0:
        return lower
    unseen = sum(p for c, p in zip(row, lower) if c == 0)
    if unseen == 0:
        return [c / n for c in row]
    free = 1 - sum((c - k) / n for c in row if c > 0)
    return [(c - k) / n if c > 0 else free * p / unseen for c, p in zip(row, lower)]


def stupid(row, lower):
    n = sum(row)
    return [c / n if c > 0 else 0.4 * s for c, s in zip(row, lower)]


# %% right="masks, in place on copies"
def back_off(row, lower, k):
    if row.sum() == 0:
        return lower.copy()
    P = row / row.sum()
    seen = row > 0
    if seen.all():
        return P
    P[seen] -= k / row.sum()
    P[~seen] = (1 - P[seen].sum()) * lower[~seen] / lower[~seen].sum()
    return P


def stupid(row, lower):
    S = 0.4 * lower
    S[row > 0] = row[row > 0] / row.sum()
    return S


# %% wrong="beta without the division" caught_by="beta makes the sum one"
# -     if not lower[unseen].sum() > 0:
# +     if not unseen.any():

# -     beta = k * np.sum(~unseen) / n / lower[unseen].sum()
# -     return np.where(unseen, beta * lower, (row - k) / n)
# +     return np.where(unseen, k * np.sum(~unseen) / n * lower, (row - k) / n)


# %% wrong="interpolated, not backed off" caught_by="beta makes the sum one"
def back_off(row, lower, k):
    n = row.sum()
    if n == 0:
        return lower
    if row.all():
        return row / n
    return np.maximum(row - k, 0) / n + k * np.sum(row > 0) / n * lower


def stupid(row, lower):
    return np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)


# %% wrong="free mass shared equally" caught_by="beta makes the sum one"
# -     if not lower[unseen].sum() > 0:
# +     if not unseen.any():

# -     beta = k * np.sum(~unseen) / n / lower[unseen].sum()
# -     return np.where(unseen, beta * lower, (row - k) / n)
# +     return np.where(unseen, k * np.sum(~unseen) / n / unseen.sum(), (row - k) / n)


# %% wrong="mass lost where no word is unseen" caught_by="nothing seen, nothing unseen"
# -     if not lower[unseen].sum() > 0:
# -         return row / n
# -     beta = k * np.sum(~unseen) / n / lower[unseen].sum()
# +     beta = k * np.sum(~unseen) / n / max(lower[unseen].sum(), 1e-300)


# %% wrong="zeros for a context never seen" caught_by="nothing seen, nothing unseen"
def back_off(row, lower, k):
    n, unseen = row.sum(), row == 0
    if n == 0:
        return np.zeros(len(row))
    if not unseen.any():
        return row / n
    return np.where(unseen, k * np.sum(~unseen) / n / lower[unseen].sum() * lower, (row - k) / n)


def stupid(row, lower):
    return np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)


# %% wrong="stupid made to sum to one" caught_by="stupid backoff takes nothing away"
def back_off(row, lower, k):
    n, unseen = row.sum(), row == 0
    if n == 0:
        return lower
    if not unseen.any():
        return row / n
    return np.where(unseen, k * np.sum(~unseen) / n / lower[unseen].sum() * lower, (row - k) / n)


def stupid(row, lower):
    scores = np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)
    return scores / scores.sum()


# %% wrong="0.4 added to the seen too" caught_by="stupid backoff takes nothing away"
def back_off(row, lower, k):
    n, unseen = row.sum(), row == 0
    if n == 0:
        return lower
    if not unseen.any():
        return row / n
    return np.where(unseen, k * np.sum(~unseen) / n / lower[unseen].sum() * lower, (row - k) / n)


def stupid(row, lower):
    return row / max(row.sum(), 1) + 0.4 * lower


# %% wrong="lower order scaled where it stands" caught_by="nothing seen, nothing unseen"
# -     return np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)
# +     lower *= 0.4
# +     return np.where(row > 0, row / max(row.sum(), 1), lower)


# %% wrong="counts discounted where they stand" caught_by="beta makes the sum one"
def back_off(row, lower, k):
    row = np.asarray(row, dtype=float)
    n, unseen = (row.sum(), row == 0)
    if n == 0:
        return lower
    if not unseen.any():
        return row / n
    beta = k * np.sum(~unseen) / n / lower[unseen].sum()
    row[~unseen] -= k
    return np.where(unseen, beta * lower, row / n)


def stupid(row, lower):
    return np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)


# %% wrong="seen words with nothing left count as unseen" caught_by="beta makes the sum one"
def back_off(row, lower, k):
    n = row.sum()
    if n == 0:
        return lower
    if row.all():
        return row / n
    kept = np.maximum(row - k, 0) / n
    unseen = kept == 0
    return np.where(unseen, (1 - kept.sum()) / lower[unseen].sum() * lower, kept)


def stupid(row, lower):
    return np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)


# %% wrong="a context never seen keeps all of the lower order" caught_by="nothing seen, nothing unseen" change="max(row.sum(), 1), 0.4 * lower) -> row.sum(), 0.4 * lower) if row.any() else lower"


# %% wrong="stupid discounts if all were seen" caught_by="nothing seen, nothing unseen"
# -     return np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)
# +     n = max(row.sum(), 1)
# +     return np.where(row > 0, row / n, 0.4 * lower) if not row.all() else 0.6 * row / n + 0.4 * lower


# %% right="single precision, a list"
def back_off(row, lower, k):
    row, lower = (row.astype(np.float32), lower.astype(np.float32))
    n, unseen = (row.sum(), row == 0)
    if n == 0 or not unseen.any():
        return row / n if n else lower
    share = np.float32(k * np.sum(~unseen)) / n / lower[unseen].sum()
    return np.where(unseen, share * lower, (row - np.float32(k)) / n).tolist()


def stupid(row, lower):
    return np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)


# %% wrong="back_off finds one count no evidence" caught_by="beta makes the sum one" change="if n == 0: -> if n <= 1:"


# %% wrong="stupid finds one count no evidence" caught_by="stupid backoff takes nothing away"
# -     return np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)
# +     return np.where((row > 0) & (row.sum() > 1), row / max(row.sum(), 1), 0.4 * lower)


# %% wrong="back_off keeps beta for the same counts" caught_by="beta makes the sum one"
betas_of_rows = {}


def back_off(row, lower, k):
    n, unseen = row.sum(), row == 0
    if n == 0:
        return lower
    if not unseen.any():
        return row / n
    same = (row.tobytes(), k)
    if same not in betas_of_rows:
        betas_of_rows[same] = k * np.sum(~unseen) / n / lower[unseen].sum()
    return np.where(unseen, betas_of_rows[same] * lower, (row - k) / n)


def stupid(row, lower):
    return np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)


# %% wrong="stupid keeps the scores for the same counts" caught_by="stupid backoff takes nothing away"
scores_of_rows = {}


def back_off(row, lower, k):
    n, unseen = row.sum(), row == 0
    if n == 0:
        return lower
    if not unseen.any():
        return row / n
    return np.where(unseen, k * np.sum(~unseen) / n / lower[unseen].sum() * lower, (row - k) / n)


def stupid(row, lower):
    same = tuple(row.tolist())
    if same not in scores_of_rows:
        scores_of_rows[same] = np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower)
    return scores_of_rows[same]


# %% wrong="little below counts as nothing" caught_by="beta makes the sum one" change="lower[unseen].sum() > 0: -> lower[unseen].sum() > 0.001:"


# %% wrong="the better of both scores" caught_by="stupid backoff takes nothing away" change="np.where(row > 0, row / max(row.sum(), 1), 0.4 * lower) -> np.maximum(row / max(row.sum(), 1), 0.4 * lower)"


# %% wrong="scores of below made to sum to one" caught_by="stupid backoff takes nothing away" change="row / max(row.sum(), 1), 0.4 * lower -> row / max(row.sum(), 1), 0.4 * lower / lower.sum()"


# %% wrong="rounded for printing" caught_by="beta makes the sum one" change="np.where(unseen, beta * lower, (row - k) / n) -> np.round(np.where(unseen, beta * lower, (row - k) / n), 6)"


# %% right="one word after the other into an empty array"
def back_off(row, lower, k):
    n, P = int(sum(row)), np.empty(len(row))
    if n == 0 or 0 not in row:
        return np.array(lower) if n == 0 else np.divide(row, n)
    free = k * sum(1 for c in row if c) / n
    below = math.fsum(p for c, p in zip(row, lower, strict=True) if not c)
    for w, (c, p) in enumerate(zip(row, lower, strict=True)):
        P[w] = (c - k) / n if c else free * (p / below)
    return P


def stupid(row, lower):
    return np.select([row > 0], [row / np.maximum(row.sum(), 1)], default=lower * 2 / 5)
