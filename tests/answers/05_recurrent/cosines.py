"""Answers to the task cosines of chapter 05."""


# %% right="loops over pairs"
def cosines(vectors, tags):
    found = {True: [], False: []}
    for i in range(len(tags)):
        for j in range(len(tags)):
            if i != j:
                a, b = vectors[i], vectors[j]
                found[tags[i] == tags[j]].append(a @ b / math.sqrt((a @ a) * (b @ b)))
    return [sum(found[True]) / len(found[True]), sum(found[False]) / len(found[False])]


# %% right="torch's cosine similarity and a triangle"
def cosines(vectors, tags):
    v = torch.tensor(vectors)
    i, j = np.triu_indices(len(tags), 1)
    c = F.cosine_similarity(v[i], v[j], dim=1).numpy()
    names = {tag: n for n, tag in enumerate(sorted(set(tags)))}
    numbers = np.array([names[tag] for tag in tags])
    same = numbers[i] == numbers[j]
    return np.array([c[same].mean(), c[~same].mean()])


# %% wrong="a place with itself counts" caught_by="four vectors by hand"
def cosines(vectors, tags):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same].mean(), table[~same].mean()


# %% wrong="dot products" caught_by="four vectors by hand"
def cosines(vectors, tags):
    unit = vectors
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same & other].mean(), table[~same].mean()


# %% wrong="length over the wrong axis" caught_by="four vectors by hand"
def cosines(vectors, tags):
    unit = vectors / np.linalg.norm(vectors, axis=0, keepdims=True)
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same & other].mean(), table[~same].mean()


# %% wrong="the two swapped" caught_by="four vectors by hand"
def cosines(vectors, tags):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[~same].mean(), table[same & other].mean()


# %% wrong="different means all other pairs" caught_by="random vectors, uneven groups"
def cosines(vectors, tags):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same & other].mean(), table[other].mean()


# %% wrong="squared length" caught_by="four vectors by hand"
def cosines(vectors, tags):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True) ** 2
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same & other].mean(), table[~same].mean()


# %% wrong="sums" caught_by="four vectors by hand"
def cosines(vectors, tags):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same & other].sum(), table[~same].sum()


# %% wrong="vectors centred first" caught_by="four vectors by hand"
def cosines(vectors, tags):
    vectors = vectors - vectors.mean(0) + 1e-9
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same & other].mean(), table[~same].mean()


# %% wrong="distance of the group means" caught_by="random vectors, uneven groups"
def cosines(vectors, tags):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same & other].mean(), 1 - table[same & other].mean() / 2
