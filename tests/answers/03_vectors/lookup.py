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


# %% wrong="only neighbouring repetitions are added up" caught_by="gradients of a repeated word add up"
# -     return torch.zeros(V, G.shape[1], dtype=G.dtype).index_add(0, torch.tensor(ids), G)
# +     Z = torch.zeros(V, G.shape[1], dtype=G.dtype)
# +     last = None
# +     for i, g in zip(ids, G):
# +         Z[i] = Z[i] + g if i == last else g
# +         last = i
# +     return Z


# %% wrong="adds up in G itself" caught_by="gradients of a repeated word add up"
# -     return torch.zeros(V, G.shape[1], dtype=G.dtype).index_add(0, torch.tensor(ids), G)
# +     Z, first = torch.zeros(V, G.shape[1], dtype=G.dtype), {}
# +     for t, i in enumerate(ids):
# +         if i in first:
# +             G[first[i]] += G[t]
# +         else:
# +             first[i] = t
# +     for i, t in first.items():
# +         Z[i] = G[t]
# +     return Z


# %% wrong="the table of the last call is kept" caught_by="gradients of a repeated word add up"
# + _table = {}
# +
# +
#   def spread(ids, G, V):

# -     return torch.zeros(V, G.shape[1], dtype=G.dtype).index_add(0, torch.tensor(ids), G)
# +     shape = (V, G.shape[1])
# +     Z = _table.setdefault(shape, torch.zeros(shape, dtype=G.dtype))
# +     for i, g in zip(ids, G):
# +         Z[i] += g
# +     return Z.clone()


# %% wrong="saved for one word" caught_by="what the lookup saves"
# -     return n * V * d
# +     return V * d


# %% right="autograd scatters"
def lookup(A, ids):
    return torch.stack([A[i] for i in ids])


def spread(ids, G, V):
    A = torch.zeros(V, G.shape[1], dtype=G.dtype, requires_grad=True)
    A[list(ids)].backward(G)
    return A.grad


def saved(V, d, n):
    return n * V * d


# %% wrong="numbers in one byte" caught_by="rows by number" change="A[ids] -> A[torch.tensor(ids, dtype=torch.int8).long()]"


# %% wrong="a square G is turned round" caught_by="gradients of a repeated word add up" change="torch.tensor(ids), G) -> torch.tensor(ids), G.T if G.shape[0] == G.shape[1] and len({*ids}) == len(ids) else G)"
