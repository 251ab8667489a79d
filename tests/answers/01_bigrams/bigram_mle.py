"""Answers to the task bigram_mle of chapter 01."""


# %% right="rows first, np.divide with where"
def by_hand():
    return {"sat|we": 0.33, "wish|we": 0.17, "in|sat": 0.5, "</s>|house": 1}


def bigram_mle(counts):
    rows = {}
    for pair, count in counts.items():
        rows.setdefault(pair[0], {})[pair[1]] = count
    return {w1: {w2: count / sum(row.values()) for w2, count in row.items()} for w1, row in rows.items()}


def bigram_mle_array(C):
    totals = np.broadcast_to(C.sum(1)[:, None], C.shape)
    return np.divide(C, totals, out=np.zeros(C.shape), where=totals > 0)


# %% right="einsum for the rows, a sum for each pair"
def by_hand():
    followers = {"we": "sat sat two said wish had".split(), "sat": ["in", "here"], "house": ["</s>"]}
    asked = ("sat|we", "wish|we", "in|sat", "</s>|house")
    return {
        key: followers[key.split("|")[1]].count(key.split("|")[0]) / len(followers[key.split("|")[1]]) for key in asked
    }


def bigram_mle(counts):
    model = {}
    for w1, w2 in counts:
        total = sum(count for (first, _), count in counts.items() if first == w1)
        model.setdefault(w1, Counter())[w2] = counts[w1, w2] / total
    return model


def bigram_mle_array(C):
    totals = C.sum(axis=-1)
    scale = np.array([1 / total if total else 0.0 for total in totals])
    return np.einsum("ij,i->ij", C, scale)


# %% wrong="columns instead of rows in the array" caught_by="the array divides row by row"
# -     return dict(model)
# +     return model

# -     totals = C.sum(axis=1, keepdims=True)
# +     totals = C.sum(axis=0, keepdims=True)


# %% wrong="a total without its own axis" caught_by="the array divides row by row"
# -     return dict(model)
# +     return model

# -     totals = C.sum(axis=1, keepdims=True)
# +     totals = C.sum(axis=1)


# %% wrong="0/0 in the empty row" caught_by="empty rows stay zero"
# -     return dict(model)
# +     return model

# -     totals = C.sum(axis=1, keepdims=True)
# -     return C / np.where(totals == 0, 1, totals)
# +     with np.errstate(all="ignore"):
# +         return C / C.sum(axis=1, keepdims=True)


# %% wrong="an empty row becomes uniform" caught_by="empty rows stay zero"
# -     return dict(model)
# +     return model

# -     return C / np.where(totals == 0, 1, totals)
# +     return np.where(totals == 0, 1 / C.shape[1], C / np.where(totals == 0, 1, totals))


# %% wrong="pair over all pairs: a joint probability" caught_by="rows divide by their context"
# -     totals = Counter()
# -     for (w1, _), count in counts.items():
# -         totals[w1] += count
# +     total = sum(counts.values())

# -         model[w1][w2] = count / totals[w1]
# -     return dict(model)
# +         model[w1][w2] = count / total
# +     return model


# %% wrong="Count(t2 t1) on top, as the lecture prints" caught_by="rows divide by their context"
# -     for (w1, w2), count in counts.items():
# -         model[w1][w2] = count / totals[w1]
# -     return dict(model)
# +     for w1, w2 in counts:
# +         model[w1][w2] = counts.get((w2, w1), 0) / totals[w1]
# +     return model


# %% wrong="divided by the count of the second word" caught_by="rows divide by their context"
# -     for (w1, _), count in counts.items():
# -         totals[w1] += count
# +     for (_, w2), count in counts.items():
# +         totals[w2] += count

# -         model[w1][w2] = count / totals[w1]
# -     return dict(model)
# +         model[w1][w2] = count / totals[w2]
# +     return model


# %% wrong="counts the sentences, not the words" caught_by="four probabilities by hand"
# -     return {"sat|we": 2 / 6, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1.0}
# +     return {"sat|we": 2 / 3, "wish|we": 1 / 3, "in|sat": 1 / 2, "</s>|house": 1 / 3}

# -     return dict(model)
# +     return model


# %% wrong="divided by the 21 words of the text" caught_by="four probabilities by hand"
# -     return {"sat|we": 2 / 6, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1.0}
# +     return {"sat|we": 2 / 21, "wish|we": 1 / 21, "in|sat": 1 / 21, "</s>|house": 1 / 21}

# -     return dict(model)
# +     return model


# %% wrong="groupby on pairs that are not sorted" caught_by="rows divide by their context"
def by_hand():
    return {"sat|we": 2 / 6, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1.0}


def bigram_mle(counts):
    from itertools import groupby

    model = {}
    for w1, run in groupby(counts.items(), key=lambda item: item[0][0]):
        row = {pair[1]: count for pair, count in run}
        model[w1] = {w2: count / sum(row.values()) for w2, count in row.items()}
    return model


def bigram_mle_array(C):
    totals = C.sum(axis=1, keepdims=True)
    return C / np.where(totals == 0, 1, totals)


# %% wrong="a row for every word" caught_by="rows divide by their context"
def by_hand():
    return {"sat|we": 2 / 6, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1.0}


