"""Answers to the task lookup of chapter 03."""


# %% right="stacked rows, a loop back"
def lookup(A, ids):
    return torch.stack([A[i] for i in ids])


def spread(ids, G, V):
    found = torch.zeros(V, G.shape[1]).to(G)
    for i, row in zip(ids, G):
        found[i] += row
    return found


def saved(V, d, n):
    return V * d * n


# %% right="torch's embedding, one-hot on the way back"
def lookup(A, ids):
    return F.embedding(torch.tensor(ids), A)


def spread(ids, G, V):
    return F.one_hot(torch.tensor(ids), V).to(G.dtype).T @ G


def saved(V, d, n):
    return d * sum([V] * n)


# %% wrong="the last one wins" caught_by="gradients of a repeated word add up"
# -     return torch.zeros(V, G.shape[1], dtype=G.dtype).index_add(0, torch.tensor(ids), G)
# +     found = torch.zeros(V, G.shape[1], dtype=G.dtype)
# +     found[ids] += G
# +     return found

# %% wrong="the mean of the gradients" caught_by="gradients of a repeated word add up"
# -     return torch.zeros(V, G.shape[1], dtype=G.dtype).index_add(0, torch.tensor(ids), G)
# +     found = torch.zeros(V, G.shape[1], dtype=G.dtype)
# +     return found.index_reduce(0, torch.tensor(ids), G, "mean", include_self=False)

# %% wrong="no more rows than words used" caught_by="gradients of a repeated word add up" change="torch.zeros(V, G.shape[1] -> torch.zeros(max(ids) + 1, G.shape[1]"


# %% wrong="columns for rows" caught_by="rows by number"
def lookup(A, ids):
    return A[:, [i % A.shape[1] for i in ids]].T


def spread(ids, G, V):
    return torch.zeros(V, G.shape[1], dtype=G.dtype).index_add(0, torch.tensor(ids), G)


def saved(V, d, n):
    return n * V * d


# %% wrong="each row once" caught_by="rows by number" change="A[ids] -> A[sorted(set(ids))]"

# %% wrong="only the numbers of the result" caught_by="what the lookup saves" change="n * V * d -> n * d"


# %% wrong="a product with one-hots after all" caught_by="rows by number" change="return A[ids] -> return F.one_hot(torch.tensor(ids), len(A)).to(A.dtype) @ A"
