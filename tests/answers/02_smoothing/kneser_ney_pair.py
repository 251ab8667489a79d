"""Answers to the task kneser_ney_pair of chapter 02."""


# %% right="sets, and one row at a time"
def kneser_ney_by_hand():
    return {"food|chez": 1 / 32, "food": 0.1875, "panisse": 0.0625}


def kneser_ney_pair(counts, w1, w2, k):
    before = {a for a, b in counts if b == w2}
    after = [b for a, b in counts if a == w1]
    n = sum(counts[w1, b] for b in after)
    cont = len(before) / len(counts)
    if n == 0:
        return cont
    return max(counts.get((w1, w2), 0) - k, 0) / n + k * len(after) / n * cont


def kneser_ney_array(C, k):
    cont = np.count_nonzero(C, axis=0) / np.count_nonzero(C)
    rows = []
    for row in C:
        n = row.sum()
        rows.append((np.maximum(row - k, 0) + k * np.count_nonzero(row) * cont) / n if n else cont)
    return np.array(rows)


# %% right="lambda as what is missing to one"
def kneser_ney_by_hand():
    pairs = set(toy_counts)
    cont = {w: sum(b == w for _, b in pairs) / len(pairs) for w in ("panisse", "food")}
    return {**cont, "food|chez": 0.5 / 3 * cont["food"]}


def kneser_ney_pair(counts, w1, w2, k):
    followers = defaultdict(dict)
    for (a, b), c in counts.items():
        followers[a][b] = c
    cont = sum(w2 in row for row in followers.values()) / sum(map(len, followers.values()))
    row = followers.get(w1, {})
    kept = {b: (c - k) / sum(row.values()) for b, c in row.items()}
    return kept.get(w2, 0) + (1 - sum(kept.values())) * cont


def kneser_ney_array(C, k):
    C = np.asarray(C, dtype=float)
    kept = np.clip(C - k, 0, None) / np.clip(C.sum(1), 1, None)[:, None]
    cont = np.sign(C).sum(0) / np.sign(C).sum()
    return kept + np.outer(1 - kept.sum(1), cont)


# %% wrong="raw counts for the shorter memory" caught_by="versatile beats frequent | loop on the toy text | array agrees with brute force"
def kneser_ney_by_hand():
    return {"panisse": 3 / 19, "food": 3 / 19, "food|chez": 0.5 / 3 * 3 / 19}


def kneser_ney_pair(counts, w1, w2, k):
    cont = sum(c for (a, b), c in counts.items() if b == w2) / sum(counts.values())
    row = [c for (a, b), c in counts.items() if a == w1]
    if not row:
        return cont
    return (max(counts.get((w1, w2), 0) - k, 0) + k * len(row) * cont) / sum(row)


def kneser_ney_array(C, k):
    cont = C.sum(0) / C.sum()
    n = C.sum(1, keepdims=True)
    weight = np.where(n > 0, k * (C > 0).sum(1, keepdims=True) / np.maximum(n, 1), 1)
    return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * cont


# %% wrong="followers counted instead of predecessors" caught_by="loop on the toy text | array agrees with brute force"
def kneser_ney_by_hand():
    return {"panisse": 1 / 16, "food": 3 / 16, "food|chez": 1 / 32}


def kneser_ney_pair(counts, w1, w2, k):
    cont = sum(a == w2 for a, b in counts) / len(counts)
    row = [c for (a, b), c in counts.items() if a == w1]
    if not row:
        return cont
    return (max(counts.get((w1, w2), 0) - k, 0) + k * len(row) * cont) / sum(row)


def kneser_ney_array(C, k):
    cont = np.resize((C > 0).sum(1), C.shape[1]) / (C > 0).sum()
    n = C.sum(1, keepdims=True)
    weight = np.where(n > 0, k * (C > 0).sum(1, keepdims=True) / np.maximum(n, 1), 1)
    return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * cont


