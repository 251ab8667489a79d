"""Answers to the task choose_discount of chapter 02."""


# %% right="a loop over occurrences, masks"
def leave_one_out(counts, k):
    total = 0.0
    for c in counts:
        total += math.log(k) if c == 1 else c * math.log(c - 1 - k)
    return total


def estimate_discount(counts):
    counts = list(counts)
    return counts.count(1) / (counts.count(1) + 2 * counts.count(2))


def held_out_perplexity(C, lower, pairs, k):
    logs = []
    for h, w in pairs:
        n = C[h].sum()
        if n == 0:
            logs.append(math.log(lower[w]))
        else:
            logs.append(math.log((max(C[h, w] - k, 0) + k * np.sum(C[h] > 0) * lower[w]) / n))
    return math.exp(-sum(logs) / len(logs))


# %% right="the whole matrix first, counts of counts"
def leave_one_out(counts, k):
    n = np.bincount(counts)
    return n[1] * np.log(k) + sum(c * n[c] * np.log(c - 1 - k) for c in range(2, len(n)))


def estimate_discount(counts):
    n = np.bincount(counts, minlength=3)
    return n[1] / (n[1] + 2 * n[2])


def held_out_perplexity(C, lower, pairs, k):
    n = C.sum(1, keepdims=True)
    P = np.where(n > 0, (np.maximum(C - k, 0) + k * (C > 0).sum(1, keepdims=True) * lower) / np.maximum(n, 1), lower)
    return float(np.exp(np.log(1 / P[tuple(pairs.T)]).mean()))


# %% wrong="each pair left out once" caught_by="each occurrence left out once"
def leave_one_out(counts, k):
    more = counts[counts > 1]
    return np.sum(counts == 1) * np.log(k) + np.sum(np.log(more - 1 - k))


def estimate_discount(counts):
    n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
    return n1 / (n1 + 2 * n2)


def held_out_perplexity(C, lower, pairs, k):
    n = C.sum(1, keepdims=True)
    P = np.where(n > 0, (np.maximum(C - k, 0) + k * (C > 0).sum(1, keepdims=True) * lower) / np.maximum(n, 1), lower)
    return float(np.exp(-np.log(P[tuple(pairs.T)]).mean()))


# %% wrong="the occurrence stays in" caught_by="each occurrence left out once"
def leave_one_out(counts, k):
    return np.sum(counts * np.log(counts - k))


def estimate_discount(counts):
    n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
    return n1 / (n1 + 2 * n2)


def held_out_perplexity(C, lower, pairs, k):
    n = C.sum(1, keepdims=True)
    P = np.where(n > 0, (np.maximum(C - k, 0) + k * (C > 0).sum(1, keepdims=True) * lower) / np.maximum(n, 1), lower)
    return float(np.exp(-np.log(P[tuple(pairs.T)]).mean()))


# %% wrong="the 2 forgotten in the estimate" caught_by="estimate from once and twice"
def leave_one_out(counts, k):
    more = counts[counts > 1]
    return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))


def estimate_discount(counts):
    n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
    return n1 / (n1 + n2)


def held_out_perplexity(C, lower, pairs, k):
    n = C.sum(1, keepdims=True)
    P = np.where(n > 0, (np.maximum(C - k, 0) + k * (C > 0).sum(1, keepdims=True) * lower) / np.maximum(n, 1), lower)
    return float(np.exp(-np.log(P[tuple(pairs.T)]).mean()))


# %% wrong="2 n1 in the estimate" caught_by="estimate from once and twice"
def leave_one_out(counts, k):
    more = counts[counts > 1]
    return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))


def estimate_discount(counts):
    n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
    return 2 * n2 / (n1 + 2 * n2)


def held_out_perplexity(C, lower, pairs, k):
    n = C.sum(1, keepdims=True)
    P = np.where(n > 0, (np.maximum(C - k, 0) + k * (C > 0).sum(1, keepdims=True) * lower) / np.maximum(n, 1), lower)
    return float(np.exp(-np.log(P[tuple(pairs.T)]).mean()))


