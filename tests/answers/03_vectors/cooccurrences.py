"""Answers to the task cooccurrences of chapter 03."""


# %% right="place by place"
def cooccurrences(texts, V, c):
    N = [[0] * V for _ in range(V)]
    for text in texts:
        for t, i in enumerate(text):
            for j in list(text[max(0, t - c) : t]) + list(text[t + 1 : t + 1 + c]):
                N[i][j] += 1
    return N


# %% right="a counter of pairs"
def cooccurrences(texts, V, c):
    pairs = Counter()
    for text in texts:
        for o in range(1, c + 1):
            pairs.update(zip(text, text[o:]))
    N = np.zeros((V, V), dtype=int)
    for (i, j), count in pairs.items():
        N[i, j] += count
        N[j, i] += count
    return N


# %% wrong="only to the right" caught_by="neighbours on both sides" change="return N + N.T -> return N"

# %% wrong="repeated pairs count once" caught_by="every place counts" change="np.add.at(N, (ids[:-o], ids[o:]), 1) -> N[ids[:-o], ids[o:]] += 1"

# %% wrong="the window one too short" caught_by="as far as the window reaches" change="min(c, len(ids) - 1) + 1 -> min(c, len(ids) - 1)"

# %% wrong="only the neighbour at distance c" caught_by="as far as the window reaches" change="range(1, min(c, len(ids) - 1) + 1) -> range(c, min(c, len(ids) - 1) + 1)"

# %% wrong="all texts as one" caught_by="texts stay apart"
# -     for text in texts:
# +     for text in [[i for text in texts for i in text]]:


# %% wrong="its own place counts" caught_by="neighbours on both sides"
def cooccurrences(texts, V, c):
    N = np.zeros((V, V))
    for text in texts:
        for t, i in enumerate(text):
            for j in text[max(0, t - c) : t + 1 + c]:
                N[i, j] += 1
    return N


# %% wrong="equal words are no neighbours" caught_by="every place counts"
# -     return N + N.T
# +     np.fill_diagonal(N, 0)
# +     return N + N.T


# %% wrong="counts of eight bits" caught_by="every place counts" change="np.zeros((V, V)) -> np.zeros((V, V), dtype=np.uint8)"


# %% wrong="counts of two bytes" caught_by="every place counts" change="return N + N.T -> return (N + N.T).astype(np.int16)"


# %% wrong="an empty text is an error" caught_by="texts stay apart"
# -         ids = np.array(text, dtype=int)
# -         for o in range(1, min(c, len(ids) - 1) + 1):
# -             np.add.at(N, (ids[:-o], ids[o:]), 1)
# +         row = np.array(text)
# +         for o in range(1, c + 1):
# +             np.add.at(N, (row[:-o], row[o:]), 1)


# %% wrong="two distances at most" caught_by="every place counts"
# -         ids = np.array(text, dtype=int)
# -         for o in range(1, min(c, len(ids) - 1) + 1):
# -             np.add.at(N, (ids[:-o], ids[o:]), 1)
# -     return N + N.T
# +         for o in (1, 2)[:c]:
# +             for i, j in zip(text, text[o:]):
# +                 N[i, j] += 1
# +                 N[j, i] += 1
# +     return N


# %% wrong="pads the texts themselves" caught_by="neighbours on both sides"
# -         ids = np.array(text, dtype=int)
# -         for o in range(1, min(c, len(ids) - 1) + 1):
# -             np.add.at(N, (ids[:-o], ids[o:]), 1)
# -     return N + N.T
# +         text += [-1] * c
# +         for t, i in enumerate(text):
# +             for j in text[t + 1 : t + c + 1]:
# +                 if i >= 0 and j >= 0:
# +                     N[i, j] += 1
# +                     N[j, i] += 1
# +     return N


# %% wrong="goes on counting in the table of the last call" caught_by="neighbours on both sides"
# + _tables = {}
# +
# +
#   def cooccurrences(texts, V, c):

# -     N = np.zeros((V, V))
# -     for text in texts:
# -         ids = np.array(text, dtype=int)
# -         for o in range(1, min(c, len(ids) - 1) + 1):
# -             np.add.at(N, (ids[:-o], ids[o:]), 1)
# -     return N + N.T
# +     N = _tables.setdefault((V, c, str(texts)), np.zeros((V, V)))
# +     for text in texts:
# +         for t, i in enumerate(text):
# +             for s in range(max(0, t - c), min(len(text), t + c + 1)):
# +                 if s != t:
# +                     N[i, text[s]] += 1
# +     return N


# %% right="banded one-hot products"
def cooccurrences(texts, V, c):
    N = np.zeros((V, V), dtype=np.int64)
    for text in texts:
        E = np.eye(V, dtype=np.int64)[np.array(text, dtype=int)]
        T = np.arange(len(text))
        near = abs(T[:, None] - T) <= c
        N += E.T @ (near & ~np.eye(len(text), dtype=bool)).astype(np.int64) @ E
    return N


# %% wrong="pairs numbered in 16 bits" caught_by="every place counts"
# -         ids = np.array(text, dtype=int)
# +         ids = np.array(text, dtype=np.uint16)

# -             np.add.at(N, (ids[:-o], ids[o:]), 1)
# +             np.add.at(N.reshape(-1), ids[:-o] * np.uint16(V) + ids[o:], 1)
