"""Answers to the task explain_print of chapter 06."""


# %% right="squared distance, loops"


def best_repair(scores, printed, candidates):
    best, smallest = None, math.inf
    for i in range(len(scores)):
        for s in candidates:
            changed = np.array(scores, dtype=float)
            changed[i] = s
            p = np.exp(changed) / np.exp(changed).sum()
            error = ((p - np.array(printed)) ** 2).sum()
            if error < smallest:
                best, smallest = (i, s), error
    return best


place, number = best_repair(fox["score"].tolist(), fox["printed"].tolist(), list(range(-9, 10)))
repaired = [fox.index[place], float(number)]


# %% right="sum of distances, arrays"


def best_repair(scores, printed, candidates):
    tried = {}
    for i in range(len(scores)):
        for s in candidates:
            changed = torch.tensor(scores).double()
            changed[i] = s
            tried[i, s] = (torch.softmax(changed, 0) - torch.tensor(printed)).abs().sum().item()
    return min(tried, key=tried.get)


repaired = ("jumps", 5)


# %% wrong="not normalised" caught_by="one score, best of all"


def best_repair(scores, printed, candidates):
    def distance(repair):
        weights = np.exp([repair[1] if i == repair[0] else s for i, s in enumerate(scores)])
        return np.abs(weights - printed).max()

    return min([(i, s) for i in range(len(scores)) for s in candidates], key=distance)


repaired = ("jumps", 5)


# %% wrong="signed distance" caught_by="one score, best of all"


def best_repair(scores, printed, candidates):
    def distance(repair):
        weights = np.exp([repair[1] if i == repair[0] else s for i, s in enumerate(scores)])
        return (weights / weights.sum() - printed).max()

    return min([(i, s) for i in range(len(scores)) for s in candidates], key=lambda repair: -distance(repair))


repaired = ("jumps", 5)


# %% wrong="candidate added, not put in" caught_by="one score, best of all"


def best_repair(scores, printed, candidates):
    def distance(repair):
        weights = np.exp([s + repair[1] if i == repair[0] else s for i, s in enumerate(scores)])
        return np.abs(weights / weights.sum() - printed).max()

    return min([(i, s) for i in range(len(scores)) for s in candidates], key=distance)


repaired = ("jumps", 5)


# %% wrong="only the worst word is tried" caught_by="one score, best of all"


def best_repair(scores, printed, candidates):
    weights = np.exp(scores)
    i = int(np.argmin(np.abs(weights / weights.sum() - printed)))

    def distance(s):
        weights = np.exp([s if place == i else old for place, old in enumerate(scores)])
        return np.abs(weights / weights.sum() - printed).max()

    return i, min(candidates, key=distance)


repaired = ("jumps", 5)


# %% wrong="quick is at fault" caught_by="the lecture's print explained"
# - repaired = best_repair(
# -     fox["score"].to_numpy(), fox["printed"].to_numpy(), range(-9, 10)
# - )
# - repaired = (fox.index[repaired[0]], repaired[1])
# + repaired = ("quick", 7)


# %% wrong="jumps with another number" caught_by="the lecture's print explained"
# - repaired = best_repair(
# -     fox["score"].to_numpy(), fox["printed"].to_numpy(), range(-9, 10)
# - )
# - repaired = (fox.index[repaired[0]], repaired[1])
# + repaired = ("jumps", 4)


# %% wrong="fox, the smaller slip" caught_by="the lecture's print explained"
# - repaired = best_repair(
# -     fox["score"].to_numpy(), fox["printed"].to_numpy(), range(-9, 10)
# - )
# - repaired = (fox.index[repaired[0]], repaired[1])
# + repaired = ("fox", 5)


# %% wrong="place instead of word" caught_by="the lecture's print explained"
# - repaired = best_repair(
# -     fox["score"].to_numpy(), fox["printed"].to_numpy(), range(-9, 10)
# - )
# - repaired = (fox.index[repaired[0]], repaired[1])
# + repaired = (4, 5)


