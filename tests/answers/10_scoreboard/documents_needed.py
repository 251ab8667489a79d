"""Answers to the task documents_needed of chapter 10."""


# %% right="tried one by one, from a first guess"
def documents_needed(d, z=2):
    mean = abs(sum(d) / len(d))
    if mean == 0:
        return float("inf")
    s = np.std(d, ddof=1)
    D = max(1, int((z * s / mean) ** 2) - 1)
    while mean < z * s / math.sqrt(D):
        D += 1
    return D


# %% right="variances"
def documents_needed(d, z=2):
    d = np.asarray(d, dtype=float)
    if not d.mean():
        return math.inf
    return int(np.maximum(np.ceil(z**2 * d.var(ddof=1) / d.mean() ** 2), 1))


# %% wrong="rounded to the nearest" caught_by="the smallest number" change="math.ceil((z * s / mean) ** 2) -> round((z * s / mean) ** 2)"


# %% wrong="not squared" caught_by="the smallest number" change="(z * s / mean) ** 2 -> z * s / abs(mean)"


# %% wrong="divides by D" caught_by="the smallest number" change="ddof=1 -> ddof=0"


# %% wrong="the sign decides" caught_by="no difference, no scatter" change="if mean == 0: -> if mean <= 0:"


# %% wrong="z is forgotten" caught_by="the smallest number" change="z * s / mean -> 2 * s / mean"


# %% wrong="never below two" caught_by="no difference, no scatter" change="max(1, -> max(2,"


# %% wrong="none needed where nothing scatters" caught_by="no difference, no scatter" change="max(1, math.ceil((z * s / mean) ** 2)) -> math.ceil((z * s / mean) ** 2)"


# %% wrong="one more, to be safe" caught_by="the smallest number" change="math.ceil((z * s / mean) ** 2) -> math.ceil((z * s / mean) ** 2) + 1"


# %% wrong="a fraction of a story" caught_by="the smallest number" change="math.ceil((z * s / mean) ** 2) -> (z * s / mean) ** 2"


# %% wrong="no difference divides by zero" caught_by="no difference, no scatter" change="return math.inf -> return 0"


# %% wrong="as many as the pilot had at least" caught_by="no difference, no scatter" change="max(1, -> max(len(d),"


# %% wrong="d is centred in place" caught_by="the smallest number"
# -     if mean == 0:
# +     if isinstance(d, np.ndarray) and d.dtype == float:
# +         d -= mean
# +     if mean == 0:


# %% wrong="the whole part and one" caught_by="the smallest number" change="math.ceil((z * s / mean) ** 2) -> int((z * s / mean) ** 2) + 1"


# %% wrong="less than the smallest, rounded down" caught_by="the smallest number" change="math.ceil((z * s / mean) ** 2) -> math.floor((z * s / mean) ** 2)"


# %% wrong="nothing scatters, nothing to see" caught_by="no difference, no scatter" change="if mean == 0: -> if mean == 0 or s == 0:"


# %% wrong="the number in the pilot is taken off" caught_by="the smallest number" change="(z * s / mean) ** 2 -> (z * s / mean) ** 2 / len(d) * 2"


# %% wrong="a small mean is taken for zero" caught_by="the smallest number" change="if mean == 0: -> if abs(mean) < 1e-3:"


# %% wrong="z is at least 1" caught_by="the smallest number" change="(z * s / mean) -> (max(z, 1) * s / mean)"


# %% wrong="below a millionth is nothing" caught_by="the smallest number" change="if mean == 0: -> if abs(mean) < 1e-6:"


# %% wrong="no z is the usual z" caught_by="the smallest number" change="math.ceil((z * s -> math.ceil(((z or 2) * s"