# %% wrong="share of word types instead of pairs" caught_by="loop on the toy text"
def kneser_ney_by_hand():
    return {"panisse": 1 / 16, "food": 3 / 16, "food|chez": 1 / 32}


def kneser_ney_pair(counts, w1, w2, k):
    cont = sum(b == w2 for a, b in counts) / len({b for a, b in counts})
    row = [c for (a, b), c in counts.items() if a == w1]
    if not row:
        return cont
    return (max(counts.get((w1, w2), 0) - k, 0) + k * len(row) * cont) / sum(row)


def kneser_ney_array(C, k):
    cont = (C > 0).sum(0) / (C > 0).sum()
    n = C.sum(1, keepdims=True)
    weight = np.where(n > 0, k * (C > 0).sum(1, keepdims=True) / np.maximum(n, 1), 1)
    return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * cont


# %% wrong="food by hand as frequent as panisse" caught_by="versatile beats frequent"
def kneser_ney_by_hand():
    return {"panisse": 3 / 16, "food": 3 / 16, "food|chez": 1 / 32}


def kneser_ney_pair(counts, w1, w2, k):
    cont = sum(b == w2 for a, b in counts) / len(counts)
    row = [c for (a, b), c in counts.items() if a == w1]
    if not row:
        return cont
    return (max(counts.get((w1, w2), 0) - k, 0) + k * len(row) * cont) / sum(row)


def kneser_ney_array(C, k):
    cont = (C > 0).sum(0) / (C > 0).sum()
    n = C.sum(1, keepdims=True)
    weight = np.where(n > 0, k * (C > 0).sum(1, keepdims=True) / np.maximum(n, 1), 1)
    return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * cont


# %% wrong="zero for a row never seen" caught_by="array agrees with brute force"
def kneser_ney_by_hand():
    return {"panisse": 1 / 16, "food": 3 / 16, "food|chez": 1 / 32}


def kneser_ney_pair(counts, w1, w2, k):
    cont = sum(b == w2 for a, b in counts) / len(counts)
    row = [c for (a, b), c in counts.items() if a == w1]
    if not row:
        return cont
    return (max(counts.get((w1, w2), 0) - k, 0) + k * len(row) * cont) / sum(row)


def kneser_ney_array(C, k):
    cont = (C > 0).sum(0) / (C > 0).sum()
    n = np.maximum(C.sum(1, keepdims=True), 1)
    return (np.maximum(C - k, 0) + k * (C > 0).sum(1, keepdims=True) * cont) / n


# %% wrong="the number of pairs of the toy text" caught_by="loop on the toy text" change="pair[1] == w2 for pair in counts) / len(counts) -> (pair[1] == w2 for pair in counts)) / 16"


# %% wrong="one kind of follower" caught_by="loop on the toy text"
def kneser_ney_by_hand():
    return {"panisse": 1 / 16, "food": 3 / 16, "food|chez": 0.5 * 1 / 3 * 3 / 16}


def kneser_ney_pair(counts, w1, w2, k):
    continuation = sum((pair[1] == w2 for pair in counts)) / len(counts)
    n = sum((count for pair, count in counts.items() if pair[0] == w1))
    return (max(counts.get((w1, w2), 0) - k, 0) + k * continuation) / n if n else continuation


def kneser_ney_array(C, k):
    seen = C > 0
    continuation = seen.sum(axis=0) / seen.sum()
    n = C.sum(axis=1, keepdims=True)
    weight = np.where(n > 0, k * seen.sum(axis=1, keepdims=True) / np.maximum(n, 1), 1)
    return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * continuation


# %% wrong="the pair asked for becomes a pair" caught_by="loop on the toy text"
# -     return (max(counts.get((w1, w2), 0) - k, 0) + k * len(row) * continuation) / sum(
# -         row
# -     )
# +     return (max(counts.setdefault((w1, w2), 0) - k, 0) + k * len(row) * continuation) / sum(row)