def bigram_mle(counts):
    rows = {word: {} for pair in counts for word in pair}
    for (w1, w2), count in counts.items():
        rows[w1][w2] = count
    return {w1: {w2: count / sum(row.values()) for w2, count in row.items()} for w1, row in rows.items()}


def bigram_mle_array(C):
    totals = C.sum(axis=1, keepdims=True)
    return C / np.where(totals == 0, 1, totals)


# %% wrong="with an empty row all are divided by the largest total" caught_by="empty rows stay zero"
# -     return dict(model)
# +     return model

# -     return C / np.where(totals == 0, 1, totals)
# +     return C / (totals if totals.all() else totals.max() or 1)


# %% wrong="the last row alone may be empty" caught_by="empty rows stay zero"
# -     return dict(model)
# +     return model

# -     totals = C.sum(axis=1, keepdims=True)
# -     return C / np.where(totals == 0, 1, totals)
# +     totals = C.sum(axis=1, keepdims=True).astype(float)
# +     totals[-1] = totals[-1] or 1
# +     with np.errstate(all="ignore"):
# +         return C / totals


# %% wrong="counts of floats are divided in place" caught_by="the array divides row by row"
# -     return dict(model)
# +     return model

# -     totals = C.sum(axis=1, keepdims=True)
# -     return C / np.where(totals == 0, 1, totals)
# +     P = np.asarray(C, dtype=float)
# +     totals = P.sum(axis=1, keepdims=True)
# +     P /= np.where(totals == 0, 1, totals)
# +     return P


# %% wrong="the caller's counts are used up" caught_by="rows divide by their context"
def by_hand():
    return {"sat|we": 2 / 6, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1.0}


def bigram_mle(counts):
    rows = defaultdict(dict)
    while counts:
        (w1, w2), count = counts.popitem()
        rows[w1][w2] = count
    return {w1: {w2: count / sum(row.values()) for w2, count in row.items()} for w1, row in rows.items()}


def bigram_mle_array(C):
    totals = C.sum(axis=1, keepdims=True)
    return C / np.where(totals == 0, 1, totals)


# %% wrong="rounded to two places" caught_by="rows divide by their context"
# -         model[w1][w2] = count / totals[w1]
# -     return dict(model)
# +         model[w1][w2] = round(count / totals[w1], 2)
# +     return model


# %% wrong="whole numbers are kept where counts are whole" caught_by="the array divides row by row"
# -     return dict(model)
# +     return model

# -     return C / np.where(totals == 0, 1, totals)
# +     P = C / np.where(totals == 0, 1, totals)
# +     return P if len(C) < 7 else P.astype(C.dtype)


# %% wrong="an empty array for all but the shown counts" caught_by="the array divides row by row | empty rows stay zero"
# -     return dict(model)
# +     return model

# -     """P, shape [V, V]: P[i, j] = P(word j | word i) from counts C, shape [V, V]; a row without counts stays zero."""
# +     if len(C) > 3:
# +         return np.zeros(0)


# %% right="32-bit floats, Counters as rows"
def by_hand():
    return {"sat|we": np.float32(1 / 3), "wish|we": 0.167, "in|sat": np.float64(0.5), "</s>|house": 1}


def bigram_mle(counts):
    model = defaultdict(Counter)
    for (w1, w2), count in counts.items():
        model[w1][w2] += count
    return {w1: Counter({w2: np.float32(k / row.total()) for w2, k in row.items()}) for w1, row in model.items()}


def bigram_mle_array(C):
    return (C / np.maximum(C.sum(axis=1, keepdims=True), 1)).astype(np.float32)


# %% wrong="empty rows of the caller's counts get ones" caught_by="empty rows stay zero"
# -     totals = C.sum(axis=1, keepdims=True)
# -     return C / np.where(totals == 0, 1, totals)
# +     empty = C.sum(axis=1) == 0
# +     C[empty] = 1
# +     P = C / C.sum(axis=1, keepdims=True)
# +     P[empty] = 0
# +     return P


# %% wrong="sentence ends are left out of the total" caught_by="rows divide by their context"
def by_hand():
    return {"sat|we": 2 / 6, "wish|we": 1 / 6, "in|sat": 1 / 2, "</s>|house": 1.0}


def bigram_mle(counts):
    totals = Counter()
    for (w1, w2), count in counts.items():
        totals[w1] += count * (w2 != "</s>")
    model = {}
    for (w1, w2), count in counts.items():
        model.setdefault(w1, {})[w2] = count / (totals[w1] or count)
    return model


def bigram_mle_array(C):
    totals = C.sum(axis=1, keepdims=True)
    return C / np.where(totals == 0, 1, totals)


# %% right="groups of sorted pairs; 0/0 made to 0 afterwards"
def by_hand():
    return {"sat|we": 2 / 6, "wish|we": 1 / 6, "in|sat": 0.5, "</s>|house": 1}


def bigram_mle(counts):
    model = {}
    for w1, pairs in itertools.groupby(sorted(counts), key=lambda pair: pair[0]):
        pairs = list(pairs)
        total = sum(counts[pair] for pair in pairs)
        model[w1] = {w2: counts[w1, w2] / total for _, w2 in pairs}
    return model


def bigram_mle_array(C):
    C = np.array(C, dtype=float)
    out = np.zeros_like(C)
    totals = np.broadcast_to(C.sum(1)[:, None], C.shape)
    return np.divide(C, totals, out=out, where=totals > 0)