# %% wrong="rows never seen get k times the lower order" caught_by="perplexity of held-out pairs"
# -     h, w = pairs[:, 0], pairs[:, 1]
# -     n, seen = C.sum(axis=1)[h], np.count_nonzero(C, axis=1)[h]
# -     weight = np.where(n > 0, k * seen / np.maximum(n, 1), 1)
# -     P = np.maximum(C[h, w] - k, 0) / np.maximum(n, 1) + weight * lower[w]
# -     return np.exp(-np.mean(np.log(P)))
# +     n = np.maximum(C.sum(1, keepdims=True), 1)
# +     P = (np.maximum(C - k, 0) + k * np.maximum((C > 0).sum(1, keepdims=True), 1) * lower) / n
# +     return float(np.exp(-np.log(P[tuple(pairs.T)]).mean()))


# %% wrong="mean probability instead of mean logarithm" caught_by="perplexity of held-out pairs"
# -     h, w = pairs[:, 0], pairs[:, 1]
# -     n, seen = C.sum(axis=1)[h], np.count_nonzero(C, axis=1)[h]
# -     weight = np.where(n > 0, k * seen / np.maximum(n, 1), 1)
# -     P = np.maximum(C[h, w] - k, 0) / np.maximum(n, 1) + weight * lower[w]
# -     return np.exp(-np.mean(np.log(P)))
# +     n = C.sum(1, keepdims=True)
# +     P = np.where(n > 0, (np.maximum(C - k, 0) + k * (C > 0).sum(1, keepdims=True) * lower) / np.maximum(n, 1), lower)
# +     return float(1 / P[tuple(pairs.T)].mean())


# %% wrong="a product that becomes 0" caught_by="perplexity of held-out pairs"
def leave_one_out(counts, k):
    more = counts[counts > 1]
    return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))


def estimate_discount(counts):
    n1, n2 = (np.sum(counts == 1), np.sum(counts == 2))
    return n1 / (n1 + 2 * n2)


def held_out_perplexity(C, lower, pairs, k):
    h, w = pairs.T
    n, seen = (C.sum(axis=1)[h], np.count_nonzero(C, axis=1)[h])
    P = np.where(n > 0, (np.maximum(C[h, w] - k, 0) + k * seen * lower[w]) / np.maximum(n, 1), lower[w])
    with np.errstate(divide="ignore"):
        return np.prod(P) ** (-1 / len(pairs))


# %% wrong="equal counts left out once" caught_by="each occurrence left out once" change="counts[counts > 1] -> np.unique(counts[counts > 1])"


# %% wrong="counts lowered where they stand" caught_by="each occurrence left out once"
# -     more = counts[counts > 1]
# -     return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))
# +     counts -= 1
# +     ones = np.sum(counts == 0)
# +     more = counts[counts > 0]
# +     return ones * np.log(k) + np.sum((more + 1) * np.log(more - k))


# %% wrong="fails if nothing occurs twice" caught_by="estimate from once and twice" change="n1, n2 = np.sum(counts == 1), np.sum(counts == 2) -> _, n1, n2 = np.bincount(counts)[:3]"


# %% wrong="different pairs weighed alike" caught_by="perplexity of held-out pairs"
# -     h, w = pairs[:, 0], pairs[:, 1]
# -     n, seen = C.sum(axis=1)[h], np.count_nonzero(C, axis=1)[h]
# -     weight = np.where(n > 0, k * seen / np.maximum(n, 1), 1)
# -     P = np.maximum(C[h, w] - k, 0) / np.maximum(n, 1) + weight * lower[w]
# +     h, w = np.unique(pairs, axis=0).T
# +     n, seen = (C.sum(axis=1)[h], np.count_nonzero(C, axis=1)[h])
# +     P = np.where(n > 0, (np.maximum(C[h, w] - k, 0) + k * seen * lower[w]) / np.maximum(n, 1), lower[w])


# %% wrong="discounts the matrix of the caller" caught_by="perplexity of held-out pairs"
def leave_one_out(counts, k):
    more = counts[counts > 1]
    return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))