# %% wrong="counts once and for all" caught_by="loop on the toy text"
# + followed = {}
# +
# +
#   def kneser_ney_by_hand():

# -     continuation = sum(pair[1] == w2 for pair in counts) / len(counts)
# +     if not followed:
# +         followed.update(Counter((second for _, second in counts)))
# +     continuation = followed.get(w2, 0) / len(counts)


# %% wrong="counts discounted where they stand" caught_by="array agrees with brute force"
#       seen = C > 0
# +     C = np.asarray(C, dtype=float)

# -     return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * continuation
# +     C -= k * seen
# +     return C / np.maximum(n, 1) + weight * continuation


# %% wrong="a full row has nothing to give" caught_by="array agrees with brute force"
# -     return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * continuation
# +     P = np.maximum(C - k, 0) / np.maximum(n, 1) + weight * continuation
# +     return np.where(seen.all(axis=1, keepdims=True), C / np.maximum(n, 1), P)


# %% right="single precision, decimals by hand"
def kneser_ney_by_hand():
    return {"panisse": 0.0625, "food": 0.1875, "food|chez": 0.03125}


def kneser_ney_pair(counts, w1, w2, k):
    continuation = sum((pair[1] == w2 for pair in counts)) / len(counts)
    row = [count for pair, count in counts.items() if pair[0] == w1]
    if not row:
        return continuation
    return (max(counts.get((w1, w2), 0) - k, 0) + k * len(row) * continuation) / sum(row)


def kneser_ney_array(C, k):
    seen = (C > 0).astype(np.float32)
    n = C.sum(axis=1, keepdims=True).astype(np.float32)
    continuation = seen.sum(axis=0) / seen.sum()
    taken = np.minimum(C, np.float32(k)).astype(np.float32)
    return np.where(
        n > 0, (C - taken + taken.sum(axis=1, keepdims=True) * continuation) / np.maximum(n, 1), continuation
    )


# %% wrong="behind one token all is continuation" caught_by="loop on the toy text"
# -     if not row:
# +     if sum(row) < 2:


# %% wrong="a row with one count is P_cont itself" caught_by="array agrees with brute force"
# -     weight = np.where(n > 0, k * seen.sum(axis=1, keepdims=True) / np.maximum(n, 1), 1)
# -     return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * continuation
# +     weight = np.where(n > 1, k * seen.sum(axis=1, keepdims=True) / np.maximum(n, 1), 1)
# +     return np.where(n > 1, np.maximum(C - k, 0), 0) / np.maximum(n, 1) + weight * continuation


# %% wrong="keeps P_cont for as many pairs" caught_by="loop on the toy text"
ends = {}


def kneser_ney_by_hand():
    return {"panisse": 1 / 16, "food": 3 / 16, "food|chez": 1 / 32}


def kneser_ney_pair(counts, w1, w2, k):
    if (len(counts), w2) not in ends:
        ends[len(counts), w2] = sum(pair[1] == w2 for pair in counts) / len(counts)
    row = [count for pair, count in counts.items() if pair[0] == w1]
    if not row:
        return ends[len(counts), w2]
    own = max(counts.get((w1, w2), 0) - k, 0)
    return (own + k * len(row) * ends[len(counts), w2]) / sum(row)


def kneser_ney_array(C, k):
    seen, n = C > 0, C.sum(axis=1, keepdims=True)
    weight = np.where(n > 0, k * seen.sum(axis=1, keepdims=True) / np.maximum(n, 1), 1)
    return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * seen.sum(axis=0) / seen.sum()


# %% wrong="keeps the rows of the same pairs" caught_by="loop on the toy text"
rows_of_pairs = {}


def kneser_ney_by_hand():
    return {"panisse": 1 / 16, "food": 3 / 16, "food|chez": 1 / 32}


