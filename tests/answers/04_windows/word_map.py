"""Answers to the task word_map of chapter 04."""


# %% right="eigenvectors of the covariance, a loop over words"
def plane(vectors):
    centred = vectors - vectors.mean(dim=0, keepdim=True)
    values, directions = torch.linalg.eigh(centred.T @ centred)
    return torch.stack([centred @ directions[:, -1], centred @ directions[:, -2]], dim=1)


def agreement(vectors, labels):
    same = 0
    for i in range(len(vectors)):
        cosines = F.cosine_similarity(vectors[i][None], vectors)
        cosines[i] = -math.inf
        same += labels[int(cosines.argmax())] == labels[i]
    return same / len(vectors)


# %% right="left singular vectors, the second of two neighbours"
def plane(vectors):
    P, S, _ = np.linalg.svd(np.asarray(vectors) - np.asarray(vectors).mean(0), full_matrices=False)
    return P[:, :2] * S[:2]


def agreement(vectors, labels):
    unit = vectors.double() / vectors.double().norm(dim=1, keepdim=True)
    cosines = unit @ unit.T - 3 * torch.eye(len(unit))
    return np.mean([labels[i] == labels[j] for i, j in enumerate(cosines.max(1).indices.tolist())])


# %% right="signs turned round"
# -     return centred @ directions[:2].T
# +     return -centred @ directions[:2].T


# %% wrong="not centred" caught_by="the two widest directions" change="vectors - vectors.mean(0) -> vectors"


# %% wrong="centred along the vector" caught_by="the two widest directions" change="vectors.mean(0) -> vectors.mean(1, keepdim=True)"


# %% wrong="the first two numbers" caught_by="the two widest directions" change="centred @ directions[:2].T -> centred[:, :2]"


# %% wrong="directions centred, vectors not" caught_by="the two widest directions" change="return centred @ -> return vectors @"


# %% wrong="the two narrowest" caught_by="the two widest directions" change="directions[:2].T -> directions[-2:].T"


# %% wrong="second before first" caught_by="the two widest directions" change="directions[:2].T -> directions[:2].flip(0).T"


# %% wrong="columns for rows" caught_by="the two widest directions" change="directions[:2].T -> directions[:, :2]"


# %% wrong="all of one length" caught_by="the two widest directions"
# -     directions = torch.linalg.svd(centred, full_matrices=False).Vh
# -     return centred @ directions[:2].T
# +     return torch.linalg.svd(centred, full_matrices=False).U[:, :2]


# %% wrong="shifts the caller's vectors" caught_by="the two widest directions"
# -     centred = vectors - vectors.mean(0)
# +     centred = vectors.sub_(vectors.mean(0))


# %% wrong="everybody finds himself" caught_by="others, not itself" change=".fill_diagonal_(-2) -> "


# %% wrong="dot products" caught_by="the nearest by cosine" change="F.normalize(vectors, dim=1) -> vectors / vectors.norm()"


# %% wrong="the size of the cosine" caught_by="others, not itself" change="(unit @ unit.T).fill -> (unit @ unit.T).abs().fill"


# %% wrong="the farthest" caught_by="the nearest by cosine" change="fill_diagonal_(-2) -> neg().fill_diagonal_(-2)"


# %% wrong="distances" caught_by="the nearest by cosine"
# -     unit = F.normalize(vectors, dim=1)
# -     cosines = (unit @ unit.T).fill_diagonal_(-2)
# +     cosines = (-torch.cdist(vectors, vectors)).fill_diagonal_(-math.inf)


# %% wrong="centred before the cosine" caught_by="the nearest by cosine" change="F.normalize(vectors, dim=1) -> F.normalize(vectors - vectors.mean(0), dim=1)"


# %% wrong="how many agree" caught_by="the nearest by cosine" change=" / len(labels) -> "


# %% wrong="nobody finds whoever points in exactly the same direction" caught_by="others, not itself" change=".fill_diagonal_(-2) -> .masked_fill_(unit @ unit.T > 1 - 1e-5, -2)"


# %% wrong="the second of the two nearest, be it the word itself" caught_by="others, not itself"
# -     cosines = (unit @ unit.T).fill_diagonal_(-2)
# -     nearest = cosines.argmax(1).tolist()
# +     nearest = (unit @ unit.T).topk(2).indices[:, 1].tolist()


# %% right="eigenvectors of the products of words"
def plane(vectors):
    centred = vectors.double() - vectors.double().mean(0)
    values, columns = torch.linalg.eigh(centred @ centred.T)
    return (columns * values.clamp(min=0).sqrt())[:, [-1, -2]]


def agreement(vectors, labels):
    angles = F.cosine_similarity(vectors[:, None], vectors[None], dim=-1).tolist()
    near = [max((c, -j) for j, c in enumerate(row) if j != i)[1] for i, row in enumerate(angles)]
    return sum(labels[i] == labels[-j] for i, j in enumerate(near)) / len(near)


# %% wrong="all numbers of one spread" caught_by="the two widest directions" change="vectors - vectors.mean(0) -> (vectors - vectors.mean(0)) / vectors.std(0)"


# %% wrong="centred on the median" caught_by="the two widest directions" change="vectors.mean(0) -> vectors.median(0).values"


# %% wrong="nearest by the product with a unit vector" caught_by="the nearest by cosine" change="unit @ unit.T -> unit @ vectors.T"


# %% wrong="no neighbour that points away" caught_by="others, not itself" change="fill_diagonal_(-2) -> fill_diagonal_(0)"


# %% wrong="a word itself is as near as an opposite one" caught_by="others, not itself" change="fill_diagonal_(-2) -> fill_diagonal_(-1)"
