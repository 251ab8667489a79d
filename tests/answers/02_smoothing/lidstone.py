"""Answers to the task lidstone of chapter 02."""


# %% right="pandas and a loop over the row"
def lidstone_by_hand():
    return {"or": 0.43, "milk": 0.14}


def lidstone(counts, w1, w2, alpha, V):
    row = {b: count for (a, b), count in counts.items() if a == w1}
    return (row.get(w2, 0) + alpha) / (sum(row.values()) + alpha * V)


def lidstone_array(C, alpha):
    smoothed = pd.DataFrame(C) + alpha
    return smoothed.div(smoothed.sum(axis=1), axis=0).to_numpy()


# %% right="mixture of counts and the uniform distribution"
def lidstone_by_hand():
    return {"or": np.float64(3) / 7, "milk": np.float64(1) / 7}


def lidstone(counts, w1, w2, alpha, V):
    n = 0
    for pair in counts:
        if pair[0] == w1:
            n += counts[pair]
    if n == 0:
        return 1 / V
    weight = n / (n + V * alpha)
    return weight * (counts[w1, w2] if (w1, w2) in counts else 0) / n + (1 - weight) / V


def lidstone_array(C, alpha):
    V = np.shape(C)[1]
    return np.array([(row + alpha) / (row.sum() + V * alpha) for row in np.asarray(C)])


# %% right="one row after another"
def lidstone_by_hand():
    seen = {"or": 2, "</s>": 1, "milk": 0, "tea": 0}
    return {word: (count + 1) / (sum(seen.values()) + len(seen)) for word, count in seen.items()}


def lidstone(counts, w1, w2, alpha, V):
    below = V * alpha + sum(counts[pair] for pair in counts if pair[0] == w1)
    return (Counter(counts)[w1, w2] + alpha) / below


def lidstone_array(C, alpha):
    smoothed = np.asarray(C, dtype=float) + alpha
    return smoothed / smoothed.sum(1)[:, None]


# %% wrong="the slide's line: one more below, not V more" caught_by="one pair at a time | the array, row by row"
def lidstone_by_hand():
    return {"or": 3 / 7, "milk": 1 / 7}


def lidstone(counts, w1, w2, alpha, V):
    n = sum(count for (first, _), count in counts.items() if first == w1)
    return (counts.get((w1, w2), 0) + alpha) / (n + alpha)


def lidstone_array(C, alpha):
    return (C + alpha) / (C.sum(axis=1, keepdims=True) + alpha)


# %% wrong="V times alpha forgotten by hand" caught_by="four events by hand" change="(2 + 1) / (3 + 4), \"milk\": (0 + 1) / (3 + 4) -> 3 / 4, \"milk\": 1 / 4"


# %% wrong="V counts the seen events only" caught_by="one pair at a time"
def lidstone_by_hand():
    return {"or": 3 / 7, "milk": 1 / 7}


def lidstone(counts, w1, w2, alpha, V):
    row = [count for (first, _), count in counts.items() if first == w1]
    return (counts.get((w1, w2), 0) + alpha) / (sum(row) + len(row) * alpha)


def lidstone_array(C, alpha):
    return (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)


# %% wrong="columns instead of rows" caught_by="the array, row by row"
# -     return {"or": (2 + 1) / (3 + 4), "milk": (0 + 1) / (3 + 4)}
# +     return {"or": 3 / 7, "milk": 1 / 7}

# -     return (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
# +     return (C + alpha) / (C.sum(axis=0, keepdims=True) + C.shape[0] * alpha)


# %% wrong="rows counted instead of events" caught_by="the array, row by row"
# -     return {"or": (2 + 1) / (3 + 4), "milk": (0 + 1) / (3 + 4)}
# +     return {"or": 3 / 7, "milk": 1 / 7}

# -     return (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
# +     return (C + alpha) / (C.sum(axis=1, keepdims=True) + len(C) * alpha)


# %% wrong="an unseen context gets 0" caught_by="unseen contexts are even"
# -     return {"or": (2 + 1) / (3 + 4), "milk": (0 + 1) / (3 + 4)}
# +     return {"or": 3 / 7, "milk": 1 / 7}

# -     return (counts.get((w1, w2), 0) + alpha) / (n + V * alpha)
# +     return (counts.get((w1, w2), 0) + alpha) / (n + V * alpha) if n else 0.0


# %% wrong="asks the dict and leaves a key behind" caught_by="one pair at a time"
# -     n = sum(count for (first, _), count in counts.items() if first == w1)
# -     return (counts.get((w1, w2), 0) + alpha) / (n + V * alpha)
# +     counts.setdefault((w1, w2), 0)
# +     n = sum((count for (first, _), count in counts.items() if first == w1))
# +     return (counts[w1, w2] + alpha) / (n + V * alpha)