def kneser_ney_pair(counts, w1, w2, k):
    continuation = sum(pair[1] == w2 for pair in counts) / len(counts)
    same = (frozenset(counts), w1)
    if same not in rows_of_pairs:
        rows_of_pairs[same] = [count for pair, count in counts.items() if pair[0] == w1]
    row = rows_of_pairs[same]
    if not row:
        return continuation
    return (max(counts.get((w1, w2), 0) - k, 0) + k * len(row) * continuation) / sum(row)


def kneser_ney_array(C, k):
    seen, n = C > 0, C.sum(axis=1, keepdims=True)
    weight = np.where(n > 0, k * seen.sum(axis=1, keepdims=True) / np.maximum(n, 1), 1)
    return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * seen.sum(axis=0) / seen.sum()


# %% wrong="keeps P_cont for arrays of the same shape and k" caught_by="array agrees with brute force"
columns_of_shape = {}


def kneser_ney_by_hand():
    return {"panisse": 1 / 16, "food": 3 / 16, "food|chez": 1 / 32}


def kneser_ney_pair(counts, w1, w2, k):
    continuation = sum(pair[1] == w2 for pair in counts) / len(counts)
    row = [count for pair, count in counts.items() if pair[0] == w1]
    if not row:
        return continuation
    return (max(counts.get((w1, w2), 0) - k, 0) + k * len(row) * continuation) / sum(row)


def kneser_ney_array(C, k):
    seen, n = C > 0, C.sum(axis=1, keepdims=True)
    continuation = columns_of_shape.setdefault((C.shape, k), seen.sum(axis=0) / seen.sum())
    weight = np.where(n > 0, k * seen.sum(axis=1, keepdims=True) / np.maximum(n, 1), 1)
    return np.maximum(C - k, 0) / np.maximum(n, 1) + weight * continuation


# %% wrong="a look-up by try makes a defaultdict grow" caught_by="loop on the toy text"
# -     row = [count for pair, count in counts.items() if pair[0] == w1]
# +     row = [count for pair, count in counts.items() if pair[0] == w1]
# +     try:
# +         own = counts[w1, w2]
# +     except KeyError:
# +         own = 0

# -     return (max(counts.get((w1, w2), 0) - k, 0) + k * len(row) * continuation) / sum(
# +     return (max(own - k, 0) + k * len(row) * continuation) / sum(


# %% wrong="fails behind a word that only ever comes second" caught_by="loop on the toy text" change="if not row: -> if not any(w1 in pair for pair in counts):"


# %% wrong="every word ends at least one pair" caught_by="loop on the toy text" change="continuation = sum(pair[1] == w2 for pair in counts) / len(counts) -> continuation = max(sum(pair[1] == w2 for pair in counts), 1) / len(counts)"


# %% wrong="columns never seen get a little" caught_by="array agrees with brute force" change="continuation = seen.sum(axis=0) / seen.sum() -> continuation = np.maximum(seen.sum(axis=0), 1) / np.maximum(seen.sum(axis=0), 1).sum()"


# %% right="sets of neighbours, row by row"
def kneser_ney_by_hand():
    return {"panisse": np.float64(1) / 16, "food": np.float64(3) / 16, "food|chez": np.float64(1) / 32}


def kneser_ney_pair(counts, w1, w2, k):
    before, after = defaultdict(set), defaultdict(set)
    for a, b in counts:
        before[b].add(a)
        after[a].add(b)
    P = len(before[w2]) / sum(map(len, before.values()))
    if not after[w1]:
        return P
    n = sum(counts[w1, b] for b in after[w1])
    own = counts[w1, w2] - k if w2 in after[w1] else 0
    return (own + k * len(after[w1]) * P) / n


def kneser_ney_array(C, k):
    P = np.array([np.count_nonzero(column) for column in C.T]) / np.count_nonzero(C)
    rows = [np.where(c > 0, c - k, 0) + k * np.count_nonzero(c) * P for c in C]
    return np.array([row / c.sum() if c.any() else P for row, c in zip(rows, C, strict=True)])
