"""Answers to the task best_alpha of chapter 02."""


# %% right="product of inverse probabilities"
def additive_perplexity(C, pairs, alpha):
    rows = {a: C[a].sum() for a, _ in pairs.tolist()}
    bits = [math.log2((rows[a] + C.shape[1] * alpha) / (C[a, b] + alpha)) for a, b in pairs.tolist()]
    return 2 ** (sum(bits) / len(bits))


def best_alpha(C, pairs, alphas):
    costs = [additive_perplexity(C, pairs, alpha) for alpha in alphas]
    return alphas[costs.index(min(costs))]


guess_alpha = 1
measured_alpha = best_alpha(C, new_pairs, alphas)


# %% right="as a mixture, argmin of an array"
def additive_perplexity(C, pairs, alpha):
    n, V = C.sum(axis=1, keepdims=True), C.shape[1]
    own = n / (n + V * alpha)
    P = own * C / np.maximum(n, 1) + (1 - own) / V
    return math.exp(-np.mean(np.log(P[tuple(pairs.T)])))


def best_alpha(C, pairs, alphas):
    return np.array(alphas)[np.argmin([additive_perplexity(C, pairs, alpha) for alpha in alphas])]


guess_alpha = 0.0001
measured_alpha = best_alpha(C, new_pairs, alphas)


# %% right="only the rows and cells that are needed"
def additive_perplexity(C, pairs, alpha):
    first, second = pairs[:, 0], pairs[:, 1]
    p = (C[first, second] + alpha) / (C.sum(axis=1)[first] + C.shape[1] * alpha)
    return np.prod(p ** (-1 / len(p)))


def best_alpha(C, pairs, alphas):
    best, smallest = None, math.inf
    for alpha in alphas:
        cost = additive_perplexity(C, pairs, alpha)
        if cost < smallest:
            best, smallest = alpha, cost
    return best


guess_alpha = np.float64(0.01)
measured_alpha = 10**-2.5


# %% wrong="sum instead of mean" caught_by="perplexity of smoothed pairs | knowing nothing costs V"
# -     return np.exp(-np.log(P[pairs[:, 0], pairs[:, 1]]).mean())
# +     with np.errstate(all="ignore"):
# +         return np.exp(-np.log(P[pairs[:, 0], pairs[:, 1]]).sum())

# - measured_alpha = best_alpha(C, new_pairs, alphas)
# + measured_alpha = 10**-2.5


# %% wrong="base 2 with the natural logarithm" caught_by="knowing nothing costs V" change="np.exp( -> 2 ** ("


# %% wrong="the largest perplexity" caught_by="the smallest perplexity wins | guess and measurement" change="min -> max"


# %% wrong="its place, not the alpha" caught_by="the smallest perplexity wins"
# -     return min(alphas, key=lambda alpha: additive_perplexity(C, pairs, alpha))
# +     return int(np.argmin([additive_perplexity(C, pairs, alpha) for alpha in alphas]))

# - measured_alpha = best_alpha(C, new_pairs, alphas)
# + measured_alpha = alphas[best_alpha(C, new_pairs, alphas)]


# %% wrong="all pairs weighed alike, repeats dropped" caught_by="the smallest perplexity wins"
# -     """Perplexity of the pairs [pairs, 2] under counts C, shape [contexts, V], with alpha added."""
# +     pairs = np.unique(pairs, axis=0)

# - measured_alpha = best_alpha(C, new_pairs, alphas)
# + measured_alpha = 10**-2.5


# %% wrong="alpha chosen on the training text" caught_by="guess and measurement" change="new_pairs, -> train_pairs,"


# %% wrong="sorts the alphas of the caller" caught_by="the smallest perplexity wins"
# -     """The one of the list `alphas` under which the pairs have the smallest perplexity; no argument changes."""
# +     alphas.sort()

# - measured_alpha = best_alpha(C, new_pairs, alphas)
# +
# +
# + measured_alpha = 10 ** (-2.5)


# %% wrong="adds alpha to the counts of the caller" caught_by="perplexity of smoothed pairs"
# -     P = (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
# +     C = np.asarray(C, dtype=float)
# +     C += alpha
# +     P = C / C.sum(axis=1, keepdims=True)

# - measured_alpha = best_alpha(C, new_pairs, alphas)
# +
# +
# + measured_alpha = 10 ** (-2.5)


# %% wrong="a product that becomes 0" caught_by="knowing nothing costs V"
# -     return np.exp(-np.log(P[pairs[:, 0], pairs[:, 1]]).mean())
# +     with np.errstate(divide="ignore"):
# +         return np.prod(P[pairs[:, 0], pairs[:, 1]]) ** (-1 / len(pairs))

# - measured_alpha = best_alpha(C, new_pairs, alphas)
# +
# +
# + measured_alpha = 10 ** (-2.5)


# %% wrong="contexts where the events should be" caught_by="knowing nothing costs V"
# -     P = (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
# +     P = (C + alpha) / (C.sum(axis=1, keepdims=True) + len(C) * alpha)

# - measured_alpha = best_alpha(C, new_pairs, alphas)
# +
# +
# + measured_alpha = 10 ** (-2.5)


# %% right="single precision, the alpha from a sorted list of pairs"
# -     P = (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
# +     P = (C + np.float32(alpha)).astype(np.float32)
# +     P /= P.sum(axis=1, keepdims=True)