# %% wrong="scores shifted in place" caught_by="one score, best of all"


def best_repair(scores, printed, candidates):
    most = max(scores)
    for i in range(len(scores)):
        scores[i] -= most

    def distance(repair):
        p = np.exp([repair[1] - most if i == repair[0] else s for i, s in enumerate(scores)])
        return np.abs(p / p.sum() - printed).max()

    return min([(i, s) for i in range(len(scores)) for s in candidates], key=distance)


repaired = ("jumps", 5)


# %% wrong="only larger scores are tried" caught_by="one score, best of all"


def best_repair(scores, printed, candidates):
    def distance(repair):
        p = np.exp([repair[1] if i == repair[0] else s for i, s in enumerate(scores)])
        return np.abs(p / p.sum() - printed).max()

    return min([(i, s) for i, old in enumerate(scores) for s in candidates if s > old], key=distance)


repaired = ("jumps", 5)


# %% wrong="the sum not worked out anew" caught_by="one score, best of all"


def best_repair(scores, printed, candidates):
    old = np.exp(scores)

    def distance(repair):
        p = old / old.sum()
        p[repair[0]] = np.exp(repair[1]) / old.sum()
        return np.abs(p - printed).max()

    return min([(i, s) for i in range(len(scores)) for s in candidates], key=distance)


repaired = ("jumps", 5)


# %% right="Kullback and Leibler, NumPy integers, a set"


def best_repair(scores, printed, candidates):
    found = {}
    for i in np.arange(len(scores)):
        for s in candidates:
            p = np.exp(np.where(np.arange(len(scores)) == i, s, scores))
            found[i, s] = np.sum(np.array(printed) * np.log((np.array(printed) + 1e-12) / (p / p.sum())))
    return min(found, key=found.get)


repaired = ("jumps", 5)


# %% wrong="candidates sorted in place" caught_by="one score, best of all"
# +     candidates.sort()
#       return min([(i, s) for i in range(len(scores)) for s in candidates], key=distance)

# - repaired = best_repair(
# -     fox["score"].to_numpy(), fox["printed"].to_numpy(), range(-9, 10)
# - )
# + repaired = best_repair(fox["score"].to_numpy(), fox["printed"].to_numpy(), [*range(-9, 10)])


# %% wrong="no two scores alike" caught_by="one score, best of all"
# -     return min([(i, s) for i in range(len(scores)) for s in candidates], key=distance)
# +     return min([(i, s) for i in range(len(scores)) for s in candidates if s not in [*scores]], key=distance)

# - repaired = best_repair(
# -     fox["score"].to_numpy(), fox["printed"].to_numpy(), range(-9, 10)
# - )
# - repaired = (fox.index[repaired[0]], repaired[1])
# + repaired = ("jumps", 5)


# %% wrong="the copy keeps whole numbers" caught_by="one score, best of all"
# -         weights = np.exp(
# -             [repair[1] if i == repair[0] else s for i, s in enumerate(scores)]
# -         )
# +         changed = np.array(scores)
# +         changed[repair[0]] = repair[1]
# +         weights = np.exp(changed)


# %% wrong="tries only places that contradict each other" caught_by="one score, best of all"
# -     return min([(i, s) for i in range(len(scores)) for s in candidates], key=distance)
# +     odd = {i for pair in contradictions(scores, printed) for i in pair}
# +     return min([(i, s) for i in odd or range(len(scores)) for s in candidates], key=distance)


# %% wrong="a candidate of 0 is skipped" caught_by="one score, best of all"
def best_repair(scores, printed, candidates):
    best = None
    for i in range(len(scores)):
        for s in candidates:
            if not s:
                continue
            tried = np.array(scores, dtype=float)
            tried[i] = s
            p = np.exp(tried - tried.max())
            p = p / p.sum()
            distance = np.abs(p - np.array(printed)).sum()
            if best is None or distance < best[0]:
                best = distance, i, s
    return best[1:]


repaired = ("jumps", 5)