# %% wrong="alpha added to the array itself" caught_by="the array, row by row"
# -     return (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
# +     C = np.asarray(C, dtype=float)
# +     C += alpha
# +     return C / C.sum(axis=1, keepdims=True)


# %% wrong="remembers the sums of other counts" caught_by="one pair at a time"
sums = {}


def lidstone_by_hand():
    return {"or": (2 + 1) / (3 + 4), "milk": (0 + 1) / (3 + 4)}


def lidstone(counts, w1, w2, alpha, V):
    if w1 not in sums:
        sums[w1] = sum((count for pair, count in counts.items() if pair[0] == w1))
    return (counts.get((w1, w2), 0) + alpha) / (sums[w1] + V * alpha)


def lidstone_array(C, alpha):
    return (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)


# %% wrong="contexts never seen are missing" caught_by="unseen contexts are even"
# -     n = sum(count for (first, _), count in counts.items() if first == w1)
# -     return (counts.get((w1, w2), 0) + alpha) / (n + V * alpha)
# +     rows = defaultdict(dict)
# +     for (a, b), count in counts.items():
# +         rows[a][b] = count
# +     if w1 not in rows:
# +         return alpha / V
# +     return (rows[w1].get(w2, 0) + alpha) / (sum(rows[w1].values()) + V * alpha)


# %% right="single precision and arrays without a dimension"
def lidstone_by_hand():
    return {"or": (2 + 1) / (3 + 4), "milk": (0 + 1) / (3 + 4)}


def lidstone(counts, w1, w2, alpha, V):
    row = np.array([count for pair, count in counts.items() if pair[0] == w1], dtype=np.float32)
    return np.array(np.float32(counts.get((w1, w2), 0) + alpha) / (row.sum() + np.float32(V * alpha)))


def lidstone_array(C, alpha):
    smooth = C.astype(np.float32) + np.float32(alpha)
    return smooth / smooth.sum(axis=1)[:, None]


# %% wrong="keeps the sum of a row as long as the pairs are the same" caught_by="one pair at a time"
row_sums = {}


def lidstone_by_hand():
    return {"or": 3 / 7, "milk": 1 / 7}


def lidstone(counts, w1, w2, alpha, V):
    same = (frozenset(counts), w1)
    if same not in row_sums:
        row_sums[same] = sum(count for pair, count in counts.items() if pair[0] == w1)
    return (counts.get((w1, w2), 0) + alpha) / (row_sums[same] + V * alpha)


def lidstone_array(C, alpha):
    return (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)


# %% wrong="keeps the denominators of arrays of the same shape" caught_by="the array, row by row"
below = {}


def lidstone_by_hand():
    return {"or": 3 / 7, "milk": 1 / 7}


def lidstone(counts, w1, w2, alpha, V):
    n = sum(count for (first, _), count in counts.items() if first == w1)
    return (counts.get((w1, w2), 0) + alpha) / (n + V * alpha)


def lidstone_array(C, alpha):
    n = below.setdefault((C.shape, alpha), C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
    return (C + alpha) / n


# %% wrong="a context with one count is even" caught_by="one pair at a time"
# -     return (counts.get((w1, w2), 0) + alpha) / (n + V * alpha)
# +     return (counts.get((w1, w2), 0) + alpha) / (n + V * alpha) if n > 1 else 1 / V


# %% wrong="a row with one count is even" caught_by="the array, row by row"
# -     return (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
# +     n = C.sum(axis=1, keepdims=True)
# +     return np.where(n > 1, (C + alpha) / (n + C.shape[1] * alpha), 1 / C.shape[1])


# %% wrong="a look-up by try makes a defaultdict grow" caught_by="one pair at a time"
# -     return (counts.get((w1, w2), 0) + alpha) / (n + V * alpha)
# +     try:
# +         alpha_more = counts[w1, w2] + alpha
# +     except KeyError:
# +         alpha_more = alpha
# +     return alpha_more / (n + V * alpha)


# %% wrong="columns without any count are no events" caught_by="the array, row by row" change="C.shape[1] * alpha -> np.count_nonzero(C.any(axis=0)) * alpha"


# %% wrong="rounded for printing" caught_by="the array, row by row"
# -     return (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
# +     return np.round((C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha), 4)


# %% wrong="contexts that begin alike are one" caught_by="one pair at a time" change="if first == w1 -> if first.startswith(w1)"


# %% right="row by row with apply_along_axis, a Series of pairs"
def lidstone_by_hand():
    return {word: (count + 1) / 7 for word, count in {"or": 2, "milk": 0}.items()}


def lidstone(counts, w1, w2, alpha, V):
    after = pd.Series({b: float(count) for (a, b), count in counts.items() if a == w1}, dtype=float)
    return (after.get(w2, 0.0) + alpha) / (after.sum() + alpha * V)


def lidstone_array(C, alpha):
    return np.apply_along_axis(lambda row: (row + alpha) / (row + alpha).sum(), 1, C)