def estimate_discount(counts):
    n1, n2 = (np.sum(counts == 1), np.sum(counts == 2))
    return n1 / (n1 + 2 * n2)


def held_out_perplexity(C, lower, pairs, k):
    C = np.asarray(C, dtype=float)
    n, seen = (C.sum(axis=1, keepdims=True), np.count_nonzero(C, axis=1)[:, None])
    weight = np.where(n > 0, k * seen / np.maximum(n, 1), 1)
    C -= k
    C[C < 0] = 0
    P = C / np.maximum(n, 1) + weight * lower
    return np.exp(-np.mean(np.log(P[pairs[:, 0], pairs[:, 1]])))


# %% right="single precision, numbers without a dimension"
def leave_one_out(counts, k):
    more = counts[counts > 1]
    return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))


def estimate_discount(counts):
    n1, n2 = (np.sum(counts == 1), np.sum(counts == 2))
    return n1 / (n1 + 2 * n2)


def held_out_perplexity(C, lower, pairs, k):
    h, w = (pairs[:, 0], pairs[:, 1])
    n, seen = (C.sum(axis=1)[h].astype(np.float32), (C > 0).sum(axis=1)[h].astype(np.float32))
    P = np.maximum(C[h, w] - k, 0).astype(np.float32) + np.float32(k) * seen * lower[w].astype(np.float32)
    P = np.where(n > 0, P / np.maximum(n, 1), lower[w].astype(np.float32))
    return np.array(np.exp(-np.mean(np.log(P), dtype=np.float64)))


# %% wrong="a row with one count gets the lower order" caught_by="perplexity of held-out pairs"
# -     weight = np.where(n > 0, k * seen / np.maximum(n, 1), 1)
# -     P = np.maximum(C[h, w] - k, 0) / np.maximum(n, 1) + weight * lower[w]
# +     weight = np.where(n > 1, k * seen / np.maximum(n, 1), 1)
# +     P = np.where(n > 1, np.maximum(C[h, w] - k, 0), 0) / np.maximum(n, 1) + weight * lower[w]


# %% wrong="the estimate sorts the counts where they stand" caught_by="estimate from once and twice"
# -     n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
# +     counts.sort()
# +     once, twice, more = np.searchsorted(counts, (1, 2, 3))
# +     n1, n2 = twice - once, more - twice


# %% wrong="the estimate sets larger counts to zero" caught_by="estimate from once and twice"
# -     n1, n2 = np.sum(counts == 1), np.sum(counts == 2)
# +     counts[counts > 2] = 0
# +     n1, n2 = np.bincount(counts, minlength=3)[1:]


# %% wrong="the estimate needs two things seen once" caught_by="estimate from once and twice"
# -     return n1 / (n1 + 2 * n2)
# +     return n1 / (n1 + 2 * n2) if n1 > 1 else 0.0


# %% wrong="keeps the probabilities of the same pairs" caught_by="perplexity of held-out pairs"
# + chosen_weights = {}
# +
# +
#   def leave_one_out(counts, k):

# -     weight = np.where(n > 0, k * seen / np.maximum(n, 1), 1)
# -     P = np.maximum(C[h, w] - k, 0) / np.maximum(n, 1) + weight * lower[w]
# -     return np.exp(-np.mean(np.log(P)))
# +     same = (C.tobytes(), pairs.tobytes(), k)
# +     if same not in chosen_weights:
# +         chosen_weights[same] = np.where(n > 0, k * seen / np.maximum(n, 1), 1) * lower[w]
# +     return np.exp(-np.mean(np.log(np.maximum(C[h, w] - k, 0) / np.maximum(n, 1) + chosen_weights[same])))


# %% wrong="keeps F for the same counts, whatever k" caught_by="each occurrence left out once"
# + found_before = {}
# +
# +
#   def leave_one_out(counts, k):

# -     return np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))
# +     value = np.sum(counts == 1) * np.log(k) + np.sum(more * np.log(more - 1 - k))
# +     return found_before.setdefault(tuple(counts.tolist()), value)
