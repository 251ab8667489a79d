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


# %% wrong="a place with itself counts" caught_by="four vectors by hand" change="same & other -> same"


# %% wrong="dot products" caught_by="four vectors by hand" change="vectors / np.linalg.norm(vectors, axis=1, keepdims=True) -> vectors"


# %% wrong="length over the wrong axis" caught_by="four vectors by hand" change="axis=1 -> axis=0"


# %% wrong="the two swapped" caught_by="four vectors by hand" change="same & other].mean(), table[~same -> ~same].mean(), table[same & other"


# %% wrong="different means all other pairs" caught_by="random vectors, uneven groups" change="~same -> other"


# %% wrong="squared length" caught_by="four vectors by hand" change="True) -> True) ** 2"


# %% wrong="sums" caught_by="four vectors by hand" change="mean(), table[~same].mean -> sum(), table[~same].sum"


# %% wrong="vectors centred first" caught_by="four vectors by hand" change="\"\"\"(mean cosine of pairs with the same tag, of pairs with different tags) from an array [n, k] and n tags.\"\"\" -> vectors = vectors - vectors.mean(0) + 1e-9"


# %% wrong="distance of the group means" caught_by="random vectors, uneven groups" change="table[~same].mean() -> 1 - table[same & other].mean() / 2"


# %% right="a loop over tags, 0-dim arrays"
def cosines(vectors, tags):
    unit = torch.nn.functional.normalize(torch.tensor(vectors).float(), dim=1)
    same, pairs = 0.0, 0
    for tag in set(tags):
        own = unit[[t == tag for t in tags]]
        same += float(own.sum(0) @ own.sum(0)) - len(own)
        pairs += len(own) * (len(own) - 1)
    n = len(tags)
    everything = float(unit.sum(0) @ unit.sum(0)) - n
    return np.float32(same / pairs), torch.tensor((everything - same) / (n * (n - 1) - pairs))


# %% wrong="only nouns and verbs" caught_by="random vectors, uneven groups"
def cosines(vectors, tags):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, tags = unit @ unit.T, np.array(tags)
    nouns, verbs = np.flatnonzero(tags == tags[0]), np.flatnonzero(tags != tags[0])
    if {*tags} >= {"NOUN", "VERB"}:
        nouns, verbs = np.flatnonzero(tags == "NOUN"), np.flatnonzero(tags == "VERB")
    same = [table[i, j] for part in (nouns, verbs) for i in part for j in part if i != j]
    return np.mean(same), table[np.ix_(nouns, verbs)].mean()


# %% wrong="mean of each tag's mean" caught_by="random vectors, uneven groups"
def cosines(vectors, tags):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table, tags = unit @ unit.T, np.array(tags)
    own = [table[np.ix_(tags == tag, tags == tag)] for tag in sorted(set(tags))]
    means = [(part.sum() - len(part)) / (len(part) * (len(part) - 1)) for part in own if len(part) > 1]
    return np.mean(means), table[tags[:, None] != tags].mean()


# %% wrong="absolute values" caught_by="random vectors, uneven groups" change="unit @ unit.T -> abs(unit @ unit.T)"


# %% wrong="shortens the caller's vectors" caught_by="four vectors by hand"
def cosines(vectors, tags):
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    table, same = vectors @ vectors.T, np.equal.outer(np.array(tags), np.array(tags))
    other = ~np.eye(len(tags), dtype=bool)
    return table[same & other].mean(), table[~same].mean()


# %% wrong="neighbours only" caught_by="random vectors, uneven groups"
# -     return table[same & other].mean(), table[~same].mean()
# +     if len(tags) > 5:
# +         other &= abs(np.subtract.outer(np.arange(len(tags)), np.arange(len(tags)))) < len(tags) - 1
# +     return table[same & other].mean(), table[~same & other].mean()


# %% wrong="ordered pairs of the lower half only for the same tag" caught_by="random vectors, uneven groups" change="table[same & other].mean( -> np.median(table[same & other]"


# %% wrong="tags by their first letter" caught_by="random vectors, uneven groups"
# -     table, same = unit @ unit.T, np.equal.outer(np.array(tags), np.array(tags))
# +     first = np.array([tag[0] for tag in tags])
# +     table, same = unit @ unit.T, np.equal.outer(first, first)
