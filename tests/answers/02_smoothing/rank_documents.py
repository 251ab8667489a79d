"""Answers to the task rank_documents of chapter 02."""


# %% right="loops over documents and words"
def log_scores(counts, query, method, strength):
    found = []
    for row in counts:
        total = 0.0
        for term in query:
            background = sum(other[term] for other in counts) / np.sum(counts)
            length = sum(row)
            weight = strength if method == "jm" else length / (length + strength)
            p = weight * row[term] / length + (1 - weight) * background
            total += math.log(p) if p > 0 else -math.inf
        found.append(total)
    return np.array(found)


def average_precision(scores, relevant):
    ranking = sorted(range(len(scores)), key=lambda d: (-scores[d], d))
    hits, total = 0, 0.0
    for place, document in enumerate(ranking, 1):
        if document in relevant:
            hits += 1
            total += hits / place
    return total / len(relevant)


# %% right="query counts as a vector"
def log_scores(counts, query, method, strength):
    q = np.bincount(query, minlength=counts.shape[1])
    used = q > 0
    pc = counts[:, used].sum(0) / counts.sum()
    n = counts.sum(1)[:, None]
    if method == "dirichlet":
        p = (counts[:, used] + strength * pc) / (n + strength)
    else:
        p = strength * counts[:, used] / n + (1 - strength) * pc
    logs = np.full(p.shape, -np.inf)
    np.log(p, out=logs, where=p > 0)
    return logs @ q[used]


def average_precision(scores, relevant):
    ranking = np.argsort(-scores, kind="stable").tolist()
    places = sorted(ranking.index(d) + 1 for d in relevant)
    return np.mean([k / place for k, place in enumerate(places, 1)])


# %% wrong="lambda weights the collection" caught_by="Jelinek-Mercer with the collection" change="strength * tf / length + (1 - strength) -> (1 - strength) * tf / length + strength"


# %% wrong="collection as mean of document models" caught_by="Jelinek-Mercer with the collection | Dirichlet weighs by length" change="counts[:, query].sum(axis=0) / counts.sum() -> (counts / length).mean(axis=0)[query]"


# %% wrong="Dirichlet not normalised" caught_by="Dirichlet weighs by length" change="(length + strength) -> length"


# %% wrong="each query word once" caught_by="repeated and missing query words" change="\"\"\"ln P(q | d) for each document, array [D], with `method` \"jm\" or \"dirichlet\"; counts and query stay.\"\"\" -> query = sorted(set(query))"


# %% wrong="worst document first" caught_by="average precision" change="-np -> np"


# %% wrong="precision at every place" caught_by="average precision" change="[hits] -> "


# %% wrong="equal scores in any order" caught_by="average precision" change="-np.asarray(scores), kind=\"stable\") -> np.asarray(scores), kind=\"stable\")[::-1]"


# %% wrong="counts become frequencies where they stand" caught_by="Jelinek-Mercer with the collection"
def log_scores(counts, query, method, strength):
    counts = np.asarray(counts, dtype=float)
    length, collection = (counts.sum(axis=1, keepdims=True), counts.sum(axis=0)[query] / counts.sum())
    if method == "jm":
        counts /= length
        p = strength * counts[:, query] + (1 - strength) * collection
    else:
        p = (counts[:, query] + strength * collection) / (length + strength)
    with np.errstate(divide="ignore"):
        return np.log(p).sum(axis=1)


def average_precision(scores, relevant):
    hits = np.isin(np.argsort(-np.asarray(scores), kind="stable"), list(relevant))
    return (np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean()


# %% wrong="logarithm of a product that becomes 0" caught_by="repeated and missing query words" change="p).sum(axis=1 -> p.prod(axis=1)"


# %% wrong="equal scores in the order of quicksort" caught_by="average precision" change=", kind=\"stable\" -> "


# %% wrong="scores sorted where they stand" caught_by="average precision"
# -     hits = np.isin(np.argsort(-np.asarray(scores), kind="stable"), list(relevant))
# +     order = np.argsort(-scores, kind="stable")
# +     scores.sort()
# +     hits = np.isin(order, list(relevant))


# %% wrong="the query sorted where it stands" caught_by="Jelinek-Mercer with the collection | Dirichlet weighs by length"
# -     tf, length = counts[:, query], counts.sum(axis=1, keepdims=True)
# +     query.append(query.pop(0))
# +     tf, length = (counts[:, query], counts.sum(axis=1, keepdims=True))


# %% wrong="zero taken as nearly zero" caught_by="repeated and missing query words"
# -     with np.errstate(divide="ignore"):
# -         return np.log(p).sum(axis=1)
# +     return np.log(np.maximum(p, 1e-300)).sum(axis=1)


# %% right="lists, single precision, sorted by pairs"
def log_scores(counts, query, method, strength):
    total, scores = (counts.sum(), [])
    for row in counts:
        log, length = (0.0, row.sum())
        for t in query:
            background = counts[:, t].sum() / total
            p = strength * row[t] / length + (1 - strength) * background
            if method == "dirichlet":
                p = (row[t] + strength * background) / (length + strength)
            log += math.log(p) if p > 0 else -math.inf
        scores.append(np.float32(log))
    return scores


def average_precision(scores, relevant):
    ranking = [number for _, number in sorted(((-float(score), number) for number, score in enumerate(scores)))]
    shares, hits = ([], 0)
    for place, number in enumerate(ranking, start=1):
        if number in relevant:
            hits += 1
            shares.append(hits / place)
    return np.float32(sum(shares) / len(shares))
