"""Answers to the task softmax_smoothing of chapter 04."""


# %% right="logsumexp of torch, Counter, factored"
def log_probability(y, w):
    return (torch.tensor(y)[w] - torch.tensor(y).logsumexp(0)).item()


def never_met(train_grams, test_grams):
    return float(np.mean([gram not in set(train_grams) for gram in test_grams]))


def multiplications(V, n, m, h):
    return (V + h) * n * m + V * h


# %% right="shift inside, sets"
def log_probability(y, w):
    z = y - y.max()
    return z[w] - math.log(sum(math.exp(v) for v in z))


def never_met(train_grams, test_grams):
    met = 0
    for gram in test_grams:
        met += any(gram == other for other in train_grams)
    return (len(test_grams) - met) / len(test_grams)


def multiplications(V, n, m, h):
    return sum(rows * columns for rows, columns in ((V, n * m), (h, n * m), (V, h)))


# %% right="torch, float32"
def log_probability(y, w):
    return F.log_softmax(torch.tensor(y, dtype=torch.float32), 0)[w].item()


def never_met(train_grams, test_grams):
    known = set(train_grams)
    return torch.tensor([float(gram not in known) for gram in test_grams]).mean().item()


def multiplications(V, n, m, h):
    return sum(matrix.size for matrix in (np.empty((V, n * m)), np.empty((h, n * m)), np.empty((V, h))))


# %% wrong="exp of the scores as they are" caught_by="right for scores of any size" change="np.max(y) -> 0.0"


# %% wrong="log of a softmax that is 0" caught_by="right for scores of any size" change="y[w] - largest - np.log(np.sum(np.exp(y - largest)) -> np.log(np.exp(y - largest)[w] / np.exp(y - largest).sum() + 1e-300"


# %% wrong="shift by the smallest" caught_by="right for scores of any size" change="np.max -> np.min"


# %% wrong="the shift not taken back" caught_by="right for scores of any size" change="largest - np -> np"


# %% wrong="log base 2" caught_by="right for scores of any size" change="log(np -> log2(np"


# %% wrong="probability for its logarithm" caught_by="right for scores of any size" change="y[w] - largest - np.log(np.sum(np.exp(y - largest -> np.exp(y[w] - largest - np.log(np.sum(np.exp(y - largest)"


# %% wrong="plus for minus" caught_by="right for scores of any size" change="- np -> + np"


# %% wrong="the share that was met" caught_by="impossible for counts" change="not in -> in"


# %% wrong="each kind once" caught_by="impossible for counts" change="test_grams) / len(test_grams -> set(test_grams)) / len(set(test_grams)"


# %% wrong="a count for a share" caught_by="impossible for counts" change="test_grams) / len(test_grams) -> test_grams)"


# %% wrong="divided by the training text" caught_by="impossible for counts" change="len(test_grams -> len(train_grams"


# %% wrong="only the last words" caught_by="impossible for counts"
# -     """The share of test_grams (list of tuples of any length, repeats count) that do not occur in train_grams."""
# -     known = set(train_grams)
# -     return sum(gram not in known for gram in test_grams) / len(test_grams)
# +     """The share of test_grams (list of tuples, repeats count) that do not occur in train_grams."""
# +     known = {gram[-1] for gram in train_grams}
# +     return sum(gram[-1] not in known for gram in test_grams) / len(test_grams)


# %% wrong="the direct path is free" caught_by="the price of one probability" change="V * n * m + h -> h"


# %% wrong="one score is enough" caught_by="the price of one probability" change="V * n * m + h * n * m + V * -> n * m + h * n * m +"


# %% wrong="hidden layer forgotten" caught_by="the price of one probability" change="h * n * m + V -> V"


# %% wrong="the biases multiply" caught_by="the price of one probability" change="n * m + h * n * m -> (1 + n * m) + h * (1 + n * m)"


# %% wrong="only the first hundred looked at" caught_by="impossible for counts"
# -     largest = np.max(y)
# -     return y[w] - largest - np.log(np.sum(np.exp(y - largest)))
# +     return F.log_softmax(torch.tensor(y), 0)[w].item()

# -     known = set(train_grams)
# +     known = set(train_grams[:100])


# %% wrong="tuples glued to one text" caught_by="impossible for counts"
def log_probability(y, w):
    return y[w] - np.logaddexp.reduce(y)


def never_met(train_grams, test_grams):
    known = {"".join(gram) for gram in train_grams}
    return sum("".join(gram) not in known for gram in test_grams) / len(test_grams)


