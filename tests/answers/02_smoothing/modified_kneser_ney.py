"""Answers to the task modified_kneser_ney of chapter 02."""


# %% right="loops over n-grams"
def three_discounts(c):
    c = list(c)
    n1, n2, n3, n4 = (c.count(j) for j in (1, 2, 3, 4))
    if 0 in (n1, n2, n3):
        return [0, 0.5, 1, 1.5]
    y = n1 / (n1 + 2 * n2)
    d = [0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
    return [0, 0.5, 1, 1.5] if min(d) < 0 else d


def smooth_level(c, context, shorter, lower):
    d = three_discounts(c)
    n, taken = [0] * len(lower), [0.0] * len(lower)
    for count, h in zip(c, context):
        n[h] += count
        taken[h] += d[min(count, 3)]
    weight = np.array([t / m if m else 1 for t, m in zip(taken, n)])
    P = [(a - d[min(a, 3)]) / n[h] + weight[h] * lower[s] for a, h, s in zip(c, context, shorter)]
    return np.array(P), weight


def kneser_ney(levels, V):
    below, tables = [1 / V], []
    for i, level in enumerate(levels):
        c = level["left"] if i + 1 < len(levels) else level["count"]
        tables.append(smooth_level(c, level["context"], level["shorter"], below))
        below = tables[-1][0]
    return tables


# %% right="np.add.at, and get for the missing left"
def three_discounts(c):
    n = [np.count_nonzero(np.asarray(c) == j) for j in range(5)]
    fallback = np.array([0, 0.5, 1, 1.5])
    if not all(n[1:4]):
        return fallback
    y = n[1] / (n[1] + 2 * n[2])
    d = np.array([0.0] + [j - (j + 1) * y * n[j + 1] / n[j] for j in range(1, 4)])
    return fallback if (d < 0).any() else d


def smooth_level(c, context, shorter, lower):
    taken = np.choose(np.clip(c, 0, 3), three_discounts(c))
    n, freed = np.zeros(len(lower)), np.zeros(len(lower))
    np.add.at(n, context, c)
    np.add.at(freed, context, taken)
    weight = np.divide(freed, n, out=np.ones(len(lower)), where=n > 0)
    return (c - taken) / n[context] + weight[context] * np.asarray(lower)[shorter], weight


def kneser_ney(levels, V):
    tables = []
    for level in levels:
        lower = tables[-1][0] if tables else np.full(1, 1 / V)
        tables.append(smooth_level(level.get("left", level["count"]), level["context"], level["shorter"], lower))
    return tables


# %% wrong="raw counts at the middle orders" caught_by="continuation counts below the top"
def three_discounts(c):
    n = np.bincount(np.minimum(c, 5), minlength=6)
    if n[1:4].min() > 0:
        Y = n[1] / (n[1] + 2 * n[2])
        D = np.array([0, *(j - (j + 1) * Y * n[j + 1] / n[j] for j in (1, 2, 3))])
        if D.min() >= 0:
            return D
    return np.array([0, 0.5, 1, 1.5])


def smooth_level(c, context, shorter, lower):
    taken = three_discounts(c)[np.minimum(c, 3)]
    n = np.bincount(context, weights=c, minlength=len(lower))
    weight = np.bincount(context, weights=taken, minlength=len(lower))
    weight = np.where(n > 0, weight / np.maximum(n, 1), 1)
    return (c - taken) / n[context] + weight[context] * lower[shorter], weight


def kneser_ney(levels, V):
    lower, tables = np.array([1 / V]), []
    for level in levels:
        tables.append(smooth_level(level["count"], level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    return tables


# %% wrong="continuation counts for the 1-grams only" caught_by="continuation counts below the top"
def three_discounts(c):
    n = np.bincount(np.minimum(c, 5), minlength=6)
    if n[1:4].min() > 0:
        Y = n[1] / (n[1] + 2 * n[2])
        D = np.array([0, *(j - (j + 1) * Y * n[j + 1] / n[j] for j in (1, 2, 3))])
        if D.min() >= 0:
            return D
    return np.array([0, 0.5, 1, 1.5])


def smooth_level(c, context, shorter, lower):
    taken = three_discounts(c)[np.minimum(c, 3)]
    n = np.bincount(context, weights=c, minlength=len(lower))
    weight = np.bincount(context, weights=taken, minlength=len(lower))
    weight = np.where(n > 0, weight / np.maximum(n, 1), 1)
    return (c - taken) / n[context] + weight[context] * lower[shorter], weight


def kneser_ney(levels, V):
    lower, tables = np.array([1 / V]), []
    for i, level in enumerate(levels):
        c = level["left"] if i == 0 and len(levels) > 1 else level["count"]
        tables.append(smooth_level(c, level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    return tables


# %% wrong="one discount for all counts" caught_by="three discounts"
def three_discounts(c):
    n1, n2 = np.sum(c == 1), np.sum(c == 2)
    D = n1 / (n1 + 2 * n2) if n1 else 0.5
    return np.array([0, D, D, D])


def smooth_level(c, context, shorter, lower):
    taken = three_discounts(c)[np.minimum(c, 3)]
    n = np.bincount(context, weights=c, minlength=len(lower))
    weight = np.bincount(context, weights=taken, minlength=len(lower))
    weight = np.where(n > 0, weight / np.maximum(n, 1), 1)
    return (c - taken) / n[context] + weight[context] * lower[shorter], weight


def kneser_ney(levels, V):
    lower, tables = np.array([1 / V]), []
    for level in levels:
        tables.append(smooth_level(level.get("left", level["count"]), level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    return tables


# %% wrong="no way out when a count of counts is zero" caught_by="three discounts"
def three_discounts(c):
    n = np.maximum(np.bincount(np.minimum(c, 5), minlength=6), 1)
    Y = n[1] / (n[1] + 2 * n[2])
    return np.array([0, *(j - (j + 1) * Y * n[j + 1] / n[j] for j in (1, 2, 3))])


def smooth_level(c, context, shorter, lower):
    taken = three_discounts(c)[np.minimum(c, 3)]
    n = np.bincount(context, weights=c, minlength=len(lower))
    weight = np.bincount(context, weights=taken, minlength=len(lower))
    weight = np.where(n > 0, weight / np.maximum(n, 1), 1)
    return (c - taken) / n[context] + weight[context] * lower[shorter], weight


def kneser_ney(levels, V):
    lower, tables = np.array([1 / V]), []
    for level in levels:
        tables.append(smooth_level(level.get("left", level["count"]), level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    return tables


# %% wrong="the context's own probability instead of the shorter n-gram's" caught_by="one level sums to one"
def three_discounts(c):
    n = np.bincount(np.minimum(c, 5), minlength=6)
    if n[1:4].min() > 0:
        Y = n[1] / (n[1] + 2 * n[2])
        D = np.array([0, *(j - (j + 1) * Y * n[j + 1] / n[j] for j in (1, 2, 3))])
        if D.min() >= 0:
            return D
    return np.array([0, 0.5, 1, 1.5])


def smooth_level(c, context, shorter, lower):
    taken = three_discounts(c)[np.minimum(c, 3)]
    n = np.bincount(context, weights=c, minlength=len(lower))
    weight = np.bincount(context, weights=taken, minlength=len(lower))
    weight = np.where(n > 0, weight / np.maximum(n, 1), 1)
    return (c - taken) / n[context] + weight[context] * lower[context], weight


def kneser_ney(levels, V):
    lower, tables = np.array([1 / V]), []
    for level in levels:
        tables.append(smooth_level(level.get("left", level["count"]), level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    return tables


# %% wrong="nothing of the lower order for seen n-grams" caught_by="one level sums to one"
def three_discounts(c):
    n = np.bincount(np.minimum(c, 5), minlength=6)
    if n[1:4].min() > 0:
        Y = n[1] / (n[1] + 2 * n[2])
        D = np.array([0, *(j - (j + 1) * Y * n[j + 1] / n[j] for j in (1, 2, 3))])
        if D.min() >= 0:
            return D
    return np.array([0, 0.5, 1, 1.5])


def smooth_level(c, context, shorter, lower):
    taken = three_discounts(c)[np.minimum(c, 3)]
    n = np.bincount(context, weights=c, minlength=len(lower))
    weight = np.bincount(context, weights=taken, minlength=len(lower))
    weight = np.where(n > 0, weight / np.maximum(n, 1), 1)
    return (c - taken) / n[context], weight


def kneser_ney(levels, V):
    lower, tables = np.array([1 / V]), []
    for level in levels:
        tables.append(smooth_level(level.get("left", level["count"]), level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    return tables


# %% wrong="contexts without counts get weight 0" caught_by="one level sums to one"
def three_discounts(c):
    n = np.bincount(np.minimum(c, 5), minlength=6)
    if n[1:4].min() > 0:
        Y = n[1] / (n[1] + 2 * n[2])
        D = np.array([0, *(j - (j + 1) * Y * n[j + 1] / n[j] for j in (1, 2, 3))])
        if D.min() >= 0:
            return D
    return np.array([0, 0.5, 1, 1.5])


def smooth_level(c, context, shorter, lower):
    taken = three_discounts(c)[np.minimum(c, 3)]
    n = np.bincount(context, weights=c, minlength=len(lower))
    weight = np.bincount(context, weights=taken, minlength=len(lower)) / np.maximum(n, 1)
    return (c - taken) / n[context] + weight[context] * lower[shorter], weight


def kneser_ney(levels, V):
    lower, tables = np.array([1 / V]), []
    for level in levels:
        tables.append(smooth_level(level.get("left", level["count"]), level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    return tables


# %% wrong="no place for the last contexts" caught_by="one level sums to one"
# -     n = np.bincount(context, weights=c, minlength=len(lower))
# -     weight = np.bincount(context, weights=taken, minlength=len(lower))
# +     n = np.bincount(context, weights=c)
# +     weight = np.bincount(context, weights=taken)


# %% wrong="lower order scaled where it stands" caught_by="one level sums to one"
# -     return (c - taken) / n[context] + weight[context] * lower[shorter], weight
# +     P = (c - taken) / n[context] + weight[context] * lower[shorter]
# +     lower *= 0
# +     return (P, weight)


# %% wrong="left written over count" caught_by="continuation counts below the top"
# -     lower, tables = np.array([1 / V]), []
# +     lower, tables = (np.array([1 / V]), [])
# +     for level in levels[:-1]:
# +         level["count"] = level["left"]

# -         c = level["count"] if level is levels[-1] else level["left"]
# -         tables.append(smooth_level(c, level["context"], level["shorter"], lower))
# +         tables.append(smooth_level(level["count"], level["context"], level["shorter"], lower))


# %% wrong="a discount of 0 called unusable" caught_by="three discounts" change="D >= -> D >"


# %% wrong="no count of four, no formula" caught_by="three discounts"
# -     with np.errstate(
# -         divide="ignore", invalid="ignore"
# -     ):  # what cannot be divided fails the test below
# -         D = j - (j + 1) * n[1] / (n[1] + 2 * n[2]) * n[j + 1] / n[j]
# +     if not n[1:5].all():
# +         return np.array([0, 0.5, 1, 1.5])
# +     D = j - (j + 1) * n[1] / (n[1] + 2 * n[2]) * n[j + 1] / n[j]


# %% wrong="who has nothing pays like a count of one" caught_by="one level sums to one"
# -     taken = three_discounts(c)[np.minimum(c, 3)]
# +     taken = three_discounts(c)[np.clip(c, 1, 3)]

# -     return (c - taken) / n[context] + weight[context] * lower[shorter], weight
# +     return (np.maximum(c - taken, 0) / n[context] + weight[context] * lower[shorter], weight)


# %% right="a list of discounts, single precision, lists for pairs"
def three_discounts(c):
    n = [int(np.sum(c == j)) for j in range(5)]
    if 0 in n[1:4]:
        return [0, 0.5, 1, 1.5]
    Y = n[1] / (n[1] + 2 * n[2])
    D = [j - (j + 1) * Y * n[j + 1] / n[j] for j in (1, 2, 3)]
    return [0, *D] if min(D) >= 0 else [0, 0.5, 1, 1.5]


def smooth_level(c, context, shorter, lower):
    taken = np.array(three_discounts(c), dtype=np.float32)[np.minimum(c, 3)]
    n = np.bincount(context, weights=c, minlength=len(lower)).astype(np.float32)
    free = np.bincount(context, weights=taken, minlength=len(lower)).astype(np.float32)
    weight = np.where(n > 0, free / np.maximum(n, 1), np.float32(1))
    return [(c - taken) / n[context] + weight[context] * lower[shorter].astype(np.float32), weight]


def kneser_ney(levels, V):
    lower, tables = (np.array([1 / V]), [])
    for level in levels:
        c = level["count"] if level is levels[-1] else level["left"]
        tables.append(smooth_level(c, level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    return tables


# %% wrong="counts above five cut where they stand" caught_by="three discounts"
# -     n = np.bincount(np.minimum(c, 5), minlength=6)
# +     c[c > 5] = 5
# +     n = np.bincount(c, minlength=6)


# %% wrong="counts sorted where they stand" caught_by="three discounts"
# -     n = np.bincount(np.minimum(c, 5), minlength=6)
# +     c.sort()
# +     n = np.diff(np.searchsorted(c, range(7)))


# %% wrong="a context with one count gives all to the lower order" caught_by="one level sums to one"
# -     weight = np.where(n > 0, weight / np.maximum(n, 1), 1)
# -     return (c - taken) / n[context] + weight[context] * lower[shorter], weight
# +     weight = np.where(n > 1, weight / np.maximum(n, 1), 1)
# +     own = np.where(n[context] > 1, (c - taken) / n[context], 0)
# +     return own + weight[context] * lower[shorter], weight


# %% wrong="keeps P of the same n-grams, whatever lies below" caught_by="one level sums to one | continuation counts below the top"
# -     return (c - taken) / n[context] + weight[context] * lower[shorter], weight
# +     P = (c - taken) / n[context] + weight[context] * lower[shorter]
# +     return kept_levels.setdefault((tuple(c), tuple(context), tuple(shorter)), P), weight
# +
# +
# + kept_levels = {}


# %% wrong="the last level gets a left" caught_by="continuation counts below the top"
# -         c = level["count"] if level is levels[-1] else level["left"]
# +         c = level.setdefault("left", level["count"])


# %% wrong="only a negative discount is replaced" caught_by="three discounts"
# -     return np.array([0, *D]) if np.all(D >= 0) else np.array([0, 0.5, 1, 1.5])
# +     if not n[1:4].all():
# +         return np.array([0, 0.5, 1, 1.5])
# +     return np.array([0, *np.where(D >= 0, D, [0.5, 1, 1.5])])


# %% wrong="a negative discount is cut at zero" caught_by="three discounts"
# -     return np.array([0, *D]) if np.all(D >= 0) else np.array([0, 0.5, 1, 1.5])
# +     return np.array([0, *np.maximum(D, 0)]) if n[1:4].all() else np.array([0, 0.5, 1, 1.5])


# %% wrong="always the three discounts of the way out" caught_by="one level sums to one" change="taken = three_discounts(c)[np.minimum(c, 3)] -> taken = np.array([0, 0.5, 1, 1.5])[np.minimum(c, 3)]"


# %% wrong="as many words as 1-grams" caught_by="continuation counts below the top" change="np.array([1 / V]), [] -> np.array([1 / max(V, len(levels[0]['count']))]), []"


# %% right="pandas groups contexts"
def three_discounts(c):
    N = pd.Series(c).value_counts().reindex([1, 2, 3, 4], fill_value=0)
    if N[1] * N[2] * N[3] == 0:
        return (0, 0.5, 1, 1.5)
    Y = N[1] / (N[1] + 2 * N[2])
    D = tuple(j - (j + 1) * Y * N[j + 1] / N[j] for j in (1, 2, 3))
    return (0, *D) if all(d >= 0 for d in D) else (0, 0.5, 1, 1.5)


def smooth_level(c, context, shorter, lower):
    D = three_discounts(c)
    table = pd.DataFrame({"c": c, "h": context, "D": [D[min(int(x), 3)] for x in c]})
    sums = table.groupby("h")[["c", "D"]].sum().reindex(range(len(lower)), fill_value=0)
    weight = (sums["D"] / sums["c"]).where(sums["c"] > 0, 1).to_numpy()
    below = np.array([lower[s] for s in shorter])
    return (c - table["D"].to_numpy()) / sums["c"].to_numpy()[context] + weight[context] * below, weight


def kneser_ney(levels, V):
    if len(levels) == 1:
        (level,) = levels
        return [smooth_level(level["count"], level["context"], level["shorter"], np.array([1 / V]))]
    tables, lower = [], np.array([1 / V])
    for level in levels[:-1]:
        tables.append(smooth_level(level["left"], level["context"], level["shorter"], lower))
        lower = tables[-1][0]
    last = levels[-1]
    return [*tables, smooth_level(last["count"], last["context"], last["shorter"], lower)]


# %% wrong="n-grams of one context stand side by side" caught_by="one level sums to one"
# -     n = np.bincount(context, weights=c, minlength=len(lower))
# -     weight = np.bincount(context, weights=taken, minlength=len(lower))
# -     weight = np.where(n > 0, weight / np.maximum(n, 1), 1)
# +     starts = np.flatnonzero(np.r_[True, np.diff(context) != 0])
# +     n, weight = np.zeros(len(lower)), np.ones(len(lower))
# +     n[context[starts]] = np.add.reduceat(c, starts)
# +     weight[context[starts]] = np.add.reduceat(taken, starts) / n[context[starts]]
