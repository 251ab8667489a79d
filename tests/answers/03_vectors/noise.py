"""Answers to the task noise of chapter 03."""


# %% right="lists and a walk along the intervals"
def noise(occurrences, power):
    weights = [float(count) ** power if count > 0 else 0.0 for count in occurrences]
    return [weight / sum(weights) for weight in weights]


def draw(q, u):
    possible = [v for v in range(len(q)) if q[v] > 0]

    def one(number):
        end = 0.0
        for v in possible:
            end += q[v]
            if number < end:
                return v
        return possible[-1]

    return np.array([one(number) for number in np.ravel(u)], dtype=int).reshape(np.shape(u))


# %% right="comparing with all right ends"
def noise(occurrences, power):
    counts = np.array(occurrences, dtype=float)
    q = np.zeros(len(counts))
    q[counts > 0] = counts[counts > 0] ** power
    return q / q.sum()


def draw(q, u):
    ends = np.cumsum(q)
    ends[np.nonzero(q)[0][-1] :] = 2
    return (np.asarray(u)[..., None] >= ends).sum(-1)


# %% wrong="the power forgotten" caught_by="powers of the counts" change="counts**power -> counts"

# %% wrong="zero to the power of zero is one" caught_by="powers of the counts" change="np.where(counts > 0, counts**power, 0) -> counts**power"

# %% wrong="the power behind the division" caught_by="powers of the counts" change="return weights / weights.sum() -> return np.where(counts > 0, (counts / counts.sum()) ** power, 0)"

# %% wrong="q for its running sums" caught_by="a word for each number" change="np.cumsum(q), u -> np.sort(q), u"

# %% wrong="drawn anew, u not used" caught_by="a word for each number" change="np.cumsum(q), u, -> np.cumsum(q), np.random.random(np.shape(u)),"

# %% wrong="one flat list" caught_by="a word for each number" change="np.cumsum(q), u, -> np.cumsum(q), np.ravel(u),"

# %% wrong="the right end belongs to it" caught_by="the ends of the intervals" change="right -> left"

# %% wrong="beyond the last word by rounding" caught_by="the ends of the intervals" change="last = np.flatnonzero(q)[-1] -> last = len(q) - 1"

# %% wrong="numbers in single precision" caught_by="the ends of the intervals" change="np.cumsum(q), u, -> np.cumsum(q), np.asarray(u, np.float32),"


# %% wrong="running sums to four digits" caught_by="the ends of the intervals" change="np.cumsum(q), u, -> np.cumsum(q).round(4), u,"


# %% wrong="a single number becomes a row of one" caught_by="a word for each number" change="np.cumsum(q), u, -> np.cumsum(q), np.atleast_1d(u),"


# %% wrong="numbers in the order of the memory" caught_by="a word for each number"
# -     return np.minimum(np.searchsorted(np.cumsum(q), u, side="right"), last)
# +     places = np.searchsorted(np.cumsum(q), u.ravel(order="K"), side="right")
# +     return np.minimum(places, last).reshape(u.shape)


# %% wrong="counts change in place" caught_by="powers of the counts"
# -     weights = np.where(counts > 0, counts**power, 0)
# +     seen = counts > 0
# +     counts **= power
# +     weights = np.where(seen, counts, 0)


# %% wrong="words as floats" caught_by="a word for each number"
# -     return np.minimum(np.searchsorted(np.cumsum(q), u, side="right"), last)
# +     return np.minimum(np.searchsorted(np.cumsum(q), u, side="right"), last) * 1.0


# %% wrong="beyond the last end comes the last word, even if it has 0" caught_by="the ends of the intervals"
# -     last = np.flatnonzero(q)[-1]
# -     return np.minimum(np.searchsorted(np.cumsum(q), u, side="right"), last)
# +     return np.minimum(np.searchsorted(np.cumsum(q), u, side="right"), len(q) - 1)