# -     return min(alphas, key=lambda alpha: additive_perplexity(C, pairs, alpha))
# +     return np.float32(sorted(((additive_perplexity(C, pairs, alpha), alpha) for alpha in alphas))[0][1])


# %% wrong="stops where the perplexity begins to rise" caught_by="the smallest perplexity wins"
# -     return min(alphas, key=lambda alpha: additive_perplexity(C, pairs, alpha))
# +     upwards = sorted(alphas)
# +     for one, larger in pairwise(upwards):
# +         if additive_perplexity(C, pairs, larger) > additive_perplexity(C, pairs, one):
# +             return one
# +     return upwards[-1]


# %% wrong="walks down from the largest alpha to the first valley" caught_by="the smallest perplexity wins"
# -     return min(alphas, key=lambda alpha: additive_perplexity(C, pairs, alpha))
# +     downwards = sorted(alphas, reverse=True)
# +     for one, smaller in pairwise(downwards):
# +         if additive_perplexity(C, pairs, smaller) > additive_perplexity(C, pairs, one):
# +             return one
# +     return downwards[-1]


# %% wrong="halves the alphas as if there were one valley" caught_by="the smallest perplexity wins"
# -     return min(alphas, key=lambda alpha: additive_perplexity(C, pairs, alpha))
# +     left = sorted(alphas)
# +     while len(left) > 1:
# +         half = len(left) // 2
# +         below, above = (additive_perplexity(C, pairs, left[i]) for i in (half - 1, half))
# +         left = left[:half] if below < above else left[half:]
# +     return left[0]


# %% wrong="keeps the row sums of other counts" caught_by="perplexity of smoothed pairs"
sums_by_shape = {}


def additive_perplexity(C, pairs, alpha):
    n = sums_by_shape.setdefault((C.shape, len(pairs)), C.sum(axis=1))
    P = (C + alpha) / (n[:, None] + C.shape[1] * alpha)
    return np.exp(-np.log(P[pairs[:, 0], pairs[:, 1]]).mean())


def best_alpha(C, pairs, alphas):
    return min(alphas, key=lambda alpha: additive_perplexity(C, pairs, alpha))


guess_alpha = 0.5
measured_alpha = 10**-2.5


# %% wrong="a row seen once is even" caught_by="perplexity of smoothed pairs"
# -     P = (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
# +     C = np.where(C.sum(axis=1, keepdims=True) > 1, C, 0)
# +     P = (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)


# %% wrong="sorts the pairs of the caller" caught_by="the smallest perplexity wins"
# -     return min(alphas, key=lambda alpha: additive_perplexity(C, pairs, alpha))
# +     best = min(alphas, key=lambda alpha: additive_perplexity(C, pairs, alpha))
# +     pairs[:] = pairs[np.lexsort(pairs.T[::-1])]
# +     return best


# %% wrong="compares rounded perplexities" caught_by="the smallest perplexity wins"
def additive_perplexity(C, pairs, alpha):
    rows, columns = pairs[:, 0], pairs[:, 1]
    P = (C[rows, columns] + alpha) / (C.sum(axis=1)[rows] + C.shape[1] * alpha)
    return float(np.exp(-np.mean(np.log(P))))


def best_alpha(C, pairs, alphas):
    found = [additive_perplexity(C, pairs, alpha) for alpha in alphas]
    found = np.round(found, 2)
    return alphas[int(np.argmin(found))]


guess_alpha = 0.1
measured_alpha = best_alpha(C, new_pairs, alphas)


# %% wrong="something tiny added before the logarithm" caught_by="perplexity of smoothed pairs" change="pairs[:, 1]]).mean() -> pairs[:, 1]] + 1e-10).mean()"


# %% wrong="no alpha above one" caught_by="the smallest perplexity wins" change="return min(alphas -> return min([alpha for alpha in alphas if alpha <= 1] or alphas"


# %% wrong="perplexities with three decimals" caught_by="the smallest perplexity wins" change="key=lambda alpha: additive_perplexity(C, pairs, alpha)) -> key=lambda alpha: round(float(additive_perplexity(C, pairs, alpha)), 3))"


# %% right="different pairs first, each with its number"
def additive_perplexity(C, pairs, alpha):
    total = 0
    for (a, b), times in Counter(map(tuple, pairs.tolist())).items():
        total -= times * math.log((C[a, b] + alpha) / (C[a].sum() + C.shape[1] * alpha))
    return math.exp(total / len(pairs))


def best_alpha(C, pairs, alphas):
    return sorted(alphas, key=lambda alpha: -additive_perplexity(C, pairs, alpha))[-1]


guess_alpha = 0.5
measured_alpha = best_alpha(C, new_pairs, alphas)


# %% wrong="the mean of the means of portions of 100 pairs" caught_by="perplexity of smoothed pairs"
# -     return np.exp(-np.log(P[pairs[:, 0], pairs[:, 1]]).mean())
# +     p = P[pairs[:, 0], pairs[:, 1]]
# +     return np.exp(-np.mean([np.log(p[i : i + 100]).mean() for i in range(0, len(p), 100)]))


# %% wrong="a product of roots, which still becomes 0" caught_by="perplexity of smoothed pairs"
# -     return np.exp(-np.log(P[pairs[:, 0], pairs[:, 1]]).mean())
# +     with np.errstate(divide="ignore"):
# +         return np.prod(P[pairs[:, 0], pairs[:, 1]] ** (1 / 8)) ** (-8 / len(pairs))

# - measured_alpha = best_alpha(C, new_pairs, alphas)
# + measured_alpha = 10**-2.5
