"""Answers to the task pareto of chapter 10."""


# %% right="sorted, then swept"
def pareto(cost, loss):
    order = sorted(range(len(cost)), key=lambda m: (cost[m], loss[m], m))
    front = []
    for m in order:
        if not front or loss[m] < loss[front[-1]]:
            front.append(m)
        elif loss[m] == loss[front[-1]] and cost[m] == cost[front[-1]]:
            front.append(m)
    return front


def best_within(cost, loss, budget):
    best = None
    for m, (c, x) in enumerate(zip(cost, loss)):
        if c <= budget and (best is None or (x, c) < (loss[best], cost[best])):
            best = m
    return best


# %% right="arrays"
def pareto(cost, loss):
    cost, loss = np.asarray(cost, float), np.asarray(loss, float)
    no_worse = (cost[:, None] <= cost) & (loss[:, None] <= loss)
    strictly = (cost[:, None] < cost) | (loss[:, None] < loss)
    front = np.flatnonzero(~(no_worse & strictly).any(axis=0))
    return front[np.argsort(cost[front], kind="stable")]


def best_within(cost, loss, budget):
    can = [(loss[m], cost[m], m) for m in range(len(cost)) if cost[m] <= budget]
    return min(can)[2] if can else None


# %% wrong="equals push each other out" caught_by="who is pushed out" change="return nowhere_worse and (cost[k] < cost[m] or loss[k] < loss[m]) -> return nowhere_worse and k != m"


# %% wrong="only what is better in both pushes out" caught_by="who is pushed out" change="nowhere_worse and (cost[k] < cost[m] or loss[k] < loss[m]) -> cost[k] < cost[m] and loss[k] < loss[m]"


# %% wrong="better in one is enough" caught_by="who is pushed out" change="nowhere_worse and (cost[k] < cost[m] or loss[k] < loss[m]) -> cost[k] < cost[m] and loss[k] <= loss[m]"


# %% wrong="not sorted by cost" caught_by="who is pushed out" change="sorted(front, key=lambda m: cost[m]) -> front"


# %% wrong="sorted by loss" caught_by="who is pushed out" change="key=lambda m: cost[m]) -> key=lambda m: loss[m])"


# %% wrong="dearest first" caught_by="who is pushed out" change="key=lambda m: cost[m]) -> key=lambda m: -cost[m])"


# %% wrong="costs, not numbers" caught_by="who is pushed out" change="sorted(front, key=lambda m: cost[m]) -> sorted(cost[m] for m in front)"


# %% wrong="a large loss is good" caught_by="who is pushed out" change="cost[k] <= cost[m] and loss[k] <= loss[m] -> cost[k] <= cost[m] and loss[k] >= loss[m]"


# %% wrong="equal ones: the last first" caught_by="who is pushed out" change="key=lambda m: cost[m]) -> key=lambda m: (cost[m], -m))"


# %% wrong="the budget itself is too much" caught_by="the best that one can pay" change="cost[m] <= budget -> cost[m] < budget"


# %% wrong="the cheapest" caught_by="the best that one can pay" change="(loss[m], cost[m]), default -> (cost[m], loss[m]), default"


# %% wrong="of equal ones the first, though dearer" caught_by="the best that one can pay" change="(loss[m], cost[m]), default -> loss[m], default"


# %% wrong="nothing to be had: the cheapest of all" caught_by="the best that one can pay" change="default=None) -> default=min(range(len(cost)), key=lambda m: cost[m], default=None))"


# %% wrong="its place among those that can be paid" caught_by="the best that one can pay"
# -     return min(affordable, key=lambda m: (loss[m], cost[m]), default=None)
# +     found = min(affordable, key=lambda m: (loss[m], cost[m]), default=None)
# +     return None if found is None else affordable.index(found)


# %% right="masks on arrays, without a copy"
def pareto(cost, loss):
    front = []
    for m in np.argsort(cost, kind="stable"):
        worse = (cost <= cost[m]) & (loss <= loss[m]) & ((cost < cost[m]) | (loss < loss[m]))
        if not worse.any():
            front.append(int(m))
    return front


def best_within(cost, loss, budget):
    can = np.flatnonzero(cost <= budget)
    if not len(can):
        return None
    return int(can[np.lexsort((cost[can], loss[can]))[0]])


# %% wrong="of equal ones the last" caught_by="the best that one can pay" change="key=lambda m: (loss[m], cost[m]), default -> key=lambda m: (loss[m], cost[m], -m), default"


# %% wrong="number 0 is taken for none" caught_by="the best that one can pay"
# -     return min(affordable, key=lambda m: (loss[m], cost[m]), default=None)
# +     return min(affordable, key=lambda m: (loss[m], cost[m]), default=None) or None


# %% wrong="the sweep keeps what is as good and dearer" caught_by="who is pushed out"
# -     front = [m for m in models if not any(better(k, m) for k in models)]
# +     front = [m for m in models if not any(better(k, m) and loss[k] < loss[m] for k in models)]


# %% wrong="costs below a half are raised" caught_by="who is pushed out"
# -     models = range(len(cost))
# +     cost[:] = np.maximum(cost, 0.5)
# +     models = range(len(cost))


# %% wrong="a thousandth over the budget" caught_by="the best that one can pay" change="cost[m] <= budget] -> cost[m] <= budget + 1e-3]"


# %% wrong="losses are compared by two digits" caught_by="the best that one can pay" change="(loss[m], cost[m]) -> (round(float(loss[m]), 2), cost[m])"


# %% wrong="what costs without end cannot be had" caught_by="the best that one can pay" change="cost[m] <= budget] -> cost[m] <= budget < math.inf]"


# %% wrong="numbers that nearly agree are equal" caught_by="who is pushed out" change="return nowhere_worse and (cost[k] < cost[m] or loss[k] < loss[m]) -> return nowhere_worse and not (np.isclose(cost[k], cost[m]) and np.isclose(loss[k], loss[m]))"


# %% wrong="a sort that turns equal ones round" caught_by="who is pushed out"
# -     return sorted(front, key=lambda m: cost[m])
# +     return np.array(front, dtype=int)[np.argsort(np.asarray(cost)[front])].tolist()


# %% right="broadcasting"
def pareto(cost, loss):
    c, x = np.asarray(cost), np.asarray(loss)
    no_worse = (c[:, None] <= c) & (x[:, None] <= x)
    out = (no_worse & ~no_worse.T).any(0)
    return tuple(int(m) for m in np.argsort(c, kind="stable") if not out[m])


def best_within(cost, loss, budget):
    masked = np.where(np.asarray(cost) <= budget, loss, np.inf)
    some = np.flatnonzero((masked == masked.min()) & (np.asarray(cost) <= budget))
    return int(some[np.argmin(np.asarray(cost)[some])]) if len(some) else None


# %% wrong="an infinite loss is never on the front" caught_by="who is pushed out" change="if not any(better(k, m) for k in models)] -> if loss[m] < math.inf and not any(better(k, m) for k in models)]"