def multiplications(V, n, m, h):
    return V * n * m + h * n * m + V * h


# %% wrong="only the first two words of a tuple" caught_by="impossible for counts"
def log_probability(y, w):
    return y[w] - np.logaddexp.reduce(y)


def never_met(train_grams, test_grams):
    known = {gram[:2] for gram in train_grams}
    return sum(gram[:2] not in known for gram in test_grams) / len(test_grams)


def multiplications(V, n, m, h):
    return V * n * m + h * n * m + V * h


# %% wrong="tuples glued with a blank" caught_by="impossible for counts"
def log_probability(y, w):
    return y[w] - np.logaddexp.reduce(y)


def never_met(train_grams, test_grams):
    known = {" ".join(gram) for gram in train_grams}
    return sum(" ".join(gram) not in known for gram in test_grams) / len(test_grams)


def multiplications(V, n, m, h):
    return V * n * m + h * n * m + V * h


# %% wrong="shifts the caller's scores" caught_by="right for scores of any size"
# -     largest = np.max(y)
# -     return y[w] - largest - np.log(np.sum(np.exp(y - largest)))
# +     y -= y.max()
# +     return y[w] - np.log(np.exp(y).sum())


# %% wrong="shifts only large scores, clipped" caught_by="right for scores of any size"
# -     largest = np.max(y)
# -     return y[w] - largest - np.log(np.sum(np.exp(y - largest)))
# +     p = np.exp(np.clip(y - y.max(), -700, 0))
# +     return np.log(p[w] / p.sum())


# %% wrong="learns from the test while it asks" caught_by="impossible for counts"
def log_probability(y, w):
    return y[w] - np.logaddexp.reduce(y)


def never_met(train_grams, test_grams):
    missed = 0
    for gram in test_grams:
        if gram not in train_grams:
            missed += 1
            train_grams.append(gram)
    return missed / len(test_grams)


def multiplications(V, n, m, h):
    return V * n * m + h * n * m + V * h


# %% wrong="fails on an empty training text" caught_by="impossible for counts"
def log_probability(y, w):
    return y[w] - np.logaddexp.reduce(y)


def never_met(train_grams, test_grams):
    if not train_grams:
        return 0.0
    return sum(gram not in set(train_grams) for gram in test_grams) / len(test_grams)


def multiplications(V, n, m, h):
    return V * n * m + h * n * m + V * h


# %% right="one after the other, without a largest score"
def log_probability(y, w):
    total = -math.inf
    for score in y:
        total = np.logaddexp(total, score)
    return y[w] - total


def never_met(train_grams, test_grams):
    rest = Counter(test_grams)
    for gram in train_grams:
        rest.pop(gram, None)
    return rest.total() / len(test_grams)


def multiplications(V, n, m, h):
    return n * m * (V + h) + h * V


# %% wrong="the order within a tuple forgotten" caught_by="impossible for counts" change="known = set(train_grams) -> known = {other for gram in train_grams for other in (gram, gram[::-1])}"


# %% wrong="the begin of what was met counts as met" caught_by="impossible for counts" change="known = set(train_grams) -> known = {gram[:k] for gram in train_grams for k in range(1, len(gram) + 1)}"


# %% wrong="no probability below e to the -1000" caught_by="right for scores of any size" change="return y[w] - largest - np.log(np.sum(np.exp(y - largest))) -> return max(y[w] - largest - np.log(np.sum(np.exp(y - largest))), -1000.0)"


# %% wrong="counts equal largest scores once" caught_by="right for scores of any size"
def log_probability(y, w):
    largest = y.max()
    others = y[y < largest]
    return float(y[w] - largest - np.log1p(np.exp(others - largest).sum()))


def never_met(train_grams, test_grams):
    seen = set(train_grams)
    return sum(gram not in seen for gram in test_grams) / len(test_grams)


def multiplications(V, n, m, h):
    return V * n * m + h * n * m + V * h


# %% wrong="far from the best, the sum is taken for 1" caught_by="right for scores of any size"
def log_probability(y, w):
    y = np.asarray(y, dtype=float)
    rest = y - y.max()
    if rest[w] < -30:
        return float(rest[w])  # the others no longer matter
    return float(rest[w] - np.log(np.exp(rest).sum()))


def never_met(train_grams, test_grams):
    seen = set(train_grams)
    return sum(gram not in seen for gram in test_grams) / len(test_grams)


def multiplications(V, n, m, h):
    return V * n * m + h * n * m + V * h
